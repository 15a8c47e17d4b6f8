// Whether an audience's e-mail reaches a member follows the address that it shows: its bounces, complaints, consent,
// and the opt-outs of the address.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { decrypt } from '../../entities/kit/encrypted.ts'
import { newId } from '../../entities/kit/ids.ts'
import { memberOf, newAudience, newConfirmation, newContact, tokenIn } from '../kit/audiences/audiences.ts'
import { mailTo, prove } from '../kit/codes.ts'
import {
  type Answer,
  database,
  eitherApi,
  http,
  newEmail,
  newShop,
  operator,
  type Shop,
  unique,
  type Visitor,
} from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
  const webhook = {
    key: unique(),
    url: 'http://127.0.0.1:9/',
    headers: {},
    secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    enabled: true,
  }
  const events = ['added', 'email_unsubscribed', 'email_resubscribed'].map((name) => ({
    event: `audience.member_${name}`,
  }))
  const hook = await shop.asOperator('POST', '/webhooks', { ...webhook, events })
  if (hook.status !== 201) throw new Error(JSON.stringify(hook.body))
})
afterAll(() => database().end())

const codeOf = ({ status, body }: Answer) => [status, body.code]
const add = async (audience: string, contact_id: string) =>
  (await shop.asOperator('POST', `/audiences/${audience}/members`, { contact_id })).body
const importOf = (audience: string, email: string) =>
  shop.asOperator('POST', `/audiences/${audience}/members/import`, { rows: [{ email }] })
const subscribe = async (visitor: Visitor, audience: string) =>
  (await visitor.call('POST', `/audiences/${audience}/subscribe`, {}, eitherApi())).body.member
const link = (path: string, token: string) =>
  http('POST', `/v1/customer/audiences/${path}?token=${token}`, { base: eitherApi() })
const deliveryOf = async (audience: string, contact: string) =>
  (await memberOf(shop, audience, contact)).delivery_status
const eventsOf = async (audience: string): Promise<string[]> =>
  (
    await database().query(
      `select type from events where tenant_id = $1 and data->'member'->>'audience_id' = $2 order by id`,
      [shop.store_id, audience],
    )
  ).rows.map(({ type }) => type.replace('audience.member_', ''))
const manageOf = async (audience: string, contact: string) => {
  const { rows } = await database().query(
    "select t.value from member_tokens t join audience_members m on m.id = t.member_id where m.audience_id = $1 and m.contact_id = $2 and t.scope = 'manage'",
    [audience, contact],
  )
  return decrypt(rows[0].value)
}
const channelOf = async (contact: string) =>
  (await shop.asOperator('GET', `/contacts/${contact}/channels`)).body.items[0]
const change = async (contact: string, body: object) => {
  const { id } = await channelOf(contact)
  return shop.asOperator('PUT', `/contacts/${contact}/channels/${id}`, body, eitherApi())
}

test.each([
  ['bounced', { status: 'bounced' }, { status: 'active' }, 'bounced'],
  ['complained', { status: 'complained' }, { status: 'active' }, 'complained'],
  ['withdrew its consent', { consent: { status: 'withdrawn' } }, { consent: { status: 'granted' } }, 'unsubscribed'],
])(
  'E-mail stops for every member whose address %s, until an owner lifts it',
  async (_, suppressing, lifting, expected) => {
    const [one, two] = [await newAudience(shop), await newAudience(shop, 'private')]
    const contact = await newContact(shop)
    const claimant = await shop.visitor(contact.email)
    await add(one.id, contact.id)
    await add(two.id, contact.id)
    await subscribe(claimant, one.id)
    const token = await manageOf(one.id, contact.id)
    expect((await change(contact.id, suppressing)).status).toBe(200)
    for (const [audience, id] of [...[one, two].map((to) => [to.id, contact.id]), [one.id, claimant.contact_id]] as [
      string,
      string,
    ][])
      expect(await deliveryOf(audience, id)).toBe(expected)
    expect(await channelOf(claimant.contact_id)).toMatchObject(suppressing)
    const filtered = await shop.asOperator('GET', `/audiences/${one.id}/members?delivery_status=${expected}`)
    expect(filtered.body.items).toHaveLength(2)
    expect(codeOf(await link('resubscribe', token))).toEqual([409, 'delivery_suppressed'])
    // A member that joins with the address, also as another contact, begins with what is known of it.
    const late = await newAudience(shop)
    const third = await shop.visitor(contact.email)
    await subscribe(third, late.id)
    expect(await deliveryOf(late.id, third.contact_id)).toBe(expected)
    expect((await add(late.id, contact.id)).delivery_status).toBe(expected)
    expect((await change(contact.id, lifting)).status).toBe(200)
    expect([
      await deliveryOf(one.id, contact.id),
      await deliveryOf(one.id, claimant.contact_id),
      await deliveryOf(late.id, contact.id),
    ]).toEqual(Array(3).fill('subscribed'))
    expect(await eventsOf(two.id)).toEqual(['added', 'email_unsubscribed', 'email_resubscribed'])
  },
)

