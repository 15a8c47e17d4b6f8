// One page of the moments of a subject, newest first, in one statement: its effects, its own rows and its events. Each
// source reads by an index; of a source with any number of rows, only the rows that the page needs are read.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type EffectName, effectNames } from '../../rules/effects.ts'
import type { PartName } from '../../rules/timeline/records.ts'
import type { RecordType, Subject } from '../../rules/timeline/subjects.ts'
import { column, join, nothing, type Sql, sql, text } from '../kit/database/sql.ts'
import { firstIdAt } from '../kit/ids.ts'
import { recordOfEvent } from '../webhooks/event.ts'
import { effectSources, momentsOfEffect, tableOfEffect } from './effects.ts'
import { partSource, partsOfEffect, type RecordTimeline, recordTimelines } from './records.ts'
import { type About, eventMs, type Rows } from './sources.ts'

/** `effect:refund`, `part:order`, `event`. */
export type SourceName = `effect:${EffectName}` | `part:${PartName}` | 'event'

export type MomentRow = { source: SourceName; id: string; slot: string; at: number; rank: number } & Position

/**
 * Where a moment stands: first by `sort_at`, then by the others, all from the last to the first. Times in milliseconds.
 */
type Position = { sort_at: number; sort_rank: number; sort_id: string }
export type After = Position & { at: number; rank: number; id: string }

type Source = { name: SourceName; table: string; moments: Sql; visible?: Sql; rows: Rows }

/** The rank of rows that are read in the order of their creation, and of events. */
const streamRank = 50
const eventRank = 80

function sourcesOf({ type, id }: Subject): Source[] {
  const effect = (name: EffectName, rows: Rows): Source => {
    const { visible } = effectSources[name]
    const moments = momentsOfEffect(name)
    return { name: `effect:${name}`, table: tableOfEffect(name), moments, rows, ...(visible ? { visible } : {}) }
  }
  const part = ({ part: name, ...rows }: RecordTimeline['parts'][number]): Source => ({
    name: `part:${name}`,
    rows,
    ...partSource(name),
  })
  if (isEffect(type))
    return [effect(type, { where: () => sql`x.id = ${id}` }), ...(partsOfEffect[type] ?? []).map(part)]
  const effects = effectNames.flatMap((name) => {
    const rows = effectSources[name].of[type]
    return rows ? [effect(name, rows)] : []
  })
  return [...recordTimelines[type].parts.map(part), ...effects]
}

const isEffect = (type: Subject['type']): type is EffectName => (effectNames as readonly string[]).includes(type)

/** Whether rows of any number belong to the subject: then all moments are sorted by the second. */
const isStreamed = (sources: readonly Source[]): boolean => sources.some(({ rows }) => rows.stream)

const columns = sql`source, id, slot, at, rank, sort_at, sort_rank, sort_id`

/** All moments of the rows of a source. */
const allOf = (about: About, { name, table, moments, visible, rows }: Source, bySecond: boolean): Sql => sql`
  select ${name}::text as source, x.id, moments.slot, moments.at, moments.rank,
    ${bySecond ? sql`moments.at / 1000 * 1000` : sql`moments.at`} as sort_at, moments.rank as sort_rank, x.id as sort_id
  from ${column(table)} x
  cross join lateral (${moments}) as moments
  where x.tenant_id = ${about.tenant_id}
    and ${rows.where(about)}
    and ${visible ?? sql`true`}
    and moments.at is not null
`

/**
 * The rows that stand at or behind a position: those of another rank at an earlier second alone, or at the same one
 * too.
 */
function behind(after: After | null): Sql {
  if (!after) return sql`true`
  const second = Math.floor(after.sort_at / 1000)
  if (streamRank === after.sort_rank) return sql`(x.created_at, x.id) <= (${second}, ${after.sort_id}::uuid)`
  return streamRank < after.sort_rank ? sql`x.created_at <= ${second}` : sql`x.created_at < ${second}`
}

