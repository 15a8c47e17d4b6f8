// A form sends one request until its outcome is proved, and never overwrites what it has not read.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import { ApiProblem } from '../../client/client.ts'
import { SignedOut, Unreachable } from '../../console/src/kit/answers.ts'
import { type OpenApi, operationsOf } from '../../console/src/kit/document/operations.ts'
import type { Item } from '../../console/src/kit/document/tree.ts'
import {
  attempt,
  type Drafts,
  isRepeatable,
  type Request,
  rebased,
  type Sending,
} from '../../console/src/kit/form/attempt.ts'
import { type Draft, newDraft } from '../../console/src/kit/form/draft.ts'
import { bodyOf, startOf, valuesOf } from '../../console/src/kit/form/model.ts'

const document: OpenApi = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
const { schemas } = document.components
const operations = operationsOf(document)

const problem = (status: number, code: string, more: Record<string, unknown> = {}) =>
  new ApiProblem('', status, { code, ...more }, new Headers())
/** What a gateway or a proxy answers. */
const page = (status: number) => new ApiProblem('', status, {}, new Headers())
const lost = new Unreachable('No answer arrived.')

type Form = { sending: Sending; drafts: Drafts; sent: Request[]; answers: unknown[]; record: Item | undefined }

/** A form as it is opened on a record, and an API that answers or throws in turn. */
function open(spec: string, before?: Item, isChange = false): Form {
  const operation = operations.find((one) => one.spec === spec)
  if (!operation) throw new Error(`no ${spec}`)
  const body = operation.body ? bodyOf(operation.body, schemas) : undefined
  const begun = body ? (isChange && before ? valuesOf(body, before, schemas) : startOf(body, schemas)) : {}
  const draft = newDraft(begun, before, body?.callersIds ?? [])
  const form: Form = {
    sent: [],
    answers: [],
    record: before,
    sending: {
      operation,
      body,
      schemas,
      isChange,
      async ask(request) {
        form.sent.push(structuredClone(request))
        const answer = form.answers.shift()
        if (answer instanceof Error) throw answer
        return answer
      },
      readNow: before ? async () => form.record as Item : undefined,
    },
    drafts: { read: () => ({ ...draft }), change: (part) => void Object.assign(draft, part) },
  }
  return form
}

async function send({ sending, drafts, answers }: Form, answer: unknown, value?: Item) {
  answers.push(answer)
  if (value) drafts.change({ value: { ...drafts.read().value, ...value } })
  return attempt(sending, drafts)
}
const bodies = ({ sent }: Form) => sent.map(({ body }) => body as Item)

const refund = 'POST /v1/stores/{storeId}/orders/{orderId}/refunds'
const shipment = 'POST /v1/stores/{storeId}/orders/{orderId}/shipments'
const stock = 'PUT /v1/stores/{storeId}/products/{id}/inventory'

test.each([
  [422, problem(422, 'invalid_input')],
  [409, problem(409, 'referenced')],
  [404, problem(404, 'not_found')],
  [403, problem(403, 'forbidden')],
  [429, problem(429, 'too_many_requests')],
])('A refusal with %i of a repeated request changes neither its ids nor its key', async (_, refusal) => {
  const form = open(refund)
  expect((await send(form, lost, { amount: 500 })).kind).toBe('lost')
  await send(form, refusal, { amount: 0 })
  expect(form.drafts.read().isSent).toBe(true)
  expect((await send(form, { id: 'x' }, { amount: 500 })).kind).toBe('done')
  expect(new Set(bodies(form).map((body) => body.refund_id)).size).toBe(1)
})

