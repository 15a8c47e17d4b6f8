// Memberships go to the contact that owns the address under which they were requested or paid for.
import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
// Backwards: an open payment page ends when its membership gets another owner.
import { requestClosing } from '../subscriptions/pages.ts'
import { moveMemberships } from './contact-moves.ts'
import { manageToken } from './member-tokens.ts'

type Held = { id: string; audience_id: string; contact_id: string }

/**
 * Moves one membership to the owner of its address, who gets a new link to manage it: the one of the former holder is
 * deleted. Returns the member's id, which differs if the owner was a member already; null if both have a live or
 * pending subscription, and nothing moved. Requires locks on both contacts.
 */
export async function moveToOwner(
  em: EntityManager,
  tenantId: string,
  { id, audience_id, contact_id }: Held,
  owner: string,
  now: number,
): Promise<string | null> {
  const links: { id: string }[] = await em.execute(sql`
    select id
    from member_tokens
    where tenant_id = ${tenantId} and member_id = ${id} and scope = 'manage'
  `)
  const remaining = await moveMemberships(em, tenantId, contact_id, owner, now, { audience_id, both: 'leave' })
  if (remaining.length > 0) return null
  await em.execute(sql`
    delete from member_tokens
    where tenant_id = ${tenantId} and id = any (${uuids(links.map((link) => link.id))})
  `)
  const [kept]: { id: string }[] = await em.execute(sql`
    select id
    from audience_members
    where tenant_id = ${tenantId} and audience_id = ${audience_id} and contact_id = ${owner}
  `)
  if (!kept) return null
  await em.execute(sql`
    with members_without_token as (
      select id
      from audience_members m
      where tenant_id = ${tenantId}
        and id = ${kept.id}
        and not exists (
          select 1
          from member_tokens t
          where t.tenant_id = m.tenant_id and t.member_id = m.id and t.scope = 'manage'
        )
    )
    ${manageToken(em, tenantId, now)}
    from members_without_token
  `)
  return kept.id
}

/**
 * Memberships that run and were paid for by contacts that only claimed the address; of one that was paid for under
 * several addresses in turn, its latest time counts. Contacts that own an address keep theirs, as they did verify who
 * they are. A page that is open stays with its visitor. One statement.
 */
export const paidUnder = (em: EntityManager, tenantId: string, email: string, owner: string): Promise<Held[]> =>
  em.execute(sql`
    select distinct m.id, m.audience_id, m.contact_id
    from subscriptions s
    join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
    where s.tenant_id = ${tenantId}
      and s.claimed_address = ${email}
      and s.status in ('live', 'ended')
      and m.contact_id <> ${owner}
      and (s.status = 'live' or m.status = 'active')
      and exists (select 1 from payments p where p.tenant_id = s.tenant_id and p.subscription_id = s.id)
      and not exists (
        select 1
        from subscriptions o
        where o.tenant_id = s.tenant_id
          and o.member_id = s.member_id
          and o.claimed_address is distinct from s.claimed_address
          and (
            o.status in ('waiting', 'pending', 'live')
            or o.status = 'ended' and s.status = 'ended' and o.paid_through_at > coalesce(s.paid_through_at, 0)
          )
      )
      and not exists (
        select 1
        from contact_channels h
        where h.tenant_id = m.tenant_id and h.contact_id = m.contact_id and h.type = 'email' and h.owned
      )
    order by m.id
  `)

/** Closes the open page of a contact in an audience, as another choice does. */
async function closePage(
  em: EntityManager,
  tenantId: string,
  audienceId: string,
  contactId: string,
  now: number,
): Promise<void> {
  const pages: { id: string; tenant_id: string }[] = await em.execute(sql`
    select s.id, s.tenant_id
    from audience_members m
    join subscriptions s on s.tenant_id = m.tenant_id and s.member_id = m.id
    where m.tenant_id = ${tenantId}
      and m.audience_id = ${audienceId}
      and m.contact_id = ${contactId}
      and s.status = 'pending'
  `)
  for (const page of pages) await requestClosing(em, page, now)
}

/**
 * Moves what paidUnder finds to the owner, of the contacts that are locked. Requires the lock of the owner. Returns the
 * members that were left with their contacts, because the owner has a live or pending subscription in their audience.
 * An open page of the owner is closed, and they move when it is (takePaid).
 */
export async function movePaidUnder(
  em: EntityManager,
  tenantId: string,
  email: string,
  { owner, locked }: { owner: string; locked: ReadonlySet<string> },
  now: number,
): Promise<string[]> {
  const remaining: string[] = []
  for (const membership of await paidUnder(em, tenantId, email, owner)) {
    if (!locked.has(membership.contact_id)) continue
    if ((await moveToOwner(em, tenantId, membership, owner, now)) !== null) continue
    remaining.push(membership.id)
    await closePage(em, tenantId, membership.audience_id, owner, now)
  }
  return remaining
}
