// What rows of social records allow beside concurrent changes: what proves a post or a reply, what is still sent, and
// what an operator's removal costs.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import type { EntityManager } from '@mikro-orm/postgresql'
import { closeDatabase, transaction } from '../../activities/kit/database.ts'
import { findSocialPost, linkSocialPost } from '../../activities/publications/publications.ts'
import { disconnect } from '../../entities/connections/connections.ts'
import { socialTokenRequestEffect } from '../../entities/connections/token-requests.ts'
import { proveReplies, socialReplyEffect } from '../../entities/engagement/replies.ts'
import { endItem, sliceFacts } from '../../entities/engagement/sync-steps.ts'
import { type EffectRow, stamp } from '../../entities/kit/effects.ts'
import { newId } from '../../entities/kit/ids.ts'
import { digestOf, recordLink, recordRead, soughtOf } from '../../entities/publications/proofs.ts'
import { detachPublications, resolvePublication } from '../../entities/publications/publications.ts'
import { socialRevealEffect } from '../../entities/publications/reveals.ts'
import { until } from '../kit/codes.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(60_000)

let lab: Lab
let shop: Shop
beforeAll(async () => {
  // Without workers: what is written stays as it is.
  lab = await startLab('social-rows', {}, { parts: ['postgres', 'migrations'] })
  await lab.stack.startApi()
  shop = await newShop()
})
afterAll(async () => {
  await closeDatabase()
  await database().end()
  await lab.stop()
})

const now = (): number => Math.floor(Date.now() / 1000)
const query = async (text: string, ...values: unknown[]) => (await database().query(text, values)).rows
async function insert(table: string, row: Record<string, unknown>): Promise<string> {
  const all = { id: newId(), tenant_id: shop.store_id, created_at: now(), updated_at: now(), ...row }
  const names = Object.keys(all)
  await query(
    `insert into ${table} (${names.join()}) values (${names.map((_, n) => `$${n + 1}`).join()})`,
    ...Object.values(all),
  )
  return all.id as string
}

const connection = (more: Record<string, unknown> = {}) => {
  const account = randomUUID()
  return insert('social_connections', {
    ...{
      type: 'network_d_account',
      provider_account_id: account,
      name: 'Shop',
      granted_by: account,
      scopes: '[]',
      connected_by: newId(),
      refreshed_at: now(),
    },
    ...more,
  })
}
const accountOf = async (id: string): Promise<Record<string, string>> =>
  (await query('select type, provider_account_id, granted_by from social_connections where id = $1', id))[0]

type Made = { publication: string; reveal: string }
/** A publication, and the call that was to show it, as it is when its answer was lost. */
async function called(
  social_connection_id: string,
  text: string,
  more: Record<string, unknown> = {},
  publication: Record<string, unknown> = {},
): Promise<Made> {
  const tenant_id = (await query('select tenant_id from social_connections where id = $1', social_connection_id))[0]
    .tenant_id
  const { type } = await accountOf(social_connection_id)
  const id = await insert('social_publications', {
    ...{
      tenant_id,
      social_connection_id,
      type,
      content: JSON.stringify({ type, caption: text, media_ids: [] }),
      status: 'publishing',
      issues: '[]',
    },
    ...{ created_by: newId(), run: 1, scheduled_at: now(), started: true, planned: true, ...publication },
  })
  const reveal = await insert('social_reveals', {
    ...{
      tenant_id,
      publication_id: id,
      social_connection_id,
      type,
      run: 1,
      n: 1,
      not_before: new Date(0),
      not_after: new Date(8.64e12),
      fingerprint: '',
    },
    ...{
      subject: JSON.stringify({ kind: 'tweet', id: null, keys: [], text }),
      text_digest: digestOf(text),
      status: 'unknown',
    },
    ...{
      sent_at: new Date(),
      deadline_at: new Date(Date.now() + 18_000),
      settled_at: new Date(),
      claimed_at: new Date(),
      attempt: 1,
      token: 'x',
      ...more,
    },
  })
  return { publication: id, reveal }
}

