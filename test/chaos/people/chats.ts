// Visitors who write to an agent by the API and to its bot, repeat what was not answered, and an operator who takes
// chats over, while faults strike.
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../entities/kit/ids.ts'
import { type Answer, unique } from '../../kit/shop.ts'
import type { ChatPlan } from '../plan.ts'
import type { Round, Talk } from './acts.ts'

/** For how long an update that is not accepted is delivered again. */
const deliveredMs = 110_000

const operatorAt = (c: Round, at: string) => `/v1/businesses/${c.store.agent.business.id}${at}`
const asOperator = (c: Round, method: 'GET' | 'POST', at: string, body?: unknown) =>
  c.client.ask(method, operatorAt(c, at), {
    headers: c.store.agent.business.op.headers,
    ...(body === undefined ? {} : { body }),
  })

/** Refusals of the model: the same request again returns the same. */
const isRefusal = ({ status, body }: Answer) => status === 503 && String(body?.code).startsWith('model_')
const outcomeOf = ({ status, body }: Answer) =>
  JSON.stringify([status, body.code ?? body.status, body.response ?? null])

async function takeOver(c: Round, talk: Talk): Promise<void> {
  const message = `A person ${unique()}`
  const { status, body } = await asOperator(c, 'POST', `/agents/${c.store.agent.id}/chats/${talk.chat_id}/replies`, {
    message,
    messageId: newId(),
  })
  if (status === 201) talk.takeover = message
  else c.surprises.push(`an operator's reply to ${talk.chat_id} was answered with ${status} ${JSON.stringify(body)}`)
}

async function byApi(c: Round, plan: ChatPlan, talk: Talk): Promise<void> {
  const { business, id } = c.store.agent
  const key = { 'x-service-publishable-key': business.publishableKey }
  const known = await c.client.ask('POST', '/v1/storefront/account/identify', { body: {}, headers: key })
  const headers = { ...key, 'x-service-visitor-token': String(known.body.visitor_token), prefer: 'wait=3' }
  /** As often as it is answered with 202. */
  async function send(body: object): Promise<Answer> {
    for (;;) {
      const answer = await c.client.ask('POST', `/v1/businesses/${business.id}/agents/${id}/chats/messages`, {
        body,
        headers,
        final: isRefusal,
      })
      if (answer.status !== 202) return answer
      await pause(200)
    }
  }
  async function write(n: number): Promise<void> {
    const [text, message_id] = [`Line ${n} ${unique()}`, newId()]
    const body = { message: text, messageId: message_id, ...(talk.chat_id ? { chatId: talk.chat_id } : {}) }
    const answers = await Promise.all(Array.from({ length: plan.twice ? 2 : 1 }, () => send(body)))
    const [answer] = answers as [Answer]
    if (answer.status !== 200 && !isRefusal(answer)) {
      c.surprises.push(`the message ${message_id} was answered with ${answer.status} ${JSON.stringify(answer.body)}`)
      return
    }
    talk.chat_id ??= answer.body.chatId ?? answer.body.chat_id
    talk.said.push({ id: message_id, text, status: answer.body.status, response: answer.body.response ?? null })
    answers.push(await send(body))
    const outcomes = new Set(answers.map(outcomeOf))
    if (outcomes.size > 1)
      c.surprises.push(`the message ${message_id} was answered with ${[...outcomes].join(' and ')}`)
  }
  await write(0)
  if (!talk.chat_id) return
  const rest = Array.from({ length: plan.messages - 1 }, (_, n) => n + 1)
  const taken = plan.takeover ? pause(plan.think_ms).then(() => takeOver(c, talk)) : undefined
  if (plan.at_once) await Promise.all(rest.map(write))
  else for (const n of rest) await write(n)
  await taken
}

async function byBot(c: Round, plan: ChatPlan, talk: Talk): Promise<void> {
  const { agent } = c.store
  const user = Math.floor(Math.random() * 1e12)
  talk.user = user
  const name = `Visitor ${user}`
  async function write(n: number): Promise<void> {
    const text = `Line ${n} ${unique()}`
    const said = {
      bot: agent.bot.number,
      text,
      from: { id: user, first_name: name },
      times: plan.twice ? 2 : 1,
      retry_ms: deliveredMs,
    }
    const answer = await fetch(`${agent.bot.control}/_sim/say`, { method: 'POST', body: JSON.stringify(said) })
    const { statuses } = (await answer.json()) as { statuses: (number | null)[] }
    if (statuses.some((status) => status !== 200))
      throw new Error(`an update of ${name} was never taken: ${statuses.join(', ')}`)
    talk.said.push({ id: null, text, status: null, response: null })
  }
  await write(0)
  const { items } = (await asOperator(c, 'GET', `/chats?channelId=${agent.bot.channel}&limit=100`)).body
  talk.chat_id = items.find(({ externalName }: { externalName: string }) => externalName === name)?.id ?? null
  const rest = Array.from({ length: plan.messages - 1 }, (_, n) => n + 1)
  const taken = plan.takeover && talk.chat_id ? pause(plan.think_ms).then(() => takeOver(c, talk)) : undefined
  if (plan.at_once) await Promise.all(rest.map(write))
  else for (const n of rest) await write(n)
  await taken
}

/** Rejects if a call was never answered. */
export async function talkTo(c: Round, plan: ChatPlan): Promise<void> {
  await pause(plan.at_ms)
  const talk: Talk = { chat_id: null, user: null, said: [], takeover: null }
  c.chats.push(talk)
  await (plan.by === 'api' ? byApi(c, plan, talk) : byBot(c, plan, talk))
}
