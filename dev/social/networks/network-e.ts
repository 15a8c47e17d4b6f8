// Network e: containers of texts, files and replies, their publication, and what an account shows.
import {
  addContainer,
  type Container,
  childrenIn,
  containerOf,
  containers,
  filesOf,
  statusOf,
  usedQuota,
} from '../containers.ts'
import { graph, graphMissing, graphParameter, graphRefusals } from '../errors.ts'
import { type File, fetchFile, files } from '../files.ts'
import { edge, fieldsIn, graphTime, pick, withToken } from '../graph.ts'
import { graphComments, newest, shortTextRefusal } from '../graph-comments.ts'
import { graphInsights } from '../graph-insights.ts'
import { usageLimit } from '../limits.ts'
import type { Answer, Call, Network, Route } from '../network.ts'
import { asAccount, consent, exchange, extend, renew } from '../oauth.ts'
import {
  addComment,
  addPost,
  commentOf,
  numberedId,
  type Post,
  postOf,
  posts,
  shortCode,
  shown,
  shownComment,
  visiblePosts,
} from '../posts.ts'
import { settingsOf } from '../settings.ts'
import { accounts, now, type Token } from '../state.ts'

const MiB = 1024 * 1024
const day = 86_400

const user = (code: number, subcode: number, message: string, detail: string): Answer =>
  graph(400, code, message, { subcode, user: detail })

/** An emoji counts the bytes of its UTF-8, any other character 1. */
function textLength(text: string): number {
  let length = 0
  for (const char of text)
    length += /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|[\u200D\uFE0F]/u.test(char)
      ? Buffer.byteLength(char)
      : 1
  return length
}

function textRefusal(text: string): Answer | undefined {
  if (textLength(text) > 500) return graphParameter('Param text must be at most 500 characters long.')
  const links = new Set(text.match(/https?:\/\/[^\s]+/g) ?? [])
  return links.size > 5
    ? user(100, 4_279_049, 'Invalid parameter', 'The number of unique links has to be 5 or less.')
    : undefined
}

const unreachable = () =>
  user(
    9_004,
    2_207_052,
    'Only photo or video can be accepted as media type.',
    'The media could not be fetched from this URI.',
  )

/** Files are judged while they are processed: their container ends with an error. */
function errorOf({ kind, mime_type, bytes, width, height, duration_s }: File, type: 'IMAGE' | 'VIDEO'): string | null {
  const ratio = Number(width) / Number(height)
  if (type === 'IMAGE') {
    if (kind !== 'image' || !['image/jpeg', 'image/png'].includes(mime_type) || bytes > 8 * MiB)
      return 'INVALID_IMAGE_FORMAT'
    return ratio > 10 || ratio < 0.1 ? 'INVALID_ASPEC_RATIO' : null
  }
  if (
    kind !== 'video' ||
    !['video/mp4', 'video/quicktime'].includes(mime_type) ||
    width === null ||
    height === null ||
    duration_s === null
  )
    return 'FAILED_PROCESSING_VIDEO'
  if (bytes > 1_024 * MiB) return 'FAILED_DOWNLOADING_VIDEO'
  if (duration_s > 300) return 'INVALID_DURATION'
  if (width > 1_920) return 'FAILED_PROCESSING_VIDEO'
  return ratio > 10 || ratio < 0.01 ? 'INVALID_ASPEC_RATIO' : null
}

