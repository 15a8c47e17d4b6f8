// The steps of a turn on our own rows. Its owner is locked first; what a step writes is conditional on the turn's row,
// so that a step that runs twice changes nothing.
import type { EntityManager } from '@mikro-orm/postgresql'
import { config } from '../../config.ts'
import { dayOf } from '../../rules/agents/chats.ts'
import {
  MODEL_BASE_URLS,
  ModelProvider,
  type ModelRequest,
  type ToolResult,
  tokensOf,
} from '../../rules/models/model-formats.ts'
import { busyMs, nextTurnStep, type TurnStatus } from '../../rules/models/turns.ts'
import { insertSelect } from '../kit/database/insert.ts'
import { nothing, sql } from '../kit/database/sql.ts'
import { encrypt } from '../kit/encrypted.ts'
import { newId } from '../kit/ids.ts'
import { ModelCall } from './model-call.ts'
import { askedBefore, factsOf, type LockOwner, type NoAnswer, type TurnOwner } from './turn-owner.ts'
import { giveBackTotal, type Reservation, refusalOf, reserving } from './usage.ts'

/** The request as it is frozen in the row of a call: what is sent, and whose key is added to it. */
export type FrozenRequest = ModelRequest & { tenant_id: string; integration_id: string; reserved_tokens: number }

type Ask = { step: number; try: number; halvings: number; results?: { call_id: string; results: ToolResult[] } }

async function requestOf({ facts, said }: TurnOwner, ask: Ask, now: number): Promise<ModelRequest | null> {
  const provider = ModelProvider.safeParse(facts.provider).data
  const { model, base_url } = facts.settings ?? {}
  if (!provider || model === undefined) return null
  const conversation = await said(askedBefore(facts, ask.step, ask.results), ask.halvings, now)
  return (
    conversation && {
      provider,
      model,
      base_url: base_url ?? MODEL_BASE_URLS[provider],
      ...conversation,
      output_tokens_max: facts.output_tokens_max,
    }
  )
}

/**
 * Why no call was written. `ahead`: the tenant has as many calls in flight as it may, and so many turns that began
 * earlier.
 */
type NotWritten = 'token_limit' | 'model_missing' | { ahead: number }

/** Writes the next call with its tokens reserved. */
async function writeCall(
  em: EntityManager,
  owner: TurnOwner,
  ask: Ask,
  now: number,
): Promise<{ id: string } | NotWritten> {
  const { tenant_id, agent_id, turn_id, owner_kind, owner_id, integration_id, tenant_max, daily_tokens_max } =
    owner.facts
  const request = await requestOf(owner, ask, now)
  if (!request || !integration_id) return 'model_missing'
  const tokens = tokensOf(request)
  const day = dayOf(now)
  const limits: Reservation = {
    tenant_id,
    agent_id,
    day,
    tokens,
    tenant_max: tenant_max ?? config.modelTokensPerDay,
    agent_max: daily_tokens_max,
  }
  const id = newId()
  const row = {
    ...{
      id,
      tenant_id,
      created_at: now,
      updated_at: now,
      turn_id,
      chat_id: owner_kind === 'chat' ? owner_id : null,
      research_run_id: owner_kind === 'research' ? owner_id : null,
      step: ask.step,
      try: ask.try,
      integration_id,
      model: request.model,
    },
    ...{
      agent_id,
      day,
      reserved_tokens: tokens,
      held_tokens: tokens,
      fingerprint: '',
      request: JSON.stringify({
        ...request,
        tenant_id,
        integration_id,
        reserved_tokens: tokens,
      } satisfies FrozenRequest),
    },
  }
  const resultsUpdate = ask.results
    ? sql`
      , stored_results as (
        update model_calls m
        set results = ${encrypt(JSON.stringify(ask.results.results))}
        from agent_usage
        where m.tenant_id = ${tenant_id} and m.id = ${ask.results.call_id}
      )
    `
    : nothing
  const [found]: { total: number; own: number }[] = await em.execute(sql`
    with ${reserving(em, limits, now)},
    call as (${insertSelect(em, ModelCall, row)} from agent_usage)${owner.taking(now)}${resultsUpdate}
    select (select count(*)::int from tenant_usage) as total, (select count(*)::int from agent_usage) as own
  `)
  if (found?.own) return { id }
  if (!found?.total) {
    const refusal = await refusalOf(em, limits, turn_id)
    return refusal === 'used_up' ? 'token_limit' : refusal
  }
  await giveBackTotal(em, limits)
  return 'token_limit'
}

/** `limit_ms`: how long the call may take. `read`: pages that the turn has requested. */
export type TurnWork =
  | { do: 'send'; id: string; limit_ms: number }
  | { do: 'read' }
  | { do: 'wait'; ms: number }
  | { do: 'done'; status: TurnStatus }

