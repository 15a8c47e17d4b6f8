// Keys that callers choose.
import { z } from 'zod'

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
