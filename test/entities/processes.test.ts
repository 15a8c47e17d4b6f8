// A lost workflow of every kind is started again: a row of each kind that nothing moved for a while is found by the
// reconciler.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { effectRows } from '../../activities/effects.ts'
import { unixNow } from '../../adapters/clock.ts'
import { unitOf } from '../../entities/kit/database/orm.ts'
import { registered } from '../../entities/processes.ts'
import type { EffectName } from '../../rules/effects.ts'
import { type ProcessKind, processKinds, processOf } from '../../rules/processes.ts'
import { READ_BACK_MS } from '../../rules/subscriptions/membership.ts'
import { lookAround } from '../../workers/reconciler.ts'
import { bareRows } from '../kit/database/bare-rows.ts'

const { own, row, tenant } = bareRows('processes')
const past = new Date(5_000)
const shop = () => row('tenants', { id: tenant, kind: 'store', status: 'ACTIVE', timezone: 'UTC' })

/** What a look reads of an effect's row beside its states. */
const ofEffects: Partial<Record<EffectName, Record<string, unknown>>> = { social_connect: { code: 'a' } }
/** Rows that an effect's row is found by. */
const besideEffects: Partial<Record<EffectName, (id: string) => Promise<unknown>>> = {
  portal_configuration: (portal_configuration_id) =>
    row('portal_links', { portal_configuration_id, status: 'requested' }),
}

/** Inserts a row whose process is that of a subscription. */
async function subscriptionRow(table: string, values: Record<string, unknown>): Promise<string> {
  const subscription_id = randomUUID()
  await row(table, { subscription_id, ...values })
  return subscription_id
}

/**
 * Rows whose process should have moved on, in the order of the looks that the kind declares: one for each. Each returns
 * the id of its process.
 */
const lost: Partial<Record<ProcessKind, Record<string, () => Promise<string>>>> = {
  checkout: {
    'an order whose hold has ended': () => row('orders', { status: 'pending', hold_until: past }),
    'an order that is to be cancelled': () => row('orders', { status: 'pending', cancel_requested: true }),
    'a subscription whose hold has ended': () => row('subscriptions', { status: 'pending', hold_until: past }),
    'a subscription that is to be cancelled': () => row('subscriptions', { status: 'pending', cancel_requested: true }),
  },
  refund: {
    'a refund that the provider holds': () =>
      row('refunds', { status: 'processing', provider_refund_id: 're_1', answered_at: past }),
  },
  membership: {
    'a subscription that is to be read': () => row('subscriptions', { status: 'live', read_wanted_at: 5 }),
    'a payment of an invoice that was not read': () =>
      subscriptionRow('payments', { provider_invoice_id: 'in_1', captured_amount: 5 }),
    'a change whose outcome is unknown': () =>
      subscriptionRow('subscription_changes', {
        status: 'unknown',
        settled_at: new Date(Date.now() - READ_BACK_MS / 2),
      }),
  },
  model_turn: { 'a turn that runs': () => row('model_turns', { status: 'running', owner_kind: 'chat' }) },
  channel: { 'a channel that is to be connected': () => row('channels', { status: 'pending', look_at: 5 }) },
  booking_reminder: { 'a booking with a reminder': () => row('order_bookings', { remind_at: 5 }) },
  execution: {
    'an execution that runs': async () => {
      await shop()
      const workflow_id = await row('workflows', {})
      return row('executions', { workflow_id, status: 'running' })
    },
  },
  deliver: {
    'a webhook with a delivery that is due': async () => {
      const webhook_id = await row('webhooks', { enabled: true })
      await row('deliveries', { webhook_id, status: 'pending', due_at: past })
      return webhook_id
    },
  },
  inbox: {
    'an inbox that was read long ago': async () => {
      await shop()
      return row('mailboxes', { imap_host: 'a', imap_username: 'a', imap_password: 'a', imap_checked_at: 5 })
    },
    'an inbox that was never read': async () => {
      await shop()
      return row('mailboxes', { imap_host: 'a', imap_username: 'a', imap_password: 'a', imap_checked_at: null })
    },
  },
  dispatch: {
    'a mailbox of a campaign that is due': async () => {
      await shop()
      const mailbox = await row('mailboxes', { status: 'active' })
      await row('campaigns', { status: 'scheduled', scheduled_at: 5, mailbox_ids: JSON.stringify([mailbox]) })
      return mailbox
    },
  },
  script: { 'a script that runs': () => row('script_runs', { status: 'running' }) },
  erasure: { 'a deletion that waits': () => row('erasures', { status: 'settling' }) },
  listings: { 'a walk over listings': () => row('listing_walks', { tenant_id: tenant }).then(() => tenant) },
  enrollment_import: { 'an import that runs': () => row('campaign_imports', { status: 'running' }) },
  media: { 'a file that is processed': () => row('media', { status: 'processing' }) },
  social_connect: {
    'a consent whose accounts were not read': () =>
      row('social_authorizations', { status: 'succeeded', tokens: '{}', settled_at: past }),
  },
  social_connection: {
    'a connection whose tokens are to be renewed': () => row('social_connections', { status: 'active', look_at: 5 }),
  },
  publication: {
    'a publication that is due': () => row('social_publications', { status: 'scheduled', look_at: past }),
  },
  social_sync: { 'a sync of a store': () => row('social_syncs', { status: 'queued' }).then(() => tenant) },
}

const looks = registered.flatMap(({ kind, late }) =>
  Object.entries(lost[kind] ?? {}).map(([name, make], at) => [kind, name, { make, look: late[at] }] as const),
)

test.each(looks)('A lost workflow of the kind %s is started again: %s', async (kind, _, { make }) => {
  const id = await make()
  expect((await lookAround(own.orm)).map((one) => [one.kind, one.row_id])).toContainEqual([kind, id])
})

test.each(looks)('The look of the kind %s that is declared for it finds %s', async (_, __, { make, look }) => {
  const id = await make()
  const found = await look?.(unitOf(own.orm, null), { idleS: 1, now: unixNow(), limit: 200, after: null })
  expect(found?.rows.map((one) => one.id)).toEqual([id])
})

test('Every look that a kind declares has a row here', () => {
  expect(registered.map(({ kind }) => [kind, Object.keys(lost[kind] ?? {}).length])).toEqual(
    registered.map(({ kind, late }) => [kind, late.length]),
  )
})

// The runs of nodes are found by their execution.
test.each(effectRows.filter(({ name }) => name !== 'node_run'))(
  'A lost workflow of the effect $name is started again',
  async ({ name, table }) => {
    const id = await row(table, { status: 'requested', attempt: 0, ...ofEffects[name] })
    await besideEffects[name]?.(id)
    const found = (await lookAround(own.orm)).filter(({ kind }) => kind === processOf(name))
    // A portal link has a row of its own, which asks for the same process.
    expect(new Set(found.map(({ row_id }) => row_id)).size).toBe(1)
  },
)

test('Every kind of process is proved to be started again, but for those that Temporal keeps', () => {
  const ofEffect = new Set<string>(effectRows.map(({ name }) => processOf(name)))
  expect(processKinds.filter((kind) => !lost[kind] && !ofEffect.has(kind))).toEqual(['schedule', 'scheduled'])
  expect(registered.map(({ kind }) => kind).sort()).toEqual(processKinds.toSorted())
})

// A description that fails is left out, so that nothing else would tell.
test.each(registered.filter(({ describe }) => describe))(
  'The rows of the kind $kind can be described',
  async ({ describe }) => {
    expect(await describe?.(unitOf(own.orm, null), [randomUUID(), randomUUID()])).toEqual(new Map())
  },
)
