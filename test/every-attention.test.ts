// Everything that a person has to do is in one list: a row of each kind is found by those who may see it, resolved
// through the request that its item names, and gone, from the list and from Temporal's failed workflows.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { rowOf } from '../activities/effects.ts'
import { declared } from '../api/routes.ts'
import { type Orm, openOrm } from '../entities/kit/database/orm.ts'
import { newId } from '../entities/kit/ids.ts'
import { complete, process as declare } from '../entities/kit/process.ts'
import { processRows } from '../entities/processes.ts'
import { type AttentionKind, attentionKinds, groupOf } from '../rules/attention.ts'
import { type EffectName, effectNames, effects } from '../rules/effects.ts'
import { type ProcessKind, processOf, workflowId } from '../rules/processes.ts'
import { removeOver } from '../workers/failed-runs.ts'
import { faultIn } from './kit/attention-words.ts'
import { insertRow } from './kit/audiences/subscribing.ts'
import { effectKinds, meetReceiver, prepareProvider } from './kit/effects/effect-rows.ts'
import { sim, until } from './kit/orders/buying.ts'
import { database, http, newShop, newStore, type Operator, operator, type Shop, unique } from './kit/shop.ts'
import type { Receiver } from './kit/webhooks/receiver.ts'

jest.setTimeout(180_000)

type Item = {
  id: string
  kind: AttentionKind
  since: number
  resolve: { method: 'POST'; path: string; role: string; choices: string[] } | null
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  [more: string]: any
}
/** `ends`: how it ends, if no request resolves it. `workflow`: one that has failed for it. */
type Made = { id: string; ends?: () => Promise<unknown>; workflow?: string | undefined }

const seconds = () => Math.floor(Date.now() / 1000)
const update = (text: string, values: unknown[]) => database().query(text, values)
const first = async (text: string, values: unknown[]) => (await database().query(text, values)).rows[0]

let shop: Shop
let stranger: Operator
let admin: Operator
let platform: Operator
let temporal: Client
let orm: Orm
beforeAll(async () => {
  shop = await newShop()
  ;[stranger, admin] = [await operator(), await operator()]
  platform = await operator(process.env.SUPER_EMAIL?.split(',')[0])
  temporal = new Client({ connection: await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string }) })
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
  // No row of these is sent.
  meetReceiver({ url: 'http://127.0.0.1:9', rule: async () => {} } as unknown as Receiver)
  await prepareProvider()
  await makeAll()
}, 180_000)
afterAll(async () => {
  await temporal.connection.close()
  await orm.close(true)
  await database().end()
})

/** The rows of effects belong to tenants that have no row yet: they become stores of the operator, with an admin. */
async function own(tenantId: string): Promise<void> {
  await update(
    `insert into tenants (id, created_at, updated_at, kind, key, timezone, languages, emails, settings, status, is_network, publishable_key)
     values ($1, 1, 1, 'store', $2, 'UTC', '["en"]', '{}', '{}', 'ACTIVE', false, $2) on conflict (id) do nothing`,
    [tenantId, `shop-${unique()}`],
  )
  for (const [account, role] of [
    [shop.op.account_id, 'owner'],
    [admin.account_id, 'admin'],
  ])
    await update(
      `insert into team_members (id, created_at, updated_at, tenant_id, account_id, role, accepted_at)
       values ($1, 1, 1, $2, $3, $4, 1) on conflict (tenant_id, account_id) do nothing`,
      [newId(), tenantId, account, role],
    )
}

const unknown = `status = 'unknown', attempt = 1, sent_at = now() - interval '400 s', settled_at = now() - interval '400 s'`

/** What else a row has where its outcome matters. `undo`: after its workflow has failed. */
type Matters = Partial<Record<EffectName, (id: string) => Promise<{ undo?: () => Promise<unknown> } | undefined>>>
const matters: Matters = {
  refund: async (id) => {
    await update('update refunds set needs_attention = true where id = $1', [id])
    return undefined
  },
  payment_session: (id) => failedCheckout(id),
  session_expiry: async (id) => {
    const { payment_session_id } = await first('select payment_session_id from session_expiries where id = $1', [id])
    await update(`update payment_sessions set status = 'unknown', sent_at = now() where id = $1`, [payment_session_id])
    const { undo } = await failedCheckout(payment_session_id)
    return {
      async undo() {
        await update(`update payment_sessions set status = 'succeeded' where id = $1`, [payment_session_id])
        await undo()
      },
    }
  },
  coupon: async (id) => {
    const { subscription_id, tenant_id } = await first('select * from coupons where id = $1', [id])
    const page = await insertRow('payment_sessions', {
      ...{ tenant_id, subscription_id, payment_id: newId(), return_url: '', amount: 1, currency: 'USD' },
      ...{ status: 'unknown', fingerprint: '', attempt: 1 },
    })
    await failedCheckout(page)
    return { undo: () => update('delete from payment_sessions where id = $1', [page]) }
  },
  onboarding_link: async (id) => {
    const account = `acct_${unique()}`
    await sim('POST', `/accounts/${account}`, { charges_enabled: false, details_submitted: false })
    await update(
      'update payment_providers set account_id = $2 where id = (select payment_provider_id from onboarding_links where id = $1)',
      [id, account],
    )
    return undefined
  },
  node_run: async (id) => {
    await update(
      `update executions set status = 'failed', error = '{"code": "node_unknown", "message": "…"}', finished_at = 1
       where id = (select execution_id from node_runs where id = $1)`,
      [id],
    )
    await update('update node_runs set applied = true where id = $1', [id])
    return undefined
  },
  social_reveal: async (id) => {
    await update(
      `update social_publications set status = 'unknown' where id = (select publication_id from social_reveals where id = $1)`,
      [id],
    )
    return undefined
  },
  social_classification: async (id) => {
    const { tenant_id } = await first('select tenant_id from social_classifications where id = $1', [id])
    const label = { tenant_id, model: 'large', text_digest: unique(), classification_id: id, status: 'unknown' }
    await insertRow('social_labels', label)
    return undefined
  },
  model_call: async (id) => {
    await update(
      `update model_turns set status = 'failed' where id = (select turn_id from model_calls where id = $1)`,
      [id],
    )
    return undefined
  },
}

