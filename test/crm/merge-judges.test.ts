// A check that cannot fail proves nothing: valid facts of merge-judges.ts are broken in every way that is judged.
import { expect, test } from '@jest/globals'
import { type Facts, heirs, judge, judges, type Payment } from './merge-judges.ts'

const day = 86_400
/**
 * `gone` was merged into `kept`, who has an order, pays monthly and left the newsletter; `other` is a member for ever.
 */
const whole = (): Facts => ({
  contacts: ['kept', 'other'],
  moves: [{ from: 'gone', to: 'kept', merged: true }],
  claims: [],
  names: [],
  orders: [{ id: 'o1', contact_id: 'kept', total: 900 }],
  members: [
    {
      id: 'm1',
      audience_id: 'club',
      contact_id: 'kept',
      status: 'active',
      delivery_status: 'subscribed',
      source: 'storefront',
      paid_through_at: 30 * day,
      access_until: 33 * day,
    },
    {
      id: 'm2',
      audience_id: 'club',
      contact_id: 'other',
      status: 'active',
      delivery_status: 'subscribed',
      source: 'storefront',
      paid_through_at: null,
      access_until: null,
    },
    {
      id: 'm3',
      audience_id: 'news',
      contact_id: 'kept',
      status: 'active',
      delivery_status: 'unsubscribed',
      source: 'operator',
      paid_through_at: null,
      access_until: null,
    },
  ],
  subscriptions: [
    {
      ...{
        id: 's1',
        member_id: 'm1',
        kind: 'recurring',
        status: 'live',
        cancel_at: null,
        paid_through_at: 30 * day,
        held_until: null,
        cut: false,
      },
      provider_subscription_id: 'sub_1',
    },
    {
      ...{
        id: 's2',
        member_id: 'm2',
        kind: 'one_time',
        status: 'live',
        cancel_at: null,
        paid_through_at: null,
        held_until: null,
        cut: false,
      },
      provider_subscription_id: null,
    },
  ],
  payments: [
    { id: 'p1', owner: 's1', invoice: 'in_1', intent: 'pi_1', captured: 810, refunded: 100, pending: 0 },
    { id: 'p2', owner: 's2', invoice: null, intent: 'pi_2', captured: 20_000, refunded: 0, pending: 0 },
    { id: 'p3', owner: 'o1', invoice: null, intent: null, captured: 0, refunded: 0, pending: 0 },
  ],
  codes: [
    {
      ...{ id: 'c1', uses: 2, max: 2, max_per_contact: 1 },
      redemptions: [
        { contact_id: 'kept', owner_contact: 'kept', subscribed: true },
        { contact_id: 'kept', owner_contact: 'kept', subscribed: false },
      ],
    },
  ],
  grace_s: 3 * day,
  paid_audience: 'club',
  provider: {
    invoices: [{ id: 'in_1', row: 's1', amount: 810, period_end: 30 * day }],
    charges: [
      { intent: 'pi_1', received: 810, refunded: 100 },
      { intent: 'pi_2', received: 20_000, refunded: 0 },
    ],
    open_pages: [],
    billed: [{ id: 'sub_1', row: 's1' }],
  },
  told: {
    orders: [{ id: 'o1', contact_id: 'gone', total: 900 }],
    members: [{ audience_id: 'club', contact_id: 'gone' }],
    opted_out: [{ audience_id: 'news', contact_id: 'gone' }],
    access: [
      { contact_id: 'kept', audience_id: 'club', proved: true, has_access: true },
      { contact_id: 'kept', audience_id: 'news', proved: false, has_access: false },
    ],
    listed: [{ audience_id: 'club', contacts: ['kept', 'other'] }],
    surprises: [],
  },
  now: 31 * day,
})

