// What a person does about deletions that wait for one.
import { type ItemText, wrong } from '../attention.ts'
import type { DescribedRow } from '../descriptions.ts'
import { isolated } from '../isolated.ts'

export type ErasureFacts = DescribedRow & { erased_id: string; message: string }

/** `byPlatform`: for its administrators; otherwise for the account that asked for it, which was an owner. */
export const erasureItem = (row: ErasureFacts, byPlatform: boolean): ItemText => ({
  title: `The deletion of the business ${isolated(row.store ?? '')} waits for a person.`,
  subject: { type: 'erasure', id: row.id, label: row.store },
  evidence: wrong({ code: 'outcome_open', message: row.message }, { erasure_id: row.id, business_id: row.erased_id }),
  what_to_do:
    'Open the deletion, which lists what it waits for. Record what became of each, or let the deletion go on without.',
  resolve: null,
  mend: { method: 'GET', path: `/v1/erasures/${row.id}`, role: byPlatform ? 'platform' : 'owner' },
  process: { kind: 'erasure', id: row.id },
})
