// The store of a round: little stock, few slots, a code with few uses, a webhook for every order event, and graphs that
// post and email them.

import { modelsKey } from '../../dev/servers/embedded.ts'
import { newToken } from '../kit/agents/chat-bot.ts'
import { workflow } from '../kit/automation/automations.ts'
import { bookable, made, promoCode } from '../kit/bookings/booking.ts'
import { newBusiness } from '../kit/business.ts'
import { until } from '../kit/codes.ts'
import { connected, product } from '../kit/orders/buying.ts'
import { newShop, type Shop, unique } from '../kit/shop.ts'
import { secret } from '../kit/webhooks/webhook-events.ts'
import type { Store } from './people/acts.ts'
import { openDesk } from './people/posts.ts'
import { openTalks } from './people/talks.ts'
import type { LinkName } from './plan.ts'
import type { World } from './world.ts'

export const limits = { scarce: 12, plenty: 1_000, uses: 5, uses_per_contact: 1, at_once: 2 } as const

/** The test kit reads its addresses from the environment. */
export function pointKitAt({ stack, apis }: World): void {
  Object.assign(process.env, stack.env, { TEST_API: apis[0], TEST_API_2: apis[1] })
  Object.assign(process.env, {
    TEST_STRIPE: stack.urls.stripe,
    TEST_STRIPE_CONTROL: stack.urls.stripe_control,
    TEST_MAIL: stack.urls.mail,
    TEST_SOCIAL: stack.urls.social,
  })
}

const edges = [{ source: 'start', target: 'tell', output: 'default' }]
const trigger = (event: string) => ({ type: 'trigger', events: [event] })
const event = '{{nodes.start.output.id}}'

async function letters(shop: Shop, to: string, port: number): Promise<string> {
  const smtp = { host: '127.0.0.1', port, security: 'none' }
  const mailbox_id = (
    await made(
      shop.asOperator('POST', '/mailboxes', { key: unique(), email: 'shop@tillwright.test', name: 'Shop', smtp }),
    )
  ).id
  const template = { key: unique(), format: 'html', subject: 'Order {{ number }}', body: '<p>{{ number }}</p>' }
  const template_id = (await made(shop.asOperator('POST', '/email-templates', template))).id
  const tell = {
    type: 'send_email',
    mailbox_id,
    template_id,
    to,
    variables: { number: '{{nodes.start.output.data.number}}' },
  }
  return (await workflow(shop, { nodes: { start: trigger('order.created'), tell }, edges })).id
}

async function openClub(shop: Shop, conditions: object[]): Promise<Store['club']> {
  const { id: audience_id } = await made(
    shop.asOperator('POST', '/audiences', { key: unique(), type: { type: 'paid' } }),
  )
  const { items } = (await shop.asOperator('GET', '/payment-providers')).body
  const provider = { type: 'card_payment', payment_provider_id: items[0].id }
  const interval = { period: 'month', count: 1 }
  const prices = [
    { amount: 900, currency: 'USD', interval },
    { amount: 9_900, currency: 'USD', interval: null },
  ]
  const tier: { prices: { id: string }[] } = (
    await shop.asOperator('POST', `/audiences/${audience_id}/tiers`, { key: unique(), provider, prices })
  ).body
  const { status, body } = await shop.asOperator('PUT', `/audiences/${audience_id}`, { status: 'active' })
  if (status !== 200) throw new Error(`not active: ${status} ${JSON.stringify(body)}`)
  const discounts = [{ type: 'audience_percentage', audience_id, bps: 1000, applies_to: 'membership' }]
  const { code } = await promoCode(shop, { discounts, conditions })
  return { audience_id, code, prices: { monthly: String(tier.prices[0]?.id), once: String(tier.prices[1]?.id) } }
}

