// Currencies: minor digits, minimum card amounts, formatting.

/**
 * Minor digits of ISO 4217 other than two. Intl has CLDR's digits, which follow everyday use and differ (ISK, IQD, UYW,
 * …).
 */
const digitsOf = new Map<string, number>([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
    .split(' ')
    .map((code): [string, number] => [code, 0]),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code): [string, number] => [code, 3]),
  ...'CLF UYW'.split(' ').map((code): [string, number] => [code, 4]),
])

const codes = new Set(Intl.supportedValuesOf('currency'))

/** Whether this is a currency code of ISO 4217, in upper case. */
export const isCurrency = (code: string): boolean => codes.has(code) || digitsOf.has(code)

/** Digits of the minor unit (ISO 4217): USD 2, JPY 0, KWD 3. */
export const minorDigits = (currency: string): number => digitsOf.get(currency) ?? 2

/** Minor units of ISO 4217 (docs.stripe.com/currencies, minimum and maximum charge amounts). */
const minimums = new Map<string, number>(
  Object.entries({
    ...{
      USD: 50,
      AED: 200,
      AUD: 50,
      BGN: 100,
      BRL: 50,
      CAD: 50,
      CHF: 50,
      CZK: 1500,
      DKK: 250,
      EUR: 50,
      GBP: 30,
      HKD: 400,
      HUF: 17500,
    },
    ...{ INR: 50, JPY: 50, MXN: 1000, MYR: 200, NOK: 300, NZD: 50, PLN: 200, RON: 200, SEK: 300, SGD: 50, THB: 1000 },
  }),
)

/**
 * The smallest amount that a card can be charged, in minor units. 1 for a currency without a documented minimum: Stripe
 * then compares the converted amount with the minimum of the settlement currency, which is unknown here, and its
 * refusal is `payment_rejected`.
 */
export const cardMinimum = (currency: string): number => minimums.get(currency) ?? 1

/** `12.34 USD`, `500 JPY`, `1.234 KWD`, from minor units; exact for every safe integer. */
export const formatMoney = (amount: number, currency: string): string => {
  const digits = minorDigits(currency)
  const figures = String(Math.abs(amount)).padStart(digits + 1, '0')
  const whole = figures.slice(0, figures.length - digits)
  const rest = digits ? `.${figures.slice(-digits)}` : ''
  return `${amount < 0 ? '-' : ''}${whole}${rest} ${currency}`
}
