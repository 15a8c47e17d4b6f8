// The facts of a turn of lead research, read with the lock of its run.
import type { EntityManager } from '@mikro-orm/postgresql'
import { ALL_AGENTS } from '../../rules/agents/chats.ts'
import { RESEARCH_OUTPUT_TOKENS, type ResearchStatus } from '../../rules/research/lead-research.ts'
import type { Audience } from '../audiences/audience.ts'
import { sql } from '../kit/sql.ts'
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

/** One statement. What a turn is about is written in the transaction that begins it. */
export async function readTurn(em: EntityManager, turnId: string): Promise<ResearchTurn | undefined> {
  const rows: ResearchTurn[] = await em.execute(sql`
    with t as materialized (
      select * from model_turns where id = ${turnId} and owner_kind = 'research'
    ),
    r as materialized (
      select r.*
      from research_runs r
      join t on r.id = t.owner_id and r.tenant_id = t.tenant_id
      for no key update of r
    )
    select ${turnColumns}, r.version, r.id as run, r.run_id, r.goal, r.status as run_status, n.status as store_status,
      a.status as audience_status, a.type as audience_type,
      (select count(*)::int from research_runs o where o.tenant_id = t.tenant_id and o.status = 'running') as running,
      (
        select count(*)::int
        from research_runs o
        where o.tenant_id = t.tenant_id and o.status = 'queued' and o.id < r.id
      ) as ahead,
      (
        select jsonb_build_object('id', m.id, 'member_id', m.member_id)
        from research_members m
        where m.tenant_id = t.tenant_id and m.turn_id = t.id
      ) as member,
      (
        select jsonb_build_object('id', w.id, 'seq', w.seq, 'content', w.content)
        from research_messages w
        where w.tenant_id = t.tenant_id and w.turn_id = t.id and w.role = 'user'
      ) as message
    from t
    join r on true
    left join audiences a on a.id = r.audience_id and a.tenant_id = r.tenant_id
    left join integrations i on i.id = r.integration_id and i.tenant_id = r.tenant_id
    left join tenants n on n.id = r.tenant_id
  `)
  const [turn] = rows
  return turn && { ...turn, agent_id: ALL_AGENTS, output_tokens_max: RESEARCH_OUTPUT_TOKENS, daily_tokens_max: null }
}
