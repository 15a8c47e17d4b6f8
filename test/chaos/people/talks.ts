// An operator of accounts on two networks: strangers comment, comments are read and answered, and access tokens expire,
// while faults strike.
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../entities/kit/ids.ts'
import type { Answer, Shop } from '../../kit/shop.ts'
import { comments, type Post, published } from '../../kit/social/engagement.ts'
import { expire } from '../../kit/social/social.ts'
import type { Talked } from '../history.ts'
import type { TalkPlan } from '../plan.ts'
import type { Round } from './acts.ts'

const types = ['network_b_business', 'network_d_account'] as const

/** A post on each network, of an account of its own. */
export const openTalks = async (shop: Shop): Promise<Post[]> => {
  const posts: Post[] = []
  for (const type of types) posts.push(await published(shop, type))
  return posts
}

const bounds = { max_comment_pages_per_publication: 20, max_comments_per_publication: 1_000 }

const ask = (c: Round, method: 'GET' | 'POST', at: string, body?: unknown): Promise<Answer> =>
  c.client.ask(method, `/v1/stores/${c.store.shop.store_id}/social-publications${at}`, {
    headers: c.store.shop.op.headers,
    ...(method === 'GET' ? {} : { body }),
  })

/** The id of a sync; its end is judged. */
async function read(c: Round, { publication }: Post): Promise<string> {
  const { status, body } = await ask(c, 'POST', '/engagement/sync', { publication_ids: [publication], ...bounds })
  if (status !== 200) throw new Error(`a sync was answered with ${status} ${JSON.stringify(body)}`)
  return body.id
}

/** A connection that has to be connected again, and a comment that is gone, are no surprises. */
async function answer(
  c: Round,
  { publication }: Post,
  comment: string,
  mode: TalkPlan['replies'][number],
): Promise<void> {
  const sent = { reply_id: newId(), text: `Thank you ${newId()}` }
  const reply = (body = sent) => ask(c, 'POST', `/${publication}/comments/${comment}/replies`, body)
  const answers = await Promise.all(Array.from({ length: mode === 'once' ? 1 : 3 }, () => reply()))
  const records = answers.filter(({ status }) => status < 300)
  if (new Set(records.map(({ body }) => body.id)).size > 1)
    c.surprises.push(`reply ${sent.reply_id} was answered with several records`)
  if (mode !== 'changed' || records.length === 0) return
  const changed = await reply({ ...sent, text: 'Another text' })
  if (changed.body.code !== 'idempotency_conflict')
    c.surprises.push(
      `reply ${sent.reply_id} with another text was answered with ${changed.status} ${JSON.stringify(changed.body)}`,
    )
}

async function talk(c: Round, post: Post, plan: TalkPlan): Promise<Talked> {
  const made = await comments(post, 'A comment', plan.comments)
  await read(c, post)
  const { items = [] } = (await ask(c, 'GET', `/${post.publication}/comments?limit=20`)).body as {
    items?: { id: string }[]
  }
  if (plan.expires && post.type === 'network_d_account') await expire('d', post.account)
  await Promise.all(
    items.slice(0, plan.replies.length).map(({ id }, n) => answer(c, post, id, plan.replies[n] ?? 'once')),
  )
  return { publication: post.publication, sync: await read(c, post), made: made.map(({ id }) => id) }
}

/** Rejects if a call was never answered. */
export async function converse(c: Round, plan: TalkPlan): Promise<void> {
  await pause(plan.at_ms)
  c.talks.push(...(await Promise.all(c.store.posts.map((post) => talk(c, post, plan)))))
}
