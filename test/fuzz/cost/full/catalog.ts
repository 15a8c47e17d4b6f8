// Products, their stock and promo codes as large as they may be.
import { type Made, type Maker, many } from './maker.ts'

export type Sold = { product_id: string; variant_id: string }

export async function fillCatalog(
  { asOperator, unique }: Maker,
  locations: string[],
  taxonomies: Made[],
): Promise<Sold[]> {
  const inventory = locations.map((location_id) => ({ location_id, available: 1_000_000 }))
  const prices = [
    { market: 'us', amount: 1000 },
    { market: 'eu', amount: 1000 },
  ]
  const variants = () =>
    many(250, (nth) => ({
      sku: `${unique()}-${nth}`,
      prices,
      is_digital: nth % 2 === 0,
      requires_shipping: nth % 2 === 1,
      inventory,
      attributes: many(20, (n) => ({ name: `a${n}`, value: n })),
    }))
  const blocks = many(100, (nth) => ({ key: `b${nth}`, type: 'text', value: 'word '.repeat(50) }))
  const sold: Sold[] = []
  for (let nth = 0; nth < 2; nth++) {
    const made = await asOperator('a product of 250 variants', 'POST', '/products', () => ({
      key: unique(),
      variants: variants(),
      blocks,
      taxonomies,
      slug: { en: unique() },
    }))
    for (const { id } of made.variants) sold.push({ product_id: made.id, variant_id: id })
    await asOperator('a product of 250 variants written anew', 'PUT', `/products/${made.id}`, () => ({
      variants: made.variants.map(({ id }: { id: string }) => ({
        id,
        prices,
        attributes: many(20, (n) => ({ name: `a${n}`, value: n })),
        inventory,
      })),
    }))
    await asOperator('stock of 250 variants in 30 places', 'PUT', `/products/${made.id}/inventory`, () => ({
      inventory: many(1_990, (n) => ({
        variant_id: made.variants[n % 250].id,
        location_id: locations[Math.floor(n / 250)],
        available: 1_000_000,
      })),
    }))
    await asOperator('the stock of a product', 'GET', `/products/${made.id}/inventory`)
  }
  await asOperator('a product of 250 empty variants', 'POST', '/products', () => ({
    key: unique(),
    variants: many(250, () => ({})),
  }))
  await asOperator('a product of 100,000 attributes', 'POST', '/products', () => ({
    key: unique(),
    variants: many(250, () => ({ attributes: many(200, () => [1, 2, 3, 4]) })),
  }))
  return sold
}

export async function fillPromoCodes(
  { asOperator, unique }: Maker,
  sold: readonly Sold[],
  service_id: string,
): Promise<string> {
  const ids = many(500, (nth) => sold[nth % sold.length]?.product_id ?? '')
  const audience = await asOperator('an audience', 'POST', '/audiences', () => ({
    key: unique(),
    type: { type: 'open' },
  }))
  const discounts = many(2, (nth) => ({
    type: nth === 0 ? 'items_percentage' : 'audience_percentage',
    ...(nth === 0 ? { market_key: 'us' } : { audience_id: audience?.id }),
    bps: 1 + nth,
  }))
  const conditions = [
    ...many(20, () => ({ type: 'products', product_ids: ids })),
    ...many(20, () => ({ type: 'services', service_ids: many(500, () => service_id) })),
    ...many(5, () => ({ type: 'min_order_amount', amount: 1 })),
  ]
  const code = await asOperator('a promo code of 2 discounts and 45 conditions', 'POST', '/promo-codes', () => ({
    code: unique(),
    discounts,
    conditions,
  }))
  await asOperator('a promo code that is longer', 'POST', '/promo-codes', () => ({
    code: unique(),
    discounts,
    conditions: many(20, () => ({ type: 'products', product_ids: ids })),
  }))
  return code?.code
}
