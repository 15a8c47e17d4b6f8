// Problem codes of pricing: of a quote, of a checkout, and of replacing the items of an order.
import type { ProblemCode } from '../../rules/problems.ts'

export const pricingProblems = [
  'cart_empty',
  'location_not_configured',
  'market_unknown',
  'amount_too_large',
  'price_missing',
  'product_not_active',
  'service_not_active',
  'variant_unknown',
  'link_unknown',
  'slot_in_past',
  'slot_not_offered',
  'card_total_not_chargeable',
  'card_total_too_small',
  'payment_method_required',
  'payment_method_unknown',
  'pickup_location_not_configured',
  'pickup_location_unknown',
  'shipping_method_required',
  'shipping_method_unknown',
  'zone_not_found',
  'promo_code_exhausted',
  'promo_code_expired',
  'promo_code_invalid',
  'promo_code_not_applicable',
] as const satisfies readonly ProblemCode[]
