// The public taxonomies: active ones, without the fields for operators.
import { Taxonomy } from '../../entities/content/taxonomy.ts'
import { TaxonomyOut } from '../../rules/resources.ts'
import { listing } from '../kit/answer/listing.ts'
import { route } from '../kit/route.ts'
import { unlisted } from './named.ts'
import { readTaxonomy, shownTaxonomies, treeFilters } from './taxonomies.ts'

const PublicTaxonomy = TaxonomyOut.omit(unlisted).meta({ id: 'PublicTaxonomy' })
const active = { status: 'active' } as const

export const storefrontTaxonomies = [
  listing('GET /v1/storefront/taxonomies', {
    may: 'visitor',
    contact: 'optional',
    summary: 'List the active taxonomies',
    entity: Taxonomy,
    unmanaged: true,
    item: PublicTaxonomy,
    search: 'search',
    sorts: ['key'],
    filters: treeFilters,
    scope: () => active,
    load: shownTaxonomies,
  }),
  route('GET /v1/storefront/taxonomies/{id}', {
    may: 'visitor',
    contact: 'optional',
    summary: 'Read an active taxonomy by id or by key',
    textParameters: ['id'],
    out: PublicTaxonomy,
    run: ({ em, path }) => readTaxonomy(em, path.id, active),
  }),
]
