// After random sequences of what buyers, operators, the provider's dashboard, lost and late answers, lost and doubled
// events, and deletions do to an order by card, a booking with approval, a membership or a plan, our books are the
// provider's to the cent, and every difference is on the worklist, and nothing else.
// A failure prints its seed and the shortest prefix that fails. MONEY_SEED=random (or a number) picks another seed,
// MONEY_RUNS the number of sequences, MONEY_FROM the first one.
// 5,000 by hand, in a quarter of an hour (the lab is a stack of its own):
//   MONEY_RUNS=5000 MONEY_SEED=random TEST_STACK=none npm run test:one -- test/payments/payments.model.test.ts
// MONEY_TOLD=1 prints which cases occurred, MONEY_FAILURES the number of failures after which it stops (without looking
// for the shortest ones).
import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { processes } from '../../rules/processes.ts'
import { EVENTS_MAX_S } from '../../rules/subscriptions/subscriptions.ts'
import { random } from '../chaos/random.ts'
import { mustHaveMet, tellCases } from '../kit/cases.ts'
import { sim } from '../kit/orders/buying.ts'
import { database, http } from '../kit/shop.ts'
import { booksOf, disagreements, itemsOf, paymentsOf, subscriptionsAt } from './money-model/books.ts'
import {
  type Command,
  cases,
  correctAll,
  delivered,
  drawn,
  later,
  losable,
  passTime,
  play,
  resolveAll,
  undelivered,
} from './money-model/commands.ts'
import { checkOut, type Kind, newScene, newSeller, type Scene, type Seller } from './money-model/scenes.ts'
import { type MoneyLab, moneyLab } from './money-model/worker.ts'

const seed = process.env.MONEY_SEED === 'random' ? randomInt(2 ** 31) : Number(process.env.MONEY_SEED ?? 20261128)
const runs = Number(process.env.MONEY_RUNS ?? 40)
const from = Number(process.env.MONEY_FROM ?? 0)
const lanes = 6

jest.setTimeout(120_000 + runs * 5_000)

let lab: MoneyLab
beforeAll(async () => {
  lab = await moneyLab()
})
afterAll(() => lab.stop())

type Sequence = {
  n: number
  kind: Kind
  erases: boolean
  never: string | null
  resolves: boolean
  order: string
  commands: Command[]
}

function sequence(n: number): Sequence {
  const draw = random(seed, `sequence ${n}`)
  const kind = draw.weighted([
    [3, 'order' as const],
    [4, 'booking' as const],
    [2, 'membership' as const],
    [2, 'plan' as const],
  ])
  const erases = draw.chance(0.15)
  const never = draw.chance(0.15) ? draw.pick(losable[kind]) : null
  const resolves = draw.chance(0.7)
  const order = draw.pick(['', 'reverse', 'shuffle'])
  return { n, kind, erases, never, resolves, order, commands: drawn(draw, kind, erases) }
}

/** Whether the order is over before anything was taken that we know of: what is taken then has to go back. */
async function look(scene: Scene): Promise<void> {
  const [payment] = scene.order_id ? await paymentsOf(scene) : []
  if (!payment) return
  if (payment.order_status !== 'cancelled') scene.cancelledUnpaid = false
  else if (payment.captured === 0) scene.cancelledUnpaid = true
}

/**
 * Faults are over, all events arrive but for the lost ones, the worker does what is left, and people resolve what they
 * find.
 */