/** After the first statement about posts of the account, `then` is committed by another connection. */
const interrupted = (em: EntityManager, then: () => Promise<unknown>): EntityManager => {
  let isDone = false
  return new Proxy(em, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (name !== 'execute') return typeof value === 'function' ? value.bind(target) : value
      return async (...given: unknown[]) => {
        const result = await (value as (...args: unknown[]) => Promise<unknown>).apply(target, given)
        if (!isDone && /r\.text_digest|jsonb_array_elements_text/.test(String((given[0] as { sql?: string }).sql))) {
          isDone = true
          await then()
        }
        return result
      }
    },
  })
}
const readsAs = (found: string[], of: Made, then: () => Promise<unknown> = async () => {}) =>
  transaction(async (em) => {
    const sought = await soughtOf(em, of.reveal)
    if (!sought) throw new Error('no such call')
    const alike = found.map((id) => ({ id, permalink: null }))
    await recordRead(interrupted(em, then), { seen: { shown: false, hidden: false, alike }, alike: [] }, sought)
  })
const statusOf = async ({ reveal }: Made) =>
  (await query('select status, provider_post_id from social_reveals where id = $1', reveal))[0]

test('A post that another call made while the network was read proves no call', async () => {
  const on = await connection()
  const [lost, other] = [await called(on, 'Hello'), await called(on, 'Hello', { status: 'processing' })]
  const post = randomUUID()
  await readsAs([post], lost, () =>
    query(`update social_reveals set status = 'succeeded', provider_post_id = $2 where id = $1`, other.reveal, post),
  )
  expect(await statusOf(lost)).toEqual({ status: 'unknown', provider_post_id: null })
  // Once the other one is known, a second post is this one's.
  const own = randomUUID()
  await readsAs([post, own], lost)
  expect(await statusOf(lost)).toEqual({ status: 'succeeded', provider_post_id: own })
})

test('Of two posts without a text none is taken for the other while one is being made', async () => {
  const on = await connection({ type: 'network_b_business' })
  const lost = await called(on, '', { status: 'succeeded' }, { status: 'published', published_at: now() })
  await called(on, '', { status: 'processing' })
  await transaction(async (em) => {
    const sought = await soughtOf(em, lost.reveal)
    if (sought)
      await recordLink(em, sought, { alike: [{ id: randomUUID(), permalink: null }], post: null, permalink: null })
  })
  expect((await statusOf(lost)).provider_post_id).toBeNull()
})

test('A post that another store made on the same account proves no call of this store', async () => {
  const on = await connection()
  const elsewhere = await connection({ ...(await accountOf(on)), tenant_id: (await newShop()).store_id })
  const lost = await called(on, 'Good morning')
  const post = randomUUID()
  const theirs = await called(elsewhere, 'Good morning', { status: 'succeeded', provider_post_id: post })
  await readsAs([post], lost)
  expect((await statusOf(lost)).status).toBe('unknown')
  await query(`update social_reveals set status = 'unknown', provider_post_id = null where id = $1`, theirs.reveal)
  await readsAs([post], lost)
  expect((await statusOf(lost)).status).toBe('unknown')
})

test('A read that is repeated because its result was lost is counted once', async () => {
  const lost = await called(await connection(), 'Counted', {
    status: 'processing',
    answered_at: new Date(),
    settled_at: null,
  })
  for (let n = 0; n < 3; n++) await findSocialPost(lost.reveal, 0)
  const proofs = async () => (await query('select proofs from social_reveals where id = $1', lost.reveal))[0].proofs
  expect(await proofs()).toBe(1)
  await findSocialPost(lost.reveal, 1)
  expect(await proofs()).toBe(2)
})

test('A read of a permalink that is repeated because its result was lost is counted once', async () => {
  const shown = await called(await connection(), 'Linked', {}, { status: 'published', published_at: now() })
  for (let n = 0; n < 3; n++) await linkSocialPost(shown.reveal, 0)
  const links = async () => (await query('select links from social_reveals where id = $1', shown.reveal))[0].links
  expect(await links()).toBe(1)
  await linkSocialPost(shown.reveal, 1)
  expect(await links()).toBe(2)
})

test('Resolving a publication ends a check of it that is under way', async () => {
  for (const outcome of ['published', 'failed'] as const) {
    const lost = await called(await connection(), 'Checked', { check_at: new Date() }, { status: 'unknown' })
    const said = { outcome, provider_post_id: null, force: false, note: 'Looked.', account_id: newId() }
    const { status } = await transaction((em) => resolvePublication(em, lost.publication, said, now()), shop.store_id)
    expect([
      status,
      (await query('select check_at from social_reveals where id = $1', lost.reveal))[0].check_at,
    ]).toEqual([outcome, null])
  }
})

