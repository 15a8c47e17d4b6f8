// The cart and its checkout: what is in it, where it goes, what it costs, how it is paid. It ends at the order.
import { useEffect, useRef, useState } from 'react'
import type { Address, OrderQuote } from 'tillwright-client'
import { call, isAnswer, messagesOf } from '../api.ts'
import { Choice, Email, Field, Form, Loaded, Problems, Title, textIn, useLoad } from '../kit.tsx'
import { countries, moneyOf, words } from '../records.ts'
import { endCheckout, identify, noteCheckout, type Priced, quoteCart, showOrder, takeCart, useShop } from '../shop.ts'
import { Lines, useKnown } from './lines.tsx'
import { Summary } from './order.tsx'

/** Fields of the address, with what browsers fill them by. All but the state are required. */
const addressFields = {
  name: ['Name', 'name'],
  street1: ['Street', 'address-line1'],
  postal_code: ['Postal code', 'postal-code'],
  city: ['City', 'address-level2'],
  state: ['State', 'address-level1'],
  country: ['Country', 'country'],
} as const
const names = Object.keys(addressFields) as (keyof typeof addressFields)[]
const addressOf = (text: (name: (typeof names)[number]) => string | null | undefined) =>
  Object.fromEntries(names.map((name) => [name, text(name) || null]))
const regions = new Intl.DisplayNames(undefined, { type: 'region' })

