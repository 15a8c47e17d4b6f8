// After a restore that lost commits, nothing that may have been sent is sent again: neither the rows that exist nor
// those that would be written next.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { advanceExecution } from '../activities/automation/graphs.ts'
import { closeDatabase, statement, transaction } from '../activities/kit/database.ts'
import { advanceTurn } from '../activities/models/model-calls.ts'
import { script } from '../dev/parts.ts'
import { type Orm, openOrm } from '../entities/kit/database/orm.ts'
import { quarantine as makeUnknown, settleByProof, toQuarantine } from '../entities/kit/effects.ts'
import { newId } from '../entities/kit/ids.ts'
import { refundEffect } from '../entities/refunds/refund-effect.ts'
import { edge, workflow } from './kit/automation/automations.ts'
import { cash, order, product } from './kit/orders/buying.ts'
import { database, newShop, type Shop } from './kit/shop.ts'
import { type Lab, startLab } from './kit/stack/lab.ts'
import { publish } from './kit/webhooks/webhook-events.ts'

jest.setTimeout(60_000)

let lab: Lab
let orm: Orm
let shop: Shop

beforeAll(async () => {
  lab = await startLab('quarantine', {}, { parts: ['postgres', 'migrations'] })
  await lab.stack.startApi()
  orm = await openOrm({ url: lab.stack.env.DATABASE_URL as string, pool: 2 })
  shop = await newShop()
})

afterAll(async () => {
  await closeDatabase()
  await orm.close(true)
  await database().end()
  await lab.stop()
})

async function quarantine(since: number, code = 0): Promise<string> {
  const child = script('workers/quarantine.ts', ['--since', new Date(since).toISOString()], {
    name: 'quarantine',
    env: { ...process.env },
  })
  expect(await child.ended).toBe(code)
  return child.tail()
}

const rows = async (sql: string, ...values: unknown[]) => (await database().query(sql, values)).rows

/** A refund as it was at the moment of the backup. */
async function refund(
  orderId: string,
  status: string,
  settled: string | null,
  more: { amount?: number; attempt?: number; error?: object } = {},
): Promise<string> {
  const { amount = 1, attempt = 0, error = null } = more
  const id = newId()
  await database().query(
    `insert into refunds (id, tenant_id, created_at, updated_at, refund_id, order_id, payment_id, amount, currency, origin, status, fingerprint, attempt, settled_at, error)
     select $1, tenant_id, 1, 1, $1, order_id, id, $5, currency, 'operator', $3, '', $6, $4, $7 from payments where order_id = $2`,
    [id, orderId, status, settled, amount, attempt, error && JSON.stringify(error)],
  )
  return id
}

/** A paid order of 1000. */
async function paid(amounts = 'refunded_amount = 0'): Promise<string> {
  const { order_id } = await order(shop, [(await product(shop)).item(1)], cash)
  await database().query(
    `update payments set captured_amount = amount, status = 'paid', ${amounts} where order_id = $1`,
    [order_id],
  )
  return order_id
}

/** A sign-in code that is being sent. */
async function mail(): Promise<string> {
  const id = newId()
  await database().query(
    `insert into mails (id, created_at, updated_at, kind, status, fingerprint, attempt) values ($1, 1, 1, 'sign_in_code', 'processing', '', 1)`,
    [id],
  )
  return id
}

const amountsOf = async (orderId: string) =>
  (
    await rows(
      `select refunded_amount::int as refunded, refund_pending_amount::int as pending, refund_unknown_amount::int as unknown, error ->> 'code' as error
       from payments where order_id = $1`,
      orderId,
    )
  )[0]
const statusOf = async (table: string, id: string) =>
  (await rows(`select status from ${table} where id = $1`, id))[0]?.status

