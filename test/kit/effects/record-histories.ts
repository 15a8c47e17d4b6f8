// `npm run histories` records the history of every scenario below on a stack of its own and writes them to
// test/histories, which test/replay.test.ts replays.
// It takes a few minutes and needs nothing else; histories without a scenario are deleted. `npm run histories --
// refund-due mail-put-off` records only these.
// A scenario that fails is named at the end, exit code 1, and its file stays as it was. Run it for a new workflow, or
// for a change that must break running workflows; never only to make a failing replay pass.
import fs from 'node:fs'
import path from 'node:path'
import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { stopAll } from '../../../dev/child.ts'
import { beginErasure } from '../../../entities/erasure/erasures.ts'
import { openOrm, unitOf } from '../../../entities/kit/database/orm.ts'
import { newId } from '../../../entities/kit/ids.ts'
import { start } from '../../../entities/kit/outbox.ts'
import { createNetwork } from '../../../entities/networks/networks.ts'
import { joinScript } from '../../../entities/platform/script-runs.ts'
import type { ScriptName } from '../../../rules/platform/scripts.ts'
import { newBot, newToken, startChatBot, update as updateOf } from '../agents/chat-bot.ts'
import { newAgent, startModels } from '../agents/models.ts'
import { newResearch, page, read, record } from '../agents/research.ts'
import { forever, monthly, paidAudience, subscribe, subscriptionsOf } from '../audiences/paid-audiences.ts'
import { memberToken, newPaidClub, newPaidMember } from '../audiences/paid-members.ts'
import { beginRows, changeRows, joined, manageLink, newClub, paymentRows } from '../audiences/subscribing.ts'
import { workflow } from '../automation/automations.ts'
import { begin, edge, ended, executionOf, type GivenGraph, newWorkflow } from '../automation/graphs.ts'
import { bookable, promoCode } from '../bookings/booking.ts'
import { booking, changed, soon } from '../bookings/booking-reminders.ts'
import { newSalon } from '../business.ts'
import { importInto, launched, newCampaign, newMailbox } from '../campaigns/campaigns.ts'
import { until } from '../codes.ts'
import { photo, send } from '../content/files.ts'
import {
  buyer,
  card,
  checkOut,
  connect,
  connected,
  hasStatus,
  order,
  paidOrder,
  paidTooLate,
  product,
  providerOf,
  sim,
  update,
} from '../orders/buying.ts'
import { database, http, newEmail, newShop, type Shop, unique } from '../shop.ts'
import { comment, comments, published as publishedSocial, reply, sync, synced } from '../social/engagement.ts'
import { picture as imageOf, now, scheduled } from '../social/publications.ts'
import { connect as connectSocial, socialFault } from '../social/social.ts'
import { startLab } from '../stack/lab.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { newWebhook, publish } from '../webhooks/webhook-events.ts'
import { fault, mailFault } from './provider.ts'

const folder = path.resolve(import.meta.dirname, '../../histories')
const settings = {
  ...{
    SEND_LIMIT_MS: '1000',
    RECONCILE_EVERY_MS: '60000',
    CHECKOUT_HOLD_MINUTES: '0.1',
    DELIVERY_RETRY_S: '0,3',
    DELIVERY_TIMEOUT_MS: '1000',
  },
  ...{ MAIL_RETRY_S: '2,2', CAMPAIGN_RETRY_S: '3', MODEL_LIMIT_MS: '1500', SOCIAL_PROOF_S: '0,0.5,1' },
}
const lab = await startLab('histories', settings)
await lab.stack.startApi(settings)
let worker = await lab.startWorker(settings)
const connection = await Connection.connect({ address: lab.stack.env.TEMPORAL_ADDRESS as string })
const temporal = new Client({ connection })
const orm = await openOrm({ url: lab.stack.env.DATABASE_URL as string, pool: 2 })

const receiver = await startReceiver(lab.stack.dir)
const models = await startModels(lab.stack.dir)
const agent = await newAgent(models)
const service = await startChatBot(lab.stack.dir)
const research = await newResearch(models)
const shop = await newShop()
const account = await connected(shop)
const tea = await product(shop, { amount: 10_000 })
const { order_id: paid } = await paidOrder(shop, [tea.item(1)])
const club = await newClub(shop, account)

const researchTurn = async ({ id }: { id: string }) => {
  await research.ended(id)
  const { rows } = await database().query(
    'select m.turn_id from research_members m join research_runs r on r.id = m.research_run_id where r.run_id = $1',
    [id],
  )
  return `model_turn/${rows[0].turn_id}`
}

async function refund(given?: Record<string, unknown>): Promise<string> {
  const refund_id = newId()
  if (given) await fault({ body_match: refund_id, ...given })
  const { body } = await shop.asOperator('POST', `/orders/${paid}/refunds`, { refund_id, amount: 100 })
  return `refund/${body.id}`
}
const turnOf = async ({ body }: { body: { messageId: string } }): Promise<string> =>
  `model_turn/${(await database().query('select turn_id from chat_messages where message_id = $1', [body.messageId])).rows[0].turn_id}`
