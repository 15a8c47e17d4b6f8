// What an import of enrollments is made of, and the parts that it is done in.
import { z } from 'zod'
import { EmailAddress } from '../input/email-addresses.ts'

/** The number of sources in one list of a request. */
export const SOURCES_MAX = 10_000
/** Enrollments of one transaction. */
export const PART_ROWS = 5_000
/** How many of the contacts that could not be enrolled an import reports. */
export const FAILED_MAX = 100

export type Recipient = { email: string; variables: Record<string, unknown> }
/** `contact_missing`: it was merged after the request. */
export const FailureCode = z.enum(['invalid_email', 'contact_missing'])
export type Failure = { value: string; code: z.infer<typeof FailureCode> }

/** What a request names, or the campaign whose enrollments are copied. */
export type Sources = { audience_ids: string[]; contact_ids: string[]; emails: Recipient[] } | { campaign_id: string }

/** An audience and the enrollments of a campaign are walked by time and id; the other parts are done at once. */
export type Part =
  | { kind: 'audience'; id: string }
  | { kind: 'contacts'; ids: string[] }
  | { kind: 'emails'; recipients: Recipient[] }
  | { kind: 'campaign'; id: string }

/** `part`: its index. `after`: time of creation and id of the last row of it that was read. */
export type Position = { part: number; after: [number, string] | null }

const slices = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / PART_ROWS) }, (_, at) => all.slice(at * PART_ROWS, (at + 1) * PART_ROWS))

/** The same for the same sources: an import that was interrupted continues by the index of its part. */
export const partsOf = (sources: Sources): Part[] =>
  'campaign_id' in sources
    ? [{ kind: 'campaign', id: sources.campaign_id }]
    : [
        ...sources.audience_ids.map((id): Part => ({ kind: 'audience', id })),
        ...slices(sources.contact_ids).map((ids): Part => ({ kind: 'contacts', ids })),
        ...slices(sources.emails).map((recipients): Part => ({ kind: 'emails', recipients })),
      ]

/** Normalized addresses, each once, with the variables that were named first. `again`: how many came again. */
export function recipientsOf(sources: readonly Recipient[]): {
  recipients: Recipient[]
  again: number
  failed: Failure[]
} {
  const recipients = new Map<string, Recipient>()
  const failed: Failure[] = []
  let again = 0
  for (const { email, variables } of sources) {
    const address = EmailAddress.safeParse(email)
    if (!address.success) failed.push({ value: email, code: 'invalid_email' })
    else if (recipients.has(address.data)) again++
    else recipients.set(address.data, { email: address.data, variables })
  }
  return { recipients: [...recipients.values()], again, failed }
}

/** Sums by reason. */
export function sumOfCounts(counts: Record<string, number>, more: Record<string, number>): Record<string, number> {
  const sums = { ...counts }
  for (const [reason, count] of Object.entries(more)) sums[reason] = (sums[reason] ?? 0) + count
  return sums
}
