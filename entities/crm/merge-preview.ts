// What a merge would move and end, read without changing anything: an operator sees whose sessions continue before they
// give a contact's records to them.
import type { EntityManager } from '@mikro-orm/postgresql'
import { invalid, notFound } from '../../rules/refusal.ts'
import { type Conflict, conflictsOf } from '../audiences/contact-moves.ts'
import { column, join, type Sql, sql } from '../kit/database/sql.ts'
import type { CountedName } from '../kit/table.ts'
import { contactColumns } from '../tables.ts'
import { earlierProofSql } from './session-rights.ts'

export type Preview = {
  moves: Record<CountedName, number>
  sessions: {
    id: string
    contact_id: string
    verified_address: string | null
    verified_at: number | null
    created_at: number
    ends: boolean
  }[]
  sessions_end: number
  links_end: number
  conflicts: Conflict[]
}

/** Sessions that a preview lists: those that continue first, and then the newest. */
const sessionsMax = 100

type Pair = { tenant_id: string; source_id: string; target_id: string }

/** A session continues if it proved an address that either contact owns: the merged contact owns both. */
const goesOn = sql`
  (
    s.verified_at is not null
    and exists (
      select 1
      from contact_channels p
      where p.tenant_id = s.tenant_id
        and p.type = 'email'
        and p.owned
        and p.contact_id in (select id from pair)
        and (p.address = s.verified_address or ${earlierProofSql})
    )
  )
`

const counts = (tenantId: string, contactId: string): Sql[] =>
  contactColumns.flatMap(({ table, column: name, counted }) =>
    counted
      ? [
          sql`
            (
              select count(*)::int
              from ${column(table)}
              where tenant_id = ${tenantId} and ${column(name)} = ${contactId} and ${counted.where ?? sql`true`}
            ) as ${column(counted.as)}
          `,
        ]
      : [],
  )

/** 404; 422 same_contact. At most six statements, however many records. */
export async function previewMerge(em: EntityManager, { tenant_id, source_id, target_id }: Pair): Promise<Preview> {
  if (source_id === target_id)
    throw invalid('/source_contact_id', 'same_contact', 'A contact cannot be merged into itself.')
  const found: { id: string }[] = await em.execute(sql`
    select id
    from contacts
    where tenant_id = ${tenant_id} and id in (${source_id}, ${target_id})
  `)
  for (const [id, noun] of [[target_id, 'contact'] as const, [source_id, 'source contact'] as const])
    if (!found.some((contact) => contact.id === id)) throw notFound(noun)
  const [moves]: Preview['moves'][] = await em.execute(sql`select ${join(counts(tenant_id, source_id))}`)
  const sessions: (Preview['sessions'][number] & { ending: number })[] = await em.execute(sql`
    with pair as (
      select id
      from contacts
      where tenant_id = ${tenant_id} and id in (${source_id}, ${target_id})
    ),
    open_sessions as (
      select s.id, s.contact_id, s.verified_address, s.verified_at, s.created_at, not ${goesOn} as ends
      from contact_sessions s
      where s.tenant_id = ${tenant_id} and s.contact_id in (select id from pair) and s.revoked_at is null
    )
    select o.*, (select count(*)::int from open_sessions where ends) as ending
    from open_sessions o
    order by o.ends, o.created_at desc, o.id desc
    limit ${sessionsMax}
  `)
  const [links]: { count: number }[] = await em.execute(sql`
    select count(*)::int as count
    from member_tokens t
    join audience_members m on m.id = t.member_id and m.tenant_id = t.tenant_id
    where t.tenant_id = ${tenant_id} and t.scope = 'manage' and m.contact_id in (${source_id}, ${target_id})
  `)
  return {
    moves: moves as Preview['moves'],
    sessions,
    sessions_end: sessions[0]?.ending ?? 0,
    links_end: links?.count ?? 0,
    conflicts: await conflictsOf(em, tenant_id, source_id, target_id),
  }
}
