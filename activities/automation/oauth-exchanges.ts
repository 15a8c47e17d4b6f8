// Sends a code or a token to an authorization server, once. The client's secret is read when it is sent, and is frozen
// nowhere.
import { Integration } from '../../entities/automation/integration.ts'
import { OauthExchange, type OauthGrant } from '../../entities/automation/oauth-exchange.ts'
import { oauthExchangeEffect } from '../../entities/automation/oauth-exchanges.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { OAUTH_BASE_URL } from '../../rules/automation/integrations.ts'
import type { OauthRequestKind } from '../../rules/automation/oauth.ts'
import { database } from '../kit/database.ts'
import { NeverSent, once } from '../kit/once.ts'
import { EgressError } from '../providers/egress-guard.ts'
import { egress, type HttpRequest } from '../providers/http.ts'
import { postForm } from '../providers/oauth.ts'

type Request = OauthGrant & { tenant_id: string; integration_id: string; kind: OauthRequestKind }

/** RFC 6749, 4.1.3, and RFC 7009, 2.1: the client authenticates in the body (RFC 6749, 2.3.1). */
const postOf = ({ kind, base_url, client_id, fields }: Request, client_secret: string): HttpRequest => ({
  url: `${base_url.replace(/\/+$/, '')}/${kind === 'exchange' ? 'token' : 'revoke'}`,
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
  body: new URLSearchParams({ ...fields, client_id, client_secret }).toString(),
  timeout_ms: 30_000,
})

async function prepare(id: string): Promise<Request> {
  const em = unitOf(await database(), null)
  const { tenant_id, integration_id, kind, oauth_grant } = await em.findOneOrFail(OauthExchange, { id }, anyTenant)
  const request = { ...(JSON.parse(oauth_grant as string) as OauthGrant), tenant_id, integration_id, kind }
  try {
    await egress().check(postOf(request, ''))
  } catch (error) {
    if (error instanceof EgressError && error.code === 'egress_refused')
      throw new NeverSent({ code: error.code, message: error.message })
    throw error
  }
  return request
}

export const sendOauthExchange = once({
  row: oauthExchangeEffect,
  prepare,
  async unlock(request: Request) {
    const em = unitOf(await database(), null)
    const { integration_id: id, tenant_id, base_url, client_id } = request
    const client = await em.findOne(Integration, { id, tenant_id }, anyTenant)
    const { settings = {}, credentials = '{}' } = client ?? {}
    // A secret is sent only to the API that it was entered for.
    if (!client || settings.client_id !== client_id || (settings.base_url ?? OAUTH_BASE_URL) !== base_url)
      throw new NeverSent({ code: 'client_changed', message: 'The client of the integration was changed or deleted.' })
    const { client_secret } = JSON.parse(credentials as string) as { client_secret: string }
    return { kind: request.kind, post: postOf(request, client_secret) }
  },
  async send({ kind, post }, sending) {
    const { verdict, tokens } = await postForm(kind, post, sending)
    return tokens && verdict.kind === 'succeeded'
      ? { ...verdict, columns: { tokens: encrypt(JSON.stringify(tokens)) } }
      : verdict
  },
})
