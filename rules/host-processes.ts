// The processes that are not one effect: each may send effects among its other steps.
import type { QueueName } from './queues.ts'

export type Process = {
  queue: QueueName
  /**
   * The workflow handles the signal `changed`: every start signals it to read its rows again. `again`: only a start
   * that asks for it signals, and the first start that the outbox asks for is a plain one, which costs less.
   */
  signalled?: true | 'again'
  /** Its workflows carry the search attribute `EffectStatus`. */
  outcome?: true
  /** The backlog of its queue is served in turns of the accounts that created the tenants, instead of the tenants. */
  turns?: 'account'
  /** A workflow task that a dead worker took times out after 2 s instead of 10 s. */
  prompt?: true
}

export const hostProcesses = {
  checkout: { queue: 'money', signalled: 'again', outcome: true },
  portal: { queue: 'money', outcome: true },
  membership: { queue: 'money', signalled: 'again', outcome: true },
  deliver: { queue: 'deliveries', signalled: true, prompt: true },
  dispatch: { queue: 'campaigns', signalled: true, prompt: true },
  inbox: { queue: 'inbox', signalled: true },
  execution: { queue: 'automation', signalled: 'again' },
  model_turn: { queue: 'agents' },
  channel: { queue: 'agents', signalled: 'again' },
  schedule: { queue: 'automation', signalled: true },
  scheduled: { queue: 'automation' },
  media: { queue: 'media', signalled: true, turns: 'account' },
  social_connection: { queue: 'social', signalled: 'again' },
  publication: { queue: 'social', signalled: 'again', outcome: true },
  social_sync: { queue: 'engagement', signalled: 'again' },
  script: { queue: 'default' },
  enrollment_import: { queue: 'default' },
  erasure: { queue: 'default', signalled: 'again' },
  listings: { queue: 'default', signalled: 'again' },
  booking_reminder: { queue: 'default', signalled: true },
} as const satisfies Record<string, Process>

/** A process that is not one effect, and may send effects among its other steps. */
export type HostProcess = keyof typeof hostProcesses
