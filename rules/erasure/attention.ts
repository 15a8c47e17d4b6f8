// What a person does about deletions that wait for one.
import { type ItemText, wrong } from '../attention.ts'
import type { DescribedRow } from '../descriptions.ts'

export type ErasureFacts = DescribedRow & { erased_id: string; message: string }

export const erasureItem = (row: ErasureFacts): ItemText => ({
  title: `The deletion of the business ${row.store} waits for a person.`,
  subject: { type: 'erasure', id: row.id, label: row.store },
  evidence: wrong({ code: 'outcome_open', message: row.message }, { erasure_id: row.id, business_id: row.erased_id }),
  what_to_do: `\`GET /v1/erasures/${row.id}\` lists what it waits for. Record what became of each item (\`POST /v1/erasures/${row.id}/resolve\`), or let the deletion go on without (\`POST /v1/erasures/${row.id}/continue\`).`,
  resolve: null,
  process: { kind: 'erasure', id: row.id },
})
