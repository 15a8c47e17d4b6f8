// One entry of a record's timeline: what happened, when, on which of the three lanes of a picture, and who did it.
import { z } from 'zod'
import { type EffectName, effectNames } from '../effects.ts'
import { anyMembers } from '../open-answers.ts'
import { EffectStatus } from '../shapes.ts'

/** `record`: our own rows; `worker`: the process that sends; `provider`: the other side. */
export const Lane = z.enum(['record', 'worker', 'provider'])
export type Lane = z.infer<typeof Lane>

/**
 * What an effect goes through, in this order. `silence`: a deadline that passed, or a connection that ended, without an
 * answer.
 */
export const effectKinds = [
  'requested',
  'claimed',
  'sent',
  'deadline',
  'silence',
  'answered',
  'settled',
  'late_evidence',
  'resolved',
] as const

export const EntryKind = z.enum([
  ...effectKinds,
  ...(['event', 'created', 'changed', 'scheduled', 'started', 'paid', 'shipped', 'published', 'received'] as const),
  ...(['disputed', 'merged', 'cancelled', 'ended'] as const),
])
export type EntryKind = z.infer<typeof EntryKind>

const ByType = z.enum(['account', 'visitor', 'provider', 'system'])
/** `id`: of an account or a contact, if it is stored. */
export type By = { type: z.infer<typeof ByType>; id: string | null }

export const operator = (id: string | null | undefined): By => ({ type: 'account', id: id ?? null })
export const visitor = (id: string | null): By => ({ type: 'visitor', id })
export const provider: By = { type: 'provider', id: null }
export const system: By = { type: 'system', id: null }

/** What an entry says, beside its time and its row. */
export type EntryText = { kind: EntryKind; title: string; lane: Lane; by: By | null; details: Record<string, unknown> }

export const TimelineEntryOut = z
  .object({
    at: z
      .number()
      .describe(
        'When, in Unix seconds with milliseconds as decimals, as far as they are stored. A `deadline` may be in the future.',
      ),
    kind: EntryKind.describe(
      'What happened. Of an effect: `requested`, `claimed` by a worker, `sent` (the time was committed before the first byte), `deadline` (a bound: no answer counts after it), `silence` (it passed without an answer, ' +
        'or the connection ended without one), `answered`, `settled`, late evidence (what became known after that), `resolved` (by a person). `event`: an event was published. The others are about the record itself.',
    ),
    title: z.string().describe('The entry as a sentence, for people.'),
    lane: Lane.describe('Where it happened: in our own `record`, in the `worker` that sends, or at the `provider`.'),
    effect: z
      .object({
        name: z.enum(effectNames as [EffectName, ...EffectName[]]).describe('Kind of the effect.'),
        id: z.string().describe('Identifier of its row: `subject` of a timeline of its own, with the name before it.'),
        status: EffectStatus.describe('Its state now.'),
        attempt: z
          .int()
          .describe(
            'Attempts so far. None before the last one had an effect, unless the entry of the claim says that the outcome of one is unknown.',
          ),
      })
      .nullable()
      .describe('The effect that the entry is about; null for an entry about the record itself.'),
    by: z
      .object({
        type: ByType.describe('Who did it.'),
        id: z.string().nullable().describe('Identifier of the account or of the contact; null if it is not stored.'),
        label: z.string().nullable().describe('E-mail address of a member of the team; null for anyone else.'),
      })
      .nullable()
      .describe('Who did it; null if that is not stored.'),
    details: anyMembers().describe(
      'What else is stored about it: the evidence, the error, the note of a resolution, the record that it is about.',
    ),
  })
  .meta({
    id: 'TimelineEntry',
    description: 'One thing that happened to a record. Every time is one that is stored.',
  })
