// Shapes that are stored, priced or returned in more than one place.
import { z } from 'zod'
import { blockForm } from './content/block-forms.ts'
import { BlockMedia } from './content/media-shape.ts'
import { effectStatuses } from './effects.ts'
import { Key, PartName, Slug } from './input/identities.ts'
import { ofKind } from './input/kinds.ts'
import { LocaleTag, localeForm } from './input/locale-tags.ts'
import { PostalCode, PostalCodePattern } from './input/postal-codes.ts'
import { ComparedText, distinctNames, formOf } from './input/texts.ts'
import { answersMore } from './open-answers.ts'
import { isCurrency } from './payments/currencies.ts'
import { countryOf } from './stores/countries.ts'

/**
 * Accepts a value of the enum in any case and returns it as the enum writes it. Its JSON schema is that of the enum,
 * also for input.
 */
export const anyCase = <T extends Record<string, string>>(values: z.ZodEnum<T>) =>
  z.preprocess((value: T[keyof T]) => {
    if (typeof value !== 'string') return value
    const lower = value.toLowerCase()
    return values.options.find((one) => one.toLowerCase() === lower) ?? value
  }, values)

/** The id of a record: any UUID, in lower case as PostgreSQL returns it. */
export const Id = z.guid().toLowerCase()

export const CreatedAt = z.int().describe('Time of creation, in Unix seconds. Set by the server.')
export const UpdatedAt = z.int().describe('Time of the latest change, in Unix seconds. Set by the server.')

/** Why an effect did not succeed. May have further members, such as the provider's code. */
export const EffectError = answersMore(
  z.looseObject({
    code: z.string().describe('Stable code of what went wrong.'),
    message: z.string().describe('What went wrong, for people.'),
    provider_code: z.string().optional().describe("The provider's code of it, if it sent one."),
    provider_status: z.int().optional().describe('HTTP or SMTP status of its answer, if there was one.'),
  }),
)

/** Minor units of the market's currency, never negative. */
export const Amount = z
  .int({
    error: ({ code }) => (code === 'invalid_type' ? 'Expected an integer, in minor units of the currency.' : undefined),
  })
  .min(0)

/** ISO 4217, accepted in any case. */
export const Currency = z.preprocess(
  (value: string) => (typeof value === 'string' ? value.trim().toUpperCase() : value),
  z
    .string()
    .regex(/^[A-Z]{3}$/, 'Expected the three letters of a currency (ISO 4217).')
    .refine(isCurrency, 'Expected a currency of ISO 4217.'),
)

/** ISO 3166-1 alpha-2, accepted in any case. */
export const CountryCode = z.preprocess(
  (value: string) => (typeof value === 'string' ? value.trim().toUpperCase() : value),
  z
    .string()
    .regex(/^[A-Z]{2}$/, 'Expected the two letters of a country (ISO 3166-1).')
    .refine((code) => countryOf(code) !== undefined, 'Expected a country of ISO 3166-1.'),
)

const text = (max: number) => z.string().max(max).nullish()

/** All fields are optional: a storefront sends an address while it is typed. An empty country is null. */
export const Address = z
  .strictObject({
    name: text(200).describe('Name of the person or company, 200 characters at most.'),
    street1: text(300).describe('Street and number, 300 characters at most.'),
    street2: text(300).describe('Further line, such as floor or suite, 300 characters at most.'),
    city: text(200).describe('City, 200 characters at most.'),
    state: ComparedText.max(100)
      .nullish()
      .describe('State, province or region, as a code or a name, 100 characters at most.'),
    postal_code: PostalCode.nullish().describe('Postal code, 32 characters at most.'),
    country: z
      .preprocess((value: string | null | undefined) => (value === '' ? null : value), CountryCode.nullish())
      .optional()
      .meta({
        description: 'Country, ISO 3166-1 alpha-2, accepted in any case.',
        anyOf: [{ type: 'string', pattern: '^([A-Za-z]{2})?$' }, { type: 'null' }],
      }),
  })
  .meta({ id: 'Address', description: 'A postal address. Every field may be left out or null.' })
