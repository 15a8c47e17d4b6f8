// What happened to a record: every moment that is stored, newest first, and none that is not; by cursor, and for the
// tenant of the record alone.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { effectRows } from '../../activities/effects.ts'
import { closeDatabase, statement, transaction } from '../../activities/kit/database.ts'
import { routes } from '../../api/routes.ts'
import type { AttentionPart } from '../../entities/kit/attention.ts'
import { column, json, sql } from '../../entities/kit/database/sql.ts'
import { type EffectRow, settleByProof } from '../../entities/kit/effects.ts'
import { newId } from '../../entities/kit/ids.ts'
import { laterAssignment } from '../../entities/kit/resolutions.ts'
import { registered } from '../../entities/processes.ts'
import { effectSources } from '../../entities/timeline/effects.ts'
import { roleFor } from '../../entities/timeline/timeline.ts'
import { effectNames, effects, sentOutcomes } from '../../rules/effects.ts'
import type { RefundOutcome } from '../../rules/payments/payments.ts'
import type { Resolution } from '../../rules/resolutions.ts'
import { type RecordType, recordTypes, subjectTypes } from '../../rules/timeline/subjects.ts'
import { insertRow } from '../kit/audiences/subscribing.ts'
import { edge, execute } from '../kit/automation/graphs.ts'
import { effectKinds, meetReceiver, prepareProvider } from '../kit/effects/effect-rows.ts'
import { everyRow } from '../kit/effects/every-row.ts'
import { mailFault } from '../kit/effects/provider.ts'
import { cardShop, eventsOf, paidOrder, requestRefund, type Sold, sim, until } from '../kit/orders/buying.ts'
import { database, newEmail, newShop, operator, type Shop, unique } from '../kit/shop.ts'
import { contentOf, reached, scheduled } from '../kit/social/publications.ts'
import { connect } from '../kit/social/social.ts'
import { type Receiver, startReceiver } from '../kit/webhooks/receiver.ts'
import { newWebhook } from '../kit/webhooks/webhook-events.ts'

jest.setTimeout(120_000)

type Entry = {
  at: number
  kind: string
  title: string
  lane: string
  effect: { name: string; id: string; status: string; attempt: number } | null
  by: { type: string; id: string | null; label: string | null } | null
  details: Record<string, unknown>
}

let shop: Shop
let account: string
let tea: Sold
let receiver: Receiver
beforeAll(async () => {
  ;({ shop, account, tea } = await cardShop())
  receiver = await startReceiver(fs.mkdtempSync(path.join(os.tmpdir(), 'tillwright-test-timeline-')))
  meetReceiver(receiver)
  await prepareProvider()
  await newWebhook(shop, receiver, { events: ['order.created', 'order.updated'].map((event) => ({ event })) })
})
afterAll(async () => {
  await receiver.stop()
  await closeDatabase()
  await database().end()
})

const page = (subject: string, more = '', at: Shop = shop) =>
  at.asOperator('GET', `/timeline?subject=${subject}${more}`)
async function timeline(subject: string, at: Shop = shop): Promise<Entry[]> {
  const { status, body } = await page(subject, '&limit=100', at)
  expect([status, body.cursor ?? null]).toEqual([200, null])
  return body.items
}
/** The kinds of an effect's entries, newest first. */
const kindsOf = (entries: readonly Entry[], name: string): string[] =>
  entries.filter(({ effect }) => effect?.name === name).map(({ kind }) => kind)
const newestFirst = (entries: readonly Entry[]): boolean =>
  entries.every(({ at }, n) => n === 0 || at <= (entries[n - 1] as Entry).at)
const rowOf = async (table: string, id: string) =>
  (await database().query(`select * from ${table} where id = $1`, [id])).rows[0]

