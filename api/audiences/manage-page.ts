// A plain page where members manage a membership by the link of an e-mail, for stores without a page of their own. It
// holds no data: its script reads the API. Without JavaScript its form stops the e-mail, which is what most readers
// come for.
import type Router from '@koa/router'
import { config } from '../../config.ts'
import { manageUrl, unsubscribeUrl } from '../../rules/sending/variables.ts'

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer"><title>Your membership</title><link rel="stylesheet" href="manage.css"></head><body><main><h1 id="name">Your membership</h1>
<p id="store"></p><p id="state" role="status"></p><p id="billing"></p><p><button id="unsubscribe" hidden>Stop e-mail</button> <button id="resubscribe" hidden>Receive e-mail again</button></p>
<p><button id="resume" hidden>Keep the membership</button> <button id="card" hidden>Change the card</button></p>
<details id="cancelling" hidden><summary>Cancel the membership</summary><p id="consequence"></p><p><button id="cancel" hidden>Yes, cancel the membership</button></p></details>
<noscript><p>You can stop the e-mail that this link came with. Anything else on this page needs JavaScript.</p><form method="post"><button>Stop the e-mail</button></form></noscript>
</main><script src="manage.js"></script></body></html>`

const style = `body{margin:0;padding:3rem 1rem;background:#f4f4f2;color:#222;font:1rem/1.5 system-ui,sans-serif}
main{max-width:30rem;margin:0 auto;padding:2rem;background:#fff;border-radius:.5rem;overflow-wrap:anywhere}h1{margin-top:0;font-size:1.4rem}p:empty{display:none}
button{max-width:100%;margin:.25rem .5rem .25rem 0;font:inherit;padding:.5rem 1rem;white-space:normal}
summary{width:fit-content;padding:.5rem 0;text-decoration:underline;cursor:pointer}`

const script = `'use strict'
// Kept for the way back from the payment provider, whose address of return has no token.
let token = new URLSearchParams(location.search).get('token') || ''
try {
  token ||= sessionStorage.getItem('token') || ''
  sessionStorage.setItem('token', token)
} catch {
  // The browser blocks site data: the token of the address is enough.
}
let shown = null
const at = (id) => document.getElementById(id)
const day = (seconds) => new Date(seconds * 1000).toLocaleDateString(undefined, { dateStyle: 'long' })
const statuses = { pending: 'waits for your confirmation', active: 'is active', cancelled: 'was cancelled', expired: 'has expired', removed: 'has ended' }
// Characters that turn the direction of the text after them would reverse our sentences.
const plain = (name) => name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
const short = (name) => ([...name].length > 60 ? [...name].slice(0, 59).join('') + '…' : name)
// One sentence with one date at most: of a membership that ends, of one that renews, or of access that lasts.
function membership({ status, has_access, in_grace, access_until, paid_through_at, cancel_at, subscription_cancellation_available }) {
  if (status !== 'active') return 'The membership ' + statuses[status] + '.'
  if (!has_access) return 'The membership ' + statuses.expired + '.'
  if (cancel_at !== null) {
    const isPaid = paid_through_at !== null && cancel_at <= paid_through_at
    return 'The membership is cancelled and ends on ' + day(isPaid ? access_until : cancel_at) + '.'
  }
  if (access_until === null) return 'The membership is active.'
  const renews = subscription_cancellation_available && paid_through_at !== null && !in_grace
  return 'The membership is active' + (renews ? ' and renews on ' + day(paid_through_at) : ', and you have access until ' + day(access_until)) + '.'
}
function consequence({ billing_error, in_grace, paid_through_at }) {
  if (paid_through_at === null || in_grace || billing_error) return 'The membership and your access end at once.'
  return 'You keep your access until ' + day(paid_through_at) + ', and nothing is charged again.'
}
function show(member) {
  // A process of the version before answers without the store.
  const store = member.store ? plain(member.store.name) : 'this store'
  const audience = member.audience ? plain(member.audience.name) : null
  at('name').textContent = audience ?? 'E-mail of ' + store
  document.title = audience === null ? 'E-mail of ' + short(store) : short(audience) + ' by ' + short(store)
  at('store').textContent = audience === null ? '' : 'By ' + store
  const of = 'e-mail of ' + (audience === null ? store : '“' + short(audience) + '” by ' + store)
  const mails = { subscribed: 'You receive ' + of, unsubscribed: 'You do not receive ' + of, bounced: 'E-mail could not be delivered', complained: 'E-mail was reported as spam' }
  shown = member
  const mayChange = member.scope !== 'unsubscribe'
  at('state').textContent = (member.status && mayChange ? membership(member) + ' ' : '') + mails[member.delivery_status] + (member.email ? ' at ' + member.email : '') + '.'
  const failed = member.billing_error
  at('billing').textContent = failed ? 'The last payment failed. Change the card' + (failed.next_attempt_at ? '; it is charged again on ' + day(failed.next_attempt_at) : '') + '.' : ''
  at('unsubscribe').textContent = 'Stop ' + of
  at('resubscribe').textContent = 'Receive ' + of + ' again'
  at('unsubscribe').hidden = member.delivery_status !== 'subscribed'
  at('resubscribe').hidden = audience === null || member.delivery_status !== 'unsubscribed'
  at('cancelling').hidden = at('cancel').hidden = !member.subscription_cancellation_available
  if (at('cancelling').hidden) at('cancelling').open = false
  else at('consequence').textContent = consequence(member)
  at('resume').hidden = !member.subscription_resumption_available
  at('card').hidden = !member.payment_method_update_available
}
const buttons = (disabled) => document.querySelectorAll('button').forEach((button) => (button.disabled = disabled))
// The payment provider confirms a change a moment later: the buttons stay disabled until then, or for half a minute.
const changes = {
  cancel: ['The membership is being cancelled…', (member) => !member.subscription_cancellation_available],
  resume: ['The membership is being resumed…', (member) => !member.subscription_resumption_available],
}
async function confirmed([words, isDone]) {
  for (let tries = 0; shown && !isDone(shown) && tries < 15; tries++) {
    at('billing').textContent = words
    await new Promise((resolve) => setTimeout(resolve, 2000))
    await ask('GET', 'manage')
  }
  if (shown && !isDone(shown)) at('billing').textContent = 'The payment provider has not confirmed the change yet. It is sent again until it does; look at this page later.'
}
const invalid = 'This link is not valid any more. Open the link of a newer e-mail.'
const refusals = {
  change_in_flight: 'The last change is still being sent to the payment provider. Try again in a moment.',
  not_subscribed: 'There is no subscription that could be changed.',
  cancelled_by_store: 'The store has ended this subscription.',
  delivery_suppressed: 'E-mail to this address is suppressed. Ask the store.',
  too_many_requests: 'There were too many changes. Try again later.',
}
async function change(action) {
  buttons(true)
  shown = null
  await ask('POST', paths[action])
  if (shown && changes[action]) await confirmed(changes[action])
  buttons(false)
}
async function ask(method, action) {
  try {
    const answer = await fetch('../../v1/customer/audiences/' + action + '?token=' + encodeURIComponent(token), { method })
    if (answer.ok) return show(await answer.json())
    const { code } = await answer.json().catch(() => ({}))
    at('state').textContent = answer.status === 401 || answer.status === 422 ? invalid : refusals[code] || (answer.status < 500 ? 'This is not possible with this link.' : 'This did not work. Try again in a moment.')
  } catch {
    at('state').textContent = 'The server cannot be reached. Try again.'
  }
}
async function changeCard() {
  try {
    const body = JSON.stringify({ token, return_url: location.origin + location.pathname })
    const answer = await fetch('../../v1/customer/audiences/payment-method', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    if (answer.ok) location.href = (await answer.json()).portal_url
    else at('state').textContent = answer.status < 500 ? 'The card cannot be changed with this link.' : 'The payment provider cannot be reached. Try again.'
  } catch {
    at('state').textContent = 'The server cannot be reached. Try again.'
  }
}
at('card').addEventListener('click', changeCard)
const paths = { unsubscribe: 'unsubscribe', resubscribe: 'resubscribe', cancel: 'subscription/cancel', resume: 'subscription/resume' }
for (const action in paths) at(action).addEventListener('click', () => change(action))
if (token) {
  at('state').textContent = 'Loading…'
  ask('GET', 'manage')
} else at('state').textContent = 'This link is incomplete. Open it again from the e-mail.'
`

const files = {
  manage: ['text/html', page],
  'manage.js': ['text/javascript', script],
  'manage.css': ['text/css', style],
} as const

const tokenOf = ({ token }: Record<string, unknown>): string =>
  encodeURIComponent(typeof token === 'string' ? token : '')

/**
 * The token in the address is not passed on: no other site gets it as a referrer, and no search engine keeps the page.
 */
export function managePage(router: Router): void {
  // Mail programs without one-click open the address of `List-Unsubscribe`, which changes nothing by being read.
  router.get('/v1/customer/audiences/unsubscribe', (ctx) => {
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.status = 303
    ctx.redirect(manageUrl(config.publicUrl, tokenOf(ctx.query)))
  })
  // The form without JavaScript is sent to the address of the page, which has the token. 307 repeats the POST.
  router.post('/customer/audiences/manage', (ctx) => {
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.status = 307
    ctx.redirect(unsubscribeUrl('../..', tokenOf(ctx.query)))
  })
  for (const [name, [type, body]] of Object.entries(files))
    router.get(`/customer/audiences/${name}`, (ctx) => {
      ctx.set(
        'Content-Security-Policy',
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      )
      ctx.set('Referrer-Policy', 'no-referrer')
      ctx.set('X-Robots-Tag', 'noindex')
      ctx.type = type
      ctx.body = body
    })
}
