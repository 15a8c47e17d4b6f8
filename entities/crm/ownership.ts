// An address is owned by one contact of the store. A visitor who verifies it is attached to that contact, with the
// records of the anonymous contact before.
import type { EntityManager, RequiredEntityData } from '@mikro-orm/postgresql'
import { CHANNELS_MAX, isSuppressed } from '../../rules/crm/channels.ts'
import { conflict, unavailable } from '../../rules/refusal.ts'
import { followAddresses } from '../audiences/member-delivery.ts'
import { manageLinksOf, replaceLinks } from '../audiences/member-tokens.ts'
import { movePaidUnder, paidUnder } from '../audiences/ownership.ts'
import { insertRow, insertSelect } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { type ChannelRow, deleteChannels, lockChannelsAndOwner, reachOfAddress, suppressed } from './channel-rows.ts'
import { Contact } from './contact.ts'
import { ContactChannel } from './contact-channel.ts'
import { endUnproved, FORMER_S } from './contact-sessions.ts'
import { refreshContacts } from './contact-words.ts'
import { lockContacts, moveRecords } from './moved-records.ts'
import { provedSql } from './session-rights.ts'

type LockedSession = { contact_id: string; proved: boolean }

/** `given`: the digest of the token that the caller was identified by, if it has to be the present one. */
type SessionKey = { id: string; given?: string }

/**
 * Locks a visitor's session and returns its contact, which another request may have changed. 503 database_unavailable
 * for a session that ended, or that another request signed in, meanwhile: the kit identifies the caller again.
 */
async function lockSession(em: EntityManager, tenantId: string, { id, given }: SessionKey): Promise<LockedSession> {
  const [found]: LockedSession[] = await em.execute(sql`
    select s.contact_id, ${provedSql} as proved
    from contact_sessions s
    where s.tenant_id = ${tenantId}
      and s.id = ${id}
      and s.revoked_at is null
      and s.token_digest = coalesce(${given ?? null}, s.token_digest)
    for update of s
  `)
  if (!found) throw unavailable('database_unavailable', 'The session of the visitor has changed.')
  return found
}

type NewChannel = Omit<RequiredEntityData<ContactChannel>, 'contact_id'> & { tenant_id: string; address: string }

/** The columns of a channel of the contact `c`. */
const channelOf = (row: NewChannel) => ({
  ...reachOfAddress(row.tenant_id, sql`${row.address}`),
  ...row,
  contact_id: sql`c.id`,
})

/**
 * Adds a channel unless its address belongs to another contact, or the contact has it; waits for one that is not
 * committed yet. Locks the contact, as refreshContacts requires.
 */
const insertChannel = (em: EntityManager, contactId: string, row: NewChannel) => sql`
  ${insertSelect(em, ContactChannel, channelOf(row))}
  from contacts c
  where c.tenant_id = ${row.tenant_id} and c.id = ${contactId}
  for no key update of c
  on conflict do nothing
  returning id
`

/** The latest address that a contact claimed and does not own; null for none. */
export async function claimOf(em: EntityManager, tenantId: string, contactId: string): Promise<string | null> {
  const [found]: { address: string }[] = await em.execute(sql`
    select address
    from contact_channels
    where tenant_id = ${tenantId} and contact_id = ${contactId} and type = 'email' and not owned
    order by verified_at desc nulls last, updated_at desc, id
    limit 1
  `)
  return found?.address ?? null
}

/**
 * An address that a visitor enters is shown on their contact, replaces the last one that they entered, and is not
 * owned. Returns the contact.
 */
export async function claimAddress(
  em: EntityManager,
  tenantId: string,
  session: Required<SessionKey>,
  email: string | null,
  now: number,
): Promise<string> {
  const { contact_id: contactId } = await lockSession(em, tenantId, session)
  if (email === null) return contactId
  const replaced: unknown[] = await em.execute(sql`
    delete from contact_channels
    where tenant_id = ${tenantId}
      and contact_id = ${contactId}
      and type = 'email'
      and address <> ${email}
      and not owned
      and verified_at is null
      and not ${suppressed}
    returning id
  `)
  const row = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now, address: email }
  const made: unknown[] = await em.execute(insertChannel(em, contactId, row))
  if (replaced.length + made.length === 0) return contactId
  await refreshContacts(em, tenantId, [contactId])
  await followAddresses(em, tenantId, [contactId], now)
  return contactId
}

/**
 * Records that a link which was mailed to the address was used: from then on another claim does not replace the
 * address. The contact does not own it, because another person may have requested the link. `channels`: those of the
 * contact, locked. 409 channels_too_many.
 */
