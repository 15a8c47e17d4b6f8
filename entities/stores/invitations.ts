// An address has one pending invitation to a team, and an invitation is used once. Both are serialized by the lock of
// the team.
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict, notFound, Refusal } from '../../rules/refusal.ts'
import { INVITATION_DAYS, REMAIL_S } from '../../rules/stores/invitations.ts'
import { atLeast, mayMove, type StoreRole } from '../../rules/stores/roles.ts'
import { Account } from '../accounts/account.ts'
import { sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { randomOf } from '../kit/random.ts'
import { teamUpdated } from './account-events.ts'
import { Invitation } from './invitation.ts'
import { TeamMember } from './team-member.ts'

const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex')

type Invited = { email: string; role: StoreRole; invited_by: string }

/**
 * The pending invitation of an address. `token`: of the e-mail that has to be sent; null within a minute after the last
 * one, whose token stays valid. Requires `lockTeam`. `now` in Unix seconds.
 */
export async function invite(
  em: EntityManager,
  tenantId: string,
  { email, ...given }: Invited,
  now: number,
): Promise<{ invitation: Invitation; token: string | null; isNew: boolean }> {
  await em.execute(sql`
    update invitations
    set status = 'expired', updated_at = ${now}
    where tenant_id = ${tenantId} and email = ${email} and status = 'pending' and expires_at <= ${now}
  `)
  const pending = await em.findOne(Invitation, { email, status: 'pending' })
  if (pending && now < pending.mailed_at + REMAIL_S)
    return { invitation: em.assign(pending, { ...given, updated_at: now }), token: null, isNew: false }
  const token = `till_iv_${randomOf(32).toString('base64url')}`
  const sent = {
    ...given,
    token_digest: digestOf(token),
    mailed_at: now,
    expires_at: now + INVITATION_DAYS * 86_400,
    updated_at: now,
  }
  const row = { id: newId(), tenant_id: tenantId, created_at: now, email, status: 'pending' as const }
  return {
    invitation: pending ? em.assign(pending, sent) : em.create(Invitation, { ...row, ...sent }),
    token,
    isNew: !pending,
  }
}

/**
 * The account joins with the invited role, or keeps a higher one. 409 invitation_void if the member who invited may not
 * grant it any more.
 */
async function join(
  em: EntityManager,
  { tenant_id, role, invited_by }: Invitation,
  accountId: string,
  now: number,
): Promise<void> {
  const members = await em.find(TeamMember, { account_id: { $in: [invited_by, accountId] } })
  const inviter = members.find(({ account_id }) => account_id === invited_by)
  const member = members.find(({ account_id }) => account_id === accountId)
  if (!inviter || !mayMove(inviter.role, null, role))
    throw conflict(
      'invitation_void',
      'The member who sent the invitation may not grant its role any more. Ask for another invitation.',
    )
  if (member && atLeast(member.role, role)) {
    em.assign(member, { accepted_at: member.accepted_at ?? now })
    return
  }
  const row = member
    ? em.assign(member, { role, accepted_at: member.accepted_at ?? now, updated_at: now })
    : em.create(TeamMember, {
        id: newId(),
        tenant_id,
        account_id: accountId,
        role,
        accepted_at: now,
        created_at: now,
        updated_at: now,
      })
  const { email, name = null } = await em.findOneOrFail(Account, { id: accountId })
  await em.flush()
  await teamUpdated(
    em,
    member ? 'member_updated' : 'member_added',
    [{ ...row, accepted_at: row.accepted_at ?? now, email, name }],
    now,
  )
}

type Answer = { token: string; accepts: boolean; account_id: string; email: string }

/**
 * Uses the invitation of a token: its account joins or declines. Requires `lockTeam`. 404 not_found, 403 forbidden for
 * another address than the invited one, 409 invitation_over, 409 invitation_void. `now` in Unix seconds.
 */
export async function answerInvitation(
  em: EntityManager,
  { token, accepts, account_id, email }: Answer,
  now: number,
): Promise<Invitation> {
  const invitation = await em.findOne(Invitation, { token_digest: digestOf(token) })
  if (!invitation) throw notFound('invitation')
  if (invitation.email !== email)
    throw new Refusal(403, 'forbidden', 'The invitation was sent to another address. Sign in with that address.')
  if (invitation.status !== 'pending' || invitation.expires_at <= now)
    throw conflict('invitation_over', 'The invitation was used, or has expired.')
  if (accepts) await join(em, invitation, account_id, now)
  return em.assign(invitation, { status: accepts ? 'accepted' : 'rejected', updated_at: now })
}
