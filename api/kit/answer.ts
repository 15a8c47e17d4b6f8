// What happens between the commit and the answer: workflows that somebody waits for are started, and the row is read until it says how it went.
import { setTimeout as pause } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { client, startWorkflow } from '../../adapters/temporal.ts'
import { config } from '../../config.ts'
import { type Orm, unitOf } from '../../entities/kit/orm.ts'
import { remove, type Start, takeAwaited } from '../../entities/kit/outbox.ts'
import { described } from '../../entities/worklist.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { Route } from './route.ts'

/** False: the engine is away; the outbox keeps the rows, and the relay starts them when it is back. */
async function startAll(orm: Orm, starts: Start[]): Promise<boolean> {
  try {
    await Promise.all((await described(unitOf(orm, null), starts)).map((one) => startWorkflow(client(), one)))
  } catch {
    return false
  }
  // Nobody waits for this: a row that stays is started once more, which is nothing.
  void remove(
    unitOf(orm, null),
    starts.map(({ id }) => id),
  ).catch(() => {})
  return true
}

export async function settled(
  orm: Orm,
  route: Route,
  committed: EntityManager,
  path: Record<string, string>,
  tenantId: string,
  result: unknown,
  undo?: () => Promise<unknown>,
): Promise<unknown> {
  const starts = takeAwaited(committed)
  const { wait } = route
  const started = starts.length === 0 || (await startAll(orm, starts))
  if (!wait || (wait.when && !wait.when(result as never))) return result
  if (started) {
    const until = performance.now() + config.answerWaitMs
    for (let waitMs = 5; ; waitMs = Math.min(50, waitMs * 1.5)) {
      const found = await wait.until({ em: unitOf(orm, tenantId), path, result: result as never, tenant_id: tenantId })
      if (found instanceof Refusal) {
        await undo?.()
        throw found
      }
      if (found !== undefined) return found
      if (performance.now() + waitMs > until) break
      await pause(waitMs)
    }
  }
  return wait.late(result as never, !started)
}
