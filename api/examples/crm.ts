// Examples of contacts and their channels.
import { example, ids } from './example.ts'

export const crm = [
  example('POST /v1/stores/{storeId}/contacts', { email: 'grace.reader@example.com', taxonomies: [] }),
  example('PUT /v1/stores/{storeId}/contacts/{id}', { email: 'grace@example.com', status: 'active' }),
  example('POST /v1/stores/{storeId}/contacts/{id}/merge/preview', { source_contact_id: ids.source_contact }),
  example('POST /v1/stores/{storeId}/contacts/{id}/merge', { source_contact_id: ids.source_contact }),
  example('POST /v1/stores/{storeId}/contacts/{id}/channels', {
    type: 'phone',
    address: '+1 503 555 0100',
    consent: { status: 'granted', source: 'order form' },
  }),
  example('PUT /v1/stores/{storeId}/contacts/{id}/channels/{channelId}', {
    consent: { status: 'withdrawn', source: 'phone call' },
  }),
]
