// A store whose people buy, subscribe, sign in and are merged, and what is left of it: the facts for merge-judges.ts.
import { setTimeout as pause } from 'node:timers/promises'
import { newAudience } from '../kit/audiences/audiences.ts'
import { forever, monthly } from '../kit/audiences/paid-audiences.ts'
import { promoCode } from '../kit/bookings/booking.ts'
import { made } from '../kit/content/content.ts'
import { contactColumns, rowsNaming } from '../kit/database/contact-names.ts'
import { connected, product, providerOf, type Sold, sim, stripe, until } from '../kit/orders/buying.ts'
import { database, eitherApi, newShop, type Shop, unique, type Visitor } from '../kit/shop.ts'
import type { Facts } from './merge-judges.ts'

export type Store = {
  shop: Shop
  account: string
  tea: Sold
  open: string
  club: string
  prices: [monthly: string, forever: string]
}

export async function newMemberStore(): Promise<Store> {
  const shop = await newShop()
  const account = await connected(shop)
  const [tea, { id: open }] = [await product(shop), await newAudience(shop)]
  const { id: club } = await made(
    shop.asOperator('POST', '/audiences', { key: unique(), name: 'Club', type: { type: 'paid' } }),
  )
  const provider = { type: 'card_payment', payment_provider_id: (await providerOf(shop)).id }
  const tier = await shop.asOperator('POST', `/audiences/${club}/tiers`, {
    key: 'gold',
    name: 'Gold',
    provider,
    prices: [monthly, forever],
  })
  const prices = tier.body.prices.map(({ id }: { id: string }) => id) as Store['prices']
  await until(
    async () => (await database().query('select 1 from audience_prices where id = $1 and ready', [prices[0]])).rowCount,
  )
  await made(shop.asOperator('PUT', `/audiences/${club}`, { status: 'active' }))
  return { shop, account, tea, open, club, prices }
}

type Code = { id: string; code: string; max: number }
export type Scene = {
  store: Store
  code: Code
  visitors: Visitor[]
  emails: string[]
  /** How many e-mails were sent to an address; codes for one address are requested one after the other. */
  mailed: Map<string, Promise<number>>
  pages: string[]
  moves: Facts['moves']
  /** Who named which address, and who was signed in with it. */
  claimed: { email: string; contact_id: string }[]
  owned: { email: string; contact_id: string }[]
  told: Facts['told']
  /** What was asked and answered, for who reads a failure. */
  log: string[]
}

export const people = 4
export const addresses = 3

/** A visitor whose session was ended by a merge is another one from then on. */
function comingBack(shop: Shop, first: Visitor): Visitor {
  let visitor = first
  return {
    get token() {
      return visitor.token
    },
    get contact_id() {
      return visitor.contact_id
    },
    get headers() {
      return visitor.headers
    },
    async call(...asked) {
      const before = visitor
      const answer = await before.call(...asked)
      if (answer.status !== 401) return answer
      // Of calls at the same time, the first makes the new visitor.
      if (visitor === before) visitor = await shop.visitor()
      return visitor.call(...asked)
    },
  }
}

export async function newScene(store: Store, max: number): Promise<Scene> {
  const { shop, club } = store
  const discounts = [
    { type: 'items_percentage', market_key: 'us', bps: 1000 },
    { type: 'audience_percentage', audience_id: club, bps: 1000, applies_to: 'membership' },
  ]
  const conditions = [
    { type: 'max_uses', count: max },
    { type: 'max_uses_per_user', count: 1 },
  ]
  const emails = Array.from({ length: addresses }, () => `merge-${unique()}@tillwright.test`)
  // The last one is anonymous.
  const [code, ...visitors] = await Promise.all([
    promoCode(shop, { discounts, conditions }),
    ...Array.from({ length: people }, async (_, n) => comingBack(shop, await shop.visitor(emails[n]))),
  ])
  return {
    ...{ store, code: { ...code, max }, visitors, emails, mailed: new Map(), pages: [], moves: [], owned: [], log: [] },
    claimed: emails.map((email, n) => ({ email, contact_id: visitors[n]?.contact_id ?? '' })),
    told: { orders: [], members: [], opted_out: [], access: [], listed: [], surprises: [] },
  }
}

export const rowsOf = async <T extends object>(statement: string, values: unknown[]): Promise<T[]> =>
  (await database().query(statement, values)).rows.map((row) => {
    const read = ([name, value]: [string, unknown]) => [
      name,
      typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
    ]
    return Object.fromEntries(Object.entries(row).map(read)) as T
  })

