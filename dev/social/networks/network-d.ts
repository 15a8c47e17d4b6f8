// Network d: posts, replies, and the posts of an account.
import { x, xInvalid, xNotFound, xRefusals } from '../errors.ts'
import { files } from '../files.ts'
import { withToken } from '../graph.ts'
import { windowLimit } from '../limits.ts'
import type { Answer, Call, Network, Route } from '../network.ts'
import { asAccount, consent, exchange, isApp, revoking } from '../oauth.ts'
import {
  addComment,
  addPost,
  type Comment,
  commentOf,
  comments,
  commentsOn,
  type Post,
  postOf,
  posts,
  shortCode,
  shown,
  shownComment,
  snowflake,
  visiblePosts,
} from '../posts.ts'
import { settingsOf } from '../settings.ts'
import { accounts, now, type Token } from '../state.ts'
import { linksIn, weightOf } from '../weights.ts'
import { attachable, mediaRoutesOfD } from './media-d.ts'

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const short = (text: string) => `https://t.co/${shortCode(text).replaceAll(/[-_]/g, 'x').slice(0, 10)}`
export const xTime = (seconds: number) => new Date(seconds * 1_000).toISOString()

/** The text as the network tells it: escaped, links shortened, and a link to its media at the end. */
function told(text: string, permalink: string, media_keys: readonly string[]) {
  const links = linksIn(text)
  let out = ''
  let at = 0
  const urls: Record<string, unknown>[] = []
  const add = (url: string, expanded: string, more: object = {}) => {
    const start = [...out].length
    out += url
    urls.push({
      start,
      end: start + url.length,
      url,
      expanded_url: expanded,
      display_url: expanded.replace(/^https?:\/\//, '').slice(0, 27),
      ...more,
    })
  }
  for (const { start, end, url } of links) {
    out += escaped(text.slice(at, start))
    add(short(url), /^https?:/i.test(url) ? url : `http://${url}`)
    at = end
  }
  out += escaped(text.slice(at))
  if (media_keys.length > 0) {
    if (out !== '') out += ' '
    const url = short(permalink)
    const start = [...out].length
    out += url
    for (const media_key of media_keys)
      urls.push({
        start,
        end: start + url.length,
        url,
        expanded_url: `${permalink}/photo/1`,
        display_url: `pic.x.com/${url.slice(-10)}`,
        media_key,
      })
  }
  return { text: out, urls }
}

type Tweet = {
  id: string
  author: string
  text: string
  created_at: number
  media_keys: string[]
  permalink: string
  conversation: string
  replied_to: string | null
  post: Post | null
  comment: Comment | null
}
const tweetOfPost = (post: Post): Tweet => ({
  ...{
    id: post.id,
    author: post.owner,
    text: post.text,
    created_at: post.created_at,
    media_keys: post.media_keys,
    permalink: post.permalink,
  },
  ...{ conversation: post.id, replied_to: null, post, comment: null },
})
const tweetOfComment = (comment: Comment): Tweet => ({
  ...{
    id: comment.id,
    author: comment.author.id,
    text: comment.text,
    created_at: comment.created_at,
    media_keys: [],
    permalink: `https://x.com/i/status/${comment.id}`,
  },
  ...{ conversation: comment.post_id, replied_to: comment.parent_id ?? comment.post_id, post: null, comment },
})
const tweetOf = (id: string): Tweet | undefined => {
  const post = postOf('d', id)
  if (post) return tweetOfPost(post)
  const comment = commentOf('d', id)
  return comment && tweetOfComment(comment)
}

const listIn = (text: string | undefined) => (text ?? '').split(',').filter((name) => name !== '')

const repliesTo = ({ id, conversation }: Tweet) =>
  commentsOn('d', conversation).filter((one) => (one.parent_id ?? one.post_id) === id).length
function shownTweet(tweet: Tweet, wanted: readonly string[]) {
  const { text, urls } = told(tweet.text, tweet.permalink, tweet.media_keys)
  const metrics = tweet.post?.metrics ?? {}
  const all: Record<string, unknown> = {
    author_id: tweet.author,
    created_at: xTime(tweet.created_at),
    conversation_id: tweet.conversation,
    entities: urls.length > 0 ? { urls } : undefined,
    attachments: tweet.media_keys.length > 0 ? { media_keys: tweet.media_keys } : undefined,
    referenced_tweets: tweet.replied_to === null ? undefined : [{ type: 'replied_to', id: tweet.replied_to }],
    in_reply_to_user_id: tweet.replied_to === null ? undefined : tweetOf(tweet.replied_to)?.author,
    public_metrics: {
      ...{
        retweet_count: metrics.retweet_count ?? 0,
        reply_count: repliesTo(tweet),
        like_count: metrics.like_count ?? tweet.comment?.likes ?? 0,
      },
      ...{
        quote_count: metrics.quote_count ?? 0,
        bookmark_count: metrics.bookmark_count ?? 0,
        impression_count: metrics.impression_count ?? 0,
      },
    },
  }
  return {
    id: tweet.id,
    text,
    edit_history_tweet_ids: [tweet.id],
    ...Object.fromEntries(wanted.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]]))),
  }
}
const authorOf = ({ author, comment }: Tweet) => {
  const account = accounts.get(`d ${author}`)
  return account ? { id: account.id, name: account.name, username: account.username } : comment?.author
}
function includesOf(tweets: readonly Tweet[], { fields }: Call) {
  const wanted = listIn(fields.expansions)
  const media = wanted.includes('attachments.media_keys')
    ? tweets.flatMap(({ media_keys, post }) =>
        media_keys.map((media_key, n) => {
          const kind = files.get(post?.files[n] ?? '')?.kind
          return { media_key, type: kind === 'video' ? 'video' : kind === 'gif' ? 'animated_gif' : 'photo' }
        }),
      )
    : []
  const users = wanted.includes('author_id')
    ? [...new Map(tweets.flatMap((tweet) => authorOf(tweet) ?? []).map((one) => [one.id, one])).values()]
    : []
  const includes = { ...(media.length > 0 ? { media } : {}), ...(users.length > 0 ? { users } : {}) }
  return Object.keys(includes).length > 0 ? { includes } : {}
}

