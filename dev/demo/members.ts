// The part of `npm run demo` about people: joining, importing, a paid club with its renewals, and merging contacts.
import { client } from '../../client/client.ts'
import { clubCode } from '../seed/members.ts'
import { address, type Callers, control, dollars, say, until } from './steps.ts'

type Stack = { api: string; publishable_key: string; stripe: string; temporal_ui: string | null }

const day = (unixSeconds: number | null) =>
  unixSeconds === null ? 'no end' : new Date(unixSeconds * 1000).toISOString().slice(0, 10)

/** A visitor of its own: the client keeps the visitor's token. */
async function newVisitor({ api, publishable_key }: Stack, name: string) {
  const call = client({ base: api, publishableKey: publishable_key })
  const email = `${name}-${crypto.randomUUID().slice(0, 8)}@tillwright.test`
  await call('POST /v1/storefront/account/identify', { body: { email } })
  return { call, email }
}

type Subscription = { id: string; customer: string; metadata: { subscription?: string } }

export async function showMembers({ path, operator }: Callers, stack: Stack): Promise<void> {
  const { stripe, temporal_ui } = stack
  const { items: audiences } = await operator('GET /v1/stores/{storeId}/audiences', { path })
  const [newsletter, club] = ['newsletter', 'tea-club'].map((key) => audiences.find((one) => one.key === key))
  if (!newsletter || !club) throw new Error('The store has no audiences `newsletter` and `tea-club`: seed it first.')

  const { call: visitor, email } = await newVisitor(stack, 'eva')
  const joined = await visitor('POST /v1/storefront/audiences/{audienceId}/subscribe', {
    path: { audienceId: newsletter.id },
    body: {},
  })
  say('A visitor joins the newsletter', `member ${joined.member.status}, e-mail ${joined.member.delivery_status}`)
  const rows = ['ben', 'cleo', 'not an address'].map((name) => ({
    email: name.includes(' ') ? name : `${name}-${crypto.randomUUID().slice(0, 8)}@tillwright.test`,
  }))
  const imported = await operator('POST /v1/stores/{storeId}/audiences/{audienceId}/members/import', {
    path: { ...path, audienceId: newsletter.id },
    body: { rows },
  })
  say(
    'An import of three rows',
    `${imported.members_added} added, ${imported.rows_failed} failed: ${JSON.stringify(imported.failures)}`,
  )

  const { tiers } = await visitor('GET /v1/storefront/audiences/{key}', { path: { key: 'tea-club' } })
  const monthly = tiers[0]?.prices.find(({ interval }) => interval !== null)
  if (!monthly) throw new Error('The tea club has no monthly price.')
  const subscribed = await visitor('POST /v1/storefront/audiences/{audienceId}/subscribe', {
    path: { audienceId: club.id },
    body: { price_id: monthly.id, promo_code: clubCode, return_url: 'http://localhost:3000/club' },
  })
  const { payment, payment_action } = subscribed
  const page = 'client_secret' in payment_action ? payment_action.client_secret.split('_secret_')[0] : null
  if (!payment || !page) throw new Error('The payment page did not open.')
  say(
    `The visitor subscribes to the tea club by card, with the code ${clubCode}`,
    `${dollars(payment.amount)} now, ${dollars(monthly.amount)} a month later; member ${subscribed.member.status}`,
  )

  await control(stripe, `/checkout_sessions/${page}/pay`, { outcome: 'succeeded' })
  const access = () => visitor('GET /v1/storefront/audiences/{audienceId}/access', { path: { audienceId: club.id } })
  const active = await until('the paid membership', async () => {
    const { has_access, member } = await access()
    return has_access && member ? member : undefined
  })
  say(
    'The signed `invoice.paid` makes the member',
    `${active.status}, paid through ${day(active.paid_through_at)}, access until ${day(active.access_until)}`,
  )
  const member = { ...path, audienceId: club.id, memberId: active.id }
  const payments = async () =>
    (await operator('GET /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments', { path: member }))
      .items
  const [first] = await payments()
  if (!first) throw new Error('The first payment is missing.')
  if (temporal_ui)
    say(
      'The workflow of the payment page in the Temporal UI',
      `${temporal_ui}/namespaces/default/workflows/checkout%2F${first.subscription_id}`,
    )

  const all = await control<Subscription[]>(stripe, '/ledger/subscriptions')
  const subscription = all.find(({ metadata }) => metadata.subscription === first.subscription_id)
  if (!subscription) throw new Error('The provider has no subscription of this member.')
  const moved = (before: number | null) =>
    until('the renewed membership', async () => {
      const { member: seen } = await access()
      return seen && seen.paid_through_at !== null && seen.paid_through_at > (before ?? 0) ? seen : undefined
    })
  const billing = (wanted: string) =>
    until(`the subscription is ${wanted}`, async () => {
      const { has_access, member: seen } = await access()
      return seen?.billing_status === wanted ? { has_access, ...seen } : undefined
    })
  await control(stripe, `/subscriptions/${subscription.id}/advance`, {})
  const renewed = await moved(active.paid_through_at)
  say('A month later the provider renews it', `paid through ${day(renewed.paid_through_at)}`)
  await control(stripe, `/subscriptions/${subscription.id}/advance`, { outcome: 'decline' })
  const late = await billing('past_due')
  say(
    'The next renewal is declined: no time is added, and access lasts as long as the grace',
    `${late.billing_status}, access ${late.has_access}, until ${day(late.access_until)}`,
  )
  const { portal_url } = await visitor('POST /v1/customer/audiences/payment-method', {
    body: {
      token: new URL(active.manage_url ?? '').searchParams.get('token') ?? '',
      return_url: 'http://localhost:3000/club',
    },
  })
  say(
    'The member opens the provider’s portal from the page of the membership',
    `${active.manage_url}\n      ${portal_url}`,
  )
  await control(stripe, `/customers/${subscription.customer}/card`, { last4: '4444' })
  const pinned = await until('the new card at the subscription', async () => {
    const after = (
      await control<(Subscription & { default_payment_method: string | null })[]>(stripe, '/ledger/subscriptions')
    ).find(({ id }) => id === subscription.id)
    return after?.default_payment_method &&
      after.default_payment_method !== (subscription as typeof after).default_payment_method
      ? after.default_payment_method
      : undefined
  })
  await control(stripe, `/subscriptions/${subscription.id}/advance`, { outcome: 'recover' })
  await moved(renewed.paid_through_at)
  const recovered = await billing('active')
  say(
    'A new card is saved there, and the invoice is paid with it',
    `card ${pinned}; ${recovered.billing_status}, paid through ${day(recovered.paid_through_at)}`,
  )

  const { items: goods } = await visitor('GET /v1/storefront/products', { query: { query: 'tea' } })
  const variant = goods[0]?.variants[0]
  if (goods[0] && variant) {
    const cart = await visitor('POST /v1/storefront/carts/current')
    const product_items = [{ product_id: goods[0].id, variant_id: variant.id, quantity: 1 }]
    await visitor('PUT /v1/storefront/carts/{id}', {
      path: { id: cart.id },
      body: { product_items, promo_code: clubCode, shipping_address: address, shipping_method_id: 'us-standard' },
    })
    const { money } = await visitor('POST /v1/storefront/carts/{id}/quote', { path: { id: cart.id } })
    say('A member’s price in a cart', `${dollars(money.subtotal)} − ${dollars(money.discount)}`)
  }

  const refund_id = crypto.randomUUID()
  const refund = () =>
    operator('POST /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}/payments/{paymentId}/refunds', {
      path: { ...member, paymentId: first.id },
      body: { refund_id, amount: Math.floor(first.captured_amount / 2) },
    })
  const refunds = [await refund(), await refund()]
  say(
    'Half of the first payment is refunded, requested twice with one refund_id',
    `${refunds[0]?.status}; one record: ${refunds[0]?.id !== undefined && refunds[0].id === refunds[1]?.id}`,
  )

  const { type } = await operator('DELETE /v1/stores/{storeId}/audiences/{audienceId}/members/{memberId}', {
    path: member,
  })
  const ending = await until('the end of the subscription', async () => {
    const { has_access, member: seen } = await access()
    return seen?.cancel_at ? { has_access, ...seen } : undefined
  })
  say(
    'The operator removes the member: what is paid stays',
    `${type}; access ${ending.has_access} until ${day(ending.access_until)}`,
  )
  if (temporal_ui)
    say(
      'The workflow of the subscription in the Temporal UI',
      `${temporal_ui}/namespaces/default/workflows/membership%2F${first.subscription_id}`,
    )

  const other = await newVisitor(stack, 'eva-at-work')
  await other.call('POST /v1/storefront/audiences/{audienceId}/subscribe', {
    path: { audienceId: newsletter.id },
    body: {},
  })
  const contactOf = async (address: string) =>
    (await operator('GET /v1/stores/{storeId}/contacts', { path, query: { query: address } })).items[0]?.id ?? ''
  const [target, source] = [await contactOf(email), await contactOf(other.email)]
  await operator('POST /v1/stores/{storeId}/contacts/{id}/merge', {
    path: { ...path, id: target },
    body: { source_contact_id: source },
  })
  const { items: left } = await operator('GET /v1/stores/{storeId}/audiences/{audienceId}/members', {
    path: { ...path, audienceId: newsletter.id },
    query: { contact_id: target },
  })
  say(
    'Two contacts of one person are merged',
    `contact ${target} has ${left.length} membership of the newsletter; ${source} is gone`,
  )

  const { items: plans } = await operator('GET /v1/stores/plans', {})
  const { plan_id, billing_status } = await operator('GET /v1/stores/{storeId}/subscription', { path })
  say('The store’s own plan', `${plan_id}, ${billing_status}; to choose from: ${plans.map(({ id }) => id).join(', ')}`)
}
