// What stops sending by itself: errors of a mailbox, and campaigns whose messages fail, bounce or are reported as spam.
// An operator resumes a campaign that was paused.
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  bounceLimit,
  complaintLimit,
  distrustLimit,
  type Reason,
  reasons,
  refusalLimit,
} from '../../rules/sending/breakers.ts'
import { MAILBOX_DOWN_MAX_S, mailboxPauseMs } from '../../rules/sending/sending.ts'
import type { Campaign } from '../campaigns/campaign.ts'
// Backwards: the mailbox of a stopped campaign is still read for replies.
import { AWAITS_MAIL_S, startInbox } from '../inbox/inbox.ts'
import { json, type Sql, sql, text, thisSecond } from '../kit/database/sql.ts'
import type { EffectError } from '../kit/effect-columns.ts'
import { uuids } from '../kit/ids.ts'

type Mailbox = { id: string; tenant_id: string }
/** `edited_at`: when an operator had changed its settings, in Unix seconds. */
type Tried = Mailbox & { edited_at: number }
type Counter = keyof NonNullable<Campaign['breaker_base']>

/** Pauses those that run. */
export const pauseCampaigns = (em: EntityManager, tenantId: string, campaigns: Sql, reason: Reason) =>
  // Locked by id: concurrent changes of several campaigns do not deadlock.
  em.execute(sql`
    update campaigns c
    set status = 'paused', paused_reason = ${json(reason)}, updated_at = ${thisSecond}
    where c.id in (
      select r.id
      from campaigns r
      where r.id in (${campaigns}) and r.tenant_id = ${tenantId} and r.status = 'running'
      order by r.id
      for no key update
    )
  `)

/** Running campaigns of the mailbox. */
export const campaignsOf = ({ id, tenant_id }: Mailbox): Sql => sql`
  select x.id
  from campaigns x
  where x.tenant_id = ${tenant_id} and x.status = 'running' and x.mailbox_ids @> jsonb_build_array(${id}::text)
`

/**
 * The mailbox's server could not be used, `failures` times in a row: it is tried again after a pause. Its campaigns are
 * paused for the reason `final`, or after a day. What was tried with other settings than an operator has written since
 * counts for nothing. In a transaction.
 */
export async function mailboxFailed(
  em: EntityManager,
  mailbox: Tried,
  error: EffectError,
  failures: number,
  final: Reason | null,
): Promise<void> {
  const { id, tenant_id, edited_at } = mailbox
  const [row]: { down: boolean }[] = await em.execute(sql`
    select sending_failed_since < ${thisSecond} - ${MAILBOX_DOWN_MAX_S}::int as down
    from mailboxes
    where id = ${id} and tenant_id = ${tenant_id} and updated_at = ${edited_at}
  `)
  if (!row) return
  // Campaigns are locked before mailboxes.
  // What it sends is paused then, and another campaign may try at once.
  const reason = final ?? (row.down ? reasons.mailbox_unreachable : null)
  if (reason) await pauseCampaigns(em, tenant_id, campaignsOf(mailbox), reason)
  await em.execute(sql`
    update mailboxes
    set sending_error = ${json(error)}, sending_failures = ${failures},
      sending_failed_since = coalesce(sending_failed_since, ${thisSecond}),
      sending_again_at = clock_timestamp() + make_interval(secs => ${mailboxPauseMs(final ? 1 : failures) / 1000})
    where id = ${id} and tenant_id = ${tenant_id} and updated_at = ${edited_at}
  `)
}

/**
 * Their servers accept mail, or are to be tried again at once; they have a day until they pause their campaigns. To be
 * called before the transaction locks mailboxes for share: two that hold such a lock cannot both update.
 */
export const forgetFailures = (
  em: EntityManager,
  { tenant_id, mailbox_ids }: Pick<Campaign, 'tenant_id' | 'mailbox_ids'>,
) =>
  em.execute(sql`
    update mailboxes
    set sending_error = null, sending_failed_since = null, sending_failures = 0, sending_again_at = null
    where id in (
      select id
      from mailboxes
      where tenant_id = ${tenant_id}
        and id = any (${uuids(mailbox_ids)})
        and (sending_failures > 0 or sending_error is not null)
      order by id
      for no key update
    )
  `)

