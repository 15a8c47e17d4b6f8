// The row of a file is written before its first byte is stored, shown when the file can be read, and deleted after its
// last byte.
import type { EntityManager } from '@mikro-orm/postgresql'
import { hasVariants, type VariantName, VisibleMediaStatus } from '../../rules/content/media.ts'
import type { MovieFacts } from '../../rules/content/movie.ts'
import { BucketAway } from '../../rules/content/storage-errors.ts'
import { conflict, notFound } from '../../rules/refusal.ts'
import { mediaWords } from '../../rules/search/search-texts.ts'
import { json, sql } from '../kit/database/sql.ts'
import { newId, newIdSql, uuids } from '../kit/ids.ts'
import { lateRows } from '../kit/late-rows.ts'
import { startAll } from '../kit/outbox.ts'
import { Media, type MediaVariant } from './media.ts'
import { searchOf } from './named.ts'
import { lockOwners, removeReferences } from './removals.ts'

/** `movie`: of a video. */
export type NewFile = { name: string; mime_type: string; size: number; digest: string; movie?: MovieFacts | undefined }
export type Variants = Partial<Record<VariantName, MediaVariant>>

/** States that the API shows. */
export const seen = VisibleMediaStatus.options

/** Writes the rows of files. One statement for all files; returns them in their order. */
export async function writeMedia(
  em: EntityManager,
  tenantId: string,
  files: readonly NewFile[],
  now: number,
): Promise<Media[]> {
  const rows = files.map((file) => {
    const { name, mime_type, size, digest, movie } = file
    const original: MediaVariant = { mime_type, size, digest, width: null, height: null, ...movie }
    return em.create(Media, {
      id: newId(),
      tenant_id: tenantId,
      created_at: now,
      updated_at: now,
      name,
      mime_type,
      family: mime_type.split('/')[0] as string,
      size,
      digest,
      status: 'uploading',
      variants: { original },
      search: searchOf(mediaWords({ name })),
    })
  })
  await em.flush()
  return rows
}

/**
 * The bytes are stored: images are processed, other files are ready. BucketAway: storing took so long that the rows
 * were swept.
 */
export async function mediaKept(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
  now: number,
): Promise<Media[]> {
  const rows = await em.find(Media, { id: { $in: ids as string[] }, status: 'uploading' }, { orderBy: { id: 'asc' } })
  if (rows.length !== ids.length) throw new BucketAway(new Error('files were swept while they were kept'))
  for (const row of rows)
    em.assign(row, { status: hasVariants(row.mime_type) ? 'processing' : 'ready', updated_at: now })
  await em.flush()
  const images = rows.filter(({ status }) => status === 'processing').map(({ id }) => id)
  await startAll(em, 'media', images, { tenant_id: tenantId, awaited: true })
  return ids.map((id) => rows.find((row) => row.id === id) as Media)
}

export function renameMedia(em: EntityManager, media: Media, name: string, now: number): Promise<void> {
  em.assign(media, { name, search: searchOf(mediaWords({ name })), updated_at: now })
  return em.flush()
}

/**
 * Refuses the deletion of a file that a scheduled publication needs. 409 `referenced` with up to ten publications that
 * are scheduled with the file. It is locked: none is scheduled with it from here on.
 */
async function refuseScheduled(em: EntityManager, tenantId: string, id: string): Promise<void> {
  const publications: { id: string }[] = await em.execute(sql`
    select publication_id as id
    from publication_media
    where tenant_id = ${tenantId} and media_id = ${id}
    order by publication_id
    limit 10
  `)
  if (publications.length === 0) return
  const referenced_by = publications.map((one) => ({ kind: 'social_publication', ...one }))
  throw conflict(
    'referenced',
    `It is needed by ${publications.length === 1 ? 'a publication that is' : 'publications that are'} scheduled.`,
    {
      members: { referenced_by },
    },
  )
}

/** Marks a file for deletion. 409 `referenced`. The bytes are deleted before the row. */
export async function deleteMedia(em: EntityManager, tenantId: string, id: string, now: number): Promise<void> {
  const going = { media: [id] }
  const owners = await lockOwners(em, tenantId, going)
  // Locked after its owners: a new reference, which locks the file `for key share`, waits and finds none.
  const rows: unknown[] = await em.execute(sql`
    select id
    from media
    where tenant_id = ${tenantId} and id = ${id} and status in ('processing', 'ready', 'failed')
    for update
  `)
  if (rows.length === 0) throw notFound('media')
  await removeReferences(em, tenantId, going, owners, now)
  await refuseScheduled(em, tenantId, id)
  await em.execute(sql`
    update media
    set status = 'deleting', updated_at = ${now}
    where tenant_id = ${tenantId} and id = ${id}
  `)
  await startAll(em, 'media', [id], { tenant_id: tenantId })
}

/** Deletes the files of a request that failed. A file that is referred to already stays. */
export async function undoMedia(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
  now: number,
): Promise<void> {
  // Locked by id, the order in which a record locks the files that it refers to.
  await em.execute(sql`
    select id
    from media
    where tenant_id = ${tenantId} and id = any (${uuids(ids)})
    order by id
    for update
  `)
  const deletedRows: { id: string }[] = await em.execute(sql`
    update media m
    set status = 'deleting', updated_at = ${now}
    where m.tenant_id = ${tenantId}
      and m.id = any (${uuids(ids)})
      and not exists (select 1 from block_references r where r.tenant_id = m.tenant_id and r.media_id = m.id)
    returning m.id
  `)
  await startAll(
    em,
    'media',
    deletedRows.map(({ id }) => id),
    { tenant_id: tenantId },
  )
}

