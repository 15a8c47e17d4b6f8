// A template gives the value it names or an error that names what is missing; it never prints "undefined" and never
// reaches a prototype.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  isTemplate,
  PRINTED_MAX,
  resolve,
  resolveUrl,
  type Scope,
  TemplateError,
  templatesIn,
} from '../../../rules/automation/templates.ts'
import { draws } from '../../kit/draws.ts'

const form = {
  name: 'Ada',
  age: 36,
  tags: ['a', 'b'],
  empty: null,
  yes: true,
  nested: { list: [{ id: 7 }], 'content-type': 'text/plain' },
  blank: '',
}
const scope = {
  input: { form, trigger: { body: 1 } },
  nodes: { 'get-user': { output: { status: 200, body: { id: 'u1' } } } },
}

const refused = (value: unknown, given: Parameters<typeof resolve>[1] = scope): string => {
  try {
    return `resolved to ${JSON.stringify(resolve(value, given))}`
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return `${error.code}: ${error.message}`
  }
}

test.each([
  ['{{input.form}}', form],
  ['{{input.form.name}}', 'Ada'],
  ['{{ input.form.age }}', 36],
  ['{{input.form.tags}}', ['a', 'b']],
  ['{{input.form.tags.1}}', 'b'],
  ['{{input.form.tags[1]}}', 'b'],
  ['{{input.form.nested.list[0].id}}', 7],
  ['{{input.form.nested.content-type}}', 'text/plain'],
  ['{{input.form.empty}}', null],
  ['{{input.form.yes}}', true],
  ['{{input.trigger.body}}', 1],
  ['{{nodes.get-user.output}}', { status: 200, body: { id: 'u1' } }],
  ['{{nodes.get-user.output.body.id}}', 'u1'],
])('The template %s keeps the type of its value', (template, expected) => {
  expect(isTemplate(template)).toBe(true)
  expect(resolve(template, scope)).toEqual(expected)
})

test('A template returns any JSON value unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      expect(resolve('{{input.a.v}}', { input: { a: { v: value } }, nodes: {} })).toBe(value),
    ),
  )
})

test.each([
  ['Dear {{input.form.name}}, {{input.form.age}}', 'Dear Ada, 36'],
  ['tags={{input.form.tags}}', 'tags=["a","b"]'],
  [' {{input.form.nested}}', ' {"list":[{"id":7}],"content-type":"text/plain"}'],
  ['{{input.form.yes}}{{input.form.empty}}', 'truenull'],
  ['[{{input.form.blank}}]', '[]'],
  ['{"a":{"b":{{input.form.age}}}}', '{"a":{"b":36}}'],
  ['{{{input.form.age}}}', '{36}'],
  ['no template } } { { }}', 'no template } } { { }}'],
])('The text %s renders as %s', (text, expected) => expect(resolve(text, scope)).toBe(expected))

test('An inserted value is not read for templates or replacement patterns', () => {
  const given = { input: { a: { x: '{{nodes.secret.output}} $& $1', y: 1 } }, nodes: { secret: { output: 's' } } }
  expect(resolve('> {{input.a.x}} {{input.a.y}}', given)).toBe('> {{nodes.secret.output}} $& $1 1')
})

test('Strings are resolved at any depth of objects and arrays, and keys stay unchanged', () => {
  expect(
    resolve(
      { to: ['{{input.form.name}}', { '{{input.form.name}}': 'x{{input.form.age}}' }], n: 1, b: false, z: null },
      scope,
    ),
  ).toEqual({
    to: ['Ada', { '{{input.form.name}}': 'x36' }],
    n: 1,
    b: false,
    z: null,
  })
  expect(Object.keys(resolve(JSON.parse('{"__proto__": "{{input.form.age}}"}'), scope) as object)).toEqual([
    '__proto__',
  ])
})

test.each([
  ['{{input.form.nmae}}', 'input.form.nmae'],
  ['Hi {{ input.form.nested.deep.er }}', 'input.form.nested.deep'],
  ['{{input.other}}', 'input.other'],
  ['{{nodes.form.output}}', 'nodes.form'],
  ['{{input.form.tags.2}}', 'input.form.tags.2'],
  ['{{input.form.tags.length}}', 'input.form.tags.length'],
  ['{{input.form.tags.01}}', 'input.form.tags.01'],
  ['{{input.form.tags.map}}', 'input.form.tags.map'],
  ['{{input.form.name.length}}', 'input.form.name.length'],
  ['{{input.form.name.0}}', 'input.form.name.0'],
  ['{{input.form.empty.x}}', 'input.form.empty.x'],
  ['{{input.form.toString}}', 'input.form.toString'],
  ['{{input.hasOwnProperty}}', 'input.hasOwnProperty'],
])('The missing value of %s is an error that names its path', (text, path) =>
  expect(refused(text)).toMatch(new RegExp(`^template_missing: there is no ${path.replaceAll('.', '[.]')}, which`)),
)

test('A value that was never stored is missing, not undefined', () => {
  expect(refused('{{input.a.x}} {{nodes.b.output}}', { input: { a: { x: undefined } }, nodes: {} })).toContain(
    'no input.a.x',
  )
  expect(refused('{{nodes.b.output}}', { input: {}, nodes: { b: { output: undefined } } })).toContain(
    'no nodes.b.output',
  )
})

