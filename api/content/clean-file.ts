// Removes the metadata of an uploaded picture or film before it is stored: its original is public.
import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import { hasMetadata, withoutMetadata } from '../../rules/content/metadata.ts'

type Uploaded = { path: string; size: number; digest: string }

/** One file at a time is in the memory of a process, with its copy: 100 MiB at most. */
let last: Promise<unknown> = Promise.resolve()

/** Changes the file at `path`, and returns its size and digest. */
export async function cleanFile(
  { path, size, digest }: Uploaded,
  mimeType: string,
): Promise<Pick<Uploaded, 'size' | 'digest'>> {
  if (!hasMetadata(mimeType)) return { size, digest }
  const clean = async () => {
    const bytes = await fs.readFile(path)
    const rest = withoutMetadata(bytes, mimeType)
    if (rest === bytes) return { size, digest }
    await fs.writeFile(path, rest)
    return { size: rest.length, digest: createHash('sha256').update(rest).digest('hex') }
  }
  const turn = last.then(clean, clean)
  last = turn.catch(() => {})
  return turn
}
