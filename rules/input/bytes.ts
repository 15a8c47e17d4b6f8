// The text of bytes from outside: by their byte-order mark, by the charset that was declared, or as UTF-8 (WHATWG
// Encoding Standard).

/** The label of an encoding in a content type, such as `text/html; charset="ISO-8859-1"`. */
const declaredIn = (type: string): string | undefined => /;\s*charset\s*=\s*["']?([\w.:+-]+)/i.exec(type)?.[1]

/** Bytes in which a page or document may declare its charset (HTML, 4.2.5.5). */
const headBytes = 1_024

/** The charset that a page or an XML document declares in itself. */
function declaredInside(bytes: Uint8Array, type: string): string | undefined {
  if (!/^\s*(?:text|application)\/(?:[\w.-]+\+)?(?:html|xml)\b/i.test(type)) return undefined
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, headBytes))
  const found =
    /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:+-]+)/i.exec(head) ??
    /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:+-]+)/i.exec(head)
  // A declaration that can be read in ASCII is not in UTF-16.
  return found?.[1] && /^utf-?16/i.test(found[1]) ? undefined : found?.[1]
}

/** The decoder of an encoding. Null for an encoding that is not known. */
function decoderOf(label: string, fatal: boolean) {
  try {
    return new TextDecoder(label, { fatal })
  } catch {
    return null
  }
}

/** The encoding that a byte-order mark names. */
function markedAs(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

/**
 * The text of an answer, a file or a part of a mail, without its byte-order mark. `type`: its content type. An encoding
 * that is not known is read as UTF-8, and what is no text in its encoding becomes U+FFFD.
 */
export function textOfBytes(bytes: Uint8Array, type: string | null | undefined = ''): string {
  const label = markedAs(bytes) ?? declaredIn(type ?? '') ?? declaredInside(bytes, type ?? '') ?? 'utf-8'
  return (decoderOf(label, false) ?? new TextDecoder()).decode(bytes)
}

/** The text of a request's body; undefined if it is no text in its encoding, or its encoding is not known. */
export function strictTextOfBytes(bytes: Uint8Array, type: string | undefined): string | undefined {
  try {
    return decoderOf(markedAs(bytes) ?? declaredIn(type ?? '') ?? 'utf-8', true)?.decode(bytes)
  } catch {
    return undefined
  }
}
