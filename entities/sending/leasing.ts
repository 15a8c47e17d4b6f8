// The messages of steps are written before they are sent: enrollments that are due are leased, and one message is
// inserted for each and its step.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EmailTemplateFormat } from '../../rules/mail/email-templates.ts'
import { FRESH_S, LEASE_S } from '../../rules/sending/sending.ts'
import { insertions } from '../kit/database/insert.ts'
import { json, type Sql, sql } from '../kit/database/sql.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { arrayOf, uuids } from '../kit/ids.ts'
import { CampaignMessage } from './campaign-message.ts'

type Mailbox = { id: string; tenant_id: string }

export type LeasedEnrollment = {
  id: string
  campaign_id: string
  step: number
  address: string
  audience_id: string | null
}

/**
 * Leases up to `limit` enrollments that are due, shared over the campaigns, the oldest first. Of those that no mailbox
 * has yet, it takes its share among the mailboxes of the campaign that can send now (`mailboxes`). From its first lease
 * on, an enrollment stays with the mailbox. Those that have a message of their step already are not leased.
 */
export const leaseEnrollments = (
  em: EntityManager,
  { id, tenant_id }: Mailbox,
  campaigns: readonly { id: string; mailboxes: number }[],
  limit: number,
): Promise<LeasedEnrollment[]> => {
  const each = Math.ceil(limit / campaigns.length)
  const open = sql`
    from enrollments n
    where n.campaign_id = c.id
      and n.tenant_id = ${tenant_id}
      and n.status = 'active'
      and n.due_at <= statement_timestamp()
  `
  // `any (array(…))`: the leased rows are found by their ids, under any plan.
  // Ordered as the index is: null is no constant to the planner. One without a mailbox has no message. `offset 0`:
  // looked up for the rows that are read, in their order.
  const unwritten = sql`
    and not exists (
      select 1
      from campaign_messages m
      where m.enrollment_id = n.id and m.step = n.step and m.kind = 'step'
      offset 0
    )
  `
  const share = sql`
    case
      when c.mailboxes = 1 then ${each}::int
      else ceil(
        (
          select count(*)
          from (select 1 ${open} and n.mailbox_id is null limit ${each}::int * c.mailboxes) waiting_enrollments
        )::float8 / c.mailboxes
      )::int
    end
  `
  // Enrollments that another mailbox leases meanwhile are skipped: mailboxes do not wait for each other.
  const due = (mailbox: Sql, most: Sql) => sql`
    select e.id, e.due_at, e.shuffle
    from running_campaigns c
    cross join lateral (
      select n.id, n.due_at, n.shuffle ${open} and ${mailbox}
      order by n.mailbox_id, n.due_at, n.shuffle
      limit ${most}
      for update skip locked
    ) e
  `
  return em.execute(sql`
    with running_campaigns as materialized (
      select c.id, c.mailboxes
      from jsonb_to_recordset(${json(campaigns)}) as c(id uuid, mailboxes int)
    ),
    assigned_enrollments as materialized (${due(sql`n.mailbox_id = ${id} ${unwritten}`, sql`${each}`)}),
    unassigned_enrollments as materialized (${due(sql`n.mailbox_id is null`, share)}),
    due_enrollments as materialized (
      select id
      from (select * from assigned_enrollments union all select * from unassigned_enrollments) e
      order by due_at, shuffle
      limit ${limit}
    )
    update enrollments e
    set mailbox_id = ${id}, due_at = clock_timestamp() + make_interval(secs => ${LEASE_S})
    where e.id = any (array(select id from due_enrollments))
    returning e.id, e.campaign_id, e.step, e.address, e.audience_id
  `)
}

/**
 * Leased enrollments whose message of this step is not written after all are due again. One that has a message, or has
 * gone on to its next step, stays as it is.
 */
export const releaseEnrollments = (
  em: EntityManager,
  { id, tenant_id }: Mailbox,
  leased: readonly { enrollment_id: string; step: number }[],
) =>
  // Locked by id, the order of all statements that change several enrollments.
  em.execute(sql`
    update enrollments e
    set due_at = clock_timestamp()
    where e.id in (
      select n.id
      from jsonb_to_recordset(${json(leased.map(({ enrollment_id, step }) => ({ enrollment_id, step })))}) as x(
        enrollment_id uuid, step int
      )
      join enrollments n on n.id = x.enrollment_id and n.step = x.step
      where n.tenant_id = ${tenant_id}
        and n.mailbox_id = ${id}
        and n.status = 'active'
        and n.due_at is not null
        and not exists (
          select 1
          from campaign_messages m
          where m.enrollment_id = n.id and m.step = n.step and m.kind = 'step'
        )
      order by n.id
      for no key update of n
    )
  `)

export type NewMessage = {
  id: string
  campaign_id: string
  enrollment_id: string
  step: number
  template_id: string
  address: string
  /** JSON of what it was rendered with. */
  variables: string
  fingerprint: string
} & ({ subject: string; content: Buffer; error: null } | { subject: null; content: null; error: EffectError })

/**
 * Inserts messages, each once for its enrollment and step; one that could not be rendered has failed, and ends its
 * enrollment. Returns the ids of those that are new. `now` in Unix seconds.
 */
