// The page that a member's link opens: what it says and which buttons it has, in a document of its own.
import vm from 'node:vm'
import { expect, test } from '@jest/globals'
import { api } from '../kit/shop.ts'

type Button = {
  hidden: boolean
  disabled: boolean
  textContent: string
  click?: () => Promise<void>
  addEventListener: (_: 'click', run: () => Promise<void>) => void
}
type Reply = { status: number; body: Record<string, unknown> }

const member = {
  ...{
    store: { key: 'tea', name: 'Tea & Co.' },
    audience: { name: 'Club' },
    email: 'a…@example.org',
    status: 'active',
    delivery_status: 'subscribed',
    has_access: true,
    access_until: null,
    cancel_at: null,
  },
  ...{
    billing_error: null,
    payment_method_update_available: true,
    subscription_cancellation_available: true,
    subscription_resumption_available: false,
  },
}

/** Runs the page's script against these replies, the last of which repeats. Time passes at once. */
async function opened(replies: Reply[]) {
  const script = await (await fetch(`${api()}/customer/audiences/manage.js`)).text()
  const page = await (await fetch(`${api()}/customer/audiences/manage`)).text()
  const parts = new Map<string, Button>()
  for (const [, tag, id] of page.matchAll(/<(\w+) id="(\w+)"/g)) {
    const part: Button = {
      ...{ hidden: false, disabled: false, textContent: '' },
      addEventListener: (_, run) => {
        part.click = run
      },
    }
    parts.set(id as string, Object.assign(part, { tag }))
  }
  const requests: string[] = []
  const said: string[] = []
  const location = { search: '?token=secret', origin: 'https://shop.example', pathname: '/manage', href: '' }
  const context = {
    ...{
      URLSearchParams,
      Date,
      encodeURIComponent,
      location,
      sessionStorage: { getItem: () => null, setItem: () => {} },
    },
    document: {
      getElementById: (id: string) => parts.get(id),
      querySelectorAll: () => [...parts.values()].filter((part) => 'click' in part),
    },
    setTimeout: (run: () => void) => {
      said.push(parts.get('billing')?.textContent ?? '')
      queueMicrotask(run)
    },
    fetch: async (url: string, { method }: { method: string }) => {
      requests.push(`${method} ${url.split('/audiences/')[1]?.split('?')[0]}`)
      const { status, body } = (replies.length > 1 ? replies.shift() : replies[0]) as Reply
      return { ok: status < 300, status, json: async () => body }
    },
  }
  vm.runInNewContext(script, context)
  await new Promise(setImmediate)
  const text = (id: string) => parts.get(id)?.textContent
  return { parts, requests, said, location, text, click: (id: string) => parts.get(id)?.click?.() }
}

test('The manage page changes the card where the last payment failed', async () => {
  const billing_error = { code: 'payment_failed', message: 'declined', next_attempt_at: 1_900_000_000 }
  const { parts, text, click, requests, location } = await opened([
    { status: 200, body: { ...member, billing_error } },
    { status: 200, body: { portal_url: 'https://pay.example/portal' } },
  ])
  expect(text('billing')).toMatch(/^The last payment failed\. Change the card; it is charged again on .*\d.*\.$/)
  expect(parts.get('card')?.hidden).toBe(false)
  await click('card')
  expect([requests, location.href]).toEqual([['GET manage', 'POST payment-method'], 'https://pay.example/portal'])
})

test('The manage page says that a cancellation is under way until the provider has confirmed it', async () => {
  const ended = {
    ...member,
    cancel_at: 1_900_000_000,
    subscription_cancellation_available: false,
    subscription_resumption_available: true,
  }
  const { parts, text, click, requests, said } = await opened([
    ...[1, 2, 3].map(() => ({ status: 200, body: member })),
    { status: 200, body: ended },
  ])
  await click('cancel')
  expect(requests).toEqual(['GET manage', 'POST subscription/cancel', 'GET manage', 'GET manage'])
  expect(said).toEqual(['The membership is being cancelled…', 'The membership is being cancelled…'])
  expect(text('billing')).toBe('The membership is cancelled and is not renewed.')
  expect([parts.get('cancel')?.hidden, parts.get('resume')?.hidden, parts.get('resume')?.disabled]).toEqual([
    true,
    false,
    false,
  ])
})

test('The manage page says why a change was refused', async () => {
  const { text, click, parts } = await opened([
    { status: 200, body: member },
    { status: 409, body: { code: 'change_in_flight' } },
  ])
  await click('cancel')
  expect(text('state')).toBe('The last change is still being sent to the payment provider. Try again in a moment.')
  expect(parts.get('cancel')?.disabled).toBe(false)
})

test('The manage page names the store and what its e-mail is about', async () => {
  const { text } = await opened([{ status: 200, body: member }])
  expect([text('name'), text('store'), text('unsubscribe')]).toEqual([
    'Club',
    'By Tea & Co.',
    'Stop e-mail of “Club” by Tea & Co.',
  ])
  expect(text('state')).toBe('The membership is active. You receive e-mail of “Club” by Tea & Co. at a…@example.org.')
  const former = await opened([{ status: 200, body: { ...member, store: undefined, audience: null, status: null } }])
  expect([former.text('name'), former.text('store')]).toEqual(['E-mail of this store', ''])
})

test('The manage page shortens names on buttons, and no name turns the text after it', async () => {
  const audience = { ...member.audience, name: `Club \u202e${'long '.repeat(40)}` }
  const { text } = await opened([{ status: 200, body: { ...member, audience } }])
  expect([text('unsubscribe')?.length, text('unsubscribe')?.includes('…”')]).toEqual([90, true])
  for (const part of ['name', 'state', 'unsubscribe'])
    expect([part, text(part)?.includes('\u202e')]).toEqual([part, false])
})

test('A reader who stopped a newsletter by its link can receive it again', async () => {
  const reader = { ...member, scope: 'unsubscribe', delivery_status: 'unsubscribed' }
  const { parts } = await opened([{ status: 200, body: reader }])
  expect([parts.get('unsubscribe')?.hidden, parts.get('resubscribe')?.hidden]).toEqual([true, false])
})

test('The manage page shows one button to a reader who came from a newsletter', async () => {
  const billing = { payment_method_update_available: false, subscription_cancellation_available: false }
  const reader = { ...member, ...billing, scope: 'unsubscribe' }
  const { parts, text, click, requests } = await opened([
    { status: 200, body: { ...reader, audience: null, status: null } },
    { status: 200, body: { ...reader, audience: null, status: null, delivery_status: 'unsubscribed' } },
  ])
  const buttons = () => [...parts].filter(([, part]) => 'click' in part && !part.hidden).map(([id]) => id)
  expect([buttons(), text('state')]).toEqual([['unsubscribe'], 'You receive e-mail of Tea & Co. at a…@example.org.'])
  await click('unsubscribe')
  expect([requests, buttons(), text('state')]).toEqual([
    ['GET manage', 'POST unsubscribe'],
    [],
    'You do not receive e-mail of Tea & Co. at a…@example.org.',
  ])
})

test('The address that mail programs unsubscribe at opens the manage page in a browser', async () => {
  const { status, headers } = await fetch(`${api()}/v1/customer/audiences/unsubscribe?token=a%2Bb`, {
    redirect: 'manual',
  })
  expect([status, headers.get('location'), headers.get('referrer-policy')]).toEqual([
    303,
    expect.stringMatching(/\/customer\/audiences\/manage\?token=a%2Bb$/),
    'no-referrer',
  ])
})
