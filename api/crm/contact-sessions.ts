// Sessions of a contact: a visitor whose session is revoked has to identify again.
import { z } from 'zod'
import { config } from '../../config.ts'
import { Contact } from '../../entities/crm/contact.ts'
import { ContactSession } from '../../entities/crm/contact-session.ts'
import { mustExist } from '../../entities/kit/find.ts'
import { CreatedAt } from '../../rules/shapes.ts'
import { listing } from '../kit/answer/listing.ts'
import { removing } from '../kit/answer/record.ts'

const SessionOut = z
  .object({
    id: z.string().describe('Identifier of the session.'),
    status: z
      .enum(['active', 'revoked'])
      .describe('Whether the visitor token of the session is accepted: not after it was revoked or has expired.'),
    verified_at: z
      .int()
      .nullable()
      .describe('When the visitor signed in with a code, in Unix seconds; null if they did not.'),
    verified_address: z
      .string()
      .nullable()
      .describe('Address that they signed in with; null if they did not, or did so before version 0.3.0.'),
    used_at: z
      .int()
      .nullable()
      .describe('Day of the last use, as a time in Unix seconds; null if it was not used since version 0.2.0.'),
    created_at: CreatedAt,
    revoked_at: z
      .int()
      .nullable()
      .describe('When the session was revoked, or the visitor signed out, in Unix seconds; null if it is active.'),
  })
  .meta({ id: 'ContactSession' })

type Times = { verified_at: number | null; used_at: number | null; created_at: number }
/** Whether a session was idle for too long, or has lasted too long: api/kit/caller.ts refuses its token. */
const hasExpired = ({ verified_at, used_at, created_at }: Times, now: number): boolean =>
  (verified_at ?? created_at) <= now - config.visitors.maxS || (used_at ?? now) <= now - config.visitors.idleS

export const contactSessions = [
  listing('GET /v1/stores/{storeId}/contacts/{contactId}/sessions', {
    may: 'admin',
    summary: 'List the sessions of a contact',
    entity: ContactSession,
    item: SessionOut,
    async scope({ em, path }) {
      await mustExist(em, Contact, { id: path.contactId }, 'contact')
      return { contact_id: path.contactId }
    },
    load: async (_, rows: ContactSession[], { now }) =>
      rows.map(
        ({ id, verified_at = null, verified_address = null, used_at = null, revoked_at = null, created_at }) => ({
          ...{ id, verified_at, verified_address, used_at, created_at, revoked_at },
          status: revoked_at === null && !hasExpired({ verified_at, used_at, created_at }, now) ? 'active' : 'revoked',
        }),
      ),
  }),
  removing('DELETE /v1/stores/{storeId}/contacts/{contactId}/sessions/{sessionId}', {
    may: 'admin',
    operation: 'revokeContactSession',
    summary: 'Revoke a session of a contact',
    description:
      'The visitor token of the session is refused from then on. Revoking a revoked session changes nothing.',
    async remove({ em, path, now }) {
      const own = { id: path.sessionId, contact_id: path.contactId }
      await mustExist(em, ContactSession, own, 'session')
      await em.nativeUpdate(ContactSession, { ...own, revoked_at: null }, { revoked_at: now, updated_at: now })
    },
  }),
  removing('DELETE /v1/stores/{storeId}/contacts/{contactId}/sessions', {
    may: 'admin',
    operation: 'revokeContactSessions',
    summary: 'Revoke all sessions of a contact',
    description: 'The visitor tokens of all sessions of the contact are refused from then on.',
    async remove({ em, path, now }) {
      await mustExist(em, Contact, { id: path.contactId }, 'contact')
      await em.nativeUpdate(
        ContactSession,
        { contact_id: path.contactId, revoked_at: null },
        { revoked_at: now, updated_at: now },
      )
    },
  }),
]
