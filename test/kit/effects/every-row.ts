// One row of every resource of a store, by its name in a path, for tests that another tenant cannot reach it.
//   const rows = await everyRow(theirs, theirVisitor)
//   rows.products → '0199…'
import { newId } from '../../../entities/kit/ids.ts'
import { bookable, promoCode } from '../bookings/booking.ts'
import { campaignRows } from '../campaigns/campaigns.ts'
import { made } from '../content/content.ts'
import { send as upload } from '../content/files.ts'
import { cash, locationOf } from '../orders/buying.ts'
import { database, newEmail, type Shop, unique, type Visitor } from '../shop.ts'

/**
 * Ids by resource; `variants`, `lines`, `bookings`, `events`, `contacts` and `children` (a taxonomy below `taxonomies`)
 * have no path of their own.
 */
export type EveryRow = Record<string, string>

async function contentOf(shop: Shop): Promise<EveryRow> {
  const add = async (path: string, body: object = {}) =>
    (await made(shop.asOperator('POST', path, { key: unique(), ...body }))).id
  const collections = await add('/collections')
  const taxonomies = await add('/taxonomies')
  const children = await add('/taxonomies', { parent_id: taxonomies })
  const entries = await add('/entries', {
    collection_id: collections,
    taxonomies: [{ taxonomy_id: taxonomies, entry_ids: [children] }],
  })
  const forms = await add('/forms', { schema: [{ key: 'name', type: 'text' }] })
  return {
    collections,
    taxonomies,
    entries,
    forms,
    children,
    submissions: (await made(shop.asOperator('POST', `/forms/${forms}/submissions`, { fields: [] }))).id,
    media: (await upload(shop, [{ name: 'a.txt', bytes: 'one file' }])).body.items[0].id,
  }
}

async function automationOf(shop: Shop): Promise<EveryRow> {
  const add = async (path: string, body: object) =>
    (await made(shop.asOperator('POST', path, { key: unique(), ...body }))).id
  const smtp = { host: 'smtp.tillwright.test', port: 465, security: 'tls' }
  const dav = {
    type: 'webdav',
    settings: { url: 'https://drive.example' },
    credentials: { username: 'u', password: 'p' },
  }
  const hook = {
    url: 'https://hooks.example.com/',
    events: [{ event: 'account.updated' }],
    headers: {},
    secret: `whsec_${'signsAll'.repeat(4)}`,
    enabled: false,
  }
  const rows: EveryRow = {
    mailboxes: await add('/mailboxes', { email: 'shop@tillwright.test', smtp }),
    'email-templates': await add('/email-templates', { format: 'html', subject: 'Hello', body: 'Hello' }),
    workflows: await add('/workflows', { nodes: { t: { type: 'trigger' } }, edges: [] }),
    'build-hooks': await add('/build-hooks', { type: 'custom', url: 'https://hooks.example/x' }),
    'workflow-connections': await add('/workflow-connections', dav),
    // Nothing listens there.
    integrations: await add('/integrations', {
      provider: { type: 'llm_a', api_key: 'secret', model: 'small', base_url: 'http://127.0.0.1:9/v1' },
    }),
    webhooks: await add('/webhooks', hook),
    executions: newId(),
    runs: newId(),
    deliveries: newId(),
    events: newId(),
  }
  await database().query(
    `with x as (insert into executions (id, tenant_id, created_at, updated_at, workflow_id, graph_id, status, source, input)
       select $1, tenant_id, 1, 1, id, graph_id, 'completed', 'webhook', '{}' from workflows where id = $2 returning id, tenant_id)
     insert into node_runs (id, tenant_id, created_at, updated_at, execution_id, key, node, status, fingerprint)
       select $3, tenant_id, 1, 1, id, 't', 't', 'succeeded', '' from x`,
    [rows.executions, rows.workflows, rows.runs],
  )
  await database().query(
    `with e as (insert into events (id, tenant_id, created_at, updated_at, type, data) values ($4, $2, 1, 1, 'order.created', '{}') returning id)
     insert into deliveries (id, tenant_id, created_at, updated_at, webhook_id, event_id, type, status, attempts) select $1, $2, 1, 1, $3, id, 'order.created', 'failed', 8 from e`,
    [rows.deliveries, shop.store_id, rows.webhooks, rows.events],
  )
  return rows
}

/**
 * Routes of businesses: inserted. `chats` is one that an operator began and people answer, beside one of the visitor;
 * `bots` serve no agent.
 */
