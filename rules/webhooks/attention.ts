// What a person does about webhooks that were disabled, and about tests of webhooks whose outcome cannot be proved.
import { type EffectFacts, type ItemText, mending, outcomeItem, recorded, wrong } from '../attention.ts'
import type { DescribedRow } from '../descriptions.ts'
import { isolated } from '../isolated.ts'
import type { WebhookTestFacts } from './descriptions.ts'

/** `key`: of the webhook; null for a test by address. */
export const webhookTestItem = (row: EffectFacts & WebhookTestFacts & { key: string | null }): ItemText =>
  outcomeItem({
    row,
    whether: `a test of ${row.key === null ? 'an address' : `the webhook ${isolated(row.key)}`} arrived`,
    subject:
      row.webhook_id === null
        ? { type: 'webhook_test', id: row.id, label: null }
        : { type: 'webhook', id: row.webhook_id, label: row.key },
    what_to_do: `Look at the receiver for the delivery ${row.delivery_id}, and record what you found.${row.webhook_id === null ? '' : ' Or send another test, which ends the item when it arrives.'}`,
    mend: row.webhook_id === null ? null : mending(row, 'POST', '/webhooks/test'),
    ids: { delivery_id: row.delivery_id, webhook_id: row.webhook_id },
    effect: 'webhook_test',
    resolve: recorded(row, ['succeeded', 'rejected']),
  })

/** Its address is a secret: what it receives tells which one it is. */
export type WebhookFacts = DescribedRow & { key: string; disabled_reason: string; events: readonly string[] }

/** The first of its events in words, and how many there are beside it. */
function receives([first, ...others]: readonly string[]): string {
  if (first === undefined) return ''
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return `, which gets the event “${first.replaceAll(/[._]/g, ' ')}”${more}`
}

const reasons: Record<string, string> = {
  gone: 'its address answered that it is gone for good (410)',
  failing: 'no delivery was taken for five days',
}

/** The end of "The webhook was disabled: …". */
export const disabledWhy = (reason: string): string => reasons[reason] ?? isolated(reason.replaceAll('_', ' '))

export const webhookItem = (row: WebhookFacts): ItemText => {
  const why = disabledWhy(row.disabled_reason)
  return {
    title: `The webhook ${isolated(row.key)} was disabled: ${why}.`,
    subject: { type: 'webhook', id: row.id, label: row.key },
    evidence: wrong(
      { code: row.disabled_reason, message: `The webhook was disabled: ${why}.` },
      { webhook_id: row.id },
    ),
    what_to_do: `Mend the receiver of ${isolated(row.key)}${receives(row.events)}. Then enable the webhook: deliveries that wait are sent. Those that were given up are sent when you redeliver them.`,
    resolve: null,
    mend: mending(row, 'PUT', `/webhooks/${row.id}`),
    timeline: { type: 'webhook', id: row.id },
    process: { kind: 'deliver', id: row.id },
  }
}
