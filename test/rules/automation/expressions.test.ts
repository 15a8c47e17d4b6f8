// Data never becomes code: the evaluated expression depends on its author's text alone.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is tested is JavaScript in strings
import { Script } from 'node:vm'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { newSandbox } from '../../../activities/automation/sandbox.ts'
import { expressionOf } from '../../../rules/automation/expressions.ts'
import { TemplateError } from '../../../rules/automation/templates.ts'
import { draws } from '../../kit/draws.ts'
import { processorMs } from '../../kit/stack/processor-time.ts'

const x = (value: unknown) => ({ input: { a: { x: value } }, nodes: {} })
const codeOf = (text: string, value: unknown = 1) => expressionOf(text, x(value)).code
const sandbox = newSandbox(1)
const evaluate = (text: string, value: unknown) => {
  const { code, ...templates } = expressionOf(text, x(value))
  return sandbox.evaluate({ code, kind: 'expression', ...x(value), templates })
}

const attacks = [
  "' || true || '",
  '" || true || "',
  '`+(1)+`',
  '${steal()}',
  '")) || true || (("',
  '*/ true /*',
  '\u2028 true',
  '/i || true || /',
  '\\',
]

test.each([
  ['{{input.a.x}} > 30', '(__t[0]) > 30'],
  [`'{{input.a.x}}' === 'admin'`, "`${__t[0]}` === 'admin'"],
  ['`a ${f(`{{input.a.x}}`, { b: {{input.a.x}} })} {{input.a.x}}`', '`a ${f(`${__t[0]}`, { b: (__t[1]) })} ${__t[2]}`'],
  ['1 // {{input.a.x}}', '1 // (__t[0])'],
  ["1 /* {{input.a.x}} ' */ + {{input.a.x}}", "1 /* (__t[0]) ' */ + (__t[1])"],
  ['/^a{{input.a.x}}["/]$/i.test("b")', 'RegExp("^a" + __t[0] + "[\\"/]$", "i").test("b")'],
  ['4 / 2 + "{{input.a.x}}" / 1', '4 / 2 + `${__t[0]}` / 1'],
  ['__t + {{input.a.x}}', '__t + (__t_[0])'],
  ['({ "{{input.a.x}}": 1, a: 2, \'b{{input.a.x}}\' : 3 })', '({ [`${__t[0]}`]: 1, a: 2, [`b${__t[1]}`] : 3 })'],
  ['({ "{{input.a.x}}"(b) {} })', '({ [`${__t[0]}`](b) {} })'],
  ["a ? '{{input.a.x}}' : [b, '{{input.a.x}}']", 'a ? `${__t[0]}` : [b, `${__t[1]}`]'],
  ["'\\{{input.a.x}}' + '\\\\{{input.a.x}}'", '`${__t[0]}` + `\\\\${__t[1]}`'],
  ['`\\{{input.a.x}}`', '`${__t[0]}`'],
  ['/\\{{input.a.x}}/', 'RegExp("" + __t[0] + "", "")'],
  ['return /* a */ /{{input.a.x}}/', 'return /* a */ RegExp("" + __t[0] + "", "")'],
])('The expression %s compiles with its templates replaced by variables', (text, code) =>
  expect(codeOf(text)).toBe(code),
)

test.each(['{{input.a.x', "'{{input.a.x'", '{{wrong}}', "'{{wrong}}'", '{{input.a.y}}'])(
  'The expression %s, whose template is malformed, is an error',
  (text) => expect(() => codeOf(text)).toThrow(TemplateError),
)

test.each<[string, unknown, unknown]>([
  ['{{input.a.x}}.length', '"); steal("', 11],
  ['{{input.a.x}}.map((tag) => ({ tag }))', ['b'], [{ tag: 'b' }]],
  [`'{{input.a.x}}' === 'admin'`, 'admin', true],
  [`"{{input.a.x}}" + 'b'`, 'a', 'ab'],
  ['"a` {{input.a.x}} ${".concat("b")', 'z', 'a` z ${b'],
  [`'it\\'s "{{input.a.x}}"'`, 'z', `it's "z"`],
  [`'{{input.a.x}}'`, { n: 1 }, '{"n":1}'],
  ['`n = ${1 + 1}{{input.a.x}}`', 3, 'n = 23'],
  ['/^{{input.a.x}}$/.test("a.c")', 'a.c', true],
  ['/^{{input.a.x}}$/.test("abc")', 'a.c', false],
  ['({ "{{input.a.x}}": 1 })', 'b', { b: 1 }],
  ['[{ a: 1, "{{input.a.x}}" : {{input.a.x}} }]', 'b', [{ a: 1, b: 'b' }]],
  ["'\\{{input.a.x}}'", 'b', 'b'],
  ['/^\\{{input.a.x}}$/.test("a.c")', 'a.c', true],
  ['Object.keys({{input.a.x}})', JSON.parse('{"__proto__": 1}'), ['__proto__']],
])('The expression %s of %j has the expected value', async (text, value, expected) =>
  expect(await evaluate(text, value)).toEqual(expected),
)

