// A maintenance script runs once at a time, resumes after a killed worker, overwrites no concurrent change, and stores
// no credentials.
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import type { Process } from '../../dev/parts.ts'
import type { Api } from '../../dev/stack.ts'
import { formParts } from '../../entities/platform/stored-forms.ts'
import { made, promoCode } from '../kit/bookings/booking.ts'
import { until } from '../kit/codes.ts'
import { send } from '../kit/content/files.ts'
import { socialConnection, socialPublication } from '../kit/effects/every-row.ts'
import { cartOf, cash, checkOut, product } from '../kit/orders/buying.ts'
import { paymentRows } from '../kit/orders/payment-rows.ts'
import {
  type Answer,
  database,
  http,
  newEmail,
  newShop,
  type Operator,
  operator,
  type Shop,
  unique,
  type Visitor,
} from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(120_000)

let lab: Lab
let worker: Process
/** An API process that waits for a script's end, and one that does not. */
let [patient, hasty]: (Api | undefined)[] = []
let connection: Connection
let temporal: Client
let platform: Operator
let shop: Shop

beforeAll(async () => {
  lab = await startLab('scripts', { RECONCILE_EVERY_MS: '1000' }, { queues: ['default', 'mail'] })
  patient = await lab.stack.startApi({ ANSWER_WAIT_MS: '60000' })
  hasty = await lab.stack.startApi({ ANSWER_WAIT_MS: '0' })
  worker = await lab.startWorker()
  connection = await Connection.connect({ address: lab.stack.env.TEMPORAL_ADDRESS as string })
  temporal = new Client({ connection })
  ;[platform, shop] = await Promise.all([operator(lab.stack.env.SUPER_EMAIL?.split(',')[0]), newShop()])
})

afterAll(async () => {
  await connection.close()
  await database().end()
  await lab.stop()
})

const at = '/v1/platform/scripts'
const run = (body: unknown, base = patient?.url, headers = platform.headers): Promise<Answer> =>
  http('POST', at, { body, headers, base })
const succeeds = async (name: string, value?: string): Promise<string> => {
  const { status, body } = await run({ name, value })
  expect([status, body]).toEqual([200, { success: true, message: expect.any(String) }])
  return body.message
}
type Run = { id: string; name: string; value: string | null; status: string; message: string }
const runsOf = async (name: string): Promise<Run[]> =>
  (await database().query('select * from script_runs where name = $1 order by id', [name])).rows
const newestOf = async (name: string) => (await runsOf(name)).at(-1) as Run
const ended = (name: string) =>
  until(async () => {
    const newest = await newestOf(name)
    return newest.status !== 'running' && newest
  }, 60_000)

/** Locks rows as a writer does, until it is stopped. */
async function writer(statement: string, values: unknown[]) {
  const client = await database().connect()
  await client.query('begin')
  await client.query(statement, values)
  return {
    async end() {
      await client.query('commit')
      client.release()
    },
  }
}

const tables = [
  ...[
    'audiences',
    'chat_messages',
    'collections',
    'contacts',
    'entries',
    'form_submissions',
    'forms',
    'media',
    'products',
    'providers',
    'reactions',
  ],
  ...['services', 'social_publications', 'taxonomies'],
]
const union = (columns: string) =>
  tables.map((table) => `select '${table}' as table, id, ${columns} from ${table}`).join(' union all ')
const words = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (
      await database().query(
        `select id, "table" || ' ' || coalesce(search::text, 'none') as said from (${union('search')}) x`,
      )
    ).rows.map(({ id, said }) => [id, said]),
  )
const moments = async () => (await database().query(`select * from (${union('updated_at')}) x order by id`)).rows

test('An unknown script returns 404 with the names of the existing ones', async () => {
  for (const name of ['reindex', 'Reindex-Search', '__proto__', 'toString', ' '])
    expect(await run({ name })).toMatchObject({
      status: 404,
      body: {
        success: false,
        message:
          'There is no such script. Known scripts: normalize-forms, reindex-search, repair-mixed-writes, rotate-encryption.',
      },
    })
  expect((await database().query('select 1 from script_runs')).rows).toEqual([])
})

