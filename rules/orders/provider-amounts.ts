// Stripe counts some currencies in other units than ISO 4217 does: what it is asked for is what we mean.

/** No digits in ISO 4217, two in Stripe's API for compatibility (Stripe documentation, Currencies, Special cases). */
const twoDigitsAtStripe = new Set(['ISK', 'UGX'])

/** Two digits in ISO 4217, none in Stripe's API (Stripe documentation, Currencies, Zero-decimal currencies). */
const noDigitsAtStripe = new Set(['MGA'])

/** Stripe wants their last digit to be 0 (Stripe documentation, Currencies, Three-decimal currencies). */
const threeDigitsAtStripe = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/** A card is charged, and refunded, in multiples of this, in minor units of ISO 4217. */
export const cardStep = (currency: string): number => (noDigitsAtStripe.has(currency) ? 100 : threeDigitsAtStripe.has(currency) ? 10 : 1)

/** Minor units of ISO 4217, a multiple of cardStep → Stripe's. */
export const stripeAmount = (amount: number, currency: string): number =>
  twoDigitsAtStripe.has(currency) ? amount * 100 : noDigitsAtStripe.has(currency) ? amount / 100 : amount

/** Stripe's → minor units of ISO 4217. */
export const ourAmount = (amount: number, currency: string): number =>
  twoDigitsAtStripe.has(currency) ? Math.round(amount / 100) : noDigitsAtStripe.has(currency) ? amount * 100 : amount
