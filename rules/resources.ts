// What is shown of a resource, declared once: the API answers it, and events tell it.
import { z } from 'zod'
import { BlockSchemaItem } from './block-schemas.ts'
import { FormItem } from './forms.ts'
import { StoreRole } from './roles.ts'
import {
  Address,
  Block,
  FormEntry,
  FulfillmentStatus,
  LocaleMap,
  OrderMoney,
  OrderStatus,
  Price,
  ProductStatus,
  ShippingLine,
  TaxonomyEntry,
} from './shapes.ts'
import { TaxonomyItem } from './taxonomies.ts'

/** Of whatever has a key, slugs and content. */
export const namedOut = {
  id: z.string(),
  key: z.string(),
  slug: LocaleMap,
  blocks: z.array(Block),
  taxonomies: z.array(TaxonomyEntry),
  status: ProductStatus,
  created_at: z.int(),
  updated_at: z.int(),
}

export const VariantOut = z
  .object({
    id: z.string(),
    sku: z.string().nullable(),
    prices: z.array(Price).describe('one per market'),
    attributes: z.array(z.unknown()),
    weight: z.int().nullable().describe('grams'),
    requires_shipping: z.boolean(),
    taxable: z.boolean(),
    is_digital: z.boolean(),
  })
  .meta({ id: 'ProductVariant' })

export const ProductOut = z
  .object({
    ...namedOut,
    variants: z.array(VariantOut),
  })
  .meta({ id: 'Product' })

export const CollectionOut = z
  .object({
    id: z.string(),
    key: z.string(),
    schema: z.array(BlockSchemaItem).describe('what the blocks of its entries are; empty: anything'),
    blocks: z.array(Block).describe('of its own; no schema describes them'),
    invalid_entries: z
      .union([z.int().optional(), z.null()])
      .describe(
        'only where the schema was changed: how many entries do not satisfy it; null: counting them takes longer than an answer waits, and it is not known',
      ),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Collection' })

export const EntryOut = z.object({ ...namedOut, collection_id: z.string(), taxonomies: z.array(TaxonomyEntry) }).meta({ id: 'Entry' })

export const OrderOut = z
  .object({
    id: z.string(),
    number: z.int(),
    status: OrderStatus,
    fulfillment_status: FulfillmentStatus,
    contact_id: z.string(),
    verified: z.boolean(),
    email: z.string().nullable().describe('the address of its contact at checkout, proved or claimed'),
    paid_at: z.int().nullable(),
    source_cart_id: z.string(),
    payment_id: z.string(),
    market: z.string(),
    money: OrderMoney,
    shipping_line: ShippingLine.nullable(),
    pickup_location_id: z.string().nullable(),
    shipping_address: Address.nullable(),
    billing_address: Address.nullable(),
    forms: z.array(FormEntry),
    promo_code: z.string().nullable().describe('the code that was redeemed'),
    version: z.int(),
    cancelled_at: z.int().nullable(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Order', description: 'Money in minor units of money.currency' })

export const StoreStatus = z.enum(['DRAFT', 'ACTIVE', 'ARCHIVED'])

export const StoreOut = z
  .object({
    id: z.string(),
    key: z.string(),
    timezone: z.string().describe('IANA name'),
    languages: z.array(z.string()),
    emails: z.object({ billing: z.string().nullable(), support: z.string().nullable() }),
    settings: z.record(z.string(), z.unknown()),
    status: StoreStatus,
    is_network: z.boolean(),
    publishable_key: z.string().describe('X-Service-Publishable-Key of the storefront; not a secret'),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Store' })

export const MemberOut = z
  .object({ account_id: z.string(), email: z.string(), name: z.string().nullable(), role: StoreRole, created_at: z.int(), updated_at: z.int() })
  .meta({ id: 'Member' })
export type MemberOut = z.infer<typeof MemberOut>

export const TaxonomyStatus = z.enum(['active', 'archived'])

export const TaxonomyOut = z
  .object({
    id: z.string(),
    key: z.string(),
    store_id: z.string(),
    parent_id: z.string().nullable(),
    schema: z.array(TaxonomyItem),
    status: TaxonomyStatus,
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Taxonomy' })

export const FormStatus = z.enum(['active', 'archived'])

export const FormOut = z
  .object({
    id: z.string(),
    key: z.string(),
    store_id: z.string(),
    schema: z.array(FormItem),
    status: FormStatus,
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Form' })

export const FormSubmissionOut = z
  .object({
    id: z.string(),
    form_id: z.string(),
    store_id: z.string(),
    fields: z.array(
      z
        .object({ type: z.string(), id: z.string().min(1), key: z.string(), value: z.unknown() })
        .meta({ id: 'SubmittedField', description: 'as the form was when this was written' }),
    ),
    contact_id: z.string().nullable().describe('whose it is; null: an operator filled it in'),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'FormSubmission' })

const MediaFile = z
  .object({
    url: z.string(),
    width: z.int().nullable().describe('pixels, as displayed; null for what is no image, and until it is known'),
    height: z.int().nullable(),
    size: z.int().describe('bytes'),
    mime_type: z.string(),
  })
  .meta({ id: 'MediaFile' })

export const MediaOut = z
  .object({
    id: z.string(),
    name: z.string(),
    mime_type: z.string().describe('by content, never by name'),
    size: z.int().describe('bytes of the original'),
    width: z.int().nullable().describe('of the original in pixels, as displayed; null for what is no image, and until it is known'),
    height: z.int().nullable(),
    status: z.enum(['processing', 'ready', 'failed']).describe('files that are not ready have addresses where nothing is yet'),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    resolutions: z.record(z.string(), MediaFile).describe('by name; `original` is always one, `large`, `medium` and `thumbnail` are those of an image'),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Media' })
