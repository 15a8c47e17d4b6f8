// What a person does about consents and tokens of social networks that cannot be proved, and about accounts that have
// to be connected again.
import { type AttentionEvidence, type EffectFacts, type ItemText, outcomeItem, recorded, wrong } from '../attention.ts'
import { type DescribedRow, root } from '../descriptions.ts'
import type { NetworkType } from '../social/networks/network-types.ts'
import type { SocialConnectFacts, SocialTokenFacts } from './descriptions.ts'

const connectAgain = (row: DescribedRow, type: NetworkType) =>
  `connect the account again (\`POST ${root(row)}/social-connections/oauth/connect\` with \`{"type": "${type}"}\`)`

export const socialConnectItem = (row: EffectFacts & SocialConnectFacts): ItemText =>
  outcomeItem({
    row,
    whether: `${row.type} issued tokens for a consent`,
    subject: { type: 'social_authorization', id: row.id, label: row.type },
    what_to_do: `The code is not sent again: ${connectAgain(row, row.type)}, then record \`rejected\` for this consent.`,
    ids: { social_authorization_id: row.id },
    process: 'social_connect',
    resolve: recorded(row, ['rejected']),
  })

/** `name`: of the connection; null if it is gone. */
export const socialTokenItem = (row: EffectFacts & SocialTokenFacts & { name: string | null }): ItemText => {
  const isRefresh = row.kind === 'refresh'
  return outcomeItem({
    row,
    whether: isRefresh
      ? `${row.type} renewed the tokens of ${row.name ?? 'an account'}`
      : `${row.type} revoked the tokens of ${row.name ?? 'an account'}`,
    subject: { type: 'social_connection', id: row.connection_id, label: row.name },
    what_to_do: isRefresh
      ? `Publications go on with the tokens at hand, and the item ends when they are renewed. To be certain, ${connectAgain(row, row.type)}. Or record \`rejected\` if the network has not renewed them: the refresh token is sent again then.`
      : 'Remove the access of the application in the account at the network, if it is shown there. Then record `succeeded`.',
    ids: { social_connection_id: row.connection_id },
    process: 'social_token_request',
    // After `succeeded` the tokens at hand would count as renewed, and are not.
    resolve: recorded(row, isRefresh ? ['rejected'] : ['succeeded', 'rejected']),
  })
}

export type ConnectionFacts = DescribedRow & {
  type: NetworkType
  name: string
  status: string
  reason: AttentionEvidence['error']
  reconnect_by: number | null
}

export const socialConnectionItem = (row: ConnectionFacts): ItemText => ({
  title:
    row.status === 'active'
      ? `The consent of ${row.name} at ${row.type} ends soon.`
      : `The account ${row.name} at ${row.type} has to be connected again.`,
  subject: { type: 'social_connection', id: row.id, label: row.name },
  due_at: row.reconnect_by,
  evidence: wrong(row.reason, { social_connection_id: row.id }),
  what_to_do: `As its owner, ${connectAgain(row, row.type)}. It keeps its publications; those that are due wait for it, and fail when it is too late.`,
  resolve: null,
  process: { kind: 'social_connection', id: row.id },
})
