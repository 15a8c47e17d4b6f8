// What a bucket of media files does: files are complete or absent, and are streamed.
import type { Readable } from 'node:stream'
import type { Range } from '../../rules/content/byte-ranges.ts'

/** The files of one media; a file's name consists of letters. */
export type Place = { tenant_id: string; id: string }

/** A file on this machine. SHA-256 in hexadecimal. */
export type Source = { path: string; size: number; digest: string; mime_type: string }

export type Bucket = {
  /** Writes the whole file or nothing, and replaces one of the same name. Throws BucketAway. */
  put(place: Place, name: string, source: Source): Promise<void>
  /**
   * The `size` bytes of a file, or those of the range; the caller reads or destroys the stream, which fails if another
   * number of bytes arrives. Throws BucketAway, NoSuchFile.
   */
  open(place: Place, name: string, size: number, range?: Range): Promise<Readable>
  /** Removes these files; missing ones are ignored. Throws BucketAway. */
  remove(place: Place, names: readonly string[]): Promise<void>
}
