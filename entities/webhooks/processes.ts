// The processes of deliveries to webhooks and of their tests.
import { describeWebhookTest, type WebhookTestFacts } from '../../rules/webhooks/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, effectEnded, process } from '../kit/process.ts'
import { isForgotten } from '../platform/task-slots.ts'
import { webhookAttention, webhookTestAttention } from './attention.ts'
import { lateEndpoints } from './deliveries.ts'

export const webhookProcesses = [
  process('deliver', {
    late: [lateEndpoints],
    attention: { webhook: webhookAttention },
    slotEnded: sql`
      (
        ${isForgotten}
        or not exists (select 1 from webhooks w where w.id = t.id and w.tenant_id = t.tenant_id and w.enabled)
      )
    `,
  }),
  process('webhook_test', {
    late: [],
    attention: { webhook_test: webhookTestAttention },
    slotEnded: effectEnded('webhook_test'),
    describe: describing<WebhookTestFacts>(
      {
        from: sql`webhook_tests x`,
        columns: sql`x.webhook_id, x.delivery_id`,
      },
      describeWebhookTest,
    ),
  }),
] as const