const wantedFields = ({ fields }: Call) => listIn(fields['tweet.fields'])

/** Newest first, with the filters and pages that all listings of posts have. */
function page(call: Call, all: readonly Tweet[], least: number, tokenName = 'pagination_token'): Answer {
  const { fields } = call
  const size = Number(fields.max_results ?? 10)
  if (!(size >= least && size <= 100))
    return xInvalid(
      `The \`max_results\` query parameter value [${fields.max_results}] is not between ${least} and 100`,
      {
        max_results: [String(fields.max_results)],
      },
    )
  const bad = (['start_time', 'end_time'] as const).find(
    (name) => fields[name] !== undefined && Number.isNaN(Date.parse(fields[name] as string)),
  )
  if (bad)
    return xInvalid(`The \`${bad}\` query parameter value [${fields[bad]}] is not a valid time`, {
      [bad]: [String(fields[bad])],
    })
  const [from, to] = [
    Date.parse(fields.start_time ?? '1970-01-01') / 1_000,
    fields.end_time ? Date.parse(fields.end_time) / 1_000 : Number.POSITIVE_INFINITY,
  ]
  const sorted = all
    .filter(
      ({ id, created_at }) =>
        created_at >= from && created_at < to && (!fields.since_id || BigInt(id) > BigInt(fields.since_id)),
    )
    .sort((one, other) => (BigInt(other.id) > BigInt(one.id) ? 1 : -1))
  const after = fields[tokenName] ? Buffer.from(fields[tokenName], 'base64url').toString() : null
  const rest = after === null ? sorted : sorted.filter(({ id }) => BigInt(id) < BigInt(after))
  const shownTweets = rest.slice(0, size)
  const more =
    rest.length > size ? { next_token: Buffer.from(String(shownTweets.at(-1)?.id)).toString('base64url') } : {}
  const meta = {
    result_count: shownTweets.length,
    ...(shownTweets[0] ? { newest_id: shownTweets[0].id, oldest_id: shownTweets.at(-1)?.id } : {}),
    ...more,
  }
  return {
    status: 200,
    body: {
      ...(shownTweets.length > 0
        ? { data: shownTweets.map((one) => shownTweet(one, wantedFields(call))), ...includesOf(shownTweets, call) }
        : {}),
      meta,
    },
  }
}

const normal = (text: string) => text.trim().replaceAll(/\s+/g, ' ').toLowerCase()
const hour = 3_600

function create({ json }: Call, token: Token): Answer {
  const text = typeof json.text === 'string' ? json.text : ''
  const media = (json.media ?? {}) as { media_ids?: unknown }
  const ids = Array.isArray(media.media_ids) ? media.media_ids.map(String) : []
  const to = (json.reply as { in_reply_to_tweet_id?: unknown } | undefined)?.in_reply_to_tweet_id
  if (text.trim() === '' && ids.length === 0) return xInvalid('A text or media is required.', { text: [text] })
  if (weightOf(text) > 280) return x(403, 'Forbidden', 'Your Tweet text is too long.')
  const attached = attachable(ids, token)
  if (typeof attached === 'string') return xInvalid(attached, { 'media.media_ids': ids })
  const account = accounts.get(`d ${token.account}`)
  const own = visiblePosts('d', token.account)
  const replies = comments
    .all()
    .filter((one) => one.network === 'd' && one.author.id === token.account && one.deleted_at === null)
  const isSame = (one: { text: string; created_at: number }) =>
    normal(one.text) === normal(text) && now() - one.created_at < 12 * hour
  if (
    settingsOf('d', token.account).refuses_duplicates &&
    ids.length === 0 &&
    (own.some(isSame) || replies.some(isSame))
  )
    return x(403, 'Forbidden', 'You are not allowed to create a Tweet with duplicate content.')
  if (to !== undefined) {
    const target = tweetOf(String(to))
    if (!target)
      return x(400, 'Invalid Request', 'You attempted to reply to a Tweet that is deleted or not visible to you.')
    const { comment } = target
    const made = addComment({
      ...{
        id: snowflake(),
        network: 'd',
        post_id: target.conversation,
        parent_id: comment?.id ?? null,
        root_id: comment ? (comment.root_id ?? comment.id) : null,
      },
      ...{
        author: { id: token.account, name: account?.name ?? '', username: account?.username ?? '' },
        own: postOf('d', target.conversation)?.owner === token.account,
        text,
      },
    })
    return {
      status: 201,
      body: { data: shownTweet(tweetOfComment(made), []) },
      effect: true,
      visible: shownComment(made),
    }
  }
  const id = snowflake()
  const post = addPost({
    ...{
      id,
      network: 'd',
      owner: token.account,
      kind: 'post',
      text,
      permalink: `https://x.com/${account?.username}/status/${id}`,
      visible_at: now(),
    },
    ...{ files: attached.map(({ file }) => file as string), media_keys: attached.map(({ media_key }) => media_key) },
  })
  return { status: 201, body: { data: shownTweet(tweetOfPost(post), []) }, effect: true, visible: shown(post) }
}