/** What is on its way: effects, pages that are closed, payments whose intent is not read, and events. */
async function pending({ shop, account }: Store): Promise<string[]> {
  const effects = ['payment_sessions', 'session_expiries', 'coupons', 'refunds', 'subscription_changes']
  const found = await rowsOf<{ what: string }>(
    `${effects.map((table) => `select '${table} ' || id || ' ' || status as what from ${table} where tenant_id = $1 and status in ('requested', 'processing')`).join(' union all ')}
     union all select 'subscription ' || u.id || ' ' || u.status from subscriptions u left join payment_sessions s on s.subscription_id = u.id
       where u.tenant_id = $1 and (u.status = 'waiting' or u.read_wanted_at is not null or u.status = 'pending' and (u.cancel_requested or s.state is distinct from 'open'))
     union all select 'order ' || o.id from orders o join payment_sessions s on s.order_id = o.id where o.tenant_id = $1 and o.status = 'pending' and s.state is distinct from 'open'
     union all select 'payment ' || id from payments where tenant_id = $1 and (provider_invoice_id is not null and evidence ->> 'payment_intent' is null or refund_pending_amount > 0)
     union all select 'refund of a second one ' || p.id from payments p join subscription_changes c on c.subscription_id = p.subscription_id and c.kind = 'cancel_now' and c.requested_by = 'system'
       where p.tenant_id = $1 and p.captured_amount > p.refunded_amount
     -- A page was closed just now: what others paid for under its owner's address moves to the owner in the next transaction.
     union all select 'membership ' || m.id from subscriptions s join audience_members m on m.id = s.member_id
       join contact_channels h on h.tenant_id = s.tenant_id and h.address = s.claimed_address and h.owned and h.verified_at is not null and h.contact_id <> m.contact_id
       join audience_members o on o.contact_id = h.contact_id and o.audience_id = m.audience_id
       join subscriptions c on c.member_id = o.id and c.status = 'given_up' and c.updated_at > extract(epoch from clock_timestamp()) - 5
       where s.tenant_id = $1 and s.status in ('live', 'ended')`,
    [shop.store_id],
  )
  if (found.length > 0) return found.map(({ what }) => what)
  const events: { id: string; type: string; state: string }[] = await sim('GET', `/events?account=${account}`)
  return events.filter(({ state }) => state !== 'delivered').map(({ id, type }) => `event ${id} ${type}`)
}

/** Waits until nothing is on its way. Returns what still is after 30 seconds. */
export async function settled({ store }: Scene): Promise<string[]> {
  await sim('POST', '/events', { hold: false, account: store.account })
  const end = Date.now() + 90_000
  for (let quiet = 0; ; ) {
    const left = await pending(store)
    quiet = left.length > 0 ? 0 : quiet + 1
    if (quiet === 2) return []
    if (Date.now() > end) return left
    await pause(40)
  }
}

/** Whose is what: rows that a merge may move. States that an event may change at the same time are left out. */
export async function possessions(contacts: string[]): Promise<string> {
  const all = (await contactColumns()).filter(({ table }) => table !== 'contacts')
  const of = all.map(
    ({ table, column }) =>
      `select '${table}' as t, coalesce(to_jsonb(t) ->> 'id', '') || ' ' || "${column}"::text as what from "${table}" t where "${column}" = any ($1)`,
  )
  const subscriptions = `select 'subscriptions', s.id::text || ' ' || s.member_id::text from subscriptions s join audience_members m on m.id = s.member_id where m.contact_id = any ($1)`
  const rows = await rowsOf<{ t: string; what: string }>(
    `${of.join(' union all ')} union all ${subscriptions} order by 1, 2`,
    [contacts],
  )
  return rows.map(({ t, what }) => `${t} ${what}`).join('\n')
}

type Invoice = {
  id: string
  status: string
  amount_paid: number
  parent: { subscription_details: { metadata: Record<string, string> } }
  lines: { data: { period: { end: number } }[] }
}
type Intent = { id: string; status: string; amount_received: number; latest_charge: string | null }

async function listed<T extends { id: string }>(account: string, at: string): Promise<T[]> {
  const found: T[] = []
  for (;;) {
    const page = await stripe(
      account,
      `${at}?limit=100${found.length > 0 ? `&starting_after=${found.at(-1)?.id}` : ''}`,
    )
    found.push(...page.data)
    if (!page.has_more) return found
  }
}

