// A visitor says who he is, proves it, and finds what is his; what he only says owns nothing.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { Contact } from '../../entities/crm/contact.ts'
import { ContactChannel } from '../../entities/crm/contact-channel.ts'
import { ContactSession } from '../../entities/crm/contact-session.ts'
import { attachSession, claimAddress, forgetVisitor } from '../../entities/crm/ownership.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import { Email } from '../../rules/input/identities.ts'
import { notFound, Refusal } from '../../rules/refusal.ts'
import { ArchivableStatus, CreatedAt, TaxonomyEntry, UpdatedAt } from '../../rules/shapes.ts'
import { askCode, CodeAsked, CodeSent, codeRules, Proof, provenAddress } from '../accounts/codes.ts'
import { route } from '../kit/route.ts'
import { Success, success } from '../kit/shapes.ts'
import { nameOf } from '../stores/names.ts'

/** A contact as the visitor himself sees it. */
export const OwnContact = z
  .object({
    id: z.string().describe('Identifier of the contact, a UUIDv7 made by the server.'),
    store_id: z.string().describe('Identifier of the store.'),
    status: ArchivableStatus.describe('Status of the contact.'),
    taxonomies: z.array(TaxonomyEntry).describe('Taxonomies that the contact is filed under.'),
    email: z.string().nullable().describe('The verified address, or else the one that the visitor claimed; null if there is none.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'OwnContact' })

export const Identity = z
  .object({
    contact: OwnContact.describe("The contact behind the visitor's session."),
    visitor_token: z.string().describe('Token to send as `X-Service-Visitor-Token` with the calls to come.'),
    is_verified: z.boolean().describe('Whether the visitor has signed in by code.'),
  })
  .meta({ id: 'Identity' })

async function ownContact(em: EntityManager, contactId: string) {
  const { id, tenant_id, status, taxonomies, created_at, updated_at } = await em.findOneOrFail(
    Contact,
    { id: contactId },
    { failHandler: () => notFound('contact') },
  )
  const [channel] = await em.find(
    ContactChannel,
    { contact_id: id, type: 'email' },
    { orderBy: { owned: 'desc', verified_at: 'desc nulls last', updated_at: 'desc' }, limit: 1 },
  )
  return { id, store_id: tenant_id, status, taxonomies, email: channel?.address ?? null, created_at, updated_at }
}

const asker = (tenant_id: string, contact_session_id: string) => ({ audience: 'contact' as const, tenant_id, contact_session_id })

export const visitors = [
  route('POST /v1/storefront/account/identify', {
    operation: 'identifyVisitor',
    may: 'visitor',
    refuses: ['not_found'],
    contact: 'created',
    summary: 'Identify the visitor',
    description: "Creates the visitor's session if there is none. The address is a claim until the visitor signs in by code.",
    body: z.object({ email: Email.nullish().describe('Address that the visitor claims; it is not verified. Null or left out: none.') }),
    out: Identity,
    async run({ em, caller, tenant_id, body, now }) {
      const contactId = await claimAddress(em, tenant_id, caller.session_id, body.email ?? null, now)
      return { contact: await ownContact(em, contactId), visitor_token: caller.token ?? '', is_verified: caller.verified }
    },
  }),
  route('POST /v1/storefront/account/code', {
    operation: 'sendVisitorCode',
    may: 'visitor',
    refuses: ['not_found'],
    contact: 'created',
    summary: 'Mail a sign-in code to a visitor',
    description: 'The answer is the same whether the store knows the address or not.',
    body: CodeAsked,
    out: CodeSent,
    async run({ em, caller, tenant_id, body, headers, ip, now }) {
      const store = await em.findOneOrFail(Tenant, { id: tenant_id }, { failHandler: () => notFound('store') })
      try {
        return await askCode(em, { ...asker(tenant_id, caller.session_id), email: body.email, ip, to: nameOf(store) }, now)
      } catch (error) {
        // The refusal is kept for its count, and would keep a visitor who never learns his token.
        if (error instanceof Refusal && !headers['x-service-visitor-token']) await forgetVisitor(em, tenant_id, caller.contact_id)
        throw error
      }
    },
  }),
  route('POST /v1/storefront/account/verify', {
    operation: 'verifyVisitorCode',
    may: 'visitor',
    refuses: ['not_found', 'code_expired', 'code_invalid'],
    summary: 'Sign a visitor in with a code',
    description: `The visit is attached to the contact that owns the address; orders, carts and form submissions of an anonymous visitor move there, and a cart with something in it becomes the current one. ${codeRules}`,
    body: Proof,
    out: Identity,
    async run({ em, caller, tenant_id, body, now }) {
      const email = await provenAddress(em, asker(tenant_id, caller.session_id), body, now)
      const contactId = await attachSession(em, tenant_id, caller.session_id, email, now)
      return { contact: await ownContact(em, contactId), visitor_token: caller.token ?? '', is_verified: true }
    },
  }),
  route('GET /v1/storefront/account/me', {
    operation: 'getVisitor',
    may: 'visitor',
    refuses: ['not_found'],
    summary: "Read the visitor's own contact",
    out: Identity.omit({ visitor_token: true }),
    run: async ({ em, caller }) => ({ contact: await ownContact(em, caller.contact_id), is_verified: caller.verified }),
  }),
  route('POST /v1/storefront/account/logout', {
    operation: 'logOutVisitor',
    may: 'visitor',
    summary: 'Sign the visitor out',
    description: 'The visitor token is refused from then on.',
    out: Success,
    async run({ em, caller, now }) {
      await em.nativeUpdate(ContactSession, { id: caller.session_id, revoked_at: null }, { revoked_at: now, updated_at: now })
      return success
    },
  }),
]
