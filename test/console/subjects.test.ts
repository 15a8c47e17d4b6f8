// An item of attention leads to its record, keeps what people wrote, and is resolved by whom its route allows.
import fs from 'node:fs'
import { expect, test } from '@jest/globals'
import { ApiProblem, type AttentionItem as Item } from '../../client/client.ts'
import { Unreachable } from '../../console/src/kit/answers.ts'
import type { OpenApi } from '../../console/src/kit/document/operations.ts'
import type { Tenant } from '../../console/src/kit/document/scope.ts'
import { locate, treeOf } from '../../console/src/kit/document/tree.ts'
import {
  groups,
  mayResolve,
  mendBeside,
  recordPageOf,
  returned,
  shownItem,
  subjectText,
  typeToConnect,
} from '../../console/src/pages/attention/subjects.ts'
import { erasureItem } from '../../rules/erasure/attention.ts'

const document: OpenApi = JSON.parse(fs.readFileSync(new URL('../../api/openapi.json', import.meta.url), 'utf8'))
const tree = treeOf(document)
const store = (role: Tenant['role']) => ({ surface: 'stores', id: 's', role }) as Tenant

test('The name of a record stays as it was written', () => {
  expect(subjectText('Campaign', 'Black_Friday')).toBe('Campaign Black_Friday')
  expect(subjectText('Campaign', 'campaign Black_Friday')).toBe('Campaign Black_Friday')
  expect(subjectText('Order', 'order #12')).toBe('Order #12')
  expect(subjectText('Chat', null)).toBe('Chat')
})

test('A deletion leads to its page, also for those who are no member of the store any more', () => {
  const item = { subject: { type: 'erasure', id: 'e', label: null }, evidence: { ids: {} } } as unknown as Item
  expect([recordPageOf(store('super'), item), recordPageOf(undefined, item)]).toEqual([
    '/account/data/erasures/e',
    '/account/data/erasures/e',
  ])
})

test('A request that mends an item and leads to the page of its record is no second link to it', () => {
  const row = { id: '019901c2-1d2e-7000-8000-000000000001', tenant_id: null, tenant_kind: null, store: 'calm' }
  const erasure = erasureItem({ ...row, erased_id: row.id, message: 'Open.' } as never, false) as unknown as Item
  expect(erasure.mend).not.toBeNull()
  expect(mendBeside(erasure, recordPageOf(undefined, erasure))).toBeNull()
  // Another page, and a form of the same one, stay.
  expect(mendBeside(erasure, undefined)).toEqual(erasure.mend)
  const form = { ...erasure, mend: { ...erasure.mend, method: 'PUT' } } as Item
  expect(mendBeside(form, recordPageOf(undefined, form))).toEqual(form.mend)
})

test('An item is done when it is resolved or missing, and any other failed read says nothing', () => {
  const resolve = { path: '/v1/stores/s/attention/x/resolve', role: 'owner', choices: ['start_again'] }
  const item = (status: string) => ({ status, resolve }) as unknown as Item
  const missing = new ApiProblem('GET', 404, { code: 'not_found' }, new Headers())
  const failed = [
    null,
    undefined,
    new Unreachable('No answer arrived.'),
    new ApiProblem('GET', 404, { code: 'unreadable' }, new Headers()),
    new ApiProblem('GET', 500, { code: 'internal' }, new Headers()),
  ]
  for (const error of failed)
    for (const status of ['open', 'resolved']) expect(shownItem(item(status), error)).toEqual(item(status))
  for (const status of ['open', 'resolved'])
    expect(shownItem(item(status), missing)).toEqual({ status: 'resolved', resolve: null, mend: null })
})

test('A platform administrator resolves items of the platform, with any role in the store', () => {
  const ofPlatform = { path: '/v1/platform/payments/attention/x/resolve', role: 'owner' }
  const ofStore = { path: '/v1/stores/s/payments/attention/x/resolve', role: 'owner' }
  const may = (resolve: object, tenant: Tenant | undefined, isPlatform: boolean) =>
    mayResolve(resolve as never, tenant, isPlatform)
  for (const resolve of [ofPlatform, { ...ofPlatform, role: null }])
    expect([
      may(resolve, store('admin'), true),
      may(resolve, undefined, true),
      may(resolve, store('super'), false),
    ]).toEqual([true, true, false])
  expect([may(ofStore, store('owner'), false), may(ofStore, store('admin'), true)]).toEqual([true, false])
})

test('Every group of items has a title', () => {
  const { properties } = document.components.schemas.AttentionItem as {
    properties: Record<string, { enum?: string[] }>
  }
  expect(groups.map(([group]) => group).sort()).toEqual([...(properties.group?.enum ?? [])].sort())
})

/** The types of subjects in the words of all kinds of items. */
const types = fs
  .globSync(new URL('../../rules/*/attention.ts', import.meta.url).pathname)
  .flatMap((file) => [...fs.readFileSync(file, 'utf8').matchAll(/(?<!\w)\{ type: ([^,]+), id/g)])
  .flatMap(([, type]) => [...(type ?? '').matchAll(/'(\w+)'/g)].map(([, name]) => name as string))

test('The record that an item is about is a page of the document, or has none', () => {
  // Nothing in the document leads to a record of these types; a start names its kind of process.
  const none = ['subscription', 'payment', 'mail', 'portal_configuration', 'webhook_test']
  const ids = { audience_id: 'a', workflow_id: 'w', agent_id: 'g' }
  const found = [...new Set(types)].map((type) => {
    const item = { subject: { type, id: 'x', label: null }, evidence: { ids } } as unknown as Item
    const surface = type === 'chat' ? 'businesses' : 'stores'
    const page = recordPageOf({ ...store('super'), surface }, item)
    const node =
      page && locate(tree, page.replace(/^\/account\/data/, '/v1').replace(/^\/(\w+)\/s\/data/, '/v1/$1/s'))?.node
    return [type, node && ['list', 'record'].includes(node.kind) ? node.get !== undefined : page]
  })
  expect(found.length).toBeGreaterThan(12)
  expect(
    found
      .filter(([, isPage]) => isPage !== true)
      .map(([type]) => type)
      .sort(),
  ).toEqual(none.sort())
})

test('An item of a lapsed account connects one of its type, and says if it was another one', () => {
  const path = '/v1/stores/s/social-connections/oauth/connect'
  const mend = { method: 'POST', path, role: 'admin', body: { type: 'network_b_business' } } as const
  expect(typeToConnect(mend)).toBe('network_b_business')
  expect([typeToConnect(null), typeToConnect({ ...mend, path: '/v1/stores/s/campaigns/x/resume' })]).toEqual([
    ...[undefined, undefined],
  ])
  const item = { subject: { type: 'social_connection', id: 'c', label: 'Demo store' } }
  const back = (search: Parameters<typeof returned>[0]) => returned(search, item)
  expect(back({ item: 'c' })).toBeUndefined()
  expect(back({ social_connection_id: ['b', 'c'] })?.slice(0, 2)).toEqual([true, 'The account is connected'])
  expect(back({ social_connection_id: 'b' })).toEqual([
    false,
    'Another account was connected',
    'It stays beside Demo store of this item. Sign in at the network as Demo store, and connect it again.',
  ])
  expect(back({ error: 'access_denied' })?.[1]).toBe('Nothing was connected')
  // What is connected is an item no longer.
  expect(returned({ social_connection_id: 'c' }, undefined)?.[0]).toBe(true)
})
