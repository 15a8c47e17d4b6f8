// Network b (Instagram, with its own login): pictures as JPEG; a video alone is a reel.
// Sources: Instagram Platform (IG User Media, Comment Moderation, Insights), Instagram API with Instagram Login.
// Backwards: a network's value says how its comments are read.
import type { Account, Listing } from '../../engagement/comment.ts'
// Backwards: a network's value says how its publications are sent.
import { hashtagsIn } from '../../publications/text-lengths.ts'
import { type Fields, idIn, listIn, objectIn, secondsIn, textIn } from '../answers.ts'
import { type Capability, captionLimits, imageFile, MiB, mediaRow, videoFile, videoFrame } from './capability.ts'
import { authorOf, graphCursor, intIn, pageRequest, textMax } from './comment-fields.ts'
import { publisherOf } from './containers.ts'
import { graphError, graphRefusals, insightsIn, notReady } from './graph.ts'
import type {
  Accounts,
  CommentFields,
  Comments,
  ContentRules,
  Metrics,
  Network,
  OAuth,
  Refusals,
  Replies,
} from './network.ts'
import { readRequest, versioned } from './request.ts'
import { isEmpty } from './texts.ts'

const host = 'graph.instagram.com'
const day = 86_400

const oauth: OAuth = {
  authorize: { host: 'www.instagram.com', path: '/oauth/authorize' },
  exchange: { host: 'api.instagram.com', path: '/oauth/access_token' },
  scopes: [
    'instagram_business_basic',
    'instagram_business_content_publish',
    'instagram_business_manage_comments',
    'instagram_business_manage_insights',
  ],
  separator: ',',
  pkce: false,
  extend: {
    host: 'graph.instagram.com',
    path: '/access_token',
    grant_type: 'ig_exchange_token',
    token: 'access_token',
  },
  refresh: {
    host: 'graph.instagram.com',
    path: '/refresh_access_token',
    grant_type: 'ig_refresh_token',
    token: 'access_token',
  },
  ahead_s: 10 * day,
}

const accounts: Accounts = {
  read: { host, path: '/{v}/me', query: { fields: 'user_id,username,name' } },
  // `id` is that of the user within the app.
  accountsIn: ({ user_id, id, name, username }) => [{ id: user_id ?? id, name, username }],
}

/** 4:5 to 1.91:1, as which a picture of 1200 x 628 pixels counts. */
const ofFeed = { aspect: { min: 0.8, max: 1.911 } }

const capability: Capability = {
  caption: captionLimits(2_200, 'characters', { hashtags_max: 30, mentions_max: 20 }),
  title: null,
  fields: ['caption', 'placement', 'share_to_feed', 'media_ids'],
  placements: ['feed', 'reel', 'story'],
  media: [
    mediaRow('feed', 1, 1, imageFile(ofFeed)),
    mediaRow('feed', 1, 1, videoFile(300 * MiB, [3, 15 * 60], videoFrame)),
    mediaRow('feed', 2, 10, imageFile(ofFeed), videoFile(300 * MiB, [3, 60], videoFrame)),
    mediaRow('reel', 1, 1, videoFile(300 * MiB, [3, 15 * 60], videoFrame)),
    mediaRow('story', 1, 1, imageFile(), videoFile(100 * MiB, [3, 60], videoFrame)),
  ],
  images: { mime_types: ['image/jpeg'], bytes_max: 8 * MiB, side_max: null },
  comments: true,
  reply: { max: 300, unit: 'characters' },
  metrics: ['views', 'reach', 'likes', 'comments', 'shares', 'saves'],
  posts_per_day: 100,
}

const content: ContentRules = {
  warning: ({ placement, caption }) =>
    placement === 'story' && !isEmpty(caption)
      ? { pointer: '/content/caption', code: 'caption_not_shown', detail: 'A story does not show its caption.' }
      : null,
}

