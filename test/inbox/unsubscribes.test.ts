// Unsubscribing by the link of a campaign message: at once, for good, and nothing else changes.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { unsubscribeTokens } from '../../entities/audiences/member-tokens.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { newId } from '../../entities/kit/ids.ts'
import { wantedSql } from '../../entities/sending/wanted.ts'
import { newAudience, newContact, tokenIn } from '../kit/audiences/audiences.ts'
import { newCampaign, setCampaign } from '../kit/campaigns/campaigns.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { api, database, eitherApi, http, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let orm: Orm
let statements = 0
beforeAll(async () => {
  ;[shop, orm] = await Promise.all([
    newShop(),
    openOrm({ url: process.env.DATABASE_URL as string, pool: 4, onStatement: () => statements++ }),
  ])
})
afterAll(async () => {
  await orm.close(true)
  await database().end()
})

const now = () => Math.floor(Date.now() / 1000)
const tokensOf = (ids: readonly string[]) => unsubscribeTokens(unitOf(orm, null), shop.store_id, ids, now())
const link = (token: string, path = 'unsubscribe', method: 'GET' | 'POST' = 'POST') =>
  http(method, `/v1/customer/audiences/${path}?token=${token}`, { base: eitherApi() })

/** A running campaign that no drain sends: its mailboxes have none. */
async function running(): Promise<string> {
  const { id } = await newCampaign(shop)
  await setCampaign(id, { status: 'running', launched_at: 1 })
  return id
}

type Recipient = { contact_id: string; email: string; member_id?: string; audience_id?: string }
async function enroll(campaign_id: string, { contact_id, email, member_id, audience_id }: Recipient): Promise<string> {
  const id = newId()
  await database().query(
    `insert into enrollments (id, created_at, updated_at, tenant_id, campaign_id, contact_id, member_id, audience_id, address, variables, shuffle, status, step)
     values ($1, 1, 1, $2, $3, $4, $5, $6, $7, '{}', 1, 'active', 0)`,
    [id, shop.store_id, campaign_id, contact_id, member_id ?? null, audience_id ?? null, email],
  )
  return id
}
async function recipient(): Promise<Required<Recipient> & { manage: string }> {
  const { id: audience_id } = await newAudience(shop)
  const email = newEmail('member')
  const visitor = await shop.visitor(email)
  const { member } = (await visitor.call('POST', `/audiences/${audience_id}/subscribe`, {})).body
  return {
    contact_id: visitor.contact_id,
    email,
    member_id: member.id,
    audience_id,
    manage: tokenIn(member.manage_url),
  }
}
const contact = async (): Promise<Recipient> => {
  const { id, email } = await newContact(shop)
  return { contact_id: id, email }
}
const statusOf = async (id: string) =>
  (await database().query('select status from enrollments where id = $1', [id])).rows[0].status
const wanted = async (id: string) =>
  (await unitOf(orm, null).execute(sql`select ${wantedSql('n')} as wanted from enrollments n where n.id = ${id}`))[0]
    ?.wanted
const eventsOf = async (memberId: string) =>
  (
    await database().query(
      `select type from events where tenant_id = $1 and data->'member'->>'id' = $2 and type = 'audience.member_email_unsubscribed'`,
      [shop.store_id, memberId],
    )
  ).rows.length

test('An enrollment has one token, with the address that its messages are sent to', async () => {
  const campaign = await running()
  const ids = await Promise.all([recipient(), recipient(), contact()].map(async (one) => enroll(campaign, await one)))
  const made = await atOnce(6, () => tokensOf(ids))
  expect(new Set(made.map((tokens) => JSON.stringify(ids.map((id) => tokens.get(id))))).size).toBe(1)
  expect(new Set(made[0]?.values()).size).toBe(3)
  const before = statements
  expect([await tokensOf(ids), statements - before]).toEqual([made[0], 1])
  const { rows } = await database().query(
    `select count(*)::int as count, bool_and(t.address = n.address and t.scope = 'unsubscribe') as right from member_tokens t join enrollments n on n.id = t.enrollment_id
     where n.id = any ($1)`,
    [ids],
  )
  expect(rows).toEqual([{ count: 3, right: true }])
})

test('Ten clicks of a member at once are one opt-out, one event and the end of the enrollment', async () => {
  const [member, other, campaign] = [await recipient(), await recipient(), await running()]
  const webhook = {
    key: unique(),
    url: 'http://127.0.0.1:9/',
    headers: {},
    secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    enabled: true,
  }
  expect(
    (
      await shop.asOperator('POST', '/webhooks', {
        ...webhook,
        events: [{ event: 'audience.member_email_unsubscribed' }],
      })
    ).status,
  ).toBe(201)
  const [mine, theirs] = [await enroll(campaign, member), await enroll(campaign, other)]
  const token = (await tokensOf([mine])).get(mine) as string
  const page = await link(token, 'manage', 'GET')
  expect(page.body).toMatchObject({
    scope: 'unsubscribe',
    delivery_status: 'subscribed',
    subscription_cancellation_available: false,
    paid_through_at: null,
  })
  for (const method of ['GET', 'HEAD'])
    expect((await fetch(`${api()}/v1/customer/audiences/unsubscribe?token=${token}`, { method })).status).toBe(200)
  expect([await statusOf(mine), await wanted(mine)]).toEqual(['active', true])
  const oneClick = () =>
    fetch(`${eitherApi()}/v1/customer/audiences/unsubscribe?token=${token}`, {
      ...{
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'List-Unsubscribe=One-Click',
      },
    })
  const answers = await atOnce(10, oneClick)
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect([await statusOf(mine), await wanted(mine), await statusOf(theirs), await wanted(theirs)]).toEqual([
    'unsubscribed',
    false,
    'active',
    true,
  ])
  expect(await eventsOf(member.member_id)).toBe(1)
})

