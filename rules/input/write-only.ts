// Write-only values: answers return a placeholder, and the placeholder is refused as a value.
import { z } from 'zod'
import { invalid } from '../refusal.ts'
import { Headers } from './http-headers.ts'

/** Answered in place of a secret. It must never be sent back as a value. */
export const REDACTED = '__redacted__' as const

const placeholderRefused = 'The placeholder is not accepted as a value. Leave the field out to keep the stored value.'

/** The constraints for the document, which would otherwise describe only the first shape of the pipe: any string. */
function constraintsOf(shape: z.ZodType<string, string>): Record<string, unknown> {
  const described = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as Record<string, unknown>
  return Object.fromEntries(
    ['minLength', 'maxLength', 'pattern'].flatMap((name) =>
      described[name] === undefined ? [] : [[name, described[name]]],
    ),
  )
}

/** The shape of a secret. The placeholder is refused: 422 `redacted_value`. */
export const writeOnly = (shape: z.ZodType<string, string>) =>
  z
    .string()
    // Aborts, so that the placeholder is not also reported as an invalid address.
    .refine((value) => value !== REDACTED, {
      message: placeholderRefused,
      params: { code: 'redacted_value' },
      abort: true,
    })
    .pipe(shape)
    .meta(constraintsOf(shape))

/**
 * An absolute http or https address without user name and password, at most 2048 characters. Whether it is public is
 * checked when a request is sent.
 */
export const HttpUrl = z
  .string()
  .max(2048)
  .refine((text) => /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text), {
    message: 'Expected an absolute http or https URL.',
    abort: true,
  })
  .refine((text) => {
    const { username, password } = new URL(text)
    return username === '' && password === ''
  }, 'a URL holds no user and no password')

export const SecretUrl = writeOnly(HttpUrl).describe('Write-only: returned as `__redacted__`.')

/** Limit of names and values in characters: four times what most servers accept in one request. */
const HEADERS_CHARS_MAX = 65_536

/** Header names to values; the values are secret. */
export const SecretHeaders = Headers.refine(
  (headers) =>
    Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0) <= HEADERS_CHARS_MAX,
  {
    message: `Expected at most ${HEADERS_CHARS_MAX} characters in all names and values together.`,
    params: { code: 'too_big' },
  },
)
  .superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      if (value === REDACTED)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: placeholderRefused,
          params: { code: 'redacted_value' },
        })
      // RFC 9110, 5.5. These values have no templates, so they can be checked here.
      else if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
        context.addIssue({ code: 'custom', path: [name], message: 'Expected a header value (RFC 9110).' })
    }
  })
  .describe(
    'Write-only: each value is returned as `__redacted__`. The map replaces the stored one. Names and values have at most 65,536 characters together.',
  )

/**
 * Stored header values are sent only to the origin (scheme, host and port) that they were entered for: an operator who
 * changes the address may not know them. 422 `required` at /headers if any are stored and `next` has another origin.
 * Addresses are absolute.
 */
export function keepHeadersAtOrigin(
  stored: Record<string, unknown>,
  before: string,
  next: { url?: string | undefined; headers?: unknown },
): void {
  if (
    next.url === undefined ||
    next.headers !== undefined ||
    Object.keys(stored).length === 0 ||
    new URL(next.url).origin === new URL(before).origin
  )
    return
  throw invalid(
    '/headers',
    'required',
    'Required when `url` changes to another origin: stored header values are sent to their present origin only.',
  )
}

/** The map with its values replaced by the placeholder. */
export const redacted = (values: Record<string, unknown>): Record<string, typeof REDACTED> =>
  Object.fromEntries(Object.keys(values).map((name) => [name, REDACTED]))
