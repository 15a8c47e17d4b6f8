// How connections change: made or revived by a consent, ended by an operator or the network. Every change of the tokens
// is a new version of them.
import { DriverException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Tokens } from '../../rules/automation/oauth.ts'
import type { Profile } from '../../rules/connections/profiles.ts'
import type { Held } from '../../rules/connections/requests.ts'
import { noticeAt, reconnectBy, refreshAt } from '../../rules/connections/tokens.ts'
import { notFound } from '../../rules/refusal.ts'
import { serialize } from '../../rules/serialize.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import type { Pause } from '../../rules/social/pauses.ts'
import { SocialConnectionOut } from '../../rules/social/resources.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { sql, text } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { lateRows } from '../kit/late-rows.ts'
import { start } from '../kit/outbox.ts'
// Backwards: publications wait for a connection that ended, and go on with one that is revived.
import { detachPublications, reviveDue } from '../publications/publications.ts'
import { emit } from '../webhooks/events.ts'
import { requestRevocation } from './revocations.ts'
import { SocialConnection } from './social-connection.ts'

/** Reads and locks a connection of any tenant, by its own id. */
export async function lockConnection(em: EntityManager, id: string): Promise<SocialConnection | null> {
  await em.execute(sql`select 1 from social_connections where id = ${id} for no key update`)
  return em.findOne(SocialConnection, { id }, { ...anyTenant, refresh: true })
}

export const tokensOf = ({ access_token, refresh_token }: SocialConnection): Held => ({
  access_token: (access_token as string | null | undefined) ?? null,
  refresh_token: (refresh_token as string | null | undefined) ?? null,
})

/** What events say of a connection: its row also has its tokens. */
const shown = (connection: SocialConnection): unknown => serialize(SocialConnectionOut, connection)

/** Wakes the workflow of the connection's timers. */
const look = (em: EntityManager, { id, tenant_id }: SocialConnection) =>
  start(em, 'social_connection', id, { tenant_id, signal: true })

export type Consent = { tenant_id: string; type: NetworkType; connected_by: string; tokens: Tokens }

/**
 * The connections of the accounts that a consent named, each made or revived. Of network a every page has its own
 * token, which does not expire, and the user's token is kept to revoke it.
 */
export async function connectAccounts(
  em: EntityManager,
  consent: Consent,
  profiles: readonly Profile[],
  now: number,
): Promise<string[]> {
  const { tenant_id, type, connected_by, tokens } = consent
  const ids: string[] = []
  // Accounts are locked in one order, so that two consents for the same pages do not deadlock.
  for (const profile of [...profiles].sort((a, b) => (a.provider_account_id < b.provider_account_id ? -1 : 1))) {
    const { access_token: own, ...shown } = profile
    const { provider_account_id } = shown
    const row = { id: newId(), tenant_id, type, connected_by, created_at: now, updated_at: now }
    await em.execute(sql`
      insert into social_connections (
        id, tenant_id, type, connected_by, created_at, updated_at, provider_account_id, name, granted_by, scopes,
        status, token_version, refreshed_at
      )
      values (
        ${row.id}, ${tenant_id}, ${type}, ${connected_by}, ${now}, ${now}, ${provider_account_id}, ${shown.name},
        ${shown.granted_by}, '[]', 'disconnected', 0, ${now}
      )
      on conflict (tenant_id, type, provider_account_id) do nothing
    `)
    // Locked: consents for the same account take turns.
    const [found]: { id: string }[] = await em.execute(sql`
      select id
      from social_connections
      where tenant_id = ${tenant_id} and type = ${type} and provider_account_id = ${provider_account_id}
      for no key update
    `)
    const connection = await em.findOneOrFail(
      SocialConnection,
      { id: found?.id as string, tenant_id },
      { ...anyTenant, refresh: true },
    )
    em.assign(connection, {
      ...shown,
      ...{ connected_by, updated_at: now, refreshed_at: now, look_at: now },
      ...{ status: 'active', reason: null, notified: false, paused_until: null, reads_paused_until: null },
      scopes: tokens.scopes ?? [...networks[type].oauth.scopes],
      access_token: own ?? tokens.access_token,
      refresh_token: own ? tokens.access_token : tokens.refresh_token,
      token_expires_at: own || tokens.expires_in === null ? null : now + tokens.expires_in,
      token_version: connection.token_version + 1,
      reconnect_by: reconnectBy(type, now),
    })
    await em.flush()
    await look(em, connection)
    await reviveDue(em, connection)
    ids.push(connection.id)
  }
  return ids
}

