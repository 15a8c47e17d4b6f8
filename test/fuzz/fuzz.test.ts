// The fuzzer is sound: its judge detects every kind of wrong answer, and its values fit the document, or certainly do
// not.
import fs from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { start } from '../../dev/child.ts'
import { random } from '../chaos/random.ts'
import { until } from '../kit/codes.ts'
import { usualMs } from '../kit/stack/processor-time.ts'
import { slowReads } from './cost/expressions.ts'
import { drawerOf, placesOf } from './cost/limits.ts'
import { heldMaxMs, type Meter, probeFor, slowStatement } from './cost/measure.ts'
import { strangerCosts } from './cost/strangers.ts'
import { type Document, namedBy, type Operation, operationsOf, resolve, type Schema, templateOf } from './document.ts'
import { type Answer, answerLimitMs, judgeOf } from './judge.ts'
import { jsonOf, odd, spoiled } from './odd-values.ts'
import { openPool } from './pool.ts'
import { valuesOf } from './values.ts'

const document = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8')) as Document
const operations = operationsOf(document)
const named = (name: string) => operations.find((one) => one.name === name) as Operation
const judge = judgeOf(document)

const create = named('POST /v1/stores/{storeId}/locations')
const limited = named('POST /v1/auth/code')
const list = named('GET /v1/stores/{storeId}/locations')
const remove = named('DELETE /v1/stores/{storeId}/locations/{id}')
const asked = { method: 'POST', body: { key: 1 } as unknown, query: '', headers: {} as Record<string, string> }
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': 'r-1',
  'x-content-type-options': 'nosniff',
}
const problem = {
  type: 'about:blank',
  title: 'Invalid input',
  status: 422,
  code: 'invalid_input',
  request_id: 'r-1',
  errors: [{ pointer: '/key', code: 'x', detail: 'x' }],
}
const answer = (status: number, body: unknown, more: Record<string, string> = {}, ms = 5): Answer => ({
  ...{ status, ms, text: JSON.stringify(body) },
  headers: {
    ...headers,
    ...(status >= 400 ? { 'content-type': 'application/problem+json; charset=utf-8' } : {}),
    ...more,
  },
})
const refusal = (change: object, status = 422) => answer(status, { ...problem, status, ...change })

