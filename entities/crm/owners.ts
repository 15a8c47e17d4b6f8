// The contacts that own e-mail addresses: imports name people by their addresses, and create those that the store does
// not know.
import type { EntityManager } from '@mikro-orm/postgresql'
import { insertions } from '../kit/database/insert.ts'
import { json, sql, text } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { reachOfAddress } from './channel-rows.ts'
import { Contact } from './contact.ts'
import { ContactChannel } from './contact-channel.ts'
import { nameNewContacts } from './contact-words.ts'

const ownersOf = async (
  em: EntityManager,
  tenantId: string,
  emails: readonly string[],
): Promise<Map<string, string>> => {
  // Locked by address: an owner keeps its channel until the transaction ends.
  const rows: { address: string; contact_id: string }[] = await em.execute(sql`
    select h.address, h.contact_id
    from contact_channels h
    where h.tenant_id = ${tenantId}
      and h.type = 'email'
      and h.owned
      and h.address in (select jsonb_array_elements_text(${json(emails)}))
    order by h.address
    for key share
  `)
  return new Map(rows.map(({ address, contact_id }) => [address, contact_id]))
}

/**
 * Contacts that own these addresses, by address; those that do not exist are created. An address that another request
 * takes meanwhile belongs to its contact. At most six statements. `emails`: normalized, each once. `now` in Unix
 * seconds.
 */
export async function contactsFor(
  em: EntityManager,
  tenantId: string,
  emails: readonly string[],
  now: number,
): Promise<Map<string, string>> {
  const owners = await ownersOf(em, tenantId, emails)
  // Concurrent imports take addresses in the same order.
  const missing = emails.filter((email) => !owners.has(email)).sort()
  if (missing.length === 0) return owners
  const same = { tenant_id: tenantId, created_at: now, updated_at: now }
  const made = missing.map((address) => ({ id: newId(), address, contact_id: newId() }))
  await em.execute(
    insertions(
      em,
      Contact,
      { ...same, taxonomies: [] },
      made.map(({ contact_id: id }) => ({ id })),
    ),
  )
  const reach = reachOfAddress(tenantId, text('x.address'))
  const channels = insertions(
    em,
    ContactChannel,
    { ...same, ...reach, type: 'email' as const, owned: true, is_primary: true },
    made,
  )
  const owned: { contact_id: string }[] = await em.execute(
    sql`${channels} order by address on conflict do nothing returning contact_id`,
  )
  const named = new Set(owned.map(({ contact_id }) => contact_id))
  await nameNewContacts(
    em,
    tenantId,
    made.filter(({ contact_id }) => named.has(contact_id)),
  )
  if (owned.length === made.length)
    return new Map([...owners, ...made.map(({ address, contact_id }) => [address, contact_id] as const)])
  const idle = made.flatMap(({ contact_id }) => (named.has(contact_id) ? [] : [contact_id]))
  await em.execute(sql`delete from contacts where tenant_id = ${tenantId} and id = any (${uuids(idle)})`)
  return ownersOf(em, tenantId, emails)
}
