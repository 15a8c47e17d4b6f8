// Finds, downloads or builds a `temporal` command whose server keeps its database, reports progress, and fails with
// what to install.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cacheFolder } from '../cache.ts'
import { start } from '../child.ts'

const run = promisify(execFile)
/**
 * What is built where the download is not reachable. With its own driver of SQLite, server 1.29 cannot use its database
 * any more after a call that is cancelled just after its first row: the driver leaves the statement of that call open,
 * and SQLite interrupts every later statement of the server's one connection. Server 1.30 has a driver without the
 * fault.
 */
const version = '1.5.1'
const driver = '1.51.0'
const built = path.join(cacheFolder, `temporal-${version}-sqlite-${driver}`, 'temporal')
const module = `module tillwright.local/temporal

go 1.25

require (
	github.com/temporalio/cli v${version}
	modernc.org/sqlite v${driver}
)
`
/** The first server with such a driver, as a minor version of 1. */
const oldest = 30
const downloads = path.join(cacheFolder, 'temporal-sdk')

type Say = (line: string) => void

/** Whether the command runs, and its server is recent or built by us. */
async function fits(command: string): Promise<boolean> {
  try {
    const { stdout } = await run(command, ['--version'], { timeout: 10_000 })
    const [, major, minor] = /Server (\d+)\.(\d+)/.exec(stdout) ?? []
    return command === built || Number(major) > 1 || (Number(major) === 1 && Number(minor) >= oldest)
  } catch {
    return false
  }
}

const downloaded = () =>
  (fs.existsSync(downloads) ? fs.readdirSync(downloads) : []).map((name) => path.join(downloads, name))

/** Downloads with Temporal's SDK. Gives up if no byte arrives within 8 seconds. */
async function download(say: Say): Promise<string | null> {
  say('Temporal: downloading the development server with the SDK ...')
  fs.mkdirSync(downloads, { recursive: true })
  for (const part of downloaded().filter((file) => file.endsWith('.downloading')))
    if (Date.now() - fs.statSync(part).mtimeMs > 60_000) fs.rmSync(part)
  const child = start(
    process.execPath,
    [fileURLToPath(new URL('./temporal-download.ts', import.meta.url)), downloads],
    { name: 'temporal download' },
  )
  const since = Date.now()
  while (child.running() && Date.now() - since < (downloaded().length ? 300_000 : 8_000))
    await Promise.race([child.ended, sleep(250)])
  await child.stop(1000)
  for (const file of downloaded()) if (!file.endsWith('.downloading') && (await fits(file))) return file
  say('Temporal: the download is not reachable')
  return null
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Another process builds it at this moment, in the folder that it has for that. */
const isBeingBuilt = (): boolean => {
  const prefix = `${path.basename(path.dirname(built))}-`
  const names = fs.existsSync(cacheFolder) ? fs.readdirSync(cacheFolder) : []
  return names.some((name) => name.startsWith(prefix) && isRunning(Number(name.slice(prefix.length))))
}

/** Waits for the build of another process: two at once would take twice as long. */
async function builtByAnother(say: Say): Promise<string | null> {
  if (!isBeingBuilt()) return null
  say(`Temporal: waiting for the command ${version}, which another start is building ...`)
  while (isBeingBuilt()) await sleep(500)
  return (await fits(built)) ? built : null
}

async function build(say: Say): Promise<string | null> {
  const { stdout } = await run('go', ['version']).catch(() => ({ stdout: '' }))
  if (!stdout) return null
  const since = Date.now()
  const seconds = () => Math.round((Date.now() - since) / 1000)
  say(
    `Temporal: building the command ${version} with ${stdout.split(' ')[2]} (once, about five minutes on two cores) ...`,
  )
  const bin = `${path.dirname(built)}-${process.pid}`
  fs.mkdirSync(bin, { recursive: true })
  fs.writeFileSync(path.join(bin, 'go.mod'), module)
  const child = start('go', ['build', '-mod=mod', '-o', 'temporal', 'github.com/temporalio/cli/cmd/temporal'], {
    ...{ name: 'go build', cwd: bin },
    env: { ...process.env, GOFLAGS: '', GOWORK: 'off', GOOS: '', GOARCH: '' },
  })
  const progress = setInterval(() => say(`Temporal: still building (${seconds()} s)`), 20_000)
  await child.ended
  clearInterval(progress)
  // Renamed into place: another start never sees a partial file.
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
    throw new Error(`TEMPORAL_CLI is ${given}, which is not a temporal command with server 1.${oldest} or newer.`)
  }
  for (const candidate of ['temporal', built, ...downloaded()]) if (await fits(candidate)) return candidate
  const command = (await builtByAnother(say)) ?? (await download(say)) ?? (await build(say))
  if (command) return command
  throw new Error(
    'Temporal is missing: install its command (https://docs.temporal.io/cli, 1.6 or newer) on the path, ' +
      'or name it in TEMPORAL_CLI, or install Go 1.25 or newer, so that we can build it, or name a running server in TEMPORAL_ADDRESS.',
  )
}
