// Tokens are reserved before a call is sent and settled with it: used, reserved and unknown tokens of a day never
// exceed a limit together, nor do a tenant's calls in flight.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { ALL_AGENTS } from '../../rules/agents/chats.ts'
import { CALLS_AT_ONCE } from '../../rules/models/turns.ts'
import { insertSelect } from '../kit/database/insert.ts'
import { column, nothing, type Sql, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { ModelUsage } from './model-usage.ts'

/** `busy`: too many calls of the tenant are in flight. */
export type Reserved = 'reserved' | 'used_up' | 'busy'
export type Reservation = {
  tenant_id: string
  agent_id: string
  day: string
  tokens: number
  tenant_max: number
  agent_max: number | null
}

/** Adds the tokens to a day's row unless that exceeds `most`. `from`: only if that has a row. */
function reserved(
  em: EntityManager,
  { tenant_id, day, tokens }: Reservation,
  agentId: string,
  most: number | null,
  from: Sql,
  now: number,
): Sql {
  const row = {
    id: newId(),
    tenant_id,
    created_at: now,
    updated_at: now,
    day,
    agent_id: agentId,
    calls: 1,
    in_flight: 1,
    reserved_tokens: tokens,
  }
  const fits = (before: Sql) => (most === null ? sql`true` : sql`${before} + ${tokens} <= ${most}`)
  const before = sql`
    model_usage.input_tokens + model_usage.output_tokens + model_usage.reserved_tokens + model_usage.unknown_tokens
  `
  const isFree =
    agentId === ALL_AGENTS
      ? sql`and (model_usage.in_flight < ${CALLS_AT_ONCE} or model_usage.reserved_tokens = 0)`
      : nothing
  return sql`
    ${insertSelect(em, ModelUsage, row)}
    from ${from}
    where ${fits(sql`0`)}
    on conflict (tenant_id, day, agent_id) do update
    set calls = model_usage.calls + 1, in_flight = model_usage.in_flight + 1,
      reserved_tokens = model_usage.reserved_tokens + excluded.reserved_tokens, updated_at = excluded.updated_at
    where ${fits(before)} ${isFree}
    returning 1
  `
}

/**
 * The CTEs `tenant_usage` and `agent_usage`, which have a row each if the tokens are within both limits, and the
 * tenant has fewer calls in flight than it may. The tenant's row is locked first.
 */
export const reserving = (em: EntityManager, r: Reservation, now: number): Sql => {
  // Without an agent, the tenant's row is the only one.
  const agentUsage =
    r.agent_id === ALL_AGENTS
      ? sql`select 1 from tenant_usage`
      : reserved(em, r, r.agent_id, r.agent_max, sql`tenant_usage`, now)
  return sql`
    tenant_usage as (${reserved(em, r, ALL_AGENTS, r.tenant_max, sql`(select 1) as one`, now)}),
    agent_usage as (${agentUsage})
  `
}

/** Gives back the tenant's part of a reservation whose agent has reached its limit. */
export const giveBackTotal = (em: EntityManager, { tenant_id, day, tokens }: Reservation): Promise<unknown> =>
  em.execute(sql`
    update model_usage
    set calls = calls - 1, in_flight = in_flight - 1, reserved_tokens = reserved_tokens - ${tokens}
    where tenant_id = ${tenant_id} and day = ${day} and agent_id = ${ALL_AGENTS}
  `)

/**
 * Why a reservation was refused for the whole tenant: whether its tokens are used up; otherwise how many of its turns
 * began before this one. A statement of its own sees what was committed before the row was locked.
 */
export async function refusalOf(
  em: EntityManager,
  { tenant_id, day, tokens, tenant_max }: Reservation,
  turnId: string,
): Promise<'used_up' | { ahead: number }> {
  const [row]: { used_up: boolean; ahead: number }[] = await em.execute(sql`
    select
      (u.id is null or u.in_flight < ${CALLS_AT_ONCE} or u.reserved_tokens = 0)
        and coalesce(
          u.input_tokens + u.output_tokens + u.reserved_tokens + u.unknown_tokens, 0
        ) + ${tokens} > ${tenant_max} as used_up,
      (
        select count(*)::int
        from model_turns t
        where t.tenant_id = ${tenant_id} and t.status = 'running' and t.id < ${turnId}
      ) as ahead
    from (select 1) one
    left join model_usage u on u.tenant_id = ${tenant_id} and u.day = ${day} and u.agent_id = ${ALL_AGENTS}
  `)
  return row?.used_up ? 'used_up' : { ahead: row?.ahead ?? 0 }
}

/**
 * Reserves the tokens of a call without an agent. `usualMax`: the limit of a tenant without one of its own. Refused if
 * the day's tokens are used up, or too many calls are in flight.
 */
export async function reserveTotal(
  em: EntityManager,
  r: Pick<Reservation, 'tenant_id' | 'day' | 'tokens'>,
  usualMax: number,
  now: number,
): Promise<Reserved> {
  const [tenant]: { tokens: number | null }[] = await em.execute(sql`
    select case
      when jsonb_typeof(n.settings -> 'tokens') = 'number' then (n.settings ->> 'tokens')::float8
    end as tokens
    from tenants n
    where n.id = ${r.tenant_id}
  `)
  const total = { ...r, agent_id: ALL_AGENTS, tenant_max: tenant?.tokens ?? usualMax, agent_max: null }
  const rows: unknown[] = await em.execute(
    sql`${reserved(em, total, ALL_AGENTS, total.tenant_max, sql`(select 1) as one`, now)}, tenant_id`,
  )
  if (rows.length > 0) return 'reserved'
  const [row]: { used_up: boolean }[] = await em.execute(sql`
    select coalesce(
      sum(u.input_tokens + u.output_tokens + u.reserved_tokens + u.unknown_tokens), 0
    ) + ${r.tokens} > ${total.tenant_max} as used_up
    from model_usage u
    where u.tenant_id = ${r.tenant_id} and u.day = ${r.day} and u.agent_id = ${ALL_AGENTS}
  `)
  return row?.used_up ? 'used_up' : 'busy'
}

/**
 * A call was settled: its reserved tokens become used or unknown ones, or are free again. The rows are locked in
 * the order of `reserving`: the tenant's, then the agent's. Calls of `social_classifications` have no agent.
 */
export const settleTokens = (
  em: EntityManager,
  callId: string,
  table: 'model_calls' | 'social_classifications' = 'model_calls',
): Promise<unknown> =>
  em.execute(sql`
    with call as materialized (
      select id, tenant_id, ${table === 'model_calls' ? sql`agent_id` : sql`${ALL_AGENTS}::uuid as agent_id`}, day,
        status, held_tokens, reserved_tokens, coalesce(input_tokens, 0) as input_tokens,
        coalesce(output_tokens, 0) as output_tokens
      from ${column(table)}
      where id = ${callId} and status not in ('requested', 'processing')
    ),
    locked_usage as materialized (
      select u.id
      from model_usage u
      join call on u.tenant_id = call.tenant_id and u.day = call.day and u.agent_id in (${ALL_AGENTS}, call.agent_id)
      order by u.agent_id
      for no key update of u
    ),
    released_call as (
      update ${column(table)} m set held_tokens = 0 from call where m.id = call.id
    )
    update model_usage u
    set in_flight = greatest(0, u.in_flight - (call.held_tokens > 0)::int),
      reserved_tokens = u.reserved_tokens - call.held_tokens, input_tokens = u.input_tokens + call.input_tokens,
      output_tokens = u.output_tokens + call.output_tokens,
      unknown_tokens = u.unknown_tokens + case when call.status = 'unknown' then call.reserved_tokens else 0 end
    from call, locked_usage
    where u.id = locked_usage.id
  `)

/** Whether the tokens of the tenant's day are used up. One statement. */
export async function areTokensUsedUp(em: EntityManager, tenantId: string, day: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(sql`
    select 1
    from model_usage u
    join tenants n on n.id = u.tenant_id
    where u.tenant_id = ${tenantId}
      and u.day = ${day}
      and u.agent_id = ${ALL_AGENTS}
      and u.input_tokens + u.output_tokens + u.reserved_tokens + u.unknown_tokens >= case
        when jsonb_typeof(n.settings -> 'tokens') = 'number' then (n.settings ->> 'tokens')::float8
        else ${config.modelTokensPerDay}
      end
  `)
  return rows.length > 0
}
