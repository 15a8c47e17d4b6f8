// A test of a webhook is sent at most once, to the address and under the secrets that the webhook had at its first prepare.
import { unixNow } from '../adapters/clock.ts'
import { anyTenant, unitOf } from '../entities/kit/orm.ts'
import { Webhook } from '../entities/webhooks/webhook.ts'
import { WebhookTest, webhookTestEffect } from '../entities/webhooks/webhook-test.ts'
import { bodyOf } from '../rules/webhooks/deliveries.ts'
import { database } from './database.ts'
import { NeverSent, once } from './once.ts'
import { EgressError, egress } from './providers/http.ts'
import { signatureHeaders, signingKey } from './signatures.ts'

/** The signature is a try's own, as its time is: a receiver refuses what was signed long ago. The bytes that are signed are frozen. */
type Request = { url: string; headers: Record<string, string>; delivery_id: string; body: string; secrets: string[] }

async function prepare(id: string): Promise<Request> {
  const em = unitOf(await database(), null)
  const { tenant_id, webhook_id, delivery_id, created_at } = await em.findOneOrFail(WebhookTest, { id }, anyTenant)
  const hook = await em.findOneOrFail(Webhook, { id: webhook_id, tenant_id }, anyTenant)
  const previous = hook.previous_secret && (hook.previous_secret_until ?? 0) > unixNow() ? [hook.previous_secret] : []
  const body = bodyOf({ id: delivery_id, type: 'webhook.test', created_at, store_id: tenant_id }, '{}')
  const headers = { ...(JSON.parse(hook.headers) as Record<string, string>), 'content-type': 'application/json' }
  const request = { url: hook.url, headers, delivery_id, body, secrets: [hook.secret, ...previous] }
  try {
    await egress().check({ url: request.url, method: 'POST', headers, body, timeout_ms: 1 })
  } catch (error) {
    if (error instanceof EgressError && error.code === 'egress_refused') throw new NeverSent({ code: error.code, message: error.message })
    throw error
  }
  return request
}

export const sendWebhookTest = once({
  row: webhookTestEffect,
  prepare,
  async send({ url, headers, delivery_id, body, secrets }, sending) {
    const signed = signatureHeaders(secrets.map(signingKey), delivery_id, unixNow(), body)
    const timeout_ms = Math.ceil(sending.endBy - performance.now())
    const { verdict } = await egress().send({ url, method: 'POST', headers: { ...headers, ...signed }, body, timeout_ms }, sending)
    if (verdict.kind === 'not_sent') return verdict
    return { ...verdict, columns: { provider_status_code: (verdict.evidence.status as number | undefined) ?? null } }
  },
})
