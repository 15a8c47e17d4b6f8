// The encryption key is replaced without downtime; after the rotation every value is encrypted under the new key and
// the old one can be discarded.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import type { Process } from '../../dev/parts.ts'
import type { Api } from '../../dev/stack.ts'
import { type Orm, openOrm } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { sealedColumns } from '../../entities/platform/sealed-columns.ts'
import { call, workflow } from '../kit/automation/automations.ts'
import { s3At } from '../kit/automation/drives.ts'
import { made } from '../kit/bookings/booking.ts'
import { mailTo, until } from '../kit/codes.ts'
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
} from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'
import { type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'
import { type Hook, newWebhook } from '../kit/webhooks/webhook-events.ts'

jest.setTimeout(300_000)

const next = randomBytes(32)
const strange = randomBytes(32)
let old: Buffer
let lab: Lab
let orm: Orm
let api: Api
let worker: Process
let receiver: Receiver
let platform: Operator
let shop: Shop
let hook: Hook
let graph: { id: string; webhook_url: string }

const text = (...keys: Buffer[]) => keys.map((key) => key.toString('base64')).join()

/** The format of entities/kit/encrypted.ts, under a given key. */
function seal(key: Buffer, plain: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const name = createHash('sha256').update(key).digest().subarray(0, 4)
  return Buffer.concat([name, iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
}
function open(key: Buffer, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(4, 16))
  decipher.setAuthTag(bytes.subarray(-16))
  try {
    return decipher.update(bytes.subarray(16, -16), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return null
  }
}

/** Every encrypted value, by `table.column/id`. */
async function everything(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const [name, { table, column }] of sealedColumns(orm.em.fork())) {
    const { rows } = await database().query<{ id: string; sealed: string }>(
      `select id, ${column} as sealed from ${table} where ${column} is not null`,
    )
    for (const { id, sealed } of rows) found.set(`${name}/${id}`, sealed)
  }
  return found
}
const opened = (sealed: Map<string, string>, key: Buffer) =>
  new Map([...sealed].map(([at, one]) => [at, open(key, one)]))
const moments = async () => (await database().query('select id, created_at, updated_at from webhooks order by id')).rows

/** Restarts every process of the lab with these keys. */
async function restart(...keys: Buffer[]): Promise<void> {
  await Promise.all([worker?.stop(), api?.stop()])
  ;[api, worker] = await Promise.all([
    lab.stack.startApi({ SECRETS_KEY: text(...keys) }),
    lab.startWorker({ SECRETS_KEY: text(...keys) }),
  ])
}

const rotate = (): Promise<Answer> =>
  http('POST', '/v1/platform/scripts', { body: { name: 'rotate-encryption' }, headers: platform.headers })
const newest = async () => (await database().query('select * from script_runs order by id desc limit 1')).rows[0]

async function deliversTest(): Promise<void> {
  const before = await receiver.count(hook.path)
  const { body } = await shop.asOperator('POST', '/webhooks/test', { delivery_id: newId(), webhook_id: hook.id })
  expect(body).toMatchObject({ status: 'succeeded', provider_status_code: 200 })
  expect(await receiver.count(hook.path)).toBe(before + 1)
}
async function triggers(): Promise<void> {
  expect((await shop.asOperator('GET', `/workflows/${graph.id}`)).body.webhook_url).toBe(graph.webhook_url)
  expect((await call(graph.webhook_url)).status).toBeLessThan(300)
}

beforeAll(async () => {
  lab = await startLab('rotation', { RECONCILE_EVERY_MS: '1000', ANSWER_WAIT_MS: '120000' })
  old = Buffer.from(lab.stack.env.SECRETS_KEY as string, 'base64')
  orm = await openOrm({ url: lab.stack.env.DATABASE_URL as string, pool: 1 })
  await restart(old)
  receiver = await startReceiver(lab.stack.dir)
  ;[platform, shop] = await Promise.all([operator(lab.stack.env.SUPER_EMAIL?.split(',')[0]), newShop()])
  hook = await newWebhook(shop, receiver, { headers: { 'x-mine': 'secret' } })
  graph = (await workflow(shop)) as unknown as typeof graph
  await made(
    shop.asOperator('POST', '/build-hooks', {
      key: unique(),
      type: 'custom',
      url: 'https://hooks.example/x',
      headers: { a: 'b' },
    }),
  )
  await made(shop.asOperator('POST', '/workflow-connections', { key: unique(), ...s3At('https://s3.example') }))
  await made(
    shop.asOperator('POST', '/integrations', {
      key: unique(),
      provider: { type: 'card_payment', secret_key: 'sk_live', webhook_secret: 'whsec' },
    }),
  )
  const smtp = { host: 'smtp.example', port: 465, security: 'tls', username: 'me', password: 'smtp secret' }
  await made(shop.asOperator('POST', '/mailboxes', { key: unique(), email: 'shop@tillwright.test', smtp }))
  const email = newEmail()
  await http('POST', '/v1/auth/code', { body: { email } })
  await mailTo(email)
  await deliversTest()
  await database().query(
    `insert into webhooks (id, tenant_id, created_at, updated_at, key, url, headers, secret, events, enabled)
     select gen_random_uuid(), tenant_id, 1, 1, 'many-' || n, url, headers, secret, events, false from webhooks, generate_series(1, 2200) n where id = $1`,
    [hook.id],
  )
})

afterAll(async () => {
  await orm.close(true)
  await database().end()
  await receiver.stop()
  await lab.stop()
})

test('Encrypted columns are found by their type in tenant tables and global ones', () => {
  const names = [...sealedColumns(orm.em.fork()).keys()]
  for (const name of [
    'webhooks.url',
    'workflows.secret',
    'mails.request',
    'account_sessions.rotated_pair',
    'mailboxes.smtp_password',
    'node_runs.params',
  ])
    expect(names).toContain(name)
  expect(names).toEqual([...names].sort())
})

test('A rotation reads both keys and re-encrypts in batches through kills and concurrent writes', async () => {
  await restart(next, old)
  await deliversTest()
  await triggers()
  const { rows: spoilt } = await database().query<{ id: string }>(
    `select id from webhooks where key in ('many-8', 'many-9') order by key`,
  )
  const [foreign, damaged] = spoilt.map(({ id }) => id)
  const broken = seal(old, 'broken').replace(/.{8}$/, 'AAAAAAA=')
  // On the first page of the list, behind the first webhook alone.
  await database().query('update webhooks set url = $2, created_at = 2 where id = $1', [
    foreign,
    seal(strange, 'foreign'),
  ])
  await database().query('update webhooks set url = $2, created_at = 2 where id = $1', [damaged, broken])

  const [before, at] = [await everything(), await moments()]
  expect(new Set([...before.keys()].map((key) => key.split('/')[0])).size).toBeGreaterThanOrEqual(10)
  const client = await database().connect()
  await client.query('begin')
  await client.query(`update webhooks set url = $1 where key = 'many-7'`, [seal(next, 'https://changed.example/')])
  const asked = rotate()
  // The rotation has passed the row that is being written, and waits for the next one; there its worker is killed.
  const { id } = await until(async () => {
    const run = await newest()
    return run?.progress?.read && run.progress.busy.length === 1 && run
  }, 60_000)
  lab.failAt('script_batch', id, 'kill')
  await client.query('commit')
  client.release()
  await worker.child.ended
  worker = await lab.startWorker({ SECRETS_KEY: text(next, old) })

  const { status, body } = await asked
  expect([status, body.success]).toEqual([200, true])
  expect(body.message).toMatch(
    /^Nothing is left under a key behind the first of SECRETS_KEY\. Encrypted: .*build_hooks\.url 1, .*webhooks\.headers 2201, webhooks\.secret 2201, webhooks\.url 2198/,
  )
  expect(body.message).toMatch(/Left as they are, because no key of SECRETS_KEY opens them: webhooks\.url 2\.$/)

  const after = await everything()
  expect(await moments()).toEqual(at)
  const [plain, now] = [opened(before, old), opened(after, next)]
  const { rows: changed } = await database().query(`select id from webhooks where key = 'many-7'`)
  plain.set(`webhooks.url/${changed[0].id}`, 'https://changed.example/')
  for (const one of [foreign, damaged]) {
    expect(after.get(`webhooks.url/${one}`)).toBe(before.get(`webhooks.url/${one}`))
    expect(now.get(`webhooks.url/${one}`)).toBeNull()
  }
  // What was written under the new key before the rotation was started.
  const untouched = [...before].filter(([, sealed]) => open(next, sealed) !== null)
  expect(untouched.length).toBeGreaterThan(0)
  for (const [place, sealed] of untouched) {
    expect(after.get(place)).toBe(sealed)
    plain.set(place, open(next, sealed))
  }
  for (const one of [foreign, damaged]) plain.set(`webhooks.url/${one}`, null)
  for (const [place, said] of plain) if (after.has(place)) expect([place, now.get(place)]).toEqual([place, said])
})

test('A repeated rotation, and two at once, find nothing to re-encrypt', async () => {
  const before = await everything()
  for (const { body } of await Promise.all([rotate(), rotate()]))
    expect(body).toMatchObject({ success: true, message: expect.stringContaining('Encrypted: nothing.') })
  expect(await everything()).toEqual(before)
})

test('After a rotation the old key is not needed', async () => {
  await restart(next)
  await deliversTest()
  await triggers()
  for (const path of [
    '/webhooks',
    '/build-hooks',
    '/workflow-connections',
    '/integrations',
    '/mailboxes',
    '/workflows',
  ]) {
    const { status, body } = await shop.asOperator('GET', path)
    expect([path, status, body.items?.length > 0]).toEqual([path, 200, true])
  }
  // Records whose secrets no key decrypts are listed and can be deleted.
  const [, ...spoilt] = (await shop.asOperator('GET', '/webhooks?limit=3')).body.items
  expect(spoilt.map(({ key }: { key: string }) => key).sort()).toEqual(['many-8', 'many-9'])
  const [drive] = (await shop.asOperator('GET', '/workflow-connections')).body.items
  const [hookOfBuild] = (await shop.asOperator('GET', '/build-hooks')).body.items
  const lost = seal(strange, '{}')
  await database().query('update webhooks set url = $2, headers = $2, secret = $2 where id = $1', [spoilt[0].id, lost])
  await database().query('update build_hooks set url = $2, headers = $2 where id = $1', [hookOfBuild.id, lost])
  await database().query('update integrations set credentials = $2 where id = $1', [drive.id, lost])
  await database().query('update workflows set secret = $2 where id = $1', [graph.id, lost])
  for (const path of ['/webhooks?limit=3', '/build-hooks', '/workflow-connections', '/workflows']) {
    const { status, body } = await shop.asOperator('GET', path)
    expect([path, status, body.items?.length > 0]).toEqual([path, 200, true])
  }
  expect((await shop.asOperator('POST', `/workflows/${graph.id}/rotate-secret`)).status).toBe(200)
  await database().query('update workflows set secret = $2 where id = $1', [graph.id, lost])
  for (const path of [
    `/webhooks/${spoilt[0].id}`,
    `/build-hooks/${hookOfBuild.id}`,
    `/workflow-connections/${drive.id}`,
  ])
    expect([path, (await shop.asOperator('DELETE', path)).status]).toEqual([path, 200])
  // Its execution may still be running.
  await until(async () => (await shop.asOperator('DELETE', `/workflows/${graph.id}`)).status === 200)
  expect((await rotate()).body.message).toMatch(/Encrypted: nothing\. Left as they are, .*: webhooks\.url 1\.$/)
})
