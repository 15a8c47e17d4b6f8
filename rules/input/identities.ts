// Keys and slugs that callers choose.
import { z } from 'zod'
import { ofKind } from './kinds.ts'
import { textForm } from './texts.ts'

/** A key chosen by the caller: 1 to 255 printable characters. */
export const Key = ofKind(
  'key',
  z
    .string()
    .overwrite(textForm)
    .min(1)
    .max(255)
    .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'Expected one line of text without control characters.')
    .meta({
      id: 'Key',
      description: 'A key that the caller chooses: one line of 1 to 255 characters, kept in Unicode NFC.',
    }),
)

/** The name by which a part of a body is referred to; older ones may have control characters. */
export const PartName = ofKind('key', z.string().overwrite(textForm).min(1).max(255))

/** The part of an address that names a record in one language. */
export const Slug = ofKind(
  'slug',
  z
    .string()
    .overwrite(textForm)
    .min(1)
    .max(255)
    .meta({ id: 'Slug', description: 'A slug of 1 to 255 characters, kept in Unicode NFC.' }),
)

/** A store's key: a slug of at least 3 characters. */
export const StoreKey = ofKind(
  'key',
  z
    .string()
    .min(3)
    .max(63)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'Expected lower-case letters and digits, with single hyphens between them.'),
)
