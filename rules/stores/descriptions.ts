// What the workflows of payment accounts and deletions are called in Temporal's UI, and which call resolves their
// unknown outcomes.
import { call, type DescribedRow, type Description, root, storeOf } from '../descriptions.ts'

export type ProviderFacts = DescribedRow & { provider_id: string }

const connected = (facts: ProviderFacts, summary: string): Description => ({
  summary,
  details: [
    `${summary}.`,
    `**If the account is \`unknown\`** (409 \`connect_unknown\`), find it at the provider by its metadata \`payment_provider_id\` = \`${facts.provider_id}\`, and send its id as an owner of the store:`,
    call(`POST ${root(facts)}/payment-providers/stripe/connect`, {
      connected_account_id: 'acct_…',
      return_url: '…',
      refresh_url: '…',
    }),
  ].join('\n\n'),
})

export const describeConnect = (facts: ProviderFacts): Description =>
  connected(facts, `payment account of ${storeOf(facts)}`)

/** An onboarding link depends on its account; a lost link is requested again. */
export const describeOnboardingLink = (facts: ProviderFacts): Description =>
  connected(facts, `onboarding link of ${storeOf(facts)}`)

/** `store`: the key that the business had. */
export type ErasureFacts = DescribedRow

export function describeErasure(erasure: ErasureFacts): Description {
  const summary = `erasure of business ${erasure.store?.slice(0, 80)}`
  const details = [
    `The ${summary}, \`${erasure.tenant_id}\`: ends what is pending at the provider, and deletes all rows and files.`,
    '**If it failed**, an outcome is open that no row would tell after the deletion. `GET /v1/erasures/{id}` lists what it waits for, for the account that asked for the deletion and for platform administrators. Record what you found, or let it go on: what is open is then kept in its own row.',
    call(`POST /v1/erasures/${erasure.id}/resolve`, {
      id: 'id of the item',
      outcome: 'succeeded or rejected',
      note: 'what you found',
    }),
    call(`POST /v1/erasures/${erasure.id}/continue`, { note: 'why' }),
    '**If it waits for subscriptions** whose cancellation the provider refuses, cancel them in its dashboard: its event ends the wait. The table `erasures` says what it waits for.',
  ]
  return { summary, details: details.join('\n\n') }
}
