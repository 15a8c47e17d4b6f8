// What a transaction sends to PostgreSQL, read from the wire.
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { type Counter, startCounter } from '../../bench/kit/counter.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { prepared } from '../../entities/kit/database/prepared.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { newId } from '../../entities/kit/ids.ts'
import { database } from '../kit/shop.ts'

jest.setTimeout(30_000)

let counter: Counter
let orm: Orm
beforeAll(async () => {
  const url = new URL(process.env.DATABASE_URL as string)
  counter = await startCounter(Number(url.port))
  url.port = String(counter.port)
  orm = await openOrm({ url: url.href, pool: 1 })
  await database().query('create table pool_test (id uuid)')
})
beforeEach(async () => {
  await unitOf(orm, null).execute('select 1')
  counter.take()
})
afterAll(async () => {
  await database().query('drop table pool_test')
  await orm.close(true)
  counter.stop()
  await database().end()
})

const texts = () => counter.take().map(({ text }) => text)
const insert = (id: string) => `insert into pool_test values ('${id}') returning id`
const stored = async (id: string) => (await database().query('select 1 from pool_test where id = $1', [id])).rowCount

test('BEGIN is sent in one message with the first statement of a transaction', async () => {
  const [first, second] = [newId(), newId()]
  const rows = await unitOf(orm, null).transactional(async (em) => [
    await em.execute(insert(first)),
    await em.execute(insert(second)),
  ])
  expect(rows).toEqual([[{ id: first }], [{ id: second }]])
  expect(texts()).toEqual([`begin;${insert(first)}`, insert(second), 'commit'])
  expect([await stored(first), await stored(second)]).toEqual([1, 1])
})

test('A transaction whose first statement fails is rolled back and its connection is used again', async () => {
  const id = newId()
  for (const broken of [
    'select * from no_such_table',
    'selec 1',
    `insert into pool_test values ('${id}'), ('no uuid')`,
  ]) {
    await expect(unitOf(orm, null).transactional((em) => em.execute(broken))).rejects.toThrow()
    expect(texts()).toEqual([`begin;${broken}`, 'rollback'])
  }
  // The pool has one connection: it is in no transaction, or these would be lost with it.
  await unitOf(orm, null).execute(insert(id))
  expect(await stored(id)).toBe(1)
})

test('A transaction that is rolled back after its first statement keeps nothing', async () => {
  const id = newId()
  const work = unitOf(orm, null).transactional(async (em) => {
    await em.execute(insert(id))
    throw new Error('changed its mind')
  })
  await expect(work).rejects.toThrow('changed its mind')
  expect(texts()).toEqual([`begin;${insert(id)}`, 'rollback'])
  expect(await stored(id)).toBe(0)
})

test('A nested transaction begins with its outer one and is rolled back alone', async () => {
  const [outer, inner] = [newId(), newId()]
  await unitOf(orm, null).transactional(async (em) => {
    const nested = em.transactional(async (deeper) => {
      await deeper.execute(insert(inner))
      throw new Error('the inner one')
    })
    await expect(nested).rejects.toThrow('the inner one')
    await em.execute(insert(outer))
  })
  expect([await stored(outer), await stored(inner)]).toEqual([1, 0])
})

test('A transaction without statements sends nothing, and the next one begins anew', async () => {
  await unitOf(orm, null).transactional(async () => {})
  expect(texts()).toEqual([])
  const id = newId()
  await unitOf(orm, null).transactional((em) => em.execute(insert(id)))
  expect(texts()).toEqual([`begin;${insert(id)}`, 'commit'])
})

test('The first statement of a transaction returns its number of affected rows', async () => {
  const id = newId()
  const changed = await unitOf(orm, null).transactional(async (em) => {
    const { affectedRows } = await em.execute<{ affectedRows: number }>(
      `insert into pool_test values ('${id}')`,
      [],
      'run',
    )
    return affectedRows
  })
  expect(changed).toBe(1)
})

test('A connection that ends during a transaction is released, and the next one is opened', async () => {
  const work = unitOf(orm, null).transactional(async (em) => {
    const [{ pid } = { pid: 0 }] = await em.execute<{ pid: number }[]>('select pg_backend_pid() as pid')
    await database().query('select pg_terminate_backend($1)', [pid])
    await em.execute('select 1')
  })
  await expect(work).rejects.toThrow()
  // The pool has one connection: if it was not released, this statement would wait until the time limit.
  expect(await unitOf(orm, null).execute('select 1 as one')).toEqual([{ one: 1 }])
})

test('An int8 is a number on a connection of the ORM, even where pg itself reads a text', async () => {
  const int8 = 20
  pg.types.setTypeParser(int8, (text) => text)
  try {
    const own = await openOrm({ url: process.env.DATABASE_URL as string, pool: 1 })
    const em = unitOf(own, null)
    const rows = [
      await em.execute('select 9007199254740991::int8 as n'),
      await prepared(em, sql`select ${'7'}::int8 as n`),
    ]
    const inTransaction = await em.transactional((within) => within.execute('select 5::int8 as n'))
    await own.close(true)
    expect([...rows, inTransaction]).toEqual([[{ n: 9007199254740991 }], [{ n: 7 }], [{ n: 5 }]])
    expect((await database().query('select 1::int8 as n')).rows).toEqual([{ n: '1' }])
  } finally {
    pg.types.setTypeParser(int8, Number)
  }
})
