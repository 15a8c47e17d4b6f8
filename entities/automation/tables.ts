// The tables of workflows, executions and integrations.
import { awaitsRevocations, inFlight } from '../kit/erasure-conditions.ts'
import { settled } from '../kit/expiry.ts'
import { atOnce, deletedWith, noWait, record, swept, type Tables } from '../kit/table.ts'
import { sweepExecutions } from './expiry.ts'

export const automationTables = {
  build_hooks: { rows: record(), erasure: atOnce },
  executions: {
    rows: swept('executions', sweepExecutions),
    erasure: noWait('they are cancelled, and the runs of their nodes are awaited'),
  },
  graphs: { rows: deletedWith('executions', 'one per change of a workflow'), erasure: atOnce },
  integrations: {
    rows: record(),
    erasure: noWait('accounts are disconnected, and the requests that revoke their tokens are awaited'),
  },
  oauth_exchanges: {
    rows: swept('oauth_exchanges', settled(), 'one per exchange or revocation of tokens'),
    erasure: { awaits: awaitsRevocations },
  },
  node_runs: { rows: deletedWith('executions', 'deleted with their execution'), erasure: inFlight },
  workflows: { rows: record(), erasure: noWait('their schedules are removed before their rows are deleted') },
} satisfies Tables
