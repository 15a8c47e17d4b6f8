// One row per effect: how to ask for one, what is sent for it, and what its provider's ledger says of it. A new effect needs a row here.
import { sendConnect, sendMail, sendOnboardingLink, sendPaymentSession, sendRefund, sendSessionExpiry, sendWebhookTest } from '../../activities/index.ts'
import type { EffectTable } from '../../entities/effects.ts'
import { encrypt } from '../../entities/encrypted.ts'
import { newId } from '../../entities/ids.ts'
import { sim } from './buying.ts'
import { fault, ledgerOf, mailFault, mailLedger, stripeApi } from './provider.ts'
import type { Receiver } from './receiver.ts'
import { database, newEmail, unique } from './shop.ts'

type Next = 'hang' | 'break' | 'refuse'
export type Arrival = { digest: string; effect: boolean }
export const sends = { sendConnect, sendMail, sendOnboardingLink, sendPaymentSession, sendRefund, sendSessionExpiry, sendWebhookTest }
export type EffectKind = {
  table: EffectTable
  send: keyof typeof sends
  /** Writes what it belongs to and the row itself, `requested`. */
  ask(): Promise<string>
  /** Everything that arrived for it, in order. */
  arrivals(id: string): Promise<Arrival[]>
  /** What the provider does with the next one. `hang`, `break`: it takes it, and says nothing or breaks the connection. */
  next(id: string, what: Next): Promise<unknown>
  /** What it was prepared from is no longer what it was: another prepare would make another request. */
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

const order = () =>
  insert('orders', {
    ...{ tenant_id: tenant, number: Math.floor(Math.random() * 1e12), status: 'pending', fulfillment_status: 'none', contact_id: newId(), verified: false },
    ...{ source_cart_id: newId(), payment_id: newId(), market: 'us', money: '{}', forms: '[]', hold_until: new Date(Date.now() + 1_800_000) },
  })

const openPage = () =>
  stripeApi<{ id: string }>(account, '/v1/checkout/sessions', {
    ...{ mode: 'payment', ui_mode: 'embedded_page', return_url: 'https://shop.example/', 'line_items[0][quantity]': '1' },
    ...{ 'line_items[0][price_data][currency]': 'usd', 'line_items[0][price_data][unit_amount]': '5000' },
    'line_items[0][price_data][product_data][name]': 'Something',
  })

const session = async (more: Record<string, unknown> = {}) =>
  insert('payment_sessions', {
    ...{ ...asked, order_id: await order(), payment_id: newId(), provider_account_id: account },
    ...{ return_url: 'https://shop.example/', amount: 5000, currency: 'USD', ...more },
  })

async function paidPayment(): Promise<{ id: string; order_id: string }> {
  const { id } = await openPage()
  const { payment_intent } = await sim('POST', `/checkout_sessions/${id}/pay`)
  const order_id = await order()
  const payment = {
    ...{ tenant_id: tenant, order_id, type: 'card', status: 'paid', currency: 'USD', amount: 5000, captured_amount: 5000, refund_pending_amount: 100 },
    ...{ provider: 'stripe', provider_account_id: account, provider_payment_id: payment_intent },
  }
  return { id: await insert('payments', payment), order_id }
}

const provider = (more: Record<string, unknown> = {}) =>
  insert('payment_providers', {
    ...{ ...asked, tenant_id: newId(), type: 'stripe', country: 'US', charges_enabled: false, payouts_enabled: false, details_submitted: false, ...more },
  })

/** A link is looked up with its provider, by id and tenant. */
async function link(): Promise<string> {
  const tenant_id = newId()
  const payment_provider_id = await provider({ tenant_id, status: 'succeeded', account_id: account })
  const at = 'https://shop.example/'
  return insert('onboarding_links', { ...asked, tenant_id, payment_provider_id, return_url: at, refresh_url: at })
}

const atStripe = {
  arrivals: ledgerOf,
  next: (id: string, what: Next) =>
    fault({
      key: id,
      ...(what === 'refuse' ? { fault: 'status', status: 402 } : { fault: what === 'hang' ? 'hang' : 'reset_after_read', after_effect: true }),
    }),
}

let receiver: Receiver
/** Where what goes to a user's own address arrives. */
export const meetReceiver = (given: Receiver): void => {
  receiver = given
}
/** Each effect has a path of its own. */
const atReceiver = {
  // Where it said nothing, it may have done what it was asked for.
  arrivals: async (id: string) => (await receiver.arrivals(`/${id}`)).map(({ digest, status }) => ({ digest, effect: status === null || status < 300 })),
  next: (id: string, what: Next) => receiver.rule(`/${id}`, what === 'refuse' ? { status: 402 } : { do: what === 'hang' ? 'hang' : 'reset_after_read' }, 1),
}

const addresses = new Map<string, string>()
const addressOf = (id: string) => addresses.get(id) as string

export const effectKinds: EffectKind[] = [
  {
    table: 'refunds',
    send: 'sendRefund',
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
  {
    table: 'payment_sessions',
    send: 'sendPaymentSession',
    ask: () => session(),
    change: change(`update payment_sessions set return_url = 'https://elsewhere.example/' where id = $1`),
    ...atStripe,
  },
  {
    table: 'session_expiries',
    send: 'sendSessionExpiry',
    async ask() {
      const provider_session_id = (await openPage()).id
      return insert('session_expiries', { ...asked, payment_session_id: await session({ status: 'succeeded', state: 'open', provider_session_id }) })
    },
    change: change(
      `update payment_sessions set provider_session_id = 'cs_test_another' where id = (select payment_session_id from session_expiries where id = $1)`,
    ),
    ...atStripe,
  },
  {
    table: 'payment_providers',
    send: 'sendConnect',
    ask: () => provider(),
    change: change(`update payment_providers set country = 'DE' where id = $1`),
    ...atStripe,
  },
  {
    table: 'onboarding_links',
    send: 'sendOnboardingLink',
    ask: link,
    change: change(`update onboarding_links set return_url = 'https://elsewhere.example/' where id = $1`),
    ...atStripe,
  },
  {
    table: 'mails',
    send: 'sendMail',
    async ask() {
      const to = newEmail('reader')
      const id = await insert('mails', {
        ...{ ...asked, kind: 'test', fingerprint: 'test' },
        request: encrypt(JSON.stringify({ to, subject: 'Hello', text: 'Hello there', html: '<p>Hello there</p>' })),
      })
      addresses.set(id, to)
      return id
    },
    // Rendered when it was asked for: nothing that it is made of is read again.
    change: async () => {},
    arrivals: async (id) => (await mailLedger(addressOf(id))).map(({ digest, accepted }) => ({ digest, effect: accepted })),
    next: (id, what) =>
      mailFault({
        to: addressOf(id),
        ...(what === 'refuse' ? { step: 'rcpt', action: 'reject' } : { step: 'after_data', action: what === 'hang' ? 'hang' : 'reset' }),
      }),
  },
  {
    table: 'webhook_tests',
    send: 'sendWebhookTest',
    async ask() {
      const id = newId()
      const webhook_id = await insert('webhooks', {
        ...{ tenant_id: tenant, key: id, url: encrypt(`${receiver.url}/${id}`), headers: encrypt('{}'), secret: encrypt('signs this') },
        ...{ events: '[]', enabled: true },
      })
      return insert('webhook_tests', { ...asked, id, delivery_id: id, webhook_id })
    },
    change: (id) =>
      database().query('update webhooks set url = $2, secret = $2 where id = (select webhook_id from webhook_tests where id = $1)', [
        id,
        encrypt('https://elsewhere.example/'),
      ]),
    ...atReceiver,
  },
]

/** The account that all of them are sent to. */
export async function prepareProvider(): Promise<void> {
  await sim('POST', `/accounts/${account}`, { charges_enabled: true, details_submitted: true, payouts_enabled: true })
}
