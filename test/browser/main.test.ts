// Arguments of the checks in a browser that fit nothing fail before anything is started.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from '@jest/globals'

const run = (...args: string[]) => {
  const file = path.join(import.meta.dirname, 'main.ts')
  const { status, stdout } = spawnSync(process.execPath, [file, ...args], { encoding: 'utf8', timeout: 60_000 })
  return [status, stdout.trim()]
}

test('A filter that fits no check of the browser fails and names the filter', () => {
  expect(run('--only', 'no such chekc')).toEqual([1, "No check has a sentence that fits --only 'no such chekc'."])
}, 90_000)

test('A limit of the checks of the browser that is no number of seconds fails', () => {
  expect(run('--within', 'soon')).toEqual([1, "--within: expected seconds, not 'soon'."])
}, 90_000)
