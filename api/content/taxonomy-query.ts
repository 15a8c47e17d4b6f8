// Every list of what can be sorted is narrowed the same way: by the taxonomies, and the entries of these, that its records are under.
//   listing('GET …/products', { filters: { ...taxonomyFilters('product') } })
import { raw } from '@mikro-orm/core'
import { z } from 'zod'
import type { TaxonomyLink } from '../../entities/content/taxonomy-link.ts'
import { Id } from '../../rules/shapes.ts'
import { filter } from '../kit/listing.ts'
import { encoded, flag } from '../kit/query.ts'

const TaxonomyQuery = z
  .array(
    z.strictObject({
      taxonomy_id: Id.describe('Identifier of the taxonomy.'),
      entry_ids: z.array(Id).max(100).optional().describe('Entries of which any one is enough; left out or empty: every record in the taxonomy.'),
    }),
  )
  .min(1)
  .max(20)
type TaxonomyQuery = z.infer<typeof TaxonomyQuery>

const marks = (values: readonly unknown[]) => values.map(() => '?').join(',')

type Kind = TaxonomyLink['owner_kind']

/** Between which times the rows of this page can have been made, as a condition on the links' time; what narrows a list narrows them too. */
const within = ({ created_at_from, created_at_to, begins, sort_direction }: Record<string, unknown>) => {
  const bounds = ([bound, operator]: [unknown, string]): [string, number][] =>
    typeof bound === 'number' ? [[` and l.owner_created_at ${operator} ?`, bound]] : []
  const all = [...bounds([created_at_from, '>=']), ...bounds([created_at_to, '<=']), ...bounds([begins, sort_direction === 'asc' ? '>=' : '<='])]
  return { sql: all.map(([sql]) => sql).join(''), values: all.map(([, bound]) => bound) }
}

/**
 * Records that any of these queries finds: one look into the links for all of them, because alternatives of looks would be answered row by row. The
 * links have the time of their records, which narrows nothing: with it the default order comes from their index, and a page is over when it is full
 * however rare a term is or how far back. In other orders it would only make them seem rarer than they are.
 */
const under = (kind: Kind, queries: TaxonomyQuery, asked: Record<string, unknown>) => {
  const any = queries.map(({ entry_ids = [] }) => `(l.taxonomy_id = ?${entry_ids.length > 0 ? ` and l.entry_id in (${marks(entry_ids)})` : ''})`)
  const values = queries.flatMap(({ taxonomy_id, entry_ids = [] }) => [taxonomy_id, ...entry_ids])
  const inOrder = asked.sort_field === 'created_at'
  const times = inOrder ? within(asked) : { sql: '', values: [] }
  return {
    [raw(
      (alias) => `exists (select 1 from taxonomy_links l where l.tenant_id = ${alias}.tenant_id and l.owner_id = ${alias}.id
        and l.owner_kind = '${kind}'${inOrder ? ` and l.owner_created_at = ${alias}.created_at${times.sql}` : ''} and (${any.join(' or ')}))`,
      [...times.values, ...values],
    ) as unknown as string]: [],
  }
}

/** Within one query any entry will do; without entries, whatever is in the taxonomy (design: content, Taxonomies). */
export const taxonomyFilters = (kind: Kind) => ({
  taxonomy_query: filter(
    encoded(TaxonomyQuery).describe(
      'JSON list of `{taxonomy_id, entry_ids}`, 20 at most: records filed under one of the entries. Without `entry_ids`: under the taxonomy.',
    ),
    (queries, asked) => (asked.match_all === true ? { $and: queries.map((query) => under(kind, [query], asked)) } : under(kind, queries, asked)),
  ),
  match_all: filter(flag.describe('True: records must match every item of `taxonomy_query`; otherwise one is enough.'), () => ({})),
})
