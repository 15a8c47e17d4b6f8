// Runs a script for a while, a batch and a commit at a time. Whoever is killed loses one batch, and another worker goes on with the next.
import type { EntityManager } from '../../entities/kit/orm.ts'
import { giveUpScript, moveScript, type RunningScript, takeScript } from '../../entities/platform/script-runs.ts'
import { isScript } from '../../rules/platform/scripts.ts'
import { statement, transaction } from '../database.ts'
import { failpoint } from '../failpoints.ts'
import { beating } from '../heartbeat.ts'
import { draining } from '../once.ts'
import { scripts } from './index.ts'
import { ScriptRefusal, type Step } from './script.ts'

/** After this long somebody else may have a turn; a worker that is to stop is let go much sooner, between two batches. */
const sliceMs = 30_000

const now = () => Math.floor(Date.now() / 1000)

async function stepOf(em: EntityManager, { name, value, progress }: RunningScript): Promise<Step & { refused: boolean }> {
  // Of a later version than this worker: another one may know it.
  if (!isScript(name)) throw new Error('this worker has no such script')
  try {
    return { ...(await scripts[name](em, value, progress)), refused: false }
  } catch (error) {
    if (!(error instanceof ScriptRefusal)) throw error
    return { progress, message: error.message, over: true, refused: true }
  }
}

/** Whether it is over. */
const batch = (id: string): Promise<boolean> =>
  transaction(async (em) => {
    const run = await takeScript(em, id)
    if (!run) return true
    const { refused, over, message, progress } = await stepOf(em, run)
    await moveScript(em, id, { message, progress, status: refused ? 'failed' : over ? 'succeeded' : 'running' }, now())
    await failpoint('script_batch', 'script_runs', id)
    return over
  })

/** `more`: it is not over, and whoever is there goes on. */
export const runScript = (id: string): Promise<'more' | 'over'> =>
  beating(async () => {
    const until = performance.now() + sliceMs
    while (!draining.now && performance.now() < until) if (await batch(id)) return 'over'
    return 'more'
  })

/** Nobody goes on with it; what it did stays. */
export async function failScript(id: string): Promise<void> {
  await statement((em) => giveUpScript(em, id, 'Given up; the log of the workers says why. It was this far: ', now()))
}
