// An address is owned by one contact of the store. A visitor who verifies it is attached to that contact, with the records of the anonymous contact before.
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { unavailable } from '../../rules/refusal.ts'
import { moveMemberships } from '../audiences/merging.ts'
import { newId } from '../kit/ids.ts'
import { insertion, insertRow } from '../kit/insert.ts'
import { sql } from '../kit/sql.ts'
import { Contact } from './contact.ts'
import { ContactChannel } from './contact-channel.ts'

/** Locks a visitor's session and returns its contact, which another request may have changed. */
async function lockSession(em: EntityManager, tenantId: string, sessionId: string): Promise<string> {
  const rows: { contact_id: string }[] = await em.execute(
    sql`select contact_id from contact_sessions where tenant_id = ${tenantId} and id = ${sessionId} for update`,
  )
  return (rows[0] as { contact_id: string }).contact_id
}

/** An address that a visitor enters is shown on their contact, replaces the last one that they entered, and is not owned. Returns the contact. */
export async function claimAddress(em: EntityManager, tenantId: string, sessionId: string, email: string | null, now: number): Promise<string> {
  const contactId = await lockSession(em, tenantId, sessionId)
  if (email === null) return contactId
  await em.execute(
    sql`delete from contact_channels
     where tenant_id = ${tenantId} and contact_id = ${contactId} and type = 'email' and address <> ${email} and not owned and verified_at is null`,
  )
  const channel = insertion(em, ContactChannel, { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now, contact_id: contactId, address: email })
  await em.execute(sql`${channel} on conflict (contact_id, type, address) do nothing`)
  return contactId
}

const ownsAny = async (em: EntityManager, tenantId: string, contactId: string): Promise<boolean> =>
  (await em.execute(sql`select 1 from contact_channels where tenant_id = ${tenantId} and contact_id = ${contactId} and owned limit 1`)).length > 0

/** For another person at the same browser: their address must not give access to the first person's records. */
async function newContact(em: EntityManager, tenantId: string, now: number): Promise<string> {
  const id = newId()
  await insertRow(em, Contact, { id, tenant_id: tenantId, created_at: now, updated_at: now, taxonomies: [] })
  return id
}

/** Returns the owner of a verified address: its present owner, else this contact, or a new one if this contact owns another address. */
async function ownerOf(em: EntityManager, tenantId: string, contactId: string, ownsAnother: boolean, email: string, now: number): Promise<string> {
  for (let tries = 0; tries < 3; tries++) {
    const known: { contact_id: string }[] = await em.execute(
      sql`update contact_channels set verified_at = ${now}, updated_at = ${now} where tenant_id = ${tenantId} and type = 'email' and address = ${email} and owned returning contact_id`,
    )
    if (known[0]) return known[0].contact_id
    await em.execute(
      sql`delete from contact_channels where tenant_id = ${tenantId} and contact_id = ${contactId} and type = 'email' and address = ${email} and not owned`,
    )
    const holder = ownsAnother ? await newContact(em, tenantId, now) : contactId
    // Without a conflict target it also yields to another owner of the address, and waits for one that is not committed yet.
    const row = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now, contact_id: holder, address: email, owned: true, verified_at: now }
    const made: unknown[] = await em.execute(sql`${insertion(em, ContactChannel, row)} on conflict do nothing returning id`)
    if (made.length > 0) return holder
    if (holder !== contactId) await forgetVisitor(em, tenantId, holder)
  }
  throw unavailable('database_unavailable', 'Another request is changing this address; repeat the request.')
}

