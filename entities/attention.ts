// Everything that a person has to do, by the register of processes: each kind declares its part (kit/attention.ts). A
// part that belongs to no process is added here.
import type { EntityManager } from '@mikro-orm/postgresql'
import { type AttentionKind, type AttentionRole, groupOf, type ItemText } from '../rules/attention.ts'
import { type ProcessKind, processOf } from '../rules/processes.ts'
import { notFound } from '../rules/refusal.ts'
import { atLeast, StoreRole } from '../rules/stores/roles.ts'
import type { AttentionPart, AttentionScope, OpenRow } from './kit/attention.ts'
import { column, join, list, nothing, type Sql, sql, text } from './kit/database/sql.ts'
import type { EffectRow } from './kit/effects.ts'
import { arrayOf, uuids } from './kit/ids.ts'
import type { FoundOut } from './kit/resolving.ts'
import { startAttention } from './platform/attention.ts'
import { processRows, registered } from './processes.ts'
import { readinessAttention } from './readiness/attention.ts'
import { type TenantName, tenantNames } from './stores/tenant-names.ts'

const parts: readonly AttentionPart[] = [
  ...registered.flatMap(({ attention }) => Object.values(attention).flat() as AttentionPart[]),
  startAttention,
  readinessAttention,
]

/** `tenant` null: of the installation. */
export type AttentionItem = Omit<OpenRow, 'tenant_id'> &
  ItemText & { tenant: TenantName | null; group: ReturnType<typeof groupOf> }

export type AttentionPage = {
  limit: number
  /** The last item of the page before. */
  after?: { since: number; id: string } | null
  kinds?: readonly AttentionKind[] | undefined
  /** The item of this id alone. */
  id?: string
}

/** Parts that are numbered, as the rows of a page name theirs. */
type Row = OpenRow & { part: number }

/**
 * The oldest rows of each part and tenant, by an index in their order (`attentionIndex`), and the oldest of these: a
 * page does not cost more where a tenant has many rows.
 */
function openRows(scope: AttentionScope, { limit, after, kinds, id }: AttentionPage): Sql | null {
  const beyond = after ? sql`and (x.since, x.id) > (${after.since}::float8, ${after.id}::uuid)` : nothing
  const ofKinds = kinds ? sql`and x.kind = any (${arrayOf(kinds)}::text[])` : nothing
  const one = id === undefined ? nothing : sql`and x.id = ${id}`
  const selected = parts.flatMap((part, n) => {
    if (kinds && !part.kinds.some((kind) => kinds.includes(kind))) return []
    const oldest = (rows: Sql | null): Sql[] =>
      rows
        ? [
            sql`
              select x.id, x.tenant_id, x.kind, x.since, ${n}::int as part
              from (${rows}) x
              where true ${beyond} ${ofKinds} ${one}
              order by x.since, x.id
              limit ${limit}
            `,
          ]
        : []
    if (scope === 'platform') return oldest(part.open(scope))
    const tenants = scope.tenants[part.may]
    return [
      ...(tenants ? oldest(part.open({ tenant: sql`owners.tenant_id` })).map((rows) => ofEach(tenants, rows)) : []),
      ...(scope.account_id === null ? [] : oldest(part.open({ account_id: scope.account_id }))),
    ]
  })
  return selected.length === 0
    ? null
    : join(
        selected.map((rows) => sql`(${rows})`),
        ' union all ',
      )
}

/** Rows of each of these tenants, an array of ids: of `owners.tenant_id`. */
const ofEach = (tenants: Sql, rows: Sql): Sql => sql`
  select o.*
  from unnest(${tenants}) as owners(tenant_id)
  cross join lateral (${rows}) o
`

/**
 * At most `limit` items, the oldest first, and whether there are more. A statement for all rows, and one or two for
 * each kind of the page; what was resolved between them is left out.
 */
export async function attentionItems(
  em: EntityManager,
  scope: AttentionScope,
  page: AttentionPage,
): Promise<{ items: AttentionItem[]; last: OpenRow | null; more: boolean }> {
  const all = openRows(scope, { ...page, limit: page.limit + 1 })
  if (!all) return { items: [], last: null, more: false }
  const found: Row[] = await em.execute(sql`
    select a.id, a.tenant_id, a.kind, a.since, a.part
    from (${all}) a
    order by a.since, a.id
    limit ${page.limit + 1}
  `)
  const rows = found.slice(0, page.limit)
  const names = await tenantNames(
    em,
    rows.flatMap(({ tenant_id }) => tenant_id ?? []),
  )
  const texts = new Map<Row, ItemText>()
  for (const [part, same] of Map.groupBy(rows, (row) => row.part)) {
    const said = await (parts[part] as AttentionPart).texts(
      em,
      same.map(({ id }) => id),
      scope,
    )
    for (const row of same) {
      const text = said.get(row.id)
      if (text) texts.set(row, text)
    }
  }
  const items = rows.flatMap((row) => {
    const text = texts.get(row)
    const { part: _, tenant_id, ...open } = row
    if (!text) return []
    return [{ ...open, ...text, tenant: (tenant_id && names.get(tenant_id)) || null, group: groupOf(row.kind) }]
  })
  return { items, last: rows.at(-1) ?? null, more: found.length > page.limit }
}

/** A failed run of the workflow of the row `row_id`; `started_at` in Unix seconds. */
export type FailedRun = { row_id: string; tenant_id: string | null; started_at: number }

/** What a workflow may have failed for: a row of an effect that it sends, or what its process declares. */
type Matter = { kind: AttentionKind; id: string; process_id: string; tenant_id: string | null; settled_at: number }

