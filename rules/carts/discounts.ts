// Takes discounts off the lines of a cart and off shipping, exactly: parts add up to the amount of a discount, and no
// line becomes negative.

/** A discount whose conditions are met. `line_ids`: the lines that it applies to. Amounts in minor units. */
export type ResolvedDiscount =
  | { type: 'items_percentage'; bps: number; line_ids: readonly string[] }
  | { type: 'items_fixed'; amount: number; line_ids: readonly string[] }
  | { type: 'shipping_percentage'; bps: number }

/** Division of non-negative numbers, rounded half up. */
export const divide = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator)

export const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)

const least = (a: bigint, b: bigint) => (a < b ? a : b)

/** The discount of a percentage, at most the whole amount. */
export const percentage = (amount: bigint, bps: number) => least(amount, divide(amount * BigInt(bps), 10_000n))

/**
 * A line, by an id that is stable and unique in the cart: it breaks ties in rounding. `left`: its subtotal after the
 * discounts so far.
 */
type OpenLine = { id: string; left: bigint }

/**
 * Distributes a discount over lines by largest remainder: the parts add up to the amount, and none exceeds its line
 * if the amount does not exceed their sum. Ties go to the smaller id, independent of the order of lines.
 */
const takeOff = (amount: bigint, lines: readonly OpenLine[]) => {
  const whole = sum(lines.map(({ left }) => left))
  if (whole === 0n) return
  const parts = lines.map((line) => ({ line, part: (amount * line.left) / whole, rest: (amount * line.left) % whole }))
  parts.sort((a, b) => (a.rest === b.rest ? (a.line.id < b.line.id ? -1 : 1) : a.rest > b.rest ? -1 : 1))
  let spare = amount - sum(parts.map(({ part }) => part))
  for (const { line, part } of parts) {
    const extra = least(spare, 1n)
    line.left -= part + extra
    spare -= extra
  }
}

/**
 * Applies the discounts in order, each to what the previous one left. Returns what is left of each line, in the order
 * of the lines, and of shipping.
 */
export function applyDiscounts(
  discounts: readonly ResolvedDiscount[],
  lines: readonly { id: string; subtotal: bigint }[],
  shipping: bigint,
): { lines: bigint[]; shipping: bigint } {
  const open = lines.map(({ id, subtotal }) => ({ id, left: subtotal }))
  let shippingLeft = shipping
  for (const discount of discounts) {
    if (discount.type === 'shipping_percentage') {
      shippingLeft -= percentage(shippingLeft, discount.bps)
      continue
    }
    const ids = new Set(discount.line_ids)
    const eligible = open.filter(({ id }) => ids.has(id))
    const whole = sum(eligible.map(({ left }) => left))
    takeOff(
      discount.type === 'items_fixed' ? least(whole, BigInt(discount.amount)) : percentage(whole, discount.bps),
      eligible,
    )
  }
  return { lines: open.map(({ left }) => left), shipping: shippingLeft }
}
