// An item of attention leads to its record, keeps what people wrote, and is resolved by whom its route allows.
import { expect, test } from '@jest/globals'
import type { AttentionItem as Item } from '../../client/client.ts'
import type { Tenant } from '../../console/src/kit/document/scope.ts'
import { mayResolve, recordPageOf, subjectText } from '../../console/src/pages/attention/subjects.ts'

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

test('A platform administrator resolves items of the platform, whatever their role in the store', () => {
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
