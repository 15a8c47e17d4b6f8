// The forms of stores that were there before forms had fields get the fields of a new store's, are found by them, and what an operator made of his is left alone.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { newId } from '../../entities/ids.ts'
import { type Orm, openOrm } from '../../entities/orm.ts'
import { defaultForms, FormSchema } from '../../rules/forms.ts'
import { until } from '../kit/codes.ts'
import { database, unique } from '../kit/shop.ts'

jest.setTimeout(60_000)

const name = `forms_${unique()}`
let orm: Orm
let db: pg.Pool
beforeAll(async () => {
  await database().query(`create database ${name}`)
  const url = new URL(process.env.DATABASE_URL as string)
  url.pathname = `/${name}`
  orm = await openOrm({ url: url.href, pool: 2 })
  orm.config.set('migrations', { ...orm.config.get('migrations'), silent: true })
  db = new pg.Pool({ connectionString: url.href, max: 2 })
})
afterAll(async () => {
  await orm.close(true)
  await db.end()
  // Its last connections are still leaving: forced out, they would say so to nobody.
  await until(() =>
    database()
      .query(`drop database ${name}`)
      .then(
        () => true,
        () => false,
      ),
  )
  await database().end()
})

test('each of the three forms that has no fields gets a new store’s', async () => {
  const all = (await orm.migrator.getPending()).map((migration) => migration.name)
  const at = all.findIndex((one) => one.endsWith('_content'))
  expect(at).toBeGreaterThan(0)
  await orm.migrator.up({ to: all[at - 1] as string })
  const stores = [newId(), newId()]
  const own = [{ id: 'x', type: 'text', key: 'question', required: false }]
  const insert = (store: string, key: string, schema: unknown) =>
    db.query("insert into forms (id, tenant_id, created_at, updated_at, key, status, schema) values ($1, $2, 1, 1, $3, 'active', $4)", [
      newId(),
      store,
      key,
      JSON.stringify(schema),
    ])
  for (const store of stores) for (const key of Object.keys(defaultForms)) if (key !== 'contact' || store === stores[0]) await insert(store, key, [])
  await insert(stores[1] as string, 'contact', own)
  await insert(stores[1] as string, 'newsletter-2026', [])
  await orm.migrator.up()
  const { rows } = await db.query<{ tenant_id: string; key: string; schema: { id: string }[] }>('select tenant_id, key, schema, search from forms')
  const schemaOf = (store: string | undefined, key: string) => rows.find((row) => row.tenant_id === store && row.key === key)?.schema
  for (const store of stores)
    for (const [key, schema] of Object.entries(defaultForms))
      expect([key, schemaOf(store, key)]).toEqual([
        key,
        key === 'contact' && store === stores[1] ? own : schema.map((item) => ({ ...item, id: expect.stringMatching(/^[0-9a-f-]{36}$/) })),
      ])
  expect(schemaOf(stores[1], 'newsletter-2026')).toEqual([])
  for (const { schema } of rows) expect(FormSchema.parse(schema)).toEqual(schema)
  const ids = rows.flatMap(({ schema }) => schema.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
  const found = async (word: string) =>
    (await db.query("select key from forms where tenant_id = $1 and search @@ to_tsquery('simple', $2)", [stores[1], word])).rows.map(({ key }) => key)
  expect([await found('intake'), await found('gift'), await found('question'), await found('2026')]).toEqual([
    ['service-intake'],
    ['order-notes'],
    ['contact'],
    ['newsletter-2026'],
  ])
})
