// Comments at the five networks: the read of one page of a listing, and what its answer holds.
import { type SocialRequest, versioned } from '../connections/requests.ts'
import { countIn, type Fields, idIn, listIn, objectIn, secondsIn, textIn, unescaped } from '../social/answers.ts'
import type { NetworkType } from '../social/networks.ts'

export type CommentAuthor = { provider_id: string | null; name: string | null; username: string | null }

/** `parent`: the network's id of the comment that it answers; null if it answers the post. `created_at` in Unix seconds. */
export type ProviderComment = {
  provider_comment_id: string
  parent: string | null
  author: CommentAuthor | null
  text: string
  like_count: number | null
  reply_count: number | null
  /** By the account of the connection. */
  own: boolean
  created_at: number
}

/** `cursor`: of the next page; null on the last one. The address of the next page that some networks return is not followed: it holds the token. */
export type CommentPage = { comments: ProviderComment[]; cursor: string | null }

/** The listing of a post's top-level comments, newest first, or of the replies below `root`. Ids are those of the network. */
export type Listing = { type: NetworkType; post: string; root: string | null }
export type Account = { provider_account_id: string; username: string | null }

const textMax = 10_000
/** As it is stored. */
const intIn = (value: unknown): number | null => {
  const count = countIn(value)
  return count !== null && count < 2 ** 31 ? count : null
}
const cursorMax = 2_048

/** The most and fewest comments that a network returns in one page. */
const pageLimits: Readonly<Record<NetworkType, readonly [min: number, max: number]>> = {
  network_a_page: [1, 100],
  network_b_business: [1, 50],
  network_c_channel: [1, 100],
  network_d_account: [10, 100],
  network_e_account: [1, 100],
}

/** A listing that ends holds every comment made since then, in Unix seconds: network d searches the last seven days. */
export const completeSince = (type: NetworkType, now: number): number =>
  type === 'network_d_account' ? now - 7 * 86_400 + 3_600 : 0

/** The order of a listing. */
export const isNewestFirst = (type: NetworkType, isThread: boolean): boolean =>
  !isThread || type === 'network_c_channel' || type === 'network_d_account'

/** Deleting a comment deletes the replies below it. */
export const repliesGoWithRoot: Readonly<Record<NetworkType, boolean>> = {
  network_a_page: true,
  network_b_business: true,
  network_c_channel: true,
  network_d_account: false,
  network_e_account: false,
}

/** `wanted`: how many comments are of use; a page may have more. */
export function commentsRequest(
  { type, post, root }: Listing,
  { wanted, cursor, token, version }: { wanted: number; cursor: string | null; token: string; version: string },
): SocialRequest {
  const [min, max] = pageLimits[type]
  const size = String(Math.min(max, Math.max(min, wanted)))
  const get = (host: string, path: string, query: Record<string, string>, at: string): SocialRequest => ({
    ...{ method: 'GET', host, path: versioned(path, version), token },
    query: { ...query, ...(cursor === null ? {} : { [at]: cursor }) },
  })
  const post_id = encodeURIComponent(post)
  const of = encodeURIComponent(root ?? post)
  switch (type) {
    case 'network_a_page': {
      const order =
        root === null
          ? { filter: 'toplevel', order: 'reverse_chronological' }
          : { filter: 'stream', order: 'chronological' }
      const fields = 'id,message,created_time,from{id,name},like_count,comment_count,parent{id}'
      return get('graph.facebook.com', `/{v}/${of}/comments`, { ...order, fields, limit: size }, 'after')
    }
    case 'network_b_business': {
      const fields = 'id,text,timestamp,username,from,like_count,parent_id'
      return get(
        'graph.instagram.com',
        `/{v}/${of}/${root === null ? 'comments' : 'replies'}`,
        { fields, limit: size },
        'after',
      )
    }
    case 'network_c_channel': {
      const common = { part: 'snippet', textFormat: 'plainText', maxResults: size }
      if (root !== null)
        return get('www.googleapis.com', '/youtube/v3/comments', { ...common, parentId: root }, 'pageToken')
      return get(
        'www.googleapis.com',
        '/youtube/v3/commentThreads',
        { ...common, videoId: post, order: 'time' },
        'pageToken',
      )
    }
    case 'network_d_account':
      return get(
        'api.x.com',
        '/2/tweets/search/recent',
        {
          query: `conversation_id:${post}`,
          // Identifiers of posts grow with time: what answers a comment is newer than the comment.
          ...(root === null ? {} : { since_id: root }),
          'tweet.fields': 'created_at,author_id,referenced_tweets,public_metrics,conversation_id',
          ...{ expansions: 'author_id', 'user.fields': 'name,username', max_results: size },
        },
        'next_token',
      )
    case 'network_e_account': {
      const fields = 'id,text,timestamp,username,replied_to,root_post,has_replies,is_reply_owned_by_me'
      // `conversation` lists the replies of all levels.
      const [path, reverse] =
        root === null ? [`/v1.0/${post_id}/replies`, 'true'] : [`/v1.0/${post_id}/conversation`, 'false']
      return get('graph.threads.net', path, { fields, reverse, limit: size }, 'after')
    }
  }
}

const graphCursor = (body: Fields): string | null => {
  const paging = objectIn(body.paging)
  return typeof paging.next === 'string' ? textIn(objectIn(paging.cursors).after, cursorMax) : null
}
const idOf = (value: unknown): string | null => idIn(objectIn(value).id)

