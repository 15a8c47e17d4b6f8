// When a booking's next reminder is due stands in its row; a reminder and its event are written together, so a slot is reminded of once.
import type { EntityManager } from '@mikro-orm/postgresql'
import { defaultReminderMinutes, nextReminder, nextReminderStep, type Remindable, type ReminderStep } from '../../rules/scheduling/reminders.ts'
import { startAll } from '../kit/outbox.ts'
import { emit } from '../webhooks/events.ts'

type Row = Remindable & { id: string; remind_at: number | null; minutes: number | null }

/**
 * What is due when, after bookings of the order were confirmed, moved, completed or cancelled, and written (flushed) in the caller's transaction; `now` in
 * Unix seconds. Idempotent: only where the next moment changed is it written, and its workflow started, woken, or woken to end. Whoever changes a
 * booking's slots sets its reminded_slot to null: it speaks of the slots that were, and a slot that now comes earlier would be passed over.
 */
export async function refreshReminders(em: EntityManager, tenantId: string, orderId: string, now: number): Promise<void> {
  const rows: Row[] = await em.execute(
    `select b.id, b.status, b.slots, b.remind_at, b.reminded_slot, t.settings->'booking_reminder_minutes' as minutes
     from order_bookings b join tenants t on t.id = b.tenant_id where b.order_id = ? and b.tenant_id = ? order by b.id for update of b`,
    [orderId, tenantId],
  )
  const changed = rows.flatMap((row) => {
    const remind_at = nextReminder(row, row.minutes ?? defaultReminderMinutes, now)?.due_at ?? null
    return remind_at === row.remind_at ? [] : [{ id: row.id, remind_at }]
  })
  if (changed.length === 0) return
  await em.execute(
    `update order_bookings b set remind_at = c.remind_at from jsonb_to_recordset(?::jsonb) as c(id uuid, remind_at bigint) where b.id = c.id and b.tenant_id = ?`,
    [JSON.stringify(changed), tenantId],
  )
  await startAll(
    em,
    'booking_reminder',
    changed.map(({ id }) => id),
    { tenant_id: tenantId },
  )
}

/** The booking as the API shows it, and what of its order and of us is needed besides. */
type Told = { id: string; status: Remindable['status']; slots: Remindable['slots'] } & Record<string, unknown>
type Locked = { booking: Told; tenant_id: string; minutes: number | null; remind_at: number | null; reminded_slot: number | null }

/**
 * Emits what is due, however often it is asked, once per slot, and says what to do next: `wait` or `done`. `now` in Unix seconds. In a transaction: what is
 * told and what was told are one commit. A slot that started unreminded is passed over; so is a booking that is gone.
 */
export async function remind(em: EntityManager, bookingId: string, now: number): Promise<Exclude<ReminderStep, { do: 'remind' }>> {
  const rows: Locked[] = await em.execute(
    `select b.tenant_id, t.settings->'booking_reminder_minutes' as minutes, b.remind_at, b.reminded_slot, jsonb_build_object('id', b.id, 'order_id', b.order_id,
       'order_number', o.number, 'contact_id', o.contact_id, 'service_id', b.service_id, 'provider_id', b.provider_id, 'service_key', b.service_key,
       'provider_key', b.provider_key, 'status', b.status, 'slots', b.slots, 'starts_at', b.starts_at, 'ends_at', b.ends_at, 'quantity', b.quantity,
       'unit_price', b.unit_price, 'subtotal', b.subtotal, 'discount', b.discount, 'tax', b.tax, 'total', b.total, 'created_at', b.created_at,
       'updated_at', b.updated_at) as booking
     from order_bookings b join orders o on o.id = b.order_id and o.tenant_id = b.tenant_id join tenants t on t.id = b.tenant_id where b.id = ? for update of b`,
    [bookingId],
  )
  const row = rows[0]
  if (!row) return { do: 'done' }
  const minutes = row.minutes ?? defaultReminderMinutes
  const at: Remindable = { status: row.booking.status, slots: row.booking.slots, reminded_slot: row.reminded_slot }
  let step = nextReminderStep(at, minutes, now)
  while (step.do === 'remind') {
    at.reminded_slot = step.slot.from
    const remind_at = nextReminder(at, minutes, now)?.due_at ?? null
    const { slot } = step
    await emit(em, row.tenant_id, 'order_booking.reminder', () => ({ ...row.booking, remind_at, slot }), now)
    step = nextReminderStep(at, minutes, now)
  }
  const remind_at = nextReminder(at, minutes, now)?.due_at ?? null
  if (remind_at !== row.remind_at || at.reminded_slot !== row.reminded_slot)
    await em.execute('update order_bookings set remind_at = ?, reminded_slot = ? where id = ? and tenant_id = ?', [
      remind_at,
      at.reminded_slot,
      bookingId,
      row.tenant_id,
    ])
  return step
}

/** Bookings that their workflow should have reminded of some seconds ago. For all tenants: rows leave with theirs. */
export const overdueReminders = (em: EntityManager, graceS: number, limit: number): Promise<{ id: string; tenant_id: string }[]> =>
  em.execute(
    // A bigint compared with a bigint that stands still: otherwise the index is of no use.
    `select id, tenant_id from order_bookings where remind_at < (extract(epoch from statement_timestamp()) - ?)::bigint order by remind_at limit ?`,
    [graceS, limit],
  )
