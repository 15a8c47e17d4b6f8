// Sessions of an operator. Each can be revoked from any other.
import { z } from 'zod'
import { AccountSession } from '../../entities/accounts/account-session.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { notFound } from '../../rules/refusal.ts'
import { CreatedAt } from '../../rules/shapes.ts'
import { listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'

export const SessionListed = z
  .object({
    id: z.string().describe('Identifier of the session, a UUIDv7 made by the server.'),
    status: z
      .enum(['active', 'revoked', 'expired'])
      .describe(
        '`active`; `revoked` after a logout or a reused refresh token; `expired` when its refresh token is no longer accepted.',
      ),
    refresh_expires_at: z.int().describe('Time from which the session can no longer be refreshed, in Unix seconds.'),
    created_at: CreatedAt,
  })
  .meta({ id: 'SessionListed' })

export const sessions = [
  listing('GET /v1/accounts/me/sessions', {
    operation: 'listSessions',
    may: 'account',
    summary: 'List your sessions',
    entity: AccountSession,
    item: SessionListed,
    scope: ({ caller }) => ({ account_id: caller.account_id }),
    load: async (_em, rows: AccountSession[], { now }) =>
      rows.map(({ id, revoked_at, refresh_expires_at, created_at }) => ({
        id,
        status: revoked_at ? 'revoked' : refresh_expires_at <= now ? 'expired' : 'active',
        refresh_expires_at,
        created_at,
      })),
  }),
  removing('DELETE /v1/accounts/me/sessions/{id}', {
    operation: 'deleteSession',
    may: 'account',
    accepts: 'store-session',
    summary: 'Revoke a session',
    description:
      'Its tokens are refused from then on. Revoking it again changes nothing. A session that was opened through a {store} can revoke only itself.',
    async remove({ em, caller, path, now }) {
      if (caller.session_store !== null && path.id !== caller.session_id) throw notFound('session')
      const session = await findRecord(em, AccountSession, { id: path.id, account_id: caller.account_id }, 'session')
      if (!session.revoked_at) em.assign(session, { revoked_at: now, rotated_pair: null, updated_at: now })
    },
  }),
]
