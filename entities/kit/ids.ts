// Identifiers are UUIDv7, made by the process that writes the row: they sort by their time, and no table needs a
// counter.
import { v7 } from 'uuid'
import { type Sql, sql, text } from './database/sql.ts'
import { randomOf } from './random.ts'

/**
 * Random, in a twentieth of the time: for what has no table and may come by tens of thousands in a request, such as
 * blocks.
 */
export { randomUUID as newInnerId } from 'node:crypto'
export { v5 as derivedId } from 'uuid'

/** The time and counter of the latest id. The ids of a millisecond count on. */
const latest = { msecs: Number.NEGATIVE_INFINITY, seq: 0 }

export function newId(): string {
  const random = randomOf(16)
  const now = Date.now()
  if (now > latest.msecs) {
    latest.msecs = now
    // Half of its range is left to count in.
    latest.seq = random.readUInt32BE(6) >>> 1
  } else if (latest.seq === 0xffff_ffff) {
    latest.msecs++
    latest.seq = 0
  } else latest.seq++
  return v7({ random, ...latest })
}

/**
 * A UUIDv7 made by the database, for statements that make rows: the first 48 bits are the milliseconds since 1970, the
 * next four the version (RFC 9562, 5.7).
 */
export const newIdSql: Sql = text(`encode(
    set_bit(
      set_bit(
        overlay(
          uuid_send(gen_random_uuid())
          placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6
        ),
        52, 1
      ),
      53, 1
    ),
    'hex'
  )::uuid`)

/** The milliseconds since 1970 at which the UUIDv7 `id` was made. */
export const idMs = (id: Sql): Sql => sql`('x' || left(translate(${id}::text, '-', ''), 12))::bit(48)::bigint`

/** Whether `id` is a UUIDv7. */
export const hasIdMs = (id: Sql): Sql => sql`substr(${id}::text, 15, 1) = '7'`

/** Names without commas, quotes or braces as one value of a statement, a PostgreSQL array. */
export const arrayOf = (names: Iterable<string>): string => `{${[...names].join(',')}}`

/** Ids as one value of a statement: `= any (…)` is the same statement however many there are. */
export const uuids = (ids: Iterable<string>): Sql => sql`${arrayOf(ids)}::uuid[]`

/** Less than every id that is made at this moment or later, Unix seconds: older rows are found by the primary key. */
export const firstIdAt = (seconds: number): string => {
  const digits = Math.max(0, Math.floor(seconds * 1000))
    .toString(16)
    .padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}