export async function verifyClaim(
  em: EntityManager,
  tenantId: string,
  { contact_id, channels }: { contact_id: string; channels: readonly ChannelRow[] },
  email: string,
  now: number,
): Promise<void> {
  const own = channels.filter((channel) => channel.contact_id === contact_id)
  const claimed = own.find(({ type, address }) => type === 'email' && address === email)
  if (claimed?.verified_at) return
  if (!claimed && own.length >= CHANNELS_MAX)
    throw conflict('channels_too_many', `A contact has at most ${CHANNELS_MAX} channels.`)
  const reach = reachOfAddress(tenantId, sql`${email}`)
  const row = {
    ...reach,
    id: newId(),
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    contact_id: sql`c.id`,
    address: email,
    verified_at: now,
  }
  await em.execute(sql`
    ${insertSelect(em, ContactChannel, row)}
    from contacts c
    where c.tenant_id = ${tenantId} and c.id = ${contact_id}
    for no key update of c
    on conflict (contact_id, type, address, coalesce(provider, '')) do update
    set verified_at = ${now}, updated_at = ${now}
  `)
  if (!claimed) await refreshContacts(em, tenantId, [contact_id])
}

/**
 * Makes a contact for another person at the same browser: their address must not give access to the first person's
 * records.
 */
async function newContact(em: EntityManager, tenantId: string, now: number): Promise<string> {
  const id = newId()
  await insertRow(em, Contact, {
    id,
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    taxonomies: [],
    search: '',
  })
  return id
}

/** What was agreed about an address stays with it. */
const reachOf = (claimed: ChannelRow | undefined) => {
  if (!claimed) return {}
  const { status, consent_status, consent_source, consent_at } = claimed
  return { status, consent_status, consent_source, consent_at }
}

type Before = { contact_id: string; channels: readonly ChannelRow[]; ownsAnother: boolean }

/**
 * Returns the owner of a verified address: its present owner, else this contact, or a new one if this contact owns
 * another address.
 */
async function ownerOf(
  em: EntityManager,
  tenantId: string,
  { contact_id, channels, ownsAnother }: Before,
  email: string,
  now: number,
): Promise<string> {
  const claimed = channels.find(
    (channel) =>
      channel.contact_id === contact_id && channel.type === 'email' && channel.address === email && !channel.owned,
  )
  for (let tries = 0; tries < 3; tries++) {
    const contacts: { contact_id: string }[] = await em.execute(sql`
      update contact_channels
      set verified_at = ${now}, updated_at = ${now}
      where tenant_id = ${tenantId} and type = 'email' and address = ${email} and owned
      returning contact_id
    `)
    if (contacts[0]) return contacts[0].contact_id
    const stays = claimed && isSuppressed(claimed)
    if (claimed && !stays && tries === 0) await deleteChannels(em, tenantId, [claimed.id])
    const holder = ownsAnother ? await newContact(em, tenantId, now) : contact_id
    const isFirst = sql`
      not exists (
        select 1
        from contact_channels h
        where h.tenant_id = ${tenantId} and h.contact_id = ${holder} and h.type = 'email' and h.is_primary
      )
    `
    const row = {
      ...reachOf(claimed),
      tenant_id: tenantId,
      created_at: now,
      updated_at: now,
      contact_id: holder,
      address: email,
      owned: true,
      verified_at: now,
    }
    const made: unknown[] = await em.execute(
      stays && holder === contact_id
        ? sql`
          update contact_channels
          set owned = true, verified_at = ${now}, updated_at = ${now}, is_primary = is_primary or ${isFirst}
          where tenant_id = ${tenantId} and id = ${claimed.id}
          returning id
        `
        : insertChannel(em, holder, { ...row, id: newId(), is_primary: isFirst }),
    )
    if (made.length > 0) {
      if (!claimed || ownsAnother) await refreshContacts(em, tenantId, [holder])
      return holder
    }
    if (holder !== contact_id) await forgetVisitor(em, tenantId, holder)
  }
  throw unavailable('database_unavailable', 'Another request is changing this address; repeat the request.')
}

/**
 * Attaches a session that verified an address to the contact that owns it. The records of an anonymous contact move
 * along; a contact with an address of its own keeps its records, because two people may share a browser. Memberships
 * that others paid for under the address, without verifying it, move to its owner. `left`: members who stay with their
 * contact, because the owner has a subscription in the same audience. The session gets another token, `token_digest`.
 * The one before proves nothing, and is taken for `FORMER_S` more. Other sessions of the owner that proved no address
 * of it end, and so do the links that a session without proof may have passed on. Locks session, channels, contacts,
 * and what moveRecords locks.
 */
