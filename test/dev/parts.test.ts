// A process that is replaced: one takes its place, and none where the part was stopped meanwhile.
import { afterEach, expect, test } from '@jest/globals'
import { type Child, start } from '../../dev/child.ts'
import { type Part, part } from '../../dev/parts.ts'
import { until } from '../kit/codes.ts'

let begun: Child[] = []
let gate = Promise.resolve()
const name = 'sleep'
const first = () => begun[0] as Child
const running = () => begun.filter((child) => child.running()).length

async function started(): Promise<Part> {
  begun = []
  gate = Promise.resolve()
  const sleeping = part(async () => {
    const child = start('sleep', ['1000'], { name })
    begun.push(child)
    await gate
    return child
  })
  await sleeping.start()
  return sleeping
}
afterEach(async () => void (await Promise.all(begun.map((child) => child.stop(0)))))

test('A process that is replaced ends, and one other takes its place, however often it is asked', async () => {
  const sleeping = await started()
  await Promise.all([sleeping.replace(first()), sleeping.start(), sleeping.replace(first())])
  expect([begun.length, running(), sleeping.running(), first().running()]).toEqual([2, 1, true, false])
})

test('A part that is stopped before or while its process is replaced stays stopped', async () => {
  const sleeping = await started()
  await Promise.all([sleeping.stop(), sleeping.replace(first())])
  expect([begun.length, running(), sleeping.running()]).toEqual([1, 0, false])

  const again = await started()
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  const replaced = again.replace(first())
  await until(async () => begun.length === 2)
  const stopped = again.stop()
  resolve()
  await Promise.all([replaced, stopped])
  expect([begun.length, running(), again.running()]).toEqual([2, 0, false])
})

test('A part whose replacement did not start can be stopped and started', async () => {
  const sleeping = await started()
  gate = Promise.reject(new Error('no'))
  await expect(sleeping.replace(first())).rejects.toThrow('no')
  await begun[1]?.stop(0)
  gate = Promise.resolve()
  await sleeping.stop()
  await sleeping.start()
  expect([running(), sleeping.running()]).toEqual([1, true])
})
