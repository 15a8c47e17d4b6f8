// A test of a webhook is sent at most once, to the address and under the secrets that the webhook had at its first
// prepare; a test of an address to that one.
import { unixNow } from '../../adapters/clock.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { Webhook } from '../../entities/webhooks/webhook.ts'
import { WebhookTest, webhookTestEffect } from '../../entities/webhooks/webhook-test.ts'
import type { TestTarget } from '../../entities/webhooks/webhook-tests.ts'
import { bodyOf } from '../../rules/webhooks/deliveries.ts'
import { eventData } from '../../rules/webhooks/event-shapes.ts'
import { sampleOf } from '../../rules/webhooks/sample.ts'
import { database } from '../kit/database.ts'
import { NeverSent, once } from '../kit/once.ts'
import { EgressError } from '../providers/egress-guard.ts'
import { egress } from '../providers/http.ts'
import { signatureHeaders, signingKey } from '../providers/signatures.ts'

/**
 * The signature is a try's own, as its time is: a receiver refuses what was signed long ago. The bytes that are signed
 * are frozen.
 */
type Request = { url: string; headers: Record<string, string>; delivery_id: string; body: string; secrets: string[] }

async function prepare(id: string): Promise<Request> {
  const em = unitOf(await database(), null)
  const { tenant_id, webhook_id, delivery_id, created_at, target } = await em.findOneOrFail(
    WebhookTest,
    { id },
    anyTenant,
  )
  if (target) {
    const { url, secret, event } = JSON.parse(target) as TestTarget
    const body = bodyOf(
      { id: delivery_id, type: event, created_at, tenant_id, kind: 'business' },
      JSON.stringify(sampleOf(eventData[event].data)),
    )
    return admitted({
      url,
      headers: { 'content-type': 'application/json' },
      delivery_id,
      body,
      secrets: secret === null ? [] : [secret],
    })
  }
  const hook = await em.findOneOrFail(Webhook, { id: webhook_id, tenant_id }, anyTenant)
  const previous = hook.previous_secret && (hook.previous_secret_until ?? 0) > unixNow() ? [hook.previous_secret] : []
  const body = JSON.stringify({ id: delivery_id, type: 'webhook.test', created_at, store_id: tenant_id, data: {} })
  const headers = { ...(JSON.parse(hook.headers) as Record<string, string>), 'content-type': 'application/json' }
  return admitted({ url: hook.url, headers, delivery_id, body, secrets: [hook.secret, ...previous] })
}

/** A request that the egress guard admits. */
async function admitted(request: Request): Promise<Request> {
  const { url, headers, body } = request
  try {
    await egress().check({ url, method: 'POST', headers, body, timeout_ms: 1 })
  } catch (error) {
    if (error instanceof EgressError && error.code === 'egress_refused')
      throw new NeverSent({ code: error.code, message: error.message })
    throw error
  }
  return request
}

export const sendWebhookTest = once({
  row: webhookTestEffect,
  prepare,
  async send({ url, headers, delivery_id, body, secrets }, sending) {
    const signed = secrets.length > 0 ? signatureHeaders(secrets.map(signingKey), delivery_id, unixNow(), body) : {}
    const timeout_ms = Math.ceil(sending.endBy - performance.now())
    const { verdict } = await egress().send(
      { url, method: 'POST', headers: { ...headers, ...signed }, body, timeout_ms },
      sending,
    )
    if (verdict.kind === 'not_sent') return verdict
    return { ...verdict, columns: { provider_status_code: (verdict.evidence.status as number | undefined) ?? null } }
  },
})
