// The tables of workflows, executions and integrations.
import { awaitsRevocations } from '../kit/erasure-conditions.ts'
import { settled } from '../kit/expiry.ts'
import { deletedWith, record, swept, type Tables } from '../kit/table.ts'
import { sweepExecutions } from './expiring.ts'

export const automationTables = {
  build_hooks: { rows: record() },
  executions: { rows: swept('executions', sweepExecutions) },
  graphs: { rows: deletedWith('executions', 'one per change of a workflow') },
  integrations: { rows: record() },
  oauth_exchanges: {
    rows: swept('oauth_exchanges', settled(), 'one per exchange or revocation of tokens'),
    erasure: { awaits: awaitsRevocations },
  },
  node_runs: { rows: deletedWith('executions', 'deleted with their execution') },
  workflows: { rows: record() },
} satisfies Tables
