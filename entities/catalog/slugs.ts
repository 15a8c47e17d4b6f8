// The slugs of records. A slug identifies one record per store, kind and locale.
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict } from '../../rules/refusal.ts'
import type { LocaleMap } from '../../rules/shapes.ts'
import { json, sql } from '../kit/sql.ts'

export type SlugKind = 'product' | 'service' | 'provider' | 'entry'

/** Replaces the record's slugs. One statement; 409 slug_taken names the locale. */
export async function writeSlugs(em: EntityManager, tenantId: string, kind: SlugKind, ownerId: string, slug: LocaleMap): Promise<void> {
  const rows: { locale: string; owner_id: string }[] = await em.execute(
    sql`with wanted as (select key as locale, value as slug from jsonb_each_text(${json(slug)})),
     gone as (delete from slugs s where s.tenant_id = ${tenantId} and s.kind = ${kind} and s.owner_id = ${ownerId}
              and not exists (select 1 from wanted w where w.locale = s.locale and w.slug = s.slug))
     insert into slugs (tenant_id, kind, locale, slug, owner_id) select ${tenantId}, ${kind}, locale, slug, ${ownerId} from wanted order by locale
     on conflict (tenant_id, kind, locale, slug) do update set owner_id = slugs.owner_id returning locale, owner_id`,
  )
  const faults = rows
    .filter((row) => row.owner_id !== ownerId)
    .map(({ locale }) => ({ pointer: `/slug/${locale}`, code: 'slug_taken', detail: `Another ${kind} has this slug.` }))
  if (faults.length > 0) throw conflict('slug_taken', `Another ${kind} has this slug.`, { faults })
}

/** Without a locale the store's languages take precedence, in their order: a slug may identify another record in another locale. */
export async function ownerOfSlug(em: EntityManager, tenantId: string, kind: SlugKind, slug: string, locale: string | undefined): Promise<string | null> {
  const rows: { owner_id: string }[] = await em.execute(
    sql`select s.owner_id from slugs s join tenants t on t.id = s.tenant_id
     where s.tenant_id = ${tenantId} and s.kind = ${kind} and s.slug = ${slug} and s.locale = coalesce(${locale ?? null}, s.locale)
     order by (select place from jsonb_array_elements_text(t.languages) with ordinality as l (language, place) where language = s.locale limit 1) nulls last,
       s.locale
     limit 1`,
  )
  return rows[0]?.owner_id ?? null
}
