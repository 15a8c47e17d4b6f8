// What the workflow of a membership does next, read from its rows, and the rows that lost their workflow.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EffectStatus } from '../../rules/effects.ts'
import { type MembershipStep, nextMembershipStep, READ_BACK_MS } from '../../rules/subscriptions/membership.ts'
import { sql, text } from '../kit/database/sql.ts'
import { lateRows } from '../kit/late-rows.ts'

type FactsRow = {
  payment: string | null
  change: string | null
  age_ms: number | null
  read_requested: boolean
  outcome: EffectStatus | null
}

/** A payment of an invoice whose payment intent was not read yet; `p`: the payment. As in its index. */
const unread = (p: string) =>
  text(`
    ${p}.provider_invoice_id is not null
    and ${p}.captured_amount > 0
    and (${p}.evidence ->> 'payment_intent') is null
  `)

/** What the membership of this subscription does next (rules/subscriptions/membership.ts). */
export async function membershipStep(em: EntityManager, subscriptionId: string): Promise<MembershipStep> {
  const [row]: FactsRow[] = await em.execute(sql`
    select
      (
        select p.id
        from payments p
        where p.tenant_id = s.tenant_id and p.subscription_id = s.id and ${unread('p')}
        order by p.created_at, p.id
        limit 1
      ) as payment,
      (
        select c.id
        from subscription_changes c
        where c.tenant_id = s.tenant_id and c.subscription_id = s.id and c.status in ('requested', 'processing')
        order by c.created_at, c.id
        limit 1
      ) as change,
      (
        select (extract(epoch from clock_timestamp() - c.settled_at) * 1000)::float8
        from subscription_changes c
        where c.tenant_id = s.tenant_id
          and c.subscription_id = s.id
          and c.status = 'unknown'
          and c.late_evidence is null
        order by c.settled_at desc
        limit 1
      ) as age_ms,
      s.read_wanted_at is not null as read_requested,
      (
        select case
          when c.status <> 'unknown' or c.late_evidence is null then c.status
          else case c.late_evidence ->> 'status'
            when 'seen' then 'succeeded'
            when 'succeeded' then 'succeeded'
            when 'rejected' then 'rejected'
            when 'not_sent' then 'failed'
            else 'unknown'
          end
        end
        from subscription_changes c
        where c.tenant_id = s.tenant_id
          and c.subscription_id = s.id
          and c.settled_at > clock_timestamp() - make_interval(secs => ${(2 * READ_BACK_MS) / 1000})
        order by c.created_at desc, c.id desc
        limit 1
      ) as outcome
    from subscriptions s
    where s.id = ${subscriptionId}
  `)
  if (!row) return { do: 'done', outcome: 'failed' }
  const { age_ms, ...facts } = row
  return nextMembershipStep({ ...facts, unproved: age_ms === null ? null : { age_ms } })
}

/**
 * Asks for a read of every running subscription, of all tenants: after a restore, events that were applied are missing.
 * Returns how many. `now` in Unix seconds.
 */
export async function readAllRunning(em: EntityManager, now: number): Promise<number> {
  const subscriptions: unknown[] = await em.execute(sql`
    update subscriptions
    set read_wanted_at = ${now}
    where status = 'live' and kind = 'recurring' and provider_subscription_id is not null and read_wanted_at is null
    returning id
  `)
  return subscriptions.length
}

/**
 * Subscriptions with work that their workflow should have begun `graceS` seconds ago; changes are found as effects.
 * Covers all tenants; each row names its own.
 */
export const lateMemberships = [
  lateRows({
    from: sql`subscriptions x`,
    at: 'x.read_wanted_at',
    type: 'bigint',
    where: ({ idleS }) => sql`x.read_wanted_at < extract(epoch from clock_timestamp()) - ${idleS}::int`,
  }),
  lateRows({
    from: sql`payments x`,
    at: 'x.updated_at',
    type: 'bigint',
    id: 'x.subscription_id',
    where: ({ idleS }) => sql`${unread('x')} and x.updated_at < extract(epoch from clock_timestamp()) - ${idleS}::int`,
  }),
  lateRows({
    from: sql`subscription_changes x`,
    at: 'x.settled_at',
    type: 'timestamptz',
    id: 'x.subscription_id',
    where: ({ idleS }) => sql`
      x.status = 'unknown'
      and x.late_evidence is null
      and x.settled_at >= clock_timestamp() - make_interval(secs => ${READ_BACK_MS / 1000})
      and x.settled_at <= clock_timestamp() - make_interval(secs => ${idleS})
    `,
  }),
]
