// Audiences change atomically: no contact joins, and no tier is added, while the type or the status of an audience
// changes.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { AudienceStatus, AudienceType, Readiness } from '../../rules/audiences/audiences.ts'
import { readinessFaults } from '../../rules/audiences/audiences.ts'
import type { MemberStatus } from '../../rules/audiences/memberships.ts'
import { conflict, type Fault, invalidInput, notFound } from '../../rules/refusal.ts'
import { audienceWords } from '../../rules/search/search-texts.ts'
import { searchOf } from '../content/named.ts'
// Backwards: a visitor joins with the rights of its session.
import type { Actor } from '../crm/session-rights.ts'
import type { RowOf } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { flushKeyed } from '../kit/keys.ts'
import { lockForChange } from '../kit/locked-row.ts'
import { EmailTemplate } from '../mail/email-template.ts'
import { Mailbox } from '../mail/mailbox.ts'
import { Audience } from './audience.ts'
import { claimSql, emailSql, ownClaimSql } from './member-rows.ts'

export type AudienceInput = {
  key?: string | undefined
  name?: string | undefined
  type?: AudienceType | undefined
  status?: AudienceStatus | undefined
}

const typeColumns = (type: AudienceType) => {
  const { template_id = null, confirmation_url = null, mailbox_id = null } = type.type === 'confirmation' ? type : {}
  return { type: type.type, template_id, confirmation_url, mailbox_id }
}

type Shown = Pick<
  RowOf<Audience>,
  | 'id'
  | 'tenant_id'
  | 'key'
  | 'name'
  | 'status'
  | 'type'
  | 'template_id'
  | 'mailbox_id'
  | 'confirmation_url'
  | 'created_at'
  | 'updated_at'
>

/** The row as the API returns it. */
export const shownAudience = ({
  id,
  tenant_id: store_id,
  key,
  name,
  status,
  type,
  template_id,
  confirmation_url,
  mailbox_id,
  created_at,
  updated_at,
}: Shown) => ({
  id,
  store_id,
  key,
  name,
  status,
  type: type === 'confirmation' ? { type, template_id, confirmation_url, mailbox_id } : { type },
  created_at,
  updated_at,
})

/**
 * Checks the type of an audience. 422 template_unknown, mailbox_unknown for records that the store does not have,
 * except for those that the audience named before.
 */
async function checkType(
  em: EntityManager,
  type: AudienceType | undefined,
  before: Partial<Pick<Audience, 'template_id' | 'mailbox_id'>> = {},
): Promise<void> {
  if (type?.type !== 'confirmation') return
  const { template_id, mailbox_id } = type
  const faults: Fault[] = []
  const add = (field: string, code: string, noun: string) =>
    void faults.push({ pointer: `/type/${field}`, code, detail: `There is no such ${noun}.` })
  if (template_id && template_id !== before.template_id && (await em.count(EmailTemplate, { id: template_id })) === 0)
    add('template_id', 'template_unknown', 'e-mail template')
  if (mailbox_id && mailbox_id !== before.mailbox_id && (await em.count(Mailbox, { id: mailbox_id })) === 0)
    add('mailbox_id', 'mailbox_unknown', 'mailbox')
  if (faults.length > 0) throw invalidInput(faults)
}

/** Creates an audience. 409 key_taken, 422 template_unknown, mailbox_unknown. `now` in Unix seconds. */
export async function createAudience(
  em: EntityManager,
  tenantId: string,
  input: { key: string; name: string; type: AudienceType },
  now: number,
) {
  await checkType(em, input.type)
  const { key, name } = input
  const row = {
    id: newId(),
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    key,
    name,
    status: 'draft' as const,
    ...typeColumns(input.type),
  }
  em.create(Audience, { ...row, search: searchOf(audienceWords(row)) })
  await flushKeyed(em, 'audience')
  return row
}

/**
 * A price of an active tier that can be subscribed to: it is ready, and free or charged by a provider that may charge
 * cards.
 */
