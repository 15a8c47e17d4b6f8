// The plan of a round, drawn from the seed alone: it depends on no clock and on no earlier event.

import type { SinkFault } from '../../bench/kit/sink.ts'
import type { FrontFault } from '../../dev/front.ts'
import type { FreeAnswer } from '../../dev/sim/free-answer.ts'
import { type Random, random } from './random.ts'

export type RefundPlan = {
  /** Of what was captured. */
  share: number
  /**
   * `parallel`: the same id three times at once, through both processes. `changed`: the same id once more with another
   * amount.
   */
  mode: 'once' | 'twice' | 'parallel' | 'changed'
}

export type BuyerPlan = {
  at_ms: number
  pays: 'cash' | 'card'
  scarce: number
  plenty: number
  /** Which of the first free slots; null: none. */
  slot: number | null
  code: boolean
  /** The checkout is requested twice at once. */
  twice: boolean
  /** The same contact buys once more, with the same code. */
  again: boolean
  card: 'paid' | 'declined_then_paid' | 'declined' | 'abandoned' | 'expired'
  think_ms: number
  refunds: RefundPlan[]
  marked_paid: boolean
  cancelled: boolean
}

/** A person who subscribes to the store's club. */
export type MemberPlan = {
  at_ms: number
  price: 'monthly' | 'once'
  /** The other price is chosen first. */
  changes: boolean
  /** Both requests are sent twice at once. */
  twice: boolean
  /** With the code of the club. */
  code: boolean
  card: 'paid' | 'declined_then_paid' | 'abandoned'
  think_ms: number
  /** What happens at the provider once it is paid. */
  life: ('renew' | 'decline' | 'recover' | 'card')[]
  /** The first payment is refunded. */
  refund: boolean
  removed: 'no' | 'at the end' | 'now'
  /** The contact is merged into another one, requested twice at once. */
  merged: boolean
}

/** A campaign of two steps to addresses of several domains. */
export type CampaignPlan = {
  at_ms: number
  recipients: number
  mailboxes: number
  /** Milliseconds of each pause, after as many of sending. */
  pauses: number[]
  /** Launched, paused and resumed by two requests at once. */
  twice: boolean
}

/** A visitor who writes to an agent, by the API or to its bot. */
export type ChatPlan = {
  at_ms: number
  by: 'api' | 'bot'
  messages: number
  /** All but the first are sent at once. */
  at_once: boolean
  /** Each message is sent twice at once. */
  twice: boolean
  /** A person answers after the first message. */
  takeover: boolean
  think_ms: number
}

/** Comments below a post on each of two networks. */
export type TalkPlan = {
  at_ms: number
  comments: number
  /**
   * `parallel`: the same id three times at once, through both processes. `changed`: the same id once more with another
   * text.
   */
  replies: ('once' | 'parallel' | 'changed')[]
  /** The access tokens of network d, which has refresh tokens, end before the replies are sent. */
  expires: boolean
}

/** A post on one of the five networks. */
export type PostPlan = {
  at_ms: number
  network: number
  /** Seconds until its time, when it is scheduled. */
  in_s: number
  /** `parallel`: scheduled three times at once. `sooner`, `later`: moved once. `cancelled`: around its time. */
  how: 'once' | 'parallel' | 'sooner' | 'later' | 'cancelled'
}

export const steps = [
  'before_claim',
  'after_claim',
  'after_prepare',
  'after_stamp',
  'after_send',
  'before_settle',
  'after_settle',
] as const
export const struckTables = [
  'refunds',
  'payment_sessions',
  'session_expiries',
  'node_runs',
  'subscription_changes',
  'coupons',
  'portal_configurations',
  'portal_links',
  'model_calls',
  'channel_messages',
  'social_replies',
  'social_token_requests',
  'social_reveals',
] as const
export const links = ['stripe', 'receiver', 'mail', 'social', 'postgres', 'temporal'] as const
/** Of agents: to the models and to the bot API. */
export const chatLinks = ['models', 'chat_bot'] as const
/** `sink`: to the mail server of campaigns. */
export type LinkName = (typeof links)[number] | (typeof chatLinks)[number] | 'sink'
export type ProcessName = 'api-1' | 'api-2' | 'worker-1' | 'worker-2'

