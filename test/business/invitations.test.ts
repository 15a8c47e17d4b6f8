// An invited address joins a team with the token of the e-mail: once, as the invited account, and with a role that its
// inviter may still grant.
import { afterAll, expect, test } from '@jest/globals'
import { invitationLink } from '../../rules/stores/invitations.ts'
import { mailTo } from '../kit/codes.ts'
import {
  type Answer,
  database,
  eitherApi,
  http,
  newEmail,
  newShop,
  type Operator,
  operator,
  type Shop,
} from '../kit/shop.ts'

afterAll(async () => database().end())

async function newBusiness(): Promise<Shop> {
  const shop = await newShop({ settings: { name: 'Old Town <Salon>' } })
  await database().query("update tenants set kind = 'business' where id = $1", [shop.store_id])
  return shop
}
type Role = 'Admin' | 'Owner' | 'Super'
const at = ({ store_id }: Shop) => `/v1/businesses/${store_id}`
const post = (shop: Shop, by: Operator, body: object, base?: string) =>
  http('POST', `${at(shop)}/invitation`, { headers: by.headers, body, base })
const invite = (shop: Shop, email: string, role?: Role, by = shop.op, base?: string) =>
  post(shop, by, { email, role }, base)
const accept = (shop: Shop, by: Operator, token: string, base?: string) =>
  post(shop, by, { token, action: 'ACCEPT' }, base)
const tokenIn = ({ text }: { text: string }) => /till_iv_[\w-]{43}/.exec(text)?.[0] as string
const tokenFor = async (email: string, count = 1) => tokenIn(await mailTo(email, count))
const teamOf = async (shop: Shop, by = shop.op): Promise<Record<string, Role>> => {
  const { body } = await http('GET', `${at(shop)}/members`, { headers: by.headers })
  return Object.fromEntries(body.items.map(({ email, role }: { email: string; role: Role }) => [email, role]))
}
const said = ({ status, body }: Answer) => [status, body.code ?? body.status]
const add = async (shop: Shop, role: Role): Promise<Operator> => {
  const op = await operator()
  expect(
    (await http('POST', `${at(shop)}/members`, { headers: shop.op.headers, body: { email: op.email, role } })).status,
  ).toBe(201)
  return op
}
const mailsTo = async (email: string): Promise<unknown[]> =>
  (await fetch(`${process.env.TEST_MAIL}/messages?to=${encodeURIComponent(email)}`)).json() as never
/** As if this many seconds had passed for the invitations of the business. */
const age = (shop: Shop, seconds: number) =>
  database().query(
    'update invitations set mailed_at = mailed_at - $2, expires_at = expires_at - $2 where tenant_id = $1',
    [shop.store_id, seconds],
  )

test('An invited address joins with the token of its e-mail, which no answer and no column has', async () => {
  const shop = await newBusiness()
  const guest = await operator()
  const made = await invite(shop, guest.email.toUpperCase())
  expect([made.status, made.body]).toEqual([
    201,
    {
      ...{
        id: expect.any(String),
        email: guest.email,
        role: 'Admin',
        status: 'pending',
        invitedBy: shop.op.account_id,
      },
      ...{ expiresAt: made.body.createdAt + 7 * 86_400, createdAt: expect.any(Number), updatedAt: expect.any(Number) },
    },
  ])
  const mail = await mailTo(guest.email)
  const token = tokenIn(mail)
  expect([mail.subject, mail.html.includes('Old Town &#60;Salon&#62;')]).toEqual([
    'Invitation to the team of Old Town <Salon>',
    true,
  ])
  const { rows } = await database().query(
    'select i::text as row, m.request from invitations i, mails m where i.tenant_id = $1 and m.tenant_id = $1',
    [shop.store_id],
  )
  expect(JSON.stringify([made.body, rows])).not.toContain(token.slice(8))
  const accepted = await accept(shop, guest, token)
  expect([accepted.status, accepted.body]).toMatchObject([200, { id: made.body.id, status: 'accepted' }])
  expect(await teamOf(shop, guest)).toEqual({ [shop.op.email]: 'Super', [guest.email]: 'Admin' })
})

test('A role beside a token is refused for that, and a role that does not exist with the roles', async () => {
  const shop = await newBusiness()
  const detailsOf = async (body: object) =>
    (await post(shop, shop.op, body)).body.errors.map(({ pointer, detail }: { pointer: string; detail: string }) => [
      pointer,
      detail,
    ])
  expect(await detailsOf({ token: 'a', action: 'ACCEPT', role: 'Admin' })).toEqual([
    ['/role', 'Cannot be sent together with `token` and `action`.'],
  ])
  expect(await detailsOf({ email: newEmail(), role: 'Chief' })).toEqual([
    ['/role', 'Expected one of: Admin, Owner, Super.'],
  ])
})

