// Rows of which a process should have moved on. The reconciler looks at them in parts, each after the last row of the
// part before: many that stay late, because their starts fail, hide no others.
//   export const lateImports = lateRows({
//     from: sql`campaign_imports x`, at: 'x.created_at', type: 'bigint', where: ({ idleS }) => sql`…`
//   })
import type { EntityManager } from '@mikro-orm/postgresql'
import { nothing, type Sql, sql, text } from './database/sql.ts'

export type LateRow = { id: string; tenant_id: string | null; summary?: string }

/** Where a part ends: the value that the rows are sorted by, as text, and the id of the row. */
export type LateKey = { at: string; id: string }

/** `idleS`: seconds for which nothing has moved the row; `now` in Unix seconds; `after` null: from the beginning. */
export type LatePart = { idleS: number; now: number; limit: number; after: LateKey | null }

/** `after`: where the next part begins; null: at the beginning again. */
export type Late<Row extends LateRow = LateRow> = { rows: Row[]; after: LateKey | null }
export type LateRows = (em: EntityManager, part: LatePart) => Promise<Late>

type Declared = {
  /** The table, with the alias `x`. */
  from: Sql
  /** The column that the rows are sorted by, which an index has; never null in the rows that are found. */
  at: string
  type: 'bigint' | 'timestamptz' | 'uuid'
  /** The id of the process, if it is not that of the row. */
  id?: string
  /** `null` for what belongs to the installation. */
  tenant?: Sql
  where(part: LatePart): Sql
}

/** The condition and the order of a part; `key` is selected, and tells where the part ends. */
export function partBy(
  at: string,
  type: Declared['type'],
  { limit, after }: Pick<LatePart, 'limit' | 'after'>,
  id = 'x.id',
): Record<'key' | 'beyond' | 'order', Sql> {
  const [column, own] = [text(at), text(id)]
  return {
    key: sql`${column}::text as at, ${own} as row_id`,
    beyond: after ? sql`and (${column}, ${own}) > (${after.at}::${text(type)}, ${after.id}::uuid)` : nothing,
    order: sql`order by ${column}, ${own} limit ${limit}`,
  }
}

type Keyed = { at: string; row_id: string }

/** The rows of a part, and where the next one begins. */
export function partOf<Row extends LateRow>(found: readonly (Row & Keyed)[], limit: number): Late<Row> {
  const last = found.at(-1)
  const rows = found.map(({ at: _, row_id: __, ...row }) => row as typeof row & Row)
  return { rows, after: last && found.length >= limit ? { at: last.at, id: last.row_id } : null }
}

/** Late rows of all tenants; each names its own. */
export const lateRows =
  ({ from, at, type, id = 'x.id', tenant = sql`x.tenant_id`, where }: Declared): LateRows =>
  async (em, part) => {
    const { key, beyond, order } = partBy(at, type, part)
    const found: (LateRow & Keyed)[] = await em.execute(sql`
      select ${text(id)} as id, ${tenant} as tenant_id, ${key}
      from ${from}
      where ${where(part)} ${beyond} ${order}
    `)
    return partOf(found, part.limit)
  }

/** Rows that a look moves behind the others by itself: each look begins at the beginning. */
export const rotating =
  (find: (em: EntityManager, part: LatePart) => Promise<LateRow[]>): LateRows =>
  async (em, part) => ({ rows: await find(em, part), after: null })
