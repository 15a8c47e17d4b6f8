// How memberships begin and end. Every change is one conditional statement on the member's row, so that of two equal
// requests the second changes nothing.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { MemberDelivery, MemberSource, MemberStatus } from '../../rules/audiences/memberships.ts'
import { conflict, invalid, notFound } from '../../rules/refusal.ts'
import type { EventType } from '../../rules/webhooks/events.ts'
import { insertion } from '../kit/database/insert.ts'
import { sql, text } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { emit } from '../webhooks/events.ts'
import { AudienceMember } from './audience-member.ts'
import { lockForJoining, mustBeDirect } from './audiences.ts'
import { deliverySql, holdAddress, optIn } from './member-delivery.ts'
import { type MemberRow, memberData, ownDelivery, readMembers, readOwnMembers } from './member-rows.ts'
import { type MemberLink, manageToken } from './member-tokens.ts'

type MemberEvent = Extract<EventType, `audience.${string}`>

/**
 * Publishes events about members. The members are read only if an event has a subscriber. One statement for each event
 * without one.
 */
export async function publish(
  em: EntityManager,
  tenantId: string,
  types: readonly MemberEvent[],
  memberId: string,
  now: number,
): Promise<void> {
  for (const type of types)
    await emit(
      em,
      tenantId,
      type,
      async () => {
        const [row] = await readMembers(em, tenantId, [memberId])
        return memberData(row as MemberRow, now)
      },
      now,
    )
}

type Was = { id: string; status: MemberStatus; delivery_status: MemberDelivery }
/** `was` null: a new member. */
type Joined = { id: string; changed: boolean; was: MemberStatus | null; delivery: MemberDelivery }
type Joins = { audience_id: string; contact_id: string; source: MemberSource; to: 'active' | 'pending'; once?: true }

/**
 * Makes the contact an active or pending member. An active member stays as it is, and a member that is pending stays so
 * with a later `pending_since`. Locks the member's row. `once`: a member that is pending stays as it is. Opt-outs,
 * bounces and complaints stay, and hold for a new member with the same address. `now` in Unix seconds.
 */
async function join(em: EntityManager, tenantId: string, joins: Joins, now: number): Promise<Joined> {
  const { audience_id, contact_id, source, to, once = false } = joins
  await holdAddress(em, tenantId, contact_id)
  const id = newId()
  const parts = {
    tenant: sql`${tenantId}`,
    audience: sql`${audience_id}`,
    contact: sql`${contact_id}`,
    member: sql`${id}`,
    opted_out: text('false'),
  }
  const fresh = {
    id,
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    audience_id,
    contact_id,
    status: to,
    source,
    fields: {},
    delivery_status: deliverySql(parts),
  }
  const member = insertion(em, AudienceMember, {
    ...fresh,
    joined_at: to === 'active' ? now : null,
    pending_since: to === 'pending' ? now : null,
  })
  // Waits for an equal request that is not committed yet.
  const made: { delivery: MemberDelivery }[] = await em.execute(sql`
    with new_member as (
      ${member} on conflict (audience_id, contact_id) do nothing returning id, delivery_status
    ),
    identified_contact as (
      update contacts
      set anonymous = false
      where tenant_id = ${tenantId} and id = ${contact_id} and anonymous and exists (select 1 from new_member)
    )
    ${manageToken(em, tenantId, now)}
    from new_member
    returning (select delivery_status from new_member) as delivery
  `)
  if (made[0]) return { id: fresh.id, changed: true, was: null, delivery: made[0].delivery }
  const [known]: Was[] = await em.execute(sql`
    select id, status, delivery_status
    from audience_members
    where tenant_id = ${tenantId} and audience_id = ${audience_id} and contact_id = ${contact_id}
    for update
  `)
  if (!known) return join(em, tenantId, joins, now)
  const joined = { id: known.id, was: known.status, delivery: known.delivery_status }
  if (known.status === 'active' || (once && known.status === 'pending')) return { ...joined, changed: false }
  await em.execute(
    to === 'active'
      ? sql`
        update audience_members
        set status = 'active', source = ${source}, joined_at = ${now}, ended_at = null, pending_since = null,
          status_before = null, tier_id = null, price_id = null, paid_through_at = null, access_until = null,
          cancel_at = null, billing_status = null, updated_at = ${now}
        where tenant_id = ${tenantId} and id = ${known.id}
      `
      : sql`
        update audience_members
        set status_before = case when status = 'pending' then status_before else status end, status = 'pending',
          source = ${source}, pending_since = ${now}, updated_at = ${now}
        where tenant_id = ${tenantId} and id = ${known.id}
      `,
  )
  return { ...joined, changed: to === 'active' || known.status !== 'pending' }
}

