// Visitors join audiences: once for any number of equal requests, and nothing but the member itself ends an opt-out.
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { memberOf, newAudience, newConfirmation, newContact, setMember, tokenIn } from '../kit/audiences/audiences.ts'
import { mailTo, prove } from '../kit/codes.ts'
import { made } from '../kit/content/content.ts'
import { untilAwaited } from '../kit/database/locks.ts'
import { recordStatements } from '../kit/database/statements.ts'
import {
  type Answer,
  api,
  database,
  eitherApi,
  http,
  newEmail,
  newShop,
  type Shop,
  unique,
  type Visitor,
} from '../kit/shop.ts'

let shop: Shop
let other: Shop
let own: Awaited<ReturnType<typeof recordStatements>>
const now = () => Math.floor(Date.now() / 1000)
beforeAll(async () => {
  ;[shop, other, own] = await Promise.all([newShop(), newShop(), recordStatements()])
})
afterAll(() => own.close())

const subscribe = (visitor: Visitor, id: string, base?: string) =>
  visitor.call('POST', `/audiences/${id}/subscribe`, {}, base)
const codeOf = ({ status, body }: Answer) => [status, body.code]
const countOf = async (audience: string) =>
  (await database().query('select count(*)::int as n from audience_members where audience_id = $1', [audience])).rows[0]
    .n as number
const link = (method: 'GET' | 'POST', path: string, token: string) =>
  http(method, `/v1/customer/audiences/${path}?token=${token}`)
/** The token of the newest confirmation that was mailed to the address. */
const confirmationFor = async (email: string, count = 1) =>
  tokenIn(/https?:\S+/.exec((await mailTo(email, count)).text)?.[0] as string)

test('Twenty equal subscribes through two processes make one active member and give one answer', async () => {
  const { id } = await newAudience(shop)
  const visitor = await shop.visitor(newEmail())
  const answers = await Promise.all(Array.from({ length: 20 }, () => subscribe(visitor, id, eitherApi())))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  const { member, payment, payment_action } = answers[0]?.body ?? {}
  expect([payment, payment_action, await countOf(id)]).toEqual([null, { type: 'none' }, 1])
  expect(member).toMatchObject({
    contact_id: visitor.contact_id,
    status: 'active',
    delivery_status: 'subscribed',
    source: 'storefront',
  })
  expect(Object.keys(member)).not.toEqual(expect.arrayContaining(['lead_description']))
  expect(member.manage_url).toMatch(
    new RegExp(`^${process.env.PUBLIC_URL ?? 'http'}.*/customer/audiences/manage\\?token=till_ml_[\\w-]{43}$`),
  )
})

test('An open subscribe takes at most 7 statements, and access 2', async () => {
  const { id } = await newAudience(shop)
  const visitor = await shop.visitor(newEmail())
  expect((await own.said((base) => subscribe(visitor, id, base))).length).toBeLessThanOrEqual(7)
  expect((await own.said((base) => visitor.call('GET', `/audiences/${id}/access`, undefined, base))).length).toBe(2)
})

test('Access is exact to the second, and is answered for strangers and in archived audiences', async () => {
  const [{ id }, secret] = [await newAudience(shop), await newAudience(shop, 'private')]
  const visitor = await shop.visitor(newEmail())
  const access = (audience: string) => visitor.call('GET', `/audiences/${audience}/access`)
  expect((await shop.asVisitor('GET', `/audiences/${id}/access`)).body).toEqual({ has_access: false, member: null })
  expect((await access(id)).body).toEqual({ has_access: false, member: null })
  const { member } = (await subscribe(visitor, id)).body
  expect((await access(id)).body).toEqual({ has_access: true, member })
  await setMember(member.id, { paid_through_at: now() - 60, access_until: now() + 60 })
  expect((await access(id)).body).toMatchObject({ has_access: true, member: { in_grace: true } })
  await setMember(member.id, { access_until: now() - 1 })
  expect((await access(id)).body).toMatchObject({ has_access: false, member: { in_grace: false } })
  await setMember(member.id, { status: 'active', ended_at: null, paid_through_at: null, access_until: null })
  await shop.asOperator('PUT', `/audiences/${id}`, { status: 'archived' })
  expect((await access(id)).body.has_access).toBe(true)
  expect([(await access(secret.id)).status, (await access(newId())).status]).toEqual([404, 404])
})

