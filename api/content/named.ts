// Fields and reading of records with a key, slugs and content: products, services, providers and entries.
import { z } from 'zod'
import { Product } from '../../entities/catalog/product.ts'
import { ownerOfSlug, type SlugKind } from '../../entities/catalog/slugs.ts'
import { Entry } from '../../entities/content/entry.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { Provider } from '../../entities/scheduling/provider.ts'
import { Service } from '../../entities/scheduling/service.ts'
import { Block } from '../../rules/content/block-shape.ts'
import { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import { Key } from '../../rules/input/identities.ts'
import { LocaleMap } from '../../rules/input/locale-map.ts'
import { LocaleTag } from '../../rules/input/locale-tags.ts'
import { notFound } from '../../rules/refusal.ts'
import { anyCase, Id, RecordStatus } from '../../rules/shapes.ts'

const writable = {
  slug: LocaleMap.optional().describe(
    'From locale code to the slug in that language, unique in the {store} per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, ' +
      'are refused (`reserved`).',
  ),
  blocks: z
    .array(Block)
    .max(500)
    .optional()
    .meta({
      description: 'Content blocks, 500 at most. Replaces the stored ones.',
      // What the emails, the lists and a storefront look for.
      examples: [
        [
          { key: 'name', type: 'text', value: '' },
          { key: 'description', type: 'markdown', value: '' },
          { key: 'picture', type: 'media' },
        ],
      ],
    }),
  taxonomies: z
    .array(TaxonomyEntry)
    .max(200)
    .optional()
    .describe('Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones.'),
  status: anyCase(RecordStatus)
    .optional()
    .describe('`active` records are public; `draft` and `archived` ones are visible to operators only.'),
}
export const namedCreate = {
  key: Key.describe('Name of the record, unique in the {store}, of 1 to 255 printable characters.'),
  ...writable,
}
export const namedUpdate = {
  key: Key.optional().describe('Name of the record, unique in the {store}. Left out, it is kept.'),
  ...writable,
}

/** Fields that storefronts do not return. */
export const unlisted = { status: true, updated_at: true } as const

export const bySlug = z.object({
  locale: LocaleTag.optional().describe(
    'Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the {store} are tried first.',
  ),
})

const entities = { entry: Entry, product: Product, service: Service, provider: Provider }

/** 404 for a record that does not exist or does not fulfil `only`. */
export async function readNamed<K extends SlugKind>(
  em: EntityManager,
  tenantId: string,
  kind: K,
  idOrSlug: string,
  locale: string | undefined,
  only: { status?: 'active'; access?: 'public' } = {},
): Promise<InstanceType<(typeof entities)[K]>> {
  const read = (id: string) => em.findOne(entities[kind], { id, ...only } as { id: string })
  // An id takes precedence over a slug, as a slug may be a UUID.
  const id = Id.safeParse(idOrSlug).data
  const owner = (id && (await read(id))) || (await ownerOfSlug(em, tenantId, kind, idOrSlug, locale))
  const found = typeof owner === 'string' ? await read(owner) : owner
  if (!found) throw notFound(kind)
  return found as InstanceType<(typeof entities)[K]>
}
