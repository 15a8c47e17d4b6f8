// What the product has to know of a social network, as one value: each file `network-*.ts` of this folder has one.
// Backwards: a network's value says how comments are read and replies are sent.
import type { Account, CommentAuthor, Listing } from '../../engagement/comment.ts'
import type { ReplyIssue, ReplyTarget } from '../../engagement/reply.ts'
// Backwards: a network's value says how publications are sent.
import type { Finding, SocialContent } from '../../publications/content.ts'
import type { Fields } from '../answers.ts'
import type { Capability, MetricName, MetricValues, Placement } from './capability.ts'
import type { Publisher, RevealAgain } from './publisher.ts'
import type { Access, At, SocialRequest } from './request.ts'

/**
 * Trades an access token for one that lasts longer, by a GET. `token`: the name of the parameter that has the old one.
 */
type Trade = At & { grant_type: string; token: string }

/**
 * How accounts consent, and how tokens are got, renewed and revoked (RFC 6749, and the login documentation of the
 * network).
 */
export type OAuth = {
  /** The consent page; `more`: parameters besides those of RFC 6749. */
  authorize: At & { more?: Record<string, string> }
  /** Where a code is exchanged for tokens. */
  exchange: At
  scopes: readonly string[]
  /** Between scopes in the address of the consent page. */
  separator: ',' | ' '
  /** RFC 7636. */
  pkce: boolean
  /** The client authenticates by HTTP Basic instead of by fields of the body. */
  basic?: true
  /** After the exchange: the token of an hour for one of 60 days. */
  extend?: Trade
  /**
   * `token`: the refresh token is sent to the place of the exchange. A trade: the access token for a new one. Absent:
   * access tokens do not expire.
   */
  refresh?: 'token' | Trade
  /** Seconds before the end of an access token in which it is renewed. */
  ahead_s: number
  /** Where a token is revoked. Absent: users remove an app in the settings of their account. */
  revoke?: At & { method: 'POST' | 'DELETE' }
  /** A revocation ends every token of the app for this account, also those of other connections. */
  revokes_all?: true
  /** Seconds after which the account's owner has to consent again. */
  consent_s?: number
  /** The refusal of a refresh that ends the grant, besides `invalid_grant` (RFC 6749, 5.2) and Graph's 190. */
  ends_grant?: { status: number; code: string }
}

/** An account as an answer names it: values of any type, which the caller checks. */
export type AccountFields = { id: unknown; name: unknown; username: unknown; access_token?: unknown }
type Read = At & { query: Record<string, string> }
/** The accounts that a token is for. */
export type Accounts = {
  read: Read
  accountsIn(body: Fields): AccountFields[]
  /** Each account has an access token of its own; one without is left out. */
  own_tokens?: true
  /**
   * The cursor of the next page, for the parameter `after`: a text; anything else on the last page. Absent: there is
   * one page.
   */
  nextPage?(body: Fields): unknown
  /** Reads the user who consented, where that is none of the accounts: `id` of the answer. */
  grantor?: Read
}

/**
 * What the network refuses in a content besides the limits of its capability. The findings are errors, but for the
 * warning.
 */
export type ContentRules = {
  /** A fault of a caption or a title. `pointer`: that of the text. */
  textIssue?(pointer: string, text: string): Finding | null
  /** A fault of the link. */
  linkIssue?(content: SocialContent): Finding | null
  /** What is accepted and may surprise. */
  warning?(content: SocialContent): Finding | null
}

export type NetworkAnswer = { status: number; body: unknown }

/** What an answer means that is no success. A body that could not be read is undefined. */
export type Refusals = {
  /** The text and the code of an error, as they are; undefined where the body has none. */
  says(body: unknown): { message: string | undefined; provider_code: string | undefined }
  /** Whether the access token is refused. */
  refusesToken(answer: NetworkAnswer): boolean
  /** Whether a 4xx besides 429 refuses because of a limit: the same request may be made later. */
  isLimit(body: unknown): boolean
  /** When the limit that such a body names ends, in Unix seconds; null: it does not say. */
  limitEnd?(body: unknown, now: number): number | null
  /** Each kind of call has a limit of its own: while reads are refused, publications continue. */
  limits_by_kind?: true
  /** Whether the call that makes a part may be repeated after a 4xx besides 408, 425, 429 and a refused token. */
  mayRepeat(body: unknown): boolean
  /**
   * What a refused reveal means, where its status proves a refusal or is 409, and the token is not refused. `pending`:
   * reads decide. `final`: nothing was shown, and nothing will be.
   */
  refusedReveal(answer: NetworkAnswer): Exclude<RevealAgain, 'token_refused'> | 'pending' | 'final'
  /**
   * Present if the network refuses a text that the account has shown before: whether an answer may be such a refusal. A
   * post or a reply of this network has no identity but its text: where a call was put off, the refusal of the next one
   * may mean that the first had an effect.
   */
  mayBeDuplicate?(answer: NetworkAnswer): boolean
  /** Whether the answer to a read says that the object does not exist. 404 says so at every network. */
  isGone(answer: NetworkAnswer): boolean
  /** Whether the refusal of a read says that comments are switched off. */
  isCommentsDisabled?(body: unknown): boolean
}