test('Storefronts show active audiences that are not private, by key and by id, and list them', async () => {
  const fresh = await newShop()
  const [open, secret] = [await newAudience(fresh), await newAudience(fresh, 'private')]
  const draft = await made(fresh.asOperator('POST', '/audiences', { key: 'draft', type: { type: 'open' } }))
  const shown = { id: open.id, key: open.key, name: open.key, type: { type: 'open' }, tiers: [] }
  for (const name of [open.key, open.id])
    expect((await fresh.asVisitor('GET', `/audiences/${name}`)).body).toEqual(shown)
  for (const name of [secret.key, secret.id, draft.id, 'draft', 'none'])
    expect((await fresh.asVisitor('GET', `/audiences/${name}`)).status).toBe(404)
  expect((await fresh.asVisitor('GET', '/audiences')).body.items).toEqual([shown])
  const visitor = await fresh.visitor()
  for (const id of [secret.id, draft.id]) expect((await subscribe(visitor, id)).status).toBe(404)
  expect((await subscribe(await other.visitor(), open.id)).status).toBe(404)
})

test('A visitor lists its own memberships of active audiences that are not private', async () => {
  const [open, gone, secret] = [await newAudience(shop), await newAudience(shop), await newAudience(shop, 'private')]
  const visitor = await shop.visitor(newEmail())
  for (const { id } of [open, gone]) await subscribe(visitor, id)
  await shop.asOperator('POST', `/audiences/${secret.id}/members`, { contact_id: visitor.contact_id })
  await shop.asOperator('PUT', `/audiences/${gone.id}`, { status: 'archived' })
  const { items } = (await visitor.call('GET', '/audiences/members?limit=10')).body
  expect(items.map((member: { audience_id: string }) => member.audience_id)).toEqual([open.id])
  expect((await (await shop.visitor()).call('GET', '/audiences/members')).body.items).toEqual([])
})

const emailChannel = async (contact: string) =>
  (await shop.asOperator('GET', `/contacts/${contact}/channels`)).body.items[0]

test('A confirmation is mailed to the address, and its link makes the member active', async () => {
  const { id } = await newConfirmation(shop)
  expect(codeOf(await subscribe(await shop.visitor(), id))).toEqual([422, 'email_required'])
  const email = newEmail('reader')
  const visitor = await shop.visitor(email)
  const pending = (await subscribe(visitor, id)).body.member
  expect(pending).toMatchObject({ status: 'pending', joined_at: null, manage_url: null })
  const { text } = await mailTo(email)
  expect(text).toContain('/v1/customer/audiences/confirm?token=till_ml_')
  const token = await confirmationFor(email)
  expect((await link('GET', 'manage', token)).body).toMatchObject({
    status: 'pending',
    email: 'r…@tillwright.test',
    has_access: false,
  })
  expect((await visitor.call('GET', `/audiences/${id}/access`)).body.has_access).toBe(false)
  const confirmed = await link('POST', 'confirm', token)
  expect([confirmed.status, confirmed.body.status, confirmed.body.has_access]).toEqual([200, 'active', true])
  expect((await link('POST', 'confirm', token)).body).toEqual(confirmed.body)
  expect((await subscribe(visitor, id)).body.member).toMatchObject({
    id: pending.id,
    status: 'active',
    manage_url: expect.any(String),
  })
  expect(await emailChannel(visitor.contact_id)).toMatchObject({
    verified_at: expect.any(Number),
    consent: { status: 'granted', source: 'confirmation' },
  })
})

test('A confirmation is sent through the mailbox of the audience, or the oldest of the store', async () => {
  const fresh = await newShop()
  const { hostname, port } = new URL(process.env.SMTP_URL as string)
  const mailbox = async (address: string) => {
    const smtp = { host: hostname, port: Number(port), security: 'none' }
    return (await made(fresh.asOperator('POST', '/mailboxes', { key: unique(), email: address, smtp }))).id
  }
  await mailbox('first@shop.example')
  const second = await mailbox('second@shop.example')
  const { id } = await newConfirmation(fresh)
  const [one, two] = [newEmail(), newEmail()]
  await subscribe(await fresh.visitor(one), id)
  expect((await mailTo(one)).from).toBe('first@shop.example')
  const { type } = (await fresh.asOperator('GET', `/audiences/${id}`)).body
  expect((await fresh.asOperator('PUT', `/audiences/${id}`, { type: { ...type, mailbox_id: second } })).status).toBe(
    200,
  )
  await subscribe(await fresh.visitor(two), id)
  expect((await mailTo(two)).from).toBe('second@shop.example')
})

