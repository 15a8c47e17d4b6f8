// Whoever asks for a record's updates hears of those that nobody sent: a value that became null, or a term it was sorted under, because what it named is gone.
import type { EntityManager } from '@mikro-orm/postgresql'
import { CollectionOut, EntryOut, ProductOut } from '../../rules/resources.ts'
import { serialize } from '../../rules/serialize.ts'
import { Product } from '../catalog/product.ts'
import { withVariants } from '../catalog/variants.ts'
import { tell, wantedCondition, wantedValues } from '../webhooks/events.ts'
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

/** Read anew, as the rows were written by a statement, and not kept: the unit of work would look through all of them again. */
const fresh = { disableIdentityMap: true } as const
const shown = (out: Parameters<typeof serialize>[0], rows: readonly object[]) => rows.map((row) => serialize(out, row))

/** How many are in memory at once. */
const batch = 200

type Told = keyof typeof told
const isTold = (one: Changed): one is Changed & { kind: Told } => one.kind in told

type Changed = { kind: OwnerKind; ids: readonly string[] }

/** Which of these kinds somebody asks for. One statement. */
async function wanted(em: EntityManager, tenantId: string, kinds: readonly Told[]): Promise<ReadonlySet<string>> {
  const rows: { kind: string }[] = await em.execute(
    kinds.map((kind) => `select '${kind}' as kind where ${wantedCondition}`).join(' union all '),
    kinds.flatMap((kind) => wantedValues(tenantId, told[kind].type)),
  )
  return new Set(rows.map(({ kind }) => kind))
}

/** One statement where nobody asks, and none for services and providers, which have no events. `now` in Unix seconds. */
export async function tellUpdated(em: EntityManager, tenantId: string, changed: readonly Changed[], now: number): Promise<void> {
  const known = changed.filter(isTold)
  if (known.length === 0) return
  const asked = await wanted(
    em,
    tenantId,
    known.map(({ kind }) => kind),
  )
  for (const { kind, ids } of known.filter((one) => asked.has(one.kind)))
    for (let at = 0; at < ids.length; at += batch) {
      const rows = await told[kind].read(em, ids.slice(at, at + batch))
      await tell(
        em,
        told[kind].type,
        rows.map((data) => ({ tenant_id: tenantId, data })),
        now,
      )
    }
}
