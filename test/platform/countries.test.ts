// Countries are public, all at once or page by page.
import { expect, test } from '@jest/globals'
import { http } from '../kit/shop.ts'

const get = (query: string) => http('GET', `/v1/platform/countries${query}`)

test('Without a limit all countries come in one page by name, each with its states', async () => {
  const { status, body } = await get('')
  expect([status, body.items.length, body.cursor]).toEqual([200, 250, null])
  expect(body.items.find(({ code }: { code: string }) => code === 'US').states).toContainEqual({
    code: 'CA',
    name: 'California',
  })
})

test('Pages of countries follow each other without a gap', async () => {
  const seen: string[] = []
  let cursor: string | null = 'null'
  while (cursor !== null) {
    const { body }: { body: { items: { code: string }[]; cursor: string | null } } = await get(
      `?limit=50&cursor=${cursor}`,
    )
    seen.push(...body.items.map(({ code }) => code))
    cursor = body.cursor
  }
  expect(seen).toEqual((await get('')).body.items.map(({ code }: { code: string }) => code))
  expect((await get('?limit=101')).status).toBe(422)
  expect((await get('?cursor=nowhere')).body.code).toBe('bad_cursor')
})

test('A country is read by its code in any case', async () => {
  for (const code of ['DE', 'de', 'De'])
    expect((await get(`/${code}`)).body).toMatchObject({ code: 'DE', name: 'Germany' })
  for (const code of ['ZZ', 'DEU', '%00', '1']) expect([code, (await get(`/${code}`)).status]).toEqual([code, 404])
})
