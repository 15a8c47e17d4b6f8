// The words of every item are for people, in each variant of its kind: open, contradicted by evidence, and resolved.
import { expect, test } from '@jest/globals'
import { channelItem, channelMessageItem } from '../../rules/agents/attention.ts'
import type { EffectFacts, ItemText } from '../../rules/attention.ts'
import { nodeRunItem, oauthExchangeItem } from '../../rules/automation/attention.ts'
import { socialConnectItem, socialConnectionItem, socialTokenItem } from '../../rules/connections/attention.ts'
import { effectNames } from '../../rules/effects.ts'
import { classificationItem, socialReplyItem } from '../../rules/engagement/attention.ts'
import { erasureItem } from '../../rules/erasure/attention.ts'
import { mailboxItem, mailItem } from '../../rules/mail/attention.ts'
import { modelCallItem } from '../../rules/models/attention.ts'
import { disputeItem } from '../../rules/payments/attention.ts'
import { startItem } from '../../rules/platform/attention.ts'
import { portalConfigurationItem, portalLinkItem } from '../../rules/portal/attention.ts'
import { couponItem, provisionItem } from '../../rules/prices/attention.ts'
import { processKinds } from '../../rules/processes.ts'
import { revealItem } from '../../rules/publications/attention.ts'
import { lackNames, readinessItem } from '../../rules/readiness/attention.ts'
import { campaignItem, campaignMessageItem } from '../../rules/sending/attention.ts'
import { reasons } from '../../rules/sending/breakers.ts'
import { networkTypes } from '../../rules/social/networks/network-types.ts'
import { connectItem, onboardingLinkItem } from '../../rules/stores/attention.ts'
import { webhookItem, webhookTestItem } from '../../rules/webhooks/attention.ts'
import { faultIn, turns } from '../kit/attention-words.ts'

const tenant = { id: 'i', tenant_id: 't', store: 'demo', tenant_kind: 'store' as const }
const error = { code: 'no_answer', message: 'No answer came.' }
const ids = {
  ...{ chat_id: 'c', agent_id: 'a', message_id: 'm', execution_id: 'x', workflow_id: 'w', connection_id: 'n' },
  ...{ publication_id: 'p', comment_id: 'k', reply_id: 'r', provider_id: 'v', turn_id: 'u', owner_id: 'o' },
  ...{ audience_id: 'd', member_id: 'b', subscription_id: 's', tier_id: 'e', price_id: 'f', delivery_id: 'g' },
  ...{ webhook_id: 'h', campaign_id: 'j', configuration_id: 'l' },
}
const facts = {
  ...{ channel: 'bot', key: 'orders', node: 'call', name: 'Acme', model: 'large', comments: 2, amount: 500 },
  ...{
    currency: 'USD',
    account: 'acct',
    customer: 'cus',
    tier: 'Club',
    step: 0,
    mailbox: 'news',
    provider: 'calendar',
  },
  ...{
    caption: null,
    url: null,
    sent: 200,
    bounced: 12,
    complained: 1,
    events: ['order.created', 'social_connection.needs_reconnect'],
  },
}
type Row = Parameters<typeof channelMessageItem>[0]
/** Each state of an effect, with what else a kind needs. */
const states = (more: object, outcomes: readonly string[] = ['succeeded', 'rejected']): Row[] => {
  const row = {
    ...tenant,
    ...ids,
    ...facts,
    status: 'unknown',
    error,
    evidence: null,
    late_evidence: null,
    process_id: 'i',
  }
  const settled = { resolution: null, sent_at: 1, settled_at: 1, is_resolved: false }
  const open = { ...row, ...settled, ...more } as unknown as Row
  return [
    open,
    ...outcomes.flatMap((outcome) => {
      const resolution = { outcome, note: '', account_id: '', at: 1 }
      return [false, true].map((is_resolved) => ({ ...open, resolution, is_resolved }))
    }),
  ]
}
// biome-ignore lint/suspicious/noExplicitAny: the facts of every kind
type Say = (row: any) => ItemText
/** The variants of each effect; those about money have a test of their own. */
const effects: [Say, ...object[]][] = [
  [channelMessageItem, {}, { channel: null, agent_id: null }],
  [nodeRunItem, {}, { url: 'https://hooks.example:8443/{{ path }}' }],
  [oauthExchangeItem, { kind: 'exchange' }, { kind: 'revoke' }],
  [socialConnectItem, ...networkTypes.map((type) => ({ type }))],
  [
    socialTokenItem,
    ...networkTypes.flatMap((type) => ['refresh', 'revoke'].map((kind) => ({ type, kind, name: null }))),
  ],
  [socialReplyItem, ...networkTypes.map((type) => ({ type }))],
  [
    revealItem,
    ...networkTypes.map((type) => ({ type, name: null })),
    { type: 'network_a_page', caption: 'New.\nNow!' },
  ],
  [classificationItem, { comments: 1 }, {}],
  [mailItem, { kind: 'sign_in' }, { kind: 'chat_handover', tenant_id: null }],
  [modelCallItem, { owner_kind: 'chat' }, { owner_kind: 'research' }],
  [portalLinkItem, {}, { member_id: null }],
  [portalConfigurationItem, {}, { tenant_id: null }],
  [couponItem, {}, { member_id: null }],
  [provisionItem, {}],
  [campaignMessageItem, { kind: 'step' }],
  [connectItem, {}],
  [onboardingLinkItem, {}],
  [webhookTestItem, {}, { webhook_id: null, key: null }],
]

