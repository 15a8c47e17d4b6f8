// What happened to a record, newest first: the moments of one page, with what their rows say of them. Three statements.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { AttentionRole } from '../../rules/attention.ts'
import type { EffectName } from '../../rules/effects.ts'
import { type EffectRowFacts, type EffectSlot, effectEntry } from '../../rules/timeline/effect-entries.ts'
import { type By, type EntryText, system } from '../../rules/timeline/entries.ts'
import { type Moment, type PartName, parts } from '../../rules/timeline/records.ts'
import type { RecordType, Subject } from '../../rules/timeline/subjects.ts'
import { column, join, type Sql, sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { effectSources, factsOfEffect, resolvedRank, tableOfEffect } from './effects.ts'
import { type After, type MomentRow, pageOfMoments, type SourceName } from './moments.ts'
import { factsOfPart, partSource, recordTimelines } from './records.ts'

export type Entry = Omit<EntryText, 'by'> & {
  /** Unix seconds, with milliseconds as decimals. */
  at: number
  effect: { name: EffectName; id: string; status: EffectRowFacts['status']; attempt: number } | null
  by: (By & { label: string | null }) | null
}

type EventFacts = { type: string; deliveries: Record<string, number> | null }
type Facts = EffectRowFacts | EventFacts | Record<string, unknown>

const effectOf = (source: SourceName): EffectName | null =>
  source.startsWith('effect:') ? (source.slice('effect:'.length) as EffectName) : null
const partOf = (source: SourceName): PartName | null =>
  source.startsWith('part:') ? (source.slice('part:'.length) as PartName) : null

function factsOfSource(source: SourceName): { table: string; facts: Sql } {
  const [effect, part] = [effectOf(source), partOf(source)]
  if (effect) return { table: tableOfEffect(effect), facts: factsOfEffect(effect) }
  if (part) return { table: partSource(part).table, facts: factsOfPart(part) }
  return {
    table: 'events',
    facts: sql`
      jsonb_build_object(
        'type', x.type, 'deliveries',
        (
          select jsonb_object_agg(deliveries.status, deliveries.count)
          from (
            select d.status, count(*) as count
            from deliveries d
            where d.event_id = x.id and d.tenant_id = x.tenant_id
            group by d.status
          ) deliveries
        )
      )
    `,
  }
}

/** What the rows of the moments say, by source and id. One statement. */
async function factsOf(
  em: EntityManager,
  tenantId: string,
  moments: readonly MomentRow[],
): Promise<Map<string, Facts>> {
  if (moments.length === 0) return new Map()
  const bySource = Map.groupBy(moments, ({ source }) => source)
  const selects = [...bySource].map(([source, own]) => {
    const { table, facts } = factsOfSource(source)
    return sql`
      (
        select ${source}::text as source, x.id, ${facts} as facts
        from ${column(table)} x
        where x.tenant_id = ${tenantId} and x.id = any (${uuids(new Set(own.map(({ id }) => id)))})
      )
    `
  })
  const rows: { source: SourceName; id: string; facts: Facts }[] = await em.execute(join(selects, ' union all '))
  return new Map(rows.map(({ source, id, facts }) => [`${source} ${id}`, facts]))
}

/** The addresses of those of the accounts that are members of the team, by id. */
async function labelsOf(em: EntityManager, tenantId: string, ids: ReadonlySet<string>): Promise<Map<string, string>> {
  if (ids.size === 0) return new Map()
  const rows: { id: string; email: string }[] = await em.execute(sql`
    select a.id, a.email
    from team_members m
    join accounts a on a.id = m.account_id
    where m.tenant_id = ${tenantId} and a.id = any (${uuids(ids)})
  `)
  return new Map(rows.map(({ id, email }) => [id, email]))
}

function textOf({ source, slot, rank, id }: MomentRow, facts: Facts, subject: Subject): EntryText {
  const effect = effectOf(source)
  if (effect) {
    const [name, n] = slot.split(':') as [EffectSlot, string | undefined]
    const nth = n === undefined ? Math.max(0, resolvedRank - rank) : Number(n)
    return effectEntry(effect, name, facts as EffectRowFacts, n === undefined ? { depth: nth } : { replaced: nth })
  }
  const part = partOf(source)
  if (!part) {
    const { type, deliveries } = facts as EventFacts
    return {
      kind: 'event',
      title: `The event ${type} was published.`,
      lane: 'record',
      by: system,
      details: { type, event_id: id, deliveries: deliveries ?? {} },
    }
  }
  const { kind, title, lane = 'record', by } = (parts[part] as Record<string, Moment<Facts>>)[slot] as Moment<Facts>
  const details = { ...facts, ...(id === subject.id ? {} : { record: { type: part, id } }) }
  return { kind, title: title(facts), lane, by: by?.(facts) ?? null, details }
}

/** The role that reads the subject. */
export const roleFor = ({ type }: Subject): AttentionRole =>
  (type in recordTimelines ? recordTimelines[type as RecordType].may : effectSources[type as EffectName].may) ?? 'admin'

/** At most `limit` entries behind a position. `next`: the position of the last one, if others may follow. */
export async function timelineOf(
  em: EntityManager,
  tenantId: string,
  subject: Subject,
  limit: number,
  after: After | null,
): Promise<{ entries: Entry[]; next: After | null }> {
  const found = await pageOfMoments(em, tenantId, subject, limit + 1, after)
  const moments = found.slice(0, limit)
  const facts = await factsOf(em, tenantId, moments)
  const rows = moments.flatMap((moment) => {
    const own = facts.get(`${moment.source} ${moment.id}`)
    // Deleted since the first statement.
    return own ? [{ moment, own, entry: textOf(moment, own, subject) }] : []
  })
  const accounts = rows.flatMap(({ entry: { by } }) => (by?.type === 'account' && by.id ? [by.id] : []))
  const labels = await labelsOf(em, tenantId, new Set(accounts))
  const entries = rows.map(({ moment, own, entry: { by, ...entry } }): Entry => {
    const name = effectOf(moment.source)
    const { status, attempt } = own as EffectRowFacts
    return {
      ...entry,
      at: moment.at / 1000,
      effect: name && { name, id: moment.id, status, attempt },
      by: by && { ...by, label: by.id === null ? null : (labels.get(by.id) ?? null) },
    }
  })
  return { entries, next: found.length > limit ? (moments.at(-1) ?? null) : null }
}
