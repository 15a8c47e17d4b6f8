// What the workflows of prices are called in Temporal's UI, and which call resolves their unknown outcomes.
import { call, type DescribedRow, type Description, root, storeOf } from '../descriptions.ts'

export type ProvisionFacts = DescribedRow & { audience_id: string; tier_id: string; price_id: string; account: string }

export function describePriceProvision(provision: ProvisionFacts): Description {
  const summary = `price ${provision.price_id} of ${storeOf(provision)}`
  const details = [
    `Creates ${summary} at the provider: account \`${provision.account}\`, lookup key \`${provision.price_id}\`.`,
    '**If it is `unknown`**, an update of the tier searches for the price at the provider and creates it if there is none:',
    call(`PUT ${root(provision)}/audiences/${provision.audience_id}/tiers/${provision.tier_id}`, {}),
  ]
  return { summary, details: details.join('\n\n') }
}
