// The facts of a turn of lead research, read with the lock of its run.
import type { EntityManager } from '@mikro-orm/postgresql'
import { ALL_AGENTS } from '../../rules/agents/chats.ts'
import { RESEARCH_OUTPUT_TOKENS, type ResearchStatus } from '../../rules/research/lead-research.ts'
import type { Audience } from '../audiences/audience.ts'
import { sql } from '../kit/database/sql.ts'
import { type TurnFacts, turnColumns } from '../models/turn-owner.ts'

/** The run of a turn, locked, with what a step needs to know. */
export type ResearchTurn = TurnFacts & {
  run: string
  run_id: string
  goal: string
  run_status: ResearchStatus
  audience_status: Audience['status'] | null
  audience_type: Audience['type'] | null
  store_status: string | null
  /** Runs of the tenant that have begun and not ended, and those that wait and were made before it. */
  running: number
  ahead: number
  /** What the turn is about: one of both. Neither: its member was deleted. */
  member: { id: string; member_id: string } | null
  message: { id: string; seq: number; content: string } | null
}

/**
 * Reads a turn with the lock of its run. One statement. What a turn is about is written in the transaction that begins
 * it.
 */
export async function readTurn(em: EntityManager, turnId: string): Promise<ResearchTurn | undefined> {
  // The run is locked: its steps and changes by an operator take turns.
  const rows: ResearchTurn[] = await em.execute(sql`
    with turn as materialized (
      select * from model_turns where id = ${turnId} and owner_kind = 'research'
    ),
    run as materialized (
      select r.*
      from research_runs r
      join turn on r.id = turn.owner_id and r.tenant_id = turn.tenant_id
      for no key update of r
    )
    select ${turnColumns}, run.version, run.id as run, run.run_id, run.goal, run.status as run_status,
      n.status as store_status, a.status as audience_status, a.type as audience_type,
      (
        select count(*)::int
        from research_runs o
        where o.tenant_id = turn.tenant_id and o.status = 'running'
      ) as running,
      (
        select count(*)::int
        from research_runs o
        where o.tenant_id = turn.tenant_id and o.status = 'queued' and o.id < run.id
      ) as ahead,
      (
        select jsonb_build_object('id', m.id, 'member_id', m.member_id)
        from research_members m
        where m.tenant_id = turn.tenant_id and m.turn_id = turn.id
      ) as member,
      (
        select jsonb_build_object('id', w.id, 'seq', w.seq, 'content', w.content)
        from research_messages w
        where w.tenant_id = turn.tenant_id and w.turn_id = turn.id and w.role = 'user'
      ) as message
    from turn
    join run on true
    left join audiences a on a.id = run.audience_id and a.tenant_id = run.tenant_id
    left join integrations i on i.id = run.integration_id and i.tenant_id = run.tenant_id
    left join tenants n on n.id = run.tenant_id
  `)
  const [turn] = rows
  return turn && { ...turn, agent_id: ALL_AGENTS, output_tokens_max: RESEARCH_OUTPUT_TOKENS, daily_tokens_max: null }
}
