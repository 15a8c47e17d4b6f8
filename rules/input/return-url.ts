// Addresses that a provider or a link leads the browser to: https, or http on the caller's own machine.
import { z } from 'zod'

const lengthMax = 2048

export type ReturnUrlRefusal = 'url_invalid' | 'url_too_long' | 'url_not_https' | 'url_has_credentials'

export type CheckedReturnUrl = { ok: true; url: string } | { ok: false; code: ReturnUrlRefusal; detail: string }

export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  /^127\.\d+\.\d+\.\d+$/.test(hostname) ||
  hostname === '[::1]'

const refuse = (code: ReturnUrlRefusal, detail: string): CheckedReturnUrl => ({ ok: false, code, detail })

/**
 * An absolute https URL without credentials, its fragment removed; http for `localhost`, `*.localhost`, 127.0.0.0/8 and
 * [::1] only.
 * At most 2048 characters. Parsed by the WHATWG rules, as browsers do.
 */
export const returnUrl = (value: string): CheckedReturnUrl => checked(value, false)

const checked = (value: string, keepsFragment: boolean): CheckedReturnUrl => {
  if (value.length > lengthMax) return refuse('url_too_long', `Expected at most ${lengthMax} characters.`)
  // The parser corrects `https:shop.example`, `https:\\shop.example` and blanks: such URLs are refused as not absolute.
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s\\]+$/i.test(value) || !URL.canParse(value))
    return refuse('url_invalid', 'Expected an absolute URL.')
  const url = new URL(value)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return refuse('url_not_https', 'Expected https, or http for localhost and loopback addresses.')
  }
  if (url.username || url.password)
    return refuse('url_has_credentials', 'Expected a URL without user name and password.')
  if (!keepsFragment) url.hash = ''
  if (url.href.length > lengthMax) return refuse('url_too_long', `Expected at most ${lengthMax} characters.`)
  return { ok: true, url: url.href }
}

/** A check as a shape: parsing normalizes the URL, an error has the code in `params.code`. */
const shapeOf = (check: (value: string) => CheckedReturnUrl) =>
  z
    .string()
    .max(lengthMax)
    .superRefine((value, ctx) => {
      const result = check(value)
      if (!result.ok) ctx.addIssue({ code: 'custom', message: result.detail, params: { code: result.code } })
    })
    .overwrite((value) => {
      const result = check(value)
      return result.ok ? result.url : value
    })

export const ReturnUrl = shapeOf(returnUrl)

/** A page of the store: as a return address, with its fragment, which storefronts may route by. */
export const PageUrl = shapeOf((value) => checked(value, true))
