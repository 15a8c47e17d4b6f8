// The process that deletes a business.
import { describeErasure, type ErasureFacts } from '../../rules/stores/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, process } from '../kit/process.ts'
import { erasureAttention } from './attention.ts'
import { lateErasures } from './erasures.ts'

export const erasureProcesses = [
  process('erasure', {
    late: [lateErasures],
    attention: { erasure: erasureAttention },
    matters: (ids) => sql`
      select 'erasure'::text as kind, e.id, e.id as process_id, e.erased_id as tenant_id,
        floor(extract(epoch from clock_timestamp()))::float8 as settled_at
      from erasures e
      where e.id = any (${ids})
    `,
    describe: describing<ErasureFacts>(
      {
        // The business may be gone.
        from: sql`(select id, erased_id as tenant_id, key from erasures) x`,
        tenant: sql`x.key as store, 'business' as tenant_kind`,
      },
      describeErasure,
    ),
  }),
] as const
