// Any number of equal or competing reactions at once, on two API processes, end as if they had come one after the
// other.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { repairMixedWrites } from '../../activities/scripts/repair-mixed-writes.ts'
import { config } from '../../config.ts'
import { sweepOrphans } from '../../entities/community/sweep.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { newId } from '../../entities/kit/ids.ts'
import { sweep } from '../../entities/retention.ts'
import { random } from '../chaos/random.ts'
import { atOnce, until } from '../kit/orders/buying.ts'
import {
  differences,
  type Forum,
  newForum,
  type Person,
  refused,
  rowsAt,
  said,
  starOf,
  type Target,
  tracesOf,
} from '../kit/reactions.ts'
import { database } from '../kit/shop.ts'

jest.setTimeout(180_000)

const seed = Number(process.env.REACTION_SEED ?? 20261123)
let forum: Forum
let orm: Orm
beforeAll(async () => {
  forum = await newForum()
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 2 })
})
afterAll(async () => {
  expect(await differences(forum.id)).toEqual([])
  await orm.close()
  await database().end()
})

/** Runs the script repair-mixed-writes as a worker does: a transaction for each batch. */
async function repaired(): Promise<string> {
  for (let progress: unknown = null; ; ) {
    const step = await unitOf(orm, null).transactional((em) => repairMixedWrites(em, null, progress))
    if (step.over) return step.message
    progress = step.progress
  }
}

const people = (count: number): Promise<Person[]> => atOnce(count, () => forum.person())

test('The same like 50 times at once on two processes is one row, and 50 equal answers', async () => {
  for (let round = 0; round < 3; round++) {
    const [ann, target] = [await forum.person(), await forum.product()]
    const answers = await atOnce(50, () => forum.react(ann, target, 'like'))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201])
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(await rowsAt(target)).toHaveLength(1)
    expect((await forum.summary(target)).body.counts).toEqual({ like: 1 })
  }
})

test('After 1,000 random likes and returns of 20 people the count is that of the rows', async () => {
  const target = await forum.product()
  const all = await people(20)
  const draw = random(seed, 'likes')
  const turns = Array.from({ length: 1_000 }, () => [draw.whole(0, 19), draw.chance(0.5)] as const)
  const answered: number[] = []
  await atOnce(8, async () => {
    for (let turn = turns.pop(); turn; turn = turns.pop()) {
      const person = all[turn[0]] as Person
      if (turn[1]) answered.push((await forum.react(person, target, 'like')).status)
      else {
        const { own } = (await forum.summary(target, person)).body
        if (own[0]) answered.push((await forum.as(person, 'DELETE', `/reactions/${own[0].id}`)).status)
      }
    }
  })
  expect(answered.filter((status) => ![200, 201, 404].includes(status))).toEqual([])
  const rows = await rowsAt(target)
  expect(new Set(rows.map(({ author_id }) => author_id)).size).toBe(rows.length)
  expect((await forum.summary(target)).body.counts).toEqual(rows.length > 0 ? { like: rows.length } : {})
})

test('Five different stars of one person at once leave one, which is the average', async () => {
  for (let round = 0; round < 6; round++) {
    const [ann, target] = [await forum.person(), await forum.product()]
    const answers = await atOnce(5, (n) => forum.react(ann, target, starOf(n + 1)))
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201))
    const rows = await rowsAt(target)
    expect(rows).toHaveLength(1)
    const value = Number(rows[0]?.kind.at(-1))
    const { stars, counts } = (await forum.summary(target)).body
    expect([stars, counts]).toEqual([{ average: value, count: 1 }, { [starOf(value)]: 1 }])
  }
})

test('Of two reviews at once one is stored, and the other is refused with its id', async () => {
  for (let round = 0; round < 6; round++) {
    const [ann, target] = [await forum.person(), await forum.product()]
    const answers = await atOnce(2, (n) => forum.react(ann, target, 'review', said(`Review ${n}`)))
    const [made, other] = answers.toSorted((a, b) => a.status - b.status)
    expect([made?.status, ...refused(other as never), other?.body.reactionId]).toEqual([
      201,
      409,
      'already_reviewed',
      made?.body.id,
    ])
  }
})

