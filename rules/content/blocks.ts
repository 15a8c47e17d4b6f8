// Checks blocks against their schema, with every error at its place, and finds the references in them.
import type { z } from 'zod'
import { isDeeper } from '../input/json-leaves.ts'
import { pointerOf } from '../input/pointers.ts'
import { formOf, textForm } from '../input/texts.ts'
import { type Fault, faultsMax } from '../refusal.ts'
import { type Matching, matching } from '../regex/matching.ts'
import { Id } from '../shapes.ts'
import {
  BLOCK_DEPTH_MAX,
  type BlockSchemaItem,
  collectionOf,
  type OnDelete,
  onDeleteOf,
  type ReferenceKind,
  referenceKinds,
} from './block-schemas.ts'
import { asBlock, Block } from './block-shape.ts'
import { isEmpty, shapeFaults, valueShape } from './block-values.ts'

/** Levels of objects and arrays in the value of one block, including nested blocks. */
export const VALUE_DEPTH_MAX = 50

type Path = readonly (string | number)[]
type Schema = readonly BlockSchemaItem[]

/** `languages`: the locales of localized values; if left out, any locale code. */
export type BlockOptions = { languages?: readonly string[] | undefined }

const fault = (path: Path, code: string, detail: string): Fault => ({ pointer: pointerOf(path), code, detail })

const nests = (type: string) => type === 'object' || type === 'list'

/** A map, in which `__proto__` is an ordinary key. */
const byKey = (schema: Schema) => new Map(schema.map((item) => [textForm(item.key), item]))

/** The item that a block without a schema is checked against: its own type and properties. */
const itemOf = ({ key, type, properties }: Block): BlockSchemaItem => ({
  key,
  type,
  ...(properties ? { properties } : {}),
})

const checkOf = (languages: BlockOptions['languages'], matcher: Matching) => {
  // One shape per item, as a list may have many blocks of it.
  const shapes = new Map<BlockSchemaItem, z.ZodType | null>()
  const shapeOf = (item: BlockSchemaItem) => {
    const shape = shapes.has(item) ? (shapes.get(item) ?? null) : valueShape(item, matcher, languages)
    shapes.set(item, shape)
    return shape
  }

  const valueFaults = (item: BlockSchemaItem, value: unknown, at: Path): Fault[] => {
    if (item.required && isEmpty(item, value)) return [fault(at, 'required', `${item.key} is required.`)]
    if (value == null) return []
    const shape = shapeOf(item)
    if (!shape) return []
    const faults = shapeFaults(shape, value, at)
    return nests(item.type) && item.children?.length && Array.isArray(value)
      ? [...faults, ...faultsOf(value, item.children, at, item.type === 'list')]
      : faults
  }

  /** `repeats`: blocks of a list, which may repeat; otherwise fields of an object. `items` null: any blocks. */
  const faultsOf = (blocks: readonly unknown[], items: Schema | null, at: Path, repeats: boolean): Fault[] => {
    // Each level of blocks adds two parts to the path: an index and `value`.
    if (at.length > 2 * BLOCK_DEPTH_MAX)
      return [fault(at, 'too_deep', `Expected at most ${BLOCK_DEPTH_MAX} levels of blocks.`)]
    const itemByKey = byKey(items ?? [])
    const seen = new Set<unknown>()
    const faults: Fault[] = []
    for (const [index, block] of blocks.entries()) {
      // A refusal lists no more errors.
      if (faults.length > faultsMax) return faults
      const path = [...at, index]
      const key = block !== null && typeof block === 'object' ? Reflect.get(block, 'key') : undefined
      const malformed = shapeFaults(Block, block, path)
      const item = items ? itemByKey.get(formOf(key)) : itemOf(Object(block))
      if (malformed.length > 0) faults.push(...malformed)
      else if (!item) faults.push(fault([...path, 'key'], 'unknown_key', 'The schema has no such block.'))
      else if (seen.has(formOf(key)) && !repeats)
        faults.push(fault([...path, 'key'], 'duplicate', `Duplicate value: \`${key}\`.`))
      else {
        const { type, value } = block as Block
        if (type !== item.type)
          faults.push(fault([...path, 'type'], 'type_differs', `Expected the type \`${item.type}\`.`))
        else if (at.length === 1 && isDeeper(value, VALUE_DEPTH_MAX))
          faults.push(fault([...path, 'value'], 'too_deep', `Expected at most ${VALUE_DEPTH_MAX} levels of nesting.`))
        else faults.push(...valueFaults(item, value, [...path, 'value']))
      }
      seen.add(formOf(key))
    }
    if (!repeats)
      for (const { key, required } of items ?? [])
        if (required && !seen.has(textForm(key))) faults.push(fault(at, 'required', `${key} is required.`))
    return faults
  }

  return faultsOf
}

