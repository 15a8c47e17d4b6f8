// The customer portal. An account has no configuration until one is created; a session needs one.
import type Stripe from 'stripe'
import type { Call, Route } from '../calls.ts'
import { invalid, missing, refused } from '../errors.ts'
import type { Fields } from '../form.ts'
import { newId, unixSeconds } from '../ids.ts'
import { list, one } from '../lists.ts'
import { all, find, get, put } from '../objects.ts'
import { portalUrl } from '../pages.ts'

type Configuration = Stripe.BillingPortal.Configuration
type Features = Configuration['features']

function featuresOf(fields: Fields | undefined): Features {
  const enabled = (name: keyof Features) => {
    const feature = fields?.map(name)
    const on = feature?.flag('enabled')
    if (feature && on === undefined && name !== 'subscription_pause')
      throw invalid(`Missing required param: ${feature.name('enabled')}.`, feature.name('enabled'), 'parameter_missing')
    return { feature, on: on ?? false }
  }
  const customer = enabled('customer_update')
  const allowed_updates = customer.feature?.clears('allowed_updates')
    ? []
    : (customer.feature?.texts('allowed_updates') ?? [])
  if (customer.on && allowed_updates.length === 0)
    throw invalid(
      '`allowed_updates` must be set when customer updates are enabled.',
      'features[customer_update][allowed_updates]',
      'parameter_missing',
    )
  const payment = enabled('payment_method_update')
  payment.feature?.ignore('payment_method_configuration')
  const cancel = enabled('subscription_cancel')
  const mode = cancel.feature?.oneOf('mode', ['at_period_end', 'immediately']) ?? 'at_period_end'
  cancel.feature?.ignore('cancellation_reason', 'proration_behavior')
  const update = enabled('subscription_update')
  update.feature?.ignore(
    'default_allowed_updates',
    'products',
    'proration_behavior',
    'billing_cycle_anchor',
    'schedule_at_period_end',
    'trial_update_behavior',
  )
  return {
    customer_update: { allowed_updates, enabled: customer.on },
    invoice_history: { enabled: enabled('invoice_history').on },
    payment_method_update: { enabled: payment.on, payment_method_configuration: null },
    subscription_cancel: {
      cancellation_reason: {
        enabled: false,
        feedback_options: null,
        options: ['too_expensive', 'missing_features', 'switched_service', 'unused', 'other'],
      },
      enabled: cancel.on,
      mode,
      proration_behavior: 'none',
    },
    subscription_pause: {
      duration: { interval_options: [], type: 'indefinite' },
      enabled: enabled('subscription_pause').on,
    },
    subscription_update: {
      billing_cycle_anchor: null,
      default_allowed_updates: [],
      enabled: update.on,
      proration_behavior: 'none',
      schedule_at_period_end: { conditions: [] },
      trial_update_behavior: 'end_trial',
    },
  }
}

function configurationOf(fields: Fields, features: Features, before?: Configuration): Omit<Configuration, 'id'> {
  const now = unixSeconds()
  const business = fields.map('business_profile')
  const profile = (name: keyof Configuration['business_profile']) => {
    const text = name === 'headline' ? business?.textOrNull(name) : business && urlOf(business, name)
    return text === undefined ? (before?.business_profile[name] ?? null) : text
  }
  const default_return_url = urlOf(fields, 'default_return_url')
  const login = fields.map('login_page')?.flag('enabled') ?? before?.login_page.enabled ?? false
  const name = fields.textOrNull('name')
  return {
    object: 'billing_portal.configuration',
    active: fields.flag('active') ?? before?.active ?? true,
    application: null,
    business_profile: {
      headline: profile('headline'),
      privacy_policy_url: profile('privacy_policy_url'),
      terms_of_service_url: profile('terms_of_service_url'),
    },
    created: before?.created ?? now,
    default_return_url: default_return_url === undefined ? (before?.default_return_url ?? null) : default_return_url,
    features,
    is_default: false,
    livemode: false,
    login_page: { enabled: login, url: login ? 'https://billing.stripe.com/p/login/test' : null },
    metadata: fields.mergedMetadata(before?.metadata ?? {}),
    name: name === undefined ? (before?.name ?? null) : name,
    updated: now,
  }
}

function urlOf(fields: Fields, name: string): string | null | undefined {
  const url = fields.textOrNull(name)
  if (url && !URL.canParse(url)) throw invalid('Not a valid URL', fields.name(name), 'url_invalid')
  return url
}

