// One connect operation per store and provider. A repeated request continues it.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict, unavailable } from '../../rules/refusal.ts'
import { insertion } from '../kit/database/insert.ts'
import { sql } from '../kit/database/sql.ts'
import { newId, uuids } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { OnboardingLink } from './onboarding-link.ts'
import { PaymentProvider } from './payment-provider.ts'

export type Connect = {
  tenant_id: string
  return_url: string
  refresh_url: string
  country: string | undefined
  email: string | undefined
  connected_account_id: string | undefined
}

export const isReady = (provider: PaymentProvider): boolean =>
  provider.status === 'succeeded' && provider.charges_enabled && provider.details_submitted

export const alreadyConnected = () => conflict('already_connected', 'The {store} is connected to another account.')
export const connectUnknown = () =>
  conflict(
    'connect_unknown',
    'It is not known whether the provider made the account. Look it up there, and send its id as connected_account_id.',
  )

async function insert(
  em: EntityManager,
  { tenant_id, country, email, connected_account_id }: Connect,
  now: number,
): Promise<void> {
  const row = {
    id: newId(),
    tenant_id,
    created_at: now,
    updated_at: now,
    country,
    email,
    adopt_account_id: connected_account_id,
    fingerprint: '',
  }
  await em.execute(sql`${insertion(em, PaymentProvider, row)} on conflict (tenant_id, type) do nothing`)
}

/**
 * Locks the store's provider, which it creates if there is none. Another request may replace a rejected one meanwhile.
 */
async function lock(em: EntityManager, c: Connect, now: number): Promise<PaymentProvider> {
  for (let tries = 0; tries < 3; tries++) {
    await insert(em, c, now)
    const found = await em.findOne(
      PaymentProvider,
      { type: 'stripe' },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    )
    if (found) return found
  }
  throw unavailable('provider_retryable', 'The connection is being changed; repeat the request.')
}

/** Whether the provider may have created an account that is not recorded: no other one is created then. */
const mayHaveMade = ({ status, account_id, late_evidence }: PaymentProvider): boolean =>
  status === 'unknown' ||
  (status === 'succeeded' && !account_id) ||
  (status === 'failed' && late_evidence?.unknown !== undefined)

/**
 * The store's provider, and an onboarding link; null if the account is ready. An account that was rejected or never
 * requested is requested again; one that may have been created is not: an operator names it by connected_account_id.
 */
export async function requestConnect(
  em: EntityManager,
  c: Connect,
  now: number,
): Promise<{ provider: PaymentProvider; link: OnboardingLink | null }> {
  let provider = await lock(em, c, now)
  const { connected_account_id: named } = c
  const before = provider.status
  if (mayHaveMade(provider)) {
    if (!named) throw connectUnknown()
    // The operator names the account: it is read, and none is created.
    const late_evidence =
      provider.status !== 'failed' ? { unknown: provider.error ?? true } : (provider.late_evidence ?? null)
    const attempted = { claimed_at: null, sent_at: null, deadline_at: null, answered_at: null, settled_at: null }
    em.assign(provider, {
      ...{ status: 'requested', adopt_account_id: named, request: null, late_evidence, updated_at: now },
      // What is known of an attempt goes with it: the adoption is another one.
      ...{ ...attempted, evidence: null, error: null, resolution: null },
    })
  } else if (provider.status === 'rejected') {
    // The provider has answered to this id: another attempt needs another id, which the tiers of the store then name.
    const tiers: { id: string }[] = await em.execute(sql`
      select id
      from audience_tiers
      where tenant_id = ${c.tenant_id} and payment_provider_id = ${provider.id}
    `)
    await em.nativeDelete(PaymentProvider, { id: provider.id })
    em.clear()
    provider = await lock(em, c, now)
    await em.execute(sql`
      update audience_tiers
      set payment_provider_id = ${provider.id}, updated_at = ${now}
      where tenant_id = ${c.tenant_id}
        and id = any (${uuids(tiers.map(({ id }) => id))})
        and payment_provider_id is null
    `)
  } else if (
    provider.status === 'failed' ||
    (provider.status === 'requested' && named && provider.adopt_account_id !== named)
  ) {
    // Nothing was sent, so the id stays: an account that is adopted carries it.
    const { country = null, email = null } = c
    em.assign(provider, {
      status: 'requested',
      country,
      email,
      adopt_account_id: named ?? null,
      request: null,
      error: null,
      settled_at: null,
      updated_at: now,
    })
  } else if (named && provider.status === 'succeeded' && provider.account_id !== named) {
    throw alreadyConnected()
  }
  await em.flush()
  if (isReady(provider)) return { provider, link: null }
  // The link of an attempt that failed is about to fail, too: a new attempt gets its own.
  const goesOn = provider.status === before
  const unfinished =
    goesOn &&
    (await em.findOne(
      OnboardingLink,
      {
        payment_provider_id: provider.id,
        status: { $in: ['requested', 'processing'] },
        return_url: c.return_url,
        refresh_url: c.refresh_url,
      },
      { orderBy: { created_at: 'desc' } },
    ))
  const link =
    unfinished ||
    em.create(OnboardingLink, {
      id: newId(),
      tenant_id: c.tenant_id,
      created_at: now,
      updated_at: now,
      payment_provider_id: provider.id,
      return_url: c.return_url,
      refresh_url: c.refresh_url,
      fingerprint: '',
    })
  await em.flush()
  await start(em, 'onboarding_link', link.id, { tenant_id: c.tenant_id, awaited: true })
  return { provider, link }
}
