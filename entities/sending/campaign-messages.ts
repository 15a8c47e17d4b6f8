// How a campaign message is claimed and settled: what rules/effects.ts asks of the rows of `campaign_message`. Messages
// of steps are sent by the drain of their mailbox.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'
import { effectRow } from '../kit/effects.ts'
import { freeSlot, lockCountsOfSlot, type Place } from '../platform/task-slots.ts'
import { messagesSettled, recountSteps } from './completion.ts'
import { reachableSql } from './wanted.ts'

/** Enrollments are locked before slots and messages. */
async function lock(em: EntityManager, id: string): Promise<void> {
  await em.execute(sql`
    select n.id
    from enrollments n
    join campaign_messages m on m.enrollment_id = n.id and m.tenant_id = n.tenant_id
    where m.id = ${id} and m.kind = 'step'
    for no key update of n
  `)
  await lockCountsOfSlot(em, id)
}

async function afterStatusChange(em: EntityManager, id: string): Promise<void> {
  await freeSlot(em, id)
  const [row]: { kind: string; code: string | null }[] = await em.execute(
    sql`select kind, error ->> 'code' as code from campaign_messages where id = ${id}`,
  )
  if (row?.kind !== 'step') return
  await messagesSettled(em, [id])
  // It may have been counted as failed.
  if (row.code === 'quarantined') await recountSteps(em, id)
}

export const campaignMessageEffect = effectRow('campaign_message', {
  // When a reply or a test is sent; a reply of an operator is also sent to those that unsubscribed.
  precondition: sql`
    exists (
      select 1
      from mailboxes b
      where b.tenant_id = e.tenant_id and b.id = e.mailbox_id and b.status = 'active'
    )
    and ${reachableSql('e')}
  `,
  // The drain of its mailbox sends a step's message, and one whose drain was lost is settled after its deadline. The
  // grant of its slot starts another one.
  waits: sql`
    e.kind = 'step' and (e.deadline_at is null or e.deadline_at > clock_timestamp())
    or e.due_at > clock_timestamp()
    or exists (select 1 from task_slots s where s.id = e.id and s.tenant_id = e.tenant_id and not s.granted)
  `,
  lock,
  afterStatusChange,
  deferrable: true,
})

export const placeOf = (tenant_id: string, id: string): Place => ({
  tenant_id,
  queue: 'campaigns',
  kind: 'campaign_message',
  row_id: id,
})

/**
 * Where a message that the server deferred takes its slot again, if it is to be sent and holds none; undefined for
 * others. `waits`: one of a step, which its drain sends, or its deadline settles.
 */
export async function unslottedMessage(em: EntityManager, id: string): Promise<Place | 'waits' | undefined> {
  const [found]: { tenant_id: string; kind: string }[] = await em.execute(sql`
    select tenant_id, kind
    from campaign_messages e
    where id = ${id}
      and (
        kind = 'step' and status in ('requested', 'processing')
        or kind <> 'step'
        and status = 'requested'
        and due_at <= clock_timestamp()
        and not exists (select 1 from task_slots s where s.id = e.id and s.tenant_id = e.tenant_id and s.granted)
      )
  `)
  if (found?.kind === 'step') return 'waits'
  return found && placeOf(found.tenant_id, id)
}
