// The columns of an effect's row. A table that spreads them has a row in rules/effects.ts.
import { p } from '@mikro-orm/core'
import { effectStatuses } from '../../rules/effects.ts'
import { Encrypted } from './encrypted.ts'

export type EffectError = { code: string; message: string; provider_status?: number; provider_code?: string }
/** The provider's answer, without secrets and personal data. */
export type Evidence = Record<string, unknown>

export const effect = {
  status: p.enum(effectStatuses).default('requested'),
  /** SHA-256 of the canonical payload and of the ids in the path: the same id with another payload is a conflict. */
  fingerprint: p.string().length(64),
  /** The exact request, frozen by the first prepare: every attempt sends it under the same provider key. */
  request: p.type(Encrypted).nullable(),
  attempt: p.integer().default(0),
  /** The attempt that claimed the row: the workflow's run id and try. */
  token: p.string().nullable(),
  claimed_at: p.datetime(3).nullable(),
  sent_at: p.datetime(3).nullable(),
  deadline_at: p.datetime(3).nullable(),
  answered_at: p.datetime(3).nullable(),
  settled_at: p.datetime(3).nullable(),
  evidence: p.json<Evidence>().nullable(),
  late_evidence: p.json<Evidence>().nullable(),
  /** When the late evidence became known; null of rows before this column. */
  late_at: p.datetime(3).nullable(),
  error: p.json<EffectError>().nullable(),
}
