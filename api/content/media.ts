// The files of a store: sent in one request, known by their content, all of them kept or none.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { bucket } from '../../adapters/object-storage/object-storage.ts'
import { config } from '../../config.ts'
import { Media, type MediaVariant } from '../../entities/content/media.ts'
import { deleteMedia, mediaKept, type NewFile, renameMedia, seen, undoMedia, writeMedia } from '../../entities/content/media-rows.ts'
import { fileBytesMax, fileName, filesMax, nameMax, shortName } from '../../rules/content/media.ts'
import { otherTypeSaid } from '../../rules/content/media-types.ts'
import { BucketAway } from '../../rules/content/storage-errors.ts'
import { isProblem } from '../../rules/problems.ts'
import { type Fault, invalidInput, notFound, Refusal } from '../../rules/refusal.ts'
import { MediaOut } from '../../rules/resources.ts'
import { Id } from '../../rules/shapes.ts'
import { filter, listing, pageOf } from '../kit/listing.ts'
import { many } from '../kit/query.ts'
import { route, type SentFile } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'
import { upload } from '../kit/upload.ts'
import { fileTypeOf } from './file-type.ts'

const shown = (media: Media): z.input<typeof MediaOut> => {
  const { original } = media.variants as { original: MediaVariant }
  const file = ([name, { width, height, size, mime_type }]: [string, MediaVariant]) => {
    return [name, { url: `${config.publicUrl}/media/${media.id}/${name}`, width, height, size, mime_type }] as const
  }
  return {
    ...(media as never as z.input<typeof MediaOut>),
    width: original.width,
    height: original.height,
    error: media.error ?? null,
    resolutions: Object.fromEntries(Object.entries(media.variants).map(file)),
  }
}

const mediaOf = (em: EntityManager, id: string) => em.findOneOrFail(Media, { id, status: { $in: [...seen] } }, { failHandler: () => notFound('media') })

/** All alike: the refusal has their code. */
function refused(faults: Fault[]): Refusal {
  const { code = '', detail = '' } = faults[0] ?? {}
  return faults.every((one) => one.code === code) && isProblem(422, code) ? new Refusal(422, code, detail, { faults }) : invalidInput(faults)
}

const differs = (pointer: string, name: string, said: string, found: string): Fault => ({
  pointer,
  code: 'type_differs',
  detail: `"${shortName(name)}" says that it is ${said}, and its content is ${found}.`,
})

type Checked = NewFile & { path: string }

async function checked(files: readonly SentFile[]): Promise<Checked[]> {
  const faults: Fault[] = []
  const read: Checked[] = []
  for (const [index, { name: given, content_type, path, size, digest }] of files.entries()) {
    const pointer = `/files/${index}`
    const name = fileName(given)
    if (name === null) {
      faults.push({ pointer, code: 'invalid_name', detail: `A file has a name of 1 to ${nameMax} characters.` })
      continue
    }
    const mime_type = await fileTypeOf(path)
    const said = otherTypeSaid(name, content_type, mime_type)
    if (said) faults.push(differs(pointer, name, said, mime_type))
    else read.push({ name, mime_type, size, digest, path })
  }
  if (faults.length > 0) throw refused(faults)
  return read
}

const keepMaxMs = 30 * 60_000

const Kept = z.object({ items: z.array(MediaOut).describe('The uploaded files, in the order in which they were sent.') })

