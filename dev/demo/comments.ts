// Comments in `npm run demo`: a stranger asks below a post of the wall, the store reads the comment, has a model label
// it, and answers it once for two calls.
import { ApiProblem } from '../../client/client.ts'
import { type Callers, control, say } from './steps.ts'

type SimPost = { id: string; comments: { id: string; text: string; own: boolean }[] }

/** Below the newest post of network b: the part about publications shows one before. */
export async function showComments(
  { path, operator }: Callers,
  { social, temporal_ui }: { social: string; temporal_ui: string | null },
): Promise<void> {
  const query = {
    status: ['published' as const],
    type: 'network_b_business' as const,
    sort_field: 'published_at' as const,
  }
  const { items: posts } = await operator('GET /v1/stores/{storeId}/social-publications', { path, query })
  const post = posts.find(({ provider_post_id }) => provider_post_id !== null)
  if (!post) return
  const [publicationId, post_id] = [post.id, String(post.provider_post_id)]
  const of = { ...path, publicationId }

  const text = `Do you ship to Alaska? (${crypto.randomUUID().slice(0, 8)})`
  const { id } = await control<{ id: string }>(social, '/comments', { post_id, text, author: 'Ada L' })
  const sync = await operator('POST /v1/stores/{storeId}/social-publications/engagement/sync', {
    path,
    body: { publication_ids: [publicationId] },
  })
  const [read] = sync.items
  say(
    'A stranger comments on the post, and the store reads what is new',
    `${sync.status}: ${read?.new} new, ${read?.updated} changed, ${read?.gone} gone`,
  )
  const { items } = await operator('GET /v1/stores/{storeId}/social-publications/{publicationId}/comments', {
    path: of,
  })
  const comment = items.find(({ provider_comment_id }) => provider_comment_id === id)
  if (!comment) throw new Error('The comment was not read.')

  try {
    const { items: labelled } = await operator('POST /v1/stores/{storeId}/social-publications/comments/classify', {
      path,
      body: { publication_id: publicationId },
    })
    const label = labelled.find((one) => one.id === comment.id)?.classification
    say(
      'A model labels it',
      label
        ? `${label.label}, ${label.sentiment}, ${label.needs_reply ? 'needs a reply' : 'needs no reply'}`
        : 'not labelled',
    )
  } catch (error) {
    if (!(error instanceof ApiProblem && error.code === 'model_not_configured')) throw error
    say('Without a model, comments have no label', error.message)
  }

  const answer = { reply_id: crypto.randomUUID(), text: `Yes, within a week. (${crypto.randomUUID().slice(0, 8)})` }
  const reply = () =>
    operator('POST /v1/stores/{storeId}/social-publications/{publicationId}/comments/{commentId}/replies', {
      path: { ...of, commentId: comment.id },
      body: answer,
    })
  const [first, second] = await Promise.all([reply(), reply()])
  const below = (await control<SimPost[]>(social, '/posts?network=b')).find((one) => one.id === post_id)?.comments ?? []
  say(
    'The operator answers it, twice with one reply_id',
    `${first.status}; one record: ${first.id === second.id}; replies below the comment on the network: ${below.filter((one) => one.text === answer.text).length}`,
  )
  if (temporal_ui)
    say(
      'The reply’s workflow in the Temporal UI',
      `${temporal_ui}/namespaces/default/workflows/social_reply%2F${first.id}`,
    )
  const thread = await operator(
    'GET /v1/stores/{storeId}/social-publications/{publicationId}/comments/{commentId}/thread',
    {
      path: { ...of, commentId: comment.id },
    },
  )
  say(
    'The thread, as the network lists it',
    thread.items.map(({ text: said, own }) => `${own ? 'the store' : 'a stranger'}: “${said}”`).join('; '),
  )
}
