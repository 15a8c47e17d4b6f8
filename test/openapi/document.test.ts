// The document describes exactly what the API does, and the committed file equals it.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import { Validator } from '@seriousme/openapi-schema-validator'
import { businessTwins } from '../../api/business/shared.ts'
import { document as documentOf } from '../../api/document.ts'
import type { Route } from '../../api/kit/route.ts'
import { operationIdOf } from '../../api/openapi/names.ts'
import { routes as table } from '../../api/routes.ts'
import { http } from '../kit/shop.ts'

const routes: readonly Route[] = table
type Parameter = { name: string; in: string; required: boolean }
type Operation = {
  operationId: string
  tags: string[]
  parameters: Parameter[]
  requestBody?: Taken
  responses: Record<string, Taken>
}
type Taken = { content?: Record<string, { schema: Schema; example?: unknown }>; headers?: Record<string, unknown> }
type Schema = Record<string, unknown>
type Document = {
  openapi: string
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const document = JSON.parse(JSON.stringify(documentOf())) as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, one]) => ({ method, path, ...one })),
)

/** Every object of the document with its pointer. */
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

/** The routes that existing clients rely on. */
const contract = list('../spec-routes.tsv').map(([method, path]) => ({ spec: `${method} ${path}` }))
/** All other routes, with their purpose. */
const own = list('../own-routes.tsv').map(([method, path, why]) => ({ spec: `${method} ${path}`, why }))
/** The contract names one path's parameters differently; here a path has one spelling. */
const bare = (spec: string) => spec.replaceAll(/\{\w+\}/g, '{}')
const built = new Set(routes.map(({ spec }) => bare(spec)))

test('The document is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  expect([valid, errors]).toEqual([true, undefined])
  expect(document.openapi).toMatch(/^3\.1\./)
})

test('The document declares every path parameter and no other', () => {
  for (const [path, operations] of Object.entries(document.paths))
    for (const { parameters } of Object.values(operations)) {
      const declared = parameters.filter((one) => one.in === 'path')
      expect(declared.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
      expect(declared.every(({ required }) => required)).toBe(true)
    }
})

test('Every reference of the document resolves', () => {
  const names = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, name]) => name as string)
  expect(names.length).toBeGreaterThan(0)
  const found = (name: string) =>
    name
      .split('/')
      .slice(1)
      .reduce<unknown>((at, part) => (at as Schema | undefined)?.[part], document) !== undefined
  expect([...new Set(names)].filter((name) => !found(name))).toEqual([])
})

test('Every operation has its own operationId', () => {
  expect(new Set(routes.map(operationIdOf)).size).toBe(routes.length)
  expect(built.size).toBe(routes.length)
})

test('Every path has one spelling', () => {
  const templates = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'))
  expect(templates.filter((path, at) => templates.indexOf(path) !== at)).toEqual([])
})