export type FaultPlan = { at_ms: number } & (
  | { kind: 'kill'; victim: ProcessName; back_ms: number }
  | {
      kind: 'failpoint'
      step: (typeof steps)[number]
      table: (typeof struckTables)[number]
      action: 'kill' | 'stop'
      ms: number
    }
  | { kind: 'stop'; victim: ProcessName | 'temporal' | 'postgres' | 'postmaster'; ms: number }
  | { kind: 'restart'; victim: 'temporal'; signal: 'SIGTERM' | 'SIGKILL' }
  | { kind: 'crash'; victim: 'postgres'; back_ms: number }
  | { kind: 'stripe'; fault: Record<string, unknown> }
  | { kind: 'front'; fault: FrontFault }
  | { kind: 'receiver'; way: FreeAnswer & { do?: 'hang' | 'reset_after_read' }; times: number }
  | {
      kind: 'mail'
      fault: { step: 'connect' | 'data' | 'after_data'; action: 'reject' | 'hang' | 'reset' | 'cut'; code?: number }
    }
  | { kind: 'sink'; fault: SinkFault }
  | { kind: 'models' | 'chat_bot'; fault: Record<string, unknown> }
  | { kind: 'social'; fault: Record<string, unknown> }
  | { kind: 'cut'; link: LinkName; direction: 'there' | 'back'; after_bytes: number; times: number }
)

export type RoundPlan = {
  buyers: BuyerPlan[]
  members: MemberPlan[]
  campaign: CampaignPlan
  chats: ChatPlan[]
  talks: TalkPlan
  posts: PostPlan[]
  faults: FaultPlan[]
}

const processNames: ProcessName[] = ['api-1', 'api-2', 'worker-1', 'worker-2']
const buyersMs = 6_000
const faultsMs = 9_000

function refundsOf(r: Random): RefundPlan[] {
  const mode = () =>
    r.weighted<RefundPlan['mode']>([
      [4, 'once'],
      [2, 'twice'],
      [3, 'parallel'],
      [1, 'changed'],
    ])
  // The last pattern requests more than was captured: the excess is refused.
  const shares = r.weighted([
    [3, []],
    [3, [1]],
    [2, [0.3, 0.3]],
    [2, [0.5, 0.5, 0.5]],
  ])
  return shares.map((share) => ({ share, mode: mode() }))
}

function buyer(r: Random): BuyerPlan {
  const booked = r.chance(0.4)
  return {
    at_ms: r.whole(0, buyersMs),
    pays: r.chance(0.6) ? 'card' : 'cash',
    scarce: r.weighted([
      [5, 1],
      [2, 2],
      [3, 0],
    ]),
    plenty: r.whole(1, 3),
    slot: booked ? r.whole(0, 3) : null,
    code: r.chance(0.5),
    twice: r.chance(0.3),
    again: r.chance(0.2),
    card: r.weighted<BuyerPlan['card']>([
      [13, 'paid'],
      [2, 'declined_then_paid'],
      [1, 'declined'],
      [2, 'abandoned'],
      [2, 'expired'],
    ]),
    think_ms: r.whole(0, 1_500),
    refunds: refundsOf(r),
    marked_paid: r.chance(0.6),
    cancelled: r.chance(0.25),
  }
}

