// Conditional and range requests (RFC 9110, 13 and 14): whether the whole file, a part of it, or nothing is returned.

export type Range = { from: number; to: number }
export type RequestedRange = { status: 200 } | { status: 206; range: Range } | { status: 304 } | { status: 416 }

const bare = (tag: string) => tag.trim().replace(/^W\//, '')

/** `header`: If-None-Match. `etag` with its quotes. Compared weakly (RFC 9110, 13.1.2). */
export const isCached = (header: string | undefined, etag: string): boolean =>
  header !== undefined && (header.trim() === '*' || header.split(',').map(bare).includes(bare(etag)))

/**
 * The answer to a GET or HEAD of a file of `size` bytes. An invalid header, another unit and several ranges are ignored
 * (RFC 9110, 14.2), and so is a range of another version (13.1.5: If-Range is compared strongly; a date never matches,
 * as files have no Last-Modified).
 */
export function requestedRange(
  size: number,
  etag: string,
  headers: { range?: string | undefined; if_range?: string | undefined; if_none_match?: string | undefined },
): RequestedRange {
  if (isCached(headers.if_none_match, etag)) return { status: 304 }
  const found = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(headers.range ?? '')
  if (!found || (headers.if_range !== undefined && headers.if_range.trim() !== etag)) return { status: 200 }
  const [first = '', last = ''] = [found[1], found[2]]
  if (first === '' && last === '') return { status: 200 }
  if (first !== '' && last !== '' && Number(last) < Number(first)) return { status: 200 }
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  if (from >= size || (first === '' && Number(last) === 0)) return { status: 416 }
  return { status: 206, range: { from, to: first === '' || last === '' ? size - 1 : Math.min(size - 1, Number(last)) } }
}
