// Kinds that visitors make up stay few, and a reaction that is changed or taken back at the wrong moment is neither
// lost nor left behind, nor what is below it.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { EntityManager } from '@mikro-orm/postgresql'
import { look, unit } from '../../api/kit/unit.ts'
import { config } from '../../config.ts'
import { deleteReaction } from '../../entities/community/changes.ts'
import { moveReactions } from '../../entities/community/contact-moves.ts'
import { addStar } from '../../entities/community/contents.ts'
import { addMark } from '../../entities/community/marks.ts'
import { sweepRemoved } from '../../entities/community/sweep.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { sweep } from '../../entities/retention.ts'
import { shardOf } from '../../rules/community/reactions.ts'
import { untilAwaited, waitersOf } from '../kit/database/locks.ts'
import { until } from '../kit/orders/buying.ts'
import { createdOf, differences, type Forum, newForum, refused, rowsAt, said, type Target } from '../kit/reactions.ts'
import { database, newShop, type Shop, unique } from '../kit/shop.ts'

jest.setTimeout(120_000)

let shop: Shop
let forum: Forum
let orm: Orm
const become = (kind: 'store' | 'business') =>
  database().query('update tenants set kind = $2 where id = $1', [shop.store_id, kind])
beforeAll(async () => {
  ;[orm, shop] = await Promise.all([openOrm({ url: process.env.DATABASE_URL as string, pool: 2 }), newShop()])
  await become('business')
  forum = await newForum({ id: shop.store_id, publishable_key: shop.publishable_key, op: shop.op })
})
afterAll(async () => {
  await orm.close(true)
  expect(await differences(shop.store_id)).toEqual([])
  await database().end()
})

/** Runs `meet` once, after the statement of this number. */
function meeting(em: EntityManager, after: number, meet: () => Promise<unknown>): EntityManager {
  let statements = 0
  return new Proxy(em, {
    get(on, name) {
      const value = Reflect.get(on, name)
      // Prepared statements are sent by `execute` in a transaction.
      if (name === 'isInTransaction') return () => true
      if (typeof value !== 'function') return value
      if (name !== 'execute') return value.bind(on)
      return async (...sent: unknown[]) => {
        const rows = await value.apply(on, sent)
        if (++statements === after) await meet()
        return rows
      }
    },
  })
}
const authorOf = ({ contact_id }: { contact_id: string }) => ({ id: contact_id, official: false, verified: false })
const unixNow = () => Math.floor(Date.now() / 1000)

const countersOf = async (target: Target): Promise<number> =>
  (await database().query('select count(*)::int as n from reaction_counts where target_id = $1', [target.id])).rows[0].n

test('A person adds twenty marks at a place, and the known kinds beyond that', async () => {
  const [ann, ben, target] = [await forum.person(), await forum.person(), await forum.product()]
  for (let n = 0; n < 20; n++) await createdOf(forum.react(ann, target, `kind_${n}`))
  expect(refused(await forum.react(ann, target, 'kind_20'))).toEqual([409, 'kinds_too_many'])
  expect((await forum.react(ann, target, 'kind_3')).status).toBe(200)
  expect((await forum.react(ann, target, 'like')).status).toBe(201)
  expect((await forum.react(ann, target, 'star_4')).status).toBe(201)
  expect((await forum.react(ben, target, 'kind_20')).status).toBe(201)
  expect((await forum.react(ann, await forum.product(), 'kind_20')).status).toBe(201)
})

test('Made-up kinds that are taken back again and again leave no counters behind', async () => {
  const [ann, target] = [await forum.person(), await forum.product()]
  for (let n = 0; n < 30; n++) {
    const { id } = await createdOf(forum.react(ann, target, `kind_${n}`))
    expect((await forum.as(ann, 'DELETE', `/reactions/${id}`)).status).toBe(200)
  }
  expect([await countersOf(target), (await forum.summary(target)).body.counts]).toEqual([0, {}])
})

