// Identifiers are UUIDv7, made by us: they sort by the time they were made, and no table needs a counter.

/** For what no table holds and a request may have tens of thousands of, such as blocks: random alone, in a twentieth of the time. */
export { randomUUID as newInnerId } from 'node:crypto'
export { v5 as derivedId, v7 as newId } from 'uuid'

/** The same where a statement makes rows: the first 48 bits are the milliseconds since 1970, the next four the version (RFC 9562, 5.7). */
export const newIdSql = `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
  placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`

/** Several ids as one value of a statement: `= any (?::uuid[])` is the same statement however many there are. */
export const arrayOf = (ids: Iterable<string>): string => `{${[...ids].join(',')}}`

/** Before every id that was made at this moment or later, Unix seconds: what is older is found by the primary key. */
export const firstIdAt = (seconds: number): string => {
  const digits = Math.max(0, Math.floor(seconds * 1000))
    .toString(16)
    .padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}
