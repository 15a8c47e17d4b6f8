// A public original does not say where it was taken, and shows the same picture: real files of every type that carries
// metadata.
import fs from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { supportedMimeTypes } from 'file-type'
import sharp from 'sharp'
import { bareType } from '../../../rules/content/media-types.ts'
import { cleanedNames, hasMetadata, partlyCleanedNames, withoutMetadata } from '../../../rules/content/metadata.ts'

const [artist, place, street] = ['Ada Photographer', 'xmp-of-a-place', '48/1 51/1 30/1']
const xmp = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSAreaInformation="${place}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif'

const taken = (format: Format, orientation: number) =>
  sharp({
    create: {
      width: 48,
      height: 24,
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  })
    .withExif({
      IFD0: { Artist: artist },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: street, GPSLongitudeRef: 'E', GPSLongitude: '2/1 17/1 40/1' },
    })
    .withXmp(xmp)
    .withIccProfile('p3')
    .withMetadata({ orientation })
    .toFormat(format)
    .toBuffer()
const latin = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
const pixels = (bytes: Uint8Array) => sharp(bytes).autoOrient().raw().toBuffer()
/** The latitude of 48/1 degrees in both byte orders. */
const rationals = ['\0\0\0\x30\0\0\0\x01\0\0\0\x33', '\x30\0\0\0\x01\0\0\0\x33\0\0\0']
const leaksOf = (bytes: Uint8Array) =>
  [artist, place, 'GPSArea', ...rationals].filter((text) => latin(bytes).includes(text))

describe.each(['jpeg', 'png', 'webp', 'tiff', 'avif'] as const)('A file of the type %s', (format) => {
  test('It loses its place and author, and keeps its pixels, orientation and colour profile', async () => {
    const bytes = await taken(format, 6)
    expect(leaksOf(bytes).length).toBeGreaterThan(1)
    const sent = Buffer.from(bytes)
    const clean = withoutMetadata(bytes, `image/${format}`)
    expect(bytes.equals(sent)).toBe(true)
    expect(leaksOf(clean)).toEqual([])
    const [before, after] = [await sharp(bytes).metadata(), await sharp(clean).metadata()]
    // In place, XMP becomes blanks.
    expect([latin(after.xmp ?? Buffer.alloc(0)).trim(), after.iptc]).toEqual(['', undefined])
    expect([after.width, after.height, after.orientation]).toEqual([before.width, before.height, before.orientation])
    expect(after.icc).toEqual(before.icc)
    expect(after.icc).toBeDefined()
    expect((await pixels(clean)).equals(await pixels(bytes))).toBe(true)
    expect(withoutMetadata(clean, `image/${format}`)).toBe(clean)
  })

  test('It is stored as it is if it says nothing, and cut at any byte it does no harm', async () => {
    const plain = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .toFormat(format)
      .toBuffer()
    expect(withoutMetadata(plain, `image/${format}`)).toBe(plain)
    const bytes = await taken(format, 3)
    for (let length = 0; length < bytes.length; length += 1 + Math.floor(length / 9))
      withoutMetadata(bytes.subarray(0, length), `image/${format}`)
  })
})

test('What telephones append to a JPEG, and comments, are removed', async () => {
  const bytes = await taken('jpeg', 1)
  const comment = Buffer.from(`\xff\xfe\0\x12${artist}`, 'latin1')
  const clean = withoutMetadata(Buffer.concat([bytes.subarray(0, 2), comment, bytes.subarray(2), bytes]), 'image/jpeg')
  expect([leaksOf(clean), latin(clean).endsWith('\xff\xd9')]).toEqual([[], true])
  expect((await pixels(clean)).equals(await pixels(bytes))).toBe(true)
  const progressive = await sharp(bytes).keepMetadata().jpeg({ progressive: true }).toBuffer()
  const rest = withoutMetadata(progressive, 'image/jpeg')
  expect([leaksOf(rest), (await pixels(rest)).equals(await pixels(progressive))]).toEqual([[], true])
})

