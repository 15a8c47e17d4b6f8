// Erases a tenant: ends what is pending, and deletes its files, schedules and rows, one batch per commit. A worker that
// is killed loses one batch.
import { isDeepStrictEqual } from 'node:util'
import { unixNow } from '../../adapters/clock.ts'
import { bucket } from '../../adapters/object-storage/object-storage.ts'
import { channelPlans } from '../../entities/agents/channels.ts'
import { unscheduled } from '../../entities/automation/schedules.ts'
import { eraseMedia } from '../../entities/content/media-rows.ts'
import { awaitedRows, type Counts, isKept } from '../../entities/erasure/awaited-rows.ts'
import { erasedTables, eraseRows, eraseThese } from '../../entities/erasure/erased-tables.ts'
import {
  type MovedErasure,
  moveErasure,
  type OpenErasure,
  openErasure,
  removeTenant,
} from '../../entities/erasure/erasures.ts'
import { blocking, endPending, openItems, openOutcomes } from '../../entities/erasure/settlement.ts'
import { variantNames } from '../../rules/content/media.ts'
import { type ErasedTable, type ErasureStep, hasOpen, WAITS_MAX_S } from '../../rules/erasure/erasures.ts'
import { leaveChannels } from '../agents/channels.ts'
import { applySchedule } from '../automation/schedules.ts'
import { statement, transaction } from '../kit/database.ts'
import { failpoint } from '../kit/failpoints.ts'
import { slice } from '../kit/slices.ts'
import { countsText, type Visit, type Visited, type Walk, walkOn } from '../scripts/walk.ts'

/** Files and schedules that are removed at a time. */
const partsMax = 100

/** What is removed before the rows of a table: returns the ids of rows that can be deleted then. Idempotent. */
const removals: Readonly<Record<string, (tenantId: string) => Promise<string[]>>> = {
  channels: async (tenantId) => leaveChannels(await statement((em) => channelPlans(em, tenantId, partsMax))),
  async media(tenantId) {
    const files = await statement((em) => eraseMedia(em, tenantId, partsMax, unixNow()))
    await Promise.all(files.map((file) => bucket().remove(file, variantNames)))
    return files.map(({ id }) => id)
  },
  async workflows(tenantId) {
    const rows = await statement((em) => unscheduled(em, tenantId, partsMax))
    for (const { id } of rows) await applySchedule(id)
    return rows.map(({ id }) => id)
  },
}

async function settle(erasure: OpenErasure): Promise<ErasureStep> {
  const { erased_id, status, created_at } = erasure
  if (await transaction((em) => endPending(em, erased_id, unixNow()), erased_id)) return 'more'
  const now = unixNow()
  const { continued, open } = erasure
  const awaited = await statement((em) => awaitedRows(em, erased_id, continued, now))
  const move = (to: Omit<MovedErasure, 'progress'>) =>
    statement((em) => moveErasure(em, erasure, { ...to, progress: null }, now))
  const isNone = (counts: Counts) => Object.keys(counts).length === 0
  if (isNone(awaited)) {
    const copied = await statement((em) => openOutcomes(em, erased_id, open, now))
    await move({ status: 'deleting', message: 'Deletes the rows.', ...(hasOpen(copied) ? { open: copied } : {}) })
    return 'more'
  }
  const items = await statement((em) => openItems(em, erased_id))
  const blocked = blocking(items, now).filter(({ of_plan }) => !continued || (of_plan && !continued.plans))
  const isStuck = Math.max(created_at, continued?.at ?? 0) < now - WAITS_MAX_S
  if (blocked.length === 0 && !isStuck) {
    await move({ status, message: `Waits for ${countsText(awaited)}.` })
    return 'wait'
  }
  const kinds = Object.entries(Object.groupBy(blocked, ({ kind }) => kind)).map(([kind, of]): [string, number] => [
    kind,
    of?.length ?? 0,
  ])
  const what =
    blocked.length > 0
      ? `Needs a person: ${countsText(Object.fromEntries(kinds))}. `
      : 'Needs a person: it has waited for an hour. '
  await move({ status, message: `${what}Waits for ${countsText(awaited)}.`, needs_attention: true })
  return 'attention'
}

/**
 * What is recorded after a batch: the end of the first pass removes the tenant, that of the second ends the erasure.
 */
