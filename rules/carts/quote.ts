// What a cart costs now, as a storefront shows it.
import { z } from 'zod'
import { BookingLine, OrderMoney, ProductLine, ShippingLine } from '../orders/lines.ts'
import { PaymentMethod, ShippingMethod } from '../stores/markets.ts'

/** A line of goods in a quote. */
export const QuotedLine = ProductLine.extend({
  available: z
    .int()
    .nullable()
    .describe(
      'Units that can be sold now: at the pickup location if the line is picked up there, else at all locations together; null if they are not counted.',
    ),
}).meta({ id: 'QuotedLine' })

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
