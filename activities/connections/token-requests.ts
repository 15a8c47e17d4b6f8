// Refreshes and revokes tokens, each request once, and hands calls the access token that serves.
import { setTimeout as pause } from 'node:timers/promises'
import { unixNow } from '../../adapters/clock.ts'
import { config } from '../../config.ts'
import { type LookStep, lockConnection, lookAtConnection } from '../../entities/connections/connections.ts'
import { SocialTokenRequest } from '../../entities/connections/social-token-request.ts'
import {
  type AccessToken,
  accessTokenIn,
  freshToken,
  GRANT_ENDED,
  refreshByTimer,
  socialTokenRequestEffect,
  stepTokens,
} from '../../entities/connections/token-requests.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { tokensOf } from '../../rules/automation/oauth.ts'
import { type Held, refreshRequest, revokeRequest, type TokenRequestKind } from '../../rules/connections/requests.ts'
import { endsGrant } from '../../rules/connections/tokens.ts'
import type { NetworkType } from '../../rules/social/networks/network-types.ts'
import { database, statement, transaction } from '../kit/database.ts'
import { NeverSent, once } from '../kit/once.ts'
import { sendSocial } from '../providers/social/client.ts'
import { appOf } from './apps.ts'

type Request = { kind: TokenRequestKind; type: NetworkType; held: Held }

export const sendSocialTokenRequest = once({
  row: socialTokenRequestEffect,
  async prepare(id): Promise<Request> {
    const em = unitOf(await database(), null)
    const { kind, type, held } = await em.findOneOrFail(SocialTokenRequest, { id }, anyTenant)
    return { kind, type, held: JSON.parse(held as string) as Held }
  },
  async unlock({ kind, type, held }: Request) {
    const requestOf = kind === 'refresh' ? refreshRequest : revokeRequest
    const request = requestOf(type, held, appOf(type), config.social.graphVersion)
    if (!request) throw new NeverSent({ code: 'no_token', message: 'There is no token that the network would take.' })
    return { kind, type, request }
  },
  async send({ kind, type, request }, sending) {
    const { verdict, answer } = await sendSocial(
      request,
      sending,
      (body) => kind === 'revoke' || tokensOf(body) !== null,
    )
    if (verdict.kind === 'succeeded' && kind === 'refresh')
      return { ...verdict, columns: { tokens: encrypt(JSON.stringify(tokensOf(answer?.body))) } }
    if (verdict.kind === 'rejected' && kind === 'refresh' && answer && endsGrant(type, answer.status, answer.body))
      return { ...verdict, error: { ...verdict.error, code: GRANT_ENDED, message: 'The network has ended the grant.' } }
    return verdict
  },
})

/** The timers of a connection. */
export const applySocialConnection = (id: string): Promise<LookStep> =>
  transaction((em) => {
    const now = unixNow()
    return lookAtConnection(em, id, now, (connection) => refreshByTimer(em, connection, now))
  })

/** Why a connection has no access token: it is not active, or the outcome of a refresh is not known yet. */
export class NoToken extends Error {
  readonly reason: 'not_active' | 'pending'
  constructor(reason: NoToken['reason']) {
    super(reason)
    this.reason = reason
  }
}

/**
 * The access token for one call. Requests a refresh that is needed, and waits for it for up to `waitMs`, if the current
 * token does not serve. `refused`: the version that the network has refused. Throws NoToken.
 */
export async function accessTokenOf(
  connectionId: string,
  refused: number | null,
  waitMs = config.sendLimitMs,
): Promise<AccessToken> {
  const fresh = refused === null ? await statement((em) => freshToken(em, connectionId, unixNow())) : null
  if (fresh) return fresh
  const until = performance.now() + waitMs
  for (let wait = 20; ; wait = Math.min(250, wait * 2)) {
    const found = await transaction(async (em) => {
      const connection = await lockConnection(em, connectionId)
      const token = connection?.status === 'active' ? accessTokenIn(connection) : null
      if (!connection || !token) return 'not_active'
      const step = await stepTokens(em, connection, refused === connection.token_version, unixNow())
      if (step === 'consent') return 'not_active'
      return step === 'serve' ? token : 'pending'
    })
    if (typeof found === 'object') return found
    if (found === 'not_active' || performance.now() > until) throw new NoToken(found)
    await pause(wait)
  }
}