test('Texts of a PNG and comments of a GIF are removed, and animations stay', async () => {
  const frame = (red: number) =>
    sharp({ create: { width: 8, height: 8, channels: 3, background: { r: red, g: 0, b: 0 } } })
      .png()
      .toBuffer()
  const frames = await sharp(await Promise.all([0, 80, 160].map(frame)), { join: { animated: true } })
    .gif({ loop: 0, delay: [50, 50, 50] })
    .toBuffer()
  const at = 13 + ((frames[10] as number) & 0x80 ? 3 * 2 ** (((frames[10] as number) & 7) + 1) : 0)
  const comment = Buffer.from(`\x21\xfe\x10${artist}\0`, 'latin1')
  const said = Buffer.concat([frames.subarray(0, at), comment, frames.subarray(at)])
  expect(Buffer.from(withoutMetadata(said, 'image/gif')).equals(frames)).toBe(true)
  expect(withoutMetadata(frames, 'image/gif')).toBe(frames)
  const animated = await sharp(frames, { animated: true }).webp().toBuffer()
  expect((await sharp(withoutMetadata(animated, 'image/webp')).metadata()).pages).toBe(3)
})

const text = (latin1: string) => Buffer.from(latin1, 'latin1')
const box = (type: string, ...content: (Buffer | string)[]) => {
  const inside = Buffer.concat(content.map((one) => Buffer.from(one as string, 'latin1')))
  const size = Buffer.alloc(4)
  size.writeUInt32BE(inside.length + 8)
  return Buffer.concat([size, text(type), inside])
}
const chunk = (type: string, ...content: Buffer[]) => {
  const inside = Buffer.concat(content)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(inside.length)
  return Buffer.concat([text(type), size, inside, Buffer.alloc(inside.length % 2)])
}
const at = '+48.8577+002.295/'
/** Version 0 or 1, times that are not 0, and a rest of ones. */
const header = (type: string, version: number) =>
  box(type, Buffer.from([version, 0, 0, 0]), '\x7e'.repeat(version === 1 ? 16 : 8), Buffer.alloc(76, 1))
const film = (version: number) =>
  Buffer.concat([
    box('ftyp', 'isom'),
    box('free', at),
    box('skip', box('udta', at)),
    box(
      'moov',
      header('mvhd', version),
      box('gps ', at),
      box(
        'trak',
        header('tkhd', version),
        box(
          'mdia',
          header('mdhd', version),
          box('hdlr', Buffer.alloc(24, 3), at),
          box('minf', box('stbl', box('stsd', 'sample'), box('udta', at))),
        ),
        box('udta', box('name', at)),
      ),
      box('udta', box('\xa9xyz', at)),
      box('meta', box('ilst', at)),
    ),
    box('uuid', at),
    box('mdat', Buffer.alloc(64, 7)),
    text(`\0\0\x09\0udta${at}`),
  ])

test.each(['video/mp4', 'video/quicktime', 'image/heic-sequence'])(
  'A file of the type %s loses place, camera and times of its boxes, and keeps all offsets',
  (type) => {
    for (const version of [0, 1]) {
      const bytes = film(version)
      const clean = withoutMetadata(bytes, type)
      expect([clean.length, latin(clean).includes('48.8577'), latin(clean).includes('\x7e')]).toEqual([
        bytes.length,
        false,
        false,
      ])
      for (const kept of ['mvhd', 'tkhd', 'mdhd', 'stsd', 'mdat'])
        expect(latin(clean).indexOf(kept)).toBe(latin(bytes).indexOf(kept))
      expect(latin(clean)).toContain(latin(Buffer.alloc(76, 1)))
      expect(withoutMetadata(clean, type)).toBe(clean)
    }
  },
)

