// A request is carried out once and written to the journal before the response, whichever fault the response has.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { hang, takeFault, takeReset } from '../sim/faults.ts'
import { answerFreely } from '../sim/free-answer.ts'
import { commit } from '../sim/journal.ts'
import { arrived, type Entry, record } from '../sim/keyed-ledger.ts'
import { accountOfKey, accountRoutes } from './accounts.ts'
import { authorizationRoutes } from './authorizations.ts'
import { couponRoutes } from './billing/coupons.ts'
import { customerRoutes } from './billing/customers.ts'
import { invoiceRoutes } from './billing/invoices.ts'
import { portalRoutes } from './billing/portal.ts'
import { priceRoutes } from './billing/prices.ts'
import { subscriptionRoutes } from './billing/subscriptions.ts'
import { type Call, fieldsOf, type Route } from './calls.ts'
import { checkoutRoutes } from './checkout.ts'
import { disputeRoutes } from './disputes.ts'
import { errorBody, Refusal, typeOf } from './errors.ts'
import { apiVersion } from './events.ts'
import { decodeForm, type Form } from './form.ts'
import { newId } from './ids.ts'
import { type Answer, begin, end, keepAnswer, replay } from './keys.ts'
import { expand } from './lists.ts'
import { find, platform } from './objects.ts'
import { paymentRoutes } from './payments.ts'
import { refundRoutes } from './refunds.ts'

const routes = [
  ...checkoutRoutes,
  ...paymentRoutes,
  ...authorizationRoutes,
  ...refundRoutes,
  ...disputeRoutes,
  ...accountRoutes,
  ...customerRoutes,
  ...priceRoutes,
  ...couponRoutes,
  ...subscriptionRoutes,
  ...invoiceRoutes,
  ...portalRoutes,
].map(([method, path, handler]: Route) => ({
  method,
  handler,
  pattern: new RegExp(`^${path.replace(':id', '([^/]+)')}$`),
}))

export async function serveApi(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const call = head(req)
  const reset = takeReset(call)
  if (reset) {
    if (call.method !== 'GET') note(arrived(call, metadataOf(call.form)), { fault: reset.fault })
    req.socket.resetAndDestroy()
    return
  }
  call.body = await textOf(req)
  if (call.method === 'POST' || call.body) call.form = decodeForm(call.body)
  const entry = call.method === 'GET' ? undefined : arrived(call, metadataOf(call.form))
  const fault = takeFault(call)
  if (!fault) return reply(res, call, carryOut(call, entry), entry)

  let answer = fault.after_effect ? carryOut(call, entry) : undefined
  const strike = (status: number | null) => entry && note(entry, { fault: fault.fault, status })
  switch (fault.fault) {
    case 'reset_after_read':
      strike(null)
      req.socket.resetAndDestroy()
      return
    case 'hang':
      strike(null)
      if (!answer) begin(call)
      hang(() => {
        end(call)
        req.socket.destroy()
      })
      return
    case 'delay':
      strike(null)
      begin(call)
      await wait(fault.delay_ms)
      end(call)
      return reply(res, call, answer ?? carryOut(call, entry), entry)
    case 'status': {
      const text = errorBody(
        { type: fault.type ?? typeOf(fault.status), message: 'Injected fault.', code: fault.code },
        call.request,
      )
      const faulty = { status: fault.status, body: text, request: call.request }
      // Stripe replays a 5xx under the same key once the endpoint has begun.
      if (answer && fault.status >= 500) keepAnswer(call, faulty)
      strike(fault.status)
      return write(res, call, faulty)
    }
    case 'answer':
      strike(fault.status)
      return answerFreely(res, fault)
    default: {
      answer ??= carryOut(call, entry)
      strike(answer.status)
      res.writeHead(answer.status, { ...headersOf(call, answer), 'content-length': Buffer.byteLength(answer.body) })
      res.write(answer.body.slice(0, answer.body.length >> 1), () => req.socket.destroy())
    }
  }
}

