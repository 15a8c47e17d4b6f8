// Key-value data of the installation: limits of keys and values, and ranges of keys with a prefix.
import { z } from 'zod'
import { eachLeaf } from '../input/json-leaves.ts'
import { digitsHidden } from '../input/numbers.ts'

const bytesMax = { key: 512, value: 256 * 1024 }

const bytesOf = (text: string) => new TextEncoder().encode(text).length
const utf8 = (text: string) => bytesOf(text) <= bytesMax.key

/** 1 to 512 bytes of UTF-8, not normalized: composed and decomposed letters are different keys. */
export const DataKey = z
  .string()
  .min(1)
  .refine(utf8, { message: `Expected at most ${bytesMax.key} bytes of UTF-8.`, params: { code: 'too_big' } })
  .describe('Key of 1 to 512 bytes of UTF-8.')

/** The size of a value as jsonb stores it; of a value that exceeds the limit as JSON, its size as JSON. */
function measure(value: unknown): number {
  const bytes = bytesOf(JSON.stringify(value))
  if (bytes > bytesMax.value) return bytes
  let hidden = 0
  eachLeaf(value, [], (leaf) => {
    if (typeof leaf === 'number') hidden += digitsHidden(leaf)
  })
  return bytes + hidden
}

/** Any JSON of at most 256 KiB, null included. A missing value is an error. */
export const DataValue = z
  .unknown()
  .check(({ value, issues }) => {
    const wrong = (code: string, message: string) =>
      void issues.push({ code: 'custom', input: value, params: { code }, message })
    if (value === undefined) return wrong('required', 'This field is required.')
    if (measure(value) > bytesMax.value) wrong('too_big', 'Expected at most 256 KiB of JSON.')
  })
  .describe('Any JSON of at most 256 KiB.')

const last = 0x10ffff
/** Skips the surrogates. */
const next = (point: number) => (point === 0xd7ff ? 0xe000 : point + 1)

/** The first string, in the order of UTF-8 bytes, after all strings with the prefix; null if there is none. */
export function endOf(prefix: string): string | null {
  const points = [...prefix].map((char) => char.codePointAt(0) as number)
  while (points.at(-1) === last) points.pop()
  const point = points.pop()
  return point === undefined ? null : String.fromCodePoint(...points, next(point))
}
