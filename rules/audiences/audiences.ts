// Audiences, their tiers and prices: what may be stored, and what an audience needs before it may be active.
import { z } from 'zod'
import { PageUrl } from '../input/return-url.ts'
import { cardMinimum } from '../payments/currencies.ts'
import { cardStep } from '../payments/provider-amounts.ts'
import type { Fault } from '../refusal.ts'
import { type ArchivableStatus, anyCase, Id, RecordStatus } from '../shapes.ts'

export const AudienceStatus = RecordStatus
export type AudienceStatus = z.infer<typeof AudienceStatus>

export const EnrollmentType = z.enum(['private', 'open', 'confirmation', 'paid'])
export type EnrollmentType = z.infer<typeof EnrollmentType>
/** How visitors join the audiences that storefronts show. */
export const PublicEnrollment = EnrollmentType.exclude(['private'])
export type PublicEnrollment = z.infer<typeof PublicEnrollment>

/** How contacts join: the types without settings of their own, and `confirmation`. */
export const AudienceType = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('private').describe('Operators add members, and storefronts do not show the audience.'),
    }),
    z.strictObject({ type: z.literal('open').describe('Visitors join at once.') }),
    z.strictObject({ type: z.literal('paid').describe('Visitors join by paying for a price of a tier.') }),
    z.strictObject({
      type: z.literal('confirmation').describe('Visitors join by a link that is mailed to them.'),
      template_id: Id.nullish().describe(
        'E-mail template of the type `subscription_confirmation`. Required before the audience can be active.',
      ),
      confirmation_url: PageUrl.nullish().describe(
        'Page of the storefront that the link leads to, with the token as the query parameter `token`. https, or http on the local machine. Required before the audience can be active.',
      ),
      mailbox_id: Id.nullish().describe(
        "Mailbox that sends the e-mail; null for the {store}'s oldest active one, or, without any, the server's own sender.",
      ),
    }),
  ])
  .meta({ id: 'AudienceType', description: 'How contacts join an audience.' })
export type AudienceType = z.infer<typeof AudienceType>

export const TIERS_MAX = 50
export const PRICES_MAX = 100

const longest = { day: 1096, week: 156, month: 36, year: 3 } as const

export const PriceInterval = z
  .strictObject({
    period: anyCase(z.enum(['day', 'week', 'month', 'year'])).describe('Unit of the interval.'),
    count: z.int().min(1).default(1).describe('Number of units between two charges; three years at most.'),
  })
  .refine(({ period, count }) => count <= longest[period], { error: 'Expected three years at most.', path: ['count'] })
  .meta({ id: 'PriceInterval', description: 'How often a price is charged.' })
export type PriceInterval = z.infer<typeof PriceInterval>

export type PriceTerms = { amount: number; currency: string; interval: PriceInterval | null }

/**
 * What is wrong with an amount, in minor units: cards need a minimum and, in some currencies, a step; 0 is free. Null
 * if nothing is.
 */
export function amountFault({
  amount,
  currency,
}: {
  amount: number
  currency: string
}): { code: string; detail: string } | null {
  if (amount === 0) return null
  const [minimum, step] = [cardMinimum(currency), cardStep(currency)]
  if (amount < minimum)
    return {
      code: 'too_small',
      detail: `Expected 0, or at least ${minimum}, the provider's minimum for cards in ${currency}.`,
    }
  return amount % step === 0
    ? null
    : {
        code: 'not_multiple_of',
        detail: `Expected a multiple of ${step}: cards cannot be charged other amounts in ${currency}.`,
      }
}

/** Amount, currency and interval never change: subscriptions are charged by them. */
export const sameTerms = (one: PriceTerms, other: PriceTerms): boolean =>
  one.amount === other.amount &&
  one.currency === other.currency &&
  one.interval?.period === other.interval?.period &&
  one.interval?.count === other.interval?.count

/** What an audience needs to be active. `template` and `mailbox` are null if the store has no such record. */
export type Readiness = {
  type: EnrollmentType
  template_id: string | null
  template: { type: string; status: string } | null
  confirmation_url: string | null
  mailbox_id: string | null
  mailbox: { status: ArchivableStatus } | null
  /** An active tier has an active price that can be paid. */
  payable: boolean
}

/** Every reason why the audience cannot be active, with its pointer into the body. */
export function readinessFaults({
  type,
  template_id,
  template,
  confirmation_url,
  mailbox_id,
  mailbox,
  payable,
}: Readiness): Fault[] {
  const faults: Fault[] = []
  const add = (pointer: string, code: string, detail: string) => void faults.push({ pointer, code, detail })
  if (type === 'paid' && !payable)
    add(
      '/type',
      'tier_not_ready',
      'Needs an active tier with an active price that is ready, and, unless the price is 0, a payment provider that may charge cards.',
    )
  if (type !== 'confirmation') return faults
  const at = '/type/template_id'
  if (template_id === null) add(at, 'required', 'Needs an e-mail template of the type `subscription_confirmation`.')
  else if (template === null) add(at, 'template_unknown', 'There is no such e-mail template.')
  else {
    if (template.type !== 'subscription_confirmation')
      add(
        at,
        'template_type_differs',
        `The template is of the type \`${template.type}\`; expected \`subscription_confirmation\`.`,
      )
    if (template.status !== 'active') add(at, 'template_not_active', `The template is ${template.status}.`)
  }
  if (confirmation_url === null)
    add('/type/confirmation_url', 'required', 'Needs the page that the confirmation link leads to.')
  if (mailbox_id !== null && mailbox?.status !== 'active')
    add(
      '/type/mailbox_id',
      mailbox ? 'mailbox_archived' : 'mailbox_unknown',
      mailbox ? 'The mailbox is archived.' : 'There is no such mailbox.',
    )
  return faults
}
