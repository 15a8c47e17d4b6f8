// Values under keys. The last writer wins. Keys with a common prefix are one range of the index, with any characters.
import type { EntityManager } from '@mikro-orm/postgresql'
import { endOf } from '../../rules/platform/platform-data.ts'
import { insertion } from '../kit/database/insert.ts'
import { nothing, sql } from '../kit/database/sql.ts'
import { PlatformDatum } from './platform-datum.ts'

export type Datum = { key: string; value: unknown }

function write(em: EntityManager, { key, value }: Datum, now: number) {
  // A value may be JSON's null.
  const row = { key, value: sql`${JSON.stringify(value)}::jsonb`, created_at: now, updated_at: now }
  return em.execute(sql`
    ${insertion(em, PlatformDatum, row)}
    on conflict (key) do update
    set value = excluded.value, updated_at = excluded.updated_at
  `)
}

export const removeDatum = (em: EntityManager, key: string) =>
  em.execute(sql`delete from platform_data where key = ${key}`)

/** Writes the value and deletes it under its previous key, in one transaction. `now` in Unix seconds. */
export async function putDatum(
  em: EntityManager,
  datum: Datum,
  previousKey: string | undefined,
  now: number,
): Promise<void> {
  const moved = previousKey !== undefined && previousKey !== datum.key
  // Always the lesser key first: two writers that swap keys do not deadlock.
  if (moved && previousKey < datum.key) await removeDatum(em, previousKey)
  await write(em, datum, now)
  if (moved && previousKey > datum.key) await removeDatum(em, previousKey)
}

/**
 * The value of exactly this key; if there is none, the values whose keys begin with it, in byte order. One statement.
 */
export async function dataAt(em: EntityManager, key: string, limit: number): Promise<Datum[]> {
  const end = endOf(key)
  const before = end === null ? nothing : sql`and key < ${end}`
  return em.execute(sql`
    with exact_match as (select key, value from platform_data where key = ${key})
    select key, value
    from exact_match
    union all (
      select key, value
      from platform_data
      where not exists (select 1 from exact_match) and key > ${key} ${before}
      order by key
      limit ${limit}
    )
  `)
}
