// What a person does about links to the provider's customer portal, and configurations of it, that cannot be proved.
import { type EffectFacts, type ItemText, mending, outcomeItem, recorded } from '../attention.ts'
import { providerPage } from '../payments/attention.ts'
import type { PortalFacts } from './descriptions.ts'

export const portalLinkItem = (row: EffectFacts & PortalFacts & { subscription_id: string }): ItemText =>
  outcomeItem({
    row,
    whether: 'a link to the customer portal of the payment provider was made',
    subject: row.member_id
      ? { type: 'member', id: row.member_id, label: null }
      : { type: 'subscription', id: row.subscription_id, label: null },
    what_to_do:
      'A link changes nothing, and expires within minutes. It is requested again where it is needed, which ends the item; or record that it was not carried out.',
    // A member requests the one of a membership.
    mend: row.member_id ? null : mending(row, 'POST', '/subscription/portal', 'owner'),
    timeline: row.member_id ? undefined : null,
    ids: {
      ...{ subscription_id: row.subscription_id, audience_id: row.audience_id, member_id: row.member_id },
      ...{ provider_account_id: row.account, provider_customer_id: row.customer },
    },
    effect: 'portal_link',
    provider: providerPage(row.account, `customers/${row.customer}`),
    resolve: recorded(row, ['rejected']),
  })

export const portalConfigurationItem = (row: EffectFacts & { account: string | null }): ItemText =>
  outcomeItem({
    row,
    whether: 'a configuration of the customer portal was made',
    subject: { type: 'portal_configuration', id: row.id, label: row.account },
    what_to_do: `Look in the settings of the customer portal for a configuration whose metadata names ${row.id}, and deactivate it: the next link makes another one. Then record that it was not carried out.`,
    ids: { portal_configuration: row.id, provider_account_id: row.account },
    effect: 'portal_configuration',
    provider: providerPage(row.account, 'settings/billing/portal'),
    resolve: recorded(row, ['rejected']),
  })
