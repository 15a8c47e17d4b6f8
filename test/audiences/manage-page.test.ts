// The page that a member's link opens: what it says and which buttons it has, in a document of its own.
import vm from 'node:vm'
import { expect, test } from '@jest/globals'
import { api } from '../kit/shop.ts'

type Button = {
  hidden: boolean
  open?: boolean
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
    paid_through_at: null,
    in_grace: false,
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
async function opened(replies: Reply[], search = '?token=secret') {
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
  const location = { search, origin: 'https://shop.example', pathname: '/manage', href: '' }
  const context = {
    ...{
      URLSearchParams,
      Date,
      encodeURIComponent,
      location,
      sessionStorage: { getItem: () => null, setItem: () => {} },
    },
    document: {
      ...{ title: '' },
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
  return {
    parts,
    page,
    title: context.document.title,
    requests,
    said,
    location,
    text,
    click: (id: string) => parts.get(id)?.click?.(),
  }
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
  expect(text('state')).toMatch(/^The membership is cancelled and ends on March 17, 2030\. You receive /)
  expect(text('billing')).toBe('')
  expect([parts.get('cancelling')?.hidden, parts.get('resume')?.hidden, parts.get('resume')?.disabled]).toEqual([
    true,
    false,
    false,
  ])
})

test('The manage page cancels by a second button, which says when the access ends', async () => {
  const paid = { ...member, paid_through_at: 1_900_000_000, access_until: 1_900_259_200 }
  const first = await opened([{ status: 200, body: paid }])
  // The details are closed until a reader opens them, by a tap or by the keyboard.
  expect(first.page).toMatch(
    /<details id="cancelling" hidden><summary>Cancel the membership<\/summary>(?:(?!<\/details>).)*<button id="cancel" hidden>/,
  )
  expect([first.parts.get('cancelling')?.hidden, first.text('consequence'), first.requests]).toEqual([
    false,
    'You keep your access until March 17, 2030, and nothing is charged again.',
    ['GET manage'],
  ])
  const now = 'The membership and your access end at once.'
  for (const more of [{ paid_through_at: null }, { in_grace: true }, { billing_error: { next_attempt_at: null } }])
    expect((await opened([{ status: 200, body: { ...paid, ...more } }])).text('consequence')).toBe(now)
})

test('The manage page says in one sentence with one date how long the membership lasts', async () => {
  const paid = { ...member, paid_through_at: 1_900_000_000, access_until: 1_900_259_200 }
  const never = { subscription_cancellation_available: false }
  for (const [more, sentence] of [
    [{}, 'is active and renews on March 17, 2030.'],
    [{ in_grace: true }, 'is active, and you have access until March 20, 2030.'],
    [never, 'is active, and you have access until March 20, 2030.'],
    [{ cancel_at: 1_900_000_000, access_until: 1_900_000_000 }, 'is cancelled and ends on March 17, 2030.'],
    [{ cancel_at: 1_902_000_000 }, 'is cancelled and ends on April 9, 2030.'],
    [
      { cancel_at: 1_902_000_000, paid_through_at: null, access_until: null },
      'is cancelled and ends on April 9, 2030.',
    ],
    [{ paid_through_at: null, access_until: null }, 'is active.'],
    [{ has_access: false }, 'has expired.'],
    [{ has_access: false, status: 'cancelled', cancel_at: 1_900_000_000 }, 'was cancelled.'],
  ] as const) {
    const { text } = await opened([{ status: 200, body: { ...paid, ...more } }])
    expect(text('state')?.split('. ')[0]).toBe(`The membership ${sentence.slice(0, -1)}`)
  }
})

test('The manage page asks nothing without a token, and names the store in its title', async () => {
  const { requests, text } = await opened([], '?token=')
  expect([requests, text('state')]).toEqual([[], 'This link is incomplete. Open it again from the e-mail.'])
  expect((await opened([{ status: 200, body: member }])).title).toBe('Club by Tea & Co.')
  expect((await opened([{ status: 200, body: { ...member, audience: null } }])).title).toBe('E-mail of Tea & Co.')
  const long = { ...member, audience: { name: 'n'.repeat(200) } }
  expect((await opened([{ status: 200, body: long }])).title).toBe(`${'n'.repeat(59)}… by Tea & Co.`)
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
