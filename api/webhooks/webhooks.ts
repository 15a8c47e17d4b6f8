// Webhooks: subscriptions to events. Addresses, header values and signing secrets are write-only.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { decryptIfPossible } from '../../entities/kit/encrypted.ts'
import { Webhook } from '../../entities/webhooks/webhook.ts'
import { WebhookTest } from '../../entities/webhooks/webhook-test.ts'
import { requestTest } from '../../entities/webhooks/webhook-tests.ts'
import { createWebhook, removeWebhook, updateWebhook } from '../../entities/webhooks/webhooks.ts'
import { Key } from '../../rules/input/identities.ts'
import { REDACTED, redacted, SecretHeaders, SecretUrl, writeOnly } from '../../rules/input/write-only.ts'
import { invalid } from '../../rules/refusal.ts'
import { CreatedAt, EffectError, EffectStatus, Id, UpdatedAt } from '../../rules/shapes.ts'
import { isReservedHeader, signingSecret } from '../../rules/webhooks/deliveries.ts'
import { BusinessEventName, EventName, type EventType, StoreEventName } from '../../rules/webhooks/events.ts'
import { listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { NotYet, Reply } from '../kit/answer/replies.ts'
import {
  type Earlier,
  fingerprintOf,
  idempotencyKeyHeader,
  idOf,
  keyIn,
  repeatOf,
  repeatsForMinutes,
  replay,
} from '../kit/idempotency.ts'
import { route } from '../kit/route.ts'

const Hidden = z.string().describe('Always `__redacted__`.')

const WebhookOut = z
  .object({
    id: z.string().describe('Identifier of the webhook, a UUIDv7 made by the server.'),
    key: z.string().describe('Name of the webhook, unique in the {store}.'),
    url: Hidden.describe('Always `__redacted__`: the address is a secret and is never returned.'),
    events: z
      .array(z.object({ event: EventName.describe('Name of an event.') }))
      .describe('Events that are delivered to the webhook.'),
    headers: z
      .record(z.string(), Hidden)
      .describe('Names of the headers that are sent; every value is `__redacted__`.'),
    secret: Hidden.describe('Always `__redacted__`: the signing secret is never returned.'),
    enabled: z.boolean().describe('Whether events are delivered.'),
    disabled_reason: z
      .string()
      .nullable()
      .describe(
        '`gone`: the address answered 410; `failing`: no delivery succeeded for five days; null: it is enabled, or an operator disabled it.',
      ),
    failing_since: z
      .int()
      .nullable()
      .describe(
        'Time since which attempts were made and none succeeded, in Unix seconds; null if the latest succeeded.',
      ),
    previous_secret_until: z
      .int()
      .nullable()
      .describe('Time until which the previous secret signs as well, in Unix seconds; null if none does.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Webhook' })

const WebhookMade = WebhookOut.extend({
  secret: z.string().describe('The signing secret if this request generated it, otherwise `__redacted__`.'),
}).meta({
  id: 'WebhookMade',
})

const newSigningSecret = () => `whsec_${randomBytes(32).toString('base64')}`

const shown = (hook: Webhook): z.input<typeof WebhookOut> => ({
  ...asRow(hook),
  id: hook.id,
  url: REDACTED,
  secret: REDACTED,
  headers: redacted(JSON.parse(hook.headers)),
  events: (hook.events as EventType[]).map((event) => ({ event })),
})

const Headers = SecretHeaders.superRefine((headers, context) => {
  const seen = new Set<string>()
  for (const name of Object.keys(headers)) {
    if (isReservedHeader(name))
      context.addIssue({
        code: 'custom',
        path: [name],
        params: { code: 'header_reserved' },
        message: 'The header is reserved: the server or the connection sets it.',
      })
    else if (seen.has(name.toLowerCase()))
      context.addIssue({
        code: 'custom',
        path: [name],
        params: { code: 'duplicate' },
        message: `Duplicate value: \`${name}\`.`,
      })
    seen.add(name.toLowerCase())
  }
})

const eventsOf = <T extends typeof StoreEventName | typeof BusinessEventName>(names: T) =>
  z
    .array(z.strictObject({ event: names.describe('Name of an event.') }))
    .min(1)
    .max(100)
    .describe('Events to deliver, 1 to 100.')

const fields = {
  key: Key.describe('Name of the webhook, unique in the {store}, of 1 to 255 printable characters.'),
  url: SecretUrl.describe('Address that events are posted to, http or https. Write-only: returned as `__redacted__`.'),
  headers: Headers.describe(
    'Headers to send with every delivery. Write-only: each value is returned as `__redacted__`. The map replaces the stored one.',
  ),
  secret: writeOnly(
    z.string().regex(signingSecret, 'Expected `whsec_` followed by the base64 of 24 to 64 bytes.'),
  ).describe(
    'Signs every delivery (Standard Webhooks 1.0): `whsec_` and the base64 of 24 to 64 bytes. Write-only: returned as `__redacted__`.',
  ),
  enabled: z.boolean().describe('Whether events are delivered.'),
}
const namesOf = (events: readonly { event: EventType }[]) => events.map(({ event }) => event)

const TestOut = z
  .object({
    delivery_id: z.string().describe("The caller's own id of the test, or the one that the server made."),
    webhook_id: z
      .string()
      .nullable()
      .describe('Identifier of the webhook that was called; null for an address that is none.'),
    status: EffectStatus.describe(
      '`succeeded` after 2xx, 301, 302 and 303; `rejected` after 4xx, 307, 308, 500 and 503; `failed` if nothing was sent; `unknown` without an answer, and after one that a proxy may have given (502, 504, 52x).',
    ),
    provider_status_code: z.int().nullable().describe('HTTP status of the answer; null if there was none.'),
    error: EffectError.nullable().describe('Why the test did not succeed; null if it did.'),
  })
  .meta({
    id: 'WebhookTest',
    description: 'A test delivery. In status `unknown` it may or may not have arrived, and it is never sent again.',
  })

const shownTest = ({ delivery_id, webhook_id, status, provider_status_code, error }: WebhookTest) => ({
  delivery_id,
  webhook_id: webhook_id ? String(webhook_id) : null,
  status,
  provider_status_code: provider_status_code ?? null,
  error: error ?? null,
})
const isOpen = (status: EffectStatus) => status === 'requested' || status === 'processing'

const webhooksOf = <T extends typeof StoreEventName | typeof BusinessEventName>(names: T) => [
  listing('GET /v1/stores/{storeId}/webhooks', {
    may: 'admin',
    summary: 'List the webhooks',
    entity: Webhook,
    item: WebhookOut,
    unmanaged: true,
    load: async (_, rows: Webhook[]) =>
      rows.map((row) => shown({ ...row, headers: decryptIfPossible(row.headers) ?? '{}' })),
  }),
  reading('GET /v1/stores/{storeId}/webhooks/{id}', {
    may: 'admin',
    summary: 'Read a webhook',
    entity: Webhook,
    out: WebhookOut,
    show: shown,
  }),
  route('POST /v1/stores/{storeId}/webhooks', {
    may: 'admin',
    refuses: ['key_taken', 'webhooks_too_many'],
    summary: 'Create a webhook',
    description:
      'Without `secret`, the server generates one and returns it in this answer only. Whether the address is public and reachable is checked when an event is delivered. ' +
      '409 `key_taken` if another webhook of the {store} has the key, `webhooks_too_many` if the {store} has 100 webhooks.',
    body: z.object({
      ...fields,
      events: eventsOf(names),
      headers: Headers.default({}).describe(
        'Headers to send with every delivery; none by default. Write-only: each value is returned as `__redacted__`.',
      ),
      secret: fields.secret.optional(),
      enabled: z.boolean().default(true).describe('Whether events are delivered; true by default.'),
    }),
    out: WebhookMade,
    status: 201,
    async run({ em, tenant_id, body, now }) {
      const secret = body.secret ?? newSigningSecret()
      const hook = await createWebhook(em, tenant_id, { ...body, secret, events: namesOf(body.events) }, now)
      return body.secret === undefined ? { ...shown(hook), secret } : shown(hook)
    },
  }),
  route('PUT /v1/stores/{storeId}/webhooks/{id}', {
    may: 'admin',
    refuses: ['key_taken', 'required'],
    summary: 'Update a webhook',
    description:
      'Fields that are left out are kept. `headers` replaces all headers; if headers are stored, it is required with a `url` of another origin (422 `required`). A `secret` that is ' +
      'replaced signs deliveries for another 24 hours. A webhook that is enabled again continues with its pending deliveries. 409 `key_taken` if another webhook has the key.',
    body: z.object({ ...fields, events: eventsOf(names) }).partial(),
    out: WebhookOut,
    async run({ em, path, body: { events, ...body }, now }) {
      return shown(await updateWebhook(em, path.id, { ...body, ...(events ? { events: namesOf(events) } : {}) }, now))
    },
  }),
  removing('DELETE /v1/stores/{storeId}/webhooks/{id}', {
    may: 'admin',
    summary: 'Delete a webhook with its deliveries',
    remove: ({ em, path }) => removeWebhook(em, path.id),
  }),
]

const testWait = {
  async until({ em, pending: delivery_id }: { em: EntityManager; pending: string }) {
    const test = await em.findOne(WebhookTest, { delivery_id })
    // It is deleted with its webhook.
    if (!test) throw invalid('/webhook_id', 'webhook_unknown', 'There is no such webhook any more.')
    return isOpen(test.status) ? new NotYet(shownTest(test)) : shownTest(test)
  },
}

export const webhooks = [
  ...webhooksOf(StoreEventName),
  route('POST /v1/stores/{storeId}/webhooks/test', {
    may: 'admin',
    refuses: ['idempotency_conflict', 'too_many_requests', 'webhook_disabled', 'webhook_unknown'],
    summary: 'Send a test event to a webhook',
    description:
      'Sends one test event and returns its outcome. Sending the same `delivery_id` and `webhook_id` again returns the same test and sends nothing twice; another webhook is 409 ' +
      '`idempotency_conflict`. 429 `too_many_requests` if 10 tests of the {store} are open. A test stays `requested` while the {store} uses all task slots that it may use.',
    body: z.object({
      delivery_id: Id.describe(
        'UUID made by the caller. The same id and webhook return the same result, and nothing is sent again.',
      ),
      webhook_id: Id.describe('Identifier of the webhook to call. It must be enabled.'),
    }),
    out: TestOut,
    async run({ em, tenant_id, body, now }) {
      const fingerprint = fingerprintOf({ webhook_id: body.webhook_id })
      const test = await requestTest(em, tenant_id, { ...body, fingerprint }, now)
      replay(test, fingerprint)
      return new Reply(shownTest(test), { pending: isOpen(test.status) ? test.delivery_id : undefined })
    },
    wait: testWait,
  }),
]

/** The newest test with an equal payload. */
async function lastTest(em: EntityManager, fingerprint: string): Promise<Earlier | null> {
  const [test] = await em.find(WebhookTest, { fingerprint, webhook_id: null }, { orderBy: { id: 'desc' }, limit: 1 })
  if (!test) return null
  const { delivery_id: id, created_at, status } = test
  return { id, created_at, isOpen: isOpen(status) || status === 'unknown', isDone: status === 'succeeded' }
}

/** The webhooks of a business: its events by their names there, and a test of an address that is no webhook yet. */
export const businessWebhooks = webhooksOf(BusinessEventName)
export const businessWebhookTests = [
  route('POST /v1/businesses/{businessId}/webhooks/test', {
    operation: 'testBusinessWebhook',
    may: 'admin',
    refuses: ['idempotency_conflict', 'too_many_requests'],
    summary: 'Send a test event to an address',
    description:
      'Sends a sample of the first event, with empty fields, to an address that need not be one of a webhook, and returns its outcome. With a `secret` it is signed as deliveries are. 429 ' +
      '`too_many_requests` if 10 tests of the business are open.',
    request: { headers: idempotencyKeyHeader(repeatsForMinutes) },
    body: z.object({
      webhook: z
        .strictObject({ url: fields.url, events: eventsOf(BusinessEventName), secret: fields.secret.optional() })
        .describe('Where the sample is sent, and of what. None of it is stored longer than the test.'),
    }),
    out: TestOut,
    async run({ em, caller, tenant_id, body: { webhook }, headers, now }) {
      const { url, secret = null, events } = webhook
      const fingerprint = fingerprintOf({ webhook })
      const key = keyIn(headers)
      const parts = [tenant_id, 'webhook-test']
      const last = key === undefined ? await lastTest(em, fingerprint) : null
      const delivery_id =
        key === undefined ? repeatOf([...parts, fingerprint], last, now) : idOf(...parts, 'key', caller.account_id, key)
      const [event] = namesOf(events) as [EventType]
      const test = await requestTest(em, tenant_id, { delivery_id, fingerprint, target: { url, secret, event } }, now)
      replay(test, fingerprint)
      return new Reply(shownTest(test), { pending: isOpen(test.status) ? test.delivery_id : undefined })
    },
    wait: testWait,
  }),
]
