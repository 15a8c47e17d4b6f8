// Publishes the updates of records that lost a reference or a taxonomy term because its target was deleted.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { FiledKind } from '../../rules/content/record-kinds.ts'
import { CollectionOut, EntryOut, ProductOut } from '../../rules/resources.ts'
import { serialize } from '../../rules/serialize.ts'
import { Product } from '../catalog/product.ts'
import { withVariants } from '../catalog/variants.ts'
import { join, sql } from '../kit/database/sql.ts'
import { subscribedSql, writeEvents } from '../webhooks/events.ts'
import { Collection } from './collection.ts'
import { Entry } from './entry.ts'

const updateEvents = {
  entry: {
    type: 'entry.updated',
    read: async (em: EntityManager, ids: string[]) =>
      shown(EntryOut, await em.find(Entry, { id: { $in: ids } }, fresh)),
  },
  collection: {
    type: 'collection.updated',
    read: async (em: EntityManager, ids: string[]) =>
      shown(CollectionOut, await em.find(Collection, { id: { $in: ids } }, fresh)),
  },
  product: {
    type: 'product.updated',
    read: async (em: EntityManager, ids: string[]) =>
      shown(ProductOut, await withVariants(em, await em.find(Product, { id: { $in: ids } }, fresh))),
  },
} as const

/**
 * Reads rows that a statement has changed, and leaves them out of the unit of work, which would compare all of them at
 * every flush.
 */
const fresh = { disableIdentityMap: true } as const
const shown = (out: Parameters<typeof serialize>[0], rows: readonly object[]) => rows.map((row) => serialize(out, row))

/** Records in memory at the same time. */
const batch = 200

type KindWithEvent = keyof typeof updateEvents
const hasEvent = (one: Changed): one is Changed & { kind: KindWithEvent } => one.kind in updateEvents

type Changed = { kind: FiledKind; ids: readonly string[] }

/** The kinds whose updates have a subscriber. One statement. */
async function kindsWithSubscribers(
  em: EntityManager,
  tenantId: string,
  kinds: readonly KindWithEvent[],
): Promise<ReadonlySet<string>> {
  const parts = kinds.map(
    (kind) => sql`select ${kind} as kind where ${subscribedSql(tenantId, updateEvents[kind].type)}`,
  )
  const rows: { kind: string }[] = await em.execute(join(parts, ' union all '))
  return new Set(rows.map(({ kind }) => kind))
}

/**
 * Publishes the updates of changed records. One statement if there are no subscribers, and none for services, providers
 * and contacts, which have no events. `now` in Unix seconds.
 */
export async function publishUpdates(
  em: EntityManager,
  tenantId: string,
  changed: readonly Changed[],
  now: number,
): Promise<void> {
  const withEvents = changed.filter(hasEvent)
  if (withEvents.length === 0) return
  const subscribed = await kindsWithSubscribers(
    em,
    tenantId,
    withEvents.map(({ kind }) => kind),
  )
  for (const { kind, ids } of withEvents.filter((one) => subscribed.has(one.kind)))
    for (let at = 0; at < ids.length; at += batch) {
      const rows = await updateEvents[kind].read(em, ids.slice(at, at + batch))
      await writeEvents(
        em,
        updateEvents[kind].type,
        rows.map((data) => ({ tenant_id: tenantId, data })),
        now,
      )
    }
}
