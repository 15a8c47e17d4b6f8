// Deletes records that others refer to or are filed under, if all of those allow it, and removes every reference to
// them.
//   const owners = await lockOwners(em, tenantId, { entry: [id] })   locks the owners, before the record itself
//   … locked `for update` …                                          no new reference from here on
//   await removeReferences(em, tenantId, { entry: [id] }, owners, now)   409, or all references are removed
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Block } from '../../rules/content/block-shape.ts'
import { withoutReference } from '../../rules/content/blocks.ts'
import { OwnerKind } from '../../rules/content/record-kinds.ts'
import { ListingKind } from '../../rules/networks/networks.ts'
import { conflict } from '../../rules/refusal.ts'
// Backwards: the reactions to a deleted record are forgotten with it.
import { forgotten } from '../community/deleted-targets.ts'
// Backwards: the words of contacts that referred to it change.
import { refreshContacts } from '../crm/contact-words.ts'
import { join, json, type Sql, sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'
import { requestListings } from '../networks/listings.ts'
import { wordsOf } from '../platform/search-words.ts'
import { publishUpdates } from './changed.ts'
import { ownerTables as tables } from './content.ts'
import {
  byKind,
  type Going,
  goingIds,
  linksTo,
  lockLateOwners,
  lockNaming,
  type Naming,
  namedBy,
  targetKind,
} from './named-by.ts'

/** Deletes the slugs, references and taxonomy links of these records, and what was said of them. One statement. */
export async function removeLinks(em: EntityManager, tenantId: string, ids: readonly string[]): Promise<void> {
  await em.execute(sql`
    with deleted_ids as materialized (select unnest(${uuids(ids)}) as id),
    deleted_slugs as (
      delete from slugs where tenant_id = ${tenantId} and owner_id in (select id from deleted_ids)
    ),
    deleted_references as (
      delete from block_references
      where tenant_id = ${tenantId} and owner_id in (select id from deleted_ids)
    ),
    ${forgotten(tenantId, sql`select id from deleted_ids`, sql`date_part('epoch', statement_timestamp())::bigint`)}
    delete from taxonomy_links
    where tenant_id = ${tenantId} and owner_id in (select id from deleted_ids)
  `)
}

/** Owners in memory at the same time. */
const batch = 200

const goneIds = (going: Going) => sql`deleted_ids as materialized (select unnest(${uuids(goingIds(going))}) as id)`
/** References to the deleted records, except from one of these to another. */
const referencesTo = (going: Going) =>
  sql`
    r.${text(targetKind(going) as string)}_id in (select id from deleted_ids)
    and r.owner_id not in (select id from deleted_ids)
  `

/**
 * Refuses the deletion of records that a reference restricts. 409 with up to ten owners that refer with `restrict`. No
 * statement if there are none.
 */
async function refuseHeld(em: EntityManager, tenantId: string, going: Going, naming: readonly Naming[]): Promise<void> {
  if (!naming.some(({ on_delete }) => on_delete === 'restrict')) return
  const named = OwnerKind.options.map(
    (one) => sql`
      select owner_kind as kind, o.id, o.key
      from restricting_owners
      join ${text(tables[one])} o on o.id = owner_id and o.tenant_id = ${tenantId}
      where owner_kind = ${one}
    `,
  )
  const owners: { kind: OwnerKind; id: string; key: string }[] = await em.execute(sql`
    with ${goneIds(going)},
    restricting_owners as (
      select distinct owner_kind, owner_id
      from block_references r
      where r.tenant_id = ${tenantId} and ${referencesTo(going)} and r.on_delete = 'restrict'
      order by owner_id
      limit 10
    )
    ${join(named, ' union all ')}
  `)
  if (owners.length === 0) return
  const names = owners.map((owner) => `${owner.kind} ${owner.key}`).join(', ')
  throw conflict('referenced', `It is referred to by ${names}${owners.length === 10 ? ' and perhaps others' : ''}.`, {
    members: { referenced_by: owners },
  })
}

/** Sets references to null and updates the search words; no other column changes. The caller has locked the owners. */
async function nullIn(
  em: EntityManager,
  tenantId: string,
  kind: OwnerKind,
  lost: ReadonlyMap<string, readonly Naming[]>,
  now: number,
): Promise<void> {
  const ids = [...lost.keys()]
  const { columns, words } = wordsOf<{ id: string; blocks: Block[] }>(tables[kind])
  for (let at = 0; at < ids.length; at += batch) {
    const owners: { id: string; blocks: Block[] }[] = await em.execute(sql`
      select t.id, ${columns}
      from ${text(tables[kind])} t
      where t.tenant_id = ${tenantId} and t.id = any (${uuids(ids.slice(at, at + batch))})
    `)
    const changed = owners.map((owner) => {
      const targets = lost.get(owner.id) ?? []
      const blocks = withoutReference(
        owner.blocks,
        targets.flatMap(({ target_id }) => target_id ?? []),
      )
      return { id: owner.id, blocks, words: words({ ...owner, blocks }) }
    })
    await em.execute(sql`
      update ${text(tables[kind])} o
      set blocks = x.blocks, search = to_tsvector('simple', x.words), updated_at = ${now}
      from jsonb_to_recordset(${json(changed)}) as x(id uuid, blocks jsonb, words text)
      where o.tenant_id = ${tenantId} and o.id = x.id
    `)
  }
}

/**
 * Sets references to the deleted records to null. Three statements for two hundred owners of a kind, and none without
 * owners.
 */
async function dropReferences(
  em: EntityManager,
  tenantId: string,
  going: Going,
  naming: readonly Naming[],
  now: number,
): Promise<void> {
  const lost = naming.filter(({ target_id }) => target_id !== null)
  if (lost.length === 0) return
  await em.execute(sql`
    with ${goneIds(going)}
    delete from block_references r
    where r.tenant_id = ${tenantId} and ${referencesTo(going)}
  `)
  for (const kind of OwnerKind.options) {
    const own = lost.filter((one) => one.kind === kind)
    await nullIn(
      em,
      tenantId,
      kind,
      Map.groupBy(own, ({ owner_id }) => owner_id),
      now,
    )
  }
}

/** The taxonomies of `o` without the deleted taxonomies and entries. */
const withoutTerms = (ids: Sql) => sql`
  coalesce(
    (
      select jsonb_agg(
        case
          when t -> 'entry_ids' is null then t
          else jsonb_set(
            t, '{entry_ids}',
            coalesce(
              (
                select jsonb_agg(e order by n)
                from jsonb_array_elements(t -> 'entry_ids') with ordinality as i (e, n)
                where (e #>> '{}')::uuid <> all (${ids})
              ),
              '[]'
            )
          )
        end
        order by place
      )
      from jsonb_array_elements(o.taxonomies) with ordinality as x (t, place)
      where (t ->> 'taxonomy_id')::uuid <> all (${ids})
    ),
    '[]'
  )
`

/**
 * Removes the deleted records from the taxonomies of all records; a record that loses its last entry of a taxonomy
 * stays in the taxonomy. One statement, however many there are, two for each 500 contacts, and none without owners. The
 * owners are given by id: in tables that are not analyzed, such as after an import, the planner would join them by
 * nested loops.
 */
async function dropTerms(
  em: EntityManager,
  tenantId: string,
  going: Going,
  naming: readonly Naming[],
  now: number,
): Promise<void> {
  const sorted = naming.filter(({ target_id }) => target_id === null)
  if (sorted.length === 0) return
  const ids = uuids(goingIds(going))
  const owners = byKind(sorted)
  const cut = sql`delete from taxonomy_links l where l.tenant_id = ${tenantId} and ${linksTo(ids)}`
  if (owners.length === 0) return void (await em.execute(cut))
  const updates = owners.map(
    (of) => sql`
      ${text(of.kind)}_rows as (
        update ${text(tables[of.kind])} o
        set taxonomies = ${withoutTerms(ids)}, updated_at = ${now}
        where o.tenant_id = ${tenantId} and o.id = any (${uuids(of.ids)})
        returning o.id, o.created_at, o.taxonomies
      )
    `,
  )
  const rows = owners.map(({ kind }) => sql`select ${kind} as kind, id, created_at, taxonomies from ${text(kind)}_rows`)
  await em.execute(sql`
    with deleted_links as (${cut}),
    ${join(updates)}
    insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
    select distinct ${tenantId}::uuid, kind, id, created_at, (t ->> 'taxonomy_id')::uuid, (t ->> 'taxonomy_id')::uuid
    from (${join(rows, ' union all ')}) as updated_owners, jsonb_array_elements(taxonomies) as t
    where t -> 'entry_ids' = '[]'
    on conflict do nothing
  `)
  for (const { ids: contacts } of owners.filter(({ kind }) => kind === 'contact'))
    await refreshContacts(em, tenantId, contacts)
}

const isListed = ({ kind }: Naming): boolean => ListingKind.safeParse(kind).success

/**
 * Locks the owners that name the deleted records, before those are locked `for update`: in the other order this
 * transaction and a change of an owner could deadlock. Returns the locked ids, for removeReferences. 409 `referenced`
 * with up to ten owners that refer with `restrict`.
 */
export async function lockOwners(em: EntityManager, tenantId: string, going: Going): Promise<ReadonlySet<string>> {
  const naming = await namedBy(em, tenantId, going)
  await refuseHeld(em, tenantId, going, naming)
  if (naming.some(isListed)) await requestListings(em, tenantId)
  return lockNaming(em, tenantId, going, naming)
}

/**
 * Removes all references to the deleted records: sets values to null, removes terms, and publishes the updates. The
 * caller has locked the deleted rows `for update`: there are no new references, and all earlier ones are visible here.
 * 409 as lockOwners; records that refer to each other and are deleted together do not block each other. One statement
 * if there are no references.
 */
export async function removeReferences(
  em: EntityManager,
  tenantId: string,
  going: Going,
  owners: ReadonlySet<string>,
  now: number,
): Promise<void> {
  const naming = await namedBy(em, tenantId, going)
  await refuseHeld(em, tenantId, going, naming)
  await lockLateOwners(em, tenantId, naming, owners)
  await dropReferences(em, tenantId, going, naming, now)
  await dropTerms(em, tenantId, going, naming, now)
  await publishUpdates(em, tenantId, byKind(naming), now)
  // Those that began to name it since.
  if (naming.some((one) => isListed(one) && !owners.has(one.owner_id))) await requestListings(em, tenantId)
}
