// The slugs of records. A slug identifies one record per store, kind and locale.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { LocaleMap } from '../../rules/input/locale-map.ts'
import { pathNameFault } from '../../rules/input/path-names.ts'
import { pointerOf } from '../../rules/input/pointers.ts'
import { spellingsOf } from '../../rules/input/texts.ts'
import { conflict, invalidInput } from '../../rules/refusal.ts'
import { json, list, type Sql, sql } from '../kit/database/sql.ts'

export type SlugKind = 'product' | 'service' | 'provider' | 'entry'

/**
 * Replaces the record's slugs. One statement; 422 reserved for a new one that cannot stand in a path; 409 slug_taken
 * names the locale.
 */
export async function writeSlugs(
  em: EntityManager,
  tenantId: string,
  kind: SlugKind,
  ownerId: string,
  slug: LocaleMap,
): Promise<void> {
  const rows: { locale: string; slug: string; owner_id: string; is_new: boolean }[] = await em.execute(sql`
    with new_slugs as (select key as locale, value as slug from jsonb_each_text(${json(slug)})),
    deleted_slugs as (
      delete from slugs s
      where s.tenant_id = ${tenantId}
        and s.kind = ${kind}
        and s.owner_id = ${ownerId}
        and not exists (select 1 from new_slugs n where n.locale = s.locale and n.slug = s.slug)
    ),
    previous_slugs as (
      select s.locale, s.slug
      from slugs s
      where s.tenant_id = ${tenantId} and s.kind = ${kind} and s.owner_id = ${ownerId}
    ),
    stored_slugs as (
      insert into slugs (tenant_id, kind, locale, slug, owner_id)
      select ${tenantId}, ${kind}, locale, slug, ${ownerId}
      from new_slugs
      order by locale
      on conflict (tenant_id, kind, locale, slug) do update
      set owner_id = slugs.owner_id
      returning locale, slug, owner_id
    )
    select s.locale, s.slug, s.owner_id, p.slug is null as is_new
    from stored_slugs s
    left join previous_slugs p using (locale, slug)
    order by s.locale
  `)
  const reserved = rows.flatMap(({ locale, slug: name, is_new }) => {
    const detail = is_new ? pathNameFault(kind, name) : undefined
    return detail ? [{ pointer: pointerOf(['slug', locale]), code: 'reserved', detail }] : []
  })
  if (reserved.length > 0) throw invalidInput(reserved)
  const faults = rows
    .filter((row) => row.owner_id !== ownerId)
    .map(({ locale }) => ({ pointer: `/slug/${locale}`, code: 'slug_taken', detail: `Another ${kind} has this slug.` }))
  if (faults.length > 0) throw conflict('slug_taken', `Another ${kind} has this slug.`, { faults })
}

/**
 * Whether a text in one language is for readers of another, which is the same or a variety of it (RFC 4647, 3.4). Older
 * tags may be spelled differently.
 */
const serves = (language: Sql, reader: Sql): Sql =>
  sql`starts_with(lower(replace(${reader}, '_', '-')) || '-', lower(replace(${language}, '_', '-')) || '-')`

/**
 * With a locale, the slug in it, else in the language that it is a variety of: `de` for `de-AT`. Without one the
 * store's languages take precedence, in their order: a slug may identify another record in another locale.
 */
export async function ownerOfSlug(
  em: EntityManager,
  tenantId: string,
  kind: SlugKind,
  slug: string,
  locale: string | undefined,
): Promise<string | null> {
  const slugs = list(spellingsOf(slug))
  const wanted = locale === undefined ? sql`true` : serves(sql`s.locale`, sql`${locale}`)
  // The place of the first of the store's own languages that matches. A caller that names a language gets that one
  // alone.
  const place = sql`
    (
      select min(place)
      from jsonb_array_elements_text(t.languages) with ordinality as l (language, place)
      where ${serves(sql`s.locale`, sql`language`)}
    )
  `
  const rows: { owner_id: string }[] = await em.execute(sql`
    select s.owner_id
    from slugs s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = ${tenantId} and s.kind = ${kind} and s.slug in (${slugs}) and ${wanted}
    order by ${locale === undefined ? place : sql`null::bigint`} nulls last, length(s.locale) desc,
      array_position(array[${slugs}]::text[], s.slug::text), s.locale
    limit 1
  `)
  return rows[0]?.owner_id ?? null
}
