// Every encrypted column there is, found by its type, so that none is forgotten when the key is replaced; for all tenants, and never without the row's lock.
import type { EntityManager } from '@mikro-orm/postgresql'
import { decrypt, Encrypted, encrypt, sealedUnder } from '../kit/encrypted.ts'
import { arrayOf } from '../kit/ids.ts'
import { lockRows } from './locked-rows.ts'

type Column = { table: string; column: string }

/** By `table.column`, in the order of these names. A table of them has an `id`. */
export function sealedColumns(em: EntityManager): Map<string, Column> {
  const found = [...em.getMetadata().getAll().values()].flatMap(({ tableName, props }) =>
    props.filter(({ customType }) => customType instanceof Encrypted).map(({ fieldNames: [column = ''] }) => ({ table: tableName, column })),
  )
  return new Map(found.map((one) => [`${one.table}.${one.column}`, one] as const).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export type Head = { id: string; under: ReturnType<typeof sealedUnder> | null; bytes: number }

/** Of the next rows by id, whose key made what stands in the column; null where nothing does. The ciphertexts themselves are not read. */
export async function headsAfter(em: EntityManager, { table, column }: Column, after: string, limit: number): Promise<Head[]> {
  const rows: { id: string; head: string | null; bytes: number | null }[] = await em.execute(
    `select id, left(${column}, 8) as head, octet_length(${column}) as bytes from ${table} where id > ? order by id limit ?`,
    [after, limit],
  )
  return rows.map(({ id, head, bytes }) => ({ id, under: head === null ? null : sealedUnder(head), bytes: bytes ?? 0 }))
}

function resealed(before: string): string | null {
  try {
    return encrypt(decrypt(before))
  } catch {
    return null
  }
}

export type Resealed = { changed: number; unreadable: number; busy: string[] }

/** Under the first key of SECRETS_KEY. What was changed since it was read is left as it is; `busy`: rows that somebody else holds, unless they are waited for. */
export async function reseal(em: EntityManager, { table, column }: Column, ids: readonly string[], wait: boolean): Promise<Resealed> {
  const held = await lockRows(em, table, ids, wait)
  const rows: { id: string; before: string }[] = await em.execute(
    `select id, ${column} as before from ${table} where id = any(?::uuid[]) and ${column} is not null`,
    [arrayOf(held)],
  )
  const later = rows.filter(({ before }) => sealedUnder(before) === 'later').map(({ id, before }) => ({ id, before, after: resealed(before) }))
  const readable = later.filter(({ after }) => after !== null)
  if (readable.length > 0)
    await em.execute(
      `update ${table} t set ${column} = x.after from jsonb_to_recordset(?::jsonb) as x(id uuid, before text, after text) where t.id = x.id and t.${column} = x.before`,
      [JSON.stringify(readable)],
    )
  const free = new Set(held)
  return { changed: readable.length, unreadable: later.length - readable.length, busy: ids.filter((id) => !free.has(id)) }
}
