// A shop's daily load, one customer after the other at even intervals: browsing, carts, cash and cards, refunds,
// webhooks, graphs, forms, sign-ins.
import { newId } from '../../entities/kit/ids.ts'
import { call, edge, workflow } from '../kit/automation/automations.ts'
import { signIn, until } from '../kit/codes.ts'
import { type Buyer, buyer, card, cash, checkOut, connected, product, type Sold, sim } from '../kit/orders/buying.ts'
import { type Answer, newShop, type Shop } from '../kit/shop.ts'
import { secret } from '../kit/webhooks/webhook-events.ts'

export type Mix = { shop: Shop; goods: Sold; graph: string }
/** How many customers were served, how many requests that took, and the failures by message. */
export type Served = { customers: number; requests: number; errors: Map<string, number> }

export async function openMix(receiver: string): Promise<Mix> {
  const shop = await newShop()
  await connected(shop)
  const goods = await product(shop, { amount: 1_900 })
  const events = [{ event: 'order.created' }, { event: 'order.updated' }]
  const hook = await shop.asOperator('POST', '/webhooks', {
    key: 'soak',
    url: `${receiver}/soak`,
    events,
    headers: {},
    secret,
    enabled: true,
  })
  if (hook.status !== 201) throw new Error(`no webhook: ${JSON.stringify(hook.body)}`)
  const nodes = {
    start: { type: 'trigger' },
    tell: { type: 'http', method: 'post', url: `${receiver}/graph`, body: { n: '{{input.trigger.n}}' } },
  }
  const { webhook_url } = await workflow(shop, { nodes, edges: [edge('start', 'default', 'tell')] })
  return { shop, goods, graph: webhook_url }
}

/** Every n-th customer performs the n-th action: the mix is the same in every run. */
async function serve({ shop, goods, graph }: Mix, n: number, served: Served): Promise<void> {
  const ok = async (asked: Promise<Answer>): Promise<Answer> => {
    const answer = await asked
    served.requests++
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.body?.code}`)
    return answer
  }
  const { visitor, cart }: Buyer = await buyer(shop, [goods.item(1 + (n % 3))])
  served.requests += 3
  await ok(visitor.call('GET', '/products?limit=20'))
  await ok(visitor.call('POST', `/carts/${cart.id}/quote`))
  // A third of all carts are left behind.
  if (n % 3 !== 0) {
    const byCard = n % 4 === 0
    const { body } = await ok(checkOut(visitor, cart, byCard ? card : cash))
    if (byCard)
      await sim('POST', `/checkout_sessions/${body.payment_action.client_secret.split('_secret_')[0]}/pay`, {
        outcome: 'succeeded',
      })
    if (byCard && n % 8 === 0) {
      await until(
        async () => (await ok(shop.asOperator('GET', `/orders/${body.order_id}/payment`))).body.status === 'paid',
        30_000,
      )
      await ok(shop.asOperator('POST', `/orders/${body.order_id}/refunds`, { refund_id: newId(), amount: 100 }))
    }
    if (!byCard) await ok(shop.asOperator('POST', `/orders/${body.order_id}/payment/mark-paid`))
  }
  if (n % 2 === 0) await ok(shop.asOperator('GET', '/orders?limit=20'))
  if (n % 5 === 0) await ok(call(graph, { n }))
  const fields = { name: 'Ada', email: `ada-${n}@tillwright.test`, message: 'Do you ship to Alaska?' }
  const said = Object.entries(fields).map(([key, value]) => ({ key, value }))
  if (n % 3 === 1) await ok(visitor.call('POST', '/forms/contact/submissions', { fields: said }))
  if (n % 10 === 0) await signIn()
}

/**
 * `per_s` null: as fast as so many can be served at a time. Otherwise at even intervals; a customer above the maximum
 * waits. Until `endMs` (performance.now) or until `stopped`; customers who have begun are served to the end.
 */
export async function load(
  mix: Mix,
  o: { per_s: number | null; atOnce: number; endMs: number; from: number; stopped: () => boolean },
): Promise<Served> {
  const served: Served = { customers: 0, requests: 0, errors: new Map() }
  const begun = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: o.atOnce }, async () => {
      while (performance.now() < o.endMs && !o.stopped()) {
        const n = next++
        const wait = o.per_s === null ? 0 : begun + (n * 1000) / o.per_s - performance.now()
        if (wait > 0) await new Promise((done) => setTimeout(done, wait))
        try {
          await serve(mix, o.from + n, served)
          served.customers++
        } catch (error) {
          const said = String((error as Error).message).slice(0, 120)
          served.errors.set(said, (served.errors.get(said) ?? 0) + 1)
        }
      }
    }),
  )
  return served
}
