// The items of a cart: units of a product, and slots to book.
import { z } from 'zod'
import { SentSlot } from '../scheduling/slots.ts'
import { Id } from '../shapes.ts'

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

export const BookingItem = z
  .strictObject({
    service_id: Id.describe('Identifier of the service.'),
    provider_id: Id.describe('Identifier of the provider.'),
    slots: z.array(SentSlot).min(1).max(100).describe('Slots to book, 1 to 100.'),
  })
  .meta({ id: 'BookingItem' })
export type BookingItem = z.infer<typeof BookingItem>
