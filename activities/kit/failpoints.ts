// Outside production, a test can make a worker die, pause, stall or fail at a named step of one effect.
// FAILPOINTS is a folder: a file `<step>` (or `<step>.<id>`) in it contains `<action> <table or id or *>`, and the
// first attempt that matches consumes it.
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { config } from '../../config.ts'

function take(file: string, table: string, id: string): { action: string; hit: string } | undefined {
  try {
    const [action = '', whom] = fs.readFileSync(file, 'utf8').trim().split(' ')
    if (whom !== '*' && whom !== table && whom !== id) return undefined
    const hit = `${file}.hit`
    fs.renameSync(file, hit)
    return { action, hit }
  } catch {
    return undefined
  }
}

export async function failpoint(step: string, table: string, id: string): Promise<void> {
  const folder = config.failpoints
  if (!folder) return
  const match = take(path.join(folder, `${step}.${id}`), table, id) ?? take(path.join(folder, step), table, id)
  if (!match) return
  const { action, hit } = match
  if (action === 'kill') process.kill(process.pid, 'SIGKILL')
  if (action === 'stop') process.kill(process.pid, 'SIGSTOP')
  if (action === 'throw') throw new Error(`failpoint ${step}`)
  if (action.startsWith('wait:')) await pause(Number(action.slice(5)))
  // Until the test removes the `.hit` file.
  while (action === 'hold' && fs.existsSync(hit)) await pause(20)
  // A signal to ourselves arrives when the loop turns.
  await pause(5)
}
