// While a business is deleted, the paid invoices of its subscriptions that are over are read at the provider: the event
// of a charge may arrive after the rows are deleted.
import type { EntityManager } from '@mikro-orm/postgresql'
import { LOOKS_EVERY_S } from '../../rules/erasure/erasures.ts'
import { type Invoice, invoiceLine } from '../../rules/subscriptions/events.ts'
import { EVENTS_MAX_S } from '../../rules/subscriptions/subscriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { startAll } from '../kit/outbox.ts'
import { enterTenantOf } from '../payments/provider-events.ts'
import { type Found, writeSubscription } from './beginnings.ts'
import { wakeMembership } from './changes.ts'
import { hasUnreadCharges, isReadable } from './erasure.ts'
import { billed, expectedOf, writePayment } from './invoices.ts'
import { lockSubscription } from './locks.ts'

/**
 * Requests a read of up to `limit` subscriptions whose charges are not read. Returns how many. `now` in Unix seconds.
 */
export async function wantCharges(em: EntityManager, tenantId: string, limit: number, now: number): Promise<number> {
  // Locked by id: a batch does not deadlock with other changes of several subscriptions.
  const found: { id: string }[] = await em.execute(sql`
    update subscriptions
    set read_wanted_at = ${now}, updated_at = ${now}
    where tenant_id = ${tenantId}
      and id = any (
        array(
          select id
          from subscriptions
          where tenant_id = ${tenantId}
            and ${hasUnreadCharges}
            and read_wanted_at is null
            and (${isReadable} or read_at < ${now - LOOKS_EVERY_S})
          order by id
          limit ${limit}
          for update
        )
      )
    returning id
  `)
  const ids = found.map(({ id }) => id)
  if (ids.length > 0) await startAll(em, 'membership', ids, { tenant_id: tenantId, signal: true })
  return ids.length
}

/** Unix seconds since which the charges of this subscription are to be read; null if they are not. */
export async function wantsCharges(em: EntityManager, { id, tenant_id }: Found): Promise<number | null> {
  const [found]: { since: number }[] = await em.execute(sql`
    select (
      select t.erasing_at - ${EVENTS_MAX_S}::int
      from tenants t
      where t.id = subscriptions.tenant_id
    )::float8 as since
    from subscriptions
    where tenant_id = ${tenant_id} and id = ${id} and ${hasUnreadCharges}
  `)
  return found?.since ?? null
}

type Read = {
  invoices: readonly Invoice[]
  /** Every invoice was read: the row need not be read again. */
  whole: boolean
}

/**
 * Records the payments of invoices that a read showed and that no event reported, if they were paid so late that their
 * event may be on its way: they are refunded, as all that is recorded during a deletion. `now` in Unix seconds.
 */
export async function recordCharges(
  em: EntityManager,
  found: Found,
  { invoices, whole }: Read,
  now: number,
): Promise<void> {
  const row = await lockSubscription(em, found)
  const since = row?.provider_subscription_id ? await wantsCharges(em, found) : null
  if (!row?.provider_subscription_id || since === null) return
  enterTenantOf(em, row)
  const recorded: { id: string }[] = await em.execute(sql`
    select provider_invoice_id as id
    from payments
    where tenant_id = ${row.tenant_id}
      and subscription_id = ${row.id}
      and captured_amount > 0
      and provider_invoice_id is not null
  `)
  const recordedIds = new Set(recorded.map(({ id }) => id))
  for (const invoice of invoices) {
    if (invoice.status !== 'paid' || billed(invoice)?.subscription !== row.provider_subscription_id) continue
    if (recordedIds.has(invoice.id) || (invoice.status_transitions?.paid_at ?? since) < since) continue
    await writePayment(
      em,
      row,
      invoice,
      invoiceLine(invoice, expectedOf(row, row.provider_subscription_id)),
      'read',
      now,
    )
  }
  if (!whole) return
  await writeSubscription(em, row, { charges_read_at: now }, now)
  await wakeMembership(em, row)
}
