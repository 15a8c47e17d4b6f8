// What is in the cart, with the names of today: quantities change, 0 removes. What is not sold any more stands there.
import type { Cart } from 'tillwright-client'
import { call } from '../api.ts'
import { putBooking, putItem } from '../cart.ts'
import { Button, Picture, Problems, useAction, useLoad } from '../kit.tsx'
import { type Described, nameOf, optionOf, whenOf } from '../records.ts'
import { useShop } from '../shop.ts'

type LineProps = { of: Described; about: string; quantity: number; put(n: number): Promise<unknown> }
function Line({ of, about, quantity, put }: LineProps) {
  const { run, problems } = useAction()
  return (
    <li>
      <Picture of={of} sizes="80px" />
      <div>
        <b>{nameOf(of)}</b>
        <small>{about}</small>
        <Problems of={problems} />
      </div>
      <span className="end">
        {quantity > 0 && (
          <input
            aria-label={`Quantity of ${nameOf(of)}`}
            {...{ key: quantity, type: 'number', min: 0, defaultValue: quantity }}
            onBlur={({ target }) => {
              const wanted = target.valueAsNumber
              // An emptied field is no number.
              if (Number.isNaN(wanted)) target.value = String(quantity)
              else if (wanted !== quantity) void run(() => put(wanted))
            }}
          />
        )}
        <Button aria-label={`Remove ${nameOf(of)}`} onClick={() => void run(() => put(0))}>
          Remove
        </Button>
      </span>
    </li>
  )
}

const none = { items: [] as never[] }
/** The records of what is in the cart, which of them were looked for, and where goods are picked up. */
export function useKnown({ product_items: goods, booking_items: bookings }: Cart) {
  const named = [...goods.map(({ product_id }) => product_id), ...bookings.map(({ service_id }) => service_id)]
  const ids = [...new Set(named)].sort()
  const query = { ids, limit: 100 }
  return useLoad(async () => {
    const [products, services, places] = await Promise.all([
      goods.length > 0 ? call('GET /v1/storefront/products', { query }) : none,
      bookings.length > 0 ? call('GET /v1/storefront/services', { query }) : none,
      call('GET /v1/storefront/locations'),
    ])
    return { ids, products: products.items, services: services.items, places }
  }, ids.join())
}
type Known = NonNullable<ReturnType<typeof useKnown>['data']>
export function soldAs(item: Cart['product_items'][number], { products }: Known) {
  const product = products.find(({ id }) => id === item.product_id)
  const variant = product?.variants.find(({ id }) => id === item.variant_id)
  return product && variant ? { product, variant } : null
}

const gone = { of: { key: 'no longer available', blocks: [] }, about: '', quantity: 0 }
export function Lines({ cart: { product_items, booking_items }, known }: { cart: Cart; known: Known }) {
  const { timezone } = useShop().store
  const goods = product_items.map((item) => {
    const sold = soldAs(item, known)
    const shown = sold ? { of: sold.product, about: optionOf(sold.variant).value, quantity: item.quantity } : gone
    const put = (quantity: number) => putItem({ ...item, quantity })
    return { id: item.product_id, key: item.variant_id, ...shown, put }
  })
  const bookings = booking_items.map((booking) => {
    const about = booking.slots.map((slot) => whenOf(slot, timezone)).join('; ')
    const of = known.services.find(({ id }) => id === booking.service_id) ?? gone.of
    const key = [booking.service_id, booking.provider_id, about].join()
    return { id: booking.service_id, key, of, about, quantity: 0, put: () => putBooking(booking, false) }
  })
  // What was added a moment ago is looked for.
  const lines = [...goods, ...bookings].filter(({ id }) => known.ids.includes(id))
  return (
    <ul className="lines">
      {lines.map(({ key, ...line }) => (
        <Line key={key} {...line} />
      ))}
    </ul>
  )
}
