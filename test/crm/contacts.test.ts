// Operators keep the contacts of their store: one contact per owned address, found by words and terms, with channels
// and sessions.
import { afterAll, describe, expect, test } from '@jest/globals'
import { prove } from '../kit/codes.ts'
import { made } from '../kit/content/content.ts'
import { asQuery, term } from '../kit/content/taxonomies.ts'
import { atOnce } from '../kit/orders/buying.ts'
import {
  type Answer,
  database,
  eitherApi,
  type Method,
  newEmail,
  newShop,
  operator,
  type Shop,
  unique,
} from '../kit/shop.ts'

afterAll(async () => database().end())

const newContact = (shop: Shop, body: object = {}) =>
  made(shop.asOperator('POST', '/contacts', { email: newEmail(), ...body }))
const idsOf = ({ body }: Answer): string[] => body.items.map(({ id }: { id: string }) => id)
const listed = async (shop: Shop, query: string) => idsOf(await shop.asOperator('GET', `/contacts?${query}`))
const refusal = ({ status, body }: Answer) => [
  status,
  body.code,
  ...(body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer),
]
/** A member of the store with the role `admin`. */
async function adminOf(shop: Shop) {
  const admin = await operator()
  await database().query(
    "insert into team_members (id, created_at, updated_at, tenant_id, account_id, role) values (gen_random_uuid(), 1, 1, $1, $2, 'admin')",
    [shop.store_id, admin.account_id],
  )
  return (method: Method, path: string, body?: unknown) => shop.as(admin, method, path, body)
}

