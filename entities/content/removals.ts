// What others refer to or are sorted under goes only as they allow, and nothing is left that leads to it.
import type { EntityManager } from '@mikro-orm/postgresql'
import { withoutReference } from '../../rules/blocks.ts'
import { conflict } from '../../rules/refusal.ts'
import type { Block } from '../../rules/shapes.ts'
import { tellUpdated } from './changed.ts'
import { type OwnerKind, type TargetKind, ownerTables as tables } from './content.ts'

const arrayOf = (ids: Iterable<string>) => `{${[...ids].join(',')}}`

/** They own nothing any more: no slug leads to them, they refer to nothing and are found under nothing. One statement. */
export async function forget(em: EntityManager, tenantId: string, ids: readonly string[]): Promise<void> {
  await em.execute(
    `with gone as materialized (select unnest(?::uuid[]) as id),
     a as (delete from slugs where tenant_id = ? and owner_id in (select id from gone)),
     b as (delete from block_references where tenant_id = ? and owner_id in (select id from gone))
     delete from taxonomy_links where tenant_id = ? and owner_id in (select id from gone)`,
    [arrayOf(ids), tenantId, tenantId, tenantId],
  )
}

const kinds = Object.keys(tables) as OwnerKind[]

/** How many owners' blocks are in memory at once. */
const batch = 200

type Lost = { kind: OwnerKind; owner_id: string; target_id: string }

/** Nothing else of the owners changes, and of two that are nulled at once each waits for the other's owner in the same order. */
async function nullIn(em: EntityManager, tenantId: string, kind: OwnerKind, lost: readonly Lost[], now: number): Promise<void> {
  const targets = Map.groupBy(lost, ({ owner_id }) => owner_id)
  const ids = [...targets.keys()].sort()
  for (let at = 0; at < ids.length; at += batch) {
    const owners: { id: string; blocks: Block[] }[] = await em.execute(
      `select id, blocks from ${tables[kind]} where tenant_id = ? and id = any (?::uuid[]) order by id for update`,
      [tenantId, `{${ids.slice(at, at + batch).join(',')}}`],
    )
    const changed = owners.map(({ id, blocks }) => ({
      id,
      blocks: withoutReference(
        blocks,
        (targets.get(id) ?? []).map(({ target_id }) => target_id),
      ),
    }))
    await em.execute(
      `update ${tables[kind]} o set blocks = x.blocks, updated_at = ? from jsonb_to_recordset(?::jsonb) as x(id uuid, blocks jsonb)
       where o.tenant_id = ? and o.id = x.id`,
      [now, JSON.stringify(changed), tenantId],
    )
  }
}

/**
 * Everybody who refers to what goes lets go of it. The caller holds the rows that go `for update`: nobody can begin to refer to them, and whoever had begun is
 * seen here. 409 `referenced` names up to ten owners whose reference says restrict; the others' values become null, and their update is told to whoever
 * asks. What refers to each other and goes together holds nothing (design: content, References). Two statements where nobody refers to it.
 */
export async function releaseTargets(em: EntityManager, tenantId: string, kind: TargetKind, ids: readonly string[], now: number): Promise<void> {
  const gone = 'with gone as materialized (select unnest(?::uuid[]) as id)'
  const those = `r.${kind}_id in (select id from gone) and r.owner_id not in (select id from gone)`
  const owners: { kind: OwnerKind; id: string; key: string }[] = await em.execute(
    `${gone}, held as (select distinct owner_kind, owner_id from block_references r where r.tenant_id = ? and ${those} and r.on_delete = 'restrict' order by owner_id limit 10)
     ${kinds.map((one) => `select owner_kind as kind, o.id, o.key from held join ${tables[one]} o on o.id = owner_id and o.tenant_id = ? where owner_kind = '${one}'`).join(' union all ')}`,
    [arrayOf(ids), tenantId, ...kinds.map(() => tenantId)],
  )
  if (owners.length > 0) {
    const names = owners.map((owner) => `${owner.kind} ${owner.key}`).join(', ')
    throw conflict('referenced', `It is referred to by ${names}${owners.length === 10 ? ' and perhaps others' : ''}.`, { members: { referenced_by: owners } })
  }
  const lost: Lost[] = await em.execute(
    `${gone} delete from block_references r where r.tenant_id = ? and ${those} returning owner_kind as kind, owner_id, target_id`,
    [arrayOf(ids), tenantId],
  )
  for (const one of kinds) {
    const own = lost.filter((each) => each.kind === one)
    if (own.length === 0) continue
    await nullIn(em, tenantId, one, own, now)
    await tellUpdated(em, tenantId, one, [...new Set(own.map(({ owner_id }) => owner_id))], now)
  }
}

