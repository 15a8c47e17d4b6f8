// One order of the visitor: its lines, its bookings, its sums, and the card form while it waits for a card.
import { useState } from 'react'
import type { BookingLine, OrderMoney, PaymentAction, StorefrontOrder } from 'tillwright-client'
import { call } from '../api.ts'
import { CardForm } from '../card.tsx'
import { Form, Loaded, useLoad, usePlace, usePolling } from '../kit.tsx'
import { dateOf, moneyOf, whenOf, words } from '../records.ts'
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
    return [id, [words(service_key), ...slots.map(({ from }) => whenOf(from, timezone))].join(', '), subtotal] as const
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
  return <Loaded from={found}>{(order) => (order ? <OrderPage id={order.id} thanks /> : <h1>Thank you</h1>)}</Loaded>
}

/** The checkout of the same cart again gives the same order, and its card form if it waits for a card. */
async function cardOf({ source_cart_id: id, status, paid_at }: StorefrontOrder): Promise<PaymentAction> {
  if (status !== 'pending' || paid_at !== null) return { type: 'none' }
  const body = { return_url: `${location.origin}/thanks?cart=${id}` }
  return (await call('POST /v1/storefront/carts/{id}/checkout', { path: { id }, body })).payment_action
}

export function OrderPage({ id, thanks = false }: { id: string; thanks?: boolean }) {
  const [isPaying, setPaying] = useState(false)
  const found = useLoad(async () => {
    const path = { orderId: id }
    const reading = call('GET /v1/storefront/orders/{id}', { path: { id } })
    const [order, product_lines, digital_lines, booking_lines, action] = await Promise.all([
      reading,
      call('GET /v1/storefront/orders/{orderId}/products', { path }),
      call('GET /v1/storefront/orders/{orderId}/digital-products', { path }),
      call('GET /v1/storefront/orders/{orderId}/bookings', { path }),
      thanks ? null : reading.then(cardOf),
    ])
    return { order, lines: { product_lines, digital_lines, booking_lines }, action }
  }, id)
  // The provider's event settles the payment a moment after the card form has returned.
  usePolling(found, ({ order }) => !thanks || order.status !== 'pending' || order.paid_at !== null)
  return (
    <Loaded from={found}>
      {({ order, lines, action }) => (
        <>
          <h1>{`${thanks ? 'Thank you: order' : 'Order'} ${order.number}`}</h1>
          <p role="status">
            {dateOf(order.created_at)}: {words(order.status).toLowerCase()}, {order.paid_at ? 'paid' : 'not paid yet'}
            {order.fulfillment_status !== 'none' && `, ${words(order.fulfillment_status).toLowerCase()}`}
          </p>
          <section className="panel" aria-label="Summary">
            <Summary money={order.money} {...lines} />
          </section>
          {action && action.type !== 'none' && !isPaying && (
            <Form label="Pay by card" submit={async () => setPaying(true)}>
              <p>{order.payment_error?.message}</p>
            </Form>
          )}
          {action && isPaying && <CardForm action={action} />}
        </>
      )}
    </Loaded>
  )
}
