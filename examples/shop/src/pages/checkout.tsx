// The cart and its checkout: what is in it, where it goes, what it costs, how it is paid; then the card form.
import { useEffect, useRef, useState } from 'react'
import type { OrderQuote, PaymentAction } from 'tillwright-client'
import { call, messagesOf } from '../api.ts'
import { CardForm } from '../card.tsx'
import { Choice, Email, Field, Form, go, Loaded, Problems, textIn, useLoad } from '../kit.tsx'
import { moneyOf, words } from '../records.ts'
import { changeCart, identify, leaveCart, useShop } from '../shop.ts'
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
  const [action, setAction] = useState<PaymentAction>({ type: 'none' })
  const [quote, setQuote] = useState<OrderQuote | null>(null)
  const [problems, setProblems] = useState<string[]>([])
  const [pickup, setPickup] = useState(cart?.pickup_location_id ?? '')
  const places = useLoad(() => call('GET /v1/storefront/locations'), 'locations')
  const form = useRef<HTMLFormElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const turn = useRef(0)
  const [goods, bookings] = [cart?.product_items ?? [], cart?.booking_items ?? []]
  const known = useKnown(goods, bookings)
  const needsDelivery = goods.some((item) => known.data?.variantOf(item)?.requires_shipping)
  // Without goods it is the address of the invoice, which a tax may depend on.
  const kind = needsDelivery ? 'shipping_address' : 'billing_address'
  const needsAddress = !pickup && (needsDelivery || market.zones.some(({ tax_bps }) => tax_bps > 0))

  /** Stores what the form says and prices the cart, in two requests; null without a complete address. */
  async function price(): Promise<OrderQuote | null> {
    clearTimeout(timer.current)
    timer.current = undefined
    if (!form.current || !known.data) return null
    const sent = new FormData(form.current)
    const mine = ++turn.current
    const address = addressOf((name) => textIn(sent, name))
    const isComplete = names.every((name) => name === 'state' || address[name])
    if (needsAddress && !isComplete) return null
    const zones = market.zones.filter(({ countries }) => countries.includes(address.country ?? ''))
    const methods = zones.flatMap(({ shipping_methods }) => shipping_methods)
    const method = methods.find(({ id }) => id === textIn(sent, 'shipping_method')) ?? methods[0]
    let [priced, said]: [OrderQuote | null, string[]] = [null, []]
    try {
      const change = {
        ...{ pickup_location_id: pickup || null, promo_code: textIn(sent, 'promo_code') || null },
        ...(isComplete ? { [kind]: address } : {}),
        shipping_method_id: (needsDelivery && isComplete && method?.id) || null,
      }
      const before = { ...cart, [kind]: addressOf((name) => cart?.[kind]?.[name]) }
      const isSame = JSON.stringify({ ...before, ...change }) === JSON.stringify(before)
      const { id } = cart && isSame ? cart : await changeCart(change)
      priced = await call('POST /v1/storefront/carts/{id}/quote', { path: { id } })
    } catch (error) {
      said = messagesOf(error)
    }
    // Another change is on its way.
    if (mine !== turn.current) return null
    setProblems(said)
    setQuote(priced)
    return priced
  }
  const content = JSON.stringify([goods, bookings, known.data !== undefined])
  // biome-ignore lint/correctness/useExhaustiveDependencies: again when something else is bought, or goes elsewhere
  useEffect(() => void price(), [pickup, content])

  async function order(sent: FormData): Promise<void> {
    // What was typed a moment ago may have another total, which the visitor sees first.
    const priced = timer.current === undefined && quote ? quote : await price()
    if (!cart || !priced || priced.money.total !== quote?.money.total) return
    await identify(textIn(sent, 'email'))
    const body = {
      payment_method_key: textIn(sent, 'payment_method'),
      return_url: `${location.origin}/thanks?cart=${cart.id}`,
      expected_total: priced.money.total,
    }
    const placed = await call('POST /v1/storefront/carts/{id}/checkout', { path: { id: cart.id }, body })
    setAction(placed.payment_action)
    leaveCart()
    if (placed.payment_action.type === 'none') go(`/orders/${placed.order_id}`)
  }

  const isPaying = action.type !== 'none'
  if (isPaying || !cart || goods.length + bookings.length === 0)
    return (
      <>
        <h1>{isPaying ? 'Pay by card' : 'Your cart is empty'}</h1>
        {isPaying ? <CardForm action={action} /> : <a href="/">Look around</a>}
      </>
    )
  const countries = [...new Set(market.zones.flatMap((zone) => zone.countries))]
  const initial = (name: (typeof names)[number]) => cart[kind]?.[name] ?? (name === 'country' ? countries[0] : '')
  const options = countries.map((code) => [code, regions.of(code) ?? code] as const)
  const few = (quote?.product_lines ?? []).filter(({ available, quantity }) => (available ?? quantity) < quantity)
  const pickups = (places.data ?? []).map(
    ({ id, address }) => [id, `Pick it up: ${address?.street1 ?? ''}, ${address?.city ?? ''}`] as const,
  )
  const changed = () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void price(), 400)
  }
  return (
    <>
      <h1>Your cart</h1>
      <Loaded from={known}>{(records) => <Lines cart={cart} known={records} />}</Loaded>
      <div className="split">
        <Form label={quote ? 'Order now' : 'See the total'} submit={order} ref={form} onChange={changed}>
          <Email />
          {needsDelivery && pickups.length > 0 && (
            <Choice
              label="Delivery"
              name="delivery"
              options={[['', 'Ship it'], ...pickups]}
              value={pickup}
              choose={setPickup}
            />
          )}
          {needsAddress && (
            <fieldset>
              <legend>Address</legend>
              {names.map((name) => (
                <Field
                  key={name}
                  label={addressFields[name][0]}
                  {...{ name, autoComplete: addressFields[name][1], required: name !== 'state' }}
                  {...{ defaultValue: initial(name), options: name === 'country' && options[0] ? options : undefined }}
                />
              ))}
            </fieldset>
          )}
          {quote && quote.shipping_methods.length > 0 && (
            <Choice
              label="Shipping"
              name="shipping_method"
              options={quote.shipping_methods.map(({ id, name, eta_text, amount }) => {
                return [id, `${name ?? words(id)}, ${eta_text}: ${moneyOf(amount, market.currency)}`]
              })}
              value={cart.shipping_method_id ?? ''}
            />
          )}
          <Field label="Promo code" name="promo_code" defaultValue={cart.promo_code ?? ''} />
          {quote && (
            <Choice
              label="Payment"
              name="payment_method"
              options={quote.payment_methods.map(({ key }) => [key, words(key)])}
              value={quote.payment_methods.find(({ type }) => type === 'card')?.key ?? 'cash'}
            />
          )}
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
