// What the workflows of memberships, portal links and prices are called in Temporal's UI, and which call resolves their unknown outcomes.
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

/** Of a membership's subscription; of a store's own plan, without audience and member. */
export type MembershipFacts = DescribedRow & {
  audience_id: string | null
  member_id: string | null
  account: string | null
  subscription: string | null
}

export function describeMembership(membership: MembershipFacts): Description {
  const { audience_id, member_id, account, subscription } = membership
  const summary = `subscription of ${member_id === null ? '' : `member ${member_id}, `}${storeOf(membership)}`
  const details = [
    `A ${summary}.`,
    `**If a change is \`unknown\`**, look the subscription up at the provider: account \`${account ?? 'the platform'}\`, subscription \`${subscription}\`. A change sets a state and adds nothing: ` +
      'if the provider does not show it, request it again. The record shows what events have reported:',
    call(`GET ${root(membership)}${audience_id === null ? '' : `/audiences/${audience_id}/members`}`),
  ]
  return { summary, details: details.join('\n\n') }
}

/** A link to the customer portal, for a member or for a store's own plan, without audience and member. */
export type PortalFacts = DescribedRow & {
  audience_id: string | null
  member_id: string | null
  account: string | null
  customer: string
  configuration_id: string
}

export function describePortal(portal: PortalFacts): Description {
  const { audience_id, member_id, account, customer, configuration_id } = portal
  const summary = `portal link for ${member_id === null ? 'the plan' : `member ${member_id}`}, ${storeOf(portal)}`
  const at = account === null ? "the platform's own account" : `account \`${account}\``
  const details = [
    `A ${summary}: ${at}, customer \`${customer}\`. The portal configuration of the account is created first, once.`,
    `**If the configuration is \`unknown\`**, the workflow searches the account for it (metadata \`portal_configuration\` = \`${configuration_id}\`). If there is none, the next link creates another.`,
    `**If the link is \`unknown\` or has failed**, nothing has to be done: a link changes nothing, and ${member_id === null ? 'an owner of the store' : 'the member'} requests another one.`,
    call(`GET ${root(portal)}${audience_id === null ? '/subscription' : `/audiences/${audience_id}/members`}`),
  ]
  return { summary, details: details.join('\n\n') }
}