test('A request that was refused at once gets another id, and one in doubt keeps its own', async () => {
  const answers: [Error, isOther: boolean][] = [
    [problem(422, 'invalid_input'), true],
    [problem(409, 'idempotency_conflict'), false],
    [problem(408, 'request_timeout'), false],
    // The message may have been recorded before the limit was met.
    [problem(429, 'token_limit'), false],
    [problem(503, 'unavailable'), false],
    [page(403), false],
    [page(404), false],
    [page(502), false],
    [lost, false],
  ]
  for (const [answer, isOther] of answers) {
    const form = open(refund)
    const { ids, key } = form.drafts.read()
    const outcome = await send(form, answer, { amount: 500 })
    const after = form.drafts.read()
    expect([answer, after.ids.refund_id !== ids.refund_id, after.key !== key]).toEqual([answer, isOther, isOther])
    expect([answer, outcome.kind === 'refused']).toEqual([answer, isOther || answer.message.includes('idempotency')])
  }
})

test('What is typed while the request is under way is still there when it is refused', async () => {
  const form = open(refund)
  form.sending.ask = async () => {
    form.drafts.change({ value: { amount: 700 } })
    throw problem(422, 'invalid_input')
  }
  await attempt(form.sending, form.drafts)
  expect(form.drafts.read().value).toEqual({ amount: 700 })
})

test('A shipment whose answer was lost is in doubt when the order has changed, not sent over it', async () => {
  const form = open(shipment, { id: 'o', version: 3 })
  const items = [{ line_id: 'l', quantity: 1 }]
  expect((await send(form, lost, { items })).kind).toBe('lost')
  form.record = { id: 'o', version: 4 }
  expect(await send(form, problem(409, 'stale_version'))).toEqual({ kind: 'doubt', record: form.record })
  expect(bodies(form).map(({ version }) => version)).toEqual([3, 3])
})

test('An order that another one changed is named before a shipment is sent', async () => {
  const form = open(shipment, { id: 'o', version: 3, status: 'confirmed' })
  form.record = { id: 'o', version: 4, status: 'cancelled' }
  const outcome = await send(form, problem(409, 'stale_version'), { items: [] })
  expect(outcome).toEqual({ kind: 'stale', fields: ['status'], record: form.record, isOwn: false })
  form.drafts.change(rebased(form.sending, form.drafts.read(), form.record))
  await send(form, {})
  expect(bodies(form).map(({ version }) => version)).toEqual([3, 4])
})

test('A draft of an earlier view of the tab keeps the version that it was based on', async () => {
  const first = open(shipment, { id: 'o', version: 3 })
  await send(first, lost, { items: [] })
  const kept: Draft = JSON.parse(JSON.stringify(first.drafts.read()))
  const again = open(shipment, { id: 'o', version: 4 })
  again.drafts.change(kept)
  expect((await send(again, problem(409, 'stale_version'))).kind).toBe('doubt')
  expect(bodies(again)[0]?.version).toBe(3)
})

test('Stock is written under the number that was read, and a lost change by a delta is in doubt', async () => {
  const rows = [{ variant_id: 'v', location_id: 'l', available: 7 }]
  const form = open(stock, { items: rows })
  const inventory = [
    { variant_id: 'v', location_id: 'l', delta: 2 },
    { variant_id: 'v', location_id: 'new', available: 1 },
    { variant_id: 'v', location_id: 'l', available: 1, if_available: 9 },
  ]
  form.drafts.change({ value: { inventory } })
  expect(isRepeatable(form.sending, form.drafts.read())).toBe(true)
  expect((await send(form, lost)).kind).toBe('lost')
  expect(bodies(form).flatMap(({ inventory: sent }) => (sent as Item[]).map((row) => row.if_available))).toEqual([
    7,
    null,
    9,
  ])
  form.record = { items: [{ variant_id: 'v', location_id: 'l', available: 9 }] }
  expect((await send(form, problem(409, 'available_changed'))).kind).toBe('doubt')
})

