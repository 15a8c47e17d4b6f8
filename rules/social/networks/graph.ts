// What networks a, b and e share as APIs of one kind: errors of Graph, cursors, permalinks and insights.
// Backwards: the metrics of posts are those of engagement.

import { isSuccess } from '../../http-verdicts.ts'
import { addressIn, countIn, type Fields, listIn, objectIn, refusalCodeOf } from '../answers.ts'
import type { MetricName, MetricValues } from './capability.ts'
import type { NetworkAnswer, Refusals } from './network.ts'
import { firstText } from './texts.ts'

/** Graph's code of an access token that does not serve any more. */
const tokenCode = 190
/** The error of an object that does not exist: a wrong parameter, and its subcode. */
const missing = { code: 100, subcode: 33 }
/** The container of a post is still processed. */
export const notReady = 9_007

/** Graph's codes of a limit that is reached (Graph API, Rate Limits). */
const isThrottled = (code: number): boolean => [4, 17, 32, 341, 613].includes(code) || (code >= 80_000 && code < 81_000)
/** Codes that may come although the call was carried out: unknown and temporary errors, and limits. */
const isDoubtful = (code: number): boolean => code === 1 || code === 2 || isThrottled(code)

type GraphError = { code: number | null; subcode: number | null; transient: boolean; fields: Fields }
export function graphError(body: unknown): GraphError {
  const fields = objectIn(objectIn(body).error)
  const number = (value: unknown) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : null)
  return {
    ...{ code: number(fields.code), subcode: number(fields.error_subcode) },
    ...{ transient: fields.is_transient === true, fields },
  }
}

const isDecided = ({ code, transient }: GraphError): boolean => code !== null && !transient && !isDoubtful(code)

function isMissing(body: unknown): boolean {
  const { code, subcode } = graphError(body)
  return code === missing.code && subcode === missing.subcode
}

/** Graph API, Handle Errors. */
export const graphRefusals: Refusals = {
  says(body) {
    const { code, subcode, fields } = graphError(body)
    return {
      message: firstText(fields.error_user_msg, fields.message),
      provider_code: code === null ? undefined : subcode === null ? String(code) : `${code}/${subcode}`,
    }
  },
  // Only an error of Graph's own: a refused token ends the connection, and a gateway answers 401, too.
  refusesToken({ status, body }: NetworkAnswer) {
    const { code } = graphError(body)
    return status >= 400 && (code === tokenCode || (status === 401 && code !== null))
  },
  isLimit: (body) => isThrottled(Number(refusalCodeOf(body))),
  mayRepeat(body) {
    const error = graphError(body)
    return !isDecided(error) || error.code === notReady
  },
  refusedReveal: ({ body }) => (isDecided(graphError(body)) ? 'final' : 'pending'),
  isGone: ({ status, body }) => !isSuccess(status) && isMissing(body),
}

/** `paging.next` is not followed: it holds the token. */
export function nextCursor({ paging }: Fields): unknown {
  const { next, cursors } = objectIn(paging)
  return typeof next === 'string' ? objectIn(cursors).after : null
}

/** The permalink in the answer to a read of a post; null if it has none. Of a video of network a it is a path. */
export function permalinkIn(body: unknown): string | null {
  const { permalink_url, permalink } = objectIn(body)
  const link = permalink_url ?? permalink
  if (typeof link !== 'string' || link === '') return null
  return addressIn(/^\/(?!\/)/.test(link) ? `https://www.facebook.com${link}` : link)
}

/** The network's names of insights, by those of our metrics. */
export type Insights = Readonly<Partial<Record<MetricName, string>>>

/** The metrics of a list of insights; null for those that it lacks. Null for a body without a list. */
export function insightsIn(names: Insights, { data }: Fields): Partial<MetricValues> | null {
  if (!Array.isArray(data)) return null
  const values = new Map(
    listIn(data).map((one) => [one.name, countIn(listIn(one.values)[0]?.value ?? objectIn(one.total_value).value)]),
  )
  return Object.fromEntries(Object.entries(names).map(([name, theirs]) => [name, values.get(theirs) ?? null]))
}