function outcomeOf({ status }: OpenErasure, walk: Walk): { step: ErasureStep; to: MovedErasure } {
  const { at, counts } = walk
  const first = status === 'deleting'
  const message = first ? `Deleted: ${countsText(counts.deleted)}.` : null
  if (at !== null) return { step: 'more', to: { status, progress: walk, message } }
  if (counts.kept)
    return {
      step: 'wait',
      to: {
        status: first ? 'settling' : status,
        progress: null,
        message: `Not deleted yet: ${countsText(counts.kept)}.`,
      },
    }
  return { step: 'over', to: { status: first ? 'deleted' : 'succeeded', progress: null, message } }
}

/** `next`: the erasure as the next batch finds it, if no other worker continues with it; null: it has to be read. */
type Batch = { step: ErasureStep; next: OpenErasure | null }

/**
 * Deletes rows of one table, after those of `ids` were prepared. Tables without a row are passed over in the same
 * transaction.
 */
const deleteBatch = (
  erasure: OpenErasure,
  tables: readonly ErasedTable[],
  ids: readonly string[] | null,
): Promise<Batch> =>
  transaction(async (em) => {
    const { id, erased_id } = erasure
    const found = await openErasure(em, id, unixNow(), true)
    // Another worker of the same erasure has gone on meanwhile.
    if (!isDeepStrictEqual(found, erasure)) return { step: 'more', next: null }
    let deleted = 0
    const visit = async (name: string, rows: Parameters<Visit>[1]): Promise<Visited> => {
      const table = tables.find((one) => one.name === name)
      if (!table || !('after' in rows)) return { last: null, busy: [], counts: {} }
      const erased =
        ids && name in removals
          ? await eraseThese(em, table, erased_id, ids, rows.after)
          : await eraseRows(em, table, erased_id, rows.after, isKept(name, erasure, unixNow()))
      deleted += erased.deleted
      return { last: erased.last, busy: [], counts: { deleted: erased.deleted, kept: erased.kept } }
    }
    const parts = tables.map(({ name }) => name)
    let walk = await walkOn(parts, erasure.progress as Walk | null, visit)
    while (deleted === 0 && walk.at !== null && !(walk.at in removals)) walk = await walkOn(parts, walk, visit)
    const { step, to } = outcomeOf(erasure, walk)
    if (to.status === 'deleted' && erasure.status === 'deleting') await removeTenant(em, erasure)
    await moveErasure(em, erasure, to, unixNow())
    await failpoint('erasure_batch', 'erasures', id)
    return { step, next: { ...erasure, progress: to.progress } }
  })

/** Foreign keys: PostgreSQL 18 reports those that restrict under a state of their own. */
const referred = new Set<unknown>(['23503', '23001'])

/**
 * A row that is kept, or was written behind the walk, refers to one that is deleted: what is awaited is looked at, and
 * the walk begins again.
 */
const begunAgain =
  (erasure: OpenErasure) =>
  async (error: unknown): Promise<Batch> => {
    if (!referred.has((error as { code?: unknown }).code)) throw error
    const first = erasure.status === 'deleting'
    await statement((em) =>
      moveErasure(
        em,
        erasure,
        {
          status: first ? 'settling' : erasure.status,
          progress: null,
          message: 'Begins again: a row was written meanwhile.',
        },
        unixNow(),
      ),
    )
    return { step: 'wait', next: null }
  }

async function batch(id: string, known: OpenErasure | null, readTables: () => Promise<ErasedTable[]>): Promise<Batch> {
  const erasure = known ?? (await statement((em) => openErasure(em, id, unixNow())))
  if (!erasure) return { step: 'over', next: null }
  if (erasure.status === 'settling') return { step: await settle(erasure), next: null }
  const tables = await readTables()
  const at = (erasure.progress as Walk | null)?.at ?? tables[0]?.name ?? ''
  const ids = (await removals[at]?.(erasure.erased_id)) ?? null
  return deleteBatch(erasure, tables, ids).catch(begunAgain(erasure))
}

/**
 * A slice of batches. `wait`: a row is awaited, and the next slice should begin after a pause. `knows`: workflows of
 * earlier versions do not know `attention`, and would begin the next slice at once: they wait.
 */
export async function eraseTenant(id: string, knows?: 'attention'): Promise<ErasureStep> {
  let last: Batch = { step: 'more', next: null }
  let tables: Promise<ErasedTable[]> | undefined
  const readTables = () => (tables ??= statement(erasedTables))
  await slice(async () => {
    last = await batch(id, last.next, readTables)
    return last.step !== 'more'
  })
  return last.step === 'attention' && !knows ? 'wait' : last.step
}
