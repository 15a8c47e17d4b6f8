// What is kept of a file, for everybody who has its address: whole or in part, never run by a browser, and never changed.
import { z } from 'zod'
import { bucket } from '../../adapters/object-storage/object-storage.ts'
import { servedMedia } from '../../entities/content/media-rows.ts'
import { type Range, rangeAsked } from '../../rules/content/byte-ranges.ts'
import { fileHeaders, variantNames } from '../../rules/content/media.ts'
import { NoSuchFile } from '../../rules/content/storage-errors.ts'
import { notFound } from '../../rules/refusal.ts'
import type { Headers } from '../kit/caller.ts'
import { Download, route } from '../kit/route.ts'

const Variant = z.enum(variantNames)
const one = (headers: Headers, name: string) => {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** What has no bytes says nothing about any. */
const withoutType = ({ 'Content-Type': _, 'Content-Disposition': __, ...rest }: Record<string, string>) => rest

export const files = [
  route('GET /media/{id}/{variant}', {
    operation: 'downloadMedia',
    requestHeaders: {
      Range: { description: 'The part that is wanted, in bytes: `bytes=0-99`. Anything else is answered as a whole.' },
      'If-Range': { description: 'The `ETag` of the version that the part is of; of another one the whole file is returned.' },
      'If-None-Match': { description: 'The `ETag` that is known: 304 if it is still the one.' },
    },
    may: 'public',
    refuses: ['storage_unavailable'],
    words: ['variant'],
    answers: ['*/*'],
    summary: 'Download a file',
    description:
      'Supports `Range` and `If-None-Match`. The file never changes and may be cached without limit. Types that a browser could execute are sent as attachments. ' +
      'Query parameters are ignored.',
    async run({ em, path, headers }) {
      const name = Variant.safeParse(path.variant).data
      const media = name && (await servedMedia(em, path.id))
      const file = media && name && media.variants[name]
      if (!media || !file) throw notFound('file')
      const { size } = file
      const all = fileHeaders({ ...file, name: media.name, variant: name })
      const asked = rangeAsked(size, all.ETag as string, {
        range: one(headers, 'range'),
        if_range: one(headers, 'if-range'),
        if_none_match: one(headers, 'if-none-match'),
      })
      if (asked.status === 304) return new Download(304, withoutType(all), null)
      if (asked.status === 416) return new Download(416, { 'Content-Range': `bytes */${size}`, 'Content-Length': '0' }, null)
      const range: Range | undefined = asked.status === 206 ? asked.range : undefined
      const length = range ? range.to - range.from + 1 : size
      const open = () =>
        bucket()
          .open(media, name, size, range)
          .catch((error) => {
            // Deleted since its row was read.
            throw error instanceof NoSuchFile ? notFound('file') : error
          })
      return new Download(
        asked.status,
        { ...all, 'Content-Length': String(length), ...(range ? { 'Content-Range': `bytes ${range.from}-${range.to}/${size}` } : {}) },
        open,
      )
    },
  }),
]
