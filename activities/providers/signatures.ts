// Signs deliveries by Standard Webhooks 1.0, symmetric signatures.
import { createHmac } from 'node:crypto'
import { signedText } from '../../rules/webhooks/deliveries.ts'

/**
 * `whsec_` and base64 is decoded. Of any other string the UTF-8 bytes are the key: earlier versions made such secrets.
 */
export function signingKey(secret: string): Buffer {
  const [, base64] = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}={0,2}|[A-Za-z0-9+/]{3}=?)?)$/.exec(secret) ?? []
  return base64 ? Buffer.from(base64, 'base64') : Buffer.from(secret, 'utf8')
}

/** The three headers of one attempt; `at` in Unix seconds. Every key signs, so that a receiver may know any of them. */
export const signatureHeaders = (
  keys: readonly Buffer[],
  id: string,
  at: number,
  body: string,
): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': keys
    .map(
      (key) =>
        `v1,${createHmac('sha256', key)
          .update(signedText(id, at, body))
          .digest('base64')}`,
    )
    .join(' '),
})
