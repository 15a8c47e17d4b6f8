// One attempt to deliver an event to a webhook: signed and sent; every result is returned, and nothing is thrown.
import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import { config } from '../../config.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import type { Endpoint, Leased } from '../../entities/webhooks/deliveries.ts'
import { isSuccess } from '../../rules/http-verdicts.ts'
import { bodyOf, RESPONSE_BYTES_MAX, retryAfterS, type Tried } from '../../rules/webhooks/deliveries.ts'
import { EgressError } from './egress-guard.ts'
import { egress, type HttpAnswer } from './http.ts'
import { signatureHeaders } from './signatures.ts'

/** The beginning of the body, as PostgreSQL can store it. */
function storedBody({ text }: HttpAnswer): string {
  const cut =
    Buffer.byteLength(text) > RESPONSE_BYTES_MAX
      ? new TextDecoder().decode(Buffer.from(text).subarray(0, RESPONSE_BYTES_MAX), { stream: true })
      : text
  return cut.replaceAll('\0', '\ufffd').toWellFormed()
}

type Sent = Tried & { response_body: string | null; error: EffectError | null }

/** One attempt. Never throws: a failure is a result with an error. */
export async function sendDelivery(
  { url, headers, tenant_id, kind }: Endpoint,
  keys: readonly Buffer[],
  { event_id, type, created_at, data }: Leased,
): Promise<Sent> {
  try {
    const body = bodyOf({ id: event_id, type, created_at, tenant_id, kind }, data)
    const signed = signatureHeaders(keys, event_id, unixNow(), body)
    const request = {
      url,
      method: 'POST',
      headers: { ...headers, ...signed, 'content-type': 'application/json' },
      body,
      timeout_ms: config.deliveryTimeoutMs,
    }
    const answer = await egress().request(request, { reuse: true })
    const { status } = answer
    const accepted = isSuccess(status)
    const error = accepted
      ? null
      : { code: 'http_status', message: `the address answered with status ${status}`, provider_status: status }
    return {
      status,
      retry_after_s: accepted ? null : retryAfterS([answer.headers['retry-after']].flat()[0], unixNow()),
      response_body: storedBody(answer),
      error,
    }
  } catch (error) {
    const {
      code,
      message,
      status = null,
    } = error instanceof EgressError ? error : { code: 'not_sent', message: 'the request could not be made' }
    if (!(error instanceof EgressError)) log.warn({ tenant_id, event_id, err: error }, 'delivery not sent')
    // A final status line decides, even where the body was lost.
    return {
      status,
      retry_after_s: null,
      response_body: null,
      error: {
        code,
        message: message.replace(`${code}: `, ''),
        ...(status === null ? {} : { provider_status: status }),
      },
    }
  }
}
