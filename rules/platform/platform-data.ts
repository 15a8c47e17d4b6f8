// The installation's own values: which keys and values there may be, and which keys begin with a text.
import { z } from 'zod'
import { eachLeaf } from '../input/json-leaves.ts'
import { digitsHidden } from '../input/numbers.ts'

const bytesMax = { key: 512, value: 256 * 1024 }

const bytesOf = (text: string) => new TextEncoder().encode(text).length
const utf8 = (text: string) => bytesOf(text) <= bytesMax.key

/** 1 to 512 bytes of UTF-8, taken as they are: composed and decomposed letters are two keys (design: content, Key-value data). */
export const DataKey = z
  .string()
  .min(1)
  .refine(utf8, { message: `longer than ${bytesMax.key} bytes of UTF-8`, params: { code: 'too_big' } })
  .describe('Key of 1 to 512 bytes of UTF-8.')

/** How long a value is where it is kept; of one that is too long anyway, how long it is as JSON. */
function measure(value: unknown): number {
  const bytes = bytesOf(JSON.stringify(value))
  if (bytes > bytesMax.value) return bytes
  let hidden = 0
  eachLeaf(value, [], (leaf) => {
    if (typeof leaf === 'number') hidden += digitsHidden(leaf)
  })
  return bytes + hidden
}

/** Any JSON of at most 256 KiB; null, false, 0 and "" are values, and a missing one is none. */
export const DataValue = z
  .unknown()
  .check(({ value, issues }) => {
    const wrong = (code: string, message: string) => void issues.push({ code: 'custom', input: value, params: { code }, message })
    if (value === undefined) return wrong('required', 'This field is required.')
    if (measure(value) > bytesMax.value) wrong('too_big', 'longer than 256 KiB as JSON')
  })
  .describe('Any JSON of at most 256 KiB.')

const last = 0x10ffff
/** Halves of characters are none. */
const next = (point: number) => (point === 0xd7ff ? 0xe000 : point + 1)

/** The first text, by bytes of UTF-8, after all that begin with `prefix`; null where they are the last there are. */
export function endOf(prefix: string): string | null {
  const points = [...prefix].map((char) => char.codePointAt(0) as number)
  while (points.at(-1) === last) points.pop()
  const point = points.pop()
  return point === undefined ? null : String.fromCodePoint(...points, next(point))
}
