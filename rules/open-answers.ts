// Objects of answers with members that their shape does not declare, such as the evidence of an effect.
import { z } from 'zod'

const open = new WeakSet<z.core.$ZodType>()
/**
 * An object of answers that may have more members than its shape declares. The server names all of them, so the
 * business surface spells all of them.
 */
export function answersMore<T extends z.ZodObject>(shape: T): T {
  open.add(shape)
  return shape
}

/** Such an object of any members. */
export const anyMembers = () => answersMore(z.looseObject({}))

/** The declared members of such an object, also of a copy with another description; undefined for any other shape. */
export function openFieldsOf(
  schema: z.core.$ZodType | undefined,
): Readonly<Record<string, z.core.$ZodType>> | undefined {
  if (!(schema instanceof z.ZodObject)) return undefined
  return open.has(schema) ? schema.shape : openFieldsOf(schema._zod.parent)
}
