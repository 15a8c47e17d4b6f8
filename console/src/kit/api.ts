// Requests of the console: signed, renewed once when the token is over, and clear about an API that does not answer.
import { ApiProblem, type Call, client } from '../../../client/client.ts'
import { isMissing, messageOf, SignedOut, Unreachable } from './answers.ts'
import type { Operation } from './document/operations.ts'
import { pathValues } from './document/tree.ts'
import { accessToken } from './session.ts'

export { ApiProblem, isMissing, messageOf, Unreachable }

let isLost = false
const listeners = new Set<() => void>()
function note(lost: boolean): void {
  if (lost === isLost) return
  isLost = lost
  for (const listen of listeners) listen()
}
/** Whether the API answered the latest request. */
export const connection = {
  read: () => isLost,
  subscribe(listen: () => void) {
    listeners.add(listen)
    return () => void listeners.delete(listen)
  },
  /** Asks whether the API answers again. */
  async look() {
    const answer = await fetch('/health').catch(() => undefined)
    note(!answer?.ok)
  },
}

/** Gateways answer with these where no API process does. */
const isGateway = (response: Response) =>
  [502, 503, 504].includes(response.status) && !response.headers.get('content-type')?.includes('json')

export const send: typeof fetch = async (input, init = {}) => {
  let refused: string | undefined
  for (let isFirst = true; ; isFirst = false) {
    let response: Response
    const token = await accessToken(refused, init.signal).catch((error) => {
      if (init.signal?.aborted || error instanceof ApiProblem || error instanceof SignedOut) throw error
      note(true)
      throw new Unreachable('The session could not be renewed.', { cause: error })
    })
    try {
      response = await fetch(input, {
        ...init,
        credentials: 'same-origin',
        headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` },
      })
    } catch (error) {
      if (init.signal?.aborted) throw error
      note(true)
      throw new Unreachable('No answer arrived.', { cause: error })
    }
    if (isGateway(response)) {
      note(true)
      throw new Unreachable(`The gateway answered with ${response.status}.`)
    }
    note(false)
    // A request without a valid credential did nothing, so it can be sent again.
    if (response.status !== 401 || !isFirst) return response
    refused = token
  }
}

export const call: Call = client({ base: '', fetch: send })

type Query = Record<string, string | readonly string[] | undefined>
export type Asked = {
  values: readonly string[]
  query?: Query | undefined
  body?: unknown
  form?: FormData
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** Any operation of the document. Its answer has the type that the document says. */
export const ask = (operation: Operation, { values, ...rest }: Asked): Promise<unknown> =>
  (call as (spec: string, input: unknown) => Promise<unknown>)(operation.spec, {
    ...rest,
    path: pathValues(operation, values),
  })
