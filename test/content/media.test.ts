// Files of a store over HTTP: typed by their content, stored whole or not at all, and served publicly without change.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import sharp from 'sharp'
import { client } from '../../client/client.ts'
import { newId } from '../../entities/kit/ids.ts'
import { until } from '../kit/codes.ts'
import { fileCases } from '../kit/content/file-cases.ts'
import { blackPng, keptIn, photo, read, rowsOf, type Sent, send, sha256 } from '../kit/content/files.ts'
import { database, eitherApi, http, newShop, type Shop, secondApi } from '../kit/shop.ts'

jest.setTimeout(60_000)

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(async () => database().end())

const kept = (of: Shop) => keptIn(process.env.MEDIA_DIR as string, of)

describe('Files in a folder', () => {
  fileCases(() => shop, kept)
})

describe('Images', () => {
  const one = async (bytes: Buffer, name: string) => {
    const { status, body } = await send(shop, [{ name, bytes }])
    expect([name, status, body.detail]).toEqual([name, 201, undefined])
    return body.items[0]
  }

  test.each(['jpeg', 'png', 'webp', 'gif', 'avif', 'tiff'] as const)('An image may be %s', async (format) => {
    const media = await one(await photo(900, 300, format), `picture.${format}`)
    expect(media).toMatchObject({ mime_type: `image/${format}`, status: 'ready', width: 900, height: 300 })
    expect(media.resolutions.medium).toMatchObject({ width: 800, height: 267 })
  })

  test('An image is rotated as its camera was held, and its location is removed', async () => {
    const bytes = await sharp(await photo(400, 200))
      .withMetadata({ orientation: 6, exif: { IFD0: { Artist: 'the-author' } } })
      .toBuffer()
    const media = await one(bytes, 'turned.jpg')
    expect(media).toMatchObject({ width: 200, height: 400 })
    for (const name of ['large', 'medium', 'thumbnail']) {
      const { orientation, exif, width, height } = await sharp(
        (await read(media.resolutions[name].url)).bytes,
      ).metadata()
      expect([orientation, exif, (width as number) < (height as number)]).toEqual([undefined, undefined, true])
    }
  })

  test.each(['jpeg', 'png', 'webp', 'tiff', 'avif'] as const)(
    'The public original of a %s does not say where it was taken',
    async (format) => {
      const plain = await photo(60, 30, format)
      const bytes = await sharp(plain)
        .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">the-author</x:xmpmeta>')
        .withExif({ IFD0: { Artist: 'the-author' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 51/1 30/1' } })
        .toFormat(format)
        .toBuffer()
      const media = await one(bytes, `at-home.${format}`)
      const stored = await read(media.url)
      expect([bytes.includes('the-author'), stored.bytes.includes('the-author'), stored.bytes.length]).toEqual([
        true,
        false,
        media.size,
      ])
      expect(stored.headers.get('etag')).toBe(`"${sha256(stored.bytes)}"`)
      const [before, after] = [await sharp(bytes).raw().toBuffer(), await sharp(stored.bytes).raw().toBuffer()]
      expect(after.equals(before)).toBe(true)
    },
  )

  test('An image is never enlarged', async () => {
    const media = await one(await photo(320, 90, 'png'), 'small.png')
    const sizes = Object.entries(media.resolutions as Record<string, { width: number; height: number }>).map(
      ([name, { width, height }]) => [name, width, height],
    )
    expect(sizes.sort()).toEqual([
      ['large', 320, 90],
      ['medium', 320, 90],
      ['original', 320, 90],
      ['thumbnail', 200, 56],
    ])
  })

  test('An image keeps its transparency', async () => {
    const bytes = await sharp({
      create: { width: 300, height: 300, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } },
    })
      .png()
      .toBuffer()
    const media = await one(bytes, 'glass.png')
    expect((await sharp((await read(media.resolutions.thumbnail.url)).bytes).metadata()).hasAlpha).toBe(true)
  })

  test.each([
    ['with more pixels than a photo has', 'image_too_large', async () => blackPng(30_000, 30_000)],
    ['that says it has so many', 'image_too_large', async () => blackPng(30_000, 30_000, 3)],
    ['that says it has more rows than there are', 'image_broken', async () => blackPng(7_000, 7_000, 100)],
    ['whose end is missing, PNG', 'image_broken', async () => (await photo(500, 500, 'png')).subarray(0, -200)],
    ['whose end is missing, WebP', 'image_broken', async () => (await photo(500, 500, 'webp')).subarray(0, 1_000)],
    ['whose end is missing, AVIF', 'image_broken', async () => (await photo(500, 500, 'avif')).subarray(0, 1_000)],
    [
      'of nothing but a header',
      'image_broken',
      async () =>
        Buffer.concat([
          blackPng(100, 100).subarray(0, 60),
          Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7_919) % 256)),
        ]),
    ],
  ])('An image %s is refused', async (_, code, make) => {
    const other = await newShop()
    const { status, body } = await send(other, [{ name: 'image', bytes: await make() }])
    expect([status, body.code, body.errors?.[0].pointer]).toEqual([422, code, '/files/0'])
    await until(async () => (await rowsOf(other)).length === 0 && kept(other).length === 0)
  })
})

