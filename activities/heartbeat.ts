// Work that is longer than a moment says that it lives: a worker that died is missed within seconds.
import { Context } from '@temporalio/activity'

/** In an activity. Whoever cancels it, what is being done is finished. */
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
