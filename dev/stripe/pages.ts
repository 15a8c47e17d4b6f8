// What browsers get of the simulator: its library for pages (`initEmbeddedCheckout`, `createEmbeddedCheckoutPage`), the
// form that this library or a hosted checkout opens, and the customer portal. They pay by the function of the controls.
import fs from 'node:fs'
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type Stripe from 'stripe'
import { isOwnAccount } from './accounts.ts'
import { saveCard } from './billing/customers.ts'
import { idOf } from './billing/invoices.ts'
import { type Pay, pay } from './checkout.ts'
import { missing, Refusal } from './errors.ts'
import { random, unixSeconds } from './ids.ts'
import { formatAmount } from './money.ts'
import { all, detailOf, find, get, locate, platform } from './objects.ts'

type Body = Record<string, unknown>
type Card = { value: string; label: string; detail: string; last4: string; outcome?: Pay['outcome']; slow?: true }

const slowMs = 3_000
/** The first three have the numbers of Stripe's test cards. */
const cards: Card[] = [
  { value: 'accepted', label: 'Accepted', detail: '•••• 4242', last4: '4242' },
  { value: 'declined', label: 'Declined', detail: '•••• 0002', last4: '0002', outcome: 'declined' },
  { value: 'confirmation', label: 'Asks for confirmation', detail: '•••• 3155', last4: '3155' },
  { value: 'slow', label: 'Slow: three seconds', detail: '•••• 5000', last4: '5000', slow: true },
]
const declinesLater: Card = {
  value: 'declines_later',
  label: 'Accepted now, declined later',
  detail: '•••• 0341',
  last4: '0341',
}

const files: Record<string, [file: string, type: string]> = {
  '/_sim/stripe.js': ['library.js', 'text/javascript'],
  '/_sim/card': ['card.html', 'text/html'],
  '/_sim/portal': ['portal.html', 'text/html'],
  '/_sim/web/card.js': ['card.js', 'text/javascript'],
  '/_sim/web/portal.js': ['portal.js', 'text/javascript'],
  '/_sim/web/kit.js': ['kit.js', 'text/javascript'],
  '/_sim/web/style.css': ['style.css', 'text/css'],
}

/** Serves a page, a script or a style; false where the path has none. The form may stand in a frame of any page. */
export function servePage(path: string, response: ServerResponse): boolean {
  const found = files[path]
  if (!found) return false
  const [file, type] = found
  response
    .writeHead(200, {
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      // For a script element with `crossorigin`.
      'access-control-allow-origin': '*',
    })
    .end(fs.readFileSync(new URL(`web/${file}`, import.meta.url)))
  return true
}

/**
 * The session that the form was opened for. As at Stripe, a page that names another account than the session's finds
 * none.
 */
function sessionOf({ secret, account }: Body): { account: string; session: Stripe.Checkout.Session } {
  const id = String(secret).split('_secret_')[0] ?? ''
  const { account: owner, object: session } = locate('checkout.session', id)
  const isTheirs =
    account === undefined
      ? session.client_secret === null || owner === platform || isOwnAccount(owner)
      : account === owner
  if (secret !== (session.client_secret ?? id) || !isTheirs) throw missing('checkout.session', id, 'session')
  return { account: owner, session }
}

function returnUrlOf({ id, success_url, return_url, redirect_on_completion }: Stripe.Checkout.Session): string | null {
  // A card needs no redirect, so `if_required` is `never`.
  if (!success_url && redirect_on_completion && redirect_on_completion !== 'always') return null
  return (success_url ?? return_url ?? '').replaceAll('{CHECKOUT_SESSION_ID}', id) || null
}

/** What the form shows. */
export function showForm(body: Body): object {
  const { session } = sessionOf(body)
  if (session.status === 'expired' || (session.status === 'open' && session.expires_at <= unixSeconds()))
    throw new Refusal(400, 'This payment form has expired. Return to the shop and check out again.')
  const amount = (minor: number) => formatAmount(minor, session.currency ?? '')
  const offered = session.mode === 'subscription' ? [...cards, declinesLater] : cards
  return {
    total: amount(session.amount_total ?? 0),
    lines: (detailOf(session.id)?.lines ?? []).map((line) => ({
      name: line.quantity === 1 ? line.description : `${line.quantity} × ${line.description}`,
      amount: amount(line.amount_total),
    })),
    cards: offered.map(({ value, label, detail }) => ({ value, label, detail })),
    cancel_url: session.cancel_url,
    complete: session.status === 'complete',
  }
}

/**
 * Pays with the test card that was chosen. `confirmed`: what the buyer answered to the question of their bank, which
 * is asked first.
 */
export async function payByForm(body: Body): Promise<object> {
  const { session } = sessionOf(body)
  // The answer to an earlier attempt was lost: the form returns, as Stripe's does.
  if (session.status === 'complete') return { return_url: returnUrlOf(session) }
  const card = [...cards, declinesLater].find(({ value }) => value === body.card)
  if (!card) throw new Refusal(400, 'card: must be one of the test cards')
  const { last4, slow } = card
  if (card.value === 'confirmation' && typeof body.confirmed !== 'boolean') return { requires_confirmation: true }
  if (slow) await pause(slowMs)
  const isRefused = body.confirmed === false
  const outcome = isRefused ? 'declined' : (card.outcome ?? 'succeeded')
  pay(session.id, { outcome, last4 })
  if (outcome === 'declined')
    return {
      declined: isRefused
        ? 'We are unable to authenticate your payment method. Please choose a different one and try again.'
        : 'Your card was declined.',
    }
  return { return_url: returnUrlOf(session) }
}

type PortalSession = Pick<Stripe.BillingPortal.Session, 'customer' | 'return_url' | 'flow'> & { account: string }

/** Links of this process: as at Stripe, they are short-lived. */
const portals = new Map<string, PortalSession>()

export function portalUrl(origin: string, session: PortalSession): string {
  const token = `test_${random(58)}`
  portals.set(token, session)
  return `${origin}/_sim/portal#${token}`
}

function portalOf({ session: token }: Body): PortalSession {
  const found = portals.get(String(token))
  if (!found) throw new Refusal(400, 'This link has expired. Return to the shop and open the portal again.')
  return found
}

/** What the portal shows. */
export function showPortal(body: Body): object {
  const { account, customer, return_url } = portalOf(body)
  const subscriptions = all('subscription', account).filter((one) => idOf(one.customer) === customer)
  return {
    email: find('customer', account, customer)?.email ?? null,
    subscriptions: subscriptions.map(({ items, status, currency }) => {
      const names = items.data.map(({ price: { unit_amount, recurring } }) =>
        [formatAmount(unit_amount ?? 0, currency), recurring && `per ${recurring.interval}`].filter(Boolean).join(' '),
      )
      return `${names.join(', ')}: ${status}`
    }),
    cards: [cards[0], declinesLater].map(
      (card) => card && { value: card.last4, label: card.label, detail: card.detail },
    ),
    return_url,
  }
}

/** Saves a card as the customer's default. `redirect`: where the flow of the link returns to. */
export function saveInPortal(body: Body): object {
  const { account, customer, flow } = portalOf(body)
  get('customer', account, customer)
  saveCard(customer, String(body.card))
  return { saved: body.card, redirect: flow?.after_completion.redirect?.return_url ?? null }
}
