// Networks sort what they list by its ratings: a transaction that changes a rating rebuilds the listing.
import type { EntityManager } from '@mikro-orm/postgresql'
import { ListingKind } from '../../rules/networks/networks.ts'
import { holdListings, refreshListings } from '../networks/listings.ts'
import type { Target } from './targets.ts'

/** Before the locks of reactions. Whether the target may be listed. */
export const holdRating = async (em: EntityManager, tenantId: string, { type }: Target): Promise<boolean> =>
  ListingKind.safeParse(type).success && (await holdListings(em, tenantId))

/** After the rating was changed. `listed`: what holdRating answered. */
export async function followRating(
  em: EntityManager,
  tenantId: string,
  { type, id }: Target,
  listed: boolean,
): Promise<void> {
  if (listed) await refreshListings(em, tenantId, { [type]: [id] })
}
