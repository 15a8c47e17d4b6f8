// Network a: photos and posts of a page, hidden until they are published, and what the page shows.
import { graph, graphMissing, graphParameter, graphRefusals } from '../errors.ts'
import { type File, fetchFile, files, store } from '../files.ts'
import { edge, fieldsIn, graphTime, pick, withToken } from '../graph.ts'
import { graphComments, oldest } from '../graph-comments.ts'
import { graphInsights } from '../graph-insights.ts'
import { usageLimit } from '../limits.ts'
import type { Answer, Call, Network, Route } from '../network.ts'
import { asAccount, bearerOf, consent, exchange, revoking } from '../oauth.ts'
import { addPost, commentsOn, numberedId, type Post, postOf, posts, shown, visiblePosts } from '../posts.ts'
import { settingsOf } from '../settings.ts'
import { keyed, newToken, now, type Token, tokens } from '../state.ts'
import { changeVideo, removeVideo, showVideo, videoOf, videoRoutesOfA } from './videos-a.ts'

const MiB = 1024 * 1024
const newId = () => numberedId('122')

/** A photo that no post has, or that one has. */
type Photo = {
  id: string
  page: string
  file: string
  text: string
  post_id: string | null
  created_at: number
  deleted_at: number | null
}
const photos = keyed<Photo>('photo', ({ id }) => id)
const photoOf = (id: string, token: Token): Photo | undefined => {
  const photo = photos.get(id)
  return photo && photo.page === token.page && photo.deleted_at === null ? photo : undefined
}

const isFalse = (value: string | undefined) => value === 'false' || value === '0'
const isTrue = (value: string | undefined) => value === 'true' || value === '1'
const needsPage = () =>
  graph(403, 200, '(#200) The permission pages_manage_posts is not available: a token of the page is needed.')

function pictureRefusal(file: File | null): Answer | undefined {
  if (!file)
    return graph(400, 324, '(#324) Missing or invalid image file', {
      subcode: 2_069_019,
      user: 'The image could not be fetched.',
    })
  const isPicture =
    (file.kind === 'image' || file.kind === 'gif') && /^image\/(jpeg|png|gif|tiff|bmp|webp|heif)$/.test(file.mime_type)
  if (isPicture && file.bytes <= 10 * MiB) return undefined
  return graph(400, 1, '(#1) Your photos couldn’t be uploaded.', {
    subcode: 1_366_046,
    user: 'Photos have to be less than 10 MB and saved as JPG, PNG, GIF, TIFF, HEIF or WebP files.',
  })
}
const textRefusal = (text: string) =>
  [...text].length > 63_206 ? graphParameter('The message has more than 63206 characters.') : undefined

/** Its id has the page's, as `page_number`. */
const newPost = (token: Token, given: Partial<Post>): Post => {
  const page = token.page as string
  const number = newId()
  return addPost({
    id: `${page}_${number}`,
    network: 'a',
    owner: page,
    kind: 'post',
    text: '',
    permalink: `https://www.facebook.com/${page}/posts/${number}`,
    ...given,
  })
}

function photo({ fields, files: sent }: Call, token: Token): Answer | Promise<() => Answer> {
  if (!token.page) return needsPage()
  const { url, caption = fields.message ?? '' } = fields
  const refused = textRefusal(caption)
  if (refused) return refused
  const file = sent.source ? store(sent.source) : fetchFile(url ?? '')
  return file.then((found) => () => {
    const wrong = pictureRefusal(found)
    if (wrong) return wrong
    const { id: fileId } = files.save(found as File)
    const made = {
      id: newId(),
      page: token.page as string,
      file: fileId,
      text: caption,
      post_id: null,
      created_at: now(),
      deleted_at: null,
    }
    if (isFalse(fields.published)) return { status: 200, body: { id: photos.save(made).id }, effect: true }
    const post = newPost(token, { text: caption, files: [fileId], visible_at: now() })
    photos.save({ ...made, post_id: post.id })
    return { status: 200, body: { id: made.id, post_id: post.id }, effect: true, visible: shown(post) }
  })
}

