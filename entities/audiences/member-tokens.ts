// Tokens of members' links. The value is shown to the contact only, never logged or published; a request finds it by
// its digest.
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { CONFIRM_DAYS } from '../../rules/audiences/memberships.ts'
import { insertion, insertions, insertSelect } from '../kit/database/insert.ts'
import { json, type Sql, sql } from '../kit/database/sql.ts'
import { decrypt, encrypt } from '../kit/encrypted.ts'
import { newId, uuids } from '../kit/ids.ts'
import { randomOf } from '../kit/random.ts'
import { MemberToken, type TokenScope } from './member-token.ts'

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex')
const newValue = (): string => `till_ml_${randomOf(32).toString('base64url')}`

/**
 * `address`: where a `confirm` or `unsubscribe` token was mailed to. `enrollment_id`: that of the campaign's message
 * with the link; without a member the contact was named itself.
 */
export type Link = {
  tenant_id: string
  member_id: string | null
  enrollment_id: string | null
  scope: TokenScope
  address: string | null
}
export type MemberLink = Link & { member_id: string }

/** Reads the link of a token. Null for an unknown or expired token. `now` in Unix seconds. */
export async function linkOfToken(em: EntityManager, token: string, now: number): Promise<Link | null> {
  const [found]: Link[] = await em.execute(sql`
    select tenant_id, member_id, enrollment_id, scope, address
    from member_tokens
    where digest = ${digestOf(token)}
      and (expires_at is null or expires_at > ${now})
      and not exists (select 1 from tenants t where t.id = member_tokens.tenant_id and t.erasing_at is not null)
  `)
  return found ?? null
}

/**
 * `insert into … select …` of the token of a new member's page; continues with `from`, a relation with the member's id
 * as `id`.
 */
export function manageToken(em: EntityManager, tenantId: string, now: number): Sql {
  const value = newValue()
  const managing = {
    id: newId(),
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    member_id: sql`id`,
    scope: 'manage' as const,
  }
  return insertSelect(em, MemberToken, { ...managing, digest: digestOf(value), value })
}

/** The tokens of the pages of many new members. One statement. */
export async function addManageTokens(
  em: EntityManager,
  tenantId: string,
  memberIds: readonly string[],
  now: number,
): Promise<void> {
  if (memberIds.length === 0) return
  const rows = memberIds.map((member_id) => {
    const value = newValue()
    return { id: newId(), member_id, digest: digestOf(value), value }
  })
  const same = { tenant_id: tenantId, created_at: now, updated_at: now, scope: 'manage' as const }
  await em.execute(insertions(em, MemberToken, same, rows))
}

/** The ids of the links to the pages of a contact's memberships. */
export async function manageLinksOf(em: EntityManager, tenantId: string, contactId: string): Promise<string[]> {
  const rows: { id: string }[] = await em.execute(sql`
    select t.id
    from member_tokens t
    join audience_members m on m.id = t.member_id and m.tenant_id = t.tenant_id
    where t.tenant_id = ${tenantId} and m.contact_id = ${contactId} and t.scope = 'manage'
  `)
  return rows.map(({ id }) => id)
}

/**
 * These links to the pages of memberships end, and the memberships get others: the contact has records of a person from
 * now on who may not be the one that knows the links. Two statements, if there are any.
 */
export async function replaceLinks(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
  now: number,
): Promise<void> {
  if (ids.length === 0) return
  const ended: { member_id: string }[] = await em.execute(sql`
    delete from member_tokens
    where tenant_id = ${tenantId} and id = any (${uuids(ids)})
    returning member_id
  `)
  await addManageTokens(em, tenantId, [...new Set(ended.map(({ member_id }) => member_id))], now)
}

/**
 * The token that confirms a pending membership, for an e-mail to `address`. While the membership waits, a repeated
 * e-mail has the same link, which is valid for another seven days; a token of an earlier request, or for another
 * address, is deleted. Must be called under the member's lock. `now` in Unix seconds.
 */