export type ServedMedia = { id: string; tenant_id: string; name: string; variants: Variants }

/**
 * A file that is ready is public under its address, also in an archived store, because sent mails show it. By the
 * primary key.
 */
export async function servedMedia(em: EntityManager, id: string): Promise<ServedMedia | undefined> {
  const rows: ServedMedia[] = await em.execute(
    sql`select id, tenant_id, name, variants from media where id = ${id} and status = 'ready'`,
  )
  return rows[0]
}

/** Media of all tenants with stored files, by id. */
export const keptMedia = (em: EntityManager, after: string, limit: number): Promise<Omit<ServedMedia, 'name'>[]> =>
  em.execute(sql`
    select id, tenant_id, variants
    from media
    where id > ${after} and status in ('processing', 'ready', 'failed')
    order by id
    limit ${limit}
  `)

export type DueMedia = { id: string; tenant_id: string; status: Media['status']; variants: Variants }

/** The row that a media process handles; undefined: it is deleted. */
export async function dueMedia(em: EntityManager, id: string): Promise<DueMedia | undefined> {
  const rows: DueMedia[] = await em.execute(sql`select id, tenant_id, status, variants from media where id = ${id}`)
  return rows[0]
}

/** Records the end of a file's processing. False: it is not being processed any more. */
export async function finishMedia(
  em: EntityManager,
  { id, tenant_id }: DueMedia,
  end: { variants: Variants } | { error: { code: string; message: string } },
  now: number,
): Promise<boolean> {
  const [status, variants, error] = 'variants' in end ? ['ready', end.variants, null] : ['failed', null, end.error]
  const rows: unknown[] = await em.execute(sql`
    update media
    set status = ${status}, variants = coalesce(${json(variants)}, variants), error = ${json(error)},
      updated_at = ${now}
    where tenant_id = ${tenant_id} and id = ${id} and status = 'processing'
    returning id
  `)
  return rows.length > 0
}

/**
 * Another file of one that is ready. The variant that the row has then, which may be an earlier one; undefined: the row
 * is not ready any more.
 */
export async function addVariant(
  em: EntityManager,
  { id, tenant_id }: { id: string; tenant_id: string },
  name: VariantName,
  variant: MediaVariant,
  now: number,
): Promise<MediaVariant | undefined> {
  const rows: { variants: Variants }[] = await em.execute(sql`
    with updated_media as (
      update media
      set variants = variants || ${json({ [name]: variant })}, updated_at = ${now}
      where tenant_id = ${tenant_id} and id = ${id} and status = 'ready' and variants -> ${name} is null
      returning variants
    )
    select variants
    from updated_media
    union all
    select variants
    from media
    where tenant_id = ${tenant_id} and id = ${id} and status = 'ready' and variants -> ${name} is not null
  `)
  return rows[0]?.variants[name]
}

/** Deletes the row, after the bytes. */
export const forgetMedia = (em: EntityManager, { id, tenant_id }: DueMedia) =>
  em.execute(sql`delete from media where tenant_id = ${tenant_id} and id = ${id} and status = 'deleting'`)

/**
 * Up to `limit` files of a tenant that is being erased, which no process stores or reads any more: their bytes are
 * deleted, and then their rows.
 */
export async function eraseMedia(
  em: EntityManager,
  tenantId: string,
  limit: number,
  now: number,
): Promise<{ id: string; tenant_id: string }[]> {
  // Locked by id, the order in which a record locks the files that it refers to.
  return em.execute(sql`
    update media
    set status = 'deleting', updated_at = ${now}
    where tenant_id = ${tenantId}
      and id = any (
        array(
          select id
          from media
          where tenant_id = ${tenantId}
            and (status in ('ready', 'failed', 'deleting') or status = 'uploading' and updated_at <= ${now - hour})
          order by id
          limit ${limit}
          for update
        )
      )
    returning id, tenant_id
  `)
}

/** Unfinished media without a running process, of all tenants. */
export const lateMedia = lateRows({
  from: sql`media x`,
  at: 'x.updated_at',
  type: 'bigint',
  where: ({ idleS }) => sql`
    x.status <> 'ready'
    and x.status in ('processing', 'deleting')
    and x.updated_at < extract(epoch from clock_timestamp()) - ${idleS}
  `,
})

const hour = 3_600

/**
 * Deletes uploads that did not finish within an hour, and failed files after a day, in small batches. Returns how many.
 */
export async function sweepMedia(em: EntityManager, now: number): Promise<number> {
  // Files that another transaction has locked are skipped: a later round finds them.
  const { affectedRows } = await em.execute<{ affectedRows: number }>(
    sql`
      with stale_media as (
        select id, tenant_id
        from media m
        where status <> 'ready'
          and (
            status = 'uploading' and updated_at < ${now - hour}
            or status = 'failed' and updated_at < ${now - 24 * hour}
          )
          and not exists (select 1 from block_references r where r.tenant_id = m.tenant_id and r.media_id = m.id)
        order by updated_at
        limit 500
        for update skip locked
      ),
      deleting_media as (
        update media m
        set status = 'deleting', updated_at = ${now}
        from stale_media
        where m.id = stale_media.id and m.tenant_id = stale_media.tenant_id
        returning m.id, m.tenant_id
      )
      insert into outbox (id, tenant_id, kind, row_id, not_before, tries, parked)
      select ${newIdSql}, tenant_id, 'media', id, clock_timestamp(), 0, false
      from deleting_media
    `,
    [],
    'run',
  )
  return affectedRows
}
