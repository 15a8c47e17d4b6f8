// How a sync continues: one page after the other, each written with its cursor in one statement. A page that is written
// twice changes nothing.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { CommentPage, ProviderComment } from '../../rules/engagement/comment.ts'
import { completeSince, isNewestFirst, repliesGoWithRoot } from '../../rules/engagement/comment-pages.ts'
import {
  afterPage,
  pauseWaitedS,
  readPausesS,
  type SyncItemStatus,
  type SyncPhase,
} from '../../rules/engagement/syncs.ts'
import type { MetricValues, Placement } from '../../rules/social/networks/capability.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import type { ReadError } from '../../rules/social/reads.ts'
import type { SocialConnectionStatus, SocialPublicationStatus } from '../../rules/social/resources.ts'
import { insertion } from '../kit/database/insert.ts'
import { json, nothing, text as raw, type Sql, sql } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { lateRows } from '../kit/late-rows.ts'
import { classifiedDigest, eraseComments, placeReplies } from './comments.ts'
import { SocialMetric } from './social-metric.ts'

export type SliceStep =
  | { do: 'slice'; item_id: string; connection_id: string }
  | { do: 'wait'; wait_ms: number }
  | { do: 'done' }

/** At most so long does a store's workflow sleep; a pause of a connection may have been longer when it began. */
const waitMaxMs = 300_000

/** The end of the pause of reads: a pause of every call delays them, too. */
const pausedUntil = sql`greatest(c.paused_until, c.reads_paused_until)`

/**
 * The next slice of a store: threads first, as a person waits for them, then the sync that has waited longest. A
 * connection has one slice at a time: `busy` are those that have one. The sync is locked, and marked as served.
 */
export async function nextSlice(em: EntityManager, tenantId: string, busy: readonly string[]): Promise<SliceStep> {
  const paused = sql`
    case
      when ${pausedUntil} > extract(epoch from clock_timestamp()) + ${pauseWaitedS} then null
      else to_timestamp(${pausedUntil})
    end
  `
  const rows: { id: string; sync_id: string; connection_id: string; wait_ms: number }[] = await em.execute(sql`
    select i.id, i.sync_id, i.social_connection_id as connection_id, wait.wait_ms
    from social_sync_items i
    join social_syncs s on s.id = i.sync_id and s.tenant_id = i.tenant_id
    left join social_connections c on c.id = i.social_connection_id and c.tenant_id = i.tenant_id
    cross join lateral (
      select greatest(
        0, extract(epoch from greatest(i.due_at, ${paused}) - clock_timestamp()) * 1000
      )::float8 as wait_ms
    ) wait
    where i.tenant_id = ${tenantId} and i.status = 'pending' and i.social_connection_id <> all (${uuids(busy)})
    order by coalesce(wait.wait_ms, 0) > 0, s.kind <> 'thread', s.sliced_at nulls first, s.id, i.position
    limit 1
  `)
  const [next] = rows
  if (!next) return busy.length > 0 ? { do: 'wait', wait_ms: waitMaxMs } : { do: 'done' }
  if (next.wait_ms > 0) return { do: 'wait', wait_ms: Math.min(waitMaxMs, Math.ceil(next.wait_ms)) }
  await em.execute(sql`
    update social_syncs
    set sliced_at = clock_timestamp(), status = 'running'
    where tenant_id = ${tenantId} and id = ${next.sync_id} and status in ('queued', 'running')
  `)
  return { do: 'slice', item_id: next.id, connection_id: next.connection_id }
}

export type SliceFacts = {
  id: string
  sync_id: string
  tenant_id: string
  publication_id: string
  social_connection_id: string
  status: SyncItemStatus
  phase: SyncPhase
  cursor: string | null
  pages: number
  comments: number
  tries: number
  started_at: number
  pages_max: number
  comments_max: number
  with_metrics: boolean
  root_comment_id: string | null
  /** The network's id of the comment that the thread begins with. */
  root: string | null
  publication_status: SocialPublicationStatus
  type: NetworkType
  provider_post_id: string | null
  placement: Placement | null
  connection_status: SocialConnectionStatus | null
  provider_account_id: string
  username: string | null
  /** Unix seconds; null: it is not paused. */
  paused_until: number | null
}

