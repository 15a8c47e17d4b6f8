// Refund totals follow what the provider did, not what was requested; money that is still owed stays listed until it is
// refunded.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import {
  card,
  cardShop,
  connect,
  connected,
  disputesOf,
  eventsOf,
  fault,
  order,
  outcomeOf,
  paidOrder,
  paidTooLate,
  pay,
  paymentOf,
  providerOf,
  read,
  refundsOf,
  requestRefund,
  type Sold,
  sendEvent,
  sim,
  stripe,
  until,
  update,
} from '../kit/orders/buying.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let account: string
let tea: Sold
let connection: Connection
let temporal: Client
beforeAll(async () => {
  ;({ shop, account, tea } = await cardShop({ amount: 5000 }))
  connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string })
  temporal = new Client({ connection })
})
afterAll(() => connection.close())

type Meeting = { fault?: string; status?: number; code?: string; after_effect?: boolean }
const refund = async (orderId: string, amount: number, meets?: Meeting) =>
  (await requestRefund(shop, orderId, amount, meets)).body
const unknown = (orderId: string, amount: number) => refund(orderId, amount, { status: 500 })
const rejected = (orderId: string, amount: number) => refund(orderId, amount, { status: 402 })
const resolve = (orderId: string, refundId: string, outcome: string, replaces?: string) =>
  shop.asOperator('POST', `/orders/${orderId}/refunds/${refundId}/resolve`, { outcome, note: 'looked it up', replaces })
const dashboard = (payment: string, amount: number) => sim('POST', `/payments/${payment}/refund`, { amount })
const list = async (query: string) => (await shop.asOperator('GET', `/refunds?${query}`)).body.items
const attention = async (orderId: string) =>
  (await list('needs_attention=true&limit=100')).filter((one: { order_id: string }) => one.order_id === orderId)
const isFailed = (refundRow: string) =>
  until(
    async () => (await temporal.workflow.getHandle(`refund/${refundRow}`).describe()).status.name === 'FAILED',
    20_000,
  )

test('A dashboard refund beside an unknown one is recorded, and resolving corrects the payment', async () => {
  const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
  const lost = await unknown(order_id, 5000)
  expect(lost.status).toBe('unknown')
  const { id } = await dashboard(payment_intent, 5000)
  await until(async () =>
    (await refundsOf(shop, order_id)).some((one: { provider_refund_id: string }) => one.provider_refund_id === id),
  )
  expect(await paymentOf(shop, order_id)).toMatchObject({ error: { code: 'refund_conflict' } })
  expect(await refund(order_id, 1)).toMatchObject({ code: 'amount_exceeds_refundable' })
  // The provider itself reported the other one.
  expect(await attention(order_id)).toMatchObject([{ refund_id: lost.refund_id, status: 'unknown' }])
  expect((await resolve(order_id, lost.refund_id, 'rejected')).body).toMatchObject({
    status: 'rejected',
    needs_attention: false,
  })
  expect(await paymentOf(shop, order_id)).toMatchObject({
    refunded_amount: 5000,
    refund_unknown_amount: 0,
    error: null,
  })
  expect(await attention(order_id)).toEqual([])
  expect((await update(shop, order_id, { cancel: true })).body).toMatchObject({ status: 'cancelled' })
})

test('A failed refund frees its amount, both one of the dashboard and one of ours', async () => {
  const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
  await sim('POST', '/next_refund', { status: 'pending', account })
  const ours = await refund(order_id, 4000)
  // The provider's failure event arrives last.
  await sim('POST', '/events', { hold: true, account })
  await sim('POST', `/refunds/${ours.provider_refund_id}/settle`, { status: 'failed' })
  const theirs = await dashboard(payment_intent, 3000)
  const held = (await eventsOf(account)).filter(({ state }) => state === 'held').map(({ id }) => id)
  await sim('POST', '/events/deliver', { ids: held.toReversed() })
  await sim('POST', '/events', { hold: false, account })
  await until(async () => (await paymentOf(shop, order_id)).refunded_amount === 3000)
  expect(await paymentOf(shop, order_id)).toMatchObject({ refund_pending_amount: 0, error: null })
  await sim('POST', `/refunds/${theirs.id}/settle`, { status: 'failed' })
  await until(async () => (await paymentOf(shop, order_id)).refunded_amount === 0)
  expect((await refundsOf(shop, order_id)).map(({ status }: { status: string }) => status)).toEqual([
    'rejected',
    'rejected',
  ])
  expect(await refund(order_id, 5000)).toMatchObject({ status: 'succeeded' })
})