test.each(['audio/mp4', 'audio/x-m4a'])(
  'Audio of the type %s loses its place and times, and keeps its tags',
  (type) => {
    const handler = (kind: string) => box('hdlr', Buffer.alloc(8), kind, Buffer.alloc(13))
    const tags = box(
      'meta',
      Buffer.alloc(4),
      handler('mdir'),
      box(
        'ilst',
        box('\xa9nam', artist),
        box('\xa9xyz', at),
        box('----', box('name', '\0\0\0\0LOCATION'), box('data', at)),
      ),
    )
    const ofTelephone = box('meta', Buffer.alloc(4), handler('mdta'), box('keys', 'location'), box('ilst', at))
    const bytes = Buffer.concat([
      box('ftyp', 'M4A \0\0\0\0'),
      box(
        'moov',
        box('mvhd', Buffer.alloc(4), Buffer.alloc(8, 0x7e), Buffer.alloc(84)),
        ofTelephone,
        box('udta', box('\xa9xyz', at), tags),
      ),
      box('mdat', Buffer.alloc(64, 7)),
    ])
    const clean = latin(withoutMetadata(bytes, type))
    expect([clean.length, clean.includes('48.8577'), clean.includes('\x7e'), clean.includes(artist)]).toEqual([
      bytes.length,
      false,
      false,
      true,
    ])
  },
)

test('A JPEG XL loses the box that makes the JPEG again, and one without boxes is kept', () => {
  const codestream = text(`\xff\x0a\0\0udta${at}`)
  expect(withoutMetadata(codestream, 'image/jxl')).toBe(codestream)
  const boxed = Buffer.concat([
    box('JXL ', '\r\n\x87\n'),
    box('ftyp', 'jxl '),
    box('jbrd', at),
    box('jxlc', codestream.subarray(0, 4)),
  ])
  const clean = withoutMetadata(boxed, 'image/jxl')
  expect([clean.length, latin(clean).includes(at), latin(clean).includes('jxlc')]).toEqual([boxed.length, false, true])
})

test('Bytes between the blocks of a GIF, and its other extensions, are removed', async () => {
  const frames = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
    .gif()
    .toBuffer()
  const end = frames.length - 1
  const hidden = text(`\0GPS\x21\xfe\x10${artist}\0\x21\x42\x10${artist}\0`)
  const said = Buffer.concat([frames.subarray(0, end), hidden, frames.subarray(end)])
  expect(Buffer.from(withoutMetadata(said, 'image/gif')).equals(frames)).toBe(true)
})

test('The frames of a WebP lose chunks that are no picture, and the JFIF segment its end', async () => {
  const frameOf = (...extra: Buffer[]) => chunk('ANMF', Buffer.alloc(16), chunk('VP8L', text('picture')), ...extra)
  const webpOf = (frame: Buffer) => chunk('RIFF', text('WEBP'), chunk('VP8X', Buffer.alloc(10)), frame)
  const clean = withoutMetadata(webpOf(frameOf(chunk('EXIF', text(at)))), 'image/webp')
  expect(Buffer.from(clean).equals(webpOf(frameOf()))).toBe(true)
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer()
  const jfif = text('\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0')
  const long = Buffer.concat([text('\xff\xd8\xff\xe0\0\x21'), jfif.subarray(4), text(at), bytes.subarray(2)])
  const plain = Buffer.concat([text('\xff\xd8'), jfif, bytes.subarray(2)])
  expect(Buffer.from(withoutMetadata(long, 'image/jpeg')).equals(plain)).toBe(true)
})

const [cleaned, partly, kept] = ['cleaned', 'place is removed', 'stored as it is']
/**
 * Each type of a picture, film or audio that the upload can detect, and what happens to it. A new one is to be
 * classified here.
 */
