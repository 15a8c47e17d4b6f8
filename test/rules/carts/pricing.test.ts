// The amounts of any cart are integers that add up, in every currency and at every size.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ResolvedDiscount } from '../../../rules/carts/discounts.ts'
import { price } from '../../../rules/carts/pricing.ts'
import type { GoodsInput, LineInput, Priced, PricingInput } from '../../../rules/carts/pricing-phases.ts'
import { OrderQuote } from '../../../rules/carts/quote.ts'
import { zoneOf } from '../../../rules/carts/zones.ts'
import { Zone } from '../../../rules/stores/markets.ts'
import { draws } from '../../kit/draws.ts'

const line = (id: string, amount: number, more: Partial<GoodsInput> = {}): LineInput => ({
  id,
  kind: 'product',
  product_id: `product-${id}`,
  variant_id: id,
  sku: null,
  name: null,
  quantity: 1,
  prices: [{ market: 'm', amount }],
  requires_shipping: true,
  taxable: true,
  active: true,
  pointer: `/product_items/${id}`,
  ...more,
})

const cash = { key: 'cash', type: 'cash' } as const
const card = { key: 'credit_card', type: 'card' } as const

const cart = ({
  market = {},
  ...more
}: Partial<Omit<PricingInput, 'market'>> & { market?: Partial<PricingInput['market']> }): PricingInput => ({
  market: {
    key: 'm',
    currency: 'USD',
    tax_mode: 'exclusive',
    zones: [Zone.parse({})],
    payment_methods: [cash, card],
    ...market,
  },
  lines: [],
  discounts: [],
  shipping_address: null,
  billing_address: null,
  shipping_method_id: null,
  ships_from_location: true,
  pickup_address: null,
  payment_method_key: null,
  for_checkout: false,
  ...more,
})

const priced = (input: PricingInput) => {
  const result = price(input)
  if (!result.ok) throw new Error(`${result.code} ${result.pointer}`)
  return result
}

const refusal = (result: Priced) => (result.ok ? 'ok' : `${result.code} ${result.pointer}`)

const standard = { id: 'standard', taxable: true, eta_text: '2 days', amount: 500 }

describe('Worked examples', () => {
  const one = (tax_mode: 'exclusive' | 'inclusive', tax_bps: number, amount: number, quantity: number) =>
    priced(cart({ market: { tax_mode, zones: [Zone.parse({ tax_bps })] }, lines: [line('a', amount, { quantity })] }))

  test('An inclusive tax of 4 % in 299 is 11', () => {
    const { quote, lines } = one('inclusive', 400, 299, 1)
    expect(quote.money).toEqual({
      currency: 'USD',
      subtotal: 299,
      discount: 0,
      shipping: 0,
      tax: { amount: 11, included: true },
      total: 299,
    })
    expect(lines[0]).toMatchObject({ unit_price: 299, subtotal: 299, discount: 0, tax: 11, total: 299 })
  })

  test('An exclusive tax of 19 % on 3 × 108 is 62, and the total is 386', () => {
    const { quote, lines } = one('exclusive', 1900, 108, 3)
    expect(quote.money).toEqual({
      currency: 'USD',
      subtotal: 324,
      discount: 0,
      shipping: 0,
      tax: { amount: 62, included: false },
      total: 386,
    })
    expect(lines[0]).toMatchObject({ unit_price: 108, quantity: 3, subtotal: 324, tax: 62, total: 386 })
  })

  test.each([
    [50, 100, 1],
    [49, 100, 0],
    [25, 200, 1],
  ])('Half a unit of tax rounds up: %d at %d bps is %d', (amount, bps, tax) => {
    expect(one('exclusive', bps, amount, 1).quote.money.tax?.amount).toBe(tax)
  })

  test('Tax is rounded per line, not on the total', () => {
    const zones = [Zone.parse({ tax_bps: 1000 })]
    const { quote } = priced(cart({ market: { zones }, lines: [line('a', 5), line('b', 5), line('c', 4)] }))
    expect(quote.money).toMatchObject({ subtotal: 14, tax: { amount: 2 }, total: 16 })
  })
})

