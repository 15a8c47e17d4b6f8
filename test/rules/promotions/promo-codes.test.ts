// A promo code applies its discounts when its conditions hold, never below zero, and otherwise returns the reason.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ResolvedDiscount } from '../../../rules/carts/discounts.ts'
import { price } from '../../../rules/carts/pricing.ts'
import type { LineInput } from '../../../rules/carts/pricing-phases.ts'
import { cardMinimum } from '../../../rules/payments/currencies.ts'
import { cardStep } from '../../../rules/payments/provider-amounts.ts'
import type { Condition, Discount } from '../../../rules/promotions/promo-code-shapes.ts'
import {
  codeKey,
  evaluateMembershipCode,
  evaluatePromoCode,
  type Membership,
  type MembershipPrice,
  maxUsesOf,
  maxUsesPerUserOf,
  type PromoFacts,
  type PromoLine,
} from '../../../rules/promotions/promo-codes.ts'
import { Zone } from '../../../rules/stores/markets.ts'

const now = 1_800_000_000
const tenOff: Discount = { type: 'items_percentage', market_key: 'm', bps: 1000 }
const facts = (more: Partial<PromoFacts> = {}): PromoFacts => ({
  status: 'active',
  discounts: [tenOff],
  conditions: [],
  uses: 0,
  contact_uses: 0,
  ...more,
})

const tea: PromoLine = { id: 'tea', kind: 'product', product_id: 'p-tea', subtotal: 1000 }
const song: PromoLine = { id: 'song', kind: 'digital', product_id: 'p-song', subtotal: 300 }
const cut: PromoLine = { id: 'cut', kind: 'booking', service_id: 's-cut', subtotal: 700 }
const all = [tea, song, cut]

type Asked = {
  code?: Partial<PromoFacts> | null
  lines?: PromoLine[]
  memberships?: Membership[]
  market_key?: string
  at?: number
}
const evaluate = ({ code = {}, lines = all, memberships = [], market_key = 'm', at = now }: Asked = {}) =>
  evaluatePromoCode({ code: code && facts(code), market_key, lines, memberships, now: at })
const reason = (asked: Asked) => {
  const verdict = evaluate(asked)
  return verdict.ok ? 'ok' : verdict.code.replace('promo_code_', '')
}
const given = (asked: Asked): ResolvedDiscount[] => {
  const verdict = evaluate(asked)
  if (!verdict.ok) throw new Error(verdict.detail)
  return verdict.discounts
}
const on = (...conditions: Condition[]) => ({ conditions })
const eligible = (...conditions: Condition[]) => {
  const verdict = evaluate({ code: on(...conditions) })
  return verdict.ok
    ? verdict.discounts.flatMap((one) => (one.type === 'shipping_percentage' ? [] : one.line_ids))
    : verdict.code
}

test('A code that is unknown or archived is invalid', () => {
  expect([reason({ code: null }), reason({ code: { status: 'archived' } }), reason({})]).toEqual([
    'invalid',
    'invalid',
    'ok',
  ])
})

test.each([
  [{ start: now }, 'ok'],
  [{ start: now + 1 }, 'not_applicable'],
  [{ end: now }, 'ok'],
  [{ end: now - 1 }, 'expired'],
  [{ start: now, end: now }, 'ok'],
  [{ start: null, end: null }, 'ok'],
  [{}, 'ok'],
] as const)('A date range includes both of its ends: %j is %s', (range, expected) => {
  expect(reason({ code: on({ type: 'date_range', ...range }) })).toBe(expected)
})

test.each([
  [{ uses: 1 }, 'ok'],
  [{ uses: 2 }, 'exhausted'],
  [{ uses: 3 }, 'exhausted'],
  [{ uses: 0, contact_uses: 1 }, 'exhausted'],
])('A code is exhausted at its limits of uses: %j is %s', (used, expected) => {
  const conditions: Condition[] = [
    { type: 'max_uses', count: 5 },
    { type: 'max_uses', count: 2 },
    { type: 'max_uses_per_user', count: 1 },
  ]
  expect(reason({ code: { conditions, ...used } })).toBe(expected)
})

