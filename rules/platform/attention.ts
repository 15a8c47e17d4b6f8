// What a person does about workflows that were not started.
import { type ItemText, recorded, wrong } from '../attention.ts'
import type { DescribedRow } from '../descriptions.ts'
import type { ProcessKind } from '../processes.ts'
import { type Subject, subjectTypes } from '../timeline/subjects.ts'

/** `of_plan`: it is about the plan of a store, whose timeline no tenant has. */
export type StartFacts = DescribedRow & {
  kind: ProcessKind
  row_id: string
  error: string | null
  tries: number
  of_plan: boolean
}

/** Processes that are about a record of another name. */
const subjects: Partial<Record<ProcessKind, Subject['type']>> = {
  membership: 'subscription',
  deliver: 'webhook',
  channel: 'integration',
}

function timelineOf({ kind, row_id, tenant_id, of_plan }: StartFacts): Subject | null {
  if (!tenant_id || of_plan) return null
  const type = subjects[kind] ?? subjectTypes.find((one) => one === kind)
  return type ? { type, id: row_id } : null
}

/** `byPlatform`: its administrators start it again. */
export const startItem = (row: StartFacts, byPlatform: boolean): ItemText => ({
  title: `A workflow was not started in ${row.tries} attempts: ${row.kind.replaceAll('_', ' ')}.`,
  subject: { type: row.kind, id: row.row_id, label: null },
  evidence: wrong({ code: 'not_started', message: row.error ?? 'Temporal gave no reason.' }, { row_id: row.row_id }),
  what_to_do: byPlatform
    ? 'Mend the cause, which Temporal names in the evidence, and start it again.'
    : 'Start it again. If it is not started then either, the administrators of the installation have to mend the cause, which the evidence names.',
  timeline: timelineOf(row),
  resolve: recorded(row, ['start_again'], byPlatform),
  process: { kind: row.kind, id: row.row_id },
})
