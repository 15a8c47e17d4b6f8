// One order of the visitor: its lines, its bookings, its sums, and the card form while it waits for a card.
import { useState } from 'react'
import type { BookingLine, OrderMoney, PaymentAction, StorefrontOrder } from 'tillwright-client'
import { call, messagesOf } from '../api.ts'
import { CardForm } from '../card.tsx'
import { Form, Loaded, Problems, Title, useLoad, usePolling } from '../kit.tsx'
import { usePlace } from '../place.ts'
import { dateOf, moneyOf, stateOf, whenOf, words } from '../records.ts'
import { useShop } from '../shop.ts'

type Line = { id: string; name: string | null; sku: string | null; quantity: number; subtotal: number }
type SummaryProps = { money: OrderMoney; product_lines: Line[]; digital_lines: Line[]; booking_lines: BookingLine[] }

export function Summary({ money, product_lines, digital_lines, booking_lines }: SummaryProps) {
  const { timezone } = useShop().store
  const { currency, subtotal, discount, shipping, tax, total } = money
  const goods = [...product_lines, ...digital_lines].map(
    ({ id, name, sku, quantity, subtotal }) => [id, `${quantity} × ${name ?? sku}`, subtotal] as const,
  )
  const times = booking_lines.map(({ id, service_key, slots, subtotal }) => {
    return [id, [words(service_key), ...slots.map((slot) => whenOf(slot, timezone))].join(', '), subtotal] as const
  })
  const sums = { Discount: -discount, Shipping: shipping, [tax?.included ? 'Contains tax' : 'Tax']: tax?.amount ?? 0 }
  const lines = [...goods, ...times, ...(goods.length + times.length > 1 ? [['', 'Subtotal', subtotal] as const] : [])]
  const due = Object.entries(sums).flatMap(([label, amount]) => (amount === 0 ? [] : [['', label, amount] as const]))
  const rows = [...lines, ...due, ['', 'Total', total] as const]
  return (
    <table className="summary">
      <tbody>
        {rows.map(([id, label, amount]) => (
          <tr key={id || label}>
            <th scope="row">{label}</th>
            <td>{moneyOf(amount, currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Where the card form returns to: the order of the cart. */
export function Thanks() {
  const cart = usePlace().searchParams.get('cart')
  const found = useLoad(async () => {
    const { items } = await call('GET /v1/storefront/orders')
    return items.find(({ source_cart_id }) => source_cart_id === cart) ?? null
  }, String(cart))
  return (
    <Loaded from={found}>{(order) => (order ? <OrderPage id={order.id} thanks /> : <Title>Thank you</Title>)}</Loaded>
  )
}

type Card = { action: PaymentAction | null; problems: string[] }
/** The checkout of the same cart again gives the same order, and its card form if it waits for a card. */
async function cardOf({ source_cart_id: id, status, paid_at }: StorefrontOrder): Promise<Card> {
  if (status !== 'pending' || paid_at !== null) return { action: { type: 'none' }, problems: [] }
  const body = { return_url: `${location.origin}/thanks?cart=${id}` }
  return call('POST /v1/storefront/carts/{id}/checkout', { path: { id }, body }).then(
    ({ payment_action: action }) => ({ action, problems: [] }),
    // The order is shown without it.
    (error) => ({ action: null, problems: messagesOf(error) }),
  )
}

/** With `?pay` the card form is open, as after a checkout: a reload in the middle of it comes back to it. */
export function OrderPage({ id, thanks = false }: { id: string; thanks?: boolean }) {
  const [isPaying, setPaying] = useState(usePlace().searchParams.has('pay'))
  const found = useLoad(async () => {
    const path = { orderId: id }
    const reading = call('GET /v1/storefront/orders/{id}', { path: { id } })
    const [order, product_lines, digital_lines, booking_lines, card] = await Promise.all([
      reading,
      call('GET /v1/storefront/orders/{orderId}/products', { path }),
      call('GET /v1/storefront/orders/{orderId}/digital-products', { path }),
      call('GET /v1/storefront/orders/{orderId}/bookings', { path }),
      thanks ? null : reading.then(cardOf),
    ])
    // Lines that were replaced are cancelled.
    const kept = <L extends { status: string }>(lines: L[]) =>
      lines.filter(({ status }) => order.status === 'cancelled' || status !== 'cancelled')
    const [goods, digital, times] = [kept(product_lines), kept(digital_lines), kept(booking_lines)]
    return { order, lines: { product_lines: goods, digital_lines: digital, booking_lines: times }, card }
  }, id)
  // The provider's event settles the payment a moment after the card form has returned.
  usePolling(found, ({ order }) => !thanks || order.status !== 'pending' || order.paid_at !== null)
  async function pay(action: PaymentAction | null): Promise<void> {
    setPaying(true)
    if (!action) found.again()
  }
  return (
    <Loaded from={found}>
      {({ order, lines, card }) => (
        <>
          <Title>{`${thanks ? 'Thank you: order' : 'Order'} ${order.number}`}</Title>
          <p role="status">
            {dateOf(order.created_at)}: {stateOf(order)}
            {order.fulfillment_status !== 'none' && `, ${words(order.fulfillment_status).toLowerCase()}`}
          </p>
          <section className="panel" aria-label="Summary">
            <Summary money={order.money} {...lines} />
          </section>
          <Problems of={card?.problems ?? []} />
          {card?.action && isPaying && <CardForm action={card.action} />}
          {card && card.action?.type !== 'none' && !(card.action && isPaying) && (
            <Form label="Pay by card" submit={() => pay(card.action)}>
              <p>{order.payment_error?.message}</p>
            </Form>
          )}
        </>
      )}
    </Loaded>
  )
}
