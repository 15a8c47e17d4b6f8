// Storage of media files: a folder or an S3 bucket. Files are complete or absent, also after a crash, and are streamed,
// never held in memory.
import { config } from '../../config.ts'
import type { Bucket } from './bucket.ts'
import { folderBucket } from './folder.ts'
import { s3Bucket } from './s3.ts'

let known: Bucket | undefined

/** Chosen by the settings. Its address comes from the operator of the installation, so the egress guard is not used. */
export function bucket(): Bucket {
  known ??= config.s3 ? s3Bucket(config.s3) : folderBucket(config.mediaDir)
  return known
}
