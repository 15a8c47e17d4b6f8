// What was typed, with all that makes a request the same one: its ids, and the record that it is based on.
import { describe, type Schema, type Schemas } from '../document/schema.ts'
import type { Item } from '../document/tree.ts'
import { isObject, propertiesIn, redacted } from './model.ts'

export type Draft = {
  value: Item
  /** The fields as they were when the form was opened. */
  initial: Item
  /** The record that the request is based on, as it was then; of a list of stock its rows, in `items`. */
  before?: Item | undefined
  /** From the field to the id that the form made. */
  ids: Record<string, string>
  /** Of the header Idempotency-Key. */
  key: string
  /** Whether the request was sent and nothing is known of it. */
  isSent: boolean
}

/** `crypto.randomUUID` exists in secure contexts only; the console is also served over plain http. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Ids and key of another request. */
export const newIds = ({ ids }: Pick<Draft, 'ids'>): Pick<Draft, 'ids' | 'key'> => ({
  ids: Object.fromEntries(Object.keys(ids).map((name) => [name, newUuid()])),
  key: newUuid(),
})

export const newDraft = (value: Item, before: Item | undefined, callersIds: readonly string[]): Draft => ({
  value,
  initial: value,
  before,
  ...newIds({ ids: Object.fromEntries(callersIds.map((name) => [name, ''])) }),
  isSent: false,
})

const secretName = /secret|credential|password/i

/** Of a secret map the names stay: without them, a change would replace the stored map by a shorter one. */
export function withoutSecrets(name: string, value: unknown, schema: Schema, schemas: Schemas): unknown {
  const described = describe(name, schema, schemas)
  const { shape } = described
  if (/write-only/i.test(described.description) || (shape.kind === 'text' && shape.isSecret))
    return isObject(value) && shape.kind === 'map'
      ? Object.fromEntries(Object.keys(value).map((key) => [key, redacted]))
      : undefined
  if (Array.isArray(value))
    return shape.kind === 'list' ? value.map((one) => withoutSecrets(name, one, shape.item, schemas)) : value
  if (!isObject(value)) return value
  if (shape.kind === 'free' || secretName.test(name)) return undefined
  const of = (key: string) => (shape.kind === 'map' ? shape.value : (propertiesIn(value, shape, schemas)[key] ?? {}))
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, withoutSecrets(key, one, of(key), schemas)])
      .filter(([, one]) => one !== undefined),
  )
}
