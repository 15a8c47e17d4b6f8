// Effects that hold a slot of their store while they are sent: one that was deferred has freed it, and takes it again.

import type { EntityManager } from '@mikro-orm/postgresql'
import { ApplicationFailure } from '@temporalio/common'
import { log } from '../../adapters/log.ts'
import { freeSlot, type Place, takeSlot } from '../../entities/platform/task-slots.ts'
import type { EffectName } from '../../rules/effects.ts'
import { statement, transaction } from './database.ts'
import type { Sender } from './once.ts'

/** An effect that waits for a slot is signalled when it is granted; this is for a signal that was lost. */
const slotWaitMs = 600_000

/**
 * `unslotted`: where a row that is to be sent takes its slot, if it needs one and holds none; `waits` if it is not to
 * be sent by this attempt. Throws as `once` does; Deferred while no slot is free, or it waits.
 */
export const slotted = <N extends EffectName>(
  sender: Sender<N>,
  unslotted: (em: EntityManager, id: string) => Promise<Place | 'waits' | undefined>,
): Sender<N> => ({
  ...sender,
  async send(id, token, limitMs) {
    const place = await statement((em) => unslotted(em, id))
    if (place === 'waits' || (place && !(await transaction((em) => takeSlot(em, place, { id, worker: null })))))
      throw ApplicationFailure.create({
        type: 'Deferred',
        message: 'no_slot',
        nonRetryable: true,
        details: [slotWaitMs],
      })
    try {
      return await sender.send(id, token, limitMs)
    } catch (error) {
      // The server has answered: while the effect waits for its next attempt, minutes later, others of the store are
      // sent.
      // A slot that it keeps, without the database, is freed when its row is settled.
      if (error instanceof ApplicationFailure && error.type === 'Deferred')
        await statement((em) => freeSlot(em, id)).catch((err) => log.warn({ id, err }, 'slot not freed'))
      throw error
    }
  },
})
