// An import of enrollments whose start was lost and whose worker is killed: it goes on after the last part that was
// committed, and enrolls no contact twice.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import type { Process } from '../../dev/parts.ts'
import { newAudience } from '../kit/audiences/audiences.ts'
import { importInto, newCampaign } from '../kit/campaigns/campaigns.ts'
import { until } from '../kit/codes.ts'
import { database, newShop, type Shop } from '../kit/shop.ts'
import { type Lab, startLab } from '../kit/stack/lab.ts'

jest.setTimeout(120_000)

let lab: Lab
let worker: Process
let shop: Shop
beforeAll(async () => {
  lab = await startLab('imports', { RECONCILE_EVERY_MS: '1000', ANSWER_WAIT_MS: '0' }, { queues: ['default'] })
  await lab.stack.startApi({ ANSWER_WAIT_MS: '0' })
  shop = await newShop()
})
afterAll(async () => {
  await database().end()
  await lab.stop()
})

test('A lost import is started again, and after its worker was killed it goes on where it was', async () => {
  const audience = await newAudience(shop)
  await database().query(
    `with c as (insert into contacts (id, created_at, updated_at, tenant_id, taxonomies, anonymous) select gen_random_uuid(), n, 1, $1, '[]', false from generate_series(1, 12000) n returning id, created_at),
     h as (insert into contact_channels (id, created_at, updated_at, tenant_id, contact_id, type, address, owned) select gen_random_uuid(), 1, 1, $1, id, 'email', id || '@tillwright.test', true from c)
     insert into audience_members (id, created_at, updated_at, tenant_id, audience_id, contact_id, status, source, joined_at, fields)
     select gen_random_uuid(), created_at, 1, $1, $2, id, 'active', 'import', 1, '{}' from c`,
    [shop.store_id, audience.id],
  )
  const campaign = await newCampaign(shop)
  const { id } = await importInto(shop, campaign.id, { audience_ids: [audience.id] })
  // What the outbox promised is lost.
  await database().query('delete from outbox where row_id = $1', [id])
  await database().query('update campaign_imports set updated_at = 1 where id = $1', [id])
  // The third part waits for this contact.
  const merge = new pg.Client({ connectionString: lab.stack.env.DATABASE_URL })
  await merge.connect()
  await merge.query('begin')
  await merge.query('select 1 from contacts where tenant_id = $1 and created_at = 12000 for update', [shop.store_id])
  worker = await lab.startWorker()
  const read = async () => (await shop.asOperator('GET', `/campaigns/${campaign.id}/imports/${id}`)).body
  await until(async () => (await read()).enrolled === 10_000)
  lab.failAt('import_part', id, 'kill')
  await merge.query('commit')
  await merge.end()
  await worker.child.ended
  expect(await read()).toMatchObject({ status: 'running', enrolled: 10_000 })
  worker = await lab.startWorker()
  const over = await until(async () => {
    const row = await read()
    return row.status !== 'running' && row
  })
  expect(over).toMatchObject({ status: 'completed', enrolled: 12_000, already_enrolled: 0, skipped: {} })
  const { rows } = await database().query(
    'select count(*)::int as count, count(distinct contact_id)::int as contacts from enrollments where campaign_id = $1',
    [campaign.id],
  )
  expect(rows).toEqual([{ count: 12_000, contacts: 12_000 }])
  await worker.stop()
})