/** Stores the tokens of a refresh. A refresh token that the answer lacks stays: not every network replaces it. */
export async function renewTokens(
  em: EntityManager,
  connection: SocialConnection,
  { access_token, refresh_token, expires_in, scopes }: Tokens,
  now: number,
): Promise<void> {
  em.assign(connection, {
    ...{ access_token, token_version: connection.token_version + 1, refreshed_at: now, updated_at: now },
    ...(refresh_token === null ? {} : { refresh_token }),
    // What the owner has withdrawn meanwhile.
    ...(scopes === null ? {} : { scopes }),
    token_expires_at: expires_in === null ? null : now + expires_in,
  })
  await em.flush()
  await look(em, connection)
}

/** Records that the network has ended the grant, and publishes the event once. */
export async function endGrant(
  em: EntityManager,
  connection: SocialConnection,
  reason: { code: string; message: string },
  now: number,
): Promise<void> {
  if (connection.status !== 'active') return
  em.assign(connection, { status: 'needs_reconnect', reason, look_at: null, updated_at: now })
  await em.flush()
  await emit(em, connection.tenant_id, 'social_connection.needs_reconnect', () => shown(connection), now)
}

/** Another connection of the same user, in any store: revoking the tokens would end it, too. */
async function isShared(em: EntityManager, { id, type, granted_by }: SocialConnection): Promise<boolean> {
  const rows: unknown[] = await em.execute(sql`
    select 1
    from social_connections
    where type = ${type} and granted_by = ${granted_by} and id <> ${id} and status <> 'disconnected'
    limit 1
  `)
  return rows.length > 0
}

const pauseColumns = { calls: text('paused_until'), reads: text('reads_paused_until') } as const

/** The network accepts no more calls, or reads, for the connection before the end of the pause. */
export const pauseConnection = (
  em: EntityManager,
  { id, tenant_id }: Pick<SocialConnection, 'id' | 'tenant_id'>,
  { until, of }: Pause,
): Promise<unknown> => {
  const column = pauseColumns[of]
  return em.execute(sql`
    update social_connections
    set ${column} = ${until}
    where id = ${id} and tenant_id = ${tenant_id} and coalesce(${column}, 0) < ${until}
  `)
}

/**
 * Locks a connection, and, where a revocation ends all connections of the user, those as well: of two that end at the
 * same time, the later one sees that it is the last.
 */
async function lockGrant(em: EntityManager, tenantId: string, id: string): Promise<void> {
  const [grant]: Pick<SocialConnection, 'type' | 'granted_by'>[] = await em.execute(sql`
    select type, granted_by
    from social_connections
    where tenant_id = ${tenantId} and id = ${id}
  `)
  if (grant && networks[grant.type].oauth.revokes_all)
    // Accounts are locked in the order in which a consent locks them.
    await em.execute(sql`
      select 1
      from social_connections
      where type = ${grant.type} and granted_by = ${grant.granted_by} and status <> 'disconnected'
      order by provider_account_id collate "C", id
      for no key update
    `)
  await em.execute(sql`
    select 1
    from social_connections
    where tenant_id = ${tenantId} and id = ${id}
    for no key update
  `)
}

/**
 * Ends a connection: its tokens are erased here, and revoked at the network afterwards. 404 not_found, also if it is
 * disconnected already.
 */
