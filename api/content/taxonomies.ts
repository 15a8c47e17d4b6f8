// How a store sorts what it has: a tree of taxonomies, each with the fields that what it is attached to may carry.
import { z } from 'zod'
import { createTaxonomy, removeTaxonomy, updateTaxonomy } from '../../entities/content/taxonomies.ts'
import { Taxonomy } from '../../entities/content/taxonomy.ts'
import type { EntityManager } from '../../entities/kit/orm.ts'
import { TAXONOMY_DEPTH_MAX, TaxonomySchema } from '../../rules/content/taxonomies.ts'
import { Key } from '../../rules/input/identities.ts'
import { notFound } from '../../rules/refusal.ts'
import { TaxonomyOut, TaxonomyStatus } from '../../rules/resources.ts'
import { anyCase, Id } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

type Plain = Pick<Taxonomy, 'id' | 'tenant_id' | 'key' | 'parent_id' | 'schema' | 'status' | 'created_at' | 'updated_at'>

export const shownTaxonomy = ({ tenant_id: store_id, ...taxonomy }: Plain) => ({ ...taxonomy, store_id })
/** Of a page of a list. */
export const shownTaxonomies = async (_: EntityManager, rows: Plain[]) => rows.map(shownTaxonomy)

/** What the lists of operators and storefronts can both be narrowed to. */
export const treeFilters = {
  parent_id: filter(z.union([z.literal('null'), Id]).describe('Only children of this taxonomy; `null`: only taxonomies at the top.'), (parent) => ({
    parent_id: parent === 'null' ? null : parent,
  })),
  key: filter(Key.describe('Only the taxonomy with exactly this key.'), (key) => ({ key })),
  ids: filter(many(Id).describe('Identifiers to restrict the list to, 100 at most: repeated, or separated by commas.'), (ids) => ({ id: { $in: ids } })),
}

/** An id is tried first: another one's key may look like it. */
export async function readTaxonomy(em: EntityManager, idOrKey: string, within: { status?: 'active' } = {}) {
  const id = z.guid().safeParse(idOrKey).data?.toLowerCase()
  const found = (id && (await em.findOne(Taxonomy, { id, ...within }))) || (await em.findOne(Taxonomy, { key: idOrKey, ...within }))
  if (!found) throw notFound('taxonomy')
  return shownTaxonomy(found)
}

const fields = {
  parent_id: Id.nullish().describe(`Identifier of the taxonomy above; null: at the top. A tree has at most ${TAXONOMY_DEPTH_MAX} levels.`),
  schema: TaxonomySchema.optional().describe('Schema of the `fields` that a record filed under this taxonomy may carry.'),
  status: anyCase(TaxonomyStatus).optional().describe('`active` taxonomies are public; `archived` ones are seen by operators only. `active` by default.'),
}

export const taxonomies = [
  listing('GET /v1/stores/{storeId}/taxonomies', {
    may: 'admin',
    summary: 'List the taxonomies',
    entity: Taxonomy,
    plain: true,
    item: TaxonomyOut,
    search: 'search',
    sorts: ['key'],
    filters: { ...treeFilters, status: filter(anyCase(TaxonomyStatus), (status) => ({ status })) },
    load: shownTaxonomies,
  }),
  route('GET /v1/stores/{storeId}/taxonomies/{id}', {
    may: 'admin',
    summary: 'Read a taxonomy by id or by key',
    words: ['id'],
    out: TaxonomyOut,
    run: ({ em, path }) => readTaxonomy(em, path.id),
  }),
  listing('GET /v1/stores/{storeId}/taxonomies/{id}/children', {
    may: 'admin',
    summary: 'List the children of a taxonomy',
    entity: Taxonomy,
    plain: true,
    item: TaxonomyOut,
    search: 'search',
    sorts: ['key'],
    filters: { status: filter(anyCase(TaxonomyStatus), (status) => ({ status })) },
    async within({ em, path }) {
      await em.findOneOrFail(Taxonomy, { id: path.id }, { fields: ['id'], failHandler: () => notFound('taxonomy') })
      return { parent_id: path.id }
    },
    load: shownTaxonomies,
  }),
  route('POST /v1/stores/{storeId}/taxonomies', {
    may: 'admin',
    refuses: ['key_taken', 'taxonomy_unknown', 'too_deep'],
    summary: 'Create a taxonomy',
    description: '409 `key_taken`; 422 `taxonomy_unknown` for a parent that is not there, `too_deep`.',
    body: z.object({ key: Key.describe('Name of the taxonomy, unique in the store, of 1 to 255 printable characters.'), ...fields }),
    out: TaxonomyOut,
    status: 201,
    run: async ({ em, tenant_id, body, now }) => shownTaxonomy(await createTaxonomy(em, tenant_id, body, now)),
  }),
  route('PUT /v1/stores/{storeId}/taxonomies/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'taxonomy_cycle', 'taxonomy_unknown', 'too_deep'],
    summary: 'Update or move a taxonomy',
    description:
      'Fields that are left out are kept. `schema` replaces the list; an item without an id keeps the one that its key and type have. What is attached stays as it is, also when the taxonomy is archived, and fits the schema at its next write. 409 `taxonomy_cycle` below itself.',
    body: z.object({ key: Key.optional().describe('Name of the taxonomy, unique in the store. Left out, it is kept.'), ...fields }),
    out: TaxonomyOut,
    run: async ({ em, tenant_id, path, body, now }) => shownTaxonomy(await updateTaxonomy(em, tenant_id, path.id, body, now)),
  }),
  route('DELETE /v1/stores/{storeId}/taxonomies/{id}', {
    may: 'admin',
    summary: 'Delete a taxonomy with all below it',
    out: Success,
    async run({ em, tenant_id, path, now }) {
      await removeTaxonomy(em, tenant_id, path.id, now)
      return success
    },
  }),
]
