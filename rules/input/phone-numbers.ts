// Telephone numbers: one international form (E.164), by the numbering plans of all countries.
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js'
import { z } from 'zod'
import { ofKind } from './kinds.ts'
import { numberForm } from './texts.ts'

/** Longer text is no number. */
const writtenMax = 100

const isCountry = (country: string | null): country is CountryCode => country !== null && isSupportedCountry(country)

/**
 * Parses a telephone number. Null: it is no number. One with its country code has a possible length, as numbering plans
 * grow; one without must be in the plan of the country.
 */
function parsed(text: string, country: string | null): string | null {
  const found = parsePhoneNumberFromString(text, {
    extract: false,
    ...(isCountry(country) ? { defaultCountry: country } : {}),
  })
  // An extension is a number behind the number.
  if (!found || found.ext) return null
  // Zeros and codes of carriers at the beginning would be cut off each time that the form is read.
  if (parsePhoneNumberFromString(found.number)?.number !== found.number) return null
  return found.isValid() || (/^[(\s]*\+/.test(text) && found.isPossible()) ? found.number : null
}

/**
 * The form in which a number is stored and compared, such as `+4920922334455`. Null for what is no number of a
 * numbering plan. A number without its country code is one of `country` (ISO 3166-1 alpha-2); null if that is not
 * known, as the same digits are other numbers elsewhere.
 */
export function phoneForm(written: string, country: string | null): string | null {
  if (written.length > writtenMax) return null
  const text = numberForm(written).trim().replace(/^tel:/i, '')
  // `00` precedes the country code in most countries (ITU-T E.123); numbers of a country do not begin with it.
  return parsed(text, country) ?? (/^[(\s]*00/.test(text) ? parsed(text.replace(/^[(\s]*00\)?/, '+'), null) : null)
}

/** Whether a text to search for may be a telephone number. */
export const isPhoneLike = (text: string): boolean =>
  text.length <= writtenMax && /^(?:tel:)?[\s+(\d][\d\s().\-/‐-―]{4,}$/i.test(numberForm(text))

/** A number as it is written; phoneForm makes its form, which depends on the country of the store. */
export const PhoneNumber = ofKind(
  'phone',
  z.string().max(300).meta({
    id: 'PhoneNumber',
    description:
      'A telephone number, stored in its international form (E.164). One without a country code is a number of the country of the {store}: that of the address in its settings, else the one country of its locations.',
  }),
)

export const expectedPhone =
  'Expected a telephone number with its country code, such as `+49 30 901820`. Without one, it must be a number of the country that the settings or all locations name.'