export type Address = z.infer<typeof Address>

/** Degrees of WGS 84. */
export const GeoLocation = z
  .strictObject({
    lat: z.number().min(-90).max(90).describe('Latitude in degrees (WGS 84).'),
    lng: z.number().min(-180).max(180).describe('Longitude in degrees (WGS 84).'),
  })
  .meta({ id: 'GeoLocation' })
export type GeoLocation = z.infer<typeof GeoLocation>

/** Only the shape is checked, not the fields of the form. */
export const FormEntry = z
  .strictObject({
    key: PartName.describe('Key of the form.'),
    entries: z
      .array(
        z.strictObject({
          key: PartName.describe('Key of the field.'),
          value: z.unknown().describe('The value, any JSON.'),
        }),
      )
      .max(200)
      .describe("Values of the form's fields, 200 at most."),
  })
  .meta({ id: 'FormEntry' })
export type FormEntry = z.infer<typeof FormEntry>

/** From a locale code to a string. */
export const LocaleMap = z
  .preprocess(
    // Before its members are checked: of a body of 54,000 members, the errors alone would take 100 ms.
    (map: Record<string, string>, ctx) => {
      if (map === null || typeof map !== 'object' || Object.keys(map).length <= 200)
        return distinctNames(localeForm)(map, ctx)
      ctx.issues.push({ code: 'custom', message: 'Expected at most 200 locales.', input: map })
      return z.NEVER
    },
    z.record(LocaleTag, Slug),
  )
  .meta({ id: 'LocaleMap', description: 'From a locale code, such as `en` or `pt-BR`, to a text.' })
export type LocaleMap = z.infer<typeof LocaleMap>

/** The shape of a block. rules/content/blocks.ts checks its type and value. */
/** Types of blocks whose values are checked. */
const checkedTypes = [
  ...(['text', 'markdown', 'localized_text', 'localized_markdown', 'number', 'boolean', 'date', 'select'] as const),
  ...(['url', 'email', 'geo_location', 'media', 'entry', 'product', 'digital_product', 'object', 'list'] as const),
] as const
export type CheckedType = (typeof checkedTypes)[number]
/** `text`, … and `list` */
export const checkedTypesText = `${checkedTypes
  .slice(0, -1)
  .map((type) => `\`${type}\``)
  .join(', ')} and \`${checkedTypes.at(-1)}\``

export const Block = z
  .strictObject({
    id: PartName.optional().describe('Id of the block. Made by the server if it is left out.'),
    key: PartName.describe('Key of the block, as its schema names it.'),
    type: z
      .string()
      .min(1)
      .max(64)
      .describe(
        `Type of the value. Values of ${checkedTypesText} are checked, unless a collection has an empty schema; the value of \`media\` is the id of a file, served at \`/media/{id}/{variant}\`. Any other type is free: its value is stored as it is sent.`,
      ),
    properties: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Properties of the block, in the caller's own shape."),
    value: z.unknown().optional().describe('The value, of this type.'),
    media: BlockMedia.optional().meta({
      readOnly: true,
      description:
        'In answers: the file of a block of the type `media`, nested ones included; left out while the file is not ready. Ignored in requests.',
    }),
  })
  .overwrite(blockForm)
  .meta({ id: 'Block' })
export type Block = z.infer<typeof Block>

/**
 * The value if it is a block. Values without a key and type are not parsed, as a failing parse costs a hundred times as
 * much.
 */
export const asBlock = (value: unknown): Block | undefined => {
  if (value === null || typeof value !== 'object') return undefined
  const { key, type } = value as Partial<Block>
  return typeof key === 'string' && typeof type === 'string' ? Block.safeParse(value).data : undefined
}

