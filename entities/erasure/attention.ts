// Deletions that wait for a person: the account that asked for them, or an administrator of the installation.
import { type ErasureFacts, erasureItem } from '../../rules/erasure/attention.ts'
import { attends } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'

export const erasureAttention = attends<ErasureFacts>('erasure', {
  from: sql`erasures x`,
  columns: sql`x.erased_id, x.message`,
  tenant: sql`x.erased_id`,
  // The business may be gone.
  named: sql`x.key as store, 'business' as tenant_kind`,
  where: sql`x.needs_attention`,
  ofAccount: (accountId) => sql`x.requested_by = ${accountId}`,
  platform: sql`true`,
  // The time of the last change is that of the last look.
  since: sql`x.created_at`,
  text: (row, scope) => erasureItem(row, scope === 'platform'),
})