test('A place takes no more kinds than 500, and shows the known and the most frequent ones', async () => {
  const [ann, target] = [await forum.person(), await forum.product()]
  await createdOf(forum.react(ann, target, 'star_1'))
  await createdOf(forum.react(ann, target, 'like'))
  try {
    await database().query(
      `insert into reaction_counts (tenant_id, target_id, place_id, kind, shard, count) select $1, $2, $2, 'other_' || n, 0, n + 10 from generate_series(1, 498) n`,
      [forum.id, target.id],
    )
    for (const [kind, more] of [
      ['new', {}],
      ['new', said('In words.')],
    ] as const)
      expect(refused(await forum.react(ann, target, kind, more))).toEqual([409, 'kinds_too_many'])
    const known = await createdOf(forum.react(ann, target, 'other_1'))
    expect((await forum.react(ann, target, 'comment', said('Any.'))).status).toBe(201)
    const { counts, stars } = (await forum.summary(target)).body
    expect([Object.keys(counts).length, counts.like, counts.comment, counts.other_498, counts.other_1]).toEqual([
      100,
      1,
      1,
      508,
      undefined,
    ])
    expect(stars).toEqual({ average: 1, count: 1 })
    expect((await forum.as(ann, 'DELETE', `/reactions/${known.id}`)).status).toBe(200)
  } finally {
    await database().query(`delete from reaction_counts where target_id = $1 and kind like 'other%'`, [target.id])
  }
})

test('A like that is taken back while it is sent again is stored, and not answered by 404', async () => {
  const [ann, target] = [await forum.person(), await forum.product()]
  const first = await createdOf(forum.react(ann, target, 'like'))
  let takenBack = false
  /** Between its statements another request of the person takes the like back. */
  const meet = async () => {
    if (takenBack) return
    takenBack = true
    expect((await forum.as(ann, 'DELETE', `/reactions/${first.id}`)).status).toBe(200)
  }
  const author = { id: ann.contact_id, official: false, verified: false }
  const now = Math.floor(Date.now() / 1000)
  const { result } = await look(orm, (em) =>
    addMark(meeting(em, 1, meet), forum.id, author, { target, parent_id: null, kind: 'like' }, now),
  )
  expect([takenBack, result.known, result.id === first.id]).toEqual([true, false, false])
  expect((await rowsAt(target)).map(({ id }) => id)).toEqual([result.id])
  expect((await forum.summary(target)).body.counts).toEqual({ like: 1 })
})

test('Content that an operator holds back is not published by an edit of its author', async () => {
  const [ann, target] = [await forum.person(), await forum.product()]
  const { id } = await createdOf(forum.react(ann, target, 'comment', said('Harmless.')))
  expect((await forum.moderate(id, 'pending')).status).toBe(200)
  const edited = await forum.as(ann, 'PUT', `/reactions/${id}`, said('Harmless, too.'))
  expect([edited.status, edited.body.status]).toEqual([200, 'pending'])
  expect((await forum.moderate(id, 'published')).status).toBe(200)
  expect((await forum.as(ann, 'PUT', `/reactions/${id}`, said('See www.a.test'))).body.status).toBe('pending')
})

test('What the other contact takes back during a merge does not stay without its person', async () => {
  const [ann, ben, target] = [await shop.visitor(), await shop.visitor(), await forum.product()]
  const [hers, his] = [
    await createdOf(forum.react(ann, target, 'like')),
    await createdOf(forum.react(ben, target, 'like')),
  ]
  const holder = await database().connect()
  try {
    await holder.query('begin')
    await holder.query('delete from reactions where id = $1', [hers.id])
    await become('store')
    const merging = shop.asOperator('POST', `/contacts/${ann.contact_id}/merge`, { source_contact_id: ben.contact_id })
    await untilAwaited(holder)
    await holder.query('update reaction_counts set count = count - 1 where target_id = $1 and shard = $2', [
      target.id,
      shardOf(ann.contact_id),
    ])
    await holder.query('commit')
    expect((await merging).status).toBe(200)
  } finally {
    holder.release()
    await become('business')
  }
  expect((await rowsAt(target)).map(({ id, author_id }) => [id, author_id])).toEqual([[his.id, ann.contact_id]])
})

test('A comment edited to the words of the other contact during a merge is merged with it', async () => {
  const [ann, ben, target] = [await shop.visitor(), await shop.visitor(), await forum.product()]
  const his = await forum.comment(ben, target, 'The same words.')
  await forum.comment(ann, target, 'Other words.')
  const holder = await database().connect()
  try {
    await holder.query('begin')
    // As an edit does, until its commit.
    await holder.query(
      'update reactions e set slot = s.slot, blocks = s.blocks from reactions s where s.id = $1 and e.target_id = $2 and e.author_id = $3',
      [...[his.id, target.id, ann.contact_id]],
    )
    await become('store')
    const merging = shop.asOperator('POST', `/contacts/${ann.contact_id}/merge`, { source_contact_id: ben.contact_id })
    await untilAwaited(holder)
    await holder.query('commit')
    expect(refused(await merging)).toEqual([200, undefined])
  } finally {
    holder.release()
    await become('business')
  }
  expect((await rowsAt(target)).map(({ id, author_id }) => [id, author_id])).toEqual([[his.id, ann.contact_id]])
})

