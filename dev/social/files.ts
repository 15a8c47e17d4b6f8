// Files that the networks have: fetched from their public address or received in pieces. Their bytes are on disk by
// digest, their facts in the journal.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileTypeFromBuffer } from 'file-type'
import sharp from 'sharp'
import { boxHead, movieFacts } from '../../rules/content/movie.ts'
import { keyed } from './state.ts'

/** `kind` other: no picture and no video, or a damaged one. */
export type File = {
  id: string
  kind: 'image' | 'gif' | 'video' | 'other'
  mime_type: string
  bytes: number
  width: number | null
  height: number | null
  duration_s: number | null
}

export const files = keyed<File>('file', ({ id }) => id)

const folder = () => join(process.env.SOCIAL_DIR ?? '.dev/social', 'files')
export const pathOf = (id: string): string => join(folder(), id)

function movieOf(bytes: Buffer) {
  for (let at = 0; at < bytes.length; ) {
    const head = boxHead(
      new DataView(bytes.buffer, bytes.byteOffset + at, Math.min(16, bytes.length - at)),
      bytes.length - at,
    )
    if (!head) break
    if (head.type === 'moov') return movieFacts(bytes.subarray(at + head.header, at + head.size))
    at += head.size
  }
  return undefined
}

async function factsOf(bytes: Buffer): Promise<Pick<File, 'kind' | 'mime_type' | 'width' | 'height' | 'duration_s'>> {
  const mime_type = (await fileTypeFromBuffer(bytes).catch(() => undefined))?.mime ?? 'application/octet-stream'
  const other = { kind: 'other' as const, mime_type, width: null, height: null, duration_s: null }
  if (mime_type.startsWith('image/')) {
    const picture = await sharp(bytes)
      .metadata()
      .catch(() => undefined)
    if (!picture) return other
    const { width, height } = picture.autoOrient
    return { kind: mime_type === 'image/gif' ? 'gif' : 'image', mime_type, width, height, duration_s: null }
  }
  if (!mime_type.startsWith('video/')) return other
  const movie = movieOf(bytes)
  return movie ? { kind: 'video', mime_type, ...movie } : other
}

/** What is written is complete or absent, also when the simulator is killed. */
export async function store(bytes: Buffer): Promise<File> {
  const id = createHash('sha256').update(bytes).digest('hex').slice(0, 32)
  const file = { id, bytes: bytes.length, ...(await factsOf(bytes)) }
  if (!existsSync(pathOf(id))) {
    mkdirSync(folder(), { recursive: true })
    writeFileSync(`${pathOf(id)}.new`, bytes)
    renameSync(`${pathOf(id)}.new`, pathOf(id))
  }
  return file
}

/** Null: not reachable, or not there. A network fetches as a stranger does, without credentials. */
export async function fetchFile(address: string): Promise<File | null> {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return null
  try {
    const answer = await fetch(address, {
      signal: AbortSignal.timeout(20_000),
      headers: { 'user-agent': 'social-simulator/1.0' },
    })
    if (!answer.ok) return null
    return await store(Buffer.from(await answer.arrayBuffer()))
  } catch {
    return null
  }
}