test('A dashboard refund never leaves more refundable than the provider has', async () => {
  const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
  const lost = await unknown(order_id, 3000)
  await dashboard(payment_intent, 4000)
  await until(async () => (await paymentOf(shop, order_id)).error)
  expect(await paymentOf(shop, order_id)).toMatchObject({ refunded_amount: 4000, refund_unknown_amount: 1000 })
  expect((await update(shop, order_id, { cancel: true })).body).toMatchObject({ code: 'refund_unknown' })
  await resolve(order_id, lost.refund_id, 'rejected')
  expect(await paymentOf(shop, order_id)).toMatchObject({
    refunded_amount: 4000,
    refund_unknown_amount: 0,
    error: null,
  })
  expect(await refund(order_id, 1001)).toMatchObject({ code: 'amount_exceeds_refundable' })
  expect(await refund(order_id, 1000)).toMatchObject({ status: 'succeeded' })
})

test('A signed success corrects a refund that a gateway refused, until a failure event arrives', async () => {
  const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
  await sim('POST', '/events', { hold: true, account })
  const ours = await refund(order_id, 2000, { status: 402, after_effect: true })
  expect(ours).toMatchObject({ status: 'rejected', provider_refund_id: null })
  expect(await paymentOf(shop, order_id)).toMatchObject({ refunded_amount: 0 })
  await sim('POST', '/events', { hold: false, account })
  await until(async () => (await paymentOf(shop, order_id)).refunded_amount === 2000)
  const [known] = await refundsOf(shop, order_id)
  expect(known).toMatchObject({ id: ours.id, status: 'succeeded', error: null })
  await sim('POST', `/refunds/${known.provider_refund_id}/settle`, { status: 'failed' })
  await until(async () => (await paymentOf(shop, order_id)).refunded_amount === 0)
  // An older success that is delivered again changes nothing.
  const object = {
    id: known.provider_refund_id,
    status: 'succeeded',
    amount: 2000,
    currency: 'usd',
    payment_intent,
    metadata: { refund: ours.id },
  }
  const id = `evt_${unique()}`
  await sendEvent({ id, type: 'refund.created', account, data: { object } })
  expect(await outcomeOf(id)).toMatch(/^conflict/)
  expect(await refundsOf(shop, order_id)).toMatchObject([{ status: 'rejected', error: { code: 'refund_failed' } }])
  expect(await paymentOf(shop, order_id)).toMatchObject({ refunded_amount: 0 })
})

test('A resolution beside which too much was refunded is corrected, and the first is kept', async () => {
  const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
  const { refund_id } = await unknown(order_id, 5000)
  expect((await resolve(order_id, refund_id, 'succeeded')).body).toMatchObject({
    status: 'succeeded',
    needs_attention: false,
  })
  // The refund did not happen: the provider still has the whole amount.
  await dashboard(payment_intent, 5000)
  await until(async () => (await paymentOf(shop, order_id)).error?.code === 'refund_conflict')
  expect(await attention(order_id)).toMatchObject([{ refund_id, status: 'succeeded' }])
  expect((await resolve(order_id, refund_id, 'rejected', 'succeeded')).body).toMatchObject({
    ...{
      status: 'rejected',
      needs_attention: false,
      resolution: { outcome: 'rejected', before: { outcome: 'succeeded' } },
    },
  })
  expect(await paymentOf(shop, order_id)).toMatchObject({
    refunded_amount: 5000,
    refund_unknown_amount: 0,
    error: null,
  })
  expect(await attention(order_id)).toEqual([])
})

