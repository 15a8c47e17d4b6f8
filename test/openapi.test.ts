// The document says what the API does: nothing less, nothing more, and the file in the repository says the same.
import fs from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { Validator } from '@seriousme/openapi-schema-validator'
import { document as documentOf } from '../api/document.ts'
import { operationIdOf } from '../api/kit/openapi/names.ts'
import type { Route } from '../api/kit/route.ts'
import { routes as table } from '../api/routes.ts'
import { http } from './kit/shop.ts'

const routes: readonly Route[] = table
type Parameter = { name: string; in: string; required: boolean }
type Operation = { operationId: string; tags: string[]; parameters: Parameter[]; requestBody?: Taken; responses: Record<string, Taken> }
type Taken = { content?: Record<string, { schema: Schema; example?: unknown }>; headers?: Record<string, unknown> }
type Schema = Record<string, unknown>
type Document = {
  openapi: string
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const document = JSON.parse(JSON.stringify(documentOf())) as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, one]) => ({ method, path, ...one })))

/** Every object of the document, with the way to it. */
function* objectsIn(value: unknown, at = '#'): Generator<{ at: string; one: Record<string, unknown> }> {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) yield { at, one: value as Record<string, unknown> }
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${at}/${key}`)
}

const list = (name: string) =>
  fs
    .readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))

/** The routes of the three documents of the API; a last word `later` stands where one is not built yet. */
const contract = list('spec-routes.tsv').map(([, , method, path, later]) => ({ spec: `${method} ${path}`, later }))
/** The routes that the documents leave open, and what for. */
const own = list('own-routes.tsv').map(([method, path, why]) => ({ spec: `${method} ${path}`, why }))
/** The contract calls the parameters of one path by several names; a path has one spelling here. */
const bare = (spec: string) => spec.replaceAll(/\{\w+\}/g, '{}')
const built = new Set(routes.map(({ spec }) => bare(spec)))

describe('the document', () => {
  test('is OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect([valid, errors]).toEqual([true, undefined])
    expect(document.openapi).toMatch(/^3\.1\./)
  })

  test('declares every path parameter, and no other', () => {
    for (const [path, operations] of Object.entries(document.paths))
      for (const { parameters } of Object.values(operations)) {
        const declared = parameters.filter((one) => one.in === 'path')
        expect(declared.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
        expect(declared.every(({ required }) => required)).toBe(true)
      }
  })

  test('refers to nothing that it does not hold', () => {
    const names = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, name]) => name as string)
    expect(names.length).toBeGreaterThan(0)
    const found = (name: string) =>
      name
        .split('/')
        .slice(1)
        .reduce<unknown>((at, part) => (at as Schema | undefined)?.[part], document) !== undefined
    expect([...new Set(names)].filter((name) => !found(name))).toEqual([])
  })

  test('names every operation once', () => {
    expect(new Set(routes.map(operationIdOf)).size).toBe(routes.length)
    expect(built.size).toBe(routes.length)
  })

  test('has one spelling per path', () => {
    const templates = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'))
    expect(templates.filter((path, at) => templates.indexOf(path) !== at)).toEqual([])
  })

  test('holds patterns that other languages read, and none beside a format', () => {
    const patterns = [...objectsIn(document)].flatMap(({ at, one }) =>
      typeof one.pattern === 'string' ? [{ at, pattern: one.pattern, format: one.format }] : [],
    )
    expect(patterns.length).toBeGreaterThan(50)
    expect(patterns.filter(({ format }) => format !== undefined)).toEqual([])
    // Properties of Unicode, looking around, named groups and references back: RE2 or Python refuse them.
    expect(patterns.filter(({ pattern }) => /\\[pPkK]|\(\?[^:]|\\[1-9]|\\0/.test(pattern))).toEqual([])
    for (const { pattern } of patterns) expect(() => new RegExp(pattern)).not.toThrow()
  })

  test('states the lengths and patterns of texts that are never returned', () => {
    const properties = (name: string) => document.components.schemas[name]?.properties as Record<string, Schema>
    expect(properties('CreateWebhookBody')).toMatchObject({ secret: { pattern: expect.stringMatching(/^\^whsec_/) }, url: { maxLength: 2048 } })
    expect(properties('S3Credentials').secret_access_key).toMatchObject({ maxLength: 1024, pattern: expect.any(String) })
  })

  test('names operations with a verb and a noun of at most 35 letters, each once', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at || !/^[a-z]+([A-Z][a-z]*)+$/.test(id) || id.length > 35)).toEqual([])
    expect(ids).toEqual(expect.arrayContaining(['listOrders', 'getOrder', 'createRefund', 'resolveRefund', 'checkoutCart', 'createProduct']))
  })

  test('gives every operation one tag, and every tag a description', () => {
    const names = document.tags.map(({ name }) => name)
    expect(operations.filter(({ tags }) => tags.length !== 1 || !names.includes(String(tags[0])))).toEqual([])
    expect(document.tags.filter(({ description }) => !description)).toEqual([])
    expect(names.filter((name) => !operations.some(({ tags }) => tags[0] === name))).toEqual([])
  })

  test('names every body and every answer, and closes every body', () => {
    const json = (one: Taken | undefined) =>
      Object.entries(one?.content ?? {}).flatMap(([type, { schema }]) => (type.includes('json') || type.includes('form') ? [schema] : []))
    const unnamed = operations.filter(({ requestBody, responses, operationId }) =>
      [...(operationId === 'receiveStripeEvent' || operationId === 'triggerWorkflow' ? [] : json(requestBody)), ...Object.values(responses).flatMap(json)].some(
        ({ $ref }) => typeof $ref !== 'string',
      ),
    )
    expect(unnamed.map(({ operationId }) => operationId)).toEqual([])
    const open = Object.entries(document.components.schemas).filter(([name, schema]) => name.endsWith('Body') && schema.additionalProperties !== false)
    expect(open).toEqual([])
  })

  test('names the members of unions of objects, and says which field tells them apart where one does', () => {
    const unions = [...objectsIn(document.components.schemas)].flatMap(({ at, one }) => {
      const members = (one.oneOf ?? one.anyOf) as Schema[] | undefined
      return members ? [{ at, members, discriminator: one.discriminator as { propertyName: string; mapping: Record<string, string> } | undefined }] : []
    })
    expect(unions.filter(({ members }) => members.filter(({ type, properties }) => type === 'object' && properties).length > 1)).toEqual([])
    const told = unions.filter(({ discriminator }) => discriminator).map(({ at }) => at)
    expect(told).toEqual(expect.arrayContaining(['#/WorkflowNode', '#/WorkflowNodeInput', '#/PaymentAction', '#/Condition', '#/Discount']))
    const body = document.components.schemas.CreateWorkflowBody as { properties: { nodes: Schema } }
    expect(body.properties.nodes.additionalProperties).toEqual({ $ref: '#/components/schemas/WorkflowNodeInput' })
  })

  test('promises 200 beside 201 only where the same request may have been made before', () => {
    expect(
      operations
        .filter(({ responses }) => responses[200] && responses[201])
        .map(({ operationId }) => operationId)
        .sort(),
    ).toEqual(['createMember', 'createRefund'])
  })

  test('has an example for every body of a store, and for no other', () => {
    const without = operations.filter(
      ({ requestBody, path }) =>
        /^\/v1\/(stores|storefront\/(carts|forms))/.test(path) &&
        requestBody?.content?.['application/json'] &&
        !requestBody.content['application/json'].example,
    )
    expect(without.map(({ operationId }) => operationId).sort()).toEqual([
      'connectStripe',
      'redeliverWebhookEvents',
      'resolveRefund',
      'sendStoreSignInCode',
      'testWebhook',
      'verifyStoreSignInCode',
    ])
  })

  test('is what a server shows', async () => {
    expect((await http('GET', '/openapi.json')).body).toEqual(document)
  })

  test('is the file in the repository (npm run openapi writes it)', () => {
    expect(JSON.parse(fs.readFileSync(new URL('../api/openapi.json', import.meta.url), 'utf8'))).toEqual(document)
  })
})

describe('the contract', () => {
  test('has 242 routes, each once', () => {
    expect([contract.length, new Set(contract.map(({ spec }) => spec)).size]).toEqual([242, 242])
    expect([...new Set(contract.map(({ later }) => later))].sort()).toEqual(['', 'later'])
  })

  test('is built, but for what is marked as later', () => {
    expect(contract.filter(({ spec, later }) => !later && !built.has(bare(spec))).map(({ spec }) => spec)).toEqual([])
  })

  test('has no mark at what is built: the marks may only become fewer', () => {
    expect(contract.filter(({ spec, later }) => later && built.has(bare(spec))).map(({ spec }) => spec)).toEqual([])
  })

  test('and a reason of our own stand behind every route', () => {
    const reasons = new Set([...contract, ...own].map(({ spec }) => bare(spec)))
    expect(routes.map(({ spec }) => spec).filter((spec) => !reasons.has(bare(spec)))).toEqual([])
    expect(own.filter(({ spec, why }) => !why || !built.has(bare(spec)) || contract.some((one) => bare(one.spec) === bare(spec)))).toEqual([])
  })
})
