// An operator's own account, and the search for accounts of the same stores.
import { z } from 'zod'
import { Account } from '../../entities/accounts/account.ts'
import { beginningWith, colleaguesOf, removeAccount } from '../../entities/accounts/accounts.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { lockMemberships, teamUpdated } from '../../entities/stores/account-events.ts'
import { emailForm, WrittenAddress } from '../../rules/input/email-addresses.ts'
import { ComparedText } from '../../rules/input/texts.ts'
import { invalid, Refusal } from '../../rules/refusal.ts'
import { CreatedAt, UpdatedAt } from '../../rules/shapes.ts'
import { filter, listing } from '../kit/answer/listing.ts'
import { Success, success } from '../kit/answer/shapes.ts'
import { searchText } from '../kit/query.ts'
import { route } from '../kit/route.ts'

export const AccountOut = z
  .object({
    id: z.string().describe('Identifier of the account, a UUIDv7 made by the server.'),
    email: z.string().describe('Address that the account signs in with, in lower case. It never changes.'),
    name: z.string().nullable().describe('Name of the person; null if it is not set.'),
    lifecycle: z
      .object({
        last_login_at: z
          .int()
          .nullable()
          .describe('Time of the latest sign-in, in Unix seconds; null before the first.'),
        onboarding_completed: z.boolean().describe('Whether the account has finished onboarding. Set by the caller.'),
      })
      .describe('What the account has done so far.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Account' })

const OwnAccount = AccountOut.extend({
  platform_administrator: z
    .boolean()
    .describe('Whether the account may call the routes of platform administrators. The installation names them.'),
}).meta({ id: 'OwnAccount' })

const shown = ({ id, email, name, last_login_at, onboarding_completed, created_at, updated_at }: Account) => ({
  id,
  email,
  name,
  lifecycle: { last_login_at, onboarding_completed },
  created_at,
  updated_at,
})

const ofAdministrators = 'null for callers who are no platform administrators'
const FoundAccount = AccountOut.extend({
  lifecycle: AccountOut.shape.lifecycle.nullable().describe(`What the account has done so far; ${ofAdministrators}.`),
  created_at: CreatedAt.nullable().describe(`When it was created, in Unix seconds; ${ofAdministrators}.`),
  updated_at: UpdatedAt.nullable().describe(`When it was last changed, in Unix seconds; ${ofAdministrators}.`),
}).meta({ id: 'FoundAccount' })

const ignored = z.unknown().optional()
/** Fields that cannot be written are ignored, except for another address: an account that was read can be sent back. */
const changes = z.object({
  name: ComparedText.trim().max(200).nullish().describe('Name of the person, 200 characters at most; null removes it.'),
  onboarding_completed: z.boolean().optional().describe('The same as `lifecycle.onboarding_completed`.'),
  lifecycle: z
    .strictObject({
      onboarding_completed: z.boolean().optional().describe('Whether the account has finished onboarding.'),
      last_login_at: ignored.describe('Ignored: set by the server.'),
    })
    .optional()
    .describe("The writable part of the account's `lifecycle`."),
  email: WrittenAddress.optional().describe(
    "Must equal the account's address, which cannot be changed (422 `not_writable`).",
  ),
  id: ignored.describe('Ignored: set by the server.'),
  platform_administrator: ignored.describe('Ignored: the installation names them.'),
  created_at: ignored.describe('Ignored: set by the server.'),
  updated_at: ignored.describe('Ignored: set by the server.'),
})

export const accounts = [
  route('GET /v1/accounts/me', {
    operation: 'getAccount',
    may: 'account',
    accepts: 'store-session',
    refuses: ['not_found'],
    summary: 'Read your account',
    out: OwnAccount,
    run: async ({ em, caller }) => ({
      ...shown(await findRecord(em, Account, { id: caller.account_id }, 'account')),
      platform_administrator: caller.platform,
    }),
  }),
  route('PUT /v1/accounts', {
    may: 'account',
    refuses: ['not_writable', 'not_found'],
    summary: 'Update your account',
    description: 'The address cannot be changed: 422 `not_writable`.',
    body: changes,
    out: Success,
    async run({ em, caller, body, now }) {
      if (body.email !== undefined && emailForm(body.email) !== caller.email)
        throw invalid('/email', 'not_writable', 'The address of an account cannot be changed.')
      const account = await findRecord(em, Account, { id: caller.account_id }, 'account')
      const onboarding_completed =
        body.onboarding_completed ?? body.lifecycle?.onboarding_completed ?? account.onboarding_completed
      const name = body.name === undefined ? (account.name ?? null) : body.name || null
      const memberships = name === (account.name ?? null) ? [] : await lockMemberships(em, account.id)
      em.assign(account, { name, onboarding_completed, updated_at: now })
      await em.flush()
      await teamUpdated(
        em,
        'member_updated',
        memberships.filter(({ accepted_at }) => accepted_at !== null).map((one) => ({ ...one, name })),
        now,
      )
      return success
    },
  }),
  listing('GET /v1/accounts/search', {
    operation: 'searchAccounts',
    may: 'account',
    refuses: ['forbidden'],
    summary: 'Search the members of your {stores}',
    description:
      'Searches by the beginning of an address or a name, among the members of your {stores} who have acted there. Platform administrators search all accounts. 403 `forbidden` for a caller who is no member of any {store}.',
    entity: Account,
    item: FoundAccount,
    filters: {
      query: filter(searchText().describe('Beginning of an address or of a name, in any case.'), beginningWith),
    },
    async scope({ em, caller }) {
      if (caller.platform) return {}
      const colleagues = await colleaguesOf(em, caller.account_id)
      if (colleagues.length === 0) throw new Refusal(403, 'forbidden', 'Requires membership of a {store}.')
      return { id: { $in: colleagues } }
    },
    load: async (_em, rows: Account[], { caller }) =>
      rows.map((row) =>
        caller.platform
          ? shown(row)
          : { id: row.id, email: row.email, name: row.name, lifecycle: null, created_at: null, updated_at: null },
      ),
  }),
  route('DELETE /v1/accounts', {
    may: 'account',
    summary: 'Delete your account',
    description:
      'Deletes its sessions, API tokens and memberships too. A {store} that is left without an owner is archived. 409 `referenced` while the deletion of a {store} that you asked for is not over; read what it left open before, as platform administrators alone can read it afterwards.',
    out: Success,
    async run({ em, caller, now }) {
      await removeAccount(em, caller, now)
      return success
    },
  }),
]
