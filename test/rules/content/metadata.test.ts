// A public original does not say where it was taken, and shows the same picture: real files of every type that carries
// metadata.
import { describe, expect, test } from '@jest/globals'
import sharp from 'sharp'
import { withoutMetadata } from '../../../rules/content/metadata.ts'

const [artist, place, street] = ['Ada Photographer', 'xmp-of-a-place', '48/1 51/1 30/1']
const xmp = `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSAreaInformation="${place}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`
type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif'

const taken = (format: Format, orientation: number) =>
  sharp({ create: { width: 48, height: 24, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 30 } } })
    .withExif({ IFD0: { Artist: artist }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: street, GPSLongitudeRef: 'E', GPSLongitude: '2/1 17/1 40/1' } })
    .withXmp(xmp)
    .withIccProfile('p3')
    .withMetadata({ orientation })
    .toFormat(format)
    .toBuffer()
const latin = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')
const pixels = (bytes: Uint8Array) => sharp(bytes).autoOrient().raw().toBuffer()
/** The latitude of 48/1 degrees in both byte orders. */
const rationals = ['\0\0\0\x30\0\0\0\x01\0\0\0\x33', '\x30\0\0\0\x01\0\0\0\x33\0\0\0']
const leaksOf = (bytes: Uint8Array) => [artist, place, 'GPSArea', ...rationals].filter((text) => latin(bytes).includes(text))

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
    for (let length = 0; length < bytes.length; length += 1 + Math.floor(length / 9)) withoutMetadata(bytes.subarray(0, length), `image/${format}`)
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

test('A film loses the place and the camera that its boxes name, and keeps all offsets', () => {
  const box = (type: string, ...content: (Buffer | string)[]) => {
    const inside = Buffer.concat(content.map((one) => Buffer.from(one as string, 'latin1')))
    const size = Buffer.alloc(4)
    size.writeUInt32BE(inside.length + 8)
    return Buffer.concat([size, Buffer.from(type), inside])
  }
  const at = '+48.8577+002.295/'
  const film = Buffer.concat([
    box('ftyp', 'isom'),
    box(
      'moov',
      box('mvhd', Buffer.alloc(100, 1)),
      box('trak', box('tkhd', Buffer.alloc(84, 2)), box('udta', box('name', at))),
      box('udta', box('\xa9xyz', at)),
      box('meta', box('ilst', at)),
    ),
    box('uuid', at),
    box('mdat', Buffer.alloc(64, 7)),
  ])
  const clean = withoutMetadata(film, 'video/mp4')
  expect([clean.length, latin(clean).includes('48.8577'), latin(clean).match(/free/g)?.length]).toEqual([film.length, false, 4])
  for (const kept of ['mvhd', 'tkhd', 'mdat']) expect(latin(clean).indexOf(kept)).toBe(latin(film).indexOf(kept))
  expect(withoutMetadata(clean, 'video/mp4')).toBe(clean)
})

describe('A file of countless empty parts', () => {
  const text = (latin1: string) => Buffer.from(latin1, 'latin1')
  const sized = (type: string, ...content: Buffer[]) => {
    const inside = Buffer.concat(content)
    const size = Buffer.alloc(4)
    size.writeUInt32BE(inside.length + 8)
    return Buffer.concat([size, text(type), inside])
  }
  const repeated = (start: string, part: string) => Buffer.concat([text(start), Buffer.alloc(16 * 1024 * 1024, text(part))])
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
    sized('ftyp', text('heic\0\0\0\0')),
    sized('meta', Buffer.alloc(4), sized('iinf', Buffer.alloc(6)), sized('iloc', Buffer.from([0, 0, 0, 0, 0, 0, 10_000 >> 8, 10_000 & 255]), items)),
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