export const media = [
  upload('POST /v1/stores/{storeId}/media', {
    operation: 'uploadMedia',
    may: 'admin',
    refuses: ['type_differs', 'invalid_name', 'image_broken', 'image_too_heavy', 'image_too_large'],
    field: 'files',
    files_max: filesMax,
    bytes_max: fileBytesMax,
    summary: 'Upload files',
    description:
      'All of them are kept or none. What a file is, its content says: a name that says otherwise is 422 `type_differs`. Of images `large` (1600 pixels at most), ' +
      '`medium` (800) and `thumbnail` (200) are made before this answers; where that takes longer, the status is `processing`. Images that cannot be read are 422: ' +
      '`image_broken`, `image_too_large`, `image_too_heavy`.',
    out: Kept,
    check: checked,
    write: async ({ em, tenant_id, files, now }) => {
      const rows = await writeMedia(em, tenant_id, files, now)
      return rows.map(({ id }, index) => ({ ...(files[index] as Checked), id, tenant_id }))
    },
    // One after the other: each is read from the disk and sent, and none waits in memory. Long before their rows are swept it is over.
    keep: async (written) => {
      const since = performance.now()
      for (const file of written) {
        if (performance.now() - since > keepMaxMs) throw new BucketAway(new Error('the files took too long'))
        await bucket().put(file, 'original', file)
      }
    },
    undo: ({ em, tenant_id, written, now }) =>
      undoMedia(
        em,
        tenant_id,
        written.map(({ id }) => id),
        now,
      ),
    run: async ({ em, tenant_id, written, now }) => {
      const ids = written.map(({ id }) => id)
      return { items: (await mediaKept(em, tenant_id, ids, now)).map(shown) }
    },
    wait: {
      when: ({ items }) => items.some(({ status }) => status === 'processing'),
      async until({ em, result }) {
        const ids = result.items.map(({ id }) => id)
        const rows = await em.find(Media, { id: { $in: ids }, status: { $in: [...seen] } })
        const faults = rows.flatMap(({ id, error }): Fault[] =>
          error ? [{ pointer: `/files/${ids.indexOf(id)}`, code: error.code, detail: error.message }] : [],
        )
        if (faults.length > 0) return refused(faults.sort((a, b) => a.pointer.localeCompare(b.pointer, 'en', { numeric: true })))
        // Whoever deleted one meanwhile is answered without it.
        const there = ids.flatMap((id) => rows.filter((row) => row.id === id))
        return there.every(({ status }) => status === 'ready') ? { items: there.map(shown) } : undefined
      },
      late: (result) => result,
    },
  }),
  listing('GET /v1/stores/{storeId}/media', {
    may: 'admin',
    summary: 'List the files',
    entity: Media,
    item: MediaOut,
    search: 'search',
    idsAlone: true,
    limitRequired: true,
    within: () => ({ status: { $in: [...seen] } }),
    filters: {
      ids: filter(
        many(Id).describe('Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then.'),
        (ids) => ({ id: { $in: ids } }),
      ),
      mime_type: filter(
        z
          .string()
          .toLowerCase()
          .regex(/^[a-z0-9.+-]+\/(\*|[a-z0-9.+-]+)$/)
          .describe('Media type such as `image/png`, or `image/*` for all images.'),
        (type) => (type.endsWith('/*') ? { family: type.slice(0, -2) } : { mime_type: type }),
      ),
    },
    load: async (_, rows) => (rows as Media[]).map(shown),
  }),
  route('GET /v1/stores/{storeId}/media/{id}', {
    may: 'admin',
    summary: 'Read the record of a file',
    out: MediaOut,
    run: async ({ em, path }) => shown(await mediaOf(em, path.id)),
  }),
  route('PUT /v1/stores/{storeId}/media/{id}', {
    may: 'admin',
    refuses: ['invalid_name', 'type_differs'],
    summary: 'Rename a file',
    body: z.object({ name: z.string().min(1).max(nameMax).describe('File name that is shown; the addresses of the file do not change.') }),
    out: MediaOut,
    async run({ em, path, body, now }) {
      const found = await mediaOf(em, path.id)
      const name = fileName(body.name)
      if (name === null) throw refused([{ pointer: '/name', code: 'invalid_name', detail: 'This is no name of a file.' }])
      const said = otherTypeSaid(name, undefined, found.mime_type)
      if (said) throw refused([differs('/name', name, said, found.mime_type)])
      await renameMedia(em, found, name, now)
      return shown(found)
    },
  }),
  route('DELETE /v1/stores/{storeId}/media/{id}', {
    may: 'admin',
    summary: 'Delete a file with its variants',
    description:
      'If something refers to the file, its schema decides: the call is refused with 409 `referenced` and up to ten of the owners, or their references become null.',
    out: Success,
    async run({ em, tenant_id, path, now }) {
      await deleteMedia(em, tenant_id, path.id, now)
      return success
    },
  }),
  route('GET /v1/storefront/media', {
    may: 'visitor',
    contact: 'optional',
    summary: 'Read ready files by their ids',
    description: 'Files are returned in the order of their ids. Files that do not exist or are not ready are left out.',
    query: z.object({ ids: many(Id).describe('Identifiers of the files to read, 100 at most: repeated, or separated by commas.') }),
    out: pageOf(MediaOut),
    async run({ em, query }) {
      const ids = [...new Set(query.ids)]
      const rows = await em.find(Media, { id: { $in: ids }, status: 'ready' })
      return { items: ids.flatMap((id) => rows.filter((row) => row.id === id)).map(shown), cursor: null }
    },
  }),
]