async function settle(scene: Scene, { resolves, order }: Sequence): Promise<void> {
  await sim('DELETE', `/faults?label=${scene.label}`)
  scene.slow = false
  let quiet = 0
  for (let round = 0; quiet < 2; round++) {
    if (round > 25) throw new Error(`it does not settle: ${JSON.stringify(await itemsOf(lab, scene))}`)
    let moved = false
    const held = await undelivered(scene)
    await delivered(
      held.map(({ id }) => id),
      order ? { order } : {},
    )
    await look(scene)
    moved ||= held.length > 0
    moved = (await lab.work(scene)) || moved
    await look(scene)
    for (const { refunds } of await booksOf(scene))
      for (const { id, status } of refunds)
        if (status === 'pending') {
          await sim('POST', `/refunds/${id}/settle`, { status: 'succeeded' })
          moved = true
        }
    if (resolves) {
      moved = (await resolveAll(lab, scene, false)) || moved
      moved = (await correctAll(lab, scene)) || moved
    }
    if (scene.stuck && resolves && quiet === 1 && !moved && scene.erasure && !scene.erased) {
      await lab.continueErasure(scene.erasure)
      moved = true
    }
    if (round === 1) await passTime(scene)
    if (moved || round < 2) {
      quiet = 0
      continue
    }
    quiet++
    if (quiet > 1) continue
    await later(scene, 700)
    await lab.reconcile()
  }
}

const sellers = new Map<string, Seller>()
async function sellerOf(lane: number, kind: Kind, isOwn: boolean): Promise<Seller> {
  if (isOwn || kind === 'plan') return newSeller(kind)
  const name = `${lane} ${kind}`
  const known = sellers.get(name) ?? (await newSeller(kind))
  sellers.set(name, known)
  return known
}

/** What disagrees after so many commands of a sequence. */
async function played(lane: number, one: Sequence, length: number): Promise<string[]> {
  const scene = await newScene(await sellerOf(lane, one.kind, one.erases), one.never)
  try {
    await checkOut(scene, one.n)
    for (const command of one.commands.slice(0, length)) {
      await play(lab, scene, command)
      await look(scene)
    }
    await settle(scene, one)
    return await disagreements(lab, scene)
  } catch (error) {
    return [`it threw: ${(error as Error).stack} ${String((error as Error).cause ?? '')}`]
  } finally {
    await sim('DELETE', `/faults?label=${scene.label}`)
  }
}

/** A scene of its own seller, whose buyer has come as far as the commands say. */
async function sceneAfter(kind: Kind, commands: readonly Command[]): Promise<Scene> {
  const scene = await newScene(await newSeller(kind), null)
  await checkOut(scene, 1)
  for (const command of commands) await play(lab, scene, command)
  return scene
}

type Kept = {
  items: { id: string }[]
  rows: { table: string; id: string; status: string; amount: number; provider_payment_id: string | null }[]
}
const erasureOf = async ({
  erasure,
}: Scene): Promise<{ status: string; needs_attention: boolean; open: Kept | null }> =>
  (await database().query('select status, needs_attention, open from erasures where id = $1', [erasure])).rows[0]
const continueIt = ({ erasure, shop }: Scene) =>
  http('POST', `/v1/erasures/${erasure}/continue`, { headers: shop.op.headers, body: { note: 'It has to go.' } })
const change = ({ erasure }: Scene, to: string) =>
  database().query(`update erasures set ${to} where id = $1`, [erasure])

/** Beginnings of the names of cases that every run meets often. */
const usual = [
  'refund: done',
  'dashboard refund',
  'dashboard: ',
  'booking: CONFIRMED',
  'advance: ',
  'resolve refund',
  'fault of a refund',
  'event: invoice.paid',
  'event: refund.created',
]

const report = (one: Sequence, length: number, faults: readonly string[]): string =>
  [
    `MONEY_SEED=${seed} MONEY_FROM=${one.n} MONEY_RUNS=1`,
    JSON.stringify({ ...one, commands: undefined }),
    ...one.commands.slice(0, length).map((command) => `  ${JSON.stringify(command)}`),
    ...faults,
  ].join('\n')

/** The shortest prefix that fails; timing may let none fail again. */
async function shortest(lane: number, one: Sequence, first: readonly string[]): Promise<string> {
  for (let length = 0; length <= one.commands.length; length++) {
    const faults = await played(lane, one, length)
    if (faults.length > 0) return report(one, length, faults)
  }
  return `${report(one, one.commands.length, first)}\nNo prefix failed again.`
}

