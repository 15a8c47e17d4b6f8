// Events are signed, keep their id, and are sent until a 2xx: at least once, in no guaranteed order.
import { createHmac } from 'node:crypto'
import { Agent, request } from 'undici'
import { commit, part } from '../sim/journal.ts'
import { Refusal } from './errors.ts'
import { newId, unixSeconds } from './ids.ts'

/** The request of the API that caused a change; both null for the provider itself. */
export type Origin = { account: string; request: string | null; key: string | null }
type StripeEvent = {
  id: string
  object: 'event'
  account?: string
  api_version: string
  created: number
  data: { object: object; previous_attributes?: object }
  livemode: boolean
  pending_webhooks: number
  request: { id: string | null; idempotency_key: string | null }
  type: string
}
type Sent = {
  event: StripeEvent
  state: 'unsent' | 'held' | 'queued' | 'delivered'
  tries: number
  last_status: number | null
}

export const apiVersion = '2026-10-28.endive'
const backoffMs = [200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000]
const answerWithinMs = 20_000
const agent = new Agent({ connections: 8, pipelining: 1 })

const events = new Map<string, Sent>()
const heldAccounts = new Set<string>()
let holdAll = false
/**
 * The endpoint of connected accounts, and the secret of the endpoint that receives the platform's own events at the
 * same address.
 */
let target = { url: '', secret: '', platform_secret: '' }

/** Endpoints of accounts with secret keys of their own, which receive the events of their account alone. */
const ownTargets = new Map<string, { url: string; secret: string }>()
const journalTarget = part<[account: string, target: { url: string; secret: string }]>(
  'own_target',
  ([account, own]) => {
    ownTargets.set(account, own)
  },
)
export function setOwnTarget(account: string, own: { url: string; secret: string }): void {
  ownTargets.set(account, own)
  journalTarget([account, own])
}

const journal = part<StripeEvent>('event', (event) => {
  events.set(event.id, { event, state: 'queued', tries: 0, last_status: null })
})
const journalState = part<[id: string, state: Sent['state']]>('event_state', ([id, state]) => {
  const sent = events.get(id)
  if (sent) sent.state = state
})

export function setTarget(change: { url?: string; secret?: string; platform_secret?: string }): { url: string } {
  target = { ...target, ...change }
  return { url: target.url }
}

/** After a restart, undelivered events are sent again. */
export function resumeEvents(): void {
  for (const sent of events.values()) if (sent.state === 'queued' || sent.state === 'held') queue(sent)
}

export function emit(origin: Origin, type: string, object: object, previous?: object): void {
  const event: StripeEvent = {
    id: newId('evt'),
    object: 'event',
    ...(origin.account && { account: origin.account }),
    api_version: apiVersion,
    created: unixSeconds(),
    data: { object, ...(previous && { previous_attributes: previous }) },
    livemode: false,
    pending_webhooks: 1,
    request: { id: origin.request, idempotency_key: origin.key },
    type,
  }
  const sent: Sent = { event, state: 'queued', tries: 0, last_status: null }
  events.set(event.id, sent)
  journal(event)
  if (target.url || ownTargets.has(origin.account)) queue(sent)
  else setState(sent, 'unsent')
}

/** Publishes a change with the earlier values of the fields that changed, and none if nothing did. */
export function emitChange<T extends object>(origin: Origin, type: string, before: T, after: T): T {
  const previous = earlier(before, after)
  if (Object.keys(previous).length > 0) emit(origin, type, after, previous)
  return after
}

