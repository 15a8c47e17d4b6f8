// Blocks of the type `media` are answered with the file that they name: its address, type and size.
import { z } from 'zod'
import { config } from '../../config.ts'
import { Media, type MediaVariant } from '../../entities/content/media.ts'
import { type Orm, unitOf } from '../../entities/kit/database/orm.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { Block } from '../../rules/content/block-shape.ts'
import type { VisibleMediaStatus } from '../../rules/content/media.ts'
import { BlockMedia } from '../../rules/content/media-shape.ts'
import type { MediaOut } from '../../rules/resources.ts'
import { serialize } from '../../rules/serialize.ts'
import { Id } from '../../rules/shapes.ts'
import { camel, unwrapped } from '../../rules/spelling.ts'
import type { Route } from '../kit/route.ts'

export const shownMedia = (media: Media): z.input<typeof MediaOut> => {
  const { original } = media.variants as { original: MediaVariant }
  const file = ([name, { width, height, size, mime_type }]: [string, MediaVariant]) => {
    return [name, { url: `${config.publicUrl}/media/${media.id}/${name}`, width, height, size, mime_type }] as const
  }
  return {
    ...asRow(media),
    status: media.status as z.infer<typeof VisibleMediaStatus>,
    url: `${config.publicUrl}/media/${media.id}/original`,
    width: original.width,
    height: original.height,
    duration_s: original.duration_s ?? null,
    error: media.error ?? null,
    resolutions: Object.fromEntries(Object.entries(media.variants).map(file)),
  }
}

/** Names of members on the way to blocks; null for each item of an array. */
type Way = (string | null)[]

function findWays(schema: z.core.$ZodType, depth = 0): Way[] {
  if ((schema as unknown) === Block) return [[]]
  if (depth > 8) return []
  const behind = (inner: z.core.$ZodType, name: string | null) =>
    findWays(inner, depth + 1).map((way) => [name, ...way])
  const inner = unwrapped(schema, 'out')
  return schema instanceof z.ZodObject
    ? Object.entries(schema.shape).flatMap(([name, field]) => behind(field, name))
    : schema instanceof z.ZodArray
      ? behind(schema.element, null)
      : schema instanceof z.ZodUnion
        ? schema.options.flatMap((option) => findWays(option, depth + 1))
        : inner
          ? findWays(inner, depth + 1)
          : []
}

const known = new WeakMap<z.core.$ZodType, Way[]>()

/**
 * The ways to the blocks of an answer. Only whole answers are remembered: within another one, the limit of depth may
 * have cut a schema short.
 */
function waysIn(out: z.core.$ZodType): Way[] {
  const ways = known.get(out) ?? findWays(out)
  known.set(out, ways)
  return ways
}

type Members = Record<string, unknown>
const isMembers = (value: unknown): value is Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** The value with each block on the way changed; the rest are the same objects. */
function along(value: unknown, way: Way, change: (block: Members) => Members): unknown {
  const [name, ...rest] = way
  if (name === undefined) return isMembers(value) ? change(value) : value
  if (name === null) return Array.isArray(value) ? value.map((one) => along(one, rest, change)) : value
  return isMembers(value) && value[name] !== undefined ? { ...value, [name]: along(value[name], rest, change) } : value
}

const nests = (block: Members): block is Members & { value: unknown[] } =>
  (block.type === 'object' || block.type === 'list') && Array.isArray(block.value)

function mediaIn(block: Members, into: Set<string>, left = 10): void {
  const id = block.type === 'media' ? Id.safeParse(block.value).data : undefined
  if (id) into.add(id)
  if (nests(block) && left > 0) for (const one of block.value) if (isMembers(one)) mediaIn(one, into, left - 1)
}

function withFiles(block: Members, files: ReadonlyMap<string, unknown>, left = 10): Members {
  const file = block.type === 'media' ? files.get(String(block.value).toLowerCase()) : undefined
  if (file) return { ...block, media: file }
  if (!nests(block) || left === 0) return block
  return { ...block, value: block.value.map((one) => (isMembers(one) ? withFiles(one, files, left - 1) : one)) }
}

/**
 * The body of an answer, as `out` writes it, with the files of its blocks. One statement, and none without such blocks.
 */
export async function withBlockMedia(
  orm: Orm,
  { out, surface }: Pick<Route, 'out' | 'surface'>,
  tenantId: string | null,
  body: unknown,
): Promise<unknown> {
  const found = tenantId === null || !out ? [] : waysIn(out)
  if (found.length === 0) return body
  const spelled = found.map((way) => way.map((name) => (name !== null && surface === 'business' ? camel(name) : name)))
  const ids = new Set<string>()
  for (const way of spelled)
    along(body, way, (block) => {
      mediaIn(block, ids)
      return block
    })
  if (ids.size === 0) return body
  const rows = await unitOf(orm, tenantId).find(Media, { id: { $in: [...ids] }, status: 'ready' })
  const files = new Map(rows.map((row) => [row.id, serialize(BlockMedia, shownMedia(row), surface)]))
  return spelled.reduce((shown, way) => along(shown, way, (block) => withFiles(block, files)), body)
}
