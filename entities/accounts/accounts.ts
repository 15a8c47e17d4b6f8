// One account per e-mail address. Deleting an account deletes its sessions, tokens and memberships, and archives stores
// that are left without an owner.
import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 } from 'uuid'
import { addressPrefix } from '../../rules/input/email-addresses.ts'
import { conflict } from '../../rules/refusal.ts'
import { type Condition, condition } from '../kit/database/condition.ts'
import { insertion } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { randomOf } from '../kit/random.ts'
// Backwards: a deleted account leaves its teams in the same transaction.
import { lockMemberships, teamUpdated } from '../stores/account-events.ts'
import { stopStore } from '../subscriptions/store-archiving.ts'
import { Account } from './account.ts'

/**
 * An id that does not say when its account was made: a UUIDv7 of a moment between the first account and now. The id of
 * a member who was added is shown before the account acts, and an id of this moment would tell that the address had no
 * account.
 */
async function newAccountId(em: EntityManager, now: number): Promise<string> {
  const [first]: { at: number | null }[] = await em.execute(
    sql`select (select created_at from accounts order by created_at, id limit 1)::float8 as at`,
  )
  const from = Math.min(first?.at ?? now, now)
  return v7({ msecs: Math.floor((from + Math.random() * (now - from)) * 1000), random: randomOf(16) })
}

/** The account of an address, created if there is none; `signedIn` records a sign-in. */
export async function accountOf(em: EntityManager, email: string, now: number, signedIn: boolean): Promise<string> {
  const row = {
    id: await newAccountId(em, now),
    created_at: now,
    updated_at: now,
    email,
    last_login_at: signedIn ? now : null,
  }
  const rows: { id: string }[] = await em.execute(sql`
    ${insertion(em, Account, row)}
    on conflict (email) do update
    set last_login_at = coalesce(excluded.last_login_at, accounts.last_login_at)
    returning id
  `)
  return (rows[0] as { id: string }).id
}

/**
 * Foreign keys delete its sessions, tokens and memberships. 409 referenced while a deletion of a business that it asked
 * for is not over. Locks its stores, so that two last owners who leave at the same time leave no store without one.
 */
export async function removeAccount(
  em: EntityManager,
  { account_id, email }: { account_id: string; email: string },
  now: number,
): Promise<void> {
  const stores: { id: string }[] = await em.execute(sql`
    select id
    from tenants
    where id in (select tenant_id from team_members where account_id = ${account_id})
    order by id
    for update
  `)
  const seats = await lockMemberships(em, account_id)
  // Read under the locks of its businesses, which a deletion takes too: the later of the two sees what the earlier one
  // did.
  const erasing: unknown[] = await em.execute(sql`
    select 1
    from erasures
    where requested_by = ${account_id} and status <> 'succeeded'
    limit 1
  `)
  if (erasing.length > 0)
    throw conflict(
      'referenced',
      'A deletion of a business that you asked for is not over, and may wait for you. Delete your account afterwards.',
    )
  await em.execute(sql`delete from accounts where id = ${account_id}`)
  await em.execute(sql`delete from challenges where email = ${email} and audience in ('account', 'store')`)
  for (const { id } of stores) {
    const archived: unknown[] = await em.execute(sql`
      update tenants
      set status = 'ARCHIVED', updated_at = ${now}
      where id = ${id}
        and status <> 'ARCHIVED'
        and not exists (select 1 from team_members m where m.tenant_id = tenants.id and m.role in ('owner', 'super'))
      returning id
    `)
    if (archived.length > 0) await stopStore(em, id, now)
  }
  await teamUpdated(em, 'member_removed', seats, now)
}

/**
 * The members of all stores and businesses of this account who have acted there, itself included; none for an account
 * without a store.
 */
export async function colleaguesOf(em: EntityManager, accountId: string): Promise<string[]> {
  const rows: { account_id: string }[] = await em.execute(sql`
    select distinct theirs.account_id
    from team_members mine
    join team_members theirs
      on theirs.tenant_id = mine.tenant_id
      and (theirs.accepted_at is not null or theirs.account_id = mine.account_id)
    where mine.account_id = ${accountId}
  `)
  return rows.map(({ account_id }) => account_id)
}

export const likePrefix = (text: string): string => `${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** Filters by a prefix of the e-mail address or the name, in any case. */
export function beginningWith(text: string): Condition {
  const name = likePrefix(text.trim().toLowerCase())
  return {
    $or: [
      { email: { $like: likePrefix(addressPrefix(text)) } },
      condition((rows) => sql`lower(${rows}.name) like ${name}`),
    ],
  }
}
