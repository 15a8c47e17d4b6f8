// A workflow's schedule in the engine is what its row says: made, changed, paused and removed with it, however often it is told.
import { Context } from '@temporalio/activity'
import {
  type CalendarSpec,
  type Client,
  DAYS_OF_WEEK,
  MONTHS,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  type ScheduleOptions,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import { defineSearchAttributeKey } from '@temporalio/common'
import { type Planned, plannedOf } from '../entities/automation/schedules.ts'
import { occur } from '../entities/automation/triggers.ts'
import { type CronRange, calendarsOf } from '../rules/automation/cron.ts'
import { processes, scheduleId, workflowId } from '../rules/processes.ts'
import { statement } from './database.ts'

const named = <T extends string>(ranges: readonly CronRange[], nameOf: (value: number) => T) =>
  ranges.map(({ start, end }) => ({ start: nameOf(start), end: nameOf(end) }))

/** Structured: a cron text of the engine's own asks for a day that is both, where a crontab asks for either. */
const calendars = (schedule: string): CalendarSpec[] =>
  calendarsOf(schedule).map(({ minute, hour, day, month, weekday }) => ({
    minute,
    hour,
    dayOfMonth: day,
    month: named(month, (value) => MONTHS[value - 1] as (typeof MONTHS)[number]),
    dayOfWeek: named(weekday, (value) => DAYS_OF_WEEK[value] as (typeof DAYS_OF_WEEK)[number]),
  }))

const optionsOf = ({ id, tenant_id, schedule, active, summary }: Planned) =>
  ({
    spec: { calendars: calendars(schedule), timezone: 'UTC' },
    action: {
      type: 'startWorkflow',
      workflowType: 'scheduled',
      workflowId: workflowId('scheduled', id),
      taskQueue: processes.scheduled.queue,
      args: [id],
      staticSummary: summary,
      typedSearchAttributes: [
        { key: defineSearchAttributeKey('TenantId', 'KEYWORD'), value: tenant_id },
        { key: defineSearchAttributeKey('Kind', 'KEYWORD'), value: 'scheduled' },
      ],
    },
    // What is missed for longer is not made up for: without this the engine would, for a year.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    // The note is what a list of schedules shows of it: what is to be compared stands there.
    state: { paused: !active, note: schedule },
  }) satisfies Omit<ScheduleOptions, 'scheduleId'>

const unlessGone = (error: unknown): false => {
  if (error instanceof ScheduleNotFoundError) return false
  throw error
}

async function write(client: Client, id: string, planned: Planned | null): Promise<void> {
  const handle = client.schedule.getHandle(scheduleId(id))
  if (!planned) {
    await handle.delete().catch(unlessGone)
    return
  }
  const options = optionsOf(planned)
  const there = await handle.update(() => options).then(() => true, unlessGone)
  if (there) return
  try {
    await client.schedule.create({ scheduleId: scheduleId(id), ...options })
  } catch (error) {
    // Somebody was quicker; what he wrote may be older.
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await handle.update(() => options)
  }
}

const same = (a: Planned | null, b: Planned | null) => a?.schedule === b?.schedule && a?.active === b?.active && a?.summary === b?.summary

/** Written again while the row is another than what was written: whoever is late writes what is true now. */
export async function applySchedule(id: string): Promise<void> {
  const { client } = Context.current()
  const row = () => statement((em) => plannedOf(em, id))
  let written: Planned | null
  let now = await row()
  do {
    written = now
    await write(client, id, written)
    now = await row()
  } while (!same(written, now))
}

/** `at`: when it was due, as ISO 8601. Said twice it is one execution; of a workflow that is not active, none. */
export async function applyOccurrence(id: string, at: string): Promise<void> {
  await statement((em) => occur(em, id, at, Math.floor(Date.now() / 1000)))
}
