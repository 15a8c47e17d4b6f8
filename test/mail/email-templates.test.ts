// A saved template can be rendered, and a preview shows the email before anything is sent.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordStatements } from '../kit/database/statements.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(() => database().end())

const mjml = (inner: string) =>
  `<mjml><mj-body><mj-section><mj-column>\n${inner}\n</mj-column></mj-section></mj-body></mjml>`
const template = { subject: 'Order of {{ name }}', body: mjml('<mj-text>Thank you, {{ name }}</mj-text>') }
const add = (given: Record<string, unknown> = {}) =>
  shop.asOperator('POST', '/email-templates', { key: unique(), ...template, ...given })
const path = (id: string) => `/email-templates/${id}`

test('An email template is created, read, listed, updated and deleted', async () => {
  const key = unique()
  const made = await add({ key })
  const { id } = made.body
  const times = { created_at: expect.any(Number), updated_at: expect.any(Number) }
  const expected = {
    id,
    key,
    type: 'transactional',
    status: 'active',
    format: 'mjml',
    ...template,
    text: null,
    ...times,
  }
  expect([made.status, made.body]).toEqual([201, expected])
  expect((await add({ key })).body).toMatchObject({ status: 409, code: 'key_taken' })
  expect((await shop.asOperator('GET', path(id))).body).toEqual(expected)
  expect((await shop.asOperator('GET', `/email-templates?ids=${id}`)).body.items).toEqual([expected])
  expect((await shop.asOperator('GET', '/email-templates?type=campaign')).body.items).toEqual([])
  const change = { format: 'HTML', body: '<p>{{ name }}</p>', text: 'Hi', status: 'draft', type: 'CAMPAIGN' }
  expect((await shop.asOperator('PUT', path(id), change)).body).toMatchObject({
    ...change,
    format: 'html',
    type: 'campaign',
    subject: template.subject,
  })
  expect((await shop.asOperator('PUT', path(id), { text: null })).body.text).toBeNull()
  expect((await shop.asOperator('DELETE', path(id))).body).toEqual({ success: true })
  expect((await shop.asOperator('GET', path(id))).status).toBe(404)
})

test.each<[string, Record<string, unknown>, [string, RegExp][]]>([
  [
    'liquid',
    { subject: 'Hi {{ name', text: '\n\n{% if %}' },
    [
      ['/subject', /^Line 1: /],
      ['/text', /^Line 3: /],
    ],
  ],
  [
    'MJML',
    { body: mjml('<mj-nonsense />\n<mj-text nonsense="x">Hi</mj-text>') },
    [
      ['/body', /^Line 2: /],
      ['/body', /^Line 3: /],
    ],
  ],
  [
    'a file',
    { body: mjml('<mj-include path="/etc/passwd" type="html" />') },
    [['/body', /^Line 2: mj-include is not available/]],
  ],
  [
    'another template',
    { format: 'html', body: '{% include "x" %}' },
    [['/body', /^Line 1: the tag include is not available/]],
  ],
])('A template with a fault of %s is not saved, and each fault has its part and line', async (_, given, faults) => {
  const { id } = (await add()).body
  for (const answer of [await add(given), await shop.asOperator('PUT', path(id), given)]) {
    expect(answer.body).toMatchObject({ status: 422, code: 'template_invalid' })
    expect(answer.body.errors).toEqual(
      faults.map(([pointer, detail]) => ({ pointer, code: 'template_invalid', detail: expect.stringMatching(detail) })),
    )
  }
  expect((await shop.asOperator('GET', path(id))).body).toMatchObject(template)
})

test('Changing a template’s format checks its body again', async () => {
  const { id } = (await add({ format: 'html', body: '<p>Hi</p>' })).body
  expect((await shop.asOperator('PUT', path(id), { format: 'mjml' })).body).toMatchObject({
    status: 422,
    errors: [{ pointer: '/body' }],
  })
})

test('A preview renders a saved template and a draft', async () => {
  const { id } = (await add()).body
  const variables = { name: '<Ada>' }
  const mail = {
    subject: 'Order of <Ada>',
    html: expect.stringContaining('Thank you, &lt;Ada&gt;'),
    text: 'Thank you, <Ada>',
  }
  const saved = await shop.asOperator('POST', `${path(id)}/preview`, { variables })
  expect([saved.status, saved.body]).toEqual([200, mail])
  expect((await shop.asOperator('POST', '/email-templates/preview', { ...template, variables })).body).toEqual(mail)
})

test('A preview names undefined variables and templates that take too long', async () => {
  const { id } = (await add()).body
  const missing = {
    status: 422,
    code: 'template_failed',
    errors: [{ pointer: '/subject', detail: 'Line 1: undefined variable: name' }],
  }
  expect((await shop.asOperator('POST', `${path(id)}/preview`)).body).toMatchObject(missing)
  expect((await shop.asOperator('POST', '/email-templates/preview', template)).body).toMatchObject(missing)
  const endless =
    '{% capture s %}aaaaaaaa{% endcapture %}{% for i in (1..60) %}{% capture s %}{{ s }}{{ s }}{% endcapture %}{% endfor %}{{ s }}'
  const answer = await shop.asOperator('POST', '/email-templates/preview', {
    format: 'html',
    subject: 'x',
    body: endless,
  })
  expect(answer.body).toMatchObject({
    status: 422,
    code: expect.stringMatching(/^template_(failed|timeout|too_large)$/),
  })
})

test('Many concurrent previews do not delay requests of other tenants', async () => {
  const endless = {
    format: 'html',
    subject: 'x',
    body: '{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}',
  }
  const many = Promise.all(
    Array.from({ length: 30 }, () => shop.asOperator('POST', '/email-templates/preview', endless)),
  )
  expect((await shop.asOperator('GET', '/email-templates')).status).toBe(200)
  const statuses = (await many).map(({ status }) => status)
  expect(statuses.filter((status) => status !== 422 && status !== 429)).toEqual([])
  expect(statuses).toContain(429)
})

test('Checks of slow templates hold no database connection', async () => {
  // Of an API process with two connections.
  const own = await recordStatements()
  const slow = mjml('<mj-text>Hello</mj-text>\n</mj-column></mj-section><mj-section><mj-column>\n'.repeat(2_000))
  const { id } = (await add()).body
  try {
    let over = 0
    const saving = [
      () => ['POST', '/email-templates', { key: unique(), subject: 'Hello', body: slow }],
      () => ['PUT', path(id), { body: slow }],
    ] as const
    const saves = [...saving, ...saving].map(async (given) => {
      const [method, at, body] = given() as ['POST' | 'PUT', string, object]
      const answer = await own
        .said((base) => shop.asOperator(method, at, body, base).finally(() => over++))
        .catch((error) => error.message)
      expect(answer).toContain('template_timeout')
    })
    for (let n = 0; n < 5; n++) await own.statementsOf(shop, 'GET', '/email-templates')
    expect(over).toBe(0)
    await Promise.all(saves)
  } finally {
    await own.close()
  }
})
