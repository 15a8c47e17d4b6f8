// The filters by taxonomy of every list whose records can be filed under taxonomies and their entries.
//   listing('GET …/products', { filters: { ...taxonomyFilters('product') } })
import { z } from 'zod'
import type { TaxonomyLink } from '../../entities/content/taxonomy-link.ts'
import { condition } from '../../entities/kit/database/condition.ts'
import { join, list, nothing, type Sql, sql, text } from '../../entities/kit/database/sql.ts'
import { Id } from '../../rules/shapes.ts'
import { filter } from '../kit/answer/listing.ts'
import { encoded, flag } from '../kit/query.ts'

const TaxonomyQuery = z
  .array(
    z.strictObject({
      taxonomy_id: Id.describe('Identifier of the taxonomy.'),
      entry_ids: z
        .array(Id)
        .max(100)
        .optional()
        .describe(
          'Taxonomies below it or entries, of which a record must be filed under one; if left out or empty, every record in the taxonomy matches.',
        ),
    }),
  )
  .min(1)
  .max(20)
type TaxonomyQuery = z.infer<typeof TaxonomyQuery>

type Kind = TaxonomyLink['owner_kind']

/** Bounds of the creation times of the rows of this page, as a condition on the links. */
const timesOf = ({ created_at_from, created_at_to, begins, sort_direction }: Record<string, unknown>): Sql => {
  const bound = (operator: '>=' | '<=', at: unknown) =>
    typeof at === 'number' ? [sql`and l.owner_created_at ${text(operator)} ${at}`] : []
  return join(
    [
      ...bound('>=', created_at_from),
      ...bound('<=', created_at_to),
      ...bound(sort_direction === 'asc' ? '>=' : '<=', begins),
    ],
    ' ',
  )
}

/**
 * Records that match any of these queries, in one `exists`: PostgreSQL evaluates alternatives of several `exists` row
 * by row. The condition on the creation time is redundant: with it, the default sort order is read from the index of
 * the links, and reading stops when the page is full, however rare a term is. In other orders it would only worsen the
 * planner's estimates, so it is left out.
 */
const filedUnder = (kind: Kind, queries: TaxonomyQuery, sent: Record<string, unknown>) => {
  const matches = queries.map(({ taxonomy_id, entry_ids = [] }) => {
    const isOfEntry = entry_ids.length > 0 ? sql`and l.entry_id in (${list(entry_ids)})` : nothing
    return sql`(l.taxonomy_id = ${taxonomy_id} ${isOfEntry})`
  })
  return condition((rows) => {
    const inOrder =
      sent.sort_field === 'created_at' ? sql`and l.owner_created_at = ${rows}.created_at ${timesOf(sent)}` : nothing
    return sql`
      exists (
        select 1
        from taxonomy_links l
        where l.tenant_id = ${rows}.tenant_id and l.owner_id = ${rows}.id and l.owner_kind = ${text(`'${kind}'`)}
          ${inOrder}
          and (${join(matches, ' or ')})
      )
    `
  })
}

/** Within one query a record must be filed under one of the entries; without entries, under the taxonomy. */
export const taxonomyFilters = (kind: Kind) => ({
  taxonomy_query: filter(
    encoded(TaxonomyQuery).describe(
      'JSON list of `{taxonomy_id, entry_ids}`, 20 at most: records filed under one of `entry_ids`, taxonomies below it or entries. Without `entry_ids`: under the taxonomy.',
    ),
    (queries, sent) =>
      sent.match_all === true
        ? { $and: queries.map((query) => filedUnder(kind, [query], sent)) }
        : filedUnder(kind, queries, sent),
  ),
  match_all: filter(
    flag.describe('True: records must match every item of `taxonomy_query`; otherwise one is enough.'),
    () => ({}),
  ),
})
