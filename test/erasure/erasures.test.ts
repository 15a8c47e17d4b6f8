// Deleted is gone: no table and no folder keeps anything of a business, no credential of it is accepted, and its
// neighbour has all of its own.
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { Client, Connection, ScheduleNotFoundError } from '@temporalio/client'
import type { Process } from '../../dev/parts.ts'
import type { Api } from '../../dev/stack.ts'
import { newId } from '../../entities/kit/ids.ts'
import { deletionOrder } from '../../rules/erasure/erasures.ts'
import { scheduleId } from '../../rules/processes.ts'
import { type Club, insertRow, joined, manageLink, newClub } from '../kit/audiences/subscribing.ts'
import { small, workflow } from '../kit/automation/automations.ts'
import { approvals } from '../kit/bookings/approving.ts'
import { mailTo, until } from '../kit/codes.ts'
import { photo, send } from '../kit/content/files.ts'
import { childrenOfTenantTables, fillTables, picture, rowsOf, tenantTables } from '../kit/database/whole-tenants.ts'
import { everyRow } from '../kit/effects/every-row.ts'
import { card, connected, ledger, order, product, sim } from '../kit/orders/buying.ts'
import { database, http, newShop, type Operator, operator, type Shop, type Visitor } from '../kit/shop.ts'
import { connect, socialLedger } from '../kit/social/social.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(300_000)

/** The rows of the business whose workers are killed; 100,000 of them take minutes. */
const rowsMax = Number(process.env.ERASURE_ROWS ?? 5_000)
const killsMax = Number(process.env.ERASURE_KILLS ?? 3)

let lab: Lab
let worker: Process
/** An API process that waits for the end of an erasure, and one that does not. */
let patient: Api
let hasty: Api
let connection: Connection
let temporal: Client

beforeAll(async () => {
  lab = await startLab('erasure', { RECONCILE_EVERY_MS: '1000' })
  patient = await lab.stack.startApi({ ANSWER_WAIT_MS: '100000' })
  hasty = await lab.stack.startApi({ ANSWER_WAIT_MS: '0' })
  worker = await lab.startWorker()
  connection = await Connection.connect({ address: lab.stack.env.TEMPORAL_ADDRESS as string })
  temporal = new Client({ connection })
})

afterAll(async () => {
  await connection.close()
  await database().end()
  await lab.stop()
})

const become = (shop: Shop, kind: 'store' | 'business') =>
  database().query('update tenants set kind = $2 where id = $1', [shop.store_id, kind])
const at = ({ store_id }: Shop) => `/v1/businesses/${store_id}`
const erase = (shop: Shop, { url }: Api) => http('DELETE', at(shop), { headers: shop.op.headers, base: url })
const erasureOf = async (shop: Shop) =>
  (
    await database().query('select id, status, key, message, progress, deleted_at from erasures where erased_id = $1', [
      shop.store_id,
    ])
  ).rows[0]
const gone = (shop: Shop) =>
  until(async () => {
    const { status } = await erasureOf(shop)
    return status === 'deleted' || status === 'succeeded'
  }, 120_000)
const filesOf = ({ store_id }: Shop): string[] => {
  const folder = path.join(lab.stack.env.MEDIA_DIR as string, store_id)
  return fs.existsSync(folder)
    ? (fs.readdirSync(folder, { recursive: true, withFileTypes: true }) as fs.Dirent[])
        .filter((one) => one.isFile())
        .map(({ name }) => name)
    : []
}

test('Rows are deleted before those they refer to, accounts at providers last; a cycle fails', () => {
  const table = (name: string, ...refers: string[]) => ({ name, refers, has_id: true, by_tenant: true })
  const order = deletionOrder([
    table('a'),
    table('b', 'a'),
    table('c', 'b', 'elsewhere'),
    table('d'),
    table('e', 'a', 'c'),
    table('integrations'),
  ])
  expect(order.map(({ name }) => name)).toEqual(['d', 'e', 'c', 'b', 'a', 'integrations'])
  expect(() => deletionOrder([table('a', 'b'), table('b', 'a')])).toThrow('cycle')
})

