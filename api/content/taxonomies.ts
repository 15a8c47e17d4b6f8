// Taxonomies: a tree that records are filed under. Each defines the typed fields that a record under it may have.
import { z } from 'zod'
import { createTaxonomy, removeTaxonomy, updateTaxonomy } from '../../entities/content/taxonomies.ts'
import { Taxonomy } from '../../entities/content/taxonomy.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { mustExist, ofKey } from '../../entities/kit/find.ts'
import { TAXONOMY_DEPTH_MAX, TaxonomySchema } from '../../rules/content/taxonomies.ts'
import { Key } from '../../rules/input/identities.ts'
import { spellingsOf } from '../../rules/input/texts.ts'
import { notFound } from '../../rules/refusal.ts'
import { TaxonomyOut, TaxonomyStatus } from '../../rules/resources.ts'
import { anyCase, Id } from '../../rules/shapes.ts'
import { byIds, filter, listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { route } from '../kit/route.ts'

type TaxonomyRow = Pick<
  Taxonomy,
  'id' | 'tenant_id' | 'key' | 'parent_id' | 'schema' | 'status' | 'created_at' | 'updated_at'
>

export const shownTaxonomy = ({ tenant_id: store_id, ...taxonomy }: TaxonomyRow) => ({ ...taxonomy, store_id })
export const shownTaxonomies = async (_: EntityManager, rows: TaxonomyRow[]) => rows.map(shownTaxonomy)

/** Filters of the lists for operators and for storefronts. */
export const treeFilters = {
  parent_id: filter(
    z.union([z.literal('null'), Id]).describe('Only children of this taxonomy; `null`: only taxonomies at the top.'),
    (parent) => ({
      parent_id: parent === 'null' ? null : parent,
    }),
  ),
  key: filter(Key.describe('Only the taxonomy with exactly this key.'), (key) => ({ key: { $in: spellingsOf(key) } })),
  ...byIds,
}

/** An id takes precedence over a key, as a key may be a UUID. 404. */
export async function readTaxonomy(em: EntityManager, idOrKey: string, only: { status?: 'active' } = {}) {
  const id = z.guid().safeParse(idOrKey).data?.toLowerCase()
  const found = (id && (await em.findOne(Taxonomy, { id, ...only }))) || (await ofKey(em, Taxonomy, idOrKey, only))
  if (!found) throw notFound('taxonomy')
  return shownTaxonomy(found)
}

const fields = {
  parent_id: Id.nullish().describe(
    `Identifier of the taxonomy above; null: at the top. A tree has at most ${TAXONOMY_DEPTH_MAX} levels.`,
  ),
  schema: TaxonomySchema.optional().describe(
    'Schema of the `fields` that a record filed under this taxonomy may have.',
  ),
  status: anyCase(TaxonomyStatus)
    .optional()
    .describe('`active` taxonomies are public; `archived` ones are visible to operators only. `active` by default.'),
}

export const taxonomies = [
  listing('GET /v1/stores/{storeId}/taxonomies', {
    may: 'admin',
    summary: 'List the taxonomies',
    entity: Taxonomy,
    unmanaged: true,
    item: TaxonomyOut,
    search: 'search',
    sorts: ['key'],
    filters: { ...treeFilters, status: filter(anyCase(TaxonomyStatus), (status) => ({ status })) },
    load: shownTaxonomies,
  }),
  route('GET /v1/stores/{storeId}/taxonomies/{id}', {
    may: 'admin',
    summary: 'Read a taxonomy by id or by key',
    textParameters: ['id'],
    out: TaxonomyOut,
    run: ({ em, path }) => readTaxonomy(em, path.id),
  }),
  listing('GET /v1/stores/{storeId}/taxonomies/{id}/children', {
    may: 'admin',
    summary: 'List the children of a taxonomy',
    entity: Taxonomy,
    unmanaged: true,
    item: TaxonomyOut,
    search: 'search',
    sorts: ['key'],
    filters: { status: filter(anyCase(TaxonomyStatus), (status) => ({ status })) },
    async scope({ em, path }) {
      await mustExist(em, Taxonomy, { id: path.id }, 'taxonomy')
      return { parent_id: path.id }
    },
    load: shownTaxonomies,
  }),
  route('POST /v1/stores/{storeId}/taxonomies', {
    may: 'admin',
    refuses: ['key_taken', 'taxonomy_unknown', 'too_deep'],
    summary: 'Create a taxonomy',
    description:
      '409 `key_taken` if another taxonomy has the key. 422 `taxonomy_unknown` for a parent that does not exist, `too_deep` if the tree would have too many levels.',
    body: z.object({
      key: Key.describe('Name of the taxonomy, unique in the {store}, of 1 to 255 printable characters.'),
      ...fields,
    }),
    out: TaxonomyOut,
    status: 201,
    run: async ({ em, tenant_id, body, now }) => shownTaxonomy(await createTaxonomy(em, tenant_id, body, now)),
  }),
  route('PUT /v1/stores/{storeId}/taxonomies/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'taxonomy_cycle', 'taxonomy_unknown', 'too_deep'],
    summary: 'Update or move a taxonomy',
    description:
      'Fields that are left out are kept. `schema` replaces the stored one; an item without an id keeps the id of the stored item with its key and type. Records filed under the ' +
      'taxonomy do not change; a new schema applies to a record at its next write. 409 `taxonomy_cycle` if the taxonomy would be below itself.',
    body: z.object({
      key: Key.optional().describe('Name of the taxonomy, unique in the {store}. Left out, it is kept.'),
      ...fields,
    }),
    out: TaxonomyOut,
    run: async ({ em, tenant_id, path, body, now }) =>
      shownTaxonomy(await updateTaxonomy(em, tenant_id, path.id, body, now)),
  }),
  removing('DELETE /v1/stores/{storeId}/taxonomies/{id}', {
    may: 'admin',
    summary: 'Delete a taxonomy and all taxonomies below it',
    remove: ({ em, tenant_id, path, now }) => removeTaxonomy(em, tenant_id, path.id, now),
  }),
]
