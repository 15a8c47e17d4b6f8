// A submission is stored as its form asked it, belongs to the contact that sent it, publishes one event, and costs few
// statements.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { edge, workflow } from '../kit/automation/automations.ts'
import { executionOf } from '../kit/automation/graphs.ts'
import { webhook } from '../kit/bookings/booking-reminders.ts'
import { prove, until } from '../kit/codes.ts'
import { nodesOf, recordStatements, rowsOf, type Statement } from '../kit/database/statements.ts'
import { type Answer, database, eitherApi, newEmail, newShop, type Shop, unique, type Visitor } from '../kit/shop.ts'

jest.setTimeout(60_000)

type Field = { id?: string; key?: string; type?: string; value?: unknown }
type Form = { id: string; key: string; schema: { id: string; key: string; type: string }[] }

let shop: Shop
let visitor: Visitor
let form: Form
beforeAll(async () => {
  shop = await newShop()
  visitor = await shop.visitor()
  form = await made()
})
afterAll(() => database().end())

const schema = [
  { type: 'text', key: 'name', required: true },
  { type: 'number', key: 'guests', min: 1, max: 12 },
  { type: 'boolean', key: 'first_visit' },
  { type: 'date', key: 'wanted_on' },
  { type: 'geo_location', key: 'where' },
  { type: 'select', key: 'colour', options: ['red', 'green'] },
]
async function made(body: Record<string, unknown> = {}, at = shop): Promise<Form> {
  const answer = await at.asOperator('POST', '/forms', { key: unique(), schema, ...body })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return answer.body
}
const idOf = (key: string, { schema: items } = form) => items.find((item) => item.key === key)?.id as string
const fill = (fields: Field[], { id } = form, base = eitherApi()) =>
  visitor.call('POST', `/forms/${id}/submissions`, { form_id: id, fields }, base)
const enter = (fields: Field[], { id } = form) =>
  shop.asOperator('POST', `/forms/${id}/submissions`, { form_id: id, fields }, eitherApi())