export async function isPayable(em: EntityManager, tenantId: string, audienceId: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(sql`
    select 1
    from audience_tiers t
    join audience_prices p on p.tier_id = t.id and p.tenant_id = t.tenant_id
    left join payment_providers v on v.id = t.payment_provider_id and v.tenant_id = t.tenant_id
    where t.tenant_id = ${tenantId}
      and t.audience_id = ${audienceId}
      and t.status = 'active'
      and p.status = 'active'
      and p.ready
      and (p.amount = 0 or v.charges_enabled)
    limit 1
  `)
  return rows.length > 0
}

async function readinessOf(
  em: EntityManager,
  audience: Audience,
): Promise<Readiness & { template: EmailTemplate | null }> {
  const { type, template_id = null, mailbox_id = null, confirmation_url = null } = audience
  const confirms = type === 'confirmation'
  return {
    ...{ type, template_id, mailbox_id, confirmation_url },
    template: confirms && template_id ? await em.findOne(EmailTemplate, { id: template_id }) : null,
    mailbox: confirms && mailbox_id ? await em.findOne(Mailbox, { id: mailbox_id }, { fields: ['status'] }) : null,
    payable: type === 'paid' && (await isPayable(em, audience.tenant_id, audience.id)),
  }
}

async function hasHistory(em: EntityManager, { id, tenant_id }: Audience): Promise<boolean> {
  const [found]: { any: boolean }[] = await em.execute(sql`
    select exists (select 1 from audience_members where tenant_id = ${tenant_id} and audience_id = ${id}) or exists (
      select 1 from audience_tiers where tenant_id = ${tenant_id} and audience_id = ${id}
    ) as any
  `)
  return found?.any ?? false
}

const unready = (faults: readonly Fault[]) =>
  conflict('audience_not_ready', 'The audience is not ready to be active. `errors` lists every reason.', {
    faults: [...faults],
  })

/**
 * Updates an audience. Fields that are left out stay; `type` is replaced as a whole. Waits for contacts who are
 * joining. 404; 409 key_taken, audience_archived, audience_not_draft, audience_type_fixed, audience_not_ready; 422
 * template_unknown, mailbox_unknown. `failureOf`: why no confirmation can be made of a template; null if one can. `now`
 * in Unix seconds.
 */
export async function updateAudience(
  em: EntityManager,
  id: string,
  { key, name, type, status }: AudienceInput,
  failureOf: (template: EmailTemplate) => Promise<string | null>,
  now: number,
): Promise<Audience> {
  const audience = await lockForChange(em, Audience, id, 'audience')
  const to = status ?? audience.status
  if (audience.status === 'archived' && to !== 'archived')
    throw conflict('audience_archived', 'The audience is archived, which is final.')
  if (audience.status === 'active' && to === 'draft')
    throw conflict('audience_not_draft', 'The audience is active and cannot be a draft again. Archive it instead.')
  if (type && type.type !== audience.type && (audience.status !== 'draft' || (await hasHistory(em, audience))))
    throw conflict(
      'audience_type_fixed',
      'The type of an audience is fixed once it is active or has a member or a tier. Create another audience.',
    )
  await checkType(em, type, audience)
  em.assign(audience, {
    ...(key === undefined ? {} : { key }),
    ...(name === undefined ? {} : { name }),
    ...(type ? typeColumns(type) : {}),
    status: to,
    // The reconciler ends the subscriptions of its members, in batches.
    ...(to === 'archived' && audience.status !== 'archived' && audience.type === 'paid' ? { ending: true } : {}),
    updated_at: now,
  })
  // An active audience stays ready: a change of its type's settings is checked, too. Another change is not, for the
  // template may have been deleted meanwhile.
  if (to === 'active' && (status || type)) {
    const readiness = await readinessOf(em, audience)
    const faults = readinessFaults(readiness)
    const failure = faults.length === 0 && readiness.template ? await failureOf(readiness.template) : null
    if (failure)
      faults.push({
        pointer: '/type/template_id',
        code: 'template_failed',
        detail: `No confirmation can be made of the template: ${failure}`,
      })
    if (faults.length > 0) throw unready(faults)
  }
  em.assign(audience, { search: searchOf(audienceWords(audience)) })
  await flushKeyed(em, 'audience')
  return audience
}

/** What joining depends on. */
export type JoinedAudience = Pick<RowOf<Audience>, 'id' | 'key' | 'name' | 'status' | 'type'>

