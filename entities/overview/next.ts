// What is next in a store today: bookings that are not over, and posts that are due. One statement.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type DayBounds, NEXT_MAX, publicationLabel } from '../../rules/overview/overview.ts'
import type { SocialContent } from '../../rules/publications/content.ts'
import type { BookingStatus } from '../../rules/scheduling/slots.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import type { SocialPublicationStatus } from '../../rules/social/resources.ts'
import { type Sql, sql } from '../kit/database/sql.ts'

type Booking = {
  id: string
  order_id: string
  label: string
  status: BookingStatus
  starts_at: number
  ends_at: number
}
type Publication = {
  id: string
  label: string
  type: NetworkType
  status: SocialPublicationStatus
  scheduled_at: number
}
type Next = { bookings: Booking[]; publications: Publication[] }

type Row =
  | { list: 'bookings'; item: Booking }
  | { list: 'publications'; item: Omit<Publication, 'label'> & { content: SocialContent } }

const bookings = (tenantId: string, { from, to }: DayBounds, now: number): Sql => sql`
  select 'bookings' as list, b.starts_at as at,
    jsonb_build_object(
      'id', b.id, 'order_id', b.order_id, 'label', b.service_key || ', ' || b.provider_key, 'status', b.status,
      'starts_at', b.starts_at, 'ends_at', b.ends_at
    ) as item
  from order_bookings b
  where b.tenant_id = ${tenantId}
    and b.starts_at >= ${from}
    and b.starts_at < ${to}
    and b.ends_at > ${now}
    and b.status in ('pending', 'confirmed')
  order by b.starts_at, b.id
  limit ${NEXT_MAX}
`

/** With those that are late, for a day. */
const publications = (tenantId: string, { from, to }: DayBounds): Sql => sql`
  select 'publications' as list, p.scheduled_at as at,
    jsonb_build_object(
      'id', p.id, 'type', p.type, 'status', p.status, 'scheduled_at', p.scheduled_at, 'content', p.content
    ) as item
  from social_publications p
  where p.tenant_id = ${tenantId}
    and p.scheduled_at >= ${from - 86_400}
    and p.scheduled_at < ${to}
    and p.status in ('scheduled', 'publishing')
  order by p.scheduled_at, p.id
  limit ${NEXT_MAX}
`

/** `today` in the store's zone; `now` in Unix seconds. */
export async function nextOf(em: EntityManager, tenantId: string, today: DayBounds, now: number): Promise<Next> {
  const rows: Row[] = await em.execute(sql`
    select n.list, n.item
    from (
      (${bookings(tenantId, today, now)})
      union all
      (${publications(tenantId, today)})
    ) n
    order by n.at, n.item ->> 'id'
  `)
  return {
    bookings: rows.flatMap((row) => (row.list === 'bookings' ? [row.item] : [])),
    publications: rows.flatMap((row) => {
      if (row.list !== 'publications') return []
      const { content, ...item } = row.item
      return [{ ...item, label: publicationLabel(item.type, content) }]
    }),
  }
}
