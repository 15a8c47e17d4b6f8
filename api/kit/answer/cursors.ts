// Cursors: the sort value and the id of a page's last row, with the list that they belong to.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { Refusal } from '../../../rules/refusal.ts'
import type { SortDirection } from '../../../rules/shapes.ts'
import type { Spec } from '../route.ts'

/** The list and sort order that a cursor belongs to. It is refused in any other. */
type CursorScope = {
  spec: Spec
  tenant_id: unknown
  path: Record<string, string>
  sort_field: string
  sort_direction: SortDirection
}
type CursorValue = string | number | null
type Cursor = { value: CursorValue; id: string }

/** A short digest of what a cursor belongs to. */
export const scopeDigest = (of: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(of)).digest('base64url').slice(0, 16)

const digestOf = ({ spec, tenant_id, path, sort_field, sort_direction }: CursorScope): string =>
  scopeDigest([spec, tenant_id, path, sort_field, sort_direction])

export const encodeCursor = (digest: string, value: unknown, id: string): string =>
  Buffer.from(JSON.stringify([digest, value, id])).toString('base64url')

const cursorShape = z.tuple([z.string(), z.union([z.string().max(1000), z.int(), z.null()]), z.guid()])

/**
 * Null for the first page. 400 bad_cursor with this detail, if it has another digest or its value is none of the list:
 * a forged cursor would otherwise cause a database error.
 */
export function decodeCursor(
  text: string,
  digest: string,
  isValue: (value: CursorValue) => boolean,
  detail: string,
): Cursor | null {
  // Clients send a null in a query as the text `null`.
  if (text === 'null') return null
  try {
    const [belongs, value, id] = cursorShape.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
    const isText = typeof value !== 'string' || (!value.includes('\0') && value.isWellFormed())
    if (belongs !== digest || !isValue(value) || !isText) throw new Error('another list')
    return { value, id }
  } catch {
    throw new Refusal(400, 'bad_cursor', detail)
  }
}

/** The cursor of the page that follows the row with this sort value and id. */
export const cursorAt = (scope: CursorScope, value: unknown, id: string): string =>
  encodeCursor(digestOf(scope), value, id)

/** Reads the cursor of a list that is sorted by a column of this type. 400 bad_cursor. */
export function cursorOf(
  text: string,
  scope: CursorScope,
  type: string,
): { value: string | number; id: string } | null {
  const found = decodeCursor(
    text,
    digestOf(scope),
    (value) => typeof value === type,
    'The cursor does not belong to this list, {store} and sort order. Send the path and the sort of the page that it came with, or omit it for the first page.',
  )
  return found && { ...found, value: found.value as string | number }
}
