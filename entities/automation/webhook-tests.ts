// A test delivery is named by its caller: the same id is the same test, whoever comes first.
import type { EntityManager } from '@mikro-orm/postgresql'
import { OPEN_TESTS_MAX } from '../../rules/deliveries.ts'
import { invalid, Refusal } from '../../rules/refusal.ts'
import { newId } from '../ids.ts'
import { start } from '../outbox.ts'
import { Webhook } from './webhook.ts'
import { WebhookTest } from './webhook-test.ts'

export type TestInput = { delivery_id: string; webhook_id: string; fingerprint: string }

/**
 * Writes the test and starts it, or finds the one that the id names already, which may be another webhook's. 422 webhook_unknown, webhook_disabled, 429
 * too_many_requests, and nothing written. `now` in Unix seconds.
 */
export async function requestTest(em: EntityManager, tenantId: string, { delivery_id, webhook_id, fingerprint }: TestInput, now: number): Promise<WebhookTest> {
  const known = await em.findOne(WebhookTest, { delivery_id })
  if (known) return known
  const hook = await em.findOne(Webhook, { id: webhook_id })
  if (!hook) throw invalid('/webhook_id', 'webhook_unknown', 'There is no such webhook.')
  if (!hook.enabled) throw invalid('/webhook_id', 'webhook_disabled', 'The webhook is disabled: nothing is sent to it.')
  // A test of an address that hangs holds a slot of the queue until its limit.
  if ((await em.count(WebhookTest, { status: { $in: ['requested', 'processing'] } })) >= OPEN_TESTS_MAX)
    throw new Refusal(429, 'too_many_requests', `At most ${OPEN_TESTS_MAX} tests of a store may be open; wait until one has ended.`, {
      headers: { 'Retry-After': '5' },
    })
  const id = newId()
  // Two at once are one: the second waits for the first, and finds it.
  const made: unknown[] = await em.execute(
    `insert into webhook_tests (id, tenant_id, created_at, updated_at, delivery_id, webhook_id, status, fingerprint, attempt)
     values (?, ?, ?, ?, ?, ?, 'requested', ?, 0) on conflict (tenant_id, delivery_id) do nothing returning id`,
    [id, tenantId, now, now, delivery_id, webhook_id, fingerprint],
  )
  if (made.length > 0) await start(em, 'webhook_test', id, { tenant_id: tenantId, awaited: true })
  return em.findOneOrFail(WebhookTest, { delivery_id })
}
