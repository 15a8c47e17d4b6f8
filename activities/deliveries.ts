// Delivers events to one webhook at least once, under a constant id: leased, sent several at a time, and recorded in batches.

import { setTimeout as pause } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { unixNow } from '../adapters/clock.ts'
import { config } from '../config.ts'
import { newId } from '../entities/kit/ids.ts'
import { freeSlot, takeSlot } from '../entities/platform/task-slots.ts'
import * as rows from '../entities/webhooks/deliveries.ts'
import { afterTry, SLOTS_MAX, slotsAfter } from '../rules/webhooks/deliveries.ts'
import { statement, transaction } from './database.ts'
import { draining, untilWritten } from './once.ts'
import { sendDelivery } from './providers/webhook.ts'
import { signingKey } from './signatures.ts'
import { workerId } from './worker-id.ts'

/** A drain ends after this, so that its activity's result is recorded, or after a second without a delivery. */
const longestMs = 20_000
/**
 * While a request is under way it goes on, as ending would wait for that request and delay the deliveries that come due. Less than the activity's timeout minus
 * DELIVERY_TIMEOUT_MS.
 */
const longestHangingMs = 150_000
const idleMs = 1_000
/** A drain ends after this where other work of its store waits for a slot. Milliseconds. */
const yieldMs = 2_000
/** Pauses between two leases: the first while deliveries are due, growing to the most while none are. */
const lookMs = { first: 20, most: 200 }
/** A changed address or secret, or a disabled webhook, takes effect within this. */
const attendMs = 300
/** Both intervals while all deliveries in flight wait for an answer and none came due for a second: a hundred such webhooks do not load the database. */
const hangingMs = 1_000
const batchMax = 500

/** `gone_url`: the encrypted address that answered 410. */
type Noted = rows.Result & { gone_url: string | null }

/** Writes results in batches, one statement after the other; `last` waits for all of them and throws if one could not be written. */
function ledger(endpoint: () => rows.Endpoint): { note(result: Noted): void; last(): Promise<void>; lost(): boolean } {
  const noted: Noted[] = []
  let writing: Promise<void> | undefined
  let lost: unknown
  async function write(): Promise<void> {
    // Results that arrive together are written together.
    await pause(5)
    while (noted.length > 0 && lost === undefined) {
      const batch = noted.splice(0, batchMax)
      const settle = () =>
        statement((em) =>
          rows.settleDeliveries(
            em,
            endpoint(),
            batch,
            // A 410 of an address that was replaced meanwhile does not disable the new one.
            batch.some(({ gone_url }) => gone_url === endpoint().sealed_url),
            unixNow(),
          ),
        )
      // Retried while the database restarts: a delivery whose result is not written is sent again.
      for (let tries = 1; ; tries++) {
        try {
          await settle()
          break
        } catch (error) {
          if (tries === 10) {
            lost = error
            return
          }
          await pause(500)
        }
      }
    }
  }
  function begin(): void {
    writing ??= write().finally(() => {
      writing = undefined
      // Results that came while the last statement ended.
      if (noted.length > 0 && lost === undefined) begin()
    })
  }
  return {
    note(result) {
      noted.push(result)
      begin()
    },
    async last() {
      while (writing) await writing
      if (lost !== undefined) throw lost
    },
    lost: () => lost !== undefined,
  }
}

/** Milliseconds until the next delivery is due; null where none is left, none may be sent, or the webhook waits for a slot, whose grant signals it. */
async function drain(webhookId: string, stopped: () => boolean): Promise<number | null> {
  const attend = (everyMs = attendMs) => statement((em) => rows.attend(em, webhookId, 3 * everyMs))
  const endpoint = await attend()
  if (!endpoint) {
    // A drain that died before may have left its mark.
    await statement((em) => rows.clearAwake(em, webhookId))
    await statement((em) => freeSlot(em, webhookId))
    return null
  }
  const place = { tenant_id: endpoint.tenant_id, queue: 'deliveries', kind: 'deliver', row_id: webhookId } as const
  const holder = { id: newId(), worker: workerId }
  try {
    const granted = await transaction(async (em) => {
      if (await takeSlot(em, place, holder)) return true
      // In the same commit: a granted slot's signal is sent only to a webhook that no drain attends to.
      await rows.leave(em, endpoint)
      return false
    })
    return granted ? await drainWithSlot(endpoint, attend, stopped) : null
  } finally {
    // Also after a failed or unacknowledged commit, which may have taken the slot.
    await untilWritten(() => statement((em) => freeSlot(em, holder.id)))
  }
}

