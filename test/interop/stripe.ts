// The requests of our activities to Stripe are checked against Stripe's published schema.

import { randomUUID } from 'node:crypto'
import { until } from '../kit/codes.ts'
import { connected, hasStatus, order, paidOrder, product, update } from '../kit/orders/buying.ts'
import { newShop } from '../kit/shop.ts'
import type { Case } from './outcome.ts'
import { versions } from './tools.ts'
import { there } from './world.ts'

/** Each has to be sent at least once, or nothing is proved about it. */
const needed = [
  'POST /v1/accounts',
  'GET /v1/accounts/{acct}',
  'POST /v1/account_links',
  'POST /v1/checkout/sessions',
  'POST /v1/checkout/sessions/{cs}/expire',
  'POST /v1/refunds',
]

export const stripe: Case = {
  name: 'stripe-mock',
  with: `stripe-mock ${versions['stripe-mock']}`,
  async run({ mock, tee }) {
    there(mock)
    const shop = await newShop()
    await connected(shop)
    const tea = await product(shop, { stock: 10, requires_shipping: false })
    const paid = await paidOrder(shop, [tea.item(2)])
    const refund = { refund_id: randomUUID(), amount: 500 }
    const refunded = await shop.asOperator('POST', `/orders/${paid.order_id}/refunds`, refund)
    const faults =
      refunded.status < 300 ? [] : [`the refund was answered ${refunded.status} ${JSON.stringify(refunded.body)}`]
    const unpaid = await order(shop, [tea.item(1)], {
      payment_method_key: 'credit_card',
      return_url: 'https://shop.example/thanks',
    })
    await update(shop, unpaid.order_id, { cancel: true })
    await hasStatus(shop, unpaid.order_id, 'cancelled')
    const expired = async () => (await tee.judged()).some(({ what }) => what.endsWith('/expire'))
    await until(expired, 30_000).catch(() => faults.push('the session of a cancelled order was not expired'))
    const judged = await tee.judged()
    const seen = new Map<string, number>()
    for (const { what } of judged) seen.set(what, (seen.get(what) ?? 0) + 1)
    faults.push(
      ...judged
        .filter(({ status }) => status < 200 || status > 299)
        .map(({ what, status, said }) => `${what}: ${status} ${said}`),
    )
    faults.push(...needed.filter((what) => !seen.has(what)).map((what) => `no ${what} was sent`))
    return { shown: `${judged.length} requests of ${seen.size} kinds`, faults: [...new Set(faults)] }
  },
}