/** rules/content/taxonomies.ts checks the typed fields. */
export const TaxonomyEntry = z
  .strictObject({
    taxonomy_id: Id.describe('Identifier of the taxonomy.'),
    entry_ids: z
      .array(Id)
      .max(100)
      .optional()
      .describe('Identifiers of entries of the taxonomy that the record is filed under, 100 at most.'),
    fields: z
      .array(
        z.strictObject({
          id: PartName.optional().describe("Id of the field in the taxonomy's schema; may be sent instead of `key`."),
          key: PartName.optional().describe("Key of the field in the taxonomy's schema."),
          type: z
            .string()
            .min(1)
            .max(64)
            .optional()
            .describe("Must equal the type in the taxonomy's schema, if it is sent."),
          value: ofKind('text', z.unknown().overwrite(formOf)).optional().describe("The value, of the field's type."),
        }),
      )
      .max(200)
      .optional()
      .describe("Typed values by the taxonomy's schema."),
  })
  .refine((entry) => entry.entry_ids !== undefined || entry.fields !== undefined, {
    error: 'Send `entry_ids` or `fields`.',
    params: { code: 'required' },
  })
  .meta({
    id: 'TaxonomyEntry',
    description: 'A taxonomy with the entries, or with the typed values, that a record is filed under.',
  })
export type TaxonomyEntry = z.infer<typeof TaxonomyEntry>

/** The limit keeps line amounts far below 2^53. */
export const Quantity = z.int().min(1).max(1_000_000)

export const ProductItem = z
  .strictObject({
    product_id: Id.describe('Identifier of the product.'),
    variant_id: Id.describe("Identifier of the product's variant."),
    quantity: Quantity.describe('Units to buy, 1 to 1,000,000.'),
  })
  .meta({ id: 'ProductItem' })
export type ProductItem = z.infer<typeof ProductItem>

const secondsMax = 253_402_300_799
const expectedSeconds = `Expected Unix seconds, an integer from 0 to ${secondsMax} (the end of the year 9999).`
const tooLarge = ({ input }: { input: unknown }) =>
  Number(input) >= 1e12 && Number(input) < 1e15
    ? 'Expected Unix seconds; this looks like milliseconds.'
    : expectedSeconds

/** Unix seconds up to the end of the year 9999: a number in milliseconds is larger, and the refusal says so. */
export const UnixSeconds = z.int(expectedSeconds).min(0, expectedSeconds).max(secondsMax, { error: tooLarge })

export const Slot = z
  .strictObject({
    from: UnixSeconds.describe('Start, in Unix seconds.'),
    to: UnixSeconds.describe('End, in Unix seconds; later than `from`.'),
  })
  .refine(({ from, to }) => from < to, { error: 'Must be later than `from`.', path: ['to'] })
  .meta({ id: 'Slot', description: 'A span of time, in Unix seconds.' })
export type Slot = z.infer<typeof Slot>

/** What else a slot of the availability has: it may be sent, and is ignored. */
export const freeSlotFields = {
  spots: z.int().optional().describe('Ignored, so that a slot of the availability can be sent as it is.'),
}

/** A slot to book. */
export const SentSlot = z
  .strictObject({ ...Slot.shape, ...freeSlotFields })
  .meta({
    id: 'SentSlot',
    description: 'A span of time to book, in Unix seconds: a slot of the availability, as it is.',
  })
  .transform(({ from, to }) => ({ from, to }))
  .pipe(Slot)

export const BookingItem = z
  .strictObject({
    service_id: Id.describe('Identifier of the service.'),
    provider_id: Id.describe('Identifier of the provider.'),
    slots: z.array(SentSlot).min(1).max(100).describe('Slots to book, 1 to 100.'),
  })
  .meta({ id: 'BookingItem' })
export type BookingItem = z.infer<typeof BookingItem>

export const Price = z
  .strictObject({
    market: Key.describe('Key of the market.'),
    currency: Currency.optional().describe(
      'Currency of the market, ISO 4217; another one is refused. May be left out.',
    ),
    amount: Amount.describe("Amount in minor units of the market's currency: 1099 is 10.99 USD."),
  })
  .meta({ id: 'Price' })
export type Price = z.infer<typeof Price>

