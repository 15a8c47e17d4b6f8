// Money goes back once per refund: Stripe's idempotency key is our row's id.
import { ApplicationFailure } from '@temporalio/common'
import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { settleByProof } from '../../entities/kit/effects.ts'
import { Payment } from '../../entities/payments/payment.ts'
import { Refund } from '../../entities/refunds/refund.ts'
import * as amounts from '../../entities/refunds/refund-amounts.ts'
import { claimRead, refundEffect } from '../../entities/refunds/refund-effect.ts'
import { recordIntent } from '../../entities/subscriptions/invoices.ts'
import { Subscription } from '../../entities/subscriptions/subscription.ts'
import type { EffectStatus } from '../../rules/effects.ts'
import { cardStep, stripeAmount } from '../../rules/payments/provider-amounts.ts'
import { paidIntent } from '../../rules/subscriptions/invoice-payments.ts'
import { database, statement, transaction } from '../kit/database.ts'
import { beating } from '../kit/heartbeat.ts'
import { NeverSent, once } from '../kit/once.ts'
import { accessTo, unlocked } from '../payments/provider-access.ts'
import { reading, sendToStripe } from '../providers/stripe.ts'

type Request = { account: string | null; payment_intent: string; amount: number; metadata: Record<string, string> }

/**
 * The payment intent that paid the payment's invoice, which signed events of invoices do not name. Null if there is no
 * such invoice or payment.
 */
async function paidBy(payment: Payment): Promise<string | null> {
  const { provider_account_id = null, provider_invoice_id: invoice } = payment
  if (!invoice) return null
  const { client, options } = reading(provider_account_id, 'invoice_payments')
  const { data } = await client.invoicePayments.list({ invoice, status: 'paid', limit: 100 }, options)
  const id = paidIntent(data)
  if (!id) return null
  await transaction((em) => recordIntent(em, payment.id, id, unixNow()))
  return id
}

async function prepare(id: string): Promise<Request> {
  const em = unitOf(await database(), null)
  const refund = await em.findOneOrFail(Refund, { id }, anyTenant)
  const payment = await em.findOneOrFail(Payment, { id: refund.payment_id, tenant_id: refund.tenant_id }, anyTenant)
  const { provider_account_id: account = null } = payment
  // A store pays for its plan on the platform's own account.
  const ofPlan =
    payment.subscription_id &&
    (await em.count(
      Subscription,
      { id: payment.subscription_id, tenant_id: refund.tenant_id, plan_id: { $ne: null } },
      anyTenant,
    )) > 0
  const intent = payment.provider_payment_id ?? (await paidBy(payment))
  if (!intent || !(account || ofPlan))
    throw new NeverSent({ code: 'no_provider_payment', message: 'the payment has no id at the provider' })
  if (refund.amount % cardStep(refund.currency) !== 0)
    throw new NeverSent({
      code: 'amount_not_refundable',
      message: `a card is refunded in steps of ${cardStep(refund.currency)} minor units`,
    })
  const owner: Record<string, string> = refund.order_id
    ? { order_id: refund.order_id }
    : { subscription: refund.subscription_id as string }
  return {
    account,
    payment_intent: intent,
    amount: stripeAmount(refund.amount, refund.currency),
    metadata: { tenant_id: refund.tenant_id, refund: refund.id, refund_id: refund.refund_id, ...owner },
  }
}

const send = once({
  row: refundEffect,
  prepare,
  unlock: unlocked<Request>,
  send: ({ account, access, ...request }, sending) =>
    sendToStripe(
      sending,
      access,
      'refund',
      (client, options) => client.refunds.create(request, options),
      ({ id: provider_refund_id, status, amount, payment_intent, metadata }) => {
        if (
          metadata?.refund !== request.metadata.refund ||
          payment_intent !== request.payment_intent ||
          amount !== request.amount
        )
          return null
        const evidence = { provider_refund_id, status: status ?? null }
        const columns = { provider_refund_id, provider_account_id: account }
        if (status === 'succeeded') return { kind: 'succeeded', evidence, columns }
        if (status === 'failed' || status === 'canceled')
          return {
            kind: 'rejected',
            evidence,
            columns,
            error: { code: 'refund_failed', message: `the provider says ${status}` },
          }
        return { kind: 'pending', evidence, columns }
      },
      // The signed event replaces the lost body; without one it is unknown at its deadline (entities/kit/effects.ts).
      'pending',
    ),
})

/**
 * Reads a refund that stays pending; returns its status, or null while nothing proves how it ended. A read that fails
 * is repeated an hour later.
 */
async function readBack(id: string): Promise<EffectStatus | null> {
  const refund = await statement((em) => claimRead(em, id))
  if (!refund) return null
  const { provider_account_id, provider_refund_id, amount, currency } = refund
  try {
    const { client, options } = reading(await accessTo(provider_account_id), 'refund')
    const found = await client.refunds.retrieve(provider_refund_id, {}, options)
    if (found.id !== provider_refund_id || found.amount !== stripeAmount(amount, currency)) return null
    const status =
      found.status === 'succeeded'
        ? 'succeeded'
        : found.status === 'failed' || found.status === 'canceled'
          ? 'rejected'
          : null
    if (!status) return null
    const error =
      status === 'rejected' ? { code: 'refund_failed', message: `the provider says ${found.status}` } : undefined
    const evidence = { provider_refund_id, status: found.status, read_at: unixNow() }
    return (await transaction((em) => settleByProof(em, refundEffect, id, { status, evidence, error }, ['processing'])))
      ? status
      : null
  } catch (error) {
    log.warn({ refund_id: id, err: error }, 'a pending refund cannot be read')
    return null
  }
}

/** A refund that was accepted is not sent again: its workflow, which the reconciler starts, reads it. */
export const sendRefund: typeof send = {
  ...send,
  send: (id, token, limitMs) =>
    send.send(id, token, limitMs).catch(async (error: unknown) => {
      const read =
        error instanceof ApplicationFailure && error.type === 'InFlight' ? await beating(() => readBack(id)) : null
      if (read === null) throw error
      return read
    }),
}

/** Whether its payment has to be refunded and was not: an operator has to refund the rest. */
export const refundIsDue = (id: string): Promise<boolean> => statement((em) => amounts.refundIsDue(em, id))
