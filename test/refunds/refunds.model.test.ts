// After any sequence of refunds, disputes and events of a payment, once all is resolved, our sums equal the provider's.
// A failure prints its seed and its shortest script. REFUND_SEED=random (or a number) picks another seed, REFUND_RUNS
// sets the number of runs. REFUND_TOLD=1 prints which cases occurred.
import { randomInt, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { disputeStatuses } from '../../rules/payments/disputes.ts'
import { mustHaveMet, tellCases } from '../kit/cases.ts'
import {
  buyer,
  checkOut,
  connected,
  eventsOf,
  fault,
  pay,
  paymentOf,
  return_url,
  type Sold,
  sessionOf,
  sim,
  stripe,
  until,
} from '../kit/orders/buying.ts'
import { type Answer, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'

const seed = process.env.REFUND_SEED === 'random' ? randomInt(2 ** 31) : Number(process.env.REFUND_SEED ?? 20261122)
const runs = Number(process.env.REFUND_RUNS ?? 12)
const lanes = 4

/** This currency is charged in steps of ten minor units: a refund of another amount fails and is not sent. */
const currency = 'KWD'
const captured = 1000

const amount = fc.constantFrom(300, 500, 700, 1000)
const nth = fc.nat(5)
const meets = fc.constantFrom('nothing', 'a refusal', 'a loss before', 'a loss after', 'a wait', 'no way to send it')
const command = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('refund' as const), amount, meets }), weight: 6 },
  {
    arbitrary: fc.record({ do: fc.constant('refund at the provider' as const), amount, waits: fc.boolean() }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('settle at the bank' as const),
      nth,
      status: fc.constantFrom('succeeded', 'failed', 'failed'),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('dispute' as const),
      status: fc.constantFrom(...Object.keys(disputeStatuses)),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('deliver' as const),
      some: fc.array(nth, { minLength: 1, maxLength: 4 }),
      times: fc.integer({ min: 1, max: 2 }),
    }),
    weight: 4,
  },
  { arbitrary: fc.record({ do: fc.constant('resolve' as const), nth, mistaken: fc.boolean() }), weight: 3 },
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never
const script = fc.record({
  commands: fc.array(command, { minLength: 4, maxLength: 10, size: 'max' }),
  last: fc.constantFrom('reverse', 'shuffle'),
})
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never

/**
 * Played first, by the lanes in turn: an operator's mistake in both directions, two refunds whose failure at the bank
 * is reported before their success, and what few random scripts have.
 */
const mistaken: Command = { do: 'resolve', nth: 0, mistaken: true }
const lostAfter: Command = { do: 'refund', amount: 300, meets: 'a loss after' }
const failsAtTheBank: Command = { do: 'settle at the bank', nth: 0, status: 'failed' }
const examples: Script[] = [
  { commands: [lostAfter, mistaken, { do: 'refund', amount: 700, meets: 'nothing' }], last: 'reverse' },
  {
    commands: [
      { do: 'refund', amount: 500, meets: 'a loss before' },
      mistaken,
      { do: 'refund', amount: 300, meets: 'nothing' },
    ],
    last: 'reverse',
  },
  { commands: [lostAfter, failsAtTheBank, { ...mistaken, mistaken: false }], last: 'reverse' },
  { commands: [lostAfter, mistaken, failsAtTheBank], last: 'reverse' },
  {
    commands: [
      ...(['no way to send it', 'a wait'] as const).map((meets): Command => ({ do: 'refund', amount: 300, meets })),
      ...([300, 1000] as const).map((amount): Command => ({ do: 'refund at the provider', amount, waits: false })),
      { do: 'dispute', status: 'needs_response' },
    ],
    last: 'shuffle',
  },
  { commands: [lostAfter, { ...mistaken, mistaken: false }], last: 'reverse' },
]

type Lane = { shop: Shop; account: string; sold: Pick<Sold, 'item'> }
/** `mistaken`: a refund was resolved as `succeeded` that the provider never had. */
type Scene = Lane & { order_id: string; payment_intent: string; mistaken: boolean }
type Refund = {
  id: string
  refund_id: string
  status: string
  amount: number
  provider_refund_id: string | null
  needs_attention: boolean
  late_evidence: object | null
  resolution: { outcome: string; before?: object } | null
}
type Theirs = { id: string; status: string; amount: number; metadata: { refund?: string } }

