// A business with its operator and its visitors.
//   const salon = await newBusiness()
//   await salon.ask('POST', '/services', { key: 'cut' })   → /v1/businesses/{its id}/services
//   await salon.see('/services')                           with the publishable key alone
import { connected } from './orders/buying.ts'
import {
  type Answer,
  database,
  eitherApi,
  http,
  type Method,
  newShop,
  type Operator,
  operator,
  type Shop,
  unique,
  type Visitor,
} from './shop.ts'

export type Business = {
  id: string
  publishableKey: string
  op: Operator
  ask(method: Method, path: string, body?: unknown): Promise<Answer>
  see(path: string): Promise<Answer>
  /** The record that a POST creates. */
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape
  make(path: string, body?: object): Promise<any>
}

export async function newBusiness(timezone = 'UTC'): Promise<Business> {
  const op = await operator()
  const body = { key: `salon-${unique()}`, timezone, billingEmail: op.email }
  const { id, publishableKey } = (await http('POST', '/v1/businesses', { body, headers: op.headers })).body
  const at = (path: string) => `/v1/businesses/${id}${path}`
  const ask: Business['ask'] = (method, path, body) =>
    http(method, at(path), { body, headers: op.headers, base: eitherApi() })
  return {
    ...{ id, publishableKey, op, ask },
    see: (path) =>
      http('GET', at(path), { headers: { 'x-service-publishable-key': publishableKey }, base: eitherApi() }),
    async make(path, given = {}) {
      const { status, body: record } = await ask(
        'POST',
        path,
        path === '/service-providers' ? given : { key: unique(), ...given },
      )
      if (status !== 201) throw new Error(`not made: ${status} ${JSON.stringify(record)}`)
      return record
    },
  }
}

/**
 * A business that takes bookings: its calls, and its account for cards. It is a store, which has its routes, until
 * `open`.
 */
export type Salon = {
  shop: Shop
  account: string
  op(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  as(visitor: Visitor, method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  open(): Promise<unknown>
}

export async function newSalon(settings: object = {}): Promise<Salon> {
  const shop = await newShop({ settings })
  const account = await connected(shop)
  const payment_methods = [
    { key: 'cash', type: 'cash' },
    { key: 'credit_card', type: 'card' },
  ]
  await shop.asOperator('POST', '/markets', {
    key: 'booking',
    currency: 'USD',
    tax_mode: 'exclusive',
    zones: [],
    payment_methods,
  })
  const ask = (method: Method, path: string, body: unknown, headers: Record<string, string>) =>
    http(method, `/v1/businesses/${shop.store_id}${path}`, { body, headers, base: eitherApi() })
  return {
    ...{ shop, account },
    op: (method, path, body, headers = {}) => ask(method, path, body, { ...shop.op.headers, ...headers }),
    as: (visitor, method, path, body, headers = {}) => ask(method, path, body, { ...visitor.headers, ...headers }),
    open: () => database().query("update tenants set kind = 'business' where id = $1", [shop.store_id]),
  }
}
