// Examples of audiences, tiers and members.
import { example, ids } from './example.ts'

export const audiences = [
  example('POST /v1/stores/{storeId}/audiences', {
    key: 'reading-circle',
    name: 'Reading circle',
    type: { type: 'paid' },
  }),
  example('POST /v1/stores/{storeId}/audiences/{audienceId}/tiers', {
    key: 'patron',
    name: 'Patron',
    benefits: ['A book every month'],
    provider: { type: 'card_payment', payment_provider_id: ids.payment_provider },
    prices: [
      { amount: 900, currency: 'USD', interval: { period: 'month', count: 1 } },
      { amount: 24_000, currency: 'USD', interval: null },
    ],
  }),
  example('PUT /v1/stores/{storeId}/audiences/{audienceId}/tiers/{id}', {
    description: 'For those who read everything.',
  }),
  example('PUT /v1/stores/{storeId}/audiences/{id}', { status: 'active' }),
  example('POST /v1/stores/{storeId}/audiences/{audienceId}/members', { contact_id: ids.contact }),
  example('PUT /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}', {
    lead_description: 'Asked for large print.',
    fields: { city: 'Basel' },
  }),
  example('POST /v1/stores/{storeId}/audiences/{audienceId}/members/import', {
    rows: [{ email: 'grace@example.com', fields: { city: 'Bern' } }],
  }),
]
