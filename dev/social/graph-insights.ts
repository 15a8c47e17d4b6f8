// Figures of posts as APIs of Graph report them. A name that the network does not know is refused; one that it does not
// report for a post is missing.
import { graphMissing, graphParameter } from './errors.ts'
import { withToken } from './graph.ts'
import type { Handler } from './network.ts'
import { commentsOn, type Post, postOf } from './posts.ts'

export type Figures = {
  names: readonly string[]
  /** The figure that counts the comments of a post. */
  comments?: string
  /** The figures that the kind of the post does not have. */
  unsuitable?(post: Post, names: readonly string[]): string[]
}

function figureOf(post: Post, name: string, { comments }: Figures): unknown {
  const set = post.metrics[name]
  if (set !== undefined) return set
  if (name === comments) return commentsOn(post.network, post.id).length
  return name === 'post_reactions_by_type_total' ? {} : 0
}

/** One set to null by the controls is not reported. */
export const graphInsights = (figures: Figures): Handler =>
  withToken((call, token) => {
    const { letter } = call.network
    const { id = '' } = call.params
    const post = postOf(letter, id) ?? postOf(letter, id.replace(`${token.page}_`, ''))
    if (!post || post.visible_at === null || post.owner !== (token.page ?? token.account)) return graphMissing(id)
    const names = (call.fields.metric ?? '').split(',').filter((name) => name !== '')
    const wrong = names.findIndex((name) => !figures.names.includes(name))
    if (names.length === 0 || wrong >= 0)
      return graphParameter(
        `metric[${Math.max(0, wrong)}] must be one of the following values: ${figures.names.join(', ')}`,
      )
    const unsuitable = figures.unsuitable?.(post, names) ?? []
    if (unsuitable.length > 0)
      return graphParameter(
        `The Media Insights API does not support the ${unsuitable.join(', ')} metric for this media product type.`,
      )
    const data = names
      .filter((name) => post.metrics[name] !== (null as never))
      .map((name) => ({
        name,
        period: 'lifetime',
        values: [{ value: figureOf(post, name, figures) }],
        title: name,
        description: name,
        id: `${id}/insights/${name}/lifetime`,
      }))
    return { status: 200, body: { data } }
  })