describe('The judge', () => {
  test('The judge accepts answers that are as declared', () => {
    expect(
      judge.faults(remove, { ...asked, method: 'DELETE', body: undefined }, answer(200, { success: true })),
    ).toEqual([])
    expect(judge.faults(list, { ...asked, method: 'GET', body: undefined }, answer(200, []))).toEqual([])
    expect(judge.faults(create, asked, refusal({}))).toEqual([])
    expect(
      judge.faults(
        create,
        asked,
        answer(401, { ...problem, status: 401, code: 'unauthorized', errors: [] }, { 'www-authenticate': 'Bearer' }),
      ),
    ).toEqual([])
  })

  const deleted = (given: Answer) => judge.faults(remove, { ...asked, method: 'DELETE', body: undefined }, given)
  test.each<[string, string[], RegExp]>([
    ['a 500', judge.faults(create, asked, refusal({ code: 'internal_error' }, 500)), /^answered 500$/],
    ['a 503', judge.faults(create, asked, refusal({ code: 'database_unavailable' }, 503)), /^answered 503$/],
    [
      'an undeclared code',
      judge.faults(create, asked, refusal({ code: 'key_unknown' })),
      /the code key_unknown is not declared for 422/,
    ],
    ['an undeclared status', deleted(answer(418, problem)), /^status 418 is not declared$/],
    ['a wrong type', deleted(answer(200, { success: 'yes' })), /^the body of 200 is not as declared: \/success/],
    ['a field too many', deleted(answer(200, { success: true, more: 1 })), /additional properties/],
    ['a field too few', deleted(answer(200, {})), /required property/],
    [
      'another content type',
      deleted(answer(200, { success: true }, { 'content-type': 'text/html' })),
      /^content type text\/html is not declared/,
    ],
    ['a body that is not JSON', deleted({ ...answer(200, {}), text: '<html>' }), /^the body is not JSON$/],
    [
      'a missing request id',
      deleted({ ...answer(200, { success: true }), headers: { ...headers, 'x-request-id': '' } }),
      /^X-Request-Id/,
    ],
    [
      'a pointer that leads nowhere',
      judge.faults(create, asked, refusal({ errors: [{ pointer: '/key/0/deep', code: 'x', detail: 'x' }] })),
      /pointer leads nowhere/,
    ],
    ['a code that is a sentence', judge.faults(create, asked, refusal({ code: 'Not so!' })), /code is Not so!/],
    [
      'the wording of the validator',
      judge.faults(create, asked, refusal({ detail: "Invalid discriminator value. Expected 'a'" })),
      /Invalid disc/,
    ],
    [
      'a placeholder',
      judge.faults(create, asked, refusal({ detail: 'The {store} has no such market.' })),
      /a text says/,
    ],
    ['a problem of another status', judge.faults(create, asked, refusal({ status: 400 })), /says status 400/],
    ['a problem of another request', judge.faults(create, asked, refusal({ request_id: 'r-2' })), /request_id/],
    ['401 without a way in', judge.faults(create, asked, refusal({}, 401)), /WWW-Authenticate/],
    ['429 without a time', judge.faults(limited, asked, refusal({ code: 'too_many_requests' }, 429)), /Retry-After/],
    ['an answer that is too late', deleted(answer(200, { success: true }, {}, answerLimitMs + 1)), /^it took/],
    [
      'an undeclared method that is answered',
      judge.faults(create, { ...asked, method: 'PATCH' }, answer(200, {})),
      /where 405 belongs/,
    ],
    ['405 without Allow', judge.faults(create, { ...asked, method: 'PATCH' }, refusal({}, 405)), /without Allow/],
    [
      'a HEAD with a body',
      judge.faults(list, { ...asked, method: 'HEAD' }, answer(200, [])),
      /HEAD answered with a body/,
    ],
  ])('The judge reports %s', (_, faults, expected) => {
    expect(faults.join('\n')).toMatch(expected)
  })

  test('The judge knows that one path may belong to two routes', () => {
    expect(named('POST /v1/storefront/carts/current').methods.toSorted()).toEqual(['GET', 'POST', 'PUT'])
    expect(named('PUT /v1/stores/{storeId}').methods.toSorted()).toEqual(['GET', 'PUT'])
    const head = { ...asked, method: 'HEAD', body: undefined }
    expect(judge.faults(named('POST /v1/storefront/carts/current'), head, { ...refusal({}, 404), text: '' })).toEqual(
      [],
    )
    expect(judge.faults(list, head, { ...refusal({}, 409), text: '' })).toEqual(['HEAD answered 409'])
  })

  test('The judge separates bodies that the document refuses from those it accepts', () => {
    expect(judge.refuses(create, {})).toMatch(/required/)
    expect(judge.refuses(named('POST /v1/platform/data'), { key: 'a', value: null })).toBeNull()
  })
})

describe('Drawn values', () => {
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv)
  ajv.addSchema({ $id: 'doc', components: document.components })
  const within = (schema: Schema): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components'))
  const bodies = operations.flatMap(({ name, body }) =>
    body?.type === 'application/json' ? [{ name, schema: body.schema }] : [],
  )
  const parameters = operations.flatMap(({ name, parameters }) =>
    parameters.map((one) => ({ name: `${name} ${one.name}`, schema: one.schema })),
  )
  const components = Object.entries(document.components.schemas).map(([name, schema]) => ({ name, schema }))
  const values = valuesOf(document.components.schemas, () => undefined)

  test('A drawn value fits its schema, for every body, parameter and component', () => {
    expect(bodies.length + parameters.length + components.length).toBeGreaterThan(600)
    const refused: unknown[] = []
    // The same schema occurs in many places.
    const distinct = new Map([...bodies, ...parameters, ...components].map((one) => [JSON.stringify(one.schema), one]))
    for (const { name, schema } of distinct.values()) {
      const validate = ajv.compile(within(schema))
      for (const value of fc.sample(values(schema, ''), { seed: 1, numRuns: 5 }))
        if (!validate(value)) refused.push([name, value, validate.errors])
    }
    expect(refused.slice(0, 3)).toEqual([])
  })

  test('A spoiled body is refused more often than not, and is the same for the same seed', () => {
    const counts = { refused: 0, all: 0 }
    for (const [at, { schema }] of bodies.entries()) {
      const validate = ajv.compile(within(schema))
      const [value] = fc.sample(values(schema, ''), { seed: at, numRuns: 1 })
      const [one, same] = [random(1, String(at)), random(1, String(at))].map((draw) =>
        spoiled(value, 'application/json', draw),
      )
      expect(one).toEqual(same)
      counts.all++
      if (one?.type !== 'application/json' || one.headers || !takes(validate, String(one.text))) counts.refused++
    }
    expect(counts.all).toBe(bodies.length)
    expect(counts.refused).toBeGreaterThan(counts.all / 2)
  })
  const takes = (validate: (value: unknown) => unknown, text: string) => {
    try {
      return Boolean(validate(JSON.parse(text)))
    } catch {
      return false
    }
  }

  test('Drawn bodies contain numbers and texts that JSON.stringify would not write', () => {
    const drawn = Array.from({ length: 300 }, (_, n) => jsonOf(odd({ text: 'a', number: 1 }, random(n, 'odd'))))
    for (const sign of ['"number":-0', '"number":1e400', '9223372036854775808', '\\ud800', '\\u0000', '__proto__'])
      expect([sign, drawn.some((text) => text.includes(sign))]).toEqual([sign, true])
  })
})

