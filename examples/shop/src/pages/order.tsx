// One order of the visitor: its lines, its bookings, its sums, and the card form while it waits for a card.
import { useState } from 'react'
import type { BookingLine, OrderMoney, PaymentAction, StorefrontOrder } from 'tillwright-client'
import { call } from '../api.ts'
import { CardForm } from '../card.tsx'
import { Form, Loaded, Title, useLoad, usePolling } from '../kit.tsx'
import { usePlace } from '../place.ts'
import { dateOf, moneyOf, stateOf, whenOf, words } from '../records.ts'
import { orderOf, useShop } from '../shop.ts'

type Line = { status?: string; id: string; name: string | null; sku: string | null; quantity: number; subtotal: number }
type Time = BookingLine & { status?: string }
type SummaryProps = { money: OrderMoney; product_lines: Line[]; digital_lines: Line[]; booking_lines: Time[] }

/** Lines that were replaced are cancelled; of a cancelled order all are, and shown. */
export function Summary({ money, product_lines, digital_lines, booking_lines }: SummaryProps) {
  const isLive = ({ status }: { status?: string }) => status !== 'cancelled'
  const hasLive = [...product_lines, ...digital_lines, ...booking_lines].some(isLive)
  const isShown = (line: { status?: string }) => !hasLive || isLive(line)
  const { timezone } = useShop().store
  const { currency, subtotal, discount, shipping, tax, total } = money
  const goods = [...product_lines, ...digital_lines]
    .filter(isShown)
    .map(({ id, name, sku, quantity, subtotal }) => [id, `${quantity} × ${name ?? sku}`, subtotal] as const)
  const times = booking_lines.filter(isShown).map(({ id, service_key, slots, subtotal }) => {
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
  const found = useLoad(async () => (await orderOf(cart)) ?? null, String(cart))
  return (
    <Loaded from={found}>{(order) => (order ? <OrderPage id={order.id} thanks /> : <Title>Thank you</Title>)}</Loaded>
  )
}

const nothing: PaymentAction = { type: 'none' }
/** The checkout of the same cart again gives the same order, and its card form if it waits for a card. */
async function cardOf({ source_cart_id: id, status, paid_at }: StorefrontOrder): Promise<PaymentAction> {
  if (status !== 'pending' || paid_at !== null) return nothing
  const body = { return_url: `${location.origin}/thanks?cart=${id}` }
  return (await call('POST /v1/storefront/carts/{id}/checkout', { path: { id }, body })).payment_action
}

/** With `?pay` the card form is open, as after a checkout: a reload in the middle of it comes back to it. */
export function OrderPage({ id, thanks = false }: { id: string; thanks?: boolean }) {
  const isPaying = usePlace().searchParams.has('pay')
  const [asked, setAsked] = useState<PaymentAction | null>(null)
  const found = useLoad(async () => {
    const path = { orderId: id }
    const reading = call('GET /v1/storefront/orders/{id}', { path: { id } })
    const [order, product_lines, digital_lines, booking_lines, card] = await Promise.all([
      reading,
      call('GET /v1/storefront/orders/{orderId}/products', { path }),
      call('GET /v1/storefront/orders/{orderId}/digital-products', { path }),
      call('GET /v1/storefront/orders/{orderId}/bookings', { path }),
      thanks ? nothing : reading.then(cardOf).catch(() => null),
    ])
    return { order, lines: { product_lines, digital_lines, booking_lines }, card }
  }, id)
  // The provider's event settles the payment a moment after the card form has returned.
  usePolling(found, ({ order }) => !thanks || order.status !== 'pending' || order.paid_at !== null)
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
          <CardForm action={asked ?? ((isPaying && card) || nothing)} />
          {!asked && !(isPaying && card) && card?.type !== 'none' && (
            <Form label="Pay by card" submit={async () => setAsked(await cardOf(order))}>
              <p>{order.payment_error?.message}</p>
            </Form>
          )}
        </>
      )}
    </Loaded>
  )
}
