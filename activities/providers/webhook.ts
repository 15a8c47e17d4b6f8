// One try to tell a webhook something: signed, sent, and whatever comes back or does not is an answer.
import { config } from '../../config.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import type { Endpoint, Leased } from '../../entities/webhooks/deliveries.ts'
import { bodyOf, RESPONSE_BYTES_MAX, retryAfterS, type Tried } from '../../rules/webhooks/deliveries.ts'
import { signatureHeaders } from '../signatures.ts'
import { EgressError, egress, type HttpAnswer } from './http.ts'

const now = () => Math.floor(Date.now() / 1000)

/** What is kept of an answer: the beginning of its body, as PostgreSQL can keep it. */
function kept({ body }: HttpAnswer): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const cut =
    Buffer.byteLength(text) > RESPONSE_BYTES_MAX ? new TextDecoder().decode(Buffer.from(text).subarray(0, RESPONSE_BYTES_MAX), { stream: true }) : text
  return cut.replaceAll('\0', '\ufffd').toWellFormed()
}

type Sent = Tried & { response_body: string | null; error: EffectError | null }

/** One try. Whatever happens is an answer: nothing is thrown. */
export async function sendDelivery(
  { url, headers, tenant_id }: Endpoint,
  keys: readonly Buffer[],
  { event_id, type, created_at, data }: Leased,
): Promise<Sent> {
  const body = bodyOf({ id: event_id, type, created_at, store_id: tenant_id }, data)
  const signed = signatureHeaders(keys, event_id, now(), body)
  try {
    const request = { url, method: 'POST', headers: { ...headers, ...signed, 'content-type': 'application/json' }, body, timeout_ms: config.deliveryTimeoutMs }
    const answer = await egress().request(request, { reuse: true })
    const { status } = answer
    const taken = status < 300
    const error = taken ? null : { code: 'http_status', message: `the address answered with status ${status}`, provider_status: status }
    return { status, retry_after_s: taken ? null : retryAfterS([answer.headers['retry-after']].flat()[0], now()), response_body: kept(answer), error }
  } catch (error) {
    const { code, message, status = null } = error instanceof EgressError ? error : { code: 'not_sent', message: 'the request could not be made' }
    // A final status line decides, whatever became of the body.
    return {
      status,
      retry_after_s: null,
      response_body: null,
      error: { code, message: message.replace(`${code}: `, ''), ...(status === null ? {} : { provider_status: status }) },
    }
  }
}
