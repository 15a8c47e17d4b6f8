// Texts are named by languages.
import { expect, test } from '@jest/globals'
import type { z } from 'zod'
import { LocaleMap } from '../../../rules/input/locale-map.ts'

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

test('A slug maps locales to strings', () => {
  expect(accepts(LocaleMap, { en: 'shirt', 'pt-BR': 'camisa', zh_Hans_CN: '衬衫' })).toBe(true)
  for (const map of [{ 'not a locale': 'x' }, { en: '' }, { en: 1 }, []]) expect(accepts(LocaleMap, map)).toBe(false)
})
