// Names of the events that webhooks can subscribe to.

/** The store-scoped events of API document 3, Events. */
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
  'account.updated',
] as const
export type EventType = (typeof eventTypes)[number]
