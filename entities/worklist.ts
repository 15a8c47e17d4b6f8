// What a workflow is called in Temporal's UI is read from its row when it starts.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type Process, type ProcessKind, processes } from '../rules/processes.ts'
import {
  type CampaignMessageFacts,
  type ChannelMessageFacts,
  type CheckoutFacts,
  type Description,
  type ErasureFacts,
  type ExecutionFacts,
  type MembershipFacts,
  type OauthExchangeFacts,
  ofCampaignMessage,
  ofChannelMessage,
  ofCheckout,
  ofConnect,
  ofErasure,
  ofExecution,
  ofMembership,
  ofOauthExchange,
  ofOnboardingLink,
  ofPortal,
  ofPriceProvision,
  ofPublication,
  ofRefund,
  ofSocialConnect,
  ofSocialReply,
  ofSocialTokenRequest,
  ofWebhookTest,
  type PortalFacts,
  type ProviderFacts,
  type ProvisionFacts,
  type PublicationFacts,
  type RefundFacts,
  type ReplyFacts,
  type SocialConnectFacts,
  type SocialTokenFacts,
  type WebhookTestFacts,
} from '../rules/worklist.ts'
import { uuids } from './kit/ids.ts'
import { type Sql, sql, text } from './kit/sql.ts'
import { ownerOf } from './stores/tenant-owner.ts'

type Source = { read: (ids: Sql) => Sql; describe: (row: never) => Description }

/** A row that tells what its kind's rows of these ids are about; the tenant comes with each row. */
const source = <Row>(read: (ids: Sql) => Sql, describe: (row: Row) => Description): Source => ({ read, describe: describe as never })

const tenant = text('t.key as store, t.kind as tenant_kind')

