// Between the commit and the answer, polls the row that the request waits for until it has an outcome. A worker's relay
// starts its workflow.
import { setTimeout as pause } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import { client, startWorkflow } from '../../../adapters/temporal.ts'
import { config } from '../../../config.ts'
import { described } from '../../../entities/descriptions.ts'
import { type Orm, unitOf } from '../../../entities/kit/database/orm.ts'
import { remove, type Start, stillThere, takeAwaited } from '../../../entities/kit/outbox.ts'
import { Refusal } from '../../../rules/refusal.ts'
import type { Route } from '../route.ts'
import { NotYet, Reply } from './replies.ts'

/**
 * A relay starts the rows of the outbox within 25 ms. After this time, the API starts them itself and learns whether
 * Temporal is reachable.
 */
const relayMs = 1_000

const leaving = new AbortController()
/** The process stops: requests that wait longer than ANSWER_WAIT_MS are answered now, by what `late` gives. */
export const stopWaiting = (): void => leaving.abort()

/**
 * Starts the workflows that no relay has started. Returns false if Temporal or the database is unreachable: the rows
 * stay in the outbox, and a relay starts them later.
 */
async function startLeft(orm: Orm, starts: readonly Start[]): Promise<boolean> {
  let left: Set<string>
  try {
    left = await stillThere(
      unitOf(orm, null),
      starts.map(({ id }) => id),
    )
    const late = starts.filter(({ id }) => left.has(id))
    await Promise.all((await described(unitOf(orm, null), late)).map((one) => startWorkflow(client(), one)))
  } catch {
    return false
  }
  if (left.size === 0) return true
  // Not awaited: if the delete fails, the relay starts the workflow a second time, which has no effect.
  void remove(unitOf(orm, null), [...left]).catch(() => {})
  return true
}

/**
 * Recent answer time of each route in milliseconds. The first poll waits for this long, as earlier polls only cost
 * processor time.
 */
const usualMs = new WeakMap<Route, number>()
const usualMaxMs = 150

type Answered = {
  em: EntityManager
  path: Record<string, string>
  tenant_id: string
  result: unknown
  undo?: () => Promise<unknown>
}
type Wait = NonNullable<Route['wait']>

type Answer = { body: unknown; status: number; headers: Readonly<Record<string, string>> }

/** What `until` or `late` gave. */
const given = (found: unknown, status: number): Answer =>
  found instanceof Reply
    ? { body: found.body, status: found.status ?? status, headers: found.headers }
    : { body: found, status, headers: {} }

/** The answer without an outcome. `found`: what the last look found. */
function lateAnswer({ late }: Wait, found: unknown, engineAway: boolean, pending: unknown): unknown {
  const latest = found instanceof NotYet ? found.body : undefined
  const answer = late ? late(latest, engineAway, pending) : latest
  if (answer === undefined) throw new Error('a route that waits has neither a record nor a refusal to answer with')
  return answer
}

/**
 * The body and status of the answer. `em` is the committed unit of work; `undo` is called before a refusal that `until`
 * returned is thrown.
 */
export async function answerOf(
  orm: Orm,
  route: Route,
  { em, path, tenant_id, result, undo }: Answered,
): Promise<Answer> {
  const starts = takeAwaited(em)
  const { wait } = route
  const reply = result instanceof Reply ? (result as Reply<never, unknown>) : null
  const status = reply?.status ?? route.status
  const body = reply ? reply.body : result
  const pending = reply?.pending
  if (!wait || pending === undefined) return { body, status, headers: reply?.headers ?? {} }
  // The caller wants no answer: a relay starts what the request asked for.
  if (wait.limit_ms?.(pending) === 0) return given(lateAnswer(wait, new NotYet(body), false, pending), status)
  const begun = performance.now()
  const limitMs = wait.limit_ms?.(pending) ?? config.answerWaitMs
  const pollMs = wait.poll_ms ?? 50
  // What usually takes seconds is polled seldom from the start: four statements in the first second at most.
  const [firstMs, growth] = wait.poll_ms === undefined ? [0, 1.5] : [0.1 * wait.poll_ms, 2.5]
  const until = begun + limitMs
  const waiting = wait.limit_ms ? { signal: leaving.signal } : {}
  const isLeaving = () => waiting.signal?.aborted === true
  const usual = usualMs.get(route) ?? 0
  let started = starts.length === 0
  await pause(Math.min(Math.max(usual, firstMs), limitMs), undefined, waiting).catch(() => {})
  for (
    let polls = 0, waitMs = Math.max(5, firstMs, 0.1 * usual);
    ;
    polls++, waitMs = Math.min(pollMs, waitMs * growth)
  ) {
    const isLast = performance.now() >= until || isLeaving()
    const found = await wait.until({ em: unitOf(orm, tenant_id), path, pending, tenant_id })
    if (found instanceof Refusal) {
      await undo?.()
      throw found
    }
    if (found !== undefined && !(found instanceof NotYet)) {
      // An outcome that the first poll finds may have been there earlier: the estimate is reduced.
      usualMs.set(
        route,
        polls === 0 ? 0.85 * usual : Math.min(usualMaxMs, usual + 0.3 * (performance.now() - begun - usual)),
      )
      return given(found, status)
    }
    if (!started && performance.now() - begun > Math.min(relayMs, 0.5 * limitMs)) {
      started = await startLeft(orm, starts)
      if (!started) return given(lateAnswer(wait, found, true, pending), status)
    }
    if (isLast) return given(lateAnswer(wait, found, false, pending), status)
    // The last look is at the end of the time.
    await pause(Math.max(0, Math.min(waitMs, until - performance.now())), undefined, waiting).catch(() => {})
  }
}
