// Figures of a post: the read of each network, and its answer. A figure that the network does not report is null, never 0.
import { type SocialRequest, versioned } from '../connections/requests.ts'
import { countIn, type Fields, listIn, objectIn } from '../social/answers.ts'
import { capabilities, metricNames, type Placement } from '../social/capabilities.ts'
import type { NetworkType } from '../social/networks.ts'

export type MetricName = (typeof metricNames)[number]
export type MetricValues = Record<MetricName, number | null>

/** Of a story, network b reports no more than these, and it has no comments. */
const ofStory: readonly MetricName[] = ['views', 'reach', 'shares']
const isStory = (placement: Placement | null): boolean => placement === 'story'
export const hasComments = (placement: Placement | null): boolean => !isStory(placement)

export const unsupportedMetrics = (type: NetworkType, placement: Placement | null): MetricName[] =>
  metricNames.filter(
    (name) => !capabilities[type].metrics.includes(name) || (isStory(placement) && !ofStory.includes(name)),
  )

/** Names of insights, by those of our metrics. */
const insights = {
  network_a_page: { views: 'post_media_view', reach: 'post_total_media_view_unique' },
  network_b_business: {
    views: 'views',
    reach: 'reach',
    likes: 'likes',
    comments: 'comments',
    shares: 'shares',
    saves: 'saved',
  },
  network_e_account: { views: 'views', likes: 'likes', comments: 'replies', shares: 'reposts' },
} as const satisfies Partial<Record<NetworkType, Partial<Record<MetricName, string>>>>

/** The reads that together have the figures of a post: of network a two. */
export function metricsRequests(
  type: NetworkType,
  { post, placement }: { post: string; placement: Placement | null },
  { token, version }: { token: string; version: string },
): SocialRequest[] {
  const get = (host: string, path: string, query: Record<string, string>): SocialRequest => ({
    ...{ method: 'GET', host, path: versioned(path, version), token, query },
  })
  const id = encodeURIComponent(post)
  switch (type) {
    case 'network_a_page':
      return [
        get('graph.facebook.com', `/{v}/${id}`, {
          fields: 'likes.limit(0).summary(total_count),comments.filter(stream).limit(0).summary(total_count),shares',
        }),
        get('graph.facebook.com', `/{v}/${id}/insights`, { metric: Object.values(insights[type]).join(',') }),
      ]
    case 'network_b_business': {
      const wanted = Object.entries(insights[type]).filter(
        ([name]) => !isStory(placement) || ofStory.includes(name as MetricName),
      )
      return [
        get('graph.instagram.com', `/{v}/${id}/insights`, { metric: wanted.map(([, theirs]) => theirs).join(',') }),
      ]
    }
    case 'network_c_channel':
      return [get('www.googleapis.com', '/youtube/v3/videos', { part: 'statistics', id: post })]
    case 'network_d_account':
      return [get('api.x.com', `/2/tweets/${id}`, { 'tweet.fields': 'public_metrics' })]
    case 'network_e_account':
      return [get('graph.threads.net', `/v1.0/${id}/insights`, { metric: Object.values(insights[type]).join(',') })]
  }
}

const insightsIn = (data: unknown): Map<unknown, number | null> =>
  new Map(
    listIn(data).map(({ name, values, total_value }) => [
      name,
      countIn(listIn(values)[0]?.value ?? objectIn(total_value).value),
    ]),
  )

const totalIn = (edge: unknown): number | null => countIn(objectIn(objectIn(edge).summary).total_count)

const reported = (type: keyof typeof insights, data: unknown): Partial<MetricValues> => {
  const found = insightsIn(data)
  return Object.fromEntries(Object.entries(insights[type]).map(([name, theirs]) => [name, found.get(theirs) ?? null]))
}

function valuesOf(type: NetworkType, whole: Fields): Partial<MetricValues> | null {
  switch (type) {
    case 'network_a_page':
      if (Array.isArray(whole.data)) return reported(type, whole.data)
      if (whole.id === undefined) return null
      // Without a share the field is missing.
      return {
        likes: totalIn(whole.likes),
        comments: totalIn(whole.comments),
        shares: countIn(objectIn(whole.shares).count),
      }
    case 'network_c_channel': {
      if (!Array.isArray(whole.items)) return null
      const found = objectIn(listIn(whole.items)[0]?.statistics)
      return { views: countIn(found.viewCount), likes: countIn(found.likeCount), comments: countIn(found.commentCount) }
    }
    case 'network_d_account': {
      const found = objectIn(objectIn(whole.data).public_metrics)
      if (whole.data === undefined) return null
      const [retweets, quotes] = [countIn(found.retweet_count), countIn(found.quote_count)]
      return {
        ...{
          views: countIn(found.impression_count),
          likes: countIn(found.like_count),
          comments: countIn(found.reply_count),
        },
        ...{
          shares: retweets === null && quotes === null ? null : (retweets ?? 0) + (quotes ?? 0),
          saves: countIn(found.bookmark_count),
        },
      }
    }
    default:
      return Array.isArray(whole.data) ? reported(type, whole.data) : null
  }
}

/** Of the answers to all reads. Null if one of them holds no figures. */
export function metricValues(type: NetworkType, bodies: readonly unknown[]): MetricValues | null {
  const all: Partial<MetricValues> = {}
  for (const body of bodies) {
    const found = valuesOf(type, objectIn(body))
    if (!found) return null
    Object.assign(all, found)
  }
  return Object.fromEntries(metricNames.map((name) => [name, all[name] ?? null])) as MetricValues
}

export const noMetrics: Readonly<MetricValues> = Object.fromEntries(
  metricNames.map((name) => [name, null]),
) as MetricValues