async function newLane(): Promise<Lane> {
  const shop = await newShop()
  const account = await connected(shop)
  await shop.asOperator('POST', '/markets', { key: 'kw', currency, tax_mode: 'exclusive' })
  const { body } = await shop.asOperator('POST', '/products', {
    key: `product-${unique()}`,
    variants: [{ prices: [{ market: 'kw', amount: captured }] }],
  })
  const item = (quantity = 1) => ({ product_id: body.id, variant_id: body.variants[0].id, quantity })
  return { shop, account, sold: { item } }
}

/** A paid order; from then on the provider's events are held back. */
async function newScene(lane: Lane): Promise<Scene> {
  const { shop, account, sold } = lane
  // Events that a failed script held back.
  await sim('POST', '/events', { hold: false, account })
  const { visitor, cart } = await buyer(shop, [sold.item()], { market: 'kw' })
  const answer = await checkOut(visitor, cart, { payment_method_key: 'credit_card', return_url })
  expect(answer.status).toBe(200)
  const { payment_intent } = await pay(sessionOf(answer))
  const { order_id } = answer.body
  await until(async () => (await paymentOf(shop, order_id)).status === 'paid')
  await sim('POST', '/events', { hold: true, account })
  return { ...lane, order_id, payment_intent, mistaken: false }
}

const met: Record<string, number> = {}
const meet = (name: string) => {
  met[name] = (met[name] ?? 0) + 1
}

const ours = async ({ shop, order_id }: Scene): Promise<Refund[]> =>
  (await shop.asOperator('GET', `/orders/${order_id}/refunds?limit=100`)).body.items
const theirs = async ({ account, payment_intent }: Scene): Promise<Theirs[]> =>
  (await stripe(account, `/refunds?payment_intent=${payment_intent}&limit=100`)).data
const disputeOf = async ({
  account,
  payment_intent,
}: Scene): Promise<{ id: string; status: string; amount: number } | undefined> =>
  (await stripe(account, `/disputes?payment_intent=${payment_intent}`)).data[0]
const held = async ({ account }: Scene) =>
  (await eventsOf(account)).filter(({ state }) => state === 'held').map(({ id }) => id)

/** Requests are answered with success or a named refusal, never a 5xx. */
function answered(what: string, { status, body }: Answer): void {
  expect([what, status < 500, body.code ?? 'none']).toEqual([
    what,
    true,
    expect.stringMatching(/^(none|amount_exceeds_refundable)$/),
  ])
}

/** The provider may refuse it, as it would refuse an operator. */
const tried = (what: Promise<unknown>): Promise<unknown> => what.catch(() => meet('the provider refused'))

async function delivered(ids: string[], more: Record<string, unknown> = {}): Promise<void> {
  if (ids.length === 0) return
  const answers: { status: number }[] = await sim('POST', '/events/deliver', { ids, ...more })
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
}

const outcomes = ['succeeded', 'rejected'] as const
type Outcome = (typeof outcomes)[number]

/** The provider's current status of a refund. */
async function truthOf(scene: Scene, { id }: Refund): Promise<Outcome> {
  const there = (await theirs(scene)).find(({ metadata }) => metadata.refund === id)
  return there && there.status !== 'failed' ? 'succeeded' : 'rejected'
}

async function resolve(
  scene: Scene,
  refund: Refund,
  outcome: Outcome,
  how = refund.status === 'unknown' ? 'resolved' : 'corrected',
): Promise<void> {
  meet(`${how} as ${outcome}`)
  const send = (more: object) =>
    scene.shop.asOperator(
      'POST',
      `/orders/${scene.order_id}/refunds/${refund.refund_id}/resolve`,
      { outcome, note: 'looked it up', replaces: refund.resolution?.outcome, ...more },
      eitherApi(),
    )
  const first = await send({})
  // The provider knows more than the events that have arrived: a pending refund has failed at the bank since.
  const isNewer = first.body.code === 'contradicts_evidence' && outcome === (await truthOf(scene, refund))
  if (isNewer) meet('the truth is newer than the evidence')
  answered('resolve', isNewer ? await send({ force: true }) : first)
}

/**
 * A mistake that the provider will contradict: by an event that is still to come, or because the whole payment is
 * refunded there.
 */
