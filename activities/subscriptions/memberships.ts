// The steps of a membership's workflow: its next step by its rows, and reads of the provider, which make no time.
import Stripe from 'stripe'
import { unixNow } from '../../adapters/clock.ts'
import { anyTenant, unitOf } from '../../entities/kit/database/orm.ts'
import { Payment } from '../../entities/payments/payment.ts'
import { recordCharges, wantsCharges } from '../../entities/subscriptions/charges.ts'
import { recordIntent } from '../../entities/subscriptions/invoices.ts'
import { membershipStep } from '../../entities/subscriptions/membership-steps.ts'
import { dropRead, recordRead } from '../../entities/subscriptions/states.ts'
import { Subscription } from '../../entities/subscriptions/subscription.ts'
import { Customer, Invoice, isOver, ProviderSubscription } from '../../rules/subscriptions/events.ts'
import { paidIntent } from '../../rules/subscriptions/invoice-payments.ts'
import { database, statement, transaction } from '../kit/database.ts'
import { answeredAt, reading } from '../providers/stripe.ts'

export const readMembership = (subscriptionId: string) => statement((em) => membershipStep(em, subscriptionId))

/**
 * The result of a read; null where the provider answers with one of these statuses: it has no such object, or refuses
 * access to the account.
 */
async function found<T>(read: Promise<T>, statuses: readonly number[] = [403, 404]): Promise<T | null> {
  try {
    return await read
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && statuses.includes(error.statusCode ?? 0)) return null
    throw error
  }
}

/** Invoices of one subscription that are read at a time. */
const invoicesMax = 100

/**
 * Reads what a subscription that is over was charged, if its business is being deleted. An invoice of another shape, or
 * a refused access, leaves it to a person; the others are recorded.
 */
async function readCharges(of: Subscription): Promise<void> {
  const { id, tenant_id, provider_subscription_id: subscription, provider_account_id: account = null } = of
  if (!subscription || (await statement((em) => wantsCharges(em, { id, tenant_id }))) === null) return
  const { client, options } = reading(account, 'invoices')
  const read: { invoices: Invoice[]; whole: boolean } = { invoices: [], whole: true }
  for await (const one of client.invoices.list({ subscription, status: 'paid', limit: invoicesMax }, options)) {
    const { data } = Invoice.safeParse(one)
    if (data) read.invoices.push(data)
    else read.whole = false
  }
  await transaction((em) => recordCharges(em, { id, tenant_id }, read, unixNow()))
}

/**
 * Reads a subscription at the provider, with its latest invoice and its customer's card, and records what it shows. A
 * read: it may be retried.
 */
export async function readSubscription(id: string): Promise<void> {
  const em = unitOf(await database(), null)
  const of = await em.findOneOrFail(Subscription, { id }, anyTenant)
  const {
    tenant_id,
    provider_subscription_id: subscription,
    provider_account_id: account = null,
    read_wanted_at: wanted_at = null,
  } = of
  if (!subscription) return transaction((at) => dropRead(at, { id, tenant_id }))
  const { client, options } = reading(account, 'subscription')
  const answer = await found(client.subscriptions.retrieve(subscription, {}, options))
  const record = (read: Parameters<typeof recordRead>[2]) =>
    transaction((at) => recordRead(at, { id, tenant_id }, read, unixNow()))
  if (!answer) return record(null)
  const facts = ProviderSubscription.parse(answer)
  if (facts.id !== subscription) throw new Error('the provider answered with another subscription')
  // No invoice is made after its end. One that was open then may still be paid by hand at the provider, and is not
  // read.
  if (isOver(facts.status)) await readCharges(of)
  const at = answeredAt(answer)
  const invoices = reading(account, 'invoice')
  const latest = facts.latest_invoice
    ? await found(invoices.client.invoices.retrieve(facts.latest_invoice, {}, invoices.options))
    : null
  const customers = reading(account, 'customer')
  const customer = Customer.safeParse(
    await found(customers.client.customers.retrieve(facts.customer, {}, customers.options)),
  )
  const card = customer.data?.invoice_settings.default_payment_method
  // An invoice of another shape proves nothing, and the rest of the read counts.
  const invoice = Invoice.safeParse(latest).data ?? null
  await record({ facts, invoice, card_agrees: Boolean(card) && card === facts.default_payment_method, at, wanted_at })
}

/** Reads which payment intent paid an invoice. A read: it may be retried. */
export async function readInvoicePayment(paymentId: string): Promise<void> {
  const em = unitOf(await database(), null)
  const { provider_invoice_id: invoice, provider_account_id: account = null } = await em.findOneOrFail(
    Payment,
    { id: paymentId },
    anyTenant,
  )
  if (!invoice) return
  const { client, options } = reading(account, 'invoice_payments')
  // A refused access may be granted later: only an answered list says that no payment intent paid the invoice.
  const paid = await found(client.invoicePayments.list({ invoice, limit: 100 }, options), [404])
  if (paid?.data.every(({ status }) => status !== 'paid') && paid.data.some(({ status }) => status === 'open'))
    throw new Error('the payment is still open')
  await transaction((at) => recordIntent(at, paymentId, paidIntent(paid?.data ?? []), unixNow()))
}