describe('Discounts', () => {
  const lines = [line('c', 100), line('a', 100), line('b', 100)]
  const ids = ['a', 'b', 'c']
  const discounts = (...discounts: ResolvedDiscount[]) => priced(cart({ lines, discounts }))

  test('The remainder of a divided discount goes to the smallest ids, wherever they are', () => {
    const { lines } = discounts({ type: 'items_fixed', amount: 200, line_ids: ids })
    expect(lines.map(({ id, discount }) => [id, discount])).toEqual([
      ['c', 66],
      ['a', 67],
      ['b', 67],
    ])
  })

  test('Each discount applies to what the previous one left', () => {
    const { quote } = discounts(
      { type: 'items_percentage', bps: 5000, line_ids: ids },
      { type: 'items_percentage', bps: 5000, line_ids: ids },
    )
    expect(quote.money).toMatchObject({ subtotal: 300, discount: 225, total: 75 })
    const fixedFirst = discounts(
      { type: 'items_fixed', amount: 100, line_ids: ids },
      { type: 'items_percentage', bps: 1000, line_ids: ids },
    )
    expect(fixedFirst.quote.money.discount).toBe(120)
  })

  test('A discount changes eligible lines alone', () => {
    const { lines } = discounts({ type: 'items_fixed', amount: 1000, line_ids: ['a'] })
    expect(lines.map(({ discount }) => discount)).toEqual([0, 100, 0])
  })

  test('A discount of 100 % makes the total zero and needs no payment method', () => {
    const market = { zones: [Zone.parse({ tax_bps: 1900, shipping_methods: [standard] })] }
    const off: ResolvedDiscount[] = [
      { type: 'items_percentage', bps: 10_000, line_ids: ids },
      { type: 'shipping_percentage', bps: 10_000 },
    ]
    const { quote } = priced(
      cart({ market, lines, discounts: off, shipping_method_id: 'standard', for_checkout: true }),
    )
    expect(quote.money).toEqual({
      currency: 'USD',
      subtotal: 300,
      discount: 800,
      shipping: 500,
      tax: { amount: 0, included: false },
      total: 0,
    })
    expect(quote.payment_methods).toEqual([cash, card])
  })

  test('A discount on shipping lowers the shipping line, its tax and money.discount', () => {
    const market = { zones: [Zone.parse({ tax_bps: 1000, shipping_methods: [standard] })] }
    const result = priced(
      cart({
        market,
        lines: [line('a', 100)],
        shipping_method_id: 'standard',
        discounts: [{ type: 'shipping_percentage', bps: 2000 }],
      }),
    )
    expect(result.shipping_line).toMatchObject({
      shipping_method_id: 'standard',
      subtotal: 500,
      discount: 100,
      tax: 40,
      total: 440,
    })
    expect(result.quote.money).toMatchObject({
      subtotal: 100,
      discount: 100,
      shipping: 500,
      tax: { amount: 50 },
      total: 550,
    })
  })
})

