// How long a network asks to be left alone: read from refusals, Retry-After and the headers that report usage.
import { losslessJson } from '../input/numbers.ts'
import { listIn, objectIn } from './answers.ts'
import type { NetworkAnswer } from './networks/network.ts'
import type { NetworkType } from './networks/network-types.ts'
import { networks } from './networks/networks.ts'
import type { SocialRequest } from './networks/request.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>
export type Answered = NetworkAnswer & { headers: Headers }

/** From this part of a limit on, nothing is read until the window ends. Percent. */
const usageMax = 95
/** Where the network does not say how long. Graph counts over an hour, in which usage falls continuously. Seconds. */
const defaultPauseS = { refused: 60, used: 300 }
/** At least, after a refusal: the time that a network names has passed by our clock, or is now. */
const refusedMinS = 5
/** A network that names a later time is asked again after a day. */
const pauseMaxS = 86_400

/** Whether an answer refuses because of a limit: the same request may be made later. */
export function isLimited(type: NetworkType, { status, body }: NetworkAnswer): boolean {
  if (status === 429) return true
  return status >= 400 && status < 500 && networks[type].refusals.isLimit(body)
}

const header = (headers: Headers, name: string): string | null => [headers[name]].flat()[0] ?? null
const numberIn = (value: unknown): number | null => {
  const found = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof found === 'number' && Number.isFinite(found) ? found : null
}

/** RFC 9110, 10.2.3: seconds, or a date. */
function retryAfter(headers: Headers, now: number): number | null {
  const text = header(headers, 'retry-after')
  if (text === null) return null
  if (/^\d{1,9}$/.test(text)) return now + Number(text)
  const at = Date.parse(text)
  return Number.isFinite(at) ? Math.ceil(at / 1000) : null
}

/** `regained`: Unix seconds at which the network says that calls are possible again. */
type Usage = { percent: number; regained: number | null }

function jsonIn(text: string | null): unknown {
  try {
    return text === null ? null : losslessJson(text)
  } catch {
    return null
  }
}

/** The usage that an answer reports: in Graph's headers of percentages, or as what is left of a window. */
function usageOf(headers: Headers, now: number): Usage {
  const groups = [
    ...['x-app-usage', 'x-page-usage'].map((name) => objectIn(jsonIn(header(headers, name)))),
    ...Object.values(objectIn(jsonIn(header(headers, 'x-business-use-case-usage')))).flatMap(listIn),
  ]
  const percents = groups.flatMap((one) =>
    ['call_count', 'total_time', 'total_cputime'].map((name) => numberIn(one[name]) ?? 0),
  )
  const minutes = Math.max(0, ...groups.map((one) => numberIn(one.estimated_time_to_regain_access) ?? 0))
  const [limit, left] = [
    numberIn(header(headers, 'x-rate-limit-limit')),
    numberIn(header(headers, 'x-rate-limit-remaining')),
  ]
  const reset = numberIn(header(headers, 'x-rate-limit-reset'))
  if (limit !== null && limit > 0 && left !== null) percents.push(100 - (100 * left) / limit)
  return {
    percent: Math.max(0, ...percents),
    regained: minutes > 0 ? now + 60 * minutes : reset !== null && reset > now ? Math.ceil(reset) : null,
  }
}

/**
 * When calls for the connection are made again, in Unix seconds, at most a day ahead; null if the answer asks for no
 * pause.
 */
export function pausedUntil(type: NetworkType, answer: Answered, now: number): number | null {
  const limited = isLimited(type, answer)
  const { percent, regained } = usageOf(answer.headers, now)
  if (!limited && percent < usageMax) return null
  const until =
    retryAfter(answer.headers, now) ??
    (limited ? networks[type].refusals.limitEnd?.(answer.body, now) : null) ??
    regained ??
    now + (limited ? defaultPauseS.refused : defaultPauseS.used)
  const from = limited ? Math.max(until, now + refusedMinS) : until
  return from <= now ? null : Math.min(from, now + pauseMaxS)
}

/** `calls`: of every call for the connection. `reads`: what is published and answered continues. */
export type Pause = { until: number; of: 'calls' | 'reads' }

/**
 * The pause after an answer. A limit that is nearly used up holds reads alone: a publication is due at its second, and
 * the network says itself when it accepts no more. Of a network that counts each kind of call by itself, a refused read
 * pauses reads alone.
 */
export function pauseAfter(
  type: NetworkType,
  method: SocialRequest['method'],
  answer: Answered,
  now: number,
): Pause | null {
  const until = pausedUntil(type, answer, now)
  if (until === null) return null
  return {
    until,
    of: isLimited(type, answer) && (!networks[type].refusals.limits_by_kind || method !== 'GET') ? 'calls' : 'reads',
  }
}