test('The typed client uploads files', async () => {
  const call = client({ base: secondApi(), headers: shop.op.headers })
  const form = new FormData()
  form.append('files', new Blob(['hello']), 'a.txt')
  const { items } = await call('POST /v1/stores/{storeId}/media', { path: { storeId: shop.store_id }, form })
  expect(items).toMatchObject([{ name: 'a.txt', mime_type: 'text/plain', status: 'ready' }])
})

describe('Types', () => {
  const svg =
    '<?xml version="1.0"?>\n<!-- a drawing -->\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
  const page = '<!doctype html><title>x</title><script>alert(1)</script>'

  test.each([
    ['photo.png', page, 'image/png', 'text/html'],
    ['photo.png', svg, 'image/png', 'image/svg+xml'],
    ['doc.pdf', 'png', 'application/pdf', 'image/png'],
    ['setup.jpg', 'exe', 'image/jpeg', 'application/x-msdownload'],
    ['photo.jpg', 'noise', 'image/jpeg', 'application/octet-stream'],
    ['notes.txt', page, 'text/plain', 'text/html'],
    ['scan.tiff', 'half', 'image/tiff', 'application/octet-stream'],
  ])('A file %s with other content is refused, naming both types', async (name, content, said, found) => {
    const exe = Buffer.concat([
      Buffer.from('MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff', 'latin1'),
      Buffer.alloc(500),
    ])
    const noise = Buffer.from(Array.from({ length: 500 }, (_, n) => (n * 31 + 128) % 256))
    const half = (await photo(500, 500, 'tiff')).subarray(0, 5_000)
    const bytes = { png: await photo(10, 10, 'png'), exe, noise, half }[content] ?? content
    const { status, body } = await send(shop, [{ name, bytes }])
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, 'type_differs', '/files/0'])
    expect(body.detail).toBe(`The name or content type of "${name}" is of ${said}, but its content is ${found}.`)
  })

  test('The sender’s type counts only where the file name has none', async () => {
    const { status, body } = await send(shop, [{ name: 'photo', bytes: page, type: 'image/png' }])
    expect([status, body.code]).toEqual([422, 'type_differs'])
  })

  test.each([
    ['drawing.svg', svg, 'image/svg+xml'],
    ['page.html', page, 'text/html'],
    ['feed.xml', '<?xml version="1.0"?><feed/>', 'application/xml'],
    [
      'program',
      Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01\0', 'latin1'), Buffer.alloc(100)]),
      'application/x-elf',
    ],
    ['unknown.bin', Buffer.from([1, 2, 3, 0, 255]), 'application/octet-stream'],
  ])('A file that a browser could execute is served as a download: %s', async (name, bytes, type) => {
    const { status, body } = await send(shop, [{ name, bytes }])
    expect([status, body.items[0].mime_type, body.items[0].status, Object.keys(body.items[0].resolutions)]).toEqual([
      201,
      type,
      'ready',
      ['original'],
    ])
    expect(body.items[0].url).toBe(body.items[0].resolutions.original.url)
    const { headers } = await read(body.items[0].url)
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="/)
    expect([headers.get('content-security-policy'), headers.get('x-content-type-options')]).toEqual([
      "sandbox; default-src 'none'",
      'nosniff',
    ])
  })

  test.each([
    ['notes.txt', 'BMW and Mercedes', 'text/plain'],
    ['README.md', '<h1>Title</h1>', 'text/html'],
    ['rows.csv', 'a,b\n1,2\n', 'text/csv'],
    ['data.json', '{"a": [1]}', 'application/json'],
    ['style.css', 'a { color: red }', 'text/plain'],
    ['doc.pdf', '%PDF-1.4\n%%EOF', 'application/pdf'],
  ])('A file’s type is its content’s, where the name agrees: %s', async (name, bytes, type) => {
    const { status, body } = await send(shop, [{ name, bytes }])
    expect([status, body.items?.[0].mime_type]).toEqual([201, type])
  })
})

