// What validation and publishing need to know of the files of a publication.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { VariantName } from '../../rules/content/media.ts'
import type { MediaFacts } from '../../rules/publications/content.ts'
import type { Media, MediaVariant } from '../content/media.ts'
import { sql } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

export type MediaFile = MediaFacts & { variants: Partial<Record<VariantName, MediaVariant>> }

export const kindOf = (mimeType: string): MediaFacts['kind'] =>
  mimeType === 'image/gif'
    ? 'gif'
    : mimeType.startsWith('image/')
      ? 'image'
      : mimeType.startsWith('video/')
        ? 'video'
        : null

/**
 * The files that are ready, in no order. `held`: locks them by id, and none is deleted before the transaction ends. No
 * statement without ids.
 */
export async function mediaFilesOf(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
  held = false,
): Promise<MediaFile[]> {
  if (ids.length === 0) return []
  const rows: Pick<Media, 'id' | 'mime_type' | 'size' | 'variants'>[] = await em.execute(sql`
    select id, mime_type, size, variants
    from media
    where tenant_id = ${tenantId} and id = any (${uuids(new Set(ids))}) and status = 'ready'
    order by id
    ${held ? sql`for key share` : sql``}
  `)
  return rows.map(({ id, mime_type, size, variants }) => {
    const { width = null, height = null, duration_s = null } = variants.original ?? {}
    return { id, kind: kindOf(mime_type), mime_type, bytes: Number(size), width, height, duration_s, variants }
  })
}
