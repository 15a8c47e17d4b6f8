// Width, height and duration of a video, read from the `moov` box of an MP4 or QuickTime file (ISO/IEC 14496-12).

/** Pixels as displayed, seconds. Null: the file does not say. */
export type MovieFacts = { width: number | null; height: number | null; duration_s: number | null }
type Box = { type: string; start: number; end: number }

/**
 * The type and size of the box that begins with these 16 bytes (fewer at the end of the file); undefined: no box begins
 * there. `left`: bytes to the end of the file.
 */
export function boxHead(head: DataView, left: number): { type: string; header: number; size: number } | undefined {
  if (head.byteLength < 8) return undefined
  const type = String.fromCharCode(head.getUint8(4), head.getUint8(5), head.getUint8(6), head.getUint8(7))
  const short = head.getUint32(0)
  if (short === 1 && head.byteLength < 16) return undefined
  const size = short === 1 ? Number(head.getBigUint64(8)) : short === 0 ? left : short
  const header = short === 1 ? 16 : 8
  return size < header || size > left ? undefined : { type, header, size }
}

function boxes(view: DataView, from: number, to: number): Box[] {
  const found: Box[] = []
  for (let at = from; at < to; ) {
    const head = boxHead(new DataView(view.buffer, view.byteOffset + at, Math.min(16, to - at)), to - at)
    if (!head) break
    found.push({ type: head.type, start: at + head.header, end: at + head.size })
    at += head.size
  }
  return found
}

const inside = (view: DataView, { start, end }: Box, type: string) =>
  boxes(view, start, end).find((box) => box.type === type)

/** The duration of the whole film; null: unknown. With fragments, `mvhd` has none, and `mehd` may have it. */
function durationOf(view: DataView, { start, end }: Box, fragments: Box | undefined): number | null {
  const long = end - start >= 32 && view.getUint8(start) === 1
  if (!long && end - start < 20) return null
  const scale = view.getUint32(start + (long ? 20 : 12))
  const units = long ? Number(view.getBigUint64(start + 24)) : view.getUint32(start + 16)
  const duration = units === 0 && fragments ? fragmentsOf(view, fragments) : units
  // All ones: unknown.
  return scale === 0 || duration === 0 || duration >= (long ? 2 ** 63 : 0xffff_ffff) ? null : duration / scale
}
function fragmentsOf(view: DataView, { start, end }: Box): number {
  const long = view.byteLength > start && view.getUint8(start) === 1
  if (end - start < (long ? 12 : 8)) return 0
  return long ? Number(view.getBigUint64(start + 4)) : view.getUint32(start + 4)
}

/** A track header ends in a matrix of nine numbers, the width and the height, as fixed-point numbers of 32 bits. */
function sizeOf(view: DataView, { start, end }: Box): { width: number; height: number } | null {
  if (end - start < 84) return null
  const [width, height] = [Math.round(view.getUint32(end - 8) / 65_536), Math.round(view.getUint32(end - 4) / 65_536)]
  // A quarter turn has a = d = 0.
  const isTurned = view.getInt32(end - 44) === 0 && view.getInt32(end - 40) !== 0
  return width === 0 || height === 0 ? null : isTurned ? { width: height, height: width } : { width, height }
}

/** `moov`: the content of the box, without its header. Of the first video track. */
export function movieFacts(moov: Uint8Array): MovieFacts {
  const view = new DataView(moov.buffer, moov.byteOffset, moov.byteLength)
  const all = boxes(view, 0, moov.byteLength)
  const movie = all.find(({ type }) => type === 'mvhd')
  const track = all.find((box) => {
    const media = box.type === 'trak' ? inside(view, box, 'mdia') : undefined
    const handler = media && inside(view, media, 'hdlr')
    return (
      handler !== undefined && handler.end - handler.start >= 12 && view.getUint32(handler.start + 8) === 0x76_69_64_65
    )
  })
  const header = track && inside(view, track, 'tkhd')
  const size = header ? sizeOf(view, header) : null
  const extension = all.find(({ type }) => type === 'mvex')
  const fragments = extension && inside(view, extension, 'mehd')
  return {
    width: size?.width ?? null,
    height: size?.height ?? null,
    duration_s: movie ? durationOf(view, movie, fragments) : null,
  }
}
