// A pattern means what it means in the language, and no text makes it slow.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { MATCHED_MAX, PATTERN_MAX, patternOf } from '../../rules/patterns.ts'

const { tree: pattern } = fc.letrec<{ tree: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\.', '\\p{L}', '[a-c\\d]', '💧'),
    fc.tuple(tie('tree'), fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?')).map(([inner, times]) => `(${inner})${times}`),
  ),
  tree: fc.oneof(
    { maxDepth: 4 },
    tie('part'),
    fc.tuple(tie('part'), tie('part')).map((two) => two.join('')),
    fc.tuple(tie('part'), tie('part')).map((two) => two.join('|')),
  ),
}))
const texts = fc.array(fc.constantFrom('a', 'b', 'c', '1', '.', '💧', '\n'), { maxLength: 8 }).map((chars) => chars.join(''))

test('a pattern matches the whole texts that the regular expression matches, and no other', () => {
  fc.assert(
    fc.property(pattern, fc.array(texts, { minLength: 5, maxLength: 20 }), (source, all) => {
      const matches = patternOf(source)
      fc.pre(matches !== null)
      const expression = new RegExp(`^(?:${source})$`, 'u')
      for (const text of all) expect([source, text, matches?.(text)]).toEqual([source, text, expression.test(text)])
    }),
    { numRuns: 500 },
  )
  expect([patternOf('^a$')?.('a'), patternOf('^a$')?.('ba'), patternOf('a\\$')?.('a$'), patternOf('^$')?.('')]).toEqual([true, false, true, true])
})

test('what would need backtracking, is malformed or is too large is no pattern', () => {
  const refused = [
    '(a)\\1',
    '(?=a)',
    '(?<!a)b',
    'a\\b',
    'a**',
    '*',
    '(a',
    'a)',
    '[b-a]',
    'a{2,1}',
    'a{',
    ']',
    'a^',
    '\\',
    '\\p{Nothing}',
    'a'.repeat(PATTERN_MAX + 1),
  ]
  for (const source of [...refused, '(a{99}){99}', '((((){999}){999}){999}){999}', '(?<n>a)']) expect([source, patternOf(source)]).toEqual([source, null])
})

test('a pattern that hangs an engine that backtracks is decided', () => {
  const text = `${'a'.repeat(MATCHED_MAX - 1)}!`
  for (const source of ['(a+)+', '(a|a)*', '(a|aa)+', '(.*a){20}', '(a?){60}a{60}', 'a*a*a*a*a*a*b', '(([a-z])+.)+[A-Z]([a-z])+'])
    expect([source, patternOf(source)?.(text)]).toEqual([source, false])
})
