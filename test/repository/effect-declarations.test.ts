// An effect is declared once: what a row of rules/effects.ts needs elsewhere is a type error here or a failing test
// that names the effect.
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Senders, senders } from '../../activities/effects.ts'
import { type Orm, openOrm } from '../../entities/kit/database/orm.ts'
import { sql } from '../../entities/kit/database/sql.ts'
import { effect as effectColumns } from '../../entities/kit/effect-columns.ts'
import { effectRow } from '../../entities/kit/effects.ts'
import { effectSources } from '../../entities/timeline/effects.ts'
import { effectNames, effects } from '../../rules/effects.ts'
import { processes, processOf } from '../../rules/processes.ts'
import { effectTexts } from '../../rules/timeline/effects.ts'
import { effectKinds } from '../kit/effects/effect-rows.ts'
import { database } from '../kit/shop.ts'

let orm: Orm
beforeAll(async () => {
  orm = await openOrm({ url: process.env.DATABASE_URL as string, pool: 1 })
})
afterAll(async () => {
  await orm.close(true)
  await database().end()
})

test('An effect without its sender or without its host row does not compile', () => {
  const checkedByTheCompiler = ({ refund, ...others }: Senders): unknown[] => {
    // @ts-expect-error The sender of an effect is missing.
    const missing: Senders = others
    // @ts-expect-error The sender is that of another effect.
    const swapped: Senders = { ...others, refund: others.mail }
    // @ts-expect-error A host sends this effect: the id of the host's row is missing.
    const hostless = effectRow('payment_session', { precondition: sql`true` })
    // @ts-expect-error There is no such effect.
    const unknown = effectRow('letter', { precondition: sql`true` })
    return [refund, missing, swapped, hostless, unknown]
  }
  expect(checkedByTheCompiler).toBeInstanceOf(Function)
})

test('An effect without its words and its rows in timelines does not compile', () => {
  const checkedByTheCompiler = (): unknown[] => {
    const [{ refund: words, ...otherWords }, { refund: rows, ...otherRows }] = [effectTexts, effectSources]
    // @ts-expect-error The words of an effect are missing.
    const untold: typeof effectTexts = otherWords
    // @ts-expect-error The rows of an effect are missing.
    const unfound: typeof effectSources = otherRows
    return [words, rows, untold, unfound]
  }
  expect(checkedByTheCompiler).toBeInstanceOf(Function)
})

describe.each(effectNames)('The effect %s', (name) => {
  const { table } = effects[name]

  test(`The effect ${name} has an entity with the columns of effects`, () => {
    const entity = [...orm.getMetadata().getAll().values()].find(({ tableName }) => tableName === table)
    expect([
      name,
      table,
      Object.keys(effectColumns).filter((column) => !(column in (entity?.properties ?? {}))),
    ]).toEqual([name, table, []])
  })

  test(`The effect ${name} has a table in the database`, async () => {
    const { rows } = await database().query(
      'select column_name as column from information_schema.columns where table_name = $1',
      [table],
    )
    const columns = rows.map(({ column }) => column)
    expect([name, table, Object.keys(effectColumns).filter((column) => !columns.includes(column))]).toEqual([
      name,
      table,
      [],
    ])
  })

  test(`The effect ${name} has a sender whose row is its own`, () => {
    expect(senders[name]?.row).toMatchObject({ name, table })
  })

  test(`The effect ${name} has a row in test/kit/effects/effect-rows.ts`, () => {
    expect(
      effectKinds.filter(({ effect, ask }) => effect === name && typeof ask === 'function').length,
    ).toBeGreaterThan(0)
  })

  test(`The effect ${name} belongs to a process with a queue`, () => {
    expect(processes[processOf(name)]).toMatchObject({ queue: expect.any(String) })
  })
})

test('No file beside rules/effects.ts, the senders and the timelines lists the effects', () => {
  const root = path.resolve(import.meta.dirname, '../..')
  const sources = ['adapters', 'api', 'activities', 'entities', 'rules', 'workers', 'workflows']
    .flatMap((folder) =>
      (fs.readdirSync(path.join(root, folder), { recursive: true }) as string[]).map((file) => `${folder}/${file}`),
    )
    .filter((file) => file.endsWith('.ts') && !file.startsWith('entities/migrations'))
  const lists = (names: readonly string[]) =>
    sources.filter((file) => {
      const text = fs.readFileSync(path.join(root, file), 'utf8')
      return names.filter((name) => new RegExp(`['"\`]${name}['"\`]|\\b${name}: `).test(text)).length > names.length / 2
    })
  expect(lists(effectNames).sort()).toEqual([
    ...['activities/effects.ts', 'entities/timeline/effects.ts', 'rules/effects.ts', 'rules/timeline/effects.ts'],
  ])
  expect(lists(Object.values(effects).map(({ table }) => table))).toEqual(['rules/effects.ts'])
})
