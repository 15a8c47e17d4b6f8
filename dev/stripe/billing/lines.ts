// Lines: quantity times unit amount, in one currency.
import type Stripe from 'stripe'
import type { Call } from '../calls.ts'
import { invalid, refused } from '../errors.ts'
import type { Fields } from '../form.ts'
import { newId } from '../ids.ts'
import { find, get, put } from '../objects.ts'
import { newPrice, priceFields, productOf } from './prices.ts'

type Mode = 'payment' | 'subscription'

export function formLines(call: Call, mode: Mode, items: Fields[]): Stripe.LineItem[] {
  if (items.length === 0)
    throw refused('You must provide at least one line item.', {
      param: 'line_items',
      code: 'parameter_missing',
      stored: false,
    })
  if (items.length > 100) throw invalid('You can have at most 100 line items.', 'line_items')
  const lines = items.map((item) => formLine(call, mode, item))
  const recurring = lines.flatMap((line) => line.price?.recurring ?? [])
  if (mode === 'payment' && recurring.length > 0)
    throw refused(
      'You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.',
      {
        param: 'line_items',
      },
    )
  if (mode === 'subscription' && recurring.length === 0)
    throw refused('You must provide at least one recurring price in `subscription` mode when using prices.', {
      param: 'line_items',
    })
  const [first] = recurring
  if (first && recurring.some((one) => one.interval !== first.interval || one.interval_count !== first.interval_count))
    throw refused('Checkout does not support multiple prices with different billing intervals.', {
      param: 'line_items',
    })
  return lines
}

function formLine(call: Call, mode: Mode, item: Fields): Stripe.LineItem {
  const { price, name } = priceOf(call, mode, item)
  const quantity = item.integer('quantity')
  if (quantity === undefined || quantity < 1)
    throw invalid('Quantity is required. Add `quantity` to each line item.', item.name('quantity'))
  const total = (price.unit_amount ?? 0) * quantity
  return {
    id: newId('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: total,
    amount_tax: 0,
    amount_total: total,
    currency: price.currency,
    description: name,
    metadata: item.metadata(),
    price,
    quantity,
  }
}

function priceOf(call: Call, mode: Mode, item: Fields): { price: Stripe.Price; name: string } {
  const id = item.text('price')
  if (id !== undefined) {
    const price = get('price', call.account, id, item.name('price'), 400)
    if (!price.active)
      throw refused('The price specified is inactive. This field only accepts active prices.', {
        param: item.name('price'),
      })
    return { price, name: find('product', call.account, String(price.product))?.name ?? id }
  }
  const data = item.map('price_data')
  if (!data)
    throw invalid(
      'You must provide one of `price` or `price_data` for each line item.',
      item.name('price_data'),
      'parameter_missing',
    )
  const common = priceFields(data)
  const productData = data.map('product_data')
  const productId = data.text('product')
  if (!productData && productId === undefined)
    throw invalid(
      `Missing required param: ${data.name('product_data')}.`,
      data.name('product_data'),
      'parameter_missing',
    )
  const product = productData
    ? productOf(productData)
    : get('product', call.account, String(productId), data.name('product'), 400)
  // Stripe creates an inactive price for `price_data`, because it cannot be used again.
  const price = newPrice({ ...common, active: false, product: product.id })
  if (mode === 'subscription') {
    if (productData) put(call.account, product)
    put(call.account, price)
  }
  return { price, name: product.name }
}

/** The lines after `discount`, which is taken off the first lines. */
export function discounted(lines: Stripe.LineItem[], discount: number): Stripe.LineItem[] {
  let left = discount
  return lines.map((line) => {
    const amount_discount = Math.min(left, line.amount_subtotal)
    left -= amount_discount
    return { ...line, amount_discount, amount_total: line.amount_subtotal - amount_discount }
  })
}

export function totalOf(lines: Stripe.LineItem[]): { currency: string; total: number } {
  const currency = lines[0]?.currency ?? ''
  if (lines.some((line) => line.currency !== currency))
    throw invalid('All line items must have the same currency.', 'line_items')
  return { currency, total: lines.reduce((sum, line) => sum + line.amount_total, 0) }
}
