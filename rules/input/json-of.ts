// The JSON of a body that came with another content type: some gateways name none, or text.
import { losslessJson } from './numbers.ts'

/** The value itself, or what its text says where that is JSON. */
export function jsonOf(body: unknown): unknown {
  if (typeof body !== 'string') return body
  try {
    return losslessJson(body)
  } catch {
    return body
  }
}
