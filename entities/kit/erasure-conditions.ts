// Conditions that tables of several domains share where they declare what the erasure of a tenant waits for.
import { lateAfterAttempts } from '../../rules/refunds/refunds.ts'
import { type Sql, sql } from './database/sql.ts'
import type { ErasureWait } from './table.ts'

export const isInFlight = sql`status = 'processing'`

/** The rows of an effect, unless an erasure waits for more of them. */
export const inFlight: ErasureWait = { awaits: () => isInFlight }

/** The erasure waits at most so many seconds for a network that cannot be reached. */
const REVOCATION_S = 600

/** An effect in flight, or a revocation of tokens that is still tried. `now` in Unix seconds. */
export const awaitsRevocations = (now: number): Sql =>
  sql`${isInFlight} or status = 'requested' and kind = 'revoke' and created_at > ${now - REVOCATION_S}`

/** The outcome of a refund or a capture is awaited until it is known: an operator finds it by the row. */
export const isUnresolved = sql`status in ('processing', 'requested', 'unknown')`
/** A request that returns money, or that ends what would charge more, is awaited while it is sent. */
export const isPending = sql`status in ('processing', 'requested')`

/** The effect is being sent, or a worker will send it, without an operator. `e`: its row. */
export const isBeingSent = (e: Sql): Sql => sql`
  (${e}.status = 'processing' or ${e}.status = 'requested' and ${e}.attempt < ${lateAfterAttempts})
`

export const ago = (seconds: number): Sql => sql`clock_timestamp() - make_interval(secs => ${seconds})`

/** The platform's own account charges the subscription, for the plan of a tenant. */
export const isPlan = (subscription: Sql, tenant: Sql): Sql => sql`
  exists (
    select 1
    from subscriptions v
    where v.id = ${subscription} and v.tenant_id = ${tenant} and v.plan_id is not null
  )
`

/** The provider's id of a payment. */
export const intentOf = (payment: Sql, tenant: Sql): Sql => sql`
  (select p.provider_payment_id from payments p where p.id = ${payment} and p.tenant_id = ${tenant})
`

/** Columns that have the same names in several tables. */
export const amountColumns = { amount: sql`amount`, currency: sql`currency`, account: sql`provider_account_id` }
