// The columns of an effect's row. A table that spreads them has a row in rules/effects.ts.
import { p } from '@mikro-orm/core'
import { effectStatuses } from '../../rules/effects.ts'
import type { Resolution } from '../../rules/resolutions.ts'
import type { Replaced } from '../../rules/timeline/replaced.ts'
import { nothing, type Sql, sql, text } from './database/sql.ts'
import { Encrypted } from './encrypted.ts'
import { mayBeContradicted } from './resolutions.ts'

export type EffectError = { code: string; message: string; provider_status?: number; provider_code?: string }
/** The provider's answer, without secrets and personal data. */
export type Evidence = Record<string, unknown>

export const effect = {
  status: p.enum(effectStatuses).default('requested'),
  /** SHA-256 of the canonical payload and of the ids in the path: the same id with another payload is a conflict. */
  fingerprint: p.string().length(64),
  /** The exact request, frozen by the first prepare: every attempt sends it under the same provider key. */
  request: p.type(Encrypted).nullable(),
  attempt: p.integer().default(0),
  /** The attempt that claimed the row: the workflow's run id and try. */
  token: p.string().nullable(),
  claimed_at: p.datetime(3).nullable(),
  sent_at: p.datetime(3).nullable(),
  deadline_at: p.datetime(3).nullable(),
  answered_at: p.datetime(3).nullable(),
  settled_at: p.datetime(3).nullable(),
  evidence: p.json<Evidence>().nullable(),
  late_evidence: p.json<Evidence>().nullable(),
  /** When the late evidence became known; null of rows before this column. */
  late_at: p.datetime(3).nullable(),
  /** What a later proof or a resolution replaced (replaced.ts), the oldest first. */
  replaced: p.json<Replaced[]>().nullable(),
  error: p.json<EffectError>().nullable(),
  /** What a person found out about an unknown outcome. */
  resolution: p.json<Resolution>().nullable(),
}

/** What an item says of the row `alias` of an effect; times in Unix seconds. */
export const effectFacts = (alias: string) => {
  const seconds = (column: string): Sql => text(`floor(extract(epoch from ${alias}.${column}))::float8`)
  const own = (column: string): Sql => text(`${alias}.${column}`)
  return {
    status: own('status'),
    error: own('error'),
    evidence: own('evidence'),
    late_evidence: own('late_evidence'),
    resolution: own('resolution'),
    sent_at: seconds('sent_at'),
    settled_at: seconds('settled_at'),
  }
}

/** Since when the outcome of a row is not known, in Unix seconds, in any time zone of the session. */
export const unknownSince = (of: string): Sql =>
  text(`floor(coalesce(extract(epoch from ${of}settled_at at time zone 'UTC'), ${of}created_at))::float8`)

/** When a person recorded the outcome of a row, in Unix seconds. */
export const recordedAt = (of: string): Sql => text(`((${of}resolution ->> 'at')::float8)`)

/**
 * Rows that a person may have to look at: few among all, as those that a person resolved are not among them. `others`:
 * which of the rest a table has. `of`: the alias of the row and a dot, or nothing.
 */
export const resolvableOf = (of: string, others?: (of: string) => Sql): Sql => {
  const more = others ? sql` or ${others(of)}` : nothing
  return sql`(${text(of)}status = 'unknown' or ${mayBeContradicted(of)}${more})`
}

/**
 * The list of what a person has to do reads the rows by this index, the oldest first, and ends at its limit. A query
 * has its condition word by word, so that the index is used.
 */
const attentionIndex = (table: string, others?: (of: string) => Sql) => ({
  name: `${table}_attention`,
  expression: `
    create index "${table}_attention" on "${table}" ("tenant_id", (${unknownSince('').sql}), "id")
    where ${resolvableOf('', others).sql}
  `,
})

/** The rows that a person resolved, by when they did. */
export const recordedIndex = (table: string) => ({
  name: `${table}_recorded`,
  expression: `
    create index "${table}_recorded" on "${table}" ("tenant_id", ${recordedAt('').sql}, "id")
    where resolution is not null
  `,
})

/** Those of all tenants alike, of which the platform's own list reads those about plans. */
export const recordedOfAllIndex = (table: string) => ({
  name: `${table}_recorded_of_all`,
  expression: `
    create index "${table}_recorded_of_all" on "${table}" (${recordedAt('').sql}, "id")
    where resolution is not null
  `,
})

export const attentionIndexes = (table: string, others?: (of: string) => Sql) => [
  attentionIndex(table, others),
  recordedIndex(table),
]
