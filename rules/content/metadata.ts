// Removes what a picture or film says of where, when and by whom it was taken, without decoding it: a public file must
// not show where people live.
// Orientation, colour profiles and animations stay. Pixels are not changed. Exif 2.32, XMP part 3, PNG 3, WebP
// container, TIFF 6, ISO/IEC 14496-12 and 23008-12.
// Why by hand: docs/decisions/0016-files-by-content.md.
import { boxHead } from './movie.ts'

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
const latin = (bytes: Uint8Array, from: number, length: number) =>
  String.fromCharCode(...bytes.subarray(from, from + length))
const ascii = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0))
const big = (value: number, length: number) =>
  Uint8Array.from({ length }, (_, n) => Math.floor(value / 256 ** (length - 1 - n)) % 256)
const little = (value: number, length: number) => big(value, length).reverse()

/**
 * Segments, chunks, boxes, entries and extents that are read of one file. What follows them is kept as it is: a file
 * that consists of empty ones would take all the memory of the process, or keep it from its other requests.
 */
const partsMax = 200_000
/** Containers within each other. */
const depthMax = 8

/** Counts the parts of one file: false after the last that is read. */
function partCounter(): () => boolean {
  let left = partsMax
  return () => left-- > 0
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** 1 to 8; 1 if it is not said. `tiff` begins with the byte order. */
function orientationOf(tiff: Uint8Array): number {
  if (tiff.length < 14) return 1
  const [view, isLittle] = [viewOf(tiff), tiff[0] === 0x49]
  const start = view.getUint32(4, isLittle)
  if (start + 2 > tiff.length) return 1
  const count = view.getUint16(start, isLittle)
  for (let n = 0, at = start + 2; n < count && at + 12 <= tiff.length; n++, at += 12) {
    if (view.getUint16(at, isLittle) !== 0x0112) continue
    const value = view.getUint16(at + 8, isLittle)
    return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

/** An Exif block that says the orientation alone. */
const orientationAlone = (value: number) =>
  Uint8Array.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0, 0, 0, 0, 0])
/** The TIFF structure of an Exif block, which some writers begin with its name. */
const tiffOf = (exif: Uint8Array) => (latin(exif, 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif)

const jpegKept = [
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
] as const

/**
 * JFIF without its thumbnail, Adobe, and what follows them in their segments cut off: decoders read the first bytes
 * alone.
 */
function segmentKept(segment: Uint8Array, name: string): Uint8Array {
  const [cut, rest] = name === 'JFIF\0' ? [18, 16] : name === 'Adobe' ? [16, 14] : [segment.length, 0]
  if (segment.length <= cut) return segment
  const copy = new Uint8Array(segment.subarray(0, cut))
  copy.set(big(rest, 2), 2)
  if (name === 'JFIF\0') copy.fill(0, 16)
  return copy
}

/**
 * What follows the end of the image is removed, too: telephones append films and depth maps with metadata of their own.
 */
function jpeg(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes)
  const pieces = [bytes.subarray(0, 2)]
  const counts = partCounter()
  let hasExif = false
  for (let at = 2; at + 2 <= bytes.length; ) {
    const marker = bytes[at + 1] as number
    if (bytes[at] !== 0xff || marker === 0xff || marker === 0) {
      // Fill bytes, and what decoders skip.
      at++
      continue
    }
    if (marker === 0xd9) return joined([...pieces, bytes.subarray(at, at + 2)])
    if (!counts()) return joined([...pieces, bytes.subarray(at)])
    const standsAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
    let end = standsAlone || at + 4 > bytes.length ? at + 2 : at + 2 + view.getUint16(at + 2)
    if (marker === 0xda)
      for (end = bytes.indexOf(0xff, end); ; end = bytes.indexOf(0xff, end + 1)) {
        if (end < 0) return joined([...pieces, bytes.subarray(at)])
        const next = bytes[end + 1] as number
        if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) break
      }
    const isExtra = marker === 0xfe || (marker >= 0xe0 && marker <= 0xef)
    const segmentKind = jpegKept.find(([kept, name]) => kept === marker && latin(bytes, at + 4, name.length) === name)
    if (!isExtra) pieces.push(bytes.subarray(at, end))
    else if (segmentKind) pieces.push(segmentKept(bytes.subarray(at, end), segmentKind[1]))
    else if (marker === 0xe1 && latin(bytes, at + 4, 6) === 'Exif\0\0' && !hasExif) {
      hasExif = true
      const value = orientationOf(bytes.subarray(at + 10, end))
      if (value > 1)
        pieces.push(joined([Uint8Array.from([0xff, 0xe1, 0, 34]), ascii('Exif\0\0'), orientationAlone(value)]))
    }
    at = end
  }
  return joined(pieces)
}

