// What the workflows of links to the provider's customer portal are called in Temporal's UI, and which call
// resolves their unknown outcomes.
import { call, type DescribedRow, type Description, root, storeOf } from '../descriptions.ts'

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