const treated: Record<string, readonly string[]> = {
  [cleaned]: [
    ...[
      'jpeg',
      'png',
      'apng',
      'webp',
      'gif',
      'tiff',
      'heic',
      'heic-sequence',
      'heif',
      'heif-sequence',
      'avif',
      'jxl',
    ].map((name) => `image/${name}`),
    ...['video/mp4', 'video/x-m4v', 'video/quicktime', 'video/3gpp', 'video/3gpp2'],
  ],
  [partly]: [
    'audio/mp4',
    'audio/x-m4a',
    'image/x-adobe-dng',
    'image/x-nikon-nef',
    'image/x-sony-arw',
    'image/x-canon-cr2',
  ],
  [kept]: [
    ...'bmp bpg flif icns j2c jls jp2 jpm jpx ktx mj2 svg+xml vnd.adobe.photoshop vnd.dwg vnd.ms-photo x-canon-cr3 x-fujifilm-raf x-icon x-olympus-orf x-panasonic-rw2 x-xcf'
      .split(' ')
      .map((name) => `image/${name}`),
    ...'MP1S MP2P matroska mp2t mpeg ogg vnd.avi webm x-flv x-ms-asf'.split(' ').map((name) => `video/${name}`),
    ...'aac aiff amr ape flac midi mpeg ogg qcelp vnd.dolby.dd-raw wav wavpack x-caf x-dff x-dsf x-it x-ms-asf x-musepack x-s3m x-voc x-xm'
      .split(' ')
      .map((name) => `audio/${name}`),
  ],
}
const isMedia = (type: string) => /^(image|video|audio)\//.test(type)
const mediaTypes = [...supportedMimeTypes, 'image/svg+xml'].filter(isMedia).map(bareType)

test('Each type of picture, film and audio is classified, and the code does what the table says', () => {
  expect([...new Set(mediaTypes)].sort()).toEqual(Object.values(treated).flat().sort())
  expect(mediaTypes.filter(hasMetadata).sort()).toEqual(
    [...(treated[cleaned] ?? []), ...(treated[partly] ?? [])].sort(),
  )
  for (const type of treated[kept] ?? []) {
    const bytes = film(0)
    expect(withoutMetadata(bytes, type)).toBe(bytes)
  }
})

test('The guide, the changelog and the decision name the types that are cleaned', () => {
  for (const path of [
    'docs/guides/content.md',
    'CHANGELOG.md',
    'docs/decisions/0016-files-by-content.md',
    'api/openapi.json',
  ]) {
    const said = fs.readFileSync(path, 'utf8').replaceAll(/\s+/g, ' ')
    for (const names of [cleanedNames, partlyCleanedNames]) expect([path, said.includes(names)]).toEqual([path, true])
  }
})

describe('A damaged file', () => {
  const infe = box('infe', Buffer.from([2, 0, 0, 0, 0, 1, 0, 0]), 'Exif\0')
  const iloc = box('iloc', Buffer.from([0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 8]))
  const heif = Buffer.concat([
    box('ftyp', 'heic'),
    box('meta', Buffer.alloc(4), iloc, box('idat', at), box('iinf', Buffer.from([0, 0, 0, 0, 0, 1]), infe)),
  ])
  const entry = (tag: number, value: number) =>
    Buffer.from([0, tag >> 8, tag & 255, 0, 4, 0, 0, 0, 1, 0, 0, 0, value].slice(1))
  const directories = Buffer.concat([
    text('MM\0*\0\0\0\x08\0\x03'),
    entry(330, 8),
    entry(700, 20),
    entry(34_853, 10),
    Buffer.alloc(40, 1),
  ])
  const gif = text(
    `GIF89a\x01\0\x01\0\x80\0\0${'\0'.repeat(6)}\x21\xfe\x10${artist}\0\x2c${'\0'.repeat(8)}\0\x02\x02\x44\x01\0\x3b`,
  )
  const jpeg = text(
    `\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0\xff\xe1\0\x2aExif\0\0${latin(directories.subarray(0, 34))}\xff\xda\0\x02ab\xff\xd9`,
  )
  const png = Buffer.concat([
    text('\x89PNG\r\n\x1a\n'),
    ...['IHDR', 'eXIf', 'tEXt', 'IEND'].map((type) => box(type, latin(directories).slice(0, 30))),
  ])
  const webp = chunk(
    'RIFF',
    text('WEBP'),
    chunk('VP8X', Buffer.alloc(10)),
    chunk('ANMF', Buffer.alloc(16), chunk('EXIF', directories)),
    chunk('EXIF', directories),
  )

  test('With an empty list of items at its end, a picture is stored', () => {
    const bytes = Buffer.concat([
      box('ftyp', 'heic'),
      box('meta', Buffer.alloc(4), box('iloc', Buffer.alloc(8)), box('iinf')),
    ])
    expect(withoutMetadata(bytes, 'image/heic')).toBe(bytes)
  })

  test.each<[string, Buffer, boolean]>([
    ['image/jpeg', jpeg, false],
    ['image/png', png, false],
    ['image/webp', webp, false],
    ['image/gif', gif, false],
    ['image/tiff', directories, true],
    ['image/x-adobe-dng', directories, true],
    ['image/heic', heif, true],
    ['image/jxl', Buffer.concat([box('JXL ', '\r\n\x87\n'), box('jbrd', at), box('Exif', at)]), true],
    ['video/mp4', film(1), true],
  ])('Cut and changed at 3,000 places, a file of the type %s does no harm', (type, bytes, keepsOffsets) => {
    let seed = 32
    const below = (limit: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((seed / 2 ** 32) * limit)
    }
    const values = [0, 1, 2, 7, 8, 9, 0x7f, 0x80, 0xff]
    let changed = 0
    for (let n = 0; n < 3000; n++) {
      const cut = Buffer.from(n % 2 ? bytes : bytes.subarray(0, below(bytes.length + 1)))
      for (let times = below(4); times > 0 && cut.length > 0; times--)
        cut[below(cut.length)] = values[below(values.length)] as number
      const clean = withoutMetadata(cut, type)
      if (clean !== cut) changed++
      if (keepsOffsets && clean.length !== cut.length) throw new Error(`the length of ${cut.toString('hex')} changes`)
    }
    expect(changed).toBeGreaterThan(100)
  })
})

