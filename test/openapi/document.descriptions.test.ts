// Every parameter, field and problem of the API document has a description.
import { describe, expect, test } from '@jest/globals'
import { declares } from '../../api/kit/answer/problems.ts'
import type { Route } from '../../api/kit/route.ts'
import { documentOf } from '../../api/openapi/document.ts'
import { routes as table } from '../../api/routes.ts'
import { isProblem, type ProblemStatus, problems } from '../../rules/problems.ts'
import { conflict } from '../../rules/refusal.ts'

type Json = Record<string, unknown>
type Operation = {
  summary: string
  parameters: ({ $ref?: string } & Json)[]
  requestBody?: unknown
  responses: Record<string, Json>
}
const routes: readonly Route[] = table
const document = JSON.parse(JSON.stringify(documentOf(routes))) as Json & {
  paths: Record<string, Record<string, Operation>>
}

const isJson = (value: unknown): value is Json => value !== null && typeof value === 'object' && !Array.isArray(value)
const at = (pointer: string): unknown =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, part) => (isJson(value) ? value[part.replaceAll('~1', '/')] : undefined), document)
const isDescribed = (value: Json): boolean => {
  const target = typeof value.$ref === 'string' ? at(value.$ref) : undefined
  return (
    (typeof value.description === 'string' && value.description.length > 3) || (isJson(target) && isDescribed(target))
  )
}

/** Every field of every schema below, with its pointer. */
function* fieldsIn(value: unknown, place: string): Generator<{ place: string; schema: Json }> {
  if (Array.isArray(value)) for (const [index, one] of value.entries()) yield* fieldsIn(one, `${place}/${index}`)
  if (!isJson(value)) return
  const { properties, ...rest } = value
  if (isJson(properties))
    for (const [name, schema] of Object.entries(properties)) {
      yield { place: `${place}.${name}`, schema: schema as Json }
      yield* fieldsIn(schema, `${place}.${name}`)
    }
  for (const [key, inner] of Object.entries(rest))
    if (!['example', 'examples', 'default'].includes(key)) yield* fieldsIn(inner, `${place}/${key}`)
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
)

test('Every parameter of the document has a description', () => {
  const bare = operations.flatMap(({ name, operation }) =>
    operation.parameters.filter((one) => !isDescribed(one)).map((one) => `${name}: ${one.name ?? one.$ref}`),
  )
  expect(bare).toEqual([])
})

test('A path parameter is described by what its path is about', () => {
  const of = (name: string) =>
    operations.find((one) => one.name === name)?.operation.parameters.find((one) => one.name === 'type')?.description
  expect(of('GET /v1/social/callback/{type}')).toMatch(/^Type of the connection/)
  expect(of('GET /v1/businesses/{businessId}/integrations/config/{type}')).toMatch(/^Category of the integration/)
})

test('Every field of every body, answer and component has a description', () => {
  const places = [
    document.components,
    document.webhooks,
    ...operations.map(({ name, operation }) => ({ [name]: [operation.requestBody, operation.responses] })),
  ]
  const fields = places.flatMap((one) => [...fieldsIn(one, '')])
  expect(fields.length).toBeGreaterThan(1000)
  expect(fields.filter(({ schema }) => !isDescribed(schema)).map(({ place }) => place)).toEqual([])
})

/** Names of fields and parameters of the surface in snake_case. */
const currentNames = new Set(
  [document.components, ...operations.map(({ operation }) => [operation.requestBody, operation.responses])]
    .flatMap((one) => [...fieldsIn(one, '')])
    .map(({ place }) => place.slice(place.lastIndexOf('.') + 1))
    .concat(operations.flatMap(({ operation }) => operation.parameters.map(({ name }) => String(name)))),
)
/** Words of enums and codes that are fields elsewhere. */
const otherWordsOfBoth = new Set(['request_id'])

test('Texts of the business surface have its names and words', () => {
  const older = operations
    .filter(({ name }) => / \/v1\/(businesses|networks)/.test(name))
    .map(({ name, operation }) => ({ name, operation }))
  const seen = new Set<string>()
  const wrong: string[] = []
  const wordsIn = (one: unknown): string[] =>
    isJson(one)
      ? [...((one.enum ?? []) as unknown[]), ...[one.items, one.anyOf, one.oneOf].flat().flatMap(wordsIn)].filter(
          (word) => typeof word === 'string',
        )
      : []
  const read = (value: unknown, place: string): void => {
    if (Array.isArray(value)) for (const [index, one] of value.entries()) read(one, `${place}/${index}`)
    if (!isJson(value)) return
    if (typeof value.$ref === 'string' && !seen.has(value.$ref)) {
      seen.add(value.$ref)
      read(at(value.$ref), value.$ref)
    }
    for (const text of [value.summary, value.description].filter((one): one is string => typeof one === 'string')) {
      const words = wordsIn(value)
      const quoted = [...text.matchAll(/`(\w+)`/g)].map(([, word]) => word as string)
      const otherWords = quoted.filter(
        (word) => !words.includes(word) && words.some((one) => one.toLowerCase() === word.toLowerCase()),
      )
      const roles = quoted.filter((word) => ['admin', 'owner', 'super'].includes(word))
      const names = quoted.filter((word) => word.includes('_') && currentNames.has(word) && !otherWordsOfBoth.has(word))
      wrong.push(...[...otherWords, ...roles, ...names].map((word) => `${place}: ${word}`))
    }
    for (const [key, inner] of Object.entries(value)) read(inner, `${place}/${key}`)
  }
  read(older, '')
  expect(older.length).toBeGreaterThan(100)
  expect(wrong).toEqual([])
})

