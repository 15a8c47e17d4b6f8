// What members do by the links of e-mails, without a sign-in: read, confirm, unsubscribe and subscribe again. Reading
// changes nothing.
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { confirmMember } from '../../entities/audiences/confirmation.ts'
import { ownDelivery, readOwnMembers } from '../../entities/audiences/member-rows.ts'
import { type TokenScope, tokenScopes } from '../../entities/audiences/member-token.ts'
import type { Link, MemberLink } from '../../entities/audiences/member-tokens.ts'
import { resubscribe } from '../../entities/audiences/members.ts'
import { addressDelivery, unsubscribe } from '../../entities/inbox/unsubscribes.ts'
import { Tenant } from '../../entities/stores/tenant.ts'
import { changeOwnSubscription, readOwnSubscription } from '../../entities/subscriptions/removal.ts'
import { hasAccess, inGrace, MemberDelivery, MemberStatus, maskedEmail } from '../../rules/audiences/memberships.ts'
import { BillingErrorOut } from '../../rules/audiences/resources.ts'
import { escaped, nameInMail } from '../../rules/mail/mail-page.ts'
import { notFound, Refusal } from '../../rules/refusal.ts'
import { storeNameInMail } from '../../rules/stores/store-name.ts'
import { ownBillingError } from '../../rules/subscriptions/billing-errors.ts'
import { asksForPage, browserPage } from '../kit/answer/browser-page.ts'
import type { Download } from '../kit/answer/replies.ts'
import { route } from '../kit/route.ts'
import { limitMemberChanges } from '../limits/rate.ts'

const LinkedMember = z
  .object({
    store: z
      .object({
        key: z.string().describe('Key.'),
        name: z.string().describe('Name for people, or the key if the name holds an address.'),
      })
      .describe('The {store} that sends the e-mail.'),
    audience: z
      .object({
        id: z.string().describe('Identifier of the audience.'),
        key: z.string().describe('Key.'),
        name: z.string().describe('Name for people.'),
      })
      .nullable()
      .describe(
        'The audience; null for a link of a message to a contact that is enrolled in a campaign without a membership.',
      ),
    scope: z
      .enum(tokenScopes)
      .describe(
        'What the link may change: a link of the scope `unsubscribe` is in newsletters, and shows and changes nothing of billing.',
      ),
    email: z.string().nullable().describe('The address, masked: a forwarded e-mail has the link, too. Null for none.'),
    status: MemberStatus.nullable().describe('Status of the membership; null without one.'),
    delivery_status: MemberDelivery.describe("Whether the audience's e-mail is sent to the member."),
    has_access: z.boolean().describe('Whether the membership grants access at this moment.'),
    paid_through_at: z
      .int()
      .nullable()
      .describe('End of the time that is paid, in Unix seconds; null for a free or one-time membership.'),
    access_until: z
      .int()
      .nullable()
      .describe(
        'Last second of access, in Unix seconds; null if it has no end. Of a membership that was ended before, the end.',
      ),
    in_grace: z.boolean().describe('Whether access lasts beyond the paid time at this moment.'),
    billing_error: BillingErrorOut.nullable().describe(
      'Why the renewal could not be charged; null unless the payment provider is collecting it.',
    ),
    cancel_at: z.int().nullable().describe('When the membership ends, in Unix seconds; null if it does not end.'),
    payment_method_update_available: z
      .boolean()
      .describe('Whether the member has a subscription whose payment method can be changed.'),
    subscription_cancellation_available: z
      .boolean()
      .describe(
        'Whether the member has a subscription that can be cancelled, or a free membership of a paid audience, which ends at once.',
      ),
    subscription_resumption_available: z
      .boolean()
      .describe('Whether the subscription is ending and the member can let it go on.'),
  })
  .meta({ id: 'LinkedMember', description: 'A membership as the page that a link opens shows it.' })

/** What a newsletter shows: it may be forwarded. */
const withoutBilling = {
  ...{ paid_through_at: null, access_until: null, cancel_at: null, billing_error: null, in_grace: false },
  ...{
    payment_method_update_available: false,
    subscription_cancellation_available: false,
    subscription_resumption_available: false,
  },
}