test('A script requires a platform administrator', async () => {
  for (const [headers, status, code] of [
    [{}, 401, 'unauthorized'],
    [shop.op.headers, 403, 'forbidden'],
  ] as const)
    expect(await run({ name: 'reindex-search' }, undefined, headers as never)).toMatchObject({ status, body: { code } })
})

test('A script request with a wrong shape is refused', async () => {
  for (const [body, fault] of [
    [{}, '/name required'],
    [{ name: 'reindex-search', value: 1 }, '/value invalid_type'],
    [{ name: 'reindex-search', username: 1 }, '/username invalid_type'],
    [{ name: 'reindex-search', password: 'x'.repeat(1_001) }, '/password too_big'],
    [{ name: 'reindex-search', password: '__redacted__' }, '/password redacted_value'],
    [{ name: 'reindex-search', secret: 'x' }, '/secret unknown_field'],
  ] as const) {
    const { status, body: told } = await run(body)
    expect([
      status,
      ...(told.errors ?? []).map((one: { pointer: string; code: string }) => `${one.pointer} ${one.code}`),
    ]).toEqual([422, fault])
  }
})

test('A script that cannot succeed returns the reason, and the next one runs', async () => {
  expect(await run({ name: 'reindex-search', value: 'orders' })).toMatchObject({
    status: 200,
    body: { success: false, message: `No such table has search texts; these have: ${tables.join(', ')}.` },
  })
  expect((await run({ name: 'rotate-encryption', value: 'x' })).body).toEqual({
    success: false,
    message: 'rotate-encryption takes no value.',
  })
  expect((await run({ name: 'normalize-forms', value: 'x' })).body).toEqual({
    success: false,
    message: 'normalize-forms takes no value.',
  })
  await succeeds('reindex-search', 'products')
})

/** A comment, and a like, which has no words. */
async function reactTo(id: string, { headers }: Visitor): Promise<void> {
  const of = (kind: string) => database().query('update tenants set kind = $2 where id = $1', [shop.store_id, kind])
  await of('business')
  for (const said of [
    { kind: 'like' },
    { kind: 'comment', blocks: [{ key: 'text', type: 'text', value: 'Fine, ABC-123' }] },
  ])
    await made(
      http('POST', `/v1/businesses/${shop.store_id}/reactions`, {
        headers,
        body: { target: { type: 'product', id }, ...said },
      }),
    )
  await of('store')
}