/** The checkout of an order or a subscription that was given up fails: its form is unknown, beside a payment. */
async function failedCheckout(page: string): Promise<{ undo: () => Promise<unknown> }> {
  const form = await first('select * from payment_sessions where id = $1', [page])
  const { payment_id, tenant_id, order_id, subscription_id } = form
  const payment = {
    tenant_id,
    order_id,
    subscription_id,
    type: 'card',
    currency: 'USD',
    amount: 5000,
    provider: 'stripe',
  }
  await insertRow('payments', { id: payment_id, ...payment, kind: subscription_id && 'initial', status: 'paid' })
  await update(`update orders set status = 'cancelled' where id = $1`, [order_id])
  return { undo: () => update(`update payments set status = 'cancelled' where id = $1`, [payment_id]) }
}

/** Kinds whose workflow does not fail: its caller reads the outcome, or asks again. */
const neverFailing: readonly EffectName[] = ['portal_configuration', 'social_classification', 'model_call']

async function madeEffect(name: EffectName): Promise<Made> {
  const kind = effectKinds.find(({ effect }) => effect === name)
  if (!kind) throw new Error(`no row of ${name}`)
  const id = await kind.ask()
  const { table } = effects[name]
  await update(`update ${table} set ${unknown} where id = $1`, [id])
  const { tenant_id } = await first(`select tenant_id from ${table} where id = $1`, [id])
  if (tenant_id) await own(tenant_id)
  const { undo } = (await matters[name]?.(id)) ?? {}
  const found = await first(`select ${rowOf(name).processId.sql} as id from ${table} e where e.id = $1`, [id])
  const workflow = workflowId(processOf(name), found.id)
  if (neverFailing.includes(name)) return { id }
  await startAgain(processOf(name), found.id, tenant_id)
  await until(async () => (await statusOf(workflow)) === 'FAILED', 150_000)
  await undo?.()
  return { id, workflow }
}

const statusOf = async (workflow: string): Promise<string | undefined> =>
  temporal.workflow
    .getHandle(workflow)
    .describe()
    .then(
      ({ status }) => status.name,
      () => undefined,
    )

/** A payment of the store, as each of these kinds needs one. */
async function payment(more: Record<string, unknown> = {}): Promise<{ id: string; order_id: string }> {
  const order = {
    ...{ tenant_id: shop.store_id, number: Math.floor(Math.random() * 1e12), status: 'confirmed' },
    ...{ fulfillment_status: 'none', contact_id: newId(), verified: false, source_cart_id: newId() },
    ...{ payment_id: newId(), market: 'us', money: '{}', forms: '[]' },
  }
  const order_id = await insertRow('orders', order)
  const paid = { tenant_id: shop.store_id, order_id, type: 'card', status: 'paid', currency: 'USD', provider: 'stripe' }
  return { id: await insertRow('payments', { ...paid, amount: 500, captured_amount: 500, ...more }), order_id }
}

async function madeRefundDue(): Promise<Made> {
  const { id: payment_id, order_id } = await payment({ error: { code: 'refund_due', message: 'It has to go back.' } })
  const refund = { tenant_id: shop.store_id, payment_id, order_id, refund_id: newId(), amount: 100, currency: 'USD' }
  const id = await insertRow('refunds', {
    ...{ ...refund, origin: 'system', status: 'rejected', fingerprint: '', attempt: 1, needs_attention: true },
    settled_at: new Date(),
  })
  return { id, ends: () => update('update refunds set needs_attention = false where id = $1', [id]) }
}

const ended = (table: string, set: string) => (id: string) => () =>
  update(`update ${table} set ${set} where id = $1`, [id])

async function inserted(table: string, row: Record<string, unknown>, end: string): Promise<Made> {
  const id = await insertRow(table, { tenant_id: shop.store_id, ...row })
  return { id, ends: ended(table, end)(id) }
}

