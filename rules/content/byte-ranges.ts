// Which bytes of a file are asked for (RFC 9110, 13 and 14): all of them, a part, none because they are known, or none because there are none.

export type Range = { from: number; to: number }
export type RangeAsked = { status: 200 } | { status: 206; range: Range } | { status: 304 } | { status: 416 }

const bare = (tag: string) => tag.trim().replace(/^W\//, '')

/** `known`: the header If-None-Match. `etag` with its quotes. (RFC 9110, 13.1.2: compared weakly.) */
const isKnown = (known: string | undefined, etag: string) => known !== undefined && (known.trim() === '*' || known.split(',').map(bare).includes(etag))

/**
 * The answer to a GET or HEAD of `size` bytes. A header that cannot be read, another unit and several ranges at once count as not sent (RFC 9110, 14.2); so
 * does a range of another version (13.1.5: If-Range is compared strongly, and a date never agrees as none is told).
 */
export function rangeAsked(
  size: number,
  etag: string,
  asked: { range?: string | undefined; if_range?: string | undefined; if_none_match?: string | undefined },
): RangeAsked {
  if (isKnown(asked.if_none_match, etag)) return { status: 304 }
  const found = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(asked.range ?? '')
  if (!found || (asked.if_range !== undefined && asked.if_range.trim() !== etag)) return { status: 200 }
  const [first = '', last = ''] = [found[1], found[2]]
  if (first === '' && last === '') return { status: 200 }
  if (first !== '' && last !== '' && Number(last) < Number(first)) return { status: 200 }
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  if (from >= size || (first === '' && Number(last) === 0)) return { status: 416 }
  return { status: 206, range: { from, to: first === '' || last === '' ? size - 1 : Math.min(size - 1, Number(last)) } }
}
