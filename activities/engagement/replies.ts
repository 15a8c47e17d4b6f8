// Sends a reply to a comment once, and reads its thread where the answer does not prove it.
import { setTimeout as pause } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/common'
import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import { config } from '../../config.ts'
import * as replies from '../../entities/engagement/replies.ts'
import { QuotaExhausted, spendReply } from '../../entities/social/quota.ts'
import type { EffectStatus } from '../../rules/effects.ts'
import type { Listing } from '../../rules/engagement/comment.ts'
import { commentPage, commentsRequest } from '../../rules/engagement/comment-pages.ts'
import { repliedId, replyRequest, replyVerdict } from '../../rules/engagement/replies.ts'
import type { ReplyTarget } from '../../rules/engagement/reply.ts'
import { isSuccess } from '../../rules/http-verdicts.ts'
import { idIn, objectIn } from '../../rules/social/answers.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import type { SocialRequest } from '../../rules/social/networks/request.ts'
import type { PublicationError } from '../../rules/social/publication-errors.ts'
import { readError } from '../../rules/social/reads.ts'
import { mayBeDuplicate } from '../../rules/social/refusals.ts'
import { accessTokenOf, NoToken } from '../connections/token-requests.ts'
import { statement, transaction } from '../kit/database.ts'
import { beating } from '../kit/heartbeat.ts'
import { NeverSent, once, type Sender, type Verdict } from '../kit/once.ts'
import { answerTo, sendSocial } from '../providers/social/client.ts'
import { tryToStorePause } from '../social/pauses.ts'
import { type Reader, readAccount } from '../social/reads.ts'

type Connection = Reader['connection']
type Request = ReplyTarget & { connection: Connection; text: string }

const commentGone = () =>
  new NeverSent({ code: 'comment_gone', message: 'The comment or its publication was deleted.' })
const reconnect = () => new NeverSent(readError('connection_needs_reconnect'))

/** An effect's error has no undefined members. */
const refusal = ({ provider_code, ...error }: PublicationError) => ({
  ...error,
  ...(provider_code ? { provider_code } : {}),
})

async function factsOf(id: string): Promise<replies.ReplyFacts> {
  const facts = await statement((em) => replies.replyFacts(em, id))
  if (!facts) throw commentGone()
  return facts
}

/** Throws NeverSent if the account has to be connected again. */
async function tokenFor({ id }: Connection, refused: number | null = null) {
  try {
    return await accessTokenOf(id, refused, 5_000)
  } catch (error) {
    throw error instanceof NoToken && error.reason === 'not_active' ? reconnect() : error
  }
}

/** How long a container is waited for before the attempt is given back. */
const containerWaitMs = 8_000

/**
 * What is published later, and no visitor sees before; null at networks without it. It is made once, however often the
 * preparation runs.
 */
async function container(facts: replies.ReplyFacts, connection: Connection): Promise<string | null> {
  const { token, version } = await tokenFor(connection)
  const step = networks[facts.type].replies.container
  if (!step) return null
  let made = facts.container_id
  if (made === null) {
    const request = step.make({ ...facts, container: null }, facts.text)
    const answer = await answerTo({ ...request, token }, { timeoutMs: containerWaitMs })
    made = idIn(objectIn(answer.body).id)
    const verdict = replyVerdict(facts.type, answer)
    if (verdict.kind === 'rejected') throw new NeverSent({ ...refusal(verdict.error), provider_status: answer.status })
    if (verdict.kind === 'again') await tokenFor(connection, version)
    if (verdict.kind !== 'succeeded' || made === null)
      throw new Error(`the network answered with status ${answer.status}`)
    const id = made
    await statement((em) => replies.keepContainer(em, facts.id, id))
  }
  const until = performance.now() + containerWaitMs
  for (let waitMs = 50; performance.now() < until; waitMs = Math.min(1_000, 2 * waitMs)) {
    const { status, body } = await answerTo({ ...step.read(made), token }, { timeoutMs: containerWaitMs })
    const state = isSuccess(status) ? step.stateIn(objectIn(body)) : null
    if (state === 'finished' || state === 'published') return made
    if (state === 'refused' || state === 'expired')
      throw new NeverSent({ code: 'network_refused', message: 'The network refused the reply.' })
    await pause(waitMs)
  }
  throw new Error('the network has not processed the reply yet')
}