test('An order shows its payment, its events, and its refund with who asked for it', async () => {
  const { order_id } = await paidOrder(shop, [tea.item()])
  const refund = (await requestRefund(shop, order_id, 200)).body
  expect(refund.status).toBe('succeeded')
  const entries = await timeline(`order:${order_id}`)
  expect(newestFirst(entries)).toBe(true)
  expect(kindsOf(entries, 'payment_session')).toEqual(['settled', 'answered', 'sent', 'claimed', 'requested'])
  expect(kindsOf(entries, 'refund')).toEqual(['settled', 'answered', 'sent', 'claimed', 'requested'])
  const row = await rowOf('refunds', refund.id)
  const [settled, answered, sent, claimed, requested] = entries.filter(({ effect }) => effect?.name === 'refund')
  expect([settled, answered, sent, claimed].map((entry) => entry?.at)).toEqual(
    [row.settled_at, row.answered_at, row.sent_at, row.claimed_at].map((time: Date) => time.getTime() / 1000),
  )
  expect([requested, claimed, sent, answered, settled].map((entry) => entry?.lane)).toEqual([
    ...['record', 'worker', 'worker', 'provider', 'record'],
  ])
  expect(requested).toMatchObject({
    title: 'The refund of 2.00 USD was requested.',
    effect: { name: 'refund', id: refund.id, status: 'succeeded', attempt: 1 },
    by: { type: 'account', id: shop.op.account_id, label: shop.op.email },
  })
  expect(sent?.details.deadline_at).toBe(row.deadline_at.getTime() / 1000)
  expect(entries.find(({ kind, effect }) => kind === 'created' && !effect)).toMatchObject({
    title: expect.stringMatching(/^Order \d+ was placed\.$/),
    by: { type: 'visitor', id: expect.any(String) },
  })
  expect(entries.some(({ kind }) => kind === 'paid')).toBe(true)
  expect(entries.filter(({ kind }) => kind === 'event').map(({ details }) => details.type)).toEqual(
    expect.arrayContaining(['order.created', 'order.updated']),
  )
})

test('A paused campaign and a disabled webhook have the reason in their timelines', async () => {
  const campaign = await insertRow('campaigns', {
    ...{ tenant_id: shop.store_id, name: 'Spring', mailbox_ids: '[]', steps: '[]', variables: '{}', status: 'paused' },
    paused_reason: '{"code": "too_many_bounces", "message": "Too many bounced."}',
  })
  const events = [{ event: 'order.created' }]
  const url = 'https://hooks.example/'
  const { id: webhook } = (await shop.asOperator('POST', '/webhooks', { key: 'gone', url, events })).body
  await database().query(`update webhooks set enabled = false, disabled_reason = 'gone' where id = $1`, [webhook])
  expect((await timeline(`campaign:${campaign}`))[0]?.title).toBe('The campaign was paused: Too many bounced.')
  expect((await timeline(`webhook:${webhook}`))[0]?.title).toBe(
    'The webhook was disabled: its address answered that it is gone for good (410).',
  )
})

