// What is written in one spelling is found in every other: keys, slugs, languages, words, addresses and codes.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newAudience } from '../kit/audiences.ts'
import { order, product } from '../kit/buying.ts'
import { collection, entry, made } from '../kit/content.ts'
import { send } from '../kit/files.ts'
import { database, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'
import { term } from '../kit/taxonomies.ts'

let shop: Shop
let other: Shop
beforeAll(async () => {
  shop = await newShop({ languages: ['en', 'de', 'zh_tw', 'pt-br'] })
  other = await newShop()
})
afterAll(() => database().end())

const composed = (text: string) => text.normalize('NFC')
const decomposed = (text: string) => text.normalize('NFD')
const path = (text: string) => encodeURIComponent(text)
const text = (value: string) => [{ key: 'name', type: 'text', value }]

describe('Keys and slugs in both forms of Unicode', () => {
  const kinds: [string, (key: string) => Promise<object>][] = [
    ['products', async (key) => ({ key })],
    ['services', async (key) => ({ key })],
    ['collections', async (key) => ({ key })],
    ['taxonomies', async (key) => ({ key })],
    ['forms', async (key) => ({ key })],
    ['audiences', async (key) => ({ key, name: 'x', type: { type: 'open' } })],
    ['locations', async (key) => ({ key, address: { country: 'DE' } })],
    ['markets', async (key) => ({ key, currency: 'EUR' })],
    ['workflows', async (key) => ({ key, status: 'draft', nodes: {}, edges: [] })],
  ]
  test.each(kinds)('One key of %s has one record, however it is spelled', async (kind, body) => {
    const key = `café ${unique()}`
    const first = await made(shop.asOperator('POST', `/${kind}`, await body(decomposed(key))))
    expect(first.key).toBe(composed(key))
    expect(await shop.asOperator('POST', `/${kind}`, await body(composed(key)))).toMatchObject({ status: 409, body: { code: 'key_taken' } })
  })

  test.each(['collections', 'taxonomies', 'forms'])('A record of %s is read by its key in both forms', async (kind) => {
    const { id, key } = await made(shop.asOperator('POST', `/${kind}`, { key: composed(`thé ${unique()}`) }))
    for (const spelling of [composed(key), decomposed(key)]) {
      expect(await shop.asOperator('GET', `/${kind}/${path(spelling)}`)).toMatchObject({ status: 200, body: { id } })
      expect((await shop.asOperator('GET', `/${kind}?key=${path(spelling)}`)).body.items).toMatchObject([{ id }])
    }
  })

  test('Two records whose stored keys have one form are each read by the spelling of their key', async () => {
    const key = `crème ${unique()}`
    const [one, two] = [await collection(shop), await collection(shop)]
    await database().query('update collections set key = $1 where id = $2', [composed(key), one.id])
    await database().query('update collections set key = $1 where id = $2', [decomposed(key), two.id])
    for (const [spelling, id] of [
      [composed(key), one.id],
      [decomposed(key), two.id],
    ] as const)
      expect((await shop.asOperator('GET', `/collections/${path(spelling)}`)).body.id).toBe(id)
    expect((await shop.asOperator('GET', `/collections?key=${path(key)}`)).body.items).toHaveLength(2)
  })

  test('One slug of a language has one record, and is read in both forms', async () => {
    const slug = `naïve-${unique()}`
    const { id } = await made(shop.asOperator('POST', '/products', { key: unique(), slug: { en: decomposed(slug) } }))
    expect(await shop.asOperator('POST', '/products', { key: unique(), slug: { en: composed(slug) } })).toMatchObject({
      status: 409,
      body: { code: 'slug_taken' },
    })
    for (const spelling of [composed(slug), decomposed(slug)]) expect((await shop.asOperator('GET', `/products/${path(spelling)}`)).body.id).toBe(id)
  })

  test('SKUs, options, taxonomy values, promo codes and file names are kept composed', async () => {
    const word = `Größe-${unique()}`
    const product = await made(shop.asOperator('POST', '/products', { key: unique(), variants: [{ sku: decomposed(word) }] }))
    expect(product.variants[0].sku).toBe(composed(word))
    const { id: taxonomy_id } = await term(shop, { schema: [{ type: 'text', key: decomposed('fläche'), value: [decomposed(word)] }] })
    const filed = { taxonomy_id, fields: [{ key: composed('fläche'), value: decomposed(word) }] }
    expect((await made(shop.asOperator('POST', '/products', { key: unique(), taxonomies: [filed] }))).taxonomies[0].fields[0].value).toBe(composed(word))
    const form = await made(
      shop.asOperator('POST', '/forms', { key: unique(), schema: [{ type: 'select', key: decomposed('maß'), options: [decomposed(word)] }] }),
    )
    const submitted = await made(shop.asOperator('POST', `/forms/${form.id}/submissions`, { fields: [{ key: composed('maß'), value: decomposed(word) }] }))
    expect(submitted.fields[0].value).toBe(composed(word))
    const [{ name }] = (await send(shop, [{ name: decomposed(`Tür ${word}.txt`), bytes: 'x' }])).body.items
    expect(name).toBe(composed(`Tür ${word}.txt`))
    const market_key = 'us'
    const discounts = [{ type: 'items_percentage', market_key, bps: 100 }]
    const code = `ÜBER${unique()}`
    await made(shop.asOperator('POST', '/promo-codes', { code: decomposed(code), discounts, conditions: [] }))
    expect((await shop.asOperator('POST', '/promo-codes', { code: composed(code.toLowerCase()), discounts, conditions: [] })).status).toBe(409)
  })
})

describe('Languages', () => {
  test('Tags are stored in their canonical form, each once', async () => {
    const { body } = await shop.asOperator('GET', '')
    expect(body.languages).toEqual(['en', 'de', 'zh-TW', 'pt-BR'])
    expect(await shop.asOperator('PUT', '', { languages: ['de-at', 'de_AT'] })).toMatchObject({ status: 422 })
    expect(await shop.asOperator('PUT', '', { languages: ['de-1996-1996'] })).toMatchObject({ status: 422 })
  })

  test('A slug is read in its language, in varieties of it, and in no other', async () => {
    const [tea, late] = [`tea-${unique()}`, `late-${unique()}`]
    const { id, slug } = await made(shop.asOperator('POST', '/products', { key: unique(), slug: { de: tea, 'zh-tw': late, iw: tea } }))
    expect(slug).toEqual({ de: tea, 'zh-TW': late, he: tea })
    const status = async (text: string, locale: string) => (await shop.asOperator('GET', `/products/${text}?locale=${locale}`)).status
    for (const locale of ['de', 'DE', 'de-AT', 'de_at', 'de-Latn-CH-1996', 'he', 'iw-IL']) expect([locale, await status(tea, locale)]).toEqual([locale, 200])
    for (const locale of ['zh-TW', 'zh-tw', 'ZH_TW', 'cmn-TW', 'zh-TW-pinyin']) expect([locale, await status(late, locale)]).toEqual([locale, 200])
    for (const locale of ['en', 'zh', 'zh-CN', 'd']) expect([locale, (await status(late, locale)) >= 400]).toEqual([locale, true])
    expect((await shop.asOperator('GET', `/products/${tea}?locale=de-AT`)).body.id).toBe(id)
  })

  test('The slug of the variety goes before that of the language', async () => {
    const slug = `both-${unique()}`
    const german = await made(shop.asOperator('POST', '/products', { key: unique(), slug: { de: slug } }))
    const austrian = await made(shop.asOperator('POST', '/products', { key: unique(), slug: { 'de-at': slug } }))
    const read = async (locale: string) => (await shop.asOperator('GET', `/products/${slug}?locale=${locale}`)).body.id
    expect([await read('de-AT'), await read('de-CH'), await read('de')]).toEqual([austrian.id, german.id, german.id])
  })

  test('A tag that is sent in two spellings is refused at the second', async () => {
    const slug = { 'pt-BR': 'a', 'pt-br': 'b' }
    const { status, body } = await shop.asOperator('POST', '/products', { key: unique(), slug })
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ pointer: '/slug/pt-br', code: 'duplicate' })]])
    const blocks = [{ key: 'name', type: 'localized_text', value: slug }]
    expect((await shop.asOperator('POST', '/products', { key: unique(), blocks })).body.errors).toEqual([
      expect.objectContaining({ pointer: '/blocks/0/value/pt-br', code: 'duplicate' }),
    ])
  })

  test('Localized blocks have canonical tags at any depth', async () => {
    const inner = { key: decomposed('é'), type: 'localized_text', value: { 'zh-hant-tw': 'x', pt_br: 'y' } }
    const posts = await collection(shop)
    const { blocks } = await entry(shop, posts.id, { blocks: [{ key: 'o', type: 'object', value: [inner] }] })
    expect(blocks[0].value[0]).toMatchObject({ key: composed('é'), value: { 'zh-Hant-TW': 'x', 'pt-BR': 'y' } })
  })
})

