// Texts by their language, such as the slugs of a record.
import { z } from 'zod'
import { Slug } from './identities.ts'
import { LocaleTag, localeForm } from './locale-tags.ts'
import { distinctNames } from './texts.ts'

/** From a locale code to a string. */
export const LocaleMap = z
  .preprocess(
    // Before its members are checked: of a body of 54,000 members, the errors alone would take 100 ms.
    (map: Record<string, string>, ctx) => {
      if (map === null || typeof map !== 'object' || Object.keys(map).length <= 200)
        return distinctNames(localeForm)(map, ctx)
      ctx.issues.push({ code: 'custom', message: 'Expected at most 200 locales.', input: map })
      return z.NEVER
    },
    z.record(LocaleTag, Slug),
  )
  .meta({ id: 'LocaleMap', description: 'From a locale code, such as `en` or `pt-BR`, to a text.' })
export type LocaleMap = z.infer<typeof LocaleMap>
