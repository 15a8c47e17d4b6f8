// Examples of collections, entries, taxonomies, forms and reactions.
import { example, ids } from './example.ts'

const answers = [
  { key: 'name', type: 'text', value: 'Grace Reader' },
  { key: 'pieces', type: 'number', value: 2 },
]

const said = (value: string, kind = 'review') => ({ kind, blocks: [{ key: 'text', type: 'text', value }] })

export const content = [
  example('POST /v1/stores/{storeId}/collections', {
    key: 'recipes',
    schema: [
      { key: 'title', type: 'localized_text', required: true, properties: { max: 120 } },
      { key: 'steps', type: 'markdown' },
    ],
  }),
  example('PUT /v1/stores/{storeId}/collections/{id}', {
    blocks: [{ key: 'intro', type: 'text', value: 'Our recipes.' }],
  }),
  example('POST /v1/stores/{storeId}/taxonomies', {
    key: 'season',
    parent_id: null,
    schema: [{ key: 'colour', type: 'text' }],
  }),
  example('PUT /v1/stores/{storeId}/taxonomies/{id}', { status: 'active' }),
  example('POST /v1/stores/{storeId}/entries', {
    collection_id: ids.collection,
    key: 'plum-cake',
    slug: { en: 'plum-cake' },
    blocks: [
      { key: 'title', type: 'localized_text', value: { en: 'Plum cake' } },
      { key: 'steps', type: 'markdown', value: '1. Halve the plums.' },
    ],
    taxonomies: [{ taxonomy_id: ids.taxonomy, fields: [{ key: 'colour', type: 'text', value: 'purple' }] }],
  }),
  example('PUT /v1/stores/{storeId}/entries/{id}', { status: 'draft' }),
  example('POST /v1/stores/{storeId}/forms', {
    key: 'repair',
    schema: [
      { key: 'name', type: 'text', required: true },
      { key: 'pieces', type: 'number', min: 1, max: 10 },
    ],
  }),
  example('PUT /v1/stores/{storeId}/forms/{id}', { status: 'active' }),
  example('POST /v1/stores/{storeId}/forms/{formId}/submissions', { fields: answers }),
  example('PUT /v1/stores/{storeId}/forms/{formId}/submissions/{id}', { fields: answers }),
  example('POST /v1/storefront/forms/{formId}/submissions', { fields: answers }),
  example('PUT /v1/stores/{storeId}/media/{id}', { name: 'linen.jpg' }),
  example('POST /v1/storefront/reactions', { target: { type: 'product', id: ids.product }, ...said('It dries fast.') }),
  example('PUT /v1/storefront/reactions/{id}', { blocks: said('It dries very fast.').blocks }),
  example('POST /v1/stores/{storeId}/reactions', {
    target: { type: 'product', id: ids.product },
    ...said('Thank you!', 'comment'),
  }),
  example('PUT /v1/stores/{storeId}/reactions/{id}', { blocks: said('Thank you very much!').blocks }),
  example('POST /v1/stores/{storeId}/reactions/{id}/moderate', { status: 'hidden', note: 'Advertising.' }),
]