export const ShippingMethod = z
  .strictObject({
    id: PartName.describe('Id of the method, as a cart names it.'),
    name: z.string().max(255).optional().describe('Name of the method for people.'),
    taxable: z.boolean().default(true).describe('Whether shipping is taxed like the goods; true by default.'),
    eta_text: z.string().max(255).default('').describe('Delivery time, as text.'),
    amount: Amount.describe("Price of the method, in minor units of the market's currency."),
  })
  .meta({ id: 'ShippingMethod' })
export type ShippingMethod = z.infer<typeof ShippingMethod>

/** An empty list restricts nothing. A postal code may be a prefix that ends in `*`. */
export const Zone = z
  .strictObject({
    id: PartName.optional().describe('Id of the zone. May be left out.'),
    name: z.string().max(255).optional().describe('Name of the zone for people.'),
    countries: z
      .array(CountryCode)
      .max(300)
      .default([])
      .describe('Countries of the zone, ISO 3166-1 alpha-2; empty for all.'),
    states: z
      .array(ComparedText.min(1).max(100))
      .max(1000)
      .default([])
      .describe('States of the zone, as codes or names; empty for all.'),
    postal_codes: z
      .array(PostalCodePattern)
      .max(5000)
      .default([])
      .describe(
        'Postal codes of the zone; one that ends in `*` is a prefix. Empty for all. A ZIP code of nine digits is in a zone of its first five.',
      ),
    tax_bps: z.int().min(0).max(100_000).default(0).describe('Tax rate in basis points: 1900 is 19 %.'),
    shipping_methods: z
      .array(ShippingMethod)
      .max(100)
      .default([])
      .describe('Shipping methods of the zone; without any, shipping is free.'),
  })
  .meta({ id: 'Zone', description: 'A region of a market, with its tax rate and shipping methods.' })
export type Zone = z.infer<typeof Zone>

export const PaymentMethodType = z.enum(['cash', 'card'])
export type PaymentMethodType = z.infer<typeof PaymentMethodType>

export const PaymentMethod = z
  .strictObject({
    key: Key.describe('Key of the method, as a cart names it.'),
    type: anyCase(PaymentMethodType).describe(
      '`cash` is marked as paid by an operator; `card` is charged through the connected provider.',
    ),
  })
  .meta({ id: 'PaymentMethod' })
export type PaymentMethod = z.infer<typeof PaymentMethod>

export const TaxMode = z.enum(['exclusive', 'inclusive'])
export type TaxMode = z.infer<typeof TaxMode>

export const SortDirection = z.enum(['asc', 'desc'])
export type SortDirection = z.infer<typeof SortDirection>

/** The status of records that are drafted, published and archived. */
export const RecordStatus = z.enum(['active', 'draft', 'archived'])
export type RecordStatus = z.infer<typeof RecordStatus>

/** The status of records that are never drafts. */
export const ArchivableStatus = RecordStatus.exclude(['draft'])
export type ArchivableStatus = z.infer<typeof ArchivableStatus>

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export const Weekday = z.enum(days)
export type Weekday = z.infer<typeof Weekday>

/** Wall-clock times of the store's zone. `to` may be 24:00; one that is not after `from` is on the next day. */
export const TimeWindow = z
  .strictObject({
    from: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Expected HH:MM, from 00:00 to 23:59.')
      .describe("Start, HH:MM in the {store}'s time zone."),
    to: z
      .string()
      .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'Expected HH:MM, from 00:00 to 24:00.')
      .describe(
        "End, HH:MM in the {store}'s time zone, up to 24:00. If it is not later than `from`, it is on the next day.",
      ),
  })
  .meta({ id: 'TimeWindow' })
export type TimeWindow = z.infer<typeof TimeWindow>

const Windows = z.array(TimeWindow).max(50)

export const WorkingDay = z
  .strictObject({
    day: anyCase(Weekday).describe('Day of the week.'),
    windows: Windows.describe('Opening hours of the day, 50 windows at most.'),
  })
  .meta({ id: 'WorkingDay' })
export type WorkingDay = z.infer<typeof WorkingDay>

/** A day of the store's calendar, of the years 1970 to 9999. */
export const LocalDate = z.iso.date().refine((date) => date >= '1970', 'Expected a date from 1970 on.')

