// The connections of a process to mail servers are shared in turns of the tenants.
import { expect, test } from '@jest/globals'
import { newPermits } from '../../activities/providers/smtp-pool.ts'
import { ownOwner } from '../kit/owners.ts'

test('Connections of a process are given in turns of the tenants', async () => {
  const permits = newPermits(1)
  const first = await permits.acquire(ownOwner('loud'))
  const order: string[] = []
  const waiting = ['loud', 'loud', 'quiet'].map((tenant) =>
    permits.acquire(ownOwner(tenant)).then((release) => {
      order.push(tenant)
      release()
    }),
  )
  expect(permits.isScarce()).toBe(true)
  first()
  await Promise.all(waiting)
  expect(order).toEqual(['loud', 'quiet', 'loud'])
})