/** A kind that is missing here does not compile, as one of the register without its part. */
const others: Record<Exclude<AttentionKind, EffectName>, () => Promise<Made>> = {
  refund_due: madeRefundDue,
  payment: async () => ({ id: (await payment({ error: { code: 'amount_mismatch', message: '…' } })).id }),
  subscription: () =>
    inserted(
      'subscriptions',
      {
        ...{ kind: 'recurring', status: 'live', amount: 500, currency: 'USD' },
        ...{ interval: '{"period":"month","count":1}', plan_id: 'pro' },
        error: '{"code": "not_readable", "message": "…"}',
      },
      'error = null',
    ),
  dispute: async () => {
    const { id: payment_id, order_id } = await payment()
    const dispute = { payment_id, order_id, provider_account_id: 'acct_1', provider_dispute_id: `dp_${unique()}` }
    return inserted(
      'disputes',
      {
        ...dispute,
        amount: 500,
        currency: 'USD',
        status: 'needs_response',
        evidence_due_at: seconds() + 900,
        event_at: 1,
      },
      'closed_at = 1',
    )
  },
  campaign: () =>
    inserted(
      'campaigns',
      {
        ...{ name: 'Spring', mailbox_ids: '[]', steps: '[]', variables: '{}', status: 'paused' },
        paused_reason: '{"code": "too_many_bounces", "message": "Too many bounced."}',
      },
      `status = 'cancelled'`,
    ),
  mailbox: () =>
    inserted(
      'mailboxes',
      {
        ...{
          key: unique(),
          email: 'shop@tillwright.test',
          status: 'active',
          smtp_host: 'smtp.example',
          smtp_port: 465,
        },
        ...{ smtp_security: 'tls', sending_failed_since: seconds() - 3_600 },
        sending_error: '{"code": "mailbox_refused", "message": "The server refused the credentials."}',
      },
      'sending_error = null, sending_failed_since = null',
    ),
  webhook: async () => {
    const made = await shop.asOperator('POST', '/webhooks', {
      key: unique(),
      url: 'https://hooks.example/',
      events: [{ event: 'order.created' }],
    })
    const { id } = made.body
    await update(`update webhooks set enabled = false, disabled_reason = 'gone' where id = $1`, [id])
    return { id, ends: () => shop.asOperator('PUT', `/webhooks/${id}`, { enabled: true }) }
  },
  channel: async () => {
    const id = newId()
    const bot = { tenant_id: shop.store_id, key: unique(), type: 'chat_bot', category: 'channel', settings: '{}' }
    await insertRow('integrations', { id, ...bot, credentials: 'x' })
    return inserted(
      'channels',
      { id, secret: 'x', status: 'failed', error: '{"code": "channel_refused", "message": "Refused."}' },
      `status = 'connected'`,
    )
  },
  social_connection: () =>
    inserted(
      'social_connections',
      {
        ...{ type: 'network_b_business', provider_account_id: unique(), name: 'Acme', scopes: '[]' },
        ...{ connected_by: newId(), granted_by: 'x', refreshed_at: 1, status: 'needs_reconnect' },
        reason: '{"code": "grant_ended", "message": "Ended."}',
      },
      `status = 'active', reason = null`,
    ),
  start: async () => {
    const id = newId()
    await update(
      `insert into outbox (id, tenant_id, kind, row_id, parked, tries, error) values ($1, $2, 'script', $3, true, 20, '3: No.')`,
      [id, shop.store_id, newId()],
    )
    return { id }
  },
  readiness: async () => {
    const { id } = await newStore(shop.op)
    await own(id)
    await update(`update markets set payment_methods = '[]' where tenant_id = $1`, [id])
    const service = await insertRow('services', {
      ...{ tenant_id: id, key: unique(), slug: '{}', blocks: '[]', taxonomies: '[]', status: 'active' },
    })
    return { id, ends: () => update(`update services set status = 'draft' where id = $1`, [service]) }
  },
  erasure: async () => {
    const id = await insertRow('erasures', {
      ...{ erased_id: newId(), key: 'gone', requested_by: shop.op.account_id, status: 'settling' },
      ...{ message: 'A refund is unknown.', needs_attention: true },
    })
    return { id, ends: () => update('delete from erasures where id = $1', [id]) }
  },
}
const isEffect = (kind: AttentionKind): kind is EffectName => (effectNames as readonly string[]).includes(kind)

const made = new Map<AttentionKind, Made | Error>()
async function makeAll(): Promise<void> {
  await own(shop.store_id)
  await update(`update team_members set role = 'owner' where tenant_id = $1 and account_id = $2`, [
    shop.store_id,
    shop.op.account_id,
  ])
  await Promise.all(
    attentionKinds.map(async (kind) => {
      const work = isEffect(kind) ? madeEffect(kind) : others[kind]()
      made.set(kind, await work.catch((error: Error) => error))
    }),
  )
}
function madeOf(kind: AttentionKind): Made {
  const one = made.get(kind)
  if (!one || one instanceof Error) throw one ?? new Error(`not made: ${kind}`)
  return one
}

