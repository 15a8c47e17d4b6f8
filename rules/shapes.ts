// What is stored, priced or answered in more than one place has its shape here, once.
import { z } from 'zod'
import { countryOf } from './countries.ts'
import { isCurrency } from './currencies.ts'
import { Key } from './identities.ts'

/**
 * Accepts a word of the enum in any case and gives it back as the enum writes it (design: status words are accepted in any case).
 * Its JSON schema, for input too, is the enum's.
 */
export const anyCase = <T extends Record<string, string>>(words: z.ZodEnum<T>) =>
  z.preprocess((value: T[keyof T]) => {
    if (typeof value !== 'string') return value
    const asked = value.toLowerCase()
    return words.options.find((word) => word.toLowerCase() === asked) ?? value
  }, words)

/** A reference to a record of ours: any UUID, in lower case as PostgreSQL writes it. */
export const Id = z.guid().toLowerCase()

/** Minor units of the market's currency, never negative (API document 1, Conventions). */
export const Amount = z.int().min(0)

/** ISO 4217, accepted in any case. */
export const Currency = z.preprocess(
  (value: string) => (typeof value === 'string' ? value.trim().toUpperCase() : value),
  z
    .string()
    .regex(/^[A-Z]{3}$/)
    .refine(isCurrency, 'not a currency of ISO 4217'),
)

/** ISO 3166-1 alpha-2, accepted in any case. */
export const CountryCode = z.preprocess(
  (value: string) => (typeof value === 'string' ? value.trim().toUpperCase() : value),
  z
    .string()
    .regex(/^[A-Z]{2}$/)
    .refine((code) => countryOf(code) !== undefined, 'not a country of ISO 3166-1'),
)

const words = (max: number) => z.string().max(max).nullish()

/** All fields may be missing: a storefront sends an address as it is typed. An empty country is no country. */
export const Address = z
  .strictObject({
    name: words(200),
    street1: words(300),
    street2: words(300),
    city: words(200),
    state: words(100),
    postal_code: words(32),
    country: z.preprocess((value: string | null | undefined) => (value === '' ? null : value), CountryCode.nullish()).optional(),
  })
  .meta({ id: 'Address', description: 'country is ISO 3166-1 alpha-2' })
export type Address = z.infer<typeof Address>

/** Degrees of WGS 84. */
export const GeoLocation = z.strictObject({ lat: z.number().min(-90).max(90), lng: z.number().min(-180).max(180) }).meta({ id: 'GeoLocation' })

/** Checked for shape only; what a form's fields mean is the form's business (API document 1, Cart). */
export const FormEntry = z
  .strictObject({
    key: z.string().min(1).max(255),
    entries: z.array(z.strictObject({ key: z.string().min(1).max(255), value: z.unknown() })).max(200),
  })
  .meta({ id: 'FormEntry' })
export type FormEntry = z.infer<typeof FormEntry>

/** `en`, `pt-BR` (API document 1, Conventions). */
export const Locale = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/)

/** From a locale code to a string (API document 1, Conventions). */
export const LocaleMap = z
  .record(Locale, z.string().min(1).max(255))
  .refine((map) => Object.keys(map).length <= 200, 'at most 200 locales')
  .meta({ id: 'LocaleMap', description: 'From a locale code to a string' })
export type LocaleMap = z.infer<typeof LocaleMap>

/** id and properties may be left out; the type and value are held against a schema elsewhere (API document 2, Resources). */
export const Block = z
  .strictObject({
    id: z.string().min(1).max(255).optional(),
    key: z.string().min(1).max(255),
    type: z.string().min(1).max(64),
    properties: z.record(z.string(), z.unknown()).optional(),
    value: z.unknown().optional(),
  })
  .meta({ id: 'Block' })
export type Block = z.infer<typeof Block>

