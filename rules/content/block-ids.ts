// Every block and every item of a schema has an id: one that was sent stays, one that was left out is made, however deep it stands.

import { asBlock, type Block } from '../shapes.ts'
import { BLOCK_DEPTH_MAX, type BlockSchemaItem } from './block-schemas.ts'

const idsIn = (schema: readonly BlockSchemaItem[]): (string | undefined)[] => schema.flatMap(({ id, children = [] }) => [id, ...idsIn(children)])

/**
 * The items as they are stored, their children with them: what is sent without an id is the stored item of its key and type beside it, if there is one
 * (`before`: the schema that this one replaces). API document 2, Collection.
 */
export const schemaWithIds = (schema: readonly BlockSchemaItem[], newId: () => string, before: readonly BlockSchemaItem[] = []): BlockSchemaItem[] => {
  // Ids are unique in the whole schema: what was sent with one has it.
  const sent = new Set(idsIn(schema))
  const named = (items: readonly BlockSchemaItem[], stored: readonly BlockSchemaItem[]): BlockSchemaItem[] =>
    items.map((item) => {
      const same = stored.find((one) => (item.id === undefined ? one.key === item.key : one.id === item.id) && one.type === item.type)
      const id = item.id ?? (same && !sent.has(same.id) ? same.id : undefined) ?? newId()
      return { ...item, id, ...(item.children ? { children: named(item.children, same?.children ?? []) } : {}) }
    })
  return named(schema, before)
}

const nests = (type: string) => type === 'object' || type === 'list'

const identified = (value: unknown, newId: () => string, left: number): unknown => {
  const block = asBlock(value)
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
