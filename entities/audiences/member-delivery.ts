// Whether an audience's e-mail reaches a member. It follows from what is known of the address that the member shows,
// from the member's own opt-out, and from the opt-outs of the address in the audience (audience-opt-out.ts). Every
// writer of those calls this file.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { MemberDelivery } from '../../rules/audiences/memberships.ts'
// Backwards: mail reaches a member by a channel of its contact.
import { preference } from '../crm/channel-rows.ts'
import { insertion } from '../kit/database/insert.ts'
import { json, nothing, type Sql, sql, text } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { isWanted, writeEvents } from '../webhooks/events.ts'
import { AudienceOptOut } from './audience-opt-out.ts'
import { emailSql, memberData, readMembers } from './member-rows.ts'
import type { MemberLink } from './member-tokens.ts'

type Parts = { tenant: Sql; audience: Sql; contact: Sql; member: Sql; opted_out: Sql }

/** An opt-out of the address in the audience that holds for the member. Ids are in the order of time. */
const optOutOf = ({ audience, member }: Pick<Parts, 'audience' | 'member'>, address: Sql): Sql => sql`
  exists (
    select 1
    from audience_opt_outs o
    where o.audience_id = ${audience} and o.address = ${address} and (o.claimant_id is null or o.id < ${member})
  )
`

/**
 * The `delivery_status` of a member, a scalar: complaints before bounces before opt-outs and withdrawn consents.
 * `opted_out`: the member's own opt-out. Reads by index only.
 */
export const deliverySql = ({ tenant, audience, contact, member, opted_out }: Parts): Sql => sql`
  (
    select case
      when channel.status in ('complained', 'bounced') then channel.status
      when ${opted_out}
        or channel.consent_status = 'withdrawn'
        or ${optOutOf({ audience, member }, text('channel.address'))}
        then 'unsubscribed'
      else 'subscribed'
    end
    from (select 1) one
    left join lateral (
      select k.address, k.status, k.consent_status
      from contact_channels k
      where k.tenant_id = ${tenant} and k.contact_id = ${contact} and k.type = 'email'
      order by ${preference}
      limit 1
    ) channel on true
  )
`

/** Whether an opt-out of the address that the member `m` shows holds for it. */
export const optedOutSql: Sql = optOutOf(
  { audience: text('m.audience_id'), member: text('m.id') },
  emailSql('m.tenant_id', 'm.contact_id'),
)

/** Locks the channels of the store with the address, by id, and returns their number. */
const lockAddress = (tenant: Sql, address: Sql): Sql => sql`
  (
    select count(*)
    from (
      select 1
      from contact_channels z
      where z.tenant_id = ${tenant} and z.type = 'email' and z.address = ${address}
      order by z.id
      for no key update
    ) locked_channels
  )
`

/**
 * Opt-outs of the contact's address wait until the transaction ends, because they cannot see a member that is not
 * committed. A statement of its own, after the locks of the session or the contact: an address that changed while those
 * were waited for is the one that is locked. The lock is that of optIn: with a weaker one, two equal joins would
 * deadlock.
 */
export const holdAddress = (em: EntityManager, tenantId: string, contactId: string) =>
  em.execute(sql`
    select ${lockAddress(text('contact.tenant_id'), emailSql('contact.tenant_id', 'contact.id'))}
    from (select ${tenantId}::uuid as tenant_id, ${contactId}::uuid as id) contact
  `)

/** Opt-outs of many addresses wait. `no key update` if their channels are going to change. */
export const holdAddresses = (
  em: EntityManager,
  tenantId: string,
  addresses: readonly string[],
  how: 'share' | 'no key update' = 'share',
) =>
  em.execute(sql`
    select count(*)
    from (
      select 1
      from contact_channels
      where tenant_id = ${tenantId}
        and type = 'email'
        and address in (select jsonb_array_elements_text(${json(addresses)}::jsonb))
      order by id for ${text(how)}
    ) locked_channels
  `)

const ofMember = deliverySql({
  tenant: text('m.tenant_id'),
  audience: text('m.audience_id'),
  contact: text('m.contact_id'),
  member: text('m.id'),
  opted_out: text('m.opted_out'),
})

type Changed = { id: string; was: MemberDelivery; becomes: MemberDelivery }

/**
 * Locks the members `m` of the condition by id, and publishes which of them e-mail reaches no more, or again. One
 * statement if none changes.
 */
async function follow(em: EntityManager, tenantId: string, which: Sql, now: number): Promise<void> {
  const changed: Changed[] = await em.execute(sql`
    with locked_members as materialized (
      select m.id, m.delivery_status as was, ${ofMember} as becomes
      from audience_members m
      where m.tenant_id = ${tenantId} and ${which}
      order by m.id
      for update of m
    )
    update audience_members m
    set delivery_status = l.becomes, updated_at = ${now}
    from locked_members l
    where m.tenant_id = ${tenantId} and m.id = l.id and l.becomes <> l.was
    returning m.id, l.was, l.becomes
  `)
  if (changed.length === 0) return
  const events = [
    ['audience.member_email_unsubscribed', changed.filter(({ was }) => was === 'subscribed')],
    ['audience.member_email_resubscribed', changed.filter(({ becomes }) => becomes === 'subscribed')],
  ] as const
  for (const [type, some] of events) {
    if (some.length === 0 || !(await isWanted(em, tenantId, type))) continue
    const rows = await readMembers(
      em,
      tenantId,
      some.map(({ id }) => id),
    )
    await writeEvents(
      em,
      type,
      rows.map((row) => ({ tenant_id: tenantId, data: memberData(row, now) })),
      now,
    )
  }
}

/**
 * The addresses of these contacts changed, or what is known of them. One statement for contacts that are not members.
 * `now` in Unix seconds.
 */