test('An unknown refund shows its late evidence and its resolution at their stored times', async () => {
  await sim('POST', '/events', { hold: false, account })
  const { order_id } = await paidOrder(shop, [tea.item()])
  await sim('POST', '/events', { hold: true, account })
  const { id, refund_id } = (await requestRefund(shop, order_id, 300, { status: 500, after_effect: true })).body
  const before = await timeline(`refund:${id}`)
  expect(before.map(({ kind }) => kind)).toEqual(['settled', 'answered', 'sent', 'claimed', 'requested'])
  expect(before[0]).toMatchObject({ title: expect.stringContaining('cannot be proved'), effect: { status: 'unknown' } })
  await sim('POST', '/events', { hold: false, account })
  await until(async () => (await eventsOf(account)).every(({ state }) => state === 'delivered'))
  const { late_at, late_evidence } = await rowOf('refunds', id)
  const [late, settled] = await timeline(`refund:${id}`)
  expect(late).toMatchObject({
    at: late_at.getTime() / 1000,
    kind: 'late_evidence',
    lane: 'provider',
    title: 'A signed event of the payment provider says that it was carried out, after the outcome was recorded.',
    details: { evidence: { event: late_evidence.event } },
  })
  expect(settled?.kind).toBe('settled')
  // The same evidence once more is no later.
  const again: { status: number }[] = await sim('POST', '/events/deliver', { ids: [late_evidence.event], times: 2 })
  expect(again.map(({ status }) => status)).toEqual([200, 200])
  expect((await rowOf('refunds', id)).late_at).toEqual(late_at)

  // A person looks an hour later.
  const columns = ['claimed_at', 'sent_at', 'deadline_at', 'answered_at', 'settled_at', 'late_at']
  await database().query(
    `update refunds set created_at = created_at - 3600, ${columns.map((name) => `${name} = ${name} - interval '1 hour'`).join(', ')} where id = $1`,
    [id],
  )
  const resolve = (body: object) =>
    shop.asOperator('POST', `/orders/${order_id}/refunds/${refund_id}/resolve`, { note: 'Looked.', ...body })
  await resolve({ outcome: 'rejected', force: true })
  await resolve({ outcome: 'succeeded', replaces: 'rejected' })
  const [corrected, first, ...others] = await timeline(`order:${order_id}`).then((entries) =>
    entries.filter(({ effect }) => effect?.id === id),
  )
  expect([corrected, first]).toMatchObject([
    { kind: 'resolved', details: { outcome: 'succeeded', note: 'Looked.' }, by: { label: shop.op.email } },
    { kind: 'resolved', details: { outcome: 'rejected', against: { status: 'succeeded' } } },
  ])
  expect(others.map(({ kind }) => kind)).toEqual([
    ...['late_evidence', 'settled', 'answered', 'sent', 'claimed', 'requested'],
  ])
  expect(others[1]?.title).toContain('cannot be proved')
  expect(others[2]?.title).toContain('does not prove how it ended')
})

/** What was shown of an effect and is not any more. A deadline is a bound, and over with the answer. */
const lost = (before: readonly Entry[], after: readonly Entry[]): Entry[] =>
  before.filter(
    (one) =>
      one.kind !== 'deadline' &&
      !after.some(
        ({ at, kind, title, details }) =>
          // A later correction is said behind the sentence.
          [at, kind, JSON.stringify(details)].join() === [one.at, one.kind, JSON.stringify(one.details)].join() &&
          title.startsWith(one.title),
      ),
  )

test('A refund keeps its silence, event and outcomes in its timeline after each resolution', async () => {
  await sim('POST', '/events', { hold: false, account })
  const { order_id } = await paidOrder(shop, [tea.item()])
  await sim('POST', '/events', { hold: true, account })
  const { id, refund_id } = (
    await requestRefund(shop, order_id, 100, { fault: 'reset_after_read', after_effect: true })
  ).body
  const status = async () => (await rowOf('refunds', id)).status
  await until(async () => (await status()) === 'unknown')
  const resolve = (body: object) =>
    shop.asOperator('POST', `/orders/${order_id}/refunds/${refund_id}/resolve`, { note: 'Looked.', ...body })
  let shown = await timeline(`refund:${id}`)
  const keeps = async (what: string): Promise<readonly Entry[]> => {
    const now = await timeline(`refund:${id}`)
    expect([what, lost(shown, now)]).toEqual([what, []])
    shown = now
    return now
  }
  expect((await resolve({ outcome: 'rejected' })).status).toBe(200)
  await keeps('resolution')
  await sim('POST', '/events', { hold: false, account })
  await until(async () => (await status()) === 'succeeded')
  const proved = await keeps('event')
  expect(proved.map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      'The connection to the payment provider ended without an answer.',
      expect.stringContaining('cannot be proved'),
      expect.stringContaining('a signed event of the payment provider proves it'),
    ]),
  )
  expect((await resolve({ outcome: 'succeeded', replaces: 'rejected' })).status).toBe(200)
  await keeps('correction')
  expect((await resolve({ outcome: 'rejected', replaces: 'succeeded', force: true })).status).toBe(200)
  const last = await keeps('force')
  expect(last.filter(({ kind }) => kind === 'settled')).toHaveLength(2)
})