describe('A file of countless empty parts', () => {
  const repeated = (start: string, part: string) =>
    Buffer.concat([text(start), Buffer.alloc(16 * 1024 * 1024, text(part))])
  /** Image file directories of one entry, each of which is inside the one before. */
  const nested = Buffer.concat([
    text('MM\0*\0\0\0\x08'),
    ...Array.from({ length: 50_000 }, (_, at) => {
      const directory = Buffer.from([0, 1, 330 >> 8, 330 & 255, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
      directory.writeUInt32BE(8 + (at + 1) * directory.length, 10)
      return directory
    }),
  ])
  /** Each item has 65,535 extents of no bytes. */
  const items = Buffer.alloc(60_000, Buffer.from([0, 1, 0, 0, 0xff, 0xff]))
  const located = Buffer.concat([
    box('ftyp', text('heic\0\0\0\0')),
    box(
      'meta',
      Buffer.alloc(4),
      box('iinf', Buffer.alloc(6)),
      box('iloc', Buffer.from([0, 0, 0, 0, 0, 0, 10_000 >> 8, 10_000 & 255]), items),
    ),
  ])

  test.each<[string, string, Buffer]>([
    ['restart markers of a JPEG', 'image/jpeg', repeated('\xff\xd8', '\xff\xd0')],
    ['chunks of a PNG', 'image/png', repeated('\x89PNG\r\n\x1a\n', '\0\0\0\0IDAT\0\0\0\0')],
    ['chunks of a WebP', 'image/webp', repeated('RIFF\xff\xff\xff\x0fWEBP', 'VP8 \0\0\0\0')],
    ['extensions of a GIF', 'image/gif', repeated('GIF89a\x01\0\x01\0\0\0\0', '\x21\xf9\0')],
    ['boxes of a film', 'video/mp4', repeated('\0\0\0\x08ftyp', '\0\0\0\x08free')],
    ['directories of a TIFF', 'image/tiff', nested],
    ['extents of a HEIF', 'image/heic', located],
  ])('The %s are read up to a limit, and the rest is kept', (_, type, bytes) => {
    const began = process.cpuUsage()
    expect(withoutMetadata(bytes, type).length).toBe(bytes.length)
    // In microseconds of the processor: the machine may be busy.
    const { user, system } = process.cpuUsage(began)
    expect(user + system).toBeLessThan(4_000_000)
  })
})