function listing(call: Call, token: Token): Answer {
  const { id = '' } = call.params
  const { lag_s } = settingsOf('d', id)
  const excluded = listIn(call.fields.exclude)
  const replies = excluded.includes('replies')
    ? []
    : comments.all().filter((one) => one.network === 'd' && one.author.id === id && one.deleted_at === null)
  const all = [...visiblePosts('d', id).map(tweetOfPost), ...replies.map(tweetOfComment)].filter(
    ({ created_at }) => now() - created_at >= lag_s,
  )
  return token.account === id || accounts.get(`d ${id}`)
    ? page(call, all, 5)
    : { status: 200, body: { errors: [xNotFound(id)] } }
}

/** By `conversation_id:ID`, as replies to a post are found. */
function search(call: Call, token: Token): Answer {
  const conversation = /\bconversation_id:(\d+)/.exec(call.fields.query ?? '')?.[1]
  if (conversation === undefined)
    return xInvalid('The simulator knows queries by conversation_id alone.', { query: [String(call.fields.query)] })
  const { lag_s } = settingsOf('d', token.account)
  const found = commentsOn('d', conversation).filter(({ created_at }) => now() - created_at >= lag_s)
  return page(call, found.map(tweetOfComment), 10, call.fields.next_token ? 'next_token' : 'pagination_token')
}

function some(call: Call): Answer {
  const ids = listIn(call.params.id ?? call.fields.ids)
  const found = ids.flatMap((id) => tweetOf(id) ?? [])
  const missing = ids.filter((id) => !found.some((one) => one.id === id))
  const data = found.map((one) => shownTweet(one, wantedFields(call)))
  const one = call.params.id === undefined ? data : data[0]
  return {
    status: 200,
    body: {
      ...(found.length > 0 ? { data: one, ...includesOf(found, call) } : {}),
      ...(missing.length > 0
        ? { errors: missing.map((id) => xNotFound(id, call.params.id === undefined ? 'ids' : 'id')) }
        : {}),
    },
  }
}

function remove({ params }: Call, token: Token): Answer {
  const tweet = tweetOf(params.id ?? '')
  if (tweet && tweet.author !== token.account) return x(403, 'Forbidden', 'You are not permitted to delete this Tweet.')
  if (tweet?.post) posts.save({ ...tweet.post, deleted_at: now() })
  if (tweet?.comment) comments.save({ ...tweet.comment, deleted_at: now() })
  return { status: 200, body: { data: { deleted: tweet !== undefined } }, effect: tweet !== undefined }
}

const routes: Route[] = [
  ['GET', 'x.com/i/oauth2/authorize', consent],
  ['POST', 'api.x.com/2/oauth2/token', exchange],
  ['GET', 'api.x.com/2/users/me', asAccount(({ id, name, username }) => ({ data: { id, name, username } }))],
  [
    'POST',
    'api.x.com/2/oauth2/revoke',
    revoking({ revoked: true }, (call) => (isApp(call) ? undefined : xRefusals.grant('invalid_client'))),
  ],
  ...mediaRoutesOfD,
  ['POST', 'api.x.com/2/tweets', withToken(create)],
  ['GET', 'api.x.com/2/tweets', withToken(some)],
  ['GET', 'api.x.com/2/tweets/search/recent', withToken(search)],
  ['GET', 'api.x.com/2/tweets/:id', withToken(some)],
  ['DELETE', 'api.x.com/2/tweets/:id', withToken(remove)],
  ['GET', 'api.x.com/2/users/:id/tweets', withToken(listing)],
]

export const networkD: Network = {
  letter: 'd',
  hosts: ['x.com', 'api.x.com'],
  routes,
  consent: { pkce: true, basic: true, expires_in: 7_200, refresh: 'rotated' },
  refusals: xRefusals,
  newId: snowflake,
  limit: windowLimit,
}
