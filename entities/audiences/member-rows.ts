// Members as the API and events return them, read in one statement for any number of members.
import type { EntityManager } from '@mikro-orm/postgresql'
import { hasAccess, inGrace, type MemberDelivery, withToken } from '../../rules/audiences/memberships.ts'
import { AudienceMemberOut } from '../../rules/audiences/resources.ts'
import { serialize } from '../../rules/serialize.ts'
import { billingErrorOf, ownBillingError } from '../../rules/subscriptions/billing-errors.ts'
import type { RowOf } from '../kit/database/row.ts'
import { type Sql, sql, text } from '../kit/database/sql.ts'
import { decrypt } from '../kit/encrypted.ts'
import { uuids } from '../kit/ids.ts'
// Backwards: a member is shown with the error of its subscription.
import type { SubscriptionError } from '../subscriptions/subscription.ts'
import type { AudienceMember } from './audience-member.ts'

export type MemberRow = Omit<RowOf<AudienceMember>, 'audience_id' | 'contact_id' | 'tier_id' | 'price_id'> & {
  audience_id: string
  contact_id: string
  tier_id: string | null
  price_id: string | null
  audience_key: string
  audience_name: string
  email: string | null
  billing_error: SubscriptionError | null
}

const columns = sql`
  m.id, m.tenant_id, m.created_at, m.updated_at, m.audience_id, m.contact_id, m.status, m.delivery_status, m.source,
  m.tier_id, m.price_id, m.paid_through_at, m.access_until, m.cancel_at, m.billing_status, m.lead_description, m.fields,
  m.joined_at, m.ended_at, m.pending_since, m.status_before, m.opted_out,
  (
    select s.error
    from subscriptions s
    where s.tenant_id = m.tenant_id and s.member_id = m.id and s.status = 'live'
  ) as billing_error
`

const ofShown = (value: Sql, tenant: string, contact: string): Sql => sql`
  (
    select ${value}
    from contact_channels h
    where h.tenant_id = ${text(tenant)} and h.contact_id = ${text(contact)} and h.type = 'email'
    order by h.is_primary desc, h.owned desc, h.verified_at desc nulls last, h.updated_at desc, h.id
    limit 1
  )
`

/** The shown address of a contact (entities/crm/channel-rows.ts). `contact`: the column with its id. */
export const emailSql = (tenant: string, contact: string): Sql => ofShown(sql`h.address`, tenant, contact)

/**
 * The latest address that the contact claimed and does not own: what a visitor who proved no address may see of its
 * addresses.
 */
export const ownClaimSql = (tenant: string, contact: string): Sql =>
  text(`(
    select h.address
    from contact_channels h
    where h.tenant_id = ${tenant} and h.contact_id = ${contact} and h.type = 'email' and not h.owned
    order by h.verified_at desc nulls last, h.updated_at desc, h.id
    limit 1
  )`)

/** The shown address if the contact does not own it, else null. */
export const claimSql = (tenant: string, contact: string): Sql =>
  ofShown(sql`case when not h.owned then h.address end`, tenant, contact)

/** `select … from` the members `m` and their audiences `a`; continues with a condition that names the tenant. */
const selectMembers = (more: Sql = text('')): Sql => sql`
  select ${columns}, a.key as audience_key, a.name as audience_name,
    ${emailSql('m.tenant_id', 'm.contact_id')} as email${more}
  from audience_members m
  join audiences a on a.id = m.audience_id and a.tenant_id = m.tenant_id
`