function member(r: Random): MemberPlan {
  return {
    at_ms: r.whole(0, buyersMs),
    price: r.chance(0.8) ? 'monthly' : 'once',
    changes: r.chance(0.3),
    twice: r.chance(0.4),
    code: r.chance(0.5),
    card: r.weighted<MemberPlan['card']>([
      [7, 'paid'],
      [2, 'declined_then_paid'],
      [1, 'abandoned'],
    ]),
    think_ms: r.whole(0, 1_000),
    life: r.pick([
      [],
      ['renew'],
      ['renew', 'renew'],
      ['decline', 'recover'],
      ['decline', 'card', 'recover'],
      ['decline'],
    ]),
    refund: r.chance(0.3),
    removed: r.weighted<MemberPlan['removed']>([
      [2, 'no'],
      [1, 'at the end'],
      [1, 'now'],
    ]),
    merged: r.chance(0.4),
  }
}

const campaignOf = (r: Random): CampaignPlan => ({
  at_ms: r.whole(0, buyersMs >> 1),
  recipients: r.whole(150, 400),
  mailboxes: r.whole(1, 3),
  pauses: Array.from({ length: r.whole(0, 2) }, () => r.whole(200, 1_500)),
  twice: r.chance(0.5),
})

const chatOf = (r: Random): ChatPlan => ({
  at_ms: r.whole(0, buyersMs),
  by: r.chance(0.5) ? 'api' : 'bot',
  messages: r.whole(1, 5),
  at_once: r.chance(0.5),
  twice: r.chance(0.5),
  takeover: r.chance(0.4),
  think_ms: r.whole(0, 800),
})

const talksOf = (r: Random): TalkPlan => ({
  at_ms: r.whole(0, buyersMs >> 1),
  comments: r.whole(10, 150),
  replies: Array.from({ length: r.whole(3, 8) }, () => r.pick(['once', 'once', 'parallel', 'changed'] as const)),
  expires: r.chance(0.6),
})

const postOf = (r: Random, network: number): PostPlan => ({
  at_ms: r.whole(0, buyersMs),
  network,
  in_s: r.whole(0, 6),
  how: r.pick(['once', 'once', 'parallel', 'sooner', 'later', 'cancelled'] as const),
})

/** What every round tries. */
const certain: Partial<MemberPlan> = { price: 'monthly', card: 'paid', removed: 'at the end', merged: true }

const stripePaths = ['/v1/refunds', '/v1/checkout/sessions', '/v1/']

/** What a gateway in front of the provider answers, whether or not the provider received the request. */
const gatewayBodies = [
  '{}',
  '{"message":"Service Unavailable"}',
  '"Service Unavailable"',
  '5',
  'null',
  '[]',
  '<html><h1>502 Bad Gateway</h1></html>',
  '',
  '{"id":"re_1","obj',
]
const gatewayHeaders = [
  {},
  { 'content-type': 'application/json' },
  { 'retry-after': '1' },
  { 'stripe-should-retry': 'true' },
]
function gatewayAnswer(r: Random): Record<string, unknown> {
  const status = r.chance(0.2) ? r.pick([401, 403, 404, 429]) : r.pick([200, 204, 302, 408, 500, 502, 502, 503, 504])
  return {
    fault: 'answer',
    status,
    body: r.pick(gatewayBodies),
    cut: r.chance(0.2),
    slow_ms: r.chance(0.2) ? 500 : 0,
    after_effect: r.chance(0.5),
  }
}

/** An answer of a user's server before or after it processed the request: its status alone decides. */
function receiverAnswer(r: Random): FreeAnswer {
  const status = r.pick([200, 202, 204, 302, 303, 307, 400, 404, 429, 500, 502, 503, 504, 522])
  const headers: Record<string, string> =
    status >= 300 && status < 400
      ? { location: '/elsewhere' }
      : status === 429 || status === 503
        ? { 'retry-after': '1' }
        : {}
  return { status, headers, body: r.pick(gatewayBodies), cut: r.chance(0.3), slow_ms: r.chance(0.2) ? 500 : 0 }
}

