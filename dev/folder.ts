// One stack per folder, by a lock that a killed owner does not block; and temporary folders that are removed with their
// run.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { forget } from './servers/postgres-home.ts'
import { forgetTemporal } from './servers/temporal.ts'

/** A process id alone proves nothing: after a restart of the machine another process may have it. */
function isStack(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const command = fs.existsSync('/proc/self')
      ? fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' })
    return command.includes('dev/main.ts')
  } catch {
    return false
  }
}

/** Locks the folder. Fails if a running stack holds the lock. `inherited`: the previous owner did not release it. */
export function takeFolder(dir: string): { inherited: boolean; release(): void } {
  fs.mkdirSync(dir, { recursive: true })
  const file = path.join(dir, 'stack.pid')
  for (let inherited = false; ; inherited = true) {
    try {
      fs.writeFileSync(file, String(process.pid), { flag: 'wx' })
      const release = () => {
        for (const mine of [file, path.join(dir, 'stack.json')]) fs.rmSync(mine, { force: true })
      }
      return { inherited, release }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      const owner = Number(fs.readFileSync(file, 'utf8'))
      if (isStack(owner))
        throw new Error(
          `A stack is already running (process ${owner}); ${path.join(dir, 'stack.json')} has its addresses.`,
        )
      fs.rmSync(file, { force: true })
    }
  }
}

/** Whether no process has this id. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    // EPERM: the process runs under another user.
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

/**
 * A folder for this run, named after its kind and this process. Removes folders and databases of killed processes; kept
 * logs (`…-kept`) stay.
 */
export function freshFolder(kind: string): string {
  const at = os.tmpdir()
  for (const name of fs.readdirSync(at)) {
    const pid = /^tillwright-[a-z]+-(\d+)-/.exec(name)?.[1]
    if (!pid || name.endsWith('-kept') || !isGone(Number(pid))) continue
    try {
      for (const data of ['pg', 'migrated/pg']) forget(path.join(at, name, data))
      fs.rmSync(path.join(at, name), { recursive: true, force: true })
    } catch {
      // It belongs to another user.
    }
  }
  const dir = fs.mkdtempSync(path.join(at, `tillwright-${kind}-${process.pid}-`))
  fs.chmodSync(dir, 0o755) // PostgreSQL may run as another user
  return dir
}

/** Removes the files of a stack by name: the folder may hold others. */
export function emptyFolder(dir: string): void {
  forget(path.join(dir, 'pg'))
  forgetTemporal(path.join(dir, 'temporal.db'))
  for (const name of [
    'stripe',
    'mail',
    'media',
    'logs',
    'keys.json',
    'seed.json',
    'stack.json',
    'stack.env',
    'shop.json',
    'ports.json',
  ])
    fs.rmSync(path.join(dir, name), { recursive: true, force: true })
}
