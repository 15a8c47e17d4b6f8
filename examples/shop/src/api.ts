// The store behind the shop: the typed client with the visitor's token, and what pages say of its problems.
import { ApiProblem, type Call, client } from 'tillwright-client'
import { capital } from './records.ts'

/** What index.html says. `market`: its prices are shown. `stripe_js`: the library of a simulator, in development. */
type Config = { api: string; publishable_key: string; market: string; stripe_js?: string }
const { content } = document.getElementById('config') as HTMLTemplateElement
export const config: Config = JSON.parse(content.textContent)

/** Where all tabs keep the visitor's token: any of them may replace or remove it at any time. */
const stored = 'visitor'
const readToken = () => localStorage.getItem(stored)
export const hasVisitor = () => readToken() !== null
/** Another visitor, or none, from now on: in this tab or another one. */
export const onVisitor = (listener: () => void) =>
  addEventListener('storage', ({ key }) => (key === stored || key === null) && listener())
export function forgetVisitor(): void {
  localStorage.removeItem(stored)
  // Browsers tell the other tabs alone.
  dispatchEvent(new StorageEvent('storage', { key: stored }))
}

/** One at a time in all tabs. There are locks where a page is https or of this machine, as card forms require, too. */
export const inTurn = <T>(name: string, work: () => Promise<T>) =>
  (navigator.locks?.request(name, work) ?? work()) as Promise<T>

const connect = (token: string | null): Call =>
  client({
    base: config.api,
    publishableKey: config.publishable_key,
    visitorToken: token ?? undefined,
    onVisitorToken: (made) => localStorage.setItem(stored, made),
    // Tabs wait for each other's requests: none may hang.
    fetch: (at, request) => fetch(at, { ...request, signal: AbortSignal.timeout(30_000) }),
  })

/** Every request of the shop. A token that has expired or was revoked is dropped: the visitor is a new one then. */
export const call: Call = async (spec, ...input) => {
  const token = readToken()
  // Tabs that begin at the same time begin one visitor.
  if (!token && spec.startsWith('POST')) return inTurn('visitor', () => connect(readToken())(spec, ...input))
  try {
    return await connect(token)(spec, ...input)
  } catch (error) {
    if (!(isProblem(error, 'unauthorized') && token)) throw error
    // If the key of the shop is what is refused, this is refused, too, and the visitor stays.
    await connect(null)('GET /v1/storefront/store')
    if (readToken() === token) forgetVisitor()
    return call(spec, ...input)
  }
}

/** The first records of a list, and whether there are more. */
export async function firstOf<T>(all: AsyncIterable<T>, count: number): Promise<{ items: T[]; hasMore: boolean }> {
  const items: T[] = []
  for await (const one of all) if (items.push(one) > count) break
  return { items: items.slice(0, count), hasMore: items.length > count }
}

export const isProblem = (error: unknown, ...codes: string[]): error is ApiProblem =>
  error instanceof ApiProblem && codes.includes(error.code)
/** Whether the API has answered: without an answer, what was sent may have happened. */
export const isAnswer = (error: unknown): error is ApiProblem =>
  error instanceof ApiProblem && (error.status < 500 || typeof error.document.order_id === 'string')

/** What the shop says in place of the API, by the code of a problem or fault. Another language has more of them. */
const sentences: Record<string, string> = {
  unauthorized: 'Sign in to go on, or load the page again.',
}

/** What a visitor reads: each fault with its field, or the one sentence of the problem. */
export function messagesOf(error: unknown): string[] {
  if (!(error instanceof ApiProblem)) {
    console.warn(error)
    return ['The shop cannot be reached. Check your connection and try again.']
  }
  const own = sentences[error.code]
  if (own) return [own]
  const { detail } = error.document
  const faults = error.errors.map(({ pointer, code, detail }) => {
    const field = pointer.split('/').at(-1)?.replaceAll('_', ' ')
    const isNamed = field && !/^\d+$/.test(field) && pointer.startsWith('/')
    return sentences[code] ?? (isNamed ? `${capital(field)}: ${detail}` : detail)
  })
  return faults.length > 0 ? faults : [typeof detail === 'string' ? detail : 'Something went wrong. Try again.']
}
