// What may happen in a sequence. A command that finds nothing to do does nothing, so that every prefix of a sequence
// can be played.
import { randomUUID } from 'node:crypto'
import type { MoneyItem } from '../../../rules/payments/attention.ts'
import { choicesOf } from '../../../rules/payments/attention.ts'
import type { Random } from '../../chaos/random.ts'
import { read, sim } from '../../kit/orders/buying.ts'
import { type Answer, database, http } from '../../kit/shop.ts'
import { booksOf, eventsOf, itemsOf, paymentsOf, type SeenEvent, subscriptionsAt } from './books.ts'
import { choosePlan, erase, type Kind, type Scene } from './scenes.ts'
import type { MoneyLab } from './worker.ts'

/** `n` chooses among what exists then. */
export type Command = { do: string; what: string; n: number; share: number; meets: string | null }

type Play = (lab: MoneyLab, scene: Scene, command: Command) => Promise<unknown>
type Weighted = readonly [weight: number, what: string]
/** `sends`: what it makes the worker send, which may meet a fault. */
type Declared = { weight: number; whats?: readonly Weighted[]; of?: readonly Kind[]; sends?: Target; play: Play }
type Target = 'refund' | 'decision' | 'change' | 'closing' | 'form'

const met: Record<string, number> = {}
export const cases = (): Record<string, number> => met
const meet = (name: string) => {
  met[name] = (met[name] ?? 0) + 1
}

const nth = <T>(of: readonly T[], n: number): T | undefined => of[n % Math.max(1, of.length)]

/** The provider, or a rule of ours, may refuse it. */
const tried = async (name: string, what: Promise<unknown>): Promise<void> => {
  await what.then(
    () => meet(name),
    (error: Error) => {
      if (!/simulator: 4|: 4\d\d /.test(String(error.message))) throw error
      meet(`${name}: refused`)
    },
  )
}

/** No request is answered with a fault of ours. 503: without a worker, a form is not open yet. */
async function asked(name: string, answer: Promise<Answer>): Promise<Answer> {
  const { status, body, headers } = await answer
  if (status >= 500 && status !== 503) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
  meet(`${name}: ${status < 300 ? 'done' : body.code}`)
  return { status, body, headers }
}

// Faults of requests. Each names its scene: none of another lane.

const faultKinds: readonly Weighted[] = [
  [4, 'lost before'],
  [6, 'lost after'],
  [2, 'half an answer'],
  [2, 'refused'],
  [2, 'away'],
  [2, 'a gateway error after'],
  [2, 'late'],
]
const faults: Record<string, Record<string, unknown>> = {
  'lost before': { fault: 'reset_after_read' },
  'lost after': { fault: 'reset_after_read', after_effect: true },
  'half an answer': { fault: 'break_body' },
  refused: { fault: 'status', status: 402 },
  away: { fault: 'reset_before_read', times: 7 },
  'a gateway error after': {
    fault: 'answer',
    status: 502,
    after_effect: true,
    body: '<html>Bad gateway</html>',
    headers: { 'content-type': 'text/html' },
  },
  late: { fault: 'delay', delay_ms: 120 },
}

/**
 * Arms a fault for the next request of this kind. On the platform's own account, where lanes meet, for one that names
 * something of the scene.
 */
async function arm(scene: Scene, what: string, target: Target): Promise<void> {
  const { account, label, shop } = scene
  const at: Record<Target, () => Promise<object | undefined>> = {
    refund: async () => (account === '' ? undefined : { path: '/v1/refunds', method: 'POST' }),
    form: async () =>
      account === ''
        ? { path: '/v1/checkout/sessions', method: 'POST', body_match: shop.store_id }
        : { path: '/v1/checkout/sessions', method: 'POST' },
    async decision() {
      const one = (await booksOf(scene)).find(({ status }) => status === 'requires_capture')
      return one && { path: `/v1/payment_intents/${one.id}`, method: 'POST' }
    },
    async change() {
      const one = (await subscriptionsAt(scene)).at(-1)
      return one && { path: `/v1/subscriptions/${one.id}` }
    },
    async closing() {
      const { rows } = await database().query<{ id: string }>(
        'select provider_session_id as id from payment_sessions where tenant_id = $1 and provider_session_id is not null order by id desc limit 1',
        [shop.store_id],
      )
      return rows[0] && { path: `/v1/checkout/sessions/${rows[0].id}/expire` }
    },
  }
  const chosen = await at[target]()
  // Before a body is read, no request names a scene.
  if (!chosen || (what === 'away' && 'body_match' in chosen)) return
  if (what === 'late') scene.slow = true
  await sim('POST', '/faults', { ...chosen, account, label, ...faults[what] })
  meet(`fault of a ${target}: ${what}`)
}

