// The lines of a quote and of an order, and their totals, in minor units.
import { z } from 'zod'
import { Slot } from '../scheduling/slots.ts'
import { Amount } from '../shapes.ts'

/** The kind of a line of goods. */
export const LineKind = z.enum(['product', 'digital'])
export type LineKind = z.infer<typeof LineKind>

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
