// Where the bytes of files are: a folder or a bucket of S3. Whole files only, whoever dies while writing; never one in memory.
import type { Readable } from 'node:stream'
import { config } from '../../config.ts'
import type { Range } from '../../rules/content/byte-ranges.ts'
import { folderBucket } from './folder.ts'
import { s3Bucket } from './s3.ts'

/** Of one media; each of its files has a name of letters there. */
export type Place = { tenant_id: string; id: string }

/** A file on this machine. SHA-256 in hexadecimal. */
export type Source = { path: string; size: number; digest: string; mime_type: string }

export type Bucket = {
  /** The whole file or nothing; what was there under this name is replaced. BucketAway. */
  put(place: Place, name: string, source: Source): Promise<void>
  /** Its bytes, `size` of them, or those of the range; the caller has to read or destroy the stream. A bucket that sends another number of bytes fails. BucketAway, NoSuchFile. */
  open(place: Place, name: string, size: number, range?: Range): Promise<Readable>
  /** Whatever is there under these names; what is not there is no failure. BucketAway. */
  remove(place: Place, names: readonly string[]): Promise<void>
}

let known: Bucket | undefined

/** As the settings say: ours, so nothing guards what it reaches. */
export function bucket(): Bucket {
  known ??= config.s3 ? s3Bucket(config.s3) : folderBucket(config.mediaDir)
  return known
}