/** Reads members in the order of the ids; a member that does not exist is left out. */
export async function readMembers(em: EntityManager, tenantId: string, ids: readonly string[]): Promise<MemberRow[]> {
  if (ids.length === 0) return []
  const rows: MemberRow[] = await em.execute(
    sql`${selectMembers()} where m.tenant_id = ${tenantId} and m.id = any (${uuids(ids)})`,
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The memberships of these subscriptions, by the subscription's id. One statement, if there are any. */
export async function membersOfSubscriptions(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, { audience_id: string; member_id: string }>> {
  if (ids.length === 0) return new Map()
  const rows: { id: string; audience_id: string; member_id: string }[] = await em.execute(sql`
    select s.id, m.audience_id, m.id as member_id
    from subscriptions s
    join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
    where s.tenant_id = ${tenantId} and s.id = any (${uuids(ids)})
  `)
  return new Map(rows.map(({ id, ...member }) => [id, member]))
}

/** `now` in Unix seconds. */
export const shownMember = (row: MemberRow, now: number) => {
  const {
    audience_key,
    audience_name,
    email,
    pending_since: _,
    status_before: __,
    tenant_id: ___,
    opted_out: ____,
    ...member
  } = row
  return {
    ...member,
    audience: { id: row.audience_id, key: audience_key, name: audience_name },
    contact: { id: row.contact_id, email },
    in_grace: inGrace(row, now),
    billing_error: billingErrorOf(row.billing_error, row.billing_status),
    // A pending row keeps when its former membership ended, for the case that it is not confirmed.
    ended_at: row.status === 'pending' ? null : row.ended_at,
  }
}

/** The data of an event about a member. */
export const memberData = (row: MemberRow, now: number) => ({
  member: serialize(AudienceMemberOut, shownMember(row, now)),
})

type OwnRow = MemberRow & {
  claimed_address: string | null
  own_claim: string | null
  manage_token: string | null
  manage_page: string | null
}

/**
 * What the contact's own view needs: the address that it shows and does not own; the newest token of the manage page,
 * encrypted, and the page that the store has for it.
 */
const ownColumns = sql`
  , ${claimSql('m.tenant_id', 'm.contact_id')} as claimed_address,
  ${ownClaimSql('m.tenant_id', 'm.contact_id')} as own_claim,
  (
    select k.value
    from member_tokens k
    where k.tenant_id = m.tenant_id and k.member_id = m.id and k.scope = 'manage'
    order by k.id desc
    limit 1
  ) as manage_token,
  (select t.settings ->> 'membership_manage_url' from tenants t where t.id = m.tenant_id) as manage_page
`

/** What the contact itself may see: of an address that it only claimed, nothing but its own opt-out. */
export const ownDelivery = ({ claimed_address, opted_out, delivery_status }: OwnRow): MemberDelivery => {
  if (claimed_address === null) return delivery_status
  return opted_out ? 'unsubscribed' : 'subscribed'
}

/**
 * The membership as a visitor of its contact sees it. One who proved no address sees no address that an operator
 * entered, and has the link of what they joined themselves only. A pending member has no link: only the e-mail may
 * confirm the address. `manageUrl`: the page of this installation. `now` in Unix seconds.
 */
export const shownOwnMember = (
  row: OwnRow,
  { manageUrl, proved }: { manageUrl: string; proved: boolean },
  now: number,
) => {
  const { manage_token, manage_page, claimed_address: _claimed, own_claim, ...member } = row
  const { lead_description: _, fields: __, ...shown } = shownMember(member, now)
  const billing_error = ownBillingError(row.billing_error, row.billing_status)
  const manages = manage_token !== null && row.status !== 'pending' && (proved || row.source === 'storefront')
  return {
    ...shown,
    contact: proved ? shown.contact : { ...shown.contact, email: own_claim },
    delivery_status: proved ? ownDelivery(row) : row.opted_out ? ('unsubscribed' as const) : ('subscribed' as const),
    billing_error,
    manage_url: manages ? withToken(manage_page || manageUrl, decrypt(manage_token)) : null,
  }
}

/** The contact's own memberships, in the order of the ids. */
export async function readOwnMembers(em: EntityManager, tenantId: string, ids: readonly string[]): Promise<OwnRow[]> {
  if (ids.length === 0) return []
  const rows: OwnRow[] = await em.execute(sql`
    ${selectMembers(ownColumns)}
    where m.tenant_id = ${tenantId} and m.id = any (${uuids(ids)})
  `)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

export type Access = { found: boolean; has_access: boolean; member: OwnRow | null }
type Reader = { contact_id: string | null; verified: boolean }

/**
 * Whether the visitor has access to the audience, and the membership. One who proved no address has that of what they
 * joined themselves. One statement. `found` is false for drafts and private audiences, which storefronts do not show;
 * an archived audience is found, for its members keep what they paid for. `now` in Unix seconds.
 */
export async function readAccess(
  em: EntityManager,
  tenantId: string,
  audienceId: string,
  { contact_id, verified }: Reader,
  now: number,
): Promise<Access> {
  const rows: (OwnRow & { audience_status: string })[] = await em.execute(sql`
    select ${columns}, a.key as audience_key, a.name as audience_name, a.status as audience_status,
      ${emailSql('m.tenant_id', 'm.contact_id')} as email${ownColumns}
    from audiences a
    left join audience_members m
      on m.tenant_id = a.tenant_id
      and m.audience_id = a.id
      and m.contact_id = ${contact_id}::uuid
      and (${verified} or m.source = 'storefront')
    where a.tenant_id = ${tenantId} and a.id = ${audienceId} and a.type <> 'private' and a.status <> 'draft'
  `)
  const [row] = rows
  if (!row) return { found: false, has_access: false, member: null }
  const { audience_status: _, ...member } = row
  return row.id
    ? { found: true, has_access: hasAccess(row, now), member }
    : { found: true, has_access: false, member: null }
}