test('Within one second an order is placed before it is paid, a refund requested before resolved', async () => {
  const { order_id } = await paidOrder(shop, [tea.item()])
  const { id } = (await requestRefund(shop, order_id, 100)).body
  await database().query('update orders set paid_at = created_at where id = $1', [order_id])
  // Resolved in the second of its request, and claimed by a clock that is behind.
  await database().query('update refunds set created_at = created_at + 10 where id = $1', [id])
  await database().query(
    `update refunds
     set status = 'rejected', claimed_at = to_timestamp(created_at - 0.05), sent_at = to_timestamp(created_at + 0.2),
       deadline_at = null, answered_at = null, settled_at = to_timestamp(created_at),
       replaced = jsonb_build_array(
         jsonb_build_object(
           'slot', 'settled', 'at', created_at * 1000 + 300, 'answered_ms', null, 'attempt', 1, 'status', 'unknown',
           'error', null, 'evidence', '{}'::jsonb
         )
       ),
       resolution = jsonb_build_object('outcome', 'rejected', 'note', 'No.', 'account_id', $2::text, 'at', created_at)
     where id = $1`,
    [id, newId()],
  )
  const entries = await timeline(`order:${order_id}`)
  expect(newestFirst(entries)).toBe(true)
  expect(entries.at(-1)).toMatchObject({ kind: 'created', effect: null })
  expect(kindsOf(entries, 'refund')).toEqual(['resolved', 'settled', 'sent', 'claimed', 'requested'])
})

test('A refund that the provider never answers is silent at its deadline, which is a bound', async () => {
  const { order_id } = await paidOrder(shop, [tea.item()])
  const { id } = (await requestRefund(shop, order_id, 100, { fault: 'hang' })).body
  const [deadline, sent] = await timeline(`refund:${id}`)
  expect([deadline, sent]).toMatchObject([
    { kind: 'deadline', details: { bound: true } },
    { kind: 'sent', lane: 'worker' },
  ])
  expect((deadline?.at ?? 0) * 1000).toBeGreaterThan(Date.now())
})

test('A refund that an event proves later has no entry of it at the time of the answer', async () => {
  const { order_id } = await paidOrder(shop, [tea.item()])
  await sim('POST', '/events', { hold: true, account })
  await sim('POST', '/next_refund', { status: 'pending', account })
  const { id } = (await requestRefund(shop, order_id, 100)).body
  // It was requested an hour ago, and its answer says only that it is pending.
  const earlier = ['claimed_at', 'sent_at', 'deadline_at', 'answered_at'].map(
    (at) => `${at} = ${at} - interval '1 hour'`,
  )
  await database().query(`update refunds set created_at = created_at - 3600, ${earlier.join(', ')} where id = $1`, [id])
  const { provider_refund_id } = await rowOf('refunds', id)
  await sim('POST', `/refunds/${provider_refund_id}/settle`, { status: 'succeeded' })
  await sim('POST', '/events', { hold: false, account })
  await until(async () => (await rowOf('refunds', id)).status === 'succeeded')
  const [settled, answered] = await timeline(`refund:${id}`)
  expect(settled?.title).toContain('a signed event of the payment provider proves it')
  expect(answered?.title).toContain('accepted it; how it ends is reported later')
  const row = await rowOf('refunds', id)
  expect([settled?.at, answered?.at]).toEqual([row.settled_at, row.answered_at].map((time) => time.getTime() / 1000))
})

