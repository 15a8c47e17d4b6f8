// The words of every table that has some, written anew from its rows by the functions that their writers use; for all tenants, and under the rows' locks.
import type { EntityManager } from '@mikro-orm/postgresql'
import { collectionWords, formWords, mediaWords, namedWords, submissionWords, taxonomyWords } from '../../rules/search-texts.ts'
import { arrayOf } from '../kit/ids.ts'
import { lockRows } from './locked-rows.ts'

type Kind<Row> = { columns: string; words: (row: Row) => string }
const kind = <Row>(columns: string, words: (row: Row) => string): Kind<never> => ({ columns, words })

const named = kind<Parameters<typeof namedWords>[0]>('key, slug, blocks', (row) => namedWords(row))
const skus = '(select jsonb_agg(v.sku order by v.position, v.id) from product_variants v where v.tenant_id = t.tenant_id and v.product_id = t.id) as skus'

const kinds: Record<string, Kind<never>> = {
  collections: kind('key, blocks', collectionWords),
  entries: named,
  form_submissions: kind('fields', submissionWords),
  forms: kind('key, schema', formWords),
  media: kind('name', mediaWords),
  products: kind<Parameters<typeof namedWords>[0] & { skus: (string | null)[] | null }>(`key, slug, blocks, ${skus}`, (row) => namedWords(row, row.skus ?? [])),
  providers: named,
  services: named,
  taxonomies: kind('key', taxonomyWords),
}

/** What a table's words are made of, as columns of `t`, and how. */
export const wordsOf = <Row extends { id: string }>(table: string) => kinds[table] as Kind<Row>

/** In the order of their names. */
export const searchTables = Object.keys(kinds).sort()

export async function idsAfter(em: EntityManager, table: string, after: string, limit: number): Promise<string[]> {
  const rows: { id: string }[] = await em.execute(`select id from ${table} where id > ? order by id limit ?`, [after, limit])
  return rows.map(({ id }) => id)
}

/** How many had other words; `busy`: rows that somebody else holds, unless they are waited for. Nothing else of a row changes. */
export async function rewriteWords(em: EntityManager, table: string, ids: readonly string[], wait: boolean): Promise<{ changed: number; busy: string[] }> {
  const { columns, words } = wordsOf<{ id: string }>(table)
  const held = await lockRows(em, table, ids, wait)
  // Read when they are held, and not before: what is written meanwhile is in it.
  const rows: { id: string }[] = await em.execute(`select t.id, ${columns} from ${table} t where t.id = any(?::uuid[])`, [arrayOf(held)])
  const changed: unknown[] = await em.execute(
    `update ${table} t set search = to_tsvector('simple', x.words) from jsonb_to_recordset(?::jsonb) as x(id uuid, words text)
     where t.id = x.id and t.search is distinct from to_tsvector('simple', x.words) returning t.id`,
    // A text that was cut off may end in half of a character.
    [JSON.stringify(rows.map((row) => ({ id: row.id, words: words(row).toWellFormed() })))],
  )
  const free = new Set(held)
  return { changed: changed.length, busy: ids.filter((id) => !free.has(id)) }
}
