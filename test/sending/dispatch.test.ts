// The reconciler finds every mailbox whose messages are late, in parts that never divide the campaigns of one.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { unixNow } from '../../adapters/clock.ts'
import { unitOf } from '../../entities/kit/database/orm.ts'
import { lateMailboxes } from '../../entities/sending/dispatch.ts'
import { newPartReader } from '../../workers/reconciler.ts'
import { bareRows } from '../kit/database/bare-rows.ts'

const { own, row, tenant } = bareRows('dispatch')
const closed = JSON.stringify({ days: [], from: '08:00', to: '09:00' })
const minuteAgo = () => new Date(Date.now() - 60_000)

/** A campaign of the mailbox with one recipient, who is due for a minute. */
async function lateCampaign(mailbox: string, send_window: string | null): Promise<void> {
  const campaign_id = await row('campaigns', {
    ...{ id: randomUUID(), status: 'running', mailbox_ids: JSON.stringify([mailbox]), send_window },
  })
  const enrollment = { campaign_id, mailbox_id: mailbox, status: 'active', due_at: minuteAgo() }
  await row('enrollments', { id: randomUUID(), ...enrollment })
}

test('A mailbox whose campaigns are more than a part holds is found once in every round', async () => {
  await row('tenants', { id: tenant, timezone: 'UTC' })
  const mailboxes = [randomUUID(), randomUUID(), randomUUID()].sort()
  for (const mailbox of mailboxes) {
    await row('mailboxes', { id: mailbox, key: mailbox, status: 'active' })
    // A part had twenty campaigns, and those of its last mailbox that were left were skipped.
    for (let n = 0; n < 30; n++) await lateCampaign(mailbox, n < 25 ? closed : null)
  }
  const readNextPart = newPartReader(1)
  const find = (part: Parameters<typeof lateMailboxes>[1]) => lateMailboxes(unitOf(own.orm, null), part)
  const rounds: string[][] = []
  for (let round = 0; round < 2; round++) rounds.push((await readNextPart(find, find)).map(({ id }) => id))
  expect(rounds).toEqual([mailboxes, mailboxes])
  const parts: string[] = []
  let after: Awaited<ReturnType<typeof find>>['after'] = null
  do {
    const part = await find({ idleS: 1, now: unixNow(), limit: 1, after })
    parts.push(...part.rows.map(({ id }) => id))
    after = part.after
  } while (after)
  expect(parts).toEqual(mailboxes)
})