/** `attached_media` as a list of JSON, or as `attached_media[0]`, `attached_media[1]`. */
function attachedIn({ fields, json }: Call): string[] {
  const whole: unknown = json.attached_media ?? (fields.attached_media ? JSON.parse(fields.attached_media) : undefined)
  const each = Object.entries(fields)
    .filter(([name]) => /^attached_media\[\d+\]$/.test(name))
    .sort(([one], [other]) => one.localeCompare(other, 'en', { numeric: true }))
    .map(([, value]) => JSON.parse(value) as unknown)
  return (Array.isArray(whole) ? whole : each).map((one) => String((one as { media_fbid?: unknown }).media_fbid))
}

function feed(call: Call, token: Token): Answer {
  if (!token.page) return needsPage()
  const { message = '', link = null, published } = call.fields
  const attached = attachedIn(call)
  const refused = textRefusal(message)
  if (refused) return refused
  if (message === '' && link === null && attached.length === 0)
    return graph(400, 197, '(#197) The post is empty. Please enter a message to share.')
  if (link !== null && (attached.length > 0 || !URL.canParse(link)))
    return graphParameter('The parameter link is not valid here.')
  const found = attached.flatMap((id) => photoOf(id, token) ?? [])
  if (found.length !== attached.length || found.some(({ post_id }) => post_id !== null))
    return graphParameter('attached_media: a media_fbid is not valid, or belongs to a post.')
  const isHidden = isFalse(published)
  const post = newPost(token, {
    text: message,
    link,
    files: found.map(({ file }) => file),
    visible_at: isHidden ? null : now(),
  })
  for (const one of found) photos.save({ ...one, post_id: post.id })
  return { status: 200, body: { id: post.id }, effect: true, ...(isHidden ? {} : { visible: shown(post) }) }
}

const comments = graphComments({
  shape: (one, below) => ({
    id: one.id,
    message: one.text,
    created_time: graphTime(one.created_at),
    from: { id: one.author.id, name: one.author.name },
    like_count: one.likes,
    comment_count: below(one).length,
    is_hidden: one.hidden,
    can_comment: true,
    can_hide: !one.own,
    parent: one.parent_id === null ? undefined : { id: one.parent_id },
    permalink_url: `https://www.facebook.com/${one.post_id}?comment_id=${one.id}`,
  }),
  defaults: ['id', 'created_time', 'from', 'message'],
  refusal: (text) =>
    [...text].length > 8_000 ? graphParameter('The message has more than 8000 characters.') : undefined,
})

const own = (id: string, token: Token): Post | undefined => {
  const post = postOf('a', id) ?? postOf('a', id.replace(`${token.page}_`, ''))
  return post?.owner === token.page ? post : undefined
}

const postFields = (post: Post) => {
  const count = commentsOn('a', post.id).filter(({ hidden }) => !hidden).length
  const summary = (total_count: number) => ({ data: [], summary: { total_count } })
  return {
    ...{
      id: post.id,
      message: post.text === '' ? undefined : post.text,
      created_time: graphTime(post.created_at),
      is_published: post.visible_at !== null,
    },
    ...{ permalink_url: post.permalink, from: { id: post.owner }, is_hidden: false },
    attachments:
      post.files.length > 0
        ? { data: post.files.map((file) => ({ media_type: files.get(file)?.kind === 'video' ? 'video' : 'photo' })) }
        : undefined,
    likes: summary(post.metrics.likes ?? 0),
    reactions: summary(post.metrics.likes ?? 0),
    comments: summary(count),
    shares: post.metrics.shares === undefined ? undefined : { count: post.metrics.shares },
  }
}

function node(call: Call, token: Token): Answer {
  const { id = '' } = call.params
  const video = videoOf(id, token)
  if (video && !call.fields.fields?.includes('is_published')) return showVideo(call, video)
  const post = own(id, token)
  if (post) return { status: 200, body: pick(postFields(post), fieldsIn(call, ['id', 'created_time', 'message'])) }
  const found = photoOf(id, token)
  if (!found) return comments.node(call, token) ?? graphMissing(id)
  return {
    status: 200,
    body: pick(
      { id, created_time: graphTime(found.created_at), name: found.text },
      fieldsIn(call, ['id', 'created_time']),
    ),
  }
}