export async function attachSession(
  em: EntityManager,
  tenantId: string,
  { id: sessionId, token_digest }: { id: string; token_digest: string },
  email: string,
  now: number,
): Promise<{ contact_id: string; left: string[] }> {
  const { contact_id: before, proved } = await lockSession(em, tenantId, { id: sessionId })
  const channels = await lockChannelsAndOwner(em, tenantId, before, email)
  const ownsAnother = channels.some(({ contact_id, owned, type }) => contact_id === before && owned && type === 'email')
  const owner = await ownerOf(em, tenantId, { contact_id: before, channels, ownsAnother }, email, now)
  const moves = owner !== before && !ownsAnother
  const wasProved = channels.some(
    ({ type, address, owned, verified_at }) => type === 'email' && address === email && owned && verified_at !== null,
  )
  const links = !proved && (moves || owner === before) ? await manageLinksOf(em, tenantId, before) : []
  const claimants = (await paidUnder(em, tenantId, email, owner)).map(({ contact_id }) => contact_id)
  const left: string[] = []
  // A claim ends when another contact owns its address: this one is not found by it any more.
  const ended =
    ownsAnother &&
    channels.some(({ contact_id, address, owned }) => contact_id === before && address === email && !owned)
  const those = [...(moves || ended ? [before] : []), ...(moves || claimants.length > 0 ? [owner, ...claimants] : [])]
  const contacts = those.length > 0 ? await lockContacts(em, tenantId, those) : []
  if (moves) {
    const [from, to] = [before, owner].map((id) => contacts.find((contact) => contact.id === id))
    if (!from || !to)
      throw unavailable('database_unavailable', 'Another request is merging this contact; repeat the request.')
    left.push(...(await moveRecords(em, tenantId, from, to, 'leave', now)))
  }
  if (claimants.length > 0) {
    const locked = new Set(contacts.map(({ id }) => id))
    left.push(...(await movePaidUnder(em, tenantId, email, { owner, locked }, now)))
    await refreshContacts(em, tenantId, [...locked])
  } else if (ended) await refreshContacts(em, tenantId, [before])
  await replaceLinks(em, tenantId, links, now)
  await em.execute(sql`
    update contact_sessions
    set contact_id = ${owner}, verified_at = ${now}, verified_address = ${email}, used_at = ${now}, updated_at = ${now},
      previous_digest = token_digest, previous_until = ${now + FORMER_S}, token_digest = ${token_digest}
    where tenant_id = ${tenantId} and id = ${sessionId}
  `)
  const others = await endUnproved(em, tenantId, owner, sessionId, now)
  // A visitor whose contact an operator gave the address may have passed on the links, also if their session has ended.
  if (others > 0 || (owner !== before && !wasProved))
    await replaceLinks(em, tenantId, await manageLinksOf(em, tenantId, owner), now)
  await followAddresses(em, tenantId, [before, owner], now)
  if (moves) await removeEmpty(em, tenantId, before)
  return { contact_id: owner, left: [...new Set(left)] }
}

/**
 * The page `subscriptionId` was closed: memberships that others paid for under the addresses which its contact verified
 * move to the contact, as the page may have kept them from it. Locks channels and contacts. One statement if there are
 * none. `now` in Unix seconds.
 */
export async function takePaid(em: EntityManager, subscriptionId: string, now: number): Promise<void> {
  const verified: { tenant_id: string; contact_id: string; address: string }[] = await em.execute(sql`
    select h.tenant_id, h.contact_id, h.address
    from subscriptions s
    join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
    join contact_channels h
      on h.tenant_id = m.tenant_id
      and h.contact_id = m.contact_id
      and h.type = 'email'
      and h.owned
      and h.verified_at is not null
    where s.id = ${subscriptionId} and s.status = 'given_up'
    order by h.id
    for update of h
  `)
  for (const { tenant_id, contact_id: owner, address } of verified) {
    const claimants = (await paidUnder(em, tenant_id, address, owner)).map(({ contact_id }) => contact_id)
    if (claimants.length === 0) continue
    const locked = new Set((await lockContacts(em, tenant_id, [owner, ...claimants])).map(({ id }) => id))
    await movePaidUnder(em, tenant_id, address, { owner, locked }, now)
    await refreshContacts(em, tenant_id, [...locked])
    await followAddresses(em, tenant_id, [owner], now)
  }
}

/** Deletes a contact without references, with the addresses that it does not own. */
export async function removeEmpty(em: EntityManager, tenantId: string, contactId: string): Promise<void> {
  await em.execute(sql`
    delete from contacts c
    where c.tenant_id = ${tenantId}
      and c.id = ${contactId}
      and not exists (select 1 from contact_sessions s where s.contact_id = c.id and s.revoked_at is null)
      and not exists (select 1 from carts k where k.contact_id = c.id)
      and not exists (select 1 from orders o where o.tenant_id = c.tenant_id and o.contact_id = c.id)
      and not exists (select 1 from form_submissions f where f.tenant_id = c.tenant_id and f.contact_id = c.id)
      and not exists (select 1 from audience_members m where m.tenant_id = c.tenant_id and m.contact_id = c.id)
      and not exists (select 1 from contact_channels h where h.contact_id = c.id and h.owned)
  `)
}

/** Deletes a visitor that was created for a request that is refused. */
export async function forgetVisitor(em: EntityManager, tenantId: string, contactId: string): Promise<void> {
  await em.execute(sql`delete from contacts where tenant_id = ${tenantId} and id = ${contactId}`)
}
