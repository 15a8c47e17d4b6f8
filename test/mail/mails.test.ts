// The sender of the installation sends texts of the installation alone: no template of a store, no words of a visitor,
// and no name that holds an address.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { invitationMail } from '../../api/mail/invitation-mail.ts'
import { newId } from '../../entities/kit/ids.ts'
import { confirmationMail } from '../../rules/mail/confirmation-mail.ts'
import { nameInMail } from '../../rules/mail/mail-page.ts'
import {
  confirmationPage,
  confirmationType,
  newAudience,
  newConfirmation,
  tokenIn,
} from '../kit/audiences/audiences.ts'
import { mailTo } from '../kit/codes.ts'
import { made } from '../kit/content/content.ts'
import { api, database, http, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'

const advert = 'Win at https://evil.example/win'
let shop: Shop
beforeAll(async () => {
  shop = await newShop({ settings: { name: advert } })
})
afterAll(async () => database().end())

/** Nothing that the store's people chose, except for its key. */
const isOurs = ({ subject, text, html }: { subject: string; text: string; html: string }) => {
  for (const part of [subject, text, html]) expect(part).not.toMatch(/evil|win at/i)
  expect(`${subject}${text}`).toContain(shop.store.key)
}

const addresses = [
  ...[
    'https://evil.example',
    'evil.example/win',
    'WWW.EVIL.EXAMPLE',
    'Pay: evil.example',
    'ada@evil.example',
    'mailto:ada',
    '203.0.113.7',
    'tg:resolve?domain=x',
  ],
  // Other widths, other full stops, and invisible characters in between.
  ...[
    'ｅｖｉｌ．ｅｘａｍｐｌｅ',
    'evil。example',
    'evil｡example',
    'evil\u200b.example',
    'ev\u00adil.example',
    'evil.\u2060example',
    'bücher.example',
    'xn--bcher-kva.example',
  ],
]
test.each(addresses)('A name with the address %j gives way to the key', (name) => {
  expect(nameInMail([name, 'the-key'], 'a store')).toBe('the-key')
  expect(nameInMail([`Salon ${name} Berlin`, null], 'a store')).toBe('a store')
})

test.each(['Old Town <Salon>', 'Tea & Co.', 'St. Mary’s No. 1', 'Ärzte e. V.', '東京の店', 'Price 1.50', 'Dr. No'])(
  'The name %j is shown',
  (name) => {
    expect(nameInMail([name, 'the-key'], 'a store')).toBe(name)
  },
)

test.each([
  'www.evil.example/prize@attacker.example',
  'evil.example/a?b=c@attacker.example',
  'www.evil.example@attacker.example',
])('An invitation does not show the inviting address %j', (inviter) => {
  const { subject, text, html } = invitationMail({ business: 'Salon', inviter, link: null, token: 'x' })
  for (const part of [subject, text, html]) expect(part).not.toMatch(/evil|attacker/)
  expect(invitationMail({ business: 'Salon', inviter: 'ada@salon.example', link: null, token: 'x' }).text).toMatch(
    /^ada@salon\.example invites you/,
  )
})

test('A name is one line of eighty visible characters', () => {
  expect(nameInMail([`a\r\nBcc: b\u202egnp\u0000 ${'c'.repeat(100)}`], 'a store')).toBe(
    `a Bcc: bgnp ${'c'.repeat(67)}…`,
  )
  expect(nameInMail(['c'.repeat(80), null], 'a store')).toBe('c'.repeat(80))
  expect(nameInMail(['\u200b \n', null], 'a store')).toBe('a store')
})

test('A store without a mailbox confirms with our text, whatever its template says', async () => {
  const type = await confirmationType(shop, {
    subject: 'Tillwright: your account',
    body: `<h1>${advert}</h1><p>{{ confirmation_url }}</p>`,
    text: advert,
  })
  const { id } = await made(shop.asOperator('POST', '/audiences', { key: unique(), name: advert, type }))
  expect((await shop.asOperator('PUT', `/audiences/${id}`, { status: 'active' })).status).toBe(200)
  const email = newEmail()
  const visitor = await shop.visitor(email)
  expect((await visitor.call('POST', `/audiences/${id}/subscribe`, {})).status).toBe(200)
  const mail = await mailTo(email)
  isOurs(mail)
  const link = /\S+\/v1\/customer\/audiences\/confirm\?token=\S+/.exec(mail.text)?.[0] as string
  const { subject, text, html } = confirmationMail({ store: shop.store.key, link, days: 7 })
  expect([mail.subject, mail.text.trim(), mail.html.trim()]).toEqual([subject, text.trim(), html.trim()])
  const token = new URL(link).searchParams.get('token') as string
  // Opening the page, however often, does not confirm: programs that scan mail open every link.
  for (const method of ['GET', 'HEAD', 'GET']) expect((await opened(token, method)).status).toBe(200)
  const page = await opened(token)
  expect([page.location, page.referrer, page.cache]).toEqual([null, 'no-referrer', 'no-store'])
  expect(page.text).toContain(`You confirm it at <strong>shop.example</strong>`)
  expect(page.text).toContain(`e-mail of <strong>${shop.store.key}</strong>`)
  expect(page.text).not.toMatch(/<script|http-equiv|evil/i)
  expect(
    /<a id="go" rel="noreferrer" href="([^"]+)">Go on to shop.example<\/a>/
      .exec(page.text)?.[1]
      ?.replaceAll('&#38;', '&'),
  ).toBe(`${confirmationPage}&token=${token}`)
  expect((await http('POST', '/v1/customer/audiences/confirm', { body: { token } })).body).toMatchObject({
    status: 'active',
  })
  const used = await opened(token)
  expect([used.status, used.text.includes('is confirmed'), used.text.includes('shop.example')]).toEqual([
    200,
    true,
    false,
  ])
  // After the e-mail was stopped, the used link says so, and neither the page nor the confirmation starts it again.
  const { manage_url } = (await visitor.call('GET', `/audiences/${id}/access`)).body.member
  await http('POST', `/v1/customer/audiences/unsubscribe${new URL(manage_url).search}`)
  const stopped = await opened(token)
  expect([stopped.status, stopped.title]).toEqual([200, `You receive no e-mail of ${shop.store.key}`])
  expect(stopped.text).toContain('does not start the e-mail again')
  expect((await http('POST', '/v1/customer/audiences/confirm', { body: { token } })).body).toMatchObject({
    status: 'active',
    delivery_status: 'unsubscribed',
  })
  await database().query(
    "update audience_members set status = 'removed', ended_at = updated_at where audience_id = $1",
    [id],
  )
  expect((await opened(token)).title).toBe('This subscription has ended')
})

