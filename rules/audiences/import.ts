// Which rows of an import can be used, and which values may be kept about a member.
import { z } from 'zod'
import { EmailAddress } from '../input/email-addresses.ts'
import type { MemberDelivery } from './memberships.ts'

export const IMPORT_MAX = 1_000
/** Values about one member. */
export const FIELDS_MAX = 50
export const FIELDS_BYTES_MAX = 16 * 1024

type Fields = Record<string, unknown>
export const ImportFault = z.enum(['invalid_email', 'duplicate', 'too_many_fields', 'fields_too_large', 'invalid_key'])
export type ImportFault = z.infer<typeof ImportFault>

/** The first fault of a member's fields. Null if the values may be stored. */
export function fieldsFault(fields: Fields): { code: ImportFault; detail: string } | null {
  const keys = Object.keys(fields)
  if (keys.length > FIELDS_MAX) return { code: 'too_many_fields', detail: `Expected at most ${FIELDS_MAX} fields.` }
  if (keys.some((key) => key === '' || key.length > 255))
    return { code: 'invalid_key', detail: 'Expected keys of 1 to 255 characters.' }
  if (Buffer.byteLength(JSON.stringify(fields)) > FIELDS_BYTES_MAX)
    return { code: 'fields_too_large', detail: 'Expected at most 16 KiB of JSON.' }
  return null
}

/** The rows with normalized addresses, each address once, and the faults of the others by their index. */
export function importRows(
  given: readonly {
    email?: string | null | undefined
    fields?: Fields | undefined
    delivery_status?: MemberDelivery | undefined
  }[],
) {
  const rows: { email: string; fields: Fields; delivery_status: MemberDelivery }[] = []
  const failures: { row: number; code: ImportFault }[] = []
  const seen = new Set<string>()
  for (const [row, { email, fields = {}, delivery_status = 'subscribed' }] of given.entries()) {
    const address = EmailAddress.safeParse(email)
    const wrong = fieldsFault(fields)
    if (!address.success) failures.push({ row, code: 'invalid_email' })
    else if (wrong) failures.push({ row, code: wrong.code })
    else if (seen.has(address.data)) failures.push({ row, code: 'duplicate' })
    else {
      seen.add(address.data)
      rows.push({ email: address.data, fields, delivery_status })
    }
  }
  return { rows, failures }
}
