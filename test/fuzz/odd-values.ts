// Odd values: texts and numbers at the edges of what can be stored, and bodies with one certain fault.
import type { Random } from '../chaos/random.ts'

const texts: readonly string[] = [
  ...[
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfffx',
    '\u202eoverride',
    '\u200b',
    'a\u0301\u0301\u0301',
    '😀👩‍👩‍👧‍👦',
    'שלום',
    '\u2028',
    '\uffff',
    '\r\nSet-Cookie: x=1',
  ],
  ...[
    '%',
    '_',
    '%_%',
    ':',
    ':*',
    "'",
    "''--",
    '"',
    '\\',
    '\\u0000',
    '`',
    '$1',
    '{{x}}',
    '{% raw %}',
    '{{ x | upcase }}',
    '<script>alert(1)</script>',
    '../../etc/passwd',
    '|',
    '&',
    '!',
    '()',
    '<->',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'null',
    'undefined',
    'true',
    'NaN',
    '-0',
    '1e308',
    '[]',
    '{}',
    '1,2',
    ',',
    '0x10',
    '٣',
    '\ufeff',
    '\u0130',
    'ß',
    'x'.repeat(255),
    'x'.repeat(256),
  ],
  ...[
    'x'.repeat(10_000),
    '😀'.repeat(300),
    'https://[::1',
    'http://169.254.169.254/',
    'javascript:alert(1)',
    '9999-12-31',
    '0000-01-01',
    '2025-02-29',
    '24:00',
    'Etc/Unknown',
    'mailto:x@y.z',
  ],
]
/** As they are written in JSON, because JavaScript's numbers cannot represent all of them. */
const numbers: readonly string[] = [
  ...[
    '-0',
    '0.1',
    '-1',
    '1e308',
    '-1e308',
    '1e400',
    '5e-324',
    '2147483647',
    '2147483648',
    '-2147483649',
    '9007199254740991',
    '9007199254740992',
    '9223372036854775807',
  ],
  ...[
    '9223372036854775808',
    '-9223372036854775809',
    '1.0',
    '1e2',
    '123456789012345678901234567890',
    '253402300800',
    '0.30000000000000004',
  ],
]

const mark = '@raw@'
/** The text of a body, with the numbers that JSON.stringify would not write. */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value).replaceAll(new RegExp(`"${mark}([^"@]+)@"`, 'g'), '$1')

export const oddText = (draw: Random): string => draw.pick(texts)
const oddNumber = (draw: Random): string => `${mark}${draw.pick(numbers)}@`

type Place = { holder: Record<string, unknown> | unknown[]; key: string | number }

function placesOf(value: unknown, found: Place[] = []): Place[] {
  if (value === null || typeof value !== 'object') return found
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    found.push({ holder: value as Record<string, unknown>, key })
    placesOf((value as Record<string | number, unknown>)[key], found)
  }
  return found
}

const at = ({ holder, key }: Place): unknown => (holder as Record<string | number, unknown>)[key]
const put = ({ holder, key }: Place, value: unknown): void => {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true })
}

/** The same value with an odd text or number in place of one of the same type. */
export function odd(value: unknown, draw: Random): unknown {
  const copy = structuredClone(value)
  const places = placesOf(copy).filter((place) => ['string', 'number'].includes(typeof at(place)))
  if (places.length === 0) return copy
  for (let turn = draw.whole(1, 2); turn > 0; turn--) {
    const place = draw.pick(places)
    put(place, typeof at(place) === 'number' ? oddNumber(draw) : oddText(draw))
  }
  return copy
}

const wrongs: readonly unknown[] = [null, true, -1.5, 'wrong', [], {}, [{ wrong: 1 }], { wrong: [] }, `${mark}1e400@`]

function misplaced(value: unknown, draw: Random): unknown {
  const copy = structuredClone(value)
  const places = placesOf(copy)
  if (places.length > 0) put(draw.pick(places), draw.pick(wrongs))
  return copy
}

function without(value: unknown, draw: Random): unknown {
  const copy = structuredClone(value)
  const places = placesOf(copy).filter(({ holder }) => !Array.isArray(holder))
  if (places.length === 0) return copy
  const { holder, key } = draw.pick(places)
  Reflect.deleteProperty(holder, key)
  return copy
}

function stuffed(value: unknown, draw: Random): unknown {
  const copy = structuredClone(value)
  const holders = [copy, ...placesOf(copy).map(at)].filter(
    (one) => one !== null && typeof one === 'object' && !Array.isArray(one),
  ) as Record<string, unknown>[]
  if (holders.length > 0)
    put(
      { holder: draw.pick(holders), key: draw.pick(['no_such_field', '__proto__', 'constructor', '', 'a/b~c']) },
      draw.pick(wrongs),
    )
  return copy
}

const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

export type Sent = { text: string | Buffer; type: string; headers?: Record<string, string> }

/** Invalid for certain, or at least never intended. */
export function spoiled(value: unknown, type: string, draw: Random): Sent {
  const text = jsonOf(value)
  const first = Object.keys((value as object) ?? {})[0] ?? 'x'
  return draw.weighted<() => Sent>([
    [5, () => ({ text: jsonOf(misplaced(value, draw)), type })],
    [4, () => ({ text: jsonOf(without(value, draw)), type })],
    [3, () => ({ text: jsonOf(stuffed(value, draw)), type })],
    [
      1,
      () => ({
        text,
        type: draw.pick([
          'text/plain',
          'application/xml',
          'application/x-www-form-urlencoded',
          'multipart/form-data',
          'application/json; charset=latin1',
          'x',
          '',
        ]),
      }),
    ],
    [
      1,
      () => ({
        text: draw.pick([
          '{',
          '{"a":1,}',
          '[',
          '"',
          'nul',
          `${text}x`,
          text.slice(0, -1),
          "{'a': 1}",
          '\u0000',
          '{"a":\u00001}',
          '\ufeff{}',
          '',
        ]),
        type,
      }),
    ],
    [1, () => ({ text: draw.pick(['[]', 'null', '1', '"text"', 'true', '-0', '1e999', '[{}]']), type })],
    [1, () => ({ text: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), type })],
    [1, () => ({ text: `{${JSON.stringify(first)}:${deep(draw.pick([50, 99, 101, 5000]))}}`, type })],
    [0.3, () => ({ text: `{${JSON.stringify(first)}:[${Array(20_000).fill('{}').join(',')}]}`, type })],
    [0.2, () => ({ text: `{${JSON.stringify(first)}:"${'x'.repeat(1_100_000)}"}`, type })],
    [0.5, () => ({ text, type, headers: { 'content-encoding': draw.pick(['gzip', 'br', 'identity', 'x']) } })],
    [
      1,
      () => ({
        text: `${text.slice(0, -1)}${text === '{}' ? '' : ','}${JSON.stringify(first)}:1,${JSON.stringify(first)}:null}`,
        type,
      }),
    ],
  ])()
}
