// Prices: amount, currency and interval never change, and a lookup key belongs to one price of an account.
import type Stripe from 'stripe'
import type { Call, Route } from '../calls.ts'
import { invalid, refused } from '../errors.ts'
import type { Fields } from '../form.ts'
import { newId, unixSeconds } from '../ids.ts'
import { list, one } from '../lists.ts'
import { maximumAmount } from '../money.ts'
import { all, get, put } from '../objects.ts'
import { blankProduct, decimal } from './shapes.ts'

type Price = Stripe.Price
type Recurring = Stripe.Price.Recurring

/** Three years. */
const longest: Record<string, number> = { day: 1095, week: 156, month: 36, year: 3 }

/** The fields that a price and the `price_data` of a line have in common. */
export function priceFields(
  fields: Fields,
): Pick<Price, 'currency' | 'recurring' | 'tax_behavior'> & { unit_amount: number } {
  const currency = fields.needed('currency').toLowerCase()
  if (!/^[a-z]{3}$/.test(currency)) throw invalid(`Invalid currency: ${currency}.`, fields.name('currency'))
  const name = fields.name('unit_amount')
  const unit_amount = fields.integer('unit_amount')
  if (unit_amount === undefined) throw invalid(`Missing required param: ${name}.`, name, 'parameter_missing')
  if (unit_amount < 0)
    throw invalid('This value must be greater than or equal to 0.', name, 'parameter_invalid_integer')
  const tax_behavior = fields.oneOf('tax_behavior', ['exclusive', 'inclusive', 'unspecified']) ?? 'unspecified'
  return { currency, unit_amount, tax_behavior, recurring: recurringOf(fields.map('recurring')) }
}

function recurringOf(fields: Fields | undefined): Recurring | null {
  if (!fields) return null
  const interval = fields.oneOf('interval', ['day', 'week', 'month', 'year']) ?? fields.needed('interval')
  const interval_count = fields.integer('interval_count') ?? 1
  fields.oneOf('usage_type', ['licensed'])
  if (interval_count < 1 || interval_count > (longest[interval] ?? 0))
    throw invalid('The interval must be at least one and at most three years.', fields.name('interval_count'))
  return { interval, interval_count, meter: null, trial_period_days: null, usage_type: 'licensed' }
}

export function newPrice(
  o: Pick<Price, 'active' | 'currency' | 'recurring' | 'tax_behavior'> & { unit_amount: number; product: string },
): Price {
  return {
    id: newId('price'),
    object: 'price',
    billing_scheme: 'per_unit',
    created: unixSeconds(),
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    tiers_mode: null,
    transform_quantity: null,
    type: o.recurring ? 'recurring' : 'one_time',
    unit_amount_decimal: decimal(o.unit_amount),
    ...o,
  }
}

/** Reads `product_data`. */
export function productOf(data: Fields): Stripe.Product {
  const created = unixSeconds()
  const product = {
    ...blankProduct,
    id: data.text('id') ?? newId('prod', 14),
    name: data.needed('name'),
    metadata: data.metadata(),
    created,
    updated: created,
  }
  data.ignore('active', 'description', 'images', 'statement_descriptor', 'tax_code', 'tax_details', 'unit_label')
  return product
}

function create(call: Call, fields: Fields): Price {
  const common = priceFields(fields)
  const data = fields.map('product_data')
  const productId = fields.text('product')
  if (Boolean(data) === (productId !== undefined))
    throw invalid(
      'You must specify either `product` or `product_data` when creating a price.',
      data ? 'product_data' : 'product',
      'parameter_missing',
    )
  const made = data && productOf(data)
  const lookup_key = fields.text('lookup_key') ?? null
  const transfers = fields.flag('transfer_lookup_key') ?? false
  const own = {
    active: fields.flag('active') ?? true,
    metadata: fields.metadata(),
    nickname: fields.text('nickname') ?? null,
  }
  fields.oneOf('billing_scheme', ['per_unit'])
  fields.done()
  if (common.unit_amount > maximumAmount)
    throw refused('The amount must be no more than 999,999.99.', { code: 'amount_too_large', param: 'unit_amount' })
  if (lookup_key !== null) releaseKey(call, lookup_key, transfers)
  const product = made ? put(call.account, made) : get('product', call.account, String(productId), 'product', 400)
  return put(call.account, { ...newPrice({ ...common, active: own.active, product: product.id }), ...own, lookup_key })
}

/** Takes a lookup key from the price that has it, which may be an archived one. */
function releaseKey(call: Call, lookup_key: string, transfers: boolean, except?: string): void {
  const holder = all('price', call.account).find((price) => price.lookup_key === lookup_key && price.id !== except)
  if (!holder) return
  if (!transfers) throw refused(`A price (\`${holder.id}\`) already uses that lookup key.`, { param: 'lookup_key' })
  put(call.account, { ...holder, lookup_key: null })
}

function update(call: Call, fields: Fields, id: string): Price {
  const before = get('price', call.account, id, 'price')
  const lookup_key = fields.textOrNull('lookup_key')
  const transfers = fields.flag('transfer_lookup_key') ?? false
  const after = {
    ...before,
    active: fields.flag('active') ?? before.active,
    metadata: fields.mergedMetadata(before.metadata),
    nickname: fields.text('nickname') ?? before.nickname,
    ...(lookup_key !== undefined && { lookup_key }),
  }
  fields.done()
  if (lookup_key) releaseKey(call, lookup_key, transfers, id)
  return put(call.account, after)
}

export const priceRoutes: Route[] = [
  ['POST', '/v1/prices', create],
  [
    'GET',
    '/v1/prices',
    (call, fields) => {
      const keys = fields.texts('lookup_keys')
      const filters = {
        active: (price: Price) => price.active,
        currency: (price: Price) => price.currency,
        product: (price: Price) => price.product,
        type: (price: Price) => price.type,
      }
      if (keys.length > 10) throw invalid('You can specify up to 10 lookup keys.', 'lookup_keys')
      return list(
        'price',
        call.account,
        call.path,
        fields,
        filters,
        (price) => keys.length === 0 || keys.includes(price.lookup_key ?? ''),
      )
    },
  ],
  ['GET', '/v1/prices/:id', one('price', 'price')],
  ['POST', '/v1/prices/:id', update],
  ['GET', '/v1/products/:id', one('product', 'id')],
]
