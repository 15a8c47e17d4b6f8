// Visits of consent pages: a state is used once, by the network that it was made for, and within ten minutes.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Tokens } from '../../rules/automation/oauth.ts'
import type { Profile } from '../../rules/connections/profiles.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import { Account } from '../accounts/account.ts'
import { insertRow } from '../kit/database/insert.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { json, sql } from '../kit/database/sql.ts'
import { effectRow, giveUp } from '../kit/effects.ts'
import { newId } from '../kit/ids.ts'
import { lateRows } from '../kit/late-rows.ts'
import { start } from '../kit/outbox.ts'
import { Tenant } from '../stores/tenant.ts'
import { connectAccounts } from './connections.ts'
import { SocialAuthorization } from './social-authorization.ts'

const livesS = 600

export type NewAuthorization = {
  tenant_id: string
  type: NetworkType
  state_digest: string
  code_verifier: string | null
  redirect_uri: string
  return_url: string | null
  connected_by: string
}

export const beginAuthorization = (em: EntityManager, given: NewAuthorization, now: number): Promise<void> =>
  insertRow(em, SocialAuthorization, {
    ...given,
    tenant_id: given.tenant_id,
    id: newId(),
    created_at: now,
    updated_at: now,
    expires_at: now + livesS,
    fingerprint: '',
  })

/** A consent that was begun, as the page shows it that the browser opens first. */
export type BegunConsent = {
  store: { key: string; settings: Record<string, unknown> }
  /** Address of the operator who began it. */
  requester: string
  code_verifier: string | null
  redirect_uri: string
}

/**
 * Finds the consent that a state began. Null: there is no such state, or it was used, has expired or belongs to another
 * network, or its store is being erased. Three statements.
 */
export async function begunConsent(
  em: EntityManager,
  { tenant_id, state_digest, type }: { tenant_id: string; state_digest: string; type: NetworkType },
  now: number,
): Promise<BegunConsent | null> {
  const found = await em.findOne(
    SocialAuthorization,
    { tenant_id, state_digest, type, code_digest: null, status: 'requested', expires_at: { $gt: now } },
    anyTenant,
  )
  if (!found) return null
  const { code_verifier = null, redirect_uri, connected_by } = found
  const store = await em.findOne(Tenant, { id: tenant_id, erasing_at: null }, anyTenant)
  const requester = await em.findOne(Account, { id: connected_by })
  return store && requester && { store, requester: requester.email, code_verifier, redirect_uri }
}

type Returned = {
  tenant_id: string
  state_digest: string
  type: NetworkType
  code: string | null
  code_digest: string | null
}

/**
 * Takes a state and its code, once. Null: there is no such state, or it was used, has expired or belongs to another
 * network, or its store is being erased, which would end before tokens that come now are revoked; nothing is stored
 * then. Without a code, the owner of the account has refused.
 */
export async function takeState(
  em: EntityManager,
  { tenant_id, state_digest, type, code, code_digest }: Returned,
  now: number,
): Promise<SocialAuthorization | null> {
  // The store is locked `for share`: an erasure that begins meanwhile waits, and revokes these tokens.
  const rows: { id: string }[] = await em.execute(sql`
    with store as materialized (
      select id from tenants where id = ${tenant_id} and erasing_at is null for share
    )
    update social_authorizations
    set code_digest = ${code_digest ?? ''}, updated_at = ${now}
    where exists (select 1 from store)
      and tenant_id = ${tenant_id}
      and state_digest = ${state_digest}
      and type = ${type}
      and code_digest is null
      and status = 'requested'
      and expires_at > ${now}
    returning id
  `)
  if (!rows[0]) return null
  const authorization = await em.findOneOrFail(SocialAuthorization, { id: rows[0].id }, { ...anyTenant, refresh: true })
  const { id } = authorization
  if (code === null) {
    em.assign(authorization, { error: { code: 'access_denied', message: 'The owner of the account did not consent.' } })
    await em.flush()
    await giveUp(em, socialConnectEffect, id, true)
  } else {
    em.assign(authorization, { code })
    await em.flush()
    await start(em, 'social_connect', id, { tenant_id, awaited: true })
  }
  return authorization
}

/** Its accounts were read: they are connected. Idempotent: the tokens are erased in the same transaction. */
export async function finishAuthorization(
  em: EntityManager,
  id: string,
  tokens: Tokens,
  profiles: readonly Profile[],
  now: number,
): Promise<void> {
  const rows: { tenant_id: string; type: NetworkType; connected_by: string }[] = await em.execute(sql`
    update social_authorizations
    set tokens = null, updated_at = ${now}
    where id = ${id} and tokens is not null
    returning tenant_id, type, connected_by
  `)
  if (!rows[0]) return
  const ids = await connectAccounts(em, { ...rows[0], tokens }, profiles, now)
  const none = { code: 'no_account', message: 'The consent names no account that can be connected.' }
  await em.execute(sql`
    update social_authorizations
    set connections = ${json(ids)}, error = ${ids.length > 0 ? null : json(none)}
    where id = ${id} and tenant_id = ${rows[0].tenant_id}
  `)
}

const notRead = {
  code: 'accounts_not_read',
  message: 'The accounts could not be read at the network. Connect again.',
}

/** The accounts could not be read: the consent is given up, and its tokens are erased. */
export const dropAuthorization = (em: EntityManager, id: string): Promise<unknown> =>
  em.execute(sql`
    update social_authorizations
    set tokens = null, connections = '[]', error = ${json(notRead)}
    where id = ${id} and tokens is not null
  `)

async function settled(em: EntityManager, id: string): Promise<void> {
  await em.execute(sql`
    update social_authorizations
    set code = null, code_verifier = null, request = null
    where id = ${id} and status <> 'requested'
  `)
}

export const socialConnectEffect = effectRow('social_connect', {
  precondition: sql`true`,
  // The visitor has not come back yet, or never will.
  waits: sql`e.code is null`,
  afterStatusChange: settled,
})

/**
 * Consents whose tokens were got and whose accounts were not read: their workflow was lost. For all tenants: each row
 * comes with its tenant.
 */
export const lateAuthorizations = lateRows({
  from: sql`social_authorizations x`,
  at: 'x.settled_at',
  type: 'timestamptz',
  where: ({ idleS }) =>
    sql`x.tokens is not null and x.settled_at < clock_timestamp() - make_interval(secs => ${idleS})`,
})
