// The processes of payment accounts.
import { describeConnect, describeOnboardingLink, type ProviderFacts } from '../../rules/stores/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, type ProcessRows } from '../kit/process.ts'

export const storeProcesses = {
  connect: {
    late: [],
    describe: describing<ProviderFacts>(
      {
        from: sql`payment_providers x`,
        columns: sql`x.id as provider_id`,
      },
      describeConnect,
    ),
  },
  onboarding_link: {
    late: [],
    describe: describing<ProviderFacts>(
      {
        from: sql`onboarding_links x`,
        columns: sql`x.payment_provider_id as provider_id`,
      },
      describeOnboardingLink,
    ),
  },
} satisfies Record<string, ProcessRows>
