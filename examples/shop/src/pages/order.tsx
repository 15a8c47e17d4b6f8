// One order of the visitor: its lines, its bookings, its sums, and the card form while it waits for a card.
import { useState } from 'react'
import type { BookingLine, OrderMoney, PaymentAction, StorefrontOrder } from 'tillwright-client'
import { call } from '../api.ts'
import { CardForm, preloadForm } from '../card.tsx'
import { orderOf } from '../cart.ts'
import { Form, Loaded, Title, useLoad } from '../kit.tsx'
import { usePlace } from '../place.ts'
import { dateOf, moneyOf, stateOf, whenOf, words } from '../records.ts'
import { useShop } from '../shop.ts'

type Line = { id: string; status?: string; name: string | null; sku: string | null; quantity: number; subtotal: number }
type Time = BookingLine & { status?: string }
type SummaryProps = { money: OrderMoney; product_lines: Line[]; digital_lines: Line[]; booking_lines: Time[] }

export function Summary({ money, product_lines, digital_lines, booking_lines }: SummaryProps) {
  const { timezone } = useShop().store
  const { currency, subtotal, discount, shipping, tax, total } = money
  const goods = [...product_lines, ...digital_lines].map((line) => {
    return { ...line, label: `${line.quantity} × ${line.name ?? line.sku}` }
  })
  const times = booking_lines.map((line) => {
    return { ...line, label: [words(line.service_key), ...line.slots.map((slot) => whenOf(slot, timezone))].join(', ') }
  })
  const all = [...goods, ...times]
  // Lines that were replaced are cancelled; of a cancelled order all are, and shown.
  const live = all.filter(({ status }) => status !== 'cancelled')
  const lines = live[0] ? live : all
  const sums = { Subtotal: lines[1] ? subtotal : 0, Discount: -discount, Shipping: shipping }
  const due = { ...sums, [tax?.included ? 'Contains tax' : 'Tax']: tax?.amount ?? 0 }
  const rows = [
    ...lines.map(({ id, label, subtotal }) => ({ id, label, amount: subtotal })),
    ...Object.entries(due).flatMap(([label, amount]) => (amount === 0 ? [] : { id: label, label, amount })),
    { id: 'total', label: 'Total', amount: total },
  ]
  return (
    <table className="summary">
      <tbody>
        {rows.map(({ id, label, amount }) => (
          <tr key={id}>
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
  return (
    <Loaded from={useLoad(async () => (await orderOf(cart)) ?? null, String(cart))}>
      {(order) => (order ? <OrderPage id={order.id} thanks /> : <Title>Thank you</Title>)}
    </Loaded>
  )
}

const nothing: PaymentAction = { type: 'none' }
const isUnpaid = ({ status, paid_at }: StorefrontOrder) => status === 'pending' && paid_at === null
/** The checkout of the same cart again gives the same order, and its card form if it waits for a card. */
async function formOf(order: StorefrontOrder): Promise<PaymentAction> {
  if (!isUnpaid(order)) return nothing
  const path = { id: order.source_cart_id }
  const body = { return_url: `${location.origin}/thanks?cart=${path.id}` }
  return (await call('POST /v1/storefront/carts/{id}/checkout', { path, body })).payment_action
}

/** With `?pay` the card form is open, as after a checkout: a reload in the middle of it comes back to it. */
export function OrderPage({ id, thanks = false }: { id: string; thanks?: boolean }) {
  const isPaying = usePlace().searchParams.has('pay')
  const [asked, setAsked] = useState<PaymentAction | null>(null)
  const path = { orderId: id }
  async function load() {
    const reading = call('GET /v1/storefront/orders/{id}', { path: { id } })
    if (isPaying) preloadForm()
    const [order, product_lines, digital_lines, booking_lines, form] = await Promise.all([
      reading,
      call('GET /v1/storefront/orders/{orderId}/products', { path }),
      call('GET /v1/storefront/orders/{orderId}/digital-products', { path }),
      call('GET /v1/storefront/orders/{orderId}/bookings', { path }),
      thanks ? nothing : reading.then(formOf).catch(() => null),
    ])
    return { order, lines: { product_lines, digital_lines, booking_lines }, form }
  }
  // The provider's event settles the payment a moment after the card form has returned.
  const found = useLoad(load, id, ({ order }) => !thanks || !isUnpaid(order))
  return (
    <Loaded from={found}>
      {({ order, lines, form }) => {
        const open = asked ?? (isPaying ? form : null)
        return (
          <>
            <Title>{`${thanks ? 'Thank you: order' : 'Order'} ${order.number}`}</Title>
            <p role="status">
              {dateOf(order.created_at)}: {stateOf(order)}
              {order.fulfillment_status !== 'none' && `, ${words(order.fulfillment_status).toLowerCase()}`}
            </p>
            <section className="panel" aria-label="Summary">
              <Summary money={order.money} {...lines} />
            </section>
            {open && <CardForm action={open} />}
            {!open && form?.type !== 'none' && isUnpaid(order) && (
              <Form label="Pay by card" submit={async () => setAsked(await formOf(order))}>
                <p>{order.payment_error?.message}</p>
              </Form>
            )}
          </>
        )
      }}
    </Loaded>
  )
}