const targets: Record<Kind, readonly Target[]> = {
  order: ['refund', 'closing', 'form'],
  booking: ['refund', 'decision', 'decision', 'closing', 'form'],
  membership: ['refund', 'change', 'closing', 'form'],
  plan: ['change', 'closing', 'form'],
}

/** Reads fail for a while. */
async function blind(scene: Scene): Promise<void> {
  const { account, label } = scene
  if (account !== '')
    await sim('POST', '/faults', {
      method: 'GET',
      path: '/v1/',
      account,
      label,
      fault: 'status',
      status: 503,
      times: 6,
    })
  meet('fault: reads')
}

// Events.

export const undelivered = async (scene: Scene): Promise<SeenEvent[]> =>
  (await eventsOf(scene)).filter(({ state, type }) => state === 'held' && type !== scene.never)

/** 409: it cannot be applied yet, and is sent again. */
export async function delivered(ids: readonly string[], more: Record<string, unknown> = {}): Promise<void> {
  if (ids.length === 0) return
  const answers: { status: number; type: string }[] = await sim('POST', '/events/deliver', { ids, ...more })
  const wrong = answers.filter(({ status }) => status !== 200 && status !== 409)
  if (wrong.length > 0) throw new Error(`events: ${JSON.stringify(wrong)}`)
  for (const { type } of answers) meet(`event: ${type}`)
}

async function deliverSome(scene: Scene, { what, n, share }: Command): Promise<void> {
  const held = await undelivered(scene)
  if (what === 'all') return delivered(held.map(({ id }) => id))
  if (what === 'all, the newest first') return delivered(held.map(({ id }) => id).reverse())
  if (what === 'all at once, twice')
    return delivered(
      held.map(({ id }) => id),
      { parallel: true, times: 2 },
    )
  if (what === 'an old one again') {
    const old = (await eventsOf(scene)).filter(({ state }) => state === 'delivered')
    return delivered([nth(old, n)?.id].filter((id) => id !== undefined))
  }
  const count = Math.max(1, Math.floor(held.length * share))
  const from = n % Math.max(1, held.length)
  return delivered(held.slice(from, from + count).map(({ id }) => id))
}

// Operators.

/** What the provider shows about an item. */
async function truthOf(
  scene: Scene,
  item: MoneyItem,
): Promise<{ outcome: 'succeeded' | 'rejected'; provider_object_id?: string } | null> {
  const books = await booksOf(scene)
  const book = books.find(({ id }) => id === item.provider_payment_id)
  const said = (isDone: boolean | undefined) => ({ outcome: isDone ? ('succeeded' as const) : ('rejected' as const) })
  switch (item.kind) {
    case 'refund':
      return said(
        book?.refunds.some(
          (one) => (one.metadata?.refund === item.id || one.id === item.provider_object_id) && one.status !== 'failed',
        ),
      )
    case 'capture':
      return said(book?.status === 'succeeded' && book.taken === item.amount)
    case 'cancel_authorization':
      return said(book?.status === 'canceled')
    case 'open_form': {
      const pages: { id: string; metadata: Record<string, string> }[] = await sim(
        'GET',
        `/ledger/pages?account=${scene.account}`,
      )
      const page = pages.find(({ metadata }) => metadata.payment_session === item.id)
      return page ? { ...said(true), provider_object_id: page.id } : said(false)
    }
    case 'close_form': {
      const pages: { id: string; status: string }[] = await sim('GET', `/ledger/pages?account=${scene.account}`)
      return said(pages.find(({ id }) => id === item.provider_object_id)?.status === 'expired')
    }
    case 'cancel_subscription':
    case 'cancel_now_subscription':
    case 'resume_subscription': {
      const one = (await subscriptionsAt(scene)).find(({ id }) => id === item.provider_object_id) as
        | { status: string; cancel_at?: number | null }
        | undefined
      if (!one) return null
      if (item.kind === 'cancel_now_subscription') return said(one.status === 'canceled')
      const ends = one.status === 'canceled' || (one.cancel_at ?? null) !== null
      return said(item.kind === 'cancel_subscription' ? ends : !ends)
    }
    default:
      return null
  }
}

