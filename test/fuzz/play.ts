// Sends the requests, several at a time, judges each answer, and lets the pool learn from it.
import { codeFor } from '../kit/codes.ts'
import type { Caller } from './callers.ts'
import { type Answer, judgeOf } from './judge.ts'
import { type Request, requestsOf } from './requests.ts'
import { curlOf, senderTo } from './send.ts'
import type { World } from './world.ts'

export type Failure = {
  n: number
  operation: string
  fault: string
  caller: string
  way: string
  curl: string
  answer: string
}
export type Tally = { sent: number; good: number; statuses: Map<number, number> }
export type Played = {
  sent: number
  seconds: number
  failures: Failure[]
  operations: Map<string, Tally>
  statuses: Map<number, number>
  /** Bodies that the API accepted although the document refuses them: operation and why, and how often. */
  lenient: Map<string, number>
  slowest: { ms: number; operation: string }[]
}

export type Order = { requests: number; seed: number; lanes?: number; from?: number; show?: string }

const bump = <K>(counts: Map<K, number>, key: K) => void counts.set(key, (counts.get(key) ?? 0) + 1)

const answerText = ({ status, headers, text }: Answer) =>
  `${status} ${headers['content-type'] ?? ''} ${text.slice(0, 600)}`

export async function play(world: World, { requests, seed, lanes = 8, from = 0, show = '' }: Order): Promise<Played> {
  const { stack, document, operations, pool, callers, files } = world
  const { schemas } = document.components
  const judge = judgeOf(document)
  const requestOf = requestsOf(seed, {
    operations,
    schemas,
    pool,
    callers,
    files,
    signingSecret: String(stack.env.STRIPE_WEBHOOK_SECRET?.split(',')[0]),
  })
  const sender = senderTo(stack.urls.api)
  const tallies = new Map(
    operations.map(({ name }): [string, Tally] => [name, { sent: 0, good: 0, statuses: new Map() }]),
  )
  const played: Played = {
    sent: 0,
    seconds: 0,
    failures: [],
    operations: tallies,
    statuses: new Map(),
    lenient: new Map(),
    slowest: [],
  }
  const renewing = new Map<Caller, Promise<void>>()

  function renew(caller: Caller): Promise<void> {
    const already = renewing.get(caller)
    if (already || !caller.renew) return already ?? Promise.resolve()
    const work = caller
      .renew()
      .then((headers) => void Object.assign(caller, { headers }))
      .finally(() => renewing.delete(caller))
    renewing.set(caller, work)
    return work
  }

  async function follow(request: Request, { status }: Answer, body: unknown): Promise<void> {
    const { operation, caller: name, path } = request
    const caller = callers[name]
    const gone = ['spare', 'leaving'].includes(name) && status < 300
    const storefront =
      ['visitor', 'verified'].includes(operation.needs) || (operation.needs === 'customer' && name === 'customer')
    if (
      gone ||
      (status === 401 && storefront === (name !== 'account' && name !== 'spare') && operation.needs !== 'public')
    )
      await renew(caller)
    if (status === 404 && request.query === '' && ['taken', 'valid', 'varied'].includes(request.way))
      pool.forget(path, { name, owner: caller.owner })
    const email = (request.body as { email?: unknown } | null)?.email
    const challenge_id = (body as { challenge_id?: unknown } | null)?.challenge_id
    if (typeof email !== 'string' || !email.startsWith('fuzz-') || !challenge_id || status !== 200) return
    const verify = operation.name.replace(/code$/, 'verify')
    // The run does not wait for the email: its code is valid whenever it arrives.
    void codeFor(email).then(
      (code) =>
        pool.offer(verify, { challenge_id, code }, { name, owner: caller.owner }, path.replace(/code$/, 'verify')),
      () => {},
    )
  }

  function note(request: Request, answer: Answer): void {
    const { operation, body, way } = request
    const tally = tallies.get(operation.name) as Tally
    played.sent++
    bump(played.statuses, answer.status)
    played.slowest.push({ ms: Math.round(answer.ms), operation: operation.name })
    if (way === 'method') return
    tally.sent++
    bump(tally.statuses, answer.status)
    if (answer.status >= 300) return
    tally.good++
    const why = body === undefined ? null : judge.refuses(operation, body)
    if (why) bump(played.lenient, `${operation.name}: ${why}`)
  }

  function fail(request: Request, faults: readonly string[], answer: string): void {
    const { n, operation, caller, way } = request
    for (const fault of faults)
      played.failures.push({
        n,
        operation: operation.name,
        fault,
        caller,
        way,
        curl: curlOf(request, stack.urls.api),
        answer,
      })
  }

  async function one(n: number): Promise<void> {
    const request = requestOf(n)
    const { operation, path, query, caller: name } = request
    const before = world.bugs.length
    try {
      const answer = await sender.send(request)
      const asked = operation.methods.includes(request.method) && request.method !== operation.method ? null : request
      note(request, answer)
      if (operation.name === show) console.log(`${curlOf(request, stack.urls.api)}\n  ${answerText(answer)}`)
      fail(
        request,
        asked ? judge.faults(operation, asked, answer) : answer.status >= 500 ? [`answered ${answer.status}`] : [],
        answerText(answer),
      )
      const told = answer.headers['content-type']?.includes('json') ? parsed(answer.text) : undefined
      if (asked && request.method === operation.method)
        pool.learn({
          operation,
          path,
          query,
          body: request.body,
          by: { name, owner: callers[name].owner },
          status: answer.status,
          answer: told,
        })
      await follow(request, answer, told)
    } catch (error) {
      played.sent++
      fail(request, [`no answer: ${(error as Error).message}`], world.bugs.slice(before).join('\n'))
    }
  }

  const since = performance.now()
  let next = from
  const lane = async () => {
    while (next < from + requests && world.died.length === 0) await one(next++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  played.seconds = (performance.now() - since) / 1000
  await sender.close()
  return played
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