/** All pages of a list. */
async function listed(path: string, by: Operator, query: Record<string, string> = {}): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const search = new URLSearchParams({ limit: '100', ...query, ...(cursor ? { cursor } : {}) })
    const { status, body } = await http('GET', `${path}?${search}`, { headers: by.headers })
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    items.push(...body.items)
    cursor = body.cursor
  } while (cursor)
  return items
}
const seenBy = async (by: Operator, kind: AttentionKind, id: string): Promise<Item | undefined> =>
  (await listed('/v1/attention', by, { kind })).find((item) => item.id === id)
const resolvedBy = async (path: string, by: Operator, kind: AttentionKind, id: string): Promise<Item | undefined> =>
  (await listed(path, by, { kind, status: 'resolved' })).find((item) => item.id === id)
const seenByPlatform = async (kind: AttentionKind, id: string): Promise<Item | undefined> =>
  (await listed('/v1/platform/attention', platform, { kind })).find((item) => item.id === id)

/** Those that are resolved under their item, as any effect is; requests about money have rules of their own. */
const ofTheKit: readonly EffectName[] = [
  ...(['mail', 'connect', 'onboarding_link', 'price_provision', 'coupon', 'portal_configuration'] as const),
  ...(['portal_link', 'webhook_test', 'oauth_exchange', 'social_connect', 'social_token_request'] as const),
  ...(['social_classification', 'model_call', 'channel_message'] as const),
]

/** What only owners may read elsewhere. */
const ofOwners: readonly AttentionKind[] = ['oauth_exchange', 'portal_link', 'channel', 'start']
/** What the platform's administrators alone act on: here those of plans. */
const ofPlatform: readonly AttentionKind[] = ['subscription_change', 'subscription']

const expectWords = (kind: AttentionKind, item: Item) =>
  expect([kind, faultIn(item as Item & Parameters<typeof faultIn>[0])]).toEqual([kind, null])

/** Kinds that no request of the API mends, but the one of `resolve`, if any: the other side does, or a look there. */
const unmended: readonly AttentionKind[] = [
  ...(['refund', 'authorization_end', 'payment_session', 'session_expiry', 'subscription_change'] as const),
  ...(['subscription', 'dispute', 'coupon', 'portal_configuration', 'mail', 'campaign_message', 'node_run'] as const),
  ...(['model_call', 'start'] as const),
]
/** A chat is of a business: rows of tests are of stores. */
const specOf = (method: string, path: string) => {
  const pattern = (spec: string) =>
    new RegExp(
      `^${spec.replace(/^\w+ \/v1\/(stores|businesses)\//, `${method} /v1/(stores|businesses)/`).replaceAll(/\{\w+\}/g, '[0-9a-f-]{36}')}$`,
    )
  return declared.find(({ spec }) => spec.startsWith(`${method} `) && pattern(spec).test(`${method} ${path}`))
}
function expectMend(kind: AttentionKind, { mend }: Item): void {
  expect([kind, mend === null]).toEqual([kind, unmended.includes(kind)])
  if (!mend) return
  const { method, path, role } = mend
  const route = specOf(method, path)
  expect([kind, path, route?.may]).toEqual([kind, path, path.startsWith('/v1/erasures/') ? 'account' : role])
}

/** Kinds that no timeline is about, or none of the tenant's. */
const timeless: readonly AttentionKind[] = [
  ...(['subscription_change', 'subscription', 'portal_link'] as const),
  ...(['mailbox', 'readiness', 'erasure', 'start'] as const),
]
async function expectTimeline(kind: string, { timeline, tenant }: Item, isTimeless: boolean): Promise<void> {
  expect([kind, timeline === null]).toEqual([kind, isTimeless])
  if (!timeline) return
  const at = `/v1/${tenant.kind === 'store' ? 'stores' : 'businesses'}/${tenant.id}/timeline`
  const { status, body } = await http('GET', `${at}?subject=${timeline.type}:${timeline.id}`, {
    headers: shop.op.headers,
  })
  expect([kind, timeline, status, body.items?.length > 0]).toEqual([kind, timeline, 200, true])
}

/** What was recorded is listed for a while, read by its id, and can be corrected where another outcome is possible. */
async function expectResolved(kind: AttentionKind, open: Item, by: Operator, base: string): Promise<void> {
  const item = (await resolvedBy(base, by, kind, open.id)) as Item
  expect([kind, item?.status, item?.since]).toEqual([kind, 'resolved', item?.evidence.resolution.at])
  expectWords(kind, item)
  const { outcome, note } = item.evidence.resolution
  expect([kind, note]).toEqual([kind, 'Looked it up.'])
  // An account that is there after all is named after it was recorded that there is none.
  const choices = kind === 'connect' ? ['succeeded', 'rejected'] : (open.resolve?.choices ?? [])
  // A capture that was not carried out is followed by a cancellation: another decision, which stands.
  const isCorrectable = kind !== 'authorization_end' && choices.some((choice) => choice !== outcome)
  expect([kind, item.resolve?.choices ?? null]).toEqual([kind, isCorrectable ? choices : null])
  const read = await http('GET', `${base}/${open.id}`, { headers: by.headers })
  expect([kind, read.status, read.body]).toEqual([kind, 200, item])
}