/** Characters that could break a statement. */
const odd = ` Ada "Countess" O'Lovelace \\' \\ ? ?? $1 :name %s -- /* ; 東京 😀 `
const ada: Field[] = [{ key: 'name', value: 'Ada' }]
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function done(answer: Promise<Answer>): Promise<any> {
  const { status, body } = await answer
  if (status > 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
const storedOf = async (formId: string) =>
  (await database().query('select * from form_submissions where form_id = $1 order by id', [formId])).rows
const faultsOf = ({ status, body }: Answer) => [
  status,
  ...(body.errors ?? []).map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`),
]

describe('Submissions', () => {
  const given = (): Field[] => [
    { key: 'colour', type: 'select', value: 'green' },
    { id: idOf('guests'), value: 12 },
    { key: 'name', value: odd },
    { key: 'wanted_on', value: '1815-12-10' },
    { key: 'where', value: { lng: -0.1, lat: 51.5 } },
    { key: 'first_visit', value: false },
  ]
  const kept = () => {
    const values = {
      name: odd,
      guests: 12,
      first_visit: false,
      wanted_on: '1815-12-10',
      where: { lat: 51.5, lng: -0.1 },
      colour: 'green',
    }
    return form.schema.map(({ type, id, key }) => ({ type, id, key, value: values[key as keyof typeof values] }))
  }

  test('A submission stores type, id, key and value in the form’s order, from either side', async () => {
    const theirs = await done(fill(given()))
    expect(theirs).toEqual({
      ...{
        id: expect.any(String),
        form_id: form.id,
        store_id: shop.store_id,
        fields: kept(),
        contact_id: visitor.contact_id,
      },
      ...{ created_at: expect.any(Number), updated_at: theirs.created_at },
    })
    const ours = await done(enter(given()))
    expect(ours).toEqual({
      ...theirs,
      id: ours.id,
      contact_id: null,
      created_at: ours.created_at,
      updated_at: ours.created_at,
    })
    for (const one of [theirs, ours])
      for (const word of [form.id, form.key])
        expect((await shop.asOperator('GET', `/forms/${word}/submissions/${one.id}`)).body).toEqual(one)
    expect(
      (await shop.asOperator('GET', `/forms/${form.key}/submissions?limit=2`)).body.items.map(
        ({ id }: { id: string }) => id,
      ),
    ).toEqual([ours.id, theirs.id])
  })

  test('A submission may repeat its form’s id or key, and another form’s id is refused', async () => {
    const at = (form_id: string | undefined, word = form.key) =>
      visitor.call('POST', `/forms/${word}/submissions`, { form_id, fields: ada })
    for (const form_id of [undefined, form.id, form.id.toUpperCase(), form.key])
      expect((await at(form_id)).status).toBe(201)
    expect((await at(form.key, form.id)).status).toBe(201)
    const before = (await storedOf(form.id)).length
    expect(faultsOf(await at(newId()))).toEqual([422, '/form_id differs_from_path'])
    expect(faultsOf(await at('other', form.id))).toEqual([422, '/form_id differs_from_path'])
    expect(await storedOf(form.id)).toHaveLength(before)
  })

  test('An edit replaces a submission and must fit the current form', async () => {
    const own = await made()
    const first = await done(
      fill(
        [
          { key: 'name', value: 'Ada' },
          { key: 'guests', value: 3 },
        ],
        own,
      ),
    )
    const put = (fields: Field[]) =>
      shop.asOperator('PUT', `/forms/${own.key}/submissions/${first.id}`, { form_id: own.id, fields }, eitherApi())
    const edited = await done(put([{ key: 'name', value: 'Grace' }]))
    expect(edited).toEqual({
      ...first,
      fields: [{ type: 'text', id: idOf('name', own), key: 'name', value: 'Grace' }],
      updated_at: expect.any(Number),
    })
    await done(
      shop.asOperator('PUT', `/forms/${own.id}`, {
        schema: [{ type: 'number', key: 'guests', required: true, max: 2 }],
      }),
    )
    expect((await shop.asOperator('GET', `/forms/${own.id}/submissions/${first.id}`)).body).toEqual(edited)
    expect(faultsOf(await put(edited.fields))).toEqual([422, '/fields/0/key unknown_field', '/fields required'])
    expect(faultsOf(await put([{ key: 'guests', value: 3 }]))).toEqual([422, '/fields/0/value too_big'])
    expect((await shop.asOperator('GET', `/forms/${own.id}/submissions/${first.id}`)).body).toEqual(edited)
    // What was read can be sent back once it fits.
    const fits = await done(put([{ key: 'guests', value: 2 }]))
    expect(await done(shop.asOperator('PUT', `/forms/${own.id}/submissions/${first.id}`, fits))).toEqual({
      ...fits,
      updated_at: expect.any(Number),
    })
  })

  test('A submission returns all its faults at once with pointers and stores nothing', async () => {
    const own = await made()
    const faulty: Field[] = [
      { key: 'guests', value: 13 },
      { key: 'first_visit', value: 'yes' },
      { key: 'nobody', value: 1 },
      { key: 'wanted_on', type: 'text', value: '2026-02-30' },
      { key: 'where', value: { lat: 91, lon: 3 } },
      { key: 'colour', value: 'blue' },
      { key: 'guests', value: 1 },
    ]
    const expected = [
      ...[
        422,
        '/fields/2/key unknown_field',
        '/fields/3/type type_differs',
        '/fields/6/key duplicate',
        '/fields/0/value too_big',
      ],
      ...[
        '/fields/1/value invalid_type',
        '/fields/3/value invalid_format',
        '/fields/4/value/lat too_big',
        '/fields/4/value/lng required',
      ],
      ...['/fields/4/value/lon unknown_field', '/fields/5/value not_an_option', '/fields required'],
    ]
    for (const send of [fill, enter]) expect(faultsOf(await send(faulty, own)).sort()).toEqual(expected.sort())
    expect(await storedOf(own.id)).toEqual([])
  })

  test('A submission of 256 KiB is stored and searchable, and a larger one is refused', async () => {
    const keys = Array.from({ length: 40 }, (_, n) => `text-${n}`)
    const own = await made({ schema: keys.map((key) => ({ type: 'text', key })) })
    const word = `wort${unique()}`
    const long = (count: number) =>
      keys.slice(0, count).map((key, n) => ({ key, value: n === 0 ? word : `${'ü'.repeat(30)} `.repeat(320) }))
    const { id } = await done(fill(long(14), own))
    expect(
      (await shop.asOperator('GET', `/forms/${own.id}/submissions?query=${word}`)).body.items.map(
        (one: { id: string }) => one.id,
      ),
    ).toEqual([id])
    expect(faultsOf(await fill(long(15), own))).toEqual([422, '/fields too_big'])
    expect(faultsOf(await fill(Array(201).fill({ key: 'text-0', value: 'x' }), own))).toEqual([422, '/fields too_big'])
    expect(await storedOf(own.id)).toHaveLength(1)
  })

  test.each([
    ['no fields', {}, ['/fields required']],
    ['fields as an object', { fields: { name: 'Ada' } }, ['/fields invalid_type']],
    ['a field that is a text', { fields: ['Ada'] }, ['/fields/0 invalid_type']],
    ['an unknown property of a field', { fields: [{ key: 'name', valeu: 'Ada' }] }, ['/fields/0/valeu unknown_field']],
    ['a contact of its own choosing, which is ignored', { fields: ada, contact_id: newId() }, []],
  ])('A submission with %s is checked field by field', async (_, body, faults) => {
    const answer = await visitor.call('POST', `/forms/${form.id}/submissions`, body)
    expect(faultsOf(answer)).toEqual([faults.length > 0 ? 422 : 201, ...faults])
    if (faults.length === 0) expect(answer.body.contact_id).toBe(visitor.contact_id)
  })
})

test('An archived form takes no submissions, but its submissions can be edited', async () => {
  const own = await made()
  const { id } = await done(fill(ada, own))
  await done(shop.asOperator('PUT', `/forms/${own.id}`, { status: 'ARCHIVED' }))
  for (const send of [fill, enter])
    expect((await send(ada, own)).body).toMatchObject({ status: 409, code: 'form_archived' })
  expect(
    (await shop.asOperator('PUT', `/forms/${own.id}/submissions/${id}`, { fields: [{ key: 'name', value: 'Eve' }] }))
      .status,
  ).toBe(200)
  await done(shop.asOperator('PUT', `/forms/${own.id}`, { status: 'active' }))
  expect((await fill(ada, own)).status).toBe(201)
  expect(await storedOf(own.id)).toHaveLength(2)
})

test('A form takes no submissions without a visitor token or from another store', async () => {
  const anonymous = await shop.asVisitor('POST', `/forms/${form.id}/submissions`, { fields: ada })
  expect([anonymous.status, anonymous.headers.get('x-service-visitor-token')]).toEqual([401, null])
  const other = await newShop()
  const stranger = await other.visitor()
  const before = (await storedOf(form.id)).length
  const { id } = await done(fill(ada))
  for (const answer of [
    await stranger.call('POST', `/forms/${form.id}/submissions`, { fields: ada }),
    await stranger.call('POST', `/forms/${form.key}/submissions`, { fields: ada }),
    await other.asOperator('POST', `/forms/${form.id}/submissions`, { fields: ada }),
    await other.asOperator('GET', `/forms/${form.id}/submissions`),
    await other.asOperator('GET', `/forms/${form.id}/submissions/${id}`),
    await other.asOperator('PUT', `/forms/${form.id}/submissions/${id}`, { fields: ada }),
    // Of this store, but of another form.
    await shop.asOperator('GET', `/forms/contact/submissions/${id}`),
    await shop.asOperator('PUT', `/forms/order-notes/submissions/${id}`, { fields: [] }),
    await visitor.call('POST', `/forms/${newId()}/submissions`, { fields: ada }),
  ])
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  // A visitor token of another store is refused.
  expect((await shop.asVisitor('POST', `/forms/${form.id}/submissions`, { fields: ada }, stranger.token)).status).toBe(
    401,
  )
  expect(await storedOf(form.id)).toHaveLength(before + 1)
})

test('Deleting a form deletes all of its submissions and no others', async () => {
  const own = await made()
  const { id } = await done(fill(ada, own))
  const others = (await storedOf(form.id)).length
  await done(shop.asOperator('DELETE', `/forms/${own.id}`))
  expect((await shop.asOperator('GET', `/forms/${own.id}/submissions/${id}`)).status).toBe(404)
  expect([await storedOf(own.id), (await storedOf(form.id)).length]).toEqual([[], others])
})

describe('Listing submissions', () => {
  let listed: Form
  const texts = ['100% sicher', '100 Prozent', 'O’Brien & Söhne', 'it\'s "fine": yes', 'rot_grün', '東京 へ']
  beforeAll(async () => {
    listed = await made({
      schema: [
        { type: 'text', key: 'says' },
        { type: 'number', key: 'n' },
      ],
    })
    for (const [n, value] of texts.entries()) {
      const { id } = await done(
        fill(
          [
            { key: 'says', value },
            { key: 'n', value: 4711 },
          ],
          listed,
        ),
      )
      await database().query('update form_submissions set created_at = $2, updated_at = $3 where id = $1', [
        id,
        1_800_000_000 + n,
        1_900_000_000 - n,
      ])
    }
  })
  const asked = async (search: string) =>
    done(shop.asOperator('GET', `/forms/${listed.id}/submissions?${search}`, undefined, eitherApi()))
  const says = ({ items }: { items: { fields: { value: unknown }[] }[] }) => items.map(({ fields }) => fields[0]?.value)

  test.each([
    ['', [5, 4, 3, 2, 1, 0]],
    ['sort_direction=asc', [0, 1, 2, 3, 4, 5]],
    ['sort_field=updated_at', [0, 1, 2, 3, 4, 5]],
    ['created_at_from=1800000001&created_at_to=1800000003', [3, 2, 1]],
    ['query=100', [1, 0]],
    ['query=PROZ', [1]],
    ['query=söhne', [2]],
    ['query=sohne', []],
    [`query=${encodeURIComponent('it\'s "fine"')}`, [3]],
    [`query=${encodeURIComponent('東京')}`, [5]],
    // Neither of these is part of the search text.
    ['query=1%25t', []],
    ['query=rot_gr_n', []],
    ['query=%25%25%25', []],
    // The search covers answers, not labels and not numbers.
    ['query=says', []],
    ['query=4711', []],
  ])('Submissions are listed by %p', async (search, places) => {
    const found = await asked(search)
    expect(says(found)).toEqual(places.map((at) => texts[at]))
  })

  test('A list of submissions continues by its cursor and finds edited text', async () => {
    const first = await asked('limit=4')
    const second = await asked(`limit=4&cursor=${first.cursor}`)
    expect([...says(first), ...says(second), second.cursor]).toEqual([...texts.toReversed(), null])
    const { id } = first.items[0]
    await done(
      shop.asOperator('PUT', `/forms/${listed.id}/submissions/${id}`, { fields: [{ key: 'says', value: 'Kyoto' }] }),
    )
    expect([says(await asked('query=kyo')), says(await asked(`query=${encodeURIComponent('東京')}`))]).toEqual([
      ['Kyoto'],
      [],
    ])
    await done(
      shop.asOperator('PUT', `/forms/${listed.id}/submissions/${id}`, { fields: [{ key: 'says', value: texts[5] }] }),
    )
  })
})

test('Verifying an address moves a visitor’s submissions to its contact, but no one else’s', async () => {
  const own = await newShop()
  const { id } = (await own.asOperator('GET', '/forms/order-notes')).body
  const contactOf = async (submission: string) =>
    (await own.asOperator('GET', `/forms/${id}/submissions/${submission}`)).body.contact_id
  const submitted = async (who: Visitor) =>
    (await done(who.call('POST', `/forms/${id}/submissions`, { fields: [] }))) as { id: string; contact_id: string }
  const email = newEmail()
  const home = await own.visitor()
  await prove(home, email)
  const phone = await own.visitor()
  const before = await submitted(phone)
  expect(before.contact_id).toBe(phone.contact_id)
  expect((await prove(phone, email, 2)).body.contact.id).toBe(home.contact_id)
  expect(await contactOf(before.id)).toBe(home.contact_id)
  const after = await submitted(phone)
  expect(after.contact_id).toBe(home.contact_id)
  // Another person in the same browser takes no submission along.
  expect((await prove(phone, newEmail())).body.contact.id).not.toBe(home.contact_id)
  expect([await contactOf(before.id), await contactOf(after.id)]).toEqual([home.contact_id, home.contact_id])
  expect((await submitted(phone)).contact_id).not.toBe(home.contact_id)
  const { rows } = await database().query(
    'select 1 from form_submissions f where f.tenant_id = $1 and not exists (select 1 from contacts c where c.id = f.contact_id)',
    [own.store_id],
  )
  expect(rows).toEqual([])
})

test('A new submission publishes one event with the form’s key, and an edit none', async () => {
  const own = await made()
  const hook = await webhook(shop.store_id, ['form_submission.created'])
  await webhook(shop.store_id, ['order.created'])
  const theirs = await done(fill(ada, own))
  const ours = await done(enter(ada, own))
  await enter([{ key: 'name', value: 3 }], own)
  await done(shop.asOperator('PUT', `/forms/${own.id}/submissions/${ours.id}`, { fields: ada }))
  const { rows } = await database().query(
    'select e.type, e.data, d.webhook_id from events e join deliveries d on d.event_id = e.id where e.tenant_id = $1 order by e.id',
    [shop.store_id],
  )
  expect(rows).toEqual(
    [theirs, ours].map((one) => ({
      type: 'form_submission.created',
      data: { ...one, form_key: own.key },
      webhook_id: hook,
    })),
  )
})

test('A submission starts a subscribed workflow, whose nodes read its fields', async () => {
  const own = await newShop()
  const { id } = await workflow(own, {
    nodes: {
      start: { type: 'trigger', events: ['form_submission.created'] },
      greet: {
        type: 'transform',
        code: 'const { data } = input.start; return [data.form_key, data.fields.find(({ key }) => key === "name").value]',
      },
    },
    edges: [edge('start', 'default', 'greet')],
  })
  const guest = await own.visitor()
  const fields = [...ada, { key: 'email', value: 'ada@tillwright.test' }, { key: 'message', value: 'Hello' }]
  const submission = await done(guest.call('POST', '/forms/contact/submissions', { fields }))
  const [run, ...more] = await until(async () => {
    const { rows } = await database().query(
      "select id, input from executions where workflow_id = $1 and status = 'completed'",
      [id],
    )
    return rows.length > 0 && rows
  }, 30_000)
  expect([run.input, more]).toEqual([
    {
      id: expect.any(String),
      type: 'form_submission.created',
      created_at: expect.any(Number),
      store_id: own.store_id,
      data: { ...submission, form_key: 'contact' },
    },
    [],
  ])
  expect((await executionOf(run.id)).runs.greet).toMatchObject({ status: 'succeeded', output: ['contact', 'Ada'] })
})

describe('Statements', () => {
  let own: Awaited<ReturnType<typeof recordStatements>>
  let quiet: Shop
  let guest: Visitor
  beforeAll(async () => {
    own = await recordStatements()
    quiet = await newShop()
    guest = await quiet.visitor()
  })
  afterAll(() => own.close())

  test('A submission costs three statements, and its event one more', async () => {
    const asked = await made({}, quiet)
    const send = (fields: Field[]) =>
      own.said((base) => guest.call('POST', `/forms/${asked.id}/submissions`, { fields }, base))
    const many = form.schema.map(({ key, type }) => ({
      key,
      value: {
        text: 'x',
        number: 3,
        boolean: true,
        date: '2026-01-01',
        geo_location: { lat: 1, lng: 2 },
        select: 'red',
      }[type],
    }))
    const firstWords = (statements: Statement[]) => statements.map(({ text }) => text.trim().split(/\s+/)[0])
    expect(firstWords(await send(ada))).toEqual(['select', 'select', 'insert'])
    expect(firstWords(await send(many))).toEqual(['select', 'select', 'insert'])
    await webhook(quiet.store_id, ['form_submission.created'])
    expect(firstWords(await send(ada))).toEqual(['select', 'select', 'insert', 'with'])
    expect(
      firstWords(await own.statementsOf(quiet, 'POST', `/forms/${asked.id}/submissions`, { fields: ada })),
    ).toHaveLength(4)
  })

  test('A page out of 30,000 submissions costs three statements and reads by index', async () => {
    const asked = await made({}, quiet)
    await database().query(
      `insert into form_submissions (id, tenant_id, created_at, updated_at, form_id, fields, search)
       select gen_random_uuid(), $1, 1700000000 + n, 1700000000 + (n * 7919) % 100000, $2, '[]', to_tsvector('simple', 'common rare' || n % 1000) from generate_series(1, 30000) as n`,
      [quiet.store_id, asked.id],
    )
    await database().query('analyze form_submissions')
    for (const search of [
      '',
      'sort_direction=asc',
      'sort_field=updated_at',
      'created_at_from=1700000100&created_at_to=1700000200',
      'query=rare77',
      'query=common',
    ]) {
      const statements = await own.statementsOf(quiet, 'GET', `/forms/${asked.key}/submissions?limit=20&${search}`)
      expect(statements).toHaveLength(3)
      const plan = await own.planOf(statements[2] as Statement)
      expect([search, nodesOf(plan).includes('Seq Scan')]).toEqual([search, false])
      expect(rowsOf(plan)).toBeLessThan(search.startsWith('query') ? 3_000 : 300)
    }
  })
})
