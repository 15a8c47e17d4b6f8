// Writes records with a key, slugs, content and search words.
import { setImmediate as turn } from 'node:timers/promises'
import { raw } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { BlockSchemaItem } from '../../rules/content/block-schemas.ts'
import type { Block } from '../../rules/content/block-shape.ts'
import type { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import type { LocaleMap } from '../../rules/input/locale-map.ts'
import { namedWords } from '../../rules/search/search-texts.ts'
import { type SlugKind, writeSlugs } from '../catalog/slugs.ts'
import { flushKeyed } from '../kit/keys.ts'
import { type Content, checkContent, writeContent } from './content.ts'

type Named = {
  id: string
  tenant_id: string
  key: string
  slug: LocaleMap
  blocks: Block[]
  taxonomies: TaxonomyEntry[]
}

/** To assign to a row's search column. */
export const searchOf = (words: string): string => raw("to_tsvector('simple', ?)", [words])

export type NamedOptions = {
  /** Further words that it is found by. */
  more?: readonly (string | null)[]
  /** The schema of its blocks, if it has one. */
  schema?: readonly BlockSchemaItem[]
  /** Flushes; 409 if the key is taken. */
  flush?: (em: EntityManager, kind: string) => Promise<void>
}

/**
 * Flushes the record with its search words, and writes the slugs, references and taxonomies that the request gave,
 * validated. 422 with all faults of blocks and taxonomies; 409 key_taken, slug_taken, which end the transaction.
 */
export async function flushNamed(
  em: EntityManager,
  kind: SlugKind,
  record: Named,
  given: Content & { slug?: LocaleMap | undefined },
  o: NamedOptions = {},
) {
  const { tenant_id, id } = record
  const isNew = em.getUnitOfWork().getOriginalEntityData(record) === undefined
  // A record may have a megabyte of content: building, checking and writing it are separate turns of the event loop.
  await turn()
  const relations = await checkContent(em, tenant_id, given, o.schema ?? null)
  await turn()
  em.assign(record as Named & { search: string }, {
    search: searchOf(namedWords(record, o.more)),
    ...(relations.taxonomies ? { taxonomies: relations.taxonomies } : {}),
  })
  await (o.flush ?? flushKeyed)(em, kind)
  if (given.slug) await writeSlugs(em, tenant_id, kind, id, given.slug)
  await writeContent(em, tenant_id, kind, id, relations, isNew)
}
