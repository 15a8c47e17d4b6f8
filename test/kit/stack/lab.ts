// A stack of one test file's own, for what no other test may meet: killed and paused processes, servers that are
// stopped, short limits.
//   const lab = await startLab('refunds', { SEND_LIMIT_MS: '1000' })   in beforeAll; `await lab.stop()` in afterAll
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Process } from '../../../dev/parts.ts'
import { everyPart, type PartName, type Stack, startStack } from '../../../dev/stack.ts'
import type { QueueName } from '../../../rules/queues.ts'
import { until } from '../codes.ts'
import { mustBeReadable } from '../database/readable-statements.ts'
import { mustNotSpin } from './spinning.ts'

export type Lab = {
  stack: Stack
  /**
   * Makes the next attempt that passes this step, of this row or of any row of this table, die, pause, stall or fail
   * (activities/kit/failpoints.ts).
   */
  failAt(step: string, whom: string, action: 'kill' | 'stop' | 'throw' | 'hold' | `wait:${number}`): void
  /** Resolves when that has happened. */
  failed(step: string, whom: string): Promise<void>
  /** Attempts that are held at these steps continue. */
  release(points: readonly (readonly [step: string, whom: string])[]): void
  startWorker(env?: Record<string, string>): Promise<Process>
  stop(): Promise<void>
}

/**
 * All parts and queues where none are named. Each queue costs every starting worker half a second of processor time.
 */
export type Needs = { parts?: PartName[]; queues?: QueueName[] }

/**
 * The settings apply to every process of the lab and to this one, so that shop.ts and our own code in this process use
 * the lab as well.
 */
export async function startLab(
  name: string,
  settings: Record<string, string> = {},
  { parts, queues }: Needs = {},
): Promise<Lab> {
  // In the family of the shared stack's folder: what a killed run left behind is deleted with the next one.
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), `tillwright-test-${process.pid}-${name}-`))
  // All labs begin as copies of one database, to which the migrations were applied before the first test.
  const copyOf = process.env.TEST_DATABASE
  const wanted = (parts ?? everyPart).filter((part) => part !== 'migrations' || !copyOf)
  const stack = await startStack({ dir, fast: true, parts: wanted, ...(copyOf ? { copyOf } : {}) })
  const failpoints = path.join(dir, 'failpoints')
  fs.mkdirSync(failpoints)
  const env: Record<string, string> = {
    ...settings,
    FAILPOINTS: failpoints,
    // Bundled once for all of them.
    ...(process.env.TEST_BUNDLE ? { WORKFLOW_BUNDLE: process.env.TEST_BUNDLE } : {}),
  }
  Object.assign(process.env, stack.env, env, { TEST_API: stack.urls.api, TEST_API_2: stack.urls.api })
  Object.assign(process.env, {
    TEST_STRIPE: stack.urls.stripe,
    TEST_STRIPE_CONTROL: stack.urls.stripe_control,
    TEST_SOCIAL: stack.urls.social ?? '',
    TEST_MAIL: stack.urls.mail,
    TEST_IMAP: String(stack.ports.imap),
  })
  const file = (step: string, whom: string) => path.join(failpoints, whom.includes('-') ? `${step}.${whom}` : step)
  return {
    stack,
    failAt(step, whom, action) {
      fs.rmSync(`${file(step, whom)}.hit`, { force: true })
      fs.writeFileSync(file(step, whom), `${action} ${whom}`)
    },
    failed: (step, whom) => until(async () => fs.existsSync(`${file(step, whom)}.hit`), 60_000, 20).then(() => {}),
    release(points) {
      for (const [step, whom] of points) fs.rmSync(`${file(step, whom)}.hit`, { force: true })
    },
    startWorker: (more = {}) => stack.startWorker({ ...env, ...more }, queues && ['--queues', queues.join(',')]),
    async stop() {
      if (process.env.TEST_KEEP) fs.cpSync(path.join(dir, 'logs'), `${dir}-kept`, { recursive: true })
      try {
        mustBeReadable(path.join(dir, 'logs'))
        await mustNotSpin(stack.env.TEMPORAL_ADDRESS as string)
      } finally {
        await stack.stop()
      }
    },
  }
}
