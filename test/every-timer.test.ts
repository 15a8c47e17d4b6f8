// What a timer or a sweep writes never displaces what a person did since it was set: a row for every kind of them.
import path from 'node:path'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { unixNow } from '../adapters/clock.ts'
import { endMemberships } from '../entities/audiences/sweep.ts'
import { type Inbox, noteRead, readInboxSettings } from '../entities/inbox/inbox.ts'
import { type EntityManager, type Orm, openOrm, unitOf } from '../entities/kit/database/orm.ts'
import { releaseCheckout } from '../entities/orders/release.ts'
import { registered } from '../entities/processes.ts'
import { attend } from '../entities/sending/dispatch.ts'
import { mailboxFailed } from '../entities/sending/stops.ts'
import { endArchived } from '../entities/subscriptions/archiving.ts'
import { type Attended, attend as attendWebhook, settleDeliveries } from '../entities/webhooks/deliveries.ts'
import { effectNames } from '../rules/effects.ts'
import type { HostProcess } from '../rules/host-processes.ts'
import { rowsRun } from '../workers/reconciler.ts'
import { memberOf } from './kit/audiences/audiences.ts'
import { beginRows, clubShop, joined, subscriptionRow } from './kit/audiences/subscribing.ts'
import { importInto, launch, launched, newCampaign, newMailbox } from './kit/campaigns/campaigns.ts'
import { prove } from './kit/codes.ts'
import { untilAwaited } from './kit/database/locks.ts'
import { buyer, card, cartOf, checkOut, connected, product, read, type Sold, until } from './kit/orders/buying.ts'
import { database, eitherApi, newEmail, newShop, type Shop, unique, type Visitor } from './kit/shop.ts'
import { titlesIn } from './kit/titles.ts'

jest.setTimeout(60_000)

let shop: Shop
let orm: Orm
let [first, second]: [Sold?, Sold?] = []
beforeAll(async () => {
  ;[shop, orm] = await Promise.all([newShop(), openOrm({ url: process.env.DATABASE_URL as string, pool: 3 })])
  await connected(shop)
  ;[first, second] = [await product(shop), await product(shop)]
})
afterAll(async () => {
  await orm.close(true)
  await database().end()
})

const now = () => unixNow()
const transaction = <T>(work: (em: EntityManager) => Promise<T>): Promise<T> => unitOf(orm, null).transactional(work)
const current = async (visitor: Visitor) => (await visitor.call('POST', '/carts/current', {}, eitherApi())).body
const item = (sold: Sold | undefined) => (sold as Sold).item()

/** An order by card that waits for its payment. */
async function waiting(): Promise<{ visitor: Visitor; order_id: string }> {
  const { visitor, cart } = await buyer(shop, [item(first)])
  return { visitor, order_id: (await checkOut(visitor, cart, card)).body.order_id }
}
/** Its hold ends, which opens its cart again. */
async function endHold(order_id: string): Promise<string> {
  await transaction((em) => releaseCheckout(em, order_id, now()))
  const { rows } = await database().query('select next_cart_id from orders where id = $1', [order_id])
  return rows[0].next_cart_id
}

async function keepsFilledCart(): Promise<void> {
  const { visitor, order_id } = await waiting()
  const newer = await cartOf(visitor, [item(second)])
  const restored = await endHold(order_id)
  expect(await current(visitor)).toMatchObject({ id: newer.id, product_items: [item(second)] })
  expect((await visitor.call('GET', `/carts/${restored}`)).body).toMatchObject({
    status: 'open',
    product_items: [item(first)],
  })
  // An empty one, and none at all, give way.
  for (const opens of [true, false]) {
    const other = await waiting()
    if (opens) await current(other.visitor)
    const next = await endHold(other.order_id)
    expect(await current(other.visitor)).toMatchObject({ id: next, product_items: [item(first)] })
  }
}

async function keepsCartBegunAtThatMoment(): Promise<void> {
  const { visitor, order_id } = await waiting()
  const client = await database().connect()
  try {
    await client.query('begin')
    const { rows } = await client.query(
      `insert into carts (id, tenant_id, contact_id, created_at, updated_at, market, product_items, booking_items, forms)
       select gen_random_uuid(), tenant_id, contact_id, 1, 1, 'us', '[]', '[]', '[]' from orders where id = $1 returning id`,
      [order_id],
    )
    const released = endHold(order_id)
    await untilAwaited(client)
    await client.query('commit')
    const restored = await released
    expect(restored).not.toBe(rows[0].id)
    expect((await current(visitor)).id).toBe(rows[0].id)
    expect((await read(shop, order_id)).status).toBe('cancelled')
  } finally {
    client.release()
  }
}

async function keepsNewestCartOfBoth(): Promise<void> {
  const email = newEmail()
  const [phone, browser] = [await shop.visitor(), await shop.visitor()]
  await prove(phone, email)
  const old = await cartOf(browser, [item(first)])
  await database().query('update carts set updated_at = updated_at - 1000 where id = $1', [old.id])
  const newer = await cartOf(phone, [item(second)])
  await prove(browser, email, 2)
  expect(await current(browser)).toMatchObject({ id: newer.id, product_items: [item(second)] })
  expect((await browser.call('GET', `/carts/${old.id}`)).body.status).toBe('open')
}

