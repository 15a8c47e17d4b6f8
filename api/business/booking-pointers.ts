// Where a fault of booked time stands in a body of the business surface, whose items may have `from` and `to` instead
// of slots.
import { Refusal } from '../../rules/refusal.ts'

/** A refusal of the work names the `from` of an item without slots where the engine names its one slot. */
export async function atFrom<T>(
  sent: readonly { service_id: string; slots?: unknown }[],
  work: Promise<T>,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Refusal) || !error.details.faults) throw error
    const placed = (pointer: string): string => {
      const at = /^\/booking_items\/(\d+)\/slots\/0(?=$|\/)/.exec(pointer)
      return !at || sent[Number(at[1])]?.slots
        ? pointer
        : `/booking_items/${at[1]}${pointer.slice(at[0].length) || '/from'}`
    }
    const faults = error.details.faults.map((fault) => ({ ...fault, pointer: placed(fault.pointer) }))
    throw Object.assign(error, { details: { ...error.details, faults } })
  }
}
