// A business with its operator and its visitors.
//   const salon = await newBusiness()
//   await salon.ask('POST', '/services', { key: 'cut' })   → /v1/businesses/{its id}/services
//   await salon.see('/services')                           with the publishable key alone
import { type Answer, eitherApi, http, type Method, type Operator, operator, unique } from './shop.ts'

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
  const ask: Business['ask'] = (method, path, body) => http(method, at(path), { body, headers: op.headers, base: eitherApi() })
  return {
    ...{ id, publishableKey, op, ask },
    see: (path) => http('GET', at(path), { headers: { 'x-service-publishable-key': publishableKey }, base: eitherApi() }),
    async make(path, given = {}) {
      const { status, body: record } = await ask('POST', path, path === '/service-providers' ? given : { key: unique(), ...given })
      if (status !== 201) throw new Error(`not made: ${status} ${JSON.stringify(record)}`)
      return record
    },
  }
}