test('The smallest limit of uses applies, and without a condition there is none', () => {
  const conditions: Condition[] = [
    { type: 'max_uses', count: 5 },
    { type: 'max_uses', count: 2 },
    { type: 'max_uses_per_user', count: 7 },
  ]
  expect([maxUsesOf(conditions), maxUsesPerUserOf(conditions)]).toEqual([2, 7])
  expect([maxUsesOf([]), maxUsesPerUserOf([])]).toEqual([null, null])
  expect(reason({ code: { uses: 1_000_000, contact_uses: 1_000_000 } })).toBe('ok')
})

test('The condition min_order_amount compares the total of all lines before discounts', () => {
  expect(reason({ code: on({ type: 'min_order_amount', amount: 2000 }) })).toBe('ok')
  expect(reason({ code: on({ type: 'min_order_amount', amount: 2001 }) })).toBe('not_applicable')
  expect(eligible({ type: 'min_order_amount', amount: 2000 }, { type: 'products', product_ids: ['p-song'] })).toEqual([
    'song',
  ])
})

test('A refused code returns the first reason of invalid, expired, exhausted, not_applicable', () => {
  const over: Condition = { type: 'date_range', end: now - 1 }
  const used: Condition = { type: 'max_uses', count: 1 }
  const small: Condition = { type: 'min_order_amount', amount: 1_000_000 }
  const conditions = [small, used, over]
  expect(reason({ code: { status: 'archived', conditions, uses: 1 } })).toBe('invalid')
  expect(reason({ code: { conditions, uses: 1 } })).toBe('expired')
  expect(reason({ code: { conditions: [small, used, { type: 'date_range', start: now + 1 }], uses: 1 } })).toBe(
    'exhausted',
  )
  expect(reason({ code: { conditions: [small, used] } })).toBe('not_applicable')
})

test('A refused code returns a sentence for the buyer', () => {
  for (const asked of [
    { code: null },
    { market_key: 'other' },
    { lines: [] },
    { code: on({ type: 'date_range', start: now + 1 }) },
  ] as Asked[])
    expect(evaluate(asked)).toMatchObject({ ok: false, detail: expect.stringMatching(/^[A-Z].*\.$/) })
})

test.each([
  ['neither: everything', [], ['tea', 'song', 'cut']],
  [
    'products: goods that are named, physical or digital',
    [{ type: 'products', product_ids: ['p-tea', 'p-song', 's-cut'] }],
    ['tea', 'song'],
  ],
  ['services: bookings of those that are named', [{ type: 'services', service_ids: ['s-cut', 'p-tea'] }], ['cut']],
  [
    'both: the two together',
    [
      { type: 'products', product_ids: ['p-tea'] },
      { type: 'services', service_ids: ['s-cut'] },
    ],
    ['tea', 'cut'],
  ],
  [
    'two conditions of one kind: the intersection',
    [
      { type: 'products', product_ids: ['p-tea', 'p-song'] },
      { type: 'products', product_ids: ['p-song'] },
    ],
    ['song'],
  ],
  [
    'twice with nothing in common: nothing',
    [
      { type: 'products', product_ids: ['p-tea'] },
      { type: 'products', product_ids: ['p-song'] },
    ],
    'promo_code_not_applicable',
  ],
  [
    'something that is not in the cart: nothing',
    [{ type: 'products', product_ids: ['p-none'] }],
    'promo_code_not_applicable',
  ],
] as [string, Condition[], string[] | string][])(
  'Conditions on products and services apply as documented: %s',
  (_, conditions, expected) => {
    expect(eligible(...conditions)).toEqual(expected)
  },
)

test('A discount on shipping needs an eligible line too', () => {
  const discounts: Discount[] = [{ type: 'shipping_percentage', market_key: 'm', bps: 5000 }]
  expect(given({ code: { discounts, ...on({ type: 'products', product_ids: ['p-tea'] }) } })).toEqual([
    { type: 'shipping_percentage', bps: 5000 },
  ])
  expect(reason({ code: { discounts, ...on({ type: 'products', product_ids: ['p-none'] }) } })).toBe('not_applicable')
  expect(reason({ code: { discounts }, lines: [] })).toBe('not_applicable')
})