function newContainer(call: Call, token: Token): Answer | Promise<() => Answer> {
  const { media_type = '', text = '', image_url, video_url, reply_to_id = null, link_attachment = null } = call.fields
  const isItem = call.fields.is_carousel_item === 'true' || call.fields.is_carousel_item === '1'
  const made = (file: File | null, error: string | null = null, children: string[] = []): Answer => {
    const type = media_type as Container['media_type']
    const given = {
      owner: token.account,
      media_type: type,
      item: isItem,
      text,
      file,
      children,
      reply_to: reply_to_id,
      link: link_attachment,
      error,
    }
    return { status: 200, body: { id: addContainer('e', given).id }, effect: true }
  }
  const refused = textRefusal(text)
  if (refused) return refused
  if (reply_to_id !== null && !postOf('e', reply_to_id) && !commentOf('e', reply_to_id))
    return graphMissing(reply_to_id, 'post')
  switch (media_type) {
    case 'TEXT':
      if (text.trim() === '' || isItem) return graphParameter('The parameter text is required.')
      return made(null)
    case 'CAROUSEL': {
      const children = childrenIn(call.fields.children)
      if (children.length < 2 || children.length > 20)
        return graphParameter('The parameter children must have between 2 and 20 items.')
      const unknown = children.find(
        (id) => !containerOf('e', id)?.item || containerOf('e', id)?.owner !== token.account,
      )
      return unknown === undefined
        ? made(null, null, children)
        : graphParameter(`The child ${unknown} is no container of an item of a carousel.`)
    }
    case 'IMAGE':
    case 'VIDEO': {
      const url = media_type === 'IMAGE' ? image_url : video_url
      if (url === undefined)
        return graphParameter(`The parameter ${media_type === 'IMAGE' ? 'image_url' : 'video_url'} is required.`)
      return fetchFile(url).then((file) => () => (file ? made(file, errorOf(file, media_type)) : unreachable()))
    }
    default:
      return graphParameter('Param media_type must be one of {TEXT, IMAGE, VIDEO, CAROUSEL}')
  }
}

const newId = () => numberedId('180')
const quotaOf = (owner: string) => Math.min(250, settingsOf('e', owner).quota)

function publish({ fields }: Call, token: Token): Answer {
  const container = containerOf('e', fields.creation_id ?? '')
  if (!container || container.item || container.owner !== token.account || container.published !== null)
    return user(
      24,
      4_279_009,
      'The requested resource does not exist',
      `The media with id ${fields.creation_id} cannot be found.`,
    )
  const status = statusOf(container)
  if (status === 'IN_PROGRESS')
    return user(
      24,
      4_279_009,
      'The requested resource does not exist',
      'The media is not ready to be published, please wait for a moment.',
    )
  if (status === 'EXPIRED')
    return user(
      -2,
      2_207_020,
      'Media expired',
      'The media you are trying to access has expired. Please try to upload again.',
    )
  if (status === 'ERROR')
    return user(-1, 2_207_032, 'Create media fail', 'Create media fail, please try to re-create media.')
  if (container.reply_to === null && usedQuota('e', token.account) >= quotaOf(token.account))
    return user(
      9,
      2_207_042,
      'Application request limit reached',
      'You reached the maximum number of posts that is allowed to be published by the API.',
    )
  const account = accounts.get(`e ${token.account}`)
  if (container.reply_to !== null)
    return answer(container, { id: token.account, name: account?.name ?? '', username: account?.username ?? '' })
  const post = addPost({
    id: newId(),
    network: 'e',
    owner: token.account,
    kind: 'post',
    text: container.text,
    files: filesOf(container),
    link: container.link,
    visible_at: now(),
  })
  posts.save({ ...post, permalink: `https://www.threads.net/@${account?.username}/post/${shortCode(post.id)}` })
  containers.save({ ...container, published: post.id })
  return { status: 200, body: { id: post.id }, effect: true, visible: shown(post) }
}

function answer(container: Container, author: { id: string; name: string; username: string }): Answer {
  const to = commentOf('e', container.reply_to as string)
  const post = postOf('e', to?.post_id ?? (container.reply_to as string))
  if (!post) return graphMissing(container.reply_to as string, 'post')
  const thread = { post_id: post.id, parent_id: to?.id ?? null, root_id: to ? (to.root_id ?? to.id) : null }
  const made = addComment({
    id: newId(),
    network: 'e',
    ...thread,
    author,
    own: post.owner === author.id,
    text: container.text,
  })
  containers.save({ ...container, published: made.id })
  return { status: 200, body: { id: made.id }, effect: true, visible: shownComment(made) }
}

const mediaType = ({ files: all }: Post) =>
  all.length === 0
    ? 'TEXT_POST'
    : all.length > 1
      ? 'CAROUSEL_ALBUM'
      : files.get(all[0] as string)?.kind === 'video'
        ? 'VIDEO'
        : 'IMAGE'
const mediaOf = (post: Post) => ({
  ...{
    id: post.id,
    media_product_type: 'THREADS',
    media_type: mediaType(post),
    text: post.text === '' ? undefined : post.text,
    permalink: post.permalink,
  },
  ...{
    shortcode: shortCode(post.id),
    timestamp: graphTime(post.created_at),
    owner: { id: post.owner },
    username: accounts.get(`e ${post.owner}`)?.username,
  },
  ...{ is_quote_post: false, has_replies: false, is_reply: false },
})