/** A value that may be a block or anything else: what is none by its looks is not parsed, because a refusal costs a hundred times as much. */
export const asBlock = (value: unknown): Block | undefined => {
  if (value === null || typeof value !== 'object') return undefined
  const { key, type } = value as Partial<Block>
  return typeof key === 'string' && typeof type === 'string' ? Block.safeParse(value).data : undefined
}

/** (API document 2, TaxonomyEntry; the typed fields are held against the taxonomy's schema elsewhere.) */
export const TaxonomyEntry = z
  .strictObject({
    taxonomy_id: Id,
    entry_ids: z.array(Id).max(100).optional(),
    fields: z
      .array(
        z.strictObject({
          id: z.string().min(1).max(255).optional(),
          key: z.string().min(1).max(255).optional(),
          type: z.string().min(1).max(64).optional(),
          value: z.unknown().optional(),
        }),
      )
      .max(200)
      .optional(),
  })
  .refine((entry) => entry.entry_ids !== undefined || entry.fields !== undefined, 'a taxonomy entry needs entry_ids or fields')
  .meta({ id: 'TaxonomyEntry', description: 'taxonomy_id plus entry_ids or plus fields' })
export type TaxonomyEntry = z.infer<typeof TaxonomyEntry>

/** A million of one thing is more than any cart holds, and keeps every line amount far from what no longer counts exactly. */
export const Quantity = z.int().min(1).max(1_000_000)

export const ProductItem = z.strictObject({ product_id: Id, variant_id: Id, quantity: Quantity }).meta({ id: 'ProductItem' })
export type ProductItem = z.infer<typeof ProductItem>

/** Unix seconds up to the year 9999, so that a slip into milliseconds is told. */
export const UnixSeconds = z.int().min(0).max(253_402_300_799)

export const Slot = z
  .strictObject({ from: UnixSeconds, to: UnixSeconds })
  .refine(({ from, to }) => from < to, { error: 'a slot ends after it starts', path: ['to'] })
  .meta({ id: 'Slot', description: 'Unix seconds' })
export type Slot = z.infer<typeof Slot>

export const BookingItem = z.strictObject({ service_id: Id, provider_id: Id, slots: z.array(Slot).min(1).max(100) }).meta({ id: 'BookingItem' })
export type BookingItem = z.infer<typeof BookingItem>

export const Price = z.strictObject({ market: Key.describe('market key'), currency: Currency.optional(), amount: Amount }).meta({ id: 'Price' })
export type Price = z.infer<typeof Price>

export const ShippingMethod = z
  .strictObject({
    id: z.string().min(1).max(255),
    name: z.string().max(255).optional(),
    taxable: z.boolean().default(true),
    eta_text: z.string().max(255).default(''),
    amount: Amount,
  })
  .meta({ id: 'ShippingMethod' })
export type ShippingMethod = z.infer<typeof ShippingMethod>

/** An empty list restricts nothing. A postal code may be a prefix that ends in `*` (design: commerce, Arithmetic). */
export const Zone = z
  .strictObject({
    id: z.string().min(1).max(255).optional(),
    name: z.string().max(255).optional(),
    countries: z.array(CountryCode).max(300).default([]),
    states: z.array(z.string().min(1).max(100)).max(1000).default([]),
    postal_codes: z.array(z.string().min(1).max(32)).max(5000).default([]),
    tax_bps: z.int().min(0).max(100_000).default(0),
    shipping_methods: z.array(ShippingMethod).max(100).default([]),
  })
  .meta({ id: 'Zone', description: 'tax_bps are basis points: 10000 = 100 %' })
export type Zone = z.infer<typeof Zone>

export const PaymentMethodType = z.enum(['cash', 'card'])
export type PaymentMethodType = z.infer<typeof PaymentMethodType>

export const PaymentMethod = z.strictObject({ key: Key, type: anyCase(PaymentMethodType) }).meta({ id: 'PaymentMethod' })
export type PaymentMethod = z.infer<typeof PaymentMethod>

