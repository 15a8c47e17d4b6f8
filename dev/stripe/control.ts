// The controls of the simulator, all under /_sim. Stripe has none of them.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { addFault, BadFault, clearFaults, listFaults } from '../sim/faults.ts'
import { commit } from '../sim/journal.ts'
import { ledger } from '../sim/keyed-ledger.ts'
import { closeReused } from '../sim/reused.ts'
import { onboard, registerOwn, setAccount } from './accounts.ts'
import { textOf } from './api.ts'
import { decideByDashboard, lapse } from './authorizations.ts'
import { saveCard } from './billing/customers.ts'
import { invoices, pages, payments, subscriptions } from './billing/ledger.ts'
import { advance, cancelByDashboard } from './billing/subscriptions.ts'
import { expireByProvider, pay } from './checkout.ts'
import { dispute } from './disputes.ts'
import { Refusal } from './errors.ts'
import { countEvents, deliver, hold, listEvents, setTarget } from './events.ts'
import { payByForm, saveInPortal, servePage, showForm, showPortal } from './pages.ts'
import { refundByDashboard, setNextRefund, settleRefund } from './refunds.ts'

type Body = Record<string, unknown>
type Input = { body: Body; query: URLSearchParams; id: string }
type Listener = { up(): Promise<void>; down(): void; isUp(): boolean }

const text = (body: Body, name: string) => (typeof body[name] === 'string' ? body[name] : undefined)
const amountOf = (body: Body) => (typeof body.amount === 'number' ? body.amount : undefined)

function among<const T extends string>(body: Body, name: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === body[name])
  if (!found) throw new Refusal(400, `${name}: must be one of ${allowed.join(', ')}`)
  return found
}

function given<const K extends string>(query: URLSearchParams, ...names: K[]): Record<K, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? undefined])) as Record<K, string | undefined>
}

export function controlOf(api: Listener): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const routes: [method: string, path: string, run: (input: Input) => unknown][] = [
    ['GET', '/_sim/health', () => ({ ok: true, api: api.isUp() })],
    ['POST', '/_sim/listen', ({ body }) => listen(api, body)],
    ['GET', '/_sim/ledger', ({ query }) => ledger(given(query, 'key', 'account', 'path', 'effect'))],
    ['GET', '/_sim/ledger/pages', ({ query }) => pages(given(query, 'account'))],
    ['GET', '/_sim/ledger/subscriptions', ({ query }) => subscriptions(given(query, 'account', 'customer'))],
    [
      'GET',
      '/_sim/ledger/payments',
      ({ query }) => payments(query.get('account') ?? '', query.getAll('payment_intent')),
    ],
    [
      'GET',
      '/_sim/ledger/invoices',
      ({ query }) => invoices(given(query, 'account', 'customer', 'subscription', 'status')),
    ],
    [
      'POST',
      '/_sim/checkout_sessions/:id/pay',
      ({ id, body }) => {
        const outcome = among({ outcome: 'succeeded', ...body }, 'outcome', ['succeeded', 'declined'])
        return pay(id, { ...body, outcome })
      },
    ],
    ['POST', '/_sim/checkout_sessions/:id/expire', ({ id }) => expireByProvider(id)],
    ['POST', '/_sim/card/session', ({ body }) => showForm(body)],
    ['POST', '/_sim/card/pay', ({ body }) => payByForm(body)],
    ['POST', '/_sim/portal/session', ({ body }) => showPortal(body)],
    ['POST', '/_sim/portal/card', ({ body }) => saveInPortal(body)],
    ['POST', '/_sim/subscriptions/:id/advance', ({ id, body }) => advance(id, body)],
    ['POST', '/_sim/subscriptions/:id/cancel', ({ id, body }) => cancelByDashboard(id, body)],
    ['POST', '/_sim/customers/:id/card', ({ id, body }) => saveCard(id, text(body, 'last4'))],
    ['POST', '/_sim/payments/:id/dispute', ({ id, body }) => dispute(id, text(body, 'status'), amountOf(body))],
    ['POST', '/_sim/payments/:id/refund', ({ id, body }) => refundByDashboard(id, amountOf(body))],
    ['POST', '/_sim/payment_intents/:id/capture', ({ id, body }) => decideByDashboard(id, amountOf(body))],
    ['POST', '/_sim/payment_intents/:id/cancel', ({ id }) => decideByDashboard(id, null)],
    ['POST', '/_sim/payment_intents/:id/lapse', ({ id }) => lapse(id)],
    [
      'POST',
      '/_sim/refunds/:id/settle',
      ({ id, body }) => settleRefund(id, among(body, 'status', ['succeeded', 'failed'])),
    ],
    ['POST', '/_sim/reused', ({ body }) => closeReused(body.closes)],
    ['POST', '/_sim/next_refund', ({ body }) => setNextRefund(body)],
    ['POST', '/_sim/accounts', ({ body }) => registerOwn(body)],
    ['POST', '/_sim/accounts/:id', ({ id, body }) => setAccount(id, body)],
    ['POST', '/_sim/webhook', ({ body }) => setTarget(body)],
    ['GET', '/_sim/events', ({ query }) => listEvents(given(query, 'type', 'account', 'object', 'since'))],
    ['GET', '/_sim/events/count', () => ({ count: countEvents() })],
    ['POST', '/_sim/events', ({ body }) => hold(body.hold === true, text(body, 'account'))],
    ['POST', '/_sim/events/deliver', ({ body }) => deliver(body)],
    ['GET', '/_sim/faults', () => listFaults()],
    ['POST', '/_sim/faults', ({ body }) => addFault(body)],
    ['DELETE', '/_sim/faults', ({ query }) => clearFaults(null, query.get('label'))],
  ]
  const table = routes.map(([method, path, run]) => ({
    method,
    run,
    pattern: new RegExp(`^${path.replace(':id', '([^/]+)')}$`),
  }))

  return async (req, res) => {
    const url = new URL(req.url ?? '/', 'http://sim')
    if (req.method === 'GET' && servePage(url.pathname, res)) return
    const onboarding = /^\/_sim\/onboarding\/(acct_\w+)\//.exec(url.pathname)?.[1]
    if (req.method === 'GET' && onboarding) {
      onboard(onboarding)
      commit()
      res.writeHead(303, { location: url.searchParams.get('return_url') ?? '/_sim/health' }).end()
      return
    }
    try {
      const sent = await textOf(req)
      const route = table.find(({ method, pattern }) => method === req.method && pattern.test(url.pathname))
      if (!route) throw new Refusal(404, `no such control: ${req.method} ${url.pathname}`)
      const id = route.pattern.exec(url.pathname)?.[1] ?? ''
      const answer = await route.run({ body: sent ? (JSON.parse(sent) as Body) : {}, query: url.searchParams, id })
      commit()
      json(res, 200, answer ?? { ok: true })
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof BadFault || error instanceof SyntaxError)) throw error
      json(res, error instanceof Refusal ? error.status : 400, { error: { message: error.message } })
    }
  }
}

/** Closes or opens the API's port: while it is closed, clients get ECONNREFUSED. */
async function listen(api: Listener, body: Body): Promise<{ up: boolean }> {
  if (body.up === true) await api.up()
  else {
    api.down()
    if (typeof body.for_ms === 'number') setTimeout(() => api.up(), body.for_ms)
  }
  return { up: api.isUp() }
}

function json(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
