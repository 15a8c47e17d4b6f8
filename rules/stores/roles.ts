// Which role may grant, change and revoke which roles in a store.
import { z } from 'zod'

export const StoreRole = z.enum(['admin', 'owner', 'super'])
export type StoreRole = z.infer<typeof StoreRole>
/** Who may record an outcome: the least role in the store, or an administrator of the installation. */
export const ResolverRole = z.enum([...StoreRole.options, 'platform'])
export type ResolverRole = z.infer<typeof ResolverRole>

const ranks: Record<StoreRole, number> = { admin: 1, owner: 2, super: 3 }
export const atLeast = (role: StoreRole, needed: StoreRole): boolean => ranks[role] >= ranks[needed]

/**
 * A super may do everything; an owner manages admins and adds owners; an admin manages no members. `from` is null for a
 * new member, `to` for one that is removed. Setting the role that a member has already is allowed to owners.
 */
export function mayMove(actor: StoreRole, from: StoreRole | null, to: StoreRole | null): boolean {
  if (actor === 'super') return true
  if (actor === 'admin') return false
  if (from === to) return true
  return (from === null || from === 'admin') && to !== 'super'
}
