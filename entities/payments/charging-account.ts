// The account at the payment provider that cards of a tenant are charged on: the one of its active `card_payment`
// integration, which has a secret key of its own, or its connected account. Settlement, refunds and disputes treat both
// alike.
import type { EntityManager } from '@mikro-orm/postgresql'
import { invalid } from '../../rules/refusal.ts'
import { type Sql, sql } from '../kit/database/sql.ts'

const prefix = 'integration:'
/** The name of an integration's account, in `provider_account_id`. */
export const accountOfIntegration = (id: string): string => `${prefix}${id}`
/** The integration of an account; null for a connected account and for the platform's own. */
export const integrationIn = (account: string | null): string | null =>
  account?.startsWith(prefix) ? account.slice(prefix.length) : null

/** The accounts of a tenant, with `turn`: the first one charges its cards. */
const accountsOf = (tenant: string | Sql): Sql => sql`
  select ${prefix} || id as account_id, true as charges_enabled, 0 as turn
  from integrations
  where tenant_id = ${tenant} and category = 'payment' and active
  union all
  select account_id, charges_enabled, 1
  from payment_providers
  where tenant_id = ${tenant} and type = 'stripe'
`

/** Whether an account may charge the cards of a tenant, as a condition. */
export const canChargeSql = (tenant: Sql): Sql => sql`
  coalesce(
    (
      select account_id is not null and charges_enabled
      from (${accountsOf(tenant)}) charging_accounts
      order by turn
      limit 1
    ),
    false
  )
`

/**
 * Reads the account that charges the cards of a tenant. One statement. 422 payment_provider_not_connected if the tenant
 * has no account that may charge cards.
 */
export async function chargingAccount(em: EntityManager, tenantId: string): Promise<string> {
  const rows: { account_id: string | null; charges_enabled: boolean }[] = await em.execute(sql`
    select account_id, charges_enabled
    from (${accountsOf(tenantId)}) charging_accounts
    order by turn
    limit 1
  `)
  const provider = rows[0]
  if (!provider?.account_id || !provider.charges_enabled)
    throw invalid(
      '/payment_method_key',
      'payment_provider_not_connected',
      'The {store} has no payment provider that may charge cards yet.',
    )
  return provider.account_id
}

/**
 * Whether a page may be open, an authorization may be captured or cancelled, or a refund is not settled in the account
 * of an integration.
 */
export async function isCharging(em: EntityManager, tenantId: string, integrationId: string): Promise<boolean> {
  const account = accountOfIntegration(integrationId)
  const [row]: { any: boolean }[] = await em.execute(sql`
    select exists (
      select 1
      from payment_sessions s
      where s.tenant_id = ${tenantId}
        and s.provider_account_id = ${account}
        and (
          s.status in ('requested', 'processing')
          or s.state = 'open'
          or s.status = 'unknown' and s.state is null and s.sent_at > clock_timestamp() - interval '1 day'
        )
    ) or exists (
      select 1
      from payments p
      join orders o on o.id = p.order_id and o.tenant_id = p.tenant_id
      where p.tenant_id = ${tenantId}
        and p.provider_account_id = ${account}
        and (p.status = 'authorized' or p.status = 'pending' and o.status = 'pending')
    ) or exists (
      select 1
      from refunds r
      where r.tenant_id = ${tenantId}
        and r.provider_account_id = ${account}
        and r.status in ('requested', 'processing', 'unknown')
    ) or exists (
      select 1
      from authorization_ends e
      where e.tenant_id = ${tenantId}
        and e.provider_account_id = ${account}
        and e.status in ('requested', 'processing', 'unknown')
    ) as any
  `)
  return row?.any ?? false
}

/** Whether a capture in the account of an integration may still be refunded, which requires a key of this account. */
export async function isRefundable(em: EntityManager, tenantId: string, integrationId: string): Promise<boolean> {
  const captures: unknown[] = await em.execute(sql`
    select 1
    from payments
    where tenant_id = ${tenantId}
      and provider_account_id = ${accountOfIntegration(integrationId)}
      and captured_amount > refunded_amount
    limit 1
  `)
  return captures.length > 0
}
