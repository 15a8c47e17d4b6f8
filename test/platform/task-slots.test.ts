// Slots of task queues are rows: each is counted once and none is lost, even when work ends, fails or arrives
// concurrently.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type {
  advanceExecution as AdvanceExecution,
  continueExecution as ContinueExecution,
} from '../../activities/index.ts'
import { postponeWaiting } from '../../entities/automation/executions.ts'
import { type EntityManager, type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { claim, giveUp, settle, unfinished } from '../../entities/kit/effects.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { newId } from '../../entities/kit/ids.ts'
import { awakeOnes } from '../../entities/platform/awake.ts'
import { freeSlot, grantSlots, takeSlot } from '../../entities/platform/task-slots.ts'
import { webhookTestEffect } from '../../entities/webhooks/webhook-test.ts'
import { requestTest } from '../../entities/webhooks/webhook-tests.ts'
import type { SlotPool } from '../../rules/queues.ts'
import { begin, edge, type GivenGraph, newWorkflow } from '../kit/automation/graphs.ts'
import { until } from '../kit/codes.ts'
import { database, unique } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'
import { type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'
import { publish, secret } from '../kit/webhooks/webhook-events.ts'

jest.setTimeout(60_000)

let lab: Lab
let receiver: Receiver
let orm: Orm
let drain: (webhookId: string) => Promise<{ wait_ms: number | null }>
let advanceExecution: typeof AdvanceExecution
let continueExecution: typeof ContinueExecution
/** Of this process. */
let workerId: string
beforeAll(async () => {
  lab = await startLab('task-slots', {}, { parts: ['postgres', 'migrations'] })
  ;[receiver, orm] = await Promise.all([
    startReceiver(lab.stack.dir),
    openOrm({ url: lab.stack.env.DATABASE_URL as string, pool: 6 }),
  ])
  // Imported only now: the settings are read at the first import.
  const [{ MockActivityEnvironment }, { DefaultLogger }, activities] = await Promise.all([
    import('@temporalio/testing'),
    import('@temporalio/worker'),
    import('../../activities/index.ts'),
  ])
  const logger = new DefaultLogger('ERROR')
  drain = (webhookId) => new MockActivityEnvironment({}, { logger }).run(activities.drainDeliveries, webhookId)
  advanceExecution = activities.advanceExecution
  continueExecution = (id) => new MockActivityEnvironment({}, { logger }).run(activities.continueExecution, id)
  ;({ workerId } = await import('../../activities/kit/worker-id.ts'))
})
afterAll(async () => {
  await (await import('../../activities/kit/database.ts')).closeDatabase()
  await orm.close(true)
  await database().end()
  await receiver.stop()
  await lab.stop()
})

/** Sets the number of slots of a queue from now on. */
const capacity = async (queue: SlotPool, slots: number) => {
  await database().query('delete from task_workers where queue = $1', [queue])
  await database().query(
    `insert into task_workers (id, queue, slots, seen_at) values ($1, $2, $3, clock_timestamp() + interval '1 hour')`,
    [workerId, queue, slots],
  )
}
const slotsOf = async (tenant: string) =>
  (
    await database().query('select id, row_id, worker, granted from task_slots where tenant_id = $1 order by at', [
      tenant,
    ])
  ).rows
const countOf = async (tenant: string, queue: SlotPool = 'deliveries') =>
  (
    await database().query('select held, waiting from task_slot_counts where tenant_id = $1 and queue = $2', [
      tenant,
      queue,
    ])
  ).rows[0]
async function hook(tenant: string): Promise<string> {
  const id = newId()
  await database().query(
    `insert into webhooks (id, tenant_id, created_at, updated_at, key, url, headers, secret, events, enabled) values ($1, $2, 1, 1, $3, $4, $5, $6, '["order.created"]', true)`,
    [id, tenant, unique(), encrypt(`${receiver.url}/${id}`), encrypt('{}'), encrypt(secret)],
  )
  return id
}
const statement = <T>(work: (em: EntityManager) => Promise<T>): Promise<T> => work(unitOf(orm, null))
const transaction = <T>(work: (em: EntityManager) => Promise<T>): Promise<T> =>
  unitOf(orm, null).transactional((em) => work(em as EntityManager))
const place = (tenant_id: string, row_id: string) =>
  ({ tenant_id, queue: 'deliveries', kind: 'deliver', row_id }) as const
const holder = () => ({ id: newId(), worker: workerId })
/** Statements that wait for a lock. */
const waitingFor = async (): Promise<string[]> => {
  const { rows } = await database().query(
    `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.map(({ query }) => query.trimStart())
}
const blocked = (count: number) => until(async () => (await waitingFor()).length === count)

test('A webhook’s drain that ends with an error frees its slot', async () => {
  await capacity('deliveries', 5)
  const tenant = newId()
  const webhook = await hook(tenant)
  await database().query('alter table deliveries rename to deliveries_away')
  try {
    await expect(drain(webhook)).rejects.toThrow('deliveries')
  } finally {
    await database().query('alter table deliveries_away rename to deliveries')
  }
  expect([await slotsOf(tenant), (await countOf(tenant))?.held]).toEqual([[], 0])
})

test('A webhook’s drain joins the queue and asks for its signal in one commit', async () => {
  await capacity('deliveries', 5)
  const tenant = newId()
  const webhook = await hook(tenant)
  await transaction((em) => takeSlot(em, place(tenant, newId()), holder()))
  const [count, row] = [await database().connect(), await database().connect()]
  try {
    // First the drain waits for the count; then, between its two writes, for the webhook's row.
    await count.query('begin')
    await count.query('select 1 from task_slot_counts where tenant_id = $1 for update', [tenant])
    const drained = drain(webhook)
    await blocked(1)
    await row.query('begin')
    await row.query('select 1 from webhooks where id = $1 for update', [webhook])
    await count.query('commit')
    await until(async () => (await waitingFor()).some((query) => query.startsWith('update webhooks')))
    expect((await slotsOf(tenant)).filter(({ row_id }) => row_id === webhook)).toEqual([])
    await row.query('commit')
    expect(await drained).toEqual({ wait_ms: null })
  } finally {
    for (const one of [count, row]) {
      await one.query('rollback')
      one.release()
    }
  }
  expect(await slotsOf(tenant)).toContainEqual({ id: webhook, row_id: webhook, worker: null, granted: false })
  expect((await database().query('select awake_until from webhooks where id = $1', [webhook])).rows).toEqual([
    { awake_until: null },
  ])
})

test('A webhook is signalled when it was granted a slot, and not while it waits for one', async () => {
  const tenant = newId()
  const webhook = await hook(tenant)
  const asked = async (write: string) => {
    await database().query('delete from task_slots where tenant_id = $1', [tenant])
    await database().query('update webhooks set awake_until = null where id = $1', [webhook])
    await database().query(write, [webhook, tenant].slice(0, write.includes('$2') ? 2 : 1))
    return (await statement((em) => awakeOnes(em, 'deliver', [webhook]))).length === 0
  }
  const slot = (granted: boolean) =>
    `insert into task_slots (id, tenant_id, queue, kind, row_id, granted, at) values ($1, $2, 'deliveries', 'deliver', $1, ${granted}, now())`
  const looked = `update webhooks set awake_until = now() + interval '1 minute' where id = $1`
  expect(await asked('select $1::uuid')).toBe(true)
  expect(await asked(looked)).toBe(false)
  expect(await asked(slot(false))).toBe(false)
  expect(await asked(`with w as (${looked}) ${slot(true)}`)).toBe(true)
})

test('A drain stops after two seconds while another webhook of its store waits for a slot', async () => {
  await capacity('deliveries', 5)
  const tenant = newId()
  const [first, second] = [await hook(tenant), await hook(tenant)]
  const drained = drain(first)
  await until(async () => (await slotsOf(tenant)).length === 1)
  let n = 0
  let over = false
  const events = (async () => {
    while (!over) {
      await publish(orm, tenant, [{ n: n++ }])
      const next = Date.now() + 200
      await until(async () => Date.now() > next)
    }
  })()
  const since = Date.now()
  try {
    expect(await drain(second)).toEqual({ wait_ms: null })
    await drained
    expect(Date.now() - since).toBeLessThan(10_000)
  } finally {
    over = true
    await events
  }
  // Now it is the other webhook's turn.
  expect(await transaction((em) => grantSlots(em, 'deliveries'))).toBe(1)
  expect(await drain(second)).toEqual({ wait_ms: null })
  expect(await receiver.count(`/${second}`)).toBe(n)
})

test('A slot can be freed while another drain takes it over, without a deadlock', async () => {
  await capacity('deliveries', 50)
  const tenant = newId()
  const webhook = await hook(tenant)
  await database().query(
    `with c as (insert into task_slot_counts (tenant_id, queue, held, waiting, granted) values ($2, 'deliveries', 1, 0, 0))
     insert into task_slots (id, tenant_id, queue, kind, row_id, granted, at) values ($1, $2, 'deliveries', 'deliver', $1, true, now())`,
    [webhook, tenant],
  )
  const em = unitOf(orm, null)
  await em.begin()
  // The count is locked; the slot is not yet.
  await takeSlot(em, place(tenant, newId()), holder())
  const freed = statement((one) => freeSlot(one, webhook))
  await blocked(1)
  const own = holder()
  expect(await takeSlot(em, place(tenant, webhook), own)).toBe(true)
  await em.commit()
  await freed
  expect((await slotsOf(tenant)).map(({ id }) => id)).toContain(own.id)
  expect(await countOf(tenant)).toEqual({ held: 2, waiting: 0 })
})

describe('An account with many stores', () => {
  const account = newId()
  const store = async () => {
    const tenant = newId()
    await database().query(
      `insert into tenants (id, created_at, updated_at, kind, key, timezone, languages, emails, settings, status, is_network, publishable_key, created_by)
       values ($1, 1, 1, 'store', $2, 'UTC', '["en"]', '{}', '{}', 'ACTIVE', false, $2, $3)`,
      [tenant, unique(), account],
    )
    return tenant
  }
  beforeAll(async () => {
    await database().query(
      'insert into accounts (id, created_at, updated_at, email, onboarding_completed) values ($1, 1, 1, $2, false)',
      [account, `${unique()}@tillwright.test`],
    )
  })

  test('The stores of one account get at most half of the webhook slots that others leave', async () => {
    await database().query('delete from task_slot_counts')
    await capacity('deliveries', 50)
    let held = 0
    for (let stores = 0; stores < 6; stores++) {
      const tenant = await store()
      while (await transaction((em) => takeSlot(em, place(tenant, newId()), holder()))) held++
    }
    expect(held).toBe(25)
    // Another account gets slots, and the first one's queued work is not granted any.
    expect(await transaction((em) => takeSlot(em, place(newId(), newId()), holder()))).toBe(true)
    expect(await transaction((em) => grantSlots(em, 'deliveries'))).toBe(0)
  })

  test('The stores of one account get at most half of the node slots that others leave', async () => {
    await capacity('automation', 10)
    const first = async (tenant: string) => {
      const id = await begin(tenant, await newWorkflow(tenant, posts(1)))
      return advanceExecution(id)
    }
    for (let stores = 0; stores < 5; stores++)
      expect(await first(await store())).toMatchObject({ do: 'go', work: [{ node: 'call0' }] })
    expect(await first(await store())).toEqual({ do: 'go', work: [], wait_ms: null, turn: true })
    expect(await first(newId())).toMatchObject({ do: 'go', work: [{ node: 'call0' }] })
  })
})

/** So many posts in parallel. */
const posts = (count: number) => {
  const names = Array.from({ length: count }, (_, n) => `call${n}`)
  const call = { type: 'http', method: 'post', url: receiver.url }
  return {
    nodes: { start: { type: 'trigger' }, ...Object.fromEntries(names.map((name) => [name, call])) },
    edges: names.map((name) => edge('start', name, 'default')),
  }
}

test('A cancelled execution waits for the end of a call that runs without a slot', async () => {
  await capacity('automation', 5)
  await database().query(`delete from task_slot_counts where queue = 'automation'`)
  const tenant = newId()
  const id = await begin(tenant, await newWorkflow(tenant, posts(2)))
  expect(await advanceExecution(id)).toMatchObject({ do: 'go', work: [{ do: 'send' }], turn: true })
  const [waits] = (await slotsOf(tenant)).filter(({ granted }) => !granted)
  // As a worker of an earlier version, without slots, left it.
  await database().query(
    `update node_runs set status = 'processing', token = 'before', claimed_at = now(), sent_at = now(), deadline_at = now() + interval '1 minute' where id = $1`,
    [waits.id],
  )
  await database().query('update executions set cancel_requested = true where id = $1', [id])
  expect(await advanceExecution(id)).toEqual({ do: 'go', work: [], wait_ms: null, turn: true })
  await database().query(`update node_runs set status = 'succeeded', settled_at = now() where id = $1`, [waits.id])
  expect(await advanceExecution(id)).toEqual({ do: 'done', status: 'cancelled' })
  expect([await slotsOf(tenant), await countOf(tenant, 'automation')]).toEqual([[], { held: 0, waiting: 0 }])
})

describe('Executions that compute', () => {
  /** About two milliseconds for each item. */
  const loop = (items: number): GivenGraph => ({
    nodes: {
      start: { type: 'trigger' },
      each: { type: 'loop', items: `Array.from({ length: ${items} }, (_, n) => n)` },
      code: { type: 'transform', code: 'let n = 0; for (let i = 0; i < 20_000; i++) n += i % 7; return n' },
    },
    edges: [edge('start', 'each', 'default'), edge('each', 'code', 'each'), edge('code', 'each', 'success', true)],
  })
  const computing = async (tenant: string, items: number): Promise<string> => {
    const id = await begin(tenant, await newWorkflow(tenant, loop(items)))
    expect(await advanceExecution(id)).toEqual({ do: 'again' })
    return id
  }
  const stop = (id: string) => database().query('update executions set cancel_requested = true where id = $1', [id])

  test('An execution waits for a slot while others of its store compute, then frees it', async () => {
    await capacity('computation', 5)
    const tenant = newId()
    const id = await computing(tenant, 1_000)
    const other = holder()
    const at = { tenant_id: tenant, queue: 'computation', kind: 'execution', row_id: newId() } as const
    await transaction((em) => takeSlot(em, at, other))
    expect(await continueExecution(id)).toEqual({ do: 'wait' })
    expect(await slotsOf(tenant)).toContainEqual({ id, row_id: id, worker: null, granted: false })
    const { rows } = await database().query(
      `select runs, wake_at > now() + interval '5 minutes' as postponed from executions where id = $1`,
      [id],
    )
    expect(rows).toEqual([{ runs: expect.any(Number), postponed: true }])
    await statement((em) => freeSlot(em, other.id))
    await database().query('delete from outbox where row_id = $1', [id])
    expect(await transaction((em) => grantSlots(em, 'computation'))).toBe(1)
    expect((await database().query('select kind, again from outbox where row_id = $1', [id])).rows).toEqual([
      { kind: 'execution', again: true },
    ])
    let step = await continueExecution(id)
    while (step.do === 'again') step = await continueExecution(id)
    expect(step).toEqual({ do: 'done', status: 'completed' })
    expect([await slotsOf(tenant), await countOf(tenant, 'computation')]).toEqual([[], { held: 0, waiting: 0 }])
  })

  test('An execution that is cancelled while it waits for a slot ends at once', async () => {
    await capacity('computation', 5)
    const tenant = newId()
    const id = await computing(tenant, 10_000)
    await transaction((em) =>
      takeSlot(em, { tenant_id: tenant, queue: 'computation', kind: 'execution', row_id: newId() }, holder()),
    )
    expect(await continueExecution(id)).toEqual({ do: 'wait' })
    await stop(id)
    expect(await continueExecution(id)).toEqual({ do: 'done', status: 'cancelled' })
    expect(await countOf(tenant, 'computation')).toEqual({ held: 1, waiting: 0 })
  })

  test('An execution loses its slot when its worker dies, and its place in the queue when it ends', async () => {
    await database().query('delete from task_slot_counts')
    await database().query('delete from task_slots')
    const tenant = newId()
    const workflow = await newWorkflow(tenant, loop(1))
    const [kept, over, late] = [
      await begin(tenant, workflow),
      await begin(tenant, workflow),
      await begin(tenant, workflow),
    ]
    await database().query(`update executions set status = 'completed' where id = $1`, [over])
    await capacity('computation', 100)
    const own = holder()
    for (const by of [own, { id: newId(), worker: newId() }])
      await transaction((em) =>
        takeSlot(em, { tenant_id: tenant, queue: 'computation', kind: 'execution', row_id: newId() }, by),
      )
    for (const [id, granted] of [
      [kept, false],
      [over, false],
      [late, true],
    ])
      await database().query(
        `insert into task_slots (id, tenant_id, queue, kind, row_id, granted, at) values ($1, $2, 'computation', 'execution', $1, $3, now() - interval '1 hour')`,
        [id, tenant, granted],
      )
    const { recountAllSlots } = await import('../../workers/reconciler.ts')
    await recountAllSlots(orm)
    expect((await slotsOf(tenant)).map(({ id }) => id).sort()).toEqual([kept, own.id].sort())
    expect(await countOf(tenant, 'computation')).toEqual({ held: 1, waiting: 1 })
  })
})

test('Executions that wait for a slot are postponed, and a locked one delays no other', async () => {
  const tenant = newId()
  const workflow = await newWorkflow(tenant, posts(1))
  const [locked, free] = [await begin(tenant, workflow), await begin(tenant, workflow)]
  for (const id of [locked, free]) {
    await database().query(
      `update executions set status = 'running', wake_at = now() - interval '1 minute' where id = $1`,
      [id],
    )
    await database().query(
      `insert into task_slots (id, tenant_id, queue, kind, row_id, granted, at) values ($1, $2, 'automation', 'execution', $3, false, now())`,
      [newId(), tenant, id],
    )
  }
  const other = await database().connect()
  try {
    await other.query('begin')
    await other.query('select 1 from executions where id = $1 for update', [locked])
    await transaction(async (em) => {
      await em.execute(`set local lock_timeout = '500ms'`)
      await postponeWaiting(em, 1_000)
    })
  } finally {
    await other.query('rollback')
    other.release()
  }
  const late = async (id: string) =>
    (await database().query('select wake_at < now() as late from executions where id = $1', [id])).rows[0].late
  expect([await late(locked), await late(free)]).toEqual([true, false])
})

test('A webhook test waits for a slot of its store, starts when granted, and frees it', async () => {
  await database().query('delete from task_slot_counts')
  await capacity('deliveries', 5)
  const tenant = newId()
  const webhook_id = await hook(tenant)
  const request = (delivery_id: string) =>
    unitOf(orm, tenant).transactional(
      async (em) =>
        (await requestTest(em as EntityManager, tenant, { delivery_id, webhook_id, fingerprint: '' }, 1)).id,
    )
  const [first, second] = [await request(newId()), await request(newId())]
  const started = async () =>
    (
      await database().query(`select row_id from outbox where kind = 'webhook_test' and tenant_id = $1`, [tenant])
    ).rows.map(({ row_id }) => row_id)
  const open = async () =>
    (await statement((em) => unfinished(em, webhookTestEffect, { idleS: 1, limit: 1_000, after: null }))).rows
      .filter((one) => one.tenant_id === tenant)
      .map(({ id }) => id)
  expect([await started(), await open(), await countOf(tenant)]).toEqual([[first], [first], { held: 1, waiting: 1 }])
  // A drain of the store has its turn behind the tests.
  expect(await transaction((em) => takeSlot(em, place(tenant, newId()), holder()))).toBe(false)

  await statement((em) => claim(em, webhookTestEffect, first, 'mine'))
  await transaction((em) => settle(em, webhookTestEffect, first, 'mine', { status: 'rejected', evidence: {} }))
  expect(await transaction((em) => grantSlots(em, 'deliveries'))).toBe(1)
  expect([await started(), await open(), await countOf(tenant)]).toEqual([
    [first, second],
    [second],
    { held: 1, waiting: 1 },
  ])
  expect(await transaction((em) => giveUp(em, webhookTestEffect, second))).toBe('failed')
  expect(await countOf(tenant)).toEqual({ held: 0, waiting: 1 })
})

test('The slots of lost workers and ended work of 500 stores are freed in few statements', async () => {
  await database().query('delete from task_slot_counts')
  await database().query('delete from task_slots')
  await capacity('deliveries', 5)
  const [busy, webhook] = [newId(), newId()]
  const own = holder()
  expect(await transaction((em) => takeSlot(em, place(busy, webhook), own))).toBe(true)
  await database().query('update task_slot_counts set held = 4, waiting = 7 where tenant_id = $1', [busy])
  await database().query(
    `with t as (select gen_random_uuid() as id from generate_series(1, 500)),
       c as (insert into task_slot_counts (tenant_id, queue, held, waiting, granted) select id, 'deliveries', 3, 2, 0 from t)
     insert into task_slots (id, tenant_id, queue, kind, row_id, worker, granted, at)
       select gen_random_uuid(), id, 'deliveries', kind, gen_random_uuid(), case when kind = 'deliver' then gen_random_uuid() end, true, now()
       from t, unnest(array['deliver', 'webhook_test']) kind`,
  )
  const statements: string[] = []
  const counted = await openOrm({
    url: lab.stack.env.DATABASE_URL as string,
    pool: 2,
    onStatement: (sql) => statements.push(sql),
  })
  const { recountAllSlots } = await import('../../workers/reconciler.ts')
  await recountAllSlots(counted)
  await counted.close(true)
  expect(statements.length).toBeLessThan(40)
  expect((await database().query('select id from task_slots')).rows).toEqual([{ id: own.id }])
  expect((await database().query('select tenant_id, held, waiting from task_slot_counts')).rows).toEqual([
    { tenant_id: busy, held: 1, waiting: 0 },
  ])
})
