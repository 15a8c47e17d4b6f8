// What an answer proves. Only a problem of the API itself says that nothing was done; any other answer says
// nothing.
import { ApiProblem } from '../../../client/client.ts'
import { plainText } from './document/schema.ts'

/** No answer arrived: what was asked for may have happened. */
export class Unreachable extends Error {
  override name = 'Unreachable'
}

/** The operator signed out while the request waited for a credential: it was not sent. */
export class SignedOut extends Error {
  override name = 'SignedOut'
}

/** A page of a gateway is no problem document. */
const isOfApi = (error: unknown): error is ApiProblem => error instanceof ApiProblem && error.code !== 'unreadable'

export const isMissing = (error: unknown): boolean => isOfApi(error) && error.status === 404

/**
 * Refused for good. A timeout or a limit says nothing about what was done: it may come after the record was written.
 */
export const isRefusal = (error: unknown): error is ApiProblem =>
  isOfApi(error) && error.status < 500 && ![408, 429].includes(error.status)

/** What went wrong, as a sentence. */
export function messageOf(error: unknown): string {
  if (error instanceof Unreachable) return 'The API did not answer.'
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error.message : String(error)
  const { detail } = error.document
  if (error.errors.length > 0 && error.code === 'invalid_input') return 'Some values were not accepted.'
  return typeof detail === 'string' ? plainText(detail) : `The API answered with ${error.status}.`
}
