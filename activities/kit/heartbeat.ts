// Heartbeats of longer activities: Temporal notices a dead worker within seconds.
import { Context } from '@temporalio/activity'

/** Sends heartbeats while an activity works. A cancellation does not stop the work. */
export async function beating<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current()
  const beat = setInterval(() => context.heartbeat(), 2_000)
  context.cancelled.catch(() => {})
  try {
    return await work()
  } finally {
    clearInterval(beat)
  }
}
