// Webhooks: who hears of what. Where they are told, and what proves that it is us, goes in and never comes out.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { Webhook } from '../../entities/automation/webhook.ts'
import { WebhookTest } from '../../entities/automation/webhook-test.ts'
import { requestTest } from '../../entities/automation/webhook-tests.ts'
import { createWebhook, removeWebhook, updateWebhook } from '../../entities/automation/webhooks.ts'
import { isReservedHeader, signingSecret } from '../../rules/deliveries.ts'
import { eventTypes } from '../../rules/events.ts'
import { Key } from '../../rules/identities.ts'
import { notFound } from '../../rules/refusal.ts'
import { EffectStatus, Id } from '../../rules/shapes.ts'
import { REDACTED, redacted, SecretHeaders, SecretUrl, writeOnly } from '../../rules/write-only.ts'
import { fingerprintOf, replay } from '../kit/effect.ts'
import { listing } from '../kit/listing.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

const EventName = z.enum(eventTypes)
const Hidden = z.string().describe('always `__redacted__`')

const WebhookOut = z
  .object({
    id: z.string(),
    key: z.string(),
    url: Hidden,
    events: z.array(z.object({ event: z.string() })),
    headers: z.record(z.string(), Hidden),
    secret: Hidden,
    enabled: z.boolean(),
    disabled_reason: z.string().nullable().describe('`gone`: the address answered 410; `failing`: nothing was taken for five days; null: by hand'),
    failing_since: z.int().nullable().describe('Unix seconds; since then tries were made and none succeeded'),
    previous_secret_until: z.int().nullable().describe('Unix seconds; until then the secret before signs as well'),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: 'Webhook' })

const WebhookMade = WebhookOut.extend({ secret: z.string().describe('The secret, where it was made by this request; else `__redacted__`.') }).meta({
  id: 'WebhookMade',
})

const newSigningSecret = () => `whsec_${randomBytes(32).toString('base64')}`

const shown = (hook: Webhook): z.input<typeof WebhookOut> => ({
  ...(hook as never as z.input<typeof WebhookOut>),
  id: hook.id,
  url: REDACTED,
  secret: REDACTED,
  headers: redacted(JSON.parse(hook.headers)),
  events: hook.events.map((event) => ({ event })),
})

const Headers = SecretHeaders.superRefine((headers, context) => {
  const seen = new Set<string>()
  for (const name of Object.keys(headers)) {
    const wrong = isReservedHeader(name) ? 'header_reserved' : seen.has(name.toLowerCase()) ? 'duplicate' : null
    if (wrong) context.addIssue({ code: 'custom', path: [name], params: { code: wrong }, message: 'this header is ours to set, or it is there twice' })
    seen.add(name.toLowerCase())
  }
})

const fields = {
  key: Key,
  url: SecretUrl,
  events: z
    .array(z.strictObject({ event: EventName }))
    .min(1)
    .max(100),
  headers: Headers,
  secret: writeOnly(z.string().regex(signingSecret, 'Expected `whsec_` followed by the base64 of 24 to 64 bytes.')).describe(
    'Signs every delivery (Standard Webhooks 1.0): `whsec_` and the base64 of 24 to 64 bytes.',
  ),
  enabled: z.boolean(),
}
const namesOf = (events: { event: z.infer<typeof EventName> }[]) => events.map(({ event }) => event)

const TestOut = z
  .object({
    delivery_id: z.string(),
    webhook_id: z.string(),
    status: EffectStatus,
    provider_status_code: z.int().nullable(),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'WebhookTest', description: 'unknown: it may or may not have arrived, and is never sent again' })

const state = ({ delivery_id, webhook_id, status, provider_status_code, error }: WebhookTest) => ({
  delivery_id,
  webhook_id: String(webhook_id),
  status,
  provider_status_code: provider_status_code ?? null,
  error: error ?? null,
})
const open = (status: EffectStatus) => status === 'requested' || status === 'processing'

export const webhooks = [
  route('POST /v1/stores/{storeId}/webhooks/test', {
    may: 'admin',
    summary: 'Send a test event to an enabled webhook, once. Send the same delivery_id and webhook_id again to read its state.',
    body: z.object({ delivery_id: Id, webhook_id: Id }),
    out: TestOut,
    async run({ em, tenant_id, body, now }) {
      const fingerprint = fingerprintOf({ webhook_id: body.webhook_id })
      const test = await requestTest(em, tenant_id, { ...body, fingerprint }, now)
      replay(test, fingerprint)
      return state(test)
    },
    wait: {
      when: ({ status }) => open(status),
      async until({ em, result }) {
        const test = await em.findOneOrFail(WebhookTest, { delivery_id: result.delivery_id })
        return open(test.status) ? undefined : state(test)
      },
      late: (result) => result,
    },
  }),
  listing('GET /v1/stores/{storeId}/webhooks', {
    may: 'admin',
    summary: 'List the webhooks',
    entity: Webhook,
    item: WebhookOut,
    load: async (_, rows) => (rows as Webhook[]).map(shown),
  }),
  route('GET /v1/stores/{storeId}/webhooks/{id}', {
    may: 'admin',
    summary: 'Read a webhook',
    out: WebhookOut,
    run: async ({ em, path }) => shown(await em.findOneOrFail(Webhook, { id: path.id }, { failHandler: () => notFound('webhook') })),
  }),
  route('POST /v1/stores/{storeId}/webhooks', {
    may: 'admin',
    summary: 'Add a webhook',
    description:
      'Without `secret` one is made, and returned in this answer only. Whether the address is public and can be reached is checked when a delivery is sent. ' +
      '409 `key_taken` if another webhook of the store has the key.',
    body: z.object({ ...fields, secret: fields.secret.optional() }),
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
    summary: 'Change a webhook',
    description:
      'Fields that are omitted are kept; `headers` replaces all of them, and is required with a `url` of another origin where any are stored. The secret is never sent, so it ' +
      'is kept with any `url`. A secret that is replaced signs for another 24 hours. Enabled again, the webhook continues with its pending deliveries.',
    body: z.object(fields).partial(),
    out: WebhookOut,
    async run({ em, path, body: { events, ...body }, now }) {
      return shown(await updateWebhook(em, path.id, { ...body, ...(events ? { events: namesOf(events) } : {}) }, now))
    },
  }),
  route('DELETE /v1/stores/{storeId}/webhooks/{id}', {
    may: 'admin',
    summary: 'Remove a webhook with its deliveries',
    out: Success,
    async run({ em, path }) {
      await removeWebhook(em, path.id)
      return success
    },
  }),
]