describe('Shipping and zones', () => {
  const de = Zone.parse({
    countries: ['DE'],
    tax_bps: 1900,
    shipping_methods: [standard, { ...standard, id: 'untaxed', taxable: false }],
  })
  const market = { zones: [de] }
  const shipping_address = { country: 'DE' }
  const lines = [line('a', 1000)]

  test('Lines that ship are refused when the market has zones but none for the address', () => {
    expect(refusal(price(cart({ market, lines, shipping_address: { country: 'US' } })))).toBe(
      'zone_not_found /shipping_address',
    )
    expect(refusal(price(cart({ market, lines })))).toBe('zone_not_found /shipping_address')
    // The buyer may have chosen the wrong market.
    expect(price(cart({ market, lines, shipping_address: { country: 'US' } }))).toMatchObject({
      detail: 'Nothing is shipped to this address. Choose another address.',
    })
  })

  test('A market without zones ships anywhere, untaxed and free', () => {
    const { quote } = priced(cart({ market: { zones: [] }, lines, shipping_address: { country: 'US' } }))
    expect(quote.money).toMatchObject({ shipping: 0, tax: null, total: 1000 })
  })

  test('Tax is null if no zone of the market has any, or the deciding address is missing', () => {
    expect(priced(cart({ lines })).quote.money.tax).toBeNull()
    const untaxedHere = { zones: [de, Zone.parse({})] }
    expect(priced(cart({ market: untaxedHere, lines, shipping_address: { country: 'FR' } })).quote.money.tax).toEqual({
      amount: 0,
      included: false,
    })
    for (const tax_mode of ['exclusive', 'inclusive'] as const) {
      const taxedHere = priced(cart({ market: { zones: [de, Zone.parse({ tax_bps: 1000 })], tax_mode }, lines }))
      const { subtotal } = taxedHere.quote.money
      expect(taxedHere.quote.money).toMatchObject({ tax: null, total: subtotal })
      expect(taxedHere.lines.map(({ tax }) => tax)).toEqual(lines.map(() => 0))
    }
  })

  test('A quote lists shipping methods without choosing one, and a checkout needs one', () => {
    const { quote, shipping_line, ships } = priced(cart({ market, lines, shipping_address }))
    expect(quote.shipping_methods.map(({ id }) => id)).toEqual(['standard', 'untaxed'])
    expect({ shipping: quote.money.shipping, shipping_line, ships }).toEqual({
      shipping: 0,
      shipping_line: null,
      ships: true,
    })
    const checkout = cart({ market, lines, shipping_address, for_checkout: true, payment_method_key: 'cash' })
    expect(refusal(price(checkout))).toBe('shipping_method_required /shipping_method_id')
    expect(refusal(price({ ...checkout, shipping_method_id: 'untaxed' }))).toBe('ok')
  })

  test('A zone without shipping methods ships free, at checkout too', () => {
    const { quote } = priced(cart({ lines, for_checkout: true, payment_method_key: 'cash' }))
    expect(quote.money).toMatchObject({ shipping: 0, total: 1000 })
  })

  test('Shipping is taxed if its method is taxable', () => {
    const total = (shipping_method_id: string) =>
      priced(cart({ market, lines, shipping_address, shipping_method_id })).quote.money.total
    expect(total('standard')).toBe(1190 + 595)
    expect(total('untaxed')).toBe(1190 + 500)
  })

  test('An unknown shipping method, or one without a location to ship from, is refused', () => {
    expect(refusal(price(cart({ market, lines, shipping_address, shipping_method_id: 'drone' })))).toBe(
      'shipping_method_unknown /shipping_method_id',
    )
    const unconfigured = cart({
      market,
      lines,
      shipping_address,
      shipping_method_id: 'standard',
      ships_from_location: false,
    })
    expect(refusal(price(unconfigured))).toBe('location_not_configured /shipping_method_id')
  })

  test('Picked up items do not ship and are taxed at the pickup location', () => {
    const result = priced(
      cart({
        market,
        lines,
        shipping_address: { country: 'US' },
        pickup_address: { country: 'DE' },
        shipping_method_id: 'standard',
      }),
    )
    expect({ ships: result.ships, shipping: result.quote.money.shipping, tax: result.quote.money.tax?.amount }).toEqual(
      { ships: false, shipping: 0, tax: 190 },
    )
    expect(refusal(price(cart({ market, lines, pickup_address: {} })))).toBe(
      'pickup_location_not_configured /pickup_location_id',
    )
  })

  test('Digital lines do not ship, need no zone and are taxed at the billing address', () => {
    const digital = [line('d', 1000, { kind: 'digital' })]
    const nowhere = priced(cart({ market, lines: digital, shipping_method_id: 'standard' }))
    expect(nowhere.quote).toMatchObject({
      product_lines: [],
      shipping_methods: [],
      shipping_lines: [],
      money: { tax: null, total: 1000 },
    })
    expect(nowhere.quote.digital_lines).toHaveLength(1)
    const billed = priced(
      cart({ market, lines: digital, shipping_address: { country: 'US' }, billing_address: { country: 'DE' } }),
    )
    expect(billed.quote.money.tax?.amount).toBe(190)
  })

  describe('Checkouts of goods', () => {
    const [california, states] = [
      Zone.parse({ countries: ['US'], states: ['CA'], tax_bps: 725 }),
      Zone.parse({ countries: ['US'] }),
    ]
    const bought = (
      address: PricingInput['shipping_address'],
      more: Partial<PricingInput> = {},
      zones = [california, states],
    ) =>
      refusal(
        price(
          cart({
            market: { zones },
            lines,
            shipping_address: address,
            for_checkout: true,
            payment_method_key: 'cash',
            ...more,
          }),
        ),
      )
    const refused = 'zone_not_found /shipping_address'

    test('A checkout is refused while a missing address field selects a cheaper zone', () => {
      expect(bought({ country: 'US' })).toBe(refused)
      expect(bought({ country: 'US' }, { for_checkout: false })).toBe('ok')
      for (const state of ['CA', 'NV']) expect(bought({ country: 'US', state })).toBe('ok')
      expect(bought({ country: 'US' }, {}, [states])).toBe('ok')
      const untaxed = [line('a', 1000, { taxable: false })]
      expect(bought({ country: 'US' }, { lines: untaxed })).toBe('ok')
      // The method is the cheaper zone's, and so is its tax.
      const zones = [california, Zone.parse({ ...states, shipping_methods: [standard] })]
      expect(bought({ country: 'US' }, { lines: untaxed, shipping_method_id: 'standard' }, zones)).toBe(refused)
      expect(bought({ country: 'US', state: 'NV' }, { lines: untaxed, shipping_method_id: 'standard' }, zones)).toBe(
        'ok',
      )
    })

    test('A checkout of picked up items needs no more address than the pickup location has', () => {
      const file = line('d', 1000, { kind: 'digital' })
      for (const picked of [lines, [...lines, file]])
        expect(bought(null, { lines: picked, pickup_address: { country: 'US' } })).toBe('ok')
      // Nothing of it is picked up.
      expect(bought(null, { lines: [file], pickup_address: { country: 'US' } })).toBe('zone_not_found /billing_address')
    })
  })

  describe('Checkouts of taxable lines that are not shipped', () => {
    const fr = Zone.parse({ countries: ['FR'], tax_bps: 2000 })
    const california = Zone.parse({ countries: ['US'], states: ['CA'], tax_bps: 725 })
    const everywhere = Zone.parse({})
    const file = line('d', 1000, { kind: 'digital' })
    const time: LineInput = {
      ...{
        id: 't',
        kind: 'booking',
        service_id: 's',
        provider_id: 'p',
        service_key: 's',
        provider_key: 'p',
        slots: [{ from: 0, to: 60 }],
      },
      ...{
        quantity: 1,
        prices: [{ market: 'm', amount: 1000 }],
        taxable: true,
        active: true,
        pointer: '/booking_items/0',
      },
    }
    const bought = (
      zones: Zone[],
      billing_address: PricingInput['billing_address'],
      more: Partial<PricingInput> = {},
    ) =>
      refusal(
        price(
          cart({
            market: { zones },
            lines: [file],
            billing_address,
            for_checkout: true,
            payment_method_key: 'cash',
            ...more,
          }),
        ),
      )
    const refused = 'zone_not_found /billing_address'

    test('A checkout is refused without the address that decides its tax, but a quote is not', () => {
      for (const lines of [[file], [time], [line('h', 1000, { requires_shipping: false })]]) {
        expect(bought([de, fr], null, { lines })).toBe(refused)
        expect(bought([de, fr], { city: 'Berlin' }, { lines })).toBe(refused)
        expect(bought([de, fr], null, { lines, for_checkout: false })).toBe('ok')
        expect(bought([de, fr], { country: 'DE' }, { lines })).toBe('ok')
        expect(bought([de, fr], null, { lines, shipping_address: { country: 'DE' } })).toBe('ok')
      }
      expect(bought([de, everywhere], null)).toBe(refused)
      expect(bought([california], { country: 'US' })).toBe(refused)
      expect(
        bought(
          [Zone.parse({ countries: ['ES'], tax_bps: 2100 }), Zone.parse({ countries: ['ES'], postal_codes: ['35*'] })],
          { country: 'ES' },
        ),
      ).toBe(refused)
    })

    test('A checkout needs no address if the market has one rate or none, or nothing is taxed', () => {
      expect(bought([Zone.parse({ tax_bps: 1900 })], null)).toBe('ok')
      expect(bought([], null)).toBe('ok')
      expect(bought([Zone.parse({ countries: ['DE'] }), everywhere], null)).toBe('ok')
      expect(bought([de, fr], null, { lines: [line('d', 1000, { kind: 'digital', taxable: false })] })).toBe('ok')
      expect(bought([de, fr], null, { lines: [line('d', 0, { kind: 'digital' })] })).toBe('ok')
      expect(bought([de, fr], null, { discounts: [{ type: 'items_percentage', bps: 10_000, line_ids: ['d'] }] })).toBe(
        'ok',
      )
    })

    test('A checkout to a country without a zone is untaxed and needs no further fields', () => {
      expect(bought([de, california], { country: 'AT' })).toBe('ok')
      expect(bought([de, california], { country: 'US', state: 'NV' })).toBe('ok')
      expect(bought([Zone.parse({ countries: ['US'], tax_bps: 725 }), california], { country: 'US' })).toBe('ok')
    })

    test('A checkout is refused exactly if some completion of its address has another tax rate', () => {
      const codes = ['DE', 'US']
      const [states, postal_codes] = [
        ['CA', 'NV'],
        ['1', '2'],
      ]
      const zones = fc.array(
        fc.record({
          countries: fc.subarray(codes),
          states: fc.subarray(states),
          postal_codes: fc.subarray(['1', '2', '*']),
          tax_bps: fc.constantFrom(0, 725, 1900),
        }),
        { maxLength: 4 },
      )
      const given = fc.record(
        {
          country: fc.constantFrom(...codes),
          state: fc.constantFrom(...states),
          postal_code: fc.constantFrom(...postal_codes),
        },
        { requiredKeys: [] },
      )
      const rate = (address: PricingInput['billing_address'], of: Zone[]) => zoneOf(address, of)?.tax_bps ?? 0
      fc.assert(
        fc.property(zones, given, (drawn, address) => {
          const of = drawn.map((one) => Zone.parse(one))
          // `XX` and the like stand for every value that no zone names.
          const all = [...codes, 'XX'].flatMap((country) =>
            [...states, 'XX'].flatMap((state) =>
              [...postal_codes, 'XX'].map((postal_code) => ({ country, state, postal_code, ...address })),
            ),
          )
          const differs = all.some((one) => rate(one, of) !== rate(address, of))
          if (differs) expect(bought(of, address)).toBe(refused)
          for (const one of all) expect(bought(of, one)).toBe('ok')
        }),
        { numRuns: draws(250) },
      )
    })
  })

  test('A line that is not taxable has no tax', () => {
    expect(
      priced(cart({ market, lines: [line('a', 1000, { taxable: false })], shipping_address })).quote.money.tax?.amount,
    ).toBe(0)
  })
})

