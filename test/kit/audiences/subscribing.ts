// Paid members for tests: rows as a subscribe request writes them, and a page at the provider that a buyer pays.
//   const club = await newClub(shop, account)
//   const joined = await begin(club)                     → a pending member, with a page
//   const paid = await payPage(joined)                   → the provider's subscription and customer
//   await until(async () => (await subscriptionRow(joined.id)).paid_through_at)
import { createHash } from 'node:crypto'
import { encrypt } from '../../../entities/kit/encrypted.ts'
import { newId } from '../../../entities/kit/ids.ts'
import { made } from '../content/content.ts'
import { stripeApi } from '../effects/provider.ts'
import { connected, ledger, sim, stripe, until } from '../orders/buying.ts'
import { type Answer, database, http, newShop, type Shop, unique } from '../shop.ts'
import { newContact } from './audiences.ts'

const now = () => Math.floor(Date.now() / 1000)

export async function insertRow(table: string, row: Record<string, unknown>): Promise<string> {
  const full: Record<string, unknown> = { id: newId(), created_at: now(), updated_at: now(), ...row }
  const names = Object.keys(full)
  await database().query(
    `insert into ${table} (${names.map((name) => `"${name}"`).join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
    names.map((name) => full[name]),
  )
  return full.id as string
}

export type Club = {
  shop: Shop
  account: string
  audience_id: string
  tier_id: string
  price_id: string
  once_id: string
  provider_price_id: string
}
export const amount = 900
const monthly = '{"period":"month","count":1}'

/** A paid audience with a monthly price of 9.00 USD, and one of 90.00 USD without an end. */
export async function newClub(shop: Shop, account: string): Promise<Club> {
  const { id: audience_id } = await made(
    shop.asOperator('POST', '/audiences', { key: unique(), type: { type: 'paid' } }),
  )
  const price = await stripeApi<{ id: string }>(account, '/v1/prices', {
    ...{ currency: 'usd', unit_amount: String(amount), 'recurring[interval]': 'month', 'product_data[name]': 'Club' },
  })
  const tenant_id = shop.store_id
  const tier_id = await insertRow('audience_tiers', {
    tenant_id,
    audience_id,
    key: unique(),
    name: 'Club',
    benefits: '[]',
  })
  const row = { tenant_id, tier_id, currency: 'USD', ready: true }
  const price_id = await insertRow('audience_prices', {
    ...row,
    amount,
    interval: monthly,
    position: 0,
    provider_price_id: price.id,
  })
  const once_id = await insertRow('audience_prices', { ...row, amount: 9_000, position: 1 })
  await database().query(`update audiences set status = 'active' where id = $1`, [audience_id])
  return { shop, account, audience_id, tier_id, price_id, once_id, provider_price_id: price.id }
}

/** A store that charges cards, and its club. */
export async function clubShop(): Promise<Club> {
  const shop = await newShop()
  return newClub(shop, await connected(shop))
}

export type Begun = {
  club: Club
  id: string
  member_id: string
  contact_id: string
  payment_id: string
  session_id: string
  metadata: Record<string, string>
}
type Options = {
  once?: boolean
  member_id?: string
  contact_id?: string
  status?: 'pending' | 'waiting' | 'given_up'
  member?: Record<string, unknown>
}

/** The rows of a member who subscribes, without a page. */
export async function beginRows(
  club: Club,
  { once = false, status = 'pending', ...given }: Options = {},
): Promise<Begun> {
  const tenant_id = club.shop.store_id
  const contact_id = given.contact_id ?? (await newContact(club.shop)).id
  const pending = { status: 'pending', pending_since: now(), source: 'storefront', fields: '{}' }
  const member_id =
    given.member_id ??
    (await insertRow('audience_members', {
      ...{ tenant_id, audience_id: club.audience_id, contact_id },
      ...pending,
      ...given.member,
    }))
  const { rows } = await database().query('select amount, interval from audience_prices where id = $1', [
    once ? club.once_id : club.price_id,
  ])
  const due = Number(rows[0].amount)
  const id = await insertRow('subscriptions', {
    ...{
      tenant_id,
      member_id,
      tier_id: club.tier_id,
      price_id: once ? club.once_id : club.price_id,
      kind: once ? 'one_time' : 'recurring',
      status,
    },
    ...{
      provider_account_id: club.account,
      amount: due,
      currency: 'USD',
      interval: once ? null : monthly,
      return_url: 'https://shop.example/thanks',
    },
    hold_until: status === 'pending' ? new Date(Date.now() + 1_800_000) : null,
  })
  const payment_id = await insertRow('payments', {
    ...{
      tenant_id,
      subscription_id: id,
      kind: once ? 'one_time' : 'initial',
      payer_contact_id: contact_id,
      type: 'card',
      method_key: 'credit_card',
    },
    ...{
      status: status === 'given_up' ? 'cancelled' : 'pending',
      currency: 'USD',
      amount: due,
      provider: 'stripe',
      provider_account_id: club.account,
    },
  })
  const session_id = newId()
  return {
    club,
    id,
    member_id,
    contact_id,
    payment_id,
    session_id,
    metadata: { tenant_id, subscription: id, payment_session: session_id },
  }
}

/**
 * The page of a member who subscribes, at the provider, and its row. `answered`: the answer to its opening is recorded.
 */
export async function openPage(begun: Begun, o: { once?: boolean; answered?: boolean } = {}): Promise<string> {
  const { club, metadata } = begun
  const named = (at: string) =>
    Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`${at}[metadata][${name}]`, value]))
  const line: Record<string, string> = o.once
    ? {
        'line_items[0][price_data][currency]': 'usd',
        'line_items[0][price_data][unit_amount]': '9000',
        'line_items[0][price_data][product_data][name]': 'Club',
      }
    : { 'line_items[0][price]': club.provider_price_id }
  const { id } = await stripeApi<{ id: string }>(club.account, '/v1/checkout/sessions', {
    ...{
      mode: o.once ? 'payment' : 'subscription',
      ui_mode: 'embedded_page',
      return_url: 'https://shop.example/thanks',
      'line_items[0][quantity]': '1',
      ...line,
    },
    ...Object.fromEntries(Object.entries(metadata).map(([name, value]) => [`metadata[${name}]`, value])),
    ...named(o.once ? 'payment_intent_data' : 'subscription_data'),
  })
  await sessionRow(begun, o.answered === false ? null : id, o.once)
  return id
}

/** The row of a page. `page`: the provider's id; null while its answer has not been recorded. */
export async function sessionRow(begun: Begun, page: string | null, once = false): Promise<void> {
  await insertRow('payment_sessions', {
    ...{
      id: begun.session_id,
      tenant_id: begun.club.shop.store_id,
      subscription_id: begun.id,
      mode: once ? 'payment' : 'subscription',
      payment_id: begun.payment_id,
    },
    ...{
      provider_account_id: begun.club.account,
      return_url: 'https://shop.example/thanks',
      amount: once ? 9_000 : amount,
      currency: 'USD',
      fingerprint: '',
      attempt: 1,
    },
    ...(page === null
      ? { status: 'processing', sent_at: new Date(), deadline_at: new Date(Date.now() + 600_000) }
      : {
          status: 'succeeded',
          state: 'open',
          provider_session_id: page,
          settled_at: new Date(),
          answered_at: new Date(),
        }),
  })
}

export type Begin = Begun & { page: string }
export async function begin(club: Club, o: Options = {}): Promise<Begin> {
  const begun = await beginRows(club, o)
  return { ...begun, page: await openPage(begun, o) }
}

export type PaidPage = { subscription: string; customer: string; invoice: string }
/** A buyer pays the page. */
export async function payPage({ page }: { page: string }, more: Record<string, unknown> = {}): Promise<PaidPage> {
  const { subscription, customer, invoice } = await sim('POST', `/checkout_sessions/${page}/pay`, more)
  return { subscription, customer, invoice }
}

// biome-ignore lint/suspicious/noExplicitAny: a row of any table
export type Row = Record<string, any>
const read = async (table: string, column: string, id: string): Promise<Row[]> =>
  (await database().query(`select * from ${table} where ${column} = $1 order by created_at, id`, [id])).rows.map(
    (row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
        ]),
      ),
  )

export const subscriptionRow = async (id: string): Promise<Row> => (await read('subscriptions', 'id', id))[0] as Row
export const memberRow = async (id: string): Promise<Row> => (await read('audience_members', 'id', id))[0] as Row
export const paymentRows = (subscriptionId: string): Promise<Row[]> =>
  read('payments', 'subscription_id', subscriptionId)
export const changeRows = (subscriptionId: string): Promise<Row[]> =>
  read('subscription_changes', 'subscription_id', subscriptionId)

/**
 * A member whose page was paid. All events have arrived, and its workflow has read the payment: nothing changes or
 * locks its rows any more.
 */
export async function joined(club: Club, o: Options = {}): Promise<Begin & PaidPage> {
  const begun = await begin(club, o)
  const paid = await payPage(begun, { period_s: 40 * 86_400 })
  await until(async () => {
    const row = await subscriptionRow(begun.id)
    if (row.paid_through_at === null || row.billing_status !== 'active') return false
    const named: { state: string }[][] = await Promise.all(
      [paid.subscription, begun.page].map((id) => sim('GET', `/events?account=${club.account}&object=${id}`)),
    )
    return (
      named.flat().every(({ state }) => state === 'delivered') &&
      (await paymentRows(begun.id)).every(({ evidence }) => evidence?.payment_intent)
    )
  }, 20_000)
  return { ...begun, ...paid }
}

/** A link of the scope `manage`, as e-mails have it. */
export async function manageLink({
  club,
  member_id,
}: Begun): Promise<(method: 'GET' | 'POST', path: string, base?: string) => Promise<Answer>> {
  const token = `till_ml_${unique()}${unique()}`
  const digest = createHash('sha256').update(token).digest('hex')
  await insertRow('member_tokens', {
    tenant_id: club.shop.store_id,
    member_id,
    scope: 'manage',
    digest,
    value: encrypt(token),
  })
  return (method, path, base) => http(method, `/v1/customer/audiences/${path}?token=${token}`, { base })
}

/** The subscription as the provider has it. */
export const atProvider = ({ club, subscription }: { club: Club; subscription: string }) =>
  stripe(club.account, `/subscriptions/${subscription}`)

/** The changes that arrived at the provider for a subscription. */
export const sentChanges = ({ club, subscription }: { club: Club; subscription: string }) =>
  ledger(club.account, `/v1/subscriptions/${subscription}`)
