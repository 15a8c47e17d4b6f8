// A stack of the run's own, two stores in it, and every kind of caller; nothing that the environment names is
// contacted.
import path from 'node:path'
import sharp from 'sharp'
import { everyPart, type Stack, startStack } from '../../dev/stack.ts'
import { prove, until } from '../kit/codes.ts'
import { product } from '../kit/orders/buying.ts'
import { http, type Method, newEmail, newShop, operator, unique } from '../kit/shop.ts'
import { type CallerName, type Callers, callersOf } from './callers.ts'
import { type Document, type Operation, operationsOf } from './document.ts'
import { fillBusiness } from './fill-business.ts'
import { fillStore, type Listener, listening } from './fill-store.ts'
import { type Owner, openPool, type Pool } from './pool.ts'

/** A stack of the run's own, and its API document. */
export type Ground = {
  stack: Stack
  document: Document
  operations: Operation[]
  /** Unexpected lines in the logs of the API and the worker. */
  bugs: string[]
  died: string[]
  /** Receives every line that PostgreSQL logs. */
  listen: ((line: string) => void) | undefined
}
export type World = Ground & { pool: Pool; callers: Callers; files: Buffer[] }

/** The operation that answers at a path. */
export function finderOf(operations: readonly Operation[]) {
  const shapes = operations
    .map((operation) => ({
      operation,
      like: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      open: operation.path.split('{').length,
    }))
    .sort((a, b) => a.open - b.open)
  return (method: string, at: string) =>
    shapes.find(({ operation, like }) => operation.method === method && like.test(at))?.operation
}

