// Tokens of members' links. The value is shown to the contact only, never logged or published; a request finds it by its digest.
import { createHash, randomBytes } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { CONFIRM_DAYS } from '../../rules/audiences/memberships.ts'
import { decrypt } from '../kit/encrypted.ts'
import { newId } from '../kit/ids.ts'
import { insertion, insertions, insertSelect } from '../kit/insert.ts'
import { type Sql, sql } from '../kit/sql.ts'
import { MemberToken, type TokenScope } from './member-token.ts'

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex')
const newValue = (): string => `till_ml_${randomBytes(32).toString('base64url')}`

/** `address`: of a `confirm` token, where it was mailed to. */
export type MemberLink = { tenant_id: string; member_id: string; scope: TokenScope; address: string | null }

/** Null for an unknown or expired token. `now` in Unix seconds. */
export async function memberLinkOf(em: EntityManager, token: string, now: number): Promise<MemberLink | null> {
  const [found]: MemberLink[] = await em.execute(
    sql`select tenant_id, member_id, scope, address from member_tokens where digest = ${digestOf(token)} and (expires_at is null or expires_at > ${now})`,
  )
  return found ?? null
}

/** `insert into … select …` of the token of a new member's page; goes on with `from`, a relation with the member's id as `id`. */
export function manageToken(em: EntityManager, tenantId: string, now: number): Sql {
  const value = newValue()
  const managing = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now, member_id: sql`id`, scope: 'manage' as const }
  return insertSelect(em, MemberToken, { ...managing, digest: digestOf(value), value } as never)
}

/** The tokens of the pages of many new members. One statement. */
export async function addManageTokens(em: EntityManager, tenantId: string, memberIds: readonly string[], now: number): Promise<void> {
  if (memberIds.length === 0) return
  const rows = memberIds.map((member_id) => {
    const value = newValue()
    return { id: newId(), member_id, digest: digestOf(value), value }
  })
  const same = { tenant_id: tenantId, created_at: now, updated_at: now, scope: 'manage' as const }
  await em.execute(insertions(em, MemberToken, same, rows as never))
}

/**
 * The token that confirms a pending membership, for an e-mail to `address`. While the membership waits, a repeated e-mail has the same link, which is valid for
 * another seven days; a token of an earlier request, or for another address, is deleted. Must be called under the member's lock. `now` in Unix seconds.
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
    const [kept]: { value: string }[] = await em.execute(
      sql`update member_tokens set expires_at = ${expires_at}, updated_at = ${now} where ${mine} and address = ${address} returning value`,
    )
    if (kept) return { token: decrypt(kept.value), expires_at }
  }
  await em.execute(sql`delete from member_tokens where ${mine}`)
  const token = newValue()
  const confirming = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now, member_id, scope: 'confirm' as const, address, expires_at }
  await em.execute(insertion(em, MemberToken, { ...confirming, digest: digestOf(token), value: token }))
  return { token, expires_at }
}
