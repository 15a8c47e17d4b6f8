// What the workflows of tests of webhooks are called in Temporal's UI, and which call resolves their unknown outcomes.
import { call, type DescribedRow, type Description, root, storeOf } from '../descriptions.ts'

/** `webhook_id`: null of a test by address. */
export type WebhookTestFacts = DescribedRow & { webhook_id: string | null; delivery_id: string }

export function describeWebhookTest(test: WebhookTestFacts): Description {
  const { webhook_id, delivery_id } = test
  const summary = `test of ${webhook_id === null ? 'an address' : `webhook ${webhook_id}`} of ${storeOf(test)}`
  const again =
    webhook_id === null
      ? { webhook: { url: '…', events: [{ event: 'node.created' }] } }
      : { delivery_id: 'a new UUID', webhook_id }
  const details = [
    `A ${summary}, delivery \`${delivery_id}\`.`,
    `**If it is \`unknown\`**, check the receiver, or send another test${webhook_id === null ? ' with another `Idempotency-Key`' : ' under a new id'}:`,
    call(`POST ${root(test)}/webhooks/test`, again),
  ]
  return { summary, details: details.join('\n\n') }
}
