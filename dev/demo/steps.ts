// What the parts of `npm run demo` share.
import type { client } from '../../client/client.ts'

export type Callers = {
  path: { storeId: string }
  operator: ReturnType<typeof client>
  visitor: ReturnType<typeof client>
}

export const address = {
  name: 'Ada Buyer',
  street1: '5 Elm Street',
  city: 'Portland',
  state: 'OR',
  postal_code: '97201',
  country: 'US',
}

let step = 0
export const say = (what: string, detail = '') =>
  console.log(`${String(++step).padStart(2)}. ${what}${detail ? `\n      ${detail}` : ''}`)
export const dollars = (amount: number) => `$${(amount / 100).toFixed(2)}`

/** Looks until there is something, for at most 20 s. */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + 20_000
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > end) throw new Error(`Timed out after 20 s: ${what}`)
    await new Promise((done) => setTimeout(done, 50))
  }
}

/** Sends a request to the controls of the Stripe simulator. */
export async function control<T>(stripe: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(
    `${stripe}/_sim${path}`,
    body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
  )
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}
