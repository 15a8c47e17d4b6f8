// Public download of files, whole or in ranges. Files are immutable, and no browser executes them.
import { z } from 'zod'
import { bucket } from '../../adapters/object-storage/object-storage.ts'
import { servedMedia } from '../../entities/content/media-rows.ts'
import { type Range, requestedRange } from '../../rules/content/byte-ranges.ts'
import { fileHeaders, variantNames } from '../../rules/content/media.ts'
import { NoSuchFile } from '../../rules/content/storage-errors.ts'
import { notFound } from '../../rules/refusal.ts'
import { Download } from '../kit/answer/replies.ts'
import { headerOf } from '../kit/caller.ts'
import { route } from '../kit/route.ts'

const Variant = z.enum(variantNames)

/** The headers of an answer without a body. */
const withoutType = ({ 'Content-Type': _, 'Content-Disposition': __, ...rest }: Record<string, string>) => rest

export const files = [
  route('GET /media/{id}/{variant}', {
    operation: 'downloadMedia',
    request: {
      headers: {
        Range: {
          description: 'One range of bytes to return: `bytes=0-99`. With any other value the whole file is returned.',
        },
        'If-Range': {
          description:
            '`ETag` of the version that the range is of. If the file has another one, the whole file is returned.',
        },
        'If-None-Match': { description: '`ETag` of a cached version: 304 if the file still has it.' },
      },
    },
    may: 'public',
    refuses: ['storage_unavailable'],
    textParameters: ['variant'],
    answers: { types: ['*/*'] },
    summary: 'Download a file',
    description:
      'Supports `Range` and `If-None-Match`. The file never changes and may be cached indefinitely. Types that a browser could execute are sent as attachments. ' +
      'Query parameters are ignored.',
    async run({ em, path, headers }) {
      const name = Variant.safeParse(path.variant).data
      const media = name && (await servedMedia(em, path.id))
      const file = media && name && media.variants[name]
      if (!media || !file) throw notFound('file')
      const { size } = file
      const all = fileHeaders({ ...file, name: media.name, variant: name })
      const requested = requestedRange(size, all.ETag as string, {
        range: headerOf(headers, 'range'),
        if_range: headerOf(headers, 'if-range'),
        if_none_match: headerOf(headers, 'if-none-match'),
      })
      if (requested.status === 304) return new Download(304, withoutType(all), null)
      if (requested.status === 416)
        return new Download(416, { 'Content-Range': `bytes */${size}`, 'Content-Length': '0' }, null)
      const range: Range | undefined = requested.status === 206 ? requested.range : undefined
      const length = range ? range.to - range.from + 1 : size
      const open = () =>
        bucket()
          .open(media, name, size, range)
          .catch((error) => {
            // The file was deleted after its row was read.
            throw error instanceof NoSuchFile ? notFound('file') : error
          })
      return new Download(
        requested.status,
        {
          ...all,
          'Content-Length': String(length),
          ...(range ? { 'Content-Range': `bytes ${range.from}-${range.to}/${size}` } : {}),
        },
        open,
      )
    },
  }),
]
