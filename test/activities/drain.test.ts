// A drain: what its attempts and results do to it when the database fails.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MockActivityEnvironment } from '@temporalio/testing'
import { closeDatabase } from '../../activities/kit/database.ts'
import { drains } from '../../activities/kit/drain.ts'
import { newId } from '../../entities/kit/ids.ts'
import { newShop, type Shop } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(closeDatabase)

test('An attempt that fails ends its drain, which waits for the others and writes their results', async () => {
  const happened: string[] = []
  const others = Promise.withResolvers<void>()
  let due = [1, 2, 3]
  const drain = drains<{ others_wait: boolean }, number>((id) => ({
    attend: async () => ({ others_wait: false }),
    clear: async () => {},
    leave: async () => null,
    place: () => ({ tenant_id: shop.store_id, queue: 'campaigns', kind: 'dispatch', row_id: id }),
    begin: () => ({
      changed() {},
      slots: () => 10,
      free: () => 10,
      async lease() {
        const leased = due
        due = []
        return leased
      },
      async attempt(leased) {
        if (leased === 1) {
          // The others are answered after the failure.
          setImmediate(others.resolve)
          throw new Error('the database is away')
        }
        await others.promise
        happened.push(`attempt ${leased}`)
      },
      isOver: () => false,
      async end() {
        happened.push('end')
      },
    }),
  }))
  await expect(new MockActivityEnvironment().run(drain, newId())).rejects.toThrow('the database is away')
  expect(happened).toEqual(['attempt 2', 'attempt 3', 'end'])
})
