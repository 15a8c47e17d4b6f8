// Connects and disconnects accounts by OAuth. A code is an effect of its own: the same code again is the same exchange.
import { DriverException } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { OAUTH_BASE_URL, OAUTH_CONNECTION } from '../../rules/automation/integrations.ts'
import type { Tokens } from '../../rules/automation/oauth.ts'
import { conflict, invalid } from '../../rules/refusal.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { sql } from '../kit/database/sql.ts'
import { effectRow } from '../kit/effects.ts'
import { findRecord } from '../kit/find.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { lockTenant } from '../stores/tenant-lock.ts'
import { Integration } from './integration.ts'
import { OauthExchange, type OauthGrant } from './oauth-exchange.ts'

/** The settings of a connection: which client obtained its tokens, and where. */
type Settings = {
  integration_id?: string
  base_url?: string
  client_id?: string
  scopes?: string[]
  expires_at?: number
}
type Credentials = { access_token?: string; refresh_token?: string }
const credentialsOf = ({ credentials }: Integration): Credentials => JSON.parse(credentials as string)

export type ExchangeInput = {
  provider: string
  code: string
  code_digest: string
  fingerprint: string
  redirect_uri: string
  code_verifier?: string | undefined
}

/** The connection of the provider, which is created if there is none. 409 key_taken. */
async function connectionOf(em: EntityManager, tenantId: string, provider: string, now: number): Promise<Integration> {
  const found = await em.findOne(Integration, { key: provider })
  if (found && found.type !== OAUTH_CONNECTION) {
    const detail = 'Another integration has the name of the provider as its key.'
    throw conflict('key_taken', detail, { faults: [{ pointer: '/provider', code: 'key_taken', detail }] })
  }
  const row = { id: newId(), tenant_id: tenantId, created_at: now, updated_at: now, key: provider }
  return (
    found ??
    em.create(Integration, {
      ...row,
      type: OAUTH_CONNECTION,
      category: 'oauth',
      active: true,
      settings: {},
      credentials: '{}',
    })
  )
}

/**
 * Requests the exchange of a code, or returns the earlier one of the same code, which is requested again if it was
 * never sent. 409 key_taken, 422 oauth_not_configured.
 */
export async function requestExchange(
  em: EntityManager,
  tenantId: string,
  input: ExchangeInput,
  now: number,
): Promise<OauthExchange> {
  const { provider, code, code_digest, fingerprint, redirect_uri, code_verifier } = input
  await lockTenant(em, tenantId)
  const earlier = await em.findOne(OauthExchange, { code_digest })
  if (earlier && (earlier.status !== 'failed' || earlier.fingerprint !== fingerprint)) return earlier
  const client = await em.findOne(
    Integration,
    { type: 'identity_oauth' },
    { orderBy: { created_at: 'desc', id: 'desc' } },
  )
  if (!client) throw invalid('/provider', 'oauth_not_configured', 'There is no integration of type `identity_oauth`.')
  const { base_url = OAUTH_BASE_URL, client_id } = client.settings as { base_url?: string; client_id: string }
  const fields = {
    grant_type: 'authorization_code',
    code,
    redirect_uri,
    ...(code_verifier === undefined ? {} : { code_verifier }),
  }
  const oauth_grant = JSON.stringify({ base_url, client_id, fields } satisfies OauthGrant)
  const connection = await connectionOf(em, tenantId, provider, now)
  const row = {
    connection_id: connection.id,
    integration_id: client.id,
    oauth_grant,
    status: 'requested',
    updated_at: now,
  } as const
  const exchange = earlier
    ? em.assign(earlier, { ...row, request: null, error: null, settled_at: null })
    : em.create(OauthExchange, {
        ...row,
        id: newId(),
        tenant_id: tenantId,
        created_at: now,
        kind: 'exchange',
        provider,
        code_digest,
        fingerprint,
        attempt: 0,
      })
  await em.flush()
  await start(em, 'oauth_exchange', exchange.id, { tenant_id: tenantId, awaited: true })
  return exchange
}

type Revocation = { integration_id: string; grant: OauthGrant }

async function requestRevocation(
  em: EntityManager,
  { id: connection_id, tenant_id, key: provider }: Pick<Integration, 'id' | 'tenant_id' | 'key'>,
  { integration_id, grant }: Revocation,
  now: number,
): Promise<void> {
  const id = newId()
  const row = {
    id,
    tenant_id,
    created_at: now,
    updated_at: now,
    kind: 'revoke',
    provider,
    connection_id,
    integration_id,
  } as const
  em.create(OauthExchange, {
    ...row,
    oauth_grant: JSON.stringify(grant),
    status: 'requested',
    fingerprint: '',
    attempt: 0,
  })
  await em.flush()
  await start(em, 'oauth_exchange', id, { tenant_id })
}

