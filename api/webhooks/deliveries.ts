// Deliveries of events to webhooks, with their latest attempt, and their redelivery under the same event id.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { asRow } from '../../entities/kit/database/row.ts'
import { findRecord, mustExist } from '../../entities/kit/find.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import { deliverAgain, retryDeliveries } from '../../entities/webhooks/deliveries.ts'
import { Delivery } from '../../entities/webhooks/delivery.ts'
import { Event } from '../../entities/webhooks/event.ts'
import { Webhook } from '../../entities/webhooks/webhook.ts'
import { notFound } from '../../rules/refusal.ts'
import { anyCase, CreatedAt, EffectError, Id, UnixSeconds, UpdatedAt } from '../../rules/shapes.ts'
import { unixSecondsOf } from '../../rules/unix-seconds.ts'
import { DeliveryStatus, eventOf } from '../../rules/webhooks/deliveries.ts'
import { BusinessEventOut, EventOut } from '../../rules/webhooks/event-shapes.ts'
import { EventName, type EventType } from '../../rules/webhooks/events.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { declaredAs } from '../kit/declared.ts'
import { route } from '../kit/route.ts'

const Status = DeliveryStatus
const seconds = z.int().nullable()

const fields = {
  id: z.string().describe('Identifier of the delivery, a UUIDv7 made by the server.'),
  webhook_id: z.string().describe('Identifier of the webhook that the delivery goes to.'),
  event_id: z.string().describe('Identifier of the event; the `webhook-id` header of every attempt.'),
  type: EventName.describe('Name of the event.'),
  status: Status.describe(
    '`pending` while attempts remain; `succeeded` after a 2xx answer; `failed` when no attempt is left or the webhook answered 410.',
  ),
  attempts: z.int().describe('Number of attempts that were started.'),
  due_at: seconds.describe(
    'Of a pending delivery: time of the next attempt, in Unix seconds. During an attempt: time after which another worker may take it over. Null once it is settled.',
  ),
  last_attempt_at: seconds.describe(
    'Time at which the latest attempt started, in Unix seconds; null before the first.',
  ),
  settled_at: seconds.describe(
    'Time at which the delivery succeeded or failed for good, in Unix seconds; null while it is pending.',
  ),
  provider_status_code: z.int().nullable().describe('HTTP status of the latest answer; null if there was none.'),
  response_body: z
    .string()
    .nullable()
    .describe('Beginning of the body of the latest answer, 4 KiB at most; null if there was none.'),
  error: EffectError.nullable().describe('Why the latest attempt failed; null if it did not.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}
const DeliveryOut = z.object(fields).meta({ id: 'Delivery' })
// Not checked: an event is stored as it was published, possibly by an earlier version.
const withEvent = <T extends z.ZodType>(event: T, id: string) =>
  z.object({ ...fields, event: declaredAs(z.looseObject({}), event).describe('The body that is sent.') }).meta({ id })

const shown = (delivery: Delivery): z.input<typeof DeliveryOut> => ({
  ...asRow(delivery),
  type: delivery.type as EventType,
  id: delivery.id,
  due_at: unixSecondsOf(delivery.due_at),
  last_attempt_at: unixSecondsOf(delivery.last_attempt_at),
  settled_at: unixSecondsOf(delivery.settled_at),
})

const deliveryOf = (em: EntityManager, webhook_id: string, id: string) =>
  findRecord(em, Delivery, { id, webhook_id }, 'delivery')

const deliveriesWith = (out: ReturnType<typeof withEvent>) => [
  listing('GET /v1/stores/{storeId}/webhooks/{id}/deliveries', {
    may: 'admin',
    summary: 'List the deliveries of a webhook',
    entity: Delivery,
    item: DeliveryOut,
    filters: {
      status: filter(anyCase(Status), (status) => ({ status })),
      type: filter(EventName, (type) => ({ type })),
      event_id: filter(Id, (event_id) => ({ event_id })),
    },
    async scope({ em, path }) {
      await mustExist(em, Webhook, { id: path.id }, 'webhook')
      return { webhook_id: path.id }
    },
    load: async (_, rows: Delivery[]) => rows.map(shown),
  }),
  route('GET /v1/stores/{storeId}/webhooks/{id}/deliveries/{deliveryId}', {
    may: 'admin',
    summary: 'Read a delivery with its event',
    out,
    async run({ em, path, tenant_id }) {
      const delivery = await deliveryOf(em, path.id, path.deliveryId)
      const { id, type, created_at, data } = await em.findOneOrFail(Event, { id: String(delivery.event_id) })
      const { kind } = await em.findOneOrFail(Tenant, { id: tenant_id }, { fields: ['kind'] })
      // An event is answered as it was published, possibly by an earlier version.
      return {
        ...shown(delivery),
        event: eventOf({ id, type: type as EventType, created_at, tenant_id, kind }, data),
      }
    },
  }),
  route('POST /v1/stores/{storeId}/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
    operation: 'redeliverWebhookDelivery',
    may: 'admin',
    summary: 'Redeliver an event',
    description:
      'Creates a new delivery of the same event, which is due now and has the same `webhook-id`. The earlier delivery is kept.',
    out: DeliveryOut,
    status: 201,
    async run({ em, path, tenant_id, now }) {
      const deliveryId = await deliverAgain(em, tenant_id, path.id, path.deliveryId, now)
      if (!deliveryId) throw notFound('delivery')
      return shown(await deliveryOf(em, path.id, deliveryId))
    },
  }),
  route('POST /v1/stores/{storeId}/webhooks/{id}/redeliver', {
    operation: 'redeliverWebhookEvents',
    may: 'admin',
    summary: 'Redeliver the events of a webhook since a time',
    description:
      'Makes all deliveries in `status` due again, `failed` ones by default, and returns their number. A failed delivery is left out if another delivery of its event has not failed.',
    body: z.object({
      since: UnixSeconds.describe('Only deliveries of events created at or after this time, in Unix seconds.'),
      status: anyCase(Status).default('failed').describe('Only deliveries in this status; `failed` by default.'),
    }),
    out: z.object({ count: z.int().describe('Number of deliveries that are due again.') }),
    async run({ em, path, tenant_id, body, now }) {
      await mustExist(em, Webhook, { id: path.id }, 'webhook')
      return { count: await retryDeliveries(em, tenant_id, path.id, body, now) }
    },
  }),
]

export const deliveries = deliveriesWith(withEvent(EventOut, 'DeliveryWithEvent'))
/** The deliveries of a business: its events have a shape of their own. */
export const businessDeliveries = deliveriesWith(withEvent(BusinessEventOut, 'BusinessDeliveryWithEvent'))