describe('The pool', () => {
  const by = { name: 'operator', owner: 'mine' } as const
  const pool = openPool(operations)
  const draw = random(1, 'pool')
  pool.learn({
    operation: create,
    path: '/v1/stores/s-1/locations',
    query: '',
    body: { key: 'a' },
    by,
    status: 201,
    answer: { id: 'l-1', key: 'a' },
  })
  const refunds = named('GET /v1/stores/{storeId}/orders/{orderId}/refunds')
  const answered = { items: [{ id: 'no', refund_id: 'r-1' }] }
  pool.learn({
    operation: refunds,
    path: '/v1/stores/s-1/orders/o-1/refunds',
    query: '',
    body: undefined,
    by,
    status: 200,
    answer: answered,
  })

  test('The pool files ids by what they name and where they lead', () => {
    expect(namedBy('/v1/stores/{storeId}/orders/{id}', 'id')).toBe('order_id')
    expect(pool.known('mine')('location_id', 7)).toBe('l-1')
    expect(pool.known('theirs')('location_id', 7)).toBeUndefined()
    expect(pool.address('/v1/stores/{}/locations/{}', by, draw)).toBe('/v1/stores/s-1/locations/l-1')
    expect(pool.address(templateOf('/v1/stores/{storeId}/orders/{orderId}/refunds/{refundId}'), by, draw)).toBe(
      '/v1/stores/s-1/orders/o-1/refunds/r-1',
    )
    expect(pool.taken(create, by, draw)?.body).toEqual({ key: 'a' })
  })

  test('The pool learns nothing from a refusal and forgets deleted records', () => {
    pool.learn({
      operation: create,
      path: '/v1/stores/s-1/locations',
      query: '',
      body: {},
      by,
      status: 422,
      answer: { id: 'l-2' },
    })
    expect(Array.from({ length: 9 }, (_, n) => pool.known('mine')('location_id', n))).toEqual(Array(9).fill('l-1'))
    pool.learn({
      operation: remove,
      path: '/v1/stores/s-1/locations/l-1',
      query: '',
      body: undefined,
      by,
      status: 200,
      answer: { success: true },
    })
    expect(pool.address('/v1/stores/{}/locations/{}', by, draw)).toBeNull()
  })
})

