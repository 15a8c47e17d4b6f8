// A store's account at the provider is made once; links to finish it are made as often as they are asked for.
import { encrypt } from '../entities/encrypted.ts'
import type { EffectStatus } from '../entities/effects.ts'
import { unitOf } from '../entities/orm.ts'
import { OnboardingLink } from '../entities/stores/onboarding-link.ts'
import { PaymentProvider } from '../entities/stores/payment-provider.ts'
import { database } from './database.ts'
import { NeverSent, once } from './once.ts'
import { reading, sendToStripe } from './providers/stripe.ts'

const anyTenant = { filters: { tenant: false } }

type AccountRequest = { country?: string; email?: string; adopt?: string; metadata: Record<string, string> }

async function prepareAccount(id: string): Promise<AccountRequest> {
  const em = unitOf(await database(), null)
  const provider = await em.findOneOrFail(PaymentProvider, { id }, anyTenant)
  return {
    ...(provider.country ? { country: provider.country } : {}),
    ...(provider.email ? { email: provider.email } : {}),
    metadata: { tenant_id: provider.tenant_id, payment_provider_id: provider.id },
  }
}

export const sendConnect = (id: string, token: string): Promise<EffectStatus> =>
  once<AccountRequest>(
    {
      table: 'payment_providers',
      prepare: prepareAccount,
      send: (request, sending) =>
        sendToStripe(
          sending,
          null,
          (client, options) =>
            client.accounts.create(
              { ...request, controller: { stripe_dashboard: { type: 'full' } }, capabilities: { card_payments: { requested: true }, transfers: { requested: true } } },
              options,
            ),
          (account) => ({ kind: 'succeeded', evidence: { account_id: account.id }, columns: { account_id: account.id } }),
        ),
    },
    id,
    token,
  )

type LinkRequest = { account: string; return_url: string; refresh_url: string }

export const sendOnboardingLink = (id: string, token: string): Promise<EffectStatus> =>
  once<LinkRequest>(
    {
      table: 'onboarding_links',
      async prepare(linkId) {
        const em = unitOf(await database(), null)
        const link = await em.findOneOrFail(OnboardingLink, { id: linkId }, anyTenant)
        const provider = await em.findOneOrFail(PaymentProvider, { id: link.payment_provider_id, tenant_id: link.tenant_id }, anyTenant)
        if (!provider.account_id) throw new NeverSent({ code: 'no_account', message: 'the provider has no account of the store yet' })
        return { account: provider.account_id, return_url: link.return_url, refresh_url: link.refresh_url }
      },
      send: (request, sending) =>
        sendToStripe(
          sending,
          null,
          (client, options) => client.accountLinks.create({ ...request, type: 'account_onboarding' }, options),
          ({ url, expires_at }) => ({ kind: 'succeeded', evidence: { expires_at }, columns: { url: encrypt(url) } }),
        ),
    },
    id,
    token,
  )

/** How the account stands, and whose it says it is. A read: it may repeat. */
export async function readProviderAccount(accountId: string): Promise<{ charges_enabled: boolean; payouts_enabled: boolean; details_submitted: boolean; metadata: Record<string, string> }> {
  const { client } = reading(null)
  const { charges_enabled, payouts_enabled, details_submitted, metadata } = await client.accounts.retrieve(accountId)
  return { charges_enabled, payouts_enabled, details_submitted, metadata: metadata ?? {} }
}
