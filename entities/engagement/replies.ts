// Replies to comments: requested once per id of the caller, stored as a comment of the thread when they are proved, and
// resolved by an operator if nothing proves them.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { type EffectStatus, sentOutcomes } from '../../rules/effects.ts'
import type { ProviderComment } from '../../rules/engagement/comment.ts'
import type { ReplyOutcome } from '../../rules/engagement/comments.ts'
import { answeredBy, type OpenReply, provenReplies } from '../../rules/engagement/replies.ts'
import { conflict, notFound, type Refusal } from '../../rules/refusal.ts'
import { type Decision, needsAttention, resolved } from '../../rules/resolutions.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import { typesWith } from '../../rules/social/networks/networks.ts'
import { SocialConnection } from '../connections/social-connection.ts'
import { insertion } from '../kit/database/insert.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { json, text as raw, sql } from '../kit/database/sql.ts'
import { effectRow, settleByProof } from '../kit/effects.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { concludeAgain } from '../kit/resolution.ts'
import { laterAssignment } from '../kit/resolutions.ts'
import { classifiedDigest } from './comments.ts'
import { SocialReply } from './social-reply.ts'

/**
 * A reply that is not sent for so long, because the network paused the account or the workers were away, is not sent
 * any more. Seconds.
 */
const late = raw('3600')

/**
 * A reply that was made is a comment of its thread, and the thread is answered. Its own listing may have stored it
 * before.
 */
async function storeComment(em: EntityManager, { id: effectId, ...reply }: SocialReply): Promise<void> {
  const { tenant_id, publication_id, comment_id, root_id, provider_comment_id, social_connection_id, text, reply_id } =
    reply
  if (!provider_comment_id) return
  const connection = await em.findOne(
    SocialConnection,
    { id: social_connection_id, tenant_id },
    { ...anyTenant, fields: ['provider_account_id', 'name', 'username'] },
  )
  const author = connection && {
    provider_id: connection.provider_account_id,
    name: connection.name,
    username: connection.username ?? null,
  }
  const at = sql`coalesce(extract(epoch from e.sent_at), e.created_at)::bigint`
  await em.execute(sql`
    insert into social_comments as c (
      id, tenant_id, created_at, updated_at, publication_id, provider_comment_id, parent_provider_id, parent_id,
      root_id, author, text, text_digest, own, reply_id, provider_created_at, listed, synced_at
    )
    select ${newId()}, e.tenant_id, extract(epoch from clock_timestamp())::bigint,
      extract(epoch from clock_timestamp())::bigint, ${publication_id}, ${provider_comment_id}, p.provider_comment_id,
      p.id, coalesce(p.root_id, p.id), ${json(author)}, ${text}, ${classifiedDigest(text)}, true, ${reply_id}, ${at},
      false, extract(epoch from clock_timestamp())::bigint
    from social_replies e
    join social_comments p on p.id = e.comment_id and p.tenant_id = e.tenant_id
    where e.id = ${effectId} and e.tenant_id = ${tenant_id} and e.comment_id = ${comment_id}
    on conflict (tenant_id, publication_id, provider_comment_id) do update
    set reply_id = excluded.reply_id, own = true
  `)
  await em.execute(sql`
    update social_comments
    set answered = true
    where id in (${root_id}, ${comment_id}) and tenant_id = ${tenant_id} and not answered
  `)
}

export const socialReplyEffect = effectRow('social_reply', {
  precondition: sql`
    e.created_at > extract(epoch from clock_timestamp()) - ${late}
    and exists (
      select 1
      from social_comments c
      where c.id = e.comment_id and c.tenant_id = e.tenant_id and c.gone_at is null
    )
    and exists (
      select 1
      from social_publications p
      where p.id = e.publication_id and p.tenant_id = e.tenant_id and p.status = 'published'
    )
    and exists (
      select 1
      from social_connections n
      where n.id = e.social_connection_id
        and n.tenant_id = e.tenant_id
        and n.status = 'active'
        and coalesce(n.paused_until, 0) < extract(epoch from clock_timestamp()) + ${late}
    )
    and not exists (select 1 from tenants t where t.id = e.tenant_id and t.status = 'ARCHIVED')
  `,
  async afterStatusChange(em, id) {
    const reply = await em.findOneOrFail(SocialReply, { id }, { ...anyTenant, refresh: true })
    if (reply.status === 'succeeded') await storeComment(em, reply)
  },
})

export type NewReply = {
  reply_id: string
  publication_id: string
  comment_id: string
  root_id: string
  social_connection_id: string
  type: SocialReply['type']
  text: string
  fingerprint: string
}

/** Requests a reply. Null: the store has a reply with this id. */
export async function requestReply(
  em: EntityManager,
  tenantId: string,
  given: NewReply,
  now: number,
): Promise<string | null> {
  const id = newId()
  const rows: unknown[] = await em.execute(sql`
    ${insertion(em, SocialReply, { ...given, id, tenant_id: tenantId, created_at: now, updated_at: now })}
    on conflict (tenant_id, reply_id) do nothing
    returning id
  `)
  if (rows.length === 0) return null
  await start(em, 'social_reply', id, { tenant_id: tenantId, awaited: true })
  return id
}

