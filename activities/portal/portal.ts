// The provider's customer portal: one configuration for each account, which is found by its metadata if an answer was
// lost, and a link for each visit.
import type Stripe from 'stripe'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { encrypt } from '../../entities/kit/encrypted.ts'
import {
  adoptConfiguration,
  PortalConfiguration,
  portalConfigurationEffect,
} from '../../entities/portal/portal-configuration.ts'
import { PortalLink, portalLinkEffect } from '../../entities/portal/portal-link.ts'
import { portalStep } from '../../entities/portal/portal-links.ts'
import type { PortalFlow } from '../../rules/subscriptions/subscriptions.ts'
import { database, statement, transaction } from '../kit/database.ts'
import { NeverSent, once } from '../kit/once.ts'
import { reading, sendToStripe } from '../providers/stripe.ts'

type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features

/** Members cancel through our API, which decides when: the portal changes cards and shows invoices. */
const features: Features = {
  payment_method_update: { enabled: true },
  invoice_history: { enabled: true },
  customer_update: { enabled: false },
  subscription_cancel: { enabled: false },
  subscription_update: { enabled: false },
}

const isOurs = ({ active, metadata, features }: Stripe.BillingPortal.Configuration): boolean =>
  active &&
  metadata?.portal_configuration !== undefined &&
  features.payment_method_update.enabled &&
  !features.subscription_cancel.enabled &&
  !features.subscription_update.enabled

/**
 * A configuration that this installation created in the account; null if there is none. Throws where the provider
 * cannot be read.
 */
async function find(account: string | null): Promise<string | null> {
  const { client, options } = reading(account, 'portal_configurations')
  for await (const one of client.billingPortal.configurations.list({ active: true, limit: 100 }, options))
    if (isOurs(one)) return one.id
  return null
}

type ConfigurationRequest = { account: string | null } & ({ adopt: string } | { metadata: Record<string, string> })

async function prepareConfiguration(id: string): Promise<ConfigurationRequest> {
  const em = unitOf(await database(), null)
  const { provider_account_id: account = null } = await em.findOneOrFail(PortalConfiguration, { id })
  // An earlier request may have created it.
  const earlier = (await em.count(PortalConfiguration, { provider_account_id: account, id: { $ne: id } })) > 0
  const adopt = earlier ? await find(account) : null
  return adopt ? { account, adopt } : { account, metadata: { portal_configuration: id } }
}

export const sendPortalConfiguration = once({
  row: portalConfigurationEffect,
  prepare: prepareConfiguration,
  async send(request: ConfigurationRequest, sending) {
    const made = (provider_configuration_id: string) => ({
      kind: 'succeeded' as const,
      evidence: { provider_configuration_id },
      columns: { provider_configuration_id },
    })
    if ('adopt' in request) return made(request.adopt)
    const { account, metadata } = request
    return sendToStripe(
      sending,
      account,
      'portal_configuration',
      (client, options) => client.billingPortal.configurations.create({ features, metadata }, options),
      (answer) => (answer.metadata?.portal_configuration === sending.id ? made(answer.id) : null),
    )
  },
})

/** After an unknown creation: searches for the configuration at the provider and uses it. True if there is one. */
export async function findPortalConfiguration(id: string): Promise<boolean> {
  const em = unitOf(await database(), null)
  const { provider_account_id: account = null, provider_configuration_id: configurationId } = await em.findOneOrFail(
    PortalConfiguration,
    { id },
  )
  if (configurationId) return true
  const found = await find(account)
  if (found) await transaction((at) => adoptConfiguration(at, id, found))
  return found !== null
}

type LinkRequest = {
  account: string | null
  customer: string
  configuration: string
  return_url: string
  flow: PortalFlow | null
}

export const sendPortalLink = once({
  row: portalLinkEffect,
  async prepare(id): Promise<LinkRequest> {
    const em = unitOf(await database(), null)
    const link = await em.findOneOrFail(PortalLink, { id }, anyTenant)
    const { provider_configuration_id: configuration } = await em.findOneOrFail(PortalConfiguration, {
      id: link.portal_configuration_id,
    })
    if (!configuration)
      throw new NeverSent({ code: 'no_portal_configuration', message: 'The customer portal could not be configured.' })
    const { provider_account_id: account = null, provider_customer_id: customer, return_url, flow = null } = link
    return { account, customer, configuration, return_url, flow }
  },
  send: ({ account, flow, ...request }, sending) => {
    const { return_url } = request
    return sendToStripe(
      sending,
      account,
      'portal_session',
      (client, options) =>
        client.billingPortal.sessions.create(
          {
            ...request,
            ...(flow
              ? { flow_data: { type: flow, after_completion: { type: 'redirect', redirect: { return_url } } } }
              : {}),
          },
          options,
        ),
      ({ id, url, customer }) =>
        customer === request.customer
          ? { kind: 'succeeded', evidence: { provider_portal_session_id: id }, columns: { url: encrypt(url) } }
          : null,
    )
  },
})

export const readPortalLink = (id: string) => statement((em) => portalStep(em, id))
