// Every kind of thing that is waited for: its workflow's name is the kind, its workflow's id is kind/row id, and this is its task queue.
// One that wakes lives for a while: starting it again tells it to look at its rows.

export const queueNames = ['money', 'deliveries', 'automation', 'mail', 'default'] as const
export type QueueName = (typeof queueNames)[number]

export const processes = {
  checkout: { queue: 'money', wakes: true },
  refund: { queue: 'money' },
  connect: { queue: 'money' },
  onboarding_link: { queue: 'money' },
  mail: { queue: 'mail' },
  deliver: { queue: 'deliveries', wakes: true },
  webhook_test: { queue: 'deliveries' },
  execution: { queue: 'automation', wakes: true },
  schedule: { queue: 'automation', wakes: true },
  scheduled: { queue: 'automation' },
  booking_reminder: { queue: 'default', wakes: true },
} as const satisfies Record<string, { queue: QueueName; wakes?: true }>

export type ProcessKind = keyof typeof processes

export const workflowId = (kind: ProcessKind, rowId: string): string => `${kind}/${rowId}`
