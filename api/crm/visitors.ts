// Storefront accounts: a visitor claims an address, verifies it with a code and gets the contact that owns it. A
// claimed address owns nothing.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { log } from '../../adapters/log.ts'
import { shownAddresses } from '../../entities/crm/channel-rows.ts'
import { Contact } from '../../entities/crm/contact.ts'
import { ContactSession } from '../../entities/crm/contact-session.ts'
import { attachSession, claimAddress, claimOf, forgetVisitor } from '../../entities/crm/ownership.ts'
import type { Actor } from '../../entities/crm/session-rights.ts'
import { findRecord } from '../../entities/kit/find.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import { TaxonomyEntry } from '../../rules/content/taxonomies.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { Refusal, unavailable } from '../../rules/refusal.ts'
import { ArchivableStatus, CreatedAt, UpdatedAt } from '../../rules/shapes.ts'
import { storeNameInMail } from '../../rules/stores/store-name.ts'
import { askCode, CodeAsked, CodeSent, codeExpired, codeRules, Proof, provenAddress } from '../accounts/codes.ts'
import { Reply } from '../kit/answer/replies.ts'
import { Success, success } from '../kit/answer/shapes.ts'
import { digest, newToken } from '../kit/caller.ts'
import { route } from '../kit/route.ts'

