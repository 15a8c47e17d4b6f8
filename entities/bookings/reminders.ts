// A booking's row says when its next reminder is due. A reminder and its event are one commit, so each slot is reminded
// of once.
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  defaultReminderMinutes,
  nextReminder,
  nextReminderStep,
  type Remindable,
  type ReminderStep,
} from '../../rules/scheduling/reminders.ts'
import { isNear, nearUntil } from '../../rules/start-ahead.ts'
import { json, sql } from '../kit/database/sql.ts'
import { lateRows } from '../kit/late-rows.ts'
import { startAll, startFound } from '../kit/outbox.ts'
import { emit } from '../webhooks/events.ts'

type Row = Remindable & { id: string; remind_at: number | null; reminder_started: boolean; minutes: number | null }

/**
 * Computes when reminders are due, after bookings of the order were confirmed, moved, completed or cancelled, and
 * flushed, in the caller's transaction; `now` in Unix seconds. Idempotent: where the time changed, it is written; the
 * booking's workflow is started if that time is near, and signalled if it waits for the former one. A caller that
 * changes a booking's slots sets its reminded_slot to null: it refers to the former slots, and a new slot before it
 * would get no reminder.
 */
export async function refreshReminders(
  em: EntityManager,
  tenantId: string,
  orderId: string,
  now: number,
): Promise<void> {
  const rows: Row[] = await em.execute(sql`
    select b.id, b.status, b.slots, b.remind_at, b.reminder_started, b.reminded_slot,
      t.settings->'booking_reminder_minutes' as minutes
    from order_bookings b
    join tenants t on t.id = b.tenant_id
    where b.order_id = ${orderId} and b.tenant_id = ${tenantId}
    order by b.id
    for update of b
  `)
  const changed = rows.flatMap((row) => {
    const remind_at = nextReminder(row, row.minutes ?? defaultReminderMinutes, now)?.due_at ?? null
    const reminder_started = remind_at !== null && isNear(remind_at, now)
    return remind_at === row.remind_at
      ? []
      : [{ id: row.id, remind_at, reminder_started, wakes: reminder_started || row.reminder_started }]
  })
  if (changed.length === 0) return
  await em.execute(sql`
    update order_bookings b
    set remind_at = c.remind_at, reminder_started = c.reminder_started
    from jsonb_to_recordset(${json(changed)}) as c(id uuid, remind_at bigint, reminder_started boolean)
    where b.id = c.id and b.tenant_id = ${tenantId}
  `)
  await startAll(
    em,
    'booking_reminder',
    changed.flatMap(({ id, wakes }) => (wakes ? [id] : [])),
    { tenant_id: tenantId },
  )
}

/** The booking as the API returns it, with what is needed of its order and its store. */
type BookingOut = { id: string; status: Remindable['status']; slots: Remindable['slots'] } & Record<string, unknown>
type Locked = Pick<Row, 'minutes' | 'remind_at' | 'reminder_started' | 'reminded_slot'> & {
  booking: BookingOut
  tenant_id: string
}

/**
 * Publishes the reminders that are due, once per slot however often it is called, and returns the next step: `wait`, or
 * `done` if none is near. `now` in Unix seconds. Runs in a transaction: the event and the note of it are one commit. A
 * slot that started without a reminder gets none, and neither does a deleted booking.
 */
export async function remind(
  em: EntityManager,
  bookingId: string,
  now: number,
): Promise<Exclude<ReminderStep, { do: 'remind' } | { do: 'far' }>> {
  const [row]: Locked[] = await em.execute(sql`
    select b.tenant_id, t.settings->'booking_reminder_minutes' as minutes, b.remind_at, b.reminder_started,
      b.reminded_slot,
      jsonb_build_object(
        'id', b.id, 'order_id', b.order_id, 'order_number', o.number, 'contact_id', o.contact_id, 'service_id',
        b.service_id, 'provider_id', b.provider_id, 'service_key', b.service_key, 'provider_key', b.provider_key,
        'status', b.status, 'slots', b.slots, 'starts_at', b.starts_at, 'ends_at', b.ends_at, 'quantity', b.quantity,
        'unit_price', b.unit_price, 'subtotal', b.subtotal, 'discount', b.discount, 'tax', b.tax, 'total', b.total,
        'created_at', b.created_at, 'updated_at', b.updated_at
      ) as booking
    from order_bookings b
    join orders o on o.id = b.order_id and o.tenant_id = b.tenant_id
    join tenants t on t.id = b.tenant_id
    where b.id = ${bookingId}
    for update of b
  `)
  if (!row) return { do: 'done' }
  const minutes = row.minutes ?? defaultReminderMinutes
  // The limit of a slot is our own.
  const slots = row.booking.slots.map(({ from, to }) => ({ from, to }))
  const at: Remindable = { status: row.booking.status, slots, reminded_slot: row.reminded_slot }
  let step = nextReminderStep(at, minutes, now)
  while (step.do === 'remind') {
    at.reminded_slot = step.slot.from
    const remind_at = nextReminder(at, minutes, now)?.due_at ?? null
    const { slot } = step
    await emit(em, row.tenant_id, 'order_booking.reminder', () => ({ ...row.booking, slots, remind_at, slot }), now)
    step = nextReminderStep(at, minutes, now)
  }
  const remind_at = nextReminder(at, minutes, now)?.due_at ?? null
  const reminder_started = step.do === 'wait'
  if (
    remind_at !== row.remind_at ||
    at.reminded_slot !== row.reminded_slot ||
    reminder_started !== row.reminder_started
  )
    await em.execute(sql`
      update order_bookings
      set remind_at = ${remind_at}, reminder_started = ${reminder_started}, reminded_slot = ${at.reminded_slot}
      where id = ${bookingId} and tenant_id = ${row.tenant_id}
    `)
  return step.do === 'far' ? { do: 'done' } : step
}

/**
 * Starts the workflows of at most `limit` reminders that are due within minutes, each once, and returns how many. `now`
 * in Unix seconds. Covers all tenants. A row that another transaction holds is found later.
 */
export async function startReminders(em: EntityManager, limit: number, now: number): Promise<number> {
  const starts = await startFound(
    em,
    'booking_reminder',
    // Bookings that another transaction has locked are skipped: a later round finds them.
    sql`
      update order_bookings
      set reminder_started = true
      where id = any (
        array(
          select id
          from order_bookings
          where remind_at <= ${nearUntil(now)}::bigint and not reminder_started
          order by remind_at
          limit ${limit}
          for update skip locked
        )
      )
      returning id, tenant_id
    `,
    { signal: true },
  )
  return starts.length
}

/**
 * Bookings whose workflow should have published a reminder `graceS` seconds ago. Covers all tenants; each row names its
 * own.
 */
export const lateReminders = lateRows({
  from: sql`order_bookings x`,
  at: 'x.remind_at',
  type: 'bigint',
  // The index is used only if both sides are bigint and the right one is stable.
  where: ({ idleS }) => sql`x.remind_at < (extract(epoch from statement_timestamp()) - ${idleS})::bigint`,
})
