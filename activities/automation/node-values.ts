// What the nodes of one step read: outputs that the step has computed itself, and stored ones.
import { bytesOf, type ExecutionNow, itemsOf, type NewRun, outputsFor } from '../../entities/automation/executions.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import type { Ref, Run } from '../../rules/automation/execution-state.ts'
import { CODE_MAX, INPUT_MAX, type Reference, type ValueAt } from './graph-nodes.ts'
import { NodeError, OUTPUT_MAX } from './node-outputs.ts'

/** Larger values are read again: a hundred of them would be a hundred megabytes. */
const cachedBytes = 65_536

export type NodeValues = {
  readonly em: EntityManager
  readonly execution: ExecutionNow
  /** The runs that the step has begun, by key. */
  readonly made: Map<string, NewRun>
  /** Stored outputs, by key, and items of arrays, by `itemKey`. */
  readonly cached: Map<string, unknown>
}

export const newValues = (em: EntityManager, execution: ExecutionNow): NodeValues => ({
  ...{ em, execution, made: new Map(), cached: new Map() },
})

const itemKey = (items: string, index: number) => `${items}[${index}]`

/** Reads the values of references; of arrays only the item. */
export async function readValues(
  { em, execution, made, cached }: NodeValues,
  references: readonly Reference[],
): Promise<ValueAt> {
  const runs = references.flatMap(({ ref, named }) => (typeof ref === 'string' ? [{ key: ref, named }] : []))
  const missing = runs.filter(({ key }) => !made.has(key) && !cached.has(key))
  const stored = await outputsFor(em, execution, missing, { namedMax: INPUT_MAX, everyMax: CODE_MAX })
  if (!stored)
    throw new NodeError(
      'input_too_large',
      `the outputs that the node reads are longer than ${INPUT_MAX / 1_048_576} MiB: an output is read as a whole`,
    )
  const large = new Map<string, unknown>()
  for (const { key, value, bytes, left_out } of stored)
    if (!left_out) (bytes > cachedBytes ? large : cached).set(key, value)
  const places = references.flatMap(({ ref }) =>
    typeof ref === 'string' || made.has(ref.items) || cached.has(itemKey(ref.items, ref.index)) ? [] : [ref],
  )
  for (const { items, index, value } of await itemsOf(em, execution, places)) cached.set(itemKey(items, index), value)
  return (ref: Ref) => {
    if (typeof ref !== 'string') {
      const array = made.get(ref.items)?.output
      return Array.isArray(array) ? array[ref.index] : cached.get(itemKey(ref.items, ref.index))
    }
    const run = made.get(ref)
    return run ? (run.output ?? { error: run.error }) : cached.has(ref) ? cached.get(ref) : large.get(ref)
  }
}

/** A loop's own output: the outputs of its iterations, null for those that have none. */
export async function collectedBy(values: NodeValues, { collected }: Pick<Run, 'collected'>): Promise<unknown[]> {
  const { em, execution, made } = values
  const keys = collected.filter((key): key is string => key !== null)
  const stored = keys.filter((key) => !made.has(key))
  const bytes =
    (await bytesOf(em, execution, stored)) + keys.reduce((sum, key) => sum + (made.get(key)?.output_bytes ?? 0), 0)
  if (bytes > OUTPUT_MAX)
    throw new NodeError('output_too_large', `the outputs of the iterations are longer than ${OUTPUT_MAX / 1_024} KiB`)
  const valueAt = await readValues(
    values,
    keys.map((ref) => ({ ref, named: true })),
  )
  return collected.map((key) => (key === null ? null : (valueAt(key) ?? null)))
}
