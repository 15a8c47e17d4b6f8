// The statuses of an order, its lines and its fulfillment.
import { z } from 'zod'

export const OrderStatus = z.enum(['pending', 'confirmed', 'partially_cancelled', 'cancelled'])
export type OrderStatus = z.infer<typeof OrderStatus>

export const OrderLineStatus = z.enum(['pending', 'confirmed', 'cancelled'])
export type OrderLineStatus = z.infer<typeof OrderLineStatus>

export const FulfillmentStatus = z.enum(['none', 'unfulfilled', 'partially_fulfilled', 'fulfilled', 'cancelled'])
export type FulfillmentStatus = z.infer<typeof FulfillmentStatus>
