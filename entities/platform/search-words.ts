// Rewrites the search words of all tables, with the functions that their writers use. For all tenants, and under the
// rows' locks.
import type { EntityManager } from '@mikro-orm/postgresql'
import { ListingKind } from '../../rules/networks/networks.ts'
import {
  audienceWords,
  chatMessageWords,
  collectionWords,
  contactWords,
  formWords,
  mediaWords,
  namedWords,
  publicationWords,
  reactionWords,
  submissionWords,
  taxonomyWords,
} from '../../rules/search/search-texts.ts'
import { contactColumns } from '../crm/contact-words.ts'
import { json, type Sql, sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { lockRows } from './locked-rows.ts'

/** `only`: the rows that have words. */
type Kind<Row> = { columns: Sql; words: (row: Row) => string; only: Sql }
const kind = <Row>(columns: Sql, words: (row: Row) => string, only = sql`true`): Kind<never> => ({
  columns,
  words,
  only,
})

const named = kind<Parameters<typeof namedWords>[0]>(sql`key, slug, blocks`, (row) => namedWords(row))
const skus = sql`
  (
    select jsonb_agg(v.sku order by v.position, v.id)
    from product_variants v
    where v.tenant_id = t.tenant_id and v.product_id = t.id
  ) as skus
`

const kinds: Record<string, Kind<never>> = {
  audiences: kind(sql`key, name`, audienceWords),
  chat_messages: kind(sql`content`, chatMessageWords),
  collections: kind(sql`key, blocks`, collectionWords),
  contacts: kind(contactColumns, contactWords),
  entries: named,
  form_submissions: kind(sql`fields`, submissionWords),
  forms: kind(sql`key, schema`, formWords),
  media: kind(sql`name`, mediaWords),
  products: kind<Parameters<typeof namedWords>[0] & { skus: (string | null)[] | null }>(
    sql`key, slug, blocks, ${skus}`,
    (row) => namedWords(row, row.skus ?? []),
  ),
  providers: named,
  // Marks have no words, and neither has what is left of deleted content.
  reactions: kind(sql`blocks`, reactionWords, sql`has_content and author_id is not null`),
  services: named,
  social_publications: kind(sql`content`, publicationWords),
  taxonomies: kind(sql`key`, taxonomyWords),
}

/** The columns of `t` that a table's words are made from, and the function that makes them. */
export const wordsOf = <Row extends { id: string }>(table: string) => kinds[table] as Kind<Row>

/** Sorted. */
export const searchTables = Object.keys(kinds).sort()

export async function idsAfter(em: EntityManager, table: string, after: string, limit: number): Promise<string[]> {
  const rows: { id: string }[] = await em.execute(sql`
    select id
    from ${text(table)}
    where id > ${after} and ${wordsOf(table).only}
    order by id
    limit ${limit}
  `)
  return rows.map(({ id }) => id)
}

/**
 * Returns how many words changed; `busy`: rows that another transaction has locked, unless `wait`. No other column
 * changes.
 */
export async function rewriteWords(
  em: EntityManager,
  table: string,
  ids: readonly string[],
  wait: boolean,
): Promise<{ changed: number; busy: string[] }> {
  const { columns, words, only } = wordsOf<{ id: string }>(table)
  const lockedIds = await lockRows(em, table, ids, wait)
  // Read after they are locked, so that earlier writes are seen.
  const rows: { id: string }[] = await em.execute(sql`
    select t.id, ${columns}
    from ${text(table)} t
    where t.id = any (${uuids(lockedIds)}) and ${only}
  `)
  // A text that was cut off may end in half of a character.
  const rewritten = rows.map((row) => ({ id: row.id, words: words(row).toWellFormed() }))
  const changed: unknown[] = await em.execute(sql`
    update ${text(table)} t
    set search = to_tsvector('simple', x.words)
    from jsonb_to_recordset(${json(rewritten)}) as x(id uuid, words text)
    where t.id = x.id and t.search is distinct from to_tsvector('simple', x.words)
    returning t.id
  `)
  if (ListingKind.options.some((one) => table === `${one}s`))
    await em.execute(sql`
      update network_listings l
      set search = t.search
      from ${text(table)} t
      where t.id = any (${uuids(lockedIds)})
        and l.tenant_id = t.tenant_id
        and l.record_id = t.id
        and l.kind || 's' = ${table}
        and l.search is distinct from t.search
    `)
  const free = new Set(lockedIds)
  return { changed: changed.length, busy: ids.filter((id) => !free.has(id)) }
}
