// What is written about a message that was handed to its server, by the outcome.
import { config } from '../../config.ts'
import type { EffectError } from '../../entities/kit/effect-columns.ts'
import type { SentResult } from '../../entities/sending/settlement.ts'
import { TRIES_MAX } from '../../rules/campaigns/campaigns.ts'
import { cut } from '../../rules/excerpts.ts'
import { bounceClassOf } from '../../rules/inbox/bounces.ts'
import { type RefusalClass, statusIn } from '../../rules/mail/refusals.ts'
import { providerIdOf, type Stage, textOf } from '../../rules/mail/smtp.ts'
import { mailboxPauseMs, type Outcome, SENDER_REFUSED } from '../../rules/sending/sending.ts'
import { readableError } from '../providers/mail.ts'
import type { Handed, Stamped } from './submission.ts'

type Server = Parameters<typeof readableError>[1]
type Attempt = Pick<Stamped, 'ahead' | 'claimed' | 'token'>

/** Servers of recipients distrust the sender. */
export const isDistrust = (about: RefusalClass | null): boolean => about === 'reputation' || about === 'authentication'

const commandOf = (stage: Stage | null): string =>
  stage === null ? 'none' : stage === 'dot' ? 'DATA' : stage.toUpperCase()

/** The server spoke to this message before the session broke, so it may refuse only this recipient. */
const spoke = (stage: Stage | null): boolean => ['MAIL', 'RCPT', 'DATA'].includes(commandOf(stage))

const scheduledMs = (attempts: number): number | null => {
  const seconds = config.campaignRetryS[attempts - 1]
  return seconds === undefined ? null : seconds * 1000
}

/** Milliseconds until the next attempt, or until a new message is sent; null where there is none. */
export function waitMs({ outcome, stage }: Handed, { ahead, claimed }: Attempt): number | null {
  switch (outcome) {
    case 'refused':
    case 'deferred':
      return scheduledMs(claimed.attempt)
    case 'retried':
      return ahead.try < TRIES_MAX ? scheduledMs(ahead.try) : null
    case 'sender_refused':
      return mailboxPauseMs(1)
    case 'not_sent':
      return spoke(stage) ? scheduledMs(claimed.attempt) : mailboxPauseMs(1)
    case 'withdrawn':
      // The next claim finds what has changed.
      return 0
    default:
      return null
  }
}

/** The same message waits: its evidence is that of a later attempt. `counts`: as an attempt of the recipient. */
const waiting = (wait_ms: number, counts: boolean) => ({ evidence: {}, status: 'requested', wait_ms, counts }) as const
const ended = <S extends 'rejected' | 'unknown'>(status: S) => ({ status, again_ms: null, bounce: null }) as const

/** The row's result under the token of the stamp. `wait`: as `waitMs` says, or longer. */
export function resultOf(
  handed: Handed,
  { ahead, claimed, token }: Attempt,
  wait: number | null,
  server: Server,
): SentResult {
  const { reply, error, stage, about } = handed
  const text = reply ? cut(textOf(reply), 300) : ''
  const noted = {
    ...{ id: ahead.id, enrollment_id: ahead.enrollment_id, token, error, provider_message_id: null },
    evidence: { command: commandOf(stage), ...(reply ? { status: reply.code } : {}) },
  }
  const refused = { distrusted: isDistrust(about) && claimed.attempt === 1 }
  // Counted as a report that came back would be.
  const bounce =
    about === null ? null : { status: statusIn(text), diagnostic: error?.message ?? null, class: bounceClassOf[about] }
  const byOutcome: Readonly<Record<Outcome, () => SentResult>> = {
    succeeded: () => ({
      ...noted,
      ...{ error: null, evidence: { response: cut(readableError(new Error(text), server).message, 200) } },
      ...{ status: 'succeeded', provider_message_id: reply ? providerIdOf(reply) : null, again_ms: null, bounce: null },
    }),
    rejected: () => ({ ...noted, status: 'rejected', again_ms: null, refused, bounce }),
    refused: () => {
      const named = { ...noted, error: { ...(error as EffectError), code: SENDER_REFUSED }, refused }
      if (wait === null) return { ...named, status: 'rejected', again_ms: null, bounce }
      // The body was handed over: a new message waits.
      if (stage === 'dot') return { ...named, status: 'rejected', again_ms: wait, carries: true, bounce: null }
      return { ...named, ...waiting(wait, true) }
    },
    retried: () => ({ ...noted, ...ended('rejected'), again_ms: wait }),
    deferred: () => ({ ...noted, ...(wait === null ? ended('rejected') : waiting(wait, true)) }),
    withdrawn: () => ({ ...noted, ...waiting(wait ?? 0, false) }),
    sender_refused: () => ({ ...noted, ...waiting(wait ?? 0, false) }),
    not_sent: () => ({ ...noted, ...(wait === null ? ended('rejected') : waiting(wait, spoke(stage))) }),
    unknown: () => ({ ...noted, ...ended('unknown') }),
  }
  return byOutcome[handed.outcome]()
}