/** The checksum of a PNG chunk (ISO 3309). */
function crc(bytes: Uint8Array): number {
  let rest = 0xffff_ffff
  for (const byte of bytes) {
    rest ^= byte
    for (let n = 0; n < 8; n++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb8_8320 : rest >>> 1
  }
  return (rest ^ 0xffff_ffff) >>> 0
}

const pngKept =
  'IHDR PLTE IDAT IEND tRNS cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI bKGD hIST pHYs sPLT acTL fcTL fdAT'.split(' ')

function png(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes)
  const pieces = [bytes.subarray(0, 8)]
  const counts = partCounter()
  for (let at = 8; at < bytes.length; ) {
    if (!counts()) return joined([...pieces, bytes.subarray(at)])
    const end = at + 12 + (at + 8 <= bytes.length ? view.getUint32(at) : bytes.length)
    const type = latin(bytes, at + 4, 4)
    if (pngKept.includes(type)) pieces.push(bytes.subarray(at, end))
    else if (type === 'eXIf' && end <= bytes.length) {
      const value = orientationOf(tiffOf(bytes.subarray(at + 8, end - 4)))
      const named = joined([ascii('eXIf'), orientationAlone(value)])
      if (value > 1) pieces.push(joined([big(named.length - 4, 4), named, big(crc(named), 4)]))
    }
    if (type === 'IEND') break
    at = end
  }
  return joined(pieces)
}

const webpKept = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP']

const frameKept = ['VP8 ', 'VP8L', 'ALPH']
/** A frame of an animation, with its header and padding: of its chunks, those of the picture. */
function frame(chunk: Uint8Array, counts: () => boolean): Uint8Array {
  const view = viewOf(chunk)
  const pieces = [chunk.subarray(8, 24)]
  let hasExtra = false
  for (let at = 24; at + 8 <= chunk.length; ) {
    if (!counts()) return chunk
    const size = view.getUint32(at + 4, true)
    const end = at + 8 + size + (size % 2)
    if (frameKept.includes(latin(chunk, at, 4))) pieces.push(chunk.subarray(at, end))
    else hasExtra = true
    at = end
  }
  const all = joined(pieces)
  return hasExtra ? joined([ascii('ANMF'), little(all.length, 4), all, new Uint8Array(all.length % 2)]) : chunk
}

function webp(bytes: Uint8Array): Uint8Array {
  if (bytes.length < 12) return bytes
  const view = viewOf(bytes)
  const pieces: Uint8Array[] = []
  let flags: Uint8Array | undefined
  let value = 1
  const counts = partCounter()
  const length = Math.min(bytes.length, 8 + view.getUint32(4, true))
  for (let at = 12; at + 8 <= length; ) {
    const size = view.getUint32(at + 4, true)
    const isRead = counts()
    const [type, end] = [latin(bytes, at, 4), isRead ? Math.min(at + 8 + size + (size % 2), length) : length]
    if (isRead && type === 'EXIF') value = orientationOf(tiffOf(bytes.subarray(at + 8, at + 8 + size)))
    // A copy: the flags are changed below. A Buffer's `slice` shares its memory.
    if (isRead && type === 'VP8X') flags = new Uint8Array(bytes.subarray(at, end))
    if (isRead && type === 'ANMF') pieces.push(frame(bytes.subarray(at, end), counts))
    else if (!isRead || webpKept.includes(type)) pieces.push(type === 'VP8X' && flags ? flags : bytes.subarray(at, end))
    at = end
  }
  // Without the bits of Exif and XMP.
  if (flags && flags.length > 8) flags[8] = ((flags[8] as number) & ~0x0c) | (value > 1 ? 0x08 : 0)
  if (flags && value > 1) pieces.push(joined([ascii('EXIF'), little(26, 4), orientationAlone(value)]))
  const all = joined(pieces)
  // A file that ends too early stays one.
  const size =
    length < bytes.length || bytes.length >= 8 + view.getUint32(4, true) ? all.length + 4 : view.getUint32(4, true)
  return joined([ascii('RIFF'), little(size, 4), ascii('WEBP'), all])
}

const gifKept = ['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']

/**
 * Keeps pictures, their control, plain text and repetition: comments and other extensions, and bytes between the
 * blocks, are removed.
 */