async function keepsNotesOfUnconfirmed(): Promise<void> {
  const { body } = await shop.asOperator('POST', '/audiences', {
    key: `confirmed-${Date.now()}`,
    name: 'News',
    type: { type: 'confirmation' },
  })
  const visitors = [await shop.visitor(newEmail()), await shop.visitor(newEmail())] as const
  for (const { contact_id } of visitors)
    await database().query(
      `insert into audience_members (id, created_at, updated_at, tenant_id, audience_id, contact_id, status, source, fields, pending_since)
       values (gen_random_uuid(), 1, 1, $1, $2, $3, 'pending', 'storefront', '{}', extract(epoch from now()))`,
      [shop.store_id, body.id, contact_id],
    )
  const { id } = await memberOf(shop, body.id, visitors[0].contact_id)
  await shop.asOperator('PUT', `/audiences/${body.id}/members/${id}`, { lead_description: 'Asked at the fair' })
  await database().query('update audience_members set pending_since = 1 where audience_id = $1', [body.id])
  await endMemberships(rowsRun(orm, now()))
  expect(await memberOf(shop, body.id, visitors[0].contact_id)).toMatchObject({
    status: 'removed',
    lead_description: 'Asked at the fair',
  })
  expect(await memberOf(shop, body.id, visitors[1].contact_id)).toBeUndefined()
}

async function keepsMembersOfRestoredStore(): Promise<void> {
  const club = await clubShop()
  const member = await joined(club)
  // The store was archived, and restored before the sweep came to this audience.
  await database().query('update audiences set ending = true where id = $1', [club.audience_id])
  const later = await beginRows(club)
  // The worker's reconciler does the same beside this.
  await until(async () => {
    await transaction((em) => endArchived(em, 10, now()))
    return (await database().query('select 1 from audiences where id = $1 and not ending', [club.audience_id])).rowCount
  })
  expect(await subscriptionRow(member.id)).toMatchObject({ status: 'live', cancelled_by: null })
  expect(await subscriptionRow(later.id)).toMatchObject({ cancel_requested: false })
}

const failed = { code: 'authentication_failed', message: 'The server refused the password.' }

async function keepsRepairedMailbox(): Promise<void> {
  const campaign = await launched(shop, {
    emails: [newEmail()],
    send_window: { days: [(new Date().getUTCDay() + 3) % 7], from: '00:00', to: '24:00' },
  })
  const [id] = campaign.mailbox_ids as [string]
  const attended = await transaction((em) => attend(em, id, 1, now()))
  if (!attended) throw new Error('the mailbox is archived')
  const statusOf = async () => (await shop.asOperator('GET', `/campaigns/${campaign.id}`)).body.status
  // An operator repairs the settings while a session of the former ones is refused.
  await database().query('update mailboxes set updated_at = updated_at - 1000 where id = $1', [id])
  await transaction((em) => mailboxFailed(em, attended, failed, 1, failed))
  expect([await statusOf(), (await shop.asOperator('GET', `/mailboxes/${id}`)).body.sending_error]).toEqual([
    'running',
    null,
  ])
  await transaction((em) => mailboxFailed(em, { ...attended, edited_at: attended.edited_at - 1000 }, failed, 1, failed))
  expect([await statusOf(), (await shop.asOperator('GET', `/mailboxes/${id}`)).body.sending_error?.code]).toEqual([
    'paused',
    failed.code,
  ])
}

async function startsNoPausedCampaign(): Promise<void> {
  const { id, mailbox_ids } = await newCampaign(shop)
  await importInto(shop, id, { emails: [newEmail()] })
  expect((await launch(shop, id, { scheduled_at: now() + 3600 })).status).toBe(200)
  expect((await shop.asOperator('POST', `/campaigns/${id}/pause`, {})).status).toBe(200)
  await database().query('update campaigns set scheduled_at = $2 where id = $1', [id, now() - 60])
  await transaction((em) => attend(em, (mailbox_ids as [string])[0], 1, now()))
  expect((await shop.asOperator('GET', `/campaigns/${id}`)).body.status).toBe('paused')
}

async function keepsMovedWebhook(): Promise<void> {
  const [path, body] = [
    '/webhooks',
    { key: unique(), url: 'https://example.com/a', events: [{ event: 'order.created' }] },
  ]
  const { id } = (await shop.asOperator('POST', path, body)).body
  const endpoint = async () => (await transaction((em) => attendWebhook(em, id, 1))) as Attended
  const isEnabled = async () => (await shop.asOperator('GET', `${path}/${id}`)).body.enabled
  const before = await endpoint()
  // An operator moves the webhook while a request to its former address is answered with 410.
  await shop.asOperator('PUT', `${path}/${id}`, { url: 'https://example.com/b' })
  await transaction((em) => settleDeliveries(em, before, [], true, now()))
  expect(await isEnabled()).toBe(true)
  const moved = await endpoint()
  await transaction((em) => settleDeliveries(em, moved, [], true, now()))
  expect(await isEnabled()).toBe(false)
}

