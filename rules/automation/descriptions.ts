// What the workflows of executions and OAuth exchanges are called in Temporal's UI, and which call resolves their
// unknown outcomes.
import { call, callOf, type DescribedRow, type Description, root, storeOf } from '../descriptions.ts'
import type { OauthRequestKind } from './oauth.ts'

export type OauthExchangeFacts = DescribedRow & { kind: OauthRequestKind; provider: string; connection_id: string }

export function describeOauthExchange(exchange: OauthExchangeFacts): Description {
  const { kind, provider, connection_id } = exchange
  const summary = `OAuth ${kind === 'exchange' ? 'exchange' : 'revocation'} at ${provider}, ${storeOf(exchange)}`
  const details =
    kind === 'exchange'
      ? [
          `An ${summary}, for the integration \`${connection_id}\`.`,
          '**If it is `unknown`**, the provider may have issued tokens that were not received. The code is not sent again: a second request may revoke the tokens of the first ' +
            "(RFC 6749, 4.1.2). Remove the application's access in the account at the provider, if it is shown there; then sign in again and send the new code, as an owner:",
          callOf(exchange, `POST ${root(exchange)}/oauth/connect`, { provider, code: '…', redirect_uri: '…' }),
        ]
      : [
          `An ${summary}. The tokens are deleted here.`,
          "**If it is `unknown`, `rejected` or has `failed`**, the token may still be valid: remove the application's access in the account at the provider. The connections that are left:",
          call(`GET ${root(exchange)}/integrations?category=oauth`),
        ]
  return { summary, details: details.join('\n\n') }
}

export type ExecutionFacts = DescribedRow & { workflow_id: string; key: string }

export function describeExecution(execution: ExecutionFacts): Description {
  const summary = `${[...execution.key].slice(0, 80).join('')} of ${storeOf(execution)}`
  const details = [
    `An execution of ${summary}.`,
    '**If it is `unknown`**, the execution names the node and its `run_id`. Check the receiver, then start another execution or complete the work by hand:',
    call(`GET ${root(execution)}/workflows/${execution.workflow_id}/executions/${execution.id}`),
    'Record what you found, as an owner. The outcome is `completed` or `failed`:',
    call(
      `POST ${root(execution)}/workflows/${execution.workflow_id}/executions/${execution.id}/runs/<run_id>/resolve`,
      {
        outcome: 'completed or failed',
        note: 'what you found',
      },
    ),
  ]
  return { summary, details: details.join('\n\n') }
}
