// Describes work that is not settled: its rows and their leases, its workflows with their pending activities, and
// the sessions of the database.
import fs from 'node:fs'
import path from 'node:path'
import { Client, type Connection } from '@temporalio/client'
import type { World } from './world.ts'

type Seen = Pick<World, 'db' | 'logs'>

/** Lines of one list at most. */
const shownMax = 40

const inSeconds = (interval: string) => `round(extract(epoch from ${interval})::numeric, 1)::float8`
const since = (time: string) => inSeconds(`clock_timestamp() - ${time}`)
const until = (time: string) => inSeconds(`${time} - clock_timestamp()`)

/** Statements by the name of what their rows show. `$1`: the tenants. Ages and waits are in seconds. */
const queries: Record<string, string> = {
  campaign: `
    select id, status, paused_reason, ${since('to_timestamp(launched_at)')} as launched_ago_s,
      ${since('to_timestamp(updated_at)')} as changed_ago_s
    from campaigns
    where tenant_id = any ($1)`,
  enrollments: `
    select e.campaign_id, e.mailbox_id, e.status, e.step, count(*)::int as count, count(e.due_at)::int as due,
      ${until('min(e.due_at)')} as due_in_s, ${until('max(e.due_at)')} as last_due_in_s,
      count(*) filter (where exists (
        select 1 from campaign_messages m
        where m.enrollment_id = e.id and m.step = e.step and m.kind = 'step'))::int as written
    from enrollments e
    where e.tenant_id = any ($1) and e.status = 'active'
    group by 1, 2, 3, 4`,
  messages: `
    select campaign_id, mailbox_id, step, status, error ->> 'code' as error, count(*)::int as count,
      max(attempt) as attempts, ${until('min(due_at)')} as due_in_s, ${until('min(deadline_at)')} as deadline_in_s
    from campaign_messages
    where tenant_id = any ($1) and kind = 'step'
    group by 1, 2, 3, 4, 5`,
  mailbox: `
    select id, status, sending_failures, sending_error, ${since('awake_until')} as awake_until_ago_s,
      ${since('sending_again_at')} as again_ago_s
    from mailboxes
    where tenant_id = any ($1)
      and (awake_until is not null or sending_failures > 0 or sending_again_at is not null)`,
  slot: `
    select id, queue, kind, row_id, granted, worker, ${since('at')} as taken_ago_s
    from task_slots
    where tenant_id = any ($1)`,
  counts: 'select queue, held, waiting from task_slot_counts where tenant_id = any ($1)',
  worker: `
    select id, queue, slots, ${since('seen_at')} as seen_ago_s
    from task_workers
    where queue = 'campaigns' and cardinality($1::uuid[]) > 0`,
  outbox: `
    select kind, row_id, tries, parked, error, ${since('not_before')} as due_ago_s,
      ${since('lease_until')} as leased_until_ago_s
    from outbox
    where tenant_id = any ($1) or tenant_id is null`,
  session: `
    select pid, state, wait_event_type, wait_event, ${since('state_change')} as for_s,
      pg_blocking_pids(pid) as blocked_by, left(query, 200) as query
    from pg_stat_activity
    where pid <> pg_backend_pid() and state <> 'idle'
      and state_change < clock_timestamp() - interval '1 second' and cardinality($1::uuid[]) > 0`,
}

async function rowsOf({ db }: Seen, tenants: readonly string[]): Promise<string[]> {
  const lines: string[] = []
  for (const [name, text] of Object.entries(queries)) {
    const { rows } = await db.query({ text, values: [tenants] })
    lines.push(...rows.slice(0, shownMax).map((row) => `${name} ${JSON.stringify(row)}`))
    if (rows.length > shownMax) lines.push(`${name}: ${rows.length - shownMax} more`)
  }
  return lines
}

const seconds = (at: { seconds?: unknown } | null | undefined): number | null =>
  at ? Math.round(Date.now() / 1000 - Number(at.seconds)) : null

/** The running workflows of the tenants, and what each waits for. */
async function workflowsOf(engine: Connection, tenants: readonly string[]): Promise<string[]> {
  const client = new Client({ connection: engine })
  const query = `ExecutionStatus = 'Running' and TenantId in (${tenants.map((id) => `'${id}'`)})`
  const lines: string[] = []
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    if (lines.length > shownMax) break
    const { raw } = await client.workflow.getHandle(workflowId, runId).describe()
    const activities = (raw.pendingActivities ?? []).map((one) => ({
      ...{ type: one.activityType?.name, state: one.state, attempt: one.attempt, worker: one.lastWorkerIdentity },
      ...{
        started_ago_s: seconds(one.lastStartedTime),
        beat_ago_s: seconds(one.lastHeartbeatTime),
        scheduled_ago_s: seconds(one.scheduledTime),
      },
      failure: one.lastFailure?.message,
    }))
    const { pendingWorkflowTask: task } = raw
    const waits = task
      ? {
          state: task.state,
          attempt: task.attempt,
          scheduled_ago_s: seconds(task.scheduledTime),
          started_ago_s: seconds(task.startedTime),
        }
      : null
    lines.push(
      `workflow ${workflowId}, of ${seconds(raw.workflowExecutionInfo?.startTime)} s: activities ${JSON.stringify(activities)}, task ${JSON.stringify(waits)}`,
    )
  }
  return lines
}

/** The last warnings of the workers since `from`, in Unix milliseconds. */
function warningsOf({ logs }: Seen, from: number): string[] {
  const lines = fs
    .readdirSync(logs)
    .filter((name) => name.startsWith('worker'))
    .flatMap((name) =>
      fs
        .readFileSync(path.join(logs, name), 'utf8')
        .split('\n')
        .map((line) => ({ name, line })),
    )
    .flatMap(({ name, line }) => {
      const at = /^\{"level":[4-6]0,"time":"([^"]+)"/.exec(line)?.[1]
      return at && Date.parse(at) >= from ? [{ at, text: `${name} ${line.slice(0, 500)}` }] : []
    })
  return lines
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .slice(-shownMax)
    .map(({ text }) => text)
}

/**
 * Lines about all open work of the tenants. `from`: warnings since then, in Unix milliseconds. A line names what could
 * not be read.
 */
export async function diagnose(
  world: Seen,
  engine: Connection,
  tenants: readonly string[],
  from: number,
): Promise<string[]> {
  const unread = (what: string) => (error: Error) => [`${what} could not be read: ${error.message}`]
  return [
    ...(await rowsOf(world, tenants).catch(unread('rows'))),
    ...(await workflowsOf(engine, tenants).catch(unread('workflows'))),
    ...warningsOf(world, from),
  ]
}