test('An invitation is used once by twenty at once, over two servers', async () => {
  const shop = await newBusiness()
  const guest = await operator()
  await invite(shop, guest.email, 'Owner')
  const token = await tokenFor(guest.email)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      post(shop, guest, { token, action: n % 2 === 0 ? 'ACCEPT' : 'REJECT' }, eitherApi()),
    ),
  )
  const used = answers.filter(({ status }) => status === 200)
  expect(used).toHaveLength(1)
  expect(answers.filter((answer) => answer !== used[0]).map(said)).toEqual(
    Array.from({ length: 19 }, () => [409, 'invitation_over']),
  )
  expect(await teamOf(shop)).toEqual({
    [shop.op.email]: 'Super',
    ...(used[0]?.body.status === 'accepted' ? { [guest.email]: 'Owner' } : {}),
  })
})

test('Twenty invitations of an address at once are one pending invitation and one e-mail', async () => {
  const shop = await newBusiness()
  const guest = await operator()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => invite(shop, guest.email, 'Admin', shop.op, eitherApi())),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201])
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  await mailTo(guest.email)
  const { rows } = await database().query(
    "select count(*)::int as mails from mails where tenant_id = $1 and kind = 'invitation'",
    [shop.store_id],
  )
  expect([rows[0].mails, (await mailsTo(guest.email)).length]).toEqual([1, 1])
})

test('Another invitation within a minute changes the role; a later one replaces the token', async () => {
  const shop = await newBusiness()
  const guest = await operator()
  const first = await invite(shop, guest.email)
  const token = await tokenFor(guest.email)
  expect((await invite(shop, guest.email, 'Owner')).body).toMatchObject({
    id: first.body.id,
    role: 'Owner',
    expiresAt: first.body.expiresAt,
  })
  await age(shop, 61)
  expect(said(await invite(shop, guest.email, 'Owner'))).toEqual([200, 'pending'])
  const next = await tokenFor(guest.email, 2)
  expect(said(await accept(shop, guest, token))).toEqual([404, 'not_found'])
  expect(said(await accept(shop, guest, next))).toEqual([200, 'accepted'])
  expect((await teamOf(shop))[guest.email]).toBe('Owner')
})

test('A declined or expired invitation is over, and its address can be invited again', async () => {
  const shop = await newBusiness()
  const guest = await operator()
  const first = await invite(shop, guest.email)
  const declined = await tokenFor(guest.email)
  expect(said(await post(shop, guest, { token: declined, action: 'reject' }))).toEqual([200, 'rejected'])
  expect(said(await accept(shop, guest, declined))).toEqual([409, 'invitation_over'])
  const second = await invite(shop, guest.email)
  const expired = await tokenFor(guest.email, 2)
  await age(shop, 7 * 86_400)
  expect(said(await accept(shop, guest, expired))).toEqual([409, 'invitation_over'])
  const third = await invite(shop, guest.email)
  expect([second.status, third.status, new Set([first, second, third].map(({ body }) => body.id)).size]).toEqual([
    201, 201, 3,
  ])
  const { rows } = await database().query('select status from invitations where tenant_id = $1 order by id', [
    shop.store_id,
  ])
  expect(rows.map(({ status }) => status)).toEqual(['rejected', 'expired', 'pending'])
})

test('Only the invited address accepts, and only in the business that invited it', async () => {
  const [shop, other] = [await newBusiness(), await newBusiness()]
  const [guest, stranger] = [await operator(), await operator()]
  await invite(shop, guest.email)
  const token = await tokenFor(guest.email)
  expect(said(await accept(shop, stranger, token))).toEqual([403, 'forbidden'])
  expect(said(await accept(other, guest, token))).toEqual([404, 'not_found'])
  expect(said(await accept(shop, guest, `${token.slice(0, -1)}!`))).toEqual([404, 'not_found'])
  expect(said(await accept(shop, guest, token))).toEqual([200, 'accepted'])
})

