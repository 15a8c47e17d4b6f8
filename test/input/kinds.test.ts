// What is written in one spelling is found in every other: keys, slugs, languages, words, addresses and codes.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Route } from '../../api/kit/route.ts'
import { routes } from '../../api/routes.ts'
import { FormItem } from '../../rules/content/forms.ts'
import { newAudience } from '../kit/audiences/audiences.ts'
import { importInto, newCampaign } from '../kit/campaigns/campaigns.ts'
import { until } from '../kit/codes.ts'
import { collection, entry, made } from '../kit/content/content.ts'
import { send } from '../kit/content/files.ts'
import { term } from '../kit/content/taxonomies.ts'
import { order, product } from '../kit/orders/buying.ts'
import { type Answer, database, http, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'

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
    expect(await shop.asOperator('POST', `/${kind}`, await body(composed(key)))).toMatchObject({
      status: 409,
      body: { code: 'key_taken' },
    })
  })

  test.each(['collections', 'taxonomies', 'forms'])('A record of %s is read by its key in both forms', async (kind) => {
    const { id, key } = await made(shop.asOperator('POST', `/${kind}`, { key: composed(`thé ${unique()}`) }))
    for (const spelling of [composed(key), decomposed(key)]) {
      expect(await shop.asOperator('GET', `/${kind}/${path(spelling)}`)).toMatchObject({ status: 200, body: { id } })
      expect((await shop.asOperator('GET', `/${kind}?key=${path(spelling)}`)).body.items).toMatchObject([{ id }])
    }
  })

  test('Storefronts read each of two audiences whose stored keys have one form', async () => {
    const key = `fête ${unique()}`
    const audiences = await Promise.all([newAudience(shop), newAudience(shop)])
    for (const [n, spelling] of [composed(key), decomposed(key)].entries())
      await database().query('update audiences set key = $1 where id = $2', [spelling, audiences[n]?.id])
    for (const [n, spelling] of [composed(key), decomposed(key)].entries()) {
      const { status, body } = await shop.asVisitor('GET', `/audiences/${path(spelling)}`)
      expect([status, body.id]).toEqual([200, audiences[n]?.id])
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
    for (const spelling of [composed(slug), decomposed(slug)])
      expect((await shop.asOperator('GET', `/products/${path(spelling)}`)).body.id).toBe(id)
  })

  test('SKUs, options, taxonomy values, promo codes and file names are kept composed', async () => {
    const word = `Größe-${unique()}`
    const product = await made(
      shop.asOperator('POST', '/products', { key: unique(), variants: [{ sku: decomposed(word) }] }),
    )
    expect(product.variants[0].sku).toBe(composed(word))
    const { id: taxonomy_id } = await term(shop, {
      schema: [{ type: 'text', key: decomposed('fläche'), value: [decomposed(word)] }],
    })
    const filed = { taxonomy_id, fields: [{ key: composed('fläche'), value: decomposed(word) }] }
    expect(
      (await made(shop.asOperator('POST', '/products', { key: unique(), taxonomies: [filed] }))).taxonomies[0].fields[0]
        .value,
    ).toBe(composed(word))
    const form = await made(
      shop.asOperator('POST', '/forms', {
        key: unique(),
        schema: [{ type: 'select', key: decomposed('maß'), options: [decomposed(word)] }],
      }),
    )
    const submitted = await made(
      shop.asOperator('POST', `/forms/${form.id}/submissions`, {
        fields: [{ key: composed('maß'), value: decomposed(word) }],
      }),
    )
    expect(submitted.fields[0].value).toBe(composed(word))
    const [{ name }] = (await send(shop, [{ name: decomposed(`Tür ${word}.txt`), bytes: 'x' }])).body.items
    expect(name).toBe(composed(`Tür ${word}.txt`))
    const market_key = 'us'
    const discounts = [{ type: 'items_percentage', market_key, bps: 100 }]
    const code = `ÜBER${unique()}`
    await made(shop.asOperator('POST', '/promo-codes', { code: decomposed(code), discounts, conditions: [] }))
    expect(
      (await shop.asOperator('POST', '/promo-codes', { code: composed(code.toLowerCase()), discounts, conditions: [] }))
        .status,
    ).toBe(409)
  })
})