test('A mail whose connection broke after its last byte is silent', async () => {
  const email = newEmail('silent')
  await mailFault({ step: 'after_data', action: 'reset', to: email })
  const visitor = await shop.visitor(email)
  expect((await visitor.call('POST', '/account/code', { email })).status).toBeLessThan(300)
  const id = await until(async () => {
    const { rows } = await database().query(
      `select id from mails where tenant_id = $1 and status = 'unknown' order by created_at desc, id desc limit 1`,
      [shop.store_id],
    )
    return rows[0]?.id as string | undefined
  })
  const [settled, silence] = await timeline(`mail:${id}`)
  expect([settled?.kind, silence]).toMatchObject([
    'settled',
    {
      kind: 'silence',
      title: 'The connection to the mail server ended without an answer.',
      details: { evidence: { command: 'DATA' } },
    },
  ])
})

test('Runs of a graph show an unknown request, and the timeline pages through many runs', async () => {
  const at = `/${unique()}`
  await receiver.rule(at, { do: 'reset_after_read' })
  const other = await newShop()
  const run = await execute(other.store_id, {
    nodes: {
      start: { type: 'trigger' },
      list: { type: 'transform', code: 'return 1' },
      call: { type: 'http', method: 'post', url: `${receiver.url}${at}`, timeout_ms: 1_000 },
    },
    edges: [edge('start', 'list', 'default'), edge('list', 'call')],
  })
  const subject = `execution:${run.id}`
  const entries = await timeline(subject, other)
  const call = entries.filter(({ title, effect }) => effect && /node call|receiver/.test(title))
  expect(call.map(({ kind }) => kind)).toEqual(['settled', 'silence', 'sent', 'claimed', 'requested'])
  expect(call[1]).toMatchObject({
    lane: 'provider',
    title: 'The connection to the receiver ended without an answer.',
    effect: { name: 'node_run', status: 'unknown' },
  })
  expect(entries.at(-1)).toMatchObject({ kind: 'created', effect: null })
  const paged: Entry[] = []
  let cursor: string | null = ''
  for (let pages = 0; cursor !== null; pages++) {
    const { body, status } = await page(subject, `&limit=2&cursor=${cursor}`, other)
    expect([status, pages < 20]).toEqual([200, true])
    paged.push(...body.items)
    cursor = body.cursor
  }
  expect(paged).toEqual(entries)
})

test('A publication shows who drafted it, its time, and the call that showed it', async () => {
  const other = await newShop()
  const connection = await connect(other, 'network_d_account', `Shop ${unique()}`)
  const { id } = await scheduled(other, connection, await contentOf(other, 'network_d_account', 'text'))
  await reached(other, id, ['published'])
  const entries = await timeline(`publication:${id}`, other)
  expect(kindsOf(entries, 'social_reveal')).toEqual(['settled', 'answered', 'sent', 'claimed', 'requested'])
  expect(entries.filter(({ effect }) => !effect).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['published', 'scheduled', 'created']),
  )
  expect(entries.find(({ kind }) => kind === 'created')?.by).toMatchObject({ label: other.op.email })
  expect((await timeline(`social_connection:${connection}`, other)).map(({ kind }) => kind)).toContain('created')
})

test('A contact has its orders, and pages of two orders meet without a gap', async () => {
  const { order_id } = await paidOrder(shop, [tea.item()])
  const { contact_id } = await rowOf('orders', order_id)
  const entries = await timeline(`contact:${contact_id}`)
  expect(entries.filter(({ details }) => (details.record as { id: string } | undefined)?.id === order_id)).toHaveLength(
    2,
  )
  const first = (await page(`contact:${contact_id}`, '&limit=2')).body
  const second = (await page(`contact:${contact_id}`, `&limit=100&cursor=${first.cursor}`)).body
  expect([...first.items, ...second.items]).toEqual(entries)
  const refused = await page(`order:${order_id}`, `&cursor=${first.cursor}`)
  expect([refused.status, refused.body.code]).toEqual([400, 'bad_cursor'])
})

/** The resource of `everyRow` that each record is. */
const resources: Record<RecordType, string> = {
  ...{ order: 'orders', member: 'audience-members', subscription: 'subscriptions', execution: 'executions' },
  ...{ publication: 'social-publications', campaign: 'campaigns', enrollment: 'campaign-enrollments' },
  ...{ contact: 'contacts', chat: 'chats', research_run: 'runs', audience: 'paid-audiences' },
  ...{ payment_provider: 'payment-providers', integration: 'integrations', webhook: 'webhooks' },
  ...{ social_connection: 'social-connections', product: 'products', collection: 'collections' },
  ...{ entry: 'entries', form_submission: 'submissions' },
}