export type ReplyFacts = Pick<SocialReply, 'id' | 'tenant_id' | 'type' | 'text' | 'social_connection_id' | 'status'> & {
  container_id: string | null
  /** The network's ids. */
  comment: string
  root: string
  post: string | null
  account: string
  username: string | null
  paused_ms: number
  /** It was sent ten minutes ago. */
  late: boolean
  root_id: string
  publication_id: string
}

/** Undefined: its comment or publication was deleted. By the reply's own id. */
export async function replyFacts(em: EntityManager, id: string): Promise<ReplyFacts | undefined> {
  const rows: ReplyFacts[] = await em.execute(sql`
    select e.id, e.tenant_id, e.type, e.text, e.social_connection_id, e.status, e.container_id, e.root_id,
      e.publication_id, c.provider_comment_id as comment, r.provider_comment_id as root, p.provider_post_id as post,
      n.provider_account_id as account, n.username,
      greatest(0, (n.paused_until - extract(epoch from clock_timestamp())) * 1000)::float8 as paused_ms,
      coalesce(e.sent_at < clock_timestamp() - interval '595 seconds', false) as late
    from social_replies e
    join social_comments c on c.id = e.comment_id and c.tenant_id = e.tenant_id
    join social_comments r on r.id = e.root_id and r.tenant_id = e.tenant_id
    join social_publications p on p.id = e.publication_id and p.tenant_id = e.tenant_id
    join social_connections n on n.id = e.social_connection_id and n.tenant_id = e.tenant_id
    where e.id = ${id}
  `)
  return rows[0]
}

/** It is not the first attempt: an earlier one may have been answered with a limit or a refused token. */
export async function isRepeated(em: EntityManager, tenantId: string, id: string): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    sql`select 1 from social_replies where id = ${id} and tenant_id = ${tenantId} and attempt > 1`,
  )
  return rows.length > 0
}

/** The hidden reply of network e, before the call that makes it visible. */
export const keepContainer = (em: EntityManager, id: string, container: string): Promise<unknown> =>
  em.execute(sql`update social_replies set container_id = ${container} where id = ${id}`)

/** The thread was read since the reply became unknown. */
export const markLooked = (em: EntityManager, id: string): Promise<unknown> =>
  em.execute(sql`
    update social_replies
    set looked_at = clock_timestamp()
    where id = ${id} and status = 'unknown'
  `)

type Thread = { tenant_id: string; root_id: string; social_connection_id: string }
type Found = Pick<ProviderComment, 'provider_comment_id' | 'text' | 'own' | 'created_at' | 'parent'>

/** The networks where the refusal of one attempt may mean that an earlier one had an effect. */
const duplicateTypes = raw(
  typesWith(({ refusals }) => refusals.mayBeDuplicate !== undefined)
    .map((type) => `'${type}'`)
    .join(', '),
)

/**
 * Settles the open replies of a thread that its comments prove. Two searches of an account take turns: a comment proves
 * one reply.
 */
export async function proveReplies(
  em: EntityManager,
  { tenant_id, root_id, social_connection_id }: Thread,
  found: readonly Found[],
): Promise<void> {
  const own = found.filter((one) => one.own)
  if (own.length === 0) return
  // Searches of the account wait for each other at this lock.
  await em.execute(sql`
    select 1
    from social_connections
    where id = ${social_connection_id} and tenant_id = ${tenant_id}
    for no key update
  `)
  const rows: (Omit<OpenReply, 'answers'> & { type: NetworkType; comment: string })[] = await em.execute(sql`
    select e.id, e.text, e.type, c.provider_comment_id as comment,
      extract(epoch from e.deadline_at)::float8 as deadline_at,
      case
        when e.type in (${duplicateTypes}) and e.attempt > 1 then e.created_at
        else extract(epoch from e.sent_at)
      end::float8 as sent_at
    from social_replies e
    join social_comments c on c.id = e.comment_id and c.tenant_id = e.tenant_id
    where e.root_id = ${root_id}
      and e.tenant_id = ${tenant_id}
      and e.sent_at is not null
      and (
        e.status in ('processing', 'unknown')
        or e.status = 'succeeded' and e.provider_comment_id is null
        or e.status = 'rejected' and e.resolution is not null
      )
  `)
  if (rows.length === 0) return
  const otherReplies: { id: string }[] = await em.execute(sql`
    select provider_comment_id as id
    from social_replies
    where social_connection_id = ${social_connection_id}
      and tenant_id = ${tenant_id}
      and provider_comment_id in (select jsonb_array_elements_text(${json(own.map((one) => one.provider_comment_id))}))
  `)
  const open = rows.map(({ type, comment, ...reply }) => ({ ...reply, answers: answeredBy(type, comment) }))
  const proven = provenReplies(open, own, new Set(otherReplies.map(({ id }) => id)))
  for (const { id, provider_comment_id } of proven) {
    const columns = { provider_comment_id }
    if (
      await settleByProof(em, socialReplyEffect, id, { status: 'succeeded', evidence: { proof: 'thread' }, columns }, [
        'unknown',
      ])
    )
      continue
    // An operator resolved it as rejected: it needs attention again.
    const late = { status: 'succeeded', proof: 'thread', provider_comment_id }
    const contradicted: unknown[] = await em.execute(sql`
      update social_replies e
      set ${laterAssignment('e', sql`answer.next`)}, updated_at = extract(epoch from clock_timestamp())::bigint
      from (select ${json(late)} as next) answer
      where e.id = ${id} and e.tenant_id = ${tenant_id} and e.status = 'rejected' and e.resolution is not null
      returning e.id
    `)
    if (contradicted.length > 0) continue
    // The answer broke off after its status: it had no id.
    await em.execute(sql`
      update social_replies
      set provider_comment_id = ${provider_comment_id}
      where id = ${id} and tenant_id = ${tenant_id} and status = 'succeeded' and provider_comment_id is null
    `)
    await storeComment(em, await em.findOneOrFail(SocialReply, { id, tenant_id }, { ...anyTenant, refresh: true }))
  }
}

