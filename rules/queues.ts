// The task queues, and how many activities of each a worker runs at a time.
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
