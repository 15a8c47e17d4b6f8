// A template renders the email or fails with its part and line, always within its limits.
import { describe, expect, test } from '@jest/globals'
import { checkEmail, EmailError, renderEmail } from '../../adapters/mail-renderer.ts'
import type { EmailSource } from '../../adapters/mail-renderer-process.ts'
import { ownOwner } from '../kit/owners.ts'

const mjml = (inner: string) =>
  `<mjml>\n<mj-body>\n<mj-section><mj-column>\n${inner}\n</mj-column></mj-section></mj-body></mjml>`
const source = (given: Partial<EmailSource>): EmailSource => ({
  format: 'html',
  subject: 'Hello',
  body: '<p>Hello</p>',
  ...given,
})
const render = (given: Partial<EmailSource>, variables: Record<string, unknown> = {}) =>
  renderEmail(source(given), variables, ownOwner('a tenant'))
const check = (given: Partial<EmailSource>) => checkEmail(source(given), ownOwner('a tenant'))
const failure = async (given: Partial<EmailSource>, variables: Record<string, unknown> = {}) => {
  const error = await render(given, variables).then(
    () => new Error('nothing failed'),
    (error) => error,
  )
  if (!(error instanceof EmailError)) throw error
  return { code: error.code, ...error.faults[0] }
}

test('An email has its subject, an HTML page and a text', async () => {
  const body = mjml(
    '<mj-text>Thank you, {{ name }}: {{ order.total }}</mj-text><mj-table>{% for line in order.lines %}<tr><td>1</td><td>{{ line }}</td></tr>{% endfor %}</mj-table><mj-button href="https://shop.test/{{ order.id }}">See it</mj-button>',
  )
  const variables = { name: 'Ada', order: { id: 'o1', total: '12 €', lines: ['tea', 'a cup'] } }
  const mail = await render({ format: 'mjml', subject: 'Order {{ order.id }} of {{ name }}', body }, variables)
  expect(mail.subject).toBe('Order o1 of Ada')
  expect(mail.html).toMatch(/^<!doctype html>/i)
  for (const part of [
    'Thank you, Ada: 12 €',
    '<tr><td>1</td><td>tea</td></tr><tr><td>1</td><td>a cup</td></tr>',
    'href="https://shop.test/o1"',
  ])
    expect(mail.html).toContain(part)
  expect(mail.text.split(/\s*\n\s*/)).toEqual([
    'Thank you, Ada: 12 €',
    '1 tea',
    '1 a cup',
    'See it [https://shop.test/o1]',
  ])
})

test('An email uses the template’s own text where there is one', async () => {
  expect((await render({ text: 'Hi {{ name }}' }, { name: '<Ada>' })).text).toBe('Hi <Ada>')
})

test('A variable’s content is escaped and never interpreted', async () => {
  const name = `<script>alert("1")</script> & 'x' {{ secret }} <mj-raw>`
  const mjmlMail = await render(
    {
      format: 'mjml',
      subject: '{{ name }}',
      body: mjml('<mj-text>{{ name }}</mj-text><mj-image alt="{{ name }}" src="https://x.test/x.png" />'),
    },
    { name },
  )
  const escaped = '&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt; &amp; &#39;x&#39; {{ secret }} &lt;mj-raw&gt;'
  expect(mjmlMail.html.split(escaped)).toHaveLength(3)
  expect(mjmlMail.subject).toBe(name)
  expect(mjmlMail.text).toContain(name)
  for (const body of [
    '{{ name | append: "<b>" }}',
    '{% assign a = name %}{{ a }}',
    '{% if true %}{{ name | upcase }}{% endif %}',
    '{% tablerow n in names %}{{ n }}{% endtablerow %}',
  ])
    expect((await render({ body }, { name, names: [name] })).html).not.toMatch(/<(script|b|mj-raw)>/i)
})

test('A variable is printed as HTML only where the template asks for raw', async () => {
  expect((await render({ body: '{{ html | raw }}' }, { html: '<b>x</b>' })).html).toBe('<b>x</b>')
})

test('A filter that takes a character apart leaves a subject and a fault that can be stored', async () => {
  const { subject } = await render({ subject: 'Hi {{ name | split: "" | first }}' }, { name: '😀da' })
  expect([subject, subject.isWellFormed()]).toEqual(['Hi \ufffd', true])
  for (const pad of ['', 'a']) {
    // An object cannot be printed.
    const { message = '' } = await failure(
      { subject: `{{ o | default: "${pad}${'😀'.repeat(300)}" }}` },
      { o: { a: 1 } },
    )
    expect([message.length > 50, message.isWellFormed()]).toEqual([true, true])
  }
})

