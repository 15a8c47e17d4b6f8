// Imports members by their addresses, all or nothing, in a number of statements that does not depend on the number of
// rows.
import type { EntityManager } from '@mikro-orm/postgresql'
import { FIELDS_BYTES_MAX, FIELDS_MAX, fieldsFault } from '../../rules/audiences/import.ts'
import type { MemberDelivery } from '../../rules/audiences/memberships.ts'
import { invalidInput } from '../../rules/refusal.ts'
// Backwards: the contacts of imported addresses are found or made.
import { contactsFor } from '../crm/owners.ts'
import { insertions } from '../kit/database/insert.ts'
import { sql, text } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { isWanted, writeEvents } from '../webhooks/events.ts'
import { AudienceMember } from './audience-member.ts'
import { lockForJoining, mustBeDirect } from './audiences.ts'
import { silenceAddresses } from './imported-suppressions.ts'
import { deliverySql, holdAddresses } from './member-delivery.ts'
import { memberData, readMembers } from './member-rows.ts'
import { addManageTokens } from './member-tokens.ts'

/** `email` is normalized and occurs once. */
export type ImportRow = { email: string; fields: Record<string, unknown>; delivery_status: MemberDelivery }

/**
 * Adds the contacts of these addresses to an active private or open audience and merges the fields of those who are
 * members. Contacts who left become members again; opt-outs of e-mail stay, those of their addresses too. At most 15
 * statements, and six more for addresses that mail must not reach. 404; 409 enrollment_not_direct; 422 for merged
 * fields beyond their limits. `now` in Unix seconds.
 */
export async function importMembers(
  em: EntityManager,
  tenantId: string,
  audienceId: string,
  rows: readonly ImportRow[],
  now: number,
) {
  mustBeDirect(await lockForJoining(em, tenantId, audienceId))
  if (rows.length === 0) return { added: 0, updated: 0 }
  const emails = rows.map(({ email }) => email)
  const silent = rows.filter(({ delivery_status }) => delivery_status !== 'subscribed')
  await holdAddresses(em, tenantId, emails, silent.length > 0 ? 'no key update' : 'share')
  const contacts = await contactsFor(em, tenantId, emails, now)
  if (silent.length > 0) await silenceAddresses(em, tenantId, audienceId, silent, now)
  const wanted = rows
    .flatMap(({ email, fields }) => {
      const contact_id = contacts.get(email)
      return contact_id ? [{ id: newId(), contact_id, fields }] : []
    })
    .sort((a, b) => (a.contact_id < b.contact_id ? -1 : 1))
  // Two addresses of one contact are one member, with the fields of both.
  const byContact = Map.groupBy(wanted, ({ contact_id }) => contact_id)
  const members = [...byContact.values()].map((some) => ({
    ...(some[0] as (typeof some)[number]),
    fields: Object.assign({}, ...some.map(({ fields }) => fields)),
  }))
  // Locked by id, the order of all changes of several members: concurrent imports do not deadlock.
  const before: { id: string; status: string }[] = await em.execute(sql`
    select id, status
    from audience_members
    where tenant_id = ${tenantId} and audience_id = ${audienceId} and contact_id = any (${uuids(byContact.keys())})
    order by id
    for update
  `)
  const joining = {
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    audience_id: audienceId,
    status: 'active' as const,
    source: 'import' as const,
    joined_at: now,
    delivery_status: deliverySql({
      tenant: sql`${tenantId}`,
      audience: sql`${audienceId}`,
      contact: text('x.contact_id'),
      member: text('x.id'),
      opted_out: text('false'),
    }),
  }
  const written: { id: string; fields: Record<string, unknown> | null }[] = await em.execute(sql`
    ${insertions(em, AudienceMember, joining, members)}
    order by contact_id
    on conflict (audience_id, contact_id) do update
    set fields = audience_members.fields || excluded.fields, updated_at = excluded.updated_at
    returning id,
      case
        when octet_length(fields::text) > ${FIELDS_BYTES_MAX}
          or (select count(*) from jsonb_object_keys(fields)) > ${FIELDS_MAX} then fields
      end as fields
  `)
  // The limits hold for the merged fields, too. JSON in PostgreSQL has blanks, which do not count.
  const wrong = written.map(({ fields }) => fields && fieldsFault(fields)).find((fault) => fault)
  if (wrong)
    throw invalidInput([
      { pointer: '/rows', code: wrong.code, detail: `With the fields that a member has already: ${wrong.detail}` },
    ])
  const again = before.flatMap(({ id, status }) => (status === 'active' ? [] : [id]))
  if (again.length > 0)
    await em.execute(sql`
      update audience_members
      set status = 'active', source = 'import', joined_at = ${now}, ended_at = null, pending_since = null,
        status_before = null, tier_id = null, price_id = null, paid_through_at = null, access_until = null,
        cancel_at = null, billing_status = null
      where tenant_id = ${tenantId} and id = any (${uuids(again)})
    `)
  const made = new Set(members.map(({ id }) => id))
  const fresh = written.flatMap(({ id }) => (made.has(id) ? [id] : []))
  await addManageTokens(em, tenantId, fresh, now)
  const added = [...fresh, ...again]
  if (added.length > 0 && (await isWanted(em, tenantId, 'audience.member_added'))) {
    const events = (await readMembers(em, tenantId, added)).map((row) => ({
      tenant_id: tenantId,
      data: memberData(row, now),
    }))
    await writeEvents(em, 'audience.member_added', events, now)
  }
  return { added: added.length, updated: written.length - fresh.length - again.length }
}