async function shownLink(
  em: EntityManager,
  { tenant_id, member_id, scope, address }: Link,
  now: number,
): Promise<z.input<typeof LinkedMember>> {
  const { key, settings } = await em.findOneOrFail(Tenant, { id: tenant_id })
  const store = { key, name: storeNameInMail({ key, settings }) }
  if (member_id !== null) {
    const member = { store, ...(await shown(em, tenant_id, member_id, now)), scope }
    return scope === 'unsubscribe' ? { ...member, ...withoutBilling } : member
  }
  const delivery_status = await addressDelivery(em, tenant_id, address ?? '')
  return {
    store,
    audience: null,
    scope,
    email: maskedEmail(address),
    status: null,
    delivery_status,
    has_access: false,
    ...withoutBilling,
  }
}

async function shown(
  em: EntityManager,
  tenantId: string,
  memberId: string,
  now: number,
): Promise<Omit<z.input<typeof LinkedMember>, 'scope' | 'store'>> {
  const [row] = await readOwnMembers(em, tenantId, [memberId])
  if (!row) throw notFound('member')
  const own = await readOwnSubscription(em, tenantId, memberId)
  const {
    audience_id: id,
    audience_key: key,
    audience_name: name,
    email,
    status,
    paid_through_at,
    access_until,
    cancel_at,
  } = row
  const ended_at = status === 'active' || status === 'pending' ? null : row.ended_at
  return {
    audience: { id, key, name },
    email: maskedEmail(email),
    ...{ status, delivery_status: ownDelivery(row), paid_through_at, cancel_at },
    access_until: ended_at !== null && access_until !== null ? Math.min(access_until, ended_at) : access_until,
    billing_error: ownBillingError(row.billing_error, row.billing_status),
    has_access: hasAccess(row, now),
    in_grace: inGrace(row, now),
    payment_method_update_available: own.has_card,
    subscription_cancellation_available: own.may_cancel,
    subscription_resumption_available: own.may_resume,
  }
}

/** What a form shows that was sent without JavaScript. */
function stoppedPage({ store, audience, email, scope }: z.input<typeof LinkedMember>): Download {
  const about = audience ? `“${nameInMail([audience.name], audience.key)}” by ${store.name}` : store.name
  const goesOn = scope === 'manage' ? ' Only the e-mail is stopped: the membership goes on.' : ''
  const inner = `<p>${escaped(`No more of it is sent to ${email ?? 'you'}.${goesOn}`)}</p>\n<p>You can close this page.</p>`
  return browserPage(200, `You receive no e-mail of ${about}`, inner)
}

