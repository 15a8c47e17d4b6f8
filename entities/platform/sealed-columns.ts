// All encrypted columns, found by their type, so that the rotation of the key misses none. For all tenants, and always
// under the row's lock.
import type { EntityManager } from '@mikro-orm/postgresql'
import { json, sql, text } from '../kit/database/sql.ts'
import { decryptIfPossible, Encrypted, encrypt, sealedUnder } from '../kit/encrypted.ts'
import { uuids } from '../kit/ids.ts'
import { lockRows } from './locked-rows.ts'

type Column = { table: string; column: string }

/** The encrypted columns by `table.column`, sorted. Each of their tables has an `id`. */
export function sealedColumns(em: EntityManager): Map<string, Column> {
  const found = [...em.getMetadata().getAll().values()].flatMap(({ tableName, props }) =>
    props
      .filter(({ customType }) => customType instanceof Encrypted)
      .map(({ fieldNames: [column = ''] }) => ({ table: tableName, column })),
  )
  return new Map(found.map((one) => [`${one.table}.${one.column}`, one] as const).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export type Head = { id: string; under: ReturnType<typeof sealedUnder> | null; bytes: number }

/**
 * The next rows by id, with the key that encrypted the column; null if it is empty. Reads only the heads of the
 * ciphertexts.
 */
export async function headsAfter(
  em: EntityManager,
  { table, column }: Column,
  after: string,
  limit: number,
): Promise<Head[]> {
  const rows: { id: string; head: string | null; bytes: number | null }[] = await em.execute(sql`
    select id, left(${text(column)}, 8) as head, octet_length(${text(column)}) as bytes
    from ${text(table)}
    where id > ${after}
    order by id
    limit ${limit}
  `)
  return rows.map(({ id, head, bytes }) => ({ id, under: head === null ? null : sealedUnder(head), bytes: bytes ?? 0 }))
}

function resealed(before: string): string | null {
  const plain = decryptIfPossible(before)
  return plain === null ? null : encrypt(plain)
}

export type Resealed = { changed: number; unreadable: number; busy: string[] }

/**
 * Encrypts again, under the first key of SECRETS_KEY. A value that changed since it was read stays; `busy`: rows that
 * another transaction has locked.
 */
export async function reseal(
  em: EntityManager,
  { table, column }: Column,
  ids: readonly string[],
  wait: boolean,
): Promise<Resealed> {
  const lockedIds = await lockRows(em, table, ids, wait)
  const rows: { id: string; before: string }[] = await em.execute(sql`
    select id, ${text(column)} as before
    from ${text(table)}
    where id = any (${uuids(lockedIds)}) and ${text(column)} is not null
  `)
  const later = rows
    .filter(({ before }) => sealedUnder(before) === 'later')
    .map(({ id, before }) => ({ id, before, after: resealed(before) }))
  const readable = later.filter(({ after }) => after !== null)
  if (readable.length > 0)
    await em.execute(sql`
      update ${text(table)} t
      set ${text(column)} = x.after
      from jsonb_to_recordset(${json(readable)}) as x(id uuid, before text, after text)
      where t.id = x.id and t.${text(column)} = x.before
    `)
  const free = new Set(lockedIds)
  return {
    changed: readable.length,
    unreadable: later.length - readable.length,
    busy: ids.filter((id) => !free.has(id)),
  }
}
