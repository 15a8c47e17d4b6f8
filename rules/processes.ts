// Every kind of thing that is waited for: its workflow's name is the kind, its workflow's id is kind/row id, and this is its task queue.
// One that wakes lives for a while: starting it again signals it to look at its rows; `again`: only a start that says so does, and the first start that the
// outbox asks for is a plain one, which costs less. One that is plain is no effect: it has no outcome to look for.
// One that is prompt lets another worker decide after 2 s what a dead one was deciding; the others wait 10 s.

export const queueNames = ['money', 'deliveries', 'automation', 'mail', 'media', 'default'] as const
export type QueueName = (typeof queueNames)[number]

/**
 * How many activities of a queue one worker runs at a time. A node or a webhook that hangs costs a socket, for as long as its timeout, and a tenant may have a
 * fifth of the slots waiting so (rules/shares.ts). An image takes a processor and, decoded, up to 256 MB; it waits for no other party, so its queue has no shares.
 */
export const slotsOf = (queue: QueueName, taskSlots: number): number =>
  queue === 'automation' || queue === 'deliveries' ? 5 * taskSlots : queue === 'media' ? 2 : taskSlots

/** What stores have shares of: the slots of task queues, and those of `computation`, which executions take to compute for longer than a moment. */
export type SlotPool = QueueName | 'computation'

/** The slots that a worker of these queues adds to each pool: of `computation` so many that a store alone may keep every thread of the sandbox at work. */
export const slotPoolsOf = (queues: readonly QueueName[], taskSlots: number, sandboxThreads: number): Partial<Record<SlotPool, number>> => ({
  ...Object.fromEntries(queues.map((queue) => [queue, slotsOf(queue, taskSlots)])),
  ...(queues.includes('automation') ? { computation: 5 * sandboxThreads } : {}),
})

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

export type ProcessKind = keyof typeof processes
export const processKinds = Object.keys(processes) as ProcessKind[]

export const workflowId = (kind: ProcessKind, rowId: string): string => `${kind}/${rowId}`

/** Of the engine's schedule of a workflow. */
export const scheduleId = (rowId: string): string => `schedule/${rowId}`
