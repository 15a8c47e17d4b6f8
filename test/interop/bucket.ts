// Files are stored in an independent S3 server that verifies signatures and digests.
import { until } from '../kit/codes.ts'
import { keptIn, photo, read, send, sha256 } from '../kit/content/files.ts'
import { newShop } from '../kit/shop.ts'
import type { Case } from './outcome.ts'
import { versions } from './tools.ts'
import { there } from './world.ts'

export const bucket: Case = {
  name: 'S3',
  with: `versitygw ${versions.versitygw}`,
  async run(world) {
    const { folder } = there(world.bucket)
    const shop = await newShop()
    const faults: string[] = []
    const check = (what: string, found: unknown, expected: unknown) => {
      if (JSON.stringify(found) !== JSON.stringify(expected))
        faults.push(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`)
    }
    const bytes = await photo(2400, 1800)
    const text = Buffer.from('0123456789')
    const { status, body } = await send(shop, [
      { name: 'März + mehr.jpg', bytes, type: 'image/jpeg' },
      { name: 'digits.txt', bytes: text },
    ])
    check('upload', status, 201)
    const [image, digits] = body.items
    const variants = ['large', 'medium', 'original', 'thumbnail']
    check('variants', Object.keys(image.resolutions).sort(), variants)
    check('objects in the bucket', keptIn(folder, shop).length, 5)
    for (const name of variants) {
      const { url, size } = image.resolutions[name]
      const got = await read(url)
      check(name, [got.status, got.bytes.length], [200, size])
    }
    check('the original', sha256((await read(image.resolutions.original.url)).bytes), sha256(bytes))
    const { url } = digits.resolutions.original
    for (const [range, expected, part] of [
      ['bytes=2-4', 206, '234'],
      ['bytes=-3', 206, '789'],
      ['bytes=10-', 416, ''],
    ] as const) {
      const got = await read(url, { range })
      check(range, [got.status, String(got.bytes)], [expected, part])
    }
    const etag = (await read(url)).headers.get('etag') as string
    check('If-None-Match', (await read(url, { 'if-none-match': etag })).status, 304)
    check('HEAD', (await read(url, {}, 'HEAD')).headers.get('content-length'), '10')
    for (const { id } of [image, digits]) check('delete', (await shop.asOperator('DELETE', `/media/${id}`)).status, 200)
    check('a deleted file', (await read(url)).status, 404)
    await until(async () => keptIn(folder, shop).length === 0, 30_000).catch(() =>
      faults.push('objects are left in the bucket after the deletion'),
    )
    return { shown: 'upload, four variants, ranges, delete', faults }
  },
}
