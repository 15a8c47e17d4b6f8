// Values under keys: the last writer wins, and what begins with a text is one range of the index, whatever characters the text is made of.
import type { EntityManager } from '@mikro-orm/postgresql'
import { endOf } from '../../rules/platform/platform-data.ts'

export type Datum = { key: string; value: unknown }

const write = (em: EntityManager, { key, value }: Datum, now: number) =>
  em.execute(
    `insert into platform_data (key, value, created_at, updated_at) values (?, ?::jsonb, ?, ?)
     on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
    [key, JSON.stringify(value), now, now],
  )

export const removeDatum = (em: EntityManager, key: string) => em.execute('delete from platform_data where key = ?', [key])

/** Written and, under the key it had before, deleted in one transaction. `now` in Unix seconds. */
export async function putDatum(em: EntityManager, datum: Datum, previousKey: string | undefined, now: number): Promise<void> {
  const moved = previousKey !== undefined && previousKey !== datum.key
  // Always the lesser key first: two that swap their keys wait for each other, and neither is thrown back.
  if (moved && previousKey < datum.key) await removeDatum(em, previousKey)
  await write(em, datum, now)
  if (moved && previousKey > datum.key) await removeDatum(em, previousKey)
}

/** The one of exactly this key; without one, those whose keys begin with it, in the order of their bytes. One statement. */
export async function dataAt(em: EntityManager, key: string, limit: number): Promise<Datum[]> {
  const end = endOf(key)
  return em.execute(
    `with exact as (select key, value from platform_data where key = ?)
     select key, value from exact union all
     (select key, value from platform_data where not exists (select 1 from exact) and key > ? ${end === null ? '' : 'and key < ?'} order by key limit ?)`,
    [key, key, ...(end === null ? [] : [end]), limit],
  )
}
