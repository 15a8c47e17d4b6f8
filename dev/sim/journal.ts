// Changes are on disk before the response: one line has everything that one request changed, so a kill leaves all of it
// or nothing.
import { closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'

type Part = [name: string, value: unknown]

const restores = new Map<string, (value: unknown) => void>()
let pending: Part[] = []
let file: number | undefined

/** Declares a part of the journal. The returned function adds a value to the next line. */
export function part<T>(name: string, restore: (value: T) => void): (value: T) => void {
  restores.set(name, restore as (value: unknown) => void)
  return (value) => {
    pending.push([name, value])
  }
}

export function openJournal(dir: string): void {
  mkdirSync(dir, { recursive: true })
  const path = join(dir, 'journal.jsonl')
  closeSync(openSync(path, 'a'))
  const bytes = readFileSync(path)
  // A truncated line has had no response.
  const whole = bytes.lastIndexOf('\n') + 1
  if (whole < bytes.length) truncateSync(path, whole)
  for (const line of bytes.subarray(0, whole).toString().split('\n')) {
    if (line) for (const [name, value] of JSON.parse(line) as Part[]) restores.get(name)?.(value)
  }
  file = openSync(path, 'a')
}

export function commit(): void {
  if (pending.length === 0 || file === undefined) return
  const line = `${JSON.stringify(pending)}\n`
  pending = []
  writeSync(file, line)
}