describe('Words', () => {
  const tea = '有機栽培の緑茶ティーバッグ'
  const texts: [string, string[], string[]][] = [
    [tea, ['緑茶', 'ティーバッグ', '有機', '有機栽培', 'ﾃｨｰﾊﾞｯｸﾞ', tea], ['紅茶']],
    ['我爱北京天安门', ['北京', '天安门', '爱'], ['上海']],
    ['ชาเขียวน้ำผึ้งจากเชียงราย', ['ชาเขียว', 'น้ำผึ้ง', 'เชียงราย'], ['กาแฟ']],
    [decomposed('Crème brûlée'), ['crème', decomposed('brûlée'), 'BRÛ'], ['brulure']],
    ['Ｔｅａ　Ｔｉｍｅ', ['tea time', 'ｔｉｍｅ'], ['coffee']],
    ['Tee\u00adbeutel\u200bset', ['teebeutelset', 'Tee\u200bbeu'], ['kaffee']],
  ]
  const lists: [string, (value: string) => Promise<{ id: string }>][] = [
    ['/products', (value) => made(other.asOperator('POST', '/products', { key: unique(), blocks: text(value) }))],
    ['/services', (value) => made(other.asOperator('POST', '/services', { key: unique(), blocks: text(value) }))],
    ['/entries', async (value) => entry(other, (await collection(other)).id, { blocks: text(value) })],
    ['/collections', (value) => collection(other, [], { blocks: text(value) })],
  ]
  test.each(lists)('Words of %s are found in every script and spelling', async (list, make) => {
    const query = async (words: string) => (await other.asOperator('GET', `${list}?query=${path(words)}`)).body.items.map(({ id }: { id: string }) => id)
    for (const [value, found, missing] of texts) {
      const { id } = await make(value)
      for (const words of found) expect([words, (await query(words)).includes(id)]).toEqual([words, true])
      for (const words of missing) expect([words, (await query(words)).includes(id)]).toEqual([words, false])
    }
  })

  test('Names, files and contacts are searched by the same words', async () => {
    await send(other, [{ name: `${tea}.txt`, bytes: 'x' }])
    expect((await other.asOperator('GET', `/media?limit=20&query=${path('緑茶')}`)).body.items).toHaveLength(1)
    const name = decomposed(`Été ${unique()}`)
    const { id } = await made(other.asOperator('POST', '/audiences', { key: unique(), name, type: { type: 'open' } }))
    expect((await other.asOperator('GET', `/audiences?query=${path(composed(name))}`)).body.items).toMatchObject([{ id, name: composed(name) }])
  })
})

