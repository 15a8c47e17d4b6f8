// Changes of the rows that a workflow reads: the one signal reports them and carries no data, and the workflow reads
// its rows again.
import { condition, defineSignal, setHandler, workflowInfo } from '@temporalio/workflow'

const changed = defineSignal('changed')

export type Changes = {
  /**
   * A change was signalled since the last `clear`: what was read since then may be stale. A signal after the end of the
   * workflow starts another run.
   */
  readonly signalled: boolean
  /** Called right before rows are read: a change that was signalled earlier is in what they say. */
  clear(): void
  /** Records a change that the workflow made itself. */
  signal(): void
  /**
   * Waits for a change, at most `ms` milliseconds, with a timer; false if it ended by the timer. `summary`: what the UI
   * shows beside the timer.
   */
  wait(ms: number, summary: string): Promise<boolean>
  /** Waits for a change, without a timer. */
  waitUntimed(): Promise<void>
  /** Does the work, and again while a change was signalled during it. */
  repeat(work: () => Promise<unknown>): Promise<void>
}

/**
 * Changes that no signal reports: for a workflow without a handler of it. `wait` and `waitUntimed` return the promise
 * of `condition` itself, so that the workflow continues in the same turn as after a call of its own.
 */
export function newChanges(): Changes {
  let signalled = false
  return {
    get signalled() {
      return signalled
    },
    clear() {
      signalled = false
    },
    signal() {
      signalled = true
    },
    wait: (ms, summary) => condition(() => signalled, ms, { summary }),
    waitUntimed: () => condition(() => signalled),
    async repeat(work) {
      do {
        signalled = false
        await work()
      } while (signalled)
    },
  }
}

/**
 * The changes that the signal `changed` reports. Called once, at the start of the workflow: until then, signals are
 * buffered.
 */
export function listen(): Changes {
  const changes = newChanges()
  setHandler(changed, changes.signal)
  return changes
}

/**
 * The loop of a workflow that has only one step: reads what to do, waits until it is due or a change is signalled, and
 * ends when nothing is left.
 * `leastMs`: the shortest wait. `again` continues as new.
 */
export async function attend(
  read: () => Promise<{ do: 'wait'; wait_ms: number } | { do: 'done' }>,
  { summary, leastMs, again }: { summary: string; leastMs?: number; again: () => Promise<never> },
): Promise<void> {
  const changes = listen()
  for (;;) {
    changes.clear()
    const step = await read()
    if (step.do === 'wait') await changes.wait(Math.max(step.wait_ms, leastMs ?? step.wait_ms), summary)
    else if (!changes.signalled) return
    if (workflowInfo().continueAsNewSuggested) await again()
  }
}
