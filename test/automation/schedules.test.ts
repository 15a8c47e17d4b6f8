// A workflow's schedule in Temporal follows its row whenever either changes, and each due time starts one execution.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Client, Connection, ScheduleNotFoundError } from '@temporalio/client'
import { occur } from '../../entities/automation/triggers.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { schedules } from '../../workers/schedules.ts'
import { workflow } from '../kit/automation/automations.ts'
import { timesAfter } from '../kit/automation/crontab.ts'
import { until } from '../kit/codes.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let connection: Connection
let temporal: Client
let orm: Orm
beforeAll(async () => {
  shop = await newShop()
  connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string })
  temporal = new Client({ connection })
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 4 })
})
afterAll(async () => {
  await connection.close()
  await orm.close(true)
  await database().end()
})

/** Comes so seldom that it does not occur during a test. */
const seldom = '0 0 29 2 *'
const handle = (id: string) => temporal.schedule.getHandle(`schedule/${id}`)
const described = (id: string) =>
  handle(id)
    .describe()
    .catch((error) => {
      if (error instanceof ScheduleNotFoundError) return null
      throw error
    })
const there = (id: string) => until(() => described(id), 20_000)
const becomes = (id: string, so: (found: Awaited<ReturnType<typeof described>>) => boolean) =>
  until(async () => so(await described(id)), 20_000)
const update = (id: string, body: unknown) => shop.asOperator('PUT', `/workflows/${id}`, body)
const executionsOf = async (id: string) =>
  (await database().query('select * from executions where workflow_id = $1 order by created_at, id', [id])).rows

/** Triggers an occurrence now; resolves when Temporal has completed it. */
async function happen(id: string): Promise<void> {
  const before = (await there(id)).info.numActionsTaken
  await handle(id).trigger()
  const taken = await until(async () => {
    const { info } = await there(id)
    return info.numActionsTaken > before && info.recentActions.at(-1)
  }, 20_000)
  await temporal.workflow.getHandle(taken.action.workflow.workflowId).result()
}

test('A schedule starts the workflow on the automation queue, without overlap or long catch-up', async () => {
  const { id } = await workflow(shop, { schedule: seldom })
  const { action, policies, state, spec } = await there(id)
  expect(action).toMatchObject({
    type: 'startWorkflow',
    workflowType: 'scheduled',
    taskQueue: 'automation',
    args: [id],
    workflowId: `scheduled/${id}`,
  })
  expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow: 60_000 })
  expect([state.paused, state.note, spec.timezone]).toEqual([false, seldom, 'UTC'])
})

test('A schedule is changed, paused, resumed and deleted with its workflow’s row', async () => {
  const { id } = await workflow(shop, { schedule: seldom })
  await there(id)
  await update(id, { schedule: '0 0 1 1 *' })
  await becomes(id, (found) => found?.state.note === '0 0 1 1 *' && found.info.nextActionTimes[0]?.getUTCMonth() === 0)
  await update(id, { status: 'archived' })
  await becomes(id, (found) => found?.state.paused === true)
  await update(id, { status: 'draft' })
  await update(id, { status: 'active' })
  await becomes(id, (found) => found?.state.paused === false)
  await update(id, { schedule: null })
  await becomes(id, (found) => found === null)
  await update(id, { schedule: seldom })
  await there(id)
  expect((await shop.asOperator('DELETE', `/workflows/${id}`)).status).toBe(200)
  await becomes(id, (found) => found === null)
})

test('A draft’s schedule exists and is paused', async () => {
  const { id } = await workflow(shop, { schedule: seldom, status: 'draft' })
  expect((await there(id)).state.paused).toBe(true)
})

test('A change that does not concern the schedule writes no start for it', async () => {
  const { id } = await workflow(shop)
  await update(id, { key: `renamed-${id}`, nodes: { start: { type: 'trigger' } }, edges: [] })
  await update(id, { status: 'archived' })
  await shop.asOperator('DELETE', `/workflows/${id}`)
  expect((await database().query("select 1 from outbox where row_id = $1 and kind = 'schedule'", [id])).rows).toEqual(
    [],
  )
  await expect(temporal.workflow.getHandle(`schedule/${id}`).describe()).rejects.toThrow(/not found/i)
})

test('A schedule ends as the last of many changes says', async () => {
  const { id } = await workflow(shop, { schedule: seldom })
  await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      update(id, { schedule: `${n} 0 1 1 *`, status: n % 2 === 0 ? 'active' : 'archived' }),
    ),
  )
  const { rows } = await database().query('select schedule, status from workflows where id = $1', [id])
  await becomes(
    id,
    (found) => found?.state.note === rows[0].schedule && found?.state.paused === (rows[0].status !== 'active'),
  )
})