/** The process of what the agent replies to a message of a visitor of a bot. */
async function channelReply(fault?: object, nth = 1): Promise<string> {
  const [word, salon] = [unique(), await newAgent(models)]
  const bot = await newBot(service, salon)
  if (fault) await service.fault({ path: '/bot*/sendMessage', body_match: word, ...fault })
  await bot.deliver(updateOf(word))
  const rows = () =>
    database().query('select id from channel_messages where channel_id = $1 and status not in ($2, $3) order by try', [
      bot.channel,
      'requested',
      'processing',
    ])
  return `channel_message/${(await until(async () => (await rows()).rows[nth - 1])).id}`
}
const deferred = { fault: 'answer', status: 429, body: { ok: false, parameters: { retry_after: 1 } } }

const providerRow = async (of: Shop) => (await providerOf(of)).id as string
const linkOf = async (provider: string) =>
  (await database().query('select id from onboarding_links where payment_provider_id = $1', [provider])).rows[0]?.id

/** A tier with one monthly price of this amount. */
async function provisioned(amount: number): Promise<string> {
  const { price_id } = await newPaidClub(shop, account, amount)
  const { rows } = await database().query('select id from price_provisions where price_id = $1', [price_id])
  return `price_provision/${rows[0].id}`
}

/** A visit of the page where a new member changes the card. */
async function portal(of: Shop, at: string): Promise<string> {
  const member = await newPaidMember(of, await newPaidClub(of, at))
  const token = await memberToken(of, member)
  await http('POST', `/v1/customer/audiences/payment-method?token=${token}`, {
    body: { return_url: 'https://shop.example/' },
  })
  const { rows } = await database().query('select id from portal_links where subscription_id = $1', [
    member.subscription_id,
  ])
  return `portal/${rows[0].id}`
}

const trigger = { type: 'trigger' }
const posts = (at: string, more: Record<string, unknown> = {}) => ({
  type: 'http',
  method: 'post',
  url: `${receiver.url}/${at}`,
  timeout_ms: 1_000,
  ...more,
})
const run = async (graph: GivenGraph) =>
  begin(shop.store_id, await newWorkflow(shop.store_id, graph), { names: ['a', 'b', 'c'] })
const posting = (at: string, more?: Record<string, unknown>): GivenGraph => ({
  nodes: { start: trigger, call: posts(at, more) },
  edges: [edge('start', 'call', 'default')],
})

const cardClub = await paidAudience(shop, account, [monthly, forever])
/** A visitor with an open page for the first price; `first` is the workflow of its checkout. */
async function subscriber(more: { promo_code?: string } = {}) {
  const visitor = await shop.visitor(newEmail())
  await subscribe(visitor, cardClub, 0, more)
  const [open] = await subscriptionsOf(visitor.contact_id)
  return { visitor, first: `checkout/${open?.id}` }
}

const imported = async (): Promise<string> =>
  (await importInto(shop, (await newCampaign(shop)).id, { emails: [newEmail()] })).id

/** Deletes a business with an open payment page, without waiting for the end. */
async function erased(): Promise<string> {
  const of = await newShop()
  await connected(of)
  await order(of, [(await product(of)).item(1)], card)
  await database().query("update tenants set kind = 'business' where id = $1", [of.store_id])
  await unitOf(orm, of.store_id).transactional((em) =>
    beginErasure(em, of.store_id, of.op.account_id, Math.floor(Date.now() / 1000)),
  )
  return `erasure/${(await database().query('select id from erasures where erased_id = $1', [of.store_id])).rows[0].id}`
}

/** A booking that has to be approved, whose card is authorised. */
async function asked(): Promise<{ id: string; put: (body: object) => Promise<unknown> }> {
  const { shop: of, op, as, open } = await newSalon()
  const cut = await bookable(of, { prices: [{ market: 'booking', amount: 3_000 }] })
  const [slot] = await cut.free()
  await database().query('update services set is_approval_required = true where id = $1', [cut.service_id])
  await open()
  const item = { serviceId: cut.service_id, providerId: cut.provider_id, slots: [{ from: slot?.from, to: slot?.to }] }
  const { body } = await as(await of.visitor(), 'POST', '/bookings/checkout', {
    items: [item],
    paymentMethodId: 'credit_card',
  })
  const { id } = body.booking
  await sim('POST', `/checkout_sessions/${body.paymentAction.clientSecret.split('_secret_')[0]}/pay`)
  await until(async () => (await op('GET', `/bookings/${id}`)).body.status === 'AUTHORIZED')
  return { id, put: (change) => op('PUT', `/bookings/${id}`, change) }
}
/** Its decision. */
async function decided(status: string): Promise<string> {
  const { id, put } = await asked()
  await put({ status })
  return `authorization_end/${(await database().query('select id from authorization_ends where order_id = $1', [id])).rows[0].id}`
}

/** Starts a script without waiting for it. */
async function maintain(name: ScriptName): Promise<string> {
  const { id } = await orm.em.fork().transactional((em) => joinScript(em, name, null, Math.floor(Date.now() / 1000)))
  return id
}

