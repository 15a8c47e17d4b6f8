// Summaries and details of workflows in Temporal's UI: what a workflow is about, and which call resolves it. No secrets and no personal data.
import type { OauthRequestKind } from './oauth.ts'
import { formatMoney } from './orders/currencies.ts'
import type { NetworkType } from './social/networks.ts'
import type { TokenRequestKind } from './social/requests.ts'
import { camel } from './spelling.ts'
import type { TenantKind } from './stores/tenant-kinds.ts'

export type Description = { summary: string; details: string }

/** `store`: key of the store or business; null if it was deleted, as `tenant_kind` is. */
type Base = { id: string; tenant_id: string; store: string | null; tenant_kind: TenantKind | null }

const kindOf = ({ tenant_kind }: Base) => tenant_kind ?? 'store'
const storeOf = (base: Base) => `${kindOf(base)} ${base.store?.slice(0, 80) ?? base.tenant_id}`
const root = (base: Base) => `/v1/${kindOf(base) === 'store' ? 'stores' : 'businesses'}/${base.tenant_id}`

/** A call as a Markdown code block: method, path and optional body. */
const call = (line: string, body?: Record<string, unknown>) => ['```', line, ...(body ? [JSON.stringify(body)] : []), '```'].join('\n')
/** The same with the names of the fields as the API of a store or business spells them. */
const callOf = (base: Base, line: string, body: Record<string, unknown>) =>
  call(line, kindOf(base) === 'store' ? body : Object.fromEntries(Object.entries(body).map(([name, value]) => [camel(name), value])))

/** Amounts in minor units. */
/** Of an order, or of a membership's subscription; the fields of the other one are null. */
export type RefundFacts = Base & {
  order_id: string | null
  number: number | null
  audience_id: string | null
  member_id: string | null
  payment_id: string
  refund_id: string
  amount: number
  currency: string
  origin: string
  account: string | null
  payment: string | null
}

export function ofRefund(refund: RefundFacts): Description {
  const { id, order_id, audience_id, member_id, payment_id, refund_id, amount, currency, origin, account, payment } = refund
  const ofOrder = order_id !== null
  const summary = `refund of ${formatMoney(amount, currency)}, ${ofOrder ? `order ${refund.number}` : member_id ? `member ${member_id}` : `plan of the ${kindOf(refund)}`}, ${storeOf(refund)}`
  const payments = ofOrder ? `${root(refund)}/orders/${order_id}/payment` : `${root(refund)}/audiences/${audience_id}/members/${member_id}/payments`
  const refunds = ofOrder ? `${root(refund)}/orders/${order_id}/refunds` : `${payments}/${payment_id}/refunds`
  const wantedBy =
    {
      system: ofOrder ? 'the system: paid after the order was cancelled' : 'the system: paid beside another subscription',
      provider: "the provider's dashboard",
    }[origin] ?? 'an operator'
  const known = [
    `A ${summary}. Requested by ${wantedBy}.`,
    `Look it up at the provider: account \`${account ?? "the platform's own"}\`, payment \`${payment}\`, metadata \`refund\` = \`${id}\` (also the idempotency key).`,
  ]
  // The platform charges the plans of stores, and no route of a store changes its refunds.
  if (!ofOrder && member_id === null)
    return {
      summary,
      details: [...known, "Refund in the provider's dashboard what was not refunded. It stays in the list:", call(`GET ${root(refund)}/refunds`)].join('\n\n'),
    }
  const details = [
    ...known,
    '**If it is `unknown`**, record what you found at the provider, as an owner. The outcome is `succeeded` or `rejected`:',
    call(`POST ${refunds}/${refund_id}/resolve`, { outcome: 'succeeded or rejected', note: 'what you found' }),
    `**If the ${ofOrder ? 'order is cancelled' : 'system requested it'} and the refund was \`rejected\` or has \`failed\`**, refund the rest under a new id. The payment shows the amount that is left:`,
    call(`GET ${payments}`),
    callOf(refund, `POST ${refunds}`, { refund_id: 'a new UUID', amount }),
    `Refund a payment in another currency than the ${ofOrder ? 'order' : 'price'}'s in the provider's dashboard.`,
  ]
  return { summary, details: details.join('\n\n') }
}

/** Of an order, or of a subscription: of a member, or without one of the store's own plan. */
export type CheckoutFacts = Base & {
  number: number | null
  audience_id: string | null
  member_id: string | null
  amount: number
  currency: string
  account: string | null
}

