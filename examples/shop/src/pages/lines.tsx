// What is in the cart, with the names and pictures of today: quantities change, 0 removes.
import type { Block, Cart } from 'tillwright-client'
import { call } from '../api.ts'
import { Picture, Problems, useAction, useLoad } from '../kit.tsx'
import { nameOf, optionOf, whenOf } from '../records.ts'
import { putBookings, putItem, useShop } from '../shop.ts'

type LineProps = {
  of: { key: string; blocks: Block[] }
  about: string
  quantity: number
  put(n: number): Promise<unknown>
}
function Line({ of, about, quantity, put }: LineProps) {
  const { run, busy, problems } = useAction()
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
            {...{ type: 'number', min: 0, defaultValue: quantity, disabled: busy }}
            onBlur={({ target: { valueAsNumber: n } }) => n !== quantity && void run(() => put(n))}
          />
        )}
        <button
          type="button"
          aria-label={`Remove ${nameOf(of)}`}
          disabled={busy}
          onClick={() => void run(() => put(0))}
        >
          Remove
        </button>
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
      products.length > 0 ? call('GET /v1/storefront/products', { query: { ids: products } }) : null,
      services.length > 0 ? call('GET /v1/storefront/services', { query: { ids: services } }) : null,
    ])
    const productOf = (item: { product_id: string }) => known?.items.find(({ id }) => id === item.product_id)
    return {
      productOf,
      variantOf: (item: Cart['product_items'][number]) =>
        productOf(item)?.variants.find(({ id }) => id === item.variant_id),
      serviceOf: (booking: { service_id: string }) => offered?.items.find(({ id }) => id === booking.service_id),
    }
  }, [...products, ...services].sort().join())
}

type LinesProps = { cart: Cart; known: NonNullable<ReturnType<typeof useKnown>['data']> }
export function Lines({ cart: { product_items, booking_items }, known }: LinesProps) {
  const { timezone } = useShop().store
  return (
    <ul className="lines">
      {product_items.map((item) => {
        const [product, variant] = [known.productOf(item), known.variantOf(item)]
        if (!product || !variant) return null
        const put = (quantity: number) => putItem({ ...item, quantity })
        return <Line key={variant.id} of={product} about={optionOf(variant).value} {...{ ...item, put }} />
      })}
      {booking_items.map((booking, n) => {
        const service = known.serviceOf(booking)
        const about = booking.slots.map(({ from }) => whenOf(from, timezone)).join('; ')
        const put = () => putBookings((before) => before.filter((_, at) => at !== n))
        return service && <Line key={`${service.id} ${about}`} of={service} quantity={0} {...{ about, put }} />
      })}
    </ul>
  )
}