const other = { succeeded: 'rejected', rejected: 'succeeded' } as const
export type How = 'right' | 'wrong' | 'forced' | 'corrected'

async function resolve(lab: MoneyLab, scene: Scene, item: MoneyItem, how: How): Promise<boolean> {
  const choices = choicesOf(item)
  if (choices.length === 0) return false
  const truth = item.kind === 'payment' ? null : await truthOf(scene, item)
  if (item.kind !== 'payment' && !truth) return false
  // It is recorded, and listed for what follows from it: the money is due.
  if (
    truth &&
    how !== 'wrong' &&
    how !== 'forced' &&
    item.resolution?.outcome === truth.outcome &&
    item.status === truth.outcome
  )
    return false
  const outcome = truth
    ? how === 'right' || how === 'corrected'
      ? truth.outcome
      : other[truth.outcome]
    : ('accepted' as const)
  // A form that does not exist cannot be named.
  if (item.kind === 'open_form' && outcome === 'succeeded' && !truth?.provider_object_id && !item.provider_object_id)
    return false
  const found = {
    outcome,
    note: 'looked it up',
    account_id: randomUUID(),
    force: how === 'forced' || how === 'corrected',
    replaces: item.resolution?.outcome,
    provider_object_id: truth?.provider_object_id ?? null,
  }
  const now = Math.floor(Date.now() / 1000)
  const answer = await lab
    .inUnit((em) => lab.resolveRequest(em, scene.shop.store_id, item.id, found, now))
    .then(
      () => 'done',
      (error: { code?: string; status?: number }) => {
        if (!error.code || !error.status) throw error
        return error.code
      },
    )
  meet(`resolve ${item.kind} ${how}: ${answer}`)
  return answer === 'done'
}

/**
 * The operator looks everything up and records it; returns whether there was anything. `accepts`: also payments of
 * another amount.
 */
export async function resolveAll(lab: MoneyLab, scene: Scene, accepts: boolean): Promise<boolean> {
  let any = false
  for (const item of await itemsOf(lab, scene)) {
    if (item.kind === 'payment' && !accepts) continue
    any = (await resolve(lab, scene, item, item.resolution ? 'corrected' : 'right')) || any
  }
  return any
}

/**
 * What was resolved otherwise than the provider shows, listed or not: an operator who had overridden evidence sees it.
 */
export async function correctAll(lab: MoneyLab, scene: Scene): Promise<boolean> {
  let any = false
  const { rows } = await database().query<{
    id: string
    kind: MoneyItem['kind']
    amount: number
    provider_object_id: string | null
    intent: string | null
    outcome: string
  }>(
    `select r.id, 'refund' as kind, r.amount::float8, r.provider_refund_id as provider_object_id, p.provider_payment_id as intent, r.resolution ->> 'outcome' as outcome
     from refunds r join payments p on p.id = r.payment_id where r.tenant_id = $1 and r.resolution is not null
     union all select e.id, case e.kind when 'capture' then 'capture' else 'cancel_authorization' end, e.amount::float8, null, e.provider_payment_id, e.resolution ->> 'outcome'
     from authorization_ends e where e.tenant_id = $1 and e.resolution is not null`,
    [scene.shop.store_id],
  )
  for (const { id, kind, amount, provider_object_id, intent, outcome } of rows) {
    const item = {
      id,
      kind,
      amount,
      provider_object_id,
      provider_payment_id: intent,
      status: 'unknown',
      resolution: null,
    } as MoneyItem
    const truth = await truthOf(scene, item)
    if (truth && truth.outcome !== outcome) any = (await resolve(lab, scene, item, 'corrected')) || any
  }
  return any
}

async function refund(scene: Scene, { n, share }: Command): Promise<void> {
  const { shop, kind, order_id } = scene
  const paid = (await paymentsOf(scene)).filter(({ captured }) => captured > 0)
  const one = nth(paid, n)
  if (!one || kind === 'plan') return
  const amount = Math.max(1, Math.ceil(one.captured * share))
  const { headers } = shop.op
  const key = { 'idempotency-key': randomUUID() }
  if (kind === 'booking')
    return void (await asked(
      'refund',
      http('POST', `/v1/businesses/${shop.store_id}/refund`, {
        body: { entity: order_id, amount },
        headers: { ...headers, ...key },
      }),
    ))
  const body = { refund_id: randomUUID(), amount }
  if (kind === 'order')
    return void (await asked('refund', shop.asOperator('POST', `/orders/${order_id}/refunds`, body)))
  const { rows } = await database().query('select u.member_id from subscriptions u where u.id = $1', [
    one.subscription_id,
  ])
  await asked(
    'refund',
    shop.asOperator(
      'POST',
      `/audiences/${scene.club?.id}/members/${rows[0].member_id}/payments/${one.id}/refunds`,
      body,
    ),
  )
}

