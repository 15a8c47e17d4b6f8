// The rules of rules/resolutions.ts as SQL, for lists and counts. The columns are `status`, `resolution`, `evidence`
// and `late_evidence` of an effect that a person can resolve.
import { observations } from '../../rules/resolutions.ts'
import { type Condition, condition } from './database/condition.ts'
import { type Sql, sql, text } from './database/sql.ts'

const final = "('failed', 'canceled')"
const failed = "('rejected', 'failed', 'canceled')"
const done = "('succeeded', 'seen', 'pending', 'processing', 'complete', 'open')"

const isObserved = (piece: string): string =>
  `coalesce(jsonb_exists_any(${piece}, array['${observations.join("', '")}']), false)`
const isOneOf = (piece: string, words: string): string => `coalesce(${piece} ->> 'status' in ${words}, false)`

/** Whether the pieces of evidence say that the request was carried out; null: neither (`saysOf`). */
const says = (...pieces: string[]): string => {
  const verdict = (counts: (piece: string) => string) => {
    const any = (words: string) => pieces.map((piece) => `${isOneOf(piece, words)}${counts(piece)}`).join(' or ')
    return `case when ${any(failed)} then false when ${any(done)} then true when ${any("('not_sent')")} then false end`
  }
  return `coalesce(${verdict((piece) => ` and ${isObserved(piece)}`)}, ${verdict(() => '')})`
}

/**
 * Whether a signed event, a message or a read says that the request of the row `alias` succeeded, as its status does.
 */
export const provedSql = (alias: string): string =>
  `(${alias}.status = 'succeeded' and ${isObserved(`${alias}.evidence`)})`

/** The late evidence of the row `alias` once the jsonb expression `next` is known (`laterOf`). */
export const laterSql = (alias: string, next: string): Sql => {
  const late = `${alias}.late_evidence`
  return text(`case
      when (${says(next)}) is null then ${late}
      when (${says(late)}) is null then ${next}
      when ${isOneOf(next, "('not_sent')")}
        or ${isObserved(late)} and not ${isObserved(next)}
        or ${isOneOf(late, final)} and not ${isOneOf(next, final)}
        then ${late}
      else ${next}
    end`)
}

/**
 * Sets the late evidence of the row `alias`, and since when it is known: the time of evidence that is kept does not
 * move.
 */
export const laterAssignment = (alias: string, next: string): Sql => {
  const [row, later] = [text(alias), laterSql(alias, next)]
  return sql`
    late_evidence = ${later},
    late_at = case
      when (${later}) is distinct from ${row}.late_evidence then clock_timestamp()
      else ${row}.late_at
    end
  `
}

/** Whether what was recorded about the row `alias` differs from what is known since (`needsAttention`). */
export const contradictedSql = (alias: string): Sql => {
  const [evidence, late] = [`${alias}.evidence`, `${alias}.late_evidence`]
  const outcome = `(${alias}.resolution ->> 'outcome' in ('succeeded', 'published', 'completed'))`
  const newest = `case when ${outcome} <> (${says(late)}) then ${late} else ${evidence} end`
  return text(`(
    ${alias}.resolution is not null
    and (
      ${outcome} <> (${alias}.status in ('succeeded', 'published', 'completed'))
      or ${outcome} <> (${says(evidence, late)})
      and ${alias}.resolution -> 'against' is distinct from (${newest})
    )
  )`)
}

/** A condition of lists: rows that a person has to look at, or all others. */
export const attention = (yes: boolean): Condition =>
  condition(
    (rows) => sql`
      (coalesce(${rows}.status = 'unknown' or ${contradictedSql(rows.sql)}, false) = ${yes})
    `,
  )