const first = <T>(list: T[]): T => list[0] as T
type Break = [name: string, how: string, harm: (f: Facts) => unknown]
const breaks: Break[] = [
  ['Merged contacts that are named', 'a row of the source', (f) => f.names.push('carts.contact_id gone')],
  ['Orders that are lost', 'an order that is gone', (f) => f.orders.splice(0)],
  ['Orders that are lost', 'another total', (f) => Object.assign(first(f.orders), { total: 1000 })],
  [
    'Orders that are lost',
    'an order of another contact',
    (f) => Object.assign(first(f.orders), { contact_id: 'other' }),
  ],
  [
    'Memberships that are lost',
    'a membership that did not move',
    (f) => Object.assign(first(f.members), { audience_id: 'another' }),
  ],
  [
    'Memberships that are lost',
    'a membership without a contact',
    (f) => Object.assign(first(f.members), { contact_id: 'gone' }),
  ],
  ['Charges that are recorded otherwise', 'a charge without a payment', (f) => f.payments.splice(1, 1)],
  [
    'Charges that are recorded otherwise',
    'a one-time membership that was recorded twice',
    (f) => f.payments.push({ ...(f.payments[1] as Payment), id: 'p9' }),
  ],
  ['Charges that are recorded otherwise', 'another amount', (f) => Object.assign(first(f.payments), { captured: 900 })],
  [
    'Charges that are recorded otherwise',
    'a refund that is not recorded',
    (f) => Object.assign(first(f.payments), { refunded: 0 }),
  ],
  [
    'Charges that are recorded otherwise',
    'a refund above the charge',
    (f) => [first(f.payments), first(f.provider.charges)].map((one) => Object.assign(one, { refunded: 811 })),
  ],
  ['Charges that are recorded otherwise', 'a payment that was never charged', (f) => f.provider.charges.splice(0)],
  [
    'Paid invoices without one payment',
    'an invoice without a payment',
    (f) => Object.assign(first(f.payments), { invoice: null }),
  ],
  [
    'Paid invoices without one payment',
    'an invoice that was recorded twice',
    (f) => f.payments.push({ ...first(f.payments), id: 'p9', intent: null }),
  ],
  [
    'Paid invoices without one payment',
    'a payment of another subscription',
    (f) => Object.assign(first(f.payments), { owner: 's2' }),
  ],
  [
    'Time that invoices do not prove',
    'more time than was paid',
    (f) => [first(f.subscriptions), first(f.members)].map((one) => Object.assign(one, { paid_through_at: 40 * day })),
  ],
  [
    'Time that invoices do not prove',
    'less time than was paid',
    (f) => Object.assign(first(f.members), { paid_through_at: 29 * day }),
  ],
  [
    'Time that invoices do not prove',
    'time that a merge lost',
    (f) => Object.assign(first(f.members), { paid_through_at: null }),
  ],
  [
    'Access that the rule does not give',
    'access without its grace',
    (f) => Object.assign(first(f.members), { access_until: 30 * day }),
  ],
  [
    'Access that the rule does not give',
    'a removed member who pays',
    (f) => Object.assign(first(f.members), { status: 'removed' }),
  ],
  [
    'Access that the rule does not give',
    'an active member who never paid',
    (f) => Object.assign(first(f.subscriptions), { member_id: 'm2' }),
  ],
  [
    'Access that is answered otherwise',
    'a refusal of access',
    (f) => Object.assign(first(f.told.access), { has_access: false }),
  ],
  ['Access that is answered otherwise', 'a list without a member', (f) => first(f.told.listed).contacts.pop()],
  [
    'More than one of a kind',
    'two memberships of one audience',
    (f) => f.members.push({ ...first(f.members), id: 'm9' }),
  ],
  [
    'More than one of a kind',
    'two running subscriptions',
    (f) => Object.assign(f.subscriptions[1] as object, { member_id: 'm1' }),
  ],
  [
    'Pages that can be paid',
    'a page beside a live subscription',
    (f) => f.provider.open_pages.push({ id: 'cs_1', row: 's1' }),
  ],
  ['Pages that can be paid', 'a page without a row', (f) => f.provider.open_pages.push({ id: 'cs_1', row: 's9' })],
  [
    'Charges that go on without a row',
    'a row that has ended',
    (f) => Object.assign(first(f.subscriptions), { status: 'ended' }),
  ],
  ['Charges that go on without a row', 'a live row that nothing charges', (f) => f.provider.billed.splice(0)],
  ['Uses of codes', 'a use that was not counted', (f) => Object.assign(first(f.codes), { uses: 1 })],
  ['Uses of codes', 'more uses than it has', (f) => Object.assign(first(f.codes), { max: 1 })],
  [
    'Uses of codes',
    'a use that is counted for another contact',
    (f) => Object.assign(first(first(f.codes).redemptions), { contact_id: 'other' }),
  ],
  ['Uses of codes', 'two uses of a contact that was not merged', (f) => f.moves.splice(0)],
  [
    'Resubscribed',
    'an opt-out that a merge lost',
    (f) => Object.assign(f.members[2] as object, { delivery_status: 'subscribed' }),
  ],
  ['Unexpected answers', 'an error', (f) => f.told.surprises.push('merge once: 500')],
]

test('Valid facts have no violations, and a contact inherits over all merges and sign-ins', () => {
  expect(judge(whole())).toEqual([])
  const moves = [
    { from: 'a', to: 'b', merged: true },
    { from: 'b', to: 'c', merged: false },
    { from: 'c', to: 'd', merged: true },
  ]
  expect(heirs({ contacts: ['a', 'b', 'd'], moves }, 'a')).toEqual(['b', 'd'])
})

test.each(breaks)('The judge counts %s: %s', (name, _, harm) => {
  const facts = whole()
  harm(facts)
  expect(judge(facts).filter((what) => what.startsWith(`${name}: `))).not.toEqual([])
})

test('Every judge of merges has a break', () => {
  expect(new Set(breaks.map(([name]) => name))).toEqual(new Set(judges.map(([name]) => name)))
})

test('A membership may follow an address that a contact named before it was merged', () => {
  const facts = whole()
  const news = facts.members.find(({ id }) => id === 'm3')
  if (news) news.contact_id = 'other'
  facts.told.members = [{ audience_id: 'news', contact_id: 'kept' }]
  const lost = () => judge(facts).filter((what) => what.startsWith('Memberships that are lost'))
  expect(lost()).toHaveLength(1)
  facts.claims = [{ from: 'gone', to: 'other', merged: false }]
  expect(lost()).toEqual([])
})

test('A use follows its membership to the owner of a claimed address, that of an order does not', () => {
  const facts = whole()
  facts.moves = []
  facts.claims = [{ from: 'gone', to: 'kept', merged: false }]
  const counted = () => judge(facts).filter((what) => what.startsWith('Uses of codes'))
  expect(counted()).toEqual([])
  for (const use of facts.codes[0]?.redemptions ?? []) use.subscribed = false
  expect(counted()).toHaveLength(1)
})