type Send = (said: object) => Promise<{ status: number; body: Record<string, unknown> }>
/**
 * Records an outcome, of those with several another one before, which is corrected. The row keeps what was answered,
 * and its timeline has each resolution.
 */
async function resolveTwice(kind: EffectName, item: Item, outcome: string, send: Send): Promise<void> {
  const { id, resolve } = item
  const { table } = effects[kind]
  const row = () => first(`select answered_at, status, resolution from ${table} where id = $1`, [id])
  const { answered_at } = await row()
  const isOfKit = ofTheKit.includes(kind)
  const choices = isOfKit ? (resolve as NonNullable<Item['resolve']>).choices : [outcome]
  const root = item.tenant && `/v1/${item.tenant.kind === 'store' ? 'stores' : 'businesses'}/${item.tenant.id}`
  // What the platform charges for a plan has no timeline of its tenant.
  const hasTimeline = root && !['subscription_change', 'portal_link'].includes(kind)
  const readTimeline = async () =>
    hasTimeline ? listed(`${root}/timeline`, shop.op, { subject: `${kind}:${id}` }) : []
  const kept = (entries: readonly Item[]) => entries.map(({ at, kind: of }: Item & { at?: number }) => `${at} ${of}`)
  const before = kept(await readTimeline())
  let replaces: string | undefined
  for (const one of new Set([...choices, outcome])) {
    const { status, body } = await send({ outcome: one, replaces })
    expect([kind, one, status, body]).toEqual([kind, one, 200, expect.any(Object)])
    replaces = one
  }
  const after = await row()
  expect([kind, after.answered_at, after.resolution.outcome]).toEqual([kind, answered_at, outcome])
  if (hasTimeline) {
    const entries = await readTimeline()
    expect([kind, kept(entries)]).toEqual([kind, expect.arrayContaining(before)])
    const recorded = entries.filter((entry) => (entry.kind as string) === 'resolved')
    expect([kind, recorded.length]).toEqual([kind, new Set([...choices, outcome]).size])
    expect(recorded[0]).toMatchObject({
      details: { outcome, note: 'Looked it up.' },
      by: { type: 'account', id: shop.op.account_id },
    })
    expect([kind, entries.some((entry) => (entry.kind as string) === 'answered')]).toEqual([kind, false])
  }
  if (!root || !isOfKit) return
  // Evidence that comes later says otherwise: the item has words and choices of its own, which end it.
  const status = outcome === 'rejected' ? 'succeeded' : 'rejected'
  await update(`update ${table} set late_evidence = $2, late_at = now() where id = $1`, [id, { status }])
  const listings = (await listed('/v1/attention', shop.op, { kind })).filter((one) => one.id === id)
  expect([kind, listings.length]).toEqual([kind, 1])
  if (ofOwners.includes(kind)) expect([kind, await seenBy(admin, kind, id)]).toEqual([kind, undefined])
  const again = listings[0] as Item
  expect([kind, again?.title, again?.what_to_do]).toEqual([
    kind,
    expect.stringContaining('evidence contradicts what was recorded'),
    expect.stringContaining('against the evidence'),
  ])
  expectWords(kind, again)
  expect([kind, again.status, again.mend]).toEqual([kind, 'open', null])
  expect([kind, again.resolve?.choices]).toEqual([kind, expect.arrayContaining([outcome])])
  expect((await send({ outcome })).body.code).toBe('contradicts_evidence')
  expect([kind, (await send({ outcome, force: true })).status]).toEqual([kind, 200])
}

/** Paths of the requests that resolved items. */
const used: string[] = []
const usedFor = new Map<EffectName, { path: string; choices: readonly string[] }>()

