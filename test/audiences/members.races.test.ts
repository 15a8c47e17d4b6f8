// Joining beside requests that change the address, opt out or join as well: no opt-out is missed, and equal requests do
// not deadlock.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { unit } from '../../api/kit/unit.ts'
import { lockForVisitor } from '../../entities/audiences/audiences.ts'
import { addMember, joinOpen } from '../../entities/audiences/members.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { decrypt } from '../../entities/kit/encrypted.ts'
import { newId } from '../../entities/kit/ids.ts'
import { memberOf, newAudience, newContact, tokenIn } from '../kit/audiences/audiences.ts'
import { until } from '../kit/codes.ts'
import { waitersOf } from '../kit/database/locks.ts'
import { database, http, newEmail, newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
let orm: Orm
beforeAll(async () => {
  ;[shop, orm] = await Promise.all([newShop(), openOrm({ url: process.env.DATABASE_URL as string, pool: 3 })])
})
afterAll(async () => {
  await orm.close(true)
  await database().end()
})

const now = () => Math.floor(Date.now() / 1000)
const unsubscribe = (token: string) => http('POST', `/v1/customer/audiences/unsubscribe?token=${token}`)
const add = async (audience: string, contact_id: string): Promise<string> =>
  (await shop.asOperator('POST', `/audiences/${audience}/members`, { contact_id })).body.id
const manageOf = async (member: string) =>
  decrypt(
    (await database().query(`select value from member_tokens where member_id = $1 and scope = 'manage'`, [member]))
      .rows[0].value,
  )

test('A contact whose address changes while it is added does not miss an opt-out of the new one', async () => {
  const { id } = await newAudience(shop)
  const [contact, owner] = [await newContact(shop), await newContact(shop)]
  const token = await manageOf(await add(id, owner.id))
  const changing = await database().connect()
  const em = unitOf(orm, shop.store_id)
  await em.begin()
  try {
    const [{ pid }] = (await em.execute('select pg_backend_pid() as pid')) as [{ pid: number }]
    const waits = async () =>
      (await database().query(`select 1 from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`, [pid]))
        .rowCount === 1
    await changing.query('begin')
    await changing.query('select 1 from contacts where id = $1 for update', [contact.id])
    await changing.query(
      `insert into contact_channels (id, created_at, updated_at, tenant_id, contact_id, type, address, owned, is_primary) values ($1, 1, 1, $2, $3, 'email', $4, false, true)`,
      [newId(), shop.store_id, contact.id, owner.email],
    )
    const adding = addMember(em, shop.store_id, id, { contact_id: contact.id }, now())
    await until(waits)
    await changing.query('commit')
    expect((await adding).member.delivery_status).toBe('subscribed')
    let answered = false
    const opting = unsubscribe(token).finally(() => {
      answered = true
    })
    await until(async () => answered || (await waitersOf(pid)).length > 0)
    await em.commit()
    expect((await opting).status).toBe(200)
  } finally {
    changing.release(true)
    if (em.isInTransaction()) await em.rollback()
  }
  expect([
    (await memberOf(shop, id, contact.id)).delivery_status,
    (await memberOf(shop, id, owner.id)).delivery_status,
  ]).toEqual(Array(2).fill('unsubscribed'))
})

test('Two equal joins of a member who opted out take their locks once, without a deadlock', async () => {
  const { id } = await newAudience(shop)
  const visitor = await shop.visitor(newEmail())
  const { member } = (await visitor.call('POST', `/audiences/${id}/subscribe`, {})).body
  expect((await unsubscribe(tokenIn(member.manage_url))).status).toBe(200)
  expect((await shop.asOperator('DELETE', `/audiences/${id}/members/${member.id}`)).status).toBe(200)
  const { rows } = await database().query('select id from contact_sessions where contact_id = $1', [visitor.contact_id])
  let begun = 0
  const join = () =>
    unit(orm, async (em) => {
      const audience = await lockForVisitor(em, shop.store_id, id, { session_id: rows[0].id, verified: false })
      begun++
      // Both have read the visitor's address before either joins.
      await until(async () => begun >= 2)
      return joinOpen(em, shop.store_id, id, audience.contact_id, now())
    })
  const joined = await Promise.all([join(), join()])
  expect([begun, ...joined.map(({ result }) => result)]).toEqual([2, member.id, member.id])
  expect(await memberOf(shop, id, visitor.contact_id)).toMatchObject({
    status: 'active',
    delivery_status: 'subscribed',
  })
})
