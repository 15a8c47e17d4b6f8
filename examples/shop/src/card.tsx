// The card form of the provider: its browser library opens it in a frame, takes the card, and returns to `return_url`.
import { useEffect, useRef, useState } from 'react'
import { preload } from 'react-dom'
import type { PaymentAction } from 'tillwright-client'
import { config, messagesOf } from './api.ts'
import { Problems } from './kit.tsx'

type Form = { mount(box: HTMLElement | null): void; destroy(): void }
type Stripe = { createEmbeddedCheckoutPage(o: { clientSecret: string }): Promise<Form> }
declare global {
  var Stripe: ((key: string, options: { stripeAccount?: string }) => Stripe) | undefined
}

/** The version of the library is that of the API's requests. */
const src = config.stripe_js ?? 'https://js.stripe.com/endive/stripe.js'
/** Where a form will be needed, its library is fetched beside what says so. */
export const preloadForm = () => preload(src, { as: 'script' })
const loadLibrary = () =>
  new Promise((loaded, failed) => {
    document.head.append(Object.assign(document.createElement('script'), { src, onload: loaded, onerror: failed }))
  })

type Card = Extract<PaymentAction, { type: 'card_embedded_checkout' }>
async function openForm({ publishable_key, account_id, client_secret }: Card): Promise<Form> {
  if (!globalThis.Stripe) await loadLibrary()
  // An account with keys of its own (`integration:…`) is named by its key.
  const account = account_id.startsWith('acct_') ? { stripeAccount: account_id } : {}
  const stripe = globalThis.Stripe?.(publishable_key, account)
  if (!stripe) throw new Error('The script of the card form is no library.')
  return stripe.createEmbeddedCheckoutPage({ clientSecret: client_secret })
}

/** Nothing where nothing has to be paid. */
export function CardForm({ action }: { action: PaymentAction }) {
  const box = useRef<HTMLDivElement>(null)
  const [tries, setTries] = useState(0)
  const [problems, setProblems] = useState<string[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try opens a form
  useEffect(() => {
    if (action.type === 'none') return
    setProblems([])
    const opening = openForm(action)
    opening.then((form) => box.current && form.mount(box.current)).catch((error) => setProblems(messagesOf(error)))
    return () => void opening.then((form) => form.destroy()).catch(() => {})
  }, [action, tries])
  return (
    <>
      <div ref={box} className="card-form" />
      <Problems of={problems} again={() => setTries(tries + 1)} />
    </>
  )
}