describe('Rebuilding search text', () => {
  let product: string
  const sku = `SKU-${unique()}`
  beforeAll(async () => {
    const blocks = (text: string) => [{ key: 'title', type: 'text', value: text }]
    const variants = [{ sku, prices: [] }, { prices: [] }, { sku: `${sku}-2`, prices: [] }]
    const one = await made(
      shop.asOperator('POST', '/products', {
        key: unique(),
        slug: { en: unique() },
        blocks: blocks('a fine ABC-123'),
        variants,
      }),
    )
    product = one.id
    await made(
      shop.asOperator('POST', '/products', {
        key: unique(),
        blocks: [{ key: 'long', type: 'text', value: `xx${'\u{1f600}'.repeat(31_000)} end` }],
      }),
    )
    await made(shop.asOperator('POST', '/contacts', { email: newEmail() }))
    await reactTo(product, await shop.visitor())
    await database().query(
      `with c as (insert into chats (id, tenant_id, created_at, updated_at, agent_id, message_count) values (gen_random_uuid(), $1, 1, 1, gen_random_uuid(), 1) returning id, tenant_id)
       insert into chat_messages (id, tenant_id, created_at, updated_at, chat_id, seq, message_id, role, content, version, status, search)
       select gen_random_uuid(), tenant_id, 1, 1, id, 1, gen_random_uuid(), 'user', 'Which tea?', 1, 'answered', to_tsvector('simple', 'Which tea') from c`,
      [shop.store_id],
    )
    await socialPublication(shop, await socialConnection(shop))
    await made(shop.asOperator('POST', '/services', { key: unique(), blocks: blocks('cut') }))
    await made(shop.asOperator('POST', '/providers', { key: unique(), blocks: blocks('Rosa') }))
    await made(
      shop.asOperator('POST', '/audiences', { key: `club-${unique()}`, name: 'Tea club', type: { type: 'open' } }),
    )
    await made(shop.asOperator('POST', '/taxonomies', { key: `topic-${unique()}` }))
    const collection = await made(
      shop.asOperator('POST', '/collections', { key: `posts-${unique()}`, schema: [], blocks: blocks('all posts') }),
    )
    // PostgreSQL stores the fields of jsonb in an order of its own.
    const spoken = [{ key: 'title', type: 'localized_text', value: { 'pt-BR': 'olá', en: 'hello', de: 'hallo' } }]
    const slug = { 'en-GB': unique(), en: unique(), de: unique() }
    await made(
      shop.asOperator('POST', '/entries', {
        key: unique(),
        collection_id: collection.id,
        slug,
        blocks: [...blocks('first post'), ...spoken],
      }),
    )
    expect((await send(shop, [{ name: 'a first-note.txt', bytes: 'Hello' }])).status).toBe(201)
    const form = await made(
      shop.asOperator('POST', '/forms', { key: `ask-${unique()}`, schema: [{ key: 'full_name', type: 'text' }] }),
    )
    await made(
      shop.asOperator('POST', `/forms/${form.id}/submissions`, {
        fields: [{ key: 'full_name', type: 'text', value: 'Ada L. Byron' }],
      }),
    )
  })

  test('The script reindex-search covers every table with search text', async () => {
    // Every kind must have a record here, or the test would prove nothing about it.
    for (const table of tables)
      expect([table, (await database().query(`select 1 from ${table} limit 1`)).rows]).toEqual([
        table,
        [expect.anything()],
      ])
    const { rows } = await database().query(
      `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'search' and udt_name = 'tsvector' order by table_name`,
    )
    // A listing has a copy of its record's, and is rewritten with it.
    expect(rows.map(({ name }) => name).filter((name) => name !== 'network_listings')).toEqual(tables)
  })

  test('The script reindex-search finds nothing to rebuild after ordinary writes', async () => {
    const before = await words()
    expect(await succeeds('reindex-search')).toMatch(/Had other words: nothing\.$/)
    expect(await words()).toEqual(before)
  })

  test('The script reindex-search restores lost search text and changes nothing else of a row', async () => {
    const [before, at] = [await words(), await moments()]
    await database().query(
      `with n as (insert into networks (id, created_at, updated_at, key, name) values (gen_random_uuid(), 1, 1, $1, 'A city') returning id)
       insert into network_listings (network_id, kind, record_id, tenant_id, search, created_at, categories)
       select n.id, 'product', p.id, p.tenant_id, null, p.created_at, '[]' from n, products p where p.id = $2`,
      [`city-${unique()}`, product],
    )
    for (const table of tables)
      await database().query(
        `update ${table} set search = case when id::text < '8' then null else to_tsvector('simple', 'nonsense') end`,
      )
    expect((await shop.asOperator('GET', `/products?query=${sku}`)).body.items).toEqual([])
    expect(await succeeds('reindex-search')).toMatch(/Had other words: .*entries 1.*products 2/)
    expect(await words()).toEqual(before)
    const { rows: copies } = await database().query(
      'select l.search = p.search as alike from network_listings l join products p on p.id = l.record_id',
    )
    expect(copies).toEqual([{ alike: true }])
    expect(await moments()).toEqual(at)
    expect((await shop.asOperator('GET', `/products?query=${sku}`)).body.items).toMatchObject([{ id: product }])
    expect(await succeeds('reindex-search')).toMatch(/Had other words: nothing\.$/)
  })

  test('The script reindex-search takes one table by name', async () => {
    await database().query('update products set search = null')
    await database().query('update services set search = null')
    expect(await succeeds('reindex-search', 'products')).toBe(`Read: products 2. Had other words: products 2.`)
    const { rows } = await database().query(
      'select (select count(*) from services where search is null)::int as services, (select count(*) from products where search is null)::int as products',
    )
    expect(rows).toEqual([{ services: 1, products: 0 }])
    await succeeds('reindex-search', 'services')
  })

  test('The script reindex-search never overwrites the text of a concurrent write', async () => {
    const held = await writer(
      `update products set key = 'renamed-' || key, search = to_tsvector('simple', 'renamed') where id = $1`,
      [product],
    )
    const begun = await run({ name: 'reindex-search', value: 'products' }, hasty?.url)
    expect(begun.body).toEqual({
      success: true,
      message: expect.stringMatching(/^Still running: .*Repeat the request to see its progress\.$/),
    })
    // The script has read all other tables, and waits for this row.
    await until(
      async () =>
        (
          await database().query(
            `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%for no key update%'`,
          )
        ).rows.length > 0,
    )
    const waiting = (await database().query(`select id from script_runs where status = 'running'`)).rows[0].id
    const again = run({ name: 'reindex-search', value: 'products' })
    await held.end()
    // The request joins that run, or starts one afterwards that finds nothing to rebuild.
    expect((await again).body).toEqual({
      success: true,
      message: expect.stringMatching(/^Read: products 2\. Had other words: (products 1|nothing)\.$/),
    })
    const { rows } = await database().query('select status, message from script_runs where id = $1', [waiting])
    expect(rows).toEqual([{ status: 'succeeded', message: 'Read: products 2. Had other words: products 1.' }])
    expect((await shop.asOperator('GET', `/products?query=${sku}`)).body.items).toMatchObject([
      { id: product, key: expect.stringMatching(/^renamed-/) },
    ])
    expect((await shop.asOperator('GET', '/products?query=renamed')).body.items).toHaveLength(1)
  })
})