test('The same comment 20 times at once is one comment', async () => {
  const [ann, target] = [await forum.person(), await forum.product()]
  const answers = await atOnce(20, () => forum.react(ann, target, 'comment', said('Once')))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201])
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
})

test('Moderators, authors and others who act on one comment at once end with exact counters', async () => {
  const [ann, target] = [await forum.person(), await forum.product()]
  const others = await people(10)
  const { id } = await forum.comment(ann, target)
  const answers = await Promise.all([
    ...others.map((one) => forum.react(one, target, 'like', { parentId: id })),
    ...others.map((one) => forum.react(one, target, 'comment', { ...said('Reply'), parentId: id })),
    ...['hidden', 'published', 'removed', 'published', 'pending', 'published'].map((status) =>
      forum.moderate(id, status),
    ),
    forum.as(ann, 'PUT', `/reactions/${id}`, said('Changed')),
    forum.as(ann, 'DELETE', `/reactions/${id}`),
  ])
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  expect(await differences(forum.id)).toEqual([])
})

describe('A target that is deleted', () => {
  /** Until the relay's or this sweep has removed all that is left. */
  const swept = (target: Target) =>
    until(async () => {
      await sweep(orm.em.fork(), Math.floor(Date.now() / 1000), config.keep)
      const { reactions, counts, ratings } = await tracesOf(target)
      return reactions === 0 && counts === 0 && ratings === 0
    })

  test('Deleted while 200 people react: nothing is readable, and nothing is left after the sweep', async () => {
    const target = await forum.product()
    const all = await people(200)
    const comment = await forum.comment(all[0] as Person, target)
    const kinds = ['like', 'star_4', 'comment', 'love'] as const
    const acts = all.map((person, n) => {
      const kind = kinds[n % 4] as string
      return forum.react(
        person,
        target,
        kind,
        kind === 'comment' ? { ...said(`I am ${n}`), ...(n % 8 === 2 ? { parentId: comment.id } : {}) } : {},
      )
    })
    const answers = await Promise.all([
      ...acts.slice(0, 100),
      forum.ask('DELETE', `/products/${target.id}`),
      ...acts.slice(100),
    ])
    expect(answers.filter(({ status }) => ![200, 201, 404].includes(status)).map(refused)).toEqual([])
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.id as string)
    for (const person of [null, all[0] as Person]) {
      const list = await forum.as(person, 'GET', `/reactions?targetType=product&targetId=${target.id}`)
      expect(list.body.items ?? []).toEqual([])
      const summary = await forum.summary(target, person)
      expect(summary.status === 404 || JSON.stringify([summary.body.counts, summary.body.own])).toEqual(
        summary.status === 404 ? true : '[{},[]]',
      )
    }
    for (const id of made.slice(0, 40)) expect((await forum.as(null, 'GET', `/reactions/${id}`)).status).toBe(404)
    await swept(target)
    expect(await tracesOf(target)).toEqual({ reactions: 0, counts: 0, ratings: 0 })
  })

  test('A deletion waits for no reaction, and a reaction for no deletion', async () => {
    const [target, ann] = [await forum.product(), await forum.person()]
    const holder = await database().connect()
    try {
      // As a reaction that has begun and does not end: its row and its counter are written.
      await forum.react(ann, target, 'like')
      await holder.query('begin')
      await holder.query('select 1 from reactions where target_id = $1 for update', [target.id])
      await holder.query('update reaction_counts set count = count + 1 where target_id = $1', [target.id])
      await holder.query(
        `insert into reactions select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'author_id', gen_random_uuid()))).* from reactions r where target_id = $1`,
        [target.id],
      )
      const since = performance.now()
      expect((await forum.ask('DELETE', `/products/${target.id}`)).status).toBe(200)
      expect(performance.now() - since).toBeLessThan(5_000)
      await holder.query('commit')
    } finally {
      holder.release()
    }
    // What was written too late is an orphan: not readable, and swept.
    expect(
      (await forum.as(ann, 'GET', `/reactions?targetType=product&targetId=${target.id}`)).body.items ?? [],
    ).toEqual([])
    await swept(target)
  })

  test('Reactions to a record that an older process deleted are found by repair-mixed-writes', async () => {
    const [target, ann] = [await forum.product(), await forum.person()]
    for (const kind of ['like', 'star_3']) await forum.react(ann, target, kind)
    const comment = await forum.comment(ann, target)
    await forum.react(ann, target, 'love', { parentId: comment.id })
    await database().query('delete from products where id = $1', [target.id])
    expect(await repaired()).toMatch(/^Repaired: .*targets \d/)
    await swept(target)
    expect(await tracesOf(target)).toEqual({ reactions: 0, counts: 0, ratings: 0 })
  })

  test('The note of a record among 20,000 others is found in a few rounds', async () => {
    const [target, ann] = [await forum.product(), await forum.person()]
    await forum.react(ann, target, 'like')
    const now = Math.floor(Date.now() / 1000)
    // All of them are before the tenant's own, and too young for the worker, which removes old ones as well.
    await database().query(
      `insert into reaction_removals (tenant_id, target_id, place_id, created_at) select '00000000-0000-0000-0000-000000000001', i, i, $1
       from (select gen_random_uuid() as i from generate_series(1, 20000)) n`,
      [now - 3_500],
    )
    let rounds = 0
    await unitOf(orm, null).transactional(async (em) => {
      const reactions = sql`select 1 from reactions where target_id = ${target.id}`
      // The worker leaves rows that another transaction has locked.
      await em.execute(sql`${reactions} for update`)
      await database().query('delete from products where id = $1', [target.id])
      await database().query(
        'insert into reaction_removals (tenant_id, target_id, place_id, created_at) values ($1, $2, $2, $3) on conflict do nothing',
        [...[forum.id, target.id, now]],
      )
      // No note is old enough to be removed: the rounds read all of them.
      for (; (await em.execute(reactions)).length > 0 && rounds < 10; rounds++) await sweepOrphans(em, 1, 100)
    })
    expect(rounds).toBeGreaterThan(1)
    expect(rounds).toBeLessThan(10)
    // A round removes old notes by the batch.
    await sweepOrphans(unitOf(orm, null), now + 200, 100)
    const { rows } = await database().query(
      "delete from reaction_removals where tenant_id = '00000000-0000-0000-0000-000000000001' returning 1",
    )
    expect(rows.length).toBe(19_900)
  })
})

