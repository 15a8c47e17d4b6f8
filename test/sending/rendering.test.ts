// The messages of a step are rendered many at a time; one that fails says why, and changes no other one.
import { expect, test } from '@jest/globals'
import { renderMessages } from '../../activities/sending/rendering.ts'
import { renderEmail } from '../../adapters/mail-renderer.ts'
import type { EmailSource } from '../../adapters/mail-renderer-process.ts'
import { messageVariables, UNSUBSCRIBE_MARK } from '../../rules/sending/variables.ts'
import { ownOwner } from '../kit/owners.ts'

const source = (given: Partial<EmailSource>): EmailSource => ({
  format: 'html',
  subject: 'Hello',
  body: '<p>Hello</p>',
  ...given,
})
const many = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ n, name: `reader ${n}`, lines: ['tea', `cup ${n}`], shown: n % 2 === 0 }))
type Ended = Awaited<ReturnType<typeof renderMessages>>[number]
const codeOf = (ended: Ended | undefined) => (ended && 'error' in ended ? ended.error.code : undefined)
const textOf = (ended: Ended | undefined) => (ended && 'text' in ended ? ended.text : undefined)

test('Messages keep the order of their variables, also over several tasks', async () => {
  const ended = await renderMessages(
    source({ subject: '{{ n }}', body: '<p>{{ name }}</p>' }),
    many(123),
    ownOwner('a tenant'),
  )
  expect(ended).toEqual(many(123).map(({ n, name }) => ({ subject: String(n), html: `<p>${name}</p>`, text: name })))
})

test('A missing variable fails one message and names its place', async () => {
  const variables = many(60).map((one, n) => (n === 41 ? { n } : one))
  const ended = await renderMessages(source({ body: '<p>\n{{ name }}</p>' }), variables, ownOwner('a tenant'))
  expect(ended.map(codeOf).filter(Boolean)).toEqual(['template_failed'])
  expect(ended[41]).toEqual({
    error: { code: 'template_failed', message: expect.stringMatching(/^body, line 2: .*name/) },
  })
})

test('A message that takes too long fails alone, and the others of its task are rendered', async () => {
  const body =
    '{% for a in (1..n) %}{% for b in (1..n) %}{% assign c = a | times: b %}{% endfor %}{% endfor %}<p>{{ name }}</p>'
  const variables = many(50).map((one, n) => ({ ...one, n: n === 17 ? 9_000 : 1 }))
  const ended = await renderMessages(source({ body }), variables, ownOwner('a tenant'))
  expect(ended.map((one, n) => (codeOf(one) ? n : null)).filter((n) => n !== null)).toEqual([17])
  expect(textOf(ended[49])).toBe('reader 49')
})

test('Variables that are too long fail one message', async () => {
  const ended = await renderMessages(source({}), [{}, { long: 'x'.repeat(300_000) }, {}], ownOwner('a tenant'))
  expect(ended.map(codeOf)).toEqual([undefined, 'template_too_large', undefined])
})

const pages: [what: string, body: string][] = [
  [
    'a loop in a table',
    '<table>{% for line in lines %}<tr><td>{{ line }}</td></tr>{% endfor %}</table><p>{{ name }}</p>',
  ],
  [
    'a condition around blocks',
    '<h1>News</h1>{% if shown %}<p>Shown to {{ name }}</p>{% else %}<p>Other</p>{% endif %}<p>End</p>',
  ],
  [
    'a link whose text is its address',
    '<p><a href="https://x.test/a{{ n }}">https://x.test/a{{ n }}</a> and <a href="https://x.test/{{ n }}">more</a></p>',
  ],
  [
    'a condition within a link',
    '<p><a {% if shown %}href="https://a.test"{% else %}href="https://b.test"{% endif %}>Here</a></p>',
  ],
  [
    'an image and a hidden preview',
    '<div style="display:none">{{ name }}</div><img src="{{ n }}" alt="{{ name }}"><p>{{ n }}</p>',
  ],
  ['HTML that a filter prints', '<p>{{ "<b>bold</b><br>line" | raw }}</p>'],
  ['braces that the author wrote as entities', '<p>&#123;&#123; name }} and {{ name }}</p>'],
]
test.each(pages)('The text made of the template once says what the text of each page said: %s', async (_, body) => {
  const variables = many(2)
  const ended = await renderMessages(source({ body }), variables, ownOwner('a tenant'))
  // A page without Liquid is converted as a whole.
  const pagesOf = ended.map((one) => ('html' in one ? one.html.replaceAll(/\{(?=\{)/g, '&#123;') : ''))
  const texts = await Promise.all(
    pagesOf.map(async (page) => (await renderEmail(source({ body: page }), {}, ownOwner('a tenant'))).text),
  )
  const words = (text: string | undefined) => (text ?? '').split(/\s+/).filter(Boolean)
  expect(ended.map((one) => words(textOf(one)))).toEqual(texts.map(words))
})

test('Later variables replace earlier ones, and none replaces the link that unsubscribes', () => {
  const given = {
    store: { key: 'shop', name: 'Shop' },
    campaign: { id: 'c', name: 'Spring', variables: { a: 'campaign', b: 'campaign', c: 'campaign' } },
    step: { variables: { b: 'step', c: 'step', unsubscribe_url: 'https://evil.test' } },
  }
  const recipient = {
    contact_id: 'k',
    address: 'ada@shop.example',
    variables: { c: 'enrollment', unsubscribe_url: 'x' },
    member: null,
  }
  expect(messageVariables(given, recipient)).toEqual({
    ...{
      store: { key: 'shop', name: 'Shop' },
      campaign: { id: 'c', name: 'Spring' },
      contact: { id: 'k', email: 'ada@shop.example' },
      member: null,
    },
    ...{ a: 'campaign', b: 'step', c: 'enrollment', unsubscribe_url: UNSUBSCRIBE_MARK },
  })
})

test('The mark of the link survives filters of Liquid in the page and in the text', async () => {
  const body = '<a href="{{ unsubscribe_url | url_encode }}">Stop</a> {{ unsubscribe_url | escape }}'
  const [ended] = await renderMessages(source({ body }), [{ unsubscribe_url: UNSUBSCRIBE_MARK }], ownOwner('a tenant'))
  expect(ended).toMatchObject({
    html: body.replaceAll(/\{\{.*?\}\}/g, UNSUBSCRIBE_MARK),
    text: `Stop [${UNSUBSCRIBE_MARK}] ${UNSUBSCRIBE_MARK}`,
  })
})