test('Every kind of record has a timeline, which begins with how it was made', async () => {
  const other = await newShop()
  const rows = await everyRow(other, await other.visitor())
  const { rows: subscriptions } = await database().query('select id from subscriptions where tenant_id = $1', [
    other.store_id,
  ])
  rows.subscriptions = subscriptions[0].id
  for (const type of recordTypes) {
    const entries = await timeline(`${type}:${rows[resources[type]]}`, other)
    expect([type, entries.some(({ kind }) => kind === 'created')]).toEqual([type, true])
    expect([
      type,
      entries.filter(({ title }) => !/^[A-Z][^{}]*\.$/.test(title) || /undefined|null/.test(title)),
    ]).toEqual([type, []])
  }
})

test.each(effectNames)('Every effect has a timeline of its own: %s', async (name) => {
  const kind = effectKinds.find(({ effect }) => effect === name) as (typeof effectKinds)[number]
  const id = await kind.ask()
  const { rows } = await database().query(`select tenant_id from ${effects[name].table} where id = $1`, [id])
  const other = await newShop()
  // Rows of these tests belong to no store.
  await database().query(
    `update ${effects[name].table} set tenant_id = $2, status = 'unknown', claimed_at = now(), sent_at = now(), deadline_at = now(),
       settled_at = now(), late_evidence = '{"status": "succeeded"}', late_at = now() where id = $1`,
    [id, other.store_id],
  )
  const entries = await timeline(`${name}:${id}`, other)
  expect(entries.map((entry) => entry.kind).sort()).toEqual([
    ...['claimed', 'late_evidence', 'requested', 'sent', 'settled', 'silence'],
  ])
  expect(entries.every(({ effect, title }) => effect?.id === id && /^[A-Z].*\.$/.test(title))).toBe(true)
  expect((await page(`${name}:${id}`)).status).toBe(404)
  await database().query(`update ${effects[name].table} set tenant_id = $2 where id = $1`, [id, rows[0].tenant_id])
})

test.each(effectNames)('What a timeline has shown of an effect stays in it: %s', async (name) => {
  const kind = effectKinds.find(({ effect }) => effect === name) as (typeof effectKinds)[number]
  const { table } = effects[name]
  const id = await kind.ask()
  const { rows } = await database().query(`select tenant_id from ${table} where id = $1`, [id])
  const other = await newShop()
  await database().query(
    `update ${table} set tenant_id = $2, status = 'unknown', attempt = 1, claimed_at = now(), sent_at = now(),
       deadline_at = now() + interval '18 seconds', answered_at = now() + interval '10 milliseconds',
       settled_at = now() + interval '10 milliseconds', evidence = '{}', error = '{"code": "x", "message": "No answer."}'
     where id = $1`,
    [id, other.store_id],
  )
  // What follows in other tables has tests of its own.
  const { lock: _, afterStatusChange: __, ...bare } = effectRows.find((row) => row.name === name) as EffectRow
  const late = (evidence: object) =>
    statement((em) =>
      em.execute(sql`
        update ${column(table)} e
        set ${laterAssignment('e', sql`answer.next`)}
        from (select ${json(evidence)} as next) answer
        where e.id = ${id}
      `),
    )
  let resolution: Resolution | undefined
  const settle = (status: RefundOutcome, evidence: object, more: object = {}) =>
    transaction((em) => settleByProof(em, bare, id, { status, evidence: { ...evidence }, ...more }, sentOutcomes))
  const resolve = (outcome: RefundOutcome, evidence: object, more: Partial<Resolution> = {}) => {
    const at = Math.floor(Date.now() / 1000) + 60
    resolution = {
      outcome,
      note: 'Looked.',
      account_id: newId(),
      at,
      ...more,
      ...(resolution && { before: resolution }),
    }
    return settle(outcome, evidence, { resolved: true, columns: { resolution: JSON.stringify(resolution) } })
  }
  const event = { event: 'evt_1', status: 'succeeded' }
  const steps: [string, () => Promise<unknown>][] = [
    ['late answer', () => late({ status: 'succeeded' })],
    ['late event', () => late({ ...event, event: 'evt_0' })],
    ['resolution', () => resolve('rejected', {})],
    ['proof', () => settle('succeeded', event)],
    ['correction', () => resolve('succeeded', event)],
    ['force', () => resolve('rejected', event, { against: event })],
  ]
  let shown = await timeline(`${name}:${id}`, other)
  expect(shown.map((entry) => entry.kind)).toEqual(['settled', 'silence', 'sent', 'claimed', 'requested'])
  for (const [step, change] of steps) {
    await change()
    const now = await timeline(`${name}:${id}`, other)
    expect([step, lost(shown, now), now.length]).toEqual([step, [], shown.length + 1])
    shown = now
  }
  await database().query(`update ${table} set tenant_id = $2 where id = $1`, [id, rows[0].tenant_id])
})