async function keepsReplacedInbox(): Promise<void> {
  // The worker cannot sign in, and writes no place of its own.
  const imap = { host: '127.0.0.1', port: Number(process.env.TEST_IMAP), security: 'none', password: 'wrong' }
  const { id } = await newMailbox(shop, { imap: { ...imap, username: newEmail() } })
  const read = async () => (await transaction((em) => readInboxSettings(em, String(id), now()))) as Inbox
  const before = await read()
  // An operator replaces the inbox while the former one is read.
  await shop.asOperator('PUT', `/mailboxes/${id}`, { imap: { ...imap, username: newEmail() } })
  await transaction((em) => noteRead(em, before, { uid_validity: 1, uid: 7, whole: true }, now()))
  const replaced = await read()
  expect(replaced.uid).toBeNull()
  await transaction((em) => noteRead(em, replaced, { uid_validity: 1, uid: 7, whole: true }, now()))
  expect((await read()).uid).toBe(7)
}

/** A test of another file, in the folder of tests. */
type Elsewhere = { file: string; title: string }

/** Where it is proved of each kind of process that what its timer writes keeps what a person did since. */
const processes: Record<HostProcess | 'social_connect' | 'refund', (() => Promise<void>)[] | Elsewhere> = {
  checkout: [keepsFilledCart, keepsCartBegunAtThatMoment],
  membership: [keepsNotesOfUnconfirmed, keepsMembersOfRestoredStore],
  dispatch: [keepsRepairedMailbox, startsNoPausedCampaign],
  deliver: [keepsMovedWebhook],
  inbox: [keepsReplacedInbox],
  booking_reminder: {
    file: 'bookings/reminders.test.ts',
    title: 'A booking’s reminder follows its last row, however fast it is cancelled and confirmed',
  },
  channel: {
    file: 'agents/channels.test.ts',
    title: 'A bot that is replaced while its webhook is being set is left',
  },
  execution: {
    file: 'automation/executions.faults.test.ts',
    title: 'Cancelling lets a sent node end by its own verdict and sends nothing else',
  },
  schedule: {
    file: 'automation/schedules.test.ts',
    title: 'A schedule ends as the last of many changes says',
  },
  scheduled: {
    file: 'automation/schedules.test.ts',
    title: 'An occurrence of a workflow that is not active starts none',
  },
  publication: {
    file: 'publications/publications.faults.test.ts',
    title: 'A publication that is moved or changed while its files are made is shown once, as it is',
  },
  social_connect: {
    file: 'connections/connections.test.ts',
    title: 'A consent that comes back during the erasure of its store is refused',
  },
  social_connection: {
    file: 'connections/connections.test.ts',
    title: 'Tokens of a refresh that ends after the account was disconnected are revoked',
  },
  // A sync writes no column that a person sets.
  social_sync: {
    file: 'engagement/comments.test.ts',
    title: 'Two syncs at once store each comment once',
  },
  model_turn: {
    file: 'agents/channels.test.ts',
    title: 'A person who takes a chat over is seen after the agent, whose later words are not sent',
  },
  media: {
    file: 'content/media.faults.test.ts',
    title: 'A slow worker whose file was removed meanwhile leaves nothing of it',
  },
  enrollment_import: {
    file: 'campaigns/imports.test.ts',
    title: 'A draft that is deleted during its import ends the import',
  },
  erasure: {
    file: 'erasure/erasures.races.test.ts',
    title: 'A business whose deletion begins is neither restored nor billed by requests that waited',
  },
  listings: {
    file: 'networks/networks.test.ts',
    title: 'After 1,000 random writes at once, listings are what the tables say',
  },
  script: {
    file: 'scripts/rotate-encryption.test.ts',
    title: 'A rotation reads both keys and re-encrypts in batches through kills and concurrent writes',
  },
  portal: {
    file: 'portal/portal.test.ts',
    title: 'Equal visits within ten seconds get one link, and another page or a later visit another',
  },
  refund: {
    file: 'refunds/resolve-refund.test.ts',
    title: 'A refund that waits to be sent is not sent once a correction leaves nothing for it',
  },
}

test.each(
  Object.entries(processes).flatMap(([kind, all]) =>
    'file' in all ? [] : all.map((one) => [kind, one.name, one] as const),
  ),
)('A timer of the kind %s, %s: what a person did since stays', (_, __, prove) => prove())

test('Every kind of process with a timer is listed, with what keeps a newer act', () => {
  const effects: readonly string[] = effectNames
  const timed = registered.filter(({ kind, late }) => late.length > 0 || !effects.includes(kind))
  expect(Object.keys(processes).sort()).toEqual(timed.map(({ kind }) => kind).sort())
})

test('Every proof in another file is there under the title that is named here', () => {
  const elsewhere = Object.values(processes).flatMap((all) => ('file' in all ? all : []))
  const missing = elsewhere.filter(({ file, title }) => !titlesIn(path.join(import.meta.dirname, file)).includes(title))
  expect(missing).toEqual([])
})

test('At a sign-in, the cart that was changed last is the current one', () => keepsNewestCartOfBoth())