const businessPath = / \/v1\/(businesses|networks)/
// The contract names it so, on the surface in snake_case.
const namedByTheContract = ['GET /v1/stores isNetwork']
test.each([
  ['business', 'camelCase', (name: string) => businessPath.test(name) || name.startsWith('business '), /_/],
  ['store', 'snake_case', (name: string) => !businessPath.test(name) && !name.startsWith('business '), /[A-Z]/],
] as const)('Every declared name of the %s surface is in %s', (surface, _, isOfIt, other) => {
  const seen = new Set<string>()
  const found: string[] = []
  let count = 0
  const read = (value: unknown, place: string): void => {
    if (Array.isArray(value)) for (const one of value) read(one, place)
    if (!isJson(value)) return
    if (typeof value.$ref === 'string' && !seen.has(value.$ref)) {
      seen.add(value.$ref)
      read(at(value.$ref), value.$ref)
    }
    const fields =
      isJson(value.properties) && (value.type === 'object' || isJson(Object.values(value.properties)[0]))
        ? Object.keys(value.properties)
        : []
    const parameter = value.in === 'query' ? [String(value.name)] : []
    count += fields.length
    found.push(...[...fields, ...parameter].filter((name) => other.test(name)).map((name) => `${place} ${name}`))
    // The fields of settings are sent beside those of the caller's own, and are spelled alike on both surfaces.
    for (const [name, one] of Object.entries(value)) if (name !== 'settings') read(one, place)
  }
  for (const { name, operation } of operations) if (isOfIt(name)) read(operation, name)
  for (const [name, one] of Object.entries(document.webhooks as Json)) if (isOfIt(name)) read(one, name)
  expect(count).toBeGreaterThan(1_000)
  // Problems have one shape on both surfaces.
  expect(found.filter((place) => !place.endsWith('Problem request_id'))).toEqual(
    surface === 'store' ? namedByTheContract : [],
  )
})

test('An identifier that another system made is no UUID in the document', () => {
  const fields = [...fieldsIn([document.components, document.paths, document.webhooks], '')]
  const foreign = fields.filter(({ schema }) => /^The (network|provider)('|’)s id\b/.test(String(schema.description)))
  expect(foreign.length).toBeGreaterThan(10)
  expect(foreign.filter(({ schema }) => JSON.stringify(schema).includes('"uuid"')).map(({ place }) => place)).toEqual(
    [],
  )
})

test('A parameter of a month says nothing of parameters that its operation does not have', () => {
  const month = operations.find(({ name }) => name === 'GET /v1/businesses/{businessId}/bookings/availability')
    ?.operation.parameters
  expect(month?.find(({ name }) => name === 'month')?.description).toBe(
    "A month (YYYY-MM) of the business's time zone.",
  )
})

describe('Problems', () => {
  const refusals = operations.flatMap(({ name, operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) => {
      const found = (typeof response.$ref === 'string' ? at(response.$ref) : response) as
        | { description: string; 'x-problem-codes'?: string[] }
        | undefined
      return Number(status) >= 400 && status !== '416'
        ? [{ place: `${name} ${status}`, status: Number(status) as ProblemStatus, found }]
        : []
    }),
  )

  test('Every problem status of every operation names its codes and their meaning', () => {
    const bare = refusals.filter(({ found }) => !found?.['x-problem-codes']?.length && !found?.description)
    expect(bare).toEqual([])
    for (const { place, status, found } of refusals)
      for (const code of found?.['x-problem-codes'] ?? [])
        expect([place, found?.description, isProblem(status, code)]).toEqual([
          place,
          expect.stringContaining(`\`${code}\`: `),
          true,
        ])
  })

  test('Every documented problem code is declared by a route or by none at all', () => {
    const declared = new Set(refusals.flatMap(({ found }) => found?.['x-problem-codes'] ?? []))
    expect(
      Object.values(problems)
        .flatMap((codes) => Object.keys(codes))
        .filter((code) => !declared.has(code)),
    ).toEqual(['no_route', 'method_not_allowed'])
  })
})

test('A problem that a route neither declares nor follows from its kind is undeclared', () => {
  const list = routes.find(({ spec }) => spec === 'GET /v1/stores') as Route
  const create = routes.find(({ spec }) => spec === 'POST /v1/stores') as Route
  const taken = conflict('key_taken', 'Another store has this key.')
  expect([declares(list, taken), declares(create, taken)]).toEqual([false, true])
})