test('A line without a price in the market, or with one in another currency, is refused', () => {
  expect(refusal(price(cart({ lines: [line('a', 1, { prices: [{ market: 'other', amount: 1 }] })] })))).toBe(
    'price_missing /product_items/a',
  )
  expect(
    refusal(price(cart({ lines: [line('a', 1, { prices: [{ market: 'm', currency: 'EUR', amount: 1 }] })] }))),
  ).toBe('price_missing /product_items/a')
})

test('A product that is not active is refused', () => {
  expect(refusal(price(cart({ lines: [line('a', 1, { active: false })] })))).toBe('product_not_active /product_items/a')
})

test('An empty cart can be quoted but not checked out', () => {
  expect(priced(cart({})).quote.money.total).toBe(0)
  expect(refusal(price(cart({ for_checkout: true })))).toBe('cart_empty /product_items')
})

test('An unknown payment method is refused, and so is a checkout without one', () => {
  expect(refusal(price(cart({ lines: [line('a', 1)], payment_method_key: 'shells' })))).toBe(
    'payment_method_unknown /payment_method_key',
  )
  expect(refusal(price(cart({ lines: [line('a', 1)], for_checkout: true })))).toBe(
    'payment_method_required /payment_method_key',
  )
})

test('A total beyond safe integers is refused', () => {
  const most = Number.MAX_SAFE_INTEGER
  expect(priced(cart({ lines: [line('a', most)] })).quote.money.total).toBe(most)
  expect(refusal(price(cart({ lines: [line('a', most), line('b', 1)] })))).toBe('amount_too_large /product_items')
  expect(refusal(price(cart({ market: { zones: [Zone.parse({ tax_bps: 1 })] }, lines: [line('a', most)] })))).toBe(
    'amount_too_large /product_items',
  )
  expect(refusal(price(cart({ lines: [line('a', most, { quantity: 1_000_000 })] })))).toBe(
    'amount_too_large /product_items',
  )
})

