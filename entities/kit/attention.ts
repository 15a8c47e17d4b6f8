// What each kind of process and effect has for a person to do: which rows are open, and what their items say. Declared
// with the process (kit/process.ts), and read by entities/attention.ts.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { AttentionKind, AttentionRole, AttentionStatus, EffectFacts, ItemText } from '../../rules/attention.ts'
import type { DescribedRow } from '../../rules/descriptions.ts'
import { column, join, nothing, type Sql, sql, text } from './database/sql.ts'
import { effectFacts, recordedAt, resolvableOf, unknownSince } from './effect-columns.ts'
import type { EffectRow } from './effects.ts'
import { uuids } from './ids.ts'
import { type FoundOut, resolveEffect } from './resolution.ts'
import { contradictedSql } from './resolutions.ts'

/**
 * Whose items are listed: of these tenants, an array of ids, by the least role that the caller has in them (null:
 * none), and of what the account asked for outside of its tenants; or those of the installation's own administrators.
 */
export type AttentionScope = { tenants: Record<AttentionRole, Sql | null>; account_id: string | null } | 'platform'

/** Whose rows a part is asked for: of this tenant, an id; what this account asked for; or of the installation. */
export type AttentionOwner = { tenant: Sql } | { account_id: string } | 'platform'

/** How items of a table are resolved by their own id. `tenantId` null: a row of the installation. 404; 409; 422. */
export type Resolver = {
  table: string
  resolve: (em: EntityManager, tenantId: string | null, id: string, found: FoundOut, now: number) => Promise<unknown>
}

export type OpenRow = { id: string; tenant_id: string | null; kind: AttentionKind; since: number }

export type AttentionPart = {
  kinds: readonly AttentionKind[]
  may: AttentionRole
  /**
   * Selects `id`, `tenant_id`, `kind` and `since` (Unix seconds) of the rows that need a person. Null: the owner has
   * none.
   */
  open: (owner: AttentionOwner) => Sql | null
  /** The same of rows that are over as a person recorded it, with `at`, when they did, in Unix seconds. */
  resolved?: (owner: AttentionOwner) => Sql | null
  /** What the items of these rows say, in a statement or two; rows that are gone have none. */
  texts: (
    em: EntityManager,
    ids: readonly string[],
    scope: AttentionScope,
    status: AttentionStatus,
  ) => Promise<Map<string, ItemText>>
  resolver?: Resolver
}

/** What a process declares; of each effect that it sends at least one part. */
export type Attention<E extends string = never> = Readonly<
  Record<E, AttentionPart | readonly AttentionPart[]> & Record<string, AttentionPart | readonly AttentionPart[]>
>

export const resolvable = (alias: string): Sql => resolvableOf(`${alias}.`)

export const contradicted = (alias: string): Sql => sql`coalesce(${contradictedSql(alias)}, false)`

type Declared<Row> = {
  may?: AttentionRole
  /** The table, with the alias `x`, and what its conditions are read from. */
  from: Sql
  /**
   * What is joined for the texts of a page alone: the join of every open row would hide their order from the planner.
   */
  labels?: Sql
  columns?: Sql
  /** Which rows of the table the part has; all, without it. */
  only?: Sql
  /** Which rows need a person. */
  where: Sql
  /** Which of the others are over as a person recorded it, and when they did, in Unix seconds. */
  recorded?: { where: Sql; at: Sql }
  /** Unix seconds, without a fraction. */
  since: Sql
  /** The column of the tenant, if it is another one. */
  tenant?: Sql
  /** Rows that the administrators of the installation act on; without it they have none in their list. */
  platform?: Sql
  /** Rows that no tenant acts on. */
  notOfTenants?: Sql
  /** Rows that belong to an account, and not to a tenant: those of this account. */
  ofAccount?: (accountId: string) => Sql
  /** The key and the kind of the tenant, if it has no row. */
  named?: Sql
  /** Null: there is nothing to say any more. */
  text: (row: Row, scope: AttentionScope) => ItemText | null
  resolver?: Resolver
}

