// A check that cannot fail proves nothing: a valid history is broken in every way that is judged, and each break is
// counted under its invariant.
import { expect, test } from '@jest/globals'
import type { Arrival, CampaignRow, ChatRow, EffectRow, History, OrderRow } from '../history.ts'
import { invariants, judge, judgeLater, judgeRestored, restoreInvariants } from './judges.ts'

const order: OrderRow = {
  ...{
    id: 'o1',
    number: 7,
    status: 'confirmed',
    contact_id: 'c1',
    total: 5_000,
    subtotal: 5_500,
    discount: 500,
    shipping: 0,
    tax: 0,
  },
  lines: [{ variant_id: 'v1', quantity: 2, status: 'confirmed', subtotal: 4_000, discount: 500, tax: 0, total: 3_500 }],
  bookings: [
    {
      provider_id: 'p1',
      slots: [{ from: 100, to: 200 }],
      status: 'confirmed',
      subtotal: 1_500,
      discount: 0,
      tax: 0,
      total: 1_500,
    },
  ],
  payment: {
    ...{
      type: 'card',
      status: 'paid',
      currency: 'USD',
      amount: 5_000,
      captured: 5_000,
      refunded: 1_000,
      pending: 0,
      unknown: 500,
    },
    refunds: [
      { id: 'r1', status: 'succeeded', amount: 1_000 },
      { id: 'r2', status: 'unknown', amount: 500 },
    ],
  },
}

const effect = (id: string, more: Partial<EffectRow> = {}): EffectRow => ({
  ...{
    table: 'refunds',
    id,
    status: 'succeeded',
    sent_at: 1_010,
    deadline_at: 19_010,
    settled_at: 1_100,
    error: null,
    by_event: false,
  },
  ...more,
})
const arrival = (key: string, more: Partial<Arrival> = {}): Arrival => ({
  ...{ oracle: 'stripe', key, at: 1_050, answered: true, status: 200, effect: true, fault: null },
  ...more,
})
const unknown = { status: 'unknown', settled_at: 19_100, error: 'outcome_unknown' } as const

/**
 * Two steps to two recipients: the first message was deferred after its body and sent again, and the second recipient
 * opted out in time.
 */
const campaign: CampaignRow = {
  ...{ id: 'k9', status: 'completed', steps: 2, enrolled: 2, paused: [{ from: 500, to: 900 }] },
  enrollments: [
    { id: 'n1', status: 'completed' },
    { id: 'n2', status: 'failed' },
  ],
  messages: [
    { id: 'c1', enrollment_id: 'n1', step: 0, try: 1, status: 'rejected', sent_at: 1_010 },
    { id: 'c2', enrollment_id: 'n1', step: 0, try: 2, status: 'succeeded', sent_at: 1_010 },
    { id: 'c3', enrollment_id: 'n1', step: 1, try: 1, status: 'succeeded', sent_at: 1_010 },
    { id: 'c4', enrollment_id: 'n2', step: 0, try: 1, status: 'failed', sent_at: null },
  ],
  counted: [
    { step: 0, requested: 0, succeeded: 1, rejected: 1, failed: 1, unknown: 0 },
    { step: 1, requested: 0, succeeded: 1, rejected: 0, failed: 0, unknown: 0 },
  ],
}

/** A bot answered once, and was silent after a person had the chat. */
const chat: ChatRow = {
  ...{ id: 't1', takeover: 'I am a person.', seen: ['You said: One', 'I am a person.'] },
  said: [
    { id: null, text: 'One', status: null, response: null },
    { id: 'g2', text: 'Two', status: 'held', response: null },
  ],
  messages: [
    { seq: 1, role: 'user', status: 'answered', content: 'One', message_id: 'g1', turn_id: 'u1', turn: 'answered' },
    {
      seq: 2,
      role: 'assistant',
      status: null,
      content: 'You said: One',
      message_id: 'a1',
      turn_id: 'u1',
      turn: 'answered',
    },
    { seq: 3, role: 'operator', status: null, content: 'I am a person.', message_id: 'a2', turn_id: null, turn: null },
    { seq: 4, role: 'user', status: 'held', content: 'Two', message_id: 'g2', turn_id: 'u2', turn: 'discarded' },
  ],
}