describe('A business with a row in every table', () => {
  let shop: Shop
  let neighbour: Shop
  let visitor: Visitor
  let before: Record<string, string>
  let secrets: { workflow: string; mailbox: string; invitation: string; member: Awaited<ReturnType<typeof manageLink>> }
  let guest: Operator

  beforeAll(async () => {
    // Two tables of a later version, which no code names: one refers to a table of ours, the other has no id.
    await database().query(`create table gadgets (id uuid primary key default gen_random_uuid(), tenant_id uuid not null, product_id uuid not null references products (id));
      create table gadget_notes (tenant_id uuid not null, gadget_id uuid not null references gadgets (id), note text not null)`)
    ;[shop, neighbour] = await Promise.all([newShop(), newShop()])
    visitor = await shop.visitor()
    const rows = await everyRow(shop, visitor)
    await everyRow(neighbour, await neighbour.visitor())
    await send(shop, [{ name: 'a.jpg', bytes: await photo(300, 200) }])
    const { webhook_url } = await workflow(shop, small())
    const { body: box } = await shop.asOperator('POST', `/mailboxes/${rows.mailboxes}/rotate-secret`)
    const member = await manageLink({ club: { shop } as Club, member_id: rows['audience-members'] as string } as never)
    for (const one of [shop, neighbour]) await become(one, 'business')
    guest = await operator()
    await http('POST', `${at(shop)}/invitation`, { headers: shop.op.headers, body: { email: guest.email } })
    const invitation = /till_iv_[\w-]{43}/.exec((await mailTo(guest.email)).text)?.[0] as string
    secrets = {
      workflow: new URL(webhook_url).pathname,
      mailbox: new URL(box.inbound_url).pathname,
      invitation,
      member,
    }
    expect((await secrets.member('GET', 'manage')).status).toBe(200)
    await worker.stop()
    for (const { store_id } of [shop, neighbour]) await fillTables(store_id)
    before = await picture(neighbour.store_id)
  })

  test('Every table with tenant_id has a row of it, and no other table refers to them', async () => {
    const rows = await rowsOf(shop.store_id)
    expect((await tenantTables()).filter((name) => !rows[name])).toEqual([])
    expect(await childrenOfTenantTables()).toEqual([])
    expect(filesOf(shop).length).toBeGreaterThan(1)
  })

  test('From the commit on no credential of it is accepted, while its rows are still there', async () => {
    const admin = await operator()
    await database().query(
      "insert into team_members (id, created_at, updated_at, tenant_id, account_id, role) values (gen_random_uuid(), 1, 1, $1, $2, 'owner')",
      [shop.store_id, admin.account_id],
    )
    expect((await http('DELETE', at(shop), { headers: admin.headers })).body).toMatchObject({
      code: 'forbidden',
      status: 403,
    })
    const answers = await Promise.all(Array.from({ length: 20 }, () => erase(shop, hasty)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 404)])
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({ success: true })
    const publishable = { 'x-service-publishable-key': shop.publishable_key }
    const refused = await Promise.all([
      http('GET', at(shop), { headers: shop.op.headers }),
      http('GET', `${at(shop)}/products`, { headers: admin.headers }),
      http('GET', '/v1/storefront/store', { headers: publishable }),
      http('POST', '/v1/storefront/account/identify', { headers: publishable, body: {} }),
      visitor.call('GET', '/orders'),
      http('POST', secrets.workflow, { body: {} }),
      http('POST', secrets.mailbox, {
        text: 'From: a@b.test\r\n\r\nHello',
        headers: { 'content-type': 'message/rfc822' },
      }),
      http('POST', `${at(shop)}/invitation`, {
        headers: guest.headers,
        body: { token: secrets.invitation, action: 'ACCEPT' },
      }),
      secrets.member('GET', 'manage'),
    ])
    expect(refused.map(({ status }) => [401, 404].includes(status))).toEqual(refused.map(() => true))
    expect((await http('GET', '/v1/businesses?limit=100', { headers: shop.op.headers })).body.items).toEqual([])
    expect((await rowsOf(shop.store_id)).orders).toBeGreaterThan(0)
    expect(await erasureOf(shop)).toMatchObject({ status: 'settling', key: shop.store.key })
  })

  test('An erasure whose start was lost is started again, and nothing of the business is left', async () => {
    await database().query("delete from outbox where kind = 'erasure'")
    worker = await lab.startWorker()
    await gone(shop)
    expect(await rowsOf(shop.store_id)).toEqual({})
    expect((await database().query('select 1 from tenants where id = $1', [shop.store_id])).rows).toEqual([])
    expect(filesOf(shop)).toEqual([])
    // Its key can be used again.
    const body = { key: shop.store.key, timezone: 'UTC', billingEmail: 'a@tillwright.test' }
    expect((await http('POST', '/v1/businesses', { headers: shop.op.headers, body })).status).toBe(201)
  })

  test('Its neighbour has all of its own rows', async () => {
    const after = await picture(neighbour.store_id)
    // What the workers that run again do for the neighbour.
    const worked = [
      'outbox',
      'task_slots',
      'task_slot_counts',
      'deliveries',
      'executions',
      'node_runs',
      'mails',
      'campaign_imports',
      'campaign_stats',
      'mailboxes',
      'webhooks',
    ]
    const kept = (all: Record<string, string>) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !worked.includes(name)))
    expect(kept(after)).toEqual(kept(before))
    expect(Object.keys(await rowsOf(neighbour.store_id)).length).toBeGreaterThan(50)
  })

  test('A row that a late request wrote is deleted by the second pass', async () => {
    await database().query("insert into gadget_notes select $1, id, 'late' from gadgets limit 1", [shop.store_id])
    await database().query(
      "insert into events (id, tenant_id, created_at, updated_at, type, data) values ($1, $2, 1, 1, 'order.created', '{}')",
      [newId(), shop.store_id],
    )
    await database().query(
      'update erasures set deleted_at = deleted_at - 1200, updated_at = updated_at - 1200 where erased_id = $1',
      [shop.store_id],
    )
    await until(async () => (await erasureOf(shop)).status === 'succeeded', 60_000)
    expect(await rowsOf(shop.store_id)).toEqual({})
  })
})