const read = async (em: EntityManager, tenantId: string, id: string): Promise<MemberRow> => {
  const [row] = await readMembers(em, tenantId, [id])
  if (!row) throw notFound('member')
  return row
}

/**
 * A contact joins an open audience by itself, which ends its own opt-out, and that of the address if it owns it.
 * Returns the member's id. `now` in Unix seconds.
 */
export async function joinOpen(
  em: EntityManager,
  tenantId: string,
  audienceId: string,
  contactId: string,
  now: number,
): Promise<string> {
  const joined = await join(
    em,
    tenantId,
    { audience_id: audienceId, contact_id: contactId, source: 'storefront', to: 'active' },
    now,
  )
  if (!joined.changed) return joined.id
  await publish(em, tenantId, ['audience.member_added'], joined.id, now)
  if (joined.delivery !== 'subscribed')
    await optIn(
      em,
      { tenant_id: tenantId, member_id: joined.id, scope: 'manage', address: null, enrollment_id: null },
      now,
    )
  return joined.id
}

/**
 * A contact asks to join a confirmation audience. `is_active`: it is a member already, and there is nothing to confirm.
 * `now` in Unix seconds.
 */
export async function joinPending(
  em: EntityManager,
  tenantId: string,
  audienceId: string,
  contactId: string,
  now: number,
) {
  const joined = await join(
    em,
    tenantId,
    { audience_id: audienceId, contact_id: contactId, source: 'storefront', to: 'pending' },
    now,
  )
  if (joined.changed) await publish(em, tenantId, ['audience.member_pending'], joined.id, now)
  return { id: joined.id, is_active: joined.was === 'active', is_new: joined.changed }
}

/**
 * A contact subscribes to a paid audience: a pending member until a payment is proved. An active member stays active.
 * Returns the member's id. `now` in Unix seconds.
 */
export async function joinPaid(
  em: EntityManager,
  tenantId: string,
  audienceId: string,
  contactId: string,
  now: number,
): Promise<string> {
  const joins = {
    audience_id: audienceId,
    contact_id: contactId,
    source: 'storefront',
    to: 'pending',
    once: true,
  } as const
  const { id } = await join(em, tenantId, joins, now)
  return id
}

/** What operators keep about a member. What is left out stays. */
export type Notes = { lead_description?: string | null | undefined; fields?: Record<string, unknown> | undefined }

async function note(
  em: EntityManager,
  tenantId: string,
  id: string,
  { lead_description, fields }: Notes,
  now: number,
): Promise<void> {
  if (lead_description === undefined && fields === undefined) return
  await em.execute(sql`
    update audience_members
    set lead_description = ${lead_description === undefined ? sql`lead_description` : lead_description},
      fields = ${fields === undefined ? sql`fields` : sql`${JSON.stringify(fields)}::jsonb`}, updated_at = ${now}
    where tenant_id = ${tenantId} and id = ${id}
  `)
}

/**
 * An operator adds a contact. `added` is false if the contact was an active member. 404; 409 enrollment_not_direct; 422
 * contact_unknown. `now` in Unix seconds.
 */
export async function addMember(
  em: EntityManager,
  tenantId: string,
  audienceId: string,
  { contact_id: contactId, ...notes }: Notes & { contact_id: string },
  now: number,
) {
  // The contact is locked: it gets no other address before the member is committed.
  const [contact]: unknown[] = await em.execute(sql`
    select id
    from contacts
    where tenant_id = ${tenantId} and id = ${contactId}
    for no key update
  `)
  mustBeDirect(await lockForJoining(em, tenantId, audienceId))
  if (!contact) throw invalid('/contact_id', 'contact_unknown', 'The {store} has no such contact.')
  const joined = await join(
    em,
    tenantId,
    { audience_id: audienceId, contact_id: contactId, source: 'operator', to: 'active' },
    now,
  )
  await note(em, tenantId, joined.id, notes, now)
  if (joined.changed) await publish(em, tenantId, ['audience.member_added'], joined.id, now)
  return { member: await read(em, tenantId, joined.id), added: joined.changed }
}

