// The document says what the API does: nothing less, nothing more, and the file in the repository says the same.
import fs from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { Validator } from '@seriousme/openapi-schema-validator'
import { operationIdOf } from '../api/kit/openapi/names.ts'
import { documentOf } from '../api/kit/openapi.ts'
import type { Route } from '../api/kit/route.ts'
import { routes as table } from '../api/routes.ts'
import { http } from './kit/shop.ts'

const routes: readonly Route[] = table
type Parameter = { name: string; in: string; required: boolean }
type Operation = { operationId: string; parameters: Parameter[]; responses: Record<string, unknown> }
type Document = { openapi: string; paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, unknown> } }
const document = JSON.parse(JSON.stringify(documentOf(routes))) as Document

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
const built = new Set(routes.map(({ spec }) => spec as string))

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
    const components = document.components as Record<string, Record<string, unknown>>
    for (const name of new Set(names)) {
      const [, , kind = '', component = ''] = name.split('/')
      expect([name, component in (components[kind] ?? {})]).toEqual([name, true])
    }
  })

  test('names every operation once', () => {
    expect(new Set(routes.map(operationIdOf)).size).toBe(routes.length)
    expect(built.size).toBe(routes.length)
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
    expect(contract.filter(({ spec, later }) => !later && !built.has(spec)).map(({ spec }) => spec)).toEqual([])
  })

  test('has no mark at what is built: the marks may only become fewer', () => {
    expect(contract.filter(({ spec, later }) => later && built.has(spec)).map(({ spec }) => spec)).toEqual([])
  })

  test('and a reason of our own stand behind every route', () => {
    const reasons = new Set([...contract, ...own].map(({ spec }) => spec))
    expect(routes.map(({ spec }) => spec).filter((spec) => !reasons.has(spec))).toEqual([])
    expect(own.filter(({ spec, why }) => !why || !built.has(spec) || contract.some((one) => one.spec === spec))).toEqual([])
  })
})
