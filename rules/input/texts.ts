// Texts that are compared: one canonical form of Unicode (NFC) where they are written and where they are searched for.
// `é` may be one character or two, and both look the same: files of a Mac are named with two.
import { z } from 'zod'
import { ofKind } from './kinds.ts'

/** Most texts are ASCII, which has one form only. */
export const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text)

/** The digit of any script as one of ASCII: its place in the run of ten digits that it is in. */
function asciiDigit(char: string): string {
  let value = 0
  for (let code = (char.codePointAt(0) as number) - 1; value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code)); code--)
    value++
  return String(value)
}

/** Digits and signs of every script and width as those of ASCII, of a number that is written in them. */
export const numberForm = (text: string): string =>
  isAscii(text) ? text : text.normalize('NFKC').replaceAll(/(?![0-9])\p{Nd}/gu, asciiDigit)

/** The form in which texts are stored and compared. */
export const textForm = (text: string): string => (isAscii(text) ? text : text.normalize('NFC'))

/** The form of a text; other values as they are. */
export const formOf = <T>(value: T): T => (typeof value === 'string' ? (textForm(value) as T) : value)

/**
 * How a stored text may be spelled that was not normalized, the most likely first: as it was sent, in its form, and
 * decomposed.
 */
export const spellingsOf = (text: string): string[] =>
  isAscii(text) ? [text] : [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])]

/** The first of the records by the order of the spellings of a text. */
export const firstSpelled = <T>(
  records: readonly T[],
  spellings: readonly string[],
  textOf: (record: T) => string,
): T | undefined => records.toSorted((a, b) => spellings.indexOf(textOf(a)) - spellings.indexOf(textOf(b)))[0]

/**
 * A text that is compared, such as a promo code or the name of a file. Further checks of its length are of its form.
 */
export const ComparedText = ofKind('text', z.string().overwrite(textForm))

/** Refuses an object of which two members have names with one form. */
export const distinctNames =
  (form: (name: string) => string) =>
  <T>(value: T, { issues }: { issues: z.core.$ZodRawIssue[] }): T => {
    if (value === null || typeof value !== 'object') return value
    const seen = new Set<string>()
    for (const name of Object.keys(value)) {
      const known = form(name)
      if (seen.has(known))
        issues.push({
          code: 'custom',
          input: value,
          path: [name],
          params: { code: 'duplicate' },
          message: `Duplicate name: \`${known}\`.`,
        })
      seen.add(known)
    }
    return value
  }

/** An object whose members the caller names. */
export const NamedValues = <T extends z.ZodType>(value: T) =>
  z.preprocess(
    distinctNames(textForm) as (names: Record<string, z.input<T>>) => Record<string, z.input<T>>,
    z.record(ComparedText, value),
  )
