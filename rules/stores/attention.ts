// What a person does about payment accounts and links to their onboarding that cannot be proved.
import { type EffectFacts, type ItemText, type Mend, mending, outcomeItem, recorded } from '../attention.ts'
import type { DescribedRow } from '../descriptions.ts'
import { providerPage } from '../payments/attention.ts'
import type { ProviderFacts } from './descriptions.ts'

type Account = { account: string | null }

const connectAgain = (row: DescribedRow): Mend => mending(row, 'POST', '/payment-providers/stripe/connect', 'owner')

export const connectItem = (row: EffectFacts & ProviderFacts & Account): ItemText =>
  outcomeItem({
    row,
    whether: 'the account at the payment provider was made',
    subject: { type: 'payment_provider', id: row.provider_id, label: null },
    what_to_do: `Look at the payment provider for an account whose metadata names ${row.provider_id}. If it is there, connect again and name that account, which ends the item. If not, record that it was not carried out: the next connection makes an account.`,
    mend: connectAgain(row),
    ids: { payment_provider_id: row.provider_id, provider_account_id: row.account },
    effect: 'connect',
    // An account that is there after all is named after `succeeded`: after `rejected` the next connection makes one.
    resolve: recorded(row, row.resolution ? ['succeeded', 'rejected'] : ['rejected']),
  })

export const onboardingLinkItem = (row: EffectFacts & ProviderFacts & Account): ItemText =>
  outcomeItem({
    row,
    whether: 'a link to the onboarding of the payment provider was made',
    subject: { type: 'payment_provider', id: row.provider_id, label: null },
    what_to_do:
      'A link changes nothing, and expires within minutes. Connect again if the account is not complete, which ends the item; or record that it was not carried out.',
    mend: connectAgain(row),
    ids: { payment_provider_id: row.provider_id, provider_account_id: row.account },
    effect: 'onboarding_link',
    provider: providerPage(row.account, 'settings/account'),
    resolve: recorded(row, ['rejected']),
  })
