// The list of what a person has to do is read in pages while items come and go, shows each caller their own, and takes
// what they found out: it is checked, can be corrected, and sends nothing.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { insertRow } from '../kit/audiences/subscribing.ts'
import { newSalon, type Salon } from '../kit/business.ts'
import { sim } from '../kit/orders/buying.ts'
import { database, http, newShop, newStore, type Operator, operator, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let platform: Operator
beforeAll(async () => {
  shop = await newShop()
  platform = await operator(process.env.SUPER_EMAIL?.split(',')[0])
})
afterAll(async () => database().end())

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Item = { id: string; [more: string]: any }
const query = (text: string, values: unknown[]) => database().query(text, values)

/** A campaign that was paused then. */
const paused = (tenant_id: string, at: number): Promise<string> =>
  insertRow('campaigns', {
    ...{ tenant_id, name: `Of ${at}`, mailbox_ids: '[]', steps: '[]', variables: '{}', status: 'paused' },
    ...{ paused_reason: '{"code": "too_many_bounces", "message": "Too many bounced."}', updated_at: at },
  })

const unknown = { status: 'unknown', fingerprint: '', attempt: 1, sent_at: new Date(), settled_at: new Date() }
const mail = (tenant_id: string | null, more: object = {}): Promise<string> =>
  insertRow('mails', { ...unknown, tenant_id, kind: 'chat_handover', ...more })
const rowOf = async (table: string, id: string) => (await query(`select * from ${table} where id = $1`, [id])).rows[0]

const page = async (at: string, by: Operator, search: Record<string, string> = {}) =>
  http('GET', `${at}?${new URLSearchParams(search)}`, { headers: by.headers })
/** The item of this id, on any page. */
async function found(at: string, by: Operator, id: string, search: Record<string, string>): Promise<Item | undefined> {
  let cursor: string | null = null
  do {
    const { body } = await page(at, by, { limit: '100', ...search, ...(cursor ? { cursor } : {}) })
    const item = (body.items as Item[]).find((one) => one.id === id)
    if (item) return item
    cursor = body.cursor
  } while (cursor)
  return undefined
}
const listOf = async (of: Shop, search: Record<string, string> = {}): Promise<Item[]> =>
  (await page(`/v1/stores/${of.store_id}/attention`, of.op, { limit: '100', ...search })).body.items

test('Pages show each item once while others come and go, the oldest first', async () => {
  const of = await newShop()
  const at = `/v1/stores/${of.store_id}/attention`
  const ids = [await paused(of.store_id, 100), await paused(of.store_id, 200), await paused(of.store_id, 200)]
  ids.push(await paused(of.store_id, 300), await paused(of.store_id, 400))
  const first = await page(at, of.op, { limit: '2' })
  expect(first.body.items.map(({ since }: Item) => since)).toEqual([100, 200])
  expect(first.body.items[0].id).toBe(ids[0])
  // One that was shown ends, as does one that was not; one comes behind the page, and one before it.
  await query(`update campaigns set status = 'cancelled' where id = any ($1)`, [[ids[0], ids[3]]])
  const [later, earlier] = [await paused(of.store_id, 350), await paused(of.store_id, 50)]
  const seen: string[] = first.body.items.map(({ id }: Item) => id)
  let cursor: string | null = first.body.cursor
  while (cursor) {
    const { body } = await page(at, of.op, { limit: '2', cursor })
    seen.push(...body.items.map(({ id }: Item) => id))
    cursor = body.cursor
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect([...seen].sort()).toEqual([ids[0], ids[1], ids[2], later, ids[4]].sort())
  expect((await listOf(of)).map(({ id }) => id)[0]).toBe(earlier)
  const { status, body } = await page('/v1/attention', of.op, { cursor: first.body.cursor })
  expect([status, body.code]).toEqual([400, 'bad_cursor'])
})

test('What was recorded is listed for 30 days, the newest first, and not beside what is open', async () => {
  const of = await newShop()
  const at = `/v1/stores/${of.store_id}/attention`
  const now = Math.floor(Date.now() / 1000)
  const recorded = (days: number, outcome = 'rejected') =>
    mail(of.store_id, {
      status: outcome,
      resolution: JSON.stringify({ outcome, note: 'Looked.', account_id: of.op.account_id, at: now - days * 86_400 }),
    })
  const ids = [await recorded(1), await recorded(2), await recorded(29)]
  const [old, open] = [await recorded(31), await mail(of.store_id)]
  const first = await page(at, of.op, { status: 'resolved', limit: '2' })
  const second = await page(at, of.op, { status: 'RESOLVED', limit: '2', cursor: first.body.cursor })
  expect([...first.body.items, ...second.body.items].map(({ id }: Item) => id)).toEqual(ids)
  expect(second.body.cursor).toBeNull()
  expect((await listOf(of)).map(({ id, status }) => [id, status])).toEqual([[open, 'open']])
  expect((await page(at, of.op, { cursor: first.body.cursor })).body.code).toBe('bad_cursor')
  // By its id it is there for as long as its row is.
  expect((await of.asOperator('GET', `/attention/${old}`)).body).toMatchObject({
    status: 'resolved',
    title: 'An operator found out whether an e-mail (chat handover) reached its mail server: no.',
    resolve: { choices: ['succeeded', 'rejected'] },
    evidence: { resolution: { account_id: of.op.account_id, recorded_by: of.op.email } },
  })
  const [one] = ids
  await of.asOperator('POST', `/attention/${one}/resolve`, {
    ...{ outcome: 'succeeded', replaces: 'rejected', note: 'It was there after all.' },
  })
  expect((await of.asOperator('GET', `/attention/${one}`)).body.title).toMatch(/: yes\.$/)
  expect((await shop.asOperator('GET', `/attention/${one}`)).status).toBe(404)
})

test('A payment that was accepted as it is can be read again, and still be refunded', async () => {
  const of = await newShop()
  const order_id = await insertRow('orders', {
    ...{ tenant_id: of.store_id, number: 1, status: 'confirmed', fulfillment_status: 'none', contact_id: newId() },
    ...{ verified: false, source_cart_id: newId(), payment_id: newId(), market: 'us', money: '{}', forms: '[]' },
  })
  const id = await insertRow('payments', {
    ...{ tenant_id: of.store_id, order_id, type: 'card', status: 'paid', currency: 'USD', amount: 500 },
    ...{ provider: 'stripe', captured_amount: 600, error: '{"code": "amount_mismatch", "message": "Another amount."}' },
  })
  const [open] = await listOf(of)
  expect(open).toMatchObject({
    id,
    mend: { method: 'POST', path: expect.stringContaining(`/orders/${order_id}/refunds`) },
  })
  await of.asOperator('POST', `/attention/${id}/resolve`, { outcome: 'accepted', note: 'A tip.' })
  expect(await listOf(of)).toEqual([])
  const [item] = await listOf(of, { status: 'resolved' })
  expect(item).toMatchObject({
    ...{ id, kind: 'payment', status: 'resolved', resolve: null },
    evidence: { resolution: { outcome: 'accepted', note: 'A tip.' } },
  })
})

test('A client that polls is answered 304 while the list is the same, as browsers ask', async () => {
  const of = await newShop()
  await paused(of.store_id, 100)
  for (const at of [`/v1/stores/${of.store_id}/attention`, '/v1/attention']) {
    const first = await page(at, of.op)
    const etag = first.headers.get('etag') as string
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/)
    const again = () =>
      http('GET', at, { headers: { ...of.op.headers, 'if-none-match': `"x", ${etag}`, 'cache-control': 'no-cache' } })
    const same = await again()
    expect([same.status, same.body, same.headers.get('etag')]).toEqual([304, undefined, etag])
    await paused(of.store_id, 200)
    const other = await again()
    expect([other.status, other.headers.get('etag') === etag]).toEqual([200, false])
    expect(other.body.items.length).toBe(first.body.items.length + 1)
  }
})

test('The list of all tenants has those of the caller, and filters by kind, group and tenant', async () => {
  const of = await newShop()
  const second = await newStore(of.op)
  const [one, other] = [await paused(of.store_id, 100), await paused(second.id, 200)]
  const letter = await mail(of.store_id)
  await paused(shop.store_id, 100)
  const all = async (search: Record<string, string> = {}) =>
    (await page('/v1/attention', of.op, { limit: '100', ...search })).body.items.map(({ id }: Item) => id)
  expect(await all()).toEqual([one, other, letter])
  expect(await all({ kind: 'CAMPAIGN,webhook' })).toEqual([one, other])
  expect(await all({ group: 'outcome' })).toEqual([letter])
  expect(await all({ kind: 'campaign', group: 'outcome' })).toEqual([])
  expect(await all({ tenant_id: second.id })).toEqual([other])
  expect(await all({ tenant_id: shop.store_id })).toEqual([])
  expect((await page('/v1/attention', of.op, { kind: 'letter' })).status).toBe(422)
  const items = (await page('/v1/attention', of.op)).body.items as Item[]
  expect(items.map(({ tenant }) => tenant.key)).toEqual([of.store.key, second.key, of.store.key])
})

test('An item of a business is spelled and resolved by its own surface', async () => {
  const salon: Salon = await newSalon()
  await salon.open()
  const id = await mail(salon.shop.store_id)
  const { body } = await salon.op('GET', '/attention')
  const [item] = body.items as Item[]
  expect(item).toMatchObject({
    ...{ id, kind: 'mail', tenant: { id: salon.shop.store_id, kind: 'business' }, dueAt: null },
    evidence: { status: 'unknown', lateEvidence: null, ids: { messageId: id } },
    resolve: {
      path: `/v1/businesses/${salon.shop.store_id}/attention/${id}/resolve`,
      role: 'Owner',
      choices: ['succeeded', 'rejected'],
    },
  })
  const resolved = await http('POST', item?.resolve.path, {
    headers: salon.shop.op.headers,
    body: { outcome: 'rejected', note: 'It is not there.' },
  })
  expect(resolved.body).toEqual({ item: null })
  // The store of that id is hidden by the other surface.
  expect((await page(`/v1/stores/${salon.shop.store_id}/attention`, salon.shop.op)).status).toBe(404)
})

test('What belongs to the installation is shown to its administrators alone, who resolve it', async () => {
  const letter = await mail(null)
  const configuration = await insertRow('portal_configurations', {
    ...{ ...unknown, provider_account_id: `acct_${unique()}` },
  })
  const parked = newId()
  await query(
    `insert into outbox (id, tenant_id, kind, row_id, parked, tries, error) values ($1, $2, 'script', $3, true, 20, '3: No.')`,
    [parked, shop.store_id, newId()],
  )
  for (const [kind, id] of Object.entries({ mail: letter, portal_configuration: configuration, start: parked })) {
    const item = (await found('/v1/platform/attention', platform, id, { kind })) as Item
    expect(item.resolve.role).toBe('platform')
    expect(item.resolve.path).toBe(`/v1/platform/attention/${id}/resolve`)
    expect((await http('POST', item.resolve.path, { headers: shop.op.headers, body: {} })).status).toBe(403)
    const answer = { outcome: item.resolve.choices[0], note: 'Looked it up.' }
    // The answer to the first request may have been lost.
    for (let n = 0; n < 2; n++)
      expect((await http('POST', item.resolve.path, { headers: platform.headers, body: answer })).body).toEqual({
        item: null,
      })
  }
  // What is a tenant's is none of theirs.
  const own = await mail(shop.store_id)
  const refused = await http('POST', `/v1/platform/attention/${own}/resolve`, {
    headers: platform.headers,
    body: { outcome: 'rejected', note: 'Looked it up.' },
  })
  expect(refused.status).toBe(404)
})

test('An unknown request is resolved by one of its choices, and a resolution is corrected', async () => {
  const id = await mail(shop.store_id)
  const record = (outcome: string, more: object = {}) =>
    shop.asOperator('POST', `/attention/${id}/resolve`, { outcome, note: 'Looked it up.', ...more })
  for (const status of ['requested', 'processing', 'succeeded', 'failed', 'rejected']) {
    await query('update mails set status = $2 where id = $1', [id, status])
    expect((await record('rejected')).body.code).toBe('request_not_unknown')
  }
  await query(`update mails set status = 'unknown' where id = $1`, [id])
  for (const outcome of ['accepted', 'start_again'])
    expect((await record(outcome)).body.code).toBe('outcome_not_possible')
  const code = await insertRow('oauth_exchanges', {
    ...{ ...unknown, tenant_id: shop.store_id, kind: 'exchange', provider: 'calendar', code_digest: unique() },
    ...{ connection_id: newId(), integration_id: newId() },
  })
  const tokens = await shop.asOperator('POST', `/attention/${code}/resolve`, { outcome: 'succeeded', note: 'There.' })
  expect(tokens.body).toMatchObject({ code: 'outcome_not_possible', detail: 'Expected `rejected`.' })

  expect((await record('succeeded')).body).toEqual({ item: null })
  // Another operator, who has not seen it, does not overwrite it.
  expect((await record('rejected')).body.code).toBe('resolved_otherwise')
  expect((await record('rejected', { replaces: 'succeeded', note: 'It is not.' })).body).toEqual({ item: null })
  expect(await rowOf('mails', id)).toMatchObject({
    ...{ status: 'rejected', attempt: 1, error: { code: 'resolved' } },
    resolution: {
      ...{ outcome: 'rejected', note: 'It is not.', account_id: shop.op.account_id },
      before: { outcome: 'succeeded' },
    },
  })
  // An answer that came late says otherwise.
  await query(`update mails set late_evidence = '{"status": "succeeded"}' where id = $1`, [id])
  const item = (await listOf(shop)).find((one) => one.id === id) as Item
  expect(item).toMatchObject({
    title: expect.stringContaining('evidence contradicts what was recorded'),
    what_to_do: expect.stringContaining('against the evidence'),
    evidence: { status: 'rejected', resolution: { outcome: 'rejected' } },
  })
  expect((await record('rejected')).body.code).toBe('contradicts_evidence')
  expect((await record('rejected', { force: true })).body).toEqual({ item: null })
  expect(
    (await shop.asOperator('POST', `/attention/${newId()}/resolve`, { outcome: 'rejected', note: 'x' })).status,
  ).toBe(404)
})

test('An item of an e-mail has neither its address nor what its server answered', async () => {
  const id = await mail(shop.store_id, {
    error: '{"code": "outcome_unknown", "message": "550 <ada@example.com> is unknown"}',
    evidence: '{"status": 550, "response": "550 <ada@example.com>"}',
  })
  const item = (await listOf(shop, { kind: 'mail' })).find((one) => one.id === id)
  expect(item?.evidence.error.code).toBe('outcome_unknown')
  expect(JSON.stringify(item)).not.toContain('@')
})

test('An account that is there after all is named, although it was recorded that there is none', async () => {
  const of = await newShop()
  const id = await insertRow('payment_providers', { ...unknown, tenant_id: of.store_id, type: 'stripe', country: 'US' })
  const record = (outcome: string, more: object = {}) =>
    of.asOperator('POST', `/attention/${id}/resolve`, { outcome, note: 'Looked it up.', ...more })
  expect((await record('succeeded')).body.code).toBe('outcome_not_possible')
  await record('rejected')
  await query(`update payment_providers set late_evidence = '{"status": "succeeded"}' where id = $1`, [id])
  const [item] = await listOf(of, { kind: 'connect' })
  expect(item?.resolve.choices).toEqual(['succeeded', 'rejected'])
  expect((await record('succeeded', { replaces: 'rejected' })).body).toEqual({ item: null })
  // No other one is made.
  const address = 'https://shop.example/'
  const again = await of.asOperator('POST', '/payment-providers/stripe/connect', {
    ...{ return_url: address, refresh_url: address, country: 'US' },
  })
  expect(again.body.code).toBe('connect_unknown')
  expect((await rowOf('payment_providers', id)).status).toBe('succeeded')
  // The account is named: what was recorded was about an attempt that is no more.
  const account = `acct_${unique()}`
  await sim('POST', `/accounts/${account}`, { metadata: { tenant_id: of.store_id, payment_provider_id: id } })
  const named = await of.asOperator('POST', '/payment-providers/stripe/connect', {
    ...{ return_url: address, refresh_url: address, connected_account_id: account },
  })
  expect(named.status).toBe(200)
  expect(await rowOf('payment_providers', id)).toMatchObject({ status: 'succeeded', resolution: null })
  for (const status of ['open', 'resolved']) expect(await listOf(of, { kind: 'connect', status })).toEqual([])
})

test('Of a post that was scheduled again, only the record of its newest call is corrected', async () => {
  const of = await newShop()
  const type = 'network_d_account'
  const connection = await insertRow('social_connections', {
    ...{ tenant_id: of.store_id, type, provider_account_id: unique(), name: 'Acme', scopes: '[]', status: 'active' },
    ...{ connected_by: newId(), granted_by: 'x', refreshed_at: 1 },
  })
  const post = { tenant_id: of.store_id, social_connection_id: connection, type }
  const publication_id = await insertRow('social_publications', {
    ...{ ...post, content: JSON.stringify({ type, caption: 'Hello', media_ids: [] }), status: 'unknown', issues: '[]' },
    ...{ created_by: newId(), run: 1, started: true, planned: true },
  })
  const call = (n: number) =>
    insertRow('social_reveals', {
      ...{ ...unknown, ...post, publication_id, run: n, n, not_before: new Date(0), not_after: new Date(1) },
      ...{ subject: '{"kind":"tweet","id":null,"keys":[],"text":"Hello"}', text_digest: '' },
    })
  const ids = async (status: string) => (await listOf(of, { kind: 'social_reveal', status })).map(({ id }) => id)
  const record = async (id: string, outcome: string, more: object = {}) => {
    const { resolve } = (await of.asOperator('GET', `/attention/${id}`)).body
    const body = { outcome, note: 'Looked at the account.', ...more }
    return (await http(resolve.method, resolve.path, { headers: of.op.headers, body })).status
  }
  const before = await call(1)
  expect(await record(before, 'failed')).toBe(200)
  expect(await ids('resolved')).toEqual([before])
  // It is scheduled again, and the next call is lost, too.
  await query(`update social_publications set status = 'unknown', run = 2, resolution = null where id = $1`, [
    publication_id,
  ])
  const newest = await call(2)
  expect([await ids('open'), await ids('resolved')]).toEqual([[newest], []])
  expect(await record(newest, 'failed')).toBe(200)
  expect(await ids('resolved')).toEqual([newest])
  expect((await of.asOperator('GET', `/attention/${before}`)).status).toBe(404)
  await query(`update social_reveals set late_evidence = '{"status":"succeeded"}' where id = $1`, [before])
  expect([await ids('open'), await ids('resolved')]).toEqual([[], [newest]])
  expect(await record(newest, 'published', { replaces: 'failed' })).toBe(200)
  expect((await rowOf('social_reveals', before)).status).toBe('rejected')
})

test('Of an unknown refresh only its failure is recorded, so that no token is sent twice', async () => {
  const type = 'network_b_business'
  const connection = await insertRow('social_connections', {
    ...{ tenant_id: shop.store_id, type, provider_account_id: unique(), name: 'Acme', scopes: '[]', status: 'active' },
    ...{ connected_by: newId(), granted_by: 'x', refreshed_at: 1, token_version: 1 },
  })
  const request = { tenant_id: shop.store_id, social_connection_id: connection, type, token_version: 1 }
  const choicesOf = async (kind: string) => {
    const id = await insertRow('social_token_requests', { ...unknown, ...request, kind })
    const item = (await listOf(shop, { kind: 'social_token_request' })).find((one) => one.id === id)
    return item?.resolve.choices
  }
  expect(await choicesOf('refresh')).toEqual(['rejected'])
  expect(await choicesOf('revoke')).toEqual(['succeeded', 'rejected'])
})

test('After an account was not found at the provider, the next connection makes one', async () => {
  const of = await newShop()
  const connect = (more: object = {}) =>
    of.asOperator('POST', '/payment-providers/stripe/connect', {
      ...{ return_url: 'https://shop.example/', refresh_url: 'https://shop.example/', country: 'US', ...more },
    })
  const id = await insertRow('payment_providers', { ...unknown, tenant_id: of.store_id, type: 'stripe', country: 'US' })
  expect((await connect()).body.code).toBe('connect_unknown')
  const [item] = await listOf(of, { kind: 'connect' })
  expect(item).toMatchObject({ id, resolve: { choices: ['rejected'] } })
  expect(
    (await http('POST', item?.resolve.path, { headers: of.op.headers, body: { outcome: 'rejected', note: 'None.' } }))
      .status,
  ).toBe(200)
  expect((await connect()).status).toBe(200)
  expect((await rowOf('payment_providers', id)) === undefined).toBe(true)
})
