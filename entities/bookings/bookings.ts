// A booking of the business surface: the cart is the client's, so one transaction writes it and checks it out. Equal
// requests are one booking.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type BookingModule, type DirectState, isOver } from '../../rules/bookings/bookings.ts'
import type { BookingItem } from '../../rules/carts/items.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import type { FormEntry } from '../../rules/content/form-entries.ts'
import { firstSpelled, spellingsOf } from '../../rules/input/texts.ts'
import { codeKey } from '../../rules/promotions/promo-codes.ts'
import { conflict, type Fault, invalid, invalidInput } from '../../rules/refusal.ts'
import type { Address, GeoLocation } from '../../rules/stores/addresses.ts'
import { Cart } from '../carts/cart.ts'
import type { CartRow } from '../carts/carts.ts'
import { Form } from '../content/form.ts'
import { Contact } from '../crm/contact.ts'
import { createContact } from '../crm/contacts.ts'
import type { Actor } from '../crm/session-rights.ts'
import { columnsOf } from '../kit/database/columns.ts'
import { insertion, insertSelect } from '../kit/database/insert.ts'
import { type Sql, sql, text } from '../kit/database/sql.ts'
import { checkOut } from '../orders/checkout.ts'
import type { CheckoutResult } from '../orders/checkout-phases.ts'
import { Order } from '../orders/order.ts'
import { PromoCode } from '../promotions/promo-code.ts'
import { refusedCode } from '../promotions/redemptions.ts'

/** A visitor, or a contact that an operator books for. */
export type Booker = Actor | { session_id: null; contact_id: string; account_id: string }

export type BookingRequest = {
  module: BookingModule
  items: BookingItem[]
  payment_method_key: string | undefined
  forms: FormEntry[]
  blocks: Block[]
  promo_code: string | null
  address: Address | null
  coordinates: GeoLocation | null
  return_url: string | undefined
  expected_total: number | undefined
  /** The status of a booking that is not paid by card. */
  status: DirectState
  pays_by_card: boolean
  fingerprint: string
}

/** Bookings are sold in the market `booking`, or in the first one of a business without it. */
const marketOf = (tenantId: string): Sql => sql`
  select key
  from markets
  where tenant_id = ${tenantId}
  order by key <> 'booking', created_at, id
  limit 1
`

/** The market in which bookings are sold. 409 no_market. */
export async function bookingMarket(em: EntityManager, tenantId: string): Promise<string> {
  const rows: { key: string }[] = await em.execute(marketOf(tenantId))
  if (!rows[0]) throw conflict('no_market', 'The {store} has no market.')
  return rows[0].key
}

export type SentForm = { form_id: string; values: Record<string, unknown> }

/** Forms are named by their id or key. 422 form_unknown for each that is neither active nor one of `stored`. */
export async function formEntries(
  em: EntityManager,
  sent: readonly SentForm[],
  stored: readonly FormEntry[] = [],
): Promise<FormEntry[]> {
  if (sent.length === 0) return []
  const names = sent.map(({ form_id }) => form_id)
  const ids = names
    .filter((name) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name))
    .map((id) => id.toLowerCase())
  const found = await em.find(
    Form,
    { $or: [{ id: { $in: ids } }, { key: { $in: names.flatMap(spellingsOf) } }], status: 'active' },
    { fields: ['id', 'key'] },
  )
  const faults: Fault[] = []
  const entries = sent.flatMap(({ form_id, values }, at) => {
    const spellings = spellingsOf(form_id)
    const keyed = found.filter(({ key }) => spellings.includes(key))
    const form =
      stored.find(({ key }) => key === form_id) ??
      firstSpelled(keyed, spellings, ({ key }) => key) ??
      found.find(({ id }) => id === form_id.toLowerCase())
    if (form) return [{ key: form.key, entries: Object.entries(values).map(([key, value]) => ({ key, value })) }]
    faults.push({
      pointer: `/forms/${at}/form_id`,
      code: 'form_unknown',
      detail: 'The {store} has no such active form.',
    })
    return []
  })
  if (faults.length > 0) throw invalidInput(faults)
  return entries
}

