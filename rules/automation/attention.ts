// What a person does about nodes of graphs and OAuth requests whose outcome cannot be proved.
import { type EffectFacts, type ItemText, mending, outcomeItem, recorded } from '../attention.ts'
import { root } from '../descriptions.ts'
import { isolated } from '../isolated.ts'
import type { OauthExchangeFacts } from './descriptions.ts'

/** `key`: of the workflow. `url`: that its graph names for the node, which may have templates; null for none. */
export type NodeRunFacts = EffectFacts & {
  execution_id: string
  workflow_id: string
  key: string
  node: string
  url: string | null
}

/** The host alone, as what follows it may have a secret; null if a template gives it. */
const hostOf = (url: string | null): string | null =>
  /^https?:\/\/(?:[^/?#@]*@)?([\w.:-]+)(?:[/?#]|$)/.exec(url ?? '')?.[1]?.toLowerCase() ?? null

export function nodeRunItem(row: NodeRunFacts): ItemText {
  const host = hostOf(row.url)
  return outcomeItem({
    row,
    whether: `the node ${isolated(row.node)} of the workflow ${isolated(row.key)} did its work${host === null ? '' : ` at ${host}`}`,
    subject: { type: 'execution', id: row.execution_id, label: row.key },
    what_to_do: `Find out at ${host ?? 'the receiver'} whether the request arrived, and record what you found. Its execution has ended: start another one, or do the rest by hand.`,
    ids: { run_id: row.id, execution_id: row.execution_id, workflow_id: row.workflow_id, node: row.node },
    effect: 'node_run',
    resolve: {
      path: `${root(row)}/workflows/${row.workflow_id}/executions/${row.execution_id}/runs/${row.id}/resolve`,
      role: 'owner',
      choices: ['completed', 'failed'],
    },
  })
}

export const oauthExchangeItem = (row: EffectFacts & OauthExchangeFacts): ItemText => {
  const isExchange = row.kind === 'exchange'
  const at = isolated(row.provider)
  return outcomeItem({
    row,
    whether: isExchange
      ? `${at} issued tokens for the account that was connected`
      : `${at} revoked the tokens of an account that was disconnected`,
    subject: { type: 'integration', id: row.connection_id, label: row.provider },
    what_to_do: isExchange
      ? `Remove the access of the application in the account at ${at}, if it is shown there, and connect the account again, which ends the item. Or record that it was not carried out.`
      : `Remove the access of the application in the account at ${at}, if it is shown there. Then record that it was carried out.`,
    mend: isExchange ? mending(row, 'POST', '/oauth/connect', 'owner') : null,
    ids: { integration_id: row.connection_id },
    effect: 'oauth_exchange',
    resolve: recorded(row, isExchange ? ['rejected'] : ['succeeded', 'rejected']),
  })
}