async function mistake(scene: Scene, refund: Refund, truth: Outcome): Promise<boolean> {
  if (truth === 'succeeded' ? refund.late_evidence : await disputeOf(scene)) return false
  if (truth === 'rejected') {
    scene.mistaken = true
    await refundRest(scene)
  }
  await resolve(scene, refund, truth === 'succeeded' ? 'rejected' : 'succeeded', 'mistaken')
  return true
}

const refundRest = ({ payment_intent }: Scene) => tried(sim('POST', `/payments/${payment_intent}/refund`, {}))

/** The refunds listed as needing attention that were resolved otherwise than the provider says. */
async function toCorrect(scene: Scene, refunds: readonly Refund[]): Promise<Refund[]> {
  const resolved = refunds.filter(({ resolution, needs_attention }) => resolution && needs_attention)
  const truths = await Promise.all(resolved.map((one) => truthOf(scene, one)))
  return resolved.filter(({ status, resolution }, at) => status !== truths[at] || resolution?.outcome !== truths[at])
}

const faults: Partial<Record<string, Record<string, unknown>>> = {
  'a refusal': { fault: 'status', status: 402 },
  'a loss before': { fault: 'status', status: 500 },
  'a loss after': { fault: 'status', status: 500, after_effect: true },
}

async function perform(scene: Scene, what: Command): Promise<void> {
  const { shop, account, order_id, payment_intent } = scene
  switch (what.do) {
    case 'refund': {
      const refund_id = randomUUID()
      const given = faults[what.meets]
      if (given) await fault({ body_match: refund_id, path: '/v1/refunds', ...given })
      if (what.meets === 'a wait') await sim('POST', '/next_refund', { status: 'pending', body_match: refund_id })
      const asked = { refund_id, amount: what.amount - (what.meets === 'no way to send it' ? 5 : 0) }
      const answer = await shop.asOperator('POST', `/orders/${order_id}/refunds`, asked, eitherApi())
      answered('refund', answer)
      meet(`refund: ${answer.status < 300 ? answer.body.status : answer.body.code}`)
      return
    }
    case 'refund at the provider':
      if (what.waits) await sim('POST', '/next_refund', { status: 'pending', account })
      await tried(
        sim('POST', `/payments/${payment_intent}/refund`, { amount: what.amount }).then(() =>
          meet('refund at the provider'),
        ),
      )
      return
    case 'settle at the bank': {
      const there = await theirs(scene)
      const one = there[what.nth % Math.max(1, there.length)]
      if (one) await tried(sim('POST', `/refunds/${one.id}/settle`, { status: what.status }))
      return
    }
    case 'dispute': {
      // A disputed charge is not refunded at the provider, so that the mistake would never be detected.
      if (scene.mistaken) return
      const known = await disputeOf(scene)
      const rank = (status: string) => disputeStatuses[status as keyof typeof disputeStatuses].rank
      // Of events of the same second only the later state is known to be newer.
      if (known && rank(known.status) >= rank(what.status)) return
      await sim('POST', `/payments/${payment_intent}/dispute`, { status: what.status })
      return
    }
    case 'deliver': {
      const ids = await held(scene)
      await delivered(
        [...new Set(what.some.map((at) => ids[at % Math.max(1, ids.length)]))].filter((id) => id !== undefined),
        { times: what.times },
      )
      return
    }
    case 'resolve': {
      const refunds = await ours(scene)
      const open = [...refunds.filter(({ status }) => status === 'unknown'), ...(await toCorrect(scene, refunds))]
      const one = open[what.nth % Math.max(1, open.length)]
      if (!one) return
      const truth = await truthOf(scene, one)
      const mistaken = what.mistaken && one.status === 'unknown' && (await mistake(scene, one, truth))
      if (!mistaken) await resolve(scene, one, truth)
    }
  }
}

/**
 * An invariant at every moment: no amount is refundable that, by all delivered events, the provider may have refunded.
 */
async function sound(scene: Scene): Promise<void> {
  const { refunded_amount, refund_pending_amount, refund_unknown_amount, captured_amount } = await paymentOf(
    scene.shop,
    scene.order_id,
  )
  expect(captured_amount).toBe(captured)
  expect(refunded_amount + refund_pending_amount + refund_unknown_amount).toBeLessThanOrEqual(captured)
}

