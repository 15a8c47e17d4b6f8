// Shapes of block values by type. Values of unknown types are not checked.
import { z } from 'zod'
import { EmailAddress } from '../input/email-addresses.ts'
import { expectedTag, LocaleTag, localeForm } from '../input/locale-tags.ts'
import { pointerOf } from '../input/pointers.ts'
import { distinctNames, formOf, textForm } from '../input/texts.ts'
import { faultsOf, notAnOption } from '../input/validation-errors.ts'
import { HttpUrl } from '../input/write-only.ts'
import type { Fault } from '../refusal.ts'
import { MATCHED_MAX, type Matching } from '../regex/matching.ts'
import { Id } from '../shapes.ts'
import { GeoLocation } from '../stores/addresses.ts'
import { BlockDate, type BlockSchemaItem, instantOf } from './block-schemas.ts'
import type { CheckedType } from './block-shape.ts'

/** The errors of a value, each at its place. Custom checks without a code have `invalid_value`. */
export const shapeFaults = (shape: z.ZodType, value: unknown, at: readonly PropertyKey[]): Fault[] => {
  const faults = faultsOf(shape.safeParse(value).error?.issues ?? [], value, pointerOf(at))
  // zod reports the type and the length of a list in place of a text: only the type is kept.
  const mistyped = new Set(faults.filter(({ code }) => code === 'invalid_type').map(({ pointer }) => pointer))
  return faults
    .filter(({ pointer, code }) => code === 'invalid_type' || !mistyped.has(pointer))
    .map((fault) => (fault.code === 'custom' ? { ...fault, code: 'invalid_value' } : fault))
}

type Limits = Record<string, unknown>
const sizeOf = (limits: Limits, name: string) => (typeof limits[name] === 'number' ? limits[name] : undefined)

const details = {
  too_big: `Expected at most ${MATCHED_MAX} characters for a text with a pattern.`,
  invalid_format: 'Must match the pattern of the schema.',
  too_much_to_match:
    'Matching the texts against their patterns takes too long from here on. Use simpler patterns or fewer texts.',
}

const textOf = (limits: Limits, matching: Matching | null) => {
  const text = z
    .string()
    .min(sizeOf(limits, 'min') ?? 0)
    .max(sizeOf(limits, 'max') ?? Number.MAX_SAFE_INTEGER)
  const { pattern } = limits
  if (!matching || typeof pattern !== 'string') return text
  return text.check(({ value, issues }) => {
    const code = matching.verdict(pattern, value)
    if (code) issues.push({ code: 'custom', input: value, params: { code }, message: details[code] })
  })
}

const localizedOf = (text: z.ZodType, languages: readonly string[] | undefined) => {
  const locales = languages
    ? LocaleTag.refine((locale) => languages.map(localeForm).includes(locale), 'Expected a language of the {store}.')
    : LocaleTag
  return z.unknown().check(({ value, issues }) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      issues.push({
        code: 'invalid_type',
        expected: 'record',
        input: value,
        path: [],
        message: 'Expected an object from locale to text.',
      })
      return
    }
    // Not a zod record, which would drop `__proto__` without an error.
    distinctNames(localeForm)(value, { issues })
    for (const locale of Object.getOwnPropertyNames(value)) {
      const found = locales.safeParse(locale).success ? text.safeParse(Reflect.get(value, locale)) : null
      if (found)
        for (const issue of found.error?.issues ?? [])
          issues.push({ ...issue, path: [locale, ...issue.path], input: value } as z.core.$ZodRawIssue)
      else
        issues.push({
          code: 'custom',
          input: locale,
          path: [locale],
          params: { code: 'unknown_locale' },
          message: languages ? 'Expected a language of the {store}.' : expectedTag,
        })
    }
  })
}

const dateOf = ({ min, max }: Limits) =>
  BlockDate.refine((date) => !(instantOf(date) < instantOf(min)), {
    error: 'Must not be earlier than the schema allows.',
    params: { code: 'too_small' },
  }).refine((date) => !(instantOf(date) > instantOf(max)), {
    error: 'Must not be later than the schema allows.',
    params: { code: 'too_big' },
  })

const numberOf = (limits: Limits) =>
  (limits.integer === true ? z.int() : z.number())
    .min(sizeOf(limits, 'min') ?? -Number.MAX_VALUE)
    .max(sizeOf(limits, 'max') ?? Number.MAX_VALUE)

function selectOf({ options }: Limits) {
  if (!Array.isArray(options)) return z.string()
  const forms = new Set(options.map(formOf))
  return z.string().refine((value) => forms.has(textForm(value)), {
    error: () => notAnOption(options),
    params: { code: 'not_an_option' },
  })
}

/** A list of blocks if the item has children, otherwise of any values. */
const ListOf = (limits: Limits) =>
  z
    .array(z.unknown())
    .min(sizeOf(limits, 'min_items') ?? 0)
    .max(sizeOf(limits, 'max_items') ?? Number.MAX_SAFE_INTEGER)
const AnyObject = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())], {
  error: 'Expected an object or a list of blocks.',
})

type Shaped = (
  limits: Limits,
  item: BlockSchemaItem,
  matching: Matching,
  languages: readonly string[] | undefined,
) => z.ZodType

const byType: Readonly<Record<CheckedType, Shaped>> = {
  text: (limits, _, matching) => textOf(limits, matching),
  markdown: (limits) => textOf(limits, null),
  localized_text: (limits, _, matching, languages) => localizedOf(textOf(limits, matching), languages),
  localized_markdown: (limits, _, __, languages) => localizedOf(textOf(limits, null), languages),
  number: numberOf,
  boolean: () => z.boolean(),
  date: dateOf,
  select: selectOf,
  url: () => HttpUrl,
  email: () => EmailAddress,
  geo_location: () => GeoLocation,
  media: () => Id,
  entry: () => Id,
  product: () => Id,
  digital_product: () => Id,
  object: (_, { children = [] }) => (children.length > 0 ? z.array(z.unknown()) : AnyObject),
  list: ListOf,
}
const shapes = new Map<string, Shaped>(Object.entries(byType))

/**
 * The shape of the values of a schema item with its `properties`; null for an unknown type, whose values are not
 * checked.
 */
export const valueShape = (
  item: BlockSchemaItem,
  matching: Matching,
  languages?: readonly string[],
): z.ZodType | null => shapes.get(item.type)?.(item.properties ?? {}, item, matching, languages) ?? null

/** Whether a required block counts as missing: no value, an empty text or list, or no text in any language. */
export const isEmpty = ({ type }: BlockSchemaItem, value: unknown): boolean => {
  if (value == null || value === '') return true
  if (type === 'list') return Array.isArray(value) && value.length === 0
  return type.startsWith('localized_') && typeof value === 'object' && Object.values(value).every((text) => text === '')
}
