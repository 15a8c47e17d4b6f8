// The flags of a store's account at the payment provider, as signed events report them.
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { anyTenant } from '../kit/database/orm.ts'
import { start } from '../kit/outbox.ts'
import { PaymentProvider } from './payment-provider.ts'

export type AccountFacts = {
  id: string
  charges_enabled: boolean
  payouts_enabled: boolean
  details_submitted: boolean
}

/**
 * Applies the newest event of an account. Two different events of the same second have no order: the account's workflow
 * reads the account at the provider again.
 */
export async function applyAccount(
  em: EntityManager,
  facts: AccountFacts,
  eventAt: number,
  now: number,
): Promise<string> {
  const { id: account_id, charges_enabled, payouts_enabled, details_submitted } = facts
  const flags = { charges_enabled, payouts_enabled, details_submitted }
  const found = await em.find(PaymentProvider, { account_id }, { ...anyTenant, lockMode: LockMode.PESSIMISTIC_WRITE })
  let outcome = 'ignored: no provider has this account'
  for (const provider of found) {
    const { id, tenant_id } = provider
    const newest = provider.account_event_at ?? -1
    const same =
      provider.charges_enabled === charges_enabled &&
      provider.payouts_enabled === payouts_enabled &&
      provider.details_submitted === details_submitted
    if (eventAt > newest) {
      await em.nativeUpdate(
        PaymentProvider,
        { id, tenant_id },
        { ...flags, account_event_at: eventAt, updated_at: now },
        anyTenant,
      )
      outcome = 'account updated'
    } else if (eventAt === newest && !same) {
      await start(em, 'connect', id, { tenant_id })
      outcome = 'account read again: two events of the same second'
    } else outcome = 'known already'
  }
  return outcome
}
