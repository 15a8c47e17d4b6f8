// Statements with their values in place: nothing that is no text of ours gets into a statement unescaped.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { raw } from '@mikro-orm/core'
import { ApiToken } from '../../entities/accounts/api-token.ts'
import { insertion, insertions, insertRow } from '../../entities/kit/database/insert.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { assignments, column, join, json, list, sql, text } from '../../entities/kit/database/sql.ts'
import { newId } from '../../entities/kit/ids.ts'
import { Webhook } from '../../entities/webhooks/webhook.ts'
import { newShop, type Shop, unique } from '../kit/shop.ts'

let orm: Orm
let shop: Shop
beforeAll(async () => {
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 1 })
  shop = await newShop()
})
afterAll(async () => orm.close(true))

const said = ({ sql: statement, params }: ReturnType<typeof sql>) => [statement.replaceAll(/\s+/g, ' ').trim(), params]
const answer = async (statement: ReturnType<typeof sql>) =>
  (await unitOf(orm, null).execute<{ value: unknown }[]>(statement))[0]?.value

describe('A tagged statement', () => {
  test('A fragment in a statement brings its values to where it stands', () => {
    const newer = sql`created_at > ${7}`
    expect(
      said(sql`
        select ${1}, ${'a'}
        from orders
        where ${join([newer, sql`id in (${list(['x', 'y'])})`], ' and ')}
        limit ${10}
      `),
    ).toEqual(['select ?, ? from orders where created_at > ? and id in (?, ?) limit ?', [1, 'a', 7, 'x', 'y', 10]])
  })

  test.each([
    ['a quote', "a'; drop table orders; --"],
    ['a backslash', 'a\\'],
    ['a question mark', 'is it ? or ?? or \\?'],
    ['a placeholder of the driver', '$1'],
  ])('A value with %s arrives as it is', async (_, value) => {
    expect(await answer(sql`select ${value}::text as value`)).toBe(value)
    expect(await answer(sql`select ${json({ value })} ->> 'value' as value`)).toBe(value)
    expect(await answer(sql`select concat(${value}::text, ${sql`${value}::text`}) as value`)).toBe(value + value)
  })

  test.each([
    ['NUL', 'a\0b', 'a\ufffdb'],
    ['a lone surrogate', 'a\ud83db', 'a\ufffdb'],
    ['a pair of surrogates', 'a😀b', 'a😀b'],
    ['text that looks like NUL', 'a\\u0000b', 'a\\u0000b'],
  ])('A value from outside with %s is stored', async (_, value, stored) => {
    expect(await answer(sql`select ${json({ [value]: [value] })} as value`)).toEqual({ [stored]: [stored] })
    expect(await answer(sql`select ${value}::text as value`)).toBe(stored)
  })

  test.each([
    ['undefined', undefined],
    ['a list', ['a']],
    ['an object', { a: 1 }],
    ['an object of a class that is written as text', { toString: () => 'true or true' }],
    ['a function', () => 'now()'],
  ])('A statement with %s for a value is not made', (_, value) => {
    expect(() => sql`select ${value as never}`).toThrow(TypeError)
  })

  test('Text with a question mark is refused, because it would be read as a value', () => {
    expect(() => sql`select data ? 'a'`).toThrow(/question mark/)
    expect(() => text('data ? 1')).toThrow(/question mark/)
    expect(() => list([])).toThrow(/empty/)
  })

  test('Two values side by side stay two values', async () => {
    expect(said(sql`${1}${2}${sql`${3}`}`)).toEqual(['? ? ?', [1, 2, 3]])
  })

  test('A name of a column is quoted', () => {
    expect(said(sql`update orders set ${assignments({ note: 'x', 'a"b': sql`now()` })}`)).toEqual([
      'update orders set "note" = ?, "a""b" = now()',
      ['x'],
    ])
    expect(said(sql`${column('order')} = ${raw('now()')}`)).toEqual(['"order" = now()', []])
  })
})

describe('A row made of its entity', () => {
  const now = 1_700_000_000
  const hook = () => ({
    tenant_id: shop.store_id,
    created_at: now,
    updated_at: now,
    url: 'https://a.test/',
    headers: '{}',
    secret: 'whsec',
    events: ['a', "b'"],
  })

  test('An inserted row has its columns’ types, the table’s defaults, and ciphertext if encrypted', async () => {
    const em = unitOf(orm, shop.store_id)
    const id = newId()
    await insertRow(em, Webhook, { ...hook(), id, key: unique() })
    const [stored] = await em.execute<{ url: string }[]>(
      sql`select url from webhooks where id = ${id} and tenant_id = ${shop.store_id}`,
    )
    expect(stored?.url).not.toContain('a.test')
    expect(await em.findOneOrFail(Webhook, { id })).toMatchObject({
      url: 'https://a.test/',
      events: ['a', "b'"],
      enabled: true,
      created_at: now,
    })
  })

  test.each([
    ['NUL', 'a\0b'],
    ['a lone surrogate', 'a\ud83db'],
  ])('A row whose text from outside has %s is stored', async (_, said) => {
    const em = unitOf(orm, shop.store_id)
    const [id, other] = [newId(), newId()]
    const row = { ...hook(), disabled_reason: said, events: [said] }
    await insertRow(em, Webhook, { ...row, id, key: unique() })
    const { events, disabled_reason, ...same } = row
    await em.execute(insertions(em, Webhook, same, [{ id: other, key: unique(), events, disabled_reason }]))
    for (const one of [id, other])
      expect(await em.findOneOrFail(Webhook, { id: one })).toMatchObject({
        events: ['a\ufffdb'],
        disabled_reason: 'a\ufffdb',
      })
  })

  test('Many rows are one statement, and share what they have in common', async () => {
    const em = unitOf(orm, shop.store_id)
    const { url, events, ...same } = hook()
    const rows = [1, 2, 3].map((n) => ({
      id: newId(),
      key: unique(),
      url,
      events,
      previous_secret_until: n === 2 ? null : n,
    }))
    const made = await em.execute<{ id: string }[]>(
      sql`${insertions(em, Webhook, { ...same, headers: '{"a": "b"}' }, rows)} returning id`,
    )
    expect(made.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
    const found = await em.find(Webhook, { id: { $in: rows.map(({ id }) => id) } }, { orderBy: { id: 'asc' } })
    expect(found.map(({ previous_secret_until, headers, secret }) => [previous_secret_until, headers, secret])).toEqual(
      [
        [1, '{"a": "b"}', 'whsec'],
        [null, '{"a": "b"}', 'whsec'],
        [3, '{"a": "b"}', 'whsec'],
      ],
    )
  })

  test('A row with a name that is no column is not written', () => {
    const row = { ...hook(), id: newId(), key: 'a', colour: 'red' }
    expect(() => insertion(unitOf(orm, null), Webhook, row)).toThrow('webhooks has no column colour')
    expect(() => insertions(unitOf(orm, null), ApiToken, {}, [])).toThrow('no rows for api_tokens')
  })
})
