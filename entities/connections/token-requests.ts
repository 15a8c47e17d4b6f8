// Refreshes and revocations of tokens: one refresh of a connection at a time, and none for tokens that another one has
// replaced.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Tokens } from '../../rules/automation/oauth.ts'
import {
  isFresh,
  mayRefreshByTimer,
  type TokenFacts,
  type TokenStep,
  type Tried,
  tokenStep,
} from '../../rules/connections/tokens.ts'
import { typesWith } from '../../rules/social/networks/networks.ts'
import { insertion } from '../kit/database/insert.ts'
import { anyTenant } from '../kit/database/orm.ts'
import { sql, text } from '../kit/database/sql.ts'
import { effectRow } from '../kit/effects.ts'
import { start } from '../kit/outbox.ts'
import { endGrant, lockConnection, renewTokens, tokensOf } from './connections.ts'
import { requestRevocation, type Tokened, tokenRequest } from './revocations.ts'
import { SocialConnection } from './social-connection.ts'
import { SocialTokenRequest } from './social-token-request.ts'

/** The connection is locked. Without a second open refresh: a unique index holds it. */
async function requestRefresh(em: EntityManager, connection: SocialConnection, now: number): Promise<void> {
  const row = {
    ...tokenRequest(connection, tokensOf(connection), now),
    tenant_id: connection.tenant_id,
    kind: 'refresh' as const,
  }
  const rows: unknown[] = await em.execute(sql`
    ${insertion(em, SocialTokenRequest, row)}
    on conflict (social_connection_id) where kind = 'refresh' and status in ('requested', 'processing') do nothing
    returning id
  `)
  if (rows.length > 0) await start(em, 'social_token_request', row.id, { tenant_id: connection.tenant_id })
}

/** An answer that came after its outcome was recorded may have replaced the tokens, too. */
async function triedFor(em: EntityManager, { id, tenant_id, token_version }: Tokened): Promise<Tried> {
  const [tried]: Tried[] = await em.execute(sql`
    select count(*) filter (where status in ('requested', 'processing'))::int as open,
      count(*) filter (where status = 'unknown' or late_evidence ->> 'status' = 'succeeded')::int as unknown,
      count(settled_at)::int as settled,
      extract(epoch from max(settled_at))::float8 as last_at
    from social_token_requests
    where tenant_id = ${tenant_id}
      and social_connection_id = ${id}
      and token_version = ${token_version}
      and kind = 'refresh'
  `)
  return tried ?? { open: 0, unknown: 0, settled: 0, last_at: null }
}

const factsOf = ({
  type,
  token_expires_at = null,
  refreshed_at,
  refresh_token = null,
}: SocialConnection): TokenFacts => ({
  ...{ type, token_expires_at, refreshed_at, has_refresh_token: refresh_token !== null },
})

export type AccessToken = { token: string; version: number }
export const accessTokenIn = ({ access_token, token_version: version }: SocialConnection): AccessToken | null =>
  typeof access_token === 'string' ? { token: access_token, version } : null

/**
 * The access token of an active connection, if it needs no thought. Locks nothing: calls of one account do not wait for
 * each other. `now` in Unix seconds.
 */
export async function freshToken(em: EntityManager, id: string, now: number): Promise<AccessToken | null> {
  const connection = await em.findOne(SocialConnection, { id, status: 'active' }, anyTenant)
  return connection && isFresh(factsOf(connection), now) ? accessTokenIn(connection) : null
}

/** What the connection's tokens need, which is requested; see rules/connections/tokens.ts. The connection is locked. */
export async function stepTokens(
  em: EntityManager,
  connection: SocialConnection,
  refused: boolean,
  now: number,
): Promise<TokenStep> {
  const step = tokenStep(factsOf(connection), await triedFor(em, connection), refused, now)
  if (step === 'refresh') await requestRefresh(em, connection, now)
  if (step === 'consent')
    await endGrant(
      em,
      connection,
      { code: 'token_refused', message: 'The network does not accept the tokens any more. Connect the account again.' },
      now,
    )
  return step
}

