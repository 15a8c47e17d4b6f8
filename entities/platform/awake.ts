// Webhooks and mailboxes that a drain attends to: `awake_until` is set while it does.
import type { EntityManager } from '@mikro-orm/postgresql'
import { column, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

/** The tables whose rows are drained, by the kind of the process that drains them. */
export const drainedTables = { deliver: 'webhooks', dispatch: 'mailboxes' } as const
export type DrainKind = keyof typeof drainedTables
export const isDrain = (kind: string): kind is DrainKind => kind in drainedTables

/** Those that need no signal now: a drain is running, or a signal follows when a slot is granted. */
export async function awakeOnes(em: EntityManager, kind: DrainKind, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows: { id: string }[] = await em.execute(
    // One with a granted slot that no drain has taken over is signalled in any case.
    sql`
      select d.id
      from ${column(drainedTables[kind])} d
      where d.id = any (${uuids(ids)})
        and (
          d.awake_until > clock_timestamp() + interval '200 ms'
          and not exists (select 1 from task_slots s where s.id = d.id and s.tenant_id = d.tenant_id and s.granted)
          or exists (select 1 from task_slots s where s.id = d.id and s.tenant_id = d.tenant_id and not s.granted)
        )
    `,
  )
  return rows.map(({ id }) => id)
}