describe('A business that sells', () => {
  let shop: Shop
  let account: string
  const scheduled = async (id: string) =>
    temporal.schedule
      .getHandle(scheduleId(id))
      .describe()
      .then(
        () => true,
        (error) => {
          if (error instanceof ScheduleNotFoundError) return false
          throw error
        },
      )

  test('Open pages are closed, subscriptions cancelled once, accounts disconnected, files removed', async () => {
    shop = await newShop()
    account = await connected(shop)
    const tea = await product(shop, { amount: 10_000 })
    const pages = [
      await order(shop, [tea.item(1)], card),
      await order(shop, [tea.item(1)], card),
      await order(shop, [tea.item(1)], card),
    ]
    // As an operator leaves a booking: not hurried by a hold, and confirmed before it is paid.
    await database().query('update orders set hold_until = null where id = $1', [pages[1]?.order_id])
    await database().query("update orders set hold_until = null, status = 'confirmed' where id = $1", [
      pages[2]?.order_id,
    ])
    const member = await joined(await newClub(shop, account))
    const chosen = await shop.asOperator('POST', '/subscription', {
      plan_id: 'pro',
      return_url: 'https://shop.example/billing',
    })
    const page = (chosen.body.payment_action.client_secret as string).split('_secret_')[0]
    const { subscription: plan } = await sim('POST', `/checkout_sessions/${page}/pay`, {})
    await until(async () => (await shop.asOperator('GET', '/subscription')).body.billing_status === 'active')
    const clock = await workflow(shop, { schedule: '0 0 29 2 *' })
    await until(() => scheduled(clock.id))
    await send(shop, [{ name: 'a.jpg', bytes: await photo(300, 200) }])
    await connect(shop, 'network_d_account', `Kept ${newId()}`)
    const lost = await connect(shop, 'network_d_account', `Lost ${newId()}`)
    // No key decrypts it any more.
    await database().query("update social_connections set access_token = 'AAAA' where id = $1", [lost])
    const revoked = async () =>
      (await socialLedger({})).filter(({ path, effect }) => effect && path.endsWith('/revoke')).length
    const before = await revoked()
    await become(shop, 'business')
    const answer = await erase(shop, patient)
    expect([answer.status, answer.body]).toEqual([200, { success: true }])
    expect((await revoked()) - before).toBe(1)
    expect([await rowsOf(shop.store_id), filesOf(shop), await scheduled(clock.id)]).toEqual([{}, [], false])
    for (const { session } of pages)
      expect(
        (await ledger(account, `/v1/checkout/sessions/${session}/expire`)).filter(({ effect }) => effect),
      ).toHaveLength(1)
    for (const [of, id] of [
      [account, member.subscription],
      ['', plan],
    ] as const)
      expect((await ledger(of, `/v1/subscriptions/${id}`)).filter(({ effect }) => effect)).toHaveLength(1)
    expect(await erasureOf(shop)).toMatchObject({
      status: 'deleted',
      progress: null,
      message: expect.stringContaining('orders 3'),
    })
  })

  test('Authorised payments that nothing was decided about are cancelled', async () => {
    const desk = await approvals()
    const [waiting, confirmed] = [await desk.authorized(), await desk.authorized()]
    // Its capture was never sent.
    await database().query(
      "update orders set status = 'confirmed', booking_status = 'confirmed', hold_until = null where id = $1",
      [confirmed.id],
    )
    const answer = await erase(desk.shop, patient)
    expect([answer.status, answer.body]).toEqual([200, { success: true }])
    expect(await rowsOf(desk.shop.store_id)).toEqual({})
    for (const { intent } of [waiting, confirmed])
      expect([await desk.sent(intent, 'cancel'), await desk.sent(intent, 'capture')]).toEqual([1, 0])
  })

  test('An unknown refund has to be resolved before the business is deleted', async () => {
    const other = await newShop()
    const rows = await everyRow(other, await other.visitor())
    const { rows: paid } = await database().query('select subscription_id from payments where id = $1', [rows.payments])
    await insertRow('refunds', {
      ...{
        tenant_id: other.store_id,
        payment_id: rows.payments,
        subscription_id: paid[0].subscription_id,
        refund_id: newId(),
        amount: 1,
        currency: 'USD',
        origin: 'operator',
      },
      ...{ status: 'unknown', fingerprint: '', attempt: 1 },
    })
    await become(other, 'business')
    const refused = await erase(other, patient)
    expect([refused.status, refused.body.code]).toEqual([409, 'refund_unknown'])
    expect((await http('GET', at(other), { headers: other.op.headers })).body.status).toBe('ACTIVE')
    await database().query("update refunds set status = 'rejected' where tenant_id = $1", [other.store_id])
    expect((await erase(other, patient)).status).toBe(200)
    expect(await rowsOf(other.store_id)).toEqual({})
  })
})

