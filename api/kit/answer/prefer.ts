// The header `Prefer` (RFC 7240) of routes that wait for a model: how long the request waits before it is answered with
// 202.
import { config } from '../../../config.ts'
import { type Headers, headerOf } from '../caller.ts'

const waitMaxS = 60

/** Milliseconds that the request waits for the answer. */
export function waitMsOf(headers: Headers): number {
  const prefer = headerOf(headers, 'prefer') ?? ''
  if (/(^|[,;\s])respond-async\b/i.test(prefer)) return 0
  const seconds = /(?:^|[,;\s])wait=(\d{1,4})\b/i.exec(prefer)?.[1]
  return seconds === undefined ? config.chatWaitMs : Math.min(waitMaxS, Number(seconds)) * 1000
}

export const preferHeader = {
  Prefer: {
    description:
      '`respond-async`: the request does not wait for the answer. `wait=N`: it waits for at most N seconds, 60 at most (RFC 7240).',
  },
}