/** HTTP/1.1 has no GOAWAY and refuses no streams: a client that meets these has used HTTP/2. */
function frontFault(r: Random): FrontFault {
  const times = r.whole(1, 3)
  return r.pick([
    { do: 'silent', times, method: 'POST' },
    { do: 'goaway', times },
    { do: 'refuse_stream', times },
    { do: 'slow_handshake', times, ms: r.pick([500, 3_000, 7_000]) },
  ])
}

function stripeFault(r: Random): Record<string, unknown> {
  const base = { method: 'POST', path: r.pick(stripePaths), times: r.whole(1, 3) }
  return r.pick([
    { ...base, fault: 'reset_before_read' },
    { ...base, fault: 'reset_after_read', after_effect: r.chance(0.5) },
    { ...base, fault: 'hang', after_effect: r.chance(0.5) },
    { ...base, fault: 'status', status: r.pick([500, 502, 503]), after_effect: r.chance(0.5) },
    { ...base, fault: 'break_body' },
    { ...base, ...gatewayAnswer(r) },
    { ...base, ...gatewayAnswer(r) },
    { ...base, ...gatewayAnswer(r) },
  ])
}

/**
 * Of a call that shows a post, of what is made before it, and of a read that proves it; of a reply, a refresh, or a
 * read of comments.
 */
const socialPlaces = [
  { method: 'POST', path: '/graph.facebook.com/v25.0/*_*' },
  { method: 'POST', path: '/graph.facebook.com/v25.0/*/feed' },
  { method: 'POST', path: '/graph.instagram.com/*/media_publish' },
  { method: 'POST', path: '/graph.instagram.com/*/media' },
  { method: 'POST', path: '/graph.threads.net/*/threads_publish' },
  { method: 'PUT', path: '/www.googleapis.com/youtube/v3/videos' },
  { method: 'PUT', path: '/www.googleapis.com/upload/' },
  { method: 'GET', path: '/api.x.com/2/users/*/tweets' },
  { method: 'POST', path: '/graph.instagram.com/*/replies' },
  { method: 'POST', path: '/api.x.com/2/tweets' },
  { method: 'POST', path: '/api.x.com/2/oauth2/token' },
  { method: 'GET', path: '/graph.instagram.com/*/comments' },
  { method: 'GET', path: '/api.x.com/2/tweets/search/recent' },
]

function socialFault(r: Random): Record<string, unknown> {
  const base = { ...r.pick(socialPlaces), times: r.whole(1, 3) }
  const answer = {
    fault: 'answer',
    status: r.pick([500, 502, 503, 504]),
    body: r.pick(gatewayBodies),
    cut: r.chance(0.2),
  }
  return r.pick([
    { ...base, fault: 'reset_before_read' },
    { ...base, fault: 'reset_after_read', after_effect: r.chance(0.5) },
    { ...base, fault: 'hang', after_effect: r.chance(0.5) },
    { ...base, fault: 'status', status: r.pick([500, 503, 429]), after_effect: false },
    { ...base, fault: 'status', status: r.pick([500, 503]), after_effect: true },
    { ...base, fault: 'break_body' },
    { ...base, ...answer, after_effect: r.chance(0.5) },
  ])
}

/** Short ones more often than long ones: a round is as long as its longest. */
const pauseOf = (r: Random): number => Math.round(5_000 + 25_000 * r.next() ** 3)

/** Faults of a process or a server. */
const heavy: [number, FaultPlan['kind']][] = [
  [4, 'kill'],
  [5, 'failpoint'],
  [3, 'stop'],
  [1, 'restart'],
  [1, 'crash'],
]
/** Faults of a request to the payment provider. */
const door: typeof heavy = [[1, 'front']]
/** Faults of a social network. */
const talked: typeof heavy = [[1, 'social']]
/** Faults of a campaign message. */
const posted: typeof heavy = [[1, 'sink']]
/** Faults of a question to a model, or of a reply by a bot. */
const chatted: typeof heavy = [
  [1, 'models'],
  [1, 'chat_bot'],
]
/** Faults of a request or a connection. */
const light: [number, FaultPlan['kind']][] = [
  [3, 'stripe'],
  [1, 'receiver'],
  [1, 'mail'],
  [4, 'cut'],
]

