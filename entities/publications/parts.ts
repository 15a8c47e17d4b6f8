// A part is made by one worker at a time, under a lease; what the network calls it is committed before the next call.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type PartRef, type PartState, partLeaseS, partPauseS, partTriesMax } from '../../rules/publications/parts.ts'
import type { PublicationError } from '../../rules/social/publication-errors.ts'
import { SocialConnection } from '../connections/social-connection.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { json, sql } from '../kit/database/sql.ts'
import { encrypt } from '../kit/encrypted.ts'
import { type MediaFile, mediaFilesOf } from './media-facts.ts'
import { SocialPart } from './social-part.ts'
import { SocialPublication } from './social-publication.ts'

export const refOf = ({ ref }: Pick<SocialPart, 'ref'>): PartRef =>
  typeof ref === 'string' ? (JSON.parse(ref) as PartRef) : {}

/** `others`: refs of the parts before it. */
export type ClaimedPart = {
  part: SocialPart
  publication: SocialPublication
  connection: SocialConnection
  file: MediaFile | null
  others: PartRef[]
}

/**
 * Names an attempt; those of one activity begin alike, and a later one takes over from an earlier one, which is dead or
 * has lost its lease.
 */
export type Lease = { activity: string; attempt: number }
const nameOf = ({ activity, attempt }: Lease): string => `${activity}/${attempt}`

/** Undefined: another worker makes it, a pause has not passed, or it is not made any more. */
export async function claimPart(
  em: EntityManager,
  id: string,
  lease: Lease,
  wanted: 'make' | 'drop',
): Promise<ClaimedPart | undefined> {
  const open =
    wanted === 'make'
      ? sql`s.state in ('new', 'made') and p.status in ('scheduled', 'publishing') and s.run = p.run`
      : sql`s.ref is not null`
  const rows: unknown[] = await em.execute(sql`
    update social_parts s
    set lease = ${nameOf(lease)}, lease_until = clock_timestamp() + make_interval(secs => ${partLeaseS})
    from social_publications p
    where s.id = ${id}
      and p.id = s.publication_id
      and p.tenant_id = s.tenant_id
      and ${open}
      and (
        coalesce(s.lease_until, clock_timestamp()) <= clock_timestamp()
        or starts_with(s.lease, ${`${lease.activity}/`})
      )
      and coalesce(s.look_at, clock_timestamp()) <= clock_timestamp()
    returning s.id
  `)
  if (rows.length === 0) return undefined
  const part = await em.findOneOrFail(SocialPart, { id }, { ...anyTenant, refresh: true })
  const publication = await em.findOneOrFail(SocialPublication, { id: part.publication_id as string }, anyTenant)
  const connection = await em.findOneOrFail(SocialConnection, { id: publication.social_connection_id }, anyTenant)
  const [file] = part.media_id ? await mediaFilesOf(em, part.tenant_id, [part.media_id]) : []
  const others = await em.find(
    SocialPart,
    { publication_id: publication.id, run: part.run, position: { $lt: part.position } },
    { ...anyTenant, orderBy: { position: 'asc' } },
  )
  return { part, publication, connection, file: file ?? null, others: others.map(refOf) }
}

/** `keeps`: the lease, for the next call. */
export type PartChange = {
  state: PartState
  ref: PartRef | null
  bytes: number
  usable: boolean
  lives_s?: number | undefined
  wait_s: number
  error: PublicationError | null
  tries: number
  keeps: boolean
}

/** Writes a part under its lease. False: the lease was lost, and nothing is written. */
export async function writePart(
  em: EntityManager,
  { id, tenant_id }: Pick<SocialPart, 'id' | 'tenant_id'>,
  lease: Lease,
  to: PartChange,
): Promise<boolean> {
  const expires =
    to.ref === null
      ? sql`null`
      : to.lives_s === undefined
        ? sql`expires_at`
        : sql`clock_timestamp() + make_interval(secs => ${to.lives_s})`
  const until = to.keeps ? sql`clock_timestamp() + make_interval(secs => ${partLeaseS})` : sql`null`
  const rows: unknown[] = await em.execute(sql`
    update social_parts
    set state = ${to.state}, ref = ${to.ref === null ? null : encrypt(JSON.stringify(to.ref))}, bytes = ${to.bytes},
      usable = ${to.usable}, expires_at = ${expires}, error = ${json(to.error)}, tries = ${to.tries},
      lease_until = ${until},
      look_at = ${to.wait_s > 0 ? sql`clock_timestamp() + make_interval(secs => ${to.wait_s})` : null},
      updated_at = extract(epoch from clock_timestamp())::bigint
    where id = ${id} and tenant_id = ${tenant_id} and lease = ${nameOf(lease)}
    returning id
  `)
  return rows.length > 0
}

/** The try brought nothing: another one after a pause, unless it was the last. */
export const triedAgain = (
  { tries, state, ref, bytes, usable }: SocialPart,
  error: PublicationError,
  pause_s = 0,
): PartChange => {
  const last = tries + 1 >= partTriesMax
  return {
    ...{
      state: last ? 'failed' : state,
      ref: ref === null || ref === undefined ? null : refOf({ ref }),
      bytes,
      usable,
      error,
      tries: tries + 1,
      keeps: false,
    },
    wait_s: Math.max(pause_s, partPauseS(tries + 1)),
  }
}

/** What was to be deleted is gone. */
export const droppedPart = (em: EntityManager, { id, tenant_id }: Pick<SocialPart, 'id' | 'tenant_id'>, lease: Lease) =>
  em.execute(sql`
    delete from social_parts
    where id = ${id} and tenant_id = ${tenant_id} and lease = ${nameOf(lease)}
  `)

/** Gives the part back, untried: it is made when the connection has a token again, or the network accepts calls. */
export const releasePart = (
  em: EntityManager,
  { id, tenant_id }: Pick<SocialPart, 'id' | 'tenant_id'>,
  lease: Lease,
  waitS: number,
) =>
  em.execute(sql`
    update social_parts
    set lease_until = null, look_at = clock_timestamp() + make_interval(secs => ${waitS})
    where id = ${id} and tenant_id = ${tenant_id} and lease = ${nameOf(lease)}
  `)
