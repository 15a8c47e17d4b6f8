// The next step of a membership's workflow, by its rows alone: send its changes one after the other, and read what
// events have not said.
import type { EffectStatus } from '../effects.ts'

/** Milliseconds for which a change with an unknown outcome is looked for at the provider. */
export const READ_BACK_MS = 300_000

export type MembershipFacts = {
  /** A payment by an invoice whose payment intent is not known yet. */
  payment: string | null
  /** The oldest change that is not settled. */
  change: string | null
  /** The newest change whose outcome is unknown, without evidence, and the milliseconds since then. */
  unproved: { age_ms: number } | null
  read_requested: boolean
  /** How the newest change of the last minutes was settled; null if there is none. */
  outcome: EffectStatus | null
}

export type MembershipStep =
  | { do: 'payment'; id: string }
  | { do: 'send'; id: string }
  /** `again`: the read is repeated, with pauses, until it shows the change or five minutes have passed. */
  | { do: 'read'; again: boolean }
  | { do: 'done'; outcome: EffectStatus }

/** The workflow calls this again after every step. */
export function nextMembershipStep({
  payment,
  change,
  unproved,
  read_requested,
  outcome,
}: MembershipFacts): MembershipStep {
  // A read that fails must not delay a cancellation.
  if (change !== null) return { do: 'send', id: change }
  if (read_requested) return { do: 'read', again: false }
  if (payment !== null) return { do: 'payment', id: payment }
  if (unproved !== null && unproved.age_ms < READ_BACK_MS) return { do: 'read', again: true }
  return { do: 'done', outcome: outcome ?? 'succeeded' }
}