/** Items of one kind, one for each row that needs a person. */
export function attends<Row extends DescribedRow>(kind: AttentionKind, declared: Declared<Row>): AttentionPart {
  const { from, labels = nothing, columns, where, since, platform, ofAccount, resolver, may = 'admin' } = declared
  const { recorded, only = sql`true` } = declared
  const tenant = declared.tenant ?? sql`x.tenant_id`
  const within = (owner: AttentionOwner): Sql | null => {
    if (owner === 'platform') return platform ?? null
    if ('account_id' in owner) return ofAccount?.(owner.account_id) ?? null
    if (ofAccount) return null
    const some = sql`${tenant} = ${owner.tenant}`
    return declared.notOfTenants ? sql`${some} and not ${declared.notOfTenants}` : some
  }
  const rows = (owner: AttentionOwner, condition: Sql, more: Sql = nothing): Sql | null => {
    const some = within(owner)
    return (
      some &&
      sql`
        select x.id, ${tenant} as tenant_id, ${kind}::text as kind, ${since}::float8 as since ${more}
        from ${from}
        where ${some} and ${only} and ${condition}
      `
    )
  }
  return {
    kinds: [kind],
    may,
    open: (owner) => rows(owner, where),
    ...(recorded
      ? { resolved: (owner: AttentionOwner) => rows(owner, recorded.where, sql`, ${recorded.at} as at`) }
      : {}),
    async texts(em, ids, scope, status) {
      const named = declared.named ?? sql`t.key as store, t.kind as tenant_kind`
      const found: Row[] = await em.execute(sql`
        select x.id, ${tenant} as tenant_id, ${columns ? join([named, columns]) : named}
        from ${from} ${labels}
        left join tenants t on t.id = ${tenant}
        where x.id = any (${uuids(ids)})
      `)
      return new Map(
        found.flatMap((row) => {
          const text = declared.text({ ...row, is_resolved: status === 'resolved' }, scope)
          return text ? [[row.id, text] as const] : []
        }),
      )
    },
    ...(resolver ? { resolver } : {}),
  }
}

const facts = Object.entries(effectFacts('x')).map(([name, value]) => sql`${value} as ${text(name)}`)

type DeclaredEffect<Row> = Omit<Declared<Row>, 'from' | 'where' | 'since' | 'recorded' | 'resolver'> & {
  /** What is joined to the effect's row `x` for its conditions. */
  joins?: Sql
  /** When an unknown outcome still matters; always, without it. */
  matters?: Sql
  /** Another route than that of the item records the outcome. */
  elsewhere?: true
}

/**
 * Outcomes of an effect that are unknown, or that were recorded otherwise than later evidence says, and those that a
 * person recorded.
 */
export function attendsEffect<Row extends EffectFacts>(
  row: EffectRow,
  { joins = nothing, matters = sql`true`, columns, elsewhere, ...declared }: DeclaredEffect<Row>,
): AttentionPart {
  const { name, table, processId } = row
  const process = sql`
    (select ${processId} from ${column(table)} e where e.id = x.id) as process_id
  `
  const isOpen = sql`(x.status = 'unknown' and ${matters} or ${contradicted('x')})`
  const part = attends<Row>(name, {
    ...declared,
    from: sql`${column(table)} x ${joins}`,
    columns: join([...facts, process, ...(columns ? [columns] : [])]),
    where: sql`${resolvable('x')} and ${isOpen}`,
    since: unknownSince('x.'),
    recorded: { where: sql`x.resolution is not null and not coalesce(${isOpen}, false)`, at: recordedAt('x.') },
  })
  if (elsewhere) return part
  const resolve: Resolver['resolve'] = async (em, tenantId, id, found, now) => {
    const text = (await part.texts(em, [id], 'platform', 'open')).get(id)
    await resolveEffect(em, row, { tenantId, id, choices: text?.resolve?.choices ?? [] }, found, now)
  }
  return { ...part, resolver: { table, resolve } }
}
