// Files of a store. The files of one upload are stored together or not at all; their types are detected by content.
import { z } from 'zod'
import { bucket } from '../../adapters/object-storage/object-storage.ts'
import { Media } from '../../entities/content/media.ts'
import {
  deleteMedia,
  mediaKept,
  type NewFile,
  renameMedia,
  seen,
  undoMedia,
  writeMedia,
} from '../../entities/content/media-rows.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { fileBytesMax, fileName, filesMax, nameMax, shortName } from '../../rules/content/media.ts'
import { otherTypeSaid } from '../../rules/content/media-types.ts'
import { cleanedNames, partlyCleanedNames } from '../../rules/content/metadata.ts'
import { BucketAway } from '../../rules/content/storage-errors.ts'
import { ComparedText } from '../../rules/input/texts.ts'
import { isProblem } from '../../rules/problems.ts'
import { type Fault, invalidInput, Refusal } from '../../rules/refusal.ts'
import { MediaOut } from '../../rules/resources.ts'
import { Id } from '../../rules/shapes.ts'
import { byIdsAlone, filter, listing, pageOf } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'
import { shownMedia as shown } from './block-media.ts'
import { cleanFile } from './clean-file.ts'
import { fileTypeOf } from './file-type.ts'
import { movieFactsOf } from './movie-file.ts'
import type { SentFile } from './multipart.ts'
import { upload } from './upload.ts'

const seenMedia = (id: string) => ({ id, status: { $in: [...seen] } })

/** If all errors have the same code, the refusal has it too. */
function refusalOf(faults: Fault[]): Refusal {
  const { code = '', detail = '' } = faults[0] ?? {}
  return faults.every((one) => one.code === code) && isProblem(422, code)
    ? new Refusal(422, code, detail, { faults })
    : invalidInput(faults)
}

const differs = (pointer: string, name: string, said: string, found: string): Fault => ({
  pointer,
  code: 'type_differs',
  detail: `The name or content type of "${shortName(name)}" is of ${said}, but its content is ${found}.`,
})

type Checked = NewFile & { path: string }

async function checked(files: readonly SentFile[]): Promise<Checked[]> {
  const faults: Fault[] = []
  const read: Checked[] = []
  for (const [index, { name: given, content_type, path, size, digest }] of files.entries()) {
    const pointer = `/files/${index}`
    const name = fileName(given)
    if (name === null) {
      faults.push({ pointer, code: 'invalid_name', detail: `Expected a file name of 1 to ${nameMax} characters.` })
      continue
    }
    const mime_type = await fileTypeOf(path)
    const said = otherTypeSaid(name, content_type, mime_type)
    if (said) faults.push(differs(pointer, name, said, mime_type))
    else {
      const clean = await cleanFile({ path, size, digest }, mime_type)
      read.push({ name, mime_type, ...clean, path, movie: await movieFactsOf(path, mime_type, clean.size) })
    }
  }
  if (faults.length > 0) throw refusalOf(faults)
  return read
}

const keepMaxMs = 30 * 60_000

