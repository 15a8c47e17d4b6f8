// Comments below publications: read within the bounds of a sync, stored once, answered once, and erased when their
// network does not have them any more.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { findSocialReply } from '../../activities/engagement/replies.ts'
import { closeDatabase, transaction } from '../../activities/kit/database.ts'
import { readAccount } from '../../activities/social/reads.ts'
import { config } from '../../config.ts'
import type { EntityManager } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { QuotaExhausted, spendRead, spendReply } from '../../entities/social/quota.ts'
import { commentsRequest } from '../../rules/engagement/comment-pages.ts'
import type { Quota } from '../../rules/social/networks/network.ts'
import { type NetworkType, networkTypes } from '../../rules/social/networks/network-types.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import { pacificDay } from '../../rules/social/networks/pacific-day.ts'
import { until } from '../kit/codes.ts'
import { atOnce } from '../kit/orders/buying.ts'
import { database, eitherApi, newShop, type Shop, unique } from '../kit/shop.ts'
import {
  comment,
  comments,
  editComment,
  list,
  openThread,
  type Post,
  published,
  publishedOn,
  reply,
  sync,
  synced,
} from '../kit/social/engagement.ts'
import { act, now, reached } from '../kit/social/publications.ts'
import { networkOf, social, socialFault, socialLedger } from '../kit/social/social.ts'

jest.setTimeout(120_000)

let shop: Shop
beforeAll(async () => {
  shop = await newShop()
})
afterAll(async () => {
  await closeDatabase()
  await database().end()
})

const query = async (sql: string, ...values: unknown[]) => (await database().query(sql, values)).rows
const texts = (items: { text: string | null }[]) => items.map(({ text }) => text)
const ask = async (post: Post, more: object = {}) =>
  (await sync(post, { publication_ids: [post.publication], sync_metrics: false, ...more })).body
const all = { max_comment_pages_per_publication: 20, max_comments_per_publication: 1_000 }
const readsOf = async ({ post }: Post) =>
  (await socialLedger({})).filter(
    ({ method, fields, path }) => method === 'GET' && (path.includes(post) || JSON.stringify(fields).includes(post)),
  )

/** A new post of the same account, which is connected at the first use. */
const first = new Map<NetworkType, Promise<Post>>()
async function newPost(type: NetworkType): Promise<Post> {
  const known = first.get(type)
  if (!known) first.set(type, published(shop, type))
  const { connection, account } = (await first.get(type)) as Post
  return known ? publishedOn(shop, connection, account) : (first.get(type) as Promise<Post>)
}

