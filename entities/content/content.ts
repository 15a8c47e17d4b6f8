// Content is checked before it is written: the records that blocks and taxonomies refer to exist, and are locked until
// the transaction ends.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { BlockSchemaItem, OnDelete, ReferenceKind } from '../../rules/content/block-schemas.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import { type BlockReference, blockFaults, blockReferences } from '../../rules/content/blocks.ts'
import type { Identified } from '../../rules/content/forms.ts'
import type { FiledKind, TargetKind } from '../../rules/content/record-kinds.ts'
import {
  completedFields,
  type TaxonomyEntry,
  type TaxonomyItem,
  taxonomyFieldFaults,
} from '../../rules/content/taxonomies.ts'
import { type Fault, invalidInput } from '../../rules/refusal.ts'
import { join, json, type Sql, sql, text } from '../kit/database/sql.ts'
import { uuids } from '../kit/ids.ts'

/** Tables of records with blocks or taxonomies. Several of them are always locked in this order. */
export const ownerTables: Record<FiledKind, string> = {
  collection: 'collections',
  entry: 'entries',
  product: 'products',
  service: 'services',
  provider: 'providers',
  contact: 'contacts',
  reaction: 'reactions',
}

/** The content of a request; a part that is left out is not checked. */
export type Content = { blocks?: Block[] | undefined; taxonomies?: TaxonomyEntry[] | undefined }

type Reference = { kind: TargetKind; target_id: string; on_delete: OnDelete }
/** Checked content, whose targets are locked until the transaction ends. */
export type ContentRelations = { references: Reference[] | undefined; taxonomies: TaxonomyEntry[] | undefined }

const targetOf = (kind: ReferenceKind): TargetKind => (kind === 'digital_product' ? 'product' : kind)

type Found = {
  kind: TargetKind | 'taxonomy'
  id: string
  collection_id: string | null
  schema: Identified<TaxonomyItem>[] | null
  digital: boolean | null
}

/**
 * Reads the records that the content refers to and locks them as keys, in one statement: a deletion of one waits for
 * this transaction, and a record whose deletion this statement waited for is missing.
 */
async function hold(
  em: EntityManager,
  tenantId: string,
  references: readonly BlockReference[],
  taxonomies: readonly TaxonomyEntry[],
): Promise<Found[]> {
  const of = (kind: TargetKind) => references.filter((one) => targetOf(one.kind) === kind).map(({ id }) => id)
  const terms = taxonomies.flatMap(({ taxonomy_id, entry_ids = [] }) => [taxonomy_id, ...entry_ids])
  const entries = [...of('entry'), ...taxonomies.flatMap(({ entry_ids = [] }) => entry_ids)]
  return em.execute(sql`
    with locked_media as (
      select id
      from media
      where tenant_id = ${tenantId} and id = any (${uuids(of('media'))}) and status in ('processing', 'ready')
      order by id
      for key share
    ),
    locked_entries as (
      select id, collection_id
      from entries
      where tenant_id = ${tenantId} and id = any (${uuids(entries)})
      order by id
      for key share
    ),
    locked_products as (
      select id
      from products
      where tenant_id = ${tenantId} and id = any (${uuids(of('product'))})
      order by id
      for key share
    ),
    locked_taxonomies as (
      select id, schema
      from taxonomies
      where tenant_id = ${tenantId} and id = any (${uuids(terms)})
      order by id
      for key share
    )
    select 'media' as kind, id, null::uuid as collection_id, null::jsonb as schema, null::boolean as digital
    from locked_media
    union all
    select 'entry', id, collection_id, null, null
    from locked_entries
    union all
    select 'product', id, null, null,
      exists (select 1 from product_variants v where v.product_id = locked_products.id and v.is_digital)
    from locked_products
    union all
    select 'taxonomy', id, null, schema, null
    from locked_taxonomies
  `)
}

type Known = Map<string, Found>
const nameOf = (kind: Found['kind'], id: string) => `${kind} ${id}`

function referenceFaults(references: readonly BlockReference[], known: Known): Fault[] {
  return references.flatMap(({ kind, id, collection_id, pointer }): Fault[] => {
    const found = known.get(nameOf(targetOf(kind), id))
    if (!found)
      return [{ pointer, code: `${kind}_unknown`, detail: `The {store} has no such ${kind.replace('_', ' ')}.` }]
    if (kind === 'digital_product' && !found.digital)
      return [{ pointer, code: 'not_digital', detail: 'The product has no digital variant.' }]
    if (collection_id !== undefined && found.collection_id !== collection_id)
      return [{ pointer, code: 'wrong_collection', detail: 'The entry is of another collection than the schema says.' }]
    return []
  })
}