export async function disconnect(em: EntityManager, tenantId: string, id: string, now: number): Promise<void> {
  await lockGrant(em, tenantId, id)
  const connection = await em.findOne(SocialConnection, { id }, { refresh: true })
  if (!connection || connection.status === 'disconnected') throw notFound('connection')
  const { type } = connection
  const tokens = tokensOf(connection)
  const { revoke, revokes_all } = networks[type].oauth
  const revokes = revoke && !(revokes_all && (await isShared(em, connection)))
  em.assign(connection, {
    ...{
      status: 'disconnected',
      reason: { code: 'disconnected', message: 'An operator disconnected the account.' },
      updated_at: now,
      look_at: null,
    },
    ...{
      access_token: null,
      refresh_token: null,
      token_expires_at: null,
      reconnect_by: null,
      token_version: connection.token_version + 1,
    },
  })
  await em.flush()
  await look(em, connection)
  await detachPublications(em, connection, now)
  if (revokes) await requestRevocation(em, connection, tokens, now)
}

/**
 * Disconnects at most `limit` accounts of a tenant that is being deleted, and returns how many. Tokens that no key
 * decrypts are erased alone.
 */
export async function disconnectSome(em: EntityManager, tenantId: string, limit: number, now: number): Promise<number> {
  const rows: { id: string }[] = await em.execute(sql`
    select id
    from social_connections
    where tenant_id = ${tenantId} and status <> 'disconnected'
    order by id
    limit ${limit}
  `)
  for (const { id } of rows)
    await disconnect(em, tenantId, id, now).catch((error: unknown) => {
      if (error instanceof DriverException) throw error
      return em.execute(sql`
        update social_connections
        set status = 'disconnected', access_token = null, refresh_token = null, look_at = null
        where tenant_id = ${tenantId} and id = ${id}
      `)
    })
  return rows.length
}

export type LookStep = { do: 'wait'; wait_ms: number } | { do: 'done' }

/** Longer timers are cut: what a network says about the age of tokens may change. */
const waitMaxS = 7 * 86_400
/** After a time that has passed without a change, such as a refresh whose outcome is unknown. */
const againS = 3_600

/**
 * The timers of a connection: requests a refresh that is due, publishes the end of a consent, and says when to look
 * again.
 */
export async function lookAtConnection(
  em: EntityManager,
  id: string,
  now: number,
  refresh: (connection: SocialConnection) => Promise<void>,
): Promise<LookStep> {
  const connection = await lockConnection(em, id)
  if (connection?.status !== 'active') return { do: 'done' }
  const { tenant_id, reconnect_by, refresh_token, notified } = connection
  if (reconnect_by !== null && reconnect_by !== undefined && now >= reconnect_by) {
    await endGrant(
      em,
      connection,
      { code: 'consent_expired', message: 'The consent of the owner of the account has expired.' },
      now,
    )
    return { do: 'done' }
  }
  const renewal = refreshAt({
    ...connection,
    token_expires_at: connection.token_expires_at ?? null,
    has_refresh_token: refresh_token !== null,
  })
  if (renewal !== null && renewal <= now) await refresh(connection)
  const notice = reconnect_by ? noticeAt(reconnect_by) : null
  if (notice !== null && notice <= now && !notified) {
    em.assign(connection, { notified: true, updated_at: now })
    await em.flush()
    await emit(em, tenant_id, 'social_connection.expiring', () => shown(connection), now)
  }
  const times = [renewal, notice !== null && notice > now ? notice : (reconnect_by ?? null)].filter((at) => at !== null)
  const next =
    times.length === 0 ? null : Math.min(now + waitMaxS, ...times.map((at) => (at <= now ? now + againS : at)))
  em.assign(connection, { look_at: next })
  await em.flush()
  return next === null ? { do: 'done' } : { do: 'wait', wait_ms: (next - now) * 1000 }
}

/**
 * Connections whose timer has passed and was not acted on: their workflow was lost. For all tenants: each row comes
 * with its tenant.
 */
export const lateConnections = lateRows({
  from: sql`social_connections x`,
  at: 'x.look_at',
  type: 'bigint',
  where: ({ idleS }) => sql`x.status = 'active' and x.look_at < extract(epoch from clock_timestamp()) - ${idleS}::int`,
})
