// Kinds of values that are compared and can be spelled in several ways. The shape of a field declares its kind; each
// kind has one normal form, which its own file of this folder makes. test/every-kind.test.ts runs equal and different
// spellings through every field.
import type { z } from 'zod'

export const kinds = ['email', 'phone', 'postal_code', 'locale', 'key', 'slug', 'text', 'search'] as const
/**
 * `text`: any other text that is compared, such as a promo code, a SKU or a file name. `search`: words to search for.
 */
export type Kind = (typeof kinds)[number]

const kindByShape = new WeakMap<z.core.$ZodType, Kind>()

/** Declares the kind of a shape. Shapes that are derived from it, such as one with a description, have it too. */
export function ofKind<T extends z.core.$ZodType>(kind: Kind, shape: T): T {
  kindByShape.set(shape, kind)
  return shape
}

/** The declared kind; undefined without one. */
export const kindOf = (shape: z.core.$ZodType | undefined): Kind | undefined =>
  shape && (kindByShape.get(shape) ?? kindOf(shape._zod.parent))
