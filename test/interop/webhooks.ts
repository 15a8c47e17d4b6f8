// Deliveries of webhooks are verified by the Standard Webhooks and Svix libraries, which refuse altered ones.
import path from 'node:path'
import { made } from '../kit/bookings/booking.ts'
import { until } from '../kit/codes.ts'
import { newShop, unique } from '../kit/shop.ts'
import { printed } from './document.ts'
import type { Case } from './outcome.ts'
import { python, versions } from './tools.ts'
import { clientPackages } from './world.ts'

const secret = `whsec_${Buffer.from('twenty-four bytes or more').toString('base64')}`

export const webhooks: Case = {
  name: 'webhook verification',
  with: `standardwebhooks ${versions.standardwebhooks}, svix ${versions.svix} (Python)`,
  async run({ stack }, say) {
    const interpreter = await python('clients', clientPackages, say)
    const shop = await newShop()
    const at = `/verified-${unique()}`
    const events = [{ event: 'product.created' }]
    await made(
      shop.asOperator('POST', '/webhooks', {
        key: unique(),
        url: `${stack.urls.receiver}${at}`,
        events,
        headers: {},
        secret,
        enabled: true,
      }),
    )
    for (const key of ['tea', 'Grüner Tee 茶']) await made(shop.asOperator('POST', '/products', { key }))
    const arrived = async () =>
      (await (await fetch(`${stack.urls.receiver_control}/ledger?path=${at}`)).json()) as {
        headers: unknown
        body: string
      }[]
    const deliveries = await until(async () => {
      const all = await arrived()
      return all.length >= 2 && all
    }, 30_000)
    const input = JSON.stringify({ secret, deliveries: deliveries.map(({ headers, body }) => ({ headers, body })) })
    const { code, text, out } = await printed(interpreter, [path.join(import.meta.dirname, 'verify.py')], { input })
    if (code !== 0) return { shown: '', faults: [text.trim().slice(-1000)] }
    const { checked, faults } = JSON.parse(out) as { checked: number; faults: string[] }
    return { shown: `${deliveries.length} deliveries, ${checked} verifications`, faults }
  },
}
