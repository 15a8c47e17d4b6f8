// What the value of a block may be, type by type; a type that is not here is not looked at.
import { z } from 'zod'
import { Email } from '../input/identities.ts'
import { pointerOf } from '../input/pointers.ts'
import { faultsOf, notAnOption } from '../input/validation-errors.ts'
import { HttpUrl } from '../input/write-only.ts'
import type { Fault } from '../refusal.ts'
import { MATCHED_MAX, type Matching } from '../regex/matching.ts'
import { GeoLocation, Id, Locale } from '../shapes.ts'
import { BlockDate, type BlockSchemaItem, instantOf, referenceKinds } from './block-schemas.ts'

/** What is wrong with one value for a shape, each thing at its own place; what a check gives no code of its own for is invalid_value. */
export const shapeFaults = (shape: z.ZodType, value: unknown, at: readonly PropertyKey[]): Fault[] => {
  const faults = faultsOf(shape.safeParse(value).error?.issues ?? [], value, pointerOf(at))
  // A list where a text should be has a length too, and zod tells of both.
  const mistyped = new Set(faults.filter(({ code }) => code === 'invalid_type').map(({ pointer }) => pointer))
  return faults
    .filter(({ pointer, code }) => code === 'invalid_type' || !mistyped.has(pointer))
    .map((fault) => (fault.code === 'custom' ? { ...fault, code: 'invalid_value' } : fault))
}

type Limits = Record<string, unknown>
const sizeOf = (limits: Limits, name: string) => (typeof limits[name] === 'number' ? limits[name] : undefined)

const told = {
  too_big: `a text with a pattern has at most ${MATCHED_MAX} characters`,
  invalid_format: 'not as the pattern of the schema says',
  too_much_to_match: 'from here on it takes too much work to hold the texts against their patterns; simpler patterns or fewer texts take less',
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
    if (code) issues.push({ code: 'custom', input: value, params: { code }, message: told[code] })
  })
}

const localizedOf = (text: z.ZodType, languages: readonly string[] | undefined) => {
  const known = languages ? Locale.refine((locale) => languages.includes(locale), 'not a language of the store') : Locale
  return z.unknown().check(({ value, issues }) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      issues.push({ code: 'invalid_type', expected: 'record', input: value, path: [], message: 'not a map from locales to texts' })
      return
    }
    // One by one, not as a record of these shapes: a record would say nothing of `__proto__`, and drop it.
    for (const locale of Object.getOwnPropertyNames(value)) {
      const found = known.safeParse(locale).success ? text.safeParse(Reflect.get(value, locale)) : null
      if (found) for (const issue of found.error?.issues ?? []) issues.push({ ...issue, path: [locale, ...issue.path], input: value } as z.core.$ZodRawIssue)
      else
        issues.push({
          code: 'custom',
          input: locale,
          path: [locale],
          params: { code: 'unknown_locale' },
          message: languages ? 'not a language of the store' : 'not a locale code',
        })
    }
  })
}

const dateOf = ({ min, max }: Limits) =>
  BlockDate.refine((date) => !(instantOf(date) < instantOf(min)), { error: 'earlier than the schema allows', params: { code: 'too_small' } }).refine(
    (date) => !(instantOf(date) > instantOf(max)),
    { error: 'later than the schema allows', params: { code: 'too_big' } },
  )

const numberOf = (limits: Limits) =>
  (limits.integer === true ? z.int() : z.number()).min(sizeOf(limits, 'min') ?? -Number.MAX_VALUE).max(sizeOf(limits, 'max') ?? Number.MAX_VALUE)

const selectOf = ({ options }: Limits) =>
  z.string().refine((value) => !Array.isArray(options) || options.includes(value), {
    error: () => notAnOption(options as unknown[]),
    params: { code: 'not_an_option' },
  })

/** Without children anything may be in it; with children it is a list of blocks. */
const ListOf = (limits: Limits) =>
  z
    .array(z.unknown())
    .min(sizeOf(limits, 'min_items') ?? 0)
    .max(sizeOf(limits, 'max_items') ?? Number.MAX_SAFE_INTEGER)
const AnyObject = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())], { error: 'not an object or a list of blocks' })

type Shaped = (limits: Limits, item: BlockSchemaItem, matching: Matching, languages: readonly string[] | undefined) => z.ZodType

const shapes = new Map<string, Shaped>([
  ['text', (limits, _, matching) => textOf(limits, matching)],
  ['markdown', (limits) => textOf(limits, null)],
  ['localized_text', (limits, _, matching, languages) => localizedOf(textOf(limits, matching), languages)],
  ['localized_markdown', (limits, _, __, languages) => localizedOf(textOf(limits, null), languages)],
  ['number', numberOf],
  ['boolean', () => z.boolean()],
  ['date', dateOf],
  ['select', selectOf],
  ['url', () => HttpUrl],
  ['email', () => Email],
  ['geo_location', () => GeoLocation],
  ...referenceKinds.map((kind): [string, Shaped] => [kind, () => Id]),
  ['object', (_, { children = [] }) => (children.length > 0 ? z.array(z.unknown()) : AnyObject)],
  ['list', ListOf],
])

/** The shape of the values of one schema item, its `properties` with it; null: the type is not ours, and anything is stored. */
export const valueShape = (item: BlockSchemaItem, matching: Matching, languages?: readonly string[]): z.ZodType | null =>
  shapes.get(item.type)?.(item.properties ?? {}, item, matching, languages) ?? null

/** What a required block must not be: no value, an empty text, an empty list, a map without a text in any language. */
export const isEmpty = ({ type }: BlockSchemaItem, value: unknown): boolean => {
  if (value == null || value === '') return true
  if (type === 'list') return Array.isArray(value) && value.length === 0
  return type.startsWith('localized_') && typeof value === 'object' && Object.values(value).every((text) => text === '')
}