test.each([
  '{{}}',
  '{{ }}',
  '{{input}}',
  '{{form.name}}',
  '{{nodes.form}}',
  '{{nodes.form.body}}',
  '{{input..form}}',
  '{{input.form.}}',
  '{{input.form name}}',
  '{{input.form.name | upper}}',
  '{{input.form["name"]}}',
  '{{input.form.__proto__}}',
  '{{input.form.constructor}}',
  '{{input.constructor.prototype}}',
  '{{input.__proto__.x}}',
  'x {{input.form.name',
  '{{input.form.name}',
  '{{input.{form}}}',
])('The malformed template %s is an error, not text', (text) => expect(refused(text)).toMatch(/^template_malformed: /))

test('Templates have a limit of output', () => {
  const given = { input: { a: { text: 'x'.repeat(PRINTED_MAX / 4) } }, nodes: {} }
  expect(resolve(['{{input.a.text}} ', '-{{input.a.text}}'], given)).toHaveLength(2)
  expect(refused(Array(5).fill('{{input.a.text}} '), given)).toMatch(/^template_too_large/)
  expect(refused(Array(5).fill('{{input.a}}'), given)).toMatch(/^template_too_large/)
})

test('All templates of a value are found with their places', () => {
  expect(
    templatesIn({
      url: 'https://x/{{input.a.b[0]}}',
      list: [1, '{{nodes.c.output}} {{wrong}}'],
      '{{input.key}}': null,
    }),
  ).toEqual([
    { at: ['url'], template: { text: '{{input.a.b[0]}}', place: { root: 'input', node: 'a', path: ['b', '0'] } } },
    { at: ['list', '1'], template: { text: '{{nodes.c.output}}', place: { root: 'nodes', node: 'c', path: [] } } },
    { at: ['list', '1'], template: { text: '{{wrong}}', place: null } },
  ])
  expect(templatesIn('{{input.a')).toEqual([{ at: [], template: { text: '{{', place: null } }])
})

describe('Templates in URLs', () => {
  const given = (values: Record<string, unknown>): Scope => ({ input: { a: values }, nodes: {} })

  test.each([
    [
      'https://x.test/users/{{input.a.v}}/notes',
      '../../admin?x=1#',
      'https://x.test/users/..%2F..%2Fadmin%3Fx%3D1%23/notes',
    ],
    ['https://x.test/?email={{input.a.v}}&b=1', 'a+b@x.test&c=2', 'https://x.test/?email=a%2Bb%40x.test%26c%3D2&b=1'],
    ['https://x.test/{{input.a.v}}', '%2e%2e', 'https://x.test/%252e%252e'],
    ['https://x.test/{{input.a.v}}.json', '..', 'https://x.test/...json'],
    ['https://x.test/?path={{input.a.v}}', '..', 'https://x.test/?path=..'],
    ['https://x.test/a/../{{input.a.v}}', 7, 'https://x.test/a/../7'],
    ['https://x.test/{{input.a.v}}', ['a', 1], 'https://x.test/%5B%22a%22%2C1%5D'],
    ['https://x.test/{{input.a.v}}', 'a\ud800\r\nb', 'https://x.test/a%EF%BF%BD%0D%0Ab'],
    ['https://x.test{{input.a.v}}', '@evil.test/', 'https://x.test%40evil.test%2F'],
    ['{{input.a.v}}', 'https://x.test/../a?b=c&d', 'https://x.test/../a?b=c&d'],
    ['{{input.a.v}}/users/{{input.a.v}}', 'https://x.test/a', 'https://x.test/a/users/https%3A%2F%2Fx.test%2Fa'],
  ])('The URL %s with %j is %s', (url, value, expected) => expect(resolveUrl(url, given({ v: value }))).toBe(expected))

  test.each([
    ['https://x.test/users/{{input.a.v}}', '..'],
    ['https://x.test/users/{{input.a.v}}/notes', '.'],
    ['https://x.test/users/.{{input.a.v}}?q', '.'],
    ['https://x.test/users/%2e{{input.a.v}}', '.'],
    ['{{input.a.base}}/{{input.a.v}}', '..'],
  ])('The URL %s with %j is refused because it leads to another path', (url, v) => {
    const scope = given({ v, base: 'https://x.test' })
    expect(() => resolveUrl(url, scope)).toThrow(expect.objectContaining({ code: 'url_invalid' }))
  })

  test('The origin and the path segments of a URL are its author’s, whatever the value', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string({ unit: fc.constantFrom('.', '/', '\\', '%2e', '?', '#', '@', ':', '\t', '%') }),
        ),
        (v) => {
          let url: URL
          try {
            url = new URL(
              resolveUrl('https://x.test/users/{{input.a.v}}/notes?q={{input.a.v}}&r=1#end', given({ v })) as string,
            )
          } catch (error) {
            expect(error).toMatchObject({ code: 'url_invalid' })
            return
          }
          expect([
            url.origin,
            url.pathname.split('/').length,
            url.pathname.slice(0, 7),
            url.pathname.slice(-6),
            url.hash,
          ]).toEqual([...['https://x.test', 4, '/users/', '/notes', '#end']])
          expect([...url.searchParams]).toEqual([
            ['q', v.toWellFormed()],
            ['r', '1'],
          ])
        },
      ),
      { numRuns: draws(400) },
    )
  })
})
