// What a contact is about to buy. A contact has one current cart; older open ones can still be checked out.
import { defineEntity, p } from '@mikro-orm/core'
import { CartStatus } from '../../rules/carts/carts.ts'
import type { BookingItem, ProductItem } from '../../rules/carts/items.ts'
import type { FormEntry } from '../../rules/content/form-entries.ts'
import type { Address } from '../../rules/stores/addresses.ts'
import { tenantRow } from '../kit/database/row.ts'

/** What the contact chose: changed field by field, priced, and copied when a cart is opened again. */
const contents = {
  market: p.string(),
  product_items: p.json<ProductItem[]>(),
  booking_items: p.json<BookingItem[]>(),
  shipping_address: p.json<Address>().nullable(),
  billing_address: p.json<Address>().nullable(),
  forms: p.json<FormEntry[]>(),
  payment_method_key: p.string().nullable(),
  shipping_method_id: p.string().nullable(),
  pickup_location_id: p.uuid().nullable(),
  promo_code: p.string().nullable(),
}
export const cartContents = Object.keys(contents) as (keyof typeof contents)[]

const schema = defineEntity({
  name: 'Cart',
  tableName: 'carts',
  properties: {
    ...tenantRow,
    contact_id: p.uuid(),
    /**
     * The visitor's session that made it, or the operator's account; null in rows of version 0.2.0, and of a cart that
     * an agent filled for its visitor.
     */
    made_by: p.uuid().nullable(),
    status: p.enum(CartStatus.options).default('open'),
    is_current: p.boolean().default(true),
    ...contents,
  },
  indexes: [
    {
      name: 'carts_current',
      expression:
        'create unique index "carts_current" on "carts" ("contact_id") where is_current and status = \'open\'',
    },
    { properties: ['contact_id', 'status'] },
    { properties: ['tenant_id', 'updated_at'] },
  ],
})
export class Cart extends schema.class {}
schema.setClass(Cart)
