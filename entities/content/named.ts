// What has a key, slugs and content is written and found the same way, whatever it is: its key and slugs lead to it alone, its words find it.
import { setImmediate as turn } from 'node:timers/promises'
import { raw } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { BlockSchemaItem } from '../../rules/content/block-schemas.ts'
import { namedWords } from '../../rules/search-texts.ts'
import type { Block, LocaleMap, TaxonomyEntry } from '../../rules/shapes.ts'
import { type SlugKind, writeSlugs } from '../catalog/slugs.ts'
import { flushKeyed } from '../kit/keys.ts'
import { type Content, checkContent, writeContent } from './content.ts'

type Named = { id: string; tenant_id: string; key: string; slug: LocaleMap; blocks: Block[]; taxonomies: TaxonomyEntry[] }

/** To assign to a row's search column. */
export const searchOf = (words: string): string => raw("to_tsvector('simple', ?)", [words]) as unknown as string

export type NamedOptions = {
  /** What it is found by besides its own words. */
  more?: readonly (string | null)[]
  /** Of its blocks; none for what has none. */
  schema?: readonly BlockSchemaItem[]
  /** Writes what is pending; 409 if the key is taken. */
  flush?: (em: EntityManager, kind: string) => Promise<void>
}

/**
 * Writes what is pending, the record's words, and of what the request gave its slugs, references and taxonomies, held to what they have to be. 422 with every
 * fault of blocks and taxonomies; 409 key_taken, slug_taken: the transaction is over then.
 */
export async function flushNamed(em: EntityManager, kind: SlugKind, record: Named, given: Content & { slug?: LocaleMap | undefined }, o: NamedOptions = {}) {
  const { tenant_id, id } = record
  const isNew = em.getUnitOfWork().getOriginalEntityData(record) === undefined
  // A record may have a megabyte of content: making it, checking it and writing it are turns of the event loop of their own.
  await turn()
  const held = await checkContent(em, tenant_id, given, o.schema ?? null)
  await turn()
  em.assign(record as Named & { search: string }, { search: searchOf(namedWords(record, o.more)), ...(held.taxonomies ? { taxonomies: held.taxonomies } : {}) })
  await (o.flush ?? flushKeyed)(em, kind)
  if (given.slug) await writeSlugs(em, tenant_id, kind, id, given.slug)
  await writeContent(em, tenant_id, kind, id, held, isNew)
}