const Uploaded = z.object({
  items: z.array(MediaOut).describe('The uploaded files, in the order in which they were sent.'),
})

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
      'Stores all files, or none if one is refused. The type of a file is detected by its content: 422 `type_differs` if its name or content type is of another type. Of an image, ' +
      'the versions `large` (1600 pixels at most), `medium` (800) and `thumbnail` (200) are made before the answer; if that takes longer than the answer waits, the status is ' +
      '`processing`. 422 `image_broken`, `image_too_large` or `image_too_heavy` for an image that cannot be processed. What a file says of the place, time, camera and ' +
      `author (Exif, XMP, IPTC, comments) is removed before it is stored if its type is ${cleanedNames}; ${partlyCleanedNames} lose place, XMP and IPTC alone, and ` +
      'M4A its place and times. Files of other types and the data tracks of films are stored as they are. Orientation and colours stay.',
    out: Uploaded,
    check: checked,
    write: async ({ em, tenant_id, files, now }) => {
      const rows = await writeMedia(em, tenant_id, files, now)
      return rows.map(({ id }, index) => ({ ...(files[index] as Checked), id, tenant_id }))
    },
    // One file at a time, streamed from disk. The time limit ends the upload long before the retention sweep could
    // delete its rows.
    keep: async (written) => {
      const since = performance.now()
      for (const file of written) {
        if (performance.now() - since > keepMaxMs) throw new BucketAway(new Error('storing the files took too long'))
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
      const items = (await mediaKept(em, tenant_id, ids, now)).map(shown)
      return new Reply({ items }, { pending: items.some(({ status }) => status === 'processing') ? ids : undefined })
    },
    wait: {
      async until({ em, pending: ids }) {
        const rows = await em.find(Media, { id: { $in: ids }, status: { $in: [...seen] } })
        const faults = rows.flatMap(({ id, error }): Fault[] =>
          error ? [{ pointer: `/files/${ids.indexOf(id)}`, code: error.code, detail: error.message }] : [],
        )
        if (faults.length > 0)
          return refusalOf(faults.sort((a, b) => a.pointer.localeCompare(b.pointer, 'en', { numeric: true })))
        // A file that was deleted meanwhile is left out.
        const existing = ids.flatMap((id) => rows.filter((row) => row.id === id))
        const answer = { items: existing.map(shown) }
        return existing.every(({ status }) => status === 'ready') ? answer : new NotYet(answer)
      },
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
    scope: () => ({ status: { $in: [...seen] } }),
    filters: {
      ...byIdsAlone,
      mime_type: filter(
        z
          .string()
          .toLowerCase()
          .regex(/^[a-z0-9.+-]+\/(\*|[a-z0-9.+-]+)$/, 'Expected a media type such as `image/png`, or `image/*`.')
          .describe('Media type such as `image/png`, or `image/*` for all images.'),
        (type) => (type.endsWith('/*') ? { family: type.slice(0, -2) } : { mime_type: type }),
      ),
    },
    load: async (_, rows: Media[]) => rows.map(shown),
  }),
  reading('GET /v1/stores/{storeId}/media/{id}', {
    may: 'admin',
    summary: 'Read the record of a file',
    entity: Media,
    out: MediaOut,
    where: ({ path }) => seenMedia(path.id),
    show: shown,
  }),
  route('PUT /v1/stores/{storeId}/media/{id}', {
    may: 'admin',
    refuses: ['invalid_name', 'type_differs'],
    summary: 'Rename a file',
    description: '422 `type_differs` if the ending of the name is of another type than the content.',
    body: z.object({
      name: ComparedText.min(1)
        .max(nameMax)
        .describe('File name that is shown; the addresses of the file do not change.'),
    }),
    out: MediaOut,
    async run({ em, path, body, now }) {
      const found = await findRecord(em, Media, seenMedia(path.id), 'file')
      const name = fileName(body.name)
      if (name === null)
        throw refusalOf([
          { pointer: '/name', code: 'invalid_name', detail: `Expected a file name of 1 to ${nameMax} characters.` },
        ])
      const said = otherTypeSaid(name, undefined, found.mime_type)
      if (said) throw refusalOf([differs('/name', name, said, found.mime_type)])
      await renameMedia(em, found, name, now)
      return shown(found)
    },
  }),
  removing('DELETE /v1/stores/{storeId}/media/{id}', {
    may: 'admin',
    summary: 'Delete a file with its variants',
    description:
      '409 `referenced` if a reference from another record restricts the deletion; `referenced_by` lists up to ten of the records. Other references are set to null.',
    remove: ({ em, tenant_id, path, now }) => deleteMedia(em, tenant_id, path.id, now),
  }),
  route('GET /v1/storefront/media', {
    may: 'visitor',
    contact: 'optional',
    summary: 'Read ready files by their ids',
    description:
      'Returns the files in the order of `ids`, in one page. Files that do not exist or are not ready are left out.',
    query: z.object({
      ids: many(Id).describe('Identifiers of the files to read, 100 at most: repeated, or separated by commas.'),
    }),
    out: pageOf(MediaOut),
    async run({ em, query }) {
      const ids = [...new Set(query.ids)]
      const rows = await em.find(Media, { id: { $in: ids }, status: 'ready' })
      return { items: ids.flatMap((id) => rows.filter((row) => row.id === id)).map(shown), cursor: null }
    },
  }),
]
