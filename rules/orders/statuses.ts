// The statuses of an order, its lines, its bookings and its fulfillment.
import { z } from 'zod'

export const OrderStatus = z.enum(['pending', 'confirmed', 'partially_cancelled', 'cancelled'])
export type OrderStatus = z.infer<typeof OrderStatus>

export const OrderLineStatus = z.enum(['pending', 'confirmed', 'cancelled'])
export type OrderLineStatus = z.infer<typeof OrderLineStatus>

export const BookingStatus = z.enum(['pending', 'confirmed', 'completed', 'no_show', 'cancelled'])
export type BookingStatus = z.infer<typeof BookingStatus>

export const FulfillmentStatus = z.enum(['none', 'unfulfilled', 'partially_fulfilled', 'fulfilled', 'cancelled'])
export type FulfillmentStatus = z.infer<typeof FulfillmentStatus>
