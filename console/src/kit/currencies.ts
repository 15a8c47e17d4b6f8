// Digits of minor units by ISO 4217. Those of Intl follow everyday use and differ.

const digits: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}
const known = new Map(
  Object.entries(digits).flatMap(([count, codes]) => codes.split(' ').map((code) => [code, Number(count)])),
)

export const minorDigits = (currency: string): number => known.get(currency) ?? 2
