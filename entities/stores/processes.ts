// The processes of payment accounts and of deletions.
import { describeConnect, describeErasure, describeOnboardingLink, type ErasureFacts, type ProviderFacts } from '../../rules/stores/descriptions.ts'
import { describedTenant, describing, type ProcessRows } from '../kit/process.ts'
import { sql } from '../kit/sql.ts'
import { lateErasures } from './erasures.ts'

export const storeProcesses = {
  connect: {
    late: [],
    describe: describing<ProviderFacts>(
      (ids) => sql`
        select v.id, v.tenant_id, ${describedTenant}, v.id as provider_id
        from payment_providers v
        left join tenants t on t.id = v.tenant_id
        where v.id = any (${ids})`,
      describeConnect,
    ),
  },
  onboarding_link: {
    late: [],
    describe: describing<ProviderFacts>(
      (ids) => sql`
        select l.id, l.tenant_id, ${describedTenant}, l.payment_provider_id as provider_id
        from onboarding_links l
        left join tenants t on t.id = l.tenant_id
        where l.id = any (${ids})`,
      describeOnboardingLink,
    ),
  },
  erasure: {
    late: [lateErasures],
    describe: describing<ErasureFacts>(
      (ids) => sql`
        select id, erased_id as tenant_id, key as store, 'business' as tenant_kind
        from erasures
        where id = any (${ids})`,
      describeErasure,
    ),
  },
} satisfies Record<string, ProcessRows>