describe.each([...attentionKinds])('%s', (kind) => {
  test(`An item of the kind ${kind} is listed, ends through what it names, and is seen by no other`, async () => {
    const { id, ends, workflow } = madeOf(kind)
    const [mine, theirs] = [await seenBy(shop.op, kind, id), await seenByPlatform(kind, id)]
    expect([kind, mine !== undefined, theirs !== undefined]).toEqual([
      kind,
      !ofPlatform.includes(kind),
      ofPlatform.includes(kind) || ['start', 'erasure'].includes(kind),
    ])
    const item = (mine ?? theirs) as Item
    expect(item).toMatchObject({ kind, group: groupOf(kind), since: expect.any(Number), status: 'open' })
    expectWords(kind, item)
    expectMend(kind, item)
    await expectTimeline(kind, item, timeless.includes(kind))
    const base = mine ? '/v1/attention' : '/v1/platform/attention'
    const reader = mine ? shop.op : platform
    const read = await http('GET', `${base}/${id}`, { headers: reader.headers })
    expect([kind, read.status, read.body]).toEqual([kind, 200, item])
    for (const path of ['/v1/attention', '/v1/platform/attention'])
      expect((await http('GET', `${path}/${id}`, { headers: stranger.headers })).status).toBe(
        path === '/v1/attention' ? 404 : 403,
      )
    // Temporal's UI is the installation's: a tenant's own people cannot open it.
    if (mine) expect(mine.temporal_url).toBeNull()
    if (theirs && workflow)
      expect(theirs.temporal_url).toBe(
        `${process.env.TEMPORAL_UI_URL}/namespaces/default/workflows/${encodeURIComponent(workflow)}`,
      )
    if (isEffect(kind)) {
      expect(item.evidence.sent_at).toBe(item.since)
      expect(item.evidence.settled_at).toBe(item.since)
    }
    // Neither another tenant's operator, nor an admin what owners alone may read.
    expect(await seenBy(stranger, kind, id)).toBeUndefined()
    const isOfTenant = !ofPlatform.includes(kind) && kind !== 'erasure'
    expect((await seenBy(admin, kind, id)) !== undefined).toBe(isOfTenant && !ofOwners.includes(kind))
    if (isOfTenant && item.tenant) {
      const at = `/v1/${item.tenant.kind === 'store' ? 'stores' : 'businesses'}/${item.tenant.id}/attention`
      expect((await listed(at, shop.op, { kind })).map((one) => one.id)).toContain(id)
      expect((await http('GET', at, { headers: stranger.headers })).status).toBe(404)
      const one = await http('GET', `${at}/${id}`, { headers: admin.headers })
      expect([kind, one.status]).toEqual([kind, ofOwners.includes(kind) ? 404 : 200])
    }

    if (ends) {
      expect(item.resolve).toBeNull()
      await ends()
    } else {
      const { method, path, role, choices } = item.resolve as NonNullable<Item['resolve']>
      const by = mine ? shop.op : platform
      used.push(path)
      if (isEffect(kind) && mine) usedFor.set(kind, { path, choices })
      expect(role).toBe(mine ? 'owner' : 'platform')
      // A form that was not closed is still read.
      const body = { outcome: kind === 'session_expiry' ? 'succeeded' : choices.at(-1), note: 'Looked it up.' }
      if (mine) {
        expect((await http(method, path, { headers: admin.headers, body })).status).toBe(403)
        expect((await http(method, path, { headers: stranger.headers, body })).status).toBe(404)
      }
      const send = (said: object) => http(method, path, { headers: by.headers, body: { ...body, ...said } })
      if (isEffect(kind)) await resolveTwice(kind, item, body.outcome as string, send)
      else {
        const { status, body: answer } = await send({})
        expect([kind, status, answer]).toEqual([kind, 200, expect.any(Object)])
        // The answer may have been lost.
        expect((await send({})).status).toBe(200)
      }
      // What was not started has no row any more.
      if (kind !== 'start') await expectResolved(kind, item, by, base)
    }
    expect([await seenBy(shop.op, kind, id), await seenByPlatform(kind, id)]).toEqual([undefined, undefined])
    if (workflow) await until(async () => (await statusOf(workflow)) === 'COMPLETED', 60_000)
  })
})

