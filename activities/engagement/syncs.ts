// Syncs of comments and figures: a slice reads a few pages of one publication, one commit each. A worker that is killed
// loses one page, and another continues at its cursor.
import { unixNow } from '../../adapters/clock.ts'
import { config } from '../../config.ts'
import { proveReplies } from '../../entities/engagement/replies.ts'
import * as syncing from '../../entities/engagement/sync-steps.ts'
import type { CommentPage, Listing } from '../../rules/engagement/comment.ts'
import { commentPage, commentsRequest } from '../../rules/engagement/comment-pages.ts'
import { metricsRequests, metricValues } from '../../rules/engagement/metrics.ts'
import { afterPage, pauseWaitedS, wantedOf } from '../../rules/engagement/syncs.ts'
import type { SocialRequest } from '../../rules/social/networks/request.ts'
import { readError } from '../../rules/social/reads.ts'
import { statement, transaction } from '../kit/database.ts'
import { failpoint } from '../kit/failpoints.ts'
import { beating } from '../kit/heartbeat.ts'
import { draining } from '../kit/once.ts'
import { type ReadAnswer, type Reader, readAccount } from '../social/reads.ts'

type Slice = syncing.SliceFacts
const version = () => config.social.graphVersion

/** The next slice of a store, which is marked as served. */
export const nextSyncSlice = (tenantId: string, busy: readonly string[]): Promise<syncing.SliceStep> =>
  transaction((em) => syncing.nextSlice(em, tenantId, busy))

/** A publication whose slice could not be run. */
export const failSyncItem = (itemId: string): Promise<void> =>
  transaction(async (em) => {
    const slice = await syncing.sliceFacts(em, itemId)
    if (slice) await syncing.endItem(em, slice, 'failed', readError('not_read'))
  })

/** Why nothing is read for a publication now; null if it is. */
function hindrance({ publication_status, provider_post_id, connection_status, paused_until }: Slice) {
  if (publication_status !== 'published') return readError('publication_not_published')
  if (provider_post_id === null) return readError('post_unknown')
  if (connection_status !== 'active') return readError('connection_needs_reconnect')
  // A shorter pause is waited for.
  return paused_until !== null && paused_until > unixNow() + pauseWaitedS ? readError('rate_limited') : null
}

const noAnswer: ReadAnswer = { verdict: 'unavailable', error: readError('network_unavailable'), body: undefined }

/** An answer that is none of what was asked for: the slice ends. */
async function setBack(slice: Slice, { verdict, error }: ReadAnswer): Promise<boolean> {
  const why = error ?? readError('network_unavailable')
  await transaction(async (em) => {
    // The pause is stored with the connection.
    if (verdict === 'limited') return
    if (verdict === 'gone' && slice.root_comment_id !== null) return syncing.endRoot(em, slice)
    if (verdict === 'comments_disabled' && slice.with_metrics && slice.phase === 'comments')
      return syncing.skipComments(em, slice, why)
    if (verdict === 'comments_disabled') return syncing.endItem(em, slice, 'skipped', why)
    return verdict === 'unavailable' ? syncing.putOff(em, slice, why) : syncing.endItem(em, slice, 'failed', why)
  })
  return false
}

const listingOf = ({ type, provider_post_id, root }: Slice): Listing => ({
  type,
  post: provider_post_id as string,
  root,
})

const nextPage = (slice: Slice, reader: Reader): Promise<ReadAnswer> =>
  readAccount(reader, (token) =>
    commentsRequest(listingOf(slice), { wanted: wantedOf(slice), cursor: slice.cursor, token, version: version() }),
  )

async function written(slice: Slice, page: CommentPage): Promise<boolean> {
  await failpoint('sync_page', 'social_syncs', slice.sync_id)
  const done = await transaction(async (em) => {
    const isWritten = await syncing.writePage(em, slice, page)
    const { root_comment_id: root_id } = slice
    if (isWritten && root_id !== null) await proveReplies(em, { ...slice, root_id }, page.comments)
    return isWritten
  })
  await failpoint('sync_page_written', 'social_syncs', slice.sync_id)
  return done
}

/** Reads pages while `goesOn`. While one is written, the next one is read. */
async function readComments(slice: Slice, reader: Reader, goesOn: () => boolean): Promise<boolean> {
  let reading = nextPage(slice, reader)
  for (;;) {
    const answer = await reading
    const page = answer.verdict === 'read' ? commentPage(listingOf(slice), slice, answer.body) : null
    if (!page) return setBack(slice, answer.verdict === 'read' ? noAnswer : answer)
    const { next } = afterPage(slice, page.comments.length, page.cursor)
    const follows = next.status === 'pending' && next.phase === 'comments' && goesOn()
    if (follows) reading = nextPage({ ...slice, ...next }, reader)
    // Its error, if it has one, is thrown when it is awaited.
    reading.catch(() => {})
    if (!(await written(slice, page))) return false
    Object.assign(slice, next)
    if (!follows) return slice.status === 'pending'
  }
}

async function readMetrics(slice: Slice, reader: Reader): Promise<boolean> {
  const bodies: unknown[] = []
  let answer: ReadAnswer = { verdict: 'read', error: null, body: undefined }
  const requests = (token: string) =>
    metricsRequests(
      slice.type,
      { post: slice.provider_post_id as string, placement: slice.placement },
      { token, version: version() },
    )
  for (let n = 0; answer.verdict === 'read' && n < requests('').length; n++) {
    answer = await readAccount(reader, (token) => requests(token)[n] as SocialRequest)
    bodies.push(answer.body)
  }
  const values = answer.verdict === 'read' ? metricValues(slice.type, bodies) : null
  if (!values) return setBack(slice, answer.verdict === 'read' ? noAnswer : answer)
  await transaction((em) => syncing.writeMetrics(em, slice, values, unixNow()))
  return false
}

/**
 * A slice, so that other stores have their turn, and other publications of this one. It ends after the page that is
 * being read.
 */
const sliceMs = 1_000

export const runSyncSlice = (itemId: string): Promise<void> =>
  beating(async () => {
    const until = performance.now() + sliceMs
    const slice = await statement((em) => syncing.sliceFacts(em, itemId))
    if (slice?.status !== 'pending') return
    const error = hindrance(slice)
    if (error) return transaction((em) => syncing.endItem(em, slice, 'failed', error))
    const reader: Reader = {
      connection: { id: slice.social_connection_id, tenant_id: slice.tenant_id, type: slice.type },
    }
    const goesOn = () => !draining.now && !reader.isPaused && performance.now() < until
    while (
      goesOn() &&
      (await (slice.phase === 'comments' ? readComments(slice, reader, goesOn) : readMetrics(slice, reader)))
    );
  })