function head(req: IncomingMessage): Call {
  const [path = '', query = ''] = (req.url ?? '').split('?')
  const one = (name: string) => (typeof req.headers[name] === 'string' ? req.headers[name] : null)
  return {
    request: newId('req', 14),
    method: req.method ?? '',
    path,
    version: one('stripe-version') ?? apiVersion,
    account: one('stripe-account') ?? accountOfKey(keyOf(one('authorization')) ?? '') ?? platform,
    key: one('idempotency-key'),
    authorization: one('authorization'),
    origin: `http://${req.headers.host}`,
    form: decodeForm(query),
    body: null,
  }
}

const keyOf = (authorization: string | null): string | undefined => /^Bearer (.+)$/.exec(authorization ?? '')?.[1]

export async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** The response, and in `entry` whether something changed. Nothing is on disk yet. */
function carryOut(call: Call, entry: Entry | undefined): Answer & { replayed?: boolean } {
  const { request } = call
  try {
    authenticate(call)
    const before = entry && replay(call)
    if (before) {
      if (entry) entry.replayed = true
      return { ...before, replayed: true }
    }
    const answer = { status: 200, body: JSON.stringify(run(call)), request }
    if (entry) {
      entry.effect = true
      keepAnswer(call, answer)
    }
    return answer
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const answer = { status: error.status, body: errorBody(error, request), request }
    if (entry && error.stored) keepAnswer(call, answer)
    return answer
  }
}

function authenticate(call: Call): void {
  const key = keyOf(call.authorization)
  if (!key)
    throw new Refusal(
      401,
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
      { stored: false },
    )
  if (!/^[rs]k_test_\S+$/.test(key))
    throw new Refusal(401, `Invalid API Key provided: ${key.slice(0, 8)}****`, { stored: false })
  if (
    call.account !== platform &&
    (!find('account', platform, call.account) || ![undefined, call.account].includes(accountOfKey(key)))
  )
    throw new Refusal(
      403,
      `The provided key '${key.slice(0, 8)}****' does not have access to account '${call.account}' (or that account does not exist). Application access may have been revoked.`,
      { code: 'account_invalid', stored: false },
    )
}

function run(call: Call): object {
  for (const { method, pattern, handler } of routes) {
    if (method !== call.method) continue
    const match = pattern.exec(call.path)
    if (match) return expand(call.account, handler(call, fieldsOf(call), match[1] ?? ''), call.form)
  }
  throw new Refusal(
    404,
    `Unrecognized request URL (${call.method}: ${call.path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`,
    { stored: false },
  )
}

function note(entry: Entry, change: Partial<Entry>): void {
  record(Object.assign(entry, change))
  commit()
}

function reply(res: ServerResponse, call: Call, answer: Answer, entry: Entry | undefined): void {
  if (entry) note(entry, { status: answer.status })
  write(res, call, answer)
}

function write(res: ServerResponse, call: Call, answer: Answer & { replayed?: boolean }): void {
  res.writeHead(answer.status, headersOf(call, answer)).end(answer.body)
}

function headersOf(call: Call, answer: Answer & { replayed?: boolean }): Record<string, string> {
  return {
    'content-type': 'application/json',
    'request-id': call.request,
    'stripe-version': apiVersion,
    ...(call.account && { 'stripe-account': call.account }),
    ...(call.key && { 'idempotency-key': call.key, 'original-request': answer.request }),
    ...(answer.replayed && { 'idempotent-replayed': 'true' }),
    ...(answer.status === 401 && { 'www-authenticate': 'Bearer realm="Stripe"' }),
  }
}

function metadataOf(form: Form): Form {
  for (const from of [form, form.payment_intent_data, form.subscription_data]) {
    if (typeof from === 'object' && typeof from.metadata === 'object') return from.metadata
  }
  return {}
}
