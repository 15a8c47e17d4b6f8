// OAuth: exchanges an authorization code for tokens, which are sealed in an integration, and revokes them.
import { z } from 'zod'
import { Integration } from '../../entities/automation/integration.ts'
import { OauthExchange } from '../../entities/automation/oauth-exchange.ts'
import { disconnect, requestExchange } from '../../entities/automation/oauth-exchanges.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { HttpUrl } from '../../rules/input/write-only.ts'
import { conflict, invalid, type Refusal, unavailable } from '../../rules/refusal.ts'
import { Reply } from '../kit/answer/replies.ts'
import { Success, success } from '../kit/answer/shapes.ts'
import { digest } from '../kit/caller.ts'
import { fingerprintOf, replay } from '../kit/idempotency.ts'
import { route } from '../kit/route.ts'
import { IntegrationOut, shown } from './integrations.ts'

const ProviderName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{1,40}$/,
    'Expected 2 to 41 lower-case letters, digits, hyphens and underscores, beginning with a letter.',
  )
  .describe('Name of the provider: the key of the integration that holds its tokens.')

/** Failures that another request would meet again. */
const lasting = new Set(['client_changed', 'egress_refused'])

function refusalOf({ status, error }: OauthExchange): Refusal | undefined {
  if (status === 'unknown')
    return conflict(
      'oauth_unknown',
      'It is not known whether the code was exchanged. Sign in at the provider again for another code.',
    )
  if (status === 'rejected' || (status === 'failed' && lasting.has(error?.code ?? '')))
    return invalid('/code', 'oauth_rejected', error?.message ?? 'The authorization server refused the code.')
  return status === 'failed'
    ? unavailable('provider_retryable', 'The authorization server could not be reached. Repeat the request.')
    : undefined
}

export const oauth = [
  route('POST /v1/stores/{storeId}/oauth/connect', {
    may: 'owner',
    active: true,
    operation: 'connectStoreOauth',
    refuses: [
      'engine_unavailable',
      'idempotency_conflict',
      'key_taken',
      'oauth_not_configured',
      'oauth_rejected',
      'oauth_unknown',
      'provider_retryable',
    ],
    summary: 'Connect an account by OAuth',
    description:
      'Exchanges the code for tokens with the client of the newest integration of type `identity_oauth`, once, and stores them in an integration of type ' +
      '`oauth_connection`. The same code again returns the same outcome. 422 `oauth_rejected` if the authorization server refuses the code. 409 `oauth_unknown` if it ' +
      'cannot be proved whether the code was exchanged: sign in there again for another code. 503 `provider_retryable`: repeat the request.',
    body: z.object({
      provider: ProviderName,
      code: z
        .string()
        .min(1)
        .max(2048)
        .regex(/^[\x21-\x7e]+$/, 'Expected printable ASCII without spaces.')
        .describe('The authorization code that the provider sent to `redirect_uri`.'),
      redirect_uri: HttpUrl.describe('Address that the code was sent to, http or https.'),
      code_verifier: z
        .string()
        .regex(
          /^[A-Za-z0-9._~-]{43,128}$/,
          'Expected 43 to 128 letters, digits, dots, hyphens, underscores and tildes (RFC 7636).',
        )
        .optional()
        .describe('The verifier (RFC 7636), if the code was requested with a challenge.'),
    }),
    out: IntegrationOut,
    async run({ em, tenant_id, body, now }) {
      const code_digest = digest(body.code)
      const fingerprint = fingerprintOf({ ...body, code: code_digest })
      const exchange = await requestExchange(em, tenant_id, { ...body, code_digest, fingerprint }, now)
      replay(exchange, fingerprint)
      // The outcome is always waited for: without one the answer is a refusal.
      return Reply.afterWait(exchange.id)
    },
    wait: {
      async until({ em, pending: id }) {
        const exchange = await em.findOneOrFail(OauthExchange, { id })
        const refusal = refusalOf(exchange)
        if (refusal) throw refusal
        if (exchange.status !== 'succeeded') return undefined
        return shown(await findRecord(em, Integration, { id: exchange.connection_id }, 'connection'))
      },
      late(_, engineAway) {
        throw unavailable(
          engineAway ? 'engine_unavailable' : 'provider_retryable',
          'The authorization server has not answered yet. Repeat the request.',
        )
      },
    },
  }),
  route('POST /v1/stores/{storeId}/oauth/disconnect', {
    may: 'owner',
    operation: 'disconnectStoreOauth',
    summary: 'Disconnect an account that was connected by OAuth',
    description:
      'Deletes the integration with the tokens at once; they are revoked at the provider afterwards. 404 `not_found` if no account of the provider is connected.',
    body: z.object({ provider: ProviderName }),
    out: Success,
    async run({ em, tenant_id, body, now }) {
      await disconnect(em, tenant_id, body.provider, now)
      return success
    },
  }),
]
