// What networks say of their limits in headers, and how they refuse beyond them.
import { graph, x } from './errors.ts'
import type { Limit, Network } from './network.ts'
import { settingsOf } from './settings.ts'
import { now } from './state.ts'

const quarter = 900
const calls = new Map<string, { window: number; count: number }>()

/** Calls of each endpoint in a window of 15 minutes. */
export const windowLimit: NonNullable<Network['limit']> = ({ method, path, network }, account): Limit => {
  const { rate_limit } = settingsOf(network.letter, account)
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

/** Graph's usage of a business use case. `code`: of the refusal. */
export const usageLimit =
  (type: string, code: number): NonNullable<Network['limit']> =>
  ({ network }, account) => {
    const { usage_percent: percent, regain_minutes } = settingsOf(network.letter, account)
    const usage = { call_count: percent, total_cputime: 1, total_time: 1 }
    const headers = {
      'x-app-usage': JSON.stringify(usage),
      'x-business-use-case-usage': JSON.stringify({
        [account]: [{ type, ...usage, estimated_time_to_regain_access: regain_minutes }],
      }),
    }
    if (percent < 100) return { headers }
    const message = `(#${code}) There have been too many calls from this account. Wait a bit and try again.`
    return { headers, refusal: graph(400, code, message, { transient: false }) }
  }
