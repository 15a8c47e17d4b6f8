// What has a key, slugs and content is written and found the same way, whatever it is: its key and slugs lead to it alone, its words find it.
import { raw } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { searchText, textsIn } from '../rules/search.ts'
import type { Block, LocaleMap } from '../rules/shapes.ts'
import { ownerOfSlug, type SlugKind, writeSlugs } from './catalog/slugs.ts'
import { flushKeyed } from './keys.ts'

type Named = { id: string; tenant_id: string; key: string; slug: LocaleMap; blocks: Block[] }

/** Writes what is pending, the record's words, and its slugs if there are new ones. 409 key_taken, slug_taken: the transaction is over then. */
export async function flushNamed(em: EntityManager, kind: SlugKind, record: Named, slug: LocaleMap | undefined, more: readonly (string | null)[] = []) {
  const words = searchText([record.key, ...Object.values(record.slug), ...more, ...record.blocks.flatMap(({ value }) => textsIn(value))])
  em.assign(record as Named & { search: string }, { search: raw("to_tsvector('simple', ?)", [words]) as unknown as string })
  await flushKeyed(em, kind)
  if (slug) await writeSlugs(em, record.tenant_id, kind, record.id, slug)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The id that a part of a path means, be it an id or a slug; null if it is a slug of nothing. */
export const idOf = async (em: EntityManager, tenantId: string, kind: SlugKind, idOrSlug: string, locale: string | undefined): Promise<string | null> =>
  uuid.test(idOrSlug) ? idOrSlug.toLowerCase() : ownerOfSlug(em, tenantId, kind, idOrSlug, locale)
