// What the workflows of consents and tokens are called in Temporal's UI, and which call
// resolves their unknown outcomes.
import { call, type DescribedRow, type Description, root, storeOf } from '../descriptions.ts'
import type { NetworkType } from '../social/networks/network-types.ts'
import type { TokenRequestKind } from './requests.ts'

export type SocialConnectFacts = DescribedRow & { type: NetworkType }

export function describeSocialConnect(connect: SocialConnectFacts): Description {
  const summary = `consent at ${connect.type}, ${storeOf(connect)}`
  const details = [
    `A ${summary}: its code is exchanged once.`,
    '**If it is `unknown`**, the network may have issued tokens that were not received. The code is not sent again. Connect the account once more, as an admin of the store: an account keeps its connection.',
    call(`POST ${root(connect)}/social-connections/oauth/connect`, { type: connect.type }),
  ]
  return { summary, details: details.join('\n\n') }
}

export type SocialTokenFacts = DescribedRow & { kind: TokenRequestKind; type: NetworkType; connection_id: string }

export function describeSocialTokenRequest(request: SocialTokenFacts): Description {
  const { kind, type, connection_id } = request
  const summary = `${kind === 'refresh' ? 'refresh' : 'revocation'} of tokens at ${type}, ${storeOf(request)}`
  const details =
    kind === 'refresh'
      ? [
          `A ${summary}, of the connection \`${connection_id}\`.`,
          '**If it is `unknown`**, nothing has to be done at once: the old access token serves until the network refuses it, and the refresh token is then tried again. If the connection ' +
            'becomes `needs_reconnect`, connect the account again, as an admin of the store:',
          call(`POST ${root(request)}/social-connections/oauth/connect`, { type }),
        ]
      : [
          `A ${summary}. The tokens are deleted here.`,
          "**If it is `unknown`, `rejected` or has `failed`**, the tokens may still be valid: remove the application's access in the account at the network.",
        ]
  return { summary, details: details.join('\n\n') }
}
