// What of a contact follows from its channels, taxonomies and memberships: its search words, and whether it is
// anonymous. Every writer of those refreshes it.
import type { EntityManager } from '@mikro-orm/postgresql'
import { contactWords } from '../../rules/search/search-texts.ts'
import { json, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

/** The columns of a contact `t` that its words are made from. */
export const contactColumns = sql`
  taxonomies,
  (
    select jsonb_agg(h.address order by h.address)
    from contact_channels h
    where h.tenant_id = t.tenant_id and h.contact_id = t.id
  ) as addresses
`

type NamedContact = Parameters<typeof contactWords>[0] & { id: string }

/** Contacts in memory at the same time. */
const batch = 500

/** The same for new contacts with one address each, in one statement. */
export async function nameNewContacts(
  em: EntityManager,
  tenantId: string,
  contacts: readonly { contact_id: string; address: string }[],
): Promise<void> {
  if (contacts.length === 0) return
  const found = contacts.map(({ contact_id: id, address }) => ({
    id,
    words: contactWords({ taxonomies: [], addresses: [address] }).toWellFormed(),
  }))
  await em.execute(sql`
    update contacts c
    set search = to_tsvector('simple', x.words), anonymous = false
    from jsonb_to_recordset(${json(found)}) as x(id uuid, words text)
    where c.tenant_id = ${tenantId} and c.id = x.id
  `)
}

/**
 * Requires the locks of the contacts: of two writers the later one sees what the earlier one wrote. Two statements for
 * up to 500 contacts.
 */
export async function refreshContacts(em: EntityManager, tenantId: string, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += batch) {
    const those = uuids(ids.slice(at, at + batch))
    const rows: NamedContact[] = await em.execute(sql`
      select t.id, ${contactColumns}
      from contacts t
      where t.tenant_id = ${tenantId} and t.id = any (${those})
    `)
    const found = rows.map((row) => ({ id: row.id, words: contactWords(row).toWellFormed() }))
    await em.execute(sql`
      update contacts c
      set search = to_tsvector('simple', x.words),
        anonymous = c.taxonomies = '[]'
          and not exists (select 1 from contact_channels h where h.tenant_id = c.tenant_id and h.contact_id = c.id)
          and not exists (select 1 from audience_members m where m.tenant_id = c.tenant_id and m.contact_id = c.id)
      from jsonb_to_recordset(${json(found)}) as x(id uuid, words text)
      where c.tenant_id = ${tenantId} and c.id = x.id
    `)
  }
}
