// Webhooks that the server has disabled, and tests of webhooks whose outcome cannot be proved.
import type { EffectFacts } from '../../rules/attention.ts'
import { type WebhookFacts, webhookItem, webhookTestItem } from '../../rules/webhooks/attention.ts'
import type { WebhookTestFacts } from '../../rules/webhooks/descriptions.ts'
import { attends, attendsEffect } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { webhookTestEffect } from './webhook-test.ts'

/** Until a later test of the webhook has succeeded. */
export const webhookTestAttention = attendsEffect<EffectFacts & WebhookTestFacts & { key: string | null }>(
  webhookTestEffect,
  {
    labels: sql`left join webhooks w on w.id = x.webhook_id and w.tenant_id = x.tenant_id`,
    columns: sql`x.webhook_id, x.delivery_id, w.key`,
    matters: sql`
      not exists (
        select 1
        from webhook_tests n
        where n.webhook_id = x.webhook_id
          and n.tenant_id = x.tenant_id
          and n.created_at >= x.created_at
          and n.status = 'succeeded'
      )
    `,
    text: webhookTestItem,
  },
)

/** A store has 100 webhooks at most. One that an operator disabled has no reason. */
export const webhookAttention = attends<WebhookFacts>('webhook', {
  from: sql`webhooks x`,
  columns: sql`x.key, x.disabled_reason, x.events`,
  where: sql`not x.enabled and x.disabled_reason is not null`,
  since: sql`x.updated_at`,
  text: webhookItem,
})
