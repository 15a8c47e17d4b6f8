// Width, height and duration of a video file. Only the heads of its boxes and the description of its tracks are read.
import fs from 'node:fs/promises'
import { boxHead, type MovieFacts, movieFacts } from '../../rules/content/movie.ts'

const types = ['video/mp4', 'video/quicktime', 'video/x-m4v']
/** The description of an hour takes about a megabyte. */
const moovMax = 16 * 1024 * 1024
/** Only a file with fragments or a damaged one has more. */
const boxesMax = 1_000

/** Undefined for other files, and for one that describes no tracks. */
export async function movieFactsOf(path: string, mimeType: string, size: number): Promise<MovieFacts | undefined> {
  if (!types.includes(mimeType)) return undefined
  const handle = await fs.open(path, 'r')
  try {
    const read = async (position: number, length: number) => {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position)
      return buffer.subarray(0, bytesRead)
    }
    for (let at = 0, count = 0; at < size && count < boxesMax; count++) {
      const bytes = await read(at, 16)
      const head = boxHead(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), size - at)
      if (!head) return undefined
      if (head.type === 'moov')
        return head.size > moovMax ? undefined : movieFacts(await read(at + head.header, head.size - head.header))
      at += head.size
    }
    return undefined
  } finally {
    await handle.close()
  }
}
