// The processes of payment accounts.
import { describeConnect, describeOnboardingLink, type ProviderFacts } from '../../rules/stores/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, process } from '../kit/process.ts'
import { connectAttention, onboardingAttention } from './attention.ts'

export const storeProcesses = [
  process('connect', {
    late: [],
    attention: { connect: connectAttention },
    describe: describing<ProviderFacts>(
      {
        from: sql`payment_providers x`,
        columns: sql`x.id as provider_id`,
      },
      describeConnect,
    ),
  }),
  process('onboarding_link', {
    late: [],
    attention: { onboarding_link: onboardingAttention },
    describe: describing<ProviderFacts>(
      {
        from: sql`onboarding_links x`,
        columns: sql`x.payment_provider_id as provider_id`,
      },
      describeOnboardingLink,
    ),
  }),
] as const
