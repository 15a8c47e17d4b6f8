// E-mail addresses and keys, and how they are normalized.
import { z } from 'zod'

/** The form in which an address is stored and compared: trimmed, in lower case. */
export const normalizeEmail = (address: string): string => address.trim().toLowerCase()

/**
 * An e-mail address, normalized; at most 254 characters (RFC 5321, 4.5.3.1.3, less the angle brackets), at most 64 octets of them before the @ (4.5.3.1.1):
 * `z.email` allows ASCII only.
 */
export const Email = z
  .string()
  .overwrite(normalizeEmail)
  .max(254)
  .check(z.email())
  .refine((address) => address.indexOf('@') <= 64, 'Expected at most 64 characters before the @.')

/** A key chosen by the caller: 1 to 255 printable characters (design: content, Collections and entries). */
export const Key = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'Expected one line of text without control characters.')

/** A store's key: a slug of at least 3 characters (API document 3, Store). */
export const StoreKey = z
  .string()
  .min(3)
  .max(63)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Expected lower-case letters and digits, with single hyphens between them.')
