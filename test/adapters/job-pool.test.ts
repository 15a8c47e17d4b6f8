// A job whose member does not start in time fails with the error of a busy machine, and later jobs get a member again.
import { expect, test } from '@jest/globals'
import { type Member, newJobPool } from '../../adapters/job-pool.ts'

const owner = { account: 'a', tenant: 't' }

test('Jobs are refused as late when no member starts in time, and the next one succeeds', async () => {
  let started = 0
  const ended: number[] = []
  const pool = newJobPool<string, string, Member<string>>({
    size: 1,
    start({ ready, reply }) {
      const n = ++started
      if (n > 1) queueMicrotask(ready)
      return { send: (task) => reply(task.toUpperCase()), end: () => void ended.push(n), hold: () => {} }
    },
    watch: () => () => {},
    startMs: 1,
    late: () => new Error('busy'),
    idleMs: 60_000,
  })
  const refused = [pool.run(owner, 'a'), pool.run(owner, 'b')]
  expect((await Promise.allSettled(refused)).map((one) => one.status === 'rejected' && one.reason.message)).toEqual([
    'busy',
    'busy',
  ])
  expect(ended).toEqual([1])
  expect(await pool.run(owner, 'c')).toBe('C')
  expect(started).toBe(2)
})
