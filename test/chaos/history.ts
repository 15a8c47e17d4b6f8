// The history of a round as plain data: the answers to buyers, the database, the oracles' ledgers, and the faults.
import type { Fault } from './timeline.ts'

/** Times are milliseconds since 1970. */
export type EffectRow = {
  table: string
  id: string
  status: 'requested' | 'processing' | 'succeeded' | 'rejected' | 'failed' | 'unknown'
  sent_at: number | null
  deadline_at: number | null
  settled_at: number | null
  error: string | null
  /** A signed event of the provider, or a later read of it, settled it. */
  by_event: boolean
}

export type Oracle = 'stripe' | 'receiver' | 'mail' | 'sink' | 'social' | 'models' | 'chat_bot'

/** A mutating request that arrived; `answered` as the oracle sees it, `effect` if it was carried out. */
export type Arrival = {
  oracle: Oracle
  key: string
  at: number
  answered: boolean
  status: number | null
  effect: boolean
  fault: string | null
}

/** A message that was accepted; `id` is null for one to the bot. `response`: of an answered one. */
export type Said = { id: string | null; text: string; status: string | null; response: string | null }
/** A post that was scheduled: not before `due`, and, if a cancellation was answered with 200, never. */
export type Posted = { publication: string; text: string; due: number; cancelled: boolean }

/** What a buyer was answered with a 2xx. */
export type Acknowledged = {
  order_id: string
  number: number
  amount: number
  currency: string
  type: 'cash' | 'card' | 'none'
  lines: { variant_id: string; quantity: number }[]
  slots: { from: number; to: number }[]
}

export type OrderRow = {
  id: string
  number: number
  status: string
  contact_id: string
  total: number
  subtotal: number
  discount: number
  shipping: number
  tax: number
  lines: {
    variant_id: string
    quantity: number
    status: string
    subtotal: number
    discount: number
    tax: number
    total: number
  }[]
  bookings: {
    provider_id: string
    slots: { from: number; to: number }[]
    status: string
    subtotal: number
    discount: number
    tax: number
    total: number
  }[]
  payment: {
    type: string
    status: string
    currency: string
    amount: number
    captured: number
    refunded: number
    pending: number
    unknown: number
    refunds: { id: string; status: string; amount: number }[]
  }
}

/** `intent` is null until it was read. */
export type MemberPayment = {
  id: string
  subscription_id: string
  provider_invoice_id: string | null
  intent: string | null
  captured: number
  refunded: number
  pending: number
  unknown: number
  refunds: { id: string; status: string; amount: number }[]
}

/**
 * A campaign with two steps. `enrolled`: as its imports were answered. `paused`: from the answer to a pause to the
 * request that resumed it.
 */
export type CampaignRow = {
  id: string
  status: string
  steps: number
  enrolled: number
  paused: { from: number; to: number }[]
  enrollments: { id: string; status: string }[]
  messages: {
    id: string
    enrollment_id: string
    step: number
    try: number
    status: EffectRow['status']
    sent_at: number | null
  }[]
  /** What its statistics count, by step. */
  counted: { step: number; requested: number; succeeded: number; rejected: number; failed: number; unknown: number }[]
}

/**
 * A chat, the messages of its visitor that were accepted, and what a visitor of the chat service sees; null for one by
 * the API. `takeover`: the words of an operator.
 */
export type ChatRow = {
  id: string
  said: Said[]
  takeover: string | null
  messages: {
    seq: number
    role: string
    status: string | null
    content: string
    message_id: string
    turn_id: string | null
    turn: string | null
  }[]
  seen: string[] | null
}

/** A conversation below a post: the network's ids of what strangers wrote before the sync. */
export type Talked = { publication: string; sync: string; made: string[] }
/**
 * `status`, `more`: of the sync. `stored`: the comments of the post that are listed, by the network's id. `replies`:
 * those that succeeded.
 */
export type TalkRow = Talked & {
  status: string
  more: boolean
  stored: string[]
  replies: { id: string; comment: string | null }[]
}

/** `shown`: Unix seconds at which a post with its text became visible. */
export type PostRow = Posted & { status: string; shown: number[] }

export type History = {
  acknowledged: Acknowledged[]
  effects: EffectRow[]
  arrivals: Arrival[]
  orders: OrderRow[]
  /** Of the provider's account. */
  charges: { order_id: string; status: string; received: number; refunded: number }[]
  variants: { id: string; stock: number; available: number }[]
  /** How many bookings of it may overlap. */
  providers: { id: string; limit: number; taken: [number, number][] }[]
  codes: {
    id: string
    uses: number
    max: number | null
    max_per_contact: number | null
    redemptions: { owner: string; contact_id: string }[]
  }[]
  /**
   * Of the provider's account: invoices, with the subscription that they bill, and subscriptions that can still be
   * charged.
   */
  invoices: { id: string; subscription: string; paid: boolean; amount: number }[]
  billed: { id: string; status: string }[]
  /**
   * `proved`: the latest period end of its payments, `least` of those whose subscription was not ended at once. `pays`:
   * a subscription that was paid for, runs, and was not ended at once.
   */
  members: {
    id: string
    contact_id: string
    status: string
    paid_through_at: number | null
    proved: number | null
    least: number | null
    pays: boolean
  }[]
  subscriptions: { id: string; status: string; provider_subscription_id: string | null }[]
  member_payments: MemberPayment[]
  /** Charges of memberships of the provider's account; `invoice` and `row` say what they are for. */
  member_charges: { intent: string; invoice: string | null; row: string; received: number; refunded: number }[]
  /** Contacts that were merged, as the operator was answered, and the columns that still name the sources. */
  merges: { source: string; target: string; members: string[] }[]
  named: string[]
  campaigns: CampaignRow[]
  chats: ChatRow[]
  /** Chats that no visitor of the round began. */
  strays: string[]
  /** Of the day and of the calls; null without any. */
  tokens: {
    in_flight: number
    reserved: number
    used: number
    unknown: number
    used_by_calls: number
    unknown_of_calls: number
  } | null
  talks: TalkRow[]
  posts: PostRow[]
  /** Released orders whose payment page, which had opened, can still be paid. */
  payable: string[]
  /**
   * Every event: the order it reports, whether its webhook accepted it, and how many of the expected executions it
   * started.
   */
  events: {
    id: string
    type: string
    order_id: string
    status: string
    paid: boolean
    taken: boolean
    executions: number
    wanted: number
  }[]
  /** Answers that break what the API promises of repeated calls. */
  surprises: string[]
  /** Processes that ended without a planned fault. */
  deaths: string[]
  /** Rows that are not final two minutes after healing, and calls that were never answered. */
  unsettled: string[]
  faults: Fault[]
}

export type Violation = { invariant: string; what: string }