/** Of the mail server of campaigns: at every place of a session, of one message or of several. */
function sinkFault(r: Random): SinkFault {
  const times = r.whole(1, 4)
  const each = r.pick([1, 1, 5, 20])
  const around = r.pick(['body', 'dot', 'dot', 'dot', 'data', 'rcpt', 'mail', 'connect'] as const)
  const broken = r.pick(['hang', 'reset', 'close'] as const)
  if (around === 'body') return { at: around, action: broken, times, each }
  if (around !== 'dot' && around !== 'rcpt')
    return { at: around, action: r.pick(['hang', 'reset', 'close', 'cut', 'twice'] as const), times, each }
  const code = around === 'dot' ? r.pick([451, 554, 421]) : r.pick([451, 550])
  return r.chance(0.4)
    ? { at: around, action: 'reply', code, times, each }
    : { at: around, action: r.pick(['hang', 'reset', 'close', 'cut', 'twice'] as const), times, each }
}

/** A model's errors are in its own format. */
function modelsFault(r: Random): Record<string, unknown> {
  const base = { method: 'POST', times: r.whole(1, 3) }
  return r.pick([
    { ...base, fault: 'reset_before_read' },
    { ...base, fault: 'reset_after_read', after_effect: r.chance(0.5) },
    { ...base, fault: 'hang', after_effect: r.chance(0.5) },
    { ...base, fault: 'status', status: r.pick([408, 429, 500, 503, 400]), headers: { 'retry-after': '1' } },
    { ...base, fault: 'break_body' },
    { ...base, fault: 'delay', delay_ms: r.whole(300, 3_000) },
  ])
}

function botFault(r: Random): Record<string, unknown> {
  const base = { path: '/bot*/sendMessage', times: r.whole(1, 3) }
  const deferred = { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 1 } }
  return r.pick([
    { ...base, fault: 'reset_after_read', after_effect: r.chance(0.5) },
    { ...base, fault: 'hang', after_effect: r.chance(0.5) },
    { ...base, fault: 'status', status: r.pick([500, 502, 503]), after_effect: r.chance(0.5) },
    { ...base, fault: 'break_body' },
    { ...base, fault: 'answer', status: 429, body: deferred },
    { ...base, fault: 'delay', delay_ms: r.whole(300, 3_000) },
  ])
}

/** Of a simulator, or of the connection to it. */
function chatFault(r: Random, kind: 'models' | 'chat_bot', at_ms: number): FaultPlan {
  if (r.chance(0.7)) return { at_ms, kind, fault: kind === 'models' ? modelsFault(r) : botFault(r) }
  return {
    at_ms,
    kind: 'cut',
    link: kind,
    direction: r.pick(['there', 'back'] as const),
    after_bytes: r.whole(1, 3_000),
    times: r.whole(1, 3),
  }
}

