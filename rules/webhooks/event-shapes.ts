// Bodies of the events. `data` is the resource as the API returned it at the time of the event.
import { z } from 'zod'
import { AudienceMemberOut } from '../audiences/resources.ts'
import { BookingRecord, ReservationRecord } from '../bookings/booking-records.ts'
import {
  BookingOut,
  CollectionOut,
  EntryOut,
  FormSubmissionOut,
  MemberOut,
  OrderOut,
  ProductOut,
  StoreOut,
} from '../resources.ts'
import { Slot } from '../scheduling/slots.ts'
import { SocialConnectionOut, SocialPublicationOut } from '../social/resources.ts'
import { businessEvents, type EventType, eventTypes, type StoreEventType } from './events.ts'

const SubmissionReceived = FormSubmissionOut.extend({
  form_key: z.string().describe('Key of the form when it was submitted.'),
}).meta({
  id: 'FormSubmissionReceived',
  description: 'A form submission, with the key of its form.',
})

const BookingReminder = BookingOut.extend({
  order_number: z.int().describe('Number of the order for people, counted per {store}.'),
  contact_id: z.string().describe('Identifier of the contact who booked.'),
  slot: Slot.describe('The slot that the reminder is for.'),
}).meta({ id: 'OrderBookingReminder', description: 'A confirmed booking, with the slot that the reminder is for.' })

export const AccountAction = z.enum([
  'store_updated',
  'subscription_updated',
  'member_added',
  'member_updated',
  'member_removed',
])
export type AccountAction = z.infer<typeof AccountAction>

const AccountUpdate = z
  .object({
    action: AccountAction.describe('What happened.'),
    store: StoreOut.describe('The {store} as it is now.'),
    member: MemberOut.nullable().describe(
      'The member as they are now, or were before the removal; null for `store_updated` and `subscription_updated`.',
    ),
  })
  .meta({ id: 'AccountUpdate', description: 'A change of a {store} or of its team.' })

const MemberChange = z
  .object({ member: AudienceMemberOut.describe('The membership as it is now.') })
  .meta({ id: 'AudienceMemberChange', description: 'A change of a membership.' })

const MemberRemoval = MemberChange.extend({
  merged_into: z
    .string()
    .optional()
    .describe(
      'Only if two contacts were merged who were both members: identifier of the membership that stays. The one of the event does not exist any more.',
    ),
}).meta({ id: 'AudienceMemberRemoval', description: 'A membership that was removed.' })

const Booked = z.union([BookingRecord, ReservationRecord]).describe('The booking, or the reservation, as it is now.')

