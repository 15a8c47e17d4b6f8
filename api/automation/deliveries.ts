// What was told to a webhook, and how it went: every try is on record, and what failed can be told again under the same id.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { deliverAgain, retryDeliveries } from '../../entities/automation/deliveries.ts'
import { Delivery } from '../../entities/automation/delivery.ts'
import { Event } from '../../entities/automation/event.ts'
import { Webhook } from '../../entities/automation/webhook.ts'
import { eventTypes } from '../../rules/events.ts'
import { notFound } from '../../rules/refusal.ts'
import { anyCase, Id, UnixSeconds } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/listing.ts'
import { route } from '../kit/route.ts'

const Status = z.enum(['pending', 'succeeded', 'failed'])
const seconds = z.int().nullable()

const fields = {
  id: z.string(),
  webhook_id: z.string(),
  event_id: z.string().describe('the `webhook-id` of every try'),
  type: z.string(),
  status: Status,
  attempts: z.int().describe('tries that were begun'),
  due_at: seconds.describe('of a pending one: its next try; while it is being tried, when somebody else takes it over'),
  last_attempt_at: seconds,
  settled_at: seconds,
  provider_status_code: z.int().nullable().describe("the last answer's"),
  response_body: z.string().nullable().describe("the beginning of the last answer's, 4 KiB at most"),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  created_at: z.int(),
  updated_at: z.int(),
}
const DeliveryOut = z.object(fields).meta({ id: 'Delivery' })
const DeliveryWithEventOut = z
  .object({
    ...fields,
    event: z.object({ id: z.string(), type: z.string(), created_at: z.int(), store_id: z.string(), data: z.looseObject({}) }).describe('what is sent'),
  })
  .meta({ id: 'DeliveryWithEvent' })

const unix = (time: Date | null | undefined) => (time ? Math.floor(time.getTime() / 1000) : null)
const shown = (delivery: Delivery): z.input<typeof DeliveryOut> => ({
  ...(delivery as never as z.input<typeof DeliveryOut>),
  id: delivery.id,
  due_at: unix(delivery.due_at),
  last_attempt_at: unix(delivery.last_attempt_at),
  settled_at: unix(delivery.settled_at),
})

type Looking = { em: EntityManager; path: { id: string; deliveryId: string } }
const found = ({ em, path }: Looking) => em.findOneOrFail(Delivery, { id: path.deliveryId, webhook_id: path.id }, { failHandler: () => notFound('delivery') })

export const deliveries = [
  listing('GET /v1/stores/{storeId}/webhooks/{id}/deliveries', {
    may: 'admin',
    summary: 'List what was told, or is to be told, to a webhook',
    entity: Delivery,
    item: DeliveryOut,
    filters: {
      status: filter(anyCase(Status), (status) => ({ status })),
      type: filter(z.enum(eventTypes), (type) => ({ type })),
      event_id: filter(Id, (event_id) => ({ event_id })),
    },
    async within({ em, path }) {
      if ((await em.count(Webhook, { id: path.id })) === 0) throw notFound('webhook')
      return { webhook_id: path.id }
    },
    load: async (_, rows) => (rows as Delivery[]).map(shown),
  }),
  route('GET /v1/stores/{storeId}/webhooks/{id}/deliveries/{deliveryId}', {
    may: 'admin',
    summary: 'Read a delivery with what is sent',
    out: DeliveryWithEventOut,
    async run({ em, path, tenant_id }) {
      const delivery = await found({ em, path })
      const { id, type, created_at, data } = await em.findOneOrFail(Event, { id: String(delivery.event_id) })
      return { ...shown(delivery), event: { id, type, created_at, store_id: tenant_id, data } }
    },
  }),
  route('POST /v1/stores/{storeId}/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
    operation: 'redeliverWebhookDelivery',
    may: 'admin',
    summary: 'Tell it again: a new delivery of the same event, now, under the same webhook-id',
    out: DeliveryOut,
    status: 201,
    async run({ em, path, tenant_id, now }) {
      const deliveryId = await deliverAgain(em, tenant_id, path.id, path.deliveryId, now)
      if (!deliveryId) throw notFound('delivery')
      return shown(await found({ em, path: { id: path.id, deliveryId } }))
    },
  }),
  route('POST /v1/stores/{storeId}/webhooks/{id}/redeliver', {
    operation: 'redeliverWebhookEvents',
    may: 'admin',
    summary: 'Tell again all that failed since a moment, or all of another status; what was told since is not among it',
    body: z.object({ since: UnixSeconds.describe('deliveries of events since then'), status: anyCase(Status).default('failed') }),
    out: z.object({ count: z.int().describe('how many are due again') }),
    async run({ em, path, tenant_id, body, now }) {
      if ((await em.count(Webhook, { id: path.id })) === 0) throw notFound('webhook')
      return { count: await retryDeliveries(em, tenant_id, path.id, body, now) }
    },
  }),
]