/** The earlier values of the fields that differ; null for a field that is new. */
function earlier(before: object, after: object): Record<string, unknown> {
  const [old, now] = [before as Record<string, unknown>, after as Record<string, unknown>]
  const isMap = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const changed = Object.keys({ ...old, ...now }).filter(
    (name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  )
  return Object.fromEntries(
    changed.map((name) => {
      const [was, is] = [old[name], now[name]]
      return [name, isMap(was) && isMap(is) ? earlier(was, is) : (was ?? null)]
    }),
  )
}

const isHeld = (sent: Sent) => holdAll || heldAccounts.has(sent.event.account ?? '')

function queue(sent: Sent, afterMs = 0): void {
  sent.state = isHeld(sent) ? 'held' : 'queued'
  if (sent.state === 'queued') setTimeout(() => attempt(sent), afterMs)
}

async function attempt(sent: Sent): Promise<void> {
  if (sent.state !== 'queued') return
  if (isHeld(sent)) sent.state = 'held'
  else if (!ok(await send(sent))) queue(sent, backoffMs[Math.min(sent.tries, backoffMs.length) - 1])
}

const ok = (status: number | null) => status !== null && status >= 200 && status < 300

/** The status of the response, or null. `livemode`: sent with this flag instead of its own. */
async function send(sent: Sent, livemode = sent.event.livemode): Promise<number | null> {
  const own = ownTargets.get(sent.event.account ?? '')
  // To its own endpoint an account is not named.
  const payload = JSON.stringify({ ...sent.event, livemode, ...(own ? { account: undefined } : {}) })
  const time = unixSeconds()
  const secret = own?.secret ?? (sent.event.account === undefined ? target.platform_secret : target.secret)
  const signature = createHmac('sha256', secret).update(`${time}.${payload}`).digest('hex')
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'stripe-signature': `t=${time},v1=${signature}`,
    'user-agent': 'Stripe/1.0',
  }
  sent.tries++
  sent.last_status = null
  try {
    const signal = AbortSignal.timeout(answerWithinMs)
    const answer = await request(own?.url ?? target.url, {
      method: 'POST',
      headers,
      body: payload,
      dispatcher: agent,
      signal,
    })
    await answer.body.dump()
    sent.last_status = answer.statusCode
  } catch {
    // No response: retried like any other failure.
  }
  if (ok(sent.last_status)) {
    setState(sent, 'delivered')
    commit()
  }
  return sent.last_status
}

function setState(sent: Sent, state: Sent['state']): void {
  sent.state = state
  journalState([sent.event.id, state])
}

/** Holds back the events of one account or of all; releasing sends them. */
export function hold(on: boolean, account?: string): { held: number } {
  if (account === undefined) holdAll = on
  else if (on) heldAccounts.add(account)
  else heldAccounts.delete(account)
  if (!on && account === undefined) heldAccounts.clear()
  const held = [...events.values()].filter((sent) => sent.state === 'held')
  if (!on) for (const sent of held) queue(sent)
  return { held: [...events.values()].filter((sent) => sent.state === 'held').length }
}

type Delivery = {
  ids?: string[]
  account?: string
  order?: 'reverse' | 'shuffle'
  times?: number
  parallel?: boolean
  livemode?: boolean
}
type Delivered = { id: string; type: string; status: number | null }

/** Sends held events, or the given ones, now: in sequence unless `parallel`. */
export async function deliver(given: Delivery): Promise<Delivered[]> {
  if (!target.url) throw new Refusal(400, 'no webhook url is set')
  const chosen = given.ids
    ? given.ids.map((id) => events.get(id) ?? unknownEvent(id))
    : [...events.values()].filter(
        (sent) =>
          sent.state === 'held' && (given.account === undefined || (sent.event.account ?? '') === given.account),
      )
  if (given.order === 'reverse') chosen.reverse()
  if (given.order === 'shuffle') chosen.sort(() => Math.random() - 0.5)
  const all = Array.from({ length: given.times ?? 1 }, () => chosen).flat()
  const one = async (sent: Sent) => ({
    id: sent.event.id,
    type: sent.event.type,
    status: await send(sent, given.livemode),
  })
  if (given.parallel) return Promise.all(all.map(one))
  const answers: Delivered[] = []
  for (const sent of all) answers.push(await one(sent))
  return answers
}

function unknownEvent(id: string): never {
  throw new Refusal(404, `No such event: '${id}'`)
}

/** What `since` is of a list with the events that follow. */
export const countEvents = (): number => events.size

/** `since`: without this many of the oldest events; `position` is what a later call sends to see those that follow. */
export function listEvents(filter: { [name in 'type' | 'account' | 'object' | 'since']?: string | undefined }) {
  const since = Number(filter.since ?? 0)
  return [...events.values()]
    .slice(since)
    .map((sent, n) => ({ ...sent, position: since + n + 1 }))
    .filter(
      ({ event }) =>
        (filter.type === undefined || event.type === filter.type) &&
        (filter.account === undefined || (event.account ?? '') === filter.account) &&
        (filter.object === undefined || JSON.stringify(event.data.object).includes(`"${filter.object}"`)),
    )
    .map(({ event, state, tries, last_status, position }) => {
      return {
        id: event.id,
        type: event.type,
        account: event.account ?? null,
        state,
        tries,
        last_status,
        position,
        event,
      }
    })
}
