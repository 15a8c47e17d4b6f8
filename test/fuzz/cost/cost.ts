// The part of the fuzzer that searches for excessive cost: a store at its limits, every field of every body and query
// at its limit, every list of it, and what strangers send.
import { random } from '../../chaos/random.ts'
import { type Answer, type Method, newShop, operator, unique } from '../../kit/shop.ts'
import type { Operation } from '../document.ts'
import type { Listener } from '../fill-store.ts'
import { openPool } from '../pool.ts'
import { finderOf, type Ground } from '../world.ts'
import { slowReads } from './expressions.ts'
import { fill, partNames } from './full/all.ts'
import { type CostRequest, openMeter, type Sample, statementMaxMs } from './measure.ts'
import { groupsOf } from './request-groups.ts'
import { slowRules } from './rules.ts'
import { type StrangerCosts, strangerCosts } from './strangers.ts'

/**
 * `nth`: of the drawn groups; null: one that fills the store. `where`: the slow statement, or the functions that
 * blocked the loop.
 */
type Finding = { name: string; nth: number | null; what: string; where: string[]; status: number }
type Measured = { name: string; held_ms: number; status: number }
type Costs = {
  /** In the order of the requests. */
  order: string
  requests: number
  seconds: number
  findings: Finding[]
  slowest: Measured[]
  refused: string[]
  taken: number
  groups: { asked: number; all: number }
  strangers: StrangerCosts | null
  /** Inputs on which rules take too long: the largest values, conditions and templates. */
  reads: string[]
}

/** Fewer groups than these need no whole store: a part of it is drawn. */
const wholeFrom = 100
/** A finding that does not recur was caused by the machine. */
const repeats = 5

/** So many of the drawn groups of requests; with `only`, this one of them. */
/** `held_ms`: how long a request may block the event loop. */
type CostOrder = { count: number; seed: number; only: number | null; held_ms: number; say: (line: string) => void }

