// What became of messages that were sent is written in batches, each in one transaction, under the token that stamped
// them.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { sentOutcomes } from '../../rules/effects.ts'
import { lateAnswer } from '../../rules/resolutions.ts'
import type { Reason } from '../../rules/sending/breakers.ts'
// Backwards: a refusal while sending counts as a bounce.
import { applyBounces, type Bounce, countRefusals } from '../inbox/bounces.ts'
import { json, sql, thisSecond } from '../kit/database/sql.ts'
import type { EffectError, Evidence } from '../kit/effect-columns.ts'
import { newId, uuids } from '../kit/ids.ts'
import { startAll } from '../kit/outbox.ts'
import { laterAssignment } from '../kit/resolutions.ts'
import { followSettled } from './completion.ts'
import { mostlyRefused, pauseCampaigns } from './stops.ts'

type Mailbox = { id: string; tenant_id: string }

/**
 * The result of one attempt. `requested`: nothing was sent, and the message waits for `wait_ms`; `counts` if the server
 * deferred or refused it. `again_ms`: a new message follows then; `carries`: with the attempts and the error of this
 * one. `refused`: a permanent refusal; `distrusted`: see countRefusals.
 */
type Result = {
  id: string
  enrollment_id: string
  token: string
  evidence: Evidence
  error: EffectError | null
  provider_message_id: string | null
  refused?: { distrusted: boolean }
} & (
  | {
      status: (typeof sentOutcomes)[number]
      again_ms: number | null
      carries?: true
      bounce: Omit<Bounce, 'id'> | null
    }
  | { status: 'requested'; wait_ms: number; counts: boolean }
)

/**
 * Of the last attempt that a refusal of the sender has: where nearly all messages of the campaign are refused, it is
 * paused for `reason`, and `waiting` is written instead.
 */
export type LastRefusal = { campaign_id: string; reason: Reason; waiting: Result }

/** A result with `last` is decided in the transaction that writes it. */
export type SentResult = Result & { last?: LastRefusal }

/** It is the end of the message `r`: it does not wait for another attempt. */
const isFinal = sql`r.wait_ms is null`

/** Messages are settled, or wait, where they are still those that the token has stamped. */
const updatedMessages = ({ id, tenant_id }: Mailbox) => sql`
  updated_messages as (
    update campaign_messages m
    set status = r.status, error = r.error, updated_at = ${thisSecond}, provider_message_id = r.provider_message_id,
      evidence = case when ${isFinal} then r.evidence end,
      answered_at = case when ${isFinal} then clock_timestamp() end,
      settled_at = case when ${isFinal} then clock_timestamp() end, sent_at = case when ${isFinal} then m.sent_at end,
      deadline_at = case when ${isFinal} then m.deadline_at end,
      attempt = case when r.counts = false then m.attempt - 1 else m.attempt end,
      due_at = case when ${isFinal} then m.due_at else clock_timestamp() + make_interval(secs => r.wait_ms / 1000) end
    from results r
    where m.id = r.id
      and m.tenant_id = ${tenant_id}
      and m.mailbox_id = ${id}
      and m.status is not distinct from 'processing'
      and m.token = r.token
    returning m.id, m.enrollment_id, m.campaign_id, m.step, m.mailbox_id, m.status, m.sent_at, r.new_id, r.again_ms,
      r.wait_ms, r.carries
  )
`

/** A message that was deferred in reply to the final dot is followed by a new one. */
const retries = sql`
  retries as (
    insert into campaign_messages (
      id, tenant_id, created_at, updated_at, campaign_id, enrollment_id, kind, step, try, mailbox_id, template_id,
      address, variables, subject, content, attachments, fingerprint, due_at, attempt, error
    )
    select s.new_id, m.tenant_id, ${thisSecond}, ${thisSecond}, m.campaign_id, m.enrollment_id, m.kind, m.step,
      m.try + 1, m.mailbox_id, m.template_id, m.address, m.variables, m.subject, m.content, m.attachments,
      m.fingerprint, clock_timestamp() + make_interval(secs => s.again_ms / 1000),
      case when s.carries then m.attempt else 0 end,
      case when s.carries then (select r.error from results r where r.id = s.id) end
    from settled_messages s
    join campaign_messages m on m.id = s.id
    where s.again
  )
`

/** Enrollments whose message waits rest: it is due by itself. */
const restingEnrollments = sql`
  resting_enrollments as (
    update enrollments e
    set due_at = null
    from updated_messages u
    where e.id = u.enrollment_id
      and u.status = 'requested'
      and u.wait_ms > 0
      and e.status = 'active'
      and e.step = u.step
  )
`

/** What is written of last refusals, and those for which their campaigns are paused. Locks nothing. */
async function judgeRefusals(
  em: EntityManager,
  tenantId: string,
  results: readonly SentResult[],
): Promise<{ decided: Result[]; pausing: LastRefusal[] }> {
  const last = results.flatMap((one) => one.last ?? [])
  const campaignIds = [...new Set(last.map(({ campaign_id }) => campaign_id))]
  const over = last.length === 0 ? new Set<string>() : await mostlyRefused(em, tenantId, campaignIds)
  return {
    decided: results.map(({ last: refusal, ...result }) =>
      refusal && over.has(refusal.campaign_id) ? refusal.waiting : result,
    ),
    pausing: last.filter(({ campaign_id }) => over.has(campaign_id)),
  }
}