function taxonomyFaults(taxonomies: readonly TaxonomyEntry[], known: Known): Fault[] {
  return taxonomies.flatMap((entry, index): Fault[] => {
    const at = `/taxonomies/${index}`
    const taxonomy = known.get(nameOf('taxonomy', entry.taxonomy_id))
    const lost = (entry.entry_ids ?? []).flatMap((id, place): Fault[] =>
      known.has(nameOf('taxonomy', id)) || known.has(nameOf('entry', id))
        ? []
        : [
            {
              pointer: `${at}/entry_ids/${place}`,
              code: 'entry_unknown',
              detail: 'The {store} has no such taxonomy or entry.',
            },
          ],
    )
    if (!taxonomy)
      return [
        { pointer: `${at}/taxonomy_id`, code: 'taxonomy_unknown', detail: 'The {store} has no such taxonomy.' },
        ...lost,
      ]
    return [...lost, ...taxonomyFieldFaults(entry, taxonomy.schema ?? [], at)]
  })
}

/** Returns one reference for each record: of several to one record, the strictest applies. */
function strictest(references: readonly BlockReference[]): Reference[] {
  const byTarget = new Map<string, Reference>()
  for (const { kind, id, on_delete } of references)
    if (on_delete === 'restrict' || !byTarget.has(id))
      byTarget.set(id, { kind: targetOf(kind), target_id: id, on_delete })
  return [...byTarget.values()]
}

/**
 * Validates content against the schema (null: products, services, providers and contacts have none) and locks the
 * records that it refers to until the transaction ends. Returns the taxonomies as they are stored, their fields with
 * the ids, keys and types of the taxonomy. 422 with all faults. One statement, and none without references.
 */
export async function checkContent(
  em: EntityManager,
  tenantId: string,
  { blocks, taxonomies }: Content,
  schema: readonly BlockSchemaItem[] | null,
): Promise<ContentRelations> {
  const faults = blocks ? blockFaults(blocks, schema) : []
  const references = blocks ? blockReferences(blocks, schema) : []
  const found =
    references.length > 0 || taxonomies?.length ? await hold(em, tenantId, references, taxonomies ?? []) : []
  const known: Known = new Map(found.map((one) => [nameOf(one.kind, one.id), one]))
  faults.push(...referenceFaults(references, known), ...taxonomyFaults(taxonomies ?? [], known))
  if (faults.length > 0) throw invalidInput(faults)
  return {
    references: blocks ? strictest(references) : undefined,
    taxonomies: taxonomies?.map((entry) =>
      entry.fields
        ? { ...entry, fields: completedFields(entry, known.get(nameOf('taxonomy', entry.taxonomy_id))?.schema ?? []) }
        : entry,
    ),
  }
}

/** A record that is in a taxonomy without entries is linked to the taxonomy itself. */
const linksOf = (taxonomies: readonly TaxonomyEntry[]) => [
  ...new Map(
    taxonomies
      .flatMap(({ taxonomy_id, entry_ids = [] }) =>
        (entry_ids.length > 0 ? entry_ids : [taxonomy_id]).map((entry_id) => ({ taxonomy_id, entry_id })),
      )
      .map((link) => [`${link.taxonomy_id} ${link.entry_id}`, link]),
  ).values(),
]

/**
 * Writes the owner's references and taxonomy links, after the owner. One statement, and none for a new owner without
 * any.
 */
export async function writeContent(
  em: EntityManager,
  tenantId: string,
  kind: FiledKind,
  ownerId: string,
  relations: ContentRelations,
  isNew: boolean,
): Promise<void> {
  const links = relations.taxonomies && linksOf(relations.taxonomies)
  const parts: Sql[] = []
  if (relations.references && !(isNew && relations.references.length === 0))
    parts.push(sql`
      new_references as (
        select *
        from jsonb_to_recordset(${json(relations.references)}) as x(kind text, target_id uuid, on_delete text)
      ),
      deleted_references as (
        delete from block_references r
        where r.tenant_id = ${tenantId}
          and r.owner_id = ${ownerId}
          and not exists (select 1 from new_references n where n.target_id = r.target_id)
      ),
      stored_references as (
        insert into block_references (
          tenant_id, owner_kind, owner_id, target_id, on_delete, media_id, entry_id, product_id
        )
        select ${tenantId}, ${kind}, ${ownerId}, target_id, on_delete, case kind when 'media' then target_id end,
          case kind when 'entry' then target_id end, case kind when 'product' then target_id end
        from new_references
        on conflict (tenant_id, owner_id, target_id) do update
        set on_delete = excluded.on_delete
      )
    `)
  if (links && !(isNew && links.length === 0))
    parts.push(sql`
      new_links as (select * from jsonb_to_recordset(${json(links)}) as x(taxonomy_id uuid, entry_id uuid)),
      deleted_links as (
        delete from taxonomy_links l
        where l.tenant_id = ${tenantId}
          and l.owner_id = ${ownerId}
          and not exists (select 1 from new_links n where n.taxonomy_id = l.taxonomy_id and n.entry_id = l.entry_id)
      ),
      stored_links as (
        insert into taxonomy_links (tenant_id, owner_kind, owner_id, owner_created_at, taxonomy_id, entry_id)
        select o.tenant_id, ${kind}, o.id, o.created_at, n.taxonomy_id, n.entry_id
        from new_links n
        join ${text(ownerTables[kind])} o on o.tenant_id = ${tenantId} and o.id = ${ownerId}
        on conflict do nothing
      )
    `)
  if (parts.length > 0) await em.execute(sql`with ${join(parts)} select 1`)
}