/** Moves the carts of one contact to another. A current cart with items becomes the current one there; the others stay open. */
async function moveCarts(em: EntityManager, tenantId: string, from: string, to: string): Promise<void> {
  const open: { id: string; contact_id: string; is_current: boolean; filled: boolean }[] = await em.execute(
    sql`select id, contact_id, is_current, jsonb_array_length(product_items) + jsonb_array_length(booking_items) > 0 as filled
     from carts where tenant_id = ${tenantId} and contact_id in (${from}, ${to}) and status = 'open' order by id for update`,
  )
  const currentOf = (contactId: string) => open.find((cart) => cart.contact_id === contactId && cart.is_current)
  const [brought, theirs] = [currentOf(from), currentOf(to)]
  const current = brought?.filled || !theirs ? brought : theirs
  if (theirs && current !== theirs) await em.execute(sql`update carts set is_current = false where tenant_id = ${tenantId} and id = ${theirs.id}`)
  await em.execute(
    sql`update carts set contact_id = ${to}, is_current = (status = 'open' and id is not distinct from ${current?.id ?? null}) or (status <> 'open' and is_current)
     where tenant_id = ${tenantId} and contact_id = ${from}`,
  )
}

/** Repeats the move if the other contact's first cart is created at the same time. */
async function moveCartsOrAgain(em: EntityManager, tenantId: string, from: string, to: string): Promise<void> {
  for (let tries = 0; tries < 3; tries++) {
    await em.execute('savepoint carts_move')
    try {
      await moveCarts(em, tenantId, from, to)
      await em.execute('release savepoint carts_move')
      return
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error
      await em.execute('rollback to savepoint carts_move')
    }
  }
  throw unavailable('database_unavailable', 'The carts of this visitor are being changed; repeat the request.')
}

/**
 * Attaches a session that verified an address to the contact that owns it. The records of an anonymous contact move along; a contact with an address of its own
 * keeps its records, because two people may share a browser. Locks session, channel, contacts, carts, orders, submissions, members.
 */
export async function attachSession(em: EntityManager, tenantId: string, sessionId: string, email: string, now: number): Promise<string> {
  const before = await lockSession(em, tenantId, sessionId)
  const ownsAnother = await ownsAny(em, tenantId, before)
  const owner = await ownerOf(em, tenantId, before, ownsAnother, email, now)
  const moves = owner !== before && !ownsAnother
  if (moves) {
    await em.execute(sql`select id from contacts where tenant_id = ${tenantId} and id in (${before}, ${owner}) order by id for no key update`)
    await moveCartsOrAgain(em, tenantId, before, owner)
    await em.execute(sql`update orders set contact_id = ${owner} where tenant_id = ${tenantId} and contact_id = ${before}`)
    await em.execute(sql`update form_submissions set contact_id = ${owner} where tenant_id = ${tenantId} and contact_id = ${before}`)
    await moveMemberships(em, tenantId, before, owner, now)
  }
  await em.execute(
    sql`update contact_sessions set contact_id = ${owner}, verified_at = ${now}, updated_at = ${now} where tenant_id = ${tenantId} and id = ${sessionId}`,
  )
  if (moves) await removeEmpty(em, tenantId, before)
  return owner
}

/** Deletes a contact without references, with the addresses that it does not own. */
export async function removeEmpty(em: EntityManager, tenantId: string, contactId: string): Promise<void> {
  await em.execute(
    sql`delete from contacts c where c.tenant_id = ${tenantId} and c.id = ${contactId}
     and not exists (select 1 from contact_sessions s where s.contact_id = c.id and s.revoked_at is null)
     and not exists (select 1 from carts k where k.contact_id = c.id)
     and not exists (select 1 from orders o where o.tenant_id = c.tenant_id and o.contact_id = c.id)
     and not exists (select 1 from form_submissions f where f.tenant_id = c.tenant_id and f.contact_id = c.id)
     and not exists (select 1 from audience_members m where m.tenant_id = c.tenant_id and m.contact_id = c.id)
     and not exists (select 1 from contact_channels h where h.contact_id = c.id and h.owned)`,
  )
}

/** Deletes a visitor that was created for a request that is refused. */
export async function forgetVisitor(em: EntityManager, tenantId: string, contactId: string): Promise<void> {
  await em.execute(sql`delete from contacts where tenant_id = ${tenantId} and id = ${contactId}`)
}
