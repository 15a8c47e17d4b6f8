// Markets and locations as large as they may be.
import { type Maker, many } from './maker.ts'

export async function fillMarkets({ asOperator, unique }: Maker): Promise<void> {
  const { items } = await asOperator('all markets', 'GET', '/markets')
  const [us, eu] = ['us', 'eu'].map((wanted) => items.find(({ key }: { key: string }) => key === wanted))
  const method = (zone: number) => (nth: number) => ({
    id: `${zone}-${nth}`,
    name: 'n'.repeat(100),
    eta_text: 'e'.repeat(100),
    amount: 100,
  })
  const home = { id: 'home', countries: ['DE'], tax_bps: 1900, shipping_methods: many(100, method(0)) }
  const codes = many(4, (zone) => ({
    id: `codes-${zone}`,
    postal_codes: many(4_000, (nth) => `${zone}${nth}*`),
    tax_bps: zone,
  }))
  const states = many(3, (zone) => ({
    id: `states-${zone}`,
    countries: ['GB', 'US'],
    states: many(1_000, (nth) => `Kent ${nth}`),
  }))
  await asOperator('a market of 20,000 places', 'PUT', `/markets/${us.id}`, () => ({
    zones: [...codes, ...states, home],
    payment_methods: many(50, (nth) => ({ key: nth === 0 ? 'cash' : `m${nth}`, type: 'cash' })),
  }))
  // The country with the most names of states.
  await asOperator('a market of 19,000 states', 'PUT', `/markets/${eu.id}`, () => ({
    zones: many(19, (zone) => ({
      id: `gb-${zone}`,
      countries: ['GB'],
      states: many(1_000, (nth) => `Kent ${zone} ${nth}`),
    })),
  }))
  const wide = many(450, (zone) => ({
    id: `z${zone}`,
    countries: many(30, () => 'DE'),
    states: many(10, () => 'Kent'),
    shipping_methods: many(8, method(zone + 1)).map((one) => ({ ...one, name: 'n', eta_text: '' })),
  }))
  await asOperator('a market of 450 zones', 'POST', '/markets', () => ({ key: unique(), currency: 'EUR', zones: wide }))
  await asOperator('a market of 150,000 countries', 'POST', '/markets', () => ({
    key: unique(),
    currency: 'EUR',
    zones: many(490, (zone) => ({ id: `z${zone}`, countries: many(300, () => 'DE') })),
  }))
  await asOperator('a market of far too many zones', 'POST', '/markets', () => ({
    key: unique(),
    currency: 'EUR',
    zones: many(49_000, () => ({})),
  }))
}

export async function fillPlaces({ make, unique }: Maker): Promise<string[]> {
  const made = many(30, () =>
    make('/locations', { key: unique(), address: { country: 'DE' }, is_pickup_location: true }),
  )
  return (await Promise.all(made)).map(({ id }) => id)
}