export function fault(r: Random, kind: FaultPlan['kind']): FaultPlan {
  const at_ms = r.whole(500, faultsMs)
  switch (kind) {
    case 'kill':
      return { at_ms, kind, victim: r.pick(processNames), back_ms: r.whole(200, 3_000) }
    case 'failpoint': {
      const action = r.chance(0.75) ? 'kill' : 'stop'
      return {
        at_ms,
        kind,
        step: r.pick(steps),
        table: r.pick(struckTables),
        action,
        ms: action === 'kill' ? r.whole(200, 3_000) : pauseOf(r),
      }
    }
    case 'stop':
      return {
        at_ms,
        kind,
        victim: r.pick([...processNames, 'temporal', 'postgres', 'postmaster'] as const),
        ms: pauseOf(r),
      }
    case 'restart':
      return { at_ms, kind, victim: 'temporal', signal: r.pick(['SIGTERM', 'SIGKILL'] as const) }
    case 'crash':
      return { at_ms, kind, victim: 'postgres', back_ms: r.whole(200, 3_000) }
    case 'stripe':
      return { at_ms, kind, fault: { ...stripeFault(r), headers: r.pick(gatewayHeaders) } }
    case 'front':
      // While most of them buy: later there is less to meet it.
      return { at_ms: at_ms >> 1, kind, fault: frontFault(r) }
    case 'receiver':
      return {
        at_ms,
        kind,
        way: r.pick([
          { do: 'hang' as const },
          { do: 'reset_after_read' as const },
          receiverAnswer(r),
          receiverAnswer(r),
        ]),
        times: r.whole(1, 6),
      }
    case 'mail':
      return {
        at_ms,
        kind,
        fault: r.pick([
          { step: 'connect', action: 'reset' },
          { step: 'data', action: 'reset' },
          { step: 'after_data', action: 'reset' },
          { step: 'after_data', action: 'hang' },
          { step: 'after_data', action: 'reject', code: 451 },
          { step: 'after_data', action: 'reject', code: 554 },
          { step: 'after_data', action: 'cut', code: 250 },
          { step: 'after_data', action: 'cut', code: 451 },
        ] as const),
      }
    case 'social':
      return { at_ms: at_ms >> 1, kind, fault: socialFault(r) }
    case 'sink':
      return r.chance(0.7)
        ? { at_ms, kind, fault: sinkFault(r) }
        : {
            at_ms,
            kind: 'cut',
            link: 'sink',
            direction: r.pick(['there', 'back'] as const),
            after_bytes: r.whole(1, 6_000),
            times: r.whole(1, 3),
          }
    case 'models':
    case 'chat_bot':
      // While most of them write.
      return chatFault(r, kind, at_ms >> 1)
    case 'cut': {
      const link = r.pick(links)
      // Anywhere in a request or an answer: seldom in the first bytes alone.
      const after_bytes = Math.ceil(
        (link === 'postgres' || link === 'temporal' || link === 'stripe' ? 4_000 : 1_500) * r.next() ** 2,
      )
      return { at_ms, kind, link, direction: r.pick(['there', 'back'] as const), after_bytes, times: r.whole(1, 3) }
    }
  }
}

/** Each buyer and each fault has its own random stream: adding one changes no other. */
export function planOf(seed: number, round: number, buyers = 20, members = 5, chats = 6): RoundPlan {
  const of = (name: string) => random(seed, `round ${round}`, name)
  const some = (name: string, most: number, kinds: typeof heavy) =>
    Array.from({ length: of(name).whole(1, most) }, (_, n) =>
      fault(of(`${name} ${n}`), of(`${name} ${n} kind`).weighted(kinds)),
    )
  const faults = [
    ...some('heavy', 4, heavy),
    ...some('light', 3, light),
    ...some('door', 2, door),
    ...some('posted', 3, posted),
    ...some('chatted', 2, chatted),
    ...some('talked', 3, talked),
  ]
  return {
    buyers: Array.from({ length: buyers }, (_, n) => buyer(of(`buyer ${n}`))),
    members: Array.from({ length: members }, (_, n) => ({ ...member(of(`member ${n}`)), ...(n < 2 ? certain : {}) })),
    campaign: campaignOf(of('campaign')),
    // Both ways in every round.
    chats: Array.from({ length: chats }, (_, n) => ({
      ...chatOf(of(`chat ${n}`)),
      ...(n < 2 ? { by: n === 0 ? ('api' as const) : ('bot' as const) } : {}),
    })),
    talks: talksOf(of('talks')),
    // Two on each network.
    posts: Array.from({ length: 10 }, (_, n) => postOf(of(`post ${n}`), n % 5)),
    faults: faults.sort((a, b) => a.at_ms - b.at_ms),
  }
}
