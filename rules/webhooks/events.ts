// Names of the events that webhooks can subscribe to.
import { z } from 'zod'

/** The store-scoped events. */
export const eventTypes = [
  'collection.created',
  'collection.updated',
  'collection.deleted',
  'entry.created',
  'entry.updated',
  'entry.deleted',
  'form_submission.created',
  'order.created',
  'order.updated',
  'order_booking.reminder',
  'product.created',
  'product.updated',
  'product.deleted',
  'audience.member_added',
  'audience.member_removed',
  'audience.member_pending',
  'audience.member_confirmed',
  'audience.member_access_cancelled',
  'audience.member_email_unsubscribed',
  'audience.member_email_resubscribed',
  'social_connection.needs_reconnect',
  'social_connection.expiring',
  'social_publication.published',
  'social_publication.failed',
  'social_publication.unknown',
  'account.updated',
] as const
/** The events of a business alone: a booking publishes these instead of `order.created` and `order.updated`. */
const bookingEvents = ['booking.created', 'booking.updated'] as const
export type StoreEventType = (typeof eventTypes)[number]
export type EventType = StoreEventType | (typeof bookingEvents)[number]
export const EventName = z.enum([...eventTypes, ...bookingEvents])
export const StoreEventName = z.enum(eventTypes)

/**
 * The events of a business, by the names of the business surface. Stored, published and compared by their other names.
 */
export const businessEvents = {
  'booking.created': 'booking.created',
  'booking.updated': 'booking.updated',
  'node.created': 'entry.created',
  'node.updated': 'entry.updated',
  'node.deleted': 'entry.deleted',
  'form_submission.created': 'form_submission.created',
  'order.created': 'order.created',
  'order.updated': 'order.updated',
  'product.created': 'product.created',
  'product.updated': 'product.updated',
  'product.deleted': 'product.deleted',
  'audience.subscriber_added': 'audience.member_added',
} as const satisfies Record<string, EventType>
export const BusinessEventName = z.enum(businessEvents)

const businessNames = new Map<string, string>(Object.entries(businessEvents).map(([name, type]) => [type, name]))
/** The name of an event on the business surface; `type` if it has no other there. */
export const eventNameForBusiness = (type: string): string => businessNames.get(type) ?? type
