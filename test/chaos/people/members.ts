// People who subscribe by card, renew, decline, save another card, are removed and merged with another contact, while
// faults strike.
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../entities/kit/ids.ts'
import { return_url, sim } from '../../kit/orders/buying.ts'
import type { Answer } from '../../kit/shop.ts'
import type { MemberPlan } from '../plan.ts'
import type { Round } from './acts.ts'

type Visitor = Record<string, string>
type Page = { id: string; subscription: string | null; customer: string | null }

/** The provider's side, which no fault affects; null where it refuses. */
const atProvider = (at: string, body: unknown) => sim('POST', at, body).catch(() => null)

const pageOf = async ({ store }: Round, session: string): Promise<Page | undefined> =>
  ((await sim('GET', `/ledger/pages?account=${store.account}`)) as Page[]).find(({ id }) => id === session)

async function subscribe(
  c: Round,
  visitor: Visitor,
  { price, changes, twice, code }: MemberPlan,
): Promise<string | null> {
  const { audience_id, prices, code: promo_code } = c.store.club
  const ask = (price_id: string, more: object) =>
    c.client.ask('POST', `/v1/storefront/audiences/${audience_id}/subscribe`, {
      body: { price_id, return_url, ...more },
      headers: visitor,
    })
  const choose = (price_id: string, more: object): Promise<Answer[]> =>
    Promise.all(Array.from({ length: twice ? 2 : 1 }, () => ask(price_id, more)))
  if (changes) await choose(price === 'monthly' ? prices.once : prices.monthly, {})
  const answers = await choose(prices[price], code ? { promo_code } : {})
  // Its uses are few.
  if (answers.some(({ body }) => String(body.code).startsWith('promo_code')))
    answers.push(...(await choose(prices[price], {})))
  const open = answers.find(({ status, body }) => status === 200 && body.payment_action?.client_secret)
  return open ? (String(open.body.payment_action.client_secret).split('_secret_')[0] as string) : null
}

async function pay(session: string, { card, think_ms }: MemberPlan): Promise<void> {
  await pause(think_ms)
  if (card === 'abandoned') return
  if (card === 'declined_then_paid') await atProvider(`/checkout_sessions/${session}/pay`, { outcome: 'declined' })
  await atProvider(`/checkout_sessions/${session}/pay`, { outcome: 'succeeded' })
}

/** As the page of the membership does before the portal opens. */
async function openPortal(c: Round, visitor: Visitor): Promise<void> {
  const { body } = await c.client.ask('GET', `/v1/storefront/audiences/${c.store.club.audience_id}/access`, {
    headers: visitor,
  })
  if (!body.member?.manage_url) return
  const token = new URL(body.member.manage_url).searchParams.get('token')
  // An outcome that is unknown is not asked for again here.
  await c.client.ask('POST', '/v1/customer/audiences/payment-method', {
    body: { token, return_url },
    headers: {},
    final: () => true,
  })
}

async function live(
  c: Round,
  visitor: Visitor,
  { subscription, customer }: Page,
  life: MemberPlan['life'],
): Promise<void> {
  for (const what of life) {
    await pause(300)
    if (what === 'card') {
      await openPortal(c, visitor)
      await atProvider(`/customers/${customer}/card`, { last4: '4444' })
    } else await atProvider(`/subscriptions/${subscription}/advance`, what === 'renew' ? {} : { outcome: what })
  }
}

async function end(c: Round, visitor: Visitor, { refund, removed }: MemberPlan): Promise<void> {
  const { audience_id } = c.store.club
  const { body } = await c.client.ask('GET', `/v1/storefront/audiences/${audience_id}/access`, { headers: visitor })
  if (!body.member) return
  const path = `/v1/stores/${c.store.shop.store_id}/audiences/${audience_id}/members/${body.member.id}`
  const { headers } = c.store.shop.op
  if (refund) {
    const { items } = (await c.client.ask('GET', `${path}/payments`, { headers })).body
    const paid = items.find(({ status }: { status: string }) => status === 'paid')
    const refund_id = newId()
    const ask = () => c.client.ask('POST', `${path}/payments/${paid.id}/refunds`, { body: { refund_id }, headers })
    if (paid) {
      const answers = await Promise.all([ask(), ask()])
      const amounts = new Set(answers.flatMap(({ status, body: one }) => (status < 300 ? [one.amount] : [])))
      if (amounts.size > 1)
        c.surprises.push(
          `refund ${refund_id} of a membership was answered with the amounts ${[...amounts].join(' and ')}`,
        )
    }
  }
  if (removed !== 'no') await c.client.ask('DELETE', removed === 'now' ? `${path}?now=true` : path, { headers })
}

async function visit(c: Round): Promise<{ visitor: Visitor; contact_id: string }> {
  const key = { 'x-service-publishable-key': c.store.shop.publishable_key }
  const { body } = await c.client.ask('POST', '/v1/storefront/account/identify', {
    body: { email: `${newId()}@tillwright.test` },
    headers: key,
  })
  return { visitor: { ...key, 'x-service-visitor-token': String(body.visitor_token) }, contact_id: body.contact.id }
}

async function merge(c: Round, visitor: Visitor, source: string): Promise<void> {
  const { body } = await c.client.ask('GET', `/v1/storefront/audiences/${c.store.club.audience_id}/access`, {
    headers: visitor,
  })
  const { contact_id: target } = await visit(c)
  const path = `/v1/stores/${c.store.shop.store_id}/contacts/${target}/merge`
  const ask = () =>
    c.client.ask('POST', path, { body: { source_contact_id: source }, headers: c.store.shop.op.headers })
  for (const { status, body: answer } of await Promise.all([ask(), ask()]))
    if (status !== 200 || answer.id !== target)
      c.surprises.push(`the merge of ${source} into ${target} was answered with ${status} ${JSON.stringify(answer)}`)
  c.merges.push({ source, target, members: body.member ? [body.member.id] : [] })
}

/** Rejects if a call was never answered. */
export async function join(c: Round, plan: MemberPlan): Promise<void> {
  await pause(plan.at_ms)
  const { visitor, contact_id } = await visit(c)
  const session = await subscribe(c, visitor, plan)
  if (session) await pay(session, plan)
  const page = session === null ? undefined : await pageOf(c, session)
  if (page?.subscription) await live(c, visitor, page, plan.life)
  if (session) await end(c, visitor, plan)
  if (plan.merged) await merge(c, visitor, contact_id)
}