const putBooking = ({ shop, order_id }: Scene, status: string) =>
  asked(
    `booking: ${status}`,
    http('PUT', `/v1/businesses/${shop.store_id}/bookings/${order_id}`, { body: { status }, headers: shop.op.headers }),
  )

/** The time of all that is held is over. */
export async function passTime({ shop }: Scene): Promise<void> {
  await database().query(
    `update orders set hold_until = clock_timestamp() - interval '1 s', decide_by = least(decide_by, extract(epoch from now())::bigint) where tenant_id = $1 and status = 'pending' and hold_until is not null`,
    [shop.store_id],
  )
  await database().query(
    `update subscriptions set hold_until = clock_timestamp() - interval '1 s' where tenant_id = $1 and status = 'pending' and hold_until is not null`,
    [shop.store_id],
  )
}

/** So many seconds pass for what is looked for, or waits for an event. */
export async function later({ shop, erasure }: Scene, seconds: number): Promise<void> {
  await database().query(
    `update payments set updated_at = updated_at - $2, paid_at = paid_at where tenant_id = $1 and error ->> 'code' = 'event_missing'`,
    [shop.store_id, seconds],
  )
  for (const table of ['payment_sessions', 'session_expiries'])
    await database().query(
      `update ${table} set settled_at = settled_at - make_interval(secs => $2) where tenant_id = $1 and status = 'unknown'`,
      [shop.store_id, seconds],
    )
  // The pauses of what is asked for again grow to a day.
  await database().query(
    `update subscription_changes set settled_at = settled_at - interval '1 day' where tenant_id = $1 and status in ('unknown', 'rejected', 'failed')`,
    [shop.store_id],
  )
  if (erasure)
    await database().query('update erasures set created_at = created_at - $2 where id = $1', [erasure, seconds])
}

/** What our books have at this moment was recorded while people could read it. */
async function beginErasure(scene: Scene): Promise<void> {
  if (scene.erasure) return
  const before = await paymentsOf(scene)
  await asked('erase', erase(scene))
  if (!scene.erasure) return
  for (const { intent, invoice, captured } of before)
    for (const name of [intent, invoice]) if (name && captured > 0) scene.kept.add(name)
}

const disputes: readonly Weighted[] = [
  [3, 'needs_response'],
  [1, 'under_review'],
  [2, 'won'],
  [3, 'lost'],
  [1, 'warning_needs_response'],
  [1, 'warning_closed'],
]

/** The subscriptions that have begun and have not ended. */
const running = async (scene: Scene) =>
  (await subscriptionsAt(scene)).filter(
    ({ status }) => !['canceled', 'incomplete', 'incomplete_expired'].includes(status),
  )

const takenAt = async (scene: Scene) => (await booksOf(scene)).filter(({ taken }) => taken > 0)

