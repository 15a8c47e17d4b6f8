// Coupons for one payment: the caller may choose the id, and a second coupon with it is refused.
import type Stripe from 'stripe'
import type { Call, Route } from '../calls.ts'
import { invalid, Refusal, refused } from '../errors.ts'
import type { Fields } from '../form.ts'
import { random, unixSeconds } from '../ids.ts'
import { list, one } from '../lists.ts'
import { find, get, put } from '../objects.ts'
import { blankCoupon } from './shapes.ts'

type Coupon = Stripe.Coupon

function create(call: Call, fields: Fields): Coupon {
  const amount_off = fields.integer('amount_off') ?? null
  const percent_off = percentOf(fields)
  const currency = fields.text('currency')?.toLowerCase() ?? null
  const duration = fields.oneOf('duration', ['once']) ?? 'once'
  const coupon: Coupon = {
    ...blankCoupon,
    id: fields.text('id') ?? random(8),
    amount_off,
    percent_off,
    currency: amount_off === null ? null : currency,
    created: unixSeconds(),
    duration,
    max_redemptions: fields.integer('max_redemptions') ?? null,
    metadata: fields.metadata(),
    name: fields.text('name') ?? null,
    redeem_by: fields.integer('redeem_by') ?? null,
  }
  fields.done()
  if ((amount_off === null) === (percent_off === null))
    throw refused('You must pass either `percent_off` or `amount_off`, and not both.', { stored: false })
  if (amount_off !== null && amount_off < 1)
    throw invalid('This value must be greater than or equal to 1.', 'amount_off', 'parameter_invalid_integer')
  if (amount_off !== null && currency === null)
    throw invalid('You must pass `currency` when passing `amount_off`.', 'currency', 'parameter_missing')
  if ((coupon.name?.length ?? 0) > 40) throw invalid('Invalid string: must be at most 40 characters', 'name')
  if (!/^[\w-]{1,200}$/.test(coupon.id))
    throw invalid('Coupon ids may have letters, digits, underscores and dashes only.', 'id')
  // Stripe names no parameter here, and does not store the response under the key.
  if (find('coupon', call.account, coupon.id))
    throw new Refusal(400, 'Coupon already exists.', { code: 'resource_already_exists', stored: false })
  return put(call.account, coupon)
}

function percentOf(fields: Fields): number | null {
  const text = fields.text('percent_off')
  if (text === undefined) return null
  const percent = Number(text)
  if (!(percent > 0 && percent <= 100))
    throw invalid(`Invalid decimal: ${text}; must be greater than 0 and at most 100`, 'percent_off')
  return percent
}

/** The coupon that `discounts` of a checkout session names; at most one. */
export function couponOf(call: Call, discounts: Fields[]): Coupon | undefined {
  if (discounts.length > 1) throw invalid('You can only pass one discount.', 'discounts')
  const [discount] = discounts
  if (!discount) return undefined
  const coupon = get('coupon', call.account, discount.needed('coupon'), discount.name('coupon'), 400)
  if (!isValid(coupon))
    throw refused(`Coupon ${coupon.id} is no longer valid.`, { code: 'coupon_expired', param: discount.name('coupon') })
  return coupon
}

const isValid = (coupon: Coupon) =>
  (coupon.max_redemptions === null || coupon.times_redeemed < coupon.max_redemptions) &&
  (coupon.redeem_by === null || coupon.redeem_by > unixSeconds())

/** What the coupon takes off `total`, never more than it. */
export function discountOf(coupon: Coupon, total: number): number {
  return Math.min(total, coupon.amount_off ?? Math.round((total * (coupon.percent_off ?? 0)) / 100))
}

export function redeem(account: string, id: string): void {
  const coupon = get('coupon', account, id)
  const redeemed = { ...coupon, times_redeemed: coupon.times_redeemed + 1 }
  put(account, { ...redeemed, valid: isValid(redeemed) })
}

export const couponRoutes: Route[] = [
  ['POST', '/v1/coupons', create],
  ['GET', '/v1/coupons', (call, fields) => list('coupon', call.account, call.path, fields)],
  ['GET', '/v1/coupons/:id', one('coupon', 'coupon')],
]