test('Quarantine makes unfinished effects unknown, leaves finished ones, and recounts amounts', async () => {
  const sold = await product(shop)
  const { order_id } = await order(shop, [sold.item(1)], cash)
  const since = Date.now() - 60_000
  const at = (ms: number) => new Date(since + ms).toISOString()
  await database().query(
    'update payments set captured_amount = amount, refund_pending_amount = 2, refunded_amount = 1 where order_id = $1',
    [order_id],
  )
  const ids = [
    await refund(order_id, 'requested', null),
    await refund(order_id, 'processing', null),
    await refund(order_id, 'succeeded', at(-1_000)),
    await refund(order_id, 'rejected', at(1_000)),
    await refund(order_id, 'failed', at(-1_000)),
  ]
  expect(await quarantine(since)).toMatch(/refunds: 2 made unknown/)
  const found = await rows('select id, status, error from refunds where order_id = $1 order by id', order_id)
  expect(found.map(({ id }) => id)).toEqual(ids)
  expect(found.map(({ status }) => status)).toEqual(['unknown', 'unknown', 'succeeded', 'rejected', 'failed'])
  expect(found[0].error).toMatchObject({ code: 'quarantined' })
  expect(
    await rows(
      'select refund_pending_amount::int as pending, refund_unknown_amount::int as unknown, refunded_amount::int as refunded from payments where order_id = $1',
      order_id,
    ),
  ).toEqual([{ pending: 0, unknown: 2, refunded: 1 }])
})

test('A refund refused as too much stays as it is, and every other effect is made unknown', async () => {
  const since = Date.now() - 60_000
  const order_id = await paid('refunded_amount = 1000')
  await refund(order_id, 'succeeded', new Date(since - 1_000).toISOString(), { amount: 1000 })
  const error = { code: 'amount_exceeds_refundable', message: 'At most 0 can be refunded.' }
  const refused = await refund(order_id, 'failed', new Date().toISOString(), { amount: 900, error })
  const letter = await mail()
  expect(await quarantine(since)).toMatch(/refunds: 0 made unknown[\s\S]*mails: 1 made unknown/)
  expect([await statusOf('refunds', refused), await statusOf('mails', letter)]).toEqual(['failed', 'unknown'])
  expect(await amountsOf(order_id)).toEqual({ refunded: 1000, pending: 0, unknown: 0, error: null })
})

test('An unknown amount that no longer fits is a conflict, and resolving it restores the sums', async () => {
  const since = Date.now() - 60_000
  const order_id = await paid('refunded_amount = 700')
  await refund(order_id, 'succeeded', new Date(since - 1_000).toISOString(), { amount: 700 })
  // The database knows of no request, and the amount has been refunded once more.
  const lost = await refund(order_id, 'failed', new Date().toISOString(), {
    amount: 700,
    attempt: 5,
    error: { code: 'not_sent', message: '' },
  })
  expect(await quarantine(since)).toMatch(/refunds: 1 made unknown/)
  expect(await amountsOf(order_id)).toEqual({ refunded: 700, pending: 0, unknown: 300, error: 'refund_conflict' })
  const more = await shop.asOperator('POST', `/orders/${order_id}/refunds`, { refund_id: newId(), amount: 1 })
  expect(more.body.code).toBe('amount_exceeds_refundable')
  const resolved = await shop.asOperator('POST', `/orders/${order_id}/refunds/${lost}/resolve`, {
    outcome: 'rejected',
    note: 'looked it up',
  })
  expect(resolved.body).toMatchObject({ status: 'rejected', needs_attention: false })
  expect(await amountsOf(order_id)).toEqual({ refunded: 700, pending: 0, unknown: 0, error: null })
})

test('A refund settled by an event during quarantine keeps its outcome and its sums', async () => {
  const order_id = await paid('refund_pending_amount = 500')
  const [settling, waiting] = [
    await refund(order_id, 'processing', null, { amount: 300 }),
    await refund(order_id, 'requested', null, { amount: 200 }),
  ]
  const found = await statement((em) => toQuarantine(em, refundEffect, 0))
  expect(found).toEqual(expect.arrayContaining([settling, waiting]))
  expect(
    await transaction((em) => settleByProof(em, refundEffect, settling, { status: 'succeeded', evidence: {} })),
  ).toBe(true)
  expect(await transaction((em) => makeUnknown(em, refundEffect, settling, 0))).toBe(false)
  expect(await transaction((em) => makeUnknown(em, refundEffect, waiting, 0))).toBe(true)
  expect(await amountsOf(order_id)).toEqual({ refunded: 300, pending: 0, unknown: 200, error: null })
})

