// What is left at a provider when a tenant is erased whose secrets no key decrypts any more.
import { afterAll, expect, test } from '@jest/globals'
import { closeDatabase, statement } from '../../activities/kit/database.ts'
import { Channel } from '../../entities/agents/channel.ts'
import { channelPlans } from '../../entities/agents/channels.ts'
import { insertRow } from '../../entities/kit/database/insert.ts'
import { newId } from '../../entities/kit/ids.ts'
import { database, newShop } from '../kit/shop.ts'

afterAll(async () => {
  await closeDatabase()
  await database().end()
})

test('A channel whose secret no key decrypts is erased, with those beside it', async () => {
  const { store_id: tenant_id } = await newShop()
  const former = [{ base_url: 'https://bots.test', bot_token: 'a token' }]
  const ids = [newId(), newId(), newId()]
  for (const id of ids)
    await statement((em) =>
      insertRow(em, Channel, {
        ...{ id, tenant_id, created_at: 1, updated_at: 1, secret: 'a secret', deleted_at: 1 },
        former: JSON.stringify(former),
      }),
    )
  // Of a key that is gone; and one whose last bytes were changed, beside a secret that nothing needs here.
  const unreadable = Buffer.alloc(60).toString('base64')
  await database().query('update channels set secret = $2, former = $2 where id = $1', [ids[0], unreadable])
  await database().query(
    'update channels set secret = $2, former = substr(former, 1, length(former) - 8) || $3 where id = $1',
    [ids[1], unreadable, 'AAAAAAA='],
  )
  await database().query('update channels set secret = $2 where id = $1', [ids[2], unreadable])
  const plans = await statement((em) => channelPlans(em, tenant_id, 10))
  expect(plans.map(({ id, bot, former: left }) => ({ id, bot, left }))).toEqual([
    { id: ids[0], bot: null, left: [] },
    { id: ids[1], bot: null, left: [] },
    { id: ids[2], bot: null, left: former },
  ])
})