export function Checkout() {
  const { cart, market } = useShop()
  const [priced, setPriced] = useState<Priced | null>(null)
  const [problems, setProblems] = useState<string[]>([])
  const [pickup, setPickup] = useState(cart?.pickup_location_id ?? '')
  const places = useLoad(() => call('GET /v1/storefront/locations'), 'locations')
  const form = useRef<HTMLFormElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const running = useRef<Promise<Priced | null>>(Promise.resolve(null))
  const [goods, bookings] = [cart?.product_items ?? [], cart?.booking_items ?? []]
  const known = useKnown(goods, bookings)
  const isReady = known.data !== undefined && (places.data ?? places.problems) !== undefined
  const needsDelivery = goods.some((item) => known.data?.variantOf(item)?.requires_shipping)
  // A place that was chosen counts while it is offered.
  const at = needsDelivery && places.data?.some(({ id }) => id === pickup) ? pickup : ''
  const ships = needsDelivery && !at
  // Without goods it is the address of the invoice, which a tax may depend on.
  const kind = needsDelivery ? 'shipping_address' : 'billing_address'
  const needsAddress = !at && (needsDelivery || market.zones.some(({ tax_bps }) => tax_bps > 0))
  // What is shown while it is what the cart costs.
  const quote = problems.length === 0 ? priced?.quote : undefined

  /** Null without a complete address. Which shipping methods an address has says its quote. */
  async function priceForm(): Promise<Priced | null> {
    if (!form.current || !cart || !isReady) return null
    const sent = new FormData(form.current)
    const address = addressOf((name) => textIn(sent, name))
    const isComplete = names.every((name) => name === 'state' || address[name])
    if (needsAddress && !isComplete) return null
    const wanted = textIn(sent, 'shipping_method') || cart.shipping_method_id
    const methodIn = (methods: OrderQuote['shipping_methods']) => methods.find(({ id }) => id === wanted)
    const isSamePlace = names.every((name) => address[name] === (cart[kind]?.[name] ?? null))
    const kept = ships && isSamePlace ? methodIn(quote?.shipping_methods ?? []) : undefined
    const found = await quoteCart(cart, {
      ...{ pickup_location_id: at || null, promo_code: textIn(sent, 'promo_code') || null },
      ...(isComplete ? { [kind]: address } : {}),
      shipping_method_id: kept?.id ?? null,
    })
    const offered = found?.quote.shipping_methods ?? []
    const method = methodIn(offered) ?? offered[0]
    return kept || !ships || !method ? found : quoteCart(cart, { shipping_method_id: method.id })
  }
  /** One after the other. A change that another one follows is priced with it. */
  function price(): Promise<Priced | null> {
    clearTimeout(timer.current)
    timer.current = undefined
    const priceNow = async () => {
      if (mine !== running.current) return null
      const found = await priceForm()
      if (found) setPriced(found)
      setProblems([])
      return found
    }
    const mine: Promise<Priced | null> = running.current.then(priceNow).catch((error) => {
      setProblems(messagesOf(error))
      return null
    })
    running.current = mine
    return mine
  }
  const content = JSON.stringify([cart?.id, goods, bookings, isReady])
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when something else is bought, or goes elsewhere
  useEffect(() => void price(), [at, content])

  async function order(sent: FormData): Promise<void> {
    const found = await (quote && timer.current === undefined ? running.current : price())
    const expected_total = found?.quote.money.total
    // What was changed a moment ago may have another total, which the visitor sees first.
    if (!found || expected_total !== quote?.money.total) return
    await identify(textIn(sent, 'email'))
    const return_url = `${location.origin}/thanks?cart=${found.id}`
    const body = { payment_method_key: textIn(sent, 'payment_method'), return_url, expected_total }
    noteCheckout(found.id)
    try {
      const { order_id } = await call('POST /v1/storefront/carts/{id}/checkout', { path: { id: found.id }, body })
      showOrder(order_id)
    } catch (error) {
      if (!isAnswer(error)) throw error
      endCheckout()
      const { cart_id, order_id } = error.document as { cart_id?: string | null; order_id?: string }
      // The next cart has the same lines. What was ordered is shown. Else something is there at another price, or gone.
      if (cart_id) await takeCart(cart_id)
      else if (order_id) showOrder(order_id)
      else void price()
      throw error
    }
  }

  if (!cart || goods.length + bookings.length === 0)
    return (
      <>
        <Title>Your cart is empty</Title>
        <a href="/">Look around</a>
      </>
    )
  const named = [...new Set(market.zones.flatMap((zone) => zone.countries))]
  const isWorldwide = market.zones.length === 0 || market.zones.some((zone) => zone.countries.length === 0)
  const initial = (name: (typeof names)[number]) => cart[kind]?.[name] ?? (name === 'country' ? (named[0] ?? '') : '')
  const options = [...(named[0] ? [] : ['']), ...(isWorldwide ? countries : named)]
    .map((code) => [code, code && (regions.of(code) ?? code)] as const)
    .sort(([, a], [, b]) => a.localeCompare(b))
  const few = (quote?.product_lines ?? []).filter(({ available, quantity }) => (available ?? quantity) < quantity)
  const placeOf = (to: Address | null) => [to?.street1, to?.city].join(', ')
  const pickups = (places.data ?? []).map(({ id, address }) => [id, `Pick it up: ${placeOf(address)}`] as const)
  const deliveries = [['', 'Ship it'] as const, ...pickups]
  const methods = (ships ? (priced?.quote.shipping_methods ?? []) : []).map(
    ({ id, name, eta_text, amount }) =>
      [id, `${name ?? words(id)}, ${eta_text}: ${moneyOf(amount, market.currency)}`] as const,
  )
  const payments = (priced?.quote.payment_methods ?? []).map(({ key }) => [key, words(key)] as const)
  const preferred = priced?.quote.payment_methods.find(({ type }) => type === 'card')?.key ?? 'cash'
  const changed = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void price(), 400)
  }
  return (
    <>
      <Title>Your cart</Title>
      <Loaded from={known}>{(records) => <Lines cart={cart} known={records} />}</Loaded>
      <div className="split">
        <Form label={quote ? 'Order now' : 'See the total'} submit={order} ref={form} onChange={changed}>
          <Email />
          {needsDelivery && places.data?.[0] && (
            <Choice label="Delivery" name="delivery" options={deliveries} value={at} choose={setPickup} />
          )}
          {needsAddress && (
            <fieldset>
              <legend>Address</legend>
              {names.map((name) => (
                <Field
                  key={name}
                  label={addressFields[name][0]}
                  {...{ name, autoComplete: addressFields[name][1], required: name !== 'state' }}
                  {...{ defaultValue: initial(name), options: name === 'country' ? options : undefined }}
                />
              ))}
            </fieldset>
          )}
          {methods.length > 0 && (
            <Choice label="Shipping" name="shipping_method" options={methods} value={cart.shipping_method_id ?? ''} />
          )}
          <Field label="Promo code" name="promo_code" defaultValue={cart.promo_code ?? ''} />
          {priced && <Choice label="Payment" name="payment_method" options={payments} value={preferred} />}
        </Form>
        <section className="panel" aria-labelledby="summary" aria-live="polite">
          <h2 id="summary">Summary</h2>
          <Problems of={[...problems, ...few.map(({ name, available }) => `Only ${available} of ${name} are left.`)]} />
          {quote ? <Summary {...quote} /> : <p>Enter where it goes to see the total.</p>}
        </section>
      </div>
    </>
  )
}
