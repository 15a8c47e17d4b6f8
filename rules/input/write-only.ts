// What is secret goes in and never comes out: a placeholder is answered in its place, and the placeholder is never taken for a value.
import { z } from 'zod'
import { Headers } from '../automation/graph-shapes.ts'
import { invalid } from '../refusal.ts'

/** (API document 3, Webhook: the placeholder must never be sent back as a value.) */
export const REDACTED = '__redacted__' as const

const why = 'the placeholder is no value: leave the field out to keep what is stored'

/** What the document says of the text; of a pipe it would describe only the first shape, any string. */
function constraintsOf(shape: z.ZodType<string, string>): Record<string, unknown> {
  const described = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>
  return Object.fromEntries(['minLength', 'maxLength', 'pattern'].flatMap((name) => (described[name] === undefined ? [] : [[name, described[name]]])))
}

/** The shape of a secret text, which the placeholder is not: 422 `redacted_value`. */
export const writeOnly = (shape: z.ZodType<string, string>) =>
  z
    .string()
    // Alone: that it is no address either is not what is wrong.
    .refine((value) => value !== REDACTED, { message: why, params: { code: 'redacted_value' }, abort: true })
    .pipe(shape)
    .meta(constraintsOf(shape))

/** An absolute http or https address without user and password, at most 2048 characters. Whether it is public is asked when something is sent there. */
export const HttpUrl = z
  .string()
  .max(2048)
  .refine((text) => /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text), { message: 'not an absolute http or https URL', abort: true })
  .refine((text) => {
    const { username, password } = new URL(text)
    return username === '' && password === ''
  }, 'a URL holds no user and no password')

export const SecretUrl = writeOnly(HttpUrl).describe('Write-only: returned as `__redacted__`.')

/** Names and values in characters: more than four times what servers accept in one request. */
const HEADERS_CHARS_MAX = 65_536

/** Header names to values; the values are secret. */
export const SecretHeaders = Headers.refine(
  (headers) => Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0) <= HEADERS_CHARS_MAX,
  {
    message: `names and values have at most ${HEADERS_CHARS_MAX} characters together`,
    params: { code: 'too_big' },
  },
)
  .superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      if (value === REDACTED) context.addIssue({ code: 'custom', path: [name], message: why, params: { code: 'redacted_value' } })
      // As RFC 9110, 5.5: no template is filled in here, so what cannot be sent can be told now.
      else if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) context.addIssue({ code: 'custom', path: [name], message: 'not a header value of RFC 9110' })
    }
  })
  .describe('Write-only: each value is returned as `__redacted__`. The map replaces the stored one. Names and values have at most 65,536 characters together.')

/**
 * Kept header values are sent to the origin (scheme, host and port) that they were entered for, and to no other one: who changes the address may not be who
 * knows them. 422 `required` at /headers, where any are kept and `next` is of another origin. Addresses are absolute.
 */
export function keepHeadersAtOrigin(kept: Record<string, unknown>, before: string, next: { url?: string | undefined; headers?: unknown }): void {
  if (next.url === undefined || next.headers !== undefined || Object.keys(kept).length === 0 || new URL(next.url).origin === new URL(before).origin) return
  throw invalid('/headers', 'required', 'Required when `url` changes to another origin: the stored header values are kept for the present origin only.')
}

/** The names of a map as they are, its values hidden. */
export const redacted = (values: Record<string, unknown>): Record<string, typeof REDACTED> =>
  Object.fromEntries(Object.keys(values).map((name) => [name, REDACTED]))