describe('Telephone numbers', () => {
  const german = [
    '+49 209 22334455',
    '+49 (0) 209 22334455',
    '0049 209 22334455',
    '0209 22334455',
    '0209/2233-4455',
    'tel:+49-209-22334455',
    '＋４９２０９２２３３４４５５',
  ]
  const form = '+4920922334455'
  const contact = (own: Shop) => made(own.asOperator('POST', '/contacts', { email: newEmail() }))
  const add = (own: Shop, id: string, address: string, more: object = {}) =>
    own.asOperator('POST', `/contacts/${id}/channels`, { type: 'phone', address, ...more })
  let berlin: Shop
  beforeAll(async () => {
    berlin = await newShop({ settings: { address: { country: 'de' } } })
  })

  test('All spellings of a number are one channel, whose consent and searches find each of them', async () => {
    const { id } = await contact(berlin)
    const withdrawn = await made(add(berlin, id, german[1] as string, { consent: { status: 'withdrawn' } }))
    expect(withdrawn.address).toBe(form)
    for (const spelling of german) {
      const { status, body } = await add(berlin, id, spelling)
      expect([spelling, status, body.id, body.consent.status]).toEqual([spelling, 200, withdrawn.id, 'withdrawn'])
      expect((await berlin.asOperator('GET', `/contacts?query=${path(spelling)}`)).body.items).toMatchObject([{ id }])
    }
    expect((await add(berlin, id, '0209 22334456')).body.address).toBe('+4920922334456')
  })

  test('Members and orders are found by each spelling of a number of their contact', async () => {
    const { visitor, order_id } = await order(berlin, [(await product(berlin, { requires_shipping: false })).item()])
    const audience = await made(berlin.asOperator('POST', '/audiences', { key: unique(), name: 'x', type: { type: 'open' } }))
    await made(berlin.asOperator('PUT', `/audiences/${audience.id}`, { status: 'active' }))
    const member = await made(berlin.asOperator('POST', `/audiences/${audience.id}/members`, { contact_id: visitor.contact_id }))
    expect((await add(berlin, visitor.contact_id, '030 901820')).status).toBe(201)
    const found = async (list: string, spelling: string) =>
      (await berlin.asOperator('GET', `${list}?query=${path(spelling)}`)).body.items.map(({ id }: { id: string }) => id)
    for (const spelling of ['030 901820', '+49 30 901820', '0049 30/901820', '(030) 90 18 20', '030901820']) {
      expect([spelling, await found(`/audiences/${audience.id}/members`, spelling)]).toEqual([spelling, [member.id]])
      expect([spelling, await found('/orders', spelling)]).toEqual([spelling, [order_id]])
    }
    expect(await found('/orders', '030 901821')).toEqual([])
  })

  test('A number without a country code needs the country of the store', async () => {
    const own = await newShop()
    const { id } = await contact(own)
    const refused = { status: 422, body: { code: 'invalid_input', errors: [expect.objectContaining({ pointer: '/address', code: 'invalid_format' })] } }
    expect(await add(own, id, '0209 22334455')).toMatchObject(refused)
    await made(own.asOperator('POST', '/locations', { key: unique(), address: { country: 'DE' } }))
    expect((await add(own, id, '0209 22334455')).body.address).toBe(form)
    // Of two countries, neither is the one.
    await made(own.asOperator('POST', '/locations', { key: unique(), address: { country: 'FR' } }))
    expect(await add(own, id, '0209 22334456')).toMatchObject(refused)
    for (const none of ['110', 'call me', '+49', '+999 123456789', '+49 30 901820 ext. 5', '+49 30 901820, 901821', '9'.repeat(300)])
      expect(await add(own, id, none)).toMatchObject(refused)
  })

  test('A number stored by an earlier version is the same channel, also when contacts are merged', async () => {
    const [one, two] = [await contact(berlin), await contact(berlin)]
    const [older, newer] = [await made(add(berlin, one.id, '+49 171 2345678')), await made(add(berlin, two.id, '+49 171 2345678'))]
    await database().query("update contact_channels set address = '00491712345678', consent_status = 'withdrawn', consent_at = 1 where id = $1", [older.id])
    expect((await berlin.asOperator('POST', `/contacts/${two.id}/merge`, { source_contact_id: one.id })).status).toBe(200)
    const { items } = (await berlin.asOperator('GET', `/contacts/${two.id}/channels`)).body
    expect(items.filter(({ type }: { type: string }) => type === 'phone')).toMatchObject([
      { id: newer.id, address: '+491712345678', consent: { status: 'withdrawn' } },
    ])
    await database().query("update contact_channels set address = '01712345678' where id = $1", [newer.id])
    expect((await add(berlin, two.id, '+49 171 2345678')).body).toMatchObject({ id: newer.id, address: '+491712345678', consent: { status: 'withdrawn' } })
  })
})

