// Work is counted for the account that created a tenant: many stores of one account take its turns, with any members
// in their teams.
import { afterAll, expect, test } from '@jest/globals'
import { described } from '../../entities/descriptions.ts'
import { openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { ownerOf } from '../../entities/stores/tenant-owner.ts'
import { processes } from '../../rules/processes.ts'
import { database, newStore, operator } from '../kit/shop.ts'

const orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
afterAll(async () => {
  await orm.close(true)
  await database().end()
})
const em = () => unitOf(orm, null)

test('The stores of one account have one owner, and images of all of them one turn', async () => {
  const [one, other] = [await operator(), await operator()]
  const [first, second, theirs] = [await newStore(one), await newStore(one), await newStore(other)]
  expect(await Promise.all([first, second, theirs].map(({ id }) => ownerOf(em(), id)))).toEqual([
    { account: one.account_id, tenant: first.id },
    { account: one.account_id, tenant: second.id },
    { account: other.account_id, tenant: theirs.id },
  ])
  const starts = [first, second, theirs].map(({ id }) => ({ kind: 'media' as const, row_id: id, tenant_id: id }))
  expect((await described(em(), starts)).map(({ turn }) => turn)).toEqual([
    one.account_id,
    one.account_id,
    other.account_id,
  ])
  expect(processes.media).toMatchObject({ queue: 'media', turns: 'account' })
  expect(
    (await described(em(), [{ kind: 'dispatch', row_id: first.id, tenant_id: first.id }]))[0]?.turn,
  ).toBeUndefined()
})

test('A store whose account was deleted stands for itself', async () => {
  const one = await operator()
  const store = await newStore(one)
  await database().query('delete from accounts where id = $1', [one.account_id])
  expect(await ownerOf(em(), store.id)).toEqual({ account: store.id, tenant: store.id })
})
