// Runs of lead research: begun, continued by messages, cancelled. Each begins in the transaction of its request, with
// its first turn. The same id again is the same run.
import type { EntityManager } from '@mikro-orm/postgresql'
import { dayOf } from '../../rules/agents/chats.ts'
import { conflict, type Fault, invalidInput, notFound, unavailable } from '../../rules/refusal.ts'
import {
  isResearchable,
  OPEN_RUNS_MAX,
  type ResearchMessageStatus,
  type ResearchStatus,
} from '../../rules/research/lead-research.ts'
import { integrationOf } from '../agents/agents.ts'
import { tokenLimit } from '../agents/messages.ts'
import type { Audience } from '../audiences/audience.ts'
import { insertions, insertRow, insertSelect } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { ModelTurn } from '../models/model-turn.ts'
import { areTokensUsedUp } from '../models/usage.ts'
import { lockTenant } from '../stores/tenant-lock.ts'
import { ResearchMember } from './research-member.ts'
import { ResearchMessage } from './research-message.ts'
import { ResearchRun } from './research-run.ts'

type NewRun = {
  run_id: string | null
  fingerprint: string
  audience_id: string
  member_ids: readonly string[]
  goal: string
  model_id: string
  account_id: string
}

const otherPayload = () =>
  conflict('idempotency_conflict', 'The id was used before with another payload. Use a new id for another request.')

function mustBeResearchable(audience: Pick<Audience, 'status' | 'type'>): void {
  if (isResearchable(audience)) return
  throw conflict(
    'audience_not_researchable',
    audience.status === 'active'
      ? `The type of the audience is \`${audience.type}\`. Members of private and open audiences are researched only.`
      : `The audience is ${audience.status}. Members of active audiences are researched only.`,
  )
}

/** Each once. 422 member_unknown. The members are locked by id, as merges lock them: none is deleted meanwhile. */
async function lockMembers(
  em: EntityManager,
  tenantId: string,
  audienceId: string,
  ids: readonly string[],
): Promise<string[]> {
  const found: { id: string }[] = await em.execute(sql`
    select id
    from audience_members
    where tenant_id = ${tenantId} and audience_id = ${audienceId} and id = any (${uuids(ids)}) and status = 'active'
    order by id
    for key share
  `)
  const memberIds = new Set(found.map(({ id }) => id))
  const faults = ids.flatMap((id, n): Fault[] =>
    memberIds.has(id)
      ? []
      : [{ pointer: `/member_ids/${n}`, code: 'member_unknown', detail: 'The audience has no such active member.' }],
  )
  if (faults.length > 0) throw invalidInput(faults)
  return [...new Set(ids)]
}

/**
 * Begins the next turn of a run that the transaction has locked or made, unless one runs: for its next member, else for
 * its next message. Returns its id, or null if nothing is left to do. One statement, and its start.
 */
export async function beginTurn(
  em: EntityManager,
  tenantId: string,
  run: { id: string; version: number },
  now: number,
  awaited = false,
): Promise<string | null> {
  const id = newId()
  const turn = {
    id,
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    owner_kind: 'research',
    owner_id: run.id,
    version: run.version,
  } as const
  const [begun]: { turns: number }[] = await em.execute(sql`
    with next_member as (
      select id
      from research_members
      where tenant_id = ${tenantId} and research_run_id = ${run.id} and status = 'queued' and turn_id is null
      order by position
      limit 1
    ),
    next_message as (
      select id
      from research_messages
      where tenant_id = ${tenantId}
        and research_run_id = ${run.id}
        and status = 'waiting'
        and turn_id is null
        and not exists (select 1 from next_member)
      order by seq
      limit 1
    ),
    new_turn as (
      ${insertSelect(em, ModelTurn, turn)}
      where exists (select 1 from next_member) or exists (select 1 from next_message)
      on conflict (owner_id) where status = 'running' do nothing
      returning id
    ),
    started_members as (
      update research_members x
      set turn_id = new_turn.id, updated_at = ${now}
      from new_turn, next_member
      where x.tenant_id = ${tenantId} and x.id = next_member.id
    ),
    started_messages as (
      update research_messages x
      set turn_id = new_turn.id, updated_at = ${now}
      from new_turn, next_message
      where x.tenant_id = ${tenantId} and x.id = next_message.id
    )
    select (select count(*)::int from new_turn) as turns
  `)
  if (!begun?.turns) return null
  await start(em, 'model_turn', id, { tenant_id: tenantId, awaited })
  return id
}

