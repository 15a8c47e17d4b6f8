// Stripe counts some currencies in other units than ISO 4217 does: what it is asked for is what we mean.

/** No digits in ISO 4217, two in Stripe's API for compatibility (Stripe documentation, Currencies, Special cases). */
const twoDigitsAtStripe = new Set(['ISK', 'UGX'])

/** Minor units of ISO 4217 → Stripe's. */
export const stripeAmount = (amount: number, currency: string): number => (twoDigitsAtStripe.has(currency) ? amount * 100 : amount)

/** Stripe's → minor units of ISO 4217. */
export const ourAmount = (amount: number, currency: string): number => (twoDigitsAtStripe.has(currency) ? Math.round(amount / 100) : amount)
