// Whether an audience's e-mail reaches a member follows the address that it shows: its bounces, complaints, consent, and the opt-outs of members with the same address.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { memberOf, newAudience, newConfirmation, newContact, tokenIn } from '../kit/audiences.ts'
import { mailTo, prove } from '../kit/codes.ts'
import { type Answer, database, eitherApi, http, newEmail, newShop, operator, type Shop, unique, type Visitor } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
  const webhook = { key: unique(), url: 'http://127.0.0.1:9/', headers: {}, secret: `whsec_${Buffer.alloc(32).toString('base64')}`, enabled: true }
  const events = ['added', 'email_unsubscribed', 'email_resubscribed'].map((name) => ({ event: `audience.member_${name}` }))
  const hook = await shop.asOperator('POST', '/webhooks', { ...webhook, events })
  if (hook.status !== 201) throw new Error(JSON.stringify(hook.body))
})
afterAll(() => database().end())

const codeOf = ({ status, body }: Answer) => [status, body.code]
const add = async (audience: string, contact_id: string) => (await shop.asOperator('POST', `/audiences/${audience}/members`, { contact_id })).body
const importOf = (audience: string, email: string) => shop.asOperator('POST', `/audiences/${audience}/members/import`, { rows: [{ email }] })
const subscribe = async (visitor: Visitor, audience: string) => (await visitor.call('POST', `/audiences/${audience}/subscribe`, {}, eitherApi())).body.member
const link = (path: string, token: string) => http('POST', `/v1/customer/audiences/${path}?token=${token}`, { base: eitherApi() })
const deliveryOf = async (audience: string, contact: string) => (await memberOf(shop, audience, contact)).delivery_status
const eventsOf = async (audience: string): Promise<string[]> =>
  (
    await database().query(`select type from events where tenant_id = $1 and data->'member'->>'audience_id' = $2 order by id`, [shop.store_id, audience])
  ).rows.map(({ type }) => type.replace('audience.member_', ''))
const channelOf = async (contact: string) => (await shop.asOperator('GET', `/contacts/${contact}/channels`)).body.items[0]
const change = async (contact: string, body: object) => {
  const { id } = await channelOf(contact)
  return shop.asOperator('PUT', `/contacts/${contact}/channels/${id}`, body, eitherApi())
}

test.each([
  ['bounced', { status: 'bounced' }, { status: 'active' }, 'bounced'],
  ['complained', { status: 'complained' }, { status: 'active' }, 'complained'],
  ['withdrew its consent', { consent: { status: 'withdrawn' } }, { consent: { status: 'granted' } }, 'unsubscribed'],
])('E-mail stops for every member whose address %s, until an owner lifts it', async (_, suppressing, lifting, expected) => {
  const [one, two] = [await newAudience(shop), await newAudience(shop, 'private')]
  const contact = await newContact(shop)
  const claimant = await shop.visitor(contact.email)
  await add(one.id, contact.id)
  await add(two.id, contact.id)
  const token = tokenIn((await subscribe(claimant, one.id)).manage_url)
  expect((await change(contact.id, suppressing)).status).toBe(200)
  for (const [audience, id] of [...[one, two].map((to) => [to.id, contact.id]), [one.id, claimant.contact_id]] as [string, string][])
    expect(await deliveryOf(audience, id)).toBe(expected)
  expect(await channelOf(claimant.contact_id)).toMatchObject(suppressing)
  const filtered = await shop.asOperator('GET', `/audiences/${one.id}/members?delivery_status=${expected}`)
  expect(filtered.body.items).toHaveLength(2)
  expect(codeOf(await link('resubscribe', token))).toEqual([409, 'delivery_suppressed'])
  // A member that joins with the address, also as another contact, begins with what is known of it.
  const late = await newAudience(shop)
  expect((await subscribe(await shop.visitor(contact.email), late.id)).delivery_status).toBe(expected)
  expect((await add(late.id, contact.id)).delivery_status).toBe(expected)
  expect((await change(contact.id, lifting)).status).toBe(200)
  expect([await deliveryOf(one.id, contact.id), await deliveryOf(one.id, claimant.contact_id), await deliveryOf(late.id, contact.id)]).toEqual(
    Array(3).fill('subscribed'),
  )
  expect(await eventsOf(two.id)).toEqual(['added', 'email_unsubscribed', 'email_resubscribed'])
})

test('Lifting a bounce leaves an opt-out, and an opt-out leaves a bounce', async () => {
  const { id } = await newAudience(shop)
  const visitor = await shop.visitor(newEmail())
  const token = tokenIn((await subscribe(visitor, id)).manage_url)
  await change(visitor.contact_id, { status: 'bounced' })
  expect((await link('unsubscribe', token)).body.delivery_status).toBe('bounced')
  await change(visitor.contact_id, { status: 'active' })
  expect(await deliveryOf(id, visitor.contact_id)).toBe('unsubscribed')
  expect((await link('resubscribe', token)).body.delivery_status).toBe('subscribed')
  expect(await eventsOf(id)).toEqual(['added', 'email_unsubscribed', 'email_resubscribed'])
})

test('A member whose contact gets another address is reached there again', async () => {
  const { id } = await newAudience(shop)
  const contact = await newContact(shop)
  await add(id, contact.id)
  await change(contact.id, { status: 'bounced' })
  await shop.asOperator('PUT', `/contacts/${contact.id}`, { email: newEmail() })
  expect(await deliveryOf(id, contact.id)).toBe('subscribed')
  await shop.asOperator('PUT', `/contacts/${contact.id}`, { email: contact.email })
  expect(await deliveryOf(id, contact.id)).toBe('bounced')
})

