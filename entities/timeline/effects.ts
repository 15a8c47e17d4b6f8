// The effects of a timeline: the columns of their rows that a sentence needs, and the records that they belong to. An
// effect that is missing here does not compile. Each is a subject of its own, too.
import { type EffectName, effects } from '../../rules/effects.ts'
import type { EffectFacts } from '../../rules/timeline/effects.ts'
import type { RecordType } from '../../rules/timeline/subjects.ts'
import { join, msOf, type Sql, sql } from '../kit/database/sql.ts'
import { settledByResolution } from '../kit/replaced.ts'
import {
  type About,
  createdMs,
  memberSubscription,
  momentsOf,
  msOfSecond,
  objectOf,
  ofMember,
  ofSubscription,
  type Rows,
  subscriptionsOfMember,
} from './sources.ts'

type EffectSource<N extends EffectName> = {
  /** SQL of each value that the sentences need, of the row x. */
  facts: { readonly [F in keyof EffectFacts[N]]: Sql }
  /** The records that it belongs to. */
  of: Partial<Record<RecordType, Rows>>
  /** Rows that the tenant may read; all by default. */
  visible?: Sql
  /** Whether a worker of ours sent the row; all by default. */
  sentHere?: Sql
  /** The role that reads such rows elsewhere; an admin by default. */
  may?: 'owner'
}

/**
 * What the platform charges for the plan of a store is shown to the platform alone. Read for each row: as a join, a
 * page of a stream would read all rows of its owner.
 */
const ofNoPlan = sql`
  (select u.plan_id from subscriptions u where u.id = x.subscription_id and u.tenant_id = x.tenant_id) is null
`
const money = { amount: sql`x.amount::float8`, currency: sql`x.currency` }
const ofOrder: Rows = { where: ({ id }) => sql`x.order_id = ${id}` }
const bySubscription = { member: { where: ofMember }, subscription: { where: ofSubscription } }
/** A member requests any number of them. */
const streamBySubscription: Partial<Record<RecordType, Rows>> = {
  member: { stream: true, where: ofMember, each: { column: 'subscription_id', owners: subscriptionsOfMember } },
  subscription: {
    stream: true,
    where: ofSubscription,
    each: { column: 'subscription_id', owners: memberSubscription },
  },
}
/** Rows with the id of a payment form, whose owner is a condition on the form f. */
const ofForm = (owner: (about: About) => Sql): Rows => ({
  where: (about) => sql`
    x.payment_session_id in (
      select f.id from payment_sessions f where f.tenant_id = ${about.tenant_id} and ${owner(about)}
    )
  `,
})
const formOfMember = ({ tenant_id, id }: About) => sql`
  f.subscription_id in (select u.id from subscriptions u where u.tenant_id = ${tenant_id} and u.member_id = ${id})
`
export const effectSources: { readonly [N in EffectName]: EffectSource<N> } = {
  refund: {
    facts: { ...money, origin: sql`x.origin`, requested_by: sql`x.requested_by` },
    of: { order: ofOrder, ...bySubscription },
    visible: ofNoPlan,
    // One that was made at the provider has the time at which we learned of it.
    sentHere: sql`x.origin <> 'provider'`,
  },
  payment_session: { facts: money, of: { order: ofOrder, ...bySubscription }, visible: ofNoPlan },
  session_expiry: {
    facts: {},
    of: {
      order: ofForm(({ id }) => sql`f.order_id = ${id}`),
      member: ofForm(formOfMember),
      subscription: ofForm(({ id }) => sql`f.subscription_id = ${id}`),
    },
    visible: sql`
      not exists (
        select 1
        from payment_sessions f
        join subscriptions u on u.id = f.subscription_id and u.tenant_id = f.tenant_id
        where f.id = x.payment_session_id and f.tenant_id = x.tenant_id and u.plan_id is not null
      )
    `,
  },
  coupon: { facts: money, of: bySubscription, visible: ofNoPlan },
  authorization_end: { facts: { ...money, kind: sql`x.kind` }, of: { order: ofOrder } },
  connect: { facts: {}, of: { payment_provider: { where: ({ id }) => sql`x.id = ${id}` } } },
  onboarding_link: {
    facts: {},
    of: { payment_provider: { stream: true, where: ({ id }) => sql`x.payment_provider_id = ${id}` } },
  },
  price_provision: {
    facts: {},
    of: {
      audience: {
        where: ({ tenant_id, id }) => sql`
          x.price_id in (
            select p.id
            from audience_prices p
            join audience_tiers t on t.id = p.tier_id and t.tenant_id = p.tenant_id
            where t.tenant_id = ${tenant_id} and t.audience_id = ${id}
          )
        `,
      },
    },
  },
  portal_configuration: { facts: {}, of: {} },
  portal_link: { facts: {}, of: streamBySubscription, visible: ofNoPlan },
  mail: { facts: { kind: sql`x.kind` }, of: {} },
  campaign_message: {
    facts: { kind: sql`x.kind`, step: sql`x.step` },
    of: { enrollment: { where: ({ id }) => sql`x.enrollment_id = ${id}` } },
  },
  webhook_test: { facts: {}, of: { webhook: { stream: true, where: ({ id }) => sql`x.webhook_id = ${id}` } } },
  subscription_change: {
    facts: { kind: sql`x.kind`, requested_by: sql`x.requested_by` },
    of: bySubscription,
    visible: ofNoPlan,
  },
  // Integrations are shown to owners alone.
  oauth_exchange: {
    may: 'owner',
    facts: { kind: sql`x.kind`, provider: sql`x.provider` },
    of: { integration: { where: ({ id }) => sql`x.connection_id = ${id}` } },
  },
  social_connect: { facts: { connected_by: sql`x.connected_by` }, of: {} },
  social_token_request: {
    facts: { kind: sql`x.kind` },
    of: { social_connection: { stream: true, where: ({ id }) => sql`x.social_connection_id = ${id}` } },
  },
  social_reveal: {
    facts: { n: sql`x.n` },
    of: { publication: { where: ({ id }) => sql`x.publication_id = ${id}` } },
  },
  social_reply: { facts: {}, of: {} },
  social_classification: { facts: {}, of: {} },
  // Calls of before the columns with their chat or run are in no timeline but their own: they are kept for 30 days.
  model_call: {
    facts: {},
    of: {
      chat: { stream: true, where: ({ id }) => sql`x.chat_id = ${id}` },
      research_run: {
        stream: true,
        where: ({ tenant_id, id }) => sql`
          x.research_run_id = (select r.id from research_runs r where r.tenant_id = ${tenant_id} and r.run_id = ${id})
        `,
      },
    },
  },
  channel_message: {
    facts: {
      account_id: sql`
        (select m.account_id from chat_messages m where m.tenant_id = x.tenant_id and m.id = x.message_id)
      `,
    },
    of: { chat: { stream: true, where: ({ id }) => sql`x.chat_id = ${id}` } },
  },
  node_run: {
    facts: {
      node: sql`x.node`,
      is_read: sql`coalesce(
        (
          select g.nodes -> x.node ->> 'type' = 'http' and g.nodes -> x.node ->> 'method' = 'get'
          from executions n
          join graphs g on g.id = n.graph_id and g.tenant_id = n.tenant_id
          where n.id = x.execution_id and n.tenant_id = x.tenant_id
        ),
        false
      )`,
    },
    of: { execution: { stream: true, where: ({ id }) => sql`x.execution_id = ${id}` } },
  },
}

