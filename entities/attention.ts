// Everything that a person has to do, by the register of processes: each kind declares its part (kit/attention.ts). A
// part that belongs to no process is added here.
import type { EntityManager } from '@mikro-orm/postgresql'
import {
  type AttentionEvidence,
  type AttentionKind,
  type AttentionRole,
  AttentionStatus,
  groupOf,
  type ItemText,
} from '../rules/attention.ts'
import { type ProcessKind, processOf } from '../rules/processes.ts'
import { notFound } from '../rules/refusal.ts'
import { atLeast, StoreRole } from '../rules/stores/roles.ts'
import type { AttentionOwner, AttentionPart, AttentionScope, OpenRow } from './kit/attention.ts'
import { column, join, list, nothing, type Sql, sql } from './kit/database/sql.ts'
import type { EffectRow } from './kit/effects.ts'
import { arrayOf, uuids } from './kit/ids.ts'
import type { FoundOut } from './kit/resolution.ts'
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
  ItemText & { status: AttentionStatus; tenant: TenantName | null; group: ReturnType<typeof groupOf> }

/** How long what a person recorded is listed. */
const RESOLVED_S = 30 * 86_400

export type AttentionPage = {
  limit: number
  /** Instead of open items, the oldest first: what was resolved in the 30 days until then, the newest first. */
  resolvedUntil?: number | undefined
  /** The last item of the page before. */
  after?: { at: number; id: string } | null
  kinds?: readonly AttentionKind[] | undefined
  /** The open item of this id alone. */
  id?: string
}

/** `at`: what the list is sorted by. Parts are numbered, as the rows of a page name theirs. */
type Row = OpenRow & { at: number; part: number; status: AttentionStatus }

type Selection = {
  status: AttentionStatus
  limit: number
  /** On rows `x`, with `at`. */
  where: Sql
  kinds: readonly AttentionKind[] | undefined
}

/**
 * The first rows of each part and tenant, by an index in their order (`attentionIndexes`): a page does not cost more
 * where a tenant has many rows.
 */
function firstRows(scope: AttentionScope, { status, limit, where, kinds }: Selection): Sql[] {
  const isOpen = status === 'open'
  const order = isOpen ? sql`x.since, x.id` : sql`x.at desc, x.id desc`
  const ofKinds = kinds ? sql`and x.kind = any (${arrayOf(kinds)}::text[])` : nothing
  return parts.flatMap((part, n) => {
    if (kinds && !part.kinds.some((kind) => kinds.includes(kind))) return []
    const rowsOf = (owner: AttentionOwner) => (isOpen ? part.open(owner) : (part.resolved?.(owner) ?? null))
    const first = (owner: AttentionOwner): Sql[] => {
      const rows = rowsOf(owner)
      if (!rows) return []
      return [
        sql`
          select x.id, x.tenant_id, x.kind, x.since, ${isOpen ? sql`x.since as at` : sql`x.at`}, ${n}::int as part,
            ${status}::text as status
          from (${rows}) x
          where ${where} ${ofKinds}
          order by ${order}
          limit ${limit}
        `,
      ]
    }
    if (scope === 'platform') return first(scope)
    const tenants = scope.tenants[part.may]
    return [
      ...(tenants ? first({ tenant: sql`owners.tenant_id` }).map((rows) => ofEach(tenants, rows)) : []),
      ...(scope.account_id === null ? [] : first({ account_id: scope.account_id })),
    ]
  })
}

const union = (selected: readonly Sql[]): Sql =>
  join(
    selected.map((rows) => sql`(${rows})`),
    ' union all ',
  )

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
  { limit, resolvedUntil, after = null, kinds, id }: AttentionPage,
): Promise<{ items: AttentionItem[]; last: Row | null; more: boolean }> {
  const isOpen = resolvedUntil === undefined
  const position = after && sql`(${after.at}::float8, ${after.id}::uuid)`
  const conditions = [
    ...(isOpen ? [] : [sql`x.at > ${resolvedUntil - RESOLVED_S}::float8`]),
    ...(position ? [isOpen ? sql`(x.since, x.id) > ${position}` : sql`(x.at, x.id) < ${position}`] : []),
    ...(id === undefined ? [] : [sql`x.id = ${id}`]),
  ]
  const where = conditions.length === 0 ? sql`true` : join(conditions, ' and ')
  const selected = firstRows(scope, { status: isOpen ? 'open' : 'resolved', limit: limit + 1, where, kinds })
  if (selected.length === 0) return { items: [], last: null, more: false }
  const order = isOpen ? sql`a.at, a.id` : sql`a.at desc, a.id desc`
  const found: Row[] = await em.execute(sql`
    select a.id, a.tenant_id, a.kind, a.since, a.at, a.part, a.status
    from (${union(selected)}) a
    order by ${order}
    limit ${limit + 1}
  `)
  const rows = found.slice(0, limit)
  return { items: await itemsOf(em, scope, rows), last: rows.at(-1) ?? null, more: found.length > limit }
}

