// What the workflows of memberships are called in Temporal's UI, and which call resolves their unknown outcomes.
import { call, type DescribedRow, type Description, root, storeOf } from '../descriptions.ts'

/** A membership's subscription, or a store's own plan, which has no audience and member. */
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
