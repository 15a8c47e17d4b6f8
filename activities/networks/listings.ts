// Rebuilds the listings of a tenant's records, one batch per commit.
import { unixNow } from '../../adapters/clock.ts'
import { endWalk, moveWalk, recordsAfter, takeWalk } from '../../entities/networks/listing-walks.ts'
import { holdListings, refreshListings } from '../../entities/networks/listings.ts'
import { ListingKind } from '../../rules/networks/networks.ts'
import { transaction } from '../kit/database.ts'
import { failpoint } from '../kit/failpoints.ts'
import { slice } from '../kit/slices.ts'
import { type Walk, walkOn } from '../scripts/walk.ts'

/** Writers of the tenant's records wait for a batch. */
const rowsMax = 100

/** Rebuilds one batch of listings. True if the walk has ended: also for a tenant that has left its networks. */
const batch = (tenantId: string): Promise<boolean> =>
  transaction(async (em) => {
    const isListed = await holdListings(em, tenantId)
    const walk = await takeWalk(em, tenantId)
    if (!walk) return true
    const visited = await walkOn(
      isListed ? ListingKind.options : [],
      walk.progress as Walk | null,
      async (part, rows) => {
        const kind = part as ListingKind
        const ids = 'only' in rows ? [rows.only] : await recordsAfter(em, tenantId, kind, rows.after, rowsMax)
        await refreshListings(em, tenantId, { [kind]: ids })
        return { last: ids.length < rowsMax ? null : (ids.at(-1) ?? null), busy: [], counts: {} }
      },
    )
    const over = visited.at === null
    if (over) await endWalk(em, tenantId)
    else await moveWalk(em, tenantId, visited, unixNow())
    await failpoint('listing_batch', 'listing_walks', tenantId)
    return over
  })

export const refreshTenantListings = (tenantId: string): Promise<'more' | 'over'> => slice(() => batch(tenantId))