/** The code to apply. 422 promo_code_invalid for an unknown id, and for a code that is not the one of the id. */
export async function codeOf(
  em: EntityManager,
  { promo_code_id, promo_code }: { promo_code_id?: string | undefined; promo_code?: string | undefined },
) {
  if (promo_code_id === undefined) return promo_code || null
  const found = await em.findOne(PromoCode, { id: promo_code_id }, { fields: ['code'] })
  if (!found) throw invalid('/promo_code_id', 'promo_code_invalid', 'There is no such promo code.')
  if (promo_code && codeKey(promo_code) !== codeKey(found.code))
    throw refusedCode('promo_code_invalid', 'The promo code and its identifier are of two promo codes.')
  return found.code
}

/**
 * The contact that an operator books for: the given one, the owner of the address, or a new one, `id`. 422
 * contact_unknown.
 */
export async function contactFor(
  em: EntityManager,
  tenantId: string,
  { id, contact_id, email }: { id: string; contact_id?: string | undefined; email?: string | undefined },
  now: number,
): Promise<string> {
  if (contact_id !== undefined) {
    if ((await em.count(Contact, { id: contact_id })) === 0)
      throw invalid('/contact_id', 'contact_unknown', 'The {store} has no such contact.')
    return contact_id
  }
  if (email !== undefined) return (await createContact(em, tenantId, { email }, now)).id
  // An equal request has the same contact.
  const contact = insertion(em, Contact, {
    id,
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    taxonomies: [],
    search: '',
  })
  await em.execute(sql`${contact} on conflict (id) do nothing`)
  return id
}

type Equal = { id: string; created_at: number; isOpen: boolean; isDone: false }

/**
 * The cart of the last booking that an equal request made. An equal request is the same one until that booking is over.
 */
export async function lastEqual(em: EntityManager, fingerprint: string): Promise<Equal | null> {
  const found = await em.findOne(
    Order,
    { fingerprint },
    { orderBy: { created_at: 'desc', id: 'desc' }, fields: ['created_at', 'source_cart_id', 'booking_status'] },
  )
  if (!found?.booking_status) return null
  return {
    id: found.source_cart_id,
    created_at: found.created_at,
    isOpen: !isOver(found.booking_status),
    isDone: false,
  }
}

export type Booked = CheckoutResult & { fingerprint: string }

/**
 * Writes a cart with this id and checks it out; a cart that was checked out is answered again. `fingerprint` is that of
 * the request that made the booking. Locks: session, or contact as a key, then those of checkOut. 409 slot_taken,
 * checkout_cancelled, no_market; 422 as pricing says, with pointers into the cart.
 */
export async function book(
  em: EntityManager,
  tenantId: string,
  cartId: string,
  by: Booker,
  r: BookingRequest,
  now: number,
): Promise<Booked> {
  const made_by = by.session_id ?? by.account_id
  const row = insertSelect(em, Cart, {
    id: cartId,
    made_by,
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    contact_id: by.session_id === null ? sql`b.id` : sql`b.contact_id`,
    is_current: false,
    market: sql`m.key`,
    product_items: [],
    booking_items: r.items,
    billing_address: r.address,
    forms: r.forms,
    payment_method_key: r.payment_method_key ?? null,
    promo_code: r.promo_code,
  })
  const [table, id] = by.session_id === null ? ['contacts', by.contact_id] : ['contact_sessions', by.session_id]
  // The second of two concurrent equal requests waits here for the commit of the first, and answers its booking.
  const [cart]: CartRow[] = await em.execute(sql`
    ${row}
    from ${text(table)} b, (${marketOf(tenantId)}) m
    where b.tenant_id = ${tenantId} and b.id = ${id}
    for key share of b
    on conflict (id) do nothing
    returning ${columnsOf(em, Cart)}
  `)
  if (!cart) await bookingMarket(em, tenantId)
  const {
    module,
    status,
    pays_by_card,
    blocks,
    coordinates,
    fingerprint,
    payment_method_key,
    return_url,
    expected_total,
  } = r
  const booking = { module, status, pays_by_card, blocks, coordinates, fingerprint }
  const who = { tenant_id: tenantId, by: by.session_id === null ? null : by, made_by }
  const done = await checkOut(em, {
    ...who,
    cart_id: cartId,
    cart,
    payment_method_key,
    return_url,
    expected_total,
    now,
    booking,
  })
  if (done.payment) return { ...done, fingerprint }
  const first = await em.findOneOrFail(Order, { id: done.order_id }, { fields: ['fingerprint'] })
  return { ...done, fingerprint: first.fingerprint ?? '' }
}