/** A member whose subscription had no workflow: the provider's subscription of another one. */
async function liveMember() {
  const { id, subscription, customer } = await joined(club)
  const own = await beginRows(club)
  await database().query('update subscriptions set provider_subscription_id = null where id = $1', [id])
  await database().query(
    `update subscriptions set status = 'live', hold_until = null, provider_subscription_id = $2, provider_customer_id = $3, paid_through_at = 9999999999, billing_status = 'active', event_at = 1
     where id = $1`,
    [own.id, subscription, customer],
  )
  return { ...own, subscription }
}

/** A reply to a comment on network b. */
async function answered(text = 'Thank you!'): Promise<string> {
  const at = await publishedSocial(shop, 'network_b_business')
  await comment(at, 'Great')
  const [found] = await synced(at)
  const { body } = await reply(at, found?.id as string, { reply_id: newId(), text })
  return `social_reply/${body.id}`
}

/** Each runs one workflow and returns its id. */
const scenarios: Record<string, () => Promise<string>> = {
  'checkout-paid': async () => `checkout/${(await paidOrder(shop, [tea.item(1)])).order_id}`,
  'checkout-approved': async () => {
    const { id, put } = await asked()
    await put({ status: 'CONFIRMED' })
    return `checkout/${id}`
  },
  'authorization-captured': () => decided('CONFIRMED'),
  'authorization-cancelled': () => decided('CANCELLED'),
  'checkout-expired': async () => {
    const { order_id } = await order(shop, [tea.item(1)], card)
    await hasStatus(shop, order_id, 'cancelled')
    return `checkout/${order_id}`
  },
  'checkout-replaced': async () => {
    const { visitor, first } = await subscriber()
    await subscribe(visitor, cardClub, 1)
    return first
  },
  'checkout-coupon-found': async () => {
    const { code } = await promoCode(shop, {
      discounts: [{ type: 'audience_percentage', audience_id: cardClub.id, bps: 1000 }],
    })
    await fault({ body_match: `name=${code}`, fault: 'reset_after_read', after_effect: true })
    return (await subscriber({ promo_code: code })).first
  },
  'checkout-cancelled': async () => {
    const { order_id } = await order(shop, [tea.item(1)], card)
    await update(shop, order_id, { cancel: true })
    await hasStatus(shop, order_id, 'cancelled')
    return `checkout/${order_id}`
  },
  'checkout-rejected': async () => {
    await fault({ path: '/v1/checkout/sessions', fault: 'status', status: 402 })
    const { visitor, cart } = await buyer(shop, [tea.item(1)])
    return `checkout/${(await checkOut(visitor, cart, card)).body.order_id}`
  },
  'checkout-unknown': async () => {
    await fault({ path: '/v1/checkout/sessions', fault: 'hang', after_effect: true })
    const { visitor, cart } = await buyer(shop, [tea.item(1)])
    return `checkout/${(await checkOut(visitor, cart, card)).body.order_id}`
  },
  'refund-succeeded': () => refund(),
  'refund-rejected': () => refund({ fault: 'status', status: 402 }),
  'refund-unknown': () => refund({ fault: 'hang' }),
  'refund-retried': async () => {
    await sim('POST', '/listen', { up: false, for_ms: 1_500 })
    return refund()
  },
  'refund-pending': async () => {
    await sim('POST', '/next_refund', { status: 'pending', account })
    return refund()
  },
  // Refused, though the order is cancelled: an operator has to refund the rest.
  'refund-due': async () => {
    const { order_id } = await paidTooLate(shop, account, [tea.item(1)], () =>
      fault({ path: '/v1/refunds', account, fault: 'status', status: 402 }),
    )
    return `refund/${await until(async () => (await database().query('select id from refunds where order_id = $1', [order_id])).rows[0]?.id)}`
  },
  'refund-answer-kept': async () => {
    lab.failAt('before_settle', 'refunds', 'throw')
    return refund()
  },
  'refund-worker-killed': async () => {
    lab.failAt('after_stamp', 'refunds', 'kill')
    const asked = refund()
    await worker.child.ended
    worker = await lab.startWorker(settings)
    return asked
  },
  'membership-paid': async () => {
    const { id } = await joined(club)
    await until(async () => (await paymentRows(id))[0]?.provider_payment_id)
    return `membership/${id}`
  },
  'membership-cancelled': async () => {
    const member = await liveMember()
    await (await manageLink(member))('POST', 'subscription/cancel')
    await until(async () => (await changeRows(member.id))[0]?.status === 'succeeded')
    return `membership/${member.id}`
  },
  // The answer to a cancellation is lost: the subscription is read until it shows it.
  'membership-cancel-unknown': async () => {
    const member = await liveMember()
    await fault({
      path: `/v1/subscriptions/${member.subscription}`,
      method: 'POST',
      fault: 'reset_after_read',
      after_effect: true,
    })
    await (await manageLink(member))('POST', 'subscription/cancel')
    await until(async () => (await changeRows(member.id))[0]?.late_evidence)
    return `membership/${member.id}`
  },
  'mail-succeeded': async () => {
    await http('POST', '/v1/auth/code', { body: { email: newEmail() } })
    const mail = await until(
      async () => (await database().query(`select id from mails where status = 'succeeded'`)).rows[0]?.id,
    )
    return `mail/${mail}`
  },
  // The mail server asks for a later attempt.
  'mail-put-off': async () => {
    const email = newEmail()
    await mailFault({ step: 'rcpt', action: 'greylist', to: email, delay_ms: 1_000 })
    await http('POST', '/v1/auth/code', { body: { email } })
    const mail = await until(
      async () =>
        (await database().query(`select id from mails where status = 'succeeded' and attempt = 2`)).rows[0]?.id,
      30_000,
    )
    return `mail/${mail}`
  },
  'campaign-message-succeeded': async () => {
    const { id } = await newCampaign(shop)
    const { body } = await shop.asOperator('POST', `/campaigns/${id}/test`, {
      message_id: newId(),
      step: 0,
      to: newEmail(),
    })
    return `campaign_message/${body.id}`
  },
  'campaign-message-unknown': async () => {
    const [{ id }, to] = [await newCampaign(shop), newEmail()]
    await mailFault({ step: 'after_data', action: 'reset', to })
    const { body } = await shop.asOperator('POST', `/campaigns/${id}/test`, { message_id: newId(), step: 0, to })
    return `campaign_message/${body.id}`
  },
  'onboarding-link-succeeded': async () => {
    const another = await newShop()
    await connect(another)
    return `onboarding_link/${await linkOf(await providerRow(another))}`
  },
  'onboarding-link-not-needed': async () => {
    const another = await newShop()
    await connect(another)
    const { id, account_id } = await providerOf(another)
    await sim('POST', `/accounts/${account_id}`, { charges_enabled: true, details_submitted: true })
    // The event was lost: we do not know yet.
    await until(async () => (await providerOf(another)).ready)
    await database().query('update payment_providers set charges_enabled = false where id = $1', [id])
    await database().query('delete from onboarding_links where payment_provider_id = $1', [id])
    await connect(another)
    return `onboarding_link/${await linkOf(id)}`
  },
  'price-provision-succeeded': () => provisioned(500),
  // Sent, and found at the provider by its lookup key.
  'price-provision-found': async () => {
    await fault({ path: '/v1/prices', account, fault: 'reset_after_read', after_effect: true })
    return provisioned(501)
  },
  // The first link of the account, which creates the configuration.
  'portal-configured': async () => {
    const another = await newShop()
    return portal(another, await connected(another))
  },
  'portal-opened': async () => {
    await portal(shop, account)
    return portal(shop, account)
  },
  // Neither the configuration nor, therefore, the link was created.
  'portal-not-configured': async () => {
    const another = await newShop()
    const at = await connected(another)
    await fault({ path: '/v1/billing_portal/configurations', account: at, fault: 'status', status: 400 })
    return portal(another, at)
  },
  'connect-succeeded': async () => {
    const id = newId()
    await database().query(
      `insert into payment_providers (id, tenant_id, created_at, updated_at, type, charges_enabled, payouts_enabled, details_submitted, status, fingerprint, attempt)
       values ($1, $2, 0, 0, 'stripe', false, false, false, 'requested', '', 0)`,
      [id, newId()],
    )
    await temporal.workflow.start('connect', { workflowId: `connect/${id}`, taskQueue: 'money', args: [id] })
    return `connect/${id}`
  },
  // Of an account that was made long ago: its events do not say how it stands.
  'connect-read': async () => {
    const id = await providerRow(shop)
    await temporal.workflow.signalWithStart('connect', {
      workflowId: `connect/${id}`,
      taskQueue: 'money',
      args: [id],
      signal: 'changed',
    })
    return `connect/${id}`
  },
  // A day before each slot: the first is late already, the second is waited for.
  'booking-reminder-sent': async () => {
    const id = await booking(shop.store_id, [soon(3_600), soon(86_402)])
    await changed(orm, id, { status: 'confirmed' })
    return `booking_reminder/${id}`
  },
  'booking-reminder-moved-and-cancelled': async () => {
    const id = await booking(shop.store_id, [soon(86_400 + 300)])
    const workflow = `booking_reminder/${id}`
    const sleeps = (times: number) =>
      until(async () => {
        const history = await temporal.workflow
          .getHandle(workflow)
          .fetchHistory()
          .catch(() => null)
        return (
          (history?.events ?? []).filter(({ timerStartedEventAttributes }) => timerStartedEventAttributes).length ===
          times
        )
      })
    await changed(orm, id, { status: 'confirmed' })
    await sleeps(1)
    await changed(orm, id, { slots: [soon(86_400 + 500)] })
    await sleeps(2)
    await changed(orm, id, { status: 'cancelled' })
    return workflow
  },
  // Read when it is configured and when it is changed, and ended when it is removed.
  'inbox-read': async () => {
    const imap = {
      host: '127.0.0.1',
      port: Number(process.env.TEST_IMAP),
      security: 'none',
      username: 'inbox@tillwright.test',
      password: 'imap',
    }
    const { id } = await newMailbox(shop, { imap })
    const readAt = async (uid: number) => {
      const { rows } = await database().query('select imap_uid from mailboxes where id = $1', [id])
      return Number(rows[0].imap_uid) === uid && rows[0].imap_uid !== null
    }
    await until(() => readAt(0))
    await fetch(`${process.env.TEST_MAIL}/inbox?to=inbox@tillwright.test`, {
      method: 'POST',
      body: 'Subject: Hello\r\n\r\nHello',
    })
    await shop.asOperator('PUT', `/mailboxes/${id}`, { imap })
    await until(() => readAt(1))
    await shop.asOperator('PUT', `/mailboxes/${id}`, { imap: null })
    return `inbox/${id}`
  },
  'execution-posted': async () => `execution/${await run(posting('posted'))}`,
  'execution-branches-and-loop': async () => {
    const id = await run({
      nodes: {
        start: trigger,
        each: { type: 'loop', items: '{{input.trigger.names}}' },
        called: posts('looped', { body: '{{nodes.each.output.item}}' }),
        aside: posts('aside'),
        read: { type: 'http', method: 'get', url: `${receiver.url}/read` },
        join: { type: 'switch', rules: [{ condition: 'nodes.each.output.length === 3' }] },
        last: posts('last'),
      },
      edges: [
        ...[
          edge('start', 'each', 'default'),
          edge('each', 'called', 'each'),
          edge('called', 'each', 'success', true),
          edge('start', 'aside', 'default'),
        ],
        ...[
          edge('start', 'read', 'default'),
          edge('each', 'join', 'done'),
          edge('aside', 'join'),
          edge('read', 'join'),
          edge('join', 'last', 'rule_0'),
        ],
      ],
    })
    return `execution/${id}`
  },
  'execution-unknown': async () => {
    await receiver.rule('/silent', { do: 'hang' })
    return `execution/${await run(posting('silent'))}`
  },
  'execution-retried': async () => {
    await receiver.listen(false)
    const id = await run(posting('later'))
    await until(async () => (await executionOf(id)).runs.call?.error?.code === 'egress_not_sent')
    await receiver.listen(true)
    return `execution/${id}`
  },
  'execution-put-off': async () => {
    const { hostname, port } = new URL(process.env.SMTP_URL as string)
    const [mailbox_id, template_id, to] = [newId(), newId(), newEmail()]
    await database().query(
      `insert into mailboxes (id, tenant_id, created_at, updated_at, key, email, status, smtp_host, smtp_port, smtp_security)
       values ($1, $2, 1, 1, 'shop', 'shop@tillwright.test', 'active', $3, $4, 'none')`,
      [mailbox_id, shop.store_id, hostname, Number(port)],
    )
    await database().query(
      `insert into email_templates (id, tenant_id, created_at, updated_at, key, type, status, format, subject, body)
       values ($1, $2, 1, 1, 'hello', 'transactional', 'active', 'html', 'Hello', '<p>Hello</p>')`,
      [template_id, shop.store_id],
    )
    await mailFault({ step: 'rcpt', action: 'greylist', to, delay_ms: 1_000 })
    const mail = { type: 'send_email', mailbox_id, template_id, to, variables: {} }
    const id = await run({ nodes: { start: trigger, mail }, edges: [edge('start', 'mail', 'default')] })
    await ended(id, 60_000)
    return `execution/${id}`
  },
  // Two other executions of its store hold the slots.
  'execution-computed': async () => {
    const loop = {
      nodes: {
        start: trigger,
        each: { type: 'loop', items: 'Array.from({ length: 300 }, (_, n) => n)' },
        code: { type: 'transform', code: 'let n = 0; for (let i = 0; i < 20_000; i++) n += i % 7; return n' },
      },
      edges: [edge('start', 'each', 'default'), edge('each', 'code', 'each'), edge('code', 'each', 'success', true)],
    }
    const ids = [await run(loop), await run(loop), await run(loop)]
    for (const id of ids) await ended(id, 300_000)
    return `execution/${ids[2]}`
  },
  'execution-delayed': async () => `execution/${await run(posting('delayed', { delay_ms: 1_200 }))}`,
  'execution-cancelled': async () => {
    const id = await run(posting('never', { delay_ms: 3_600_000 }))
    await until(async () => (await executionOf(id)).runs.call)
    await database().query('update executions set cancel_requested = true where id = $1', [id])
    await temporal.workflow.getHandle(`execution/${id}`).signal('changed')
    return `execution/${id}`
  },
  'execution-worker-killed': async () => {
    lab.failAt('after_stamp', 'node_runs', 'kill')
    const id = await run(posting('killed'))
    await worker.child.ended
    worker = await lab.startWorker(settings)
    await ended(id, 60_000)
    return `execution/${id}`
  },
  'deliver-told': async () => {
    const { id } = await newWebhook(shop, receiver, { events: [{ event: 'entry.created' }] })
    await publish(orm, shop.store_id, [{ n: 1 }, { n: 2 }], 'entry.created')
    return `deliver/${id}`
  },
  'deliver-retried': async () => {
    const { id, path: at } = await newWebhook(shop, receiver, { events: [{ event: 'entry.updated' }] })
    await receiver.rule(at, { status: 500 }, 1)
    await publish(orm, shop.store_id, [{ n: 1 }], 'entry.updated')
    return `deliver/${id}`
  },
  // Its worker dies while events keep coming: another one looks for them before his beats are missed.
  'deliver-worker-killed': async () => {
    const { id, path: at } = await newWebhook(shop, receiver, { events: [{ event: 'entry.deleted' }] })
    let n = 0
    const stream = async (over: () => Promise<boolean>) => {
      while (!(await over())) await publish(orm, shop.store_id, [{ n: n++ }], 'entry.deleted')
    }
    const since = Date.now()
    await stream(async () => Date.now() > since + 2_000)
    const second = lab.startWorker(settings)
    let up = false
    void second.then(() => {
      up = true
    })
    await stream(async () => up)
    worker.kill('SIGKILL')
    await worker.child.ended
    const before = await receiver.count(at)
    await stream(async () => (await receiver.count(at)) > before)
    worker = await second
    return `deliver/${id}`
  },
  'webhook-test-succeeded': async () => {
    const { id: webhook_id } = await newWebhook(shop, receiver)
    const delivery_id = newId()
    await shop.asOperator('POST', '/webhooks/test', { delivery_id, webhook_id })
    return `webhook_test/${(await database().query('select id from webhook_tests where delivery_id = $1', [delivery_id])).rows[0].id}`
  },
  'webhook-test-unknown': async () => {
    const { id: webhook_id, path: at } = await newWebhook(shop, receiver)
    await receiver.rule(at, { do: 'reset_after_read' }, 1)
    const delivery_id = newId()
    await shop.asOperator('POST', '/webhooks/test', { delivery_id, webhook_id })
    return `webhook_test/${(await database().query('select id from webhook_tests where delivery_id = $1', [delivery_id])).rows[0].id}`
  },
  'oauth-exchange-succeeded': async () => {
    await receiver.rule('/oauth/token', { body: { access_token: 'token' } }, 1)
    const client = {
      type: 'identity_oauth',
      client_id: 'client',
      client_secret: 'secret',
      base_url: `${receiver.url}/oauth`,
    }
    await shop.asOperator('POST', '/integrations', { key: unique(), provider: client })
    const sent = { provider: 'calendar', code: unique(), redirect_uri: 'https://shop.example/' }
    const { body } = await shop.asOperator('POST', '/oauth/connect', sent)
    return `oauth_exchange/${(await database().query('select id from oauth_exchanges where connection_id = $1', [body.id])).rows[0].id}`
  },
  'social-sync-completed': async () => {
    const at = await publishedSocial(shop, 'network_b_business')
    await comments(at, 'Read', 120)
    await sync(at, {
      publication_ids: [at.publication],
      max_comment_pages_per_publication: 5,
      max_comments_per_publication: 1_000,
    })
    return `social_sync/${shop.store_id}`
  },
  'social-sync-worker-killed': async () => {
    const of = await newShop()
    const at = await publishedSocial(of, 'network_b_business')
    await comments(at, 'Read', 120)
    lab.failAt('sync_page', 'social_syncs', 'kill')
    const syncing = sync(at, {
      publication_ids: [at.publication],
      max_comment_pages_per_publication: 5,
      max_comments_per_publication: 1_000,
    })
    await worker.child.ended
    worker = await lab.startWorker(settings)
    await syncing
    return `social_sync/${of.store_id}`
  },
  'social-reply-succeeded': () => answered(),
  // Its answer is lost, and its thread shows it.
  'social-reply-found': async () => {
    const text = `Lost ${unique()}`
    await socialFault({
      path: '/graph.instagram.com/*/replies',
      method: 'POST',
      fault: 'reset_after_read',
      after_effect: true,
      body_match: text.slice(5),
    })
    return answered(text)
  },
  'social-classification-succeeded': async () => {
    const of = await newShop()
    const at = await publishedSocial(of, 'network_b_business')
    await comments(at, 'Great', 2)
    await synced(at)
    const { type, api_key, model, base_url } = models.provider()
    await of.asOperator('POST', '/integrations', { key: 'labels', provider: { type, api_key, model, base_url } })
    await of.asOperator('POST', '/social-publications/comments/classify', { publication_id: at.publication })
    return `social_classification/${(await database().query('select id from social_classifications where tenant_id = $1', [of.store_id])).rows[0].id}`
  },
  'social-connect-succeeded': async () => {
    const id = await connectSocial(shop, 'network_d_account', unique())
    const { rows } = await database().query('select id from social_authorizations where connections @> $1', [
      JSON.stringify([id]),
    ])
    return `social_connect/${rows[0].id}`
  },
  'social-token-refreshed': async () => {
    const id = await connectSocial(shop, 'network_b_business', unique())
    await database().query(
      'update social_connections set token_expires_at = token_expires_at - 52 * 86400 where id = $1',
      [id],
    )
    await unitOf(orm, null).transactional((em) =>
      start(em, 'social_connection', id, { tenant_id: shop.store_id, signal: true }),
    )
    const requestOf = () =>
      database().query('select id from social_token_requests where social_connection_id = $1', [id])
    await until(async () => (await requestOf()).rows.length > 0)
    return `social_token_request/${(await requestOf()).rows[0].id}`
  },
  // Connected, and disconnected while it waits.
  'social-connection-ended': async () => {
    const id = await connectSocial(shop, 'network_d_account', unique())
    await until(
      async () =>
        (await database().query('select 1 from social_connections where id = $1 and look_at > refreshed_at', [id])).rows
          .length > 0,
    )
    await shop.asOperator('DELETE', `/social-connections/${id}`)
    return `social_connection/${id}`
  },
  // A picture, made ahead of its time.
  'publication-published': async () => {
    const connection = await connectSocial(shop, 'network_b_business', unique())
    const content = { type: 'network_b_business', caption: unique(), media_ids: [await imageOf(shop)] } as const
    const { id } = await scheduled(shop, connection, content, now() + 4)
    return `publication/${id}`
  },
  // The answer is lost, and nothing is found.
  'publication-unknown': async () => {
    const connection = await connectSocial(shop, 'network_d_account', unique())
    const caption = unique()
    await socialFault({ path: '/api.x.com/2/tweets', body_match: caption, fault: 'reset_after_read' })
    const { id } = await scheduled(shop, connection, { type: 'network_d_account', caption })
    return `publication/${id}`
  },
  'model-turn-answered': async () => {
    const word = unique()
    await models.script({
      match: word,
      answers: [{ calls: [{ name: 'search_products', arguments: { query: word } }] }, { text: 'There is none.' }],
    })
    return turnOf(await agent.say(`Hello ${word}`))
  },
  'model-turn-retried': async () => {
    const word = unique()
    await models.script({
      match: word,
      answers: [{ status: 429, headers: { 'retry-after': '1' } }, { text: 'Hello.' }],
    })
    return turnOf(await agent.say(`Hello ${word}`))
  },
  'model-turn-unknown': async () => {
    const word = unique()
    await models.fault({ fault: 'reset_after_read', body_match: word })
    return turnOf(await agent.say(`Hello ${word}`))
  },
  'model-turn-worker-killed': async () => {
    const word = unique()
    await models.script({ match: word, answers: [{ text: 'Late.', delay_ms: 30_000 }] })
    const sent = agent.say(`Hello ${word}`)
    await until(async () => (await models.requests(word)).length > 0)
    worker.kill('SIGKILL')
    worker = await lab.startWorker(settings)
    return turnOf(await sent)
  },
  // Connected, and disconnected with its integration: its first run is the one that connects it.
  'channel-connected': async () => `channel/${(await newBot(service, await newAgent(models))).channel}`,
  'channel-tried-again': async () => {
    const { token } = newToken()
    await service.fault({ fault: 'status', path: `/bot${token}/*`, status: 502, times: 2 })
    const provider = { type: 'chat_bot', bot_token: token, base_url: service.url }
    const { body } = await shop.asOperator('POST', '/integrations', { key: unique(), provider })
    return `channel/${body.id}`
  },
  'channel-message-sent': () => channelReply(),
  'channel-message-deferred': () => channelReply(deferred, 2),
  'channel-message-unknown': () => channelReply({ fault: 'reset_after_read' }),
  'model-turn-of-research': async () => {
    const word = unique()
    const url = await page(receiver, `/${word}`, '<p>Acme has 12 shops.</p>')
    await models.script({
      match: word,
      answers: [{ calls: [read(url)] }, { calls: [record([{ quote: 'Acme has 12 shops.' }])] }, { text: 'Done.' }],
    })
    return researchTurn(await research.begin([await research.lead()], `Goal ${word} ${url}`))
  },
  'model-turn-killed-while-it-reads': async () => {
    const word = unique()
    const url = await page(receiver, `/${word}`, '<p>Acme has 12 shops.</p>', { delay_ms: 3_000 })
    await models.script({ match: word, answers: [{ calls: [read(url)] }, { text: 'Done.' }] })
    const run = await research.begin([await research.lead()], `Goal ${word} ${url}`)
    await until(async () => (await receiver.count(`/${word}`)) > 0)
    worker.kill('SIGKILL')
    worker = await lab.startWorker(settings)
    return researchTurn(run)
  },
  // Signalled again while it works, or afterwards: its first run shows more.
  'schedule-changed': async () => {
    const { id } = await workflow(shop, { schedule: '0 0 29 2 *' })
    await Promise.all(
      Array.from({ length: 4 }, (_, n) => shop.asOperator('PUT', `/workflows/${id}`, { schedule: `${n} 0 29 2 *` })),
    )
    return `schedule/${id}`
  },
  'media-variants': async () => `media/${await picture()}`,
  // A bucket that is away is tried again.
  'media-tried-again': async () => {
    lab.failAt('media', 'media', 'throw')
    return `media/${await picture()}`
  },
  'media-deleted-at-work': async () => {
    lab.failAt('media-kept', 'media', 'wait:1500')
    const sending = picture()
    await lab.failed('media-kept', 'media')
    const { items } = (await shop.asOperator('GET', '/media?limit=1')).body
    await shop.asOperator('DELETE', `/media/${items[0].id}`)
    await sending
    return `media/${items[0].id}`
  },
  'scheduled-occurrence': async () => {
    // The words that the engine's UI shows are letters alone, as every text of a history is here.
    const { id } = await workflow(await newShop({ key: 'nightly' }), { key: 'tidying up', schedule: '0 0 29 2 *' })
    const schedule = temporal.schedule.getHandle(`schedule/${id}`)
    await until(() => schedule.describe().catch(() => null))
    await schedule.trigger()
    const action = await until(async () => (await schedule.describe()).info.recentActions[0]?.action)
    return action.workflow.workflowId
  },
  'dispatch-sent': async () => {
    const { mailbox_ids } = await launched(shop, { emails: [newEmail(), newEmail()] })
    return `dispatch/${mailbox_ids[0]}`
  },
  'dispatch-put-off': async () => {
    const to = newEmail()
    await mailFault({ step: 'rcpt', action: 'greylist', to, delay_ms: 1_000 })
    const { mailbox_ids } = await launched(shop, { emails: [to] })
    return `dispatch/${mailbox_ids[0]}`
  },
  'enrollment-import-completed': async () => `enrollment_import/${await imported()}`,
  'enrollment-import-worker-killed': async () => {
    lab.failAt('import_part', 'campaign_imports', 'kill')
    const id = await imported()
    await worker.child.ended
    worker = await lab.startWorker(settings)
    return `enrollment_import/${id}`
  },
  'erasure-deleted': async () => erased(),
  'erasure-worker-killed': async () => {
    lab.failAt('erasure_batch', 'erasures', 'kill')
    const id = await erased()
    await worker.child.ended
    worker = await lab.startWorker(settings)
    return id
  },
  'listings-refreshed': async () => {
    await orm.em
      .fork()
      .transactional((em) =>
        createNetwork(
          em,
          { key: `city-${newId()}`, name: 'City', tenant_ids: [shop.store_id] },
          Math.floor(Date.now() / 1000),
        ),
      )
    return `listings/${shop.store_id}`
  },
  'listings-worker-killed': async () => {
    const other = await newShop()
    lab.failAt('listing_batch', 'listing_walks', 'kill')
    await orm.em
      .fork()
      .transactional((em) =>
        createNetwork(
          em,
          { key: `city-${newId()}`, name: 'City', tenant_ids: [other.store_id] },
          Math.floor(Date.now() / 1000),
        ),
      )
    await worker.child.ended
    worker = await lab.startWorker(settings)
    return `listings/${other.store_id}`
  },
  'script-succeeded': async () => `script/${await maintain('reindex-search')}`,
  'script-worker-killed': async () => {
    lab.failAt('script_batch', 'script_runs', 'kill')
    const id = await maintain('rotate-encryption')
    await worker.child.ended
    worker = await lab.startWorker(settings)
    return `script/${id}`
  },
}

