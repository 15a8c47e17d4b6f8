// Reads the bodies of requests within limits: the bytes and the time of each, and the bytes of all that this process
// holds at once.
//   const body = await readBody(request, { most, network, identify })
//   try { … body.bytes … } finally { body.release() }
import type { IncomingMessage } from 'node:http'
import { config } from '../../../config.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { Body, isCrowded, strangerMax } from '../../limits/held-bytes.ts'

/** The largest body of JSON. */
export const bodyMax = 1024 * 1024

export function refuseEncodings({ headers }: IncomingMessage): void {
  if (headers['content-encoding'] && headers['content-encoding'] !== 'identity')
    throw new Refusal(415, 'unsupported_encoding', 'Send the body without a `Content-Encoding`.')
}

export const brokeOff = () => new Refusal(400, 'bad_request', 'The body ended before its declared length.')
export const tooSlow = () =>
  new Refusal(408, 'too_slow', 'The body did not arrive in time.', { headers: { Connection: 'close' } })
export const tooLarge = (most: number) =>
  new Refusal(
    413,
    'too_large',
    `The body is larger than ${most < bodyMax ? `${most / 1024} KiB` : `${most / bodyMax} MiB`}.`,
  )

export type Reading = {
  /** Bytes of this body at most. */
  most: number
  network: string
  /**
   * Identifies the caller before more than 16 KiB are read, or any byte while strangers hold much, and returns their
   * account or tenant, null for a stranger; throws a refusal. Absent: every caller is a stranger.
   */
  identify?: (() => Promise<string | null>) | undefined
  /** The account or tenant of a caller who was identified before. */
  owner?: string | null
}

/**
 * The body. Read before a database connection is acquired: a slow client holds none. Release it when the request is
 * answered. 400 bad_request, 408 too_slow, 413 too_large, 415 unsupported_encoding, 503 overloaded, and what `identify`
 * refuses.
 */
export async function readBody(
  request: IncomingMessage,
  { most, network, identify, owner = null }: Reading,
): Promise<Body> {
  refuseEncodings(request)
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > most) throw tooLarge(most)
  const body = new Body({ network, owner })
  let isAsked = !identify
  const ask = async () => {
    isAsked = true
    const found = (await identify?.()) ?? null
    if (found !== null) body.know(found)
  }
  const hasBody = announced > 0 || request.headers['transfer-encoding'] !== undefined
  if (hasBody && !isAsked && (announced > strangerMax || isCrowded(network))) await ask()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(tooSlow()), config.bodyLimitMs)
  const take = (chunk: Buffer) => {
    try {
      if (body.length + chunk.length > most) throw tooLarge(most)
      body.add(chunk, announced || most)
      if (isAsked || body.length <= strangerMax) return
      request.pause()
      ask().then(() => request.resume(), reject)
    } catch (error) {
      reject(error)
    }
  }
  const gone = () => request.complete || reject(brokeOff())
  request.on('data', take)
  request.once('end', resolve)
  request.once('close', gone)
  request.once('error', gone)
  try {
    if (request.destroyed) gone()
    await promise
    return body
  } catch (error) {
    body.release()
    throw error
  } finally {
    clearTimeout(timer)
    request.off('data', take)
    request.off('end', resolve)
    request.off('close', gone)
    request.off('error', gone)
  }
}
