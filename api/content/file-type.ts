// What a file is: by its first bytes, and where these say nothing, by what kind of text it is.
import fs from 'node:fs'
import { fileTypeFromFile } from 'file-type'
import { bareType, textTypeOf } from '../../rules/content/media-types.ts'

/** Two letters are no proof where a whole text follows. */
const weak = ['image/bmp', 'application/x-msdownload', 'application/x-compress', 'audio/mpeg', 'audio/aac', 'application/xml']
const beginningMax = 65_536
const endMax = 256

/** Undefined: it is no text (UTF-8 without NUL). Never more than one chunk in memory. */
async function textType(path: string): Promise<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let beginning = ''
  let end = ''
  try {
    for await (const chunk of fs.createReadStream(path) as AsyncIterable<Buffer>) {
      if (chunk.includes(0)) return undefined
      const text = decoder.decode(chunk, { stream: true })
      if (beginning.length < beginningMax) beginning = (beginning + text).slice(0, beginningMax)
      // Alone, or a long text would be read twice.
      end = (text.length < endMax ? end + text : text).slice(-endMax)
    }
    decoder.decode()
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
  return textTypeOf(beginning, end)
}

/** A MIME type without parameters, by content alone; `application/octet-stream` for what is neither known nor a text. */
export async function fileTypeOf(path: string): Promise<string> {
  // What it cannot read through is none that it knows.
  const found = bareType((await fileTypeFromFile(path).catch(() => undefined))?.mime ?? '')
  if (found && !weak.includes(found)) return found
  return (await textType(path)) ?? (found || 'application/octet-stream')
}