export async function confirmToken(
  em: EntityManager,
  tenantId: string,
  { member_id, address, isNew }: { member_id: string; address: string; isNew: boolean },
  now: number,
): Promise<{ token: string; expires_at: number }> {
  const expires_at = now + CONFIRM_DAYS * 86_400
  const mine = sql`tenant_id = ${tenantId} and member_id = ${member_id} and scope = 'confirm'`
  if (!isNew) {
    const [kept]: { value: string }[] = await em.execute(sql`
      update member_tokens
      set expires_at = ${expires_at}, updated_at = ${now}
      where ${mine} and address = ${address}
      returning value
    `)
    if (kept) return { token: decrypt(kept.value), expires_at }
  }
  await em.execute(sql`delete from member_tokens where ${mine}`)
  const token = newValue()
  const confirming = {
    id: newId(),
    tenant_id: tenantId,
    created_at: now,
    updated_at: now,
    member_id,
    scope: 'confirm' as const,
    address,
    expires_at,
  }
  await em.execute(insertion(em, MemberToken, { ...confirming, digest: digestOf(token), value: token }))
  return { token, expires_at }
}

/** Tokens of enrollments that have one. */
async function tokensOf(
  em: EntityManager,
  tenantId: string,
  enrollmentIds: readonly string[],
): Promise<Map<string, string>> {
  const rows: { enrollment_id: string; value: string }[] = await em.execute(sql`
    select enrollment_id, value
    from member_tokens
    where tenant_id = ${tenantId} and enrollment_id = any (${uuids(enrollmentIds)})
  `)
  return new Map(rows.map(({ enrollment_id, value }) => [enrollment_id, decrypt(value)]))
}

/**
 * The tokens that unsubscribe these enrollments, by the enrollment's id: one for each, which all its messages have,
 * with the address that they are sent to. Two statements where some have none yet, three if another transaction makes
 * them at this moment, however many enrollments. `now` in Unix seconds.
 */
export async function unsubscribeTokens(
  em: EntityManager,
  tenantId: string,
  enrollmentIds: readonly string[],
  now: number,
): Promise<Map<string, string>> {
  const tokens = await tokensOf(em, tenantId, enrollmentIds)
  const made = new Map(enrollmentIds.filter((id) => !tokens.has(id)).map((id) => [id, newValue()]))
  if (made.size === 0) return tokens
  const rows = [...made].map(([enrollment_id, value]) => ({
    id: newId(),
    enrollment_id,
    digest: digestOf(value),
    value: encrypt(value),
  }))
  // A member that is deleted meanwhile takes its tokens along; one that was deleted before has none.
  const written: { enrollment_id: string }[] = await em.execute(sql`
    insert into member_tokens (
      id, tenant_id, created_at, updated_at, member_id, enrollment_id, scope, digest, value, address
    )
    select x.id, enrollment.tenant_id, ${now}, ${now}, m.id, enrollment.id, 'unsubscribe', x.digest, x.value,
      enrollment.address
    from jsonb_to_recordset(${json(rows)}) as x(id uuid, enrollment_id uuid, digest text, value text)
    cross join lateral (
      select e.id, e.tenant_id, e.member_id, e.address
      from enrollments e
      where e.id = x.enrollment_id and e.tenant_id = ${tenantId}
      limit 1
    ) enrollment
    left join lateral (
      select y.id
      from audience_members y
      where y.tenant_id = enrollment.tenant_id and y.id = enrollment.member_id
      limit 1
    ) m on true
    on conflict (enrollment_id) where enrollment_id is not null do nothing
    returning enrollment_id
  `)
  for (const { enrollment_id } of written) tokens.set(enrollment_id, made.get(enrollment_id) as string)
  const raced = [...made.keys()].filter((id) => !tokens.has(id))
  if (raced.length > 0) for (const [id, token] of await tokensOf(em, tenantId, raced)) tokens.set(id, token)
  return tokens
}