/** A valid history: one refund succeeded, one met a reset, one was never sent, a post was refused by its server. */
const whole = (): History => ({
  acknowledged: [
    {
      ...{ order_id: 'o1', number: 7, amount: 5_000, currency: 'USD', type: 'card' },
      lines: [{ variant_id: 'v1', quantity: 2 }],
      slots: [{ from: 100, to: 200 }],
    },
  ],
  effects: [
    effect('r1'),
    effect('r2', unknown),
    effect('r3', { status: 'failed', sent_at: null, deadline_at: null }),
    effect('n1', { table: 'node_runs', status: 'rejected' }),
    ...campaign.messages.map(({ id, status, sent_at }) =>
      effect(id, { table: 'campaign_messages', status, sent_at, deadline_at: sent_at && 19_010 }),
    ),
    effect('q1', { table: 'model_calls' }),
    effect('b1', { table: 'channel_messages' }),
    effect('a1', { table: 'social_replies', by_event: true }),
    effect('h1', { table: 'subscription_changes', status: 'failed', sent_at: null, deadline_at: null }),
  ],
  arrivals: [
    arrival('r1'),
    arrival('r2', { answered: false, status: null, effect: false, fault: 'reset_after_read' }),
    arrival('n1', { oracle: 'receiver', status: 500, fault: 'status 500' }),
    arrival('q1', { oracle: 'models' }),
    arrival('b1', { oracle: 'chat_bot' }),
    // Its token was refused; the second answer was lost, and its thread proved it.
    arrival('a1', { oracle: 'social', at: 1_020, status: 401, effect: false }),
    arrival('a1', { oracle: 'social', answered: false, status: null, fault: 'reset_after_read' }),
    arrival('c1', { oracle: 'sink', status: null, effect: false }),
    arrival('c2', { oracle: 'sink', status: null }),
    arrival('c3', { oracle: 'sink', status: null }),
  ],
  orders: [structuredClone(order)],
  campaigns: [structuredClone(campaign)],
  chats: [structuredClone(chat)],
  strays: [],
  tokens: { in_flight: 0, reserved: 0, used: 90, unknown: 40, used_by_calls: 90, unknown_of_calls: 40 },
  posts: [
    { publication: 'p6', text: 'Shown', due: 1_000, cancelled: false, status: 'published', shown: [1_000.3] },
    { publication: 'p7', text: 'Cancelled', due: 1_000, cancelled: true, status: 'cancelled', shown: [] },
    { publication: 'p8', text: 'Doubtful', due: 1_000, cancelled: false, status: 'unknown', shown: [1_001] },
  ],
  talks: [
    {
      publication: 'p5',
      sync: 'y1',
      made: ['100', '101'],
      status: 'done',
      more: false,
      stored: ['101', '100', '102'],
      replies: [{ id: 'a1', comment: '102' }],
    },
  ],
  charges: [{ order_id: 'o1', status: 'succeeded', received: 5_000, refunded: 1_000 }],
  variants: [{ id: 'v1', stock: 12, available: 10 }],
  providers: [{ id: 'p1', limit: 1, taken: [[100, 200]] }],
  codes: [{ id: 'k1', uses: 1, max: 2, max_per_contact: 1, redemptions: [{ owner: 'o1', contact_id: 'c1' }] }],
  events: [
    {
      id: 'e1',
      type: 'order.created',
      order_id: 'o1',
      status: 'pending',
      paid: false,
      taken: true,
      executions: 1,
      wanted: 1,
    },
    {
      id: 'e2',
      type: 'order.updated',
      order_id: 'o1',
      status: 'confirmed',
      paid: true,
      taken: true,
      executions: 1,
      wanted: 1,
    },
  ],
  faults: [{ kind: 'oracle', victim: 'stripe', what: 'reset_after_read', from: 1_050, to: 1_050, key: 'r2' }],
  invoices: [{ id: 'in_1', subscription: 'sub_1', paid: true, amount: 900 }],
  billed: [{ id: 'sub_1', status: 'active' }],
  members: [{ id: 'm1', contact_id: 'c2', status: 'active', paid_through_at: 99, proved: 99, least: 99, pays: true }],
  subscriptions: [
    { id: 's1', status: 'live', provider_subscription_id: 'sub_1' },
    { id: 's2', status: 'live', provider_subscription_id: null },
  ],
  member_payments: [
    {
      ...{
        id: 'p9',
        subscription_id: 's1',
        provider_invoice_id: 'in_1',
        intent: null,
        captured: 900,
        refunded: 100,
        pending: 0,
        unknown: 50,
      },
      refunds: [
        { id: 'r5', status: 'succeeded', amount: 100 },
        { id: 'r6', status: 'unknown', amount: 50 },
      ],
    },
    {
      id: 'p8',
      subscription_id: 's2',
      provider_invoice_id: null,
      intent: 'pi_2',
      captured: 9_900,
      refunded: 0,
      pending: 0,
      unknown: 0,
      refunds: [],
    },
  ],
  member_charges: [
    { intent: 'pi_1', invoice: 'in_1', row: '', received: 900, refunded: 150 },
    { intent: 'pi_2', invoice: null, row: 's2', received: 9_900, refunded: 0 },
  ],
  merges: [{ source: 'c9', target: 'c2', members: ['m1'] }],
  named: [],
  payable: [],
  surprises: [],
  deaths: [],
  unsettled: [],
})

