// Detects the media type of a file by its first bytes or, where these are not known, by the kind of text.
import fs from 'node:fs'
import { fileTypeFromFile } from 'file-type'
import { bareType, textTypeOf } from '../../rules/content/media-types.ts'

/** Types recognised by two bytes only: a file that is valid text is treated as text instead. */
const weak = [
  'image/bmp',
  'application/x-msdownload',
  'application/x-compress',
  'audio/mpeg',
  'audio/aac',
  'application/xml',
]
const beginningMax = 65_536
const endMax = 256

/** Undefined for a file that is not text (UTF-8 without NUL). Reads one chunk at a time. */
async function textType(path: string): Promise<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let beginning = ''
  let end = ''
  try {
    for await (const chunk of fs.createReadStream(path) as AsyncIterable<Buffer>) {
      if (chunk.includes(0)) return undefined
      const text = decoder.decode(chunk, { stream: true })
      if (beginning.length < beginningMax) beginning = (beginning + text).slice(0, beginningMax)
      // A long chunk is not concatenated: that would copy the whole text.
      end = (text.length < endMax ? end + text : text).slice(-endMax)
    }
    decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
  return textTypeOf(beginning, end)
}

/**
 * A media type without parameters, by content alone; `application/octet-stream` for content that is neither known nor
 * text.
 */
export async function fileTypeOf(path: string): Promise<string> {
  // A file that the library cannot parse has no known type.
  const found = bareType((await fileTypeFromFile(path).catch(() => undefined))?.mime ?? '')
  if (found && !weak.includes(found)) return found
  return (await textType(path)) ?? (found || 'application/octet-stream')
}
