// Enrolls a part of an import by one statement: who may get mail, one copy for each contact and for each address, and
// why the others may not.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Failure, PART_ROWS, type Part, type Recipient, recipientsOf } from '../../rules/campaigns/imports.ts'
import { accessSql } from '../audiences/access.ts'
import { emailSql } from '../audiences/member-rows.ts'
import { contactsFor } from '../crm/owners.ts'
import { insertSelect } from '../kit/database/insert.ts'
import { json, type Sql, sql, text } from '../kit/database/sql.ts'
import { newIdSql, uuids } from '../kit/ids.ts'
// Backwards: who may get mail is decided as it is before each message.
import { wantedSql } from '../sending/wanted.ts'
import { Enrollment } from './enrollment.ts'

type Place = { tenant_id: string; campaign_id: string }
type After = [number, string] | null
/** `last`: where the part continues; null at its end. */
export type Enrolled = {
  enrolled: number
  already_enrolled: number
  skipped: Record<string, number>
  failed: Failure[]
  last: After
}

/** A contact was merged while its part was read. The transaction is repeated. */
export class ContactsMoved extends Error {}

const following = (alias: string, after: After): Sql =>
  after ? sql`(${text(alias)}.created_at, ${text(alias)}.id) > (${after[0]}, ${after[1]}::uuid)` : text('true')

/** Why the member `m` is not enrolled; null if it may be. */
const refusedMember = sql`
  case
    when not (${accessSql('m', text('floor(extract(epoch from statement_timestamp()))::bigint'))}) then 'no_access'
    when m.delivery_status <> 'subscribed' then m.delivery_status
  end
`

const ofAudience = (tenantId: string, audienceId: string, after: After): Sql => sql`
  select m.id as row_id, m.created_at as at, m.tenant_id, m.contact_id, m.id as member_id, m.audience_id,
    ${emailSql('m.tenant_id', 'm.contact_id')} as address, '{}'::jsonb as variables, ${refusedMember} as reason
  from audience_members m
  where m.tenant_id = ${tenantId} and m.audience_id = ${audienceId} and ${following('m', after)}
  order by m.created_at, m.id
  limit ${PART_ROWS}
`

const ofContacts = (tenantId: string, ids: readonly string[]): Sql => sql`
  select c.id as row_id, 0::bigint as at, c.tenant_id, c.id as contact_id, null::uuid as member_id,
    null::uuid as audience_id, ${emailSql('c.tenant_id', 'c.id')} as address, '{}'::jsonb as variables, null as reason
  from contacts c
  where c.tenant_id = ${tenantId} and c.id = any (${uuids(ids)})
`

const ofAddresses = (tenantId: string, rows: readonly object[]): Sql => sql`
  select x.contact_id as row_id, x.at, ${tenantId}::uuid as tenant_id, x.contact_id, null::uuid as member_id,
    null::uuid as audience_id, x.email as address, x.variables, null as reason
  from jsonb_to_recordset(${json(rows)}) as x(at bigint, contact_id uuid, email text, variables jsonb)
`

/** A contact that was merged away keeps its enrollments where the other one was enrolled, too. */
const ofCampaign = (tenantId: string, campaignId: string, after: After): Sql => sql`
  select e.id as row_id, e.created_at as at, e.tenant_id, e.contact_id, e.member_id, e.audience_id, e.address,
    e.variables,
    case
      when e.status in ('unsubscribed', 'bounced', 'complained', 'cancelled') then e.status
      when not exists (select 1 from contacts c where c.tenant_id = e.tenant_id and c.id = e.contact_id)
        then 'no_contact'
      when e.member_id is not null and m.id is null then 'no_access'
      when m.id is not null then ${refusedMember}
    end as reason
  from enrollments e
  left join audience_members m on m.tenant_id = e.tenant_id and m.id = e.member_id
  where e.tenant_id = ${tenantId} and e.campaign_id = ${campaignId} and ${following('e', after)}
  order by e.created_at, e.id
  limit ${PART_ROWS}
`

type Counted = {
  enrolled: number
  fit: number
  lost: number
  read: number
  skipped: Record<string, number>
  last_at: number
  last_id: string
}

/**
 * Asked by `in`, whether a contact is locked is a search in a hash; a join of the two would compare each with each.
 * Locks the contacts by id: none is merged before the commit. Enrollments that exist already stay as they are.
 */
