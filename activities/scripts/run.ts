// Runs a slice of a script, one batch per commit. A worker that is killed loses one batch, and another continues with
// it.
import { unixNow } from '../../adapters/clock.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { giveUpScript, moveScript, type RunningScript, takeScript } from '../../entities/platform/script-runs.ts'
import { isScript } from '../../rules/platform/scripts.ts'
import { statement, transaction } from '../kit/database.ts'
import { failpoint } from '../kit/failpoints.ts'
import { slice } from '../kit/slices.ts'
import { scripts } from './index.ts'
import { ScriptRefusal, type Step } from './script.ts'

async function stepOf(
  em: EntityManager,
  { name, value, progress }: RunningScript,
): Promise<Step & { refused: boolean }> {
  // A script of a later version than this worker: Temporal retries on another worker.
  if (!isScript(name)) throw new Error('this worker has no such script')
  try {
    return { ...(await scripts[name](em, value, progress)), refused: false }
  } catch (error) {
    if (!(error instanceof ScriptRefusal)) throw error
    return { progress, message: error.message, over: true, refused: true }
  }
}

/** Runs one batch of a script. True if the script has ended. */
const batch = (id: string): Promise<boolean> =>
  transaction(async (em) => {
    const run = await takeScript(em, id)
    if (!run) return true
    const { refused, over, message, progress } = await stepOf(em, run)
    await moveScript(
      em,
      id,
      { message, progress, status: refused ? 'failed' : over ? 'succeeded' : 'running' },
      unixNow(),
    )
    await failpoint('script_batch', 'script_runs', id)
    return over
  })

export const runScript = (id: string): Promise<'more' | 'over'> => slice(() => batch(id))

/** Ends the run as failed; its batches stay. */
export async function failScript(id: string): Promise<void> {
  await statement((em) => giveUpScript(em, id, 'Given up: see the log of the workers. Progress: ', unixNow()))
}
