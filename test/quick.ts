// The answer to a change in about three minutes: the checks, all rules, and every guide on the real stack (at least one
// journey of each domain), side by side.
//   npm run test:quick
import { spawn } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js']
// The guides start a stack of their own, and rules need none.
const withoutStack = { ...process.env, TEST_STACK: 'none' }

type Part = { name: string; command: string; args: string[]; env?: NodeJS.ProcessEnv }
const parts: Part[] = [
  { name: 'check', command: 'npm', args: ['run', '--silent', 'check'] },
  { name: 'rules', command: process.execPath, args: [...jest, '--maxWorkers=1', 'test/rules'], env: withoutStack },
  { name: 'guides', command: process.execPath, args: [...jest, 'test/repository/docs.test.ts'], env: withoutStack },
]

/** Prints the output of a part that fails. Returns whether it passed. */
async function passes({ name, command, args, env = process.env }: Part): Promise<boolean> {
  const begun = performance.now()
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => output.push(bytes))
  const code = await new Promise((done) => child.once('close', done))
  const seconds = ((performance.now() - begun) / 1000).toFixed(0)
  if (code !== 0) process.stdout.write(`${Buffer.concat(output)}\n`)
  console.log(`${name}: ${code === 0 ? 'passed' : 'FAILED'} after ${seconds} s`)
  return code === 0
}

const passed = await Promise.all(parts.map(passes))
if (passed.includes(false)) process.exitCode = 1
