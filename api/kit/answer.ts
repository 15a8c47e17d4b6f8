// Between the commit and the answer: starts the workflows that the request waits for, and polls their rows until they have an outcome.
import { setTimeout as pause } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { client, startWorkflow } from '../../adapters/temporal.ts'
import { config } from '../../config.ts'
import { type Orm, unitOf } from '../../entities/kit/orm.ts'
import { remove, type Start, takeAwaited } from '../../entities/kit/outbox.ts'
import { described } from '../../entities/worklist.ts'
import { Refusal } from '../../rules/refusal.ts'
import { Reply, type Route } from './route.ts'

/** Returns false if Temporal is unreachable: the rows stay in the outbox, and the relay starts the workflows later. */
async function startAll(orm: Orm, starts: Start[]): Promise<boolean> {
  try {
    await Promise.all((await described(unitOf(orm, null), starts)).map((one) => startWorkflow(client(), one)))
  } catch {
    return false
  }
  // Not awaited: if the delete fails, the relay starts the workflow a second time, which has no effect.
  void remove(
    unitOf(orm, null),
    starts.map(({ id }) => id),
  ).catch(() => {})
  return true
}

type Answered = { em: EntityManager; path: Record<string, string>; tenant_id: string; result: unknown; undo?: () => Promise<unknown> }

/** The body and status of the answer. `em` is the committed unit of work; `undo` is called before a refusal that `until` returned is thrown. */
export async function answerOf(orm: Orm, route: Route, { em, path, tenant_id, result, undo }: Answered): Promise<{ body: unknown; status: number }> {
  const starts = takeAwaited(em)
  const { wait } = route
  const started = starts.length === 0 || (await startAll(orm, starts))
  const reply = result instanceof Reply ? (result as Reply<never, unknown>) : null
  const status = reply?.status ?? route.status
  const body = reply ? reply.body : (result as never)
  const pending = reply?.pending
  if (!wait || pending === undefined) return { body, status }
  if (started) {
    const until = performance.now() + config.answerWaitMs
    for (let waitMs = 5; ; waitMs = Math.min(50, waitMs * 1.5)) {
      const found = await wait.until({ em: unitOf(orm, tenant_id), path, result: body, pending, tenant_id })
      if (found instanceof Refusal) {
        await undo?.()
        throw found
      }
      if (found !== undefined) return { body: found, status }
      if (performance.now() + waitMs > until) break
      await pause(waitMs)
    }
  }
  return { body: wait.late(body, !started), status }
}
