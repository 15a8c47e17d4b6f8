// Invitations to the team of a business: an owner invites an address, and the account of that address accepts or
// declines with the token of the e-mail.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { config } from '../../config.ts'
import { INVITATIONS_PER_DAY } from '../../entities/mail/mail-limits.ts'
import { queueMail } from '../../entities/mail/mails.ts'
import { answerInvitation, invite } from '../../entities/stores/invitations.ts'
import { lockTeam } from '../../entities/stores/team-members.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { Refusal } from '../../rules/refusal.ts'
import { anyCase, CreatedAt, UpdatedAt } from '../../rules/shapes.ts'
import { InvitationAction, InvitationStatus, invitationLink } from '../../rules/stores/invitations.ts'
import { StoreRole } from '../../rules/stores/roles.ts'
import { storeNameInMail } from '../../rules/stores/store-name.ts'
import { admitMail } from '../accounts/codes.ts'
import { Reply } from '../kit/answer/replies.ts'
import { type Member, memberOf, type Operator } from '../kit/caller.ts'
import { route } from '../kit/route.ts'
import { networkOf } from '../limits/networks.ts'
import { invitationMail } from '../mail/invitation-mail.ts'
import { mustBeAllowed } from '../stores/team-members.ts'

const InvitationOut = z
  .object({
    id: z.string().describe('Identifier of the invitation, a UUIDv7 made by the server.'),
    email: z.string().describe('The invited address.'),
    role: StoreRole.describe('Role that the address is invited to.'),
    status: InvitationStatus.describe('`pending` until it is `accepted`, `rejected` or `expired`.'),
    invited_by: z.string().describe('Identifier of the account that invited.'),
    expires_at: z
      .int()
      .describe('Time from which it cannot be accepted, in Unix seconds; seven days after the latest e-mail.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Invitation' })

const Body = z
  .object({
    email: EmailAddress.optional().describe('Address to invite. Requires the role `Owner`.'),
    role: anyCase(StoreRole)
      .optional()
      .describe('Role to invite to, `Admin` by default. Only a `Super` invites a `Super`.'),
    token: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Token of the invitation's e-mail, to answer the invitation instead of inviting."),
    action: anyCase(InvitationAction).optional().describe('What to do with the invitation of the `token`.'),
  })
  .superRefine(({ email, role, token, action }, context) => {
    const fault = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message })
    const answers = token !== undefined || action !== undefined
    if (!answers && email === undefined) fault('email', 'Send either `email`, or `token` and `action`.')
    if (!answers) return
    if (email !== undefined) fault('email', 'Cannot be sent together with `token` and `action`.')
    if (role !== undefined) fault('role', 'Cannot be sent together with `token` and `action`.')
    if (token === undefined) fault('token', 'Send it together with `action`.')
    if (action === undefined) fault('action', 'Send it together with `token`.')
  })

type Asked = { em: EntityManager; tenant_id: string; ip: string; now: number }

/** Nothing is committed with the refusal: the token of the last mail stays valid. */
function undone(error: unknown): never {
  if (error instanceof Refusal) error.details.commit = false
  throw error
}

/** A member invites an address. The mail is sent if the transaction commits. */
async function inviteAddress({ em, tenant_id, ip, now }: Asked, caller: Member, email: string, role: StoreRole) {
  await lockTeam(em, tenant_id)
  await mustBeAllowed(em, caller, null, role)
  const { account_id } = caller
  const { invitation, token, isNew } = await invite(em, tenant_id, { email, role, invited_by: account_id }, now)
  if (token !== null) {
    await admitMail(em, { kind: 'invitation', to: email, network: networkOf(ip), tenant_id, account_id }, now).catch(
      undone,
    )
    const business = storeNameInMail(await em.findOneOrFail(Tenant, { id: tenant_id }))
    const mail = invitationMail({
      business,
      inviter: caller.email,
      link: invitationLink(config.invitationUrl, tenant_id, token),
      token,
    })
    await queueMail(em, { kind: 'invitation', tenant_id, to: email, not_after: invitation.expires_at, ...mail }, now)
  }
  return new Reply(invitation, { status: isNew ? 201 : 200 })
}

/**
 * The account of the invited address accepts or declines. A session opened through another store or business does not
 * act here.
 */
async function answer({ em, tenant_id, now }: Omit<Asked, 'ip'>, caller: Operator, token: string, accepts: boolean) {
  if (caller.session_store !== null && caller.session_store !== tenant_id)
    throw new Refusal(
      403,
      'session_limited_to_store',
      'This session was opened through a {store} and acts in that {store} only.',
    )
  await lockTeam(em, tenant_id)
  const { account_id, email } = caller
  return new Reply(await answerInvitation(em, { token, accepts, account_id, email }, now), { status: 200 })
}

export const invitations = [
  route('POST /v1/businesses/{businessId}/invitation', {
    operation: 'inviteToBusiness',
    may: 'account',
    accepts: 'store-session',
    refuses: ['forbidden', 'invitation_over', 'invitation_void', 'session_limited_to_store', 'too_many_requests'],
    summary: 'Invite to the team of a business, or answer an invitation',
    description:
      'With `email`, the caller invites an address and must be an `Owner`; only a `Super` invites a `Super`: 403 `forbidden`. The token is in the e-mail only. Returns 201, or 200 if ' +
      'the address has a pending invitation, which gets the new role and, after a minute, another e-mail with another token. 429 `too_many_requests` beyond ' +
      `${INVITATIONS_PER_DAY} e-mails of a business or of an account a day, and the limits of e-mails to one address and of one network. With \`token\` and \`action\`, the account of the invited address accepts or declines: 403 \`forbidden\` for another account, 404 for an ` +
      'unknown token, 409 `invitation_over` if the invitation was used or has expired, 409 `invitation_void` if the member who invited may not grant the role any more. A ' +
      'member who has a higher role keeps it.',
    body: Body,
    out: InvitationOut,
    status: [201, 200],
    async run({ em, caller, path, headers, body: { email, role = 'admin', token, action }, ip, now }) {
      const tenant_id = path.businessId
      em.setFilterParams('tenant', { tenant: tenant_id })
      const asked = { em, tenant_id, ip, now }
      if (token !== undefined) return answer(asked, caller, token, action === 'ACCEPT')
      const member = await memberOf(em, headers, tenant_id, { role: 'owner', kind: 'business' }, now)
      return inviteAddress(asked, member, email as string, role)
    },
  }),
]
