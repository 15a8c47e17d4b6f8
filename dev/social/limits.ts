// What each network says of its limits in headers, and how it refuses beyond them.
import type { Answer, Call } from './calls.ts'
import { graph, isGraph, x } from './errors.ts'
import { bearerOf } from './oauth.ts'
import { settingsOf } from './settings.ts'
import { now } from './state.ts'

type Limit = { headers: Record<string, string>; refusal?: Answer }
const quarter = 900
const calls = new Map<string, { window: number; count: number }>()

function limitOfD({ method, path }: Call, account: string): Limit {
  const { rate_limit } = settingsOf('d', account)
  const endpoint = `${account} ${method} ${path.replaceAll(/\d{5,}/g, ':id')}`
  const window = Math.floor(now() / quarter)
  const before = calls.get(endpoint)
  const count = before?.window === window ? before.count + 1 : 1
  calls.set(endpoint, { window, count })
  const headers = {
    'x-rate-limit-limit': String(rate_limit),
    'x-rate-limit-remaining': String(Math.max(0, rate_limit - count)),
    'x-rate-limit-reset': String((window + 1) * quarter),
  }
  return count <= rate_limit ? { headers } : { headers, refusal: x(429, 'Too Many Requests', 'Too Many Requests') }
}

const business = { a: 'pages', b: 'instagram', e: 'threads' } as const
/** Codes of the business use cases of pages and of network b; network e has the general one. */
const codes = { a: 80_001, b: 80_002, e: 4 } as const

/** Of a call with a valid token. */
export function limitOf(call: Call): Limit {
  const token = bearerOf(call)
  if (!token) return { headers: {} }
  const { network } = call
  const account = token.page ?? token.account
  if (network === 'd') return limitOfD(call, account)
  if (!isGraph(network)) return { headers: {} }
  const { usage_percent: percent, regain_minutes } = settingsOf(network, account)
  const usage = { call_count: percent, total_cputime: 1, total_time: 1 }
  const which = network as keyof typeof business
  const headers = {
    'x-app-usage': JSON.stringify(usage),
    'x-business-use-case-usage': JSON.stringify({
      [account]: [{ type: business[which], ...usage, estimated_time_to_regain_access: regain_minutes }],
    }),
  }
  if (percent < 100) return { headers }
  return {
    headers,
    refusal: graph(
      400,
      codes[which],
      `(#${codes[which]}) There have been too many calls from this account. Wait a bit and try again.`,
      { transient: false },
    ),
  }
}
