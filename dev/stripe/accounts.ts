// A connected account takes no payments until its onboarding is complete.
import type Stripe from 'stripe'
import { part } from '../sim/journal.ts'
import { type Call, dashboard, type Route } from './calls.ts'
import { invalid, Refusal, refused } from './errors.ts'
import { emit, setOwnTarget } from './events.ts'
import type { Fields } from './form.ts'
import { newId, random, unixSeconds } from './ids.ts'
import { find, get, platform, put } from './objects.ts'

type Account = Stripe.Account

const due = ['business_profile.url', 'external_account', 'tos_acceptance.date']

function requirements(done: boolean): NonNullable<Account['requirements']> {
  const open = done ? [] : due
  return {
    alternatives: [],
    current_deadline: null,
    currently_due: open,
    disabled_reason: done ? null : 'requirements.past_due',
    errors: [],
    eventually_due: open,
    past_due: open,
    pending_verification: [],
  }
}

function blankAccount(id: string): Account {
  return {
    id,
    object: 'account',
    business_type: null,
    capabilities: { card_payments: 'inactive', transfers: 'inactive' },
    charges_enabled: false,
    country: 'US',
    created: unixSeconds(),
    default_currency: 'usd',
    details_submitted: false,
    email: null,
    metadata: {},
    payouts_enabled: false,
    requirements: requirements(false),
    type: 'standard',
  }
}

/** The account of a key that is no connected account's own. */
const platformAccount: Account = {
  ...blankAccount('acct_platform'),
  charges_enabled: true,
  details_submitted: true,
  payouts_enabled: true,
}

function create(_call: Call, fields: Fields): Account {
  const type = fields.oneOf('type', ['standard', 'express', 'custom'])
  const controller = fields.map('controller')
  if (type && controller)
    throw refused('You may only provide one of these parameters: controller, type.', { param: 'type', stored: false })
  controller?.ignore('fees', 'losses', 'requirement_collection', 'stripe_dashboard')
  const country = fields.text('country') ?? 'US'
  if (!/^[A-Z]{2}$/.test(country)) throw invalid(`Country '${country}' is unknown.`, 'country', 'country_unsupported')
  const account: Account = {
    ...blankAccount(newId('acct', 16)),
    country,
    email: fields.text('email') ?? null,
    metadata: fields.metadata(),
    default_currency: fields.text('default_currency') ?? 'usd',
    type: controller ? 'none' : (type ?? 'standard'),
    controller: { type: 'application', is_controller: true },
  }
  fields.ignore('capabilities', 'business_profile', 'business_type', 'settings')
  fields.done()
  return put(platform, account)
}

function link(call: Call, fields: Fields): Stripe.AccountLink {
  const account = get('account', platform, fields.needed('account'), 'account', 400)
  fields.oneOf('type', ['account_onboarding', 'account_update']) ?? fields.needed('type')
  const refresh_url = fields.text('refresh_url')
  const return_url = fields.text('return_url')
  fields.ignore('collect', 'collection_options')
  fields.done()
  for (const [name, url] of Object.entries({ refresh_url, return_url })) {
    if (url === undefined) throw invalid(`Missing required param: ${name}.`, name, 'parameter_missing')
    if (!URL.canParse(url)) throw invalid('Not a valid URL', name, 'url_invalid')
  }
  const created = unixSeconds()
  const url = `${call.origin}/_sim/onboarding/${account.id}/${random(12)}?return_url=${encodeURIComponent(String(return_url))}`
  return { object: 'account_link', created, expires_at: created + 300, url }
}

const flags = ['charges_enabled', 'details_submitted', 'payouts_enabled'] as const

/** Changes an account as Stripe would; creates a missing one. */
export function setAccount(id: string, change: Record<string, unknown>): Account {
  if (!/^acct_\w+$/.test(id)) throw new Refusal(400, `not an account id: ${id}`)
  const before = find('account', platform, id) ?? blankAccount(id)
  const given = Object.fromEntries(
    flags.filter((flag) => typeof change[flag] === 'boolean').map((flag) => [flag, change[flag]]),
  )
  const metadata = typeof change.metadata === 'object' ? { ...before.metadata, ...change.metadata } : before.metadata
  const changed: Account = { ...before, ...given, metadata: metadata as Record<string, string> }
  const capability = changed.charges_enabled ? 'active' : 'inactive'
  const after = put(platform, {
    ...changed,
    capabilities: { card_payments: capability, transfers: capability },
    requirements: requirements(changed.charges_enabled && changed.details_submitted),
  })
  const previous = Object.fromEntries(
    flags.filter((flag) => before[flag] !== after[flag]).map((flag) => [flag, before[flag]]),
  )
  emit(dashboard(id), 'account.updated', after, previous)
  return after
}

/** Accounts by the secret keys of their own. */
const ownKeys = new Map<string, string>()
const journalKey = part<[key: string, account: string]>('own_key', ([key, account]) => {
  ownKeys.set(key, account)
})
export const accountOfKey = (key: string): string | undefined => ownKeys.get(key)
/** An account that is no connected one: its pages name it by their publishable key. */
export const isOwnAccount = (id: string): boolean => [...ownKeys.values()].includes(id)

/**
 * An account that is no connected one: it has a secret key, and an endpoint of its own. The same key again: the same
 * account, with another endpoint. `account`: a further key of that account.
 */
export function registerOwn({ secret_key, webhook_url, webhook_secret, account }: Record<string, unknown>): Account {
  if (typeof secret_key !== 'string' || typeof webhook_url !== 'string' || typeof webhook_secret !== 'string')
    throw new Refusal(400, 'secret_key, webhook_url, webhook_secret: required')
  const id = typeof account === 'string' ? account : (ownKeys.get(secret_key) ?? newId('acct', 16))
  ownKeys.set(secret_key, id)
  journalKey([secret_key, id])
  setOwnTarget(id, { url: webhook_url, secret: webhook_secret })
  return onboard(id)
}

export const onboard = (id: string) =>
  setAccount(id, { charges_enabled: true, details_submitted: true, payouts_enabled: true })

export const accountRoutes: Route[] = [
  ['POST', '/v1/accounts', create],
  [
    'GET',
    '/v1/account',
    (call, fields) => {
      fields.done()
      return call.account === platform ? platformAccount : get('account', platform, call.account, 'account')
    },
  ],
  [
    'GET',
    '/v1/accounts/:id',
    (_call, fields, id) => {
      fields.done()
      return get('account', platform, id, 'account')
    },
  ],
  ['POST', '/v1/account_links', link],
]