test('A late payment whose refund is refused stays due until an operator refunds the rest', async () => {
  const late = await paidTooLate(shop, account, [tea.item()], () =>
    fault({ fault: 'status', status: 402, path: '/v1/refunds', account }),
  )
  await until(async () => (await paymentOf(shop, late.order_id)).error)
  expect(await paymentOf(shop, late.order_id)).toMatchObject({
    refunded_amount: 0,
    error: { code: 'refund_due', message: expect.stringContaining('50.00 USD') },
  })
  const [system] = await attention(late.order_id)
  expect(system).toMatchObject({
    origin: 'system',
    status: 'rejected',
    needs_attention: true,
    order_number: (await read(shop, late.order_id)).number,
  })
  await isFailed(system.id)
  await expect(temporal.workflow.getHandle(`refund/${system.id}`).result()).rejects.toMatchObject({
    cause: { type: 'RefundDue' },
  })

  // A refund that fails again stays listed, and a partial refund does not settle the whole.
  expect(await rejected(late.order_id, 5000)).toMatchObject({ status: 'rejected' })
  expect(await refund(late.order_id, 2000)).toMatchObject({ status: 'succeeded' })
  expect(await paymentOf(shop, late.order_id)).toMatchObject({
    error: { code: 'refund_due', message: expect.stringContaining('30.00 USD') },
  })
  expect(await attention(late.order_id)).toHaveLength(1)
  expect(await refund(late.order_id, 3000)).toMatchObject({ status: 'succeeded' })
  expect(await paymentOf(shop, late.order_id)).toMatchObject({ refunded_amount: 5000, error: null })
  expect(await attention(late.order_id)).toEqual([])
  // Its workflow is failed no longer.
  await until(
    async () => (await temporal.workflow.getHandle(`refund/${system.id}`).describe()).status.name === 'COMPLETED',
    20_000,
  )
})

test('A late payment’s refund that fails later at the bank is due again', async () => {
  const late = await paidTooLate(shop, account, [tea.item()])
  await until(async () => (await paymentOf(shop, late.order_id)).refunded_amount === 5000)
  expect(await paymentOf(shop, late.order_id)).toMatchObject({ error: null })
  const [{ id, provider_refund_id }] = await refundsOf(shop, late.order_id)
  await sim('POST', `/refunds/${provider_refund_id}/settle`, { status: 'failed' })
  await until(async () => (await paymentOf(shop, late.order_id)).error?.code === 'refund_due')
  expect(await attention(late.order_id)).toMatchObject([{ id }])
  await isFailed(id)
})

test('A late payment lost to a dispute is not due, until an appeal reopens the dispute', async () => {
  const late = await paidTooLate(shop, account, [tea.item()], () =>
    fault({ fault: 'status', status: 402, path: '/v1/refunds', account }),
  )
  const due = await until(async () => {
    const payment = await paymentOf(shop, late.order_id)
    return payment.error && payment
  })
  expect(due.error).toMatchObject({ code: 'refund_due' })
  await sim('POST', `/payments/${due.provider_payment_id}/dispute`, { status: 'lost' })
  await until(async () => !(await paymentOf(shop, late.order_id)).error)
  expect(await attention(late.order_id)).toEqual([])
  await sim('POST', `/payments/${due.provider_payment_id}/dispute`, { status: 'appeal_needs_response' })
  await until(async () => (await paymentOf(shop, late.order_id)).error?.code === 'refund_due')
  expect(await attention(late.order_id)).toHaveLength(1)
})

