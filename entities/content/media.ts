// A file of a store. Its row exists from before the first byte is stored until after the last one is deleted.
import { defineEntity, p } from '@mikro-orm/core'
import { MediaStatus } from '../../rules/content/media.ts'
import { searchColumn } from '../kit/database/named-columns.ts'
import { tenantRow } from '../kit/database/row.ts'

/**
 * One stored file; width and height in pixels, of images and videos; duration of videos; SHA-256 in hexadecimal. Its
 * address is made from the media's id and the variant's name.
 */
export type MediaVariant = {
  mime_type: string
  size: number
  width: number | null
  height: number | null
  duration_s?: number | null
  digest: string
}

const schema = defineEntity({
  name: 'Media',
  tableName: 'media',
  properties: {
    ...tenantRow,
    name: p.string(),
    /** Determined by the content, never by the name. */
    mime_type: p.string(),
    /** The first part of the type, `image` of `image/png`: an index by it serves the list of all images. */
    family: p.string(),
    /** Bytes of the original. */
    size: p.bigint('number'),
    /** SHA-256 of the original, in hexadecimal. */
    digest: p.string().length(64),
    /** `uploading` and `deleting` are not shown. */
    status: p.enum(MediaStatus.options),
    variants: p.json<Record<string, MediaVariant>>(),
    error: p.json<{ code: string; message: string }>().nullable(),
    search: searchColumn,
  },
  indexes: [
    { properties: ['tenant_id', 'created_at', 'id'] },
    { properties: ['tenant_id', 'updated_at', 'id'] },
    { properties: ['tenant_id', 'mime_type', 'created_at', 'id'] },
    { properties: ['tenant_id', 'family', 'created_at', 'id'] },
    { name: 'media_search', expression: 'create index "media_search" on "media" using gin ("search")' },
    {
      name: 'media_unsettled',
      expression: `create index "media_unsettled" on "media" ("updated_at") where status <> 'ready'`,
    },
  ],
})
export class Media extends schema.class {}
schema.setClass(Media)
