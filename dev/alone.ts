// Runs a program with a stack of its own. It reads nothing from the environment, and removes its folder, database and
// processes when it ends or is stopped.
import fs from 'node:fs'
import path from 'node:path'
import { stopAll } from './child.ts'
import { freshFolder } from './folder.ts'
import { forget } from './servers/postgres-home.ts'
import { forgetSettings } from './stack-env.ts'

/**
 * Exits with 0 if `work` returns true, with 1 if it returns false or throws, with 128 plus the signal's number on a
 * signal. `keep` keeps the logs.
 */
export async function alone(
  kind: string,
  work: (dir: string) => Promise<boolean>,
  { keep = false } = {},
): Promise<void> {
  forgetSettings()
  const dir = freshFolder(kind)
  let stopping = false
  async function stop(code: number): Promise<void> {
    if (stopping) return
    stopping = true
    process.exitCode = code
    await stopAll()
    if (keep) fs.cpSync(path.join(dir, 'logs'), `${dir}-kept`, { recursive: true })
    forget(path.join(dir, 'pg'))
    fs.rmSync(dir, { recursive: true, force: true })
    process.exit(code)
  }
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }))
    process.on(signal, () => void stop(code))
  try {
    await stop((await work(dir)) ? 0 : 1)
  } catch (error) {
    console.error(error instanceof Error ? error.stack : error)
    await stop(1)
  }
}
