// Figures of posts on networks a, b and e. A name that the network does not know is refused; one that it does not
// report for a post is missing.
import type { Answer, Call, Route } from './calls.ts'
import { graphMissing, graphParameter } from './errors.ts'
import { withToken } from './graph.ts'
import { commentsOn, type Post, postOf } from './posts.ts'
import type { Token } from './state.ts'

type Where = 'a' | 'b' | 'e'
const known: Record<Where, readonly string[]> = {
  a: [
    'post_media_view',
    'post_total_media_view_unique',
    'post_clicks',
    'post_reactions_like_total',
    'post_reactions_by_type_total',
    'post_video_views',
  ],
  b: [
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
  ],
  e: ['views', 'likes', 'replies', 'reposts', 'quotes', 'shares'],
}
const ofStory = ['views', 'reach', 'shares', 'total_interactions', 'replies', 'navigation', 'follows', 'profile_visits']
const notOfPost = ['replies', 'navigation']

function figureOf(post: Post, name: string): unknown {
  const set = post.metrics[name]
  if (set !== undefined) return set
  if (name === 'comments' || (name === 'replies' && post.network === 'e'))
    return commentsOn(post.network, post.id).length
  return name === 'post_reactions_by_type_total' ? {} : 0
}

/** One set to null by the controls is not reported. */
function insights(call: Call, token: Token): Answer {
  const network = call.network as Where
  const { id = '' } = call.params
  const post = postOf(network, id) ?? postOf(network, id.replace(`${token.page}_`, ''))
  if (!post || post.visible_at === null || post.owner !== (token.page ?? token.account)) return graphMissing(id)
  const names = (call.fields.metric ?? '').split(',').filter((name) => name !== '')
  const wrong = names.findIndex((name) => !known[network].includes(name))
  if (names.length === 0 || wrong >= 0)
    return graphParameter(
      `metric[${Math.max(0, wrong)}] must be one of the following values: ${known[network].join(', ')}`,
    )
  const unsuitable =
    network === 'b'
      ? names.filter((name) => (post.kind === 'story' ? !ofStory.includes(name) : notOfPost.includes(name)))
      : []
  if (unsuitable.length > 0)
    return graphParameter(
      `The Media Insights API does not support the ${unsuitable.join(', ')} metric for this media product type.`,
    )
  const data = names
    .filter((name) => post.metrics[name] !== (null as never))
    .map((name) => ({
      name,
      period: 'lifetime',
      values: [{ value: figureOf(post, name) }],
      title: name,
      description: name,
      id: `${id}/insights/${name}/lifetime`,
    }))
  return { status: 200, body: { data } }
}

export const insightRoutes: Route[] = ['graph.facebook.com', 'graph.instagram.com', 'graph.threads.net'].map(
  (host): Route => ['GET', `${host}/:v/:id/insights`, withToken(insights)],
)
