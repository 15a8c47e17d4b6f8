// The input of every route.
import type { Origin } from './events.ts'
import type { Form } from './form.ts'
import { Fields } from './form.ts'

/** `id` is from the path; `fields` are the parameters of the body, or of the query of a GET or DELETE. */
export type Call = Origin & {
  request: string
  method: string
  path: string
  version: string
  form: Form
  body: string | null
  authorization: string | null
  origin: string
}
export type Handler = (call: Call, fields: Fields, id: string) => object
export type Route = [method: 'GET' | 'POST' | 'DELETE', path: string, handler: Handler]

export const dashboard = (account: string): Origin => ({ account, request: null, key: null })
export const fieldsOf = (call: Call) => new Fields(call.form)
