// A store's team: who is in it, and what each may do. There is always a super, whoever leaves at the same time.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { Account } from '../../entities/accounts/account.ts'
import { accountOf } from '../../entities/accounts/accounts.ts'
import { newId } from '../../entities/kit/ids.ts'
import { teamUpdated } from '../../entities/stores/account-events.ts'
import { TeamMember } from '../../entities/stores/team-member.ts'
import { lockTeam } from '../../entities/stores/team-members.ts'
import { Email } from '../../rules/input/identities.ts'
import { conflict, notFound, Refusal } from '../../rules/refusal.ts'
import { MemberOut } from '../../rules/resources.ts'
import { anyCase } from '../../rules/shapes.ts'
import { mayMove, StoreRole } from '../../rules/stores/roles.ts'
import type { Member } from '../kit/caller.ts'
import { filter, listing } from '../kit/listing.ts'
import { Reply, route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'

async function shown(em: EntityManager, rows: TeamMember[]) {
  const accounts = await em.find(Account, { id: { $in: rows.map(({ account_id }) => account_id) } })
  const known = new Map(accounts.map((account) => [account.id, account]))
  return rows.flatMap((row) => {
    const account = known.get(row.account_id)
    return account ? [{ ...row, email: account.email, name: account.name ?? null }] : []
  })
}

/** Under the team's lock, on roles as they are now: the caller's may have changed while he waited. 403 forbidden, 409 last_super. */
async function mustBeAllowed(em: EntityManager, caller: Member, member: TeamMember | null, to: StoreRole | null): Promise<void> {
  const own = await em.findOne(TeamMember, { account_id: caller.account_id })
  if (!own) throw notFound('store')
  if (!mayMove(own.role, member?.role ?? null, to)) {
    const why =
      to === 'super'
        ? 'Only a super makes somebody super.'
        : member
          ? `Only a super changes or removes a member with the role ${member.role}.`
          : 'Only owners change the team.'
    throw new Refusal(403, 'forbidden', why)
  }
  if (member?.role === 'super' && to !== 'super' && (await em.count(TeamMember, { role: 'super' })) === 1)
    throw conflict('last_super', 'This is the last super of the store: make somebody else super first.')
}

export const members = [
  listing('GET /v1/stores/{storeId}/members', {
    may: 'admin',
    summary: 'List the members of a store',
    entity: TeamMember,
    item: MemberOut,
    filters: { role: filter(anyCase(StoreRole), (role) => ({ role })) },
    load: shown,
  }),
  route('POST /v1/stores/{storeId}/members', {
    may: 'owner',
    refuses: ['forbidden', 'last_super'],
    summary: 'Add a member or set their role',
    description:
      'Takes effect at once; no mail is sent. An unknown address gets an account. Only a `super` grants `super` and changes owners. The last `super` cannot get another role (409 `last_super`).',
    body: z.object({
      email: Email.describe('Address of an account. An unknown address gets an account.'),
      role: anyCase(StoreRole).default('admin').describe('Role in the store, `admin` by default. Only a `super` grants `super` and changes owners.'),
    }),
    out: MemberOut,
    status: 201,
    replays: true,
    async run({ em, caller, tenant_id, body, now }) {
      await lockTeam(em, tenant_id)
      const account_id = await accountOf(em, body.email, now, false)
      const member = await em.findOne(TeamMember, { account_id })
      await mustBeAllowed(em, caller, member, body.role)
      const row = member
        ? em.assign(member, { role: body.role, updated_at: now })
        : em.create(TeamMember, { id: newId(), tenant_id, account_id, role: body.role, created_at: now, updated_at: now })
      const [answer] = await shown(em, [row])
      if (!answer) throw notFound('account')
      await em.flush()
      await teamUpdated(em, member ? 'member_updated' : 'member_added', [answer], now)
      return new Reply(member ? 200 : 201, answer)
    },
  }),
  route('DELETE /v1/stores/{storeId}/members/{accountId}', {
    may: 'owner',
    refuses: ['forbidden', 'last_super'],
    summary: 'Remove a member',
    description: 'Only a `super` removes owners and supers. The last `super` cannot be removed (409 `last_super`).',
    out: Success,
    async run({ em, caller, tenant_id, path, now }) {
      await lockTeam(em, tenant_id)
      const member = await em.findOneOrFail(TeamMember, { account_id: path.accountId }, { failHandler: () => notFound('member') })
      await mustBeAllowed(em, caller, member, null)
      const gone = await shown(em, [member])
      em.remove(member)
      await em.flush()
      await teamUpdated(em, 'member_removed', gone, now)
      return success
    },
  }),
]
