// Members change their card on the provider's own page: every visit gets a link, and all links of an account share one
// configuration.
import { beforeAll, expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import {
  memberToken,
  newPaidClub,
  newPaidMember,
  type PaidClub,
  type PaidMember,
} from '../kit/audiences/paid-members.ts'
import { stripeApi } from '../kit/effects/provider.ts'
import { apiWith, atOnce, connected, fault, ledger, refusalOf, stripe } from '../kit/orders/buying.ts'
import { type Answer, database, eitherApi, http, newShop, type Shop } from '../kit/shop.ts'

type Own = { shop: Shop; account: string; club: PaidClub }
async function paidShop(): Promise<Own> {
  const shop = await newShop()
  const account = await connected(shop)
  return { shop, account, club: await newPaidClub(shop, account) }
}

let own: Own
beforeAll(async () => {
  own = await paidShop()
})

const return_url = 'https://shop.example/manage'
const open = (token: string, body: Record<string, unknown> = {}, base?: string): Promise<Answer> =>
  http('POST', `/v1/customer/audiences/payment-method?token=${token}`, { body: { return_url, ...body }, base })

const tokenOf = ({ shop }: Own, member: PaidMember, scope?: string) => memberToken(shop, member, scope)
const configurations = async (account: string) => (await stripe(account, '/billing_portal/configurations')).data

test('A member gets a link to the page of the card, and the portal cannot cancel or change plans', async () => {
  const member = await newPaidMember(own.shop, own.club)
  const answer = await open(await tokenOf(own, member))
  expect([answer.status, answer.body]).toEqual([200, { portal_url: expect.stringMatching(/\/_sim\/portal#test_\w+$/) }])
  const [configuration, ...others] = await configurations(own.account)
  expect(others).toEqual([])
  expect(configuration.features).toMatchObject({
    payment_method_update: { enabled: true },
    invoice_history: { enabled: true },
    subscription_cancel: { enabled: false },
    subscription_pause: { enabled: false },
    subscription_update: { enabled: false },
  })
  const { rows } = await database().query('select url, evidence from portal_links where subscription_id = $1', [
    member.subscription_id,
  ])
  expect(rows).toHaveLength(1)
  expect(rows[0].url).not.toContain('/_sim/portal')
})

test('The workflow of a link has a summary that names the member', async () => {
  const member = await newPaidMember(own.shop, own.club)
  expect((await open(await tokenOf(own, member))).status).toBe(200)
  const { rows } = await database().query('select id from portal_links where subscription_id = $1', [
    member.subscription_id,
  ])
  const connection = await Connection.connect({ address: String(process.env.TEMPORAL_ADDRESS) })
  const described = await new Client({ connection }).workflow.getHandle(`portal/${rows[0].id}`).describe()
  expect(await described.staticSummary()).toBe(
    `portal link for member ${member.member_id}, store ${own.shop.store.key}`,
  )
  await connection.close()
})

test('Twenty first visits through two servers get twenty links and one configuration', async () => {
  const another = await paidShop()
  const token = await tokenOf(another, await newPaidMember(another.shop, another.club))
  const answers = await atOnce(20, (n) => open(token, { return_url: `${return_url}/${n}` }, eitherApi()))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(new Set(answers.map(({ body }) => body.portal_url)).size).toBe(20)
  expect((await ledger(another.account, '/v1/billing_portal/configurations')).map(({ times }) => times)).toEqual([1])
})

test('Equal visits within ten seconds get one link, and another page or a later visit another', async () => {
  const member = await newPaidMember(own.shop, own.club)
  const token = await tokenOf(own, member)
  const answers = await atOnce(10, () => open(token, {}, eitherApi()))
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.portal_url}`)).size).toBe(1)
  await open(token, { return_url: 'https://shop.example/another' })
  await database().query('update portal_links set created_at = created_at - 11 where subscription_id = $1', [
    member.subscription_id,
  ])
  expect((await open(token)).body.portal_url).not.toBe(answers[0]?.body.portal_url)
  expect(
    (await database().query('select 1 from portal_links where subscription_id = $1', [member.subscription_id]))
      .rowCount,
  ).toBe(3)
})

test('A configuration whose answer was lost is found by its metadata and not created again', async () => {
  const another = await paidShop()
  const token = await tokenOf(another, await newPaidMember(another.shop, another.club))
  await fault({
    method: 'POST',
    path: '/v1/billing_portal/configurations',
    account: another.account,
    fault: 'reset_after_read',
    after_effect: true,
  })
  for (const page of ['one', 'two'])
    expect((await open(token, { return_url: `${return_url}/${page}` })).status).toBe(200)
  expect(await configurations(another.account)).toHaveLength(1)
  const { rows } = await database().query(
    'select status, provider_configuration_id from portal_configurations where provider_account_id = $1',
    [another.account],
  )
  expect(rows).toEqual([{ status: 'unknown', provider_configuration_id: expect.stringMatching(/^bpc_/) }])
})

test('A configuration that the provider never made is 503, and the next visit creates it', async () => {
  const another = await paidShop()
  const token = await tokenOf(another, await newPaidMember(another.shop, another.club))
  await fault({
    method: 'POST',
    path: '/v1/billing_portal/configurations',
    account: another.account,
    fault: 'reset_after_read',
  })
  expect(refusalOf(await open(token))).toEqual([503, undefined, 'provider_retryable'])
  expect((await open(token)).status).toBe(200)
  expect(await configurations(another.account)).toHaveLength(1)
})

test('A configuration that the account deactivated is replaced by the next visit', async () => {
  const another = await paidShop()
  const token = await tokenOf(another, await newPaidMember(another.shop, another.club))
  expect((await open(token)).status).toBe(200)
  const [{ id }] = await configurations(another.account)
  await stripeApi(another.account, `/v1/billing_portal/configurations/${id}`, { active: 'false' })
  const refused = await open(token, { return_url: `${return_url}/again` })
  expect(refusalOf(refused)).toEqual([422, undefined, 'portal_rejected'])
  // In our words: the provider's speak to developers.
  expect(refused.body.detail).toBe('The payment provider did not accept the request.')
  expect((await open(token, { return_url: `${return_url}/again` })).status).toBe(200)
  expect((await configurations(another.account)).map(({ active }: { active: boolean }) => active).sort()).toEqual([
    false,
    true,
  ])
})

test('A link whose answer was lost is 503, and the next request gets another link', async () => {
  const token = await tokenOf(own, await newPaidMember(own.shop, own.club))
  await fault({
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    account: own.account,
    fault: 'reset_after_read',
    after_effect: true,
  })
  const lost = await open(token)
  expect(refusalOf(lost)).toEqual([503, undefined, 'provider_retryable'])
  expect(lost.headers.get('retry-after')).not.toBeNull()
  expect((await open(token)).status).toBe(200)
})

test('A slow provider is 503, and a refusal of the provider is 422', async () => {
  const token = await tokenOf(own, await newPaidMember(own.shop, own.club))
  const impatient = await apiWith({ ANSWER_WAIT_MS: '100' })
  try {
    await fault({
      method: 'POST',
      path: '/v1/billing_portal/sessions',
      account: own.account,
      fault: 'delay',
      delay_ms: 4_000,
    })
    expect(refusalOf(await open(token, {}, impatient.url))).toEqual([503, undefined, 'provider_retryable'])
  } finally {
    await impatient.stop()
  }
  await fault({
    method: 'POST',
    path: '/v1/billing_portal/sessions',
    account: own.account,
    fault: 'status',
    status: 400,
  })
  expect(refusalOf(await open(token, { return_url: `${return_url}/again` }))).toEqual([
    422,
    undefined,
    'portal_rejected',
  ])
})

test('A member without a live subscription that is charged repeatedly is 409', async () => {
  const member = await newPaidMember(own.shop, own.club)
  const token = await tokenOf(own, member)
  await database().query(`update subscriptions set status = 'ended', ended_at = 1 where id = $1`, [
    member.subscription_id,
  ])
  expect(refusalOf(await open(token))).toEqual([409, undefined, 'no_billing_customer'])
})

test('The thirty-first change of a membership within 15 minutes is 429 and requests nothing', async () => {
  const member = await newPaidMember(own.shop, own.club)
  const token = await tokenOf(own, member)
  const { rows } = await database().query('select member_id from subscriptions where id = $1', [member.subscription_id])
  const now = Math.floor(Date.now() / 1000)
  // Of this window and the next one, which may begin meanwhile.
  for (const at of [now - (now % 900), now - (now % 900) + 900])
    await database().query('insert into rate_windows (key, started_at, count, expires_at) values ($1, $2, 30, $3)', [
      `member:${rows[0].member_id}`,
      at,
      at + 900,
    ])
  expect(refusalOf(await open(token))).toEqual([429, undefined, 'too_many_requests'])
  expect(
    (await database().query('select 1 from portal_links where subscription_id = $1', [member.subscription_id]))
      .rowCount,
  ).toBe(0)
})

test('A link to the portal needs the scope of the manage page and an address to return to', async () => {
  const member = await newPaidMember(own.shop, own.club)
  expect(refusalOf(await open(await tokenOf(own, member, 'unsubscribe')))).toEqual([403, undefined, 'forbidden'])
  expect((await open('till_ml_unknown')).status).toBe(401)
  const token = await tokenOf(own, member)
  for (const bad of [undefined, 'http://shop.example/', 'https://a:b@shop.example/'])
    expect(refusalOf(await open(token, { return_url: bad })).slice(0, 2)).toEqual([422, '/return_url'])
})
