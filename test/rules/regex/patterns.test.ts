// A pattern matches what the same RegExp matches, in linear time for any text.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { MATCHED_MAX, matching } from '../../../rules/regex/matching.ts'
import { PATTERN_MAX, patternOf } from '../../../rules/regex/patterns.ts'
import { draws } from '../../kit/draws.ts'

const { tree: pattern } = fc.letrec<{ tree: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\.', '\\p{L}', '[a-c\\d]', '💧'),
    fc
      .tuple(tie('tree'), fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?'))
      .map(([inner, times]) => `(${inner})${times}`),
  ),
  tree: fc.oneof(
    { maxDepth: 4 },
    tie('part'),
    fc.tuple(tie('part'), tie('part')).map((two) => two.join('')),
    fc.tuple(tie('part'), tie('part')).map((two) => two.join('|')),
  ),
}))
const texts = fc
  .array(fc.constantFrom('a', 'b', 'c', '1', '.', '💧', '\n'), { maxLength: 8 })
  .map((chars) => chars.join(''))
const isLike = (source: string, text: string) => matching().verdict(source, text) === null

test('A pattern matches exactly the whole texts that the RegExp matches', () => {
  // One matcher for all texts, as for the entries of a collection: its cache, full or not, makes no difference.
  const held = matching()
  fc.assert(
    fc.property(pattern, fc.array(texts, { minLength: 5, maxLength: 20 }), (source, all) => {
      fc.pre(patternOf(source) !== null)
      const expression = new RegExp(`^(?:${source})$`, 'u')
      held.renew()
      for (const text of all)
        expect([source, text, held.verdict(source, text)]).toEqual([
          source,
          text,
          expression.test(text) ? null : 'invalid_format',
        ])
    }),
    { numRuns: draws(250) },
  )
  expect([isLike('^a$', 'a'), isLike('^a$', 'ba'), isLike('a\\$', 'a$'), isLike('^$', '')]).toEqual([
    true,
    false,
    true,
    true,
  ])
})

test('A character class has the same characters as in RegExp, or is malformed in both', () => {
  const member = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...'abz09-^[.$é\n\0💧', '\ud83d', '\udca7') },
    fc.constantFrom(
      '\\d',
      '\\D',
      '\\w',
      '\\W',
      '\\s',
      '\\S',
      '\\p{L}',
      '\\P{Lu}',
      '\\p{Script=Greek}',
      '\\p{Nothing}',
      '\\p',
      '\\p{L',
    ),
    fc.constantFrom(
      '\\b',
      '\\t',
      '\\n',
      '\\0',
      '\\01',
      '\\cA',
      '\\cz',
      '\\c1',
      '\\x41',
      '\\x4',
      '\\u0061',
      '\\u{1F4A7}',
      '\\u{110000}',
      '\\u{}',
    ),
    fc.constantFrom('\\ud83d\\udca7', '\\ud83d', '\\-', '\\]', '\\\\', '\\/', '\\^', '\\_', '\\a', '\\é', '\\B'),
  )
  const characters = fc.constantFrom(...'abczAZ09-^[].$/\\_é\n\0\b\t\x01\x1a💧αΩ', '\ud83d', '\udca7')
  fc.assert(
    fc.property(
      fc.constantFrom('', '^'),
      fc.array(member, { maxLength: 6 }),
      fc.array(characters, { minLength: 8 }),
      (not, members, all) => {
        const source = `[${not}${members.join('')}]`
        let expression: RegExp | null = null
        try {
          expression = new RegExp(`^${source}$`, 'u')
        } catch {}
        expect([source, patternOf(source) !== null]).toEqual([source, expression !== null])
        for (const text of expression ? all : [])
          expect([source, text, isLike(source, text)]).toEqual([source, text, expression?.test(text)])
      },
    ),
    { numRuns: draws(600) },
  )
})

test('A pattern that needs backtracking, is malformed or too large is refused', () => {
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
    '(a{99}){99}',
    '((((){999}){999}){999}){999}',
    '(?<n>a)',
  ]
  for (const source of refused) expect([source, patternOf(source)]).toEqual([source, null])
})

test('A pattern that hangs a backtracking engine is decided', () => {
  const text = `${'a'.repeat(MATCHED_MAX - 1)}!`
  for (const source of [
    '(a+)+',
    '(a|a)*',
    '(a|aa)+',
    '(.*a){20}',
    '(a?){60}a{60}',
    'a*a*a*a*a*a*b',
    '(([a-z])+.)+[A-Z]([a-z])+',
  ])
    expect([source, matching().verdict(source, text)]).toEqual([source, 'invalid_format'])
  expect(matching().verdict('a*', 'a'.repeat(MATCHED_MAX + 1))).toBe('too_big')
})

test('A thousand of the longest texts are decided, however many ways a pattern has', () => {
  for (const source of ['(a*){60}', '((a?){30})*', `(${'a|'.repeat(30)}a)*`, '(a+)+']) {
    const held = matching()
    for (let n = 0; n < 1000; n++) expect(held.verdict(source, 'a'.repeat(MATCHED_MAX))).toBeNull()
  }
})

test('The matching of one record has a limit: one text reports it, later ones are skipped', () => {
  let bits = 1
  const next = () => {
    bits = (bits * 48271) % 2147483647
    return bits % 2 ? 'a' : 'b'
  }
  // Each text leads through states that no earlier text reached.
  const text = () => Array.from({ length: MATCHED_MAX }, next).join('')
  const costly: [string, (n: number) => [source: string, text: string]][] = [
    ['states', () => ['[ab]*a[ab]{240}', text()]],
    ['an invalid pattern', (n) => [`${'a'.repeat(240)}(${n}`, 'a']],
    ['patterns', (n) => [`(a*){60}${n}`, 'a']],
    [
      'characters',
      (n) => [
        '(?:[\\p{L}][^\\p{L}])*.*',
        Array.from({ length: 500 }, (_, at) => String.fromCodePoint(0x10000 + ((500 * n + at) % 0x100000))).join(''),
      ],
    ],
  ]
  for (const [what, made] of costly) {
    const held = matching()
    // Cached states cost less.
    let met = 0
    const round = () =>
      Array.from({ length: 2000 }, () => held.verdict(...made(met++))).filter(
        (verdict) => verdict === 'too_much_to_match',
      ).length
    expect([what, round()]).toEqual([what, 1])
    expect([what, held.verdict('a', 'b')]).toEqual([what, null])
    held.renew()
    expect([what, held.verdict('a', 'b'), round()]).toEqual([what, 'invalid_format', 1])
  }
})