/** Without what goes: neither the taxonomy nor an entry of one. */
const kept = `coalesce((select jsonb_agg(case when t -> 'entry_ids' is null then t else jsonb_set(t, '{entry_ids}',
    coalesce((select jsonb_agg(e order by n) from jsonb_array_elements(t -> 'entry_ids') with ordinality as i (e, n) where (e #>> '{}')::uuid <> all (?::uuid[])), '[]')) end order by place)
  from jsonb_array_elements(o.taxonomies) with ordinality as x (t, place) where (t ->> 'taxonomy_id')::uuid <> all (?::uuid[])), '[]')`

const sorted = ['entry', 'product', 'service', 'provider'] as const

/** The links to what goes: twice its ids. */
const linksTo = '(l.taxonomy_id = any (?::uuid[]) or l.entry_id = any (?::uuid[]))'

type Link = { kind: OwnerKind | 'contact'; owner_id: string }

const ownersOf = (links: readonly Link[]) =>
  sorted.flatMap((kind) => {
    const ids = new Set(links.flatMap((link) => (link.kind === kind ? [link.owner_id] : [])))
    return ids.size === 0 ? [] : [{ kind, ids: arrayOf(ids) }]
  })

/**
 * Holds the records that are sorted under what will go, before the rows that go are held themselves: whoever changes such a record holds it first and then
 * its terms, and the other way round the two would wait for each other. Two statements at most.
 */
export async function holdSorted(em: EntityManager, tenantId: string, ids: readonly string[]): Promise<void> {
  const gone = arrayOf(ids)
  const links: Link[] = await em.execute(`select l.owner_kind as kind, l.owner_id from taxonomy_links l where l.tenant_id = ? and ${linksTo}`, [
    tenantId,
    gone,
    gone,
  ])
  const owners = ownersOf(links)
  if (owners.length === 0) return
  await em.execute(
    `with ${owners.map(({ kind }) => `${kind}_rows as (select id from ${tables[kind]} where tenant_id = ? and id = any (?::uuid[]) order by id for no key update)`).join(', ')}
     ${owners.map(({ kind }) => `select id from ${kind}_rows`).join(' union all ')}`,
    owners.flatMap(({ ids }) => [tenantId, ids]),
  )
}

/**
 * Taxonomies and entries that go are taken out of every record that is sorted under them; a record whose last entry of a taxonomy goes stays in the taxonomy.
 * The caller holds the rows that go `for update`. Two statements, however many (design: content, Taxonomies). The owners come here in between: within one
 * statement nobody knows how many they are, and after an import, before its tables are analyzed, each would be compared with each.
 */
export async function dropTerms(em: EntityManager, tenantId: string, ids: readonly string[], now: number): Promise<void> {
  const gone = arrayOf(ids)
  const cut: Link[] = await em.execute(`delete from taxonomy_links l where l.tenant_id = ? and ${linksTo} returning l.owner_kind as kind, l.owner_id`, [
    tenantId,
    gone,
    gone,
  ])
  const owners = ownersOf(cut)
  if (owners.length === 0) return
  await em.execute(
    `with ${owners
      .map(
        ({ kind }) => `${kind}_rows as (update ${tables[kind]} o set taxonomies = ${kept}, updated_at = ?
           where o.tenant_id = ? and o.id = any (?::uuid[]) returning o.id, o.created_at, o.taxonomies)`,
      )
      .join(',\n')}
     insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
     select distinct ?::uuid, kind, id, created_at, (t ->> 'taxonomy_id')::uuid, (t ->> 'taxonomy_id')::uuid
     from (${owners.map(({ kind }) => `select '${kind}' as kind, id, created_at, taxonomies from ${kind}_rows`).join(' union all ')}) as rows, jsonb_array_elements(taxonomies) as t
     where t -> 'entry_ids' = '[]' on conflict do nothing`,
    [...owners.flatMap(({ ids }) => [gone, gone, now, tenantId, ids]), tenantId],
  )
}