test('What other routes show to owners alone has no timeline for an admin', async () => {
  const other = await newShop()
  const rows = await everyRow(other, await other.visitor())
  const admin = await operator()
  expect((await other.asOperator('POST', '/members', { email: admin.email, role: 'admin' })).status).toBe(201)
  // The readings of records, and the lists of unknown outcomes of effects.
  const ofOwners = new Set(
    routes
      .filter(({ method, may, path }) => method === 'GET' && may === 'owner' && path.startsWith('/v1/stores/'))
      .flatMap(({ path }) => /\/([a-z-]+)\/\{id\}$/.exec(path)?.[1] ?? []),
  )
  expect(ofOwners.has('integrations')).toBe(true)
  for (const type of recordTypes) {
    const { status } = await other.as(admin, 'GET', `/timeline?subject=${type}:${rows[resources[type]] ?? newId()}`)
    if (ofOwners.has(resources[type])) expect([type, status]).toEqual([type, 404])
    else expect([type, roleFor({ type, id: '' })]).toEqual([type, 'admin'])
  }
  const parts = registered.flatMap(({ attention }) => Object.values(attention).flat() as AttentionPart[])
  for (const name of effectNames) {
    const own = parts.filter(({ kinds }) => kinds.includes(name))
    const needed = own.length > 0 && own.every(({ may }) => may === 'owner') ? 'owner' : 'admin'
    expect([name, roleFor({ type: name, id: '' })]).toEqual([name, needed])
    // None is shown within a record of another role.
    for (const type of Object.keys(effectSources[name].of) as RecordType[])
      expect([name, type, roleFor({ type, id: '' })]).toEqual([name, type, needed])
  }
})

test('A drive is no integration that has a timeline', async () => {
  const { id } = (
    await shop.asOperator('POST', '/workflow-connections', {
      key: unique(),
      type: 'webdav',
      settings: { url: 'https://drive.example' },
      credentials: { username: 'u', password: 'p' },
    })
  ).body
  expect(id).toEqual(expect.any(String))
  expect((await page(`integration:${id}`)).status).toBe(404)
})

test('Records of other tenants, records that do not exist and subjects that are none are refused', async () => {
  const { order_id } = await paidOrder(shop, [tea.item()])
  const other = await newShop()
  for (const type of subjectTypes) {
    const { status, body } = await page(`${type}:${order_id}`, '', other)
    expect([type, status, body.code]).toEqual([type, 404, 'not_found'])
  }
  for (const subject of ['order', `orders:${order_id}`, 'order:1', `order:${order_id}'`, `order:${order_id}:1`, ''])
    expect([subject, (await page(subject)).status]).toEqual([subject, 422])
  expect(recordTypes.length).toBeGreaterThan(10)
})