/** Reads the audience and locks it `for share`: its status and type stay until the transaction ends. 404. */
export async function lockForJoining(em: EntityManager, tenantId: string, id: string): Promise<JoinedAudience> {
  const rows: JoinedAudience[] = await em.execute(sql`
    select id, key, name, status, type
    from audiences
    where tenant_id = ${tenantId} and id = ${id}
    for share
  `)
  if (!rows[0]) throw notFound('audience')
  return rows[0]
}

/** What a storefront needs to enroll a visitor. */
export type Enrollment = JoinedAudience & {
  contact_id: string
  /** The contact's address; null for none. */
  email: string | null
  /** The same address, if the contact does not own it. */
  claimed_address: string | null
  template_id: string | null
  confirmation_url: string | null
  /** The mailbox that sends the confirmation; null: the installation's own sender. */
  mailbox_id: string | null
  /** The template and the mailbox that the audience names are active. */
  sendable: boolean
  /** The contact's address bounced, complained or withdrew its consent. */
  suppressed: boolean
  member_id: string | null
  member_status: MemberStatus | null
  store_key: string
  settings: Record<string, unknown>
}

/**
 * Reads an active audience that is not private, for a visitor who joins, in one statement. Of one who proved no
 * address, `email` is the address that they claimed. Locks the audience `for share`, and the session as a key: a
 * session that moves to another contact takes the membership along. 404.
 */
export async function lockForVisitor(
  em: EntityManager,
  tenantId: string,
  id: string,
  { session_id, verified }: Pick<Actor, 'session_id' | 'verified'>,
): Promise<Enrollment> {
  const claim = ownClaimSql('s.tenant_id', 's.contact_id')
  const email = verified ? emailSql('s.tenant_id', 's.contact_id') : claim
  const rows: Enrollment[] = await em.execute(sql`
    select a.id, a.key, a.name, a.status, a.type, a.template_id, a.confirmation_url, s.contact_id, ${email} as email,
      ${verified ? claimSql('s.tenant_id', 's.contact_id') : claim} as claimed_address,
      coalesce(
        a.mailbox_id,
        (
          select b.id
          from mailboxes b
          where b.tenant_id = a.tenant_id and b.status = 'active'
          order by b.created_at, b.id
          limit 1
        )
      ) as mailbox_id,
      exists (
        select 1
        from email_templates e
        where e.tenant_id = a.tenant_id and e.id = a.template_id and e.status = 'active'
      )
        and (
          a.mailbox_id is null
          or exists (
            select 1
            from mailboxes b
            where b.tenant_id = a.tenant_id and b.id = a.mailbox_id and b.status = 'active'
          )
        ) as sendable,
      exists (
        select 1
        from contact_channels h
        where h.tenant_id = a.tenant_id
          and h.type = 'email'
          and h.address = ${email}
          and (h.owned or h.contact_id = s.contact_id)
          and (h.status <> 'active' or h.consent_status = 'withdrawn')
      ) as suppressed,
      m.id as member_id, m.status as member_status, t.key as store_key, t.settings
    from audiences a
    join contact_sessions s on s.tenant_id = a.tenant_id and s.id = ${session_id} and s.revoked_at is null
    join tenants t on t.id = a.tenant_id
    left join audience_members m on m.tenant_id = a.tenant_id and m.audience_id = a.id and m.contact_id = s.contact_id
    where a.tenant_id = ${tenantId} and a.id = ${id} and a.status = 'active' and a.type <> 'private'
    for share of a
    for key share of s
  `)
  if (!rows[0]) throw notFound('audience')
  return rows[0]
}

/**
 * Refuses members that an operator cannot add. 409 enrollment_not_direct: operators add and import members of active
 * private and open audiences only.
 */
export function mustBeDirect({ status, type }: Pick<JoinedAudience, 'status' | 'type'>): void {
  if (status !== 'active' || (type !== 'private' && type !== 'open'))
    throw conflict(
      'enrollment_not_direct',
      status === 'active'
        ? `Contacts join this audience through the storefront: its type is \`${type}\`. Operators change the members of private and open audiences only.`
        : `The audience is ${status}. Members are added to active audiences only.`,
    )
}