async function enroll(em: EntityManager, { tenant_id, campaign_id }: Place, page: Sql, now: number): Promise<Counted> {
  const same = { tenant_id, campaign_id, created_at: now, updated_at: now }
  const row = {
    ...same,
    id: newIdSql,
    due_at: text('statement_timestamp()'),
    shuffle: text('floor(random() * 2147483647)::int'),
  }
  const copied = {
    contact_id: sql`f.contact_id`,
    member_id: sql`f.member_id`,
    audience_id: sql`f.audience_id`,
    address: sql`f.address`,
    variables: sql`f.variables`,
  }
  const [counted]: Counted[] = await em.execute(sql`
    with page as materialized (${page}),
    locked_contacts as materialized (
      select c.id
      from contacts c
      where c.tenant_id = ${tenant_id}
        and c.id in (select contact_id from page where reason is null and address is not null)
      order by c.id
      for key share
    ),
    candidates as materialized (
      select p.*,
        case
          when p.reason is not null then p.reason
          when p.address is null then 'no_address'
          when not ${wantedSql('p')} then 'suppressed'
        end as why,
        p.contact_id in (select id from locked_contacts) as is_held
      from page p
    ),
    new_enrollments as (
      ${insertSelect(em, Enrollment, { ...row, ...copied })}
      from candidates f
      where f.why is null and f.is_held
      order by f.at, f.row_id
      on conflict do nothing
      returning 1
    )
    select (select count(*)::int from new_enrollments) as enrolled,
      (select count(*)::int from candidates where why is null) as fit,
      (select count(*)::int from page) as read,
      (select count(*)::int from candidates where why is null and not is_held) as lost,
      (
        select coalesce(jsonb_object_agg(why, n), '{}')
        from (select why, count(*)::int as n from candidates where why is not null group by why) skipped_counts
      ) as skipped,
      last_contact.at::float8 as last_at, last_contact.row_id as last_id
    from (select 1) one
    left join (select at, row_id from page order by at desc, row_id desc limit 1) last_contact on true
  `)
  if (!counted || counted.lost > 0) throw new ContactsMoved('contacts were merged meanwhile')
  return counted
}

const counts = ({ enrolled, fit, skipped }: Counted) => ({ enrolled, already_enrolled: fit - enrolled, skipped })

/** Those of these ids that are no contacts of the store. One statement, also for ten thousand. */
export async function missingContacts(em: EntityManager, tenantId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows: { id: string }[] = await em.execute(sql`
    select x.id
    from unnest(${uuids(ids)}) x(id)
    where not exists (select 1 from contacts c where c.tenant_id = ${tenantId} and c.id = x.id)
  `)
  return rows.map(({ id }) => id)
}

async function enrollContacts(em: EntityManager, place: Place, ids: readonly string[], now: number): Promise<Enrolled> {
  const counted = await enroll(em, place, ofContacts(place.tenant_id, ids), now)
  if (counted.read === ids.length) return { ...counts(counted), failed: [], last: null }
  const missing = await missingContacts(em, place.tenant_id, ids)
  return { ...counts(counted), failed: missing.map((value) => ({ value, code: 'contact_missing' })), last: null }
}

/** An address that no contact owns becomes a contact. */
async function enrollAddresses(
  em: EntityManager,
  place: Place,
  sources: readonly Recipient[],
  now: number,
): Promise<Enrolled> {
  const { recipients, again, failed } = recipientsOf(sources)
  if (recipients.length === 0) return { enrolled: 0, already_enrolled: again, skipped: {}, failed, last: null }
  const contacts = await contactsFor(
    em,
    place.tenant_id,
    recipients.map(({ email }) => email),
    now,
  )
  const rows = recipients.map(({ email, variables }, at) => ({ at, contact_id: contacts.get(email), email, variables }))
  if (rows.some(({ contact_id }) => contact_id === undefined))
    throw new ContactsMoved('addresses changed their contacts meanwhile')
  const counted = counts(await enroll(em, place, ofAddresses(place.tenant_id, rows), now))
  return { ...counted, already_enrolled: counted.already_enrolled + again, failed, last: null }
}

/**
 * Enrolls up to 5,000 of the part, from `after` on. Requires a lock of the campaign. Throws ContactsMoved. `now` in
 * Unix seconds.
 */
export async function enrollPart(
  em: EntityManager,
  place: Place,
  part: Part,
  after: After,
  now: number,
): Promise<Enrolled> {
  if (part.kind === 'contacts') return enrollContacts(em, place, part.ids, now)
  if (part.kind === 'emails') return enrollAddresses(em, place, part.recipients, now)
  const page =
    part.kind === 'audience' ? ofAudience(place.tenant_id, part.id, after) : ofCampaign(place.tenant_id, part.id, after)
  const counted = await enroll(em, place, page, now)
  return { ...counts(counted), failed: [], last: counted.read < PART_ROWS ? null : [counted.last_at, counted.last_id] }
}