/** What the model has found, as the sequences that showed it. */
const step = (what: string, more: Partial<Command> = {}): Command => ({
  do: what,
  what: '',
  n: 0,
  share: 1,
  meets: null,
  ...more,
})
const authorised = [step('work'), step('pay', { what: 'succeeded' }), step('deliver', { what: 'all' })]
const found: Record<string, Partial<Sequence> & Pick<Sequence, 'kind' | 'commands'>> = {
  'A plan that was paid before its business is deleted, and reported after that, is refunded': {
    kind: 'plan',
    erases: true,
    commands: [step('work'), step('pay', { what: 'succeeded' }), step('erase'), step('work')],
  },
  'A booking whose form was completed and whose authorisation is never reported is listed': {
    kind: 'booking',
    never: 'payment_intent.amount_capturable_updated',
    commands: authorised,
  },
  'A refund of a part of a cancelled booking leaves the list when its outcome is recorded': {
    kind: 'booking',
    commands: [
      ...authorised,
      ...[
        step('decide', { what: 'CONFIRMED' }),
        step('work'),
        step('deliver', { what: 'all' }),
        step('decide', { what: 'CANCELLED' }),
      ],
      ...[step('refund', { share: 0.5, meets: 'lost after' }), step('work'), step('resolve', { what: 'right' })],
    ],
  },
}

test.each(Object.keys(found))('%s', async (name) => {
  const one: Sequence = {
    n: 1,
    erases: false,
    never: null,
    resolves: true,
    order: '',
    ...(found[name] as (typeof found)[string]),
  }
  expect(await played(0, one, one.commands.length)).toEqual([])
})

const work = step('work')
const paid = [work, step('pay', { what: 'succeeded' }), step('deliver', { what: 'all' }), work]
const erases = step('erase')

