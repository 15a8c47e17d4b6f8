// Accounts of a store at the simulated networks, publications in every state, and comments, replies and syncs below
// them.
import { randomUUID } from 'node:crypto'
import { made } from '../kit/bookings/booking.ts'
import { database, type Shop, unique } from '../kit/shop.ts'
import { comments, publishedOn, sync } from '../kit/social/engagement.ts'
import { act, created, now, picture, reached, scheduled } from '../kit/social/publications.ts'
import { connect, connectAll, consented } from '../kit/social/social.ts'

const day = 86_400

/** Removing an account is part of the run: network a has several. */
export async function fillSocial(shop: Shop): Promise<void> {
  const account = `Shop ${unique()}`
  await connectAll(shop, 'network_a_page', `Pages ${unique()}`, 6)
  const [b, c, d, e] = await Promise.all([
    connect(shop, 'network_b_business', account),
    connect(shop, 'network_c_channel', account),
    connect(shop, 'network_d_account', account),
    connect(shop, 'network_e_account', account),
  ])
  await consented(shop, 'network_a_page', null)
  const get = (path: string) => shop.asOperator('GET', path)
  for (const path of ['', '/capabilities', `/${d}`]) await get(`/social-connections${path}`)
  const media_ids = [await picture(shop)]
  const say = (n: number) => ({ type: 'network_d_account' as const, caption: `Open today until ${n} ${unique()}` })
  await created(shop, c, { type: 'network_c_channel', title: 'How we cut', media_ids: [] })
  for (let n = 0; n < 10; n++) await created(shop, e, { type: 'network_e_account', caption: `Not yet ${unique()}` })
  const later = await scheduled(shop, b, { type: 'network_b_business', caption: 'Later', media_ids }, now() + 30 * day)
  const cancelled = await scheduled(shop, d, say(1), now() + 30 * day)
  await act(shop, cancelled.id, 'cancel')
  await shop.asOperator('PUT', `/social-publications/${later.id}`, {
    content: { type: 'network_b_business', caption: 'Much later', media_ids },
  })
  await shop.asOperator('POST', '/social-publications/validate', { social_connection_id: d, content: say(2) })
  const shown = await Promise.all(Array.from({ length: 5 }, (_, n) => scheduled(shop, d, say(n))))
  for (const { id } of shown) await reached(shop, id, ['published'], 120_000)
  // As if their answers had been lost.
  const unknown = shown.slice(1).map(({ id }) => id)
  await database().query(
    "update social_reveals set status = 'unknown', provider_post_id = null where publication_id = any ($1)",
    [unknown],
  )
  await database().query(
    "update social_publications set status = 'unknown', published_at = null, provider_post_id = null where id = any ($1)",
    [unknown],
  )
  await get('/social-publications?limit=60')

  const post = await publishedOn(shop, e, account)
  await comments(post, 'Is it open on Sundays?', 12)
  await sync(post, { publication_ids: [post.publication] })
  await sync(post, {})
  const at = `/social-publications/${post.publication}`
  const { items } = (await get(`${at}/comments`)).body as { items: { id: string }[] }
  const replies: string[] = []
  for (const { id } of items.slice(0, 8))
    replies.push(
      (
        await made(
          shop.asOperator('POST', `${at}/comments/${id}/replies`, { reply_id: randomUUID(), text: `Yes ${unique()}` }),
        )
      ).id,
    )
  await database().query(
    "update social_replies set status = 'unknown', provider_comment_id = null where id = any ($1)",
    [replies.slice(2)],
  )
  for (const [n, id] of replies.entries()) await get(`${at}/comments/${items[n]?.id}/replies/${id}`)
  await get(`${at}/comments/${items[0]?.id}/thread`)
  await get(`${at}/metrics`)
  await get('/social-replies')
  await shop.asOperator('POST', '/social-publications/comments/classify', {
    publication_id: post.publication,
    limit: 2,
  })
  await get('/social-publications?limit=60')
}
