// The objects of each account. A stored object is replaced, never mutated, so an event keeps the object as it was.
import type Stripe from 'stripe'
import { missing } from './errors.ts'
import { part } from './journal.ts'

type Thing = Stripe.Checkout.Session | Stripe.PaymentIntent | Stripe.Charge | Stripe.Refund | Stripe.Dispute | Stripe.Account
export type Kind = Thing['object']
export type Of<K extends Kind> = Extract<Thing, { object: K }>

/** Fields of a session that are not returned. */
export type SessionDetail = { lines: Stripe.LineItem[]; intent: { metadata: Record<string, string>; description: string | null; fee: number | null } }
type Saved = { account: string; object: Thing; detail?: SessionDetail }

/** The platform account, which has no `Stripe-Account` header. */
export const platform = ''

const things = new Map<string, Saved>()
const ids = new Map<string, string[]>()
const openIds = new Set<string>()

function keep(saved: Saved): void {
  const { account, object } = saved
  if (!things.has(object.id)) {
    const list = `${account} ${object.object}`
    const existing = ids.get(list)
    if (existing) existing.push(object.id)
    else ids.set(list, [object.id])
  }
  things.set(object.id, saved)
  if (object.object === 'checkout.session') object.status === 'open' ? openIds.add(object.id) : openIds.delete(object.id)
}

const journal = part<Saved>('object', keep)

export function put<K extends Kind>(account: string, object: Of<K>, detail = things.get(object.id)?.detail): Of<K> {
  const saved: Saved = { account, object, ...(detail && { detail }) }
  keep(saved)
  journal(saved)
  return object
}

export function find<K extends Kind>(kind: K, account: string, id: string): Of<K> | undefined {
  const saved = things.get(id)
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
  const saved = things.get(id)
  return saved && (saved.account === account || saved.object.object === 'account') ? saved.object : undefined
}

/** Oldest first. */
export function all<K extends Kind>(kind: K, account: string): Of<K>[] {
  return (ids.get(`${account} ${kind}`) ?? []).map((id) => things.get(id)?.object as Of<K>)
}

export const openSessions = (): string[] => [...openIds]
