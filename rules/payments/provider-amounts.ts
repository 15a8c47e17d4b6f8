// Converts amounts between ISO 4217 minor units and Stripe's units, which differ for some currencies.
import { cut } from '../excerpts.ts'

/** No digits in ISO 4217, two in Stripe's API for compatibility (Stripe documentation, Currencies, Special cases). */
const twoDigitsAtStripe = new Set(['ISK', 'UGX'])

/** Two digits in ISO 4217, none in Stripe's API (Stripe documentation, Currencies, Zero-decimal currencies). */
const noDigitsAtStripe = new Set(['MGA'])

/** Stripe requires the last digit to be 0 (Stripe documentation, Currencies, Three-decimal currencies). */
const threeDigitsAtStripe = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/** Card charges and refunds must be multiples of this, in minor units of ISO 4217. */
export const cardStep = (currency: string): number =>
  noDigitsAtStripe.has(currency) ? 100 : threeDigitsAtStripe.has(currency) ? 10 : 1

/** The name of a product at the provider, which takes 250 characters. */
export const productName = (name: string): string => cut(name, 250)

/** Minor units of ISO 4217 (a multiple of `cardStep`) → Stripe's units. */
export const stripeAmount = (amount: number, currency: string): number =>
  twoDigitsAtStripe.has(currency) ? amount * 100 : noDigitsAtStripe.has(currency) ? amount / 100 : amount

/** Stripe's units → minor units of ISO 4217. */
export const ourAmount = (amount: number, currency: string): number =>
  twoDigitsAtStripe.has(currency) ? Math.round(amount / 100) : noDigitsAtStripe.has(currency) ? amount * 100 : amount
