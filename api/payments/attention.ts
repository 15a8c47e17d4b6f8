// What a person has to do about money, in one list, and what they found out.
import { z } from 'zod'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { type AttentionItem, moneyAttention, planTenantOf } from '../../entities/payments/money-attention.ts'
import { resolveRequest } from '../../entities/payments/resolve-request.ts'
import { anyMembers } from '../../rules/open-answers.ts'
import { AttentionKind, AttentionOutcome, choicesOf } from '../../rules/payments/attention.ts'
import { notFound } from '../../rules/refusal.ts'
import { Force, Note, resolving } from '../../rules/resolutions.ts'
import { EffectError } from '../../rules/shapes.ts'
import { whole } from '../kit/query.ts'
import { route } from '../kit/route.ts'

const id = (of: string) => z.string().nullable().describe(`Identifier of the ${of}; null if it is about none.`)

export const AttentionItemOut = z
  .object({
    id: z
      .string()
      .describe(
        'Identifier of the refund, the request, the payment or the subscription. What you found out is recorded under it.',
      ),
    kind: AttentionKind.describe(
      '`refund`. Requests to the payment provider: `capture` and `cancel_authorization` of an authorised payment, `open_form` and `close_form` of a payment form, ' +
        '`cancel_subscription`, `cancel_now_subscription`, `resume_subscription` and `change_card`. `payment`: what was taken is not what was due, or has to go back. `subscription`: a ' +
        'membership that is charged without paid time, or that the provider does not return.',
    ),
    status: z
      .string()
      .describe('Status of a refund or a request; of a payment or a subscription the code of what is wrong.'),
    since: z.int().describe('When it began, in Unix seconds.'),
    amount: z.int().nullable().describe('Amount in minor units of `currency`; null if it is about none.'),
    currency: z.string().nullable().describe('Currency of the amount, ISO 4217; null without one.'),
    payment_id: id('payment'),
    order_id: id('order'),
    order_number: z.int().nullable().describe('Number of the order; null if it is about none.'),
    subscription_id: id('subscription'),
    audience_id: id('audience of the membership'),
    member_id: id('membership'),
    provider_account_id: z
      .string()
      .nullable()
      .describe("The account at the payment provider; null for the platform's own."),
    provider_payment_id: z.string().nullable().describe("The provider's id of the payment; null if it is not known."),
    provider_object_id: z
      .string()
      .nullable()
      .describe("The provider's id of the refund, the payment form or the subscription; null if it is not known."),
    error: EffectError.nullable().describe('What is wrong; null if nothing was recorded.'),
    evidence: anyMembers().nullable().describe('What the provider answered or reported; null for nothing.'),
    late_evidence: anyMembers()
      .nullable()
      .describe('What became known after the outcome was recorded; null for nothing.'),
    resolution: anyMembers()
      .nullable()
      .describe('What was recorded about the outcome, which later evidence contradicts; null if nothing was.'),
    choices: z
      .array(AttentionOutcome)
      .describe('Outcomes that can be recorded. None: the item leaves the list when what is wrong is mended.'),
  })
  .meta({ id: 'AttentionItem', description: 'Something about money that a person has to act on.' })

export const AttentionListOut = z.object({ items: z.array(AttentionItemOut).describe('Items, the oldest first.') })

export const shownItem = ({ tenant_id: _, ...item }: AttentionItem) => ({ ...item, choices: choicesOf(item) })

export const resolutionRefusals = [
  'request_not_unknown',
  'contradicts_evidence',
  'resolved_too_often',
  'decision_made',
  'payment_captured',
  'outcome_not_possible',
  'required',
] as const

export const ResolutionBody = z.object({
  outcome: AttentionOutcome.describe(
    'One of the `choices` of the item. `accepted`: a payment of another amount than the one due is kept as it is.',
  ),
  note: Note,
  force: Force,
  provider_object_id: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .optional()
    .describe("The provider's id of a payment form that was found open. Required for `open_form` and `succeeded`."),
})
type Body = z.output<typeof ResolutionBody>

/** `plans`: the caller is the platform's, whose own account charges the plans of tenants. Only it can look up what became of their requests. */
type By = { tenant_id: string; account_id: string; plans: boolean }

