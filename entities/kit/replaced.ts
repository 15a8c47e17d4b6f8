// What a row of an effect said before a later proof, or a resolution, took its place: its timeline keeps it.
import type { EntityManager } from '@mikro-orm/postgresql'
import { column, msOf, type Sql, sql, text } from './database/sql.ts'

/** Whether an outcome says that the request was carried out, in the words of any effect. */
export const isDone = (outcome: Sql): Sql => sql`(${outcome} in ('succeeded', 'published', 'completed'))`

/** Whether a resolution settled the row `alias`, and nothing has said otherwise since. */
export const settledByResolution = (alias: string): Sql => {
  const row = text(alias)
  return sql`
    (
      ${row}.resolution is not null
      and ${row}.status in ('succeeded', 'rejected')
      and ${isDone(sql`${row}.resolution ->> 'outcome'`)} = ${isDone(sql`${row}.status`)}
    )
  `
}

const added = (alias: string, piece: Sql): Sql =>
  sql`coalesce(${text(alias)}.replaced, '[]') || jsonb_build_array(${piece})`

/**
 * Adds the answer or the outcome of the row `alias` to what was replaced, as a part of the update that replaces it. A
 * resolution keeps those before it, and is not added.
 */
export const replacedAssignment = (alias: string): Sql => {
  const row = text(alias)
  return sql`
    replaced = case
      when coalesce(${row}.settled_at, ${row}.answered_at) is null or ${settledByResolution(alias)} then ${row}.replaced
      else ${added(
        alias,
        sql`
          jsonb_build_object(
            'slot', case when ${row}.settled_at is null then 'answered' else 'settled' end,
            'at', ${msOf(sql`coalesce(${row}.settled_at, ${row}.answered_at)`)},
            'answered_ms', ${msOf(sql`${row}.answered_at`)}, 'attempt', ${row}.attempt, 'status', ${row}.status,
            'error', ${row}.error, 'evidence', ${row}.evidence
          )
        `,
      )}
    end
  `
}

/** Adds an answer that came after the outcome that it agrees with; the same one once more is not added. */
export const answerAssignment = (alias: string, { evidence, error }: { evidence: Sql; error: Sql }): Sql => {
  const row = text(alias)
  const ms = msOf(sql`clock_timestamp()`)
  const answer = sql`'slot', 'answered', 'attempt', ${row}.attempt, 'status', ${row}.status`
  return sql`
    replaced = case
      when coalesce(${row}.replaced, '[]') @> jsonb_build_array(jsonb_build_object(${answer})) then ${row}.replaced
      else ${added(
        alias,
        sql`
          jsonb_build_object(
            ${answer}, 'at', ${ms}, 'answered_ms', ${ms}, 'error', ${error}, 'evidence', ${evidence}
          )
        `,
      )}
    end
  `
}

/** The late evidence of the row `alias`, which other late evidence replaces. */
export const withLateEvidence = (alias: string): Sql => {
  const row = text(alias)
  return added(
    alias,
    sql`
      jsonb_build_object(
        'slot', 'late_evidence', 'at', ${msOf(sql`coalesce(${row}.late_at, ${row}.sent_at)`)},
        'late_ms', ${msOf(sql`${row}.late_at`)}, 'evidence', ${row}.late_evidence
      )
    `,
  )
}

/** Keeps what the locked row says now, before the entity of it is changed. */
export const keepReplaced = (em: EntityManager, table: string, id: string): Promise<unknown> =>
  em.execute(sql`update ${column(table)} e set ${replacedAssignment('e')} where e.id = ${id}`)