function node(call: Call, token: Token): Answer {
  const { id = '' } = call.params
  const container = containerOf('e', id)
  if (container?.owner === token.account) {
    const status = statusOf(container)
    const error_message = status === 'ERROR' ? (container.error ?? 'UNKNOWN') : undefined
    return { status: 200, body: pick({ id, status, error_message }, fieldsIn(call, ['id'])) }
  }
  const post = postOf('e', id)
  if (post) return { status: 200, body: pick(mediaOf(post), fieldsIn(call, ['id'])) }
  return comments.node(call, token) ?? graphMissing(id)
}

function listing(call: Call, token: Token): Answer {
  const { lag_s } = settingsOf('e', token.account)
  const listed = visiblePosts('e', token.account).filter(({ created_at }) => now() - created_at >= lag_s)
  return edge(
    call,
    token,
    listed,
    ({ id }) => id,
    (post) => pick(mediaOf(post), fieldsIn(call, ['id'])),
  )
}

const limit = (_: Call, { account }: Token): Answer => ({
  status: 200,
  body: {
    data: [
      {
        ...{ quota_usage: usedQuota('e', account), config: { quota_total: quotaOf(account), quota_duration: day } },
        ...{ reply_quota_usage: 0, reply_config: { quota_total: 1_000, quota_duration: day } },
      },
    ],
  },
})

const comments = graphComments({
  shape: (one, below) => ({
    id: one.id,
    text: one.text,
    timestamp: graphTime(one.created_at),
    username: one.author.username,
    media_product_type: 'THREADS',
    media_type: 'TEXT_POST',
    permalink: `https://www.threads.net/@${one.author.username}/post/${shortCode(one.id)}`,
    shortcode: shortCode(one.id),
    is_reply: true,
    has_replies: below(one).length > 0,
    root_post: { id: one.post_id },
    replied_to: { id: one.parent_id ?? one.post_id },
    hide_status: one.hidden ? 'HIDDEN' : 'NOT_HUSHED',
    is_reply_owned_by_me: one.own,
  }),
  defaults: ['id'],
  refusal: shortTextRefusal,
})

function remove(call: Call, token: Token): Answer {
  const { params } = call
  const post = postOf('e', params.id ?? '')
  const own = commentOf('e', params.id ?? '')?.author.id === token.account ? comments.node(call, token) : undefined
  if (own) return own
  if (post?.owner !== token.account) return graphMissing(params.id ?? '', 'delete')
  posts.save({ ...post, deleted_at: now() })
  return { status: 200, body: { success: true, deleted_id: post.id }, effect: true }
}

const routes: Route[] = [
  ['GET', 'threads.net/oauth/authorize', consent],
  ['POST', 'graph.threads.net/oauth/access_token', exchange],
  ['GET', 'graph.threads.net/access_token', extend],
  ['GET', 'graph.threads.net/refresh_access_token', renew],
  ['GET', 'graph.threads.net/:v/me', asAccount(({ id, name, username }) => ({ id, name, username }))],
  ['POST', 'graph.threads.net/:v/:user/threads', withToken(newContainer)],
  ['POST', 'graph.threads.net/:v/:user/threads_publish', withToken(publish)],
  ['GET', 'graph.threads.net/:v/:user/threads', withToken(listing)],
  ['GET', 'graph.threads.net/:v/:user/threads_publishing_limit', withToken(limit)],
  ['GET', 'graph.threads.net/:v/:id', withToken(node)],
  ['DELETE', 'graph.threads.net/:v/:id', withToken(remove)],
  ['GET', 'graph.threads.net/:v/:id/replies', withToken(comments.list(newest))],
  ['GET', 'graph.threads.net/:v/:id/conversation', withToken(comments.list(newest, { whole: true }))],
  [
    'GET',
    'graph.threads.net/:v/:id/insights',
    graphInsights({ names: ['views', 'likes', 'replies', 'reposts', 'quotes', 'shares'], comments: 'replies' }),
  ],
]

export const networkE: Network = {
  letter: 'e',
  hosts: ['threads.net', 'graph.threads.net'],
  routes,
  consent: {
    expires_in: 3_600,
    short: true,
    granted: (access_token, user_id) => ({ access_token, user_id }),
  },
  refusals: graphRefusals,
  newId,
  limit: usageLimit('threads', 4),
}
