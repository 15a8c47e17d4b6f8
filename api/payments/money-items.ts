// What is open about the money of a business that is being deleted, and what a person records about it.
import { z } from 'zod'
import { anyMembers } from '../../rules/open-answers.ts'
import { choicesOf, type MoneyItem, MoneyKind, MoneyOutcome } from '../../rules/payments/attention.ts'
import { Force, Note, replacing } from '../../rules/resolutions.ts'
import { EffectError } from '../../rules/shapes.ts'

const id = (of: string) => z.string().nullable().describe(`Identifier of the ${of}; null if it is about none.`)

export const MoneyItemOut = z
  .object({
    id: z
      .string()
      .describe(
        'Identifier of the refund, the request, the payment or the subscription. What you found out is recorded under it.',
      ),
    kind: MoneyKind.describe(
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
      .array(MoneyOutcome)
      .describe('Outcomes that can be recorded. None: the item leaves the list when what is wrong is mended.'),
  })
  .meta({ id: 'ErasureItem', description: 'Something about money that a person has to act on.' })

export const shownItem = ({
  tenant_id: _,
  superseded,
  sent_at: _sent,
  settled_at: _settled,
  order_cancelled: _cancelled,
  ...item
}: MoneyItem) => ({
  ...item,
  choices: choicesOf({ ...item, superseded }),
})

export const resolutionRefusals = [
  'request_not_unknown',
  'contradicts_evidence',
  'resolved_otherwise',
  'resolved_too_often',
  'decision_made',
  'payment_captured',
  'outcome_not_possible',
  'required',
] as const

export const ResolutionBody = z.object({
  outcome: MoneyOutcome.describe(
    'One of the `choices` of the item. `accepted`: a payment of another amount than the one due is kept as it is.',
  ),
  note: Note,
  force: Force,
  replaces: replacing(MoneyOutcome),
  provider_object_id: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .optional()
    .describe("The provider's id of a payment form that was found open. Required for `open_form` and `succeeded`."),
})