/**
 * The moments of the newest rows of a source behind a position. A row has one moment at least; those of the row at the
 * position may all be on the page before.
 */
function newestOf(about: About, source: Source, limit: number, after: After | null): Sql {
  const { name, table, moments, visible, rows } = source
  const { each } = rows
  const newest = (where: Sql) => sql`
    select x.*, x.created_at * 1000 as sort_at, x.id as sort_id
    from ${column(table)} x
    where x.tenant_id = ${about.tenant_id}
      and ${where}
      and ${visible ?? sql`true`}
      and ${behind(after)}
    order by x.created_at desc, x.id desc
    limit ${limit + 1}
  `
  const found = each
    ? sql`(${each.owners(about)}) owners cross join lateral (${newest(sql`x.${column(each.column)} = owners.id`)}) x`
    : sql`(${newest(rows.where(about))}) x`
  return sql`
    select ${name}::text as source, x.id, moments.slot, moments.at, moments.rank, x.sort_at,
      ${streamRank}::int as sort_rank, x.sort_id
    from ${found}
    cross join lateral (${moments}) as moments
    where moments.at is not null
  `
}

/** Ids have 48 bits for milliseconds. */
const idMsMax = 2 ** 48 - 1001

/** The newest events of the records, by their ids, which sort by time. */
function eventsOf(records: Sql, about: About, limit: number, after: After | null, bySecond: boolean): Sql {
  const end = after ? firstIdAt((Math.min(after.sort_at, idMsMax) + (bySecond ? 1000 : 1)) / 1000) : null
  return sql`
    select 'event' as source, e.id, 'event' as slot, e.at, ${eventRank}::int as rank,
      ${text(bySecond ? 'e.at / 1000 * 1000' : 'e.at')} as sort_at, ${eventRank}::int as sort_rank, e.id as sort_id
    from (${records}) records
    cross join lateral (
      select e.id, ${eventMs(sql`e`)} as at
      from events e
      where e.tenant_id = ${about.tenant_id}
        and (${recordOfEvent}) = records.id
        ${end === null ? nothing : sql`and e.id < ${end}::uuid`}
      order by e.id desc
      limit ${limit}
    ) e
  `
}

/** At most `limit` moments behind a position, newest first. */
export async function pageOfMoments(
  em: EntityManager,
  tenantId: string,
  subject: Subject,
  limit: number,
  after: After | null,
): Promise<MomentRow[]> {
  const about = { tenant_id: tenantId, id: subject.id }
  const sources = sourcesOf(subject)
  const bySecond = isStreamed(sources)
  const records = isEffect(subject.type) ? undefined : recordTimelines[subject.type as RecordType].events?.(about)
  const moments = join(
    [
      ...sources.map((source) =>
        source.rows.stream ? newestOf(about, source, limit, after) : allOf(about, source, bySecond),
      ),
      ...(records ? [eventsOf(records, about, limit, after, bySecond)] : []),
    ].map((part) => sql`(${part})`),
    ' union all ',
  )
  const { sort_at, sort_rank, sort_id, at, rank, id } = after ?? {}
  const beyond =
    after === null
      ? nothing
      : sql`
        where (sort_at, sort_rank, sort_id, at, rank, id)
          < (${sort_at as number}, ${sort_rank as number}, ${sort_id as string}::uuid, ${at as number},
            ${rank as number}, ${id as string}::uuid)
      `
  const rows: MomentRow[] = await em.execute(sql`
    select source, id, slot, at::float8 as at, rank, sort_at::float8 as sort_at, sort_rank, sort_id
    from (${moments}) moments (${columns})
    ${beyond}
    order by moments.sort_at desc, moments.sort_rank desc, moments.sort_id desc, moments.at desc, moments.rank desc,
      moments.id desc
    limit ${limit}
  `)
  return rows
}