type Break = [invariant: string, how: string, harm: (h: History) => void]
const first = <T>(list: T[]): T => list[0] as T
const payment = (h: History) => first(h.orders).payment
const messagesOf = (h: History) => first(h.campaigns).messages
const enrollmentsOf = (h: History) => first(h.campaigns).enrollments
const rowOf = (h: History, id: string) => h.effects.find((row) => row.id === id) as EffectRow

const talk = (h: History) => first(h.chats)
const line = (h: History, seq: number) => talk(h).messages.find((row) => row.seq === seq) as ChatRow['messages'][number]
const [lost, otherwise, over, tokens] = [
  'Chat messages lost, doubled or changed',
  'Turns with other answers than their outcome',
  'Words of an agent after a person took the chat over',
  'Tokens that differ from their calls',
] as const

const breaks: Break[] = [
  [lost, 'an update that is not there', (h) => Object.assign(line(h, 1), { content: 'Another' })],
  [lost, 'an update that is there twice', (h) => talk(h).messages.push({ ...line(h, 1), seq: 5 })],
  [lost, 'a message that stays waiting', (h) => Object.assign(line(h, 4), { status: 'waiting' })],
  [lost, 'a message with another text', (h) => Object.assign(line(h, 4), { content: 'Three' })],
  [
    lost,
    'a caller who was told another answer',
    (h) => talk(h).said.push({ id: 'g1', text: 'One', status: 'answered', response: 'No.' }),
  ],
  [lost, 'a second chat of a visitor', (h) => h.strays.push('t9')],
  [otherwise, 'a turn with two answers', (h) => talk(h).messages.push({ ...line(h, 2), seq: 5 })],
  [otherwise, 'a turn that is answered without an answer', (h) => talk(h).messages.splice(1, 1)],
  [otherwise, 'an answer of a discarded turn', (h) => talk(h).messages.push({ ...line(h, 2), turn_id: 'u2' })],
  [over, 'an answer that was written after a person', (h) => Object.assign(line(h, 2), { seq: 5 })],
  [over, 'an answer that was seen after a person', (h) => talk(h).seen?.push('You said: Two')],
  [over, 'the words of a person that are gone', (h) => talk(h).messages.splice(2, 1)],
  [tokens, 'tokens that stay reserved', (h) => Object.assign(h.tokens as object, { reserved: 10 })],
  [tokens, 'a call that stays in flight', (h) => Object.assign(h.tokens as object, { in_flight: 1 })],
  [tokens, 'a call whose tokens are not counted', (h) => Object.assign(h.tokens as object, { used: 50 })],
  [tokens, 'an unknown call whose tokens are not counted', (h) => Object.assign(h.tokens as object, { unknown: 0 })],
  [
    'Attempts sent again',
    'a question that was asked again',
    (h) => h.arrivals.push(arrival('q1', { oracle: 'models', effect: false })),
  ],
  [
    'Ambiguous sends recorded as certain (recall)',
    'a reply of a bot that was cut, recorded as succeeded',
    (h) => Object.assign(h.arrivals.find(({ key }) => key === 'b1') as Arrival, { fault: 'break_body' }),
  ],
  ['Rounds without activity', 'no message to an agent', (h) => h.chats.splice(0)],
  ['Effects per key above one', 'a key that was carried out twice', (h) => h.arrivals.push(arrival('r1'))],
  [
    'Attempts sent again',
    'an unknown that was sent again, and met a reset once more',
    (h) => h.arrivals.push(arrival('r2', { effect: false })),
  ],
  ['Effects without a row', 'a request that no row asked for', (h) => h.arrivals.push(arrival('nobody'))],
  [
    'Double charges',
    'two payments of one order',
    (h) => h.charges.push({ order_id: 'o1', status: 'succeeded', received: 0, refunded: 0 }),
  ],
  ['Double charges', 'a payment above the total', (h) => Object.assign(first(h.charges), { received: 5_001 })],
  ['Double charges', 'a payment of an unknown order', (h) => Object.assign(first(h.charges), { order_id: 'o9' })],
  ['Oversold units', 'a unit that was taken and not sold', (h) => Object.assign(first(h.variants), { available: 9 })],
  ['Oversold units', 'fewer than none', (h) => Object.assign(first(h.variants), { stock: 1, available: -1 })],
  [
    'Oversold units',
    'a cancelled line whose units did not come back',
    (h) => Object.assign(first(first(h.orders).lines), { status: 'cancelled' }),
  ],
  [
    'Double-booked slots',
    'one more booking that overlaps',
    (h) => {
      first(h.orders).bookings.push({
        ...first(first(h.orders).bookings),
        slots: [{ from: 150, to: 250 }],
        subtotal: 0,
        total: 0,
      })
      first(h.acknowledged).slots.push({ from: 150, to: 250 })
      first(h.providers).taken.push([150, 250])
    },
  ],
  ['Double-booked slots', 'a slot taken without a booking', (h) => first(h.providers).taken.push([300, 400])],
  ['Promo uses over their limits', 'a use that was not counted', (h) => Object.assign(first(h.codes), { uses: 0 })],
  ['Promo uses over their limits', 'more uses than it has', (h) => Object.assign(first(h.codes), { max: 0 })],
  [
    'Promo uses over their limits',
    'a second use by the same contact',
    (h) =>
      Object.assign(first(h.codes), {
        uses: 2,
        redemptions: [1, 2].map((n) => ({ owner: `o${n}`, contact_id: 'c1' })),
      }),
  ],
  [
    'Acknowledged orders lost or changed',
    'an order that is gone',
    (h) => Object.assign(first(h.acknowledged), { order_id: 'o9' }),
  ],
  [
    'Acknowledged orders lost or changed',
    'another amount',
    (h) => Object.assign(first(h.acknowledged), { amount: 4_999 }),
  ],
  [
    'Acknowledged orders lost or changed',
    'another way to pay',
    (h) => Object.assign(first(h.acknowledged), { type: 'cash' }),
  ],
  [
    'Acknowledged orders lost or changed',
    'another line',
    (h) => Object.assign(first(first(h.acknowledged).lines), { quantity: 3 }),
  ],
  [
    'Acknowledged orders lost or changed',
    'another time',
    (h) => Object.assign(first(first(h.acknowledged).slots), { to: 300 }),
  ],
  ['Repeated calls with different answers', 'two ids for one refund', (h) => h.surprises.push('refund x is a and b')],
  [
    'Refunds over the captured amount',
    'a refund above the captured amount',
    (h) => Object.assign(first(h.charges), { refunded: 5_001 }),
  ],
  [
    'Refunds over the captured amount',
    'more is recorded than came in',
    (h) => Object.assign(payment(h), { captured: 1_499 }),
  ],
  [
    'Sums of money that do not add up',
    'a total that is not its lines',
    (h) => Object.assign(first(h.orders), { total: 5_001, subtotal: 5_501 }),
  ],
  [
    'Sums of money that do not add up',
    'a payment of another amount',
    (h) => [payment(h), first(h.acknowledged)].map((one) => Object.assign(one, { amount: 4_000 })),
  ],
  [
    'Sums of money that do not add up',
    'a refund that the payment does not count',
    (h) => payment(h).refunds.push({ id: 'r9', status: 'succeeded', amount: 1 }),
  ],
  [
    'Sums of money that do not add up',
    'less recorded than the provider took',
    (h) => Object.assign(payment(h), { captured: 4_000 }),
  ],
  [
    'Sums of money that do not add up',
    'a charge without a record',
    (h) => Object.assign(payment(h), { captured: 0, refunded: 0, unknown: 0, refunds: [] }),
  ],
  [
    'Sums of money that do not add up',
    'a refund of less than its row says',
    (h) => Object.assign(first(h.charges), { refunded: 10 }),
  ],
  [
    'Sums of money that do not add up',
    'a refund of more than any row says',
    (h) => Object.assign(first(h.charges), { refunded: 1_501 }),
  ],
  [
    'Sums of money that do not add up',
    'money that came too late and was kept',
    (h) => {
      Object.assign(first(h.orders), { status: 'cancelled' })
      Object.assign(payment(h), { refunded: 0, unknown: 0, refunds: [] })
    },
  ],
  ['Visible posts per publication above one', 'a post that was sent again', (h) => first(h.posts).shown.push(1_020)],
  [
    'Visible posts per publication above one',
    'a doubtful post that was sent again',
    (h) => h.posts[2]?.shown.push(1_020),
  ],
  [
    'Posts visible before their time, or although cancelled',
    'a post that is early',
    (h) => Object.assign(first(h.posts), { shown: [999.9] }),
  ],
  ['Posts visible before their time, or although cancelled', 'a cancelled post', (h) => h.posts[1]?.shown.push(1_001)],
  [
    'Publications recorded otherwise than they are visible',
    'a published one that is not visible',
    (h) => first(h.posts).shown.pop(),
  ],
  [
    'Publications recorded otherwise than they are visible',
    'one that failed and is visible',
    (h) => Object.assign(first(h.posts), { status: 'failed' }),
  ],
  [
    'Rounds without activity',
    'no post became visible',
    (h) => {
      for (const post of h.posts) post.shown.splice(0)
    },
  ],
  ['Comments that are stored twice', 'a comment in two rows', (h) => first(h.talks).stored.push('100')],
  ['Comments that were read and are not stored', 'a page that was lost', (h) => first(h.talks).stored.splice(1, 1)],
  [
    'Replies that succeeded and are no comment',
    'a reply that is not in its thread',
    (h) => first(h.talks).stored.pop(),
  ],
  [
    'Effects per key above one',
    'a reply that is shown twice',
    (h) => h.arrivals.push(arrival('a1', { oracle: 'social' })),
  ],
  [
    'Attempts sent again',
    'a reply after an answer that was lost',
    (h) => h.arrivals.push(arrival('a1', { oracle: 'social', effect: false, status: 400 })),
  ],
  [
    'Ambiguous sends recorded as certain (recall)',
    'a reply that nothing proved',
    (h) => Object.assign(rowOf(h, 'a1'), { by_event: false }),
  ],
  ['Paid invoices without one payment', 'an invoice without a payment', (h) => h.member_payments.splice(0)],
  [
    'Paid invoices without one payment',
    'an invoice that was recorded twice',
    (h) => h.member_payments.push({ ...first(h.member_payments), id: 'p10' }),
  ],
  [
    'Paid invoices without one payment',
    'a payment of another amount',
    (h) => Object.assign(first(h.member_payments), { captured: 800 }),
  ],
  [
    'Members with other time than payments prove',
    'time after the last paid period',
    (h) => Object.assign(first(h.members), { paid_through_at: 100 }),
  ],
  [
    'Members with other time than payments prove',
    'a paid period that is not there',
    (h) => Object.assign(first(h.members), { paid_through_at: 98 }),
  ],
  [
    'Members with other time than payments prove',
    'time without a payment',
    (h) => Object.assign(first(h.members), { proved: null }),
  ],
  [
    'Members with other time than payments prove',
    'a member who ended with less time than was paid',
    (h) => Object.assign(first(h.members), { status: 'expired', paid_through_at: null, pays: false }),
  ],
  [
    'Members with other time than payments prove',
    'a member who pays and has no access',
    (h) => Object.assign(first(h.members), { status: 'pending' }),
  ],
  [
    'Memberships that are charged twice',
    'a one-time price that was charged twice',
    (h) => h.member_charges.push({ ...(h.member_charges[1] as History['member_charges'][number]), intent: 'pi_3' }),
  ],
  [
    'Memberships that are charged twice',
    'an invoice that was charged twice',
    (h) => h.member_charges.push({ ...first(h.member_charges), intent: 'pi_3' }),
  ],
  ['Charges of memberships that are recorded otherwise', 'a charge without a record', (h) => h.member_payments.pop()],
  [
    'Charges of memberships that are recorded otherwise',
    'another amount',
    (h) => Object.assign(h.member_payments[1] as object, { captured: 9_000 }),
  ],
  [
    'Charges of memberships that are recorded otherwise',
    'a refund above the charge',
    (h) => Object.assign(first(h.member_charges), { refunded: 901 }),
  ],
  [
    'Charges of memberships that are recorded otherwise',
    'a refund of more than any row says',
    (h) => Object.assign(first(h.member_charges), { refunded: 151 }),
  ],
  [
    'Charges of memberships that are recorded otherwise',
    'a refund of less than its row says',
    (h) => Object.assign(first(h.member_charges), { refunded: 99 }),
  ],
  [
    'Charges of memberships that are recorded otherwise',
    'a refund that the payment does not count',
    (h) => first(h.member_payments).refunds.push({ id: 'r7', status: 'succeeded', amount: 1 }),
  ],
  [
    'Charges of memberships that are recorded otherwise',
    'a payment that was never charged',
    (h) => h.member_charges.pop(),
  ],
  ['Records lost or left behind by merges', 'a row that names the source', (h) => h.named.push('carts.contact_id')],
  [
    'Records lost or left behind by merges',
    'a membership that did not move',
    (h) => Object.assign(first(h.members), { contact_id: 'c9' }),
  ],
  ['Records lost or left behind by merges', 'a membership that is gone', (h) => h.members.splice(0)],
  ['Rounds without activity', 'no invoice was paid', (h) => Object.assign(first(h.invoices), { paid: false })],
  ['Rounds without activity', 'no subscription was changed', (h) => h.effects.pop()],
  ['Rounds without activity', 'no contact was merged', (h) => h.merges.splice(0)],
  [
    'Subscriptions that are charged without a row',
    'a subscription that no row names',
    (h) => h.subscriptions.splice(0),
  ],
  [
    'Subscriptions that are charged without a row',
    'one whose row has ended',
    (h) => Object.assign(first(h.subscriptions), { status: 'ended' }),
  ],
  [
    'Attempts sent again',
    'a body of a campaign that was given twice',
    (h) => h.arrivals.push(arrival('c2', { oracle: 'sink', status: null })),
  ],
  [
    'Attempts sent again',
    'a body that was refused, and given once more',
    (h) => h.arrivals.push(arrival('c1', { oracle: 'sink', status: null, effect: false })),
  ],
  [
    'Effects without a row',
    'a body without a message',
    (h) => h.arrivals.push(arrival('a message to a reader', { oracle: 'sink', status: null })),
  ],
  [
    'Recorded outcomes that differ from the oracle',
    'a message that succeeded, and never arrived',
    (h) => h.arrivals.splice(-1),
  ],
  [
    'Recorded outcomes that differ from the oracle',
    'a message that was rejected, and accepted',
    (h) => Object.assign(h.arrivals.find(({ key }) => key === 'c1') as Arrival, { effect: true }),
  ],
  [
    'Ambiguous sends recorded as certain (recall)',
    'a body whose reply was lost, recorded as succeeded',
    (h) => Object.assign(h.arrivals.find(({ key }) => key === 'c2') as Arrival, { answered: false }),
  ],
  [
    'Unknown without a fault in its send (precision)',
    'a message that no fault met',
    (h) => Object.assign(rowOf(h, 'c2'), unknown),
  ],
  [
    'Sent after being settled',
    'a message that was not wanted any more, and arrived',
    (h) => h.arrivals.push(arrival('c4', { oracle: 'sink', status: null })),
  ],
  [
    'Messages of a campaign beside the one of their step',
    'two messages of one step',
    (h) => messagesOf(h).push({ ...(messagesOf(h)[1] as CampaignRow['messages'][number]), id: 'c9', try: 3 }),
  ],
  [
    'Messages of a campaign beside the one of their step',
    'a message beside one that may have arrived',
    (h) => Object.assign(first(messagesOf(h)), { status: 'unknown' }),
  ],
  [
    'Messages of a campaign beside the one of their step',
    'four tries of one step',
    (h) => messagesOf(h).push(...[3, 4].map((one) => ({ ...first(messagesOf(h)), id: `c${one}9`, try: one }))),
  ],
  [
    'Enrollments that differ from their messages',
    'a recipient who was not enrolled',
    (h) => Object.assign(first(h.campaigns), { enrolled: 3 }),
  ],
  [
    'Enrollments that differ from their messages',
    'one who is active in a campaign that has ended',
    (h) => Object.assign(enrollmentsOf(h)[0] as object, { status: 'active' }),
  ],
  [
    'Enrollments that differ from their messages',
    'one who completed without the second step',
    (h) => messagesOf(h).splice(2, 1),
  ],
  [
    'Enrollments that differ from their messages',
    'one who is unknown without such a message',
    (h) => Object.assign(enrollmentsOf(h)[1] as object, { status: 'unknown' }),
  ],
  [
    'Enrollments that differ from their messages',
    'one who failed although the message was sent',
    (h) => Object.assign(enrollmentsOf(h)[0] as object, { status: 'failed' }),
  ],
  [
    'Statistics of campaigns that differ from their rows',
    'a message that was not counted',
    (h) => Object.assign(first(first(h.campaigns).counted), { rejected: 0 }),
  ],
  [
    'Statistics of campaigns that differ from their rows',
    'one that was counted twice',
    (h) => Object.assign(first(first(h.campaigns).counted), { succeeded: 2 }),
  ],
  [
    'Statistics of campaigns that differ from their rows',
    'one that stays counted as requested',
    (h) => Object.assign(first(first(h.campaigns).counted), { requested: 1 }),
  ],
  [
    'Statistics of campaigns that differ from their rows',
    'a step without statistics',
    (h) => first(h.campaigns).counted.pop(),
  ],
  [
    'Messages of campaigns stamped while they were paused',
    'a message after the answer to a pause',
    (h) => Object.assign(first(messagesOf(h)), { sent_at: 700 }),
  ],
  ['Rounds without activity', 'no message of a campaign arrived', (h) => h.arrivals.splice(-3)],
  ['Released while payable', 'an order whose page is open', (h) => h.payable.push('o1')],
  ['Events lost', 'a payment without an event', (h) => Object.assign(h.events[1] as object, { paid: false })],
  ['Events lost', 'a cancellation without an event', (h) => Object.assign(first(h.orders), { status: 'cancelled' })],
  ['Rounds without activity', 'nobody was sold anything', (h) => h.acknowledged.splice(0)],
  ['Rounds without activity', 'a round without members', (h) => h.members.splice(0)],
  ['Rounds without activity', 'nothing arrived', (h) => h.arrivals.splice(0)],
  ['Events lost', 'an event that its webhook never took', (h) => Object.assign(first(h.events), { taken: false })],
  ['Events lost', 'an event that began two executions', (h) => Object.assign(first(h.events), { executions: 2 })],
  ['Events lost', 'an order without an event', (h) => void h.events.shift()],
  ['Unknown without a fault in its send (precision)', 'no fault at all', (h) => void h.faults.pop()],
  [
    'Unknown without a fault in its send (precision)',
    'a fault of another attempt',
    (h) => Object.assign(first(h.faults), { key: 'r1' }),
  ],
  [
    'Unknown without a fault in its send (precision)',
    'a fault of an API process, which sends nothing',
    (h) => h.faults.splice(0, 1, { kind: 'stop', victim: 'api-1', what: '', from: 0, to: 99_999 }),
  ],
  [
    'Unknown without a fault in its send (precision)',
    'a worker that was killed before it was sent',
    (h) => h.faults.splice(0, 1, { kind: 'kill', victim: 'worker-1', what: '', from: 500, to: 600 }),
  ],
  [
    'Unknown without a fault in its send (precision)',
    'an unknown that was never sent',
    (h) => Object.assign(rowOf(h, 'r2'), { sent_at: null }),
  ],
  [
    'Ambiguous sends recorded as certain (recall)',
    'no answer, and recorded as rejected',
    (h) => Object.assign(rowOf(h, 'r2'), { status: 'rejected' }),
  ],
  [
    'Ambiguous sends recorded as certain (recall)',
    "a provider's 500, recorded as rejected",
    (h) => Object.assign(rowOf(h, 'r1'), { status: 'rejected' }),
  ],
  ...[502, 504, 520, 522].map(
    (status): Break => [
      'Ambiguous sends recorded as certain (recall)',
      `a ${status} in the place of the answer of a user's server, recorded as rejected`,
      (h) =>
        Object.assign(h.arrivals.find(({ key }) => key === 'n1') as Arrival, { status, fault: `status ${status}` }),
    ],
  ),
  ...[200, 204, 302, 403, 408, 409, 429].map(
    (status): Break => [
      'Ambiguous sends recorded as certain (recall)',
      `a gateway's ${status} in the place of the provider's answer, recorded as succeeded`,
      (h) => Object.assign(first(h.arrivals), { status, fault: 'answer' }),
    ],
  ),
  [
    'Ambiguous sends recorded as certain (recall)',
    'half an answer, recorded as rejected',
    (h) => [
      Object.assign(first(h.arrivals), { fault: 'break_body', effect: false }),
      Object.assign(rowOf(h, 'r1'), { status: 'rejected' }),
    ],
  ],
  [
    'Recorded outcomes that differ from the oracle',
    "a closing that a gateway's 502 was taken for, and that never happened",
    (h) => [
      Object.assign(first(h.arrivals), { status: 502, fault: 'answer', effect: false }),
      Object.assign(rowOf(h, 'r1'), { table: 'session_expiries' }),
    ],
  ],
  ...(['silent', 'goaway', 'refuse_stream'] as const).flatMap((met): Break[] => {
    const unpassed = arrival('r2', { answered: false, status: null, effect: false, fault: met })
    const recorded = (status: EffectRow['status']) => (h: History) => [
      h.arrivals.splice(1, 1, unpassed),
      Object.assign(rowOf(h, 'r2'), { status }),
    ]
    return [
      [
        'Recorded outcomes that differ from the oracle',
        `a request that met ${met} at the provider's front, recorded as succeeded`,
        recorded('succeeded'),
      ],
      [
        'Ambiguous sends recorded as certain (recall)',
        `a request that met ${met} at the provider's front, recorded as rejected`,
        recorded('rejected'),
      ],
      [
        'Sent after being settled',
        `a request that met ${met} at the provider's front, recorded as failed`,
        recorded('failed'),
      ],
      [
        'Attempts sent again',
        `a request that met ${met} at the provider's front, and was sent once more`,
        (h) => h.arrivals.push(unpassed),
      ],
    ]
  }),
  [
    'Unknown without a fault in its send (precision)',
    "a slow handshake at the provider's front, before anything was sent",
    (h) => h.faults.splice(0, 1, { kind: 'slow_handshake', victim: 'front', what: '7000 ms', from: 0, to: 99_999 }),
  ],
  [
    'Recorded outcomes that differ from the oracle',
    'recorded as succeeded, and never arrived',
    (h) => void h.arrivals.shift(),
  ],
  [
    'Recorded outcomes that differ from the oracle',
    'recorded as rejected, and carried out',
    (h) => Object.assign(rowOf(h, 'r1'), { status: 'rejected' }),
  ],
  ['Sent after being settled', 'recorded as failed, and arrived', (h) => h.arrivals.push(arrival('r3'))],
  ['Sent after being settled', 'sent long after its end', (h) => Object.assign(first(h.arrivals), { at: 2_000 })],
  ['Processes that ended by themselves', 'a worker that fell over', (h) => h.deaths.push('worker-1 ended with 1')],
  [
    'Not settled 120 s after healing and the last call',
    'a refund that stays on its way',
    (h) => h.unsettled.push('refunds r1 is processing'),
  ],
]
// A 500 that proves no outcome.
const doubted = "a provider's 500, recorded as rejected"

