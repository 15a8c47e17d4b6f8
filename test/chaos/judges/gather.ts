// Reads what a round left behind: the database, around all links, and the ledgers of the oracles.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Received } from '../../../dev/receiver.ts'
import { addressProof } from '../../../rules/http-verdicts.ts'
import { scheduleOf } from '../../kit/bookings/booking.ts'
import { rowsNaming } from '../../kit/database/contact-names.ts'
import { type LedgerEntry, sim, stripe } from '../../kit/orders/buying.ts'
import { type SocialEntry, socialLedger } from '../../kit/social/social.ts'
import type { Arrival, EffectRow, History, OrderRow, Posted, Talked } from '../history.ts'
import type { Launched, Store, Talk } from '../people/acts.ts'
import { tenantsOf, tenantTables } from '../settling.ts'
import { limits } from '../store.ts'
import type { Fault } from '../timeline.ts'
import type { World } from '../world.ts'
import { chatArrivals, chatsOf } from './gather-chats.ts'

type Row = Record<string, unknown>
const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`

/** Lines of JSON that an oracle wrote to its disk. */
const written = <T>(...at: string[]): T[] =>
  fs
    .readFileSync(path.join(...at), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T)

type StripeEntry = LedgerEntry & { time: number; fault: string | null; account: string | null }
type MailEntry = { time: number; message_id: string | null; to: string[]; accepted: boolean; answered: boolean }

/** Cash is refunded by hand, a trigger sends nothing, and accounts are connected before the faults. */
const leaving: Record<string, string> = {
  refunds: 'and provider_account_id is not null',
  node_runs: `and node = 'tell'`,
  social_authorizations: 'and false',
}

async function effectRows({ db }: World, store: Store): Promise<EffectRow[]> {
  const one = (table: string) =>
    `select '${table}' as table, id, status, ${ms('sent_at')} as sent_at, ${ms('deadline_at')} as deadline_at,
      ${ms('settled_at')} as settled_at, error ->> 'code' as error, coalesce(evidence ?| array['event', 'proof'], false) as by_event from ${table} where tenant_id = any ($1) ${leaving[table] ?? ''}`
  return (await db.query<EffectRow>(tenantTables.map(one).join(' union all '), [tenantsOf(store)])).rows
}

/** A node's email has a Message-ID derived from its run. */
const messageOf = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 32)

type Reveal = { id: string; held: string | null; text: string; sent_at: number }

/** The call of the store that an entry is: by what it names, the last one that was sent before it. */
async function revealsOf({ db }: World, storeId: string): Promise<(entry: SocialEntry) => string | undefined> {
  const { rows } = await db.query<Reveal>(
    `select id, subject ->> 'id' as held, subject ->> 'text' as text, ${ms('sent_at')} as sent_at from social_reveals where tenant_id = $1 and sent_at is not null order by sent_at desc`,
    [storeId],
  )
  return ({ method, host, path, fields, time }) => {
    const at = time * 1000 + 250
    const last = (is: (reveal: Reveal) => boolean) => rows.find((reveal) => is(reveal) && reveal.sent_at <= at)?.id
    const named = (id: string | undefined) => (id === undefined ? undefined : last(({ held }) => held === id))
    if (/_publish$/.test(path)) return named(fields.creation_id)
    if (method === 'PUT' && path === '/youtube/v3/videos') return named(fields.id)
    if (host === 'graph.facebook.com' && fields.is_published === 'true')
      return named(decodeURIComponent(path.split('/').at(-1) ?? ''))
    return host === 'api.x.com' && path === '/2/tweets' && fields.reply === undefined
      ? last(({ held, text }) => held === null && text === fields.text)
      : undefined
  }
}

/**
 * Replies by their text, and refreshes by the request of the store that was open when they arrived: a connection has
 * one at a time.
 */
async function socialArrivals(world: World, { shop, posts }: Store): Promise<Arrival[]> {
  const { db } = world
  const replies = await db.query<{ id: string; text: string }>(
    'select id, text from social_replies where tenant_id = $1',
    [shop.store_id],
  )
  const byText = new Map(replies.rows.map(({ id, text }) => [text, id]))
  // By the time of its id: the second of `created_at` begins before, and another connection of the store may have sent
  // a request in it.
  const refreshes = await db.query<{ id: string; from: number; to: number | null }>(
    `select id, ${ms('uuid_extract_timestamp(id)')} as from, ${ms('settled_at')} as to
     from social_token_requests
     where tenant_id = $1 and kind = 'refresh' and type = 'network_d_account'
     order by id`,
    [shop.store_id],
  )
  // The last one: the next may be requested in the moment in which the one before becomes unknown.
  const refreshAt = (at: number) =>
    refreshes.rows.findLast(({ from, to }) => from <= at && (to === null || at <= to + 250))?.id
  const ids = new Set(posts.map(({ post }) => post))
  const revealOf = await revealsOf(world, shop.store_id)
  const keyOf = (entry: SocialEntry): string | undefined => {
    const { method, path, fields, text, time } = entry
    const reveal = revealOf(entry)
    if (reveal) return reveal
    if (method !== 'POST') return undefined
    if (path.endsWith('/oauth2/token'))
      return fields.grant_type === 'refresh_token' ? refreshAt(time * 1000) : undefined
    const said = text ?? fields.message ?? fields.text ?? ''
    return (
      byText.get(said) ??
      (ids.has(JSON.parse(fields.reply ?? '{}').in_reply_to_tweet_id) ? `reply “${said}”` : undefined)
    )
  }
  return (await socialLedger({})).flatMap((entry): Arrival[] => {
    const key = keyOf(entry)
    if (!key) return []
    const { status, effect, fault, time } = entry
    return [{ oracle: 'social', key, at: time * 1000, answered: status !== null, status, effect, fault }]
  })
}

async function postsOf({ db }: World, posted: readonly Posted[]): Promise<History['posts']> {
  const visible = (await socialLedger({})).filter((entry) => entry.visible)
  const { rows } = await db.query<{ id: string; status: string }>(
    'select id, status from social_publications where id = any ($1)',
    [posted.map(({ publication }) => publication)],
  )
  return posted.map((one) => ({
    ...one,
    status: rows.find(({ id }) => id === one.publication)?.status ?? 'gone',
    shown: visible.filter(({ text }) => text === one.text).map(({ visible_at }) => Number(visible_at)),
  }))
}

async function talksOf({ db }: World, talked: readonly Talked[]): Promise<History['talks']> {
  const all: History['talks'] = []
  for (const talk of talked) {
    const rows = async <T extends object>(statement: string, id: string) => (await db.query<T>(statement, [id])).rows
    const [item] = await rows<{ status: string; more: boolean }>(
      'select status, more from social_sync_items where sync_id = $1',
      talk.sync,
    )
    const stored = await rows<{ id: string }>(
      'select provider_comment_id as id from social_comments where publication_id = $1 and gone_at is null',
      talk.publication,
    )
    all.push({
      ...talk,
      ...{ status: item?.status ?? 'gone', more: item?.more ?? false, stored: stored.map(({ id }) => id) },
      replies: await rows(
        "select id, provider_comment_id as comment from social_replies where publication_id = $1 and status = 'succeeded'",
        talk.publication,
      ),
    })
  }
  return all
}

/**
 * Every mutating request that arrived for the store, under the id of its row: a graph's post by the event it carries,
 * an email by its Message-ID.
 */
async function arrivalsOf(world: World, store: Store, effects: readonly EffectRow[]): Promise<Arrival[]> {
  const { db, stack, front, sink } = world
  const { shop, account, post, letter, post_office } = store
  const runs = await db.query<{ id: string; event: string; workflow_id: string }>(
    `select r.id, x.occurrence as event, x.workflow_id from node_runs r join executions x on x.id = r.execution_id where r.tenant_id = $1 and r.node = 'tell'`,
    [shop.store_id],
  )
  const posts = new Map(
    runs.rows.filter((run) => run.workflow_id === post.workflow_id).map(({ id, event }) => [event, id]),
  )
  const letters = new Map(runs.rows.map(({ id }) => [messageOf(id), id]))
  const ids = new Set(effects.map(({ id }) => id))
  const own = (entry: StripeEntry) =>
    entry.account === account || entry.metadata.tenant_id === shop.store_id || ids.has(entry.key ?? '')
  const entries = ((await sim('GET', '/ledger')) as StripeEntry[]).filter((entry) => own(entry) && entry.key !== null)
  // A request that the provider's front did not pass on counts as arrived: it was sent and got no answer.
  const unpassed = (await front.log()).filter(
    ({ met, idempotency_key }) => met !== null && ids.has(idempotency_key ?? ''),
  )
  // The receiver writes a turn of its loop later.
  await pause(100)
  const received = written<Received>(stack.dir, 'receiver', 'receiver.jsonl').filter((one) => one.path === post.path)
  const mailed = written<MailEntry>(stack.dir, 'mail', 'mail.jsonl').filter(({ to }) => to.includes(letter.to))
  const stamps = await db.query<{ id: string; address: string; sent_at: number }>(
    `select id, address, ${ms('sent_at')} as sent_at from campaign_messages where tenant_id = $1 and sent_at is not null order by sent_at desc`,
    [shop.store_id],
  )
  /** A body that was cut before its Message-ID: the message to this address that was stamped last. */
  const stamped = (to: string, at: number) =>
    stamps.rows.find(({ address, sent_at }) => address === to && sent_at <= at)?.id
  const bulk = (await sink.ledger()).filter(({ to }) => to.endsWith(post_office.domain))
  return [
    ...(await socialArrivals(world, store)),
    ...entries.map(
      ({ key, time, status, effect, fault }): Arrival => ({
        oracle: 'stripe',
        key: key as string,
        at: time * 1000,
        answered: status !== null,
        status,
        effect,
        fault,
      }),
    ),
    ...unpassed.map(
      ({ idempotency_key, at, met }): Arrival => ({
        ...{
          oracle: 'stripe',
          key: idempotency_key as string,
          at,
          answered: false,
          status: null,
          effect: false,
          fault: met,
        },
      }),
    ),
    ...received.map(({ body, at, status }): Arrival => {
      const { event } = JSON.parse(body) as { event: string }
      return {
        oracle: 'receiver',
        key: posts.get(event) ?? `post of event ${event}`,
        at,
        answered: status !== null,
        status,
        effect: true,
        fault: struck(status),
      }
    }),
    ...mailed.map(({ time, message_id, accepted, answered }): Arrival => {
      const name = /^<([0-9a-f]{32})@/.exec(message_id ?? '')?.[1] ?? ''
      const key = letters.get(name) ?? `message ${message_id}`
      return {
        oracle: 'mail',
        key,
        at: time * 1000,
        answered,
        status: null,
        effect: accepted,
        fault: answered ? null : 'not answered',
      }
    }),
    ...bulk.map(({ row, to, at, whole, code, fault }): Arrival => {
      const effect = whole && (code === null || code < 300)
      return {
        oracle: 'sink',
        key: row || stamped(to, at) || `a message to ${to}`,
        at,
        answered: code !== null,
        status: null,
        effect,
        fault,
      }
    }),
  ]
}

const struck = (status: number | null) =>
  status === null ? 'no answer' : addressProof('POST', status) === 'unknown' ? `status ${status}` : null

/** A fault of an oracle affects that one attempt alone. */
const strikesOf = (arrivals: readonly Arrival[]): Fault[] =>
  arrivals.flatMap(({ oracle, key, at, fault }) =>
    fault ? [{ kind: 'oracle', victim: oracle, what: fault, from: at, to: at, key }] : [],
  )

/**
 * What a network reset before it read the body, which would say whose request it was: it may have struck any that was
 * under way.
 */
const unreadStrikes = async (): Promise<Fault[]> =>
  (await socialLedger({}))
    .filter(({ fault, method }) => fault === 'reset_before_read' && method !== 'GET')
    .map(({ fault, method, host, path, time }) => ({
      ...{ kind: 'oracle', victim: 'social', what: `${fault} of ${method} ${host}${path}` },
      ...{ from: time * 1000, to: time * 1000 },
    }))

async function ordersOf({ db }: World, storeId: string): Promise<OrderRow[]> {
  const { rows } = await db.query<
    Row & { money: Record<string, number> & { tax: { amount: number; included: boolean } | null } }
  >(
    `select o.id, o.number::int, o.status, o.contact_id, o.money,
       (select coalesce(jsonb_agg(to_jsonb(l)), '[]') from order_lines l where l.order_id = o.id) as lines,
       (select coalesce(jsonb_agg(to_jsonb(b)), '[]') from order_bookings b where b.order_id = o.id) as bookings,
       (select jsonb_build_object('type', p.type, 'status', p.status, 'currency', p.currency, 'amount', p.amount, 'captured', p.captured_amount, 'refunded', p.refunded_amount,
          'pending', p.refund_pending_amount, 'unknown', p.refund_unknown_amount, 'refunds', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'status', r.status,
          'amount', r.amount)), '[]') from refunds r where r.payment_id = p.id)) from payments p where p.order_id = o.id) as payment
     from orders o where o.tenant_id = $1`,
    [storeId],
  )
  return rows.map(({ money, ...order }) => ({
    ...(order as unknown as OrderRow),
    ...{
      total: money.total as number,
      subtotal: money.subtotal as number,
      discount: money.discount as number,
      shipping: money.shipping as number,
    },
    tax: money.tax && !money.tax.included ? money.tax.amount : 0,
  }))
}

type Intent = {
  id: string
  status: string
  amount_received: number
  latest_charge: string | null
  metadata: Record<string, string>
}

type Invoice = {
  id: string
  status: string
  amount_paid: number
  parent: { subscription_details: { subscription: string } | null } | null
  payment_intents: string[]
}

async function billingOf(
  { db }: World,
  { shop, account }: Store,
): Promise<Pick<History, 'invoices' | 'billed' | 'members' | 'subscriptions' | 'member_payments'>> {
  const invoices = (await sim('GET', `/ledger/invoices?account=${account}`)) as Invoice[]
  const billed = (await sim('GET', `/ledger/subscriptions?account=${account}`)) as { id: string; status: string }[]
  const all = async <T extends object>(statement: string) => (await db.query<T>(statement, [shop.store_id])).rows
  return {
    invoices: invoices.map(({ id, status, amount_paid, parent }) => ({
      id,
      subscription: parent?.subscription_details?.subscription ?? '',
      paid: status === 'paid' && amount_paid > 0,
      amount: amount_paid,
    })),
    billed: billed
      .filter(({ status }) => !['canceled', 'incomplete', 'incomplete_expired'].includes(status))
      .map(({ id, status }) => ({ id, status })),
    members: await all(
      `select m.id, m.contact_id, m.status, m.paid_through_at::float8, max(p.period_end)::float8 as proved,
         max(p.period_end) filter (where not u.cut and u.status in ('live', 'ended'))::float8 as least,
         coalesce(bool_or(u.status = 'live' and not u.cut and (u.kind = 'one_time' or u.paid_through_at is not null)), false) as pays
       from audience_members m
       left join lateral (select s.*, s.revoked_at is not null or exists (select 1 from subscription_changes c where c.subscription_id = s.id and c.kind = 'cancel_now') as cut
         from subscriptions s where s.member_id = m.id) u on true
       left join payments p on p.subscription_id = u.id and p.status = 'paid' where m.tenant_id = $1 group by m.id`,
    ),
    subscriptions: await all('select id, status, provider_subscription_id from subscriptions where tenant_id = $1'),
    member_payments: await all(
      `select p.id, p.subscription_id, p.provider_invoice_id, p.provider_payment_id as intent, p.captured_amount::float8 as captured, p.refunded_amount::float8 as refunded,
         p.refund_pending_amount::float8 as pending, p.refund_unknown_amount::float8 as unknown,
         (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'status', r.status, 'amount', r.amount)), '[]') from refunds r where r.payment_id = p.id) as refunds
       from payments p where p.tenant_id = $1 and p.subscription_id is not null`,
    ),
  }
}

async function chargesOf(account: string): Promise<Pick<History, 'charges' | 'member_charges'>> {
  const all = async <T extends { id: string }>(at: string): Promise<T[]> => {
    const found: T[] = []
    for (;;) {
      const after = found.at(-1)
      const page = await stripe(account, `${at}?limit=100${after ? `&starting_after=${after.id}` : ''}`)
      found.push(...(page.data as T[]))
      if (!page.has_more) return found
    }
  }
  const charges = await all<{ id: string; amount_refunded: number }>('/charges')
  const invoices = (await sim('GET', `/ledger/invoices?account=${account}`)) as Invoice[]
  const billed = new Map(
    invoices.flatMap(({ id, payment_intents }) => payment_intents.map((intent) => [intent, id] as const)),
  )
  const refundedOf = ({ latest_charge }: Intent) => charges.find(({ id }) => id === latest_charge)?.amount_refunded ?? 0
  const intents = await all<Intent>('/payment_intents')
  const isMember = ({ id, metadata }: Intent) => billed.has(id) || metadata.subscription !== undefined
  return {
    charges: intents
      .filter((intent) => !isMember(intent))
      .map((intent) => ({
        ...{
          order_id: intent.metadata.order_id ?? '',
          status: intent.status,
          received: intent.amount_received,
          refunded: refundedOf(intent),
        },
      })),
    member_charges: intents
      .filter((intent) => isMember(intent) && intent.status === 'succeeded')
      .map((intent) => ({
        ...{ intent: intent.id, invoice: billed.get(intent.id) ?? null, row: intent.metadata.subscription ?? '' },
        ...{ received: intent.amount_received, refunded: refundedOf(intent) },
      })),
  }
}

async function eventsTold({ db, stack }: World, { shop, hook, post, letter }: Store): Promise<History['events']> {
  const taken = new Set(
    written<Received>(stack.dir, 'receiver', 'receiver.jsonl').flatMap((one) =>
      one.path === hook.path && one.status !== null && one.status < 300 ? [one.headers['webhook-id'] as string] : [],
    ),
  )
  const wanted: Record<string, string> = { 'order.updated': post.workflow_id, 'order.created': letter.workflow_id }
  const { rows } = await db.query<Omit<History['events'][number], 'taken' | 'wanted'>>(
    `select e.id, e.type, e.data ->> 'id' as order_id, e.data ->> 'status' as status, e.data ->> 'paid_at' is not null as paid, (select count(*)::int from executions x where x.tenant_id = e.tenant_id and x.occurrence = e.id::text) as executions
     from events e where e.tenant_id = $1`,
    [shop.store_id],
  )
  return rows.map((row) => ({ ...row, taken: taken.has(row.id), wanted: wanted[row.type] ? 1 : 0 }))
}

async function codesOf({ db }: World, storeId: string): Promise<History['codes']> {
  const { rows } = await db.query<History['codes'][number]>(
    `select c.id, c.uses, (select coalesce(jsonb_agg(jsonb_build_object('owner', coalesce(r.order_id, r.subscription_id), 'contact_id', r.contact_id)), '[]') from promo_redemptions r
       where r.promo_code_id = c.id) as redemptions from promo_codes c where c.tenant_id = $1`,
    [storeId],
  )
  return rows.map((row) => ({ ...row, max: limits.uses, max_per_contact: limits.uses_per_contact }))
}

/**
 * Released orders whose page the provider still shows although its opening is recorded as a success, with or without
 * its id.
 */
async function payableOf({ db }: World, { shop, account }: Store): Promise<string[]> {
  const open = (await stripe(account, '/checkout/sessions?status=open&limit=100')).data as {
    metadata: Record<string, string>
  }[]
  const { rows } = await db.query<{ id: string }>(
    `select coalesce(o.id, u.id) as id from payment_sessions s left join orders o on o.id = s.order_id left join subscriptions u on u.id = s.subscription_id
     where s.tenant_id = $1 and (o.status = 'cancelled' or u.status = 'given_up') and s.status = 'succeeded' and s.id::text = any($2)`,
    [shop.store_id, open.map(({ metadata }) => metadata.payment_session ?? '')],
  )
  return rows.map(({ id }) => id)
}

/** The same round some time later, with all requests sent since. */
export async function gatherAgain(world: World, store: Store, history: History): Promise<History> {
  const effects = await effectRows(world, store)
  return {
    ...history,
    effects,
    arrivals: [...(await arrivalsOf(world, store, effects)), ...(await chatArrivals(world, store, effects))],
  }
}

async function campaignsOf({ db }: World, launched: readonly Launched[]): Promise<History['campaigns']> {
  const all: History['campaigns'] = []
  for (const { id, enrolled, paused, steps } of launched) {
    const rows = async <T extends object>(statement: string) => (await db.query<T>(statement, [id])).rows
    const [campaign] = await rows<{ status: string }>('select status from campaigns where id = $1')
    all.push({
      ...{ id, enrolled, paused, steps, status: campaign?.status ?? 'gone' },
      enrollments: await rows('select id, status from enrollments where campaign_id = $1'),
      messages: await rows(
        `select id, enrollment_id, step, try, status, ${ms('sent_at')} as sent_at from campaign_messages where campaign_id = $1 and kind = 'step'`,
      ),
      counted: await rows(
        `select step, sum(requested)::int as requested, sum(succeeded)::int as succeeded, sum(rejected)::int as rejected, sum(failed)::int as failed, sum(unknown)::int as unknown
         from campaign_stats where campaign_id = $1 group by step`,
      ),
    })
  }
  return all
}

export async function gather(
  world: World,
  store: Store,
  told: Pick<History, 'acknowledged' | 'merges' | 'surprises' | 'deaths' | 'unsettled'> & {
    campaigns: readonly Launched[]
    chats: readonly Talk[]
    talks: readonly Talked[]
    posts: readonly Posted[]
  },
): Promise<History> {
  const storeId = store.shop.store_id
  const { rows: levels } = await world.db.query<{ variant_id: string; available: number }>(
    'select variant_id, sum(available)::int as available from inventory_levels where tenant_id = $1 group by variant_id',
    [storeId],
  )
  const variant = ({ variant_id }: { variant_id: string }, stock: number) => ({
    id: variant_id,
    stock,
    available: levels.find((level) => level.variant_id === variant_id)?.available ?? Number.NaN,
  })
  const taken = (await scheduleOf(storeId)).taken.map(
    (one) => one.split(' ').slice(1, 3).map(Number) as [number, number],
  )
  const effects = await effectRows(world, store)
  const arrivals = [...(await arrivalsOf(world, store, effects)), ...(await chatArrivals(world, store, effects))]
  return {
    ...told,
    arrivals,
    effects,
    orders: await ordersOf(world, storeId),
    ...(await chargesOf(store.account)),
    variants: [variant(store.scarce, limits.scarce), variant(store.plenty, limits.plenty)],
    providers: [{ id: store.provider_id, limit: limits.at_once, taken }],
    codes: await codesOf(world, storeId),
    ...(await billingOf(world, store)),
    payable: await payableOf(world, store),
    named:
      told.merges.length === 0
        ? []
        : await rowsNaming(
            told.merges.map(({ source }) => source),
            world.db,
          ),
    campaigns: await campaignsOf(world, told.campaigns),
    ...(await chatsOf(world, store, told.chats)),
    talks: await talksOf(world, told.talks),
    posts: await postsOf(world, told.posts),
    events: await eventsTold(world, store),
    faults: [...world.timeline.all(), ...strikesOf(arrivals), ...(await unreadStrikes())],
  }
}
