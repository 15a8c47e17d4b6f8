// What is in the cart, with the names of today: quantities change, 0 removes. What is not sold any more stands there.
import type { Cart } from 'tillwright-client'
import { call } from '../api.ts'
import { Button, Picture, Problems, useAction, useLoad } from '../kit.tsx'
import { type Described, nameOf, optionOf, whenOf } from '../records.ts'
import { putBooking, putItem, useShop } from '../shop.ts'

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

/** The records of what is in the cart. */
export function useKnown(goods: Cart['product_items'], bookings: Cart['booking_items']) {
  const products = [...new Set(goods.map(({ product_id }) => product_id))]
  const services = [...new Set(bookings.map(({ service_id }) => service_id))]
  return useLoad(async () => {
    const [known, offered] = await Promise.all([
      products.length > 0 ? call('GET /v1/storefront/products', { query: { ids: products, limit: 100 } }) : null,
      services.length > 0 ? call('GET /v1/storefront/services', { query: { ids: services, limit: 100 } }) : null,
    ])
    const productOf = (item: { product_id: string }) => known?.items.find(({ id }) => id === item.product_id)
    return {
      isRead: (id: string) => products.includes(id) || services.includes(id),
      productOf,
      variantOf: (item: Cart['product_items'][number]) =>
        productOf(item)?.variants.find(({ id }) => id === item.variant_id),
      serviceOf: (booking: { service_id: string }) => offered?.items.find(({ id }) => id === booking.service_id),
    }
  }, [...products, ...services].sort().join())
}

const gone = { key: 'no longer available', blocks: [] }
type LinesProps = { cart: Cart; known: NonNullable<ReturnType<typeof useKnown>['data']> }
export function Lines({ cart: { product_items, booking_items }, known }: LinesProps) {
  const { timezone } = useShop().store
  return (
    <ul className="lines">
      {product_items.map((item) => {
        if (!known.isRead(item.product_id)) return null
        const [product, variant] = [known.productOf(item), known.variantOf(item)]
        const put = (quantity: number) => putItem({ ...item, quantity })
        const shown = product && variant ? { of: product, about: optionOf(variant).value } : { of: gone, about: '' }
        return <Line key={item.variant_id} {...shown} quantity={product && variant ? item.quantity : 0} put={put} />
      })}
      {booking_items.map((booking) => {
        if (!known.isRead(booking.service_id)) return null
        const about = booking.slots.map((slot) => whenOf(slot, timezone)).join('; ')
        const key = [booking.service_id, booking.provider_id, about].join()
        const put = () => putBooking(booking, false)
        return <Line key={key} of={known.serviceOf(booking) ?? gone} quantity={0} {...{ about, put }} />
      })}
    </ul>
  )
}
