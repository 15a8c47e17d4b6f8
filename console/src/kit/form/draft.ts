// What was typed stays over a reload of the tab, with the ids that make the request the same one. Secrets are not written down.
import type { Schema, Schemas } from '../document/schema.ts'
import { describe } from '../document/schema.ts'
import type { Item } from '../document/tree.ts'
import { isObject } from './model.ts'

export type Draft = {
  value: Item
  /** From the field to the id that the form made. */
  ids: Record<string, string>
  /** Of the header Idempotency-Key. */
  key: string
  /** Whether the request was sent and no answer is known. */
  isSent: boolean
}

const isSecret = (name: string, schema: Schema, schemas: Schemas) => {
  const { shape } = describe(name, schema, schemas)
  return shape.kind === 'text' && shape.isSecret
}

function withoutSecrets(name: string, value: unknown, schema: Schema, schemas: Schemas): unknown {
  const { shape } = describe(name, schema, schemas)
  if (Array.isArray(value))
    return shape.kind === 'list' ? value.map((one) => withoutSecrets(name, one, shape.item, schemas)) : value
  if (!isObject(value)) return value
  if (shape.kind === 'free' || /secret|credential|password/i.test(name)) return undefined
  const properties = shape.kind === 'object' ? shape.properties : {}
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !isSecret(key, properties[key] ?? {}, schemas))
      .map(([key, one]) => [key, withoutSecrets(key, one, properties[key] ?? {}, schemas)]),
  )
}

export const newDraft = (value: Item, callersIds: readonly string[]): Draft => ({
  value,
  ids: Object.fromEntries(callersIds.map((name) => [name, crypto.randomUUID()])),
  key: crypto.randomUUID(),
  isSent: false,
})

const under = (place: string) => `draft ${place}`

export function readDraft(place: string): Draft | undefined {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(under(place)) ?? 'null')
    return isObject(found) && isObject(found.value) && isObject(found.ids) ? (found as unknown as Draft) : undefined
  } catch {
    return undefined
  }
}

export function keepDraft(place: string, draft: Draft, schema: Schema, schemas: Schemas): void {
  try {
    sessionStorage.setItem(
      under(place),
      JSON.stringify({ ...draft, value: withoutSecrets('', draft.value, schema, schemas) }),
    )
  } catch {
    // A full storage loses a convenience.
  }
}

export const dropDraft = (place: string): void => sessionStorage.removeItem(under(place))
