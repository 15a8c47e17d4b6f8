// `npm run copy-media`: copies the files of MEDIA_DIR into the bucket of the S3_ settings. Safe to repeat: it only adds
// and replaces.
import fs from 'node:fs'
import path from 'node:path'
import { closeDatabase, statement } from '../activities/kit/database.ts'
import { bucket } from '../adapters/object-storage/object-storage.ts'
import { config } from '../config.ts'
import { keptMedia } from '../entities/content/media-rows.ts'

if (!config.s3) {
  console.error('copy-media: S3_BUCKET is missing; files are copied from MEDIA_DIR to the bucket that it names')
  process.exit(1)
}
const batch = 100
let [copied, missing, after] = [0, 0, '00000000-0000-0000-0000-000000000000']
for (;;) {
  const rows = await statement((em) => keptMedia(em, after, batch))
  for (const { id, tenant_id, variants } of rows)
    for (const [name, file] of Object.entries(variants)) {
      const source = path.join(config.mediaDir, tenant_id, id, name)
      // Uploaded to the bucket itself, or deleted since the row was read.
      if (!fs.existsSync(source)) missing++
      else {
        await bucket().put({ tenant_id, id }, name, { ...file, path: source })
        copied++
      }
    }
  const last = rows.at(-1)
  if (!last || rows.length < batch) break
  after = last.id
}
console.log(`${copied} files copied${missing > 0 ? `, ${missing} are not in ${config.mediaDir}` : ''}`)
await closeDatabase()
