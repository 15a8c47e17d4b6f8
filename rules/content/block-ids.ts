// Completes the ids of blocks and schema items at any depth: an id that was sent is kept, a missing one is generated.

import { BLOCK_DEPTH_MAX, type BlockSchemaItem } from './block-schemas.ts'
import { asBlock, type Block } from './block-shape.ts'

const idsIn = (schema: readonly BlockSchemaItem[]): (string | undefined)[] =>
  schema.flatMap(({ id, children = [] }) => [id, ...idsIn(children)])

/**
 * The items with their ids, children included. An item without an id takes the id of the stored item with its key and
 * type at the same place, if there is one (`before`: the schema that is replaced).
 */
export const schemaWithIds = (
  schema: readonly BlockSchemaItem[],
  newId: () => string,
  before: readonly BlockSchemaItem[] = [],
): BlockSchemaItem[] => {
  // Ids are unique in the whole schema: an id that was sent for another item is not taken.
  const sent = new Set(idsIn(schema))
  const named = (items: readonly BlockSchemaItem[], stored: readonly BlockSchemaItem[]): BlockSchemaItem[] =>
    items.map((item) => {
      const same = stored.find(
        (one) => (item.id === undefined ? one.key === item.key : one.id === item.id) && one.type === item.type,
      )
      const id = item.id ?? (same && !sent.has(same.id) ? same.id : undefined) ?? newId()
      return { ...item, id, ...(item.children ? { children: named(item.children, same?.children ?? []) } : {}) }
    })
  return named(schema, before)
}

const nests = (type: string) => type === 'object' || type === 'list'

const identified = (value: unknown, newId: () => string, left: number): unknown => {
  const block = asBlock(value)
  if (!block || left === 0) return value
  const inner =
    nests(block.type) && Array.isArray(block.value)
      ? { value: block.value.map((one) => identified(one, newId, left - 1)) }
      : {}
  return { ...block, id: block.id ?? newId(), ...inner }
}

/**
 * The blocks with their ids. Works without a schema, as there may be none: in an object or a list, any value with the
 * form of a block is treated as one, as in `withoutReference`; other values stay as they are.
 */
export const blocksWithIds = (blocks: readonly Block[], newId: () => string): Block[] =>
  blocks.map((block) => identified(block, newId, BLOCK_DEPTH_MAX) as Block)
