// Every kind of process: its workflow's name is the kind, its workflow's id is kind/row id.
import { type EffectName, effects, type OwnProcess, ownProcesses } from './effects.ts'

export const queueNames = [
  'money',
  'deliveries',
  'campaigns',
  'automation',
  'agents',
  'mail',
  'inbox',
  'media',
  'social',
  'engagement',
  'default',
] as const
export type QueueName = (typeof queueNames)[number]

/** Queues whose activities mostly wait for other parties. */
const manySlots: ReadonlySet<QueueName> = new Set(['automation', 'agents', 'deliveries', 'campaigns', 'inbox'])

/**
 * How many activities of a queue one worker runs at a time. A node, a webhook or a store's mail server that does not
 * answer costs a socket until its timeout, and a tenant may have a fifth of the slots waiting so (rules/shares.ts). An
 * image costs a processor and, decoded, up to 256 MB; it waits for no other party, so its queue has no shares.
 */
export const slotsOf = (queue: QueueName, taskSlots: number): number =>
  manySlots.has(queue) ? 5 * taskSlots : queue === 'media' ? 2 : taskSlots

/**
 * What stores have shares of: the slots of task queues, and those of `computation`, which executions take to compute
 * for longer than a moment.
 */
export type SlotPool = QueueName | 'computation'

/**
 * The slots that a worker of these queues adds to each pool: of `computation` so many that one store's share keeps
 * every thread of the sandbox at work.
 */
export const slotPoolsOf = (
  queues: readonly QueueName[],
  taskSlots: number,
  sandboxThreads: number,
): Partial<Record<SlotPool, number>> => ({
  ...Object.fromEntries(queues.map((queue) => [queue, slotsOf(queue, taskSlots)])),
  ...(queues.includes('automation') ? { computation: 5 * sandboxThreads } : {}),
})

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

const otherProcesses = {
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
export type HostProcess = keyof typeof otherProcesses
export type ProcessKind = OwnProcess | HostProcess

/** The effects that a process sends. */
export type EffectOf<K extends ProcessKind> = {
  [N in EffectName]: (typeof effects)[N] extends { host: infer H } ? (H extends K ? N : never) : N extends K ? N : never
}[EffectName]

/** The kinds whose workflows are signalled only by a start that asks for it. */
export type AgainKind =
  | { [K in HostProcess]: (typeof otherProcesses)[K] extends { signalled: 'again' } ? K : never }[HostProcess]
  | { [K in OwnProcess]: (typeof effects)[K] extends { signalled: 'again' } ? K : never }[OwnProcess]

export const processes = {
  ...(Object.fromEntries(
    ownProcesses.map((name): [OwnProcess, Process] => {
      const { queue, ...row } = effects[name]
      return [name, { queue, outcome: true, ...('signalled' in row ? { signalled: row.signalled } : {}) }]
    }),
  ) as Record<OwnProcess, Process>),
  ...(otherProcesses as Record<HostProcess, Process>),
}
export const processKinds = Object.keys(processes) as ProcessKind[]
export const isProcessKind = (text: string): text is ProcessKind => Object.hasOwn(processes, text)

/** The kind of the process that sends an effect. */
export const processOf = (name: EffectName): ProcessKind => {
  const row = effects[name]
  return 'host' in row ? row.host : (name as OwnProcess)
}

export const workflowId = (kind: ProcessKind, rowId: string): string => `${kind}/${rowId}`

/** The id of the Temporal schedule of a workflow. */
export const scheduleId = (rowId: string): string => `schedule/${rowId}`
