// After every operation and failure with secrets, logs, tables and histories are searched: no secret is stored in clear
// text.
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import type { Route } from '../../api/kit/route.ts'
import { routes as table } from '../../api/routes.ts'
import type { Process } from '../../dev/parts.ts'
import { newId } from '../../entities/kit/ids.ts'
import { REDACTED } from '../../rules/input/write-only.ts'
import { newConfirmation, tokenIn } from '../kit/audiences/audiences.ts'
import { call, workflow } from '../kit/automation/automations.ts'
import { ended } from '../kit/automation/graphs.ts'
import { codeFor, mailTo, signIn, until } from '../kit/codes.ts'
import { made } from '../kit/content/content.ts'
import { fault, mailFault } from '../kit/effects/provider.ts'
import { placesOf, secretPlaces, valueAt, withAt } from '../kit/id-places.ts'
import { card, connected, order, paidOrder, product, sim, webhookSecrets } from '../kit/orders/buying.ts'
import { database, http, newEmail, newShop, type Operator, operator, type Shop, unique } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'
import { dumpOf, filesIn, type Hay, historiesOf, search, tokenShapes } from '../kit/stack/secrets.ts'
import { type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'

jest.setTimeout(240_000)

const settings = {
  SEND_LIMIT_MS: '5000',
  DELIVERY_RETRY_S: '0,1',
  DELIVERY_TIMEOUT_MS: '1000',
  LOG_LEVEL: 'debug',
  RECONCILE_EVERY_MS: '1000',
  SUPER_EMAIL: 'super@tillwright.test',
}

let lab: Lab
let receiver: Receiver
let shop: Shop
let platform: Operator
let worker: Process
/** Secrets that were sent to the API, by purpose. */
const secrets: Record<string, string> = {}
/** Secrets that a store may read again because it wrote them into its graph, and that are stored there alone. */
const shown: Record<string, string> = {}
/** Secrets that the API returned, once or to authorised callers. */
const handed: Record<string, string> = {}
/** Secrets that are in an e-mail and in no answer. */
const mailed: Record<string, string> = {}
const codes: string[] = []
const answers: { asked: string; text: string }[] = []

const canary = (what: string): string => {
  secrets[what] = `canary/${unique()}+${what.replaceAll(' ', '-')}`
  return secrets[what]
}
/** A signing secret in its format: `whsec_` and base64. */
const signing = (what: string): string => {
  secrets[what] = `whsec_${randomBytes(32).toString('base64')}`
  return secrets[what]
}
/** As a part of a URL. */
const plain = (what: string, into = secrets): string => {
  into[what] = `canary-${unique()}-${what.replaceAll(' ', '-')}`
  return into[what]
}

const fetched = globalThis.fetch
const listening: typeof fetch = async (input, init) => {
  const answer = await fetched(input, init)
  const { pathname, origin } = new URL(String(input))
  if (origin === process.env.TEST_API)
    answers.push({
      asked: `${init?.method ?? 'GET'} ${pathname}`,
      text: `${JSON.stringify([...answer.headers])}${await answer.clone().text()}`,
    })
  return answer
}

let bodies: Record<string, { path: string; body: Record<string, unknown> }>
/** Every body that takes secrets, each with a known secret. */
function everySecret() {
  const { url } = receiver
  const to = (what: string, at: string) => `${url}/${at}/${plain(what)}`
  bodies = {
    'POST /v1/stores/{storeId}/mailboxes': {
      path: '/mailboxes',
      body: {
        key: unique(),
        email: 'shop@tillwright.test',
        smtp: {
          host: '127.0.0.1',
          port: lab.stack.ports.smtp,
          security: 'none',
          username: 'shop',
          password: canary('a mailbox password'),
        },
        imap: {
          host: '127.0.0.1',
          port: 64_993,
          security: 'tls',
          username: 'shop',
          password: canary('a password of an inbox'),
        },
      },
    },
    'POST /v1/stores/{storeId}/webhooks': {
      path: '/webhooks',
      body: {
        key: unique(),
        url: to('the address of a webhook', 'hook'),
        headers: { 'x-key': canary('a header of a webhook') },
        secret: signing('a webhook secret'),
        events: [{ event: 'order.created' }],
        enabled: true,
      },
    },
    'POST /v1/stores/{storeId}/build-hooks': {
      path: '/build-hooks',
      body: {
        key: unique(),
        type: 'custom',
        url: to('the address of a build hook', 'build'),
        headers: { 'x-key': canary('a header of a build hook') },
      },
    },
    'POST /v1/stores/{storeId}/workflow-connections': {
      path: '/workflow-connections',
      body: {
        key: unique(),
        type: 's3',
        settings: { endpoint: url, bucket: 'uploads' },
        credentials: {
          access_key_id: canary('an S3 key id'),
          secret_access_key: canary('an S3 key'),
          session_token: canary('an S3 session'),
        },
      },
    },
    'POST /v1/stores/{storeId}/workflow-connections # WebDAV': {
      path: '/workflow-connections',
      body: {
        key: unique(),
        type: 'webdav',
        settings: { url: `${url}/dav` },
        credentials: { username: canary('a WebDAV name'), password: canary('a WebDAV password') },
      },
    },
    'POST /v1/stores/{storeId}/integrations': {
      path: '/integrations',
      body: {
        key: unique(),
        provider: {
          type: 'card_payment',
          secret_key: canary('a secret key of a provider'),
          webhook_secret: canary('a webhook secret of a provider'),
        },
      },
    },
    'POST /v1/stores/{storeId}/integrations # a bot': {
      path: '/integrations',
      body: {
        key: unique(),
        provider: { type: 'chat_bot', bot_token: plain('the token of a bot'), base_url: `${url}/bots` },
      },
    },
    'POST /v1/platform/scripts': {
      path: '/v1/platform/scripts',
      body: { name: 'no-such-script', username: canary('a script name'), password: canary('a script password') },
    },
  }
}

/** Every use of a secret in a graph, valid and failing. */
async function automate(ids: Record<string, string>): Promise<void> {
  const template = (
    await made(
      shop.asOperator('POST', '/email-templates', { key: unique(), format: 'html', subject: 'Hello', body: 'Hello' }),
    )
  ).id
  const headers = { authorization: `Bearer ${plain('a header of a node', shown)}` }
  const key = plain('the address of a node', shown)
  const get = (url: string) => ({ type: 'http', method: 'get', url: `${url}?key=${key}`, headers, timeout_ms: 4_000 })
  const nodes: Record<string, Record<string, unknown>> = {
    refused: get('http://10.0.0.1/'),
    nobody: get('http://nobody.invalid/'),
    closed: get('http://127.0.0.1:1/'),
    broken: get(`${receiver.url}/broken`),
    failing: get(`${receiver.url}/failing`),
    good: get(`${receiver.url}/good`),
    unknown: { ...get(`${receiver.url}/hanging`), method: 'post', body: { key } },
    mail: { type: 'send_email', mailbox_id: ids['/mailboxes'], template_id: template, to: newEmail() },
    deploy: { type: 'deploy_webhook', build_hook_id: ids['/build-hooks'] },
    drive: { type: 'drive_upload', connection_id: ids['/workflow-connections'], file_name: 'a', content: 'a' },
    dav: { type: 'drive_upload', connection_id: ids['/workflow-connections # WebDAV'], file_name: 'a', content: 'a' },
    sandbox: { type: 'transform', code: 'return input.trigger.none.at.all' },
  }
  // One workflow each: the first failure ends an execution.
  const urls: Record<string, string> = {}
  for (const [name, node] of Object.entries(nodes)) {
    const graph = {
      nodes: { start: { type: 'trigger' }, [name]: node },
      edges: [{ source: 'start', target: name, output: 'default' }],
    }
    urls[name] = (await workflow(shop, graph)).webhook_url
    handed[`the secret of the workflow ${name}`] = urls[name]?.split('/').at(-1) as string
  }
  await receiver.rule('/broken', { do: 'reset_after_read' })
  await receiver.rule('/hanging', { do: 'hang' })
  await receiver.rule('/failing', { status: 500 })
  await mailFault({ step: 'auth', action: 'reject', code: 535 })
  const run = async (name: string) => (await call(urls[name] as string)).body.id as string
  const names = Object.keys(nodes)
  const ends = await Promise.all(names.map(async (name) => (await ended(await run(name), 60_000)).runs[name]?.status))
  const statuses = Object.fromEntries(names.map((name, n) => [name, ends[n]]))
  expect(statuses).toMatchObject({
    good: 'succeeded',
    refused: 'failed',
    unknown: 'unknown',
    mail: 'rejected',
    sandbox: 'failed',
  })
  // Again, while the hooks hang, the email breaks off and the worker is killed.
  await receiver.rule('*', { do: 'hang' })
  await mailFault({ step: 'after_data', action: 'hang' })
  const again = await Promise.all(['mail', 'deploy', 'drive', 'dav', 'good'].map(run))
  await until(
    async () =>
      (await database().query('select 1 from node_runs where execution_id = any ($1) and sent_at is not null', [again]))
        .rows[0],
  )
  worker.kill('SIGKILL')
  await worker.child.ended
  worker = await lab.startWorker(settings)
  await Promise.all(again.map((id) => ended(id, 60_000)))
}

async function buy(hook: string): Promise<void> {
  await connected(shop)
  const tea = await product(shop, { amount: 10_000 })
  const paid = await paidOrder(shop, [tea.item()])
  handed['the client secret of a payment'] = paid.answer.body.payment_action.client_secret
  handed['the token of a visitor'] = paid.visitor.token
  const refund = async (given: Record<string, unknown>) => {
    const refund_id = newId()
    await fault({ body_match: refund_id, ...given })
    return (await shop.asOperator('POST', `/orders/${paid.order_id}/refunds`, { refund_id, amount: 100 })).body.status
  }
  expect([
    await refund({ fault: 'status', status: 402 }),
    await refund({ fault: 'hang' }),
    await refund({ fault: 'status', status: 401 }),
  ]).toHaveLength(3)
  await sim('POST', '/listen', { up: false, for_ms: 500 })
  await order(shop, [tea.item()], card).catch(() => {})
  await shop.asOperator('POST', '/webhooks/test', { delivery_id: newId(), webhook_id: hook })
  await until(async () => (await database().query("select 1 from deliveries where status = 'failed'")).rows[0], 20_000)
}

async function signInAndOut(): Promise<void> {
  const email = newEmail()
  const session = await signIn(email)
  codes.push(await codeFor(email))
  Object.assign(handed, { 'an access token': session.access_token, 'a refresh token': session.refresh_token })
  const { body: fresh } = await http('POST', '/v1/auth/refresh', { body: { refresh_token: session.refresh_token } })
  Object.assign(handed, { 'the next access token': fresh.access_token, 'the next refresh token': fresh.refresh_token })
  const headers = { authorization: `Bearer ${fresh.access_token}` }
  const { body: token } = await http('POST', '/v1/accounts/me/api-tokens', { body: { name: 'canary' }, headers })
  handed['an API token'] = token.value ?? token.token
  // A secret that is sent in a wrong field is not returned either.
  for (const one of Object.values(handed)) {
    await http('GET', `/v1/${one}`, {
      headers: { authorization: `Bearer ${one}x`, 'x-service-visitor-token': one, cookie: one },
    })
    await http('POST', '/v1/auth/refresh', { body: { refresh_token: `${one}${'x'.repeat(5_000)}` } })
    await http('POST', `/v1/workflows/trigger/${one}x?token=${one}`, { body: {} })
  }
}

/** Links of a member: mailed, shown and used, and refused. */
async function joinAndLeave(): Promise<void> {
  const email = newEmail()
  const { id } = await newConfirmation(shop)
  const visitor = await shop.visitor(email)
  const subscribe = () => visitor.call('POST', `/audiences/${id}/subscribe`, {})
  await subscribe()
  mailed['a confirmation link'] = tokenIn(/https?:\S+/.exec((await mailTo(email)).text)?.[0] as string)
  const link = (path: string, token: unknown) => http('POST', `/v1/customer/audiences/${path}?token=${token}`)
  await link('unsubscribe', mailed['a confirmation link'])
  await link('confirm', mailed['a confirmation link'])
  handed['a manage link'] = tokenIn((await subscribe()).body.member.manage_url)
  for (const path of ['unsubscribe', 'resubscribe', 'confirm', 'nowhere']) await link(path, handed['a manage link'])
}

const post = (at: string, body: unknown) =>
  shop.as(at.startsWith('/v1/platform') ? platform : shop.op, 'POST', at, body)

/** Refusals that might quote the refused value. */
async function misspell(): Promise<void> {
  const statuses: number[] = []
  for (const { path: at, body } of Object.values(bodies))
    for (const place of placesOf(body, new Set(Object.values(secrets)))) {
      const wrong = [
        (text: string) => `${text}\u0001\n`,
        (text: string) => text.padEnd(20_000, 'x'),
        (text: string) => [text],
        (text: string) => ({ [text]: text }),
      ]
      for (const spoil of wrong) {
        const copy = withAt(body, place, spoil(valueAt(body, place) as string))
        statuses.push((await post(at, copy)).status)
      }
    }
  expect(new Set(statuses.filter((status) => status < 400))).toEqual(new Set())
  expect(statuses.length).toBeGreaterThan(40)
}

let hay: Hay[]
beforeAll(async () => {
  lab = await startLab('secrets', settings)
  await lab.stack.startApi({ ...settings, FAILPOINTS: '' })
  worker = await lab.startWorker(settings)
  receiver = await startReceiver(lab.stack.dir)
  globalThis.fetch = listening
  shop = await newShop()
  platform = await operator(settings.SUPER_EMAIL)
  everySecret()
  const ids: Record<string, string> = {}
  for (const [spec, { path: at, body }] of Object.entries(bodies)) {
    const { status, body: row } = await post(at, body)
    if (status < 300) ids[spec.includes('#') ? `${at} # WebDAV` : at] = row.id
    if (row.id) await shop.asOperator('GET', `${at}/${row.id}`)
    if (row.id) await shop.asOperator('GET', at)
  }
  await receiver.rule(new URL(String(bodies['POST /v1/stores/{storeId}/webhooks']?.body.url)).pathname, {
    status: 500,
    body: 'no',
  })
  await buy(ids['/webhooks'] as string)
  await automate(ids)
  await joinAndLeave()
  await signInAndOut()
  await misspell()
  Object.assign(secrets, {
    SECRETS_KEY: lab.stack.env.SECRETS_KEY,
    'SECRETS_KEY as bytes': Buffer.from(lab.stack.env.SECRETS_KEY as string, 'base64').toString('hex'),
    STRIPE_SECRET_KEY: lab.stack.env.STRIPE_SECRET_KEY,
    ...Object.fromEntries(webhookSecrets().map((secret, i) => [`STRIPE_WEBHOOK_SECRET ${i + 1}`, secret])),
  })
  hay = [
    ...filesIn(path.join(lab.stack.dir, 'logs')),
    ...(await dumpOf(database())),
    ...(await historiesOf(lab.stack.env.TEMPORAL_ADDRESS as string)),
  ]
})
afterAll(async () => {
  globalThis.fetch = fetched
  await database().end()
  await receiver.stop()
  await lab.stop()
})

const sizeOf = (some: readonly Hay[]) => some.reduce((sum, { text }) => sum + text.length, 0)

test('Every kind of secret was used', () => {
  expect(Object.keys(secrets).length).toBeGreaterThan(14)
  expect(Object.keys(handed).length).toBeGreaterThan(7)
  expect(Object.values(handed).filter((token) => typeof token !== 'string' || token.length < 20)).toEqual([])
})

test('Every field that is declared secret was filled with one, and no other', async () => {
  let refused = 0
  for (const [spec, { path: at, body }] of Object.entries(bodies)) {
    const known = new Set(Object.values(secrets))
    const words = placesOf(body, { has: (text: string) => text !== '' } as ReadonlySet<string>)
    for (const place of words) {
      const { body: told } = await post(at, withAt(body, place, REDACTED))
      const isSecret = told.errors?.some(({ code }: { code: string }) => code === 'redacted_value') ?? false
      // The URL contains its secret.
      const holdsOne = [...known].some((secret) => String(valueAt(body, place)).includes(secret))
      expect([spec, place, isSecret]).toEqual([spec, place, holdsOne])
      refused += isSecret ? 1 : 0
    }
  }
  // The other five are settings of the stack.
  expect(refused).toBe(Object.keys(secrets).length - 5)
  const named = (table as readonly Route[]).flatMap((route) =>
    route.body ? secretPlaces(route.body).map((place) => `${route.method} ${route.path} ${place}`) : [],
  )
  // Routes of businesses are those of stores.
  const ofStore = (place: string) => place.replace('/v1/businesses/{businessId}', '/v1/stores/{storeId}')
  const covered = Object.keys(bodies).map((spec) => spec.split(' # ')[0]?.split(' ')[1] as string)
  // An update takes the same fields as a creation. A token that is sent back counts among those that were returned.
  expect(
    named.filter((place) => !covered.some((at) => ofStore(place).split(' ')[1]?.replace('/{id}', '') === at)),
  ).toEqual([
    'POST /v1/auth/refresh /refresh_token',
    'POST /v1/auth/logout /refresh_token',
    'POST /v1/customer/audiences/confirm /token',
    'POST /v1/customer/audiences/resubscribe /token',
    'POST /v1/customer/audiences/subscription/cancel /token',
    'POST /v1/customer/audiences/subscription/resume /token',
    'POST /v1/customer/audiences/payment-method /token',
    // Sealed with its test (test/business/shared.test.ts).
    'POST /v1/businesses/{businessId}/webhooks/test /webhook/url',
    'POST /v1/businesses/{businessId}/webhooks/test /webhook/secret',
    // Of the invitation's e-mail; the table has its digest (test/business/invitations.test.ts).
    'POST /v1/businesses/{businessId}/invitation /token',
  ])
  expect(named.length).toBeGreaterThan(15)
})

test('Logs, tables, histories and answers are large enough to search', () => {
  const kinds = [
    /^(api|worker)-\d+\.log$/,
    /^the table /,
    /^the workflow execution/,
    /^the workflow refund/,
    /^the workflow checkout/,
    /^the workflow mail/,
    /^the workflow deliver/,
  ]
  for (const kind of kinds)
    expect([kind, sizeOf(hay.filter(({ name }) => kind.test(name))) > 1_000]).toEqual([kind, true])
  expect(answers.length).toBeGreaterThan(100)
})

test('No log, table or history contains a secret', () => {
  expect(search(hay, secrets)).toEqual([])
})

test('No log, table or history contains a token that was returned', () => {
  expect(search(hay, { ...handed, ...mailed })).toEqual([])
  // Nor any other token of any caller.
  expect(hay.flatMap(({ name, text }) => [...text.matchAll(new RegExp(tokenShapes, 'g'))].map(() => name))).toEqual([])
})

test('A secret in a node is stored in its graph and nowhere else', () => {
  expect(
    search(
      hay.filter(({ name }) => name !== 'the table graphs'),
      shown,
    ),
  ).toEqual([])
  for (const [what, secret] of Object.entries(shown))
    expect([what, search(hay, { [what]: secret }).length > 0]).toEqual([what, true])
})

test('A sign-in code is stored in its email alone', () => {
  expect(codes).toHaveLength(1)
  expect(
    hay
      // Six digits may be in an id or a digest by chance.
      .map(({ name, text }) => ({ name, text: text.replaceAll(/[\da-f]{8}-[\da-f-]{27}|[\da-f]{32,}/g, '') }))
      .filter(({ text }) => codes.some((code) => new RegExp(`(?<![\\d.])${code}(?!\\d)`).test(text)))
      .map(({ name }) => name),
  ).toEqual([])
})

test('No answer repeats a secret, and tokens are returned once', () => {
  const asHay = answers.map(({ asked, text }) => ({ name: asked, text }))
  expect(search(asHay, { ...secrets, ...mailed })).toEqual([])
  for (const [what, token] of Object.entries(handed)) {
    const told = new Set(
      asHay.filter(({ text }) => text.includes(token)).map(({ name }) => name.replaceAll(/[0-9a-f-]{36}/g, '{id}')),
    )
    expect([what, told.size]).toEqual([what, 1])
  }
})

test('The search finds a planted secret in every encoding', () => {
  const [what, secret] = Object.entries(secrets)[0] as [string, string]
  const plant = [
    secret,
    JSON.stringify({ a: JSON.stringify({ secret }) }),
    encodeURIComponent(secret),
    Buffer.from(`user:${secret}`).toString('base64'),
    Buffer.from(`a:${secret}`).toString('base64url'),
    Buffer.from(`${secret}!`).toString('hex'),
  ]
  for (const text of plant)
    expect([text, search([{ name: 'planted', text: `before ${text} after` }], { [what]: secret }).length > 0]).toEqual([
      text,
      true,
    ])
  expect(search([{ name: 'planted', text: plant.join(' ').toLowerCase() }], { [what]: unique() })).toEqual([])
})

test('The search covers a row, a log and a history', async () => {
  const word = `planted-${unique()}-where-it-may-not-be`
  await database().query(
    'insert into rate_windows (key, started_at, count, expires_at) values ($1, 1, 1, 4102444800)',
    [word],
  )
  expect(search(await dumpOf(database()), { word })).toHaveLength(1)
  await database().query('delete from rate_windows where key = $1', [word])
  const { rows } = await database().query<{ id: string }>('select id from refunds limit 1')
  const histories = hay.filter(({ name }) => name.includes(`refund/${rows[0]?.id}`))
  expect([histories.length > 0, histories.every(({ text }) => text.includes(rows[0]?.id as string))]).toEqual([
    true,
    true,
  ])
})