test('A click of a contact without a membership withdraws the consent of its address', async () => {
  const [one, campaign, later] = [await contact(), await running(), await running()]
  const [mine, next] = [await enroll(campaign, one), await enroll(later, one)]
  const token = (await tokensOf([mine])).get(mine) as string
  expect((await link(token, 'manage', 'GET')).body).toMatchObject({
    store: { key: shop.store.key, name: expect.any(String) },
    audience: null,
    status: null,
    delivery_status: 'subscribed',
    email: expect.stringContaining('…'),
  })
  expect((await link(token)).body).toMatchObject({ audience: null, delivery_status: 'unsubscribed' })
  const { rows } = await database().query(
    'select consent_status, consent_source from contact_channels where contact_id = $1',
    [one.contact_id],
  )
  expect(rows).toEqual([{ consent_status: 'withdrawn', consent_source: 'unsubscribe_link' }])
  // The other campaign does not send to it either.
  expect([await statusOf(mine), await statusOf(next), await wanted(next)]).toEqual(['unsubscribed', 'active', false])
  const { body } = await shop.asOperator('GET', `/campaigns/${campaign}`)
  expect(body.status).toBe('completed')
})

test('A click counts for an address that the contact has no more, and that campaigns still mail', async () => {
  for (const change of ['replaced', 'removed', 'deleted']) {
    const [one, first, later] = [await contact(), await running(), await running()]
    const [mine, next] = [await enroll(first, one), await enroll(later, one)]
    const token = (await tokensOf([mine])).get(mine) as string
    const path = `/contacts/${one.contact_id}`
    const channel = (await shop.asOperator('GET', `${path}/channels`)).body.items[0].id
    const email = newEmail('new')
    if (change === 'deleted')
      expect((await shop.asOperator('DELETE', `${path}/channels/${channel}`)).status).toBeLessThan(300)
    else expect((await shop.asOperator('PUT', path, { email: change === 'replaced' ? email : null })).status).toBe(200)
    const answers = await atOnce(4, () => link(token))
    expect(answers.map(({ status, body }) => [status, body.delivery_status])).toEqual(
      Array(4).fill([200, 'unsubscribed']),
    )
    expect([change, await statusOf(mine), await wanted(next)]).toEqual([change, 'unsubscribed', false])
    const { rows } = await database().query(
      'select owned, is_primary, consent_status from contact_channels where tenant_id = $1 and address = $2',
      [shop.store_id, one.email],
    )
    expect(rows).toEqual([{ owned: false, is_primary: false, consent_status: 'withdrawn' }])
    if (change === 'replaced') expect((await shop.asOperator('GET', path)).body.email).toBe(email)
  }
})

test('A click after the last message is counted, and one after a reply changes the consent alone', async () => {
  const campaign = await running()
  for (const [before, after] of [
    ['completed', 'unsubscribed'],
    ['unknown', 'unsubscribed'],
    ['replied', 'replied'],
  ]) {
    const one = await contact()
    const id = await enroll(campaign, one)
    const token = (await tokensOf([id])).get(id) as string
    await database().query('update enrollments set status = $2 where id = $1', [id, before])
    expect((await link(token)).status).toBe(200)
    expect([before, await statusOf(id)]).toEqual([before, after])
  }
})

test('The link of a newsletter changes neither a membership nor billing', async () => {
  const [member, one, campaign] = [await recipient(), await contact(), await running()]
  const ids = [await enroll(campaign, member), await enroll(campaign, one)]
  for (const token of (await tokensOf(ids)).values()) {
    for (const path of ['confirm', 'subscription/cancel', 'subscription/resume'])
      expect((await link(token, path)).status).toBe(403)
    const card = { body: { token, return_url: 'https://shop.example/' } }
    expect((await http('POST', '/v1/customer/audiences/payment-method', card)).status).toBe(403)
  }
  const withoutMember = (await tokensOf(ids)).get(ids[1] as string) as string
  expect((await link(withoutMember, 'resubscribe')).status).toBe(403)
})

test('Unsubscribing in any other way keeps a campaign from sending to the member', async () => {
  const campaign = await running()
  const [page, operator, bounced, opted, ended] = await Promise.all([
    recipient(),
    recipient(),
    recipient(),
    recipient(),
    recipient(),
  ])
  const ids = await Promise.all([page, operator, bounced, opted, ended].map((one) => enroll(campaign, one)))
  expect(await Promise.all(ids.map(wanted))).toEqual(Array(5).fill(true))
  await link(page.manage)
  const channelOf = async ({ contact_id }: Recipient) =>
    (await shop.asOperator('GET', `/contacts/${contact_id}/channels`)).body.items[0].id
  const change = async (one: Recipient, body: object) =>
    expect(
      (await shop.asOperator('PUT', `/contacts/${one.contact_id}/channels/${await channelOf(one)}`, body)).status,
    ).toBe(200)
  await change(operator, { consent: { status: 'withdrawn' } })
  await change(bounced, { status: 'bounced' })
  // The owner of the address opts out of the audience: the opt-out holds for all that show the address.
  await database().query(
    `insert into audience_opt_outs (id, created_at, updated_at, tenant_id, audience_id, address) values ($1, 1, 1, $2, $3, $4)`,
    [newId(), shop.store_id, opted.audience_id, opted.email],
  )
  await database().query(`update audience_members set status = 'removed', ended_at = 1 where id = $1`, [
    ended.member_id,
  ])
  expect(await Promise.all(ids.map(wanted))).toEqual(Array(5).fill(false))
  expect(await Promise.all(ids.map(statusOf))).toEqual(['unsubscribed', 'active', 'active', 'active', 'active'])
})
