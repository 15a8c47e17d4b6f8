// One row per effect: how a test requests one, and what its provider's ledger recorded. A row of rules/effects.ts
// without a row here is a type error.
import { createHash } from 'node:crypto'
import type { SendingType } from '../../../activities/automation/node-senders.ts'
import { sendEffect } from '../../../activities/index.ts'
import { encrypt } from '../../../entities/kit/encrypted.ts'
import { newId } from '../../../entities/kit/ids.ts'
import { packContent } from '../../../entities/sending/content.ts'
import { ALL_AGENTS } from '../../../rules/agents/chats.ts'
import { type EffectName, effectNames, effects } from '../../../rules/effects.ts'
import { addressProof, apiProof, type Proof } from '../../../rules/http-verdicts.ts'
import { newWorkflow } from '../automation/graphs.ts'
import { sim } from '../orders/buying.ts'
import { database, newEmail, unique } from '../shop.ts'
import { social, socialLedger } from '../social/social.ts'
import type { Receiver } from '../webhooks/receiver.ts'
import { fault, ledgerOf, mailFault, mailLedger, stripeApi } from './provider.ts'

type Next = 'hang' | 'break' | 'refuse'
export type Arrival = { digest: string; effect: boolean }
/** One attempt, as the workflow runs it, with the limit of the lab. */
export const sendOnce = (name: EffectName, id: string, token: string) => sendEffect(name, id, token)

type Row = {
  /** Sent by SMTP: a refused message is not recorded, and an attempt that was not sent is not observed. */
  by_mail?: true
  /** Its requests name no id of ours. */
  unnamed?: true
  /** Writes what it belongs to and the row itself, `requested`. */
  ask(): Promise<string>
  /** Everything that arrived for it, in order. */
  arrivals(id: string): Promise<Arrival[]>
  /**
   * How the provider treats the next request. `hang`, `break`: accepts it, and does not answer or breaks the
   * connection.
   */
  next(id: string, what: Next): Promise<unknown>
  /** Lets its provider answer the next request with this status and a gateway's page. */
  answer?(id: string, status: number): Promise<unknown>
  /** What such a page proves; only mail has none. */
  proves?(status: number): Proof
  /** Changes the records that it was prepared from: another prepare would make another request. */
  change(id: string): Promise<unknown>
}

const account = `acct_${unique()}`
const tenant = newId()
const now = () => Math.floor(Date.now() / 1000)

