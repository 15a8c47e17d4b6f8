// One request to a simulator and its answer, under a fault or without one. It is carried out once, and its effect and
// the entry of the ledger are one line of the journal, before the answer is sent.
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type Fault, hang } from './faults.ts'
import { answerFreely, type FreeAnswer } from './free-answer.ts'
import { commit } from './journal.ts'
import type { Arrival } from './ledger.ts'

/** What a request did: its answer, and what the ledger says of it. */
export type Done<E> = { answer: FreeAnswer; change: Partial<E>; delay_ms?: number }

type Noted<E> = { entry: E; record(entry: E): void }

export type Exchange<E extends Arrival> = Noted<E> & {
  /** Waits for what the request needs. What it returns carries the request out at once. */
  prepare(): (() => Done<E>) | Promise<() => Done<E>>
  /** The answer to an injected error, in the provider's format. */
  refuse(fault: Fault): FreeAnswer
}

export function note<E extends Arrival>(
  { entry, record }: Noted<E>,
  change: Partial<Arrival>,
  more?: Partial<E>,
): void {
  record(Object.assign(entry, more, change))
  commit()
}

export async function answerUnder<E extends Arrival>(
  fault: Fault | undefined,
  exchange: Exchange<E>,
  response: ServerResponse,
): Promise<void> {
  const statusOf = ({ answer }: Done<E>) => answer.status ?? 200
  /** `isAnswered`: the ledger says with which status; else that is noted when the answer is sent. */
  const carryOut = async (change: Partial<Arrival> = {}, isAnswered = true): Promise<Done<E>> => {
    const act = await exchange.prepare()
    const done = act()
    note(exchange, isAnswered ? { ...change, status: statusOf(done) } : change, done.change)
    return done
  }
  const write = async ({ answer, delay_ms = 0 }: Done<E>): Promise<void> => {
    if (delay_ms > 0) await pause(delay_ms)
    return answerFreely(response, answer)
  }
  if (!fault) return write(await carryOut())
  const struck = { fault: fault.fault }
  const strike = (status: number | null) => note(exchange, { ...struck, status })
  const done = fault.after_effect ? await carryOut(struck, fault.fault !== 'delay') : undefined
  switch (fault.fault) {
    case 'reset_after_read':
      strike(null)
      return void response.req.socket.resetAndDestroy()
    case 'hang':
      strike(null)
      return hang(() => response.req.socket.destroy())
    case 'delay':
      if (!done) strike(null)
      await pause(fault.delay_ms)
      if (done) strike(statusOf(done))
      return write(done ?? (await carryOut(struck)))
    case 'status':
      strike(fault.status)
      return answerFreely(response, exchange.refuse(fault))
    case 'break_body': {
      const { answer, ...late } = done ?? (await carryOut(struck))
      return write({ ...late, answer: { ...answer, cut: 'half' } })
    }
    default:
      strike(fault.status)
      return answerFreely(response, fault)
  }
}
