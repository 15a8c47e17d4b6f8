// The uses of a promo code are counted in the transaction of the order that redeems it, and never exceed its limit.
import type { EntityManager } from '@mikro-orm/postgresql'
import { codeKey, maxUsesPerUserOf, type PromoRefusal } from '../../rules/promotions/promo-codes.ts'
import { invalid } from '../../rules/refusal.ts'
import { insertion } from '../kit/database/insert.ts'
import type { RowOf } from '../kit/database/row.ts'
import { type Sql, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import type { PromoCode } from './promo-code.ts'
import { PromoRedemption } from './promo-redemption.ts'

/** The order or the subscription that used a code. */
type Owner = { order_id: string } | { subscription_id: string }

const ofOwner = (tenantId: string, owner: Owner) =>
  'order_id' in owner
    ? sql`tenant_id = ${tenantId} and order_id = ${owner.order_id}`
    : sql`tenant_id = ${tenantId} and subscription_id = ${owner.subscription_id}`

export const refusedCode = (code: PromoRefusal, detail: string) => invalid('/promo_code', code, detail)

/**
 * The address of an order of the contact: the one that it verified, or else claimed last, in the form of all addresses.
 * If `owned` is false, only addresses that visitors claimed count.
 */
export const orderEmail = (tenantId: string, contactId: string, { owned } = { owned: true }): Sql => sql`
  (
    select address
    from contact_channels
    where tenant_id = ${tenantId} and contact_id = ${contactId} and type = 'email' and (${owned} or not owned)
    order by verified_at is null, created_at desc
    limit 1
  )
`

/** Counted together: the uses by a contact and those under its address. */
type Customer = { contact_id: string; address: Sql | string | null }

/** Whether the visitor of a redemption `d` had proved an address. */
const proved = sql`
  (
    exists (select 1 from orders o where o.tenant_id = d.tenant_id and o.id = d.order_id and o.verified)
    or exists (
      select 1
      from subscriptions u
      where u.tenant_id = d.tenant_id and u.id = d.subscription_id and u.claimed_address is null
    )
  )
`

/**
 * Condition on redemptions `d`: of the contact, or under its address. Uses of visitors who only claimed the address
 * count for others who claim it, and not for the contact that owns it: a stranger would use up the codes of its owner.
 */
const ofCustomer = ({ contact_id, address }: Customer): Sql => sql`
  (
    d.contact_id = ${contact_id}
    or d.address = ${address}
    and (
      ${proved}
      or not exists (
        select 1
        from contact_channels w
        where w.tenant_id = d.tenant_id
          and w.contact_id = ${contact_id}
          and w.type = 'email'
          and w.address = d.address
          and w.owned
      )
    )
  )
`

/** A subselect: how often the customer has used the code. */
export const usesSql = (tenantId: string, customer: Customer, promoId: Sql | string): Sql => sql`
  (
    select count(*)
    from promo_redemptions d
    where d.tenant_id = ${tenantId} and d.promo_code_id = ${promoId} and ${ofCustomer(customer)}
  )
`

async function usesBy(em: EntityManager, tenantId: string, customer: Customer, promoId: string): Promise<number> {
  const [counted]: { uses: number }[] = await em.execute(
    sql`select ${usesSql(tenantId, customer, promoId)}::int as uses`,
  )
  return counted?.uses ?? 0
}

/**
 * Counts one use under the code's lock, which lasts until the commit, and checks both limits there: `promoFacts` was
 * read without the lock. 422 promo_code_exhausted, or promo_code_invalid if it was archived or deleted meanwhile. The
 * redemption itself is written with the order or the subscription, with the address that is returned.
 */
export async function countUse(
  em: EntityManager,
  tenantId: string,
  promo: { id: string; max_uses_per_user: number | null },
  contactId: string,
): Promise<string | null> {
  const [counted]: { address: string | null }[] = await em.execute(sql`
    update promo_codes
    set uses = uses + 1
    where id = ${promo.id} and tenant_id = ${tenantId} and status = 'active' and (max_uses is null or uses < max_uses)
    returning ${orderEmail(tenantId, contactId)} as address
  `)
  if (!counted) {
    const rows: unknown[] = await em.execute(sql`
      select id
      from promo_codes
      where id = ${promo.id} and tenant_id = ${tenantId} and status = 'active'
    `)
    throw rows.length === 0
      ? refusedCode('promo_code_invalid', 'There is no such promo code.')
      : refusedCode('promo_code_exhausted', 'The promo code was used as often as it may be.')
  }
  const { address } = counted
  if (promo.max_uses_per_user === null) return address
  // A statement of its own sees what others committed while this transaction waited for the lock.
  if ((await usesBy(em, tenantId, { contact_id: contactId, address }, promo.id)) >= promo.max_uses_per_user)
    throw refusedCode('promo_code_exhausted', 'You have used the promo code as often as one customer may.')
  return address
}

type RedeemingOrder = {
  id: string
  tenant_id: string
  contact_id: string
  promo_code?: string | null | undefined
  email?: string | null | undefined
}

/**
 * Counts the use of an order that is set back. The discount of the order outlasts its code: a code that is archived or
 * has expired is counted, a deleted one is not. 422 promo_code_exhausted.
 */
export async function countUseAgain(em: EntityManager, order: RedeemingOrder, now: number): Promise<void> {
  if (order.promo_code == null) return
  const { id: order_id, tenant_id, contact_id, email: address = null } = order
  const [promo]: Pick<RowOf<PromoCode>, 'id' | 'uses' | 'max_uses' | 'conditions'>[] = await em.execute(sql`
    update promo_codes
    set uses = uses + 1
    where tenant_id = ${tenant_id} and code_key = ${codeKey(order.promo_code)}
    returning id, uses, max_uses, conditions
  `)
  if (!promo) return
  const row = {
    id: newId(),
    tenant_id,
    created_at: now,
    updated_at: now,
    order_id,
    promo_code_id: promo.id,
    contact_id,
    address,
  }
  await em.execute(insertion(em, PromoRedemption, row))
  const own = maxUsesPerUserOf(promo.conditions)
  const exhausted =
    (promo.max_uses != null && promo.uses > promo.max_uses) ||
    (own !== null && (await usesBy(em, tenant_id, { contact_id, address }, promo.id)) > own)
  if (exhausted)
    throw invalid(
      '/status',
      'promo_code_exhausted',
      `The promo code ${order.promo_code} was used as often as it may be, since the booking was over.`,
    )
}

/** Gives the use of a code back. Locks the code before the redemption, as its deletion does. */
export const giveBackUse = (em: EntityManager, tenantId: string, owner: Owner) =>
  em.execute(sql`
    with locked_codes as (
      select c.id
      from promo_codes c
      where c.tenant_id = ${tenantId}
        and c.id in (select promo_code_id from promo_redemptions where ${ofOwner(tenantId, owner)})
      for update
    ),
    deleted_redemptions as (
      delete from promo_redemptions
      where ${ofOwner(tenantId, owner)} and promo_code_id in (select id from locked_codes)
      returning promo_code_id
    )
    update promo_codes c
    set uses = c.uses - 1
    from deleted_redemptions
    where c.id = deleted_redemptions.promo_code_id and c.tenant_id = ${tenantId}
  `)
