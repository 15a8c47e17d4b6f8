// What the workflows of consents, tokens, publications and replies are called in Temporal's UI, and which call resolves their unknown outcomes.
import { call, type DescribedRow, type Description, root, storeOf } from '../descriptions.ts'
import type { NetworkType } from './networks.ts'
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

export type PublicationFacts = DescribedRow & { type: NetworkType; connection_id: string }

export function describePublication(publication: PublicationFacts): Description {
  const { id, type, connection_id } = publication
  const summary = `publication ${id} at ${type}, ${storeOf(publication)}`
  const at = `${root(publication)}/social-publications/${id}`
  const details = [
    `A ${summary}, on the connection \`${connection_id}\`: its parts are made ahead, and one call shows it.`,
    '**If it is `unknown`**, the network did not say whether the post is visible, and no read proves it. Read the network once more, as an admin of the store:',
    call(`POST ${at}/check`),
    'If it stays `unknown`, look for the post in the account, and record what you found, as an owner. The outcome is `published` or `failed`; after `failed` it can be scheduled again:',
    call(`POST ${at}/resolve`, { outcome: 'published or failed', note: 'what you found' }),
  ]
  return { summary, details: details.join('\n\n') }
}

export type ReplyFacts = DescribedRow & {
  reply_id: string
  publication_id: string
  comment_id: string
  type: NetworkType
}

export function describeSocialReply(reply: ReplyFacts): Description {
  const summary = `reply ${reply.reply_id} to a comment at ${reply.type}, ${storeOf(reply)}`
  const comment = `${root(reply)}/social-publications/${reply.publication_id}/comments/${reply.comment_id}`
  const details = [
    `A ${summary}, \`${reply.comment_id}\`.`,
    '**If it is `unknown`**, the network did not say whether the reply is there, and its thread did not show it for ten minutes. Open the thread as an admin of the store: the reply becomes ' +
      '`succeeded` if the network lists it by now:',
    call(`GET ${comment}/thread`),
    'If it stays `unknown`, look for it in the account, and record what you found, as an owner. The outcome is `succeeded` or `rejected`:',
    call(`POST ${comment}/replies/${reply.reply_id}/resolve`, {
      outcome: 'succeeded or rejected',
      note: 'what you found',
    }),
  ]
  return { summary, details: details.join('\n\n') }
}