export function ofCheckout(checkout: CheckoutFacts): Description {
  const { id, number, audience_id, member_id, account } = checkout
  const ofOrder = number !== null
  const subject = ofOrder ? `order ${number}` : member_id ? `member ${member_id}` : `plan of the ${kindOf(checkout)}`
  const summary = `checkout of ${formatMoney(checkout.amount, checkout.currency)}, ${subject}, ${storeOf(checkout)}`
  const at = account ? `account \`${account}\`` : "the platform's own account"
  const details = [
    `A ${summary}.`,
    `**If it is \`unknown\`**, the provider may have a payment form of this ${ofOrder ? 'order' : 'subscription'} (${at}, metadata \`${ofOrder ? 'order_id' : 'subscription'}\` = \`${id}\`). ` +
      `Expire it there, or leave it until it expires. The ${ofOrder ? 'order is cancelled' : 'attempt to subscribe is given up'}; the system refunds a later payment.`,
    ...(ofOrder ? [call(`GET ${root(checkout)}/orders/${id}/payment`)] : []),
    ...(member_id ? [call(`GET ${root(checkout)}/audiences/${audience_id}/members`)] : []),
  ]
  return { summary, details: details.join('\n\n') }
}

export type ProviderFacts = Base & { provider_id: string }

const connected = (facts: ProviderFacts, summary: string): Description => ({
  summary,
  details: [
    `${summary}.`,
    `**If the account is \`unknown\`** (409 \`connect_unknown\`), find it at the provider by its metadata \`payment_provider_id\` = \`${facts.provider_id}\`, and send its id as an owner of the store:`,
    call(`POST ${root(facts)}/payment-providers/stripe/connect`, { connected_account_id: 'acct_…', return_url: '…', refresh_url: '…' }),
  ].join('\n\n'),
})

export const ofConnect = (facts: ProviderFacts): Description => connected(facts, `payment account of ${storeOf(facts)}`)

export type ProvisionFacts = Base & { audience_id: string; tier_id: string; price_id: string; account: string }

export function ofPriceProvision(provision: ProvisionFacts): Description {
  const summary = `price ${provision.price_id} of ${storeOf(provision)}`
  const details = [
    `Creates ${summary} at the provider: account \`${provision.account}\`, lookup key \`${provision.price_id}\`.`,
    '**If it is `unknown`**, an update of the tier searches for the price at the provider and creates it if there is none:',
    call(`PUT ${root(provision)}/audiences/${provision.audience_id}/tiers/${provision.tier_id}`, {}),
  ]
  return { summary, details: details.join('\n\n') }
}

/** An onboarding link depends on its account; a lost link is requested again. */
export const ofOnboardingLink = (facts: ProviderFacts): Description => connected(facts, `onboarding link of ${storeOf(facts)}`)

/** `mailbox`: its key, null if it was deleted. */
export type CampaignMessageFacts = Base & { campaign_id: string; kind: string; step: number | null; mailbox: string | null }

export function ofCampaignMessage(message: CampaignMessageFacts): Description {
  const { id, campaign_id, kind, step, mailbox } = message
  const what = kind === 'step' ? `step ${step} of campaign ${campaign_id}` : `${kind} of campaign ${campaign_id}`
  const summary = `message ${id}, ${what}, ${storeOf(message)}`
  const details = [
    `A campaign message: ${what}, ${storeOf(message)}, sent by the mailbox \`${mailbox}\`.`,
    `**If it is \`unknown\`**, look it up in the log of the mailbox's server: its Message-ID begins with \`${id}\`, and so does the envelope's ENVID. Record what you found, as an ` +
      'owner of the store. The outcome is `succeeded` or `rejected`; after `succeeded` the sequence goes on:',
    call(`POST ${root(message)}/campaign-messages/${id}/resolve`, { outcome: 'succeeded or rejected', note: 'what you found' }),
  ]
  return { summary, details: details.join('\n\n') }
}

/** Of a membership's subscription; of a store's own plan, without audience and member. */
export type MembershipFacts = Base & { audience_id: string | null; member_id: string | null; account: string | null; subscription: string | null }

export function ofMembership(membership: MembershipFacts): Description {
  const { audience_id, member_id, account, subscription } = membership
  const summary = `subscription of ${member_id === null ? '' : `member ${member_id}, `}${storeOf(membership)}`
  const details = [
    `A ${summary}.`,
    `**If a change is \`unknown\`**, look the subscription up at the provider: account \`${account ?? 'the platform'}\`, subscription \`${subscription}\`. A change sets a state and adds nothing: ` +
      'if the provider does not show it, request it again. The record shows what events have reported:',
    call(`GET ${root(membership)}${audience_id === null ? '' : `/audiences/${audience_id}/members`}`),
  ]
  return { summary, details: details.join('\n\n') }
}

/** A link to the customer portal, for a member or for a store's own plan, without audience and member. */
export type PortalFacts = Base & { audience_id: string | null; member_id: string | null; account: string | null; customer: string; configuration_id: string }