/** The statements that select the matters of the processes of these ids. */
function mattersOf(kind: ProcessKind, effectRows: readonly EffectRow[], ids: Sql): Sql[] {
  const ofEffects = effectRows
    .filter(({ name }) => processOf(name) === kind)
    .map(({ name, table, processId, ofProcesses }) => {
      const own = text(processId)
      return sql`
        select ${name}::text as kind, e.id, ${own} as process_id, e.tenant_id,
          floor(extract(epoch from e.settled_at))::float8 as settled_at
        from ${column(table)} e
        where ${ofProcesses?.(ids) ?? sql`${own} = any (${ids})`} and e.settled_at is not null
      `
    })
  const { matters } = processRows[kind]
  return matters ? [matters(ids), ...ofEffects] : ofEffects
}

/** Those that are open in a list, of their tenant or of the installation. */
async function openOf(em: EntityManager, matters: readonly Matter[]): Promise<Set<string>> {
  const ids = uuids(matters.map(({ id }) => id))
  const tenants = uuids(new Set(matters.flatMap(({ tenant_id }) => tenant_id ?? [])))
  const kinds = new Set(matters.map(({ kind }) => kind))
  const selected = parts
    .filter((part) => part.kinds.some((kind) => kinds.has(kind)))
    .flatMap((part) => {
      const [own, platform] = [part.open({ tenant: sql`owners.tenant_id` }), part.open('platform')]
      return [...(own ? [ofEach(tenants, own)] : []), ...(platform ? [platform] : [])]
    })
    .map((rows) => sql`select x.id from (${rows}) x where x.id = any (${ids})`)
  if (selected.length === 0) return new Set()
  const found: { id: string }[] = await em.execute(join(selected, ' union all '))
  return new Set(found.map(({ id }) => id))
}

/** A workflow that is run again looks at what was settled before: at an open payment form for a day. */
const LOOKS_BACK_S = 86_400

/**
 * Those of these failed runs of a kind whose matter is over: nothing that they may have failed for is open in a list.
 * Without a row that was settled since about then, a run is the only trace of its matter, and is kept: rows that were
 * written since a backup are missing after a restore. With its tenant erased, it is over.
 */
export async function overOf<Run extends FailedRun>(
  em: EntityManager,
  kind: ProcessKind,
  effectRows: readonly EffectRow[],
  runs: readonly Run[],
): Promise<Run[]> {
  const statements = mattersOf(kind, effectRows, uuids(runs.map(({ row_id }) => row_id)))
  if (statements.length === 0) return []
  const matters: Matter[] = await em.execute(join(statements, ' union all '))
  const open = await openOf(em, matters)
  const byProcess = Map.groupBy(matters, ({ process_id }) => process_id)
  const erased: { id: string }[] = await em.execute(sql`
    select erased_id as id
    from erasures
    where deleted_at is not null and erased_id = any (${uuids(runs.flatMap(({ tenant_id }) => tenant_id ?? []))})
  `)
  const isErased = new Set(erased.map(({ id }) => id))
  return runs.filter(({ row_id, tenant_id, started_at }) => {
    const own = byProcess.get(row_id) ?? []
    if (own.some(({ id }) => open.has(id))) return false
    if (own.some(({ settled_at }) => settled_at >= started_at - LOOKS_BACK_S)) return true
    return tenant_id !== null && isErased.has(tenant_id)
  })
}

/** The tenants of an account, by the least role that it has in them; of these ids alone, if there are any. */
export function scopeOfAccount(accountId: string, ids: readonly string[] | undefined): AttentionScope {
  const having = (needed: AttentionRole) => sql`
    array(
      select tenant_id
      from team_members
      where account_id = ${accountId}
        and role in (${list(StoreRole.options.filter((role) => atLeast(role, needed)))})
        ${ids ? sql`and tenant_id = any (${uuids(ids)})` : nothing}
    )
  `
  return { tenants: { admin: having('admin'), owner: having('owner') }, account_id: ids ? null : accountId }
}

/** What a member of a tenant sees of it. */
export const scopeOfMember = (tenantId: string, role: StoreRole): AttentionScope => ({
  tenants: { admin: uuids([tenantId]), owner: atLeast(role, 'owner') ? uuids([tenantId]) : null },
  account_id: null,
})

const resolvers = parts.flatMap(({ resolver }) => resolver ?? [])
const byTable = new Map(resolvers.map((one) => [one.table, one]))

/** The row that an item is about: its table and its tenant; null if there is none. One statement. */
export async function rowOfItem(
  em: EntityManager,
  id: string,
): Promise<{ table: string; tenant_id: string | null } | null> {
  const some = [...byTable.keys()].map(
    (table) => sql`select ${table}::text as "table", tenant_id from ${column(table)} where id = ${id}`,
  )
  const [row]: { table: string; tenant_id: string | null }[] = await em.execute(join(some, ' union all '))
  return row ?? null
}

/**
 * Records what a person found out about an item by its id. 404; 409 request_not_unknown, contradicts_evidence,
 * resolved_otherwise, resolved_too_often, decision_made, payment_captured; 422 outcome_not_possible, required. `now` in
 * Unix seconds.
 */
export async function resolveItem(
  em: EntityManager,
  { table, tenant_id }: { table: string; tenant_id: string | null },
  id: string,
  found: FoundOut,
  now: number,
): Promise<void> {
  const resolver = byTable.get(table)
  if (!resolver) throw notFound('item')
  await resolver.resolve(em, tenant_id, id, found, now)
}
