// Creates a store's account at the payment provider, once, and links to its onboarding pages.
import Stripe from 'stripe'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import { connectEffect } from '../../entities/stores/connect-effect.ts'
import { OnboardingLink, onboardingLinkEffect } from '../../entities/stores/onboarding-link.ts'
import { PaymentProvider } from '../../entities/stores/payment-provider.ts'
import { database } from '../kit/database.ts'
import { NeverSent, once } from '../kit/once.ts'
import { reading, sendToStripe } from '../providers/stripe.ts'

type AccountRequest =
  | { create: { country?: string; email?: string; metadata: Record<string, string> } }
  | { adopt: string }

/** An account is adopted only if its metadata names this store: a request may contain any account id. */
async function owned(accountId: string, metadata: Record<string, string>): Promise<boolean> {
  const { client } = reading(null, 'account')
  try {
    const account = await client.accounts.retrieve(accountId)
    return (
      account.id === accountId && Object.entries(metadata).every(([name, value]) => account.metadata?.[name] === value)
    )
  } catch (error) {
    // An account that we may not read is not ours. Other errors are retried: 401 concerns our key, 429 the rate.
    if (error instanceof Stripe.errors.StripeError && [400, 403, 404].includes(error.statusCode ?? 0)) return false
    throw new Error('The account could not be read at the payment provider.', { cause: error })
  }
}

async function prepareAccount(id: string): Promise<AccountRequest> {
  const em = unitOf(await database(), null)
  const provider = await em.findOneOrFail(PaymentProvider, { id }, anyTenant)
  const metadata = { tenant_id: provider.tenant_id, payment_provider_id: provider.id }
  const { adopt_account_id: adopt, country, email } = provider
  if (!adopt) return { create: { ...(country ? { country } : {}), ...(email ? { email } : {}), metadata } }
  if (await owned(adopt, metadata)) return { adopt }
  throw new NeverSent({
    code: 'account_not_owned',
    message: "The provider's account does not carry the ownership metadata of this tenant.",
  })
}

export const sendConnect = once({
  row: connectEffect,
  prepare: prepareAccount,
  async send(request, sending) {
    if ('adopt' in request)
      return {
        kind: 'succeeded',
        evidence: { account_id: request.adopt, adopted: true },
        columns: { account_id: request.adopt },
      }
    return sendToStripe(
      sending,
      null,
      'account',
      (client, options) =>
        client.accounts.create(
          {
            ...request.create,
            controller: { stripe_dashboard: { type: 'full' } },
            capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
          },
          options,
        ),
      ({ id: account_id, metadata }) =>
        metadata?.payment_provider_id === sending.id
          ? { kind: 'succeeded', evidence: { account_id }, columns: { account_id } }
          : null,
    )
  },
})

type LinkRequest = { account: string; return_url: string; refresh_url: string }

export const sendOnboardingLink = once({
  row: onboardingLinkEffect,
  async prepare(linkId): Promise<LinkRequest> {
    const em = unitOf(await database(), null)
    const link = await em.findOneOrFail(OnboardingLink, { id: linkId }, anyTenant)
    const provider = await em.findOneOrFail(
      PaymentProvider,
      { id: link.payment_provider_id, tenant_id: link.tenant_id },
      anyTenant,
    )
    if (!provider.account_id)
      throw new NeverSent({ code: 'no_account', message: 'there is no account at the payment provider yet' })
    return { account: provider.account_id, return_url: link.return_url, refresh_url: link.refresh_url }
  },
  send: (request, sending) =>
    sendToStripe(
      sending,
      null,
      'account_link',
      (client, options) => client.accountLinks.create({ ...request, type: 'account_onboarding' }, options),
      ({ url, expires_at }) => ({ kind: 'succeeded', evidence: { expires_at }, columns: { url: encrypt(url) } }),
    ),
})

/** The payment provider of a link, whose account is created first. */
export async function readOnboarding(linkId: string): Promise<{ payment_provider_id: string }> {
  const em = unitOf(await database(), null)
  const { payment_provider_id } = await em.findOneOrFail(OnboardingLink, { id: linkId }, anyTenant)
  return { payment_provider_id }
}

/**
 * Reads the account at the provider and stores its state; true when onboarding is complete. A read: it may be retried.
 */
export async function readProviderAccount(providerId: string): Promise<boolean> {
  const em = unitOf(await database(), null)
  const { account_id, account_event_at, tenant_id } = await em.findOneOrFail(
    PaymentProvider,
    { id: providerId },
    anyTenant,
  )
  if (!account_id) return false
  const { client } = reading(null, 'account')
  const began = performance.now()
  const account = await client.accounts.retrieve(account_id)
  // The time of the read by the provider's clock, as that of its events: an older event is outdated.
  const answeredAt = Date.parse(account.lastResponse.headers.date ?? '')
  const readAt = Number.isNaN(answeredAt) ? 0 : Math.floor((answeredAt - (performance.now() - began)) / 1000)
  if (account.id !== account_id) throw new Error('the provider answered with another account')
  const { charges_enabled = false, payouts_enabled = false, details_submitted = false } = account
  const read = {
    charges_enabled,
    payouts_enabled,
    details_submitted,
    account_event_at: Math.max(account_event_at ?? 0, readAt) || null,
  }
  const where = { id: providerId, tenant_id, account_event_at: account_event_at ?? null }
  // An event that arrived meanwhile may be newer than this read: Temporal retries it.
  if ((await em.nativeUpdate(PaymentProvider, where, read, anyTenant)) === 0)
    throw new Error('an event changed the account during the read')
  return charges_enabled && details_submitted
}