function gif(bytes: Uint8Array): Uint8Array {
  const colours = (packed: number) => (packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0)
  /** After the blocks of data that begin here. */
  const behind = (from: number) => {
    let at = from
    for (; at < bytes.length && bytes[at] !== 0; ) at += 1 + (bytes[at] as number)
    return at + 1
  }
  let at = 13 + colours(bytes[10] ?? 0)
  const pieces = [bytes.subarray(0, at)]
  const counts = partCounter()
  while (at < bytes.length) {
    const [kind, label] = [bytes[at], bytes[at + 1]]
    if (kind === 0x3b) return joined([...pieces, bytes.subarray(at, at + 1)])
    if (kind !== 0x21 && kind !== 0x2c) {
      at++
      continue
    }
    if (!counts()) return joined([...pieces, bytes.subarray(at)])
    const end = kind === 0x21 ? behind(at + 2) : behind(at + 11 + colours(bytes[at + 9] ?? 0))
    const isKept = label === 0xf9 || label === 0x01 || (label === 0xff && gifKept.includes(latin(bytes, at + 3, 11)))
    const isExtra = kind === 0x21 && !isKept
    if (!isExtra) pieces.push(bytes.subarray(at, end))
    at = end
  }
  return joined(pieces)
}

/** Blanks places of a file without moving others. A file whose places overlap is not blanked more than once over. */
function blanker(bytes: Uint8Array) {
  let left = bytes.length
  return (from: number, to: number, filling = 0) => {
    const length = Math.min(to, bytes.length) - from
    if (from < 0 || length <= 0 || length > left) return
    left -= length
    bytes.fill(filling, from, from + length)
  }
}

const [exifIfd, gpsIfd, subIfds] = [34_665, 34_853, 330]
/** XMP, IPTC and the place. */
const located = [700, 33_723, gpsIfd]
/** And descriptions, persons, hosts, layers of editors. */
const tiffDropped = [...located, 270, 315, 316, 34_377, 37_724, exifIfd, 40_091, 40_092, 40_093, 40_094, 40_095]
const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]

/** Changes `bytes` in place: offsets into the file stay. */
function tiff(bytes: Uint8Array, dropped: readonly number[]): void {
  const [view, isLittle, blank] = [viewOf(bytes), bytes[0] === 0x49, blanker(bytes)]
  if (bytes.length < 16) return
  const isBig = view.getUint16(2, isLittle) === 43
  const word = isBig ? 8 : 4
  const wordAt = (at: number) =>
    at + word > bytes.length ? 0 : isBig ? Number(view.getBigUint64(at, isLittle)) : view.getUint32(at, isLittle)
  const [head, entry] = isBig ? [8, 20] : [2, 12]
  let left = partsMax
  const seen = new Set<number>()
  const walk = (from: number, isDropped: (tag: number) => boolean, depth = 0): void => {
    for (let start = from; depth < depthMax && start > 0 && start + head <= bytes.length && !seen.has(start); ) {
      seen.add(start)
      const count = isBig ? wordAt(start) : view.getUint16(start, isLittle)
      const end = start + head + count * entry
      if (end + word > bytes.length) return
      left -= count + 1
      if (left < 0) return
      let kept = start + head
      for (let at = kept; at < end; at += entry) {
        const [tag, type] = [view.getUint16(at, isLittle), view.getUint16(at + 2, isLittle)]
        const size = wordAt(at + 4) * (typeBytes[type] ?? 1)
        const value = size > word ? wordAt(at + 4 + word) : at + 4 + word
        if (tag === subIfds)
          for (let n = 0; n * word < size && n < 100; n++) walk(wordAt(value + n * word), isDropped, depth + 1)
        if (!isDropped(tag)) {
          bytes.copyWithin(kept, at, at + entry)
          kept += entry
          continue
        }
        if (tag === exifIfd || tag === gpsIfd) walk(wordAt(value), () => true, depth + 1)
        if (size > word) blank(value, value + size)
      }
      const next = wordAt(end)
      if (kept === end) {
        start = next
        continue
      }
      bytes.copyWithin(kept, end, end + word)
      bytes.fill(0, kept + word, end + word)
      const now = (kept - start - head) / entry
      if (isBig) view.setBigUint64(start, BigInt(now), isLittle)
      else view.setUint16(start, now, isLittle)
      start = next
    }
  }
  walk(wordAt(isBig ? 8 : 4), (tag) => dropped.includes(tag))
}

