// Members of a store and their roles. A store always has a member with the role `super`.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { config } from '../../config.ts'
import { Account } from '../../entities/accounts/account.ts'
import { accountOf } from '../../entities/accounts/accounts.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { newId } from '../../entities/kit/ids.ts'
import { digestOfAddress } from '../../entities/mail/mail-limits.ts'
import { teamUpdated } from '../../entities/stores/account-events.ts'
import { TeamMember } from '../../entities/stores/team-member.ts'
import { lockTeam } from '../../entities/stores/team-members.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { conflict, notFound, Refusal } from '../../rules/refusal.ts'
import { MemberOut } from '../../rules/resources.ts'
import { anyCase } from '../../rules/shapes.ts'
import { mayMove, StoreRole } from '../../rules/stores/roles.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'
import { Reply } from '../kit/answer/replies.ts'
import type { Member } from '../kit/caller.ts'
import { route } from '../kit/route.ts'
import { limit } from '../limits/rate.ts'

async function shown(em: EntityManager, rows: TeamMember[]) {
  const accounts = await em.find(Account, { id: { $in: rows.map(({ account_id }) => account_id) } })
  const byId = new Map(accounts.map((account) => [account.id, account]))
  return rows.flatMap((row) => {
    const account = byId.get(row.account_id)
    // What a person has told the installation is not the store's before the person acts there.
    const accepted_at = row.accepted_at ?? null
    return account
      ? [{ ...row, accepted_at, email: account.email, name: accepted_at === null ? null : (account.name ?? null) }]
      : []
  })
}

/**
 * Reads the roles again under the lock of the team: the caller's may have changed since they were identified. Members
 * may remove themselves. 403 forbidden, 409 last_super.
 */
export async function mustBeAllowed(
  em: EntityManager,
  caller: Member,
  member: TeamMember | null,
  to: StoreRole | null,
): Promise<void> {
  const own = await em.findOne(TeamMember, { account_id: caller.account_id })
  if (!own) throw notFound('{store}')
  const leaves = to === null && member !== null && String(member.account_id) === caller.account_id
  if (!leaves && !mayMove(own.role, member?.role ?? null, to)) {
    const why =
      to === 'super'
        ? 'Requires the role `super` to grant `super`.'
        : member
          ? `Requires the role \`super\` to change or remove a member with the role \`${member.role}\`.`
          : 'Requires the role `owner`.'
    throw new Refusal(403, 'forbidden', why)
  }
  if (member?.role === 'super' && to !== 'super' && (await em.count(TeamMember, { role: 'super' })) === 1)
    throw conflict(
      'last_super',
      'The member is the last `super` of the {store}. Grant `super` to another member first.',
    )
}

export const members = [
  listing('GET /v1/stores/{storeId}/members', {
    may: 'admin',
    summary: 'List the members of a {store}',
    entity: TeamMember,
    item: MemberOut,
    filters: { role: filter(anyCase(StoreRole), (role) => ({ role })) },
    load: shown,
  }),
  route('POST /v1/stores/{storeId}/members', {
    may: 'owner',
    refuses: ['forbidden', 'last_super', 'too_many_requests'],
    summary: 'Add a member or set their role',
    description:
      'Takes effect at once; no e-mail is sent. Known and unknown addresses are answered alike: the member has no name until they act in the {store} (`accepted_at`). Returns 201 for a new member and 200 for a changed role. Only a `super` grants `super` and changes owners: 403 `forbidden`. 409 ' +
      '`last_super` if the last `super` would get another role. 429 `too_many_requests` beyond the number of members that an account adds in a day.',
    body: z.object({
      email: EmailAddress.describe('Address of the member. An account is created for an unknown address.'),
      role: anyCase(StoreRole)
        .default('admin')
        .describe('Role in the {store}, `admin` by default. Only a `super` grants `super` and changes owners.'),
    }),
    out: MemberOut,
    status: [201, 200],
    async run({ em, caller, tenant_id, body, now }) {
      await lockTeam(em, tenant_id)
      const account_id = await accountOf(em, body.email, now, false)
      const member = await em.findOne(TeamMember, { account_id })
      await mustBeAllowed(em, caller, member, body.role)
      if (!member)
        await limit(
          em,
          `members:${digestOfAddress(caller.email)}`,
          { most: config.rate.membersPerAccount, windowS: 86_400 },
          now,
        )
      const row = member
        ? em.assign(member, { role: body.role, updated_at: now })
        : em.create(TeamMember, {
            id: newId(),
            tenant_id,
            account_id,
            role: body.role,
            created_at: now,
            updated_at: now,
          })
      const [answer] = await shown(em, [row])
      if (!answer) throw notFound('account')
      await em.flush()
      await teamUpdated(em, member ? 'member_updated' : 'member_added', [answer], now)
      return new Reply(answer, { status: member ? 200 : 201 })
    },
  }),
  removing('DELETE /v1/stores/{storeId}/members/{accountId}', {
    may: 'admin',
    refuses: ['forbidden', 'last_super'],
    summary: 'Remove a member',
    description:
      'Every member may remove themselves. Owners remove admins. Only a `super` removes owners and supers: 403 `forbidden`. 409 `last_super` for the last `super` of the {store}.',
    async remove({ em, caller, tenant_id, path, now }) {
      await lockTeam(em, tenant_id)
      const member = await findRecord(em, TeamMember, { account_id: path.accountId }, 'member')
      await mustBeAllowed(em, caller, member, null)
      const removed = await shown(em, [member])
      em.remove(member)
      await em.flush()
      await teamUpdated(em, 'member_removed', removed, now)
    },
  }),
]