test('A late payment in another currency is refunded in that currency and due until then', async () => {
  const { shop: own, account: at, tea: sold } = await cardShop({ amount: 5000 })
  const made = await order(own, [sold.item()], card)
  await sim('POST', '/events', { hold: true, account: at })
  const { payment_intent } = await pay(made.session)
  await database().query(
    `update orders set status = 'cancelled', hold_until = null, cancelled_at = updated_at where id = $1`,
    [made.order_id],
  )
  await database().query(`update payments set status = 'cancelled' where order_id = $1`, [made.order_id])
  await fault({ fault: 'status', status: 402, path: '/v1/refunds', account: at })
  const taken = {
    ...(await stripe(at, `/checkout/sessions/${made.session}`)),
    payment_intent,
    amount_total: 4500,
    currency: 'eur',
  }
  const told = async () => {
    const id = `evt_${unique()}`
    await sendEvent({ id, type: 'checkout.session.completed', account: at, data: { object: taken } })
    return outcomeOf(id)
  }
  expect(await told()).toBe('paid too late: refunded')
  expect(await told()).toBe('known already')
  await until(async () => (await paymentOf(own, made.order_id)).error?.code === 'refund_due')
  expect(await paymentOf(own, made.order_id)).toMatchObject({
    ...{
      captured_amount: 0,
      refunded_amount: 0,
      refund_pending_amount: 0,
      error: { message: expect.stringContaining('45.00 EUR') },
    },
  })
  const needing = async () => (await own.asOperator('GET', '/refunds?needs_attention=true')).body.items
  expect(await needing()).toMatchObject([{ origin: 'system', status: 'rejected', amount: 4500, currency: 'EUR' }])
  // A refund made in the provider's dashboard settles it.
  const object = {
    id: `re_${unique()}`,
    status: 'succeeded',
    amount: 4500,
    currency: 'eur',
    payment_intent,
    metadata: {},
  }
  await sendEvent({ id: `evt_${unique()}`, type: 'refund.created', account: at, data: { object } })
  expect(await paymentOf(own, made.order_id)).toMatchObject({ refunded_amount: 0, error: { code: 'amount_mismatch' } })
  expect(await needing()).toEqual([])
})

test('Refunds are listed across orders, by status, by needs_attention and page by page', async () => {
  const { shop: own, tea: sold } = await cardShop({ amount: 5000 })
  const [one, two] = [await paidOrder(own, [sold.item()]), await paidOrder(own, [sold.item()])]
  const ask = async (orderId: string, amount: number, status?: number) => {
    const refund_id: string = randomUUID()
    if (status) await fault({ body_match: refund_id, fault: 'status', status })
    await own.asOperator('POST', `/orders/${orderId}/refunds`, { refund_id, amount })
    return refund_id
  }
  const made = [
    await ask(one.order_id, 100),
    await ask(two.order_id, 200, 402),
    await ask(two.order_id, 300, 500),
    await ask(one.order_id, 9000),
  ]
  const found = async (query: string) => {
    const { status, body } = await own.asOperator('GET', `/refunds?${query}`)
    return status === 200 ? body.items.map((item: { refund_id: string }) => made.indexOf(item.refund_id)) : body.code
  }
  expect(await found('sort_direction=asc')).toEqual([0, 1, 2, 3])
  expect(await found('')).toEqual([3, 2, 1, 0])
  expect(await found('status=unknown')).toEqual([2])
  expect(await found('status=REJECTED,failed')).toEqual([3, 1])
  expect(await found('needs_attention=true')).toEqual([2])
  expect(await found('needs_attention=false')).toEqual([3, 1, 0])
  expect(await found('created_at_from=4000000000')).toEqual([])
  expect(await found('status=lost')).toBe('invalid_input')
  const { items } = (await own.asOperator('GET', '/refunds?limit=1&status=unknown')).body
  const { number } = (await own.asOperator('GET', `/orders/${two.order_id}`)).body
  expect(items).toMatchObject([
    { order_id: two.order_id, order_number: number, amount: 300, status: 'unknown', needs_attention: true },
  ])
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await own.asOperator('GET', `/refunds?limit=3&cursor=${cursor}`)
    seen.push(...body.items.map(({ refund_id }: { refund_id: string }) => refund_id))
    cursor = body.cursor
  }
  expect(seen).toEqual(made.toReversed())
  expect((await shop.asOperator('GET', `/v1/stores/${own.store_id}/refunds`)).status).toBe(404)
})

