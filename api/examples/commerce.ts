// Examples from creating a store to a refund, in that order.
import { example, ids } from './example.ts'

const address = {
  name: 'Ada Buyer',
  street1: '1 Pine Street',
  city: 'Portland',
  state: 'OR',
  postal_code: '97204',
  country: 'US',
}
const workshop = {
  name: 'Workshop',
  street1: '1 Market Street',
  city: 'San Francisco',
  state: 'CA',
  postal_code: '94105',
  country: 'US',
}
const text = (key: string, value: string) => ({ key, type: 'text', value })

export const commerce = [
  example('POST /v1/stores', {
    key: 'linen-and-oak',
    timezone: 'Europe/Zurich',
    languages: ['en', 'de'],
    emails: { support: 'support@linen.example' },
  }),
  example('PUT /v1/stores/{storeId}', { settings: { name: 'Linen and Oak' } }),
  example('POST /v1/stores/{storeId}/members', { email: 'grace@linen.example', role: 'admin' }),
  example('POST /v1/stores/{storeId}/payment-providers/stripe/connect', {
    return_url: 'https://linen.example/settings/payments',
    refresh_url: 'https://linen.example/settings/payments/connect',
    country: 'US',
    email: 'payments@linen.example',
  }),
  example('POST /v1/stores/{storeId}/markets', {
    key: 'ch',
    currency: 'CHF',
    tax_mode: 'inclusive',
    zones: [
      {
        name: 'Switzerland',
        countries: ['CH'],
        tax_bps: 810,
        shipping_methods: [{ id: 'ch-post', name: 'Post', eta_text: '2 days', amount: 900 }],
      },
    ],
    payment_methods: [
      { key: 'cash', type: 'cash' },
      { key: 'credit_card', type: 'card' },
    ],
  }),
  example('PUT /v1/stores/{storeId}/markets/{id}', { tax_mode: 'exclusive' }),
  example('POST /v1/stores/{storeId}/locations', { key: 'workshop', address: workshop, is_pickup_location: false }),
  example('PUT /v1/stores/{storeId}/locations/{id}', { key: 'workshop', address: workshop, is_pickup_location: true }),
  example('POST /v1/stores/{storeId}/products', {
    key: 'linen-apron',
    slug: { en: 'linen-apron' },
    blocks: [text('name', 'Linen apron')],
    variants: [
      {
        sku: 'APRON-1',
        prices: [{ market: 'us', amount: 3900 }],
        inventory: [{ location_id: ids.location, available: 40 }],
        weight: 250,
        requires_shipping: true,
      },
    ],
  }),
  example('PUT /v1/stores/{storeId}/products/{id}', { blocks: [text('name', 'Linen apron, natural')] }),
  example('PUT /v1/stores/{storeId}/products/{id}/inventory', {
    inventory: [{ variant_id: ids.variant, location_id: ids.location, available: 35 }],
  }),
  example('POST /v1/stores/{storeId}/services', {
    key: 'beard-trim',
    slug: { en: 'beard-trim' },
    blocks: [text('name', 'Beard trim')],
  }),
  example('PUT /v1/stores/{storeId}/services/{id}', { status: 'active' }),
  example('POST /v1/stores/{storeId}/providers', { key: 'nina', slug: { en: 'nina' }, blocks: [text('name', 'Nina')] }),
  example('PUT /v1/stores/{storeId}/providers/{id}', { blocks: [text('name', 'Nina Barber')] }),
  example('POST /v1/stores/{storeId}/service-providers', {
    service_id: ids.service,
    provider_id: ids.provider,
    working_days: [{ day: 'monday', windows: [{ from: '09:00', to: '17:00' }] }],
    prices: [{ market: 'us', amount: 2500 }],
    slot_interval: 30,
    concurrent_limit: 1,
  }),
  example('PUT /v1/stores/{storeId}/service-providers/{id}', { specific_dates: [{ date: '2030-12-24', windows: [] }] }),
  example('POST /v1/stores/{storeId}/promo-codes', {
    code: 'SPRING15',
    discounts: [{ type: 'items_percentage', market_key: 'us', bps: 1500 }],
    conditions: [{ type: 'min_order_amount', amount: 2000 }],
  }),
  example('PUT /v1/stores/{storeId}/promo-codes/{id}', { conditions: [{ type: 'max_uses_per_user', count: 1 }] }),
  example('POST /v1/storefront/account/identify', { email: 'ada@buyer.example' }),
  example('PUT /v1/storefront/carts/{id}', {
    market: 'us',
    product_items: [{ product_id: ids.product, variant_id: ids.variant, quantity: 2 }],
    shipping_address: address,
    shipping_method_id: 'us-standard',
    promo_code: 'SPRING15',
  }),
  example('POST /v1/storefront/carts/{id}/checkout', {
    payment_method_key: 'credit_card',
    return_url: 'https://linen.example/thanks',
  }),
  example('PUT /v1/stores/{storeId}/orders/{id}', { version: 2, billing_address: address }),
  example('POST /v1/stores/{storeId}/orders/{orderId}/shipments', {
    items: [{ line_id: ids.order_line, quantity: 1 }],
    carrier: 'Post',
    tracking_number: '99.00.123456.12345678',
  }),
  example('POST /v1/stores/{storeId}/subscription', {
    plan_id: 'free',
    return_url: 'https://linen.example/settings/plan',
  }),
  example('POST /v1/stores/{storeId}/orders/{orderId}/refunds', { refund_id: ids.refund, amount: 500 }),
]
