// Membership of audiences. There are none yet: the queries of members start here.
import type { Membership } from '../../rules/orders/promo-codes.ts'

/** The contact's active memberships. */
export const membershipsOf = (_contactId: string): readonly Membership[] => []

/** Rows whose contact is a member of the audience. */
export const membersOf = (_audienceId: string): { contact_id: { $in: string[] } } => ({ contact_id: { $in: [] } })