test('An attack in the data takes no branch, wherever its template is', async () => {
  for (const data of attacks)
    for (const text of [
      `'{{input.a.x}}' === 'admin'`,
      '"{{input.a.x}}" === "admin"',
      '`{{input.a.x}}` === "admin"',
      '{{input.a.x}} === "admin"',
      '/^{{input.a.x}}$/.test("admin")',
      'false // {{input.a.x}}',
      'false /* {{input.a.x}} */',
    ])
      expect([text, data, await evaluate(text, data)]).toEqual([text, data, false])
})

test('The code of an expression is the same for any data', () => {
  const piece = fc.oneof(
    fc.constant('{{input.a.x}}'),
    fc.constantFrom(
      "'",
      '"',
      '`',
      '${',
      '}',
      '{',
      '/',
      '//',
      '/*',
      '*/',
      '\\',
      '\n',
      '(',
      ')',
      '[',
      ']',
      'return ',
      'a',
      ' + ',
      '__t',
    ),
    fc.string({ maxLength: 4 }),
  )
  const value = fc.oneof(fc.constantFrom(...attacks), fc.jsonValue())
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), value, value, (pieces, one, other) => {
      const text = pieces.join('')
      const made = [one, other].map((data) => {
        try {
          return codeOf(text, data)
        } catch (error) {
          return error instanceof TemplateError ? error.code : error
        }
      })
      expect(made[0]).toEqual(made[1])
    }),
    { numRuns: draws(400) },
  )
})

test('An expression that is valid without templates is valid with them', () => {
  const string = fc
    .string({ maxLength: 5 })
    .map((text) => JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll(/[{}]/g, ''))
  const hole = fc.constant('{{input.a.x}}')
  const inside = fc.array(fc.oneof(string, hole), { maxLength: 4 }).map((parts) => parts.join(''))
  const leaf = fc.oneof(
    hole,
    inside.map((text) => `'${text.replaceAll('\\"', '"')}'`),
    inside.map((text) => `"${text.replaceAll("\\'", "'")}"`),
    inside.map((text) => `\`${text.replaceAll('`', '\\`').replaceAll('${', '\\${')}\``),
    fc.constantFrom('1', 'input', '/* " */ 2', '/[/"]/i', '/b{{input.a.x}}/g'),
  )
  const tree = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc
        .tuple(tie('node'), fc.constantFrom('+', '/', '===', '||'), tie('node'))
        .map(([a, sign, b]) => `(${a} ${sign} ${b})`),
      tie('node').map((inner) => `\`a\${${inner}}{{input.a.x}}\``),
      tie('node').map((inner) => `[${inner}].map((b) => ({ b, c: {{input.a.x}} }))`),
    ),
  })).node
  fc.assert(
    fc.property(tree, fc.jsonValue(), (text, data) => {
      const code = codeOf(text, data)
      expect(() => new Script(`(${code})`)).not.toThrow()
      expect(code).not.toContain('{{')
    }),
    { numRuns: draws(250) },
  )
})

test('Reading an expression of 10,000 characters takes few milliseconds in every case', () => {
  const pieces = [
    '/',
    '[/',
    '/[',
    '/\\',
    '\\/',
    '/]',
    '/**/',
    '/*',
    '//\n',
    "'",
    '"',
    '`',
    '${',
    '{',
    '}',
    '{{',
    '\\',
    ' ',
    'a/',
    '__t_',
    "{'a':",
    "'a' ",
  ]
  const read = (text: string) => {
    try {
      codeOf(text)
    } catch (error) {
      expect(error).toBeInstanceOf(TemplateError)
    }
  }
  const slow = pieces.flatMap((one) =>
    pieces.flatMap((other) => {
      const text = (one + other).repeat(10_000 / (one + other).length)
      return processorMs(() => read(text), 20) > 20 ? [one + other] : []
    }),
  )
  expect(slow).toEqual([])
})