/** The page that a browser gets for a token. */
async function opened(token: string, method = 'GET') {
  const answer = await fetch(`${api()}/v1/customer/audiences/confirm?token=${token}&utm_source=mail`, {
    method,
    redirect: 'manual',
    headers: { accept: 'text/html' },
  })
  const { status, headers } = answer
  const text = await answer.text()
  const named = {
    location: headers.get('location'),
    referrer: headers.get('referrer-policy'),
    cache: headers.get('cache-control'),
  }
  return { status, text, title: /<h1>(.*?)<\/h1>/.exec(text)?.[1], ...named }
}

test('The page behind our confirmation refuses other links, and audiences that ask for none', async () => {
  const visitor = await shop.visitor(newEmail())
  const { member } = (await visitor.call('POST', `/audiences/${(await newAudience(shop)).id}/subscribe`, {})).body
  for (const token of ['till_ml_none', tokenIn(member.manage_url)])
    expect(await opened(token)).toMatchObject({ status: 404, title: 'This link is not valid' })
  const { id } = await newConfirmation(shop)
  const email = newEmail()
  await (await shop.visitor(email)).call('POST', `/audiences/${id}/subscribe`, {})
  const token = /token=(\S+)/.exec((await mailTo(email)).text)?.[1] as string
  await database().query(
    "update audiences set confirmation_url = 'https://xn--pypal-4ve.example/?a=%22%3E%3Cb%3E' where id = $1",
    [id],
  )
  expect((await opened(token)).text).toContain('Go on to xn--pypal-4ve.example</a>')
  expect((await opened(token)).text).not.toContain('<b>')
  await database().query("update tenants set status = 'ARCHIVED' where id = $1", [shop.store_id])
  expect((await http('GET', `/v1/customer/audiences/confirm?token=${token}`)).body.code).toBe('audience_not_active')
  expect((await http('POST', '/v1/customer/audiences/confirm', { body: { token } })).body.code).toBe(
    'audience_not_active',
  )
  await database().query("update tenants set status = 'ACTIVE' where id = $1", [shop.store_id])
  await database().query("update audiences set status = 'archived' where id = $1", [id])
  expect(await opened(token)).toMatchObject({ status: 409, title: 'The subscription cannot be confirmed' })
  expect((await http('GET', `/v1/customer/audiences/confirm?token=${token}`)).body.code).toBe('audience_not_active')
})