function change(call: Call, token: Token): Answer {
  const { id = '' } = call.params
  const video = videoOf(id, token)
  if (video) return changeVideo(call, video)
  const post = own(id, token)
  if (!post) return comments.node(call, token) ?? graphMissing(id, 'post')
  const { message = post.text, is_published } = call.fields
  const refused = textRefusal(message)
  if (refused) return refused
  const becomesVisible = isTrue(is_published) && post.visible_at === null
  const changed = posts.save({ ...post, text: message, visible_at: becomesVisible ? now() : post.visible_at })
  return { status: 200, body: { success: true }, effect: true, ...(becomesVisible ? { visible: shown(changed) } : {}) }
}

function remove(call: Call, token: Token): Answer {
  const { id = '' } = call.params
  const video = videoOf(id, token)
  if (video) return removeVideo(video)
  const [post, found] = [own(id, token), photoOf(id, token)]
  if (post) posts.save({ ...post, deleted_at: now() })
  else if (found) photos.save({ ...found, deleted_at: now() })
  else return comments.node(call, token) ?? graphMissing(id, 'delete')
  return { status: 200, body: { success: true }, effect: true }
}

function listing(call: Call, token: Token): Answer {
  const page = token.page as string
  const { lag_s } = settingsOf('a', page)
  const listed = visiblePosts('a', page).filter(({ visible_at }) => now() - Number(visible_at) >= lag_s)
  const show = (post: Post) => pick(postFields(post), fieldsIn(call, ['id', 'created_time', 'message']))
  return edge(call, token, listed, ({ id }) => id, show)
}

/** A page's token does not expire, and is the same at every read. */
function pageToken(page: string, { network, account, family }: Token): string {
  const found = tokens.all().find((one) => one.page === page && one.family === family)
  return (found ?? newToken({ network, account, family, page, kind: 'access', expires_at: null })).token
}

const pageSize = 25
const pages = asAccount((account, token, { fields }) => {
  const from = Number(fields.after ?? 0)
  const shown = account.pages.slice(from, from + pageSize)
  const more = account.pages.length > from + pageSize
  const paging = {
    cursors: { after: String(from + pageSize) },
    ...(more ? { next: `https://graph.facebook.com/me/accounts?access_token=${token.token}` } : {}),
  }
  return { data: shown.map((page) => ({ ...page, access_token: pageToken(page.id, token) })), paging }
})

const routes: Route[] = [
  ['GET', 'www.facebook.com/:v/dialog/oauth', consent],
  ['POST', 'graph.facebook.com/:v/oauth/access_token', exchange],
  ['GET', 'graph.facebook.com/:v/oauth/access_token', exchange],
  ['GET', 'graph.facebook.com/:v/me/accounts', pages],
  ['GET', 'graph.facebook.com/:v/me', asAccount(({ id }) => ({ id }))],
  [
    'DELETE',
    'graph.facebook.com/:v/me/permissions',
    revoking({ success: true }, (call) => (bearerOf(call) ? undefined : graphRefusals.token())),
  ],
  ...videoRoutesOfA,
  ['POST', 'graph.facebook.com/:v/:user/photos', withToken(photo)],
  ['POST', 'graph.facebook.com/:v/:user/feed', withToken(feed)],
  ...['feed', 'posts', 'published_posts'].map(
    (name): Route => ['GET', `graph.facebook.com/:v/:user/${name}`, withToken(listing)],
  ),
  ['GET', 'graph.facebook.com/:v/:id', withToken(node)],
  ['POST', 'graph.facebook.com/:v/:id', withToken(change)],
  ['DELETE', 'graph.facebook.com/:v/:id', withToken(remove)],
  ['GET', 'graph.facebook.com/:v/:id/comments', withToken(comments.list(oldest))],
  ['POST', 'graph.facebook.com/:v/:id/comments', withToken(comments.add)],
  [
    'GET',
    'graph.facebook.com/:v/:id/insights',
    graphInsights({
      names: [
        'post_media_view',
        'post_total_media_view_unique',
        'post_clicks',
        'post_reactions_like_total',
        'post_reactions_by_type_total',
        'post_video_views',
      ],
    }),
  ],
]

export const networkA: Network = {
  letter: 'a',
  hosts: ['www.facebook.com', 'graph.facebook.com', 'graph-video.facebook.com', 'rupload.facebook.com'],
  routes,
  consent: { expires_in: 3_600, short: true },
  refusals: graphRefusals,
  newId,
  pages: true,
  limit: usageLimit('pages', 80_001),
}