const operators = new Set(['admin', 'owner', 'super'])
export async function cost(ground: Ground, { count, seed, only, held_ms: mostMs, say }: CostOrder): Promise<Costs> {
  const since = performance.now()
  const { stack, operations, document } = ground
  const { schemas } = document.components
  const meter = await openMeter(stack)
  ground.listen = (line) => meter.heard(line)
  await meter.prove()
  const costs: Costs = {
    order: `--seed ${seed} --cost ${count}`,
    requests: 0,
    seconds: 0,
    findings: [],
    slowest: [],
    refused: [],
    taken: 0,
    groups: { asked: 0, all: 0 },
    reads: [],
    strangers: null,
  }

  const parts = count >= wholeFrom ? partNames : [random(seed, 'cost part').pick(partNames)]
  const shop = await newShop()
  const pool = openPool(operations, new Set([shop.op.account_id, shop.op.email]))
  const find = finderOf(operations)
  const learn: Listener = (name, method, target, body, { status, body: answer }) => {
    const [path = '', query = ''] = target.split('?')
    const operation = find(method, path)
    if (operation) pool.learn({ operation, path, query, body, by: { name, owner: 'mine' }, status, answer })
  }
  const [visitor, platform] = await Promise.all([shop.visitor(), operator(stack.env.SUPER_EMAIL)])

  /** The lowest cost of some attempts, with the first one's answer. */
  async function measured(request: CostRequest, nth: number | null): Promise<Sample> {
    const { name } = request
    const first = await meter.ask(request, 0)
    costs.requests++
    let { held_ms, cpu_ms, statements } = first
    let tries = 1
    for (; tries < repeats && (held_ms > mostMs || statements.length > 0); tries++) {
      const next = await meter.ask(request, tries)
      if (next.held_ms < held_ms) ({ held_ms, cpu_ms } = next)
      if (next.statements.length === 0) statements = []
    }
    const { status } = first
    if (status < 300) costs.taken++
    costs.slowest.push({ name, held_ms, status })
    if (status >= 500) costs.findings.push({ name, nth, what: 'is a bug', where: [first.text.slice(0, 300)], status })
    if (held_ms > mostMs) {
      const what = `held the event loop for ${held_ms.toFixed(0)} ms (${cpu_ms.toFixed(0)} ms of processor time here)`
      say(`${status} ${name} ${what}`)
      costs.findings.push({ name, nth, what, where: await meter.explain(request, tries), status })
    }
    for (const statement of statements.slice(0, 1))
      costs.findings.push({
        name,
        nth,
        what: `made a statement of more than ${statementMaxMs} ms`,
        where: [statement],
        status,
      })
    return first
  }

  const maker =
    (by: string, headers: Record<string, string>, root: string) =>
    async (name: string, method: Method, at: string, body?: (attempt: number) => unknown) => {
      const target = at.startsWith('/v1/') ? at : `${root}${at}`
      const [path = '', query = ''] = target.split('?')
      const given = body?.(0)
      const { status, text } = await measured(
        {
          name: `full tenant: ${name}`,
          method,
          path,
          query,
          headers,
          ...(body ? { body: (attempt) => (attempt === 0 ? given : body(attempt)) } : {}),
        },
        null,
      )
      const answer = JSON.parse(text || 'null')
      if (status >= 400) costs.refused.push(`${name}: ${status} ${text.slice(0, 300)}`)
      learn(by, method, target, given, { status, body: answer } as Answer)
      return answer
    }
  await fill(
    {
      asOperator: maker('operator', shop.op.headers, `/v1/stores/${shop.store_id}`),
      asVisitor: maker('visitor', visitor.headers, '/v1/storefront'),
      make: async (path, body) => (await shop.asOperator('POST', path, body)).body,
      unique,
      receiver: String(stack.urls.receiver),
    },
    parts,
  )
  say(
    `The store for cost is full (${parts.join(', ')}): ${costs.requests} requests, ${((performance.now() - since) / 1000).toFixed(0)} s`,
  )

  const headersOf = ({ needs }: Operation): Record<string, string> =>
    operators.has(needs) || needs === 'account'
      ? shop.op.headers
      : needs === 'platform'
        ? platform.headers
        : needs === 'public'
          ? {}
          : visitor.headers
  const groups = groupsOf({ operations, schemas, pool, headersOf })
  const draw = random(seed, 'cost')
  const drawn = groups.map((group) => ({ group, at: draw.next() })).sort((a, b) => a.at - b.at)
  for (const [nth, { group }] of drawn.entries())
    if (only === null ? nth < count : nth === only)
      for (const request of group.requests(random(seed, `cost ${nth}`))) await measured(request, nth)
  costs.groups = { asked: only === null ? Math.min(count, drawn.length) : 1, all: drawn.length }
  if (only === null)
    costs.strangers = await strangerCosts(meter, operations, {
      count: count >= wholeFrom ? operations.length : Math.ceil(count / 5),
      seed,
      say,
    })
  costs.reads = [...slowRules(mostMs), ...slowReads(seed, count, mostMs)]
  ground.listen = undefined
  await meter.close()
  costs.seconds = (performance.now() - since) / 1000
  return costs
}

export const isCheap = ({ findings, reads, strangers }: Costs): boolean =>
  findings.length + reads.length + (strangers?.findings.length ?? 0) === 0

const strangerReport = ({ routes, seconds, findings, worst }: StrangerCosts, order: string): string[] => [
  ...findings.map((line) => `BROKEN: ${line} (${order})`),
  `\n${routes} routes as strangers in ${seconds.toFixed(0)} s. Most processor time: ${worst.cpu_ms.toFixed(1)} ms, ${worst.cpu}. Most memory: ${worst.held}.\n`,
]

/** What cost too much with the command that repeats it, and the costliest of the rest. */
export function costReport({
  order,
  requests,
  seconds,
  findings,
  slowest,
  refused,
  taken,
  groups,
  reads,
  strangers,
}: Costs): string {
  const costliest = slowest.toSorted((a, b) => b.held_ms - a.held_ms).slice(0, 10)
  return [
    `# Cost\n\n${requests} requests at limits in ${seconds.toFixed(0)} s, ${taken} of them accepted, ${groups.asked} of ${groups.all} groups: ${findings.length} cost too much.\n`,
    ...findings.flatMap(({ name, nth, what, where, status }) => [
      `BROKEN: ${name} (${status}) ${what}`,
      ...where.map((line) => `  ${line}`),
      `  npm run fuzz -- --requests 0 ${order}${nth === null ? '' : ` --only ${nth}`}`,
    ]),
    ...reads.map((read) => `BROKEN: ${read} (${order})`),
    ...(strangers ? strangerReport(strangers, order) : []),
    ...costliest.map(({ name, held_ms, status }) => `- ${held_ms.toFixed(0)} ms: ${name} (${status})`),
    `\n${refused.length} requests of the full store were refused:`,
    ...refused.map((line) => `- ${line.slice(0, 200)}`),
  ].join('\n')
}
