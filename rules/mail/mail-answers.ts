// What the team may read of the answer to an e-mail: the text of a mail server may name the address.
import type { Evidence } from '../resolutions.ts'

export type Answered = {
  error: ({ code: string; message: string } & Record<string, unknown>) | null
  evidence: Evidence | null
  late_evidence: Evidence | null
}

/** Errors whose text is ours. */
const ours: ReadonlySet<string> = new Set([
  ...['outcome_unknown', 'quarantined', 'resolved', 'no_longer_wanted', 'worker_stopping', 'stamp_not_acknowledged'],
])
/** Members of evidence that hold no text of the server. */
const codes: ReadonlySet<string> = new Set(['status', 'command', 'code', 'provider_status'])

const withoutText = (evidence: Evidence | null): Evidence | null =>
  evidence && Object.fromEntries(Object.entries(evidence).filter(([name]) => codes.has(name)))

/** The row with the codes of the mail server and without its text. */
export const withoutMailAnswer = <R extends Answered>(row: R): R => ({
  ...row,
  error:
    row.error && !ours.has(row.error.code)
      ? { ...row.error, message: 'The text is not shown, as it may name the address.' }
      : row.error,
  evidence: withoutText(row.evidence),
  late_evidence: withoutText(row.late_evidence),
})