describe('E-mail addresses', () => {
  const spellings = ['info@xn--e1afmkfd.xn--p1ai', 'info@пример.рф', ' INFO@ПРИМЕР.РФ', 'Info@XN--E1AFMKFD.xn--p1ai']

  test('Every spelling of an address is one contact, in routes, imports, invitations and searches', async () => {
    const own = await newShop()
    const { id, email } = await made(own.asOperator('POST', '/contacts', { email: spellings[1] }))
    expect(email).toBe(spellings[0])
    for (const spelling of spellings) {
      expect(await own.asOperator('POST', '/contacts', { email: spelling })).toMatchObject({ status: 200, body: { id } })
      expect((await own.asOperator('POST', `/contacts/${id}/channels`, { type: 'email', address: spelling })).status).toBe(200)
      expect((await own.asOperator('GET', `/contacts?query=${path(spelling)}`)).body.items).toMatchObject([{ id }])
    }
    const audience = await newAudience(own)
    const members = await own.asOperator('POST', `/audiences/${audience.id}/members/import`, { rows: spellings.map((spelling) => ({ email: spelling })) })
    expect(members.body).toMatchObject({ members_added: 1, rows_failed: 3, failures: [1, 2, 3].map((row) => ({ row, code: 'duplicate' })) })
    expect((await own.asOperator('GET', `/audiences/${audience.id}/members?query=${path('info@пример.рф')}`)).body.items).toMatchObject([{ contact_id: id }])
    const { body } = await own.visitor('Info@Пример.рф').then((visitor) => visitor.call('GET', '/account/me'))
    expect(body.contact?.email ?? body.email).toBe(spellings[0])
  })
})
