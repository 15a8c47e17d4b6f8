// Finds or makes a `temporal` command with a server that is new enough, says what it is doing, and fails with what to install.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cacheFolder } from './cache.ts'
import { start } from './child.ts'

const run = promisify(execFile)
/** The newest version whose module file has no `replace`, which `go install` refuses. */
const version = '1.5.1'
const built = path.join(cacheFolder, `temporal-${version}`, 'temporal')
const downloads = path.join(cacheFolder, 'temporal-sdk')

type Say = (line: string) => void

/** Does it run, with server 1.29 or newer? */
async function fits(command: string): Promise<boolean> {
  try {
    const { stdout } = await run(command, ['--version'], { timeout: 10_000 })
    const [, major, minor] = /Server (\d+)\.(\d+)/.exec(stdout) ?? []
    return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 29)
  } catch {
    return false
  }
}

const downloaded = () => (fs.existsSync(downloads) ? fs.readdirSync(downloads) : []).map((name) => path.join(downloads, name))

/** The download of Temporal's own SDK. Where nothing has begun to arrive after 8 seconds, nothing will. */
async function download(say: Say): Promise<string | null> {
  say('Temporal: downloading its development server with the SDK ...')
  fs.mkdirSync(downloads, { recursive: true })
  for (const part of downloaded().filter((file) => file.endsWith('.downloading'))) if (Date.now() - fs.statSync(part).mtimeMs > 60_000) fs.rmSync(part)
  const child = start(process.execPath, [fileURLToPath(new URL('./temporal-download.ts', import.meta.url)), downloads], { name: 'temporal download' })
  const since = Date.now()
  while (child.running() && Date.now() - since < (downloaded().length ? 300_000 : 8_000)) await Promise.race([child.ended, sleep(250)])
  await child.stop(1000)
  for (const file of downloaded()) if (!file.endsWith('.downloading') && (await fits(file))) return file
  say('Temporal: the download cannot be reached from here')
  return null
}

async function build(say: Say): Promise<string | null> {
  const { stdout } = await run('go', ['version']).catch(() => ({ stdout: '' }))
  if (!stdout) return null
  const since = Date.now()
  const seconds = () => Math.round((Date.now() - since) / 1000)
  say(`Temporal: building its command ${version} with ${stdout.split(' ')[2]} (once, about five minutes on two cores) ...`)
  const bin = `${path.dirname(built)}-${process.pid}`
  fs.mkdirSync(bin, { recursive: true })
  const child = start('go', ['install', `github.com/temporalio/cli/cmd/temporal@v${version}`], {
    name: 'go install',
    env: { ...process.env, GOBIN: bin, GOFLAGS: '', GOOS: '', GOARCH: '' },
  })
  const progress = setInterval(() => say(`Temporal: still building (${seconds()} s)`), 20_000)
  await child.ended
  clearInterval(progress)
  // The command appears in one step: another start sees all of it or nothing.
  fs.mkdirSync(path.dirname(built), { recursive: true })
  if (fs.existsSync(path.join(bin, 'temporal'))) fs.renameSync(path.join(bin, 'temporal'), built)
  fs.rmSync(bin, { recursive: true, force: true })
  if (await fits(built)) return built
  say(`Temporal: the build failed:\n${child.tail()}`)
  return null
}

export async function temporalCommand(say: Say = () => {}): Promise<string> {
  const given = process.env.TEMPORAL_CLI
  if (given) {
    if (await fits(given)) return given
    throw new Error(`TEMPORAL_CLI is ${given}, which is not a temporal command with server 1.29 or newer`)
  }
  for (const candidate of ['temporal', built, ...downloaded()]) if (await fits(candidate)) return candidate
  const made = (await download(say)) ?? (await build(say))
  if (made) return made
  throw new Error(
    `There is no Temporal: install its command (https://docs.temporal.io/cli, ${version} or newer) and put it on the path or name it in TEMPORAL_CLI, ` +
      'or install Go 1.25 or newer, so that we can build it, or name a running server in TEMPORAL_ADDRESS.',
  )
}
