// Statements with their values in place: sql`select … where id = ${id}`. A value is always escaped; text that is no
// value comes from `text` or `column`.
import { isRaw, RawQueryFragment } from '@mikro-orm/core'

/** A statement or a part of one, with its values; what `em.execute` takes. */
export type Sql = RawQueryFragment
export type Value = string | number | boolean | Date | null

/**
 * Checks that `?` in a fragment's text stands for a value. PostgreSQL's operators of that name have functions:
 * `jsonb_exists`.
 */
function checked(text: string): string {
  if (/[?\\]/.test(text)) throw new Error(`SQL text must not contain a question mark or a backslash: ${text}`)
  return text
}

/** Two marks side by side would be read as one identifier. */
function add(parts: string[], part: string): void {
  if (part === '') return
  parts.push(part.startsWith('?') && parts.at(-1)?.endsWith('?') ? ` ${part}` : part)
}

const known = new WeakSet<TemplateStringsArray>()

/**
 * MikroORM's own tag keeps fragments as values, which hides their text from the statement log, takes a `?` in the text
 * for a value, and writes an empty list or an object of a class into the statement as it is. This one is flat, and
 * throws for `undefined`, lists and objects: `list`, `arrayOf` (ids.ts) and `json` write those.
 */
export function sql(texts: TemplateStringsArray, ...values: (Value | Sql)[]): Sql {
  if (!known.has(texts)) {
    texts.forEach(checked)
    known.add(texts)
  }
  // Joined at the end: to look at the end of a text that grows would copy all of it for each value.
  const parts = [texts[0] as string]
  const params: unknown[] = []
  for (let at = 0; at < values.length; at++) {
    const value = values[at]
    let part = '?'
    if (isRaw(value)) {
      part = value.sql
      for (const param of value.params) params.push(param)
    } else {
      if (
        value === undefined ||
        (typeof value === 'object' && value !== null && !(value instanceof Date)) ||
        typeof value === 'function'
      )
        throw new TypeError(
          `no value of a statement: ${value === undefined ? 'undefined' : JSON.stringify(value)} after ${texts[at]}`,
        )
      params.push(plainValue(value))
    }
    add(parts, part)
    add(parts, texts[at + 1] as string)
  }
  return new RawQueryFragment(parts.join(''), params)
}

/** Text as it stands. Never made of anything that a caller sent. */
export const text = (raw: string): Sql => new RawQueryFragment(checked(raw), [])

/** The name of a column or table, quoted. */
export const column = (name: string): Sql => text(`"${name.replaceAll('"', '""')}"`)

export const nothing: Sql = text('')

/** Now in Unix seconds, the same in a whole statement. */
export const statementSecond: Sql = sql`floor(extract(epoch from statement_timestamp()))::bigint`
/** Now in Unix seconds, rounded, also after a wait for a lock within a statement. */
export const thisSecond: Sql = sql`extract(epoch from clock_timestamp())::bigint`

/** Fragments, one after the other. */
export function join(
  parts: readonly (Value | Sql)[],
  separator: ', ' | ' and ' | ' or ' | ' union all ' | ' + ' | ' ' = ', ',
): Sql {
  const params: unknown[] = []
  const texts = parts.map((part) => {
    const { sql: statement, params: own } = sql`${part}`
    params.push(...own)
    return statement
  })
  return new RawQueryFragment(texts.join(separator), params)
}

/** The milliseconds since 1970 of a timestamptz. */
export const msOf = (time: Sql): Sql => sql`(extract(epoch from ${time}) * 1000)::bigint`

/** The values of `in (…)`. Throws if there are none, which SQL cannot say. */
export function list(values: readonly Value[]): Sql {
  if (values.length === 0) throw new Error('an empty list of values')
  return join(values)
}

/** What PostgreSQL refuses in `jsonb`, as JSON writes it: NUL and lone surrogates. */
const unstorable = /\\u(?:0000|d[89a-f])/
const escapes = /\\(?:u(?:0000|d[89a-f][0-9a-f]{2})|.)/g

/**
 * A value as text of JSON that PostgreSQL stores: texts from outside may hold anything. NUL and lone surrogates become
 * U+FFFD, as in `storable`.
 */
export function jsonText(value: unknown): string {
  const written = JSON.stringify(value)
  // A backslash before such letters is an escape of its own, of two characters.
  return unstorable.test(written)
    ? written.replaceAll(escapes, (found) => (found.length === 6 ? '\ufffd' : found))
    : written
}

/**
 * A plain value without NUL, with which no statement can be read. Lone surrogates become U+FFFD where it is encoded.
 */
export const plainValue = <V>(value: V): V | string =>
  typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value

/** A value as JSON (`jsonText`); null and undefined are NULL. */
export const json = (value: unknown): Sql =>
  sql`${value === null || value === undefined ? null : jsonText(value)}::jsonb`

/** `"a" = …, "b" = …`: what an update sets. */
export const assignments = (columns: Record<string, Value | Sql>): Sql =>
  join(Object.entries(columns).map(([name, value]) => sql`${column(name)} = ${value}`))