/** A box that says it is longer than its container ends with it, as players read it. */
type Box = { type: string; at: number; start: number; end: number }
function* boxes(bytes: Uint8Array, from: number, to: number, counts: () => boolean): Generator<Box> {
  for (let at = from; at < to && counts(); ) {
    const head = boxHead(viewOf(bytes.subarray(at, Math.min(at + 16, to))), Number.MAX_SAFE_INTEGER)
    if (!head) return
    const end = Math.min(at + head.size, to)
    yield { type: head.type, at, start: Math.min(at + head.header, end), end }
    at = end
  }
}

/** The places of the items of a box `meta` that are Exif, or XMP, whose type is `mime`. */
function* itemPlaces(
  bytes: Uint8Array,
  { start, end }: Box,
  counts: () => boolean,
): Generator<{ type: string; from: number; to: number }> {
  const view = viewOf(bytes)
  const inside = new Map<string, Box>()
  for (const box of boxes(bytes, start + 4, end, counts))
    if (['iinf', 'iloc', 'idat'].includes(box.type)) inside.set(box.type, box)
  const [infos, places, data] = [inside.get('iinf'), inside.get('iloc'), inside.get('idat')]
  if (!infos || !places || infos.end - infos.start < 6 || places.end - places.start < 8) return
  const items = new Map<number, string>()
  const firstInfo = infos.start + (view.getUint8(infos.start) === 0 ? 6 : 8)
  for (const { type, start: at, end: to } of boxes(bytes, firstInfo, infos.end, counts)) {
    if (type !== 'infe' || to - at < 12) continue
    const isLong = view.getUint8(at) >= 3 && to - at >= 14
    const kind = latin(bytes, at + (isLong ? 10 : 8), 4)
    if (kind === 'Exif' || kind === 'mime') items.set(isLong ? view.getUint32(at + 4) : view.getUint16(at + 4), kind)
  }
  const version = view.getUint8(places.start)
  const sizes = view.getUint16(places.start + 4)
  const [offsetSize, lengthSize, baseSize, indexSize] = [
    (sizes >> 12) & 15,
    (sizes >> 8) & 15,
    (sizes >> 4) & 15,
    version > 0 ? sizes & 15 : 0,
  ]
  let at = places.start + 6
  const take = (size: number) => {
    let value = 0
    for (let n = 0; n < size; n++) value = value * 256 + (at + n < places.end ? (bytes[at + n] as number) : 0)
    at += size
    return value
  }
  for (let left = take(version < 2 ? 2 : 4); left > 0 && at < places.end && counts(); left--) {
    const type = items.get(take(version < 2 ? 2 : 4))
    const method = version > 0 ? take(2) & 15 : 0
    take(2)
    const base = take(baseSize)
    for (let extents = take(2); extents > 0 && at < places.end && counts(); extents--) {
      take(indexSize)
      const from = base + take(offsetSize) + (method === 1 ? (data?.start ?? bytes.length) : 0)
      const length = take(lengthSize)
      if (type && method < 2) yield { type, from, to: length === 0 ? bytes.length : from + length }
    }
  }
}

/** An empty Exif block: the place of its structure, and a structure without entries. */
const emptyExif = [0, 0, 0, 0, 0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]
const containers = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'edts', 'moof', 'traf', 'iprp', 'ipco']
const described = [
  'udta',
  'uuid',
  'Exif',
  'xml ',
  'bxml',
  'jumb',
  'brob',
  'jbrd',
  'ilst',
  'keys',
  'loci',
  'auth',
  'titl',
  'dscp',
  'cprt',
  'XMP_',
]
described.push('\xa9xyz', 'gps ', 'GPS ', 'prft', 'udes', 'altt', 'crtt', 'mdft', 'free', 'skip')
const timed = ['mvhd', 'tkhd', 'mdhd']
/** The boxes of audio that are removed. Title, artist, cover and chapters stay: they are what it is published with. */
const locatedBoxes = ['\xa9xyz', 'loci', 'gps ', 'GPS ', 'uuid', 'free', 'skip', 'purd', 'ownr', 'apID']

/**
 * Changes pictures (HEIF, AVIF, JPEG XL), films and audio in place: offsets into the file stay. The box `meta` of a
 * film describes it; the one of a picture is the picture; the one of audio has its tags, unless it is of telephones
 * (`mdta`), which write places there. The box `jbrd` makes the JPEG again from which a JPEG XL was made, with its
 * comments. What the samples of a track say stays.
 */
