// Shapes of audiences, tiers and members that the API and events return.
import { z } from 'zod'
import { ArchivableStatus, CreatedAt, EffectError, UpdatedAt } from '../shapes.ts'
import { AudienceStatus, AudienceType, PriceInterval, PublicEnrollment } from './audiences.ts'
import { MemberDelivery, MemberSource, MemberStatus } from './memberships.ts'

export const AudienceOut = z
  .object({
    id: z.string().describe('Identifier of the audience, a UUIDv7 made by the server.'),
    store_id: z.string().describe('Identifier of the {store}.'),
    key: z.string().describe('Key of the audience, unique in the {store}.'),
    name: z.string().describe('Name of the audience for people.'),
    status: AudienceStatus.describe('Contacts can join `active` audiences only. `archived` is final.'),
    type: AudienceType.describe('How contacts join.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Audience', description: 'A group of contacts.' })

const terms = {
  id: z.string().describe('Identifier of the price, as subscribing names it.'),
  amount: z.int().describe('Amount in minor units of the currency; 0 is free.'),
  currency: z.string().describe('Currency, ISO 4217.'),
  interval: PriceInterval.nullable().describe(
    'How often it is charged; null for once, which gives access without end.',
  ),
}

export const AudiencePriceOut = z
  .object({
    ...terms,
    status: ArchivableStatus.describe(
      '`active` prices can be subscribed to; `archived` ones are still charged for the members who have them.',
    ),
    ready: z
      .boolean()
      .describe(
        'Whether it can be subscribed to. A price above 0 needs a tier whose payment provider has an account, and one that is charged repeatedly must exist there.',
      ),
    error: EffectError.nullable().describe(
      'Why the payment provider did not accept the price; null if it did, or was not asked yet.',
    ),
  })
  .meta({ id: 'AudiencePrice', description: 'A price of a tier. Its amount, currency and interval never change.' })

const tier = {
  id: z.string().describe('Identifier of the tier, a UUIDv7 made by the server.'),
  key: z.string().describe('Key of the tier, unique in the audience.'),
  name: z.string().describe('Name of the tier for people.'),
  description: z.string().nullable().describe('Description of the tier; null for none.'),
  benefits: z.array(z.string()).describe('What members of the tier get, one text per benefit.'),
}

export const TierProvider = z
  .strictObject({
    type: z.literal('card_payment').describe('Always `card_payment`.'),
    payment_provider_id: z.guid().toLowerCase().describe("Identifier of the {store}'s payment provider."),
  })
  .meta({ id: 'TierProvider', description: 'The payment provider that charges the prices of a tier.' })

export const AudienceTierOut = z
  .object({
    ...tier,
    audience_id: z.string().describe('Identifier of the audience.'),
    status: ArchivableStatus.describe('`active` tiers can be subscribed to.'),
    provider: TierProvider.nullable().describe('The payment provider that charges its prices; null for none.'),
    prices: z.array(AudiencePriceOut).describe('Prices of the tier, archived ones too, in their order.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'AudienceTier', description: 'A level of a paid audience.' })

export const PublicAudienceOut = z
  .object({
    id: z.string().describe('Identifier of the audience.'),
    key: z.string().describe('Key of the audience, unique in the {store}.'),
    name: z.string().describe('Name of the audience for people.'),
    type: z.object({ type: PublicEnrollment.describe('How visitors join.') }).describe('How visitors join.'),
    tiers: z
      .array(z.object({ ...tier, prices: z.array(z.object(terms)).describe('Prices that can be subscribed to.') }))
      .describe('Active tiers, in the order of their creation.'),
  })
  .meta({ id: 'PublicAudience', description: 'An active audience that visitors may join.' })

export const BillingErrorOut = z
  .object({
    code: z
      .string()
      .describe(
        '`payment_failed`: the renewal could not be charged. `event_missing`: the payment provider shows a paid period whose event has not arrived. `not_readable`: the payment provider ' +
          'did not return the subscription.',
      ),
    message: z.string().describe('What happened, for people.'),
    next_attempt_at: z
      .int()
      .nullable()
      .describe(
        'When the payment provider charges the card again, in Unix seconds; null if it does not, or for other errors.',
      ),
  })
  .meta({ id: 'BillingError', description: 'What keeps the subscription of a membership from being billed.' })

const member = {
  id: z.string().describe('Identifier of the membership, a UUIDv7 made by the server.'),
  audience_id: z.string().describe('Identifier of the audience.'),
  contact_id: z.string().describe('Identifier of the contact.'),
  audience: z
    .object({
      id: z.string().describe('Identifier of the audience.'),
      key: z.string().describe('Key.'),
      name: z.string().describe('Name for people.'),
    })
    .describe('The audience.'),
  contact: z
    .object({
      id: z.string().describe('Identifier of the contact.'),
      email: z.string().nullable().describe('Address of the contact; null for none.'),
    })
    .describe('The contact.'),
  status: MemberStatus.describe(
    '`pending` until the contact has confirmed or paid. `cancelled`, `expired` and `removed` memberships have ended; the contact may join again.',
  ),
  delivery_status: MemberDelivery.describe(
    "Whether the audience's e-mail is sent to the member. Only the member can subscribe again.",
  ),
  source: MemberSource.describe('How the member joined most recently.'),
  tier_id: z.string().nullable().describe('Identifier of the tier; null for none.'),
  price_id: z.string().nullable().describe('Identifier of the price; null for none.'),
  paid_through_at: z
    .int()
    .nullable()
    .describe('End of the time that is paid, in Unix seconds; null for a free or one-time membership.'),
  access_until: z
    .int()
    .nullable()
    .describe(
      'Last second of access of an active member, in Unix seconds: the paid time and, unless the membership is ending, the grace of the {store}. Null: no end.',
    ),
  in_grace: z.boolean().describe('Whether access lasts beyond the paid time at this moment.'),
  cancel_at: z.int().nullable().describe('When the membership ends, in Unix seconds; null if it does not end.'),
  billing_status: z
    .string()
    .nullable()
    .describe("The payment provider's status of the subscription; null without one."),
  billing_error: BillingErrorOut.nullable().describe(
    'Why the subscription is not billed as it should be; null if it is. The contact itself sees `payment_failed` only.',
  ),
  joined_at: z
    .int()
    .nullable()
    .describe('When the membership became active most recently, in Unix seconds; null if it never was.'),
  ended_at: z.int().nullable().describe('When the membership ended, in Unix seconds; null if it has not.'),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const AudienceMemberOut = z
  .object({
    ...member,
    lead_description: z
      .string()
      .nullable()
      .describe('Note of the operators about the member; null for none. Its contact does not see it.'),
    fields: z
      .record(z.string(), z.unknown())
      .describe(
        "Values that operators keep about the member, in the caller's own shape. Its contact does not see them.",
      ),
  })
  .meta({
    id: 'AudienceMember',
    description: 'The membership of a contact in an audience. There is one per contact and audience.',
  })

export const OwnMemberOut = z
  .object({
    ...member,
    manage_url: z
      .string()
      .nullable()
      .describe(
        'Page where the contact manages the membership. Keep it secret: the link needs no sign-in. Null while it is pending.',
      ),
  })
  .meta({ id: 'OwnAudienceMember', description: 'A membership as its contact sees it.' })
