// The console offers every operation of the document that an operator may call, and finds the record of every item.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import { isAllowed, type OpenApi, type Operation, operationsOf } from '../../console/src/kit/document/operations.ts'
import {
  type Audience,
  audiencesOf,
  ownActions,
  type Scope,
  type Tenant,
  tenantRecord,
  topOf,
} from '../../console/src/kit/document/scope.ts'
import {
  actionsOf,
  addressOf,
  type Item,
  locate,
  type Node,
  placeNamed,
  placeOf,
  recordOf,
  type Surface,
  shownBelow,
  sourceAround,
  titleOf,
  treeOf,
} from '../../console/src/kit/document/tree.ts'

const document: OpenApi = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
const tree = treeOf(document)
const operations = operationsOf(document)
const nodes = [...tree.nodes.values()]
const nodeAt = (key: string) => tree.nodes.get(key) as Node
const at = ({ get, post, put, delete: remove }: Node) => [get, post, put, remove].filter((one) => one !== undefined)

/** All that the pages of a scope offer, from the node on. */
function offeredFrom(node: Node): Operation[] {
  const record = recordOf(node)
  return [
    ...at(node),
    ...actionsOf(node),
    ...(record ? offeredFrom(record) : []),
    ...shownBelow(node).flatMap(offeredFrom),
  ]
}

test('Every operation for operators is found by its path', () => {
  expect(operations.length).toBeGreaterThan(400)
  const missed = operations.filter(({ path, method }) => {
    const found = locate(tree, path.replaceAll(/\{(\w+)\}/g, 'some-$1'))
    return !found || at(found.node).every((one) => one.path !== path || one.method !== method)
  })
  expect(missed).toEqual([])
})

const treeFor = (audience: Audience) => {
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(Object.entries(methods).filter(([, one]) => audiencesIn(one).includes(audience))),
  ])
  return treeOf({ ...document, paths: Object.fromEntries(paths) })
}
const audiencesIn = (operation: object) => (operation as { 'x-audiences': Audience[] })['x-audiences']
const tenant = (surface: Surface): Scope => ({
  kind: 'tenant',
  tenant: { surface, id: 't', key: 't', name: 'T', role: 'super', timezone: 'UTC', status: 'ACTIVE' } as Tenant,
})
const scopes: Scope[] = [{ kind: 'account' }, { kind: 'platform' }, tenant('stores'), tenant('businesses')]

test('Every operation for operators is offered on a page that the frame leads to', () => {
  const offered = new Set<string>()
  for (const scope of scopes) {
    const trees = audiencesOf(scope).map(treeFor)
    const tops = topOf(trees, scope).map(({ node }) => node)
    const own = scope.kind === 'tenant' ? trees.flatMap((one) => tenantRecord(one, scope.tenant.surface) ?? []) : []
    const offers = [
      ...[...tops, ...own].flatMap(offeredFrom),
      ...ownActions(trees, scope).flatMap((one) => one.actions),
    ]
    for (const { spec } of offers) offered.add(spec)
  }
  // These have pages of their own.
  const apart = /^GET .*\/(attention(\/\{id\})?|timeline|overview|readiness)$|^POST .*\/attention\/\{id\}\/resolve$/
  expect(operations.filter(({ spec }) => !offered.has(spec) && !apart.test(spec)).map(({ spec }) => spec)).toEqual([])
})

test('An item of every list that has records leads to the address of its own', () => {
  const lists = nodes.filter((node) => node.kind === 'list' && recordOf(node)?.get)
  expect(lists.length).toBeGreaterThan(60)
  for (const node of lists) {
    const values = Array.from({ length: node.depth }, (_, index) => `around-${index}`)
    const item: Item = { id: 'of-the-item', key: 'of-the-item', code: 'of-the-item' }
    const place = placeOf(tree, { node, values }, item)
    expect([node.key, place && addressOf(place.node, place.values)]).toEqual([
      node.key,
      `${addressOf(node, values)}/of-the-item`,
    ])
  }
})

test('A refund of the list of a store is found below its order, by the id that its caller made', () => {
  const place = { node: nodeAt('/v1/stores/{}/refunds'), values: ['s'] }
  const item = { id: 'row', refund_id: 'made', order_id: 'o', payment_id: 'p' }
  const found = placeOf(tree, place, item)
  expect(found && addressOf(found.node, found.values)).toBe('/v1/stores/s/orders/o/refunds/made')
})

