// The rules of rules/resolutions.ts as SQL, for lists and counts. The columns are `status`, `resolution`, `evidence`
// and `late_evidence` of an effect that a person can resolve.
import { observations } from '../../rules/resolutions.ts'
import { type Condition, condition } from './database/condition.ts'
import { join, nothing, type Sql, sql, text } from './database/sql.ts'
import { isDone, withLateEvidence } from './replaced.ts'

const final = sql`('failed', 'canceled')`
const failed = sql`('rejected', 'failed', 'canceled')`
const done = sql`('succeeded', 'seen', 'pending', 'processing', 'complete', 'open')`
const unsent = sql`('not_sent')`

const observed = text(`array['${observations.join("', '")}']`)
const isObserved = (piece: Sql): Sql => sql`coalesce(jsonb_exists_any(${piece}, ${observed}), false)`
const isOneOf = (piece: Sql, words: Sql): Sql => sql`coalesce(${piece} ->> 'status' in ${words}, false)`

/** Whether the pieces of evidence say that the request was carried out; null: neither (`saysOf`). */
const says = (...pieces: Sql[]): Sql => {
  const verdict = (counts: (piece: Sql) => Sql) => {
    const any = (words: Sql) =>
      join(
        pieces.map((piece) => sql`${isOneOf(piece, words)}${counts(piece)}`),
        ' or ',
      )
    return sql`case when ${any(failed)} then false when ${any(done)} then true when ${any(unsent)} then false end`
  }
  return sql`coalesce(${verdict((piece) => sql` and ${isObserved(piece)}`)}, ${verdict(() => nothing)})`
}

/**
 * Whether a signed event, a message or a read says that the request of the row `alias` succeeded, as its status does.
 */
export const provedSql = (alias: string): Sql =>
  sql`(${text(alias)}.status = 'succeeded' and ${isObserved(text(`${alias}.evidence`))})`

/** The late evidence of the row `alias` once the jsonb expression `next` is known (`laterOf`). */
export const laterSql = (alias: string, next: Sql): Sql => {
  const late = text(`${alias}.late_evidence`)
  return sql`
    case
      when (${says(next)}) is null then ${late}
      when (${says(late)}) is null then ${next}
      when ${isOneOf(next, unsent)}
        or ${isObserved(late)} and not ${isObserved(next)}
        or ${isOneOf(late, final)} and not ${isOneOf(next, final)}
        then ${late}
      else ${next}
    end
  `
}

/**
 * Sets the late evidence of the row `alias`, and since when it is known: the time of evidence that is kept does not
 * move, and evidence that is replaced stays in the timeline.
 */
export const laterAssignment = (alias: string, next: Sql): Sql => {
  const [row, later] = [text(alias), laterSql(alias, next)]
  return sql`
    late_evidence = ${later},
    late_at = case
      when (${later}) is distinct from ${row}.late_evidence then clock_timestamp()
      else ${row}.late_at
    end,
    replaced = case
      when ${row}.late_evidence ->> 'status' is not null and (${later}) is distinct from ${row}.late_evidence
        then ${withLateEvidence(alias)}
      else ${row}.replaced
    end
  `
}

/** Whether what was recorded about the row `alias` differs from what is known since (`needsAttention`). */
export const contradictedSql = (alias: string): Sql => {
  const [row, evidence, late] = [text(alias), text(`${alias}.evidence`), text(`${alias}.late_evidence`)]
  const outcome = isDone(sql`${row}.resolution ->> 'outcome'`)
  const newest = sql`case when ${outcome} <> (${says(late)}) then ${late} else ${evidence} end`
  return sql`
    (
      ${row}.resolution is not null
      and (
        ${outcome} <> ${isDone(sql`${row}.status`)}
        or ${outcome} <> (${says(evidence, late)})
        and ${row}.resolution -> 'against' is distinct from (${newest})
      )
    )
  `
}

/**
 * Whether what was recorded may differ from what is known since, as short as the condition of an index has to be: true
 * of every row that is contradicted. `of`: the alias of the row and a dot, or nothing.
 */
export const mayBeContradicted = (of: string): Sql => {
  const own = (name: string) => text(`${of}${name}`)
  return sql`
    (
      ${own('resolution')} is not null
      and (
        ${own('late_evidence')} is not null
        or ${own('evidence')} ->> 'status' is not null
        or ${isDone(sql`${own('resolution')} ->> 'outcome'`)} <> ${isDone(own('status'))}
      )
    )
  `
}

/** A condition of lists: rows that a person has to look at, or all others. */
export const attention = (yes: boolean): Condition =>
  condition(
    (rows) => sql`
      (coalesce(${rows}.status = 'unknown' or ${contradictedSql(rows.sql)}, false) = ${yes})
    `,
  )
