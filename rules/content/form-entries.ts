// The entries of a form that a buyer filled in, as carts and orders keep them.
import { z } from 'zod'
import { PartName } from '../input/identities.ts'

/** Only the shape is checked, not the fields of the form. */
export const FormEntry = z
  .strictObject({
    key: PartName.describe('Key of the form.'),
    entries: z
      .array(
        z.strictObject({
          key: PartName.describe('Key of the field.'),
          value: z.unknown().describe('The value, any JSON.'),
        }),
      )
      .max(200)
      .describe("Values of the form's fields, 200 at most."),
  })
  .meta({ id: 'FormEntry' })
export type FormEntry = z.infer<typeof FormEntry>