async function insert(table: string, row: Record<string, unknown>): Promise<string> {
  const full: Record<string, unknown> = { id: newId(), created_at: now(), updated_at: now(), ...row }
  const names = Object.keys(full)
  await database().query(
    `insert into ${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
    names.map((name) => full[name]),
  )
  return full.id as string
}
const change = (sql: string) => (id: string) => database().query(sql, [id])
const asked = { tenant_id: tenant, status: 'requested', fingerprint: '', attempt: 0 }

/** What is taken is recorded by the settings of its business. */
const business = () =>
  insert('tenants', {
    ...{
      kind: 'business',
      key: unique(),
      timezone: 'UTC',
      languages: '["en"]',
      emails: '{}',
      settings: '{}',
      status: 'ACTIVE',
      is_network: false,
    },
    publishable_key: unique(),
  })

const order = (more: Record<string, unknown> = {}) =>
  insert('orders', {
    ...{
      tenant_id: tenant,
      number: Math.floor(Math.random() * 1e12),
      status: 'pending',
      fulfillment_status: 'none',
      contact_id: newId(),
      verified: false,
    },
    ...{
      source_cart_id: newId(),
      payment_id: newId(),
      market: 'us',
      money: '{}',
      forms: '[]',
      hold_until: new Date(Date.now() + 1_800_000),
    },
    ...more,
  })

const openPage = (more: Record<string, string> = {}) =>
  stripeApi<{ id: string }>(account, '/v1/checkout/sessions', {
    ...{
      mode: 'payment',
      ui_mode: 'embedded_page',
      return_url: 'https://shop.example/',
      'line_items[0][quantity]': '1',
    },
    ...{ 'line_items[0][price_data][currency]': 'usd', 'line_items[0][price_data][unit_amount]': '5000' },
    'line_items[0][price_data][product_data][name]': 'Something',
    ...more,
  })

const session = (more: Record<string, unknown>) =>
  insert('payment_sessions', {
    ...{ ...asked, payment_id: newId(), provider_account_id: account },
    ...{ return_url: 'https://shop.example/', amount: 5000, currency: 'USD', ...more },
  })

async function paidPayment(): Promise<{ id: string; order_id: string }> {
  const { id } = await openPage()
  const { payment_intent } = await sim('POST', `/checkout_sessions/${id}/pay`)
  const order_id = await order()
  const payment = {
    ...{
      tenant_id: tenant,
      order_id,
      type: 'card',
      status: 'paid',
      currency: 'USD',
      amount: 5000,
      captured_amount: 5000,
      refund_pending_amount: 100,
    },
    ...{ provider: 'stripe', provider_account_id: account, provider_payment_id: payment_intent },
  }
  return { id: await insert('payments', payment), order_id }
}

const provider = (more: Record<string, unknown> = {}) =>
  insert('payment_providers', {
    ...{
      ...asked,
      tenant_id: newId(),
      type: 'stripe',
      country: 'US',
      charges_enabled: false,
      payouts_enabled: false,
      details_submitted: false,
      ...more,
    },
  })

/** A link is looked up with its provider, by id and tenant. */
async function link(): Promise<string> {
  const tenant_id = newId()
  const payment_provider_id = await provider({ tenant_id, status: 'succeeded', account_id: account })
  const at = 'https://shop.example/'
  return insert('onboarding_links', { ...asked, tenant_id, payment_provider_id, return_url: at, refresh_url: at })
}

async function provision(): Promise<string> {
  const tenant_id = newId()
  const audience_id = await insert('audiences', { tenant_id, key: 'club', name: 'Club', type: 'paid', status: 'draft' })
  const tier_id = await insert('audience_tiers', { tenant_id, audience_id, key: 'gold', name: 'Gold', benefits: '[]' })
  const interval = JSON.stringify({ period: 'month', count: 1 })
  const price_id = await insert('audience_prices', {
    tenant_id,
    tier_id,
    amount: 500,
    currency: 'USD',
    interval,
    position: 0,
  })
  return insert('price_provisions', { ...asked, tenant_id, price_id, provider_account_id: account })
}

/** The customer and the configuration that `prepareProvider` creates; rows that are never sent need none. */
let portal = { customer: 'cus_none', configuration: 'bpc_none' }

/** Of an account of its own: an account has one request for a configuration at a time. */
async function configuration(): Promise<string> {
  const provider_account_id = `acct_${unique()}`
  await sim('POST', `/accounts/${provider_account_id}`, {
    charges_enabled: true,
    details_submitted: true,
    payouts_enabled: true,
  })
  return insert('portal_configurations', { ...asked, tenant_id: tenant, provider_account_id })
}

async function portalLink(): Promise<string> {
  const tenant_id = newId()
  const subscription_id = await insert('subscriptions', {
    ...{
      tenant_id,
      plan_id: 'pro',
      kind: 'recurring',
      status: 'live',
      amount: 500,
      currency: 'USD',
      interval: JSON.stringify({ period: 'month', count: 1 }),
    },
    provider_customer_id: portal.customer,
  })
  const portal_configuration_id = await insert('portal_configurations', {
    ...{
      ...asked,
      tenant_id,
      status: 'succeeded',
      provider_account_id: account,
      provider_configuration_id: portal.configuration,
    },
  })
  return insert('portal_links', {
    ...{
      ...asked,
      tenant_id,
      subscription_id,
      portal_configuration_id,
      provider_account_id: account,
      provider_customer_id: portal.customer,
    },
    ...{ flow: 'payment_method_update', return_url: 'https://shop.example/' },
  })
}

/** A change of a live subscription at the provider: of the plan of a store of its own, which needs no audience. */
async function subscriptionChange(): Promise<string> {
  const page = await stripeApi<{ id: string }>(account, '/v1/checkout/sessions', {
    ...{
      mode: 'subscription',
      ui_mode: 'embedded_page',
      return_url: 'https://shop.example/',
      'line_items[0][quantity]': '1',
    },
    ...{ 'line_items[0][price_data][currency]': 'usd', 'line_items[0][price_data][unit_amount]': '5000' },
    ...{
      'line_items[0][price_data][recurring][interval]': 'month',
      'line_items[0][price_data][product_data][name]': 'Something',
    },
  })
  const { subscription: provider_subscription_id, customer: provider_customer_id } = await sim(
    'POST',
    `/checkout_sessions/${page.id}/pay`,
  )
  const tenant_id = newId()
  const subscription_id = await insert('subscriptions', {
    ...{
      tenant_id,
      plan_id: 'pro',
      kind: 'recurring',
      status: 'live',
      amount: 5000,
      currency: 'USD',
      interval: '{"period":"month","count":1}',
    },
    ...{ provider_account_id: account, provider_subscription_id, provider_customer_id },
  })
  // Before a cancellation the provider is read.
  return insert('subscription_changes', {
    ...asked,
    tenant_id,
    subscription_id,
    kind: 'resume',
    requested_by: 'operator',
  })
}

const page = '<html><h1>An answer</h1></html>'
const atStripe = {
  answer: (key: string, status: number) => fault({ key, fault: 'answer', status, body: page }),
  // Only its own format does.
  proves: (): Proof => 'unknown',
  arrivals: ledgerOf,
  next: (id: string, what: Next) =>
    fault({
      key: id,
      ...(what === 'refuse'
        ? { fault: 'status', status: 402 }
        : { fault: what === 'hang' ? 'hang' : 'reset_after_read', after_effect: true }),
    }),
}

let receiver: Receiver
/** The receiver of requests to users' addresses. */
export const meetReceiver = (given: Receiver): void => {
  receiver = given
}
const atPath = (pathOf: (id: string) => string, proves: (status: number) => Proof) => ({
  answer: (id: string, status: number) => receiver.rule(pathOf(id), { status, body: page }, 1),
  proves,
  // Without an answer the receiver may have acted.
  arrivals: async (id: string) =>
    (await receiver.arrivals(pathOf(id))).map(({ digest, status }) => ({
      digest,
      effect: status === null || status < 300,
    })),
  next: (id: string, what: Next) =>
    receiver.rule(
      pathOf(id),
      what === 'refuse' ? { status: 402 } : { do: what === 'hang' ? 'hang' : 'reset_after_read' },
      1,
    ),
})
/** Each effect has a path of its own. */
const atReceiver = atPath(
  (id) => `/${id}`,
  (status) => addressProof('POST', status),
)
/** The paths of the APIs of OAuth clients, by exchange. */
const authorizations = new Map<string, string>()

/** Rows that are never sent need nothing at the networks. */
const atSimulator = async (at: string, body: object) => (process.env.TEST_SOCIAL ? social('POST', at, body) : undefined)

/** A post of an account of network d with this token, and a comment below it. */
async function commented(account: string, token: string): Promise<{ post: string; comment: string }> {
  if (!process.env.TEST_SOCIAL) return { post: '1', comment: '2' }
  await social('POST', '/tokens', { network: 'd', account, token, kind: 'access' })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const posted = await fetch(`${process.env.TEST_SOCIAL}/api.x.com/2/tweets`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ text: `Post of ${token}` }),
  })
  const { data } = (await posted.json()) as { data: { id: string } }
  const { id: comment } = await social<{ id: string }>('POST', '/comments', { post_id: data.id, text: 'Hello' })
  return { post: data.id, comment }
}

/** The request of an effect has its id as its code, token or text. */
const atNetwork = (host: string, path: string) => ({
  answer: (id: string, status: number) =>
    social('POST', '/faults', { path: `/${host}${path}`, body_match: id, fault: 'answer', status, body: page }),
  proves: apiProof,
  arrivals: async (id: string) =>
    (await socialLedger({ host, match: id })).map(({ digest, effect }) => ({ digest, effect })),
  next: (id: string, what: Next) =>
    social('POST', '/faults', {
      ...{ path: `/${host}${path}`, body_match: id },
      ...(what === 'refuse'
        ? { fault: 'answer', status: 400, body: { error: 'invalid_grant' } }
        : { fault: what === 'hang' ? 'hang' : 'reset_after_read', after_effect: true }),
    }),
})

const addresses = new Map<string, string>()
const addressOf = (id: string) => addresses.get(id) as string

const atMailServer = {
  arrivals: async (id: string) =>
    (await mailLedger(addressOf(id))).map(({ digest, accepted }) => ({ digest, effect: accepted })),
  next: (id: string, what: Next) =>
    mailFault({
      to: addressOf(id),
      ...(what === 'refuse'
        ? { step: 'rcpt', action: 'reject' }
        : { step: 'after_data', action: what === 'hang' ? 'hang' : 'reset' }),
    }),
}

/** Of the catcher. */
function mailbox(key: string): Promise<string> {
  const { hostname, port } = new URL(process.env.SMTP_URL as string)
  const smtp = { smtp_host: hostname, smtp_port: Number(port), smtp_security: 'none' }
  return insert('mailboxes', { tenant_id: tenant, key, email: 'shop@tillwright.test', status: 'active', ...smtp })
}

let graph: { workflow_id: string; graph_id: string } | undefined
const kindsOfNodes = {
  http: { type: 'http', method: 'post', url: 'https://shop.example/' },
  deploy_webhook: { type: 'deploy_webhook' },
  send_email: { type: 'send_email' },
  drive_upload: { type: 'drive_upload' },
} satisfies { [T in SendingType]: { type: T } & Record<string, unknown> }
/** A run of a node, as a step of its execution writes it. */
async function nodeRun(id: string, node: keyof typeof kindsOfNodes, more: Record<string, unknown>): Promise<string> {
  graph ??= await newWorkflow(tenant, { nodes: { start: { type: 'trigger' }, ...kindsOfNodes }, edges: [] })
  const execution_id = await insert('executions', {
    ...{
      ...graph,
      tenant_id: tenant,
      status: 'running',
      source: 'webhook',
      input: '{}',
      step: 1,
      cancel_requested: false,
    },
  })
  return insert('node_runs', { ...asked, id, execution_id, key: node, node, applied: false, ...more })
}
const sealed = (value: unknown) => encrypt(JSON.stringify(value))

const terms = { amount: 5000, currency: 'USD', interval: '{"period":"month","count":1}' }
let priced: Promise<{ audience_id: string; tier_id: string; price_id: string }> | undefined
/** A price that the provider has. */
async function newPrice() {
  const form = { currency: 'usd', unit_amount: '5000', 'recurring[interval]': 'month', 'product_data[name]': 'Club' }
  const { id: provider_price_id } = await stripeApi<{ id: string }>(account, '/v1/prices', form)
  const audience_id = await insert('audiences', {
    tenant_id: tenant,
    key: unique(),
    name: 'Club',
    status: 'active',
    type: 'paid',
  })
  const tier_id = await insert('audience_tiers', {
    tenant_id: tenant,
    audience_id,
    key: 'gold',
    name: 'Gold',
    benefits: '[]',
    status: 'active',
  })
  const price = { tenant_id: tenant, tier_id, status: 'active', ...terms, position: 0, ready: true, provider_price_id }
  return { audience_id, tier_id, price_id: await insert('audience_prices', price) }
}

/** A subscription whose page may be opened. */
async function subscription(): Promise<string> {
  priced ??= newPrice()
  const { audience_id, tier_id, price_id } = await priced
  const contact_id = await insert('contacts', { tenant_id: tenant, taxonomies: '[]' })
  const member = {
    tenant_id: tenant,
    audience_id,
    contact_id,
    status: 'pending',
    source: 'storefront',
    fields: '{}',
    pending_since: now(),
  }
  return insert('subscriptions', {
    ...{
      tenant_id: tenant,
      member_id: await insert('audience_members', member),
      tier_id,
      price_id,
      kind: 'recurring',
      status: 'pending',
      ...terms,
    },
    ...{ provider_account_id: account, promo_code: 'HALF', hold_until: new Date(Date.now() + 1_800_000) },
  })
}

/** The kinds of requests of effects that have several; of a node run by the type of its node. */
type Kinds = { node_run: keyof typeof kindsOfNodes; payment_session: 'order' | 'membership' }

const rows: { [N in EffectName]: N extends keyof Kinds ? Record<Kinds[N], Row> : Row } = {
  refund: {
    async ask() {
      const { id: payment_id, order_id } = await paidPayment()
      return insert('refunds', {
        ...asked,
        payment_id,
        order_id,
        refund_id: newId(),
        amount: 100,
        currency: 'USD',
        origin: 'operator',
        provider_account_id: account,
      })
    },
    change: change('update refunds set refund_id = gen_random_uuid() where id = $1'),
    ...atStripe,
  },
  authorization_end: {
    async ask() {
      // Its signed event would settle it: that is tested in test/payments/authorizations.test.ts.
      await sim('POST', '/events', { hold: true, account })
      const { id } = await openPage({ 'payment_intent_data[capture_method]': 'manual' })
      const { payment_intent: provider_payment_id } = await sim('POST', `/checkout_sessions/${id}/pay`)
      const tenant_id = await business()
      const order_id = await order({
        tenant_id,
        module: 'booking',
        booking_status: 'authorized',
        approval_required: true,
      })
      const paid = {
        tenant_id,
        order_id,
        currency: 'USD',
        amount: 5000,
        provider_account_id: account,
        provider_payment_id,
      }
      const payment_id = await insert('payments', { ...paid, type: 'card', status: 'authorized', provider: 'stripe' })
      return insert('authorization_ends', { ...asked, ...paid, payment_id, kind: 'capture', confirms_as: 'confirmed' })
    },
    change: change('update authorization_ends set amount = 1 where id = $1'),
    ...atStripe,
  },
  payment_session: {
    order: {
      ask: async () => session({ order_id: await order() }),
      change: change(`update payment_sessions set return_url = 'https://elsewhere.example/' where id = $1`),
      ...atStripe,
    },
    membership: {
      ask: async () => session({ subscription_id: await subscription(), mode: 'subscription' }),
      change: change(`update payment_sessions set return_url = 'https://elsewhere.example/' where id = $1`),
      ...atStripe,
    },
  },
  coupon: {
    ask: async () =>
      insert('coupons', {
        ...asked,
        subscription_id: await subscription(),
        provider_account_id: account,
        amount: 2500,
        currency: 'USD',
      }),
    change: change('update coupons set amount = 1 where id = $1'),
    ...atStripe,
  },
  session_expiry: {
    async ask() {
      const provider_session_id = (await openPage()).id
      return insert('session_expiries', {
        ...asked,
        payment_session_id: await session({
          order_id: await order(),
          status: 'succeeded',
          state: 'open',
          provider_session_id,
        }),
      })
    },
    change: change(
      `update payment_sessions set provider_session_id = 'cs_test_another' where id = (select payment_session_id from session_expiries where id = $1)`,
    ),
    ...atStripe,
  },
  subscription_change: {
    ask: subscriptionChange,
    change: change(`update subscription_changes set kind = 'cancel_now' where id = $1`),
    ...atStripe,
  },
  connect: {
    ask: () => provider(),
    change: change(`update payment_providers set country = 'DE' where id = $1`),
    ...atStripe,
  },
  onboarding_link: {
    ask: link,
    change: change(`update onboarding_links set return_url = 'https://elsewhere.example/' where id = $1`),
    ...atStripe,
  },
  price_provision: {
    ask: provision,
    change: change(
      `update audience_tiers set name = 'Another' where id = (select p.tier_id from audience_prices p join price_provisions e on e.price_id = p.id where e.id = $1)`,
    ),
    ...atStripe,
  },
  portal_configuration: {
    ask: () => configuration(),
    // It is the same for every account.
    change: async () => {},
    ...atStripe,
  },
  portal_link: {
    ask: portalLink,
    change: change(`update portal_links set return_url = 'https://elsewhere.example/' where id = $1`),
    ...atStripe,
  },
  mail: {
    by_mail: true,
    async ask() {
      const to = newEmail('reader')
      const id = await insert('mails', {
        ...{ ...asked, kind: 'test', fingerprint: 'test' },
        request: encrypt(JSON.stringify({ to, subject: 'Hello', text: 'Hello there', html: '<p>Hello there</p>' })),
      })
      addresses.set(id, to)
      return id
    },
    // Rendered when it was requested: nothing is read again.
    change: async () => {},
    ...atMailServer,
  },
  campaign_message: {
    by_mail: true,
    async ask() {
      const [id, address] = [newId(), newEmail('reader')]
      const mailbox_id = await mailbox(id)
      const campaign = {
        tenant_id: tenant,
        name: 'Spring',
        mailbox_ids: JSON.stringify([mailbox_id]),
        steps: '[]',
        variables: '{}',
      }
      addresses.set(id, address)
      return insert('campaign_messages', {
        ...{
          ...asked,
          id,
          campaign_id: await insert('campaigns', campaign),
          kind: 'test',
          step: 0,
          mailbox_id,
          address,
          subject: 'Hello',
          attachments: '[]',
        },
        content: packContent({ html: '<p>Hello there</p>', text: 'Hello there' }, null),
      })
    },
    change: (id) => database().query(`update mailboxes set name = 'Another' where key = $1`, [id]),
    ...atMailServer,
  },
  webhook_test: {
    async ask() {
      const id = newId()
      const webhook_id = await insert('webhooks', {
        ...{
          tenant_id: tenant,
          key: id,
          url: encrypt(`${receiver.url}/${id}`),
          headers: encrypt('{}'),
          secret: encrypt('signs this'),
        },
        ...{ events: '[]', enabled: true },
      })
      return insert('webhook_tests', { ...asked, id, delivery_id: id, webhook_id })
    },
    change: (id) =>
      database().query(
        'update webhooks set url = $2, secret = $2 where id = (select webhook_id from webhook_tests where id = $1)',
        [id, encrypt('https://elsewhere.example/')],
      ),
    ...atReceiver,
  },
  oauth_exchange: {
    unnamed: true,
    async ask() {
      const [id, base_url] = [newId(), `${receiver.url}/${newId()}`]
      const settings = JSON.stringify({ base_url, client_id: 'client' })
      const client = {
        tenant_id: tenant,
        key: id,
        type: 'identity_oauth',
        category: 'oauth',
        settings,
        credentials: sealed({ client_secret: 'secret' }),
      }
      const grant = {
        base_url,
        client_id: 'client',
        fields: { grant_type: 'authorization_code', code: id, redirect_uri: 'https://shop.example/' },
      }
      authorizations.set(id, new URL(base_url).pathname)
      return insert('oauth_exchanges', {
        ...{
          ...asked,
          id,
          kind: 'exchange',
          provider: 'calendar',
          connection_id: newId(),
          integration_id: await insert('integrations', client),
        },
        ...{ code_digest: id, oauth_grant: sealed(grant) },
      })
    },
    change: (id) =>
      database().query('update oauth_exchanges set oauth_grant = $2 where id = $1', [
        id,
        sealed({ base_url: 'https://elsewhere.example', fields: {} }),
      ]),
    ...atPath((id) => `${authorizations.get(id)}/token`, apiProof),
  },
  social_connect: {
    unnamed: true,
    async ask() {
      const id = newId()
      const redirect_uri = 'https://shop.example/'
      await atSimulator('/codes', {
        network: 'd',
        account: id,
        code: id,
        redirect_uri,
        challenge: createHash('sha256').update(id).digest('base64url'),
      })
      return insert('social_authorizations', {
        ...{
          ...asked,
          id,
          type: 'network_d_account',
          state_digest: id,
          code_digest: id,
          code: encrypt(id),
          code_verifier: encrypt(id),
          redirect_uri,
        },
        ...{ connected_by: newId(), expires_at: 9_999_999_999 },
      })
    },
    change: (id) =>
      database().query('update social_authorizations set code = $2, redirect_uri = $3 where id = $1', [
        id,
        encrypt('another'),
        'https://elsewhere.example/',
      ]),
    ...atNetwork('api.x.com', '/2/oauth2/token'),
  },
  social_token_request: {
    unnamed: true,
    async ask() {
      const id = newId()
      await atSimulator('/tokens', { network: 'd', account: id, token: id })
      const social_connection_id = await insert('social_connections', {
        ...{
          tenant_id: tenant,
          type: 'network_d_account',
          provider_account_id: id,
          name: id,
          granted_by: id,
          scopes: '[]',
          connected_by: newId(),
        },
        ...{ refreshed_at: now(), access_token: encrypt('old'), refresh_token: encrypt(id) },
      })
      const held = sealed({ access_token: 'old', refresh_token: id })
      return insert('social_token_requests', {
        ...asked,
        id,
        kind: 'refresh',
        type: 'network_d_account',
        social_connection_id,
        token_version: 1,
        held,
      })
    },
    change: (id) =>
      database().query('update social_token_requests set held = $2 where id = $1', [
        id,
        sealed({ access_token: null, refresh_token: 'another' }),
      ]),
    ...atNetwork('api.x.com', '/2/oauth2/token'),
  },
  social_reveal: {
    unnamed: true,
    async ask() {
      const id = newId()
      await atSimulator('/tokens', { network: 'd', account: id, token: id, kind: 'access' })
      const on = { tenant_id: tenant, type: 'network_d_account' }
      const social_connection_id = await insert('social_connections', {
        ...{
          ...on,
          provider_account_id: id,
          name: id,
          granted_by: id,
          scopes: '[]',
          connected_by: newId(),
          refreshed_at: now(),
          access_token: encrypt(id),
        },
      })
      const publication_id = await insert('social_publications', {
        ...{
          ...on,
          social_connection_id,
          content: JSON.stringify({ caption: id, media_ids: [] }),
          status: 'publishing',
          issues: '[]',
          created_by: newId(),
          run: 1,
        },
        scheduled_at: now() - 1,
      })
      const subject = { kind: 'tweet', id: null, keys: [], text: id }
      const call = { method: 'POST', host: 'api.x.com', path: '/2/tweets', json: { text: id } }
      return insert('social_reveals', {
        ...{
          ...asked,
          id,
          ...on,
          publication_id,
          social_connection_id,
          run: 1,
          n: 1,
          not_before: new Date(0),
          not_after: new Date(8.64e12),
        },
        ...{ subject: JSON.stringify(subject), request: sealed({ ...on, social_connection_id, subject, call }) },
      })
    },
    // Decided when it was written: nothing is read again.
    change: async () => {},
    ...atNetwork('api.x.com', '/2/tweets'),
  },
  social_reply: {
    unnamed: true,
    async ask() {
      const id = newId()
      const account = `Shop ${id}`
      const { post, comment } = await commented(account, id)
      const type = 'network_d_account'
      const social_connection_id = await insert('social_connections', {
        ...{
          tenant_id: tenant,
          type,
          provider_account_id: id,
          name: account,
          granted_by: id,
          scopes: '[]',
          connected_by: newId(),
          status: 'active',
        },
        ...{ refreshed_at: now(), access_token: encrypt(id) },
      })
      const publication_id = await insert('social_publications', {
        ...{
          tenant_id: tenant,
          social_connection_id,
          type,
          content: '{}',
          status: 'published',
          published_at: now(),
          provider_post_id: post,
          issues: '[]',
          created_by: newId(),
        },
      })
      const comment_id = await insert('social_comments', {
        ...{
          tenant_id: tenant,
          publication_id,
          provider_comment_id: comment,
          own: false,
          provider_created_at: now(),
          synced_at: now(),
          text: 'Hello',
        },
      })
      return insert('social_replies', {
        ...{
          ...asked,
          id,
          reply_id: newId(),
          publication_id,
          comment_id,
          root_id: comment_id,
          social_connection_id,
          type,
          text: id,
        },
      })
    },
    change: (id) => database().query(`update social_replies set text = 'Another' where id = $1`, [id]),
    ...atNetwork('api.x.com', '/2/tweets'),
  },
  social_classification: {
    async ask() {
      const id = newId()
      const base_url = `${receiver.url}/${id}`
      const settings = JSON.stringify({ base_url, model: 'large' })
      const integration = {
        tenant_id: tenant,
        key: id,
        type: 'llm_a',
        category: 'ai',
        settings,
        credentials: sealed({ api_key: 'secret' }),
      }
      const integration_id = await insert('integrations', integration)
      await database().query(
        `insert into model_usage (id, created_at, updated_at, tenant_id, day, agent_id, calls, reserved_tokens) values ($1, 1, 1, $2, '2026-01-01', $3, 1, 10)
         on conflict (tenant_id, day, agent_id) do update set reserved_tokens = model_usage.reserved_tokens + 10`,
        [newId(), tenant, ALL_AGENTS],
      )
      const request = {
        ...{
          provider: 'llm_a',
          base_url,
          model: 'large',
          system: 'Label.',
          turns: [{ role: 'user', content: '[]' }],
          tools: [],
          output_tokens_max: 10,
        },
        ...{ tenant_id: tenant, integration_id, reserved_tokens: 10 },
      }
      return insert('social_classifications', {
        ...{
          ...asked,
          id,
          publication_id: newId(),
          integration_id,
          model: 'large',
          day: '2026-01-01',
          asked: '[]',
          reserved_tokens: 10,
          held_tokens: 10,
        },
        request: sealed(request),
      })
    },
    // The comments that it was made of.
    change: (id) => database().query(`update social_classifications set asked = '[]' where id = $1`, [id]),
    ...atPath((id) => `/${id}/chat/completions`, apiProof),
  },
  model_call: {
    async ask() {
      const id = newId()
      const base_url = `${receiver.url}/${id}`
      const settings = JSON.stringify({ base_url, model: 'large' })
      const integration = {
        tenant_id: tenant,
        key: id,
        type: 'llm_a',
        category: 'ai',
        settings,
        credentials: sealed({ api_key: 'secret' }),
      }
      const integration_id = await insert('integrations', integration)
      const agent_id = newId()
      for (const counted of [ALL_AGENTS, agent_id])
        await database().query(
          `insert into model_usage (id, created_at, updated_at, tenant_id, day, agent_id, calls, reserved_tokens) values ($1, 1, 1, $2, '2026-01-01', $3, 1, 10)
           on conflict (tenant_id, day, agent_id) do update set reserved_tokens = model_usage.reserved_tokens + 10`,
          [newId(), tenant, counted],
        )
      const turn_id = await insert('model_turns', { tenant_id: tenant, owner_id: newId(), version: 1 })
      const request = {
        ...{
          provider: 'llm_a',
          base_url,
          model: 'large',
          system: 'Be kind.',
          turns: [{ role: 'user', content: 'Hello' }],
          tools: [],
          output_tokens_max: 10,
        },
        ...{ tenant_id: tenant, integration_id, reserved_tokens: 10 },
      }
      return insert('model_calls', {
        ...{
          ...asked,
          id,
          turn_id,
          step: 1,
          try: 1,
          integration_id,
          model: 'large',
          agent_id,
          day: '2026-01-01',
          reserved_tokens: 10,
          held_tokens: 10,
        },
        request: sealed(request),
      })
    },
    // The messages that it was made of.
    change: (id) =>
      database().query(
        `update agents set prompt = 'Another' where id = (select agent_id from model_calls where id = $1)`,
        [id],
      ),
    ...atPath((id) => `/${id}/chat/completions`, apiProof),
  },
  channel_message: {
    unnamed: true,
    async ask() {
      const id = newId()
      const settings = JSON.stringify({ base_url: `${receiver.url}/${id}` })
      const integration = {
        tenant_id: tenant,
        key: id,
        type: 'chat_bot',
        category: 'channel',
        settings,
        credentials: sealed({ bot_token: '1:secret' }),
      }
      const channel_id = await insert('integrations', integration)
      const agent = {
        tenant_id: tenant,
        key: id,
        prompt: 'Hello',
        model_id: 'large',
        integration_id: newId(),
        channel_ids: JSON.stringify([channel_id]),
      }
      const chat = {
        tenant_id: tenant,
        agent_id: await insert('agents', agent),
        channel_id,
        external_id: '1',
        version: 3,
        message_count: 1,
      }
      const chat_id = await insert('chats', chat)
      const message = {
        id,
        tenant_id: tenant,
        chat_id,
        seq: 1,
        message_id: id,
        role: 'assistant',
        content: 'Hello',
        version: 3,
        delivery_status: 'pending',
      }
      await insert('chat_messages', message)
      // Without a worker no slot is granted.
      await database().query(
        `with c as (insert into task_slot_counts (tenant_id, queue, account_id, held, waiting, granted) values ($1, 'agents', $1, 1, 0, 0)
           on conflict (tenant_id, queue) do update set held = task_slot_counts.held + 1)
         insert into task_slots (id, tenant_id, queue, kind, row_id, granted, at) values ($2, $1, 'agents', 'channel_message', $2, true, now())`,
        [tenant, id],
      )
      return insert('channel_messages', {
        ...asked,
        id,
        channel_id,
        chat_id,
        message_id: id,
        seq: 1,
        part: 1,
        version: 3,
      })
    },
    change: change(`update chat_messages set content = 'Another' where id = $1`),
    ...atPath((id) => `/${id}/bot1:secret/sendMessage`, apiProof),
  },
  node_run: {
    http: {
      ask() {
        const id = newId()
        const request = {
          url: `${receiver.url}/${id}`,
          method: 'POST',
          headers: { 'idempotency-key': id },
          body: '{"hello":1}',
          timeout_ms: 30_000,
        }
        return nodeRun(id, 'http', { request: sealed({ type: 'http', request }) })
      },
      // Its templates were filled in when it became ready.
      change: async () => {},
      ...atReceiver,
    },
    deploy_webhook: {
      async ask() {
        const id = newId()
        const build_hook_id = await insert('build_hooks', {
          ...{
            tenant_id: tenant,
            key: id,
            type: 'custom',
            url: encrypt(`${receiver.url}/${id}`),
            headers: sealed({ 'webhook-id': id }),
            active: true,
          },
        })
        return nodeRun(id, 'deploy_webhook', { params: sealed({ build_hook_id }) })
      },
      change: (id) =>
        database().query('update build_hooks set url = $2, headers = $3 where key = $1', [
          id,
          encrypt('https://elsewhere.example/'),
          encrypt('{}'),
        ]),
      ...atReceiver,
    },
    drive_upload: {
      unnamed: true,
      async ask() {
        const id = newId()
        const connection_id = await insert('integrations', {
          ...{ tenant_id: tenant, key: id, type: 'webdav', settings: JSON.stringify({ url: receiver.url }) },
          credentials: sealed({ username: 'ada', password: 'secret' }),
        })
        return nodeRun(id, 'drive_upload', {
          params: sealed({ connection_id, folder: '', file_name: id, content: 'Hello' }),
        })
      },
      change: (id) =>
        database().query(`update integrations set settings = '{"url":"https://elsewhere.example/"}' where key = $1`, [
          id,
        ]),
      ...atReceiver,
      proves: apiProof,
    },
    send_email: {
      by_mail: true,
      async ask() {
        const [id, to] = [newId(), newEmail('reader')]
        const mailbox_id = await mailbox(id)
        const template_id = await insert('email_templates', {
          ...{
            tenant_id: tenant,
            key: id,
            type: 'transactional',
            status: 'active',
            format: 'html',
            subject: 'Hello {{ name }}',
            body: '<p>{{ name }}</p>',
          },
        })
        addresses.set(id, to)
        return nodeRun(id, 'send_email', {
          params: sealed({ mailbox_id, template_id, to, variables: { name: 'Ada' } }),
        })
      },
      change: (id) => database().query(`update email_templates set subject = 'Another' where key = $1`, [id]),
      ...atMailServer,
    },
  },
}

export type EffectKind = Row & {
  effect: EffectName
  table: string
  /** The table, and of an effect with several kinds of requests the kind. */
  name: string
}
export const effectKinds: EffectKind[] = effectNames.flatMap((effect): EffectKind[] => {
  const { table } = effects[effect]
  if (effect !== 'node_run' && effect !== 'payment_session') return [{ ...rows[effect], effect, table, name: table }]
  return Object.entries(rows[effect]).map(([type, row]) => ({ ...row, effect, table, name: `${table}: ${type}` }))
})

/** The account that all of them are sent to, with its customer. */
export async function prepareProvider(): Promise<void> {
  await sim('POST', `/accounts/${account}`, { charges_enabled: true, details_submitted: true, payouts_enabled: true })
  const features = { 'features[payment_method_update][enabled]': 'true', 'features[invoice_history][enabled]': 'true' }
  const [customer, configuration] = await Promise.all([
    stripeApi<{ id: string }>(account, '/v1/customers', { email: newEmail('member') }),
    stripeApi<{ id: string }>(account, '/v1/billing_portal/configurations', features),
  ])
  portal = { customer: customer.id, configuration: configuration.id }
  // An exchange needs tokens, a bot a message; other requests need any answer.
  await receiver.rule('*', { body: { access_token: 'token', ok: true, result: { message_id: 1 } } })
}