describe('Discounts', () => {
  const discounts: Discount[] = [
    { type: 'items_fixed', market_key: 'm', amount: 5 },
    { type: 'items_fixed', market_key: 'eu', amount: 4 },
    { type: 'shipping_percentage', market_key: 'm', bps: 1 },
    tenOff,
  ]

  test('Discounts of the market apply in their order', () => {
    const line_ids = ['tea', 'song', 'cut']
    expect(given({ code: { discounts } })).toEqual([
      { type: 'items_fixed', amount: 5, line_ids },
      { type: 'shipping_percentage', bps: 1 },
      { type: 'items_percentage', bps: 1000, line_ids },
    ])
    expect(given({ code: { discounts }, market_key: 'eu' })).toEqual([{ type: 'items_fixed', amount: 4, line_ids }])
    expect(reason({ code: { discounts }, market_key: 'other' })).toBe('not_applicable')
  })

  test.each([
    ['no member', [], [], [], false],
    ['a member of another audience', [{ audience_id: 'other', tier_id: 't', price_id: 'p' }], [], [], false],
    ['a member', [{ audience_id: 'a', tier_id: null, price_id: null }], [], [], true],
    ['a member of a named tier', [{ audience_id: 'a', tier_id: 't', price_id: null }], ['s', 't'], [], true],
    ['a member of another tier', [{ audience_id: 'a', tier_id: 'u', price_id: null }], ['s', 't'], [], false],
    ['a member of no tier', [{ audience_id: 'a', tier_id: null, price_id: null }], ['s'], [], false],
    ['a member at a named price', [{ audience_id: 'a', tier_id: null, price_id: 'p' }], [], ['p'], true],
    ['a member at no price', [{ audience_id: 'a', tier_id: null, price_id: null }], [], ['p'], false],
    [
      'a tier here and a price there',
      [
        { audience_id: 'a', tier_id: 't', price_id: null },
        { audience_id: 'a', tier_id: null, price_id: 'p' },
      ],
      ['t'],
      ['p'],
      false,
    ],
    ['both at once', [{ audience_id: 'a', tier_id: 't', price_id: 'p' }], ['t'], ['p'], true],
  ] as [string, Membership[], string[], string[], boolean][])(
    'A discount for an audience applies to its members in every market: %s',
    (_, memberships, tier_ids, price_ids, fits) => {
      const code = {
        discounts: [{ type: 'audience_percentage', audience_id: 'a', tier_ids, price_ids, bps: 2000 } as const],
      }
      for (const market_key of ['m', 'other']) {
        expect(evaluate({ code, memberships, market_key })).toMatchObject(
          fits
            ? { ok: true, discounts: [{ type: 'items_percentage', bps: 2000, line_ids: ['tea', 'song', 'cut'] }] }
            : { ok: false, code: 'promo_code_not_applicable' },
        )
      }
    },
  )

  test('A buyer outside the audience gets the discounts for everyone', () => {
    const members: Discount = { type: 'audience_percentage', audience_id: 'a', tier_ids: [], price_ids: [], bps: 2000 }
    expect(given({ code: { discounts: [members, tenOff] } })).toMatchObject([{ bps: 1000 }])
  })
})

test('Codes are compared without case, surrounding spaces and Unicode form', () => {
  expect(new Set([' Summer10', 'SUMMER10\n', 'sumMer10'].map(codeKey))).toEqual(new Set(['SUMMER10']))
  expect(codeKey('cafe\u0301')).toBe(codeKey('CAF\u00c9'))
  expect(codeKey('οδος')).toBe(codeKey('ΟΔΟΣ'))
  expect(codeKey(codeKey('\u0390'))).toBe(codeKey('\u0390'))
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => codeKey(codeKey(text)) === codeKey(text)))
})