const sources: { [K in ProcessKind]?: Source } = {
  refund: source<RefundFacts>(
    (
      ids,
    ) => sql`select r.id, r.tenant_id, ${tenant}, r.order_id, r.subscription_id, u.audience_id, u.id as member_id, r.payment_id, o.number::float8 as number, r.refund_id, r.amount::float8 as amount, r.currency, r.origin,
       p.provider_account_id as account, p.provider_payment_id as payment
     from refunds r join payments p on p.id = r.payment_id and p.tenant_id = r.tenant_id left join orders o on o.id = r.order_id and o.tenant_id = r.tenant_id
     left join subscriptions s on s.id = r.subscription_id and s.tenant_id = r.tenant_id left join audience_members u on u.id = s.member_id and u.tenant_id = s.tenant_id
     left join tenants t on t.id = r.tenant_id where r.id = any (${ids})`,
    ofRefund,
  ),
  checkout: source<CheckoutFacts>(
    (
      ids,
    ) => sql`select coalesce(s.order_id, s.subscription_id) as id, s.tenant_id, ${tenant}, o.number::float8 as number, m.audience_id, m.id as member_id, s.amount::float8 as amount,
       s.currency, s.provider_account_id as account
     from payment_sessions s left join orders o on o.id = s.order_id and o.tenant_id = s.tenant_id left join subscriptions u on u.id = s.subscription_id and u.tenant_id = s.tenant_id
     left join audience_members m on m.id = u.member_id and m.tenant_id = u.tenant_id left join tenants t on t.id = s.tenant_id
     where s.order_id = any (${ids}) or s.subscription_id = any (${ids})`,
    ofCheckout,
  ),
  membership: source<MembershipFacts>(
    (ids) =>
      sql`select s.id, s.tenant_id, ${tenant}, m.audience_id, s.member_id, s.provider_account_id as account, s.provider_subscription_id as subscription
       from subscriptions s left join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id left join tenants t on t.id = s.tenant_id where s.id = any (${ids})`,
    ofMembership,
  ),
  connect: source<ProviderFacts>(
    (ids) =>
      sql`select v.id, v.tenant_id, ${tenant}, v.id as provider_id from payment_providers v left join tenants t on t.id = v.tenant_id where v.id = any (${ids})`,
    ofConnect,
  ),
  onboarding_link: source<ProviderFacts>(
    (ids) => sql`select l.id, l.tenant_id, ${tenant}, l.payment_provider_id as provider_id from onboarding_links l left join tenants t on t.id = l.tenant_id
     where l.id = any (${ids})`,
    ofOnboardingLink,
  ),
  price_provision: source<ProvisionFacts>(
    (ids) =>
      sql`select e.id, e.tenant_id, ${tenant}, i.audience_id, p.tier_id, p.id as price_id, e.provider_account_id as account
     from price_provisions e join audience_prices p on p.id = e.price_id and p.tenant_id = e.tenant_id join audience_tiers i on i.id = p.tier_id and i.tenant_id = p.tenant_id
     left join tenants t on t.id = e.tenant_id where e.id = any (${ids})`,
    ofPriceProvision,
  ),
  portal: source<PortalFacts>(
    (ids) =>
      sql`select l.id, l.tenant_id, ${tenant}, m.audience_id, s.member_id, l.provider_account_id as account, l.provider_customer_id as customer, l.portal_configuration_id as configuration_id
       from portal_links l join subscriptions s on s.id = l.subscription_id and s.tenant_id = l.tenant_id left join audience_members m on m.id = s.member_id and m.tenant_id = s.tenant_id
       left join tenants t on t.id = l.tenant_id where l.id = any (${ids})`,
    ofPortal,
  ),
  webhook_test: source<WebhookTestFacts>(
    (ids) =>
      sql`select w.id, w.tenant_id, ${tenant}, w.webhook_id, w.delivery_id from webhook_tests w left join tenants t on t.id = w.tenant_id where w.id = any (${ids})`,
    ofWebhookTest,
  ),
  social_connect: source<SocialConnectFacts>(
    (ids) => sql`select a.id, a.tenant_id, ${tenant}, a.type from social_authorizations a left join tenants t on t.id = a.tenant_id where a.id = any (${ids})`,
    ofSocialConnect,
  ),
  social_token_request: source<SocialTokenFacts>(
    (ids) =>
      sql`select r.id, r.tenant_id, ${tenant}, r.kind, r.type, r.social_connection_id as connection_id from social_token_requests r left join tenants t on t.id = r.tenant_id where r.id = any (${ids})`,
    ofSocialTokenRequest,
  ),
  publication: source<PublicationFacts>(
    (ids) =>
      sql`select p.id, p.tenant_id, ${tenant}, p.type, p.social_connection_id as connection_id from social_publications p left join tenants t on t.id = p.tenant_id where p.id = any (${ids})`,
    ofPublication,
  ),
  social_reply: source<ReplyFacts>(
    (ids) =>
      sql`select r.id, r.tenant_id, ${tenant}, r.reply_id, r.publication_id, r.comment_id, r.type from social_replies r left join tenants t on t.id = r.tenant_id where r.id = any (${ids})`,
    ofSocialReply,
  ),
  oauth_exchange: source<OauthExchangeFacts>(
    (ids) =>
      sql`select e.id, e.tenant_id, ${tenant}, e.kind, e.provider, e.connection_id from oauth_exchanges e left join tenants t on t.id = e.tenant_id where e.id = any (${ids})`,
    ofOauthExchange,
  ),
  campaign_message: source<CampaignMessageFacts>(
    (ids) =>
      sql`select m.id, m.tenant_id, ${tenant}, m.campaign_id, m.kind, m.step, b.key as mailbox from campaign_messages m left join mailboxes b on b.id = m.mailbox_id and b.tenant_id = m.tenant_id
       left join tenants t on t.id = m.tenant_id where m.id = any (${ids})`,
    ofCampaignMessage,
  ),
  channel_message: source<ChannelMessageFacts>(
    (ids) =>
      sql`select e.id, e.tenant_id, ${tenant}, e.chat_id, c.agent_id, m.message_id, i.key as channel, e.part from channel_messages e
       left join chats c on c.id = e.chat_id and c.tenant_id = e.tenant_id left join chat_messages m on m.id = e.message_id and m.tenant_id = e.tenant_id
       left join integrations i on i.id = e.channel_id and i.tenant_id = e.tenant_id left join tenants t on t.id = e.tenant_id where e.id = any (${ids})`,
    ofChannelMessage,
  ),
  erasure: source<ErasureFacts>(
    (ids) => sql`select id, erased_id as tenant_id, key as store, 'business' as tenant_kind from erasures where id = any (${ids})`,
    ofErasure,
  ),
  execution: source<ExecutionFacts>(
    (
      ids,
    ) => sql`select x.id, x.tenant_id, ${tenant}, x.workflow_id, w.key from executions x join workflows w on w.id = x.workflow_id and w.tenant_id = x.tenant_id
     left join tenants t on t.id = x.tenant_id where x.id = any (${ids})`,
    ofExecution,
  ),
}

type Named = { kind: ProcessKind; row_id: string; tenant_id: string | null; summary?: string | null }

/** The account for whose turn a process is started; null for those that the tenant's turn is for. */
const turnOf = async (em: EntityManager, { kind, tenant_id }: Named): Promise<string | null> =>
  tenant_id !== null && (processes[kind] as Process).turns ? (await ownerOf(em, tenant_id)).account : null

/** The same starts, described: a statement per kind. Where that fails they start all the same, under the names that they have. */
export async function described<T extends Named>(em: EntityManager, starts: readonly T[]): Promise<(T & Partial<Description> & { turn?: string })[]> {
  const found = new Map<string, Description>()
  const turns = new Map<T, string>()
  try {
    for (const [kind, same] of Map.groupBy(starts, (one) => one.kind)) {
      const from = sources[kind]
      if (!from) continue
      const rows: { id: string }[] = await em.execute(from.read(uuids(same.map(({ row_id }) => row_id))))
      for (const row of rows) found.set(`${kind}/${row.id}`, from.describe(row as never))
    }
    for (const one of starts) {
      const turn = await turnOf(em, one)
      if (turn !== null) turns.set(one, turn)
    }
  } catch {}
  return starts.map((one) => ({ ...one, ...found.get(`${one.kind}/${one.row_id}`), ...(turns.has(one) ? { turn: turns.get(one) as string } : {}) }))
}