test.each(['PUT', 'DELETE'] as const)(
  'A person who signs in meanwhile is still the author of what they change (%s)',
  async (method) => {
    const [ann, ben, target] = [await shop.visitor(), await shop.visitor(), await forum.product()]
    const his = await forum.comment(ben, target, 'Some words.')
    const holder = await database().connect()
    try {
      await holder.query('begin')
      // As a sign-in does, until its commit.
      await holder.query('update reactions set author_id = $2 where id = $1', [his.id, ann.contact_id])
      await holder.query('update contact_sessions set contact_id = $2 where contact_id = $1', [
        ben.contact_id,
        ann.contact_id,
      ])
      const changing = forum.as(
        ben,
        method,
        `/reactions/${his.id}`,
        method === 'PUT' ? said('Better words.') : undefined,
      )
      await untilAwaited(holder)
      await holder.query('commit')
      expect(refused(await changing)).toEqual([200, undefined])
    } finally {
      holder.release()
    }
    expect(await rowsAt(target)).toHaveLength(method === 'PUT' ? 1 : 0)
  },
)

test('Marks on deleted content are swept when it goes with its last reply', async () => {
  const [ann, ben, target] = [await forum.person(), await forum.person(), await forum.product()]
  const { id } = await forum.comment(ann, target, `Root ${unique()}`)
  const reply = await forum.comment(ben, target, `Reply ${unique()}`, { parentId: id })
  await createdOf(forum.react(ben, target, 'like', { parentId: id }))
  for (const [who, what] of [
    [ann, id],
    [ben, reply.id],
  ] as const)
    expect((await forum.as(who, 'DELETE', `/reactions/${what}`)).status).toBe(200)
  const left = async () => {
    await sweep(orm.em.fork(), Math.floor(Date.now() / 1000), config.keep)
    const { rows } = await database().query(
      'select (select count(*)::int from reactions where target_id = $1) + (select count(*)::int from reaction_counts where place_id = $2) as n',
      [target.id, id],
    )
    return rows[0].n as number
  }
  await until(async () => (await left()) === 0)
})

test('A star that changes while its record is deleted is refused with 404, and counts nothing', async () => {
  const [ann, ben, target] = [await forum.person(), await forum.person(), await forum.product()]
  for (const who of [ann, ben]) await createdOf(forum.react(who, target, 'star_5'))
  /** The record is deleted after the change has seen it, and before it is counted. */
  const change = (who: { contact_id: string }, meet: () => Promise<unknown>) => {
    const sent = { target, parent_id: null, kind: 'star_1', blocks: [], taxonomies: [] }
    return unit(orm, (em) => addStar(meeting(em, 3, meet), forum.id, authorOf(who), sent, unixNow()))
  }
  const deleted = async () => expect((await forum.ask('DELETE', `/products/${target.id}`)).status).toBe(200)
  const changes = change(ann, () => change(ben, deleted))
  await expect(changes).rejects.toMatchObject({ status: 404, code: 'not_found' })
  expect((await forum.summary(target)).status).toBe(404)
})

test('A merge takes nothing from the counters of a deleted record', async () => {
  const [ann, ben, target] = [await forum.person(), await forum.person(), await forum.product()]
  for (const who of [ann, ben]) for (const kind of ['like', 'star_3']) await createdOf(forum.react(who, target, kind))
  const undone = new Error('undone')
  const merged = unit(orm, async (em) => {
    await em.execute(sql`
      insert into reaction_removals (tenant_id, target_id, place_id, created_at)
      values (${forum.id}, ${target.id}, ${target.id}, 0)
    `)
    // Those of a request that had seen the record, and was taken back.
    await em.execute(sql`update reaction_counts set count = 0 where target_id = ${target.id}`)
    await em.execute(sql`update ratings set stars_count = 0, stars_sum = 0 where target_id = ${target.id}`)
    await moveReactions(em, forum.id, ben.contact_id, ann.contact_id, unixNow())
    const [left]: { n: number }[] = await em.execute(sql`
      select count(*)::int as n
      from reactions
      where target_id = ${target.id} and author_id = ${ann.contact_id}
    `)
    expect(left?.n).toBe(2)
    throw undone
  })
  await expect(merged).rejects.toBe(undone)
})