test('Equal subscribes to a confirmation audience make one pending member and mail one link', async () => {
  const { id } = await newConfirmation(shop)
  const email = newEmail('reader')
  const visitor = await shop.visitor(email)
  const answers = await Promise.all(Array.from({ length: 4 }, () => subscribe(visitor, id, eitherApi())))
  expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(200))
  expect([new Set(answers.map(({ body }) => body.member.id)).size, await countOf(id)]).toEqual([1, 1])
  const first = await confirmationFor(email, 4)
  const { rows } = await database().query(
    "select count(*)::int as n from member_tokens t join audience_members m on m.id = t.member_id where m.audience_id = $1 and t.scope = 'confirm'",
    [id],
  )
  expect(rows[0].n).toBe(1)
  expect((await link('POST', 'confirm', first)).body.status).toBe('active')
})

test('A confirmation moves to the contact that owns the address, which keeps one membership', async () => {
  const { id } = await newConfirmation(shop)
  const owner = await newContact(shop)
  const visitor = await shop.visitor(owner.email)
  await subscribe(visitor, id)
  const token = await confirmationFor(owner.email)
  expect((await link('POST', 'confirm', token)).body.status).toBe('active')
  expect(await memberOf(shop, id, owner.id)).toMatchObject({ status: 'active', contact: { email: owner.email } })
  expect(await emailChannel(owner.id)).toMatchObject({
    verified_at: expect.any(Number),
    consent: { status: 'granted' },
  })
  expect(await memberOf(shop, id, visitor.contact_id)).toBeUndefined()
  // Again by another browser: the owner is a member already, and stays the same one.
  const again = await shop.visitor(owner.email)
  await subscribe(again, id)
  expect((await link('POST', 'confirm', await confirmationFor(owner.email, 2))).body.status).toBe('active')
  expect([await countOf(id), (await memberOf(shop, id, owner.id)).status]).toEqual([1, 'active'])
})

test('A confirmation for an owner who joins at the same moment keeps one membership', async () => {
  const { id } = await newConfirmation(shop)
  const owner = await newContact(shop)
  await subscribe(await shop.visitor(owner.email), id)
  const token = await confirmationFor(owner.email)
  const joining = await database().connect()
  try {
    await joining.query('begin')
    await joining.query(
      `insert into audience_members (id, tenant_id, created_at, updated_at, audience_id, contact_id, status, source, fields, pending_since)
       values ($1, $2, $3, $3, $4, $5, 'pending', 'storefront', '{}', $3)`,
      [newId(), shop.store_id, now(), id, owner.id],
    )
    const confirmed = link('POST', 'confirm', token)
    await untilAwaited(joining, { like: ['select id, taxonomies from contacts%', 'with moved_redemptions as%'] })
    await joining.query('commit')
    expect(codeOf(await confirmed)).toEqual([200, undefined])
  } finally {
    joining.release()
  }
  expect([await countOf(id), (await memberOf(shop, id, owner.id)).status]).toEqual([1, 'active'])
})

test('A confirmed membership shows the address of its link after other claims', async () => {
  const { id } = await newConfirmation(shop)
  const [email, others] = [newEmail('reader'), newEmail('other')]
  const visitor = await shop.visitor(email)
  await subscribe(visitor, id)
  const token = await confirmationFor(email)
  const claim = async (address: string) =>
    expect((await visitor.call('POST', '/account/identify', { email: address })).status).toBe(200)
  await claim(others)
  expect((await link('POST', 'confirm', token)).body).toMatchObject({ status: 'active', email: 'r…@tillwright.test' })
  for (const address of [others, newEmail('third')]) await claim(address)
  expect((await memberOf(shop, id, visitor.contact_id)).contact.email).toBe(email)
  const { rows } = await database().query(
    'select owned, verified_at is not null as verified from contact_channels where address = $1',
    [email],
  )
  expect(rows).toEqual([{ owned: false, verified: true }])
})