test('Of the decisions about one payment one at most is made unknown, and none lapses', async () => {
  const since = Date.now() - 60_000
  /** An authorised payment with decisions of these states, the failed ones of after the backup. */
  const authorized = async (...states: string[]) => {
    const { order_id } = await order(shop, [(await product(shop)).item(1)], cash)
    await database().query(
      "update payments set type = 'card', status = 'authorized', provider_payment_id = $2 where order_id = $1",
      [order_id, `pi_${newId()}`],
    )
    await database().query(
      "update orders set status = 'pending', approval_required = true, decide_by = 1, hold_until = now() where id = $1",
      [order_id],
    )
    const ids = states.map(() => newId())
    for (const [at, status] of states.entries())
      await database().query(
        `insert into authorization_ends (id, tenant_id, created_at, updated_at, order_id, payment_id, kind, provider_payment_id, amount, currency, status, fingerprint, settled_at)
         select $1, tenant_id, 1, 1, order_id, id, 'capture', provider_payment_id, amount, currency, $3, '', case when $3 = 'failed' then now() end from payments where order_id = $2`,
        [ids[at], order_id, status],
      )
    const held = async () =>
      (await rows('select hold_until from orders where id = $1', order_id))[0].hold_until !== null
    return { held, statuses: () => Promise.all(ids.map((id) => statusOf('authorization_ends', id))) }
  }
  const [asked, twice, once] = [
    await authorized('failed', 'requested'),
    await authorized('failed', 'failed'),
    await authorized('failed'),
  ]
  expect(await quarantine(since)).toMatch(/authorization_ends: 3 made unknown/)
  expect([await asked.statuses(), await once.statuses()]).toEqual([['failed', 'unknown'], ['unknown']])
  expect((await twice.statuses()).sort()).toEqual(['failed', 'unknown'])
  for (const each of [asked, twice, once]) expect(await each.held()).toBe(false)
})

test('A quarantine time in the future is refused with exit code 2 and changes nothing', async () => {
  const order_id = await paid('refund_pending_amount = 1')
  const waiting = await refund(order_id, 'requested', null)
  expect(await quarantine(Date.now() + 3_600_000, 2)).toMatch(/--since \S+ is in the future, and nothing was changed/)
  expect(await statusOf('refunds', waiting)).toBe('requested')
  expect(await quarantine(Date.now())).toMatch(
    /quarantine: [1-9]\d* effects that may have been sent since \S+ are unknown/,
  )
})

test('A row that cannot be changed is named, the command fails, and other rows are unknown', async () => {
  const order_id = await paid('refund_pending_amount = 3')
  const ids = [
    await refund(order_id, 'requested', null),
    await refund(order_id, 'requested', null),
    await refund(order_id, 'requested', null),
  ]
  const letter = await mail()
  await database().query(
    `alter table refunds add constraint refunds_broken check (id <> '${ids[1]}' or status = 'requested')`,
  )
  try {
    expect(await quarantine(Date.now(), 1)).toMatch(
      new RegExp(`1 failed, and may be sent again[\\s\\S]*refunds ${ids[1]}: `),
    )
  } finally {
    await database().query('alter table refunds drop constraint refunds_broken')
  }
  expect(await Promise.all(ids.map((id) => statusOf('refunds', id)))).toEqual(['unknown', 'requested', 'unknown'])
  expect(await statusOf('mails', letter)).toBe('unknown')
  expect(await amountsOf(order_id)).toEqual({ refunded: 0, pending: 1, unknown: 2, error: null })
})

test('A computing node keeps its result in quarantine, and a delayed trigger fails', async () => {
  const calm = await newShop()
  const nodes = {
    start: { type: 'trigger', events: ['order.created'] },
    code: { type: 'transform', code: 'throw new Error("no")' },
  }
  const started = await workflow(calm, { nodes, edges: [edge('start', 'default', 'code')] })
  const delayed = await workflow(calm, { nodes: { start: { ...nodes.start, delay_ms: 60_000 } }, edges: [] })
  await publish(orm, calm.store_id, [{ n: 1 }], 'order.created', 1)
  const begun = (await rows('select id from executions where workflow_id = any($1)', [started.id, delayed.id])).map(
    ({ id }) => id as string,
  )
  expect(begun.length).toBe(2)
  for (const id of begun) await advanceExecution(id)
  await quarantine(Date.now() - 60_000)
  const found = await rows(
    `select r.node, r.status, r.error ->> 'code' as code, x.status as execution from node_runs r join executions x on x.id = r.execution_id
     where x.workflow_id = any($1) and r.status <> 'succeeded' order by r.node`,
    [started.id, delayed.id],
  )
  expect(found).toEqual([
    { node: 'code', status: 'failed', code: 'sandbox_error', execution: 'failed' },
    { node: 'start', status: 'failed', code: 'quarantined', execution: 'failed' },
  ])
})

