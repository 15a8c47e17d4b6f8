// The document of an audience is complete and valid by itself, and has nothing that its operations do not use.
import { expect, test } from '@jest/globals'
import { Validator } from '@seriousme/openapi-schema-validator'
import { document as documentOf } from '../../api/document.ts'
import { audiences } from '../../api/openapi/audiences.ts'
import { partFor } from '../../api/openapi/parts.ts'

type Json = Record<string, unknown>
type Operation = { operationId: string; tags?: string[]; security: Json[]; 'x-audiences': string[] }
type Document = {
  info: { title: string; description: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, Record<string, Operation>>
  components: Record<string, Json>
}

const whole = JSON.parse(JSON.stringify(documentOf())) as Document
const parts = audiences.map((audience) => [audience, partFor(whole, audience) as Document] as const)
const operationsOf = ({ paths, webhooks = {} }: Document) =>
  Object.entries({ ...paths, ...webhooks }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  )
const named = (value: unknown) =>
  new Set([...JSON.stringify(value).matchAll(/"#\/components\/([^"]+)"/g)].map(([, name]) => name as string))
const componentsOf = ({ components: { securitySchemes: _, ...others } }: Document) =>
  Object.entries(others).flatMap(([kind, all]) => Object.keys(all).map((name) => `${kind}/${name}`))

test.each(parts)('The document for the audience %s is valid OpenAPI 3.1', async (_, part) => {
  const { valid, errors } = await new Validator().validate(structuredClone(part) as Json)
  expect([valid, errors]).toEqual([true, undefined])
})

test.each(parts)(
  'The document for the audience %s has its operations, as the whole document has them',
  (audience, part) => {
    const meant = operationsOf(whole).filter(({ operation }) => operation['x-audiences'].includes(audience))
    expect(meant.length).toBeGreaterThan(20)
    expect(operationsOf(part)).toEqual(meant)
  },
)

test.each(parts)('The document for the audience %s has exactly what its operations use', (_, part) => {
  const { tags, ...rest } = part
  // Reachable from the operations, and not merely from each other.
  const reached = named({ paths: part.paths, webhooks: part.webhooks })
  for (const name of reached) {
    const [kind = '', key = ''] = name.split('/')
    for (const inner of named(part.components[kind]?.[key])) reached.add(inner)
  }
  expect(componentsOf(part).toSorted()).toEqual([...reached].toSorted())
  const operations = operationsOf(rest as Document).map(({ operation }) => operation)
  const used = new Set(operations.flatMap((one) => one.tags ?? []))
  expect(new Set(tags.map(({ name }) => name))).toEqual(used)
  const schemes = new Set(operations.flatMap(({ security }) => security.flatMap((one) => Object.keys(one))))
  expect(new Set(Object.keys(part.components.securitySchemes ?? {}))).toEqual(schemes)
})

test('The parts together have every operation and event of the whole document', () => {
  const together = new Set(parts.flatMap(([, part]) => operationsOf(part).map(({ name }) => name)))
  expect(operationsOf(whole).filter(({ name }) => !together.has(name))).toEqual([])
})

test('The introduction of a part says what its readers need, and the title whom it is for', () => {
  const of = Object.fromEntries(parts)
  const has = (audience: (typeof audiences)[number]) =>
    ['**Operators**', '**Visitors**', '## Businesses'].filter((text) => of[audience]?.info.description.includes(text))
  expect(audiences.map(has)).toEqual([
    ['**Visitors**'],
    ['**Operators**'],
    ['**Operators**', '**Visitors**', '## Businesses'],
    ['**Operators**'],
  ])
  expect(new Set([whole, ...parts.map(([, part]) => part)].map(({ info }) => info.title)).size).toBe(5)
})
