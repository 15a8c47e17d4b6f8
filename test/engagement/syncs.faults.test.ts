// Syncs beside faults and beside each other: a worker that dies loses one page, and a store with much to read delays no
// other one by more than a slice.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { until } from '../kit/codes.ts'
import type { Shop } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(180_000)

let lab: Lab
let kit: typeof import('../kit/social/engagement.ts')
let shops: typeof import('../kit/shop.ts')
let sims: typeof import('../kit/social/social.ts')
let publishing: typeof import('../kit/social/publications.ts')
let shop: Shop
let worker: Awaited<ReturnType<Lab['startWorker']>>
// As few slots as a worker may have.
const settings = { RECONCILE_EVERY_MS: '1000', ANSWER_WAIT_MS: '45000', TEMPORAL_TASK_SLOTS: '2' }
beforeAll(async () => {
  lab = await startLab('syncs', settings, { queues: ['social', 'engagement', 'mail', 'default'] })
  ;[kit, shops, sims, publishing] = await Promise.all([
    import('../kit/social/engagement.ts'),
    import('../kit/shop.ts'),
    import('../kit/social/social.ts'),
    import('../kit/social/publications.ts'),
  ])
  await lab.stack.startApi(settings)
  worker = await lab.startWorker()
  shop = await shops.newShop()
})
afterAll(async () => {
  await worker.stop()
  await shops.database().end()
  await lab.stop()
})

const query = async (sql: string, ...values: unknown[]) => (await shops.database().query(sql, values)).rows
const whole = { max_comment_pages_per_publication: 20, max_comments_per_publication: 1_000, sync_metrics: false }

test.each(['sync_page', 'sync_page_written'] as const)(
  'A worker killed at %s loses that page at most, and another goes on at the cursor',
  async (step) => {
    const at = await kit.published(shop, 'network_b_business')
    await kit.comments(at, 'Killed', 170)
    lab.failAt(step, 'social_syncs', 'kill')
    const syncing = kit.sync(at, { publication_ids: [at.publication], ...whole })
    await lab.failed(step, 'social_syncs')
    worker = await lab.startWorker()
    expect((await syncing).body).toMatchObject({
      status: 'completed',
      items: [{ status: 'done', new: 170, more: false }],
    })
    expect(
      await query(
        'select count(*)::int as n, count(distinct provider_comment_id)::int as distinct from social_comments where publication_id = $1',
        at.publication,
      ),
    ).toEqual([{ n: 170, distinct: 170 }])
    // Four pages: those that were read and not written are read again, two at most.
    const reads = (await sims.socialLedger({ path: `/v25.0/${at.post}/comments` })).map(
      ({ fields }) => fields.after ?? '',
    )
    expect(new Set(reads).size).toBe(4)
    expect(reads.length).toBeLessThanOrEqual(step === 'sync_page' ? 6 : 5)
  },
)

test('A sync whose workflow was lost is taken up by the reconciler', async () => {
  const at = await kit.published(shop, 'network_b_business')
  await kit.comments(at, 'Lost', 3)
  await worker.stop()
  const syncing = kit.sync(at, { publication_ids: [at.publication], ...whole })
  await until(
    async () =>
      (await query("select 1 from outbox where kind = 'social_sync' and tenant_id = $1", shop.store_id)).length > 0,
  )
  await query("delete from outbox where kind = 'social_sync' and tenant_id = $1", shop.store_id)
  await query(
    'update social_syncs set created_at = created_at - 60 where tenant_id = $1 and status = $2',
    shop.store_id,
    'queued',
  )
  worker = await lab.startWorker()
  expect((await syncing).body).toMatchObject({ status: 'completed', items: [{ new: 3 }] })
})

test('A store that reads much delays no sync of another store, no reply and no publication', async () => {
  const accounts = await Promise.all(
    ['network_a_page', 'network_b_business', 'network_e_account'].map((type) =>
      kit.published(shop, type as 'network_a_page'),
    ),
  )
  const posts = (
    await Promise.all(
      accounts.map(({ connection, account }) =>
        Promise.all(Array.from({ length: 10 }, () => kit.publishedOn(shop, connection, account))),
      ),
    )
  ).flat()
  await Promise.all(posts.map((post) => kit.comments(post, 'Many', 200)))
  const small = await shops.newShop()
  const other = await kit.published(small, 'network_b_business')
  await kit.comments(other, 'Few', 5)
  const posting = await sims.connect(small, 'network_d_account', shops.unique())
  const [answered] = await kit.synced(accounts[0] as (typeof posts)[number]).then(async () => {
    await kit.comment(accounts[0] as (typeof posts)[number], 'A question')
    return kit.synced(accounts[0] as (typeof posts)[number])
  })
  // Every read takes a while: the slices of the large sync fill both slots of the worker.
  await sims.socialFault({ path: '/*/comments', fault: 'delay', delay_ms: 500, times: 10_000 })
  const large = kit.sync(posts[0] as (typeof posts)[number], {
    publication_ids: posts.map(({ publication }) => publication),
    ...whole,
  })
  const begun = await until(
    async () =>
      (
        await query(
          "select 1 from social_sync_items i where i.tenant_id = $1 and i.pages > 0 and i.status = 'pending'",
          shop.store_id,
        )
      ).length > 0,
  )
  expect(begun).toBeTruthy()
  const pages = async (): Promise<number> =>
    (await query('select sum(pages)::int as n from social_sync_items where tenant_id = $1', shop.store_id))[0].n
  const before = await pages()
  const caption = `On time ${shops.unique()}`
  const [synced, replied, published] = await Promise.all([
    kit.sync(other, { publication_ids: [other.publication], ...whole }),
    kit.reply(accounts[0] as (typeof posts)[number], answered?.id as string, {
      reply_id: crypto.randomUUID(),
      text: 'An answer',
    }),
    publishing
      .scheduled(small, posting, { type: 'network_d_account', caption })
      .then(({ id }) => publishing.reached(small, id, ['published', 'failed', 'unknown'])),
  ])
  expect(synced.body).toMatchObject({ status: 'completed', items: [{ new: 5 }] })
  expect(replied.body).toMatchObject({ status: 'succeeded' })
  expect([published.status, (await publishing.visible(caption)).length]).toEqual(['published', 1])
  const [{ left }] = await query(
    "select count(*)::int as left from social_sync_items i join social_syncs s on s.id = i.sync_id where i.tenant_id = $1 and i.status = 'pending'",
    shop.store_id,
  )
  // They waited for slices of the large one, and not for its end.
  expect([left > 10, (await pages()) - before < 80]).toEqual([true, true])
  await sims.social('DELETE', '/faults')
  expect((await large).body).toMatchObject({ status: 'completed' })
})