test('A subject is one line, so that no variable adds a header', async () => {
  for (const name of [
    'Ada\r\nBcc: eve@example.com',
    'Ada\nBcc: eve@example.com',
    'Ada\u2028Bcc: eve@example.com',
    'Ada\u0085\0\u000bBcc: eve@example.com',
  ])
    expect((await render({ subject: ' Hi\n{{ name }} ' }, { name })).subject).toBe('Hi Ada Bcc: eve@example.com')
  expect(await failure({ subject: '{{ name }}' }, { name: ' \r\n ' })).toMatchObject({
    part: 'subject',
    message: 'the subject is empty',
  })
  expect(await failure({ subject: '{{ name }}' }, { name: 'x'.repeat(501) })).toMatchObject({ part: 'subject' })
})

test('An email is the same after a hundred others', async () => {
  const first = await render({ body: '{{ n }}' }, { n: 1 })
  await Promise.all(Array.from({ length: 120 }, (_, n) => render({ body: `{{ n }} ${n}` }, { n })))
  expect(await render({ body: '{{ n }}' }, { n: 1 })).toEqual(first)
})

test.each([
  ['{{ name }}', {}],
  ['{{ customer.name }}', { customer: {} }],
  ['{{ customer.name }}', {}],
  ['{{ name | upcase }}', {}],
  ['{% for line in lines %}{{ line }}{% endfor %}', {}],
  ['{% assign x = name %}{{ x }}', {}],
  ['{{ name }}', { name: null }],
  ['{{ name | raw }}', { name: null }],
  ['{{ names }}', { names: ['Ada', null] }],
  ['{{ name.constructor }}', { name: 'Ada' }],
  ['{{ name.__proto__ }}', { name: {} }],
  ['{{ customer }}', { customer: { name: 'Ada' } }],
  ['{{ toString }}', {}],
])('The undefined variable of %s with %j is a fault', async (template, variables) => {
  for (const part of ['subject', 'body', 'text'] as const)
    expect(await failure({ [part]: `\n${template}` }, variables)).toMatchObject({
      code: 'template_failed',
      part,
      line: 2,
      message: expect.any(String),
    })
  expect(
    await failure({ format: 'mjml', body: mjml(`<mj-text>\n{{\n"x" }} ${template}</mj-text>`) }, variables),
  ).toMatchObject({ part: 'body', line: 6 })
})

test('A default in the template replaces an undefined variable', async () => {
  const body =
    '{{ a | default: "x" }}{{ a.b.c | default: "y" }}{% if a %}a{% endif %}{% if n == null %}z{% endif %}{{ n | default: 0 }}{{ zero }}{{ no }}{{ list }}'
  expect((await render({ body }, { n: null, zero: 0, no: false, list: [1, 'b'] })).html).toBe('xyz00false1b')
})

describe('Templates without an end', () => {
  const many = Array.from({ length: 6 }, (_, n) => `{% for i${n} in (1..1000) %}`).join('') + '{% endfor %}'.repeat(6)
  test.each([
    ['loops of loops', many],
    ['loops that print', many.replace('{% endfor %}', 'x{% endfor %}')],
    ['a huge range', '{% for i in (1..1000000000) %}x{% endfor %}'],
    ['a huge range of nothing', '{% for i in (1..1000000000) %}{% endfor %}'],
    ['a huge table', '{% tablerow i in (1..1000000000) %}x{% endtablerow %}'],
    [
      'a text that doubles',
      '{% assign s = "aaaaaaaa" %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}{{ s }}',
    ],
    [
      'a list that doubles',
      '{% assign s = "a,b" | split: "," %}{% for i in (1..60) %}{% assign s = s | concat: s %}{% endfor %}{{ s }}',
    ],
    [
      'a capture that doubles',
      '{% capture s %}aaaaaaaa{% endcapture %}{% for i in (1..60) %}{% capture s %}{{ s }}{{ s }}{% endcapture %}{% endfor %}{{ s }}',
    ],
    [
      'a replacement that grows',
      '{% assign s = "aa" %}{% for i in (1..60) %}{% assign s = s | replace: "a", s %}{% endfor %}{{ s }}',
    ],
    [
      'a join that grows',
      '{% assign s = "aa" %}{% for i in (1..60) %}{% assign s = s | split: "" | join: s %}{% endfor %}{{ s }}',
    ],
    ['a page without end', '{% for i in (1..2000) %}{{ long }}{% endfor %}'],
    [
      'expressions in filters',
      '{% assign s = long | split: "" %}{% assign t = s | where_exp: "x", "s contains x" %}{{ t | size }}',
    ],
  ])('A template with %s is stopped, and other emails are rendered', async (_, body) => {
    const long = 'x'.repeat(100_000)
    const [failed, other] = await Promise.all([failure({ body }, { long }), render({ body: '{{ n }}' }, { n: 1 })])
    expect(failed).toMatchObject({ code: expect.stringMatching(/^template_(failed|timeout|too_large)$/), part: 'body' })
    expect(other.html).toBe('1')
  })

  test('Tenants take turns while one tenant’s templates are slow', async () => {
    const body =
      '{% capture s %}aaaaaaaa{% endcapture %}{% for i in (1..60) %}{% capture s %}{{ s }}{{ s }}{% endcapture %}{% endfor %}{{ s }}'
    const order: string[] = []
    const hostile = Array.from({ length: 8 }, () =>
      renderEmail(source({ body }), {}, ownOwner('hostile')).catch(() => order.push('hostile')),
    )
    const peaceful = Array.from({ length: 3 }, () =>
      renderEmail(source({}), {}, ownOwner('peaceful')).then(() => order.push('peaceful')),
    )
    await Promise.all([...hostile, ...peaceful])
    expect(order.slice(-2)).toEqual(['hostile', 'hostile'])
  })

  test('A template that filled the memory does not fail the next ones', async () => {
    const body =
      '{% capture s %}aaaaaaaa{% endcapture %}{% for i in (1..60) %}{% capture s %}{{ s }}{{ s }}{% endcapture %}{% endfor %}{{ s }}'
    for (let round = 0; round < 4; round++) {
      await Promise.all([failure({ body }), failure({ body })])
      const next = await Promise.all(Array.from({ length: 6 }, (_, n) => render({ body: '{{ n }}' }, { n })))
      expect(next.map(({ html }) => html)).toEqual(['0', '1', '2', '3', '4', '5'])
    }
  })

  test('Variables that are too large fail with template_too_large', async () => {
    expect(await failure({}, { long: 'x'.repeat(300_000) })).toMatchObject({ code: 'template_too_large' })
  })
})