type Declared = { about: string; data: z.ZodType }
export const eventData: Record<EventType, Declared> = {
  'booking.created': {
    about: 'A booking or a reservation was made. It may not be paid or approved yet.',
    data: Booked,
  },
  'booking.updated': {
    about:
      'A booking or a reservation was changed: its status, time, payment or contents. Published once per transaction.',
    data: Booked,
  },
  'collection.created': { about: 'A collection was created.', data: CollectionOut },
  'collection.updated': { about: 'A collection was changed.', data: CollectionOut },
  'collection.deleted': {
    about: 'A collection was deleted. `data` is the collection as it was before.',
    data: CollectionOut,
  },
  'entry.created': { about: 'An entry was created.', data: EntryOut },
  'entry.updated': { about: 'An entry was changed.', data: EntryOut },
  'entry.deleted': {
    about: 'An entry was deleted, alone or with its collection. `data` is the entry as it was before.',
    data: EntryOut,
  },
  'form_submission.created': {
    about: 'A form was submitted, by a visitor or by an operator.',
    data: SubmissionReceived,
  },
  'order.created': { about: 'A cart was checked out. The order may not be paid yet.', data: OrderOut },
  'order.updated': {
    about: 'An order was changed: confirmed, cancelled, paid, shipped or edited. Published once per transaction.',
    data: OrderOut,
  },
  'order_booking.reminder': {
    about:
      'A slot of a confirmed booking starts soon, by the {store} setting `booking_reminder_minutes`. Published once per slot.',
    data: BookingReminder,
  },
  'product.created': { about: 'A product was created.', data: ProductOut },
  'product.updated': {
    about: 'A product was changed. A change of its stock alone publishes nothing.',
    data: ProductOut,
  },
  'product.deleted': { about: 'A product was deleted. `data` is the product as it was before.', data: ProductOut },
  'audience.member_added': {
    about:
      'A contact became an active member: it joined an open audience, confirmed, its payment was proved, or an operator added or imported it.',
    data: MemberChange,
  },
  'audience.member_removed': {
    about: 'An operator removed a member, or two members of an audience became one because their contacts did.',
    data: MemberRemoval,
  },
  'audience.member_pending': {
    about:
      'A contact asked to join a `confirmation` audience, and the confirmation was mailed. It is not published for members of `paid` audiences who have not paid yet.',
    data: MemberChange,
  },
  'audience.member_confirmed': {
    about: 'A member used the link of the confirmation e-mail. `audience.member_added` follows.',
    data: MemberChange,
  },
  'audience.member_access_cancelled': {
    about:
      'A membership ended that was not removed by an operator: its paid time and grace are over, or the member left. It is not published when a cancellation is requested.',
    data: MemberChange,
  },
  'audience.member_email_unsubscribed': {
    about:
      "An audience's e-mail is not sent to a member any more: the member opted out, or its address bounced, complained or withdrew its consent; `delivery_status` says which.",
    data: MemberChange,
  },
  'audience.member_email_resubscribed': {
    about:
      "An audience's e-mail is sent to a member again: the member opted in, or what suppressed its address was lifted.",
    data: MemberChange,
  },
  'social_connection.needs_reconnect': {
    about:
      'The network does not accept the tokens of a connection any more: an operator has to connect the account again.',
    data: SocialConnectionOut,
  },
  'social_connection.expiring': {
    about: 'The consent of a connection ends within a week, unless the account is connected again.',
    data: SocialConnectionOut,
  },
  'social_publication.published': {
    about: 'A publication became visible at the network. Its permalink may be known later.',
    data: SocialPublicationOut,
  },
  'social_publication.failed': {
    about: 'A publication was not published, and is not visible; `error` says why.',
    data: SocialPublicationOut,
  },
  'social_publication.unknown': {
    about:
      'It cannot be proved whether a publication is visible at the network. An operator has to check or resolve it.',
    data: SocialPublicationOut,
  },
  'account.updated': { about: 'The {store} or its team was changed.', data: AccountUpdate },
}

/** `order.created` → `OrderCreated` */
export const eventName = (type: string): string =>
  type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())

const shapeOf = (type: EventType) =>
  z
    .object({
      id: z.string().describe('Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it.'),
      type: z.literal(type).describe('Name of the event.'),
      created_at: z.int().describe('Time of the event, in Unix seconds.'),
      store_id: z.string().describe('Identifier of the {store}.'),
      data: eventData[type].data,
    })
    .meta({ id: `${eventName(type)}Event`, description: eventData[type].about })

export const eventShapes = Object.fromEntries(eventTypes.map((type) => [type, shapeOf(type)])) as Record<
  StoreEventType,
  ReturnType<typeof shapeOf>
>

const businessShapeOf = (name: string, type: EventType) =>
  z
    .object({
      id: z.string().describe('Identifier of the event; the `webhook-id` header of every attempt. Deduplicate by it.'),
      type: z.literal(name).describe('Name of the event.'),
      created_at: z.int().describe('Time of the event, in Unix seconds.'),
      business_id: z.string().describe('Identifier of the business.'),
      data: eventData[type].data,
    })
    .meta({ id: `Business${eventName(name)}Event`, description: eventData[type].about })

/** The bodies of a business's events by the names of the business surface, in snake_case as all shapes. */
export const businessEventShapes: Readonly<Record<string, ReturnType<typeof businessShapeOf>>> = Object.fromEntries(
  Object.entries(businessEvents).map(([name, type]) => [name, businessShapeOf(name, type)]),
)

const [firstOfBusiness, ...othersOfBusiness] = Object.values(businessEventShapes) as [
  ReturnType<typeof businessShapeOf>,
  ...ReturnType<typeof businessShapeOf>[],
]
export const BusinessEventOut = z.discriminatedUnion('type', [firstOfBusiness, ...othersOfBusiness]).meta({
  id: 'BusinessEvent',
  description: 'The body of a webhook delivery of a business. `type` decides the shape of `data`.',
})

const [first, ...others] = eventTypes.map((type) => eventShapes[type]) as [
  ReturnType<typeof shapeOf>,
  ...ReturnType<typeof shapeOf>[],
]
export const EventOut = z
  .discriminatedUnion('type', [first, ...others])
  .meta({ id: 'Event', description: 'The body of a webhook delivery. `type` decides the shape of `data`.' })