/** A contact as its visitor sees it. */
export const OwnContact = z
  .object({
    id: z.string().describe('Identifier of the contact, a UUIDv7 made by the server.'),
    store_id: z.string().describe('Identifier of the {store}.'),
    status: ArchivableStatus.describe('Status of the contact.'),
    taxonomies: z.array(TaxonomyEntry).describe('Taxonomies that the contact is filed under.'),
    email: z
      .string()
      .nullable()
      .describe('The verified address, or else the one that the visitor claimed; null if there is none.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'OwnContact' })

export const Identity = z
  .object({
    contact: OwnContact.describe("The contact behind the visitor's session."),
    visitor_token: z
      .string()
      .describe(
        'Token to send as `X-Service-Visitor-Token` with the calls that follow: the one that the request sent, or a new one. A sign-in always returns a new one.',
      ),
    is_verified: z.boolean().describe('Whether the visitor has signed in with a code.'),
  })
  .meta({ id: 'Identity' })

/**
 * The contact as its visitor sees it: one who proved no address sees the one that they claimed, and none that an
 * operator entered. 503 database_unavailable, which the kit repeats: the session belongs to another contact since a
 * merge.
 */
async function ownContact(em: EntityManager, { contact_id, verified }: Pick<Actor, 'contact_id' | 'verified'>) {
  const found = await em.findOne(Contact, { id: contact_id })
  if (!found) throw unavailable('database_unavailable', 'Another request is merging this contact; repeat the request.')
  const { id, tenant_id, status, taxonomies, created_at, updated_at } = found
  const email = verified
    ? ((await shownAddresses(em, tenant_id, [id])).get(id)?.address ?? null)
    : await claimOf(em, tenant_id, id)
  return { id, store_id: tenant_id, status, taxonomies, email, created_at, updated_at }
}

/** A sign-in changes the token: the holder of the one before has no part in what follows. */
const signedIn = (contact: Awaited<ReturnType<typeof ownContact>>, visitor_token: string) =>
  new Reply({ contact, visitor_token, is_verified: true }, { headers: { 'X-Service-Visitor-Token': visitor_token } })

const asker = (tenant_id: string, contact_session_id: string) => ({
  audience: 'contact' as const,
  tenant_id,
  contact_session_id,
})

export const visitors = [
  route('POST /v1/storefront/account/identify', {
    operation: 'identifyVisitor',
    may: 'visitor',
    refuses: ['not_found'],
    contact: 'created',
    summary: 'Identify the visitor',
    description:
      'Creates a visitor if the request has no visitor token; the new token is in the header `X-Service-Visitor-Token`. The address is recorded as claimed. It is verified when the ' +
      'visitor signs in with a code. 429 `too_many_requests` for more new visitors of one IP address than the limit allows.',
    body: z.object({
      email: EmailAddress.nullish().describe(
        'Address that the visitor claims; it is not verified. Null or left out: none.',
      ),
    }),
    out: Identity,
    async run({ em, caller, tenant_id, body, now }) {
      const contact_id = await claimAddress(
        em,
        tenant_id,
        { id: caller.session_id, given: digest(caller.token ?? '') },
        body.email ?? null,
        now,
      )
      return {
        contact: await ownContact(em, { ...caller, contact_id }),
        visitor_token: caller.token ?? '',
        is_verified: caller.verified,
      }
    },
  }),
  route('POST /v1/storefront/account/code', {
    operation: 'sendVisitorCode',
    may: 'visitor',
    refuses: ['not_found'],
    contact: 'created',
    summary: 'Send a sign-in code to a visitor',
    description:
      'Sends an e-mail with a six-digit code to the address, and creates a visitor if the request has no visitor token. The answer is the same for known and unknown addresses. 429 ' +
      '`too_many_requests` beyond the limits per address and per network.',
    body: CodeAsked,
    out: CodeSent,
    async run({ em, caller, tenant_id, body, headers, ip, now }) {
      const store = await findRecord(em, Tenant, { id: tenant_id }, '{store}')
      try {
        return await askCode(
          em,
          { ...asker(tenant_id, caller.session_id), email: body.email, ip, to: storeNameInMail(store) },
          now,
        )
      } catch (error) {
        // The refusal is committed for its count. A visitor that this request created is deleted: their token is never
        // returned.
        if (error instanceof Refusal && !headers['x-service-visitor-token'])
          await forgetVisitor(em, tenant_id, caller.contact_id)
        throw error
      }
    },
  }),
  route('POST /v1/storefront/account/verify', {
    operation: 'verifyVisitorCode',
    may: 'visitor',
    accepts: 'former-token',
    refuses: ['not_found', 'code_expired', 'code_invalid'],
    summary: 'Sign a visitor in with a code',
    description:
      'Attaches the session to the contact that owns the address. Orders, carts, form submissions, reactions, memberships and channels of the anonymous visitor move to that contact, and a cart with ' +
      'items becomes its current one. The answer and the header `X-Service-Visitor-Token` have a new token: send it from then on. The one before proves nothing, and is refused ' +
      'after ten seconds: until then it reads and changes the orders, carts and bookings that this visitor made with it and that have not changed since, and nothing of the contact. Paid memberships of visitors who named the address without verifying it move to that contact, too, unless it has a subscription in the same audience. ' +
      codeRules,
    body: Proof,
    out: Identity,
    async run({ em, caller, tenant_id, body, ip, now }) {
      const who = asker(tenant_id, caller.session_id)
      // Otherwise a holder of the former token could sign the new one in to an address of their own.
      if (caller.former !== null) throw codeExpired()
      const email = await provenAddress(em, who, { ...body, ip }, now)
      const token = newToken('till_vt')
      const session = { id: caller.session_id, token_digest: digest(token) }
      const { contact_id, left } = await attachSession(em, tenant_id, session, email, now)
      if (left.length > 0)
        log.warn(
          { tenant_id, contact_id, members: left },
          'the owner of an address has a subscription: memberships paid under it stay',
        )
      return signedIn(await ownContact(em, { contact_id, verified: true }), token)
    },
  }),
  route('GET /v1/storefront/account/me', {
    operation: 'getVisitor',
    may: 'visitor',
    summary: "Read the visitor's own contact",
    out: Identity.omit({ visitor_token: true }),
    run: async ({ em, caller }) => ({ contact: await ownContact(em, caller), is_verified: caller.verified }),
  }),
  route('POST /v1/storefront/account/logout', {
    operation: 'logOutVisitor',
    may: 'visitor',
    summary: 'Sign the visitor out',
    description: 'The visitor token is refused from then on.',
    out: Success,
    async run({ em, caller, now }) {
      await em.nativeUpdate(
        ContactSession,
        { id: caller.session_id, revoked_at: null },
        { revoked_at: now, updated_at: now },
      )
      return success
    },
  }),
]