test.each([
  '* * * * *',
  '*/7 3-5 * * *',
  '0,15,30-45/5 8-18 * * 1-5',
  // Day of month or day of week, each time once.
  '0 0 13 * 5',
  '30 6 1,15 * mon,wed',
  '0 0 30 2 1',
  // A day that is both.
  '0 12 */3 * 2',
  '0 12 1-7 * */2',
  // Sunday has two numbers.
  '5 4 * * 7',
  '5 4 * * 0',
  '5 4 * * 5-7',
  '5 4 * * SAT,7',
  '5 4 * * */5',
  '59 23 31 jan-MAR,dec *',
  seldom,
])('Temporal computes the same times for %s as the crontab rule', async (schedule) => {
  const { id } = await workflow(shop, { schedule })
  const { info } = await there(id)
  // The rule is evaluated for a moment two minutes later: times that have passed by then are not compared.
  const [first] = info.nextActionTimes
  const expected = timesAfter(schedule, new Date((first as Date).getTime() - 60_000), info.nextActionTimes.length)
  expect(info.nextActionTimes).toEqual(expected)
  expect(info.nextActionTimes.length).toBeGreaterThan(4)
  const [next] = timesAfter(schedule, new Date(Date.now() - 120_000), 1)
  expect((first as Date).getTime()).toBeGreaterThanOrEqual((next as Date).getTime())
  await shop.asOperator('PUT', `/workflows/${id}`, { schedule: null })
})

test('An occurrence starts one execution with the time at which it was due', async () => {
  const { id } = await workflow(shop, { schedule: seldom })
  await happen(id)
  const [row, ...more] = await executionsOf(id)
  expect(more).toEqual([])
  expect(row).toMatchObject({
    source: 'schedule',
    tenant_id: shop.store_id,
    input: { scheduled_at: expect.any(Number) },
  })
  expect(Math.floor(Date.parse(row.occurrence) / 1000)).toBe(row.input.scheduled_at)
  expect(Math.abs(row.input.scheduled_at - Date.now() / 1000)).toBeLessThan(60)
})

test('An occurrence of a workflow that is not active starts none', async () => {
  const { id } = await workflow(shop, { schedule: seldom, status: 'draft' })
  await happen(id)
  expect(await executionsOf(id)).toEqual([])
})

test('An occurrence that is repeated, at once or later, starts no second execution', async () => {
  const { id } = await workflow(shop, { schedule: seldom })
  const tell = (at: string) => occur(unitOf(orm, null), id, at, 1)
  const told = await Promise.all(Array.from({ length: 8 }, () => tell('2030-01-01T00:00:00.000Z')))
  expect(told.filter((one) => one !== null)).toHaveLength(1)
  expect(await tell('2030-01-01T00:00:00.000Z')).toBeNull()
  expect(await tell('2030-01-01T00:01:00.000Z')).not.toBeNull()
  const { rows } = await database().query("select 1 from executions x where workflow_id = $1 and source = 'schedule'", [
    id,
  ])
  expect(rows).toHaveLength(2)
  expect(await occur(unitOf(orm, null), newId(), '2030-01-01T00:00:00.000Z', 1)).toBeNull()
})

test('A starting worker repairs schedules that are missing or differ, and no others', async () => {
  const made = await Promise.all(Array.from({ length: 4 }, () => workflow(shop, { schedule: seldom })))
  const [missing, paused, other, fine] = made.map(({ id }) => id) as [string, string, string, string]
  await Promise.all(made.map(({ id }) => there(id)))
  const orphan = newId()
  const untouched = await temporal.workflow.getHandle(`schedule/${fine}`).describe()
  await handle(missing).delete()
  await handle(paused).pause('by hand')
  await handle(other).update((found) => ({
    ...found,
    spec: { calendars: [{ hour: 5 }] },
    state: { ...found.state, note: 'by hand' },
  }))
  const { action } = await there(fine)
  await temporal.schedule.create({
    scheduleId: `schedule/${orphan}`,
    spec: { calendars: [{ year: 2099 }] },
    action: { ...action, args: [orphan] } as never,
  })
  const seen = (of: string, so: (state: { note?: string; paused: boolean } | undefined) => boolean) =>
    until(async () => {
      for await (const { scheduleId, state } of temporal.schedule.list())
        if (scheduleId === `schedule/${of}`) return so(state)
      return so(undefined)
    })
  // Temporal's list shows a change a moment later.
  await Promise.all([
    seen(missing, (state) => state === undefined),
    seen(paused, (state) => state?.paused === true),
    seen(other, (state) => state?.note === 'by hand'),
    seen(orphan, (state) => state !== undefined),
  ])
  await schedules(orm, temporal, new AbortController().signal)
  await becomes(missing, (found) => found?.state.note === seldom)
  await becomes(paused, (found) => found?.state.paused === false)
  await becomes(other, (found) => found?.state.note === seldom && found.info.nextActionTimes[0]?.getUTCMonth() === 1)
  await becomes(orphan, (found) => found === null)
  expect((await temporal.workflow.getHandle(`schedule/${fine}`).describe()).runId).toBe(untouched.runId)
}, 90_000)