test('Patterns of the document work in other languages, and none stands beside a format', () => {
  const patterns = [...objectsIn(document)].flatMap(({ at, one }) =>
    typeof one.pattern === 'string' ? [{ at, pattern: one.pattern, format: one.format }] : [],
  )
  expect(patterns.length).toBeGreaterThan(50)
  expect(patterns.filter(({ format }) => format !== undefined)).toEqual([])
  // Unicode properties, look-around, named groups and back references: RE2 or Python refuse them.
  expect(patterns.filter(({ pattern }) => /\\[pPkK]|\(\?[^:]|\\[1-9]|\\0/.test(pattern))).toEqual([])
  for (const { pattern } of patterns) expect(() => new RegExp(pattern)).not.toThrow()
})

test('Texts that are never returned have lengths and patterns in the document', () => {
  const properties = (name: string) => document.components.schemas[name]?.properties as Record<string, Schema>
  expect(properties('CreateWebhookBody')).toMatchObject({
    secret: { pattern: expect.stringMatching(/^\^whsec_/) },
    url: { maxLength: 2048 },
  })
  expect(properties('S3Credentials').secret_access_key).toMatchObject({ maxLength: 1024, pattern: expect.any(String) })
})

test('Each operationId is a unique verb and noun of at most 35 letters', () => {
  const ids = operations.map(({ operationId }) => operationId)
  expect(
    ids.filter((id, at) => ids.indexOf(id) !== at || !/^[a-z]+([A-Z][a-z]*)+$/.test(id) || id.length > 35),
  ).toEqual([])
  expect(ids).toEqual(
    expect.arrayContaining([
      'listOrders',
      'getOrder',
      'createRefund',
      'resolveRefund',
      'checkoutCart',
      'createProduct',
    ]),
  )
})

test('Every operation has one tag, and every tag a description', () => {
  const names = document.tags.map(({ name }) => name)
  expect(operations.filter(({ tags }) => tags.length !== 1 || !names.includes(String(tags[0])))).toEqual([])
  expect(document.tags.filter(({ description }) => !description)).toEqual([])
  expect(names.filter((name) => !operations.some(({ tags }) => tags[0] === name))).toEqual([])
})

test('Every body and answer has a name, and every body is closed', () => {
  const json = (one: Taken | undefined) =>
    Object.entries(one?.content ?? {}).flatMap(([type, { schema }]) =>
      type.includes('json') || type.includes('form') ? [schema] : [],
    )
  const unnamed = operations.filter(({ requestBody, responses, operationId }) =>
    [
      ...(['receiveStripeEvent', 'receiveIntegrationEvent', 'receiveChannelUpdate', 'triggerWorkflow'].includes(
        operationId,
      )
        ? []
        : json(requestBody)),
      ...Object.values(responses).flatMap(json),
    ].some(({ $ref }) => typeof $ref !== 'string'),
  )
  expect(unnamed.map(({ operationId }) => operationId)).toEqual([])
  const open = Object.entries(document.components.schemas).filter(
    ([name, schema]) => name.endsWith('Body') && schema.additionalProperties !== false,
  )
  expect(open).toEqual([])
})

test('Every object in a body is closed, except settings and the records of a booking', () => {
  const at = ({ $ref }: Schema) =>
    $ref ? document.components.schemas[String($ref).split('/').at(-1) as string] : undefined
  function* openIn(schema: Schema, place: string, depth: number): Generator<string> {
    const own = at(schema) ?? schema
    if (own.readOnly || depth > 9) return
    const properties = Object.entries((own.properties ?? {}) as Record<string, Schema>)
    if (depth > 0 && properties.length > 0 && own.additionalProperties !== false) yield place
    for (const [name, one] of properties) yield* openIn(one, `${place}/${name}`, depth + 1)
    for (const one of [own.items, own.anyOf, own.oneOf].flat()) if (one) yield* openIn(one as Schema, place, depth + 1)
  }
  const open = operations.flatMap(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => [...openIn(schema, operationId, 0)]),
  )
  expect(
    [...new Set(open)].filter((place) => !/\/settings$|^(create|update)Business(Booking|Reservation)\//.test(place)),
  ).toEqual([])
})

test('The body of a PUT has every field of the record that a GET at its path returns', () => {
  const schemaAt = (content: Record<string, { schema: { $ref?: string } }> | undefined) =>
    document.components.schemas[content?.['application/json']?.schema.$ref?.split('/').at(-1) ?? ''] as
      | { properties?: object }
      | undefined
  const refused = Object.entries(document.paths).flatMap(([path, { get, put }]) => {
    const record = schemaAt(get?.responses[200]?.content)
    const body = schemaAt(put?.requestBody?.content)?.properties
    return record && body
      ? Object.keys(record.properties ?? {}).flatMap((name) => (name in body ? [] : [`PUT ${path}: ${name}`]))
      : []
  })
  expect(refused).toEqual([])
})

test('Unions of objects name their members and their discriminator', () => {
  const unions = [...objectsIn(document.components.schemas)].flatMap(({ at, one }) => {
    const members = (one.oneOf ?? one.anyOf) as Schema[] | undefined
    return members
      ? [
          {
            at,
            members,
            discriminator: one.discriminator as { propertyName: string; mapping: Record<string, string> } | undefined,
          },
        ]
      : []
  })
  expect(
    unions.filter(
      ({ members }) => members.filter(({ type, properties }) => type === 'object' && properties).length > 1,
    ),
  ).toEqual([])
  const told = unions.filter(({ discriminator }) => discriminator).map(({ at }) => at)
  expect(told).toEqual(
    expect.arrayContaining(['#/WorkflowNode', '#/WorkflowNodeInput', '#/PaymentAction', '#/Condition', '#/Discount']),
  )
  const body = document.components.schemas.CreateWorkflowBody as { properties: { nodes: Schema } }
  expect(body.properties.nodes.additionalProperties).toEqual({ $ref: '#/components/schemas/WorkflowNodeInput' })
})

test('An operation has 200 beside 201 only where a request can be a replay', () => {
  expect(
    operations
      .filter(({ responses }) => responses[200] && responses[201])
      .map(({ operationId }) => operationId)
      .sort(),
  ).toEqual([
    ...[
      'createAudienceMember',
      'createBusinessBooking',
      'createBusinessMember',
      'createBusinessReaction',
      'createBusinessRefund',
      'createBusinessReservation',
      'createContact',
      'createContactChannel',
      'createLeadResearchRun',
      'createMember',
      'createMemberRefund',
      'createReaction',
      'createRefund',
      'createStorefrontReaction',
    ],
    ...['inviteToBusiness', 'refundBusinessOrder', 'replyToEnrollment', 'replyToSocialComment', 'testCampaign'],
  ])
})

test('Every body of a store has an example, and no other body has one', () => {
  const without = operations.filter(
    ({ requestBody, path }) =>
      /^\/v1\/(stores|storefront\/(carts|forms|reactions))/.test(path) &&
      requestBody?.content?.['application/json'] &&
      !requestBody.content['application/json'].example,
  )
  expect(without.map(({ operationId }) => operationId).sort()).toEqual([
    'classifySocialComments',
    'createLeadResearchRun',
    'createMemberRefund',
    'openStorePortal',
    'previewCampaign',
    'redeliverWebhookEvents',
    'replyToEnrollment',
    'replyToSocialComment',
    'resolveAttention',
    'resolveCampaignMessage',
    'resolveMemberRefund',
    'resolveNodeRun',
    'resolveRefund',
    'resolveSocialPublication',
    'resolveSocialReply',
    'scheduleSocialPublication',
    'sendLeadResearchMessage',
    'sendStoreSignInCode',
    'testCampaign',
    'testWebhook',
    'verifyStoreSignInCode',
  ])
})

test('The document is served by the API', async () => {
  expect((await http('GET', '/openapi.json')).body).toEqual(document)
})

test('The document equals the file in the repository (npm run openapi writes it)', () => {
  expect(JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))).toEqual(document)
})