/**
 * The errors of blocks; a missing block is reported at its list. An empty schema allows any blocks. Without a schema
 * (null: products, services, providers), keys and types are free, and each value is checked by the type of its own
 * block. Values of unknown types are not checked.
 * Whether references exist is not checked here. Codes: unknown_key, duplicate, required, type_differs, invalid_type,
 * invalid_format, too_small, too_big, not_an_option, unknown_locale, unknown_field, invalid_union (an invalid date or
 * object), too_deep, too_much_to_match (reported once, where the limit of matching texts against patterns was
 * reached).
 */
export const blockFaults = (
  blocks: readonly Block[],
  schema: Schema | null | undefined,
  { languages }: BlockOptions = {},
): Fault[] => (schema?.length === 0 ? [] : checkOf(languages, matching())(blocks, schema ?? null, ['blocks'], !schema))

/**
 * Whether blocks satisfy a schema, for many records: the shapes are made once, and each record has the whole limit of
 * matching work.
 */
export const blocksFit = (schema: Schema): ((blocks: readonly Block[]) => boolean) => {
  const matcher = matching()
  const faultsOf = checkOf(undefined, matcher)
  return (blocks) => {
    matcher.renew()
    return schema.length === 0 || faultsOf(blocks, schema, ['blocks'], false).length === 0
  }
}

/**
 * `on_delete`: what the deletion of the target does, with `required` considered; `collection_id`: the collection that
 * the entry must be of.
 */
export type BlockReference = {
  kind: ReferenceKind
  id: string
  on_delete: OnDelete
  collection_id?: string
  pointer: string
}

const isReference = (type: string): type is ReferenceKind => (referenceKinds as readonly string[]).includes(type)

/** `schema` null: blocks without a schema, whose references are found by their own types. */
const referencesOf = (blocks: readonly unknown[], schema: Schema | null, at: Path): BlockReference[] => {
  if (at.length > 2 * BLOCK_DEPTH_MAX) return []
  const itemByKey = byKey(schema ?? [])
  return blocks.flatMap((block, index) => {
    // Most blocks have no references: they are not parsed.
    const { type } = Object(block) as Partial<Block>
    if (typeof type !== 'string' || !(isReference(type) || nests(type))) return []
    const data = asBlock(block)
    const item = data && (schema ? itemByKey.get(textForm(data.key)) : itemOf(data))
    if (!data || !item || data.type !== item.type) return []
    const path = [...at, index, 'value']
    if (nests(item.type) && Array.isArray(data.value))
      return referencesOf(data.value, item.children?.length ? item.children : null, path)
    const id = isReference(item.type) ? Id.safeParse(data.value).data : undefined
    if (!isReference(item.type) || id === undefined) return []
    const collection_id = collectionOf(item)
    return [
      {
        kind: item.type,
        id,
        on_delete: onDeleteOf(item),
        ...(collection_id === undefined ? {} : { collection_id }),
        pointer: pointerOf(path),
      },
    ]
  })
}

/** All references of blocks without errors, nested ones included. */
export const blockReferences = (blocks: readonly Block[], schema: Schema | null | undefined): BlockReference[] =>
  referencesOf(blocks, schema?.length ? schema : null, ['blocks'])

const without = (block: unknown, ids: ReadonlySet<string>, left: number): unknown => {
  const { type, value } = Object(block) as Partial<Block>
  if (type === undefined || left === 0) return block
  if (isReference(type))
    return typeof value === 'string' && ids.has(value.toLowerCase()) ? { ...(block as Block), value: null } : block
  if (!nests(type) || !Array.isArray(value)) return block
  const inner = value.map((one) => without(one, ids, left - 1))
  return inner.some((one, index) => one !== value[index]) ? { ...(block as Block), value: inner } : block
}

/**
 * The blocks with all references to these ids set to null, nested ones included; blocks without any are the same
 * objects. Works without a schema: a target with a `restrict` reference is not deleted, so all references to a deleted
 * target are `set_null`.
 */
export const withoutReference = (blocks: readonly Block[], ids: readonly string[]): Block[] => {
  const deletedIds = new Set(ids.map((id) => id.toLowerCase()))
  return blocks.map((block) => without(block, deletedIds, BLOCK_DEPTH_MAX) as Block)
}