export const TaxMode = z.enum(['exclusive', 'inclusive'])
export type TaxMode = z.infer<typeof TaxMode>

export const ProductStatus = z.enum(['active', 'draft', 'archived'])
export type ProductStatus = z.infer<typeof ProductStatus>

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export const Weekday = z.enum(days)
export type Weekday = z.infer<typeof Weekday>

/** Wall-clock times of the store's zone. `to` may be 24:00; one that is not after `from` is on the next day (design: commerce, Bookings). */
export const TimeWindow = z
  .strictObject({
    from: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'HH:MM'),
    to: z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'HH:MM, up to 24:00'),
  })
  .meta({ id: 'TimeWindow' })
export type TimeWindow = z.infer<typeof TimeWindow>

const Windows = z.array(TimeWindow).max(50)

export const WorkingDay = z.strictObject({ day: anyCase(Weekday), windows: Windows }).meta({ id: 'WorkingDay' })
export type WorkingDay = z.infer<typeof WorkingDay>

/** A day of the store's calendar, of the years 1970 to 9999. */
export const LocalDate = z.iso.date().refine((date) => date >= '1970', 'a date since 1970')

/** Stands in place of the working day of that date; no windows: closed. */
export const SpecificDate = z.strictObject({ date: LocalDate, windows: Windows }).meta({ id: 'SpecificDate' })
export type SpecificDate = z.infer<typeof SpecificDate>

/** Minutes, up to a day. */
export const Minutes = z.int().min(1).max(1440)

export const ServiceDuration = z.strictObject({ duration: Minutes.describe('minutes') }).meta({ id: 'ServiceDuration' })
export type ServiceDuration = z.infer<typeof ServiceDuration>

export const PromoCodeStatus = z.enum(['active', 'archived'])
export type PromoCodeStatus = z.infer<typeof PromoCodeStatus>

const BasisPoints = z.int().min(1).max(10_000)
const AnyIds = z.array(Id).max(500)

/** (API document 1, PromoCode.) */
export const Discount = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('items_percentage'), market_key: Key, bps: BasisPoints }),
    z.strictObject({ type: z.literal('items_fixed'), market_key: Key, amount: Amount.min(1) }),
    z.strictObject({ type: z.literal('shipping_percentage'), market_key: Key, bps: BasisPoints }),
    z.strictObject({ type: z.literal('audience_percentage'), audience_id: Id, tier_ids: AnyIds.default([]), price_ids: AnyIds.default([]), bps: BasisPoints }),
  ])
  .meta({ id: 'Discount', description: 'bps are basis points (10000 = 100 %), amounts minor units of the market' })
export type Discount = z.infer<typeof Discount>

/** All of them have to hold; products and services also narrow what a discount on items applies to (API document 1, PromoCode). */
export const Condition = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('products'), product_ids: AnyIds.min(1) }),
    z.strictObject({ type: z.literal('services'), service_ids: AnyIds.min(1) }),
    z.strictObject({ type: z.literal('min_order_amount'), amount: Amount }),
    z
      .strictObject({ type: z.literal('date_range'), start: UnixSeconds.nullish(), end: UnixSeconds.nullish() })
      .refine(({ start, end }) => start == null || end == null || start <= end, { error: 'ends before it starts', path: ['end'] }),
    z.strictObject({ type: z.literal('max_uses'), count: z.int().min(1).max(2_147_483_647) }),
    z.strictObject({ type: z.literal('max_uses_per_user'), count: z.int().min(1).max(2_147_483_647) }),
  ])
  .meta({ id: 'Condition' })
export type Condition = z.infer<typeof Condition>

export const OrderStatus = z.enum(['pending', 'confirmed', 'partially_cancelled', 'cancelled'])
export type OrderStatus = z.infer<typeof OrderStatus>