async function picture(): Promise<string | undefined> {
  const { body } = await send(shop, [{ name: 'a.jpg', bytes: await photo(300, 200) }])
  return body.items[0]?.id
}

/** Of its first run: a late signal may have started another, which reads once and ends. */
async function historyOf(workflowId: string): Promise<string> {
  const runs = await until(async () => {
    const found: WorkflowExecutionInfo[] = []
    for await (const one of temporal.workflow.list({ query: `WorkflowId = '${workflowId}'` })) found.push(one)
    return found.length > 0 && found
  })
  const [first] = runs.sort((a, b) => a.startTime.getTime() - b.startTime.getTime())
  const handle = temporal.workflow.getHandle(workflowId, first?.runId)
  // A failed workflow is recorded too.
  await handle.result().catch(() => {})
  const history = historyToJSON(await handle.fetchHistory())
  // A replay needs neither; both name this machine.
  const scrubbed = JSON.parse(history, (key, value) => {
    if (key === 'stackTrace') return undefined
    if (typeof value === 'string' && /^\d+@/.test(value)) return 'a worker'
    return value
  })
  return `${JSON.stringify(scrubbed, null, 1)}\n`
}

try {
  fs.mkdirSync(folder, { recursive: true })
  const wanted = process.argv.slice(2)
  if (wanted.length === 0)
    for (const file of fs.readdirSync(folder))
      if (!(path.basename(file, '.json') in scenarios)) fs.rmSync(path.join(folder, file))
  for (const [name, make] of Object.entries(scenarios)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    try {
      const history = await historyOf(await make())
      fs.writeFileSync(path.join(folder, `${name}.json`), history)
      console.log(`${name}: ${JSON.parse(history).events.length} events`)
    } catch (error) {
      process.exitCode = 1
      console.error(`${name}: not recorded: ${(error as Error).message}`)
    }
  }
} finally {
  await connection.close()
  await orm.close(true)
  await database().end()
  await lab.stop()
  await stopAll()
}
