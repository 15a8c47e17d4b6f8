// The part of the fuzzer that looks for what costs too much: a store at its limits, every field of every body and query at its limit, and every list of it read.
import { random } from '../../chaos/random.ts'
import { type Answer, type Method, newShop, operator, unique } from '../../kit/shop.ts'
import { type Operation, resolve, templateOf } from '../document.ts'
import { openPool } from '../pool.ts'
import type { Listener } from '../stock.ts'
import { valuesOf } from '../values.ts'
import type { Ground } from '../world.ts'
import { fill } from './full.ts'
import { drawerOf, placesOf } from './limits.ts'
import { type Asking, heldMaxMs, openMeter, type Sample, statementMaxMs } from './measure.ts'

type Finding = { name: string; what: string; held_ms: number; statement: string; status: number }
type Costs = { requests: number; seconds: number; findings: Finding[]; slowest: { name: string; held_ms: number; status: number }[]; refused: string[] }

/** A finding that does not come again is the machine's. */
const repeats = 3

type CostOrder = { requests: number; seed: number; say: (line: string) => void }

const operators = new Set(['admin', 'owner', 'super'])
/** Ends whoever asks, or what all others need. */
const never =
  /^(DELETE \/v1\/accounts|POST \/v1\/storefront\/account\/logout|POST \S+\/publishable-key\/rotate|DELETE \/v1\/stores\/\{storeId\}\/members|PUT \/v1\/stores\/\{id\}$)/

const isRecord = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object' && !Array.isArray(value)
/** A key that is taken once is another one each time. */
const renewed = (body: unknown, place: string): unknown =>
  isRecord(body)
    ? Object.fromEntries(
        Object.entries(body).map(([name, value]) => [
          name,
          /^(key|code)$/.test(name) && typeof value === 'string' && value.length < 100 && place !== `/${name}` ? `${name}-${unique()}` : value,
        ]),
      )
    : body

const queries = ['limit=100', 'limit=100&sort_field=updated_at&sort_direction=asc']