test('A quarantined execution takes no further step, whose effects may have been sent already', async () => {
  const { id } = await workflow(shop, {
    nodes: {
      start: { type: 'trigger', events: ['order.created'] },
      post: { type: 'http', method: 'post', url: 'https://elsewhere.example/', delay_ms: 60_000 },
    },
    edges: [edge('start', 'default', 'post')],
  })
  await publish(orm, shop.store_id, [{ n: 1 }, { n: 2 }, { n: 3 }], 'order.created', 1)
  const [over, waiting, unbegun] = (await rows('select id from executions where workflow_id = $1 order by id', id)).map(
    (row) => row.id as string,
  ) as [string, string, string]
  await database().query(`update executions set status = 'completed', finished_at = 1 where id = $1`, [over])
  await advanceExecution(waiting)
  const runs = () =>
    rows(`select execution_id, status from node_runs where tenant_id = $1 and node = 'post'`, shop.store_id)
  expect(await runs()).toEqual([{ execution_id: waiting, status: 'requested' }])

  expect(await quarantine(Date.now())).toMatch(/executions: 2 stopped[\s\S]*node_runs: 1 made unknown/)
  expect(await rows('select status, error from executions where workflow_id = $1 order by id', id)).toEqual([
    { status: 'completed', error: null },
    { status: 'failed', error: expect.objectContaining({ code: 'quarantined' }) },
    { status: 'failed', error: expect.objectContaining({ code: 'quarantined' }) },
  ])
  for (const one of [waiting, unbegun]) expect(await advanceExecution(one)).toEqual({ do: 'done', status: 'failed' })
  expect(await runs()).toEqual([{ execution_id: waiting, status: 'unknown' }])
})

