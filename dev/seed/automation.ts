// Automation of the demo store: a webhook for orders, and a graph that thanks the buyer of a paid order.
import { randomBytes } from 'node:crypto'
import type { Call } from './call.ts'

const edge = (source: string, target: string, output: string) => ({ source, target, output })

/** Posts a paid order to the receiver, and sends the buyer an e-mail that depends on the total. */
export const paidOrders = (receiver: string, mailbox_id: string, template_id: string) => {
  const order = '{{nodes.start.output.data'
  const mail = (kind: string) => ({
    type: 'send_email' as const,
    mailbox_id,
    template_id,
    to: `${order}.email}}`,
    variables: { number: `${order}.number}}`, total: `${order}.money.total}}`, kind },
  })
  return {
    nodes: {
      start: { type: 'trigger' as const, events: ['order.updated' as const] },
      // An order is updated more than once. The update that paid it continues, and any other one within the same
      // second.
      paid: {
        type: 'switch' as const,
        rules: [{ condition: 'input.trigger.data.paid_at === input.trigger.created_at' }],
      },
      tell: {
        type: 'http' as const,
        method: 'post' as const,
        url: `${receiver}/paid-orders`,
        body: { number: `${order}.number}}`, total: `${order}.money.total}}`, currency: `${order}.money.currency}}` },
      },
      size: {
        type: 'switch' as const,
        rules: [
          { condition: '!nodes.start.output.data.email' },
          { condition: 'nodes.start.output.data.money.total >= 10000' },
        ],
      },
      thank_specially: mail('large'),
      thank: mail('small'),
    },
    edges: [
      edge('start', 'paid', 'default'),
      edge('paid', 'tell', 'rule_0'),
      edge('tell', 'size', 'success'),
      edge('size', 'thank_specially', 'rule_1'),
      edge('size', 'thank', 'fallback'),
    ],
  }
}

const page = `<mjml><mj-body><mj-section><mj-column>
  <mj-text font-size="20px">Thank you!</mj-text>
  <mj-text>We have received your payment for order {{ number }}: \${{ total | divided_by: 100.0 }}.</mj-text>
  <mj-raw>{% if kind == 'large' %}</mj-raw><mj-text>This is a large order. We will call you.</mj-text><mj-raw>{% endif %}</mj-raw>
</mj-column></mj-section></mj-body></mjml>`

/** Keeps existing records: an earlier start may have been interrupted. */
export async function automate(call: Call, storeId: string, receiver: string, smtp: URL): Promise<void> {
  const path = { storeId }
  const of = <T extends { key: string }>({ items }: { items: T[] }, wanted: string) =>
    items.find(({ key }) => key === wanted)

  if (!of(await call('GET /v1/stores/{storeId}/webhooks', { path }), 'orders')) {
    const events = (['order.created', 'order.updated'] as const).map((event) => ({ event }))
    const secret = `whsec_${randomBytes(24).toString('base64')}`
    await call('POST /v1/stores/{storeId}/webhooks', {
      path,
      body: { key: 'orders', url: `${receiver}/webhook`, events, headers: {}, secret, enabled: true },
    })
  }
  const mailbox =
    of(await call('GET /v1/stores/{storeId}/mailboxes', { path }), 'shop') ??
    (await call('POST /v1/stores/{storeId}/mailboxes', {
      path,
      body: {
        key: 'shop',
        email: 'shop@tillwright.test',
        name: 'Demo store',
        smtp: { host: smtp.hostname, port: Number(smtp.port), security: 'none' },
      },
    }))
  const template =
    of(await call('GET /v1/stores/{storeId}/email-templates', { path }), 'order-paid') ??
    (await call('POST /v1/stores/{storeId}/email-templates', {
      path,
      body: { key: 'order-paid', subject: 'Order {{ number }} is paid', body: page },
    }))
  if (of(await call('GET /v1/stores/{storeId}/workflows', { path }), 'paid-orders')) return
  await call('POST /v1/stores/{storeId}/workflows', {
    path,
    body: { key: 'paid-orders', ...paidOrders(receiver, mailbox.id, template.id) },
  })
}