test('Every effect says in words for people what is wrong and what to do, in every state', () => {
  const said = new Set<string>()
  for (const [say, ...variants] of effects)
    for (const variant of variants)
      for (const row of states(variant)) {
        const item = say(row)
        expect([say.name, variant, faultIn(item)]).toEqual([say.name, variant, null])
        if (item.timeline) said.add(item.timeline.type)
        // Nothing is mended about what was recorded.
        if ((row as EffectFacts).resolution) expect([say.name, item.mend]).toEqual([say.name, null])
      }
  const money = ['refund', 'payment_session', 'session_expiry', 'authorization_end', 'subscription_change']
  expect([...said].sort()).toEqual(effectNames.filter((name) => !money.includes(name)).sort())
})

/** The facts that a test has of a row. */
const rowOf = <Row>(facts: unknown): Row => facts as Row

/** An item of each kind that is no effect, in each variant. */
function others(facts: object, error: { code: string; message: string }): ItemText[] {
  const like = <Row>(more: object): Row => rowOf({ ...tenant, ...ids, ...facts, ...more })
  return [
    channelItem(like({ error })),
    channelItem(like({ error: null })),
    ...networkTypes.flatMap((type) =>
      ['active', 'needs_reconnect'].map((status) => socialConnectionItem(like({ type, status, reason: error }))),
    ),
    ...[true, false].map((byPlatform) => erasureItem(like({ message: 'A refund is open.' }), byPlatform)),
    mailboxItem(like({ sending_error: error, imap_error: null })),
    mailboxItem(like({ sending_error: null, imap_error: error })),
    ...['no_answer', ...Object.keys(reasons)].map((code) => campaignItem(like({ paused_reason: { ...error, code } }))),
    ...['gone', 'failing', 'of_later'].map((disabled_reason) => webhookItem(like({ disabled_reason }))),
    ...processKinds.flatMap((kind) =>
      [true, false].map((byPlatform) => startItem(like({ kind, row_id: 'r', tries: 20, error: null }), byPlatform)),
    ),
    ...lackNames.map((_, n) => readinessItem(like({ lacks: lackNames.slice(n) }))),
    ...[7, null].map((order_number) => disputeItem(like({ order_number, reason: 'product_not_received' }))),
  ]
}

test('Every other item says in words for people what is wrong and what to do', () => {
  expect(
    others(facts, error)
      .map(faultIn)
      .filter((fault) => fault !== null),
  ).toEqual([])
})

test('No name within a sentence changes the direction of the words around it, of any kind', () => {
  const name = '\u202eemca'
  const shown = ['channel', 'key', 'node', 'name', 'model', 'tier', 'mailbox', 'store', 'caption']
  const named = Object.fromEntries(shown.map((one) => [one, name]))
  const items = [
    ...effects.flatMap(([say, ...variants]) =>
      variants.flatMap((variant) => states({ ...named, provider: name, ...variant }).map((row) => say(row))),
    ),
    ...others({ ...facts, ...named }, { ...error, message: `${name}.` }),
  ]
  const texts = items.flatMap(({ title, what_to_do }) => [title, what_to_do])
  expect(texts.filter((text) => text.includes(name)).length).toBeGreaterThan(30)
  expect(texts.filter(turns)).toEqual([])
})

test('An item says what it is about: a text of a post, a host of a receiver, counts of bounces', () => {
  const [reveal] = states({ type: 'network_b_business', caption: `New tea\n towels. ${'Long. '.repeat(30)}` })
  expect(revealItem(rowOf(reveal)).title).toMatch(
    /^It is not known whether the post “New tea towels\. (Long\. )+\w*…” of Acme is visible at Instagram\.$/,
  )
  const at = (url: string) => nodeRunItem(rowOf(states({ url })[0]))
  const node = at('https://key:secret@Hooks.Example/T0/secret?key=1')
  expect(node.title).toBe('It is not known whether the node call of the workflow orders did its work at hooks.example.')
  expect(at('https://{{ host }}/a').title).toMatch(/did its work\.$/)
  expect(node.what_to_do).toMatch(/^Find out at hooks\.example whether/)
  const row = { ...tenant, ...ids, ...facts, paused_reason: { code: 'too_many_bounces', message: 'Too many.' } }
  const webhook = webhookItem(rowOf({ ...row, disabled_reason: 'gone' }))
  expect(webhook.what_to_do).toMatch(/^Mend the receiver of orders, which gets the event “order created” and 1 more\./)
  expect(campaignItem(rowOf(row)).what_to_do).toMatch(/^Of 200 messages, 12 came back .* Then resume the campaign/)
})

test('An account to connect again is named with its network, and its request has the type', () => {
  const row = { ...tenant, ...facts, type: 'network_b_business', status: 'needs_reconnect', reconnect_by: null }
  const reason = { code: 'grant_ended', message: 'The grant ended.' }
  const item = socialConnectionItem(rowOf({ ...row, reason }))
  expect(item.mend).toEqual({
    method: 'POST',
    path: '/v1/stores/t/social-connections/oauth/connect',
    role: 'admin',
    body: { type: 'network_b_business' },
  })
  expect(item.what_to_do).toMatch(/^Connect the account Acme itself again, .* at Instagram as this account\./)
  expect(item.evidence.error).toEqual({
    code: 'grant_ended',
    message: 'The network no longer accepts our access to the account.',
    detail: 'The grant ended.',
  })
})
