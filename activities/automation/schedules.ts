// Keeps a workflow's Temporal schedule equal to its row: created, changed, paused and deleted with it. Idempotent.

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
import { unixNow } from '../../adapters/clock.ts'
import { type Planned, plannedOf } from '../../entities/automation/schedules.ts'
import { occur } from '../../entities/automation/triggers.ts'
import { type CronRange, calendarsOf } from '../../rules/automation/cron.ts'
import { processes, scheduleId, workflowId } from '../../rules/processes.ts'
import { statement } from '../kit/database.ts'

const named = <T extends string>(ranges: readonly CronRange[], nameOf: (value: number) => T) =>
  ranges.map(({ start, end }) => ({ start: nameOf(start), end: nameOf(end) }))

/** Structured: of a cron text with both days set, Temporal requires both, and crontab either. */
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
    // Occurrences missed for longer are skipped; Temporal's default is a year.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1 minute' },
    // A list of schedules shows only the note: workers/schedules.ts compares it.
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
    // Another worker created it meanwhile, perhaps from an older row.
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    await handle.update(() => options)
  }
}

const same = (a: Planned | null, b: Planned | null) =>
  a?.schedule === b?.schedule && a?.active === b?.active && a?.summary === b?.summary

/** Written again while the row differs from what was written, so that the last writer writes the newest row. */
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

/** `at`: when it was due, ISO 8601. Idempotent; without effect for a workflow that is not active. */
export async function applyOccurrence(id: string, at: string): Promise<void> {
  await statement((em) => occur(em, id, at, unixNow()))
}