/** Whether a reply is looked for: its outcome or its id is not known. By its own id. */
export async function soughtReply(em: EntityManager, id: string): Promise<{ status: EffectStatus; sought: boolean }> {
  const [found]: { status: EffectStatus; sought: boolean }[] = await em.execute(sql`
    select status, (status = 'unknown' or status = 'succeeded' and provider_comment_id is null) as sought
    from social_replies
    where id = ${id}
  `)
  return found ?? { status: 'failed', sought: false }
}

/** The network says of what it was to publish that it is published, or that it never was. */
export const settleContainer = (em: EntityManager, id: string, status: ReplyOutcome): Promise<boolean> =>
  settleByProof(
    em,
    socialReplyEffect,
    id,
    {
      status,
      evidence: { proof: 'container' },
      ...(status === 'rejected'
        ? { error: { code: 'not_published', message: 'The network has not published the reply.' } }
        : {}),
    },
    ['unknown'],
  )

/**
 * A reply that an operator called succeeded was not made: the comment that was stored for it is none. One that the
 * network listed stays.
 */
async function dropComment(
  em: EntityManager,
  { tenant_id, publication_id, comment_id, root_id, reply_id }: SocialReply,
): Promise<void> {
  await em.execute(sql`
    delete from social_comments
    where tenant_id = ${tenant_id}
      and publication_id = ${publication_id}
      and reply_id = ${reply_id}
      and own
      and not listed
  `)
  await em.execute(sql`
    update social_comments c
    set answered = exists (
      select 1
      from social_comments o
      where o.tenant_id = c.tenant_id and o.own and (o.root_id = c.id or o.parent_id = c.id)
    )
    where c.id in (${root_id}, ${comment_id}) and c.tenant_id = ${tenant_id}
  `)
}

const notUnknown = (status: string): Refusal =>
  conflict('reply_not_unknown', `The reply is ${status}. Only an unknown reply can be resolved.`)

/**
 * An operator records the outcome of an unknown reply, or corrects it. Returns the reply as it is if it has this
 * outcome already. 404 not_found, 409 reply_not_unknown, comment_taken, contradicts_evidence, resolved_otherwise,
 * resolved_too_often.
 */
export async function resolveReply(
  em: EntityManager,
  where: { publication_id: string; comment_id: string; reply_id: string },
  { provider_comment_id, ...decision }: Decision<ReplyOutcome> & { provider_comment_id: string | null },
  now: number,
): Promise<SocialReply> {
  const reply = await em.findOne(SocialReply, where, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!reply) throw notFound('reply')
  const { status, resolution, evidence, late_evidence } = reply
  if (resolution?.outcome === decision.outcome && status === decision.outcome && !needsAttention(reply)) return reply
  if (status !== 'unknown' && !resolution) throw notUnknown(status)
  const outcome = resolved(decision, [evidence, late_evidence], resolution, now)
  if (provider_comment_id !== null) {
    const other = await em.findOne(
      SocialReply,
      { social_connection_id: reply.social_connection_id, provider_comment_id, id: { $ne: reply.id } },
      { fields: ['id'] },
    )
    if (other) throw conflict('comment_taken', 'Another reply has made this comment.')
  }
  const isMade = decision.outcome === 'succeeded'
  if (!isMade && reply.provider_comment_id) await dropComment(em, reply)
  const columns = {
    ...(isMade && provider_comment_id === null ? {} : { provider_comment_id }),
    resolution: JSON.stringify(outcome),
  }
  const settlement = {
    status: decision.outcome,
    evidence: (evidence as Record<string, unknown> | null) ?? {},
    resolved: true as const,
    columns,
  }
  if (!(await settleByProof(em, socialReplyEffect, reply.id, settlement, sentOutcomes))) throw notUnknown(status)
  await concludeAgain(em, socialReplyEffect, reply.id)
  return em.refreshOrFail(reply)
}
