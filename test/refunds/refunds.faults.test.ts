// After any failure between the worker and the provider, a refund happened at most once, and its record states only
// what is proved.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import type { Process } from '../../dev/parts.ts'
import { newId } from '../../entities/kit/ids.ts'
import { until } from '../kit/codes.ts'
import { fault, type LedgerEntry, ledgerOf } from '../kit/effects/provider.ts'
import {
  card,
  cardShop,
  connected,
  eventsOf,
  hasStatus,
  outcomeOf,
  paidOrder,
  paidTooLate,
  paymentOf,
  order as placed,
  refundsOf,
  type Sold,
  sendEvent,
  sim,
  update,
} from '../kit/orders/buying.ts'
import { type Answer, database, newShop, operator, type Shop } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(120_000)

const short = { SEND_LIMIT_MS: '1500', RECONCILE_EVERY_MS: '1000' }
let lab: Lab
let shop: Shop
let account: string
let tea: Sold
let order: string
let payment_intent: string
let worker: Process
let connection: Connection
let temporal: Client

beforeAll(async () => {
  lab = await startLab('refunds', { ANSWER_WAIT_MS: '4000' }, { queues: ['money', 'mail'] })
  await lab.stack.startApi({ ANSWER_WAIT_MS: '4000' })
  worker = await lab.startWorker(short)
  connection = await Connection.connect({ address: lab.stack.env.TEMPORAL_ADDRESS as string })
  temporal = new Client({ connection })
  ;({ shop, account, tea } = await cardShop({ amount: 1_000_000 }))
  const paid = await paidOrder(shop, [tea.item(1)])
  ;({ order_id: order, payment_intent } = paid)
})

afterAll(async () => {
  await connection.close()
  await database().end()
  await lab.stop()
})

type Asked = { refund_id: string; answer: Promise<Answer> }
let cents = 100
/** Requests a refund of a unique amount, without waiting for the answer. */
function ask(orderId = order, amount = ++cents): Asked {
  const refund_id = newId()
  const answer = shop.asOperator('POST', `/orders/${orderId}/refunds`, { refund_id, amount })
  answer.catch(() => {})
  return { refund_id, answer }
}
const refund = async (orderId = order, amount?: number) => (await ask(orderId, amount).answer).body
const read = async (refund_id: string, orderId = order) =>
  (await shop.asOperator('GET', `/orders/${orderId}/refunds/${refund_id}`)).body
const becomes = (refund_id: string, status: string, withinMs = 20_000) =>
  until(async () => {
    const found = await read(refund_id)
    return found.status === status && found
  }, withinMs)

/** A refund whose request meets this fault. */
async function refundMeeting(given: Record<string, unknown>) {
  const refund_id = newId()
  await fault({ body_match: refund_id, ...given })
  const { body } = await shop.asOperator('POST', `/orders/${order}/refunds`, { refund_id, amount: ++cents })
  return body
}
/** The row's id, as soon as the row exists. */
const idOf = (refund_id: string): Promise<string> => until(async () => (await read(refund_id)).id)
const effects = async (id: string) => (await ledgerOf(id)).filter(({ effect }) => effect).length

const hold = (on: boolean) => sim('POST', '/events', { hold: on, account })

describe('Unknown outcomes', () => {
  const told: string[] = []
  const cases: [name: string, fault: Record<string, unknown>, happened: number][] = [
    ['reset after the request was read', { fault: 'reset_after_read' }, 0],
    ['reset after it was carried out', { fault: 'reset_after_read', after_effect: true }, 1],
    ['no answer', { fault: 'hang' }, 0],
    ['no answer after it was carried out', { fault: 'hang', after_effect: true }, 1],
    ['500', { fault: 'status', status: 500 }, 0],
    ['500 after it was carried out', { fault: 'status', status: 500, after_effect: true }, 1],
    ['503', { fault: 'status', status: 503 }, 0],
    [
      'the key is in use',
      { fault: 'status', status: 409, type: 'idempotency_error', code: 'idempotency_key_in_use' },
      0,
    ],
  ]
  const asked = new Map<string, ReturnType<typeof refundMeeting>>()
  beforeAll(async () => {
    // A signed event before the deadline would be a proof: none is delivered here.
    await hold(true)
    // In parallel, because each waits for its deadline.
    for (const [name, given] of cases) asked.set(name, refundMeeting(given))
    await Promise.all(asked.values())
  })
  afterAll(() => hold(false))

  test.each(cases)('A refund that meets %s is unknown and is not sent again', async (name, _, happened) => {
    const { id, refund_id } = await asked.get(name)
    const { status, error } = await becomes(refund_id, 'unknown')
    expect({ status, error }).toEqual({
      status: 'unknown',
      error: expect.objectContaining({ message: expect.any(String) }),
    })
    expect(await ledgerOf(id)).toEqual([expect.objectContaining({ times: 1, effect: happened === 1 })])
    if (happened) told.push(refund_id)
  })

  test('The signed event of an unknown refund is recorded as late evidence for the operator', async () => {
    expect(told).toHaveLength(3)
    await hold(false)
    for (const refund_id of told) await until(async () => (await read(refund_id)).late_evidence?.event)
    for (const refund_id of told)
      expect(await read(refund_id)).toMatchObject({ status: 'unknown', late_evidence: { status: 'succeeded' } })
  })
})