const stamped = (row: EffectRow, id: string) => transaction((em) => stamp(em, row, id, 'x', 1_000))
const claimed = { status: 'processing', sent_at: null, deadline_at: null, settled_at: null }

async function asked(
  social_connection_id: string,
  more: Record<string, unknown> = {},
): Promise<{ reply: string; root: string; publication: string }> {
  const { publication } = await called(
    social_connection_id,
    'Post',
    { status: 'succeeded' },
    { status: 'published', published_at: now(), provider_post_id: randomUUID() },
  )
  const comment = (text: string) =>
    insert('social_comments', {
      ...{
        publication_id: publication,
        provider_comment_id: randomUUID(),
        own: false,
        provider_created_at: now(),
        synced_at: now(),
        text,
      },
    })
  const root = await comment('Nice?')
  const reply = await insert('social_replies', {
    ...{
      reply_id: newId(),
      publication_id: publication,
      comment_id: root,
      root_id: root,
      social_connection_id,
      type: 'network_d_account',
      text: 'Thank you!',
    },
    ...{ fingerprint: '', attempt: 1, token: 'x', claimed_at: new Date(), ...more },
  })
  return { reply, root, publication }
}

test('A draft store publishes and replies, and an archived one does neither', async () => {
  const on = await connection()
  const calls = [await called(on, 'One', claimed), await called(on, 'Two', claimed)] as const
  const replies = [await asked(on, { status: 'processing' }), await asked(on, { status: 'processing' })] as const
  await query(`update tenants set status = 'DRAFT' where id = $1`, shop.store_id)
  expect([
    await stamped(socialRevealEffect, calls[0].reveal),
    await stamped(socialReplyEffect, replies[0].reply),
  ]).toEqual(['stamped', 'stamped'])
  await query(`update tenants set status = 'ARCHIVED' where id = $1`, shop.store_id)
  expect([
    await stamped(socialRevealEffect, calls[1].reveal),
    await stamped(socialReplyEffect, replies[1].reply),
  ]).toEqual(['gone', 'gone'])
  await query(`update tenants set status = 'ACTIVE' where id = $1`, shop.store_id)
})

test('A reply is not sent while the network wants to be left alone for longer than it waits', async () => {
  const stampOf = async (left: number) => {
    const { reply } = await asked(await connection({ paused_until: now() + left }), { status: 'processing' })
    return stamped(socialReplyEffect, reply)
  }
  expect([await stampOf(60), await stampOf(7_200)]).toEqual(['stamped', 'gone'])
})

test('In a conversation, a reply to another comment proves no reply', async () => {
  const on = await connection()
  const { reply, root, publication } = await asked(on, {
    status: 'unknown',
    sent_at: new Date(),
    deadline_at: new Date(Date.now() + 18_000),
  })
  const found = (parent: string) => [
    { provider_comment_id: randomUUID(), parent, text: 'Thank you!', own: true, created_at: now() + 1 },
  ]
  const read = (parent: string) =>
    transaction((em) =>
      proveReplies(em, { tenant_id: shop.store_id, root_id: root, social_connection_id: on }, found(parent)),
    )
  await read(randomUUID())
  expect((await query('select status from social_replies where id = $1', reply))[0].status).toBe('unknown')
  const [{ provider_comment_id }] = await query(
    'select provider_comment_id from social_comments where publication_id = $1 and id = $2',
    publication,
    root,
  )
  await read(provider_comment_id)
  expect((await query('select status from social_replies where id = $1', reply))[0].status).toBe('succeeded')
})

test('Tokens are not revoked after their owner connected again where that ends every token', async () => {
  const revoking = async (type: string) => {
    const id = await connection({ type, status: 'disconnected' })
    const request = () =>
      insert('social_token_requests', {
        ...{
          kind: 'revoke',
          type,
          social_connection_id: id,
          token_version: 2,
          fingerprint: '',
          status: 'processing',
          attempt: 1,
          token: 'x',
          claimed_at: new Date(),
        },
      })
    const [first, second] = [await request(), await request()]
    const before = await stamped(socialTokenRequestEffect, first)
    await query(`update social_connections set status = 'active', token_version = 3 where id = $1`, id)
    return [before, await stamped(socialTokenRequestEffect, second)]
  }
  expect([
    await revoking('network_a_page'),
    await revoking('network_c_channel'),
    await revoking('network_d_account'),
  ]).toEqual([
    ['stamped', 'gone'],
    ['stamped', 'gone'],
    ['stamped', 'stamped'],
  ])
})

