// Whoever asks for a record's updates hears of those that nobody sent: a value that became null because what it referred to is gone.
import type { EntityManager } from '@mikro-orm/postgresql'
import { CollectionOut, EntryOut, ProductOut } from '../../rules/resources.ts'
import { serialize } from '../../rules/serialize.ts'
import { isWanted, tell } from '../automation/events.ts'
import { Product } from '../catalog/product.ts'
import { withVariants } from '../catalog/variants.ts'
import { Collection } from './collection.ts'
import type { OwnerKind } from './content.ts'
import { Entry } from './entry.ts'

const told = {
  entry: { type: 'entry.updated', read: async (em: EntityManager, ids: string[]) => shown(EntryOut, await em.find(Entry, { id: { $in: ids } }, fresh)) },
  collection: {
    type: 'collection.updated',
    read: async (em: EntityManager, ids: string[]) => shown(CollectionOut, await em.find(Collection, { id: { $in: ids } }, fresh)),
  },
  product: {
    type: 'product.updated',
    read: async (em: EntityManager, ids: string[]) => shown(ProductOut, await withVariants(em, await em.find(Product, { id: { $in: ids } }, fresh))),
  },
} as const

/** The rows were written by a statement, not by the unit of work. */
const fresh = { refresh: true } as const
const shown = (out: Parameters<typeof serialize>[0], rows: readonly object[]) => rows.map((row) => serialize(out, row))

/** How many are in memory at once. */
const batch = 200

/** One statement where nobody asks; services and providers have no events. `now` in Unix seconds. */
export async function tellUpdated(em: EntityManager, tenantId: string, kind: OwnerKind, ids: readonly string[], now: number): Promise<void> {
  const of = kind === 'service' || kind === 'provider' ? null : told[kind]
  if (!of || !(await isWanted(em, tenantId, of.type))) return
  for (let at = 0; at < ids.length; at += batch) {
    const rows = await of.read(em, ids.slice(at, at + batch))
    await tell(
      em,
      of.type,
      rows.map((data) => ({ tenant_id: tenantId, data })),
      now,
    )
  }
}
