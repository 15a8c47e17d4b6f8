// A link to the provider's pages where a store completes its account. It expires within minutes, so every request
// creates a new one.
import { defineEntity, p } from '@mikro-orm/core'
import { tenantRow } from '../kit/database/row.ts'
import { sql } from '../kit/database/sql.ts'
import { attentionIndexes, effect } from '../kit/effect-columns.ts'
import { effectRow } from '../kit/effects.ts'
import { Encrypted } from '../kit/encrypted.ts'
import { PaymentProvider } from './payment-provider.ts'

const schema = defineEntity({
  name: 'OnboardingLink',
  tableName: 'onboarding_links',
  properties: {
    ...tenantRow,
    payment_provider_id: () =>
      p.manyToOne(PaymentProvider).mapToPk().deleteRule('cascade').joinColumn('payment_provider_id'),
    return_url: p.text(),
    refresh_url: p.text(),
    url: p.type(Encrypted).nullable(),
    ...effect,
  },
  indexes: [
    { properties: ['payment_provider_id', 'created_at'] },
    { properties: ['status', 'created_at'] },
    ...attentionIndexes('onboarding_links'),
  ],
})
export class OnboardingLink extends schema.class {}
schema.setClass(OnboardingLink)

export const onboardingLinkEffect = effectRow('onboarding_link', { precondition: sql`true` })
