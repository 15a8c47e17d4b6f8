// What a turn does next, from its calls: ask the model, wait, or end. A model's word decides nothing but the text of
// the answer.
import { z } from 'zod'
import type { EffectStatus } from '../effects.ts'
import { isRetried, type ModelAnswer } from './model-formats.ts'

/** `discarded`: a person took the chat over before the turn had an answer. */
export const TurnStatus = z.enum(['running', 'answered', 'failed', 'unknown', 'discarded'])
export type TurnStatus = z.infer<typeof TurnStatus>

/** Questions to a model in one turn of a chat. */
export const STEPS_MAX = 6
/** Calls that are made for one question, where the provider says that nothing ran. */
const triesMax = 3
const pausesS = [1, 4] as const
const retryAfterMaxS = 30
const halvingsMax = 2
/** Calls of a tenant that are under way at the same time. */
export const CALLS_AT_ONCE = 8
/**
 * How long a turn waits for one of them to end, in milliseconds. `ahead`: turns of the tenant that began earlier. The
 * later its turn, the less often it looks.
 */
export const busyMs = (ahead: number): number =>
  Math.min(5_000, 400 * (1 + Math.max(0, ahead - CALLS_AT_ONCE) / CALLS_AT_ONCE))

/** Why a turn failed; operators see it. */
export type TurnError =
  | 'token_limit'
  | 'model_rejected'
  | 'model_unavailable'
  | 'model_answer_unusable'
  | 'model_outcome_unknown'
  | 'model_missing'
  | 'too_many_steps'
  /** Lead research: the audience is not one of those whose members may be researched any more. */
  | 'audience_not_researchable'
  | 'store_archived'

/** The last call of a turn. */
export type CallFacts = {
  id: string
  step: number
  try: number
  status: EffectStatus
  /** HTTP status of a refusal. */
  http_status: number | null
  too_long: boolean
  retry_after_s: number | null
  /** Seconds since it was settled. */
  settled_s_ago: number
  answer: ModelAnswer | null
}

/** How a turn without an answer ends. */
export type Unanswered = Extract<TurnStatus, 'failed' | 'unknown'>

export type TurnStep =
  | { do: 'send'; call_id: string }
  | { do: 'wait'; ms: number }
  /** Write the next call. `halvings`: how often the history is halved. */
  | { do: 'ask'; step: number; try: number; halvings: number }
  /** Run the tools that the answer asks for, then write the next call. */
  | { do: 'tools'; answer: ModelAnswer; call_id: string; step: number }
  | { do: 'answer'; text: string; cut: boolean }
  | { do: 'end'; status: Unanswered; error: TurnError }

const failed = (error: TurnError): TurnStep => ({ do: 'end', status: 'failed', error })

/** `too_long`: calls of this step that were refused because they were too long. `steps_max`: questions in the turn. */
export function nextTurnStep(
  last: CallFacts | null,
  { too_long, steps_max }: { too_long: number; steps_max: number },
): TurnStep {
  if (!last) return { do: 'ask', step: 1, try: 1, halvings: 0 }
  switch (last.status) {
    case 'requested':
    case 'processing':
      return { do: 'send', call_id: last.id }
    case 'unknown':
      return { do: 'end', status: 'unknown', error: 'model_outcome_unknown' }
    case 'failed':
      return failed('model_unavailable')
    case 'rejected': {
      if (last.too_long)
        return too_long > halvingsMax
          ? failed('model_rejected')
          : { do: 'ask', step: last.step, try: last.try + 1, halvings: too_long }
      if (last.http_status === null || !isRetried(last.http_status)) return failed('model_rejected')
      const tries = last.try - too_long
      if (tries >= triesMax) return failed('model_unavailable')
      const pauseS = Math.min(retryAfterMaxS, last.retry_after_s ?? pausesS[tries - 1] ?? 4)
      const leftS = pauseS - last.settled_s_ago
      return leftS > 0
        ? { do: 'wait', ms: Math.ceil(leftS * 1000) }
        : { do: 'ask', step: last.step, try: last.try + 1, halvings: too_long }
    }
    case 'succeeded': {
      const { answer } = last
      if (!answer) return failed('model_answer_unusable')
      if (answer.calls.length > 0 && last.step < steps_max)
        return { do: 'tools', answer, call_id: last.id, step: last.step }
      if (answer.text.trim() !== '') return { do: 'answer', text: answer.text, cut: answer.cut }
      return failed(answer.calls.length > 0 ? 'too_many_steps' : 'model_answer_unusable')
    }
  }
}
