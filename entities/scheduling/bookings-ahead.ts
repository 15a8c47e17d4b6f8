// Records with bookings ahead are not deleted, and the time zone of bookings ahead does not change.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict } from '../../rules/refusal.ts'
import { sql } from '../kit/database/sql.ts'
import { Tenant } from '../stores/tenant.ts'

type Of = { service_id?: string; provider_id?: string }

/**
 * Counts the store's bookings ahead, of the given service and provider. Under the lock of the store's row, no checkout
 * adds one.
 */
async function bookingsAhead(
  em: EntityManager,
  tenantId: string,
  { service_id, provider_id }: Of,
  now: number,
): Promise<number> {
  const rows: { ahead: number }[] = await em.execute(sql`
    select count(*) as ahead
    from order_bookings
    where tenant_id = ${tenantId}
      and status in ('pending', 'confirmed')
      and ends_at > ${now}
      and service_id = coalesce(${service_id ?? null}, service_id)
      and provider_id = coalesce(${provider_id ?? null}, provider_id)
  `)
  return rows[0]?.ahead ?? 0
}

/**
 * Refuses a deletion while there are bookings ahead. 409 bookings_ahead, for a record that would be deleted. Locks the
 * store's row, which checkouts with bookings share, until the transaction ends.
 */
export async function keepBooked(
  em: EntityManager,
  tenantId: string,
  what: string,
  of: Of,
  now: number,
): Promise<void> {
  await em.findOneOrFail(Tenant, { id: tenantId }, { fields: ['id'], lockMode: LockMode.PESSIMISTIC_WRITE })
  const bookings = await bookingsAhead(em, tenantId, of, now)
  if (bookings > 0)
    throw conflict('bookings_ahead', `Bookings ahead with this ${what}: ${bookings}. Archive it instead.`, {
      members: { bookings },
    })
}

/**
 * Refuses another time zone while there are bookings ahead. 409 bookings_ahead at /timezone: bookings are made for
 * wall-clock times. The caller holds the lock of the store's row.
 */
export async function keepTimezone(em: EntityManager, tenantId: string, now: number): Promise<void> {
  const bookings = await bookingsAhead(em, tenantId, {}, now)
  if (bookings === 0) return
  const detail = `Bookings ahead in the time zone as it is: ${bookings}.`
  throw conflict('bookings_ahead', detail, {
    members: { bookings },
    faults: [{ pointer: '/timezone', code: 'bookings_ahead', detail }],
  })
}