test.each([
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\me\\a.txt', 'a.txt'],
  ['a"b;c=\'d.txt', 'a"b;c=\'d.txt'],
  ['日本語 ünï😀.txt', '日本語 ünï😀.txt'],
  ['x\u202Etxt.exe', 'xtxt.exe'],
])('The file name %j is stored harmless', async (given, name) => {
  const boundary = 'a-boundary'
  const quoted = given.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  const body = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${quoted}"\r\n\r\nhello\r\n--${boundary}--\r\n`,
  )
  const sent = await fetch(`${eitherApi()}/v1/stores/${shop.store_id}/media`, {
    method: 'POST',
    headers: { ...shop.op.headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body,
  })
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
  const { items } = (await sent.json()) as any
  expect([sent.status, items?.[0].name]).toEqual([201, name])
  const told = (await read(items[0].resolutions.original.url)).headers.get('content-disposition') as string
  expect(decodeURIComponent(told.split("UTF-8''")[1] as string)).toBe(name)
  expect(told).toMatch(/^inline; filename="[^"\\]*"; filename\*=UTF-8''[\w.~!$&+^`|%-]*$/)
})

test('A file name that is empty or too long is refused', async () => {
  for (const name of ['..', `${'x'.repeat(252)}.txt`]) {
    const { status, body } = await send(shop, [{ name, bytes: 'hello' }])
    expect([status, body.code]).toEqual([422, 'invalid_name'])
  }
})

test('A file can be renamed, but not to a name of another type', async () => {
  const { body } = await send(shop, [{ name: 'a.txt', bytes: 'hello' }])
  const at = `/media/${body.items[0].id}`
  const renamed = await shop.asOperator('PUT', at, { ...body.items[0], name: 'greeting.txt' })
  expect([renamed.status, renamed.body.name]).toEqual([200, 'greeting.txt'])
  expect((await shop.asOperator('PUT', at, { name: 'photo.png' })).body).toMatchObject({
    status: 422,
    code: 'type_differs',
    errors: [{ pointer: '/name' }],
  })
  const found = await shop.asOperator('GET', '/media?limit=10&query=greet')
  expect(found.body.items.map(({ id }: { id: string }) => id)).toEqual([body.items[0].id])
})

describe('Listing files', () => {
  let other: Shop
  let ids: string[]
  beforeAll(async () => {
    other = await newShop()
    const files: Sent[] = [
      { name: 'red-shoes.png', bytes: await photo(20, 20, 'png') },
      { name: 'Blaue Schuhe.jpg', bytes: await photo(20, 20) },
      { name: 'terms.txt', bytes: 'terms' },
    ]
    ids = (await send(other, files)).body.items.map(({ id }: { id: string }) => id)
  })
  const list = async (search: string) => {
    const { status, body } = await other.asOperator('GET', `/media?${search}`)
    return [status, body.items?.map(({ id }: { id: string }) => ids.indexOf(id)).sort() ?? body.errors[0].pointer]
  }

  test.each([
    ['', [422, 'limit']],
    ['limit=101', [422, 'limit']],
    ['limit=10', [200, [0, 1, 2]]],
    ['limit=10&query=schuh', [200, [1]]],
    ['limit=10&query=red-s', [200, [0]]],
    ['limit=10&mime_type=image/*', [200, [0, 1]]],
    ['limit=10&mime_type=image/png', [200, [0]]],
    ['limit=10&mime_type=text%2F*', [200, [2]]],
    ['limit=10&mime_type=%25', [422, 'mime_type']],
  ])('Files are listed by ?%s', async (search, expected) => {
    expect(await list(search)).toEqual(expected)
  })

  test('A list of files by ids ignores other filters and takes at most 100', async () => {
    expect(await list(`limit=10&ids=${ids[2]},${newId()}&mime_type=image/*`)).toEqual([200, [2]])
    expect((await list(`limit=10&ids=${Array.from({ length: 101 }, () => newId())}`))[0]).toBe(422)
  })

  test('Files are listed page by page', async () => {
    const first = (await other.asOperator('GET', '/media?limit=2&sort_direction=asc')).body
    const second = (await other.asOperator('GET', `/media?limit=2&sort_direction=asc&cursor=${first.cursor}`)).body
    expect([...first.items, ...second.items].map(({ id }: { id: string }) => ids.indexOf(id))).toEqual([0, 1, 2])
    expect(second.cursor).toBeNull()
  })

  test('A storefront lists exactly the files it asks for, in that order', async () => {
    const visitor = (search: string) => other.asVisitor('GET', `/media${search}`)
    const { status, body } = await visitor(`?ids=${ids[2]},${newId()},${ids[0]},${ids[2]}`)
    expect([status, body.items.map(({ id }: { id: string }) => ids.indexOf(id)), body.cursor]).toEqual([
      200,
      [2, 0],
      null,
    ])
    expect((await visitor('')).body.errors[0].pointer).toBe('ids')
    expect((await visitor(`?ids=${Array.from({ length: 101 }, () => newId())}`)).status).toBe(422)
    expect((await shop.asVisitor('GET', `/media?ids=${ids[0]}`)).body.items).toEqual([])
  })

  test('Another store cannot see, rename or delete a file', async () => {
    for (const [method, body] of [['GET'], ['PUT', { name: 'x.txt' }], ['DELETE']] as const)
      expect([method, (await shop.asOperator(method, `/media/${ids[2]}`, body)).status]).toEqual([method, 404])
  })
})

