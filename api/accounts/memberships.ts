// The stores and businesses of an operator, with their role in each: what a program offers to them follows from it.
import { z } from 'zod'
import { TeamMember } from '../../entities/stores/team-member.ts'
import { seeStoresOf } from '../../entities/stores/team-members.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import { StoreOut } from '../../rules/resources.ts'
import { StoreRole } from '../../rules/stores/roles.ts'
import { tenantKinds } from '../../rules/stores/tenant-kinds.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { tenantFilters } from '../stores/tenant-fields.ts'

const { id, key, timezone, status, created_at, updated_at } = StoreOut.shape
const Membership = z
  .object({
    id,
    kind: z.enum(tenantKinds).describe('Whether it is a store or business: each has routes of its own.'),
    key,
    name: z.string().nullable().describe('Name for people, of the settings; null if it is not set.'),
    role: StoreRole.describe('Role of the caller.'),
    timezone,
    status,
    created_at,
    updated_at,
  })
  .meta({ id: 'Membership', description: 'A store or business that the caller is a member of.' })

export const memberships = [
  listing('GET /v1/accounts/me/memberships', {
    operation: 'listMemberships',
    may: 'account',
    summary: 'List the stores and businesses that you are a member of, and your roles',
    entity: Tenant,
    item: Membership,
    sorts: ['key'],
    filters: {
      query: tenantFilters.query,
      status: tenantFilters.status,
      kind: filter(z.enum(tenantKinds).describe('Only those of this kind.'), (kind) => ({ kind })),
    },
    async scope({ em, caller }) {
      await seeStoresOf(em, caller.account_id)
      return {}
    },
    async load(em, rows: Tenant[], { caller }) {
      const seats = await em.find(TeamMember, {
        tenant_id: { $in: rows.map((row) => row.id) },
        account_id: caller.account_id,
      })
      const roles = new Map(seats.map((seat) => [seat.tenant_id, seat.role]))
      return rows.map((row) => ({
        ...row,
        name: typeof row.settings.name === 'string' && row.settings.name !== '' ? row.settings.name : null,
        role: roles.get(row.id),
      }))
    },
  }),
]