/** Replaces the working day of its date. Without windows, the date is closed. */
export const SpecificDate = z
  .strictObject({
    date: LocalDate.describe("Day in the {store}'s time zone, YYYY-MM-DD."),
    windows: Windows.describe('Opening hours of the day; empty if it is closed.'),
  })
  .meta({ id: 'SpecificDate' })
export type SpecificDate = z.infer<typeof SpecificDate>

/** Minutes, up to a day. */
export const Minutes = z.int().min(1).max(1440)

export const ServiceDuration = z
  .strictObject({ duration: Minutes.describe('Length of a slot, in minutes.') })
  .meta({ id: 'ServiceDuration' })
export type ServiceDuration = z.infer<typeof ServiceDuration>

/** A step of a slot: steps follow each other, and a slot lasts their sum. */
export const Segment = z
  .strictObject({
    duration: Minutes.describe('Length of the step, in minutes.'),
    is_pause: z
      .boolean()
      .default(false)
      .describe('Whether the step is a pause, in which the provider is not free either; false by default.'),
  })
  .meta({ id: 'Segment' })
export type Segment = z.infer<typeof Segment>

/** The visibility of services and providers: only operators find and book private ones. */
export const Visibility = z.enum(['public', 'private'])
export type Visibility = z.infer<typeof Visibility>

/** An address with its coordinates. */
export const Place = z
  .strictObject({ ...Address.shape, ...GeoLocation.partial().shape })
  .refine(({ lat, lng }) => (lat === undefined) === (lng === undefined), {
    error: 'Send `lat` and `lng`, or neither.',
    path: ['lat'],
  })
  .meta({ id: 'Place', description: 'A postal address with its coordinates. Every field may be left out.' })
export type Place = z.infer<typeof Place>

const BasisPoints = z.int().min(1).max(10_000)
const AnyIds = z.array(Id).max(500)

export const Discount = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('items_percentage').describe('Kind of discount. It decides the other fields.'),
      market_key: Key.describe('Key of the market in which the discount applies.'),
      bps: BasisPoints.describe('Discount rate in basis points: 10000 is 100 %.'),
    }),
    z.strictObject({
      type: z.literal('items_fixed').describe('Kind of discount. It decides the other fields.'),
      market_key: Key.describe('Key of the market in which the discount applies.'),
      amount: Amount.min(1).describe(
        "Amount of the discount on the eligible items, in minor units of the market's currency.",
      ),
    }),
    z.strictObject({
      type: z.literal('shipping_percentage').describe('Kind of discount. It decides the other fields.'),
      market_key: Key.describe('Key of the market in which the discount applies.'),
      bps: BasisPoints.describe('Discount rate in basis points: 10000 is 100 %.'),
    }),
    z.strictObject({
      type: z.literal('audience_percentage').describe('Kind of discount. It decides the other fields.'),
      audience_id: Id.describe('Identifier of the audience whose members get the discount.'),
      tier_ids: AnyIds.default([]).describe('Tiers of the audience that get it; empty for all.'),
      price_ids: AnyIds.default([]).describe('Prices of the audience that get it; empty for all.'),
      bps: BasisPoints.describe('Discount rate in basis points: 10000 is 100 %.'),
      applies_to: z
        .enum(['membership', 'items'])
        .optional()
        .describe(
          '`items`: the carts of members with access. `membership`: the first payment of a membership at one of the prices. Left out: both.',
        ),
    }),
  ])
  .meta({
    id: 'Discount',
    description:
      'A discount of a promo code. Rates are in basis points (10000 is 100 %), amounts in minor units of the market.',
  })
export type Discount = z.infer<typeof Discount>

