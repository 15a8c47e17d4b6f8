// Contacts as operators write them. An e-mail address that an operator enters is owned by the contact; no two contacts
// of a store own the same one.
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import { isSuppressed } from '../../rules/crm/channels.ts'
import { conflict, unavailable } from '../../rules/refusal.ts'
import { contactWords } from '../../rules/search/search-texts.ts'
import type { ArchivableStatus } from '../../rules/shapes.ts'
import { followAddresses } from '../audiences/member-delivery.ts'
import { checkContent, writeContent } from '../content/content.ts'
import { insertion, insertSelect } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { type ChannelRow, deleteChannels, lockChannels, reachOfAddress, removable, shownOf } from './channel-rows.ts'
import { Contact } from './contact.ts'
import { ContactChannel } from './contact-channel.ts'
import { refreshContacts } from './contact-words.ts'

export type ContactInput = Partial<{ email: string | null; taxonomies: TaxonomyEntry[]; status: ArchivableStatus }>

/** The contact that owns the e-mail address. */
export async function ownerOfEmail(em: EntityManager, tenantId: string, email: string): Promise<string | undefined> {
  const rows: { contact_id: string }[] = await em.execute(sql`
    select contact_id
    from contact_channels
    where tenant_id = ${tenantId} and type = 'email' and address = ${email} and owned
  `)
  return rows[0]?.contact_id
}

/**
 * The id of the contact that owns the address, which is left as it is, or of a new one. Concurrent calls create one
 * contact. At most five statements without a race. 422 with all faults of the taxonomies. `now` in Unix seconds.
 */
export async function createContact(
  em: EntityManager,
  tenantId: string,
  { email, taxonomies }: { email: string; taxonomies?: TaxonomyEntry[] | undefined },
  now: number,
) {
  for (let tries = 0; tries < 3; tries++) {
    const owner = await ownerOfEmail(em, tenantId, email)
    if (owner) return { id: owner, isNew: false }
    const relations = await checkContent(em, tenantId, { taxonomies }, null)
    const filed = relations.taxonomies ?? []
    const at = { created_at: now, updated_at: now }
    const id = newId()
    const channel = insertion(em, ContactChannel, {
      ...at,
      ...reachOfAddress(tenantId, sql`${email}`),
      id: newId(),
      tenant_id: tenantId,
      contact_id: id,
      address: email,
      owned: true,
      is_primary: true,
    })
    const search = sql`
      to_tsvector('simple', ${contactWords({ addresses: [email], taxonomies: filed }).toWellFormed()})
    `
    const contact = insertSelect(em, Contact, {
      ...at,
      tenant_id: tenantId,
      id: sql`channel.contact_id`,
      taxonomies: filed,
      anonymous: false,
      search,
    })
    // Yields to another owner of the address, and waits for one that is not committed yet.
    const made: unknown[] = await em.execute(sql`
      with channel as (${channel} on conflict do nothing returning contact_id) ${contact}
      from channel
      returning id
    `)
    if (made.length === 0) continue
    await writeContent(em, tenantId, 'contact', id, relations, true)
    return { id, isNew: true }
  }
  throw unavailable('database_unavailable', 'Another request is changing this address; repeat the request.')
}

export const emailTaken = (pointer: string) => {
  const detail = 'Another contact of the {store} owns this address.'
  return conflict('email_taken', detail, { faults: [{ pointer, code: 'email_taken', detail }] })
}

export const channelSuppressed = (detail: string) => conflict('channel_suppressed', detail)

/**
 * The contact's address is another one, or none. Requires the locks of the contact and its channels. 409 email_taken,
 * channel_suppressed.
 */
async function replaceEmail(
  em: EntityManager,
  contact: Contact,
  channels: readonly ChannelRow[],
  email: string | null,
  now: number,
): Promise<void> {
  const { id: contact_id, tenant_id } = contact
  const own = channels.filter(({ type }) => type === 'email')
  const shown = shownOf(own)
  if ((shown?.address ?? null) === email) return
  if (email === null && own.some(isSuppressed))
    throw channelSuppressed(
      'An address of the contact bounced, complained or withdrew its consent. It is kept, so that it is not used again.',
    )
  await deleteChannels(em, tenant_id, email === null ? own.map(({ id }) => id) : removable(shown ? [shown] : []))
  if (email !== null) {
    await em.execute(sql`
      update contact_channels
      set is_primary = false
      where tenant_id = ${tenant_id} and contact_id = ${contact_id} and type = 'email' and is_primary
    `)
    const reach = reachOfAddress(tenant_id, sql`${email}`)
    const row = {
      ...reach,
      id: newId(),
      tenant_id,
      created_at: now,
      updated_at: now,
      contact_id,
      address: email,
      owned: true,
      is_primary: true,
    }
    try {
      await em.execute(sql`
        ${insertion(em, ContactChannel, row)}
        on conflict (contact_id, type, address, coalesce(provider, '')) do update
        set owned = true, is_primary = true, updated_at = ${now}
      `)
    } catch (error) {
      if (error instanceof UniqueConstraintViolationException && /contact_channels_owner/.test(error.message))
        throw emailTaken('/email')
      throw error
    }
  }
}

/**
 * Updates a contact. Fields that are left out stay; changes of one contact are serialized. `email` replaces the address
 * that the contact shows; null removes all its e-mail addresses.
 * 404; 409 email_taken, channel_suppressed; 422 with all faults of the taxonomies. `now` in Unix seconds.
 */
export async function updateContact(
  em: EntityManager,
  tenantId: string,
  id: string,
  { email, taxonomies, status }: ContactInput,
  now: number,
): Promise<Contact> {
  const channels = email === undefined ? [] : await lockChannels(em, tenantId, [id])
  const contact = await lockForChange(em, Contact, id, 'contact')
  const relations = await checkContent(em, tenantId, { taxonomies }, null)
  em.assign(contact, {
    ...(status ? { status } : {}),
    ...(relations.taxonomies ? { taxonomies: relations.taxonomies } : {}),
    updated_at: now,
  })
  await em.flush()
  if (email !== undefined) await replaceEmail(em, contact, channels, email, now)
  await writeContent(em, tenantId, 'contact', id, relations, false)
  if (email !== undefined || taxonomies) await refreshContacts(em, tenantId, [id])
  if (email !== undefined) await followAddresses(em, tenantId, [id], now)
  return contact
}
