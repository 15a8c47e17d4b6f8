// Between the commit and the answer, the row is read until it says how it went: a worker's relay starts its workflow.
import { setTimeout as pause } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { client, startWorkflow } from '../../adapters/temporal.ts'
import { config } from '../../config.ts'
import { type Orm, unitOf } from '../../entities/kit/orm.ts'
import { remove, type Start, stillThere, takeAwaited } from '../../entities/kit/outbox.ts'
import { described } from '../../entities/worklist.ts'
import { Refusal } from '../../rules/refusal.ts'
import type { Route } from './route.ts'

/** A relay starts what is in the outbox within 25 ms; after this, the API starts it itself, and learns whether Temporal is there. */
const relayMs = 1_000

/** Starts what no relay has started. False: Temporal is unreachable; the outbox keeps the rows, and a relay starts them when it is back. */
async function startLeft(orm: Orm, starts: readonly Start[]): Promise<boolean> {
  const left = await stillThere(
    unitOf(orm, null),
    starts.map(({ id }) => id),
  )
  if (left.size === 0) return true
  const late = starts.filter(({ id }) => left.has(id))
  try {
    await Promise.all((await described(unitOf(orm, null), late)).map((one) => startWorkflow(client(), one)))
  } catch {
    return false
  }
  // Not awaited: a row that stays is started once more, which changes nothing.
  void remove(unitOf(orm, null), [...left]).catch(() => {})
  return true
}

/** Of each route, about how long its answers took lately, in milliseconds: the first look waits for so long, because earlier ones only cost processor time. */
const usualMs = new WeakMap<Route, number>()
const usualMaxMs = 1_000

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
  if (!wait || (wait.when && !wait.when(result as never))) return result
  const begun = performance.now()
  const until = begun + config.answerWaitMs
  const usual = usualMs.get(route) ?? 0
  let started = starts.length === 0
  await pause(Math.min(usual, config.answerWaitMs))
  for (let looks = 0, waitMs = Math.max(5, 0.1 * usual); ; looks++, waitMs = Math.min(50, waitMs * 1.5)) {
    const found = await wait.until({ em: unitOf(orm, tenantId), path, result: result as never, tenant_id: tenantId })
    if (found instanceof Refusal) {
      await undo?.()
      throw found
    }
    if (found !== undefined) {
      // What the first look finds was there for a while.
      usualMs.set(route, looks === 0 ? 0.85 * usual : Math.min(usualMaxMs, usual + 0.3 * (performance.now() - begun - usual)))
      return found
    }
    if (!started && performance.now() - begun > Math.min(relayMs, 0.5 * config.answerWaitMs)) {
      started = await startLeft(orm, starts)
      if (!started) return wait.late(result as never, true)
    }
    if (performance.now() + waitMs > until) break
    await pause(waitMs)
  }
  return wait.late(result as never, false)
}
