// The provider's side of a test: faults to arm there, and the ledgers of what arrived.
import { sim } from '../orders/buying.ts'

export type LedgerEntry = {
  path: string
  digest: string
  times: number
  effect: boolean
  status: number | null
  metadata: Record<string, string>
}

export { fault } from '../orders/buying.ts'

/** Every request that arrived under this key, including those that met a fault. */
export const ledgerOf = (key: string): Promise<LedgerEntry[]> => sim('GET', `/ledger?key=${key}`)

/** A request to the provider's API, as its own dashboard or a browser would make it. */
export async function stripeApi<T>(account: string, path: string, form: Record<string, string>): Promise<T> {
  const answer = await fetch(`${process.env.TEST_STRIPE}${path}`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer sk_test_somebody',
      'content-type': 'application/x-www-form-urlencoded',
      'stripe-account': account,
    },
    body: new URLSearchParams(form).toString(),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

export type MailEntry = {
  message_id: string
  to: string[]
  subject: string
  digest: string
  accepted: boolean
  answered: boolean
}

export async function mailLedger(to: string): Promise<MailEntry[]> {
  const all = (await (await fetch(`${process.env.TEST_MAIL}/ledger`)).json()) as MailEntry[]
  return all.filter((entry) => entry.to.includes(to))
}

export async function mailFault(given: {
  step: 'connect' | 'auth' | 'mail' | 'rcpt' | 'data' | 'after_data'
  action: 'reject' | 'hang' | 'reset' | 'greylist'
  code?: number
  delay_ms?: number
  to?: string
}) {
  const answer = await fetch(`${process.env.TEST_MAIL}/faults`, { method: 'POST', body: JSON.stringify(given) })
  if (!answer.ok) throw new Error(`no fault: ${answer.status}`)
}
