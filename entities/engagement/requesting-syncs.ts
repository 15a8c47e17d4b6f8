// Syncs that the API requests: which publications they read, and which they skip.
import type { EntityManager } from '@mikro-orm/postgresql'
import { hasComments } from '../../rules/engagement/metrics.ts'
import { threadBounds } from '../../rules/engagement/syncs.ts'
import { invalid } from '../../rules/refusal.ts'
import type { Placement } from '../../rules/social/networks/capability.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import { type ReadError, type ReadErrorCode, readError } from '../../rules/social/reads.ts'
import type { SocialConnectionStatus, SocialPublicationStatus } from '../../rules/social/resources.ts'
import { insertion, insertions } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import type { SocialComment } from './social-comment.ts'
import { SocialSync } from './social-sync.ts'
import { SocialSyncItem } from './social-sync-item.ts'

/** `ids` null: the newest ones. Bounds of one publication. */
export type Wanted = {
  ids: readonly string[] | null
  publications_max: number
  pages_max: number
  comments_max: number
  with_metrics: boolean
}

type Found = {
  id: string
  status: SocialPublicationStatus
  type: NetworkType
  provider_post_id: string | null
  placement: Placement | null
  social_connection_id: string
  connection_status: SocialConnectionStatus | null
}

const columns = sql`
  p.id, p.status, p.type, p.provider_post_id, p.content ->> 'placement' as placement, p.social_connection_id,
  c.status as connection_status
  from social_publications p
  left join social_connections c on c.id = p.social_connection_id and c.tenant_id = p.tenant_id
`

/** Finds publications in the order of the ids. 422 publication_unknown. */
async function named(em: EntityManager, tenantId: string, ids: readonly string[]): Promise<Found[]> {
  const rows: Found[] = await em.execute(
    sql`select ${columns} where p.tenant_id = ${tenantId} and p.id = any (${uuids(ids)})`,
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id, at) => {
    const row = byId.get(id)
    if (!row) throw invalid(`/publication_ids/${at}`, 'publication_unknown', 'The {store} has no such publication.')
    return row
  })
}

const newest = (em: EntityManager, tenantId: string, most: number): Promise<Found[]> =>
  em.execute(sql`
    select ${columns}
    where p.tenant_id = ${tenantId} and p.published_at is not null and p.status = 'published'
    order by p.published_at desc, p.id desc
    limit ${most}
  `)

/** Why a publication is not read; null if it is. */
function skipped(
  { status, type, provider_post_id, placement, connection_status }: Omit<Found, 'id' | 'social_connection_id'>,
  { isNamed, with_metrics }: { isNamed: boolean; with_metrics: boolean },
): ReadError | null {
  const code: ReadErrorCode | null =
    status !== 'published'
      ? 'publication_not_published'
      : provider_post_id === null
        ? 'post_unknown'
        : connection_status !== 'active'
          ? 'connection_needs_reconnect'
          : networks[type].bills_reads && !isNamed
            ? 'reads_billed'
            : !hasComments(placement) && !with_metrics
              ? 'comments_unsupported'
              : null
  return code && readError(code)
}

/** Returns the id of the sync; without a publication to read, it is completed. 422 publication_unknown. */
export async function requestSync(em: EntityManager, tenantId: string, wanted: Wanted, now: number): Promise<string> {
  const { ids, publications_max, ...bounds } = wanted
  const found = ids ? await named(em, tenantId, [...new Set(ids)]) : await newest(em, tenantId, publications_max)
  const items = found.map((one, position) => {
    const error = skipped(one, { isNamed: ids !== null, with_metrics: wanted.with_metrics })
    return {
      ...{ id: newId(), position, publication_id: one.id, social_connection_id: one.social_connection_id },
      ...{
        status: error ? ('skipped' as const) : ('pending' as const),
        phase: hasComments(one.placement) ? ('comments' as const) : ('metrics' as const),
        error,
      },
    }
  })
  const isOver = items.every(({ status }) => status === 'skipped')
  const common = { tenant_id: tenantId, created_at: now, updated_at: now }
  const id = newId()
  const sync = {
    ...common,
    ...bounds,
    id,
    kind: 'publications' as const,
    status: isOver ? ('completed' as const) : ('queued' as const),
  }
  await em.execute(insertion(em, SocialSync, { ...sync, tenant_id: tenantId, finished_at: isOver ? now : null }))
  if (items.length > 0)
    await em.execute(insertions(em, SocialSyncItem, { ...common, tenant_id: tenantId, sync_id: id }, items))
  if (!isOver) await start(em, 'social_sync', tenantId, { tenant_id: tenantId, awaited: true, signal: true })
  return id
}