describe('A running script', () => {
  const name = 'reindex-search'
  let held: Awaited<ReturnType<typeof writer>>
  let id: string
  beforeAll(async () => {
    held = await writer('select 1 from services for update', [])
    expect((await run({ name }, hasty?.url)).body.success).toBe(true)
    ;({ id } = await newestOf(name))
    await until(async () => (await newestOf(name)).message.includes('services'))
  })

  test('A second request joins a running script and returns its progress', async () => {
    const runs = (await runsOf(name)).length
    const answers = await Promise.all(Array.from({ length: 10 }, () => run({ name }, hasty?.url)))
    const at = new RegExp(
      `^Still running: Table ${tables.indexOf('services') + 1} of ${tables.length} \\(services\\)\\. Read: .*products 2`,
    )
    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 200,
        body: { success: true, message: expect.stringMatching(at) },
      })
    expect(await runsOf(name)).toHaveLength(runs)
  })

  test('A request with another value is refused while the script is running', async () => {
    expect(await run({ name, value: 'products' }, hasty?.url)).toMatchObject({
      status: 409,
      body: {
        success: false,
        message: 'reindex-search is running with another value. Repeat the request after it has ended.',
      },
    })
  })

  test('A script whose workflow was lost continues by itself', async () => {
    await temporal.workflow.getHandle(`script/${id}`).terminate('lost')
    await held.end()
    expect(await ended(name)).toMatchObject({ id, status: 'succeeded' })
  })
})

test('Concurrent requests make one run, and all of them return its result', async () => {
  const before = (await runsOf('reindex-search')).length
  const held = await writer('select 1 from services for update', [])
  // All requests arrive before the first one is processed, and all are processed before the run can end.
  const gate = await writer('lock table script_runs in exclusive mode', [])
  const calls = Array.from({ length: 8 }, (_, n) =>
    run({ name: 'reindex-search' }, (n % 2 === 0 ? patient : hasty)?.url),
  )
  const waiting = async () => {
    const { rows } = await database().query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into script_runs%'`,
    )
    return rows.length
  }
  await until(async () => (await waiting()) === calls.length)
  await gate.end()
  await until(async () => (await waiting()) === 0)
  await Promise.all(calls.filter((_, n) => n % 2 === 1))
  await held.end()
  const answers = await Promise.all(calls.filter((_, n) => n % 2 === 0))
  expect(await runsOf('reindex-search')).toHaveLength(before + 1)
  const { message } = await newestOf('reindex-search')
  for (const { status, body } of answers) expect([status, body]).toEqual([200, { success: true, message }])
})