const declared: Record<string, Declared> = {
  work: { weight: 8, play: (lab, scene) => lab.work(scene) },
  deliver: {
    weight: 8,
    whats: [
      [4, 'some'],
      [2, 'all'],
      [2, 'all, the newest first'],
      [2, 'all at once, twice'],
      [1, 'an old one again'],
    ],
    play: (_, scene, command) => deliverSome(scene, command),
  },
  pay: {
    weight: 5,
    whats: [
      [6, 'succeeded'],
      [1, 'declined'],
    ],
    async play(_, scene, { what, n }) {
      const pages: { id: string; status: string; metadata: Record<string, string> }[] = await sim(
        'GET',
        `/ledger/pages?account=${scene.account}`,
      )
      const own = await scene.subscriptions()
      const open = pages.filter(
        ({ status, metadata }) =>
          status === 'open' &&
          (metadata.order_id === scene.order_id ||
            own.includes(metadata.subscription ?? '') ||
            metadata.tenant_id === scene.shop.store_id),
      )
      const ofScene = open.filter(({ metadata }) =>
        scene.order_id ? metadata.order_id === scene.order_id : own.includes(metadata.subscription ?? ''),
      )
      const page = nth(ofScene, n)
      if (page)
        await tried(
          `pay: ${what}`,
          sim('POST', `/checkout_sessions/${page.id}/pay`, { outcome: what, period_s: 40 * 86_400 }),
        )
    },
  },
  fault: {
    weight: 4,
    whats: faultKinds,
    play: (_, scene, { what, n }) => arm(scene, what, nth(targets[scene.kind], n) as Target),
  },
  'fault of reads': { weight: 1, play: (_, scene) => blind(scene) },
  time: { weight: 1, play: (_, scene) => passTime(scene) },
  refund: {
    weight: 6,
    of: ['order', 'booking', 'membership'],
    sends: 'refund',
    play: (_, scene, command) => refund(scene, command),
  },
  resolve: {
    weight: 5,
    whats: [
      [4, 'right'],
      [2, 'wrong'],
      [1, 'forced'],
    ],
    async play(lab, scene, { what, n }) {
      const item = nth(await itemsOf(lab, scene), n)
      if (item) await resolve(lab, scene, item, what as How)
    },
  },
  correct: { weight: 1, play: correctAll },
  'dashboard refund': {
    weight: 3,
    async play(_, scene, { n, share }) {
      const one = nth(await takenAt(scene), n)
      if (one)
        await tried(
          'dashboard refund',
          sim('POST', `/payments/${one.id}/refund`, { amount: Math.max(1, Math.ceil(one.taken * share)) }),
        )
    },
  },
  dispute: {
    weight: 1,
    whats: disputes,
    async play(_, scene, { what, n }) {
      const one = nth(await takenAt(scene), n)
      // A dispute that is closed has no later state.
      if (one && !one.disputes.some(({ status }) => ['won', 'lost', 'warning_closed'].includes(status)))
        await tried(`dispute: ${what}`, sim('POST', `/payments/${one.id}/dispute`, { status: what }))
    },
  },
  'a refund that waits for the bank': {
    weight: 1,
    of: ['order', 'booking', 'membership'],
    play: (_, { account }) => sim('POST', '/next_refund', { status: 'pending', account }),
  },
  'the bank decides': {
    weight: 1,
    whats: [
      [1, 'succeeded'],
      [1, 'failed'],
    ],
    async play(_, scene, { what, n }) {
      const one = nth(
        (await booksOf(scene)).flatMap(({ refunds }) => refunds),
        n,
      )
      if (one) await tried(`the bank decides: ${what}`, sim('POST', `/refunds/${one.id}/settle`, { status: what }))
    },
  },
  cancel: {
    weight: 3,
    of: ['order'],
    sends: 'closing',
    async play(_, { shop, order_id }) {
      if (!order_id) return
      const { version } = await read(shop, order_id)
      await asked('cancel', shop.asOperator('PUT', `/orders/${order_id}`, { version: version ?? 1, cancel: true }))
    },
  },
  decide: {
    weight: 6,
    of: ['booking'],
    sends: 'decision',
    whats: [
      [4, 'CONFIRMED'],
      [3, 'CANCELLED'],
      [1, 'PENDING'],
      [1, 'COMPLETED'],
    ],
    play: (_, scene, { what }) => (scene.order_id ? putBooking(scene, what) : Promise.resolve()),
  },
  'dashboard decides': {
    weight: 4,
    of: ['booking'],
    whats: [
      [3, 'capture'],
      [3, 'capture a part'],
      [1, 'cancel'],
      [1, 'lapse'],
    ],
    async play(_, scene, { what, share }) {
      const one = (await booksOf(scene)).find(({ status }) => status === 'requires_capture')
      if (!one) return
      const [verb] = what.split(' ')
      const amount = what === 'capture a part' ? { amount: Math.max(1, Math.ceil(one.amount * share)) } : {}
      await tried(`dashboard: ${what}`, sim('POST', `/payment_intents/${one.id}/${verb}`, amount))
    },
  },
  advance: {
    weight: 6,
    of: ['membership', 'plan'],
    whats: [
      [4, 'renew'],
      [2, 'decline'],
      [2, 'recover'],
      [1, 'draft'],
      [1, 'give_up'],
      [1, 'unpaid'],
      [1, 'quantity'],
      [1, 'proration'],
      [1, 'amount_off'],
      [1, 'trial'],
      [1, 'off_stripe'],
    ],
    async play(_, scene, { what, n }) {
      const one = nth(await running(scene), n)
      const more: Record<string, object> = {
        quantity: { quantity: 2 },
        proration: { proration: true },
        amount_off: { amount_off: 150 },
        trial: { trial: true },
        off_stripe: { off_stripe: true },
      }
      const body = more[what] ?? { outcome: what }
      if (one)
        await tried(
          `advance: ${what}`,
          sim('POST', `/subscriptions/${one.id}/advance`, { ...body, period_s: 40 * 86_400 }),
        )
    },
  },
  'dashboard cancels': {
    weight: 2,
    of: ['membership', 'plan'],
    whats: [
      [2, 'now'],
      [2, 'cancel_at'],
      [1, 'resume'],
    ],
    async play(_, scene, { what, n }) {
      const one = nth(await running(scene), n)
      if (one) await tried(`dashboard cancels: ${what}`, sim('POST', `/subscriptions/${one.id}/cancel`, { mode: what }))
    },
  },
  remove: {
    weight: 2,
    of: ['membership'],
    sends: 'change',
    whats: [
      [1, 'at the end'],
      [2, 'now'],
    ],
    async play(_, { shop, club, contact_id }, { what }) {
      const { rows } = await database().query('select id from audience_members where contact_id = $1 limit 1', [
        contact_id,
      ])
      if (rows[0] && club)
        await asked(
          'remove',
          shop.asOperator('DELETE', `/audiences/${club.id}/members/${rows[0].id}${what === 'now' ? '?now=true' : ''}`),
        )
    },
  },
  'choose again': {
    weight: 3,
    of: ['membership', 'plan'],
    sends: 'change',
    whats: [
      [1, 'the same'],
      [2, 'another'],
    ],
    async play(_, scene, { what }) {
      const { kind, visitor, club } = scene
      if (kind === 'plan')
        return void (await asked('choose again', choosePlan(scene, what === 'another' ? 'free' : 'pro')))
      if (!visitor || !club) return
      const price_id = club.prices[what === 'another' ? 1 : 0]
      await asked(
        'choose again',
        visitor.call('POST', `/audiences/${club.id}/subscribe`, { price_id, return_url: 'https://shop.example/again' }),
      )
    },
  },
  erase: { weight: 0, play: (_, scene) => beginErasure(scene) },
}