test('An upload without permission is refused before its body is read', async () => {
  const body = new FormData()
  body.append('files', new Blob(['x'.repeat(3_000_000)]), 'a.txt')
  for (const [headers, status] of [
    [{}, 401],
    [(await newShop()).op.headers, 404],
  ] as const) {
    const answer = await fetch(`${secondApi()}/v1/stores/${shop.store_id}/media`, { method: 'POST', headers, body })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toMatch('application/problem+json')
  }
})

test('A file is public on every origin, also an archived store’s', async () => {
  const gone = await newShop()
  const { body } = await send(gone, [{ name: 'a.txt', bytes: 'hello' }])
  await database().query(`update tenants set status = 'ARCHIVED' where id = $1`, [gone.store_id])
  const { status, headers } = await read(body.items[0].resolutions.original.url)
  expect([status, headers.get('access-control-allow-origin'), headers.get('cache-control')]).toEqual([
    200,
    '*',
    'public, max-age=31536000, immutable',
  ])
})

test('A missing file or variant returns 404 and is not cached', async () => {
  const { body } = await send(shop, [{ name: 'a.txt', bytes: 'hello' }])
  for (const path of [
    `${newId()}/original`,
    `${body.items[0].id}/large`,
    `${body.items[0].id}/..%2Foriginal`,
    `${body.items[0].id}/constructor`,
    'x/original',
  ]) {
    const { status, headers } = await http('GET', `/media/${path}`)
    expect([path, status, headers.get('cache-control')]).toEqual([path, 404, 'no-store'])
  }
})

describe('References to files', () => {
  const referring = async (on_delete?: string) => {
    const { body } = await send(shop, [{ name: 'a.txt', bytes: 'hello' }])
    const id = body.items[0].id as string
    const properties = on_delete ? { on_delete } : {}
    const made = await shop.asOperator('POST', '/products', {
      key: `p-${newId()}`,
      blocks: [{ key: 'image', type: 'media', properties, value: id }],
    })
    expect([made.status, made.body.detail]).toEqual([201, undefined])
    return { id, product: made.body.id as string }
  }

  test('A file that is referenced with restrict cannot be deleted', async () => {
    const { id, product } = await referring('restrict')
    const { status, body } = await shop.asOperator('DELETE', `/media/${id}`)
    expect([status, body.code, JSON.stringify(body)]).toEqual([409, 'referenced', expect.stringContaining(product)])
    expect((await read(`${eitherApi()}/media/${id}/original`)).status).toBe(200)
  })

  test('A reference to a file with set_null becomes null when the file is deleted', async () => {
    const { id, product } = await referring('set_null')
    expect((await shop.asOperator('DELETE', `/media/${id}`)).status).toBe(200)
    expect((await shop.asOperator('GET', `/products/${product}`)).body.blocks[0].value).toBeNull()
    await until(async () => kept(shop).every((file) => !file.startsWith(id)))
  })
})
