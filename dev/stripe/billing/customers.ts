// Customers and their cards. A card is saved on a payment page or in the portal, never by a request.
import type Stripe from 'stripe'
import { type Call, dashboard, type Route } from '../calls.ts'
import { invalid, missing, refused } from '../errors.ts'
import { emitChange } from '../events.ts'
import type { Fields } from '../form.ts'
import { newId, random, unixSeconds } from '../ids.ts'
import { list, one } from '../lists.ts'
import { find, get, locate, put } from '../objects.ts'
import { blankCustomer } from './shapes.ts'

type Customer = Stripe.Customer
type Card = Stripe.PaymentMethod

/** Every charge of this card is declined, like Stripe's test card 4000 0000 0000 0341. */
const declining = '0341'

const cardFields = (last4: string) => ({
  brand: 'visa',
  country: 'US',
  exp_month: 12,
  exp_year: 2034,
  funding: 'credit',
  last4,
})

export function newCard(account: string, customer: string | null, last4: string = '4242'): Card {
  const card = {
    ...cardFields(last4),
    checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
    display_brand: 'visa',
    fingerprint: random(16),
    generated_from: null,
    networks: { available: ['visa'], preferred: null },
    regulated_status: 'unregulated',
    three_d_secure_usage: { supported: true },
    wallet: null,
  }
  return put(account, {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'limited',
    billing_details: { address: null, email: null, name: 'A Buyer', phone: null, tax_id: null },
    card: card as unknown as NonNullable<Card['card']>,
    created: unixSeconds(),
    customer,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  })
}

export const isDeclining = (card: Card) => card.card?.last4 === declining

/** `payment_method_details` of a charge. */
export const detailsOf = (card: Card | undefined) =>
  ({
    type: 'card',
    card: { ...cardFields(card?.card?.last4 ?? '4242'), network: 'visa' },
  }) as unknown as Stripe.Charge['payment_method_details']

export const newCustomer = (account: string, given: Partial<Customer>): Customer =>
  put(account, { ...blankCustomer, ...given, id: newId('cus', 14), created: unixSeconds() })

/** The card of this id that belongs to the customer. */
export function ownCard(call: Call, customer: string, id: string, param: string): Card {
  const card = find('payment_method', call.account, id)
  if (!card) throw missing('PaymentMethod', id, param, 400)
  if (card.customer !== customer)
    throw refused(
      `The customer does not have a payment method with the ID ${id}. The payment method must be attached to the customer.`,
      { param },
    )
  return card
}

const ignored = [
  'address',
  'shipping',
  'preferred_locales',
  'tax',
  'tax_exempt',
  'balance',
  'invoice_prefix',
  'next_invoice_sequence',
]

function create(call: Call, fields: Fields): Customer {
  const given = {
    email: emailOf(fields) ?? null,
    name: fields.text('name') ?? null,
    phone: fields.text('phone') ?? null,
    description: fields.text('description') ?? null,
    metadata: fields.metadata(),
  }
  fields.ignore(...ignored)
  fields.done()
  return newCustomer(call.account, given)
}

function emailOf(fields: Fields): string | null | undefined {
  const email = fields.textOrNull('email')
  if (email && !/^\S+@\S+$/.test(email)) throw invalid(`Invalid email address: ${email}`, 'email', 'email_invalid')
  return email
}

function update(call: Call, fields: Fields, id: string): Customer {
  const before = get('customer', call.account, id, 'customer')
  const settings = fields.map('invoice_settings')
  const card = settings?.text('default_payment_method')
  settings?.ignore('custom_fields', 'footer', 'rendering_options')
  const texts = {
    email: emailOf(fields),
    name: fields.textOrNull('name'),
    phone: fields.textOrNull('phone'),
    description: fields.textOrNull('description'),
  }
  const metadata = fields.mergedMetadata(before.metadata)
  fields.ignore(...ignored)
  fields.done()
  if (card !== undefined) ownCard(call, id, card, 'invoice_settings[default_payment_method]')
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined))
  const after = { ...withCard(before, card), ...given, metadata }
  return emitChange(call, 'customer.updated', before, put(call.account, after))
}

const withCard = (customer: Customer, card: string | undefined): Customer =>
  card === undefined
    ? customer
    : { ...customer, invoice_settings: { ...customer.invoice_settings, default_payment_method: card } }

/** Saves a card as the customer does in the portal: it becomes the customer's default, and no subscription changes. */
export function saveCard(id: string, last4: string | undefined): { customer: Customer; payment_method: Card } {
  const { account, object: before } = locate('customer', id)
  const payment_method = newCard(account, id, last4)
  const customer = put(account, withCard(before, payment_method.id))
  emitChange(dashboard(account), 'customer.updated', before, customer)
  return { customer, payment_method }
}

/** Stripe calls a customer delinquent while the last attempt to charge failed. */
export function setDelinquent(account: string, id: string, delinquent: boolean): void {
  const before = get('customer', account, id)
  if (before.delinquent !== delinquent)
    emitChange(dashboard(account), 'customer.updated', before, put(account, { ...before, delinquent }))
}

export const customerRoutes: Route[] = [
  ['POST', '/v1/customers', create],
  [
    'GET',
    '/v1/customers',
    (call, fields) => list('customer', call.account, call.path, fields, { email: (one) => one.email }),
  ],
  ['GET', '/v1/customers/:id', one('customer', 'customer')],
  ['POST', '/v1/customers/:id', update],
  [
    'GET',
    '/v1/customers/:id/payment_methods',
    (call, fields, id) => {
      get('customer', call.account, id, 'customer')
      return list(
        'payment_method',
        call.account,
        call.path,
        fields,
        { type: (card) => card.type },
        (card) => card.customer === id,
      )
    },
  ],
  [
    'GET',
    '/v1/payment_methods',
    (call, fields) =>
      list('payment_method', call.account, call.path, fields, {
        customer: (card) => card.customer,
        type: (card) => card.type,
      }),
  ],
  ['GET', '/v1/payment_methods/:id', one('payment_method', 'payment_method')],
]
