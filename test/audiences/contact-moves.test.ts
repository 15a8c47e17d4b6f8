// Memberships follow their contact, each change is published once, and no token is in an event or a log.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { moveMemberships } from '../../entities/audiences/contact-moves.ts'
import { endMemberships } from '../../entities/audiences/sweep.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { eventShapes } from '../../rules/webhooks/event-shapes.ts'
import type { StoreEventType } from '../../rules/webhooks/events.ts'
import { rowsRun } from '../../workers/reconciler.ts'
import { memberOf, newAudience, newConfirmation, newContact, setMember, tokenIn } from '../kit/audiences/audiences.ts'
import { mailTo, prove } from '../kit/codes.ts'
import { database, eitherApi, http, newEmail, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
let orm: Orm
const now = () => Math.floor(Date.now() / 1000)
const types = [
  'added',
  'removed',
  'pending',
  'confirmed',
  'access_cancelled',
  'email_unsubscribed',
  'email_resubscribed',
].map((name) => `audience.member_${name}` as StoreEventType)
beforeAll(async () => {
  ;[shop, orm] = await Promise.all([newShop(), openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })])
  const hook = {
    key: unique(),
    url: 'https://hooks.example/',
    headers: {},
    secret: `whsec_${'signsAll'.repeat(4)}`,
    enabled: true,
  }
  const made = await shop.asOperator('POST', '/webhooks', { ...hook, events: types.map((event) => ({ event })) })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
})
afterAll(() => orm.close(true))

const add = async (audience: string, contact_id: string) =>
  (await shop.asOperator('POST', `/audiences/${audience}/members`, { contact_id })).body
const merge = (from: string, to: string) =>
  unitOf(orm, shop.store_id).transactional((em) =>
    moveMemberships(em, shop.store_id, from, to, now(), { both: 'refuse' }),
  )
type Event = { type: StoreEventType; data: { member: Record<string, unknown>; merged_into?: string } }
const eventsOf = async (audience: string): Promise<Event[]> =>
  (
    await database().query<Event>(
      `select type, data from events where tenant_id = $1 and data->'member'->>'audience_id' = $2 order by id`,
      [shop.store_id, audience],
    )
  ).rows
const namesOf = async (audience: string) =>
  (await eventsOf(audience)).map(({ type }) => type.replace('audience.member_', ''))

test('A membership moves to the other contact if that one is no member', async () => {
  const { id } = await newAudience(shop)
  const [from, to] = [await newContact(shop), await newContact(shop)]
  const member = await add(id, from.id)
  await merge(from.id, to.id)
  expect(await memberOf(shop, id, from.id)).toBeUndefined()
  expect(await memberOf(shop, id, to.id)).toEqual({
    ...member,
    contact_id: to.id,
    contact: to,
    updated_at: expect.any(Number),
  })
  expect(await namesOf(id)).toEqual(['added'])
})

test('Of two memberships of one audience the better stays, with the opt-outs of both', async () => {
  const { id } = await newAudience(shop)
  const [from, to] = [await newContact(shop), await newContact(shop)]
  const [source, target] = [await add(id, from.id), await add(id, to.id)]
  const at = now()
  await setMember(source.id, {
    opted_out: true,
    delivery_status: 'unsubscribed',
    fields: '{"a": 1, "b": 1}',
    lead_description: 'old',
    paid_through_at: at + 300,
    access_until: at + 600,
  })
  await setMember(target.id, {
    status: 'removed',
    ended_at: 5,
    fields: '{"b": 2}',
    paid_through_at: at + 900,
    access_until: at + 900,
  })
  const { rows } = await database().query(
    "select id from member_tokens where member_id in ($1, $2) and scope = 'manage' order by id",
    [source.id, target.id],
  )
  await merge(from.id, to.id)
  expect(await memberOf(shop, id, to.id)).toMatchObject({
    ...{
      id: source.id,
      status: 'active',
      delivery_status: 'unsubscribed',
      fields: { a: 1, b: 2 },
      lead_description: 'old',
    },
    ...{ paid_through_at: at + 900, access_until: at + 900 },
  })
  const kept = await database().query('select id from member_tokens where member_id = $1 order by id', [source.id])
  expect(kept.rows).toEqual(rows)
  const last = (await eventsOf(id)).at(-1)
  expect(last).toMatchObject({
    type: 'audience.member_removed',
    data: { member: { id: target.id, status: 'removed' }, merged_into: source.id },
  })
  await merge(from.id, to.id)
  expect((await eventsOf(id)).length).toBe(3)
})