async function settleAll(scene: Scene, last: string): Promise<void> {
  if (scene.mistaken) await refundRest(scene)
  for (const { id, status } of await theirs(scene))
    if (status === 'pending') await sim('POST', `/refunds/${id}/settle`, { status: 'succeeded' })
  const { account } = scene
  // Everything is delivered again in another order: repeated events change nothing.
  const all = (await eventsOf(account))
    .filter(({ event }) => event.data.object.payment_intent === scene.payment_intent)
    .map(({ id }) => id)
  await sim('POST', '/events/deliver', { account, order: last, parallel: true })
  await delivered(all, { order: last })
  await sim('POST', '/events', { hold: false, account })
  for (const refund of await ours(scene))
    if (refund.status === 'unknown') await resolve(scene, refund, await truthOf(scene, refund))
  for (const refund of await toCorrect(scene, await ours(scene)))
    await resolve(scene, refund, await truthOf(scene, refund))
}

async function agree(scene: Scene): Promise<void> {
  const [payment, refunds, there] = [
    await paymentOf(scene.shop, scene.order_id),
    await ours(scene),
    await theirs(scene),
  ]
  const charge = (await stripe(scene.account, `/charges?payment_intent=${scene.payment_intent}`)).data[0]
  const { refunded_amount, refund_pending_amount, refund_unknown_amount, error } = payment
  expect({ refunded_amount, refund_pending_amount, refund_unknown_amount, error }).toEqual({
    ...{ refunded_amount: charge.amount_refunded, refund_pending_amount: 0, refund_unknown_amount: 0, error: null },
  })
  expect(charge.amount_refunded).toBeLessThanOrEqual(captured)
  const standing = refunds.filter(({ status }) => status === 'succeeded')
  expect(standing.reduce((sum, one) => sum + one.amount, 0)).toBe(refunded_amount)
  expect(refunds.filter(({ status }) => !['succeeded', 'rejected', 'failed'].includes(status))).toEqual([])
  expect(refunds.filter(({ needs_attention }) => needs_attention)).toEqual([])
  // Each refund of the provider is one record of ours, under its own id or under ours.
  for (const one of there) {
    const recorded = refunds.filter(
      ({ id, provider_refund_id }) => provider_refund_id === one.id || id === one.metadata.refund,
    )
    expect(recorded.map(({ status, amount }) => [status, amount])).toEqual([
      [one.status === 'failed' ? 'rejected' : 'succeeded', one.amount],
    ])
  }
  const dispute = await disputeOf(scene)
  const [known] = (await scene.shop.asOperator('GET', `/orders/${scene.order_id}/disputes`)).body.items
  expect([known?.provider_status, known?.amount]).toEqual([dispute?.status, dispute?.amount])
  if (!dispute) return
  meet('a dispute')
  expect(known.closed_at !== null).toBe(disputeStatuses[dispute.status as keyof typeof disputeStatuses].closed)
}

let open: Lane[]
beforeAll(async () => {
  open = await Promise.all(Array.from({ length: lanes }, newLane))
}, 60_000)

test(`After ${runs} random sequences of refunds, disputes and events, our sums are the provider’s`, async () => {
  const since = performance.now()
  const lived = open.map((lane, at) =>
    fc.assert(
      fc.asyncProperty(script, async ({ commands, last }) => {
        const scene = await newScene(lane)
        for (const what of commands) {
          await perform(scene, what)
          await sound(scene)
        }
        await settleAll(scene, last)
        await agree(scene)
      }),
      {
        seed: seed + at,
        numRuns: Math.ceil(runs / lanes),
        examples: examples.filter((_, n) => n % lanes === at).map((one) => [one]),
      },
    ),
  )
  const ended = await Promise.allSettled(lived)
  if (process.env.REFUND_TOLD) tellCases(met, seed, since)
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  const rare = [
    ...[
      'refund: unknown',
      'refund: failed',
      'refund: processing',
      'refund at the provider',
      'a dispute',
      'the provider refused',
    ],
    ...['resolved', 'mistaken'].flatMap((how) => outcomes.map((outcome) => `${how} as ${outcome}`)),
    'corrected as rejected',
  ]
  mustHaveMet(rare, (name) => met[name] ?? 0, runs, 100)
}, 900_000)
