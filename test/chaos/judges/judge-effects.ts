// Invariants of effects: each happens once, is recorded with its outcome, and is unknown only if a fault could have
// caused that.
import { addressProof } from '../../../rules/http-verdicts.ts'
import type { Arrival, EffectRow, History } from '../history.ts'
import type { Fault } from '../timeline.ts'

/**
 * Tolerance for clocks read by several processes of one machine, and for requests that arrive a moment after their
 * process was killed.
 */
const slackMs = 250

function oraclesOf({ table }: Pick<EffectRow, 'table'>): Arrival['oracle'][] {
  if (table === 'campaign_messages') return ['sink']
  if (table === 'model_calls') return ['models']
  if (table === 'channel_messages') return ['chat_bot']
  if (table.startsWith('social_')) return ['social']
  return table === 'node_runs' ? ['receiver', 'mail'] : ['stripe']
}

const named = ({ table, id }: Pick<EffectRow, 'table' | 'id'>) => `${table} ${id}`

function byKey(h: History): Map<string, Arrival[]> {
  return Map.groupBy(h.arrivals, ({ key }) => key)
}

export const repeated = (h: History): string[] =>
  [...byKey(h)].flatMap(([key, all]) => {
    const count = all.filter(({ effect }) => effect).length
    return count > 1 ? [`${key} happened ${count} times at the ${all[0]?.oracle}`] : []
  })

/**
 * A mail server's reply to the final dot says that it did not accept the message: after 4yz another attempt is due (RFC
 * 5321, 4.5.4.1).
 */
const refusedMail = ({ oracle, answered, effect }: Arrival) => oracle === 'mail' && answered && !effect

/** A network that refuses a token, or asks for a pause, has done nothing: another attempt is due. */
const refusedCall = ({ oracle, answered, effect, status }: Arrival) =>
  oracle === 'social' && answered && !effect && (status === 401 || status === 429)

/** Also where the oracle refused to do it twice: the request must not be sent. */
export const sentAgain = (h: History): string[] =>
  [...byKey(h)].flatMap(([key, all]) => {
    if (all.filter((arrival) => !refusedMail(arrival) && !refusedCall(arrival)).length < 2) return []
    const row = h.effects.find(({ id }) => id === key)
    const times = all.map(
      ({ oracle, at, status }) => `at the ${oracle} at ${new Date(at).toISOString()}, answered ${status}`,
    )
    return [`${row ? named(row) : key} arrived ${all.length} times: ${times.join('; ')}`]
  })

/** Requests that arrived without a row: the row's commit was lost, or it was sent before it was written. */
export function unwritten(h: History): string[] {
  const known = new Set(h.effects.map(({ id }) => id))
  return h.arrivals
    .filter(({ key }) => !known.has(key))
    .map(({ oracle, key }) => `${key} arrived at the ${oracle}, and no row says so`)
}

/**
 * API processes send nothing, and effects are settled without Temporal as well: neither can cause an unknown.
 * `worker-2` stands for either worker, because the sender of a request is not recorded.
 */
function couldCause(fault: Fault, row: EffectRow): boolean {
  if (fault.key !== undefined) return fault.key === row.id
  if (fault.victim.startsWith('worker') || fault.victim === 'postgres') return true
  return oraclesOf(row).some((oracle) => oracle === fault.victim)
}

export const imprecise = (h: History): string[] =>
  h.effects.flatMap((row) => {
    if (row.status !== 'unknown') return []
    const { sent_at, deadline_at } = row
    if (sent_at === null || deadline_at === null) return [`${named(row)} is unknown, and was never sent`]
    const struck = h.faults.some(
      (fault) => couldCause(fault, row) && fault.from <= deadline_at && fault.to + slackMs >= sent_at,
    )
    return struck ? [] : [`${named(row)} is unknown (${row.error}), and nothing that could make it so struck its send`]
  })

/** Of the payment provider: only its own complete answers prove an outcome, and 5xx, 408, 409 and redirects do not. */
function proves({ status, fault }: Arrival): boolean {
  if (fault === 'answer' || fault === 'break_body') return false
  if (status === null || status >= 500 || status === 408 || status === 409) return false
  if (status < 300) return true
  return status >= 400 || status === 307 || status === 308
}

/** A bot API proves that it sent a message by the message itself, and errors of its gateway prove nothing. */
const botProves = ({ status, fault }: Arrival) => fault !== 'break_body' && (status ?? 500) < 500 && status !== 408

/**
 * A user's server proves by its status alone (rules/http-verdicts.ts), and errors of a model in its own format prove
 * that it refused.
 */
const ambiguous = (arrival: Arrival) =>
  !arrival.answered ||
  (arrival.oracle === 'stripe' && !proves(arrival)) ||
  (arrival.oracle === 'receiver' && addressProof('POST', arrival.status ?? 0) === 'unknown') ||
  (arrival.oracle === 'models' && arrival.status === 408) ||
  (arrival.oracle === 'social' && (arrival.status ?? 0) >= 500) ||
  (arrival.oracle === 'chat_bot' && !botProves(arrival))

export function unrecalled(h: History): string[] {
  const arrivals = byKey(h)
  return h.effects.flatMap((row) => {
    const doubtful = (arrivals.get(row.id) ?? []).some(ambiguous)
    if (!doubtful || row.status === 'unknown' || row.by_event) return []
    return [`${named(row)} got no complete answer, and is recorded as ${row.status}`]
  })
}

/** An outcome that is recorded as certain equals what the oracle saw. */
export function misrecorded(h: History): string[] {
  const arrivals = byKey(h)
  return h.effects.flatMap((row) => {
    const all = arrivals.get(row.id) ?? []
    const happened = all.some(({ effect }) => effect)
    if (row.status === 'succeeded' && !happened) return [`${named(row)} is recorded as succeeded, and did not happen`]
    // A user's server and a model decide by their status alone.
    const decided = all.some(
      ({ oracle, status }) =>
        (oracle === 'receiver' && addressProof('POST', status ?? 0) === 'refused') ||
        (oracle === 'models' && (status ?? 0) >= 300),
    )
    if (row.status === 'rejected' && happened && !decided && !row.by_event)
      return [`${named(row)} is recorded as rejected, and happened`]
    return []
  })
}

/** A failed effect was never sent, and a final effect is not sent again. */
export function sentLate(h: History): string[] {
  const rows = new Map(h.effects.map((row) => [row.id, row]))
  return h.arrivals.flatMap((arrival) => {
    const { key, oracle, at } = arrival
    const row = rows.get(key)
    if (!row) return []
    if (row.status === 'failed' && !refusedCall(arrival))
      return [`${named(row)} is recorded as failed, and arrived at the ${oracle}`]
    if (row.settled_at !== null && at > row.settled_at + slackMs)
      return [
        `${named(row)} was settled as ${row.status}, and arrived at the ${oracle} ${Math.round(at - row.settled_at)} ms later`,
      ]
    return []
  })
}
