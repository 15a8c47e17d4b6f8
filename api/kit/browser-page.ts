// Pages for the browser of a person whom a network or an e-mail sends, in place of the JSON that programs get: they ask for HTML (`Accept`).
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { escaped } from '../../rules/mail/mail-page.ts'
import { Refusal } from '../../rules/refusal.ts'
import { type Headers, headerOf } from './caller.ts'
import { Download } from './route.ts'

const style = `:root { color-scheme: light dark }
body { max-width: 32rem; margin: 4rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
a { display: inline-block; padding: .5rem 1rem; border: 1px solid; border-radius: .25rem }`

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Whether a browser asks for a page. */
export const asksForPage = (headers: Headers): boolean => /\btext\/html\b/i.test(headerOf(headers, 'accept') ?? '')

/** A page that no other site frames, no cache keeps, and no search engine lists. `title` is escaped here, `inner` is HTML. */
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

/** What `answer` returns; in a browser, a page that says why it was refused, which a route may return in place of its body. */
export async function orRefusalPage<T>(headers: Headers, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    if (!(error instanceof Refusal) || !asksForPage(headers)) throw error
    return browserPage(error.status, 'This link is not valid', `<p>${escaped(error.message)}</p>`) as T
  }
}