test('The contract has 242 routes, each once', () => {
  expect([contract.length, new Set(contract.map(({ spec }) => spec)).size]).toEqual([242, 242])
})

test('Every route of the contract is built', () => {
  expect(contract.filter(({ spec }) => !built.has(bare(spec))).map(({ spec }) => spec)).toEqual([])
})

test('Every route is in the contract or has a reason of its own', () => {
  // A business has what its contract presupposes as a store has it.
  const reasons = new Set([...contract, ...own, ...businessTwins].map(({ spec }) => bare(spec)))
  expect(routes.map(({ spec }) => spec).filter((spec) => !reasons.has(bare(spec)))).toEqual([])
  expect(
    own.filter(
      ({ spec, why }) => !why || !built.has(bare(spec)) || contract.some((one) => bare(one.spec) === bare(spec)),
    ),
  ).toEqual([])
})

const pageRoutes = routes.filter(({ answers }) => answers.refusal !== undefined)
test('Four routes refuse with pages', () => {
  expect(pageRoutes).toHaveLength(4)
})
test.each(pageRoutes.map((one) => [one.spec, one] as const))(
  'The document declares the page that %s refuses a browser with',
  async (_, { method, path }) => {
    const filled = path.replaceAll(/\{\w+\}/g, 'none')
    const answer = await fetch(`${process.env.TEST_API}${filled}`, { method, headers: { accept: 'text/html' } })
    expect([answer.status >= 400, answer.headers.get('content-type')]).toEqual([
      true,
      expect.stringContaining('text/html'),
    ])
    const responses = document.paths[path]?.[method.toLowerCase()]?.responses ?? {}
    const problems = Object.entries(responses).filter(([status]) => Number(status) >= 400 && status !== '416')
    expect(problems.map(([, { content = {} }]) => Object.keys(content).sort())).toEqual(
      problems.map(() => ['application/problem+json', 'text/html']),
    )
    expect(Object.keys(responses)).toContain(String(answer.status))
  },
)