/** Types of events without which a read, or the list, still tells what happened. */
export const losable: Record<Kind, readonly string[]> = {
  order: ['checkout.session.completed', 'checkout.session.expired'],
  booking: [
    'payment_intent.succeeded',
    'payment_intent.canceled',
    'checkout.session.completed',
    'payment_intent.amount_capturable_updated',
  ],
  membership: [
    'checkout.session.completed',
    'customer.subscription.updated',
    'customer.subscription.deleted',
    'customer.subscription.created',
  ],
  plan: ['checkout.session.completed', 'customer.subscription.updated', 'customer.subscription.created'],
}

export function drawn(draw: Random, kind: Kind, erases: boolean): Command[] {
  const fitting = Object.entries(declared).filter(([, { of }]) => !of || of.includes(kind))
  const weights = fitting.map(([name, { weight }]) => [name === 'erase' && erases ? 2 : weight, name] as const)
  const one = (name: string): Command => {
    const { whats, sends } = declared[name] as Declared
    const meets = draw.chance(0.5) ? draw.weighted(faultKinds) : null
    return {
      do: name,
      what: whats ? draw.weighted(whats) : '',
      n: draw.whole(0, 11),
      share: draw.pick([0.25, 0.5, 1, 1]),
      meets: sends ? meets : null,
    }
  }
  // What was sent is often worked on before the next command.
  const middle = Array.from({ length: draw.whole(3, 10) }, () => one(draw.weighted(weights))).flatMap((command) =>
    command.meets && draw.chance(0.8)
      ? [command, one('work'), ...(draw.chance(0.6) ? [one('resolve')] : [])]
      : [command],
  )
  // Most sequences get beyond the payment.
  const begins = draw.chance(0.85) ? [one('work'), one('pay'), ...(draw.chance(0.7) ? [one('deliver')] : [])] : []
  return [...begins, ...middle]
}

export const play: Play = async (lab, scene, command) => {
  const { sends, play: act } = declared[command.do] as Declared
  if (sends && command.meets) await arm(scene, command.meets, sends)
  await act(lab, scene, command)
}