test('Killed workers delete every row of a large business, and none of its neighbour', async () => {
  const [shop, neighbour] = await Promise.all([newShop(), newShop()])
  const each = Math.ceil(rowsMax / 5)
  const fill = async ({ store_id }: Shop, count: number) => {
    await database().query(
      `with n as (select n, extract(epoch from clock_timestamp())::bigint as now from generate_series(1, $2::int) n),
       c as (insert into contacts (id, created_at, updated_at, tenant_id, status, taxonomies, anonymous) select gen_random_uuid(), now, now, $1, 'active', '[{}]', false from n returning id),
       s as (insert into contact_sessions (id, created_at, updated_at, tenant_id, contact_id, token_digest) select gen_random_uuid(), 1, 1, $1, id, id from c),
       p as (insert into products (id, created_at, updated_at, tenant_id, key, slug, blocks, taxonomies) select gen_random_uuid(), 1, 1, $1, 'p' || n, '{}', '[]', '[]' from n returning id),
       v as (insert into product_variants (id, created_at, updated_at, tenant_id, product_id, position, prices, attributes) select gen_random_uuid(), 1, 1, $1, id, 0, '[]', '[]' from p)
       insert into events (id, created_at, updated_at, tenant_id, type, data) select gen_random_uuid(), now, now, $1, 'order.created', '{}' from n`,
      [store_id, count],
    )
    await become({ store_id } as Shop, 'business')
  }
  await fill(neighbour, 100)
  await fill(shop, each)
  const before = await picture(neighbour.store_id)
  lab.failAt('erasure_batch', 'erasures', 'kill')
  expect((await erase(shop, hasty)).status).toBe(200)
  for (let kills = 1; kills <= killsMax; kills++) {
    await lab.failed('erasure_batch', 'erasures')
    await worker.child.ended
    expect(['deleting', 'deleted']).toContain((await erasureOf(shop)).status)
    if (kills < killsMax) lab.failAt('erasure_batch', 'erasures', 'kill')
    worker = await lab.startWorker()
  }
  await gone(shop)
  expect(await rowsOf(shop.store_id)).toEqual({})
  expect(await picture(neighbour.store_id)).toEqual(before)
})