/** The item of this id, open or resolved at any time; null if the scope has none. */
export async function attentionItem(
  em: EntityManager,
  scope: AttentionScope,
  id: string,
): Promise<AttentionItem | null> {
  const selected = AttentionStatus.options.flatMap((status) =>
    firstRows(scope, { status, limit: 1, where: sql`x.id = ${id}`, kinds: undefined }),
  )
  const found: Row[] = await em.execute(sql`
    select a.id, a.tenant_id, a.kind, a.since, a.at, a.part, a.status
    from (${union(selected)}) a
    limit 1
  `)
  const [item] = await itemsOf(em, scope, found)
  return item ?? null
}

/** The addresses of the accounts that recorded something, by tenant and account: of members of the team alone. */
async function recordersOf(em: EntityManager, texts: ReadonlyMap<Row, ItemText>): Promise<Map<string, string>> {
  const found = [...texts].flatMap(([{ tenant_id }, { evidence }]) =>
    tenant_id && evidence.resolution ? [{ tenant_id, account_id: evidence.resolution.account_id }] : [],
  )
  if (found.length === 0) return new Map()
  const rows: { tenant_id: string; account_id: string; email: string }[] = await em.execute(sql`
    select m.tenant_id, m.account_id, a.email
    from team_members m
    join accounts a on a.id = m.account_id
    where m.tenant_id = any (${uuids(new Set(found.map(({ tenant_id }) => tenant_id)))})
      and m.account_id = any (${uuids(new Set(found.map(({ account_id }) => account_id)))})
  `)
  return new Map(rows.map(({ tenant_id, account_id, email }) => [`${tenant_id} ${account_id}`, email]))
}

/** The evidence with the address of who recorded the outcome. */
function withRecorder(
  { evidence }: ItemText,
  { tenant_id }: Row,
  recorders: ReadonlyMap<string, string>,
): AttentionEvidence {
  const { resolution } = evidence
  if (!resolution) return evidence
  const recorded_by = recorders.get(`${tenant_id} ${resolution.account_id}`) ?? null
  return { ...evidence, resolution: { ...resolution, recorded_by } }
}

/** The items of these rows. Timelines of tenants are not shown to the administrators of the installation. */
async function itemsOf(em: EntityManager, scope: AttentionScope, rows: readonly Row[]): Promise<AttentionItem[]> {
  const names = await tenantNames(
    em,
    rows.flatMap(({ tenant_id }) => tenant_id ?? []),
  )
  const texts = new Map<Row, ItemText>()
  for (const same of Map.groupBy(rows, ({ part, status }) => `${part} ${status}`).values()) {
    const [{ part, status }] = same as [Row]
    const ids = same.map(({ id }) => id)
    const said = await (parts[part] as AttentionPart).texts(em, ids, scope, status)
    for (const row of same) {
      const text = said.get(row.id)
      if (text) texts.set(row, text)
    }
  }
  const recorders = await recordersOf(em, texts)
  return rows.flatMap((row) => {
    const text = texts.get(row)
    if (!text) return []
    const { id, kind, at: since, status, tenant_id } = row
    const tenant = (tenant_id && names.get(tenant_id)) || null
    const timeline = scope === 'platform' ? null : text.timeline
    const evidence = withRecorder(text, row, recorders)
    return [{ ...text, evidence, id, kind, since, status, timeline, tenant, group: groupOf(kind) }]
  })
}

/** A failed run of the workflow of the row `row_id`; `started_at` in Unix seconds. */
export type FailedRun = { row_id: string; tenant_id: string | null; started_at: number }

/** What a workflow may have failed for: a row of an effect that it sends, or what its process declares. */
type Matter = { kind: AttentionKind; id: string; process_id: string; tenant_id: string | null; settled_at: number }

/** The statements that select the matters of the processes of these ids. */
function mattersOf(kind: ProcessKind, effectRows: readonly EffectRow[], ids: Sql): Sql[] {
  const ofEffects = effectRows
    .filter(({ name }) => processOf(name) === kind)
    .map(
      ({ name, table, processId, ofProcesses }) => sql`
        select ${name}::text as kind, e.id, ${processId} as process_id, e.tenant_id,
          floor(extract(epoch from e.settled_at))::float8 as settled_at
        from ${column(table)} e
        where ${ofProcesses?.(ids) ?? sql`${processId} = any (${ids})`} and e.settled_at is not null
      `,
    )
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
