// Memberships: every paid invoice is one payment, no member has time without one, and what is charged has a row.
import type { History } from './history.ts'

export const unrecordedInvoices = (h: History): string[] =>
  h.invoices
    .filter(({ paid }) => paid)
    .flatMap(({ id, amount }) => {
      const own = h.invoice_payments.filter(({ provider_invoice_id }) => provider_invoice_id === id)
      if (own.length !== 1) return [`invoice ${id} of ${amount} is paid and has ${own.length} payments`]
      return own[0]?.captured === amount ? [] : [`invoice ${id} of ${amount} has a payment of ${own[0]?.captured}`]
    })

/** Null is access without an end. */
const lacksTime = ({ status, paid_through_at, proved }: History['members'][number]) =>
  status === 'active' && paid_through_at !== null && paid_through_at < (proved ?? 0)

export const unpaidTime = (h: History): string[] =>
  h.members.flatMap((member) => {
    const { id, paid_through_at, proved } = member
    const differs = (paid_through_at ?? 0) > (proved ?? 0) || lacksTime(member)
    return differs ? [`member ${id} has time until ${paid_through_at}, and payments prove ${proved}`] : []
  })

export const chargedWithoutRow = (h: History): string[] =>
  h.billed.flatMap(({ id, status }) => {
    const row = h.subscriptions.find(({ provider_subscription_id }) => provider_subscription_id === id)
    if (!row) return [`subscription ${id} is ${status} at the provider and has no row`]
    return row.status === 'live' ? [] : [`subscription ${id} is ${status} at the provider, and its row is ${row.status}`]
  })
