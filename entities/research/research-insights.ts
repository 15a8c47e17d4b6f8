// The insight of a run about a member: signals without their quote are dropped and counted, and an older run replaces
// nothing that a newer one has found.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { withoutOtherLinks } from '../../rules/research/research-addresses.ts'
import { type GivenSignal, provedSignals } from '../../rules/research/research-quotes.ts'
import { LeadInsight } from '../audiences/lead-insight.ts'
import { insertion } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { quotedSources, type Reader } from './research-sources.ts'

type Given = { summary: string; score: number; signals: readonly GivenSignal[] }
/** The run, the member, and the addresses that texts of the model may name. */
type Place = { reader: Reader; run_id: string; member_id: string; links: ReadonlySet<string> }

/** Returns the result that the model gets. Three statements. `now` in Unix seconds. */
export async function recordInsight(
  em: EntityManager,
  { reader, run_id, member_id, links }: Place,
  given: Given,
  now: number,
): Promise<object> {
  const { tenant_id, run } = reader
  const ids = [...new Set(given.signals.map(({ source_id }) => source_id.toLowerCase()))].filter(
    (id) => z.guid().safeParse(id).success,
  )
  const { signals, dropped } = provedSignals(given.signals, await quotedSources(em, reader, member_id, ids))
  // All that it rests on is invented.
  const isEmpty = signals.length === 0 && given.signals.length > 0
  const plain = (text: string) => withoutOtherLinks(text, links)
  const insight = {
    summary: plain(given.summary),
    score: Math.round(given.score),
    signals: signals.map((signal) => ({ ...signal, text: plain(signal.text) })),
  }
  const row = {
    id: newId(),
    tenant_id,
    created_at: now,
    updated_at: now,
    member_id,
    insight,
    research_run_id: run,
    run_id,
    researched_at: now,
  }
  const written: unknown[] = isEmpty
    ? []
    : await em.execute(sql`
      ${insertion(em, LeadInsight, row)}
      on conflict (member_id) do update
      set insight = excluded.insight, research_run_id = excluded.research_run_id, run_id = excluded.run_id,
        researched_at = excluded.researched_at, updated_at = excluded.updated_at
      where lead_insights.tenant_id = ${tenant_id}
        and (lead_insights.research_run_id is null or lead_insights.research_run_id <= excluded.research_run_id)
      returning id
    `)
  // The answer to a message may research a member whose turn had failed.
  await em.execute(sql`
    update research_members
    set signals = ${isEmpty ? sql`signals` : signals.length}, signals_dropped = signals_dropped + ${dropped.length},
      updated_at = ${now},
      status = case
        when ${!isEmpty} and status in ('failed', 'unknown', 'awaiting_input') then 'completed'
        else status
      end,
      error = case when ${!isEmpty} then null else error end
    where tenant_id = ${tenant_id} and research_run_id = ${run} and member_id = ${member_id}
  `)
  const why = isEmpty ? { error: 'No signal has its quote in its source: nothing was recorded.' } : {}
  const older =
    !isEmpty && written.length === 0 ? { note: 'A newer run has researched the member: its insight stays.' } : {}
  return { recorded: !isEmpty, signals: signals.length, dropped, ...why, ...older }
}
