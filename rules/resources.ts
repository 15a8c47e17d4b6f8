// Shapes of resources that both the API and events return.
import { z } from 'zod'
import { BlockSchemaItem } from './content/block-schemas.ts'
import { Block } from './content/block-shape.ts'
import { FormEntry } from './content/form-entries.ts'
import { FormItem } from './content/forms.ts'
import { mediaFields } from './content/media-shape.ts'
import { TaxonomyEntry, TaxonomyItem } from './content/taxonomies.ts'
import { LocaleMap } from './input/locale-map.ts'
import { anyMembers } from './open-answers.ts'
import { BookingLine, OrderMoney, ShippingLine } from './orders/lines.ts'
import { FulfillmentStatus, OrderStatus } from './orders/statuses.ts'
import { PaymentStatus, PaymentType } from './payments/payments.ts'
import { BookingStatus } from './scheduling/slots.ts'
import { Amount, ArchivableStatus, CreatedAt, EffectError, RecordStatus, UpdatedAt } from './shapes.ts'
import { Address } from './stores/addresses.ts'
import { Price } from './stores/markets.ts'
import { StoreRole } from './stores/roles.ts'

/** Fields of records with a key, slugs and content. */
export const namedOut = {
  id: z.string().describe('Identifier of the record, a UUIDv7 made by the server.'),
  key: z.string().describe('Name of the record, unique in the {store}.'),
  slug: LocaleMap.describe('From locale code to the slug in that language.'),
  blocks: z.array(Block).describe('Content blocks.'),
  taxonomies: z
    .array(TaxonomyEntry)
    .describe('Taxonomies that the record is filed under, with their entries or fields.'),
  status: RecordStatus.describe(
    '`active` records are public; `draft` and `archived` ones are visible to operators only.',
  ),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const VariantOut = z
  .object({
    id: z.string().describe('Identifier of the variant, a UUIDv7 made by the server.'),
    sku: z.string().nullable().describe('Stock keeping unit; null for none.'),
    prices: z.array(Price).describe('Prices of one unit, one per market.'),
    attributes: z.array(z.unknown()).describe("Attributes of the variant, in the caller's own shape."),
    weight: z.int().nullable().describe('Weight of one unit, in grams; null if it is unknown.'),
    requires_shipping: z.boolean().describe('Whether the goods are shipped or picked up.'),
    taxable: z.boolean().describe('Whether tax is added to, or contained in, its price.'),
    is_digital: z.boolean().describe('Whether the goods are digital.'),
  })
  .meta({ id: 'ProductVariant' })

export const ProductOut = z
  .object({
    ...namedOut,
    variants: z.array(VariantOut).describe('What can be bought of the product, each with its own prices and stock.'),
  })
  .meta({ id: 'Product', description: 'A product, sold in one or more variants.' })

export const CollectionOut = z
  .object({
    id: z.string().describe('Identifier of the collection, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the collection, unique in the {store}.'),
    schema: z
      .array(BlockSchemaItem)
      .describe("Schema of the blocks of the collection's entries; if it is empty, entries may have any blocks."),
    blocks: z.array(Block).describe('Content blocks of the collection itself. The schema does not apply to them.'),
    invalid_entries: z
      .union([z.int().optional(), z.null()])
      .describe(
        'Only after a change of the schema: number of entries that do not satisfy it; null if counting them takes longer than the answer waits.',
      ),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Collection', description: 'A named set of entries that share a schema.' })

export const EntryOut = z
  .object({
    ...namedOut,
    collection_id: z.string().describe('Identifier of the collection that the entry belongs to.'),
    taxonomies: z
      .array(TaxonomyEntry)
      .describe('Taxonomies that the entry is filed under, with their entries or fields.'),
  })
  .meta({ id: 'Entry', description: 'Content of a collection.' })

export const OrderOut = z
  .object({
    id: z.string().describe('Identifier of the order, a UUIDv7 made by the server.'),
    number: z.int().describe('Number of the order for people, counted per {store}.'),
    status: OrderStatus.describe(
      '`pending` until it is confirmed; `partially_cancelled` if lines were removed after the confirmation.',
    ),
    fulfillment_status: FulfillmentStatus.describe('How much of the goods was shipped; `none` if nothing has to be.'),
    contact_id: z.string().describe('Identifier of the contact who ordered.'),
    verified: z.boolean().describe('Whether the contact had a verified address at checkout.'),
    email: z
      .string()
      .nullable()
      .describe('Address of the contact at checkout, verified or claimed; null if there was none.'),
    paid_at: z.int().nullable().describe('Time of the payment, in Unix seconds; null until then.'),
    source_cart_id: z.string().describe('Identifier of the cart that was checked out.'),
    payment_id: z.string().describe("Identifier of the order's one payment."),
    market: z.string().describe('Key of the market in which it was ordered.'),
    money: OrderMoney.describe('Totals of the order.'),
    shipping_line: ShippingLine.nullable().describe(
      'The chosen shipping method and what it costs; null if nothing is shipped.',
    ),
    pickup_location_id: z
      .string()
      .nullable()
      .describe('Identifier of the location where the goods are picked up; null if they are shipped.'),
    shipping_address: Address.nullable().describe('Where the goods are shipped; null for none.'),
    billing_address: Address.nullable().describe('Address of the invoice; null for none.'),
    forms: z.array(FormEntry).describe('Form values that came with the order.'),
    promo_code: z.string().nullable().describe('Promo code that was redeemed; null for none.'),
    version: z.int().describe("Number of the record's latest change. An update must send it."),
    cancelled_at: z
      .int()
      .nullable()
      .describe('Time of the cancellation, in Unix seconds; null if it is not cancelled.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({
    id: 'Order',
    description: 'An order, created from one cart. Amounts are in minor units of `money.currency`.',
  })

export const PaymentOut = z
  .object({
    id: z.string().describe('Identifier of the payment, a UUIDv7 made by the server.'),
    order_id: z.string().describe('Identifier of the order.'),
    type: PaymentType.describe('How it is paid; `none` where the total is 0.'),
    method_key: z.string().nullable().describe("Key of the market's payment method; null where the total is 0."),
    status: PaymentStatus.describe(
      '`pending` until the provider or an operator confirms the payment. Refunds leave it `paid`.',
    ),
    currency: z.string().describe('Currency of all amounts of the payment, ISO 4217.'),
    amount: Amount.describe('Amount due, in minor units.'),
    captured_amount: Amount.describe('Amount that was captured, in minor units.'),
    refunded_amount: Amount.describe('Amount that was refunded, in minor units.'),
    refund_pending_amount: Amount.describe('Amount of refunds that are in progress, in minor units.'),
    refund_unknown_amount: Amount.describe(
      'Amount of refunds whose outcome is unknown, in minor units. It stays reserved until an operator resolves them.',
    ),
    provider: z.string().nullable().describe('Payment provider; null for cash and where the total is 0.'),
    provider_account_id: z
      .string()
      .nullable()
      .describe("The {store}'s account at the provider; null without a provider."),
    provider_session_id: z
      .string()
      .nullable()
      .describe("The provider's id of the checkout session; null until there is one."),
    provider_payment_id: z.string().nullable().describe("The provider's id of the payment; null until it is known."),
    evidence: anyMembers().nullable().describe('What the provider reported about the payment; null if nothing.'),
    error: EffectError.nullable().describe('Why the payment failed; null if it did not.'),
    paid_at: z.int().nullable().describe('Time at which it was paid, in Unix seconds; null until then.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Payment', description: 'The one payment of an order. Amounts are in minor units.' })

export const BookingOut = z
  .object({
    ...BookingLine.shape,
    order_id: z.string().describe('Identifier of the order.'),
    status: BookingStatus.describe(
      '`pending` until the order is confirmed; `completed` and `no_show` are set by an operator after the start.',
    ),
    starts_at: z.int().describe('Start of the first slot, in Unix seconds.'),
    ends_at: z.int().describe('End of the last slot, in Unix seconds.'),
    remind_at: z.int().nullable().describe('Time of the next reminder, in Unix seconds; null if none is due.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'OrderBooking', description: 'A booking of an order. Amounts are in minor units.' })

export const StoreStatus = z.enum(['DRAFT', 'ACTIVE', 'ARCHIVED'])

export const StoreOut = z
  .object({
    id: z.string().describe('Identifier of the {store}, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the {store} in addresses, unique in the installation.'),
    timezone: z.string().describe('Time zone of the {store}, as an IANA name.'),
    languages: z.array(z.string()).describe("Languages of the {store}'s content, the main one first."),
    emails: z
      .object({
        billing: z.string().nullable().describe('Address for invoices; null for none.'),
        support: z.string().nullable().describe('Address for customers; null for none.'),
      })
      .describe('Addresses of the {store}.'),
    settings: z.record(z.string(), z.unknown()).describe('Settings of the {store}.'),
    status: StoreStatus.describe('Storefront calls to an `ARCHIVED` {store} are refused with 403.'),
    is_network: z.boolean().describe('Whether the {store} is a network.'),
    publishable_key: z
      .string()
      .describe('Value of `X-Service-Publishable-Key` for the storefront. It is not a secret.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Store' })

export const MemberOut = z
  .object({
    account_id: z.string().describe('Identifier of the account.'),
    email: z.string().describe('Address of the account.'),
    name: z
      .string()
      .nullable()
      .describe('Name of the person; null if it is not set, and until the member has acted in the {store}.'),
    role: StoreRole.describe(
      'Role in the {store}: `admin` manages its data, `owner` also its team and payments, `super` also its owners.',
    ),
    accepted_at: z
      .int()
      .nullable()
      .describe(
        'When the member first acted in the {store}, accepted an invitation to it or created it, in Unix seconds; null until then.',
      ),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Member' })
export type MemberOut = z.infer<typeof MemberOut>

export const TaxonomyStatus = ArchivableStatus

export const TaxonomyOut = z
  .object({
    id: z.string().describe('Identifier of the taxonomy, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the taxonomy, unique in the {store}.'),
    store_id: z.string().describe('Identifier of the {store}.'),
    parent_id: z.string().nullable().describe('Identifier of the taxonomy above; null at the top.'),
    schema: z.array(TaxonomyItem).describe('Schema of the `fields` that a record filed under this taxonomy may have.'),
    status: TaxonomyStatus.describe('`active` taxonomies are public; `archived` ones are visible to operators only.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Taxonomy' })

export const FormStatus = ArchivableStatus

export const FormOut = z
  .object({
    id: z.string().describe('Identifier of the form, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the form, unique in the {store}.'),
    store_id: z.string().describe('Identifier of the {store}.'),
    schema: z.array(FormItem).describe('Fields of the form, in their order.'),
    status: FormStatus.describe('`active` forms accept submissions; `archived` ones do not.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Form' })

export const FormSubmissionOut = z
  .object({
    id: z.string().describe('Identifier of the submission, a UUIDv7 made by the server.'),
    form_id: z.string().describe('Identifier of the form.'),
    store_id: z.string().describe('Identifier of the {store}.'),
    fields: z
      .array(
        z
          .object({
            type: z.string().describe('Type of the field when it was submitted.'),
            id: z.string().min(1).describe("Id of the field in the form's schema."),
            key: z.string().describe('Key of the field when it was submitted.'),
            value: z.unknown().describe('The value; null for none.'),
          })
          .meta({
            id: 'SubmittedField',
            description: 'A submitted value, with the field of the form at the time of the submission.',
          }),
      )
      .describe('The submitted values.'),
    contact_id: z.string().nullable().describe('Identifier of the contact who submitted it; null if an operator did.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'FormSubmission' })

export const MediaOut = z
  .object({
    ...mediaFields,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Media' })
