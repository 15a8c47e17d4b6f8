// What a buyer has seen and agrees to pay: a request with it charges nothing else.
import { Amount } from '../shapes.ts'

/** The total that the buyer has seen, in minor units. */
export const expectedTotal = Amount.optional().describe(
  'Total that the buyer has seen, in minor units of the currency: with another one nothing is written, and 409 `total_changed` has the present quote. Left out, the present total counts.',
)
