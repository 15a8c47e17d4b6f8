// The HTML and text of a message, compressed: with the first message of its step as dictionary, a page of 30 KB needs about 2 KB.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

export type Content = { html: string; text: string }

/** With a dictionary, a message is as small as at the usual level, in a fifth of the time. */
const fast = { [constants.ZSTD_c_compressionLevel]: 1 }

/** More is not unpacked. Bytes. */
const longest = 8 * 1024 * 1024

/** Of the packed message: most are far smaller. Bytes. */
const chunkSize = 4_096

/** The length of the HTML, the HTML and the text. */
function bytesOf({ html, text }: Content, room: (size: number) => Buffer = Buffer.allocUnsafeSlow): Buffer {
  const [before, after] = [Buffer.byteLength(html), Buffer.byteLength(text)]
  const bytes = room(4 + before + after)
  bytes.writeUInt32BE(before)
  bytes.write(html, 4)
  bytes.write(text, 4 + before)
  return bytes
}

/** Most are packed in one buffer: one of its own for each would be most of what is collected. */
const common = Buffer.allocUnsafeSlow(131_072)
const roomFor = (size: number): Buffer => (size > common.length ? Buffer.allocUnsafeSlow(size) : common.subarray(0, size))

/** `dictionary`: of the step (`campaign_steps.dictionary`); null without. The same one unpacks it. */
export const packContent = (content: Content, dictionary: Uint8Array | null): Buffer =>
  zstdCompressSync(bytesOf(content, roomFor), { params: fast, chunkSize, ...(dictionary ? { dictionary } : {}) })

export function unpackContent(packed: Uint8Array, dictionary: Uint8Array | null): Content {
  const bytes = zstdDecompressSync(packed, { maxOutputLength: longest, ...(dictionary ? { dictionary } : {}) })
  const end = 4 + bytes.readUInt32BE()
  return { html: bytes.toString('utf8', 4, end), text: bytes.toString('utf8', end) }
}

/** The dictionary of a step is made of its first message. */
export const dictionaryOf = (content: Content): Buffer => bytesOf(content)
