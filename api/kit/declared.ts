// A field whose faults a rule tells, at their places, and whose shape is known all the same: callers read the shape in the document and in their types.
//   nodes: z.record(z.string(), declaredAs(z.unknown(), GraphNode))
import type { z } from 'zod'

const shapes = new WeakMap<z.core.$ZodType, z.ZodType>()

/** Checked as `checked`, and declared and typed as `shape`. */
export function declaredAs<T extends z.ZodType>(checked: z.ZodType, shape: T): z.ZodType<z.input<T>, z.input<T>> {
  const field = checked.clone()
  shapes.set(field, shape)
  return field as unknown as z.ZodType<z.input<T>, z.input<T>>
}

/** Of a field with another description too: it is a copy. */
export function declarationOf(field: z.core.$ZodType | undefined): z.ZodType | undefined {
  return field && (shapes.get(field) ?? declarationOf(field._zod.parent))
}