/** All conditions must be met. `products` and `services` also restrict the items that discounts apply to. */
export const Condition = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('products').describe('Kind of condition. It decides the other fields.'),
      product_ids: AnyIds.min(1).describe(
        'Products of which one must be in the cart; discounts on items apply to these only.',
      ),
    }),
    z.strictObject({
      type: z.literal('services').describe('Kind of condition. It decides the other fields.'),
      service_ids: AnyIds.min(1).describe(
        'Services of which one must be in the cart; discounts on items apply to these only.',
      ),
    }),
    z.strictObject({
      type: z.literal('min_order_amount').describe('Kind of condition. It decides the other fields.'),
      amount: Amount.describe("Smallest subtotal before discount, in minor units of the market's currency."),
    }),
    z
      .strictObject({
        type: z.literal('date_range').describe('Kind of condition. It decides the other fields.'),
        start: UnixSeconds.nullish().describe(
          'Time from which the code can be redeemed, in Unix seconds; null or left out for no limit.',
        ),
        end: UnixSeconds.nullish().describe(
          'Time until which the code can be redeemed, in Unix seconds; null or left out for no limit.',
        ),
      })
      .refine(({ start, end }) => start == null || end == null || start <= end, {
        error: 'Must not be before `start`.',
        path: ['end'],
      }),
    z.strictObject({
      type: z.literal('max_uses').describe('Kind of condition. It decides the other fields.'),
      count: z.int().min(1).max(2_147_483_647).describe('Largest number of redemptions in all.'),
    }),
    z.strictObject({
      type: z.literal('max_uses_per_user').describe('Kind of condition. It decides the other fields.'),
      count: z
        .int()
        .min(1)
        .max(2_147_483_647)
        .describe(
          'Largest number of redemptions by one customer: by one contact, and under one e-mail address in whichever browser.',
        ),
    }),
  ])
  .meta({ id: 'Condition' })
export type Condition = z.infer<typeof Condition>

export const OrderStatus = z.enum(['pending', 'confirmed', 'partially_cancelled', 'cancelled'])
export type OrderStatus = z.infer<typeof OrderStatus>

/** The kind of a line of goods. */
export const LineKind = z.enum(['product', 'digital'])
export type LineKind = z.infer<typeof LineKind>

export const OrderLineStatus = z.enum(['pending', 'confirmed', 'cancelled'])
export type OrderLineStatus = z.infer<typeof OrderLineStatus>

export const BookingStatus = z.enum(['pending', 'confirmed', 'completed', 'no_show', 'cancelled'])
export type BookingStatus = z.infer<typeof BookingStatus>

export const FulfillmentStatus = z.enum(['none', 'unfulfilled', 'partially_fulfilled', 'fulfilled', 'cancelled'])
export type FulfillmentStatus = z.infer<typeof FulfillmentStatus>

/** A refunded payment stays `paid`. `authorized`: the amount is reserved on the card and not captured. */
export const PaymentStatus = z.enum(['pending', 'processing', 'authorized', 'paid', 'failed', 'cancelled'])
export type PaymentStatus = z.infer<typeof PaymentStatus>

/** Status of refunds and all other effects. */
export const EffectStatus = z.enum(effectStatuses)
export type EffectStatus = z.infer<typeof EffectStatus>

export const DisputeStatus = z.enum(['needs_response', 'under_review', 'won', 'lost', 'warning'])
export type DisputeStatus = z.infer<typeof DisputeStatus>

/** total = subtotal − discount + shipping, plus tax.amount if it is not included. Minor units. */
export const OrderMoney = z
  .object({
    currency: z.string().describe('Currency of all amounts, ISO 4217.'),
    subtotal: Amount.describe('Sum of the lines before discount, in minor units.'),
    discount: Amount.describe('Sum of all discounts, on items and on shipping, in minor units.'),
    shipping: Amount.describe('Shipping before discount, in minor units.'),
    tax: z
      .object({
        amount: Amount.describe('Sum of all taxes, in minor units.'),
        included: z
          .boolean()
          .describe('Whether the tax is contained in the prices (market in `inclusive` mode) and not added to them.'),
      })
      .nullable()
      .describe(
        'Tax on items and shipping. Null if none is calculated: no zone of the market has a tax, or, in a quote, it depends on an address that is missing. `total` then includes no tax, and checkout requires the address (`zone_not_found`).',
      ),
    total: Amount.describe(
      'Amount to pay, in minor units: subtotal − discount + shipping, plus a tax that is not included.',
    ),
  })
  .meta({ id: 'OrderMoney' })