export async function cost(ground: Ground, { requests, seed, say }: CostOrder): Promise<Costs> {
  const since = performance.now()
  const draw = random(seed, 'cost')
  const { stack, operations, document } = ground
  const { schemas } = document.components
  const meter = await openMeter(stack)
  ground.listen = (line) => meter.heard(line)
  const costs: Costs = { requests: 0, seconds: 0, findings: [], slowest: [], refused: [] }

  const shop = await newShop()
  const pool = openPool(operations, new Set([shop.op.account_id, shop.op.email]))
  const find = (method: string, path: string) =>
    operations
      .filter((one) => one.method === method && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length)[0]
  const learn: Listener = (name, method, target, body, { status, body: answer }) => {
    const [path = '', query = ''] = target.split('?')
    const operation = find(method, path)
    if (operation) pool.learn({ operation, path, query, body, by: { name, owner: 'mine' }, status, answer })
  }
  const [visitor, platform] = await Promise.all([shop.visitor(), operator(stack.env.SUPER_EMAIL)])

  /** The least of some attempts: the first one's answer. */
  async function measured(asking: Asking): Promise<Sample> {
    const first = await meter.ask(asking, 0)
    costs.requests++
    let { held_ms, statements } = first
    for (let again = 1; again < repeats && (held_ms > heldMaxMs || statements.length > 0); again++) {
      const next = await meter.ask(asking, again)
      held_ms = Math.min(held_ms, next.held_ms)
      if (next.statements.length === 0) statements = []
    }
    if (held_ms > heldMaxMs) say(`${Math.round(held_ms)} ms ${first.status} ${asking.name}`)
    costs.slowest.push({ name: asking.name, held_ms, status: first.status })
    if (held_ms > heldMaxMs)
      costs.findings.push({ name: asking.name, what: `held the event loop for ${Math.round(held_ms)} ms`, held_ms, statement: '', status: first.status })
    for (const statement of statements.slice(0, 1))
      costs.findings.push({ name: asking.name, what: `made a statement of more than ${statementMaxMs} ms`, held_ms, statement, status: first.status })
    return first
  }

  const maker =
    (by: string, headers: Record<string, string>, root: string) => async (name: string, method: Method, at: string, body?: (attempt: number) => unknown) => {
      const target = at.startsWith('/v1/') ? at : `${root}${at}`
      const [path = '', query = ''] = target.split('?')
      const given = body?.(0)
      const { status, text } = await measured({
        name: `full tenant: ${name}`,
        method,
        path,
        query,
        headers,
        ...(body ? { body: (attempt) => (attempt === 0 ? given : body(attempt)) } : {}),
      })
      const answer = JSON.parse(text || 'null')
      if (status >= 400) costs.refused.push(`${name}: ${status} ${text.slice(0, 300)}`)
      learn(by, method, target, given, { status, body: answer } as Answer)
      return answer
    }
  await fill({
    asOperator: maker('operator', shop.op.headers, `/v1/stores/${shop.store_id}`),
    asVisitor: maker('visitor', visitor.headers, '/v1/storefront'),
    unique,
    receiver: String(stack.urls.receiver),
  })
  say(`The store for cost is full: ${costs.requests} requests, ${((performance.now() - since) / 1000).toFixed(0)} s`)

  const headersOf = ({ needs }: Operation): Record<string, string> =>
    operators.has(needs) || needs === 'account' ? shop.op.headers : needs === 'platform' ? platform.headers : needs === 'public' ? {} : visitor.headers
  const byOf = ({ needs }: Operation) => ({ name: ['visitor', 'verified'].includes(needs) ? 'visitor' : 'operator', owner: 'mine' as const })
  const drawer = drawerOf(
    schemas,
    valuesOf(schemas, () => undefined),
  )

  /** Every request of this phase, drawn when its turn comes. */
  const askings: (() => Asking | null)[] = []
  for (const operation of operations) {
    if (never.test(operation.name)) continue
    const { path, method, name, body, parameters } = operation
    const headers = headersOf(operation)
    const addresses = () =>
      path.includes('{')
        ? pool.addresses(templateOf(path.slice(0, path.lastIndexOf('}') + 1)), byOf(operation)).map((one) => one + path.slice(path.lastIndexOf('}') + 1))
        : [path]
    if (method === 'GET')
      for (const at of addresses()) {
        const known = parameters.filter((one) => one.in === 'query')
        const query = known.some((one) => one.name === 'limit') ? draw.pick(queries) : ''
        askings.push(() => ({ name: `${name}?${query} (${at})`, method, path: at, query, headers }))
      }
    const at = () => addresses().at(-1) ?? null
    for (const parameter of parameters.filter((one) => one.in === 'query'))
      for (const { way, what, value } of drawer.fillings({ path: [], schema: resolve(parameter.schema, schemas), name: parameter.name })) {
        const text = (Array.isArray(value) ? value.slice(0, 100).join(',') : typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed()
        const query = `${parameter.name}=${encodeURIComponent(text)
          .slice(0, 14_000)
          .replace(/%[^%]{0,1}$/, '')}`
        const target = at()
        if (method === 'GET' && target) askings.push(() => ({ name: `${name} ${parameter.name} ${way}: ${what}`, method, path: target, query, headers }))
      }
    if (body?.type !== 'application/json') continue
    const base = () => pool.taken(operation, byOf(operation), draw)?.body ?? drawer.samples(body.schema)[0]
    const target = at()
    if (!target) continue
    for (const place of placesOf(body.schema, schemas))
      for (const [nth, { way, what }] of drawer.fillings(place).entries())
        askings.push(() => {
          const value = drawer.fillings(place)[nth]?.value
          const whole = drawer.filled(body.schema, base(), place, value)
          return { name: `${name} ${place.name} ${way}: ${what}`, method, path: target, headers, body: () => renewed(whole, place.name) }
        })
    askings.push(() => {
      const whole = drawer.full(body.schema, base())
      return { name: `${name} all fields together`, method, path: target, headers, body: () => renewed(whole, '') }
    })
  }
  say(`${askings.length} requests at limits`)
  const order = askings.map((one) => ({ one, at: draw.whole(0, 2 ** 30) })).sort((a, b) => a.at - b.at)
  for (const { one } of order.slice(0, requests)) {
    const asking = one()
    if (asking) await measured(asking)
  }
  ground.listen = undefined
  await meter.close()
  costs.seconds = (performance.now() - since) / 1000
  return costs
}

/** What cost too much, and the costliest of the rest. */
export function costReport({ requests, seconds, findings, slowest, refused }: Costs): string {
  const costliest = slowest.toSorted((a, b) => b.held_ms - a.held_ms).slice(0, 10)
  return [
    `# Cost\n\n${requests} requests at limits in ${seconds.toFixed(0)} s: ${findings.length} of them cost too much.\n`,
    ...findings.map(({ name, what, status, statement }) => `BROKEN: ${name} (${status}) ${what}${statement ? `\n  ${statement}` : ''}`),
    ...costliest.map(({ name, held_ms, status }) => `- ${held_ms.toFixed(0)} ms: ${name} (${status})`),
    `\n${refused.length} requests of the full store were refused:`,
    ...refused.map((line) => `- ${line.slice(0, 200)}`),
  ].join('\n')
}
