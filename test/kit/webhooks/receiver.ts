// A foreign server in a process of its own: it records requests in its ledger, and answers, hangs or breaks off as a
// test wants.
//   const receiver = await startReceiver(dir)
//   await receiver.rule('/hook', { status: 500 }, 2)          → the next two requests for /hook; without a number: all
//   await receiver.rule('/hook', [{ share: 3 }, { do: 'hang' }])   → at random, three answers for one that hangs
//   (await receiver.arrivals('/hook')).map(({ headers }) => headers['webhook-id'])
import path from 'node:path'
import { script } from '../../../dev/parts.ts'
import { freePort } from '../../../dev/ports.ts'
import type { Received, Way } from '../../../dev/receiver.ts'

export type { Received, Way }

export type Receiver = {
  url: string
  arrivals(path?: string, from?: number): Promise<Received[]>
  /** Those with this header. */
  arrivalsWith(header: string, value: string): Promise<Received[]>
  count(path?: string): Promise<number>
  /** `*` is every path. The newest rule decides. */
  rule(path: string, ways: Way | Way[], times?: number): Promise<void>
  clear(path?: string): Promise<void>
  /** Connections are refused until `listen`, on the same port. */
  listen(up: boolean): Promise<void>
  /** Which requests on a connection that has served another one close it (dev/sim/reused.ts). */
  reused(closes: 'none' | 'writes' | 'all'): Promise<void>
  stop(): Promise<void>
}

/** Its ledger is `receiver.jsonl` in the folder. */
export async function startReceiver(dir: string): Promise<Receiver> {
  const [port, controlPort] = [await freePort(), await freePort()]
  const child = script('dev/receiver.ts', [], {
    name: 'receiver',
    env: { ...process.env, RECEIVER_PORT: String(port), RECEIVER_CONTROL_PORT: String(controlPort), RECEIVER_DIR: dir },
    log: path.join(dir, 'receiver.log'),
  })
  await child.said(/listening/)
  async function ask<T>(method: string, at: string, body?: unknown): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${controlPort}${at}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`the receiver: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const query = (given: Record<string, string | number | undefined>) =>
    new URLSearchParams(
      Object.entries(given).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      ),
    ).toString()
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals: (at, from) => ask('GET', `/ledger?${query({ path: at, from })}`),
    arrivalsWith: (header, value) => ask('GET', `/ledger?${query({ header: `${header}:${value}` })}`),
    count: async (at) => (await ask<{ count: number }>('GET', `/count?${query({ path: at })}`)).count,
    rule: (at, ways, times) => ask('POST', '/rules', { path: at, ways, times }),
    clear: (at) => ask('DELETE', `/rules?${query({ path: at })}`),
    listen: (up) => ask('POST', '/listen', { up }),
    reused: (closes) => ask('POST', '/reused', { closes }),
    stop: () => child.stop(),
  }
}
