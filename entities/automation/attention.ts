// Nodes of graphs, and OAuth requests, whose outcome cannot be proved.
import type { EffectFacts } from '../../rules/attention.ts'
import { type NodeRunFacts, nodeRunItem, oauthExchangeItem } from '../../rules/automation/attention.ts'
import type { OauthExchangeFacts } from '../../rules/automation/descriptions.ts'
import { attendsEffect } from '../kit/attention.ts'
import { sql } from '../kit/database/sql.ts'
import { nodeRunEffect } from './node-run.ts'
import { oauthExchangeEffect } from './oauth-exchanges.ts'

export const nodeRunAttention = attendsEffect<NodeRunFacts>(nodeRunEffect, {
  labels: sql`
    join executions n on n.id = x.execution_id and n.tenant_id = x.tenant_id
    join workflows w on w.id = n.workflow_id and w.tenant_id = n.tenant_id
    left join graphs g on g.id = n.graph_id and g.tenant_id = n.tenant_id
  `,
  columns: sql`x.execution_id, n.workflow_id, w.key, x.node, g.nodes -> x.node ->> 'url' as url`,
  elsewhere: true,
  text: nodeRunItem,
})

/** Until a later code was exchanged for the account. Integrations are shown to owners alone. */
export const oauthAttention = attendsEffect<EffectFacts & OauthExchangeFacts>(oauthExchangeEffect, {
  may: 'owner',
  columns: sql`x.kind, x.provider, x.connection_id`,
  matters: sql`
    (
      x.kind = 'revoke'
      or not exists (
        select 1
        from oauth_exchanges n
        where n.tenant_id = x.tenant_id
          and n.connection_id = x.connection_id
          and n.created_at >= x.created_at
          and n.kind = 'exchange'
          and n.status = 'succeeded'
      )
    )
  `,
  text: oauthExchangeItem,
})