/**
 * A comment of an answer; without an id or a time it is left out. `parent`, `at`: as in ProviderComment, `at` in Unix
 * seconds.
 */
export type CommentFields = {
  id: string | null
  parent: string | null
  author: CommentAuthor | null
  /** Null for a comment without a text (a picture). */
  text: string | null
  at: number | null
  like_count: number | null
  reply_count: number | null
  own: boolean
}
/** `size`: of the page, within the limits of the network. `cursor`: of the page; null for the first one. */
export type PageOf = Access & { size: string; cursor: string | null }

/** Listings of the comments of a post, newest first, and of the replies below a comment. */
export type Comments = {
  /** The fewest and most comments that the network returns in one page. */
  page: { min: number; max: number }
  /** The network lists the comments of the last so many seconds alone. Absent: all. */
  listed_s?: number
  /** The order of the replies below a comment. */
  thread_newest_first: boolean
  /** Deleting a comment deletes the replies below it. */
  replies_go_with_root: boolean
  request(listing: Listing, page: PageOf): SocialRequest
  /** Null for an answer that is no listing. `cursor`: of the next page; null on the last one. */
  read(body: Fields, listing: Listing, account: Account): { comments: CommentFields[]; cursor: string | null } | null
}

/** `finished`: it can be published. `expired`: it was not published in its time. */
export type ContainerState = 'finished' | 'published' | 'refused' | 'expired'

/** Replies to comments. Requests are completed with the token. */
export type Replies = {
  /** What the network refuses in a text besides its length. */
  issue?(text: string): ReplyIssue | null
  /** The listing of a thread has other threads, too, and names of each comment the one that it answers. */
  names_answered: boolean
  /** Creates what `request` makes visible, and reads whether that was done. Absent: there is no such step. */
  container?: {
    make(target: ReplyTarget, text: string): SocialRequest
    read(id: string): SocialRequest
    /** Null while it is processed, and for an answer that cannot be read. */
    stateIn(body: Fields): ContainerState | null
  }
  /** Makes the reply visible. `version`: of Graph. */
  request(target: ReplyTarget, text: string, version: string): SocialRequest
  /** The network's id of the reply in the answer; null if there is none. */
  idIn(body: Fields): string | null
}

/** Figures of a post. A figure that the network does not report is null, never 0. */
export type Metrics = {
  /** The figures that the network reports of a story. It reports no others. */
  of_story?: readonly MetricName[]
  /** The reads that together have the figures. `post`: the network's id. */
  requests(of: { post: string; placement: Placement | null }, access: Access): SocialRequest[]
  /** The figures of one of the answers; null if it holds none. */
  values(body: Fields): Partial<MetricValues> | null
}

/**
 * What calls cost of the units that the network gives to the app of the installation each day. All stores share them.
 */
export type Quota = {
  costs: { read: number; reply: number }
  /** Units of a day, so that reads leave those of publications alone. */
  limits: { reads: number; reads_of_store: number; writes: number }
  /** The day of a time in Unix seconds: its date as YYYY-MM-DD. */
  day(now: number): { date: string }
}

export type Network = {
  /** What the owners of accounts call the network. */
  name: string
  oauth: OAuth
  accounts: Accounts
  /** What content and replies may be, as the API lists it. */
  capability: Capability
  content: ContentRules
  /** How a publication is made and shown (publisher.ts). */
  publisher: Publisher
  refusals: Refusals
  comments: Comments
  replies: Replies
  metrics: Metrics
  /** Absent: the network does not count the calls of an app. */
  quota?: Quota
  /** The network bills reads: a sync reads the publications alone that its request names. */
  bills_reads?: true
}
