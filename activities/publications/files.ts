// The file of a media that a social network gets: the original, or a JPEG that is made when it is first needed.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { unixNow } from '../../adapters/clock.ts'
import { bucket } from '../../adapters/object-storage/object-storage.ts'
import { newTemporaryFolder } from '../../adapters/temporary-folders.ts'
import { config } from '../../config.ts'
import type { MediaVariant } from '../../entities/content/media.ts'
import { addVariant } from '../../entities/content/media-rows.ts'
import type { MediaFile } from '../../entities/publications/media-facts.ts'
import type { VariantName } from '../../rules/content/media.ts'
import { NoSuchFile } from '../../rules/content/storage-errors.ts'
import { deliveredVariant } from '../../rules/publications/content-issues.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import type { PartFile } from '../../rules/social/networks/publisher.ts'
import { jpegOf } from '../content/images.ts'
import { statement } from '../kit/database.ts'

type Stored = MediaFile & { tenant_id: string }
export type DeliveredFile = PartFile & { variant: VariantName }

const delivered = ({ id, kind }: Stored, variant: VariantName, { mime_type, size }: MediaVariant): DeliveredFile => ({
  ...{ kind, variant, mime_type, bytes: size },
  url: `${config.publicUrl}/media/${id}/${variant}`,
})

/** The image could not be decoded in its time, though it was after its upload. */
export class NotConverted extends Error {}

/** A decoded image may take 256 MB: a process decodes one at a time. */
let last: Promise<unknown> = Promise.resolve()
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = last.then(work, work)
  last = turn.catch(() => {})
  return turn
}

async function makeJpeg({ id, tenant_id, variants }: Stored): Promise<MediaVariant> {
  const folder = await newTemporaryFolder('image')
  try {
    const [original, made] = [path.join(folder, 'original'), path.join(folder, 'jpeg')]
    const { size } = variants.original as MediaVariant
    await pipeline(await bucket().open({ id, tenant_id }, 'original', size), fs.createWriteStream(original))
    const { bytes, width, height } = await jpegOf(original).catch((error: Error) => {
      throw new NotConverted(error.message)
    })
    const variant = {
      mime_type: 'image/jpeg',
      size: bytes.length,
      width,
      height,
      digest: createHash('sha256').update(bytes).digest('hex'),
    }
    await writeFile(made, bytes)
    await bucket().put({ id, tenant_id }, 'jpeg', { path: made, ...variant })
    const storedVariant = await statement((em) => addVariant(em, { id, tenant_id }, 'jpeg', variant, unixNow()))
    if (storedVariant) return storedVariant
    // Deleted meanwhile, and perhaps its files removed: this one would stay.
    await bucket().remove({ id, tenant_id }, ['jpeg'])
    throw new NoSuchFile()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Throws BucketAway, NotConverted, and NoSuchFile if the media was deleted. */
export async function deliveredFile(type: NetworkType, media: Stored): Promise<DeliveredFile> {
  const { original, jpeg } = media.variants
  if (deliveredVariant(type, media) === 'original') return delivered(media, 'original', original as MediaVariant)
  return delivered(media, 'jpeg', jpeg ?? (await inTurn(() => makeJpeg(media))))
}