async function openPostOffice(shop: Shop, port: number): Promise<Store['post_office']> {
  const domain = `${unique()}.example`
  const smtp = { host: '127.0.0.1', port, security: 'none' }
  const mailbox = { name: 'News', email: `news@${domain}`, smtp, limits: { connections: 8 } }
  const body = '<p>Hello {{ contact.email }}</p><a href="{{ unsubscribe_url }}">Unsubscribe</a>'
  const template = (subject: string) =>
    made(
      shop.asOperator('POST', '/email-templates', { key: unique(), type: 'campaign', format: 'html', subject, body }),
    )
  const [mailboxes, templates] = [[], []] as string[][] as [string[], string[]]
  for (let n = 0; n < 3; n++)
    mailboxes.push((await made(shop.asOperator('POST', '/mailboxes', { key: unique(), ...mailbox }))).id)
  for (const subject of ['First', 'Second']) templates.push((await template(subject)).id)
  return { mailbox_ids: mailboxes, template_ids: templates, domain }
}

async function openAgent({ links, stack }: Opened): Promise<Store['agent']> {
  const business = await newBusiness()
  const { bot, token } = newToken()
  const integrate = async (key: string, provider: object): Promise<string> => {
    const { status, body } = await business.ask('POST', '/integrations', { key, provider })
    if (status !== 201) throw new Error(`no integration: ${status} ${JSON.stringify(body)}`)
    return body.id
  }
  await integrate('model', {
    type: 'llm_a',
    apiKey: modelsKey,
    model: 'simulated',
    baseUrl: `http://127.0.0.1:${links.models.port}/v1`,
  })
  const channel = await integrate('bot', {
    type: 'chat_bot',
    botToken: token,
    baseUrl: `http://127.0.0.1:${links.chat_bot.port}`,
  })
  const { id } = await business.make('/agents', {
    prompt: 'You answer visitors.',
    modelId: 'model',
    channelIds: [channel],
  })
  await until(
    async () => (await business.ask('GET', `/integrations/${channel}`)).body.channel.status === 'connected',
    60_000,
  )
  return { business, id, bot: { number: bot, token, channel, control: String(stack.urls.chat_bot) } }
}

type Opened = { links: Record<LinkName, { port: number }>; stack: Pick<World['stack'], 'urls'> }

export async function openStore(world: Opened): Promise<Store> {
  const { links } = world
  const shop = await newShop()
  const account = await connected(shop)
  const [scarce, plenty] = [
    await product(shop, { amount: 2_000, stock: limits.scarce }),
    await product(shop, { amount: 700, stock: limits.plenty }),
  ]
  const cut = await bookable(shop, { concurrent_limit: limits.at_once })
  const conditions = [
    { type: 'max_uses', count: limits.uses },
    { type: 'max_uses_per_user', count: limits.uses_per_contact },
  ]
  const code = await promoCode(shop, { conditions })
  const receiver = `http://127.0.0.1:${links.receiver.port}`
  const [hookPath, postPath, to] = [`/hook-${unique()}`, `/post-${unique()}`, `orders-${unique()}@tillwright.test`]
  const events = [{ event: 'order.created' }, { event: 'order.updated' }]
  await made(
    shop.asOperator('POST', '/webhooks', {
      key: unique(),
      url: `${receiver}${hookPath}`,
      events,
      headers: {},
      secret,
      enabled: true,
    }),
  )
  const tell = { type: 'http', method: 'post', url: `${receiver}${postPath}`, body: { event }, timeout_ms: 10_000 }
  const post = await workflow(shop, { nodes: { start: trigger('order.updated'), tell }, edges })
  return {
    shop,
    account,
    scarce: { id: scarce.id, variant_id: scarce.variant_id },
    plenty: { id: plenty.id, variant_id: plenty.variant_id },
    service_id: cut.service_id,
    provider_id: cut.provider_id,
    slots: (await cut.free()).slice(0, 4),
    code,
    club: await openClub(shop, conditions),
    hook: { path: hookPath },
    post: { workflow_id: post.id, path: postPath },
    letter: { workflow_id: await letters(shop, to, links.mail.port), to },
    post_office: await openPostOffice(shop, links.sink.port),
    agent: await openAgent(world),
    posts: await openTalks(shop),
    desk: await openDesk(shop),
  }
}
