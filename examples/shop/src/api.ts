// The store behind the shop: the typed client with the visitor's token, and what pages say of its problems.
import { ApiProblem, type Call, client } from 'tillwright-client'

/** `stripe_js`: only in development, the library of a simulator. `market`: the one that new visitors begin in. */
type Config = { api: string; publishable_key: string; stripe_js?: string; market?: string }

async function readConfig(): Promise<Config> {
  const answer = await fetch('/config.json')
  if (!answer.ok) throw new Error('The shop has no config.json.')
  return answer.json()
}
export const config = readConfig()

const stored = 'visitor'
export const hasVisitor = () => localStorage.getItem(stored) !== null
export const forgetVisitor = () => {
  localStorage.removeItem(stored)
  connection = connect()
}

async function connect(): Promise<Call> {
  const { api, publishable_key } = await config
  return client({
    base: api,
    publishableKey: publishable_key,
    visitorToken: localStorage.getItem(stored) ?? undefined,
    onVisitorToken: (token) => localStorage.setItem(stored, token),
  })
}
let connection = connect()

/** Every request of the shop. A token that has expired or was revoked is dropped: the visitor begins anew. */
export const call: Call = async (spec, ...input) => {
  const token = localStorage.getItem(stored)
  try {
    return await (await connection)(spec, ...input)
  } catch (error) {
    if (!(error instanceof ApiProblem && error.status === 401 && token)) throw error
    // Another request may have begun anew already.
    if (localStorage.getItem(stored) === token) forgetVisitor()
    return (await connection)(spec, ...input)
  }
}

export const isProblem = (error: unknown, code: string): error is ApiProblem =>
  error instanceof ApiProblem && error.code === code

/** What a visitor reads: each fault with its field, or the one sentence of the problem. */
export function messagesOf(error: unknown): string[] {
  if (!(error instanceof ApiProblem)) {
    console.warn(error)
    return ['The shop cannot be reached. Check your connection and try again.']
  }
  const faults = error.errors.map(({ pointer, detail }) => {
    const field = pointer.split('/').at(-1)?.replaceAll('_', ' ')
    return field && !/^\d+$/.test(field) && pointer.startsWith('/') ? `${capital(field)}: ${detail}` : detail
  })
  const { detail } = error.document
  return faults.length > 0 ? faults : [typeof detail === 'string' ? detail : 'Something went wrong. Try again.']
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