export const OrderLineStatus = z.enum(['pending', 'confirmed', 'cancelled'])
export type OrderLineStatus = z.infer<typeof OrderLineStatus>

export const BookingStatus = z.enum(['pending', 'confirmed', 'completed', 'no_show', 'cancelled'])
export type BookingStatus = z.infer<typeof BookingStatus>

export const FulfillmentStatus = z.enum(['none', 'unfulfilled', 'partially_fulfilled', 'fulfilled', 'cancelled'])
export type FulfillmentStatus = z.infer<typeof FulfillmentStatus>

/** A refund leaves a payment `paid` (design: commerce, Checkout). */
export const PaymentStatus = z.enum(['pending', 'processing', 'paid', 'failed', 'cancelled'])
export type PaymentStatus = z.infer<typeof PaymentStatus>

/** Of refunds and of everything else that leaves the building (API document 1, States; design: effects, The claim). */
export const EffectStatus = z.enum(['requested', 'processing', 'succeeded', 'rejected', 'failed', 'unknown'])
export type EffectStatus = z.infer<typeof EffectStatus>

export const DisputeStatus = z.enum(['needs_response', 'under_review', 'won', 'lost', 'warning'])
export type DisputeStatus = z.infer<typeof DisputeStatus>

/** total = subtotal − discount + shipping, plus tax.amount if it is not included (design: commerce, Arithmetic 5). Minor units. */
export const OrderMoney = z
  .object({
    currency: z.string(),
    subtotal: Amount.describe('lines before discount'),
    discount: Amount.describe('on items and on shipping'),
    shipping: Amount.describe('before discount'),
    tax: z.object({ amount: Amount, included: z.boolean() }).nullable(),
    total: Amount,
  })
  .meta({ id: 'OrderMoney' })
export type OrderMoney = z.infer<typeof OrderMoney>

const lineAmounts = {
  quantity: z.int(),
  unit_price: Amount,
  subtotal: Amount.describe('unit_price × quantity'),
  discount: Amount,
  tax: Amount,
  total: Amount.describe('what is paid for this line, tax contained'),
}

/** One line of goods, physical or digital, as it is quoted and then kept on the order. Minor units. */
export const ProductLine = z
  .object({
    id: z.string(),
    product_id: z.string(),
    variant_id: z.string(),
    sku: z.string().nullable(),
    name: z.string().nullable(),
    requires_shipping: z.boolean(),
    ...lineAmounts,
  })
  .meta({ id: 'ProductLine' })
export type ProductLine = z.infer<typeof ProductLine>

/** quantity is the number of slots. Minor units. */
export const BookingLine = z
  .object({
    id: z.string(),
    service_id: z.string(),
    provider_id: z.string(),
    service_key: z.string(),
    provider_key: z.string(),
    slots: z.array(Slot),
    ...lineAmounts,
  })
  .meta({ id: 'BookingLine' })
export type BookingLine = z.infer<typeof BookingLine>

export const ShippingLine = z
  .object({
    shipping_method_id: z.string(),
    name: z.string().nullable(),
    eta_text: z.string(),
    subtotal: Amount,
    discount: Amount,
    tax: Amount,
    total: Amount,
  })
  .meta({ id: 'ShippingLine' })
export type ShippingLine = z.infer<typeof ShippingLine>

/** Totals are read only from money (API document 1, OrderQuote). */
export const OrderQuote = z
  .object({
    product_lines: z.array(ProductLine),
    booking_lines: z.array(BookingLine),
    digital_lines: z.array(ProductLine),
    shipping_lines: z.array(ShippingLine),
    shipping_methods: z.array(ShippingMethod).describe('available for the address'),
    payment_methods: z.array(PaymentMethod).describe('available for the total'),
    payment_method_key: z.string().nullable().describe('the one selected'),
    money: OrderMoney,
  })
  .meta({ id: 'OrderQuote' })
export type OrderQuote = z.infer<typeof OrderQuote>
