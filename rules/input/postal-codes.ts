// Postal codes: kept as they were written, as labels show them, and compared in one normal form.
import { z } from 'zod'
import { ofKind } from './kinds.ts'
import { isAscii, numberForm } from './texts.ts'

const Written = z.string().max(32)

/** A code of an address. */
export const PostalCode = ofKind(
  'postal_code',
  Written.meta({
    id: 'PostalCode',
    description:
      'Postal code, 32 characters at most. Case, blanks, hyphens and a prefix of the country make no difference.',
  }),
)

/** A code of a zone; one that ends in `*` is a prefix. */
export const PostalCodePattern = ofKind(
  'postal_code',
  Written.min(1).meta({
    id: 'PostalCodePattern',
    description: 'Postal code of a zone, compared as those of addresses are. One that ends in `*` is a prefix.',
  }),
)

const upperAscii = (text: string): string => numberForm(text).replaceAll('ー', '').trim().toUpperCase()

const separators = /[\0-/:-@[-`{-\x7f]|(?![\0-\x7f])[\p{P}\p{S}\p{Z}\p{C}\p{M}]/gu

/**
 * Letters that precede codes on mail from other countries, beside the code of the country itself (UPU S42; the former
 * marks of CEPT).
 */
const marks: Readonly<Record<string, string>> = {
  ...{
    AT: 'A',
    BE: 'B',
    DE: 'D',
    ES: 'E',
    FI: 'FIN',
    FR: 'F',
    HU: 'H',
    IE: 'IRL',
    IT: 'I',
    LI: 'FL',
    LU: 'L',
    NO: 'N',
    PT: 'P',
    SE: 'S',
    SI: 'SLO',
    VA: 'V',
  },
}

/** The code without a prefix of its country: what follows begins with a digit, or is the end of a pattern. */
function withoutCountry(code: string, country: string | null): string {
  if (country === null) return code
  for (const mark of [country, marks[country]])
    if (mark && code.startsWith(mark) && /^[\d*]/.test(code.slice(mark.length))) return code.slice(mark.length)
  return code
}

/**
 * The form in which codes of a country are compared (ISO 3166-1 alpha-2; null if it is not known): NFKC, digits of
 * ASCII, upper case, without separators and without a prefix of the country. Of a pattern, the `*` at its end is kept.
 * `SE-111 22` and `11122` of Sweden are equal.
 */
export function postalCodeForm(written: string, country: string | null): string {
  // Most are digits only.
  if (/^\d+\*?$/.test(written)) return written
  const upper = isAscii(written) ? written.trim().toUpperCase() : upperAscii(written)
  const plain = upper.replace(separators, '')
  return withoutCountry(upper.endsWith('*') ? `${plain}*` : plain, country)
}

/**
 * Lengths of codes that may be followed by further digits for one building, by country: the United States and what has
 * ZIP codes, and others with the same custom.
 */
const baseLengths: Readonly<Record<string, { base: number; whole: readonly number[] }>> = Object.fromEntries([
  ...['US', 'AS', 'FM', 'GU', 'MH', 'MP', 'PR', 'PW', 'UM', 'VI', 'CR', 'SA'].map((country) => [
    country,
    { base: 5, whole: [9] },
  ]),
  ['LB', { base: 4, whole: [8] }],
  ['TW', { base: 3, whole: [5, 6] }],
])

/** Nine digits without a country: all countries with such codes begin them with five. */
const ofNone = { base: 5, whole: [9] }

/**
 * The code of the district, of a code of one building: `797032104` of the United States is in `79703`. Null for any
 * other code. `form`: in its normal form.
 */
export function districtOf(form: string, country: string | null): string | null {
  const lengths = country === null ? ofNone : baseLengths[country]
  return lengths?.whole.includes(form.length) && /^\d+$/.test(form) ? form.slice(0, lengths.base) : null
}
