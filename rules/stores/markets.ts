// What a market consists of: its prices, zones with tax and shipping, and ways to pay.
import { z } from 'zod'
import { Key, PartName } from '../input/identities.ts'
import { PostalCodePattern } from '../input/postal-codes.ts'
import { ComparedText } from '../input/texts.ts'
import { PaymentMethodType } from '../payments/payments.ts'
import { Amount, anyCase, Currency } from '../shapes.ts'
import { CountryCode } from './addresses.ts'

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
