// What somebody has booked and still expects does not go, and its hour does not move.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict } from '../../rules/refusal.ts'
import { sql } from '../kit/sql.ts'
import { Tenant } from '../stores/tenant.ts'

type Of = { service_id?: string; provider_id?: string }

/** How many bookings of the store are still to come, of these if they are named. Under the lock of the store's row, no checkout adds one. */
async function bookingsAhead(em: EntityManager, tenantId: string, { service_id, provider_id }: Of, now: number): Promise<number> {
  const rows: { ahead: number }[] = await em.execute(
    sql`select count(*) as ahead from order_bookings where tenant_id = ${tenantId} and status in ('pending', 'confirmed') and ends_at > ${now}
     and service_id = coalesce(${service_id ?? null}, service_id) and provider_id = coalesce(${provider_id ?? null}, provider_id)`,
  )
  return rows[0]?.ahead ?? 0
}

/** 409 bookings_ahead, for what would go. Locks the store's row until the transaction ends; a checkout with bookings shares it. */
export async function keepBooked(em: EntityManager, tenantId: string, what: string, of: Of, now: number): Promise<void> {
  await em.findOneOrFail(Tenant, { id: tenantId }, { fields: ['id'], lockMode: LockMode.PESSIMISTIC_WRITE })
  const bookings = await bookingsAhead(em, tenantId, of, now)
  if (bookings > 0) throw conflict('bookings_ahead', `Bookings ahead with this ${what}: ${bookings}. Archive it instead.`, { members: { bookings } })
}

/** 409 bookings_ahead, at /timezone: wall-clock hours were booked. The caller has locked the store's row. */
export async function keepTimezone(em: EntityManager, tenantId: string, now: number): Promise<void> {
  const bookings = await bookingsAhead(em, tenantId, {}, now)
  if (bookings === 0) return
  const detail = `Bookings ahead in the time zone as it is: ${bookings}.`
  throw conflict('bookings_ahead', detail, { members: { bookings }, faults: [{ pointer: '/timezone', code: 'bookings_ahead', detail }] })
}
