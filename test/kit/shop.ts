// A store for tests in a few milliseconds: an operator with a token, a store made through the API, and its visitors.
//   const shop = await newShop()
//   await shop.asOperator('POST', '/products', { key: 'tea' })   → /v1/stores/{its id}/products
//   const visitor = await shop.visitor()
//   await visitor.call('GET', '/carts/current')                  → /v1/storefront/carts/current
import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { newId } from '../../entities/kit/ids.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Answer = { status: number; body: any; headers: Headers }
/** `text`: the raw body, where it is not JSON of ours. */
export type Asked = { body?: unknown; text?: string; headers?: Record<string, string>; base?: string | undefined }
export type Operator = { token: string; account_id: string; email: string; headers: Record<string, string> }

let pool: pg.Pool | undefined
/** The database behind the servers, for data that no route shows. */
export function database(): pg.Pool {
  // A connection that ends with the stack is no failure of the test.
  pool ??= new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4, allowExitOnIdle: true }).on(
    'error',
    () => {},
  )
  return pool
}

export const api = (): string => process.env.TEST_API as string
/** Another process of the same API. */
export const secondApi = (): string => process.env.TEST_API_2 as string

let turn = 0
/** Alternates between the servers: nothing may depend on which process answers. */
export const eitherApi = (): string => (++turn % 2 === 0 ? api() : secondApi())

export async function http(
  method: Method,
  path: string,
  { body, text: sent = JSON.stringify(body), headers, base }: Asked = {},
): Promise<Answer> {
  const answer = await fetch(`${base ?? api()}${path}`, {
    method,
    headers: { ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(sent === undefined ? {} : { body: sent }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), headers: answer.headers }
}

export const unique = (): string => randomBytes(6).toString('hex')
export const newEmail = (name = 'someone'): string => `${name}-${unique()}@tillwright.test`

/** An account with an API token, written directly into the database. */
export async function operator(email = newEmail('operator')): Promise<Operator> {
  const token = `till_sk_${randomBytes(32).toString('base64url')}`
  const now = Math.floor(Date.now() / 1000)
  const { rows } = await database().query<{ id: string }>(
    `insert into accounts (id, created_at, updated_at, email, onboarding_completed) values ($1, $2, $2, $3, false)
     on conflict (email) do update set email = excluded.email returning id`,
    [newId(), now, email],
  )
  const account_id = rows[0]?.id as string
  await database().query(
    'insert into api_tokens (id, created_at, updated_at, account_id, name, digest) values ($1, $2, $2, $3, $4, $5)',
    [newId(), now, account_id, 'test', createHash('sha256').update(token).digest('hex')],
  )
  return { token, account_id, email, headers: { authorization: `Bearer ${token}` } }
}

export type StoreBody = { id: string; key: string; publishable_key: string } & Record<string, unknown>

export async function newStore(op: Operator, overrides: Record<string, unknown> = {}): Promise<StoreBody> {
  const body = {
    key: `shop-${unique()}`,
    timezone: 'Europe/Berlin',
    languages: ['en'],
    emails: { billing: op.email, support: op.email },
    ...overrides,
  }
  const made = await http('POST', '/v1/stores', { body, headers: op.headers })
  if (made.status !== 201) throw new Error(`no store: ${made.status} ${JSON.stringify(made.body)}`)
  return made.body
}

/** A sign-in replaces the token. */
export type Visitor = {
  readonly token: string
  contact_id: string
  headers: Record<string, string>
  /** Paths are below /v1/storefront. */
  call(method: Method, path: string, body?: unknown, base?: string): Promise<Answer>
}

export type Shop = {
  store_id: string
  store: StoreBody
  publishable_key: string
  op: Operator
  /** Paths are below the store's, unless they begin with /v1. */
  asOperator(method: Method, path: string, body?: unknown, base?: string): Promise<Answer>
  as(op: Operator, method: Method, path: string, body?: unknown, base?: string): Promise<Answer>
  /** A visitor without a token, or with the given one. */
  asVisitor(method: Method, path: string, body?: unknown, token?: string, base?: string): Promise<Answer>
  visitor(email?: string): Promise<Visitor>
}

export async function newShop(overrides: Record<string, unknown> = {}): Promise<Shop> {
  const op = await operator()
  const store = await newStore(op, overrides)
  const { id: store_id, publishable_key } = store
  const as: Shop['as'] = (who, method, path, body, base) =>
    http(method, path.startsWith('/v1/') ? path : `/v1/stores/${store_id}${path}`, { body, headers: who.headers, base })
  const asVisitor: Shop['asVisitor'] = (method, path, body, token, base) =>
    http(method, `/v1/storefront${path}`, {
      body,
      headers: { 'x-service-publishable-key': publishable_key, ...(token ? { 'x-service-visitor-token': token } : {}) },
      base,
    })
  return {
    store_id,
    store,
    publishable_key,
    op,
    as,
    asOperator: (method, path, body, base) => as(op, method, path, body, base),
    asVisitor,
    async visitor(email) {
      const known = await asVisitor('POST', '/account/identify', email ? { email } : {})
      if (known.status !== 200) throw new Error(`no visitor: ${known.status} ${JSON.stringify(known.body)}`)
      const headers = {
        'x-service-publishable-key': publishable_key,
        'x-service-visitor-token': known.body.visitor_token as string,
      }
      return {
        get token() {
          return headers['x-service-visitor-token']
        },
        contact_id: known.body.contact.id,
        headers,
        async call(method, path, body, base) {
          const answer = await asVisitor(method, path, body, headers['x-service-visitor-token'], base)
          headers['x-service-visitor-token'] =
            answer.headers.get('x-service-visitor-token') ?? headers['x-service-visitor-token']
          return answer
        },
      }
    },
  }
}