async function agentsOf(shop: Shop, visitor: Visitor, { integrations }: EveryRow): Promise<EveryRow> {
  const [agents, chats, messages] = [newId(), newId(), newId()]
  const bot = async () =>
    (
      await made(
        shop.asOperator('POST', '/integrations', {
          key: unique(),
          provider: { type: 'chat_bot', bot_token: 'secret' },
        }),
      )
    ).id
  const [bots, spare] = [await bot(), await bot()]
  await database().query(
    `with a as (insert into agents (id, tenant_id, created_at, updated_at, key, prompt, model_id, integration_id) values ($1, $4, 1, 1, 'agent', 'Hello', 'small', $5)),
     v as (insert into chats (id, tenant_id, created_at, updated_at, agent_id, contact_id, channel_id) values (gen_random_uuid(), $4, 1, 1, $1, $6, $7)),
     c as (insert into chats (id, tenant_id, created_at, updated_at, agent_id, mode, message_count) values ($2, $4, 1, 1, $1, 'human', 1) returning id)
     insert into chat_messages (id, tenant_id, created_at, updated_at, chat_id, seq, message_id, role, content, version, status)
     select $3, $4, 1, 1, id, 1, $3, 'user', 'Hello', 1, 'failed' from c`,
    [agents, chats, messages, shop.store_id, integrations, visitor.contact_id, bots],
  )
  return { agents, chats, messages, bots, 'spare-bots': spare }
}

async function commerceOf(shop: Shop, visitor: Visitor, content: EveryRow): Promise<EveryRow> {
  const under = { taxonomies: [{ taxonomy_id: content.taxonomies, entry_ids: [content.children] }] }
  const add = async (path: string, body: object) =>
    made(shop.asOperator('POST', path, { key: unique(), ...under, ...body }))
  const locations = await locationOf(shop)
  const pickups = (
    await made(
      shop.asOperator('POST', '/locations', { key: unique(), is_pickup_location: true, address: { country: 'US' } }),
    )
  ).id
  const prices = ['us', 'eu'].map((market) => ({ market, amount: 1 }))
  const product = await add('/products', {
    variants: [{ requires_shipping: false, prices, inventory: [{ location_id: locations, available: 9 }] }],
  })
  const [service, provider] = [await add('/services', {}), await add('/providers', {})]
  const cut = await bookable(shop, { service_id: service.id, provider_id: provider.id })
  const goods = { product_id: product.id, variant_id: product.variants[0].id as string, quantity: 1 }
  const [slot] = await cut.free()
  if (!slot) throw new Error('no slot is free')
  const fill = async () => {
    const cart = (await visitor.call('POST', '/carts/current')).body.id as string
    await visitor.call('PUT', `/carts/${cart}`, { product_items: [goods], booking_items: [cut.item(slot)] })
    return cart
  }
  const ordered = await visitor.call('POST', `/carts/${await fill()}/checkout`, cash)
  if (ordered.status !== 200) throw new Error(`not ordered: ${ordered.status} ${JSON.stringify(ordered.body)}`)
  const orders = ordered.body.order_id as string
  const shipments = newId()
  await database().query(
    "insert into shipments (id, tenant_id, created_at, updated_at, order_id, items) values ($1, $2, 1, 1, $3, '[]')",
    [shipments, shop.store_id, orders],
  )
  const booked = async (module: string) => {
    const id = newId()
    await database().query(
      `with o as (insert into orders select (jsonb_populate_record(o, jsonb_build_object('id', $2::uuid, 'source_cart_id', $2::uuid, 'number', (select greatest(max(number), 1000000) + 1 from orders
         where tenant_id = o.tenant_id), 'module', $3::text, 'booking_status', 'pending'))).* from orders o where o.id = $1 returning id)
       insert into payments select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'order_id', o.id))).* from payments p, o where p.order_id = $1`,
      [orders, id, module],
    )
    return id
  }
  return {
    locations,
    pickups,
    orders,
    shipments,
    bookings: await booked('booking'),
    reservations: await booked('reservation'),
    markets: (await shop.asOperator('GET', '/markets')).body.items[0].id,
    products: product.id,
    variants: goods.variant_id,
    services: service.id,
    providers: provider.id,
    'service-providers': cut.link_id,
    'promo-codes': (await promoCode(shop)).id,
    carts: await fill(),
    lines: (await shop.asOperator('GET', `/orders/${orders}/products`)).body[0].id,
    'order-bookings': (await shop.asOperator('GET', `/orders/${orders}/bookings`)).body[0].id,
  }
}

