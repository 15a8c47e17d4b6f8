// Valid and invalid files to upload, and ways to read the stored ones.
//   const { status, body } = await send(shop, [{ name: 'photo.jpg', bytes: await photo(3000, 2000) }])
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import sharp from 'sharp'
import { type Answer, api, database, type Shop } from '../shop.ts'

export type Sent = { name: string; bytes: Uint8Array | string; type?: string; field?: string }
type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff'

export async function send(shop: Shop, files: readonly Sent[], base = api()): Promise<Answer> {
  const body = new FormData()
  for (const { name, bytes, type = '', field = 'files' } of files)
    body.append(field, new Blob([bytes as string], { type }), name)
  const answer = await fetch(`${base}/v1/stores/${shop.store_id}/media`, {
    method: 'POST',
    headers: shop.op.headers,
    body,
  })
  return { status: answer.status, body: await answer.json(), headers: answer.headers }
}

export type Read = { status: number; headers: Headers; bytes: Buffer }

export async function read(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Read> {
  const answer = await fetch(url, { method, headers })
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Noise compresses badly, as photos do. */
export const photo = (width: number, height: number, format: Format = 'jpeg'): Promise<Buffer> =>
  sharp({
    create: { width, height, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 30 } },
  })
    .toFormat(format)
    .toBuffer()

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(zlib.crc32(body))
  return Buffer.concat([length, body, sum])
}

/** Black, a bit per pixel: 900 million pixels are 110 KB. With `rows`, its header promises more than there is. */
export function blackPng(width: number, height: number, rows = height): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.writeUInt8(1, 8)
  const pixels = zlib.deflateSync(Buffer.alloc(rows * (1 + Math.ceil(width / 8))), { level: 9 })
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The files that a folder holds of a store, by their paths; incomplete ones too. */
export function keptIn(folder: string, shop: Shop): string[] {
  const at = path.join(folder, shop.store_id)
  const filesIn = (folder: string): string[] => {
    let entries: fs.Dirent[]
    try {
      entries = fs.readdirSync(folder, { withFileTypes: true })
    } catch (error) {
      // A folder that is removed meanwhile; `recursive` would fail as a whole.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
    return entries.flatMap((entry) =>
      entry.isDirectory() ? filesIn(path.join(folder, entry.name)) : [path.join(folder, entry.name)],
    )
  }
  return filesIn(at)
    .map((file) => path.relative(at, file))
    .sort()
}

export const rowsOf = async (shop: Shop): Promise<{ id: string; status: string }[]> =>
  (await database().query('select id, status from media where tenant_id = $1 order by id', [shop.store_id])).rows

/** A body as it goes over the wire, for clients that disconnect. */
export const wireOf = (files: readonly Sent[], boundary: string): Buffer =>
  Buffer.concat([
    ...files.flatMap(({ name, bytes, field = 'files', type = 'application/octet-stream' }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`,
      ),
      Buffer.from(bytes as Uint8Array),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])
