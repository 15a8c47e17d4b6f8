// E-mail addresses: what browsers accept, in one normal form.
import { z } from 'zod'
import { ofKind } from './kinds.ts'
import { isAscii } from './texts.ts'

/** A valid e-mail address of the HTML standard (4.10.5.1.5), in lower case. */
const pattern =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** The domain in ASCII (UTS #46, as in addresses of pages); undefined for what is no domain. */
function asciiDomain(domain: string): string | undefined {
  // All other characters have a meaning in an address of a page. The label at the end keeps the parser from reading an
  // address of IPv4.
  if (/[\0-,/:-@[-`{-\x7f]/.test(domain) || !URL.canParse(`http://${domain}.a`)) return undefined
  return new URL(`http://${domain}.a`).hostname.slice(0, -2)
}

/** The part before the @, and the domain in ASCII and lower case. Undefined for what has no such parts. */
function partsOf(text: string): { local: string; domain: string } | undefined {
  const written = text.trim()
  const at = written.lastIndexOf('@')
  const local = written.slice(0, Math.max(0, at))
  // Lower case of some other letters is in ASCII, such as of the sign for kelvin.
  if (local === '' || !isAscii(local)) return undefined
  const domain = written.slice(at + 1)
  const ascii = isAscii(domain) ? domain.toLowerCase() : asciiDomain(domain)
  return ascii === undefined ? undefined : { local, domain: ascii }
}

/**
 * The form in which an address is stored and compared: trimmed, in lower case, its domain in ASCII. Other text that is
 * no address is only trimmed.
 */
export function emailForm(text: string): string {
  if (isAscii(text)) return text.trim().toLowerCase()
  const parts = partsOf(text)
  return parts ? `${parts.local.toLowerCase()}@${parts.domain}` : text.trim()
}

/** The address that a mail is sent to: the part before the @ as it is written, which may be case-sensitive. */
export function recipientForm(text: string): string {
  const parts = partsOf(text)
  return parts ? `${parts.local}@${parts.domain}` : text.trim()
}

/**
 * An e-mail address, normalized; at most 254 characters (RFC 5321, 4.5.3.1.3, less the angle brackets), at most 64 of
 * them before the @ (4.5.3.1.1).
 */
export const EmailAddress = ofKind(
  'email',
  z
    .string()
    .max(1_000, { abort: true, error: 'Expected at most 254 characters.' })
    .overwrite(emailForm)
    .max(254)
    .check(z.email({ pattern }))
    .check(({ value, issues }) => {
      const wrong = (code: string, message: string) =>
        void issues.push({ code: 'custom', input: value, params: { code }, message })
      if (value.indexOf('@') > 64) wrong('custom', 'Expected at most 64 characters before the @.')
      // Programs that decode it would read another address (RFC 2047, 5 (3)).
      else if (value.includes('=?') && value.includes('?='))
        wrong('invalid_format', 'Expected an address without an encoded word.')
    })
    .meta({
      id: 'EmailAddress',
      description: 'An e-mail address, in any case. A domain may be written in Unicode; it is stored in ASCII.',
    }),
)

/** An address as it was written: of an import, whose rows fail one by one, or one that is only compared. */
export const WrittenAddress = ofKind('email', z.string().max(1_000))

/** The beginning of an address to search for: of a whole one in Unicode, its form. */
export const addressPrefix = (text: string): string => emailForm(text).toLowerCase()

/**
 * Whether third parties accept the address as well, some of which refuse a domain without a dot or uncommon characters.
 */
export const isPlainAddress = (text: string | null): boolean => z.email().safeParse(text).success

export const isEmailAddress = (text: string): boolean => EmailAddress.safeParse(text).success
