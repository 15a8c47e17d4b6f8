// Enrollments follow their contact and their membership: in merges at the same moment no contact is enrolled twice or
// lost.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { memberOf, newAudience, newContact } from '../kit/audiences/audiences.ts'
import { launch, newCampaign, newMailbox, newTemplate, setCampaign } from '../kit/campaigns/campaigns.ts'
import { codeFor } from '../kit/codes.ts'
import { made } from '../kit/content/content.ts'
import { database, eitherApi, newEmail, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let setup: { mailbox_ids: string[]; steps: object[] }
beforeAll(async () => {
  shop = await newShop()
  const [mailbox, template] = await Promise.all([newMailbox(shop), newTemplate(shop)])
  setup = { mailbox_ids: [mailbox.id], steps: [{ template_id: template.id }] }
})
afterAll(async () => database().end())

type Row = { id: string; contact_id: string; member_id: string | null; status: string; due: boolean }
const draft = async () => (await newCampaign(shop, setup)).id
const merge = (target: string, source: string) =>
  shop.asOperator('POST', `/contacts/${target}/merge`, { source_contact_id: source }, eitherApi())
const statusOf = async (campaign: string) => (await shop.asOperator('GET', `/campaigns/${campaign}`)).body.status
async function enrolled(
  campaign: string,
  contact: string,
  member: { id: string; audience_id: string } | null = null,
  status = 'active',
): Promise<string> {
  const id = newId()
  await database().query(
    `insert into enrollments (id, created_at, updated_at, tenant_id, campaign_id, contact_id, member_id, audience_id, address, variables, shuffle, status, due_at)
     values ($1::uuid, 1, 1, $2, $3, $4, $5, $6, $1 || '@tillwright.test', '{}', 1, $7, case when $7 = 'active' then now() + interval '1 day' end)`,
    [id, shop.store_id, campaign, contact, member?.id ?? null, member?.audience_id ?? null, status],
  )
  return id
}
const rowsOf = async (campaign: string): Promise<Row[]> =>
  (
    await database().query(
      'select id, contact_id, member_id, status, due_at is not null as due from enrollments where campaign_id = $1 order by id',
      [campaign],
    )
  ).rows

test('A merge moves enrollments to the target, and to the membership that stays', async () => {
  const [source, target] = [await newContact(shop), await newContact(shop)]
  const audience = await newAudience(shop)
  const add = (contact_id: string) => made(shop.asOperator('POST', `/audiences/${audience.id}/members`, { contact_id }))
  const [lost, kept] = [await add(source.id), await add(target.id)]
  const [first, second] = [await draft(), await draft()]
  const ids = [
    await enrolled(first, source.id, { id: lost.id, audience_id: audience.id }),
    await enrolled(second, target.id, { id: kept.id, audience_id: audience.id }),
  ]
  expect((await merge(target.id, source.id)).status).toBe(200)
  const member = (await memberOf(shop, audience.id, target.id)).id
  const moved = { contact_id: target.id, member_id: member, status: 'active', due: true }
  expect([...(await rowsOf(first)), ...(await rowsOf(second))]).toEqual(ids.map((id) => ({ id, ...moved })))
})

test('A merge that ends the last active enrollment completes only a running campaign', async () => {
  const [source, target] = [await newContact(shop), await newContact(shop)]
  const [running, paused] = [await draft(), await draft()]
  for (const campaign of [running, paused]) {
    await enrolled(campaign, source.id)
    await enrolled(campaign, target.id, null, 'replied')
    await made(launch(shop, campaign))
  }
  await setCampaign(paused, { status: 'paused' })
  expect((await merge(target.id, source.id)).status).toBe(200)
  expect([await statusOf(running), await statusOf(paused)]).toEqual(['completed', 'paused'])
  expect((await rowsOf(running)).map(({ status }) => status)).toEqual(['cancelled', 'replied'])
})

test('A merge ends the enrollment of the target as that of the source had ended', async () => {
  const [source, target] = [await newContact(shop), await newContact(shop)]
  const ends = ['unsubscribed', 'replied', 'complained', 'bounced']
  const campaigns: string[] = []
  for (const end of ends) {
    const campaign = await draft()
    await enrolled(campaign, source.id, null, end)
    await enrolled(campaign, target.id)
    campaigns.push(campaign)
  }
  expect((await merge(target.id, source.id)).status).toBe(200)
  const found = []
  for (const campaign of campaigns)
    found.push((await rowsOf(campaign)).find(({ contact_id }) => contact_id === target.id)?.status)
  expect(found).toEqual(['unsubscribed', 'replied', 'complained', 'active'])
})

test('Six contacts that are merged into one another at once leave one active enrollment', async () => {
  for (let round = 0; round < 3; round++) {
    const contacts = await Promise.all(Array.from({ length: 6 }, () => newContact(shop).then(({ id }) => id)))
    const [all, one] = [await draft(), await draft()]
    for (const contact of contacts) await enrolled(all, contact)
    const single = await enrolled(one, contacts[5] as string)
    const pairs = contacts.flatMap((source, n) =>
      n === 0
        ? []
        : [
            [contacts[n - 1], source],
            [source, contacts[n - 1]],
          ],
    ) as [string, string][]
    await Promise.all(pairs.map(([target, source]) => merge(target, source)))
    const left = (await database().query('select id from contacts where id = any($1)', [contacts])).rows.map(
      ({ id }) => id,
    )
    const active = (await rowsOf(all)).filter(({ status }) => status === 'active')
    expect(active.map(({ contact_id }) => contact_id).sort()).toEqual(left.sort())
    expect(await rowsOf(one)).toEqual([expect.objectContaining({ id: single, status: 'active' })])
    expect(left).toContain((await rowsOf(one))[0]?.contact_id)
  }
})

test('A visitor who signs in brings the enrollments of the address that was claimed', async () => {
  const email = newEmail('reader')
  const owner = await newContact(shop, email)
  const visitor = await shop.visitor(email)
  const campaign = await draft()
  const id = await enrolled(campaign, visitor.contact_id)
  const { challenge_id } = (await visitor.call('POST', '/account/code', { email })).body
  await made(visitor.call('POST', '/account/verify', { challenge_id, code: await codeFor(email, 1) }, eitherApi()))
  expect(await rowsOf(campaign)).toEqual([expect.objectContaining({ id, contact_id: owner.id, status: 'active' })])
})
