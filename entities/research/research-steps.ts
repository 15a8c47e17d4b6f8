// How a turn of lead research ends: its member or message is settled, its words are written, and the next turn begins
// or the run comes to rest. The run is locked.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { TurnError } from '../../rules/models/turns.ts'
import { type ResearchStatus, runStatus } from '../../rules/research/lead-research.ts'
import { insertSelect } from '../kit/database/insert.ts'
import { nothing, type Sql, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { endingTurn, type NoAnswer } from '../models/turn-owner.ts'
import type { ResearchTurn } from './research-facts.ts'
import { ResearchMessage } from './research-message.ts'
import { beginTurn } from './research-runs.ts'

/** `text` may be empty: the model has recorded what it found, and said nothing. */
export type End = { status: 'answered'; text: string; is_question: boolean } | NoAnswer

/** Failures that the turns to come would meet as well: the run stops. */
const shared: ReadonlySet<string> = new Set<TurnError>([
  'token_limit',
  'model_missing',
  'audience_not_researchable',
  'store_archived',
])

/** The member of the turn, or the members that a reply to a message settles. */
function settlingMembers({ tenant_id, run, member }: ResearchTurn, end: End, now: number): Sql {
  const isAnswer = end.status === 'answered' && !end.is_question
  if (!member)
    return isAnswer
      ? sql`
        , completed_members as (
          update research_members m
          set status = 'completed', updated_at = ${now}
          from turn
          where m.tenant_id = ${tenant_id} and m.research_run_id = ${run} and m.status = 'awaiting_input'
        )
      `
      : nothing
  const [status, error]: [ResearchStatus, string | null] =
    end.status === 'answered' ? [end.is_question ? 'awaiting_input' : 'completed', null] : [end.status, end.error]
  return sql`
    , settled_members as (
      update research_members m
      set status = ${status}, error = ${error}, updated_at = ${now}
      from turn
      where m.tenant_id = ${tenant_id} and m.id = ${member.id}
    )
  `
}

const settlingMessage = ({ tenant_id, message }: ResearchTurn, end: End, now: number): Sql =>
  message
    ? sql`
      , settled_messages as (
        update research_messages u
        set status = ${end.status}, error = ${'error' in end ? end.error : null}, updated_at = ${now}
        from turn
        where u.tenant_id = ${tenant_id} and u.id = ${message.id}
      )
    `
    : nothing

/** Begins the next turn, or says how the run ended. */
async function goOn(em: EntityManager, { tenant_id, run, version }: ResearchTurn, now: number): Promise<void> {
  if ((await beginTurn(em, tenant_id, { id: run, version }, now)) !== null) return
  const [facts]: { members: ResearchStatus[] | null; asks: boolean; error: string | null }[] = await em.execute(sql`
    select
      (
        select jsonb_agg(m.status)
        from research_members m
        where m.tenant_id = r.tenant_id and m.research_run_id = r.id
      ) as members,
      r.asks, r.error
    from research_runs r
    where r.tenant_id = ${tenant_id} and r.id = ${run}
  `)
  const status = runStatus({
    waiting: 0,
    members: facts?.members ?? [],
    asks: facts?.asks ?? false,
    error: facts?.error ?? null,
  })
  await em.execute(sql`
    update research_runs
    set status = ${status}, updated_at = ${now}
    where tenant_id = ${tenant_id} and id = ${run} and status <> 'cancelled'
  `)
}

/** Ends the turn, if it runs. */
export async function endTurn(em: EntityManager, turn: ResearchTurn, end: End, now: number): Promise<void> {
  const { tenant_id, turn_id, run, member, message } = turn
  const error = 'error' in end ? end.error : null
  const says = end.status === 'answered' && end.text !== ''
  const stops = error !== null && shared.has(error)
  const id = newId()
  const row = {
    ...{
      id,
      tenant_id,
      created_at: now,
      updated_at: now,
      research_run_id: run,
      seq: sql`run.message_count`,
      message_id: id,
      role: 'assistant' as const,
    },
    ...{
      content: says ? end.text : '',
      turn_id,
      member_id: member?.member_id ?? null,
      is_question: says && end.is_question,
    },
  }
  const asks = message && end.status === 'answered' ? sql`asks = ${end.is_question},` : nothing
  // A message without an answer says nothing of a run whose members are researched.
  const stopped = stops && member ? sql`error = ${error},` : nothing
  const [ended]: { turns: number }[] = await em.execute(sql`
    with ${endingTurn(turn, end.status, error, now)},
    usage as (
      select coalesce(sum(f.input_tokens), 0) as read, coalesce(sum(f.output_tokens), 0) as written
      from model_calls f
      where f.tenant_id = ${tenant_id} and f.turn_id = ${turn_id}
    ),
    run as (
      update research_runs r
      set ${asks} ${stopped} message_count = r.message_count + ${says ? 1 : 0},
        input_tokens = r.input_tokens + usage.read, output_tokens = r.output_tokens + usage.written, updated_at = ${now}
      from turn, usage
      where r.tenant_id = ${tenant_id} and r.id = ${run}
      returning r.message_count
    )
    ${says ? sql`, reply as (${insertSelect(em, ResearchMessage, row)} from run)` : nothing}
    ${settlingMembers(turn, end, now)}
    ${settlingMessage(turn, end, now)}
    select (select count(*)::int from turn) as turns
  `)
  if (!ended?.turns) return
  if (stops)
    await em.execute(sql`
      with failed_members as (
        update research_members
        set status = 'failed', error = ${error}, updated_at = ${now}
        where tenant_id = ${tenant_id} and research_run_id = ${run} and status = 'queued'
      )
      update research_messages
      set status = 'failed', error = ${error}, updated_at = ${now}
      where tenant_id = ${tenant_id} and research_run_id = ${run} and status = 'waiting'
    `)
  await goOn(em, turn, now)
}

/** Its member was deleted: the run continues without it. */
export async function discardTurn(em: EntityManager, turn: ResearchTurn, now: number): Promise<void> {
  const [ended]: { turns: number }[] = await em.execute(sql`
    with ${endingTurn(turn, 'discarded', null, now)}
    select (select count(*)::int from turn) as turns
  `)
  if (ended?.turns) await goOn(em, turn, now)
}
