// The process that deletes a business.
import { describeErasure, type ErasureFacts } from '../../rules/stores/descriptions.ts'
import { sql } from '../kit/database/sql.ts'
import { describing, type ProcessRows } from '../kit/process.ts'
import { erasureAttention } from './attention.ts'
import { lateErasures } from './erasures.ts'

export const erasureProcesses = {
  erasure: {
    late: [lateErasures],
    attention: { erasure: erasureAttention },
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