test('Lifting a bounce leaves an opt-out, and an opt-out leaves a bounce', async () => {
  const { id } = await newAudience(shop)
  const visitor = await shop.visitor(newEmail())
  const token = tokenIn((await subscribe(visitor, id)).manage_url)
  await change(visitor.contact_id, { status: 'bounced' })
  expect((await link('unsubscribe', token)).body.delivery_status).toBe('unsubscribed')
  expect(await deliveryOf(id, visitor.contact_id)).toBe('bounced')
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
  expect(
    codeOf(await shop.as(admin, 'POST', `/contacts/${other.id}/channels`, { ...channel, status: 'active' })),
  ).toEqual([403, 'forbidden'])
  expect((await shop.as(admin, 'POST', `/contacts/${other.id}/channels`, channel)).body).toMatchObject(known)
  expect(await channelOf((await shop.visitor(email)).contact_id)).toMatchObject(known)
  const imported = newEmail()
  await change((await shop.visitor(imported)).contact_id, { status: 'bounced' })
  const { id } = await newAudience(shop)
  expect((await importOf(id, imported)).status).toBe(200)
  const [member] = (await shop.asOperator('GET', `/audiences/${id}/members`)).body.items
  expect([member.delivery_status, (await channelOf(member.contact_id)).status]).toEqual(['bounced', 'bounced'])
})

const byEmail = async (audience: string, email: string) =>
  (await shop.asOperator('GET', `/audiences/${audience}/members`)).body.items.find(
    ({ contact }: { contact: { email: string } }) => contact.email === email,
  )

/** A contact that owns the address, and is a member. */
async function owning(audience: string, email = newEmail('owner')) {
  await importOf(audience, email)
  const { contact_id } = await byEmail(audience, email)
  return { contact_id, email, token: await manageOf(audience, contact_id) }
}

test('A contact that only claims an address silences itself alone, and members created later', async () => {
  const { id } = await newAudience(shop)
  const owner = await owning(id)
  const [first, second, third] = [
    await shop.visitor(owner.email),
    await shop.visitor(owner.email),
    await shop.visitor(owner.email),
  ]
  const token = tokenIn((await subscribe(first, id)).manage_url)
  await subscribe(second, id)
  await link('unsubscribe', token)
  const statusOf = ({ contact_id }: { contact_id: string }) => deliveryOf(id, contact_id)
  expect([await statusOf(owner), await statusOf(first), await statusOf(second)]).toEqual([
    'subscribed',
    'unsubscribed',
    'subscribed',
  ])
  await subscribe(third, id)
  expect(await statusOf(third)).toBe('unsubscribed')
  await link('resubscribe', token)
  expect([await statusOf(first), await statusOf(second)]).toEqual(['subscribed', 'subscribed'])
})

test.each([
  ['imported', (audience: string, { email }: { email: string }) => importOf(audience, email)],
  ['added', (audience: string, { id }: { id: string }) => add(audience, id)],
])('A member that is %s with an address of which a claimant opted out begins opted out', async (_, join) => {
  const { id } = await newAudience(shop)
  const contact = await newContact(shop)
  const claimant = await shop.visitor(contact.email)
  await link('unsubscribe', tokenIn((await subscribe(claimant, id)).manage_url))
  // The opt-out stays with the address.
  await claimant.call('POST', '/account/identify', { email: newEmail() }, eitherApi())
  await join(id, contact)
  expect(await deliveryOf(id, contact.id)).toBe('unsubscribed')
  await change(contact.id, { consent: { status: 'granted' } })
  expect(await deliveryOf(id, contact.id)).toBe('unsubscribed')
  // To own the address is enough.
  const token = await manageOf(id, contact.id)
  expect((await link('resubscribe', token)).body.delivery_status).toBe('subscribed')
  await shop.asOperator('DELETE', `/audiences/${id}/members/${(await memberOf(shop, id, contact.id)).id}`)
  expect((await add(id, contact.id)).delivery_status).toBe('subscribed')
})