test('A confirmation that cannot be sent is refused', async () => {
  const fresh = await newShop()
  const { id } = await newConfirmation(fresh)
  const visitor = await fresh.visitor(newEmail('reader'))
  const smtp = { host: 'mail.shop.example', port: 465, security: 'tls' }
  const mailbox_id = (
    await made(fresh.asOperator('POST', '/mailboxes', { key: unique(), email: 'shop@shop.example', smtp }))
  ).id
  const { type } = (await fresh.asOperator('GET', `/audiences/${id}`)).body
  await database().query('update audiences set mailbox_id = $1 where id = $2', [mailbox_id, id])
  await database().query("update mailboxes set status = 'archived' where id = $1", [mailbox_id])
  expect(codeOf(await subscribe(visitor, id))).toEqual([409, 'audience_not_ready'])
  await database().query('update audiences set mailbox_id = null where id = $1', [id])
  await database().query("update email_templates set status = 'archived' where id = $1", [type.template_id])
  expect(codeOf(await subscribe(visitor, id))).toEqual([409, 'audience_not_ready'])
  expect(await countOf(id)).toBe(0)
})

test('A suppressed address is answered as any other, except to the visitor who signed in with it', async () => {
  const fresh = await newShop()
  const { id } = await newConfirmation(fresh)
  const [silenced, other, own] = [newEmail('silenced'), newEmail('reader'), newEmail('own')]
  const suppress = (address: string) =>
    database().query("update contact_channels set status = 'bounced' where tenant_id = $1 and address = $2", [
      fresh.store_id,
      address,
    ])
  const strangers = [await fresh.visitor(silenced), await fresh.visitor(other)] as const
  await suppress(silenced)
  const shape = ({ status, body }: Answer) => [
    status,
    { ...body, member: Object.fromEntries(Object.entries(body.member).map(([name, value]) => [name, typeof value])) },
  ]
  const [suppressed, plain] = [await subscribe(strangers[0], id), await subscribe(strangers[1], id)]
  expect(shape(suppressed)).toEqual(shape(plain))
  expect([suppressed.body.member.status, suppressed.body.member.delivery_status]).toEqual(['pending', 'subscribed'])
  const { rows } = await database().query(
    "select count(*)::int as n from mails where tenant_id = $1 and kind = 'subscription_confirmation'",
    [fresh.store_id],
  )
  expect(rows).toEqual([{ n: 1 }])

  const signedIn = await fresh.visitor()
  await prove(signedIn, own)
  await suppress(own)
  expect(codeOf(await subscribe(signedIn, id))).toEqual([409, 'delivery_suppressed'])
})

test('A membership that moves to the owner of its address gets another link to its page', async () => {
  const { id } = await newConfirmation(shop)
  const owner = await newContact(shop)
  const { member } = (await subscribe(await shop.visitor(owner.email), id)).body
  const tokens = async () =>
    (
      await database().query("select digest from member_tokens where member_id = $1 and scope = 'manage'", [member.id])
    ).rows.map(({ digest }) => digest)
  const before = await tokens()
  await link('POST', 'confirm', await confirmationFor(owner.email))
  const after = await tokens()
  expect([before.length, after.length, before[0] === after[0]]).toEqual([1, 1, false])
})

test('A link of a membership that has ended, or of an earlier request, confirms nothing', async () => {
  const { id } = await newConfirmation(shop)
  const email = newEmail('reader')
  const visitor = await shop.visitor(email)
  const { member } = (await subscribe(visitor, id)).body
  const token = await confirmationFor(email)
  await shop.asOperator('DELETE', `/audiences/${id}/members/${member.id}`)
  expect(codeOf(await link('POST', 'confirm', token))).toEqual([409, 'not_pending'])
  expect((await subscribe(visitor, id)).body.member).toMatchObject({ id: member.id, status: 'pending' })
  expect(codeOf(await link('POST', 'confirm', token))).toEqual([401, 'unauthorized'])
  const second = await confirmationFor(email, 2)
  await shop.asOperator('PUT', `/audiences/${id}`, { status: 'archived' })
  expect(codeOf(await link('POST', 'confirm', second))).toEqual([409, 'audience_not_active'])
  await database().query('update member_tokens set expires_at = 1 where member_id = $1', [member.id])
  expect(codeOf(await link('POST', 'confirm', second))).toEqual([401, 'unauthorized'])
})

