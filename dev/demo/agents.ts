// The part of `npm run demo` about AI agents: a message that is answered once with the help of tools, by the API and by
// a bot, and a person who takes the chat over.
import { client } from '../../client/client.ts'
import { botToken } from '../seed/agents.ts'
import { type Callers, say, until } from './steps.ts'

type Stack = { api: string; models: string; chat_bot: string | null; business_id: string; agent_id: string }
type Entry = { key: string; times: number }

type Seen = { bot: string; chat_id: number; text: string }

/** A visitor of a chat service writes to the bot of the agent, and an operator answers them there. */
async function showBot(
  operator: Callers['operator'],
  path: { businessId: string; id: string },
  chat_bot: string,
): Promise<void> {
  const [bot = ''] = botToken.split(':')
  const user = Math.floor(Math.random() * 1e9)
  const seen = async (least: number) =>
    until(`the visitor sees ${least} messages`, async () => {
      const all = ((await (await fetch(`${chat_bot}/_sim/messages`)).json()) as Seen[]).filter(
        (one) => one.bot === bot && one.chat_id === user,
      )
      return all.length >= least ? all.map(({ text }) => text) : undefined
    })
  const { businessId } = path
  const channel = await until('the bot is connected', async () => {
    const { items } = await operator('GET /v1/businesses/{businessId}/integrations', {
      path: { businessId },
      query: { type: 'chat_bot' },
    })
    return items.find((one) => one.key === 'bot' && one.channel?.status === 'connected')
  })
  const text = 'Do you have some tea?'
  const said = await fetch(`${chat_bot}/_sim/say`, {
    method: 'POST',
    body: JSON.stringify({ bot, text, times: 3, from: { id: user, first_name: 'Grace' } }),
  })
  const { statuses } = (await said.json()) as { statuses: number[] }
  say(
    `Grace writes to the bot @${channel.channel?.username}: “${text}”`,
    `the service delivers the update three times: ${statuses.join(', ')}`,
  )
  say('She sees one answer', (await seen(1)).map((one) => `“${one}”`).join(', '))
  const { items } = await operator('GET /v1/businesses/{businessId}/chats', {
    path: { businessId },
    query: { channelId: channel.id, limit: 100 },
  })
  const chat = items.find(({ externalName }) => externalName === 'Grace')
  if (!chat) throw new Error('The chat of the bot is missing.')
  const body = { message: 'We keep a packet for you, Grace.', messageId: crypto.randomUUID() }
  await operator('POST /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/replies', {
    path: { ...path, chatId: chat.id },
    body,
  })
  say('A person answers her there', (await seen(2)).map((one) => `“${one}”`).join(', '))
}

export async function showAgent(
  { operator }: Callers,
  { api, models, chat_bot, business_id: businessId, agent_id: id }: Stack,
): Promise<void> {
  const path = { businessId, id }
  const { publishableKey } = await operator('GET /v1/businesses/{businessId}', { path })
  const visitor = client({ base: api, publishableKey })
  // The first answer carries the visitor's token, which later requests send.
  const ask = (message: string, messageId: string, chatId?: string) =>
    visitor('POST /v1/businesses/{businessId}/agents/{id}/chats/messages', {
      path,
      body: { message, messageId, ...(chatId ? { chatId } : {}) },
    })

  const arrivals = async () =>
    ((await (await fetch(`${models}/_sim/ledger`)).json()) as Entry[]).filter(({ key }) => key).length
  const before = await arrivals()
  const question = 'Do you have some tea, and a free hour this week?'
  const messageId = crypto.randomUUID()
  const answer = await ask(question, messageId)
  const of = { ...path, chatId: answer.chatId }
  const messages = () =>
    visitor('GET /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/messages', {
      path: of,
      query: { sortDirection: 'asc' },
    })
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
  if (chat_bot) await showBot(operator, path, chat_bot)

  const reply = { message: 'This is Ida herself. I keep ten o’clock for you.', messageId: crypto.randomUUID() }
  await operator('POST /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/replies', { path: of, body: reply })
  const held = await ask('Thank you! And your address?', crypto.randomUUID(), answer.chatId)
  const { mode } = await operator('GET /v1/businesses/{businessId}/agents/{id}/chats/{chatId}', { path: of })
  say(
    'A person takes the chat over and answers: from then on the agent is silent',
    `mode ${mode}; the visitor’s next message is ${held.status}`,
  )
  const said = (await messages()).items.slice(-2).map(({ role, content }) => `${role}: “${content}”`)
  say('The end of the chat', said.join('\n      '))
  const { rating } = await visitor('POST /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/rate', {
    path: of,
    body: { rating: 5, comment: 'Quick' },
  })
  const { items } = await operator('GET /v1/businesses/{businessId}/agents/{id}/usage', { path })
  const day = items[0]
  say(
    'The visitor rates it',
    `${rating} of 5; tokens of the agent today: ${day?.inputTokens} read, ${day?.outputTokens} written, in ${day?.calls} calls`,
  )
}
