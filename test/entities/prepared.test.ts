// Prepared statements: parsed once for each connection, with the rows and the errors of any other statement.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SyntaxErrorException, UniqueConstraintViolationException } from '@mikro-orm/core'
import { type EntityManager, type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { prepared } from '../../entities/kit/database/prepared.ts'
import { json, sql, text } from '../../entities/kit/database/sql.ts'
import { unique } from '../kit/shop.ts'

let orm: Orm
let em: EntityManager
/** A table of these tests alone. */
const name = `prepared_${unique().replaceAll('-', '_')}`
const table = text(name)
beforeAll(async () => {
  // One connection: what it has prepared is seen by the next statement.
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 1 })
  em = unitOf(orm, null)
  await em.execute(`create table ${name} (id int primary key, title text, data jsonb)`)
})
afterAll(async () => {
  await em.execute(`drop table ${name}`)
  await orm.close(true)
})

const insert = (id: number, title: string | null, data: object = {}) =>
  prepared<{ id: number }>(
    em,
    sql`
      insert into ${table} (id, title, data)
      values (${id}, ${title}, ${json(data)})
      on conflict (id) do nothing
      returning id
    `,
  )
const read = (id: number) =>
  prepared<Record<string, unknown>>(em, sql`select title, data, ${true}::boolean as yes from ${table} where id = ${id}`)
const plans = async (): Promise<number[]> => {
  const rows: { plans: number }[] = await em.execute(
    `select (generic_plans + custom_plans)::int as plans from pg_prepared_statements where statement like 'select title%from ${name}%'`,
  )
  return rows.map((row) => row.plans)
}

test('Values arrive as they are, and a statement is prepared once for a connection', async () => {
  const odd = `it's "$1" or ? or \\`
  expect(await insert(1, odd, { odd })).toEqual([{ id: 1 }])
  expect(await insert(1, 'again')).toEqual([])
  expect(await insert(2, null)).toEqual([{ id: 2 }])
  expect([await read(1), await read(2), await read(3)]).toEqual([
    [{ title: odd, data: { odd }, yes: true }],
    [{ title: null, data: {}, yes: true }],
    [],
  ])
  expect(await plans()).toEqual([3])
})

test('A statement goes on after its table has changed', async () => {
  await insert(4, 'four')
  const before = await read(4)
  await em.execute(`alter table ${name} alter column title type varchar(100)`)
  expect(await read(4)).toEqual(before)
  expect(await read(4)).toEqual(before)
  expect(await plans()).toEqual([1])
})

test('A statement goes on after the server has forgotten it', async () => {
  await insert(5, 'five')
  const before = await read(5)
  await em.execute('deallocate all')
  expect(await read(5)).toEqual(before)
})

test('Errors are those of any other statement, and leave the connection to the next one', async () => {
  const twice = () => prepared(em, sql`insert into ${table} (id) values (${6})`)
  await twice()
  await expect(twice()).rejects.toThrow(UniqueConstraintViolationException)
  await expect(prepared(em, sql`select ${1} from from`)).rejects.toThrow(SyntaxErrorException)
  expect(await read(6)).toEqual([{ title: null, data: null, yes: true }])
})

test('In a transaction a statement sees its rows and is undone with them', async () => {
  const inside = unitOf(orm, null)
  await inside.begin()
  await prepared(inside, sql`insert into ${table} (id, title) values (${7}, ${'seven'})`)
  expect(await prepared(inside, sql`select title from ${table} where id = ${7}`)).toEqual([{ title: 'seven' }])
  await inside.rollback()
  expect(await read(7)).toEqual([])
})
