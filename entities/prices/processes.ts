// The processes of prices at the payment provider.
import { describePriceProvision, type ProvisionFacts } from '../../rules/prices/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, process } from '../kit/process.ts'
import { provisionAttention } from './attention.ts'

export const priceProcesses = [
  process('price_provision', {
    late: [],
    attention: { price_provision: provisionAttention },
    describe: describing<ProvisionFacts>(
      {
        from: sql`
          price_provisions x
          join audience_prices p on p.id = x.price_id and p.tenant_id = x.tenant_id
          join audience_tiers i on i.id = p.tier_id and i.tenant_id = p.tenant_id
        `,
        columns: sql`i.audience_id, p.tier_id, p.id as price_id, x.provider_account_id as account`,
      },
      describePriceProvision,
    ),
  }),
] as const