export async function openGround(dir: string, say: (line: string) => void): Promise<Ground> {
  const [bugs, died]: [string[], string[]] = [[], []]
  const hearing: Pick<Ground, 'listen'> = { listen: undefined }
  const stack = await startStack({
    dir: path.resolve(dir),
    fast: true,
    parts: [...everyPart, 'receiver'],
    progress: say,
    log: (name, line) => {
      if (name === 'postgres') hearing.listen?.(line)
      if (/^(api|worker)/.test(name) && /^\{"level":[56]0/.test(line)) bugs.push(`${name} ${line.slice(0, 3000)}`)
    },
    died: (child, how) => died.push(`${child.name} ended with ${how}: ${child.tail().slice(-2000)}`),
  })
  const [api] = await Promise.all([stack.startApi(), stack.startWorker()])
  Object.assign(process.env, stack.env, { TEST_API: api.url, TEST_API_2: api.url })
  Object.assign(process.env, {
    TEST_STRIPE: stack.urls.stripe,
    TEST_STRIPE_CONTROL: stack.urls.stripe_control,
    TEST_MAIL: stack.urls.mail,
    TEST_SOCIAL: stack.urls.social,
  })
  // The first call to Temporal opens its connection: on a busy machine that is too late for the first payment.
  await until(async () => (await http('GET', '/ready')).body.temporal, 30_000)

  const document = (await http('GET', '/openapi.json')).body as Document
  return Object.assign(hearing, { stack, document, operations: operationsOf(document), bugs, died })
}

/** Two stores with one record of every kind. */
export async function openWorld(ground: Ground, say: (line: string) => void): Promise<World> {
  const { stack, operations, bugs } = ground
  const [mine, theirs, platform, admin] = await Promise.all([
    newShop(),
    newShop(),
    operator(stack.env.SUPER_EMAIL),
    operator(),
  ])
  // A store whose operator leaves is a store that no caller can use.
  const pool = openPool(operations, new Set([mine, theirs].flatMap(({ op }) => [op.account_id, op.email])))
  const find = finderOf(operations)
  const listenFor =
    (owner: Owner): Listener =>
    (name, method, target, body, { status, body: answer }) => {
      const [at = '', query = ''] = target.split('?')
      const operation = find(method, at)
      const short = `the stock is short: ${method} ${target} ${status} ${JSON.stringify(answer)}`
      if (status >= 500) bugs.push(short)
      else if (status >= 400) say(short)
      if (operation) pool.learn({ operation, path: at, query, body, by: { name, owner }, status, answer })
    }
  // The server does not answer: an execution that waits for it can be cancelled.
  await fetch(`${stack.urls.receiver_control}/rules`, {
    method: 'POST',
    body: JSON.stringify({ path: '/hang', ways: { do: 'hang' } }),
  })
  const outside = { receiver: String(stack.urls.receiver), smtp_port: stack.ports.smtp }
  await Promise.all(
    [listening(mine, listenFor('mine')), listening(theirs, listenFor('theirs'))].map((shop) =>
      fillStore(shop, outside),
    ),
  )
  await mine.asOperator('POST', '/members', { account_id: admin.account_id, role: 'admin' })
  const verified = async () => {
    const visitor = await mine.visitor()
    const proof = await prove(visitor, newEmail())
    return { ...visitor.headers, 'x-service-visitor-token': proof.body.visitor_token }
  }
  const business = { key: `salon-${unique()}`, timezone: 'Europe/Berlin', billingEmail: newEmail() }
  const salon = await http('POST', '/v1/businesses', { body: business, headers: mine.op.headers })
  const customer = async () => {
    const key = { 'x-service-publishable-key': salon.body.publishableKey }
    const known = await http('POST', '/v1/storefront/account/identify', { body: {}, headers: key })
    return { ...key, 'x-service-visitor-token': known.body.visitor_token }
  }
  const callers = await callersOf({ mine, theirs, admin, platform, verified, customer })

  const ask = async (name: CallerName, method: Method, target: string, body?: unknown) => {
    const answer = await http(method, target, { body, headers: callers[name].headers })
    listenFor(callers[name].owner)(name, method, target, body, answer)
    return answer
  }
  const store = () => ({
    key: `shop-${unique()}`,
    timezone: 'Europe/Berlin',
    languages: ['en'],
    emails: { billing: newEmail(), support: null },
  })
  for (let n = 0; n < 3; n++) {
    await ask('account', 'POST', '/v1/stores', store())
    await ask('account', 'POST', '/v1/businesses', {
      key: `salon-${unique()}`,
      timezone: 'Europe/Berlin',
      billingEmail: newEmail(),
    })
  }
  listenFor('mine')('operator', 'POST', '/v1/businesses', business, salon)
  await fillBusiness(ask, salon.body.id, stack.urls.receiver as string)
  await ask('account', 'POST', '/v1/accounts/me/api-tokens', { name: 'a token' })
  await ask('account', 'GET', '/v1/accounts/me')
  await ask('account', 'GET', '/v1/accounts/me/sessions')
  await ask('account', 'PUT', '/v1/accounts', {})
  await ask('platform', 'POST', '/v1/platform/data', { key: 'a-key', value: { a: 1 } })
  await ask('platform', 'GET', '/v1/platform/data?key=a-key')
  await ask('platform', 'POST', '/v1/platform/scripts', { name: 'rotate-encryption' })
  await ask('platform', 'DELETE', '/v1/platform/data?key=another-key')
  const event = {
    id: `evt_${unique()}`,
    object: 'event',
    type: 'price.created',
    created: Math.floor(Date.now() / 1000),
    data: { object: { id: 'price_1' } },
  }
  listenFor('none')('stranger', 'POST', '/v1/webhooks/stripe', event, {
    status: 200,
    body: undefined,
    headers: new Headers(),
  })
  const tea = await product(mine, { requires_shipping: false })
  for (const name of ['visitor', 'verified', 'visitor', 'verified'] as const) {
    const { body } = await ask(name, 'POST', '/v1/storefront/carts/current', {})
    await ask(name, 'PUT', `/v1/storefront/carts/${body.id}`, { product_items: [tea.item(2)] })
    await ask(name, 'POST', `/v1/storefront/carts/${body.id}/checkout`, { payment_method_key: 'cash' })
    await ask(name, 'GET', '/v1/storefront/orders')
    await ask(name, 'POST', '/v1/storefront/carts/current', {})
  }
  const picture = (width: number) =>
    sharp({ create: { width, height: width, channels: 3, background: '#808080' } })
      .png()
      .toBuffer()
  return Object.assign(ground, { pool, callers, files: await Promise.all([picture(8), picture(40)]) })
}
