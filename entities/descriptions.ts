// What a workflow is called in Temporal's UI is read from its row when it starts.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Description } from '../rules/descriptions.ts'
import type { Process } from '../rules/host-processes.ts'
import { type ProcessKind, processes } from '../rules/processes.ts'
import { processRows } from './processes.ts'
import { ownerOf } from './stores/tenant-owner.ts'

type Named = { kind: ProcessKind; row_id: string; tenant_id: string | null; summary?: string | null }

/** The account for whose turn a process is started; null for those that the tenant's turn is for. */
const turnOf = async (em: EntityManager, { kind, tenant_id }: Named): Promise<string | null> =>
  tenant_id !== null && (processes[kind] as Process).turns ? (await ownerOf(em, tenant_id)).account : null

/**
 * The same starts, described: a statement per kind. Where that fails they start all the same, under the names that they
 * have.
 */
export async function described<T extends Named>(
  em: EntityManager,
  starts: readonly T[],
): Promise<(T & Partial<Description> & { turn?: string })[]> {
  const found = new Map<string, Description>()
  const turns = new Map<T, string>()
  try {
    for (const [kind, same] of Map.groupBy(starts, (one) => one.kind)) {
      const ids = same.map(({ row_id }) => row_id)
      for (const [id, description] of (await processRows[kind].describe?.(em, ids)) ?? [])
        found.set(`${kind}/${id}`, description)
    }
    for (const one of starts) {
      const turn = await turnOf(em, one)
      if (turn !== null) turns.set(one, turn)
    }
  } catch {}
  return starts.map((one) => ({
    ...one,
    ...found.get(`${one.kind}/${one.row_id}`),
    ...(turns.has(one) ? { turn: turns.get(one) as string } : {}),
  }))
}