describe('Contacts', () => {
  test('A created contact owns its address, and creating it again returns it unchanged', async () => {
    const shop = await newShop()
    const created = await shop.asOperator('POST', '/contacts', { email: ' Ada@Tillwright.test' })
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: expect.any(String),
        store_id: shop.store_id,
        status: 'active',
        taxonomies: [],
        email: 'ada@tillwright.test',
        verified: false,
        created_at: expect.any(Number),
        updated_at: expect.any(Number),
      },
    ])
    const again = await shop.asOperator(
      'POST',
      '/contacts',
      { email: 'ada@tillwright.test', taxonomies: [] },
      eitherApi(),
    )
    expect([again.status, again.body]).toEqual([200, created.body])
    expect((await shop.asOperator('GET', `/contacts/${created.body.id}`)).body).toEqual(created.body)
  })

  test('Twenty concurrent creations of one address give one contact', async () => {
    const shop = await newShop()
    for (let round = 0; round < 3; round++) {
      const email = newEmail()
      const answers = await atOnce(20, () => shop.asOperator('POST', '/contacts', { email }, eitherApi()))
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201])
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    }
    const { rows } = await database().query('select count(*)::int as contacts from contacts where tenant_id = $1', [
      shop.store_id,
    ])
    expect(rows[0].contacts).toBe(3)
  })

  test('An address that a visitor claimed is no match, and the one that a visitor verified is', async () => {
    const shop = await newShop()
    const email = newEmail()
    const claimant = await shop.visitor(email)
    const created = await shop.asOperator('POST', '/contacts', { email })
    expect(created.status).toBe(201)
    expect(created.body.id).not.toBe(claimant.contact_id)
    const signedIn = await prove(claimant, email)
    expect(signedIn.body.contact.id).toBe(created.body.id)
    expect((await shop.asOperator('GET', `/contacts/${created.body.id}`)).body).toMatchObject({ email, verified: true })
  })

  test('An update replaces the address, null removes it, and an owned one is refused', async () => {
    const shop = await newShop()
    const [first, second] = [await newContact(shop), await newContact(shop)]
    const put = (body: object) => shop.asOperator('PUT', `/contacts/${first.id}`, body, eitherApi())
    expect(refusal(await put({ email: second.email }))).toEqual([409, 'email_taken', '/email'])
    const email = newEmail()
    expect((await put({ email, status: 'ARCHIVED' })).body).toMatchObject({
      email,
      verified: false,
      status: 'archived',
    })
    expect((await shop.asOperator('POST', '/contacts', { email: first.email })).status).toBe(201)
    const read = (await shop.asOperator('GET', `/contacts/${first.id}`)).body
    expect((await put(read)).body).toEqual({ ...read, updated_at: expect.any(Number) })
    expect((await put({ email: null })).body.email).toBeNull()
    expect(await listed(shop, `ids=${first.id}`)).toEqual([first.id])
    expect(await listed(shop, 'status=archived')).toEqual([])
  })

  test('A claimed address that is sent back with the record stays claimed', async () => {
    const shop = await newShop()
    const email = newEmail()
    const { contact_id } = await shop.visitor(email)
    const read = (await shop.asOperator('GET', `/contacts/${contact_id}`)).body
    expect((await shop.asOperator('PUT', `/contacts/${contact_id}`, read)).status).toBe(200)
    expect((await shop.asOperator('POST', '/contacts', { email })).status).toBe(201)
  })

  test('Concurrent updates of two contacts to one address give it to one of them', async () => {
    const shop = await newShop()
    const [first, second] = [await newContact(shop), await newContact(shop)]
    for (let round = 0; round < 4; round++) {
      const email = newEmail()
      const answers = await Promise.all(
        [first, second].map(({ id }) => shop.asOperator('PUT', `/contacts/${id}`, { email }, eitherApi())),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })

  test('The list finds words of addresses and typed values, ids, terms and statuses', async () => {
    const shop = await newShop()
    const topic = await term(shop, { schema: [{ key: 'city', type: 'text' }] })
    const child = await term(shop, { parent_id: topic.id })
    const ada = await newContact(shop, {
      email: `ada.${unique()}@wales.test`,
      taxonomies: [{ taxonomy_id: topic.id, fields: [{ key: 'city', value: 'Llanfair' }] }],
    })
    const bob = await newContact(shop, { taxonomies: [{ taxonomy_id: topic.id, entry_ids: [child.id] }] })
    const eve = await newContact(shop, { email: `eve.${unique()}@tillwright.test` })
    await shop.asOperator('PUT', `/contacts/${eve.id}`, { status: 'archived' })
    expect(await listed(shop, 'query=ada%20wales')).toEqual([ada.id])
    expect(await listed(shop, `query=${encodeURIComponent(ada.email)}`)).toEqual([ada.id])
    expect(await listed(shop, 'query=llanf')).toEqual([ada.id])
    expect(await listed(shop, `query=${bob.id.toUpperCase()}`)).toEqual([bob.id])
    expect(await listed(shop, 'status=archived')).toEqual([eve.id])
    expect(await listed(shop, asQuery([{ taxonomy_id: topic.id }]))).toEqual([bob.id, ada.id])
    expect(await listed(shop, asQuery([{ taxonomy_id: topic.id, entry_ids: [child.id] }]))).toEqual([bob.id])
    expect(
      await listed(
        shop,
        `match_all=true&${asQuery([{ taxonomy_id: topic.id, entry_ids: [child.id] }, { taxonomy_id: child.id }])}`,
      ),
    ).toEqual([])
    expect(await listed(shop, 'limit=2')).toHaveLength(2)
  })

  test('Visitors without an address or a term are listed only on request or by id', async () => {
    const shop = await newShop()
    const [visitor, known] = [await shop.visitor(), await shop.visitor(newEmail('claimed'))]
    expect(await listed(shop, '')).toEqual([known.contact_id])
    expect(await listed(shop, 'anonymous=true')).toEqual([visitor.contact_id])
    expect(await listed(shop, `ids=${visitor.contact_id}`)).toEqual([visitor.contact_id])
    expect(await listed(shop, `query=${visitor.contact_id}`)).toEqual([visitor.contact_id])
    expect(await listed(shop, 'query=claimed')).toEqual([known.contact_id])
    await known.call('POST', '/account/identify', { email: newEmail('later') })
    expect([await listed(shop, 'query=claimed'), await listed(shop, 'query=later')]).toEqual([[], [known.contact_id]])
    const topic = await term(shop)
    await shop.asOperator('PUT', `/contacts/${visitor.contact_id}`, {
      taxonomies: [{ taxonomy_id: topic.id, entry_ids: [] }],
    })
    expect(await listed(shop, 'anonymous=true')).toEqual([])
    await shop.asOperator('DELETE', `/taxonomies/${topic.id}`)
    expect(await listed(shop, 'anonymous=true')).toEqual([visitor.contact_id])
  })

  test('A contact is filed under terms of its own store only, and loses deleted ones', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    const [topic, theirs] = [await term(shop, { schema: [{ key: 'city', type: 'text' }] }), await term(other)]
    const wrong = [{ taxonomy_id: theirs.id, entry_ids: [] }]
    expect(refusal(await shop.asOperator('POST', '/contacts', { email: newEmail(), taxonomies: wrong }))).toEqual([
      422,
      'invalid_input',
      '/taxonomies/0/taxonomy_id',
    ])
    const contact = await newContact(shop, {
      taxonomies: [{ taxonomy_id: topic.id, fields: [{ key: 'city', value: 'Bangor' }] }],
    })
    expect(contact.taxonomies).toMatchObject([
      { taxonomy_id: topic.id, fields: [{ key: 'city', type: 'text', value: 'Bangor' }] },
    ])
    expect(refusal(await shop.asOperator('PUT', `/contacts/${contact.id}`, { taxonomies: wrong }))).toEqual([
      422,
      'invalid_input',
      '/taxonomies/0/taxonomy_id',
    ])
    expect(await listed(shop, 'query=bangor')).toEqual([contact.id])
    expect((await shop.asOperator('DELETE', `/taxonomies/${topic.id}`)).status).toBe(200)
    expect((await shop.asOperator('GET', `/contacts/${contact.id}`)).body.taxonomies).toEqual([])
    expect(await listed(shop, 'query=bangor')).toEqual([])
    const { rows } = await database().query('select 1 from taxonomy_links where owner_id = $1', [contact.id])
    expect(rows).toEqual([])
  })
})

