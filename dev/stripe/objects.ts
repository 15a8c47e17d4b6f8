// The objects of each account. A stored object is replaced, never mutated, so an event keeps the object as it was.
import type Stripe from 'stripe'
import { part } from '../sim/journal.ts'
import { missing } from './errors.ts'

type Thing =
  | Stripe.Account
  | Stripe.BillingPortal.Configuration
  | Stripe.Charge
  | Stripe.Checkout.Session
  | Stripe.Coupon
  | Stripe.Customer
  | Stripe.Dispute
  | Stripe.Invoice
  | Stripe.InvoicePayment
  | Stripe.PaymentIntent
  | Stripe.PaymentMethod
  | Stripe.Price
  | Stripe.Product
  | Stripe.Refund
  | Stripe.Subscription
export type Kind = Thing['object']
export type Of<K extends Kind> = Extract<Thing, { object: K }>

type Metadata = Record<string, string>
/**
 * Fields of a session that are not returned. `begun`: the incomplete subscription that a declined card left.
 * `trial_end`: Unix seconds.
 */
export type SessionDetail = {
  lines: Stripe.LineItem[]
  intent: { metadata: Metadata; description: string | null; fee: number | null; manual?: true }
  subscription?: { metadata: Metadata; description: string | null; trial_end: number | null }
  begun?: string
}
/** `opened` and `closed` (of a checkout session): positions in the history of all changes. */
type Saved = { account: string; object: Thing; detail?: SessionDetail; opened?: number; closed?: number }

/** The platform account, which has no `Stripe-Account` header. */
export const platform = ''

const things = new Map<string, Saved>()
const ids = new Map<string, string[]>()
const openIds = new Set<string>()
const endingIds = new Set<string>()
let changes = 0

/** The caller chooses the id of a coupon, so two accounts can have the same one. */
const keyOf = (kind: string, account: string, id: string) => (kind === 'coupon' ? `${account} ${id}` : id)

function keep(saved: Saved): void {
  const { account, object } = saved
  const key = keyOf(object.object, account, object.id)
  const before = things.get(key)
  changes++
  if (!before) {
    const list = `${account} ${object.object}`
    const existing = ids.get(list)
    if (existing) existing.push(key)
    else ids.set(list, [key])
  }
  things.set(key, saved)
  if (object.object === 'checkout.session') {
    const isOpen = object.status === 'open'
    isOpen ? openIds.add(key) : openIds.delete(key)
    saved.opened = before?.opened ?? changes
    if (!isOpen) saved.closed = before?.closed ?? changes
  }
  if (object.object === 'subscription') {
    const ends = object.cancel_at !== null && object.ended_at === null
    ends ? endingIds.add(key) : endingIds.delete(key)
  }
}

const journal = part<Saved>('object', keep)

export function put<K extends Kind>(account: string, object: Of<K>, detail = things.get(object.id)?.detail): Of<K> {
  const saved: Saved = { account, object, ...(detail && { detail }) }
  journal({ ...saved })
  keep(saved)
  return object
}

export function find<K extends Kind>(kind: K, account: string, id: string): Of<K> | undefined {
  const saved = things.get(keyOf(kind, account, id))
  return saved?.account === account && saved.object.object === kind ? (saved.object as Of<K>) : undefined
}

export function get<K extends Kind>(kind: K, account: string, id: string, param = 'id', status = 404): Of<K> {
  return find(kind, account, id) ?? absent(kind, id, param, status)
}

function absent(kind: Kind, id: string, param: string, status: number): never {
  throw missing(kind, id, param, status)
}

/** Finds an object in any account: only for the controls of the simulator. */
export function locate<K extends Kind>(kind: K, id: string): { account: string; object: Of<K> } {
  const saved = things.get(id)
  if (saved?.object.object !== kind) return absent(kind, id, 'id', 404)
  return { account: saved.account, object: saved.object as Of<K> }
}

export const detailOf = (id: string): SessionDetail | undefined => things.get(id)?.detail

/** For `expand`: the object of an id in one account. */
export function lookup(account: string, id: string): Thing | undefined {
  const saved = things.get(id) ?? things.get(keyOf('coupon', account, id))
  return saved && (saved.account === account || saved.object.object === 'account') ? saved.object : undefined
}

/** Oldest first. */
export function all<K extends Kind>(kind: K, account: string): Of<K>[] {
  return (ids.get(`${account} ${kind}`) ?? []).map((key) => things.get(key)?.object as Of<K>)
}

/** The objects of all accounts, oldest first: only for the ledger. */
export function everywhere<K extends Kind>(kind: K): (Saved & { object: Of<K> })[] {
  return [...things.values()].filter((saved): saved is Saved & { object: Of<K> } => saved.object.object === kind)
}

export const openSessions = (): string[] => [...openIds]
/** Subscriptions that have an end and have not ended. */
export const endingSubscriptions = (): string[] => [...endingIds]
