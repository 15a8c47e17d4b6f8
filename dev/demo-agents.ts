// The part of `npm run demo` about AI agents: a message that is answered once with the help of tools, and a person who takes the chat over.
import { client } from '../client/client.ts'
import { type Callers, say } from './demo-steps.ts'

type Stack = { api: string; models: string; business_id: string; agent_id: string }
type Entry = { key: string; times: number }

export async function showAgent({ operator }: Callers, { api, models, business_id: businessId, agent_id: id }: Stack): Promise<void> {
  const path = { businessId, id }
  const { publishableKey } = await operator('GET /v1/businesses/{businessId}', { path })
  const visitor = client({ base: api, publishableKey })
  // The first answer carries the visitor's token, which later requests send.
  const ask = (message: string, messageId: string, chatId?: string) =>
    visitor('POST /v1/businesses/{businessId}/agents/{id}/chats/messages', { path, body: { message, messageId, ...(chatId ? { chatId } : {}) } })

  const arrivals = async () => ((await (await fetch(`${models}/_sim/ledger`)).json()) as Entry[]).filter(({ key }) => key).length
  const before = await arrivals()
  const question = 'Do you have some tea, and a free hour this week?'
  const messageId = crypto.randomUUID()
  const answer = await ask(question, messageId)
  const of = { ...path, chatId: answer.chatId }
  const messages = () => visitor('GET /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/messages', { path: of, query: { sortDirection: 'asc' } })
  const tools = (await messages()).items.findLast(({ role }) => role === 'assistant')?.tools ?? []
  say(`A visitor asks the agent: “${question}”`, `“${answer.response}”`)
  say('The tools that its model used', tools.join(', '))
  const asked = await arrivals()

  const again = await ask(question, messageId, undefined)
  say(
    'The same message sent again returns the same answer',
    `${again.response === answer.response}; calls of the model: ${asked - before}, and ${(await arrivals()) - asked} more for the repetition`,
  )
  const cart = await ask('Put some tea and a free hour into my cart', crypto.randomUUID(), answer.chatId)
  say('The agent fills a cart', `“${cart.response}”`)

  const reply = { message: 'This is Ida herself. I keep ten o’clock for you.', messageId: crypto.randomUUID() }
  await operator('POST /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/replies', { path: of, body: reply })
  const held = await ask('Thank you! And your address?', crypto.randomUUID(), answer.chatId)
  const { mode } = await operator('GET /v1/businesses/{businessId}/agents/{id}/chats/{chatId}', { path: of })
  say('A person takes the chat over and answers: from then on the agent is silent', `mode ${mode}; the visitor’s next message is ${held.status}`)
  const said = (await messages()).items.slice(-2).map(({ role, content }) => `${role}: “${content}”`)
  say('The end of the chat', said.join('\n      '))
  const { rating } = await visitor('POST /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/rate', { path: of, body: { rating: 5, comment: 'Quick' } })
  const { items } = await operator('GET /v1/businesses/{businessId}/agents/{id}/usage', { path })
  const day = items[0]
  say('The visitor rates it', `${rating} of 5; tokens of the agent today: ${day?.inputTokens} read, ${day?.outputTokens} written, in ${day?.calls} calls`)
}
