// What a person does about workflows that were not started.
import { type ItemText, itemRoute, wrong } from '../attention.ts'
import type { DescribedRow } from '../descriptions.ts'
import type { ProcessKind } from '../processes.ts'

export type StartFacts = DescribedRow & { kind: ProcessKind; row_id: string; error: string | null; tries: number }

/** `byPlatform`: its administrators start it again. */
export const startItem = (row: StartFacts, byPlatform: boolean): ItemText => ({
  title: `A workflow was not started in ${row.tries} attempts: ${row.kind.replaceAll('_', ' ')}.`,
  subject: { type: row.kind, id: row.row_id, label: null },
  evidence: wrong({ code: 'not_started', message: row.error ?? 'Temporal gave no reason.' }, { row_id: row.row_id }),
  what_to_do: 'Mend the cause, which Temporal names in the evidence, and start it again: record `start_again`.',
  resolve: { path: itemRoute(byPlatform ? { id: row.id } : row), role: 'owner', choices: ['start_again'] },
  process: { kind: row.kind, id: row.row_id },
})