test('Only what the API can tell apart is called the same request', () => {
  const of = (spec: string, before?: Item, value: Item = {}) => {
    const form = open(spec, before)
    form.drafts.change({ value })
    return isRepeatable(form.sending, form.drafts.read())
  }
  expect([of(refund), of(shipment, { version: 1 }), of('DELETE /v1/stores/{storeId}/webhooks/{id}', {})]).toEqual([
    true,
    true,
    true,
  ])
  expect([of(shipment), of('POST /v1/stores/{storeId}/audiences')]).toEqual([false, false])
  const levels = (level: Item) => ({ variants: [{ id: 'v', inventory: [{ location_id: 'l', ...level }] }] })
  const product = 'PUT /v1/stores/{storeId}/products/{id}'
  expect([
    of(product, undefined, levels({ delta: 1 })),
    of(product, undefined, levels({ delta: 1, if_available: null })),
  ]).toEqual([false, true])
})

const location = { id: 'x', key: 'main', address: { city: 'A' }, is_pickup_location: false }
const update = 'PUT /v1/stores/{storeId}/locations/{id}'

test('A change is compared with the record as the form was opened on it, not as it is now', async () => {
  const form = open(update, location, true)
  form.record = { ...location, address: { city: 'Theirs' } }
  const stale = await send(form, undefined, { address: { city: 'Mine' } })
  expect(stale).toMatchObject({ kind: 'stale', fields: ['address'], isOwn: false })
  expect(form.sent).toEqual([])
  form.drafts.change(rebased(form.sending, form.drafts.read(), form.record))
  expect((await send({ ...form, answers: [] } as Form, {})).kind).toBe('done')
})

test('After going on with the record of another one, its other fields are theirs and mine stay', () => {
  const form = open(update, location, true)
  form.drafts.change({ value: { ...form.drafts.read().value, address: { city: 'Mine' } } })
  const theirs = { ...location, key: 'theirs', address: { city: 'Theirs' } }
  form.drafts.change(rebased(form.sending, form.drafts.read(), theirs))
  const { value, initial, before } = form.drafts.read()
  expect([value.key, value.address, initial.key, before]).toEqual(['theirs', { city: 'Mine' }, 'theirs', theirs])
})

test('A record that is already as it was typed is not called changed by another operator', async () => {
  const form = open(update, location, true)
  await send(form, lost, { address: { city: 'Mine' } })
  form.record = { ...location, address: { city: 'Mine' } }
  expect((await send(form, {})).kind).toBe('done')
})

test('An emptied field that cannot be empty, and a hidden value, are faults of the form', async () => {
  const form = open(update, location, true)
  const emptied = await send(form, {}, { key: undefined })
  expect([emptied.kind, emptied.kind === 'faulty' && [...emptied.faults.keys()]]).toEqual(['faulty', ['/key']])
  const hook = { id: 'h', key: 'k', headers: { authorization: '__redacted__' } }
  const webhook = open('PUT /v1/stores/{storeId}/webhooks/{id}', hook, true)
  const headers = { authorization: '__redacted__', 'x/new': 'typed' }
  const hidden = await send(webhook, {}, { headers })
  expect(hidden.kind === 'faulty' && [...hidden.faults.keys()]).toEqual(['/headers/authorization'])
  // A record whose headers are not touched is sent without them.
  webhook.drafts.change({ value: { ...webhook.drafts.read().initial, key: 'other' } })
  webhook.answers.length = 0
  await send(webhook, {})
  expect([form.sent, webhook.sent.map(({ body }) => body)]).toEqual([[], [{ key: 'other' }]])
})

test('What a repeated removal does not find was removed by the first, unless a gateway says so', async () => {
  const remove = 'DELETE /v1/stores/{storeId}/webhooks/{id}'
  for (const [answer, kind] of [
    [problem(404, 'not_found'), 'done'],
    [page(404), 'lost'],
  ] as const) {
    const form = open(remove, { id: 'x' })
    await send(form, lost)
    expect((await send(form, answer)).kind).toBe(kind)
  }
  expect((await send(open(remove, { id: 'x' }), problem(404, 'not_found'))).kind).toBe('refused')
})

test('A request that waited for a sign-in until the operator signed out was not sent', async () => {
  expect((await send(open(refund), new SignedOut('Nothing was sent.'), { amount: 1 })).kind).toBe('refused')
})