test('A signed event before the deadline settles a refund whose answer was lost', async () => {
  const made = await refundMeeting({ fault: 'hang', after_effect: true })
  expect(made).toMatchObject({ status: 'succeeded', evidence: { event: expect.any(String) } })
})

test.each([
  ['400', { status: 400 }],
  ['402', { status: 402, code: 'charge_already_refunded' }],
  ['429', { status: 429 }],
  ['404', { status: 404 }],
])('A refund answered with %s is rejected and frees its amount', async (_, given) => {
  const before = (await paymentOf(shop, order)).refund_pending_amount
  const { id, status, error } = await refundMeeting({ fault: 'status', ...given })
  expect({ status, provider_status: error.provider_status }).toEqual({
    status: 'rejected',
    provider_status: given.status,
  })
  expect(await effects(id)).toBe(0)
  expect((await paymentOf(shop, order)).refund_pending_amount).toBe(before)
})

test('A refund whose 200 body breaks off is processing, and the signed event settles it', async () => {
  await hold(true)
  const { id, refund_id, status, answered_at } = await refundMeeting({ fault: 'break_body' })
  expect({ status, answered_at }).toEqual({ status: 'processing', answered_at: expect.any(Number) })
  expect(await effects(id)).toBe(1)
  await hold(false)
  expect(await becomes(refund_id, 'succeeded')).toMatchObject({ provider_refund_id: expect.stringMatching(/^re_/) })
})