test('A valid history has no violations', () => {
  expect(judge(whole())).toEqual([])
})

test('An unknown that an event settled and faults in mid-send are no violations', () => {
  for (const victim of ['worker-2', 'postgres', 'stripe']) {
    const h = whole()
    h.faults = [{ kind: 'stop', victim, what: '', from: 15_000, to: 40_000 }]
    expect(judge(h)).toEqual([])
  }
  const told = whole()
  Object.assign(rowOf(told, 'r2'), { status: 'rejected', by_event: true, settled_at: 2_000 })
  expect(judge(told)).toEqual([])
})

test('A message whose reply was lost is unknown, and its enrollment with it', () => {
  const h = whole()
  const [, lost] = messagesOf(h)
  messagesOf(h).splice(2, 1)
  h.effects = h.effects.filter(({ id }) => id !== 'c3')
  h.arrivals = h.arrivals.filter(({ key }) => key !== 'c3')
  Object.assign(lost as object, { status: 'unknown' })
  Object.assign(rowOf(h, 'c2'), unknown)
  Object.assign(h.arrivals.find(({ key }) => key === 'c2') as Arrival, { answered: false, fault: 'hang' })
  h.faults.push({ kind: 'oracle', victim: 'sink', what: 'hang', from: 1_050, to: 1_050, key: 'c2' })
  Object.assign(enrollmentsOf(h)[0] as object, { status: 'unknown' })
  first(h.campaigns).counted = [{ step: 0, requested: 0, succeeded: 0, rejected: 1, failed: 1, unknown: 1 }]
  expect(judge(h)).toEqual([])
})