describe('Card minimum', () => {
  const total = (currency: string, amount: number, more: Partial<PricingInput> = {}) =>
    cart({ market: { currency }, lines: [line('a', amount)], ...more })

  test.each([
    ['USD', 50],
    ['GBP', 30],
    ['JPY', 50],
    ['HUF', 17_500],
  ])('In %s a card takes %d and no less, and cash takes any amount', (currency, minimum) => {
    expect(priced(total(currency, minimum)).quote.payment_methods).toEqual([cash, card])
    const below = priced(total(currency, minimum - 1, { payment_method_key: 'credit_card' }))
    expect({ methods: below.quote.payment_methods, key: below.quote.payment_method_key }).toEqual({
      methods: [cash],
      key: null,
    })
    const checkout = { for_checkout: true, payment_method_key: 'credit_card' }
    expect(refusal(price(total(currency, minimum - 1, checkout)))).toBe('card_total_too_small /payment_method_key')
    expect(priced(total(currency, minimum, checkout)).payment_method).toEqual(card)
    expect(
      priced(total(currency, minimum - 1, { for_checkout: true, payment_method_key: 'cash' })).payment_method,
    ).toEqual(cash)
  })
})

describe('Random carts', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  const amounts = fc.oneof(
    fc.constantFrom(99, 100),
    fc.nat(1000),
    fc.nat(10_000_000),
    fc.integer({ min: 2 ** 49, max: 2 ** 50 }),
  )
  const lines = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom(...ids),
      amount: amounts,
      quantity: fc.constantFrom(1, 1, 2, 3),
      taxable: fc.boolean(),
      kind: fc.constantFrom('product' as const, 'digital' as const),
    }),
    { selector: ({ id }) => id, maxLength: 6 },
  )
  const line_ids = fc.subarray(ids)
  const discount: fc.Arbitrary<ResolvedDiscount> = fc.oneof(
    fc.record({ type: fc.constant('items_percentage' as const), bps: fc.nat(10_000), line_ids }),
    fc.record({ type: fc.constant('items_fixed' as const), amount: amounts, line_ids }),
    fc.record({ type: fc.constant('shipping_percentage' as const), bps: fc.nat(10_000) }),
  )
  const carts = fc
    .record({
      lines,
      discounts: fc.array(discount, { maxLength: 4 }),
      tax_bps: fc.oneof(fc.constant(0), fc.nat(3000), fc.nat(100_000)),
      tax_mode: fc.constantFrom('exclusive' as const, 'inclusive' as const),
      currency: fc.constantFrom('USD', 'JPY', 'KWD', 'EUR'),
      shipping: fc.option(fc.record({ amount: amounts, taxable: fc.boolean() })),
    })
    .map(({ lines, discounts, tax_bps, tax_mode, currency, shipping }) => {
      const methods = shipping ? [{ id: 's', eta_text: '', ...shipping }] : []
      return cart({
        market: { tax_mode, currency, zones: [Zone.parse({ tax_bps, shipping_methods: methods })] },
        lines: lines.map(({ id, amount, ...more }) => line(id, amount, more)),
        discounts,
        shipping_method_id: shipping && lines.some(({ kind }) => kind === 'product') ? 's' : null,
      })
    })

  /** The amounts of a quote that is not refused for its size. */
  const holds = (check: (input: PricingInput, result: Priced & { ok: true }) => void) =>
    fc.assert(
      fc.property(carts, (input) => {
        const result = price(input)
        if (result.ok) check(input, result)
        else expect(result.code).toBe('amount_too_large')
      }),
      { numRuns: draws(250) },
    )

  const total = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)

  test('For any cart, lines and shipping add up to the money exactly', () => {
    holds((_, { quote: { money }, lines, shipping_line }) => {
      const all = [...lines, ...(shipping_line ? [shipping_line] : [])]
      expect(total(lines.map(({ subtotal }) => subtotal))).toBe(BigInt(money.subtotal))
      expect(total(all.map(({ discount }) => discount))).toBe(BigInt(money.discount))
      expect(total(all.map(({ tax }) => tax))).toBe(BigInt(money.tax?.amount ?? 0))
      expect(total(all.map((one) => one.total))).toBe(BigInt(money.total))
      const added = money.tax && !money.tax.included ? money.tax.amount : 0
      expect(BigInt(money.subtotal) - BigInt(money.discount) + BigInt(money.shipping) + BigInt(added)).toBe(
        BigInt(money.total),
      )
    })
  })

  test('For any cart, each line is price × quantity, and no amount is negative or inexact', () => {
    holds((_, { lines, shipping_line, quote }) => {
      for (const one of lines) expect(BigInt(one.unit_price) * BigInt(one.quantity)).toBe(BigInt(one.subtotal))
      for (const { subtotal, discount, tax, total } of [...lines, ...(shipping_line ? [shipping_line] : [])]) {
        for (const amount of [subtotal, discount, tax, total])
          expect(Number.isSafeInteger(amount) && amount >= 0).toBe(true)
        expect(discount).toBeLessThanOrEqual(subtotal)
      }
      expect(OrderQuote.parse(quote)).toEqual(quote)
    })
  })

  test('For any cart, a single discount of the items is divided without loss', () => {
    holds((input) => {
      for (const discount of input.discounts) {
        const result = price({ ...input, discounts: [discount] })
        if (!result.ok || discount.type === 'shipping_percentage') continue
        const eligible = result.lines.filter(({ id }) => discount.line_ids.includes(id))
        const whole = total(eligible.map(({ subtotal }) => subtotal))
        const percent =
          discount.type === 'items_percentage'
            ? (whole * BigInt(discount.bps) + 5000n) / 10_000n
            : BigInt(discount.amount)
        expect(total(result.lines.map((one) => one.discount))).toBe(percent < whole ? percent : whole)
        for (const one of eligible) {
          const exact = whole === 0n ? 0 : Number((BigInt(one.subtotal) * (percent < whole ? percent : whole)) / whole)
          expect(one.discount - exact === 0 || one.discount - exact === 1).toBe(true)
        }
      }
    })
  })

  test('For any cart, tax equals the rate of each line after its discount', () => {
    holds(({ market, lines: asked }, { lines }) => {
      const bps = BigInt(market.zones[0]?.tax_bps ?? 0)
      for (const [at, one] of lines.entries()) {
        const base = BigInt(one.subtotal) - BigInt(one.discount)
        if (!asked[at]?.taxable) {
          expect([one.tax, BigInt(one.total)]).toEqual([0, base])
          continue
        }
        const [net, gross] =
          market.tax_mode === 'inclusive' ? [base - BigInt(one.tax), base] : [base, base + BigInt(one.tax)]
        expect(BigInt(one.total)).toBe(gross)
        // Within half a unit of the exact value: |net × (10000 + bps) − gross × 10000| is the error, scaled.
        const error =
          market.tax_mode === 'inclusive'
            ? net * (10_000n + bps) - gross * 10_000n
            : BigInt(one.tax) * 10_000n - base * bps
        const half = market.tax_mode === 'inclusive' ? 10_000n + bps : 10_000n
        expect(2n * error > -half && 2n * error <= half).toBe(true)
      }
    })
  })

  test('For any cart, the order of the lines changes no amount', () => {
    fc.assert(
      fc.property(carts, fc.infiniteStream(fc.nat()), (input, random) => {
        const shuffled = input.lines
          .map((one) => ({ one, at: random.next().value ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one)
        const [a, b] = [price(input), price({ ...input, lines: shuffled })]
        if (!a.ok || !b.ok) return expect(a).toEqual(b)
        expect(b.quote.money).toEqual(a.quote.money)
        expect(new Map(b.lines.map((one) => [one.id, one]))).toEqual(new Map(a.lines.map((one) => [one.id, one])))
      }),
    )
  })

  test('For any cart, pricing does not modify its input and is repeatable', () => {
    fc.assert(
      fc.property(carts, (input) => {
        const before = structuredClone(input)
        expect(price(input)).toEqual(price(input))
        expect(input).toEqual(before)
      }),
    )
  })
})
