// Generated from api/openapi.json by `npm run openapi`. Do not edit.

/** A change of a store or of its team. */
export type AccountUpdate = {
  /** What happened. */
  action: "store_updated" | "subscription_updated" | "member_added" | "member_updated" | "member_removed"
  /** The store as it is now. */
  store: Store
  /** The member as they are now, or were before the removal; null for `store_updated` and `subscription_updated`. */
  member: Member | null
}

/** The store or its team was changed. */
export type AccountUpdatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "account.updated"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: AccountUpdate
}

/** A postal address. Every field may be left out or null. */
export type Address = {
  /** Name of the person or company, 200 characters at most. */
  name?: string | null | undefined
  /** Street and number, 300 characters at most. */
  street1?: string | null | undefined
  /** Further line, such as floor or suite, 300 characters at most. */
  street2?: string | null | undefined
  /** City, 200 characters at most. */
  city?: string | null | undefined
  /** State, province or region, as a code or a name, 100 characters at most. */
  state?: string | null | undefined
  /** Postal code, 32 characters at most. */
  postal_code?: PostalCode | null | undefined
  /** Country, ISO 3166-1 alpha-2, accepted in any case. */
  country?: string | null | undefined
}

export type ApiToken = {
  /** Identifier of the API token, a UUIDv7 made by the server. */
  id: string
  /** Name that tells the tokens of an account apart. */
  name: string
  /** Time from which the token is refused, in Unix seconds; null for a token that does not expire. */
  expires_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type ApiTokenList = {
  /** The records of this page. */
  items: ApiToken[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type ApiTokenMade = {
  /** Identifier of the API token, a UUIDv7 made by the server. */
  id: string
  /** Name that tells the tokens of an account apart. */
  name: string
  /** Time from which the token is refused, in Unix seconds; null for a token that does not expire. */
  expires_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** The token itself, sent as `Authorization: Bearer …`. Only its digest is stored, so no other call returns it. */
  value: string
}

/** What is known about an item. */
export type AttentionEvidence = {
  /** Status of the request, or the code of what is wrong with the record; null if it has none. */
  status: string | null
  /** Time at which the request was sent, in Unix seconds; null if none is known. */
  sent_at: number | null
  /** Time at which its outcome was recorded, or became unknown, in Unix seconds; null if none is known. */
  settled_at: number | null
  /** What is wrong; null if nothing was recorded. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** What the provider answered or reported; null for nothing. */
  answer: Record<string, unknown> | null
  /** What became known after the outcome was recorded; null for nothing. */
  late_evidence: Record<string, unknown> | null
  /** What a person recorded about the outcome, which later evidence contradicts; null if nothing was. */
  resolution: Record<string, unknown> | null
  /** What it is looked up by, here and at the provider: names and identifiers. */
  ids: Record<string, unknown>
}

/** Something that a person has to do. */
export type AttentionItem = {
  /** Identifier of the item: that of the record that it is about. */
  id: string
  /** A request to another party by its name, if its outcome is unknown or was recorded otherwise than later evidence says. `refund_due`: a refund that has to be made and was not. `payment`: what was taken is not what was due, or has to go back. `subscription`: it is charged without paid time, or the provider does not return it. `campaign`, `mailbox`, `webhook`: it was stopped. `channel`, `social_connection`: it has to be connected again. `start`: a workflow of ours was not started. `erasure`: a deletion waits. */
  kind: "refund" | "payment_session" | "session_expiry" | "coupon" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "portal_configuration" | "portal_link" | "mail" | "campaign_message" | "webhook_test" | "subscription_change" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reveal" | "social_reply" | "social_classification" | "model_call" | "channel_message" | "node_run" | "refund_due" | "payment" | "subscription" | "dispute" | "campaign" | "mailbox" | "webhook" | "start" | "erasure" | "channel" | "social_connection"
  /** What is done about it. `outcome`: find out what became of a request. `money`: return it, or accept what was paid. `dispute`: answer it. `stopped`: mend the cause, and start it again. `reconnect`: connect the account again. */
  group: "outcome" | "money" | "dispute" | "stopped" | "reconnect"
  /** The store that it is about; null if it is about the installation. */
  tenant: {
    /** Identifier of the store. */
    id: string
    /** What it is: the older surface has routes of its own. */
    kind: "store" | "business"
    /** Its key. */
    key: string
  } | null
  /** When it began, in Unix seconds. */
  since: number
  /** Time by which it has to be done, in Unix seconds; null if none is known. */
  due_at: number | null
  /** What is wrong, in a sentence. */
  title: string
  /** The record that it is about. */
  subject: {
    /** Type of the record, such as `order`, `member`, `campaign` or `webhook`. */
    type: string
    /** Identifier of the record. */
    id: string
    /** What people call it; null if it has no name of its own. */
    label: string | null
  }
  /** Amount in minor units of `currency`; null if it is about none. */
  amount: number | null
  /** Currency of the amount, ISO 4217; null without one. */
  currency: string | null
  /** What is known. */
  evidence: AttentionEvidence
  /** What a person does about it. */
  what_to_do: string
  /** The request that records what you found; null if the item ends by itself when what is wrong is mended. */
  resolve: AttentionResolve | null
  /** Its workflow in Temporal's UI; null without one, or if the installation names no UI. */
  temporal_url: string | null
  /** A page of the payment provider's dashboard about it; null if none is known. */
  provider_url: string | null
}

export type AttentionItemList = {
  /** The records of this page. */
  items: AttentionItem[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type AttentionResolve = {
  /** Method of the request that records what you found. */
  method: "POST"
  /** Path of the request. */
  path: string
  /** The least role that may send it. */
  role: "admin" | "owner"
  /** Values of `outcome` in its body, which has a `note` as well: how the outcome was established. */
  choices: Array<"succeeded" | "rejected" | "accepted" | "start_again" | "published" | "completed" | "failed">
}

/** What is left to do after an outcome was recorded. */
export type AttentionResolved = {
  /** The item, if something is left to do about it; null if it left the list. */
  item: AttentionItem | null
}

/** A group of contacts. */
export type Audience = {
  /** Identifier of the audience, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the store. */
  store_id: string
  /** Key of the audience, unique in the store. */
  key: string
  /** Name of the audience for people. */
  name: string
  /** Contacts can join `active` audiences only. `archived` is final. */
  status: "active" | "draft" | "archived"
  /** How contacts join. */
  type: AudienceType
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type AudienceAccess = {
  /** Whether the visitor has access at this moment. */
  has_access: boolean
  /** The membership, also one that has ended; null if the visitor never joined. */
  member: OwnAudienceMember | null
}

export type AudienceLead = {
  /** Identifier of the membership. */
  member_id: string
  /** What lead research found out; null if it has not. */
  insight: LeadInsight | null
}

export type AudienceList = {
  /** The records of this page. */
  items: Audience[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** The membership of a contact in an audience. There is one per contact and audience. */
export type AudienceMember = {
  /** Identifier of the membership, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the audience. */
  audience_id: string
  /** Identifier of the contact. */
  contact_id: string
  /** The audience. */
  audience: {
    /** Identifier of the audience. */
    id: string
    /** Key. */
    key: string
    /** Name for people. */
    name: string
  }
  /** The contact. */
  contact: {
    /** Identifier of the contact. */
    id: string
    /** Address of the contact; null for none. */
    email: string | null
  }
  /** `pending` until the contact has confirmed or paid. `cancelled`, `expired` and `removed` memberships have ended; the contact may join again. */
  status: "pending" | "active" | "cancelled" | "expired" | "removed"
  /** Whether the audience's e-mail is sent to the member. Only the member can subscribe again. */
  delivery_status: "subscribed" | "unsubscribed" | "bounced" | "complained"
  /** How the member joined most recently. */
  source: "storefront" | "operator" | "import"
  /** Identifier of the tier; null for none. */
  tier_id: string | null
  /** Identifier of the price; null for none. */
  price_id: string | null
  /** End of the time that is paid, in Unix seconds; null for a free or one-time membership. */
  paid_through_at: number | null
  /** Last second of access of an active member, in Unix seconds: the paid time and, unless the membership is ending, the grace of the store. Null: no end. */
  access_until: number | null
  /** Whether access lasts beyond the paid time at this moment. */
  in_grace: boolean
  /** When the membership ends, in Unix seconds; null if it does not end. */
  cancel_at: number | null
  /** The payment provider's status of the subscription; null without one. */
  billing_status: string | null
  /** Why the subscription is not billed as it should be; null if it is. The contact itself sees `payment_failed` only. */
  billing_error: BillingError | null
  /** When the membership became active most recently, in Unix seconds; null if it never was. */
  joined_at: number | null
  /** When the membership ended, in Unix seconds; null if it has not. */
  ended_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Note of the operators about the member; null for none. Its contact does not see it. */
  lead_description: string | null
  /** Values that operators keep about the member, in the caller's own shape. Its contact does not see them. */
  fields: Record<string, unknown>
}

/** A membership ended that was not removed by an operator: its paid time and grace are over, or the member left. It is not published when a cancellation is requested. */
export type AudienceMemberAccessCancelledEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "audience.member_access_cancelled"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: AudienceMemberChange
}

/** A contact became an active member: it joined an open audience, confirmed, its payment was proved, or an operator added or imported it. */
export type AudienceMemberAddedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "audience.member_added"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: AudienceMemberChange
}

/** A change of a membership. */
export type AudienceMemberChange = {
  /** The membership as it is now. */
  member: AudienceMember
}

/** A member used the link of the confirmation e-mail. `audience.member_added` follows. */
export type AudienceMemberConfirmedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "audience.member_confirmed"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: AudienceMemberChange
}

/** An audience's e-mail is sent to a member again: the member opted in, or what suppressed its address was lifted. */
export type AudienceMemberEmailResubscribedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "audience.member_email_resubscribed"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: AudienceMemberChange
}

/** An audience's e-mail is not sent to a member any more: the member opted out, or its address bounced, complained or withdrew its consent; `delivery_status` says which. */
export type AudienceMemberEmailUnsubscribedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "audience.member_email_unsubscribed"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: AudienceMemberChange
}

export type AudienceMemberList = {
  /** The records of this page. */
  items: AudienceMember[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A contact asked to join a `confirmation` audience, and the confirmation was mailed. It is not published for members of `paid` audiences who have not paid yet. */
export type AudienceMemberPendingEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "audience.member_pending"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: AudienceMemberChange
}

/** A membership that was removed. */
export type AudienceMemberRemoval = {
  /** The membership as it is now. */
  member: AudienceMember
  /** Only if two contacts were merged who were both members: identifier of the membership that stays. The one of the event does not exist any more. */
  merged_into?: string | undefined
}

/** An operator removed a member, or two members of an audience became one because their contacts did. */
export type AudienceMemberRemovedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "audience.member_removed"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: AudienceMemberRemoval
}

/** A payment of a membership. Amounts are in minor units. */
export type AudiencePayment = {
  /** Identifier of the payment, a UUIDv7 made by the server. */
  id: string
  /** How it is paid: by `card`, also where a promo code leaves nothing to pay; `none` for a price of 0. */
  type: "cash" | "card" | "none"
  /** `pending` until the provider or an operator confirms the payment. Refunds leave it `paid`. */
  status: "pending" | "processing" | "authorized" | "paid" | "failed" | "cancelled"
  /** Currency of all amounts of the payment, ISO 4217. */
  currency: string
  /** Amount due, in minor units. */
  amount: number
  /** Amount that was captured, in minor units. */
  captured_amount: number
  /** Amount that was refunded, in minor units. */
  refunded_amount: number
  /** Amount of refunds that are in progress, in minor units. */
  refund_pending_amount: number
  /** Amount of refunds whose outcome is unknown, in minor units. It stays reserved until an operator resolves them. */
  refund_unknown_amount: number
  /** Payment provider; null for cash and where the total is 0. */
  provider: string | null
  /** The store's account at the provider; null without a provider. */
  provider_account_id: string | null
  /** The provider's id of the checkout session; null until there is one. */
  provider_session_id: string | null
  /** The provider's id of the payment; null until it is known. */
  provider_payment_id: string | null
  /** What the provider reported about the payment; null if nothing. */
  evidence: Record<string, unknown> | null
  /** Why the payment failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Time at which it was paid, in Unix seconds; null until then. */
  paid_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Identifier of the subscription. A member has one for each time of subscribing. */
  subscription_id: string
  /** `initial` for the first payment of a subscription, `renewal` for each later one, `one_time` for access without an end. */
  kind: "initial" | "renewal" | "one_time"
  /** What a promo code took off, in minor units. */
  discount_amount: number
  /** Identifier of the contact that subscribed, as it was then: it does not change when contacts are merged. Null if it is not known. */
  payer_contact_id: string | null
  /** The provider's id of the invoice; null without one. */
  provider_invoice_id: string | null
  /** Begin of the time that was paid, in Unix seconds; null if the payment proves none. */
  period_start: number | null
  /** End of the time that was paid, in Unix seconds; null if the payment proves none. */
  period_end: number | null
  /** Disputes of the payment, the oldest first. */
  disputes: AudiencePaymentDispute[]
}

/** A dispute of a payment of a membership. */
export type AudiencePaymentDispute = {
  /** Identifier of the dispute, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the payment that is disputed. */
  payment_id: string
  /** The provider's id of the dispute. */
  provider_dispute_id: string
  /** Disputed amount, in minor units of `currency`. */
  amount: number
  /** Currency of the amount, ISO 4217. */
  currency: string
  /** Status by the provider's latest signed event. `warning`: an inquiry, or a dispute that was prevented. An appeal opens a lost dispute again. */
  status: "needs_response" | "under_review" | "won" | "lost" | "warning"
  /** The provider's own status, for example `warning_closed`, `prevented` or `appeal_under_review`. */
  provider_status: string | null
  /** The provider's reason; null if it gave none. */
  reason: string | null
  /** Time until which the provider takes evidence, in Unix seconds; null if none is awaited. */
  evidence_due_at: number | null
  /** Time at which the dispute was closed, in Unix seconds; null while it is open. */
  closed_at: number | null
  /** What the provider sent about the dispute; null if nothing. */
  evidence: Record<string, unknown> | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type AudiencePaymentList = {
  /** The records of this page. */
  items: AudiencePayment[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A price of a tier. Its amount, currency and interval never change. */
export type AudiencePrice = {
  /** Identifier of the price, as subscribing names it. */
  id: string
  /** Amount in minor units of the currency; 0 is free. */
  amount: number
  /** Currency, ISO 4217. */
  currency: string
  /** How often it is charged; null for once, which gives access without end. */
  interval: PriceInterval | null
  /** `active` prices can be subscribed to; `archived` ones are still charged for the members who have them. */
  status: "active" | "archived"
  /** Whether it can be subscribed to. A price above 0 needs a tier whose payment provider has an account, and one that is charged repeatedly must exist there. */
  ready: boolean
  /** Why the payment provider did not accept the price; null if it did, or was not asked yet. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
}

/** A refund of a payment of a membership. In status `unknown` it may or may not have happened, and it is never sent again. */
export type AudienceRefund = {
  /** Identifier of the refund, a UUIDv7 made by the server. */
  id: string
  /** The caller's own id of the refund; of refunds by the system or the provider, an id made by the server. */
  refund_id: string
  /** Identifier of the payment that is refunded. */
  payment_id: string
  /** Amount of the refund, in minor units of `currency`. */
  amount: number
  /** Currency of the amount, ISO 4217. */
  currency: string
  /** `succeeded` when the provider refunded the amount; `rejected` if the provider refused; `failed` if nothing was sent; `unknown` if the outcome cannot be proved: nothing is sent again, and an operator resolves it. */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
  /** Who made the refund: an operator through the API, the system (a payment after the cancellation), or the provider (its dashboard). */
  origin: "operator" | "system" | "provider"
  /** The provider's id of the refund; null until it is known. */
  provider_refund_id: string | null
  /** What the provider answered; null without an answer. */
  evidence: Record<string, unknown> | null
  /** What proves an outcome and became known after it was recorded as `unknown`; null without it. */
  late_evidence: Record<string, unknown> | null
  /** Why the refund did not succeed; null if it did or is in progress. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Who resolved an `unknown` refund, when, how and why, and in `before` the resolution that it replaced; null if none was needed. */
  resolution: Record<string, unknown> | null
  /** Number of attempts to send it. Another attempt follows only one that provably sent nothing. */
  attempt: number
  /** Whether an operator has to act: the refund is `unknown`, differs from what was resolved, the recorded refunds exceed the captured amount, or a cancelled order is not refunded completely. */
  needs_attention: boolean
  /** Time at which the request may have left for the provider, in Unix seconds; null if it has not. */
  sent_at: number | null
  /** Time of the provider's answer, in Unix seconds; null without one. */
  answered_at: number | null
  /** Time at which the outcome was final, in Unix seconds; null until then. */
  settled_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Identifier of the subscription that the payment belongs to. */
  subscription_id: string
}

export type AudienceRefundList = {
  /** The records of this page. */
  items: AudienceRefund[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type AudienceSubscription = {
  /** The membership. */
  member: OwnAudienceMember
  /** The payment of a paid membership; null if nothing has to be paid. */
  payment: FirstMembershipPayment | null
  /** What the browser has to do next to pay. */
  payment_action: PaymentAction
}

/** A level of a paid audience. */
export type AudienceTier = {
  /** Identifier of the tier, a UUIDv7 made by the server. */
  id: string
  /** Key of the tier, unique in the audience. */
  key: string
  /** Name of the tier for people. */
  name: string
  /** Description of the tier; null for none. */
  description: string | null
  /** What members of the tier get, one text per benefit. */
  benefits: string[]
  /** Identifier of the audience. */
  audience_id: string
  /** `active` tiers can be subscribed to. */
  status: "active" | "archived"
  /** The payment provider that charges its prices; null for none. */
  provider: TierProvider | null
  /** Prices of the tier, archived ones too, in their order. */
  prices: AudiencePrice[]
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type AudienceTierList = {
  /** The records of this page. */
  items: AudienceTier[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** How contacts join an audience. */
export type AudienceType = AudienceTypePrivate | AudienceTypeOpen | AudienceTypePaid | AudienceTypeConfirmation

export type AudienceTypeConfirmation = {
  /** Visitors join by a link that is mailed to them. */
  type: "confirmation"
  /** E-mail template of the type `subscription_confirmation`. Required before the audience can be active. */
  template_id?: string | null | undefined
  /** Page of the storefront that the link leads to, with the token as the query parameter `token`. https, or http on the local machine. Required before the audience can be active. */
  confirmation_url?: string | null | undefined
  /** Mailbox that sends the e-mail; null for the store's oldest active one, or, without any, the server's own sender. */
  mailbox_id?: string | null | undefined
}

export type AudienceTypeOpen = {
  /** Visitors join at once. */
  type: "open"
}

export type AudienceTypePaid = {
  /** Visitors join by paying for a price of a tier. */
  type: "paid"
}

export type AudienceTypePrivate = {
  /** Operators add members, and storefronts do not show the audience. */
  type: "private"
}

/** Free slots of a service. Times are in Unix seconds. */
export type Availability = {
  /** Providers of the service, with their free slots. */
  providers: Array<{
    /** Identifier of the provider. */
    provider_id: string
    /** Days with at least one free slot. */
    days: Array<{
      /** Day in the store's time zone, YYYY-MM-DD. */
      date: string
      /** Free slots that start on this day. */
      slots: Array<{
        /** Start of the slot, in Unix seconds. */
        from: number
        /** End of the slot, in Unix seconds. */
        to: number
        /** Number of bookings that the slot can still take. */
        spots: number
      }>
    }>
  }>
}

/** A problem with status 400. */
export type BadRequestProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 400
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "bad_cursor" | "bad_event" | "bad_request" | "bad_state" | "bad_signature" | "malformed_json" | "malformed_multipart" | "too_deep"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

/** What keeps the subscription of a membership from being billed. */
export type BillingError = {
  /** `payment_failed`: the renewal could not be charged. `event_missing`: the payment provider shows a paid period whose event has not arrived. `not_readable`: the payment provider did not return the subscription. */
  code: string
  /** What happened, for people. */
  message: string
  /** When the payment provider charges the card again, in Unix seconds; null if it does not, or for other errors. */
  next_attempt_at: number | null
}

export type Block = {
  /** Id of the block. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the block, as its schema names it. */
  key: string
  /** Type of the value. Values of `text`, `markdown`, `localized_text`, `localized_markdown`, `number`, `boolean`, `date`, `select`, `url`, `email`, `geo_location`, `media`, `entry`, `product`, `digital_product`, `object` and `list` are checked, unless a collection has an empty schema; the value of `media` is the id of a file, served at `/media/{id}/{variant}`. Any other type is free: its value is stored as it is sent. */
  type: string
  /** Properties of the block, in the caller's own shape. */
  properties?: Record<string, unknown> | undefined
  /** The value, of this type. */
  value?: unknown | undefined
  /** In answers: the file of a block of the type `media`, nested ones included; left out while the file is not ready. Ignored in requests. */
  media?: BlockMedia | undefined
}

export type BlockInput = {
  /** Id of the block. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the block, as its schema names it. */
  key: string
  /** Type of the value. Values of `text`, `markdown`, `localized_text`, `localized_markdown`, `number`, `boolean`, `date`, `select`, `url`, `email`, `geo_location`, `media`, `entry`, `product`, `digital_product`, `object` and `list` are checked, unless a collection has an empty schema; the value of `media` is the id of a file, served at `/media/{id}/{variant}`. Any other type is free: its value is stored as it is sent. */
  type: string
  /** Properties of the block, in the caller's own shape. */
  properties?: Record<string, unknown> | undefined
  /** The value, of this type. */
  value?: unknown | undefined
  /** In answers: the file of a block of the type `media`, nested ones included; left out while the file is not ready. Ignored in requests. */
  media?: BlockMediaInput | undefined
}

/** The file that a block of the type `media` names. */
export type BlockMedia = {
  /** Identifier of the file, a UUIDv7 made by the server. */
  id: string
  /** File name that is shown. */
  name: string
  /** Media type of the original, determined by its content and not by its name. */
  mime_type: string
  /** Size of the original, in bytes. */
  size: number
  /** Width of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known. */
  width: number | null
  /** Height of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known. */
  height: number | null
  /** Duration of an MP4 or QuickTime video in seconds; null for other files, and if the file does not say it. */
  duration_s: number | null
  /** Address of the original. */
  url: string
  /** From name to file: always `original`; of an image also `large`, `medium` and `thumbnail`, and `jpeg` once a social network needed it. */
  resolutions: Record<string, MediaFile>
}

/** The file that a block of the type `media` names. */
export type BlockMediaInput = {
  /** Identifier of the file, a UUIDv7 made by the server. */
  id: string
  /** File name that is shown. */
  name: string
  /** Media type of the original, determined by its content and not by its name. */
  mime_type: string
  /** Size of the original, in bytes. */
  size: number
  /** Width of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known. */
  width: number | null
  /** Height of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known. */
  height: number | null
  /** Duration of an MP4 or QuickTime video in seconds; null for other files, and if the file does not say it. */
  duration_s: number | null
  /** Address of the original. */
  url: string
  /** From name to file: always `original`; of an image also `large`, `medium` and `thumbnail`, and `jpeg` once a social network needed it. */
  resolutions: Record<string, MediaFileInput>
}

/** What a block of this key must be. `children` describe the blocks inside an object or a list. */
export type BlockSchema = {
  /** Id of the item, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the block that the item describes, unique among its siblings. */
  key: Key
  /** Type of the block's value. */
  type: string
  /** Whether a value must be present; false by default. */
  required?: boolean | undefined
  /** Limits of the value: `min`, `max`, `pattern`, `options`, `min_items`, `max_items`, depending on the type. Other members are stored as they are. */
  properties?: Record<string, unknown> | undefined
  /** What deleting the referenced record does: `restrict` refuses it (the default), `set_null` clears the reference. */
  on_delete?: "restrict" | "set_null" | undefined
  /** For type `entry`: the only collection whose entries may be referenced. */
  collection_id?: string | undefined
  /** Schema of the blocks inside an object or a list. */
  children?: BlockSchema[] | undefined
}

export type BookingItem = {
  /** Identifier of the service. */
  service_id: string
  /** Identifier of the provider. */
  provider_id: string
  /** Slots to book, 1 to 100. */
  slots: Slot[]
}

export type BookingItemInput = {
  /** Identifier of the service. */
  service_id: string
  /** Identifier of the provider. */
  provider_id: string
  /** Slots to book, 1 to 100. */
  slots: SentSlot[]
}

export type BookingLine = {
  /** Identifier of the line; unique in the quote or order. */
  id: string
  /** Identifier of the service. */
  service_id: string
  /** Identifier of the provider. */
  provider_id: string
  /** Key of the service at that time. */
  service_key: string
  /** Key of the provider at that time. */
  provider_key: string
  /** Booked slots. */
  slots: Slot[]
  /** Number of units; of a booking, number of slots. */
  quantity: number
  /** Price of one unit or slot, in minor units. */
  unit_price: number
  /** `unit_price` × `quantity`, in minor units. */
  subtotal: number
  /** The line's share of all discounts, in minor units. */
  discount: number
  /** Tax of the line after discount, in minor units. */
  tax: number
  /** Amount to pay for the line, tax contained, in minor units. */
  total: number
}

/** An address that deploy nodes post to. `url` and header values are write-only. */
export type BuildHook = {
  /** Identifier of the build hook, a UUIDv7 made by the server. */
  id: string
  /** Name of the build hook, unique in the store. */
  key: string
  /** Label of the hosting service that the store uses: `host_a`, `host_b` and `host_c` stand for three services of its choice, `custom` for any other. Every type is called in the same way. */
  type: "host_a" | "host_b" | "host_c" | "custom"
  /** Always `__redacted__`: the address is a secret and is never returned. */
  url: "__redacted__"
  /** Names of the headers that are sent; every value is `__redacted__`. */
  headers: Record<string, "__redacted__">
  /** Whether deploy nodes may call the hook. */
  active: boolean
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type BuildHookList = {
  /** The records of this page. */
  items: BuildHook[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type Business = {
  /** Identifier of the business, a UUIDv7 made by the server. */
  id: string
  /** Name of the business in addresses, unique in the installation. */
  key: string
  /** Time zone of the business, as an IANA name. */
  timezone: string
  /** Languages of the business's content, the main one first. */
  languages: Array<{
    /** Code of the language. */
    id: string
  }>
  /** Addresses of the business. */
  emails: {
    /** Address for invoices; null for none. */
    billing: string | null
    /** Address for customers; null for none. */
    support: string | null
  }
  /** Settings of the business. */
  settings: Record<string, unknown>
  /** Storefront calls to an `ARCHIVED` business are refused with 403. */
  status: "DRAFT" | "ACTIVE" | "ARCHIVED"
  /** Whether the business is a network. */
  isNetwork: boolean
  /** Value of `X-Service-Publishable-Key` for the storefront. It is not a secret. */
  publishableKey: string
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
  /** Address for invoices, as `emails.billing`; null for none. */
  billingEmail: string | null
}

export type BusinessActiveIntegration = {
  /** Identifier of the integration, a UUIDv7 made by the server. */
  id: string
  /** Name of the integration, unique in the business. */
  key: string
  /** Type of the provider. */
  type: string
  /** Category of the type. */
  category: "payment" | "shipping" | "analytics" | "oauth" | "ai" | "email" | "messaging" | "channel" | "deploy" | "other"
  provider: BusinessIntegrationConfig
}

/** A postal address. Every field may be left out or null. */
export type BusinessAddress = {
  /** Name of the person or company, 200 characters at most. */
  name?: string | null | undefined
  /** Street and number, 300 characters at most. */
  street1?: string | null | undefined
  /** Further line, such as floor or suite, 300 characters at most. */
  street2?: string | null | undefined
  /** City, 200 characters at most. */
  city?: string | null | undefined
  /** State, province or region, as a code or a name, 100 characters at most. */
  state?: string | null | undefined
  /** Postal code, 32 characters at most. */
  postalCode?: PostalCode | null | undefined
  /** Country, ISO 3166-1 alpha-2, accepted in any case. */
  country?: string | null | undefined
}

export type BusinessAgent = {
  /** Identifier of the agent, a UUIDv7 made by the server. */
  id: string
  /** Name of the agent, unique in the business. */
  key: string
  /** Name that visitors see; null for none. */
  name: string | null
  /** Instructions for the model. */
  prompt: string
  /** The model, as it was sent. */
  modelId: string
  /** `active` agents answer; messages to `disabled` ones are refused. */
  status: "active" | "disabled"
  /** Integrations of the channels that the agent serves. */
  channelIds: string[]
  /** Tools that the model may use; null for all of them. */
  tools: Array<"search_products" | "search_services" | "availability" | "cart_link" | "own_orders" | "hand_over"> | null
  /** Earlier messages of a chat that the model reads. */
  historyMax: number
  /** Tokens of one answer of the model. */
  outputTokensMax: number
  /** Tokens of a day (UTC); null for no limit but the business's. */
  dailyTokensMax: number | null
  /** What is answered if the model gives no answer; null for an error. */
  fallback: string | null
  /** Address of a member of the team that is mailed when the agent hands a chat over to people; null for none. */
  handoverEmail: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessAgentAnswer = {
  /** The answer; null if there is none yet, or if a person answers the chat. */
  response: string | null
  /** Identifier of the chat, to continue it. */
  chatId: string
  /** Identifier of the message: the caller's, or one made by the server. */
  messageId: string
  /** `answered`; `waiting` or `processing` with 202; `held` if a person answers the chat; `failed` or `unknown` beside a fallback. */
  status: "waiting" | "processing" | "answered" | "failed" | "unknown" | "held"
}

export type BusinessAgentList = {
  /** The records of this page. */
  items: BusinessAgent[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessAgentUsage = {
  /** The day in UTC, `YYYY-MM-DD`. */
  day: string
  /** Calls of the model. */
  calls: number
  /** Tokens that the model read. */
  inputTokens: number
  /** Tokens that the model wrote. */
  outputTokens: number
  /** Tokens that are reserved for calls under way. */
  reservedTokens: number
  /** Tokens of calls whose outcome is unknown. They count towards the limits. */
  unknownTokens: number
}

export type BusinessAgentUsageDays = {
  /** A record for each day. */
  items: BusinessAgentUsage[]
}

/** What is known about an item. */
export type BusinessAttentionEvidence = {
  /** Status of the request, or the code of what is wrong with the record; null if it has none. */
  status: string | null
  /** Time at which the request was sent, in Unix seconds; null if none is known. */
  sentAt: number | null
  /** Time at which its outcome was recorded, or became unknown, in Unix seconds; null if none is known. */
  settledAt: number | null
  /** What is wrong; null if nothing was recorded. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    providerCode?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    providerStatus?: number | undefined
  } & Record<string, unknown> | null
  /** What the provider answered or reported; null for nothing. */
  answer: Record<string, unknown> | null
  /** What became known after the outcome was recorded; null for nothing. */
  lateEvidence: Record<string, unknown> | null
  /** What a person recorded about the outcome, which later evidence contradicts; null if nothing was. */
  resolution: Record<string, unknown> | null
  /** What it is looked up by, here and at the provider: names and identifiers. */
  ids: Record<string, unknown>
}

/** Something that a person has to do. */
export type BusinessAttentionItem = {
  /** Identifier of the item: that of the record that it is about. */
  id: string
  /** A request to another party by its name, if its outcome is unknown or was recorded otherwise than later evidence says. `refund_due`: a refund that has to be made and was not. `payment`: what was taken is not what was due, or has to go back. `subscription`: it is charged without paid time, or the provider does not return it. `campaign`, `mailbox`, `webhook`: it was stopped. `channel`, `social_connection`: it has to be connected again. `start`: a workflow of ours was not started. `erasure`: a deletion waits. */
  kind: "refund" | "payment_session" | "session_expiry" | "coupon" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "portal_configuration" | "portal_link" | "mail" | "campaign_message" | "webhook_test" | "subscription_change" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reveal" | "social_reply" | "social_classification" | "model_call" | "channel_message" | "node_run" | "refund_due" | "payment" | "subscription" | "dispute" | "campaign" | "mailbox" | "webhook" | "start" | "erasure" | "channel" | "social_connection"
  /** What is done about it. `outcome`: find out what became of a request. `money`: return it, or accept what was paid. `dispute`: answer it. `stopped`: mend the cause, and start it again. `reconnect`: connect the account again. */
  group: "outcome" | "money" | "dispute" | "stopped" | "reconnect"
  /** The business that it is about; null if it is about the installation. */
  tenant: {
    /** Identifier of the business. */
    id: string
    /** What it is: the older surface has routes of its own. */
    kind: "store" | "business"
    /** Its key. */
    key: string
  } | null
  /** When it began, in Unix seconds. */
  since: number
  /** Time by which it has to be done, in Unix seconds; null if none is known. */
  dueAt: number | null
  /** What is wrong, in a sentence. */
  title: string
  /** The record that it is about. */
  subject: {
    /** Type of the record, such as `order`, `member`, `campaign` or `webhook`. */
    type: string
    /** Identifier of the record. */
    id: string
    /** What people call it; null if it has no name of its own. */
    label: string | null
  }
  /** Amount in minor units of `currency`; null if it is about none. */
  amount: number | null
  /** Currency of the amount, ISO 4217; null without one. */
  currency: string | null
  /** What is known. */
  evidence: BusinessAttentionEvidence
  /** What a person does about it. */
  whatToDo: string
  /** The request that records what you found; null if the item ends by itself when what is wrong is mended. */
  resolve: BusinessAttentionResolve | null
  /** Its workflow in Temporal's UI; null without one, or if the installation names no UI. */
  temporalUrl: string | null
  /** A page of the payment provider's dashboard about it; null if none is known. */
  providerUrl: string | null
}

export type BusinessAttentionItemList = {
  /** The records of this page. */
  items: BusinessAttentionItem[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessAttentionResolve = {
  /** Method of the request that records what you found. */
  method: "POST"
  /** Path of the request. */
  path: string
  /** The least role that may send it. */
  role: "admin" | "owner"
  /** Values of `outcome` in its body, which has a `note` as well: how the outcome was established. */
  choices: Array<"succeeded" | "rejected" | "accepted" | "start_again" | "published" | "completed" | "failed">
}

/** What is left to do after an outcome was recorded. */
export type BusinessAttentionResolved = {
  /** The item, if something is left to do about it; null if it left the list. */
  item: BusinessAttentionItem | null
}

/** The membership of a contact in an audience. There is one per contact and audience. */
export type BusinessAudienceMember = {
  /** Identifier of the membership, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the audience. */
  audienceId: string
  /** Identifier of the contact. */
  contactId: string
  /** The audience. */
  audience: {
    /** Identifier of the audience. */
    id: string
    /** Key. */
    key: string
    /** Name for people. */
    name: string
  }
  /** The contact. */
  contact: {
    /** Identifier of the contact. */
    id: string
    /** Address of the contact; null for none. */
    email: string | null
  }
  /** `pending` until the contact has confirmed or paid. `cancelled`, `expired` and `removed` memberships have ended; the contact may join again. */
  status: "pending" | "active" | "cancelled" | "expired" | "removed"
  /** Whether the audience's e-mail is sent to the member. Only the member can subscribe again. */
  deliveryStatus: "subscribed" | "unsubscribed" | "bounced" | "complained"
  /** How the member joined most recently. */
  source: "storefront" | "operator" | "import"
  /** Identifier of the tier; null for none. */
  tierId: string | null
  /** Identifier of the price; null for none. */
  priceId: string | null
  /** End of the time that is paid, in Unix seconds; null for a free or one-time membership. */
  paidThroughAt: number | null
  /** Last second of access of an active member, in Unix seconds: the paid time and, unless the membership is ending, the grace of the business. Null: no end. */
  accessUntil: number | null
  /** Whether access lasts beyond the paid time at this moment. */
  inGrace: boolean
  /** When the membership ends, in Unix seconds; null if it does not end. */
  cancelAt: number | null
  /** The payment provider's status of the subscription; null without one. */
  billingStatus: string | null
  /** Why the subscription is not billed as it should be; null if it is. The contact itself sees `payment_failed` only. */
  billingError: BusinessBillingError | null
  /** When the membership became active most recently, in Unix seconds; null if it never was. */
  joinedAt: number | null
  /** When the membership ended, in Unix seconds; null if it has not. */
  endedAt: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
  /** Note of the operators about the member; null for none. Its contact does not see it. */
  leadDescription: string | null
  /** Values that operators keep about the member, in the caller's own shape. Its contact does not see them. */
  fields: Record<string, unknown>
}

/** A change of a membership. */
export type BusinessAudienceMemberChange = {
  /** The membership as it is now. */
  member: BusinessAudienceMember
}

/** A contact became an active member: it joined an open audience, confirmed, its payment was proved, or an operator added or imported it. */
export type BusinessAudienceSubscriberAddedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "audience.subscriber_added"
  /** Time of the event, in Unix seconds. */
  createdAt: number
  /** Identifier of the business. */
  businessId: string
  data: BusinessAudienceMemberChange
}

/** Free slots of a service. Times are in Unix seconds. */
export type BusinessAvailability = {
  /** Providers of the service, with their free slots. */
  providers: Array<{
    /** Identifier of the provider. */
    providerId: string
    /** Days with at least one free slot. */
    days: Array<{
      /** Day in the business's time zone, YYYY-MM-DD. */
      date: string
      /** Free slots that start on this day. */
      slots: Array<{
        /** Start of the slot, in Unix seconds. */
        from: number
        /** End of the slot, in Unix seconds. */
        to: number
        /** Number of bookings that the slot can still take. */
        spots: number
      }>
    }>
  }>
}

/** What keeps the subscription of a membership from being billed. */
export type BusinessBillingError = {
  /** `payment_failed`: the renewal could not be charged. `event_missing`: the payment provider shows a paid period whose event has not arrived. `not_readable`: the payment provider did not return the subscription. */
  code: string
  /** What happened, for people. */
  message: string
  /** When the payment provider charges the card again, in Unix seconds; null if it does not, or for other errors. */
  nextAttemptAt: number | null
}

export type BusinessBlock = {
  /** Id of the block. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the block, as its schema names it. */
  key: string
  /** Type of the value. Values of `text`, `markdown`, `localized_text`, `localized_markdown`, `number`, `boolean`, `date`, `select`, `url`, `email`, `geo_location`, `media`, `entry`, `product`, `digital_product`, `object` and `list` are checked, unless a collection has an empty schema; the value of `media` is the id of a file, served at `/media/{id}/{variant}`. Any other type is free: its value is stored as it is sent. */
  type: string
  /** Properties of the block, in the caller's own shape. */
  properties?: Record<string, unknown> | undefined
  /** The value, of this type. */
  value?: unknown | undefined
  /** In answers: the file of a block of the type `media`, nested ones included; left out while the file is not ready. Ignored in requests. */
  media?: BusinessBlockMedia | undefined
}

export type BusinessBlockInput = {
  /** Id of the block. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the block, as its schema names it. */
  key: string
  /** Type of the value. Values of `text`, `markdown`, `localized_text`, `localized_markdown`, `number`, `boolean`, `date`, `select`, `url`, `email`, `geo_location`, `media`, `entry`, `product`, `digital_product`, `object` and `list` are checked, unless a collection has an empty schema; the value of `media` is the id of a file, served at `/media/{id}/{variant}`. Any other type is free: its value is stored as it is sent. */
  type: string
  /** Properties of the block, in the caller's own shape. */
  properties?: Record<string, unknown> | undefined
  /** The value, of this type. */
  value?: unknown | undefined
  /** In answers: the file of a block of the type `media`, nested ones included; left out while the file is not ready. Ignored in requests. */
  media?: BusinessBlockMediaInput | undefined
}

/** The file that a block of the type `media` names. */
export type BusinessBlockMedia = {
  /** Identifier of the file, a UUIDv7 made by the server. */
  id: string
  /** File name that is shown. */
  name: string
  /** Media type of the original, determined by its content and not by its name. */
  mimeType: string
  /** Size of the original, in bytes. */
  size: number
  /** Width of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known. */
  width: number | null
  /** Height of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known. */
  height: number | null
  /** Duration of an MP4 or QuickTime video in seconds; null for other files, and if the file does not say it. */
  durationS: number | null
  /** Address of the original. */
  url: string
  /** From name to file: always `original`; of an image also `large`, `medium` and `thumbnail`, and `jpeg` once a social network needed it. */
  resolutions: Record<string, BusinessMediaFile>
}

/** The file that a block of the type `media` names. */
export type BusinessBlockMediaInput = {
  /** Identifier of the file, a UUIDv7 made by the server. */
  id: string
  /** File name that is shown. */
  name: string
  /** Media type of the original, determined by its content and not by its name. */
  mimeType: string
  /** Size of the original, in bytes. */
  size: number
  /** Width of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known. */
  width: number | null
  /** Height of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known. */
  height: number | null
  /** Duration of an MP4 or QuickTime video in seconds; null for other files, and if the file does not say it. */
  durationS: number | null
  /** Address of the original. */
  url: string
  /** From name to file: always `original`; of an image also `large`, `medium` and `thumbnail`, and `jpeg` once a social network needed it. */
  resolutions: Record<string, BusinessMediaFileInput>
}

/** What a block of this key must be. `children` describe the blocks inside an object or a list. */
export type BusinessBlockSchema = {
  /** Id of the item, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the block that the item describes, unique among its siblings. */
  key: Key
  /** Type of the block's value. */
  type: string
  /** Whether a value must be present; false by default. */
  required?: boolean | undefined
  /** Limits of the value: `min`, `max`, `pattern`, `options`, `min_items`, `max_items`, depending on the type. Other members are stored as they are. */
  properties?: Record<string, unknown> | undefined
  /** What deleting the referenced record does: `restrict` refuses it (the default), `set_null` clears the reference. */
  onDelete?: "restrict" | "set_null" | undefined
  /** For type `entry`: the only collection whose entries may be referenced. */
  collectionId?: string | undefined
  /** Schema of the blocks inside an object or a list. */
  children?: BusinessBlockSchema[] | undefined
}

/** A booking. Amounts are in minor units of `money.currency`. */
export type BusinessBooking = {
  /** Identifier of the record, a UUIDv7 made by the server. It is also that of its order. */
  id: string
  /** Number for people, counted per business. */
  number: number
  /** `CREATED` until the card is charged, `PENDING` until an operator confirms; `FAILED` if the payment failed or expired. */
  status: "CREATED" | "PENDING" | "AUTHORIZED" | "CONFIRMED" | "COMPLETED" | "CANCELLED" | "FAILED"
  /** Why it is over, or will be when its payment form is closed; null otherwise. */
  cancelReason: "requested" | "declared_failed" | "payment_expired" | "payment_failed" | "approval_expired" | "authorization_expired" | "capture_rejected" | null
  /** Who booked. */
  customerInfo: {
    /** Identifier of the contact who booked. */
    id: string
    /** Whether the contact had a verified address. */
    verified: boolean
  }
  /** The one payment. Its status proves what was paid. */
  payment: BusinessPayment
  /** Form values that came with the booking. */
  forms: BusinessBookingForm[]
  /** Content blocks of the booking. */
  blocks: BusinessBlock[]
  /** Where the customer is; null if it was not sent. */
  location: BusinessCustomerLocation | null
  /** Promo code that was redeemed; null for none. */
  promoCode: string | null
  /** Totals. */
  money: BusinessOrderMoney
  /** Sum of the parts before discount, in minor units. */
  subtotal: number
  /** Amount to pay, in minor units. */
  total: number
  /** Time at which it is cancelled unless it was approved or refused, in Unix seconds; null if it needs no approval. */
  decideBy: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
  /** Booked time, by service and provider. */
  parts: BusinessBookingPart[]
}

/** A booking or a reservation was made. It may not be paid or approved yet. */
export type BusinessBookingCreatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "booking.created"
  /** Time of the event, in Unix seconds. */
  createdAt: number
  /** Identifier of the business. */
  businessId: string
  /** The booking, or the reservation, as it is now. */
  data: BusinessBooking | BusinessReservation
}

export type BusinessBookingForm = {
  /** Key of the form. */
  formId: string
  /** From the key of a field to its value. */
  values: Record<string, unknown>
}

export type BusinessBookingItem = {
  /** Identifier of the service. */
  serviceId: string
  /** Identifier of the provider. */
  providerId: string
  /** Slots to book, 1 to 100. */
  slots: BusinessSentSlot[]
}

export type BusinessBookingLine = {
  /** Identifier of the line; unique in the quote or order. */
  id: string
  /** Identifier of the service. */
  serviceId: string
  /** Identifier of the provider. */
  providerId: string
  /** Key of the service at that time. */
  serviceKey: string
  /** Key of the provider at that time. */
  providerKey: string
  /** Booked slots. */
  slots: BusinessSlot[]
  /** Number of units; of a booking, number of slots. */
  quantity: number
  /** Price of one unit or slot, in minor units. */
  unitPrice: number
  /** `unitPrice` × `quantity`, in minor units. */
  subtotal: number
  /** The line's share of all discounts, in minor units. */
  discount: number
  /** Tax of the line after discount, in minor units. */
  tax: number
  /** Amount to pay for the line, tax contained, in minor units. */
  total: number
}

export type BusinessBookingList = {
  /** The records of this page. */
  items: BusinessBooking[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** Booked time of one service with one provider. */
export type BusinessBookingPart = {
  /** Identifier of the part. */
  id: string
  /** Identifier of the service. */
  serviceId: string
  /** Identifier of the provider. */
  providerId: string
  /** Key of the service at that time. */
  serviceKey: string
  /** Key of the provider at that time. */
  providerKey: string
  /** Start, in Unix seconds. */
  from: number
  /** End, in Unix seconds. */
  to: number
  /** Price of one slot, in minor units. */
  unitPrice: number
  /** `pending` until the booking is confirmed; `no_show` is set by an operator. */
  status: "pending" | "confirmed" | "completed" | "no_show" | "cancelled"
  /** Booked slots. */
  slots: BusinessSlot[]
  /** Amount to pay for the part, tax contained, in minor units. */
  total: number
}

export type BusinessBookingQuote = {
  /** Lines of physical products. */
  productLines: BusinessQuotedLine[]
  /** Lines of bookings. */
  bookingLines: BusinessBookingLine[]
  /** Lines of digital products. */
  digitalLines: BusinessQuotedLine[]
  /** The chosen shipping method; empty if none is chosen or needed. */
  shippingLines: BusinessShippingLine[]
  /** Shipping methods that are available for the address. */
  shippingMethods: BusinessShippingMethod[]
  /** Payment methods that are available for the total. */
  paymentMethods: BusinessPaymentMethod[]
  /** Key of the chosen payment method; null if none is chosen. */
  paymentMethodKey: string | null
  /** Totals of the quote. */
  money: BusinessOrderMoney
  /** Sum of the items before discount, in minor units. */
  subtotal: number
  /** Amount to pay, in minor units. */
  total: number
  /** Identifier of the promo code that gave the discounts; null for none. */
  promoCodeId: string | null
}

/** A booking or a reservation was changed: its status, time, payment or contents. Published once per transaction. */
export type BusinessBookingUpdatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "booking.updated"
  /** Time of the event, in Unix seconds. */
  createdAt: number
  /** Identifier of the business. */
  businessId: string
  /** The booking, or the reservation, as it is now. */
  data: BusinessBooking | BusinessReservation
}

export type BusinessChat = {
  /** Identifier of the chat, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the agent. */
  agentId: string
  /** Identifier of the visitor; null for a chat that an operator began. */
  contactId: string | null
  /** Integration of the channel that the chat came by; null for the API. */
  channelId: string | null
  /** What the visitor is called at the channel; null for the API. */
  externalName: string | null
  /** Whether it is a single exchange. */
  direct: boolean
  /** `active`; `resolved` until the visitor writes again; `archived`: it takes no messages until an operator makes it `active` again. */
  status: "active" | "resolved" | "archived"
  /** Who answers: the `agent`, or a `human`. */
  mode: "agent" | "human"
  /** 1 to 5; null for none. */
  rating: number | null
  /** What was written with the rating; null for nothing. */
  ratingComment: string | null
  /** Time of the rating, in Unix seconds; null for none. */
  ratedAt: number | null
  /** Beginning of the last message, 200 characters at most. */
  lastMessage: string | null
  /** Time of the last message, in Unix seconds. */
  lastMessageAt: number | null
  /** Number of messages. */
  messageCount: number
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessChatList = {
  /** The records of this page. */
  items: BusinessChat[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessChatMessage = {
  /** Identifier of the message, a UUIDv7 made by the server. */
  id: string
  /** The caller's identifier of the message, or the server's. */
  messageId: string
  /** `user` is the visitor, `assistant` the model, `operator` a person of the business. */
  role: "user" | "assistant" | "operator"
  /** Text of the message. */
  content: string
  /** Of a user's message: what became of it; null of an answer. */
  status: "waiting" | "processing" | "answered" | "failed" | "unknown" | "held" | null
  /** Code of why there is no answer, or why the message was not delivered; null for none. */
  error: string | null
  /** Of a message to a visitor of a channel: `unknown` if it cannot be proved whether it was sent, and then it is not sent again. Null of other messages. */
  deliveryStatus: "pending" | "sent" | "rejected" | "failed" | "unknown" | null
  /** Tools that the model used for an answer; null of other messages. */
  tools: string[] | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessChatMessageList = {
  /** The records of this page. */
  items: BusinessChatMessage[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessChatMessageWithAnswer = {
  /** Identifier of the message, a UUIDv7 made by the server. */
  id: string
  /** The caller's identifier of the message, or the server's. */
  messageId: string
  /** `user` is the visitor, `assistant` the model, `operator` a person of the business. */
  role: "user" | "assistant" | "operator"
  /** Text of the message. */
  content: string
  /** Of a user's message: what became of it; null of an answer. */
  status: "waiting" | "processing" | "answered" | "failed" | "unknown" | "held" | null
  /** Code of why there is no answer, or why the message was not delivered; null for none. */
  error: string | null
  /** Of a message to a visitor of a channel: `unknown` if it cannot be proved whether it was sent, and then it is not sent again. Null of other messages. */
  deliveryStatus: "pending" | "sent" | "rejected" | "failed" | "unknown" | null
  /** Tools that the model used for an answer; null of other messages. */
  tools: string[] | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
  /** The answer to a user's message; null for none. */
  response: string | null
  /** Of a failed message, for operators only: the status with which the model's provider refused it, and its words. Null for none. */
  providerError: string | null
}

/** A named set of entries that share a schema. */
export type BusinessCollection = {
  /** Identifier of the collection, a UUIDv7 made by the server. */
  id: string
  /** Name of the collection, unique in the business. */
  key: string
  /** Schema of the blocks of the collection's entries; if it is empty, entries may have any blocks. */
  schema: BusinessBlockSchema[]
  /** Content blocks of the collection itself. The schema does not apply to them. */
  blocks: BusinessBlock[]
  /** Only after a change of the schema: number of entries that do not satisfy it; null if counting them takes longer than the answer waits. */
  invalidEntries?: number | null | undefined
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessCollectionList = {
  /** The records of this page. */
  items: BusinessCollection[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessCondition = BusinessConditionProducts | BusinessConditionServices | BusinessConditionMinOrderAmount | BusinessConditionDateRange | BusinessConditionMaxUses | BusinessConditionMaxUsesPerUser

export type BusinessConditionDateRange = {
  /** Kind of condition. It decides the other fields. */
  type: "date_range"
  /** Time from which the code can be redeemed, in Unix seconds; null or left out for no limit. */
  start?: number | null | undefined
  /** Time until which the code can be redeemed, in Unix seconds; null or left out for no limit. */
  end?: number | null | undefined
}

export type BusinessConditionMaxUses = {
  /** Kind of condition. It decides the other fields. */
  type: "max_uses"
  /** Largest number of redemptions in all. */
  count: number
}

export type BusinessConditionMaxUsesPerUser = {
  /** Kind of condition. It decides the other fields. */
  type: "max_uses_per_user"
  /** Largest number of redemptions by one customer: by one contact, and under one e-mail address in whichever browser. */
  count: number
}

export type BusinessConditionMinOrderAmount = {
  /** Kind of condition. It decides the other fields. */
  type: "min_order_amount"
  /** Smallest subtotal before discount, in minor units of the market's currency. */
  amount: number
}

export type BusinessConditionProducts = {
  /** Kind of condition. It decides the other fields. */
  type: "products"
  /** Products of which one must be in the cart; discounts on items apply to these only. */
  productIds: string[]
}

export type BusinessConditionServices = {
  /** Kind of condition. It decides the other fields. */
  type: "services"
  /** Services of which one must be in the cart; discounts on items apply to these only. */
  serviceIds: string[]
}

export type BusinessCustomerLocation = {
  /** Country, ISO 3166-1 alpha-2; null if it was not sent. */
  country: string | null
  /** State, province or region; null if it was not sent. */
  state: string | null
  /** City; null if it was not sent. */
  city: string | null
  /** Postal code; null if it was not sent. */
  postalCode: string | null
  /** Latitude in degrees (WGS 84); null if it was not sent. */
  lat: number | null
  /** Longitude in degrees (WGS 84); null if it was not sent. */
  lng: number | null
}

export type BusinessDelivery = {
  /** Identifier of the delivery, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the webhook that the delivery goes to. */
  webhookId: string
  /** Identifier of the event; the `webhook-id` header of every attempt. */
  eventId: string
  /** Name of the event. */
  type: "collection.created" | "collection.updated" | "collection.deleted" | "node.created" | "node.updated" | "node.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.subscriber_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated" | "booking.created" | "booking.updated"
  /** `pending` while attempts remain; `succeeded` after a 2xx answer; `failed` when no attempt is left or the webhook answered 410. */
  status: "pending" | "succeeded" | "failed"
  /** Number of attempts that were started. */
  attempts: number
  /** Of a pending delivery: time of the next attempt, in Unix seconds. During an attempt: time after which another worker may take it over. Null once it is settled. */
  dueAt: number | null
  /** Time at which the latest attempt started, in Unix seconds; null before the first. */
  lastAttemptAt: number | null
  /** Time at which the delivery succeeded or failed for good, in Unix seconds; null while it is pending. */
  settledAt: number | null
  /** HTTP status of the latest answer; null if there was none. */
  providerStatusCode: number | null
  /** Beginning of the body of the latest answer, 4 KiB at most; null if there was none. */
  responseBody: string | null
  /** Why the latest attempt failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    providerCode?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    providerStatus?: number | undefined
  } & Record<string, unknown> | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessDeliveryList = {
  /** The records of this page. */
  items: BusinessDelivery[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessDeliveryWithEvent = {
  /** Identifier of the delivery, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the webhook that the delivery goes to. */
  webhookId: string
  /** Identifier of the event; the `webhook-id` header of every attempt. */
  eventId: string
  /** Name of the event. */
  type: "collection.created" | "collection.updated" | "collection.deleted" | "node.created" | "node.updated" | "node.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.subscriber_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated" | "booking.created" | "booking.updated"
  /** `pending` while attempts remain; `succeeded` after a 2xx answer; `failed` when no attempt is left or the webhook answered 410. */
  status: "pending" | "succeeded" | "failed"
  /** Number of attempts that were started. */
  attempts: number
  /** Of a pending delivery: time of the next attempt, in Unix seconds. During an attempt: time after which another worker may take it over. Null once it is settled. */
  dueAt: number | null
  /** Time at which the latest attempt started, in Unix seconds; null before the first. */
  lastAttemptAt: number | null
  /** Time at which the delivery succeeded or failed for good, in Unix seconds; null while it is pending. */
  settledAt: number | null
  /** HTTP status of the latest answer; null if there was none. */
  providerStatusCode: number | null
  /** Beginning of the body of the latest answer, 4 KiB at most; null if there was none. */
  responseBody: string | null
  /** Why the latest attempt failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    providerCode?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    providerStatus?: number | undefined
  } & Record<string, unknown> | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
  /** The body that is sent. */
  event: BusinessEvent
}

/** A discount of a promo code. Rates are in basis points (10000 is 100 %), amounts in minor units of the market. */
export type BusinessDiscount = BusinessDiscountItemsPercentage | BusinessDiscountItemsFixed | BusinessDiscountShippingPercentage | BusinessDiscountAudiencePercentage

export type BusinessDiscountAudiencePercentage = {
  /** Kind of discount. It decides the other fields. */
  type: "audience_percentage"
  /** Identifier of the audience whose members get the discount. */
  audienceId: string
  /** Tiers of the audience that get it; empty for all. */
  tierIds: string[]
  /** Prices of the audience that get it; empty for all. */
  priceIds: string[]
  /** Discount rate in basis points: 10000 is 100 %. */
  bps: number
  /** `items`: the carts of members with access. `membership`: the first payment of a membership at one of the prices. Left out: both. */
  appliesTo?: "membership" | "items" | undefined
}

export type BusinessDiscountAudiencePercentageInput = {
  /** Kind of discount. It decides the other fields. */
  type: "audience_percentage"
  /** Identifier of the audience whose members get the discount. */
  audienceId: string
  /** Tiers of the audience that get it; empty for all. */
  tierIds?: string[] | undefined
  /** Prices of the audience that get it; empty for all. */
  priceIds?: string[] | undefined
  /** Discount rate in basis points: 10000 is 100 %. */
  bps: number
  /** `items`: the carts of members with access. `membership`: the first payment of a membership at one of the prices. Left out: both. */
  appliesTo?: "membership" | "items" | undefined
}

/** A discount of a promo code. Rates are in basis points (10000 is 100 %), amounts in minor units of the market. */
export type BusinessDiscountInput = BusinessDiscountItemsPercentage | BusinessDiscountItemsFixed | BusinessDiscountShippingPercentage | BusinessDiscountAudiencePercentageInput

export type BusinessDiscountItemsFixed = {
  /** Kind of discount. It decides the other fields. */
  type: "items_fixed"
  /** Key of the market in which the discount applies. */
  marketKey: Key
  /** Amount of the discount on the eligible items, in minor units of the market's currency. */
  amount: number
}

export type BusinessDiscountItemsPercentage = {
  /** Kind of discount. It decides the other fields. */
  type: "items_percentage"
  /** Key of the market in which the discount applies. */
  marketKey: Key
  /** Discount rate in basis points: 10000 is 100 %. */
  bps: number
}

export type BusinessDiscountShippingPercentage = {
  /** Kind of discount. It decides the other fields. */
  type: "shipping_percentage"
  /** Key of the market in which the discount applies. */
  marketKey: Key
  /** Discount rate in basis points: 10000 is 100 %. */
  bps: number
}

/** Content of a collection. */
export type BusinessEntry = {
  /** Identifier of the record, a UUIDv7 made by the server. */
  id: string
  /** Name of the record, unique in the business. */
  key: string
  /** From locale code to the slug in that language. */
  slug: BusinessLocaleMap
  /** Content blocks. */
  blocks: BusinessBlock[]
  /** Taxonomies that the entry is filed under, with their entries or fields. */
  taxonomies: BusinessTaxonomyEntry[]
  /** `ACTIVE` records are public; `DRAFT` and `ARCHIVED` ones are visible to operators only. */
  status: "ACTIVE" | "DRAFT" | "ARCHIVED"
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
  /** Identifier of the collection that the entry belongs to. */
  collectionId: string
}

export type BusinessEntryList = {
  /** The records of this page. */
  items: BusinessEntry[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** The body of a webhook delivery of a business. `type` decides the shape of `data`. */
export type BusinessEvent = BusinessBookingCreatedEvent | BusinessBookingUpdatedEvent | BusinessNodeCreatedEvent | BusinessNodeUpdatedEvent | BusinessNodeDeletedEvent | BusinessFormSubmissionCreatedEvent | BusinessOrderCreatedEvent | BusinessOrderUpdatedEvent | BusinessProductCreatedEvent | BusinessProductUpdatedEvent | BusinessProductDeletedEvent | BusinessAudienceSubscriberAddedEvent

export type BusinessForm = {
  /** Identifier of the form, a UUIDv7 made by the server. */
  id: string
  /** Name of the form, unique in the business. */
  key: string
  /** Identifier of the business. */
  storeId: string
  /** Fields of the form, in their order. */
  schema: BusinessFormSchema[]
  /** `active` forms accept submissions; `archived` ones do not. */
  status: "active" | "archived"
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessFormEntry = {
  /** Key of the form. */
  key: string
  /** Values of the form's fields, 200 at most. */
  entries: Array<{
    /** Key of the field. */
    key: string
    /** The value, any JSON. */
    value: unknown
  }>
}

/** A submitted value. Dates are YYYY-MM-DD, geo locations `{lat, lng}` in degrees. */
export type BusinessFormField = {
  /** Id of the field in the form's schema; may be sent instead of `key`. */
  id?: string | undefined
  /** Key of the field in the form's schema. */
  key?: string | undefined
  /** Must equal the type in the form's schema, if it is sent. */
  type?: string | undefined
  /** The value, of the field's type; null, empty or left out for none. */
  value?: unknown | undefined
}

export type BusinessFormList = {
  /** The records of this page. */
  items: BusinessForm[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A field of a form. Items without an id get one. */
export type BusinessFormSchema = BusinessFormSchemaText | BusinessFormSchemaNumber | BusinessFormSchemaBoolean | BusinessFormSchemaDate | BusinessFormSchemaGeoLocation | BusinessFormSchemaSelect

export type BusinessFormSchemaBoolean = {
  /** Type of the field's value. */
  type: "boolean"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required: boolean
}

export type BusinessFormSchemaBooleanInput = {
  /** Type of the field's value. */
  type: "boolean"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required?: boolean | undefined
}

export type BusinessFormSchemaDate = {
  /** Type of the field's value. */
  type: "date"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required: boolean
}

export type BusinessFormSchemaDateInput = {
  /** Type of the field's value. */
  type: "date"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required?: boolean | undefined
}

export type BusinessFormSchemaGeoLocation = {
  /** Type of the field's value. */
  type: "geo_location"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required: boolean
}

export type BusinessFormSchemaGeoLocationInput = {
  /** Type of the field's value. */
  type: "geo_location"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required?: boolean | undefined
}

/** A field of a form. Items without an id get one. */
export type BusinessFormSchemaInput = BusinessFormSchemaTextInput | BusinessFormSchemaNumberInput | BusinessFormSchemaBooleanInput | BusinessFormSchemaDateInput | BusinessFormSchemaGeoLocationInput | BusinessFormSchemaSelectInput

export type BusinessFormSchemaNumber = {
  /** Type of the field's value. */
  type: "number"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required: boolean
  /** Smallest value; null or left out: no limit. */
  min?: number | null | undefined
  /** Largest value; null or left out: no limit. */
  max?: number | null | undefined
}

export type BusinessFormSchemaNumberInput = {
  /** Type of the field's value. */
  type: "number"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required?: boolean | undefined
  /** Smallest value; null or left out: no limit. */
  min?: number | null | undefined
  /** Largest value; null or left out: no limit. */
  max?: number | null | undefined
}

export type BusinessFormSchemaSelect = {
  /** Type of the field's value. */
  type: "select"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required: boolean
  /** Values that can be chosen, 1 to 500. */
  options: string[]
}

export type BusinessFormSchemaSelectInput = {
  /** Type of the field's value. */
  type: "select"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required?: boolean | undefined
  /** Values that can be chosen, 1 to 500. */
  options: string[]
}

export type BusinessFormSchemaText = {
  /** Type of the field's value. */
  type: "text"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required: boolean
}

export type BusinessFormSchemaTextInput = {
  /** Type of the field's value. */
  type: "text"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required?: boolean | undefined
}

export type BusinessFormSubmission = {
  /** Identifier of the submission, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the form. */
  formId: string
  /** Identifier of the business. */
  storeId: string
  /** The submitted values. */
  fields: BusinessSubmittedField[]
  /** Identifier of the contact who submitted it; null if an operator did. */
  contactId: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

/** A form was submitted, by a visitor or by an operator. */
export type BusinessFormSubmissionCreatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "form_submission.created"
  /** Time of the event, in Unix seconds. */
  createdAt: number
  /** Identifier of the business. */
  businessId: string
  data: BusinessFormSubmissionReceived
}

export type BusinessFormSubmissionList = {
  /** The records of this page. */
  items: BusinessFormSubmission[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A form submission, with the key of its form. */
export type BusinessFormSubmissionReceived = {
  /** Identifier of the submission, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the form. */
  formId: string
  /** Identifier of the business. */
  storeId: string
  /** The submitted values. */
  fields: BusinessSubmittedField[]
  /** Identifier of the contact who submitted it; null if an operator did. */
  contactId: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
  /** Key of the form when it was submitted. */
  formKey: string
}

export type BusinessGeoLocation = {
  /** Latitude in degrees (WGS 84). */
  lat: number
  /** Longitude in degrees (WGS 84). */
  lng: number
}

/** An account at a provider. Secrets are write-only. */
export type BusinessIntegration = {
  /** Identifier of the integration, a UUIDv7 made by the server. */
  id: string
  /** Name of the integration, unique in the business. */
  key: string
  /** Type of the provider. */
  type: string
  /** Category of the type. */
  category: "payment" | "shipping" | "analytics" | "oauth" | "ai" | "email" | "messaging" | "channel" | "deploy" | "other"
  provider: BusinessIntegrationProvider
  /** State of the bot of a `chat_bot`; other integrations lack it. */
  channel?: BusinessIntegrationChannel | undefined
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessIntegrationChannel = {
  /** `connected`: messages to the bot arrive. `pending`: it is being connected, or no agent serves it. `failed`: see `error`. */
  status: "pending" | "connected" | "failed"
  /** Why the bot could not be connected; null for no error. An update of the integration tries again. */
  error: {
    /** Stable code. */
    code: string
    /** What was wrong. */
    message: string
    /** HTTP status of the bot API, if it answered. */
    providerStatus?: number | undefined
  } | null
  /** Name of the bot at the provider, once it is known. */
  username: string | null
}

/** The public fields of a provider. */
export type BusinessIntegrationConfig = {
  /** Type of the provider. */
  type: string
  /** Publishable key of a `card_payment` account. */
  publishableKey?: string | undefined
  /** Currency of a `card_payment` account (ISO 4217). */
  currency?: string | undefined
  /** Client id of an `identity_oauth`. */
  clientId?: string | undefined
  /** Scopes of an `identity_oauth`, 100 at most. */
  scopes?: string[] | undefined
  /** Measurement id of an `analytics_4`. */
  measurementId?: string | undefined
  /** Who answers messages to a `chat_bot`: the `agent` that serves it, by default; `inbox`: people do. */
  action?: "agent" | "inbox" | undefined
  /** Model of an `llm_a` or `llm_b`. */
  model?: string | undefined
  /** Address of the provider's API, without a query, if it is not the usual one: of `llm_a`, `llm_b`, `chat_bot` and `identity_oauth`. Another one requires the secret again. */
  baseUrl?: string | undefined
  /** Whether the `card_payment` is the active one. */
  activeForCardPayments?: boolean | undefined
  /** Whether the `shipping_provider` is the active one. */
  activeForFulfillment?: boolean | undefined
  /** Whether the `analytics_4` is the active one. */
  activeForTracking?: boolean | undefined
}

export type BusinessIntegrationList = {
  /** The records of this page. */
  items: BusinessIntegration[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A provider: its public fields, and `__redacted__` for each stored secret. */
export type BusinessIntegrationProvider = {
  /** Type of the provider. */
  type: string
  /** Publishable key of a `card_payment` account. */
  publishableKey?: string | undefined
  /** Currency of a `card_payment` account (ISO 4217). */
  currency?: string | undefined
  /** Client id of an `identity_oauth`. */
  clientId?: string | undefined
  /** Scopes of an `identity_oauth`, 100 at most. */
  scopes?: string[] | undefined
  /** Measurement id of an `analytics_4`. */
  measurementId?: string | undefined
  /** Who answers messages to a `chat_bot`: the `agent` that serves it, by default; `inbox`: people do. */
  action?: "agent" | "inbox" | undefined
  /** Model of an `llm_a` or `llm_b`. */
  model?: string | undefined
  /** Address of the provider's API, without a query, if it is not the usual one: of `llm_a`, `llm_b`, `chat_bot` and `identity_oauth`. Another one requires the secret again. */
  baseUrl?: string | undefined
  /** Whether the `card_payment` is the active one. */
  activeForCardPayments?: boolean | undefined
  /** Whether the `shipping_provider` is the active one. */
  activeForFulfillment?: boolean | undefined
  /** Whether the `analytics_4` is the active one. */
  activeForTracking?: boolean | undefined
  /** Secret key of a `card_payment` account. Write-only. */
  secretKey?: "__redacted__" | undefined
  /** Secret that signs the events of a `card_payment` account. Write-only. */
  webhookSecret?: "__redacted__" | undefined
  /** Token of a `shipping_provider`. Write-only. */
  apiToken?: "__redacted__" | undefined
  /** Secret of the client of an `identity_oauth`. Write-only. */
  clientSecret?: "__redacted__" | undefined
  /** Token of a `chat_bot`. Write-only. */
  botToken?: "__redacted__" | undefined
  /** API key of an AI, e-mail, messaging or other provider. Write-only. */
  apiKey?: "__redacted__" | undefined
  /** Address of a deploy hook, http or https. Write-only. */
  url?: "__redacted__" | undefined
  /** Time at which the access token of an `oauth_connection` expires, in Unix seconds, if it is known. */
  expiresAt?: number | undefined
  /** Access token of an `oauth_connection`. */
  accessToken?: "__redacted__" | undefined
  /** Refresh token of an `oauth_connection`. */
  refreshToken?: "__redacted__" | undefined
}

/** Changes of a provider. Fields that are left out are kept; null removes a field that is not required. */
export type BusinessIntegrationProviderChange = {
  /** Type of the provider. It cannot be changed. */
  type?: string | undefined
  /** Publishable key of a `card_payment` account. */
  publishableKey?: string | null | undefined
  /** Currency of a `card_payment` account (ISO 4217). */
  currency?: string | null | undefined
  /** Client id of an `identity_oauth`. */
  clientId?: string | null | undefined
  /** Scopes of an `identity_oauth`, 100 at most. */
  scopes?: string[] | null | undefined
  /** Measurement id of an `analytics_4`. */
  measurementId?: string | null | undefined
  /** Who answers messages to a `chat_bot`: the `agent` that serves it, by default; `inbox`: people do. */
  action?: "agent" | "inbox" | null | undefined
  /** Model of an `llm_a` or `llm_b`. */
  model?: string | null | undefined
  /** Address of the provider's API, without a query, if it is not the usual one: of `llm_a`, `llm_b`, `chat_bot` and `identity_oauth`. Another one requires the secret again. */
  baseUrl?: string | null | undefined
  /** Secret key of a `card_payment` account. Write-only. */
  secretKey?: string | null | undefined
  /** Secret that signs the events of a `card_payment` account. Write-only. */
  webhookSecret?: string | null | undefined
  /** Token of a `shipping_provider`. Write-only. */
  apiToken?: string | null | undefined
  /** Secret of the client of an `identity_oauth`. Write-only. */
  clientSecret?: string | null | undefined
  /** Token of a `chat_bot`. Write-only. */
  botToken?: string | null | undefined
  /** API key of an AI, e-mail, messaging or other provider. Write-only. */
  apiKey?: string | null | undefined
  /** Address of a deploy hook, http or https. Write-only. */
  url?: string | null | undefined
  /** Whether the `card_payment` is the active one. */
  activeForCardPayments?: boolean | undefined
  /** Whether the `shipping_provider` is the active one. */
  activeForFulfillment?: boolean | undefined
  /** Whether the `analytics_4` is the active one. */
  activeForTracking?: boolean | undefined
}

/** A provider, and how to reach it. Fields that its type does not have are refused; null is the same as none. */
export type BusinessIntegrationProviderInput = {
  /** Type of the provider, which decides its fields: `card_payment` (`secretKey`, `publishableKey`, `webhookSecret`, `currency`, `activeForCardPayments`), `shipping_provider` (`apiToken`, `activeForFulfillment`), `identity_oauth` (`clientId`, `clientSecret`, `scopes`, `baseUrl`), `analytics_4` (`measurementId`, `activeForTracking`), `chat_bot` (`botToken`, `action`, `baseUrl`), `llm_a` (`apiKey`, `model`, `baseUrl`), `llm_b` (`apiKey`, `model`, `baseUrl`), `email_a` (`apiKey`), `email_b` (`apiKey`), `messaging_a` (`apiKey`), `messaging_b` (`apiKey`), `messaging_c` (`apiKey`), `host_a_deploy_hook` (`url`), `host_b_deploy_hook` (`url`), `host_c_deploy_hook` (`url`), `custom_deploy_hook` (`url`). Any other type has an `apiKey`. */
  type: string
  /** Publishable key of a `card_payment` account. */
  publishableKey?: string | null | undefined
  /** Currency of a `card_payment` account (ISO 4217). */
  currency?: string | null | undefined
  /** Client id of an `identity_oauth`. */
  clientId?: string | null | undefined
  /** Scopes of an `identity_oauth`, 100 at most. */
  scopes?: string[] | null | undefined
  /** Measurement id of an `analytics_4`. */
  measurementId?: string | null | undefined
  /** Who answers messages to a `chat_bot`: the `agent` that serves it, by default; `inbox`: people do. */
  action?: "agent" | "inbox" | null | undefined
  /** Model of an `llm_a` or `llm_b`. */
  model?: string | null | undefined
  /** Address of the provider's API, without a query, if it is not the usual one: of `llm_a`, `llm_b`, `chat_bot` and `identity_oauth`. Another one requires the secret again. */
  baseUrl?: string | null | undefined
  /** Secret key of a `card_payment` account. Write-only. */
  secretKey?: string | null | undefined
  /** Secret that signs the events of a `card_payment` account. Write-only. */
  webhookSecret?: string | null | undefined
  /** Token of a `shipping_provider`. Write-only. */
  apiToken?: string | null | undefined
  /** Secret of the client of an `identity_oauth`. Write-only. */
  clientSecret?: string | null | undefined
  /** Token of a `chat_bot`. Write-only. */
  botToken?: string | null | undefined
  /** API key of an AI, e-mail, messaging or other provider. Write-only. */
  apiKey?: string | null | undefined
  /** Address of a deploy hook, http or https. Write-only. */
  url?: string | null | undefined
  /** Whether the `card_payment` is the active one. */
  activeForCardPayments?: boolean | undefined
  /** Whether the `shipping_provider` is the active one. */
  activeForFulfillment?: boolean | undefined
  /** Whether the `analytics_4` is the active one. */
  activeForTracking?: boolean | undefined
}

export type BusinessInventoryRow = {
  /** Identifier of the variant. */
  variantId: string
  /** Identifier of the location that holds the stock. */
  locationId: string
  /** Units that can still be sold, reservations deducted. */
  available: number
}

export type BusinessInventoryRows = BusinessInventoryRow[]

export type BusinessInvitation = {
  /** Identifier of the invitation, a UUIDv7 made by the server. */
  id: string
  /** The invited address. */
  email: string
  /** Role that the address is invited to. */
  role: "Admin" | "Owner" | "Super"
  /** `pending` until it is `accepted`, `rejected` or `expired`. */
  status: "pending" | "accepted" | "rejected" | "expired"
  /** Identifier of the account that invited. */
  invitedBy: string
  /** Time from which it cannot be accepted, in Unix seconds; seven days after the latest e-mail. */
  expiresAt: number
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessList = {
  /** The records of this page. */
  items: Business[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A refund of an order, with its number, or of a membership. */
export type BusinessListedRefund = {
  /** Identifier of the refund, a UUIDv7 made by the server. */
  id: string
  /** The caller's own id of the refund; of refunds by the system or the provider, an id made by the server. */
  refundId: string
  /** Identifier of the order; null for a membership's refund. */
  orderId: string | null
  /** Identifier of the payment that is refunded. */
  paymentId: string
  /** Amount of the refund, in minor units of `currency`. */
  amount: number
  /** Currency of the amount, ISO 4217. */
  currency: string
  /** `succeeded` when the provider refunded the amount; `rejected` if the provider refused; `failed` if nothing was sent; `unknown` if the outcome cannot be proved: nothing is sent again, and an operator resolves it. */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
  /** Who made the refund: an operator through the API, the system (a payment after the cancellation), or the provider (its dashboard). */
  origin: "operator" | "system" | "provider"
  /** The provider's id of the refund; null until it is known. */
  providerRefundId: string | null
  /** What the provider answered; null without an answer. */
  evidence: Record<string, unknown> | null
  /** What proves an outcome and became known after it was recorded as `unknown`; null without it. */
  lateEvidence: Record<string, unknown> | null
  /** Why the refund did not succeed; null if it did or is in progress. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    providerCode?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    providerStatus?: number | undefined
  } & Record<string, unknown> | null
  /** Who resolved an `unknown` refund, when, how and why, and in `before` the resolution that it replaced; null if none was needed. */
  resolution: Record<string, unknown> | null
  /** Number of attempts to send it. Another attempt follows only one that provably sent nothing. */
  attempt: number
  /** Whether an operator has to act: the refund is `unknown`, differs from what was resolved, the recorded refunds exceed the captured amount, or a cancelled order is not refunded completely. */
  needsAttention: boolean
  /** Time at which the request may have left for the provider, in Unix seconds; null if it has not. */
  sentAt: number | null
  /** Time of the provider's answer, in Unix seconds; null without one. */
  answeredAt: number | null
  /** Time at which the outcome was final, in Unix seconds; null until then. */
  settledAt: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
  /** Number of the order, counted per business; null for a membership's refund. */
  orderNumber: number | null
  /** Identifier of the subscription of a membership; null for an order's refund. */
  subscriptionId: string | null
  /** Identifier of the membership's audience, for the path of its resolution; null for an order's refund. */
  audienceId: string | null
  /** Identifier of the membership, for the path of its resolution; null for an order's refund. */
  memberId: string | null
}

export type BusinessListedRefundList = {
  /** The records of this page. */
  items: BusinessListedRefund[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** From a locale code, such as `en` or `pt-BR`, to a text. */
export type BusinessLocaleMap = Record<string, Slug>

export type BusinessLocation = {
  /** Identifier of the location, a UUIDv7 made by the server. */
  id: string
  /** Name of the location, unique in the business. */
  key: string
  /** Address that goods are shipped from; null until it is set. */
  address: BusinessAddress | null
  /** Whether customers can pick up goods there. It needs an address with a country. */
  isPickupLocation: boolean
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessLocations = BusinessLocation[]

export type BusinessMarket = {
  /** Identifier of the market, a UUIDv7 made by the server. */
  id: string
  /** Name of the market, unique in the business. It never changes: prices and carts refer to it. */
  key: string
  /** Currency of the market, ISO 4217. It never changes. */
  currency: string
  /** `Exclusive`: tax is added to the prices; `Inclusive`: prices contain it. */
  taxMode: "Exclusive" | "Inclusive"
  /** Regions with their tax rate and shipping methods. The most specific match of the address applies. */
  zones: BusinessZone[]
  /** Payment methods that customers can choose from. */
  paymentMethods: BusinessPaymentMethod[]
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessMarketList = {
  /** The records of this page. */
  items: BusinessMarket[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessMedia = {
  /** Identifier of the file, a UUIDv7 made by the server. */
  id: string
  /** File name that is shown. */
  name: string
  /** Media type of the original, determined by its content and not by its name. */
  mimeType: string
  /** Size of the original, in bytes. */
  size: number
  /** Width of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known. */
  width: number | null
  /** Height of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known. */
  height: number | null
  /** Duration of an MP4 or QuickTime video in seconds; null for other files, and if the file does not say it. */
  durationS: number | null
  /** `processing` while smaller versions are made. The addresses of a file that is not `ready` return 404. */
  status: "processing" | "ready" | "failed"
  /** Why processing failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
  } | null
  /** Address of the original. */
  url: string
  /** From name to file: always `original`; of an image also `large`, `medium` and `thumbnail`, and `jpeg` once a social network needed it. */
  resolutions: Record<string, BusinessMediaFile>
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessMediaFile = {
  /** Address of the file. */
  url: string
  /** Width in pixels, as displayed; null for a file that is not an image, and until it is known. */
  width: number | null
  /** Height in pixels, as displayed; null for a file that is not an image, and until it is known. */
  height: number | null
  /** Size in bytes. */
  size: number
  /** Media type of the file. */
  mimeType: string
}

export type BusinessMediaFileInput = {
  /** Address of the file. */
  url: string
  /** Width in pixels, as displayed; null for a file that is not an image, and until it is known. */
  width: number | null
  /** Height in pixels, as displayed; null for a file that is not an image, and until it is known. */
  height: number | null
  /** Size in bytes. */
  size: number
  /** Media type of the file. */
  mimeType: string
}

export type BusinessMediaList = {
  /** The records of this page. */
  items: BusinessMedia[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessMember = {
  /** Identifier of the account. */
  accountId: string
  /** Address of the account. */
  email: string
  /** Name of the person; null if it is not set, and until the member has acted in the business. */
  name: string | null
  /** Role in the business: `Admin` manages its data, `Owner` also its team and payments, `Super` also its owners. */
  role: "Admin" | "Owner" | "Super"
  /** When the member first acted in the business, accepted an invitation to it or created it, in Unix seconds; null until then. */
  acceptedAt: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessMemberList = {
  /** The records of this page. */
  items: BusinessMember[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessNetworkProduct = {
  /** Identifier of the record. */
  id: string
  /** The block `name`, else the key of the record. */
  name: string
  /** The block `description`; null without one. */
  description: string | null
  /** The least price, in minor units; null if it has none. */
  price: number | null
  /** Currency of the price; null without one. */
  currency: string | null
  /** Addresses of the images in its blocks. */
  images: string[]
  /** Units that can still be sold; null if they are not counted. */
  inventory: number | null
  /** Who sells it. */
  business: {
    /** Identifier of the store or business. */
    id: string
    /** Its name, else its key. */
    name: string
    /** Its key. */
    slug: string
    /** Address of its logo; null if it is not set. */
    logo: string | null
    /** Average of its ratings; null without any. */
    rating: number | null
  }
}

export type BusinessNetworkProductList = {
  /** The records of this page. */
  items: BusinessNetworkProduct[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessNetworkProvider = {
  /** Identifier of the record. */
  id: string
  /** The block `name`, else the key of the record. */
  name: string
  /** The block `bio`, else `description`; null without them. */
  bio: string | null
  /** Address of the first image in its blocks; null without one. */
  image: string | null
  /** Its services, 100 at most. */
  services: Array<{
    /** Identifier of the record. */
    id: string
    /** The block `name`, else the key of the record. */
    name: string
  }>
  /** Where the provider works. */
  business: {
    /** Identifier of the store or business. */
    id: string
    /** Its name, else its key. */
    name: string
    /** Its address; null if it is not set. */
    address: BusinessAddress | null
  }
  /** Metres to the place of the request; only with `location`. */
  distance?: number | undefined
}

export type BusinessNetworkProviderList = {
  /** The records of this page. */
  items: BusinessNetworkProvider[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessNetworkService = {
  /** Identifier of the record. */
  id: string
  /** The block `name`, else the key of the record. */
  name: string
  /** The block `description`; null without one. */
  description: string | null
  /** The least price, in minor units; null if it has none. */
  price: number | null
  /** Currency of the price; null without one. */
  currency: string | null
  /** Minutes of a slot; null without providers. */
  duration: number | null
  /** Who offers it. */
  business: {
    /** Identifier of the store or business. */
    id: string
    /** Its name, else its key. */
    name: string
    /** Its address; null if it is not set. */
    address: BusinessAddress | null
    /** Its key. */
    slug: string
    /** Address of its logo; null if it is not set. */
    logo: string | null
    /** Average of its ratings; null without any. */
    rating: number | null
  }
  /** Metres to the place of the request; only with `location`. */
  distance?: number | undefined
}

export type BusinessNetworkServiceList = {
  /** The records of this page. */
  items: BusinessNetworkService[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** An entry was created. */
export type BusinessNodeCreatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "node.created"
  /** Time of the event, in Unix seconds. */
  createdAt: number
  /** Identifier of the business. */
  businessId: string
  data: BusinessEntry
}

/** An entry was deleted, alone or with its collection. `data` is the entry as it was before. */
export type BusinessNodeDeletedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "node.deleted"
  /** Time of the event, in Unix seconds. */
  createdAt: number
  /** Identifier of the business. */
  businessId: string
  data: BusinessEntry
}

/** An entry was changed. */
export type BusinessNodeUpdatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "node.updated"
  /** Time of the event, in Unix seconds. */
  createdAt: number
  /** Identifier of the business. */
  businessId: string
  data: BusinessEntry
}

/** An order, created from one cart. Amounts are in minor units of `money.currency`. */
export type BusinessOrder = {
  /** Identifier of the order, a UUIDv7 made by the server. */
  id: string
  /** Number of the order for people, counted per business. */
  number: number
  /** `pending` until it is confirmed; `partially_cancelled` if lines were removed after the confirmation. */
  status: "pending" | "confirmed" | "partially_cancelled" | "cancelled"
  /** How much of the goods was shipped; `none` if nothing has to be. */
  fulfillmentStatus: "none" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "cancelled"
  /** Identifier of the contact who ordered. */
  contactId: string
  /** Whether the contact had a verified address at checkout. */
  verified: boolean
  /** Address of the contact at checkout, verified or claimed; null if there was none. */
  email: string | null
  /** Time of the payment, in Unix seconds; null until then. */
  paidAt: number | null
  /** Identifier of the cart that was checked out. */
  sourceCartId: string
  /** Identifier of the order's one payment. */
  paymentId: string
  /** Key of the market in which it was ordered. */
  market: string
  /** Totals of the order. */
  money: BusinessOrderMoney
  /** The chosen shipping method and what it costs; null if nothing is shipped. */
  shippingLine: BusinessShippingLine | null
  /** Identifier of the location where the goods are picked up; null if they are shipped. */
  pickupLocationId: string | null
  /** Where the goods are shipped; null for none. */
  shippingAddress: BusinessAddress | null
  /** Address of the invoice; null for none. */
  billingAddress: BusinessAddress | null
  /** Form values that came with the order. */
  forms: BusinessFormEntry[]
  /** Promo code that was redeemed; null for none. */
  promoCode: string | null
  /** Number of the record's latest change. An update must send it. */
  version: number
  /** Time of the cancellation, in Unix seconds; null if it is not cancelled. */
  cancelledAt: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

/** A booking of an order. Amounts are in minor units. */
export type BusinessOrderBooking = {
  /** Identifier of the line; unique in the quote or order. */
  id: string
  /** Identifier of the service. */
  serviceId: string
  /** Identifier of the provider. */
  providerId: string
  /** Key of the service at that time. */
  serviceKey: string
  /** Key of the provider at that time. */
  providerKey: string
  /** Booked slots. */
  slots: BusinessSlot[]
  /** Number of units; of a booking, number of slots. */
  quantity: number
  /** Price of one unit or slot, in minor units. */
  unitPrice: number
  /** `unitPrice` × `quantity`, in minor units. */
  subtotal: number
  /** The line's share of all discounts, in minor units. */
  discount: number
  /** Tax of the line after discount, in minor units. */
  tax: number
  /** Amount to pay for the line, tax contained, in minor units. */
  total: number
  /** Identifier of the order. */
  orderId: string
  /** `pending` until the order is confirmed; `completed` and `no_show` are set by an operator after the start. */
  status: "pending" | "confirmed" | "completed" | "no_show" | "cancelled"
  /** Start of the first slot, in Unix seconds. */
  startsAt: number
  /** End of the last slot, in Unix seconds. */
  endsAt: number
  /** Time of the next reminder, in Unix seconds; null if none is due. */
  remindAt: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessOrderBookings = BusinessOrderBooking[]

/** A cart was checked out. The order may not be paid yet. */
export type BusinessOrderCreatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "order.created"
  /** Time of the event, in Unix seconds. */
  createdAt: number
  /** Identifier of the business. */
  businessId: string
  data: BusinessOrder
}

export type BusinessOrderLine = {
  /** Identifier of the line; unique in the quote or order. */
  id: string
  /** Identifier of the product. */
  productId: string
  /** Identifier of the variant. */
  variantId: string
  /** Stock keeping unit at that time; null for none. */
  sku: string | null
  /** The product's block `name` at that time, in the first of the languages of the business that it has; its key without such a block. */
  name: string | null
  /** Whether the goods are shipped or picked up. */
  requiresShipping: boolean
  /** Number of units; of a booking, number of slots. */
  quantity: number
  /** Price of one unit or slot, in minor units. */
  unitPrice: number
  /** `unitPrice` × `quantity`, in minor units. */
  subtotal: number
  /** The line's share of all discounts, in minor units. */
  discount: number
  /** Tax of the line after discount, in minor units. */
  tax: number
  /** Amount to pay for the line, tax contained, in minor units. */
  total: number
  /** Identifier of the order. */
  orderId: string
  /** `pending` until the order is confirmed, then `confirmed`; `cancelled` with the order or when it was replaced. */
  status: "pending" | "confirmed" | "cancelled"
  /** Whether tax was calculated for the line. */
  taxable: boolean
  /** Units of the line that were shipped. */
  shippedQuantity: number
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessOrderLines = BusinessOrderLine[]

export type BusinessOrderList = {
  /** The records of this page. */
  items: BusinessOrder[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessOrderMoney = {
  /** Currency of all amounts, ISO 4217. */
  currency: string
  /** Sum of the lines before discount, in minor units. */
  subtotal: number
  /** Sum of all discounts, on items and on shipping, in minor units. */
  discount: number
  /** Shipping before discount, in minor units. */
  shipping: number
  /** Tax on items and shipping. Null if none is calculated: no zone of the market has a tax, or, in a quote, it depends on an address that is missing. `total` then includes no tax, and checkout requires the address (`zone_not_found`). */
  tax: {
    /** Sum of all taxes, in minor units. */
    amount: number
    /** Whether the tax is contained in the prices (market in `inclusive` mode) and not added to them. */
    included: boolean
  } | null
  /** Amount to pay, in minor units: subtotal − discount + shipping, plus a tax that is not included. */
  total: number
}

/** An order was changed: confirmed, cancelled, paid, shipped or edited. Published once per transaction. */
export type BusinessOrderUpdatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "order.updated"
  /** Time of the event, in Unix seconds. */
  createdAt: number
  /** Identifier of the business. */
  businessId: string
  data: BusinessOrder
}

/** Work that waits. */
export type BusinessOverviewBacklog = {
  /** Kind of the process that does the work. */
  kind: "refund" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "mail" | "campaign_message" | "webhook_test" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reply" | "social_classification" | "channel_message" | "checkout" | "portal" | "membership" | "deliver" | "dispatch" | "inbox" | "execution" | "model_turn" | "channel" | "schedule" | "scheduled" | "media" | "social_connection" | "publication" | "social_sync" | "script" | "enrollment_import" | "erasure" | "listings" | "booking_reminder"
  /** Task queue that its workers take it from. */
  queue: "money" | "deliveries" | "campaigns" | "automation" | "agents" | "mail" | "inbox" | "media" | "social" | "engagement" | "default"
  /** What it waits for: `start` of its workflow, `slot` of the task queue, which businesses share, or, when `due`, to be sent. */
  stage: "start" | "slot" | "due"
  /** How much waits; of `due` 10000 at most. */
  count: number
  /** Since when the oldest waits, in Unix seconds. */
  oldestAt: number
  /** How long the oldest waits, in seconds. */
  oldestAgeS: number
}

/** Figures of one day. */
export type BusinessOverviewDay = {
  /** Date of the day in the time zone (YYYY-MM-DD). */
  date: string
  /** Its first second, in Unix seconds. */
  from: number
  /** The first second of the next day: a day has 23, 24 or 25 hours. */
  to: number
  /** Payments of orders and memberships by the time of their capture, by currency. */
  sales: BusinessOverviewMoney[]
  /** Refunds that succeeded, by the time of their request and by currency. */
  refunded: BusinessOverviewMoney[]
  /** Orders that were placed, by status: `pending`, `confirmed`, `partially_cancelled`, `cancelled`. Those without any are left out. */
  orders: Record<string, number>
  /** Bookings that were made, by status: `pending`, `confirmed`, `completed`, `no_show`, `cancelled`. Those without any are left out. */
  bookings: Record<string, number>
  /** Refunds that were requested, by status: `requested`, `processing`, `succeeded`, `rejected`, `failed`, `unknown`. Those without any are left out. */
  refunds: Record<string, number>
  /** Deliveries of events to webhooks, by status: `pending`, `succeeded`, `failed`. Those without any are left out. */
  deliveries: Record<string, number>
  /** Mails about sign-ins, memberships and chats, by status: `requested`, `processing`, `succeeded`, `rejected`, `failed`, `unknown`. Those without any are left out. */
  mails: Record<string, number>
  /** Messages of campaigns, by status: `requested`, `processing`, `succeeded`, `rejected`, `failed`, `unknown`. Those without any are left out. */
  messages: Record<string, number>
  /** Executions of workflows, by status: `pending`, `running`, `completed`, `failed`, `cancelled`. Those without any are left out. */
  executions: Record<string, number>
}

/** Figures of a time, by the status that the records have now. */
export type BusinessOverviewFigures = {
  /** Payments of orders and memberships by the time of their capture, by currency. */
  sales: BusinessOverviewMoney[]
  /** Refunds that succeeded, by the time of their request and by currency. */
  refunded: BusinessOverviewMoney[]
  /** Orders that were placed, by status: `pending`, `confirmed`, `partially_cancelled`, `cancelled`. Those without any are left out. */
  orders: Record<string, number>
  /** Bookings that were made, by status: `pending`, `confirmed`, `completed`, `no_show`, `cancelled`. Those without any are left out. */
  bookings: Record<string, number>
  /** Refunds that were requested, by status: `requested`, `processing`, `succeeded`, `rejected`, `failed`, `unknown`. Those without any are left out. */
  refunds: Record<string, number>
  /** Deliveries of events to webhooks, by status: `pending`, `succeeded`, `failed`. Those without any are left out. */
  deliveries: Record<string, number>
  /** Mails about sign-ins, memberships and chats, by status: `requested`, `processing`, `succeeded`, `rejected`, `failed`, `unknown`. Those without any are left out. */
  mails: Record<string, number>
  /** Messages of campaigns, by status: `requested`, `processing`, `succeeded`, `rejected`, `failed`, `unknown`. Those without any are left out. */
  messages: Record<string, number>
  /** Executions of workflows, by status: `pending`, `running`, `completed`, `failed`, `cancelled`. Those without any are left out. */
  executions: Record<string, number>
}

export type BusinessOverviewMoney = {
  /** Currency of the amount, ISO 4217. */
  currency: string
  /** Number of payments or refunds. */
  count: number
  /** Their sum, in minor units of the currency. */
  amount: number
}

export type BusinessOwnReaction = {
  /** Identifier of the reaction. */
  id: string
  /** Its kind. */
  kind: string
  /** Its status. */
  status: "pending" | "published" | "hidden" | "removed"
}

/** The one payment of an order. Amounts are in minor units. */
export type BusinessPayment = {
  /** Identifier of the payment, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the order. */
  orderId: string
  /** How it is paid; `none` where the total is 0. */
  type: "cash" | "card" | "none"
  /** Key of the market's payment method; null where the total is 0. */
  methodKey: string | null
  /** `pending` until the provider or an operator confirms the payment. Refunds leave it `paid`. */
  status: "pending" | "processing" | "authorized" | "paid" | "failed" | "cancelled"
  /** Currency of all amounts of the payment, ISO 4217. */
  currency: string
  /** Amount due, in minor units. */
  amount: number
  /** Amount that was captured, in minor units. */
  capturedAmount: number
  /** Amount that was refunded, in minor units. */
  refundedAmount: number
  /** Amount of refunds that are in progress, in minor units. */
  refundPendingAmount: number
  /** Amount of refunds whose outcome is unknown, in minor units. It stays reserved until an operator resolves them. */
  refundUnknownAmount: number
  /** Payment provider; null for cash and where the total is 0. */
  provider: string | null
  /** The business's account at the provider; null without a provider. */
  providerAccountId: string | null
  /** The provider's id of the checkout session; null until there is one. */
  providerSessionId: string | null
  /** The provider's id of the payment; null until it is known. */
  providerPaymentId: string | null
  /** What the provider reported about the payment; null if nothing. */
  evidence: Record<string, unknown> | null
  /** Why the payment failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    providerCode?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    providerStatus?: number | undefined
  } & Record<string, unknown> | null
  /** Time at which it was paid, in Unix seconds; null until then. */
  paidAt: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessPaymentAction = BusinessPaymentActionNone | BusinessPaymentActionCardEmbeddedCheckout

export type BusinessPaymentActionCardEmbeddedCheckout = {
  /** What the browser has to do: `card_embedded_checkout` opens the payment form of the provider, `none` requires nothing. */
  type: "card_embedded_checkout"
  /** Payment provider of the form. */
  provider: "stripe"
  /** Identifier of the business's connected account at the provider; `integration:` and an id for the account of an integration. */
  accountId: string
  /** Publishable key of the provider for the browser library. */
  publishableKey: string
  /** Secret of the payment form for the provider's browser library. It is valid until `expiresAt`. */
  clientSecret: string
  /** Time at which the payment form expires, in Unix seconds. */
  expiresAt?: number | undefined
}

export type BusinessPaymentActionNone = {
  /** What the browser has to do: `card_embedded_checkout` opens the payment form of the provider, `none` requires nothing. */
  type: "none"
}

export type BusinessPaymentMethod = {
  /** Key of the method, as a cart names it. */
  key: Key
  /** `cash` is marked as paid by an operator; `card` is charged through the connected provider. */
  type: "cash" | "card"
}

/** A postal address with its coordinates. Every field may be left out. */
export type BusinessPlace = {
  /** Name of the person or company, 200 characters at most. */
  name?: string | null | undefined
  /** Street and number, 300 characters at most. */
  street1?: string | null | undefined
  /** Further line, such as floor or suite, 300 characters at most. */
  street2?: string | null | undefined
  /** City, 200 characters at most. */
  city?: string | null | undefined
  /** State, province or region, as a code or a name, 100 characters at most. */
  state?: string | null | undefined
  /** Postal code, 32 characters at most. */
  postalCode?: PostalCode | null | undefined
  /** Country, ISO 3166-1 alpha-2, accepted in any case. */
  country?: string | null | undefined
  /** Latitude in degrees (WGS 84). */
  lat?: number | undefined
  /** Longitude in degrees (WGS 84). */
  lng?: number | undefined
}

/** A plan that a business can choose. */
export type BusinessPlan = {
  /** Identifier of the plan. */
  id: string
  /** Name of the plan for people. */
  name: string
  /** Amount of the first price, in minor units of `currency`; 0 for the free plan. */
  amount: number
  /** Currency of the first price, ISO 4217; null for the free plan. */
  currency: string | null
  /** How often it is charged; null for the free plan. */
  interval: BusinessPriceInterval | null
  /** What the plan offers, one text per feature. */
  features: string[]
  /** Prices by market: a business pays that of its first market that has one. Empty for the free plan. */
  prices: Array<{
    /** Key of the market. */
    market: string
    /** Currency, ISO 4217. */
    currency: string
    /** Amount in minor units of the currency. */
    amount: number
  }>
}

/** What the browser has to do next to pay. The payment form is one of the platform's own account. */
export type BusinessPlanPaymentAction = BusinessPlanPaymentActionNone | BusinessPlanPaymentActionCardEmbeddedCheckout

export type BusinessPlanPaymentActionCardEmbeddedCheckout = {
  /** What the browser has to do: `card_embedded_checkout` opens the payment form of the provider, `none` requires nothing. */
  type: "card_embedded_checkout"
  /** Payment provider of the form. */
  provider: "stripe"
  /** Publishable key of the provider for the browser library. */
  publishableKey: string
  /** Secret of the payment form for the provider's browser library. It is valid until `expiresAt`. */
  clientSecret: string
  /** Time at which the payment form expires, in Unix seconds. */
  expiresAt?: number | undefined
}

export type BusinessPlanPaymentActionNone = {
  /** What the browser has to do: `card_embedded_checkout` opens the payment form of the provider, `none` requires nothing. */
  type: "none"
}

/** A link to the payment provider's customer portal. */
export type BusinessPortalPage = {
  /** Address of the provider's page. */
  url: string
}

export type BusinessPrice = {
  /** Key of the market. */
  market: Key
  /** Currency of the market, ISO 4217; another one is refused. May be left out. */
  currency?: string | undefined
  /** Amount in minor units of the market's currency: 1099 is 10.99 USD. */
  amount: number
}

/** How often a price is charged. */
export type BusinessPriceInterval = {
  /** Unit of the interval. */
  period: "day" | "week" | "month" | "year"
  /** Number of units between two charges; three years at most. */
  count: number
}

/** A product, sold in one or more variants. */
export type BusinessProduct = {
  /** Identifier of the record, a UUIDv7 made by the server. */
  id: string
  /** Name of the record, unique in the business. */
  key: string
  /** From locale code to the slug in that language. */
  slug: BusinessLocaleMap
  /** Content blocks. */
  blocks: BusinessBlock[]
  /** Taxonomies that the record is filed under, with their entries or fields. */
  taxonomies: BusinessTaxonomyEntry[]
  /** `ACTIVE` records are public; `DRAFT` and `ARCHIVED` ones are visible to operators only. */
  status: "ACTIVE" | "DRAFT" | "ARCHIVED"
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
  /** What can be bought of the product, each with its own prices and stock. */
  variants: BusinessProductVariant[]
}

/** A product was created. */
export type BusinessProductCreatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "product.created"
  /** Time of the event, in Unix seconds. */
  createdAt: number
  /** Identifier of the business. */
  businessId: string
  data: BusinessProduct
}

/** A product was deleted. `data` is the product as it was before. */
export type BusinessProductDeletedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "product.deleted"
  /** Time of the event, in Unix seconds. */
  createdAt: number
  /** Identifier of the business. */
  businessId: string
  data: BusinessProduct
}

export type BusinessProductItem = {
  /** Identifier of the product. */
  productId: string
  /** Identifier of the product's variant. */
  variantId: string
  /** Units to buy, 1 to 1,000,000. */
  quantity: number
}

export type BusinessProductList = {
  /** The records of this page. */
  items: BusinessProduct[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A product was changed. A change of its stock alone publishes nothing. */
export type BusinessProductUpdatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "product.updated"
  /** Time of the event, in Unix seconds. */
  createdAt: number
  /** Identifier of the business. */
  businessId: string
  data: BusinessProduct
}

export type BusinessProductVariant = {
  /** Identifier of the variant, a UUIDv7 made by the server. */
  id: string
  /** Stock keeping unit; null for none. */
  sku: string | null
  /** Prices of one unit, one per market. */
  prices: BusinessPrice[]
  /** Attributes of the variant, in the caller's own shape. */
  attributes: unknown[]
  /** Weight of one unit, in grams; null if it is unknown. */
  weight: number | null
  /** Whether the goods are shipped or picked up. */
  requiresShipping: boolean
  /** Whether tax is added to, or contained in, its price. */
  taxable: boolean
  /** Whether the goods are digital. */
  isDigital: boolean
}

export type BusinessProductVariantWrite = {
  /** Identifier of an existing variant of the product; left out for a new one. */
  id?: string | undefined
  /** Stock keeping unit, 255 characters at most; null for none. */
  sku?: string | null | undefined
  /** Prices of one unit, one per market. Without a price the variant cannot be sold in that market. */
  prices?: BusinessPrice[] | undefined
  /** Attributes of the variant, such as size or color, in the caller's own shape; 200 at most. */
  attributes?: unknown[] | undefined
  /** Weight of one unit, in grams; null if it is unknown. */
  weight?: number | null | undefined
  /** Whether the goods are shipped or picked up; true by default. */
  requiresShipping?: boolean | undefined
  /** Whether tax is added to, or contained in, its price; true by default. */
  taxable?: boolean | undefined
  /** Whether the goods are digital; false by default. */
  isDigital?: boolean | undefined
  /** All stock levels of this variant, 200 at most: others are deleted. Left out, they are kept. A variant without any is not tracked and never runs out. */
  inventory?: Array<{
    /** Identifier of a location of the business. */
    locationId: string
    /** Units that can still be sold: what counts now, whatever was sold since it was read. Either this or `delta`. */
    available?: number | undefined
    /** Units to add, or with a minus to take away: what is sold meanwhile stays subtracted. A level that does not exist begins at 0. */
    delta?: number | undefined
    /** Expected present `available`, null for no level: with another one nothing is written. It makes a `delta` safe to repeat. */
    ifAvailable?: number | null | undefined
  }> | undefined
}

export type BusinessPromoCode = {
  /** Identifier of the promo code, a UUIDv7 made by the server. */
  id: string
  /** The code that customers enter. Case is ignored. */
  code: string
  /** `active` codes can be redeemed; `archived` ones cannot. */
  status: "active" | "archived"
  /** Discounts, applied in this order, each to what the previous one left. */
  discounts: BusinessDiscount[]
  /** Conditions that must all be met. */
  conditions: BusinessCondition[]
  /** Number of redemptions. Set by the server. */
  uses: number
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessPromoCodeList = {
  /** The records of this page. */
  items: BusinessPromoCode[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessProvider = {
  /** Identifier of the record, a UUIDv7 made by the server. */
  id: string
  /** Name of the record, unique in the business. */
  key: string
  /** From locale code to the slug in that language. */
  slug: BusinessLocaleMap
  /** Content blocks. */
  blocks: BusinessBlock[]
  /** Taxonomies that the record is filed under, with their entries or fields. */
  taxonomies: BusinessTaxonomyEntry[]
  /** `ACTIVE` records are public; `DRAFT` and `ARCHIVED` ones are visible to operators only. */
  status: "ACTIVE" | "DRAFT" | "ARCHIVED"
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
  /** `public` records are found and booked by visitors; `private` ones by operators only. */
  access: "public" | "private"
  /** Identifiers of entries ("nodes") that the record belongs to, 500 at most. They may be deleted independently. */
  nodeIds: string[]
  /** Identifiers of the networks that list the record; empty for all networks of the business. */
  networkIds: string[]
  /** Identifiers of audiences that the provider belongs to, 500 at most. They may be deleted independently. */
  audienceIds: string[]
  /** Number of bookings of the provider, of any service, that may take place at any moment of one that is booked with this limit, itself included; null for the limit of each link. */
  concurrentLimit: number | null
}

export type BusinessProviderList = {
  /** The records of this page. */
  items: BusinessProvider[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessQuotedLine = {
  /** Identifier of the line; unique in the quote or order. */
  id: string
  /** Identifier of the product. */
  productId: string
  /** Identifier of the variant. */
  variantId: string
  /** Stock keeping unit at that time; null for none. */
  sku: string | null
  /** The product's block `name` at that time, in the first of the languages of the business that it has; its key without such a block. */
  name: string | null
  /** Whether the goods are shipped or picked up. */
  requiresShipping: boolean
  /** Number of units; of a booking, number of slots. */
  quantity: number
  /** Price of one unit or slot, in minor units. */
  unitPrice: number
  /** `unitPrice` × `quantity`, in minor units. */
  subtotal: number
  /** The line's share of all discounts, in minor units. */
  discount: number
  /** Tax of the line after discount, in minor units. */
  tax: number
  /** Amount to pay for the line, tax contained, in minor units. */
  total: number
  /** Units that can be sold now: at the pickup location if the line is picked up there, else at all locations together; null if they are not counted. */
  available: number | null
}

export type BusinessReaction = {
  /** Identifier of the reaction, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the business. */
  businessId: string
  /** Who sent it; null for an operator, for content that was deleted, and if the contact no longer exists. */
  customerInfo: {
    /** Identifier of the contact. */
    id: string
    /** Whether a verified address is theirs. */
    verified: boolean
  } | null
  /** What it is a reaction to. */
  target: {
    /** What it is. */
    type: "product" | "service" | "provider" | "booking" | "node"
    /** Identifier of the record. */
    id: string
  }
  /** The reaction that it replies to; null for none. */
  parentId: string | null
  /** Number of reactions between it and the target; 0 for a reaction to the target itself. */
  depth: number
  /** Its kind. */
  kind: string
  /** Its content; empty for marks and stars. */
  blocks: BusinessBlock[]
  /** Taxonomies that it is filed under. */
  taxonomies: BusinessTaxonomyEntry[]
  /** `pending` content waits for a moderator, and only its author sees it. `hidden` and `removed` reactions are seen by operators only; `removed` without author and content is what was deleted and has replies. */
  status: "pending" | "published" | "hidden" | "removed"
  /** Whether an operator sent it, for the business. */
  official: boolean
  /** Whether its author had bought the target when they sent it. Always false for marks. */
  verifiedPurchase: boolean
  /** Of a review, the stars that its author gave the target; null for none. */
  stars: number | null
  /** Number of published reactions here, by kind. */
  counts: Record<string, number>
  /** The caller's own published and pending reactions here, 100 at most. */
  own: BusinessOwnReaction[]
  /** Number of published replies with content. */
  replyCount: number
  /** When its author last changed its content, in Unix seconds; null for never. */
  editedAt: number | null
  /** When an operator last set its status, in Unix seconds. Null for visitors. */
  moderatedAt?: number | null | undefined
  /** Identifier of the account that last set its status. Null for visitors. */
  moderatedBy?: string | null | undefined
  /** Note of the operators. Null for visitors. */
  note?: string | null | undefined
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessReactionList = {
  /** The records of this page. */
  items: BusinessReaction[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessReactionSummary = {
  /** What it is. */
  targetType: "product" | "service" | "provider" | "booking" | "node"
  /** Identifier of the record. */
  targetId: string
  /** The reaction whose replies and marks are counted; null for the target. */
  parentId: string | null
  /** Number of published reactions here, by kind. */
  counts: Record<string, number>
  /** Published stars. */
  stars: {
    /** Sum of the stars divided by their number, not rounded; null without any. */
    average: number | null
    /** Number of stars. */
    count: number
  }
  /** The caller's own published and pending reactions here, 100 at most. */
  own: BusinessOwnReaction[]
}

/** Something that a business needs, and the route that mends its lack. */
export type BusinessReadinessCheck = {
  /** Name of the check. */
  id: "market" | "payment_method" | "price" | "cash" | "card" | "card_account" | "location" | "zone" | "shipping_method" | "service" | "provider" | "service_provider" | "provider_hours" | "mailbox" | "email_template" | "connection"
  /** What the business needs it for; `sell` by card and by cash alike. */
  capability: "sell" | "sell_by_cash" | "sell_by_card" | "ship" | "book" | "send_mail" | "publish"
  /** Whether it is there. */
  ready: boolean
  /** What has to be there. */
  title: string
  /** What an operator does if it is not there. */
  whatToDo: string
  /** The route that mends it. */
  mend: {
    /** Method of the route. */
    method: "POST" | "PUT"
    /** Path of the route, with the id of what it changes. */
    path: string
  }
}

/** A refund of a payment. In status `unknown` it may or may not have happened, and it is never sent again. */
export type BusinessRefund = {
  /** Identifier of the refund, a UUIDv7 made by the server. */
  id: string
  /** The caller's own id of the refund; of refunds by the system or the provider, an id made by the server. */
  refundId: string
  /** Identifier of the order. */
  orderId: string
  /** Identifier of the payment that is refunded. */
  paymentId: string
  /** Amount of the refund, in minor units of `currency`. */
  amount: number
  /** Currency of the amount, ISO 4217. */
  currency: string
  /** `succeeded` when the provider refunded the amount; `rejected` if the provider refused; `failed` if nothing was sent; `unknown` if the outcome cannot be proved: nothing is sent again, and an operator resolves it. */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
  /** Who made the refund: an operator through the API, the system (a payment after the cancellation), or the provider (its dashboard). */
  origin: "operator" | "system" | "provider"
  /** The provider's id of the refund; null until it is known. */
  providerRefundId: string | null
  /** What the provider answered; null without an answer. */
  evidence: Record<string, unknown> | null
  /** What proves an outcome and became known after it was recorded as `unknown`; null without it. */
  lateEvidence: Record<string, unknown> | null
  /** Why the refund did not succeed; null if it did or is in progress. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    providerCode?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    providerStatus?: number | undefined
  } & Record<string, unknown> | null
  /** Who resolved an `unknown` refund, when, how and why, and in `before` the resolution that it replaced; null if none was needed. */
  resolution: Record<string, unknown> | null
  /** Number of attempts to send it. Another attempt follows only one that provably sent nothing. */
  attempt: number
  /** Whether an operator has to act: the refund is `unknown`, differs from what was resolved, the recorded refunds exceed the captured amount, or a cancelled order is not refunded completely. */
  needsAttention: boolean
  /** Time at which the request may have left for the provider, in Unix seconds; null if it has not. */
  sentAt: number | null
  /** Time of the provider's answer, in Unix seconds; null without one. */
  answeredAt: number | null
  /** Time at which the outcome was final, in Unix seconds; null until then. */
  settledAt: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessRefundList = {
  /** The records of this page. */
  items: BusinessRefund[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A reservation. Amounts are in minor units of `money.currency`. */
export type BusinessReservation = {
  /** Identifier of the record, a UUIDv7 made by the server. It is also that of its order. */
  id: string
  /** Number for people, counted per business. */
  number: number
  /** `CREATED` until the card is charged, `PENDING` until an operator confirms; `FAILED` if the payment failed or expired. */
  status: "CREATED" | "PENDING" | "AUTHORIZED" | "CONFIRMED" | "COMPLETED" | "CANCELLED" | "FAILED"
  /** Why it is over, or will be when its payment form is closed; null otherwise. */
  cancelReason: "requested" | "declared_failed" | "payment_expired" | "payment_failed" | "approval_expired" | "authorization_expired" | "capture_rejected" | null
  /** Who booked. */
  customerInfo: {
    /** Identifier of the contact who booked. */
    id: string
    /** Whether the contact had a verified address. */
    verified: boolean
  }
  /** The one payment. Its status proves what was paid. */
  payment: BusinessPayment
  /** Form values that came with the booking. */
  forms: BusinessBookingForm[]
  /** Content blocks of the booking. */
  blocks: BusinessBlock[]
  /** Where the customer is; null if it was not sent. */
  location: BusinessCustomerLocation | null
  /** Promo code that was redeemed; null for none. */
  promoCode: string | null
  /** Totals. */
  money: BusinessOrderMoney
  /** Sum of the parts before discount, in minor units. */
  subtotal: number
  /** Amount to pay, in minor units. */
  total: number
  /** Time at which it is cancelled unless it was approved or refused, in Unix seconds; null if it needs no approval. */
  decideBy: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
  /** Booked slots, in order of time within a service and provider. */
  items: BusinessReservationItem[]
}

/** One booked slot. */
export type BusinessReservationItem = {
  /** Identifier of the part. */
  id: string
  /** Identifier of the service. */
  serviceId: string
  /** Identifier of the provider. */
  providerId: string
  /** Key of the service at that time. */
  serviceKey: string
  /** Key of the provider at that time. */
  providerKey: string
  /** Start, in Unix seconds. */
  from: number
  /** End, in Unix seconds. */
  to: number
  /** Price of one slot, in minor units. */
  unitPrice: number
  /** `pending` until the booking is confirmed; `no_show` is set by an operator. */
  status: "pending" | "confirmed" | "completed" | "no_show" | "cancelled"
}

export type BusinessReservationList = {
  /** The records of this page. */
  items: BusinessReservation[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessSegment = {
  /** Length of the step, in minutes. */
  duration: number
  /** Whether the step is a pause, in which the provider is not free either; false by default. */
  isPause: boolean
}

export type BusinessSegmentInput = {
  /** Length of the step, in minutes. */
  duration: number
  /** Whether the step is a pause, in which the provider is not free either; false by default. */
  isPause?: boolean | undefined
}

/** A span of time to book, in Unix seconds: a slot of the availability, as it is. */
export type BusinessSentSlot = {
  /** Start, in Unix seconds. */
  from: number
  /** End, in Unix seconds; later than `from`. */
  to: number
  /** Ignored, so that a slot of the availability can be sent as it is. */
  spots?: number | undefined
}

export type BusinessService = {
  /** Identifier of the record, a UUIDv7 made by the server. */
  id: string
  /** Name of the record, unique in the business. */
  key: string
  /** From locale code to the slug in that language. */
  slug: BusinessLocaleMap
  /** Content blocks. */
  blocks: BusinessBlock[]
  /** Taxonomies that the record is filed under, with their entries or fields. */
  taxonomies: BusinessTaxonomyEntry[]
  /** `ACTIVE` records are public; `DRAFT` and `ARCHIVED` ones are visible to operators only. */
  status: "ACTIVE" | "DRAFT" | "ARCHIVED"
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
  /** `public` records are found and booked by visitors; `private` ones by operators only. */
  access: "public" | "private"
  /** Identifiers of entries ("nodes") that the record belongs to, 500 at most. They may be deleted independently. */
  nodeIds: string[]
  /** Identifiers of the networks that list the record; empty for all networks of the business. */
  networkIds: string[]
  /** Prices of one slot, one per market, with providers that have no price of their own. */
  prices: BusinessPrice[]
  /** Steps of a slot, with providers that have none of their own. A slot lasts their sum, and the provider is taken throughout. */
  durations: BusinessSegment[]
  /** Whether an operator has to approve bookings of the service. */
  isApprovalRequired: boolean
  /** Where the service takes place; null for the place of the business. */
  location: BusinessPlace | null
  /** Active providers of the service. */
  providers: BusinessServiceOffer[]
}

export type BusinessServiceList = {
  /** The records of this page. */
  items: BusinessService[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** How a provider offers the service. */
export type BusinessServiceOffer = {
  /** Identifier of the provider. */
  providerId: string
  /** Prices of one slot, one per market. */
  prices: BusinessPrice[]
  /** Steps of a slot; if empty, a slot lasts `slotInterval`. */
  durations: BusinessSegment[]
  /** Minutes from the start of one slot to the next. */
  slotInterval: number
}

/** How a provider offers a service. Hours are wall-clock times in the time zone of the business. */
export type BusinessServiceProvider = {
  /** Identifier of the link, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the service. */
  serviceId: string
  /** Identifier of the provider. */
  providerId: string
  /** Weekly hours in which the provider offers the service. */
  workingDays: BusinessWorkingDay[]
  /** Hours of single dates; each replaces the working day of its date. */
  specificDates: BusinessSpecificDate[]
  /** Steps of a slot; if empty, those of the service. */
  durations: BusinessSegment[]
  /** Prices of one slot, one per market; in other markets the service's. */
  prices: BusinessPrice[]
  /** Minutes from the start of one slot to the next. */
  slotInterval: number
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessServiceProviderList = {
  /** The records of this page. */
  items: BusinessServiceProvider[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessShipment = {
  /** Identifier of the shipment, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the order. */
  orderId: string
  /** Lines of the order that were shipped, with their quantities. */
  items: BusinessShipmentItem[]
  /** Carrier that delivers the goods; null if they were handed over. */
  carrier: string | null
  /** The carrier's tracking number; null for none. */
  trackingNumber: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessShipmentItem = {
  /** Identifier of a line of the order. */
  lineId: string
  /** Units of the line in this shipment. */
  quantity: number
}

export type BusinessShipmentList = {
  /** The records of this page. */
  items: BusinessShipment[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessShippingLine = {
  /** Id of the shipping method in its zone. */
  shippingMethodId: string
  /** Name of the shipping method; null for none. */
  name: string | null
  /** Delivery time, as text. */
  etaText: string
  /** Shipping before discount, in minor units. */
  subtotal: number
  /** Discount on shipping, in minor units. */
  discount: number
  /** Tax on shipping after discount, in minor units. */
  tax: number
  /** Amount to pay for shipping, tax contained, in minor units. */
  total: number
}

export type BusinessShippingMethod = {
  /** Id of the method, as a cart names it. */
  id: string
  /** Name of the method for people. */
  name?: string | undefined
  /** Whether shipping is taxed like the goods; true by default. */
  taxable: boolean
  /** Delivery time, as text. */
  etaText: string
  /** Price of the method, in minor units of the market's currency. */
  amount: number
}

export type BusinessShippingMethodInput = {
  /** Id of the method, as a cart names it. */
  id: string
  /** Name of the method for people. */
  name?: string | undefined
  /** Whether shipping is taxed like the goods; true by default. */
  taxable?: boolean | undefined
  /** Delivery time, as text. */
  etaText?: string | undefined
  /** Price of the method, in minor units of the market's currency. */
  amount: number
}

/** A span of time, in Unix seconds. */
export type BusinessSlot = {
  /** Start, in Unix seconds. */
  from: number
  /** End, in Unix seconds; later than `from`. */
  to: number
}

export type BusinessSpecificDate = {
  /** Day in the business's time zone, YYYY-MM-DD. */
  date: string
  /** Opening hours of the day; empty if it is closed. */
  workingHours: BusinessWorkingHours[]
}

/** A submitted value, with the field of the form at the time of the submission. */
export type BusinessSubmittedField = {
  /** Type of the field when it was submitted. */
  type: string
  /** Id of the field in the form's schema. */
  id: string
  /** Key of the field when it was submitted. */
  key: string
  /** The value; null for none. */
  value: unknown
}

/** The business's subscription to a plan. A business without one has the free plan. */
export type BusinessSubscription = {
  /** Identifier of the plan that the business has. */
  planId: string
  /** Identifier of the plan that the business has after its paid time; null if the plan goes on. */
  nextPlanId: string | null
  /** The payment provider's status of the subscription; `active` for the free plan. */
  billingStatus: string
  /** Key of the market whose price is charged; null for the free plan. */
  market: string | null
  /** Currency of the amount, ISO 4217; null for the free plan. */
  currency: string | null
  /** Amount that is charged repeatedly, in minor units; 0 for the free plan. */
  amount: number
  /** Time at which the business chose the paid plan, in Unix seconds; null if there is none. */
  startedAt: number | null
  /** End of the time that is paid, in Unix seconds; null if there is none. */
  paidThroughAt: number | null
  /** Time at which the paid plan ends, in Unix seconds; null if there is none. */
  cancelAt: number | null
  /** Time at which the last paid plan ended, in Unix seconds; null if there is none. */
  canceledAt: number | null
  /** The newest choice of a paid plan that was not paid; null if there is none. */
  checkout: {
    /** Identifier of the plan that was chosen. */
    planId: string
    /** Outcome of opening the payment form. `unknown`: it may be open and is not opened again. */
    status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
    /** State of the payment form; null while it is not known to exist. */
    state: "open" | "complete" | "expired" | null
    /** Address that the payment form returns to. */
    returnUrl: string
    /** Time at which the payment form expires, in Unix seconds; null if there is none. */
    expiresAt: number | null
    /** Why the payment form could not be opened; null if it could. */
    error: {
      /** Stable code of what went wrong. */
      code: string
      /** What went wrong, for people. */
      message: string
      /** The provider's code of it, if it sent one. */
      providerCode?: string | undefined
      /** HTTP or SMTP status of its answer, if there was one. */
      providerStatus?: number | undefined
    } & Record<string, unknown> | null
  } | null
  paymentAction: BusinessPlanPaymentAction
}

/** A page on which a plan is paid for. */
export type BusinessSubscriptionPage = {
  /** Address of the provider's page. */
  url: string
}

export type BusinessSuccess = {
  /** Always true. A call that fails returns a problem instead. */
  success: true
}

export type BusinessTaxonomy = {
  /** Identifier of the taxonomy, a UUIDv7 made by the server. */
  id: string
  /** Name of the taxonomy, unique in the business. */
  key: string
  /** Identifier of the business. */
  storeId: string
  /** Identifier of the taxonomy above; null at the top. */
  parentId: string | null
  /** Schema of the `fields` that a record filed under this taxonomy may have. */
  schema: BusinessTaxonomySchema[]
  /** `active` taxonomies are public; `archived` ones are visible to operators only. */
  status: "active" | "archived"
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

/** A taxonomy with the entries, or with the typed values, that a record is filed under. */
export type BusinessTaxonomyEntry = {
  /** Identifier of the taxonomy. */
  taxonomyId: string
  /** Identifiers of entries of the taxonomy that the record is filed under, 100 at most. */
  entryIds?: string[] | undefined
  /** Typed values by the taxonomy's schema. */
  fields?: Array<{
    /** Id of the field in the taxonomy's schema; may be sent instead of `key`. */
    id?: string | undefined
    /** Key of the field in the taxonomy's schema. */
    key?: string | undefined
    /** Must equal the type in the taxonomy's schema, if it is sent. */
    type?: string | undefined
    /** The value, of the field's type. */
    value?: unknown | undefined
  }> | undefined
}

export type BusinessTaxonomyList = {
  /** The records of this page. */
  items: BusinessTaxonomy[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A typed field of a taxonomy. Items without an id get one. */
export type BusinessTaxonomySchema = BusinessTaxonomySchemaText | BusinessTaxonomySchemaNumber | BusinessTaxonomySchemaBoolean | BusinessTaxonomySchemaGeoLocation

export type BusinessTaxonomySchemaBoolean = {
  /** Type of the field's value. */
  type: "boolean"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
}

export type BusinessTaxonomySchemaGeoLocation = {
  /** Type of the field's value. */
  type: "geo_location"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
}

export type BusinessTaxonomySchemaNumber = {
  /** Type of the field's value. */
  type: "number"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Smallest number, or smallest length of a text; null or left out: no limit. */
  min?: number | null | undefined
  /** Largest number; null or left out: no limit. */
  max?: number | null | undefined
}

export type BusinessTaxonomySchemaText = {
  /** Type of the field's value. */
  type: "text"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Values that a text may have; null or left out for any. */
  value?: string[] | null | undefined
  /** Smallest number, or smallest length of a text; null or left out: no limit. */
  min?: number | null | undefined
}

/** One thing that happened to a record. Every time is one that is stored. */
export type BusinessTimelineEntry = {
  /** When, in Unix seconds with milliseconds as decimals, as far as they are stored. A `deadline` may be in the future. */
  at: number
  /** What happened. Of an effect: `requested`, `claimed` by a worker, `sent` (the time was committed before the first byte), `deadline` (a bound: no answer counts after it), `silence` (it passed without an answer, or the connection ended without one), `answered`, `settled`, late evidence (what became known after that), `resolved` (by a person). `event`: an event was published. The others are about the record itself. */
  kind: "requested" | "claimed" | "sent" | "deadline" | "silence" | "answered" | "settled" | "late_evidence" | "resolved" | "event" | "created" | "changed" | "scheduled" | "started" | "paid" | "shipped" | "published" | "received" | "disputed" | "merged" | "cancelled" | "ended"
  /** The entry as a sentence, for people. */
  title: string
  /** Where it happened: in our own `record`, in the `worker` that sends, or at the `provider`. */
  lane: "record" | "worker" | "provider"
  /** The effect that the entry is about; null for an entry about the record itself. */
  effect: {
    /** Kind of the effect. */
    name: "refund" | "payment_session" | "session_expiry" | "coupon" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "portal_configuration" | "portal_link" | "mail" | "campaign_message" | "webhook_test" | "subscription_change" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reveal" | "social_reply" | "social_classification" | "model_call" | "channel_message" | "node_run"
    /** Identifier of its row: `subject` of a timeline of its own, with the name before it. */
    id: string
    /** Its state now. */
    status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
    /** Attempts so far. None but the last one can have had an effect. */
    attempt: number
  } | null
  /** Who did it; null if that is not stored. */
  by: {
    /** Who did it. */
    type: "account" | "visitor" | "provider" | "system"
    /** Identifier of the account or of the contact; null if it is not stored. */
    id: string | null
    /** E-mail address of a member of the team; null for anyone else. */
    label: string | null
  } | null
  /** What else is stored about it: the evidence, the error, the note of a resolution, the record that it is about. */
  details: Record<string, unknown>
}

export type BusinessTimelineEntryList = {
  /** The records of this page. */
  items: BusinessTimelineEntry[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessWebhook = {
  /** Identifier of the webhook, a UUIDv7 made by the server. */
  id: string
  /** Name of the webhook, unique in the business. */
  key: string
  /** Always `__redacted__`: the address is a secret and is never returned. */
  url: string
  /** Events that are delivered to the webhook. */
  events: Array<{
    /** Name of an event. */
    event: "collection.created" | "collection.updated" | "collection.deleted" | "node.created" | "node.updated" | "node.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.subscriber_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated" | "booking.created" | "booking.updated"
  }>
  /** Names of the headers that are sent; every value is `__redacted__`. */
  headers: Record<string, string>
  /** Always `__redacted__`: the signing secret is never returned. */
  secret: string
  /** Whether events are delivered. */
  enabled: boolean
  /** `gone`: the address answered 410; `failing`: no delivery succeeded for five days; null: it is enabled, or an operator disabled it. */
  disabledReason: string | null
  /** Time since which attempts were made and none succeeded, in Unix seconds; null if the latest succeeded. */
  failingSince: number | null
  /** Time until which the previous secret signs as well, in Unix seconds; null if none does. */
  previousSecretUntil: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

export type BusinessWebhookList = {
  /** The records of this page. */
  items: BusinessWebhook[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type BusinessWebhookMade = {
  /** Identifier of the webhook, a UUIDv7 made by the server. */
  id: string
  /** Name of the webhook, unique in the business. */
  key: string
  /** Always `__redacted__`: the address is a secret and is never returned. */
  url: string
  /** Events that are delivered to the webhook. */
  events: Array<{
    /** Name of an event. */
    event: "collection.created" | "collection.updated" | "collection.deleted" | "node.created" | "node.updated" | "node.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.subscriber_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated" | "booking.created" | "booking.updated"
  }>
  /** Names of the headers that are sent; every value is `__redacted__`. */
  headers: Record<string, string>
  /** The signing secret if this request generated it, otherwise `__redacted__`. */
  secret: string
  /** Whether events are delivered. */
  enabled: boolean
  /** `gone`: the address answered 410; `failing`: no delivery succeeded for five days; null: it is enabled, or an operator disabled it. */
  disabledReason: string | null
  /** Time since which attempts were made and none succeeded, in Unix seconds; null if the latest succeeded. */
  failingSince: number | null
  /** Time until which the previous secret signs as well, in Unix seconds; null if none does. */
  previousSecretUntil: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  createdAt: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updatedAt: number
}

/** A test delivery. In status `unknown` it may or may not have arrived, and it is never sent again. */
export type BusinessWebhookTest = {
  /** The caller's own id of the test, or the one that the server made. */
  deliveryId: string
  /** Identifier of the webhook that was called; null for an address that is none. */
  webhookId: string | null
  /** `succeeded` after 2xx, 301, 302 and 303; `rejected` after 4xx, 307, 308, 500 and 503; `failed` if nothing was sent; `unknown` without an answer, and after one that a proxy may have given (502, 504, 52x). */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
  /** HTTP status of the answer; null if there was none. */
  providerStatusCode: number | null
  /** Why the test did not succeed; null if it did. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    providerCode?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    providerStatus?: number | undefined
  } & Record<string, unknown> | null
}

export type BusinessWorkingDay = {
  /** Day of the week. */
  day: "MONDAY" | "TUESDAY" | "WEDNESDAY" | "THURSDAY" | "FRIDAY" | "SATURDAY" | "SUNDAY"
  /** Opening hours of the day, 50 at most. */
  workingHours: BusinessWorkingHours[]
}

/** Wall-clock times of the business's time zone. */
export type BusinessWorkingHours = {
  /** Start, in minutes from midnight, 0 to 1439. */
  from: number
  /** End, in minutes from midnight, 0 to 1440. If it is not later than `from`, it is on the next day. */
  to: number
}

/** When a provider can be booked, in the time zone of the business. */
export type BusinessWorkingTime = {
  /** Weekly hours; days without hours are left out. */
  workingDays: BusinessWorkingDay[]
  /** Hours of single dates; each replaces the working day of its date. */
  specificDates: BusinessSpecificDate[]
  /** Single dates without hours. */
  outcastDates: BusinessSpecificDate[]
}

/** A region of a market, with its tax rate and shipping methods. */
export type BusinessZone = {
  /** Id of the zone. May be left out. */
  id?: string | undefined
  /** Name of the zone for people. */
  name?: string | undefined
  /** Countries of the zone, ISO 3166-1 alpha-2; empty for all. */
  countries: string[]
  /** States of the zone, as codes or names; empty for all. */
  states: string[]
  /** Postal codes of the zone; one that ends in `*` is a prefix. Empty for all. A ZIP code of nine digits is in a zone of its first five. */
  postalCodes: PostalCodePattern[]
  /** Tax rate in basis points: 1900 is 19 %. */
  taxBps: number
  /** Shipping methods of the zone; without any, shipping is free. */
  shippingMethods: BusinessShippingMethod[]
}

/** A region of a market, with its tax rate and shipping methods. */
export type BusinessZoneInput = {
  /** Id of the zone. May be left out. */
  id?: string | undefined
  /** Name of the zone for people. */
  name?: string | undefined
  /** Countries of the zone, ISO 3166-1 alpha-2; empty for all. */
  countries?: string[] | undefined
  /** States of the zone, as codes or names; empty for all. */
  states?: string[] | undefined
  /** Postal codes of the zone; one that ends in `*` is a prefix. Empty for all. A ZIP code of nine digits is in a zone of its first five. */
  postalCodes?: PostalCodePattern[] | undefined
  /** Tax rate in basis points: 1900 is 19 %. */
  taxBps?: number | undefined
  /** Shipping methods of the zone; without any, shipping is free. */
  shippingMethods?: BusinessShippingMethodInput[] | undefined
}

/** E-mails in steps, sent to the contacts that were enrolled before the launch. */
export type Campaign = {
  /** Identifier of the campaign, a UUIDv7 made by the server. */
  id: string
  /** Name of the campaign for people. */
  name: string
  /** `draft` until it is launched; `scheduled` until `scheduled_at`; `running` while messages are sent; `paused` by an operator or for `paused_reason`; `completed` when no enrollment is active; `cancelled` for good. */
  status: "draft" | "scheduled" | "running" | "paused" | "completed" | "cancelled"
  /** Mailboxes that send the campaign. */
  mailbox_ids: string[]
  /** E-mails of the sequence, in order. */
  steps: Array<{
    /** E-mail template of the step. Once the campaign is launched, later edits of the template change nothing. */
    template_id: string
    /** Seconds after the step before. */
    delay_s: number
    /** Values that the template reads. */
    variables: Record<string, unknown>
    /** Whether the message is a reply to the first one. */
    in_thread: boolean
  }>
  /** Values that the templates of all steps read. */
  variables: Record<string, unknown>
  /** Address for replies; if null, that of the mailbox. */
  reply_to: string | null
  /** Whether a reply ends the sequence for its sender. */
  stop_on_reply: boolean
  /** When messages are sent; null for any time. */
  send_window: {
    /** Days of the week: 0 is Sunday. */
    days: number[]
    /** Start, HH:MM in the store's time zone. */
    from: string
    /** End, HH:MM in the store's time zone. */
    to: string
  } | null
  /** When it starts, in Unix seconds; null: at its launch. */
  scheduled_at: number | null
  /** When it was launched, in Unix seconds; null for a draft. */
  launched_at: number | null
  /** When it was completed or cancelled, in Unix seconds; null before. */
  ended_at: number | null
  /** Why it is paused; null if it is not. */
  paused_reason: {
    /** Stable code of the reason. */
    code: string
    /** The reason, for people. */
    message: string
  } | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

/** A contact enrolled in a campaign. */
export type CampaignEnrollment = {
  /** Identifier of the enrollment, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the campaign. */
  campaign_id: string
  /** Identifier of the contact. */
  contact_id: string
  /** Identifier of the membership that it was enrolled by; null: the contact or the address was named. */
  member_id: string | null
  /** Identifier of the audience of that membership. */
  audience_id: string | null
  /** Address that its messages are sent to, as it was when it was enrolled. */
  address: string
  /** Values that the templates read for this recipient. */
  variables: Record<string, unknown>
  /** `active` until the last step; `completed` after it. `failed`: a message was refused, or never sent. `unknown`: a message may or may not have been sent, and what follows depends on it. */
  status: "active" | "completed" | "replied" | "unsubscribed" | "bounced" | "complained" | "failed" | "unknown" | "cancelled"
  /** Position of its next step, from 0. */
  step: number
  /** When its next step is due, in Unix seconds; null if none is. */
  due_at: number | null
  /** Identifier of the mailbox that sends all its messages; null before the first. */
  mailbox_id: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type CampaignEnrollmentList = {
  /** The records of this page. */
  items: CampaignEnrollment[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** An import of enrollments into a draft of a campaign. */
export type CampaignImport = {
  /** Identifier of the import, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the campaign. */
  campaign_id: string
  /** `running` until every source was read; `failed` if it was given up: what it enrolled stays. */
  status: "running" | "completed" | "failed"
  /** Contacts that it enrolled. */
  enrolled: number
  /** Contacts and addresses that were enrolled before, or named twice. */
  already_enrolled: number
  /** Numbers of those who get no mail, by reason: `unsubscribed`, `bounced` and `complained` (the membership; of a copy also the copied enrollment), `cancelled`, `no_access`, `no_address`, `suppressed` (the address bounced, reported spam or withdrew its consent), `no_contact` (of a copy: merged into another contact). */
  skipped: Record<string, number>
  /** The first 100 that could not be enrolled. */
  failed: Array<{
    /** What the request named. */
    value: string
    /** `contact_missing`: the contact was deleted or merged after the request. */
    code: "invalid_email" | "contact_missing"
  }>
  /** Why it failed; null if it did not. */
  error: {
    /** Stable code. */
    code: string
    /** The reason, for people. */
    message: string
  } | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type CampaignImportList = {
  /** The records of this page. */
  items: CampaignImport[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type CampaignList = {
  /** The records of this page. */
  items: Campaign[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A message of a campaign. In status `unknown` it may or may not have been sent, and it is never sent again. */
export type CampaignMessage = {
  /** Identifier of the message, a UUIDv7 made by the server. Its Message-ID begins with it. */
  id: string
  /** Identifier of the campaign. */
  campaign_id: string
  /** Identifier of the enrollment that it was sent to; null for a test message. */
  enrollment_id: string | null
  /** `step` of the sequence, `reply` of an operator, or `test`. */
  kind: "step" | "reply" | "test"
  /** Position of the step, from 0; null for a reply. */
  step: number | null
  /** A message of a step that the server deferred after it was handed over is sent again as a new one, with the next number; a reply or a test is `rejected`. */
  try: number
  /** Identifier of the mailbox that sends it. */
  mailbox_id: string
  /** Identifier of its template; null for a reply. */
  template_id: string | null
  /** UUID of the caller; null for messages of steps. */
  message_id: string | null
  /** Address that it is sent to. */
  address: string
  /** Subject; null if it could not be rendered. */
  subject: string | null
  /** `unknown`: it may or may not have been sent, and it is never sent again. `failed`: nothing was sent. */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
  /** Why it was not sent, or not accepted. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Attached files, as they were when the message was written. */
  attachments: Array<{
    /** Identifier of the file. */
    media_id: string
    /** Name of the file. */
    name: string
    /** Media type of the file. */
    mime_type: string
    /** Bytes of the file. */
    size: number
  }>
  /** What the mail server calls it; null if its reply does not say. */
  provider_message_id: string | null
  /** When it was handed to the mail server, in Unix seconds; null: not yet. */
  sent_at: number | null
  /** When its outcome was recorded, in Unix seconds; null: not yet. */
  settled_at: number | null
  /** When it bounced, in Unix seconds; null: not yet. */
  bounced_at: number | null
  /** Why it bounced. */
  bounce: {
    /** Enhanced status code, such as 5.1.1. */
    status: string | null
    /** What the server said. */
    diagnostic: string | null
  } | null
  /** When it was reported as spam, in Unix seconds; null: not yet. */
  complained_at: number | null
  /** Whether an operator has to act: its outcome is `unknown`, or differs from what was resolved. */
  needs_attention: boolean
  /** What an owner recorded about an unknown outcome, and in `before` what was recorded earlier. */
  resolution: {
    /** The outcome. */
    outcome: "succeeded" | "rejected"
    /** How it was established. */
    note: string
    /** When, in Unix seconds. */
    at: number
  } & Record<string, unknown> | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type CampaignMessageCounts = {
  /** Messages whose outcome is not decided yet. */
  requested: number
  /** Messages that a mail server accepted (status `succeeded`). */
  sent: number
  /** Messages that a mail server refused. */
  rejected: number
  /** Messages that were not sent. */
  failed: number
  /** Messages of which it cannot be proved whether they were sent. */
  unknown: number
}

export type CampaignMessageList = {
  /** The records of this page. */
  items: CampaignMessage[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A step of a campaign as a recipient would get it. */
export type CampaignPreview = {
  /** Subject. */
  subject: string
  /** HTML part. */
  html: string
  /** Text part. */
  text: string
  /** Headers beside sender, recipient and subject. */
  headers: Array<{
    /** Name. */
    name: string
    /** Value. */
    value: string
  }>
  /** What mail programs or mailbox providers would object to. */
  warnings: Array<{
    /** Stable code. */
    code: string
    /** What is wrong, and why it matters. */
    message: string
  }>
}

export type CampaignStats = {
  /** Number of enrollments. */
  enrolled: number
  /** Enrollments by status. */
  enrollments: EnrollmentCounts
  /** Messages of the steps by status. */
  messages: CampaignMessageCounts
  /** Messages that bounced. */
  bounced: number
  /** Messages that were reported as spam. */
  complained: number
  /** Messages that were answered. */
  replied: number
  /** The same for each step. */
  steps: Array<{
    /** Position of the step, from 0. */
    position: number
    /** Enrollments whose next step this is, by status. */
    enrollments: EnrollmentCounts
    /** Messages of the steps by status. */
    messages: CampaignMessageCounts
    /** Messages that bounced. */
    bounced: number
    /** Messages that were reported as spam. */
    complained: number
    /** Messages that were answered. */
    replied: number
  }>
  /** What a running campaign waits for; null if messages that are due are sent. */
  waits_for: {
    /** `send_window`: it is closed. `mailboxes`: each of them, or those that all recipients who are left stay with, waits to try its server again (its `sending_error` says why), or for its limit of the day. */
    code: "send_window" | "mailboxes"
    /** When messages are sent again, or their servers and limits are looked at again, in Unix seconds; null if the window never opens. */
    until: number | null
  } | null
  /** Messages sent per minute, of the newest messages of the last ten minutes; 0 if it is not running. */
  per_minute: number
  /** When the last message will be sent at this pace, in Unix seconds, with the delays of the steps, without `send_window` and daily limits; null if nothing is sent. */
  estimated_end_at: number | null
}

export type CampaignStepSetup = {
  /** E-mail template of the type `campaign` that the step sends. */
  template_id: string
  /** Seconds after the step before, 90 days at most. 0 by default, and for the first step: see `scheduled_at`. */
  delay_s?: number | undefined
  /** Values that the template's Liquid expressions read. They replace those of the campaign; those of an enrollment replace them. */
  variables?: Record<string, unknown> | undefined
  /** Whether the message is a reply to the first one, so that mail programs show both as one conversation. `false` by default. */
  in_thread?: boolean | undefined
}

export type CampaignThreadMessage = {
  /** Identifier of the message, or of the e-mail that came back. */
  id: string
  /** `sent`: a message of the campaign, or a reply of an operator. `received`: an e-mail that came back. */
  direction: "sent" | "received"
  /** Of a sent one `step` or `reply`; of a received one what it was recognized as. */
  kind: "step" | "reply" | "test" | "auto_reply" | "bounce" | "complaint"
  /** Position of the step, from 0; null for other messages. */
  step: number | null
  /** Of a sent one, as in the list of messages; null for a received one. */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown" | null
  /** Address that it was sent to, or that it came from. */
  address: string | null
  /** Subject; null if it could not be rendered. */
  subject: string | null
  /** Plain text; null without. The link to unsubscribe is a placeholder: it is put in while the message is sent. */
  text: string | null
  /** HTML; null without. The link to unsubscribe is a placeholder: it is put in while the message is sent. */
  html: string | null
  /** Attached files. */
  attachments: Array<{
    /** Identifier of the file; null for a received one, which is not kept. */
    media_id: string | null
    /** Name of the file. */
    name: string | null
    /** Media type of the file. */
    mime_type: string
    /** Bytes of the file. */
    size: number
  }>
  /** When it was sent, or made if it was not sent yet, or received, in Unix seconds. */
  at: number
}

/** A campaign with its statistics. */
export type CampaignWithStats = {
  /** Identifier of the campaign, a UUIDv7 made by the server. */
  id: string
  /** Name of the campaign for people. */
  name: string
  /** `draft` until it is launched; `scheduled` until `scheduled_at`; `running` while messages are sent; `paused` by an operator or for `paused_reason`; `completed` when no enrollment is active; `cancelled` for good. */
  status: "draft" | "scheduled" | "running" | "paused" | "completed" | "cancelled"
  /** Mailboxes that send the campaign. */
  mailbox_ids: string[]
  /** E-mails of the sequence, in order. */
  steps: Array<{
    /** E-mail template of the step. Once the campaign is launched, later edits of the template change nothing. */
    template_id: string
    /** Seconds after the step before. */
    delay_s: number
    /** Values that the template reads. */
    variables: Record<string, unknown>
    /** Whether the message is a reply to the first one. */
    in_thread: boolean
  }>
  /** Values that the templates of all steps read. */
  variables: Record<string, unknown>
  /** Address for replies; if null, that of the mailbox. */
  reply_to: string | null
  /** Whether a reply ends the sequence for its sender. */
  stop_on_reply: boolean
  /** When messages are sent; null for any time. */
  send_window: {
    /** Days of the week: 0 is Sunday. */
    days: number[]
    /** Start, HH:MM in the store's time zone. */
    from: string
    /** End, HH:MM in the store's time zone. */
    to: string
  } | null
  /** When it starts, in Unix seconds; null: at its launch. */
  scheduled_at: number | null
  /** When it was launched, in Unix seconds; null for a draft. */
  launched_at: number | null
  /** When it was completed or cancelled, in Unix seconds; null before. */
  ended_at: number | null
  /** Why it is paused; null if it is not. */
  paused_reason: {
    /** Stable code of the reason. */
    code: string
    /** The reason, for people. */
    message: string
  } | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Progress and outcomes. */
  stats: CampaignStats
}

export type CancelMemberSubscriptionBody = {
  /** Token of the link. It may be sent in the query instead. */
  token?: string | undefined
}

export type Cart = {
  /** Identifier of the cart, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the contact whose cart it is. */
  contact_id: string
  /** `open` carts can be changed and checked out; `ordered` ones were checked out. */
  status: "open" | "ordered"
  /** Key of the market whose prices, currency and taxes apply. */
  market: string
  /** Products in the cart. */
  product_items: ProductItem[]
  /** Bookings in the cart. */
  booking_items: BookingItem[]
  /** Where the goods are shipped; null until it is set. */
  shipping_address: Address | null
  /** Address of the invoice; null until it is set. */
  billing_address: Address | null
  /** Form values that are copied to the order. */
  forms: FormEntry[]
  /** Key of the market's payment method to pay with; null until one is chosen. */
  payment_method_key: string | null
  /** Id of the chosen shipping method of the zone; null until one is chosen. */
  shipping_method_id: string | null
  /** Identifier of the location where the goods are picked up instead of shipped; null for none. */
  pickup_location_id: string | null
  /** Promo code as it was entered; null for none. It is checked when the cart is quoted. */
  promo_code: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

/** A sign-in code was requested. The answer is the same for known and unknown addresses. */
export type Challenge = {
  /** Identifier of the challenge, to be sent back with the code. It is returned for unknown addresses as well. */
  challenge_id: string
}

export type ChangePaymentMethodBody = {
  /** Token of the link. It may be sent in the query instead. */
  token?: string | undefined
  /** Address that the provider's page returns to: https, or http for localhost. */
  return_url: string
}

export type Checkout = {
  /** Identifier of the order. */
  order_id: string
  /** Number of the order, counted per store. */
  number: number
  /** The one payment of the order. */
  payment: Payment
  /** What the browser has to do next to pay. */
  payment_action: PaymentAction
}

export type CheckoutBusinessBookingBody = {
  /** What to book: 1 to 100 items, 500 slots at most. */
  items: Array<{
    /** Identifier of the service. */
    serviceId: string
    /** Identifier of the provider. */
    providerId: string
    /** Slots to book, 1 to 100; instead of `from` and `to`. */
    slots?: BusinessSentSlot[] | undefined
    /** Start of the one slot, in Unix seconds; instead of `slots`. */
    from?: number | undefined
    /** End of the one slot, in Unix seconds. */
    to?: number | undefined
    /** Ignored, so that a slot of the availability can be sent as it is. */
    spots?: number | undefined
  }>
  /** Key of one of the market's payment methods; required unless the total is 0. */
  paymentMethodId?: Key | undefined
  /** Promo code, 64 characters at most. */
  promoCode?: string | undefined
  /** Identifier of a promo code, as a quote returns it; null for none. */
  promoCodeId?: string | null | undefined
  /** Where the customer is. Its address decides the tax zone. */
  location?: {
    /** Country, ISO 3166-1 alpha-2, accepted in any case. */
    country?: string | null | undefined
    /** State, province or region, as a code or a name, 100 characters at most. */
    state?: string | null | undefined
    /** City, 200 characters at most. */
    city?: string | null | undefined
    /** Postal code, 32 characters at most. */
    postalCode?: PostalCode | null | undefined
    /** Latitude in degrees (WGS 84). */
    lat?: number | undefined
    /** Longitude in degrees (WGS 84). */
    lng?: number | undefined
  } | undefined
  /** Form values of the customer, 100 forms at most. */
  forms?: Array<{
    /** Identifier or key of the form. */
    formId: string
    /** From the key of a field to its value; 200 at most. */
    values: Record<string, unknown>
  }> | undefined
  /** Content blocks of the booking, 500 at most. */
  blocks?: BusinessBlockInput[] | undefined
  /** Address that the customer claims; it is not verified. */
  email?: EmailAddress | undefined
  /** Total that the buyer has seen, in minor units of the currency: with another one nothing is written, and 409 `total_changed` has the present quote. Left out, the present total counts. */
  expectedTotal?: number | undefined
  /** Address that the provider's payment form returns to: https, or http for localhost. Left out, the form does not redirect on completion. */
  returnUrl?: string | undefined
}

export type CheckoutBusinessBookingResult = {
  /** The record. */
  booking: BusinessBooking
  /** Its payment. */
  payment: BusinessPayment
  /** What the browser has to do next to pay. */
  paymentAction: BusinessPaymentAction
}

export type CheckoutBusinessReservationBody = {
  /** What to book: 1 to 100 items, 500 slots at most. */
  items: Array<{
    /** Identifier of the service. */
    serviceId: string
    /** Identifier of the provider. */
    providerId: string
    /** Slots to book, 1 to 100; instead of `from` and `to`. */
    slots?: BusinessSentSlot[] | undefined
    /** Start of the one slot, in Unix seconds; instead of `slots`. */
    from?: number | undefined
    /** End of the one slot, in Unix seconds. */
    to?: number | undefined
    /** Ignored, so that a slot of the availability can be sent as it is. */
    spots?: number | undefined
  }>
  /** Key of one of the market's payment methods; required unless the total is 0. */
  paymentMethodId?: Key | undefined
  /** Promo code, 64 characters at most. */
  promoCode?: string | undefined
  /** Identifier of a promo code, as a quote returns it; null for none. */
  promoCodeId?: string | null | undefined
  /** Where the customer is. Its address decides the tax zone. */
  location?: {
    /** Country, ISO 3166-1 alpha-2, accepted in any case. */
    country?: string | null | undefined
    /** State, province or region, as a code or a name, 100 characters at most. */
    state?: string | null | undefined
    /** City, 200 characters at most. */
    city?: string | null | undefined
    /** Postal code, 32 characters at most. */
    postalCode?: PostalCode | null | undefined
    /** Latitude in degrees (WGS 84). */
    lat?: number | undefined
    /** Longitude in degrees (WGS 84). */
    lng?: number | undefined
  } | undefined
  /** Form values of the customer, 100 forms at most. */
  forms?: Array<{
    /** Identifier or key of the form. */
    formId: string
    /** From the key of a field to its value; 200 at most. */
    values: Record<string, unknown>
  }> | undefined
  /** Content blocks of the booking, 500 at most. */
  blocks?: BusinessBlockInput[] | undefined
  /** Address that the customer claims; it is not verified. */
  email?: EmailAddress | undefined
  /** Total that the buyer has seen, in minor units of the currency: with another one nothing is written, and 409 `total_changed` has the present quote. Left out, the present total counts. */
  expectedTotal?: number | undefined
  /** Address that the provider's payment form returns to: https, or http for localhost. Left out, the form does not redirect on completion. */
  returnUrl?: string | undefined
}

export type CheckoutBusinessReservationResult = {
  /** The record. */
  booking: BusinessReservation
  /** Its payment. */
  payment: BusinessPayment
  /** What the browser has to do next to pay. */
  paymentAction: BusinessPaymentAction
}

export type CheckoutCartBody = {
  /** Key of one of the market's payment methods. Left out, the cart's is used; one is required unless the total is 0. */
  payment_method_key?: Key | undefined
  /** Address that the provider's payment form returns to, required for cards: https, or http for localhost. */
  return_url?: string | undefined
  /** Total that the buyer has seen, in minor units of the currency: with another one nothing is written, and 409 `total_changed` has the present quote. Left out, the present total counts. */
  expected_total?: number | undefined
}

export type ChooseBusinessPlanBody = {
  /** Identifier of the plan. */
  planId: string
  /** Address that the payment form returns to: https, or http for localhost. */
  returnUrl: string
  /** Total that the buyer has seen, in minor units of the currency: with another one nothing is written, and 409 `total_changed` has the present quote. Left out, the present total counts. */
  expectedTotal?: number | undefined
}

export type ChoosePlanBody = {
  /** Identifier of the plan. */
  plan_id: string
  /** Address that the payment form returns to: https, or http for localhost. */
  return_url: string
  /** Total that the buyer has seen, in minor units of the currency: with another one nothing is written, and 409 `total_changed` has the present quote. Left out, the present total counts. */
  expected_total?: number | undefined
}

export type ClassifySocialCommentsBody = {
  /** Identifier of the publication. */
  publication_id: string
  /** Asks about all of the newest comments again, also those that have a label or whose outcome is unknown. */
  force?: boolean | undefined
  /** How many comments are looked at. */
  limit?: number | undefined
}

/** A named set of entries that share a schema. */
export type Collection = {
  /** Identifier of the collection, a UUIDv7 made by the server. */
  id: string
  /** Name of the collection, unique in the store. */
  key: string
  /** Schema of the blocks of the collection's entries; if it is empty, entries may have any blocks. */
  schema: BlockSchema[]
  /** Content blocks of the collection itself. The schema does not apply to them. */
  blocks: Block[]
  /** Only after a change of the schema: number of entries that do not satisfy it; null if counting them takes longer than the answer waits. */
  invalid_entries?: number | null | undefined
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

/** A collection was created. */
export type CollectionCreatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "collection.created"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: Collection
}

/** A collection was deleted. `data` is the collection as it was before. */
export type CollectionDeletedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "collection.deleted"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: Collection
}

export type CollectionList = {
  /** The records of this page. */
  items: Collection[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A collection was changed. */
export type CollectionUpdatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "collection.updated"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: Collection
}

export type Condition = ConditionProducts | ConditionServices | ConditionMinOrderAmount | ConditionDateRange | ConditionMaxUses | ConditionMaxUsesPerUser

export type ConditionDateRange = {
  /** Kind of condition. It decides the other fields. */
  type: "date_range"
  /** Time from which the code can be redeemed, in Unix seconds; null or left out for no limit. */
  start?: number | null | undefined
  /** Time until which the code can be redeemed, in Unix seconds; null or left out for no limit. */
  end?: number | null | undefined
}

export type ConditionMaxUses = {
  /** Kind of condition. It decides the other fields. */
  type: "max_uses"
  /** Largest number of redemptions in all. */
  count: number
}

export type ConditionMaxUsesPerUser = {
  /** Kind of condition. It decides the other fields. */
  type: "max_uses_per_user"
  /** Largest number of redemptions by one customer: by one contact, and under one e-mail address in whichever browser. */
  count: number
}

export type ConditionMinOrderAmount = {
  /** Kind of condition. It decides the other fields. */
  type: "min_order_amount"
  /** Smallest subtotal before discount, in minor units of the market's currency. */
  amount: number
}

export type ConditionProducts = {
  /** Kind of condition. It decides the other fields. */
  type: "products"
  /** Products of which one must be in the cart; discounts on items apply to these only. */
  product_ids: string[]
}

export type ConditionServices = {
  /** Kind of condition. It decides the other fields. */
  type: "services"
  /** Services of which one must be in the cart; discounts on items apply to these only. */
  service_ids: string[]
}

export type ConfirmMembershipBody = {
  /** Token of the link. It may be sent in the query instead. */
  token?: string | undefined
}

/** A problem with status 409. */
export type ConflictProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 409
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "reaction_removed" | "mark_not_editable" | "already_reviewed" | "agent_disabled" | "already_connected" | "already_exists" | "already_sent" | "already_shipped" | "available_changed" | "audience_archived" | "audience_not_active" | "audience_not_draft" | "audience_not_paid" | "audience_not_researchable" | "audience_not_ready" | "audience_type_fixed" | "booking_cancelled" | "booking_completed" | "booking_not_confirmed" | "booking_not_started" | "capture_rejected" | "capture_unknown" | "connection_not_active" | "decision_made" | "bookings_ahead" | "both_subscribed" | "campaign_launched" | "campaign_not_draft" | "campaign_not_paused" | "enrollment_not_active" | "campaign_not_running" | "cancelled_by_store" | "cart_ordered" | "channel_in_use" | "chat_archived" | "chat_is_direct" | "chat_of_visitor" | "checkout_cancelled" | "change_in_flight" | "channel_suppressed" | "channel_taken" | "channels_too_many" | "checkout_unknown" | "code_taken" | "comment_gone" | "comment_taken" | "contradicts_evidence" | "connection_needs_reconnect" | "connect_unknown" | "delivery_suppressed" | "email_taken" | "erasure_over" | "erasure_goes_on" | "enrollment_not_direct" | "execution_over" | "executions_running" | "form_archived" | "idempotency_conflict" | "invitation_over" | "invitation_void" | "integration_in_use" | "key_taken" | "kinds_too_many" | "last_market" | "last_super" | "link_exists" | "location_in_use" | "market_in_use" | "mailbox_in_use" | "member_ended" | "model_not_configured" | "message_not_unknown" | "no_billing_customer" | "no_market" | "not_cash" | "not_cancelled_by_store" | "not_pending" | "network_not_configured" | "not_subscribed" | "not_yet" | "nothing_to_refund" | "oauth_unknown" | "order_cancelled" | "order_not_confirmed" | "order_shipped" | "out_of_stock" | "payment_captured" | "payment_form_over" | "payment_in_progress" | "payment_must_be_refunded" | "payment_not_authorized" | "nothing_to_rate" | "message_not_failed" | "payment_not_captured" | "publication_locked" | "publication_not_scheduled" | "publication_not_unknown" | "publication_not_published" | "provider_fixed" | "referenced" | "reply_not_unknown" | "refund_in_progress" | "refund_not_unknown" | "refund_unknown" | "run_not_unknown" | "request_not_unknown" | "resolved_too_often" | "run_cancelled" | "run_not_open" | "runs_too_many" | "slot_taken" | "slug_taken" | "stale_version" | "subscription_active" | "subscription_cancelled" | "taxonomy_cycle" | "tiers_too_many" | "total_changed" | "webhooks_too_many"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

export type ConnectBusinessOauthBody = {
  /** Name of the provider: the key of the integration that holds its tokens. */
  provider: string
  /** The authorization code that the provider sent to `redirectUri`. */
  code: string
  /** Address that the code was sent to, http or https. */
  redirectUri: string
  /** The verifier (RFC 7636), if the code was requested with a challenge. */
  codeVerifier?: string | undefined
}

export type ConnectSocialAccountBody = {
  /** Network and kind of account. */
  type: "network_a_page" | "network_b_business" | "network_c_channel" | "network_d_account" | "network_e_account"
  /** Where the browser goes on to: an https address, or http for localhost. `social_connection_id` is added to its query for each connected account, or `error`. */
  return_url?: string | undefined
}

export type ConnectStoreOauthBody = {
  /** Name of the provider: the key of the integration that holds its tokens. */
  provider: string
  /** The authorization code that the provider sent to `redirect_uri`. */
  code: string
  /** Address that the code was sent to, http or https. */
  redirect_uri: string
  /** The verifier (RFC 7636), if the code was requested with a challenge. */
  code_verifier?: string | undefined
}

export type ConnectStripeBody = {
  /** Address that the provider returns to after onboarding: https, or http for localhost. */
  return_url: string
  /** Address that the provider opens when its onboarding link has expired: https, or http for localhost. */
  refresh_url: string
  /** Country of the new account, ISO 3166-1 alpha-2. */
  country?: string | undefined
  /** Address of the new account. */
  email?: EmailAddress | undefined
  /** Id of an account that exists at the provider, to connect instead of a new one. */
  connected_account_id?: string | undefined
}

export type Contact = {
  /** Identifier of the contact, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the store. */
  store_id: string
  /** Status of the contact. */
  status: "active" | "archived"
  /** Taxonomies that the contact is filed under. */
  taxonomies: TaxonomyEntry[]
  /** The e-mail address that is used: an owned one, or else the one that the visitor claimed; null if there is none. */
  email: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Whether a person signed in with a code that was sent to `email`. */
  verified: boolean
}

export type ContactChannel = {
  /** Identifier of the channel. */
  id: string
  /** Identifier of the contact. */
  contact_id: string
  /** Kind of address. */
  type: "email" | "phone" | "social" | "custom"
  /** The address: an e-mail address in lower case, a telephone number in its international form (E.164), or a name at the provider. */
  address: string
  /** Service of a social channel, such as `instagram`; null for other channels. */
  provider: string | null
  /** The contact's identifier at the provider; null if it is unknown. */
  provider_subject: string | null
  /** Whether an operator entered the address or a code verified it. An address that a visitor only claimed is not owned. */
  owned: boolean
  /** When a code or a confirmation link that was sent to the address was used, in Unix seconds; null if none was. */
  verified_at: number | null
  /** Whether this channel is used before others of its type. */
  is_primary: boolean
  /** `bounced` and `complained` channels get no messages. */
  status: "active" | "bounced" | "complained"
  /** Consent of the contact. */
  consent: {
    /** Whether the contact agreed to get messages at this address. */
    status: "unknown" | "granted" | "withdrawn"
    /** Where the contact said so, such as `operator`; null if nothing is known. */
    source: string | null
    /** When it was recorded, in Unix seconds; null if nothing is known. */
    at: number | null
  }
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type ContactChannelList = {
  /** The records of this page. */
  items: ContactChannel[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type ContactList = {
  /** The records of this page. */
  items: Contact[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type ContactMergePreview = {
  /** How many records the contact of the path would get. */
  moves: {
    /** Orders, bookings and reservations of the source. */
    orders: number
    /** Carts of the source. */
    carts: number
    /** Chats of the source. */
    chats: number
    /** Form submissions of the source. */
    form_submissions: number
    /** Memberships of the source. */
    memberships: number
    /** Enrollments in campaigns of the source. */
    enrollments: number
    /** Reactions of the source. */
    reactions: number
    /** Channels of the source. */
    channels: number
  }
  /** Active sessions of both contacts, 100 at most: those that go on first. */
  sessions: Array<{
    /** Identifier of the session. */
    id: string
    /** Identifier of the contact that has it now. */
    contact_id: string
    /** Address that the visitor signed in with; null if they did not, or did so before version 0.3.0. */
    verified_address: string | null
    /** When the visitor signed in with a code, in Unix seconds; null if they did not. */
    verified_at: number | null
    /** Time of creation, in Unix seconds. Set by the server. */
    created_at: number
    /** Whether the merge would revoke it, because it proves no address of the merged contact. */
    ends: boolean
  }>
  /** Sessions that the merge would revoke. */
  sessions_end: number
  /** Links to the pages of memberships that the merge would replace. */
  links_end: number
  /** Audiences in which both have a live or pending subscription: the merge is refused with `both_subscribed`. */
  conflicts: Array<{
    /** Identifier of the audience. */
    audience_id: string
    /** Key of the audience. */
    audience_key: string
    /** Membership of the source. */
    source_member_id: string
    /** Membership of the contact of the path. */
    target_member_id: string
  }>
}

export type ContactSession = {
  /** Identifier of the session. */
  id: string
  /** Whether the visitor token of the session is accepted: not after it was revoked or has expired. */
  status: "active" | "revoked"
  /** When the visitor signed in with a code, in Unix seconds; null if they did not. */
  verified_at: number | null
  /** Address that they signed in with; null if they did not, or did so before version 0.3.0. */
  verified_address: string | null
  /** Day of the last use, as a time in Unix seconds; null if it was not used since version 0.2.0. */
  used_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** When the session was revoked, or the visitor signed out, in Unix seconds; null if it is active. */
  revoked_at: number | null
}

export type ContactSessionList = {
  /** The records of this page. */
  items: ContactSession[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A problem with status 413. */
export type ContentTooLargeProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 413
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "too_large"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

export type ContinueErasureBody = {
  /** How the outcome was established. It is recorded with the operator and the time. */
  note: string
}

export type CreateApiTokenBody = {
  /** Name that tells the tokens of an account apart. */
  name: string
  /** Time from which the token is refused, in Unix seconds and in the future; null or left out: it does not expire. */
  expires_at?: number | null | undefined
}

export type CreateAudienceBody = {
  /** Key of the audience, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** Name of the audience for people; its key by default. */
  name?: string | undefined
  /** How contacts join. */
  type: AudienceType
}

export type CreateAudienceMemberBody = {
  /** Identifier of the contact. */
  contact_id: string
  /** Note about the member, 10,000 characters at most; null for none. */
  lead_description?: string | null | undefined
  /** Values that you keep about the member, 50 at most and 16 KiB in all. */
  fields?: Record<string, unknown> | undefined
}

export type CreateAudienceTierBody = {
  /** Key of the tier, unique in the audience, of 1 to 255 printable characters. */
  key: Key
  /** Name of the tier for people; its key by default. */
  name?: string | undefined
  /** Description of the tier, 5,000 characters at most; null for none. */
  description?: string | null | undefined
  /** What members of the tier get, one text per benefit, 50 at most. */
  benefits?: string[] | undefined
  /** `active` tiers can be subscribed to. `active` by default. */
  status?: "active" | "archived" | undefined
  /** The store's payment provider, which charges the prices; null for none. */
  provider?: TierProvider | null | undefined
  /** Prices of the tier, in their order. */
  prices?: Array<{
    /** Amount in minor units of the currency: 0, or at least the provider's minimum for cards. */
    amount: number
    /** Currency, ISO 4217. */
    currency: string
    /** How often it is charged; null or left out: once, for access without an end. */
    interval?: PriceIntervalInput | null | undefined
    /** `active` by default. */
    status?: "active" | "archived" | undefined
  }> | undefined
}

export type CreateBuildHookBody = {
  /** Name of the build hook, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** Label of the hosting service that the store uses: `host_a`, `host_b` and `host_c` stand for three services of its choice, `custom` for any other. Every type is called in the same way. */
  type: "host_a" | "host_b" | "host_c" | "custom"
  /** Address that a deploy node posts to, http or https. Write-only: returned as `__redacted__`. */
  url: string
  /** Headers to send with every call. Write-only: each value is returned as `__redacted__`. The map replaces the stored one. */
  headers?: Record<string, string> | undefined
  /** Whether deploy nodes may call the hook; true by default. */
  active?: boolean | undefined
}

export type CreateBusinessAgentBody = {
  /** Name of the agent, unique in the business, of 1 to 255 printable characters. */
  key: Key
  /** Instructions for the model, 32,000 characters at most. The date is added. They must hold no secret, as a model may repeat them. */
  prompt: string
  /** Id or key of an AI integration, or the name of a model that exactly one has. */
  modelId: string
  /** Name that visitors see; null for none. */
  name?: string | null | undefined
  /** `active` agents answer; messages to `disabled` ones are refused. */
  status?: "active" | "disabled" | undefined
  /** Integrations of channels that the agent serves, 20 at most. A channel serves one agent. */
  channelIds?: string[] | undefined
  /** Tools that the model may use; null for all of them. */
  tools?: Array<"search_products" | "search_services" | "availability" | "cart_link" | "own_orders" | "hand_over"> | null | undefined
  /** Earlier messages of a chat that the model reads, 20 by default. */
  historyMax?: number | undefined
  /** Tokens of one answer of the model, 1,024 by default. */
  outputTokensMax?: number | undefined
  /** Tokens of a day (UTC); null for no limit but the business's. */
  dailyTokensMax?: number | null | undefined
  /** What is answered if the model gives no answer; null for an error. */
  fallback?: string | null | undefined
  /** Address of a member of the team that is mailed when the agent hands a chat over to people; null for none. */
  handoverEmail?: EmailAddress | null | undefined
}

export type CreateBusinessAgentChatReplyBody = {
  /** Text of the message, 1 to 8,000 characters. */
  message: string
  /** UUID made by the caller: the same id and message return the same answer, and the model is not asked again. */
  messageId?: string | undefined
}

export type CreateBusinessBody = {
  /** Name of the business, unique in the installation: 3 to 63 lower-case letters, digits and hyphens. */
  key: string
  /** Time zone of the business, as an IANA name. It cannot be changed while there are bookings in the future. */
  timezone: string
  /** Languages of the business's content, the main one first. */
  languages?: Array<{
    /** Code of the language, such as `en` or `pt-BR`. */
    id: LocaleTag
  }> | undefined
  /** Addresses of the business. */
  emails?: {
    /** Address for invoices; null for none. */
    billing?: EmailAddress | null | undefined
    /** Address for customers; null for none. */
    support?: EmailAddress | null | undefined
  } | undefined
  /** Settings of the business; unknown fields are stored as they are. Replaces the stored ones. */
  settings?: {
    /** Whether a card order is confirmed as soon as it is paid; true by default. */
    auto_confirm_paid?: boolean | undefined
    /** Hours in which a booking has to be approved that requires it; 72 by default. */
    approval_hours?: number | undefined
    /** Minutes before a booking at which its reminder is due; 0 for none. A new value applies to a booking when it is confirmed or changed, or when its reminder would have been due. */
    booking_reminder_minutes?: number | undefined
    /** Hours for which a paid membership that is not ending grants access after its paid time, 72 by default: the payment provider takes up to 72 hours to charge a renewal. */
    membership_grace_hours?: number | undefined
    /** Page of the storefront where members manage their memberships; the token is added as the query parameter `token`. Without it, a page of this server. */
    membership_manage_url?: string | undefined
    /** Page of the storefront that shows a cart. Agents link to the carts that they fill; the id is added to its query, as `cart_id=…` on both surfaces. */
    cart_url?: string | undefined
    /** Tokens that models may use for the business in a day (UTC), together; the limit of the installation (`MODEL_TOKENS_PER_DAY`) by default. */
    tokens?: number | undefined
    /** Name of the business in e-mails and networks; its key by default. */
    name?: string | undefined
    /** Address of an image that networks show for the business. */
    logo?: string | undefined
    /** Address that networks show for the business. */
    address?: Address | undefined
    /** What customers may say of its records, and what waits for a moderator. */
    reactions?: {
      /** Which content waits for a moderator: `none`, `all`, or `auto` (the default), content of visitors without a verified address that holds a link or one of `words`. */
      moderation?: "none" | "all" | "auto" | undefined
      /** What visitors without a verified address may send: `all` (the default), `marks` and stars only, or `none`. */
      anonymous?: "all" | "marks" | "none" | undefined
      /** Who may send reviews and stars: `anyone` (the default), visitors with a `verified` address, or `buyers` of the target. */
      reviewers?: "anyone" | "verified" | "buyers" | undefined
      /** Minutes in which an author may change the content of a reaction; 15 by default, 0: never. */
      window?: number | undefined
      /** Whole words or phrases, in any case: content of visitors without a verified address that has one of them waits for a moderator, where `moderation` is `auto`. */
      words?: string[] | undefined
    } | undefined
    /** Where networks find the business, its providers, and services without a place of their own. */
    location?: GeoLocation | undefined
  } & Record<string, unknown> | undefined
  /** Address for invoices; the same as `emails.billing`. */
  billingEmail: EmailAddress
}

export type CreateBusinessBookingBody = {
  /** What to book: 1 to 100 items, 500 slots at most. */
  items: Array<{
    /** Identifier of the service. */
    serviceId: string
    /** Identifier of the provider. */
    providerId: string
    /** Slots to book, 1 to 100; instead of `from` and `to`. */
    slots?: BusinessSentSlot[] | undefined
    /** Start of the one slot, in Unix seconds; instead of `slots`. */
    from?: number | undefined
    /** End of the one slot, in Unix seconds. */
    to?: number | undefined
    /** Ignored, so that a slot of the availability can be sent as it is. */
    spots?: number | undefined
  }>
  /** Key of one of the market's payment methods; required unless the total is 0. */
  paymentMethodId?: Key | undefined
  /** Promo code, 64 characters at most. */
  promoCode?: string | undefined
  /** Identifier of a promo code, as a quote returns it; null for none. */
  promoCodeId?: string | null | undefined
  /** Where the customer is. Its address decides the tax zone. */
  location?: {
    /** Country, ISO 3166-1 alpha-2, accepted in any case. */
    country?: string | null | undefined
    /** State, province or region, as a code or a name, 100 characters at most. */
    state?: string | null | undefined
    /** City, 200 characters at most. */
    city?: string | null | undefined
    /** Postal code, 32 characters at most. */
    postalCode?: PostalCode | null | undefined
    /** Latitude in degrees (WGS 84). */
    lat?: number | undefined
    /** Longitude in degrees (WGS 84). */
    lng?: number | undefined
  } | undefined
  /** Form values of the customer, 100 forms at most. */
  forms?: Array<{
    /** Identifier or key of the form. */
    formId: string
    /** From the key of a field to its value; 200 at most. */
    values: Record<string, unknown>
  }> | undefined
  /** Content blocks of the booking, 500 at most. */
  blocks?: BusinessBlockInput[] | undefined
  /** Address that the customer claims; it is not verified. */
  email?: EmailAddress | undefined
  /** Total that the buyer has seen, in minor units of the currency: with another one nothing is written, and 409 `total_changed` has the present quote. Left out, the present total counts. */
  expectedTotal?: number | undefined
  /** Identifier of the contact to book for. Operators only. */
  contactId?: string | undefined
  /** `CONFIRMED` by default. Operators only. */
  status?: "PENDING" | "CONFIRMED" | undefined
}

export type CreateBusinessCollectionBody = {
  /** Name of the collection, unique in the business, of 1 to 255 printable characters. */
  key: Key
  /** Schema of the blocks of the collection's entries; if it is empty, entries may have any blocks. Items without an id get one. */
  schema?: BusinessBlockSchema[] | undefined
  /** Content blocks of the collection itself, 500 at most. The schema does not apply to them. */
  blocks?: BusinessBlockInput[] | undefined
}

export type CreateBusinessEntryBody = {
  /** Identifier of the collection that the entry belongs to. It cannot be changed later. */
  collectionId: string
  /** Name of the record, unique in the business, of 1 to 255 printable characters. */
  key: Key
  /** From locale code to the slug in that language, unique in the business per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: BusinessLocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BusinessBlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: BusinessTaxonomyEntry[] | undefined
  /** `ACTIVE` records are public; `DRAFT` and `ARCHIVED` ones are visible to operators only. */
  status?: "ACTIVE" | "DRAFT" | "ARCHIVED" | undefined
}

export type CreateBusinessFormBody = {
  /** Name of the form, unique in the business, of 1 to 255 printable characters. */
  key: Key
  /** Fields of the form, in their order. A field without an id keeps the id of the stored field with its key and type. */
  schema?: BusinessFormSchemaInput[] | undefined
  /** `active` forms accept submissions; `archived` ones do not. `active` by default. */
  status?: "active" | "archived" | undefined
}

export type CreateBusinessIntegrationBody = {
  /** Name of the integration, unique in the business, of 1 to 255 printable characters. */
  key: Key
  /** The provider: its `type`, and the fields of that type. */
  provider: BusinessIntegrationProviderInput
}

export type CreateBusinessLocationBody = {
  /** Name of the location, unique in the business, of 1 to 255 printable characters. */
  key: Key
  /** Address that goods are shipped from; null until it is known. Shipping and pickup need its country. */
  address: BusinessAddress | null
  /** Whether customers can pick up goods there; false by default. */
  isPickupLocation?: boolean | undefined
}

export type CreateBusinessMarketBody = {
  /** Name of the market, unique in the business. It cannot be changed later. */
  key: Key
  /** Currency of the market, ISO 4217. It cannot be changed later. */
  currency: string
  /** `Exclusive`: tax is added to the prices; `Inclusive`: prices contain it. */
  taxMode?: "Exclusive" | "Inclusive" | undefined
  /** Regions with their tax rate and shipping methods, 500 at most. Replaces the stored ones. */
  zones?: BusinessZoneInput[] | undefined
  /** Payment methods that customers can choose from, 50 at most. Replaces the stored ones. */
  paymentMethods?: BusinessPaymentMethod[] | undefined
}

export type CreateBusinessMemberBody = {
  /** Address of the member. An account is created for an unknown address. */
  email: EmailAddress
  /** Role in the business, `Admin` by default. Only a `Super` grants `Super` and changes owners. */
  role?: "Admin" | "Owner" | "Super" | undefined
}

export type CreateBusinessProductBody = {
  /** Name of the record, unique in the business, of 1 to 255 printable characters. */
  key: Key
  /** From locale code to the slug in that language, unique in the business per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: BusinessLocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BusinessBlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: BusinessTaxonomyEntry[] | undefined
  /** `ACTIVE` records are public; `DRAFT` and `ARCHIVED` ones are visible to operators only. */
  status?: "ACTIVE" | "DRAFT" | "ARCHIVED" | undefined
  /** Variants of the product, 250 at most. Replaces the stored list; a variant that is sent with its id is updated. */
  variants?: BusinessProductVariantWrite[] | undefined
}

export type CreateBusinessPromoCodeBody = {
  /** The code that customers enter, unique in the business. Case is ignored. */
  code: string
  /** Discounts, applied in this order, each to what the previous one left. At most one of a kind per market, or per audience with its tiers and prices. */
  discounts: BusinessDiscountInput[]
  /** Conditions that must all be met, 50 at most; none by default. */
  conditions?: BusinessCondition[] | undefined
  /** `active` codes can be redeemed; `archived` ones cannot. `active` by default. */
  status?: "active" | "archived" | undefined
}

export type CreateBusinessProviderBody = {
  /** Name of the record, unique in the business, of 1 to 255 printable characters. */
  key: Key
  /** From locale code to the slug in that language, unique in the business per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: BusinessLocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BusinessBlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: BusinessTaxonomyEntry[] | undefined
  /** `ACTIVE` records are public; `DRAFT` and `ARCHIVED` ones are visible to operators only. */
  status?: "ACTIVE" | "DRAFT" | "ARCHIVED" | undefined
  /** `public` records are found and booked by visitors; `private` ones by operators only. `public` by default. */
  access?: "public" | "private" | undefined
  /** Identifiers of entries ("nodes") that the record belongs to, 500 at most. They may be deleted independently. */
  nodeIds?: string[] | undefined
  /** Identifiers of the networks that list the record; empty for all networks of the business. */
  networkIds?: string[] | undefined
  /** Identifiers of audiences that the provider belongs to, 500 at most. They may be deleted independently. */
  audienceIds?: string[] | undefined
  /** Number of bookings of the provider, of any service, that may take place at any moment of one that is booked with this limit, itself included; 1 by default. */
  concurrentLimit?: number | undefined
}

export type CreateBusinessReactionBody = {
  /** What is reacted to. */
  target: {
    /** What it is: `node` is an entry of content. */
    type: "product" | "service" | "provider" | "booking" | "node"
    /** Identifier of the record. */
    id: string
  }
  /** `like`, `love`, `laugh`, `wow`, `sad` and `insightful` have no content; `star_1` to `star_5` rate a target; `review` and `comment` need content. Any other kind has content if it is sent with blocks. */
  kind: string
  /** Content: at most 10 blocks of the types `text`, `markdown`, `number`, `boolean`, `date` and `select`, 10,000 characters in all. One at least has a value or properties. */
  blocks?: BusinessBlockInput[] | undefined
  /** Identifier of the reaction that this one replies to; null or left out for none. */
  parentId?: string | null | undefined
  /** Taxonomies that the content is filed under, 20 at most. */
  taxonomies?: BusinessTaxonomyEntry[] | undefined
}

export type CreateBusinessRefundBody = {
  /** UUID made by the caller. The same id and amount return the same refund, and nothing is sent again; another amount returns 409 `idempotency_conflict`. A refund that was refused with 422 keeps its id: use a new id for the next one. */
  refundId: string
  /** Amount to refund, in minor units of the payment's currency. */
  amount: number
}

export type CreateBusinessReservationBody = {
  /** What to book: 1 to 100 items, 500 slots at most. */
  items: Array<{
    /** Identifier of the service. */
    serviceId: string
    /** Identifier of the provider. */
    providerId: string
    /** Slots to book, 1 to 100; instead of `from` and `to`. */
    slots?: BusinessSentSlot[] | undefined
    /** Start of the one slot, in Unix seconds; instead of `slots`. */
    from?: number | undefined
    /** End of the one slot, in Unix seconds. */
    to?: number | undefined
    /** Ignored, so that a slot of the availability can be sent as it is. */
    spots?: number | undefined
  }>
  /** Key of one of the market's payment methods; required unless the total is 0. */
  paymentMethodId?: Key | undefined
  /** Promo code, 64 characters at most. */
  promoCode?: string | undefined
  /** Identifier of a promo code, as a quote returns it; null for none. */
  promoCodeId?: string | null | undefined
  /** Where the customer is. Its address decides the tax zone. */
  location?: {
    /** Country, ISO 3166-1 alpha-2, accepted in any case. */
    country?: string | null | undefined
    /** State, province or region, as a code or a name, 100 characters at most. */
    state?: string | null | undefined
    /** City, 200 characters at most. */
    city?: string | null | undefined
    /** Postal code, 32 characters at most. */
    postalCode?: PostalCode | null | undefined
    /** Latitude in degrees (WGS 84). */
    lat?: number | undefined
    /** Longitude in degrees (WGS 84). */
    lng?: number | undefined
  } | undefined
  /** Form values of the customer, 100 forms at most. */
  forms?: Array<{
    /** Identifier or key of the form. */
    formId: string
    /** From the key of a field to its value; 200 at most. */
    values: Record<string, unknown>
  }> | undefined
  /** Content blocks of the booking, 500 at most. */
  blocks?: BusinessBlockInput[] | undefined
  /** Address that the customer claims; it is not verified. */
  email?: EmailAddress | undefined
  /** Total that the buyer has seen, in minor units of the currency: with another one nothing is written, and 409 `total_changed` has the present quote. Left out, the present total counts. */
  expectedTotal?: number | undefined
  /** Identifier of the contact to book for. Operators only. */
  contactId?: string | undefined
  /** `CONFIRMED` by default. Operators only. */
  status?: "PENDING" | "CONFIRMED" | undefined
}

export type CreateBusinessServiceBody = {
  /** Name of the record, unique in the business, of 1 to 255 printable characters. */
  key: Key
  /** From locale code to the slug in that language, unique in the business per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: BusinessLocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BusinessBlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: BusinessTaxonomyEntry[] | undefined
  /** `ACTIVE` records are public; `DRAFT` and `ARCHIVED` ones are visible to operators only. */
  status?: "ACTIVE" | "DRAFT" | "ARCHIVED" | undefined
  /** `public` records are found and booked by visitors; `private` ones by operators only. `public` by default. */
  access?: "public" | "private" | undefined
  /** Identifiers of entries ("nodes") that the record belongs to, 500 at most. They may be deleted independently. */
  nodeIds?: string[] | undefined
  /** Identifiers of the networks that list the record; empty for all networks of the business. */
  networkIds?: string[] | undefined
  /** Prices of one slot, one per market, with providers that have no price of their own in the market. */
  prices?: BusinessPrice[] | undefined
  /** Steps of a slot, with providers that have none of their own, 50 at most. A slot lasts their sum, at most 1440 minutes. Replaces the stored ones. */
  durations?: BusinessSegmentInput[] | undefined
  /** Whether an operator has to approve bookings of the service; false by default. */
  isApprovalRequired?: boolean | undefined
  /** Where the service takes place; null for the place of the business. */
  location?: BusinessPlace | null | undefined
}

export type CreateBusinessServiceProviderBody = {
  /** Identifier of the service. It cannot be changed later. */
  serviceId: string
  /** Identifier of the provider. It cannot be changed later. */
  providerId: string
  /** Weekly hours in which the provider offers the service. */
  workingDays: BusinessWorkingDay[]
  /** Hours of single dates; each replaces the working day of its date. */
  specificDates: BusinessSpecificDate[]
  /** Steps of a slot, 50 at most, whose sum is its length; if empty, those of the service. */
  durations?: BusinessSegmentInput[] | undefined
  /** Prices of one slot, one per market; in other markets the service's. */
  prices?: BusinessPrice[] | undefined
  /** Minutes from the start of one slot to the next, 1 to 1440. */
  slotInterval: number
}

export type CreateBusinessShipmentBody = {
  /** Lines of the order to ship, each once. */
  items: BusinessShipmentItem[]
  /** Carrier that delivers the goods; null or left out if they were handed over. */
  carrier?: string | null | undefined
  /** The carrier's tracking number; null or left out for none. */
  trackingNumber?: string | null | undefined
  /** Version of the order from the latest read. With it, a repeated request returns 409 `stale_version` instead of shipping twice. */
  version?: number | undefined
}

export type CreateBusinessTaxonomyBody = {
  /** Name of the taxonomy, unique in the business, of 1 to 255 printable characters. */
  key: Key
  /** Identifier of the taxonomy above; null: at the top. A tree has at most 32 levels. */
  parentId?: string | null | undefined
  /** Schema of the `fields` that a record filed under this taxonomy may have. */
  schema?: BusinessTaxonomySchema[] | undefined
  /** `active` taxonomies are public; `archived` ones are visible to operators only. `active` by default. */
  status?: "active" | "archived" | undefined
}

export type CreateBusinessWebhookBody = {
  /** Name of the webhook, unique in the business, of 1 to 255 printable characters. */
  key: Key
  /** Address that events are posted to, http or https. Write-only: returned as `__redacted__`. */
  url: string
  /** Headers to send with every delivery; none by default. Write-only: each value is returned as `__redacted__`. */
  headers?: Record<string, string> | undefined
  /** Signs every delivery (Standard Webhooks 1.0): `whsec_` and the base64 of 24 to 64 bytes. Write-only: returned as `__redacted__`. */
  secret?: string | undefined
  /** Whether events are delivered; true by default. */
  enabled?: boolean | undefined
  /** Events to deliver, 1 to 100. */
  events: Array<{
    /** Name of an event. */
    event: "booking.created" | "booking.updated" | "node.created" | "node.updated" | "node.deleted" | "form_submission.created" | "order.created" | "order.updated" | "product.created" | "product.updated" | "product.deleted" | "audience.subscriber_added"
  }>
}

export type CreateCampaignBody = {
  /** Name of the campaign for people. */
  name: string
  /** Mailboxes that send the campaign, 1 to 20. All messages to a contact are sent by the same one. */
  mailbox_ids: string[]
  /** E-mails of the sequence, in order, 20 at most. A launch needs at least one. */
  steps?: CampaignStepSetup[] | undefined
  /** Values that the Liquid expressions of all steps read. */
  variables?: Record<string, unknown> | undefined
  /** Address for replies; if null, that of the mailbox. */
  reply_to?: EmailAddress | null | undefined
  /** Whether a reply ends the sequence for its sender. `true` by default. */
  stop_on_reply?: boolean | undefined
  /** When messages are sent; null for any time. */
  send_window?: SendWindow | null | undefined
  /** When a launched campaign starts, in Unix seconds; null: at its launch. */
  scheduled_at?: number | null | undefined
}

export type CreateCampaignDuplicateBody = {
  /** Name of the new campaign. */
  name: string
  /** Whether its contacts are enrolled in the new campaign. `false` by default. */
  copy_enrollments?: boolean | undefined
}

export type CreateCollectionBody = {
  /** Name of the collection, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** Schema of the blocks of the collection's entries; if it is empty, entries may have any blocks. Items without an id get one. */
  schema?: BlockSchema[] | undefined
  /** Content blocks of the collection itself, 500 at most. The schema does not apply to them. */
  blocks?: BlockInput[] | undefined
}

export type CreateContactBody = {
  /** E-mail address of the contact. */
  email: EmailAddress
  /** Taxonomies that the contact is filed under, with their entries or typed fields. Replaces the stored ones. */
  taxonomies?: TaxonomyEntry[] | undefined
}

export type CreateContactChannelBody = {
  /** Kind of address. */
  type: "email" | "phone" | "social" | "custom"
  /** An e-mail address, a telephone number, or a name at the provider; 254 characters at most. A telephone number without a country code is one of the country of the store: of the address in its settings, else of its locations, if they are in one country. */
  address: EmailAddress | PhoneNumber | string
  /** Service of a social channel, such as `instagram`; required for `social`, 422 for others. */
  provider?: string | null | undefined
  /** True: this channel is used before others of its type, and another one is primary no more. */
  is_primary?: boolean | undefined
  /** Only an owner makes a `bounced` or `complained` channel `active` again. */
  status?: "active" | "bounced" | "complained" | undefined
  /** Consent of the contact. Left out, it is kept. */
  consent?: {
    /** Only an owner changes `withdrawn` to another status. */
    status: "unknown" | "granted" | "withdrawn"
    /** Where the contact said so, 100 characters at most; `operator` by default. */
    source?: string | null | undefined
    /** Set by the server when the status changes; a value that is sent is ignored. */
    at?: number | null | undefined
  } | undefined
  /** The contact's identifier at the provider, unique in the store; null if it is unknown. */
  provider_subject?: string | null | undefined
}

export type CreateEmailTemplateBody = {
  /** Name of the template, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** What the template is for. */
  type?: "transactional" | "campaign" | "subscription_confirmation" | undefined
  /** `active` templates can be sent; `archived` ones cannot. `active` by default. */
  status?: "active" | "draft" | "archived" | undefined
  /** Language of `body`; `mjml` by default. */
  format?: "mjml" | "html" | undefined
  /** Subject line, with Liquid expressions, of 1 to 2,000 characters. */
  subject: string
  /** Source of the HTML part: MJML or HTML with Liquid expressions. */
  body: string
  /** Source of the plain-text part, with Liquid expressions; if null or left out, it is derived from the HTML part. */
  text?: string | null | undefined
}

export type CreateEntryBody = {
  /** Identifier of the collection that the entry belongs to. It cannot be changed later. */
  collection_id: string
  /** Name of the record, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** From locale code to the slug in that language, unique in the store per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: LocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: TaxonomyEntry[] | undefined
  /** `active` records are public; `draft` and `archived` ones are visible to operators only. */
  status?: "active" | "draft" | "archived" | undefined
}

export type CreateFormBody = {
  /** Name of the form, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** Fields of the form, in their order. A field without an id keeps the id of the stored field with its key and type. */
  schema?: FormSchemaInput[] | undefined
  /** `active` forms accept submissions; `archived` ones do not. `active` by default. */
  status?: "active" | "archived" | undefined
}

export type CreateIntegrationBody = {
  /** Name of the integration, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** The provider: its `type`, and the fields of that type. */
  provider: IntegrationProviderInput
}

export type CreateLeadResearchRunBody = {
  /** UUID made by the caller: the same id and body return the same run. */
  run_id?: string | undefined
  /** Identifier of the audience. */
  audience_id: string
  /** Identifiers of active members of the audience, 1 to 50. */
  member_ids: string[]
  /** What is to be found out, 1 to 4,000 characters. Addresses in it may be read. */
  goal: string
  /** Id or key of an AI integration, or the name of a model that exactly one has. */
  model_id: string
}

export type CreateLocationBody = {
  /** Name of the location, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** Address that goods are shipped from; null until it is known. Shipping and pickup need its country. */
  address: Address | null
  /** Whether customers can pick up goods there; false by default. */
  is_pickup_location?: boolean | undefined
}

export type CreateMailboxBody = {
  /** Name of the mailbox, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** Address that e-mails are sent from. */
  email: EmailAddress
  /** Display name of the sender; null for none. */
  name?: string | null | undefined
  /** Address for replies; if null, that of the sender. */
  reply_to?: EmailAddress | null | undefined
  /** E-mails are sent from `active` mailboxes only. `active` by default. */
  status?: "active" | "archived" | undefined
  /** SMTP account that e-mails are sent through. It is replaced as a whole. */
  smtp: {
    /** Host name or address of the SMTP server, without scheme and port. */
    host: string
    /** Port of the SMTP server: 25, 465, 587, or one above 1023. */
    port: 25 | 465 | 587 | number
    /** `tls` from the first byte; `starttls` is required; `none` is accepted only for hosts that the server's EGRESS_ALLOW names. */
    security: "tls" | "starttls" | "none"
    /** User name to sign in with; null or left out for no sign-in. */
    username?: string | null | undefined
    /** Password to sign in with. Write-only. Left out, the stored one is kept while host and username stay the same. */
    password?: string | null | undefined
  }
  /** What campaigns may send over the mailbox. They are replaced as a whole. */
  limits?: {
    /** Messages per second; null or left out for no limit. */
    per_second?: number | null | undefined
    /** Messages per day; null or left out for no limit. */
    per_day?: number | null | undefined
    /** Open connections to the SMTP server, 50 at most; 5 by default. */
    connections?: number | undefined
    /** Messages over one connection; 100 by default. */
    messages_per_connection?: number | undefined
  } | undefined
  /** IMAP account of the inbox that replies and bounces of campaigns arrive in. It is replaced as a whole; null for none. */
  imap?: {
    /** Host name or address of the IMAP server, without scheme and port. */
    host: string
    /** Port of the IMAP server: 143, 993, or one above 1023. */
    port: 143 | 993 | number
    /** `tls` from the first byte; `starttls` is required; `none` is accepted only for hosts that the server's EGRESS_ALLOW names. */
    security: "tls" | "starttls" | "none"
    /** User name to sign in with. */
    username: string
    /** Password to sign in with. Write-only. Left out, the stored one is kept while host and username stay the same. */
    password?: string | undefined
    /** Folder that replies and bounces arrive in; `INBOX` by default. */
    folder?: string | undefined
  } | null | undefined
}

export type CreateMarketBody = {
  /** Name of the market, unique in the store. It cannot be changed later. */
  key: Key
  /** Currency of the market, ISO 4217. It cannot be changed later. */
  currency: string
  /** `exclusive`: tax is added to the prices; `inclusive`: prices contain it. */
  tax_mode?: "exclusive" | "inclusive" | undefined
  /** Regions with their tax rate and shipping methods, 500 at most. Replaces the stored ones. */
  zones?: ZoneInput[] | undefined
  /** Payment methods that customers can choose from, 50 at most. Replaces the stored ones. */
  payment_methods?: PaymentMethod[] | undefined
}

export type CreateMemberBody = {
  /** Address of the member. An account is created for an unknown address. */
  email: EmailAddress
  /** Role in the store, `admin` by default. Only a `super` grants `super` and changes owners. */
  role?: "admin" | "owner" | "super" | undefined
}

export type CreateMemberRefundBody = {
  /** UUID made by the caller. The same id and amount return the same refund, and nothing is sent again; another amount returns 409 `idempotency_conflict`. A refund that was refused with 422 keeps its id: use a new id for the next one. */
  refund_id: string
  /** Amount to refund, in minor units of the payment's currency. Left out: all that is left. */
  amount?: number | undefined
}

export type CreatePlatformNetworkBody = {
  /** Name of the network in addresses, unique in the installation: 3 to 63 lower-case letters, digits and hyphens. */
  key: string
  /** Name of the network for people, 200 characters at most. */
  name: string
  /** Identifiers of the stores and businesses of the network, 1000 at most. Replaces the stored ones. */
  tenant_ids?: string[] | undefined
}

export type CreateProductBody = {
  /** Name of the record, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** From locale code to the slug in that language, unique in the store per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: LocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: TaxonomyEntry[] | undefined
  /** `active` records are public; `draft` and `archived` ones are visible to operators only. */
  status?: "active" | "draft" | "archived" | undefined
  /** Variants of the product, 250 at most. Replaces the stored list; a variant that is sent with its id is updated. */
  variants?: ProductVariantWrite[] | undefined
}

export type CreatePromoCodeBody = {
  /** The code that customers enter, unique in the store. Case is ignored. */
  code: string
  /** Discounts, applied in this order, each to what the previous one left. At most one of a kind per market, or per audience with its tiers and prices. */
  discounts: DiscountInput[]
  /** Conditions that must all be met, 50 at most; none by default. */
  conditions?: Condition[] | undefined
  /** `active` codes can be redeemed; `archived` ones cannot. `active` by default. */
  status?: "active" | "archived" | undefined
}

export type CreateProviderBody = {
  /** Name of the record, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** From locale code to the slug in that language, unique in the store per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: LocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: TaxonomyEntry[] | undefined
  /** `active` records are public; `draft` and `archived` ones are visible to operators only. */
  status?: "active" | "draft" | "archived" | undefined
}

export type CreateReactionBody = {
  /** What is reacted to. */
  target: {
    /** What it is: `node` is an entry of content. */
    type: "product" | "service" | "provider" | "booking" | "node"
    /** Identifier of the record. */
    id: string
  }
  /** `like`, `love`, `laugh`, `wow`, `sad` and `insightful` have no content; `star_1` to `star_5` rate a target; `review` and `comment` need content. Any other kind has content if it is sent with blocks. */
  kind: string
  /** Content: at most 10 blocks of the types `text`, `markdown`, `number`, `boolean`, `date` and `select`, 10,000 characters in all. One at least has a value or properties. */
  blocks?: BlockInput[] | undefined
  /** Identifier of the reaction that this one replies to; null or left out for none. */
  parent_id?: string | null | undefined
  /** Taxonomies that the content is filed under, 20 at most. */
  taxonomies?: TaxonomyEntry[] | undefined
}

export type CreateRefundBody = {
  /** UUID made by the caller. The same id and amount return the same refund, and nothing is sent again; another amount returns 409 `idempotency_conflict`. A refund that was refused with 422 keeps its id: use a new id for the next one. */
  refund_id: string
  /** Amount to refund, in minor units of the payment's currency. */
  amount: number
}

export type CreateServiceBody = {
  /** Name of the record, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** From locale code to the slug in that language, unique in the store per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: LocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: TaxonomyEntry[] | undefined
  /** `active` records are public; `draft` and `archived` ones are visible to operators only. */
  status?: "active" | "draft" | "archived" | undefined
}

export type CreateServiceProviderBody = {
  /** Identifier of the service. It cannot be changed later. */
  service_id: string
  /** Identifier of the provider. It cannot be changed later. */
  provider_id: string
  /** Weekly hours in which the provider offers the service, each weekday once. */
  working_days?: WorkingDay[] | undefined
  /** Hours of single dates, each date once; each replaces the working day of its date. Without windows the date is closed. */
  specific_dates?: SpecificDate[] | undefined
  /** Lengths that a slot may have, each once; if empty, `slot_interval`. */
  durations?: ServiceDuration[] | undefined
  /** Prices of one slot, one per market. */
  prices?: Price[] | undefined
  /** Minutes from the start of one slot to the next, 1 to 1440. */
  slot_interval: number
  /** Number of bookings of the provider, of any service, that may take place at any moment of one that is booked with this limit, itself included; 1 by default. */
  concurrent_limit?: number | undefined
}

export type CreateShipmentBody = {
  /** Lines of the order to ship, each once. */
  items: ShipmentItem[]
  /** Carrier that delivers the goods; null or left out if they were handed over. */
  carrier?: string | null | undefined
  /** The carrier's tracking number; null or left out for none. */
  tracking_number?: string | null | undefined
  /** Version of the order from the latest read. With it, a repeated request returns 409 `stale_version` instead of shipping twice. */
  version?: number | undefined
}

export type CreateSocialPublicationBody = {
  /** Identifier of the connection that publishes it. */
  social_connection_id: string
  /** What the post says. A field that the network lacks is reported as an issue. */
  content: SocialContentInput
}

export type CreateStoreBody = {
  /** Name of the store in addresses, unique in the installation: 3 to 63 lower-case letters, digits and hyphens. */
  key: string
  /** Time zone of the store, as an IANA name. */
  timezone: string
  /** Languages of the store's content, the main one first; `en` by default. */
  languages?: LocaleTag[] | undefined
  /** Addresses of the store. */
  emails: {
    /** Address for invoices; null for none. */
    billing?: EmailAddress | null | undefined
    /** Address for customers; null for none. */
    support?: EmailAddress | null | undefined
  }
  /** Settings of the store; unknown fields are stored as they are. */
  settings?: {
    /** Whether a card order is confirmed as soon as it is paid; true by default. */
    auto_confirm_paid?: boolean | undefined
    /** Hours in which a booking has to be approved that requires it; 72 by default. */
    approval_hours?: number | undefined
    /** Minutes before a booking at which its reminder is due; 0 for none. A new value applies to a booking when it is confirmed or changed, or when its reminder would have been due. */
    booking_reminder_minutes?: number | undefined
    /** Hours for which a paid membership that is not ending grants access after its paid time, 72 by default: the payment provider takes up to 72 hours to charge a renewal. */
    membership_grace_hours?: number | undefined
    /** Page of the storefront where members manage their memberships; the token is added as the query parameter `token`. Without it, a page of this server. */
    membership_manage_url?: string | undefined
    /** Page of the storefront that shows a cart. Agents link to the carts that they fill; the id is added to its query, as `cart_id=…` on both surfaces. */
    cart_url?: string | undefined
    /** Tokens that models may use for the store in a day (UTC), together; the limit of the installation (`MODEL_TOKENS_PER_DAY`) by default. */
    tokens?: number | undefined
    /** Name of the store in e-mails and networks; its key by default. */
    name?: string | undefined
    /** Address of an image that networks show for the store. */
    logo?: string | undefined
    /** Address that networks show for the store. */
    address?: Address | undefined
    /** What customers may say of its records, and what waits for a moderator. */
    reactions?: {
      /** Which content waits for a moderator: `none`, `all`, or `auto` (the default), content of visitors without a verified address that holds a link or one of `words`. */
      moderation?: "none" | "all" | "auto" | undefined
      /** What visitors without a verified address may send: `all` (the default), `marks` and stars only, or `none`. */
      anonymous?: "all" | "marks" | "none" | undefined
      /** Who may send reviews and stars: `anyone` (the default), visitors with a `verified` address, or `buyers` of the target. */
      reviewers?: "anyone" | "verified" | "buyers" | undefined
      /** Minutes in which an author may change the content of a reaction; 15 by default, 0: never. */
      window?: number | undefined
      /** Whole words or phrases, in any case: content of visitors without a verified address that has one of them waits for a moderator, where `moderation` is `auto`. */
      words?: string[] | undefined
    } | undefined
    /** Where networks find the store, its providers, and services without a place of their own. */
    location?: GeoLocation | undefined
  } & Record<string, unknown> | undefined
}

export type CreateStorefrontReactionBody = {
  /** What is reacted to. */
  target: {
    /** What it is: `node` is an entry of content. */
    type: "product" | "service" | "provider" | "booking" | "node"
    /** Identifier of the record. */
    id: string
  }
  /** `like`, `love`, `laugh`, `wow`, `sad` and `insightful` have no content; `star_1` to `star_5` rate a target; `review` and `comment` need content. Any other kind has content if it is sent with blocks. */
  kind: string
  /** Content: at most 10 blocks of the types `text`, `markdown`, `number`, `boolean`, `date` and `select`, 10,000 characters in all. One at least has a value or properties. */
  blocks?: BlockInput[] | undefined
  /** Identifier of the reaction that this one replies to; null or left out for none. */
  parent_id?: string | null | undefined
  /** Taxonomies that the content is filed under, 20 at most. */
  taxonomies?: TaxonomyEntry[] | undefined
}

export type CreateTaxonomyBody = {
  /** Name of the taxonomy, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** Identifier of the taxonomy above; null: at the top. A tree has at most 32 levels. */
  parent_id?: string | null | undefined
  /** Schema of the `fields` that a record filed under this taxonomy may have. */
  schema?: TaxonomySchema[] | undefined
  /** `active` taxonomies are public; `archived` ones are visible to operators only. `active` by default. */
  status?: "active" | "archived" | undefined
}

export type CreateWebhookBody = {
  /** Name of the webhook, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** Address that events are posted to, http or https. Write-only: returned as `__redacted__`. */
  url: string
  /** Headers to send with every delivery; none by default. Write-only: each value is returned as `__redacted__`. */
  headers?: Record<string, string> | undefined
  /** Signs every delivery (Standard Webhooks 1.0): `whsec_` and the base64 of 24 to 64 bytes. Write-only: returned as `__redacted__`. */
  secret?: string | undefined
  /** Whether events are delivered; true by default. */
  enabled?: boolean | undefined
  /** Events to deliver, 1 to 100. */
  events: Array<{
    /** Name of an event. */
    event: "collection.created" | "collection.updated" | "collection.deleted" | "entry.created" | "entry.updated" | "entry.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.member_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated"
  }>
}

export type CreateWorkflowBody = {
  /** Name of the workflow, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** `active`, the default, requires a valid graph. */
  status?: "active" | "draft" | "archived" | undefined
  /** From node id (1 to 64 of A-Z, a-z, 0-9, `_` and `-`) to node; 200 at most, exactly one of type `trigger`. */
  nodes: Record<string, WorkflowNodeInput>
  /** Connections between the nodes, 1,000 at most. */
  edges: WorkflowEdgeInput[]
  /** Cron expression of five fields, in UTC; null for none. */
  schedule?: string | null | undefined
}

export type CreateWorkflowConnectionBody = {
  /** Name of the connection, unique in the store, of 1 to 255 printable characters. */
  key: Key
  /** Kind of drive: S3 or compatible, or WebDAV. It decides the fields of `settings` and `credentials`. */
  type: "s3" | "webdav"
  /** Where the drive is. Of `s3`: `bucket`, `region` (default `us-east-1`), `endpoint` (default AWS), `path_style`, `prefix`. Of `webdav`: `url`. */
  settings: S3SettingsInput | WebdavSettings
  /** How to sign in to the drive. Write-only. Of `s3`: `access_key_id`, `secret_access_key`, optional `session_token`. Of `webdav`: `username`, `password`. */
  credentials: S3Credentials | WebdavCredentials
}

export type DeletePlatformDataBody = {
  /** Key to delete; it may be sent in the query instead. */
  key?: string | undefined
}

export type DeletePlatformDataResult = {
  /** Always true: a call that fails returns a problem instead. */
  ok: true
}

export type Delivery = {
  /** Identifier of the delivery, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the webhook that the delivery goes to. */
  webhook_id: string
  /** Identifier of the event; the `webhook-id` header of every attempt. */
  event_id: string
  /** Name of the event. */
  type: "collection.created" | "collection.updated" | "collection.deleted" | "entry.created" | "entry.updated" | "entry.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.member_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated" | "booking.created" | "booking.updated"
  /** `pending` while attempts remain; `succeeded` after a 2xx answer; `failed` when no attempt is left or the webhook answered 410. */
  status: "pending" | "succeeded" | "failed"
  /** Number of attempts that were started. */
  attempts: number
  /** Of a pending delivery: time of the next attempt, in Unix seconds. During an attempt: time after which another worker may take it over. Null once it is settled. */
  due_at: number | null
  /** Time at which the latest attempt started, in Unix seconds; null before the first. */
  last_attempt_at: number | null
  /** Time at which the delivery succeeded or failed for good, in Unix seconds; null while it is pending. */
  settled_at: number | null
  /** HTTP status of the latest answer; null if there was none. */
  provider_status_code: number | null
  /** Beginning of the body of the latest answer, 4 KiB at most; null if there was none. */
  response_body: string | null
  /** Why the latest attempt failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type DeliveryList = {
  /** The records of this page. */
  items: Delivery[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type DeliveryWithEvent = {
  /** Identifier of the delivery, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the webhook that the delivery goes to. */
  webhook_id: string
  /** Identifier of the event; the `webhook-id` header of every attempt. */
  event_id: string
  /** Name of the event. */
  type: "collection.created" | "collection.updated" | "collection.deleted" | "entry.created" | "entry.updated" | "entry.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.member_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated" | "booking.created" | "booking.updated"
  /** `pending` while attempts remain; `succeeded` after a 2xx answer; `failed` when no attempt is left or the webhook answered 410. */
  status: "pending" | "succeeded" | "failed"
  /** Number of attempts that were started. */
  attempts: number
  /** Of a pending delivery: time of the next attempt, in Unix seconds. During an attempt: time after which another worker may take it over. Null once it is settled. */
  due_at: number | null
  /** Time at which the latest attempt started, in Unix seconds; null before the first. */
  last_attempt_at: number | null
  /** Time at which the delivery succeeded or failed for good, in Unix seconds; null while it is pending. */
  settled_at: number | null
  /** HTTP status of the latest answer; null if there was none. */
  provider_status_code: number | null
  /** Beginning of the body of the latest answer, 4 KiB at most; null if there was none. */
  response_body: string | null
  /** Why the latest attempt failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** The body that is sent. */
  event: Event
}

export type DisconnectBusinessOauthBody = {
  /** Name of the provider: the key of the integration that holds its tokens. */
  provider: string
}

export type DisconnectStoreOauthBody = {
  /** Name of the provider: the key of the integration that holds its tokens. */
  provider: string
}

/** A discount of a promo code. Rates are in basis points (10000 is 100 %), amounts in minor units of the market. */
export type Discount = DiscountItemsPercentage | DiscountItemsFixed | DiscountShippingPercentage | DiscountAudiencePercentage

export type DiscountAudiencePercentage = {
  /** Kind of discount. It decides the other fields. */
  type: "audience_percentage"
  /** Identifier of the audience whose members get the discount. */
  audience_id: string
  /** Tiers of the audience that get it; empty for all. */
  tier_ids: string[]
  /** Prices of the audience that get it; empty for all. */
  price_ids: string[]
  /** Discount rate in basis points: 10000 is 100 %. */
  bps: number
  /** `items`: the carts of members with access. `membership`: the first payment of a membership at one of the prices. Left out: both. */
  applies_to?: "membership" | "items" | undefined
}

export type DiscountAudiencePercentageInput = {
  /** Kind of discount. It decides the other fields. */
  type: "audience_percentage"
  /** Identifier of the audience whose members get the discount. */
  audience_id: string
  /** Tiers of the audience that get it; empty for all. */
  tier_ids?: string[] | undefined
  /** Prices of the audience that get it; empty for all. */
  price_ids?: string[] | undefined
  /** Discount rate in basis points: 10000 is 100 %. */
  bps: number
  /** `items`: the carts of members with access. `membership`: the first payment of a membership at one of the prices. Left out: both. */
  applies_to?: "membership" | "items" | undefined
}

/** A discount of a promo code. Rates are in basis points (10000 is 100 %), amounts in minor units of the market. */
export type DiscountInput = DiscountItemsPercentage | DiscountItemsFixed | DiscountShippingPercentage | DiscountAudiencePercentageInput

export type DiscountItemsFixed = {
  /** Kind of discount. It decides the other fields. */
  type: "items_fixed"
  /** Key of the market in which the discount applies. */
  market_key: Key
  /** Amount of the discount on the eligible items, in minor units of the market's currency. */
  amount: number
}

export type DiscountItemsPercentage = {
  /** Kind of discount. It decides the other fields. */
  type: "items_percentage"
  /** Key of the market in which the discount applies. */
  market_key: Key
  /** Discount rate in basis points: 10000 is 100 %. */
  bps: number
}

export type DiscountShippingPercentage = {
  /** Kind of discount. It decides the other fields. */
  type: "shipping_percentage"
  /** Key of the market in which the discount applies. */
  market_key: Key
  /** Discount rate in basis points: 10000 is 100 %. */
  bps: number
}

export type Dispute = {
  /** Identifier of the dispute, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the order. */
  order_id: string
  /** Identifier of the payment that is disputed. */
  payment_id: string
  /** The provider's id of the dispute. */
  provider_dispute_id: string
  /** Disputed amount, in minor units of `currency`. */
  amount: number
  /** Currency of the amount, ISO 4217. */
  currency: string
  /** Status by the provider's latest signed event. `warning`: an inquiry, or a dispute that was prevented. An appeal opens a lost dispute again. */
  status: "needs_response" | "under_review" | "won" | "lost" | "warning"
  /** The provider's own status, for example `warning_closed`, `prevented` or `appeal_under_review`. */
  provider_status: string | null
  /** The provider's reason; null if it gave none. */
  reason: string | null
  /** Time until which the provider takes evidence, in Unix seconds; null if none is awaited. */
  evidence_due_at: number | null
  /** Time at which the dispute was closed, in Unix seconds; null while it is open. */
  closed_at: number | null
  /** What the provider sent about the dispute; null if nothing. */
  evidence: Record<string, unknown> | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type DisputeList = {
  /** The records of this page. */
  items: Dispute[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** An e-mail address, in any case. A domain may be written in Unicode; it is stored in ASCII. */
export type EmailAddress = string

export type EmailPreview = {
  /** Rendered subject line. */
  subject: string
  /** Rendered HTML part. */
  html: string
  /** Rendered plain-text part. */
  text: string
}

export type EmailTemplate = {
  /** Identifier of the e-mail template, a UUIDv7 made by the server. */
  id: string
  /** Name of the template, unique in the store. */
  key: string
  /** What the template is for. */
  type: "transactional" | "campaign" | "subscription_confirmation"
  /** `active` templates can be sent; `archived` ones cannot. */
  status: "active" | "draft" | "archived"
  /** Language of `body`: MJML or HTML. */
  format: "mjml" | "html"
  /** Subject line, with Liquid expressions. */
  subject: string
  /** Source of the HTML part, in `format`, with Liquid expressions. */
  body: string
  /** Source of the plain-text part, with Liquid expressions; if null, it is derived from the HTML part. */
  text: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type EmailTemplateList = {
  /** The records of this page. */
  items: EmailTemplate[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type EnrollmentCounts = {
  /** Number of enrollments with this status: further messages are to be sent. */
  active: number
  /** Number of enrollments with this status: all steps were sent. */
  completed: number
  /** Number of enrollments with this status: ended by a reply. */
  replied: number
  /** Number of enrollments with this status: ended by an opt-out. */
  unsubscribed: number
  /** Number of enrollments with this status: ended by a bounce. */
  bounced: number
  /** Number of enrollments with this status: ended by a report as spam. */
  complained: number
  /** Number of enrollments with this status: a step was refused or could not be sent. */
  failed: number
  /** Number of enrollments with this status: it cannot be proved whether a step was sent. */
  unknown: number
  /** Number of enrollments with this status: cancelled, or active in a cancelled campaign. */
  cancelled: number
}

/** Content of a collection. */
export type Entry = {
  /** Identifier of the record, a UUIDv7 made by the server. */
  id: string
  /** Name of the record, unique in the store. */
  key: string
  /** From locale code to the slug in that language. */
  slug: LocaleMap
  /** Content blocks. */
  blocks: Block[]
  /** Taxonomies that the entry is filed under, with their entries or fields. */
  taxonomies: TaxonomyEntry[]
  /** `active` records are public; `draft` and `archived` ones are visible to operators only. */
  status: "active" | "draft" | "archived"
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Identifier of the collection that the entry belongs to. */
  collection_id: string
}

/** An entry was created. */
export type EntryCreatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "entry.created"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: Entry
}

/** An entry was deleted, alone or with its collection. `data` is the entry as it was before. */
export type EntryDeletedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "entry.deleted"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: Entry
}

export type EntryList = {
  /** The records of this page. */
  items: Entry[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** An entry was changed. */
export type EntryUpdatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "entry.updated"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: Entry
}

/** The deletion of a business. */
export type Erasure = {
  /** Identifier of the deletion, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the business. */
  erased_id: string
  /** Key of the business. */
  key: string
  /** `settling`: what is pending ends at the provider. `deleting`: rows and files are deleted. `deleted`: the business is gone. `succeeded`: so is what late requests wrote. */
  status: "settling" | "deleting" | "deleted" | "succeeded"
  /** What it waits for, or what was deleted. */
  message: string
  /** Whether a person has to act before it goes on. */
  needs_attention: boolean
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

/** Something about money that a person has to act on. */
export type ErasureItem = {
  /** Identifier of the refund, the request, the payment or the subscription. What you found out is recorded under it. */
  id: string
  /** `refund`. Requests to the payment provider: `capture` and `cancel_authorization` of an authorised payment, `open_form` and `close_form` of a payment form, `cancel_subscription`, `cancel_now_subscription`, `resume_subscription` and `change_card`. `payment`: what was taken is not what was due, or has to go back. `subscription`: a membership that is charged without paid time, or that the provider does not return. */
  kind: "refund" | "capture" | "cancel_authorization" | "open_form" | "close_form" | "cancel_subscription" | "cancel_now_subscription" | "resume_subscription" | "change_card" | "payment" | "subscription"
  /** Status of a refund or a request; of a payment or a subscription the code of what is wrong. */
  status: string
  /** When it began, in Unix seconds. */
  since: number
  /** Amount in minor units of `currency`; null if it is about none. */
  amount: number | null
  /** Currency of the amount, ISO 4217; null without one. */
  currency: string | null
  /** Identifier of the payment; null if it is about none. */
  payment_id: string | null
  /** Identifier of the order; null if it is about none. */
  order_id: string | null
  /** Number of the order; null if it is about none. */
  order_number: number | null
  /** Identifier of the subscription; null if it is about none. */
  subscription_id: string | null
  /** Identifier of the audience of the membership; null if it is about none. */
  audience_id: string | null
  /** Identifier of the membership; null if it is about none. */
  member_id: string | null
  /** The account at the payment provider; null for the platform's own. */
  provider_account_id: string | null
  /** The provider's id of the payment; null if it is not known. */
  provider_payment_id: string | null
  /** The provider's id of the refund, the payment form or the subscription; null if it is not known. */
  provider_object_id: string | null
  /** What is wrong; null if nothing was recorded. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** What the provider answered or reported; null for nothing. */
  evidence: Record<string, unknown> | null
  /** What became known after the outcome was recorded; null for nothing. */
  late_evidence: Record<string, unknown> | null
  /** What was recorded about the outcome, which later evidence contradicts; null if nothing was. */
  resolution: Record<string, unknown> | null
  /** Outcomes that can be recorded. None: the item leaves the list when what is wrong is mended. */
  choices: Array<"succeeded" | "rejected" | "accepted">
}

/** What is left to do after an outcome was recorded. */
export type ErasureItemResolved = {
  /** The item, if something is left to do about it; null if nothing is. */
  item: ErasureItem | null
}

/** The deletion of a business with what it waits for. */
export type ErasureWithItems = {
  /** Identifier of the deletion, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the business. */
  erased_id: string
  /** Key of the business. */
  key: string
  /** `settling`: what is pending ends at the provider. `deleting`: rows and files are deleted. `deleted`: the business is gone. `succeeded`: so is what late requests wrote. */
  status: "settling" | "deleting" | "deleted" | "succeeded"
  /** What it waits for, or what was deleted. */
  message: string
  /** Whether a person has to act before it goes on. */
  needs_attention: boolean
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** What a person has to do about its money; empty when its rows are deleted. */
  items: ErasureItem[]
  /** The person who continued it although outcomes were open; null if none did. */
  continued: {
    /** Identifier of the account. */
    account_id: string
    /** Why. */
    note: string
    /** When, in Unix seconds. */
    at: number
    /** Whether what the platform charges for plans was given up too, which only its administrators can do. */
    plans: boolean
  } | null
  /** What was open when its rows were deleted: `items`, and `rows`, the requests, forms, payments and subscriptions that waited for the provider, with their amounts and ids there, and `undelivered`, what buyers have paid and did not get back for orders that were cancelled, not shipped, or booked ahead (the newest 1,000). Null for nothing. */
  open: Record<string, unknown> | null
}

/** The body of a webhook delivery. `type` decides the shape of `data`. */
export type Event = CollectionCreatedEvent | CollectionUpdatedEvent | CollectionDeletedEvent | EntryCreatedEvent | EntryUpdatedEvent | EntryDeletedEvent | FormSubmissionCreatedEvent | OrderCreatedEvent | OrderUpdatedEvent | OrderBookingReminderEvent | ProductCreatedEvent | ProductUpdatedEvent | ProductDeletedEvent | AudienceMemberAddedEvent | AudienceMemberRemovedEvent | AudienceMemberPendingEvent | AudienceMemberConfirmedEvent | AudienceMemberAccessCancelledEvent | AudienceMemberEmailUnsubscribedEvent | AudienceMemberEmailResubscribedEvent | SocialConnectionNeedsReconnectEvent | SocialConnectionExpiringEvent | SocialPublicationPublishedEvent | SocialPublicationFailedEvent | SocialPublicationUnknownEvent | AccountUpdatedEvent

export type Execution = {
  /** Identifier of the execution, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the workflow that is executed. */
  workflow_id: string
  /** State of the execution. */
  status: "pending" | "running" | "completed" | "failed" | "cancelled"
  /** What started it. */
  source: "webhook" | "schedule" | "event"
  /** Why it failed; `node` is the first node that failed. Null if it did not fail. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
  } & Record<string, unknown> | null
  /** Whether a cancellation was requested. Nodes that have started still finish. */
  cancel_requested: boolean
  /** Time at which it started, in Unix seconds; null until then. */
  started_at: number | null
  /** Time at which it ended, in Unix seconds; null until then. */
  finished_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Value that the trigger passes on: `{{input}}` in templates. */
  input: Record<string, unknown>
  /** From node id to the latest result of that node. */
  results: Record<string, NodeResult>
}

export type ExecutionItem = {
  /** Identifier of the execution, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the workflow that is executed. */
  workflow_id: string
  /** State of the execution. */
  status: "pending" | "running" | "completed" | "failed" | "cancelled"
  /** What started it. */
  source: "webhook" | "schedule" | "event"
  /** Why it failed; `node` is the first node that failed. Null if it did not fail. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
  } & Record<string, unknown> | null
  /** Whether a cancellation was requested. Nodes that have started still finish. */
  cancel_requested: boolean
  /** Time at which it started, in Unix seconds; null until then. */
  started_at: number | null
  /** Time at which it ended, in Unix seconds; null until then. */
  finished_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type ExecutionItemList = {
  /** The records of this page. */
  items: ExecutionItem[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** The first payment of a membership. Amounts are in minor units. */
export type FirstMembershipPayment = {
  /** Identifier of the payment, a UUIDv7 made by the server. */
  id: string
  /** How it is paid; `none` where the total is 0. */
  type: "cash" | "card" | "none"
  /** Always null: a membership is paid by card, and not by a payment method of a market. */
  method_key: string | null
  /** `pending` until the provider or an operator confirms the payment. Refunds leave it `paid`. */
  status: "pending" | "processing" | "authorized" | "paid" | "failed" | "cancelled"
  /** Currency of all amounts of the payment, ISO 4217. */
  currency: string
  /** Amount due, in minor units. */
  amount: number
  /** Amount that was captured, in minor units. */
  captured_amount: number
  /** Amount that was refunded, in minor units. */
  refunded_amount: number
  /** Amount of refunds that are in progress, in minor units. */
  refund_pending_amount: number
  /** Amount of refunds whose outcome is unknown, in minor units. It stays reserved until an operator resolves them. */
  refund_unknown_amount: number
  /** Payment provider; null for cash and where the total is 0. */
  provider: string | null
  /** The store's account at the provider; null without a provider. */
  provider_account_id: string | null
  /** The provider's id of the checkout session; null until there is one. */
  provider_session_id: string | null
  /** The provider's id of the payment; null until it is known. */
  provider_payment_id: string | null
  /** What the provider reported about the payment; null if nothing. */
  evidence: Record<string, unknown> | null
  /** Why the payment failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Time at which it was paid, in Unix seconds; null until then. */
  paid_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** `initial`: the first payment of a subscription that renews. `one_time`: the only one, for access without an end. */
  kind: "initial" | "renewal" | "one_time"
  /** What the promo code took off, in minor units. */
  discount_amount: number
}

/** A problem with status 403. */
export type ForbiddenProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 403
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "sign_in_required" | "purchase_required" | "edit_window_closed" | "customers_only" | "forbidden" | "foreign_origin" | "session_limited_to_store" | "store_archived"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

export type Form = {
  /** Identifier of the form, a UUIDv7 made by the server. */
  id: string
  /** Name of the form, unique in the store. */
  key: string
  /** Identifier of the store. */
  store_id: string
  /** Fields of the form, in their order. */
  schema: FormSchema[]
  /** `active` forms accept submissions; `archived` ones do not. */
  status: "active" | "archived"
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type FormEntry = {
  /** Key of the form. */
  key: string
  /** Values of the form's fields, 200 at most. */
  entries: Array<{
    /** Key of the field. */
    key: string
    /** The value, any JSON. */
    value: unknown
  }>
}

/** A submitted value. Dates are YYYY-MM-DD, geo locations `{lat, lng}` in degrees. */
export type FormField = {
  /** Id of the field in the form's schema; may be sent instead of `key`. */
  id?: string | undefined
  /** Key of the field in the form's schema. */
  key?: string | undefined
  /** Must equal the type in the form's schema, if it is sent. */
  type?: string | undefined
  /** The value, of the field's type; null, empty or left out for none. */
  value?: unknown | undefined
}

export type FormList = {
  /** The records of this page. */
  items: Form[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A field of a form. Items without an id get one. */
export type FormSchema = FormSchemaText | FormSchemaNumber | FormSchemaBoolean | FormSchemaDate | FormSchemaGeoLocation | FormSchemaSelect

export type FormSchemaBoolean = {
  /** Type of the field's value. */
  type: "boolean"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required: boolean
}

export type FormSchemaBooleanInput = {
  /** Type of the field's value. */
  type: "boolean"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required?: boolean | undefined
}

export type FormSchemaDate = {
  /** Type of the field's value. */
  type: "date"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required: boolean
}

export type FormSchemaDateInput = {
  /** Type of the field's value. */
  type: "date"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required?: boolean | undefined
}

export type FormSchemaGeoLocation = {
  /** Type of the field's value. */
  type: "geo_location"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required: boolean
}

export type FormSchemaGeoLocationInput = {
  /** Type of the field's value. */
  type: "geo_location"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required?: boolean | undefined
}

/** A field of a form. Items without an id get one. */
export type FormSchemaInput = FormSchemaTextInput | FormSchemaNumberInput | FormSchemaBooleanInput | FormSchemaDateInput | FormSchemaGeoLocationInput | FormSchemaSelectInput

export type FormSchemaNumber = {
  /** Type of the field's value. */
  type: "number"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required: boolean
  /** Smallest value; null or left out: no limit. */
  min?: number | null | undefined
  /** Largest value; null or left out: no limit. */
  max?: number | null | undefined
}

export type FormSchemaNumberInput = {
  /** Type of the field's value. */
  type: "number"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required?: boolean | undefined
  /** Smallest value; null or left out: no limit. */
  min?: number | null | undefined
  /** Largest value; null or left out: no limit. */
  max?: number | null | undefined
}

export type FormSchemaSelect = {
  /** Type of the field's value. */
  type: "select"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required: boolean
  /** Values that can be chosen, 1 to 500. */
  options: string[]
}

export type FormSchemaSelectInput = {
  /** Type of the field's value. */
  type: "select"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required?: boolean | undefined
  /** Values that can be chosen, 1 to 500. */
  options: string[]
}

export type FormSchemaText = {
  /** Type of the field's value. */
  type: "text"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required: boolean
}

export type FormSchemaTextInput = {
  /** Type of the field's value. */
  type: "text"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Whether a value must be submitted; false by default. */
  required?: boolean | undefined
}

export type FormSubmission = {
  /** Identifier of the submission, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the form. */
  form_id: string
  /** Identifier of the store. */
  store_id: string
  /** The submitted values. */
  fields: SubmittedField[]
  /** Identifier of the contact who submitted it; null if an operator did. */
  contact_id: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

/** A form was submitted, by a visitor or by an operator. */
export type FormSubmissionCreatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "form_submission.created"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: FormSubmissionReceived
}

export type FormSubmissionList = {
  /** The records of this page. */
  items: FormSubmission[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A form submission, with the key of its form. */
export type FormSubmissionReceived = {
  /** Identifier of the submission, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the form. */
  form_id: string
  /** Identifier of the store. */
  store_id: string
  /** The submitted values. */
  fields: SubmittedField[]
  /** Identifier of the contact who submitted it; null if an operator did. */
  contact_id: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Key of the form when it was submitted. */
  form_key: string
}

export type FoundAccount = {
  /** Identifier of the account, a UUIDv7 made by the server. */
  id: string
  /** Address that the account signs in with, in lower case. It never changes. */
  email: string
  /** Name of the person; null if it is not set. */
  name: string | null
  /** What the account has done so far; null for callers who are no platform administrators. */
  lifecycle: {
    /** Time of the latest sign-in, in Unix seconds; null before the first. */
    last_login_at: number | null
    /** Whether the account has finished onboarding. Set by the caller. */
    onboarding_completed: boolean
  } | null
  /** When it was created, in Unix seconds; null for callers who are no platform administrators. */
  created_at: number | null
  /** When it was last changed, in Unix seconds; null for callers who are no platform administrators. */
  updated_at: number | null
}

export type FoundAccountList = {
  /** The records of this page. */
  items: FoundAccount[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type GeoLocation = {
  /** Latitude in degrees (WGS 84). */
  lat: number
  /** Longitude in degrees (WGS 84). */
  lng: number
}

export type GetBusinessOverviewResult = {
  /** Time zone of the days, an IANA name. */
  timezone: string
  /** The days, the oldest first. */
  days: BusinessOverviewDay[]
  /** The sums of all days. */
  totals: BusinessOverviewFigures
  /** What waits, the oldest first. */
  backlog: BusinessOverviewBacklog[]
}

export type GetBusinessReadinessResult = {
  /** The checks. */
  items: BusinessReadinessCheck[]
}

export type GetOverviewResult = {
  /** Time zone of the days, an IANA name. */
  timezone: string
  /** The days, the oldest first. */
  days: OverviewDay[]
  /** The sums of all days. */
  totals: OverviewFigures
  /** What waits, the oldest first. */
  backlog: OverviewBacklog[]
}

export type GetPlatformDataResult = {
  /** The value of the key; if it has none, the values of all keys that begin with it, in the order of their bytes. */
  value: Array<{
    /** Key of the value. */
    key: string
    /** The stored JSON value. */
    value: unknown
  }>
}

export type GetReadinessResult = {
  /** The checks. */
  items: ReadinessCheck[]
}

export type GetVisitorResult = {
  /** The contact behind the visitor's session. */
  contact: OwnContact
  /** Whether the visitor has signed in with a code. */
  is_verified: boolean
}

export type IdentifyVisitorBody = {
  /** Address that the visitor claims; it is not verified. Null or left out: none. */
  email?: EmailAddress | null | undefined
}

export type Identity = {
  /** The contact behind the visitor's session. */
  contact: OwnContact
  /** Token to send as `X-Service-Visitor-Token` with the calls that follow: the one that the request sent, or a new one. A sign-in always returns a new one. */
  visitor_token: string
  /** Whether the visitor has signed in with a code. */
  is_verified: boolean
}

export type ImportAudienceMembersBody = {
  /** Members to import, 1 to 1000. */
  rows: Array<{
    /** Address of the contact. A row without one is reported. */
    email?: string | null | undefined
    /** Values to keep about the member, 50 at most and 16 KiB in all. */
    fields?: Record<string, unknown> | undefined
    /** What another system knows of the address: `unsubscribed` from the audience, or `bounced` or `complained`, which ends all bulk mail to it. `subscribed` changes nothing: only the contact takes an opt-out back. */
    delivery_status?: "subscribed" | "unsubscribed" | "bounced" | "complained" | undefined
  }>
}

export type ImportCampaignEnrollmentsBody = {
  /** Audiences of any type whose members are enrolled. */
  audience_ids?: string[] | undefined
  /** Contacts that are enrolled, each at the address that is used for it. */
  contact_ids?: string[] | undefined
  /** Addresses that are enrolled, as text or with variables. */
  emails?: Array<string | {
    /** Address of the recipient. */
    email: string
    /** Values that the templates read for this recipient. They replace those of the campaign and of its steps. */
    variables?: Record<string, unknown> | undefined
  }> | undefined
}

/** The answer to every mail, whether or not it is about a campaign. */
export type InboundMailReceived = {
  /** The mail was read. It is stored only if it is about a message of a campaign. */
  received: true
}

/** An account at a provider. Secrets are write-only. */
export type Integration = {
  /** Identifier of the integration, a UUIDv7 made by the server. */
  id: string
  /** Name of the integration, unique in the store. */
  key: string
  /** Type of the provider. */
  type: string
  /** Category of the type. */
  category: "payment" | "shipping" | "analytics" | "oauth" | "ai" | "email" | "messaging" | "channel" | "deploy" | "other"
  provider: IntegrationProvider
  /** State of the bot of a `chat_bot`; other integrations lack it. */
  channel?: IntegrationChannel | undefined
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type IntegrationChannel = {
  /** `connected`: messages to the bot arrive. `pending`: it is being connected, or no agent serves it. `failed`: see `error`. */
  status: "pending" | "connected" | "failed"
  /** Why the bot could not be connected; null for no error. An update of the integration tries again. */
  error: {
    /** Stable code. */
    code: string
    /** What was wrong. */
    message: string
    /** HTTP status of the bot API, if it answered. */
    provider_status?: number | undefined
  } | null
  /** Name of the bot at the provider, once it is known. */
  username: string | null
}

export type IntegrationList = {
  /** The records of this page. */
  items: Integration[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A provider: its public fields, and `__redacted__` for each stored secret. */
export type IntegrationProvider = {
  /** Type of the provider. */
  type: string
  /** Publishable key of a `card_payment` account. */
  publishable_key?: string | undefined
  /** Currency of a `card_payment` account (ISO 4217). */
  currency?: string | undefined
  /** Client id of an `identity_oauth`. */
  client_id?: string | undefined
  /** Scopes of an `identity_oauth`, 100 at most. */
  scopes?: string[] | undefined
  /** Measurement id of an `analytics_4`. */
  measurement_id?: string | undefined
  /** Who answers messages to a `chat_bot`: the `agent` that serves it, by default; `inbox`: people do. */
  action?: "agent" | "inbox" | undefined
  /** Model of an `llm_a` or `llm_b`. */
  model?: string | undefined
  /** Address of the provider's API, without a query, if it is not the usual one: of `llm_a`, `llm_b`, `chat_bot` and `identity_oauth`. Another one requires the secret again. */
  base_url?: string | undefined
  /** Whether the `card_payment` is the active one. */
  active_for_card_payments?: boolean | undefined
  /** Whether the `shipping_provider` is the active one. */
  active_for_fulfillment?: boolean | undefined
  /** Whether the `analytics_4` is the active one. */
  active_for_tracking?: boolean | undefined
  /** Secret key of a `card_payment` account. Write-only. */
  secret_key?: "__redacted__" | undefined
  /** Secret that signs the events of a `card_payment` account. Write-only. */
  webhook_secret?: "__redacted__" | undefined
  /** Token of a `shipping_provider`. Write-only. */
  api_token?: "__redacted__" | undefined
  /** Secret of the client of an `identity_oauth`. Write-only. */
  client_secret?: "__redacted__" | undefined
  /** Token of a `chat_bot`. Write-only. */
  bot_token?: "__redacted__" | undefined
  /** API key of an AI, e-mail, messaging or other provider. Write-only. */
  api_key?: "__redacted__" | undefined
  /** Address of a deploy hook, http or https. Write-only. */
  url?: "__redacted__" | undefined
  /** Time at which the access token of an `oauth_connection` expires, in Unix seconds, if it is known. */
  expires_at?: number | undefined
  /** Access token of an `oauth_connection`. */
  access_token?: "__redacted__" | undefined
  /** Refresh token of an `oauth_connection`. */
  refresh_token?: "__redacted__" | undefined
}

/** Changes of a provider. Fields that are left out are kept; null removes a field that is not required. */
export type IntegrationProviderChange = {
  /** Type of the provider. It cannot be changed. */
  type?: string | undefined
  /** Publishable key of a `card_payment` account. */
  publishable_key?: string | null | undefined
  /** Currency of a `card_payment` account (ISO 4217). */
  currency?: string | null | undefined
  /** Client id of an `identity_oauth`. */
  client_id?: string | null | undefined
  /** Scopes of an `identity_oauth`, 100 at most. */
  scopes?: string[] | null | undefined
  /** Measurement id of an `analytics_4`. */
  measurement_id?: string | null | undefined
  /** Who answers messages to a `chat_bot`: the `agent` that serves it, by default; `inbox`: people do. */
  action?: "agent" | "inbox" | null | undefined
  /** Model of an `llm_a` or `llm_b`. */
  model?: string | null | undefined
  /** Address of the provider's API, without a query, if it is not the usual one: of `llm_a`, `llm_b`, `chat_bot` and `identity_oauth`. Another one requires the secret again. */
  base_url?: string | null | undefined
  /** Secret key of a `card_payment` account. Write-only. */
  secret_key?: string | null | undefined
  /** Secret that signs the events of a `card_payment` account. Write-only. */
  webhook_secret?: string | null | undefined
  /** Token of a `shipping_provider`. Write-only. */
  api_token?: string | null | undefined
  /** Secret of the client of an `identity_oauth`. Write-only. */
  client_secret?: string | null | undefined
  /** Token of a `chat_bot`. Write-only. */
  bot_token?: string | null | undefined
  /** API key of an AI, e-mail, messaging or other provider. Write-only. */
  api_key?: string | null | undefined
  /** Address of a deploy hook, http or https. Write-only. */
  url?: string | null | undefined
  /** Whether the `card_payment` is the active one. */
  active_for_card_payments?: boolean | undefined
  /** Whether the `shipping_provider` is the active one. */
  active_for_fulfillment?: boolean | undefined
  /** Whether the `analytics_4` is the active one. */
  active_for_tracking?: boolean | undefined
}

/** A provider, and how to reach it. Fields that its type does not have are refused; null is the same as none. */
export type IntegrationProviderInput = {
  /** Type of the provider, which decides its fields: `card_payment` (`secret_key`, `publishable_key`, `webhook_secret`, `currency`, `active_for_card_payments`), `shipping_provider` (`api_token`, `active_for_fulfillment`), `identity_oauth` (`client_id`, `client_secret`, `scopes`, `base_url`), `analytics_4` (`measurement_id`, `active_for_tracking`), `chat_bot` (`bot_token`, `action`, `base_url`), `llm_a` (`api_key`, `model`, `base_url`), `llm_b` (`api_key`, `model`, `base_url`), `email_a` (`api_key`), `email_b` (`api_key`), `messaging_a` (`api_key`), `messaging_b` (`api_key`), `messaging_c` (`api_key`), `host_a_deploy_hook` (`url`), `host_b_deploy_hook` (`url`), `host_c_deploy_hook` (`url`), `custom_deploy_hook` (`url`). Any other type has an `api_key`. */
  type: string
  /** Publishable key of a `card_payment` account. */
  publishable_key?: string | null | undefined
  /** Currency of a `card_payment` account (ISO 4217). */
  currency?: string | null | undefined
  /** Client id of an `identity_oauth`. */
  client_id?: string | null | undefined
  /** Scopes of an `identity_oauth`, 100 at most. */
  scopes?: string[] | null | undefined
  /** Measurement id of an `analytics_4`. */
  measurement_id?: string | null | undefined
  /** Who answers messages to a `chat_bot`: the `agent` that serves it, by default; `inbox`: people do. */
  action?: "agent" | "inbox" | null | undefined
  /** Model of an `llm_a` or `llm_b`. */
  model?: string | null | undefined
  /** Address of the provider's API, without a query, if it is not the usual one: of `llm_a`, `llm_b`, `chat_bot` and `identity_oauth`. Another one requires the secret again. */
  base_url?: string | null | undefined
  /** Secret key of a `card_payment` account. Write-only. */
  secret_key?: string | null | undefined
  /** Secret that signs the events of a `card_payment` account. Write-only. */
  webhook_secret?: string | null | undefined
  /** Token of a `shipping_provider`. Write-only. */
  api_token?: string | null | undefined
  /** Secret of the client of an `identity_oauth`. Write-only. */
  client_secret?: string | null | undefined
  /** Token of a `chat_bot`. Write-only. */
  bot_token?: string | null | undefined
  /** API key of an AI, e-mail, messaging or other provider. Write-only. */
  api_key?: string | null | undefined
  /** Address of a deploy hook, http or https. Write-only. */
  url?: string | null | undefined
  /** Whether the `card_payment` is the active one. */
  active_for_card_payments?: boolean | undefined
  /** Whether the `shipping_provider` is the active one. */
  active_for_fulfillment?: boolean | undefined
  /** Whether the `analytics_4` is the active one. */
  active_for_tracking?: boolean | undefined
}

/** A problem with status 500. */
export type InternalServerErrorProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 500
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "internal_error"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

export type InventoryRow = {
  /** Identifier of the variant. */
  variant_id: string
  /** Identifier of the location that holds the stock. */
  location_id: string
  /** Units that can still be sold, reservations deducted. */
  available: number
}

export type InventoryRows = InventoryRow[]

export type InviteToBusinessBody = {
  /** Address to invite. Requires the role `Owner`. */
  email?: EmailAddress | undefined
  /** Role to invite to, `Admin` by default. Only a `Super` invites a `Super`. */
  role?: "Admin" | "Owner" | "Super" | undefined
  /** Token of the invitation's e-mail, to answer the invitation instead of inviting. */
  token?: string | undefined
  /** What to do with the invitation of the `token`. */
  action?: "ACCEPT" | "REJECT" | undefined
}

/** A key that the caller chooses: one line of 1 to 255 characters, kept in Unicode NFC. */
export type Key = string

export type LaunchCampaignBody = {
  /** When it starts, in Unix seconds; null: at once. Left out, as the campaign says. */
  scheduled_at?: number | null | undefined
}

/** A campaign that was launched, with what its operators should know. */
export type LaunchedCampaign = {
  /** Identifier of the campaign, a UUIDv7 made by the server. */
  id: string
  /** Name of the campaign for people. */
  name: string
  /** `draft` until it is launched; `scheduled` until `scheduled_at`; `running` while messages are sent; `paused` by an operator or for `paused_reason`; `completed` when no enrollment is active; `cancelled` for good. */
  status: "draft" | "scheduled" | "running" | "paused" | "completed" | "cancelled"
  /** Mailboxes that send the campaign. */
  mailbox_ids: string[]
  /** E-mails of the sequence, in order. */
  steps: Array<{
    /** E-mail template of the step. Once the campaign is launched, later edits of the template change nothing. */
    template_id: string
    /** Seconds after the step before. */
    delay_s: number
    /** Values that the template reads. */
    variables: Record<string, unknown>
    /** Whether the message is a reply to the first one. */
    in_thread: boolean
  }>
  /** Values that the templates of all steps read. */
  variables: Record<string, unknown>
  /** Address for replies; if null, that of the mailbox. */
  reply_to: string | null
  /** Whether a reply ends the sequence for its sender. */
  stop_on_reply: boolean
  /** When messages are sent; null for any time. */
  send_window: {
    /** Days of the week: 0 is Sunday. */
    days: number[]
    /** Start, HH:MM in the store's time zone. */
    from: string
    /** End, HH:MM in the store's time zone. */
    to: string
  } | null
  /** When it starts, in Unix seconds; null: at its launch. */
  scheduled_at: number | null
  /** When it was launched, in Unix seconds; null for a draft. */
  launched_at: number | null
  /** When it was completed or cancelled, in Unix seconds; null before. */
  ended_at: number | null
  /** Why it is paused; null if it is not. */
  paused_reason: {
    /** Stable code of the reason. */
    code: string
    /** The reason, for people. */
    message: string
  } | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** What the launch does not refuse: `no_unsubscribe_url` for a template whose body does not name `unsubscribe_url`. */
  warnings: Array<{
    /** JSON pointer to the template of the step. */
    pointer: string
    /** Stable code. */
    code: string
    /** What is wrong, and why it matters. */
    message: string
  }>
}

export type LeadInsight = {
  /** What was found out, as far as the signals show it. */
  summary: string
  /** How well the lead fits the goal of the run, 0 to 100. */
  score: number
  /** What the score rests on. */
  signals: Array<{
    /** What the signal says. */
    text: string
    /** Words that stand on the page. */
    quote: string
    /** Source of the run that the words stand in. It is deleted before the insight is. */
    source_id: string
    /** Address of the page. */
    url: string
  }>
  /** The run of lead research. */
  run_id: string | null
  /** Time at which it was recorded, in Unix seconds. */
  researched_at: number | null
}

/** A membership as the page that a link opens shows it. */
export type LinkedMember = {
  /** The store that sends the e-mail. */
  store: {
    /** Key. */
    key: string
    /** Name for people, or the key if the name holds an address. */
    name: string
  }
  /** The audience; null for a link of a message to a contact that is enrolled in a campaign without a membership. */
  audience: {
    /** Identifier of the audience. */
    id: string
    /** Key. */
    key: string
    /** Name for people. */
    name: string
  } | null
  /** What the link may change: a link of the scope `unsubscribe` is in newsletters, and shows and changes nothing of billing. */
  scope: "confirm" | "unsubscribe" | "manage"
  /** The address, masked: a forwarded e-mail has the link, too. Null for none. */
  email: string | null
  /** Status of the membership; null without one. */
  status: "pending" | "active" | "cancelled" | "expired" | "removed" | null
  /** Whether the audience's e-mail is sent to the member. */
  delivery_status: "subscribed" | "unsubscribed" | "bounced" | "complained"
  /** Whether the membership grants access at this moment. */
  has_access: boolean
  /** End of the time that is paid, in Unix seconds; null for a free or one-time membership. */
  paid_through_at: number | null
  /** Last second of access, in Unix seconds; null if it has no end. Of a membership that was ended before, the end. */
  access_until: number | null
  /** Whether access lasts beyond the paid time at this moment. */
  in_grace: boolean
  /** Why the renewal could not be charged; null unless the payment provider is collecting it. */
  billing_error: BillingError | null
  /** When the membership ends, in Unix seconds; null if it does not end. */
  cancel_at: number | null
  /** Whether the member has a subscription whose payment method can be changed. */
  payment_method_update_available: boolean
  /** Whether the member has a subscription that can be cancelled, or a free membership of a paid audience, which ends at once. */
  subscription_cancellation_available: boolean
  /** Whether the subscription is ending and the member can let it go on. */
  subscription_resumption_available: boolean
}

export type ListAudienceLeadsResult = {
  /** Insights of the members. */
  items: AudienceLead[]
}

export type ListBusinessPlansResult = {
  /** The plans. */
  items: BusinessPlan[]
}

export type ListErasuresResult = {
  /** Deletions. */
  items: Erasure[]
}

export type ListPlansResult = {
  /** The plans. */
  items: StorePlan[]
}

export type ListSocialCapabilitiesResult = {
  /** One row for each type. */
  items: SocialCapability[]
}

/** A refund of an order, with its number, or of a membership. */
export type ListedRefund = {
  /** Identifier of the refund, a UUIDv7 made by the server. */
  id: string
  /** The caller's own id of the refund; of refunds by the system or the provider, an id made by the server. */
  refund_id: string
  /** Identifier of the order; null for a membership's refund. */
  order_id: string | null
  /** Identifier of the payment that is refunded. */
  payment_id: string
  /** Amount of the refund, in minor units of `currency`. */
  amount: number
  /** Currency of the amount, ISO 4217. */
  currency: string
  /** `succeeded` when the provider refunded the amount; `rejected` if the provider refused; `failed` if nothing was sent; `unknown` if the outcome cannot be proved: nothing is sent again, and an operator resolves it. */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
  /** Who made the refund: an operator through the API, the system (a payment after the cancellation), or the provider (its dashboard). */
  origin: "operator" | "system" | "provider"
  /** The provider's id of the refund; null until it is known. */
  provider_refund_id: string | null
  /** What the provider answered; null without an answer. */
  evidence: Record<string, unknown> | null
  /** What proves an outcome and became known after it was recorded as `unknown`; null without it. */
  late_evidence: Record<string, unknown> | null
  /** Why the refund did not succeed; null if it did or is in progress. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Who resolved an `unknown` refund, when, how and why, and in `before` the resolution that it replaced; null if none was needed. */
  resolution: Record<string, unknown> | null
  /** Number of attempts to send it. Another attempt follows only one that provably sent nothing. */
  attempt: number
  /** Whether an operator has to act: the refund is `unknown`, differs from what was resolved, the recorded refunds exceed the captured amount, or a cancelled order is not refunded completely. */
  needs_attention: boolean
  /** Time at which the request may have left for the provider, in Unix seconds; null if it has not. */
  sent_at: number | null
  /** Time of the provider's answer, in Unix seconds; null without one. */
  answered_at: number | null
  /** Time at which the outcome was final, in Unix seconds; null until then. */
  settled_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Number of the order, counted per store; null for a membership's refund. */
  order_number: number | null
  /** Identifier of the subscription of a membership; null for an order's refund. */
  subscription_id: string | null
  /** Identifier of the membership's audience, for the path of its resolution; null for an order's refund. */
  audience_id: string | null
  /** Identifier of the membership, for the path of its resolution; null for an order's refund. */
  member_id: string | null
}

export type ListedRefundList = {
  /** The records of this page. */
  items: ListedRefund[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** From a locale code, such as `en` or `pt-BR`, to a text. */
export type LocaleMap = Record<string, Slug>

/** A language tag of BCP 47, such as `en` or `pt-BR`. It is stored in its canonical form. */
export type LocaleTag = string

export type Location = {
  /** Identifier of the location, a UUIDv7 made by the server. */
  id: string
  /** Name of the location, unique in the store. */
  key: string
  /** Address that goods are shipped from; null until it is set. */
  address: Address | null
  /** Whether customers can pick up goods there. It needs an address with a country. */
  is_pickup_location: boolean
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type LocationCountry = {
  /** Code of the country, ISO 3166-1 alpha-2. */
  code: string
  /** Name of the country in English. */
  name: string
  /** States, provinces or regions of the country. */
  states: LocationState[]
}

export type LocationCountryList = {
  /** The records of this page. */
  items: LocationCountry[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A state, province or region of a country. */
export type LocationState = {
  /** Code of the state within its country. */
  code: string
  /** Name of the state in English. */
  name: string
}

export type Locations = Location[]

export type LogOutBody = {
  /** A refresh token of the session. Left out by applications whose token is in the cookie. */
  refresh_token?: string | undefined
}

/** An address and SMTP account that a store sends e-mail from. Passwords are write-only. */
export type Mailbox = {
  /** Identifier of the mailbox, a UUIDv7 made by the server. */
  id: string
  /** Name of the mailbox, unique in the store. */
  key: string
  /** Address that e-mails are sent from. */
  email: string
  /** Display name of the sender; null for none. */
  name: string | null
  /** Address for replies; if null, that of the sender. */
  reply_to: string | null
  /** E-mails are sent from `active` mailboxes only. */
  status: "active" | "archived"
  /** SMTP account that e-mails are sent through. */
  smtp: {
    /** Host name or address of the SMTP server. */
    host: string
    /** Port of the SMTP server. */
    port: number
    /** `tls` from the first byte, `starttls` required, or `none`. */
    security: "tls" | "starttls" | "none"
    /** User name to sign in with; null for no sign-in. */
    username: string | null
    /** `__redacted__` if a password is stored, null if none is. */
    password: "__redacted__" | null
  }
  /** What campaigns may send over the mailbox. */
  limits: {
    /** Messages per second; null for no limit. */
    per_second: number | null
    /** Messages per day; null for no limit. */
    per_day: number | null
    /** Open connections to the SMTP server at most. */
    connections: number
    /** Messages over one connection at most. */
    messages_per_connection: number
  }
  /** What its server last refused to campaigns; null if it accepts them. Messages wait meanwhile. */
  sending_error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Since when campaigns cannot send over it, in Unix seconds; null if they can. */
  sending_failed_since: number | null
  /** IMAP account of the inbox that replies and bounces arrive in; null for none. */
  imap: {
    /** Host name or address of the IMAP server. */
    host: string
    /** Port of the IMAP server. */
    port: number
    /** `tls` from the first byte, `starttls` required, or `none`. */
    security: "tls" | "starttls" | "none"
    /** User name to sign in with. */
    username: string
    /** `__redacted__` if a password is stored, null if none is. */
    password: "__redacted__" | null
    /** Folder that is read. */
    folder: string
    /** When the folder was last read, in Unix seconds; null if it never was. */
    checked_at: number | null
    /** Why it could not be read the last time; null if it was. `imap_uid_validity` while the mail of the last days is read again, after the server has replaced the folder. */
    error: {
      /** Stable code of what went wrong. */
      code: string
      /** What went wrong, for people. */
      message: string
      /** The provider's code of it, if it sent one. */
      provider_code?: string | undefined
      /** HTTP or SMTP status of its answer, if there was one. */
      provider_status?: number | undefined
    } & Record<string, unknown> | null
  } | null
  /** Secret address that a mail service may POST received mail to, as message/rfc822; null until it is made by a rotation. It ends in `/__unreadable__` if no configured key decrypts the secret; a rotation replaces it. */
  inbound_url: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type MailboxList = {
  /** The records of this page. */
  items: Mailbox[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type Market = {
  /** Identifier of the market, a UUIDv7 made by the server. */
  id: string
  /** Name of the market, unique in the store. It never changes: prices and carts refer to it. */
  key: string
  /** Currency of the market, ISO 4217. It never changes. */
  currency: string
  /** `exclusive`: tax is added to the prices; `inclusive`: prices contain it. */
  tax_mode: "exclusive" | "inclusive"
  /** Regions with their tax rate and shipping methods. The most specific match of the address applies. */
  zones: Zone[]
  /** Payment methods that customers can choose from. */
  payment_methods: PaymentMethod[]
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type MarketList = {
  /** The records of this page. */
  items: Market[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type Media = {
  /** Identifier of the file, a UUIDv7 made by the server. */
  id: string
  /** File name that is shown. */
  name: string
  /** Media type of the original, determined by its content and not by its name. */
  mime_type: string
  /** Size of the original, in bytes. */
  size: number
  /** Width of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known. */
  width: number | null
  /** Height of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known. */
  height: number | null
  /** Duration of an MP4 or QuickTime video in seconds; null for other files, and if the file does not say it. */
  duration_s: number | null
  /** `processing` while smaller versions are made. The addresses of a file that is not `ready` return 404. */
  status: "processing" | "ready" | "failed"
  /** Why processing failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
  } | null
  /** Address of the original. */
  url: string
  /** From name to file: always `original`; of an image also `large`, `medium` and `thumbnail`, and `jpeg` once a social network needed it. */
  resolutions: Record<string, MediaFile>
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type MediaFile = {
  /** Address of the file. */
  url: string
  /** Width in pixels, as displayed; null for a file that is not an image, and until it is known. */
  width: number | null
  /** Height in pixels, as displayed; null for a file that is not an image, and until it is known. */
  height: number | null
  /** Size in bytes. */
  size: number
  /** Media type of the file. */
  mime_type: string
}

export type MediaFileInput = {
  /** Address of the file. */
  url: string
  /** Width in pixels, as displayed; null for a file that is not an image, and until it is known. */
  width: number | null
  /** Height in pixels, as displayed; null for a file that is not an image, and until it is known. */
  height: number | null
  /** Size in bytes. */
  size: number
  /** Media type of the file. */
  mime_type: string
}

export type MediaList = {
  /** The records of this page. */
  items: Media[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type Member = {
  /** Identifier of the account. */
  account_id: string
  /** Address of the account. */
  email: string
  /** Name of the person; null if it is not set, and until the member has acted in the store. */
  name: string | null
  /** Role in the store: `admin` manages its data, `owner` also its team and payments, `super` also its owners. */
  role: "admin" | "owner" | "super"
  /** When the member first acted in the store, accepted an invitation to it or created it, in Unix seconds; null until then. */
  accepted_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type MemberImport = {
  /** Contacts who became members. */
  members_added: number
  /** Members who were active before. */
  members_updated: number
  /** Rows that were not imported. */
  rows_failed: number
  /** The rows that were not imported. */
  failures: Array<{
    /** Index of the row, from 0. */
    row: number
    /** Why it was not imported. `duplicate`: an earlier row has the same address. */
    code: "invalid_email" | "duplicate" | "too_many_fields" | "fields_too_large" | "invalid_key"
  }>
}

export type MemberList = {
  /** The records of this page. */
  items: Member[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type MemberRemoval = {
  /** What happened. `subscription_cancellation_requested`: a paid membership stays until the end of the paid time, a pending one until its payment page is closed. */
  type: "removed" | "subscription_cancellation_requested" | "already_removed"
}

/** A store or business that the caller is a member of. */
export type Membership = {
  /** Identifier of the store, a UUIDv7 made by the server. */
  id: string
  /** `store` for the routes below `/v1/stores`, `business` for those below `/v1/businesses`. */
  kind: "store" | "business"
  /** Name of the store in addresses, unique in the installation. */
  key: string
  /** Name for people, of the settings; null if it is not set. */
  name: string | null
  /** Role of the caller. */
  role: "admin" | "owner" | "super"
  /** Time zone of the store, as an IANA name. */
  timezone: string
  /** Storefront calls to an `ARCHIVED` store are refused with 403. */
  status: "DRAFT" | "ACTIVE" | "ARCHIVED"
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type MembershipList = {
  /** The records of this page. */
  items: Membership[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type MergeContactBody = {
  /** Identifier of the contact that is merged into the one of the path, and deleted. */
  source_contact_id: string
}

/** A problem with status 405. */
export type MethodNotAllowedProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 405
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "method_not_allowed"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

export type ModerateBusinessReactionBody = {
  /** The new status. */
  status: "pending" | "published" | "hidden" | "removed"
  /** A note for operators, 2,000 characters at most; left out, it is kept. */
  note?: string | null | undefined
}

export type ModerateReactionBody = {
  /** The new status. */
  status: "pending" | "published" | "hidden" | "removed"
  /** A note for operators, 2,000 characters at most; left out, it is kept. */
  note?: string | null | undefined
}

/** A network of stores and businesses, whose offers are searched together. */
export type Network = {
  /** Identifier of the network, a UUIDv7 made by the server. */
  id: string
  /** Name of the network in addresses, unique in the installation. */
  key: string
  /** Name of the network for people. */
  name: string
  /** Identifiers of the stores and businesses of the network. */
  tenant_ids: string[]
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type NetworkList = {
  /** The records of this page. */
  items: Network[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** Latest result of a node. In status `unknown` the effect may or may not have happened, and it is never sent again. */
export type NodeResult = {
  /** State of the node. `unknown`: it cannot be proved whether the receiver acted, and nothing is sent again. */
  status: "pending" | "running" | "completed" | "failed" | "skipped" | "cancelled" | "unknown"
  /** What the node returned; null where it is larger than 64 KiB: read the run `run_id` instead. */
  output: unknown
  /** Size of the output as JSON, in bytes; null where there is none. */
  output_bytes: number | null
  /** Why the node failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
  } & Record<string, unknown> | null
  /** Number of attempts that were started. */
  attempts: number
  /** Identifier of the run; of the latest iteration in a loop. Null for a node that has not run. */
  run_id: string | null
  /** Time at which the node started, in Unix seconds; null until then. */
  started_at: number | null
  /** Time at which the node ended, in Unix seconds; null until then. */
  finished_at: number | null
  /** When the next attempt is due, in Unix seconds: after the node's delay, or when the mail server asked for a later attempt. Null: not waiting. */
  next_attempt_at: number | null
}

export type NodeRun = {
  /** Identifier of the node run, a UUIDv7 made by the server. */
  id: string
  /** Id of the node; in a loop followed by the iteration: `mail#3`. */
  key: string
  /** Id of the node in the graph. */
  node: string
  /** State of the run. `unknown`: it cannot be proved whether the receiver acted, and nothing is sent again. */
  status: "pending" | "running" | "completed" | "failed" | "skipped" | "cancelled" | "unknown"
  /** Size of the output as JSON, in bytes; null where there is none. */
  output_bytes: number | null
  /** Why the run failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
  } & Record<string, unknown> | null
  /** Number of attempts that were started. */
  attempts: number
  /** Time at which the request may have left for the receiver, in Unix seconds; null if it has not. */
  sent_at: number | null
  /** Time at which the run started, in Unix seconds; null until then. */
  started_at: number | null
  /** Time at which the run ended, in Unix seconds; null until then. */
  finished_at: number | null
  /** When the next attempt is due, in Unix seconds: after the node's delay, or when the mail server asked for a later attempt. Null: not waiting. */
  next_attempt_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** What the node returned; null where there is none. */
  output: unknown
  /** The part of the answer of the receiver that was stored; null without an answer. */
  evidence: Record<string, unknown> | null
  /** Who resolved a run that was `unknown`, when, how and why, with the resolutions before; null if none was needed. */
  resolution: Record<string, unknown> | null
  /** What the receiver answered after the outcome was recorded as `unknown`; null without such an answer. */
  late_evidence: Record<string, unknown> | null
}

export type NodeRunItem = {
  /** Identifier of the node run, a UUIDv7 made by the server. */
  id: string
  /** Id of the node; in a loop followed by the iteration: `mail#3`. */
  key: string
  /** Id of the node in the graph. */
  node: string
  /** State of the run. `unknown`: it cannot be proved whether the receiver acted, and nothing is sent again. */
  status: "pending" | "running" | "completed" | "failed" | "skipped" | "cancelled" | "unknown"
  /** Size of the output as JSON, in bytes; null where there is none. */
  output_bytes: number | null
  /** Why the run failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
  } & Record<string, unknown> | null
  /** Number of attempts that were started. */
  attempts: number
  /** Time at which the request may have left for the receiver, in Unix seconds; null if it has not. */
  sent_at: number | null
  /** Time at which the run started, in Unix seconds; null until then. */
  started_at: number | null
  /** Time at which the run ended, in Unix seconds; null until then. */
  finished_at: number | null
  /** When the next attempt is due, in Unix seconds: after the node's delay, or when the mail server asked for a later attempt. Null: not waiting. */
  next_attempt_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type NodeRunItemList = {
  /** The records of this page. */
  items: NodeRunItem[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A problem with status 404. */
export type NotFoundProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 404
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "no_route" | "not_found"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

export type Onboarding = {
  /** Address where the store's owner completes onboarding at the provider; null: the account is ready. */
  onboarding_url: string | null
}

export type OpenBusinessPortalBody = {
  /** Address that the provider's page returns to: https, or http for localhost. */
  returnUrl: string
}

export type OpenStorePortalBody = {
  /** Address that the provider's page returns to: https, or http for localhost. */
  return_url: string
}

/** An order, created from one cart. Amounts are in minor units of `money.currency`. */
export type Order = {
  /** Identifier of the order, a UUIDv7 made by the server. */
  id: string
  /** Number of the order for people, counted per store. */
  number: number
  /** `pending` until it is confirmed; `partially_cancelled` if lines were removed after the confirmation. */
  status: "pending" | "confirmed" | "partially_cancelled" | "cancelled"
  /** How much of the goods was shipped; `none` if nothing has to be. */
  fulfillment_status: "none" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "cancelled"
  /** Identifier of the contact who ordered. */
  contact_id: string
  /** Whether the contact had a verified address at checkout. */
  verified: boolean
  /** Address of the contact at checkout, verified or claimed; null if there was none. */
  email: string | null
  /** Time of the payment, in Unix seconds; null until then. */
  paid_at: number | null
  /** Identifier of the cart that was checked out. */
  source_cart_id: string
  /** Identifier of the order's one payment. */
  payment_id: string
  /** Key of the market in which it was ordered. */
  market: string
  /** Totals of the order. */
  money: OrderMoney
  /** The chosen shipping method and what it costs; null if nothing is shipped. */
  shipping_line: ShippingLine | null
  /** Identifier of the location where the goods are picked up; null if they are shipped. */
  pickup_location_id: string | null
  /** Where the goods are shipped; null for none. */
  shipping_address: Address | null
  /** Address of the invoice; null for none. */
  billing_address: Address | null
  /** Form values that came with the order. */
  forms: FormEntry[]
  /** Promo code that was redeemed; null for none. */
  promo_code: string | null
  /** Number of the record's latest change. An update must send it. */
  version: number
  /** Time of the cancellation, in Unix seconds; null if it is not cancelled. */
  cancelled_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

/** A booking of an order. Amounts are in minor units. */
export type OrderBooking = {
  /** Identifier of the line; unique in the quote or order. */
  id: string
  /** Identifier of the service. */
  service_id: string
  /** Identifier of the provider. */
  provider_id: string
  /** Key of the service at that time. */
  service_key: string
  /** Key of the provider at that time. */
  provider_key: string
  /** Booked slots. */
  slots: Slot[]
  /** Number of units; of a booking, number of slots. */
  quantity: number
  /** Price of one unit or slot, in minor units. */
  unit_price: number
  /** `unit_price` × `quantity`, in minor units. */
  subtotal: number
  /** The line's share of all discounts, in minor units. */
  discount: number
  /** Tax of the line after discount, in minor units. */
  tax: number
  /** Amount to pay for the line, tax contained, in minor units. */
  total: number
  /** Identifier of the order. */
  order_id: string
  /** `pending` until the order is confirmed; `completed` and `no_show` are set by an operator after the start. */
  status: "pending" | "confirmed" | "completed" | "no_show" | "cancelled"
  /** Start of the first slot, in Unix seconds. */
  starts_at: number
  /** End of the last slot, in Unix seconds. */
  ends_at: number
  /** Time of the next reminder, in Unix seconds; null if none is due. */
  remind_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

/** A confirmed booking, with the slot that the reminder is for. */
export type OrderBookingReminder = {
  /** Identifier of the line; unique in the quote or order. */
  id: string
  /** Identifier of the service. */
  service_id: string
  /** Identifier of the provider. */
  provider_id: string
  /** Key of the service at that time. */
  service_key: string
  /** Key of the provider at that time. */
  provider_key: string
  /** Booked slots. */
  slots: Slot[]
  /** Number of units; of a booking, number of slots. */
  quantity: number
  /** Price of one unit or slot, in minor units. */
  unit_price: number
  /** `unit_price` × `quantity`, in minor units. */
  subtotal: number
  /** The line's share of all discounts, in minor units. */
  discount: number
  /** Tax of the line after discount, in minor units. */
  tax: number
  /** Amount to pay for the line, tax contained, in minor units. */
  total: number
  /** Identifier of the order. */
  order_id: string
  /** `pending` until the order is confirmed; `completed` and `no_show` are set by an operator after the start. */
  status: "pending" | "confirmed" | "completed" | "no_show" | "cancelled"
  /** Start of the first slot, in Unix seconds. */
  starts_at: number
  /** End of the last slot, in Unix seconds. */
  ends_at: number
  /** Time of the next reminder, in Unix seconds; null if none is due. */
  remind_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Number of the order for people, counted per store. */
  order_number: number
  /** Identifier of the contact who booked. */
  contact_id: string
  /** The slot that the reminder is for. */
  slot: Slot
}

/** A slot of a confirmed booking starts soon, by the store setting `booking_reminder_minutes`. Published once per slot. */
export type OrderBookingReminderEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "order_booking.reminder"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: OrderBookingReminder
}

export type OrderBookings = OrderBooking[]

/** A cart was checked out. The order may not be paid yet. */
export type OrderCreatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "order.created"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: Order
}

export type OrderLine = {
  /** Identifier of the line; unique in the quote or order. */
  id: string
  /** Identifier of the product. */
  product_id: string
  /** Identifier of the variant. */
  variant_id: string
  /** Stock keeping unit at that time; null for none. */
  sku: string | null
  /** The product's block `name` at that time, in the first of the languages of the store that it has; its key without such a block. */
  name: string | null
  /** Whether the goods are shipped or picked up. */
  requires_shipping: boolean
  /** Number of units; of a booking, number of slots. */
  quantity: number
  /** Price of one unit or slot, in minor units. */
  unit_price: number
  /** `unit_price` × `quantity`, in minor units. */
  subtotal: number
  /** The line's share of all discounts, in minor units. */
  discount: number
  /** Tax of the line after discount, in minor units. */
  tax: number
  /** Amount to pay for the line, tax contained, in minor units. */
  total: number
  /** Identifier of the order. */
  order_id: string
  /** `pending` until the order is confirmed, then `confirmed`; `cancelled` with the order or when it was replaced. */
  status: "pending" | "confirmed" | "cancelled"
  /** Whether tax was calculated for the line. */
  taxable: boolean
  /** Units of the line that were shipped. */
  shipped_quantity: number
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type OrderLines = OrderLine[]

export type OrderList = {
  /** The records of this page. */
  items: Order[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type OrderMoney = {
  /** Currency of all amounts, ISO 4217. */
  currency: string
  /** Sum of the lines before discount, in minor units. */
  subtotal: number
  /** Sum of all discounts, on items and on shipping, in minor units. */
  discount: number
  /** Shipping before discount, in minor units. */
  shipping: number
  /** Tax on items and shipping. Null if none is calculated: no zone of the market has a tax, or, in a quote, it depends on an address that is missing. `total` then includes no tax, and checkout requires the address (`zone_not_found`). */
  tax: {
    /** Sum of all taxes, in minor units. */
    amount: number
    /** Whether the tax is contained in the prices (market in `inclusive` mode) and not added to them. */
    included: boolean
  } | null
  /** Amount to pay, in minor units: subtotal − discount + shipping, plus a tax that is not included. */
  total: number
}

export type OrderQuote = {
  /** Lines of physical products. */
  product_lines: QuotedLine[]
  /** Lines of bookings. */
  booking_lines: BookingLine[]
  /** Lines of digital products. */
  digital_lines: QuotedLine[]
  /** The chosen shipping method; empty if none is chosen or needed. */
  shipping_lines: ShippingLine[]
  /** Shipping methods that are available for the address. */
  shipping_methods: ShippingMethod[]
  /** Payment methods that are available for the total. */
  payment_methods: PaymentMethod[]
  /** Key of the chosen payment method; null if none is chosen. */
  payment_method_key: string | null
  /** Totals of the quote. */
  money: OrderMoney
}

/** An order was changed: confirmed, cancelled, paid, shipped or edited. Published once per transaction. */
export type OrderUpdatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "order.updated"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: Order
}

/** Work that waits. */
export type OverviewBacklog = {
  /** Kind of the process that does the work. */
  kind: "refund" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "mail" | "campaign_message" | "webhook_test" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reply" | "social_classification" | "channel_message" | "checkout" | "portal" | "membership" | "deliver" | "dispatch" | "inbox" | "execution" | "model_turn" | "channel" | "schedule" | "scheduled" | "media" | "social_connection" | "publication" | "social_sync" | "script" | "enrollment_import" | "erasure" | "listings" | "booking_reminder"
  /** Task queue that its workers take it from. */
  queue: "money" | "deliveries" | "campaigns" | "automation" | "agents" | "mail" | "inbox" | "media" | "social" | "engagement" | "default"
  /** What it waits for: `start` of its workflow, `slot` of the task queue, which stores share, or, when `due`, to be sent. */
  stage: "start" | "slot" | "due"
  /** How much waits; of `due` 10000 at most. */
  count: number
  /** Since when the oldest waits, in Unix seconds. */
  oldest_at: number
  /** How long the oldest waits, in seconds. */
  oldest_age_s: number
}

/** Figures of one day. */
export type OverviewDay = {
  /** Date of the day in the time zone (YYYY-MM-DD). */
  date: string
  /** Its first second, in Unix seconds. */
  from: number
  /** The first second of the next day: a day has 23, 24 or 25 hours. */
  to: number
  /** Payments of orders and memberships by the time of their capture, by currency. */
  sales: OverviewMoney[]
  /** Refunds that succeeded, by the time of their request and by currency. */
  refunded: OverviewMoney[]
  /** Orders that were placed, by status: `pending`, `confirmed`, `partially_cancelled`, `cancelled`. Those without any are left out. */
  orders: Record<string, number>
  /** Bookings that were made, by status: `pending`, `confirmed`, `completed`, `no_show`, `cancelled`. Those without any are left out. */
  bookings: Record<string, number>
  /** Refunds that were requested, by status: `requested`, `processing`, `succeeded`, `rejected`, `failed`, `unknown`. Those without any are left out. */
  refunds: Record<string, number>
  /** Deliveries of events to webhooks, by status: `pending`, `succeeded`, `failed`. Those without any are left out. */
  deliveries: Record<string, number>
  /** Mails about sign-ins, memberships and chats, by status: `requested`, `processing`, `succeeded`, `rejected`, `failed`, `unknown`. Those without any are left out. */
  mails: Record<string, number>
  /** Messages of campaigns, by status: `requested`, `processing`, `succeeded`, `rejected`, `failed`, `unknown`. Those without any are left out. */
  messages: Record<string, number>
  /** Executions of workflows, by status: `pending`, `running`, `completed`, `failed`, `cancelled`. Those without any are left out. */
  executions: Record<string, number>
}

/** Figures of a time, by the status that the records have now. */
export type OverviewFigures = {
  /** Payments of orders and memberships by the time of their capture, by currency. */
  sales: OverviewMoney[]
  /** Refunds that succeeded, by the time of their request and by currency. */
  refunded: OverviewMoney[]
  /** Orders that were placed, by status: `pending`, `confirmed`, `partially_cancelled`, `cancelled`. Those without any are left out. */
  orders: Record<string, number>
  /** Bookings that were made, by status: `pending`, `confirmed`, `completed`, `no_show`, `cancelled`. Those without any are left out. */
  bookings: Record<string, number>
  /** Refunds that were requested, by status: `requested`, `processing`, `succeeded`, `rejected`, `failed`, `unknown`. Those without any are left out. */
  refunds: Record<string, number>
  /** Deliveries of events to webhooks, by status: `pending`, `succeeded`, `failed`. Those without any are left out. */
  deliveries: Record<string, number>
  /** Mails about sign-ins, memberships and chats, by status: `requested`, `processing`, `succeeded`, `rejected`, `failed`, `unknown`. Those without any are left out. */
  mails: Record<string, number>
  /** Messages of campaigns, by status: `requested`, `processing`, `succeeded`, `rejected`, `failed`, `unknown`. Those without any are left out. */
  messages: Record<string, number>
  /** Executions of workflows, by status: `pending`, `running`, `completed`, `failed`, `cancelled`. Those without any are left out. */
  executions: Record<string, number>
}

export type OverviewMoney = {
  /** Currency of the amount, ISO 4217. */
  currency: string
  /** Number of payments or refunds. */
  count: number
  /** Their sum, in minor units of the currency. */
  amount: number
}

export type OwnAccount = {
  /** Identifier of the account, a UUIDv7 made by the server. */
  id: string
  /** Address that the account signs in with, in lower case. It never changes. */
  email: string
  /** Name of the person; null if it is not set. */
  name: string | null
  /** What the account has done so far. */
  lifecycle: {
    /** Time of the latest sign-in, in Unix seconds; null before the first. */
    last_login_at: number | null
    /** Whether the account has finished onboarding. Set by the caller. */
    onboarding_completed: boolean
  }
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Whether the account may call the routes of platform administrators. The installation names them. */
  platform_administrator: boolean
}

/** A membership as its contact sees it. */
export type OwnAudienceMember = {
  /** Identifier of the membership, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the audience. */
  audience_id: string
  /** Identifier of the contact. */
  contact_id: string
  /** The audience. */
  audience: {
    /** Identifier of the audience. */
    id: string
    /** Key. */
    key: string
    /** Name for people. */
    name: string
  }
  /** The contact. */
  contact: {
    /** Identifier of the contact. */
    id: string
    /** Address of the contact; null for none. */
    email: string | null
  }
  /** `pending` until the contact has confirmed or paid. `cancelled`, `expired` and `removed` memberships have ended; the contact may join again. */
  status: "pending" | "active" | "cancelled" | "expired" | "removed"
  /** Whether the audience's e-mail is sent to the member. Only the member can subscribe again. */
  delivery_status: "subscribed" | "unsubscribed" | "bounced" | "complained"
  /** How the member joined most recently. */
  source: "storefront" | "operator" | "import"
  /** Identifier of the tier; null for none. */
  tier_id: string | null
  /** Identifier of the price; null for none. */
  price_id: string | null
  /** End of the time that is paid, in Unix seconds; null for a free or one-time membership. */
  paid_through_at: number | null
  /** Last second of access of an active member, in Unix seconds: the paid time and, unless the membership is ending, the grace of the store. Null: no end. */
  access_until: number | null
  /** Whether access lasts beyond the paid time at this moment. */
  in_grace: boolean
  /** When the membership ends, in Unix seconds; null if it does not end. */
  cancel_at: number | null
  /** The payment provider's status of the subscription; null without one. */
  billing_status: string | null
  /** Why the subscription is not billed as it should be; null if it is. The contact itself sees `payment_failed` only. */
  billing_error: BillingError | null
  /** When the membership became active most recently, in Unix seconds; null if it never was. */
  joined_at: number | null
  /** When the membership ended, in Unix seconds; null if it has not. */
  ended_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Page where the contact manages the membership. Keep it secret: the link needs no sign-in. Null while it is pending. */
  manage_url: string | null
}

export type OwnAudienceMemberList = {
  /** The records of this page. */
  items: OwnAudienceMember[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type OwnContact = {
  /** Identifier of the contact, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the store. */
  store_id: string
  /** Status of the contact. */
  status: "active" | "archived"
  /** Taxonomies that the contact is filed under. */
  taxonomies: TaxonomyEntry[]
  /** The verified address, or else the one that the visitor claimed; null if there is none. */
  email: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type OwnReaction = {
  /** Identifier of the reaction. */
  id: string
  /** Its kind. */
  kind: string
  /** Its status. */
  status: "pending" | "published" | "hidden" | "removed"
}

/** The one payment of an order. Amounts are in minor units. */
export type Payment = {
  /** Identifier of the payment, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the order. */
  order_id: string
  /** How it is paid; `none` where the total is 0. */
  type: "cash" | "card" | "none"
  /** Key of the market's payment method; null where the total is 0. */
  method_key: string | null
  /** `pending` until the provider or an operator confirms the payment. Refunds leave it `paid`. */
  status: "pending" | "processing" | "authorized" | "paid" | "failed" | "cancelled"
  /** Currency of all amounts of the payment, ISO 4217. */
  currency: string
  /** Amount due, in minor units. */
  amount: number
  /** Amount that was captured, in minor units. */
  captured_amount: number
  /** Amount that was refunded, in minor units. */
  refunded_amount: number
  /** Amount of refunds that are in progress, in minor units. */
  refund_pending_amount: number
  /** Amount of refunds whose outcome is unknown, in minor units. It stays reserved until an operator resolves them. */
  refund_unknown_amount: number
  /** Payment provider; null for cash and where the total is 0. */
  provider: string | null
  /** The store's account at the provider; null without a provider. */
  provider_account_id: string | null
  /** The provider's id of the checkout session; null until there is one. */
  provider_session_id: string | null
  /** The provider's id of the payment; null until it is known. */
  provider_payment_id: string | null
  /** What the provider reported about the payment; null if nothing. */
  evidence: Record<string, unknown> | null
  /** Why the payment failed; null if it did not. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Time at which it was paid, in Unix seconds; null until then. */
  paid_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type PaymentAction = PaymentActionNone | PaymentActionCardEmbeddedCheckout

export type PaymentActionCardEmbeddedCheckout = {
  /** What the browser has to do: `card_embedded_checkout` opens the payment form of the provider, `none` requires nothing. */
  type: "card_embedded_checkout"
  /** Payment provider of the form. */
  provider: "stripe"
  /** Identifier of the store's connected account at the provider; `integration:` and an id for the account of an integration. */
  account_id: string
  /** Publishable key of the provider for the browser library. */
  publishable_key: string
  /** Secret of the payment form for the provider's browser library. It is valid until `expires_at`. */
  client_secret: string
  /** Time at which the payment form expires, in Unix seconds. */
  expires_at?: number | undefined
}

export type PaymentActionNone = {
  /** What the browser has to do: `card_embedded_checkout` opens the payment form of the provider, `none` requires nothing. */
  type: "none"
}

export type PaymentMethod = {
  /** Key of the method, as a cart names it. */
  key: Key
  /** `cash` is marked as paid by an operator; `card` is charged through the connected provider. */
  type: "cash" | "card"
}

export type PaymentProvider = {
  /** Identifier of the connection to the provider, a UUIDv7 made by the server. */
  id: string
  /** Payment provider. */
  type: "stripe"
  /** The provider's id of the connected account; null until the provider has returned it. */
  account_id: string | null
  /** Country of the account, ISO 3166-1 alpha-2; null if none was given. */
  country: string | null
  /** Address of the account at the provider; null if none was given. */
  email: string | null
  /** Whether cards can be charged. */
  ready: boolean
  /** Whether the provider lets the account accept payments. */
  charges_enabled: boolean
  /** Whether the provider pays out to the account. */
  payouts_enabled: boolean
  /** Whether onboarding at the provider is complete. */
  details_submitted: boolean
  /** Outcome of creating the account. `unknown`: it cannot be proved whether the provider created it, and nothing is sent again. */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
  /** Why the account was not created; null if it was. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type PaymentProviderList = {
  /** The records of this page. */
  items: PaymentProvider[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A telephone number, stored in its international form (E.164). One without a country code is a number of the country of the store: that of the address in its settings, else the one country of its locations. */
export type PhoneNumber = string

export type PickupLocation = {
  /** Identifier of the location, to be sent as `pickup_location_id` of a cart. */
  id: string
  /** Name of the location, unique in the store. */
  key: string
  /** Address of the location. */
  address: Address | null
}

export type PickupLocations = PickupLocation[]

/** What the browser has to do next to pay. The payment form is one of the platform's own account. */
export type PlanPaymentAction = PlanPaymentActionNone | PlanPaymentActionCardEmbeddedCheckout

export type PlanPaymentActionCardEmbeddedCheckout = {
  /** What the browser has to do: `card_embedded_checkout` opens the payment form of the provider, `none` requires nothing. */
  type: "card_embedded_checkout"
  /** Payment provider of the form. */
  provider: "stripe"
  /** Publishable key of the provider for the browser library. */
  publishable_key: string
  /** Secret of the payment form for the provider's browser library. It is valid until `expires_at`. */
  client_secret: string
  /** Time at which the payment form expires, in Unix seconds. */
  expires_at?: number | undefined
}

export type PlanPaymentActionNone = {
  /** What the browser has to do: `card_embedded_checkout` opens the payment form of the provider, `none` requires nothing. */
  type: "none"
}

/** A link to the payment provider's customer portal. */
export type Portal = {
  /** Address of the provider's page. It is valid for minutes; request a new one for each visit. */
  portal_url: string
}

/** Postal code, 32 characters at most. Case, blanks, hyphens and a prefix of the country make no difference. */
export type PostalCode = string

/** Postal code of a zone, compared as those of addresses are. One that ends in `*` is a prefix. */
export type PostalCodePattern = string

export type PreviewCampaignBody = {
  /** Position of the step, from 0. */
  step: number
  /** Enrollment whose contact and variables are used; null or left out for none. */
  enrollment_id?: string | null | undefined
  /** Values for a recipient who is not enrolled; ignored with an `enrollment_id`. */
  variables?: Record<string, unknown> | undefined
}

export type PreviewContactMergeBody = {
  /** Identifier of the contact that would be merged into the one of the path. */
  source_contact_id: string
}

export type PreviewEmailTemplateBody = {
  /** Values that the Liquid expressions read. */
  variables?: Record<string, unknown> | undefined
}

export type PreviewEmailTemplateDraftBody = {
  /** Language of `body`; `mjml` by default. */
  format?: "mjml" | "html" | undefined
  /** Subject line, with Liquid expressions, of 1 to 2,000 characters. */
  subject: string
  /** Source of the HTML part: MJML or HTML with Liquid expressions. */
  body: string
  /** Source of the plain-text part, with Liquid expressions; if null or left out, it is derived from the HTML part. */
  text?: string | null | undefined
  /** Values that the Liquid expressions read. */
  variables?: Record<string, unknown> | undefined
}

export type Price = {
  /** Key of the market. */
  market: Key
  /** Currency of the market, ISO 4217; another one is refused. May be left out. */
  currency?: string | undefined
  /** Amount in minor units of the market's currency: 1099 is 10.99 USD. */
  amount: number
}

/** How often a price is charged. */
export type PriceInterval = {
  /** Unit of the interval. */
  period: "day" | "week" | "month" | "year"
  /** Number of units between two charges; three years at most. */
  count: number
}

/** How often a price is charged. */
export type PriceIntervalInput = {
  /** Unit of the interval. */
  period: "day" | "week" | "month" | "year"
  /** Number of units between two charges; three years at most. */
  count?: number | undefined
}

/** An error (RFC 9457). The pointers of `errors` lead into the body, or into the record that the request is about, such as the cart of a checkout, or name a query parameter. */
export type Problem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: number
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: string
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

/** A product, sold in one or more variants. */
export type Product = {
  /** Identifier of the record, a UUIDv7 made by the server. */
  id: string
  /** Name of the record, unique in the store. */
  key: string
  /** From locale code to the slug in that language. */
  slug: LocaleMap
  /** Content blocks. */
  blocks: Block[]
  /** Taxonomies that the record is filed under, with their entries or fields. */
  taxonomies: TaxonomyEntry[]
  /** `active` records are public; `draft` and `archived` ones are visible to operators only. */
  status: "active" | "draft" | "archived"
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** What can be bought of the product, each with its own prices and stock. */
  variants: ProductVariant[]
}

/** A product was created. */
export type ProductCreatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "product.created"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: Product
}

/** A product was deleted. `data` is the product as it was before. */
export type ProductDeletedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "product.deleted"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: Product
}

export type ProductItem = {
  /** Identifier of the product. */
  product_id: string
  /** Identifier of the product's variant. */
  variant_id: string
  /** Units to buy, 1 to 1,000,000. */
  quantity: number
}

export type ProductList = {
  /** The records of this page. */
  items: Product[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A product was changed. A change of its stock alone publishes nothing. */
export type ProductUpdatedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "product.updated"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: Product
}

export type ProductVariant = {
  /** Identifier of the variant, a UUIDv7 made by the server. */
  id: string
  /** Stock keeping unit; null for none. */
  sku: string | null
  /** Prices of one unit, one per market. */
  prices: Price[]
  /** Attributes of the variant, in the caller's own shape. */
  attributes: unknown[]
  /** Weight of one unit, in grams; null if it is unknown. */
  weight: number | null
  /** Whether the goods are shipped or picked up. */
  requires_shipping: boolean
  /** Whether tax is added to, or contained in, its price. */
  taxable: boolean
  /** Whether the goods are digital. */
  is_digital: boolean
}

export type ProductVariantWrite = {
  /** Identifier of an existing variant of the product; left out for a new one. */
  id?: string | undefined
  /** Stock keeping unit, 255 characters at most; null for none. */
  sku?: string | null | undefined
  /** Prices of one unit, one per market. Without a price the variant cannot be sold in that market. */
  prices?: Price[] | undefined
  /** Attributes of the variant, such as size or color, in the caller's own shape; 200 at most. */
  attributes?: unknown[] | undefined
  /** Weight of one unit, in grams; null if it is unknown. */
  weight?: number | null | undefined
  /** Whether the goods are shipped or picked up; true by default. */
  requires_shipping?: boolean | undefined
  /** Whether tax is added to, or contained in, its price; true by default. */
  taxable?: boolean | undefined
  /** Whether the goods are digital; false by default. */
  is_digital?: boolean | undefined
  /** All stock levels of this variant, 200 at most: others are deleted. Left out, they are kept. A variant without any is not tracked and never runs out. */
  inventory?: Array<{
    /** Identifier of a location of the store. */
    location_id: string
    /** Units that can still be sold: what counts now, whatever was sold since it was read. Either this or `delta`. */
    available?: number | undefined
    /** Units to add, or with a minus to take away: what is sold meanwhile stays subtracted. A level that does not exist begins at 0. */
    delta?: number | undefined
    /** Expected present `available`, null for no level: with another one nothing is written. It makes a `delta` safe to repeat. */
    if_available?: number | null | undefined
  }> | undefined
}

export type PromoCode = {
  /** Identifier of the promo code, a UUIDv7 made by the server. */
  id: string
  /** The code that customers enter. Case is ignored. */
  code: string
  /** `active` codes can be redeemed; `archived` ones cannot. */
  status: "active" | "archived"
  /** Discounts, applied in this order, each to what the previous one left. */
  discounts: Discount[]
  /** Conditions that must all be met. */
  conditions: Condition[]
  /** Number of redemptions. Set by the server. */
  uses: number
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type PromoCodeList = {
  /** The records of this page. */
  items: PromoCode[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type Provider = {
  /** Identifier of the record, a UUIDv7 made by the server. */
  id: string
  /** Name of the record, unique in the store. */
  key: string
  /** From locale code to the slug in that language. */
  slug: LocaleMap
  /** Content blocks. */
  blocks: Block[]
  /** Taxonomies that the record is filed under, with their entries or fields. */
  taxonomies: TaxonomyEntry[]
  /** `active` records are public; `draft` and `archived` ones are visible to operators only. */
  status: "active" | "draft" | "archived"
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type ProviderList = {
  /** The records of this page. */
  items: Provider[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** An active audience that visitors may join. */
export type PublicAudience = {
  /** Identifier of the audience. */
  id: string
  /** Key of the audience, unique in the store. */
  key: string
  /** Name of the audience for people. */
  name: string
  /** How visitors join. */
  type: {
    /** How visitors join. */
    type: "open" | "confirmation" | "paid"
  }
  /** Active tiers, in the order of their creation. */
  tiers: Array<{
    /** Identifier of the tier, a UUIDv7 made by the server. */
    id: string
    /** Key of the tier, unique in the audience. */
    key: string
    /** Name of the tier for people. */
    name: string
    /** Description of the tier; null for none. */
    description: string | null
    /** What members of the tier get, one text per benefit. */
    benefits: string[]
    /** Prices that can be subscribed to. */
    prices: Array<{
      /** Identifier of the price, as subscribing names it. */
      id: string
      /** Amount in minor units of the currency; 0 is free. */
      amount: number
      /** Currency, ISO 4217. */
      currency: string
      /** How often it is charged; null for once, which gives access without end. */
      interval: PriceInterval | null
    }>
  }>
}

export type PublicAudienceList = {
  /** The records of this page. */
  items: PublicAudience[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type PublicCollection = {
  /** Identifier of the collection, a UUIDv7 made by the server. */
  id: string
  /** Name of the collection, unique in the store. */
  key: string
  /** Schema of the blocks of the collection's entries; if it is empty, entries may have any blocks. */
  schema: BlockSchema[]
  /** Content blocks of the collection itself. The schema does not apply to them. */
  blocks: Block[]
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
}

export type PublicEntry = {
  /** Identifier of the record, a UUIDv7 made by the server. */
  id: string
  /** Name of the record, unique in the store. */
  key: string
  /** From locale code to the slug in that language. */
  slug: LocaleMap
  /** Content blocks. */
  blocks: Block[]
  /** Taxonomies that the entry is filed under, with their entries or fields. */
  taxonomies: TaxonomyEntry[]
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Identifier of the collection that the entry belongs to. */
  collection_id: string
}

export type PublicEntryList = {
  /** The records of this page. */
  items: PublicEntry[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type PublicForm = {
  /** Identifier of the form, a UUIDv7 made by the server. */
  id: string
  /** Name of the form, unique in the store. */
  key: string
  /** Fields of the form, in their order. */
  schema: FormSchema[]
}

export type PublicMarket = {
  /** Identifier of the market, a UUIDv7 made by the server. */
  id: string
  /** Name of the market, unique in the store. It never changes: prices and carts refer to it. */
  key: string
  /** Currency of the market, ISO 4217. It never changes. */
  currency: string
  /** `exclusive`: tax is added to the prices; `inclusive`: prices contain it. */
  tax_mode: "exclusive" | "inclusive"
  /** Regions with their tax rate and shipping methods. The most specific match of the address applies. */
  zones: Zone[]
  /** Payment methods that customers can choose from. */
  payment_methods: PaymentMethod[]
}

export type PublicMarketList = {
  /** The records of this page. */
  items: PublicMarket[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A product for sale, in one or more variants. */
export type PublicProduct = {
  /** Identifier of the record, a UUIDv7 made by the server. */
  id: string
  /** Name of the record, unique in the store. */
  key: string
  /** From locale code to the slug in that language. */
  slug: LocaleMap
  /** Content blocks. */
  blocks: Block[]
  /** Taxonomies that the record is filed under, with their entries or fields. */
  taxonomies: TaxonomyEntry[]
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** What can be bought of the product, each with its own prices and stock. */
  variants: PublicVariant[]
  /** Published stars. */
  stars: {
    /** Sum of the stars divided by their number, not rounded; null without any. */
    average: number | null
    /** Number of stars. */
    count: number
  }
}

export type PublicProductList = {
  /** The records of this page. */
  items: PublicProduct[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type PublicProvider = {
  /** Identifier of the record, a UUIDv7 made by the server. */
  id: string
  /** Name of the record, unique in the store. */
  key: string
  /** From locale code to the slug in that language. */
  slug: LocaleMap
  /** Content blocks. */
  blocks: Block[]
  /** Taxonomies that the record is filed under, with their entries or fields. */
  taxonomies: TaxonomyEntry[]
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Published stars. */
  stars: {
    /** Sum of the stars divided by their number, not rounded; null without any. */
    average: number | null
    /** Number of stars. */
    count: number
  }
}

export type PublicProviderList = {
  /** The records of this page. */
  items: PublicProvider[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type PublicService = {
  /** Identifier of the record, a UUIDv7 made by the server. */
  id: string
  /** Name of the record, unique in the store. */
  key: string
  /** From locale code to the slug in that language. */
  slug: LocaleMap
  /** Content blocks. */
  blocks: Block[]
  /** Taxonomies that the record is filed under, with their entries or fields. */
  taxonomies: TaxonomyEntry[]
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Active providers that offer the service. */
  providers: ServiceOffer[]
  /** Published stars. */
  stars: {
    /** Sum of the stars divided by their number, not rounded; null without any. */
    average: number | null
    /** Number of stars. */
    count: number
  }
}

export type PublicServiceList = {
  /** The records of this page. */
  items: PublicService[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type PublicStore = {
  /** Identifier of the store, a UUIDv7 made by the server. */
  id: string
  /** Name of the store in addresses, unique in the installation. */
  key: string
  /** Name of the store for people. */
  name: string
  /** Time zone of the store, as an IANA name. */
  timezone: string
  /** Languages of the store's content, the main one first. */
  languages: string[]
  /** Addresses of the store. */
  emails: {
    /** Address for customers; null for none. */
    support: string | null
  }
}

export type PublicTaxonomy = {
  /** Identifier of the taxonomy, a UUIDv7 made by the server. */
  id: string
  /** Name of the taxonomy, unique in the store. */
  key: string
  /** Identifier of the store. */
  store_id: string
  /** Identifier of the taxonomy above; null at the top. */
  parent_id: string | null
  /** Schema of the `fields` that a record filed under this taxonomy may have. */
  schema: TaxonomySchema[]
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
}

export type PublicTaxonomyList = {
  /** The records of this page. */
  items: PublicTaxonomy[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type PublicVariant = {
  /** Identifier of the variant, a UUIDv7 made by the server. */
  id: string
  /** Stock keeping unit; null for none. */
  sku: string | null
  /** Prices of one unit, one per market. */
  prices: Price[]
  /** Attributes of the variant, in the caller's own shape. */
  attributes: unknown[]
  /** Weight of one unit, in grams; null if it is unknown. */
  weight: number | null
  /** Whether the goods are shipped or picked up. */
  requires_shipping: boolean
  /** Whether tax is added to, or contained in, its price. */
  taxable: boolean
  /** Whether the goods are digital. */
  is_digital: boolean
  /** Units that can be sold now, at all locations together; null if the stock is not tracked. Units of unpaid orders are subtracted. */
  available: number | null
}

export type PutPlatformDataBody = {
  /** Key to write, 1 to 512 bytes of UTF-8. */
  key: string
  /** Value to store: any JSON of at most 256 KiB, null included. */
  value: unknown
  /** Key that the value had until now; it is deleted in the same transaction. */
  previous_key?: string | undefined
}

export type PutPlatformDataResult = {
  /** Always true: a call that fails returns a problem instead. */
  ok: true
}

export type QuoteBusinessBookingBody = {
  /** What to book: 1 to 100 items, 500 slots at most. */
  items: Array<{
    /** Identifier of the service. */
    serviceId: string
    /** Identifier of the provider. */
    providerId: string
    /** Slots to book, 1 to 100; instead of `from` and `to`. */
    slots?: BusinessSentSlot[] | undefined
    /** Start of the one slot, in Unix seconds; instead of `slots`. */
    from?: number | undefined
    /** End of the one slot, in Unix seconds. */
    to?: number | undefined
    /** Ignored, so that a slot of the availability can be sent as it is. */
    spots?: number | undefined
  }>
  /** Key of one of the market's payment methods; required unless the total is 0. */
  paymentMethodId?: Key | undefined
  /** Promo code, 64 characters at most. */
  promoCode?: string | undefined
  /** Identifier of a promo code, as a quote returns it; null for none. */
  promoCodeId?: string | null | undefined
  /** Where the customer is. Its address decides the tax zone. */
  location?: {
    /** Country, ISO 3166-1 alpha-2, accepted in any case. */
    country?: string | null | undefined
    /** State, province or region, as a code or a name, 100 characters at most. */
    state?: string | null | undefined
    /** City, 200 characters at most. */
    city?: string | null | undefined
    /** Postal code, 32 characters at most. */
    postalCode?: PostalCode | null | undefined
    /** Latitude in degrees (WGS 84). */
    lat?: number | undefined
    /** Longitude in degrees (WGS 84). */
    lng?: number | undefined
  } | undefined
}

export type QuoteBusinessReservationBody = {
  /** What to book: 1 to 100 items, 500 slots at most. */
  items: Array<{
    /** Identifier of the service. */
    serviceId: string
    /** Identifier of the provider. */
    providerId: string
    /** Slots to book, 1 to 100; instead of `from` and `to`. */
    slots?: BusinessSentSlot[] | undefined
    /** Start of the one slot, in Unix seconds; instead of `slots`. */
    from?: number | undefined
    /** End of the one slot, in Unix seconds. */
    to?: number | undefined
    /** Ignored, so that a slot of the availability can be sent as it is. */
    spots?: number | undefined
  }>
  /** Key of one of the market's payment methods; required unless the total is 0. */
  paymentMethodId?: Key | undefined
  /** Promo code, 64 characters at most. */
  promoCode?: string | undefined
  /** Identifier of a promo code, as a quote returns it; null for none. */
  promoCodeId?: string | null | undefined
  /** Where the customer is. Its address decides the tax zone. */
  location?: {
    /** Country, ISO 3166-1 alpha-2, accepted in any case. */
    country?: string | null | undefined
    /** State, province or region, as a code or a name, 100 characters at most. */
    state?: string | null | undefined
    /** City, 200 characters at most. */
    city?: string | null | undefined
    /** Postal code, 32 characters at most. */
    postalCode?: PostalCode | null | undefined
    /** Latitude in degrees (WGS 84). */
    lat?: number | undefined
    /** Longitude in degrees (WGS 84). */
    lng?: number | undefined
  } | undefined
}

export type QuotedLine = {
  /** Identifier of the line; unique in the quote or order. */
  id: string
  /** Identifier of the product. */
  product_id: string
  /** Identifier of the variant. */
  variant_id: string
  /** Stock keeping unit at that time; null for none. */
  sku: string | null
  /** The product's block `name` at that time, in the first of the languages of the store that it has; its key without such a block. */
  name: string | null
  /** Whether the goods are shipped or picked up. */
  requires_shipping: boolean
  /** Number of units; of a booking, number of slots. */
  quantity: number
  /** Price of one unit or slot, in minor units. */
  unit_price: number
  /** `unit_price` × `quantity`, in minor units. */
  subtotal: number
  /** The line's share of all discounts, in minor units. */
  discount: number
  /** Tax of the line after discount, in minor units. */
  tax: number
  /** Amount to pay for the line, tax contained, in minor units. */
  total: number
  /** Units that can be sold now: at the pickup location if the line is picked up there, else at all locations together; null if they are not counted. */
  available: number | null
}

export type RateChatBody = {
  /** 1 to 5. */
  rating: number
  /** What the visitor adds, 2,000 characters at most. */
  comment?: string | null | undefined
}

export type Reaction = {
  /** Identifier of the reaction, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the store. */
  store_id: string
  /** Who sent it; null for an operator, for content that was deleted, and if the contact no longer exists. */
  customer_info: {
    /** Identifier of the contact. */
    id: string
    /** Whether a verified address is theirs. */
    verified: boolean
  } | null
  /** What it is a reaction to. */
  target: {
    /** What it is. */
    type: "product" | "service" | "provider" | "booking" | "node"
    /** Identifier of the record. */
    id: string
  }
  /** The reaction that it replies to; null for none. */
  parent_id: string | null
  /** Number of reactions between it and the target; 0 for a reaction to the target itself. */
  depth: number
  /** Its kind. */
  kind: string
  /** Its content; empty for marks and stars. */
  blocks: Block[]
  /** Taxonomies that it is filed under. */
  taxonomies: TaxonomyEntry[]
  /** `pending` content waits for a moderator, and only its author sees it. `hidden` and `removed` reactions are seen by operators only; `removed` without author and content is what was deleted and has replies. */
  status: "pending" | "published" | "hidden" | "removed"
  /** Whether an operator sent it, for the store. */
  official: boolean
  /** Whether its author had bought the target when they sent it. Always false for marks. */
  verified_purchase: boolean
  /** Of a review, the stars that its author gave the target; null for none. */
  stars: number | null
  /** Number of published reactions here, by kind. */
  counts: Record<string, number>
  /** The caller's own published and pending reactions here, 100 at most. */
  own: OwnReaction[]
  /** Number of published replies with content. */
  reply_count: number
  /** When its author last changed its content, in Unix seconds; null for never. */
  edited_at: number | null
  /** When an operator last set its status, in Unix seconds. Null for visitors. */
  moderated_at?: number | null | undefined
  /** Identifier of the account that last set its status. Null for visitors. */
  moderated_by?: string | null | undefined
  /** Note of the operators. Null for visitors. */
  note?: string | null | undefined
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type ReactionList = {
  /** The records of this page. */
  items: Reaction[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type ReactionSummary = {
  /** What it is. */
  target_type: "product" | "service" | "provider" | "booking" | "node"
  /** Identifier of the record. */
  target_id: string
  /** The reaction whose replies and marks are counted; null for the target. */
  parent_id: string | null
  /** Number of published reactions here, by kind. */
  counts: Record<string, number>
  /** Published stars. */
  stars: {
    /** Sum of the stars divided by their number, not rounded; null without any. */
    average: number | null
    /** Number of stars. */
    count: number
  }
  /** The caller's own published and pending reactions here, 100 at most. */
  own: OwnReaction[]
}

export type ReadCampaignThreadResult = {
  /** Messages, oldest first. */
  items: CampaignThreadMessage[]
}

/** Something that a store needs, and the route that mends its lack. */
export type ReadinessCheck = {
  /** Name of the check. */
  id: "market" | "payment_method" | "price" | "cash" | "card" | "card_account" | "location" | "zone" | "shipping_method" | "service" | "provider" | "service_provider" | "provider_hours" | "mailbox" | "email_template" | "connection"
  /** What the store needs it for; `sell` by card and by cash alike. */
  capability: "sell" | "sell_by_cash" | "sell_by_card" | "ship" | "book" | "send_mail" | "publish"
  /** Whether it is there. */
  ready: boolean
  /** What has to be there. */
  title: string
  /** What an operator does if it is not there. */
  what_to_do: string
  /** The route that mends it. */
  mend: {
    /** Method of the route. */
    method: "POST" | "PUT"
    /** Path of the route, with the id of what it changes. */
    path: string
  }
}

export type ReceiveChannelUpdateResult = {
  /** Always true: the update was taken. */
  received: true
}

export type ReceiveIntegrationEventResult = {
  /** Always true: the event is stored. */
  received: true
}

export type ReceiveStripeEventResult = {
  /** Always true: the event is stored. */
  received: true
}

export type RedeliverBusinessWebhookEventsBody = {
  /** Only deliveries of events created at or after this time, in Unix seconds. */
  since: number
  /** Only deliveries in this status; `failed` by default. */
  status?: "pending" | "succeeded" | "failed" | undefined
}

export type RedeliverBusinessWebhookEventsResult = {
  /** Number of deliveries that are due again. */
  count: number
}

export type RedeliverWebhookEventsBody = {
  /** Only deliveries of events created at or after this time, in Unix seconds. */
  since: number
  /** Only deliveries in this status; `failed` by default. */
  status?: "pending" | "succeeded" | "failed" | undefined
}

export type RedeliverWebhookEventsResult = {
  /** Number of deliveries that are due again. */
  count: number
}

export type RefreshSessionBody = {
  /** The latest refresh token of the session. Reusing one after more than 10 seconds revokes the session. Left out by applications whose token is in the cookie. */
  refresh_token?: string | undefined
}

/** A refund of a payment. In status `unknown` it may or may not have happened, and it is never sent again. */
export type Refund = {
  /** Identifier of the refund, a UUIDv7 made by the server. */
  id: string
  /** The caller's own id of the refund; of refunds by the system or the provider, an id made by the server. */
  refund_id: string
  /** Identifier of the order. */
  order_id: string
  /** Identifier of the payment that is refunded. */
  payment_id: string
  /** Amount of the refund, in minor units of `currency`. */
  amount: number
  /** Currency of the amount, ISO 4217. */
  currency: string
  /** `succeeded` when the provider refunded the amount; `rejected` if the provider refused; `failed` if nothing was sent; `unknown` if the outcome cannot be proved: nothing is sent again, and an operator resolves it. */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
  /** Who made the refund: an operator through the API, the system (a payment after the cancellation), or the provider (its dashboard). */
  origin: "operator" | "system" | "provider"
  /** The provider's id of the refund; null until it is known. */
  provider_refund_id: string | null
  /** What the provider answered; null without an answer. */
  evidence: Record<string, unknown> | null
  /** What proves an outcome and became known after it was recorded as `unknown`; null without it. */
  late_evidence: Record<string, unknown> | null
  /** Why the refund did not succeed; null if it did or is in progress. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Who resolved an `unknown` refund, when, how and why, and in `before` the resolution that it replaced; null if none was needed. */
  resolution: Record<string, unknown> | null
  /** Number of attempts to send it. Another attempt follows only one that provably sent nothing. */
  attempt: number
  /** Whether an operator has to act: the refund is `unknown`, differs from what was resolved, the recorded refunds exceed the captured amount, or a cancelled order is not refunded completely. */
  needs_attention: boolean
  /** Time at which the request may have left for the provider, in Unix seconds; null if it has not. */
  sent_at: number | null
  /** Time of the provider's answer, in Unix seconds; null without one. */
  answered_at: number | null
  /** Time at which the outcome was final, in Unix seconds; null until then. */
  settled_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type RefundBusinessOrderBody = {
  /** Identifier of the order or booking. */
  entity: string
  /** Amount to refund, in minor units of the payment's currency. */
  amount: number
}

export type RefundList = {
  /** The records of this page. */
  items: Refund[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type ReplyToEnrollmentBody = {
  /** UUID made by the caller. The same id and content return the same message, and nothing is sent again; another content, or the same id elsewhere, returns 409 `idempotency_conflict`. */
  message_id: string
  /** Subject; left out, that of the thread with `Re:`. */
  subject?: string | undefined
  /** Plain text. */
  body: string
  /** HTML; left out, the plain text is shown as it is. */
  html?: string | undefined
  /** Files of the store, 10 MiB in all, as they are now. */
  attachments?: Array<{
    /** Identifier of a file of the store. */
    media_id: string
  }> | undefined
}

export type ReplyToSocialCommentBody = {
  /** UUID made by the caller. The same id and text return the same reply; another text returns 409 `idempotency_conflict`. */
  reply_id: string
  /** Text of the reply. Its limit is that of the network: 8,000 characters on a, 300 on b, 10,000 on c, 280 weighted on d, 500 on e. */
  text: string
}

/** A problem with status 431. */
export type RequestHeaderFieldsTooLargeProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 431
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "headers_too_large"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

/** A problem with status 408. */
export type RequestTimeoutProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 408
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "too_slow"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

export type ResearchMember = {
  /** Identifier of the membership. */
  member_id: string
  /** `queued`, `running`; `awaiting_input` if the model has asked a question, which a message answers; `completed`; `failed`; `cancelled`; `unknown` if it cannot be proved whether the model answered: it is not asked again automatically. */
  status: "queued" | "running" | "awaiting_input" | "completed" | "failed" | "cancelled" | "unknown"
  /** Code of the failure; null for none. */
  error: string | null
  /** Signals of the insight that the run recorded. */
  signals: number
  /** Signals that were dropped, as their quote does not stand in their source. */
  signals_dropped: number
}

export type ResearchMessage = {
  /** Identifier of the message, a UUIDv7 made by the server. */
  id: string
  /** The caller's identifier of the message, or the server's. */
  message_id: string
  /** `user` is an operator, `assistant` the model. */
  role: "user" | "assistant"
  /** Text of the message. */
  content: string
  /** Of an operator's message: what became of it; null of the model's. */
  status: "waiting" | "processing" | "answered" | "failed" | "unknown" | "cancelled" | null
  /** Code of why there is no answer; null for none. */
  error: string | null
  /** The member that the model has researched; null if it answers a message, and of operators. */
  member_id: string | null
  /** Whether the model asks, and a message is to answer. */
  is_question: boolean
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type ResearchMessageList = {
  /** The records of this page. */
  items: ResearchMessage[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type ResearchReply = {
  /** The operator's message. `answered`, `failed` or `unknown`; `waiting` or `processing` with 202. */
  message: ResearchMessage
  /** The answer; null if there is none. */
  reply: ResearchMessage | null
}

export type ResearchReplyWithError = {
  /** The operator's message. `answered`, `failed` or `unknown`; `waiting` or `processing` with 202. */
  message: ResearchMessage
  /** The answer; null if there is none. */
  reply: ResearchMessage | null
  /** Of a failed message: the status with which the model's provider refused it, and its words; null for none. */
  provider_error: string | null
}

/** A run of lead research. */
export type ResearchRun = {
  /** Identifier of the run: the caller's `run_id`, or one made by the server. */
  id: string
  /** Identifier of the audience. */
  audience_id: string
  /** What is to be found out. */
  goal: string
  /** The model, as it was sent. */
  model_id: string
  /** `queued`, `running`; `awaiting_input` if the model has asked a question, which a message answers; `completed`; `failed`; `cancelled`; `unknown` if it cannot be proved whether the model answered: it is not asked again automatically. */
  status: "queued" | "running" | "awaiting_input" | "completed" | "failed" | "cancelled" | "unknown"
  /** Code of why the run stopped before its end; null if it did not. */
  error: string | null
  /** The members and their progress, in the order in which they are researched. */
  members: ResearchMember[]
  /** Tokens that the model read. */
  input_tokens: number
  /** Tokens that the model wrote. */
  output_tokens: number
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type ResearchRunList = {
  /** The records of this page. */
  items: ResearchRun[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type ResearchRunWithError = {
  /** Identifier of the run: the caller's `run_id`, or one made by the server. */
  id: string
  /** Identifier of the audience. */
  audience_id: string
  /** What is to be found out. */
  goal: string
  /** The model, as it was sent. */
  model_id: string
  /** `queued`, `running`; `awaiting_input` if the model has asked a question, which a message answers; `completed`; `failed`; `cancelled`; `unknown` if it cannot be proved whether the model answered: it is not asked again automatically. */
  status: "queued" | "running" | "awaiting_input" | "completed" | "failed" | "cancelled" | "unknown"
  /** Code of why the run stopped before its end; null if it did not. */
  error: string | null
  /** The members and their progress, in the order in which they are researched. */
  members: ResearchMember[]
  /** Tokens that the model read. */
  input_tokens: number
  /** Tokens that the model wrote. */
  output_tokens: number
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** The status with which the model's provider refused the last member that failed, and its words; null if it refused none. */
  provider_error: string | null
}

/** A page that a run reads. */
export type ResearchSource = {
  /** Identifier of the source, which signals name. */
  id: string
  /** The member that it was read for; null if it was read to answer a message. */
  member_id: string | null
  /** Address that was requested. */
  url: string
  /** Address that answered, after redirects; null if none did. */
  final_url: string | null
  /** `requested`, `read` or `failed`. */
  status: "requested" | "read" | "failed"
  /** Why it was not read; null if it was. */
  error: "address_refused" | "name_unresolved" | "not_reached" | "no_answer" | "page_too_large" | "too_many_redirects" | "http_status" | "unsupported_type" | "unreadable" | "run_cancelled" | null
  /** HTTP status of the page; null without an answer. */
  http_status: number | null
  /** Title of the page; null for none. */
  title: string | null
  /** Time of the read, in Unix seconds; null before it. */
  read_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type ResearchSourceList = {
  /** The records of this page. */
  items: ResearchSource[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type ResearchSourceWithText = {
  /** Identifier of the source, which signals name. */
  id: string
  /** The member that it was read for; null if it was read to answer a message. */
  member_id: string | null
  /** Address that was requested. */
  url: string
  /** Address that answered, after redirects; null if none did. */
  final_url: string | null
  /** `requested`, `read` or `failed`. */
  status: "requested" | "read" | "failed"
  /** Why it was not read; null if it was. */
  error: "address_refused" | "name_unresolved" | "not_reached" | "no_answer" | "page_too_large" | "too_many_redirects" | "http_status" | "unsupported_type" | "unreadable" | "run_cancelled" | null
  /** HTTP status of the page; null without an answer. */
  http_status: number | null
  /** Title of the page; null for none. */
  title: string | null
  /** Time of the read, in Unix seconds; null before it. */
  read_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Text of the page as the model read it, in which quotes are looked up; null if it was not read. */
  content: string | null
  /** Links of the page that the model could follow. */
  links: Array<{
    /** Address of the link. */
    url: string
    /** Text of the link. */
    text: string
  }>
}

export type ResolveAttentionBody = {
  /** One of the `choices` of the item. `accepted`: a payment of another amount than the one due is kept as it is. `start_again`: what was not started is started. */
  outcome: "succeeded" | "rejected" | "accepted" | "start_again"
  /** How the outcome was established. It is recorded with the operator and the time. */
  note: string
  /** Records the outcome although evidence contradicts it (409 `contradicts_evidence`). The evidence is recorded with it. */
  force?: boolean | undefined
  /** The provider's id of a payment form that was found open. Required for `payment_session` and `succeeded`. */
  provider_object_id?: string | undefined
}

export type ResolveBusinessAttentionBody = {
  /** One of the `choices` of the item. `accepted`: a payment of another amount than the one due is kept as it is. `start_again`: what was not started is started. */
  outcome: "succeeded" | "rejected" | "accepted" | "start_again"
  /** How the outcome was established. It is recorded with the operator and the time. */
  note: string
  /** Records the outcome although evidence contradicts it (409 `contradicts_evidence`). The evidence is recorded with it. */
  force?: boolean | undefined
  /** The provider's id of a payment form that was found open. Required for `payment_session` and `succeeded`. */
  providerObjectId?: string | undefined
}

export type ResolveBusinessRefundBody = {
  /** `succeeded` if the provider refunded the amount, `rejected` if it did not. */
  outcome: "succeeded" | "rejected"
  /** How the outcome was established. It is recorded with the operator and the time. */
  note: string
  /** Records the outcome although evidence contradicts it (409 `contradicts_evidence`). The evidence is recorded with it. */
  force?: boolean | undefined
}

export type ResolveCampaignMessageBody = {
  /** `succeeded` if the mail server accepted the message, `rejected` if it did not. */
  outcome: "succeeded" | "rejected"
  /** How the outcome was established. It is recorded with the operator and the time. */
  note: string
  /** Records the outcome although evidence contradicts it (409 `contradicts_evidence`). The evidence is recorded with it. */
  force?: boolean | undefined
}

export type ResolveErasureItemBody = {
  /** One of the `choices` of the item. `accepted`: a payment of another amount than the one due is kept as it is. */
  outcome: "succeeded" | "rejected" | "accepted"
  /** How the outcome was established. It is recorded with the operator and the time. */
  note: string
  /** Records the outcome although evidence contradicts it (409 `contradicts_evidence`). The evidence is recorded with it. */
  force?: boolean | undefined
  /** The provider's id of a payment form that was found open. Required for `open_form` and `succeeded`. */
  provider_object_id?: string | undefined
  /** Identifier of the item. */
  id: string
}

export type ResolveMemberRefundBody = {
  /** `succeeded` if the provider refunded the amount, `rejected` if it did not. */
  outcome: "succeeded" | "rejected"
  /** How the outcome was established. It is recorded with the operator and the time. */
  note: string
  /** Records the outcome although evidence contradicts it (409 `contradicts_evidence`). The evidence is recorded with it. */
  force?: boolean | undefined
}

export type ResolveNodeRunBody = {
  /** `completed` if the receiver carried out the request, `failed` if it did not. */
  outcome: "completed" | "failed"
  /** How the outcome was established. It is recorded with the operator and the time. */
  note: string
  /** Records the outcome although evidence contradicts it. */
  force?: boolean | undefined
}

export type ResolvePlatformAttentionBody = {
  /** One of the `choices` of the item. `accepted`: a payment of another amount than the one due is kept as it is. `start_again`: what was not started is started. */
  outcome: "succeeded" | "rejected" | "accepted" | "start_again"
  /** How the outcome was established. It is recorded with the operator and the time. */
  note: string
  /** Records the outcome although evidence contradicts it (409 `contradicts_evidence`). The evidence is recorded with it. */
  force?: boolean | undefined
  /** The provider's id of a payment form that was found open. Required for `payment_session` and `succeeded`. */
  provider_object_id?: string | undefined
}

export type ResolveRefundBody = {
  /** `succeeded` if the provider refunded the amount, `rejected` if it did not. */
  outcome: "succeeded" | "rejected"
  /** How the outcome was established. It is recorded with the operator and the time. */
  note: string
  /** Records the outcome although evidence contradicts it (409 `contradicts_evidence`). The evidence is recorded with it. */
  force?: boolean | undefined
}

export type ResolveSocialPublicationBody = {
  /** `published` if it is visible at the network, `failed` if it is not. */
  outcome: "published" | "failed"
  /** The network's id of the post, if it is visible. */
  provider_post_id?: string | undefined
  /** How the outcome was established. It is recorded with the operator and the time. */
  note: string
  /** Records the outcome although evidence contradicts it (409 `contradicts_evidence`). The evidence is recorded with it. */
  force?: boolean | undefined
}

export type ResolveSocialReplyBody = {
  /** `succeeded` if the network has the reply, `rejected` if it does not. */
  outcome: "succeeded" | "rejected"
  /** The network's id of the reply, if it is known. */
  provider_comment_id?: string | undefined
  /** How the outcome was established. It is recorded with the operator and the time. */
  note: string
  /** Records the outcome although evidence contradicts it (409 `contradicts_evidence`). The evidence is recorded with it. */
  force?: boolean | undefined
}

export type ResubscribeMemberBody = {
  /** Token of the link. It may be sent in the query instead. */
  token?: string | undefined
}

export type ResumeMemberSubscriptionBody = {
  /** Token of the link. It may be sent in the query instead. */
  token?: string | undefined
}

export type RunPlatformScriptBody = {
  /** Name of the script. */
  name: string
  /** Argument of the script, 1,000 characters at most. */
  value?: string | undefined
  /** User name for a script that needs one. Write-only: it is neither stored nor passed on. */
  username?: string | undefined
  /** Password for a script that needs one. Write-only: it is neither stored nor passed on. */
  password?: string | undefined
}

export type S3Credentials = {
  /** Access key id. Write-only. */
  access_key_id: string
  /** Secret access key. Write-only. */
  secret_access_key: string
  /** Session token of temporary credentials. Write-only. */
  session_token?: string | undefined
}

export type S3Settings = {
  /** Address of an S3-compatible service; AWS if it is left out. */
  endpoint?: string | undefined
  /** Region of the bucket; `us-east-1` by default. */
  region: string
  /** Name of the bucket. */
  bucket: string
  /** Folder in the bucket below which all files are uploaded. */
  prefix?: string | undefined
  /** Whether the bucket is part of the path and not of the host name; true by default if `endpoint` is set. */
  path_style?: boolean | undefined
}

export type S3SettingsInput = {
  /** Address of an S3-compatible service; AWS if it is left out. */
  endpoint?: string | undefined
  /** Region of the bucket; `us-east-1` by default. */
  region?: string | undefined
  /** Name of the bucket. */
  bucket: string
  /** Folder in the bucket below which all files are uploaded. */
  prefix?: string | undefined
  /** Whether the bucket is part of the path and not of the host name; true by default if `endpoint` is set. */
  path_style?: boolean | undefined
}

export type ScheduleSocialPublicationBody = {
  /** When it becomes visible, in Unix seconds. */
  scheduled_at: number
}

export type ScriptAnswer = {
  /** False if the script failed or does not exist. */
  success: boolean
  /** Result of the script, or its progress while it is running. */
  message: string
}

export type SendAgentMessageBody = {
  /** Text of the message, 1 to 8,000 characters. */
  message: string
  /** Chat to continue; left out, a new one begins. */
  chatId?: string | undefined
  /** A single exchange: the model reads no earlier messages, and the chat cannot be continued. */
  direct?: boolean | undefined
  /** UUID made by the caller: the same id and message return the same answer, and the model is not asked again. */
  messageId?: string | undefined
}

export type SendLeadResearchMessageBody = {
  /** UUID made by the caller: the same id and message return the same saved result. */
  message_id: string
  /** Text of the message, 1 to 8,000 characters. Addresses in it may be read. */
  message: string
}

export type SendSignInCodeBody = {
  /** Address that the sign-in code is mailed to. */
  email: EmailAddress
}

export type SendStoreSignInCodeBody = {
  /** Address that the sign-in code is mailed to. */
  email: EmailAddress
}

export type SendVisitorCodeBody = {
  /** Address that the sign-in code is mailed to. */
  email: EmailAddress
}

/** The hours of the week in which a campaign sends. */
export type SendWindow = {
  /** Days on which messages are sent: 0 is Sunday, 6 is Saturday. */
  days: number[]
  /** Start, HH:MM in the store's time zone. */
  from: string
  /** End, HH:MM in the store's time zone, up to 24:00; later than `from`. */
  to: string
}

/** A span of time to book, in Unix seconds: a slot of the availability, as it is. */
export type SentSlot = {
  /** Start, in Unix seconds. */
  from: number
  /** End, in Unix seconds; later than `from`. */
  to: number
  /** Ignored, so that a slot of the availability can be sent as it is. */
  spots?: number | undefined
}

export type Service = {
  /** Identifier of the record, a UUIDv7 made by the server. */
  id: string
  /** Name of the record, unique in the store. */
  key: string
  /** From locale code to the slug in that language. */
  slug: LocaleMap
  /** Content blocks. */
  blocks: Block[]
  /** Taxonomies that the record is filed under, with their entries or fields. */
  taxonomies: TaxonomyEntry[]
  /** `active` records are public; `draft` and `archived` ones are visible to operators only. */
  status: "active" | "draft" | "archived"
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type ServiceDuration = {
  /** Length of a slot, in minutes. */
  duration: number
}

export type ServiceList = {
  /** The records of this page. */
  items: Service[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** How a provider offers a service. Prices are for one slot; without durations a slot lasts `slot_interval` minutes. */
export type ServiceOffer = {
  /** Identifier of the provider. */
  provider_id: string
  /** Prices of one slot, one per market. */
  prices: Price[]
  /** Lengths that a slot may have; if empty, `slot_interval`. */
  durations: ServiceDuration[]
  /** Minutes from the start of one slot to the next. */
  slot_interval: number
}

/** How a provider offers a service. Hours are wall-clock times in the time zone of the store. */
export type ServiceProvider = {
  /** Identifier of the link, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the service. */
  service_id: string
  /** Identifier of the provider. */
  provider_id: string
  /** Weekly hours in which the provider offers the service. */
  working_days: WorkingDay[]
  /** Hours of single dates; each replaces the working day of its date. */
  specific_dates: SpecificDate[]
  /** Lengths that a slot may have; if empty, `slot_interval`. */
  durations: ServiceDuration[]
  /** Prices of one slot, one per market. */
  prices: Price[]
  /** Minutes from the start of one slot to the next. */
  slot_interval: number
  /** Number of bookings of the provider, of any service, that may take place at any moment of one that is booked with this limit, itself included. */
  concurrent_limit: number
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type ServiceProviderList = {
  /** The records of this page. */
  items: ServiceProvider[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A problem with status 503. */
export type ServiceUnavailableProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 503
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "database_unavailable" | "engine_unavailable" | "model_outcome_unknown" | "model_unavailable" | "overloaded" | "provider_retryable" | "provider_unavailable" | "storage_unavailable"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

/** A session with its tokens, which no other call returns. Times are in Unix seconds. */
export type Session = {
  /** Identifier of the session, a UUIDv7 made by the server. */
  id: string
  /** Bearer token for the calls that follow. It is accepted until `access_expires_at`. */
  access_token: string
  /** Token that `POST /v1/auth/refresh` exchanges for a new pair. It is accepted until `refresh_expires_at`. Null if it is in the cookie. */
  refresh_token: string | null
  /** Time from which the access token is refused, in Unix seconds; one hour after it was issued. */
  access_expires_at: number
  /** Time from which the refresh token is refused, in Unix seconds; seven days after it was issued, or at the end of the session. */
  refresh_expires_at: number
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Whether the address of the account is verified; always true after a sign-in by code. */
  is_verified: boolean
}

export type SessionListed = {
  /** Identifier of the session, a UUIDv7 made by the server. */
  id: string
  /** `active`; `revoked` after a logout or a reused refresh token; `expired` when its refresh token is no longer accepted. */
  status: "active" | "revoked" | "expired"
  /** Time from which the session can no longer be refreshed, in Unix seconds. */
  refresh_expires_at: number
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
}

export type SessionListedList = {
  /** The records of this page. */
  items: SessionListed[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type Shipment = {
  /** Identifier of the shipment, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the order. */
  order_id: string
  /** Lines of the order that were shipped, with their quantities. */
  items: ShipmentItem[]
  /** Carrier that delivers the goods; null if they were handed over. */
  carrier: string | null
  /** The carrier's tracking number; null for none. */
  tracking_number: string | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type ShipmentItem = {
  /** Identifier of a line of the order. */
  line_id: string
  /** Units of the line in this shipment. */
  quantity: number
}

export type ShipmentList = {
  /** The records of this page. */
  items: Shipment[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type ShippingLine = {
  /** Id of the shipping method in its zone. */
  shipping_method_id: string
  /** Name of the shipping method; null for none. */
  name: string | null
  /** Delivery time, as text. */
  eta_text: string
  /** Shipping before discount, in minor units. */
  subtotal: number
  /** Discount on shipping, in minor units. */
  discount: number
  /** Tax on shipping after discount, in minor units. */
  tax: number
  /** Amount to pay for shipping, tax contained, in minor units. */
  total: number
}

export type ShippingMethod = {
  /** Id of the method, as a cart names it. */
  id: string
  /** Name of the method for people. */
  name?: string | undefined
  /** Whether shipping is taxed like the goods; true by default. */
  taxable: boolean
  /** Delivery time, as text. */
  eta_text: string
  /** Price of the method, in minor units of the market's currency. */
  amount: number
}

export type ShippingMethodInput = {
  /** Id of the method, as a cart names it. */
  id: string
  /** Name of the method for people. */
  name?: string | undefined
  /** Whether shipping is taxed like the goods; true by default. */
  taxable?: boolean | undefined
  /** Delivery time, as text. */
  eta_text?: string | undefined
  /** Price of the method, in minor units of the market's currency. */
  amount: number
}

/** A span of time, in Unix seconds. */
export type Slot = {
  /** Start, in Unix seconds. */
  from: number
  /** End, in Unix seconds; later than `from`. */
  to: number
}

/** A slug of 1 to 255 characters, kept in Unicode NFC. */
export type Slug = string

export type SocialAuthorization = {
  /** Address of the page that leads to the consent page. */
  authorization_url: string
}

/** What a network accepts and reports. */
export type SocialCapability = {
  /** Network and kind of account. */
  type: "network_a_page" | "network_b_business" | "network_c_channel" | "network_d_account" | "network_e_account"
  /** Whether the installation has an app at this network: without one, no account can be connected. */
  configured: boolean
  /** Limits of captions. */
  caption: {
    /** Largest length of a caption. */
    max: number
    /** What is counted: `characters` (code points), `bytes` of UTF-8, `weighted` (a link counts 23, a wide character or an emoji 2), `emoji_bytes` (an emoji counts the bytes of its UTF-8, any other character 1). */
    unit: "characters" | "bytes" | "weighted" | "emoji_bytes"
    /** Whether a publication needs a caption. */
    required: boolean
    /** Largest number of hashtags; null: not limited. */
    hashtags_max: number | null
    /** Largest number of mentions; null: not limited. */
    mentions_max: number | null
    /** Largest number of different links; null: not limited. */
    links_max: number | null
  }
  /** Limits of titles; null if publications have none. */
  title: {
    /** Largest length of a title, in code points. */
    max: number
    /** Whether a publication needs a title. */
    required: boolean
  } | null
  /** Fields that the content of a publication may have. */
  fields: Array<"caption" | "placement" | "share_to_feed" | "media_ids" | "title" | "privacy" | "made_for_kids" | "link_url">
  /** Where a publication may appear; empty if the network has no placements. */
  placements: Array<"feed" | "reel" | "story">
  /** What files a publication may have: one row must fit. Images that the network does not take as they are, it gets as a JPEG. */
  media: Array<{
    /** Placement that the row is for; null if the network has none. */
    placement: "feed" | "reel" | "story" | null
    /** Kinds of files. */
    kinds: Array<"image" | "gif" | "video">
    /** Smallest number of files. */
    min: number
    /** Largest number of files. */
    max: number
    /** Whether files of different kinds may stand in one publication. */
    mixed: boolean
    /** Media types that are accepted. */
    mime_types: string[]
    /** Largest size of one file of any kind, in bytes. */
    bytes_max: number
    /** Limits of one file, by its kind. */
    files: SocialFileLimits[]
  }>
  /** Whether comments can be read and answered. */
  comments: boolean
  /** Limits of replies to comments. */
  reply: {
    /** Largest length of a reply. */
    max: number
    /** What is counted, as in `caption`. */
    unit: "characters" | "bytes" | "weighted" | "emoji_bytes"
  }
  /** Figures that the network reports. */
  metrics: Array<"views" | "reach" | "likes" | "comments" | "shares" | "saves">
  /** Publications that the network accepts in 24 hours; null if it sets no limit. */
  posts_per_day: number | null
}

export type SocialClassification = {
  /** The comments that were looked at, newest first. */
  items: SocialComment[]
  /** Comments that the model labelled for this request. */
  classified: number
  /** Comments whose text the model had labelled before: the model was not asked. */
  cached: number
  /** Comments without a usable answer: the provider refused, its answer is lost, or it has no valid label for them. */
  failed: number
  /** Comments of the publication that have no label yet, also those whose call is in progress. */
  left: number
  /** Why a call failed, or comments were not asked about; null otherwise. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
}

/** A comment below a publication, as the network listed it last. */
export type SocialComment = {
  /** Identifier of the comment, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the publication. */
  publication_id: string
  /** The network's id of the comment. */
  provider_comment_id: string
  /** Identifier of the comment that the thread begins with; null at the top level. */
  root_id: string | null
  /** Identifier of the comment that it answers; null at the top level. */
  parent_id: string | null
  /** Author, as far as the network names them; null if the network names none, or the comment is gone. */
  author: {
    /** The network's id of the author. */
    provider_id: string | null
    /** Name of the author. */
    name: string | null
    /** Name by which the network addresses the author. */
    username: string | null
  } | null
  /** Text of the comment; null if the comment is gone. */
  text: string | null
  /** Number of likes; null if the network does not report it. */
  like_count: number | null
  /** Number of replies; null if the network does not report it. */
  reply_count: number | null
  /** Whether the account of the connection wrote it. */
  own: boolean
  /** The caller's id of the reply that made it; null for all other comments. */
  reply_id: string | null
  /** Whether the thread has a comment by the account of the connection, as far as it was read. */
  answered: boolean
  /** What a model said of the text; null if none has, or the text was edited since. */
  classification: {
    /** What the comment is. */
    label: "question" | "complaint" | "praise" | "purchase" | "spam" | "other"
    /** Its tone. */
    sentiment: "positive" | "neutral" | "negative"
    /** Whether the author expects a reply. */
    needs_reply: boolean
    /** The model that classified it. */
    model: string
    /** Time of the classification, in Unix seconds. */
    classified_at: number
  } | null
  /** Time of the comment at the network, in Unix seconds. */
  provider_created_at: number
  /** Time at which a complete listing did not have it any more, in Unix seconds. Its text and author are erased. */
  gone_at: number | null
  /** Time at which the network listed it last, in Unix seconds. */
  synced_at: number
}

export type SocialCommentList = {
  /** The records of this page. */
  items: SocialComment[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type SocialConnected = {
  /** The connected accounts; empty if none could be connected. */
  connections: SocialConnection[]
  /** Why no account was connected; null if one was. `pending`: the network has not answered yet. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
}

/** An account of the store at a social network. Its tokens are stored encrypted and never returned. */
export type SocialConnection = {
  /** Identifier of the connection, a UUIDv7 made by the server. Connecting the same account again keeps it. */
  id: string
  /** Network and kind of account. */
  type: "network_a_page" | "network_b_business" | "network_c_channel" | "network_d_account" | "network_e_account"
  /** The network's id of the account, page or channel. */
  provider_account_id: string
  /** Name of the account at the network. */
  name: string
  /** Name by which the network addresses the account; null if it has none. */
  username: string | null
  /** What the owner of the account consented to, in the words of the network. */
  scopes: string[]
  /** `needs_reconnect`: the network does not accept the tokens any more, and the account has to be connected again. `disconnected`: an operator removed it. */
  status: "active" | "needs_reconnect" | "disconnected"
  /** Why the connection is not active; null if it is. */
  reason: {
    /** Stable code. */
    code: string
    /** For people. */
    message: string
  } | null
  /** Time by which the account has to be connected again, in Unix seconds; null if the network sets none. `social_connection.expiring` is published a week before. */
  reconnect_by: number | null
  /** Time until which the network accepts no more calls for the account, in Unix seconds; null if it accepts them. */
  paused_until: number | null
  /** Time until which nothing is read for the account, as a limit of the network is nearly used up, in Unix seconds; null without one. Publications go on. */
  reads_paused_until: number | null
  /** Identifier of the operator account that connected it last. */
  connected_by: string
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

/** The consent of a connection ends within a week, unless the account is connected again. */
export type SocialConnectionExpiringEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "social_connection.expiring"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: SocialConnection
}

export type SocialConnectionList = {
  /** The records of this page. */
  items: SocialConnection[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** The network does not accept the tokens of a connection any more: an operator has to connect the account again. */
export type SocialConnectionNeedsReconnectEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "social_connection.needs_reconnect"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: SocialConnection
}

/** What a publication says. GET …/social-connections/capabilities lists the fields and limits of each network. */
export type SocialContent = {
  /** Network and kind of account; that of the connection. */
  type: "network_a_page" | "network_b_business" | "network_c_channel" | "network_d_account" | "network_e_account"
  /** Text of the post. */
  caption: string | null
  /** Where the post appears, on networks with placements; `feed` by default. */
  placement: "feed" | "reel" | "story" | null
  /** Whether a reel is also shown in the feed (network_b_business). */
  share_to_feed: boolean | null
  /** Identifiers of files of the store, in the order in which they are shown. */
  media_ids: string[]
  /** Title of a video (network_c_channel). */
  title: string | null
  /** Who can find a video (network_c_channel); `public` by default. */
  privacy: "public" | "unlisted" | "private" | null
  /** Whether a video is made for children (network_c_channel). */
  made_for_kids: boolean | null
  /** Link that a post shows (network_a_page). */
  link_url: string | null
}

/** What a publication says. GET …/social-connections/capabilities lists the fields and limits of each network. */
export type SocialContentInput = {
  /** Network and kind of account; that of the connection. */
  type: "network_a_page" | "network_b_business" | "network_c_channel" | "network_d_account" | "network_e_account"
  /** Text of the post. */
  caption?: string | null | undefined
  /** Where the post appears, on networks with placements; `feed` by default. */
  placement?: "feed" | "reel" | "story" | null | undefined
  /** Whether a reel is also shown in the feed (network_b_business). */
  share_to_feed?: boolean | null | undefined
  /** Identifiers of files of the store, in the order in which they are shown. */
  media_ids?: string[] | undefined
  /** Title of a video (network_c_channel). */
  title?: string | null | undefined
  /** Who can find a video (network_c_channel); `public` by default. */
  privacy?: "public" | "unlisted" | "private" | null | undefined
  /** Whether a video is made for children (network_c_channel). */
  made_for_kids?: boolean | null | undefined
  /** Link that a post shows (network_a_page). */
  link_url?: string | null | undefined
}

export type SocialFileLimits = {
  /** Kind of files that the limits are of. */
  kind: "image" | "gif" | "video"
  /** Media types that are accepted. */
  mime_types: string[]
  /** Largest size of a file, in bytes. */
  bytes_max: number
  /** Width through height, as displayed; null: not limited. */
  aspect: {
    /** Smallest value. */
    min: number
    /** Largest value. */
    max: number
  } | null
  /** Width in pixels; null: not limited. */
  width: {
    /** Smallest value. */
    min: number
    /** Largest value. */
    max: number
  } | null
  /** Shorter side in pixels; null: not limited. */
  short_side: {
    /** Smallest value. */
    min: number
    /** Largest value. */
    max: number
  } | null
  /** Longer side in pixels; null: not limited. */
  long_side: {
    /** Smallest value. */
    min: number
    /** Largest value. */
    max: number
  } | null
  /** Duration in seconds; null for images. */
  duration_s: {
    /** Smallest value. */
    min: number
    /** Largest value. */
    max: number
  } | null
}

/** What a network would refuse, or what an operator should know before. */
export type SocialIssue = {
  /** JSON pointer to the place, such as `/content/caption`. */
  pointer: string
  /** Stable code. */
  code: string
  /** What is wrong and what is expected. */
  detail: string
  /** With an `error` the content cannot be scheduled. */
  severity: "error" | "warning"
  /** The limit that is exceeded, if it is one. */
  limit?: number | undefined
  /** What was counted. */
  actual?: number | undefined
}

export type SocialMetrics = {
  /** Identifier of the publication. */
  publication_id: string
  /** Figures; null for those that the network has not reported, which is not 0. */
  values: {
    /** How often the post was shown or played; null if the network has not reported it. */
    views: number | null
    /** How many accounts saw it; null if the network has not reported it. */
    reach: number | null
    /** Likes and other reactions; null if the network has not reported it. */
    likes: number | null
    /** Comments and replies; null if the network has not reported it. */
    comments: number | null
    /** How often it was shared or reposted; null if the network has not reported it. */
    shares: number | null
    /** How often it was saved or bookmarked; null if the network has not reported it. */
    saves: number | null
  }
  /** Figures that the network does not report for this type of connection. */
  unsupported: Array<"views" | "reach" | "likes" | "comments" | "shares" | "saves">
  /** Time at which the network reported them, in Unix seconds; null if they were never synced. */
  synced_at: number | null
}

/** A post of the store on a connected account. It becomes visible once at most. */
export type SocialPublication = {
  /** Identifier of the publication, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the connection that publishes it. */
  social_connection_id: string
  /** Network and kind of account. */
  type: "network_a_page" | "network_b_business" | "network_c_channel" | "network_d_account" | "network_e_account"
  content: SocialContent
  /** `scheduled`: it waits for its time. `publishing`: the call that shows it is made, or its outcome is being proved. `unknown`: it may or may not be visible at the network; it is not sent again, and can be checked and resolved. `failed`: it is not visible, and `error` says why. */
  status: "draft" | "scheduled" | "publishing" | "published" | "failed" | "unknown" | "cancelled"
  /** Time at which it is published, in Unix seconds; null if it was never scheduled. */
  scheduled_at: number | null
  /** Time at which it became visible, in Unix seconds; null until then. */
  published_at: number | null
  /** The network's id of the post; null until it is known. */
  provider_post_id: string | null
  /** Address of the post; null until it is known. */
  permalink: string | null
  /** Why it failed, is unknown, or is a draft again; null otherwise. */
  error: {
    /** Stable code. `too_late`: it could not be published within the time that the installation allows; `network_refused` and `media_refused`: in `message`, in the words of the network; `outcome_unknown`: whether it is visible cannot be proved. */
    code: string
    /** For people. */
    message: string
    /** The network's own code, if it sent one. */
    provider_code?: string | undefined
    /** JSON pointer to the part of the publication that it is about, such as `/content/media_ids/4`. */
    pointer?: string | undefined
    /** Identifier of the file that it is about. */
    media_id?: string | undefined
  } | null
  /** What validation reported when the content was saved last. With an `error`, it cannot be scheduled. */
  issues: SocialIssue[]
  /** Identifier of the operator account that created it. */
  created_by: string
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type SocialPublicationAnswer = {
  publication: SocialPublication
}

/** A call that was to show the publication. */
export type SocialPublicationAttempt = {
  /** Number of the call, from 1. Another one is made only if the one before it showed nothing. */
  n: number
  /** `processing` with `answered_at`: the answer does not say whether it was shown, and the network is read. */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
  /** Time at which it may have left for the network, in Unix seconds; null without one. */
  sent_at: number | null
  /** Time of the answer, in Unix seconds; null without one. */
  answered_at: number | null
  /** Time at which the outcome was recorded, in Unix seconds; null without one. */
  settled_at: number | null
  /** How often the network was read to prove the outcome. */
  reads: number
  /** What the network answered, what proved it, or the operator who resolved it, with the note and the time. */
  evidence: Record<string, unknown> | null
  /** What it answered after the outcome was recorded. */
  late_evidence: Record<string, unknown> | null
  /** Why it showed nothing, or is unknown. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
}

/** A publication with the calls that were to show it. */
export type SocialPublicationDetails = {
  /** Identifier of the publication, a UUIDv7 made by the server. */
  id: string
  /** Identifier of the connection that publishes it. */
  social_connection_id: string
  /** Network and kind of account. */
  type: "network_a_page" | "network_b_business" | "network_c_channel" | "network_d_account" | "network_e_account"
  content: SocialContent
  /** `scheduled`: it waits for its time. `publishing`: the call that shows it is made, or its outcome is being proved. `unknown`: it may or may not be visible at the network; it is not sent again, and can be checked and resolved. `failed`: it is not visible, and `error` says why. */
  status: "draft" | "scheduled" | "publishing" | "published" | "failed" | "unknown" | "cancelled"
  /** Time at which it is published, in Unix seconds; null if it was never scheduled. */
  scheduled_at: number | null
  /** Time at which it became visible, in Unix seconds; null until then. */
  published_at: number | null
  /** The network's id of the post; null until it is known. */
  provider_post_id: string | null
  /** Address of the post; null until it is known. */
  permalink: string | null
  /** Why it failed, is unknown, or is a draft again; null otherwise. */
  error: {
    /** Stable code. `too_late`: it could not be published within the time that the installation allows; `network_refused` and `media_refused`: in `message`, in the words of the network; `outcome_unknown`: whether it is visible cannot be proved. */
    code: string
    /** For people. */
    message: string
    /** The network's own code, if it sent one. */
    provider_code?: string | undefined
    /** JSON pointer to the part of the publication that it is about, such as `/content/media_ids/4`. */
    pointer?: string | undefined
    /** Identifier of the file that it is about. */
    media_id?: string | undefined
  } | null
  /** What validation reported when the content was saved last. With an `error`, it cannot be scheduled. */
  issues: SocialIssue[]
  /** Identifier of the operator account that created it. */
  created_by: string
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** The calls that were to show it, the first one first. */
  attempts: SocialPublicationAttempt[]
  /** Who resolved an unknown publication, and in `before` the resolution that it replaced; null if none was needed. */
  resolution: SocialPublicationResolution | null
  /** Whether an operator has to act: its outcome is `unknown`, or the network contradicts what was resolved. */
  needs_attention: boolean
}

/** A publication was not published, and is not visible; `error` says why. */
export type SocialPublicationFailedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "social_publication.failed"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: SocialPublication
}

export type SocialPublicationList = {
  /** The records of this page. */
  items: SocialPublication[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A publication became visible at the network. Its permalink may be known later. */
export type SocialPublicationPublishedEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "social_publication.published"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: SocialPublication
}

export type SocialPublicationResolution = {
  /** What an operator found at the network. */
  outcome: "published" | "failed"
  /** How they found out. */
  note: string
  /** Identifier of the operator account. */
  account_id: string
  /** When, in Unix seconds. */
  at: number
} & Record<string, unknown>

/** It cannot be proved whether a publication is visible at the network. An operator has to check or resolve it. */
export type SocialPublicationUnknownEvent = {
  /** Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it. */
  id: string
  /** Name of the event. */
  type: "social_publication.unknown"
  /** Time of the event, in Unix seconds. */
  created_at: number
  /** Identifier of the store. */
  store_id: string
  data: SocialPublication
}

/** A reply to a comment. In status `unknown` it may or may not have happened, and it is never sent again. */
export type SocialReply = {
  /** Identifier of the reply, a UUIDv7 made by the server. */
  id: string
  /** The caller's own id of the reply. */
  reply_id: string
  /** Identifier of the publication. */
  publication_id: string
  /** Identifier of the comment that it answers. */
  comment_id: string
  /** Text of the reply. */
  text: string
  /** `succeeded` when the network has the reply; `rejected` if the network refused; `failed` if nothing was sent; `unknown` if the outcome cannot be proved: nothing is sent again, and it becomes `succeeded` when the thread shows the reply. */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
  /** The network's id of the reply; null until it is known. */
  provider_comment_id: string | null
  /** What the network answered; null without an answer. */
  evidence: Record<string, unknown> | null
  /** Why the reply did not succeed; null if it did or is in progress. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Whether an operator has to act: its outcome is `unknown`, or its thread contradicts what was resolved. */
  needs_attention: boolean
  /** Who resolved an `unknown` reply, when, how and why; null if none was needed. */
  resolution: Record<string, unknown> | null
  /** Number of attempts to send it. Another attempt follows only one that provably sent nothing. */
  attempt: number
  /** Time at which the request may have left for the network, in Unix seconds; null if it has not. */
  sent_at: number | null
  /** Time at which the outcome was recorded, in Unix seconds; null until then. */
  settled_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type SocialReplyList = {
  /** The records of this page. */
  items: SocialReply[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A sync of comments and figures from the networks. */
export type SocialSync = {
  /** Identifier of the sync. */
  id: string
  /** `completed`: every publication was read or skipped. `failed`: none of those that were to be read was. */
  status: "queued" | "running" | "completed" | "failed"
  /** Progress by publication. */
  items: SocialSyncItem[]
  /** Time at which it ended, in Unix seconds; null until then. */
  finished_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
}

export type SocialSyncItem = {
  /** Identifier of the publication. */
  publication_id: string
  /** `skipped`: it was not read; `error` says why. `failed`: it was not read to the end of what was requested. */
  status: "pending" | "done" | "skipped" | "failed"
  /** Comments that were stored for the first time. */
  new: number
  /** Comments whose text or counts changed. */
  updated: number
  /** Comments that the network does not have any more. Counted only if the listing was read to its end. */
  gone: number
  /** Whether the network has more comments than the bounds of the request allowed. */
  more: boolean
  /** Why it was skipped, failed or waits; null otherwise. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
}

export type SocialThread = {
  /** The comment that the thread begins with. */
  root: SocialComment
  /** Replies below it, oldest first. */
  items: SocialComment[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
  /** Time at which the network was read last, in Unix seconds; null if it never was. */
  synced_at: number | null
  /** Whether that was more than a minute ago: the network has not answered in time, or cannot be asked now. */
  stale: boolean
  /** Why the thread could not be read again; null otherwise. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
}

export type SocialValidation = {
  /** Whether it can be scheduled: there is no issue with the severity `error`. */
  valid: boolean
  /** What was found. */
  issues: SocialIssue[]
}

export type SpecificDate = {
  /** Day in the store's time zone, YYYY-MM-DD. */
  date: string
  /** Opening hours of the day; empty if it is closed. */
  windows: TimeWindow[]
}

export type Store = {
  /** Identifier of the store, a UUIDv7 made by the server. */
  id: string
  /** Name of the store in addresses, unique in the installation. */
  key: string
  /** Time zone of the store, as an IANA name. */
  timezone: string
  /** Languages of the store's content, the main one first. */
  languages: string[]
  /** Addresses of the store. */
  emails: {
    /** Address for invoices; null for none. */
    billing: string | null
    /** Address for customers; null for none. */
    support: string | null
  }
  /** Settings of the store. */
  settings: Record<string, unknown>
  /** Storefront calls to an `ARCHIVED` store are refused with 403. */
  status: "DRAFT" | "ACTIVE" | "ARCHIVED"
  /** Whether the store is a network. */
  is_network: boolean
  /** Value of `X-Service-Publishable-Key` for the storefront. It is not a secret. */
  publishable_key: string
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type StoreList = {
  /** The records of this page. */
  items: Store[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A plan that a store can choose. */
export type StorePlan = {
  /** Identifier of the plan. */
  id: string
  /** Name of the plan for people. */
  name: string
  /** Amount of the first price, in minor units of `currency`; 0 for the free plan. */
  amount: number
  /** Currency of the first price, ISO 4217; null for the free plan. */
  currency: string | null
  /** How often it is charged; null for the free plan. */
  interval: PriceInterval | null
  /** What the plan offers, one text per feature. */
  features: string[]
  /** Prices by market: a store pays that of its first market that has one. Empty for the free plan. */
  prices: Array<{
    /** Key of the market. */
    market: string
    /** Currency, ISO 4217. */
    currency: string
    /** Amount in minor units of the currency. */
    amount: number
  }>
}

/** The store's subscription to a plan. A store without one has the free plan. */
export type StoreSubscription = {
  /** Identifier of the plan that the store has. */
  plan_id: string
  /** Identifier of the plan that the store has after its paid time; null if the plan goes on. */
  next_plan_id: string | null
  /** The payment provider's status of the subscription; `active` for the free plan. */
  billing_status: string
  /** Key of the market whose price is charged; null for the free plan. */
  market: string | null
  /** Currency of the amount, ISO 4217; null for the free plan. */
  currency: string | null
  /** Amount that is charged repeatedly, in minor units; 0 for the free plan. */
  amount: number
  /** Time at which the store chose the paid plan, in Unix seconds; null if there is none. */
  started_at: number | null
  /** End of the time that is paid, in Unix seconds; null if there is none. */
  paid_through_at: number | null
  /** Time at which the paid plan ends, in Unix seconds; null if there is none. */
  cancel_at: number | null
  /** Time at which the last paid plan ended, in Unix seconds; null if there is none. */
  canceled_at: number | null
  /** The newest choice of a paid plan that was not paid; null if there is none. */
  checkout: {
    /** Identifier of the plan that was chosen. */
    plan_id: string
    /** Outcome of opening the payment form. `unknown`: it may be open and is not opened again. */
    status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
    /** State of the payment form; null while it is not known to exist. */
    state: "open" | "complete" | "expired" | null
    /** Address that the payment form returns to. */
    return_url: string
    /** Time at which the payment form expires, in Unix seconds; null if there is none. */
    expires_at: number | null
    /** Why the payment form could not be opened; null if it could. */
    error: {
      /** Stable code of what went wrong. */
      code: string
      /** What went wrong, for people. */
      message: string
      /** The provider's code of it, if it sent one. */
      provider_code?: string | undefined
      /** HTTP or SMTP status of its answer, if there was one. */
      provider_status?: number | undefined
    } & Record<string, unknown> | null
  } | null
  payment_action: PlanPaymentAction
}

/** An order as its buyer sees it. Amounts are in minor units of `money.currency`. */
export type StorefrontOrder = {
  /** Identifier of the order, a UUIDv7 made by the server. */
  id: string
  /** Number of the order for people, counted per store. */
  number: number
  /** `pending` until it is confirmed; `partially_cancelled` if lines were removed after the confirmation. */
  status: "pending" | "confirmed" | "partially_cancelled" | "cancelled"
  /** How much of the goods was shipped; `none` if nothing has to be. */
  fulfillment_status: "none" | "unfulfilled" | "partially_fulfilled" | "fulfilled" | "cancelled"
  /** Identifier of the contact who ordered. */
  contact_id: string
  /** Whether the contact had a verified address at checkout. */
  verified: boolean
  /** Address of the contact at checkout, verified or claimed; null if there was none. */
  email: string | null
  /** Time of the payment, in Unix seconds; null until then. */
  paid_at: number | null
  /** Identifier of the cart that was checked out. */
  source_cart_id: string
  /** Identifier of the order's one payment. */
  payment_id: string
  /** Key of the market in which it was ordered. */
  market: string
  /** Totals of the order. */
  money: OrderMoney
  /** The chosen shipping method and what it costs; null if nothing is shipped. */
  shipping_line: ShippingLine | null
  /** Identifier of the location where the goods are picked up; null if they are shipped. */
  pickup_location_id: string | null
  /** Where the goods are shipped; null for none. */
  shipping_address: Address | null
  /** Address of the invoice; null for none. */
  billing_address: Address | null
  /** Form values that came with the order. */
  forms: FormEntry[]
  /** Promo code that was redeemed; null for none. */
  promo_code: string | null
  /** Number of the record's latest change. An update must send it. */
  version: number
  /** Time of the cancellation, in Unix seconds; null if it is not cancelled. */
  cancelled_at: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** Why the last attempt to pay failed; null if none did, and once it is paid. */
  payment_error: {
    /** Stable code: `card_declined` while another card can be tried, `payment_rejected` otherwise. */
    code: string
    /** Why, for the buyer. */
    message: string
  } | null
}

export type StorefrontOrderList = {
  /** The records of this page. */
  items: StorefrontOrder[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type SubmitBusinessFormBody = {
  /** Must equal the form of the path, if it is sent. */
  formId?: string | undefined
  /** Values of the form's fields, each named by `key` or by `id`; if both are sent, `key` is used. */
  fields: BusinessFormField[]
}

export type SubmitFormBody = {
  /** Must equal the form of the path, if it is sent. */
  form_id?: string | undefined
  /** Values of the form's fields, each named by `key` or by `id`; if both are sent, `key` is used. */
  fields: FormField[]
}

export type SubmitStorefrontFormBody = {
  /** Must equal the form of the path, if it is sent. */
  form_id?: string | undefined
  /** Values of the form's fields, each named by `key` or by `id`; if both are sent, `key` is used. */
  fields: FormField[]
}

/** A submitted value, with the field of the form at the time of the submission. */
export type SubmittedField = {
  /** Type of the field when it was submitted. */
  type: string
  /** Id of the field in the form's schema. */
  id: string
  /** Key of the field when it was submitted. */
  key: string
  /** The value; null for none. */
  value: unknown
}

export type SubscribeBusinessBody = {
  /** Identifier of the plan. */
  planId: string
  /** Address that the page goes to after the payment: https, or http for localhost. */
  successUrl: string
  /** Address that the page goes back to without a payment: https, or http for localhost. */
  cancelUrl: string
  /** Total that the buyer has seen, in minor units of the currency: with another one nothing is written, and 409 `total_changed` has the present quote. Left out, the present total counts. */
  expectedTotal?: number | undefined
}

export type SubscribeToAudienceBody = {
  /** Identifier of the price; required for a `paid` audience, and ignored for others. */
  price_id?: string | null | undefined
  /** Promo code that takes something off the first payment of a `paid` audience; ignored for others. */
  promo_code?: string | null | undefined
  /** Where the payment form returns to, required unless nothing is to be paid: https, or http for localhost. */
  return_url?: string | null | undefined
  /** Total that the buyer has seen, in minor units of the currency: with another one nothing is written, and 409 `total_changed` has the present quote. Left out, the present total counts. */
  expected_total?: number | undefined
}

export type Success = {
  /** Always true. A call that fails returns a problem instead. */
  success: true
}

export type SyncSocialEngagementBody = {
  /** Identifiers of publications; the newest published ones if left out. */
  publication_ids?: string[] | undefined
  /** How many of the newest publications are read. Not used with `publication_ids`. */
  max_publications?: number | undefined
  /** Pages of comments that are read of one publication. */
  max_comment_pages_per_publication?: number | undefined
  /** Comments that are stored of one publication. */
  max_comments_per_publication?: number | undefined
  /** Whether figures are read, too. */
  sync_metrics?: boolean | undefined
}

export type Taxonomy = {
  /** Identifier of the taxonomy, a UUIDv7 made by the server. */
  id: string
  /** Name of the taxonomy, unique in the store. */
  key: string
  /** Identifier of the store. */
  store_id: string
  /** Identifier of the taxonomy above; null at the top. */
  parent_id: string | null
  /** Schema of the `fields` that a record filed under this taxonomy may have. */
  schema: TaxonomySchema[]
  /** `active` taxonomies are public; `archived` ones are visible to operators only. */
  status: "active" | "archived"
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

/** A taxonomy with the entries, or with the typed values, that a record is filed under. */
export type TaxonomyEntry = {
  /** Identifier of the taxonomy. */
  taxonomy_id: string
  /** Identifiers of entries of the taxonomy that the record is filed under, 100 at most. */
  entry_ids?: string[] | undefined
  /** Typed values by the taxonomy's schema. */
  fields?: Array<{
    /** Id of the field in the taxonomy's schema; may be sent instead of `key`. */
    id?: string | undefined
    /** Key of the field in the taxonomy's schema. */
    key?: string | undefined
    /** Must equal the type in the taxonomy's schema, if it is sent. */
    type?: string | undefined
    /** The value, of the field's type. */
    value?: unknown | undefined
  }> | undefined
}

export type TaxonomyList = {
  /** The records of this page. */
  items: Taxonomy[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A typed field of a taxonomy. Items without an id get one. */
export type TaxonomySchema = TaxonomySchemaText | TaxonomySchemaNumber | TaxonomySchemaBoolean | TaxonomySchemaGeoLocation

export type TaxonomySchemaBoolean = {
  /** Type of the field's value. */
  type: "boolean"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
}

export type TaxonomySchemaGeoLocation = {
  /** Type of the field's value. */
  type: "geo_location"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
}

export type TaxonomySchemaNumber = {
  /** Type of the field's value. */
  type: "number"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Smallest number, or smallest length of a text; null or left out: no limit. */
  min?: number | null | undefined
  /** Largest number; null or left out: no limit. */
  max?: number | null | undefined
}

export type TaxonomySchemaText = {
  /** Type of the field's value. */
  type: "text"
  /** Id of the field, unique in the schema. Made by the server if it is left out. */
  id?: string | undefined
  /** Key of the field, unique in the schema. */
  key: Key
  /** Values that a text may have; null or left out for any. */
  value?: string[] | null | undefined
  /** Smallest number, or smallest length of a text; null or left out: no limit. */
  min?: number | null | undefined
}

export type TestBusinessWebhookBody = {
  /** Where the sample is sent, and of what. None of it is stored longer than the test. */
  webhook: {
    /** Address that events are posted to, http or https. Write-only: returned as `__redacted__`. */
    url: string
    /** Events to deliver, 1 to 100. */
    events: Array<{
      /** Name of an event. */
      event: "booking.created" | "booking.updated" | "node.created" | "node.updated" | "node.deleted" | "form_submission.created" | "order.created" | "order.updated" | "product.created" | "product.updated" | "product.deleted" | "audience.subscriber_added"
    }>
    /** Signs every delivery (Standard Webhooks 1.0): `whsec_` and the base64 of 24 to 64 bytes. Write-only: returned as `__redacted__`. */
    secret?: string | undefined
  }
}

export type TestCampaignBody = {
  /** UUID made by the caller. The same id and content return the same message, and nothing is sent again; another content, or the same id elsewhere, returns 409 `idempotency_conflict`. */
  message_id: string
  /** Position of the step, from 0. */
  step: number
  /** Address that it is sent to. */
  to: EmailAddress
  /** Enrollment whose contact and variables are used; null or left out for none. */
  enrollment_id?: string | null | undefined
}

export type TestWebhookBody = {
  /** UUID made by the caller. The same id and webhook return the same result, and nothing is sent again. */
  delivery_id: string
  /** Identifier of the webhook to call. It must be enabled. */
  webhook_id: string
}

/** The payment provider that charges the prices of a tier. */
export type TierProvider = {
  /** Always `card_payment`. */
  type: "card_payment"
  /** Identifier of the store's payment provider. */
  payment_provider_id: string
}

export type TimeWindow = {
  /** Start, HH:MM in the store's time zone. */
  from: string
  /** End, HH:MM in the store's time zone, up to 24:00. If it is not later than `from`, it is on the next day. */
  to: string
}

/** One thing that happened to a record. Every time is one that is stored. */
export type TimelineEntry = {
  /** When, in Unix seconds with milliseconds as decimals, as far as they are stored. A `deadline` may be in the future. */
  at: number
  /** What happened. Of an effect: `requested`, `claimed` by a worker, `sent` (the time was committed before the first byte), `deadline` (a bound: no answer counts after it), `silence` (it passed without an answer, or the connection ended without one), `answered`, `settled`, late evidence (what became known after that), `resolved` (by a person). `event`: an event was published. The others are about the record itself. */
  kind: "requested" | "claimed" | "sent" | "deadline" | "silence" | "answered" | "settled" | "late_evidence" | "resolved" | "event" | "created" | "changed" | "scheduled" | "started" | "paid" | "shipped" | "published" | "received" | "disputed" | "merged" | "cancelled" | "ended"
  /** The entry as a sentence, for people. */
  title: string
  /** Where it happened: in our own `record`, in the `worker` that sends, or at the `provider`. */
  lane: "record" | "worker" | "provider"
  /** The effect that the entry is about; null for an entry about the record itself. */
  effect: {
    /** Kind of the effect. */
    name: "refund" | "payment_session" | "session_expiry" | "coupon" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "portal_configuration" | "portal_link" | "mail" | "campaign_message" | "webhook_test" | "subscription_change" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reveal" | "social_reply" | "social_classification" | "model_call" | "channel_message" | "node_run"
    /** Identifier of its row: `subject` of a timeline of its own, with the name before it. */
    id: string
    /** Its state now. */
    status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
    /** Attempts so far. None but the last one can have had an effect. */
    attempt: number
  } | null
  /** Who did it; null if that is not stored. */
  by: {
    /** Who did it. */
    type: "account" | "visitor" | "provider" | "system"
    /** Identifier of the account or of the contact; null if it is not stored. */
    id: string | null
    /** E-mail address of a member of the team; null for anyone else. */
    label: string | null
  } | null
  /** What else is stored about it: the evidence, the error, the note of a resolution, the record that it is about. */
  details: Record<string, unknown>
}

export type TimelineEntryList = {
  /** The records of this page. */
  items: TimelineEntry[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A problem with status 429. */
export type TooManyRequestsProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 429
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "token_limit" | "too_many_requests"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

/** A problem with status 401. */
export type UnauthorizedProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 401
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "refresh_reused" | "unauthorized"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

/** A problem with status 422. */
export type UnprocessableContentProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 422
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "reference_not_allowed" | "parent_mismatch" | "content_required" | "content_not_allowed" | "all_capitals" | "account_not_owned" | "amount_exceeds_refundable" | "amount_too_large" | "approval_required" | "booking_unknown" | "campaign_not_ready" | "cancel_and_replace" | "cannot_change" | "card_total_not_chargeable" | "card_total_too_small" | "cart_empty" | "code_expired" | "code_invalid" | "collection_fixed" | "collection_unknown" | "confirm_and_cancel" | "connect_rejected" | "connection_unknown" | "contact_unknown" | "currency_mismatch" | "differs_from_path" | "differs_from_query" | "email_required" | "handover_not_member" | "form_unknown" | "image_broken" | "image_too_heavy" | "image_too_large" | "in_the_past" | "invalid_input" | "invalid_name" | "line_cancelled" | "line_unknown" | "link_unknown" | "location_not_configured" | "location_unknown" | "channel_unsupported" | "channel_unknown" | "market_unknown" | "model_ambiguous" | "model_unknown" | "not_shippable" | "not_writable" | "oauth_not_configured" | "oauth_rejected" | "password_unencrypted" | "payment_method_required" | "payment_method_unknown" | "order_unknown" | "payment_read_only" | "payment_provider_not_connected" | "payment_provider_unknown" | "payment_rejected" | "pickup_location_unknown" | "plan_unavailable" | "plan_unknown" | "portal_rejected" | "price_immutable" | "price_missing" | "product_not_active" | "publication_unknown" | "promo_code_exhausted" | "promo_code_expired" | "promo_code_invalid" | "promo_code_not_applicable" | "provider_unknown" | "range_too_long" | "required" | "return_url_required" | "same_contact" | "service_not_active" | "service_unknown" | "shipping_method_required" | "shipping_method_unknown" | "slot_in_past" | "slot_not_offered" | "taxonomy_unknown" | "template_failed" | "template_invalid" | "template_timeout" | "template_too_large" | "too_far" | "too_big" | "too_deep" | "too_long" | "too_many_files" | "too_many_hashtags" | "too_many_links" | "too_many_slots" | "type_differs" | "variant_unknown" | "webhook_disabled" | "webhook_unknown" | "workflow_graph_invalid" | "outcome_not_possible" | "zone_not_found"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

/** A problem with status 415. */
export type UnsupportedMediaTypeProblem = {
  /** Always `about:blank` (RFC 9457, 4.2.1). */
  type: string
  /** Phrase of the HTTP status. */
  title: string
  /** HTTP status of the answer. */
  status: 415
  /** What was wrong and what is expected. */
  detail?: string | undefined
  /** Stable code of the problem, in snake_case, for programs. */
  code: "unsupported_encoding" | "unsupported_media_type"
  /** The request's `X-Request-Id`, which is also in the server's log. */
  request_id: string
  /** For operators, of a refusal for a lack of set-up: the routes that mend it. */
  mends?: Array<{
    /** Name of the check that is not passed. */
    check: string
    /** Method of the route that mends it. */
    method: string
    /** Path of that route; the check has the id in place of `{id}`. */
    path: string
  }> | undefined
  /** Errors of the input, 100 at most. */
  errors?: Array<{
    /** Place of the error: a JSON pointer into the body (RFC 6901), or the name of a query parameter. */
    pointer: string
    /** Stable code of the error, in snake_case. */
    code: string
    /** What is wrong and what is expected. */
    detail: string
    /** Id of the invalid node of the workflow's graph. */
    node?: string | undefined
    /** Index of the invalid edge of the workflow's graph. */
    edge?: number | undefined
  }> | undefined
} & Record<string, unknown>

export type UpdateAccountBody = {
  /** Name of the person, 200 characters at most; null removes it. */
  name?: string | null | undefined
  /** The same as `lifecycle.onboarding_completed`. */
  onboarding_completed?: boolean | undefined
  /** The writable part of the account's `lifecycle`. */
  lifecycle?: {
    /** Whether the account has finished onboarding. */
    onboarding_completed?: boolean | undefined
    /** Ignored: set by the server. */
    last_login_at?: unknown | undefined
  } | undefined
  /** Must equal the account's address, which cannot be changed (422 `not_writable`). */
  email?: string | undefined
  /** Ignored: set by the server. */
  id?: unknown | undefined
  /** Ignored: the installation names them. */
  platform_administrator?: unknown | undefined
  /** Ignored: set by the server. */
  created_at?: unknown | undefined
  /** Ignored: set by the server. */
  updated_at?: unknown | undefined
}

export type UpdateApiTokenBody = {
  /** Name that tells the tokens of an account apart. Left out, it is kept. */
  name?: string | undefined
  /** Time from which the token is refused, in Unix seconds and in the future; null: it does not expire. Left out, it is kept. */
  expires_at?: number | null | undefined
}

export type UpdateAudienceBody = {
  /** Key of the audience, unique in the store. Left out, it is kept. */
  key?: Key | undefined
  /** Name of the audience for people. Left out, it is kept. */
  name?: string | undefined
  /** How contacts join. Replaces the stored settings of the type. */
  type?: AudienceType | undefined
  /** `active` opens a draft for members; `archived` is final. */
  status?: "active" | "draft" | "archived" | undefined
}

export type UpdateAudienceMemberBody = {
  /** Note about the member, 10,000 characters at most; null for none. */
  lead_description?: string | null | undefined
  /** Values that you keep about the member, 50 at most and 16 KiB in all. */
  fields?: Record<string, unknown> | undefined
  /** `active` lets the contact join again, `removed` ends the membership. Any other value must be the present one. */
  status?: "pending" | "active" | "cancelled" | "expired" | "removed" | undefined
}

export type UpdateAudienceTierBody = {
  /** Key of the tier, unique in the audience. Left out, it is kept. */
  key?: Key | undefined
  /** Name of the tier for people. Left out, it is kept. */
  name?: string | undefined
  /** Description of the tier, 5,000 characters at most; null for none. */
  description?: string | null | undefined
  /** What members of the tier get, one text per benefit, 50 at most. */
  benefits?: string[] | undefined
  /** `active` tiers can be subscribed to. `active` by default. */
  status?: "active" | "archived" | undefined
  /** The store's payment provider, which charges the prices; null for none. */
  provider?: TierProvider | null | undefined
  /** Prices of the tier by id, in their order. Left out, all are kept. */
  prices?: Array<{
    /** Identifier of a price of the tier; left out, the price is added. */
    id?: string | undefined
    /** Amount in minor units of the currency: 0, or at least the provider's minimum for cards. */
    amount: number
    /** Currency, ISO 4217. */
    currency: string
    /** How often it is charged; null or left out: once, for access without an end. */
    interval?: PriceIntervalInput | null | undefined
    /** `active` by default. */
    status?: "active" | "archived" | undefined
    /** Ignored. */
    ready?: unknown | undefined
    /** Ignored. */
    error?: unknown | undefined
  }> | undefined
}

export type UpdateBuildHookBody = {
  /** Name of the build hook, unique in the store, of 1 to 255 printable characters. */
  key?: Key | undefined
  /** Label of the hosting service that the store uses: `host_a`, `host_b` and `host_c` stand for three services of its choice, `custom` for any other. Every type is called in the same way. */
  type?: "host_a" | "host_b" | "host_c" | "custom" | undefined
  /** Address that a deploy node posts to, http or https. Write-only: returned as `__redacted__`. */
  url?: string | undefined
  /** Headers to send with every call. Write-only: each value is returned as `__redacted__`. The map replaces the stored one. */
  headers?: Record<string, string> | undefined
  /** Whether deploy nodes may call the hook; true by default. */
  active?: boolean | undefined
}

export type UpdateBusinessAgentBody = {
  /** Name of the agent, unique in the business, of 1 to 255 printable characters. */
  key?: Key | undefined
  /** Instructions for the model, 32,000 characters at most. The date is added. They must hold no secret, as a model may repeat them. */
  prompt?: string | undefined
  /** Id or key of an AI integration, or the name of a model that exactly one has. */
  modelId?: string | undefined
  /** Name that visitors see; null for none. */
  name?: string | null | undefined
  /** `active` agents answer; messages to `disabled` ones are refused. */
  status?: "active" | "disabled" | undefined
  /** Integrations of channels that the agent serves, 20 at most. A channel serves one agent. */
  channelIds?: string[] | undefined
  /** Tools that the model may use; null for all of them. */
  tools?: Array<"search_products" | "search_services" | "availability" | "cart_link" | "own_orders" | "hand_over"> | null | undefined
  /** Earlier messages of a chat that the model reads, 20 by default. */
  historyMax?: number | undefined
  /** Tokens of one answer of the model, 1,024 by default. */
  outputTokensMax?: number | undefined
  /** Tokens of a day (UTC); null for no limit but the business's. */
  dailyTokensMax?: number | null | undefined
  /** What is answered if the model gives no answer; null for an error. */
  fallback?: string | null | undefined
  /** Address of a member of the team that is mailed when the agent hands a chat over to people; null for none. */
  handoverEmail?: EmailAddress | null | undefined
}

export type UpdateBusinessAgentChatBody = {
  /** `active`, `resolved` or `archived`. */
  status?: "active" | "resolved" | "archived" | undefined
  /** Who answers: the `agent`, or a `human`. */
  mode?: "agent" | "human" | undefined
}

export type UpdateBusinessBody = {
  /** Name of the business, unique in the installation: 3 to 63 lower-case letters, digits and hyphens. */
  key?: string | undefined
  /** Time zone of the business, as an IANA name. It cannot be changed while there are bookings in the future. */
  timezone?: string | undefined
  /** Languages of the business's content, the main one first. */
  languages?: Array<{
    /** Code of the language, such as `en` or `pt-BR`. */
    id: LocaleTag
  }> | undefined
  /** Addresses of the business. */
  emails?: {
    /** Address for invoices; null for none. */
    billing?: EmailAddress | null | undefined
    /** Address for customers; null for none. */
    support?: EmailAddress | null | undefined
  } | undefined
  /** Settings of the business; unknown fields are stored as they are. Replaces the stored ones. */
  settings?: {
    /** Whether a card order is confirmed as soon as it is paid; true by default. */
    auto_confirm_paid?: boolean | undefined
    /** Hours in which a booking has to be approved that requires it; 72 by default. */
    approval_hours?: number | undefined
    /** Minutes before a booking at which its reminder is due; 0 for none. A new value applies to a booking when it is confirmed or changed, or when its reminder would have been due. */
    booking_reminder_minutes?: number | undefined
    /** Hours for which a paid membership that is not ending grants access after its paid time, 72 by default: the payment provider takes up to 72 hours to charge a renewal. */
    membership_grace_hours?: number | undefined
    /** Page of the storefront where members manage their memberships; the token is added as the query parameter `token`. Without it, a page of this server. */
    membership_manage_url?: string | undefined
    /** Page of the storefront that shows a cart. Agents link to the carts that they fill; the id is added to its query, as `cart_id=…` on both surfaces. */
    cart_url?: string | undefined
    /** Tokens that models may use for the business in a day (UTC), together; the limit of the installation (`MODEL_TOKENS_PER_DAY`) by default. */
    tokens?: number | undefined
    /** Name of the business in e-mails and networks; its key by default. */
    name?: string | undefined
    /** Address of an image that networks show for the business. */
    logo?: string | undefined
    /** Address that networks show for the business. */
    address?: Address | undefined
    /** What customers may say of its records, and what waits for a moderator. */
    reactions?: {
      /** Which content waits for a moderator: `none`, `all`, or `auto` (the default), content of visitors without a verified address that holds a link or one of `words`. */
      moderation?: "none" | "all" | "auto" | undefined
      /** What visitors without a verified address may send: `all` (the default), `marks` and stars only, or `none`. */
      anonymous?: "all" | "marks" | "none" | undefined
      /** Who may send reviews and stars: `anyone` (the default), visitors with a `verified` address, or `buyers` of the target. */
      reviewers?: "anyone" | "verified" | "buyers" | undefined
      /** Minutes in which an author may change the content of a reaction; 15 by default, 0: never. */
      window?: number | undefined
      /** Whole words or phrases, in any case: content of visitors without a verified address that has one of them waits for a moderator, where `moderation` is `auto`. */
      words?: string[] | undefined
    } | undefined
    /** Where networks find the business, its providers, and services without a place of their own. */
    location?: GeoLocation | undefined
  } & Record<string, unknown> | undefined
  /** Address for invoices; the same as `emails.billing`. */
  billingEmail?: EmailAddress | null | undefined
  /** Status of the business. Archiving and restoring require the role `Owner`. */
  status?: "DRAFT" | "ACTIVE" | "ARCHIVED" | undefined
}

export type UpdateBusinessBookingBody = {
  /** Any status may follow any other; `AUTHORIZED` requires an authorised payment. */
  status?: "CREATED" | "PENDING" | "AUTHORIZED" | "CONFIRMED" | "COMPLETED" | "CANCELLED" | "FAILED" | undefined
  /** Replaces the content blocks. */
  blocks?: BusinessBlockInput[] | undefined
  /** Replaces the booked time. Fields other than `serviceId`, `providerId` and `slots` are ignored. */
  parts?: Array<{
    /** Identifier of the part. */
    id?: string | undefined
    /** Identifier of the service. */
    serviceId: string
    /** Identifier of the provider. */
    providerId: string
    /** Key of the service at that time. */
    serviceKey?: string | undefined
    /** Key of the provider at that time. */
    providerKey?: string | undefined
    /** Start, in Unix seconds. */
    from?: number | undefined
    /** End, in Unix seconds. */
    to?: number | undefined
    /** Price of one slot, in minor units. */
    unitPrice?: number | undefined
    /** `pending` until the booking is confirmed; `no_show` is set by an operator. */
    status?: "pending" | "confirmed" | "completed" | "no_show" | "cancelled" | undefined
    /** Slots to book. */
    slots: BusinessSentSlot[]
    /** Amount to pay for the part, tax contained, in minor units. */
    total?: number | undefined
  } & Record<string, unknown>> | undefined
  /** Replaces the form values. */
  forms?: Array<{
    /** Identifier or key of the form. */
    formId: string
    /** From the key of a field to its value; 200 at most. */
    values: Record<string, unknown>
  }> | undefined
  /** The payment as it was read: `status` `paid` marks one in cash as paid. Null makes an unpaid one in cash free, without a promo code; it stays free when it moves to time of the same price or less. */
  payment?: {
    /** Identifier of the payment, a UUIDv7 made by the server. */
    id?: string | undefined
    /** Identifier of the order. */
    orderId?: string | undefined
    /** How it is paid; `none` where the total is 0. */
    type?: "cash" | "card" | "none" | undefined
    /** Key of the market's payment method; null where the total is 0. */
    methodKey?: string | null | undefined
    /** `pending` until the provider or an operator confirms the payment. Refunds leave it `paid`. */
    status?: "pending" | "processing" | "authorized" | "paid" | "failed" | "cancelled" | undefined
    /** Currency of all amounts of the payment, ISO 4217. */
    currency?: string | undefined
    /** Amount due, in minor units. */
    amount?: number | undefined
    /** Amount that was captured, in minor units. */
    capturedAmount?: number | undefined
    /** Amount that was refunded, in minor units. */
    refundedAmount?: number | undefined
    /** Amount of refunds that are in progress, in minor units. */
    refundPendingAmount?: number | undefined
    /** Amount of refunds whose outcome is unknown, in minor units. It stays reserved until an operator resolves them. */
    refundUnknownAmount?: number | undefined
    /** Payment provider; null for cash and where the total is 0. */
    provider?: string | null | undefined
    /** The business's account at the provider; null without a provider. */
    providerAccountId?: string | null | undefined
    /** The provider's id of the checkout session; null until there is one. */
    providerSessionId?: string | null | undefined
    /** The provider's id of the payment; null until it is known. */
    providerPaymentId?: string | null | undefined
    /** What the provider reported about the payment; null if nothing. */
    evidence?: Record<string, unknown> | null | undefined
    /** Why the payment failed; null if it did not. */
    error?: {
      /** Stable code of what went wrong. */
      code: string
      /** What went wrong, for people. */
      message: string
      /** The provider's code of it, if it sent one. */
      providerCode?: string | undefined
      /** HTTP or SMTP status of its answer, if there was one. */
      providerStatus?: number | undefined
    } & Record<string, unknown> | null | undefined
    /** Time at which it was paid, in Unix seconds; null until then. */
    paidAt?: number | null | undefined
    /** Time of creation, in Unix seconds. Set by the server. */
    createdAt?: number | undefined
    /** Time of the latest change, in Unix seconds. Set by the server. */
    updatedAt?: number | undefined
  } | null | undefined
}

export type UpdateBusinessCollectionBody = {
  /** Name of the collection, unique in the business. Left out, it is kept. */
  key?: Key | undefined
  /** Schema of the blocks of the collection's entries; if it is empty, entries may have any blocks. Items without an id get one. */
  schema?: BusinessBlockSchema[] | undefined
  /** Content blocks of the collection itself, 500 at most. The schema does not apply to them. */
  blocks?: BusinessBlockInput[] | undefined
}

export type UpdateBusinessEntryBody = {
  /** Must equal the collection of the entry, which cannot be changed. */
  collectionId?: string | undefined
  /** Name of the record, unique in the business. Left out, it is kept. */
  key?: Key | undefined
  /** From locale code to the slug in that language, unique in the business per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: BusinessLocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BusinessBlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: BusinessTaxonomyEntry[] | undefined
  /** `ACTIVE` records are public; `DRAFT` and `ARCHIVED` ones are visible to operators only. */
  status?: "ACTIVE" | "DRAFT" | "ARCHIVED" | undefined
}

export type UpdateBusinessFormBody = {
  /** Name of the form, unique in the business. Left out, it is kept. */
  key?: Key | undefined
  /** Fields of the form, in their order. A field without an id keeps the id of the stored field with its key and type. */
  schema?: BusinessFormSchemaInput[] | undefined
  /** `active` forms accept submissions; `archived` ones do not. `active` by default. */
  status?: "active" | "archived" | undefined
}

export type UpdateBusinessFormSubmissionBody = {
  /** Must equal the form of the path, if it is sent. */
  formId?: string | undefined
  /** Values of the form's fields, each named by `key` or by `id`; if both are sent, `key` is used. */
  fields: BusinessFormField[]
}

export type UpdateBusinessIntegrationBody = {
  /** Name of the integration, unique in the business, of 1 to 255 printable characters. */
  key?: Key | undefined
  /** Changes of the provider. */
  provider?: BusinessIntegrationProviderChange | undefined
  /** Says that another `secretKey` of a `card_payment` belongs to the same account at the provider. Refunds of earlier payments are sent with it. */
  sameAccount?: boolean | undefined
}

export type UpdateBusinessLocationBody = {
  /** Name of the location, unique in the business, of 1 to 255 printable characters. */
  key?: Key | undefined
  /** Address that goods are shipped from; null until it is known. Shipping and pickup need its country. */
  address?: BusinessAddress | null | undefined
  /** Whether customers can pick up goods there; false by default. */
  isPickupLocation?: boolean | undefined
}

export type UpdateBusinessMarketBody = {
  /** Must equal the key of the market, which cannot be changed. */
  key?: Key | undefined
  /** Must equal the currency of the market, which cannot be changed. */
  currency?: string | undefined
  /** `Exclusive`: tax is added to the prices; `Inclusive`: prices contain it. */
  taxMode?: "Exclusive" | "Inclusive" | undefined
  /** Regions with their tax rate and shipping methods, 500 at most. Replaces the stored ones. */
  zones?: BusinessZoneInput[] | undefined
  /** Payment methods that customers can choose from, 50 at most. Replaces the stored ones. */
  paymentMethods?: BusinessPaymentMethod[] | undefined
}

export type UpdateBusinessMediaBody = {
  /** File name that is shown; the addresses of the file do not change. */
  name: string
}

export type UpdateBusinessOrderBody = {
  /** Current version of the order, from the latest read. Another one returns 409 `stale_version`. */
  version: number
  /** True confirms the order; a card order must be paid. */
  confirm?: boolean | undefined
  /** True cancels the order; a captured amount must be refunded first. */
  cancel?: boolean | undefined
  /** Where the goods are shipped; null removes it. The order is not priced again. */
  shippingAddress?: BusinessAddress | null | undefined
  /** Address of the invoice; null removes it. The order is not priced again. */
  billingAddress?: BusinessAddress | null | undefined
  /** Replaces the form values of the order. */
  forms?: BusinessFormEntry[] | undefined
  /** Replaces the lines and prices them again, as long as nothing is captured. An order without any item is cancelled. */
  productItems?: BusinessProductItem[] | undefined
  /** Replaces the bookings and prices them again, as long as nothing is captured. An order without any item is cancelled. */
  bookingItems?: BusinessBookingItem[] | undefined
  /** New statuses of confirmed bookings that have started. */
  bookingStatuses?: Array<{
    /** Identifier of a booking of the order. */
    id: string
    /** New status of the booking. */
    status: "confirmed" | "completed" | "no_show"
  }> | undefined
}

export type UpdateBusinessProductBody = {
  /** Name of the record, unique in the business. Left out, it is kept. */
  key?: Key | undefined
  /** From locale code to the slug in that language, unique in the business per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: BusinessLocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BusinessBlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: BusinessTaxonomyEntry[] | undefined
  /** `ACTIVE` records are public; `DRAFT` and `ARCHIVED` ones are visible to operators only. */
  status?: "ACTIVE" | "DRAFT" | "ARCHIVED" | undefined
  /** Variants of the product, 250 at most. Replaces the stored list; a variant that is sent with its id is updated. */
  variants?: BusinessProductVariantWrite[] | undefined
}

export type UpdateBusinessProductInventoryBody = {
  /** Rows to write, one per variant and location. Rows that are not named are kept. */
  inventory: Array<{
    /** Identifier of a variant of this product. */
    variantId: string
    /** Identifier of a location of the business. */
    locationId: string
    /** Units that can still be sold: what counts now, whatever was sold since it was read. Either this or `delta`. */
    available?: number | undefined
    /** Units to add, or with a minus to take away: what is sold meanwhile stays subtracted. A level that does not exist begins at 0. */
    delta?: number | undefined
    /** Expected present `available`, null for no level: with another one nothing is written. It makes a `delta` safe to repeat. */
    ifAvailable?: number | null | undefined
  }>
}

export type UpdateBusinessPromoCodeBody = {
  /** The code that customers enter, unique in the business. Left out, it is kept. */
  code?: string | undefined
  /** Replaces the discounts. Left out, they are kept. */
  discounts?: BusinessDiscountInput[] | undefined
  /** Replaces the conditions. Left out, they are kept. */
  conditions?: BusinessCondition[] | undefined
  /** `active` codes can be redeemed; `archived` ones cannot. Left out, it is kept. */
  status?: "active" | "archived" | undefined
}

export type UpdateBusinessProviderBody = {
  /** Name of the record, unique in the business. Left out, it is kept. */
  key?: Key | undefined
  /** From locale code to the slug in that language, unique in the business per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: BusinessLocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BusinessBlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: BusinessTaxonomyEntry[] | undefined
  /** `ACTIVE` records are public; `DRAFT` and `ARCHIVED` ones are visible to operators only. */
  status?: "ACTIVE" | "DRAFT" | "ARCHIVED" | undefined
  /** `public` records are found and booked by visitors; `private` ones by operators only. `public` by default. */
  access?: "public" | "private" | undefined
  /** Identifiers of entries ("nodes") that the record belongs to, 500 at most. They may be deleted independently. */
  nodeIds?: string[] | undefined
  /** Identifiers of the networks that list the record; empty for all networks of the business. */
  networkIds?: string[] | undefined
  /** Identifiers of audiences that the provider belongs to, 500 at most. They may be deleted independently. */
  audienceIds?: string[] | undefined
  /** Number of bookings of the provider, of any service, that may take place at any moment of one that is booked with this limit, itself included; 1 by default. */
  concurrentLimit?: number | undefined
}

export type UpdateBusinessReactionBody = {
  /** As it was: the target never changes. */
  target?: {
    /** What it is: `node` is an entry of content. */
    type: "product" | "service" | "provider" | "booking" | "node"
    /** Identifier of the record. */
    id: string
  } | undefined
  /** As it was: the kind never changes. */
  kind?: string | undefined
  /** As it was: the parent never changes. */
  parentId?: string | null | undefined
  /** Replaces the content. */
  blocks?: BusinessBlockInput[] | undefined
  /** Replaces the taxonomies. */
  taxonomies?: BusinessTaxonomyEntry[] | undefined
}

export type UpdateBusinessReservationBody = {
  /** Any status may follow any other; `AUTHORIZED` requires an authorised payment. */
  status: "CREATED" | "PENDING" | "AUTHORIZED" | "CONFIRMED" | "COMPLETED" | "CANCELLED" | "FAILED"
  /** Replaces the content blocks. */
  blocks: BusinessBlockInput[]
  /** Replaces the booked slots. Fields other than `serviceId`, `providerId`, `from` and `to` are ignored. */
  items?: Array<{
    /** Identifier of the part. */
    id?: string | undefined
    /** Identifier of the service. */
    serviceId: string
    /** Identifier of the provider. */
    providerId: string
    /** Key of the service at that time. */
    serviceKey?: string | undefined
    /** Key of the provider at that time. */
    providerKey?: string | undefined
    /** Start, in Unix seconds. */
    from: number
    /** End, in Unix seconds. */
    to: number
    /** Price of one slot, in minor units. */
    unitPrice?: number | undefined
    /** `pending` until the booking is confirmed; `no_show` is set by an operator. */
    status?: "pending" | "confirmed" | "completed" | "no_show" | "cancelled" | undefined
    /** Ignored, so that a slot of the availability can be sent as it is. */
    spots?: number | undefined
  } & Record<string, unknown>> | undefined
  /** Replaces the form values. */
  forms?: Array<{
    /** Identifier or key of the form. */
    formId: string
    /** From the key of a field to its value; 200 at most. */
    values: Record<string, unknown>
  }> | undefined
  /** The payment as it was read: `status` `paid` marks one in cash as paid. Null makes an unpaid one in cash free, without a promo code; it stays free when it moves to time of the same price or less. */
  payment?: {
    /** Identifier of the payment, a UUIDv7 made by the server. */
    id?: string | undefined
    /** Identifier of the order. */
    orderId?: string | undefined
    /** How it is paid; `none` where the total is 0. */
    type?: "cash" | "card" | "none" | undefined
    /** Key of the market's payment method; null where the total is 0. */
    methodKey?: string | null | undefined
    /** `pending` until the provider or an operator confirms the payment. Refunds leave it `paid`. */
    status?: "pending" | "processing" | "authorized" | "paid" | "failed" | "cancelled" | undefined
    /** Currency of all amounts of the payment, ISO 4217. */
    currency?: string | undefined
    /** Amount due, in minor units. */
    amount?: number | undefined
    /** Amount that was captured, in minor units. */
    capturedAmount?: number | undefined
    /** Amount that was refunded, in minor units. */
    refundedAmount?: number | undefined
    /** Amount of refunds that are in progress, in minor units. */
    refundPendingAmount?: number | undefined
    /** Amount of refunds whose outcome is unknown, in minor units. It stays reserved until an operator resolves them. */
    refundUnknownAmount?: number | undefined
    /** Payment provider; null for cash and where the total is 0. */
    provider?: string | null | undefined
    /** The business's account at the provider; null without a provider. */
    providerAccountId?: string | null | undefined
    /** The provider's id of the checkout session; null until there is one. */
    providerSessionId?: string | null | undefined
    /** The provider's id of the payment; null until it is known. */
    providerPaymentId?: string | null | undefined
    /** What the provider reported about the payment; null if nothing. */
    evidence?: Record<string, unknown> | null | undefined
    /** Why the payment failed; null if it did not. */
    error?: {
      /** Stable code of what went wrong. */
      code: string
      /** What went wrong, for people. */
      message: string
      /** The provider's code of it, if it sent one. */
      providerCode?: string | undefined
      /** HTTP or SMTP status of its answer, if there was one. */
      providerStatus?: number | undefined
    } & Record<string, unknown> | null | undefined
    /** Time at which it was paid, in Unix seconds; null until then. */
    paidAt?: number | null | undefined
    /** Time of creation, in Unix seconds. Set by the server. */
    createdAt?: number | undefined
    /** Time of the latest change, in Unix seconds. Set by the server. */
    updatedAt?: number | undefined
  } | null | undefined
}

export type UpdateBusinessServiceBody = {
  /** Name of the record, unique in the business. Left out, it is kept. */
  key?: Key | undefined
  /** From locale code to the slug in that language, unique in the business per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: BusinessLocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BusinessBlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: BusinessTaxonomyEntry[] | undefined
  /** `ACTIVE` records are public; `DRAFT` and `ARCHIVED` ones are visible to operators only. */
  status?: "ACTIVE" | "DRAFT" | "ARCHIVED" | undefined
  /** `public` records are found and booked by visitors; `private` ones by operators only. `public` by default. */
  access?: "public" | "private" | undefined
  /** Identifiers of entries ("nodes") that the record belongs to, 500 at most. They may be deleted independently. */
  nodeIds?: string[] | undefined
  /** Identifiers of the networks that list the record; empty for all networks of the business. */
  networkIds?: string[] | undefined
  /** Prices of one slot, one per market, with providers that have no price of their own in the market. */
  prices?: BusinessPrice[] | undefined
  /** Steps of a slot, with providers that have none of their own, 50 at most. A slot lasts their sum, at most 1440 minutes. Replaces the stored ones. */
  durations?: BusinessSegmentInput[] | undefined
  /** Whether an operator has to approve bookings of the service; false by default. */
  isApprovalRequired?: boolean | undefined
  /** Where the service takes place; null for the place of the business. */
  location?: BusinessPlace | null | undefined
}

export type UpdateBusinessServiceProviderBody = {
  /** Must equal the service of the link, which cannot be changed. */
  serviceId?: string | undefined
  /** Must equal the provider of the link, which cannot be changed. */
  providerId?: string | undefined
  /** Weekly hours in which the provider offers the service. */
  workingDays?: BusinessWorkingDay[] | undefined
  /** Hours of single dates; each replaces the working day of its date. */
  specificDates?: BusinessSpecificDate[] | undefined
  /** Steps of a slot, 50 at most, whose sum is its length; if empty, those of the service. */
  durations?: BusinessSegmentInput[] | undefined
  /** Prices of one slot, one per market; in other markets the service's. */
  prices?: BusinessPrice[] | undefined
  /** Minutes from the start of one slot to the next, 1 to 1440. */
  slotInterval?: number | undefined
}

export type UpdateBusinessTaxonomyBody = {
  /** Name of the taxonomy, unique in the business. Left out, it is kept. */
  key?: Key | undefined
  /** Identifier of the taxonomy above; null: at the top. A tree has at most 32 levels. */
  parentId?: string | null | undefined
  /** Schema of the `fields` that a record filed under this taxonomy may have. */
  schema?: BusinessTaxonomySchema[] | undefined
  /** `active` taxonomies are public; `archived` ones are visible to operators only. `active` by default. */
  status?: "active" | "archived" | undefined
}

export type UpdateBusinessWebhookBody = {
  /** Name of the webhook, unique in the business, of 1 to 255 printable characters. */
  key?: Key | undefined
  /** Address that events are posted to, http or https. Write-only: returned as `__redacted__`. */
  url?: string | undefined
  /** Headers to send with every delivery. Write-only: each value is returned as `__redacted__`. The map replaces the stored one. */
  headers?: Record<string, string> | undefined
  /** Signs every delivery (Standard Webhooks 1.0): `whsec_` and the base64 of 24 to 64 bytes. Write-only: returned as `__redacted__`. */
  secret?: string | undefined
  /** Whether events are delivered. */
  enabled?: boolean | undefined
  /** Events to deliver, 1 to 100. */
  events?: Array<{
    /** Name of an event. */
    event: "booking.created" | "booking.updated" | "node.created" | "node.updated" | "node.deleted" | "form_submission.created" | "order.created" | "order.updated" | "product.created" | "product.updated" | "product.deleted" | "audience.subscriber_added"
  }> | undefined
}

export type UpdateCampaignBody = {
  /** Name of the campaign for people. */
  name?: string | undefined
  /** Mailboxes that send the campaign, 1 to 20. All messages to a contact are sent by the same one. */
  mailbox_ids?: string[] | undefined
  /** E-mails of the sequence, in order, 20 at most. A launch needs at least one. */
  steps?: CampaignStepSetup[] | undefined
  /** Values that the Liquid expressions of all steps read. */
  variables?: Record<string, unknown> | undefined
  /** Address for replies; if null, that of the mailbox. */
  reply_to?: EmailAddress | null | undefined
  /** Whether a reply ends the sequence for its sender. `true` by default. */
  stop_on_reply?: boolean | undefined
  /** When messages are sent; null for any time. */
  send_window?: SendWindow | null | undefined
  /** When a launched campaign starts, in Unix seconds; null: at its launch. */
  scheduled_at?: number | null | undefined
}

export type UpdateCartBody = {
  /** Key of the market whose prices, currency and taxes apply. */
  market?: Key | undefined
  /** Replaces the products, 500 lines at most; null removes all. */
  product_items?: ProductItem[] | null | undefined
  /** Where the goods are shipped; null removes it. */
  shipping_address?: Address | null | undefined
  /** Address of the invoice; null removes it. */
  billing_address?: Address | null | undefined
  /** Replaces the form values that are copied to the order; null removes all. */
  forms?: FormEntry[] | null | undefined
  /** Key of one of the market's payment methods; null removes it. */
  payment_method_key?: Key | null | undefined
  /** Id of a shipping method of the zone; null removes it. */
  shipping_method_id?: string | null | undefined
  /** Identifier of a pickup location, used instead of shipping; null removes it. */
  pickup_location_id?: string | null | undefined
  /** Promo code, 64 characters at most; null removes it. It is checked when the cart is quoted. */
  promo_code?: string | null | undefined
  /** Replaces the bookings; null removes all. */
  booking_items?: BookingItemInput[] | null | undefined
}

export type UpdateCollectionBody = {
  /** Name of the collection, unique in the store. Left out, it is kept. */
  key?: Key | undefined
  /** Schema of the blocks of the collection's entries; if it is empty, entries may have any blocks. Items without an id get one. */
  schema?: BlockSchema[] | undefined
  /** Content blocks of the collection itself, 500 at most. The schema does not apply to them. */
  blocks?: BlockInput[] | undefined
}

export type UpdateContactBody = {
  /** E-mail address of the contact; null removes it. */
  email?: EmailAddress | null | undefined
  /** Taxonomies that the contact is filed under, with their entries or typed fields. Replaces the stored ones. */
  taxonomies?: TaxonomyEntry[] | undefined
  /** Status of the contact. */
  status?: "active" | "archived" | undefined
}

export type UpdateContactChannelBody = {
  /** True: this channel is used before others of its type, and another one is primary no more. */
  is_primary?: boolean | undefined
  /** Only an owner makes a `bounced` or `complained` channel `active` again. */
  status?: "active" | "bounced" | "complained" | undefined
  /** Consent of the contact. Left out, it is kept. */
  consent?: {
    /** Only an owner changes `withdrawn` to another status. */
    status: "unknown" | "granted" | "withdrawn"
    /** Where the contact said so, 100 characters at most; `operator` by default. */
    source?: string | null | undefined
    /** Set by the server when the status changes; a value that is sent is ignored. */
    at?: number | null | undefined
  } | undefined
  /** The contact's identifier at the provider, unique in the store; null if it is unknown. */
  provider_subject?: string | null | undefined
}

export type UpdateEmailTemplateBody = {
  /** Name of the template, unique in the store, of 1 to 255 printable characters. */
  key?: Key | undefined
  /** What the template is for. */
  type?: "transactional" | "campaign" | "subscription_confirmation" | undefined
  /** `active` templates can be sent; `archived` ones cannot. `active` by default. */
  status?: "active" | "draft" | "archived" | undefined
  /** Language of `body`; `mjml` by default. */
  format?: "mjml" | "html" | undefined
  /** Subject line, with Liquid expressions, of 1 to 2,000 characters. */
  subject?: string | undefined
  /** Source of the HTML part: MJML or HTML with Liquid expressions. */
  body?: string | undefined
  /** Source of the plain-text part, with Liquid expressions; if null or left out, it is derived from the HTML part. */
  text?: string | null | undefined
}

export type UpdateEntryBody = {
  /** Must equal the collection of the entry, which cannot be changed. */
  collection_id?: string | undefined
  /** Name of the record, unique in the store. Left out, it is kept. */
  key?: Key | undefined
  /** From locale code to the slug in that language, unique in the store per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: LocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: TaxonomyEntry[] | undefined
  /** `active` records are public; `draft` and `archived` ones are visible to operators only. */
  status?: "active" | "draft" | "archived" | undefined
}

export type UpdateFormBody = {
  /** Name of the form, unique in the store. Left out, it is kept. */
  key?: Key | undefined
  /** Fields of the form, in their order. A field without an id keeps the id of the stored field with its key and type. */
  schema?: FormSchemaInput[] | undefined
  /** `active` forms accept submissions; `archived` ones do not. `active` by default. */
  status?: "active" | "archived" | undefined
}

export type UpdateFormSubmissionBody = {
  /** Must equal the form of the path, if it is sent. */
  form_id?: string | undefined
  /** Values of the form's fields, each named by `key` or by `id`; if both are sent, `key` is used. */
  fields: FormField[]
}

export type UpdateIntegrationBody = {
  /** Name of the integration, unique in the store, of 1 to 255 printable characters. */
  key?: Key | undefined
  /** Changes of the provider. */
  provider?: IntegrationProviderChange | undefined
  /** Says that another `secret_key` of a `card_payment` belongs to the same account at the provider. Refunds of earlier payments are sent with it. */
  same_account?: boolean | undefined
}

export type UpdateLocationBody = {
  /** Name of the location, unique in the store, of 1 to 255 printable characters. */
  key?: Key | undefined
  /** Address that goods are shipped from; null until it is known. Shipping and pickup need its country. */
  address?: Address | null | undefined
  /** Whether customers can pick up goods there; false by default. */
  is_pickup_location?: boolean | undefined
}

export type UpdateMailboxBody = {
  /** Name of the mailbox, unique in the store, of 1 to 255 printable characters. */
  key?: Key | undefined
  /** Address that e-mails are sent from. */
  email?: EmailAddress | undefined
  /** Display name of the sender; null for none. */
  name?: string | null | undefined
  /** Address for replies; if null, that of the sender. */
  reply_to?: EmailAddress | null | undefined
  /** E-mails are sent from `active` mailboxes only. `active` by default. */
  status?: "active" | "archived" | undefined
  /** SMTP account that e-mails are sent through. It is replaced as a whole. */
  smtp?: {
    /** Host name or address of the SMTP server, without scheme and port. */
    host: string
    /** Port of the SMTP server: 25, 465, 587, or one above 1023. */
    port: 25 | 465 | 587 | number
    /** `tls` from the first byte; `starttls` is required; `none` is accepted only for hosts that the server's EGRESS_ALLOW names. */
    security: "tls" | "starttls" | "none"
    /** User name to sign in with; null or left out for no sign-in. */
    username?: string | null | undefined
    /** Password to sign in with. Write-only. Left out, the stored one is kept while host and username stay the same. */
    password?: string | null | undefined
  } | undefined
  /** What campaigns may send over the mailbox. They are replaced as a whole. */
  limits?: {
    /** Messages per second; null or left out for no limit. */
    per_second?: number | null | undefined
    /** Messages per day; null or left out for no limit. */
    per_day?: number | null | undefined
    /** Open connections to the SMTP server, 50 at most; 5 by default. */
    connections?: number | undefined
    /** Messages over one connection; 100 by default. */
    messages_per_connection?: number | undefined
  } | undefined
  /** IMAP account of the inbox that replies and bounces of campaigns arrive in. It is replaced as a whole; null for none. */
  imap?: {
    /** Host name or address of the IMAP server, without scheme and port. */
    host: string
    /** Port of the IMAP server: 143, 993, or one above 1023. */
    port: 143 | 993 | number
    /** `tls` from the first byte; `starttls` is required; `none` is accepted only for hosts that the server's EGRESS_ALLOW names. */
    security: "tls" | "starttls" | "none"
    /** User name to sign in with. */
    username: string
    /** Password to sign in with. Write-only. Left out, the stored one is kept while host and username stay the same. */
    password?: string | undefined
    /** Folder that replies and bounces arrive in; `INBOX` by default. */
    folder?: string | undefined
  } | null | undefined
}

export type UpdateMarketBody = {
  /** Must equal the key of the market, which cannot be changed. */
  key?: Key | undefined
  /** Must equal the currency of the market, which cannot be changed. */
  currency?: string | undefined
  /** `exclusive`: tax is added to the prices; `inclusive`: prices contain it. */
  tax_mode?: "exclusive" | "inclusive" | undefined
  /** Regions with their tax rate and shipping methods, 500 at most. Replaces the stored ones. */
  zones?: ZoneInput[] | undefined
  /** Payment methods that customers can choose from, 50 at most. Replaces the stored ones. */
  payment_methods?: PaymentMethod[] | undefined
}

export type UpdateMediaBody = {
  /** File name that is shown; the addresses of the file do not change. */
  name: string
}

export type UpdateOrderBody = {
  /** Current version of the order, from the latest read. Another one returns 409 `stale_version`. */
  version: number
  /** True confirms the order; a card order must be paid. */
  confirm?: boolean | undefined
  /** True cancels the order; a captured amount must be refunded first. */
  cancel?: boolean | undefined
  /** Where the goods are shipped; null removes it. The order is not priced again. */
  shipping_address?: Address | null | undefined
  /** Address of the invoice; null removes it. The order is not priced again. */
  billing_address?: Address | null | undefined
  /** Replaces the form values of the order. */
  forms?: FormEntry[] | undefined
  /** Replaces the lines and prices them again, as long as nothing is captured. An order without any item is cancelled. */
  product_items?: ProductItem[] | undefined
  /** Replaces the bookings and prices them again, as long as nothing is captured. An order without any item is cancelled. */
  booking_items?: BookingItemInput[] | undefined
  /** New statuses of confirmed bookings that have started. */
  booking_statuses?: Array<{
    /** Identifier of a booking of the order. */
    id: string
    /** New status of the booking. */
    status: "confirmed" | "completed" | "no_show"
  }> | undefined
}

export type UpdatePlatformNetworkBody = {
  /** Name of the network in addresses, unique in the installation: 3 to 63 lower-case letters, digits and hyphens. */
  key?: string | undefined
  /** Name of the network for people, 200 characters at most. */
  name?: string | undefined
  /** Identifiers of the stores and businesses of the network, 1000 at most. Replaces the stored ones. */
  tenant_ids?: string[] | undefined
}

export type UpdateProductBody = {
  /** Name of the record, unique in the store. Left out, it is kept. */
  key?: Key | undefined
  /** From locale code to the slug in that language, unique in the store per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: LocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: TaxonomyEntry[] | undefined
  /** `active` records are public; `draft` and `archived` ones are visible to operators only. */
  status?: "active" | "draft" | "archived" | undefined
  /** Variants of the product, 250 at most. Replaces the stored list; a variant that is sent with its id is updated. */
  variants?: ProductVariantWrite[] | undefined
}

export type UpdateProductInventoryBody = {
  /** Rows to write, one per variant and location. Rows that are not named are kept. */
  inventory: Array<{
    /** Identifier of a variant of this product. */
    variant_id: string
    /** Identifier of a location of the store. */
    location_id: string
    /** Units that can still be sold: what counts now, whatever was sold since it was read. Either this or `delta`. */
    available?: number | undefined
    /** Units to add, or with a minus to take away: what is sold meanwhile stays subtracted. A level that does not exist begins at 0. */
    delta?: number | undefined
    /** Expected present `available`, null for no level: with another one nothing is written. It makes a `delta` safe to repeat. */
    if_available?: number | null | undefined
  }>
}

export type UpdatePromoCodeBody = {
  /** The code that customers enter, unique in the store. Left out, it is kept. */
  code?: string | undefined
  /** Replaces the discounts. Left out, they are kept. */
  discounts?: DiscountInput[] | undefined
  /** Replaces the conditions. Left out, they are kept. */
  conditions?: Condition[] | undefined
  /** `active` codes can be redeemed; `archived` ones cannot. Left out, it is kept. */
  status?: "active" | "archived" | undefined
}

export type UpdateProviderBody = {
  /** Name of the record, unique in the store. Left out, it is kept. */
  key?: Key | undefined
  /** From locale code to the slug in that language, unique in the store per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: LocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: TaxonomyEntry[] | undefined
  /** `active` records are public; `draft` and `archived` ones are visible to operators only. */
  status?: "active" | "draft" | "archived" | undefined
}

export type UpdateReactionBody = {
  /** As it was: the target never changes. */
  target?: {
    /** What it is: `node` is an entry of content. */
    type: "product" | "service" | "provider" | "booking" | "node"
    /** Identifier of the record. */
    id: string
  } | undefined
  /** As it was: the kind never changes. */
  kind?: string | undefined
  /** As it was: the parent never changes. */
  parent_id?: string | null | undefined
  /** Replaces the content. */
  blocks?: BlockInput[] | undefined
  /** Replaces the taxonomies. */
  taxonomies?: TaxonomyEntry[] | undefined
}

export type UpdateServiceBody = {
  /** Name of the record, unique in the store. Left out, it is kept. */
  key?: Key | undefined
  /** From locale code to the slug in that language, unique in the store per language. Replaces the stored map. New slugs that cannot be read in a path, such as `..` and ids, are refused (`reserved`). */
  slug?: LocaleMap | undefined
  /** Content blocks, 500 at most. Replaces the stored ones. */
  blocks?: BlockInput[] | undefined
  /** Taxonomies that the record is filed under, with their entries or fields. Replaces the stored ones. */
  taxonomies?: TaxonomyEntry[] | undefined
  /** `active` records are public; `draft` and `archived` ones are visible to operators only. */
  status?: "active" | "draft" | "archived" | undefined
}

export type UpdateServiceProviderBody = {
  /** Must equal the service of the link, which cannot be changed. */
  service_id?: string | undefined
  /** Must equal the provider of the link, which cannot be changed. */
  provider_id?: string | undefined
  /** Weekly hours in which the provider offers the service, each weekday once. */
  working_days?: WorkingDay[] | undefined
  /** Hours of single dates, each date once; each replaces the working day of its date. Without windows the date is closed. */
  specific_dates?: SpecificDate[] | undefined
  /** Lengths that a slot may have, each once; if empty, `slot_interval`. */
  durations?: ServiceDuration[] | undefined
  /** Prices of one slot, one per market. */
  prices?: Price[] | undefined
  /** Minutes from the start of one slot to the next, 1 to 1440. */
  slot_interval?: number | undefined
  /** Number of bookings of the provider, of any service, that may take place at any moment of one that is booked with this limit, itself included; 1 by default. */
  concurrent_limit?: number | undefined
}

export type UpdateSocialPublicationBody = {
  /** Identifier of the connection. It cannot be changed: create another publication. */
  social_connection_id?: string | undefined
  /** What the post says. A field that the network lacks is reported as an issue. */
  content: SocialContentInput
}

export type UpdateStoreBody = {
  /** Name of the store in addresses, unique in the installation: 3 to 63 lower-case letters, digits and hyphens. */
  key?: string | undefined
  /** Time zone of the store, as an IANA name. It cannot be changed while there are bookings in the future. */
  timezone?: string | undefined
  /** Languages of the store's content, the main one first. */
  languages?: LocaleTag[] | undefined
  /** Addresses of the store. */
  emails?: {
    /** Address for invoices; null for none. */
    billing?: EmailAddress | null | undefined
    /** Address for customers; null for none. */
    support?: EmailAddress | null | undefined
  } | undefined
  /** Settings of the store; unknown fields are stored as they are. Replaces the stored ones. */
  settings?: {
    /** Whether a card order is confirmed as soon as it is paid; true by default. */
    auto_confirm_paid?: boolean | undefined
    /** Hours in which a booking has to be approved that requires it; 72 by default. */
    approval_hours?: number | undefined
    /** Minutes before a booking at which its reminder is due; 0 for none. A new value applies to a booking when it is confirmed or changed, or when its reminder would have been due. */
    booking_reminder_minutes?: number | undefined
    /** Hours for which a paid membership that is not ending grants access after its paid time, 72 by default: the payment provider takes up to 72 hours to charge a renewal. */
    membership_grace_hours?: number | undefined
    /** Page of the storefront where members manage their memberships; the token is added as the query parameter `token`. Without it, a page of this server. */
    membership_manage_url?: string | undefined
    /** Page of the storefront that shows a cart. Agents link to the carts that they fill; the id is added to its query, as `cart_id=…` on both surfaces. */
    cart_url?: string | undefined
    /** Tokens that models may use for the store in a day (UTC), together; the limit of the installation (`MODEL_TOKENS_PER_DAY`) by default. */
    tokens?: number | undefined
    /** Name of the store in e-mails and networks; its key by default. */
    name?: string | undefined
    /** Address of an image that networks show for the store. */
    logo?: string | undefined
    /** Address that networks show for the store. */
    address?: Address | undefined
    /** What customers may say of its records, and what waits for a moderator. */
    reactions?: {
      /** Which content waits for a moderator: `none`, `all`, or `auto` (the default), content of visitors without a verified address that holds a link or one of `words`. */
      moderation?: "none" | "all" | "auto" | undefined
      /** What visitors without a verified address may send: `all` (the default), `marks` and stars only, or `none`. */
      anonymous?: "all" | "marks" | "none" | undefined
      /** Who may send reviews and stars: `anyone` (the default), visitors with a `verified` address, or `buyers` of the target. */
      reviewers?: "anyone" | "verified" | "buyers" | undefined
      /** Minutes in which an author may change the content of a reaction; 15 by default, 0: never. */
      window?: number | undefined
      /** Whole words or phrases, in any case: content of visitors without a verified address that has one of them waits for a moderator, where `moderation` is `auto`. */
      words?: string[] | undefined
    } | undefined
    /** Where networks find the store, its providers, and services without a place of their own. */
    location?: GeoLocation | undefined
  } & Record<string, unknown> | undefined
  /** Status of the store. Archiving and restoring require the role `owner`. */
  status?: "DRAFT" | "ACTIVE" | "ARCHIVED" | undefined
}

export type UpdateStorefrontReactionBody = {
  /** As it was: the target never changes. */
  target?: {
    /** What it is: `node` is an entry of content. */
    type: "product" | "service" | "provider" | "booking" | "node"
    /** Identifier of the record. */
    id: string
  } | undefined
  /** As it was: the kind never changes. */
  kind?: string | undefined
  /** As it was: the parent never changes. */
  parent_id?: string | null | undefined
  /** Replaces the content. */
  blocks?: BlockInput[] | undefined
  /** Replaces the taxonomies. */
  taxonomies?: TaxonomyEntry[] | undefined
}

export type UpdateTaxonomyBody = {
  /** Name of the taxonomy, unique in the store. Left out, it is kept. */
  key?: Key | undefined
  /** Identifier of the taxonomy above; null: at the top. A tree has at most 32 levels. */
  parent_id?: string | null | undefined
  /** Schema of the `fields` that a record filed under this taxonomy may have. */
  schema?: TaxonomySchema[] | undefined
  /** `active` taxonomies are public; `archived` ones are visible to operators only. `active` by default. */
  status?: "active" | "archived" | undefined
}

export type UpdateWebhookBody = {
  /** Name of the webhook, unique in the store, of 1 to 255 printable characters. */
  key?: Key | undefined
  /** Address that events are posted to, http or https. Write-only: returned as `__redacted__`. */
  url?: string | undefined
  /** Headers to send with every delivery. Write-only: each value is returned as `__redacted__`. The map replaces the stored one. */
  headers?: Record<string, string> | undefined
  /** Signs every delivery (Standard Webhooks 1.0): `whsec_` and the base64 of 24 to 64 bytes. Write-only: returned as `__redacted__`. */
  secret?: string | undefined
  /** Whether events are delivered. */
  enabled?: boolean | undefined
  /** Events to deliver, 1 to 100. */
  events?: Array<{
    /** Name of an event. */
    event: "collection.created" | "collection.updated" | "collection.deleted" | "entry.created" | "entry.updated" | "entry.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.member_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated"
  }> | undefined
}

export type UpdateWorkflowBody = {
  /** Name of the workflow, unique in the store. Left out, it is kept. */
  key?: Key | undefined
  /** `active` requires a valid graph. Left out, it is kept. */
  status?: "active" | "draft" | "archived" | undefined
  /** Replaces all nodes. Left out, they are kept. */
  nodes?: Record<string, WorkflowNodeInput> | undefined
  /** Replaces all edges. Left out, they are kept. */
  edges?: WorkflowEdgeInput[] | undefined
  /** Cron expression of five fields, in UTC; null removes it. Left out, it is kept. */
  schedule?: string | null | undefined
}

export type UpdateWorkflowConnectionBody = {
  /** Name of the connection, unique in the store, of 1 to 255 printable characters. */
  key?: Key | undefined
  /** Kind of drive: S3 or compatible, or WebDAV. It decides the fields of `settings` and `credentials`. */
  type?: "s3" | "webdav" | undefined
  /** Where the drive is. Of `s3`: `bucket`, `region` (default `us-east-1`), `endpoint` (default AWS), `path_style`, `prefix`. Of `webdav`: `url`. */
  settings?: S3SettingsInput | WebdavSettings | undefined
  /** How to sign in to the drive. Write-only. Of `s3`: `access_key_id`, `secret_access_key`, optional `session_token`. Of `webdav`: `username`, `password`. */
  credentials?: S3Credentials | WebdavCredentials | undefined
}

export type UploadBusinessMediaBody = {
  /** Files of 50 MiB at most each. */
  files: string[]
}

export type UploadBusinessMediaResult = {
  /** The uploaded files, in the order in which they were sent. */
  items: BusinessMedia[]
}

export type UploadMediaBody = {
  /** Files of 50 MiB at most each. */
  files: string[]
}

export type UploadMediaResult = {
  /** The uploaded files, in the order in which they were sent. */
  items: Media[]
}

export type ValidateSocialPublicationBody = {
  /** Identifier of the connection that would publish it. */
  social_connection_id: string
  /** What the post says. */
  content: SocialContentInput
  /** Identifier of the publication that the content would change: it is not compared with itself. */
  publication_id?: string | null | undefined
}

export type VerifySignInCodeBody = {
  /** The `challenge_id` that was returned when the code was requested. */
  challenge_id: string
  /** The six digits of the e-mail; white space is ignored. A code is valid for 10 minutes and 5 attempts. */
  code: string
  /** `true`: the refresh token is set as a cookie. For applications on the origin of the API alone. */
  cookie?: boolean | undefined
}

export type VerifyStoreSignInCodeBody = {
  /** The `challenge_id` that was returned when the code was requested. */
  challenge_id: string
  /** The six digits of the e-mail; white space is ignored. A code is valid for 10 minutes and 5 attempts. */
  code: string
}

export type VerifyVisitorCodeBody = {
  /** The `challenge_id` that was returned when the code was requested. */
  challenge_id: string
  /** The six digits of the e-mail; white space is ignored. A code is valid for 10 minutes and 5 attempts. */
  code: string
}

export type WebdavCredentials = {
  /** User name. Write-only. */
  username: string
  /** Password. Write-only. */
  password: string
}

export type WebdavSettings = {
  /** Address of the folder below which all files are uploaded. */
  url: string
}

export type Webhook = {
  /** Identifier of the webhook, a UUIDv7 made by the server. */
  id: string
  /** Name of the webhook, unique in the store. */
  key: string
  /** Always `__redacted__`: the address is a secret and is never returned. */
  url: string
  /** Events that are delivered to the webhook. */
  events: Array<{
    /** Name of an event. */
    event: "collection.created" | "collection.updated" | "collection.deleted" | "entry.created" | "entry.updated" | "entry.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.member_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated" | "booking.created" | "booking.updated"
  }>
  /** Names of the headers that are sent; every value is `__redacted__`. */
  headers: Record<string, string>
  /** Always `__redacted__`: the signing secret is never returned. */
  secret: string
  /** Whether events are delivered. */
  enabled: boolean
  /** `gone`: the address answered 410; `failing`: no delivery succeeded for five days; null: it is enabled, or an operator disabled it. */
  disabled_reason: string | null
  /** Time since which attempts were made and none succeeded, in Unix seconds; null if the latest succeeded. */
  failing_since: number | null
  /** Time until which the previous secret signs as well, in Unix seconds; null if none does. */
  previous_secret_until: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type WebhookList = {
  /** The records of this page. */
  items: Webhook[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

export type WebhookMade = {
  /** Identifier of the webhook, a UUIDv7 made by the server. */
  id: string
  /** Name of the webhook, unique in the store. */
  key: string
  /** Always `__redacted__`: the address is a secret and is never returned. */
  url: string
  /** Events that are delivered to the webhook. */
  events: Array<{
    /** Name of an event. */
    event: "collection.created" | "collection.updated" | "collection.deleted" | "entry.created" | "entry.updated" | "entry.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.member_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated" | "booking.created" | "booking.updated"
  }>
  /** Names of the headers that are sent; every value is `__redacted__`. */
  headers: Record<string, string>
  /** The signing secret if this request generated it, otherwise `__redacted__`. */
  secret: string
  /** Whether events are delivered. */
  enabled: boolean
  /** `gone`: the address answered 410; `failing`: no delivery succeeded for five days; null: it is enabled, or an operator disabled it. */
  disabled_reason: string | null
  /** Time since which attempts were made and none succeeded, in Unix seconds; null if the latest succeeded. */
  failing_since: number | null
  /** Time until which the previous secret signs as well, in Unix seconds; null if none does. */
  previous_secret_until: number | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

/** A test delivery. In status `unknown` it may or may not have arrived, and it is never sent again. */
export type WebhookTest = {
  /** The caller's own id of the test, or the one that the server made. */
  delivery_id: string
  /** Identifier of the webhook that was called; null for an address that is none. */
  webhook_id: string | null
  /** `succeeded` after 2xx, 301, 302 and 303; `rejected` after 4xx, 307, 308, 500 and 503; `failed` if nothing was sent; `unknown` without an answer, and after one that a proxy may have given (502, 504, 52x). */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
  /** HTTP status of the answer; null if there was none. */
  provider_status_code: number | null
  /** Why the test did not succeed; null if it did. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
}

/** A message of a campaign with its content. */
export type WholeCampaignMessage = {
  /** Identifier of the message, a UUIDv7 made by the server. Its Message-ID begins with it. */
  id: string
  /** Identifier of the campaign. */
  campaign_id: string
  /** Identifier of the enrollment that it was sent to; null for a test message. */
  enrollment_id: string | null
  /** `step` of the sequence, `reply` of an operator, or `test`. */
  kind: "step" | "reply" | "test"
  /** Position of the step, from 0; null for a reply. */
  step: number | null
  /** A message of a step that the server deferred after it was handed over is sent again as a new one, with the next number; a reply or a test is `rejected`. */
  try: number
  /** Identifier of the mailbox that sends it. */
  mailbox_id: string
  /** Identifier of its template; null for a reply. */
  template_id: string | null
  /** UUID of the caller; null for messages of steps. */
  message_id: string | null
  /** Address that it is sent to. */
  address: string
  /** Subject; null if it could not be rendered. */
  subject: string | null
  /** `unknown`: it may or may not have been sent, and it is never sent again. `failed`: nothing was sent. */
  status: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"
  /** Why it was not sent, or not accepted. */
  error: {
    /** Stable code of what went wrong. */
    code: string
    /** What went wrong, for people. */
    message: string
    /** The provider's code of it, if it sent one. */
    provider_code?: string | undefined
    /** HTTP or SMTP status of its answer, if there was one. */
    provider_status?: number | undefined
  } & Record<string, unknown> | null
  /** Attached files, as they were when the message was written. */
  attachments: Array<{
    /** Identifier of the file. */
    media_id: string
    /** Name of the file. */
    name: string
    /** Media type of the file. */
    mime_type: string
    /** Bytes of the file. */
    size: number
  }>
  /** What the mail server calls it; null if its reply does not say. */
  provider_message_id: string | null
  /** When it was handed to the mail server, in Unix seconds; null: not yet. */
  sent_at: number | null
  /** When its outcome was recorded, in Unix seconds; null: not yet. */
  settled_at: number | null
  /** When it bounced, in Unix seconds; null: not yet. */
  bounced_at: number | null
  /** Why it bounced. */
  bounce: {
    /** Enhanced status code, such as 5.1.1. */
    status: string | null
    /** What the server said. */
    diagnostic: string | null
  } | null
  /** When it was reported as spam, in Unix seconds; null: not yet. */
  complained_at: number | null
  /** Whether an operator has to act: its outcome is `unknown`, or differs from what was resolved. */
  needs_attention: boolean
  /** What an owner recorded about an unknown outcome, and in `before` what was recorded earlier. */
  resolution: {
    /** The outcome. */
    outcome: "succeeded" | "rejected"
    /** How it was established. */
    note: string
    /** When, in Unix seconds. */
    at: number
  } & Record<string, unknown> | null
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
  /** What its template was rendered with. */
  variables: Record<string, unknown>
  /** HTML; null without. The link to unsubscribe is a placeholder: it is put in while the message is sent. */
  html: string | null
  /** Plain text; null without. The link to unsubscribe is a placeholder: it is put in while the message is sent. */
  text: string | null
  /** Number of attempts to send it. Another attempt follows only one that provably sent nothing. */
  attempt: number
  /** What the mail server answered; null without an answer. */
  evidence: Record<string, unknown> | null
  /** What became known after the outcome was recorded; null if nothing did. */
  late_evidence: Record<string, unknown> | null
}

export type Workflow = {
  /** Identifier of the workflow, a UUIDv7 made by the server. */
  id: string
  /** Name of the workflow, unique in the store. */
  key: string
  /** `active` workflows are started by their trigger, schedule and events; `draft` ones are not. */
  status: "active" | "draft" | "archived"
  /** From node id to node. The nodes of a draft may be incomplete. */
  nodes: Record<string, WorkflowNode | WorkflowDraftNode>
  /** Connections between the nodes. The edges of a draft may be incomplete. */
  edges: Array<WorkflowEdge | WorkflowDraftEdge>
  /** Cron expression of five fields, in UTC, that starts executions; null for none. */
  schedule: string | null
  /** Address to which a JSON object is posted to start an execution. It contains a secret: anyone who has the address can start an execution. In a list, `__unreadable__` stands for a secret that no key of the installation decrypts; it can be replaced. */
  webhook_url: string
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

/** A drive that workflows upload to. `credentials` are write-only. */
export type WorkflowConnection = {
  /** Identifier of the connection, a UUIDv7 made by the server. */
  id: string
  /** Name of the connection, unique in the store. */
  key: string
  /** Kind of drive: S3 or compatible, or WebDAV. It decides the fields of `settings` and `credentials`. */
  type: "s3" | "webdav"
  /** Where the drive is; its fields depend on `type`. */
  settings: S3Settings | WebdavSettings
  /** Names of the stored credentials; every value is `__redacted__`. */
  credentials: Record<string, "__redacted__">
  /** Time of creation, in Unix seconds. Set by the server. */
  created_at: number
  /** Time of the latest change, in Unix seconds. Set by the server. */
  updated_at: number
}

export type WorkflowConnectionList = {
  /** The records of this page. */
  items: WorkflowConnection[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** An edge of a draft. Any of its fields may be missing. */
export type WorkflowDraftEdge = Record<string, unknown>

/** A node of a draft. Any of its fields may be missing. */
export type WorkflowDraftNode = Record<string, unknown>

/** A connection from an output of one node to another node. */
export type WorkflowEdge = {
  /** Id of the node where the edge starts. */
  source: string
  /** Id of the node where the edge ends. */
  target: string
  /** Output of the source: `default` of a trigger; `success` or `error`; `rule_0`, `rule_1`, … or `fallback` of a switch; `each` or `done` of a loop. */
  output: string
  /** True only where the body of a loop returns to the loop. */
  back_edge: boolean
}

/** A connection from an output of one node to another node. */
export type WorkflowEdgeInput = {
  /** Id of the node where the edge starts. */
  source: string
  /** Id of the node where the edge ends. */
  target: string
  /** Output of the source: `default` of a trigger; `success` or `error`; `rule_0`, `rule_1`, … or `fallback` of a switch; `each` or `done` of a loop. */
  output: string
  /** True only where the body of a loop returns to the loop. */
  back_edge?: boolean | undefined
}

export type WorkflowList = {
  /** The records of this page. */
  items: Workflow[]
  /** Cursor of the next page, to be sent as `cursor`; null on the last page. */
  cursor: string | null
}

/** A node of one of eight types. Texts may hold templates such as `{{input.form.email}}`. */
export type WorkflowNode = WorkflowNodeTrigger | WorkflowNodeHttp | WorkflowNodeSendEmail | WorkflowNodeDeployWebhook | WorkflowNodeDriveUpload | WorkflowNodeSwitch | WorkflowNodeTransform | WorkflowNodeLoop

export type WorkflowNodeDeployWebhook = {
  /** Calls a build hook. */
  type: "deploy_webhook"
  /** Identifier of the build hook. */
  build_hook_id: string
  /** Milliseconds to wait before the call; 30 days at most. */
  delay_ms: number
}

export type WorkflowNodeDeployWebhookInput = {
  /** Calls a build hook. */
  type: "deploy_webhook"
  /** Identifier of the build hook. */
  build_hook_id: string
  /** Milliseconds to wait before the call; 30 days at most. */
  delay_ms?: number | undefined
}

export type WorkflowNodeDriveUpload = {
  /** Uploads a file to a drive. */
  type: "drive_upload"
  /** Identifier of the connection to the drive. */
  connection_id: string
  /** Folder below the drive's root; may hold templates. Empty: the root. */
  folder: string
  /** Name of the file; may hold templates. */
  file_name: string
  /** Text of the file; may hold templates. */
  content: string
}

export type WorkflowNodeDriveUploadInput = {
  /** Uploads a file to a drive. */
  type: "drive_upload"
  /** Identifier of the connection to the drive. */
  connection_id: string
  /** Folder below the drive's root; may hold templates. Empty: the root. */
  folder?: string | undefined
  /** Name of the file; may hold templates. */
  file_name: string
  /** Text of the file; may hold templates. */
  content: string
}

export type WorkflowNodeHttp = {
  /** Sends an HTTP request. */
  type: "http"
  /** Method of the request. */
  method: "get" | "post" | "put" | "patch" | "delete"
  /** Absolute http or https address; may hold templates. Their values are percent-encoded, and a value that makes a segment of the path `.` or `..` fails the node with `url_invalid`. A template at the very beginning is not encoded: its value is an address, or the beginning of one. */
  url: string
  /** Headers of the request; values may hold templates. */
  headers: Record<string, string>
  /** Body of the request, sent as JSON; may hold templates. Ignored for `get`. */
  body?: unknown | undefined
  /** Milliseconds to wait for the answer; 30,000 by default, 120,000 at most. */
  timeout_ms: number
  /** Milliseconds to wait before the request; 30 days at most. */
  delay_ms: number
  /** Further attempts of a failed `get`, 10 at most. Other methods are never repeated. */
  retries: number
  /** Milliseconds between two attempts of a `get`; one day at most. */
  retry_delay_ms: number
}

export type WorkflowNodeHttpInput = {
  /** Sends an HTTP request. */
  type: "http"
  /** Method of the request. */
  method: "get" | "post" | "put" | "patch" | "delete"
  /** Absolute http or https address; may hold templates. Their values are percent-encoded, and a value that makes a segment of the path `.` or `..` fails the node with `url_invalid`. A template at the very beginning is not encoded: its value is an address, or the beginning of one. */
  url: string
  /** Headers of the request; values may hold templates. */
  headers?: Record<string, string> | undefined
  /** Body of the request, sent as JSON; may hold templates. Ignored for `get`. */
  body?: unknown | undefined
  /** Milliseconds to wait for the answer; 30,000 by default, 120,000 at most. */
  timeout_ms?: number | undefined
  /** Milliseconds to wait before the request; 30 days at most. */
  delay_ms?: number | undefined
  /** Further attempts of a failed `get`, 10 at most. Other methods are never repeated. */
  retries?: number | undefined
  /** Milliseconds between two attempts of a `get`; one day at most. */
  retry_delay_ms?: number | undefined
}

/** A node of one of eight types. Texts may hold templates such as `{{input.form.email}}`. */
export type WorkflowNodeInput = WorkflowNodeTriggerInput | WorkflowNodeHttpInput | WorkflowNodeSendEmailInput | WorkflowNodeDeployWebhookInput | WorkflowNodeDriveUploadInput | WorkflowNodeSwitch | WorkflowNodeTransform | WorkflowNodeLoop

export type WorkflowNodeLoop = {
  /** Runs its body (output `each`) once per item, then continues on `done`. */
  type: "loop"
  /** Template or JavaScript expression that yields an array of at most 10,000 items. */
  items: string
}

export type WorkflowNodeSendEmail = {
  /** Sends an e-mail. */
  type: "send_email"
  /** Identifier of the mailbox that the mail is sent from. */
  mailbox_id: string
  /** Identifier of the e-mail template. */
  template_id: string
  /** Address of the receiver; may hold templates. */
  to: string
  /** Values for the e-mail template; texts may hold templates. */
  variables: Record<string, unknown>
}

export type WorkflowNodeSendEmailInput = {
  /** Sends an e-mail. */
  type: "send_email"
  /** Identifier of the mailbox that the mail is sent from. */
  mailbox_id: string
  /** Identifier of the e-mail template. */
  template_id: string
  /** Address of the receiver; may hold templates. */
  to: string
  /** Values for the e-mail template; texts may hold templates. */
  variables?: Record<string, unknown> | undefined
}

export type WorkflowNodeSwitch = {
  /** Continues on the output of the first rule whose condition is true (`rule_0`, `rule_1`, …), or on `fallback`. */
  type: "switch"
  /** Rules in the order in which they are evaluated, 1 to 50. */
  rules: Array<{
    /** JavaScript expression over `input` and `nodes`. */
    condition: string
  }>
}

export type WorkflowNodeTransform = {
  /** Computes its output with JavaScript. */
  type: "transform"
  /** Body of a JavaScript function over `input` and `nodes`; its return value is the node's output. Templates are not rendered in it. */
  code: string
}

export type WorkflowNodeTrigger = {
  /** The node that starts the graph; each graph has exactly one. */
  type: "trigger"
  /** Milliseconds to wait before the first node; 30 days at most. */
  delay_ms: number
  /** Events of the store that start the graph, in addition to its address and schedule. */
  events: Array<"collection.created" | "collection.updated" | "collection.deleted" | "entry.created" | "entry.updated" | "entry.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.member_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated">
}

export type WorkflowNodeTriggerInput = {
  /** The node that starts the graph; each graph has exactly one. */
  type: "trigger"
  /** Milliseconds to wait before the first node; 30 days at most. */
  delay_ms?: number | undefined
  /** Events of the store that start the graph, in addition to its address and schedule. */
  events?: Array<"collection.created" | "collection.updated" | "collection.deleted" | "entry.created" | "entry.updated" | "entry.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.member_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated"> | undefined
}

export type WorkingDay = {
  /** Day of the week. */
  day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday"
  /** Opening hours of the day, 50 windows at most. */
  windows: TimeWindow[]
}

/** A region of a market, with its tax rate and shipping methods. */
export type Zone = {
  /** Id of the zone. May be left out. */
  id?: string | undefined
  /** Name of the zone for people. */
  name?: string | undefined
  /** Countries of the zone, ISO 3166-1 alpha-2; empty for all. */
  countries: string[]
  /** States of the zone, as codes or names; empty for all. */
  states: string[]
  /** Postal codes of the zone; one that ends in `*` is a prefix. Empty for all. A ZIP code of nine digits is in a zone of its first five. */
  postal_codes: PostalCodePattern[]
  /** Tax rate in basis points: 1900 is 19 %. */
  tax_bps: number
  /** Shipping methods of the zone; without any, shipping is free. */
  shipping_methods: ShippingMethod[]
}

/** A region of a market, with its tax rate and shipping methods. */
export type ZoneInput = {
  /** Id of the zone. May be left out. */
  id?: string | undefined
  /** Name of the zone for people. */
  name?: string | undefined
  /** Countries of the zone, ISO 3166-1 alpha-2; empty for all. */
  countries?: string[] | undefined
  /** States of the zone, as codes or names; empty for all. */
  states?: string[] | undefined
  /** Postal codes of the zone; one that ends in `*` is a prefix. Empty for all. A ZIP code of nine digits is in a zone of its first five. */
  postal_codes?: PostalCodePattern[] | undefined
  /** Tax rate in basis points: 1900 is 19 %. */
  tax_bps?: number | undefined
  /** Shipping methods of the zone; without any, shipping is free. */
  shipping_methods?: ShippingMethodInput[] | undefined
}

export type Operations = {
  /** Send a sign-in code. Sends an e-mail with a six-digit code to the address. The answer is the same whether the address has an account or not. 429 `too_many_requests` beyond the limits per address and per network. Other mails to the address do not count, and a network from which the address has signed in before has an allowance of its own. Access: public, without a credential. */
  "POST /v1/auth/code": {
    body: SendSignInCodeBody
    answer: Challenge
  }
  /** Sign in with a code. Returns a session with its tokens; an address without an account gets one. With `cookie`, the refresh token is set as a cookie of the origin of the API, which its pages cannot read and browsers send to `/v1/auth` alone; `refresh_token` is null. 403 `foreign_origin` if the `Origin` of the request, or its `Sec-Fetch-Site`, is not that of the API. A code is valid for 10 minutes and one sign-in. 422 `code_invalid` with `tries_left` for a wrong code; 422 `code_expired` for a code that was used, has expired, was tried five times or was requested elsewhere. After five wrong attempts for an address, counted over all its codes, a wrong code is answered with 429 and `Retry-After`; the right code still signs in. Access: public, without a credential. */
  "POST /v1/auth/verify": {
    body: VerifySignInCodeBody
    answer: Session
  }
  /** Exchange a refresh token. Returns a new pair of tokens; the previous pair is refused from then on. The same refresh token sent again within 10 seconds returns the same new pair. After that it, and every earlier one, revokes the session: 401 `refresh_reused`. A session ends `SESSION_MAX_DAYS` (90) days after its sign-in, however often it is refreshed. Without `refresh_token`, the token is that of the cookie, which is replaced, and deleted with a 401; `refresh_token` is null in the answer, and within 10 seconds every tab of the browser gets the same pair. 403 `foreign_origin` if the `Origin` of the request, or its `Sec-Fetch-Site`, is not that of the API. Access: a refresh token, in the body or as a cookie. */
  "POST /v1/auth/refresh": {
    body?: RefreshSessionBody
    answer: Session
  }
  /** Sign out. Revokes the session of the refresh token. Without `refresh_token`, the token is that of the cookie, which is deleted; of several cookies, each ends its session. The answer is the same for a token that is unknown, was replaced or has expired, and without a cookie. 403 `foreign_origin` if the `Origin` of the request, or its `Sec-Fetch-Site`, is not that of the API. Access: a refresh token, in the body or as a cookie. */
  "POST /v1/auth/logout": {
    body?: LogOutBody
    answer: Success
  }
  /** Send a sign-in code through a store. Sends an e-mail with a six-digit code that names the store. The answer is the same whether the address has an account or not. Signing in with the code grants no membership, and the session acts in this store only. Access: public, without a credential. */
  "POST /v1/stores/{storeId}/auth/code": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: SendStoreSignInCodeBody
    answer: Challenge
  }
  /** Sign in with a code through a store. Returns a session that acts in this store only, also after it is refreshed, with the role that the account has there; it grants no membership. With this session, other stores answer 404, and account-level operations answer 403 `session_limited_to_store`, except for reading the account and revoking the session itself. A code is valid for 10 minutes and one sign-in. 422 `code_invalid` with `tries_left` for a wrong code; 422 `code_expired` for a code that was used, has expired, was tried five times or was requested elsewhere. After five wrong attempts for an address, counted over all its codes, a wrong code is answered with 429 and `Retry-After`; the right code still signs in. Access: public, without a credential. */
  "POST /v1/stores/{storeId}/auth/verify": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: VerifyStoreSignInCodeBody
    answer: Session
  }
  /** Read your account. Access: any operator. */
  "GET /v1/accounts/me": {
    answer: OwnAccount
  }
  /** Update your account. The address cannot be changed: 422 `not_writable`. Access: any operator. */
  "PUT /v1/accounts": {
    body?: UpdateAccountBody
    answer: Success
  }
  /** Delete your account. Deletes its sessions, API tokens and memberships too. A store that is left without an owner is archived. 409 `referenced` while the deletion of a store that you asked for is not over; read what it left open before, as platform administrators alone can read it afterwards. Access: any operator. */
  "DELETE /v1/accounts": {
    answer: Success
  }
  /** Search the members of your stores. Searches by the beginning of an address or a name, among the members of your stores who have acted there. Platform administrators search all accounts. 403 `forbidden` for a caller who is no member of any store. Access: any operator. */
  "GET /v1/accounts/search": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Beginning of an address or of a name, in any case. */
      query?: string | null | undefined
    }
    answer: FoundAccountList
  }
  /** List the stores and businesses that you are a member of, and your roles. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: any operator. */
  "GET /v1/accounts/me/memberships": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Beginning of a word of the store's key, in any case. */
      query?: string | null | undefined
      /** Only records in this status. */
      status?: "DRAFT" | "ACTIVE" | "ARCHIVED" | null | undefined
      /** Only stores or only businesses. */
      kind?: "store" | "business" | null | undefined
    }
    answer: MembershipList
  }
  /** List your sessions. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: any operator. */
  "GET /v1/accounts/me/sessions": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: SessionListedList
  }
  /** Revoke a session. Its tokens are refused from then on. Revoking it again changes nothing. A session that was opened through a store can revoke only itself. Access: any operator. */
  "DELETE /v1/accounts/me/sessions/{id}": {
    path: {
      /** Identifier of the session. */
      id: string
    }
    answer: Success
  }
  /** List your API tokens. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: any operator. */
  "GET /v1/accounts/me/api-tokens": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: ApiTokenList
  }
  /** Create an API token. The token has the rights of your account. Its value is returned by this call only. 422 `in_the_past` if `expires_at` is not in the future. Access: any operator. */
  "POST /v1/accounts/me/api-tokens": {
    body: CreateApiTokenBody
    answer: ApiTokenMade
  }
  /** Update an API token. Access: any operator. */
  "PUT /v1/accounts/me/api-tokens/{id}": {
    path: {
      /** Identifier of the API token. */
      id: string
    }
    body?: UpdateApiTokenBody
    answer: ApiToken
  }
  /** Revoke an API token. 404 `not_found` if there is no such API token. Access: any operator. */
  "DELETE /v1/accounts/me/api-tokens/{id}": {
    path: {
      /** Identifier of the API token. */
      id: string
    }
    answer: Success
  }
  /** List the deletions of businesses that you asked for. Platform administrators see all. Returns the newest first. A deletion is kept for a year after its end. Access: any operator. */
  "GET /v1/erasures": {
    query: {
      /** Number of items at most, 1 to 100; 100 by default. */
      limit?: number | null | undefined
    }
    answer: ListErasuresResult
  }
  /** Read a deletion with what it waits for. What is open about the plan of the business is charged by the platform: only its administrators have `choices` there, and can record an outcome. Access: any operator. */
  "GET /v1/erasures/{erasureId}": {
    path: {
      /** Identifier of the erasure. */
      erasureId: string
    }
    answer: ErasureWithItems
  }
  /** Record what became of a request of a business that is being deleted. Records what you found at the payment provider, under the `id` of the item in the deletion, which goes on when nothing is open. 404 for an item of the plan of the business, unless you are a platform administrator. Nothing is sent. A resolution can be corrected by another one, which keeps it as `before`. 409 `contradicts_evidence` if what the provider reported says otherwise; the problem has the evidence, and `force` records the outcome all the same. A record that later evidence contradicts needs attention again. 409 `erasure_over` when its rows are deleted. Access: any operator. */
  "POST /v1/erasures/{erasureId}/resolve": {
    path: {
      /** Identifier of the erasure. */
      erasureId: string
    }
    body: ResolveErasureItemBody
    answer: ErasureItemResolved
  }
  /** Continue a deletion although outcomes are open. For a deletion that needs attention. What is unknown, or was tried in vain, is copied into the deletion (`open`), and its rows are deleted: nothing else tells afterwards what may have been sent, or is due. What is requested or being sent is awaited. Money that is due is not sent: refund it in the dashboard of the payment provider. What is open about the plan of the business is given up by a platform administrator alone. 409 `erasure_goes_on` if it does not need attention, `erasure_over` when its rows are deleted. Access: any operator. */
  "POST /v1/erasures/{erasureId}/continue": {
    path: {
      /** Identifier of the erasure. */
      erasureId: string
    }
    body: ContinueErasureBody
    answer: Erasure
  }
  /** List the plans that a store can choose. Access: any operator. */
  "GET /v1/stores/plans": {
    answer: ListPlansResult
  }
  /** Read the store's subscription. Access: members of the store with the role `owner` or `super`. */
  "GET /v1/stores/{storeId}/subscription": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    answer: StoreSubscription
  }
  /** Choose a plan for the store. A paid plan opens a payment form, which `payment_action` describes; the same plan and `return_url` again return the same form, and another choice closes it first. The free plan ends a paid plan at the end of its paid time; the same paid plan again lets it go on. 409 `subscription_active` for another paid plan while one is paid. 409 `checkout_unknown` if it cannot be proved whether a form was opened, `total_changed` if the price is not `expected_total`. 503 `provider_retryable`: repeat the request. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/subscription": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: ChoosePlanBody
    answer: StoreSubscription
  }
  /** Request a link to the portal with the store's invoices and payment methods. 409 `no_billing_customer` if the store has never paid for a plan. 503 `provider_retryable`: repeat the request. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/subscription/portal": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: OpenStorePortalBody
    answer: Portal
  }
  /** List your stores. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: any operator. */
  "GET /v1/stores": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Beginning of a word of the store's key, in any case. */
      query?: string | null | undefined
      /** Only stores that are (`true`) or are not (`false`) networks. */
      isNetwork?: boolean | null | undefined
      /** Only records in this status. */
      status?: "DRAFT" | "ACTIVE" | "ARCHIVED" | null | undefined
    }
    answer: StoreList
  }
  /** Create a store. The caller becomes its `super`. The store has the markets `us` and `eu`, the location `default`, the forms `contact`, `service-intake` and `order-notes`, and a publishable key. 409 `key_taken` if another store has the key. 429 `too_many_requests` beyond the number of stores and businesses that an account creates in a day. Access: any operator. */
  "POST /v1/stores": {
    body: CreateStoreBody
    answer: Store
  }
  /** Read a store. 404 `not_found` if there is no such store. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    answer: Store
  }
  /** Update a store. Fields that are left out are kept; `settings` and `emails` are replaced as a whole. Archiving and restoring a store requires the role `owner`: 403 `forbidden`. Archiving cancels the plan of the store and the subscriptions of its members at the end of their paid time, and pauses its campaigns; restoring does not resume them. 409 `bookings_ahead` for another `timezone` while there are bookings in the future. 409 `key_taken` if another store has the key. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body?: UpdateStoreBody
    answer: Store
  }
  /** Rotate the publishable key. Returns the store with a new `publishable_key`. The previous key is refused from then on. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/publishable-key/rotate": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    answer: Store
  }
  /** List the members of a store. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/members": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only members with this role. */
      role?: "admin" | "owner" | "super" | null | undefined
    }
    answer: MemberList
  }
  /** Add a member or set their role. Takes effect at once; no e-mail is sent. Known and unknown addresses are answered alike: the member has no name until they act in the store (`accepted_at`). Returns 201 for a new member and 200 for a changed role. Only a `super` grants `super` and changes owners: 403 `forbidden`. 409 `last_super` if the last `super` would get another role. 429 `too_many_requests` beyond the number of members that an account adds in a day. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/members": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateMemberBody
    answer: Member
  }
  /** Remove a member. Every member may remove themselves. Owners remove admins. Only a `super` removes owners and supers: 403 `forbidden`. 409 `last_super` for the last `super` of the store. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/members/{accountId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the account. */
      accountId: string
    }
    answer: Success
  }
  /** List the markets. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/markets": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: MarketList
  }
  /** Create a market. By default, prices exclude tax, shipping is free everywhere, and cash and cards are accepted. 409 `key_taken` if another market has the key. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/markets": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateMarketBody
    answer: Market
  }
  /** Read a market. 404 `not_found` if there is no such market. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/markets/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the market. */
      id: string
    }
    answer: Market
  }
  /** Update a market. Fields that are left out are kept. `zones` and `payment_methods` replace the stored lists. `key` and `currency` cannot be changed: 422 `cannot_change`. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/markets/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the market. */
      id: string
    }
    body?: UpdateMarketBody
    answer: Market
  }
  /** Delete an unused market. 409 `market_in_use` if prices, orders, carts with items or active promo codes refer to the market; `last_market` for the only market of the store. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/markets/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the market. */
      id: string
    }
    answer: Success
  }
  /** List the markets of the storefront. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/markets": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: PublicMarketList
  }
  /** List the locations. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/locations": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    answer: Locations
  }
  /** Create a location. 409 `key_taken` if another location has the key. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/locations": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateLocationBody
    answer: Location
  }
  /** Read a location. 404 `not_found` if there is no such location. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/locations/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the location. */
      id: string
    }
    answer: Location
  }
  /** Update a location. Fields that are left out are kept. 409 `key_taken` if another location has the key. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/locations/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the location. */
      id: string
    }
    body?: UpdateLocationBody
    answer: Location
  }
  /** Delete an unused location. 409 `location_in_use` if the location holds stock, or if an order is picked up there. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/locations/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the location. */
      id: string
    }
    answer: Success
  }
  /** List the store's payment providers. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/payment-providers": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: PaymentProviderList
  }
  /** Connect the store to Stripe. Creates an account at the provider once and returns a new onboarding link with every call. With `connected_account_id`, connects an existing account. 409 `connect_unknown` if it cannot be proved whether the provider created the account: find it there and send its id. 503 `provider_retryable`: repeat the call. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/payment-providers/stripe/connect": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: ConnectStripeBody
    answer: Onboarding
  }
  /** List the products. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/products": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** JSON list of `{taxonomy_id, entry_ids}`, 20 at most: records filed under one of the entries. Without `entry_ids`: under the taxonomy. */
      taxonomy_query?: string | null | undefined
      /** True: records must match every item of `taxonomy_query`; otherwise one is enough. */
      match_all?: boolean | null | undefined
      /** Only records in this status. */
      status?: "active" | "draft" | "archived" | null | undefined
    }
    answer: ProductList
  }
  /** Create a product. 409 `key_taken` or `slug_taken` if another record has the key or a slug; 422 for a market, currency or location that does not fit. The product is active by default. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/products": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateProductBody
    answer: Product
  }
  /** Read a product by id or by slug. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/products/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the product, or its slug in any language. */
      id: string
    }
    query: {
      /** Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the store are tried first. */
      locale?: LocaleTag | null | undefined
    }
    answer: Product
  }
  /** Update a product. Fields that are left out are kept. `variants` replaces the list: a variant without an id is added, one that is not sent is deleted, and in one with an id the fields that are left out are kept, `inventory` too. 409 `available_changed` if the stock is not `if_available`, and `out_of_stock` if `delta` takes more than there is: with the present `available`, and nothing is written. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/products/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the product. */
      id: string
    }
    body?: UpdateProductBody
    answer: Product
  }
  /** Delete a product with its variants and stock. Lines of orders are kept. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/products/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the product. */
      id: string
    }
    answer: Success
  }
  /** Read the stock of a product. A variant without a row is not tracked and never runs out. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/products/{id}/inventory": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the product. */
      id: string
    }
    answer: InventoryRows
  }
  /** Set the stock of a product. Each row sets `available` of one variant at one location, or changes it by `delta`; rows that are not sent are kept. `available` is what is neither sold nor reserved: earlier checkouts are not subtracted again. Send `delta` for what came in or was counted out, or `if_available` with the number that was read. Returns all rows of the product. 409 `available_changed` if the stock is not `if_available`, and `out_of_stock` if `delta` takes more than there is: with the present `available`, and nothing is written. 422 `variant_unknown` or `location_unknown` for a variant or location that does not exist. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/products/{id}/inventory": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the product. */
      id: string
    }
    body: UpdateProductInventoryBody
    answer: InventoryRows
  }
  /** List the free slots of a service. Send `month`, or `from` and `to` as dates of the store's time zone, or as Unix seconds between which slots start. Returns the slots that can be booked now, by provider and day: only active providers are listed, and a service that is not active has no slots. 422 `range_too_long` for more than 62 days, `too_many_slots` for more than 50,000 slots. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/services/availability": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Identifier of the service to book. */
      service_id: string
      /** First day, as a date of the store's time zone (YYYY-MM-DD), or a moment in Unix seconds; inclusive. */
      from?: string | null | undefined
      /** Last day or moment, in the same form as `from`; inclusive, at most 62 days later. */
      to?: string | null | undefined
      /** A whole month (YYYY-MM), instead of `from` and `to`. */
      month?: string | null | undefined
      /** Only slots of this provider. */
      provider_id?: string | null | undefined
      /** Length of a slot in minutes; one of the durations of the link between service and provider. */
      duration?: number | null | undefined
      /** Key of a market: only providers with a price in this market. */
      market?: Key | null | undefined
    }
    answer: Availability
  }
  /** List the free slots of a service in the storefront. Send `month`, or `from` and `to` as dates of the store's time zone, or as Unix seconds between which slots start. Returns the slots that can be booked now, by provider and day: only active providers are listed, and a service that is not active has no slots. 422 `range_too_long` for more than 62 days, `too_many_slots` for more than 50,000 slots. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/services/availability": {
    query: {
      /** Identifier of the service to book. */
      service_id: string
      /** First day, as a date of the store's time zone (YYYY-MM-DD), or a moment in Unix seconds; inclusive. */
      from?: string | null | undefined
      /** Last day or moment, in the same form as `from`; inclusive, at most 62 days later. */
      to?: string | null | undefined
      /** A whole month (YYYY-MM), instead of `from` and `to`. */
      month?: string | null | undefined
      /** Only slots of this provider. */
      provider_id?: string | null | undefined
      /** Length of a slot in minutes; one of the durations of the link between service and provider. */
      duration?: number | null | undefined
      /** Key of a market: only providers with a price in this market. */
      market?: Key | null | undefined
    }
    answer: Availability
  }
  /** List the free slots of a service in a month. Returns the slots of the month (of the business's time zone) that can be booked now, by provider and day. Only active providers are listed, for visitors only public ones; a service that is not active has no slots. 422 `too_many_slots` for more than 50,000 slots. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "GET /v1/businesses/{businessId}/bookings/availability": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Identifier of the service to book. */
      serviceId: string
      /** A month (YYYY-MM) of the business's time zone. */
      month: string
      /** Only slots of this provider. */
      providerId?: string | null | undefined
    }
    answer: BusinessAvailability
  }
  /** List the services. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/services": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** JSON list of `{taxonomy_id, entry_ids}`, 20 at most: records filed under one of the entries. Without `entry_ids`: under the taxonomy. */
      taxonomy_query?: string | null | undefined
      /** True: records must match every item of `taxonomy_query`; otherwise one is enough. */
      match_all?: boolean | null | undefined
      /** Only services of this provider. */
      provider_id?: string | null | undefined
      /** Only records in one of these statuses: repeated, or separated by commas. */
      statuses?: "active" | "draft" | "archived" | ReadonlyArray<"active" | "draft" | "archived"> | null | undefined
    }
    answer: ServiceList
  }
  /** Create a service. 409 `key_taken` or `slug_taken` if another record has the key or a slug. The service is `active` by default. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/services": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateServiceBody
    answer: Service
  }
  /** Read a service by id or by slug. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/services/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the service, or its slug in any language. */
      id: string
    }
    query: {
      /** Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the store are tried first. */
      locale?: LocaleTag | null | undefined
    }
    answer: Service
  }
  /** Update a service. Fields that are left out are kept. 409 `key_taken` or `slug_taken` if another record has the key or a slug. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/services/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the service. */
      id: string
    }
    body?: UpdateServiceBody
    answer: Service
  }
  /** Delete a service with its links. 409 `bookings_ahead` while there are bookings in the future: archive the service instead. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/services/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the service. */
      id: string
    }
    answer: Success
  }
  /** List the providers. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/providers": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** JSON list of `{taxonomy_id, entry_ids}`, 20 at most: records filed under one of the entries. Without `entry_ids`: under the taxonomy. */
      taxonomy_query?: string | null | undefined
      /** True: records must match every item of `taxonomy_query`; otherwise one is enough. */
      match_all?: boolean | null | undefined
      /** Only providers of this service. */
      service_id?: string | null | undefined
      /** Only records in one of these statuses: repeated, or separated by commas. */
      statuses?: "active" | "draft" | "archived" | ReadonlyArray<"active" | "draft" | "archived"> | null | undefined
    }
    answer: ProviderList
  }
  /** Create a provider. 409 `key_taken` or `slug_taken` if another record has the key or a slug. The provider is `active` by default. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/providers": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateProviderBody
    answer: Provider
  }
  /** Read a provider by id or by slug. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/providers/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the provider, or its slug in any language. */
      id: string
    }
    query: {
      /** Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the store are tried first. */
      locale?: LocaleTag | null | undefined
    }
    answer: Provider
  }
  /** Update a provider. Fields that are left out are kept. 409 `key_taken` or `slug_taken` if another record has the key or a slug. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/providers/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the provider. */
      id: string
    }
    body?: UpdateProviderBody
    answer: Provider
  }
  /** Delete a provider with its links. 409 `bookings_ahead` while there are bookings in the future: archive the provider instead. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/providers/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the provider. */
      id: string
    }
    answer: Success
  }
  /** List the links between services and providers. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/service-providers": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only records of this service. */
      service_id?: string | null | undefined
      /** Only records of this provider. */
      provider_id?: string | null | undefined
    }
    answer: ServiceProviderList
  }
  /** Link a provider to a service. 409 `link_exists` if the provider offers the service already. 422 `service_unknown`, `provider_unknown` or `market_unknown` for a record that does not exist, `currency_mismatch` for a price in another currency than its market. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/service-providers": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateServiceProviderBody
    answer: ServiceProvider
  }
  /** Read a link. 404 `not_found` if there is no such link between a service and a provider. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/service-providers/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the link between a service and a provider. */
      id: string
    }
    answer: ServiceProvider
  }
  /** Update a link. Fields that are left out are kept; lists replace the stored ones. `service_id` and `provider_id` cannot be changed: 422 `cannot_change`. Existing bookings are kept. A limit that is raised also holds for bookings ahead, a lowered one for new bookings alone. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/service-providers/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the link between a service and a provider. */
      id: string
    }
    body?: UpdateServiceProviderBody
    answer: ServiceProvider
  }
  /** Delete a link. 409 `bookings_ahead` while there are bookings in the future: archive the service or the provider, or remove the hours. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/service-providers/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the link between a service and a provider. */
      id: string
    }
    answer: Success
  }
  /** Read the lead insights of members. Returns one item for each of the members, in the order of `member_ids`. A member that the store does not have is left out. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/audiences/leads": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Identifiers of members, 100 at most: repeated, or separated by commas. */
      member_ids: string | ReadonlyArray<string>
    }
    answer: ListAudienceLeadsResult
  }
  /** List the members of an audience. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/audiences/{audienceId}/members": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Identifier of a membership or contact, beginning of a contact's address, or a telephone number in any spelling. */
      query?: string | null | undefined
      /** Only records in this status. */
      status?: "pending" | "active" | "cancelled" | "expired" | "removed" | null | undefined
      /** Only members in this status of the audience's e-mail. */
      delivery_status?: "subscribed" | "unsubscribed" | "bounced" | "complained" | null | undefined
      /** Only members of this tier. */
      tier_id?: string | null | undefined
      /** Only members at this price. */
      price_id?: string | null | undefined
      /** Only the membership of this contact. */
      contact_id?: string | null | undefined
      /** Only members who joined in this way most recently. */
      source?: "storefront" | "operator" | "import" | null | undefined
      /** Only members whose subscription is in this status of the payment provider, for example `past_due`. */
      billing_status?: string | null | undefined
      /** Only members whose subscription has this `billing_error`, by its code. */
      billing_error?: "payment_failed" | "price_mismatch" | "event_missing" | "not_readable" | null | undefined
      /** Only members whose access lasts beyond the paid time at this moment, or only others. */
      in_grace?: boolean | null | undefined
    }
    answer: AudienceMemberList
  }
  /** Add a contact to an audience. Returns 201 for a new or a returning member, and 200 for one who is active already. An opt-out of e-mail stays. 409 `enrollment_not_direct` unless the audience is active and `private` or `open`: contacts join other audiences through the storefront. 422 `contact_unknown`. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/audiences/{audienceId}/members": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
    }
    body: CreateAudienceMemberBody
    answer: AudienceMember
  }
  /** Read a member of an audience. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
      /** Identifier of the membership. */
      memberId: string
    }
    answer: AudienceMember
  }
  /** Update a member. Fields that are left out are kept; `fields` is replaced as a whole. A new `status`: 409 `enrollment_not_direct` unless the audience is active and `private` or `open`: contacts join other audiences through the storefront. 409 `member_ended` if a membership that has ended is removed. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
      /** Identifier of the membership. */
      memberId: string
    }
    body?: UpdateAudienceMemberBody
    answer: AudienceMember
  }
  /** Remove a member. Ends the membership. The record stays, with the opt-outs of its contact. A subscription that is charged repeatedly is cancelled at the payment provider, and the membership stays until the end of the paid time; with `now=true` both end at once, and no payment is refunded. A payment page that is open is closed first. `already_removed` if the membership had ended before. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
      /** Identifier of the membership. */
      memberId: string
    }
    query: {
      /** `true` also ends a paid membership at once. */
      now?: boolean | null | undefined
    }
    answer: MemberRemoval
  }
  /** Take back the cancellation of a member's subscription. Resumes a subscription that an operator cancelled by removing the member, while its paid time lasts: `cancel_at` is null when the payment provider has confirmed it. 409 `not_cancelled_by_store` for one that the member or the archiving of the audience cancelled, 409 `not_subscribed` if none is running, 409 `change_in_flight` while the cancellation is being sent. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/subscription/resume": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
      /** Identifier of the membership. */
      memberId: string
    }
    answer: AudienceMember
  }
  /** Import members by their addresses. Imports 1 to 1000 rows in one transaction. A contact is created for an address that no contact of the store owns. Fields are merged into those of an existing member. Contacts who left become members again; opt-outs of e-mail stay. Rows that cannot be used are reported in `failures`, and the others are imported. 422, and nothing is imported, if the merged fields of a member exceed the limits. 409 `enrollment_not_direct` unless the audience is active and `private` or `open`: contacts join other audiences through the storefront. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/audiences/{audienceId}/members/import": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
    }
    body: ImportAudienceMembersBody
    answer: MemberImport
  }
  /** List the audiences. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/audiences": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only the audience with exactly this key. */
      key?: Key | null | undefined
      /** Only records in this status. */
      status?: "active" | "draft" | "archived" | null | undefined
      /** Only audiences that are joined this way. */
      type?: "private" | "open" | "confirmation" | "paid" | null | undefined
    }
    answer: AudienceList
  }
  /** Create an audience. The audience is a draft; activate it with an update. 409 `key_taken` if another audience has the key. 422 `template_unknown`, `mailbox_unknown`. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/audiences": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateAudienceBody
    answer: Audience
  }
  /** Read an audience. 404 `not_found` if there is no such audience. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/audiences/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      id: string
    }
    answer: Audience
  }
  /** Update, activate or archive an audience. Fields that are left out are kept; `type` is replaced as a whole. 409 `audience_not_ready` lists every reason in `errors`: a `confirmation` audience needs an active e-mail template of the type `subscription_confirmation` that can be rendered with the variables of a confirmation, and a `confirmation_url`, a `paid` one an active tier with an active price that is ready. 409 `audience_type_fixed` for another `type.type` once the audience is active or has a member or a tier. 409 `audience_archived`, `audience_not_draft`: an archived audience stays archived, and an active one cannot be a draft again. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/audiences/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      id: string
    }
    body?: UpdateAudienceBody
    answer: Audience
  }
  /** List the tiers of an audience. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/audiences/{audienceId}/tiers": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only records in this status. */
      status?: "active" | "archived" | null | undefined
    }
    answer: AudienceTierList
  }
  /** Add a tier to a paid audience. An audience has at most 50 tiers, and a tier 100 prices. 409 `key_taken` if another tier of the audience has the key. Prices above 0 with an interval are created at the payment provider, and the answer waits for that: each is `ready` or has an `error`; neither, if the provider has not answered in time, if the tier has no provider, or if the provider is not connected yet, which creates them. 409 `audience_not_paid`: only paid audiences have tiers. 422 `payment_provider_unknown`. Amounts are 0, or at least the minimum for cards in a multiple that cards can be charged. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/audiences/{audienceId}/tiers": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
    }
    body: CreateAudienceTierBody
    answer: AudienceTier
  }
  /** Read a tier. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/audiences/{audienceId}/tiers/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
      /** Identifier of the tier. */
      id: string
    }
    answer: AudienceTier
  }
  /** Update a tier and its prices. Fields that are left out are kept. `prices` is the list by `id`: a price without an id is added, and one that is left out is archived, which members who have it do not notice. 422 `price_immutable` for another amount, currency or interval of a stored price: leave it out and add another. 409 `provider_fixed` for another provider once prices were created at the first. An update requests prices whose creation had an `error` again. Prices above 0 with an interval are created at the payment provider, and the answer waits for that: each is `ready` or has an `error`; neither, if the provider has not answered in time, if the tier has no provider, or if the provider is not connected yet, which creates them. 409 `audience_not_paid`: only paid audiences have tiers. 422 `payment_provider_unknown`. Amounts are 0, or at least the minimum for cards in a multiple that cards can be charged. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/audiences/{audienceId}/tiers/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
      /** Identifier of the tier. */
      id: string
    }
    body?: UpdateAudienceTierBody
    answer: AudienceTier
  }
  /** Read the membership of a link. For links of every scope, also in an archived store. Changes nothing. Access: the token of the link of a member (`manage_url`) or of a confirmation e-mail, as `token` in the query or the body. */
  "GET /v1/customer/audiences/manage": {
    query: {
      /** Token of the link. */
      token: string
    }
    answer: LinkedMember
  }
  /** Confirm a membership. For links of the scope `confirm`, which are valid for seven days; others are answered with 403 `forbidden`. The membership moves to the contact that owns the address, if another one does; without an owner, the address of the link is verified for its contact. Using the link again returns the same. 409 `not_pending` if the membership has ended meanwhile, 409 `audience_not_active`, 409 `channels_too_many` for a contact with too many addresses. Access: the token of the link of a member (`manage_url`) or of a confirmation e-mail, as `token` in the query or the body. */
  "POST /v1/customer/audiences/confirm": {
    query: {
      /** Token of the link. It may be sent in the body instead. */
      token?: string | null | undefined
    }
    body?: ConfirmMembershipBody
    answer: LinkedMember
  }
  /** Show where a confirmation link leads. The page that the link of a confirmation opens which the sender of the installation mailed, for browsers: it names the store and the host of its `confirmation_url`, and links to that page with the token. It changes nothing. 404 `not_found`, as a page where `Accept` names HTML, if the token is unknown, has expired or was replaced; 409 `not_pending` if the membership has ended, 409 `audience_not_active` if the audience asks for no confirmation any more. Access: public, without a credential. */
  "GET /v1/customer/audiences/confirm": {
    query: {
      /** Token of the link. */
      token: string
    }
    answer: unknown
  }
  /** Unsubscribe a member from an audience's e-mail. For links of the scopes `unsubscribe` and `manage`. Takes any body of any content type, as mail clients send a form (RFC 8058) or nothing. Only the delivery of e-mail changes: the membership and its payments go on. Holds for every member of the audience with the address, if its contact owns it or the link was mailed to it; else for the member, and for those that are created with the address later. A link of a campaign ends the enrollment that it was mailed to: once this is answered, no further message of the campaign is handed to a mail server for it. One whose sending began within two seconds before, or whose body is being handed over, may still arrive. Without a membership, the consent of the address is withdrawn. Using the link again changes nothing, and a bounce or a complaint stays. The answer and refusals are pages where `Accept` names HTML. Access: the token of the link of a member (`manage_url`) or of a confirmation e-mail, as `token` in the query or the body. */
  "POST /v1/customer/audiences/unsubscribe": {
    query: {
      /** Token of the link. It may be sent in the body instead. */
      token?: string | null | undefined
    }
    answer: LinkedMember
  }
  /** Subscribe a member to an audience's e-mail again. For links of the scopes `unsubscribe` and `manage`. Ends the opt-outs of the address in the audience, if its contact owns it or the link was mailed to it; else the one of the member alone. 409 `delivery_suppressed` if the address bounced, if an e-mail to it was reported as spam, or if its consent was withdrawn: a link does not undo these. Access: the token of the link of a member (`manage_url`) or of a confirmation e-mail, as `token` in the query or the body. */
  "POST /v1/customer/audiences/resubscribe": {
    query: {
      /** Token of the link. It may be sent in the body instead. */
      token?: string | null | undefined
    }
    body?: ResubscribeMemberBody
    answer: LinkedMember
  }
  /** Cancel the subscription of a membership. For links of the scope `manage`. The membership keeps its access until the end of the paid time; a subscription whose renewal could not be charged ends at once. The payment provider confirms it a moment later, in `cancel_at`. Cancelling again changes nothing. A membership of a paid audience for which nothing is paid ends at once. 409 `not_subscribed` if no subscription is running that renews, and for members of other audiences, whose e-mail can be unsubscribed; 409 `change_in_flight` while it is being resumed. Access: the token of the link of a member (`manage_url`) or of a confirmation e-mail, as `token` in the query or the body. */
  "POST /v1/customer/audiences/subscription/cancel": {
    query: {
      /** Token of the link. It may be sent in the body instead. */
      token?: string | null | undefined
    }
    body?: CancelMemberSubscriptionBody
    answer: LinkedMember
  }
  /** Resume a subscription that is ending. For links of the scope `manage`. Takes the cancellation back, until the subscription has ended. 409 `cancelled_by_store` if the store ended it, 409 `not_subscribed` if it has ended, 409 `change_in_flight` while it is being cancelled. Access: the token of the link of a member (`manage_url`) or of a confirmation e-mail, as `token` in the query or the body. */
  "POST /v1/customer/audiences/subscription/resume": {
    query: {
      /** Token of the link. It may be sent in the body instead. */
      token?: string | null | undefined
    }
    body?: ResumeMemberSubscriptionBody
    answer: LinkedMember
  }
  /** List the payments of a member. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
      /** Identifier of the membership. */
      memberId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only records in this status. */
      status?: "pending" | "processing" | "authorized" | "paid" | "failed" | "cancelled" | ReadonlyArray<"pending" | "processing" | "authorized" | "paid" | "failed" | "cancelled"> | null | undefined
      /** Only payments of these kinds. */
      kind?: "initial" | "renewal" | "one_time" | ReadonlyArray<"initial" | "renewal" | "one_time"> | null | undefined
    }
    answer: AudiencePaymentList
  }
  /** Read a payment of a member. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments/{paymentId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
      /** Identifier of the membership. */
      memberId: string
      /** Identifier of the payment. */
      paymentId: string
    }
    answer: AudiencePayment
  }
  /** List the refunds of a member. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/refunds": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
      /** Identifier of the membership. */
      memberId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only records in this status. */
      status?: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown" | ReadonlyArray<"requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"> | null | undefined
    }
    answer: AudienceRefundList
  }
  /** Refund a payment of a member. Sends one refund to the provider and returns it, with its outcome if the provider answers in time. Without `amount`, all that is left is refunded. Sending the same `refund_id` again returns the same refund (200) and sends nothing twice, with the same amount or without one; another amount is 409 `idempotency_conflict`. 409 `nothing_to_refund` without `amount` if nothing is left: nothing is recorded. 422 `amount_exceeds_refundable` if less than `amount` is left. A refund takes no paid time away: remove the member for that. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments/{paymentId}/refunds": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
      /** Identifier of the membership. */
      memberId: string
      /** Identifier of the payment. */
      paymentId: string
    }
    body: CreateMemberRefundBody
    answer: AudienceRefund
  }
  /** Read a refund of a member by its `refund_id` or `id`. 404 `not_found` if there is no such refund. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments/{paymentId}/refunds/{refundId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
      /** Identifier of the membership. */
      memberId: string
      /** Identifier of the payment. */
      paymentId: string
      /** The `refund_id` that the caller made for the refund, or its `id`. */
      refundId: string
    }
    answer: AudienceRefund
  }
  /** Resolve a refund of a member whose outcome is unknown. Records the outcome that an operator found at the provider. Nothing is sent. A resolution can be corrected by another one, which keeps it as `before`. 409 `contradicts_evidence` if what the provider reported says otherwise; the problem has the evidence, and `force` records the outcome all the same. A record that later evidence contradicts needs attention again. 409 `refund_not_unknown` for a refund that is neither `unknown` nor was resolved. If the refunds of the payment exceed the captured amount after a correction, its `error` is `refund_conflict`, and nothing more can be refunded until one of them is corrected. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments/{paymentId}/refunds/{refundId}/resolve": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the audience. */
      audienceId: string
      /** Identifier of the membership. */
      memberId: string
      /** Identifier of the payment. */
      paymentId: string
      /** The `refund_id` that the caller made for the refund, or its `id`. */
      refundId: string
    }
    body: ResolveMemberRefundBody
    answer: AudienceRefund
  }
  /** Request a link to the page where a member changes the payment method. For links of the scope `manage`. The card that is saved there pays the next renewal. 409 `no_billing_customer` if the member has no live subscription that is charged repeatedly. 503 `provider_retryable`: repeat the request. 429 `too_many_requests` after 30 changes of a membership in 15 minutes. Access: the token of the link of a member (`manage_url`) or of a confirmation e-mail, as `token` in the query or the body. */
  "POST /v1/customer/audiences/payment-method": {
    query: {
      /** Token of the link. It may be sent in the body instead. */
      token?: string | null | undefined
    }
    body: ChangePaymentMethodBody
    answer: Portal
  }
  /** List the runs of lead research. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/lead-research/runs": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only runs about members of this audience. */
      audience_id?: string | null | undefined
      /** Only runs with this status. */
      status?: "queued" | "running" | "awaiting_input" | "completed" | "failed" | "cancelled" | "unknown" | null | undefined
      /** Only runs about this member. */
      member_id?: string | null | undefined
    }
    answer: ResearchRunList
  }
  /** Begin a run of lead research. The model researches the members one after the other: it reads public pages and records one insight for each member, which `GET …/audiences/leads` returns. It reads the first pages of the member's own domain, addresses in `goal` and in messages, and links of pages that it has read; no other address. Each signal quotes a page; a signal whose quote does not stand there is dropped. The same `run_id` and body return the same run. 409 `audience_not_researchable` unless the audience is active and `private` or `open`. 409 `runs_too_many` while 100 runs of the store have not ended. 422 `model_unknown` if no AI integration has the model, `model_ambiguous` if several have it. 429 `token_limit` if the tokens of the day are used up. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/lead-research/runs": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateLeadResearchRunBody
    answer: ResearchRun
  }
  /** Read a run of lead research. 404 `not_found` if there is no such run. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/lead-research/runs/{runId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the run. */
      runId: string
    }
    answer: ResearchRunWithError
  }
  /** Cancel a run of lead research. No further member is researched, and messages are refused. A call of the model that was sent is billed, and its answer is discarded. Insights that were recorded stay. Repeating the request returns the run again. 409 `run_not_open` for a run that has ended. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/lead-research/runs/{runId}/cancel": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the run. */
      runId: string
    }
    answer: ResearchRun
  }
  /** Send a message to a run of lead research. Answers a question of the model, or asks about the leads: one run of the model answers it, after those of the members and of earlier messages. Waits for the answer, for 25 seconds unless `Prefer` says otherwise; then 202 with `Location`: read it there, or send the same message again. The same `message_id` and message return the same saved result, and the model is not asked again. A message without an answer is `failed` or `unknown`; to ask again, send it with a new id. 409 `audience_not_researchable` unless the audience is active and `private` or `open`. 409 `run_cancelled`. 429 `token_limit` if the tokens of the day are used up. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/lead-research/runs/{runId}/messages": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the run. */
      runId: string
    }
    body: SendLeadResearchMessageBody
    answer: ResearchReply
  }
  /** List the messages of a run of lead research. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/lead-research/runs/{runId}/messages": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the run. */
      runId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: ResearchMessageList
  }
  /** Read a message of a run of lead research with its answer. 404 `not_found` if there is no such message. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/lead-research/runs/{runId}/messages/{messageId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the run. */
      runId: string
      /** Identifier of the message. */
      messageId: string
    }
    answer: ResearchReplyWithError
  }
  /** List the pages that a run of lead research has read. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/lead-research/runs/{runId}/sources": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the run. */
      runId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: ResearchSourceList
  }
  /** Read a page of a run of lead research with its text. 404 `not_found` if there is no such source. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/lead-research/runs/{runId}/sources/{sourceId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the run. */
      runId: string
      /** Identifier of the source. */
      sourceId: string
    }
    answer: ResearchSourceWithText
  }
  /** List the campaigns. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/campaigns": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only records in this status. */
      status?: "draft" | "scheduled" | "running" | "paused" | "completed" | "cancelled" | null | undefined
      /** Words that the name contains, in any case. */
      query?: string | null | undefined
    }
    answer: CampaignList
  }
  /** Create a campaign. The campaign is a draft: import its enrollments, then launch it. 422 `invalid_input` with `mailbox_unknown` or `template_unknown` for records that the store does not have. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/campaigns": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateCampaignBody
    answer: Campaign
  }
  /** Read a campaign. With statistics that are counted at this moment. 404 `not_found` if there is no such campaign. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/campaigns/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    answer: CampaignWithStats
  }
  /** Update a campaign. Fields that are left out are kept; `steps`, `variables` and `mailbox_ids` are replaced as a whole. Once the campaign is launched, only `name` and `scheduled_at` can be changed, until it starts; otherwise 409 `campaign_launched`. With `scheduled_at: null`, a scheduled campaign starts at once. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/campaigns/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    body?: UpdateCampaignBody
    answer: CampaignWithStats
  }
  /** Delete a draft of a campaign. Its enrollments are deleted too. 409 `campaign_launched` for any campaign that is not a draft. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/campaigns/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    answer: Success
  }
  /** Duplicate a campaign. Returns a new draft with the setup of the campaign, in any state, without `scheduled_at`. With `copy_enrollments`, its contacts are enrolled by an import, which is listed with the imports of the draft and may still run: not those who unsubscribed, bounced, complained or were cancelled one by one. Messages, replies and history are not copied. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/campaigns/{id}/duplicate": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    body: CreateCampaignDuplicateBody
    answer: Campaign
  }
  /** Launch a campaign. Freezes the steps with their templates: later edits change nothing. The campaign is then `running`, or `scheduled` until `scheduled_at`. A campaign that was launched before is returned as it is. 422 `campaign_not_ready` lists every reason in `errors`: `no_steps`, `template_missing`, `template_not_active`, `template_type`, `mailbox_missing`, `mailbox_archived`, `store_archived`, `no_enrollments`, `import_running`. `warnings` names the templates that do not print `unsubscribe_url`. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/campaigns/{id}/launch": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    body?: LaunchCampaignBody
    answer: LaunchedCampaign
  }
  /** Pause a campaign. Once this is answered, no further message is handed to a mail server. One whose sending began within two seconds before, or whose body is being handed over, may still arrive. A paused campaign is returned as it is. 409 `campaign_not_running` with `campaign_status` for a draft and for a campaign that ended. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/campaigns/{id}/pause": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    answer: Campaign
  }
  /** Resume a paused campaign. It is `scheduled` again if its start is ahead, otherwise `running`. Its mailboxes connect to their servers at once, and recipients whose servers refused the sender are sent to. A running or scheduled campaign is returned as it is. 409 `campaign_not_paused` with `campaign_status` from any other state. 422 `campaign_not_ready` if a mailbox or the store is archived. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/campaigns/{id}/resume": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    answer: Campaign
  }
  /** Cancel a campaign. Final. Once this is answered, no further message is handed to a mail server. One whose sending began within two seconds before, or whose body is being handed over, may still arrive. A cancelled campaign is returned as it is. 409 `campaign_not_running` with `campaign_status` for a draft, which is deleted instead, and for a completed campaign. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/campaigns/{id}/cancel": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    answer: Campaign
  }
  /** Enroll recipients in a draft of a campaign. Names audiences, contacts and addresses, 10000 of each at most. Of an audience, members with access whose e-mail is not unsubscribed are enrolled; contacts and addresses that are named are enrolled unless they bounced, complained or withdrew their consent, also those that opted out of an audience. An address that no contact owns becomes a contact. A contact is enrolled once, and an address is. Data that is enrolled is never read again; later imports add to it. Returns the import, completed if it ends in time; otherwise read it until it is not `running`. 409 `campaign_not_draft` after the launch. 422 `invalid_input` with `audience_unknown` or `contact_unknown` for records that the store does not have. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/campaigns/{id}/enrollments/import": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    body?: ImportCampaignEnrollmentsBody
    answer: CampaignImport
  }
  /** List the imports of a campaign. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/campaigns/{id}/imports": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only records in this status. */
      status?: "running" | "completed" | "failed" | null | undefined
    }
    answer: CampaignImportList
  }
  /** Read an import of enrollments. 404 `not_found` if there is no such import. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/campaigns/{id}/imports/{importId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
      /** Identifier of the import. */
      importId: string
    }
    answer: CampaignImport
  }
  /** List the enrollments of a campaign. Returns one page, sorted by creation time, newest first or oldest first. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/campaigns/{id}/enrollments": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only enrollments that are shown in this status. */
      status?: "active" | "completed" | "replied" | "unsubscribed" | "bounced" | "complained" | "failed" | "unknown" | "cancelled" | null | undefined
      /** Only enrollments whose next step is at this position. */
      step?: number | null | undefined
      /** Only the enrollment of this contact. */
      contact_id?: string | null | undefined
      /** Beginning of the address, in any case. */
      query?: string | null | undefined
    }
    answer: CampaignEnrollmentList
  }
  /** Read an enrollment. 404 `not_found` if there is no such enrollment. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/campaign-enrollments/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the enrollment. */
      id: string
    }
    answer: CampaignEnrollment
  }
  /** End an enrollment. Once this is answered, no further message of the campaign is handed to a mail server for it. One whose sending began within two seconds before, or whose body is being handed over, may still arrive. A cancelled enrollment is returned as it is. 409 `enrollment_not_active` with `enrollment_status` if it ended in another way. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/campaign-enrollments/{id}/cancel": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the enrollment. */
      id: string
    }
    answer: CampaignEnrollment
  }
  /** List the messages of a campaign. Returns one page, sorted by creation time, newest first or oldest first. A single read has the content too. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/campaigns/{id}/messages": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only records in this status. */
      status?: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown" | ReadonlyArray<"requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"> | null | undefined
      /** Only messages of this kind. */
      kind?: "step" | "reply" | "test" | null | undefined
      /** Only messages of the step at this position, with its tests. */
      step?: number | null | undefined
      /** Only messages that an operator has (`true`) or does not have (`false`) to act on. */
      needs_attention?: boolean | null | undefined
      /** Only messages that bounced (`true`), or did not. */
      bounced?: boolean | null | undefined
    }
    answer: CampaignMessageList
  }
  /** Read a message of a campaign with its content. 404 `not_found` if there is no such message. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/campaign-messages/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the message. */
      id: string
    }
    answer: WholeCampaignMessage
  }
  /** Read the conversation with a recipient. Returns what was sent to the recipient and what came back, oldest first: of a longer conversation the newest ones, 4 MiB at most. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/campaign-enrollments/{id}/messages": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the enrollment. */
      id: string
    }
    query: {
      /** Number of messages at most, 1 to 100; 100 by default. */
      limit?: number | null | undefined
    }
    answer: ReadCampaignThreadResult
  }
  /** Preview a step of a campaign. Renders the step with the contact and the variables of an enrollment, or with these variables. Nothing is stored or sent. A launched campaign shows the template as it was at the launch. `warnings`: `too_long` (mail programs cut off HTML over 102 KB), `no_unsubscribe_url` (the body does not print `unsubscribe_url`), `freemail_sender` (bulk mail from such an address is refused). 422 `template_failed` if a variable is missing. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/campaigns/{id}/preview": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    body: PreviewCampaignBody
    answer: CampaignPreview
  }
  /** Send a step of a campaign to an address. Sends one e-mail, with `[Test]` before its subject, and returns it, with its outcome if the mail server answers in time. Its link has no effect, and it is not counted. Sending the same `message_id` and content again returns the same message (200) and sends nothing twice. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/campaigns/{id}/test": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the campaign. */
      id: string
    }
    body: TestCampaignBody
    answer: CampaignMessage
  }
  /** Reply to an enrolled contact. Sends one e-mail in the enrollment's thread, from its mailbox, and returns it, with its outcome if the mail server answers in time. An active enrollment ends as `replied`. Sending the same `message_id` and content again returns the same message (200) and sends nothing twice. A message whose outcome cannot be proved is `unknown` and is never sent again. It is `failed` if nothing was sent: with `attachment_missing` if a file was deleted in between, with `no_longer_wanted` if the address bounced or reported spam. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/campaign-enrollments/{id}/reply": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the enrollment. */
      id: string
    }
    body: ReplyToEnrollmentBody
    answer: CampaignMessage
  }
  /** Resolve a message whose outcome is unknown. Records the outcome that an operator found in the mail server's log. Nothing is sent. A resolution can be corrected by another one, which keeps it as `before`. 409 `contradicts_evidence` if what the provider reported says otherwise; the problem has the evidence, and `force` records the outcome all the same. A record that later evidence contradicts needs attention again. After `succeeded` the sequence of its enrollment goes on with the next step; after `rejected` the enrollment has `failed`, unless its next step was written. A completed campaign runs again for the next step, or is `paused` if its store or a mailbox was archived or deleted. A reply or a bounce that names the message is evidence that it was accepted. 409 `message_not_unknown` for a message that is neither `unknown` nor was resolved. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/campaign-messages/{id}/resolve": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the message. */
      id: string
    }
    body: ResolveCampaignMessageBody
    answer: CampaignMessage
  }
  /** List the promo codes. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/promo-codes": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default, with `ids` all of them. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "code" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only records in this status. */
      status?: "active" | "archived" | null | undefined
      /** Beginning of the code, in any case. */
      query?: string | null | undefined
    }
    answer: PromoCodeList
  }
  /** Create a promo code. Case is ignored when codes are compared. 409 `code_taken` if another promo code of the store is equal. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/promo-codes": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreatePromoCodeBody
    answer: PromoCode
  }
  /** Read a promo code. 404 `not_found` if there is no such promo code. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/promo-codes/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the promo code. */
      id: string
    }
    answer: PromoCode
  }
  /** Update a promo code. Fields that are left out are kept. `discounts` and `conditions` replace the stored lists. 409 `code_taken` if another promo code of the store is equal. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/promo-codes/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the promo code. */
      id: string
    }
    body?: UpdatePromoCodeBody
    answer: PromoCode
  }
  /** Delete a promo code. Its number of uses is deleted too. Orders keep their discount. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/promo-codes/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the promo code. */
      id: string
    }
    answer: Success
  }
  /** Read the store of the publishable key. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/store": {
    answer: PublicStore
  }
  /** List the locations where orders are picked up. Pickup locations whose address has a country; nothing can be picked up at others. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/locations": {
    answer: PickupLocations
  }
  /** List the products for sale. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/products": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** JSON list of `{taxonomy_id, entry_ids}`, 20 at most: records filed under one of the entries. Without `entry_ids`: under the taxonomy. */
      taxonomy_query?: string | null | undefined
      /** True: records must match every item of `taxonomy_query`; otherwise one is enough. */
      match_all?: boolean | null | undefined
    }
    answer: PublicProductList
  }
  /** Read a product for sale, by id or by slug. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/products/{id}": {
    path: {
      /** Identifier of the product, or its slug in any language. */
      id: string
    }
    query: {
      /** Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the store are tried first. */
      locale?: LocaleTag | null | undefined
    }
    answer: PublicProduct
  }
  /** List the services that can be booked. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/services": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** JSON list of `{taxonomy_id, entry_ids}`, 20 at most: records filed under one of the entries. Without `entry_ids`: under the taxonomy. */
      taxonomy_query?: string | null | undefined
      /** True: records must match every item of `taxonomy_query`; otherwise one is enough. */
      match_all?: boolean | null | undefined
      /** Only services of this provider. */
      provider_id?: string | null | undefined
    }
    answer: PublicServiceList
  }
  /** Read a service that can be booked, by id or by slug. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/services/{id}": {
    path: {
      /** Identifier of the service, or its slug in any language. */
      id: string
    }
    query: {
      /** Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the store are tried first. */
      locale?: LocaleTag | null | undefined
    }
    answer: PublicService
  }
  /** List the providers that can be booked. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/providers": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** JSON list of `{taxonomy_id, entry_ids}`, 20 at most: records filed under one of the entries. Without `entry_ids`: under the taxonomy. */
      taxonomy_query?: string | null | undefined
      /** True: records must match every item of `taxonomy_query`; otherwise one is enough. */
      match_all?: boolean | null | undefined
      /** Only providers of this service. */
      service_id?: string | null | undefined
    }
    answer: PublicProviderList
  }
  /** Read a provider that can be booked, by id or by slug. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/providers/{id}": {
    path: {
      /** Identifier of the provider, or its slug in any language. */
      id: string
    }
    query: {
      /** Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the store are tried first. */
      locale?: LocaleTag | null | undefined
    }
    answer: PublicProvider
  }
  /** Identify the visitor. Creates a visitor if the request has no visitor token; the new token is in the header `X-Service-Visitor-Token`. The address is recorded as claimed. It is verified when the visitor signs in with a code. 429 `too_many_requests` for more new visitors of one IP address than the limit allows. Access: the storefront (publishable key). A visitor token is optional; without one, a visitor is created. */
  "POST /v1/storefront/account/identify": {
    body?: IdentifyVisitorBody
    answer: Identity
  }
  /** Send a sign-in code to a visitor. Sends an e-mail with a six-digit code to the address, and creates a visitor if the request has no visitor token. The answer is the same for known and unknown addresses. 429 `too_many_requests` beyond the limits per address and per network. Access: the storefront (publishable key). A visitor token is optional; without one, a visitor is created. */
  "POST /v1/storefront/account/code": {
    body: SendVisitorCodeBody
    answer: Challenge
  }
  /** Sign a visitor in with a code. Attaches the session to the contact that owns the address. Orders, carts, form submissions, reactions, memberships and channels of the anonymous visitor move to that contact, and a cart with items becomes its current one. The answer and the header `X-Service-Visitor-Token` have a new token: send it from then on. The one before proves nothing, and is refused after ten seconds: until then it reads and changes the orders, carts and bookings that this visitor made with it and that have not changed since, and nothing of the contact. Paid memberships of visitors who named the address without verifying it move to that contact, too, unless it has a subscription in the same audience. A code is valid for 10 minutes and one sign-in. 422 `code_invalid` with `tries_left` for a wrong code; 422 `code_expired` for a code that was used, has expired, was tried five times or was requested elsewhere. After five wrong attempts for an address, counted over all its codes, a wrong code is answered with 429 and `Retry-After`; the right code still signs in. Access: a visitor of the storefront (publishable key and visitor token). */
  "POST /v1/storefront/account/verify": {
    body: VerifyVisitorCodeBody
    answer: Identity
  }
  /** Read the visitor's own contact. Access: a visitor of the storefront (publishable key and visitor token). */
  "GET /v1/storefront/account/me": {
    answer: GetVisitorResult
  }
  /** Sign the visitor out. The visitor token is refused from then on. Access: a visitor of the storefront (publishable key and visitor token). */
  "POST /v1/storefront/account/logout": {
    answer: Success
  }
  /** List the audiences that visitors may join. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/audiences": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: PublicAudienceList
  }
  /** List the visitor's own memberships. Memberships of active audiences that are not private, also those that have ended, one page, newest first. Access: a visitor of the storefront (publishable key and visitor token). */
  "GET /v1/storefront/audiences/members": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: OwnAudienceMemberList
  }
  /** Read an active audience by key or by id. 404 `not_found` for drafts, archived and private audiences. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/audiences/{key}": {
    path: {
      /** Identifier or key of the audience. */
      key: string
    }
    answer: PublicAudience
  }
  /** Subscribe to an audience. An `open` audience makes the visitor an active member at once. A `confirmation` audience makes a pending member and mails a link to the address of the visitor, which is valid for seven days; repeating the call mails it again, within limits like those of sign-in codes. Repeating the call returns the same member. 422 `email_required` if the visitor has no address, 409 `delivery_suppressed` if the visitor signed in with it and e-mail to it bounced, was reported as spam or is not wanted (to other visitors the answer is as if it was mailed), 409 `audience_not_ready` if the template or the mailbox is not active any more. A `paid` audience makes a pending member, who pays in the payment form that `payment_action` describes and becomes active when the provider has confirmed the payment; a price that is free makes an active member at once. Repeating the call returns the same form. With another price, code or address, the open form is closed before the other one opens: 409 `payment_in_progress` if it was paid meanwhile, 409 `subscription_cancelled` for calls that wait for a form that is replaced. 409 `subscription_active` for a member whose subscription is paid for; a free one is replaced by another price when that one is paid. 422 `email_required` if the visitor has no address and something has to be paid, 409 `total_changed` if the first payment is not `expected_total`. After 503 `engine_unavailable`, `provider_retryable` or `provider_unavailable`, repeat the call. Access: a visitor of the storefront (publishable key and visitor token). */
  "POST /v1/storefront/audiences/{audienceId}/subscribe": {
    path: {
      /** Identifier of the audience. */
      audienceId: string
    }
    body?: SubscribeToAudienceBody
    answer: AudienceSubscription
  }
  /** Read the visitor's access to an audience. Exact to the second: `has_access` is true for an active member until the second `access_until`. Without a visitor, it is false, and `member` is null. An archived audience still answers. 404 `not_found` for drafts and private audiences. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/audiences/{audienceId}/access": {
    path: {
      /** Identifier of the audience. */
      audienceId: string
    }
    answer: AudienceAccess
  }
  /** Read or create the visitor's current cart. Creates a visitor if the request has no visitor token; the new token is in the header `X-Service-Visitor-Token`. Creates an open cart if the visitor has none. 409 `no_market` if the store has no market. Access: the storefront (publishable key). A visitor token is optional; without one, a visitor is created. */
  "POST /v1/storefront/carts/current": {
    answer: Cart
  }
  /** Read a cart. Access: a visitor of the storefront (publishable key and visitor token). */
  "GET /v1/storefront/carts/{id}": {
    path: {
      /** Identifier of the cart. */
      id: string
    }
    answer: Cart
  }
  /** Update a cart. Replaces the fields that are sent; null clears them. Fields that are left out are kept. 409 `cart_ordered` if the cart was checked out. 422 for an unknown product, service, market or pickup location. Access: a visitor of the storefront (publishable key and visitor token). */
  "PUT /v1/storefront/carts/{id}": {
    path: {
      /** Identifier of the cart. */
      id: string
    }
    body?: UpdateCartBody
    answer: Cart
  }
  /** Quote a cart. Prices the cart as a checkout would price it now: lines, discounts, shipping, tax, and the shipping and payment methods to choose from. Nothing is reserved. 422 names the field that prevents pricing. Access: a visitor of the storefront (publishable key and visitor token). */
  "POST /v1/storefront/carts/{id}/quote": {
    path: {
      /** Identifier of the cart. */
      id: string
    }
    answer: OrderQuote
  }
  /** Check out a cart. Prices the cart, reserves stock and slots, and creates the order and its payment in one transaction. Repeating the call returns the same order; with another payment method it is 409 `payment_in_progress` while the order waits for a card, and 409 `cart_ordered` otherwise. A card payment is completed in the payment form that `payment_action` describes. 409 `out_of_stock` or `slot_taken` if an item is no longer available, `total_changed` with the present `quote` if the total is not `expected_total`. After 503 `engine_unavailable` or `provider_retryable`, repeat the call. After 503 `provider_unavailable`, nothing was charged and the order is cancelled: check out `cart_id`, the next cart with the same lines. Access: a visitor of the storefront (publishable key and visitor token). */
  "POST /v1/storefront/carts/{id}/checkout": {
    path: {
      /** Identifier of the cart. */
      id: string
    }
    body?: CheckoutCartBody
    answer: Checkout
  }
  /** List the visitor's own orders. Returns one page, newest first, unless another order is requested. Without a sign-in, only what this visitor token ordered. Access: a visitor of the storefront (publishable key and visitor token). */
  "GET /v1/storefront/orders": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: StorefrontOrderList
  }
  /** Read one of the visitor's own orders. 404 `not_found` if there is no such order. Access: a visitor of the storefront (publishable key and visitor token). */
  "GET /v1/storefront/orders/{id}": {
    path: {
      /** Identifier of the order. */
      id: string
    }
    answer: StorefrontOrder
  }
  /** List the orders. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/orders": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "number" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only orders of this contact. */
      contact_id?: string | null | undefined
      /** Only records in one of these statuses: repeated, or separated by commas. */
      statuses?: "pending" | "confirmed" | "partially_cancelled" | "cancelled" | ReadonlyArray<"pending" | "confirmed" | "partially_cancelled" | "cancelled"> | null | undefined
      /** Only orders with a line of goods in one of these statuses: repeated, or separated by commas. */
      product_statuses?: "pending" | "confirmed" | "cancelled" | ReadonlyArray<"pending" | "confirmed" | "cancelled"> | null | undefined
      /** Only orders of one of these products: repeated, or separated by commas. */
      product_ids?: string | ReadonlyArray<string> | null | undefined
      /** Only orders with a booking in one of these statuses: repeated, or separated by commas. */
      booking_statuses?: "pending" | "confirmed" | "completed" | "no_show" | "cancelled" | ReadonlyArray<"pending" | "confirmed" | "completed" | "no_show" | "cancelled"> | null | undefined
      /** Only orders that book one of these services: repeated, or separated by commas. */
      service_ids?: string | ReadonlyArray<string> | null | undefined
      /** Only orders that book one of these providers: repeated, or separated by commas. */
      provider_ids?: string | ReadonlyArray<string> | null | undefined
      /** Only orders whose contact had (`true`) or did not have (`false`) a verified address at checkout. */
      verified?: boolean | null | undefined
      /** Only orders of contacts that have access to this audience. */
      audience_id?: string | null | undefined
      /** Number of an order, identifier of an order or contact, beginning of a contact's address, or a telephone number in any spelling. */
      query?: string | null | undefined
    }
    answer: OrderList
  }
  /** Read an order. 404 `not_found` if there is no such order. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/orders/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      id: string
    }
    answer: Order
  }
  /** Confirm, cancel or update an order. Fields that are left out are kept. Confirming a card order requires its payment; cancelling requires that no captured amount, shipment or completed booking is left. If the provider's payment form of the order is still open, it is closed before the order is cancelled: after 503 `engine_unavailable` or `provider_retryable`, repeat the request. 409 `stale_version` if the order was changed since `version`; other 409s name what prevents the change. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/orders/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      id: string
    }
    body: UpdateOrderBody
    answer: Order
  }
  /** List the product lines of an order. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/orders/{orderId}/products": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
    }
    answer: OrderLines
  }
  /** List the digital lines of an order. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/orders/{orderId}/digital-products": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
    }
    answer: OrderLines
  }
  /** List the bookings of an order. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/orders/{orderId}/bookings": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
    }
    answer: OrderBookings
  }
  /** List the product lines of the visitor's own order. Access: a visitor of the storefront (publishable key and visitor token). */
  "GET /v1/storefront/orders/{orderId}/products": {
    path: {
      /** Identifier of the order. */
      orderId: string
    }
    answer: OrderLines
  }
  /** List the digital lines of the visitor's own order. Access: a visitor of the storefront (publishable key and visitor token). */
  "GET /v1/storefront/orders/{orderId}/digital-products": {
    path: {
      /** Identifier of the order. */
      orderId: string
    }
    answer: OrderLines
  }
  /** List the bookings of the visitor's own order. Access: a visitor of the storefront (publishable key and visitor token). */
  "GET /v1/storefront/orders/{orderId}/bookings": {
    path: {
      /** Identifier of the order. */
      orderId: string
    }
    answer: OrderBookings
  }
  /** Read the payment of an order. 404 `not_found` if there is no such order. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/orders/{orderId}/payment": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
    }
    answer: Payment
  }
  /** Mark a cash payment as paid. A payment that is paid already is returned unchanged. 409 `not_cash` for a card payment, `order_cancelled` if the order is cancelled. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/orders/{orderId}/payment/mark-paid": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
    }
    answer: Payment
  }
  /** List the refunds of a store, across its orders and memberships. With `needs_attention=true`, returns the refunds that operators have to act on: those that are `unknown`, those that differ from what was resolved, those that exceed the captured amount, and those that failed or are late while their order is cancelled. A refund leaves this list when it is resolved, or when the order is refunded completely. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/refunds": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only records in this status. */
      status?: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown" | ReadonlyArray<"requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"> | null | undefined
      /** Only refunds that an operator has (`true`) or does not have (`false`) to act on. */
      needs_attention?: boolean | null | undefined
    }
    answer: ListedRefundList
  }
  /** Refund a payment. Sends one refund to the provider and returns it, with its outcome if the provider answers in time. Sending the same `refund_id` and amount again returns the same refund (200) and sends nothing twice; another amount is 409 `idempotency_conflict`. 422 `amount_exceeds_refundable` if less is left to refund. A refund whose outcome cannot be proved is `unknown` and is never sent again. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/orders/{orderId}/refunds": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
    }
    body: CreateRefundBody
    answer: Refund
  }
  /** List the refunds of an order. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/orders/{orderId}/refunds": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: RefundList
  }
  /** Read a refund by its `refund_id` or `id`. 404 `not_found` if there is no such refund. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/orders/{orderId}/refunds/{refundId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
      /** The `refund_id` that the caller made for the refund, or its `id`. */
      refundId: string
    }
    answer: Refund
  }
  /** Resolve a refund whose outcome is unknown. Records the outcome that an operator found at the provider. Nothing is sent. A resolution can be corrected by another one, which keeps it as `before`. 409 `contradicts_evidence` if what the provider reported says otherwise; the problem has the evidence, and `force` records the outcome all the same. A record that later evidence contradicts needs attention again. 409 `refund_not_unknown` for a refund that is neither `unknown` nor was resolved. If the refunds of the payment exceed the captured amount after a correction, its `error` is `refund_conflict`, and nothing more can be refunded until one of them is corrected. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/orders/{orderId}/refunds/{refundId}/resolve": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
      /** The `refund_id` that the caller made for the refund, or its `id`. */
      refundId: string
    }
    body: ResolveRefundBody
    answer: Refund
  }
  /** List what a person has to do. Requests to other parties whose outcome is unknown or was recorded otherwise than later evidence says: refunds, captures, payment forms, changes of subscriptions, e-mails, messages of campaigns, posts and replies, nodes of graphs, messages of bots, calls of models, and all others. Money that has to go back and did not, and payments of another amount than the one due. Disputes with their deadline. Campaigns, mailboxes and webhooks that were stopped, accounts that have to be connected again, and workflows that were not started. What the platform charges for the plan of the store is in the list of its administrators. Integrations and the portal of the store are shown to owners. Returns one page, the oldest first. An item leaves the list when it is resolved, or when what is wrong is mended. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/attention": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Only items of these kinds: repeated, or separated by commas. */
      kind?: "refund" | "payment_session" | "session_expiry" | "coupon" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "portal_configuration" | "portal_link" | "mail" | "campaign_message" | "webhook_test" | "subscription_change" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reveal" | "social_reply" | "social_classification" | "model_call" | "channel_message" | "node_run" | "refund_due" | "payment" | "subscription" | "dispute" | "campaign" | "mailbox" | "webhook" | "start" | "erasure" | "channel" | "social_connection" | ReadonlyArray<"refund" | "payment_session" | "session_expiry" | "coupon" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "portal_configuration" | "portal_link" | "mail" | "campaign_message" | "webhook_test" | "subscription_change" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reveal" | "social_reply" | "social_classification" | "model_call" | "channel_message" | "node_run" | "refund_due" | "payment" | "subscription" | "dispute" | "campaign" | "mailbox" | "webhook" | "start" | "erasure" | "channel" | "social_connection"> | null | undefined
      /** Only items of these groups: repeated, or separated by commas. */
      group?: "outcome" | "money" | "dispute" | "stopped" | "reconnect" | ReadonlyArray<"outcome" | "money" | "dispute" | "stopped" | "reconnect"> | null | undefined
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
    }
    answer: AttentionItemList
  }
  /** Record what became of a request whose outcome is unknown. Records what you found at the other party. Nothing is sent. A resolution can be corrected by another one, which keeps it as `before`. 409 `contradicts_evidence` if what the provider reported says otherwise; the problem has the evidence, and `force` records the outcome all the same. A record that later evidence contradicts needs attention again. An open payment form that `succeeded` is closed then. After `rejected`, a capture fails its booking and the authorisation is cancelled. What a subscription is, is read again. 409 `request_not_unknown` for a request that is neither unknown nor was resolved, `decision_made` if another decision about the payment was made since, `payment_captured` while refunds of a payment are recorded that would not have been captured. 422 `outcome_not_possible`. Messages of campaigns, posts, replies and nodes have routes of their own, which `resolve` of the item names. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/attention/{id}/resolve": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the item. */
      id: string
    }
    body: ResolveAttentionBody
    answer: AttentionResolved
  }
  /** List what happened to a record. Returns one page, newest first: events that were published, changes with who made them, and each effect from its request to its resolution. Every time is one that is stored, and what is not stored is not listed; a `deadline` is a bound. Of an execution, a contact, a chat, a webhook and a run of lead research, which may have any number of rows, what belongs to one row stays together, at the second of its creation. Events are kept for some days, and only those that had a subscriber. 404 `not_found` if the store has no such record. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/timeline": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** What the timeline is about: a type, a colon and an id, such as `order:019901c2-1d2e-7000-8000-000000000001`. Types: `order`, `member`, `subscription`, `execution`, `publication`, `campaign`, `enrollment`, `contact`, `chat`, `research_run`, `audience`, `payment_provider`, `integration`, `social_connection`, `webhook`, `product`, `collection`, `entry`, `form_submission`, `refund`, `payment_session`, `session_expiry`, `coupon`, `authorization_end`, `connect`, `onboarding_link`, `price_provision`, `portal_configuration`, `portal_link`, `mail`, `campaign_message`, `webhook_test`, `subscription_change`, `oauth_exchange`, `social_connect`, `social_token_request`, `social_reveal`, `social_reply`, `social_classification`, `model_call`, `channel_message`, `node_run`. */
      subject: string
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
    }
    answer: TimelineEntryList
  }
  /** Read what the store lacks to sell, ship, book, send mail and publish. Returns every check, in the order in which what is missing is mended. A checkout, a booking, a campaign or a publication that fails for one of them names it to operators in `mends`, and tells visitors in one sentence what they can do. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/readiness": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    answer: GetReadinessResult
  }
  /** Read what the store sold and did by day, and what waits. Returns one item for each of the last `days` days, today being the last, in the store's time zone, with their sums. Records that were deleted since, such as deliveries, are not counted. What the platform charges for the store's plan is no sale. `backlog` is what waits now, the oldest first: nothing waits if it is empty. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/overview": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Number of days, 1 to 92; 30 by default. */
      days?: number | null | undefined
    }
    answer: GetOverviewResult
  }
  /** List the disputes of an order. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/orders/{orderId}/disputes": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: DisputeList
  }
  /** Read a dispute. 404 `not_found` if there is no such dispute. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/orders/{orderId}/disputes/{disputeId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
      /** Identifier of the dispute. */
      disputeId: string
    }
    answer: Dispute
  }
  /** List the shipments of an order. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/orders/{orderId}/shipments": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: ShipmentList
  }
  /** Create a shipment. Records units of lines as shipped and updates the fulfillment status of the order. 409 `already_shipped` if more units would be shipped than a line has left. The order must be confirmed. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/orders/{orderId}/shipments": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
    }
    body: CreateShipmentBody
    answer: Shipment
  }
  /** Read a shipment. 404 `not_found` if there is no such shipment. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/orders/{orderId}/shipments/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
      /** Identifier of the shipment. */
      id: string
    }
    answer: Shipment
  }
  /** Delete a shipment. For a shipment that was recorded by mistake: its units count as not shipped again. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/orders/{orderId}/shipments/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the order. */
      orderId: string
      /** Identifier of the shipment. */
      id: string
    }
    answer: Success
  }
  /** Receive a signed event of the provider. Stores the event once and applies it. An event of a type that is not used is stored only. 400 `bad_signature` if the signature does not match the body. 409 `not_yet` if the event cannot be applied yet: the provider sends it again. Query parameters are ignored. Access: public, without a credential. */
  "POST /v1/webhooks/stripe": {
    body: Record<string, unknown>
    answer: ReceiveStripeEventResult
  }
  /** Receive a signed event of an integration's account. For the account of a `card_payment` integration, whose `webhook_secret` signs the body; the one before is accepted for three days. Stores the event once and applies it to payments of that account. 400 `bad_signature` if the signature does not match the body, or there is no such integration. 409 `not_yet` if the event cannot be applied yet: the provider sends it again. Query parameters are ignored. Access: public, without a credential. */
  "POST /v1/webhooks/stripe/{integrationId}": {
    path: {
      /** Identifier of the integration. */
      integrationId: string
    }
    body: Record<string, unknown>
    answer: ReceiveIntegrationEventResult
  }
  /** List the channels of several contacts. Returns all channels of the contacts in one page, sorted by contact and time of creation. Contacts that the store does not have are left out. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/contacts/channels": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Identifiers of the contacts, 100 at most: repeated, or separated by commas. */
      contact_ids: string | ReadonlyArray<string>
    }
    answer: ContactChannelList
  }
  /** List the channels of a contact. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/contacts/{id}/channels": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the contact. */
      id: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: ContactChannelList
  }
  /** Add a channel to a contact. Returns 201 with the new channel, which the contact owns; the first one of its type is the primary one. Returns 200 if the contact has the address already: it is owned from then on, and the other fields are updated. 409 `email_taken` if another contact of the store owns the e-mail address, `channel_taken` if another one has the subject. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/contacts/{id}/channels": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the contact. */
      id: string
    }
    body: CreateContactChannelBody
    answer: ContactChannel
  }
  /** Update a channel of a contact. Fields that are left out are kept. The address of a channel does not change: add another channel and delete this one. Any operator records a bounce, a complaint or a withdrawn consent; only an owner takes it back: 403 `forbidden`. Of an e-mail address, each of these holds for every contact of the store with it, and for the `delivery_status` of the members who show it; lifting it leaves the opt-outs of members as they are. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/contacts/{id}/channels/{channelId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the contact. */
      id: string
      /** Identifier of the channel. */
      channelId: string
    }
    body?: UpdateContactChannelBody
    answer: ContactChannel
  }
  /** Delete a channel of a contact. 409 `channel_suppressed` for a channel that bounced, complained or withdrew its consent: it is kept, so that the address is not used again. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/contacts/{id}/channels/{channelId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the contact. */
      id: string
      /** Identifier of the channel. */
      channelId: string
    }
    answer: Success
  }
  /** List the contacts. Returns one page, sorted by creation time, newest first, unless another order is requested. Visitors without an address, a taxonomy or a membership are left out, unless they are named by `ids` or `query`, or `anonymous` is `true`. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/contacts": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** JSON list of `{taxonomy_id, entry_ids}`, 20 at most: records filed under one of the entries. Without `entry_ids`: under the taxonomy. */
      taxonomy_query?: string | null | undefined
      /** True: records must match every item of `taxonomy_query`; otherwise one is enough. */
      match_all?: boolean | null | undefined
      /** Only records in this status. */
      status?: "active" | "archived" | null | undefined
      /** Audience whose members with access are returned. */
      audience_id?: string | null | undefined
      /** True: only visitors without an address, a taxonomy and a membership. False: only other contacts. */
      anonymous?: boolean | null | undefined
      /** Identifier of a contact, words to search for in addresses and typed taxonomy values, each the beginning of a word in any case, or a telephone number in any spelling. */
      query?: string | null | undefined
    }
    answer: ContactList
  }
  /** Create a contact. Returns 201 with the new contact, which owns the address. If a contact of the store owns it already, returns 200 with that contact, unchanged. An address that a visitor only claimed belongs to no contact and is no match. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/contacts": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateContactBody
    answer: Contact
  }
  /** Read a contact. 404 `not_found` if there is no such contact. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/contacts/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the contact. */
      id: string
    }
    answer: Contact
  }
  /** Update a contact. Fields that are left out are kept. Another `email` replaces the one that is shown, is owned by the contact and is not verified; null removes all e-mail addresses of the contact. 409 `email_taken` if another contact owns the address, `channel_suppressed` if an address to be removed bounced, complained or withdrew its consent. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/contacts/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the contact. */
      id: string
    }
    body?: UpdateContactBody
    answer: Contact
  }
  /** Preview a merge of contacts. Returns what merging the source into the contact of the path would move, which sessions would go on and which would end, and what the merge would be refused for. Changes nothing. 422 `same_contact` if both are the same. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/contacts/{id}/merge/preview": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the contact. */
      id: string
    }
    body: PreviewContactMergeBody
    answer: ContactMergePreview
  }
  /** Merge a contact into another. Moves everything of the source to the contact of the path, in one transaction: orders, carts, form submissions, memberships, channels and taxonomies. A session of either goes on only if its visitor signed in with an address that the contact then owns; others are revoked, and the links to the pages of memberships are replaced. A cart with items of the source becomes the current one. An address that both have becomes one channel, in which a bounce, a complaint or a withdrawn consent wins. The source is deleted. Repeating the request returns the contact again, or the one that it was merged into meanwhile. 409 `both_subscribed` if both have a live or pending subscription in one audience: nothing is moved, and `errors` names the members. 422 `same_contact` if both are the same. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/contacts/{id}/merge": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the contact. */
      id: string
    }
    body: MergeContactBody
    answer: Contact
  }
  /** List the sessions of a contact. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/contacts/{contactId}/sessions": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the contact. */
      contactId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: ContactSessionList
  }
  /** Revoke all sessions of a contact. The visitor tokens of all sessions of the contact are refused from then on. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/contacts/{contactId}/sessions": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the contact. */
      contactId: string
    }
    answer: Success
  }
  /** Revoke a session of a contact. The visitor token of the session is refused from then on. Revoking a revoked session changes nothing. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/contacts/{contactId}/sessions/{sessionId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the contact. */
      contactId: string
      /** Identifier of the session. */
      sessionId: string
    }
    answer: Success
  }
  /** List the collections. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/collections": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only the collection with exactly this key. */
      key?: Key | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
    }
    answer: CollectionList
  }
  /** Create a collection. 409 `key_taken` if another collection has the key. 422 for a schema that no block can satisfy, for example `max_below_min`. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/collections": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateCollectionBody
    answer: Collection
  }
  /** Read a collection by id or by key. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/collections/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier or key of the collection. */
      id: string
    }
    answer: Collection
  }
  /** Update a collection. Fields that are left out are kept. `schema` and `blocks` replace the stored ones; an item of the schema without an id keeps the id of the stored item with its key and type. A new schema applies to an entry at its next write. `invalid_entries` is the number of entries that do not satisfy it: they are counted after the change, and it is null if that takes longer than the answer waits. 409 `key_taken` if another collection has the key. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/collections/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the collection. */
      id: string
    }
    body?: UpdateCollectionBody
    answer: Collection
  }
  /** Delete a collection with its entries. 409 `referenced` if a reference from another record restricts the deletion of one of its entries; `referenced_by` lists up to ten of the records. Other references to its entries are set to null. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/collections/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the collection. */
      id: string
    }
    answer: Success
  }
  /** List the entries. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/entries": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default, with `ids` all of them. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only entries of this collection. */
      collection_id?: string | null | undefined
      /** Only entries with exactly this key, of any collection. */
      key?: Key | null | undefined
      /** JSON list of `{taxonomy_id, entry_ids}`, 20 at most: records filed under one of the entries. Without `entry_ids`: under the taxonomy. */
      taxonomy_query?: string | null | undefined
      /** True: records must match every item of `taxonomy_query`; otherwise one is enough. */
      match_all?: boolean | null | undefined
      /** Only records in this status. */
      status?: "active" | "draft" | "archived" | null | undefined
    }
    answer: EntryList
  }
  /** Create an entry. 409 `key_taken` if another entry of the collection has the key, `slug_taken` if another entry has a slug in the same language. 422 lists each block that does not satisfy the schema of the collection. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/entries": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateEntryBody
    answer: Entry
  }
  /** Read an entry by id or by slug. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/entries/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the entry, or its slug in any language. */
      id: string
    }
    query: {
      /** Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the store are tried first. */
      locale?: LocaleTag | null | undefined
    }
    answer: Entry
  }
  /** Update an entry. Fields that are left out are kept. `blocks` replace the stored ones and must satisfy the current schema of the collection. An entry cannot be moved to another collection: 422 `collection_fixed`. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/entries/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the entry. */
      id: string
    }
    body?: UpdateEntryBody
    answer: Entry
  }
  /** Delete an entry. 409 `referenced` if a reference from another record restricts the deletion; `referenced_by` lists up to ten of the records. Other references are set to null. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/entries/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the entry. */
      id: string
    }
    answer: Success
  }
  /** List the taxonomies. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/taxonomies": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only children of this taxonomy; `null`: only taxonomies at the top. */
      parent_id?: "null" | string | null | undefined
      /** Only the taxonomy with exactly this key. */
      key?: Key | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only records in this status. */
      status?: "active" | "archived" | null | undefined
    }
    answer: TaxonomyList
  }
  /** Create a taxonomy. 409 `key_taken` if another taxonomy has the key. 422 `taxonomy_unknown` for a parent that does not exist, `too_deep` if the tree would have too many levels. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/taxonomies": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateTaxonomyBody
    answer: Taxonomy
  }
  /** Read a taxonomy by id or by key. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/taxonomies/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier or key of the taxonomy. */
      id: string
    }
    answer: Taxonomy
  }
  /** Update or move a taxonomy. Fields that are left out are kept. `schema` replaces the stored one; an item without an id keeps the id of the stored item with its key and type. Records filed under the taxonomy do not change; a new schema applies to a record at its next write. 409 `taxonomy_cycle` if the taxonomy would be below itself. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/taxonomies/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the taxonomy. */
      id: string
    }
    body?: UpdateTaxonomyBody
    answer: Taxonomy
  }
  /** Delete a taxonomy and all taxonomies below it. 404 `not_found` if there is no such taxonomy. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/taxonomies/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the taxonomy. */
      id: string
    }
    answer: Success
  }
  /** List the children of a taxonomy. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/taxonomies/{id}/children": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the taxonomy. */
      id: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only records in this status. */
      status?: "active" | "archived" | null | undefined
    }
    answer: TaxonomyList
  }
  /** List the forms. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/forms": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only the form with exactly this key. */
      key?: Key | null | undefined
      /** Only records in this status. */
      status?: "active" | "archived" | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
    }
    answer: FormList
  }
  /** Create a form. 409 `key_taken` if another form has the key. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/forms": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateFormBody
    answer: Form
  }
  /** Read a form by id or by key. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/forms/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier or key of the form. */
      id: string
    }
    answer: Form
  }
  /** Update a form. Fields that are left out are kept; `schema` replaces all fields of the form. Stored submissions do not change; the new schema applies to a submission when it is updated. An `archived` form accepts no submission. 409 `key_taken` if another form has the key. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/forms/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the form. */
      id: string
    }
    body?: UpdateFormBody
    answer: Form
  }
  /** Delete a form with its submissions. 404 `not_found` if there is no such form. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/forms/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the form. */
      id: string
    }
    answer: Success
  }
  /** List the submissions of a form. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/forms/{formId}/submissions": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier or key of the form. */
      formId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
    }
    answer: FormSubmissionList
  }
  /** Submit a form as an operator. 422 lists each invalid field with its pointer: `unknown_field`, `duplicate`, `type_differs`, `required` (at /fields for a field that was not sent), `invalid_type`, `invalid_format`, `too_small`, `too_big`, `not_an_option`. 409 `form_archived` if the form is archived. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/forms/{formId}/submissions": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier or key of the form. */
      formId: string
    }
    body: SubmitFormBody
    answer: FormSubmission
  }
  /** Read a submission. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/forms/{formId}/submissions/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier or key of the form. */
      formId: string
      /** Identifier of the submission. */
      id: string
    }
    answer: FormSubmission
  }
  /** Update a submission. Replaces all fields, which must satisfy the current schema of the form. Submissions of archived forms can be updated too. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/forms/{formId}/submissions/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier or key of the form. */
      formId: string
      /** Identifier of the submission. */
      id: string
    }
    body: UpdateFormSubmissionBody
    answer: FormSubmission
  }
  /** Upload files. Stores all files, or none if one is refused. The type of a file is detected by its content: 422 `type_differs` if its name or content type is of another type. Of an image, the versions `large` (1600 pixels at most), `medium` (800) and `thumbnail` (200) are made before the answer; if that takes longer than the answer waits, the status is `processing`. 422 `image_broken`, `image_too_large` or `image_too_heavy` for an image that cannot be processed. What a file says of the place, time, camera and author (Exif, XMP, IPTC, comments) is removed before it is stored if its type is JPEG, PNG, APNG, WebP, GIF, TIFF, HEIF, AVIF, JPEG XL, MP4, QuickTime and 3GPP; DNG, NEF, ARW and CR2 lose place, XMP and IPTC alone, and M4A its place and times. Files of other types and the data tracks of films are stored as they are. Orientation and colours stay. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/media": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    form: FormData
    answer: UploadMediaResult
  }
  /** List the files. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/media": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit: number
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Media type such as `image/png`, or `image/*` for all images. */
      mime_type?: string | null | undefined
    }
    answer: MediaList
  }
  /** Read the record of a file. 404 `not_found` if there is no such file. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/media/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the file. */
      id: string
    }
    answer: Media
  }
  /** Rename a file. 422 `type_differs` if the ending of the name is of another type than the content. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/media/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the file. */
      id: string
    }
    body: UpdateMediaBody
    answer: Media
  }
  /** Delete a file with its variants. 409 `referenced` if a reference from another record restricts the deletion; `referenced_by` lists up to ten of the records. Other references are set to null. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/media/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the file. */
      id: string
    }
    answer: Success
  }
  /** Read ready files by their ids. Returns the files in the order of `ids`, in one page. Files that do not exist or are not ready are left out. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/media": {
    query: {
      /** Identifiers of the files to read, 100 at most: repeated, or separated by commas. */
      ids: string | ReadonlyArray<string>
    }
    answer: MediaList
  }
  /** Download a file. Supports `Range` and `If-None-Match`. The file never changes and may be cached indefinitely. Types that a browser could execute are sent as attachments. Query parameters are ignored. Access: public, without a credential. */
  "GET /media/{id}/{variant}": {
    path: {
      /** Identifier of the file. */
      id: string
      /** Version of the file: `original`; of an image also `large`, `medium` or `thumbnail`. */
      variant: string
    }
    answer: unknown
  }
  /** Read a collection by key or by id. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/collections/{key}": {
    path: {
      /** Identifier or key of the collection. */
      key: string
    }
    answer: PublicCollection
  }
  /** List the active entries. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/entries": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default, with `ids` all of them. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only entries of this collection. */
      collection_id?: string | null | undefined
      /** Only entries with exactly this key, of any collection. */
      key?: Key | null | undefined
      /** JSON list of `{taxonomy_id, entry_ids}`, 20 at most: records filed under one of the entries. Without `entry_ids`: under the taxonomy. */
      taxonomy_query?: string | null | undefined
      /** True: records must match every item of `taxonomy_query`; otherwise one is enough. */
      match_all?: boolean | null | undefined
    }
    answer: PublicEntryList
  }
  /** Read an active entry by id or by slug. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/entries/{id}": {
    path: {
      /** Identifier of the entry, or its slug in any language. */
      id: string
    }
    query: {
      /** Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the store are tried first. */
      locale?: LocaleTag | null | undefined
    }
    answer: PublicEntry
  }
  /** List the active taxonomies. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/taxonomies": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only children of this taxonomy; `null`: only taxonomies at the top. */
      parent_id?: "null" | string | null | undefined
      /** Only the taxonomy with exactly this key. */
      key?: Key | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
    }
    answer: PublicTaxonomyList
  }
  /** Read an active taxonomy by id or by key. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/taxonomies/{id}": {
    path: {
      /** Identifier or key of the taxonomy. */
      id: string
    }
    answer: PublicTaxonomy
  }
  /** Read an active form by key or by id. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/forms/{key}": {
    path: {
      /** Identifier or key of the form. */
      key: string
    }
    answer: PublicForm
  }
  /** Submit a form. 422 lists each invalid field with its pointer: `unknown_field`, `duplicate`, `type_differs`, `required` (at /fields for a field that was not sent), `invalid_type`, `invalid_format`, `too_small`, `too_big`, `not_an_option`. 409 `form_archived` if the form is archived. Access: a visitor of the storefront (publishable key and visitor token). */
  "POST /v1/storefront/forms/{formId}/submissions": {
    path: {
      /** Identifier or key of the form. */
      formId: string
    }
    body: SubmitStorefrontFormBody
    answer: FormSubmission
  }
  /** React to a record. Creates a visitor if the request has no visitor token; the new token is in the header `X-Service-Visitor-Token`. A person has one reaction of each kind without content at a target or reaction: the same again returns 200 and the same record, and so does the same comment at the same place. 404 `not_found` if the target or the parent does not exist or is not visible to the caller. 409 `reaction_removed` if an operator hid or removed the same reaction; 409 `kinds_too_many` for a kind of your own, where there are too many kinds. Other stars replace the stars of the same person, with a new id. A second review is 409 `already_reviewed`. Content may be `pending`, by the settings of the store; the same comment again counts for the limits. 429 `too_many_requests` for more content, or more new visitors of one address, than the limits allow. Access: the storefront (publishable key). A visitor token is optional; without one, a visitor is created. */
  "POST /v1/storefront/reactions": {
    body: CreateStorefrontReactionBody
    answer: Reaction
  }
  /** List reactions. Returns one page of what the caller may see, sorted by creation time, newest first, unless another order is requested. Sorted by `updated_at` or `reply_count`, the list has only reactions with content. Reactions of deleted records, and replies below reactions that are not visible, are left out. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/reactions": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "reply_count" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only reactions to targets of this type. */
      target_type?: "product" | "service" | "provider" | "booking" | "node" | null | undefined
      /** Only reactions to this record, replies included. */
      target_id?: string | null | undefined
      /** Only replies to this reaction; `null` for reactions to the target itself. */
      parent_id?: "null" | string | null | undefined
      /** Only reactions of this contact. */
      customer_id?: string | null | undefined
      /** Only these kinds: repeated, or separated by commas. */
      kind?: string | ReadonlyArray<string> | null | undefined
      /** Only reactions of this status. A visitor sees their own `pending` ones only. */
      status?: "pending" | "published" | "hidden" | "removed" | null | undefined
      /** `true`: only reactions with content. */
      content_only?: boolean | null | undefined
    }
    answer: ReactionList
  }
  /** Summarize the reactions to a record. Counts of published reactions by kind, the average of the stars, and the caller's own reactions. 404 `not_found` if the target or the parent does not exist or is not visible to the caller. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/reactions/summary": {
    query: {
      /** Type of the target. */
      target_type: "product" | "service" | "provider" | "booking" | "node"
      /** Identifier of the target. */
      target_id: string
      /** Counts what was said of this reaction instead. */
      parent_id?: string | null | undefined
    }
    answer: ReactionSummary
  }
  /** Read a reaction. 404 `not_found` if the caller may not see it. Access: the storefront (publishable key). A visitor token is optional. */
  "GET /v1/storefront/reactions/{id}": {
    path: {
      /** Identifier of the reaction. */
      id: string
    }
    answer: Reaction
  }
  /** Change the content of a reaction. For its author, in the minutes that the store allows: 403 `forbidden` for others, 403 `edit_window_closed` after that. `target`, `kind` and `parent_id` may be sent as they were. The content is judged again, and may be `pending` afterwards; the same content changes nothing. 404 `not_found` if the caller may not see it. 409 `mark_not_editable` for marks and stars. Access: a visitor of the storefront (publishable key and visitor token). */
  "PUT /v1/storefront/reactions/{id}": {
    path: {
      /** Identifier of the reaction. */
      id: string
    }
    body?: UpdateStorefrontReactionBody
    answer: Reaction
  }
  /** Delete a reaction. For its author, and for operators. Content with replies stays `removed`, without author and blocks. 403 `forbidden` for others. 404 `not_found` if the caller may not see it, as authors do not see what an operator hid or removed. 409 `reaction_removed` if it was deleted before. Access: a visitor of the storefront (publishable key and visitor token). */
  "DELETE /v1/storefront/reactions/{id}": {
    path: {
      /** Identifier of the reaction. */
      id: string
    }
    answer: Success
  }
  /** List all reactions for moderation. Returns one page of all reactions, those that are pending, hidden and removed included, sorted by creation time, newest first, unless another order is requested. Sorted by `updated_at` or `reply_count`, the list has only reactions with content. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/reactions": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "reply_count" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only reactions to targets of this type. */
      target_type?: "product" | "service" | "provider" | "booking" | "node" | null | undefined
      /** Only reactions to this record, replies included. */
      target_id?: string | null | undefined
      /** Only replies to this reaction; `null` for reactions to the target itself. */
      parent_id?: "null" | string | null | undefined
      /** Only reactions of this contact. */
      customer_id?: string | null | undefined
      /** Only these kinds: repeated, or separated by commas. */
      kind?: string | ReadonlyArray<string> | null | undefined
      /** Only reactions of this status. A visitor sees their own `pending` ones only. */
      status?: "pending" | "published" | "hidden" | "removed" | null | undefined
      /** `true`: only reactions with content. */
      content_only?: boolean | null | undefined
    }
    answer: ReactionList
  }
  /** React to a record for the store. Operators answer and comment: 403 `customers_only` for stars and reviews. A person has one reaction of each kind without content at a target or reaction: the same again returns 200 and the same record, and so does the same comment at the same place. 404 `not_found` if the target or the parent does not exist or is not visible to the caller. 409 `reaction_removed` if an operator hid or removed the same reaction; 409 `kinds_too_many` for a kind of your own, where there are too many kinds. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/reactions": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateReactionBody
    answer: Reaction
  }
  /** Read a reaction. 404 `not_found` if the caller may not see it. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/reactions/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the reaction. */
      id: string
    }
    answer: Reaction
  }
  /** Change the content of a reaction. For its author, in the minutes that the store allows: 403 `forbidden` for others, 403 `edit_window_closed` after that. `target`, `kind` and `parent_id` may be sent as they were. The content is judged again, and may be `pending` afterwards; the same content changes nothing. 404 `not_found` if the caller may not see it. 409 `mark_not_editable` for marks and stars. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/reactions/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the reaction. */
      id: string
    }
    body?: UpdateReactionBody
    answer: Reaction
  }
  /** Delete a reaction. For its author, and for operators. Content with replies stays `removed`, without author and blocks. 403 `forbidden` for others. 404 `not_found` if the caller may not see it, as authors do not see what an operator hid or removed. 409 `reaction_removed` if it was deleted before. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/reactions/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the reaction. */
      id: string
    }
    answer: Success
  }
  /** Set the status of a reaction. Any status may follow any other. The same request again changes nothing. 409 `reaction_removed` if it was deleted before. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/reactions/{id}/moderate": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the reaction. */
      id: string
    }
    body: ModerateReactionBody
    answer: Reaction
  }
  /** List what each network accepts. The five types of connections, with the limits of captions and files, and whether accounts can be connected. `POST …/social-publications/validate` applies them. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/social-connections/capabilities": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    answer: ListSocialCapabilitiesResult
  }
  /** List the connected accounts. Returns one page, newest first, unless another order is requested. Disconnected accounts are left out unless `status` names them. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/social-connections": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only connections of this type. */
      type?: "network_a_page" | "network_b_business" | "network_c_channel" | "network_d_account" | "network_e_account" | null | undefined
      /** Only connections with these statuses: repeated, or separated by commas. */
      status?: "active" | "needs_reconnect" | "disconnected" | ReadonlyArray<"active" | "needs_reconnect" | "disconnected"> | null | undefined
    }
    answer: SocialConnectionList
  }
  /** Read a connected account. 404 `not_found` if there is no such connection. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/social-connections/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the connection. */
      id: string
    }
    answer: SocialConnection
  }
  /** Disconnect an account. The tokens are erased at once, and revoked at the network afterwards, if the network has a way and no other connection rests on the same consent. 404 `not_found` if the account is not connected. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/social-connections/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the connection. */
      id: string
    }
    answer: Success
  }
  /** Begin to connect an account of a network. Returns the address of a page of ours that names the store and the caller, and leads to the network’s consent page. Send the browser of the account’s owner there: the network asks them, and sends the browser back to `GET /v1/social/callback/{type}`, which connects every account that the consent names and goes on to `return_url`. Only the browser that went on from the page is taken there. The address works once, for ten minutes. An account that was connected before keeps its `id`. 409 `network_not_configured` if the installation has no app at the network. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/social-connections/oauth/connect": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: ConnectSocialAccountBody
    answer: SocialAuthorization
  }
  /** Show who asks for a consent. The page that `authorization_url` names, for browsers: it says which store will get the account and who asks, and links to the consent page of the network. It sets a cookie, without which the callback takes no answer of that consent page: the browser that goes on from here has to come back. 400 `bad_state`, as a page where `Accept` names HTML, if the state is unknown, was used, has expired, or belongs to another network. Access: public, without a credential. */
  "GET /v1/social/consent/{type}": {
    path: {
      /** Type of the connection, such as `network_a_page`. */
      type: string
    }
    query: {
      /** The state of the address. */
      state: string
    }
    answer: unknown
  }
  /** Receive the answer of a consent page. For the browsers that networks send back; register it as the redirect address of your app at each network. Exchanges the code, connects every account that the consent names, and redirects to the `return_url` of the request with `social_connection_id` or `error` in its query; without a `return_url` it returns the connections, as a page where `Accept` names HTML. 400 `bad_state`, without a redirect, if the state is unknown, was used, has expired, or belongs to another network, or if another browser brings it than the one that went on from `authorization_url`. Access: public, without a credential. */
  "GET /v1/social/callback/{type}": {
    path: {
      /** Type of the connection, such as `network_a_page`. */
      type: string
    }
    query: {
      /** The state of the consent page’s address. */
      state?: string | null | undefined
      /** The authorization code. */
      code?: string | null | undefined
      /** Set instead of `code` if the owner of the account did not consent. */
      error?: string | null | undefined
    }
    answer: SocialConnected
  }
  /** List the publications. Returns one page, newest first, unless another order is requested. Sorted by `scheduled_at` or `published_at`, it lists the publications that have that time. `query` finds words of captions and titles. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/social-publications": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "scheduled_at" | "published_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only publications on this connection. */
      social_connection_id?: string | null | undefined
      /** Only publications of this type. */
      type?: "network_a_page" | "network_b_business" | "network_c_channel" | "network_d_account" | "network_e_account" | null | undefined
      /** Only publications with these statuses: repeated, or separated by commas. */
      status?: "draft" | "scheduled" | "publishing" | "published" | "failed" | "unknown" | "cancelled" | ReadonlyArray<"draft" | "scheduled" | "publishing" | "published" | "failed" | "unknown" | "cancelled"> | null | undefined
      /** Only publications that an operator has (`true`) or does not have (`false`) to act on: `unknown` ones, and those whose resolution the network contradicts. */
      needs_attention?: boolean | null | undefined
      /** Only publications scheduled at this time or later, in Unix seconds. */
      scheduled_at_from?: number | null | undefined
      /** Only publications scheduled at this time or earlier, in Unix seconds. */
      scheduled_at_to?: number | null | undefined
      /** Only publications that became visible at this time or later, in Unix seconds. */
      published_at_from?: number | null | undefined
      /** Only publications that became visible at this time or earlier, in Unix seconds. */
      published_at_to?: number | null | undefined
    }
    answer: SocialPublicationList
  }
  /** Create a publication. The publication is a draft, complete or not: `issues` lists what has to be changed before it can be scheduled. 422 `connection_unknown` if the store has no such connection. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/social-publications": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateSocialPublicationBody
    answer: SocialPublicationAnswer
  }
  /** Read a publication. 404 `not_found` if there is no such publication. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/social-publications/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      id: string
    }
    answer: SocialPublicationDetails
  }
  /** Change the content of a publication. Replaces the content as a whole. A scheduled publication keeps its time, and its content must have no issue that is an error: 422 with their pointers. 409 `publication_locked` once it is being published, and for one that was published or is unknown. 422 `cannot_change` for another connection. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/social-publications/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      id: string
    }
    body: UpdateSocialPublicationBody
    answer: SocialPublicationAnswer
  }
  /** Delete a publication. Nothing is deleted at the network. Cancel a scheduled publication first if its files may have been uploaded: what was uploaded and not shown is deleted then. 409 `publication_locked` once it is being published, and for one that was published or is unknown. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/social-publications/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      id: string
    }
    answer: Success
  }
  /** Schedule a publication. It becomes visible at `scheduled_at`, to the second, and never earlier; a time up to 300 seconds ago is now. Scheduling it again sets another time. Its files cannot be deleted meanwhile. What cannot be published within the time that the installation allows (an hour, unless set otherwise) fails as `too_late`. 422 with its issues, at pointers into the publication (`/content/…`); 422 `in_the_past`, and `too_far` beyond 366 days; 409 `connection_not_active`; 409 `publication_locked` once it is being published. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/social-publications/{id}/schedule": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      id: string
    }
    body: ScheduleSocialPublicationBody
    answer: SocialPublicationAnswer
  }
  /** Cancel a publication. Either it is cancelled and never becomes visible, or 409 `already_sent`: the call that shows it was made. What was uploaded for it and not shown is deleted at the network. One that is cancelled is returned as it is; 409 `publication_not_scheduled` for a draft and one that has failed. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/social-publications/{id}/cancel": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      id: string
    }
    answer: SocialPublicationAnswer
  }
  /** Look for an unknown publication at the network. Reads the network once more, and sends nothing. If the post is found, the publication is `published`; otherwise it stays `unknown`, as its absence proves nothing. 409 `publication_not_unknown` for any other publication that is not published. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/social-publications/{id}/check": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      id: string
    }
    answer: SocialPublicationAnswer
  }
  /** Resolve a publication whose outcome is unknown. Records what an operator found at the network. Nothing is sent. A resolution can be corrected by another one, which keeps it as `before`. 409 `contradicts_evidence` if what the provider reported says otherwise; the problem has the evidence, and `force` records the outcome all the same. A record that later evidence contradicts needs attention again. One that failed can be scheduled again, and cannot be corrected after that. 409 `publication_not_unknown` for a publication that is neither `unknown` nor was resolved. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/social-publications/{id}/resolve": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      id: string
    }
    body: ResolveSocialPublicationBody
    answer: SocialPublicationAnswer
  }
  /** Validate the content of a publication. Stores nothing. Reports what scheduling would refuse, at the same pointers, as issues with the severity `error`, and what an operator should know as `warning`: `duplicate_content` (another publication on this connection, of the last 24 hours or the next, says the same), `network_quota` (the network accepts no more on a day), `connection_not_active`, `caption_not_shown`. 422 `connection_unknown` and `publication_unknown` if the store has no such connection or publication. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/social-publications/validate": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: ValidateSocialPublicationBody
    answer: SocialValidation
  }
  /** Sync comments and figures from the networks. Reads the top-level comments, newest first, and the figures of publications. Returns the finished sync, or, if the networks have not answered in time, the sync as far as it is: `GET …/engagement/syncs/{id}` returns its progress. The bounds are kept for each publication; `more` says that the network has more. Network d bills reads: without `publication_ids`, its publications are skipped. 429 `too_many_requests` after ten syncs of a store in a minute. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/social-publications/engagement/sync": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body?: SyncSocialEngagementBody
    answer: SocialSync
  }
  /** Read a sync. Returns its progress by publication. 404 `not_found` if there is no such sync: it is deleted after 30 days. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/social-publications/engagement/syncs/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the sync. */
      id: string
    }
    answer: SocialSync
  }
  /** Read the figures of a publication. Returns what the network reported at the last sync. The network is not asked. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/social-publications/{publicationId}/metrics": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      publicationId: string
    }
    answer: SocialMetrics
  }
  /** Classify comments with a model. Asks the store's AI integration, the oldest one if there are several, for a label, a tone and whether a reply is expected, of the newest comments by others that have no label yet. The model is asked once for a text, however many comments have it. Returns when the model has answered, or what is there after the time that a request may take: repeat the request while `left` is more than 0. Comments whose outcome is unknown are asked about again only with `force`. 409 `model_not_configured` without an AI integration. 429 `token_limit` if the tokens of the day are used up. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/social-publications/comments/classify": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: ClassifySocialCommentsBody
    answer: SocialClassification
  }
  /** List the comments of a publication. Returns one page of the comments at the top level, newest first, as `POST …/engagement/sync` stored them last. The network is not asked. Comments that the network does not have any more are left out. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/social-publications/{publicationId}/comments": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      publicationId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Only comments with this label. */
      label?: "question" | "complaint" | "praise" | "purchase" | "spam" | "other" | null | undefined
      /** Only comments whose author expects a reply (`true`) or does not (`false`), as a model said. */
      needs_reply?: boolean | null | undefined
      /** Only comments that the account has answered (`true`) or has not (`false`), as far as their threads were read. */
      answered?: boolean | null | undefined
    }
    answer: SocialCommentList
  }
  /** Open the thread of a comment. Returns the comment that the thread begins with and a page of the replies below it, oldest first. A thread that was read more than a minute ago is read at the network first. If the network does not answer in time, or cannot be asked now, what is stored is returned, with `stale: true` and the reason in `error`. A page with a `cursor` is not read again. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/social-publications/{publicationId}/comments/{commentId}/thread": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      publicationId: string
      /** Identifier of the comment. */
      commentId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
    }
    answer: SocialThread
  }
  /** Reply to a comment. Sends one reply to the network and returns it, with its outcome if the network answers in time. Sending the same `reply_id` and text again returns the same reply (200) and sends nothing twice; another text or comment is 409 `idempotency_conflict`. A reply whose outcome cannot be proved is `unknown` and is never sent again: it becomes `succeeded` when its thread shows it. 409 `comment_gone` if the network does not have the comment any more, `publication_not_published`, `connection_needs_reconnect` if the account has to be connected again. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/social-publications/{publicationId}/comments/{commentId}/replies": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      publicationId: string
      /** Identifier of the comment. */
      commentId: string
    }
    body: ReplyToSocialCommentBody
    answer: SocialReply
  }
  /** Read a reply by its `reply_id`. 404 `not_found` if there is no such reply. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/social-publications/{publicationId}/comments/{commentId}/replies/{replyId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      publicationId: string
      /** Identifier of the comment. */
      commentId: string
      /** Identifier of the reply. */
      replyId: string
    }
    answer: SocialReply
  }
  /** Resolve a reply whose outcome is unknown. Records the outcome that an operator found at the network. Nothing is sent. A resolution can be corrected by another one, which keeps it as `before`. 409 `contradicts_evidence` if what the provider reported says otherwise; the problem has the evidence, and `force` records the outcome all the same. A record that later evidence contradicts needs attention again. 409 `reply_not_unknown` for a reply that is neither `unknown` nor was resolved, `comment_taken` if another reply has the comment. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/social-publications/{publicationId}/comments/{commentId}/replies/{replyId}/resolve": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the publication. */
      publicationId: string
      /** Identifier of the comment. */
      commentId: string
      /** Identifier of the reply. */
      replyId: string
    }
    body: ResolveSocialReplyBody
    answer: SocialReply
  }
  /** List the replies of a store. Returns one page, newest first, unless another order is requested. With `status=unknown`, the replies whose outcome an operator may have to find out. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/social-replies": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only replies with these statuses: repeated, or separated by commas. */
      status?: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown" | ReadonlyArray<"requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"> | null | undefined
      /** Only replies that an operator has (`true`) or does not have (`false`) to act on. */
      needs_attention?: boolean | null | undefined
      /** Only replies below this publication. */
      publication_id?: string | null | undefined
    }
    answer: SocialReplyList
  }
  /** List the workflows. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/workflows": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only records in this status. */
      status?: "active" | "draft" | "archived" | null | undefined
      /** Words that the key contains, in any case. */
      query?: string | null | undefined
    }
    answer: WorkflowList
  }
  /** Create a workflow. An `active` workflow must have a valid graph, whose conditions, items and code can be parsed: otherwise 422 `workflow_graph_invalid`, where each error names a node or an edge. A `draft` may be incomplete. 409 `key_taken` if another workflow has the key. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/workflows": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateWorkflowBody
    answer: Workflow
  }
  /** Read a workflow. 404 `not_found` if there is no such workflow. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/workflows/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the workflow. */
      id: string
    }
    answer: Workflow
  }
  /** Update a workflow. Fields that are left out are kept. `nodes` and `edges` are replaced as a whole; `schedule: null` removes the schedule. A workflow that is or becomes `active` must have a valid graph: otherwise 422 `workflow_graph_invalid`. 409 `key_taken` if another workflow has the key. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/workflows/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the workflow. */
      id: string
    }
    body?: UpdateWorkflowBody
    answer: Workflow
  }
  /** Delete a workflow with its executions. 409 `executions_running` while executions of it are running; `executions` is their number. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/workflows/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the workflow. */
      id: string
    }
    answer: Success
  }
  /** Rotate the secret of a workflow's address. Returns the workflow with a new `webhook_url`. The previous address is answered with 404 from then on. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/workflows/{id}/rotate-secret": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the workflow. */
      id: string
    }
    answer: Workflow
  }
  /** List the executions of a workflow. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/workflows/{workflowId}/executions": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the workflow. */
      workflowId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only records in this status. */
      status?: "pending" | "running" | "completed" | "failed" | "cancelled" | null | undefined
      /** Only executions that were started this way. */
      source?: "webhook" | "schedule" | "event" | null | undefined
    }
    answer: ExecutionItemList
  }
  /** Read an execution with the results of its nodes. An output of more than 64 KiB is null here: `output_bytes` is its size, and `run_id` the node run that returns it. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/workflows/{workflowId}/executions/{executionId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the workflow. */
      workflowId: string
      /** Identifier of the execution. */
      executionId: string
    }
    answer: Execution
  }
  /** Cancel an execution. Nodes that have not started are cancelled; nodes that have started finish. Cancelling again changes nothing. 409 `execution_over` if the execution has completed or failed. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/workflows/{workflowId}/executions/{executionId}/cancel": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the workflow. */
      workflowId: string
      /** Identifier of the execution. */
      executionId: string
    }
    answer: Execution
  }
  /** List the node runs of an execution. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/workflows/{workflowId}/executions/{executionId}/runs": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the workflow. */
      workflowId: string
      /** Identifier of the execution. */
      executionId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only runs of the node with this id. */
      node?: string | null | undefined
      /** Only records in this status. */
      status?: "pending" | "running" | "completed" | "failed" | "skipped" | "cancelled" | "unknown" | null | undefined
    }
    answer: NodeRunItemList
  }
  /** Read a node run with its whole output. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/workflows/{workflowId}/executions/{executionId}/runs/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the workflow. */
      workflowId: string
      /** Identifier of the execution. */
      executionId: string
      /** Identifier of the run. */
      id: string
    }
    answer: NodeRun
  }
  /** Resolve a node run whose outcome is unknown. Records the outcome that an operator found at the receiver. Nothing is sent, and the execution, which has `failed`, does not go on: start another one for the rest. Another outcome replaces the first, which is kept as `before`. 409 `run_not_unknown` for any other run, `contradicts_evidence` if an answer that came later says otherwise: the problem has it, and `force` records the outcome all the same. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/workflows/{workflowId}/executions/{executionId}/runs/{id}/resolve": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the workflow. */
      workflowId: string
      /** Identifier of the execution. */
      executionId: string
      /** Identifier of the run. */
      id: string
    }
    body: ResolveNodeRunBody
    answer: NodeRun
  }
  /** Start an execution of a workflow. The body, any JSON object of at most 256 KiB, is the input of the execution; a number with more digits than JavaScript keeps is a string of its digits there. Each call starts one. 404 if the workflow is not active, or if the secret was rotated. 429 `too_many_requests` beyond the rate limit of the address, 50 calls per second by default. Query parameters are ignored. Access: the secret in the path. */
  "POST /v1/workflows/trigger/{secret}": {
    path: {
      /** Secret of the address, as `webhook_url` of the workflow or `inbound_url` of the mailbox shows it. */
      secret: string
    }
    body: Record<string, unknown>
    answer: Execution
  }
  /** List the connections to drives. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/workflow-connections": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default, with `ids` all of them. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only records of this type. */
      type?: "s3" | "webdav" | null | undefined
    }
    answer: WorkflowConnectionList
  }
  /** Create a connection to a drive. The drive is not contacted: wrong credentials show at the first upload. 409 `key_taken` if another connection has the key. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/workflow-connections": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateWorkflowConnectionBody
    answer: WorkflowConnection
  }
  /** Read a connection to a drive. 404 `not_found` if there is no such connection. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/workflow-connections/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the connection. */
      id: string
    }
    answer: WorkflowConnection
  }
  /** Update a connection to a drive. Fields that are left out are kept. `settings` and `credentials` are replaced as a whole. Another `type`, `endpoint` or `url` requires `credentials` (422 `required`): stored credentials are sent only to the drive that they were entered for. 409 `key_taken` if another connection has the key. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/workflow-connections/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the connection. */
      id: string
    }
    body?: UpdateWorkflowConnectionBody
    answer: WorkflowConnection
  }
  /** Delete a connection to a drive. Nodes that still refer to it fail with `connection_missing`. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/workflow-connections/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the connection. */
      id: string
    }
    answer: Success
  }
  /** List the integrations. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `owner` or `super`. */
  "GET /v1/stores/{storeId}/integrations": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default, with `ids` all of them. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only integrations of this category. */
      category?: "payment" | "shipping" | "analytics" | "oauth" | "ai" | "email" | "messaging" | "channel" | "deploy" | "other" | null | undefined
      /** Only records of this type. */
      type?: string | null | undefined
    }
    answer: IntegrationList
  }
  /** Create an integration. The provider is not contacted, except for a `chat_bot`: its token is checked afterwards, and its webhook is set as soon as an agent serves it. An active `card_payment` charges cards in its own account: its `webhook_secret` signs the events that the provider sends to `POST /v1/webhooks/stripe/{integrationId}`. Of payment, shipping and analytics providers one is active: if the flag of this one is true, it takes the place of the active one. 409 `key_taken` if another integration has the key. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/integrations": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateIntegrationBody
    answer: Integration
  }
  /** Read an integration. 404 `not_found` if there is no such integration. Access: members of the store with the role `owner` or `super`. */
  "GET /v1/stores/{storeId}/integrations/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the integration. */
      id: string
    }
    answer: Integration
  }
  /** Update an integration. Fields of `provider` that are left out are kept, secrets too; null removes one that is not required. Another `base_url` requires the secret: stored secrets are sent only to the address that they were entered for. A `chat_bot` is connected again. 422 `cannot_change` for another `type`, and for a bot of another service (another `base_url` and another number in `bot_token`) once there are chats. 409 `integration_in_use` for another `secret_key` of a `card_payment` while anything is paid, reserved or refundable in its account, unless `same_account` is true. Events that the former `webhook_secret` signed are accepted for three days, unless it was removed by null first. 409 `key_taken` if another integration has the key. Access: members of the store with the role `owner` or `super`. */
  "PUT /v1/stores/{storeId}/integrations/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the integration. */
      id: string
    }
    body?: UpdateIntegrationBody
    answer: Integration
  }
  /** Delete an integration. Tokens of an `oauth_connection` are revoked at the provider afterwards, and the webhook of a `chat_bot` is taken away. 409 `integration_in_use` while a payment form is open, a payment is authorized or a refund is not settled in its account, or an agent uses its model or serves its channel. Access: members of the store with the role `owner` or `super`. */
  "DELETE /v1/stores/{storeId}/integrations/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the integration. */
      id: string
    }
    answer: Success
  }
  /** Connect an account by OAuth. Exchanges the code for tokens with the client of the newest integration of type `identity_oauth`, once, and stores them in an integration of type `oauth_connection`. The same code again returns the same outcome. 422 `oauth_rejected` if the authorization server refuses the code. 409 `oauth_unknown` if it cannot be proved whether the code was exchanged: sign in there again for another code. 503 `provider_retryable`: repeat the request. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/oauth/connect": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: ConnectStoreOauthBody
    answer: Integration
  }
  /** Disconnect an account that was connected by OAuth. Deletes the integration with the tokens at once; they are revoked at the provider afterwards. 404 `not_found` if no account of the provider is connected. Access: members of the store with the role `owner` or `super`. */
  "POST /v1/stores/{storeId}/oauth/disconnect": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: DisconnectStoreOauthBody
    answer: Success
  }
  /** List the build hooks. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/build-hooks": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default, with `ids` all of them. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only records of this type. */
      type?: "host_a" | "host_b" | "host_c" | "custom" | null | undefined
      /** Only records that are (`true`) or are not (`false`) active. */
      active?: boolean | null | undefined
    }
    answer: BuildHookList
  }
  /** Create a build hook. A `deploy_webhook` node sends one POST without a body to it. Whether the address is public is checked at that time. 409 `key_taken` if another build hook has the key. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/build-hooks": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateBuildHookBody
    answer: BuildHook
  }
  /** Read a build hook. 404 `not_found` if there is no such build hook. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/build-hooks/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the build hook. */
      id: string
    }
    answer: BuildHook
  }
  /** Update a build hook. Fields that are left out are kept. `headers` replaces the whole map; if headers are stored, it is required with a `url` of another origin (422 `required`). A call that was claimed before is sent with the previous values. 409 `key_taken` if another build hook has the key. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/build-hooks/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the build hook. */
      id: string
    }
    body?: UpdateBuildHookBody
    answer: BuildHook
  }
  /** Delete a build hook. Nodes that still refer to it fail with `build_hook_missing`. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/build-hooks/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the build hook. */
      id: string
    }
    answer: Success
  }
  /** List the mailboxes. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/mailboxes": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default, with `ids` all of them. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only records in this status. */
      status?: "active" | "archived" | null | undefined
    }
    answer: MailboxList
  }
  /** Create a mailbox. The servers are not contacted: a wrong address or password shows at the first e-mail. 422 `password_unencrypted` for a password without encryption. 409 `key_taken` if another mailbox has the key. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/mailboxes": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateMailboxBody
    answer: Mailbox
  }
  /** Read a mailbox. 404 `not_found` if there is no such mailbox. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/mailboxes/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the mailbox. */
      id: string
    }
    answer: Mailbox
  }
  /** Update a mailbox. Fields that are left out are kept. `smtp`, `imap` and `limits` are replaced as a whole, except for a password that is left out: it is kept while host and username stay the same, otherwise 422 `required`. 409 `key_taken` if another mailbox has the key. 409 `mailbox_in_use` for archiving a mailbox that scheduled or running campaigns send over; `campaigns` are their ids. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/mailboxes/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the mailbox. */
      id: string
    }
    body?: UpdateMailboxBody
    answer: Mailbox
  }
  /** Delete a mailbox. Its passwords are deleted too. Nodes that still refer to it fail with `mailbox_missing`. 409 `mailbox_in_use` while a scheduled, running or paused campaign sends over it; `campaigns` are their ids. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/mailboxes/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the mailbox. */
      id: string
    }
    answer: Success
  }
  /** Rotate the secret of the address for received mail. Returns the mailbox with a new `inbound_url`. The previous address is answered with 404 from then on. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/mailboxes/{id}/rotate-secret": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the mailbox. */
      id: string
    }
    answer: Mailbox
  }
  /** Receive a mail of a mailbox. The body is the mail as it came, `message/rfc822` of at most 10 MiB. A reply, an automatic reply, a bounce or a complaint that names a message which a campaign of the store sent, over this mailbox or another, is stored and applied once, however often it is posted; other mail is not stored. The answer is the same for every mail. 404 if no mailbox has the secret, or if it was rotated. 429 `too_many_requests` beyond 50 calls per second, or while mail of the store waits to be read: post it again. Access: the secret in the path. */
  "POST /v1/mail/{secret}": {
    path: {
      /** Secret of the address, as `webhook_url` of the workflow or `inbound_url` of the mailbox shows it. */
      secret: string
    }
    answer: InboundMailReceived
  }
  /** List the e-mail templates. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/email-templates": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default, with `ids` all of them. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only records of this type. */
      type?: "transactional" | "campaign" | "subscription_confirmation" | null | undefined
      /** Only records in this status. */
      status?: "active" | "draft" | "archived" | null | undefined
    }
    answer: EmailTemplateList
  }
  /** Create an e-mail template. 422 `template_invalid` lists each error of its Liquid and MJML with part and line. 409 `key_taken` if another template has the key. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/email-templates": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateEmailTemplateBody
    answer: EmailTemplate
  }
  /** Read an e-mail template. 404 `not_found` if there is no such e-mail template. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/email-templates/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the e-mail template. */
      id: string
    }
    answer: EmailTemplate
  }
  /** Update an e-mail template. Fields that are left out are kept. 422 `template_invalid` lists each error of its Liquid and MJML. 422 `template_failed` if an active audience sends it as its confirmation and it cannot be rendered with the variables of one, or does not contain the link. 409 `key_taken` if another template has the key. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/email-templates/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the e-mail template. */
      id: string
    }
    body?: UpdateEmailTemplateBody
    answer: EmailTemplate
  }
  /** Delete an e-mail template. Nodes that still refer to it fail with `template_missing`, and drafts of campaigns cannot be launched. Launched campaigns keep what they froze. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/email-templates/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the e-mail template. */
      id: string
    }
    answer: Success
  }
  /** Preview an e-mail template. Renders the stored template with these variables. Nothing is sent. 422 `template_failed` if a variable is missing. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/email-templates/{id}/preview": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the e-mail template. */
      id: string
    }
    body?: PreviewEmailTemplateBody
    answer: EmailPreview
  }
  /** Preview an e-mail template before it is saved. Renders the template of the body with these variables. Nothing is stored or sent. 422 `template_failed` for an error of the template or a missing variable. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/email-templates/preview": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: PreviewEmailTemplateDraftBody
    answer: EmailPreview
  }
  /** List the webhooks. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/webhooks": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: WebhookList
  }
  /** Create a webhook. Without `secret`, the server generates one and returns it in this answer only. Whether the address is public and reachable is checked when an event is delivered. 409 `key_taken` if another webhook of the store has the key, `webhooks_too_many` if the store has 100 webhooks. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/webhooks": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: CreateWebhookBody
    answer: WebhookMade
  }
  /** Read a webhook. 404 `not_found` if there is no such webhook. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/webhooks/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the webhook. */
      id: string
    }
    answer: Webhook
  }
  /** Update a webhook. Fields that are left out are kept. `headers` replaces all headers; if headers are stored, it is required with a `url` of another origin (422 `required`). A `secret` that is replaced signs deliveries for another 24 hours. A webhook that is enabled again continues with its pending deliveries. 409 `key_taken` if another webhook has the key. Access: members of the store with the role `admin` or higher. */
  "PUT /v1/stores/{storeId}/webhooks/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the webhook. */
      id: string
    }
    body?: UpdateWebhookBody
    answer: Webhook
  }
  /** Delete a webhook with its deliveries. 404 `not_found` if there is no such webhook. Access: members of the store with the role `admin` or higher. */
  "DELETE /v1/stores/{storeId}/webhooks/{id}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the webhook. */
      id: string
    }
    answer: Success
  }
  /** Send a test event to a webhook. Sends one test event and returns its outcome. Sending the same `delivery_id` and `webhook_id` again returns the same test and sends nothing twice; another webhook is 409 `idempotency_conflict`. 429 `too_many_requests` if 10 tests of the store are open. A test stays `requested` while the store uses all task slots that it may use. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/webhooks/test": {
    path: {
      /** Identifier of the store. */
      storeId: string
    }
    body: TestWebhookBody
    answer: WebhookTest
  }
  /** List the deliveries of a webhook. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/webhooks/{id}/deliveries": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the webhook. */
      id: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
      /** Only records in this status. */
      status?: "pending" | "succeeded" | "failed" | null | undefined
      /** Only records of this type. */
      type?: "collection.created" | "collection.updated" | "collection.deleted" | "entry.created" | "entry.updated" | "entry.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.member_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated" | "booking.created" | "booking.updated" | null | undefined
      /** Only deliveries of this event. */
      event_id?: string | null | undefined
    }
    answer: DeliveryList
  }
  /** Read a delivery with its event. Access: members of the store with the role `admin` or higher. */
  "GET /v1/stores/{storeId}/webhooks/{id}/deliveries/{deliveryId}": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the webhook. */
      id: string
      /** Identifier of the delivery. */
      deliveryId: string
    }
    answer: DeliveryWithEvent
  }
  /** Redeliver an event. Creates a new delivery of the same event, which is due now and has the same `webhook-id`. The earlier delivery is kept. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the webhook. */
      id: string
      /** Identifier of the delivery. */
      deliveryId: string
    }
    answer: Delivery
  }
  /** Redeliver the events of a webhook since a time. Makes all deliveries in `status` due again, `failed` ones by default, and returns their number. A failed delivery is left out if another delivery of its event has not failed. Access: members of the store with the role `admin` or higher. */
  "POST /v1/stores/{storeId}/webhooks/{id}/redeliver": {
    path: {
      /** Identifier of the store. */
      storeId: string
      /** Identifier of the webhook. */
      id: string
    }
    body: RedeliverWebhookEventsBody
    answer: RedeliverWebhookEventsResult
  }
  /** List the plans that a business can choose. Access: any operator. */
  "GET /v1/businesses/plans": {
    answer: ListBusinessPlansResult
  }
  /** Open the payment provider's page for a plan. The same plan and addresses again return the same page, and another choice closes it first: a business never has two open pages, nor two subscriptions. 409 `subscription_active` while a plan is paid. 422 `plan_unavailable` for the free plan. 409 `checkout_unknown` if it cannot be proved whether a page was opened, `total_changed` if the price is not `expectedTotal`. 503 `provider_retryable`: repeat the request. Access: members of the business with the role `Owner` or `Super`. */
  "POST /v1/businesses/{businessId}/subscribe": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: SubscribeBusinessBody
    answer: BusinessSubscriptionPage
  }
  /** Request a link to the portal with the business's invoices and payment methods. 409 `no_billing_customer` if the business has never paid for a plan. 503 `provider_retryable`: repeat the request. Access: members of the business with the role `Owner` or `Super`. */
  "POST /v1/businesses/{businessId}/subscription/portal": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: OpenBusinessPortalBody
    answer: BusinessPortalPage
  }
  /** Refund an order or a booking. Sends one refund to the provider and returns it, with its outcome if the provider answers in time. The same amount of the same order again returns the same refund (200) while it is in progress or `unknown`, and for 10 minutes; another one that is meant needs another `Idempotency-Key`. 422 `amount_exceeds_refundable` if less is left to refund. A refund whose outcome cannot be proved is `unknown` and is never sent again. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/refund": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: RefundBusinessOrderBody
    answer: BusinessRefund
  }
  /** Send a test event to an address. Sends a sample of the first event, with empty fields, to an address that need not be one of a webhook, and returns its outcome. With a `secret` it is signed as deliveries are. 429 `too_many_requests` if 10 tests of the business are open. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/webhooks/test": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: TestBusinessWebhookBody
    answer: BusinessWebhookTest
  }
  /** List your businesses. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: any operator. */
  "GET /v1/businesses": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Beginning of a word of the business's key, in any case. */
      query?: string | null | undefined
      /** Only businesses that are (`true`) or are not (`false`) networks. */
      isNetwork?: boolean | null | undefined
      /** Only records in this status. */
      status?: "DRAFT" | "ACTIVE" | "ARCHIVED" | null | undefined
    }
    answer: BusinessList
  }
  /** Create a business. The caller becomes its `Super`. The business has the markets `us`, `eu` and `booking`, the location `default`, the forms `contact`, `service-intake` and `order-notes`, and a publishable key. 409 `key_taken` if another store or business has the key. 429 `too_many_requests` beyond the number of stores and businesses that an account creates in a day. Access: any operator. */
  "POST /v1/businesses": {
    body: CreateBusinessBody
    answer: Business
  }
  /** Read a business. 404 `not_found` if there is no such business. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    answer: Business
  }
  /** Update a business. Fields that are left out are kept; `settings` and `emails` are replaced as a whole. Archiving and restoring a business requires the role `Owner`: 403 `forbidden`. 409 `bookings_ahead` for another `timezone` while there are bookings in the future. 409 `key_taken` if another store or business has the key. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body?: UpdateBusinessBody
    answer: Business
  }
  /** Delete a business with all its data. Irreversible. Members, tokens, invitations, the publishable key and all addresses with a secret are refused from then on, webhooks and workflows are switched off. Open payment pages are closed and subscriptions are cancelled; then all records and files are deleted, and the key can be used again. What the payment provider has is kept there. Returns when this is done, or before if it takes longer: it continues. What a buyer pays meanwhile is refunded. 409 `refund_unknown` or `capture_unknown` while the outcome of a refund or a capture is unknown, `payment_must_be_refunded` while the refund of a payment that came for a cancelled order, or for a second subscription, was refused; resolve it first. What becomes open after that is awaited: `GET /v1/erasures` shows what it waits for. Captured payments are not refunded by the deletion: the deletion lists those of orders that were cancelled, not shipped, or booked ahead (`undelivered`), with their ids at the provider. Access: members of the business with the role `Super`. */
  "DELETE /v1/businesses/{businessId}": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    answer: BusinessSuccess
  }
  /** Invite to the team of a business, or answer an invitation. With `email`, the caller invites an address and must be an `Owner`; only a `Super` invites a `Super`: 403 `forbidden`. The token is in the e-mail only. Returns 201, or 200 if the address has a pending invitation, which gets the new role and, after a minute, another e-mail with another token. 429 `too_many_requests` beyond 100 e-mails of a business or of an account a day, and the limits of e-mails to one address and of one network. With `token` and `action`, the account of the invited address accepts or declines: 403 `forbidden` for another account, 404 for an unknown token, 409 `invitation_over` if the invitation was used or has expired, 409 `invitation_void` if the member who invited may not grant the role any more. A member who has a higher role keeps it. Access: any operator. */
  "POST /v1/businesses/{businessId}/invitation": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: InviteToBusinessBody
    answer: BusinessInvitation
  }
  /** List the services of a business. Returns one page, sorted by creation time, newest first, unless another order is requested. With `from` and `to`, a page may have fewer records than `limit`, or none: only a `cursor` of null is the end. Visitors get active and public records. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "GET /v1/businesses/{businessId}/services": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** JSON list of `{taxonomyId, entryIds}`, 20 at most: records filed under one of the entries. Without `entryIds`: under the taxonomy. */
      taxonomyQuery?: string | null | undefined
      /** True: records must match every item of `taxonomyQuery` and of `blocks`; otherwise one of each is enough. */
      matchAll?: boolean | null | undefined
      /** Only services of this provider. */
      providerId?: string | null | undefined
      /** Only records in one of these statuses: repeated, or separated by commas. */
      statuses?: "ACTIVE" | "DRAFT" | "ARCHIVED" | ReadonlyArray<"ACTIVE" | "DRAFT" | "ARCHIVED"> | null | undefined
      /** Only records of this entry ("node"). */
      nodeId?: string | null | undefined
      /** JSON list of `{key, value}`, 20 at most: records with one such block, with `matchAll` with all of them. */
      blocks?: string | null | undefined
      /** Lowest price of a slot in the market `booking`, in minor units; inclusive. */
      priceFrom?: number | null | undefined
      /** Highest price of a slot in the market `booking`, in minor units; inclusive. */
      priceTo?: number | null | undefined
      /** Only records with a free slot that starts from this time on, in Unix seconds. Needs `to`. Pages may have fewer records. */
      from?: number | null | undefined
      /** Only records with a free slot that starts until this time, in Unix seconds, at most 31 days after `from`. */
      to?: number | null | undefined
    }
    answer: BusinessServiceList
  }
  /** Create a service of a business. 409 `key_taken` or `slug_taken` if another record has the key or a slug. 422 `market_unknown` or `currency_mismatch` for a price that does not fit. The service is `ACTIVE` and `public` by default. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/services": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessServiceBody
    answer: BusinessService
  }
  /** Read a service of a business by id or by slug. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "GET /v1/businesses/{businessId}/services/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the service, or its slug in any language. */
      id: string
    }
    query: {
      /** Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the business are tried first. */
      locale?: LocaleTag | null | undefined
    }
    answer: BusinessService
  }
  /** Update a service of a business. Fields that are left out are kept; lists replace the stored ones. Existing bookings are kept. 409 `key_taken` or `slug_taken` if another record has the key or a slug. 422 `market_unknown` or `currency_mismatch` for a price that does not fit. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/services/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the service. */
      id: string
    }
    body?: UpdateBusinessServiceBody
    answer: BusinessService
  }
  /** Delete a service of a business with its links. 409 `bookings_ahead` while there are bookings in the future: archive the service instead. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/services/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the service. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** List the providers of a business. Returns one page, sorted by creation time, newest first, unless another order is requested. With `from` and `to`, a page may have fewer records than `limit`, or none: only a `cursor` of null is the end. Visitors get active and public records. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "GET /v1/businesses/{businessId}/providers": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** JSON list of `{taxonomyId, entryIds}`, 20 at most: records filed under one of the entries. Without `entryIds`: under the taxonomy. */
      taxonomyQuery?: string | null | undefined
      /** True: records must match every item of `taxonomyQuery` and of `blocks`; otherwise one of each is enough. */
      matchAll?: boolean | null | undefined
      /** Only providers of this service. */
      serviceId?: string | null | undefined
      /** Only records in one of these statuses: repeated, or separated by commas. */
      statuses?: "ACTIVE" | "DRAFT" | "ARCHIVED" | ReadonlyArray<"ACTIVE" | "DRAFT" | "ARCHIVED"> | null | undefined
      /** Only records of this entry ("node"). */
      nodeId?: string | null | undefined
      /** JSON list of `{key, value}`, 20 at most: records with one such block, with `matchAll` with all of them. */
      blocks?: string | null | undefined
      /** Lowest price of a slot in the market `booking`, in minor units; inclusive. */
      priceFrom?: number | null | undefined
      /** Highest price of a slot in the market `booking`, in minor units; inclusive. */
      priceTo?: number | null | undefined
      /** Only records with a free slot that starts from this time on, in Unix seconds. Needs `to`. Pages may have fewer records. */
      from?: number | null | undefined
      /** Only records with a free slot that starts until this time, in Unix seconds, at most 31 days after `from`. */
      to?: number | null | undefined
    }
    answer: BusinessProviderList
  }
  /** Create a provider of a business. 409 `key_taken` or `slug_taken` if another record has the key or a slug. The provider is `ACTIVE` and `public` by default. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/providers": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessProviderBody
    answer: BusinessProvider
  }
  /** Read a provider of a business by id or by slug. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "GET /v1/businesses/{businessId}/providers/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the provider, or its slug in any language. */
      id: string
    }
    query: {
      /** Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the business are tried first. */
      locale?: LocaleTag | null | undefined
    }
    answer: BusinessProvider
  }
  /** Update a provider of a business. Fields that are left out are kept; lists replace the stored ones. Existing bookings are kept. A limit that is raised also holds for bookings ahead, a lowered one for new bookings alone. 409 `key_taken` or `slug_taken` if another record has the key or a slug. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/providers/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the provider. */
      id: string
    }
    body?: UpdateBusinessProviderBody
    answer: BusinessProvider
  }
  /** Delete a provider of a business with its links. 409 `bookings_ahead` while there are bookings in the future: archive the provider instead. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/providers/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the provider. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** List the links between services and providers of a business. Visitors get the links between active and public records. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "GET /v1/businesses/{businessId}/service-providers": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Only records of this service. */
      serviceId?: string | null | undefined
      /** Only records of this provider. */
      providerId?: string | null | undefined
    }
    answer: BusinessServiceProviderList
  }
  /** Link a provider of a business to a service. 409 `link_exists` if the provider offers the service already. 422 `service_unknown`, `provider_unknown` or `market_unknown` for a record that does not exist, `currency_mismatch` for a price in another currency than its market. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/service-providers": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessServiceProviderBody
    answer: BusinessServiceProvider
  }
  /** Update a link of a business. Fields that are left out are kept; lists replace the stored ones. `serviceId` and `providerId` cannot be changed: 422 `cannot_change`. Existing bookings are kept. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/service-providers/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the link between a service and a provider. */
      id: string
    }
    body?: UpdateBusinessServiceProviderBody
    answer: BusinessServiceProvider
  }
  /** Delete a link of a business. 409 `bookings_ahead` while there are bookings in the future: archive the service or the provider, or remove the hours. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/service-providers/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the link between a service and a provider. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** Read the working time of a provider. The hours of all services of the provider together, or of one of them. Visitors get those of active and public records. 422 `too_many_slots` if the services have too many single dates and hours to put them together: send `serviceId`. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "GET /v1/businesses/{businessId}/providers/{providerId}/working-time": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the provider. */
      providerId: string
    }
    query: {
      /** Only the hours in which the provider offers this service. */
      serviceId?: string | null | undefined
    }
    answer: BusinessWorkingTime
  }
  /** Read the active integration of a category. For storefronts: the public fields of the active provider. `type` is the category: `payment`, `shipping` or `analytics`. 404 `not_found` if no integration of it is active. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "GET /v1/businesses/{businessId}/integrations/config/{type}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Category of the integration: `payment`, `shipping` or `analytics`. */
      type: string
    }
    answer: BusinessActiveIntegration
  }
  /** Quote a booking. Prices the items as a booking would price them now. Nothing is reserved. 422 names the field that prevents pricing. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "POST /v1/businesses/{businessId}/bookings/quote": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: QuoteBusinessBookingBody
    answer: BusinessBookingQuote
  }
  /** Check out a booking. Prices the items, reserves their time and creates the record and its payment in one transaction. Creates a visitor if the request has no visitor token; the new token is in the header `X-Service-Visitor-Token`. An equal request of the same caller returns the same record until it is over; a second equal one requires another `Idempotency-Key`. A card payment is completed in the payment form that `paymentAction` describes. 409 `slot_taken` if a slot is no longer free, `total_changed` if the total is not `expectedTotal`; 409 `payment_form_over` if the request is repeated after its form has closed, while the business keeps the record. After 503 `engine_unavailable` or `provider_retryable`, repeat the request. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional; without one, a visitor is created. */
  "POST /v1/businesses/{businessId}/bookings/checkout": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CheckoutBusinessBookingBody
    answer: CheckoutBusinessBookingResult
  }
  /** Create a booking. Reserves the time without a payment form: in cash, or free. An operator books for a contact, for an address, or for a new contact. An equal request of the same caller returns the same record until it is over; a second equal one requires another `Idempotency-Key`. 409 `slot_taken` if a slot is no longer free, `total_changed` if the total is not `expectedTotal`. 422 `payment_method_required` for a card: send those to the checkout. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional; without one, a visitor is created. */
  "POST /v1/businesses/{businessId}/bookings": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessBookingBody
    answer: BusinessBooking
  }
  /** List the bookings. Returns one page, sorted by creation time, newest first, unless another order is requested. A visitor finds their own records only. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "GET /v1/businesses/{businessId}/bookings": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "number" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Only records in this status. */
      status?: "CREATED" | "PENDING" | "AUTHORIZED" | "CONFIRMED" | "COMPLETED" | "CANCELLED" | "FAILED" | ReadonlyArray<"CREATED" | "PENDING" | "AUTHORIZED" | "CONFIRMED" | "COMPLETED" | "CANCELLED" | "FAILED"> | null | undefined
      /** Identifier of the contact who booked. */
      accountId?: string | null | undefined
      /** Only orders that book one of these services: repeated, or separated by commas. */
      serviceIds?: string | ReadonlyArray<string> | null | undefined
      /** Only orders that book one of these providers: repeated, or separated by commas. */
      providerIds?: string | ReadonlyArray<string> | null | undefined
      /** Only records with a slot that ends after this time, in Unix seconds. */
      from?: number | null | undefined
      /** Only records with a slot that starts before this time, in Unix seconds. */
      to?: number | null | undefined
      /** Number of a record, identifier of it or of its contact, beginning of the contact's address, or a telephone number in any spelling. */
      query?: string | null | undefined
    }
    answer: BusinessBookingList
  }
  /** Read a booking. 404 `not_found` if there is no such booking, or it is not the visitor's own. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "GET /v1/businesses/{businessId}/bookings/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the booking. */
      id: string
    }
    answer: BusinessBooking
  }
  /** Update a booking. Fields that are left out, or sent as they were read, are kept. Any status may follow any other: out of `CANCELLED` and `FAILED` the time is reserved again (409 `slot_taken`) and the use of its promo code is counted again (422 `promo_code_exhausted`); into them an open payment form is closed first, and a captured payment stays until it is refunded. A visitor may only cancel their own record before it begins: 403 `forbidden`. After 503 `engine_unavailable` or `provider_retryable`, repeat the request. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "PUT /v1/businesses/{businessId}/bookings/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the booking. */
      id: string
    }
    body?: UpdateBusinessBookingBody
    answer: BusinessBooking
  }
  /** Quote a reservation. Prices the items as a booking would price them now. Nothing is reserved. 422 names the field that prevents pricing. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "POST /v1/businesses/{businessId}/reservations/quote": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: QuoteBusinessReservationBody
    answer: BusinessBookingQuote
  }
  /** Check out a reservation. Prices the items, reserves their time and creates the record and its payment in one transaction. Creates a visitor if the request has no visitor token; the new token is in the header `X-Service-Visitor-Token`. An equal request of the same caller returns the same record until it is over; a second equal one requires another `Idempotency-Key`. A card payment is completed in the payment form that `paymentAction` describes. 409 `slot_taken` if a slot is no longer free, `total_changed` if the total is not `expectedTotal`; 409 `payment_form_over` if the request is repeated after its form has closed, while the business keeps the record. After 503 `engine_unavailable` or `provider_retryable`, repeat the request. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional; without one, a visitor is created. */
  "POST /v1/businesses/{businessId}/reservations/checkout": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CheckoutBusinessReservationBody
    answer: CheckoutBusinessReservationResult
  }
  /** Create a reservation. Reserves the time without a payment form: in cash, or free. An operator books for a contact, for an address, or for a new contact. An equal request of the same caller returns the same record until it is over; a second equal one requires another `Idempotency-Key`. 409 `slot_taken` if a slot is no longer free, `total_changed` if the total is not `expectedTotal`. 422 `payment_method_required` for a card: send those to the checkout. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional; without one, a visitor is created. */
  "POST /v1/businesses/{businessId}/reservations": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessReservationBody
    answer: BusinessReservation
  }
  /** List the reservations. Returns one page, sorted by creation time, newest first, unless another order is requested. A visitor finds their own records only. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "GET /v1/businesses/{businessId}/reservations": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "number" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Only records in this status. */
      status?: "CREATED" | "PENDING" | "AUTHORIZED" | "CONFIRMED" | "COMPLETED" | "CANCELLED" | "FAILED" | ReadonlyArray<"CREATED" | "PENDING" | "AUTHORIZED" | "CONFIRMED" | "COMPLETED" | "CANCELLED" | "FAILED"> | null | undefined
      /** Identifier of the contact who booked. */
      accountId?: string | null | undefined
      /** Only orders that book one of these services: repeated, or separated by commas. */
      serviceIds?: string | ReadonlyArray<string> | null | undefined
      /** Only orders that book one of these providers: repeated, or separated by commas. */
      providerIds?: string | ReadonlyArray<string> | null | undefined
      /** Only records with a slot that ends after this time, in Unix seconds. */
      from?: number | null | undefined
      /** Only records with a slot that starts before this time, in Unix seconds. */
      to?: number | null | undefined
      /** Number of a record, identifier of it or of its contact, beginning of the contact's address, or a telephone number in any spelling. */
      query?: string | null | undefined
    }
    answer: BusinessReservationList
  }
  /** Read a reservation. 404 `not_found` if there is no such reservation, or it is not the visitor's own. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "GET /v1/businesses/{businessId}/reservations/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the reservation. */
      id: string
    }
    answer: BusinessReservation
  }
  /** Update a reservation. Fields that are left out, or sent as they were read, are kept. Any status may follow any other: out of `CANCELLED` and `FAILED` the time is reserved again (409 `slot_taken`) and the use of its promo code is counted again (422 `promo_code_exhausted`); into them an open payment form is closed first, and a captured payment stays until it is refunded. A visitor may only cancel their own record before it begins: 403 `forbidden`. After 503 `engine_unavailable` or `provider_retryable`, repeat the request. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "PUT /v1/businesses/{businessId}/reservations/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the reservation. */
      id: string
    }
    body: UpdateBusinessReservationBody
    answer: BusinessReservation
  }
  /** React to a record. Creates a visitor if the request has no visitor token; the new token is in the header `X-Service-Visitor-Token`. An operator reacts for the business. A person has one reaction of each kind without content at a target or reaction: the same again returns 200 and the same record, and so does the same comment at the same place. 404 `not_found` if the target or the parent does not exist or is not visible to the caller. 409 `reaction_removed` if an operator hid or removed the same reaction; 409 `kinds_too_many` for a kind of your own, where there are too many kinds. Other stars replace the stars of the same person, with a new id. A second review is 409 `already_reviewed`. Content may be `pending`, by the settings of the business; the same comment again counts for the limits. 429 `too_many_requests` for more content, or more new visitors of one address, than the limits allow. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional; without one, a visitor is created. */
  "POST /v1/businesses/{businessId}/reactions": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessReactionBody
    answer: BusinessReaction
  }
  /** List reactions. Returns one page of what the caller may see, sorted by creation time, newest first, unless another order is requested. Sorted by `updatedAt` or `replyCount`, the list has only reactions with content. Reactions of deleted records, and replies below reactions that are not visible, are left out. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "GET /v1/businesses/{businessId}/reactions": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "replyCount" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only reactions to targets of this type. */
      targetType?: "product" | "service" | "provider" | "booking" | "node" | null | undefined
      /** Only reactions to this record, replies included. */
      targetId?: string | null | undefined
      /** Only replies to this reaction; `null` for reactions to the target itself. */
      parentId?: "null" | string | null | undefined
      /** Only reactions of this contact. */
      customerId?: string | null | undefined
      /** Only these kinds: repeated, or separated by commas. */
      kind?: string | ReadonlyArray<string> | null | undefined
      /** Only reactions of this status. A visitor sees their own `pending` ones only. */
      status?: "pending" | "published" | "hidden" | "removed" | null | undefined
      /** `true`: only reactions with content. */
      contentOnly?: boolean | null | undefined
    }
    answer: BusinessReactionList
  }
  /** Summarize the reactions to a record. Counts of published reactions by kind, the average of the stars, and the caller's own reactions. 404 `not_found` if the target or the parent does not exist or is not visible to the caller. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "GET /v1/businesses/{businessId}/reactions/summary": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Type of the target. */
      targetType: "product" | "service" | "provider" | "booking" | "node"
      /** Identifier of the target. */
      targetId: string
      /** Counts what was said of this reaction instead. */
      parentId?: string | null | undefined
    }
    answer: BusinessReactionSummary
  }
  /** List all reactions for moderation. Returns one page of all reactions, those that are pending, hidden and removed included, sorted by creation time, newest first, unless another order is requested. Sorted by `updatedAt` or `replyCount`, the list has only reactions with content. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/reactions/admin": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "replyCount" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only reactions to targets of this type. */
      targetType?: "product" | "service" | "provider" | "booking" | "node" | null | undefined
      /** Only reactions to this record, replies included. */
      targetId?: string | null | undefined
      /** Only replies to this reaction; `null` for reactions to the target itself. */
      parentId?: "null" | string | null | undefined
      /** Only reactions of this contact. */
      customerId?: string | null | undefined
      /** Only these kinds: repeated, or separated by commas. */
      kind?: string | ReadonlyArray<string> | null | undefined
      /** Only reactions of this status. A visitor sees their own `pending` ones only. */
      status?: "pending" | "published" | "hidden" | "removed" | null | undefined
      /** `true`: only reactions with content. */
      contentOnly?: boolean | null | undefined
    }
    answer: BusinessReactionList
  }
  /** Read a reaction. 404 `not_found` if the caller may not see it. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional. */
  "GET /v1/businesses/{businessId}/reactions/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the reaction. */
      id: string
    }
    answer: BusinessReaction
  }
  /** Change the content of a reaction. For its author, in the minutes that the business allows: 403 `forbidden` for others, 403 `edit_window_closed` after that. `target`, `kind` and `parentId` may be sent as they were. The content is judged again, and may be `pending` afterwards; the same content changes nothing. 404 `not_found` if the caller may not see it. 409 `mark_not_editable` for marks and stars. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "PUT /v1/businesses/{businessId}/reactions/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the reaction. */
      id: string
    }
    body?: UpdateBusinessReactionBody
    answer: BusinessReaction
  }
  /** Delete a reaction. For its author, and for operators. Content with replies stays `removed`, without author and blocks. 403 `forbidden` for others. 404 `not_found` if the caller may not see it, as authors do not see what an operator hid or removed. 409 `reaction_removed` if it was deleted before. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "DELETE /v1/businesses/{businessId}/reactions/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the reaction. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** Set the status of a reaction. Any status may follow any other. The same request again changes nothing. 409 `reaction_removed` if it was deleted before. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/reactions/{id}/moderate": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the reaction. */
      id: string
    }
    body: ModerateBusinessReactionBody
    answer: BusinessReaction
  }
  /** List the agents. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/agents": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
    }
    answer: BusinessAgentList
  }
  /** Create an agent. The model has to come from an AI integration (`llm_a`, `llm_b`); its provider is not contacted. 422 `model_unknown` if no AI integration has the model, `model_ambiguous` if several have it. 422 `channel_unknown` for an id that is no channel, `channel_unsupported` for a `messaging` integration, 409 `channel_in_use` for a channel that another agent serves. 422 `handover_not_member` for a `handoverEmail` of no member. 409 `key_taken` if another agent has the key. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/agents": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessAgentBody
    answer: BusinessAgent
  }
  /** Read an agent. 404 `not_found` if there is no such agent. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/agents/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
    }
    answer: BusinessAgent
  }
  /** Update an agent. Fields that are left out are kept. A turn that runs reads the changes with its next question to the model. 422 `model_unknown` if no AI integration has the model, `model_ambiguous` if several have it. 422 `channel_unknown` for an id that is no channel, `channel_unsupported` for a `messaging` integration, 409 `channel_in_use` for a channel that another agent serves. 422 `handover_not_member` for a `handoverEmail` of no member. 409 `key_taken` if another agent has the key. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/agents/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
    }
    body?: UpdateBusinessAgentBody
    answer: BusinessAgent
  }
  /** Delete an agent with its chats. The agent, its chats and their messages are invisible at once. What it used is still counted. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/agents/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** Read an agent's tokens by day. The newest day first. Days without a call are left out. Without `from`, the last 30 days; at most 366 days. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/agents/{id}/usage": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
    }
    query: {
      /** The first day, by a time in it, in Unix seconds. */
      from?: number | null | undefined
      /** The last day, by a time in it, in Unix seconds. */
      to?: number | null | undefined
    }
    answer: BusinessAgentUsageDays
  }
  /** Send a message to an agent. Begins a chat, or continues `chatId`. Waits for the answer, for 25 seconds unless `Prefer` says otherwise; then 202 with `Location`: read it there, or send the same message with its `messageId` again. 503 `model_unavailable` if the model gives no answer, 503 `model_outcome_unknown` if it cannot be proved whether it did; with a `fallback` of the agent that is answered instead. 429 `token_limit` if the tokens of the day are used up. Messages that arrive while the model answers are answered together by its next run. 409 `chat_archived`, `chat_is_direct` for a chat that cannot be continued, `agent_disabled` for an agent that does not answer. 200 with `response: null` and `held` if a person answers the chat. Access: members of the business with the role `Admin` or higher, and visitors (publishable key). A visitor token is optional; without one, a visitor is created. */
  "POST /v1/businesses/{businessId}/agents/{id}/chats/messages": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
    }
    body: SendAgentMessageBody
    answer: BusinessAgentAnswer
  }
  /** Ask the model again about a message without an answer. For a message that is `failed` or `unknown`: the model is not asked again automatically. Waits for the answer, for 25 seconds unless `Prefer` says otherwise; then 202 with `Location`: read it there, or send the same message with its `messageId` again. 503 `model_unavailable` if the model gives no answer, 503 `model_outcome_unknown` if it cannot be proved whether it did; with a `fallback` of the agent that is answered instead. 429 `token_limit` if the tokens of the day are used up. 409 `message_not_failed` for any other message. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "POST /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/messages/{messageId}/retry": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
      /** Identifier of the chat. */
      chatId: string
      /** Identifier of the message. */
      messageId: string
    }
    answer: BusinessAgentAnswer
  }
  /** List the messages of a chat. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "GET /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/messages": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
      /** Identifier of the chat. */
      chatId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
    }
    answer: BusinessChatMessageList
  }
  /** Read a message with its answer. 404 `not_found` if there is no such message. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "GET /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/messages/{messageId}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
      /** Identifier of the chat. */
      chatId: string
      /** Identifier of the message. */
      messageId: string
    }
    answer: BusinessChatMessageWithAnswer
  }
  /** Reply to a chat as a person. From this reply on, a person answers the chat: the agent writes nothing more, and a turn that runs is discarded. The same `messageId` and message return the same reply. In a chat of a channel the reply is sent there, after the messages before it: `deliveryStatus` says what became of it. 409 `chat_archived` for an archived chat. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/replies": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
      /** Identifier of the chat. */
      chatId: string
    }
    body: CreateBusinessAgentChatReplyBody
    answer: BusinessChatMessage
  }
  /** Receive an update of a bot. For the bot of a `chat_bot` integration. A message of a person in a private chat is written once, however often it is sent, and is answered by the agent that serves the channel. Any other update is accepted and ignored: the service would send it again. 401 `unauthorized` if the secret is not that of the channel, or there is no such channel. Query parameters are ignored. Access: public, without a credential. */
  "POST /v1/webhooks/channels/{id}": {
    path: {
      /** Identifier of the channel. */
      id: string
    }
    body: Record<string, unknown>
    answer: ReceiveChannelUpdateResult
  }
  /** List the chats of all agents. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/chats": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Only chats with this agent. */
      agentId?: string | null | undefined
      /** Only chats with this status. */
      status?: "active" | "resolved" | "archived" | null | undefined
      /** Only chats in this mode: `human` is the inbox of operators. */
      mode?: "agent" | "human" | null | undefined
      /** Only chats of this channel. */
      channelId?: string | null | undefined
      /** Only chats of this visitor. */
      customerId?: string | null | undefined
      /** Words of messages. Every word has to begin a word of the same message. */
      query?: string | null | undefined
    }
    answer: BusinessChatList
  }
  /** List the chats of an agent. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/agents/{id}/chats": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
    }
    answer: BusinessChatList
  }
  /** Read a chat. 404 `not_found` if there is no such chat. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "GET /v1/businesses/{businessId}/agents/{id}/chats/{chatId}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
      /** Identifier of the chat. */
      chatId: string
    }
    answer: BusinessChat
  }
  /** Update a chat. With the `mode` `human` a person answers the chat: the agent writes nothing more, and a turn that runs is discarded. `agent` gives it back: the agent answers the next message, and its model reads those that were `held` as history. A message of the visitor opens a `resolved` chat again, of which the model reads what is written from then on. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/agents/{id}/chats/{chatId}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
      /** Identifier of the chat. */
      chatId: string
    }
    body?: UpdateBusinessAgentChatBody
    answer: BusinessChat
  }
  /** Rate a chat. Replaces an earlier rating. 409 `nothing_to_rate` if the chat has no answer yet. Access: members of the business with the role `Admin` or higher, and its visitors (publishable key and visitor token). */
  "POST /v1/businesses/{businessId}/agents/{id}/chats/{chatId}/rate": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the agent. */
      id: string
      /** Identifier of the chat. */
      chatId: string
    }
    body: RateChatBody
    answer: BusinessChat
  }
  /** Search the services of a network. Only records of active stores and businesses are found. With `location`, answers have a distance. Access: public, without a credential. */
  "GET /v1/networks/{networkKey}/services": {
    path: {
      /** Identifier of the network, or its slug in any language. */
      networkKey: string
    }
    query: {
      /** Cursor of the page, as the page before returned it. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default. */
      limit?: number | null | undefined
      /** Words that the record contains; each matches by its beginning. */
      query?: string | null | undefined
      /** JSON `{lat, lng, radius}`: only what is in this circle. Coordinates in degrees, the radius in miles (25 by default, 500 at most). */
      location?: string | null | undefined
      /** Lowest price in minor units, inclusive. */
      priceMin?: number | null | undefined
      /** Highest price in minor units, inclusive. */
      priceMax?: number | null | undefined
      /** Key of a taxonomy that the record is filed under. */
      category?: string | null | undefined
      /** What the page is sorted by. By default `distance`, if it is possible, else `newest`. */
      sortBy?: "distance" | "price" | "rating" | "newest" | null | undefined
    }
    answer: BusinessNetworkServiceList
  }
  /** Search the products of a network. Only products of active stores and businesses are found. With `inStock`: pages may have fewer records than `limit`, or none: only a `cursor` of null is the end. Access: public, without a credential. */
  "GET /v1/networks/{networkKey}/products": {
    path: {
      /** Identifier of the network, or its slug in any language. */
      networkKey: string
    }
    query: {
      /** Cursor of the page, as the page before returned it. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default. */
      limit?: number | null | undefined
      /** Words that the record contains; each matches by its beginning. */
      query?: string | null | undefined
      /** Lowest price in minor units, inclusive. */
      priceMin?: number | null | undefined
      /** Highest price in minor units, inclusive. */
      priceMax?: number | null | undefined
      /** Key of a taxonomy that the record is filed under. */
      category?: string | null | undefined
      /** True: only products that can be bought. */
      inStock?: boolean | null | undefined
      /** What the page is sorted by. By default `distance`, if it is possible, else `newest`. */
      sortBy?: "price" | "rating" | "newest" | null | undefined
      /** Order of the sort; products without the value are last. By default `asc` for the price, else `desc`. May also be sent as `sortOrder`. */
      sortDirection?: "asc" | "desc" | null | undefined
    }
    answer: BusinessNetworkProductList
  }
  /** Search the providers of a network. Only records of active stores and businesses are found. With `location`, answers have a distance. With `available`: pages may have fewer records than `limit`, or none: only a `cursor` of null is the end. Access: public, without a credential. */
  "GET /v1/networks/{networkKey}/providers": {
    path: {
      /** Identifier of the network, or its slug in any language. */
      networkKey: string
    }
    query: {
      /** Cursor of the page, as the page before returned it. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default. */
      limit?: number | null | undefined
      /** Words that the record contains; each matches by its beginning. */
      query?: string | null | undefined
      /** JSON `{lat, lng, radius}`: only what is in this circle. Coordinates in degrees, the radius in miles (25 by default, 500 at most). */
      location?: string | null | undefined
      /** Only providers of this service. */
      serviceId?: string | null | undefined
      /** True: only providers with a free slot in the next 7 days. */
      available?: boolean | null | undefined
      /** What the page is sorted by. By default `distance`, if it is possible, else `newest`. */
      sortBy?: "distance" | "price" | "rating" | "newest" | null | undefined
    }
    answer: BusinessNetworkProviderList
  }
  /** List the countries by name. Without `limit` all countries are returned in one page. Access: public, without a credential. */
  "GET /v1/platform/countries": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
    }
    answer: LocationCountryList
  }
  /** Read a country by its code. Access: public, without a credential. */
  "GET /v1/platform/countries/{countryCode}": {
    path: {
      /** Code of the country, ISO 3166-1 alpha-2, in any case. */
      countryCode: string
    }
    answer: LocationCountry
  }
  /** List the networks. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: platform administrators. */
  "GET /v1/platform/networks": {
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sort_field?: "created_at" | "updated_at" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sort_direction?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      created_at_from?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      created_at_to?: number | null | undefined
    }
    answer: NetworkList
  }
  /** Create a network. Active records of its members are listed soon; later changes of them at once. 409 `key_taken` if another network has the key. 422 for a store or business that does not exist. Access: platform administrators. */
  "POST /v1/platform/networks": {
    body: CreatePlatformNetworkBody
    answer: Network
  }
  /** Read a network. 404 `not_found` if there is no such network. Access: platform administrators. */
  "GET /v1/platform/networks/{id}": {
    path: {
      /** Identifier of the network. */
      id: string
    }
    answer: Network
  }
  /** Update a network. Fields that are left out are kept. Records of a member that is removed are delisted at once. 409 `key_taken` if another network has the key. 422 for a store or business that does not exist. Access: platform administrators. */
  "PUT /v1/platform/networks/{id}": {
    path: {
      /** Identifier of the network. */
      id: string
    }
    body?: UpdatePlatformNetworkBody
    answer: Network
  }
  /** Delete a network with its listings. 404 `not_found` if there is no such network. Access: platform administrators. */
  "DELETE /v1/platform/networks/{id}": {
    path: {
      /** Identifier of the network. */
      id: string
    }
    answer: Success
  }
  /** Write the value of a key. The latest write wins. The value of `previous_key` is deleted in the same transaction, unless it is the same key. Access: platform administrators. */
  "POST /v1/platform/data": {
    body: PutPlatformDataBody
    answer: PutPlatformDataResult
  }
  /** Read the value of a key, or of all keys that begin with it. No character of a key is a wildcard. Access: platform administrators. */
  "GET /v1/platform/data": {
    query: {
      /** Key to read, 1 to 512 bytes of UTF-8. If it has no value: the beginning of the keys to read. */
      key: string
      /** Number of values to return, 1 to 100. */
      limit?: number | null | undefined
    }
    answer: GetPlatformDataResult
  }
  /** Delete the value of a key. Send `key` in the query or in the body. Deleting a key without a value succeeds. Access: platform administrators. */
  "DELETE /v1/platform/data": {
    query: {
      /** Key to delete; it may be sent in the body instead. */
      key?: string | null | undefined
    }
    body?: DeletePlatformDataBody
    answer: DeletePlatformDataResult
  }
  /** Run a maintenance script. `normalize-forms`: brings keys, slugs, SKUs, languages and telephone numbers that were stored before 0.3 into their normal form, and names the rows that stay as they are, as another record has that form. `reindex-search`: rebuilds the search index of all records; `value` may restrict it to one table. `repair-mixed-writes`: corrects what processes before 0.2 wrote beside newer ones: sums of refunds, and reactions to deleted records or of merged contacts. `rotate-encryption`: encrypts secrets under the first key of SECRETS_KEY that were encrypted under a later one. The request can be repeated. A script that takes longer than the answer waits continues; repeat the request to see its progress. 404 for an unknown name and 409 for a script that is running with another value, both with this body. Access: platform administrators. */
  "POST /v1/platform/scripts": {
    body: RunPlatformScriptBody
    answer: ScriptAnswer
  }
  /** List what a person has to do in all of your stores. As the list of a store, of all those in which you have a role that may see it, together with deletions that you asked for. Returns one page, the oldest first. An item leaves the list when it is resolved, or when what is wrong is mended. Access: any operator. */
  "GET /v1/attention": {
    query: {
      /** Only items of these kinds: repeated, or separated by commas. */
      kind?: "refund" | "payment_session" | "session_expiry" | "coupon" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "portal_configuration" | "portal_link" | "mail" | "campaign_message" | "webhook_test" | "subscription_change" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reveal" | "social_reply" | "social_classification" | "model_call" | "channel_message" | "node_run" | "refund_due" | "payment" | "subscription" | "dispute" | "campaign" | "mailbox" | "webhook" | "start" | "erasure" | "channel" | "social_connection" | ReadonlyArray<"refund" | "payment_session" | "session_expiry" | "coupon" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "portal_configuration" | "portal_link" | "mail" | "campaign_message" | "webhook_test" | "subscription_change" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reveal" | "social_reply" | "social_classification" | "model_call" | "channel_message" | "node_run" | "refund_due" | "payment" | "subscription" | "dispute" | "campaign" | "mailbox" | "webhook" | "start" | "erasure" | "channel" | "social_connection"> | null | undefined
      /** Only items of these groups: repeated, or separated by commas. */
      group?: "outcome" | "money" | "dispute" | "stopped" | "reconnect" | ReadonlyArray<"outcome" | "money" | "dispute" | "stopped" | "reconnect"> | null | undefined
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Only items of these stores: repeated, or separated by commas. */
      tenant_id?: string | ReadonlyArray<string> | null | undefined
    }
    answer: AttentionItemList
  }
  /** List what a person has to do about the installation, and about the plans of stores on the platform's own account. Refunds, payment forms, changes, payments and disputes of the plans that the platform charges; e-mails of the installation; workflows of all stores that were not started; deletions that wait for a person. Returns one page, the oldest first. An item leaves the list when it is resolved, or when what is wrong is mended. Access: platform administrators. */
  "GET /v1/platform/attention": {
    query: {
      /** Only items of these kinds: repeated, or separated by commas. */
      kind?: "refund" | "payment_session" | "session_expiry" | "coupon" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "portal_configuration" | "portal_link" | "mail" | "campaign_message" | "webhook_test" | "subscription_change" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reveal" | "social_reply" | "social_classification" | "model_call" | "channel_message" | "node_run" | "refund_due" | "payment" | "subscription" | "dispute" | "campaign" | "mailbox" | "webhook" | "start" | "erasure" | "channel" | "social_connection" | ReadonlyArray<"refund" | "payment_session" | "session_expiry" | "coupon" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "portal_configuration" | "portal_link" | "mail" | "campaign_message" | "webhook_test" | "subscription_change" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reveal" | "social_reply" | "social_classification" | "model_call" | "channel_message" | "node_run" | "refund_due" | "payment" | "subscription" | "dispute" | "campaign" | "mailbox" | "webhook" | "start" | "erasure" | "channel" | "social_connection"> | null | undefined
      /** Only items of these groups: repeated, or separated by commas. */
      group?: "outcome" | "money" | "dispute" | "stopped" | "reconnect" | ReadonlyArray<"outcome" | "money" | "dispute" | "stopped" | "reconnect"> | null | undefined
      /** Cursor of the previous page, for the page after it. It belongs to one list of one store in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
    }
    answer: AttentionItemList
  }
  /** Record what became of a request of the installation, or about the plan of a store. Records what was found at the other party. Nothing is sent. A resolution can be corrected by another one, which keeps it as `before`. 409 `contradicts_evidence` if what the provider reported says otherwise; the problem has the evidence, and `force` records the outcome all the same. A record that later evidence contradicts needs attention again. An open payment form that `succeeded` is closed then. After `rejected`, a capture fails its booking and the authorisation is cancelled. What a subscription is, is read again. 409 `request_not_unknown` for a request that is neither unknown nor was resolved, `decision_made` if another decision about the payment was made since, `payment_captured` while refunds of a payment are recorded that would not have been captured. 422 `outcome_not_possible`. Messages of campaigns, posts, replies and nodes have routes of their own, which `resolve` of the item names. Access: platform administrators. */
  "POST /v1/platform/attention/{id}/resolve": {
    path: {
      /** Identifier of the item. */
      id: string
    }
    body: ResolvePlatformAttentionBody
    answer: AttentionResolved
  }
  /** List the members of a business. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/members": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Only members with this role. */
      role?: "Admin" | "Owner" | "Super" | null | undefined
    }
    answer: BusinessMemberList
  }
  /** Add a member or set their role. Takes effect at once; no e-mail is sent. Known and unknown addresses are answered alike: the member has no name until they act in the business (`acceptedAt`). Returns 201 for a new member and 200 for a changed role. Only a `Super` grants `Super` and changes owners: 403 `forbidden`. 409 `last_super` if the last `Super` would get another role. 429 `too_many_requests` beyond the number of members that an account adds in a day. Access: members of the business with the role `Owner` or `Super`. */
  "POST /v1/businesses/{businessId}/members": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessMemberBody
    answer: BusinessMember
  }
  /** Remove a member. Every member may remove themselves. Owners remove admins. Only a `Super` removes owners and supers: 403 `forbidden`. 409 `last_super` for the last `Super` of the business. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/members/{accountId}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the account. */
      accountId: string
    }
    answer: BusinessSuccess
  }
  /** List the markets. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/markets": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
    }
    answer: BusinessMarketList
  }
  /** Create a market. By default, prices exclude tax, shipping is free everywhere, and cash and cards are accepted. 409 `key_taken` if another market has the key. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/markets": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessMarketBody
    answer: BusinessMarket
  }
  /** Read a market. 404 `not_found` if there is no such market. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/markets/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the market. */
      id: string
    }
    answer: BusinessMarket
  }
  /** Update a market. Fields that are left out are kept. `zones` and `paymentMethods` replace the stored lists. `key` and `currency` cannot be changed: 422 `cannot_change`. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/markets/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the market. */
      id: string
    }
    body?: UpdateBusinessMarketBody
    answer: BusinessMarket
  }
  /** Delete an unused market. 409 `market_in_use` if prices, orders, carts with items or active promo codes refer to the market; `last_market` for the only market of the business. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/markets/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the market. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** List the locations. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/locations": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    answer: BusinessLocations
  }
  /** Create a location. 409 `key_taken` if another location has the key. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/locations": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessLocationBody
    answer: BusinessLocation
  }
  /** Read a location. 404 `not_found` if there is no such location. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/locations/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the location. */
      id: string
    }
    answer: BusinessLocation
  }
  /** Update a location. Fields that are left out are kept. 409 `key_taken` if another location has the key. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/locations/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the location. */
      id: string
    }
    body?: UpdateBusinessLocationBody
    answer: BusinessLocation
  }
  /** Delete an unused location. 409 `location_in_use` if the location holds stock, or if an order is picked up there. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/locations/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the location. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** List the products. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/products": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** JSON list of `{taxonomyId, entryIds}`, 20 at most: records filed under one of the entries. Without `entryIds`: under the taxonomy. */
      taxonomyQuery?: string | null | undefined
      /** True: records must match every item of `taxonomyQuery`; otherwise one is enough. */
      matchAll?: boolean | null | undefined
      /** Only records in this status. */
      status?: "ACTIVE" | "DRAFT" | "ARCHIVED" | null | undefined
    }
    answer: BusinessProductList
  }
  /** Create a product. 409 `key_taken` or `slug_taken` if another record has the key or a slug; 422 for a market, currency or location that does not fit. The product is active by default. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/products": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessProductBody
    answer: BusinessProduct
  }
  /** Read a product by id or by slug. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/products/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the product, or its slug in any language. */
      id: string
    }
    query: {
      /** Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the business are tried first. */
      locale?: LocaleTag | null | undefined
    }
    answer: BusinessProduct
  }
  /** Update a product. Fields that are left out are kept. `variants` replaces the list: a variant without an id is added, one that is not sent is deleted, and in one with an id the fields that are left out are kept, `inventory` too. 409 `available_changed` if the stock is not `ifAvailable`, and `out_of_stock` if `delta` takes more than there is: with the present `available`, and nothing is written. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/products/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the product. */
      id: string
    }
    body?: UpdateBusinessProductBody
    answer: BusinessProduct
  }
  /** Delete a product with its variants and stock. Lines of orders are kept. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/products/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the product. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** Read the stock of a product. A variant without a row is not tracked and never runs out. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/products/{id}/inventory": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the product. */
      id: string
    }
    answer: BusinessInventoryRows
  }
  /** Set the stock of a product. Each row sets `available` of one variant at one location, or changes it by `delta`; rows that are not sent are kept. `available` is what is neither sold nor reserved: earlier checkouts are not subtracted again. Send `delta` for what came in or was counted out, or `ifAvailable` with the number that was read. Returns all rows of the product. 409 `available_changed` if the stock is not `ifAvailable`, and `out_of_stock` if `delta` takes more than there is: with the present `available`, and nothing is written. 422 `variant_unknown` or `location_unknown` for a variant or location that does not exist. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/products/{id}/inventory": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the product. */
      id: string
    }
    body: UpdateBusinessProductInventoryBody
    answer: BusinessInventoryRows
  }
  /** List the promo codes. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/promo-codes": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default, with `ids` all of them. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "code" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only records in this status. */
      status?: "active" | "archived" | null | undefined
      /** Beginning of the code, in any case. */
      query?: string | null | undefined
    }
    answer: BusinessPromoCodeList
  }
  /** Create a promo code. Case is ignored when codes are compared. 409 `code_taken` if another promo code of the business is equal. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/promo-codes": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessPromoCodeBody
    answer: BusinessPromoCode
  }
  /** Read a promo code. 404 `not_found` if there is no such promo code. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/promo-codes/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the promo code. */
      id: string
    }
    answer: BusinessPromoCode
  }
  /** Update a promo code. Fields that are left out are kept. `discounts` and `conditions` replace the stored lists. 409 `code_taken` if another promo code of the business is equal. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/promo-codes/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the promo code. */
      id: string
    }
    body?: UpdateBusinessPromoCodeBody
    answer: BusinessPromoCode
  }
  /** Delete a promo code. Its number of uses is deleted too. Orders keep their discount. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/promo-codes/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the promo code. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** List the collections. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/collections": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only the collection with exactly this key. */
      key?: Key | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
    }
    answer: BusinessCollectionList
  }
  /** Create a collection. 409 `key_taken` if another collection has the key. 422 for a schema that no block can satisfy, for example `max_below_min`. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/collections": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessCollectionBody
    answer: BusinessCollection
  }
  /** Read a collection by id or by key. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/collections/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier or key of the collection. */
      id: string
    }
    answer: BusinessCollection
  }
  /** Update a collection. Fields that are left out are kept. `schema` and `blocks` replace the stored ones; an item of the schema without an id keeps the id of the stored item with its key and type. A new schema applies to an entry at its next write. `invalidEntries` is the number of entries that do not satisfy it: they are counted after the change, and it is null if that takes longer than the answer waits. 409 `key_taken` if another collection has the key. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/collections/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the collection. */
      id: string
    }
    body?: UpdateBusinessCollectionBody
    answer: BusinessCollection
  }
  /** Delete a collection with its entries. 409 `referenced` if a reference from another record restricts the deletion of one of its entries; `referencedBy` lists up to ten of the records. Other references to its entries are set to null. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/collections/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the collection. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** List the entries. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/entries": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default, with `ids` all of them. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only entries of this collection. */
      collectionId?: string | null | undefined
      /** Only entries with exactly this key, of any collection. */
      key?: Key | null | undefined
      /** JSON list of `{taxonomyId, entryIds}`, 20 at most: records filed under one of the entries. Without `entryIds`: under the taxonomy. */
      taxonomyQuery?: string | null | undefined
      /** True: records must match every item of `taxonomyQuery`; otherwise one is enough. */
      matchAll?: boolean | null | undefined
      /** Only records in this status. */
      status?: "ACTIVE" | "DRAFT" | "ARCHIVED" | null | undefined
    }
    answer: BusinessEntryList
  }
  /** Create an entry. 409 `key_taken` if another entry of the collection has the key, `slug_taken` if another entry has a slug in the same language. 422 lists each block that does not satisfy the schema of the collection. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/entries": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessEntryBody
    answer: BusinessEntry
  }
  /** Read an entry by id or by slug. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/entries/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the entry, or its slug in any language. */
      id: string
    }
    query: {
      /** Language of the slug in the path; without a slug in it, one in the language that it is a variety of: `de` for `de-AT`. Without it, the languages of the business are tried first. */
      locale?: LocaleTag | null | undefined
    }
    answer: BusinessEntry
  }
  /** Update an entry. Fields that are left out are kept. `blocks` replace the stored ones and must satisfy the current schema of the collection. An entry cannot be moved to another collection: 422 `collection_fixed`. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/entries/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the entry. */
      id: string
    }
    body?: UpdateBusinessEntryBody
    answer: BusinessEntry
  }
  /** Delete an entry. 409 `referenced` if a reference from another record restricts the deletion; `referencedBy` lists up to ten of the records. Other references are set to null. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/entries/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the entry. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** List the taxonomies. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/taxonomies": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only children of this taxonomy; `null`: only taxonomies at the top. */
      parentId?: "null" | string | null | undefined
      /** Only the taxonomy with exactly this key. */
      key?: Key | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only records in this status. */
      status?: "active" | "archived" | null | undefined
    }
    answer: BusinessTaxonomyList
  }
  /** Create a taxonomy. 409 `key_taken` if another taxonomy has the key. 422 `taxonomy_unknown` for a parent that does not exist, `too_deep` if the tree would have too many levels. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/taxonomies": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessTaxonomyBody
    answer: BusinessTaxonomy
  }
  /** Read a taxonomy by id or by key. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/taxonomies/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier or key of the taxonomy. */
      id: string
    }
    answer: BusinessTaxonomy
  }
  /** Update or move a taxonomy. Fields that are left out are kept. `schema` replaces the stored one; an item without an id keeps the id of the stored item with its key and type. Records filed under the taxonomy do not change; a new schema applies to a record at its next write. 409 `taxonomy_cycle` if the taxonomy would be below itself. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/taxonomies/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the taxonomy. */
      id: string
    }
    body?: UpdateBusinessTaxonomyBody
    answer: BusinessTaxonomy
  }
  /** Delete a taxonomy and all taxonomies below it. 404 `not_found` if there is no such taxonomy. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/taxonomies/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the taxonomy. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** List the children of a taxonomy. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/taxonomies/{id}/children": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the taxonomy. */
      id: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only records in this status. */
      status?: "active" | "archived" | null | undefined
    }
    answer: BusinessTaxonomyList
  }
  /** List the forms. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/forms": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Only the form with exactly this key. */
      key?: Key | null | undefined
      /** Only records in this status. */
      status?: "active" | "archived" | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. */
      ids?: string | ReadonlyArray<string> | null | undefined
    }
    answer: BusinessFormList
  }
  /** Create a form. 409 `key_taken` if another form has the key. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/forms": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessFormBody
    answer: BusinessForm
  }
  /** Read a form by id or by key. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/forms/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier or key of the form. */
      id: string
    }
    answer: BusinessForm
  }
  /** Update a form. Fields that are left out are kept; `schema` replaces all fields of the form. Stored submissions do not change; the new schema applies to a submission when it is updated. An `archived` form accepts no submission. 409 `key_taken` if another form has the key. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/forms/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the form. */
      id: string
    }
    body?: UpdateBusinessFormBody
    answer: BusinessForm
  }
  /** Delete a form with its submissions. 404 `not_found` if there is no such form. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/forms/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the form. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** List the submissions of a form. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/forms/{formId}/submissions": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier or key of the form. */
      formId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
    }
    answer: BusinessFormSubmissionList
  }
  /** Submit a form as an operator. 422 lists each invalid field with its pointer: `unknown_field`, `duplicate`, `type_differs`, `required` (at /fields for a field that was not sent), `invalid_type`, `invalid_format`, `too_small`, `too_big`, `not_an_option`. 409 `form_archived` if the form is archived. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/forms/{formId}/submissions": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier or key of the form. */
      formId: string
    }
    body: SubmitBusinessFormBody
    answer: BusinessFormSubmission
  }
  /** Read a submission. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/forms/{formId}/submissions/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier or key of the form. */
      formId: string
      /** Identifier of the submission. */
      id: string
    }
    answer: BusinessFormSubmission
  }
  /** Update a submission. Replaces all fields, which must satisfy the current schema of the form. Submissions of archived forms can be updated too. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/forms/{formId}/submissions/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier or key of the form. */
      formId: string
      /** Identifier of the submission. */
      id: string
    }
    body: UpdateBusinessFormSubmissionBody
    answer: BusinessFormSubmission
  }
  /** Upload files. Stores all files, or none if one is refused. The type of a file is detected by its content: 422 `type_differs` if its name or content type is of another type. Of an image, the versions `large` (1600 pixels at most), `medium` (800) and `thumbnail` (200) are made before the answer; if that takes longer than the answer waits, the status is `processing`. 422 `image_broken`, `image_too_large` or `image_too_heavy` for an image that cannot be processed. What a file says of the place, time, camera and author (Exif, XMP, IPTC, comments) is removed before it is stored if its type is JPEG, PNG, APNG, WebP, GIF, TIFF, HEIF, AVIF, JPEG XL, MP4, QuickTime and 3GPP; DNG, NEF, ARW and CR2 lose place, XMP and IPTC alone, and M4A its place and times. Files of other types and the data tracks of films are stored as they are. Orientation and colours stay. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/media": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    form: FormData
    answer: UploadBusinessMediaResult
  }
  /** List the files. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/media": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit: number
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Words to search for. Each must be the beginning of a word of the record, in any case. */
      query?: string | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Media type such as `image/png`, or `image/*` for all images. */
      mimeType?: string | null | undefined
    }
    answer: BusinessMediaList
  }
  /** Read the record of a file. 404 `not_found` if there is no such file. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/media/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the file. */
      id: string
    }
    answer: BusinessMedia
  }
  /** Rename a file. 422 `type_differs` if the ending of the name is of another type than the content. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/media/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the file. */
      id: string
    }
    body: UpdateBusinessMediaBody
    answer: BusinessMedia
  }
  /** Delete a file with its variants. 409 `referenced` if a reference from another record restricts the deletion; `referencedBy` lists up to ten of the records. Other references are set to null. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/media/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the file. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** List the orders. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/orders": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "number" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Only orders of this contact. */
      contactId?: string | null | undefined
      /** Only records in one of these statuses: repeated, or separated by commas. */
      statuses?: "pending" | "confirmed" | "partially_cancelled" | "cancelled" | ReadonlyArray<"pending" | "confirmed" | "partially_cancelled" | "cancelled"> | null | undefined
      /** Only orders with a line of goods in one of these statuses: repeated, or separated by commas. */
      productStatuses?: "pending" | "confirmed" | "cancelled" | ReadonlyArray<"pending" | "confirmed" | "cancelled"> | null | undefined
      /** Only orders of one of these products: repeated, or separated by commas. */
      productIds?: string | ReadonlyArray<string> | null | undefined
      /** Only orders with a booking in one of these statuses: repeated, or separated by commas. */
      bookingStatuses?: "pending" | "confirmed" | "completed" | "no_show" | "cancelled" | ReadonlyArray<"pending" | "confirmed" | "completed" | "no_show" | "cancelled"> | null | undefined
      /** Only orders that book one of these services: repeated, or separated by commas. */
      serviceIds?: string | ReadonlyArray<string> | null | undefined
      /** Only orders that book one of these providers: repeated, or separated by commas. */
      providerIds?: string | ReadonlyArray<string> | null | undefined
      /** Only orders whose contact had (`true`) or did not have (`false`) a verified address at checkout. */
      verified?: boolean | null | undefined
      /** Only orders of contacts that have access to this audience. */
      audienceId?: string | null | undefined
      /** Number of an order, identifier of an order or contact, beginning of a contact's address, or a telephone number in any spelling. */
      query?: string | null | undefined
    }
    answer: BusinessOrderList
  }
  /** Read an order. 404 `not_found` if there is no such order. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/orders/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      id: string
    }
    answer: BusinessOrder
  }
  /** Confirm, cancel or update an order. Fields that are left out are kept. Confirming a card order requires its payment; cancelling requires that no captured amount, shipment or completed booking is left. If the provider's payment form of the order is still open, it is closed before the order is cancelled: after 503 `engine_unavailable` or `provider_retryable`, repeat the request. 409 `stale_version` if the order was changed since `version`; other 409s name what prevents the change. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/orders/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      id: string
    }
    body: UpdateBusinessOrderBody
    answer: BusinessOrder
  }
  /** List the product lines of an order. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/orders/{orderId}/products": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
    }
    answer: BusinessOrderLines
  }
  /** List the digital lines of an order. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/orders/{orderId}/digital-products": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
    }
    answer: BusinessOrderLines
  }
  /** List the bookings of an order. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/orders/{orderId}/bookings": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
    }
    answer: BusinessOrderBookings
  }
  /** Read the payment of an order. 404 `not_found` if there is no such order. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/orders/{orderId}/payment": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
    }
    answer: BusinessPayment
  }
  /** Mark a cash payment as paid. A payment that is paid already is returned unchanged. 409 `not_cash` for a card payment, `order_cancelled` if the order is cancelled. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/orders/{orderId}/payment/mark-paid": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
    }
    answer: BusinessPayment
  }
  /** List the refunds of a business, across its orders and memberships. With `needsAttention=true`, returns the refunds that operators have to act on: those that are `unknown`, those that differ from what was resolved, those that exceed the captured amount, and those that failed or are late while their order is cancelled. A refund leaves this list when it is resolved, or when the order is refunded completely. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/refunds": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Only records in this status. */
      status?: "requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown" | ReadonlyArray<"requested" | "processing" | "succeeded" | "rejected" | "failed" | "unknown"> | null | undefined
      /** Only refunds that an operator has (`true`) or does not have (`false`) to act on. */
      needsAttention?: boolean | null | undefined
    }
    answer: BusinessListedRefundList
  }
  /** Refund a payment. Sends one refund to the provider and returns it, with its outcome if the provider answers in time. Sending the same `refundId` and amount again returns the same refund (200) and sends nothing twice; another amount is 409 `idempotency_conflict`. 422 `amount_exceeds_refundable` if less is left to refund. A refund whose outcome cannot be proved is `unknown` and is never sent again. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/orders/{orderId}/refunds": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
    }
    body: CreateBusinessRefundBody
    answer: BusinessRefund
  }
  /** List the refunds of an order. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/orders/{orderId}/refunds": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
    }
    answer: BusinessRefundList
  }
  /** Read a refund by its `refundId` or `id`. 404 `not_found` if there is no such refund. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/orders/{orderId}/refunds/{refundId}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
      /** The `refundId` that the caller made for the refund, or its `id`. */
      refundId: string
    }
    answer: BusinessRefund
  }
  /** Resolve a refund whose outcome is unknown. Records the outcome that an operator found at the provider. Nothing is sent. A resolution can be corrected by another one, which keeps it as `before`. 409 `contradicts_evidence` if what the provider reported says otherwise; the problem has the evidence, and `force` records the outcome all the same. A record that later evidence contradicts needs attention again. 409 `refund_not_unknown` for a refund that is neither `unknown` nor was resolved. If the refunds of the payment exceed the captured amount after a correction, its `error` is `refund_conflict`, and nothing more can be refunded until one of them is corrected. Access: members of the business with the role `Owner` or `Super`. */
  "POST /v1/businesses/{businessId}/orders/{orderId}/refunds/{refundId}/resolve": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
      /** The `refundId` that the caller made for the refund, or its `id`. */
      refundId: string
    }
    body: ResolveBusinessRefundBody
    answer: BusinessRefund
  }
  /** List what a person has to do. Requests to other parties whose outcome is unknown or was recorded otherwise than later evidence says: refunds, captures, payment forms, changes of subscriptions, e-mails, messages of campaigns, posts and replies, nodes of graphs, messages of bots, calls of models, and all others. Money that has to go back and did not, and payments of another amount than the one due. Disputes with their deadline. Campaigns, mailboxes and webhooks that were stopped, accounts that have to be connected again, and workflows that were not started. What the platform charges for the plan of the business is in the list of its administrators. Integrations and the portal of the business are shown to owners. Returns one page, the oldest first. An item leaves the list when it is resolved, or when what is wrong is mended. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/attention": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Only items of these kinds: repeated, or separated by commas. */
      kind?: "refund" | "payment_session" | "session_expiry" | "coupon" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "portal_configuration" | "portal_link" | "mail" | "campaign_message" | "webhook_test" | "subscription_change" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reveal" | "social_reply" | "social_classification" | "model_call" | "channel_message" | "node_run" | "refund_due" | "payment" | "subscription" | "dispute" | "campaign" | "mailbox" | "webhook" | "start" | "erasure" | "channel" | "social_connection" | ReadonlyArray<"refund" | "payment_session" | "session_expiry" | "coupon" | "authorization_end" | "connect" | "onboarding_link" | "price_provision" | "portal_configuration" | "portal_link" | "mail" | "campaign_message" | "webhook_test" | "subscription_change" | "oauth_exchange" | "social_connect" | "social_token_request" | "social_reveal" | "social_reply" | "social_classification" | "model_call" | "channel_message" | "node_run" | "refund_due" | "payment" | "subscription" | "dispute" | "campaign" | "mailbox" | "webhook" | "start" | "erasure" | "channel" | "social_connection"> | null | undefined
      /** Only items of these groups: repeated, or separated by commas. */
      group?: "outcome" | "money" | "dispute" | "stopped" | "reconnect" | ReadonlyArray<"outcome" | "money" | "dispute" | "stopped" | "reconnect"> | null | undefined
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
    }
    answer: BusinessAttentionItemList
  }
  /** Record what became of a request whose outcome is unknown. Records what you found at the other party. Nothing is sent. A resolution can be corrected by another one, which keeps it as `before`. 409 `contradicts_evidence` if what the provider reported says otherwise; the problem has the evidence, and `force` records the outcome all the same. A record that later evidence contradicts needs attention again. An open payment form that `succeeded` is closed then. After `rejected`, a capture fails its booking and the authorisation is cancelled. What a subscription is, is read again. 409 `request_not_unknown` for a request that is neither unknown nor was resolved, `decision_made` if another decision about the payment was made since, `payment_captured` while refunds of a payment are recorded that would not have been captured. 422 `outcome_not_possible`. Messages of campaigns, posts, replies and nodes have routes of their own, which `resolve` of the item names. Access: members of the business with the role `Owner` or `Super`. */
  "POST /v1/businesses/{businessId}/attention/{id}/resolve": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the item. */
      id: string
    }
    body: ResolveBusinessAttentionBody
    answer: BusinessAttentionResolved
  }
  /** List what happened to a record. Returns one page, newest first: events that were published, changes with who made them, and each effect from its request to its resolution. Every time is one that is stored, and what is not stored is not listed; a `deadline` is a bound. Of an execution, a contact, a chat, a webhook and a run of lead research, which may have any number of rows, what belongs to one row stays together, at the second of its creation. Events are kept for some days, and only those that had a subscriber. 404 `not_found` if the business has no such record. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/timeline": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** What the timeline is about: a type, a colon and an id, such as `order:019901c2-1d2e-7000-8000-000000000001`. Types: `order`, `member`, `subscription`, `execution`, `publication`, `campaign`, `enrollment`, `contact`, `chat`, `research_run`, `audience`, `payment_provider`, `integration`, `social_connection`, `webhook`, `product`, `collection`, `entry`, `form_submission`, `refund`, `payment_session`, `session_expiry`, `coupon`, `authorization_end`, `connect`, `onboarding_link`, `price_provision`, `portal_configuration`, `portal_link`, `mail`, `campaign_message`, `webhook_test`, `subscription_change`, `oauth_exchange`, `social_connect`, `social_token_request`, `social_reveal`, `social_reply`, `social_classification`, `model_call`, `channel_message`, `node_run`. */
      subject: string
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
    }
    answer: BusinessTimelineEntryList
  }
  /** Read what the business lacks to sell, ship, book, send mail and publish. Returns every check, in the order in which what is missing is mended. A checkout, a booking, a campaign or a publication that fails for one of them names it to operators in `mends`, and tells visitors in one sentence what they can do. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/readiness": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    answer: GetBusinessReadinessResult
  }
  /** Read what the business sold and did by day, and what waits. Returns one item for each of the last `days` days, today being the last, in the business's time zone, with their sums. Records that were deleted since, such as deliveries, are not counted. What the platform charges for the business's plan is no sale. `backlog` is what waits now, the oldest first: nothing waits if it is empty. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/overview": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Number of days, 1 to 92; 30 by default. */
      days?: number | null | undefined
    }
    answer: GetBusinessOverviewResult
  }
  /** List the shipments of an order. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/orders/{orderId}/shipments": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
    }
    answer: BusinessShipmentList
  }
  /** Create a shipment. Records units of lines as shipped and updates the fulfillment status of the order. 409 `already_shipped` if more units would be shipped than a line has left. The order must be confirmed. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/orders/{orderId}/shipments": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
    }
    body: CreateBusinessShipmentBody
    answer: BusinessShipment
  }
  /** Read a shipment. 404 `not_found` if there is no such shipment. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/orders/{orderId}/shipments/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
      /** Identifier of the shipment. */
      id: string
    }
    answer: BusinessShipment
  }
  /** Delete a shipment. For a shipment that was recorded by mistake: its units count as not shipped again. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/orders/{orderId}/shipments/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the order. */
      orderId: string
      /** Identifier of the shipment. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** List the integrations. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Owner` or `Super`. */
  "GET /v1/businesses/{businessId}/integrations": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100; 20 by default, with `ids` all of them. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | "key" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Identifiers to restrict the list to, 100 at most: repeated, or separated by commas. Other filters are ignored then. */
      ids?: string | ReadonlyArray<string> | null | undefined
      /** Only integrations of this category. */
      category?: "payment" | "shipping" | "analytics" | "oauth" | "ai" | "email" | "messaging" | "channel" | "deploy" | "other" | null | undefined
      /** Only records of this type. */
      type?: string | null | undefined
    }
    answer: BusinessIntegrationList
  }
  /** Create an integration. The provider is not contacted, except for a `chat_bot`: its token is checked afterwards, and its webhook is set as soon as an agent serves it. An active `card_payment` charges cards in its own account: its `webhookSecret` signs the events that the provider sends to `POST /v1/webhooks/stripe/{integrationId}`. Of payment, shipping and analytics providers one is active: if the flag of this one is true, it takes the place of the active one. 409 `key_taken` if another integration has the key. Access: members of the business with the role `Owner` or `Super`. */
  "POST /v1/businesses/{businessId}/integrations": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessIntegrationBody
    answer: BusinessIntegration
  }
  /** Read an integration. 404 `not_found` if there is no such integration. Access: members of the business with the role `Owner` or `Super`. */
  "GET /v1/businesses/{businessId}/integrations/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the integration. */
      id: string
    }
    answer: BusinessIntegration
  }
  /** Update an integration. Fields of `provider` that are left out are kept, secrets too; null removes one that is not required. Another `baseUrl` requires the secret: stored secrets are sent only to the address that they were entered for. A `chat_bot` is connected again. 422 `cannot_change` for another `type`, and for a bot of another service (another `baseUrl` and another number in `botToken`) once there are chats. 409 `integration_in_use` for another `secretKey` of a `card_payment` while anything is paid, reserved or refundable in its account, unless `sameAccount` is true. Events that the former `webhookSecret` signed are accepted for three days, unless it was removed by null first. 409 `key_taken` if another integration has the key. Access: members of the business with the role `Owner` or `Super`. */
  "PUT /v1/businesses/{businessId}/integrations/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the integration. */
      id: string
    }
    body?: UpdateBusinessIntegrationBody
    answer: BusinessIntegration
  }
  /** Delete an integration. Tokens of an `oauth_connection` are revoked at the provider afterwards, and the webhook of a `chat_bot` is taken away. 409 `integration_in_use` while a payment form is open, a payment is authorized or a refund is not settled in its account, or an agent uses its model or serves its channel. Access: members of the business with the role `Owner` or `Super`. */
  "DELETE /v1/businesses/{businessId}/integrations/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the integration. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** Connect an account by OAuth. Exchanges the code for tokens with the client of the newest integration of type `identity_oauth`, once, and stores them in an integration of type `oauth_connection`. The same code again returns the same outcome. 422 `oauth_rejected` if the authorization server refuses the code. 409 `oauth_unknown` if it cannot be proved whether the code was exchanged: sign in there again for another code. 503 `provider_retryable`: repeat the request. Access: members of the business with the role `Owner` or `Super`. */
  "POST /v1/businesses/{businessId}/oauth/connect": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: ConnectBusinessOauthBody
    answer: BusinessIntegration
  }
  /** Disconnect an account that was connected by OAuth. Deletes the integration with the tokens at once; they are revoked at the provider afterwards. 404 `not_found` if no account of the provider is connected. Access: members of the business with the role `Owner` or `Super`. */
  "POST /v1/businesses/{businessId}/oauth/disconnect": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: DisconnectBusinessOauthBody
    answer: BusinessSuccess
  }
  /** List the webhooks. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/webhooks": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
    }
    answer: BusinessWebhookList
  }
  /** Create a webhook. Without `secret`, the server generates one and returns it in this answer only. Whether the address is public and reachable is checked when an event is delivered. 409 `key_taken` if another webhook of the business has the key, `webhooks_too_many` if the business has 100 webhooks. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/webhooks": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: CreateBusinessWebhookBody
    answer: BusinessWebhookMade
  }
  /** Read a webhook. 404 `not_found` if there is no such webhook. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/webhooks/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the webhook. */
      id: string
    }
    answer: BusinessWebhook
  }
  /** Update a webhook. Fields that are left out are kept. `headers` replaces all headers; if headers are stored, it is required with a `url` of another origin (422 `required`). A `secret` that is replaced signs deliveries for another 24 hours. A webhook that is enabled again continues with its pending deliveries. 409 `key_taken` if another webhook has the key. Access: members of the business with the role `Admin` or higher. */
  "PUT /v1/businesses/{businessId}/webhooks/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the webhook. */
      id: string
    }
    body?: UpdateBusinessWebhookBody
    answer: BusinessWebhook
  }
  /** Delete a webhook with its deliveries. 404 `not_found` if there is no such webhook. Access: members of the business with the role `Admin` or higher. */
  "DELETE /v1/businesses/{businessId}/webhooks/{id}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the webhook. */
      id: string
    }
    answer: BusinessSuccess
  }
  /** Read the business's subscription. Access: members of the business with the role `Owner` or `Super`. */
  "GET /v1/businesses/{businessId}/subscription": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    answer: BusinessSubscription
  }
  /** Choose a plan for the business. A paid plan opens a payment form, which `paymentAction` describes; the same plan and `returnUrl` again return the same form, and another choice closes it first. The free plan ends a paid plan at the end of its paid time; the same paid plan again lets it go on. 409 `subscription_active` for another paid plan while one is paid. 409 `checkout_unknown` if it cannot be proved whether a form was opened, `total_changed` if the price is not `expectedTotal`. 503 `provider_retryable`: repeat the request. Access: members of the business with the role `Owner` or `Super`. */
  "POST /v1/businesses/{businessId}/subscription": {
    path: {
      /** Identifier of the business. */
      businessId: string
    }
    body: ChooseBusinessPlanBody
    answer: BusinessSubscription
  }
  /** List the deliveries of a webhook. Returns one page, sorted by creation time, newest first, unless another order is requested. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/webhooks/{id}/deliveries": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the webhook. */
      id: string
    }
    query: {
      /** Cursor of the previous page, for the page after it. It belongs to one list of one business in one sort order. Left out, empty or `null`: the first page. */
      cursor?: string | null | undefined
      /** Number of records per page, 1 to 100. */
      limit?: number | null | undefined
      /** Field to sort by. */
      sortField?: "createdAt" | "updatedAt" | null | undefined
      /** `asc` is ascending, `desc` descending. Ties are sorted by `id`. */
      sortDirection?: "asc" | "desc" | null | undefined
      /** Only records created at or after this time, in Unix seconds. */
      createdAtFrom?: number | null | undefined
      /** Only records created at or before this time, in Unix seconds. */
      createdAtTo?: number | null | undefined
      /** Only records in this status. */
      status?: "pending" | "succeeded" | "failed" | null | undefined
      /** Only records of this type. */
      type?: "collection.created" | "collection.updated" | "collection.deleted" | "node.created" | "node.updated" | "node.deleted" | "form_submission.created" | "order.created" | "order.updated" | "order_booking.reminder" | "product.created" | "product.updated" | "product.deleted" | "audience.subscriber_added" | "audience.member_removed" | "audience.member_pending" | "audience.member_confirmed" | "audience.member_access_cancelled" | "audience.member_email_unsubscribed" | "audience.member_email_resubscribed" | "social_connection.needs_reconnect" | "social_connection.expiring" | "social_publication.published" | "social_publication.failed" | "social_publication.unknown" | "account.updated" | "booking.created" | "booking.updated" | null | undefined
      /** Only deliveries of this event. */
      eventId?: string | null | undefined
    }
    answer: BusinessDeliveryList
  }
  /** Read a delivery with its event. Access: members of the business with the role `Admin` or higher. */
  "GET /v1/businesses/{businessId}/webhooks/{id}/deliveries/{deliveryId}": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the webhook. */
      id: string
      /** Identifier of the delivery. */
      deliveryId: string
    }
    answer: BusinessDeliveryWithEvent
  }
  /** Redeliver an event. Creates a new delivery of the same event, which is due now and has the same `webhook-id`. The earlier delivery is kept. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the webhook. */
      id: string
      /** Identifier of the delivery. */
      deliveryId: string
    }
    answer: BusinessDelivery
  }
  /** Redeliver the events of a webhook since a time. Makes all deliveries in `status` due again, `failed` ones by default, and returns their number. A failed delivery is left out if another delivery of its event has not failed. Access: members of the business with the role `Admin` or higher. */
  "POST /v1/businesses/{businessId}/webhooks/{id}/redeliver": {
    path: {
      /** Identifier of the business. */
      businessId: string
      /** Identifier of the webhook. */
      id: string
    }
    body: RedeliverBusinessWebhookEventsBody
    answer: RedeliverBusinessWebhookEventsResult
  }
}
