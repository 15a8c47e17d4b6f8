// Blocks are what their schema says: whatever is not is a fault at its own place, and every reference in them is known.
import type { z } from 'zod'
import { isDeeper } from '../input/json-leaves.ts'
import { pointerOf } from '../input/pointers.ts'
import { type Fault, faultsMax } from '../refusal.ts'
import { type Matching, matching } from '../regex/matching.ts'
import { asBlock, Block, Id } from '../shapes.ts'
import { BLOCK_DEPTH_MAX, type BlockSchemaItem, collectionOf, type OnDelete, onDeleteOf, type ReferenceKind, referenceKinds } from './block-schemas.ts'
import { isEmpty, shapeFaults, valueShape } from './block-values.ts'

/** Of objects and arrays in one block's value, nested blocks among them. */
export const VALUE_DEPTH_MAX = 50

type Path = readonly (string | number)[]
type Schema = readonly BlockSchemaItem[]

/** `languages`: the locales that localized values may have; without them any locale code. */
export type BlockOptions = { languages?: readonly string[] | undefined }

const fault = (path: Path, code: string, detail: string): Fault => ({ pointer: pointerOf(path), code, detail })

const nests = (type: string) => type === 'object' || type === 'list'

/** Its keys are looked up in a map: `__proto__` is a key like any other, and unknown. */
const byKey = (schema: Schema) => new Map(schema.map((item) => [item.key, item]))

/** A block that no schema describes says itself what it is. */
const itemOf = ({ key, type, properties }: Block): BlockSchemaItem => ({ key, type, ...(properties ? { properties } : {}) })

const checkOf = (languages: BlockOptions['languages'], held: Matching) => {
  // Made once per item: a list has many blocks of one.
  const shapes = new Map<BlockSchemaItem, z.ZodType | null>()
  const shapeOf = (item: BlockSchemaItem) => {
    const shape = shapes.has(item) ? (shapes.get(item) ?? null) : valueShape(item, held, languages)
    shapes.set(item, shape)
    return shape
  }

  const valueFaults = (item: BlockSchemaItem, value: unknown, at: Path): Fault[] => {
    if (item.required && isEmpty(item, value)) return [fault(at, 'required', `${item.key} is required.`)]
    if (value == null) return []
    const shape = shapeOf(item)
    if (!shape) return []
    const faults = shapeFaults(shape, value, at)
    return nests(item.type) && item.children?.length && Array.isArray(value) ? [...faults, ...faultsOf(value, item.children, at, item.type === 'list')] : faults
  }

  /** `repeats`: of a list the children are what its blocks may be, as often as they come; of an object they are its fields. `items` null: any. */
  const faultsOf = (blocks: readonly unknown[], items: Schema | null, at: Path, repeats: boolean): Fault[] => {
    // A level of blocks is two more of the path: an index and `value`.
    if (at.length > 2 * BLOCK_DEPTH_MAX) return [fault(at, 'too_deep', `Blocks are at most ${BLOCK_DEPTH_MAX} deep.`)]
    const known = byKey(items ?? [])
    const seen = new Set<unknown>()
    const faults: Fault[] = []
    for (const [index, block] of blocks.entries()) {
      // More than anybody reads: a value of a megabyte may have as many.
      if (faults.length > faultsMax) return faults
      const path = [...at, index]
      const key = block !== null && typeof block === 'object' ? Reflect.get(block, 'key') : undefined
      const malformed = shapeFaults(Block, block, path)
      const item = items ? known.get(key) : itemOf(Object(block))
      if (malformed.length > 0) faults.push(...malformed)
      else if (!item) faults.push(fault([...path, 'key'], 'unknown_key', 'The schema has no such block.'))
      else if (seen.has(key) && !repeats) faults.push(fault([...path, 'key'], 'duplicate', `It is there twice: ${key}`))
      else {
        const { type, value } = block as Block
        if (type !== item.type) faults.push(fault([...path, 'type'], 'type_differs', `The block is of type ${item.type}.`))
        else if (at.length === 1 && isDeeper(value, VALUE_DEPTH_MAX))
          faults.push(fault([...path, 'value'], 'too_deep', `Values are at most ${VALUE_DEPTH_MAX} deep.`))
        else faults.push(...valueFaults(item, value, [...path, 'value']))
      }
      seen.add(key)
    }
    if (!repeats) for (const { key, required } of items ?? []) if (required && !seen.has(key)) faults.push(fault(at, 'required', `${key} is required.`))
    return faults
  }

  return faultsOf
}

