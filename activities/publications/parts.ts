// Makes the parts of publications at the network: hidden, and repeatable. Uploads continue where they ended; what the
// network calls a part is committed before the next call.
import { buffer } from 'node:stream/consumers'
import { Context } from '@temporalio/activity'
import { log } from '../../adapters/log.ts'
import { bucket } from '../../adapters/object-storage/object-storage.ts'
import { config } from '../../config.ts'
import type { AccessToken } from '../../entities/connections/token-requests.ts'
import {
  type ClaimedPart,
  claimPart,
  droppedPart,
  type Lease,
  type PartChange,
  refOf,
  releasePart,
  triedAgain,
  writePart,
} from '../../entities/publications/parts.ts'
import type { SocialPart } from '../../entities/publications/social-part.ts'
import { NoSuchFile } from '../../rules/content/storage-errors.ts'
import { isSuccess } from '../../rules/http-verdicts.ts'
import type { PartRef } from '../../rules/publications/parts.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import type { Making, PartCall, PartResult } from '../../rules/social/networks/publisher.ts'
import type { SocialRequest } from '../../rules/social/networks/request.ts'
import { filePlace, type PublicationError } from '../../rules/social/publication-errors.ts'
import { inItsWords, partRefusal } from '../../rules/social/refusals.ts'
import { accessTokenOf, NoToken } from '../connections/token-requests.ts'
import { statement, transaction } from '../kit/database.ts'
import { failpoint } from '../kit/failpoints.ts'
import { beating } from '../kit/heartbeat.ts'
import { CallFailed } from '../providers/call.ts'
import { answerTo, type SocialAnswer } from '../providers/social/client.ts'
import { tryToStorePause } from '../social/pauses.ts'
import { type DeliveredFile, deliveredFile, NotConverted } from './files.ts'

/** A piece of a large file on a slow line, with the token that it waits for; shorter than a lease. */
const callLimitMs = 40_000
/** An activity ends between two calls after so long, so that changes of the publication are seen. */
const activityMs = 25_000
/** Until the connection is looked at again. */
const tokenPauseS = 15

function leaseOf(): Lease {
  const { activityId, attempt, workflowExecution } = Context.current().info
  return { activity: `${workflowExecution?.runId}/${activityId}`, attempt }
}

/**
 * The answer to a call with the connection's token; a refused token is replaced once. Within `limitMs` in all. Throws
 * NoToken, CallFailed.
 */
export async function answerFor(
  connection: ClaimedPart['connection'],
  request: SocialRequest,
  limitMs: number,
): Promise<SocialAnswer> {
  const { id, type } = connection
  const endBy = performance.now() + limitMs
  const leftMs = () => Math.max(1, endBy - performance.now())
  const ask = (token: AccessToken) => answerTo({ ...request, token: token.token }, { timeoutMs: leftMs() })
  const token = await accessTokenOf(id, null, leftMs())
  let answer = await ask(token)
  if (partRefusal(type, answer) === 'token_refused')
    answer = await ask(await accessTokenOf(id, token.version, leftMs()))
  await tryToStorePause(connection, request.method, answer)
  return answer
}

function makingOf({ part, publication, connection, others }: ClaimedPart, file: DeliveredFile | null): Making {
  const { content } = publication
  return {
    ...{
      account: connection.provider_account_id,
      username: connection.username ?? null,
      version: config.social.graphVersion,
      content,
    },
    ...{ kind: part.kind, ref: refOf(part), bytes: part.bytes, parts: others, file },
  }
}

async function withBytes(
  { request, range }: PartCall,
  { part }: ClaimedPart,
  file: DeliveredFile | null,
): Promise<SocialRequest> {
  if (!range || !file || !part.media_id) return request
  const data = await buffer(
    await bucket().open({ tenant_id: part.tenant_id, id: part.media_id }, file.variant, file.bytes, {
      from: range.from,
      to: range.to,
    }),
  )
  return { ...request, bytes: range.wrap(data) }
}

type Outcome =
  | { result: PartResult }
  | { again: PublicationError; pause_s?: number }
  | { failed: PublicationError }
  | { waits: number }

const mediaMissing: PublicationError = {
  code: 'media_missing',
  message: 'A file of the publication is not in the storage.',
}

async function oneCall(claimed: ClaimedPart): Promise<Outcome> {
  const { publication, connection, part } = claimed
  const { type } = publication
  if (part.media_id && !claimed.file)
    return { failed: { code: 'media_missing', message: 'A file of the publication was deleted, or is not ready.' } }
  let making: Making
  let call: PartCall
  let answer: SocialAnswer
  try {
    const file = claimed.file && (await deliveredFile(type, { ...claimed.file, tenant_id: part.tenant_id }))
    making = makingOf(claimed, file)
    call = networks[type].publisher.call(making)
    answer = await answerFor(connection, await withBytes(call, claimed, file), callLimitMs)
  } catch (error) {
    if (error instanceof NoToken) return { waits: error.reason === 'pending' ? 1 : tokenPauseS }
    if (error instanceof NoSuchFile) return { failed: mediaMissing }
    if (error instanceof NotConverted)
      return { again: { code: 'image_not_converted', message: 'The picture could not be converted to JPEG.' } }
    if (error instanceof CallFailed) return { again: { code: 'no_answer', message: 'The network did not answer.' } }
    throw error
  }
  if (isSuccess(answer.status) || answer.status === 308) {
    const result = networks[type].publisher.read(making, answer)
    return result ? { result } : { again: { code: 'no_answer', message: 'The answer of the network cannot be read.' } }
  }
  const refused = networks[type].publisher.refused?.(making, answer)
  if (refused) return { result: refused }
  const error = inItsWords(type, answer)
  switch (partRefusal(type, answer)) {
    // The network refused the renewed token as well.
    case 'token_refused':
      return { again: error, pause_s: tokenPauseS }
    case 'again':
      return { again: error }
    case 'final':
      // What was made and cannot be read is gone.
      return call.request.method === 'GET' ? { result: { state: 'forgotten' } } : { failed: error }
  }
}

