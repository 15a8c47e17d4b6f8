// Language tags: canonical where they are written and asked for (BCP 47), and looked up from the most to the least
// specific (RFC 4647, 3.4).
import { z } from 'zod'
import { ofKind } from './kinds.ts'

const pattern = /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/

const forms = new Map<string, string>()
/** Callers use few tags. The oldest are forgotten first, so that made-up ones do not stay. */
const formsMax = 1_000

/** The canonical tag: `pt_br` → `pt-BR`, `iw` → `he`. Other text is returned as it is. */
export function localeForm(text: string): string {
  const known = forms.get(text)
  if (known !== undefined) return known
  if (text.length > 35 || !pattern.test(text)) return text
  let form = text
  try {
    form = Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0] ?? text
  } catch {
    // It is no tag, such as one that names a variant twice.
  }
  if (forms.size >= formsMax) forms.delete(forms.keys().next().value ?? '')
  forms.set(text, form)
  return form
}

const isTag = (text: string): boolean => {
  try {
    return pattern.test(text) && Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

export const expectedTag = 'Expected a language tag such as `en` or `pt-BR`.'

export const LocaleTag = ofKind(
  'locale',
  z
    .string()
    .max(35)
    .overwrite(localeForm)
    .refine(isTag, { error: expectedTag, params: { code: 'invalid_format' } })
    .meta({
      id: 'LocaleTag',
      description: 'A language tag of BCP 47, such as `en` or `pt-BR`. It is stored in its canonical form.',
      pattern: pattern.source,
    }),
)

/**
 * The tags under which a text for readers of `tag` may be found, the most specific first: `zh-Hant-TW`, `zh-Hant`,
 * `zh`.
 */
export function lookupOf(tag: string): string[] {
  const parts = localeForm(tag).split('-')
  const found: string[] = []
  while (parts.length > 0) {
    found.push(parts.join('-'))
    parts.pop()
    // A letter alone begins an extension, and is no tag.
    if (parts.at(-1)?.length === 1) parts.pop()
  }
  return found
}

/**
 * The text of a block's value for readers of these languages: of a localized one in the first that it has, else in any.
 * Null for what is no text.
 */
export function textIn(value: unknown, languages: readonly string[]): string | null {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return null
  const found = localized(value as Record<string, unknown>, languages) ?? Object.values(value)[0]
  return typeof found === 'string' ? found : null
}

/** The value for readers of these languages, in their order; undefined if there is none for any of them. */
export function localized<T>(values: Readonly<Record<string, T>>, languages: readonly string[]): T | undefined {
  const byTag = new Map(Object.entries(values).map(([tag, value]) => [localeForm(tag), value]))
  for (const tag of languages.flatMap(lookupOf)) if (byTag.has(tag)) return byTag.get(tag)
  return undefined
}