/** Revokes the tokens of a connection with the client that they were got with, where they were got. */
async function revokeTokens(em: EntityManager, connection: Integration, now: number): Promise<void> {
  const { access_token, refresh_token } = credentialsOf(connection)
  const { integration_id, base_url, client_id } = connection.settings as Settings
  // Revoking the refresh token ends the access token too (RFC 7009, 2.1).
  const token = refresh_token ?? access_token
  if (token && integration_id && base_url && client_id)
    await requestRevocation(em, connection, { integration_id, grant: { base_url, client_id, fields: { token } } }, now)
}

/** Deletes the connection; its tokens are revoked at the provider afterwards. */
export async function removeConnection(em: EntityManager, connection: Integration, now: number): Promise<void> {
  await revokeTokens(em, connection, now)
  await em.nativeDelete(Integration, { id: connection.id })
}

/** Disconnects the account of a provider at once. 404 not_found. */
export async function disconnect(em: EntityManager, tenantId: string, provider: string, now: number): Promise<void> {
  await lockTenant(em, tenantId)
  await removeConnection(
    em,
    await findRecord(em, Integration, { key: provider, type: OAUTH_CONNECTION }, 'connection'),
    now,
  )
}

/**
 * Disconnects at most `limit` accounts of a tenant that is being deleted, and returns how many. Tokens that no key
 * decrypts are deleted alone.
 */
export async function disconnectProviders(
  em: EntityManager,
  tenantId: string,
  limit: number,
  now: number,
): Promise<number> {
  await lockTenant(em, tenantId)
  const rows: { id: string }[] = await em.execute(sql`
    select id
    from integrations
    where tenant_id = ${tenantId} and type = ${OAUTH_CONNECTION}
    order by id
    limit ${limit}
  `)
  for (const { id } of rows)
    try {
      await removeConnection(em, await em.findOneOrFail(Integration, { id }), now)
    } catch (error) {
      if (error instanceof DriverException) throw error
      await em.nativeDelete(Integration, { id })
    }
  return rows.length
}

/**
 * Stores the tokens; a refresh token of the same client that the answer lacks is kept, and those of another client are
 * revoked. Without the connection, which was removed meanwhile, they are revoked.
 */
async function storeTokens(em: EntityManager, exchange: OauthExchange): Promise<void> {
  const { connection_id, tenant_id, provider, integration_id, updated_at: now } = exchange
  const { access_token, refresh_token, expires_in, scopes } = JSON.parse(exchange.tokens as string) as Tokens
  const { base_url, client_id } = JSON.parse(exchange.oauth_grant as string) as OauthGrant
  const connection = await em.findOne(Integration, { id: connection_id, tenant_id }, { ...anyTenant, refresh: true })
  if (!connection) {
    const grant = { base_url, client_id, fields: { token: refresh_token ?? access_token } }
    return requestRevocation(em, { id: connection_id, tenant_id, key: provider }, { integration_id, grant }, now)
  }
  const before: Settings = connection.settings
  const isSame = before.base_url === base_url && before.client_id === client_id
  if (!isSame) await revokeTokens(em, connection, now)
  const refreshToken = refresh_token ?? (isSame ? credentialsOf(connection).refresh_token : undefined)
  const credentials: Credentials = { access_token, ...(refreshToken ? { refresh_token: refreshToken } : {}) }
  const more = { ...(expires_in === null ? {} : { expires_at: now + expires_in }), ...(scopes ? { scopes } : {}) }
  const settings: Settings = { integration_id, base_url, client_id, ...more }
  em.assign(connection, { settings, credentials: JSON.stringify(credentials), updated_at: now })
}

async function settled(em: EntityManager, id: string): Promise<void> {
  const exchange = await em.findOneOrFail(OauthExchange, { id }, { ...anyTenant, refresh: true })
  const { kind, status, connection_id, tenant_id } = exchange
  if (kind === 'exchange' && status === 'succeeded') await storeTokens(em, exchange)
  // What was sent is sent never again. What was not is kept: the same code may be sent once more.
  if (status !== 'failed') em.assign(exchange, { oauth_grant: null, tokens: null, request: null })
  await em.flush()
  if (kind === 'exchange' && status !== 'succeeded')
    await em.execute(sql`
      delete from integrations i
      where i.tenant_id = ${tenant_id}
        and i.id = ${connection_id}
        and i.settings = '{}'
        and not exists (
          select 1
          from oauth_exchanges e
          where e.tenant_id = i.tenant_id and e.connection_id = i.id and e.status in ('requested', 'processing')
        )
    `)
}

export const oauthExchangeEffect = effectRow('oauth_exchange', {
  precondition: sql`true`,
  lock: async (em, id) => {
    // The lock of `lockTenant`: changes of the tenant's connections take turns.
    await em.execute(sql`
      select 1
      from tenants t
      join oauth_exchanges e on e.tenant_id = t.id
      where e.id = ${id}
      for no key update of t
    `)
  },
  afterStatusChange: settled,
})