describe('Names in paths', () => {
  /** Parameters that are words of ASCII: of a closed list, keys of networks, secrets, and versions of a file. */
  const closed = /\{(countryCode|networkKey|type|secret|variant)\}/
  const named = (routes as readonly Route[]).filter(
    ({ path: at, method, textParameters }) => method === 'GET' && textParameters.length > 0 && !closed.test(at),
  )
  /** The body of a record with the name, and the status that storefronts show. */
  const bodies: Record<string, (name: string) => object | Promise<object>> = {
    products: (en) => ({ key: unique(), slug: { en }, status: 'active' }),
    services: (en) => ({ key: unique(), slug: { en }, status: 'active' }),
    providers: (en) => ({ key: unique(), slug: { en }, status: 'active' }),
    entries: async (en) => ({
      collection_id: (await collection(owner)).id,
      key: unique(),
      slug: { en },
      status: 'active',
    }),
    collections: (key) => ({ key }),
    taxonomies: (key) => ({ key }),
    forms: (key) => ({ key }),
    audiences: (key) => ({ key, name: 'x', type: { type: 'open' }, status: 'active' }),
  }
  const records = new Map<string, { id: string; name: string }>()
  let owner: Shop
  beforeAll(async () => {
    owner = await newShop()
    for (const [kind, body] of Object.entries(bodies)) {
      const name = `crème-${unique()}`
      const { status, ...given } = (await body(decomposed(name))) as Record<string, unknown>
      const { id } = await made(owner.asOperator('POST', `/${kind}`, given))
      if (status) await made(owner.asOperator('PUT', `/${kind}/${id}`, { status }))
      records.set(kind, { id, name })
    }
  })
  /** The segment before the name. */
  const kindOf = ({ path: at, textParameters: [parameter] }: Route) =>
    at.split('/')[at.split('/').indexOf(`{${parameter}}`) - 1] as string

  test('Every route that takes a name in its path finds the record by each spelling', async () => {
    const submission = await made(
      owner.asOperator('POST', `/forms/${records.get('forms')?.id}/submissions`, { fields: [] }),
    )
    const visitor = await owner.visitor()
    const older = (at: string) => http('GET', at, { headers: owner.op.headers })
    const found: [string, number, boolean][] = []
    const expected: typeof found = []
    for (const route of named.toSorted(
      (a, b) => Number(a.path.startsWith('/v1/businesses')) - Number(b.path.startsWith('/v1/businesses')),
    )) {
      const record = records.get(kindOf(route))
      if (!record) throw new Error(`${route.spec}: add its record to the table`)
      if (route.path.startsWith('/v1/businesses'))
        await database().query("update tenants set kind = 'business' where id = $1", [owner.store_id])
      const look = async (name: string): Promise<Answer> => {
        const at = route.path
          .replace(/\{(storeId|businessId)\}/, owner.store_id)
          .replace(`{${route.textParameters[0]}}`, path(name))
          .replace('{id}', submission.id)
        return at.startsWith('/v1/storefront') ? visitor.call('GET', at.replace('/v1/storefront', '')) : older(at)
      }
      for (const spelling of [composed(record.name), decomposed(record.name)]) {
        const { status, body } = await look(spelling)
        found.push([
          `${route.spec} ${spelling === record.name}`,
          status,
          [undefined, submission.id, record.id].includes(body.id),
        ])
        expected.push([`${route.spec} ${spelling === record.name}`, 200, true])
      }
      found.push([route.spec, (await look(record.name.replace('è', 'e').replace('é', 'e'))).status, true])
      expected.push([route.spec, 404, true])
    }
    expect(found).toEqual(expected)
  })
})