/** Pauses each campaign for its first reason. The caller has locked the campaigns. */
async function pauseRefused(em: EntityManager, tenantId: string, pausing: readonly LastRefusal[]): Promise<void> {
  const reasons = new Map(pausing.toReversed().map(({ campaign_id, reason }) => [campaign_id, reason]))
  for (const [id, reason] of reasons) await pauseCampaigns(em, tenantId, sql`${id}::uuid`, reason)
}

/** Writes the results, and what of enrollments and counters follows. Returns the messages that it has settled. */
async function writeResults(
  em: EntityManager,
  mailbox: Mailbox,
  results: readonly Result[],
): Promise<ReadonlySet<string>> {
  const enrollmentIds = uuids(results.map(({ enrollment_id }) => enrollment_id))
  const records = results.map((one) =>
    one.status === 'rejected' && one.again_ms !== null ? { ...one, new_id: newId() } : one,
  )
  // Enrollments are locked by id before the messages change: unsubscribing locks them in the same order.
  const written: { id: string }[] = await em.execute(sql`
    with locked_enrollments as materialized (
      select e.id
      from enrollments e
      where e.id = any (${enrollmentIds}) and e.tenant_id = ${mailbox.tenant_id}
      order by e.id
      for no key update
    ),
    results as materialized (
      select x.*
      from jsonb_to_recordset(${json(records)}) as x(
        id uuid, enrollment_id uuid, token text, status text, evidence jsonb, error jsonb, provider_message_id text,
        wait_ms float8, counts boolean, again_ms float8, carries boolean, new_id uuid
      )
      where (select count(*) from locked_enrollments) >= 0
    ),
    ${updatedMessages(mailbox)},
    settled_messages as materialized (
      select *, new_id is not null as again from updated_messages where status <> 'requested'
    ),
    ${retries},
    ${restingEnrollments},
    ${followSettled('requested')}
    select id
    from updated_messages
  `)
  return new Set(written.map(({ id }) => id))
}

/**
 * Writes results, each under its own token; a message that was settled before keeps its status, and the answer is kept
 * in late_evidence. Counters, enrollments, and what a refusal changes follow. `is not distinct from`: the rows are
 * found by their ids, not by an index of statuses that change all the time. One that the server deferred in reply to
 * the final dot is followed by a new message: the same content under another Message-ID, the next try. A campaign that
 * a last refusal pauses is paused with it. One statement; in a transaction with refusals and unknown outcomes. `now` in
 * Unix seconds.
 */
export async function settleMessages(
  em: EntityManager,
  mailbox: Mailbox,
  noted: readonly SentResult[],
  now: number,
): Promise<void> {
  const { tenant_id } = mailbox
  const { decided: results, pausing } = await judgeRefusals(em, tenant_id, noted)
  const refusals = results.flatMap(({ id, refused }) => (refused ? [{ id, ...refused }] : []))
  // Channels, members and campaigns are locked before enrollments.
  await applyBounces(
    em,
    tenant_id,
    bouncesOf(results),
    now,
    refusals.map(({ id }) => id),
  )
  await pauseRefused(em, tenant_id, pausing)
  const settled = await writeResults(em, mailbox, results)
  await countRefusals(
    em,
    tenant_id,
    refusals.filter(({ id }) => settled.has(id)),
  )
  // Their workflows fail: that is the operators' worklist.
  await startAll(
    em,
    'campaign_message',
    unknownOf(results).filter((id) => settled.has(id)),
    { tenant_id, signal: false },
  )
  if (settled.size < results.length) await writeLate(em, mailbox, results, settled)
}

const unknownOf = (results: readonly Result[]): string[] =>
  results.flatMap((one) => (one.status === 'unknown' ? [one.id] : []))

/** Whether more than one statement settles them: in a transaction. */
export const followsMore = (results: readonly Result[]): boolean =>
  unknownOf(results).length > 0 || results.some(({ refused }) => refused)

/** Final refusals, by the server's reply. */
const bouncesOf = (results: readonly Result[]): Bounce[] =>
  results.flatMap((one) => (one.status === 'rejected' && one.bounce ? [{ id: one.id, ...one.bounce }] : []))

/** Answers to messages that were settled before: their outcome was unknown after the deadline. */
async function writeLate(
  em: EntityManager,
  { id, tenant_id }: Mailbox,
  results: readonly Result[],
  written: ReadonlySet<string>,
): Promise<void> {
  const late = results.filter((one) => !written.has(one.id) && one.status !== 'unknown')
  if (late.length === 0) return
  const evidence = late.map((one) => ({
    id: one.id,
    token: one.token,
    evidence: one.status === 'requested' ? { status: 'not_sent', ...one.error } : lateAnswer(one.status, one.evidence),
  }))
  await em.execute(sql`
    update campaign_messages m
    set ${laterAssignment('m', sql`t.evidence`)}
    from jsonb_to_recordset(${json(evidence)}) as t(id uuid, token text, evidence jsonb)
    where m.id = t.id
      and m.tenant_id = ${tenant_id}
      and m.mailbox_id = ${id}
      and m.status = 'unknown'
      and m.token = t.token
  `)
}
