// What a page of a timeline costs: the same few statements and rows for a record with any number of rows, in a store of
// any size, on the first page and on later ones.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { begin, newWorkflow } from '../kit/automation/graphs.ts'
import { dropConstraints, insertMany } from '../kit/database/many-rows.ts'
import { recordStatementsAlone, rowsOf, scannedBy } from '../kit/database/statements.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'

jest.setTimeout(180_000)

const many = 20_000
/** Ids of our form, whose time is a second more each. `series`: of rows that have others. */
const ids = (series = 0, n = 'n') =>
  `(lpad(to_hex(1757000000000 + 1000 * (${n})), 12, '0') || '7' || lpad(to_hex(${series}), 3, '0') || lpad(to_hex(${n}), 16, '8'))::uuid`
const fill = (table: string, columns: Record<string, string>, values: readonly unknown[], series = 0) =>
  database().query(
    `insert into ${table} (id, created_at, updated_at, tenant_id, ${Object.keys(columns).join(', ')})
     select ${ids(series)}, 1757000000 + n, 1757000000 + n, $1::uuid, ${Object.values(columns).join(', ')}
     from generate_series(1, ${many}) as n`,
    [...values],
  )

let own: Awaited<ReturnType<typeof recordStatementsAlone>>
let shop: Shop
const [contact, product, chat, oldChat, research] = [newId(), newId(), newId(), newId(), newId()]
let order: string
let execution: string

beforeAll(async () => {
  own = await recordStatementsAlone('timeline')
  shop = await newShop()
  const { store_id } = shop
  order = (await database().query(`select ${ids(0, '777')} as id`)).rows[0].id
  execution = await begin(store_id, await newWorkflow(store_id, { nodes: { start: { type: 'trigger' } }, edges: [] }))
  await fill(
    'orders',
    {
      ...{
        number: 'n',
        status: `'confirmed'`,
        fulfillment_status: `'none'`,
        contact_id: '$2::uuid',
        verified: 'false',
      },
      ...{ source_cart_id: 'gen_random_uuid()', payment_id: 'gen_random_uuid()', market: `'us'`, forms: `'[]'` },
      money: `'{"total": 1000, "currency": "USD"}'`,
    },
    [store_id, contact],
  )
  const money = { currency: `'USD'`, amount: '1000', order_id: ids() }
  await fill(
    'payments',
    { ...money, type: `'card'`, status: `'paid'`, captured_amount: '1000', refunded_amount: '1000' },
    [store_id],
  )
  await fill(
    'refunds',
    {
      ...{ ...money, payment_id: ids(), refund_id: 'gen_random_uuid()', origin: `'operator'`, attempt: '1' },
      ...{ status: `'succeeded'`, fingerprint: `''`, needs_attention: 'false' },
      ...{ sent_at: 'to_timestamp(1757000001 + n)', settled_at: 'to_timestamp(1757000002 + n)' },
    },
    [store_id],
  )
  const events = (data: string, values: readonly unknown[], series: number) =>
    fill(
      'events',
      { type: `'order.updated'`, data: `jsonb_build_object('id', ${data})` },
      [store_id, ...values],
      series,
    )
  await events('$2::text', [product], 1)
  await events(ids(), [], 2)
  await fill(
    'node_runs',
    {
      ...{ execution_id: '$2::uuid', key: `'call#' || n`, node: `'call'`, status: `'succeeded'`, fingerprint: `''` },
      ...{ attempt: '1', applied: 'true', settled_at: 'to_timestamp(1757000002 + n)' },
    },
    [store_id, execution],
  )
  const call = { status: `'succeeded'`, fingerprint: `''`, attempt: '1', settled_at: 'to_timestamp(1757000002 + n)' }
  const asked = {
    ...{ ...call, turn_id: 'gen_random_uuid()', step: '0', try: '1', integration_id: ids(), model: `'m'` },
    ...{ agent_id: ids(), day: `'2026-01-01'`, reserved_tokens: '1', held_tokens: '0' },
  }
  await fill('model_calls', { ...asked, chat_id: '$2::uuid' }, [store_id, chat], 1)
  await fill('model_calls', { ...asked, research_run_id: '$2::uuid' }, [store_id, research], 2)
  await fill(
    'channel_messages',
    {
      ...{ ...call, channel_id: ids(), chat_id: '$2::uuid', message_id: 'gen_random_uuid()', seq: 'n', part: '1' },
      try: '1',
    },
    [store_id, chat],
    3,
  )
  await database().query(
    `insert into chats (id, tenant_id, created_at, updated_at, agent_id, mode, message_count)
     values ($1, $2, 1757000000, 1757000000, $1, 'human', 0)`,
    [chat, store_id],
  )
  // An old chat, whose calls and messages are deleted by now.
  await database().query(
    `insert into chats (id, tenant_id, created_at, updated_at, agent_id, mode, message_count)
     values ($1, $2, 1757000000, 1757000000, $1, 'human', $3)`,
    [oldChat, store_id, many],
  )
  await fill(
    'chat_messages',
    {
      ...{ chat_id: '$2::uuid', seq: 'n', message_id: ids(4), role: `'user'`, content: `'Hello'` },
      ...{ version: '0', turn_id: 'gen_random_uuid()', search: `to_tsvector('simple', '')` },
    },
    [store_id, oldChat],
    4,
  )
  await database().query(
    `insert into research_runs (id, created_at, updated_at, tenant_id, run_id, fingerprint, audience_id, goal, model_id, integration_id, status, message_count)
     values ($1, 1757000000, 1757000000, $2, $1, '', $1, 'Tea', 'm', $1, 'completed', 0)`,
    [research, store_id],
  )
  const form = await shop.asOperator('POST', '/forms', { key: 'request', schema: [{ key: 'name', type: 'text' }] })
  await fill(
    'form_submissions',
    { form_id: '$3::uuid', contact_id: '$2::uuid', fields: `'[]'`, search: `to_tsvector('simple', '')` },
    [store_id, contact, form.body.id],
    5,
  )
  await database().query(
    'insert into products (id, created_at, updated_at, tenant_id, key, slug, blocks, taxonomies, status) values ($1, 1757000000, 1757000000, $2, $3, $4, $4, $4, $5)',
    [product, store_id, 'tea', '[]', 'active'],
  )
  await plantStreams(store_id)
  await database().query('analyze')
})
afterAll(async () => {
  await database().end()
  await own.close()
})