describe('Channels', () => {
  const add = (shop: Shop, contact: string, body: object) =>
    shop.asOperator('POST', `/contacts/${contact}/channels`, body, eitherApi())

  test('Addresses are normalized by type, and the first of a type is primary', async () => {
    const shop = await newShop()
    const { id } = await newContact(shop)
    const phone = await add(shop, id, { type: 'PHONE', address: '+49 (30) 123-45' })
    expect([phone.status, phone.body]).toEqual([
      201,
      {
        id: expect.any(String),
        contact_id: id,
        type: 'phone',
        address: '+493012345',
        provider: null,
        provider_subject: null,
        owned: true,
        verified_at: null,
        is_primary: true,
        status: 'active',
        consent: { status: 'unknown', source: null, at: null },
        created_at: expect.any(Number),
        updated_at: expect.any(Number),
      },
    ])
    expect((await add(shop, id, { type: 'phone', address: '+49 30 12345' })).body.id).toBe(phone.body.id)
    expect((await add(shop, id, { type: 'phone', address: '+49 30 901820' })).body.is_primary).toBe(false)
    expect(refusal(await add(shop, id, { type: 'phone', address: 'call me' }))).toEqual([
      422,
      'invalid_input',
      '/address',
    ])
    expect(refusal(await add(shop, id, { type: 'email', address: 'nobody' }))).toEqual([
      422,
      'invalid_input',
      '/address',
    ])
    expect(refusal(await add(shop, id, { type: 'social', address: 'ada' }))).toEqual([422, 'required', '/provider'])
    for (const type of ['email', 'phone', 'custom'])
      expect(refusal(await add(shop, id, { type, address: '110', provider: 'x' }))).toEqual([
        422,
        'invalid_input',
        '/provider',
      ])
    expect(refusal(await add(shop, id, { type: 'phone', address: '110', provider_subject: '17' }))).toEqual([
      422,
      'invalid_input',
      '/provider_subject',
    ])
    for (const provider of ['Instagram', 'mastodon'])
      expect((await add(shop, id, { type: 'social', address: 'ada', provider })).status).toBe(201)
    const all = (await shop.asOperator('GET', `/contacts/${id}/channels?sort_direction=asc`)).body.items
    expect(all.map((one: { type: string; provider: string }) => [one.type, one.provider])).toEqual([
      ['email', null],
      ['phone', null],
      ['phone', null],
      ['social', 'instagram'],
      ['social', 'mastodon'],
    ])
    expect(await listed(shop, 'query=493012345')).toEqual([id])
  })

  test('One contact owns an e-mail address and a subject, and a new primary address is shown', async () => {
    const shop = await newShop()
    const [ada, eve] = [await newContact(shop), await newContact(shop)]
    expect(refusal(await add(shop, ada.id, { type: 'email', address: eve.email }))).toEqual([
      409,
      'email_taken',
      '/address',
    ])
    const account = { type: 'social', provider: 'instagram', provider_subject: '17' }
    expect((await add(shop, ada.id, { ...account, address: 'ada' })).status).toBe(201)
    expect(refusal(await add(shop, eve.id, { ...account, address: 'eve' }))).toEqual([409, 'channel_taken'])
    const email = newEmail()
    const second = (await add(shop, ada.id, { type: 'email', address: email })).body
    expect((await shop.asOperator('GET', `/contacts/${ada.id}`)).body.email).toBe(ada.email)
    expect(
      (await shop.asOperator('PUT', `/contacts/${ada.id}/channels/${second.id}`, { ...second, is_primary: true })).body
        .is_primary,
    ).toBe(true)
    expect((await shop.asOperator('GET', `/contacts/${ada.id}`)).body.email).toBe(email)
    expect((await shop.asOperator('DELETE', `/contacts/${ada.id}/channels/${second.id}`)).body).toEqual({
      success: true,
    })
    expect((await shop.asOperator('GET', `/contacts/${ada.id}`)).body.email).toBe(ada.email)
    expect(await listed(shop, `query=${encodeURIComponent(email)}`)).toEqual([])
  })

  test.each([
    ['withdrawn', { consent: { status: 'withdrawn', source: 'phone call' } }, { consent: { status: 'granted' } }],
    ['bounced', { status: 'bounced' }, { status: 'active' }],
    ['complained', { status: 'complained' }, { status: 'active' }],
  ])('A channel that is %s is kept, and only an owner lifts it', async (_, suppressing, lifting) => {
    const shop = await newShop()
    const asAdmin = await adminOf(shop)
    const { id, email } = await newContact(shop)
    const [channel] = (await asAdmin('GET', `/contacts/${id}/channels`)).body.items
    const at = `/contacts/${id}/channels/${channel.id}`
    expect((await asAdmin('PUT', at, { consent: { status: 'granted' } })).body.consent).toEqual({
      status: 'granted',
      source: 'operator',
      at: expect.any(Number),
    })
    expect((await asAdmin('PUT', at, suppressing)).status).toBe(200)
    expect(refusal(await asAdmin('DELETE', at))).toEqual([409, 'channel_suppressed'])
    expect(refusal(await asAdmin('PUT', `/contacts/${id}`, { email: null }))).toEqual([409, 'channel_suppressed'])
    expect(refusal(await asAdmin('PUT', at, lifting))).toEqual([403, 'forbidden'])
    expect(
      refusal(await asAdmin('POST', `/contacts/${id}/channels`, { type: 'email', address: email, ...lifting })),
    ).toEqual([403, 'forbidden'])
    // Another address takes its place, and it stays beside it.
    expect((await asAdmin('PUT', `/contacts/${id}`, { email: newEmail() })).status).toBe(200)
    expect((await asAdmin('GET', `/contacts/${id}/channels`)).body.items).toHaveLength(2)
    const lifted = await shop.asOperator('PUT', at, lifting)
    expect([lifted.status, lifted.body]).toMatchObject([200, lifting])
    expect((await asAdmin('DELETE', at)).status).toBe(200)
  })

  test('A suppressed claim survives another claim and the verification of its address', async () => {
    const shop = await newShop()
    const email = newEmail()
    const visitor = await shop.visitor(email)
    const [claim] = (await shop.asOperator('GET', `/contacts/${visitor.contact_id}/channels`)).body.items
    expect(claim).toMatchObject({ owned: false, address: email })
    await shop.asOperator('PUT', `/contacts/${visitor.contact_id}/channels/${claim.id}`, {
      consent: { status: 'withdrawn' },
    })
    await visitor.call('POST', '/account/identify', { email: newEmail() })
    expect((await prove(visitor, email)).body.contact).toMatchObject({ id: visitor.contact_id, email })
    const after = (await shop.asOperator('GET', `/contacts/${visitor.contact_id}/channels`)).body.items
    expect(after).toHaveLength(2)
    expect(after.find(({ address }: { address: string }) => address === email)).toMatchObject({
      owned: true,
      is_primary: true,
      consent: { status: 'withdrawn' },
    })
  })

  test('A batch returns the channels of the named contacts of the store', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    const contacts = [await newContact(shop), await newContact(shop)]
    const theirs = await newContact(other)
    const batch = await shop.asOperator(
      'GET',
      `/contacts/channels?contact_ids=${[...contacts, theirs].map(({ id }) => id).join(',')}`,
    )
    expect(batch.body.cursor).toBeNull()
    expect(batch.body.items.map(({ contact_id }: { contact_id: string }) => contact_id)).toEqual(
      contacts.map(({ id }) => id),
    )
    expect((await shop.asOperator('GET', '/contacts/channels')).status).toBe(422)
  })

  test('A contact has at most fifty channels', async () => {
    const shop = await newShop()
    const { id } = await newContact(shop)
    await database().query(
      `insert into contact_channels (id, tenant_id, created_at, updated_at, contact_id, type, address, owned)
       select gen_random_uuid(), $1, 1, 1, $2, 'custom', n, true from generate_series(1, 48) n`,
      [shop.store_id, id],
    )
    const answers = await atOnce(4, (n) => add(shop, id, { type: 'custom', address: `new ${n}` }))
    expect(answers.map(({ status, body }) => body.code ?? status).sort()).toEqual([
      201,
      'channels_too_many',
      'channels_too_many',
      'channels_too_many',
    ])
  })

  test('A channel is changed only below its own contact', async () => {
    const shop = await newShop()
    const [ada, eve] = [await newContact(shop), await newContact(shop)]
    const [channel] = (await shop.asOperator('GET', `/contacts/${ada.id}/channels`)).body.items
    for (const method of ['PUT', 'DELETE'] as const)
      expect((await shop.asOperator(method, `/contacts/${eve.id}/channels/${channel.id}`, {})).status).toBe(404)
  })
})