export type OrderMoney = z.infer<typeof OrderMoney>

const lineAmounts = {
  quantity: z.int().describe('Number of units; of a booking, number of slots.'),
  unit_price: Amount.describe('Price of one unit or slot, in minor units.'),
  subtotal: Amount.describe('`unit_price` × `quantity`, in minor units.'),
  discount: Amount.describe("The line's share of all discounts, in minor units."),
  tax: Amount.describe('Tax of the line after discount, in minor units.'),
  total: Amount.describe('Amount to pay for the line, tax contained, in minor units.'),
}

/** A line of physical or digital goods in a quote and in an order. Minor units. */
export const ProductLine = z
  .object({
    id: z.string().describe('Identifier of the line; unique in the quote or order.'),
    product_id: z.string().describe('Identifier of the product.'),
    variant_id: z.string().describe('Identifier of the variant.'),
    sku: z.string().nullable().describe('Stock keeping unit at that time; null for none.'),
    name: z
      .string()
      .nullable()
      .describe(
        "The product's block `name` at that time, in the first of the languages of the {store} that it has; its key without such a block.",
      ),
    requires_shipping: z.boolean().describe('Whether the goods are shipped or picked up.'),
    ...lineAmounts,
  })
  .meta({ id: 'ProductLine' })
export type ProductLine = z.infer<typeof ProductLine>

/** A line of goods in a quote. */
export const QuotedLine = ProductLine.extend({
  available: z
    .int()
    .nullable()
    .describe(
      'Units that can be sold now: at the pickup location if the line is picked up there, else at all locations together; null if they are not counted.',
    ),
}).meta({ id: 'QuotedLine' })

/** `quantity` is the number of slots. Minor units. */
export const BookingLine = z
  .object({
    id: z.string().describe('Identifier of the line; unique in the quote or order.'),
    service_id: z.string().describe('Identifier of the service.'),
    provider_id: z.string().describe('Identifier of the provider.'),
    service_key: z.string().describe('Key of the service at that time.'),
    provider_key: z.string().describe('Key of the provider at that time.'),
    slots: z.array(Slot).describe('Booked slots.'),
    ...lineAmounts,
  })
  .meta({ id: 'BookingLine' })
export type BookingLine = z.infer<typeof BookingLine>

export const ShippingLine = z
  .object({
    shipping_method_id: z.string().describe('Id of the shipping method in its zone.'),
    name: z.string().nullable().describe('Name of the shipping method; null for none.'),
    eta_text: z.string().describe('Delivery time, as text.'),
    subtotal: Amount.describe('Shipping before discount, in minor units.'),
    discount: Amount.describe('Discount on shipping, in minor units.'),
    tax: Amount.describe('Tax on shipping after discount, in minor units.'),
    total: Amount.describe('Amount to pay for shipping, tax contained, in minor units.'),
  })
  .meta({ id: 'ShippingLine' })
export type ShippingLine = z.infer<typeof ShippingLine>

/** Clients read totals from `money` only. */
export const OrderQuote = z
  .object({
    product_lines: z.array(QuotedLine).describe('Lines of physical products.'),
    booking_lines: z.array(BookingLine).describe('Lines of bookings.'),
    digital_lines: z.array(QuotedLine).describe('Lines of digital products.'),
    shipping_lines: z.array(ShippingLine).describe('The chosen shipping method; empty if none is chosen or needed.'),
    shipping_methods: z.array(ShippingMethod).describe('Shipping methods that are available for the address.'),
    payment_methods: z.array(PaymentMethod).describe('Payment methods that are available for the total.'),
    payment_method_key: z.string().nullable().describe('Key of the chosen payment method; null if none is chosen.'),
    money: OrderMoney.describe('Totals of the quote.'),
  })
  .meta({ id: 'OrderQuote' })
export type OrderQuote = z.infer<typeof OrderQuote>
