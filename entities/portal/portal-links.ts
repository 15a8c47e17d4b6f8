// Requests links to the provider's customer portal, with the configuration that the account's links share.
import type { EntityManager } from '@mikro-orm/postgresql'
import { conflict, unavailable } from '../../rules/refusal.ts'
import type { PortalFlow } from '../../rules/subscriptions/subscriptions.ts'
import { insertion, insertRow } from '../kit/database/insert.ts'
import { type Sql, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { start } from '../kit/outbox.ts'
import { PortalConfiguration } from './portal-configuration.ts'
import { PortalLink } from './portal-link.ts'

/** Seconds for which a link is returned again. */
const REUSED_S = 10

type Customer = { subscription_id: string; provider_account_id: string | null; provider_customer_id: string }

/** The configuration that the account has or will have; a new one if none was created, or if that failed. */
async function configurationOf(
  em: EntityManager,
  tenantId: string,
  account: string | null,
  now: number,
): Promise<string> {
  for (let tries = 0; tries < 3; tries++) {
    const [found]: { id: string }[] = await em.execute(sql`
      select id
      from portal_configurations
      where coalesce(provider_account_id, '') = ${account ?? ''}
        and (provider_configuration_id is not null or status in ('requested', 'processing'))
      order by provider_configuration_id is null, created_at desc
      limit 1
    `)
    if (found) return found.id
    const id = newId()
    const row = {
      id,
      created_at: now,
      updated_at: now,
      tenant_id: account === null ? null : tenantId,
      provider_account_id: account,
      fingerprint: '',
    }
    const made: unknown[] = await em.execute(
      sql`${insertion(em, PortalConfiguration, row)} on conflict do nothing returning id`,
    )
    if (made.length > 0) return id
  }
  throw unavailable('provider_retryable', 'The customer portal is being prepared. Repeat the request.')
}

/**
 * Writes a link for the customer of the subscription that `which` finds, and starts its process. Returns its id, or
 * that of an equal link of the last ten seconds. Locks the subscription.
 */
async function requestLink(
  em: EntityManager,
  tenantId: string,
  which: Sql,
  flow: PortalFlow | null,
  return_url: string,
  now: number,
): Promise<string> {
  const [customer]: Customer[] = await em.execute(sql`
    select id as subscription_id, provider_account_id, provider_customer_id
    from subscriptions
    where tenant_id = ${tenantId} and provider_customer_id is not null and ${which}
    limit 1
    for no key update
  `)
  if (!customer) throw conflict('no_billing_customer', 'There is no subscription at the payment provider.')
  // An equal request of the last seconds: each link is a request to the provider.
  const [recent]: { id: string }[] = await em.execute(sql`
    select id
    from portal_links
    where tenant_id = ${tenantId}
      and subscription_id = ${customer.subscription_id}
      and created_at > ${now - REUSED_S}
      and status in ('requested', 'processing', 'succeeded')
      and provider_customer_id = ${customer.provider_customer_id}
      and flow is not distinct from ${flow}
      and return_url = ${return_url}
    order by created_at desc, id desc
    limit 1
  `)
  if (recent) return recent.id
  const portal_configuration_id = await configurationOf(em, tenantId, customer.provider_account_id, now)
  const id = newId()
  const base = { id, created_at: now, updated_at: now, fingerprint: '' }
  await insertRow(em, PortalLink, {
    ...base,
    tenant_id: tenantId,
    ...customer,
    portal_configuration_id,
    flow,
    return_url,
  })
  await start(em, 'portal', id, { tenant_id: tenantId, awaited: true })
  return id
}

/**
 * A link to the page where a member with a live subscription changes the payment method. 409 no_billing_customer, 503
 * provider_retryable. `now` in Unix seconds.
 */
export const requestMemberPortal = (
  em: EntityManager,
  tenantId: string,
  memberId: string,
  returnUrl: string,
  now: number,
): Promise<string> =>
  requestLink(
    em,
    tenantId,
    sql`member_id = ${memberId} and status = 'live' and kind = 'recurring'`,
    'payment_method_update',
    returnUrl,
    now,
  )

/**
 * A link to the portal of the store itself, which shows invoices and payment methods also after its plan has ended. 409
 * no_billing_customer, 503 provider_retryable. `now` in Unix seconds.
 */
export const requestStorePortal = (
  em: EntityManager,
  tenantId: string,
  returnUrl: string,
  now: number,
): Promise<string> =>
  requestLink(
    em,
    tenantId,
    sql`plan_id is not null order by status = 'live' desc, created_at desc, id desc`,
    null,
    returnUrl,
    now,
  )

/** What the process of a link does first: `configuration` has to be created, unless it is null. */
export async function portalStep(em: EntityManager, linkId: string): Promise<{ configuration: string | null }> {
  const [row]: { configuration: string | null }[] = await em.execute(sql`
    select case when c.provider_configuration_id is null then c.id end as configuration
    from portal_links l
    join portal_configurations c
      on c.id = l.portal_configuration_id
      and coalesce(c.tenant_id, l.tenant_id) = l.tenant_id
    where l.id = ${linkId}
  `)
  return { configuration: row?.configuration ?? null }
}
