// Drafts stay over a reload of the tab, in its session storage. They belong to one account, and hold no secrets.
import { useRef, useState } from 'react'
import type { Schema, Schemas } from '../document/schema.ts'
import { session } from '../session.ts'
import { type Draft, withoutSecrets } from './draft.ts'
import { type Body, isObject } from './model.ts'

const under = (place: string) => session.draftKey(place)

function readDraft(place: string): Draft | undefined {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(under(place)) ?? 'null')
    const isWhole = isObject(found) && [found.value, found.initial, found.ids].every(isObject)
    // This page alone writes it.
    return isWhole ? (found as unknown as Draft) : undefined
  } catch {
    return undefined
  }
}

function keepDraft(place: string, draft: Draft, schema: Schema, schemas: Schemas): void {
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

const dropDraft = (place: string): void => sessionStorage.removeItem(under(place))

/** What was typed, kept in the storage of the tab. `draft` is what is drawn; `read` is what was changed last. */
export function useDraft(under: string, body: Body | undefined, schemas: Schemas, begin: () => Draft) {
  const [restored, setRestored] = useState(() => readDraft(under))
  const [draft, setDraft] = useState<Draft>(() => restored ?? begin())
  const latest = useRef(draft)
  // Fields with a state of their own begin again with what another draft has.
  const [round, setRound] = useState(0)
  const show = (next: Draft) => {
    latest.current = next
    setDraft(next)
  }
  return {
    restored,
    draft,
    round,
    read: () => latest.current,
    change(part: Partial<Draft>) {
      show({ ...latest.current, ...part })
      if (part.initial) setRound((count) => count + 1)
      keepDraft(under, latest.current, body?.schema ?? {}, schemas)
    },
    drop: () => dropDraft(under),
    discard() {
      dropDraft(under)
      show(begin())
      setRestored(undefined)
      setRound((count) => count + 1)
    },
  }
}