test.each<[string, Partial<EmailSource>, { part: string; line: number | null }[]]>([
  ['an unclosed output', { subject: '\nHi {{ name' }, [{ part: 'subject', line: 2 }]],
  ['an unclosed tag', { body: '\n\n{% if a %}' }, [{ part: 'body', line: 3 }]],
  ['an unopened tag', { body: '\n{% endif %}' }, [{ part: 'body', line: 2 }]],
  ['an unknown tag', { text: '{% nonsense %}' }, [{ part: 'text', line: 1 }]],
  ['an unknown filter', { text: '{{ a | nonsense }}' }, [{ part: 'text', line: 1 }]],
  [
    'each part',
    { subject: '{{', body: '{{', text: '{{' },
    ['subject', 'body', 'text'].map((part) => ({ part, line: 1 })),
  ],
  ['an unknown element', { format: 'mjml', body: mjml('<mj-nonsense>x</mj-nonsense>') }, [{ part: 'body', line: 4 }]],
  [
    'an unknown attribute',
    {
      format: 'mjml',
      body: mjml('{% comment %}\n{% endcomment %}<mj-text nonsense="x">x</mj-text>').replace(
        '{% comment %}\n{% endcomment %}',
        '<mj-text>{{\n"x"\n}}</mj-text>',
      ),
    },
    [{ part: 'body', line: 6 }],
  ],
  [
    'a width that is a variable',
    { format: 'mjml', body: mjml('<mj-image src="https://x.test/x.png" width="{{ w }}px" />') },
    [{ part: 'body', line: 4 }],
  ],
  [
    'an element at the wrong place',
    { format: 'mjml', body: '<mjml><mj-body><mj-text>x</mj-text></mj-body></mjml>' },
    [{ part: 'body', line: 1 }],
  ],
  ['no MJML at all', { format: 'mjml', body: 'Hello' }, [{ part: 'body', line: null }]],
  ['HTML for MJML', { format: 'mjml', body: '<p>Hello</p>' }, [{ part: 'body', line: null }]],
  [
    'a mark that MJML would drop',
    { format: 'mjml', body: mjml('{% if a %}<mj-text>x</mj-text>{% endif %}') },
    [4, 4].map((line) => ({ part: 'body', line })),
  ],
])('The check of a template finds %s', async (_, given, faults) => {
  expect(await check(given)).toEqual(faults.map((fault) => ({ ...fault, message: expect.stringMatching(/./) })))
})

test('The check of a valid template finds no faults', async () => {
  const inner =
    '<mj-raw>{% if a %}</mj-raw><mj-text color="{{ colour }}" css-class="{{ a }}">x</mj-text><mj-raw>{% endif %}</mj-raw>'
  expect(await check({ format: 'mjml', subject: '{{ a }}', body: mjml(inner), text: '{{ a }}' })).toEqual([])
})

test.each(['include', 'render', 'layout', 'block', 'echo', 'liquid', 'cycle'])(
  'The tag %s is not available in templates',
  async (tag) => {
    expect(await check({ body: `{% ${tag} "../../package.json" %}` })).toEqual([
      { part: 'body', line: 1, message: `the tag ${tag} is not available` },
    ])
  },
)

test('A template cannot read a file', async () => {
  for (const include of [
    '<mj-include path="/etc/passwd" type="html" />',
    '<MJ-INCLUDE path="./package.json" />',
    '<mj-include path="file:///etc/passwd" type="css" css-inline="inline"></mj-include>',
  ])
    expect(await check({ format: 'mjml', body: mjml(include) })).toEqual([
      { part: 'body', line: 4, message: 'mj-include is not available: a template is one file' },
    ])
})
