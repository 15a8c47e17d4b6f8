// Secrets are stored as ciphertext that names its key, and stay readable while the key is rotated.
import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject } from 'node:crypto'
import { type EntityProperty, type Platform, Type } from '@mikro-orm/core'
import { config } from '../../config.ts'
import { randomOf } from './random.ts'

type Key = { name: Buffer; secret: KeyObject }
const keys = new WeakMap<Buffer, Key>()

/** Made once per key: hashing and preparing it takes longer than decrypting a token. */
function keyOf(bytes: Buffer): Key {
  let key = keys.get(bytes)
  if (!key) {
    key = { name: createHash('sha256').update(bytes).digest().subarray(0, 4), secret: createSecretKey(bytes) }
    keys.set(bytes, key)
  }
  return key
}

/** AES-256-GCM under the first of SECRETS_KEY: key name (4 bytes), IV (12), ciphertext, tag (16), as base64. */
export function encrypt(text: string): string {
  const { name, secret } = keyOf(config.secretsKeys[0] as Buffer)
  const iv = randomOf(12)
  const cipher = createCipheriv('aes-256-gcm', secret, iv)
  return Buffer.concat([name, iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

/** It was encrypted with a key that is not in SECRETS_KEY, or was changed. */
export class Unreadable extends Error {}

/** Throws Unreadable. */
export function decrypt(sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  const key = config.secretsKeys.map(keyOf).find(({ name }) => name.equals(bytes.subarray(0, 4)))
  if (!key) throw new Unreadable('encrypted with a key that SECRETS_KEY does not hold')
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.secret, bytes.subarray(4, 16))
    decipher.setAuthTag(bytes.subarray(-16))
    return decipher.update(bytes.subarray(16, -16), undefined, 'utf8') + decipher.final('utf8')
  } catch (cause) {
    throw new Unreadable('the ciphertext was changed', { cause })
  }
}

/** Decrypts a value. Null if no key of SECRETS_KEY decrypts it. */
export function decryptIfPossible(sealed: string): string | null {
  try {
    return decrypt(sealed)
  } catch {
    return null
  }
}

/**
 * Shown in place of a secret that no key of SECRETS_KEY decrypts: its record is still listed, and the secret can be
 * replaced.
 */
export const UNREADABLE = '__unreadable__'

/** Which key a ciphertext names in its first 8 characters: the first of SECRETS_KEY, a later one, or none of them. */
export function sealedUnder(sealed: string): 'first' | 'later' | 'none' {
  const name = Buffer.from(sealed.slice(0, 8), 'base64').subarray(0, 4)
  const place = config.secretsKeys.findIndex((key) => keyOf(key).name.equals(name))
  return place === 0 ? 'first' : place > 0 ? 'later' : 'none'
}

/** A text column that is encrypted in the table. */
export class Encrypted extends Type<string | null, string | null> {
  override convertToDatabaseValue(value: string | null): string | null {
    return value === null || value === undefined ? null : encrypt(value)
  }
  override convertToJSValue(value: string | null): string | null {
    return value === null || value === undefined ? null : decrypt(value)
  }
  /**
   * The ciphertext differs at every encryption: without a comparison of plain texts every flush would write it again.
   */
  override compareValues(a: string | null, b: string | null): boolean {
    return a === b || (a !== null && b !== null && decrypt(a) === decrypt(b))
  }
  override getColumnType(_property: EntityProperty, platform: Platform): string {
    return platform.getTextTypeDeclarationSQL({})
  }
}
