// What can be reacted to: the records of a tenant that exist and are public. Existence is a condition of statements,
// and no target is ever locked.
import { ReactionTarget } from '../../rules/community/reactions.ts'
import { join, nothing, type Sql, sql, text } from '../kit/database/sql.ts'

export type Target = { type: ReactionTarget; id: string }
/** Who reacts. `id`: the contact, or an operator's account. */
export type Author = { id: string; official: boolean; verified: boolean }
/** Who reads: a visitor's contact, null for a visitor without one; `operator` for those who see everything. */
export type Viewer = { contact_id: string | null } | 'operator'

const tables: Record<ReactionTarget, string> = {
  product: 'products',
  service: 'services',
  provider: 'providers',
  booking: 'orders',
  node: 'entries',
}

/** `select 1 …`: a row, if the target takes reactions. A booking is reacted to by its customer and by operators. */
export function openTarget(tenantId: string, { type, id }: Target, { id: authorId, official }: Author): Sql {
  const row = sql`select 1 from ${text(tables[type])} x where x.tenant_id = ${tenantId} and x.id = ${id}`
  if (type === 'booking')
    return official
      ? sql`${row} and x.module is not null`
      : sql`${row} and x.module is not null and x.contact_id = ${authorId}`
  const isPublic = (type === 'service' || type === 'provider') && !official ? sql` and x.access = 'public'` : sql``
  return sql`${row} and x.status = 'active'${isPublic}`
}

/** `select 1 …`: a row, if the target exists, and may be read about by the viewer. */
export function knownTarget(tenantId: string, { type, id }: Target, viewer: Viewer): Sql {
  const row = sql`select 1 from ${text(tables[type])} x where x.tenant_id = ${tenantId} and x.id = ${id}`
  if (type !== 'booking') return row
  return viewer === 'operator'
    ? sql`${row} and x.module is not null`
    : sql`${row} and x.module is not null and x.contact_id = ${viewer.contact_id}::uuid`
}

/** Whether there is the record that the row `s` names by `tenant_id`, `target_type` and `target_id`. */
export const targetExists = (s: string): Sql => {
  const cases = ReactionTarget.options.map((type) =>
    text(`
      when '${type}' then exists (
        select 1 from ${tables[type]} x where x.tenant_id = ${s}.tenant_id and x.id = ${s}.target_id
      )
    `),
  )
  return sql`case ${text(s)}.target_type ${join(cases, ' ')} end`
}

/**
 * Whether the contact has bought the target: an order that is paid or confirmed, whose line is not cancelled, and that
 * was not refunded in full.
 */
export function bought(tenantId: string, { type, id }: Target, contactId: string): Sql {
  const order = sql`
    o.tenant_id = ${tenantId}
    and o.contact_id = ${contactId}
    and o.status <> 'cancelled'
    and (o.status in ('confirmed', 'partially_cancelled') or y.status = 'paid')
    and (y.id is null or y.refunded_amount = 0 or y.refunded_amount < y.captured_amount)
  `
  const payment = sql`left join payments y on y.order_id = o.id and y.tenant_id = o.tenant_id`
  if (type === 'node') return sql`false`
  if (type === 'booking') return sql`exists (select 1 from orders o ${payment} where o.id = ${id} and ${order})`
  const [lines, column] =
    type === 'product' ? (['order_lines', 'product_id'] as const) : (['order_bookings', `${type}_id`] as const)
  return sql`
    exists (
      select 1
      from orders o
      join ${text(lines)} l
        on l.order_id = o.id
        and l.tenant_id = o.tenant_id
        and l.${text(column)} = ${id}
        and l.status <> 'cancelled' ${payment}
      where ${order}
    )
  `
}

// `offset 0` keeps the planner from making joins: they are evaluated only for the rows of the page.
/**
 * The row `r` is of no deleted target, below nothing that is hidden, removed or pending (but their own), and published,
 * or the viewer's own that waits for a moderator.
 */
export function visible(tenantId: string, viewer: Viewer, r = 'r'): Sql {
  const at = text(r)
  const exists = sql`
    not exists (
      select 1
      from reaction_removals g
      where g.tenant_id = ${tenantId} and g.target_id = ${at}.target_id and g.place_id = ${at}.target_id
      offset 0
    )
  `
  if (viewer === 'operator') return exists
  const { contact_id } = viewer
  const isOwn = contact_id === null ? sql`false` : sql`${at}.status = 'pending' and ${at}.author_id = ${contact_id}`
  const isTheirs =
    contact_id === null
      ? sql`false`
      : sql`
        exists (
          select 1
          from orders o
          where o.tenant_id = ${tenantId} and o.id = ${at}.target_id and o.contact_id = ${contact_id}
        )
      `
  return sql`
    (${at}.status = 'published' or ${at}.deleted_at is not null or ${isOwn})
    and ${exists}
    and ${above(tenantId, viewer, r)}
    and (${at}.target_type <> 'booking' or ${isTheirs})
  `
}

/**
 * All reactions that the row `r` is below are visible: an author sees what is below their own that waits for a
 * moderator.
 */
const above = (tenantId: string, { contact_id }: Exclude<Viewer, 'operator'>, r: string): Sql => sql`
  (
    ${text(r)}.parent_id is null
    or cardinality(${text(r)}.ancestors) = (
      select count(*)
      from reactions a
      where a.tenant_id = ${tenantId}
        and a.id = any (${text(r)}.ancestors)
        and (
          a.status = 'published'
          or a.deleted_at is not null
          ${contact_id === null ? nothing : sql`or a.status = 'pending' and a.author_id = ${contact_id}`}
        )
    )
  )
`