describe('Pending refunds', () => {
  const pending = async (orderId: string, amount: number) => {
    await sim('POST', '/next_refund', { status: 'pending', account })
    return refund(orderId, amount)
  }

  test('A refund that is pending at the provider is processing until the signed success', async () => {
    const paid = await paidOrder(shop, [tea.item(1)])
    const made = await pending(paid.order_id, 700)
    expect(made).toMatchObject({ status: 'processing', answered_at: expect.any(Number), settled_at: null })
    expect(await paymentOf(shop, paid.order_id)).toMatchObject({ refund_pending_amount: 700, refunded_amount: 0 })
    await sim('POST', `/refunds/${made.provider_refund_id}/settle`, { status: 'succeeded' })
    await until(async () => (await read(made.refund_id, paid.order_id)).status === 'succeeded')
    expect(await paymentOf(shop, paid.order_id)).toMatchObject({ refund_pending_amount: 0, refunded_amount: 700 })
  })

  test('A refund that stays pending without its event is read at the provider after an hour', async () => {
    for (const [status, outcome] of [
      ['succeeded', 'succeeded'],
      ['failed', 'rejected'],
    ]) {
      const paid = await paidOrder(shop, [tea.item(1)])
      const made = await pending(paid.order_id, 700)
      await hold(true)
      await sim('POST', `/refunds/${made.provider_refund_id}/settle`, { status })
      const earlier = "answered_at = answered_at - interval '2 hours'"
      await database().query(`update refunds set ${earlier} where id = $1`, [made.id])
      const read_at = expect.any(Number)
      const settled = await until(async () => {
        const found = await read(made.refund_id, paid.order_id)
        return found.status === outcome && found
      })
      expect(settled).toMatchObject({ evidence: { status, read_at } })
      expect(await effects(made.id)).toBe(1)
      await hold(false)
      await until(async () => (await eventsOf(account)).every(({ state }) => state === 'delivered'))
      expect((await read(made.refund_id, paid.order_id)).status).toBe(outcome)
    }
  })

  test('A refund that is pending and fails by its event is rejected and frees its amount', async () => {
    const paid = await paidOrder(shop, [tea.item(1)])
    const made = await pending(paid.order_id, 1_000_000)
    expect((await refund(paid.order_id, 1)).code).toBe('amount_exceeds_refundable')
    await sim('POST', `/refunds/${made.provider_refund_id}/settle`, { status: 'failed' })
    await until(async () => (await read(made.refund_id, paid.order_id)).status === 'rejected')
    expect(await paymentOf(shop, paid.order_id)).toMatchObject({ refund_pending_amount: 0, refunded_amount: 0 })
    expect(await refund(paid.order_id, 1_000_000)).toMatchObject({ status: 'succeeded' })
  })

  test('Events of another account, another amount or a bad signature do not settle a refund', async () => {
    const made = await pending(order, ++cents)
    const object = {
      id: made.provider_refund_id,
      object: 'refund',
      amount: made.amount,
      currency: 'usd',
      status: 'succeeded',
      payment_intent,
      metadata: { tenant_id: shop.store_id, refund: made.id, refund_id: made.refund_id },
    }
    const stranger = await newShop()
    const event = (more: Record<string, unknown>, of = account) => ({
      id: `evt_${newId()}`,
      type: 'refund.updated',
      account: of,
      data: { object: { ...object, ...more } },
    })
    const foreign = event({}, await connected(stranger))
    const larger = event({ amount: made.amount + 1 })
    const euros = event({ currency: 'eur' })
    for (const one of [foreign, larger, euros]) {
      expect((await sendEvent(one)).status).toBe(200)
      expect(await outcomeOf(one.id)).toMatch(/^(ignored|waits)/)
    }
    expect((await sendEvent(event({}), { secret: 'whsec_guessed' })).status).toBe(400)
    expect(await read(made.refund_id)).toMatchObject({ status: 'processing', settled_at: null })
    expect((await sendEvent(event({}))).status).toBe(200)
    expect(await read(made.refund_id)).toMatchObject({ status: 'succeeded' })
  })
})

test('Twenty concurrent requests with one refund_id return one record and send one request', async () => {
  const body = { refund_id: newId(), amount: ++cents }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => shop.asOperator('POST', `/orders/${order}/refunds`, body)),
  )
  expect(new Set(answers.map((one) => one.body.id)).size).toBe(1)
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.every((one) => one.body.status === 'succeeded')).toBe(true)
  expect(await ledgerOf(answers[0]?.body.id)).toEqual([expect.objectContaining({ times: 1, effect: true })])
})

test('A refund_id with another amount returns 409, whatever the outcome of the first', async () => {
  const { refund_id, amount } = await refundMeeting({ fault: 'status', status: 402 })
  const conflict = await shop.asOperator('POST', `/orders/${order}/refunds`, { refund_id, amount: amount + 1 })
  expect([conflict.status, conflict.body.code]).toEqual([409, 'idempotency_conflict'])
  const again = await shop.asOperator('POST', `/orders/${order}/refunds`, { refund_id, amount })
  expect([again.status, again.body.status]).toEqual([200, 'rejected'])
})

test('An unknown refund is a failed workflow that its search attributes find', async () => {
  const { id } = await refundMeeting({ fault: 'status', status: 500 })
  const query = `ExecutionStatus = 'Failed' and Kind = 'refund' and EffectStatus = 'unknown' and TenantId = '${shop.store_id}' and WorkflowId = 'refund/${id}'`
  await until(async () => {
    for await (const { type } of temporal.workflow.list({ query })) return type === 'refund'
    return false
  })
  const closed = temporal.workflow.getHandle(`refund/${id}`).result()
  await expect(closed).rejects.toMatchObject({ cause: { type: 'OutcomeUnknown' } })
})