test('An opt-out of the owner holds for every member with the address until the owner opts in', async () => {
  const [one, two] = [await newAudience(shop), await newAudience(shop)]
  const owner = await owning(one.id)
  const [before, later] = [await shop.visitor(owner.email), await shop.visitor(owner.email)]
  const token = tokenIn((await subscribe(before, one.id)).manage_url)
  await link('unsubscribe', owner.token)
  await subscribe(later, one.id)
  await importOf(one.id, owner.email)
  expect((await add(two.id, owner.contact_id)).delivery_status).toBe('subscribed')
  const all = async () => Promise.all([owner, before, later].map(({ contact_id }) => deliveryOf(one.id, contact_id)))
  expect(await all()).toEqual(Array(3).fill('unsubscribed'))
  await link('resubscribe', token)
  expect(await all()).toEqual(Array(3).fill('unsubscribed'))
  await link('resubscribe', owner.token)
  expect(await all()).toEqual(Array(3).fill('subscribed'))
})

test('A contact that only claims an address is shown its own opt-out alone', async () => {
  const { id } = await newAudience(shop)
  for (const known of [{ status: 'bounced' }, { status: 'complained' }, { consent: { status: 'withdrawn' } }, null]) {
    const owner = await owning(id)
    if (known) await change(owner.contact_id, known)
    else await link('unsubscribe', owner.token)
    const claimant = await shop.visitor(owner.email)
    const { delivery_status, manage_url } = await subscribe(claimant, id)
    const token = tokenIn(manage_url)
    const manage = await http('GET', `/v1/customer/audiences/manage?token=${token}`)
    const { member } = (await claimant.call('GET', `/audiences/${id}/access`)).body
    const answers = [
      delivery_status,
      manage.body.delivery_status,
      member.delivery_status,
      (await link('resubscribe', token)).body.delivery_status,
    ]
    expect(answers).toEqual(Array(4).fill('subscribed'))
    expect(await deliveryOf(id, claimant.contact_id)).not.toBe('subscribed')
  }
})

/** A link that was mailed to the address, for one-click unsubscribing. */
async function mailedTo(member: string): Promise<string> {
  const token = `till_ml_${member}`.padEnd(51, 'x')
  await database().query(
    `insert into member_tokens (id, created_at, updated_at, tenant_id, member_id, scope, digest, value, address)
     select $1, 1, 1, $2, m.id, 'unsubscribe', encode(sha256(convert_to($4, 'utf8')), 'hex'), 'x', k.address
     from audience_members m join contact_channels k on k.contact_id = m.contact_id and k.type = 'email' where m.id = $3 limit 1`,
    [newId(), shop.store_id, member, token],
  )
  return token
}

test('An opt-out by a link that was mailed stays with the address when the member shows another', async () => {
  const { id } = await newAudience(shop)
  const owner = await owning(id)
  const [claimant, there] = [await shop.visitor(owner.email), await shop.visitor(newEmail('there'))]
  const { email } = (await subscribe(there, id)).contact
  await link('unsubscribe', await mailedTo((await subscribe(claimant, id)).id))
  expect(await deliveryOf(id, owner.contact_id)).toBe('unsubscribed')
  await claimant.call('POST', '/account/identify', { email }, eitherApi())
  await change(owner.contact_id, { consent: { status: 'granted' } })
  const next = await shop.visitor(owner.email)
  await subscribe(next, id)
  const statuses = [owner, claimant, next, there].map(({ contact_id }) => deliveryOf(id, contact_id))
  expect(await Promise.all(statuses)).toEqual(['unsubscribed', 'unsubscribed', 'unsubscribed', 'subscribed'])
  expect(await eventsOf(id)).not.toContain('email_resubscribed')
})

test('An opt-out stays with the address of a contact that is merged or gets another', async () => {
  const { id } = await newAudience(shop)
  const [source, target, changed] = [await owning(id), await owning(id), await owning(id)]
  for (const { token } of [source, changed]) await link('unsubscribe', token)
  expect(
    (await shop.asOperator('POST', `/contacts/${target.contact_id}/merge`, { source_contact_id: source.contact_id }))
      .status,
  ).toBe(200)
  await shop.asOperator('PUT', `/contacts/${changed.contact_id}`, { email: newEmail() })
  expect(await deliveryOf(id, target.contact_id)).toBe('unsubscribed')
  for (const { email } of [source, changed]) {
    const claimant = await shop.visitor(email)
    await subscribe(claimant, id)
    expect(await deliveryOf(id, claimant.contact_id)).toBe('unsubscribed')
  }
  await importOf(id, changed.email)
  expect((await byEmail(id, changed.email)).delivery_status).toBe('unsubscribed')
})

