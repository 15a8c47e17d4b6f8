// Makes the variants of an uploaded image, or removes the files of a deleted one, as its row says. Idempotent, also
// when workers die in between.

import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { unixNow } from '../../adapters/clock.ts'
import { bucket } from '../../adapters/object-storage/object-storage.ts'
import { newTemporaryFolder } from '../../adapters/temporary-folders.ts'
import { type DueMedia, dueMedia, finishMedia, forgetMedia, type Variants } from '../../entities/content/media-rows.ts'
import { variantNames } from '../../rules/content/media.ts'
import { statement, transaction } from '../kit/database.ts'
import { failpoint } from '../kit/failpoints.ts'
import { beating } from '../kit/heartbeat.ts'
import { imageOf } from './images.ts'

async function remove(media: DueMedia): Promise<void> {
  await bucket().remove(media, variantNames)
  await transaction((em) => forgetMedia(em, media))
}

async function finish(media: DueMedia, end: Parameters<typeof finishMedia>[2]): Promise<void> {
  if (await transaction((em) => finishMedia(em, media, end, unixNow()))) return
  const dueRow = await statement((em) => dueMedia(em, media.id))
  // Deleted meanwhile, and perhaps its files removed by another worker: the variants stored just now would never be
  // removed.
  if (!dueRow || dueRow.status === 'deleting') await bucket().remove(media, variantNames)
}

async function makeVariants(media: DueMedia): Promise<void> {
  const folder = await newTemporaryFolder('image')
  try {
    const file = path.join(folder, 'original')
    const stored = media.variants.original as NonNullable<Variants['original']>
    await pipeline(await bucket().open(media, 'original', stored.size), fs.createWriteStream(file))
    await failpoint('media', 'media', media.id)
    const image = await imageOf(file)
    if ('error' in image) return await finish(media, image)
    const original = { ...stored, width: image.width, height: image.height }
    const variants: Variants = { original }
    await Promise.all(
      image.variants.map(async ({ name, bytes, width, height }) => {
        const digest = createHash('sha256').update(bytes).digest('hex')
        const source = { path: path.join(folder, name), size: bytes.length, digest, mime_type: 'image/webp' }
        await writeFile(source.path, bytes)
        await bucket().put(media, name, source)
        variants[name] = { mime_type: source.mime_type, size: source.size, digest, width, height }
      }),
    )
    await failpoint('media-kept', 'media', media.id)
    await finish(media, { variants })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Makes the variants of a file, or deletes it. Idempotent; throws where the database or the object storage is
 * unreachable.
 */
export const applyMedia = (id: string): Promise<void> =>
  beating(async () => {
    const media = await statement((em) => dueMedia(em, id))
    if (media?.status === 'deleting') await remove(media)
    if (media?.status === 'processing') await makeVariants(media)
  })

/** After several workers died decoding the image. */
export const giveUpMedia = async (id: string): Promise<void> => {
  const media = await statement((em) => dueMedia(em, id))
  if (media?.status === 'processing')
    await finish(media, { error: { code: 'image_too_heavy', message: 'Not enough memory to decode the image.' } })
}