export async function insertMessages(
  em: EntityManager,
  { id, tenant_id }: Mailbox,
  messages: readonly NewMessage[],
  now: number,
): Promise<Set<string>> {
  const same = {
    tenant_id,
    mailbox_id: id,
    kind: 'step' as const,
    created_at: now,
    updated_at: now,
    attachments: [],
    due_at: sql`clock_timestamp()`,
  }
  const rows = messages.map((message) => ({
    ...message,
    status: message.error ? ('failed' as const) : ('requested' as const),
    settled_at: message.error ? new Date(now * 1000).toISOString() : null,
  }))
  const written: { id: string }[] = await em.execute(sql`
    with new_messages as (
      ${insertions(em, CampaignMessage, same, rows)}
      on conflict (enrollment_id, step, try) where kind = 'step' do nothing
      returning id, enrollment_id, campaign_id, step, status
    ),
    failed_enrollments as (
      update enrollments e
      set status = 'failed', due_at = null, updated_at = ${now}
      from new_messages
      where e.id = new_messages.enrollment_id
        and e.tenant_id = ${tenant_id}
        and new_messages.status = 'failed'
        and e.status = 'active'
        and e.step = new_messages.step
    ),
    updated_stats as (
      update campaign_stats s
      set requested = s.requested + counts.requested, failed = s.failed + counts.failed
      from (
        select campaign_id, step, count(*) filter (where status = 'requested') as requested,
          count(*) filter (where status = 'failed') as failed
        from new_messages
        group by 1, 2
      ) counts
      where s.campaign_id = counts.campaign_id and s.step = counts.step and s.mailbox_id = ${id}
    )
    select id
    from new_messages
  `)
  return new Set(written.map(({ id }) => id))
}

/** A message that was written before, by an earlier drain. `is_stale`: it has to be rendered again. */
export type WrittenMessage = {
  id: string
  campaign_id: string
  enrollment_id: string
  audience_id: string | null
  step: number
  try: number
  address: string
  is_stale: boolean
}

/** The messages that are due, the oldest first. */
export const dueMessages = (
  em: EntityManager,
  { id, tenant_id }: Mailbox,
  campaignIds: readonly string[],
  limit: number,
): Promise<WrittenMessage[]> =>
  em.execute(sql`
    select m.id, m.campaign_id, m.enrollment_id, e.audience_id, m.step, m.try, m.address,
      m.updated_at < extract(epoch from statement_timestamp()) - ${FRESH_S}::int as is_stale
    from campaign_messages m
    join enrollments e on e.id = m.enrollment_id and e.tenant_id = m.tenant_id
    where m.mailbox_id = ${id}
      and m.tenant_id = ${tenant_id}
      and m.status = 'requested'
      and m.kind = 'step'
      and m.due_at <= statement_timestamp()
      and m.campaign_id = any (${arrayOf(campaignIds)}::uuid[])
    order by m.due_at, m.id
    limit ${limit}
  `)

/**
 * New content of messages that were not sent; of those that cannot be rendered any more the old one stays. `now` in
 * Unix seconds.
 */
export const renewMessages = (
  em: EntityManager,
  { id, tenant_id }: Mailbox,
  messages: readonly { id: string; variables: string; subject: string; content: Buffer }[],
  now: number,
) =>
  em.execute(sql`
    update campaign_messages m
    set variables = x.variables, subject = x.subject, content = decode(x.content, 'hex'), updated_at = ${now}
    from jsonb_to_recordset(
      ${json(messages.map(({ content, ...one }) => ({ ...one, content: content.toString('hex') })))}
    ) as x(id uuid, variables text, subject text, content text)
    where m.id = x.id and m.tenant_id = ${tenant_id} and m.mailbox_id = ${id} and m.status = 'requested'
  `)

export type Step = {
  format: (typeof EmailTemplateFormat.options)[number]
  subject: string
  body: string
  text: string | null
  id: string
  campaign_id: string
  position: number
  template_id: string
  variables: Record<string, unknown>
  in_thread: boolean
  dictionary: Buffer | null
}

/** The steps of launched campaigns: they do not change any more. */
export const readSteps = (em: EntityManager, tenantId: string, campaignIds: readonly string[]): Promise<Step[]> =>
  em.execute(sql`
    select id, campaign_id, position, template_id, variables, in_thread, format, subject, body, text, dictionary
    from campaign_steps
    where tenant_id = ${tenantId} and campaign_id = any (${uuids(campaignIds)})
  `)

/** Returns the dictionary of the step: this one, or one that was set before. */
export async function setDictionary(
  em: EntityManager,
  tenantId: string,
  { id }: Pick<Step, 'id'>,
  dictionary: Buffer,
): Promise<Buffer> {
  const [row]: { dictionary: Buffer }[] = await em.execute(sql`
    update campaign_steps
    set dictionary = coalesce(dictionary, decode(${dictionary.toString('hex')}, 'hex'))
    where id = ${id} and tenant_id = ${tenantId}
    returning dictionary
  `)
  return row?.dictionary ?? dictionary
}