const attempt = once({
  row: replies.socialReplyEffect,
  async prepare(id): Promise<Request> {
    const facts = await factsOf(id)
    const { tenant_id, type, text, account, comment, root } = facts
    const connection = { id: facts.social_connection_id, tenant_id, type }
    if (networks[type].quota)
      await transaction((em) => spendReply(em, type, unixNow())).catch((error) => {
        throw error instanceof QuotaExhausted ? new NeverSent(readError('quota_exhausted')) : error
      })
    return { connection, type, text, account, comment, root, container: await container(facts, connection) }
  },
  // The token is that of the moment: an attempt after a refused one has another.
  async unlock({
    connection,
    text,
    ...target
  }: Request): Promise<{ request: SocialRequest; connection: Connection; version: number }> {
    const { token, version } = await tokenFor(connection)
    return { connection, version, request: replyRequest(target, text, token, config.social.graphVersion) }
  },
  async send({ request, connection, version }, sending): Promise<Verdict> {
    const { type } = connection
    const { verdict, answer } = await sendSocial(request, sending, () => true)
    if (!answer) return verdict
    await tryToStorePause(connection, request.method, answer)
    const evidence = { status: answer.status }
    const judged = replyVerdict(type, answer)
    if (judged.kind === 'succeeded')
      return { kind: 'succeeded', evidence, columns: { provider_comment_id: repliedId(type, answer.body) } }
    const error = { ...refusal(judged.error), provider_status: answer.status }
    // A call that the network put off may have made the reply: the thread decides.
    if (
      judged.kind === 'rejected' &&
      mayBeDuplicate(type, answer) &&
      (await statement((em) => replies.isRepeated(em, connection.tenant_id, sending.id)).catch(() => true))
    )
      return { kind: 'unknown', evidence, error: { ...error, code: 'outcome_unknown' } }
    if (judged.kind !== 'again') return { kind: judged.kind, evidence, error }
    // Requests another token, or ends the connection: the next attempt has it. After a limit, the next attempt waits
    // for the end of the pause.
    if (error.code === 'token_refused')
      await accessTokenOf(connection.id, version, 0).catch((err) => {
        if (!(err instanceof NoToken)) log.warn({ reply_id: sending.id, err }, 'token not renewed')
      })
    return { kind: 'not_sent', error }
  },
})

/** Not before the end of a pause that the network asked for: the attempt is put off, and does not count. */
export const sendSocialReply: Sender<'social_reply'> = {
  row: attempt.row,
  async send(id, token, limitMs) {
    const facts = await statement((em) => replies.replyFacts(em, id))
    if (facts?.status === 'requested' && facts.paused_ms > 0 && facts.paused_ms < 3_600_000)
      throw ApplicationFailure.create({
        type: 'Deferred',
        message: 'paused',
        nonRetryable: true,
        details: [Math.ceil(facts.paused_ms) + 50],
      })
    return attempt.send(id, token, limitMs)
  },
}

/**
 * A step of our own rows, after `reads` reads of the thread: how long the workflow waits until the next one, as long as
 * the outcome or the id of the reply is not known. Null: no read follows.
 */
export async function soughtReply(
  id: string,
  reads: number,
): Promise<{ status: EffectStatus; wait_ms: number | null }> {
  const { status, sought } = await statement((em) => replies.soughtReply(em, id))
  const { proofS } = config.social
  const atS = sought ? proofS[reads] : undefined
  return { status, wait_ms: atS === undefined ? null : 1_000 * (atS - (proofS[reads - 1] ?? 0)) }
}

/** The thread is read so far. */
const pagesMax = 5

/** What the network says of the container of a reply. `late`: what is not published by then is not going to be. */
async function containerOutcome(
  reader: Reader,
  container: string,
  late: boolean,
): Promise<'succeeded' | 'rejected' | null> {
  const step = networks[reader.connection.type].replies.container
  if (!step) return null
  const { body } = await readAccount(reader, (token) => ({ ...step.read(container), token }))
  const state = step.stateIn(objectIn(body))
  if (state === 'published') return 'succeeded'
  return late && (state === 'finished' || state === 'expired') ? 'rejected' : null
}

/** Looks for a reply whose outcome, or whose id, is not known. */
export const findSocialReply = (id: string): Promise<void> =>
  beating(async () => {
    const facts = await statement((em) => replies.replyFacts(em, id))
    if (!facts || facts.post === null) return
    const { type, container_id, post, root, social_connection_id, tenant_id } = facts
    const reader: Reader = { connection: { id: social_connection_id, tenant_id, type } }
    const listing: Listing = { type, post, root }
    const found: Parameters<typeof replies.proveReplies>[2][number][] = []
    let cursor: string | null = null
    for (let pages = 0; pages < pagesMax; pages++) {
      const at: string | null = cursor
      const { body } = await readAccount(reader, (token) =>
        commentsRequest(listing, { wanted: 100, cursor: at, token, version: config.social.graphVersion }),
      )
      const page = commentPage(listing, { provider_account_id: facts.account, username: facts.username }, body)
      found.push(...(page?.comments ?? []))
      cursor = page?.cursor ?? null
      if (cursor === null || reader.isPaused) break
    }
    const outcome =
      container_id === null || facts.status !== 'unknown'
        ? null
        : await containerOutcome(reader, container_id, facts.late)
    await transaction(async (em) => {
      await replies.proveReplies(em, facts, found)
      if (outcome) await replies.settleContainer(em, id, outcome)
      await replies.markLooked(em, id)
    })
  })
