// The sink and the floor of campaigns, as processes: the same client with the same number of sessions, without database
// and rendering.
import { script } from '../../dev/parts.ts'
import { freePort } from '../../dev/ports.ts'
import type { Times } from './load.ts'
import { begin, next } from './processes.ts'
import type { Arrival, SinkFault } from './sink.ts'
import type { Sending, Sent } from './smtp-floor.ts'

export type Sink = {
  port: number
  count(): Promise<number>
  /** Messages of which an octet arrived, in the order of arrival. */
  ledger(): Promise<Arrival[]>
  forget(): Promise<void>
  fault(fault: SinkFault): Promise<void>
  clearFaults(): Promise<void>
  stop(): Promise<void>
}

/** `delayMs`: of each round trip. `port`: the same one keeps its address when the sink is started again. */
export async function openSink(delayMs = 0, port?: number): Promise<Sink> {
  const [smtp, control] = [port ?? (await freePort()), await freePort()]
  const env = {
    ...process.env,
    SINK_PORT: String(smtp),
    SINK_CONTROL_PORT: String(control),
    SINK_DELAY_MS: String(delayMs),
  }
  const child = script('bench/kit/sink.ts', [], { name: 'sink', env })
  await child.said(/listening/)
  const ask = async (method: string, at: string, body?: unknown) => {
    const answer = await fetch(`http://127.0.0.1:${control}${at}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`sink: ${method} ${at}: ${answer.status}`)
    return answer.json()
  }
  return {
    port: smtp,
    count: async () => ((await ask('GET', '/count')) as { count: number }).count,
    ledger: async () => (await ask('GET', '/ledger')) as Arrival[],
    forget: async () => void (await ask('DELETE', '/ledger')),
    fault: async (fault) => void (await ask('POST', '/faults', fault)),
    clearFaults: async () => void (await ask('DELETE', '/faults')),
    stop: () => child.stop(),
  }
}

/** Delivers messages of so many octets over so many sessions. */
export async function smtpFloor(job: Sending): Promise<Times> {
  const child = begin('./smtp-floor.ts')
  child.send(job)
  const { sent, error } = await next<{ sent?: Sent; error?: string }>(child)
  child.disconnect()
  if (!sent) throw new Error(error)
  return sent
}
