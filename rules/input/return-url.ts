// A browser is only ever sent back to a place that is safe to name: https, or the caller's own machine.
import { z } from 'zod'

const lengthMax = 2048

export type ReturnUrlRefusal = 'url_invalid' | 'url_too_long' | 'url_not_https' | 'url_has_credentials'

export type CheckedReturnUrl = { ok: true; url: string } | { ok: false; code: ReturnUrlRefusal; detail: string }

const isLoopback = (hostname: string) =>
  hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === '[::1]'

const refuse = (code: ReturnUrlRefusal, detail: string): CheckedReturnUrl => ({ ok: false, code, detail })

/**
 * An absolute https URL without credentials, its fragment removed; http for `localhost`, `*.localhost`, 127.0.0.0/8 and [::1] only.
 * At most 2048 characters (API document 1, Carts, quotes and checkout, rule 3; the URL is parsed as the WHATWG says, so that our reading is the browser's).
 */
export const returnUrl = (value: string): CheckedReturnUrl => {
  if (value.length > lengthMax) return refuse('url_too_long', `a URL has at most ${lengthMax} characters`)
  // The parser would repair `https:shop.example`, `https:\\shop.example` and stray blanks: what has to be repaired is not an absolute URL.
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s\\]+$/i.test(value) || !URL.canParse(value)) return refuse('url_invalid', 'not an absolute URL')
  const url = new URL(value)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return refuse('url_not_https', 'https is required, except for localhost and loopback addresses')
  }
  if (url.username || url.password) return refuse('url_has_credentials', 'a URL must not carry credentials')
  url.hash = ''
  if (url.href.length > lengthMax) return refuse('url_too_long', `a URL has at most ${lengthMax} characters`)
  return { ok: true, url: url.href }
}

/** The same rule as an input shape: normalized by parsing, refused with the code in the issue's `params.code`. */
export const ReturnUrl = z
  .string()
  .max(lengthMax)
  .superRefine((value, ctx) => {
    const checked = returnUrl(value)
    if (!checked.ok) ctx.addIssue({ code: 'custom', message: checked.detail, params: { code: checked.code } })
  })
  .overwrite((value) => {
    const checked = returnUrl(value)
    return checked.ok ? checked.url : value
  })
