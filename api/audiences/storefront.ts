// Audiences for visitors: what they may join, joining, and what they are members of.

import { z } from 'zod'
import { unixNow } from '../../adapters/clock.ts'
import { config } from '../../config.ts'
import { Audience } from '../../entities/audiences/audience.ts'
import { AudienceMember } from '../../entities/audiences/audience-member.ts'
import { type Enrollment, lockForVisitor } from '../../entities/audiences/audiences.ts'
import { readAccess, readOwnMembers, shownOwnMember } from '../../entities/audiences/member-rows.ts'
import { confirmToken } from '../../entities/audiences/member-tokens.ts'
import { joinOpen, joinPending } from '../../entities/audiences/members.ts'
import { publicAudiences } from '../../entities/audiences/public-audiences.ts'
import { condition } from '../../entities/kit/database/condition.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { asRow } from '../../entities/kit/database/row.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { queueMail, queueTemplateMail } from '../../entities/mail/mails.ts'
import { ofSubscription, Payment } from '../../entities/payments/payment.ts'
import { readPage, subscribe } from '../../entities/subscriptions/subscribe.ts'
import { CONFIRM_DAYS, confirmUrl, withToken } from '../../rules/audiences/memberships.ts'
import { OwnMemberOut, PublicAudienceOut } from '../../rules/audiences/resources.ts'
import { expectedTotal } from '../../rules/carts/expected-total.ts'
import { ReturnUrl } from '../../rules/input/return-url.ts'
import { ComparedText, firstSpelled, spellingsOf } from '../../rules/input/texts.ts'
import { confirmationMail } from '../../rules/mail/confirmation-mail.ts'
import { PaymentKind } from '../../rules/payments/payments.ts'
import { conflict, invalid, invalidInput, notFound, unavailable } from '../../rules/refusal.ts'
import { PaymentOut } from '../../rules/resources.ts'
import { Amount, Id } from '../../rules/shapes.ts'
import { storeName, storeNameInMail } from '../../rules/stores/store-name.ts'
import { admitMail } from '../accounts/codes.ts'
import { listing } from '../kit/answer/listing.ts'
import { Reply } from '../kit/answer/replies.ts'
import { route } from '../kit/route.ts'
import { networkOf } from '../limits/networks.ts'
import { cardForm, none, PaymentAction } from '../orders/checkout.ts'
import { confirmationVariables } from './confirmation.ts'

/** Our page for members' links; a store may have its own. */
const managePage = () => `${config.publicUrl}/customer/audiences/manage`

const joinable = { status: 'active', type: { $ne: 'private' } } as const

type Mailing = { em: EntityManager; tenant_id: string; audience: Enrollment; proved: boolean; ip: string; now: number }

/**
 * Makes the contact a pending member and mails the link: with the store's template through a mailbox of the store, or,
 * without one, with a text and a link of ours through our sender. Of an address that is suppressed only a visitor
 * learns it who signed in with it: to others the answer is the same as if the mail was sent. 409 audience_not_ready,
 * delivery_suppressed; 422 email_required, 429 too_many_requests.
 */
