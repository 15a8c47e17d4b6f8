// Limits the bytes of bodies that this process holds at once: strangers leave room for known callers, and each network
// and owner for others.
import { config } from '../../config.ts'
import { Refusal } from '../../rules/refusal.ts'

/**
 * The most that is read before the caller is identified, where a header has the credential. Larger bodies count in
 * shares of their own.
 */
export const strangerMax = 16 * 1024

const overloaded = () =>
  new Refusal(503, 'overloaded', 'The server holds as many bytes of bodies as it may. Repeat the request.', {
    headers: { Connection: 'close', 'Retry-After': '2' },
  })

/** Bytes that this process holds, by the share that they count in. */
const held = new Map<string, number>()
const heldIn = (share: string): number => held.get(share) ?? 0
export const heldBytes = (): number => heldIn('all')

function count(share: string, bytes: number): void {
  const sum = heldIn(share) + bytes
  if (sum > 0) held.set(share, sum)
  else held.delete(share)
}

type Source = {
  /** Of the request: an IPv4 address, or the /48 of an IPv6 address. */
  network: string
  /** The account or tenant that was identified; null for a stranger. */
  owner: string | null
}

/** The shares that a body of `size` bytes counts in. */
const sharesOf = ({ network, owner }: Source, size: number): string[] => {
  const large = size > strangerMax ? ['large'] : []
  return owner === null
    ? ['all', ...large, 'strangers', ...large.map((name) => `${name} strangers`), `strangers of ${network}`]
    : ['all', ...large, `owner ${owner}`, `known of ${network}`]
}

/**
 * What a share may hold. Bodies of at most 16 KiB have a quarter of the budget that larger ones cannot use, and of the
 * strangers' half as well. A network holds an eighth of that half. Known callers, by owner and by network, hold no more
 * than what remains for the others.
 */
function mostOf(share: string, size: number): number {
  const { bodyBudget } = config
  const large = (bodyBudget * 3) / 4
  if (share === 'all') return bodyBudget
  if (share === 'large') return large
  if (share === 'strangers') return bodyBudget / 2
  if (share === 'large strangers') return large / 2
  if (share.startsWith('strangers of ')) return bodyBudget / 16
  return size > strangerMax ? large - heldIn('large') : bodyBudget - heldIn('all')
}

/**
 * Whether strangers, or those of one network, hold more than half of their share: a caller with a credential is
 * identified before a small body is read, too.
 */
export const isCrowded = (network: string): boolean =>
  ['strangers', `strangers of ${network}`].some((share) => heldIn(share) > mostOf(share, 0) / 2)

/** The bytes of one body. */
export class Body {
  readonly #source: Source
  #buffer = Buffer.alloc(0)
  #length = 0

  constructor(source: Source) {
    this.#source = { ...source }
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  get length(): number {
    return this.#length
  }

  #count(size: number, sign: 1 | -1): void {
    for (const share of sharesOf(this.#source, size)) count(share, sign * size)
  }

  /** Makes room for `size` bytes. 503 overloaded. */
  #grow(size: number): void {
    this.#count(this.#buffer.length, -1)
    this.#count(size, 1)
    if (sharesOf(this.#source, size).some((share) => heldIn(share) > mostOf(share, size))) {
      this.#count(size, -1)
      this.#count(this.#buffer.length, 1)
      throw overloaded()
    }
    const buffer = Buffer.allocUnsafeSlow(size)
    this.#buffer.copy(buffer, 0, 0, this.#length)
    this.#buffer = buffer
  }

  /**
   * Copies a chunk: a list of chunks would hold a hundred bytes and more for a chunk of one. `most`: the largest size
   * that may be needed.
   */
  add(chunk: Buffer, most: number): void {
    const length = this.#length + chunk.length
    const ceiling = length > strangerMax ? most : Math.min(most, strangerMax)
    if (length > this.#buffer.length)
      this.#grow(Math.max(length, Math.min(ceiling, Math.max(1024, this.#buffer.length * 2))))
    chunk.copy(this.#buffer, this.#length)
    this.#length = length
  }

  /** The caller is identified: the bytes no longer count as a stranger's. */
  know(owner: string): void {
    this.#count(this.#buffer.length, -1)
    this.#source.owner = owner
    this.#count(this.#buffer.length, 1)
  }

  release(): void {
    this.#count(this.#buffer.length, -1)
    this.#buffer = Buffer.alloc(0)
    this.#length = 0
  }
}