describe('Priced carts', () => {
  const shipping = { id: 'post', taxable: true, eta_text: '', amount: 500 }
  const cart = fc.uniqueArray(
    fc.record({
      id: fc.string({ minLength: 1, maxLength: 4 }),
      amount: fc.nat(1_000_000),
      quantity: fc.integer({ min: 1, max: 20 }),
      digital: fc.boolean(),
    }),
    { selector: ({ id }) => id, minLength: 1, maxLength: 8 },
  )
  type Cart = typeof cart extends fc.Arbitrary<infer C> ? C : never
  const discount = fc.oneof(
    fc.record({
      type: fc.constant('items_percentage' as const),
      market_key: fc.constant('m'),
      bps: fc.integer({ min: 1, max: 10_000 }),
    }),
    fc.record({
      type: fc.constant('items_fixed' as const),
      market_key: fc.constant('m'),
      amount: fc.integer({ min: 1, max: 5_000_000 }),
    }),
    fc.record({
      type: fc.constant('shipping_percentage' as const),
      market_key: fc.constant('m'),
      bps: fc.integer({ min: 1, max: 10_000 }),
    }),
  )
  const kindOf = ({ digital }: { digital: boolean }) => (digital ? 'digital' : 'product')
  const promoLines = (lines: Cart): PromoLine[] =>
    lines.map((line) => ({
      id: line.id,
      kind: kindOf(line),
      product_id: line.id,
      subtotal: line.amount * line.quantity,
    }))
  const moneyOf = (lines: Cart, discounts: readonly Discount[], conditions: readonly Condition[] = []) => {
    const verdict = evaluate({ code: { discounts, conditions }, lines: promoLines(lines) })
    const inputs = lines.map(
      (line): LineInput => ({
        ...{
          id: line.id,
          product_id: line.id,
          variant_id: line.id,
          sku: null,
          name: null,
          kind: kindOf(line),
          quantity: line.quantity,
        },
        ...{
          prices: [{ market: 'm', amount: line.amount }],
          requires_shipping: true,
          taxable: true,
          active: true,
          pointer: '',
        },
      }),
    )
    const zones = [Zone.parse({ tax_bps: 1900, shipping_methods: [shipping] })]
    const priced = price({
      market: { key: 'm', currency: 'USD', tax_mode: 'exclusive', zones, payment_methods: [] },
      lines: inputs,
      discounts: verdict.ok ? verdict.discounts : [],
      ...{
        shipping_address: null,
        billing_address: null,
        shipping_method_id: 'post',
        ships_from_location: true,
        pickup_address: null,
      },
      ...{ payment_method_key: null, for_checkout: false },
    })
    if (!priced.ok) throw new Error(priced.detail)
    return { money: priced.quote.money, lines: priced.lines }
  }

  test('A discount of 100 % on items and shipping makes the total zero', () => {
    const everything: Discount[] = [
      { type: 'items_percentage', market_key: 'm', bps: 10_000 },
      { type: 'shipping_percentage', market_key: 'm', bps: 10_000 },
    ]
    fc.assert(fc.property(cart, (lines) => moneyOf(lines, everything).money.total === 0))
  })

  test('Discounts never make an amount negative and never touch ineligible lines', () => {
    fc.assert(
      fc.property(cart, fc.array(discount, { minLength: 1, maxLength: 6 }), fc.nat(), (lines, discounts, pick) => {
        const only = lines[pick % lines.length]?.id as string
        const { money, lines: after } = moneyOf(lines, discounts, [{ type: 'products', product_ids: [only] }])
        expect(money.total).toBeGreaterThanOrEqual(0)
        expect(money.discount).toBeLessThanOrEqual(money.subtotal + money.shipping)
        for (const line of after) {
          expect(line.discount).toBeLessThanOrEqual(line.id === only ? line.subtotal : 0)
          expect(line.total).toBeGreaterThanOrEqual(0)
        }
      }),
    )
  })

  test('The order of lines does not change discounts', () => {
    const shuffled = cart.chain((lines) =>
      fc.tuple(fc.constant(lines), fc.shuffledSubarray(lines, { minLength: lines.length })),
    )
    fc.assert(
      fc.property(shuffled, fc.array(discount, { minLength: 1, maxLength: 6 }), ([lines, others], discounts) => {
        const [one, other] = [moneyOf(lines, discounts), moneyOf(others, discounts)]
        expect(other.money).toEqual(one.money)
        const byId = (list: typeof one.lines) => Object.fromEntries(list.map((line) => [line.id, line]))
        expect(byId(other.lines)).toEqual(byId(one.lines))
      }),
    )
  })

  test('Each discount applies to what the previous ones left, in order', () => {
    const line = [{ id: 'a', amount: 1000, quantity: 1, digital: true }]
    const fixed: Discount = { type: 'items_fixed', market_key: 'm', amount: 500 }
    expect(moneyOf(line, [tenOff, fixed]).money.discount).toBe(600)
    expect(moneyOf(line, [fixed, tenOff]).money.discount).toBe(550)
    expect(moneyOf(line, [tenOff, { ...fixed, amount: 5000 }]).money).toMatchObject({ discount: 1000, total: 0 })
  })
})