test('An invitation is void once its inviter may not grant the role any more', async () => {
  const shop = await newBusiness()
  const [leaving, demoted] = [await add(shop, 'Owner'), await add(shop, 'Super')]
  const [first, second] = [await operator(), await operator()]
  await invite(shop, first.email, 'Admin', leaving)
  await invite(shop, second.email, 'Super', demoted)
  await http('DELETE', `${at(shop)}/members/${leaving.account_id}`, { headers: shop.op.headers })
  await http('POST', `${at(shop)}/members`, { headers: shop.op.headers, body: { email: demoted.email, role: 'Owner' } })
  for (const guest of [first, second]) {
    expect(said(await accept(shop, guest, await tokenFor(guest.email)))).toEqual([409, 'invitation_void'])
    expect(await teamOf(shop)).not.toHaveProperty([guest.email])
  }
  // Invited again by a member who may.
  expect((await invite(shop, first.email, 'Owner')).body).toMatchObject({ invitedBy: shop.op.account_id })
  expect(said(await accept(shop, first, await tokenFor(first.email)))).toEqual([200, 'accepted'])
})

test('A member keeps a higher role than the invited one, and gets a higher one', async () => {
  const shop = await newBusiness()
  const [owner, admin] = [await add(shop, 'Owner'), await add(shop, 'Admin')]
  await invite(shop, owner.email, 'Admin')
  await invite(shop, admin.email, 'Owner')
  for (const op of [owner, admin])
    expect(said(await accept(shop, op, await tokenFor(op.email)))).toEqual([200, 'accepted'])
  expect(await teamOf(shop)).toMatchObject({ [owner.email]: 'Owner', [admin.email]: 'Owner' })
})

test('Owners invite, admins do not, only a super invites a super, and strangers find no business', async () => {
  const shop = await newBusiness()
  const [admin, owner, stranger] = [await add(shop, 'Admin'), await add(shop, 'Owner'), await operator()]
  const ask = async (by: Operator, role: Role) => said(await invite(shop, newEmail(), role, by))
  expect([await ask(admin, 'Admin'), await ask(owner, 'Super'), await ask(stranger, 'Admin')]).toEqual([
    [403, 'forbidden'],
    [403, 'forbidden'],
    [404, 'not_found'],
  ])
  expect([await ask(owner, 'Owner'), await ask(shop.op, 'Super')]).toEqual([
    [201, 'pending'],
    [201, 'pending'],
  ])
  const store = await newShop()
  expect(said(await invite(store, newEmail()))).toEqual([404, 'not_found'])
})

test.each([
  [{}, ['/email']],
  [{ role: 'Admin' }, ['/email']],
  [{ token: 'x' }, ['/action']],
  [{ action: 'ACCEPT' }, ['/token']],
  [{ email: 'a@tillwright.test', token: 'x', action: 'ACCEPT' }, ['/email']],
  [{ token: 'x', action: 'ACCEPT', role: 'Admin' }, ['/role']],
  [{ token: 'x', action: 'MAYBE' }, ['/action']],
])('A body that neither invites nor answers is 422: %j', async (body, pointers) => {
  const shop = await newBusiness()
  const answer = await post(shop, shop.op, body)
  expect([answer.status, answer.body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
    422,
    pointers,
  ])
})

test('A member of a business is removed, but not its last super, and owners do not remove owners', async () => {
  const shop = await newBusiness()
  const [owner, other] = [await add(shop, 'Owner'), await add(shop, 'Owner')]
  const remove = (by: Operator, whom: Operator) =>
    http('DELETE', `${at(shop)}/members/${whom.account_id}`, { headers: by.headers })
  expect(said(await remove(owner, other))).toEqual([403, 'forbidden'])
  expect((await remove(shop.op, shop.op)).body).toMatchObject({
    code: 'last_super',
    detail: expect.stringContaining('of the business'),
  })
  expect((await remove(shop.op, other)).body).toEqual({ success: true })
  expect(said(await remove(other, owner))).toEqual([404, 'not_found'])
  expect(said(await remove(shop.op, other))).toEqual([404, 'not_found'])
  expect(Object.keys(await teamOf(shop)).sort()).toEqual([shop.op.email, owner.email].sort())
})

test('Members of one business see each other as colleagues, as members of a store do', async () => {
  const shop = await newBusiness()
  const owner = await add(shop, 'Owner')
  await teamOf(shop, owner)
  const { body } = await http('GET', `/v1/accounts/search?query=${encodeURIComponent(owner.email)}`, {
    headers: shop.op.headers,
  })
  expect(body.items.map(({ email }: { email: string }) => email)).toEqual([owner.email])
})

test('The link of an invitation is the page of INVITATION_URL with the business and the token', () => {
  expect(invitationLink('https://app.example/join?lang=de', 'b', 'till_iv_x')).toBe(
    'https://app.example/join?lang=de&businessId=b&token=till_iv_x',
  )
  expect(invitationLink(null, 'b', 'till_iv_x')).toBeNull()
})
