// People who subscribe by card, renew, decline, save another card and are removed, while faults strike.
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../entities/kit/ids.ts'
import { return_url, sim } from '../kit/buying.ts'
import type { Answer } from '../kit/shop.ts'
import type { Round } from './buyers.ts'
import type { MemberPlan } from './plan.ts'

type Visitor = Record<string, string>
type Page = { id: string; subscription: string | null; customer: string | null }

/** The provider's side, which no fault affects; null where it refuses. */
const atProvider = (at: string, body: unknown) => sim('POST', at, body).catch(() => null)

const pageOf = async ({ store }: Round, session: string): Promise<Page | undefined> =>
  ((await sim('GET', `/ledger/pages?account=${store.account}`)) as Page[]).find(({ id }) => id === session)

async function subscribe(c: Round, visitor: Visitor, { price, changes, twice }: MemberPlan): Promise<string | null> {
  const { audience_id, prices } = c.store.club
  const ask = (price_id: string) =>
    c.client.ask('POST', `/v1/storefront/audiences/${audience_id}/subscribe`, { body: { price_id, return_url }, headers: visitor })
  const choose = (price_id: string): Promise<Answer[]> => Promise.all(twice ? [ask(price_id), ask(price_id)] : [ask(price_id)])
  if (changes) await choose(price === 'monthly' ? prices.once : prices.monthly)
  const answers = await choose(prices[price])
  const open = answers.find(({ status, body }) => status === 200 && body.payment_action?.client_secret)
  return open ? (String(open.body.payment_action.client_secret).split('_secret_')[0] as string) : null
}

async function pay(session: string, { card, think_ms }: MemberPlan): Promise<void> {
  await pause(think_ms)
  if (card === 'abandoned') return
  if (card === 'declined_then_paid') await atProvider(`/checkout_sessions/${session}/pay`, { outcome: 'declined' })
  await atProvider(`/checkout_sessions/${session}/pay`, { outcome: 'succeeded' })
}

async function live({ subscription, customer }: Page, life: MemberPlan['life']): Promise<void> {
  for (const what of life) {
    await pause(300)
    if (what === 'card') await atProvider(`/customers/${customer}/card`, { last4: '4444' })
    else await atProvider(`/subscriptions/${subscription}/advance`, what === 'renew' ? {} : { outcome: what })
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
      if (amounts.size > 1) c.surprises.push(`refund ${refund_id} of a membership was answered with the amounts ${[...amounts].join(' and ')}`)
    }
  }
  if (removed !== 'no') await c.client.ask('DELETE', removed === 'now' ? `${path}?now=true` : path, { headers })
}

/** Rejects if a call was never answered. */
export async function join(c: Round, plan: MemberPlan): Promise<void> {
  await pause(plan.at_ms)
  const key = { 'x-service-publishable-key': c.store.shop.publishable_key }
  const known = await c.client.ask('POST', '/v1/storefront/account/identify', { body: { email: `${newId()}@tillwright.test` }, headers: key })
  const visitor = { ...key, 'x-service-visitor-token': String(known.body.visitor_token) }
  const session = await subscribe(c, visitor, plan)
  if (!session) return
  await pay(session, plan)
  const page = await pageOf(c, session)
  if (page?.subscription) await live(page, plan.life)
  await end(c, visitor, plan)
}