/**
 * Everything in which blocks are not what their schema says; a block that is missing is told at the list it is missing from. An empty schema says
 * that anything goes; where there can be none (null: products, services, providers) keys and types are free, and each value is held to what its own
 * block says it is. A type that is not ours has any value. That references
 * exist is not asked here (API document 2, Collection; design: content, Blocks). Codes: unknown_key, duplicate, required, type_differs, invalid_type,
 * invalid_format, too_small, too_big, not_an_option, unknown_locale, unknown_field, invalid_union (a date or an object that is none), too_deep,
 * too_much_to_match (once, where it began: what texts may cost that are held against patterns).
 */
export const blockFaults = (blocks: readonly Block[], schema: Schema | null | undefined, { languages }: BlockOptions = {}): Fault[] =>
  schema?.length === 0 ? [] : checkOf(languages, matching())(blocks, schema ?? null, ['blocks'], !schema)

/** Whether blocks are what this schema says, for many of them: the shapes of its items are made once. What one may cost is not what many may. */
export const blocksFit = (schema: Schema): ((blocks: readonly Block[]) => boolean) => {
  const held = matching()
  const faultsOf = checkOf(undefined, held)
  return (blocks) => {
    held.renew()
    return schema.length === 0 || faultsOf(blocks, schema, ['blocks'], false).length === 0
  }
}

/** `on_delete` is what the deletion of the target does, `required` heeded; `collection_id` where the entry has to be of that collection. */
export type BlockReference = { kind: ReferenceKind; id: string; on_delete: OnDelete; collection_id?: string; pointer: string }

const isReference = (type: string): type is ReferenceKind => (referenceKinds as readonly string[]).includes(type)

/** `schema` null: none describes these, but a reference is one all the same. */
const referencesOf = (blocks: readonly unknown[], schema: Schema | null, at: Path): BlockReference[] => {
  if (at.length > 2 * BLOCK_DEPTH_MAX) return []
  const known = byKey(schema ?? [])
  return blocks.flatMap((block, index) => {
    // Most blocks refer to nothing, and are not parsed for it.
    const { type } = Object(block) as Partial<Block>
    if (typeof type !== 'string' || !(isReference(type) || nests(type))) return []
    const data = asBlock(block)
    const item = data && (schema ? known.get(data.key) : itemOf(data))
    if (!data || !item || data.type !== item.type) return []
    const path = [...at, index, 'value']
    if (nests(item.type) && Array.isArray(data.value)) return referencesOf(data.value, item.children?.length ? item.children : null, path)
    const id = isReference(item.type) ? Id.safeParse(data.value).data : undefined
    if (!isReference(item.type) || id === undefined) return []
    const collection_id = collectionOf(item)
    return [{ kind: item.type, id, on_delete: onDeleteOf(item), ...(collection_id === undefined ? {} : { collection_id }), pointer: pointerOf(path) }]
  })
}

/** Every reference, nested ones with it; of blocks without faults these are all there are (design: content, References). */
export const blockReferences = (blocks: readonly Block[], schema: Schema | null | undefined): BlockReference[] =>
  referencesOf(blocks, schema?.length ? schema : null, ['blocks'])

const without = (block: unknown, ids: ReadonlySet<string>, left: number): unknown => {
  const { type, value } = Object(block) as Partial<Block>
  if (type === undefined || left === 0) return block
  if (isReference(type)) return typeof value === 'string' && ids.has(value.toLowerCase()) ? { ...(block as Block), value: null } : block
  if (!nests(type) || !Array.isArray(value)) return block
  const inner = value.map((one) => without(one, ids, left - 1))
  return inner.some((one, index) => one !== value[index]) ? { ...(block as Block), value: inner } : block
}

/**
 * The blocks with every reference to these ids nulled, nested ones too; blocks that have none are the same objects. It asks for no schema: a target
 * that a restrict reference holds is not deleted at all, so when it is, all references to it are set_null, by whatever schema they were written.
 */
export const withoutReference = (blocks: readonly Block[], ids: readonly string[]): Block[] => {
  const gone = new Set(ids.map((id) => id.toLowerCase()))
  return blocks.map((block) => without(block, gone, BLOCK_DEPTH_MAX) as Block)
}
