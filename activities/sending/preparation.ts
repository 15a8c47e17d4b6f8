// The state of one drain that prepares the messages of its mailbox: steps and tokens that were read, and how many more
// messages there is room for.
import { unixNow } from '../../adapters/clock.ts'
import { unsubscribeTokens } from '../../entities/audiences/member-tokens.ts'
import type { Attended, OpenCampaign } from '../../entities/sending/dispatch.ts'
import * as rows from '../../entities/sending/leasing.ts'
import { dayLeft } from '../../entities/sending/sending.ts'
import type { SendQueue } from '../../rules/sending/send-queue.ts'
import { AHEAD_MAX, AHEAD_S, CONTENT_BYTES_MAX, domainOf, LEASE_MAX } from '../../rules/sending/sending.ts'
import { statement } from '../kit/database.ts'

/** A message that waits to be sent. `bytes`: of the content in memory, or of what has to be read. */
export type Ahead = {
  id: string
  domain: string
  bytes: number
  campaign_id: string
  enrollment_id: string
  audience_id: string | null
  step: number
  try: number
  address: string
  /** As it is packed (entities/sending/content.ts). Null: it is read with the claim. */
  content: Buffer | null
}

/** One message to render. `message_id`: of a message that was written before; null for a leased enrollment. */
export type MessageTask = {
  enrollment_id: string
  campaign_id: string
  step: number
  address: string
  audience_id: string | null
  message_id: string | null
  try: number
}

/** Pauses after looks at which nothing was due: the first one; they double up to the most. */
export const lookRestMs = { first: 100, most: 1_000 }

/** `mailbox`: as it was attended to last. Times are those of performance.now(). */
export type Preparation = {
  readonly mailbox: () => Attended
  readonly queue: SendQueue<Ahead>
  /** Called when messages can be sent. */
  readonly woken: () => void
  /** By campaign and position. */
  readonly steps: Map<string, rows.Step>
  /** Tokens to unsubscribe with, by enrollment. */
  readonly tokens: Map<string, string>
  /** How many messages of a step failed to render, until one did not. */
  readonly failures: Map<string, number>
  /** Steps of which a message was rendered. */
  readonly rendered: Set<string>
  /** Campaigns that this drain has paused, until they are attended to without it. */
  readonly paused: Set<string>
  /** Messages are being prepared, not only looked for. */
  isWorking: boolean
  isEnding: boolean
  /** The limit of the day leaves nothing, as far as is known. */
  isDayOver: boolean
  /** A message was given up, and waits in the database. */
  hasGivenUp: boolean
  backlogAt: number
  lookAt: number
  restMs: number
}

export const newPreparation = (mailbox: () => Attended, queue: SendQueue<Ahead>, woken: () => void): Preparation => ({
  ...{ mailbox, queue, woken },
  ...{ steps: new Map(), tokens: new Map(), failures: new Map(), rendered: new Set(), paused: new Set() },
  ...{ isWorking: false, isEnding: false, isDayOver: false, hasGivenUp: false },
  ...{ backlogAt: 0, lookAt: 0, restMs: lookRestMs.first },
})

export const openCampaigns = ({ mailbox, paused }: Pick<Preparation, 'mailbox' | 'paused'>): OpenCampaign[] =>
  mailbox().campaigns.filter(({ id }) => !paused.has(id))

/** Reads the steps of campaigns that were not read yet. */
export async function readSteps(
  { mailbox, steps }: Pick<Preparation, 'mailbox' | 'steps'>,
  campaignIds: Iterable<string>,
): Promise<void> {
  const missing = [...new Set(campaignIds)].filter((id) => !steps.has(`${id}/0`))
  if (missing.length === 0) return
  for (const step of await statement((em) => rows.readSteps(em, mailbox().tenant_id, missing)))
    steps.set(`${step.campaign_id}/${step.position}`, step)
}

export const stepOf = (
  { steps }: Pick<Preparation, 'steps'>,
  { campaign_id, step }: Pick<MessageTask, 'campaign_id' | 'step'>,
): rows.Step | undefined => steps.get(`${campaign_id}/${step}`)

/** Reads the tokens of enrollments that were not read yet, and makes those that do not exist. */
export async function readTokens(
  { mailbox, tokens }: Pick<Preparation, 'mailbox' | 'tokens'>,
  enrollmentIds: readonly string[],
): Promise<void> {
  const missing = enrollmentIds.filter((id) => !tokens.has(id))
  if (missing.length === 0) return
  for (const [id, token] of await statement((em) => unsubscribeTokens(em, mailbox().tenant_id, missing, unixNow())))
    tokens.set(id, token)
}

/** Adds a written message to those that wait to be sent. */
export function enqueue(
  { queue }: Pick<Preparation, 'queue'>,
  task: MessageTask,
  id: string,
  content: Ahead['content'],
): void {
  const { campaign_id, enrollment_id, audience_id, step, address } = task
  queue.add({
    ...{ id, domain: domainOf(address), bytes: content?.length ?? 0, content },
    ...{ campaign_id, enrollment_id, audience_id, step, address, try: task.try },
  })
}

/** How many more may be written ahead, without the limit of the day. What it cannot send soon is left to others. */
export function roomAhead({ mailbox, queue }: Pick<Preparation, 'mailbox' | 'queue'>): number {
  if (queue.size() + LEASE_MAX > AHEAD_MAX || queue.bytes() >= CONTENT_BYTES_MAX) return 0
  const { per_second } = mailbox().limits
  if (per_second === null) return LEASE_MAX
  const most = Math.max(1, Math.ceil(per_second * AHEAD_S))
  // Several at a time.
  return queue.size() > most / 2 ? 0 : Math.min(LEASE_MAX, most - queue.size())
}

/** How many more the limit of the day allows, at least. Notes whether it leaves nothing. */
export async function roomOfDay(state: Pick<Preparation, 'mailbox' | 'queue' | 'isDayOver'>): Promise<number> {
  const { mailbox, queue } = state
  const { per_day } = mailbox().limits
  // Counted before the day is read: a message that is taken meanwhile is counted twice, never missed.
  const waiting = queue.size()
  const left =
    per_day === null ? LEASE_MAX : (await statement((em) => dayLeft(em, mailbox(), per_day, unixNow()))) - waiting
  state.isDayOver = left <= 0
  return left
}
