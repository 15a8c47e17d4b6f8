// The demo store's audiences: a newsletter, a paid club, and a code for the club's first payment and its members'
// carts.
import type { Call } from './call.ts'

export const clubCode = 'CLUB10'

const month = { period: 'month' as const, count: 1 }

/** Keeps existing records: an earlier start may have been interrupted. */
export async function gather(call: Call, storeId: string): Promise<void> {
  const path = { storeId }
  const { items } = await call('GET /v1/stores/{storeId}/audiences', { path })
  const of = async (key: string, name: string, type: 'open' | 'paid') =>
    items.find((one) => one.key === key) ??
    (await call('POST /v1/stores/{storeId}/audiences', { path, body: { key, name, type: { type } } }))
  const activate = (id: string) =>
    call('PUT /v1/stores/{storeId}/audiences/{id}', { path: { ...path, id }, body: { status: 'active' } })

  await activate((await of('newsletter', 'Newsletter', 'open')).id)

  const club = await of('tea-club', 'Tea club', 'paid')
  const tiers = { ...path, audienceId: club.id }
  const { items: known } = await call('GET /v1/stores/{storeId}/audiences/{audienceId}/tiers', { path: tiers })
  if (known.length === 0) {
    const { items: providers } = await call('GET /v1/stores/{storeId}/payment-providers', { path })
    const provider = providers[0]
    if (!provider) throw new Error('The demo store has no payment provider.')
    await call('POST /v1/stores/{storeId}/audiences/{audienceId}/tiers', {
      path: tiers,
      body: {
        key: 'friend',
        name: 'Friend of the house',
        description: 'For those who come back: we keep a cup for you, and you hear of new things first.',
        benefits: ['A tea a month', 'Ten percent off all orders', 'An evening with the makers each spring'],
        provider: { type: 'card_payment', payment_provider_id: provider.id },
        prices: [
          { amount: 900, currency: 'USD', interval: month },
          { amount: 19_900, currency: 'USD', interval: null },
        ],
      },
    })
  }
  await activate(club.id)

  const { items: codes } = await call('GET /v1/stores/{storeId}/promo-codes', { path, query: { query: clubCode } })
  if (codes.some(({ code }) => code.toUpperCase() === clubCode)) return
  const discounts = [{ type: 'audience_percentage' as const, audience_id: club.id, bps: 1000 }]
  await call('POST /v1/stores/{storeId}/promo-codes', { path, body: { code: clubCode, discounts, conditions: [] } })
}