const publisher = publisherOf({
  ...{
    host,
    base: '/{v}',
    make: 'media',
    publish: 'media_publish',
    posts: 'media',
    text: 'caption',
    status: 'status_code',
    reason: 'status',
  },
  post({ placement, share_to_feed, caption }, file): Record<string, string> {
    if (placement === 'story') return { media_type: 'STORIES' }
    const text: Record<string, string> = caption ? { caption } : {}
    if (file?.kind !== 'video') return text
    // A video in the feed is a reel that the feed shows, too.
    return {
      ...text,
      media_type: 'REELS',
      share_to_feed: String(placement === 'reel' ? (share_to_feed ?? true) : true),
    }
  },
  file({ kind, url }, isItem): Record<string, string> {
    if (kind !== 'video') return { image_url: url }
    return isItem ? { video_url: url, media_type: 'VIDEO' } : { video_url: url }
  },
})

/** The container has expired: either of the two says so. */
const expired = { code: -2, subcode: 2_207_020 }

const refusals: Refusals = {
  ...graphRefusals,
  refusedReveal(answer) {
    const { code, subcode } = graphError(answer.body)
    if (code === notReady) return 'not_ready'
    if (code === expired.code || subcode === expired.subcode) return 'part_expired'
    return graphRefusals.refusedReveal(answer)
  },
}

function commentOf(one: Fields, { root }: Listing, account: Account): CommentFields {
  const from = objectIn(one.from)
  const username = one.username ?? from.username
  return {
    ...{ id: idIn(one.id), parent: idIn(one.parent_id) ?? root, author: authorOf(from.id, null, username) },
    ...{ text: textIn(one.text, textMax), at: secondsIn(one.timestamp) },
    ...{ like_count: intIn(one.like_count), reply_count: null },
    own: from.id === account.provider_account_id || (account.username !== null && username === account.username),
  }
}

const comments: Comments = {
  page: { min: 1, max: 50 },
  thread_newest_first: false,
  replies_go_with_root: true,
  request({ post, root }, page) {
    const fields = 'id,text,timestamp,username,from,like_count,parent_id'
    const path = `/{v}/${encodeURIComponent(root ?? post)}/${root === null ? 'comments' : 'replies'}`
    return pageRequest({ host, path }, { fields, limit: page.size }, 'after', page)
  },
  read: (body, listing, account) =>
    Array.isArray(body.data)
      ? { comments: listIn(body.data).map((one) => commentOf(one, listing, account)), cursor: graphCursor(body) }
      : null,
}

const replies: Replies = {
  issue(text) {
    if (hashtagsIn(text) > 4) return { code: 'too_many_hashtags', detail: 'Expected at most 4 hashtags.' }
    if ((text.match(/https?:\/\/\S+/g) ?? []).length > 1)
      return { code: 'too_many_links', detail: 'Expected at most 1 link.' }
    const isShouted = /\p{Lu}/u.test(text) && /\p{L}{2}/u.test(text) && text === text.toUpperCase()
    return isShouted ? { code: 'all_capitals', detail: 'Expected a text that is not in capital letters alone.' } : null
  },
  names_answered: false,
  // There is one level of replies: an answer to a reply is written below the first comment.
  request: ({ root }, text, version) => ({
    ...{ method: 'POST', host, path: versioned(`/{v}/${encodeURIComponent(root)}/replies`, version) },
    form: { message: text },
  }),
  idIn: ({ id }) => idIn(id),
}

const insights = {
  views: 'views',
  reach: 'reach',
  likes: 'likes',
  comments: 'comments',
  shares: 'shares',
  saves: 'saved',
} as const
const ofStory = ['views', 'reach', 'shares'] as const

const metrics: Metrics = {
  of_story: ofStory,
  requests({ post, placement }, access) {
    const names = placement === 'story' ? ofStory.map((name) => insights[name]) : Object.values(insights)
    const path = `/{v}/${encodeURIComponent(post)}/insights`
    return [readRequest({ host, path }, { metric: names.join(',') }, access)]
  },
  values: (body) => insightsIn(insights, body),
}

export const networkB: Network = {
  name: 'Instagram',
  ...{ oauth, accounts, capability, content, publisher },
  ...{ refusals, comments, replies, metrics },
}
