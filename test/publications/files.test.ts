// Files for networks: their facts are known after the upload, and a JPEG is made when a network needs one.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import sharp from 'sharp'
import { closeDatabase } from '../../activities/kit/database.ts'
import { deliveredFile } from '../../activities/publications/files.ts'
import { config } from '../../config.ts'
import { NoSuchFile } from '../../rules/content/storage-errors.ts'
import { until } from '../kit/codes.ts'
import { keptIn, photo, read, send } from '../kit/content/files.ts'
import { movie } from '../kit/content/movies.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { api, database, newShop, type Shop } from '../kit/shop.ts'

jest.setTimeout(60_000)

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(async () => {
  await closeDatabase()
  await database().end()
})

const upload = async (name: string, bytes: Buffer) => (await send(shop, [{ name, bytes }])).body.items[0]

/** A file as the parts of a publication know it. */
async function stored(id: string) {
  const [{ mime_type, size, variants }] = (await database().query('select * from media where id = $1', [id])).rows
  const { width, height } = variants.original
  return {
    id,
    tenant_id: shop.store_id,
    kind: 'image' as const,
    mime_type,
    bytes: Number(size),
    width,
    height,
    duration_s: null,
    variants,
  }
}

test('An uploaded video has its width, its height and its duration', async () => {
  const [tall, turned] = [
    await upload('tall.mp4', movie({ width: 720, height: 1_280, duration_s: 7.5, bytes: 50_000 })),
    await upload('turned.mov', movie({ width: 1_920, height: 1_080, isTurned: true, brand: 'qt  ' })),
  ]
  expect(tall).toMatchObject({ mime_type: 'video/mp4', status: 'ready', width: 720, height: 1_280, duration_s: 7.5 })
  expect(turned).toMatchObject({ mime_type: 'video/quicktime', width: 1_080, height: 1_920, duration_s: 10 })
  // One that ends within its description has none, and is stored as any file.
  const cut = await upload('cut.mp4', movie().subarray(0, 100))
  expect(cut).toMatchObject({ status: 'ready', width: null, height: null, duration_s: null })
  expect((await upload('photo.jpg', await photo(40, 30))).duration_s).toBeNull()
})

test('A JPEG is made once when a network needs it, and is served under an address of its own', async () => {
  const { id } = await upload('tall.png', await photo(1_500, 3_000, 'png'))
  expect(await deliveredFile('network_d_account', { ...(await stored(id)), bytes: 1_000 })).toMatchObject({
    variant: 'original',
    mime_type: 'image/png',
  })
  const first = await stored(id)
  const made = await atOnce(4, () => deliveredFile('network_b_business', first))
  expect(new Set(made.map((one) => JSON.stringify(one))).size).toBe(1)
  expect(made[0]).toMatchObject({ variant: 'jpeg', mime_type: 'image/jpeg' })
  const { status, headers, bytes } = await read(`${api()}/media/${id}/jpeg`)
  expect([status, headers.get('content-type'), bytes.length]).toEqual([200, 'image/jpeg', made[0]?.bytes])
  expect(headers.get('content-disposition')).toContain('filename="tall.jpg"')
  const { format, width, height } = await sharp(bytes).metadata()
  expect({ format, width, height }).toEqual({ format: 'jpeg', width: 720, height: 1_440 })
  // The next one reads what is there.
  expect(await deliveredFile('network_b_business', await stored(id))).toEqual(made[0])
  const { body } = await shop.asOperator('GET', `/media/${id}`)
  expect(Object.keys(body.resolutions).sort()).toEqual(['jpeg', 'large', 'medium', 'original', 'thumbnail'])
})

test('A transparent picture is white behind, and one that is turned stands upright', async () => {
  const clear = await sharp({
    create: { width: 20, height: 10, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } },
  })
    .png()
    .toBuffer()
  const turned = await sharp({ create: { width: 60, height: 30, channels: 3, background: '#123' } })
    .withMetadata({ orientation: 6 })
    .webp()
    .toBuffer()
  const [white, upright] = [await upload('clear.png', clear), await upload('turned.webp', turned)]
  for (const { id } of [white, upright]) await deliveredFile('network_b_business', await stored(id))
  const pixel = await sharp((await read(`${api()}/media/${white.id}/jpeg`)).bytes)
    .raw()
    .toBuffer()
  expect([...pixel.subarray(0, 3)].every((value) => value > 250)).toBe(true)
  const { width, height, orientation } = await sharp((await read(`${api()}/media/${upright.id}/jpeg`)).bytes).metadata()
  expect({ width, height, orientation }).toEqual({ width: 30, height: 60, orientation: undefined })
})

test('A JPEG of a file that is deleted meanwhile does not stay', async () => {
  const { id } = await upload('gone.png', await photo(300, 300, 'png'))
  const before = await stored(id)
  expect((await shop.asOperator('DELETE', `/media/${id}`)).status).toBe(200)
  await expect(deliveredFile('network_b_business', before)).rejects.toThrow(NoSuchFile)
  expect((await read(`${api()}/media/${id}/jpeg`)).status).toBe(404)
  await until(async () => keptIn(config.mediaDir, shop).every((file) => !file.includes(id)))
})