function create(call: Call, fields: Fields): Configuration {
  const features = fields.map('features')
  if (!features) throw invalid('Missing required param: features.', 'features', 'parameter_missing')
  const configuration = configurationOf(fields, featuresOf(features))
  fields.done()
  return put(call.account, { ...configuration, id: newId('bpc') })
}

function update(call: Call, fields: Fields, id: string): Configuration {
  const before = get('billing_portal.configuration', call.account, id, 'configuration')
  const features = fields.map('features')
  const given = features ? featuresOf(features) : undefined
  const changed =
    given &&
    Object.fromEntries(
      Object.keys(before.features).flatMap((name) =>
        features?.isMap(name) ? [[name, given[name as keyof Features]]] : [],
      ),
    )
  const configuration = configurationOf(fields, { ...before.features, ...changed }, before)
  fields.done()
  return put(call.account, { ...configuration, id })
}

/** Without `configuration` Stripe takes the account's default one, which only the dashboard creates. */
function configurationFor(call: Call, id: string | undefined): Configuration {
  if (id === undefined) {
    const standard = all('billing_portal.configuration', call.account).find((one) => one.is_default && one.active)
    if (standard) return standard
    throw refused(
      'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.',
    )
  }
  const configuration = find('billing_portal.configuration', call.account, id)
  if (!configuration) throw missing('configuration', id, 'configuration', 400)
  if (!configuration.active) throw refused(`The portal configuration ${id} is inactive.`, { param: 'configuration' })
  return configuration
}

function flowOf(call: Call, fields: Fields | undefined, features: Features): Stripe.BillingPortal.Session['flow'] {
  if (!fields) return null
  const type = fields.oneOf('type', ['payment_method_update', 'subscription_cancel']) ?? fields.needed('type')
  const completion = fields.map('after_completion')
  const after =
    completion &&
    (completion.oneOf('type', ['hosted_confirmation', 'portal_homepage', 'redirect']) ?? completion.needed('type'))
  const redirect = completion?.map('redirect')
  const return_url = redirect && urlOf(redirect, 'return_url')
  completion?.ignore('hosted_confirmation')
  if (after === 'redirect' && !return_url)
    throw invalid(
      'Missing required param: flow_data[after_completion][redirect].',
      'flow_data[after_completion][redirect]',
      'parameter_missing',
    )
  const cancelled = fields.map('subscription_cancel')?.needed('subscription')
  const feature = type === 'payment_method_update' ? features.payment_method_update : features.subscription_cancel
  if (!feature.enabled)
    throw refused(`The ${type} flow is disabled in the portal configuration.`, { param: 'flow_data[type]' })
  if (cancelled !== undefined)
    get('subscription', call.account, cancelled, 'flow_data[subscription_cancel][subscription]', 400)
  return {
    after_completion: {
      hosted_confirmation: null,
      redirect: return_url ? { return_url } : null,
      type: after ?? 'portal_homepage',
    },
    customer_update: null,
    subscription_cancel: cancelled === undefined ? null : { retention: null, subscription: cancelled },
    subscription_pause: null,
    subscription_update: null,
    subscription_update_confirm: null,
    type,
  }
}

function open(call: Call, fields: Fields): Stripe.BillingPortal.Session {
  const customerId = fields.needed('customer')
  const configurationId = fields.text('configuration')
  const return_url = urlOf(fields, 'return_url')
  const locale = fields.text('locale') ?? null
  const flowFields = fields.map('flow_data')
  const customer = get('customer', call.account, customerId, 'customer', 400)
  const configuration = configurationFor(call, configurationId)
  const flow = flowOf(call, flowFields, configuration.features)
  fields.done()
  const session = {
    customer: customer.id,
    flow,
    return_url: return_url ?? configuration.default_return_url,
  }
  return {
    ...session,
    id: newId('bps'),
    object: 'billing_portal.session',
    configuration: configuration.id,
    created: unixSeconds(),
    customer_account: null,
    livemode: false,
    locale,
    on_behalf_of: null,
    url: portalUrl(call.origin, { account: call.account, ...session }),
  }
}

export const portalRoutes: Route[] = [
  ['POST', '/v1/billing_portal/configurations', create],
  [
    'GET',
    '/v1/billing_portal/configurations',
    (call, fields) =>
      list('billing_portal.configuration', call.account, call.path, fields, {
        active: (one) => one.active,
        is_default: (one) => one.is_default,
      }),
  ],
  ['GET', '/v1/billing_portal/configurations/:id', one('billing_portal.configuration', 'configuration')],
  ['POST', '/v1/billing_portal/configurations/:id', update],
  ['POST', '/v1/billing_portal/sessions', open],
]