describe('Sessions', () => {
  test('A revoked session no longer authenticates its visitor, and others do', async () => {
    const shop = await newShop()
    const email = newEmail()
    const [phone, laptop] = [await shop.visitor(), await shop.visitor()]
    await prove(phone, email)
    const { id } = (await prove(laptop, email, 2)).body.contact
    const sessions = (await shop.asOperator('GET', `/contacts/${id}/sessions?sort_direction=asc`)).body.items
    const times = {
      verified_at: expect.any(Number),
      used_at: expect.any(Number),
      created_at: expect.any(Number),
      revoked_at: null,
    }
    expect(sessions).toEqual(
      Array(2).fill({ id: expect.any(String), status: 'active', verified_address: email, ...times }),
    )
    const [first] = sessions
    for (let times = 0; times < 2; times++)
      expect(
        (await shop.asOperator('DELETE', `/contacts/${id}/sessions/${first.id}`, undefined, eitherApi())).body,
      ).toEqual({ success: true })
    const statuses = () =>
      Promise.all(
        [phone, laptop].map(
          async (visitor) => (await visitor.call('GET', '/account/me', undefined, eitherApi())).status,
        ),
      )
    expect(await statuses()).toEqual([401, 200])
    expect((await phone.call('POST', '/carts/current', {})).status).toBe(401)
    expect((await shop.asOperator('DELETE', `/contacts/${id}/sessions`)).body).toEqual({ success: true })
    expect(await statuses()).toEqual([401, 401])
    const after = (await shop.asOperator('GET', `/contacts/${id}/sessions`)).body.items
    expect(after.map(({ status }: { status: string }) => status)).toEqual(['revoked', 'revoked'])
  })

  test('A session is revoked only below its own contact', async () => {
    const shop = await newShop()
    const [visitor, other] = [await shop.visitor(), await newContact(shop)]
    const [session] = (await shop.asOperator('GET', `/contacts/${visitor.contact_id}/sessions`)).body.items
    expect((await shop.asOperator('DELETE', `/contacts/${other.id}/sessions/${session.id}`)).status).toBe(404)
    expect((await visitor.call('GET', '/account/me')).status).toBe(200)
  })
})
