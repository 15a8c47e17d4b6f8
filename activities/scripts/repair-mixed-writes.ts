// Corrects what processes before 0.2 wrote while they ran beside newer ones: after an upgrade from 0.1, once all
// processes are new.
import { unixNow } from '../../adapters/clock.ts'
import { moveLeft, noteDeleted } from '../../entities/community/unnoted.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { lockPayments, miscountedPayments } from '../../entities/refunds/miscounted.ts'
import { recountPayment } from '../../entities/refunds/refunds.ts'
import { type Script, ScriptRefusal } from './script.ts'
import { countsText, place, type Visit, type Visited, type Walk, walkOn } from './walk.ts'

const paymentsMax = 100
const targetsMax = 1_000
const none = '00000000-0000-0000-0000-000000000000'

type Rows = Parameters<Visit>[1]

/** Payments that disagree with their refunds are counted again. */
async function payments(em: EntityManager, rows: Rows): Promise<Visited> {
  const waits = 'only' in rows
  const found = waits
    ? [rows.only]
    : (await miscountedPayments(em, rows.after, paymentsMax)).map((one) => one.payment_id)
  const locked = await lockPayments(em, found, waits)
  for (const key of locked) await recountPayment(em, key, unixNow())
  const recounted = new Set(locked.map(({ payment_id }) => payment_id))
  return {
    last: found.length < paymentsMax ? null : (found.at(-1) ?? null),
    busy: waits ? [] : found.filter((id) => !recounted.has(id)),
    counts: { repaired: locked.length },
  }
}

/** Reactions to records that do not exist are deleted by the next sweep. `after` is a tenant's id and a target's. */
async function targets(em: EntityManager, rows: Rows): Promise<Visited> {
  const [tenant_id = none, target_id = none] = 'after' in rows ? rows.after.split(' ') : []
  const { last, noted } = await noteDeleted(em, { tenant_id, target_id }, targetsMax, unixNow())
  return { last: last && `${last.tenant_id} ${last.target_id}`, busy: [], counts: { repaired: noted } }
}

/** Reactions that a merge has left with the contact that it deleted get the author that the contact was merged into. */
async function merges(em: EntityManager, rows: Rows): Promise<Visited> {
  const { last, moved } = await moveLeft(em, 'after' in rows ? rows.after : rows.only, unixNow())
  return { last, busy: [], counts: { repaired: moved } }
}

const parts: Record<string, (em: EntityManager, rows: Rows) => Promise<Visited>> = { payments, targets, merges }
const names = Object.keys(parts)

export const repairMixedWrites: Script = async (em, value, progress) => {
  if (value) throw new ScriptRefusal('repair-mixed-writes takes no value.')
  const walk = await walkOn(names, progress as Walk | null, async (part, rows) => {
    const visit = parts[part]
    // A part that a later version has removed.
    return visit ? visit(em, rows) : { last: null, busy: [], counts: {} }
  })
  const done = `Repaired: ${countsText(walk.counts.repaired)}.`
  const message = walk.at === null ? done : `Part ${place(names, walk.at)}. ${done}`
  return { progress: walk, message, over: walk.at === null }
}