describe('Values of forms', () => {
  /** Spellings that are stored as one value, and another value, by the type of the field. */
  const word = `Größe ${unique()}`
  const table: Record<FormItem['type'], { item?: object; same: [unknown, ...unknown[]]; other: unknown }> = {
    // A visitor's own words stay as they are written, and are searched for as words.
    text: { same: ['Info@Пример.рф 0209/22334455'], other: 'Info@Пример.рф 0209/22334456' },
    number: { same: [1], other: 1.5 },
    boolean: { same: [true], other: false },
    date: { same: ['2026-02-01'], other: '2026-02-02' },
    geo_location: {
      same: [
        { lat: 52.5, lng: 13 },
        { lng: 13.0, lat: 52.5 },
      ],
      other: { lat: 52.6, lng: 13 },
    },
    select: {
      item: { options: [composed(word), 'grosse'] },
      same: [composed(word), decomposed(word)],
      other: 'grosse',
    },
  }

  test.each(FormItem.options.map(({ shape }) => shape.type.value))(
    'Spellings of a value of the type %s are stored as one',
    async (type) => {
      const { item = {}, same, other: another } = table[type]
      const key = `maß-${unique()}`
      const form = await made(other.asOperator('POST', '/forms', { key, schema: [{ type, key: 'field', ...item }] }))
      const stored = async (at: string, value: unknown) => {
        const { fields } = await made(
          other.asOperator('POST', `/forms/${path(at)}/submissions`, { fields: [{ key: 'field', value }] }),
        )
        return fields[0].value
      }
      for (const at of [form.id, composed(key), decomposed(key)])
        for (const value of same) expect(await stored(at, value)).toEqual(same[0])
      expect(await stored(form.id, another)).toEqual(another)
    },
  )
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
    const { id, slug } = await made(
      shop.asOperator('POST', '/products', { key: unique(), slug: { de: tea, 'zh-tw': late, iw: tea } }),
    )
    expect(slug).toEqual({ de: tea, 'zh-TW': late, he: tea })
    const status = async (text: string, locale: string) =>
      (await shop.asOperator('GET', `/products/${text}?locale=${locale}`)).status
    for (const locale of ['de', 'DE', 'de-AT', 'de_at', 'de-Latn-CH-1996', 'he', 'iw-IL'])
      expect([locale, await status(tea, locale)]).toEqual([locale, 200])
    for (const locale of ['zh-TW', 'zh-tw', 'ZH_TW', 'cmn-TW', 'zh-TW-pinyin'])
      expect([locale, await status(late, locale)]).toEqual([locale, 200])
    for (const locale of ['en', 'zh', 'zh-CN', 'd'])
      expect([locale, (await status(late, locale)) >= 400]).toEqual([locale, true])
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
    expect([status, body.errors]).toEqual([
      422,
      [expect.objectContaining({ pointer: '/slug/pt-br', code: 'duplicate' })],
    ])
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
    const query = async (words: string) =>
      (await other.asOperator('GET', `${list}?query=${path(words)}`)).body.items.map(({ id }: { id: string }) => id)
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
    expect((await other.asOperator('GET', `/audiences?query=${path(composed(name))}`)).body.items).toMatchObject([
      { id, name: composed(name) },
    ])
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
    const audience = await made(
      berlin.asOperator('POST', '/audiences', { key: unique(), name: 'x', type: { type: 'open' } }),
    )
    await made(berlin.asOperator('PUT', `/audiences/${audience.id}`, { status: 'active' }))
    const member = await made(
      berlin.asOperator('POST', `/audiences/${audience.id}/members`, { contact_id: visitor.contact_id }),
    )
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
    const refused = {
      status: 422,
      body: {
        code: 'invalid_input',
        errors: [expect.objectContaining({ pointer: '/address', code: 'invalid_format' })],
      },
    }
    expect(await add(own, id, '0209 22334455')).toMatchObject(refused)
    await made(own.asOperator('POST', '/locations', { key: unique(), address: { country: 'DE' } }))
    expect((await add(own, id, '0209 22334455')).body.address).toBe(form)
    // Of two countries, neither is the one.
    await made(own.asOperator('POST', '/locations', { key: unique(), address: { country: 'FR' } }))
    expect(await add(own, id, '0209 22334456')).toMatchObject(refused)
    for (const none of [
      '110',
      'call me',
      '+49',
      '+999 123456789',
      '+49 30 901820 ext. 5',
      '+49 30 901820, 901821',
      '9'.repeat(300),
    ])
      expect(await add(own, id, none)).toMatchObject(refused)
  })

  test('A number stored by an earlier version is the same channel, also when contacts are merged', async () => {
    const [one, two] = [await contact(berlin), await contact(berlin)]
    const [older, newer] = [
      await made(add(berlin, one.id, '+49 171 2345678')),
      await made(add(berlin, two.id, '+49 171 2345678')),
    ]
    await database().query(
      "update contact_channels set address = '00491712345678', consent_status = 'withdrawn', consent_at = 1 where id = $1",
      [older.id],
    )
    expect((await berlin.asOperator('POST', `/contacts/${two.id}/merge`, { source_contact_id: one.id })).status).toBe(
      200,
    )
    const { items } = (await berlin.asOperator('GET', `/contacts/${two.id}/channels`)).body
    expect(items.filter(({ type }: { type: string }) => type === 'phone')).toMatchObject([
      { id: newer.id, address: '+491712345678', consent: { status: 'withdrawn' } },
    ])
    await database().query("update contact_channels set address = '01712345678' where id = $1", [newer.id])
    expect((await add(berlin, two.id, '+49 171 2345678')).body).toMatchObject({
      id: newer.id,
      address: '+491712345678',
      consent: { status: 'withdrawn' },
    })
  })
})