/** Reads the facts of a slice. One statement. Undefined: the sync was deleted. */
export async function sliceFacts(em: EntityManager, itemId: string): Promise<SliceFacts | undefined> {
  const rows: SliceFacts[] = await em.execute(sql`
    select i.id, i.sync_id, i.tenant_id, i.publication_id, i.social_connection_id, i.status, i.phase, i.cursor, i.pages,
      i.comments, i.tries, s.pages_max, s.comments_max, s.with_metrics, s.root_comment_id,
      r.provider_comment_id as root, p.status as publication_status, p.type, p.provider_post_id,
      p.content ->> 'placement' as placement, c.status as connection_status, c.provider_account_id, c.username,
      coalesce(i.started_at, extract(epoch from clock_timestamp())::bigint)::float8 as started_at,
      case when ${pausedUntil} > extract(epoch from clock_timestamp()) then ${pausedUntil}::float8 end as paused_until
    from social_sync_items i
    join social_syncs s on s.id = i.sync_id and s.tenant_id = i.tenant_id
    join social_publications p on p.id = i.publication_id and p.tenant_id = i.tenant_id
    left join social_connections c on c.id = i.social_connection_id and c.tenant_id = i.tenant_id
    left join social_comments r on r.id = s.root_comment_id and r.tenant_id = i.tenant_id
    where i.id = ${itemId}
  `)
  return rows[0]
}

const nowSql = sql`extract(epoch from clock_timestamp())::bigint`

const rowOf = ({ parent: parent_provider_id, created_at: provider_created_at, ...comment }: ProviderComment) => ({
  ...{ ...comment, id: newId(), parent_provider_id, provider_created_at, text_digest: classifiedDigest(comment.text) },
})

/**
 * Makes rows of comments. The later of two comments of one second gets the later id: most listings begin with the
 * newest one.
 */
const rowsOf = (comments: readonly ProviderComment[], newestFirst: boolean) =>
  (newestFirst ? [...comments].reverse() : comments).map(rowOf)

const columns = {
  provider_comment_id: 'text',
  parent_provider_id: 'text',
  author: 'jsonb',
  text: 'text',
  text_digest: 'text',
  like_count: 'int',
  reply_count: 'int',
  own: 'boolean',
  provider_created_at: 'bigint',
}
const columnsAs = (write: (name: string, type: string) => string): Sql =>
  raw(
    Object.entries(columns)
      .map(([name, type]) => write(name, type))
      .join(', '),
  )
const names = columnsAs((name) => name)
const ofPage = columnsAs((name) => `x.${name}`)
const definitions = sql`id uuid, ${columnsAs((name, type) => `${name} ${type}`)}`

/**
 * Stores a page and where the next one begins, in one statement. After the last page of a listing that was read from
 * its beginning, the comments that it did not have are erased. Times are those of the database: the clocks of workers
 * may differ. False: another worker has written the page.
 */