/**
 * When a message was last handed to its server: its inbox is read more often for two days, from now on. In a
 * transaction.
 */
export async function mailboxSent(em: EntityManager, { id, tenant_id }: Mailbox, now: number): Promise<void> {
  // Locked to read the earlier time: of two concurrent drains one finds that the mailbox rested.
  const [row]: { rested: boolean }[] = await em.execute(sql`
    update mailboxes b
    set sent_at = ${now}
    from (
      select id, coalesce(sent_at, 0) as before
      from mailboxes
      where id = ${id} and tenant_id = ${tenant_id}
      for no key update
    ) locked_mailbox
    where b.id = locked_mailbox.id
    returning b.imap_host is not null and locked_mailbox.before <= ${now - AWAITS_MAIL_S} as rested
  `)
  if (row?.rested) await startInbox(em, { id, tenant_id })
}

/** What is counted of a campaign since its last pause by a breaker; `s` and `c` are its sums and its row. */
const since = (counter: Counter) => text(`(s.${counter} - coalesce((c.breaker_base ->> '${counter}')::int, 0))`)
const sumsOf = (tenantId: string) => sql`
  select campaign_id, sum(succeeded + rejected)::int as sent, sum(succeeded)::int as succeeded,
    sum(hard_bounced)::int as bounced, sum(complained)::int as complained, sum(refused)::int as refused,
    sum(distrusted)::int as distrusted
  from campaign_stats
  where tenant_id = ${tenantId}
`

/**
 * Pauses running campaigns of these, an array of ids, with too many hard bounces, complaints or refusals. What was
 * counted before the last pause of this kind does not count again. The caller has locked the campaigns.
 */
export const tripBreakers = (em: EntityManager, tenantId: string, campaigns: Sql) => {
  const over = (counter: Counter, of: Sql, { least, share }: { least: number; share: number }) =>
    sql`(${of} >= ${least} and ${since(counter)} > ${share}::float8 * ${of})`
  const sent = since('sent')
  const tried = sql`(${since('succeeded')} + ${since('refused')})`
  const complained = over('complained', sent, complaintLimit)
  const bounced = over('bounced', sent, bounceLimit)
  const distrusted = over('distrusted', sql`(${since('succeeded')} + ${since('distrusted')})`, distrustLimit)
  const refused = sql`
    (${tried} >= ${refusalLimit.least} and ${since('refused')} >= ${refusalLimit.share}::float8 * ${tried})
  `
  return em.execute(sql`
    update campaigns c
    set status = 'paused', updated_at = ${thisSecond}, breaker_base = to_jsonb(s) - 'campaign_id',
      paused_reason = case
        when ${complained} then ${json(reasons.too_many_complaints)}
        when ${bounced} then ${json(reasons.too_many_bounces)}
        when ${distrusted} or 2 * ${since('distrusted')} > ${since('refused')} then ${json(reasons.sender_reputation)}
        else ${json(reasons.nearly_all_refused)}
      end
    from (${sumsOf(tenantId)} and campaign_id = any (${campaigns}) group by campaign_id) s
    where c.id = s.campaign_id
      and c.tenant_id = ${tenantId}
      and c.status = 'running'
      and (${complained} or ${bounced} or ${distrusted} or ${refused})
  `)
}

/**
 * Those of these campaigns of which nearly all messages were refused since their last pause by a breaker, with another
 * one that is refused now, however few they are.
 */
export async function mostlyRefused(
  em: EntityManager,
  tenantId: string,
  campaignIds: readonly string[],
): Promise<Set<string>> {
  const rows: { id: string; succeeded: number; refused: number }[] = await em.execute(sql`
    select c.id, ${since('succeeded')} as succeeded, ${since('refused')} as refused
    from campaigns c
    join (
      ${sumsOf(tenantId)} and campaign_id = any (${uuids(campaignIds)})
      group by campaign_id
    ) s on s.campaign_id = c.id
    where c.id = any (${uuids(campaignIds)}) and c.tenant_id = ${tenantId}
  `)
  // A campaign without sums has this refusal alone.
  const others = rows.filter(({ succeeded, refused }) => refused + 1 < refusalLimit.share * (succeeded + refused + 1))
  const accepted = new Set(others.map(({ id }) => id))
  return new Set(campaignIds.filter((id) => !accepted.has(id)))
}
