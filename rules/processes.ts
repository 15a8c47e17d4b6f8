<<<<<<< HEAD
// Every kind of process: its workflow's name is the kind, its workflow's id is kind/row id.
import { type EffectName, effects, type OwnProcess, ownProcesses } from './effects.ts'
=======
// Every kind of thing that is waited for: its workflow's name is the kind, its workflow's id is kind/row id, and this is its task queue.
// One that wakes lives for a while: starting it again signals it to look at its rows; `again`: only a start that says so does, and the first start that the
// outbox asks for is a plain one, which costs less. One that is plain is no effect: it has no outcome to look for.
// One that is prompt lets another worker decide after 2 s what a dead one was deciding; the others wait 10 s.
>>>>>>> 18a9251927b4282b08704ed0dd3e4d0b98bd9ce7

export const queueNames = ['money', 'deliveries', 'automation', 'mail', 'media', 'default'] as const
export type QueueName = (typeof queueNames)[number]

/**
 * How many activities of a queue one worker runs at a time. A node or a webhook that does not answer costs a socket until its timeout, and a tenant may have a
 * fifth of the slots waiting so (rules/shares.ts). An image costs a processor and, decoded, up to 256 MB; it waits for no other party, so its queue has no shares.
 */
export const slotsOf = (queue: QueueName, taskSlots: number): number =>
  queue === 'automation' || queue === 'deliveries' ? 5 * taskSlots : queue === 'media' ? 2 : taskSlots

/** What stores have shares of: the slots of task queues, and those of `computation`, which executions take to compute for longer than a moment. */
export type SlotPool = QueueName | 'computation'

/** The slots that a worker of these queues adds to each pool: of `computation` so many that one store's share keeps every thread of the sandbox at work. */
export const slotPoolsOf = (queues: readonly QueueName[], taskSlots: number, sandboxThreads: number): Partial<Record<SlotPool, number>> => ({
  ...Object.fromEntries(queues.map((queue) => [queue, slotsOf(queue, taskSlots)])),
  ...(queues.includes('automation') ? { computation: 5 * sandboxThreads } : {}),
})

<<<<<<< HEAD
export type Process = {
  queue: QueueName
  /** The workflow handles the signal `changed`: a start while it runs signals it to read its rows again. */
  signalled?: true
  /** Its workflows carry the search attribute `EffectStatus`. */
  outcome?: true
  /** A workflow task that a dead worker took times out after 2 s instead of 10 s. */
  prompt?: true
}
=======
export const processes = {
  checkout: { queue: 'money', wakes: 'again' },
  refund: { queue: 'money' },
  connect: { queue: 'money', wakes: true },
  onboarding_link: { queue: 'money' },
  mail: { queue: 'mail' },
  deliver: { queue: 'deliveries', wakes: true, plain: true, prompt: true },
  webhook_test: { queue: 'deliveries' },
  execution: { queue: 'automation', wakes: 'again', plain: true },
  schedule: { queue: 'automation', wakes: true, plain: true },
  scheduled: { queue: 'automation', plain: true },
  media: { queue: 'media', wakes: true, plain: true },
  script: { queue: 'default', plain: true },
  booking_reminder: { queue: 'default', wakes: true, plain: true },
} as const satisfies Record<string, { queue: QueueName; wakes?: true | 'again'; plain?: true; prompt?: true }>
>>>>>>> 18a9251927b4282b08704ed0dd3e4d0b98bd9ce7

const otherProcesses = {
  checkout: { queue: 'money', signalled: true, outcome: true },
  deliver: { queue: 'deliveries', signalled: true, prompt: true },
  execution: { queue: 'automation', signalled: true },
  schedule: { queue: 'automation', signalled: true },
  scheduled: { queue: 'automation' },
  media: { queue: 'media', signalled: true },
  script: { queue: 'default' },
  booking_reminder: { queue: 'default', signalled: true },
} as const satisfies Record<string, Process>

/** A process that is not one effect, and may send effects among its other steps. */
export type HostProcess = keyof typeof otherProcesses
export type ProcessKind = OwnProcess | HostProcess

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

/** The kind of the process that sends an effect. */
export const processOf = (name: EffectName): ProcessKind => {
  const row = effects[name]
  return 'host' in row ? row.host : (name as OwnProcess)
}

export const workflowId = (kind: ProcessKind, rowId: string): string => `${kind}/${rowId}`

/** The id of the Temporal schedule of a workflow. */
export const scheduleId = (rowId: string): string => `schedule/${rowId}`