/**
 * The turn's owner was deleted. A call that was not sent is given up, as its turn does not run, and its tokens are free
 * again.
 */
async function withoutOwner(
  em: EntityManager,
  turnId: string,
  sent: (callId: string) => TurnWork,
  now: number,
): Promise<TurnWork> {
  await em.execute(sql`
    update model_turns
    set status = 'discarded', updated_at = ${now}
    where id = ${turnId} and status = 'running'
  `)
  const [open]: { id: string }[] = await em.execute(sql`
    select id
    from model_calls
    where turn_id = ${turnId} and status in ('requested', 'processing')
  `)
  return open ? sent(open.id) : { do: 'done', status: 'discarded' }
}

/** The owner of a turn, locked; undefined if it was deleted. `owners`: the kinds that there are. */
async function lockOwner(
  em: EntityManager,
  owners: readonly LockOwner[],
  turnId: string,
): Promise<TurnOwner | undefined> {
  for (const lock of owners) {
    const owner = await lock(em, turnId)
    if (owner) return owner
  }
  return undefined
}

/** One step of a turn. `now` in Unix seconds. */
export async function advanceTurn(
  em: EntityManager,
  owners: readonly LockOwner[],
  turnId: string,
  now: number,
): Promise<TurnWork> {
  const owner = await lockOwner(em, owners, turnId)
  const sent = (id: string): TurnWork => ({ do: 'send', id, limit_ms: config.modelLimitMs })
  if (!owner) return withoutOwner(em, turnId, sent, now)
  const { status, calls, version, turn_version } = owner.facts
  const last = calls?.at(-1)
  // A turn that has ended is looked at as well: a call that was not sent is given up, and its tokens are free again.
  if (last && (last.status === 'requested' || last.status === 'processing')) return sent(last.id)
  if (status !== 'running') return { do: 'done', status }
  if (version !== turn_version || owner.discarded) {
    await owner.discard(now)
    return { do: 'done', status: 'discarded' }
  }
  const facts = factsOf(last)
  const failed = async (end: NoAnswer): Promise<TurnWork> => {
    await owner.failed(end, now, facts?.answer ?? null)
    return { do: 'done', status: end.status }
  }
  if (owner.refused) return failed({ status: 'failed', error: owner.refused })
  if (!last && owner.wait_ms !== null) return { do: 'wait', ms: owner.wait_ms }
  const too_long = (calls ?? []).filter((call) => call.step === last?.step && call.too_long).length
  const step = nextTurnStep(facts, { too_long, steps_max: owner.steps_max })
  const writeAndSend = async (ask: Ask): Promise<TurnWork> => {
    const written = await writeCall(em, owner, ask, now)
    if (typeof written === 'string') return failed({ status: 'failed', error: written })
    return 'ahead' in written ? { do: 'wait', ms: busyMs(written.ahead) } : sent(written.id)
  }
  switch (step.do) {
    case 'send':
      return sent(step.call_id)
    case 'wait':
      return step
    case 'ask':
      return writeAndSend(step)
    case 'end':
      return failed(step)
    case 'answer':
      await owner.answered(step.text, now)
      return { do: 'done', status: 'answered' }
    case 'tools': {
      const ran = await owner.runTools(step.answer, step.call_id, now)
      if (!ran) return { do: 'done', status: 'answered' }
      if ('read' in ran) return { do: 'read' }
      return writeAndSend({
        step: step.step + 1,
        try: 1,
        halvings: 0,
        results: { call_id: step.call_id, results: ran.results },
      })
    }
  }
}

/** Ends a turn whose step fails however often it is repeated, as one without a usable answer. `now` in Unix seconds. */
export async function failTurn(
  em: EntityManager,
  owners: readonly LockOwner[],
  turnId: string,
  now: number,
): Promise<TurnWork> {
  const owner = await lockOwner(em, owners, turnId)
  if (owner?.facts.status !== 'running') return { do: 'done', status: owner?.facts.status ?? 'discarded' }
  await owner.failed({ status: 'failed', error: 'model_answer_unusable' }, now, null)
  return { do: 'done', status: 'failed' }
}

/**
 * Turns whose workflow may be lost, untouched for `idleS` seconds. They are touched: a run of lead research waits for
 * hours, and its turn must not keep those of others from being looked at. For the reconciler: of all tenants.
 */
export const overdueTurns = (
  em: EntityManager,
  idleS: number,
  now: number,
  limit: number,
): Promise<{ id: string; tenant_id: string }[]> =>
  em.execute(sql`
    update model_turns
    set updated_at = ${now}
    where id = any (
      array(
        select id
        from model_turns
        where status = 'running' and updated_at < ${now - idleS}
        order by updated_at
        limit ${limit}
        for update skip locked
      )
    )
    returning id, tenant_id
  `)
