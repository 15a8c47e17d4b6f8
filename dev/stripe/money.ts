// Stripe's minimum card amounts, and amounts as in its messages.

const zeroDecimal = new Set('bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf'.split(' '))
/** https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts, in minor units. */
const minimums: Record<string, number> = {
  aed: 200,
  bgn: 100,
  czk: 1500,
  dkk: 250,
  gbp: 30,
  hkd: 400,
  huf: 17_500,
  mxn: 1000,
  myr: 200,
  nok: 300,
  pln: 200,
  ron: 200,
  sek: 300,
  thb: 1000,
}
const symbols: Record<string, string> = { usd: '$', eur: '€', gbp: '£', jpy: '¥' }

export const minimumAmount = (currency: string) => minimums[currency] ?? 50
export const maximumAmount = 99_999_999

export function formatAmount(amount: number, currency: string): string {
  const text = zeroDecimal.has(currency) ? String(amount) : (amount / 100).toFixed(2)
  const symbol = symbols[currency]
  return symbol ? `${symbol}${text}` : `${text} ${currency.toUpperCase()}`
}