test('An unknown refund keeps its amount until an owner of the store resolves it', async () => {
  const paid = await paidOrder(shop, [tea.item(1)])
  const refund_id = newId()
  await fault({ body_match: refund_id, fault: 'hang' })
  await shop.asOperator('POST', `/orders/${paid.order_id}/refunds`, { refund_id, amount: 1_000_000 })
  await until(async () => (await paymentOf(shop, paid.order_id)).refund_unknown_amount === 1_000_000)
  expect((await refund(paid.order_id, 1)).code).toBe('amount_exceeds_refundable')
  const resolve = (outcome: string, who = shop.op, replaces?: string) =>
    shop.as(who, 'POST', `/orders/${paid.order_id}/refunds/${refund_id}/resolve`, {
      ...{ outcome, note: 'Looked it up.', replaces },
    })
  const admin = await operator()
  await shop.asOperator('POST', '/members', { email: admin.email, role: 'admin' })
  expect((await resolve('rejected', admin)).status).toBe(403)
  expect((await resolve('rejected')).body).toMatchObject({
    status: 'rejected',
    resolution: { note: 'Looked it up.', account_id: shop.op.account_id },
  })
  expect((await resolve('rejected')).status).toBe(200)
  // A correction keeps what it replaces.
  expect((await resolve('succeeded', shop.op, 'rejected')).body).toMatchObject({
    status: 'succeeded',
    resolution: { outcome: 'succeeded', before: { outcome: 'rejected' } },
  })
  expect(await paymentOf(shop, paid.order_id)).toMatchObject({ refund_unknown_amount: 0, refunded_amount: 1_000_000 })
  expect((await resolve('rejected', shop.op, 'succeeded')).body).toMatchObject({
    status: 'rejected',
    resolution: { before: { before: { outcome: 'rejected' } } },
  })
  expect(await paymentOf(shop, paid.order_id)).toMatchObject({ refund_unknown_amount: 0, refunded_amount: 0 })
  expect(await refund(paid.order_id, 1)).toMatchObject({ status: 'succeeded' })
})

describe('An unreachable provider', () => {
  test('A refund is retried while the provider is unreachable, and succeeds when it is back', async () => {
    await sim('POST', '/listen', { up: false, for_ms: 1_500 })
    const { refund_id, answer } = ask()
    expect([201, 200]).toContain((await answer).status)
    const { id } = await becomes(refund_id, 'succeeded')
    expect(await ledgerOf(id)).toEqual([expect.objectContaining({ times: 1, effect: true })])
  })

  let late: string
  test('A refund fails without a call and frees its amount when the provider stays unreachable', async () => {
    const before = (await paymentOf(shop, order)).refund_pending_amount
    const placed = await paidTooLate(shop, account, [tea.item(1)], () => sim('POST', '/listen', { up: false }))
    late = placed.order_id
    const { refund_id, answer } = ask()
    expect((await answer).body.status).toMatch(/requested|processing/)
    const { id } = await becomes(refund_id, 'failed', 40_000)
    await until(async () => (await paymentOf(shop, late)).error, 20_000)
    await sim('POST', '/listen', { up: true })
    expect(await ledgerOf(id)).toEqual([])
    expect((await paymentOf(shop, order)).refund_pending_amount).toBe(before)
  })

  test('A late payment’s refund is due while the provider is unreachable and succeeds afterwards', async () => {
    expect((await paymentOf(shop, late)).error).toMatchObject({ code: 'refund_due' })
    const read = async () =>
      (await shop.asOperator('GET', `/refunds?needs_attention=true`)).body.items.find(
        (one: { order_id: string }) => one.order_id === late,
      )
    expect(await read()).toMatchObject({
      origin: 'system',
      status: 'requested',
      attempt: 5,
      error: { code: 'not_sent' },
    })
    await until(async () => (await paymentOf(shop, late)).refunded_amount === 1_000_000, 40_000)
    expect((await paymentOf(shop, late)).error).toBeNull()
    expect(await read()).toBeUndefined()
  })
})

test('A refund that fails at the bank while its workflow ends is on the worklist', async () => {
  lab.failAt('after_stamp', 'refunds', 'hold')
  const { order_id } = await paidTooLate(shop, account, [tea.item(1)])
  await lab.failed('after_stamp', 'refunds')
  // Not the event but the answer settles it, and the attempt is held with what it read.
  await hold(true)
  lab.failAt('after_settle', 'refunds', 'hold')
  lab.release([['after_stamp', 'refunds']])
  await lab.failed('after_settle', 'refunds')
  const [{ id, provider_refund_id }] = await refundsOf(shop, order_id)
  await sim('POST', `/refunds/${provider_refund_id}/settle`, { status: 'failed' })
  await hold(false)
  await until(async () => (await paymentOf(shop, order_id)).error?.code === 'refund_due')
  await until(async () => (await database().query('select 1 from outbox where row_id = $1', [id])).rowCount === 0)
  lab.release([['after_settle', 'refunds']])
  await expect(temporal.workflow.getHandle(`refund/${id}`).result()).rejects.toMatchObject({
    cause: { type: 'RefundDue' },
  })
})

