// An address belongs to one contact of the store: who proved it comes to that contact, and brings what he did before along.
import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { unavailable } from '../../rules/refusal.ts'
import { newId } from '../kit/ids.ts'

/** The contact of a visitor's session as it is now: another request may have moved it. Holds the session until the commit. */
async function lockSession(em: EntityManager, tenantId: string, sessionId: string): Promise<string> {
  const rows: { contact_id: string }[] = await em.execute('select contact_id from contact_sessions where tenant_id = ? and id = ? for update', [
    tenantId,
    sessionId,
  ])
  return (rows[0] as { contact_id: string }).contact_id
}

/** A visitor's word: it shows an address on his contact, owns nothing, and takes the place of his last one. Returns the contact. */
export async function claimAddress(em: EntityManager, tenantId: string, sessionId: string, email: string | null, now: number): Promise<string> {
  const contactId = await lockSession(em, tenantId, sessionId)
  if (email === null) return contactId
  await em.execute(
    "delete from contact_channels where tenant_id = ? and contact_id = ? and type = 'email' and address <> ? and not owned and verified_at is null",
    [tenantId, contactId, email],
  )
  await em.execute(
    `insert into contact_channels (id, tenant_id, created_at, updated_at, contact_id, type, address, owned) values (?, ?, ?, ?, ?, 'email', ?, false)
     on conflict (contact_id, type, address) do nothing`,
    [newId(), tenantId, now, now, contactId, email],
  )
  return contactId
}

const ownsAny = async (em: EntityManager, tenantId: string, contactId: string): Promise<boolean> =>
  (await em.execute('select 1 from contact_channels where tenant_id = ? and contact_id = ? and owned limit 1', [tenantId, contactId])).length > 0

/** Another person at the same browser: his address must not open what belongs to the first. */
async function newContact(em: EntityManager, tenantId: string, now: number): Promise<string> {
  const id = newId()
  await em.execute("insert into contacts (id, tenant_id, created_at, updated_at, status, taxonomies) values (?, ?, ?, ?, 'active', '[]')", [
    id,
    tenantId,
    now,
    now,
  ])
  return id
}

/** Who owns the address, now that it is proved: the contact that owns it already, else this one, or, if it owns another address, a new one. */
async function ownerOf(em: EntityManager, tenantId: string, contactId: string, ownsAnother: boolean, email: string, now: number): Promise<string> {
  for (let tries = 0; tries < 3; tries++) {
    const known: { contact_id: string }[] = await em.execute(
      `update contact_channels set verified_at = ?, updated_at = ? where tenant_id = ? and type = 'email' and address = ? and owned returning contact_id`,
      [now, now, tenantId, email],
    )
    if (known[0]) return known[0].contact_id
    await em.execute("delete from contact_channels where tenant_id = ? and contact_id = ? and type = 'email' and address = ? and not owned", [
      tenantId,
      contactId,
      email,
    ])
    const holder = ownsAnother ? await newContact(em, tenantId, now) : contactId
    // Without a target it yields to the unique owner as well, and waits for one who is not committed yet.
    const made: unknown[] = await em.execute(
      `insert into contact_channels (id, tenant_id, created_at, updated_at, contact_id, type, address, owned, verified_at) values (?, ?, ?, ?, ?, 'email', ?, true, ?)
       on conflict do nothing returning id`,
      [newId(), tenantId, now, now, holder, email, now],
    )
    if (made.length > 0) return holder
    if (holder !== contactId) await forgetVisitor(em, tenantId, holder)
  }
  throw unavailable('database_unavailable', 'Somebody else is changing this address; repeat the request.')
}

/** A cart with something in it becomes the current one there; the carts before it stay open. */
async function moveCarts(em: EntityManager, tenantId: string, from: string, to: string): Promise<void> {
  const open: { id: string; contact_id: string; is_current: boolean; filled: boolean }[] = await em.execute(
    `select id, contact_id, is_current, jsonb_array_length(product_items) + jsonb_array_length(booking_items) > 0 as filled
     from carts where tenant_id = ? and contact_id in (?, ?) and status = 'open' order by id for update`,
    [tenantId, from, to],
  )
  const currentOf = (contactId: string) => open.find((cart) => cart.contact_id === contactId && cart.is_current)
  const [brought, theirs] = [currentOf(from), currentOf(to)]
  const current = brought?.filled || !theirs ? brought : theirs
  if (theirs && current !== theirs) await em.execute('update carts set is_current = false where tenant_id = ? and id = ?', [tenantId, theirs.id])
  await em.execute(
    "update carts set contact_id = ?, is_current = (status = 'open' and id is not distinct from ?) or (status <> 'open' and is_current) where tenant_id = ? and contact_id = ?",
    [to, current?.id ?? null, tenantId, from],
  )
}

/** A first cart of the other contact may be made while we move: then we look again. */
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
 * The session proved the address: it is attached to the contact that owns it. What an anonymous contact did before moves along; a contact with an
 * address of its own keeps what is its own, because two people may share a browser. Locks session, channel, contacts, carts, orders, submissions.
 */
export async function attachSession(em: EntityManager, tenantId: string, sessionId: string, email: string, now: number): Promise<string> {
  const before = await lockSession(em, tenantId, sessionId)
  const ownsAnother = await ownsAny(em, tenantId, before)
  const owner = await ownerOf(em, tenantId, before, ownsAnother, email, now)
  const moves = owner !== before && !ownsAnother
  if (moves) {
    await em.execute('select id from contacts where tenant_id = ? and id in (?, ?) order by id for no key update', [tenantId, before, owner])
    await moveCartsOrAgain(em, tenantId, before, owner)
    await em.execute('update orders set contact_id = ? where tenant_id = ? and contact_id = ?', [owner, tenantId, before])
    await em.execute('update form_submissions set contact_id = ? where tenant_id = ? and contact_id = ?', [owner, tenantId, before])
  }
  await em.execute('update contact_sessions set contact_id = ?, verified_at = ?, updated_at = ? where tenant_id = ? and id = ?', [
    owner,
    now,
    now,
    tenantId,
    sessionId,
  ])
  if (moves) await removeEmpty(em, tenantId, before)
  return owner
}

/** A contact to whom nothing refers any more goes, with what it merely claimed. */
export async function removeEmpty(em: EntityManager, tenantId: string, contactId: string): Promise<void> {
  await em.execute(
    `delete from contacts c where c.tenant_id = ? and c.id = ?
     and not exists (select 1 from contact_sessions s where s.contact_id = c.id and s.revoked_at is null)
     and not exists (select 1 from carts k where k.contact_id = c.id)
     and not exists (select 1 from orders o where o.tenant_id = c.tenant_id and o.contact_id = c.id)
     and not exists (select 1 from form_submissions f where f.tenant_id = c.tenant_id and f.contact_id = c.id)
     and not exists (select 1 from contact_channels h where h.contact_id = c.id and h.owned)`,
    [tenantId, contactId],
  )
}

/** A visitor who was made for a request that is refused leaves nothing behind. */
export async function forgetVisitor(em: EntityManager, tenantId: string, contactId: string): Promise<void> {
  await em.execute('delete from contacts where tenant_id = ? and id = ?', [tenantId, contactId])
}