async function drainWithSlot(
  first: rows.Attended,
  attend: (everyMs?: number) => Promise<rows.Attended | null>,
  stopped: () => boolean,
): Promise<number | null> {
  let allowed: rows.Attended | null = first
  let endpoint = first
  let keys = endpoint.secrets.map(signingKey)
  const begun = performance.now()
  const flying = new Set<Promise<void>>()
  const { note, last, lost } = ledger(() => endpoint)
  let slots = SLOTS_MAX
  let failedInARow = 0
  let gone = false
  let room = Promise.withResolvers<void>()

  async function attempt(leased: rows.Leased): Promise<void> {
    const at = endpoint
    const { retry_after_s, status, ...sent } = await sendDelivery(at, keys, leased)
    const settled = afterTry({ status, retry_after_s }, leased.attempts, config.deliveryRetryS, Math.random())
    failedInARow = settled.status === 'succeeded' ? 0 : failedInARow + 1
    slots = slotsAfter(slots, failedInARow)
    const gone_url = status === 410 ? at.sealed_url : null
    // The next write disables the webhook.
    gone ||= gone_url === endpoint.sealed_url
    note({
      ...sent,
      id: leased.id,
      attempt: leased.attempts,
      status: settled.status,
      wait_ms: settled.status === 'pending' ? settled.wait_ms : null,
      provider_status_code: status,
      gone_url,
    })
  }

  async function sendDue(): Promise<void> {
    let attended = begun
    let seen = begun
    let lookIn = lookMs.first
    while (!stopped() && !lost() && !gone && performance.now() - begun < (flying.size > 0 ? longestHangingMs : longestMs)) {
      const hangs = flying.size > 0 && performance.now() - seen > idleMs
      const everyMs = hangs ? hangingMs : attendMs
      if (performance.now() - attended > everyMs) {
        attended = performance.now()
        allowed = await attend(everyMs)
        if (allowed ? allowed.others_wait && performance.now() - begun > yieldMs : flying.size === 0) return
        if (allowed) {
          if (allowed.secrets.join() !== endpoint.secrets.join()) keys = allowed.secrets.map(signingKey)
          endpoint = allowed
        }
      }
      // A webhook that was disabled may be enabled again while its requests are under way.
      const free = allowed ? slots - flying.size : 0
      const due = free > 0 ? await statement((em) => rows.leaseDeliveries(em, endpoint, free, config.deliveryTimeoutMs * 1.5)) : []
      for (const leased of due) {
        const one: Promise<void> = attempt(leased).finally(() => {
          flying.delete(one)
          if (flying.size <= slots / 2) room.resolve()
        })
        flying.add(one)
      }
      if (allowed && due.length >= free) {
        // More are due: the next lease waits for free slots, so that it takes many.
        room = Promise.withResolvers()
        await Promise.race([room.promise, pause(10)])
      } else {
        if (due.length > 0) seen = performance.now()
        else if (flying.size === 0 && performance.now() - seen > idleMs) return
        lookIn = due.length > 0 ? lookMs.first : Math.min(hangs ? hangingMs : lookMs.most, lookIn * 1.5)
        await pause(lookIn)
      }
    }
  }

  try {
    await sendDue()
  } finally {
    await Promise.all(flying)
    await last()
  }
  return statement((em) => rows.leave(em, endpoint))
}

/** Sends the deliveries that are due until none are. A lost worker's rows are due again when their lease ends. */
export async function drainDeliveries(webhookId: string): Promise<{ wait_ms: number | null }> {
  const { cancellationSignal } = Context.current()
  const beat = setInterval(() => Context.current().heartbeat(), 500)
  Context.current().cancelled.catch(() => {})
  try {
    return { wait_ms: await drain(webhookId, () => draining.now || cancellationSignal.aborted) }
  } finally {
    clearInterval(beat)
  }
}
