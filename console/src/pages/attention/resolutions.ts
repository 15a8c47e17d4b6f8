// What an operator records about an item: the words of each outcome, and what was recorded before.
import type { AttentionItem as Item } from '../../../../client/client.ts'
import { wordsOf } from '../../kit/document/schema.ts'
import type { Body } from '../../kit/form/model.ts'

type Choice = NonNullable<Item['resolve']>['choices'][number]

const answers: Record<Choice, [label: string, about: string]> = {
  succeeded: ['It was carried out', 'You found it there.'],
  rejected: ['It was not carried out', 'You looked, and it is not there.'],
  accepted: ['Keep it as it is', 'The amount that was paid is accepted.'],
  start_again: ['Start it again', 'What was not started is started now.'],
  published: ['It was published', 'You see the post there.'],
  completed: ['It was carried out', 'You found its effect there.'],
  failed: ['It was not carried out', 'You looked, and nothing happened there.'],
}

/** An outcome of a later version of the API is shown by its name. */
export const answerOf = (outcome: string): [label: string, about: string | undefined] =>
  answers[outcome as Choice] ?? [wordsOf(outcome), undefined]

/** `by`: the e-mail address of who recorded it, if they are in the team. */
export type Recorded = {
  outcome: string
  note: string | undefined
  at: number | undefined
  by: string | undefined
}

/** What was recorded for the item last. */
export function recordedIn({ evidence }: Pick<Item, 'evidence'>): Recorded | undefined {
  const { outcome, note, at, recorded_by: by } = (evidence.resolution ?? {}) as Record<string, unknown>
  if (typeof outcome !== 'string') return undefined
  const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return { outcome, note: textOf(note), at: typeof at === 'number' ? at : undefined, by: textOf(by) }
}

/** The field of a body for the id that the provider gave to what was found. */
export const objectFieldOf = ({ fields }: Body): string | undefined =>
  fields.map(([name]) => name).find((name) => /^provider\w*id$/i.test(name))

export type Typed = { outcome?: string; note?: string; [field: string]: unknown }

/**
 * The body of the request. `seen`: the recorded outcome that the operator has seen. The API replaces no other one.
 * `force` is sent once, for the evidence that is shown: that of a later attempt may be another one.
 */
export const decisionOf = (body: Body, typed: Typed, seen: string | undefined, more: Typed = {}): Typed => ({
  ...typed,
  force: undefined,
  ...(body.fields.some(([name]) => name === 'replaces') ? { replaces: seen } : {}),
  ...more,
})

/** What can be recorded. A correction is another outcome: of the same one the API would keep no second note. */
export const choicesOf = ({ status, resolve, evidence }: Pick<Item, 'status' | 'resolve' | 'evidence'>): Choice[] =>
  (resolve?.choices ?? []).filter((one) => status === 'open' || one !== recordedIn({ evidence })?.outcome)
