// The decision about an authorised payment: written once, in the transaction that takes it; its process sends it.
import type { EntityManager } from '@mikro-orm/postgresql'
import type { AuthorizationEndKind, ConfirmedState } from '../../rules/bookings/bookings.ts'
import { conflict } from '../../rules/refusal.ts'
import type { Evidence } from '../../rules/resolutions.ts'
import { insertSelect } from '../kit/database/insert.ts'
import { json, sql } from '../kit/database/sql.ts'
import { newId } from '../kit/ids.ts'
import { startFound } from '../kit/outbox.ts'
import { laterAssignment } from '../kit/resolutions.ts'
import { AuthorizationEnd } from './authorization-end.ts'

/** `confirms_as`: the status of the booking when the payment is captured. */
type Decision = { kind: AuthorizationEndKind; confirms_as?: ConfirmedState }

/**
 * Returns the id of the decision; null if the payment is not authorised, or was decided already. After a capture that
 * was refused, its authorisation can be cancelled. The caller holds the locks of the order and its payment.
 */
export async function requestEnd(
  em: EntityManager,
  tenantId: string,
  orderId: string,
  { kind, confirms_as }: Decision,
  now: number,
): Promise<string | null> {
  const row = insertSelect(em, AuthorizationEnd, {
    ...{
      id: newId(),
      tenant_id: tenantId,
      created_at: now,
      updated_at: now,
      order_id: orderId,
      kind,
      confirms_as: confirms_as ?? null,
      fingerprint: '',
    },
    ...{
      payment_id: sql`p.id`,
      provider_account_id: sql`p.provider_account_id`,
      provider_payment_id: sql`p.provider_payment_id`,
    },
    ...{ amount: sql`p.amount`, currency: sql`p.currency` },
  })
  const starts = await startFound(
    em,
    'authorization_end',
    sql`
      ${row}
      from payments p
      where p.order_id = ${orderId}
        and p.tenant_id = ${tenantId}
        and (
          p.status = 'authorized'
          or ${kind} = 'cancel' and p.status = 'failed' and p.provider_payment_id is not null
        )
      on conflict (payment_id) where status not in ('failed', 'rejected') do nothing
      returning id, tenant_id
    `,
    { awaited: kind === 'capture' },
  )
  return starts[0]?.row_id ?? null
}

/** The decision that stands; null if there is none. */
export const decisionOf = (em: EntityManager, paymentId: string): Promise<AuthorizationEnd | null> =>
  em.findOne(AuthorizationEnd, { payment_id: paymentId, status: { $nin: ['failed', 'rejected'] } }, { refresh: true })

/**
 * Refuses a change while the payment is captured. 409 decision_made, capture_unknown: the payment is being captured, or
 * may have been.
 */
export function checkNotCaptured(made: AuthorizationEnd | null): void {
  if (made?.kind !== 'capture' || made.status === 'succeeded') return
  if (made.status === 'unknown')
    throw conflict(
      'capture_unknown',
      'It cannot be proved whether the payment was captured. The booking waits for the event of the provider.',
    )
  throw conflict('decision_made', 'The payment is being captured.')
}

/** What became known after a person had recorded the outcome of a decision about an authorised payment. */
export const noteLate = (
  em: EntityManager,
  tenantId: string,
  paymentId: string,
  kind: AuthorizationEndKind,
  late: Evidence,
) =>
  em.execute(sql`
    update authorization_ends e
    set ${laterAssignment('e', sql`answer.next`)}, updated_at = extract(epoch from clock_timestamp())::bigint
    from (select ${json(late)} as next) answer
    where e.payment_id = ${paymentId} and e.tenant_id = ${tenantId} and e.kind = ${kind} and e.resolution is not null
  `)
