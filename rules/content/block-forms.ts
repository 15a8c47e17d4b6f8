// Blocks in their normal form: the tags of localized texts, and the keys of blocks at any depth.
import { localeForm } from '../input/locale-tags.ts'
import { textForm } from '../input/texts.ts'

/** The depth to which blocks may be nested. */
const depthMax = 10

type Members = Record<string, unknown>
const isPlain = (value: unknown): value is Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** With canonical tags. Tags of which two have one form are kept: the check of the value refuses them. */
function taggedForm(value: Members): Members {
  const tags = Object.keys(value)
  if (tags.every((tag) => localeForm(tag) === tag)) return value
  const forms = tags.map(localeForm)
  return new Set(forms).size < tags.length ? value : Object.fromEntries(tags.map((tag, at) => [forms[at], value[tag]]))
}

/** The values themselves where nothing changes. */
function eachForm(values: readonly unknown[], left: number, areBlocks: boolean): readonly unknown[] {
  const forms = values.map((one) => formAt(one, left, areBlocks))
  return forms.some((one, at) => one !== values[at]) ? forms : values
}

/**
 * `isBlock`: not a value of a free type that looks like a block. What an answer added to a block, `media`, is not
 * stored.
 */
function formAt(block: unknown, left: number, isBlock: boolean): unknown {
  if (!isPlain(block) || typeof block.type !== 'string' || typeof block.key !== 'string') return block
  const { key, type, value, media, ...rest } = block
  const areBlocks = isBlock && (type === 'object' || type === 'list')
  const form =
    isPlain(value) && type.startsWith('localized_')
      ? taggedForm(value)
      : Array.isArray(value) && left > 0
        ? eachForm(value, left - 1, areBlocks)
        : value
  const added = isBlock && media !== undefined
  if (form === value && textForm(key) === key && !added) return block
  return {
    ...rest,
    ...(added || media === undefined ? {} : { media }),
    key: textForm(key),
    type,
    ...(value === undefined ? {} : { value: form }),
  }
}

/** The block itself where nothing changes. */
export const blockForm = <T>(block: T): T => formAt(block, depthMax, true) as T
