// Writes the messages of one mailbox ahead of their sending: leases what is due, renders it, and inserts it; reads what
// earlier drains have written.
import { log } from '../../adapters/log.ts'
import type { Attended } from '../../entities/sending/dispatch.ts'
import * as rows from '../../entities/sending/leasing.ts'
import type { SendQueue } from '../../rules/sending/send-queue.ts'
import { AHEAD_MAX, LEASE_MAX } from '../../rules/sending/sending.ts'
import { statement } from '../kit/database.ts'
import { untilWritten } from '../kit/once.ts'
import {
  type Ahead,
  enqueue,
  lookRestMs,
  type MessageTask,
  newPreparation,
  openCampaigns,
  type Preparation,
  readSteps,
  readTokens,
  roomAhead,
  roomOfDay,
  stepOf,
} from './preparation.ts'
import { chunks, prepareStep, releaseTasks } from './step-messages.ts'

const backlogMs = 2_000

/** Renders and writes messages, those of one step together. */
async function prepareTasks(state: Preparation, tasks: readonly MessageTask[]): Promise<void> {
  state.isWorking = true
  await readSteps(
    state,
    tasks.map(({ campaign_id }) => campaign_id),
  )
  for (const same of Map.groupBy(tasks, ({ campaign_id, step }) => `${campaign_id}/${step}`).values())
    await prepareStep(state, same)
}

/** Enqueues what earlier drains have written and what is due again. Stale messages are rendered again. */
async function prepareBacklog(state: Preparation): Promise<void> {
  const { mailbox, queue } = state
  const campaignIds = openCampaigns(state).map(({ id }) => id)
  state.backlogAt = performance.now() + backlogMs
  state.hasGivenUp = false
  const due = await statement((em) => rows.dueMessages(em, mailbox(), campaignIds, AHEAD_MAX))
  await readSteps(
    state,
    due.map(({ campaign_id }) => campaign_id),
  )
  const found = due.filter(({ id }) => !queue.has(id)).map((one) => ({ ...one, message_id: one.id }))
  await readTokens(
    state,
    found.map(({ enrollment_id }) => enrollment_id),
  )
  const [stale, fresh] = [found.filter(({ is_stale }) => is_stale), found.filter(({ is_stale }) => !is_stale)]
  for (const task of fresh) enqueue(state, task, task.message_id, null)
  if (found.length > 0) state.woken()
  for (const part of chunks(stale, LEASE_MAX)) await prepareTasks(state, part)
}

/** Leases enrollments that are due. Where none are, the next look waits, longer each time. */
async function leaseTasks(
  state: Pick<Preparation, 'mailbox' | 'lookAt' | 'restMs'>,
  most: number,
  shares: readonly { id: string; mailboxes: number }[],
): Promise<MessageTask[]> {
  const leased = most <= 0 ? [] : await statement((em) => rows.leaseEnrollments(em, state.mailbox(), shares, most))
  if (leased.length === 0) {
    state.lookAt = performance.now() + state.restMs
    state.restMs = Math.min(lookRestMs.most, 2 * state.restMs)
    return []
  }
  state.restMs = lookRestMs.first
  return leased.map(({ id, ...one }) => ({ ...one, enrollment_id: id, message_id: null, try: 1 }))
}

const mayLease = (state: Preparation): boolean =>
  !state.hasGivenUp && roomAhead(state) > 0 && performance.now() > state.lookAt

/** Leases enrollments and prepares their messages while there is room. Those of a failure are released. */
async function prepareLeased(state: Preparation): Promise<void> {
  while (mayLease(state)) {
    const shares = openCampaigns(state).map(({ id, mailboxes }) => ({ id, mailboxes }))
    if (shares.length === 0) return
    const most = Math.min(roomAhead(state), await roomOfDay(state))
    if (state.isEnding || state.hasGivenUp) return
    const tasks = await leaseTasks(state, most, shares)
    if (tasks.length === 0) return
    try {
      await prepareTasks(state, tasks)
    } catch (error) {
      await untilWritten(() => releaseTasks(state, tasks))
      throw error
    }
  }
}

async function prepareRound(state: Preparation): Promise<void> {
  if (performance.now() > state.backlogAt) await prepareBacklog(state)
  await prepareLeased(state)
}

/** `mailbox`: as it was attended to last. `woken` is called when messages can be sent. */
export function newPreparing(mailbox: () => Attended, queue: SendQueue<Ahead>, woken: () => void) {
  const state = newPreparation(mailbox, queue, woken)
  let running: Promise<void> | undefined

  /** Messages were given back: they are due again soon. */
  function lookAgain(): void {
    state.backlogAt = Math.min(state.backlogAt, performance.now() + 300)
  }

  return {
    /** Prepares more, unless it does already. */
    more(): void {
      const all = mailbox().campaigns
      for (const id of state.paused) if (!all.some((one) => one.id === id)) state.paused.delete(id)
      // A round without a campaign would end at once and wake its caller, again and again.
      if (running || openCampaigns(state).length === 0) return
      if (!mayLease(state) && performance.now() <= state.backlogAt) return
      running = prepareRound(state)
        .catch((error) => {
          log.warn({ mailbox_id: mailbox().id, err: error }, 'messages not prepared')
          state.lookAt = performance.now() + 1_000
        })
        .finally(() => {
          running = undefined
          state.isWorking = false
          woken()
        })
    },
    lookAgain,
    /** The limit of the day leaves nothing, as far as is known. */
    isDayOver: () => state.isDayOver,
    /** The limit of the day leaves something after all. */
    dayGoesOn(): void {
      state.isDayOver = false
      state.lookAt = 0
    },
    /** A message that was taken is not sent now: what the limit of the day leaves is for it first. */
    gaveUp(): void {
      if (mailbox().limits.per_day === null) return
      state.hasGivenUp = true
      lookAgain()
    },
    /** Messages are being prepared, not only looked for. */
    isWorking: () => state.isWorking,
    /** Resolves when nothing is being prepared. What waits for the renderer is given back. */
    async ended(): Promise<void> {
      state.isEnding = true
      await running
    },
    /** Of a message that was prepared: its step was read. */
    stepOf: (ahead: Ahead): rows.Step => stepOf(state, ahead) as rows.Step,
    tokenOf: (enrollmentId: string): string => state.tokens.get(enrollmentId) as string,
    forget: (enrollmentId: string) => state.tokens.delete(enrollmentId),
  }
}
export type Preparing = ReturnType<typeof newPreparing>