test('Links act by their scope, in an archived store, too, and their reads change nothing', async () => {
  const fresh = await newShop()
  const { id } = await newAudience(fresh)
  const email = newEmail('ada')
  const { member } = (await subscribe(await fresh.visitor(email), id)).body
  const manage = tokenIn(member.manage_url)
  const unsubscribe = 'till_ml_unsubscribe'.padEnd(51, 'x') + member.id
  await database().query(
    `insert into member_tokens (id, created_at, updated_at, tenant_id, member_id, scope, digest, value, address)
     values ($1, 1, 1, $2, $3, 'unsubscribe', encode(sha256(convert_to($4, 'utf8')), 'hex'), 'x', $5)`,
    [newId(), fresh.store_id, member.id, unsubscribe, email],
  )
  await fresh.asOperator('PUT', '', { status: 'ARCHIVED' })
  const rowOf = async () =>
    (await database().query('select m.*, m.xmin::text from audience_members m where id = $1', [member.id])).rows[0]
  const before = await rowOf()
  for (const token of [manage, unsubscribe]) {
    expect(await link('GET', 'manage', token)).toMatchObject({
      status: 200,
      body: {
        email: 'a…@tillwright.test',
        status: 'active',
        payment_method_update_available: false,
        subscription_cancellation_available: false,
      },
    })
    expect(codeOf(await link('POST', 'confirm', token))).toEqual([403, 'forbidden'])
  }
  expect((await fetch(`${api()}/v1/customer/audiences/unsubscribe?token=${manage}`)).status).toBe(200)
  expect(await rowOf()).toEqual(before)
  expect((await link('POST', 'unsubscribe', unsubscribe)).body.delivery_status).toBe('unsubscribed')
  expect((await link('POST', 'resubscribe', manage)).body).toMatchObject({
    delivery_status: 'subscribed',
    status: 'active',
  })
  for (const bad of ['', 'x', 'till_ml_unknown', 'y'.repeat(300)])
    expect(codeOf(await http('POST', '/v1/customer/audiences/confirm', { body: { token: bad } }))).toEqual([
      401,
      'unauthorized',
    ])
})