test('A turn in quarantine asks no model again, and its messages wait for a person', async () => {
  const tenant = shop.store_id
  const insert = async (table: string, row: Record<string, unknown>) => {
    const all: Record<string, unknown> = { id: newId(), tenant_id: tenant, created_at: 1, updated_at: 1, ...row }
    const names = Object.keys(all)
    await database().query(
      `insert into ${table} (${names.map((name) => `"${name}"`).join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
      Object.values(all),
    )
    return all.id as string
  }
  const integration_id = await insert('integrations', {
    ...{ key: 'model', category: 'ai', type: 'llm_a', active: true },
    ...{ settings: { model: 'm', base_url: 'https://models.example/v1' }, credentials: '' },
  })
  const agent_id = await insert('agents', { key: 'agent', prompt: 'You sell tea.', model_id: 'model', integration_id })
  const channel_id = newId()
  await insert('channels', { id: channel_id, secret: '', status: 'connected' })
  /** A chat as it was in the backup: one message was asked about, and another one had arrived. */
  const chat = async (more: object) => {
    const id = await insert('chats', { agent_id, message_count: 2, ...more })
    const turn = await insert('model_turns', { owner_kind: 'chat', owner_id: id, version: 1 })
    for (const [seq, status] of ['processing', 'waiting'].entries()) {
      const own = status === 'processing' ? { turn_id: turn } : {}
      await insert('chat_messages', {
        chat_id: id,
        seq: seq + 1,
        message_id: newId(),
        role: 'user',
        content: 'Hello',
        version: 1,
        status,
        ...own,
      })
    }
    const call = {
      turn_id: turn,
      step: 1,
      try: 1,
      integration_id,
      model: 'm',
      agent_id,
      day: '2026-01-01',
      reserved_tokens: 0,
      held_tokens: 0,
    }
    await insert('model_calls', {
      ...call,
      fingerprint: '',
      status: 'rejected',
      evidence: { status: 500 },
      settled_at: '2026-01-01',
    })
    return { id, turn }
  }
  const [byApi, byBot] = [await chat({}), await chat({ channel_id, external_id: '7' })]
  const run = await insert('research_runs', {
    ...{
      run_id: newId(),
      fingerprint: '',
      audience_id: newId(),
      goal: 'g',
      model_id: 'model',
      integration_id,
      status: 'running',
      message_count: 1,
    },
  })
  const turn = await insert('model_turns', { owner_kind: 'research', owner_id: run, version: 1 })
  await insert('research_messages', {
    research_run_id: run,
    seq: 1,
    message_id: newId(),
    role: 'user',
    content: 'Hello',
    status: 'processing',
    turn_id: turn,
  })

  expect(await quarantine(Date.now())).toMatch(/model_turns: 3 made unknown[\s\S]*channels: 1 are connected again/)
  for (const id of [byApi.turn, byBot.turn, turn])
    expect(await advanceTurn(id)).toEqual({ do: 'done', status: 'unknown' })
  expect(await rows('select count(*)::int as calls from model_calls where tenant_id = $1', tenant)).toEqual([
    { calls: 2 },
  ])
  const messages = await rows('select distinct status, error from chat_messages where tenant_id = $1', tenant)
  expect(messages).toEqual([{ status: 'unknown', error: 'model_outcome_unknown' }])
  expect(
    await rows('select mode, version from chats where id = any($1) order by channel_id nulls first', [
      byApi.id,
      byBot.id,
    ]),
  ).toEqual([
    { mode: 'agent', version: 1 },
    { mode: 'human', version: 2 },
  ])
  expect(
    await rows(
      'select r.status, m.status as message from research_runs r join research_messages m on m.research_run_id = r.id where r.id = $1',
      run,
    ),
  ).toEqual([{ status: 'unknown', message: 'unknown' }])
  expect(await rows('select status, is_set, look_at > 1 as due from channels where id = $1', channel_id)).toEqual([
    { status: 'pending', is_set: true, due: true },
  ])
})

test('Campaigns stop, and enrollments whose message may be lost become unknown', async () => {
  const now = Math.floor(Date.now() / 1000)
  const campaign = async (status: string, more: { begun_at?: number; scheduled_at?: number; due_at?: string } = {}) => {
    const { begun_at = null, scheduled_at = null, due_at = 'now()' } = more
    const id = newId()
    await database().query(
      `with c as (insert into campaigns (id, created_at, updated_at, tenant_id, name, status, mailbox_ids, steps, variables, begun_at, scheduled_at)
         values ($1, 1, 1, $2, 'x', $4, '[]', '[]', '{}', $3, $5) returning id, tenant_id)
       insert into enrollments (id, created_at, updated_at, tenant_id, campaign_id, contact_id, address, variables, status, shuffle, due_at)
       select gen_random_uuid(), 1, 1, c.tenant_id, c.id, gen_random_uuid(), e.status, '{}', e.status, 1, case when e.status = 'active' then ${due_at} end
       from c, unnest('{active,completed}'::text[]) e(status)`,
      [id, shop.store_id, begun_at, status, scheduled_at],
    )
    return id
  }
  const begun = [
    await campaign('running'),
    await campaign('scheduled', { scheduled_at: now - 5 }),
    await campaign('paused', { begun_at: 1 }),
  ]
  const leased = await campaign('running', { due_at: "now() + interval '1 minute'" })
  // One that never began: that it missed its start, or was paused before, is known.
  const kept = [
    await campaign('scheduled', { scheduled_at: now + 3600 }),
    await campaign('running', { due_at: "now() + interval '1 day'" }),
  ]
  kept.push(await campaign('paused', { scheduled_at: now - 600 }))
  const untouched = [await campaign('draft'), await campaign('completed'), await campaign('cancelled')]
  const states = async (ids: string[]) =>
    (
      await rows(
        `select c.status, c.paused_reason ->> 'code' as reason, e.status as enrollment, e.due_at is not null as due from campaigns c join enrollments e on e.campaign_id = c.id
         where c.id = any ($1) and e.address = 'active' order by c.id`,
        ids,
      )
    ).map(({ status, reason, enrollment, due }) => [status, reason, enrollment, due])
  expect(await quarantine(Date.now() - 60_000)).toMatch(/campaigns: 7 paused, 4 enrollments made unknown/)
  expect(await states([...begun, leased])).toEqual(Array(4).fill(['paused', 'quarantined', 'unknown', false]))
  expect(await states(kept)).toEqual(Array(3).fill(['paused', 'quarantined', 'active', true]))
  expect(await states(untouched)).toEqual([
    ['draft', null, 'active', true],
    ['completed', null, 'active', true],
    ['cancelled', null, 'active', true],
  ])
  // Again, as after a failure of one row: nothing else changes.
  expect(await quarantine(Date.now() - 60_000)).toMatch(/campaigns: 7 paused, 0 enrollments made unknown/)
  expect(await states(kept)).toEqual(Array(3).fill(['paused', 'quarantined', 'active', true]))
  const ended = await rows("select status from enrollments where campaign_id = any ($1) and address = 'completed'", [
    ...begun,
    ...kept,
  ])
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['completed']))
})

/** A publication of network d that was due a minute ago, as a restored database has it. */
async function publication(status: string, scheduled_at: number, content: object = {}): Promise<string> {
  const [id, connection, at] = [newId(), newId(), Math.floor(Date.now() / 1000)]
  const type = 'network_d_account'
  await database().query(
    `insert into social_connections (id, tenant_id, created_at, updated_at, type, provider_account_id, name, granted_by, scopes, connected_by, refreshed_at)
     values ($1, $2, $3, $3, $4, $5, 'Shop', $5, '[]', $6, $3)`,
    [connection, shop.store_id, at, type, connection, newId()],
  )
  await database().query(
    `insert into social_publications (id, tenant_id, created_at, updated_at, social_connection_id, type, content, status, scheduled_at, issues, created_by, run)
     values ($1, $2, $3, $3, $4, $5, $6, $7, $8, '[]', $9, 2)`,
    [
      id,
      shop.store_id,
      at,
      connection,
      type,
      JSON.stringify({ type, caption: 'Hello', media_ids: [], ...content }),
      status,
      scheduled_at,
      newId(),
    ],
  )
  return id
}
const call = async (
  publicationId: string,
  n: number,
  status: string,
  more: { attempt?: number; settled?: Date | null } = {},
): Promise<string> => {
  const id = newId()
  const { attempt = 1, settled = null } = more
  await database().query(
    `insert into social_reveals (id, tenant_id, created_at, updated_at, publication_id, social_connection_id, type, run, n, not_before, not_after, status, fingerprint, attempt, settled_at)
     select $1, tenant_id, 1, 1, id, social_connection_id, type, run, $3, now(), now(), $4, '', $5, $6 from social_publications where id = $2`,
    [id, publicationId, n, status, attempt, settled],
  )
  return id
}
const seconds = () => Math.floor(Date.now() / 1000)

test('A publication that was due when commits were lost is looked for, and not shown again', async () => {
  const since = Date.now() - 120_000
  const lost = await publication('scheduled', seconds() - 60, { media_ids: [newId()] })
  const [later, old, open] = [
    await publication('scheduled', seconds() + 600),
    await publication('scheduled', seconds() - 10_000),
    await publication('publishing', seconds() - 60),
  ]
  await call(open, 1, 'requested', { attempt: 0 })
  expect(await quarantine(since)).toMatch(/social_reveals: 1 made unknown[\s\S]*publications: 1 that were due/)
  const states = await rows('select id, status, run from social_publications where id = any ($1)', [
    lost,
    later,
    old,
    open,
  ])
  expect(Object.fromEntries(states.map(({ id, status }) => [id, status]))).toEqual({
    [lost]: 'publishing',
    [later]: 'scheduled',
    [old]: 'scheduled',
    [open]: 'publishing',
  })
  const [found] = await rows('select * from social_reveals where publication_id = $1', lost)
  // A post of the text alone is not this one, which has a file.
  expect(found).toMatchObject({
    status: 'unknown',
    n: 1,
    run: 2,
    error: { code: 'quarantined' },
    subject: { kind: 'tweet', text: 'Hello', keys: [''] },
  })
  expect([found.sent_at.getTime() / 1000, found.deadline_at.getTime() / 1000 - seconds()]).toEqual([
    expect.any(Number),
    expect.closeTo(0, -1),
  ])
  // Once more: nothing is left to do.
  expect(await quarantine(since)).toMatch(/publications: 0 that were due/)
  expect((await shop.asOperator('POST', `/social-publications/${lost}/cancel`, {})).body.code).toBe('already_sent')
})

test('A call that was followed by another one stays as it is, and quarantine succeeds', async () => {
  const since = Date.now() - 60_000
  const made = await publication('draft', seconds() - 30)
  const first = await call(made, 1, 'failed', { settled: new Date() })
  await call(made, 2, 'succeeded', { settled: new Date() })
  expect(await quarantine(since)).toMatch(/social_reveals: 0 made unknown/)
  expect(await statusOf('social_reveals', first)).toBe('failed')
})
