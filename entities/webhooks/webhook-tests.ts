// Test deliveries are named by the caller: the same id is the same test.
import type { EntityManager } from '@mikro-orm/postgresql'
import { invalid, Refusal } from '../../rules/refusal.ts'
import { OPEN_TESTS_MAX } from '../../rules/webhooks/deliveries.ts'
import type { EventType } from '../../rules/webhooks/events.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { lockCounts, takeSlot } from '../platform/task-slots.ts'
import { Webhook } from './webhook.ts'
import { WebhookTest } from './webhook-test.ts'

/**
 * Where a test goes that is of no webhook, and the event of which it sends a sample. Without a secret it is not signed.
 */
export type TestTarget = { url: string; secret: string | null; event: EventType }
export type TestInput = { delivery_id: string; fingerprint: string } & ({ webhook_id: string } | { target: TestTarget })

/**
 * Writes the test and starts it, or lets it wait for a slot of its store, which starts it; or returns the existing test
 * of that id, which may be of another webhook. 422 webhook_unknown, webhook_disabled, 429 too_many_requests, without a
 * row. `now` in Unix seconds.
 */
export async function requestTest(
  em: EntityManager,
  tenantId: string,
  { delivery_id, fingerprint, ...to }: TestInput,
  now: number,
): Promise<WebhookTest> {
  const earlier = await em.findOne(WebhookTest, { delivery_id })
  if (earlier) return earlier
  if ('webhook_id' in to) {
    const hook = await em.findOne(Webhook, { id: to.webhook_id })
    if (!hook) throw invalid('/webhook_id', 'webhook_unknown', 'There is no such webhook.')
    if (!hook.enabled)
      throw invalid('/webhook_id', 'webhook_disabled', 'The webhook is disabled: nothing is sent to it.')
  }
  // Requests of a store are serialized, so that the limit is exact and an existing test is found.
  await lockCounts(em, tenantId, 'deliveries')
  const meanwhile = await em.findOne(WebhookTest, { delivery_id })
  if (meanwhile) return meanwhile
  if ((await em.count(WebhookTest, { status: { $in: ['requested', 'processing'] } })) >= OPEN_TESTS_MAX)
    throw new Refusal(
      429,
      'too_many_requests',
      `At most ${OPEN_TESTS_MAX} tests of a {store} may be open; wait until one has ended.`,
      {
        headers: { 'Retry-After': '5' },
      },
    )
  const id = newId()
  const test = em.create(WebhookTest, {
    id,
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    delivery_id,
    ...('webhook_id' in to ? to : { target: JSON.stringify(to.target) }),
    status: 'requested',
    fingerprint,
    attempt: 0,
  })
  await em.flush()
  const place = { tenant_id: tenantId, queue: 'deliveries', kind: 'webhook_test', row_id: id } as const
  // A test of an address that hangs holds its slot until its limit.
  if (await takeSlot(em, place, { id, worker: null }))
    await start(em, 'webhook_test', id, { tenant_id: tenantId, awaited: true })
  return test
}