/** Records what was found out; returns the item as it is then, or null if nothing is left to do. 404 for an item of a plan, unless the caller is the platform's. */
export async function resolve(
  em: EntityManager,
  { tenant_id: tenantId, account_id, plans }: By,
  itemId: string,
  body: Body,
  now: number,
) {
  if (!plans && (await planTenantOf(em, itemId)) !== null) throw notFound('item')
  await resolveRequest(
    em,
    tenantId,
    itemId,
    { ...body, provider_object_id: body.provider_object_id ?? null, account_id },
    now,
  )
  const [item] = [
    ...(await moneyAttention(em, { tenant_id: tenantId }, 1, itemId)),
    ...(await moneyAttention(em, 'plans', 1, itemId)),
  ]
  return { item: item ? shownItem(item) : null }
}

const Limit = z.object({
  limit: whole(1, 100).default(100).describe('Number of items at most, 1 to 100; 100 by default.'),
})

export const Resolved = z
  .object({
    item: AttentionItemOut.nullable().describe(
      'The item, if something is left to do about it; null if it left the list.',
    ),
  })
  .meta({ id: 'AttentionResolved', description: 'What is left to do after an outcome was recorded.' })

const consequences =
  'An `open_form` that `succeeded` is closed then. After `rejected`, a `capture` fails its booking and the authorisation is cancelled. What a subscription is, is read again. 409 ' +
  '`request_not_unknown` for a request that is neither unknown nor was resolved, `decision_made` if another decision about the payment was made since, `payment_captured` while refunds of a ' +
  'payment are recorded that would not have been captured. 422 `outcome_not_possible`.'

export const attention = [
  route('GET /v1/stores/{storeId}/attention', {
    may: 'admin',
    operation: 'listAttention',
    summary: 'List what a person has to do about money',
    description:
      'Refunds and other requests to the payment provider whose outcome is unknown or was recorded otherwise than later evidence says, payments of another amount than the one due, money that ' +
      'has to go back and did not, payments whose event is missing, memberships that are charged without paid time. Returns the oldest ones first; those that follow are returned when these are ' +
      'done. What the platform charges for the plan of the {store} is in the list of its administrators.',
    query: Limit,
    out: AttentionListOut,
    run: async ({ em, tenant_id, query }) => ({
      items: (await moneyAttention(em, { tenant_id }, query.limit)).map(shownItem),
    }),
  }),
  route('POST /v1/stores/{storeId}/attention/{id}/resolve', {
    may: 'owner',
    operation: 'resolveAttention',
    refuses: resolutionRefusals,
    summary: 'Record what became of a request whose outcome is unknown',
    description: `Records what you found at the payment provider. ${resolving} ${consequences}`,
    body: ResolutionBody,
    out: Resolved,
    run: ({ em, tenant_id, path, body, caller, now }) =>
      resolve(em, { tenant_id, account_id: caller.account_id, plans: false }, path.id, body, now),
  }),
]

export const platformAttention = [
  route('GET /v1/platform/attention', {
    may: 'platform',
    operation: 'listPlatformAttention',
    summary: "List what a person has to do about the plans of {stores}, on the platform's own account",
    description:
      'As the list of a {store}, of all of them: refunds, payment forms, changes and payments of their plans. Returns the oldest ones first.',
    query: Limit,
    out: z.object({
      items: z
        .array(
          AttentionItemOut.extend({ tenant_id: z.string().describe('Identifier of the store or business.') }).meta({
            id: 'PlatformAttentionItem',
          }),
        )
        .describe('Items, the oldest first.'),
    }),
    run: async ({ em, query }) => ({
      items: (await moneyAttention(em, 'plans', query.limit)).map((item) => ({
        ...shownItem(item),
        tenant_id: item.tenant_id,
      })),
    }),
  }),
  route('POST /v1/platform/attention/{id}/resolve', {
    may: 'platform',
    operation: 'resolvePlatformAttention',
    refuses: resolutionRefusals,
    summary: 'Record what became of a request about the plan of a {store}',
    description: `Records what was found at the payment provider. ${resolving} ${consequences}`,
    body: ResolutionBody,
    out: Resolved,
    async run({ em, path, body, caller, now }) {
      const tenant_id = await planTenantOf(em, path.id)
      if (tenant_id === null) throw notFound('item')
      return resolve(em, { tenant_id, account_id: caller.account_id, plans: true }, path.id, body, now)
    },
  }),
]
