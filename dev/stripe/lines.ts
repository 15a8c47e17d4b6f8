// Lines: quantity times unit amount, in one currency.
import type Stripe from 'stripe'
import { invalid, missing, refused } from './errors.ts'
import type { Fields } from './form.ts'
import { newId, unixSeconds } from './ids.ts'

export function formLines(items: Fields[]): Stripe.LineItem[] {
  if (items.length === 0) throw refused('You must provide at least one line item.', { param: 'line_items', code: 'parameter_missing', stored: false })
  if (items.length > 100) throw invalid('You can have at most 100 line items.', 'line_items')
  return items.map(formLine)
}

function formLine(item: Fields): Stripe.LineItem {
  const id = item.text('price')
  if (id !== undefined) throw missing('price', id, item.name('price'), 400)
  const data = item.map('price_data')
  if (!data) throw invalid('You must provide one of `price` or `price_data` for each line item.', item.name('price_data'), 'parameter_missing')
  const currency = data.needed('currency').toLowerCase()
  if (!/^[a-z]{3}$/.test(currency)) throw invalid(`Invalid currency: ${currency}.`, data.name('currency'))
  const unit_amount = data.integer('unit_amount')
  if (unit_amount === undefined) throw invalid(`Missing required param: ${data.name('unit_amount')}.`, data.name('unit_amount'), 'parameter_missing')
  if (unit_amount < 0) throw invalid('This value must be greater than or equal to 0.', data.name('unit_amount'), 'parameter_invalid_integer')
  const product = data.map('product_data')
  if (!product) throw invalid(`Missing required param: ${data.name('product_data')}.`, data.name('product_data'), 'parameter_missing')
  const name = product.needed('name')
  product.metadata()
  product.ignore('description', 'images', 'tax_code')
  const tax_behavior = data.oneOf('tax_behavior', ['exclusive', 'inclusive', 'unspecified']) ?? 'unspecified'
  const quantity = item.integer('quantity')
  if (quantity === undefined || quantity < 1) throw invalid('Quantity is required. Add `quantity` to each line item.', item.name('quantity'))
  const total = unit_amount * quantity
  return {
    id: newId('li'),
    object: 'item',
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: total,
    amount_tax: 0,
    amount_total: total,
    currency,
    description: name,
    metadata: item.metadata(),
    price: inlinePrice(currency, unit_amount, tax_behavior),
    quantity,
  }
}

/** The price that Stripe creates for `price_data`. It is not active, because it cannot be reused. */
function inlinePrice(currency: string, unit_amount: number, tax_behavior: 'exclusive' | 'inclusive' | 'unspecified'): Stripe.Price {
  return {
    id: newId('price'),
    object: 'price',
    active: false,
    billing_scheme: 'per_unit',
    created: unixSeconds(),
    currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: newId('prod', 14),
    recurring: null,
    tax_behavior,
    tiers_mode: null,
    transform_quantity: null,
    type: 'one_time',
    unit_amount,
    // The API sends a decimal string; the SDK parses it.
    unit_amount_decimal: String(unit_amount) as unknown as Stripe.Price['unit_amount_decimal'],
  }
}

export function totalOf(lines: Stripe.LineItem[]): { currency: string; total: number } {
  const currency = lines[0]?.currency ?? ''
  if (lines.some((line) => line.currency !== currency)) throw invalid('All line items must have the same currency.', 'line_items')
  return { currency, total: lines.reduce((sum, line) => sum + line.amount_total, 0) }
}