/**
 * Begins a run, or returns the earlier one of the same id. 404, 409 audience_not_researchable, idempotency_conflict,
 * runs_too_many, 422 member_unknown, model_unknown, model_ambiguous, 429 token_limit. `now` in Unix seconds.
 */
export async function createRun(
  em: EntityManager,
  tenantId: string,
  sent: NewRun,
  now: number,
): Promise<{ id: string; isNew: boolean }> {
  // One of two equal requests inserts, and the other one finds the row.
  await lockTenant(em, tenantId)
  const earlier = sent.run_id === null ? null : await em.findOne(ResearchRun, { run_id: sent.run_id })
  if (earlier) {
    if (earlier.fingerprint !== sent.fingerprint) throw otherPayload()
    return { id: earlier.id, isNew: false }
  }
  // Locked `for share`: the audience keeps its status and type until the run is committed.
  const [audience]: Pick<Audience, 'status' | 'type'>[] = await em.execute(sql`
    select status, type
    from audiences
    where tenant_id = ${tenantId} and id = ${sent.audience_id}
    for share
  `)
  if (!audience) throw notFound('audience')
  mustBeResearchable(audience)
  const ids = await lockMembers(em, tenantId, sent.audience_id, sent.member_ids)
  const integration_id = await integrationOf(em, sent.model_id)
  if ((await em.count(ResearchRun, { status: { $in: ['queued', 'running'] } })) >= OPEN_RUNS_MAX)
    throw conflict('runs_too_many', `${OPEN_RUNS_MAX} runs of the {store} have not ended. Wait for one, or cancel one.`)
  if (await areTokensUsedUp(em, tenantId, dayOf(now))) throw tokenLimit(now)
  const { audience_id, goal, model_id, account_id, fingerprint } = sent
  const same = { tenant_id: tenantId, created_at: now, updated_at: now }
  const id = newId()
  await insertRow(em, ResearchRun, {
    ...same,
    id,
    run_id: sent.run_id ?? id,
    fingerprint,
    audience_id,
    goal,
    model_id,
    integration_id,
    account_id,
  })
  await em.execute(
    insertions(
      em,
      ResearchMember,
      { ...same, research_run_id: id },
      ids.map((member_id, position) => ({ id: newId(), member_id, position })),
    ),
  )
  await beginTurn(em, tenantId, { id, version: 1 }, now)
  return { id, isNew: true }
}

type LockedRun = {
  id: string
  version: number
  status: ResearchStatus
  audience_status: Audience['status']
  audience_type: Audience['type']
}

/** The run of the path, locked. 404. */
async function lockRun(em: EntityManager, tenantId: string, runId: string): Promise<LockedRun> {
  const [run]: LockedRun[] = await em.execute(sql`
    select r.id, r.version, r.status, a.status as audience_status, a.type as audience_type
    from research_runs r
    join audiences a on a.id = r.audience_id and a.tenant_id = r.tenant_id
    where r.tenant_id = ${tenantId} and r.run_id = ${runId}
    for no key update of r
  `)
  if (!run) throw notFound('run')
  return run
}

type NewMessage = { run_id: string; message_id: string; fingerprint: string; content: string; account_id: string }

/**
 * Adds an operator's message and begins its turn, unless another one runs; or returns the earlier message of the same
 * id. 404, 409 audience_not_researchable, idempotency_conflict, run_cancelled, 429 token_limit. At most six statements.
 * `now` in Unix seconds.
 */
