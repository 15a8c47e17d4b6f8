// Connections: accounts of a store at social networks. The network asks the account's owner on its own page; our
// callback receives the answer.
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { config } from '../../config.ts'
import { beginAuthorization } from '../../entities/connections/authorizations.ts'
import { disconnect } from '../../entities/connections/connections.ts'
import { SocialConnection } from '../../entities/connections/social-connection.ts'
import { PageUrl } from '../../rules/input/return-url.ts'
import { conflict } from '../../rules/refusal.ts'
import { anyCase } from '../../rules/shapes.ts'
import { NetworkType } from '../../rules/social/networks/network-types.ts'
import { networks, networkTypeText } from '../../rules/social/networks/networks.ts'
import { SocialConnectionOut, SocialConnectionStatus } from '../../rules/social/resources.ts'
import { byIds, filter, listing } from '../kit/answer/listing.ts'
import { reading, removing } from '../kit/answer/record.ts'
import { digest, newToken } from '../kit/caller.ts'
import { many } from '../kit/query.ts'
import { route } from '../kit/route.ts'

/**
 * Our address that a network sends the browser back to. Each network has its own: the code of one is never sent to
 * another (RFC 9700, 4.4).
 */
const callbackOf = (type: NetworkType): string => `${config.publicUrl}/v1/social/callback/${type}`

export const socialConnections = [
  listing('GET /v1/stores/{storeId}/social-connections', {
    may: 'admin',
    summary: 'List the connected accounts',
    description:
      'Returns one page, newest first, unless another order is requested. Disconnected accounts are left out unless `status` names them.',
    entity: SocialConnection,
    item: SocialConnectionOut,
    filters: {
      ...byIds,
      type: filter(anyCase(NetworkType).describe('Only connections of this type.'), (type) => ({ type })),
      status: filter(
        many(anyCase(SocialConnectionStatus)).describe(
          'Only connections with these statuses: repeated, or separated by commas.',
        ),
        (statuses) => ({
          status: { $in: statuses },
        }),
      ),
    },
    scope: ({ query }) => (query.status === undefined ? { status: { $ne: 'disconnected' } } : {}),
  }),
  reading('GET /v1/stores/{storeId}/social-connections/{id}', {
    may: 'admin',
    summary: 'Read a connected account',
    entity: SocialConnection,
    out: SocialConnectionOut,
  }),
  route('POST /v1/stores/{storeId}/social-connections/oauth/connect', {
    may: 'admin',
    active: true,
    operation: 'connectSocialAccount',
    refuses: ['network_not_configured'],
    summary: 'Begin to connect an account of a network',
    description:
      'Returns the address of a page of ours that names the {store} and the caller, and leads to the network’s consent page. Send the browser of the account’s owner there: the network asks them, and ' +
      'sends the browser back to `GET /v1/social/callback/{type}`, which connects every account that the consent names and goes on to `return_url`. Only the browser that went on from the page is ' +
      'taken there. The address works once, for ten minutes. An account ' +
      'that was connected before keeps its `id`. 409 `network_not_configured` if the installation has no app at the network.',
    body: z.object({
      type: anyCase(NetworkType).describe(networkTypeText),
      return_url: PageUrl.optional().describe(
        'Where the browser goes on to: an https address, or http for localhost. `social_connection_id` is added to its query for each connected account, or `error`.',
      ),
    }),
    out: z
      .object({ authorization_url: z.string().describe('Address of the page that leads to the consent page.') })
      .meta({ id: 'SocialAuthorization' }),
    async run({ em, tenant_id, caller, body: { type, return_url }, now }) {
      if (!config.social.apps[type])
        throw conflict('network_not_configured', 'The installation has no app at this network.')
      // The store is part of it: a state is looked up within its store.
      const state = `${newToken('till_ss')}.${tenant_id}`
      const code_verifier = networks[type].oauth.pkce ? randomBytes(48).toString('base64url') : null
      const redirect_uri = callbackOf(type)
      const row = {
        tenant_id,
        type,
        state_digest: digest(state),
        code_verifier,
        redirect_uri,
        return_url: return_url ?? null,
        connected_by: caller.account_id,
      }
      await beginAuthorization(em, row, now)
      return { authorization_url: `${config.publicUrl}/v1/social/consent/${type}?${new URLSearchParams({ state })}` }
    },
  }),
  removing('DELETE /v1/stores/{storeId}/social-connections/{id}', {
    may: 'admin',
    summary: 'Disconnect an account',
    description:
      'The tokens are erased at once, and revoked at the network afterwards, if the network has a way and no other connection rests on the same consent. 404 `not_found` if ' +
      'the account is not connected.',
    remove: ({ em, tenant_id, path, now }) => disconnect(em, tenant_id, path.id, now),
  }),
]
