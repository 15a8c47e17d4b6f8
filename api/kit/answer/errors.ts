// Turns errors into application/problem+json (RFC 9457) with a stable code, without internals.
//   throw conflict('key_taken', 'Another product has this key.')        → 409 {"code": "key_taken", …}
import { STATUS_CODES } from 'node:http'
import { databaseIsAway, isContention, sqlState } from '../../../entities/kit/database/database-errors.ts'
import type { ProblemStatus } from '../../../rules/problems.ts'
import { Refusal, unavailable } from '../../../rules/refusal.ts'
import type { Route } from '../route.ts'
import { outward, type Said } from '../surface.ts'

export type Problem = { status: number; headers: Record<string, string>; body: Record<string, unknown> }

/**
 * The phrase of an HTTP status, the title of a problem of type `about:blank` (RFC 9457, 4.2.1; RFC 9110, 15). Node has
 * older phrases for two statuses.
 */
export const titleOf = (status: ProblemStatus): string =>
  ({ 413: 'Content Too Large', 422: 'Unprocessable Content' })[status as number] ?? STATUS_CODES[status] ?? ''

/** `route`: the one that refuses, whose surface the problem is spelled for. */
export function problem(refusal: Said, requestId: string, route?: Route): Problem {
  const { status, code, message, details } = outward(route, refusal)
  return {
    status,
    headers: details.headers ?? {},
    body: {
      ...details.members,
      type: 'about:blank',
      title: titleOf(status),
      status,
      detail: message,
      code,
      request_id: requestId,
      ...(details.faults ? { errors: details.faults } : {}),
    },
  }
}

/** A 500 without detail: the log has the error under this request id. */
export const bug = (requestId: string): Problem => ({
  status: 500,
  headers: {},
  body: { type: 'about:blank', title: titleOf(500), status: 500, code: 'internal_error', request_id: requestId },
})

/**
 * The refusal for an error of the database; undefined for a bug. 503 database_unavailable, 409 already_exists, 409
 * referenced.
 */
export function fromDatabase(error: unknown): Refusal | undefined {
  const state = sqlState(error)
  if (databaseIsAway(error))
    return unavailable('database_unavailable', 'The database is unreachable. Repeat the request.')
  if (isContention(error) || state === '57014')
    return unavailable('database_unavailable', 'The database is busy. Repeat the request.')
  if (state === '23505')
    return new Refusal(409, 'already_exists', 'A record with the same unique value exists already.')
  // PostgreSQL 18 has a state of its own for foreign keys that restrict.
  if (state === '23503' || state === '23001')
    return new Refusal(
      409,
      'referenced',
      'Another record refers to the record, or a record that it refers to does not exist.',
    )
  return undefined
}
