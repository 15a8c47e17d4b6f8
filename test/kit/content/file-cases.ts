// Tests of files that hold for both kinds of storage.
import { expect, test } from '@jest/globals'
import sharp from 'sharp'
import { until } from '../codes.ts'
import { api, type Shop, secondApi } from '../shop.ts'
import { photo, read, rowsOf, send, sha256 } from './files.ts'

/** `kept`: the store's objects in the storage, as `<media id>/<variant>`. */
export function fileCases(shop: () => Shop, kept: (shop: Shop) => string[]): void {
  const nothingLeft = () => until(async () => (await rowsOf(shop())).length === 0 && kept(shop()).length === 0)
  const remove = async (id: string) => expect((await shop().asOperator('DELETE', `/media/${id}`)).status).toBe(200)

  test('An image has four sizes, each as its record says', async () => {
    const bytes = await photo(2400, 1800)
    const { status, body } = await send(shop(), [{ name: 'Straße 1.jpg', bytes, type: 'image/jpeg' }])
    expect([status, body.items.length]).toEqual([201, 1])
    const [media] = body.items
    expect(media).toMatchObject({
      name: 'Straße 1.jpg',
      mime_type: 'image/jpeg',
      size: bytes.length,
      width: 2400,
      height: 1800,
      status: 'ready',
      error: null,
    })
    expect(kept(shop())).toEqual(['large', 'medium', 'original', 'thumbnail'].map((name) => `${media.id}/${name}`))
    for (const [name, width, height, format] of [
      ['original', 2400, 1800, 'jpeg'],
      ['large', 1600, 1200, 'webp'],
      ['medium', 800, 600, 'webp'],
      ['thumbnail', 200, 150, 'webp'],
    ] as const) {
      const told = media.resolutions[name]
      const got = await read(told.url)
      expect([got.status, got.headers.get('content-type'), Number(got.headers.get('content-length'))]).toEqual([
        200,
        told.mime_type,
        told.size,
      ])
      expect(await sharp(got.bytes).metadata()).toMatchObject({ width, height, format })
      expect(told).toMatchObject({ width, height, size: got.bytes.length, mime_type: `image/${format}` })
    }
    expect(sha256((await read(media.resolutions.original.url)).bytes)).toBe(sha256(bytes))
    await remove(media.id)
    await nothingLeft()
  })

  test('Every process serves any range of a file, and 304 to a client that has it', async () => {
    const bytes = Buffer.from('0123456789')
    const { body } = await send(shop(), [{ name: 'digits.txt', bytes }])
    const [media] = body.items
    for (const base of [api(), secondApi()]) {
      const url = `${base}/media/${media.id}/original`
      const whole = await read(url)
      const etag = whole.headers.get('etag') as string
      expect([whole.status, String(whole.bytes), etag]).toEqual([200, '0123456789', `"${sha256(bytes)}"`])
      for (const [range, status, part, told] of [
        ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
        ['bytes=7-', 206, '789', 'bytes 7-9/10'],
        ['bytes=-3', 206, '789', 'bytes 7-9/10'],
        ['bytes=0-99', 206, '0123456789', 'bytes 0-9/10'],
        ['bytes=10-', 416, '', 'bytes */10'],
        ['bytes=-0', 416, '', 'bytes */10'],
        ['bytes=0-1,3-4', 200, '0123456789', null],
        ['bytes=4-2', 200, '0123456789', null],
      ] as const) {
        const got = await read(url, { range })
        expect([range, got.status, String(got.bytes), got.headers.get('content-range')]).toEqual([
          range,
          status,
          part,
          told,
        ])
      }
      expect((await read(url, { range: 'bytes=0-0', 'if-range': etag })).status).toBe(206)
      expect((await read(url, { range: 'bytes=0-0', 'if-range': '"another"' })).status).toBe(200)
      const known = await read(url, { 'if-none-match': `"another", W/${etag}` })
      expect([known.status, known.bytes.length, known.headers.get('etag')]).toEqual([304, 0, etag])
      const head = await read(url, {}, 'HEAD')
      expect([head.status, head.bytes.length, head.headers.get('content-length')]).toEqual([200, 0, '10'])
    }
    await remove(media.id)
    expect((await read(media.resolutions.original.url)).status).toBe(404)
    await nothingLeft()
  })

  test('One broken image refuses all files of its request', async () => {
    const whole = await photo(600, 400)
    const { status, body } = await send(shop(), [
      { name: 'a.txt', bytes: 'text' },
      { name: 'b.jpg', bytes: whole },
      { name: 'c.jpg', bytes: whole.subarray(0, whole.length / 2) },
    ])
    expect([status, body.code, body.errors]).toEqual([
      422,
      'image_broken',
      [{ pointer: '/files/2', code: 'image_broken', detail: expect.any(String) }],
    ])
    await nothingLeft()
  })
}
