// Accounts take turns, and so do the tenants of an account: many jobs, or many tenants, of one delay no other.
import { expect, test } from '@jest/globals'
import { newPermits } from '../../activities/providers/smtp-pool.ts'
import { newTurns, type Owner } from '../../rules/fair-queue.ts'

const of = (account: string, tenant = account): Owner => ({ account, tenant })

test('An account with five hundred tenants has every second turn beside an account with one', () => {
  const turns = newTurns<string>()
  for (let tenant = 0; tenant < 500; tenant++) turns.add(of('many', `${tenant}`), 'many')
  for (let job = 0; job < 5; job++) turns.add(of('one'), 'one')
  expect(Array.from({ length: 12 }, () => turns.next())).toEqual([
    ...Array(5).fill(['many', 'one']).flat(),
    'many',
    'many',
  ])
  expect(turns.waiting()).toBe(505 - 12)
})

test('The tenants of an account take turns, in the order in which they came', () => {
  const turns = newTurns<string>()
  for (const [tenant, job] of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((job) => [job[0], job] as const))
    turns.add(of('x', tenant), job)
  expect(turns.waiting(of('x', 'a'))).toBe(3)
  expect(Array.from({ length: 7 }, () => turns.next())).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined])
})

test('A job whose account may not go on is passed over and keeps its place', () => {
  const turns = newTurns<string>()
  turns.add(of('a'), 'a')
  turns.add(of('b'), 'b')
  expect(turns.next((account) => account !== 'a')).toBe('b')
  expect(turns.next((account) => account !== 'a')).toBeUndefined()
  expect([turns.waiting(), turns.next()]).toEqual([1, 'a'])
})

test('Permits have a share of each account, and the rest waits for others', async () => {
  const permits = newPermits(4, 2)
  const granted: string[] = []
  const ask = (account: string, tenant: string) =>
    permits.acquire(of(account, tenant)).then((release) => {
      granted.push(tenant)
      return release
    })
  const first = ask('many', '1')
  for (const tenant of ['2', '3', '4']) void ask('many', tenant)
  await first
  await Promise.resolve()
  expect([granted, permits.isScarce()]).toEqual([['1', '2'], true])
  await ask('other', 'o')
  expect(granted).toEqual(['1', '2', 'o'])
  ;(await first)()
  await new Promise(setImmediate)
  expect(granted).toEqual(['1', '2', 'o', '3'])
})
