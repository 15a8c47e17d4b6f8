// Who may give, take or change which role in a store.
import { z } from 'zod'

export const StoreRole = z.enum(['admin', 'owner', 'super'])
export type StoreRole = z.infer<typeof StoreRole>

/**
 * A super does everything; an owner manages admins and adds owners; an admin manages nobody (design: api, Callers and roles).
 * `from` is null for somebody new, `to` for somebody who goes. Setting the role that somebody has already changes nothing.
 */
export function mayMove(actor: StoreRole, from: StoreRole | null, to: StoreRole | null): boolean {
  if (actor === 'super') return true
  if (actor === 'admin') return false
  if (from === to) return true
  return (from === null || from === 'admin') && to !== 'super'
}
