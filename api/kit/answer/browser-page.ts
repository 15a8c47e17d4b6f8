// Pages for the browser of a person whom a network or an e-mail sends, in place of the JSON that programs get: they ask
// for HTML (`Accept`).
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { escaped } from '../../../rules/mail/mail-page.ts'
import type { Refusal } from '../../../rules/refusal.ts'
import { type Headers, headerOf } from '../caller.ts'
import type { Route } from '../route.ts'
import type { Problem } from './errors.ts'
import { Download, type PageText } from './replies.ts'

const style = `:root { color-scheme: light dark }
body { max-width: 32rem; margin: 4rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25 }
a { display: inline-block; padding: .5rem 1rem; border: 1px solid; border-radius: .25rem }`

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Whether a browser asks for a page. */
export const asksForPage = (headers: Headers): boolean => /\btext\/html\b/i.test(headerOf(headers, 'accept') ?? '')

/**
 * A page that no other site frames, no cache keeps, and no search engine lists. `title` is escaped here, `inner` is
 * HTML.
 */
export function browserPage(
  status: number,
  title: string,
  inner: string,
  headers: Record<string, string> = {},
): Download {
  const page = Buffer.from(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${style}</style></head>
<body><h1>${escaped(title)}</h1>
${inner}
</body></html>
`)
  const all = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': String(page.length),
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
    'Cache-Control': 'no-store',
    ...headers,
  }
  return new Download(status, all, async () => Readable.from([page]))
}

const tooMany: PageText = {
  title: 'There were too many requests',
  text: 'Wait a minute, then open the link again.',
}
const failed: PageText = {
  title: 'This did not work',
  text: 'The fault is on our side. Wait a minute, then open the link again.',
}

/**
 * The page in place of a problem; null for a route that no browser opens, and for clients that ask for no page.
 * `refusal` is undefined for a bug.
 */
export function refusalPage(
  { status, headers }: Problem,
  refusal: Refusal | undefined,
  route: Route | undefined,
  request: { headers: Headers; path: Readonly<Record<string, string>> },
): Download | null {
  if (!route?.answers.refusal || !asksForPage(request.headers)) return null
  const ours = status === 429 ? tooMany : status === 408 || status >= 500 || !refusal ? failed : null
  const { title, text } = ours ?? route.answers.refusal(refusal as Refusal, request.path)
  return browserPage(status, title, `<p>${escaped(text)}</p>`, headers)
}
