// The rest of the API while two hundred visitors wait for models that take their time, and the memory of a worker that
// has a hundred turns in flight.
import { setTimeout as pause } from 'node:timers/promises'
import { openSalon, type Salon } from '../kit/chats.ts'
import { json, type Measure } from '../kit/path.ts'
import { resultOf, timesOf } from '../kit/report.ts'
import type { Shop } from '../kit/shop.ts'

/** A business has eight calls in flight at most. */
const [businesses, chatsEach] = [25, 8]
const modelMs = 12_000
const rounds = 3
const readsPerRound = 400
const memoryMaxMb = 80

const slowly = async ({ models }: Shop, word: string, times: number) => {
  await fetch(`${models}/_sim/script`, {
    method: 'POST',
    body: JSON.stringify({
      match: word,
      answers: Array.from({ length: times }, () => ({ text: 'At last.', delay_ms: modelMs })),
    }),
  })
}

/** Product lists of a store, one after the other. */
async function reads({ api, key }: Shop): Promise<number[]> {
  const each: number[] = []
  for (let n = 0; n < readsPerRound; n++) {
    const since = performance.now()
    const answer = await fetch(`${api}/v1/storefront/products?limit=20`, {
      headers: { 'x-service-publishable-key': key },
    })
    await answer.arrayBuffer()
    each.push(performance.now() - since)
  }
  return each
}

/**
 * Each visitor sends a message and waits. Resolves when all have their answers; `begun` when the models have all
 * questions.
 */
async function wait(
  shop: Shop,
  salons: readonly Salon[],
  word: string,
): Promise<{ begun: Promise<void>; ended: Promise<void> }> {
  const count = salons.length * chatsEach
  await slowly(shop, word, count)
  const visitors = (await Promise.all(salons.map((salon) => salon.visitors(chatsEach)))).flatMap((all, n) =>
    all.map((one) => ({ ...one, at: salons[n]?.at })),
  )
  const ended = Promise.all(
    visitors.map(async ({ headers, at }) => {
      const body = JSON.stringify({ message: `Good morning ${word}`, messageId: crypto.randomUUID() })
      const send = () =>
        fetch(`${shop.api}${at}/messages`, { method: 'POST', headers: { ...json(headers), prefer: 'wait=60' }, body })
      let answer = await send()
      // All come at the same instant: who found no connection in time repeats the request.
      for (let tries = 0; answer.status === 503 && tries < 5; tries++) {
        await pause(500)
        answer = await send()
      }
      const text = await answer.text()
      if (answer.status !== 200 || !text.includes('At last.')) throw new Error(`no answer: ${answer.status} ${text}`)
    }),
  ).then(() => {})
  const arrived = async () => {
    const { rows } = await shop.db.query(
      `select count(*)::int as n from model_calls f join chat_messages m on m.turn_id = f.turn_id and m.tenant_id = f.tenant_id where f.sent_at is not null and m.content = $1`,
      [`Good morning ${word}`],
    )
    return rows[0].n as number
  }
  const begun = (async () => {
    while ((await arrived()) < count) await pause(100)
  })()
  return { begun, ended }
}

export const chatWaiting: Measure = {
  name: 'chat-waiting-200',
  target: { of_alone: 1.2, clients: 1 },
  async measure(_, shop, worker) {
    const salons = await Promise.all(Array.from({ length: businesses }, (_, n) => openSalon(shop, `waiting-${n}`)))
    // Once without looking: caches and code are warm then, and what stays is not what turns in flight need.
    await (await wait(shop, salons, `warm-${Date.now()}`)).ended
    const [alone, beside]: [number[], number[]] = [[], []]
    let most = 0
    for (let round = 0; round < rounds; round++) {
      alone.push(...(await reads(shop)))
      const idle = worker.memoryMb()
      const { begun, ended } = await wait(shop, salons, `round-${round}-${Date.now()}`)
      await begun
      beside.push(...(await reads(shop)))
      most = Math.max(most, worker.memoryMb() - idle)
      await ended
    }
    const inFlight = businesses * chatsEach
    const verdict = most / (inFlight / 100) <= memoryMaxMb ? 'ok' : 'MISSED'
    process.stderr.write(
      `chat-waiting-200: the worker's memory +${Math.round(most)} MB with ${inFlight} turns in flight (at most ${memoryMaxMb} for 100)  ${verdict}\n`,
    )
    const times = resultOf('chat-waiting-200', 1, 0, timesOf(beside), null)
    return { ...times, alone_p95_ms: resultOf('alone', 1, 0, timesOf(alone), null).p95_ms }
  },
}