describe('What is below', () => {
  /** A comment that its author has deleted, with replies. */
  const emptied = async (replies: number) => {
    const [ann, ben, target] = [await forum.person(), await forum.person(), await forum.product()]
    const root = await forum.comment(ann, target)
    const below = [] as { id: string }[]
    for (let n = 0; n < replies; n++)
      below.push(await forum.comment(ben, target, `Reply ${unique()}`, { parentId: root.id }))
    expect((await forum.as(ann, 'DELETE', `/reactions/${root.id}`)).status).toBe(200)
    expect(await rowsAt(target)).toHaveLength(replies + 1)
    return { target, root, below }
  }

  test('Two last replies that are deleted at once take the emptied comment along', async () => {
    const { target, below } = await emptied(2)
    for (const { id } of below) expect((await forum.moderate(id, 'hidden')).status).toBe(200)
    const [first, second] = below.map(({ id }) => id) as [string, string]
    let other: Promise<number> | undefined
    const operator = { id: forum.op.account_id, official: true, verified: true }
    await unit(orm, (em) => {
      /** The other deletion ends before this one does, or waits for it. */
      const meet = async () => {
        const [{ pid } = { pid: 0 }]: { pid: number }[] = await em.execute(sql`select pg_backend_pid() as pid`)
        let isDone = false
        other = forum.ask('DELETE', `/reactions/${second}`).then(({ status }) => status)
        void other.then(() => {
          isDone = true
        })
        await until(async () => isDone || (await waitersOf(pid)).length > 0)
      }
      return deleteReaction(meeting(em, 5, meet), forum.id, operator, first, unixNow())
    })
    expect(await other).toBe(200)
    expect(await rowsAt(target)).toEqual([])
  })

  test('The last removed reply that is swept takes the emptied comments above it along', async () => {
    const { target, below } = await emptied(1)
    const last = await forum.comment(await forum.person(), target, `Deep ${unique()}`, { parentId: below[0]?.id })
    expect((await forum.ask('DELETE', `/reactions/${below[0]?.id}`)).status).toBe(200)
    expect((await forum.moderate(last.id, 'removed')).status).toBe(200)
    await database().query('update reactions set updated_at = 100 where id = $1', [last.id])
    await sweepRemoved(unitOf(orm, null), { before: 101, now: unixNow(), batch: 100 })
    expect(await rowsAt(target)).toEqual([])
  })

  test.each(['hidden', 'removed'])(
    'Replies below a %s comment stay unseen when an operator deletes it',
    async (status) => {
      const [ann, ben, target] = [await forum.person(), await forum.person(), await forum.product()]
      const root = await forum.comment(ann, target)
      const reply = await forum.comment(ben, target, `Reply ${unique()}`, { parentId: root.id })
      await forum.moderate(root.id, status)
      expect((await forum.ask('DELETE', `/reactions/${root.id}`)).status).toBe(200)
      for (const who of [null, ann, ben]) {
        for (const { id } of [root, reply]) expect((await forum.as(who, 'GET', `/reactions/${id}`)).status).toBe(404)
        expect((await forum.as(who, 'GET', `/reactions?targetId=${target.id}`)).body.items).toEqual([])
      }
      expect((await forum.ask('DELETE', `/reactions/${reply.id}`)).status).toBe(200)
      expect(await rowsAt(target)).toEqual([])
    },
  )

  test('Authors reply to their own comment that waits, see what is below it, and take it back', async () => {
    const [ann, ben, target] = [await forum.person(), await forum.person(), await forum.product()]
    const waits = await createdOf(forum.react(ann, target, 'comment', said('See www.pomade.test')))
    expect(waits.status).toBe('pending')
    const at = { parentId: waits.id }
    const like = await createdOf(forum.react(ann, target, 'like', at))
    const reply = await createdOf(forum.react(ann, target, 'comment', { ...said('It is my own.'), ...at }))
    const answer = await createdOf(
      forum.ask('POST', '/reactions', { target, kind: 'comment', ...said('Please without links.'), ...at }),
    )
    const below = [like, reply, answer].map(({ id }) => id)
    const list = async (who: Parameters<Forum['as']>[0]) =>
      (await forum.as(who, 'GET', `/reactions?parentId=${waits.id}`)).body.items.map(({ id }: { id: string }) => id)
    expect(new Set(await list(ann))).toEqual(new Set(below))
    for (const who of [ben, null]) {
      expect(await list(who)).toEqual([])
      for (const id of below) expect((await forum.as(who, 'GET', `/reactions/${id}`)).status).toBe(404)
    }
    expect((await forum.as(ann, 'DELETE', `/reactions/${like.id}`)).status).toBe(200)
    await forum.moderate(waits.id, 'hidden')
    expect(await list(ann)).toEqual([])
    expect(refused(await forum.as(ann, 'DELETE', `/reactions/${reply.id}`))).toEqual([404, 'not_found'])
  })
})