test('A killed worker costs one batch, and another worker continues after the last one', async () => {
  await database().query(
    `insert into taxonomies (id, tenant_id, created_at, updated_at, key, schema, status) select gen_random_uuid(), $1, 1, 1, 'many-' || n, '[]', 'active' from generate_series(1, 950) n`,
    [shop.store_id],
  )
  const { rows } = await database().query('select count(*)::int as count from taxonomies')
  const count = rows[0].count
  const held = await writer(`select 1 from taxonomies where key = 'many-7' for update`, [])
  await run({ name: 'reindex-search', value: 'taxonomies' }, hasty?.url)
  const { id } = await newestOf('reindex-search')
  // All but the locked row: the worker dies in the batch of that one.
  await until(async () => (await newestOf('reindex-search')).message.includes(`taxonomies ${count - 1}.`))
  lab.failAt('script_batch', id, 'kill')
  await held.end()
  await worker.child.ended
  expect((await newestOf('reindex-search')).status).toBe('running')
  worker = await lab.startWorker()
  expect(await ended('reindex-search')).toMatchObject({
    id,
    status: 'succeeded',
    message: `Read: taxonomies ${count}. Had other words: taxonomies 950.`,
  })
  expect((await database().query('select 1 from taxonomies where search is null')).rows).toEqual([])
  await database().query(`delete from taxonomies where key like 'many-%'`)
})

test('A script cancelled in Temporal is recorded as failed, and another one can start', async () => {
  await worker.stop()
  await run({ name: 'reindex-search' }, hasty?.url)
  const { id } = await newestOf('reindex-search')
  await until(async () => {
    try {
      await temporal.workflow.getHandle(`script/${id}`).cancel()
      return true
    } catch {
      return false
    }
  })
  worker = await lab.startWorker()
  expect(await ended('reindex-search')).toMatchObject({
    id,
    status: 'failed',
    message: expect.stringMatching(/^Given up: /),
  })
  await succeeds('reindex-search')
})

test('A script requested while Temporal is down is recorded and starts afterwards', async () => {
  await lab.stack.temporal.stop()
  const { status, body } = await run({ name: 'reindex-search' })
  expect([status, body]).toEqual([
    200,
    { success: true, message: 'The script starts when the workflow engine is reachable again.' },
  ])
  await lab.stack.temporal.start()
  expect(await ended('reindex-search')).toMatchObject({ status: 'succeeded' })
})

test('Credentials of a script are in no row, log or history', async () => {
  const [username, password] = [`user-${unique()}`, `pass-${unique()}`]
  const { body } = await run({ name: 'reindex-search', username, password })
  expect(body.success).toBe(true)
  expect(await run({ name: 'unknown', username, password })).toMatchObject({ status: 404 })
  const { id } = await newestOf('reindex-search')
  const history = JSON.stringify(await temporal.workflow.getHandle(`script/${id}`).fetchHistory())
  const { rows: names } = await database().query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  )
  const dumps = await Promise.all(
    names.map(({ name }) => database().query(`select coalesce(string_agg(t::text, ' '), '') as dump from "${name}" t`)),
  )
  const logs = fs
    .readdirSync(path.join(lab.stack.dir, 'logs'))
    .map((file) => fs.readFileSync(path.join(lab.stack.dir, 'logs', file), 'utf8'))
  expect(logs.join()).toContain(at)
  for (const secret of [username, password])
    for (const text of [history, JSON.stringify(body), ...dumps.map(({ rows }) => rows[0].dump), ...logs])
      expect(text.includes(secret)).toBe(false)
})