/**
 * A pending member without a subscription that may still be paid for becomes what it was before; one that was nothing
 * becomes `removed`, as its payments refer to it.
 * Requires its lock. `now` in Unix seconds.
 */
export const undoPending = (em: EntityManager, tenantId: string, memberId: string, now: number) =>
  em.execute(sql`
    update audience_members
    set status = coalesce(status_before, 'removed'), ended_at = coalesce(ended_at, ${now}), status_before = null,
      pending_since = null, updated_at = ${now}
    where tenant_id = ${tenantId}
      and id = ${memberId}
      and status = 'pending'
      and not exists (
        select 1
        from subscriptions s
        where s.tenant_id = ${tenantId} and s.member_id = ${memberId} and s.status in ('waiting', 'pending', 'live')
      )
  `)

export type MemberKey = { audience_id: string; id: string }

/** Locks the member's row. 404. */
export async function lockMember(em: EntityManager, tenantId: string, { audience_id, id }: MemberKey): Promise<Was> {
  const rows: Was[] = await em.execute(sql`
    select id, status, delivery_status
    from audience_members
    where tenant_id = ${tenantId} and audience_id = ${audience_id} and id = ${id}
    for update
  `)
  if (!rows[0]) throw notFound('member')
  return rows[0]
}

/** Whether the membership has ended. */
export const isOver = (status: MemberStatus): boolean => status !== 'active' && status !== 'pending'

/**
 * Ends a membership that has no running subscription. The row stays, with the opt-outs of its contact. Publishes
 * nothing.
 */
export async function endMember(em: EntityManager, tenantId: string, id: string, now: number): Promise<void> {
  await em.execute(sql`
    update audience_members
    set status = 'removed', ended_at = ${now}, pending_since = null, status_before = null,
      access_until = least(access_until, paid_through_at), updated_at = ${now}
    where tenant_id = ${tenantId} and id = ${id}
  `)
}

export type MemberInput = Notes & { status?: MemberStatus | undefined }

/**
 * Changes what operators keep about a member, and, in active private and open audiences, the status. 404; 409
 * enrollment_not_direct, member_ended; 422 cannot_change. `now` in Unix seconds.
 */
export async function updateMember(
  em: EntityManager,
  tenantId: string,
  key: MemberKey,
  { status, lead_description, fields }: MemberInput,
  now: number,
) {
  const audience = await lockForJoining(em, tenantId, key.audience_id)
  const { status: before } = await lockMember(em, tenantId, key)
  const isMove = status !== undefined && status !== before
  if (isMove) mustBeDirect(audience)
  if (isMove && status !== 'active' && status !== 'removed')
    throw invalid('/status', 'cannot_change', 'Operators set `active` or `removed` only.')
  await note(em, tenantId, key.id, { lead_description, fields }, now)
  if (isMove && status === 'removed' && isOver(before))
    throw conflict('member_ended', `The membership is ${before} already.`)
  if (isMove && status === 'removed') await endMember(em, tenantId, key.id, now)
  if (isMove && status === 'active') {
    const { contact_id } = await read(em, tenantId, key.id)
    await join(em, tenantId, { audience_id: key.audience_id, contact_id, source: 'operator', to: 'active' }, now)
  }
  if (isMove)
    await publish(
      em,
      tenantId,
      [status === 'active' ? 'audience.member_added' : 'audience.member_removed'],
      key.id,
      now,
    )
  return read(em, tenantId, key.id)
}

/**
 * The member subscribes to the audience's e-mail again, by its link. 404; 409 delivery_suppressed. `now` in Unix
 * seconds.
 */
export async function resubscribe(em: EntityManager, link: MemberLink, now: number): Promise<void> {
  await optIn(em, link, now)
  const [row] = await readOwnMembers(em, link.tenant_id, [link.member_id])
  if (!row) throw notFound('member')
  const delivery_status = ownDelivery(row)
  if (delivery_status !== 'subscribed')
    throw conflict('delivery_suppressed', suppressions[delivery_status as keyof typeof suppressions])
}

const suppressions = {
  bounced: 'E-mail to this address is suppressed: it bounced.',
  complained: 'E-mail to this address is suppressed: it was reported as spam.',
  unsubscribed: 'E-mail to this address is not wanted: its consent was withdrawn. The {store} can allow it again.',
} as const
