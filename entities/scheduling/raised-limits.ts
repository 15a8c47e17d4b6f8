// A limit that is raised makes room beside bookings ahead, too. One that is lowered is that of new bookings alone:
// those ahead were sold with theirs.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { BookedSlot } from '../../rules/scheduling/occupancy.ts'
import { json, type Sql, sql } from '../kit/database/sql.ts'
import { moveBookedTime } from './booked-time.ts'
import { offerOf } from './offers.ts'

type Of = { provider_id: string; service_id?: string }
type Raised = {
  id: string
  provider_id: string
  service_id: string
  slots: BookedSlot[]
  limit: number
  timezone: string
}

const offer = offerOf({ link: 'l', service: 's', provider: 'p' })

/** Bookings ahead with a slot whose limit is smaller than that of its link now. */
const raised = (tenantId: string, { provider_id, service_id = undefined }: Of, now: number): Sql => sql`
  from order_bookings b
  join service_providers l
    on l.service_id = b.service_id
    and l.provider_id = b.provider_id
    and l.tenant_id = b.tenant_id
  join providers p on p.id = b.provider_id and p.tenant_id = b.tenant_id
  join tenants t on t.id = b.tenant_id
  where b.tenant_id = ${tenantId}
    and b.provider_id = ${provider_id}
    and b.service_id = coalesce(${service_id ?? null}, b.service_id)
    and b.status <> 'cancelled'
    and b.ends_at > ${now}
    and exists (
      select 1
      from jsonb_to_recordset(b.slots) as s("limit" int)
      where coalesce(s."limit", 0) < ${offer.concurrent_limit}
    )
`

/**
 * Writes the limits of a provider's links, or of its link to one service, into its bookings ahead where they are
 * greater. The caller has written the limit. Locks the orders, then the days.
 */
export async function raiseLimits(em: EntityManager, tenantId: string, of: Of, now: number): Promise<void> {
  const found = raised(tenantId, of, now)
  await em.execute(sql`
    select id
    from orders
    where tenant_id = ${tenantId} and id in (select b.order_id ${found})
    order by id
    for update
  `)
  const bookings: Raised[] = await em.execute(
    sql`
      select b.id, b.provider_id, b.service_id, b.slots, ${offer.concurrent_limit} as "limit", t.timezone
      ${found}
    `,
  )
  const [first] = bookings
  if (!first) return
  const isLower = (slot: BookedSlot, limit: number) => (slot.limit ?? 0) < limit
  const changed = bookings.map(({ slots, limit, ...booking }) => ({
    ...booking,
    before: slots.filter((slot) => isLower(slot, limit)),
    after: slots.filter((slot) => isLower(slot, limit)).map((slot) => ({ ...slot, limit })),
    slots: slots.map((slot) => (isLower(slot, limit) ? { ...slot, limit } : slot)),
  }))
  await em.execute(sql`
    update order_bookings b
    set slots = d.slots
    from jsonb_to_recordset(${json(changed.map(({ id, slots }) => ({ id, slots })))}) as d(id uuid, slots jsonb)
    where b.tenant_id = ${tenantId} and b.id = d.id
  `)
  const previousTime = changed.map(({ provider_id, before }) => ({ provider_id, slots: before }))
  const wanted = changed.map(({ provider_id, service_id, after }) => ({ provider_id, service_id, slots: after }))
  await moveBookedTime(em, tenantId, first.timezone, previousTime, wanted, { unchecked: true })
}