export function ofPortal(portal: PortalFacts): Description {
  const { audience_id, member_id, account, customer, configuration_id } = portal
  const summary = `portal link for ${member_id === null ? 'the plan' : `member ${member_id}`}, ${storeOf(portal)}`
  const at = account === null ? "the platform's own account" : `account \`${account}\``
  const details = [
    `A ${summary}: ${at}, customer \`${customer}\`. The portal configuration of the account is created first, once.`,
    `**If the configuration is \`unknown\`**, the workflow searches the account for it (metadata \`portal_configuration\` = \`${configuration_id}\`). If there is none, the next link creates another.`,
    `**If the link is \`unknown\` or has failed**, nothing has to be done: a link changes nothing, and ${member_id === null ? 'an owner of the store' : 'the member'} requests another one.`,
    call(`GET ${root(portal)}${audience_id === null ? '/subscription' : `/audiences/${audience_id}/members`}`),
  ]
  return { summary, details: details.join('\n\n') }
}

/** `webhook_id`: null of a test by address. */
export type WebhookTestFacts = Base & { webhook_id: string | null; delivery_id: string }

export function ofWebhookTest(test: WebhookTestFacts): Description {
  const { webhook_id, delivery_id } = test
  const summary = `test of ${webhook_id === null ? 'an address' : `webhook ${webhook_id}`} of ${storeOf(test)}`
  const again = webhook_id === null ? { webhook: { url: '…', events: [{ event: 'node.created' }] } } : { delivery_id: 'a new UUID', webhook_id }
  const details = [
    `A ${summary}, delivery \`${delivery_id}\`.`,
    `**If it is \`unknown\`**, check the receiver, or send another test${webhook_id === null ? ' with another `Idempotency-Key`' : ' under a new id'}:`,
    call(`POST ${root(test)}/webhooks/test`, again),
  ]
  return { summary, details: details.join('\n\n') }
}

export type OauthExchangeFacts = Base & { kind: OauthRequestKind; provider: string; connection_id: string }

export function ofOauthExchange(exchange: OauthExchangeFacts): Description {
  const { kind, provider, connection_id } = exchange
  const summary = `OAuth ${kind === 'exchange' ? 'exchange' : 'revocation'} at ${provider}, ${storeOf(exchange)}`
  const details =
    kind === 'exchange'
      ? [
          `An ${summary}, for the integration \`${connection_id}\`.`,
          '**If it is `unknown`**, the provider may have issued tokens that were not received. The code is not sent again: a second request may revoke the tokens of the first ' +
            "(RFC 6749, 4.1.2). Remove the application's access in the account at the provider, if it is shown there; then sign in again and send the new code, as an owner:",
          callOf(exchange, `POST ${root(exchange)}/oauth/connect`, { provider, code: '…', redirect_uri: '…' }),
        ]
      : [
          `An ${summary}. The tokens are deleted here.`,
          "**If it is `unknown`, `rejected` or has `failed`**, the token may still be valid: remove the application's access in the account at the provider. The connections that are left:",
          call(`GET ${root(exchange)}/integrations?category=oauth`),
        ]
  return { summary, details: details.join('\n\n') }
}

export type SocialConnectFacts = Base & { type: NetworkType }

export function ofSocialConnect(connect: SocialConnectFacts): Description {
  const summary = `consent at ${connect.type}, ${storeOf(connect)}`
  const details = [
    `A ${summary}: its code is exchanged once.`,
    '**If it is `unknown`**, the network may have issued tokens that were not received. The code is not sent again. Connect the account once more, as an admin of the store: an account keeps its connection.',
    call(`POST ${root(connect)}/social-connections/oauth/connect`, { type: connect.type }),
  ]
  return { summary, details: details.join('\n\n') }
}

export type SocialTokenFacts = Base & { kind: TokenRequestKind; type: NetworkType; connection_id: string }

export function ofSocialTokenRequest(request: SocialTokenFacts): Description {
  const { kind, type, connection_id } = request
  const summary = `${kind === 'refresh' ? 'refresh' : 'revocation'} of tokens at ${type}, ${storeOf(request)}`
  const details =
    kind === 'refresh'
      ? [
          `A ${summary}, of the connection \`${connection_id}\`.`,
          '**If it is `unknown`**, nothing has to be done at once: the old access token serves until the network refuses it, and the refresh token is then tried again. If the connection ' +
            'becomes `needs_reconnect`, connect the account again, as an admin of the store:',
          call(`POST ${root(request)}/social-connections/oauth/connect`, { type }),
        ]
      : [
          `A ${summary}. The tokens are deleted here.`,
          "**If it is `unknown`, `rejected` or has `failed`**, the tokens may still be valid: remove the application's access in the account at the network.",
        ]
  return { summary, details: details.join('\n\n') }
}

export type ChannelMessageFacts = Base & { chat_id: string; agent_id: string | null; message_id: string; channel: string | null; part: number }