/** A refresh that its timer asks for: tokens that may have been replaced are not sent again. */
export async function refreshByTimer(em: EntityManager, connection: SocialConnection, now: number): Promise<void> {
  if (mayRefreshByTimer(connection.type, await triedFor(em, connection))) await requestRefresh(em, connection, now)
}

/** The network's answer that ends a grant, as activities/providers/social marks it. */
export const GRANT_ENDED = 'grant_ended'

/**
 * Hands tokens over to the connection; those of an account that was disconnected or reconnected meanwhile are revoked.
 */
async function handOver(em: EntityManager, request: SocialTokenRequest, tokens: Tokens): Promise<void> {
  const { social_connection_id, tenant_id, type, token_version, updated_at: now } = request
  const connection = await lockConnection(em, social_connection_id)
  if (connection?.status !== 'disconnected' && connection?.token_version === token_version)
    return renewTokens(em, connection, tokens, now)
  // Another grant of the account is in use: revoking these tokens might end it.
  if (connection && connection.status !== 'disconnected') return
  await requestRevocation(em, { id: social_connection_id, tenant_id, type, token_version }, tokens, now)
}

async function settled(em: EntityManager, id: string): Promise<void> {
  const request = await em.findOneOrFail(SocialTokenRequest, { id }, { ...anyTenant, refresh: true })
  const { kind, status, social_connection_id, token_version, updated_at: now, error } = request
  if (kind === 'refresh' && status === 'succeeded' && request.tokens)
    await handOver(em, request, JSON.parse(request.tokens as string) as Tokens)
  if (kind === 'refresh' && status === 'rejected' && error?.code === GRANT_ENDED) {
    const connection = await lockConnection(em, social_connection_id)
    if (connection?.token_version === token_version)
      await endGrant(
        em,
        connection,
        { code: 'grant_ended', message: 'The network has ended the grant. Connect the account again.' },
        now,
      )
  }
  if (status === 'requested') return
  em.assign(request, { held: null, tokens: null, request: null })
  await em.flush()
}

const allRevoked = typesWith(({ oauth }) => oauth.revokes_all === true)
  .map((type) => `'${type}'`)
  .join(',')
/**
 * Some networks end every token of a user at once: since it was requested, the user may have connected an account
 * again.
 */
const isHarmless = sql`
  (
    e.type not in (${text(allRevoked)})
    or not exists (
      select 1
      from social_connections c
      join social_connections o on o.type = c.type and o.granted_by = c.granted_by
      where c.id = e.social_connection_id and o.status <> 'disconnected'
    )
  )
`
const isCurrent = sql`
  (
    e.kind = 'revoke' and ${isHarmless}
    or e.kind = 'refresh'
    and exists (
      select 1
      from social_connections c
      where c.id = e.social_connection_id and c.token_version = e.token_version and c.status <> 'disconnected'
    )
  )
`

export const socialTokenRequestEffect = effectRow('social_token_request', {
  precondition: isCurrent,
  // A revocation is retried for a day while the network cannot be reached.
  persistent: sql`e.kind = 'revoke' and e.created_at > extract(epoch from clock_timestamp()) - 86400`,
  // The connection is locked before the request, as everywhere.
  lock: async (em, id) => {
    await em.execute(sql`
      select 1
      from social_connections c
      join social_token_requests e on e.social_connection_id = c.id
      where e.id = ${id}
      for no key update of c
    `)
  },
  afterStatusChange: settled,
  async late(em, id, columns) {
    if (typeof columns.tokens !== 'string') return
    await em.execute(sql`
      update social_token_requests
      set tokens = ${columns.tokens}
      where id = ${id} and status = 'unknown'
    `)
    const request = await em.findOneOrFail(SocialTokenRequest, { id }, { ...anyTenant, refresh: true })
    if (request.status !== 'unknown') return
    await handOver(em, request, JSON.parse(request.tokens as string) as Tokens)
    em.assign(request, { tokens: null })
    await em.flush()
  },
})
