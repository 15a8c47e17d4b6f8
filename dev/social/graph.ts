// What APIs of Graph have in common: nodes with fields, edges with cursors, and the account of a token.
import { graphMissing } from './errors.ts'
import type { Answer, Call, Handler } from './network.ts'
import { bearerOf } from './oauth.ts'
import type { Token } from './state.ts'

/** The fields that a request names, or the default ones; `a{b,c}` and `a.limit(0)` name `a`. */
export function fieldsIn({ fields }: Pick<Call, 'fields'>, defaults: readonly string[] = []): string[] {
  const flat = (fields.fields ?? '').replaceAll(/\{[^{}]*\}/g, '').replaceAll(/\{[^{}]*\}/g, '')
  const named = flat.split(',').flatMap((name) => name.trim().split('.')[0] || [])
  return named.length > 0 ? [...new Set(['id', ...named])] : [...defaults]
}
export const pick = (whole: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (whole[name] === undefined ? [] : [[name, whole[name]]])))

/** Graph's time: `2026-11-25T12:00:00+0000`. */
export const graphTime = (seconds: number): string => `${new Date(seconds * 1_000).toISOString().slice(0, 19)}+0000`

/**
 * One page of an edge. `paging.next` holds the token, as Graph's does. A cursor names the item it follows, and stays
 * good when others come or go.
 */
export function edge<T>(
  call: Call,
  token: Token,
  all: readonly T[],
  idOf: (one: T) => string,
  show: (one: T) => unknown,
  max = 100,
): Answer {
  const limit = Math.min(max, Math.max(1, Number(call.fields.limit ?? 25)))
  const after = call.fields.after ? Buffer.from(call.fields.after, 'base64url').toString() : null
  const from = after === null ? 0 : all.findIndex((one) => idOf(one) === after) + 1
  const page = all.slice(from, from + limit)
  const cursor = (one: T | undefined) => Buffer.from(one === undefined ? '' : idOf(one)).toString('base64url')
  const next = new URL(`https://${call.host}${call.path}`)
  for (const [name, value] of Object.entries({ ...call.fields, after: cursor(page.at(-1)), access_token: token.token }))
    next.searchParams.set(name, value)
  const more = from + limit < all.length ? { next: next.href } : {}
  return {
    status: 200,
    body: {
      data: page.map(show),
      ...(page.length > 0
        ? { paging: { cursors: { before: cursor(page[0]), after: cursor(page.at(-1)) }, ...more } }
        : {}),
    },
  }
}

/** With the token of an account, and of that one alone where the path names it as `user`. */
export const withToken =
  (handler: (call: Call, token: Token) => Answer | Promise<() => Answer>): Handler =>
  (call) => {
    const token = bearerOf(call)
    if (!token) return call.network.refusals.token()
    const { user } = call.params
    if (user !== undefined && user !== 'me' && user !== (token.page ?? token.account))
      return graphMissing(user, call.method.toLowerCase())
    return handler(call, token)
  }