/** `channel`: the key of its integration, null if that was deleted. A tenant with a chat is a business. */
export function ofChannelMessage(message: ChannelMessageFacts): Description {
  const { chat_id, agent_id, message_id, channel, part } = message
  const summary = `reply ${message_id}${part > 1 ? `, part ${part},` : ''} of chat ${chat_id}, ${storeOf(message)}`
  const chat = `${root(message)}/agents/${agent_id ?? '…'}/chats/${chat_id}`
  const details = [
    `A ${summary}, by the bot of the integration \`${channel ?? 'deleted'}\`.`,
    '**If it is `unknown`**, the visitor may or may not see it, and it is not sent again: a bot API shows no bot what it has sent. Ask the visitor, or look at the chat in the service as ' +
      'the visitor. If it is not there, write it once more as a person, as an admin; people have the chat then:',
    call(`GET ${chat}/messages`),
    callOf(message, `POST ${chat}/replies`, { message: '…' }),
  ]
  return { summary, details: details.join('\n\n') }
}

export type PublicationFacts = Base & { type: NetworkType; connection_id: string }

export function ofPublication(publication: PublicationFacts): Description {
  const { id, type, connection_id } = publication
  const summary = `publication ${id} at ${type}, ${storeOf(publication)}`
  const at = `${root(publication)}/social-publications/${id}`
  const details = [
    `A ${summary}, on the connection \`${connection_id}\`: its parts are made ahead, and one call shows it.`,
    '**If it is `unknown`**, the network did not say whether the post is visible, and no read proves it. Read the network once more, as an admin of the store:',
    call(`POST ${at}/check`),
    'If it stays `unknown`, look for the post in the account, and record what you found, as an owner. The outcome is `published` or `failed`; after `failed` it can be scheduled again:',
    call(`POST ${at}/resolve`, { outcome: 'published or failed', note: 'what you found' }),
  ]
  return { summary, details: details.join('\n\n') }
}

export type ReplyFacts = Base & { reply_id: string; publication_id: string; comment_id: string; type: NetworkType }

export function ofSocialReply(reply: ReplyFacts): Description {
  const summary = `reply ${reply.reply_id} to a comment at ${reply.type}, ${storeOf(reply)}`
  const comment = `${root(reply)}/social-publications/${reply.publication_id}/comments/${reply.comment_id}`
  const details = [
    `A ${summary}, \`${reply.comment_id}\`.`,
    '**If it is `unknown`**, the network did not say whether the reply is there, and its thread did not show it for ten minutes. Open the thread as an admin of the store: the reply becomes ' +
      '`succeeded` if the network lists it by now:',
    call(`GET ${comment}/thread`),
    'If it stays `unknown`, look for it in the account, and record what you found, as an owner. The outcome is `succeeded` or `rejected`:',
    call(`POST ${comment}/replies/${reply.reply_id}/resolve`, { outcome: 'succeeded or rejected', note: 'what you found' }),
  ]
  return { summary, details: details.join('\n\n') }
}

export type ExecutionFacts = Base & { workflow_id: string; key: string }

export function ofExecution(execution: ExecutionFacts): Description {
  const summary = `${[...execution.key].slice(0, 80).join('')} of ${storeOf(execution)}`
  const details = [
    `An execution of ${summary}.`,
    '**If it is `unknown`**, the execution names the node and its `run_id`. Check the receiver, then start another execution or complete the work by hand:',
    call(`GET ${root(execution)}/workflows/${execution.workflow_id}/executions/${execution.id}`),
    'Record what you found, as an owner. The outcome is `completed` or `failed`:',
    call(`POST ${root(execution)}/workflows/${execution.workflow_id}/executions/${execution.id}/runs/<run_id>/resolve`, {
      outcome: 'completed or failed',
      note: 'what you found',
    }),
  ]
  return { summary, details: details.join('\n\n') }
}

/** `store`: the key that the business had. */
export type ErasureFacts = Base

export function ofErasure(erasure: ErasureFacts): Description {
  const summary = `erasure of business ${erasure.store?.slice(0, 80)}`
  const details = [
    `The ${summary}, \`${erasure.tenant_id}\`: ends what is pending at the provider, and deletes all rows and files.`,
    '**If it failed**, an outcome is open that no row would tell after the deletion. `GET /v1/erasures/{id}` lists what it waits for, for the account that asked for the deletion and for platform administrators. Record what you found, or let it go on: what is open is then kept in its own row.',
    call(`POST /v1/erasures/${erasure.id}/resolve`, { id: 'id of the item', outcome: 'succeeded or rejected', note: 'what you found' }),
    call(`POST /v1/erasures/${erasure.id}/continue`, { note: 'why' }),
    '**If it waits for subscriptions** whose cancellation the provider refuses, cancel them in its dashboard: its event ends the wait. The table `erasures` says what it waits for.',
  ]
  return { summary, details: details.join('\n\n') }
}