test('Who confirms the address ends the opt-outs of the address in the audience', async () => {
  const [open, confirmation] = [await newAudience(shop), await newConfirmation(shop)]
  const email = newEmail()
  const [claimant, owner] = [await shop.visitor(email), await shop.visitor()]
  await link('unsubscribe', tokenIn((await subscribe(claimant, open.id)).manage_url))
  const { id } = await subscribe(claimant, confirmation.id)
  await link('unsubscribe', await mailedTo(id))
  expect(await deliveryOf(confirmation.id, claimant.contact_id)).toBe('unsubscribed')
  await link('confirm', tokenIn(/https?:\S+/.exec((await mailTo(email)).text)?.[0] as string))
  expect(await deliveryOf(confirmation.id, claimant.contact_id)).toBe('subscribed')
  expect(await deliveryOf(open.id, claimant.contact_id)).toBe('unsubscribed')
  await prove(owner, email, 2)
  expect((await subscribe(owner, open.id)).delivery_status).toBe('subscribed')
})

test('An opt-out does not wait for those who are joining the audience', async () => {
  const { id } = await newAudience(shop)
  const token = tokenIn((await subscribe(await shop.visitor(newEmail()), id)).manage_url)
  const joining = await database().connect()
  try {
    await joining.query('begin')
    await joining.query('select 1 from audiences where id = $1 for share', [id])
    expect((await link('unsubscribe', token)).status).toBe(200)
  } finally {
    await joining.query('rollback')
    joining.release()
  }
})

test('An opt-out beside a contact that claims the address leaves no member subscribed', async () => {
  for (let round = 0; round < 4; round++) {
    const { id } = await newAudience(shop)
    const owner = await owning(id)
    const visitors = await Promise.all([1, 2, 3].map(() => shop.visitor(newEmail('other'))))
    for (const visitor of visitors) await subscribe(visitor, id)
    const answers = await Promise.all([
      ...visitors.map((visitor) => visitor.call('POST', '/account/identify', { email: owner.email }, eitherApi())),
      link('unsubscribe', owner.token),
    ])
    expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(200))
    const { items } = (await shop.asOperator('GET', `/audiences/${id}/members?delivery_status=subscribed`)).body
    expect(items).toEqual([])
  }
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
      ...visitors.map(({ contact_id }) =>
        change(contact_id, { status: round % 2 ? 'bounced' : 'active', consent: { status: 'withdrawn' } }),
      ),
    ])
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(200))
    const { items } = (await shop.asOperator('GET', `/audiences/${id}/members`)).body
    expect(items.map(({ delivery_status }: { delivery_status: string }) => delivery_status)).toEqual(
      Array(5).fill(expect.stringMatching(/^(unsubscribed|bounced)$/)),
    )
  }
})

test('An import silences addresses that another system knows, and lifts nothing', async () => {
  const [{ id }, { id: other }] = [await newAudience(shop), await newAudience(shop)]
  const emails = ['unsubscribed', 'bounced', 'complained', 'subscribed'].map(
    (status) => [status, newEmail(status)] as const,
  )
  const send = (rows: object[], base?: string) =>
    shop.asOperator('POST', `/audiences/${id}/members/import`, { rows }, base)
  const known = emails.slice(0, 2).map(([, email]) => ({ email }))
  await shop.asOperator('POST', `/audiences/${other}/members/import`, { rows: known })
  expect((await send(known)).status).toBe(200)
  const rows = emails.map(([delivery_status, email]) => ({ email, delivery_status }))
  const answers = await Promise.all([send(rows, eitherApi()), send([...rows].reverse(), eitherApi())])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  const statuses = async (audience: string) =>
    Object.fromEntries(
      (await shop.asOperator('GET', `/audiences/${audience}/members`)).body.items.map(
        (member: { contact: { email: string }; delivery_status: string }) => [
          member.contact.email,
          member.delivery_status,
        ],
      ),
    )
  expect(await statuses(id)).toEqual(Object.fromEntries(emails.map(([status, email]) => [email, status])))
  // An opt-out is of one audience, a bounce is of the address.
  expect(await statuses(other)).toEqual({
    [emails[0]?.[1] as string]: 'subscribed',
    [emails[1]?.[1] as string]: 'bounced',
  })
  await send(emails.map(([, email]) => ({ email, delivery_status: 'subscribed' })))
  expect(await statuses(id)).toEqual(Object.fromEntries(emails.map(([status, email]) => [email, status])))
  expect((await send([{ email: newEmail(), delivery_status: 'gone' }])).status).toBe(422)
})
