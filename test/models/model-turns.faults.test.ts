// Turns whose workflow was lost are found, however many others run for long, and none holds tokens when its chat is
// deleted.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { giveUpEffect } from '../../activities/effects.ts'
import { closeDatabase } from '../../activities/kit/database.ts'
import { advanceTurn } from '../../activities/models/model-calls.ts'
import { type Orm, openOrm, unitOf } from '../../entities/kit/database/orm.ts'
import { newId } from '../../entities/kit/ids.ts'
import { overdueTurns } from '../../entities/models/model-turns.ts'
import { settleTokens } from '../../entities/models/usage.ts'
import { ALL_AGENTS } from '../../rules/agents/chats.ts'
import { database } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(60_000)

let lab: Lab
let orm: Orm
const tenant = newId()
beforeAll(async () => {
  lab = await startLab('lost-turns', {}, { parts: ['postgres', 'migrations'] })
  orm = await openOrm({ url: lab.stack.env.DATABASE_URL as string, pool: 2 })
})
afterAll(async () => {
  await closeDatabase()
  await orm.close(true)
  await database().end()
  await lab.stop()
})

const begin = async (n: number, at: number, status = 'running') =>
  (
    await database().query(
      `insert into model_turns (id, tenant_id, created_at, updated_at, owner_kind, owner_id, version, status)
       select gen_random_uuid(), $1, $3, $3, 'chat', gen_random_uuid(), 1, $4 from generate_series(1, $2::int) returning id`,
      [tenant, n, at, status],
    )
  ).rows.map(({ id }) => id as string)

test('A turn is looked at though more than a batch of older ones run', async () => {
  const now = 1_000_000
  const waiting = new Set(await begin(5, now - 10_000))
  const [lost] = await begin(1, now - 100)
  const look = async (at: number) => (await overdueTurns(unitOf(orm, null), 30, at, 3)).map(({ id }) => id)
  const rounds = [await look(now), await look(now + 1)]
  expect(rounds.map((ids) => ids.length)).toEqual([3, 3])
  expect(new Set(rounds.flat())).toEqual(new Set([...waiting, lost]))
  expect([await look(now + 2), (await look(now + 60)).length]).toEqual([[], 3])
})

test('An unsent call of a deleted chat is given up, and its tokens are free again', async () => {
  const [turn] = await begin(1, 1, 'discarded')
  const [call, day] = [newId(), '2026-01-01']
  await database().query(
    `with u as (insert into model_usage (id, tenant_id, created_at, updated_at, day, agent_id, calls, in_flight, reserved_tokens) values (gen_random_uuid(), $1, 1, 1, $3, $5, 1, 1, 70))
     insert into model_calls (id, tenant_id, created_at, updated_at, turn_id, step, try, integration_id, model, agent_id, day, reserved_tokens, held_tokens, fingerprint)
     values ($2, $1, 1, 1, $4, 1, 1, gen_random_uuid(), 'm', $5, $3, 70, 70, '')`,
    [tenant, call, day, turn, ALL_AGENTS],
  )
  const used = async () =>
    (
      await database().query(
        'select in_flight, reserved_tokens::int as reserved from model_usage where tenant_id = $1',
        [tenant],
      )
    ).rows[0]
  await unitOf(orm, null).transactional((em) => settleTokens(em, call))
  expect(await used()).toEqual({ in_flight: 1, reserved: 70 })
  expect(await advanceTurn(turn as string)).toMatchObject({ do: 'send', id: call })
  expect(await giveUpEffect('model_call', call, true)).toBe('failed')
  expect(await used()).toEqual({ in_flight: 0, reserved: 0 })
  expect(await advanceTurn(turn as string)).toEqual({ do: 'done', status: 'discarded' })
})

test('A turn that runs without its chat ends', async () => {
  const [turn] = await begin(1, 1)
  expect(await advanceTurn(turn as string)).toEqual({ do: 'done', status: 'discarded' })
  expect((await database().query('select status from model_turns where id = $1', [turn])).rows).toEqual([
    { status: 'discarded' },
  ])
})