test('A confirmation that version 0.2.0 queued for our sender is sent as our text', async () => {
  const fresh = await newShop()
  const { id } = await newConfirmation(fresh)
  const email = newEmail()
  await (await fresh.visitor(email)).call('POST', `/audiences/${id}/subscribe`, {})
  await mailTo(email)
  // As the earlier version wrote it: the template's id and its variables, without a mailbox and without a frozen
  // request.
  const template = await made(
    shop.asOperator('POST', '/email-templates', {
      key: unique(),
      type: 'subscription_confirmation',
      format: 'html',
      subject: advert,
      body: `<p>${advert}</p>`,
    }),
  )
  const { encrypt } = await import('../../entities/kit/encrypted.ts')
  const to = newEmail()
  const variables = {
    confirmation_url: 'https://shop.example/confirm?token=till_ml_x',
    email: to,
    store: { key: shop.store.key, name: advert },
  }
  const row = [
    newId(),
    Math.floor(Date.now() / 1000),
    shop.store_id,
    template.id,
    encrypt(JSON.stringify({ to, variables })),
  ]
  await database().query(
    `insert into mails (id, created_at, updated_at, tenant_id, kind, template_id, variables, status, fingerprint)
     values ($1, $2, $2, $3, 'subscription_confirmation', $4, $5, 'requested', '')`,
    row,
  )
  await database().query(`update mails set created_at = created_at - 3600 where id = $1`, [row[0]])
  // The reconciler finds it, among the rows of all other tests.
  const mail = await mailTo(to, 1, 60_000)
  isOurs(mail)
  expect(mail.text).toContain('/v1/customer/audiences/confirm?token=till_ml_x')
  expect(mail.text).not.toContain('shop.example')
}, 70_000)

test('Sign-in codes and invitations name a store by its key if its name holds an address', async () => {
  const [visitor, operator, guest] = [newEmail(), newEmail(), newEmail()]
  await shop.asVisitor('POST', '/account/code', { email: visitor })
  await http('POST', `/v1/stores/${shop.store_id}/auth/code`, { body: { email: operator } })
  await database().query("update tenants set kind = 'business' where id = $1", [shop.store_id])
  const invited = await http('POST', `/v1/businesses/${shop.store_id}/invitation`, {
    body: { email: guest },
    headers: shop.op.headers,
  })
  await database().query("update tenants set kind = 'store' where id = $1", [shop.store_id])
  expect(invited.status).toBe(201)
  for (const email of [visitor, operator, guest]) isOurs(await mailTo(email))
})
