// The migration of forms gives the standard forms of older stores the fields of a new store, and changes no form that
// an operator edited.
import { expect, jest, test } from '@jest/globals'
import { newId } from '../../entities/kit/ids.ts'
import { defaultForms, FormSchema } from '../../rules/content/forms.ts'
import { ownDatabase } from '../kit/database/own-database.ts'

jest.setTimeout(60_000)

const own = ownDatabase('forms')

test('The migration gives each of the three empty standard forms a new store’s fields', async () => {
  await own.migrateUntil('_content')
  const stores = [newId(), newId()]
  const theirs = [{ id: 'x', type: 'text', key: 'question', required: false }]
  const insert = (store: string, key: string, schema: unknown) =>
    own.db.query(
      "insert into forms (id, tenant_id, created_at, updated_at, key, status, schema) values ($1, $2, 1, 1, $3, 'active', $4)",
      [newId(), store, key, JSON.stringify(schema)],
    )
  for (const store of stores)
    for (const key of Object.keys(defaultForms))
      if (key !== 'contact' || store === stores[0]) await insert(store, key, [])
  await insert(stores[1] as string, 'contact', theirs)
  await insert(stores[1] as string, 'newsletter-2026', [])
  await own.orm.migrator.up()
  const { rows } = await own.db.query<{ tenant_id: string; key: string; schema: { id: string }[] }>(
    'select tenant_id, key, schema, search from forms',
  )
  const schemaOf = (store: string | undefined, key: string) =>
    rows.find((row) => row.tenant_id === store && row.key === key)?.schema
  for (const store of stores)
    for (const [key, schema] of Object.entries(defaultForms))
      expect([key, schemaOf(store, key)]).toEqual([
        key,
        key === 'contact' && store === stores[1]
          ? theirs
          : schema.map((item) => ({ ...item, id: expect.stringMatching(/^[0-9a-f-]{36}$/) })),
      ])
  expect(schemaOf(stores[1], 'newsletter-2026')).toEqual([])
  for (const { schema } of rows) expect(FormSchema.parse(schema)).toEqual(schema)
  const ids = rows.flatMap(({ schema }) => schema.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
  const found = async (word: string) =>
    (
      await own.db.query("select key from forms where tenant_id = $1 and search @@ to_tsquery('simple', $2)", [
        stores[1],
        word,
      ])
    ).rows.map(({ key }) => key)
  expect([await found('intake'), await found('gift'), await found('question'), await found('2026')]).toEqual([
    ['service-intake'],
    ['order-notes'],
    ['contact'],
    ['newsletter-2026'],
  ])
})