/** `audience_tiers` are those of a paid audience, which has no members. */
async function audiencesOf(shop: Shop, visitor: Visitor, { mailboxes }: EveryRow): Promise<EveryRow> {
  const add = async (type: object) => (await made(shop.asOperator('POST', '/audiences', { key: unique(), type }))).id
  const template = {
    key: unique(),
    type: 'subscription_confirmation',
    format: 'html',
    subject: 'Join',
    body: '{{ confirmation_url }}',
  }
  const [audiences, paid] = [await add({ type: 'open' }), await add({ type: 'paid' })]
  await made(shop.asOperator('PUT', `/audiences/${audiences}`, { status: 'active' }))
  const member = await made(
    shop.asOperator('POST', `/audiences/${audiences}/members`, { contact_id: visitor.contact_id }),
  )
  const prices = [{ amount: 0, currency: 'USD' }]
  const tier = await made(shop.asOperator('POST', `/audiences/${paid}/tiers`, { key: unique(), prices }))
  const payment_providers = newId()
  await database().query(
    `insert into payment_providers (id, tenant_id, created_at, updated_at, type, charges_enabled, payouts_enabled, details_submitted, status, fingerprint, attempt)
     values ($1, $2, 1, 1, 'stripe', true, true, true, 'succeeded', '', 1)`,
    [payment_providers, shop.store_id],
  )
  const [subscription, payments] = [newId(), newId()]
  await database().query(
    `with s as (insert into subscriptions (id, tenant_id, created_at, updated_at, member_id, price_id, kind, status, amount, currency)
       values ($1, $2, 1, 1, $3, $4, 'one_time', 'live', 500, 'USD') returning id, tenant_id)
     insert into payments (id, tenant_id, created_at, updated_at, subscription_id, kind, type, status, currency, amount, captured_amount)
       select $5, tenant_id, 1, 1, id, 'one_time', 'card', 'paid', 'USD', 500, 500 from s`,
    [subscription, shop.store_id, member.id, tier.prices[0].id, payments],
  )
  const erasures = newId()
  await database().query(
    `insert into erasures (id, created_at, updated_at, erased_id, key, requested_by, status, message, deleted_at) values ($1, $2, $2, $3, 'gone', $4, 'succeeded', 'Deleted.', $2)`,
    [erasures, Math.floor(Date.now() / 1000), newId(), shop.op.account_id],
  )
  return {
    payments,
    attention: payments,
    erasures,
    audiences,
    mailboxes: mailboxes as string,
    'paid-audiences': paid,
    'audience-members': member.id,
    tiers: tier.id,
    prices: tier.prices[0].id,
    'payment-providers': payment_providers,
    'confirmation-templates': (await made(shop.asOperator('POST', '/email-templates', template))).id,
  }
}

/** A cancelled run of lead research. Its ids are those of other records whose paths have the same segments. */
async function researchOf(
  { store_id }: Shop,
  { audiences, 'audience-members': member, runs, messages, integrations }: EveryRow,
): Promise<EveryRow> {
  const [run, sources, now] = [newId(), newId(), Math.floor(Date.now() / 1000)]
  await database().query(
    `with r as (insert into research_runs (id, tenant_id, created_at, updated_at, run_id, fingerprint, audience_id, goal, model_id, integration_id, status, message_count)
       values ($1, $2, $9, $9, $3, '', $4, 'Goal', 'small', $5, 'cancelled', 1) returning id, tenant_id),
     m as (insert into research_members (id, tenant_id, created_at, updated_at, research_run_id, member_id, position, status) select $1, tenant_id, $9, $9, id, $6, 0, 'cancelled' from r),
     w as (insert into research_messages (id, tenant_id, created_at, updated_at, research_run_id, seq, message_id, role, content, status)
       select $1, tenant_id, $9, $9, id, 1, $7, 'user', 'Hello', 'cancelled' from r)
     insert into research_sources (id, tenant_id, created_at, updated_at, research_run_id, turn_id, call_id, url, status) select $8, tenant_id, $9, $9, id, $1, $1, 'https://lead.example/', 'read' from r`,
    [run, store_id, runs, audiences, integrations, member, messages, sources, now],
  )
  return { sources }
}

/**
 * A comment of the operator with a reply of the operator and one of the visitor, and a like of the visitor. In the
 * tables, so that all are published at once.
 */
