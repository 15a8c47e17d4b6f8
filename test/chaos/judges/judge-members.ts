// Memberships: every paid invoice is one payment, no member has time without one, what is charged has a row, and the
// money is the provider's.
import type { History, MemberPayment } from '../history.ts'
import { amountsOf } from './judge-commerce.ts'

export const unrecordedInvoices = (h: History): string[] =>
  h.invoices
    .filter(({ paid }) => paid)
    .flatMap(({ id, amount }) => {
      const own = h.member_payments.filter(({ provider_invoice_id }) => provider_invoice_id === id)
      if (own.length !== 1) return [`invoice ${id} of ${amount} is paid and has ${own.length} payments`]
      return own[0]?.captured === amount ? [] : [`invoice ${id} of ${amount} has a payment of ${own[0]?.captured}`]
    })

/** Null is access without an end. */
const lacksTime = ({ status, paid_through_at, least }: History['members'][number]) =>
  least !== null && (paid_through_at === null ? status !== 'active' : paid_through_at < least)

export const unpaidTime = (h: History): string[] =>
  h.members.flatMap((member) => {
    const { id, status, paid_through_at, proved, least, pays } = member
    const differs = (paid_through_at ?? 0) > (proved ?? 0) || lacksTime(member)
    return [
      ...(differs ? [`member ${id} has time until ${paid_through_at}, and payments prove ${least} to ${proved}`] : []),
      ...(pays && status !== 'active' ? [`member ${id} pays, and is ${status}`] : []),
    ]
  })

export const chargedWithoutRow = (h: History): string[] =>
  h.billed.flatMap(({ id, status }) => {
    const row = h.subscriptions.find(({ provider_subscription_id }) => provider_subscription_id === id)
    if (!row) return [`subscription ${id} is ${status} at the provider and has no row`]
    return row.status === 'live'
      ? []
      : [`subscription ${id} is ${status} at the provider, and its row is ${row.status}`]
  })

/** A payment whose intent is not read yet is found by its invoice. */
const pays = ({ intent, provider_invoice_id }: MemberPayment, charge: History['member_charges'][number]) =>
  intent === charge.intent ||
  (intent === null && provider_invoice_id !== null && provider_invoice_id === charge.invoice)

export const misrecordedCharges = (h: History): string[] => [
  ...h.member_charges.flatMap((charge) => {
    const { intent, received, refunded } = charge
    const own = h.member_payments.filter((payment) => pays(payment, charge))
    const [payment] = own
    if (!payment || own.length > 1) return [`the charge ${intent} of ${received} has ${own.length} payments`]
    const most = payment.refunded + payment.pending + payment.unknown
    return [
      ...(payment.captured === received
        ? []
        : [`the charge ${intent} of ${received} is recorded as ${payment.captured}`]),
      ...(refunded > received ? [`of the charge ${intent} of ${received} ${refunded} were refunded`] : []),
      ...(refunded < payment.refunded || refunded > most
        ? [
            `of the charge ${intent} ${refunded} were refunded, recorded are ${payment.refunded}, ${payment.pending} pending and ${payment.unknown} unknown`,
          ]
        : []),
    ]
  }),
  ...h.member_payments.flatMap((payment) => [
    ...(payment.captured > 0 && !h.member_charges.some((charge) => pays(payment, charge))
      ? [`payment ${payment.id} of ${payment.captured} was never charged`]
      : []),
    ...amountsOf(`payment ${payment.id}`, payment),
  ]),
]

/** A page of a one-time price is paid once; of a recurring one, the provider makes one invoice for a period. */
export const memberChargedTwice = (h: History): string[] =>
  [...Map.groupBy(h.member_charges, ({ invoice, row }) => invoice ?? row)].flatMap(([what, all]) =>
    all.length > 1 ? [`${what} of a membership was charged ${all.length} times`] : [],
  )

export const mergedAway = (h: History): string[] => [
  ...h.named.map((name) => `${name} names a contact that was merged`),
  ...h.merges.flatMap(({ source, target, members }) =>
    members.flatMap((id) => {
      const member = h.members.find((one) => one.id === id)
      return member?.contact_id === target
        ? []
        : [`member ${id} of ${source} is with ${member?.contact_id}, merged into ${target}`]
    }),
  ),
]
