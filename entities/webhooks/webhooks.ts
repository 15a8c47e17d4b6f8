// Changes of webhooks. One that is enabled again starts without failures; a replaced secret signs for another day.
import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { keepHeadersAtOrigin } from '../../rules/input/write-only.ts'
import { conflict, notFound } from '../../rules/refusal.ts'
import { SECRET_OVERLAP_S, WEBHOOKS_MAX } from '../../rules/webhooks/deliveries.ts'
import type { EventType } from '../../rules/webhooks/events.ts'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { Webhook } from './webhook.ts'

export type WebhookInput = {
  key: string
  url: string
  events: EventType[]
  headers: Record<string, string>
  secret: string
  enabled: boolean
}

type WebhookChange = { [name in keyof WebhookInput]?: WebhookInput[name] | undefined }

/** Flushes. A 409 ends the transaction. */
async function flushKey(em: EntityManager): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException) || !/webhooks_tenant_id_key_unique/.test(error.message))
      throw error
    const detail = 'The {store} has a webhook with this key already.'
    throw conflict('key_taken', detail, { faults: [{ pointer: '/key', code: 'key_taken', detail }] })
  }
}

/** Creates a webhook. 409 key_taken, webhooks_too_many. */
export async function createWebhook(
  em: EntityManager,
  tenantId: string,
  { headers, events, ...input }: WebhookInput,
  now: number,
): Promise<Webhook> {
  // Serialized per store, so that the limit is exact.
  await em.execute(sql`select 1 from tenants where id = ${tenantId} for no key update`)
  if ((await em.count(Webhook)) >= WEBHOOKS_MAX)
    throw conflict('webhooks_too_many', `A {store} has at most ${WEBHOOKS_MAX} webhooks: remove one first.`)
  const row = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now }
  const hook = em.create(Webhook, { ...row, ...input, headers: JSON.stringify(headers), events: [...new Set(events)] })
  await flushKey(em)
  return hook
}

/**
 * Updates a webhook. Fields that are left out stay; headers replace all headers, and are required with another origin.
 * `now` in Unix seconds. 404, 409 key_taken, 422.
 */
export async function updateWebhook(
  em: EntityManager,
  id: string,
  { headers, events, ...input }: WebhookChange,
  now: number,
): Promise<Webhook> {
  const hook = await em.findOneOrFail(
    Webhook,
    { id },
    { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: () => notFound('webhook') },
  )
  keepHeadersAtOrigin(JSON.parse(hook.headers), hook.url, { url: input.url, headers })
  const wakes = input.enabled === true && !hook.enabled
  if (input.secret !== undefined && input.secret !== hook.secret)
    em.assign(hook, { previous_secret: hook.secret, previous_secret_until: now + SECRET_OVERLAP_S })
  em.assign(hook, { ...input, updated_at: now })
  if (headers) em.assign(hook, { headers: JSON.stringify(headers) })
  if (events) em.assign(hook, { events: [...new Set(events)] })
  if (wakes) em.assign(hook, { disabled_reason: null, failing_since: null })
  await flushKey(em)
  if (wakes) await start(em, 'deliver', id, { tenant_id: hook.tenant_id })
  return hook
}

/** Deletes its deliveries and tests, too. 404. */
export async function removeWebhook(em: EntityManager, id: string): Promise<void> {
  if ((await em.nativeDelete(Webhook, { id })) === 0) throw notFound('webhook')
}
