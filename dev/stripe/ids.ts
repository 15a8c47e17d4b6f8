// Ids with Stripe's prefixes.
import { randomBytes } from 'node:crypto'

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function random(length: number): string {
  let text = ''
  for (const byte of randomBytes(length)) text += letters[byte % letters.length]
  return text
}

export const newId = (prefix: string, length = 24) => `${prefix}_${random(length)}`

export const unixSeconds = () => Math.floor(Date.now() / 1000)