describe('Costs', () => {
  test('The probe of a process reports computing by function and does not count waiting', async () => {
    const probe = await probeFor()
    const waiting =
      "http.createServer((_, r) => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200); r.end() }).listen(0, '127.0.0.1', function () { console.log('at ' + this.address().port) })"
    const child = start(process.execPath, ['-e', `const http = require('node:http'); ${waiting}`], {
      name: 'measured',
      env: { ...process.env, ...probe.env },
    })
    const port = (await child.said(/^at \d+/)).slice(3)
    await until(() => probe.ask('/').catch(() => null))
    await fetch(`http://127.0.0.1:${port}`)
    expect((await probe.ask('/')).held_ms).toBeLessThan(90)
    await probe.ask('/profile')
    await probe.ask('/hold')
    expect((await probe.ask('/')).held_ms).toBeGreaterThanOrEqual(90)
    expect((await probe.ask('/profiled')).functions[0]).toMatch(/ms (hold|cpuMs|threadCpuUsage)/)
    await child.stop()
  })

  test('A server that reads bodies before it knows the caller is found to cost too much', async () => {
    const probe = await probeFor()
    const server = `const held = []
      require('node:http').createServer((request, response) => {
        if (request.url === '/metrics') return response.end('tillwright_body_bytes 0')
        const chunks = []
        held.push(chunks)
        request.on('data', (chunk) => chunks.push(chunk))
        request.on('end', () => { JSON.parse(Buffer.concat(chunks)); JSON.parse(Buffer.concat(chunks)); JSON.parse(Buffer.concat(chunks)); response.end('{}') })
      }).listen(0, '127.0.0.1', function () { console.log('at ' + this.address().port) })`
    const child = start(process.execPath, ['-e', server], { name: 'eager', env: { ...process.env, ...probe.env } })
    const url = `http://127.0.0.1:${(await child.said(/^at \d+/)).slice(3)}`
    await until(() => probe.ask('/').catch(() => null))
    const meter: Pick<Meter, 'url' | 'spent' | 'memory' | 'bodyBytes'> = {
      url,
      memory: async () => (await probe.ask('/memory')).bytes,
      bodyBytes: async () => 0,
      async spent({ method, path, body }) {
        await probe.ask('/')
        await fetch(`${url}${path}`, { method, body: body?.(0) as Buffer }).then((answer) => answer.text())
        return (await probe.ask('/')).spent_ms
      },
    }
    const said: string[] = []
    const { findings } = await strangerCosts(meter, [create], { count: 1, seed: 1, say: (line) => said.push(line) })
    expect(findings.filter((line) => line.includes('KiB on a connection'))).toHaveLength(2)
    expect(
      findings.filter((line) => /as an anonymous caller with .*of processor time/.test(line)).length,
    ).toBeGreaterThan(0)
    await child.stop()
  })

  test('A machine slower than the yardstick is granted more time, and a faster one no less', () => {
    expect([usualMs(60, 18), usualMs(60, 9), usualMs(60, 3)]).toEqual([30, 60, 60])
  })

  test('A slow statement is recognised in the log of PostgreSQL, and nothing else is', () => {
    const line = '2026-11-22 07:00:00.000 UTC [123] LOG:  duration: 612.412 ms  execute <unnamed>: select 1'
    expect(slowStatement(line)).toEqual({ ms: 612.412, text: 'duration: 612.412 ms  execute <unnamed>: select 1' })
    expect(
      slowStatement('2026-11-22 07:00:00.000 UTC [123] ERROR:  duration is no column at character 8'),
    ).toBeUndefined()
  })

  const { schemas } = document.components
  const drawer = drawerOf(
    schemas,
    valuesOf(schemas, () => undefined),
  )
  test('A value at its limit is as long as its schema allows and in its place', () => {
    const { body } = named('POST /v1/stores/{storeId}/promo-codes')
    if (body?.type !== 'application/json') throw new Error('it has no JSON')
    const places = placesOf(body.schema, schemas)
    const code = places.find(({ name }) => name === '/code')
    const discounts = places.find(({ name }) => name === '/discounts')
    if (!code || !discounts) throw new Error('it has no such fields')
    const longest = drawer.fillings(code).filter(({ way }) => way === 'limit')
    expect(longest.map(({ value }) => String(value).length)).toEqual(longest.map(() => code.schema.maxLength))
    const most = drawer.fillings(discounts)[0]?.value
    expect(most).toHaveLength(discounts.schema.maxItems ?? 0)
    expect(drawer.filled(body.schema, { code: 'a' }, discounts, most)).toEqual({ code: 'a', discounts: most })
    expect(Object.keys(drawer.full(body.schema, {}) as object).toSorted()).toEqual(
      Object.keys(resolve(body.schema, schemas).properties ?? {}).toSorted(),
    )
  })

  test('Conditions and templates made of a few pieces are read quickly', () => {
    expect(slowReads(1, 60, heldMaxMs)).toEqual([])
  })
})