test('A suppressed address stays suppressed for later contacts, and an admin cannot lift it', async () => {
  const email = newEmail()
  const claimant = await shop.visitor(email)
  await change(claimant.contact_id, { status: 'complained', consent: { status: 'withdrawn', source: 'letter' } })
  const known = { status: 'complained', consent: { status: 'withdrawn', source: 'letter' } }
  const other = await newContact(shop)
  const admin = await operator()
  await database().query(
    "insert into team_members (id, created_at, updated_at, tenant_id, account_id, role) values (gen_random_uuid(), 1, 1, $1, $2, 'admin')",
    [shop.store_id, admin.account_id],
  )
  const channel = { type: 'email', address: email }
  expect(codeOf(await shop.as(admin, 'POST', `/contacts/${other.id}/channels`, { ...channel, status: 'active' }))).toEqual([403, 'forbidden'])
  expect((await shop.as(admin, 'POST', `/contacts/${other.id}/channels`, channel)).body).toMatchObject(known)
  expect(await channelOf((await shop.visitor(email)).contact_id)).toMatchObject(known)
  const imported = newEmail()
  await change((await shop.visitor(imported)).contact_id, { status: 'bounced' })
  const { id } = await newAudience(shop)
  expect((await importOf(id, imported)).status).toBe(200)
  const [member] = (await shop.asOperator('GET', `/audiences/${id}/members`)).body.items
  expect([member.delivery_status, (await channelOf(member.contact_id)).status]).toEqual(['bounced', 'bounced'])
})

test('The opt-out of an address holds for members that show it, imported, added or joined', async () => {
  const { id } = await newAudience(shop)
  const email = newEmail()
  const [first, second, third] = [await shop.visitor(email), await shop.visitor(email), await shop.visitor(email)]
  const tokens = [tokenIn((await subscribe(first, id)).manage_url), tokenIn((await subscribe(second, id)).manage_url)] as [string, string]
  await link('unsubscribe', tokens[0])
  expect(await deliveryOf(id, second.contact_id)).toBe('unsubscribed')
  expect((await subscribe(third, id)).delivery_status).toBe('unsubscribed')
  await importOf(id, email)
  const owner = (await shop.asOperator('GET', `/contacts?query=${encodeURIComponent(email)}`)).body.items.find(
    (one: { id: string }) => ![first, second, third].some(({ contact_id }) => contact_id === one.id),
  )
  expect(await deliveryOf(id, owner.id)).toBe('unsubscribed')
  // Only the one who opted out opts in again, or who proves the address; another audience is not concerned.
  expect(codeOf(await link('resubscribe', tokens[1]))).toEqual([409, 'delivery_suppressed'])
  expect((await add((await newAudience(shop)).id, owner.id)).delivery_status).toBe('subscribed')
  await link('resubscribe', tokens[0])
  for (const contact of [first, second, third]) expect(await deliveryOf(id, contact.contact_id)).toBe('subscribed')
  expect(await deliveryOf(id, owner.id)).toBe('subscribed')
})

test('Who proves the address ends the opt-outs of those who only claimed it', async () => {
  const [open, confirmation] = [await newAudience(shop), await newConfirmation(shop)]
  const email = newEmail()
  const [claimant, owner] = [await shop.visitor(email), await shop.visitor()]
  for (const { id } of [open]) await link('unsubscribe', tokenIn((await subscribe(claimant, id)).manage_url))
  await subscribe(claimant, confirmation.id)
  const { rows } = await database().query('update audience_members set opted_out = true, delivery_status = $2 where audience_id = $1 returning id', [
    ...[confirmation.id, 'unsubscribed'],
  ])
  expect(rows).toHaveLength(1)
  await link('confirm', tokenIn(/https:\S+/.exec((await mailTo(email)).text)?.[0] as string))
  expect(await deliveryOf(confirmation.id, claimant.contact_id)).toBe('subscribed')
  await prove(owner, email, 2)
  expect((await subscribe(owner, open.id)).delivery_status).toBe('subscribed')
})

test('Concurrent opt-outs, bounces and imports of one address leave no member subscribed', async () => {
  for (let round = 0; round < 4; round++) {
    const { id } = await newAudience(shop)
    const email = newEmail()
    const visitors = [await shop.visitor(email), await shop.visitor(email)]
    const tokens = []
    for (const visitor of visitors) tokens.push(tokenIn((await subscribe(visitor, id)).manage_url))
    const late = await Promise.all([shop.visitor(email), shop.visitor(email)])
    const answers = await Promise.all([
      ...late.map((visitor) => visitor.call('POST', `/audiences/${id}/subscribe`, {}, eitherApi())),
      importOf(id, email),
      ...tokens.map((token) => link('unsubscribe', token)),
      ...visitors.map(({ contact_id }) => change(contact_id, { status: round % 2 ? 'bounced' : 'active', consent: { status: 'withdrawn' } })),
    ])
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(200))
    const { items } = (await shop.asOperator('GET', `/audiences/${id}/members`)).body
    expect(items.map(({ delivery_status }: { delivery_status: string }) => delivery_status)).toEqual(
      Array(5).fill(expect.stringMatching(/^(unsubscribed|bounced)$/)),
    )
  }
})
