// Everything that a contact has becomes another contact's, in one function: a visitor who signs in and an operator who
// merges move the same. What becomes of the rows of each table is declared beside it (entities/<domain>/tables.ts).
import type { EntityManager } from '@mikro-orm/postgresql'
import { column, join, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import type { ContactMove, LockedContact, MoveRows } from '../kit/table.ts'
import { contactColumns } from '../tables.ts'
import { refreshContacts } from './contact-words.ts'

/**
 * Locks the contacts by id, sorted by id. A transaction that writes a row for one of them locks it `for key share` and
 * waits; after this statement, all that such transactions wrote is visible. Requires the locks of their channels.
 */
export const lockContacts = async (
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<LockedContact[]> =>
  em.execute(sql`
    select id, taxonomies
    from contacts
    where tenant_id = ${tenantId} and id = any (${uuids(ids)})
    order by id
    for update
  `)

const plain = contactColumns.flatMap((one) => ('moves' in one ? [one] : []))

/** Rows that are locked by id, and those of other tables after them. One statement. */
async function movePlain(em: EntityManager, { tenantId, from, to }: ContactMove): Promise<void> {
  const parts = plain.map(({ table, column: name, moves }) => {
    const all = sql`tenant_id = ${tenantId} and ${column(name)} = ${from.id}`
    const own = moves.where ? sql`${all} and ${moves.where}` : all
    const locked = column(`${table}_locked`)
    return {
      lock: sql`
        ${locked} as materialized (
          select id
          from ${column(table)}
          where ${own}
          order by id
          for no key update
        )
      `,
      name: column(`${table}_moved`),
      update: sql`
        update ${column(table)}
        set ${column(name)} = ${to.id}
        where ${moves.locked ? sql`tenant_id = ${tenantId} and id in (select id from ${locked})` : own}
      `,
      isLocked: moves.locked,
    }
  })
  const last = parts.pop()
  if (!last) return
  const ctes = parts.flatMap(({ lock, name, update, isLocked }) => [
    ...(isLocked ? [lock] : []),
    sql`${name} as (${update})`,
  ])
  await em.execute(sql`with ${join(ctes)} ${last.update}`)
}

/**
 * The moves of a merge, in the order of the register, in which rows are locked. The plain ones move where the first of
 * them stands.
 */
const moves = contactColumns.flatMap((one): MoveRows[] => {
  if ('moves' in one) return one === plain[0] ? [movePlain] : []
  return 'by' in one && typeof one.by === 'function' ? [one.by] : []
})

/**
 * Moves all records of `from` to `to`, except its sessions: of those the caller decides. Requires the locks of the
 * source's sessions that move, of the channels and of both contacts. `both`: what happens to two subscribed memberships
 * of one audience (`Moving`). Locks carts, orders, submissions, memberships, enrollments and reactions.
 * Returns the members that were left with `from`. At most 37 statements, however many records. `now` in Unix seconds.
 */
export async function moveRecords(
  em: EntityManager,
  tenantId: string,
  from: LockedContact,
  to: LockedContact,
  both: ContactMove['both'],
  now: number,
): Promise<string[]> {
  const left: string[] = []
  for (const move of moves) await move(em, { tenantId, from, to, both, left, now })
  await refreshContacts(em, tenantId, [from.id, to.id])
  return left
}