async function askToConfirm({ em, tenant_id, audience, proved, ip, now }: Mailing): Promise<string> {
  const { id: audience_id, key, name, email, contact_id, template_id, confirmation_url, mailbox_id } = audience
  if (email === null)
    throw invalid(
      '',
      'email_required',
      'The visitor has no address to mail the confirmation to. Send it with POST /v1/storefront/account/identify first.',
    )
  if (!template_id || !confirmation_url || !audience.sendable)
    throw conflict(
      'audience_not_ready',
      'The audience has no active template, no active mailbox or no page for its confirmation.',
    )
  if (audience.member_id !== null && audience.member_status === 'active') return audience.member_id
  // First: with a refusal, only the count is committed.
  await admitMail(
    em,
    { kind: 'confirmation', to: email, network: networkOf(ip), tenant_id, own_sender: mailbox_id === null },
    now,
  )
  if (audience.suppressed && proved && audience.claimed_address === null)
    throw conflict('delivery_suppressed', 'E-mail to this address is suppressed. The {store} can allow it again.')
  const { id, is_active, is_new } = await joinPending(em, tenant_id, audience_id, contact_id, now)
  if (is_active) return id
  const { token, expires_at } = await confirmToken(em, tenant_id, { member_id: id, address: email, isNew: is_new }, now)
  if (audience.suppressed) return id
  const queued = { kind: 'subscription_confirmation', tenant_id, not_after: expires_at, to: email }
  const store = { key: audience.store_key, settings: audience.settings }
  if (mailbox_id === null) {
    const link = confirmUrl(config.publicUrl, token)
    await queueMail(
      em,
      { ...queued, ...confirmationMail({ store: storeNameInMail(store), link, days: CONFIRM_DAYS }) },
      now,
    )
  } else {
    const link = withToken(confirmation_url, token)
    const variables = confirmationVariables(
      link,
      email,
      { id: audience_id, key, name },
      { key: store.key, name: storeName(store) },
    )
    await queueTemplateMail(em, { ...queued, template_id, mailbox_id, variables }, now)
  }
  return id
}

const FirstPayment = PaymentOut.omit({ order_id: true })
  .extend({
    method_key: z
      .string()
      .nullable()
      .describe('Always null: a membership is paid by card, and not by a payment method of a market.'),
    kind: PaymentKind.describe(
      '`initial`: the first payment of a subscription that renews. `one_time`: the only one, for access without an end.',
    ),
    discount_amount: Amount.describe('What the promo code took off, in minor units.'),
  })
  .meta({ id: 'FirstMembershipPayment', description: 'The first payment of a membership. Amounts are in minor units.' })

/** The membership as its contact sees it. 404. */
async function shownMemberOf(
  em: EntityManager,
  tenantId: string,
  { id, proved }: { id: string; proved: boolean },
  now: number,
) {
  const [row] = await readOwnMembers(em, tenantId, [id])
  if (!row) throw notFound('member')
  return shownOwnMember(row, { manageUrl: managePage(), proved }, now)
}

/**
 * The same, unless it has moved to the owner of its address, whose link is not this visitor's: 503 provider_retryable,
 * and the next call says what is right.
 */
async function ownMemberOf(
  em: EntityManager,
  tenantId: string,
  { contact_id, ...key }: { id: string; contact_id: string; proved: boolean },
  now: number,
) {
  const member = await shownMemberOf(em, tenantId, key, now)
  if (member.contact_id !== contact_id)
    throw unavailable('provider_retryable', 'The membership moved to another contact meanwhile. Repeat the request.')
  return member
}

type Paying = {
  proved: boolean
  price_id?: string | null | undefined
  promo_code?: string | null | undefined
  return_url?: string | null | undefined
  expected_total?: number | undefined
}

async function subscribePaid(
  em: EntityManager,
  tenantId: string,
  audience: Enrollment,
  { proved, ...body }: Paying,
  now: number,
) {
  const { price_id, promo_code, return_url = null, expected_total } = body
  if (!price_id)
    throw invalidInput([{ pointer: '/price_id', code: 'required', detail: 'Required for a paid audience.' }])
  const { member_id, page } = await subscribe(
    em,
    tenantId,
    audience,
    { price_id, promo_code: promo_code?.trim() || null, return_url, expected_total },
    now,
  )
  const member = await shownMemberOf(em, tenantId, { id: member_id, proved }, now)
  return new Reply(
    { member, payment: null, payment_action: none },
    {
      pending:
        page === null ? undefined : { subscription_id: page, id: member_id, contact_id: member.contact_id, proved },
    },
  )
}