describe('A deletion', () => {
  /** What is sent, and its answer is lost, after the deletion has begun. */
  const lost: Record<string, [Kind, Command[], string]> = {
    refund: ['order', [...paid, step('refund', { meets: 'lost after' }), erases, work], 'refunds'],
    capture: [
      'booking',
      [...authorised, step('decide', { what: 'CONFIRMED', meets: 'lost after' }), erases, work],
      'authorization_ends',
    ],
  }
  test.each(Object.keys(lost))(
    'A deletion waits for an unknown %s until a person records its outcome',
    async (name) => {
      const [kind, commands, table] = lost[name] as (typeof lost)[string]
      const scene = await sceneAfter(kind, commands)
      expect(await erasureOf(scene)).toEqual({ status: 'settling', needs_attention: true, open: null })
      const { rows } = await database().query(`select status from ${table} where tenant_id = $1`, [scene.shop.store_id])
      expect(rows).toEqual([{ status: 'unknown' }])
      await play(lab, scene, step('resolve', { what: 'right' }))
      await settle(scene, { resolves: true, order: '' } as Sequence)
      expect([scene.erased, (await erasureOf(scene)).open]).toEqual([true, null])
    },
  )

  /** What has to end at the provider, and whether it has. */
  const endings: Record<string, [Kind, Command[], (scene: Scene) => Promise<boolean>]> = {
    'a form': [
      'order',
      [work],
      async ({ account }) =>
        (await sim('GET', `/ledger/pages?account=${account}`)).every(
          ({ status }: { status: string }) => status === 'expired',
        ),
    ],
    'an authorisation': [
      'booking',
      authorised,
      async (scene) => (await booksOf(scene)).every(({ status }) => status === 'canceled'),
    ],
    'a membership': [
      'membership',
      paid,
      async (scene) => (await subscriptionsAt(scene)).every(({ status }) => status === 'canceled'),
    ],
    'a plan': [
      'plan',
      paid,
      async (scene) => (await subscriptionsAt(scene)).every(({ status }) => status === 'canceled'),
    ],
  }
  test.each(Object.keys(endings))(
    'A deletion that is continued, or already deletes, ends %s at the provider',
    async (name) => {
      const [kind, commands, hasEnded] = endings[name] as (typeof endings)[string]
      for (const to of ["status = 'deleting'", 'needs_attention = true']) {
        const scene = await sceneAfter(kind, [...commands, erases])
        expect([(await continueIt(scene)).body.code, await hasEnded(scene)]).toEqual(['erasure_goes_on', false])
        await change(scene, to)
        if (to.startsWith('needs')) expect((await continueIt(scene)).status).toBe(200)
        await settle(scene, { resolves: false, order: '' } as Sequence)
        expect([to, scene.erased, await hasEnded(scene), (await erasureOf(scene)).open]).toEqual([to, true, true, null])
      }
    },
  )

  test('A deletion waits for money that is due until it is continued, and keeps its amount and ids', async () => {
    const scene = await sceneAfter('order', [...paid, erases])
    await database().query(`update payments set error = '{"code": "refund_due"}' where tenant_id = $1`, [
      scene.shop.store_id,
    ])
    await change(scene, "status = 'deleting'")
    for (let n = 0; n < 2; n++) await lab.work(scene)
    const [payment] = await paymentsOf(scene)
    expect([payment?.error?.code, await erasureOf(scene)]).toEqual([
      'refund_due',
      { status: 'settling', needs_attention: true, open: null },
    ])
    await continueIt(scene)
    // The workflow may be looking at this moment: it is signalled to look again.
    const starts = await database().query(
      "select again from outbox where kind = 'erasure' and row_id = $1 order by id desc limit 1",
      [scene.erasure],
    )
    expect([starts.rows, processes.erasure]).toEqual([[{ again: true }], { queue: 'default', signalled: 'again' }])
    await lab.work(scene)
    const { intent, captured, id } = payment as NonNullable<typeof payment>
    expect((await erasureOf(scene)).open?.rows).toMatchObject([
      { table: 'payments', id, status: 'refund_due', amount: captured, provider_payment_id: intent },
    ])
  })

  test('A renewal recorded during a deletion is refunded, also where clocks of processes differ', async () => {
    const clock = (by: number) => (scene: Scene) =>
      database().query('update payments set paid_at = paid_at + $2 where tenant_id = $1', [scene.shop.store_id, by])
    const before = await sceneAfter('membership', [
      work,
      step('pay', { what: 'succeeded' }),
      step('deliver', { what: 'all' }),
    ])
    await clock(60)(before)
    await play(lab, before, erases)
    const during = await sceneAfter('membership', [
      work,
      step('pay', { what: 'succeeded' }),
      erases,
      step('deliver', { what: 'all' }),
    ])
    await clock(-60)(during)
    for (const [scene, isBack] of [
      [before, false],
      [during, true],
    ] as const) {
      await settle(scene, { resolves: true, order: '' } as Sequence)
      const books = (await booksOf(scene)).filter(({ taken }) => taken > 0)
      expect([scene.erased, books.map(({ taken, given }) => given === taken)]).toEqual([true, [isBack]])
    }
  })

  test.each(['membership', 'plan'] as const)(
    'A renewal of a %s that is reported after its business is deleted is refunded',
    async (kind) => {
      const scene = await sceneAfter(kind, [...paid, step('advance', { what: 'renew' }), erases])
      for (let n = 0; n < 5 && !scene.erased; n++) await lab.work(scene)
      const books = async () =>
        (await booksOf(scene)).filter(({ taken }) => taken > 0).map(({ taken, given }) => given === taken)
      expect([scene.erased, await books()]).toEqual([true, [false, true]])
      await settle(scene, { resolves: true, order: '' } as Sequence)
      expect([await books(), await disagreements(lab, scene)]).toEqual([[false, true], []])
    },
  )

  test.each([
    ['more than three days', 'kept', 3600],
    ['less than three days', 'refunded', -3600],
  ])('A renewal paid %s before a deletion, of which no event came, is %s', async (_, ends, more) => {
    const scene = await sceneAfter('membership', [...paid, step('advance', { what: 'renew' }), erases])
    const [subscription] = await subscriptionsAt(scene)
    const invoices = (subscription?.invoices ?? []) as unknown as { status_transitions: { paid_at: number } }[]
    const data = invoices.map(({ status_transitions: { paid_at, ...others }, ...invoice }) => ({
      ...invoice,
      status_transitions: { ...others, paid_at: paid_at - EVENTS_MAX_S - more },
    }))
    const body = JSON.stringify({ object: 'list', url: '/v1/invoices', has_more: false, data })
    const list = { method: 'GET', path: '/v1/*invoices', account: scene.account, label: scene.label, times: 20 }
    const headers = { 'content-type': 'application/json' }
    await sim('POST', '/faults', { ...list, fault: 'answer', status: 200, headers, body })
    for (let n = 0; n < 5 && !scene.erased; n++) await lab.work(scene)
    const books = (await booksOf(scene)).filter(({ taken }) => taken > 0).map(({ taken, given }) => given === taken)
    expect([scene.erased, data.length, books]).toEqual([true, 2, [false, ends === 'refunded']])
  })

  /** The index of the closing of a form among the targets of faults. */
  const closing: Partial<Record<Kind, number>> = { order: 1, membership: 2, plan: 1 }
  test.each(Object.keys(closing) as Kind[])(
    'What is paid for the open form of a %s during a deletion is refunded, or in its row',
    async (kind) => {
      for (const reported of [true, false]) {
        const scene = await sceneAfter(kind, [
          work,
          step('fault', { what: 'refused', n: closing[kind] ?? 0 }),
          erases,
          work,
        ])
        const pages: { id: string; status: string; metadata: Record<string, string> }[] = await sim(
          'GET',
          `/ledger/pages?account=${scene.account}`,
        )
        const owners = [scene.order_id, ...(await scene.subscriptions())]
        const page = pages.find(({ metadata: { order_id, subscription } }) =>
          owners.includes(order_id ?? subscription ?? ''),
        )
        expect([page?.status, (await erasureOf(scene)).status]).toEqual(['open', 'settling'])
        await play(lab, scene, step('pay', { what: 'succeeded' }))
        if (reported) {
          await settle(scene, { resolves: true, order: '' } as Sequence)
          const books = (await booksOf(scene)).filter(({ taken }) => taken > 0)
          expect([scene.erased, books.length, books.map(({ taken, given }) => taken - given)]).toEqual([true, 1, [0]])
        } else {
          await lab.work(scene)
          await later(scene, 4_000)
          await database().query('update payments set updated_at = updated_at - 4000 where tenant_id = $1', [
            scene.shop.store_id,
          ])
          await lab.work(scene)
          // What a subscription was charged is read after its end.
          if (kind === 'order') await lab.continueErasure(scene.erasure as string)
          await lab.work(scene)
          const { open } = await erasureOf(scene)
          const kept = (await booksOf(scene)).filter(({ taken, given }) => taken > given)
          const inRow = expect.stringContaining(page?.id ?? 'none')
          expect([scene.erased, kept.length, JSON.stringify(open)]).toEqual([
            true,
            ...(kind === 'order' ? [1, inRow] : [0, 'null']),
          ])
        }
      }
    },
  )
})

test(`After ${runs} random sequences our books are the provider’s, and every difference is listed`, async () => {
  const since = performance.now()
  let next = from
  const failed: string[] = []
  const mostFailed = Number(process.env.MONEY_FAILURES ?? 1)
  const lived = Array.from({ length: lanes }, async (_, lane) => {
    while (next < from + runs && failed.length < mostFailed) {
      const one = sequence(next++)
      const faults = await played(lane, one, one.commands.length)
      if (faults.length > 0)
        failed.push(mostFailed > 1 ? report(one, one.commands.length, faults) : await shortest(lane, one, faults))
    }
  })
  await Promise.all(lived)
  if (process.env.MONEY_TOLD) tellCases(cases(), seed, since)
  if (failed.length > 0) throw new Error(failed.join('\n\n'))
  const met = Object.keys(cases())
  mustHaveMet(usual, (name) => met.filter((one) => one.startsWith(name)).length, runs, 100)
})
