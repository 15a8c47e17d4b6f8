// What the engine of turns needs of an owner: the facts of the turn, what its model is asked, and what becomes of the
// answer. An owner is a chat or a run of lead research.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { EffectStatus } from '../../rules/effects.ts'
import type { ModelAnswer, ModelRequest, ToolResult } from '../../rules/models/model-formats.ts'
import type { CallFacts, TurnError, TurnStatus, Unanswered } from '../../rules/models/turns.ts'
import { type Sql, sql } from '../kit/database/sql.ts'
import { decrypt } from '../kit/encrypted.ts'
import type { ModelTurn } from './model-turn.ts'

type Call = {
  id: string
  step: number
  try: number
  status: EffectStatus
  too_long: boolean
  retry_after: number | null
  http_status: number | null
  settled_s_ago: number | null
  answer: string | null
  results: string | null
}

/** The facts of the turn, its calls, and the integration of its model. */
export type TurnFacts = {
  turn_id: string
  owner_kind: ModelTurn['owner_kind']
  owner_id: string
  tenant_id: string
  status: TurnStatus
  turn_version: number
  /** The version of the owner: another one than the turn's discards the turn. */
  version: number
  /** Whose limit its tokens count towards, beside the tenant's; the zero id for none. */
  agent_id: string
  output_tokens_max: number
  daily_tokens_max: number | null
  integration_id: string | null
  provider: string | null
  settings: { model?: string; base_url?: string } | null
  tenant_max: number | null
  zone: string
  /** Pages of the tenant that an answer may link to. */
  cart_url: string | null
  members_url: string | null
  calls: Call[] | null
}

/** Columns of `TurnFacts` for the tables `turn` model_turns, `i` integrations and `n` tenants. */
export const turnColumns: Sql = sql`
  turn.id as turn_id, turn.owner_kind, turn.owner_id, turn.tenant_id, turn.status, turn.version as turn_version,
  i.id as integration_id, i.type as provider, i.settings,
  case when jsonb_typeof(n.settings -> 'tokens') = 'number' then (n.settings ->> 'tokens')::float8 end as tenant_max,
  n.timezone as zone, n.settings ->> 'cart_url' as cart_url, n.settings ->> 'membership_manage_url' as members_url,
  (
    select jsonb_agg(
      jsonb_build_object(
        'id', f.id, 'step', f.step, 'try', f.try, 'status', f.status, 'too_long', f.too_long, 'retry_after',
        f.retry_after, 'http_status', f.evidence -> 'status', 'settled_s_ago',
        extract(epoch from clock_timestamp() - f.settled_at), 'answer', f.answer, 'results', f.results
      )
      order by f.step, f.try
    )
    from model_calls f
    where f.tenant_id = turn.tenant_id and f.turn_id = turn.id
  ) as calls
`

const readAnswer = (sealed: string | null): ModelAnswer | null =>
  sealed === null ? null : (JSON.parse(decrypt(sealed)) as ModelAnswer)
export const readResults = (sealed: string | null): ToolResult[] =>
  sealed === null ? [] : (JSON.parse(decrypt(sealed)) as ToolResult[])

export const factsOf = (call: Call | undefined): CallFacts | null =>
  call
    ? {
        ...call,
        retry_after_s: call.retry_after,
        settled_s_ago: call.settled_s_ago ?? 0,
        answer: call.status === 'succeeded' ? readAnswer(call.answer) : null,
      }
    : null

/** An answer of the turn that asked for tools, with their results. */
export type Asked = { answer: ModelAnswer; results: readonly ToolResult[] }

/** The answers before a step. `latest`: results that are written with the next call. */
export const askedBefore = (
  { calls }: TurnFacts,
  step: number,
  latest?: { call_id: string; results: ToolResult[] },
): Asked[] =>
  (calls ?? []).flatMap((call) => {
    const answer = call.status === 'succeeded' && call.step < step ? readAnswer(call.answer) : null
    return answer ? [{ answer, results: latest?.call_id === call.id ? latest.results : readResults(call.results) }] : []
  })

/** Names of the tools that the turn used. */
export const usedTools = ({ calls }: TurnFacts): string[] => [
  ...new Set((calls ?? []).flatMap(({ results }) => readResults(results).map(({ name }) => name))),
]

/** How a turn ends without an answer. */
export type NoAnswer = { status: Unanswered; error: TurnError }

export type TurnOwner = {
  facts: TurnFacts
  /** People have taken it over, or it has ended: the turn is discarded. */
  discarded: boolean
  steps_max: number
  /** Why it may not be asked any more, or null. */
  refused: TurnError | null
  /** Milliseconds that a turn waits before its first call; null: none. */
  wait_ms: number | null
  /**
   * What is asked; null if there is nothing to ask any more. `halvings`: how often the provider said that it is too
   * long.
   */
  said(
    before: readonly Asked[],
    halvings: number,
    now: number,
  ): Promise<Pick<ModelRequest, 'system' | 'turns' | 'tools'> | null>
  /**
   * More CTEs for the statement that writes a call, each with a leading comma. They continue from the CTE
   * `agent_usage`, which has a row if the call is written.
   */
  taking(now: number): Sql
  /** Runs the tools that an answer asks for. `read`: they continue when pages were read. Null: they ended the turn. */
  runTools(answer: ModelAnswer, callId: string, now: number): Promise<{ results: ToolResult[] } | { read: true } | null>
  answered(answer: string, now: number): Promise<void>
  /** `answer`: the last one, if there is any. */
  failed(end: NoAnswer, now: number, answer: ModelAnswer | null): Promise<void>
  discard(now: number): Promise<void>
}

/** Locks the owner of a turn; undefined if the turn is another kind's, or its owner was deleted. */
export type LockOwner = (em: EntityManager, turnId: string) => Promise<TurnOwner | undefined>

/** The CTE `turn`: the turn that ends, if it runs. */
export const endingTurn = (
  { turn_id, tenant_id }: TurnFacts,
  status: TurnStatus,
  error: string | null,
  now: number,
): Sql => sql`
  turn as (
    update model_turns
    set status = ${status}, error = ${error}, updated_at = ${now}
    where tenant_id = ${tenant_id} and id = ${turn_id} and status = 'running'
    returning id, owner_id
  )
`
