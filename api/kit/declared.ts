// A field that a rule checks, and whose shape is declared for the document and for the types of clients only.
//   nodes: z.record(z.string(), declaredAs(z.unknown(), GraphNode))
import type { z } from 'zod'

const shapes = new WeakMap<z.core.$ZodType, z.ZodType>()

/** A field that is parsed as `checked`, and documented and typed as `shape`. */
export function declaredAs<T extends z.ZodType>(checked: z.ZodType, shape: T): z.ZodType<z.input<T>, z.input<T>> {
  const field = checked.clone()
  shapes.set(field, shape)
  // The type is the declared one: `checked` parses a value of it, and zod cannot know.
  return field as z.ZodType<z.input<T>, z.input<T>>
}

/** The declared shape; also found for a copy of the field, such as one with another description. */
export function declarationOf(field: z.core.$ZodType | undefined): z.ZodType | undefined {
  return field && (shapes.get(field) ?? declarationOf(field._zod.parent))
}
