// The document is valid for independent validators.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import type { Case } from './outcome.ts'
import { npm, python, versions } from './tools.ts'
import { checkPackages } from './world.ts'

/** The exit code and everything that was printed. */
export const printed = (
  command: string,
  args: string[],
  o: { cwd?: string; env?: NodeJS.ProcessEnv; timeout?: number; input?: string } = {},
) =>
  new Promise<{ code: number; text: string; out: string }>((done) => {
    const { input, ...options } = o
    const child = execFile(command, args, { maxBuffer: 1e9, timeout: 600_000, ...options }, (error, stdout, stderr) => {
      done({
        code: error ? (typeof error.code === 'number' ? error.code : 1) : 0,
        text: `${stdout}\n${stderr}`,
        out: stdout,
      })
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input ?? '')
  })

export async function documentFile({ api, dir }: { api: string; dir: string }): Promise<string> {
  const file = path.join(dir, 'openapi.json')
  fs.writeFileSync(file, await (await fetch(`${api}/openapi.json`)).text())
  return file
}

const validator: Case = {
  name: 'openapi-spec-validator',
  with: `openapi-spec-validator ${versions['openapi-spec-validator']}`,
  async run(world, say) {
    const interpreter = await python('checks', checkPackages, say)
    const { code, text } = await printed(interpreter, [
      '-m',
      'openapi_spec_validator',
      '--errors',
      'all',
      await documentFile(world),
    ])
    return { shown: 'the document', faults: code === 0 ? [] : [text.trim().slice(0, 2000)] }
  },
}

const redocly: Case = {
  name: 'redocly lint',
  with: `@redocly/cli ${versions['@redocly/cli']}`,
  async run(world, say) {
    const tools = await npm('redocly', ['@redocly/cli'], say)
    const args = [
      path.join(tools, 'node_modules/@redocly/cli/bin/cli.js'),
      'lint',
      '--extends=spec',
      '--format=json',
      await documentFile(world),
    ]
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const { out, text } = await printed(process.execPath, args, { env })
    try {
      const { problems, totals } = JSON.parse(out) as {
        problems: { severity: string; ruleId: string; message: string }[]
        totals: { warnings: number }
      }
      const errors = problems.filter(({ severity }) => severity === 'error')
      return {
        shown: `the document, ${totals.warnings} warnings`,
        faults: errors.map(({ ruleId, message }) => `${ruleId}: ${message}`),
      }
    } catch {
      return { shown: '', faults: [text.trim().slice(0, 2000)] }
    }
  },
}

export const documents = [validator, redocly]
