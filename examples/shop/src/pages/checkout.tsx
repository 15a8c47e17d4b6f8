// The cart and its checkout: what is in it, where it goes, what it costs, how it is paid. It ends at the order.
import { useRef, useState } from 'react'
import type { Cart } from 'tillwright-client'
import { isProblem } from '../api.ts'
import { type Change, checkOut, quoteCart } from '../cart.ts'
import { Choice, Email, Field, Form, Loaded, type Option, Problems, Title, textIn, useLoad } from '../kit.tsx'
import { countries, countryOf, moneyOf, words } from '../records.ts'
import { identify, useShop } from '../shop.ts'
import { Lines, soldAs, useKnown } from './lines.tsx'
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

export function CartPage() {
  const { cart } = useShop()
  if (cart && cart.product_items.length + cart.booking_items.length > 0) return <Checkout cart={cart} />
  return (
    <>
      <Title>Your cart is empty</Title>
      <a href="/">Look around</a>
    </>
  )
}

function Checkout({ cart }: { cart: Cart }) {
  const { market } = useShop()
  const form = useRef<HTMLFormElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [pickup, setPickup] = useState(cart.pickup_location_id ?? '')
  const found = useKnown(cart)
  const { data: known } = found
  const needsDelivery = cart.product_items.some((item) => known && soldAs(item, known)?.variant.requires_shipping)
  const places = needsDelivery && known ? known.places : []
  // A place that was chosen counts while it is offered.
  const at = places.some(({ id }) => id === pickup) ? pickup : ''
  const ships = needsDelivery && !at
  // Without goods it is the address of the invoice, which a tax may depend on.
  const kind = needsDelivery ? 'shipping_address' : 'billing_address'
  const needsAddress = !at && (needsDelivery || market.zones.some(({ tax_bps }) => tax_bps > 0))

  /** What the form says of the cart: an address once it is complete. */
  function changeIn(sent: FormData): Change {
    const address = Object.fromEntries(names.map((name) => [name, textIn(sent, name) || null]))
    const isComplete = names.every((name) => name === 'state' || address[name])
    return {
      pickup_location_id: at || null,
      promo_code: textIn(sent, 'promo_code') || null,
      shipping_method_id: ships ? textIn(sent, 'shipping_method') || cart.shipping_method_id : null,
      ...(isComplete ? { [kind]: address } : {}),
    }
  }
  /** Null without a complete address, whose quote says how goods are shipped there: at first by the first method. */
  async function price() {
    if (!form.current || !known) return null
    const change = changeIn(new FormData(form.current))
    if (needsAddress && !change[kind]) return null
    const quote = await quoteCart(cart.id, change).catch((error) => {
      // The method is one of the address before.
      if (!isProblem(error, 'shipping_method_unknown')) throw error
      return quoteCart(cart.id, { ...change, shipping_method_id: null })
    })
    const first = quote?.shipping_lines.length === 0 ? quote.shipping_methods[0] : undefined
    return first ? quoteCart(cart.id, { shipping_method_id: first.id }) : quote
  }
  // Again when something else is bought, or goes elsewhere, and a moment after each change of the form.
  const key = [cart.id, cart.product_items, cart.booking_items, known !== undefined, needsDelivery, at]
  const { data: priced, problems, again } = useLoad(price, JSON.stringify(key))
  const changed = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(again, 400)
  }
  // What is shown while it is what the cart costs.
  const quote = problems ? null : priced

  /** A change of a moment ago may have another total: the API refuses it then, and the visitor sees the total first. */
  async function order(sent: FormData): Promise<void> {
    if (!quote) return again()
    clearTimeout(timer.current)
    await identify(textIn(sent, 'email'))
    const payment = { payment_method_key: textIn(sent, 'payment_method'), expected_total: quote.money.total }
    await checkOut(cart.id, changeIn(sent), payment).catch((error) => {
      again()
      throw error
    })
  }

  const { zones, currency } = market
  const named = [...new Set(zones.flatMap((zone) => zone.countries))]
  const isWorldwide = zones.length === 0 || zones.some((zone) => zone.countries.length === 0)
  const initial = (name: (typeof names)[number]) => cart[kind]?.[name] ?? (name === 'country' ? named[0] : '')
  const options = [...(named[0] ? [] : ['']), ...(isWorldwide ? countries : named)]
    .map((code): Option => [code, countryOf(code)])
    .sort(([, a], [, b]) => a.localeCompare(b))
  const few = (quote?.product_lines ?? []).filter(({ available, quantity }) => (available ?? quantity) < quantity)
  const pickups = places.map(({ id, address: to }): Option => [id, `Pick it up: ${to?.street1}, ${to?.city}`])
  const deliveries: Option[] = [['', 'Ship it'], ...pickups]
  const methods = (ships ? (priced?.shipping_methods ?? []) : []).map(
    ({ id, name, eta_text, amount }): Option => [id, `${name ?? words(id)}, ${eta_text}: ${moneyOf(amount, currency)}`],
  )
  const payments = (priced?.payment_methods ?? []).map(({ key }): Option => [key, words(key)])
  const preferred = priced?.payment_methods.find(({ type }) => type === 'card')?.key ?? payments[0]?.[0] ?? ''
  return (
    <>
      <Title>Your cart</Title>
      <Loaded from={found}>{(records) => <Lines cart={cart} known={records} />}</Loaded>
      <div className="split">
        <Form label={quote ? 'Order now' : 'See the total'} submit={order} ref={form} onChange={changed}>
          <Email />
          {places[0] && <Choice label="Delivery" name="delivery" options={deliveries} value={at} choose={setPickup} />}
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
          {methods[0] && (
            <Choice label="Shipping" name="shipping_method" options={methods} value={cart.shipping_method_id} />
          )}
          <Field label="Promo code" name="promo_code" defaultValue={cart.promo_code ?? ''} />
          {payments[0] && <Choice label="Payment" name="payment_method" options={payments} value={preferred} />}
        </Form>
        <section className="panel" aria-labelledby="summary" aria-live="polite">
          <h2 id="summary">Summary</h2>
          <Problems of={problems ?? []} />
          <Problems of={few.map(({ name, available }) => `Only ${available} of ${name} are left.`)} />
          {quote ? <Summary {...quote} /> : <p>Enter where it goes to see the total.</p>}
        </section>
      </div>
    </>
  )
}
