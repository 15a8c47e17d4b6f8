// A request that the API names as the way to mend something leads to a page that offers it, with its form open.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import { aboutOf, formOf, openForm } from '../../console/src/kit/document/forms.ts'
import {
  isAllowed,
  type OpenApi,
  type Operation,
  operationsOf,
  type Role,
} from '../../console/src/kit/document/operations.ts'
import { actionsOf, locate, type Tree, treeOf } from '../../console/src/kit/document/tree.ts'
import { checks, readinessOf, type SetUp } from '../../rules/readiness/checks.ts'

const document: OpenApi = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
const tree = treeOf(document)
const tenant = '019901c2-1d2e-7000-8000-000000000001'

/** Nothing is there, and all that a check may change. */
const setUps = ([null, 'of-a-record'] as const).map((id) => ({
  ...{ market_id: id, product_id: id, location_id: id, pickup_id: id, link_id: id },
}))
const mendsFor = (kind: SetUp['kind']) =>
  setUps.flatMap((ids) =>
    readinessOf({ ...(ids as SetUp), kind }, tenant).filter(({ mend }) => !mend.path.includes('{id}')),
  )

/** What the page at an address of the console offers, by the id of the operation. */
function offeredAt(tree: Tree, to: string): string[] {
  const [, surface, id, , ...rest] = to.split('/')
  const node = locate(tree, `/v1/${surface}/${id}/${rest.join('/')}`)?.node
  if (!node || !['list', 'record', 'single'].includes(node.kind)) return []
  const main = node.kind === 'list' ? [node.post] : [node.put, node.delete]
  return [...main, ...actionsOf(node)].flatMap((one) => one?.id ?? [])
}

test.each(['store', 'business'] as const)('What mends a check of a %s is a form that a page offers', (kind) => {
  const mends = mendsFor(kind)
  const named = new Set(mends.map(({ id }) => id))
  const expected = readinessOf({ kind } as SetUp, tenant).map(({ id }) => id)
  expect([...named].sort()).toEqual([...expected].sort())
  for (const { id, mend } of mends) {
    const found = formOf(tree, mend)
    expect([id, mend, found?.operation.method]).toEqual([id, mend, mend.method])
    expect([id, offeredAt(tree, found?.to ?? '').includes(found?.search[openForm] ?? '')]).toEqual([id, true])
  }
})

test('An action is offered by the list above it, and every check of the table has one', () => {
  const path = `/v1/stores/${tenant}/payment-providers/stripe/connect`
  expect(formOf(tree, { method: 'POST', path })).toMatchObject({
    to: `/stores/${tenant}/data/payment-providers`,
    search: { [openForm]: 'connectStripe' },
  })
  expect(Object.keys(checks).length).toBeGreaterThan(15)
})

test('A request is offered to the role that the API names for it, or else to that of its route', () => {
  const requests = [
    { method: 'POST', path: `/v1/stores/${tenant}/markets` },
    { method: 'GET', path: `/v1/stores/${tenant}/markets` },
  ]
  for (const request of requests)
    expect([formOf(tree, request)?.access, formOf(tree, { ...request, role: 'super' })?.access]).toEqual([
      'admin',
      'super',
    ])
})

test('A request that no page offers leads nowhere, and one that reads leads to its page', () => {
  const request = (method: string, path: string) => formOf(tree, { method, path })
  expect(request('POST', `/v1/stores/${tenant}/no-such-list`)).toBeUndefined()
  expect(request('DELETE', `/v1/stores/${tenant}/orders`)).toBeUndefined()
  expect(request('GET', `/v1/erasures/${tenant}`)).toMatchObject({ to: `/account/data/erasures/${tenant}`, search: {} })
})

/** The requests in the words of all kinds of items; ids of their paths are filled in. */
const named = fs.globSync(new URL('../../rules/*/attention.ts', import.meta.url).pathname).flatMap((file) => {
  const source = fs.readFileSync(file, 'utf8')
  const parts = new Map([...source.matchAll(/const (\w+) = `([^`]+)`/g)].map(([, name, path]) => [name, path]))
  const calls = source.matchAll(/mending\(row, '(\w+)', ['`]([^'`]+)['`](?:, '(\w+)')?\)/g)
  return [...calls].map(([, method = '', path = '', role = 'admin']) => ({
    method,
    path: path.replaceAll(/\$\{(\w+)\}/g, (text, name) => parts.get(name) ?? text).replaceAll(/\$\{[^}]+\}/g, 'x'),
    role: role as Role,
  }))
})

test('What mends an item is offered by a page, to the role that the item names', () => {
  expect(named.length).toBeGreaterThan(12)
  for (const { method, path, role } of named) {
    const found = ['stores', 'businesses']
      .map((surface) => formOf(tree, { method, path: `/v1/${surface}/${tenant}${path}` }))
      .find((one) => one !== undefined)
    const isOffered = method === 'GET' || offeredAt(tree, found?.to ?? '').includes(found?.search[openForm] ?? '')
    expect([method, path, isOffered]).toEqual([method, path, true])
    expect([method, path, isAllowed(found?.operation.access ?? 'platform', role, false)]).toEqual([method, path, true])
  }
})

test('A form says nothing of fields that a request leaves out or replaces, nor of status codes', () => {
  const product = operationsOf(document).find(({ spec }) => spec === 'PUT /v1/stores/{storeId}/products/{id}')
  expect(product?.description).toMatch(/left out are kept. `variants` replaces the list/)
  expect(aboutOf(product as Operation)).toBe('')
  expect(
    aboutOf({ description: 'Fields that are left out are kept. Archiving cancels the plan. 409 otherwise.' }),
  ).toBe('Archiving cancels the plan.')
  const texts = operationsOf(document).map((one) => [one.spec, aboutOf(one)])
  expect(texts.filter(([, text]) => /left out are kept|replaced? as a whole|`|\/v1\//.test(text as string))).toEqual([])
})
