// What became of messages that were sent is written in batches, each in one transaction, under the token that stamped them.
import type { EntityManager } from '@mikro-orm/postgresql'
import { storable } from '../../rules/input/storable.ts'
import type { EffectError, Evidence } from '../kit/effect-columns.ts'
import { newId, uuids } from '../kit/ids.ts'
import { json, sql, text } from '../kit/sql.ts'
import { applyHardBounces, type Bounce } from './bounces.ts'
import { messagesSettled } from './completing.ts'

type Mailbox = { id: string; tenant_id: string }

/** Of one attempt. `requested`: nothing was sent, and the message waits for `wait_ms`; `counts` if the server deferred it. */
export type SentResult = {
  id: string
  enrollment_id: string
  token: string
  evidence: Evidence
  error: EffectError | null
  provider_message_id: string | null
} & (
  | { status: 'succeeded' | 'rejected' | 'unknown'; again_ms: number | null; bounce: Omit<Bounce, 'id'> | null }
  | { status: 'requested'; wait_ms: number; counts: boolean }
)

const thisSecond = text('extract(epoch from clock_timestamp())::bigint')

/** New messages in place of those that the server deferred in reply to the final dot: the same content under another Message-ID, the next try. */
const tryAgain = (em: EntityManager, { tenant_id }: Mailbox, results: readonly { id: string; again_ms: number }[]) =>
  em.execute(
    sql`with new as (insert into campaign_messages (id, tenant_id, created_at, updated_at, campaign_id, enrollment_id, kind, step, try, mailbox_id, template_id, address, variables, subject, content,
         attachments, fingerprint, due_at)
       select x.new_id, m.tenant_id, ${thisSecond}, ${thisSecond}, m.campaign_id, m.enrollment_id, m.kind, m.step, m.try + 1, m.mailbox_id, m.template_id, m.address, m.variables, m.subject,
         m.content, m.attachments, m.fingerprint, clock_timestamp() + make_interval(secs => x.again_ms / 1000)
       from jsonb_to_recordset(${json(results.map((one) => ({ ...one, new_id: newId() })))}) as x(id uuid, new_id uuid, again_ms float8)
       join campaign_messages m on m.id = x.id and m.tenant_id = ${tenant_id} on conflict (enrollment_id, step, try) where kind = 'step' do nothing
       returning campaign_id, step, mailbox_id)
     update campaign_stats s set requested = s.requested + x.n from (select campaign_id, step, mailbox_id, count(*)::int as n from new group by 1, 2, 3) x
     where s.campaign_id = x.campaign_id and s.step = x.step and s.mailbox_id = x.mailbox_id`,
  )

/**
 * Writes results, each under its own token; a message that was settled before keeps its status, and the answer is kept in late_evidence. Counters, enrollments and what a hard
 * bounce changes follow in the same transaction. `now` in Unix seconds.
 */
export async function settleMessages(em: EntityManager, mailbox: Mailbox, results: readonly SentResult[], now: number): Promise<void> {
  const { id, tenant_id } = mailbox
  const ended = results.filter((one) => one.status !== 'requested')
  // Channels and members are locked before enrollments.
  const bounces = ended.flatMap(({ id, bounce }) => (bounce ? [{ id, ...bounce }] : []))
  await applyHardBounces(em, tenant_id, bounces, now)
  const again = results.flatMap((one) => (one.status === 'rejected' && one.again_ms !== null ? [{ id: one.id, again_ms: one.again_ms }] : []))
  const written: { id: string; status: string }[] = await em.execute(
    sql`with locked as materialized (select e.id from enrollments e where e.id = any (${uuids(results.map(({ enrollment_id }) => enrollment_id))}) and e.tenant_id = ${tenant_id}
       order by e.id for no key update),
     told as materialized (select x.* from jsonb_to_recordset(${json(storable(results))})
       as x(id uuid, token text, status text, evidence jsonb, error jsonb, provider_message_id text, wait_ms float8, counts boolean) where (select count(*) from locked) >= 0)
     update campaign_messages m set status = t.status, error = t.error, updated_at = ${thisSecond}, provider_message_id = t.provider_message_id,
       evidence = case when t.wait_ms is null then t.evidence end, answered_at = case when t.wait_ms is null then clock_timestamp() end,
       settled_at = case when t.wait_ms is null then clock_timestamp() end, sent_at = case when t.wait_ms is null then m.sent_at end,
       deadline_at = case when t.wait_ms is null then m.deadline_at end, attempt = case when t.counts = false then m.attempt - 1 else m.attempt end,
       due_at = case when t.wait_ms is null then m.due_at else clock_timestamp() + make_interval(secs => t.wait_ms / 1000) end
     from told t where m.id = t.id and m.tenant_id = ${tenant_id} and m.mailbox_id = ${id} and m.status = 'processing' and m.token = t.token returning m.id, m.status`,
  )
  if (written.length < results.length) await writeLate(em, mailbox, results, new Set(written.map((one) => one.id)))
  const settled = written.filter(({ status }) => status !== 'requested').map((one) => one.id)
  const rejected = new Set(settled)
  const retried = again.filter((one) => rejected.has(one.id))
  if (retried.length > 0) await tryAgain(em, mailbox, retried)
  if (settled.length > 0) await messagesSettled(em, settled)
  // Enrollments whose message waits for longer than a lease are not looked at meanwhile.
  const waiting = [
    ...results.filter((one) => one.status === 'requested' && one.wait_ms > 0),
    ...retried.flatMap(({ id }) => results.filter((one) => one.id === id)),
  ]
  if (waiting.length > 0)
    await em.execute(
      sql`update enrollments e set due_at = null where e.id = any (${uuids(waiting.map(({ enrollment_id }) => enrollment_id))}) and e.tenant_id = ${tenant_id} and e.status = 'active'
       and exists (select 1 from campaign_messages m where m.enrollment_id = e.id and m.step = e.step and m.kind = 'step' and m.status = 'requested')`,
    )
}

/** Answers to messages that were settled before: their outcome was unknown after the deadline. */
async function writeLate(em: EntityManager, { id, tenant_id }: Mailbox, results: readonly SentResult[], written: ReadonlySet<string>): Promise<void> {
  const late = results.filter((one) => !written.has(one.id) && one.status !== 'unknown')
  if (late.length === 0) return
  const evidence = late.map((one) => ({
    id: one.id,
    token: one.token,
    evidence: { status: one.status === 'requested' ? 'not_sent' : one.status, ...one.evidence },
  }))
  await em.execute(
    sql`update campaign_messages m set late_evidence = t.evidence from jsonb_to_recordset(${json(storable(evidence))}) as t(id uuid, token text, evidence jsonb)
     where m.id = t.id and m.tenant_id = ${tenant_id} and m.mailbox_id = ${id} and m.status = 'unknown' and m.token = t.token`,
  )
}