test('Every route that resolves a record of a store is named by an item, but for refunds', () => {
  const specs = declared
    .map(({ spec }) => spec as string)
    .filter((spec) => /^POST \/v1\/stores\/.*\/resolve$/.test(spec))
  const unnamed = specs.filter((spec) => {
    const path = new RegExp(`^${spec.slice(5).replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    return !used.some((one) => path.test(one))
  })
  expect(unnamed.sort()).toEqual([
    'POST /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments/{paymentId}/refunds/{refundId}/resolve',
    'POST /v1/stores/{storeId}/orders/{orderId}/refunds/{refundId}/resolve',
  ])
})

test('What is answered with 200 is recorded, of every effect whose outcome is not open any more', async () => {
  const refused: string[] = []
  for (const [kind, { path, choices }] of usedFor) {
    const { table } = effects[kind]
    const { id } = madeOf(kind)
    const row = () => first(`select status, settled_at, resolution from ${table} where id = $1`, [id])
    // Another attempt of it ended without an effect.
    const before = await row()
    const recorded = before.resolution.outcome
    await update(`update ${table} set status = 'failed' where id = $1`, [id])
    for (const outcome of new Set([recorded, ...choices])) {
      // The outcome of a post is that of its publication, which is the same.
      if (kind === 'social_reveal' && outcome === recorded) continue
      const body = { outcome, note: 'Looked once more.', force: true, replaces: recorded }
      const { status } = await http('POST', path, { headers: shop.op.headers, body })
      const { resolution } = await row()
      expect([kind, outcome, status, resolution.note === body.note]).toEqual([kind, outcome, status, status === 200])
      if (status === 409) refused.push(kind)
    }
    await update(`update ${table} set status = $2, settled_at = $3, resolution = $4 where id = $1`, [
      ...[id, before.status, before.settled_at, JSON.stringify(before.resolution)],
    ])
  }
  expect(refused).toEqual(expect.arrayContaining([...ofTheKit, 'social_reply', 'social_reveal', 'session_expiry']))
})

test('A workflow that was not started names a timeline that can be read, or none, of every kind', async () => {
  const { id: change } = madeOf('subscription_change')
  const plan = (await first('select subscription_id, tenant_id from subscription_changes where id = $1', [change])) as {
    subscription_id: string
    tenant_id: string
  }
  const { id: refund } = madeOf('refund')
  const { id: _, ...row } = await first('select * from refunds where id = $1', [refund])
  const payment_id = await insertRow('payments', {
    ...{ tenant_id: plan.tenant_id, subscription_id: plan.subscription_id, kind: 'renewal', type: 'card' },
    ...{ status: 'paid', currency: 'USD', amount: 500, captured_amount: 500, provider: 'stripe' },
  })
  const ofPlan = await insertRow('refunds', {
    ...{ ...row, tenant_id: plan.tenant_id, order_id: null, subscription_id: plan.subscription_id },
    ...{
      refund_id: newId(),
      payment_id,
      status: 'succeeded',
      needs_attention: false,
      resolution: null,
      replaced: null,
    },
  })
  const starts: [kind: ProcessKind, rowId: string, tenantId: string, isTimeless?: boolean][] = [
    ['membership', plan.subscription_id, plan.tenant_id, true],
    ['refund', ofPlan, plan.tenant_id, true],
  ]
  for (const name of effectNames) {
    const kind = processOf(name)
    const sql = `select ${rowOf(name).processId.sql} as id, tenant_id from ${effects[name].table} e where e.id = $1`
    const { id, tenant_id } = await first(sql, [madeOf(name).id])
    // Those of the installation are in its own list, which has no timelines.
    if (kind !== 'membership' && tenant_id && id) starts.push([kind, id, tenant_id])
  }
  const timed: string[] = []
  for (const [kind, rowId, tenantId, isTimeless] of starts) {
    const id = newId()
    await update(
      `insert into outbox (id, tenant_id, kind, row_id, parked, tries, error) values ($1, $2, $3, $4, true, 20, 'No.')`,
      [id, tenantId, kind, rowId],
    )
    const { body } = await http('GET', `/v1/attention/${id}`, { headers: shop.op.headers })
    await expectTimeline(kind, body, isTimeless ?? body.timeline === null)
    if (body.timeline) timed.push(kind)
    await update('delete from outbox where id = $1', [id])
  }
  expect(timed).toEqual(expect.arrayContaining(['refund', 'execution', 'publication', 'mail', 'connect']))
})

test('Workflows whose matter is resolved are failed no longer in Temporal, of every kind', async () => {
  const workflows = attentionKinds.flatMap((kind) => {
    const { workflow } = madeOf(kind)
    return workflow ? [workflow] : []
  })
  expect(workflows.length).toBeGreaterThan(15)
  const open = await madeEffect('mail')
  const query = `ExecutionStatus = "Failed" and WorkflowId in (${workflows.map((id) => `"${id}"`).join(', ')})`
  const failed = async () => {
    const found: string[] = []
    for await (const { workflowId: id } of temporal.workflow.list({ query })) found.push(id)
    return found
  }
  await until(async () => {
    await removeAll()
    return (await failed()).length === 0
  }, 60_000)
  // The run of what is open stays, as do the runs that completed.
  expect([open.workflow, await statusOf(open.workflow as string)]).toEqual([open.workflow, 'FAILED'])
  for (const workflow of workflows) expect([workflow, await statusOf(workflow)]).toEqual([workflow, 'COMPLETED'])
})

/** Failed runs of a workflow that are left. */
async function failedRunsOf(workflow: string): Promise<string[]> {
  const found: string[] = []
  for await (const { runId } of temporal.workflow.list({
    query: `ExecutionStatus = "Failed" and WorkflowId = "${workflow}"`,
  }))
    found.push(runId)
  return found
}
/** The failed run of a workflow that was not `before`: lists show it a moment after the workflow has failed. */
const failedRunOf = (workflow: string, before?: string): Promise<string> =>
  until(async () => (await failedRunsOf(workflow)).find((run) => run !== before), 60_000)
async function removeAll(client = temporal): Promise<void> {
  let from: Uint8Array | null = null
  do ({ next: from } = await removeOver(orm, client, from))
  while (from)
}
/** One look at all failed runs: the ids of those whose removal was asked for. That of the workflow `refused` fails. */
async function lookAt(refused?: string): Promise<Set<string>> {
  type Service = Client['workflowService']
  const asked = new Set<string>()
  const { workflowService: real } = temporal
  const workflowService = {
    async listWorkflowExecutions(request: Parameters<Service['listWorkflowExecutions']>[0]) {
      const page = await real.listWorkflowExecutions(request)
      // A person has started it.
      return { ...page, executions: [{ execution: { workflowId: 'refund/test', runId: newId() } }, ...page.executions] }
    },
    async deleteWorkflowExecution(request: Parameters<Service['deleteWorkflowExecution']>[0]) {
      const { workflowId, runId } = request.workflowExecution ?? {}
      // PERMISSION_DENIED.
      if (workflowId === refused) throw Object.assign(new Error('No.'), { code: 7 })
      asked.add(String(runId))
      return real.deleteWorkflowExecution(request)
    },
  }
  await removeAll({ workflowService } as unknown as Client)
  return asked
}
/** Whether a run is removed: by a worker of the stack already, or by this look. */
const isRemoved = async (workflow: string, run: string, refused?: string): Promise<boolean> =>
  !(await failedRunsOf(workflow)).includes(run) || (await lookAt(refused)).has(run)
const startAgain = (kind: ProcessKind, rowId: string, tenantId: string) =>
  update('insert into outbox (id, tenant_id, kind, row_id, again) values ($1, $2, $3, $4, true)', [
    newId(),
    tenantId,
    kind,
    rowId,
  ])

describe('Failed runs', () => {
  test('A failed run stays while what it failed for is open, also if a later run completed', async () => {
    const { id, workflow = '' } = await madeEffect('subscription_change')
    const run = await failedRunOf(workflow)
    const { subscription_id, tenant_id } = await first('select * from subscription_changes where id = $1', [id])
    // The next run has nothing newer to report.
    await update(`update subscription_changes set settled_at = now() - interval '1 hour' where id = $1`, [id])
    await startAgain('membership', subscription_id, tenant_id)
    await until(async () => (await statusOf(workflow)) === 'COMPLETED', 60_000)
    expect(await seenByPlatform('subscription_change', id)).toBeDefined()
    expect(await isRemoved(workflow, run)).toBe(false)
    await update(`update subscription_changes set status = 'succeeded', settled_at = now() where id = $1`, [id])
    expect(await isRemoved(workflow, run)).toBe(true)
  })

  test('A failed run is removed after its workflow failed once more, and the last one stays', async () => {
    const { id, workflow = '' } = await madeEffect('mail')
    const before = await failedRunOf(workflow)
    await startAgain('mail', id, (await first('select tenant_id from mails where id = $1', [id])).tenant_id)
    const last = await failedRunOf(workflow, before)
    expect([await isRemoved(workflow, before), await isRemoved(workflow, last)]).toEqual([true, false])
  })

  test('The run of a process is removed when the item of one of its effects has ended', async () => {
    const { id, workflow = '' } = await madeEffect('portal_link')
    const run = await failedRunOf(workflow)
    expect(await isRemoved(workflow, run)).toBe(false)
    const { id: _, created_at, ...link } = await first('select * from portal_links where id = $1', [id])
    await insertRow('portal_links', { ...link, status: 'succeeded', created_at: Number(created_at) + 1 })
    expect(await isRemoved(workflow, run)).toBe(true)
  })

  test('The only trace of a row that a restore has lost stays until its tenant is erased', async () => {
    const { id, workflow = '' } = await madeEffect('connect')
    const run = await failedRunOf(workflow)
    const { tenant_id } = await first('select tenant_id from payment_providers where id = $1', [id])
    await update('delete from payment_providers where id = $1', [id])
    expect(await isRemoved(workflow, run)).toBe(false)
    await insertRow('erasures', {
      ...{ erased_id: tenant_id, key: 'gone', requested_by: shop.op.account_id, status: 'succeeded' },
      ...{ message: '', deleted_at: seconds() },
    })
    expect(await isRemoved(workflow, run)).toBe(true)
  })

  test('A run that cannot be removed, or is none of ours, holds up no other', async () => {
    const made = [await madeEffect('webhook_test'), await madeEffect('webhook_test')]
    const runs = await Promise.all(made.map(({ workflow = '' }) => failedRunOf(workflow)))
    await update(`update webhook_tests set status = 'succeeded', settled_at = now() where id = any ($1)`, [
      made.map(({ id }) => id),
    ])
    // Whichever comes first, the other one is removed.
    for (const [n, { workflow = '' }] of made.entries())
      expect(await isRemoved(workflow, runs[n] as string, made[1 - n]?.workflow)).toBe(true)
  })
})

test('A kind of process without its part, or without an effect of its own, does not compile', () => {
  const checkedByTheCompiler = ({ refund, checkout }: typeof processRows): unknown[] => {
    const { payment_session: _, ...some } = checkout.attention
    return [
      // @ts-expect-error A process says what a person has to do about its rows.
      declare('refund', { late: [] }),
      // @ts-expect-error Of each effect that it sends.
      declare('checkout', { late: [], attention: some }),
      // @ts-expect-error The register has each kind.
      complete([refund, checkout]),
    ]
  }
  expect(checkedByTheCompiler).toBeInstanceOf(Function)
  const kinds = Object.values(processRows).flatMap(({ attention }) =>
    Object.values(attention)
      .flat()
      .flatMap((part) => part.kinds),
  )
  expect([...new Set([...kinds, 'start', 'readiness'])].sort()).toEqual([...attentionKinds].sort())
  expect((Object.keys(processRows) as ProcessKind[]).length).toBeGreaterThan(30)
})