test.each([
  ['the member that stays', [1, 0]],
  ['the member that is merged', [0, 1]],
])('Of two opt-outs of one address the earlier one stays, also if it is of %s', async (_, order) => {
  const { id } = await newAudience(shop)
  const email = newEmail()
  const visitors = [await shop.visitor(email), await shop.visitor(email)] as const
  const tokens: string[] = []
  for (const visitor of visitors)
    tokens.push(tokenIn((await visitor.call('POST', `/audiences/${id}/subscribe`, {})).body.member.manage_url))
  for (const n of order)
    expect((await http('POST', `/v1/customer/audiences/unsubscribe?token=${tokens[n]}`)).status).toBe(200)
  const optOuts = async () =>
    (await database().query('select id, claimant_id from audience_opt_outs where audience_id = $1 order by id', [id]))
      .rows
  const [first, second] = await optOuts()
  expect(second).toBeDefined()
  await merge(visitors[0].contact_id, visitors[1].contact_id)
  const { id: kept } = await memberOf(shop, id, visitors[1].contact_id)
  expect(await optOuts()).toEqual([{ id: first.id, claimant_id: kept }])
})

test('Signing in moves the memberships of an anonymous visitor to the contact of the address', async () => {
  const { id } = await newAudience(shop)
  const owner = await newContact(shop)
  const visitor = await shop.visitor()
  await visitor.call('POST', `/audiences/${id}/subscribe`, {})
  await prove(visitor, owner.email)
  expect((await visitor.call('GET', `/audiences/${id}/access`)).body).toMatchObject({
    has_access: true,
    member: { contact_id: owner.id },
  })
  expect((await visitor.call('GET', '/audiences/members')).body.items).toHaveLength(1)
})

test('Every change of a membership is published once, as the API shows it, without tokens', async () => {
  const [open, confirmation] = [await newAudience(shop), await newConfirmation(shop)]
  const email = newEmail('reader')
  const visitor = await shop.visitor(email)
  const subscribe = async (id: string) => (await visitor.call('POST', `/audiences/${id}/subscribe`, {})).body.member
  const member = await subscribe(open.id)
  await subscribe(open.id)
  const manage = tokenIn(member.manage_url)
  for (const path of ['unsubscribe', 'unsubscribe', 'resubscribe', 'resubscribe'])
    await http('POST', `/v1/customer/audiences/${path}?token=${manage}`)
  await shop.asOperator('DELETE', `/audiences/${open.id}/members/${member.id}`)
  expect(await namesOf(open.id)).toEqual(['added', 'email_unsubscribed', 'email_resubscribed', 'removed'])
  await subscribe(confirmation.id)
  await subscribe(confirmation.id)
  const token = tokenIn(/https?:\S+/.exec((await mailTo(email, 2)).text)?.[0] as string)
  const confirmed = await Promise.all(
    Array.from({ length: 8 }, () =>
      http('POST', `/v1/customer/audiences/confirm?token=${token}`, { base: eitherApi() }),
    ),
  )
  expect(confirmed.map(({ status, body }) => [status, body.status])).toEqual(Array(8).fill([200, 'active']))
  const { id } = await memberOf(shop, confirmation.id, visitor.contact_id)
  await setMember(id, { paid_through_at: 5, access_until: 5 })
  await endMemberships(rowsRun(orm, now()))
  await endMemberships(rowsRun(orm, now()))
  expect(await namesOf(confirmation.id)).toEqual(['pending', 'confirmed', 'added', 'access_cancelled'])
  const events = [...(await eventsOf(open.id)), ...(await eventsOf(confirmation.id))]
  for (const { type, data } of events)
    expect(
      eventShapes[type].strict().safeParse({ id: 'x', type, created_at: 1, store_id: shop.store_id, data }).error,
    ).toBeUndefined()
  expect(JSON.stringify(events)).not.toContain('till_ml_')
  expect((await eventsOf(confirmation.id)).at(-1)?.data.member).toEqual(
    await memberOf(shop, confirmation.id, visitor.contact_id),
  )
  // What waits to be mailed is encrypted, and workflows get its id alone.
  const { rows } = await database().query('select m::text as row from mails m where tenant_id = $1', [shop.store_id])
  expect(rows.length).toBeGreaterThan(1)
  expect(rows.filter(({ row }) => row.includes('till_ml_') || row.includes(email))).toEqual([])
})

test('A membership that is not confirmed for 30 days is deleted, or is again what it was', async () => {
  const { id } = await newConfirmation(shop)
  const [fresh, former] = [await shop.visitor(newEmail()), await shop.visitor(newEmail())]
  const subscribe = async (visitor: typeof fresh) =>
    (await visitor.call('POST', `/audiences/${id}/subscribe`, {})).body.member
  const [one, two] = [await subscribe(fresh), await subscribe(former)]
  await shop.asOperator('DELETE', `/audiences/${id}/members/${two.id}`)
  await setMember(two.id, { ended_at: 7 })
  expect((await subscribe(former)).ended_at).toBeNull()
  for (const { id: member } of [one, two]) await setMember(member, { pending_since: now() - 30 * 86_400 + 60 })
  await endMemberships(rowsRun(orm, now()))
  expect((await memberOf(shop, id, fresh.contact_id)).status).toBe('pending')
  for (const { id: member } of [one, two]) await setMember(member, { pending_since: now() - 30 * 86_400 - 60 })
  await endMemberships(rowsRun(orm, now()))
  expect(await memberOf(shop, id, fresh.contact_id)).toBeUndefined()
  expect(await memberOf(shop, id, former.contact_id)).toMatchObject({ status: 'removed', ended_at: 7 })
})