test('The script repair-mixed-writes counts payments again, and waits for those that are locked', async () => {
  const { paid, refund } = paymentRows((text, values) => {
    let at = 0
    return database().query(
      text.replaceAll('?', () => `$${++at}`),
      values,
    )
  })
  const [free, locked] = [await paid('confirmed'), await paid('confirmed')]
  const refunds = [await refund(free, 'unknown', 2000), await refund(locked, 'unknown', 2000)]
  const flagged = async () =>
    (await database().query('select id from refunds where id = any ($1) and needs_attention order by id', [refunds]))
      .rows
  const holder = await writer('update payments set updated_at = updated_at where id = $1', [locked.payment_id])
  expect((await run({ name: 'repair-mixed-writes' }, hasty?.url)).status).toBe(200)
  await until(async () => (await flagged()).length === 1)
  await holder.end()
  expect(await ended('repair-mixed-writes')).toMatchObject({ status: 'succeeded', message: 'Repaired: payments 2.' })
  expect(await flagged()).toEqual(refunds.sort().map((id) => ({ id })))
  expect(await succeeds('repair-mixed-writes')).toBe('Repaired: nothing.')
  expect((await run({ name: 'repair-mixed-writes', value: 'x' })).body.message).toBe(
    'repair-mixed-writes takes no value.',
  )
})