test('Reactions of a contact that a process without reactions has merged are moved by the script', async () => {
  const [ann, ben, target] = [await forum.person(), await forum.person(), await forum.product()]
  for (const [who, kind] of [
    [ann, 'like'],
    [ben, 'like'],
    [ann, 'star_5'],
    [ben, 'star_2'],
    [ann, 'love'],
  ] as const)
    await forum.react(who, target, kind)
  const comment = await forum.comment(ann, target)
  await database().query('update contact_sessions set contact_id = $2 where contact_id = $1', [
    ann.contact_id,
    ben.contact_id,
  ])
  await database().query(
    `insert into contact_merges (id, tenant_id, created_at, updated_at, source_id, target_id, account_id) select $1, $2, n, n, $3, $4, $5 from (select extract(epoch from now())::bigint as n) x`,
    [newId(), forum.id, ann.contact_id, ben.contact_id, forum.op.account_id],
  )
  await database().query('delete from contacts where id = $1', [ann.contact_id])
  expect(await repaired()).toMatch(/^Repaired: .*merges 1/)
  expect(new Set((await rowsAt(target)).map(({ author_id }) => author_id))).toEqual(new Set([ben.contact_id]))
  // Of what both had, the older one stays.
  expect((await rowsAt(target)).map(({ kind }) => kind)).toEqual(['comment', 'like', 'love', 'star_5'])
  expect((await forum.summary(target)).body).toMatchObject({
    counts: { like: 1, love: 1, comment: 1, star_5: 1 },
    stars: { average: 5, count: 1 },
  })
  // The session of the one who was merged proved no address: it is not accepted at the other contact.
  expect((await forum.as(ann, 'DELETE', `/reactions/${comment.id}`)).status).toBe(401)
})