const Subscribed = z
  .object({
    member: OwnMemberOut.describe('The membership.'),
    payment: FirstPayment.nullable().describe('The payment of a paid membership; null if nothing has to be paid.'),
    payment_action: PaymentAction.describe('What the browser has to do next to pay.'),
  })
  .meta({ id: 'AudienceSubscription' })

type PublicRow = Parameters<typeof publicAudiences>[2][number]

export const storefrontAudiences = [
  listing('GET /v1/storefront/audiences', {
    may: 'visitor',
    contact: 'optional',
    summary: 'List the audiences that visitors may join',
    entity: Audience,
    item: PublicAudienceOut,
    scope: () => joinable,
    load: (em, rows: PublicRow[], { tenant_id }) => publicAudiences(em, tenant_id, rows),
  }),
  // Before `{key}`: the path is not the key of an audience.
  listing('GET /v1/storefront/audiences/members', {
    operation: 'listOwnMemberships',
    may: 'visitor',
    summary: "List the visitor's own memberships",
    description:
      'Memberships of active audiences that are not private, also those that have ended, one page, newest first.',
    entity: AudienceMember,
    unmanaged: true,
    item: OwnMemberOut,
    scope: ({ caller }) => ({
      contact_id: caller.contact_id,
      ...(caller.verified ? {} : { source: 'storefront' }),
      ...condition(
        (rows) => sql`
          exists (
            select 1
            from audiences a
            where a.tenant_id = ${rows}.tenant_id and a.id = ${rows}.audience_id
              and a.status = 'active' and a.type <> 'private'
          )
        `,
      ),
    }),
    load: async (em, rows: { id: string }[], { tenant_id, caller, now }) => {
      const members = await readOwnMembers(
        em,
        tenant_id,
        rows.map(({ id }) => id),
      )
      return members.map((row) => shownOwnMember(row, { manageUrl: managePage(), proved: caller.verified }, now))
    },
  }),
  route('GET /v1/storefront/audiences/{key}', {
    may: 'visitor',
    contact: 'optional',
    summary: 'Read an active audience by key or by id',
    description: '404 `not_found` for drafts, archived and private audiences.',
    textParameters: ['key'],
    out: PublicAudienceOut,
    async run({ em, tenant_id, path }) {
      const id = Id.safeParse(path.key).data
      const keys = spellingsOf(path.key)
      // An id takes precedence over a key, as a key may be a UUID.
      const found = await em.find(Audience, {
        $and: [joinable, { $or: [{ key: { $in: keys } }, ...(id === undefined ? [] : [{ id }])] }],
      })
      const audience = found.find((one) => one.id === id) ?? firstSpelled(found, keys, ({ key }) => key)
      const [shown] = audience
        ? await publicAudiences(em, tenant_id, [{ ...asRow(audience), type: audience.type as PublicRow['type'] }])
        : []
      if (!shown) throw notFound('audience')
      return shown
    },
  }),
  route('POST /v1/storefront/audiences/{audienceId}/subscribe', {
    operation: 'subscribeToAudience',
    may: 'visitor',
    refuses: [
      'audience_not_ready',
      'delivery_suppressed',
      'email_required',
      'subscription_active',
      'subscription_cancelled',
      'total_changed',
      'payment_in_progress',
      'payment_provider_not_connected',
      'payment_rejected',
      'return_url_required',
      'card_total_too_small',
      'promo_code_exhausted',
      'promo_code_expired',
      'promo_code_invalid',
      'promo_code_not_applicable',
      'engine_unavailable',
      'provider_retryable',
      'provider_unavailable',
    ],
    summary: 'Subscribe to an audience',
    description:
      'An `open` audience makes the visitor an active member at once. A `confirmation` audience makes a pending member and mails a link to the address of the visitor, which is valid for ' +
      'seven days; repeating the call mails it again, within limits like those of sign-in codes. Repeating the call returns the same member. 422 `email_required` if the visitor has no address, 409 ' +
      '`delivery_suppressed` if the visitor signed in with it and e-mail to it bounced, was reported as spam or is not wanted (to other visitors the answer is as if it was mailed), 409 `audience_not_ready` if the template or the mailbox is not active any more. A ' +
      '`paid` audience makes a pending member, who pays in the payment form that `payment_action` describes and becomes active when the provider has confirmed the payment; a price that ' +
      'is free makes an active member at once. Repeating the call returns the same form. With another price, code or address, the open form is closed before the other one opens: 409 ' +
      '`payment_in_progress` if it was paid meanwhile, 409 `subscription_cancelled` for calls that wait for a form that is replaced. 409 `subscription_active` for a member whose ' +
      'subscription is paid for; a free one is replaced by another price when that one is paid. 422 `email_required` if the visitor has no address and something has to be paid, 409 `total_changed` if the first payment is not `expected_total`. After 503 `engine_unavailable`, `provider_retryable` or `provider_unavailable`, repeat the call.',
    body: z.object({
      price_id: Id.nullish().describe(
        'Identifier of the price; required for a `paid` audience, and ignored for others.',
      ),
      promo_code: ComparedText.max(255)
        .nullish()
        .describe('Promo code that takes something off the first payment of a `paid` audience; ignored for others.'),
      return_url: ReturnUrl.nullish().describe(
        'Where the payment form returns to, required unless nothing is to be paid: https, or http for localhost.',
      ),
      expected_total: expectedTotal,
    }),
    out: Subscribed,
    async run({ em, tenant_id, caller, path, body, ip, now }) {
      const audience = await lockForVisitor(em, tenant_id, path.audienceId, caller)
      const proved = caller.verified
      if (audience.type === 'paid') return subscribePaid(em, tenant_id, audience, { ...body, proved }, now)
      const id =
        audience.type === 'open'
          ? await joinOpen(em, tenant_id, audience.id, audience.contact_id, now)
          : await askToConfirm({ em, tenant_id, audience, proved, ip, now })
      return { member: await shownMemberOf(em, tenant_id, { id, proved }, now), payment: null, payment_action: none }
    },
    wait: {
      async until({ em, tenant_id, pending: { subscription_id, ...own } }) {
        const page = await readPage(em, tenant_id, subscription_id)
        if (page === undefined) return undefined
        // A free subscription has none.
        const payment = await em.findOne(Payment, { subscription_id, kind: { $ne: 'renewal' } })
        return {
          member: await ownMemberOf(em, tenant_id, own, unixNow()),
          payment: payment && ofSubscription(payment),
          payment_action: page === 'none' ? none : cardForm(page),
        }
      },
      late(_, engineAway, { id: member_id }) {
        throw unavailable(
          engineAway ? 'engine_unavailable' : 'provider_retryable',
          'The payment form is not ready yet. Repeat the request.',
          {
            member_id,
          },
        )
      },
    },
  }),
  route('GET /v1/storefront/audiences/{audienceId}/access', {
    operation: 'getAudienceAccess',
    may: 'visitor',
    contact: 'optional',
    summary: "Read the visitor's access to an audience",
    description:
      'Exact to the second: `has_access` is true for an active member until the second `access_until`. Without a visitor, it is false, and `member` is null. An archived audience still ' +
      'answers. 404 `not_found` for drafts and private audiences.',
    out: z
      .object({
        has_access: z.boolean().describe('Whether the visitor has access at this moment.'),
        member: OwnMemberOut.nullable().describe(
          'The membership, also one that has ended; null if the visitor never joined.',
        ),
      })
      .meta({ id: 'AudienceAccess' }),
    async run({ em, tenant_id, caller, path, now }) {
      const { found, has_access, member } = await readAccess(em, tenant_id, path.audienceId, caller, now)
      if (!found) throw notFound('audience')
      return {
        has_access,
        member: member && shownOwnMember(member, { manageUrl: managePage(), proved: caller.verified }, now),
      }
    },
  }),
]
