// Visitors who proved no address and left nothing behind are deleted with their carts.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Sql, sql } from '../kit/database/sql.ts'
import { count, none } from '../kit/expiry.ts'
import { firstIdAt, uuids } from '../kit/ids.ts'
import type { Round } from '../kit/table.ts'

const idArray = (rows: readonly { id: string }[]): Sql => uuids(rows.map(({ id }) => id))

// No index finds the few contacts that expire: each round reads the next thousand by id, from a random one after a
// start, and wraps around.
let cursor: string | null = null

/**
 * Visitors without a channel, an order, a submission, a review or comment, or a recent cart: deletes their carts, then
 * the contacts and their sessions.
 */
export async function sweepVisitors(em: EntityManager, { now, before, floor, batch }: Round): Promise<number> {
  cursor ??= firstIdAt(before - Math.random() * (now - before))
  const seen: { id: string }[] = await em.execute(
    sql`select id from contacts where id > ${cursor} and id < ${floor} order by id limit ${batch}`,
  )
  cursor = seen.length < batch ? firstIdAt(0) : (seen.at(-1)?.id ?? null)
  if (seen.length === 0) return 0
  const ids = idArray(seen)
  const named = sql`
    ${none(sql`contact_channels h where h.contact_id = c.id`)}
    and ${none(sql`orders o where o.tenant_id = c.tenant_id and o.contact_id = c.id`)}
    and ${none(sql`form_submissions f where f.contact_id = c.id`)}
    and ${none(sql`audience_members m where m.contact_id = c.id`)}
    and ${none(sql`enrollments n where n.contact_id = c.id`)}
    and ${none(sql`chats t where t.contact_id = c.id`)}
    and ${none(sql`
      reactions x
      where x.tenant_id = c.tenant_id and x.author_id = c.id and x.slot is not null and x.has_content
    `)}
    and c.taxonomies = '[]'
  `
  const inactive = none(sql`carts k where k.contact_id = c.id and (k.status <> 'open' or k.updated_at >= ${before})`)
  // Visitors with a valid code are about to identify themselves.
  const identifying = sql`
    select s.contact_id
    from challenges h
    join contact_sessions s on s.id = h.contact_session_id
    where h.expires_at > ${now}
  `
  const expired: { id: string }[] = await em.execute(
    sql`
      select c.id
      from contacts c
      where c.id = any (${ids}) and ${named} and ${inactive} and c.id not in (${identifying})
    `,
  )
  if (expired.length === 0) return 0
  const candidates = idArray(expired)
  return em.transactional(async (at) => {
    // Sessions are locked before contacts, the order of every request: a visitor with a running request keeps their
    // session, and a later request finds none.
    const sessions: { id: string }[] = await at.execute(
      sql`
        select id
        from contact_sessions
        where contact_id = any (${candidates})
        order by id
        for update skip locked
      `,
    )
    const idle: { id: string }[] = await at.execute(
      // Contacts that a request has locked are in use: they are skipped.
      sql`
        select c.id
        from contacts c
        where c.id = any (${candidates})
          and ${named}
          and ${inactive}
          and ${none(sql`contact_sessions s where s.contact_id = c.id and s.id <> all (${idArray(sessions)})`)}
        order by c.id
        for update skip locked
      `,
    )
    if (idle.length === 0) return 0
    const theirs = idArray(idle)
    await at.execute(
      sql`
        delete from carts
        where contact_id = any (${theirs}) and status = 'open' and updated_at < ${before}
      `,
    )
    // A statement of its own sees what was committed before the locks.
    return count(
      at,
      sql`
        delete from contacts c
        where c.id = any (${theirs}) and ${named} and ${none(sql`carts k where k.contact_id = c.id`)}
      `,
    )
  })
}
