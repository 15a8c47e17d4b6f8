// Sends a form once: a double click sends nothing twice, and what was changed is read again everywhere.
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Item } from '../document/tree.ts'
import { attempt, type Drafts, type Outcome, rebased, type Sending } from './attempt.ts'
import { newIds } from './draft.ts'

/** `address`: of the place. `drop` forgets the draft. */
export function useSubmit(sending: Sending, drafts: Drafts & { drop(): void }, address: string) {
  const client = useQueryClient()
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'open' })
  // A second click comes before the state of the first one is drawn.
  const isBusy = useRef(false)
  return {
    outcome,
    /** The answer; undefined unless it is done. */
    async submit(): Promise<unknown> {
      if (isBusy.current) return undefined
      isBusy.current = true
      setOutcome({ kind: 'sending' })
      const next = await attempt(sending, drafts).catch((error): Outcome => ({ kind: 'refused', error }))
      isBusy.current = false
      setOutcome(next)
      // The page behind the form shows what is there now.
      if (next.kind === 'stale')
        void client.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind === 'record' || kind === 'list' })
      if (next.kind !== 'done') return undefined
      drafts.drop()
      // A record that was removed is not read again.
      const gone = sending.operation.method === 'DELETE' ? address : undefined
      void client.invalidateQueries({ predicate: ({ queryKey: [kind, at] }) => kind !== 'document' && at !== gone })
      return next.answer ?? {}
    },
    refuse: (text: string) => setOutcome({ kind: 'refused', error: new Error(text) }),
    accept(record: Item) {
      drafts.change(rebased(sending, drafts.read(), record))
      setOutcome({ kind: 'open' })
    },
    /** The request becomes another one. */
    renew(record?: Item) {
      drafts.change({ ...newIds(drafts.read()), isSent: false, ...(record ? { before: record } : {}) })
      setOutcome({ kind: 'open' })
    },
    reopen: () => setOutcome({ kind: 'open' }),
  }
}