test('A field that names another record leads to it, the nearest one of that name', () => {
  const addressFor = (key: string, values: string[], name: string, id: string, item: Item) => {
    const found = placeNamed(tree, name, id, item, { node: nodeAt(key), values })
    return found && addressOf(found.node, found.values)
  }
  const order = '/v1/stores/{}/orders/{}'
  expect(addressFor(order, ['s', 'o'], 'contact_id', 'c', {})).toBe('/v1/stores/s/contacts/c')
  const member = '/v1/stores/{}/audiences/{}/members/{}'
  expect(addressFor(member, ['s', 'a', 'm'], 'tier_id', 't', {})).toBe('/v1/stores/s/audiences/a/tiers/t')
  const execution = '/v1/stores/{}/workflows/{}/executions/{}'
  expect(addressFor(execution, ['s', 'w', 'e'], 'run_id', 'r', {})).toBe('/v1/stores/s/workflows/w/executions/e/runs/r')
  expect(addressFor('/v1/businesses/{}/bookings/{}', ['b', 'x'], 'serviceId', 'v', {})).toBe(
    '/v1/businesses/b/services/v',
  )
  expect(addressFor(order, ['s', 'o'], 'provider_account_id', 'acct', {})).toBeUndefined()
  const product = '/v1/stores/{}/products/{}'
  expect(addressFor(product, ['s', 'p'], 'entry_ids', 't', { taxonomy_id: 'x' })).toBe('/v1/stores/s/taxonomies/t')
})

test('Names of paths win over ids, and values are decoded', () => {
  expect(locate(tree, '/v1/stores/s/services/availability')?.node.key).toBe('/v1/stores/{}/services/availability')
  expect(locate(tree, '/v1/stores/s/collections/caf%C3%A9%2Fbar')?.values).toEqual(['s', 'café/bar'])
  expect(locate(tree, '/v1/stores/s/no-such-list/x')).toBeUndefined()
})

test('Lists have different titles within a scope', () => {
  for (const key of ['/v1/stores/{}', '/v1/businesses/{}', '/v1/platform']) {
    const titles = shownBelow(nodeAt(key)).map(titleOf)
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
  }
})

test('What a role may not do is not allowed, and a higher role may do it', () => {
  const table = (['admin', 'owner', 'super', 'customer', 'account', 'platform'] as const).map((access) => [
    access,
    ...([undefined, 'admin', 'owner', 'super'] as const).map((role) => isAllowed(access, role, false)),
    isAllowed(access, undefined, true),
  ])
  expect(table).toEqual([
    ['admin', false, true, true, true, false],
    ['owner', false, false, true, true, false],
    ['super', false, false, false, true, false],
    ['customer', false, true, true, true, false],
    ['account', true, true, true, true, true],
    ['platform', false, false, false, false, true],
  ])
})

test('Titles, filters and what a list is about are written without the marks of code', () => {
  const texts = operations.flatMap(({ summary, query }) => [summary, ...query.map((one) => one.description)])
  expect([...texts, ...tree.tags.map((tag) => tag.description)].filter((text) => text.includes('`'))).toEqual([])
})

test('What a field names is found in the record around it, or in a list below that record', () => {
  const around = (key: string, name: string) => {
    const found = sourceAround(tree, name, { node: nodeAt(key), values: ['s', 'r'] })
    return found && [addressOf(found.node, found.values), found.within]
  }
  expect(around('/v1/stores/{}/orders/{}/shipments', 'line_id')).toEqual(['/v1/stores/s/orders/r/products', undefined])
  expect(around('/v1/businesses/{}/orders/{}/bookings', 'lineId')).toEqual([
    '/v1/businesses/s/orders/r/products',
    undefined,
  ])
  expect(around('/v1/stores/{}/products/{}/inventory', 'variant_id')).toEqual(['/v1/stores/s/products/r', 'variants'])
  expect(around('/v1/businesses/{}/products/{}/inventory', 'variantId')).toEqual([
    '/v1/businesses/s/products/r',
    'variants',
  ])
  expect(around('/v1/stores/{}/orders/{}/shipments', 'contact_id')).toBeUndefined()
})
