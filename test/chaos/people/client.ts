// A well-behaved caller: a request without an answer or with a 5xx is repeated, to either process, until it is
// answered.
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Method } from '../../kit/shop.ts'

/** `final`: an answer that retries would not change, though its status suggests a retry. */
export type Asked = { body?: unknown; headers: Record<string, string>; final?: (answer: Answer) => boolean }

export type Client = {
  ask(method: Method, path: string, asked: Asked): Promise<Answer>
  /** From now on no call is started or retried: pending ones fail. */
  giveUp(): void
  /** How often each status was answered; 0: no answer. */
  statuses: Map<number, number>
}

/** A request without an answer after this time counts as unanswered. */
const answerMs = 15_000

export function newClient(apis: readonly [string, string]): Client {
  const statuses = new Map<number, number>()
  let over = false
  let turn = 0

  async function once(base: string, method: Method, path: string, { body, headers }: Asked): Promise<Answer | null> {
    try {
      const answer = await fetch(`${base}${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(answerMs),
      })
      const text = await answer.text()
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), headers: answer.headers }
    } catch {
      return null
    }
  }

  return {
    statuses,
    giveUp() {
      over = true
    },
    async ask(method, path, asked) {
      let last: Answer | null = null
      for (let tries = 0; !over; tries++) {
        last = await once(apis[++turn % 2] as string, method, path, asked)
        statuses.set(last?.status ?? 0, (statuses.get(last?.status ?? 0) ?? 0) + 1)
        if (last && (last.status < 500 || asked.final?.(last))) return last
        await pause(Math.min(1_000, 100 * 2 ** tries))
      }
      throw new Error(
        `${method} ${path} was never answered${last ? ` but with ${last.status} ${JSON.stringify(last.body)}` : ''}`,
      )
    },
  }
}