type Stalled = { claimed: string; stamped: string; sent: string }
/**
 * Three refunds of one worker: one is claimed, one is stamped, one has its answer. At these points the worker is killed
 * or paused.
 */
async function stalled(waitMs: number): Promise<Stalled> {
  const at = async (step: string) => {
    lab.failAt(step, 'refunds', `wait:${waitMs}`)
    const { refund_id } = ask()
    await lab.failed(step, 'refunds')
    return refund_id
  }
  return { claimed: await at('after_claim'), stamped: await at('after_stamp'), sent: await at('after_send') }
}

describe('Killed and paused workers', () => {
  let killed: Stalled
  let paused: Stalled

  beforeAll(async () => {
    await hold(true)
    killed = await stalled(60_000)
    worker.kill('SIGKILL')
    worker = await lab.startWorker(short)
  })

  test('A refund whose worker is killed before sent_at is sent by another worker', async () => {
    const { id } = await becomes(killed.claimed, 'succeeded', 60_000)
    expect(await ledgerOf(id)).toEqual([expect.objectContaining({ times: 1, effect: true })])
  })

  test('A refund whose worker is killed after sent_at is unknown after its deadline', async () => {
    const { id } = await becomes(killed.stamped, 'unknown', 60_000)
    expect(await ledgerOf(id)).toEqual([])
    const { rows } = await database().query('select settled_at >= deadline_at as waited from refunds where id = $1', [
      id,
    ])
    expect(rows).toEqual([{ waited: true }])
  })

  test('A refund whose worker is killed before it records the answer is unknown', async () => {
    expect(await effects((await becomes(killed.sent, 'unknown', 60_000)).id)).toBe(1)
  })

  test('A worker that resumes after its refunds are settled sends nothing and adds late evidence', async () => {
    // After those of the killed worker have ended: this one would take them over, too.
    paused = await stalled(3_000)
    const sleeper = worker
    sleeper.kill('SIGSTOP')
    worker = await lab.startWorker(short)
    const claimed = await becomes(paused.claimed, 'succeeded', 90_000)
    const stamped = await becomes(paused.stamped, 'unknown')
    const sent = await becomes(paused.sent, 'unknown')
    expect(sent.late_evidence).toBeNull()
    sleeper.kill('SIGCONT')
    const { late_evidence } = await until(async () => {
      const now = await read(paused.sent)
      return now.late_evidence && now
    })
    expect(late_evidence).toMatchObject({ status: 'succeeded', provider_refund_id: expect.stringMatching(/^re_/) })
    await sleeper.stop()
    expect(await read(paused.claimed)).toMatchObject({ status: 'succeeded' })
    expect(await read(paused.stamped)).toMatchObject({ status: 'unknown' })
    expect((await ledgerOf(claimed.id)).map(({ times }) => times)).toEqual([1])
    expect(await ledgerOf(stamped.id)).toEqual([])
    expect((await ledgerOf(sent.id)).map(({ times }) => times)).toEqual([1])
  })

  test('Signed events that arrive late do not change settled refunds', async () => {
    await hold(false)
    await until(async () => (await eventsOf(account)).every(({ state }) => state === 'delivered'))
    for (const refund_id of [killed.sent, paused.sent])
      expect(await read(refund_id)).toMatchObject({ status: 'unknown', late_evidence: { status: 'succeeded' } })
    expect(await read(killed.stamped)).toMatchObject({ status: 'unknown', late_evidence: null })
  })

  test('A refund whose worker is killed after sending is settled by the signed event', async () => {
    lab.failAt('after_send', 'refunds', 'kill')
    const { refund_id } = ask()
    await worker.child.ended
    worker = await lab.startWorker(short)
    expect(await becomes(refund_id, 'succeeded')).toMatchObject({ evidence: { event: expect.any(String) } })
  })
})

