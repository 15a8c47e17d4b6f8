// What the workflows of replies are called in Temporal's UI, and which call resolves their unknown outcomes.
import { call, type DescribedRow, type Description, root, storeOf } from '../descriptions.ts'
import type { NetworkType } from '../social/networks/network-types.ts'

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