describe('Syncs', () => {
  test.each(networkTypes)(
    'A sync stores the top-level comments of %s, and opening a thread its replies',
    async (type) => {
      const at = await newPost(type)
      const asked = await comment(at, 'Is it open on Sundays?', { author: 'Ada L' })
      const below = await comment(at, 'I would like to know, too', { parent_id: asked.id })
      await comment(at, 'Below that', { parent_id: below.id })
      await comment(at, 'Great & small')
      const items = await synced(at)
      expect(texts(items)).toEqual(['Great & small', 'Is it open on Sundays?'])
      const root = items[1]
      expect(root).toMatchObject({
        ...{
          publication_id: at.publication,
          provider_comment_id: asked.id,
          own: false,
          root_id: null,
          parent_id: null,
          gone_at: null,
          answered: false,
        },
        ...{ reply_id: null, classification: null },
      })
      const { status, body } = await openThread(at, root?.id as string)
      expect([status, body.stale, body.error, body.cursor, body.root.id]).toEqual([200, false, null, null, root?.id])
      // Networks b, c and e list one level; what is deeper has its place where the network has it.
      const [known, deeper] = body.items
      expect(known).toMatchObject({ text: 'I would like to know, too', root_id: root?.id, parent_id: root?.id })
      if (deeper) expect(deeper).toMatchObject({ text: 'Below that', root_id: root?.id })
      // Within a minute it is not read again, by whichever comment it is opened.
      const before = (await readsOf(at)).length
      expect((await openThread(at, known.id)).body).toMatchObject({ root: { id: root?.id }, stale: false })
      expect((await readsOf(at)).length).toBe(before)
    },
  )

  test.each(networkTypes)('Figures of %s are those that it reports; what it does not report is null', async (type) => {
    const at = await newPost(type)
    const names = {
      ...{
        network_a_page: { post_media_view: 12, post_total_media_view_unique: 7 },
        network_b_business: { views: 12, reach: 7, saved: 2 },
      },
      ...{
        network_c_channel: {},
        network_d_account: { impression_count: 12, bookmark_count: 2 },
        network_e_account: { views: 12 },
      },
    }[type]
    const read = async () => (await shop.asOperator('GET', `/social-publications/${at.publication}/metrics`)).body
    expect(await read()).toMatchObject({
      publication_id: at.publication,
      values: { views: null, likes: null },
      synced_at: null,
    })
    await social('POST', '/posts', { id: at.post, metrics: names })
    await comment(at, 'One')
    expect(await ask(at, { sync_metrics: true })).toMatchObject({
      status: 'completed',
      items: [{ status: 'done', new: 1 }],
    })
    const { values, unsupported, synced_at } = await read()
    expect(synced_at).toEqual(expect.any(Number))
    expect([values.comments, typeof values.views]).toEqual([1, 'number'])
    if (type !== 'network_c_channel') expect(values.views).toBe(12)
    for (const name of unsupported) expect([name, values[name]]).toEqual([name, null])
  })

  test('Bounds are kept to the page and to the comment, and the newest comments are read', async () => {
    const at = await newPost('network_d_account')
    await comments(at, 'Comment', 130)
    const read = async (pages: number, most: number) => {
      const body = await ask(at, { max_comment_pages_per_publication: pages, max_comments_per_publication: most })
      expect(body).toMatchObject({ status: 'completed', finished_at: expect.any(Number) })
      return body.items[0]
    }
    expect(await read(1, 5)).toMatchObject({ status: 'done', new: 5, updated: 0, gone: 0, more: true, error: null })
    expect(texts((await list(at)).items)).toEqual([130, 129, 128, 127, 126].map((n) => `Comment ${n}`))
    const before = (await readsOf(at)).length
    expect(await read(1, 1_000)).toMatchObject({ new: 95, more: true })
    expect((await readsOf(at)).length).toBe(before + 1)
    expect(await read(2, 105)).toMatchObject({ new: 5, more: true })
    expect(await read(20, 1_000)).toMatchObject({ new: 25, more: false })
    // Pages of the list: each comment once.
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = await list(at, `?limit=50&cursor=${cursor}`)
      seen.push(...page.items.map(({ id }: { id: string }) => id))
      if (!page.cursor) break
      cursor = page.cursor
    }
    expect([seen.length, new Set(seen).size]).toEqual([130, 130])
  })

  test('Two syncs at once store each comment once', async () => {
    const at = await newPost('network_b_business')
    await comments(at, 'Both', 120)
    const both = await atOnce(2, () => ask(at, all))
    expect(both.map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect(both.reduce((sum, { items }) => sum + items[0].new, 0)).toBe(120)
    expect(
      await query('select count(*)::int as n from social_comments where publication_id = $1', at.publication),
    ).toEqual([{ n: 120 }])
  })

  test('Only a listing that is read to its end erases comments that it does not have', async () => {
    const at = await newPost('network_a_page')
    const made = await comments(at, 'Soon gone', 12)
    const rows = await synced(at)
    const oldest = rows.find(({ text }) => text === 'Soon gone 1')
    await comment(at, 'Below it', { parent_id: oldest?.provider_comment_id as string })
    await openThread(at, oldest?.id as string)
    await editComment(made[0]?.id as string, { deleted: true })
    await editComment(made[5]?.id as string, { text: 'Edited', likes: 3 })
    expect((await ask(at, { max_comments_per_publication: 5 })).items[0]).toMatchObject({ gone: 0, more: true })
    expect((await list(at)).items).toHaveLength(12)
    // A listing that ends early because its second page cannot be read is no listing.
    await socialFault({
      path: `*${at.post}/comments`,
      fault: 'status',
      status: 400,
      code: 100,
      body_match: 'after=',
      times: 1,
    })
    await query('update social_comments set synced_at = synced_at - 10 where publication_id = $1', at.publication)
    await comments(at, 'More', 100)
    expect((await ask(at, all)).items[0]).toMatchObject({
      status: 'failed',
      gone: 0,
      error: { code: 'network_refused' },
    })
    expect(
      await query(
        'select count(*)::int as gone from social_comments where publication_id = $1 and gone_at is not null',
        at.publication,
      ),
    ).toEqual([{ gone: 0 }])
    expect((await ask(at, all)).items[0]).toMatchObject({ status: 'done', gone: 1, more: false })
    const left = await query(
      'select text from social_comments where publication_id = $1 and gone_at is null and root_id is null',
      at.publication,
    )
    expect([left.length, texts(left).includes('Edited')]).toEqual([111, true])
    expect(
      await query(
        'select text, author, gone_at is not null as gone from social_comments where id = $1 or root_id = $1',
        oldest?.id,
      ),
    ).toEqual([
      { text: null, author: null, gone: true },
      { text: null, author: null, gone: true },
    ])
    expect((await openThread(at, oldest?.id as string)).body.root).toMatchObject({
      text: null,
      author: null,
      gone_at: expect.any(Number),
    })
    expect((await reply(at, oldest?.id as string, { reply_id: newId(), text: 'Hello?' })).body).toMatchObject({
      status: 409,
      code: 'comment_gone',
    })
  })

  test('A listing that has lost 20,000 comments erases them within one sync', async () => {
    const at = await newPost('network_a_page')
    await comments(at, 'Left', 1)
    const idOf = (n: string) => `md5($3 || ${n})::uuid`
    await query(
      `insert into social_comments (id, tenant_id, created_at, updated_at, publication_id, provider_comment_id, parent_provider_id, root_id, parent_id, author, text, text_digest, own, provider_created_at, synced_at)
       select ${idOf('n')}, $1, 1, 1, $2, 'lost ' || n, 'lost ' || root, ${idOf('root')}, ${idOf('root')}, '{}', 'Lost', 'd', false, 1, extract(epoch from now())::bigint - 60
       from generate_series(1, 20000) n cross join lateral (select case when n > 15000 then n - 15000 end as root) x`,
      shop.store_id,
      at.publication,
      newId(),
    )
    // The answer waits for the end of the sync for seconds only.
    await ask(at, all)
    await until(
      async () =>
        (await query('select 1 from social_comments where publication_id = $1 and gone_at is null', at.publication))
          .length === 1,
    )
    expect(await query('select gone, new from social_sync_items where publication_id = $1', at.publication)).toEqual([
      { gone: 15_000, new: 1 },
    ])
  })

  test('A worker that cannot read leaves the cursor, and the next read goes on there', async () => {
    const at = await newPost('network_e_account')
    await comments(at, 'Page', 250)
    await socialFault({ path: `*${at.post}/replies`, fault: 'status', status: 503, body_match: 'after', times: 1 })
    expect((await ask(at, all)).items[0]).toMatchObject({ status: 'done', new: 250, more: false })
    const cursors = (await readsOf(at))
      .filter(({ path }) => path.endsWith('/replies'))
      .map(({ fields, status }) => [fields.after ?? null, status])
    // The first page is read once, the second one twice.
    expect(cursors.map(([after]) => after !== null)).toEqual([false, true, true, true])
    expect([cursors[1]?.[0] === cursors[2]?.[0], cursors[1]?.[1]]).toEqual([true, 503])
  })

  test('A publication that cannot be read is skipped or failed, and the others are read', async () => {
    const [at, draft, gone, billed] = [
      await newPost('network_b_business'),
      await newPost('network_b_business'),
      await newPost('network_a_page'),
      await newPost('network_d_account'),
    ]
    await comment(at, 'One')
    await query("update social_publications set status = 'draft', published_at = null where id = $1", draft.publication)
    await social('POST', '/posts', { id: gone.post, deleted: true })
    const named = await sync(at, {
      publication_ids: [draft.publication, gone.publication, at.publication, at.publication, billed.publication],
    })
    expect(named.body.items).toMatchObject([
      { publication_id: draft.publication, status: 'skipped', error: { code: 'publication_not_published' } },
      { publication_id: gone.publication, status: 'failed', error: { code: 'gone' } },
      { publication_id: at.publication, status: 'done', new: 1 },
      { publication_id: billed.publication, status: 'done' },
    ])
    const newest = await sync(at, { max_publications: 2 })
    expect(newest.body.items).toMatchObject([
      { publication_id: billed.publication, status: 'skipped', error: { code: 'reads_billed' } },
      { status: 'failed' },
    ])
    expect((await sync(at, { publication_ids: [newId()] })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/publication_ids/0', code: 'publication_unknown' }],
    })
    expect((await sync(at, { publication_ids: [gone.publication], sync_metrics: false })).body).toMatchObject({
      status: 'failed',
    })
    const { body: kept } = await shop.asOperator('GET', `/social-publications/engagement/syncs/${named.body.id}`)
    expect(kept).toEqual(named.body)
  })

  test('A network that asks for a pause is not read before its end, and other accounts are', async () => {
    const [at, other] = [await newPost('network_e_account'), await newPost('network_b_business')]
    await comments(at, 'Later', 3)
    await comment(other, 'Now')
    await socialFault({
      path: `*${at.post}/replies`,
      fault: 'status',
      status: 429,
      headers: { 'retry-after': '3' },
      times: 1,
    })
    const { body } = await sync(at, { publication_ids: [at.publication, other.publication], sync_metrics: false })
    expect(body).toMatchObject({
      status: 'completed',
      items: [
        { status: 'done', new: 3 },
        { status: 'done', new: 1 },
      ],
    })
    const [refused, read] = (await readsOf(at)).filter(({ path }) => path.endsWith('/replies'))
    expect(Number(read?.time) - Number(refused?.time)).toBeGreaterThanOrEqual(2)
    expect(Number((await readsOf(other))[0]?.time)).toBeLessThan(Number(read?.time))
    // From 95 % on, the account is left alone.
    await social('POST', '/settings', { network: 'e', account: at.account, usage_percent: 96, regain_minutes: 1 })
    await ask(at)
    const [{ left }] = await query(
      'select (reads_paused_until - extract(epoch from now()))::int as left from social_connections where id = $1',
      at.connection,
    )
    expect(left).toBeGreaterThan(30)
    // What is due is published all the same.
    const content = { type: 'network_e_account', caption: `On time ${unique()}` }
    const due = await shop.asOperator('POST', '/social-publications', { social_connection_id: at.connection, content })
    await act(shop, due.body.publication.id, 'schedule', { scheduled_at: now() })
    expect((await reached(shop, due.body.publication.id, ['published'])).attempts).toHaveLength(1)
    await social('POST', '/settings', { network: 'e', account: at.account, usage_percent: null, regain_minutes: null })
    await query('update social_connections set reads_paused_until = null where id = $1', at.connection)
  })

  test('A pause that cannot be stored fails its read, which Temporal then repeats ever later', async () => {
    const { connection: id, post } = await newPost('network_e_account')
    await socialFault({
      path: `*${post}/replies`,
      fault: 'status',
      status: 429,
      headers: { 'retry-after': '3' },
      times: 1,
    })
    const request = (token: string) =>
      commentsRequest(
        { type: 'network_e_account', post, root: null },
        { wanted: 1, cursor: null, token, version: config.social.graphVersion },
      )
    await expect(
      readAccount({ connection: { id, tenant_id: 'no uuid', type: 'network_e_account' } }, request),
    ).rejects.toThrow('uuid')
  })

  test('The quota of network c bounds the reads of one store and of all, and the replies of all', async () => {
    const at = await newPost('network_c_channel')
    const { costs, limits } = networks.network_c_channel.quota as Quota
    const { date } = pacificDay(Math.floor(Date.now() / 1000))
    await query(
      `insert into rate_windows (key, started_at, count, expires_at) values ($1, $2::bigint, $3, $2::bigint + 172800) on conflict (key, started_at) do update set count = $3`,
      ...[`social:c:reads:${shop.store_id}:${date}`, Date.parse(`${date}T00:00:00Z`) / 1000, limits.reads_of_store - 1],
    )
    expect((await ask(at)).items[0]).toMatchObject({ status: 'done' })
    expect((await ask(at)).items[0]).toMatchObject({ status: 'failed', error: { code: 'quota_exhausted' } })
    await query('delete from rate_windows where key = $1', `social:c:reads:${shop.store_id}:${date}`)
    // What all stores share is counted on a day of its own.
    const later = Math.floor(Date.now() / 1000) + 1_000 * 86_400
    const spent = async (spend: (em: EntityManager) => Promise<void>) => {
      for (let n = 0; ; n++) {
        const isLeft = await transaction(spend).then(
          () => true,
          (error) => !(error instanceof QuotaExhausted) && Promise.reject(error),
        )
        if (!isLeft) return n
      }
    }
    expect(await spent((em) => spendReply(em, 'network_c_channel', later))).toBe(limits.writes / costs.reply)
    const stores = Array.from({ length: limits.reads / limits.reads_of_store }, () => newId())
    await query(
      'insert into rate_windows (key, started_at, count, expires_at) select $1, started_at, $2::int, expires_at from rate_windows where key = $3',
      ...[`social:c:reads:${pacificDay(later).date}`, limits.reads - 3, `social:c:writes:${pacificDay(later).date}`],
    )
    const reads = await Promise.all(
      stores.map((store) => spent((em) => spendRead(em, 'network_c_channel', store, later))),
    )
    expect(reads.reduce((sum, n) => sum + n, 0)).toBe(3)
  })

  test('A sync beyond the limit of a minute is refused, with the time to wait', async () => {
    const at = await published(await newShop(), 'network_b_business')
    const minute = Math.floor(Date.now() / 60_000) * 60
    for (const from of [minute, minute + 60])
      await query(
        'insert into rate_windows (key, started_at, count, expires_at) values ($1, $2::bigint, 1000000, $2::bigint + 120)',
        ...[`social-sync:${at.shop.store_id}`, from],
      )
    const { status, body, headers } = await sync(at, { publication_ids: [at.publication] })
    expect([status, body.code, Number(headers.get('retry-after')) > 0]).toEqual([429, 'too_many_requests', true])
    expect(await query('select 1 from social_syncs where tenant_id = $1', at.shop.store_id)).toEqual([])
  })

  test('A token that the network refuses is renewed once, and the sync goes on', async () => {
    const at = await newPost('network_d_account')
    await comment(at, 'After the refresh')
    await social('POST', '/expire', { network: 'd', account: at.account })
    expect((await ask(at)).items[0]).toMatchObject({ status: 'done', new: 1 })
  })
})

