// The reconciler goes on after the rows that it saw: many rows that stay late, because their starts fail, hide no
// others of their kind.
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { effectRows } from '../../activities/effects.ts'
import { unitOf } from '../../entities/kit/database/orm.ts'
import { unfinished } from '../../entities/kit/effects.ts'
import type { Late, LateKey, LatePart, LateRow } from '../../entities/kit/late-rows.ts'
import { lateScripts } from '../../entities/platform/script-runs.ts'
import { registered } from '../../entities/processes.ts'
import { lookAround, newPartReader } from '../../workers/reconciler.ts'
import { ownDatabase } from '../kit/database/own-database.ts'

const own = ownDatabase('late')
beforeAll(() => own.orm.migrator.up())

const em = () => unitOf(own.orm, null)
const first: LatePart = { idleS: 1, now: 1_000_000_000, limit: 2, after: null }
type Find = (part: LatePart) => Promise<Late>

/** Of every effect, and of every process that is not one. */
const finds: [string, Find][] = [
  ...effectRows.map((row): [string, Find] => [`the effect ${row.name}`, (part) => unfinished(em(), row, part)]),
  ...registered.flatMap(({ kind, late: all }) =>
    all.map((late, at): [string, Find] => [`${kind} (${at})`, (part) => late(em(), part)]),
  ),
]

test.each(finds)('The rows of %s are found from the beginning and after a row', async (name, find) => {
  expect(await find(first)).toEqual({ rows: [], after: null })
  // Rows that a look moves behind the others are always found from the beginning.
  if (/^(model_turn|execution) /.test(name)) return
  const keys: LateKey[] = ['5', '2020-01-01T00:00:00Z', randomUUID()].map((at) => ({ at, id: randomUUID() }))
  const outcomes = await Promise.all(
    keys.map((after) =>
      find({ ...first, after }).then(
        ({ rows }) => rows.length,
        () => 'refused',
      ),
    ),
  )
  expect(outcomes.filter((one) => one === 0)).toHaveLength(1)
})

/** The ids of three rounds of parts of two. */
async function rounds(find: (part: LatePart) => Promise<Late<LateRow>>): Promise<string[][]> {
  const readNextPart = newPartReader(2)
  const parts: string[][] = []
  for (let round = 0; round < 4; round++) parts.push((await readNextPart(find, find)).map(({ id }) => id))
  return parts
}

test('Five effects that stay unfinished are all looked at, two in a round, and then again', async () => {
  const mail = effectRows.find(({ name }) => name === 'mail')
  if (!mail) throw new Error('no effect of mails')
  const ids = Array.from({ length: 5 }, () => randomUUID()).sort()
  // Of one second, as rows of one request are.
  for (const id of ids)
    await own.db.query(
      `insert into mails (id, created_at, updated_at, kind, status, attempt, fingerprint) values ($1, 5, 5, 'code', 'requested', 0, '')`,
      [id],
    )
  expect(await rounds((part) => unfinished(em(), mail, part))).toEqual([
    ids.slice(0, 2),
    ids.slice(2, 4),
    ids.slice(4),
    ids.slice(0, 2),
  ])
})

test('Five processes whose starts fail are all looked at, the longest waiting first', async () => {
  const ids = Array.from({ length: 5 }, () => randomUUID())
  for (const [at, id] of ids.entries())
    await own.db.query(
      `insert into script_runs (id, created_at, updated_at, name, status, message) values ($1, 5, $2, $3, 'running', '')`,
      [id, 10 + at, id],
    )
  expect(await rounds((part) => lateScripts(em(), part))).toEqual([
    ids.slice(0, 2),
    ids.slice(2, 4),
    ids.slice(4),
    ids.slice(0, 2),
  ])
})

test('A look that fails hides no process of another kind', async () => {
  const id = randomUUID()
  await own.db.query(
    `insert into script_runs (id, created_at, updated_at, name, status, message) values ($1, 5, 1, $2, 'running', '')`,
    [id, id],
  )
  // The first effect and the first of the other processes cannot be read.
  for (const table of ['authorization_ends', 'orders'])
    await own.db.query(`alter table ${table} rename to ${table}_away`)
  try {
    expect((await lookAround(own.orm)).map(({ row_id }) => row_id)).toContain(id)
  } finally {
    for (const table of ['authorization_ends', 'orders'])
      await own.db.query(`alter table ${table}_away rename to ${table}`)
  }
})
