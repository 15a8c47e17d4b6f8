// Every block and every item of a schema has an id: one that was sent stays, one that was left out is made, however deep it stands.
import { BLOCK_DEPTH_MAX, type BlockSchemaItem } from './block-schemas.ts'
import { Block } from './shapes.ts'

/** The items as they are stored, their children with them (API document 2, Collection). */
export const schemaWithIds = (schema: readonly BlockSchemaItem[], newId: () => string): BlockSchemaItem[] =>
  schema.map((item) => ({ ...item, id: item.id ?? newId(), ...(item.children ? { children: schemaWithIds(item.children, newId) } : {}) }))

const nests = (type: string) => type === 'object' || type === 'list'

const identified = (value: unknown, newId: () => string, left: number): unknown => {
  const block = Block.safeParse(value).data
  if (!block || left === 0) return value
  const inner = nests(block.type) && Array.isArray(block.value) ? { value: block.value.map((one) => identified(one, newId, left - 1)) } : {}
  return { ...block, id: block.id ?? newId(), ...inner }
}

/**
 * The blocks as they are stored. It asks for no schema, as there may be none: in an object or a list whatever is a block counts as one, as it does where
 * references are nulled; anything else in them stays as it is (design: content, Blocks).
 */
export const blocksWithIds = (blocks: readonly Block[], newId: () => string): Block[] =>
  blocks.map((block) => identified(block, newId, BLOCK_DEPTH_MAX) as Block)