export async function writePage(em: EntityManager, slice: SliceFacts, page: CommentPage): Promise<boolean> {
  const { tenant_id, publication_id, type, root_comment_id: root } = slice
  const after = afterPage(slice, page.comments.length, page.cursor)
  const kept = page.comments.slice(0, after.kept)
  const { status, phase, cursor, pages, comments } = after.next
  const scope = root === null ? sql`c.parent_provider_id is null` : sql`c.root_id = ${root}`
  const gone = after.ended
    ? sql`
      , erased_comments as (
        ${eraseComments(
          sql`
            c.tenant_id = ${tenant_id}
            and c.publication_id = ${publication_id}
            and ${scope}
            and c.gone_at is null
            and c.listed
            and c.synced_at < ${slice.started_at}
            and c.provider_created_at >= ${completeSince(type, slice.started_at)}
            and c.provider_comment_id not in (select provider_comment_id from page)
            and exists (select 1 from locked_item)
          `,
          repliesGoWithRoot(type) && root === null,
          { tenant_id, publication_id },
        )}
      )
    `
    : nothing
  // The item is locked and compared: of two workers with the same page one writes it.
  const rows: unknown[] = await em.execute(sql`
    with locked_item as materialized (
      select i.id
      from social_sync_items i
      where i.id = ${slice.id}
        and i.tenant_id = ${tenant_id}
        and i.status = 'pending'
        and i.phase = 'comments'
        and i.pages = ${slice.pages}
      for update
    ),
    page as materialized (
      select x.*
      from locked_item,
        jsonb_to_recordset(${json(rowsOf(kept, isNewestFirst(type, root !== null)))}) as x(${definitions})
    ),
    previous_comments as materialized (
      select (c.text_digest, c.text, c.like_count, c.reply_count, c.gone_at is null) is distinct from (
        x.text_digest, x.text, x.like_count, x.reply_count, true
      ) as changed
      from page x
      join social_comments c
        on c.tenant_id = ${tenant_id}
        and c.publication_id = ${publication_id}
        and c.provider_comment_id = x.provider_comment_id
    ),
    stored_comments as (
      insert into social_comments as c (id, created_at, updated_at, tenant_id, publication_id, synced_at, ${names})
      select x.id, ${nowSql}, ${nowSql}, ${tenant_id}, ${publication_id}, ${nowSql}, ${ofPage}
      from page x
      order by x.provider_comment_id
      on conflict (tenant_id, publication_id, provider_comment_id) do update
      set author = excluded.author, text = excluded.text, text_digest = excluded.text_digest,
        like_count = excluded.like_count, reply_count = excluded.reply_count, gone_at = null, listed = true,
        synced_at = excluded.synced_at, updated_at = excluded.updated_at,
        label = case when c.text_digest = excluded.text_digest then c.label end,
        sentiment = case when c.text_digest = excluded.text_digest then c.sentiment end,
        needs_reply = case when c.text_digest = excluded.text_digest then c.needs_reply end
    )
    ${gone}
    update social_sync_items i
    set cursor = ${cursor}, pages = ${pages}, comments = ${comments}, phase = ${phase}, status = ${status},
      more = ${after.more},
      new = i.new + (select count(*) from page)::int - (select count(*) from previous_comments)::int,
      updated = i.updated + (select count(*) from previous_comments where changed)::int,
      gone = i.gone + ${after.ended ? sql`(select count(*) from erased_comments where listed)::int` : sql`0`},
      tries = 0, error = null, due_at = null, started_at = ${slice.started_at}, updated_at = ${nowSql}
    from locked_item l
    where i.id = l.id
    returning i.id
  `)
  if (rows.length === 0) return false
  if (kept.some(({ parent }) => parent !== null)) await placeReplies(em, { tenant_id, publication_id })
  if (status === 'done' && root !== null)
    await em.execute(sql`
      update social_comments
      set thread_synced_at = ${nowSql}, synced_at = ${nowSql}
      where id = ${root} and tenant_id = ${tenant_id}
    `)
  if (status === 'done') await endSync(em, slice)
  return true
}

/** The sync ends with its last publication: it has failed if none could be read. */
async function endSync(
  em: EntityManager,
  { tenant_id, sync_id }: Pick<SliceFacts, 'tenant_id' | 'sync_id'>,
): Promise<void> {
  // Publications of other connections end at the same time. Without the lock, each transaction would see the other's
  // publication as pending, and none would end the sync.
  await em.execute(sql`
    select 1
    from social_syncs
    where id = ${sync_id} and tenant_id = ${tenant_id}
    for no key update
  `)
  await em.execute(sql`
    update social_syncs s
    set
      status = case
        when exists (
          select 1
          from social_sync_items d
          where d.tenant_id = s.tenant_id and d.sync_id = s.id and d.status = 'done'
        ) then 'completed'
        else 'failed'
      end,
      finished_at = ${nowSql}, updated_at = ${nowSql}
    where s.id = ${sync_id}
      and s.tenant_id = ${tenant_id}
      and s.status in ('queued', 'running')
      and not exists (
        select 1
        from social_sync_items i
        where i.tenant_id = s.tenant_id and i.sync_id = s.id and i.status = 'pending'
      )
  `)
}