export async function postMessage(em: EntityManager, tenantId: string, sent: NewMessage, now: number): Promise<string> {
  const earlier = await em.findOne(ResearchMessage, { message_id: sent.message_id })
  if (earlier) {
    if (earlier.fingerprint !== sent.fingerprint) throw otherPayload()
    return earlier.id
  }
  const run = await lockRun(em, tenantId, sent.run_id)
  if (run.status === 'cancelled') throw conflict('run_cancelled', 'The run is cancelled. Begin another one.')
  mustBeResearchable({ status: run.audience_status, type: run.audience_type })
  if (await areTokensUsedUp(em, tenantId, dayOf(now))) throw tokenLimit(now)
  const id = newId()
  const { message_id, fingerprint, content, account_id } = sent
  const row = {
    ...{
      id,
      tenant_id: tenantId,
      created_at: now,
      updated_at: now,
      research_run_id: sql`run.id`,
      seq: sql`run.message_count`,
      message_id,
      fingerprint,
    },
    ...{ role: 'user' as const, content, status: 'waiting' as const, account_id },
  }
  const written: unknown[] = await em.execute(sql`
    with run as (
      update research_runs
      set message_count = message_count + 1,
        status = case when status in ('queued', 'running') then status else 'queued' end, updated_at = ${now}
      where tenant_id = ${tenantId} and id = ${run.id}
      returning id, message_count
    )
    ${insertSelect(em, ResearchMessage, row)}
    from run
    on conflict (tenant_id, message_id) do nothing
    returning id
  `)
  // An equal request was committed meanwhile: the transaction is repeated, and finds its message.
  if (written.length === 0)
    throw unavailable('database_unavailable', 'The same message is being written. Repeat the request.')
  await beginTurn(em, tenantId, run, now, true)
  return id
}

export type MessageOutcome = { message: ResearchMessage; reply: ResearchMessage | null }
export const isOpen = ({ status }: { status: ResearchMessageStatus | null }): boolean =>
  status === 'waiting' || status === 'processing'

/** A message and its answer. Two statements at most. */
export async function messageOutcome(em: EntityManager, id: string): Promise<MessageOutcome> {
  const message = await em.findOneOrFail(ResearchMessage, { id }, { disableIdentityMap: true })
  const reply =
    message.turn_id === null || isOpen({ status: message.status ?? null })
      ? null
      : await em.findOne(ResearchMessage, { turn_id: message.turn_id, role: 'assistant' })
  return { message, reply }
}

/**
 * Ends a run: no further turn begins, and one that runs is discarded. A call that is on the wire is finished. 404, 409
 * run_not_open. `now` in Unix seconds.
 */
export async function cancelRun(em: EntityManager, tenantId: string, runId: string, now: number): Promise<string> {
  const run = await lockRun(em, tenantId, runId)
  if (run.status === 'cancelled') return run.id
  if (run.status !== 'queued' && run.status !== 'running' && run.status !== 'awaiting_input')
    throw conflict('run_not_open', `The run has ended: its status is \`${run.status}\`.`)
  await em.execute(sql`
    with cancelled_run as (
      update research_runs
      set status = 'cancelled', version = version + 1, asks = false, updated_at = ${now}
      where tenant_id = ${tenantId} and id = ${run.id}
      returning id
    ),
    discarded_turns as (
      update model_turns t
      set status = 'discarded', updated_at = ${now}
      from cancelled_run
      where t.tenant_id = ${tenantId} and t.owner_id = cancelled_run.id and t.status = 'running'
    ),
    cancelled_members as (
      update research_members m
      set status = 'cancelled', updated_at = ${now}
      from cancelled_run
      where m.tenant_id = ${tenantId}
        and m.research_run_id = cancelled_run.id
        and m.status in ('queued', 'running', 'awaiting_input')
    ),
    failed_sources as (
      update research_sources s
      set status = 'failed', error = 'run_cancelled', updated_at = ${now}
      from cancelled_run
      where s.tenant_id = ${tenantId} and s.research_run_id = cancelled_run.id and s.status = 'requested'
    )
    update research_messages w
    set status = 'cancelled', updated_at = ${now}
    from cancelled_run
    where w.tenant_id = ${tenantId} and w.research_run_id = cancelled_run.id and w.status in ('waiting', 'processing')
  `)
  return run.id
}

export type ShownMember = {
  member_id: string
  status: ResearchStatus
  error: string | null
  signals: number
  signals_dropped: number
}

/** The members of the runs, in their order. One statement, if there are any. */
export async function membersOfRuns(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<Map<string, ShownMember[]>> {
  if (ids.length === 0) return new Map()
  const rows: (ShownMember & { run: string })[] = await em.execute(sql`
    select research_run_id as run, member_id, status, error, signals, signals_dropped
    from research_members
    where tenant_id = ${tenantId} and research_run_id = any (${uuids(ids)})
    order by position
  `)
  return Map.groupBy(rows, ({ run }) => run)
}

/** Whether a run that has not ended uses the integration. */
export async function isResearching(em: EntityManager, integrationId: string): Promise<boolean> {
  return (await em.count(ResearchRun, { integration_id: integrationId, status: { $in: ['queued', 'running'] } })) > 0
}