test.each(breaks)('The judge counts %s: %s', (invariant, how, harm) => {
  const h = whole()
  harm(h)
  if (how === doubted) Object.assign(first(h.arrivals), { status: 500 })
  const found = judge(h)
  expect(found.map((one) => one.invariant)).toContain(invariant)
  for (const { what } of found) expect(what).not.toBe('')
})

test('Every row of the report has a test that breaks it', () => {
  expect(new Set(breaks.map(([invariant]) => invariant))).toEqual(new Set(invariants.map(([name]) => name)))
})

test('An effect sent after its round was judged is counted, and nothing is counted twice', () => {
  const again = (key: string) => ({
    ...whole(),
    arrivals: [...whole().arrivals, arrival(key, { at: 60_000, effect: false })],
  })
  expect(judgeLater(whole(), whole())).toEqual([])
  expect(judgeLater(whole(), again('r2')).map(({ invariant }) => invariant)).toEqual([
    'Attempts sent again',
    'Sent after being settled',
  ])
  expect(judgeLater(again('r2'), again('r2'))).toEqual([])
})

test.each([
  ['Sent again after a restore', { rows: [], arrived: ['refund r1', 'refund r1'] }],
  ['Not unknown after a restore', { rows: [{ name: 'refunds r1', status: 'succeeded' }], arrived: [] }],
])('The judge of a restore counts: %s', (invariant, restored) => {
  expect(judgeRestored(restored)).toEqual([{ invariant, what: expect.any(String) }])
  expect(
    judgeRestored({ rows: [{ name: 'refunds r1', status: 'unknown' }], arrived: ['refund r1', 'refund r2'] }),
  ).toEqual([])
  expect(restoreInvariants.map(([name]) => name)).toContain(invariant)
})