/** The resolutions of a row x, the newest first: `depth` counts those that replaced one. */
const resolutions = sql`
  with recursive resolutions as (
    select x.resolution, 0 as depth
    where x.resolution is not null
    union all
    select r.resolution -> 'before', r.depth + 1
    from resolutions r
    where jsonb_typeof(r.resolution -> 'before') = 'object'
  )
`
const resolvedAt = sql`(r.resolution ->> 'at')::bigint`
/** Later resolutions rank higher, also within a second: a record keeps a hundred corrections. */
export const resolvedRank = 300

/** A resolution is listed as itself, and not as a settlement. */
const settledAt = sql`
  case when x.status not in ('requested', 'processing') and not ${settledByResolution('x')} then x.settled_at end
`

/**
 * The outcomes and the late evidence that were replaced, and answers after events, each at its time and the rank of its
 * kind. A pending answer has the time of the row.
 */
const replaced = sql`
  select (r.piece ->> 'slot') || ':' || (r.n - 1), (r.piece ->> 'at')::bigint,
    case r.piece ->> 'slot' when 'answered' then 50 when 'settled' then 60 else 70 end
  from jsonb_array_elements(x.replaced) with ordinality as r(piece, n)
  where r.piece ->> 'status' is distinct from 'processing'
`

/** What was not proved before the first resolution; of rows from before what was replaced was kept, the answer. */
const firstOutcome = sql`
  coalesce(
    (
      select min((r.piece ->> 'at')::bigint)
      from jsonb_array_elements(x.replaced) as r(piece)
      where r.piece ->> 'slot' = 'settled'
    ),
    ${msOf(sql`x.answered_at`)}
  )
`

const source = (name: EffectName): EffectSource<EffectName> => effectSources[name]

/** The moments of a row of an effect. */
export function momentsOfEffect(name: EffectName): Sql {
  const { sentHere = sql`true` } = source(name)
  const sent = sql`case when ${sentHere} then x.sent_at end`
  const began = [msOf(sql`x.claimed_at`), msOf(sql`x.sent_at`)]
  // Ids have the time of the process that made them, and the other columns that of the database.
  const requested = sql`least(${join([createdMs(), ...began, msOf(settledAt)])})`
  const times = {
    requested,
    claimed: msOf(sql`x.claimed_at`),
    sent: msOf(sent),
    deadline: msOf(sql`case when coalesce(x.answered_at > x.deadline_at, true) then x.deadline_at end`),
    answered: msOf(sql`x.answered_at`),
    settled: msOf(settledAt),
    late_evidence: msOf(
      sql`case when x.late_evidence ->> 'status' is not null then coalesce(x.late_at, x.sent_at) end`,
    ),
  }
  const moments = momentsOf(Object.entries(times).map(([slot, at], n) => [slot, at, 10 * (n + 1)] as const))
  return sql`
    ${resolutions}
    ${moments}
    union all
    ${replaced}
    union all
    select 'resolved', ${msOfSecond(resolvedAt, [requested, ...began, firstOutcome])}, ${resolvedRank} - r.depth
    from resolutions r
  `
}

/** What the entries of an effect need of its row. */
export function factsOfEffect(name: EffectName): Sql {
  const { facts } = source(name)
  return objectOf({
    status: sql`x.status`,
    attempt: sql`x.attempt`,
    sent_ms: msOf(sql`x.sent_at`),
    deadline_ms: msOf(sql`x.deadline_at`),
    answered_ms: msOf(sql`x.answered_at`),
    settled_ms: msOf(sql`x.settled_at`),
    late_ms: msOf(sql`x.late_at`),
    replaced: sql`coalesce(x.replaced, '[]')`,
    error: sql`x.error`,
    evidence: sql`x.evidence`,
    late_evidence: sql`x.late_evidence`,
    resolution: sql`x.resolution`,
    facts: objectOf(facts),
  })
}

export const tableOfEffect = (name: EffectName): string => effects[name].table
