// Bookable services, promo codes, and the schedule's rows.
//   const cut = await bookable(shop)
//   const [slot] = await cut.free()
//   const { visitor, cart } = await buyer(shop, [], { booking_items: [cut.item(slot)], promo_code: code })
import { type Answer, api, database, type Shop, unique } from '../shop.ts'

export type Slot = { from: number; to: number }
export type BookingItem = { service_id: string; provider_id: string; slots: Slot[] }

const everyDay = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const days = (windows: { from: string; to: string }[]) => everyDay.map((day) => ({ day, windows }))

export async function made(answer: Promise<Answer>): Promise<{ id: string } & Record<string, unknown>> {
  const { status, body } = await answer
  if (status !== 201) throw new Error(`not made: ${status} ${JSON.stringify(body)}`)
  return body
}

export const service = async (shop: Shop) =>
  (await made(shop.asOperator('POST', '/services', { key: `service-${unique()}` }))).id
export const provider = async (shop: Shop) =>
  (await made(shop.asOperator('POST', '/providers', { key: `provider-${unique()}` }))).id

export type Bookable = {
  service_id: string
  provider_id: string
  link_id: string
  item(...slots: Slot[]): BookingItem
  /**
   * What is free from a date on (the day after tomorrow, so that nothing depends on the hour of the test), in order of
   * time.
   */
  free(from?: string, to?: string, base?: string): Promise<(Slot & { spots: number })[]>
}

type BookableOptions = {
  amount?: number
  /** Of every day; 09:00 to 17:00. */
  windows?: { from: string; to: string }[]
  service_id?: string
  provider_id?: string
  [more: string]: unknown
}

/** A UTC date so many days from now. */
export const dateIn = (after: number): string => new Date(Date.now() + after * 86_400_000).toISOString().slice(0, 10)

/** An hour at a time, 3000 minor units in both markets, unless `o` says otherwise; further options are the link's. */
export async function bookable(
  shop: Shop,
  { amount = 3000, windows = [{ from: '09:00', to: '17:00' }], ...o }: BookableOptions = {},
): Promise<Bookable> {
  const service_id = o.service_id ?? (await service(shop))
  const provider_id = o.provider_id ?? (await provider(shop))
  const prices = ['us', 'eu'].map((market) => ({ market, amount }))
  const link = await made(
    shop.asOperator('POST', '/service-providers', {
      working_days: days(windows),
      slot_interval: 60,
      prices,
      ...o,
      service_id,
      provider_id,
    }),
  )
  return {
    service_id,
    provider_id,
    link_id: link.id,
    item: (...slots) => ({ service_id, provider_id, slots: slots.map(({ from, to }) => ({ from, to })) }),
    async free(from = dateIn(2), to = from, base = api()) {
      const { status, body } = await shop.asOperator(
        'GET',
        `/services/availability?service_id=${service_id}&provider_id=${provider_id}&from=${from}&to=${to}`,
        undefined,
        base,
      )
      if (status !== 200) throw new Error(`no availability: ${status} ${JSON.stringify(body)}`)
      return body.providers.flatMap((one: { days: { slots: (Slot & { spots: number })[] }[] }) =>
        one.days.flatMap(({ slots }) => slots),
      )
    },
  }
}

/** An active code; 10 % off items in both markets unless `o` says otherwise. */
export async function promoCode(
  shop: Shop,
  o: { discounts?: unknown[]; conditions?: unknown[]; code?: string } = {},
): Promise<{ id: string; code: string }> {
  const discounts = ['us', 'eu'].map((market_key) => ({ type: 'items_percentage', market_key, bps: 1000 }))
  const body = { code: `CODE-${unique()}`, discounts, conditions: [], ...o }
  const { id } = await made(shop.asOperator('POST', '/promo-codes', body))
  return { id, code: body.code }
}

export const usesOf = async (shop: Shop, id: string): Promise<number> =>
  (await shop.asOperator('GET', `/promo-codes/${id}`)).body.uses
export const bookingsOf = async (shop: Shop, orderId: string) =>
  (await shop.asOperator('GET', `/orders/${orderId}/bookings`)).body

/**
 * The booked time in the days of a store's providers, and that of its orders; equal unless something is wrong. One
 * `provider from to limit` for each booking.
 */
export async function scheduleOf(storeId: string): Promise<{ taken: string[]; booked: string[] }> {
  const days = await database().query<{ provider_id: string; taken: [number, number, number?][] }>(
    'select provider_id, taken from schedule_days where tenant_id = $1 order by provider_id, local_date',
    [storeId],
  )
  const bookings = await database().query<{
    provider_id: string
    slots: (Slot & { limit?: number })[]
    timezone: string
  }>(
    `select b.provider_id, b.slots, t.timezone from order_bookings b join tenants t on t.id = b.tenant_id where b.tenant_id = $1 and b.status <> 'cancelled'`,
    [storeId],
  )
  const booked = bookings.rows.flatMap(({ provider_id, slots, timezone }) => {
    const date = (at: number) => new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(at * 1000)
    // Across midnight it is stored in the rows of both days.
    return slots.flatMap(({ from, to, limit }) =>
      Array(date(from) === date(to - 1) ? 1 : 2).fill(`${provider_id} ${from} ${to} ${limit}`),
    )
  })
  const taken = days.rows.flatMap(({ provider_id, taken }) =>
    taken.map(([from, to, limit]) => `${provider_id} ${from} ${to} ${limit}`),
  )
  return { taken: taken.sort(), booked: booked.sort() }
}