type Read = Omit<ProviderComment, 'provider_comment_id' | 'created_at' | 'text'> & {
  id: string | null
  text: string | null
  at: number | null
}

const person = (provider_id: unknown, name: unknown, username: unknown): CommentAuthor | null => {
  const author = { provider_id: idIn(provider_id), name: textIn(name, 255), username: textIn(username, 255) }
  return Object.values(author).some((value) => value !== null) ? author : null
}

function ofPage(one: Fields, { root }: Listing, account: Account): Read {
  const from = objectIn(one.from)
  return {
    ...{
      id: idIn(one.id),
      parent: idOf(one.parent) ?? root,
      text: textIn(one.message, textMax),
      at: secondsIn(one.created_time),
    },
    ...{
      author: person(from.id, from.name, null),
      like_count: intIn(one.like_count),
      reply_count: intIn(one.comment_count),
    },
    own: from.id === account.provider_account_id,
  }
}

function ofMedia(one: Fields, { root }: Listing, account: Account): Read {
  const from = objectIn(one.from)
  const username = one.username ?? from.username
  return {
    ...{
      id: idIn(one.id),
      parent: idIn(one.parent_id) ?? root,
      text: textIn(one.text, textMax),
      at: secondsIn(one.timestamp),
    },
    ...{ author: person(from.id, null, username), like_count: intIn(one.like_count), reply_count: null },
    own: from.id === account.provider_account_id || (account.username !== null && username === account.username),
  }
}

/** Of a list of threads, the comment that a thread begins with. */
function ofVideo(one: Fields, { root }: Listing, account: Account): Read {
  const thread = objectIn(one.snippet)
  const comment = root === null ? objectIn(thread.topLevelComment) : one
  const snippet = objectIn(comment.snippet)
  const channel = objectIn(snippet.authorChannelId).value
  return {
    ...{
      id: idIn(comment.id),
      parent: root === null ? null : (idIn(snippet.parentId) ?? root),
      at: secondsIn(snippet.publishedAt),
    },
    text: textIn(snippet.textOriginal ?? snippet.textDisplay, textMax),
    ...{ author: person(channel, snippet.authorDisplayName, null), like_count: intIn(snippet.likeCount) },
    ...{
      reply_count: root === null ? intIn(thread.totalReplyCount) : null,
      own: channel === account.provider_account_id,
    },
  }
}

function ofTweet(one: Fields, { post }: Listing, account: Account, authors: ReadonlyMap<unknown, Fields>): Read {
  const parent = listIn(one.referenced_tweets).find(({ type }) => type === 'replied_to')?.id
  const author = authors.get(one.author_id)
  const metrics = objectIn(one.public_metrics)
  const text = textIn(one.text, textMax)
  return {
    // A post of the conversation that answers none of it is the post itself.
    ...{
      id: parent === undefined ? null : idIn(one.id),
      parent: parent === post ? null : idIn(parent),
      at: secondsIn(one.created_at),
    },
    text: text === null ? null : unescaped(text),
    ...{
      author: person(one.author_id, author?.name, author?.username),
      like_count: intIn(metrics.like_count),
      reply_count: intIn(metrics.reply_count),
    },
    own: one.author_id === account.provider_account_id,
  }
}

function ofReply(one: Fields, { post }: Listing, account: Account): Read {
  const parent = idOf(one.replied_to)
  return {
    ...{
      id: idIn(one.id),
      parent: parent === post ? null : parent,
      text: textIn(one.text, textMax),
      at: secondsIn(one.timestamp),
    },
    ...{ author: person(null, null, one.username), like_count: null, reply_count: null },
    own: one.is_reply_owned_by_me === true || (account.username !== null && one.username === account.username),
  }
}

/**
 * The comments of an answer, and where the next page begins. Null for an answer that is no listing: it says nothing of what is there. A comment without an id or a
 * time is left out, one without a text (a picture) has an empty one.
 */
export function commentPage(listing: Listing, account: Account, body: unknown): CommentPage | null {
  const whole = objectIn(body)
  const { type, root } = listing
  let read: Read[]
  let cursor: string | null
  if (type === 'network_c_channel') {
    if (!Array.isArray(whole.items)) return null
    read = listIn(whole.items).map((one) => ofVideo(one, listing, account))
    cursor = textIn(whole.nextPageToken, cursorMax)
  } else if (type === 'network_d_account') {
    const meta = objectIn(whole.meta)
    // Without a result there is no `data`.
    if (!Array.isArray(whole.data) && countIn(meta.result_count) !== 0) return null
    const authors = new Map(listIn(objectIn(whole.includes).users).map((user) => [user.id, user]))
    read = listIn(whole.data).map((one) => ofTweet(one, listing, account, authors))
    cursor = textIn(meta.next_token, cursorMax)
  } else {
    if (!Array.isArray(whole.data)) return null
    const of = type === 'network_a_page' ? ofPage : type === 'network_b_business' ? ofMedia : ofReply
    read = listIn(whole.data).map((one) => of(one, listing, account))
    cursor = graphCursor(whole)
  }
  const comments = read.flatMap(({ id, text, at, ...rest }): ProviderComment[] => {
    // The listing of a conversation also has the other comments of the post.
    const wanted = root === null ? rest.parent === null : rest.parent !== null
    return id === null || at === null || !wanted
      ? []
      : [{ ...rest, provider_comment_id: id, text: text ?? '', created_at: at }]
  })
  return { comments: [...new Map(comments.map((one) => [one.provider_comment_id, one])).values()], cursor }
}
