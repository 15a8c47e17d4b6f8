// Bookings and reservations as their lists and single records are read. Visitors find their own only.
import type { EntityManager } from '@mikro-orm/postgresql'
import { readBooking, readBookings } from '../../entities/bookings/booking-records.ts'
import { ownRecords } from '../../entities/crm/session-rights.ts'
import { type Condition, condition } from '../../entities/kit/database/condition.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { Order } from '../../entities/orders/order.ts'
import { type BookingModule, BookingState } from '../../rules/bookings/bookings.ts'
import { notFound } from '../../rules/refusal.ts'
import { anyCase, Id } from '../../rules/shapes.ts'
import { filter } from '../kit/answer/listing.ts'
import type { Customer, Visitor } from '../kit/caller.ts'
import { many, searchText, unixSeconds } from '../kit/query.ts'
import { partFilter, searchOrders } from '../orders/orders.ts'
import type { RecordShape } from './booking-shapes.ts'

const scopeOf = (module: BookingModule, caller: Customer<Visitor>) => ({
  module,
  ...(caller.kind === 'visitor' ? ownRecords(caller) : {}),
})

/** Records with a slot that overlaps the span. */
const overlap = (from = 0, to = Number.MAX_SAFE_INTEGER): Condition =>
  condition(
    (rows) => sql`
      ${rows}.id in (
        select b.order_id
        from order_bookings b
        where b.tenant_id = ${rows}.tenant_id and not b.replaced and b.starts_at < ${to} and b.ends_at > ${from}
          and exists (
            select 1
            from jsonb_array_elements(b.slots) s
            where (s ->> 'from')::bigint < ${to} and (s ->> 'to')::bigint > ${from}
          )
      )
    `,
  )

export const listed = (module: BookingModule) => ({
  may: 'customer' as const,
  accepts: 'former-token' as const,
  contact: 'required' as const,
  entity: Order,
  sorts: ['number'] as const,
  filters: {
    status: filter(many(anyCase(BookingState)), (states) => ({ booking_status: { $in: states } })),
    account_id: filter(Id.describe('Identifier of the contact who booked.'), (contact_id) => ({ contact_id })),
    service_ids: partFilter('service_ids', Id),
    provider_ids: partFilter('provider_ids', Id),
    from: filter(
      unixSeconds.describe('Only records with a slot that ends after this time, in Unix seconds.'),
      (from, { to }) => overlap(from, to as number | undefined),
    ),
    to: filter(
      unixSeconds.describe('Only records with a slot that starts before this time, in Unix seconds.'),
      (to, { from }) => (from === undefined ? overlap(undefined, to) : {}),
    ),
    query: filter(
      searchText().describe(
        "Number of a record, identifier of it or of its contact, beginning of the contact's address, or a telephone number in any spelling.",
      ),
      searchOrders,
    ),
  },
  description:
    'Returns one page, sorted by creation time, newest first, unless another order is requested. A visitor finds their own records only.',
  scope: ({ caller }: { caller: Customer<Visitor> }) => scopeOf(module, caller),
  load: (em: EntityManager, rows: Order[]) => readBookings(em, rows),
})

export const reads = (module: BookingModule, out: RecordShape) => ({
  may: 'customer' as const,
  accepts: 'former-token' as const,
  description: `404 \`not_found\` if there is no such ${module}, or it is not the visitor's own.`,
  out,
  async run({ em, path, caller }: { em: EntityManager; path: { id: string }; caller: Customer<Visitor> }) {
    const order = await em.findOne(Order, { id: path.id, ...scopeOf(module, caller) })
    if (!order) throw notFound(module)
    return readBooking(em, order)
  },
})