/** What is known of the publication of a thread. */
export type ThreadOf = Pick<
  Found,
  'status' | 'type' | 'provider_post_id' | 'placement' | 'social_connection_id' | 'connection_status'
>

export async function publicationOfThread(
  em: EntityManager,
  tenantId: string,
  publicationId: string,
): Promise<ThreadOf | undefined> {
  const rows: ThreadOf[] = await em.execute(
    sql`select ${columns} where p.tenant_id = ${tenantId} and p.id = ${publicationId}`,
  )
  return rows[0]
}

/** Why the thread of a publication cannot be read; null if it can. The caller asks for it by opening the thread. */
export const threadError = (publication: ThreadOf): ReadError | null =>
  skipped(publication, { isNamed: true, with_metrics: false })

/** The sync of a thread that is open, or a new one. */
export async function requestThread(
  em: EntityManager,
  root: Pick<SocialComment, 'id' | 'tenant_id' | 'publication_id'>,
  connectionId: string,
  now: number,
): Promise<string> {
  const { tenant_id } = root
  const common = { tenant_id, created_at: now, updated_at: now }
  const bounds = { pages_max: threadBounds.pages, comments_max: threadBounds.comments, with_metrics: false }
  const id = newId()
  const made: unknown[] = await em.execute(sql`
    ${insertion(em, SocialSync, { ...common, ...bounds, tenant_id, id, kind: 'thread', root_comment_id: root.id })}
    on conflict (tenant_id, root_comment_id) where status in (
      'queued', 'running'
    ) and root_comment_id is not null do nothing
    returning id
  `)
  if (made.length === 0) {
    const [open]: { id: string }[] = await em.execute(sql`
      select id
      from social_syncs
      where tenant_id = ${tenant_id} and root_comment_id = ${root.id}
      order by id desc
      limit 1
    `)
    return open?.id ?? id
  }
  const item = {
    id: newId(),
    position: 0,
    publication_id: root.publication_id,
    social_connection_id: connectionId,
    status: 'pending' as const,
  }
  await em.execute(insertion(em, SocialSyncItem, { ...common, ...item, tenant_id, sync_id: id }))
  await start(em, 'social_sync', tenant_id, { tenant_id, awaited: true, signal: true })
  return id
}

type Shown = Pick<SocialSync, 'id' | 'status' | 'finished_at' | 'created_at'> & {
  items: Pick<SocialSyncItem, 'publication_id' | 'status' | 'new' | 'updated' | 'gone' | 'more' | 'error'>[]
}

/** A sync with its progress, of the tenant. */
export async function syncOf(em: EntityManager, tenantId: string, id: string): Promise<Shown | null> {
  const rows: Shown[] = await em.execute(sql`
    select s.id, s.status, s.finished_at, s.created_at,
      coalesce(
        (
          select jsonb_agg(
            jsonb_build_object(
              'publication_id', i.publication_id, 'status', i.status, 'new', i.new, 'updated', i.updated, 'gone',
              i.gone, 'more', i.more, 'error', i.error
            )
            order by i.position
          )
          from social_sync_items i
          where i.tenant_id = s.tenant_id and i.sync_id = s.id
        ),
        '[]'
      ) as items
    from social_syncs s
    where s.tenant_id = ${tenantId} and s.id = ${id} and s.kind = 'publications'
  `)
  return rows[0] ?? null
}