describe('Stored forms', () => {
  test('The script normalize-forms covers every table whose keys are unique', async () => {
    const { rows } = await database().query(
      `select distinct c.table_name as name from information_schema.columns c where c.table_schema = 'public' and c.column_name = 'key'
         and exists (select 1 from information_schema.columns t where t.table_name = c.table_name and t.column_name = 'tenant_id')
         and exists (select 1 from pg_indexes i where i.tablename = c.table_name and i.indexdef ~ 'UNIQUE.*[(, ]key[,)]')`,
    )
    // Keys of businesses that are erased are copies, and nodes are named by their graph.
    const covered = formParts.filter((part) => part.endsWith('.key')).map((part) => part.replace('.key', ''))
    expect(
      rows
        .map(({ name }) => name)
        .filter((name) => !['erasures', 'node_runs', 'tenants'].includes(name))
        .sort(),
    ).toEqual(covered)
  })

  test('The script normalize-forms fills the addresses of uses that were stored without one', async () => {
    const own = await newShop()
    const tea = await product(own)
    const [limited, free] = [
      await promoCode(own, { conditions: [{ type: 'max_uses_per_user', count: 1 }] }),
      await promoCode(own, { conditions: [{ type: 'max_uses', count: 9 }] }),
    ]
    const email = newEmail()
    for (const { code } of [limited, free]) {
      const visitor = await own.visitor(email)
      const cart = await cartOf(visitor, [tea.item(1)], { promo_code: code })
      expect((await checkOut(visitor, cart, cash)).status).toBe(200)
    }
    const addresses = async () =>
      Object.fromEntries(
        (
          await database().query('select promo_code_id, address from promo_redemptions where tenant_id = $1', [
            own.store_id,
          ])
        ).rows.map((one) => [one.promo_code_id, one.address]),
      )
    expect(await addresses()).toEqual({ [limited.id]: email, [free.id]: email })
    // As a process of the previous version stores them.
    await database().query('update promo_redemptions set address = null where tenant_id = $1', [own.store_id])
    expect(await succeeds('normalize-forms')).toMatch(/^Brought into their form: promo_redemptions\.address 1\./)
    expect(await addresses()).toEqual({ [limited.id]: email, [free.id]: null })
    const again = await own.visitor(email)
    const cart = await cartOf(again, [tea.item(1)], { promo_code: limited.code })
    expect((await checkOut(again, cart, cash)).status).toBe(422)
  })

  test('The script normalize-forms brings stored keys, slugs, tags and numbers into their form', async () => {
    const own = await newShop({ settings: { address: { country: 'DE' } } })
    const key = `crème ${unique()}`.normalize('NFC')
    const old = key.normalize('NFD')
    const slug = `thé-${unique()}`
    const [one, two] = [
      await made(own.asOperator('POST', '/products', { key: unique(), variants: [{ sku: 'x' }] })),
      await made(own.asOperator('POST', '/products', { key })),
    ]
    const three = await made(own.asOperator('POST', '/products', { key: unique(), slug: { en: 'x', de: 'y' } }))
    const taxonomy = await made(own.asOperator('POST', '/taxonomies', { key: unique() }))
    const contact = await made(own.asOperator('POST', '/contacts', { email: newEmail() }))
    const add = async (address: string) =>
      (await own.asOperator('POST', `/contacts/${contact.id}/channels`, { type: 'phone', address })).body.id as string
    const numbers = [
      await add('030 901820'),
      await add('030 901821'),
      await add('030 901822'),
      await add('030 901823'),
      await add('030 901824'),
    ]
    const set = (statement: string, ...values: unknown[]) => database().query(statement, values)
    // As earlier versions stored them.
    await set('update products set key = $2 where id = $1', one.id, old)
    await set('update taxonomies set key = $2 where id = $1', taxonomy.id, old)
    await set('update product_variants set sku = $2 where product_id = $1', one.id, old)
    await set('update products set slug = $2 where id = $1', three.id, { en_gb: slug.normalize('NFD'), iw: 'a' })
    await set(
      `update slugs set locale = case locale when 'en' then 'en_gb' else 'iw' end, slug = case locale when 'en' then $2 else 'a' end where owner_id = $1`,
      three.id,
      slug.normalize('NFD'),
    )
    await set(
      'update tenants set languages = $2 where id = $1',
      own.store_id,
      JSON.stringify(['pt-br', 'pt_BR', 'zh_tw']),
    )
    for (const [at, address] of ['030901820', '0049030901821', '0049030901824', '110'].entries())
      await set('update contact_channels set address = $2 where id = $1', numbers[at], address)
    const was = await moments()

    const message = await succeeds('normalize-forms')
    expect(message).toMatch(
      /^Brought into their form: contact_channels\.address 2, product_variants\.sku 1, products\.slug 1, taxonomies\.key 1, tenants\.languages 1\. Left as they are: contact_channels\.address 2, products\.key 1\.\n/,
    )
    expect(message.split('\n').slice(1).sort()).toEqual(
      [
        `contact_channels.address of ${numbers[3]}: It is no telephone number of a known country.`,
        `contact_channels.address of ${numbers[2]}: The contact has the number twice.`,
        `products.key of ${one.id}: Another record has it in the same form.`,
      ].sort(),
    )
    expect(await moments()).toEqual(was)
    const channels = (await own.asOperator('GET', `/contacts/${contact.id}/channels`)).body.items.filter(
      ({ type }: { type: string }) => type === 'phone',
    )
    expect(channels.map(({ address }: { address: string }) => address).sort()).toEqual([
      '+4930901820',
      '+4930901821',
      '+4930901824',
      '0049030901824',
      '110',
    ])
    expect((await own.asOperator('GET', `/products/${encodeURIComponent(slug)}?locale=en-GB`)).body).toMatchObject({
      id: three.id,
      slug: { 'en-GB': slug, he: 'a' },
    })
    expect((await own.asOperator('GET', '')).body.languages).toEqual(['pt-BR', 'zh-TW'])
    const read = async (id: string) => (await own.asOperator('GET', `/products/${id}`)).body
    expect([(await read(one.id)).key, (await read(two.id)).key, (await read(one.id)).variants[0].sku]).toEqual([
      old,
      key,
      key,
    ])
    // Once the other record has another key, the form is free.
    expect((await own.asOperator('PUT', `/products/${two.id}`, { key: unique() })).status).toBe(200)
    expect(await succeeds('normalize-forms')).toMatch(
      /^Brought into their form: products\.key 1\. Left as they are: contact_channels\.address 2\./,
    )
    expect((await read(one.id)).key).toBe(key)
  })
})
