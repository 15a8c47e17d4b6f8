// What the workflows of replies on channels are called in Temporal's UI, and which call resolves their unknown
// outcomes.
import { call, callOf, type DescribedRow, type Description, root, storeOf } from '../descriptions.ts'

export type ChannelMessageFacts = DescribedRow & {
  chat_id: string
  agent_id: string | null
  message_id: string
  channel: string | null
  part: number
}

/** `channel`: the key of its integration, null if that was deleted. A tenant with a chat is a business. */
export function describeChannelMessage(message: ChannelMessageFacts): Description {
  const { chat_id, agent_id, message_id, channel, part } = message
  const summary = `reply ${message_id}${part > 1 ? `, part ${part},` : ''} of chat ${chat_id}, ${storeOf(message)}`
  const chat = `${root(message)}/agents/${agent_id ?? '…'}/chats/${chat_id}`
  const details = [
    `A ${summary}, by the bot of the integration \`${channel ?? 'deleted'}\`.`,
    '**If it is `unknown`**, the visitor may or may not see it, and it is not sent again: a bot API shows no bot what it has sent. Ask the visitor, or look at the chat in the service as ' +
      'the visitor. If it is not there, write it once more as a person, as an admin; people have the chat then:',
    call(`GET ${chat}/messages`),
    callOf(message, `POST ${chat}/replies`, { message: '…' }),
  ]
  return { summary, details: details.join('\n\n') }
}
