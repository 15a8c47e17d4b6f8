// Network b: containers, their status, publication, and what a professional account shows.
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
import { type File, fetchFile } from '../files.ts'
import { edge, fieldsIn, graphTime, pick, withToken } from '../graph.ts'
import { graphComments, newest, oldest, shortTextRefusal } from '../graph-comments.ts'
import { graphInsights } from '../graph-insights.ts'
import { usageLimit } from '../limits.ts'
import type { Answer, Call, Network, Route } from '../network.ts'
import { asAccount, consent, exchange, extend, renew } from '../oauth.ts'
import { addPost, numberedId, type Post, postOf, shortCode, shown, visiblePosts } from '../posts.ts'
import { settingsOf } from '../settings.ts'
import { now, type Token } from '../state.ts'

const MiB = 1024 * 1024
const day = 86_400
const video = { max: 300 * MiB, seconds: [3, 15 * 60] }
const story = { max: 100 * MiB, seconds: [3, 60] }

const user = (code: number, subcode: number, message: string, detail: string, status = 400): Answer =>
  graph(status, code, message, { subcode, user: detail })

/** What is wrong with the text of a post. */
function textRefusal(text: string): Answer | undefined {
  if ([...text].length > 2_200)
    return user(
      36_004,
      2_207_010,
      'The caption was too long.',
      'The submitted caption was too long: it may have up to 2,200 characters.',
    )
  if ((text.match(/#[\p{L}\p{N}_]+/gu) ?? []).length > 30)
    return user(100, 2_207_040, 'Invalid parameter', 'Cannot use more than 30 hashtags.')
  if ((text.match(/(?<![\p{L}\p{N}_.])@[\w.]+/gu) ?? []).length > 20)
    return user(100, 2_207_040, 'Invalid parameter', 'Cannot use more than 20 tags.')
  return undefined
}

function pictureRefusal(file: File | null, type: string): Answer | undefined {
  if (!file)
    return user(
      9_004,
      2_207_052,
      'Only photo or video can be accepted as media type.',
      'The media could not be fetched from this URI.',
    )
  if (file.kind === 'video' || file.kind === 'other')
    return user(9_004, 2_207_052, 'Only photo or video can be accepted as media type.', 'The media is no picture.')
  if (file.mime_type !== 'image/jpeg')
    return user(
      36_001,
      2_207_005,
      'The image format is not supported.',
      `The image format ${file.mime_type} is not supported. Supported formats are: JPEG.`,
    )
  if (file.bytes > 8 * MiB)
    return user(
      36_000,
      2_207_004,
      'The image size is too large.',
      'The image is too large to download. It should be less than 8 MiB.',
    )
  const ratio = Number(file.width) / Number(file.height)
  // As wide as a rounded pixel allows.
  if (type !== 'STORIES' && (ratio < 0.8 - 0.005 || ratio > 1.91 + 0.005))
    return user(
      36_003,
      2_207_009,
      'The submitted image has an invalid aspect ratio.',
      `The aspect ratio ${ratio.toFixed(3)} is not supported: it has to be within 4:5 to 1.91:1.`,
    )
  return undefined
}

/** A video is judged while it is processed: its container ends with an error. */
function videoError(file: File | null, type: string): string | null {
  if (!file) return '2207052'
  const { max, seconds } = type === 'STORIES' ? story : type === 'VIDEO' ? { max: video.max, seconds: [3, 60] } : video
  const [least, most] = seconds as [number, number]
  const { kind, mime_type, bytes, width, height, duration_s } = file
  if (
    kind !== 'video' ||
    !['video/mp4', 'video/quicktime'].includes(mime_type) ||
    width === null ||
    height === null ||
    duration_s === null
  )
    return '2207026'
  const ratio = width / height
  return bytes > max || duration_s < least || duration_s > most || width > 1_920 || ratio < 0.01 || ratio > 10
    ? '2207026'
    : null
}

function newContainer(call: Call, token: Token): Answer | Promise<() => Answer> {
  const { image_url, video_url, media_type, caption = '' } = call.fields
  const isItem = call.fields.is_carousel_item === 'true' || call.fields.is_carousel_item === '1'
  const common = { owner: token.account, item: isItem, text: caption }
  const made = (given: {
    media_type: Container['media_type']
    file: File | null
    children?: string[]
    error?: string | null
  }): Answer => {
    const { id } = addContainer('b', { ...common, error: null, ...given })
    return { status: 200, body: { id }, effect: true }
  }
  const refused = isItem ? undefined : textRefusal(caption)
  if (refused) return refused
  if (media_type === 'CAROUSEL') {
    const children = childrenIn(call.fields.children)
    if (children.length < 2 || children.length > 10)
      return user(
        100,
        2_207_028,
        'Your post won’t work as a carousel.',
        'Carousels need at least 2 photos or videos and no more than 10.',
      )
    const unknown = children.find((id) => {
      const child = containerOf('b', id)
      return !child?.item || child.owner !== token.account
    })
    return unknown === undefined
      ? made({ media_type, file: null, children })
      : graphParameter(`The children ${unknown} are no containers of items of a carousel.`)
  }
  if (media_type !== undefined && !['IMAGE', 'VIDEO', 'REELS', 'STORIES'].includes(media_type))
    return user(100, 2_207_023, 'Unknown media type', `The media type ${media_type} is unknown.`)
  if (media_type === 'VIDEO' && !isItem)
    return graphParameter('media_type VIDEO is deprecated. Use REELS to publish a video.')
  if (isItem && (media_type === 'REELS' || media_type === 'STORIES'))
    return graphParameter(`A ${media_type} is no item of a carousel.`)
  if ((image_url === undefined) === (video_url === undefined))
    return graphParameter('One of the parameters image_url and video_url is required.')
  if (image_url !== undefined) {
    if (media_type === 'REELS' || media_type === 'VIDEO') return graphParameter('The parameter video_url is required.')
    const type = media_type === 'STORIES' ? 'STORIES' : 'IMAGE'
    return fetchFile(image_url).then((file) => () => pictureRefusal(file, type) ?? made({ media_type: type, file }))
  }
  if (media_type === undefined || media_type === 'IMAGE')
    return graphParameter('The parameter media_type is required for a video.')
  const type = media_type as 'VIDEO' | 'REELS' | 'STORIES'
  return fetchFile(video_url as string).then(
    (file) => () => made({ media_type: type, file, error: videoError(file, type) }),
  )
}

const kinds = { REELS: 'reel', STORIES: 'story' } as const
const newId = () => numberedId('180')
const quotaOf = (owner: string) => Math.min(100, settingsOf('b', owner).quota)

function publish({ fields }: Call, token: Token): Answer {
  const container = containerOf('b', fields.creation_id ?? '')
  // One that was published is gone, as is that of another account.
  if (!container || container.item || container.owner !== token.account || container.published !== null)
    return user(
      24,
      2_207_008,
      'The requested resource does not exist',
      `The media builder with creation id = ${fields.creation_id} does not exist or has been expired.`,
    )
  const status = statusOf(container)
  if (status === 'IN_PROGRESS')
    return user(
      9_007,
      2_207_027,
      'Media ID is not available',
      'The media is not ready for publishing, please wait for a moment.',
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
  if (usedQuota('b', token.account) >= quotaOf(token.account))
    return user(
      9,
      2_207_042,
      'Application request limit reached',
      'You reached the maximum number of posts that is allowed to be published by Content Publishing API.',
      403,
    )
  const id = newId()
  const kind = kinds[container.media_type as keyof typeof kinds] ?? 'post'
  const permalink = `https://www.instagram.com/${kind === 'reel' ? 'reel' : 'p'}/${shortCode(id)}/`
  const post = addPost({
    id,
    network: 'b',
    owner: token.account,
    kind,
    text: kind === 'story' ? '' : container.text,
    files: filesOf(container),
    permalink,
    visible_at: now(),
  })
  containers.save({ ...container, published: post.id })
  return { status: 200, body: { id: post.id }, effect: true, visible: { ...shown(post), text: container.text } }
}

function showContainer(call: Call, container: Container): Answer {
  const status = statusOf(container)
  const told: Record<string, string> = {
    EXPIRED: 'Expired: This container is expired.',
    ERROR: `Error: Media upload has failed with error code ${container.error ?? '2207032'}`,
    FINISHED: 'Finished: Media has been uploaded and it is ready to be published.',
    IN_PROGRESS: 'In Progress: Media is still being processed.',
    PUBLISHED: 'Published: Media has been published.',
  }
  return {
    status: 200,
    body: pick({ id: container.id, status_code: status, status: told[status] }, fieldsIn(call, ['id'])),
  }
}

const mediaTypes = { post: 'IMAGE', reel: 'VIDEO', video: 'VIDEO', story: 'IMAGE', photo: 'IMAGE' } as const
const mediaOf = (post: Post) => ({
  id: post.id,
  caption: post.text === '' ? undefined : post.text,
  media_type: post.files.length > 1 ? 'CAROUSEL_ALBUM' : mediaTypes[post.kind],
  media_product_type: post.kind === 'reel' ? 'REELS' : post.kind === 'story' ? 'STORY' : 'FEED',
  permalink: post.permalink,
  shortcode: shortCode(post.id),
  timestamp: graphTime(post.created_at),
  owner: { id: post.owner },
})

const comments = graphComments({
  shape: (one) => ({
    id: one.id,
    text: one.text,
    timestamp: graphTime(one.created_at),
    username: one.author.username,
    like_count: one.likes,
    hidden: one.hidden,
    from: { id: one.author.id, username: one.author.username },
    parent_id: one.parent_id ?? undefined,
    media: { id: one.post_id },
  }),
  defaults: ['id', 'text', 'timestamp'],
  refusal: shortTextRefusal,
  flat: true,
})

function node(call: Call, token: Token): Answer {
  const { id = '' } = call.params
  const container = containerOf('b', id)
  if (container && container.owner === token.account) return showContainer(call, container)
  const post = postOf('b', id)
  if (post && post.owner === token.account) return { status: 200, body: pick(mediaOf(post), fieldsIn(call, ['id'])) }
  return comments.node(call, token) ?? graphMissing(id)
}

const change = (call: Call, token: Token): Answer =>
  comments.node(call, token) ?? graphMissing(call.params.id ?? '', call.method.toLowerCase())

/** A story is not among the media. */
function listing(call: Call, token: Token): Answer {
  const { lag_s } = settingsOf('b', token.account)
  const listed = visiblePosts('b', token.account).filter(
    ({ kind, created_at }) => kind !== 'story' && now() - created_at >= lag_s,
  )
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
    data: [{ config: { quota_total: quotaOf(account), quota_duration: day }, quota_usage: usedQuota('b', account) }],
  },
})

const figures = [
  'views',
  'reach',
  'likes',
  'comments',
  'shares',
  'saved',
  'total_interactions',
  'replies',
  'navigation',
  'follows',
  'profile_visits',
]
const ofStory = ['views', 'reach', 'shares', 'total_interactions', 'replies', 'navigation', 'follows', 'profile_visits']
const notOfPost = ['replies', 'navigation']

const routes: Route[] = [
  ['GET', 'www.instagram.com/oauth/authorize', consent],
  ['POST', 'api.instagram.com/oauth/access_token', exchange],
  ['GET', 'graph.instagram.com/access_token', extend],
  ['GET', 'graph.instagram.com/refresh_access_token', renew],
  [
    'GET',
    'graph.instagram.com/:v/me',
    asAccount(({ id, username, name }) => ({ user_id: id, username, name, id: `app-${id}` })),
  ],
  ['POST', 'graph.instagram.com/:v/:user/media', withToken(newContainer)],
  ['POST', 'graph.instagram.com/:v/:user/media_publish', withToken(publish)],
  ['GET', 'graph.instagram.com/:v/:user/media', withToken(listing)],
  ['GET', 'graph.instagram.com/:v/:user/content_publishing_limit', withToken(limit)],
  ['GET', 'graph.instagram.com/:v/:id', withToken(node)],
  ...(['POST', 'DELETE'] as const).map((method): Route => [method, 'graph.instagram.com/:v/:id', withToken(change)]),
  ['GET', 'graph.instagram.com/:v/:id/comments', withToken(comments.list(newest, { max: 50 }))],
  ['POST', 'graph.instagram.com/:v/:id/comments', withToken(comments.add)],
  ['GET', 'graph.instagram.com/:v/:id/replies', withToken(comments.list(oldest, { max: 50 }))],
  ['POST', 'graph.instagram.com/:v/:id/replies', withToken(comments.add)],
  [
    'GET',
    'graph.instagram.com/:v/:id/insights',
    graphInsights({
      names: figures,
      comments: 'comments',
      unsuitable: ({ kind }, names) =>
        names.filter((name) => (kind === 'story' ? !ofStory.includes(name) : notOfPost.includes(name))),
    }),
  ],
]

export const networkB: Network = {
  letter: 'b',
  hosts: ['www.instagram.com', 'api.instagram.com', 'graph.instagram.com'],
  routes,
  consent: {
    expires_in: 3_600,
    short: true,
    granted: (access_token, user_id) => ({ access_token, user_id, permissions: 'instagram_business_basic' }),
  },
  refusals: {
    ...graphRefusals,
    grant: (error) =>
      error === 'invalid_grant'
        ? {
            status: 400,
            body: { error_type: 'OAuthException', code: 400, error_message: 'Invalid authorization code' },
          }
        : graphRefusals.grant(error),
  },
  newId,
  limit: usageLimit('instagram', 80_002),
}
