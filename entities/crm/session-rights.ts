// What a visitor's session may act on. A session that proved an address acts for the contact that owns it. Any other
// session acts on the records that it made itself, at a contact that no other person was ever joined with.
import { type Sql, sql, text } from '../kit/database/sql.ts'

/**
 * Whether a session of version 0.2.0, which does not say what it proved, may have proved the address `p` of its
 * contact: one that the contact had by then, and that was verified at that time or later by such a session. A sign-in
 * of a later version is a proof of its own session alone.
 */
export const earlierProofSql: Sql = text(`
  (
    s.verified_address is null
    and p.contact_id = s.contact_id
    and p.created_at <= s.verified_at
    and p.verified_at >= s.verified_at
    and not exists (
      select 1
      from contact_sessions y
      where y.tenant_id = s.tenant_id and y.contact_id = s.contact_id and y.verified_address = p.address
    )
  )
`)

/** Whether the session `s` proved an address that its contact owns: not one that an operator removed since. */
export const provedSql: Sql = sql`
  (
    s.verified_at is not null
    and exists (
      select 1
      from contact_channels p
      where p.tenant_id = s.tenant_id
        and p.contact_id = s.contact_id
        and p.type = 'email'
        and p.owned
        and (p.address = s.verified_address or ${earlierProofSql})
    )
  )
`

/**
 * Whether the contact of the session `s` is its alone: no contact was merged into it, and no other session signed in to
 * it. Otherwise the contact has records of others.
 */
export const aloneSql: Sql = text(`
  (
    not exists (select 1 from contact_merges g where g.tenant_id = s.tenant_id and g.target_id = s.contact_id)
    and not exists (
      select 1
      from contact_sessions o
      where o.tenant_id = s.tenant_id
        and o.contact_id = s.contact_id
        and o.id <> s.id
        and o.verified_at is not null
    )
  )
`)

/**
 * A visitor, as far as their rights go. `former`: when a sign-in replaced their token, in Unix seconds, which is taken
 * for ten seconds more and proves nothing; null for the present token.
 */
export type Unidentified = { session_id: null; contact_id: null; verified: false; former: null }
export type Actor = { session_id: string; contact_id: string; verified: boolean; former: number | null }

/**
 * A condition for rows with `contact_id` and `made_by`, the session or the account that made them; null in rows of
 * version 0.2.0 and of an agent, which only the contact's own session meets. A former token acts on what was made
 * before it was replaced and has not changed since: what the present token wrote, in the same second too, is not shown
 * to a person who knows the former one.
 */
export const ownRecords = ({
  session_id,
  contact_id,
  verified,
  former,
}: Actor | Unidentified): Record<string, unknown> => ({
  contact_id,
  ...(verified
    ? {}
    : former !== null
      ? { $and: [{ made_by: session_id }, { created_at: { $lt: former } }, { updated_at: { $lt: former } }] }
      : { $or: [{ made_by: session_id }, { made_by: null }] }),
})

/** The same for the column of a statement. */
export const madeBySql = ({ session_id, verified, former }: Omit<Actor, 'contact_id'>): Sql => {
  if (verified) return text('true')
  if (former === null) return sql`(made_by = ${session_id} or made_by is null)`
  return sql`(made_by = ${session_id} and created_at < ${former} and updated_at < ${former})`
}