describe('E-mail addresses', () => {
  const spellings = ['info@xn--e1afmkfd.xn--p1ai', 'info@пример.рф', ' INFO@ПРИМЕР.РФ', 'Info@XN--E1AFMKFD.xn--p1ai']

  test('Every spelling of an address is one contact, in routes, imports, invitations and searches', async () => {
    const own = await newShop()
    const { id, email } = await made(own.asOperator('POST', '/contacts', { email: spellings[1] }))
    expect(email).toBe(spellings[0])
    for (const spelling of spellings) {
      expect(await own.asOperator('POST', '/contacts', { email: spelling })).toMatchObject({
        status: 200,
        body: { id },
      })
      expect(
        (await own.asOperator('POST', `/contacts/${id}/channels`, { type: 'email', address: spelling })).status,
      ).toBe(200)
      expect((await own.asOperator('GET', `/contacts?query=${path(spelling)}`)).body.items).toMatchObject([{ id }])
    }
    const audience = await newAudience(own)
    const members = await own.asOperator('POST', `/audiences/${audience.id}/members/import`, {
      rows: spellings.map((spelling) => ({ email: spelling })),
    })
    expect(members.body).toMatchObject({
      members_added: 1,
      rows_failed: 3,
      failures: [1, 2, 3].map((row) => ({ row, code: 'duplicate' })),
    })
    expect(
      (await own.asOperator('GET', `/audiences/${audience.id}/members?query=${path('info@пример.рф')}`)).body.items,
    ).toMatchObject([{ contact_id: id }])
    const { body } = await own.visitor('Info@Пример.рф').then((visitor) => visitor.call('GET', '/account/me'))
    expect(body.contact?.email ?? body.email).toBe(spellings[0])
  })

  /** Each import of addresses: how many records the addresses make. */
  const imports: Record<string, (own: Shop, emails: string[]) => Promise<number>> = {
    'POST /v1/stores/{storeId}/audiences/{audienceId}/members/import': async (own, emails) => {
      const { id } = await newAudience(own)
      return (
        await made(
          own.asOperator('POST', `/audiences/${id}/members/import`, { rows: emails.map((email) => ({ email })) }),
        )
      ).members_added
    },
    'POST /v1/stores/{storeId}/campaigns/{id}/enrollments/import': async (own, emails) => {
      const { id } = await newCampaign(own)
      const started = await importInto(own, id, { emails })
      const ended = async () => {
        const { body } = await own.asOperator('GET', `/campaigns/${id}/imports/${started.import_id ?? started.id}`)
        return body.status !== 'running' && body
      }
      await until(ended, 25_000)
      const { rows } = await database().query('select address from enrollments where campaign_id = $1', [id])
      return rows.length
    },
  }
  const importing = (routes as readonly Route[]).map(({ spec }) => spec).filter((spec) => spec.endsWith('/import'))

  test.each(importing)('Every spelling of an address is one record for %s', async (spec) => {
    const run = imports[spec]
    if (!run) throw new Error(`${spec}: add it to the table`)
    const own = await newShop()
    expect(await run(own, [...spellings, 'info@example.test', 'infos@xn--e1afmkfd.xn--p1ai'])).toBe(3)
    const { rows } = await database().query(
      "select distinct address from contact_channels where tenant_id = $1 and type = 'email' order by address",
      [own.store_id],
    )
    expect(rows.map(({ address }) => address)).toEqual([
      'info@example.test',
      spellings[0],
      'infos@xn--e1afmkfd.xn--p1ai',
    ])
  })
})