function isoMedia(bytes: Uint8Array, kind: 'picture' | 'film' | 'audio'): void {
  // A JPEG XL without boxes.
  if (bytes[0] === 0xff && bytes[1] === 0x0a) return
  const [blank, counts] = [blanker(bytes), partCounter()]
  const isAudio = kind === 'audio'
  const dropped = isAudio ? locatedBoxes : described
  const walk = (from: number, to: number, depth: number, parent: string): void => {
    for (const box of boxes(bytes, from, to, counts)) {
      const isPictureItself = box.type === 'meta' && kind === 'picture' && depth === 0
      const isTags = box.type === 'meta' && isAudio && latin(bytes, box.start, 40).includes('mdir')
      const isNamedPlace =
        isAudio &&
        box.type === '----' &&
        /location|gps/i.test(latin(bytes, box.start, Math.min(200, box.end - box.start)))
      // Properties are counted, and one of its own type may be needed to decode.
      const isDescribed = isNamedPlace || (dropped.includes(box.type) && !(parent === 'ipco' && box.type === 'uuid'))
      if (isDescribed || (box.type === 'meta' && !isPictureItself && !isTags)) {
        bytes.set(ascii('free'), box.at + 4)
        blank(box.start, box.end)
      } else if (isPictureItself) {
        for (const { type, from: at, to: end } of itemPlaces(bytes, box, counts)) {
          blank(at, end, type === 'mime' ? 0x20 : 0)
          if (type === 'Exif' && end - at >= emptyExif.length && end <= bytes.length) bytes.set(emptyExif, at)
        }
        walk(box.start + 4, box.end, 1, 'meta')
      } else if (isTags) {
        if (depth < depthMax) walk(box.start + 4, box.end, depth + 1, 'meta')
      } else if (timed.includes(box.type))
        blank(box.start + 4, Math.min(box.end, box.start + (bytes[box.start] === 1 ? 20 : 12)))
      // The name of a handler, in which cameras put theirs.
      else if (box.type === 'hdlr' && parent !== 'meta') blank(box.start + 24, box.end)
      else if ((containers.includes(box.type) || (isAudio && ['udta', 'ilst'].includes(box.type))) && depth < depthMax)
        walk(box.start, box.end, depth + 1, box.type)
    }
  }
  walk(0, bytes.length, 0, '')
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return true
}

const inPlace = (change: (bytes: Uint8Array) => void) => (bytes: Uint8Array) => {
  // A Buffer's `slice` shares its memory.
  const copy = new Uint8Array(bytes)
  change(copy)
  return copy
}
const picture = inPlace((bytes) => isoMedia(bytes, 'picture'))
const film = inPlace((bytes) => isoMedia(bytes, 'film'))
const audio = inPlace((bytes) => isoMedia(bytes, 'audio'))
/** Pictures of cameras keep what their decoders need, without place, XMP and IPTC. */
const raw = inPlace((bytes) => tiff(bytes, located))
const removers: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  'image/jpeg': jpeg,
  'image/png': png,
  'image/apng': png,
  'image/webp': webp,
  'image/gif': gif,
  'image/tiff': inPlace((bytes) => tiff(bytes, tiffDropped)),
  'image/heic': picture,
  'image/heic-sequence': picture,
  'image/heif': picture,
  'image/heif-sequence': picture,
  'image/avif': picture,
  'image/jxl': picture,
  'video/mp4': film,
  'video/x-m4v': film,
  'video/quicktime': film,
  'video/3gpp': film,
  'video/3gpp2': film,
  'audio/mp4': audio,
  'audio/x-m4a': audio,
  'image/x-adobe-dng': raw,
  'image/x-nikon-nef': raw,
  'image/x-sony-arw': raw,
  'image/x-canon-cr2': raw,
}

/** The types of which metadata is removed, as texts of the API and the guides name them. */
export const cleanedNames = 'JPEG, PNG, APNG, WebP, GIF, TIFF, HEIF, AVIF, JPEG XL, MP4, QuickTime and 3GPP'
/** The types of which place, XMP and IPTC alone are removed. */
export const partlyCleanedNames = 'DNG, NEF, ARW and CR2'

/** True for types of which metadata is removed. */
export const hasMetadata = (mimeType: string): boolean => Object.hasOwn(removers, mimeType)

/** The file without the metadata; `bytes` itself if there is none. A damaged file keeps what cannot be read. */
export function withoutMetadata(bytes: Uint8Array, mimeType: string): Uint8Array {
  const clean = hasMetadata(mimeType) ? removers[mimeType]?.(bytes) : undefined
  return !clean || isEqual(clean, bytes) ? bytes : clean
}
