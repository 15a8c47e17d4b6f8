// A store with a model and an audience of leads, and runs of lead research about them.
//   const shop = await newResearch(models)
//   const run = await shop.begin([member], 'Who sells tea?')
//   await shop.ended(run.id)                                   → the run, once no turn is left
import { newId } from '../../../entities/kit/ids.ts'
import { newAudience, newContact } from '../audiences/audiences.ts'
import { until } from '../codes.ts'
import { made } from '../content/content.ts'
import { type Answer, eitherApi, http, type Method, newShop, unique } from '../shop.ts'
import type { Receiver } from '../webhooks/receiver.ts'
import type { Models } from './models.ts'

export type Researching = Awaited<ReturnType<typeof newResearch>>

export async function newResearch(models: Models, type: 'llm_a' | 'llm_b' = 'llm_a') {
  const shop = await newShop()
  const integration = await made(
    shop.asOperator('POST', '/integrations', { key: 'model', provider: models.provider(type) }),
  )
  const audience = await newAudience(shop, 'private')
  const at = `/v1/stores/${shop.store_id}/lead-research/runs`
  const ask = (method: Method, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    http(method, `${at}${path}`, { body, headers: { ...shop.op.headers, ...headers }, base: eitherApi() })
  return {
    shop,
    audience: audience.id,
    integration: integration.id,
    ask,
    /** A member of the audience; without an address one of a provider of mail. */
    async lead(email = `${unique()}@gmail.com`, more: object = {}): Promise<string> {
      const { id } = await newContact(shop, email)
      return (await made(shop.asOperator('POST', `/audiences/${audience.id}/members`, { contact_id: id, ...more }))).id
    },
    post: (member_ids: readonly string[], goal: string, more: object = {}) =>
      ask('POST', '', { audience_id: audience.id, member_ids, goal, model_id: 'model', ...more }),
    async begin(member_ids: readonly string[], goal: string, more: object = {}) {
      return made(ask('POST', '', { audience_id: audience.id, member_ids, goal, model_id: 'model', ...more }))
    },
    say: (run: string, message: string, message_id: string = newId(), headers: Record<string, string> = {}) =>
      ask('POST', `/${run}/messages`, { message_id, message }, headers),
    /** The run, once no turn of it is left. */
    ended: (run: string) =>
      until(async () => {
        const { body } = await ask('GET', `/${run}`)
        return !['queued', 'running'].includes(body.status) && body
      }, 90_000),
    insight: async (member: string) =>
      (await shop.asOperator('GET', `/audiences/leads?member_ids=${member}`)).body.items[0]?.insight,
    sources: async (run: string) => (await ask('GET', `/${run}/sources?sort_direction=asc`)).body.items,
    messages: async (run: string) => (await ask('GET', `/${run}/messages?sort_direction=asc`)).body.items,
  }
}

/** Serves a page on a path; returns its address. */
export async function page(receiver: Receiver, path: string, body: string, more: object = {}): Promise<string> {
  await receiver.rule(path, { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body, ...more })
  return `${receiver.url}${path}`
}

export const read = (url: string, part?: number) => ({
  name: 'read_page',
  arguments: { url, ...(part === undefined ? {} : { part }) },
})
/** `$source` is the page that was read last. */
export const record = (signals: { text?: string; quote: string; source_id?: string }[], more: object = {}) => ({
  name: 'record_insight',
  arguments: {
    summary: 'Sells tea.',
    score: 80,
    ...more,
    signals: signals.map((one) => ({ text: 'A signal.', source_id: '$source', ...one })),
  },
})
