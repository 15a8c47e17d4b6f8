// Drafts stay over a reload of the tab, in its session storage. They belong to one account, and hold no secrets.
import type { Schema, Schemas } from '../document/schema.ts'
import { session } from '../session.ts'
import { type Draft, withoutSecrets } from './draft.ts'
import { isObject } from './model.ts'

const under = (place: string) => session.draftKey(place)

export function readDraft(place: string): Draft | undefined {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(under(place)) ?? 'null')
    const isWhole = isObject(found) && [found.value, found.initial, found.ids].every(isObject)
    return isWhole ? (found as unknown as Draft) : undefined
  } catch {
    return undefined
  }
}

export function keepDraft(place: string, draft: Draft, schema: Schema, schemas: Schemas): void {
  // An answer that arrives after the operator has signed out leaves nothing to the next one.
  if (session.read().phase === 'signed-out') return
  const { value, initial } = draft
  const kept = {
    ...draft,
    value: withoutSecrets('', value, schema, schemas) ?? {},
    initial: withoutSecrets('', initial, schema, schemas) ?? {},
  }
  try {
    sessionStorage.setItem(under(place), JSON.stringify(kept))
  } catch {
    // A full storage loses a convenience.
  }
}

export const dropDraft = (place: string): void => sessionStorage.removeItem(under(place))