describe('Codes for memberships', () => {
  const half: Discount = { type: 'audience_percentage', audience_id: 'club', tier_ids: [], price_ids: [], bps: 5000 }
  const monthly: MembershipPrice = {
    audience_id: 'club',
    tier_id: 'gold',
    price_id: 'monthly',
    amount: 900,
    currency: 'USD',
  }
  const taken = (code: Partial<PromoFacts>, terms: Partial<MembershipPrice> = {}) => {
    const verdict = evaluateMembershipCode({
      code: facts({ discounts: [half], ...code }),
      price: { ...monthly, ...terms },
      now,
    })
    return verdict.ok ? verdict.discount : verdict.code.replace('promo_code_', '')
  }

  test('Only discounts of the audience, the tier and the price are taken off, one after the other', () => {
    expect(taken({})).toBe(450)
    expect(
      taken({ discounts: [half, { ...half, tier_ids: ['gold'], price_ids: ['monthly'], applies_to: 'membership' }] }),
    ).toBe(675)
    for (const other of [
      { audience_id: 'other' },
      { tier_ids: ['silver'] },
      { price_ids: ['yearly'] },
      { applies_to: 'items' as const },
    ])
      expect(taken({ discounts: [{ ...half, ...other }, tenOff] })).toBe('not_applicable')
    expect(taken({}, { amount: 0 })).toBe('not_applicable')
  })

  test('Conditions hold at subscribe as in carts, and products and services fit no membership', () => {
    expect(taken(on({ type: 'min_order_amount', amount: 900 }))).toBe(450)
    expect(taken(on({ type: 'min_order_amount', amount: 901 }))).toBe('not_applicable')
    expect(taken({ ...on({ type: 'max_uses', count: 2 }), uses: 2 })).toBe('exhausted')
    expect(taken({ ...on({ type: 'max_uses_per_user', count: 1 }), contact_uses: 1 })).toBe('exhausted')
    expect(taken(on({ type: 'date_range', end: now - 1 }))).toBe('expired')
    expect(taken(on({ type: 'products', product_ids: ['p-tea'] }))).toBe('not_applicable')
    expect(taken(on({ type: 'services', service_ids: ['s-cut'] }))).toBe('not_applicable')
    expect(taken({ status: 'archived' })).toBe('invalid')
  })

  test('What a code leaves is 0 or can be charged to a card', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 9_000 }),
        fc.constantFrom('USD', 'JPY', 'KWD', 'MGA', 'HUF'),
        (bps, units, currency) => {
          const amount = units * cardStep(currency)
          const off = taken({ discounts: [{ ...half, bps }] }, { amount, currency })
          if (typeof off === 'string') return expect(off).toBe('card_total_too_small')
          const left = amount - off
          expect([off >= 0, left % cardStep(currency), left === 0 || left >= cardMinimum(currency)]).toEqual([
            true,
            0,
            true,
          ])
          expect(left - (amount * (10_000 - bps)) / 10_000).toBeLessThan(cardStep(currency))
        },
      ),
    )
  })
})
