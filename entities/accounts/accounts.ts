// An address is one account, whoever comes first; and an account goes with all that is its own, leaving no store without somebody in charge.
import { raw } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '../kit/ids.ts'
import { sql } from '../kit/sql.ts'
import { lockMemberships, teamUpdated } from '../stores/account-events.ts'

/** The account of an address, made if there is none; with `signedIn` its owner is here now. */
export async function accountOf(em: EntityManager, email: string, now: number, signedIn: boolean): Promise<string> {
  const login = signedIn ? now : null
  const rows: { id: string }[] = await em.execute(
    sql`insert into accounts (id, created_at, updated_at, email, last_login_at, onboarding_completed) values (${newId()}, ${now}, ${now}, ${email}, ${login}, false)
     on conflict (email) do update set last_login_at = coalesce(excluded.last_login_at, accounts.last_login_at) returning id`,
  )
  return (rows[0] as { id: string }).id
}

/** Sessions, tokens and team memberships go with it by their foreign keys. Locks its stores, so that of two last owners leaving at once one is seen to be the last. */
export async function removeAccount(em: EntityManager, { account_id, email }: { account_id: string; email: string }, now: number): Promise<void> {
  const stores: { id: string }[] = await em.execute(
    sql`select id from tenants where id in (select tenant_id from team_members where account_id = ${account_id}) order by id for update`,
  )
  const seats = await lockMemberships(em, account_id)
  await em.execute(sql`delete from accounts where id = ${account_id}`)
  await em.execute(sql`delete from challenges where email = ${email} and audience in ('account', 'store')`)
  for (const { id } of stores)
    await em.execute(
      sql`update tenants set status = 'ARCHIVED', updated_at = ${now} where id = ${id} and status <> 'ARCHIVED'
       and not exists (select 1 from team_members m where m.tenant_id = tenants.id and m.role in ('owner', 'super'))`,
    )
  await teamUpdated(em, 'member_removed', seats, now)
}

/** Everybody who is a member of a store of this account; itself among them, if there is one. */
export async function colleaguesOf(em: EntityManager, accountId: string): Promise<string[]> {
  const rows: { account_id: string }[] = await em.execute(
    sql`select distinct theirs.account_id from team_members mine
     join tenants t on t.id = mine.tenant_id and t.kind = 'store'
     join team_members theirs on theirs.tenant_id = mine.tenant_id where mine.account_id = ${accountId}`,
  )
  return rows.map(({ account_id }) => account_id)
}

export const likePrefix = (text: string): string => `${text.replaceAll(/[\\%_]/g, '\\$&')}%`

/** E-mail addresses and names that begin like this, in any case. */
export function beginningWith(text: string): Record<string, unknown> {
  const like = likePrefix(text.trim().toLowerCase())
  return { $or: [{ email: { $like: like } }, { [raw((alias) => `lower(${alias}.name)`) as unknown as string]: { $like: like } }] }
}
