// What a person does about consents and tokens of social networks that cannot be proved, and about accounts that have
// to be connected again.
import {
  type AttentionEvidence,
  type EffectFacts,
  type ItemText,
  type Mend,
  mending,
  outcomeItem,
  recorded,
  wrong,
} from '../attention.ts'
import type { DescribedRow } from '../descriptions.ts'
import { isolated } from '../isolated.ts'
import type { NetworkType } from '../social/networks/network-types.ts'
import { networks } from '../social/networks/networks.ts'
import type { SocialConnectFacts, SocialTokenFacts } from './descriptions.ts'

const connectAgain = (row: DescribedRow & { type: NetworkType }): Mend => ({
  ...mending(row, 'POST', '/social-connections/oauth/connect'),
  body: { type: row.type },
})

export const socialConnectItem = (row: EffectFacts & SocialConnectFacts): ItemText =>
  outcomeItem({
    row,
    whether: `${networks[row.type].name} issued tokens for a consent`,
    subject: { type: 'social_authorization', id: row.id, label: networks[row.type].name },
    what_to_do:
      'The consent is not used again: connect the account again, then record that this one was not carried out.',
    mend: connectAgain(row),
    ids: { social_authorization_id: row.id },
    effect: 'social_connect',
    resolve: recorded(row, ['rejected']),
  })

/** `name`: of the connection; null if it is gone. */
export const socialTokenItem = (row: EffectFacts & SocialTokenFacts & { name: string | null }): ItemText => {
  const isRefresh = row.kind === 'refresh'
  const network = networks[row.type].name
  const name = isolated(row.name ?? 'an account')
  return outcomeItem({
    row,
    whether: isRefresh ? `${network} renewed the tokens of ${name}` : `${network} revoked the tokens of ${name}`,
    subject: { type: 'social_connection', id: row.connection_id, label: row.name },
    what_to_do: isRefresh
      ? 'Publications go on with the tokens at hand, and the item ends when they are renewed. To be certain, connect the account again. Or record that it was not carried out if the network has not renewed them: they are asked for again then.'
      : 'Remove the access of the application in the account at the network, if it is shown there. Then record that it was carried out.',
    mend: isRefresh ? connectAgain(row) : null,
    ids: { social_connection_id: row.connection_id },
    effect: 'social_token_request',
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
      ? `The consent of ${isolated(row.name)} at ${networks[row.type].name} ends soon.`
      : `The account ${isolated(row.name)} at ${networks[row.type].name} has to be connected again.`,
  subject: { type: 'social_connection', id: row.id, label: row.name },
  due_at: row.reconnect_by,
  evidence: wrong(row.reason, { social_connection_id: row.id }),
  what_to_do: `Connect the account ${isolated(row.name)} itself again, as its owner: sign in at ${networks[row.type].name} as this account. Another account is connected beside it, and the item stays. The account keeps its publications; those that are due wait for it, and fail when it is too late.`,
  resolve: null,
  mend: connectAgain(row),
  timeline: { type: 'social_connection', id: row.id },
  process: { kind: 'social_connection', id: row.id },
})
