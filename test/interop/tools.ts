// Independent tools at pinned versions, fetched once from their registries into the user's cache folder.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '../../dev/cache.ts'

const run = promisify(execFile)

/** A tool is not available on this machine: its case is skipped with the reason. */
export class Missing extends Error {}

export const versions = {
  schemathesis: '4.32.5',
  'openapi-spec-validator': '0.9.0',
  'openapi-python-client': '0.29.1',
  aiosmtpd: '1.4.6',
  standardwebhooks: '1.1.0',
  svix: '2.9.1',
  cryptography: '50.0.2',
  '@redocly/cli': '2.77.0',
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  typescript: '5.9.3',
  '@types/node': '24.19.2',
  'stripe-mock': '0.203.0',
  versitygw: '1.8.0',
} as const
type Tool = keyof typeof versions

export type Say = (line: string) => void

const firstLine = (error: unknown) => {
  const { stderr = '', message } = error as { stderr?: string; message: string }
  const lines = (stderr || message).trim().split('\n')
  return (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? message).slice(0, 200)
}

/** A folder of the cache, filled once. A folder that an interrupted run left incomplete is filled again. */
async function folder(name: string, say: Say, fill: (dir: string) => Promise<void>): Promise<string> {
  const dir = path.join(cacheFolder, `interop-${name}`)
  const complete = path.join(dir, '.complete')
  if (fs.existsSync(complete)) return dir
  fs.rmSync(dir, { recursive: true, force: true })
  fs.mkdirSync(dir, { recursive: true })
  say(`Fetching ${name} (once) ...`)
  try {
    await fill(dir)
  } catch (error) {
    fs.rmSync(dir, { recursive: true, force: true })
    throw error instanceof Missing ? error : new Missing(`${name} cannot be fetched: ${firstLine(error)}`)
  }
  fs.writeFileSync(complete, '')
  return dir
}

async function need(command: string, args: string[], what: string): Promise<string> {
  try {
    return (await run(command, args)).stdout.trim()
  } catch {
    throw new Missing(`there is no ${what} on this machine`)
  }
}

const pinned = (tools: readonly Tool[], sign: string) => tools.map((tool) => `${tool}${sign}${versions[tool]}`)

/** The interpreter of a virtual environment with these packages. */
export async function python(name: string, tools: readonly Tool[], say: Say): Promise<string> {
  const version = await need(
    'python3',
    ['-c', 'import sys, venv; print("%d.%d" % sys.version_info[:2])'],
    'Python 3 with venv',
  )
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < 3 || minor < 10) throw new Missing(`Python is ${version}, 3.10 or newer is needed`)
  const dir = await folder(`python-${name}`, say, async (at) => {
    await run('python3', ['-m', 'venv', at])
    await run(path.join(at, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...pinned(tools, '==')], {
      maxBuffer: 1e8,
    })
  })
  return path.join(dir, 'bin/python')
}

/** The folder whose node_modules holds these packages. Their install scripts do not run. */
export async function npm(name: string, tools: readonly Tool[], say: Say): Promise<string> {
  await need('npm', ['--version'], 'npm')
  return folder(`npm-${name}`, say, async (dir) => {
    fs.writeFileSync(path.join(dir, 'package.json'), '{"private": true, "type": "module"}')
    await run(
      'npm',
      [
        'install',
        '--prefix',
        dir,
        '--ignore-scripts',
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
        ...pinned(tools, '@'),
      ],
      { maxBuffer: 1e8 },
    )
  })
}

/** A command built from a Go module. */
export async function go(tool: Tool, module: string, say: Say): Promise<string> {
  await need('go', ['version'], 'Go')
  const dir = await folder(`${tool}-${versions[tool]}`, say, async (at) => {
    await run('go', ['install', `${module}@v${versions[tool]}`], { env: { ...process.env, GOBIN: at }, maxBuffer: 1e8 })
  })
  return path.join(dir, tool)
}
