// A form is changed, archived or deleted while it is filled in through another process: every stored submission fits,
// and every response is true afterwards.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { codeFor, prove, until } from '../kit/codes.ts'
import { atOnce } from '../kit/orders/buying.ts'
import {
  type Answer,
  api,
  database,
  eitherApi,
  newEmail,
  newShop,
  type Shop,
  secondApi,
  unique,
  type Visitor,
} from '../kit/shop.ts'

jest.setTimeout(120_000)

const clients = 8
const texts = [{ type: 'text', key: 'answer', required: true }]
const numbers = [{ type: 'number', key: 'answer', required: true }]

let shop: Shop
let visitors: Visitor[]
beforeAll(async () => {
  shop = await newShop()
  visitors = await atOnce(clients, () => shop.visitor())
})
afterAll(() => database().end())

const made = async (schema: unknown[] = texts): Promise<string> =>
  (await shop.asOperator('POST', '/forms', { key: unique(), schema })).body.id
const put = (id: string, change: unknown, base = eitherApi()) => shop.asOperator('PUT', `/forms/${id}`, change, base)
const storedOf = async (id: string): Promise<{ type: string; value: unknown }[]> =>
  (
    await database().query(
      "select fields->0->>'type' as type, fields->0->'value' as value from form_submissions where form_id = $1",
      [id],
    )
  ).rows

/**
 * Clients submit continuously through both processes until they are stopped; `begun` resolves when each has an answer.
 */
function filling(id: string, value: (n: number) => unknown) {
  const answers: Answer[] = []
  let over = false
  const ends = visitors.map(async (visitor, client) => {
    for (let n = 0; !over; n++) {
      const fields = [{ key: 'answer', value: value(n) }]
      answers.push(
        await visitor.call(
          'POST',
          `/forms/${id}/submissions`,
          { fields },
          (client + n) % 2 === 0 ? api() : secondApi(),
        ),
      )
    }
  })
  return {
    more: (count: number) => {
      const from = answers.length
      return until(async () => answers.length >= from + count)
    },
    async stop(): Promise<Map<number, number>> {
      over = true
      await Promise.all(ends)
      return new Map([...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]))
    },
  }
}

test('After a schema change is answered, a form stores no submission of the old schema', async () => {
  const id = await made(texts)
  // Half of them fit the one schema, half the other.
  const submitters = filling(id, (n) => (n % 2 === 0 ? 'yes' : 42))
  for (let round = 0; round < 10; round++) {
    await submitters.more(20)
    const [schema, former] = round % 2 === 0 ? [numbers, 'text'] : [texts, 'number']
    expect((await put(id, { schema })).status).toBe(200)
    const before = (await storedOf(id)).filter(({ type }) => type === former).length
    await submitters.more(20)
    expect((await storedOf(id)).filter(({ type }) => type === former)).toHaveLength(before)
  }
  const statuses = await submitters.stop()
  expect([...statuses.keys()].sort()).toEqual([201, 422])
  const stored = await storedOf(id)
  expect(stored).toHaveLength(statuses.get(201) as number)
  for (const { type, value } of stored) expect(typeof value).toBe(type === 'text' ? 'string' : 'number')
})

test('A form accepts no submission after archiving is answered, and does when active again', async () => {
  const id = await made()
  const submitters = filling(id, () => 'yes')
  for (let round = 0; round < 8; round++) {
    await submitters.more(20)
    expect((await put(id, { status: 'archived' })).body.status).toBe('archived')
    const before = (await storedOf(id)).length
    await submitters.more(20)
    expect(await storedOf(id)).toHaveLength(before)
    expect((await put(id, { status: 'active' })).status).toBe(200)
  }
  const statuses = await submitters.stop()
  expect([...statuses.keys()].sort()).toEqual([201, 409])
  expect(await storedOf(id)).toHaveLength(statuses.get(201) as number)
})

test('Deleting a form deletes all submissions, and later ones return 404', async () => {
  for (let round = 0; round < 6; round++) {
    const id = await made()
    const submitters = filling(id, () => 'yes')
    await submitters.more(5 + round * 5)
    expect((await shop.asOperator('DELETE', `/forms/${id}`, undefined, eitherApi())).status).toBe(200)
    expect(await storedOf(id)).toEqual([])
    await submitters.more(clients)
    expect([...(await submitters.stop()).keys()].sort()).toEqual([201, 404])
    expect(await storedOf(id)).toEqual([])
  }
})

test('A submission edited while its form is deleted is edited or returns 404', async () => {
  for (let round = 0; round < 5; round++) {
    const id = await made()
    const submissions: Answer[] = await atOnce(clients, (n) =>
      (visitors[n] as Visitor).call('POST', `/forms/${id}/submissions`, { fields: [{ key: 'answer', value: 'a' }] }),
    )
    const edit = ({ body }: Answer) =>
      shop.asOperator(
        'PUT',
        `/forms/${id}/submissions/${body.id}`,
        { fields: [{ key: 'answer', value: 'b' }] },
        eitherApi(),
      )
    const [gone, ...edits] = await Promise.all([
      shop.asOperator('DELETE', `/forms/${id}`, undefined, eitherApi()),
      ...submissions.map(edit),
      ...submissions.map(edit),
    ])
    expect(gone?.status).toBe(200)
    for (const { status } of edits) expect([200, 404]).toContain(status)
  }
})

test('Submissions made during verification belong to the visitor’s final contact', async () => {
  for (let round = 0; round < 4; round++) {
    const own = await newShop()
    const email = newEmail()
    const home = await own.visitor()
    await prove(home, email)
    const phone = await own.visitor()
    const { challenge_id } = (await phone.call('POST', '/account/code', { email })).body
    const code = await codeFor(email, 2)
    const send = () => phone.call('POST', '/forms/order-notes/submissions', { fields: [] }, eitherApi())
    const [verified, ...answers] = await Promise.all([
      phone.call('POST', '/account/verify', { challenge_id, code }),
      ...Array.from({ length: 12 }, send),
    ])
    expect([verified?.status, ...answers.map(({ status }) => status)]).toEqual([200, ...Array(12).fill(201)])
    const { rows } = await database().query('select distinct contact_id from form_submissions where tenant_id = $1', [
      own.store_id,
    ])
    expect(rows).toEqual([{ contact_id: home.contact_id }])
  }
})