describe('Replies', () => {
  type There = { id: string; comments: { id: string; text: string; own: boolean }[] }
  /** Own comments with this text at the network. */
  const repliesAt = async ({ type, post, owner }: Post, text: string) => {
    const there = await social<There[]>('GET', `/posts?network=${networkOf(type)}&owner=${owner}`)
    return (there.find(({ id }) => id === post)?.comments ?? []).filter((one) => one.own && one.text === text)
  }
  const question = async (at: Post) => {
    await comment(at, `Question ${newId()}`)
    return (await synced(at))[0]?.id as string
  }
  const places: Record<NetworkType, string> = {
    ...{ network_a_page: '/graph.facebook.com/*/comments', network_b_business: '/graph.instagram.com/*/replies' },
    ...{ network_c_channel: '/www.googleapis.com/youtube/v3/comments', network_d_account: '/api.x.com/2/tweets' },
    network_e_account: '/graph.threads.net/*/threads_publish',
  }
  const fault = (type: NetworkType, given: Record<string, unknown>) =>
    socialFault({ path: places[type], method: 'POST', ...given })

  test.each(networkTypes)(
    'The same reply to a comment of %s from eight callers is one comment at the network',
    async (type) => {
      const at = await newPost(type)
      const id = await question(at)
      const sent = { reply_id: newId(), text: `Yes, until noon ${newId().slice(-4)}` }
      const answers = await atOnce(8, () => reply(at, id, sent, eitherApi()))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
      for (const { body } of answers)
        expect(body).toMatchObject({ reply_id: sent.reply_id, comment_id: id, text: sent.text, status: 'succeeded' })
      const there = await repliesAt(at, sent.text)
      expect(there.map((one) => one.id)).toEqual([answers[0]?.body.provider_comment_id])
      const elsewhere = (await comment(at, 'Another question')).id
      const other = (await synced(at)).find(({ provider_comment_id }) => provider_comment_id === elsewhere)
        ?.id as string
      for (const again of [reply(at, id, { ...sent, text: 'Another' }), reply(at, other, sent)])
        expect((await again).body).toMatchObject({ status: 409, code: 'idempotency_conflict' })
      expect(await repliesAt(at, 'Another')).toEqual([])
      // It is in its thread at once, and the comment is answered.
      const { body } = await openThread(at, id)
      expect(body.items).toEqual([
        expect.objectContaining({ text: sent.text, own: true, reply_id: sent.reply_id, root_id: id, parent_id: id }),
      ])
      expect([
        texts((await list(at, '?answered=true')).items).length,
        texts((await list(at, '?answered=false')).items),
      ]).toEqual([1, ['Another question']])
      expect(
        (await shop.asOperator('GET', `/social-publications/${at.publication}/comments/${id}/replies/${sent.reply_id}`))
          .body,
      ).toMatchObject({
        status: 'succeeded',
        attempt: 1,
      })
    },
  )

  test.each(networkTypes)('A reply to %s whose answer was lost is found by reading, and is sent once', async (type) => {
    const at = await newPost(type)
    const id = await question(at)
    const text = `Lost ${newId()}`
    await fault(type, {
      fault: 'reset_after_read',
      after_effect: true,
      ...(type === 'network_e_account' ? {} : { body_match: text }),
    })
    const { body } = await reply(at, id, { reply_id: newId(), text })
    await until(
      async () =>
        (await query('select status from social_replies where reply_id = $1', body.reply_id))[0].status === 'succeeded',
    )
    const [row] = await query(
      'select attempt, provider_comment_id, evidence from social_replies where reply_id = $1',
      body.reply_id,
    )
    expect((await repliesAt(at, text)).map((one) => one.id)).toEqual([row.provider_comment_id])
    expect([row.attempt, row.evidence.proof]).toEqual([1, 'thread'])
    expect((await openThread(at, id)).body.items).toEqual([expect.objectContaining({ text, reply_id: body.reply_id })])
  })

  test('Two equal replies whose answers were lost are unknown until an operator resolves them', async () => {
    const at = await newPost('network_b_business')
    const id = await question(at)
    const text = `Twice ${newId()}`
    await social('POST', '/settings', { network: 'b', account: at.account, lag_s: 4 })
    await fault('network_b_business', {
      fault: 'reset_after_read',
      after_effect: true,
      body_match: text.slice(6),
      times: 2,
    })
    const ids = [newId(), newId()]
    const both = await Promise.all(ids.map((reply_id) => reply(at, id, { reply_id, text })))
    expect(both.map(({ body }) => body.status)).toEqual(['unknown', 'unknown'])
    await social('POST', '/settings', { network: 'b', account: at.account, lag_s: null })
    for (const { body } of both) await findSocialReplyOf(body.id)
    expect(await repliesAt(at, text)).toHaveLength(2)
    const { body: unknown } = await shop.asOperator(
      'GET',
      `/social-replies?status=unknown&publication_id=${at.publication}`,
    )
    expect(unknown.items.map(({ reply_id }: { reply_id: string }) => reply_id).sort()).toEqual([...ids].sort())
    const resolve = (reply_id: string, body: object) =>
      shop.asOperator('POST', `/social-publications/${at.publication}/comments/${id}/replies/${reply_id}/resolve`, body)
    const [first, second] = ids as [string, string]
    const found = (await repliesAt(at, text))[0]?.id
    // With one of both resolved, a look of the worker would prove the other by the comment that is left.
    await social('POST', '/settings', { network: 'b', account: at.account, lag_s: 600 })
    const done = await resolve(first, { outcome: 'succeeded', provider_comment_id: found, note: 'It is there.' })
    expect(done.body).toMatchObject({
      status: 'succeeded',
      provider_comment_id: found,
      resolution: { outcome: 'succeeded', note: 'It is there.' },
    })
    // A correction drops the comment that was stored for it, and another one stores it again.
    const corrected = await resolve(first, { outcome: 'rejected', replaces: 'succeeded', note: 'No.' })
    expect(corrected.body).toMatchObject({
      status: 'rejected',
      provider_comment_id: null,
      resolution: { before: { outcome: 'succeeded' } },
    })
    const again = { outcome: 'succeeded', replaces: 'rejected', provider_comment_id: found, note: 'Yes.' }
    expect((await resolve(first, again)).body.status).toBe('succeeded')
    expect(
      (await resolve(second, { outcome: 'succeeded', provider_comment_id: found, note: 'It is there.' })).body,
    ).toMatchObject({
      ...{ status: 409, code: 'comment_taken' },
    })
    expect((await resolve(second, { outcome: 'rejected', note: 'Deleted by hand.' })).body).toMatchObject({
      status: 'rejected',
    })
  })

  test('Opening its thread proves an unknown reply', async () => {
    const at = await newPost('network_a_page')
    const id = await question(at)
    const text = `Proved ${newId()}`
    await social('POST', '/settings', { network: 'a', owner: at.owner, lag_s: 3 })
    await fault('network_a_page', { fault: 'status', status: 500, after_effect: true, body_match: text.slice(7) })
    const { body } = await reply(at, id, { reply_id: newId(), text })
    expect(body.status).toBe('unknown')
    await social('POST', '/settings', { network: 'a', owner: at.owner, lag_s: null })
    const opened = await openThread(at, id)
    expect(opened.body.items).toEqual([expect.objectContaining({ text, reply_id: body.reply_id, own: true })])
    expect((await reply(at, id, { reply_id: body.reply_id, text })).body).toMatchObject({
      status: 'succeeded',
      attempt: 1,
    })
  })

  test('A reply that network e has prepared and not published ten minutes later is rejected', async () => {
    const at = await newPost('network_e_account')
    const id = await question(at)
    const text = `Prepared ${newId()}`
    await socialFault({
      path: `/graph.threads.net/*/${at.owner}/threads_publish`,
      method: 'POST',
      fault: 'reset_after_read',
    })
    const { body } = await reply(at, id, { reply_id: newId(), text })
    const statusAfterLook = async () => {
      await findSocialReplyOf(body.id)
      return (await query('select status, error from social_replies where id = $1', body.id))[0]
    }
    expect([body.status, (await statusAfterLook()).status]).toEqual(['unknown', 'unknown'])
    await query("update social_replies set sent_at = sent_at - interval '10 minutes' where id = $1", body.id)
    expect(await statusAfterLook()).toMatchObject({ status: 'rejected', error: { code: 'not_published' } })
    expect(await repliesAt(at, text)).toEqual([])
  })

  test('A refused reply is rejected in the words of the network, and a limit only delays one', async () => {
    const at = await newPost('network_d_account')
    const id = await question(at)
    const text = `Refused ${newId()}`
    await fault('network_d_account', { fault: 'status', status: 403, body_match: text.slice(8) })
    expect((await reply(at, id, { reply_id: newId(), text })).body).toMatchObject({
      status: 'rejected',
      error: { code: 'network_refused', provider_status: 403 },
    })
    const later = `Later ${newId()}`
    await fault('network_d_account', {
      fault: 'status',
      status: 429,
      headers: { 'retry-after': '2' },
      body_match: later.slice(6),
    })
    expect((await reply(at, id, { reply_id: newId(), text: later })).body).toMatchObject({
      status: 'succeeded',
      attempt: 2,
    })
    expect(await repliesAt(at, later)).toHaveLength(1)
    const [refused, sent] = await socialLedger({ host: 'api.x.com', match: later })
    expect(Number(sent?.time) - Number(refused?.time)).toBeGreaterThanOrEqual(1)
  })

  test('A reply that network d made behind a limit is found when the next try is a duplicate', async () => {
    const at = await newPost('network_d_account')
    const id = await question(at)
    const text = `Made ${newId()}`
    await fault('network_d_account', {
      fault: 'status',
      status: 429,
      headers: { 'retry-after': '7' },
      body_match: text.slice(5),
      after_effect: true,
    })
    const { body } = await reply(at, id, { reply_id: newId(), text })
    await until(
      async () =>
        (await query('select status from social_replies where reply_id = $1', body.reply_id))[0].status === 'succeeded',
    )
    const [row] = await query(
      'select attempt, provider_comment_id, evidence from social_replies where reply_id = $1',
      body.reply_id,
    )
    expect((await repliesAt(at, text)).map((one) => one.id)).toEqual([row.provider_comment_id])
    expect([row.attempt, row.evidence.proof]).toEqual([2, 'thread'])
  })

  test('A reply whose token is refused is sent with a new one', async () => {
    const at = await newPost('network_d_account')
    const id = await question(at)
    await social('POST', '/expire', { network: 'd', account: at.account })
    const text = `Renewed ${newId()}`
    expect((await reply(at, id, { reply_id: newId(), text })).body).toMatchObject({ status: 'succeeded', attempt: 2 })
    expect(await repliesAt(at, text)).toHaveLength(1)
  })

  test('A reply is refused before it is stored if it cannot be sent', async () => {
    const at = await newPost('network_e_account')
    const id = await question(at)
    const refused = async (more: { text?: string } = {}) =>
      (await reply(at, id, { reply_id: newId(), text: 'Hello', ...more })).body
    expect(await refused({ text: 'x'.repeat(501) })).toMatchObject({
      status: 422,
      errors: [{ pointer: '/text', code: 'too_long' }],
    })
    expect((await reply(at, newId(), { reply_id: newId(), text: 'Hello' })).status).toBe(404)
    await query("update social_publications set status = 'unknown' where id = $1", at.publication)
    expect(await refused()).toMatchObject({ status: 409, code: 'publication_not_published' })
    await query("update social_publications set status = 'published' where id = $1", at.publication)
    await query("update social_connections set status = 'needs_reconnect' where id = $1", at.connection)
    expect(await refused()).toMatchObject({ status: 409, code: 'connection_needs_reconnect' })
    const thread = (await openThread(at, id)).body
    expect(thread).toMatchObject({ stale: true, error: { code: 'connection_needs_reconnect' }, items: [] })
    await query("update social_connections set status = 'active' where id = $1", at.connection)
  })
})

/** Reads the thread, as the workflow of an unknown reply does later. */
async function findSocialReplyOf(id: string): Promise<void> {
  const [{ MockActivityEnvironment }, { DefaultLogger }] = await Promise.all([
    import('@temporalio/testing'),
    import('@temporalio/worker'),
  ])
  await new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(findSocialReply, id)
}