test('Each refund list is read from an index', async () => {
  const { order_id } = await paidOrder(shop, [tea.item()])
  await shop.asOperator('POST', `/orders/${order_id}/refunds`, { refund_id: randomUUID(), amount: 100 })
  const client = await database().connect()
  try {
    // A copy with the same indexes: the planner's choice follows from these rows, not from those of other tests.
    await client.query('begin; create temp table refunds (like refunds including indexes) on commit drop')
    await client.query(
      `
        insert into pg_temp.refunds
        select r.*
        from (select * from public.refunds where tenant_id = $1 limit 1) one, generate_series(1, 20000) n,
          jsonb_populate_record(null::public.refunds, to_jsonb(one) || jsonb_build_object(
            'id', gen_random_uuid(), 'refund_id', gen_random_uuid(), 'payment_id', gen_random_uuid(), 'provider_refund_id', null,
            'tenant_id', case when n % 20 = 0 then one.tenant_id else md5((n % 20)::text)::uuid end, 'created_at', n,
            'status', case when n % 7 = 0 then 'unknown' else 'succeeded' end, 'needs_attention', n % 7 = 0
          )) r
      `,
      [shop.store_id],
    )
    await client.query('analyze pg_temp.refunds')
    const plan = async (where: string) => {
      const { rows } = await client.query(
        `explain select id from refunds where tenant_id = '${shop.store_id}' ${where} order by created_at desc, id desc limit 20`,
      )
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    }
    expect(await plan('')).toMatch(/Index Only Scan.* using refunds_tenant_id_created_at_id_idx/)
    expect(await plan(`and status in ('unknown')`)).toMatch(/using refunds_tenant_id_status_created_at_id_idx/)
    expect(await plan('and needs_attention = true')).toMatch(
      /Index Only Scan.* using refunds_tenant_id_created_at_id_idx1/,
    )
  } finally {
    await client.query('rollback')
    client.release()
  }
})

test('An unknown refund can be read and resolved with the details of its workflow', async () => {
  const { order_id } = await paidOrder(shop, [tea.item()])
  const { id, refund_id } = await unknown(order_id, 100)
  const { number } = await read(shop, order_id)
  const { staticSummary, staticDetails } = await isFailed(id).then(async () => {
    const described = await temporal.workflow.getHandle(`refund/${id}`).describe()
    return { staticSummary: await described.staticSummary(), staticDetails: (await described.staticDetails()) ?? '' }
  })
  expect(staticSummary).toBe(`refund of 1.00 USD, order ${number}, store ${shop.store.key}`)
  const [, path, body] = /POST (\S+\/resolve)\n(.*)\n/.exec(staticDetails) ?? []
  expect(path).toBe(`/v1/stores/${shop.store_id}/orders/${order_id}/refunds/${refund_id}/resolve`)
  // The command as printed is refused: an outcome must be filled in after a look at the provider.
  expect(JSON.parse(String(body))).toEqual({ outcome: 'succeeded or rejected', note: 'what you found' })
  expect((await shop.asOperator('POST', String(path), JSON.parse(String(body)))).status).toBe(422)
  expect(
    (await shop.asOperator('POST', String(path), { ...JSON.parse(String(body)), outcome: 'succeeded' })).body,
  ).toMatchObject({ status: 'succeeded' })
})

test('The workflows of checkouts and payment accounts have a summary that names them', async () => {
  const { order_id } = await order(shop, [tea.item()], card)
  const { number } = await read(shop, order_id)
  const described = await temporal.workflow.getHandle(`checkout/${order_id}`).describe()
  expect(await described.staticSummary()).toBe(`checkout of 50.00 USD, order ${number}, store ${shop.store.key}`)
  expect(await described.staticDetails()).toContain(`GET /v1/stores/${shop.store_id}/orders/${order_id}/payment`)
  const { rows } = await database().query('select id from onboarding_links where tenant_id = $1', [shop.store_id])
  const link = await temporal.workflow.getHandle(`onboarding_link/${rows[0].id}`).describe()
  expect(await link.staticSummary()).toBe(`onboarding link of store ${shop.store.key}`)
  expect(await link.staticDetails()).toContain(`POST /v1/stores/${shop.store_id}/payment-providers/stripe/connect`)
})