async function providerFacts({ account }: Store): Promise<Facts['provider']> {
  const [invoices, pages, billed, intents, charges]: [
    Invoice[],
    never[],
    never[],
    Intent[],
    { id: string; amount_refunded: number }[],
  ] = await Promise.all([
    sim('GET', `/ledger/invoices?account=${account}&status=paid`),
    sim('GET', `/ledger/pages?account=${account}`),
    sim('GET', `/ledger/subscriptions?account=${account}`),
    listed<Intent>(account, '/payment_intents'),
    listed<{ id: string; amount_refunded: number }>(account, '/charges'),
  ])
  const rowOf = ({ metadata }: { metadata: Record<string, string> }) => metadata.subscription ?? ''
  return {
    invoices: invoices.map(({ id, amount_paid, parent, lines }) => ({
      ...{ id, amount: amount_paid, row: parent.subscription_details.metadata.subscription ?? '' },
      period_end: lines.data[0]?.period.end ?? 0,
    })),
    charges: intents
      .filter(({ status }) => status === 'succeeded')
      .map(({ id, amount_received, latest_charge }) => ({
        ...{
          intent: id,
          received: amount_received,
          refunded: charges.find((charge) => charge.id === latest_charge)?.amount_refunded ?? 0,
        },
      })),
    open_pages: (pages as { id: string; status: string; metadata: Record<string, string> }[])
      .filter(({ status, metadata }) => status === 'open' && metadata.subscription)
      .map((page) => ({ id: page.id, row: rowOf(page) })),
    billed: (billed as { id: string; status: string; metadata: Record<string, string> }[])
      .filter(({ status }) => !['canceled', 'incomplete', 'incomplete_expired'].includes(status))
      .map((one) => ({ id: one.id, row: rowOf(one) })),
  }
}

export async function factsOf(scene: Scene): Promise<Facts> {
  const { store, told, code } = scene
  const { shop, open, club } = store
  const tenant = [shop.store_id]
  const merges = await rowsOf<{ from: string; to: string }>(
    'select source_id as "from", target_id as "to" from contact_merges where tenant_id = $1',
    tenant,
  )
  for (const visitor of scene.visitors) {
    const { body } = await visitor.call('GET', '/account/me', undefined, eitherApi())
    for (const audience_id of [open, club]) {
      const answer = await visitor.call('GET', `/audiences/${audience_id}/access`, undefined, eitherApi())
      told.access.push({
        contact_id: body.contact.id,
        audience_id,
        proved: body.is_verified,
        has_access: answer.body.has_access,
      })
    }
  }
  for (const audience_id of [open, club]) {
    const contacts: { id: string }[] = []
    for (let cursor = ''; ; ) {
      const { body } = await shop.asOperator('GET', `/contacts?audience_id=${audience_id}&limit=100${cursor}`)
      contacts.push(...body.items)
      if (!body.cursor) break
      cursor = `&cursor=${encodeURIComponent(body.cursor)}`
    }
    told.listed.push({ audience_id, contacts: contacts.map(({ id }) => id) })
  }
  return {
    told,
    contacts: (await rowsOf<{ id: string }>('select id from contacts where tenant_id = $1', tenant)).map(
      ({ id }) => id,
    ),
    moves: [...merges.map((one) => ({ ...one, merged: true })), ...scene.moves],
    claims: scene.claimed.flatMap(({ email, contact_id }) =>
      scene.owned
        .filter((owner) => owner.email === email)
        .map((owner) => ({ from: contact_id, to: owner.contact_id, merged: false as const })),
    ),
    names: await rowsNaming(merges.map(({ from }) => from)),
    orders: await rowsOf(
      `select id, contact_id, (money ->> 'total')::int as total from orders where tenant_id = $1`,
      tenant,
    ),
    members: await rowsOf(
      'select id, audience_id, contact_id, status, delivery_status, source, paid_through_at, access_until from audience_members where tenant_id = $1',
      tenant,
    ),
    subscriptions: await rowsOf(
      `select s.id, s.member_id, s.kind, s.status, s.cancel_at, s.paid_through_at, s.held_until, s.provider_subscription_id,
         s.revoked_at is not null or exists (select 1 from subscription_changes c where c.subscription_id = s.id and c.kind = 'cancel_now') as cut
       from subscriptions s where s.tenant_id = $1`,
      tenant,
    ),
    payments: await rowsOf(
      `select id, coalesce(order_id, subscription_id) as owner, provider_invoice_id as invoice, provider_payment_id as intent, captured_amount as captured,
         refunded_amount as refunded, refund_pending_amount as pending from payments where tenant_id = $1`,
      tenant,
    ),
    codes: [
      {
        ...{
          id: code.id,
          max: code.max,
          max_per_contact: 1,
          uses: Number(
            (await rowsOf<{ uses: number }>('select uses from promo_codes where id = $1', [code.id]))[0]?.uses,
          ),
        },
        redemptions: await rowsOf(
          `select r.contact_id, coalesce(o.contact_id, m.contact_id) as owner_contact,
             r.subscription_id is not null as subscribed
           from promo_redemptions r left join orders o on o.id = r.order_id
           left join subscriptions s on s.id = r.subscription_id left join audience_members m on m.id = s.member_id
           where r.promo_code_id = $1`,
          [code.id],
        ),
      },
    ],
    grace_s: ((await shop.asOperator('GET', '')).body.settings?.membership_grace_hours ?? 72) * 3600,
    paid_audience: club,
    provider: await providerFacts(store),
    now: Math.floor(Date.now() / 1000),
  }
}
