// A folder that all processes share. A file gets its name when it is completely written: no reader finds a part of a
// file.
import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { BucketAway, NoSuchFile } from '../../rules/content/storage-errors.ts'
import type { Bucket, Place } from './bucket.ts'

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

async function usable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isMissing(error) ? new NoSuchFile() : new BucketAway(error as Error)
  }
}

/** Without this, a rename may be lost in a power cut. */
async function sync(file: string): Promise<void> {
  const handle = await fs.open(file, 'r')
  await handle.sync().finally(() => handle.close())
}

/** Each media has its own folder: files that a killed process left there are removed with it. */
export function folderBucket(root: string): Bucket {
  const folderOf = ({ tenant_id, id }: Place) => path.join(root, tenant_id, id)
  return {
    async put(place, name, source) {
      const folder = folderOf(place)
      const temporary = path.join(folder, `.${name}.${randomBytes(6).toString('hex')}`)
      try {
        await fs.mkdir(folder, { recursive: true })
        await fs.copyFile(source.path, temporary)
        await sync(temporary)
        await fs.rename(temporary, path.join(folder, name))
        await sync(folder)
      } catch (error) {
        await fs.rm(temporary, { force: true }).catch(() => {})
        throw new BucketAway(error as Error)
      }
    },
    open: (place, name, _size, range) =>
      usable(async () => {
        const handle = await fs.open(path.join(folderOf(place), name), 'r')
        return handle.createReadStream(range ? { start: range.from, end: range.to } : {})
      }),
    remove: (place) => usable(() => fs.rm(folderOf(place), { recursive: true, force: true })),
  }
}
