// What the final status of an HTTP answer proves about a request that changes something (RFC 9110, 15). Every verdict
// over a status is made here; what a provider says in its own format may prove more. A request without a final status
// line is judged by its phase (activities/providers/call.ts).

/** `done`, `refused`: the request was carried out, or was not. `unknown`: neither is proved. */
export type Proof = 'done' | 'refused' | 'unknown'

/** Only these are successes: 1xx is no final status, and anything above is a statement about another request. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** A server or a proxy that ended the wait for the other side: the request had arrived. 499: nginx, gRPC gateways. */
const ended: ReadonlySet<number> = new Set([408, 499])
/** 307 and 308 ask for the same request at another address. */
const isDeclined = (status: number): boolean => status === 307 || status === 308 || (status >= 400 && status < 500)

/**
 * The statuses by which a server says itself that it failed, or that it does not take the request now (503). 502, 504
 * and 52x come from proxies, also when the server behind them has carried out what they passed on.
 */
const ownFailures: ReadonlySet<number> = new Set([500, 501, 503, 505, 506, 507, 508, 510, 511])

/**
 * What a status of an address that a user chose proves, by the method of the request. 303 points at the result of a
 * request that was carried out (RFC 9110, 15.4.4), and so do 301 and 302 after a POST, as clients follow them with GET;
 * other methods are repeated after 301 and 302, or are not, by the server.
 */
export function addressProof(method: string, status: number): Proof {
  if (isSuccess(status) || status === 303 || (method === 'POST' && (status === 301 || status === 302))) return 'done'
  return isDeclined(status) || ownFailures.has(status) ? 'refused' : 'unknown'
}

/**
 * What a status of a known provider's API proves. It answers a success with 2xx and the object that it made, so that
 * 301, 302 and 303 prove nothing. Its 5xx and its timeouts may come after it acted, and 409 may be about an earlier
 * request under the same key.
 */
export function apiProof(status: number): Proof {
  if (isSuccess(status)) return 'done'
  return isDeclined(status) && status !== 409 && !ended.has(status) ? 'refused' : 'unknown'
}
