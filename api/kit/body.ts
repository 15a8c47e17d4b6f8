// Reads the bodies of requests within limits: the bytes and the time of each, and the bytes of all that this process holds at once.
//   const body = await readBody(request, { most, network, identify })
//   try { … body.bytes … } finally { body.release() }
import type { IncomingMessage } from 'node:http'
import { config } from '../../config.ts'
import { Refusal } from '../../rules/refusal.ts'

/** The largest body of JSON. */
export const bodyMax = 1024 * 1024
/** The most that is read before the caller is identified, where a header has the credential. */
export const strangerMax = 16 * 1024

export function refuseEncodings({ headers }: IncomingMessage): void {
  if (headers['content-encoding'] && headers['content-encoding'] !== 'identity')
    throw new Refusal(415, 'unsupported_encoding', 'Send the body without a `Content-Encoding`.')
}

export const brokeOff = () => new Refusal(400, 'bad_request', 'The body ended before its declared length.')
export const tooSlow = () => new Refusal(408, 'too_slow', 'The body did not arrive in time.', { headers: { Connection: 'close' } })
export const tooLarge = (most: number) =>
  new Refusal(413, 'too_large', `The body is larger than ${most < bodyMax ? `${most / 1024} KiB` : `${most / bodyMax} MiB`}.`)
const overloaded = () =>
  new Refusal(503, 'overloaded', 'The server holds as many bytes of bodies as it may. Repeat the request.', {
    headers: { Connection: 'close', 'Retry-After': '2' },
  })

/** Bytes that this process holds: of all callers, of those that are not identified, and of each network. */
const held = { all: 0, unknown: 0, networks: new Map<string, number>() }
export const heldBytes = (): number => held.all

/** The bytes of one body. Strangers hold half of the budget at most, and so does one network: neither keeps the others from being served. */
class Body {
  readonly #network: string
  #buffer = Buffer.alloc(0)
  #length = 0
  #isKnown = false

  constructor(network: string) {
    this.#network = network
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  get length(): number {
    return this.#length
  }

  #count(bytes: number): void {
    const ofNetwork = (held.networks.get(this.#network) ?? 0) + bytes
    held.all += bytes
    if (!this.#isKnown) held.unknown += bytes
    if (ofNetwork > 0) held.networks.set(this.#network, ofNetwork)
    else held.networks.delete(this.#network)
  }

  /** Makes room for `size` bytes. 503 overloaded. */
  #grow(size: number): void {
    const more = size - this.#buffer.length
    const { bodyBudget } = config
    const ofNetwork = held.networks.get(this.#network) ?? 0
    if (held.all + more > bodyBudget || ofNetwork + more > bodyBudget / 2 || (!this.#isKnown && held.unknown + more > bodyBudget / 2)) throw overloaded()
    this.#count(more)
    const buffer = Buffer.allocUnsafeSlow(size)
    this.#buffer.copy(buffer, 0, 0, this.#length)
    this.#buffer = buffer
  }

  /** Copies a chunk: a list of chunks would hold a hundred bytes and more for a chunk of one. `most`: the largest size that may be needed. */
  add(chunk: Buffer, most: number): void {
    const length = this.#length + chunk.length
    if (length > this.#buffer.length) this.#grow(Math.max(length, Math.min(most, Math.max(1024, this.#buffer.length * 2))))
    chunk.copy(this.#buffer, this.#length)
    this.#length = length
  }

  /** The caller is identified: the bytes no longer count as a stranger's. */
  know(): void {
    if (!this.#isKnown) held.unknown -= this.#buffer.length
    this.#isKnown = true
  }

  release(): void {
    this.#count(-this.#buffer.length)
    this.#buffer = Buffer.alloc(0)
    this.#length = 0
  }
}

export type { Body }

export type Reading = {
  /** Bytes of this body at most. */
  most: number
  network: string
  /** Identifies the caller before more than 16 KiB are read, and returns whether they are known; throws a refusal. Absent: every caller is a stranger. */
  identify?: (() => Promise<boolean>) | undefined
  /** The caller was identified before. */
  isKnown?: boolean
}

/**
 * The body. Read before a database connection is acquired: a slow client holds none. Release it when the request is answered. 400 bad_request, 408 too_slow,
 * 413 too_large, 415 unsupported_encoding, 503 overloaded, and what `identify` refuses.
 */
export async function readBody(request: IncomingMessage, { most, network, identify, isKnown }: Reading): Promise<Body> {
  refuseEncodings(request)
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > most) throw tooLarge(most)
  const body = new Body(network)
  if (isKnown) body.know()
  let isAsked = !identify
  const ask = async () => {
    isAsked = true
    if (await identify?.()) body.know()
  }
  if (announced > strangerMax && !isAsked) await ask()
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