test('The statements that remove a connection do not grow with its publications', async () => {
  const on = await connection()
  const count = 50
  for (let n = 0; n < count; n++)
    await insert('social_publications', {
      ...{
        social_connection_id: on,
        type: 'network_d_account',
        content: JSON.stringify({ caption: `${n}`, media_ids: [] }),
        status: 'scheduled',
        issues: '[]',
      },
      ...{ created_by: newId(), run: 1, scheduled_at: now() + 86_400, started: n === 0 },
    })
  const [open, sent] = [await called(on, 'Open', claimed), await called(on, 'Sent', { status: 'processing' })]
  let statements = 0
  await transaction(
    (em) =>
      detachPublications(
        new Proxy(em, {
          get(target, name) {
            const value = Reflect.get(target, name, target) as unknown
            if (typeof value !== 'function') return value
            return (...given: unknown[]) => {
              if (name === 'execute') statements++
              return value.apply(target, given)
            }
          },
        }),
        { id: on, tenant_id: shop.store_id },
        now(),
      ),
    shop.store_id,
  )
  expect(statements).toBeLessThan(20)
  const rows = await query(
    'select id, status, error, look_at from social_publications where social_connection_id = $1',
    on,
  )
  // Those that no workflow waits for need none.
  expect(rows.filter(({ status, look_at }) => status === 'draft' && look_at !== null)).toHaveLength(2)
  expect(rows.filter(({ status, error }) => status === 'draft' && error.code === 'connection_removed')).toHaveLength(
    count + 1,
  )
  expect(rows.find(({ id }) => id === sent.publication)?.status).toBe('publishing')
  expect((await query('select withdrawn from social_reveals where id = $1', open.reveal))[0].withdrawn).toBe(true)
  expect(
    await query(`select row_id from outbox where kind = 'publication' and row_id = any ($1)`, [
      rows.map(({ id }) => id),
    ]),
  ).toHaveLength(2)
})

/** The first one is committed when the second one waits for its lock of the table, or has ended without doing so. */
async function atOnce(
  table: string,
  first: (em: EntityManager) => Promise<unknown>,
  second: (em: EntityManager) => Promise<unknown>,
): Promise<void> {
  const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%${table}%'`
  let isOver = false
  let other: Promise<unknown> = Promise.resolve()
  await transaction(async (em) => {
    await first(em)
    other = transaction(second, shop.store_id).finally(() => {
      isOver = true
    })
    await until(async () => isOver || (await query(waits)).length > 0)
  }, shop.store_id)
  await other
}

test('A sync ends when its last two publications end at the same time', async () => {
  const bounds = { kind: 'publications', pages_max: 2, comments_max: 100, with_metrics: true }
  const sync_id = await insert('social_syncs', { ...bounds, status: 'running' })
  const items = await Promise.all(
    [0, 1].map(async (position) => {
      const social_connection_id = await connection()
      const { publication } = await called(social_connection_id, '', {}, { status: 'published', published_at: now() })
      return insert('social_sync_items', {
        sync_id,
        position,
        publication_id: publication,
        social_connection_id,
        status: 'pending',
        phase: 'comments',
      })
    }),
  )
  const end = (item: string) => async (em: EntityManager) => {
    const slice = await sliceFacts(em, item)
    if (slice) await endItem(em, slice, 'done', null)
  }
  await atOnce('social_syncs', end(items[0] as string), end(items[1] as string))
  expect(
    await query('select status, finished_at is not null as ended from social_syncs where id = $1', sync_id),
  ).toEqual([{ status: 'completed', ended: true }])
})

test.each(['network_a_page', 'network_c_channel'])(
  'Two connections of one consent that are removed at the same time are revoked once: %s',
  async (type) => {
    const granted_by = randomUUID()
    const ids = [await connection({ type, granted_by }), await connection({ type, granted_by })]
    const remove = (id: string) => (em: EntityManager) => disconnect(em, shop.store_id, id, now())
    await atOnce('social_connections', remove(ids[0] as string), remove(ids[1] as string))
    expect(
      await query(
        'select kind, social_connection_id = any ($1) as own from social_token_requests where social_connection_id = any ($1)',
        ids,
      ),
    ).toEqual([{ kind: 'revoke', own: true }])
  },
)
