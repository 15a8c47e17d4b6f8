// Connects a store to its payment provider: the account is created once, the onboarding link is created by every
// request.
import { z } from 'zod'
import { alreadyConnected, connectUnknown, isReady, requestConnect } from '../../entities/stores/connect.ts'
import { OnboardingLink } from '../../entities/stores/onboarding-link.ts'
import { PaymentProvider } from '../../entities/stores/payment-provider.ts'
import { EmailAddress } from '../../rules/input/email-addresses.ts'
import { ReturnUrl } from '../../rules/input/return-url.ts'
import { invalid, Refusal, unavailable } from '../../rules/refusal.ts'
import { CreatedAt, EffectError, EffectStatus, UpdatedAt } from '../../rules/shapes.ts'
import { CountryCode } from '../../rules/stores/addresses.ts'
import { listing } from '../kit/answer/listing.ts'
import { Reply } from '../kit/answer/replies.ts'
import { route } from '../kit/route.ts'

const PaymentProviderOut = z
  .object({
    id: z.string().describe('Identifier of the connection to the provider, a UUIDv7 made by the server.'),
    type: z.literal('stripe').describe('Payment provider.'),
    account_id: z
      .string()
      .min(1)
      .nullable()
      .describe("The provider's id of the connected account; null until the provider has returned it."),
    country: z.string().nullable().describe('Country of the account, ISO 3166-1 alpha-2; null if none was given.'),
    email: z.string().nullable().describe('Address of the account at the provider; null if none was given.'),
    ready: z.boolean().describe('Whether cards can be charged.'),
    charges_enabled: z.boolean().describe('Whether the provider lets the account accept payments.'),
    payouts_enabled: z.boolean().describe('Whether the provider pays out to the account.'),
    details_submitted: z.boolean().describe('Whether onboarding at the provider is complete.'),
    status: EffectStatus.describe(
      'Outcome of creating the account. `unknown`: it cannot be proved whether the provider created it, and nothing is sent again.',
    ),
    error: EffectError.nullable().describe('Why the account was not created; null if it was.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'PaymentProvider' })

const Onboarding = z
  .object({
    onboarding_url: z
      .string()
      .nullable()
      .describe("Address where the {store}'s owner completes onboarding at the provider; null: the account is ready."),
  })
  .meta({ id: 'Onboarding' })

/** Throws the refusal of an account that could not be created. */
function refuse({ status, error }: PaymentProvider): void {
  if (status === 'failed' && error?.code === 'account_not_owned')
    throw invalid('/connected_account_id', error.code, error.message)
  if (status === 'rejected')
    throw new Refusal(422, 'connect_rejected', error?.message ?? 'The provider refused the request.')
  if (status === 'failed')
    throw unavailable('provider_retryable', 'The provider could not be reached. Repeat the request.')
  if (status === 'unknown') throw connectUnknown()
}

export const paymentProviders = [
  listing('GET /v1/stores/{storeId}/payment-providers', {
    may: 'admin',
    summary: "List the {store}'s payment providers",
    entity: PaymentProvider,
    item: PaymentProviderOut,
    load: async (_, rows: PaymentProvider[]) => rows.map((one) => Object.assign(one, { ready: isReady(one) })),
  }),
  route('POST /v1/stores/{storeId}/payment-providers/stripe/connect', {
    operation: 'connectStripe',
    may: 'owner',
    active: true,
    refuses: [
      'already_connected',
      'connect_unknown',
      'account_not_owned',
      'connect_rejected',
      'engine_unavailable',
      'provider_retryable',
    ],
    summary: 'Connect the {store} to Stripe',
    description:
      'Creates an account at the provider once and returns a new onboarding link with every call. With `connected_account_id`, connects an existing account. 409 `connect_unknown` if it ' +
      'cannot be proved whether the provider created the account: find it there and send its id. 503 `provider_retryable`: repeat the call.',
    body: z.object({
      return_url: ReturnUrl.describe(
        'Address that the provider returns to after onboarding: https, or http for localhost.',
      ),
      refresh_url: ReturnUrl.describe(
        'Address that the provider opens when its onboarding link has expired: https, or http for localhost.',
      ),
      country: CountryCode.optional().describe('Country of the new account, ISO 3166-1 alpha-2.'),
      email: EmailAddress.optional().describe('Address of the new account.'),
      connected_account_id: z
        .string()
        .regex(/^acct_\w{1,100}$/, 'Expected an id that begins with `acct_`.')
        .optional()
        .describe('Id of an account that exists at the provider, to connect instead of a new one.'),
    }),
    out: Onboarding,
    async run({ em, tenant_id, body, now }) {
      const { return_url, refresh_url, country, email, connected_account_id } = body
      const { provider, link } = await requestConnect(
        em,
        { tenant_id, return_url, refresh_url, country, email, connected_account_id },
        now,
      )
      const pending = link ? { provider_id: provider.id, link_id: link.id, connected_account_id } : undefined
      return new Reply({ onboarding_url: null }, { pending })
    },
    wait: {
      async until({ em, pending: { provider_id, link_id, connected_account_id } }) {
        // The link is read first: it is only given up after the account was found to be ready.
        const link = await em.findOne(OnboardingLink, { id: link_id })
        const provider = await em.findOne(PaymentProvider, { id: provider_id })
        if (!link || !provider)
          throw unavailable('provider_retryable', 'Another request restarted the connection. Repeat the request.')
        refuse(provider)
        if (connected_account_id && provider.status === 'succeeded' && provider.account_id !== connected_account_id)
          throw alreadyConnected()
        if (isReady(provider)) return { onboarding_url: null }
        if (link.status === 'succeeded') return { onboarding_url: link.url }
        if (link.status === 'rejected')
          throw new Refusal(422, 'connect_rejected', link.error?.message ?? 'The provider refused the request.')
        if (link.status === 'failed' || link.status === 'unknown')
          throw unavailable('provider_retryable', 'The provider could not be reached. Repeat the request.')
        return undefined
      },
      late(_, engineAway) {
        throw unavailable(
          engineAway ? 'engine_unavailable' : 'provider_retryable',
          'The provider has not answered yet. Repeat the request.',
        )
      },
    },
  }),
]