/** After an interruption of an upload the network is asked how much it has. */
function interrupted(ref: PartRef): PartRef {
  const { told: _, ...rest } = ref
  return ref.url !== undefined && ref.id === undefined ? rest : ref
}

/** What is written after a call. */
function changeOf(outcome: Exclude<Outcome, { waits: number }>, part: SocialPart): PartChange {
  const ref = refOf(part)
  const same = { ref, bytes: part.bytes, usable: part.usable, tries: part.tries }
  if ('failed' in outcome) return { ...same, state: 'failed', wait_s: 0, error: outcome.failed, keeps: false }
  if ('again' in outcome) return { ...triedAgain(part, outcome.again, outcome.pause_s), ref: interrupted(ref) }
  const { result } = outcome
  if (result.state === 'failed') return { ...same, state: 'failed', wait_s: 0, error: result.error, keeps: false }
  if (result.state === 'forgotten') {
    const again = triedAgain(part, { code: 'forgotten', message: 'The network has forgotten what was uploaded.' })
    return { ...again, state: again.state === 'failed' ? 'failed' : 'new', ref: null, bytes: 0, usable: false }
  }
  const { state, lives_s, wait_s = 0, bytes = part.bytes, usable = false } = result
  // A report of how much the network has is no progress: the next piece may fail as the one before.
  const progress =
    JSON.stringify(interrupted(result.ref)) !== JSON.stringify(interrupted(ref)) ||
    bytes > part.bytes ||
    state !== part.state
  return {
    state,
    ref: result.ref,
    bytes,
    usable,
    lives_s,
    wait_s,
    error: null,
    tries: progress ? 0 : part.tries,
    keeps: state !== 'ready' && wait_s === 0,
  }
}

/**
 * Makes a part, or continues with it: until it is ready, the network needs time, or this activity's time is over. Does
 * nothing if another worker makes it.
 */
export const makeSocialPart = (id: string): Promise<void> =>
  beating(async () => {
    const lease = leaseOf()
    const claimed = await transaction((em) => claimPart(em, id, lease, 'make'))
    if (!claimed) return
    const { part } = claimed
    part.ref = JSON.stringify(interrupted(refOf(part)))
    const end = performance.now() + activityMs
    for (let n = 1; ; n++) {
      const outcome = await oneCall(claimed)
      await failpoint(`part_call_${n}`, 'social_parts', part.publication_id as string)
      if ('waits' in outcome) return void (await statement((em) => releasePart(em, part, lease, outcome.waits)))
      const change = changeOf(outcome, part)
      if (change.error)
        change.error = { ...change.error, ...filePlace(claimed.publication.content.media_ids, part.media_id) }
      const keeps = change.keeps && performance.now() < end
      if (!(await statement((em) => writePart(em, part, lease, { ...change, keeps }))) || !keeps) return
      Object.assign(part, {
        state: change.state,
        ref: JSON.stringify(change.ref ?? {}),
        bytes: change.bytes,
        usable: change.usable,
        tries: change.tries,
      })
    }
  })

/** Deletes at the network what was made and will not be shown. What is gone there is gone here. */
export const dropSocialPart = (id: string): Promise<void> =>
  beating(async () => {
    const lease = leaseOf()
    const claimed = await transaction((em) => claimPart(em, id, lease, 'drop'))
    if (!claimed) return
    const { part, publication, connection } = claimed
    const { account, username, version } = makingOf(claimed, null)
    const request = networks[publication.type].publisher.drop?.(part.kind, refOf(part), { account, username, version })
    if (!request) return void (await statement((em) => droppedPart(em, part, lease)))
    try {
      const answer = await answerFor(connection, request, callLimitMs)
      const isGone = isSuccess(answer.status) || partRefusal(publication.type, answer) === 'final'
      if (isGone) await statement((em) => droppedPart(em, part, lease))
      else
        await statement((em) =>
          writePart(em, part, lease, { ...triedAgain(part, inItsWords(publication.type, answer)), state: part.state }),
        )
    } catch (error) {
      if (error instanceof NoToken) return void (await statement((em) => releasePart(em, part, lease, tokenPauseS)))
      if (!(error instanceof CallFailed)) throw error
      const change = triedAgain(part, { code: 'no_answer', message: 'The network did not answer.' })
      await statement((em) => writePart(em, part, lease, { ...change, state: part.state }))
    }
    log.debug({ part: part.id }, 'a hidden post was deleted at the network')
  })