describe('Events of account.updated', () => {
  const flags = (ready: boolean) => ({ charges_enabled: ready, details_submitted: true, payouts_enabled: ready })
  const told = async (at: string, created: number, ready: boolean) => {
    const id = `evt_${unique()}`
    await sendEvent({
      id,
      type: 'account.updated',
      account: at,
      created,
      data: { object: { id: at, ...flags(ready) } },
    })
    return outcomeOf(id)
  }

  test('Events of account.updated delivered newest first are applied in the provider’s order', async () => {
    const own = await newShop()
    const at = await connected(own)
    const now = Math.floor(Date.now() / 1000) + 30
    expect(await told(at, now + 1, false)).toBe('account updated')
    expect(await told(at, now, true)).toBe('known already')
    expect(await providerOf(own)).toMatchObject({ ready: false, charges_enabled: false })
    expect(await told(at, now + 2, true)).toBe('account updated')
    expect(await providerOf(own)).toMatchObject({ ready: true })
  })

  test('An account.updated event from before the last read of the account changes nothing', async () => {
    const own = await newShop()
    await connect(own)
    const { account_id } = await providerOf(own)
    await sim('POST', '/events', { hold: true, account: account_id })
    await sim('POST', `/accounts/${account_id}`, flags(true))
    await connect(own)
    await until(async () => (await providerOf(own)).ready)
    const now = Math.floor(Date.now() / 1000)
    expect(await told(account_id, now - 60, false)).toBe('known already')
    expect(await providerOf(own)).toMatchObject({ ready: true })
    expect(await told(account_id, now + 60, false)).toBe('account updated')
    await sim('POST', '/events', { hold: false, account: account_id })
  })

  test('Two account.updated events of one second cause the account to be read again', async () => {
    const own = await newShop()
    const at = await connected(own)
    await sim('POST', '/events', { hold: true, account: at })
    await sim('POST', `/accounts/${at}`, { charges_enabled: false })
    const now = Math.floor(Date.now() / 1000) + 30
    expect(await told(at, now, true)).toBe('account updated')
    expect(await told(at, now, false)).toBe('account read again: two events of the same second')
    await until(async () => !(await providerOf(own)).ready)
    await sim('POST', `/accounts/${at}`, { charges_enabled: true })
    // The reverse order: the state at the provider counts, not which event arrives last.
    expect(await told(at, now + 1, false)).toBe('account updated')
    expect(await told(at, now + 1, true)).toBe('account read again: two events of the same second')
    await until(async () => (await providerOf(own)).ready)
    await sim('POST', '/events', { hold: false, account: at })
  })
})

describe('Disputes', () => {
  const move = async (orderId: string, payment: string, status: string) => {
    await sim('POST', `/payments/${payment}/dispute`, { status })
    return until(async () => {
      const [one] = await disputesOf(shop, orderId)
      return one?.provider_status === status && one
    })
  }

  test('A prevented dispute is closed and keeps the provider’s own status', async () => {
    const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
    expect(await move(order_id, payment_intent, 'prevented')).toMatchObject({
      status: 'warning',
      closed_at: expect.any(Number),
    })
  })

  test('A lost dispute is reopened by an appeal with its deadline, and closed by its end', async () => {
    const { order_id, payment_intent } = await paidOrder(shop, [tea.item()])
    expect(await move(order_id, payment_intent, 'lost')).toMatchObject({
      status: 'lost',
      closed_at: expect.any(Number),
    })
    const [before] = await disputesOf(shop, order_id)
    expect(await move(order_id, payment_intent, 'appeal_needs_response')).toMatchObject({
      ...{ id: before.id, status: 'needs_response', closed_at: null, evidence_due_at: expect.any(Number) },
    })
    expect(await move(order_id, payment_intent, 'appeal_under_review')).toMatchObject({
      status: 'under_review',
      closed_at: null,
    })
    const events = (await eventsOf(account)).filter(
      ({ type, event }) => type.startsWith('charge.dispute.') && event.data.object.payment_intent === payment_intent,
    )
    for (const { event } of events.reverse()) await sendEvent({ ...event, id: `evt_${unique()}` })
    expect(await disputesOf(shop, order_id)).toMatchObject([
      { status: 'under_review', provider_status: 'appeal_under_review', closed_at: null },
    ])
    const event = events[0]?.event as (typeof events)[number]['event']
    const id = `evt_${unique()}`
    await sendEvent({
      ...event,
      id,
      created: Number(event.created) + 60,
      data: { object: { ...event.data.object, status: 'won' } },
    })
    expect(await disputesOf(shop, order_id)).toMatchObject([{ status: 'won', closed_at: expect.any(Number) }])
  })
})
