// The processes of payment accounts and of deletions.
import {
  describeConnect,
  describeErasure,
  describeOnboardingLink,
  type ErasureFacts,
  type ProviderFacts,
} from '../../rules/stores/descriptions.ts'
import { lateErasures } from '../erasure/erasures.ts'
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
  erasure: {
    late: [lateErasures],
    describe: describing<ErasureFacts>(
      {
        // The business may be gone.
        from: sql`(select id, erased_id as tenant_id, key from erasures) x`,
        tenant: sql`x.key as store, 'business' as tenant_kind`,
      },
      describeErasure,
    ),
  },
} satisfies Record<string, ProcessRows>