async function reactionsOf({ store_id, op }: Shop, { contact_id }: Visitor, product: string): Promise<EveryRow> {
  const now = Math.floor(Date.now() / 1000)
  const add = async (kind: string, author: string, parent: string | null = null) => {
    const [id, place, isMark] = [newId(), parent ?? product, kind === 'like']
    const isOfficial = author === op.account_id
    const said = isMark ? [] : [{ id: 'said', key: 'text', type: 'text', value: 'Fine' }]
    await database().query(
      `insert into reactions (id, tenant_id, created_at, updated_at, author_id, official, target_type, target_id, parent_id, place_id, ancestors, kind, subject, slot, shard, status, has_content, blocks)
       values ($1, $2, $3, $3, $4, $5, 'product', $6, $7, $8, $9, $10, md5($11)::uuid, $12, 0, 'published', $13, $14)`,
      [
        ...[
          id,
          store_id,
          now,
          author,
          isOfficial,
          product,
          parent,
          place,
          parent ? [parent] : [],
          kind,
          `product ${product} ${place} ${kind}`,
        ],
        ...[isMark ? kind : `.${unique()}`, !isMark, JSON.stringify(said)],
      ],
    )
    return id
  }
  const comments = await add('comment', op.account_id)
  await add('like', contact_id)
  return {
    'reaction-comments': comments,
    reactions: await add('comment', op.account_id, comments),
    'visitor-replies': await add('comment', contact_id, comments),
  }
}

export async function socialConnection(shop: Shop): Promise<string> {
  const id = newId()
  await database().query(
    `insert into social_connections (id, tenant_id, created_at, updated_at, type, provider_account_id, name, scopes, connected_by, granted_by, refreshed_at)
     values ($1, $2, 1, 1, 'network_d_account', 'account', 'Account', '[]', $1, 'account', 1)`,
    [id, shop.store_id],
  )
  return id
}

export async function socialPublication(shop: Shop, connection: string): Promise<string> {
  const content = { type: 'network_d_account', caption: 'Hello' }
  const { body } = await shop.asOperator('POST', '/social-publications', { social_connection_id: connection, content })
  return body.publication.id
}

/** A comment below a publication, a reply to it, and a sync. */
async function engagementOf(shop: Shop, connection: string, publication: string): Promise<EveryRow> {
  const [comments, replies, syncs] = [newId(), newId(), newId()]
  await database().query(
    `insert into social_comments (id, tenant_id, created_at, updated_at, publication_id, provider_comment_id, text, own, provider_created_at, synced_at)
     values ($1, $2, 1, 1, $3, '1', 'Hello', false, 1, 1)`,
    [comments, shop.store_id, publication],
  )
  await database().query(
    `insert into social_replies (id, tenant_id, created_at, updated_at, reply_id, publication_id, comment_id, root_id, social_connection_id, type, text, fingerprint, status, settled_at)
     values ($1, $2, 1, 1, $1, $3, $4, $4, $5, 'network_d_account', 'Hello', '', 'unknown', now())`,
    [replies, shop.store_id, publication, comments, connection],
  )
  await database().query(
    `insert into social_syncs (id, tenant_id, created_at, updated_at, kind, status, pages_max, comments_max, with_metrics, finished_at)
     values ($1, $2, 1, 1, 'publications', 'completed', 1, 1, false, 1)`,
    [syncs, shop.store_id],
  )
  return { comments, replies, 'social-replies': replies, syncs }
}

export async function everyRow(shop: Shop, visitor: Visitor): Promise<EveryRow> {
  const content = await contentOf(shop)
  const channels = (
    await made(
      shop.asOperator('POST', `/contacts/${visitor.contact_id}/channels`, { type: 'custom', address: unique() }),
    )
  ).id
  const source = await made(shop.asOperator('POST', '/contacts', { email: newEmail() }))
  await made(
    shop.asOperator('PUT', `/contacts/${visitor.contact_id}`, {
      taxonomies: [{ taxonomy_id: content.taxonomies, entry_ids: [content.children] }],
    }),
  )
  const automation = await automationOf(shop)
  const { rows } = await database().query('select id from api_tokens where account_id = $1', [shop.op.account_id])
  const commerce = await commerceOf(shop, visitor, content)
  const agents = await agentsOf(shop, visitor, automation)
  const audiences = await audiencesOf(shop, visitor, automation)
  const connection = await socialConnection(shop)
  const publication = await socialPublication(shop, connection)
  return {
    ...content,
    ...automation,
    ...agents,
    ...audiences,
    ...(await researchOf(shop, { ...automation, ...agents, ...audiences })),
    ...(await campaignRows(shop)),
    'social-connections': connection,
    'social-publications': publication,
    ...(await engagementOf(shop, connection, publication)),
    ...commerce,
    ...(await reactionsOf(shop, visitor, commerce.products as string)),
    members: shop.op.account_id,
    'api-tokens': rows[0].id,
    contacts: visitor.contact_id,
    'source-contacts': source.id,
    channels,
  }
}