test.each([
  ['a form', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
  ['JSON', 'application/json', '{"anything": [1, 2]}'],
  ['broken JSON', 'application/json', '{"'],
  ['text', 'text/plain', 'unsubscribe me'],
  [
    'a multipart form',
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
  ],
  ['nothing', undefined, undefined],
])('One-click unsubscribing takes %s and changes the delivery alone', async (_, type, body) => {
  const { id } = await newAudience(shop)
  const { member } = (await subscribe(await shop.visitor(newEmail()), id)).body
  const url = `${api()}/v1/customer/audiences/unsubscribe?token=${tokenIn(member.manage_url)}&utm_source=mail`
  for (let times = 0; times < 2; times++) {
    const answer = await fetch(url, {
      method: 'POST',
      ...(type ? { headers: { 'content-type': type } } : {}),
      ...(body === undefined ? {} : { body }),
    })
    expect([answer.status, ((await answer.json()) as { delivery_status: string }).delivery_status]).toEqual([
      200,
      'unsubscribed',
    ])
  }
  expect(await memberOf(shop, id, member.contact_id)).toMatchObject({
    status: 'active',
    delivery_status: 'unsubscribed',
  })
})

test('The token of a link may be in a form or a JSON body', async () => {
  const { id } = await newAudience(shop)
  const token = tokenIn((await subscribe(await shop.visitor(newEmail()), id)).body.member.manage_url)
  const form = await fetch(`${api()}/v1/customer/audiences/unsubscribe`, {
    method: 'POST',
    body: new URLSearchParams({ token }),
  })
  expect(form.status).toBe(200)
  const answer = await http('POST', '/v1/customer/audiences/resubscribe', { body: { token } })
  expect([answer.status, answer.body.delivery_status]).toEqual([200, 'subscribed'])
})

test('A browser without JavaScript stops the e-mail by the form of the page', async () => {
  const { id } = await newAudience(shop, 'open', { name: 'Club <b>' })
  const { member } = (await subscribe(await shop.visitor(newEmail()), id)).body
  const stop = async (token: string) => {
    // As a browser does it that came from the address of `List-Unsubscribe`.
    const page = await fetch(`${api()}/v1/customer/audiences/unsubscribe?token=${token}`)
    expect(await page.text()).toMatch(/<noscript>(?:(?!<\/noscript>).)*<form method="post"><button>/)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'")
    const type = 'application/x-www-form-urlencoded'
    const headers = { accept: 'text/html,*/*;q=0.8', 'content-type': type }
    const answer = await fetch(page.url, { method: 'POST', headers, body: '' })
    return [answer.status, answer.headers.get('content-type'), await answer.text()]
  }
  const html = 'text/html; charset=utf-8'
  const [status, type, text] = await stop(tokenIn(member.manage_url))
  expect([status, type]).toEqual([200, html])
  expect(text).toContain(`<h1>You receive no e-mail of “Club &#60;b&#62;” by ${shop.store.key}</h1>`)
  expect((await memberOf(shop, id, member.contact_id)).delivery_status).toBe('unsubscribed')
  for (const bad of ['', 'x'])
    expect(await stop(bad)).toEqual([401, html, expect.stringContaining('The e-mail is not stopped')])
})

test('Nothing but the member itself ends an opt-out, and never of another audience', async () => {
  const [open, confirmation] = [await newAudience(shop), await newConfirmation(shop)]
  const email = newEmail('reader')
  const visitor = await shop.visitor()
  await prove(visitor, email)
  const { member } = (await subscribe(visitor, open.id)).body
  const manage = tokenIn(member.manage_url)
  const deliveryOf = async () => (await memberOf(shop, open.id, member.contact_id)).delivery_status
  await link('POST', 'unsubscribe', manage)
  await shop.asOperator('POST', `/audiences/${open.id}/members`, { contact_id: member.contact_id })
  await shop.asOperator('POST', `/audiences/${open.id}/members/import`, { rows: [{ email }] })
  await shop.asOperator('PUT', `/audiences/${open.id}/members/${member.id}`, { delivery_status: 'subscribed' })
  await subscribe(visitor, confirmation.id)
  await link('POST', 'confirm', await confirmationFor(email, 2))
  // An active member who subscribes again changes nothing.
  await subscribe(visitor, open.id)
  expect(await deliveryOf()).toBe('unsubscribed')
  await shop.asOperator('DELETE', `/audiences/${open.id}/members/${member.id}`)
  expect((await subscribe(visitor, open.id)).body.member).toMatchObject({
    id: member.id,
    delivery_status: 'subscribed',
  })
  for (const status of ['bounced', 'complained']) {
    await database().query('update contact_channels set status = $1 where contact_id = $2', [status, member.contact_id])
    await setMember(member.id, { delivery_status: status })
    expect(codeOf(await link('POST', 'resubscribe', manage))).toEqual([409, 'delivery_suppressed'])
    expect((await link('POST', 'unsubscribe', manage)).body.delivery_status).toBe(status)
  }
})

test('The page of a link holds no data and sends no referrer', async () => {
  const answer = await fetch(`${api()}/customer/audiences/manage?token=secret`)
  const text = await answer.text()
  expect([answer.status, answer.headers.get('referrer-policy'), answer.headers.get('x-robots-tag')]).toEqual([
    200,
    'no-referrer',
    'noindex',
  ])
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(text).not.toContain('secret')
  for (const [, file] of text.matchAll(/(?:src|href)="([^"]+)"/g))
    expect((await fetch(`${api()}/customer/audiences/${file}`)).status).toBe(200)
})

test('The page of a link works in a browser that blocks site data', async () => {
  const script = await (await fetch(`${api()}/customer/audiences/manage.js`)).text()
  const asked: string[] = []
  const element = { addEventListener: () => undefined }
  const blocked = { location: { search: '?token=abc' }, URLSearchParams, document: { getElementById: () => element } }
  const globals = { ...blocked, fetch: async (url: string) => void asked.push(url) }
  const sessionStorage = () => {
    throw new Error('SecurityError')
  }
  runInNewContext(script, Object.defineProperty(globals, 'sessionStorage', { get: sessionStorage }))
  expect(asked).toEqual(['../../v1/customer/audiences/manage?token=abc'])
})

test('The link of a member leads to the page that the store has for it, with its fragment', async () => {
  const fresh = await newShop({ settings: { membership_manage_url: 'https://shop.example/me?x=1#/membership' } })
  const { id } = await newAudience(fresh)
  const { member } = (await subscribe(await fresh.visitor(), id)).body
  expect(member.manage_url).toMatch(/^https:\/\/shop\.example\/me\?x=1&token=till_ml_[\w-]{43}#\/membership$/)
})
