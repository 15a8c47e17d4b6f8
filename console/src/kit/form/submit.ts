// Sends a form once. A double click sends nothing twice; after a lost answer the same request is sent again, never another one.
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ApiProblem, ask, isMissing, Unreachable } from '../api.ts'
import type { Operation } from '../document/operations.ts'
import type { Item } from '../document/tree.ts'
import { type Draft, dropDraft } from './draft.ts'
import { type Body, changesOf, cleaned } from './model.ts'

/**
 * `lost`: no answer is known. `stale`: another operator changed the record meanwhile. `refused`: the API said no, and
 * nothing was done.
 */
export type Outcome =
  | { kind: 'open' }
  | { kind: 'sending' }
  | { kind: 'lost' }
  | { kind: 'stale'; fields: readonly string[]; record: Item }
  | { kind: 'refused'; error: unknown }
  | { kind: 'done'; answer: unknown }

export type Sending = {
  operation: Operation
  values: readonly string[]
  body: Body | undefined
  /** The record that is changed, as it was when the form was opened. */
  before: Item | undefined
  /** Fields of the form as they were. */
  initial: Item
  /** Reads the record as it is now. */
  readNow: (() => Promise<Item>) | undefined
  /** Under which the draft is kept. */
  place: string
  address: string
}

/** Sent again, such a request does nothing twice. */
export const isRepeatable = ({ operation, body }: Pick<Sending, 'operation' | 'body'>): boolean =>
  operation.method !== 'POST' ||
  operation.takesKey ||
  (body?.callersIds.length ?? 0) > 0 ||
  (body?.takesVersion ?? false)

/** A request that was refused for good. A timeout or a limit says nothing about what was done. */
const isDefinite = (error: unknown) => error instanceof ApiProblem && error.status < 500 && error.status !== 408

function requestOf({ operation, body, before, initial }: Sending, draft: Draft, version: unknown): unknown {
  if (!body) return undefined
  const isChange = operation.method === 'PUT' && before !== undefined
  const changed = new Set(changesOf(initial, draft.value))
  const sent = isChange
    ? Object.fromEntries(
        Object.entries(draft.value).filter(([name]) => changed.has(name) || body.required.includes(name)),
      )
    : draft.value
  return cleaned({ ...sent, ...draft.ids, ...(body.takesVersion && version !== undefined ? { version } : {}) })
}

/** What another operator changed of the fields that this form changes. */
async function meanwhile({ before, initial, readNow, body }: Sending, draft: Draft): Promise<Outcome | undefined> {
  if (!before || !readNow || !body || body.takesVersion) return undefined
  const record = await readNow()
  const fields = changesOf(initial, draft.value).filter(
    (name) => changesOf({ [name]: before[name] }, { [name]: record[name] }).length > 0,
  )
  return fields.length > 0 ? { kind: 'stale', fields, record } : undefined
}

export function useSubmit(sending: Sending, draft: Draft, change: (draft: Draft) => void) {
  const client = useQueryClient()
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'open' })
  // A second click comes before the state of the first one is drawn.
  const isBusy = useRef(false)
  const version = useRef(sending.before?.version)

  async function attempt(isForced: boolean): Promise<Outcome> {
    const { operation, values } = sending
    try {
      const stale = operation.method === 'PUT' && !isForced ? await meanwhile(sending, draft) : undefined
      if (stale) return stale
      change({ ...draft, isSent: true })
      const headers = operation.takesKey ? { headers: { 'Idempotency-Key': draft.key } } : {}
      const answer = await ask(operation, { values, body: requestOf(sending, draft, version.current), ...headers })
      return { kind: 'done', answer }
    } catch (error) {
      // What a repeated request did not find was removed by the first one.
      if (operation.method === 'DELETE' && draft.isSent && isMissing(error)) return { kind: 'done', answer: undefined }
      if (error instanceof ApiProblem && error.code === 'stale_version' && sending.readNow) {
        const record = await sending.readNow()
        return {
          kind: 'stale',
          fields: sending.before
            ? changesOf(sending.before, record).filter((name) => !/^(version|updated_?at)$/i.test(name))
            : [],
          record,
        }
      }
      if (error instanceof Unreachable || !isDefinite(error)) return { kind: 'lost' }
      // The id of a refused request names that request. A conflict is about an earlier one, which was recorded.
      const isTaken = error instanceof ApiProblem && error.code === 'idempotency_conflict'
      const ids = Object.fromEntries(Object.keys(draft.ids).map((name) => [name, crypto.randomUUID()]))
      if (!isTaken) change({ ...draft, ids, key: crypto.randomUUID(), isSent: false })
      return { kind: 'refused', error }
    }
  }

  return {
    outcome,
    async submit(isForced = false): Promise<unknown> {
      if (isBusy.current) return undefined
      isBusy.current = true
      setOutcome({ kind: 'sending' })
      const next = await attempt(isForced).catch((error): Outcome => ({ kind: 'refused', error }))
      isBusy.current = false
      setOutcome(next)
      if (next.kind !== 'done') return undefined
      dropDraft(sending.place)
      // A record that was removed is not read again.
      const gone = sending.operation.method === 'DELETE' ? sending.address : undefined
      void client.invalidateQueries({ predicate: ({ queryKey: [kind, at] }) => kind !== 'document' && at !== gone })
      return next.answer ?? {}
    },
    /** Goes on with the record as it is now: the fields that were typed stay. */
    accept(record: Item) {
      version.current = record.version
      setOutcome({ kind: 'open' })
    },
    /** The request becomes another one. */
    renew() {
      const ids = Object.fromEntries(Object.keys(draft.ids).map((name) => [name, crypto.randomUUID()]))
      change({ ...draft, ids, key: crypto.randomUUID(), isSent: false })
      setOutcome({ kind: 'open' })
    },
    reopen: () => setOutcome({ kind: 'open' }),
  }
}
