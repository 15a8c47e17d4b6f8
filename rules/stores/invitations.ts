// Invitations of a team: how long one is valid, and what becomes of it.
import { z } from 'zod'

export const InvitationStatus = z.enum(['pending', 'accepted', 'rejected', 'expired'])
export const InvitationAction = z.enum(['ACCEPT', 'REJECT'])

export const INVITATION_DAYS = 7
/** Seconds between two e-mails to one invited address. */
export const REMAIL_S = 60

/** The page of INVITATION_URL, for one invitation; null without such a page. */
export function invitationLink(page: string | null, businessId: string, token: string): string | null {
  if (page === null) return null
  const url = new URL(page)
  url.searchParams.set('businessId', businessId)
  url.searchParams.set('token', token)
  return url.href
}
