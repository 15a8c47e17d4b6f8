// A row that spreads these columns is an effect: something that leaves the building at most once.

import { p } from '@mikro-orm/core'
import { EffectStatus } from '../../rules/shapes.ts'
import { Encrypted } from './encrypted.ts'

export type EffectError = { code: string; message: string; provider_status?: number; provider_code?: string }
/** What the provider said, without secrets and personal data. */
export type Evidence = Record<string, unknown>

export const effect = {
  status: p.enum(EffectStatus.options).default('requested'),
  /** SHA-256 of the canonical payload and of the ids in the path: the same id with another payload is a conflict. */
  fingerprint: p.string().length(64),
  /** The exact request, frozen by the first prepare, so that one provider key never meets two payloads. */
  request: p.type(Encrypted).nullable(),
  attempt: p.integer().default(0),
  /** Whose claim it is: the workflow's run id and try. */
  token: p.string().nullable(),
  claimed_at: p.datetime(3).nullable(),
  sent_at: p.datetime(3).nullable(),
  deadline_at: p.datetime(3).nullable(),
  answered_at: p.datetime(3).nullable(),
  settled_at: p.datetime(3).nullable(),
  evidence: p.json<Evidence>().nullable(),
  late_evidence: p.json<Evidence>().nullable(),
  error: p.json<EffectError>().nullable(),
}