/** 403 forbidden for a link of another scope. */
function allowScope({ scope }: Link, ...scopes: TokenScope[]): void {
  if (!scopes.includes(scope))
    throw new Refusal(
      403,
      'forbidden',
      `This needs a link of the scope ${scopes.map((one) => `\`${one}\``).join(' or ')}.`,
    )
}

/** 403 forbidden for a link of another scope, and for one without a membership. */
export function allow(link: Link, ...scopes: TokenScope[]): asserts link is MemberLink {
  allowScope(link, ...scopes)
  if (link.member_id === null) throw new Refusal(403, 'forbidden', 'This needs the link of a membership.')
}

const token = z.string().min(1).max(200)
const query = z.object({ token: token.optional().describe('Token of the link. It may be sent in the body instead.') })
const body = z.object({ token: token.optional().describe('Token of the link. It may be sent in the query instead.') })

export { body as linkBody, query as linkQuery }

export const memberLinks = [
  route('GET /v1/customer/audiences/manage', {
    operation: 'getLinkedMember',
    may: 'member-link',
    refuses: ['not_found'],
    summary: 'Read the membership of a link',
    description: 'For links of every scope, also in an archived {store}. Changes nothing.',
    query: z.object({ token: token.describe('Token of the link.') }),
    out: LinkedMember,
    run: ({ em, caller, now }) => shownLink(em, caller, now),
  }),
  route('POST /v1/customer/audiences/confirm', {
    operation: 'confirmMembership',
    may: 'member-link',
    refuses: ['forbidden', 'not_found', 'audience_not_active', 'channels_too_many', 'not_pending'],
    summary: 'Confirm a membership',
    description:
      'For links of the scope `confirm`, which are valid for seven days; others are answered with 403 `forbidden`. The membership moves to the contact that owns the address, if another one ' +
      'does; without an owner, the address of the link is verified for its contact. Using the link again returns the same. 409 `not_pending` if the membership has ended meanwhile, ' +
      '409 `audience_not_active`, 409 `channels_too_many` for a contact with too many addresses.',
    query,
    body,
    out: LinkedMember,
    async run({ em, caller, now }) {
      allow(caller, 'confirm')
      return shownLink(em, { ...caller, member_id: await confirmMember(em, caller, now) }, now)
    },
  }),
  route('POST /v1/customer/audiences/unsubscribe', {
    operation: 'unsubscribeMember',
    may: 'member-link',
    refuses: ['forbidden', 'not_found'],
    summary: "Unsubscribe a member from an audience's e-mail",
    description:
      'For links of the scopes `unsubscribe` and `manage`. Takes any body of any content type, as mail clients send a form (RFC 8058) or nothing. Only the delivery of e-mail changes: the ' +
      'membership and its payments go on. Holds for every member of the audience with the address, if its contact owns it or the link was mailed to it; else for the member, and for those ' +
      'that are created with the address later. A link of a campaign ends the enrollment that it was mailed to: once this is answered, no further message of the campaign is handed to a mail ' +
      'server for it. One whose sending began within two seconds before, or whose body is being handed over, may still arrive. Without a membership, the consent of the address is withdrawn. Using the link again changes nothing, and a bounce or a complaint stays. ' +
      'The answer and refusals are pages where `Accept` names HTML.',
    answers: {
      page: true,
      refusal: () => ({
        title: 'This link is not valid',
        text: 'It is incomplete, or was replaced by a later one. The e-mail is not stopped: open the link of a newer e-mail.',
      }),
    },
    query,
    request: { unparsed: true, bytesMax: 16_384 },
    out: LinkedMember,
    async run({ em, caller, headers, now }) {
      allowScope(caller, 'unsubscribe', 'manage')
      await unsubscribe(em, caller, now)
      const member = await shownLink(em, caller, now)
      return asksForPage(headers) ? stoppedPage(member) : member
    },
  }),
  route('POST /v1/customer/audiences/resubscribe', {
    operation: 'resubscribeMember',
    may: 'member-link',
    refuses: ['forbidden', 'not_found', 'delivery_suppressed'],
    summary: "Subscribe a member to an audience's e-mail again",
    description:
      'For links of the scopes `unsubscribe` and `manage`. Ends the opt-outs of the address in the audience, if its contact owns it or the link was mailed to it; else the one of the member ' +
      'alone. 409 `delivery_suppressed` if the address bounced, if an e-mail to it was reported as spam, or if its consent was withdrawn: a link does not undo these.',
    query,
    body,
    out: LinkedMember,
    async run({ em, caller, now }) {
      allow(caller, 'unsubscribe', 'manage')
      await resubscribe(em, caller, now)
      return shownLink(em, caller, now)
    },
  }),
  route('POST /v1/customer/audiences/subscription/cancel', {
    operation: 'cancelMemberSubscription',
    may: 'member-link',
    refuses: ['forbidden', 'not_found', 'not_subscribed', 'change_in_flight'],
    summary: 'Cancel the subscription of a membership',
    description:
      'For links of the scope `manage`. The membership keeps its access until the end of the paid time; a subscription whose renewal could not be charged ends at once. The payment provider ' +
      'confirms it a moment later, in `cancel_at`. Cancelling again changes nothing. A membership of a paid audience for which nothing is paid ends at once. 409 `not_subscribed` if no ' +
      'subscription is running that renews, and for members of other audiences, whose e-mail can be unsubscribed; 409 `change_in_flight` while it is being resumed.',
    query,
    body,
    out: LinkedMember,
    async run({ em, tenant_id, caller, now }) {
      allow(caller, 'manage')
      await limitMemberChanges(em, caller.member_id, now)
      await changeOwnSubscription(em, tenant_id, caller.member_id, 'cancel', now)
      return shownLink(em, caller, now)
    },
  }),
  route('POST /v1/customer/audiences/subscription/resume', {
    operation: 'resumeMemberSubscription',
    may: 'member-link',
    refuses: ['forbidden', 'not_found', 'not_subscribed', 'cancelled_by_store', 'change_in_flight'],
    summary: 'Resume a subscription that is ending',
    description:
      'For links of the scope `manage`. Takes the cancellation back, until the subscription has ended. 409 `cancelled_by_store` if the {store} ended it, 409 `not_subscribed` if it has ended, 409 ' +
      '`change_in_flight` while it is being cancelled.',
    query,
    body,
    out: LinkedMember,
    async run({ em, tenant_id, caller, now }) {
      allow(caller, 'manage')
      await limitMemberChanges(em, caller.member_id, now)
      await changeOwnSubscription(em, tenant_id, caller.member_id, 'resume', now)
      return shownLink(em, caller, now)
    },
  }),
]
