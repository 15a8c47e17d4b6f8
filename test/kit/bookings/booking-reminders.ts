// Bookings of an order, written directly into the database, and their reminders.
//   const id = await booking(store, [soon(60)])
//   await changed(orm, store, id, {})                   → in a transaction, as an order's change would
import { refreshReminders } from '../../../entities/bookings/reminders.ts'
import { type Orm, unitOf } from '../../../entities/kit/database/orm.ts'
import { encrypt } from '../../../entities/kit/encrypted.ts'
import { newId } from '../../../entities/kit/ids.ts'
import type { Slot } from '../../../rules/scheduling/slots.ts'
import { database } from '../shop.ts'

export const now = () => Math.floor(Date.now() / 1000)
/** A slot that starts in so many seconds. */
export const soon = (in_s: number): Slot => ({ from: now() + in_s, to: now() + in_s + 1800 })

async function insert(table: string, row: Record<string, unknown>): Promise<string> {
  const full: Record<string, unknown> = { id: newId(), created_at: now(), updated_at: now(), ...row }
  const names = Object.keys(full)
  await database().query(
    `insert into ${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
    names.map((name) => full[name]),
  )
  return full.id as string
}

export const webhook = (tenant_id: string, events: string[], enabled = true) =>
  insert('webhooks', {
    ...{
      tenant_id,
      key: newId(),
      url: encrypt('http://127.0.0.1:9/'),
      headers: encrypt('{}'),
      secret: encrypt('not used'),
    },
    ...{ events: JSON.stringify(events), enabled },
  })

export const newOrder = (tenant_id: string) =>
  insert('orders', {
    ...{
      tenant_id,
      number: Math.floor(Math.random() * 1e12),
      status: 'confirmed',
      fulfillment_status: 'none',
      contact_id: newId(),
      verified: false,
    },
    ...{ source_cart_id: newId(), payment_id: newId(), market: 'us', money: '{}', forms: '[]' },
  })

/** Pending, of a new order or of the given one. */
export const booking = async (tenant_id: string, slots: Slot[], order_id?: string) =>
  insert('order_bookings', {
    ...{
      tenant_id,
      order_id: order_id ?? (await newOrder(tenant_id)),
      ordered_at: now(),
      position: 0,
      service_id: newId(),
      provider_id: newId(),
    },
    ...{
      service_key: 'cut',
      provider_key: 'ann',
      slots: JSON.stringify(slots),
      starts_at: slots[0]?.from,
      ends_at: slots.at(-1)?.to,
      quantity: slots.length,
    },
    ...{
      unit_price: 1000,
      subtotal: 1000 * slots.length,
      discount: 0,
      tax: 0,
      total: 1000 * slots.length,
      status: 'pending',
    },
  })

type Row = {
  id: string
  tenant_id: string
  order_id: string
  status: string
  slots: Slot[]
  remind_at: number | null
  reminder_started: boolean
  reminded_slot: number | null
}
export async function rowOf(id: string): Promise<Row> {
  const { rows } = await database().query('select * from order_bookings where id = $1', [id])
  const number = (value: string | null) => (value === null ? null : Number(value))
  return { ...rows[0], remind_at: number(rows[0].remind_at), reminded_slot: number(rows[0].reminded_slot) }
}

/** Changes the booking and its reminders in one transaction. */
export async function changed(orm: Orm, id: string, to: { status?: string; slots?: Slot[] }): Promise<void> {
  const { tenant_id, order_id } = await rowOf(id)
  await unitOf(orm, tenant_id).transactional(async (em) => {
    if (to.status) await em.execute('update order_bookings set status = ? where id = ?', [to.status, id])
    if (to.slots)
      await em.execute('update order_bookings set slots = ?::jsonb, reminded_slot = null where id = ?', [
        JSON.stringify(to.slots),
        id,
      ])
    await refreshReminders(em, tenant_id, order_id, now())
  })
}

/** The reminders published for it, in order. */
export async function remindersOf(id: string) {
  const { rows } = await database().query(
    "select tenant_id, type, data from events where data->>'id' = $1 order by id",
    [id],
  )
  return rows as { tenant_id: string; type: string; data: Record<string, unknown> & { slot: Slot } }[]
}