test('A refund whose workflow is terminated before its claim is sent after reconciliation', async () => {
  await worker.stop()
  const { refund_id } = ask()
  const id = await idOf(refund_id)
  await until(() =>
    temporal.workflow
      .getHandle(`refund/${id}`)
      .describe()
      .catch(() => false),
  )
  await temporal.workflow.getHandle(`refund/${id}`).terminate('a test')
  worker = await lab.startWorker(short)
  await becomes(refund_id, 'succeeded')
  expect(await ledgerOf(id)).toEqual([expect.objectContaining({ times: 1, effect: true })])
})

test('Refunds continue after the Temporal server is replaced by an empty one', async () => {
  const open = (await placed(shop, [tea.item(1)], card)).order_id
  await worker.stop()
  const { refund_id } = ask()
  const id = await idOf(refund_id)
  const cancelled = update(shop, open, { cancel: true }).catch(() => {})
  await until(
    async () =>
      (await database().query('select cancel_requested from orders where id = $1', [open])).rows[0]?.cancel_requested,
  )
  const before = await refundsAtProvider()
  await lab.stack.temporal.replaceByEmpty()
  // From here on with the limits of production.
  worker = await lab.startWorker({ RECONCILE_EVERY_MS: '1000' })
  await becomes(refund_id, 'succeeded')
  await cancelled
  await hasStatus(shop, open, 'cancelled')
  expect((await refundsAtProvider()).length - before.length).toBe(1)
  expect(await ledgerOf(id)).toEqual([expect.objectContaining({ times: 1, effect: true })])
})

const refundsAtProvider = (): Promise<(LedgerEntry & { key: string })[]> => sim('GET', '/ledger?path=/v1/refunds')

/** A refund in mid-send: the provider has carried it out, and delays its answer. */
async function sending(delay_ms: number): Promise<{ refund_id: string; id: string }> {
  const refund_id = newId()
  await fault({ fault: 'delay', delay_ms, body_match: refund_id })
  void shop.asOperator('POST', `/orders/${order}/refunds`, { refund_id, amount: ++cents }).catch(() => {})
  const id = await until(async () => {
    const entry = (await refundsAtProvider()).find(({ metadata }) => metadata.refund_id === refund_id)
    return entry?.key
  })
  return { refund_id, id }
}

/** The record has the provider's answer, without an event and without a second call. */
async function keptTheAnswer({ refund_id, id }: { refund_id: string; id: string }): Promise<void> {
  expect(await becomes(refund_id, 'succeeded', 40_000)).toMatchObject({
    evidence: { status: 'succeeded' },
    late_evidence: null,
  })
  expect(await ledgerOf(id)).toEqual([expect.objectContaining({ times: 1, effect: true })])
}

describe('Answers that are kept', () => {
  beforeAll(() => hold(true))
  afterAll(() => hold(false))

  test('A refund’s answer is recorded when Temporal restarts or its workflow is reset in mid-send', async () => {
    const [restarted, reset] = await Promise.all([sending(5_000), sending(5_000)])
    const workflowExecution = { workflowId: `refund/${reset.id}` }
    const request = {
      namespace: 'default',
      workflowExecution,
      reason: 'a test',
      workflowTaskFinishEventId: 4 as never,
      requestId: newId(),
    }
    await temporal.workflowService.resetWorkflowExecution(request)
    await lab.stack.temporal.stop()
    await lab.stack.temporal.start()
    await keptTheAnswer(restarted)
    await keptTheAnswer(reset)
  })

  test('A refund’s answer is recorded when its worker is paused for 11 s', async () => {
    const refund = await sending(3_000)
    worker.kill('SIGSTOP')
    const since = performance.now()
    await until(async () => performance.now() - since > 11_000, 15_000)
    expect(await read(refund.refund_id)).toMatchObject({ status: 'processing' })
    worker.kill('SIGCONT')
    await keptTheAnswer(refund)
  })
})

test('The provider carried out no refund twice and received no idempotency key twice', async () => {
  const all = await refundsAtProvider()
  expect(all.length).toBeGreaterThan(25)
  expect(all.filter(({ times }) => times !== 1)).toEqual([])
  const happened = all.filter(({ effect }) => effect).map(({ key }) => key)
  expect(new Set(happened).size).toBe(happened.length)
})