/** Stores the figures of a publication, with which it is done. */
export async function writeMetrics(
  em: EntityManager,
  slice: SliceFacts,
  values: MetricValues,
  now: number,
): Promise<void> {
  const { tenant_id, publication_id } = slice
  const base = { id: newId(), tenant_id, created_at: now, updated_at: now }
  await em.execute(sql`
    ${insertion(em, SocialMetric, { ...base, publication_id, values, synced_at: now })}
    on conflict (tenant_id, publication_id) do update
    set values = excluded.values, synced_at = excluded.synced_at, updated_at = excluded.updated_at
  `)
  await em.execute(sql`
    update social_sync_items
    set status = 'done', updated_at = ${nowSql}
    where id = ${slice.id} and tenant_id = ${slice.tenant_id} and status = 'pending'
  `)
  await endSync(em, slice)
}

/** The publication is done, skipped or failed. */
export async function endItem(
  em: EntityManager,
  slice: SliceFacts,
  status: Exclude<SyncItemStatus, 'pending'>,
  error: ReadError | null,
): Promise<void> {
  await em.execute(sql`
    update social_sync_items
    set status = ${status}, error = ${json(error)}, cursor = null, updated_at = ${nowSql}
    where id = ${slice.id} and tenant_id = ${slice.tenant_id} and status = 'pending'
  `)
  await endSync(em, slice)
}

/** Comments are switched off for the post, which may have figures all the same. */
export const skipComments = (em: EntityManager, slice: SliceFacts, error: ReadError): Promise<unknown> =>
  em.execute(sql`
    update social_sync_items
    set phase = 'metrics', error = ${json(error)}, cursor = null, updated_at = ${nowSql}
    where id = ${slice.id} and tenant_id = ${slice.tenant_id} and status = 'pending'
  `)

/** A read failed: another one follows after a pause, or the publication is given up. */
export async function putOff(em: EntityManager, slice: SliceFacts, error: ReadError): Promise<void> {
  const pause = readPausesS[slice.tries]
  if (pause === undefined) return endItem(em, slice, 'failed', error)
  await em.execute(sql`
    update social_sync_items
    set tries = tries + 1, error = ${json(error)}, due_at = clock_timestamp() + make_interval(secs => ${pause}),
      updated_at = ${nowSql}
    where id = ${slice.id} and tenant_id = ${slice.tenant_id} and status = 'pending'
  `)
}

/** The comment that a thread begins with is gone at the network. */
export async function endRoot(em: EntityManager, slice: SliceFacts): Promise<void> {
  const { tenant_id, publication_id, root_comment_id: root, type } = slice
  if (root !== null) {
    const isRoot = sql`c.id = ${root} and c.tenant_id = ${tenant_id} and c.gone_at is null`
    await em.execute(sql`
      with erased_comments as (
        ${eraseComments(isRoot, repliesGoWithRoot(type), { tenant_id, publication_id })}
      )
      select count(*)
      from erased_comments
    `)
  }
  await endItem(em, slice, 'done', null)
}

/**
 * Stores with syncs that nothing has moved for `idleS` seconds: their workflow was lost. For the reconciler: of all
 * tenants.
 */
export const lateSyncs = lateRows({
  from: sql`
    (
      select s.tenant_id, s.tenant_id as id, min(coalesce(s.sliced_at, to_timestamp(s.created_at))) as moved_at
      from social_syncs s
      where s.status in ('queued', 'running')
      group by s.tenant_id
    ) x
  `,
  at: 'x.moved_at',
  type: 'timestamptz',
  where: ({ idleS }) => sql`x.moved_at < clock_timestamp() - make_interval(secs => ${idleS})`,
})