export async function followAddresses(
  em: EntityManager,
  tenantId: string,
  contactIds: readonly string[],
  now: number,
): Promise<void> {
  const ofContacts = sql`m.contact_id = any (${uuids(contactIds)})`
  // Opt-outs of these addresses lock their channels more strongly: they wait until the change is committed.
  const [members]: { any: boolean }[] = await em.execute(sql`
    with addresses as materialized (
      select distinct ${emailSql('m.tenant_id', 'm.contact_id')} as address
      from audience_members m
      where m.tenant_id = ${tenantId} and ${ofContacts}
    )
    select exists (select 1 from addresses) as any,
      (
        select count(*)
        from (
          select 1
          from contact_channels z
          join addresses on z.address = addresses.address
          where z.tenant_id = ${tenantId} and z.type = 'email'
          order by z.id
          for share of z
        ) locked_channels
      )
  `)
  if (members?.any) await follow(em, tenantId, ofContacts, now)
}

/** `opted_out`: there is an opt-out that the link ends. */
type Place = { audience_id: string; address: string | null; proven: boolean; opted_out: boolean }

/**
 * The address that a link is about, and whether its user reads its mail: the link was mailed to it, or the contact owns
 * it, as a stranger cannot claim an owned one. Other changes of the address's opt-outs, and members that begin to show
 * it, wait until the transaction ends, if something changes: `isOut`, or there is an opt-out. Undefined for no member.
 */
async function lockPlace(
  em: EntityManager,
  { tenant_id, member_id, address }: MemberLink,
  isOut: boolean,
): Promise<Place | undefined> {
  const [place]: Place[] = await em.execute(sql`
    with member_address as materialized (
      select m.audience_id, m.opted_out, coalesce(${address}::text, channel.address) as address,
        ${address !== null} or coalesce(channel.owned, false) as proven
      from audience_members m
      left join lateral (
        select k.address, k.owned
        from contact_channels k
        where k.tenant_id = m.tenant_id and k.contact_id = m.contact_id and k.type = 'email'
        order by ${preference}
        limit 1
      ) channel on true
      where m.tenant_id = ${tenant_id} and m.id = ${member_id}
    ),
    opt_out as materialized (
      select audience_id, address, proven,
        opted_out
          or exists (
            select 1
            from audience_opt_outs o
            where o.audience_id = member_address.audience_id
              and o.address = member_address.address
              and (member_address.proven or o.claimant_id = ${member_id})
          ) as opted_out
      from member_address
    )
    select *, case when opted_out or ${isOut} then ${lockAddress(sql`${tenant_id}`, text('opt_out.address'))} end
    from opt_out
  `)
  return place
}

/** The member, and those of its audience whose contacts have the address. */
const sharing = (tenantId: string, memberId: string, { audience_id, address }: Place): Sql => sql`
  m.id in (
    select ${memberId}::uuid
    union all
    select x.id
    from contact_channels c
    join audience_members x on x.audience_id = ${audience_id} and x.contact_id = c.contact_id
    where c.tenant_id = ${tenantId} and c.type = 'email' and c.address = ${address}::text and x.tenant_id = ${tenantId}
  )
`

/**
 * Locks the members by id, writes the opt-outs of the address by `write`, a common table expression, and the member's
 * own; the others follow.
 */
async function setOptedOut(
  em: EntityManager,
  { tenant_id, member_id }: MemberLink,
  place: Place,
  opted_out: boolean,
  write: Sql,
  now: number,
): Promise<void> {
  const which = sharing(tenant_id, member_id, place)
  await em.execute(sql`
    with locked_members as materialized (
      select m.id
      from audience_members m
      where m.tenant_id = ${tenant_id} and ${which}
      order by m.id
      for update of m
    )
    ${write}
    update audience_members
    set opted_out = ${opted_out}, updated_at = ${now}
    where tenant_id = ${tenant_id}
      and id = ${member_id}
      and opted_out <> ${opted_out}
      and (select count(*) from locked_members) > 0
  `)
  await follow(em, tenant_id, which, now)
}

/**
 * The member opts out of the audience's e-mail. Nothing else changes. The opt-out holds for every member that shows the
 * address, if its owner or a reader of its mail opted out; that of a contact that only claimed it holds for the member
 * alone, and for members that are created later. `now` in Unix seconds.
 */
export async function optOut(em: EntityManager, link: MemberLink, now: number): Promise<void> {
  const place = await lockPlace(em, link, true)
  if (!place) return
  const { audience_id, address, proven } = place
  const row = {
    id: newId(),
    tenant_id: link.tenant_id,
    created_at: now,
    updated_at: now,
    audience_id,
    claimant_id: proven ? null : link.member_id,
  }
  const write =
    address === null
      ? nothing
      : sql`, new_opt_out as (${insertion(em, AudienceOptOut, { ...row, address })} on conflict do nothing)`
  await setOptedOut(em, link, place, true, write, now)
}

/**
 * The member opts in again. If the owner of the address or a reader of its mail does, all opt-outs of the address in
 * the audience end; of a contact that only claimed it, its own one ends. A bounce, a complaint, a withdrawn consent,
 * and what other members opted out of for themselves stay. One statement if there is no opt-out. `now` in Unix seconds.
 */
export async function optIn(em: EntityManager, link: MemberLink, now: number): Promise<void> {
  const place = await lockPlace(em, link, false)
  if (!place?.opted_out) return
  const { audience_id, address, proven } = place
  const write = sql`
    , deleted_opt_outs as (
      delete from audience_opt_outs
      where tenant_id = ${link.tenant_id}
        and audience_id = ${audience_id}
        and address = ${address}::text
        and (${proven} or claimant_id = ${link.member_id})
    )
  `
  await setOptedOut(em, link, place, false, write, now)
}
