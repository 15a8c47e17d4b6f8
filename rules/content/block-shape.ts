// The shape of a content block.
import { z } from 'zod'
import { PartName } from '../input/identities.ts'
import { blockForm } from './block-forms.ts'
import { BlockMedia } from './media-shape.ts'

/** Types of blocks whose values are checked. */
const checkedTypes = [
  ...(['text', 'markdown', 'localized_text', 'localized_markdown', 'number', 'boolean', 'date', 'select'] as const),
  ...(['url', 'email', 'geo_location', 'media', 'entry', 'product', 'digital_product', 'object', 'list'] as const),
] as const
export type CheckedType = (typeof checkedTypes)[number]
/** `text`, … and `list` */
export const checkedTypesText = `${checkedTypes
  .slice(0, -1)
  .map((type) => `\`${type}\``)
  .join(', ')} and \`${checkedTypes.at(-1)}\``

/** rules/content/blocks.ts checks its type and value. */
export const Block = z
  .strictObject({
    id: PartName.optional().describe('Id of the block. Made by the server if it is left out.'),
    key: PartName.describe('Key of the block, as its schema names it.'),
    type: z
      .string()
      .min(1)
      .max(64)
      .describe(
        `Type of the value. Values of ${checkedTypesText} are checked, unless a collection has an empty schema; the value of \`media\` is the id of a file, served at \`/media/{id}/{variant}\`. Any other type is free: its value is stored as it is sent.`,
      ),
    properties: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("Properties of the block, in the caller's own shape."),
    value: z.unknown().optional().describe('The value, of this type.'),
    media: BlockMedia.optional().meta({
      readOnly: true,
      description:
        'In answers: the file of a block of the type `media`, nested ones included; left out while the file is not ready. Ignored in requests.',
    }),
  })
  .overwrite(blockForm)
  .meta({ id: 'Block' })
export type Block = z.infer<typeof Block>

/**
 * The value if it is a block. Values without a key and type are not parsed, as a failing parse costs a hundred times as
 * much.
 */
export const asBlock = (value: unknown): Block | undefined => {
  if (value === null || typeof value !== 'object') return undefined
  const { key, type } = value as Partial<Block>
  return typeof key === 'string' && typeof type === 'string' ? Block.safeParse(value).data : undefined
}