const [enrollment, message, provider, connection, member] = [newId(), newId(), newId(), newId(), newId()]
/** Records whose rows come by any number of replies, links and requests. */
async function plantStreams(tenantId: string): Promise<void> {
  await dropConstraints(database())
  const one = (table: string, id: string, values: Record<string, string> = {}) =>
    insertMany(database(), table, values, { tenantId, many: 1, id: `'${id}'::uuid` })
  const rows = (table: string, column: string, owner: string, values: Record<string, string>, series: number) =>
    insertMany(
      database(),
      table,
      { ...values, [column]: `'${owner}'::uuid`, created_at: '1757000000 + n', updated_at: '1757000000 + n' },
      { tenantId, many, id: ids(series) },
    )
  await one('enrollments', enrollment, { status: `'completed'` })
  await one('campaign_messages', message, { status: `'succeeded'`, kind: `'test'` })
  await one('payment_providers', provider, { status: `'succeeded'` })
  await one('social_connections', connection, { status: `'active'` })
  await one('audience_members', member, { status: `'active'` })
  const ended = { member_id: `'${member}'::uuid`, status: `'ended'` }
  for (let n = 1; n <= 3; n++) await one('subscriptions', newId(), ended)
  const mail = { kind: `'reply'`, received_at: '1757000000 + n' }
  await rows('inbound_mails', 'enrollment_id', enrollment, mail, 11)
  await rows('inbound_mails', 'campaign_message_id', message, mail, 12)
  const sent = { status: `'succeeded'`, settled_at: 'to_timestamp(1757000000 + n)' }
  await rows('onboarding_links', 'payment_provider_id', provider, sent, 13)
  await rows('social_token_requests', 'social_connection_id', connection, { ...sent, kind: `'refresh'` }, 14)
  const { rows: subscriptions } = await database().query('select id from subscriptions where member_id = $1', [member])
  for (const [n, { id }] of subscriptions.entries()) await rows('portal_links', 'subscription_id', id, sent, 15 + n)
}

const large = [
  ...['orders', 'payments', 'refunds', 'events', 'node_runs', 'model_calls', 'channel_messages', 'chat_messages'],
  ...['form_submissions', 'inbound_mails', 'onboarding_links', 'social_token_requests', 'portal_links'],
]

async function page(subject: string, cursor: string) {
  const path = `/timeline?subject=${subject}&limit=20&cursor=${cursor}`
  const statements = [...(await own.statementsOf(shop, 'GET', path))]
  const plans = await statements.reduce(
    async (before, statement) => [...(await before), await own.planOf(statement)],
    Promise.resolve<Awaited<ReturnType<typeof own.planOf>>[]>([]),
  )
  const { body } = await shop.asOperator('GET', path)
  return {
    statements: statements.length,
    rows: plans.reduce((sum, plan) => sum + rowsOf(plan), 0),
    scanned: plans.flatMap(scannedBy).filter((table) => large.includes(table)),
    items: body.items.length as number,
    cursor: body.cursor as string | null,
  }
}

test.each([
  ['an order among many', () => `order:${order}`, 1],
  ['a product with many events', () => `product:${product}`, 3],
  ['an execution with many runs', () => `execution:${execution}`, 3],
  ['a contact with many orders and submissions', () => `contact:${contact}`, 3],
  ['a chat with many calls and messages', () => `chat:${chat}`, 3],
  ['a chat whose calls are deleted', () => `chat:${oldChat}`, 3],
  ['a run of lead research with many calls', () => `research_run:${research}`, 3],
  ['an enrollment with many replies', () => `enrollment:${enrollment}`, 3],
  ['a message with many replies', () => `campaign_message:${message}`, 3],
  ['an account with many links', () => `payment_provider:${provider}`, 3],
  ['a connection with many requests', () => `social_connection:${connection}`, 3],
  ['a membership with many links', () => `member:${member}`, 3],
])('A page of the timeline of %s reads few rows, by indexes', async (_, subject, pages) => {
  let cursor: string | null = ''
  for (let n = 0; n < pages; n++) {
    const cost = await page(subject(), cursor as string)
    // The caller, the moments, what their rows say, and the names of accounts.
    expect(cost.statements).toBeLessThanOrEqual(4)
    expect(cost.scanned).toEqual([])
    expect(cost.rows).toBeLessThan(2_000)
    expect(cost.items).toBeGreaterThan(3)
    ;({ cursor } = cost)
    expect(cursor === null).toBe(pages === 1)
  }
})
